package reports

import (
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
	Children  bool      // also reports of the customer's child accounts

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

// DayCount is the number of a day's reports that share a status.
type DayCount struct {
	Day       int // whole days from since to the report's creation
	Status    contract.Status
	Substatus contract.Substatus
	Count     int
}
