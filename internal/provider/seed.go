package provider

import (
	"context"
	"errors"
	"fmt"

	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/staff"
	"vestibule/internal/store"
)

// Seed describes the customers that a sandbox generates. The caller generates the secrets
// once and keeps them.
type Seed struct {
	PublicID      string
	ClientID      string
	SecretKey     string
	Products      map[contract.Product]string
	WebhookSecret string
	ThirdParty    SeedAccount
	Child         SeedChild // zero: none
	CallbackURL   string    // of webhooks; empty: unchanged
	CompleteURL   string    // only registered redirect URL; empty: unchanged
	ReturnMode    string    // "get" or "post"
	Staff         Login     // first user of the dashboard; zero: none
}

// Login is a user's email address and password.
type Login struct{ Email, Password string }

// SeedAccount is the third party's account.
type SeedAccount struct {
	PublicID      string
	ClientID      string
	SecretKey     string
	CallbackURL   string // of webhooks, usually the control's /inbox; empty: unchanged
	WebhookSecret string
	Staff         Login
}

// SeedChild is a child account of the portal's, with products and credentials of its own. Its webhooks go to its parent.
type SeedChild struct {
	PublicID, ClientID, SecretKey string
	Products                      map[contract.Product]string
}

// Seed adds or updates the generated customers, except for settings that their users
// have changed since. Call it at every start, before the first request.
func (p *Provider) Seed(ctx context.Context, s Seed) error {
	if p.config.Environment != contract.Sandbox {
		return errors.New("provider: customers are generated in a sandbox only")
	}
	p.seed = s
	return p.config.DB.Tx(ctx, p.refill)
}

const (
	portalRole     = "portal"
	thirdPartyRole = "third party"
)

// refill adds or updates the generated customers; a reset calls it too.
func (p *Provider) refill(ctx context.Context, tx *store.Tx) error {
	s := p.seed
	if s.PublicID == "" {
		return nil
	}
	err := p.refillOne(ctx, tx, customers.ParentAccount{Role: portalRole, Name: "Vestibule", Environment: p.config.Environment,
		PublicID: s.PublicID, ClientID: s.ClientID, SecretKey: s.SecretKey, Products: s.Products,
		CompleteURL: s.CompleteURL, ReturnMode: s.ReturnMode, Entitled: customers.Entitlements()}, s.CallbackURL, s.WebhookSecret, s.Staff)
	if err == nil && s.Child.PublicID != "" {
		err = p.customers.EnsureChild(ctx, tx, s.PublicID, customers.ParentAccount{Name: "North Branch", PublicID: s.Child.PublicID,
			ClientID: s.Child.ClientID, SecretKey: s.Child.SecretKey, Products: s.Child.Products})
	}
	if err == nil {
		err = p.refillOne(ctx, tx, customers.ParentAccount{Role: thirdPartyRole, Name: "Third Party", Environment: p.config.Environment,
			PublicID: s.ThirdParty.PublicID, ClientID: s.ThirdParty.ClientID, SecretKey: s.ThirdParty.SecretKey, ReturnMode: "get",
			Entitled: []customers.Entitlement{customers.RelayTokens, customers.MultiProductTokens, customers.Hierarchy, customers.SecureRedirect}},
			s.ThirdParty.CallbackURL, s.ThirdParty.WebhookSecret, s.ThirdParty.Staff)
	}
	if err != nil {
		return fmt.Errorf("provider: seed: %w", err)
	}
	return nil
}

// refillOne adds or updates one customer. It keeps settings that users have changed on the
// dashboard.
func (p *Provider) refillOne(ctx context.Context, tx *store.Tx, parent customers.ParentAccount,
	callback, secret string, login Login) error {
	known, err := p.customers.ByPublicID(ctx, tx, parent.PublicID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil {
		changed, err := p.dashboard.Changed(ctx, tx, known.ID)
		if err != nil {
			return err
		}
		if changed.Callback {
			callback = ""
		}
		if changed.CompleteURLs {
			parent.CompleteURL = ""
		}
		if changed.People {
			login = Login{}
		}
		if changed.Return {
			a, err := p.customers.ByID(ctx, tx, known.ID)
			if err != nil {
				return err
			}
			parent.ReturnMode = a.ReturnMode
		}
	}
	id, err := p.customers.EnsureParent(ctx, tx, parent)
	if err == nil && callback != "" {
		err = p.webhooks.Seed(ctx, tx, id, callback, secret)
	}
	if err == nil && login != (Login{}) {
		err = p.dashboard.Staff.Ensure(ctx, tx, staff.User{Account: id, Email: login.Email}, login.Password)
	}
	return err
}
