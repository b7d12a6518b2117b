package provider

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"vestibule/internal/provider/customers"
	"vestibule/internal/svc"
)

// NewCustomer is a customer that an operator adds. The secrets are his to hand on.
type NewCustomer struct {
	Name      string
	PublicID  string
	ClientID  string
	SecretKey string
	Products  map[svc.Product]string // kind to productId
	Staff     Login
}

// AddCustomer adds a parent account of the provider's environment with its first
// person, for whom the rest is on the dashboard. A name that is none and an e-mail
// that somebody has are errors.
func (p *Provider) AddCustomer(ctx context.Context, n NewCustomer) error {
	if problem := customers.NameProblem(n.Name); problem != "" {
		return errors.New("provider: the name " + problem)
	}
	return p.config.DB.Tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		id, err := p.customers.Seed(ctx, tx, customers.Seed{Role: "added " + n.PublicID, Name: n.Name, Environment: p.config.Environment,
			PublicID: n.PublicID, ClientID: n.ClientID, SecretKey: n.SecretKey, Products: n.Products, ReturnMode: "get"})
		if err != nil {
			return err
		}
		return p.desk.AddStaff(ctx, tx, id, n.Staff.Email, n.Staff.Password)
	})
}

// RotateKeys makes new signing keys and returns when the published one begins to
// sign. What the ones before it signed stays good.
func (p *Provider) RotateKeys(ctx context.Context) (time.Time, error) { return p.keys.Replace(ctx) }
