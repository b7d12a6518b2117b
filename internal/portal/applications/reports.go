package applications

import (
	"context"
	"errors"

	"vestibule/internal/store"
)

// StoredReportOf returns the stored report of an attempt (0: the newest) in a revision (below
// zero: the newest), or ErrNoReport.
func (s *Service) StoredReportOf(ctx context.Context, q store.Queryer, id string, attempt, revision int) (StoredReport, error) {
	_, r, err := s.reportOf(ctx, q, noContents, id, attempt, revision)
	return r.StoredReport, err
}

// Report returns the JSON of a report exactly as it was fetched. It selects the report like
// StoredReportOf.
func (s *Service) Report(ctx context.Context, q store.Queryer, id string, attempt, revision int) ([]byte, error) {
	a, r, err := s.reportOf(ctx, q, withReport, id, attempt, revision)
	if err != nil {
		return nil, err
	}
	return s.DB.Vault.Open(ctx, q, a.dataKey, r.cell(id, "report"), r.report)
}

// Analysis returns the analysis behind a report as it was fetched, or nil if none exists. It
// selects the report like StoredReportOf. pending reports whether the analysis is still being
// fetched.
func (s *Service) Analysis(ctx context.Context, id string, attempt, revision int) (raw []byte, pending bool, err error) {
	a, r, err := s.reportOf(ctx, s.DB.SQL, withAnalysis, id, attempt, revision)
	if errors.Is(err, ErrNoReport) {
		return nil, attempt == 0, nil
	}
	if err != nil || r.analysis == nil {
		return nil, err == nil && !r.settled && (attempt == 0 || attempt == a.Report.Attempt), err
	}
	raw, err = s.DB.Vault.Open(ctx, s.DB.SQL, a.dataKey, r.cell(id, "analysis"), r.analysis)
	return raw, false, err
}

func (s *Service) reportOf(ctx context.Context, q store.Queryer, c contents, id string, attempt, revision int) (
	a Application, r reportRow, err error) {
	if a, err = s.Get(ctx, q, id); err != nil {
		return a, r, err
	}
	if attempt == 0 {
		attempt = a.Report.Attempt
	}
	if r, err = reportOf(ctx, q, c, id, attempt, revision); errors.Is(err, store.ErrNotFound) {
		err = ErrNoReport
	}
	return a, r, err
}

// seal encrypts a report for its row, and for replicas of the previous version.
func (s *Service) seal(ctx context.Context, tx *store.Tx, a Application, r *reportRow, raw []byte) (previous []byte, err error) {
	r.sealedIn = reportTable
	if r.report, err = s.DB.Vault.Seal(ctx, tx, a.dataKey, r.cell(a.ID, "report"), raw); err != nil {
		return nil, err
	}
	return s.DB.Vault.Seal(ctx, tx, a.dataKey, reportRow{sealedIn: "applications"}.cell(a.ID, "report"), raw)
}
