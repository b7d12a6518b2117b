package testbench

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/sandbox"
	"vestibule/internal/provider/submissions"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
)

// sandboxed returns the account of a publicId in the sandbox environment; customers
// of production are unknown to the controls.
func sandboxed(ctx context.Context, q store.Queryer, c *customers.Service, publicID string) (auth.Caller, error) {
	a, err := c.Account(ctx, q, publicID)
	if err == nil && a.Environment != contract.Sandbox {
		err = store.ErrNotFound
	}
	return a, err
}

// walker walks visits for the sandbox control.
type walker struct{ visits *visits.Service }

func (w walker) Walk(ctx context.Context, token string, how sandbox.Walk) (sandbox.Walked, error) {
	done, err := w.visits.Walk(ctx, token, walkOf(how))
	return sandbox.Walked(done), err
}

// controlWebhooks sends events again for the sandbox control.
type controlWebhooks struct{ of provider.Services }

func (c controlWebhooks) Fire(ctx context.Context, publicToken string, how sandbox.Again) (int, error) {
	q, named, receiver := c.of.Reports.DB.SQL, publicToken, ""
	if share, err := c.of.Sharing.Get(ctx, q, publicToken); err == nil {
		named, receiver = share.PublicToken, share.ThirdPartyID
	} else if !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	r, err := c.of.Reports.Get(ctx, q, named)
	if err != nil {
		return 0, err
	}
	if receiver == "" {
		receiver = r.CustomerID
	}
	if a, err := c.of.Customers.ByID(ctx, q, receiver); err != nil || a.Environment != contract.Sandbox {
		return 0, errors.Join(err, store.ErrNotFound)
	}
	return c.of.Webhooks.Fire(ctx, publicToken, webhooks.Again(how), receiver, r.Status, r.Substatus)
}

func (c controlWebhooks) CheckURL(url string) error { return c.of.Webhooks.CheckURL(url) }

func (c controlWebhooks) SetCallback(ctx context.Context, tx *sql.Tx, publicID, url string, rotate bool) (string, error) {
	a, err := sandboxed(ctx, tx, c.of.Customers, publicID)
	if err != nil {
		return "", err
	}
	return c.of.Webhooks.SetCallback(ctx, tx, a.CustomerID, url, rotate)
}

// controlAccounts finds customers for the sandbox control.
type controlAccounts struct {
	customers *customers.Service
	first     string // publicId
}

func (c controlAccounts) CustomerID(ctx context.Context, q store.Queryer, publicID string) (string, error) {
	a, err := sandboxed(ctx, q, c.customers, publicID)
	return a.CustomerID, err
}

func (c controlAccounts) SetCompleteURL(ctx context.Context, tx *sql.Tx, customerID, url string) error {
	return c.customers.SetCompleteURL(ctx, tx, customerID, url)
}

func (c controlAccounts) First(ctx context.Context, q store.Queryer) (string, error) {
	return c.CustomerID(ctx, q, c.first)
}

// controlBanks is what the mock banks do of themselves, for the sandbox control.
type controlBanks struct{ accounts *bankaccounts.Service }

func (c controlBanks) Revoke(ctx context.Context, accountID string) error {
	err := c.accounts.Revoke(ctx, accountID)
	if errors.Is(err, bankaccounts.ErrNoToken) {
		err = sandbox.ErrNoToken
	}
	return err
}

// controlSubmissions reads what a prepared report is uploaded as.
type controlSubmissions struct{}

func (controlSubmissions) Read(body []byte, product contract.Product, now time.Time) (sandbox.Contents, []httpx.Detail) {
	in, details, err := submissions.Read(bytes.NewReader(body),
		submissions.Terms{Now: now, Upload: true, PersonOnly: product == contract.Passport, Seed: uuid.NewString()})
	if err != nil {
		return sandbox.Contents{}, details
	}
	c := sandbox.Contents{At: in.PullDate}
	if product != contract.Passport {
		c.Data = &in.Data
	}
	c.Born, c.State = in.Personal.Known(now)
	if p := in.Personal; p.FirstName != nil && p.LastName != nil {
		c.Consumer = &bankdata.Person{FirstName: *p.FirstName, LastName: *p.LastName}
		if p.Email != nil {
			c.Consumer.Emails = []string{*p.Email}
		}
	}
	return c, nil
}

// walkOf is how the sandbox control wants a visit walked.
func walkOf(how sandbox.Walk) visits.Walk {
	w := visits.Walk{Sources: shown(how.Sources), Supplier: how.Supplier, End: how.End}
	for _, b := range how.Banks {
		w.Banks = append(w.Banks, visits.At(b))
	}
	for _, e := range how.Employers {
		w.Employers = append(w.Employers, shown(e))
	}
	return w
}

func shown(of sandbox.Sources) (out visits.Sources) {
	if of.Payroll != nil {
		at := visits.At(*of.Payroll)
		out.Payroll = &at
	}
	for _, f := range of.PayStubs {
		out.Stubs = append(out.Stubs, visits.File(f))
	}
	for _, f := range of.Documents {
		out.Letters = append(out.Letters, visits.File(f))
	}
	out.Skip = of.Skip
	return out
}
