package applications

import (
	"context"
	"errors"

	"vestibule/internal/report"
	"vestibule/internal/store"
)

// StoredReportOf returns the stored report of an attempt (0: the newest) in a revision (below
// zero: the newest), or ErrNoReport.
func (s *Service) StoredReportOf(ctx context.Context, q store.Queryer, id string, attempt, revision int) (StoredReport, error) {
	r, err := reportOf(ctx, q, noContents, id, attempt, revision)
	return r.StoredReport, err
}

// Report returns the JSON of a report exactly as it was fetched. It selects the report like
// StoredReportOf.
func (s *Service) Report(ctx context.Context, q store.Queryer, id string, attempt, revision int) ([]byte, error) {
	r, err := reportOf(ctx, q, withReport, id, attempt, revision)
	if err != nil {
		return nil, err
	}
	return s.open(r, id, "report", r.report)
}

// NewestReport returns an application's newest report with its JSON, or ErrNoReport. In the transaction that stores
// the report it needs no query.
func (s *Service) NewestReport(ctx context.Context, q store.Queryer, a Application) (StoredReport, []byte, error) {
	if a.raw != nil {
		return a.Report, a.raw, nil
	}
	r, err := reportOf(ctx, q, withReport, a.ID, 0, -1)
	if err != nil {
		return StoredReport{}, nil, err
	}
	raw, err := s.open(r, a.ID, "report", r.report)
	return r.StoredReport, raw, err
}

// Analysis returns the analysis behind a report as it was fetched, or nil if none exists. It
// selects the report like StoredReportOf. pending reports whether the analysis is still being
// fetched.
func (s *Service) Analysis(ctx context.Context, id string, attempt, revision int) (raw []byte, pending bool, err error) {
	r, err := reportOf(ctx, s.DB.SQL, withAnalysis, id, attempt, revision)
	if errors.Is(err, ErrNoReport) {
		return nil, attempt == 0, nil
	}
	if err != nil || r.analysis == nil {
		return nil, err == nil && !r.settled && r.newest, err
	}
	raw, err = s.open(r, id, "analysis", r.analysis)
	return raw, false, err
}

// Transactions returns the transactions of an analysis in JSON, or nil if the analysis has none or has them itself. It
// selects the report like StoredReportOf.
func (s *Service) Transactions(ctx context.Context, id string, attempt, revision int) ([]byte, error) {
	r, err := reportOf(ctx, s.DB.SQL, withTransactions, id, attempt, revision)
	if err != nil || r.transactions == nil {
		return nil, err
	}
	packed, err := s.open(r, id, "transactions", r.transactions)
	if err != nil {
		return nil, err
	}
	return report.Unpack(packed)
}

// sealAnalysis encrypts an analysis for its row, unless it is empty.
func (s *Service) sealAnalysis(ctx context.Context, tx *store.Tx, a Application, r *reportRow, got analysis) (err error) {
	if got.figures == nil {
		return nil
	}
	if r.analysis, err = s.DB.Vault.Seal(ctx, tx, a.dataKey, r.cell(a.ID, "analysis"), got.figures); err != nil || got.transactions == nil {
		return err
	}
	r.transactions, err = s.DB.Vault.Seal(ctx, tx, a.dataKey, r.cell(a.ID, "transactions"), got.transactions)
	return err
}

// open decrypts a column of a report.
func (s *Service) open(r reportRow, id, column string, sealed []byte) ([]byte, error) {
	open, err := s.DB.Vault.Unwrap(r.dataKey, r.wrapped)
	if err != nil {
		return nil, err
	}
	return open.Open(r.cell(id, column), sealed)
}
