package visits

import (
	"context"
	"time"

	"vestibule/internal/jobs"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
)

// How long a visit waits for its applicant.
const (
	lifetime      = 72 * time.Hour
	shortLifetime = 5 * time.Minute // lastName "expiresoon", in the sandbox

	// failedLifetime is the lifetime of a visit whose only source could not be connected,
	// so that the customer is notified of the failure even if the applicant has left.
	failedLifetime = 30 * time.Minute
)

// expiry returns when a visit that has just entered its current step expires.
func (v visit) expiry(now time.Time) time.Time {
	end := v.created.Add(lifetime)
	if v.Scenario == flow.ScenarioExpiresSoon {
		end = v.created.Add(shortLifetime)
	}
	if soon := now.Add(failedLifetime); v.Active() && v.Step == flow.StepFailed && soon.Before(end) {
		return soon
	}
	return end
}

// Expire is the permanent job that ends expired visits.
type Expire struct {
	VisitID string `json:"visitId,omitempty"` // earlier versions had a job for each visit
}

// Kind names the job.
func (Expire) Kind() string { return "visits.expire" }

// Register adds the jobs of the package.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, a Expire) error {
		if err := s.endDue(ctx); err != nil || a.VisitID != "" {
			return err
		}
		return jobs.Snooze(time.Minute)
	}, jobs.NoAttemptLimit())
}

// How long an ended visit is kept, and how long its draft: the stated employers and
// connections. The report has both.
const (
	draftAge = 14 * 24 * time.Hour
	maxAge   = 90 * 24 * time.Hour
)

// Sweep ends expired visits, in case the sandbox's clock was moved past a job that
// still waits, and deletes old data.
func (s *Service) Sweep(ctx context.Context) error {
	if err := s.endDue(ctx); err != nil {
		return err
	}
	return s.DB.Sweep(ctx, 100, store.Older(draftAge, deleteDrafts), store.Older(maxAge, deleteEnded),
		store.Older(unlistedAge, deleteUnlisted))
}

func (s *Service) endDue(ctx context.Context) error {
	for {
		ids, err := expiredVisits(ctx, s.DB.SQL, s.Now(), 100)
		if err != nil {
			return err
		}
		ended := 0
		for _, id := range ids {
			err := s.retry(ctx, func(ctx context.Context, tx *store.Tx) error {
				v, err := byID(ctx, tx, id)
				if err == nil {
					v, err = s.catchUp(ctx, tx, v)
				}
				if v.State.Over() {
					ended++
				}
				return store.OrNone(err) // the sandbox was reset
			})
			if err != nil {
				return err
			}
		}
		if len(ids) < 100 || ended == 0 {
			return nil
		}
	}
}
