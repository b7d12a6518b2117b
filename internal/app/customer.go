package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/provider"
	accounts "vestibule/internal/provider/customers"
	"vestibule/internal/provider/operator"
	users "vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/web"
)

// customerCommands are the commands on customers. Those that change one print it as JSON.
type customerCommands struct {
	JSON   bool `name:"json" env:"-" help:"Print JSON. All commands but list always do."`
	Create bool `env:"-" help:"Create the provider's database if it does not exist."`

	Add           addCustomer     `cmd:"" default:"withargs" help:"Add a customer and print its credentials, once (the default)."`
	List          listCustomers   `cmd:"" help:"List accounts with their status."`
	Show          showCustomers   `cmd:"" help:"Print accounts with their features and limits, as JSON."`
	Rename        renameCustomer  `cmd:"" help:"Change the names of an account."`
	Suspend       suspendCustomer `cmd:"" help:"Suspend an account and its children: calls, widget and links are refused; nothing is lost."`
	Resume        resumeCustomer  `cmd:"" help:"Resume a suspended account."`
	Limit         limitCustomer   `cmd:"" help:"Set how many submissions an account can make within a minute."`
	Enable        enableFeatures  `cmd:"" help:"Enable features of an account: ${features}."`
	Disable       disableFeatures `cmd:"" help:"Disable features of an account; a child account no longer follows its parent in them."`
	Inherit       inheritFeatures `cmd:"" help:"Let features of a child account follow its parent again."`
	ResetPassword resetPassword   `cmd:"" help:"End a user's password and sessions, and print a link to choose another password."`
	ResetFactor   resetFactor     `cmd:"" help:"Remove a user's second factor, and end the user's sessions."`
	Transfer      transfer        `cmd:"" help:"Make one user the only owner of an account, and print a link if the user is new."`
}

func (customerCommands) uses() string { return operatorUses }

type addCustomer struct {
	Name  string `arg:"" help:"Name that applicants see."`
	Staff string `required:"" help:"Email of the first user of its dashboard." placeholder:"EMAIL"`

	Portal string `env:"-" placeholder:"URL" help:"Public base URL of its portal: register the addresses of webhooks and redirects."`
	Format string `env:"-" default:"json" enum:"json,env" help:"json, or env: the portal's variables; the link goes to stderr."`
}

// Run adds a customer with every product, and prints its credentials and a link for its first
// user: only their hashes are stored, so they cannot be read again. The provider may be running.
func (n addCustomer) Run(ctx context.Context, in *invocation) error {
	if !prefill.IsEmail(n.Staff) {
		return refusal{errors.New("--staff: must be an email address")}
	}
	return in.withProvider(ctx, func(p *provider.Provider) error {
		c := provider.NewCustomer{Name: n.Name, Staff: n.Staff, Portal: strings.TrimRight(n.Portal, "/")}.NewSecrets()
		made := struct {
			generatedCustomer
			Dashboard userLink `json:"dashboard"`
		}{generatedCustomer{account{c.PublicID, c.ClientID, c.SecretKey}, c.Products, ""}, userLink{Email: n.Staff}}
		if n.Portal != "" {
			made.WebhookSecret = c.WebhookSecret
		}
		var err error
		made.Dashboard.Link, err = p.AddCustomer(ctx, c)
		if errors.Is(err, operator.ErrKnown) {
			return errors.New("--staff: another user has this email address")
		}
		if errors.Is(err, provider.ErrPortal) {
			return fmt.Errorf("--portal: %w", err)
		}
		if err != nil {
			return err
		}
		if n.Format == "json" {
			return printJSON(in.stdout, made, nil)
		}
		fmt.Fprintf(in.stderr, "vestibule: its first user chooses a password at %s\n", made.Dashboard.Link)
		urls := []variable{{"ENVIRONMENT", string(in.config.Process.Environment)}, {"PORTAL_URL", c.Portal},
			{"PROVIDER_URL", in.config.addressOf(in.config.Listen.ProviderURL, in.config.Listen.ProviderAddr)}}
		for _, v := range append(urls, made.variables()...) {
			if v.value != "" {
				fmt.Fprintf(in.stdout, "VESTIBULE_%s=%s\n", v.name, v.value)
			}
		}
		return nil
	})
}

// userLink is a link by which a user chooses a password.
type userLink struct {
	Email string `json:"email"`
	Link  string `json:"link,omitempty"`
}

// onAccount is the argument of commands on an account.
type onAccount struct {
	Account string `arg:"" help:"publicId or name of the account."`
}

// change changes the account and prints it. A running provider applies the change at once.
func (o onAccount) change(ctx context.Context, in *invocation,
	do func(context.Context, *store.Tx, *operator.Service, accounts.Account) (entry, error)) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		var publicID string
		err := p.ChangeAccount(ctx, o.Account, func(ctx context.Context, tx *store.Tx, a accounts.Account) (entry, error) {
			publicID = a.PublicID
			return do(ctx, tx, p.Operator(), a)
		})
		if err != nil && !errors.Is(err, operator.ErrUnchanged) {
			return err
		}
		all, err := p.Operator().Accounts(ctx, publicID)
		if err != nil {
			return err
		}
		return printJSON(in.stdout, all[0], nil)
	})
}

// accountFeatures are the arguments of commands that change features of an account.
type accountFeatures struct {
	onAccount
	Features []string `arg:"" help:"One or several features." enum:"${feature}" name:"feature"`
}

func (f accountFeatures) set(ctx context.Context, in *invocation, to operator.Setting) error {
	return f.change(ctx, in, func(ctx context.Context, tx *store.Tx, s *operator.Service, a accounts.Account) (entry, error) {
		features := map[accounts.Entitlement]operator.Setting{}
		for _, name := range f.Features {
			features[accounts.Entitlement(name)] = to
		}
		return s.SetFeatures(ctx, tx, a, features)
	})
}

type (
	enableFeatures  struct{ accountFeatures }
	disableFeatures struct{ accountFeatures }
	inheritFeatures struct{ accountFeatures }
	suspendCustomer struct{ onAccount }
	resumeCustomer  struct{ onAccount }
	limitCustomer   struct {
		onAccount
		PerMinute int `arg:"" help:"Submissions within a minute."`
	}
	renameCustomer struct {
		onAccount
		Name        string `arg:"" help:"New name."`
		DisplayName string `env:"-" placeholder:"NAME" help:"Name that applicants see instead. Default: the name."`
	}
)

// Run enables features of an account.
func (f enableFeatures) Run(ctx context.Context, in *invocation) error {
	return f.set(ctx, in, operator.On)
}

// Run disables features of an account.
func (f disableFeatures) Run(ctx context.Context, in *invocation) error {
	return f.set(ctx, in, operator.Off)
}

// Run lets features of a child account follow its parent.
func (f inheritFeatures) Run(ctx context.Context, in *invocation) error {
	return f.set(ctx, in, operator.Inherit)
}

// Run suspends an account.
func (c suspendCustomer) Run(ctx context.Context, in *invocation) error {
	return c.change(ctx, in, func(ctx context.Context, tx *store.Tx, s *operator.Service, a accounts.Account) (entry, error) {
		return s.Suspend(ctx, tx, a, true)
	})
}

// Run resumes an account.
func (c resumeCustomer) Run(ctx context.Context, in *invocation) error {
	return c.change(ctx, in, func(ctx context.Context, tx *store.Tx, s *operator.Service, a accounts.Account) (entry, error) {
		return s.Suspend(ctx, tx, a, false)
	})
}

// Run sets the limit of submissions.
func (c limitCustomer) Run(ctx context.Context, in *invocation) error {
	return c.change(ctx, in, func(ctx context.Context, tx *store.Tx, s *operator.Service, a accounts.Account) (entry, error) {
		return s.SetLimit(ctx, tx, a, c.PerMinute)
	})
}

// Run changes the names of an account.
func (c renameCustomer) Run(ctx context.Context, in *invocation) error {
	return c.change(ctx, in, func(ctx context.Context, tx *store.Tx, s *operator.Service, a accounts.Account) (entry, error) {
		return s.Rename(ctx, tx, a, accounts.Names{Name: c.Name, DisplayName: c.DisplayName})
	})
}

// entry describes a change for the audit trail.
type entry = users.Entry

// onUser are the arguments of commands on a user of an account.
type onUser struct {
	onAccount
	Email string `arg:"" help:"Email of the user."`
}

// changeUser changes a user and prints the address with a link, if there is one.
func (o onUser) changeUser(ctx context.Context, in *invocation,
	do accountChange[string]) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		link, err := changed(ctx, p, o.Account, do)
		if errors.Is(err, store.ErrNotFound) {
			return provider.Unknown("the account has no user with this email address")
		}
		return printJSON(in.stdout, userLink{o.Email, link}, err)
	})
}

type (
	resetPassword struct{ onUser }
	resetFactor   struct{ onUser }
	transfer      struct{ onUser }
)

// Run resets a user's password.
func (c resetPassword) Run(ctx context.Context, in *invocation) error {
	return c.changeUser(ctx, in, func(ctx context.Context, tx *store.Tx, s *operator.Service, a accounts.Account) (string, entry, error) {
		return s.ResetPassword(ctx, tx, a, c.Email, i18n.English)
	})
}

// Run removes a user's second factor.
func (c resetFactor) Run(ctx context.Context, in *invocation) error {
	return c.changeUser(ctx, in, func(ctx context.Context, tx *store.Tx, s *operator.Service, a accounts.Account) (string, entry, error) {
		e, err := s.ResetFactor(ctx, tx, a, c.Email)
		return "", e, err
	})
}

// Run makes one user the only owner of an account.
func (c transfer) Run(ctx context.Context, in *invocation) error {
	return c.changeUser(ctx, in, func(ctx context.Context, tx *store.Tx, s *operator.Service, a accounts.Account) (string, entry, error) {
		return s.Transfer(ctx, tx, a, c.Email, i18n.English)
	})
}

type listCustomers struct{}

// Run lists accounts, a child below its parent.
func (c listCustomers) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		all, err := p.Operator().Accounts(ctx, "")
		if err != nil {
			return err
		}
		if in.json {
			return printJSON(in.stdout, all, nil)
		}
		return printTable(in.stdout, all, "publicId, status, name", func(a operator.Account) []string {
			status, name := "active", a.Name
			if a.Suspended {
				status = "suspended"
			}
			if a.Parent != "" {
				name = "  " + name
			}
			return []string{a.PublicID, status, name}
		})
	})
}

type showCustomers struct {
	Account string `arg:"" optional:"" help:"publicId or name of one account. Default: all."`
}

// Run prints accounts with what is enabled for them.
func (s showCustomers) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		publicID := ""
		if s.Account != "" {
			a, err := p.Account(ctx, p.Operator().DB.SQL, s.Account)
			if err != nil {
				return err
			}
			publicID = a.PublicID
		}
		all, err := p.Operator().Accounts(ctx, publicID)
		return printJSON(in.stdout, all, err)
	})
}

// printJSON prints the result of a command, or returns its error.
func printJSON(stdout io.Writer, v any, err error) error {
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s\n", raw)
	return err
}

// openExisting opens a party's database for a command, and names it on stderr. It refuses to create
// one unless the command line asks for it: a provider with PostgreSQL has none in --data-dir.
func (in *invocation) openExisting(ctx context.Context, party string) (*store.DB, error) {
	opened := in.config.Store.Of(party)
	_, err := store.PendingMigrations(ctx, opened)
	if errors.Is(err, store.ErrNotFound) {
		if !in.create {
			err = fmt.Errorf("the %s has no database at %s: give its --data-dir or --database-url", party, opened.Place())
			if name := strings.Fields(in.command.Command())[0]; name == "customer" || name == "operator" {
				err = fmt.Errorf("%w, or --create to make one", err)
			}
			return nil, err
		}
		err = prepareDir(opened.Dir)
	}
	if err != nil {
		return nil, err
	}
	of := party + "'s"
	if in.config.Both.SandboxSettings != "" {
		of += " " + string(in.config.Process.Environment)
	}
	fmt.Fprintf(in.stderr, "vestibule: the %s database is %s\n", of, opened.Place())
	if err := opened.LoadKeys(); err != nil {
		return nil, refusal{err}
	}
	return store.Open(ctx, opened)
}

// withProvider checks the configuration, and opens the provider's database for f. The
// provider may be running.
func (in *invocation) withProvider(ctx context.Context, f func(p *provider.Provider) error) (err error) {
	log, err := in.checked(parties{})
	if err != nil {
		return err
	}
	db, err := in.openExisting(ctx, store.Provider)
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
	at := provider.Config{DB: db, Log: log, Now: time.Now, URL: c.addressOf(c.Listen.ProviderURL, c.Listen.ProviderAddr),
		Environment: c.Process.Environment, Sandbox: sandboxOf(c), Assets: web.Provider(), WebhookNetworks: c.Process.WebhookNetworks}
	if c.Listen.OperatorAddr != "" || c.Listen.OperatorURL != "" {
		at.OperatorURL = c.addressOf(c.Listen.OperatorURL, c.Listen.OperatorAddr)
	}
	at.Examine = c.examiner(at.URL)
	return provider.New(ctx, at)
}
