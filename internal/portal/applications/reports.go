package applications

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/journey"
	"vestibule/internal/store"
)

// Answered reports whether the applicant gave what a reviewer asked for: the report
// of an attempt started after the decision has arrived.
func (d Decision) Answered() bool { return !d.AnsweredAt.IsZero() }

// AnsweredAt returns, by application ID, when the applicant last answered a request
// for more. It omits applications without an answer.
func (s *Service) AnsweredAt(ctx context.Context, ids []string) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	if len(ids) == 0 {
		return out, nil
	}
	found, err := several(ctx, s.DB.SQL, ids)
	for _, a := range found {
		if a.Decision.Answered() {
			out[a.ID] = a.Decision.AnsweredAt
		}
	}
	return out, err
}

// MoreAsked reports whether a reviewer's request for more is unanswered.
func (a Application) MoreAsked() bool {
	return a.Decision.Kind == journey.MoreAsked && !a.Decision.Answered()
}

// final reports whether the state changes no more without action by the applicant.
func (a Application) final() bool {
	s := a.Journey.State
	return s == journey.Ready && !a.MoreAsked() || s == journey.Failed || s == journey.Expired
}

// Reports lists the stored reports of an application, newest first.
func (s *Service) Reports(ctx context.Context, id string) ([]Held, error) {
	a, err := get(ctx, s.DB.SQL, id)
	if err != nil {
		return nil, err
	}
	out, err := earlierReports(ctx, s.DB.SQL, id)
	if a.fetched {
		out = append([]Held{a.Report}, out...)
	}
	return out, err
}

// Report returns the JSON of the newest report exactly as it was fetched, or
// ErrNoReport.
func (s *Service) Report(ctx context.Context, id string) ([]byte, error) {
	return s.ReportOf(ctx, id, 0)
}

// ReportOf returns the report of one attempt as Report does; 0 selects the newest.
func (s *Service) ReportOf(ctx context.Context, id string, number int) ([]byte, error) {
	a, err := get(ctx, s.DB.SQL, id)
	if err != nil {
		return nil, err
	}
	if number == 0 {
		number = a.Report.Attempt
	}
	if a.fetched && number == a.Report.Attempt {
		_, sealed, err := sealedReport(ctx, s.DB.SQL, id)
		if err != nil {
			return nil, err
		}
		if sealed != nil { // nil if it was set aside concurrently
			return s.DB.Vault.Open(ctx, s.DB.SQL, a.dataKey, reportCell(id), sealed)
		}
	}
	e, err := earlierReport(ctx, s.DB.SQL, id, number)
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrNoReport
	}
	if err != nil {
		return nil, err
	}
	return s.DB.Vault.Open(ctx, s.DB.SQL, a.dataKey, earlierCell(id, number, "report"), e.report)
}

// Analysis returns the analysis behind the report of an attempt (0: the newest) as it
// was fetched, or nil if there is none. pending reports whether it is still being
// fetched.
func (s *Service) Analysis(ctx context.Context, id string, number int) (raw []byte, pending bool, err error) {
	a, err := get(ctx, s.DB.SQL, id)
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
	e, err := earlierReport(ctx, s.DB.SQL, id, number)
	if err != nil || e.analysis == nil {
		return nil, false, err
	}
	raw, err = s.DB.Vault.Open(ctx, s.DB.SQL, a.dataKey, earlierCell(id, number, "analysis"), e.analysis)
	return raw, false, err
}

// setAside moves the application's report to the earlier ones, so that the next
// attempt's report can take its place. The application must be locked.
func (s *Service) setAside(ctx context.Context, tx *store.Tx, a Application) error {
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
	e := earlier{Held: a.Report}
	if e.report, err = move(reportCell(a.ID), earlierCell(a.ID, e.Attempt, "report"), sealed); err != nil {
		return err
	}
	if e.analysis, err = move(analysisCell(a.ID), earlierCell(a.ID, e.Attempt, "analysis"), analysis); err != nil {
		return err
	}
	return insertEarlier(ctx, tx, a.ID, e)
}
