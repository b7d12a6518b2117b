package provider

import (
	"context"
	"database/sql"
	"errors"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/submissions"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// submissionAccounts tells submissions about products.
type submissionAccounts struct{ customers *customers.Service }

func (s submissionAccounts) Kind(ctx context.Context, q store.Queryer, customerID, productID string) (contract.Product, error) {
	p, err := s.customers.Product(ctx, q, customerID, productID)
	return p.Kind, err
}

// submissionReports makes the reports of submissions.
type submissionReports struct {
	reports  *reports.Service
	prepared func(ctx context.Context, q store.Queryer, customerID, sandboxReportID string, in *reports.Input) error
}

func (s submissionReports) Prepare(n submissions.New) (func(context.Context, *sql.Tx) error, error) {
	in := reports.Input{Consumer: &n.Person, Source: report.CustomerInput, Profile: n.Profile, Data: n.Data, At: n.At,
		Given: reports.Given{DOB: n.DOB, State: n.State}.OrNil()}
	var packed reports.Packed
	if !n.Failed && n.SandboxReportID == "" {
		var err error
		if packed, err = reports.Pack(in); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, tx *sql.Tx) error {
		_, err := s.reports.Create(ctx, tx, reports.New{PublicToken: n.PublicToken, CustomerID: n.CustomerID, ProductID: n.ProductID,
			Kind: contract.Cashflow, ExternalID: n.ExternalID, UserArgs: n.UserArgs})
		switch {
		case errors.Is(err, reports.ErrDuplicateExternalID):
			return submissions.ErrDuplicateExternalID
		case err != nil:
			return err
		case n.Failed:
			_, err = s.reports.SetStatus(ctx, tx, n.PublicToken, contract.StatusError, n.Substatus)
			return err
		case n.SandboxReportID != "":
			if err := s.prepared(ctx, tx, n.CustomerID, n.SandboxReportID, &in); err != nil {
				return err
			}
			return s.reports.Attach(ctx, tx, n.PublicToken, in)
		}
		return s.reports.AttachPacked(ctx, tx, n.PublicToken, packed, jobs.Behind()) // an applicant waits for theirs
	}, nil
}
