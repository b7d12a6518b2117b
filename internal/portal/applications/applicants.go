package applications

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"vestibule/internal/prefill"
	"vestibule/internal/store"
)

// DataKey returns the name of the data key that encrypts what is stored about the
// application's consumer.
func (a Application) DataKey() string { return a.dataKey }

// Applicants returns the data that applicants entered, by application ID. It omits
// applications without such data.
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
			continue // deleted concurrently
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

// Decided stores a reviewer's decision, adds it to the timeline under its number
// within the application, and notifies the subscribers of status changes. A decision
// that is already stored changes nothing.
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

// Hold locks an application until tx ends. It returns store.ErrNotFound if there is
// none.
func (s *Service) Hold(ctx context.Context, tx *store.Tx, id string) error {
	_, err := lock(ctx, tx, id)
	return err
}

// Consumers returns the service's consumer IDs that belong to this application and to
// no other.
func (s *Service) Consumers(ctx context.Context, id string) ([]string, error) {
	return consumers(ctx, s.DB.SQL, id)
}

// Forget deletes all data of an application in this package. The caller destroys the
// data key after the other packages have deleted theirs.
func (s *Service) Forget(ctx context.Context, tx *store.Tx, id string) error {
	return forget(ctx, tx, id)
}
