package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/customers"
	"vestibule/internal/store"
)

// Prepared stores prepared reports, which customers select by sandboxReportId. It implements
// customers.PreparedStore.
type Prepared struct {
	DB  *store.DB
	Now func() time.Time // the sandbox's clock
}

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

// Read implements customers.PreparedStore.
func (p *Prepared) Read(body []byte) (func(context.Context, *store.Tx, string) (customers.PreparedReport, error), error) {
	var in preparation
	if err := httpx.UnmarshalStrict(body, &in); err != nil {
		return nil, err
	}
	return p.read(in)
}

// read validates a request, and returns a function that stores its contents, encrypted
// under a new key.
func (p *Prepared) read(in preparation) (func(context.Context, *store.Tx, string) (customers.PreparedReport, error), error) {
	c, err := in.contents(p.Now())
	return func(ctx context.Context, tx *store.Tx, customerID string) (customers.PreparedReport, error) {
		return p.add(ctx, tx, customerID, in, c)
	}, err
}

func (p *Prepared) add(ctx context.Context, tx *store.Tx, customerID string, in preparation, c Contents) (r customers.PreparedReport,
	err error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return r, err
	}
	key, err := p.DB.Vault.NewKey(ctx, tx)
	if err != nil {
		return r, err
	}
	r = customers.PreparedReport{ID: uuid.NewString(), Name: in.Name, Kind: in.Product, Created: tx.Now}
	sealed, err := p.DB.Vault.Seal(ctx, tx, key, preparedCell(r.ID), raw)
	if err != nil {
		return r, err
	}
	return r, insertPrepared(ctx, tx, r, customerID, key, sealed)
}

// Remove implements customers.PreparedStore.
func (p *Prepared) Remove(ctx context.Context, tx *store.Tx, customerID, id string) error {
	if _, err := p.Lookup(ctx, tx, customerID, id); err != nil {
		return err
	}
	key, err := deletePrepared(ctx, tx, id)
	if errors.Is(err, store.ErrNotFound) {
		return customers.ErrPreparedUsed
	}
	if err != nil {
		return err
	}
	return p.DB.Vault.Shred(ctx, tx, key)
}

// Contents returns a prepared report of the customer or its parent, whose configurations may
// name one, decrypted, or store.ErrNotFound.
func (p *Prepared) Contents(ctx context.Context, q store.Queryer, customerID, id string) (Contents, error) {
	var c Contents
	key, sealed, err := prepared(ctx, q, customerID, id)
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
