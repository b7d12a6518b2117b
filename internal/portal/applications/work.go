package applications

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
)

// Poll is the job that polls the provider for an attempt's status. Each attempt has a
// patient job for as long as it may still succeed, so that nothing depends on a
// callback, return or webhook; a callback or return adds a hurried job for a few
// minutes.
type Poll struct {
	Application string `json:"application"`
	Attempt     int    `json:"attempt"`
	Hurry       bool   `json:"hurry,omitempty"`
}

// Kind returns the job's name.
func (Poll) Kind() string { return "portal.poll" }

// Fetch is the job that fetches and stores an application's report.
type Fetch struct {
	Application string `json:"application"`
}

// Kind returns the job's name.
func (Fetch) Kind() string { return "portal.fetch" }

// A run that hangs ends after jobTimeout. The fetch lease is slightly longer, so that
// after a kill the next run waits only that long.
const (
	jobTimeout = 18 * time.Second
	fetchLease = 20 * time.Second
	firstPoll  = 10 * time.Second
)

// pace is a schedule: while less than age has passed, poll at interval every.
type pace []struct{ age, every time.Duration }

var (
	hurried = pace{{15 * time.Second, time.Second}, {time.Minute, 2 * time.Second}, {5 * time.Minute, 5 * time.Second}}
	patient = pace{{2 * time.Minute, 15 * time.Second}, {15 * time.Minute, 30 * time.Second}, {2 * time.Hour, 2 * time.Minute},
		{lifetime + time.Minute, 15 * time.Minute}}
	refetch = pace{{time.Minute, 2 * time.Second}, {10 * time.Minute, 15 * time.Second}, {lifetime, 5 * time.Minute}}
)

const lifetime = journey.Lifetime * time.Second

// next returns how long to wait after age has passed; false after the end of the
// schedule.
func (p pace) next(age time.Duration) (time.Duration, bool) {
	for _, step := range p {
		if age < step.age {
			return step.every, true
		}
	}
	return 0, false
}

func pollKey(id string, attempt int, hurry bool) string {
	return id + "/" + strconv.Itoa(attempt) + "/" + strconv.FormatBool(hurry)
}

// reportKey returns the unique key of the jobs for an attempt's report. It includes
// the attempt because a job for an earlier one may still count as running.
func reportKey(id string, attempt int) string { return id + "/" + strconv.Itoa(attempt) }

// Register registers the package's jobs.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, p Poll) error { return s.poll(ctx, p) }, jobs.Timeout(jobTimeout))
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, f Fetch) error { return s.fetch(ctx, f) }, jobs.Timeout(jobTimeout))
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, e Explain) error { return s.explain(ctx, e) }, jobs.Timeout(jobTimeout))
}

// Resume enqueues jobs for missing reports when the process starts: a run that was
// killed with its process is repeated once its lease has expired.
func (s *Service) Resume(ctx context.Context) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		owed, err := waiting(ctx, tx)
		if err != nil {
			return err
		}
		now := s.now()
		for id, until := range owed {
			at := now
			if until.After(now) {
				at = until
			}
			// Use a fresh unique key, because the killed job still counts as running;
			// the lease keeps the two apart.
			if err := s.Queue.Enqueue(ctx, tx, Fetch{Application: id}, jobs.UniqueKey(id+"/"+uuid.NewString()), jobs.At(at)); err != nil {
				return err
			}
		}
		if err := catchUp(ctx, tx, now); err != nil {
			return err
		}
		return s.resumeExplaining(ctx, tx)
	})
}

// ask polls the provider now, and often for a while.
func (s *Service) ask(ctx context.Context, tx *store.Tx, id string, number int) error {
	if err := setAsked(ctx, tx, id, number, s.now()); err != nil {
		return err
	}
	return s.Queue.Enqueue(ctx, tx, Poll{Application: id, Attempt: number, Hurry: true}, jobs.UniqueKey(pollKey(id, number, true)))
}

// poll polls once and reschedules itself.
func (s *Service) poll(ctx context.Context, p Poll) error {
	a, err := get(ctx, s.DB.SQL, p.Application)
	if err != nil {
		return gone(err)
	}
	t, err := attempt(ctx, s.DB.SQL, p.Application, p.Attempt)
	if err != nil {
		return gone(err)
	}
	if a.Journey.State == journey.Ready {
		return nil
	}
	if !t.Verified { // any status of its external ID belongs to a visit that the portal did not start
		return s.again(ctx, p, a, t, "", 0)
	}
	answer, err := s.Provider.Status(ctx, t.ref())
	var wait time.Duration
	switch {
	case err == nil:
		if a, err = s.learn(ctx, p, answer); err != nil {
			return err
		}
	case svcapi.CodeOf(err) == contract.CodeInvalidToken:
		// No visit with that external ID yet: the applicant has not started.
	default:
		s.Log.WarnContext(ctx, "status not learned", "application", p.Application, "attempt", p.Attempt, "err", err.Error())
		var e *svcapi.Error
		if errors.As(err, &e) {
			wait = e.RetryAfter
		}
	}
	return s.again(ctx, p, a, t, answer.Status, wait)
}

// learn applies the provider's answer to the journey.
func (s *Service) learn(ctx context.Context, p Poll, answer svcapi.StatusAnswer) (a Application, err error) {
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		a, err = s.Advance(ctx, tx, p.Application, journey.Input{Kind: journey.Poll, Attempt: p.Attempt,
			Status: answer.Status, Substatus: answer.Substatus, At: s.now().Unix()})
		return err
	})
	s.hub.nudge(p.Application)
	return a, err
}

// again decides whether the job is finished or when it runs next, and lets the
// journey time out.
func (s *Service) again(ctx context.Context, p Poll, a Application, t Attempt, status contract.Status, wait time.Duration) error {
	now := s.now()
	if p.Hurry {
		every, more := hurried.next(now.Sub(t.askedAt))
		if !more || a.Journey.State == journey.Ready || status.Final() {
			return nil
		}
		return jobs.Snooze(max(every, wait))
	}
	if p.Attempt == a.Journey.Attempt && now.Unix()-a.Journey.Since >= journey.Lifetime {
		var err error
		if a, err = s.tick(ctx, a.ID, p.Attempt); err != nil {
			return err
		}
	}
	every, more := patient.next(now.Sub(t.CreatedAt))
	open := p.Attempt == a.Journey.Attempt && (a.Journey.State == journey.Connecting || a.Journey.State == journey.Returned || a.Journey.State == journey.Pending)
	if !more && open {
		every, more = patient[len(patient)-1].every, true // until the journey times out
	}
	if !more || a.Journey.State == journey.Ready || status.Final() && status != contract.StatusSuccess {
		return nil
	}
	return jobs.Snooze(max(every, wait))
}

// tick lets the journey check its time limits.
func (s *Service) tick(ctx context.Context, id string, number int) (a Application, err error) {
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		a, err = s.Advance(ctx, tx, id, journey.Input{Kind: journey.Tick, Attempt: number, At: s.now().Unix()})
		return err
	})
	s.hub.nudge(id)
	return a, err
}

// fetch fetches the report and stores it once: a lease keeps other processes from
// fetching at the same time, and the report is stored only if there is none.
func (s *Service) fetch(ctx context.Context, f Fetch) error {
	a, err := get(ctx, s.DB.SQL, f.Application)
	if err != nil {
		return gone(err)
	}
	number := a.Journey.Succeeded
	if a.fetched || number == 0 {
		return nil
	}
	t, err := attempt(ctx, s.DB.SQL, a.ID, number)
	if err != nil {
		return gone(err)
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
		return s.refetch(ctx, a, err)
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		sealed, err := s.DB.Vault.Seal(ctx, tx, a.dataKey, reportCell(a.ID), raw)
		if err != nil {
			return err
		}
		locked, err := lock(ctx, tx, a.ID)
		if err != nil || locked.Journey.Succeeded != number { // the attempt was given up and another started meanwhile
			return err
		}
		kept, err := keepReport(ctx, tx, a.ID, sealed, s.now())
		if err != nil || !kept {
			return err
		}
		if err := claim(ctx, tx, a.ID, number, meta.PublicToken); err != nil {
			return err
		}
		if err := nameConsumer(ctx, tx, a.ID, number, report.Text(meta.ConsumerID)); err != nil {
			return err
		}
		locked.fetched, locked.Report = true, Held{number, s.now(), meta.PublicToken}
		if locked.Decision.Kind == journey.MoreAsked && !t.CreatedAt.Before(locked.Decision.At) {
			locked.Decision.AnsweredAt = locked.Report.At
		}
		in := journey.Input{Kind: journey.Fetched, Attempt: number, PublicToken: meta.PublicToken,
			Status: contract.StatusSuccess, At: s.now().Unix()}
		if meta.Substatus != nil {
			in.Substatus = *meta.Substatus
		}
		if _, err = s.advance(ctx, tx, locked, in); err != nil || a.Product != contract.Cashflow {
			return err
		}
		return s.Queue.Enqueue(ctx, tx, Explain{Application: a.ID}, jobs.UniqueKey(reportKey(a.ID, number)))
	})
	s.hub.nudge(a.ID)
	return err
}

// refetch releases the lease and reschedules the job. When the schedule ends it gives
// up, and the application ends without a report.
func (s *Service) refetch(ctx context.Context, a Application, why error) error {
	if err := release(context.WithoutCancel(ctx), s.DB.SQL, a.ID); err != nil {
		return err
	}
	every, more := refetch.next(s.now().Sub(time.Unix(a.Journey.Since, 0)))
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

// gone cancels the job of a deleted application.
func gone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return jobs.Cancel(err)
	}
	return err
}
