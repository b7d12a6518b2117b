package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/ocr"
	"vestibule/internal/store"
)

// queueFigures measures submissions of one account, from the request to the webhook, while
// reports with images of pay stubs are made for sixteen visits of another account.
func queueFigures(ctx context.Context, dir string) ([]figure, error) {
	engine, err := ocr.Find(ctx)
	if err != nil {
		return nil, err
	}
	_, page, err := stubPage(ctx)
	if err != nil {
		return nil, err
	}
	s, err := newService(ctx, store.Config{Dir: dir}, func(c *provider.Config) { c.Scanner = engine })
	if err != nil {
		return nil, err
	}
	defer s.stop()
	other := provider.NewCustomer{Name: "Images", PublicID: uuid.NewString(), ClientID: "images", SecretKey: store.NewSecret(),
		Products: map[contract.Product]string{contract.Income: uuid.NewString()},
		Staff:    "ops@images.example"}
	if _, err := s.provider.AddCustomer(ctx, other); err != nil {
		return nil, err
	}
	image := map[string]string{"fileName": "stub.png", "contentBase64": base64.StdEncoding.EncodeToString(page)}
	how, err := json.Marshal(map[string]any{"payStubs": []any{image, image, image}})
	if err != nil {
		return nil, err
	}
	if err := parallel(16, 16, func(int) error {
		_, err := s.complete(ctx, other.ClientID, other.SecretKey, other.Products[contract.Income], "ana@example.com", string(how))
		return err
	}); err != nil {
		return nil, err
	}
	bodies, err := s.submissions("queues", 10, 500)
	if err != nil {
		return nil, err
	}
	var took series
	for _, body := range bodies {
		began := time.Now()
		token, err := s.submit(ctx, body)
		if err != nil {
			return nil, err
		}
		at, err := s.webhookOf(ctx, token)
		if err != nil {
			return nil, err
		}
		took = append(took, float64(at.Sub(began)))
	}
	var pending int
	err = s.db.SQL.QueryRowContext(ctx, `SELECT count(*) FROM reports WHERE kind = 'income' AND status = 'PENDING'`).Scan(&pending)
	if err == nil && pending == 0 {
		err = errors.New("the images were read before the submissions")
	}
	f := compare("submission to webhook, beside 48 images of another", "≤ 1.00", millis, series{took.quantile(1)}, series{2e9})
	return []figure{f}, err
}
