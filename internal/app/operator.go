package app

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/prefill"
	"vestibule/internal/provider"
	users "vestibule/internal/staff"
	"vestibule/internal/store"
)

// operatorCommands are the commands of the people who run the provider. They print JSON.
type operatorCommands struct {
	JSON   bool `name:"json" env:"-" help:"Print JSON, as these commands always do."`
	Create bool `env:"-" help:"Create the provider's database if it does not exist."`

	Add        addOperator    `cmd:"" help:"Add an operator, or let one choose another password and factor; prints a link that works once."`
	List       listOperators  `cmd:"" help:"List the operators."`
	Remove     removeOperator `cmd:"" help:"Remove an operator and end the operator's sessions."`
	Health     operatorHealth `cmd:"" help:"Print what waits, what failed, and what needs attention; exit code 1 if something does."`
	BackupDone backupDone     `cmd:"" help:"Record that a backup has finished, for the health page."`
}

func (operatorCommands) uses() string { return operatorUses + " data" }

// operatorEmail is the argument of commands on an operator.
type operatorEmail struct {
	Email string `arg:"" help:"Email of the operator."`
}

type (
	addOperator    struct{ operatorEmail }
	removeOperator struct{ operatorEmail }
	listOperators  struct{}
	operatorHealth struct{}
	backupDone     struct {
		Place string `arg:"" help:"Where the backup is, in your words; the health page shows it."`
	}
)

// Run adds an operator. The provider may be running, and serves the operator's pages from then on.
func (c addOperator) Run(ctx context.Context, in *invocation) error {
	if !prefill.IsEmail(c.Email) {
		return refusal{errors.New("the operator needs an email address")}
	}
	return in.withProvider(ctx, func(p *provider.Provider) error {
		out := userLink{Email: c.Email}
		err := p.Operator().AsCommand(ctx, func(ctx context.Context, tx *store.Tx) (e users.Entry, err error) {
			out.Link, e, err = p.Operator().AddOperator(ctx, tx, c.Email)
			return e, err
		})
		return printJSON(in.stdout, out, err)
	})
}

// Run removes an operator.
func (c removeOperator) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		err := p.Operator().AsCommand(ctx, func(ctx context.Context, tx *store.Tx) (users.Entry, error) {
			return p.Operator().RemoveOperator(ctx, tx, c.Email)
		})
		if errors.Is(err, store.ErrNotFound) {
			return provider.Unknown("no operator has this email address: `vestibule operator list` lists all")
		}
		return err
	})
}

// listedOperator is an operator as the command list prints it.
type listedOperator struct {
	Email        string    `json:"email"`
	Added        time.Time `json:"added"`
	SignedIn     time.Time `json:"signedIn,omitzero"` // the last time
	SecondFactor bool      `json:"secondFactor"`
}

// Run lists the operators.
func (c listOperators) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		all, err := p.Operator().Staff.Users(ctx, p.Operator().DB.SQL, users.OperatorAccount)
		out := []listedOperator{}
		for _, u := range all {
			out = append(out, listedOperator{u.Email, u.Created, u.SignedIn, u.HasFactor})
		}
		return printJSON(in.stdout, out, err)
	})
}

// Run prints the health of the provider, and returns errUnhealthy if something needs attention.
func (c operatorHealth) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		h, err := p.Operator().Health(ctx)
		err = printJSON(in.stdout, h, err)
		if err == nil && !h.Healthy() {
			err = errUnhealthy
		}
		return err
	})
}

// Run records a backup.
func (c backupDone) Run(ctx context.Context, in *invocation) error {
	if n := len(c.Place); n == 0 || n > 200 {
		return refusal{errors.New("PLACE: must be 1 to 200 bytes")}
	}
	return in.withProvider(ctx, func(p *provider.Provider) error {
		return p.Operator().AsCommand(ctx, func(ctx context.Context, tx *store.Tx) (users.Entry, error) {
			return users.Entry{Action: "backup recorded", Object: c.Place}, p.Operator().RecordBackup(ctx, tx, c.Place)
		})
	})
}
