// Package submissions takes a customer's own banking data and has a cashflow
// report made of it (document 1, "Submission request body" and endpoint 2). The
// body is read as it streams in, and each value is held to its row of the table
// as it passes.
//
// A body that breaks the table is refused, every bad field named by its path, and
// nothing of it is stored. Personal data that break the PII rule do not refuse
// it: the report ends in ERROR with the substatus of the rule. Whatever is
// answered 200 is durable before. Of one account, 30 submissions are accepted in
// any minute, counted in the database and so over all replicas; what was refused
// does not count.
package submissions

import (
	"context"
	"log/slog"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
)

// MaxBody bounds a body: about 100,000 transactions.
const MaxBody = 20 << 20

// Service serves submissions. All fields but Sandbox must be set.
type Service struct {
	DB        *store.DB
	Log       *slog.Logger
	Now       func() time.Time // the provider's clock
	Gate      *auth.Authenticator
	Customers *customers.Service
	Reports   *reports.Service
	Sandbox   Sandbox // nil in production
}

// Sandbox is what the sandbox serves in place of the submitted data.
type Sandbox interface {
	// Profile is the test profile of a first name, spelled exactly; empty for none.
	Profile(firstName string) string
	// Prepared is the kind of a prepared report, if it is the customer's and the
	// customer is entitled to prepared reports; else store.ErrNotFound.
	Prepared(ctx context.Context, q store.Queryer, customerID, sandboxReportID string) (contract.Product, error)
	// Fill puts what a prepared report is made from into an input.
	Fill(ctx context.Context, q store.Queryer, customerID, sandboxReportID string, in *reports.Input) error
}

// source is what the report of a submission is made from.
type source struct {
	in       reports.Input
	prepared string // or a prepared report, by its sandboxReportId

	// failed ends the report in ERROR with the substatus; the rest is not used then.
	failed    bool
	substatus contract.Substatus
}

// prepare packs the input, which takes long, before a transaction. What it returns
// begins the report in one, and may be called several times there.
func (s *Service) prepare(n reports.New, of source) (begin func(ctx context.Context, tx *store.Tx) error, err error) {
	var packed reports.Packed
	if !of.failed && of.prepared == "" {
		if packed, err = reports.Pack(of.in); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, tx *store.Tx) error {
		if _, err := s.Reports.Create(ctx, tx, n); err != nil {
			return err
		}
		switch {
		case of.failed:
			_, err := s.Reports.SetStatus(ctx, tx, n.PublicToken, contract.StatusError, of.substatus)
			return err
		case of.prepared != "":
			in := of.in
			if err := s.Sandbox.Fill(ctx, tx, n.CustomerID, of.prepared, &in); err != nil {
				return err
			}
			return s.Reports.Attach(ctx, tx, n.PublicToken, in)
		}
		return s.Reports.AttachPacked(ctx, tx, n.PublicToken, packed, jobs.LowPriority()) // an applicant waits for theirs
	}, nil
}
