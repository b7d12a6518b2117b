package reports

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// kept says which of the two a report's row has.
func (r *testServer) kept(t *testing.T, publicToken string) string {
	t.Helper()
	out := ""
	for _, name := range []string{"input", "body"} {
		got, err := getWith(name, "")(t.Context(), r.DB.SQL, `public_token = $1`, publicToken)
		if err != nil {
			t.Fatal(err)
		}
		if got.data.sealed != nil {
			out += name + " "
		}
	}
	return out
}

// made creates a report and has it made at the clock's time, its data retrieved
// then or, if that is not zero, at another time.
func (r *testServer) made(t *testing.T, at time.Time) Report {
	t.Helper()
	rep := r.create(t, "")
	r.generateFrom(t, rep, Input{Profile: "any", At: at})
	return rep
}

func TestRetentionOfDataAndBodies(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		now := start
		r.Now = func() time.Time { return now }
		db.SetClock(r.Now)
		const day = 24 * time.Hour
		ordinary := r.made(t, time.Time{})
		old := r.made(t, start.Add(-25*day)) // submitted with data of 25 days ago
		late := r.made(t, start.Add(20*day)) // retrieved 20 days after it was begun
		waiting, failed := r.create(t, ""), r.create(t, "")
		if err := r.attach(t, waiting.PublicToken, Input{Profile: "any"}); err != nil {
			t.Fatal(err)
		}
		r.generateFrom(t, failed, Input{Banks: []SignIn{{Provider: "bank", Accounts: []string{"stocks"}}}})
		const both, body, input = "input body ", "body ", "input "
		for _, c := range []struct {
			after                                time.Duration
			ordinary, old, late, failed, waiting string
		}{
			{0, both, both, both, input, input},
			{30 * day, both, both, both, input, input},
			{30*day + time.Microsecond, body, body, both, "", input},
			{20 * day, body, body, both, "", input}, // moved back
			{34 * day, body, body, both, "", input},
			{34*day + time.Microsecond, body, body, body, "", input},
			{90 * day, body, body, body, "", input},
			{90*day + time.Microsecond, "", "", "", "", input},
			{0, "", "", "", "", input},
			{1000 * day, "", "", "", "", input},
		} {
			now = start.Add(c.after)
			if err := r.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, of := range []struct {
				name string
				rep  Report
				want string
			}{{"ordinary", ordinary, c.ordinary}, {"old", old, c.old}, {"late", late, c.late},
				{"failed", failed, c.failed}, {"waiting", waiting, c.waiting}} {
				if got := r.kept(t, of.rep.PublicToken); got != of.want {
					t.Errorf("after %s the %s one has %q, want %q", c.after, of.name, got, of.want)
				}
			}
		}
		got, err := r.Get(t.Context(), db.SQL, ordinary.PublicToken)
		if err != nil || !got.Forgotten || got.Status != contract.StatusSuccess {
			t.Errorf("what is left is %+v, %v", got, err)
		}
		if _, err := r.Data(t.Context(), got); !errors.Is(err, ErrDeleted) || !errors.Is(err, store.ErrNotFound) {
			t.Errorf("its data: %v, want ErrDeleted", err)
		}
		if _, err := r.body(t.Context(), got); !errors.Is(err, ErrDeleted) {
			t.Errorf("its body: %v, want ErrDeleted", err)
		}
		now = start
		err = r.tx(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := r.Lock(ctx, tx, customer, ordinary.PublicToken)
			return err
		})
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("holding it when the clock is back: %v", err)
		}
		if err := r.generate(t.Context(), jobs.Job{Attempt: 1}, Generate{waiting.PublicToken}); err != nil ||
			r.kept(t, waiting.PublicToken) != both {
			t.Errorf("the one that was waited for: %q, %v", r.kept(t, waiting.PublicToken), err)
		}
	})
}

// TestSweepRunsUntilDone has more to delete than a statement takes, and
// replicas that do it at the same time.
func TestSweepRunsUntilDone(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		first := r.made(t, time.Time{})
		young := r.made(t, time.Time{})
		for i := range 2*batch + 1 {
			exec(t, db, `INSERT INTO reports (public_token, customer_id, product_id, kind, key_id, status, created_at, updated_at, retrieved_at)
				SELECT $1, customer_id, product_id, kind, key_id, status, created_at, updated_at, retrieved_at FROM reports WHERE public_token = $2`,
				fmt.Sprint("copy-", i), first.PublicToken)
			exec(t, db, `INSERT INTO report_data (public_token, created_at, input, body)
				SELECT $1, created_at, input, body FROM report_data WHERE public_token = $2`, fmt.Sprint("copy-", i), first.PublicToken)
		}
		for _, table := range []string{"reports", "report_data"} {
			exec(t, db, `UPDATE `+table+` SET created_at = created_at + 3600000000 WHERE public_token = $1`, young.PublicToken)
		}
		left := func(column string) (n int) {
			t.Helper()
			if err := db.SQL.QueryRowContext(t.Context(), `SELECT count(`+column+`)
				FROM reports r LEFT JOIN report_data d ON d.public_token = r.public_token`).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		sweep := func(at time.Time) {
			t.Helper()
			r.Now = func() time.Time { return at }
			db.SetClock(r.Now)
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					if err := r.Sweep(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if err := r.Sweep(t.Context()); err != nil { // what another had taken, and not yet deleted
				t.Fatal(err)
			}
		}
		sweep(first.Created.Add(InputAge + time.Minute))
		if left("input") != 1 || left("body") != 2*batch+3 {
			t.Errorf("%d inputs and %d bodies are left, want 1 and all", left("input"), left("body"))
		}
		sweep(first.Created.Add(MaxAge + time.Minute))
		if left("body") != 1 || left("erased_at") != 2*batch+2 {
			t.Errorf("%d bodies are left of %d, want 1", left("body"), 2*batch+3)
		}
	})
}
