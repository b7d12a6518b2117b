// Package deletion deletes applications, on request or after the retention period. A
// tombstone without personal data remains.
package deletion

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"vestibule/internal/jobs"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/portal/review/sharing"
	"vestibule/internal/staff"
	"vestibule/internal/store"
)

// Service deletes applications. Fields are required unless documented otherwise.
type Service struct {
	DB           *store.DB
	Staff        *staff.Service
	Applications *applications.Service
	Sharing      *sharing.Service
	Provider     Provider
	Queue        applications.Queue
	Now          func() time.Time
	Log          *slog.Logger

	// RetentionDays is the number of days without activity after which an application
	// is deleted, IncompleteDays that of one without a report, and UnstartedHours the hours
	// of one of the form whose applicant has not opened a visit; 0: never.
	RetentionDays, IncompleteDays, UnstartedHours int

	// Erase deletes an application's rows in each package, in the transaction that
	// deletes the application.
	Erase []func(ctx context.Context, tx *store.Tx, id string) error

	progress sync.Map // of retention: the search.Position that a search.Inactive has come to
}

// Provider accepts withdrawals of consent; *svcapi.Client implements it.
type Provider interface {
	// WithdrawConsent reports that a consumer has withdrawn consent.
	WithdrawConsent(ctx context.Context, consumerID string) error
}

// Reasons for deleting an application.
const (
	ByRequest = "request" // the consumer asked for it
	ByMistake = "mistake" // created by mistake
	ByTest    = "test"
	byAge     = "age" // the retention period ended
	unstarted = ""    // the applicant did not begin; leaves no Tombstone
)

// Reasons lists the reasons that a user can choose.
var Reasons = []string{ByRequest, ByMistake, ByTest}

// Actions in the audit log.
const (
	Deleted     = "deleted"
	ByRetention = "retentionDeleted"
)

// Batch is the number of applications that one run of the retention job deletes.
const Batch = 20

// retainEvery is the time between two passes of the retention job.
const retainEvery = time.Hour

// Tombstone records the deletion of an application.
type Tombstone struct {
	ApplicationID, By, Reason string // By is empty for a deletion by retention
	At                        time.Time
}

// Delete withdraws an application's shares, and the consent if the consumer asked for
// deletion. Then it destroys the data key and deletes the rows in every package,
// leaving a Tombstone. False means that the application was already gone.
func (s *Service) Delete(ctx context.Context, id, by, cause string) (bool, error) {
	return s.deleteIf(ctx, id, by, cause, func(context.Context, *store.Tx) (bool, error) { return true, nil })
}

// deleteIf is Delete for an application of which still reports true once it is locked.
func (s *Service) deleteIf(ctx context.Context, id, by, cause string, still func(context.Context, *store.Tx) (bool, error)) (bool, error) {
	if cause == ByRequest {
		known, err := s.Applications.Consumers(ctx, id)
		if err != nil {
			return false, err
		}
		for _, consumer := range known {
			if err := sharing.ConfirmWithdrawal(s.Provider.WithdrawConsent(ctx, consumer)); err != nil {
				return false, err
			}
		}
	}
	ended := map[string]bool{}
	for {
		shared, err := s.Sharing.Shares(ctx, s.DB.SQL, id)
		if err != nil {
			return false, err
		}
		for _, sh := range shared {
			if sh.Withdrawn.IsZero() && !ended[sh.RelayToken] {
				if err := sharing.ConfirmWithdrawal(s.Sharing.Provider.RevokeRelayToken(ctx, sh.RelayToken)); err != nil {
					return false, err
				}
				ended[sh.RelayToken] = true
			}
		}
		mine, err := s.erase(ctx, Tombstone{ApplicationID: id, By: by, Reason: cause}, ended, still)
		if !errors.Is(err, errShared) {
			return mine, err
		}
	}
}

// errShared means that the application was shared again concurrently.
var errShared = errors.New("deletion: the application was shared again concurrently")

// erase replaces an application with a Tombstone, if it exists, still reports true, and it
// has no shares other than those ended.
func (s *Service) erase(ctx context.Context, left Tombstone, ended map[string]bool,
	still func(context.Context, *store.Tx) (bool, error)) (mine bool, err error) {
	id := left.ApplicationID
	err = s.DB.Erase(ctx, func(ctx context.Context, tx *store.Tx) error {
		mine = false
		if _, err := s.Applications.Lock(ctx, tx, id); err != nil {
			return store.OrNone(err)
		}
		e, err := search.Find(ctx, tx, id)
		if err != nil {
			return store.OrNone(err)
		}
		if ok, err := still(ctx, tx); err != nil || !ok {
			return err
		}
		shared, err := s.Sharing.Shares(ctx, tx, id)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(shared, func(sh sharing.Share) bool { return sh.Withdrawn.IsZero() && !ended[sh.RelayToken] }) {
			return errShared
		}
		for _, erase := range s.Erase {
			if err := erase(ctx, tx, id); err != nil {
				return err
			}
		}
		if err := s.DB.Vault.Shred(ctx, tx, e.DataKey); err != nil {
			return err
		}
		if left.Reason == unstarted {
			mine = true
			return nil
		}
		left.At = tx.Now
		if mine, err = insert(ctx, tx, left); err != nil || !mine {
			return err
		}
		action := Deleted
		if left.Reason == byAge {
			action = ByRetention
		}
		return s.Staff.Record(ctx, tx, staff.Entry{Actor: left.By, Action: action, Subject: id, Detail: left.Reason})
	})
	return mine, err
}

// Job is the job that deletes applications after the retention periods.
type Job struct{}

// Kind returns the job's name.
func (Job) Kind() string { return "review.retain" }

// Register registers the job.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, _ Job) error { return s.Retain(ctx) }, jobs.NoAttemptLimit())
}

// period is how long applications may be without activity.
type period struct {
	which  search.Inactive
	since  time.Time // the last activity of those that are deleted is before
	reason string
}

func (s *Service) periods() (all []period) {
	now := s.Now()
	for _, p := range []struct {
		length int
		period
	}{
		{s.UnstartedHours, period{search.Unstarted, now.Add(-time.Duration(s.UnstartedHours) * time.Hour), unstarted}},
		{s.IncompleteDays, period{search.WithoutReport, now.AddDate(0, 0, -s.IncompleteDays), byAge}},
		{s.RetentionDays, period{search.Any, now.AddDate(0, 0, -s.RetentionDays), byAge}},
	} {
		if p.length > 0 {
			all = append(all, p.period)
		}
	}
	return all
}

// Resume enqueues the job when the process starts, if there is a retention period.
func (s *Service) Resume(ctx context.Context) error {
	if len(s.periods()) == 0 {
		return nil
	}
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return s.Queue.Enqueue(ctx, tx, Job{}, jobs.UniqueKey("retain"))
	})
}

// Retain deletes a batch of applications of each retention period, and reschedules itself:
// soon for the next batch; later for a new pass, which retries those that failed.
func (s *Service) Retain(ctx context.Context) error {
	all, next := s.periods(), retainEvery
	if len(all) == 0 {
		return nil
	}
	for _, p := range all {
		full, err := s.retain(ctx, p)
		if err != nil {
			return err
		}
		if full {
			next = time.Second
		}
	}
	return jobs.Snooze(next)
}

// retain deletes a batch of applications. True means that there may be more.
func (s *Service) retain(ctx context.Context, p period) (bool, error) {
	reached, _ := s.progress.Load(p.which)
	behind, _ := reached.(search.Position)
	old, err := p.which.Before(ctx, s.DB.SQL, p.since, behind, Batch)
	if err != nil {
		return false, err
	}
	for _, a := range old { // one that fails does not hold up the others
		_, err := s.deleteIf(ctx, a.Application, "", p.reason, func(ctx context.Context, tx *store.Tx) (bool, error) {
			return p.which.Is(ctx, tx, p.since, a.Application)
		})
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil {
			s.Log.WarnContext(ctx, "not deleted by age", "application", a.Application, "err", err.Error())
		}
	}
	if len(old) < Batch {
		s.progress.Delete(p.which)
		return false, nil
	}
	s.progress.Store(p.which, old[len(old)-1])
	return true, nil
}
