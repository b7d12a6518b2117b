package applications

import (
	"context"
	"errors"

	"vestibule/internal/store"
)

// Reports lists the stored reports of an application, newest first.
func (s *Service) Reports(ctx context.Context, id string) ([]StoredReport, error) {
	a, err := s.Get(ctx, s.DB.SQL, id)
	if err != nil {
		return nil, err
	}
	out, err := archivedReports(ctx, s.DB.SQL, id)
	if a.fetched {
		out = append([]StoredReport{a.Report}, out...)
	}
	return out, err
}

// Report returns the JSON of the report of an attempt (0: the newest) exactly as it was
// fetched, or ErrNoReport.
func (s *Service) Report(ctx context.Context, q store.Queryer, id string, number int) ([]byte, error) {
	a, err := s.Get(ctx, q, id)
	if err != nil {
		return nil, err
	}
	if number == 0 {
		number = a.Report.Attempt
	}
	if a.fetched && number == a.Report.Attempt {
		_, sealed, err := sealedReport(ctx, q, id)
		if err != nil {
			return nil, err
		}
		if sealed != nil { // nil if it was set aside concurrently
			return s.DB.Vault.Open(ctx, q, a.dataKey, reportCell(id), sealed)
		}
	}
	e, err := archivedReportOf(ctx, q, id, number)
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrNoReport
	}
	if err != nil {
		return nil, err
	}
	return s.DB.Vault.Open(ctx, q, a.dataKey, archivedCell(id, number, "report"), e.report)
}

// Analysis returns the analysis behind the report of an attempt (0: the newest) as it
// was fetched, or nil if none exists. pending reports whether it is still being
// fetched.
func (s *Service) Analysis(ctx context.Context, id string, number int) (raw []byte, pending bool, err error) {
	a, err := s.Get(ctx, s.DB.SQL, id)
	if err != nil {
		return nil, false, err
	}
	if number == 0 {
		number = a.Report.Attempt
	}
	if !a.fetched && number == 0 {
		return nil, true, nil
	}
	if a.fetched && number == a.Report.Attempt {
		dataKey, sealed, settled, err := sealedAnalysis(ctx, s.DB.SQL, id)
		if err != nil || sealed == nil {
			return nil, !settled, err
		}
		raw, err = s.DB.Vault.Open(ctx, s.DB.SQL, dataKey, analysisCell(id), sealed)
		return raw, false, err
	}
	e, err := archivedReportOf(ctx, s.DB.SQL, id, number)
	if err != nil || e.analysis == nil {
		return nil, false, err
	}
	raw, err = s.DB.Vault.Open(ctx, s.DB.SQL, a.dataKey, archivedCell(id, number, "analysis"), e.analysis)
	return raw, false, err
}

// archiveReport moves the application's report to the earlier ones, so that the next
// attempt's report can take its place. The application must be locked.
func (s *Service) archiveReport(ctx context.Context, tx *store.Tx, a Application) error {
	_, sealed, err := sealedReport(ctx, tx, a.ID)
	if err != nil || sealed == nil {
		return err
	}
	_, analysis, _, err := sealedAnalysis(ctx, tx, a.ID)
	if err != nil {
		return err
	}
	move := func(from, to store.Cell, sealed []byte) ([]byte, error) {
		if sealed == nil {
			return nil, nil
		}
		plain, err := s.DB.Vault.Open(ctx, tx, a.dataKey, from, sealed)
		if err != nil {
			return nil, err
		}
		return s.DB.Vault.Seal(ctx, tx, a.dataKey, to, plain)
	}
	e := archivedReport{StoredReport: a.Report}
	if e.report, err = move(reportCell(a.ID), archivedCell(a.ID, e.Attempt, "report"), sealed); err != nil {
		return err
	}
	if e.analysis, err = move(analysisCell(a.ID), archivedCell(a.ID, e.Attempt, "analysis"), analysis); err != nil {
		return err
	}
	return insertArchivedReport(ctx, tx, a.ID, e)
}
