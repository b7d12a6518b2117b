// Package submissions accepts a customer's own banking data and creates a cashflow
// report from them (API reference: Submissions). It validates the body while it
// streams in.
//
// A body that violates a rule is rejected with the paths of the invalid fields, and is
// not stored. Invalid personal data does not reject the body: the report ends in ERROR
// with the substatus of the rule. A submission is stored before the 200 response. An
// account can make a limited number of submissions per minute, counted in the database for all replicas;
// rejected ones do not count.
package submissions

import (
	"context"
	"log/slog"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
)

// MaxBody is the maximum size in bytes of a body, about 100,000 transactions.
const MaxBody = 20 << 20

// Service serves submissions. All fields but Sandbox must be set.
type Service struct {
	DB        *store.DB
	Log       *slog.Logger
	Now       func() time.Time // the provider's clock
	Auth      *auth.Authenticator
	Customers *customers.Service
	Reports   *reports.Service
	Mailboxes *mail.Mailboxes // hashes the addresses by which a person's file is found
	Sandbox   Sandbox         // nil in production
}

// Sandbox provides data in place of the submitted data.
type Sandbox interface {
	// Profile returns the test profile of a first name, case-sensitive, or "".
	Profile(firstName string) string
	// Lookup returns the kind of a prepared report of the customer. Without the report,
	// or without the entitlement to prepared reports, it returns store.ErrNotFound.
	Lookup(ctx context.Context, q store.Queryer, customerID, sandboxReportID string) (contract.Product, error)
	// Fill adds the data of a prepared report to an input.
	Fill(ctx context.Context, q store.Queryer, customerID, sandboxReportID string, in *reports.Input) error
}

// reportSource is the data that the report of a submission is generated from.
type reportSource struct {
	in       reports.Input
	prepared string // sandboxReportId of a prepared report to use instead; empty: none

	// failed ends the report in ERROR with the substatus; the other fields are then
	// unused.
	failed    bool
	substatus contract.Substatus
}

// prepare packs the input before a transaction, because that is slow. The returned
// function begins the report in a transaction, which may be repeated.
func (s *Service) prepare(n reports.New, of reportSource) (begin func(ctx context.Context, tx *store.Tx) error, err error) {
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
		return s.Reports.AttachPacked(ctx, tx, n.PublicToken, packed, jobs.LowPriority()) // no applicant waits for the report
	}, nil
}
