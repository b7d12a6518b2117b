package applications

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"vestibule/internal/prefill"
	"vestibule/internal/store"
)

// DataKey names the data key that what is known of the application's consumer is
// sealed under.
func (a Application) DataKey() string { return a.dataKey }

// Applicants returns what the applicants of some applications gave, by application.
// Those of whom nothing is known are left out.
func (s *Service) Applicants(ctx context.Context, ids []string) (map[string]prefill.Fields, error) {
	out := make(map[string]prefill.Fields, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	found, err := sealedPrefills(ctx, s.DB.SQL, ids)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		open, err := s.DB.Vault.Unwrap(f.dataKey, f.wrapped)
		if errors.Is(err, store.ErrShredded) {
			continue // deleted a moment ago
		}
		if err != nil {
			return nil, err
		}
		plain, err := open.Open(prefillCell(f.id), f.sealed)
		if err != nil {
			return nil, err
		}
		var fields prefill.Fields
		if err := json.Unmarshal(plain, &fields); err != nil {
			return nil, errors.New("applications: an applicant's data cannot be read")
		}
		out[f.id] = fields
	}
	return out, nil
}

// Decided keeps a reviewer's decision, adds it to the timeline, by its number within
// the application, and tells whoever is told of what people see. One that is there
// is not told again.
func (s *Service) Decided(ctx context.Context, tx *store.Tx, id string, d Decision) error {
	a, err := lock(ctx, tx, id)
	if err != nil {
		return err
	}
	if ok, err := decide(ctx, tx, id, d); err != nil || !ok {
		return err
	}
	a.Decision = d
	state := string(a.Journey.State)
	_, err = s.record(ctx, tx, a, "decision/"+strconv.FormatInt(d.Number, 10), TimelineEntry{Kind: d.Kind, From: state, To: state, Reasons: d.Reasons}, a.Journey, true)
	return err
}

// In is Get within a transaction.
func (s *Service) In(ctx context.Context, q store.Queryer, id string) (Application, error) {
	return get(ctx, q, id)
}

// Hold keeps an application as it is until tx ends; store.ErrNotFound if there is
// none.
func (s *Service) Hold(ctx context.Context, tx *store.Tx, id string) error {
	_, err := lock(ctx, tx, id)
	return err
}

// Consumers are whom the service knows an application's applicant as, and no other
// application's.
func (s *Service) Consumers(ctx context.Context, id string) ([]string, error) {
	return consumers(ctx, s.DB.SQL, id)
}

// Forget deletes all that is kept of an application. Its data key is destroyed by
// whoever asks for it, when the other rooms have forgotten it too.
func (s *Service) Forget(ctx context.Context, tx *store.Tx, id string) error {
	return forget(ctx, tx, id)
}
