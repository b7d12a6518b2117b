package applications

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

// announce delivers a webhook of a revision that the service made after a while.
func (b *testServer) announce(a Application, revision string) {
	b.t.Helper()
	b.advanceClock(time.Hour)
	b.revision = revision
	e := webhook.Event{EventID: "evt-" + revision, CreatedAt: b.clock, ExternalID: a.ExternalID, PublicToken: publicToken,
		Status: contract.StatusSuccess}
	b.advanceClock(time.Second)
	b.tx(func(ctx context.Context, tx *store.Tx) error {
		_, _, err := b.handleWebhook(ctx, tx, e, nil)
		return err
	})
}

// versions lists the stored reports of an application, newest first.
func (b *testServer) versions(id string) (all []string) {
	b.t.Helper()
	found, err := b.Reports(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, r := range found {
		all = append(all, r.Version())
	}
	return all
}

func (b *testServer) report(id string, attempt, revision int) string {
	b.t.Helper()
	raw, err := b.Service.Report(b.t.Context(), b.DB.SQL, id, attempt, revision)
	if err != nil {
		b.t.Fatalf("the report of attempt %d in revision %d: %v", attempt, revision, err)
	}
	return string(raw)
}

// reported returns an application with its report.
func (b *testServer) reported() Application {
	b.t.Helper()
	a := b.applyFor(contract.Income)
	b.begin(a.ID)
	events["webhook"](b, a)
	b.work(false)
	return b.now(a.ID)
}

func (b *testServer) decide(id string, number int64, kind string) {
	b.t.Helper()
	b.tx(func(ctx context.Context, tx *store.Tx) error {
		a, err := b.Lock(ctx, tx, id)
		if err != nil {
			return err
		}
		return b.RecordDecision(ctx, tx, a, Decision{Kind: kind, Number: number, At: tx.Now})
	})
}

func TestRevisionIsStoredBesideTheReport(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		var told []string
		b.OnChange = append(b.OnChange, func(_ context.Context, _ *store.Tx, a Application, l TimelineEntry) error {
			told = append(told, l.Kind+" "+a.Report.Version())
			return nil
		})
		a := b.reported()
		first := b.report(a.ID, 0, -1)
		b.decide(a.ID, 1, journey.Declined)
		before := b.now(a.ID)
		b.announce(a, "1")
		b.work(false)
		got := b.now(a.ID)
		if got.Report.Version() != "1.1" || !got.Report.RevisedAt.Equal(b.clock.Add(-time.Second)) && got.Report.RevisedAt.IsZero() ||
			got.Journey != before.Journey || !got.UpdatedAt.After(before.UpdatedAt) || got.Version != before.Version+1 ||
			!got.Decision.Outdated || got.Decision.Kind != journey.Declined {
			t.Errorf("after the revision: %+v", got)
		}
		if b.report(a.ID, 0, -1) != `{"meta":{"svc_report_revision":"1"}}` || b.report(a.ID, 0, 0) != first ||
			!slices.Equal(b.versions(a.ID), []string{"1.1", "1.0"}) {
			t.Errorf("the reports are %v", b.versions(a.ID))
		}
		if told[len(told)-1] != "revised 1.1" {
			t.Errorf("the subscribers learned %q", told)
		}
		if r, err := b.StoredReportOf(t.Context(), db.SQL, a.ID, 0, -1); err != nil || !r.Until.Equal(availableUntil) {
			t.Errorf("the report is available until %v, %v, want %v", r.Until, err, availableUntil)
		}
		if _, err := b.StoredReportOf(t.Context(), db.SQL, a.ID, 0, 7); !errors.Is(err, ErrNoReport) {
			t.Errorf("a revision that is not stored: %v", err)
		}
		var sealed []byte
		if err := db.SQL.QueryRow(`SELECT report FROM application_report_revisions WHERE revision = 1`).Scan(&sealed); err != nil ||
			bytes.Contains(sealed, []byte("revision")) {
			t.Errorf("stored as %q, %v", sealed, err)
		}
		// A reviewer keeps the decision; a second revision makes it outdated again, and another decision ends that.
		b.tx(func(ctx context.Context, tx *store.Tx) error {
			for _, want := range []bool{true, false} {
				if kept, err := b.KeepDecision(ctx, tx, a.ID); kept != want || err != nil {
					t.Errorf("keeping the decision: %v, %v", kept, err)
				}
			}
			return nil
		})
		if b.now(a.ID).Decision.Outdated || told[len(told)-1] != "kept 1.1" {
			t.Errorf("the decision is not kept, or not told: %q", told)
		}
		b.announce(a, "2")
		b.work(false)
		if got := b.now(a.ID); !got.Decision.Outdated || got.Report.Version() != "1.2" {
			t.Errorf("after the second: %+v", got)
		}
		b.decide(a.ID, 2, journey.Approved)
		if b.now(a.ID).Decision.Outdated {
			t.Error("the new decision is outdated")
		}
		b.tx(func(ctx context.Context, tx *store.Tx) error { return b.Delete(ctx, tx, a.ID) })
		var left int
		if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM application_report_revisions`).Scan(&left); err != nil || left != 0 {
			t.Errorf("%d reports are left, %v", left, err)
		}
	})
}

// TestRevisionIsFetchedOnce delivers webhooks in ways that announce nothing new.
func TestRevisionIsFetchedOnce(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		a := b.reported()
		events["webhook"](b, a) // the first one again: it was sent before the report was fetched
		b.work(false)
		if n := b.fetches.Load(); n != 1 {
			t.Errorf("%d fetches after the first webhook again", n)
		}
		b.announce(a, "1")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { _ = b.fetchRevision(t.Context(), FetchRevision{Application: a.ID, Attempt: 1}) })
		}
		all.Wait()
		b.work(false)
		lines, err := b.Timeline(t.Context(), a.ID, 0, 100)
		n := 0
		for _, l := range lines {
			if l.Kind == journey.Revised {
				n++
			}
		}
		if err != nil || n != 1 || !slices.Equal(b.versions(a.ID), []string{"1.1", "1.0"}) {
			t.Errorf("%d entries, %v, reports %v", n, err, b.versions(a.ID))
		}
		// An answer from a replica of the service that is behind.
		b.announce(a, "")
		b.work(false)
		if got := b.now(a.ID); got.Report.Revision != 1 || len(b.versions(a.ID)) != 2 {
			t.Errorf("after an older answer: %+v", got.Report)
		}
	})
}

// TestMissedRevisions checks revisions whose webhook was lost, and those of other services.
func TestMissedRevisions(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		a := b.reported()
		for _, step := range []struct {
			revision string
			revised  bool
			version  string
		}{{"", false, "1.0"}, {"3", true, "1.3"}, {"2", false, "1.3"}, {"final", true, "1.4"}, {"final", false, "1.4"}} {
			b.revision = step.revision
			revised, err := b.Refresh(t.Context(), a.ID, 0)
			if got := b.now(a.ID).Report.Version(); revised != step.revised || got != step.version || err != nil {
				t.Errorf("revision %q: %v, %s, %v, want %v and %s", step.revision, revised, got, err, step.revised, step.version)
			}
		}
		b.err = &svcapi.Error{HTTP: 404, Code: contract.CodeInvalidToken}
		if err := b.fetchRevision(t.Context(), FetchRevision{Application: a.ID, Attempt: 1}); !jobs.IsCancel(err) {
			t.Errorf("of a report that the service deleted: %v", err)
		}
		b.err = &svcapi.Error{HTTP: 503, Code: contract.CodeUpstream}
		if err := b.fetchRevision(t.Context(), FetchRevision{Application: a.ID, Attempt: 1}); err == nil || jobs.IsCancel(err) {
			t.Errorf("while the service is away: %v", err)
		}
		b.err, b.revision = nil, "5"
		if revised, err := b.Refresh(t.Context(), a.ID, 0); !revised || err != nil {
			t.Errorf("the lease was not released: %v", err)
		}
	})
}

// TestRevisionOfAnEarlierAttempt revises the report of an attempt while the applicant gives more,
// and after that.
func TestRevisionOfAnEarlierAttempt(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		a := b.reported()
		b.announce(a, "1")
		b.work(false)
		b.advanceClock(time.Minute)
		b.decide(a.ID, 1, journey.MoreAsked)
		b.advanceClock(time.Minute)
		second := b.begin(a.ID)
		if got := b.now(a.ID); got.Report.Version() != "1.1" || got.Decision.Outdated {
			t.Fatalf("while it is open: %+v", got)
		}
		b.announce(a, "2")
		b.work(false)
		if got := b.now(a.ID); got.Report.Version() != "1.2" || !got.Decision.Outdated || got.Journey.State != journey.Connecting {
			t.Errorf("a revision meanwhile: %+v", got)
		}
		b.revision = ""
		b.tx(func(ctx context.Context, tx *store.Tx) error {
			_, err := b.Advance(ctx, tx, a.ID, journey.Input{Kind: journey.Webhook, Attempt: second.Number, EventID: "second",
				PublicToken: "6f1c7f0e-0b0a-4a57-9a5e-3d6f0c1f9a02", Status: contract.StatusSuccess})
			return err
		})
		b.work(false)
		got := b.now(a.ID)
		if got.Report.Version() != "2.0" || got.Decision.Outdated || !got.Decision.Answered() ||
			!slices.Equal(b.versions(a.ID), []string{"2.0", "1.2", "1.1", "1.0"}) {
			t.Fatalf("after the answer: %+v, %v", got, b.versions(a.ID))
		}
		answered := got.Decision.AnsweredAt
		b.announce(a, "3") // of the first
		b.work(false)
		if got := b.now(a.ID); got.Report.Version() != "2.0" || b.report(a.ID, 1, -1) != `{"meta":{"svc_report_revision":"3"}}` {
			t.Errorf("a later revision of the first: %+v", got.Report)
		}
		b.revision = "1"
		if revised, err := b.Refresh(t.Context(), a.ID, 0); !revised || err != nil {
			t.Fatal(revised, err)
		}
		if d := cmp.Diff(answered, b.now(a.ID).Decision.AnsweredAt); d != "" || b.now(a.ID).Report.Version() != "2.1" {
			t.Errorf("the revision counts as the answer:\n%s", d)
		}
	})
}

// TestLooksForMissedRevisions lets a day pass without webhooks, for each setting.
func TestLooksForMissedRevisions(t *testing.T) {
	for _, row := range []struct {
		how            svcapi.RevisionCheck
		asked, fetched int64  // of three days, of which the second brings a revision
		version        string // in the end
	}{{svcapi.CheckByETag, 2, 1, "1.1"}, {svcapi.CheckByGet, 0, 3, "1.1"}, {svcapi.CheckNever, 0, 0, "1.0"}} {
		t.Run(string(row.how), func(t *testing.T) {
			storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
				b := newTestServer(t, db)
				b.RevisionCheck = row.how
				a := b.reported()
				look := func(d time.Duration) (jobs int) {
					b.advanceClock(d)
					if err := b.Sweep(t.Context()); err != nil {
						t.Fatal(err)
					}
					jobs = len(b.jobs)
					b.work(false)
					return jobs
				}
				fetched, asked := b.fetches.Load(), b.asked.Load()
				if n := look(23 * time.Hour); n != 0 {
					t.Errorf("%d jobs within a day", n)
				}
				look(time.Hour)
				b.revision = "1"
				look(24 * time.Hour)
				look(24 * time.Hour)
				if n := look(0); n != 0 {
					t.Errorf("%d jobs at the same time", n)
				}
				fetched, asked = b.fetches.Load()-fetched, b.asked.Load()-asked
				if got := b.now(a.ID).Report.Version(); fetched != row.fetched || asked != row.asked || got != row.version {
					t.Errorf("%d reports, %d questions, version %s; want %+v", fetched, asked, got, row)
				}
				look(365 * 24 * time.Hour) // the last question: the service has deleted the report
				if n := look(24 * time.Hour); n != 0 {
					t.Errorf("%d jobs for a report that the service no longer has", n)
				}
			})
		})
	}
}
