package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"vestibule/internal/prefill"
	"vestibule/internal/provider"
	"vestibule/internal/provider/operator"
	users "vestibule/internal/staff"
	"vestibule/internal/store"
)

// operatorCommands are the commands of the people who run the provider.
type operatorCommands struct {
	Create bool `env:"-" help:"Create the provider's database if it does not exist."`

	Add        addOperator    `cmd:"" help:"Add an operator, or let one choose another password and second factor; prints a link that works once."`
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
	listOperators  struct {
		JSON bool `name:"json" env:"-" help:"Print JSON."`
	}
	operatorHealth struct {
		JSON bool `name:"json" env:"-" help:"Print JSON."`
	}
	backupDone struct {
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
		if err != nil {
			return err
		}
		return printJSON(in.stdout, out)
	})
}

// Run removes an operator.
func (c removeOperator) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		err := p.Operator().AsCommand(ctx, func(ctx context.Context, tx *store.Tx) (users.Entry, error) {
			return p.Operator().RemoveOperator(ctx, tx, c.Email)
		})
		if errors.Is(err, store.ErrNotFound) {
			return errors.New("no operator has this email address: `vestibule operator list` lists all")
		}
		return err
	})
}

// listedOperator is an operator as the command list prints it.
type listedOperator struct {
	Email        string     `json:"email"`
	Added        time.Time  `json:"added"`
	SignedIn     *time.Time `json:"signedIn"` // the last time; null for never
	SecondFactor bool       `json:"secondFactor"`
}

// Run lists the operators.
func (c listOperators) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		all, err := p.Operator().Staff.Users(ctx, p.Operator().DB.SQL, users.OperatorAccount)
		if err != nil {
			return err
		}
		out := []listedOperator{}
		for _, u := range all {
			o := listedOperator{Email: u.Email, Added: u.Created, SecondFactor: u.HasFactor}
			if !u.SignedIn.IsZero() {
				o.SignedIn = &u.SignedIn
			}
			out = append(out, o)
		}
		if c.JSON {
			return printJSON(in.stdout, out)
		}
		w := tabwriter.NewWriter(in.stdout, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "email\tlast sign-in")
		for _, o := range out {
			last := "never"
			if o.SignedIn != nil {
				last = o.SignedIn.UTC().Format(time.RFC3339)
			}
			fmt.Fprintf(w, "%s\t%s\n", o.Email, last)
		}
		return w.Flush()
	})
}

// Run prints the health of the provider, and returns errUnhealthy if something needs attention.
func (c operatorHealth) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		h, err := p.Operator().Health(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			err = printJSON(in.stdout, h)
		} else {
			err = printHealth(in, h)
		}
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

// printHealth prints a line for each finding, as the command doctor does.
func printHealth(in *invocation, h operator.Health) error {
	level := func(good bool) string {
		if good {
			return "ok"
		}
		return "warn"
	}
	w := tabwriter.NewWriter(in.stdout, 0, 4, 2, ' ', 0)
	line := func(good bool, subject, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", level(good), subject, fmt.Sprintf(format, args...))
	}
	for _, c := range h.Sources {
		line(c.OK && !c.Warning, c.Source, "%s: %s", c.Name, c.Detail)
	}
	for _, q := range h.Queues {
		line(true, "queue "+q.Queue, "%d jobs, the oldest due for %ds", q.Jobs, q.Oldest)
	}
	for _, kind := range slices.Sorted(maps.Keys(h.FailedJobs)) {
		line(false, "failed jobs", "%s: %d", kind, h.FailedJobs[kind])
	}
	line(h.Mail.GivenUp == 0, "email", "%d waiting, %d not delivered", h.Mail.Waiting, h.Mail.GivenUp)
	if h.Backup == nil {
		line(false, "backup", "none is known: end your backup script with `vestibule operator backup-done PLACE`")
	} else {
		line(h.Backed(), "backup", "%s at %s", h.Backup.Place, h.Backup.Ended.UTC().Format(time.RFC3339))
	}
	line(h.Tax.Current, "tax tables", "known up to %d", h.Tax.LastYear)
	return w.Flush()
}
