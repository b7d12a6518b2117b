package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
	Add     addCustomer     `cmd:"" default:"withargs" help:"Add a customer and print its credentials, once (the default)."`
	Enable  enableFeatures  `cmd:"" help:"Enable features of an account: ${features}."`
	Disable disableFeatures `cmd:"" help:"Disable features of an account; a child account no longer follows its parent in them."`
	Inherit inheritFeatures `cmd:"" help:"Let features of a child account follow its parent again."`
	Show    showCustomers   `cmd:"" help:"Print accounts with their enabled features."`
}

func (customerCommands) uses() string { return databaseUses + " provider-url" }

type addCustomer struct {
	Name  string `arg:"" help:"Name that applicants see."`
	Staff string `required:"" help:"Email of the first user of its dashboard." placeholder:"EMAIL"`
}

// Run adds a customer with every product, and prints its credentials and a link for its first
// user: only their hashes are stored, so they cannot be read again. The provider may be running.
func (n addCustomer) Run(ctx context.Context, in *invocation) error {
	if !prefill.IsEmail(n.Staff) {
		return refusal{errors.New("--staff: must be an email address")}
	}
	return in.withProvider(ctx, func(p *provider.Provider) error {
		made := struct {
			account
			Products  map[contract.Product]string `json:"products"`
			Dashboard struct {
				Email string `json:"email"`
				Link  string `json:"link"` // to set a password
			} `json:"dashboard"`
		}{account: newAccount(), Products: map[contract.Product]string{}}
		for _, kind := range contract.Products() {
			made.Products[kind] = uuid.NewString()
		}
		made.Dashboard.Email = n.Staff
		var err error
		made.Dashboard.Link, err = p.AddCustomer(ctx, provider.NewCustomer{Name: n.Name, PublicID: made.PublicID, ClientID: made.ClientID,
			SecretKey: made.SecretKey, Products: made.Products, Staff: n.Staff})
		if errors.Is(err, users.ErrKnown) {
			return errors.New("--staff: another user has this email address")
		}
		if err != nil {
			return err
		}
		return printJSON(in.stdout, made)
	})
}

// accountFeatures are the arguments of commands that change features of an account.
type accountFeatures struct {
	Account  string   `arg:"" help:"publicId of the account."`
	Features []string `arg:"" help:"One or several features." enum:"${feature}" name:"feature"`
}

type (
	enableFeatures  struct{ accountFeatures }
	disableFeatures struct{ accountFeatures }
	inheritFeatures struct{ accountFeatures }
)

// Run enables features of an account.
func (f enableFeatures) Run(ctx context.Context, in *invocation) error {
	return in.setFeatures(ctx, f.accountFeatures, new(true))
}

// Run disables features of an account.
func (f disableFeatures) Run(ctx context.Context, in *invocation) error {
	return in.setFeatures(ctx, f.accountFeatures, new(false))
}

// Run lets features of a child account follow its parent.
func (f inheritFeatures) Run(ctx context.Context, in *invocation) error {
	return in.setFeatures(ctx, f.accountFeatures, nil)
}

// setFeatures enables or disables features of an account, or with nil inherits them from
// its parent, and prints the enabled features. A running provider applies the change at
// once.
func (in *invocation) setFeatures(ctx context.Context, f accountFeatures, enabled *bool) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		if err := p.SetEntitlements(ctx, f.Account, f.Features, enabled); err != nil {
			return err
		}
		all, err := p.Accounts(ctx, f.Account)
		if err != nil {
			return err
		}
		return printJSON(in.stdout, all[0])
	})
}

type showCustomers struct {
	Account string `arg:"" optional:"" help:"publicId of one account. Default: all."`
}

// Run prints accounts with what is enabled for them.
func (s showCustomers) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		all, err := p.Accounts(ctx, s.Account)
		if err != nil {
			return err
		}
		return printJSON(in.stdout, all)
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

// withProvider checks the configuration, and opens the provider's database for f. The
// provider may be running.
func (in *invocation) withProvider(ctx context.Context, f func(p *provider.Provider) error) (err error) {
	log, err := in.checked(parties{})
	if err != nil {
		return err
	}
	if err := prepareDir(in.config.Store.Dir); err != nil {
		return err
	}
	opened := in.config.Store.Of(store.Provider)
	if err := opened.LoadKeys(); err != nil {
		return refusal{err}
	}
	db, err := store.Open(ctx, opened)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	p, err := in.config.administer(ctx, db, log)
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
