package provider

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/operator"
	"vestibule/internal/staff"
	"vestibule/internal/store"
)

// NewCustomer is a customer that an operator adds. The operator gives it the secrets.
type NewCustomer = operator.NewCustomer

// AddCustomer adds a customer for the command line, and returns the link by which its first user
// chooses a password.
func (p *Provider) AddCustomer(ctx context.Context, n NewCustomer) (link string, err error) {
	err = p.operator.AsCommand(ctx, func(ctx context.Context, tx *store.Tx) (e staff.Entry, err error) {
		link, e, err = p.operator.AddCustomer(ctx, tx, n, i18n.English)
		if err == nil && n.Portal != "" {
			err = p.registerPortal(ctx, tx, n)
		}
		return e, err
	})
	return link, err
}

// ErrPortal is the error of an address of a portal that webhooks and redirects cannot lead to.
var ErrPortal = errors.New("must be an https URL at a public host, without a path")

// registerPortal registers where a customer's portal receives webhooks and signed results.
func (p *Provider) registerPortal(ctx context.Context, tx *store.Tx, n NewCustomer) error {
	callback, complete := n.Portal+"/webhooks/visit", n.Portal+"/redirect/return"
	if u, err := url.Parse(n.Portal); err != nil || u.Path != "" || u.RawQuery != "" {
		return ErrPortal
	}
	if err := p.webhooks.Sender.CheckURL(callback); err != nil {
		return fmt.Errorf("%w: %w", ErrPortal, err)
	}
	a, err := p.Account(ctx, tx, n.PublicID)
	if err == nil {
		err = p.webhooks.Seed(ctx, tx, a.ID, callback, n.WebhookSecret)
	}
	if err == nil {
		err = p.customers.SetCompleteURLs(ctx, tx, a.ID, []string{complete})
	}
	return err
}

// ConsumerLink returns a link that works once and opens the whole file of an email address. The operator
// has verified the person.
func (p *Provider) ConsumerLink(ctx context.Context, email string) (string, error) {
	return store.Value(ctx, p.config.DB.Tx, func(ctx context.Context, tx *store.Tx) (string, error) {
		return p.access.PersonLink(ctx, tx, mail.NormalizeAddress(email))
	})
}

// Entitlements returns the names of the entitlements that an operator can enable.
func Entitlements() []string {
	var out []string
	for _, e := range customers.Entitlements() {
		out = append(out, string(e))
	}
	return out
}

// ChangeAccount changes an account, named as Account takes it, for the command line.
func (p *Provider) ChangeAccount(ctx context.Context, account string,
	do func(context.Context, *store.Tx, customers.Account) (staff.Entry, error)) error {
	return p.operator.AsCommand(ctx, func(ctx context.Context, tx *store.Tx) (staff.Entry, error) {
		a, err := p.Account(ctx, tx, account)
		if err != nil {
			return staff.Entry{}, err
		}
		return do(ctx, tx, a)
	})
}

// Account returns the account with a publicId, or else the only one with a name.
func (p *Provider) Account(ctx context.Context, q store.Queryer, account string) (customers.Account, error) {
	a, err := p.operator.Account(ctx, q, account)
	if errors.Is(err, store.ErrNotFound) {
		a, err = p.customers.ByName(ctx, q, account)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = Unknown(fmt.Sprintf("no account has the publicId or name %q, or several have the name: `vestibule customer list` lists all",
			account))
	}
	return a, err
}

// Unknown is the error of a command that names something that does not exist.
type Unknown string

func (u Unknown) Error() string { return string(u) }
