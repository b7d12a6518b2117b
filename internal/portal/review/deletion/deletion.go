// Package deletion deletes applications, on request or after the retention period. A
// tombstone without personal data remains.
package deletion

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
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
	// is deleted; 0: never.
	RetentionDays int

	// Erase deletes an application's rows in each package, in the transaction that
	// deletes the application.
	Erase []func(ctx context.Context, tx *store.Tx, id string) error

	retained atomic.Value // search.Place: progress of retention
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
		shared, err := s.Sharing.Of(ctx, s.DB.SQL, id)
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
		mine, err := s.erase(ctx, Tombstone{ApplicationID: id, By: by, Reason: cause}, ended)
		if !errors.Is(err, errShared) {
			return mine, err
		}
	}
}

// errShared means that the application was shared again concurrently.
var errShared = errors.New("deletion: the application was shared again concurrently")

// erase replaces an application with a Tombstone, if it exists and has no shares
// other than those ended.
func (s *Service) erase(ctx context.Context, left Tombstone, ended map[string]bool) (mine bool, err error) {
	id := left.ApplicationID
	err = s.DB.Erase(ctx, func(ctx context.Context, tx *store.Tx) error {
		mine = false
		if _, err := s.Applications.Lock(ctx, tx, id); errors.Is(err, store.ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		e, err := search.Of(ctx, tx, id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		shared, err := s.Sharing.Of(ctx, tx, id)
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

// Job is the job that deletes applications after the retention period.
type Job struct{}

// Kind returns the job's name.
func (Job) Kind() string { return "review.retain" }

// Register registers the job.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, _ Job) error { return s.Retain(ctx) }, jobs.NoAttemptLimit())
}

// Resume enqueues the job when the process starts, if there is a retention period.
func (s *Service) Resume(ctx context.Context) error {
	if s.RetentionDays <= 0 {
		return nil
	}
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return s.Queue.Enqueue(ctx, tx, Job{}, jobs.UniqueKey("retain"))
	})
}

// Retain deletes a batch of applications without activity for longer than the
// configured days, and reschedules itself: soon for the next batch; later for a new
// pass, which retries those that failed.
func (s *Service) Retain(ctx context.Context) error {
	if s.RetentionDays <= 0 {
		return nil
	}
	behind, _ := s.retained.Load().(search.Position)
	old, err := search.Inactive(ctx, s.DB.SQL, s.Now().AddDate(0, 0, -s.RetentionDays), behind, Batch)
	if err != nil {
		return err
	}
	for _, p := range old { // one that fails does not hold up the others
		_, err := s.Delete(ctx, p.Application, "", byAge)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.Log.WarnContext(ctx, "not deleted by age", "application", p.Application, "err", err.Error())
		}
	}
	if len(old) == Batch {
		s.retained.Store(old[len(old)-1])
		return jobs.Snooze(time.Second)
	}
	s.retained.Store(search.Position{})
	return jobs.Snooze(retainEvery)
}
