package app

import (
	"context"
	"errors"
	"fmt"

	"vestibule/internal/contract"
	"vestibule/internal/mail"
	"vestibule/internal/portal/resume"
	"vestibule/internal/store"
)

type emailsCommand struct{}

func (emailsCommand) uses() string { return databaseUses }

// Run prints the newest emails that a sandbox's portal without a mail server keeps, with the links
// that the review dashboard hides. The portal may be running.
func (emailsCommand) Run(ctx context.Context, in *invocation) (err error) {
	if _, err := in.checked(parties{}); err != nil {
		return err
	}
	if in.config.Process.Environment != contract.Sandbox {
		return refusal{errors.New("only a sandbox prints its emails")}
	}
	db, err := in.openExisting(ctx, store.Portal)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	all, err := (&resume.Handler{DB: db, Now: db.Now}).Emails(ctx, mail.Waiting, 10)
	for _, e := range all {
		fmt.Fprintf(in.stdout, "To: %s\nSubject: %s\n\n%s\n\n", e.To, e.Subject, e.Text)
	}
	return err
}
