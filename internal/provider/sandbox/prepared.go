package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/store"
)

// Prepared stores prepared reports, which customers select by sandboxReportId.
type Prepared struct{ DB *store.DB }

// Contents is the input of a prepared report: a profile of the mock bank, or uploaded
// data with their person; sign-ins at payroll providers; or, for a passport, a
// supplier.
type Contents struct {
	Profile  string           `json:"profile,omitempty"`
	Consumer *bankdata.Person `json:"consumer,omitempty"`
	Born     string           `json:"born,omitempty"`  // YYYY-MM-DD
	State    string           `json:"state,omitempty"` // two capital letters
	Data     *bankdata.Data   `json:"data,omitempty"`
	At       time.Time        `json:"at,omitzero"` // when the data were retrieved; zero: when they are served

	Employers []string `json:"employers,omitempty"` // that are stated
	Payroll   []SignIn `json:"payroll,omitempty"`   // their providers by id, their usernames as profiles
	Supplier  string   `json:"supplier,omitempty"`  // its code
}

// Create stores the contents, encrypted under a new key, and returns the
// sandboxReportId.
func (p *Prepared) Create(ctx context.Context, tx *store.Tx, customerID string, kind contract.Product, c Contents) (string, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	key, err := p.DB.Vault.NewKey(ctx, tx)
	if err != nil {
		return "", err
	}
	id := uuid.NewString()
	sealed, err := p.DB.Vault.Seal(ctx, tx, key, preparedCell(id), raw)
	if err != nil {
		return "", err
	}
	return id, insertPrepared(ctx, tx, id, customerID, kind, key, sealed)
}

// Lookup returns the kind of a prepared report of the customer, or store.ErrNotFound.
func (p *Prepared) Lookup(ctx context.Context, q store.Queryer, customerID, id string) (contract.Product, error) {
	kind, _, _, err := prepared(ctx, q, customerID, id)
	return kind, err
}

// Contents returns a prepared report of the customer, decrypted, or store.ErrNotFound.
func (p *Prepared) Contents(ctx context.Context, q store.Queryer, customerID, id string) (Contents, error) {
	var c Contents
	_, key, sealed, err := prepared(ctx, q, customerID, id)
	if err != nil {
		return c, err
	}
	raw, err := p.DB.Vault.Open(ctx, q, key, preparedCell(id), sealed)
	if err != nil {
		return c, fmt.Errorf("sandbox: prepared report: %w", err)
	}
	return c, json.Unmarshal(raw, &c)
}

func preparedCell(id string) store.Cell {
	return store.Cell{Table: "sandbox_reports", Column: "sealed", Row: id}
}
