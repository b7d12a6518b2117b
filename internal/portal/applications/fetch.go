package applications

import (
	"cmp"
	"context"
	"errors"
	"time"

	"vestibule/internal/compress"
	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/webhook"
)

// enqueueAnalysis enqueues a job for the analysis of an application's newest report.
func (s *Service) enqueueAnalysis(ctx context.Context, tx *store.Tx, a Application, at time.Time) error {
	if a.Product != contract.Cashflow {
		return nil
	}
	return s.Queue.Enqueue(ctx, tx, FetchAnalysis{Application: a.ID}, jobs.UniqueKey(analysisKey(a.ID, a.Report)), jobs.At(at))
}

// fetchReport fetches the report and stores it once, with the analysis behind it: a lease keeps other
// processes from fetching at the same time, and the report is stored only if none exists. It leaves an
// analysis that does not arrive soon to a separate job.
func (s *Service) fetchReport(ctx context.Context, f FetchReport) error {
	a, err := s.Get(ctx, s.DB.SQL, f.Application)
	if err != nil {
		return cancelIfDeleted(err)
	}
	number := a.Journey.Succeeded
	if a.fetched || number == 0 {
		return nil
	}
	t, err := attempt(ctx, s.DB.SQL, a.ID, number)
	if err != nil {
		return cancelIfDeleted(err)
	}
	switch err := s.lease(ctx, a.ID, false); {
	case errors.Is(err, ErrFetching):
		return jobs.Snooze(max(a.fetchUntil.Sub(s.now()), time.Second))
	case err != nil:
		return err
	}
	got, err := s.ask(ctx, a, t)
	if err != nil {
		return s.retryFetch(ctx, a, err)
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		locked, err := s.Lock(ctx, tx, a.ID)
		if err != nil {
			return err
		}
		return s.keep(ctx, tx, locked, got)
	})
	s.Wake(a.ID)
	return err
}

// fetched is a report as the provider gave it, and the analysis behind it.
type fetched struct {
	application string // its ID
	attempt     Attempt
	raw         []byte
	meta        *report.Meta
	analysis    analysis
	settled     bool // the provider gave the analysis, or has none
}

// ask asks the provider for the report of an attempt and the analysis behind it.
func (s *Service) ask(ctx context.Context, a Application, t Attempt) (f fetched, err error) {
	if f.raw, f.meta, err = s.Provider.Report(ctx, a.Product, t.ref()); err != nil {
		return f, err
	}
	if t.PublicToken = f.meta.PublicToken; a.Product == contract.Cashflow {
		brief, cancel := context.WithTimeout(ctx, soon)
		defer cancel()
		f.analysis, f.settled, _ = s.askAnalysis(brief, a, t)
	}
	f.application, f.attempt = a.ID, t
	return f, nil
}

// keep stores the first report of the attempt that succeeded, and completes the journey. The application must be locked.
func (s *Service) keep(ctx context.Context, tx *store.Tx, locked Application, f fetched) error {
	number := f.attempt.Number
	if locked.fetched || locked.Journey.Succeeded != number { // another attempt was started meanwhile
		return nil
	}
	revision, _ := revisionOf(f.meta, -1)
	r := reportRow{StoredReport: storedReport(number, revision, tx.Now, f.meta), settled: f.settled}
	if err := s.store(ctx, tx, &locked, &r, f.raw, f.meta, f.analysis); err != nil {
		return err
	}
	if !f.settled {
		if err := s.enqueueAnalysis(ctx, tx, locked, tx.Now.Add(analysisPace[0].every)); err != nil {
			return err
		}
	}
	if err := name(ctx, tx, locked.ID, number, report.Text(f.meta.ConsumerID), f.meta.PublicToken); err != nil {
		return err
	}
	if locked.Decision.Kind == journey.MoreAsked && !f.attempt.CreatedAt.Before(locked.Decision.At) {
		locked.Decision.AnsweredAt = r.At
	}
	in := journey.Input{Kind: journey.Fetched, Attempt: number, PublicToken: f.meta.PublicToken, Status: contract.StatusSuccess}
	if f.meta.Substatus != nil {
		in.Substatus = *f.meta.Substatus
	}
	locked.Interim = false
	after, err := s.advance(ctx, tx, locked, in)
	if err == nil && after.unsaved != nil {
		err = save(ctx, tx, &after)
	}
	if err != nil {
		return err
	}
	return s.Queue.Remove(ctx, tx, Poll{}.Kind(), f.attempt.pollJob)
}

// While a webhook waits, its report is fetched for at most earlyTimeout, and at most maxEarly reports at once.
const (
	earlyTimeout = 2 * time.Second
	maxEarly     = 16
)

// askEarly asks for the report that a webhook announces, so that both are stored together. It returns nil if there is none to
// store yet, or if it does not arrive soon: then the webhook leaves it to a job.
func (s *Service) askEarly(ctx context.Context, e webhook.Event) *fetched {
	defer s.early.Add(-1)
	if s.early.Add(1) > maxEarly || !s.FetchEarly || e.Status != contract.StatusSuccess {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, earlyTimeout)
	defer cancel()
	id, t, err := findAttempt(ctx, s.DB.SQL, e.ExternalID, e.PublicToken)
	if err != nil {
		return nil
	}
	a, err := s.Get(ctx, s.DB.SQL, id)
	if err != nil || a.Journey.Attempt != t.Number || a.Journey.Succeeded != 0 || s.lease(ctx, id, false) != nil {
		return nil
	}
	t.PublicToken = cmp.Or(t.PublicToken, e.PublicToken)
	f, err := s.ask(ctx, a, t)
	if err != nil {
		s.Log.WarnContext(ctx, "report not fetched with its webhook", "application", id, "err", err.Error())
		_ = release(context.WithoutCancel(ctx), s.DB.SQL, id) // otherwise the lease ends by itself
		return nil
	}
	return &f
}

// lease takes the lease to fetch the report of an application, or a revision. It returns ErrFetching if another process has it.
func (s *Service) lease(ctx context.Context, id string, revision bool) error {
	now := s.now()
	mine, err := lease(ctx, s.DB.SQL, id, revision, now, now.Add(fetchLease))
	if err == nil && !mine {
		err = ErrFetching
	}
	return err
}

// store stores a fetched report with its analysis (zero: none yet), and makes it the application's newest if it belongs to the newest
// attempt with one. The application must be locked, and be saved after.
func (s *Service) store(ctx context.Context, tx *store.Tx, a *Application, r *reportRow, raw []byte, meta *report.Meta,
	behind analysis) (err error) {
	r.sealedIn = reportTable
	if r.report, err = s.DB.Vault.Seal(ctx, tx, a.dataKey, r.cell(a.ID, "report"), compress.Pack(raw)); err != nil {
		return err
	}
	if err := s.sealAnalysis(ctx, tx, *a, r, behind); err != nil {
		return err
	}
	if _, err := insertReport(ctx, tx, a.ID, *r, s.checkAt(r.StoredReport)); err != nil {
		return err
	}
	isFirst := !a.fetched && r.Attempt == a.Journey.Succeeded
	if !isFirst && r.Attempt != a.Report.Attempt {
		return release(ctx, tx, a.ID)
	}
	setReport(a, r.StoredReport, isFirst)
	a.Parsed = meta.Report
	return nil
}

// retryFetch releases the lease and reschedules the job. When the schedule ends it gives
// up, and the application ends without a report.
func (s *Service) retryFetch(ctx context.Context, a Application, why error) error {
	if err := release(context.WithoutCancel(ctx), s.DB.SQL, a.ID); err != nil {
		return err
	}
	every, more := fetchPace.next(s.now().Sub(time.Unix(a.Journey.Since, 0)))
	if !more && a.Journey.State == journey.Pending {
		if a, err := s.apply(ctx, a.ID, journey.Input{Kind: journey.Tick, Attempt: a.Journey.Succeeded}); err != nil {
			return err
		} else if a.Journey.State == journey.Failed {
			s.Log.ErrorContext(ctx, "report given up", "application", a.ID, "err", why.Error())
		}
	}
	if !more || a.Journey.State != journey.Pending {
		return jobs.Cancel(why)
	}
	s.Log.WarnContext(ctx, "report not fetched", "application", a.ID, "err", why.Error())
	var e *svcapi.Error
	if errors.As(why, &e) {
		every = max(every, e.RetryAfter)
	}
	return jobs.Snooze(every)
}
