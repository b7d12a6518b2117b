package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/provider/customers"
	"vestibule/internal/staff"
	"vestibule/internal/store"
)

// NewCustomer is a customer that an operator adds. The operator gives it the secrets.
type NewCustomer struct {
	Name      string
	PublicID  string
	ClientID  string
	SecretKey string
	Products  map[contract.Product]string // kind to productId
	Staff     string                      // email address of the first user
}

// AddCustomer adds a parent account of the provider's environment with its first
// dashboard user, and returns the link by which this user sets a password. It returns an
// error for an invalid name, and for an invalid email address or one in use.
func (p *Provider) AddCustomer(ctx context.Context, n NewCustomer) (link string, err error) {
	if problem := customers.NameProblem(n.Name); problem != "" {
		return "", errors.New("the customer's name " + problem)
	}
	email := mail.NormalizeAddress(n.Staff)
	if !mail.IsAddress(email) {
		return "", errors.New("the first user needs an email address")
	}
	err = p.config.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		id, err := p.customers.EnsureParent(ctx, tx, customers.ParentAccount{Role: "added " + n.PublicID, Name: n.Name,
			Environment: p.config.Environment, PublicID: n.PublicID, ClientID: n.ClientID, SecretKey: n.SecretKey, Products: n.Products,
			ReturnMode: "get", Entitled: []customers.Entitlement{customers.SecureRedirect}})
		if err != nil {
			return err
		}
		_, token, err := p.dashboard.Staff.Invite(ctx, tx, staff.User{}, staff.User{Account: id, Email: email}, i18n.English)
		link = p.dashboard.Staff.LinkURL(token)
		return err
	})
	return link, err
}

// ConsumerLink returns a link that works once and opens the whole file of an email address. The operator
// has verified the person.
func (p *Provider) ConsumerLink(ctx context.Context, email string) (link string, err error) {
	err = p.config.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		link, err = p.access.PersonLink(ctx, tx, mail.NormalizeAddress(email))
		return err
	})
	return link, err
}

// RotateKeys creates new signing keys and returns the time when the published one begins
// to sign. Tokens of previous keys stay valid until they expire.
func (p *Provider) RotateKeys(ctx context.Context) (time.Time, error) { return p.keys.Replace(ctx) }

// Entitlements returns the names of the entitlements that an operator can enable.
func Entitlements() []string {
	var out []string
	for _, e := range customers.Entitlements() {
		out = append(out, string(e))
	}
	return out
}

// OperatedAccount is an account with its entitlements.
type OperatedAccount struct {
	PublicID     string                      `json:"publicId"`
	Name         string                      `json:"name"`
	Environment  contract.Environment        `json:"environment"`
	Parent       string                      `json:"parent,omitempty"` // publicId of the parent account
	Entitlements map[string]EntitlementState `json:"entitlements"`
}

// EntitlementState is the setting of an entitlement.
type EntitlementState struct {
	Enabled   bool `json:"enabled"`
	Inherited bool `json:"inherited,omitempty"` // from the parent account
}

// SetEntitlements enables or disables entitlements of the account with a publicId. With a
// nil enabled, it makes a child account follow its parent. It records each change in the
// audit trail of the account and, for a child, of its parent. With an error, nothing
// changes.
func (p *Provider) SetEntitlements(ctx context.Context, publicID string, names []string, enabled *bool) error {
	return p.config.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		a, err := p.account(ctx, tx, publicID)
		if err != nil {
			return err
		}
		for _, name := range names {
			e, action := customers.Entitlement(name), "entitlement inherited"
			var changed bool
			switch {
			case enabled == nil:
				changed, err = p.customers.Inherit(ctx, tx, a.ID, e)
			default:
				action = map[bool]string{true: "entitlement enabled", false: "entitlement disabled"}[*enabled]
				changed, err = p.customers.Enable(ctx, tx, a.ID, e, *enabled)
			}
			if err != nil {
				return err
			}
			if !changed {
				continue
			}
			if err := p.dashboard.RecordOperator(ctx, tx, staff.Entry{Subject: a.ID, Action: action, Object: name}); err != nil {
				return err
			}
			if a.ParentID == "" {
				continue
			}
			child := staff.Entry{Subject: a.ParentID, Action: action, Object: name, Detail: a.PublicID}
			if err := p.dashboard.RecordOperator(ctx, tx, child); err != nil {
				return err
			}
		}
		return nil
	})
}

// Accounts lists the account with a publicId and its children. With an empty publicID it
// lists all accounts, each parent before its children.
func (p *Provider) Accounts(ctx context.Context, publicID string) ([]OperatedAccount, error) {
	q := p.config.DB.SQL
	parents := []customers.Account{}
	if publicID == "" {
		all, err := p.customers.Parents(ctx, q)
		if err != nil {
			return nil, err
		}
		parents = all
	} else {
		a, err := p.account(ctx, q, publicID)
		if err != nil {
			return nil, err
		}
		parents = append(parents, a)
	}
	out := []OperatedAccount{}
	for _, parent := range parents {
		children, err := p.customers.Children(ctx, q, parent.ID)
		if err != nil {
			return nil, err
		}
		for _, a := range append([]customers.Account{parent}, children...) {
			operated, err := p.operated(ctx, a)
			if err != nil {
				return nil, err
			}
			out = append(out, operated)
		}
	}
	return out, nil
}

func (p *Provider) operated(ctx context.Context, a customers.Account) (OperatedAccount, error) {
	out := OperatedAccount{PublicID: a.PublicID, Name: a.Name, Environment: a.Environment, Entitlements: map[string]EntitlementState{}}
	if a.ParentID != "" {
		parent, err := p.customers.ByID(ctx, p.config.DB.SQL, a.ParentID)
		if err != nil {
			return out, err
		}
		out.Parent = parent.PublicID
	}
	granted, err := p.customers.Granted(ctx, p.config.DB.SQL, a.ID)
	for _, g := range granted {
		out.Entitlements[string(g.Entitlement)] = EntitlementState{g.Enabled, g.Inherited}
	}
	return out, err
}

// account returns the account with a publicId, in either environment.
func (p *Provider) account(ctx context.Context, q store.Queryer, publicID string) (customers.Account, error) {
	known, err := p.customers.Account(ctx, q, publicID)
	if errors.Is(err, store.ErrNotFound) {
		return customers.Account{}, fmt.Errorf("no account has the publicId %q: `vestibule customer show` lists all", publicID)
	}
	if err != nil {
		return customers.Account{}, err
	}
	return p.customers.ByID(ctx, q, known.CustomerID)
}
