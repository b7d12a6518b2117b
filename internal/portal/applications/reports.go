package applications

import (
	"context"
	"errors"
	"strings"

	"vestibule/internal/compress"
	"vestibule/internal/store"
)

// StoredReportOf returns the stored report of an attempt (0: the newest) in a revision (below zero: the newest), or ErrNoReport.
func (s *Service) StoredReportOf(ctx context.Context, q store.Queryer, id string, attempt, revision int) (StoredReport, error) {
	r, err := reportOf(ctx, q, noContents, id, attempt, revision)
	return r.StoredReport, err
}

// Report returns the JSON of a report exactly as it was fetched. It selects the report like StoredReportOf.
func (s *Service) Report(ctx context.Context, q store.Queryer, id string, attempt, revision int) ([]byte, error) {
	_, raw, err := s.read(ctx, q, withReport, id, attempt, revision)
	return raw, err
}

// NewestReport returns the newest report of an application with its JSON, or ErrNoReport.
func (s *Service) NewestReport(ctx context.Context, q store.Queryer, id string) (StoredReport, []byte, error) {
	r, raw, err := s.read(ctx, q, withReport, id, 0, -1)
	return r.StoredReport, raw, err
}

// Analysis returns the analysis behind a report as it was fetched, or nil if none exists. It selects the report like
// StoredReportOf. pending reports whether the analysis is still being fetched.
func (s *Service) Analysis(ctx context.Context, id string, attempt, revision int) (raw []byte, pending bool, err error) {
	r, raw, err := s.read(ctx, s.DB.SQL, withAnalysis, id, attempt, revision)
	if errors.Is(err, ErrNoReport) {
		return nil, attempt == 0, nil
	}
	return raw, err == nil && raw == nil && !r.settled && r.newest, err
}

// Transactions returns the transactions of an analysis in JSON, or nil if the analysis has none or has them itself. It
// selects the report like StoredReportOf.
func (s *Service) Transactions(ctx context.Context, id string, attempt, revision int) ([]byte, error) {
	_, raw, err := s.read(ctx, s.DB.SQL, withTransactions, id, attempt, revision)
	return raw, err
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

// read returns a report with one of its columns decrypted and unpacked.
func (s *Service) read(ctx context.Context, q store.Queryer, c contents, id string, attempt, revision int) (reportRow, []byte, error) {
	r, err := reportOf(ctx, q, c, id, attempt, revision)
	if err != nil || r.sealed == nil {
		return r, nil, err
	}
	open, err := s.DB.Vault.Unwrap(q, r.dataKey, r.wrapped)
	if err != nil {
		return r, nil, err
	}
	packed, err := open.Open(r.cell(id, strings.TrimPrefix(string(c), "r.")), r.sealed)
	if err != nil {
		return r, nil, err
	}
	raw, err := compress.Unpack(packed)
	return r, raw, err
}
