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

// fetchReport fetches the report and stores it once: a lease keeps other processes from
// fetching at the same time, and the report is stored only if none exists.
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
	now := s.now()
	mine, err := lease(ctx, s.DB.SQL, a.ID, now, now.Add(fetchLease))
	if err != nil {
		return err
	}
	if !mine {
		return jobs.Snooze(max(a.fetchUntil.Sub(now), time.Second))
	}
	raw, meta, err := s.Provider.Report(ctx, a.Product, t.ref())
	if err != nil {
		return s.retryFetch(ctx, a, err)
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		sealed, err := s.DB.Vault.Seal(ctx, tx, a.dataKey, reportCell(a.ID), raw)
		if err != nil {
			return err
		}
		locked, err := s.Lock(ctx, tx, a.ID)
		if err != nil || locked.Journey.Succeeded != number { // the attempt was given up and another started meanwhile
			return err
		}
		kept, err := storeReport(ctx, tx, a.ID, sealed)
		if err != nil || !kept {
			return err
		}
		if err := setPublicToken(ctx, tx, a.ID, number, meta.PublicToken); err != nil {
			return err
		}
		if err := nameConsumer(ctx, tx, a.ID, number, report.Text(meta.ConsumerID)); err != nil {
			return err
		}
		locked.fetched, locked.Report = true, StoredReport{number, tx.Now, meta.PublicToken}
		if locked.Decision.Kind == journey.MoreAsked && !t.CreatedAt.Before(locked.Decision.At) {
			locked.Decision.AnsweredAt = locked.Report.At
		}
		in := journey.Input{Kind: journey.Fetched, Attempt: number, PublicToken: meta.PublicToken,
			Status: contract.StatusSuccess}
		if meta.Substatus != nil {
			in.Substatus = *meta.Substatus
		}
		if _, err = s.advance(ctx, tx, locked, in); err != nil || a.Product != contract.Cashflow {
			return err
		}
		return s.Queue.Enqueue(ctx, tx, FetchAnalysis{Application: a.ID}, jobs.UniqueKey(reportKey(a.ID, number)))
	})
	s.hub.wake(a.ID)
	return err
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
