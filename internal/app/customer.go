package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/prefill"
	"vestibule/internal/provider"
	users "vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/web"
)

// customerCommands manage the customers of a provider.
type customerCommands struct {
	Add     newCustomer  `cmd:"" default:"withargs" help:"Add a customer and print its credentials, once (the default)."`
	Enable  entitlements `cmd:"" help:"Enable features of an account: ${features}."`
	Disable entitlements `cmd:"" help:"Disable features of an account; a child account no longer follows its parent in them."`
	Inherit entitlements `cmd:"" help:"Let features of a child account follow its parent again."`
	Show    struct {
		Account string `arg:"" optional:"" help:"publicId of one account. Default: all."`
	} `cmd:"" help:"Print accounts with their enabled features."`
}

// newCustomer is the command customer add.
type newCustomer struct {
	Name  string `arg:"" help:"Name that applicants see."`
	Staff string `required:"" help:"Email of the first user of its dashboard." placeholder:"EMAIL"`
}

// entitlements is what the commands enable, disable and inherit take.
type entitlements struct {
	Account  string   `arg:"" help:"publicId of the account."`
	Features []string `arg:"" help:"One or several features." enum:"${entitlements}" name:"feature"`
}

// addCustomer adds a customer with every product, and prints its credentials:
// only their hashes are stored, so they cannot be read again. The provider may be
// running.
func addCustomer(ctx context.Context, c *Config, n newCustomer, log *slog.Logger, stdout io.Writer) error {
	if !prefill.IsEmail(n.Staff) {
		return refusal{errors.New("--staff: must be an email address")}
	}
	return withCustomers(ctx, c, log, func(p *provider.Provider) error {
		made := struct {
			account
			Products  map[contract.Product]string `json:"products"`
			Dashboard login                       `json:"dashboard"`
		}{newAccount(), map[contract.Product]string{}, login{n.Staff, strings.ToLower(rand.Text())}}
		for _, kind := range contract.Products() {
			made.Products[kind] = uuid.NewString()
		}
		err := p.AddCustomer(ctx, provider.NewCustomer{Name: n.Name, PublicID: made.PublicID, ClientID: made.ClientID, SecretKey: made.SecretKey,
			Products: made.Products, Staff: provider.Login(made.Dashboard)})
		if errors.Is(err, users.ErrKnown) {
			return errors.New("--staff: another user has this email address")
		}
		if err != nil {
			return err
		}
		return printJSON(stdout, made)
	})
}

// setEntitlements enables or disables features of an account, or with nil inherits them
// from its parent, and prints the enabled features. A running provider applies the change
// at once.
func setEntitlements(ctx context.Context, c *Config, e entitlements, enabled *bool, log *slog.Logger, stdout io.Writer) error {
	return withCustomers(ctx, c, log, func(p *provider.Provider) error {
		if err := p.SetEntitlements(ctx, e.Account, e.Features, enabled); err != nil {
			return err
		}
		all, err := p.Accounts(ctx, e.Account)
		if err != nil {
			return err
		}
		return printJSON(stdout, all[0])
	})
}

// showCustomers prints accounts with what is enabled for them.
func showCustomers(ctx context.Context, c *Config, publicID string, log *slog.Logger, stdout io.Writer) error {
	return withCustomers(ctx, c, log, func(p *provider.Provider) error {
		all, err := p.Accounts(ctx, publicID)
		if err != nil {
			return err
		}
		return printJSON(stdout, all)
	})
}

func printJSON(stdout io.Writer, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s\n", raw)
	return err
}

// withCustomers opens the provider's database for f. The provider may be running.
func withCustomers(ctx context.Context, c *Config, log *slog.Logger, f func(p *provider.Provider) error) (err error) {
	if err := prepareDir(c.Store.Dir); err != nil {
		return err
	}
	opened := c.Store.Of(store.Provider)
	if err := opened.LoadKeys(); err != nil {
		return refusal{err}
	}
	db, err := store.Open(ctx, opened)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	p, err := c.administer(ctx, db, log)
	if err != nil {
		return err
	}
	return f(p)
}

// administer returns a provider without listeners, for a command on its database.
func (c *Config) administer(ctx context.Context, db *store.DB, log *slog.Logger) (*provider.Provider, error) {
	return provider.New(ctx, provider.Config{DB: db, Log: log, Now: time.Now, URL: c.addressOf(c.Listen.ProviderURL, c.Listen.ProviderAddr),
		Environment: c.Process.Environment, Sandbox: sandboxOf(c), Assets: web.Provider()})
}
