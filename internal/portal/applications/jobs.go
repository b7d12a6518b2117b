package applications

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/store"
)

// Poll is the job that polls the provider for an attempt's status. Each attempt has a
// patient job for as long as it may still succeed, so that nothing depends on a
// callback, return or webhook; a callback or return adds a hurried job for a few
// minutes.
type Poll struct {
	Application string `json:"application"`
	Attempt     int    `json:"attempt"`
	Hurried     bool   `json:"hurry,omitempty"`
}

// Kind returns the job's name.
func (Poll) Kind() string { return "portal.poll" }

// FetchReport is the job that fetches and stores an application's report.
type FetchReport struct {
	Application string `json:"application"`
}

// Kind returns the job's name.
func (FetchReport) Kind() string { return "portal.fetch" }

// A run that hangs ends after jobTimeout. The fetch lease is slightly longer, so that
// after a kill the next run waits only that long.
const (
	jobTimeout = 18 * time.Second
	fetchLease = 20 * time.Second
	firstPoll  = 10 * time.Second
)

// pace is a schedule: while less than age has passed, a job runs again after every.
type pace []struct{ age, every time.Duration }

var (
	hurriedPace = pace{{15 * time.Second, time.Second}, {time.Minute, 2 * time.Second}, {5 * time.Minute, 5 * time.Second}}
	patientPace = pace{{2 * time.Minute, 15 * time.Second}, {15 * time.Minute, 30 * time.Second}, {2 * time.Hour, 2 * time.Minute},
		{lifetime + time.Minute, 15 * time.Minute}}
	fetchPace = pace{{time.Minute, 2 * time.Second}, {10 * time.Minute, 15 * time.Second}, {lifetime, 5 * time.Minute}}
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

// analysisKey is reportKey of the jobs for a report's analysis.
func analysisKey(id string, r StoredReport) string { return id + "/" + r.Version() }

// Register registers the package's jobs.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, p Poll) error { return s.poll(ctx, p) }, jobs.Timeout(jobTimeout))
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, f FetchReport) error { return s.fetchReport(ctx, f) }, jobs.Timeout(jobTimeout))
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, f FetchRevision) error { return s.fetchRevision(ctx, f) }, jobs.Timeout(jobTimeout))
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, e FetchAnalysis) error { return s.fetchAnalysis(ctx, e) }, jobs.Timeout(jobTimeout))
}

// Resume enqueues jobs for missing reports when the process starts: a run that was
// killed with its process is repeated once its lease has expired.
func (s *Service) Resume(ctx context.Context) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		missing, err := missingReports(ctx, tx)
		if err != nil {
			return err
		}
		for id, until := range missing {
			at := tx.Now
			if until.After(at) {
				at = until
			}
			// Use a fresh unique key, because the killed job still counts as running;
			// the lease keeps the two apart.
			if err := s.Queue.Enqueue(ctx, tx, FetchReport{Application: id}, jobs.UniqueKey(id+"/"+uuid.NewString()), jobs.At(at)); err != nil {
				return err
			}
		}
		return nil
	})
}

// cancelIfDeleted cancels the job of a deleted application.
func cancelIfDeleted(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return jobs.Cancel(err)
	}
	return err
}
