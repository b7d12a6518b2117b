package reports

import (
	"context"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/store"
)

// Filter selects reports of a customer. The zero value of a field matches all.
type Filter struct {
	Status    contract.Status
	Substatus contract.Substatus
	Failed    bool // ended without data
	Kind      contract.Product
	From, To  time.Time // first and last day of Created
	Begins    string    // the beginning of a publicToken or an externalId

	// Also adds conditions about the report r; nil for none.
	Also func(c *store.Conditions)

	Sort   Sort
	Before store.Cursor    // of Created and PublicToken: those that follow in the order
	After  contract.Status // with Before and ByStatus: the status of that report
	Limit  int
}

// Sort is the order of a list.
type Sort string

const (
	Newest   Sort = ""
	Oldest   Sort = "oldest"
	ByStatus Sort = "status" // then the newest
)

// List returns a customer's reports without inputs and bodies.
func (s *Service) List(ctx context.Context, q store.Queryer, customerID string, f Filter) ([]Report, error) {
	return list(ctx, q, customerID, f)
}

// DayCount is the number of a day's reports that share a status.
type DayCount struct {
	Day       int // whole days from since to the report's creation
	Status    contract.Status
	Substatus contract.Substatus
	Count     int
}

// CountDays counts the reports of a customer by the day on which they were created, from since
// to until; a zero until is no end.
func (s *Service) CountDays(ctx context.Context, q store.Queryer, customerID string, since, until time.Time) ([]DayCount, error) {
	return dayCounts(ctx, q, customerID, since, until)
}

// TimesToReport returns, for reports of a customer that were created from since to until and are
// ready, the times from their creation, shortest first. It leaves out corrected reports and
// those that were made from access that stayed open.
func (s *Service) TimesToReport(ctx context.Context, q store.Queryer, customerID string, since, until time.Time) ([]time.Duration, error) {
	return timesToReport(ctx, q, customerID, since, until)
}
