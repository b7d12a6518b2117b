package reports

import (
	"context"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/store"
)

// Filter selects reports of a customer. The zero value of a field matches all.
type Filter struct {
	Status contract.Status
	Named  string       // a publicToken or an externalId
	Before store.Cursor // of Created and PublicToken: those that are older
	Limit  int
}

// List returns a customer's reports without inputs and bodies, newest first.
func (s *Service) List(ctx context.Context, q store.Queryer, customerID string, f Filter) ([]Report, error) {
	return recent(ctx, q, customerID, f)
}

// Counts returns the number of a customer's reports by status, for those created since
// an instant.
func (s *Service) Counts(ctx context.Context, q store.Queryer, customerID string, since time.Time) (map[contract.Status]int, error) {
	return counts(ctx, q, customerID, since)
}

// DayCount is the number of a day's reports that share a status.
type DayCount struct {
	Day       int // whole days from since to the report's creation
	Status    contract.Status
	Substatus contract.Substatus
	Count     int
}

// CountDays counts the reports of a customer by the day on which they were created.
func (s *Service) CountDays(ctx context.Context, q store.Queryer, customerID string, since time.Time) ([]DayCount, error) {
	return dayCounts(ctx, q, customerID, since)
}
