package customers

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/store"
)

// PreparedReport is a prepared report of a sandbox account.
type PreparedReport struct {
	ID      string           `json:"sandboxReportId"`
	Name    string           `json:"name,omitempty"` // what people call it; empty for none
	Kind    contract.Product `json:"product"`
	Created time.Time        `json:"createdAt"`
}

// PreparedStore stores the prepared reports of a sandbox. Package sandbox implements it.
type PreparedStore interface {
	// Lookup returns the kind of a prepared report of an account, or store.ErrNotFound.
	Lookup(ctx context.Context, q store.Queryer, customerID, id string) (contract.Product, error)
	// List lists the prepared reports of an account, newest first.
	List(ctx context.Context, q store.Queryer, customerID string) ([]PreparedReport, error)
	// Remove deletes a prepared report of an account with its key. It returns ErrPreparedUsed if a
	// configuration or an open visit names it, and store.ErrNotFound.
	Remove(ctx context.Context, tx *store.Tx, customerID, id string) error
	// Read reads the JSON that describes a prepared report (docs/how-to/by-hand.md), and returns
	// a function that stores it. It returns an *httpx.Error for an invalid description.
	Read(body []byte) (add func(ctx context.Context, tx *store.Tx, customerID string) (PreparedReport, error), err error)
}

// ErrPreparedUsed is returned for a prepared report that is needed. Its text is for the command line.
var ErrPreparedUsed = errors.New("a configuration or an open visit names the prepared report")

// MaxPreparedReport is the maximum size in bytes of the description of a prepared report,
// which may hold two years of many accounts.
const MaxPreparedReport = 16 << 20
