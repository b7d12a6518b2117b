package applications

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/webhook"
)

// FetchRevision is the job that fetches a report again after the service announced a change of
// it, and stores it beside the former one if it is a newer revision.
type FetchRevision struct {
	Application string `json:"application"`
	Attempt     int    `json:"attempt"`
	Check       bool   `json:"check,omitempty"` // nothing announced it: only ask whether there is one
}

// Kind returns the job's name.
func (FetchRevision) Kind() string { return "portal.revision" }

// announceRevision enqueues the job if a webhook is about a report that is stored, and the service
// made the webhook after the report was fetched. A webhook without a time counts if the same status
// was known for a minute, because until then it may be the first one again.
func (s *Service) announceRevision(ctx context.Context, tx *store.Tx, id string, number int, e webhook.Event, repeated bool) error {
	held, err := reportOf(ctx, tx, noContents, id, number, -1)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	later := e.CreatedAt.After(held.At)
	if e.CreatedAt.IsZero() {
		later = repeated && tx.Now.Sub(held.At) > time.Minute
	}
	if err != nil || !later {
		return err
	}
	return s.Queue.Enqueue(ctx, tx, FetchRevision{Application: id, Attempt: number}, jobs.UniqueKey(reportKey(id, number)+"/"+e.EventID))
}

// fetchRevision runs the job.
func (s *Service) fetchRevision(ctx context.Context, f FetchRevision) error {
	_, err := s.refresh(ctx, f.Application, f.Attempt, f.Check && s.RevisionCheck == svcapi.CheckByETag)
	var e *svcapi.Error
	switch {
	case errors.Is(err, ErrFetching):
		return jobs.Snooze(time.Second)
	case errors.As(err, &e) && !e.Temporary(): // such as a report that the service has deleted
		return jobs.Cancel(err)
	}
	return cancelIfDeleted(err)
}

// Refresh fetches the report of an attempt (0: the newest) again, and stores it if it is a newer
// revision. It reports whether it is. It returns ErrNoReport without a stored report, ErrFetching,
// and the service's refusal as *svcapi.Error.
func (s *Service) Refresh(ctx context.Context, id string, number int) (revised bool, err error) {
	return s.refresh(ctx, id, number, false)
}

// refresh is Refresh. With ask it names the revision that is stored, and the service answers with a
// report only if there is a newer one, so that it records no read of the stored one again.
func (s *Service) refresh(ctx context.Context, id string, number int, ask bool) (revised bool, err error) {
	a, err := s.Get(ctx, s.DB.SQL, id)
	if err != nil {
		return false, err
	}
	held, err := reportOf(ctx, s.DB.SQL, noContents, id, number, -1)
	if err != nil {
		return false, err
	}
	etag := ""
	if ask {
		etag = held.ETag
	}
	t, err := attempt(ctx, s.DB.SQL, id, held.Attempt)
	if err != nil {
		return false, err
	}
	if err := s.lease(ctx, id, true); err != nil {
		return false, err
	}
	ref := t.ref()
	ref.ETag = etag
	raw, meta, err := s.Provider.Report(ctx, a.Product, ref)
	if err != nil {
		if errors.Is(err, svcapi.ErrNotModified) {
			err = nil
		}
		return false, errors.Join(err, release(context.WithoutCancel(ctx), s.DB.SQL, id))
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		locked, err := s.Lock(ctx, tx, id)
		if err != nil {
			return err
		}
		held, plain, err := s.read(ctx, tx, withReport, id, held.Attempt, -1)
		if err != nil {
			return err
		}
		next, newer := revisionOf(meta, held.Revision)
		if revised = newer && !bytes.Equal(raw, plain) && report.Text(meta.Revision) != revisionIn(plain); !revised {
			return release(ctx, tx, id)
		}
		r := reportRow{StoredReport: storedReport(held.Attempt, next, tx.Now, meta)}
		if err := s.store(ctx, tx, &locked, &r, raw, meta, analysis{}); err != nil {
			return err
		}
		if r.Attempt == locked.Report.Attempt {
			if err := s.enqueueAnalysis(ctx, tx, locked, tx.Now); err != nil {
				return err
			}
		}
		state := string(locked.Journey.State)
		_, err = s.record(ctx, tx, locked, fmt.Sprintf("%s/%d/%d", journey.Revised, r.Attempt, r.Revision),
			TimelineEntry{Kind: journey.Revised, Attempt: r.Attempt, From: state, To: state}, locked.Journey, true)
		return err
	})
	s.Wake(id)
	return revised && err == nil, err
}

// The portal asks once a day whether a report was corrected, in case the webhook was lost: for as long
// as the service said that it has the report, or else for checkFor.
const (
	checkEvery = 24 * time.Hour
	checkFor   = 90 * 24 * time.Hour
	checks     = 500 // that one call of Sweep enqueues
)

// checkAt returns when to look for a revision of a report; zero: never.
func (s *Service) checkAt(r StoredReport) (at time.Time) {
	if s.RevisionCheck == svcapi.CheckByGet || s.RevisionCheck == svcapi.CheckByETag && r.ETag != "" {
		at = r.At.Add(checkEvery)
	}
	return at
}

// Sweep enqueues a job for each report whose revision was last looked for a day ago.
func (s *Service) Sweep(ctx context.Context) error {
	return s.DB.Sweep(ctx, checks, func(ctx context.Context, tx *store.Tx, most int) (int64, error) {
		due, err := dueChecks(ctx, tx, most)
		for _, f := range due {
			if err == nil {
				err = s.Queue.Enqueue(ctx, tx, f, jobs.LowPriority(), jobs.UniqueKey(reportKey(f.Application, f.Attempt)+"/check"))
			}
		}
		return int64(len(due)), err
	})
}

// revisionOf returns the number of a fetched report's revision, and whether it follows the held
// one. Another service's revisions may not be numbers; they are numbered as they come.
func revisionOf(meta *report.Meta, held int) (number int, newer bool) {
	if meta.Revision == nil {
		return 0, held < 0
	}
	if n, err := strconv.Atoi(*meta.Revision); err == nil && n >= 0 && strconv.Itoa(n) == *meta.Revision {
		return n, n > held
	}
	return held + 1, true
}

// revisionIn returns the revision that a stored report names; "" for none.
func revisionIn(raw []byte) string {
	var r struct {
		Meta report.Meta `json:"meta"`
	}
	if json.Unmarshal(raw, &r) != nil { // its error may quote the report
		return ""
	}
	return report.Text(r.Meta.Revision)
}

func storedReport(number, revision int, now time.Time, meta *report.Meta) StoredReport {
	r := StoredReport{Attempt: number, Revision: revision, At: now, Until: meta.Until, PublicToken: meta.PublicToken,
		ETag: meta.ETag}
	if meta.Revision != nil {
		if r.RevisedAt = now; meta.RevisionCreatedAt != nil {
			r.RevisedAt = meta.RevisionCreatedAt.Time
		}
	}
	return r
}

// KeepDecision records that a reviewer keeps the newest decision after the report was revised.
// It reports whether the decision was outdated.
func (s *Service) KeepDecision(ctx context.Context, tx *store.Tx, id string) (bool, error) {
	a, err := s.Lock(ctx, tx, id)
	if err != nil || !a.Decision.Outdated {
		return false, err
	}
	setDecision(&a, a.Decision)
	state := string(a.Journey.State)
	_, err = s.record(ctx, tx, a, fmt.Sprintf("%s/%d/%d/%d", journey.Kept, a.Decision.Number, a.Report.Attempt, a.Report.Revision),
		TimelineEntry{Kind: journey.Kept, From: state, To: state, Reasons: a.Decision.Reasons}, a.Journey, true)
	return err == nil, err
}
