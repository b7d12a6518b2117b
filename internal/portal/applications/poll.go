package applications

import (
	"context"
	"errors"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
)

// pollNow polls the provider now, and often for a while.
func (s *Service) pollNow(ctx context.Context, tx *store.Tx, id string, number int) error {
	if err := setHurriedAt(ctx, tx, id, number); err != nil {
		return err
	}
	return s.Queue.Enqueue(ctx, tx, Poll{Application: id, Attempt: number, Hurried: true}, jobs.UniqueKey(pollKey(id, number, true)))
}

// poll polls once and reschedules itself.
func (s *Service) poll(ctx context.Context, p Poll) error {
	a, err := s.Get(ctx, s.DB.SQL, p.Application)
	if err != nil {
		return cancelIfDeleted(err)
	}
	t, err := attempt(ctx, s.DB.SQL, p.Application, p.Attempt)
	if err != nil {
		return cancelIfDeleted(err)
	}
	if a.Journey.State == journey.Ready {
		return nil
	}
	if !t.Verified { // any status of its external ID belongs to a visit that the portal did not start
		return s.reschedule(ctx, p, a, t, "", 0)
	}
	answer, err := s.Provider.Status(ctx, t.ref())
	var wait time.Duration
	switch {
	case err == nil:
		if a, err = s.apply(ctx, p.Application, journey.Input{Kind: journey.Poll, Attempt: p.Attempt,
			Status: answer.Status, Substatus: answer.Substatus}); err != nil {
			return err
		}
	case svcapi.CodeOf(err) == contract.CodeInvalidToken:
		// No visit with that external ID yet: the applicant has not started.
	default:
		s.Log.WarnContext(ctx, "status not fetched", "application", p.Application, "attempt", p.Attempt, "err", err.Error())
		var e *svcapi.Error
		if errors.As(err, &e) {
			wait = e.RetryAfter
		}
	}
	return s.reschedule(ctx, p, a, t, answer.Status, wait)
}

// apply applies an input to the journey in a transaction.
func (s *Service) apply(ctx context.Context, id string, in journey.Input) (a Application, err error) {
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		a, err = s.Advance(ctx, tx, id, in)
		return err
	})
	s.Wake(id)
	return a, err
}

// reschedule decides whether the job is finished or when it runs next, and lets the
// journey time out.
func (s *Service) reschedule(ctx context.Context, p Poll, a Application, t Attempt, status contract.Status, wait time.Duration) error {
	now := s.now()
	if p.Hurried {
		every, more := hurriedPace.next(now.Sub(t.hurriedAt))
		if !more || a.Journey.State == journey.Ready || status.Final() {
			return nil
		}
		return jobs.Snooze(max(every, wait))
	}
	if p.Attempt == a.Journey.Attempt && now.Unix()-a.Journey.Since >= journey.Lifetime {
		var err error
		if a, err = s.apply(ctx, a.ID, journey.Input{Kind: journey.Tick, Attempt: p.Attempt}); err != nil {
			return err
		}
	}
	every, more := patientPace.next(now.Sub(t.CreatedAt))
	open := p.Attempt == a.Journey.Attempt && (a.Journey.State == journey.Connecting ||
		a.Journey.State == journey.Returned || a.Journey.State == journey.Pending)
	if !more && open {
		every, more = patientPace[len(patientPace)-1].every, true // until the journey times out
	}
	if !more || a.Journey.State == journey.Ready || status.Final() && status != contract.StatusSuccess {
		return nil
	}
	return jobs.Snooze(max(every, wait))
}
