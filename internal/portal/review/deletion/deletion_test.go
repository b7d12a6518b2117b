package deletion

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/portal/review/sharing"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/applicationstest"
	"vestibule/internal/testutil/storetest"
)

const consumer = "55555555-5555-4555-8555-555555555555"

var (
	noon     = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	reviewer = staff.User{ID: "99999999-9999-4999-8999-999999999999"}
)

// provider is a fake provider. Its sharing tokens are public tokens.
type provider struct {
	err                error           // returned instead of an answer
	refused            map[string]bool // sharing tokens that it fails to revoke
	before             func()          // called before a withdrawal; may be nil
	revoked, consented []string        // withdrawn sharing tokens and consents
}

func (p *provider) CreateRelayToken(_ context.Context, publicToken, _ string) (string, error) {
	return publicToken, p.err
}

func (p *provider) RevokeRelayToken(_ context.Context, relayToken string) error {
	if p.before != nil {
		p.before()
	}
	if p.err == nil && p.refused[relayToken] {
		return &svcapi.Error{HTTP: 503, Code: contract.CodeUnavailable}
	}
	p.revoked = append(p.revoked, relayToken)
	return p.err
}

func (p *provider) WithdrawConsent(_ context.Context, consumerID string) error {
	if p.err == nil {
		p.consented = append(p.consented, consumerID)
	}
	return p.err
}

func open(t *testing.T, db *store.DB) (*Service, *provider) {
	t.Helper()
	p := &provider{refused: map[string]bool{}}
	now, log := func() time.Time { return noon }, slog.New(slog.DiscardHandler)
	db.SetClock(now)
	users := &staff.Service{Config: staff.Config{AuditSignIns: true, DB: db, Now: now}}
	apps := &applications.Service{DB: db}
	return &Service{DB: db, Staff: users, Applications: apps, Provider: p, Now: now, Log: log,
		Sharing: &sharing.Service{DB: db, Staff: users, Applications: apps, Provider: p, Log: log},
		Erase:   []func(context.Context, *store.Tx, string) error{apps.Delete, sharing.Forget, search.Forget}}, p
}

func id(n int) string { return fmt.Sprintf("aaaaaaaa-0000-4000-8000-%012d", n) }

// add stores an application with a report, whose public token is its ID.
func (s *Service) add(t *testing.T, n int, updated time.Time) applications.Application {
	t.Helper()
	a := applicationstest.Put(t, s.DB, applicationstest.Row{Application: applications.Application{ID: id(n), Product: contract.Cashflow,
		CreatedAt: updated, UpdatedAt: updated, Journey: journey.Application{State: journey.Ready, Attempt: 1, PublicToken: id(n)},
		Report: applications.StoredReport{Attempt: 1, At: updated}}, Body: []byte("{}"), Consumers: []string{consumer}})
	index := &search.Index{DB: s.DB, Now: s.Now}
	err := s.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return index.OnChange(ctx, tx, a, applications.TimelineEntry{})
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (s *Service) share(t *testing.T, a applications.Application, publicID string) {
	t.Helper()
	if _, err := s.Sharing.Share(t.Context(), reviewer, a, publicID, ""); err != nil {
		t.Fatal(err)
	}
}

// left returns the numbers of the applications that exist.
func (s *Service) left(t *testing.T, from, to int) (out []int) {
	t.Helper()
	for n := from; n <= to; n++ {
		if _, err := s.Applications.Get(t.Context(), s.Applications.DB.SQL, id(n)); err == nil {
			out = append(out, n)
		} else if !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
	}
	return out
}

func TestDelete(t *testing.T) {
	down := &svcapi.Error{HTTP: 503, Code: contract.CodeUnavailable}
	for _, tc := range []struct {
		name, reason string
		err          error
		deleted      bool
		consented    []string
	}{
		{"request", ByRequest, nil, true, []string{consumer}},
		{"mistake", ByMistake, nil, true, nil},
		{"unavailable", ByMistake, down, false, nil},
		{"unknown consumer", ByRequest, &svcapi.Error{HTTP: 404, Code: contract.CodeNotFound}, true, nil},
		{"wrong key", ByRequest, &svcapi.Error{HTTP: 403, Code: contract.CodeUnknownCustomer}, false, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, p := open(t, storetest.SQLite(t, store.Portal))
			s.share(t, s.add(t, 1, noon), "svc-harbor")
			p.err = tc.err
			deleted, err := s.Delete(t.Context(), id(1), reviewer.ID, tc.reason)
			if deleted != tc.deleted || errors.Is(err, sharing.ErrNotWithdrawn) == tc.deleted || !slices.Equal(p.consented, tc.consented) {
				t.Errorf("deleted %v, %v, consent withdrawn of %q", deleted, err, p.consented)
			}
			if left := len(s.left(t, 1, 1)); (left == 0) != tc.deleted {
				t.Errorf("%d applications are left", left)
			}
			tomb, err := Find(t.Context(), s.DB.SQL, id(1))
			if !tc.deleted {
				if !errors.Is(err, store.ErrNotFound) {
					t.Errorf("a tombstone: %+v, %v", tomb, err)
				}
				return
			}
			if err != nil || tomb != (Tombstone{id(1), reviewer.ID, tc.reason, noon}) {
				t.Errorf("the tombstone is %+v, %v", tomb, err)
			}
			if again, err := s.Delete(t.Context(), id(1), reviewer.ID, ByMistake); again || err != nil {
				t.Errorf("deleted again: %v, %v", again, err)
			}
		})
	}
}

func TestDeleteSharedConcurrently(t *testing.T) {
	s, p := open(t, storetest.SQLite(t, store.Portal))
	a := s.add(t, 1, noon)
	s.share(t, a, "svc-harbor")
	p.before = func() {
		p.before = nil
		a.Report.PublicToken = id(2)
		s.share(t, a, "svc-late")
	}
	if deleted, err := s.Delete(t.Context(), id(1), reviewer.ID, ByMistake); !deleted || err != nil {
		t.Errorf("deleted %v, %v", deleted, err)
	}
	if want := []string{id(1), id(2)}; !slices.Equal(p.revoked, want) {
		t.Errorf("revoked %q, want %q", p.revoked, want)
	}
}

func TestRetain(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		s, p := open(t, db)
		for n := range Batch { // the oldest cannot be deleted
			s.share(t, s.add(t, n, noon.AddDate(0, 0, -40)), "svc-harbor")
			p.refused[id(n)] = true
		}
		s.add(t, Batch, noon.AddDate(0, 0, -31))
		s.add(t, Batch+1, noon.AddDate(0, 0, -30))
		if err := s.Retain(t.Context()); err != nil || len(s.left(t, 0, Batch+1)) != Batch+2 {
			t.Errorf("without a period: %v, %v are left", err, s.left(t, 0, Batch+1))
		}
		s.RetentionDays = 30
		retain := func(wait time.Duration, left int) {
			t.Helper()
			if err := s.Retain(t.Context()); err == nil || err.Error() != jobs.Snooze(wait).Error() || len(s.left(t, 0, Batch+1)) != left {
				t.Errorf("retained: %v, %v are left", err, s.left(t, 0, Batch+1))
			}
		}
		retain(time.Second, Batch+2)
		retain(retainEvery, Batch+1)
		clear(p.refused) // the next pass retries those that failed
		retain(time.Second, 1)
		retain(retainEvery, 1)
		if left := s.left(t, 0, Batch+1); !slices.Equal(left, []int{Batch + 1}) {
			t.Errorf("%v are left", left)
		}
		if tomb, err := Find(t.Context(), db.SQL, id(0)); err != nil || tomb.Reason != byAge || tomb.By != "" {
			t.Errorf("the tombstone is %+v, %v", tomb, err)
		}
	})
}

// TestRetainWithoutReport checks which applications end after the shorter periods.
func TestRetainWithoutReport(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		s, _ := open(t, db)
		index := &search.Index{DB: db, Now: s.Now}
		for n, c := range []struct {
			state   journey.State
			idle    time.Duration
			change  func(*applicationstest.Row)
			execute string // further changes, of the application $1
		}{
			0: {journey.Started, 25 * time.Hour, nil, ""},
			1: {journey.Connecting, 25 * time.Hour, nil, `UPDATE application_attempts SET opened = FALSE WHERE application_id = $1`},
			2: {journey.Started, 23 * time.Hour, nil, ""},
			3: {journey.Started, 25 * time.Hour, func(r *applicationstest.Row) { r.Origin = applications.FromAPI }, ""},
			4: {journey.Connecting, 25 * time.Hour, nil, ""},
			5: {journey.Started, 25 * time.Hour, nil, `UPDATE review_index SET assignee = 'a' WHERE application_id = $1`},
			6: {journey.Expired, 89 * 24 * time.Hour, nil, ""},
			7: {journey.Expired, 91 * 24 * time.Hour, nil, ""},
			8: {journey.Failed, 91 * 24 * time.Hour, nil, `UPDATE review_index SET decision = 'declined' WHERE application_id = $1`},
			9: {journey.Started, 91 * 24 * time.Hour, func(r *applicationstest.Row) { r.Origin = applications.FromAPI }, ""},
		} {
			at := noon.Add(-c.idle)
			row := applicationstest.Row{Application: applications.Application{ID: id(n), Product: contract.Cashflow, CreatedAt: at, UpdatedAt: at,
				Journey: journey.Application{State: c.state}}}
			if c.state != journey.Started {
				row.Journey.Attempt, row.Consumers = 1, []string{consumer}
			}
			if c.change != nil {
				c.change(&row)
			}
			a := applicationstest.Put(t, db, row)
			err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				err := index.OnChange(ctx, tx, a, applications.TimelineEntry{})
				if c.execute != "" {
					_, changed := tx.ExecContext(ctx, c.execute, id(n))
					err = errors.Join(err, changed)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		s.add(t, 10, noon.AddDate(-1, 0, 0))
		s.UnstartedHours, s.IncompleteDays = 24, 90
		if err := s.Retain(t.Context()); err == nil || err.Error() != jobs.Snooze(retainEvery).Error() {
			t.Errorf("retained: %v", err)
		}
		if left := s.left(t, 0, 10); !slices.Equal(left, []int{2, 3, 4, 5, 6, 8, 10}) {
			t.Errorf("%v are left", left)
		}
		if _, err := Find(t.Context(), db.SQL, id(0)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the tombstone of an application that did not start: %v", err)
		}
		if tomb, err := Find(t.Context(), db.SQL, id(7)); err != nil || tomb.Reason != byAge {
			t.Errorf("the tombstone is %+v, %v", tomb, err)
		}
	})
}

// TestRetainSparesChanged checks that an application that changes during its deletion remains.
func TestRetainSparesChanged(t *testing.T) {
	s, p := open(t, storetest.SQLite(t, store.Portal))
	s.RetentionDays = 30
	s.share(t, s.add(t, 1, noon.AddDate(0, 0, -31)), "svc-harbor")
	p.before = func() { s.add(t, 1, noon) }
	if err := s.Retain(t.Context()); err == nil || len(s.left(t, 1, 1)) != 1 {
		t.Errorf("retained: %v, %v are left", err, s.left(t, 1, 1))
	}
}

func TestPage(t *testing.T) {
	db := storetest.SQLite(t, store.Portal)
	for n := range pageSize + 1 {
		if _, err := insert(t.Context(), db.SQL, Tombstone{id(n), "", byAge, noon.Add(time.Duration(n) * time.Minute)}); err != nil {
			t.Fatal(err)
		}
	}
	first, next, err := Page(t.Context(), db.SQL, "")
	if err != nil || len(first) != pageSize || first[0].ApplicationID != id(pageSize) || next == "" {
		t.Fatalf("%d tombstones, next %q, %v", len(first), next, err)
	}
	if last, next, err := Page(t.Context(), db.SQL, next); err != nil || len(last) != 1 || last[0].ApplicationID != id(0) || next != "" {
		t.Errorf("the last page is %+v, next %q, %v", last, next, err)
	}
}
