//go:build linux

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
func queueFigures(ctx context.Context, dir string) []figure {
	engine := must(ocr.Find(ctx))
	_, page := stubPage(ctx)
	s := newService(ctx, store.Config{Dir: dir}, func(c *provider.Config) { c.Scanner = engine })
	defer s.stop()
	other := provider.NewCustomer{Name: "Images", PublicID: uuid.NewString(), ClientID: "images", SecretKey: store.NewSecret(),
		Products: map[contract.Product]string{contract.Income: uuid.NewString()},
		Staff:    "ops@images.example"}
	must(s.provider.AddCustomer(ctx, other))
	image := map[string]string{"fileName": "stub.png", "contentBase64": base64.StdEncoding.EncodeToString(page)}
	how := must(json.Marshal(map[string]any{"payStubs": []any{image, image, image}}))
	parallel(16, 16, func(int) {
		s.complete(ctx, other.ClientID, other.SecretKey, other.Products[contract.Income], "ana@example.com", string(how))
	})
	var took series
	for _, body := range s.submissions("queues", 10, 500) {
		began := time.Now()
		took = append(took, float64(s.webhookOf(ctx, s.submit(ctx, body)).Sub(began)))
	}
	var pending int
	check(s.db.SQL.QueryRowContext(ctx, `SELECT count(*) FROM reports WHERE kind = 'income' AND status = 'PENDING'`).Scan(&pending))
	if pending == 0 {
		check(errors.New("the images were read before the submissions"))
	}
	return []figure{
		compare("submission to webhook, beside 48 images of another", "≤ 1.00", millis, series{took.quantile(1)}, series{2e9}),
	}
}
