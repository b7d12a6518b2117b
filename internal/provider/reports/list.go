package reports

import (
	"context"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/store"
)

// Filter chooses reports of a customer. The zero value of a field is any.
type Filter struct {
	Status contract.Status
	Named  string       // a publicToken or an externalId
	Before store.Cursor // of Created and PublicToken: those that are older
	Limit  int
}

// List returns a customer's reports without their contents, the newest first.
func (s *Service) List(ctx context.Context, q store.Queryer, customerID string, f Filter) ([]Report, error) {
	return recent(ctx, q, customerID, f)
}

// Counts says how many of a customer's reports that were created since an instant
// have each status.
func (s *Service) Counts(ctx context.Context, q store.Queryer, customerID string, since time.Time) (map[contract.Status]int, error) {
	return counts(ctx, q, customerID, since)
}
