package applications

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
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
	t, raw, meta, err := s.request(ctx, a, number, false, "")
	switch {
	case errors.Is(err, ErrFetching):
		return jobs.Snooze(max(a.fetchUntil.Sub(s.now()), time.Second))
	case t.Number == 0:
		return cancelIfDeleted(err)
	case err != nil:
		return s.retryFetch(ctx, a, err)
	}
	var got analysis
	settled := false
	if t.PublicToken = meta.PublicToken; a.Product == contract.Cashflow {
		brief, cancel := context.WithTimeout(ctx, soon)
		got, settled, _ = s.askAnalysis(brief, a, t)
		cancel()
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		locked, err := s.Lock(ctx, tx, a.ID)
		if err != nil || locked.fetched || locked.Journey.Succeeded != number { // another attempt was started meanwhile
			return err
		}
		revision, _ := revisionOf(meta, -1)
		r := reportRow{StoredReport: storedReport(number, revision, tx.Now, meta), settled: settled}
		if err := s.store(ctx, tx, &locked, &r, raw, got); err != nil {
			return err
		}
		if !settled {
			if err := s.enqueueAnalysis(ctx, tx, locked, tx.Now.Add(analysisPace[0].every)); err != nil {
				return err
			}
		}
		if err := setPublicToken(ctx, tx, a.ID, number, meta.PublicToken); err != nil {
			return err
		}
		if err := nameConsumer(ctx, tx, a.ID, number, report.Text(meta.ConsumerID)); err != nil {
			return err
		}
		if locked.Decision.Kind == journey.MoreAsked && !t.CreatedAt.Before(locked.Decision.At) {
			locked.Decision.AnsweredAt = r.At
		}
		in := journey.Input{Kind: journey.Fetched, Attempt: number, PublicToken: meta.PublicToken,
			Status: contract.StatusSuccess}
		if meta.Substatus != nil {
			in.Substatus = *meta.Substatus
		}
		if _, err = s.advance(ctx, tx, locked, in); err != nil {
			return err
		}
		return s.Queue.Remove(ctx, tx, Poll{}.Kind(), t.pollJob)
	})
	s.hub.wake(a.ID)
	return err
}

// request asks the provider for the report of an attempt with a lease. It returns the zero Attempt
// and an error if the attempt is gone, or ErrFetching if another process has the lease.
func (s *Service) request(ctx context.Context, a Application, number int, revision bool, etag string) (t Attempt, raw []byte,
	meta *report.Meta, err error) {
	if t, err = attempt(ctx, s.DB.SQL, a.ID, number); err != nil {
		return Attempt{}, nil, nil, err
	}
	now := s.now()
	mine, err := lease(ctx, s.DB.SQL, a.ID, revision, now, now.Add(fetchLease))
	if err == nil && !mine {
		err = ErrFetching
	}
	if err != nil {
		return Attempt{}, nil, nil, err
	}
	ref := t.ref()
	ref.ETag = etag
	raw, meta, err = s.Provider.Report(ctx, a.Product, ref)
	return t, raw, meta, err
}

// store stores a fetched report with its analysis (zero: none yet), and makes it the application's newest if it belongs to the newest
// attempt with one. The application must be locked.
func (s *Service) store(ctx context.Context, tx *store.Tx, a *Application, r *reportRow, raw []byte,
	behind analysis) (err error) {
	r.sealedIn = reportTable
	if r.report, err = s.DB.Vault.Seal(ctx, tx, a.dataKey, r.cell(a.ID, "report"), raw); err != nil {
		return err
	}
	if err := s.sealAnalysis(ctx, tx, *a, r, behind); err != nil {
		return err
	}
	if _, err := insertReport(ctx, tx, a.ID, *r, s.checkAt(r.StoredReport)); err != nil {
		return err
	}
	isFirst := !a.fetched && r.Attempt == a.Journey.Succeeded
	switch {
	case isFirst:
		err = setFirst(ctx, tx, a.ID, r.StoredReport)
	case r.Attempt != a.Report.Attempt:
		return release(ctx, tx, a.ID)
	default:
		err = setRevision(ctx, tx, a.ID, r.StoredReport)
	}
	if err != nil {
		return err
	}
	a.fetched, a.Report, a.raw = a.fetched || isFirst, r.StoredReport, raw
	a.Decision.Outdated = !isFirst && a.Decision.Kind != ""
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
		if a, err := s.tick(ctx, a.ID, a.Journey.Succeeded); err != nil {
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
