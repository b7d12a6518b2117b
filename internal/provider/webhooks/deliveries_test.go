package webhooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

const (
	mine   = "customer-1"
	theirs = "customer-2"
	report = "11111111-1111-4111-8111-111111111111"
)

// testServer is an events service with a sender whose answers the test sets, a queue whose
// jobs the test runs, and one report in the database.
type testServer struct {
	*Service
	t        *testing.T
	now      time.Time
	key      string
	queue    []deliver
	answers  []webhook.Result
	meantime func() // what happens while the receiver thinks
	bodies   []string
}

func each(t *testing.T, f func(t *testing.T, r *testServer)) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := &testServer{t: t, now: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}
		now := func() time.Time { return r.now }
		r.Service = &Service{DB: db, Queue: r, Sender: r, Log: slog.New(slog.DiscardHandler), Now: now,
			Reports: &reports.Service{DB: db, Now: now}, Customers: &customers.Service{DB: db, Now: now}}
		r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
			for _, id := range []string{mine, theirs} {
				if _, err := tx.ExecContext(ctx, `INSERT INTO customers (id, public_id, environment, name, created_at) VALUES ($1, $1, 'sandbox', $1, 0)`, id); err != nil {
					return err
				}
			}
			if r.key, err = db.Vault.NewKey(ctx, tx); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `INSERT INTO products (id, customer_id, kind, name, inquiry_type, created_at)
				VALUES ('p', $1, 'cashflow', 'x', 'OTHER', 0)`, mine); err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, `INSERT INTO reports (public_token, customer_id, product_id, kind, key_id, user_args, status, created_at, updated_at)
				VALUES ($1, $2, 'p', 'cashflow', $3, 'a canary', 'PENDING', $4, $4)`, report, mine, r.key, store.Micros(r.now))
			return err
		})
		f(t, r)
	})
}

func (r *testServer) Enqueue(_ context.Context, _ *store.Tx, args jobs.Args, _ ...jobs.EnqueueOption) error {
	r.queue = append(r.queue, args.(deliver))
	return nil
}

func (r *testServer) CheckURL(string) error { return nil }

func (r *testServer) Deliver(_ context.Context, _ string, secrets []webhook.Secret, _ string, body []byte) webhook.Result {
	r.bodies = append(r.bodies, string(body))
	if len(secrets) == 0 {
		r.t.Error("nothing signs")
	}
	if r.meantime != nil {
		r.meantime()
	}
	if len(r.answers) == 0 {
		return webhook.Result{Outcome: webhook.Delivered, HTTP: 204, Took: 7 * time.Millisecond}
	}
	out := r.answers[0]
	r.answers = r.answers[1:]
	return out
}

// relabel changes the label that the customer gave the report.
func (r *testServer) relabel(userArgs string) {
	r.tx(func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE reports SET user_args = $1 WHERE public_token = $2`, userArgs, report)
		return err
	})
}

func (r *testServer) tx(f func(ctx context.Context, tx *store.Tx) error) {
	r.t.Helper()
	if err := r.DB.Tx(r.t.Context(), f); err != nil {
		r.t.Fatal(err)
	}
}

// happen records an event of a status and returns its delivery's id, or "".
func (r *testServer) happen(status contract.Status) string {
	r.t.Helper()
	before := len(r.queue)
	r.tx(func(ctx context.Context, tx *store.Tx) error {
		r.queue = r.queue[:before]
		return r.Record(ctx, tx, reports.StatusChange{CustomerID: mine, PublicToken: report, Status: status})
	})
	if len(r.queue) == before {
		return ""
	}
	return r.queue[before].DeliveryID
}

// work makes one attempt at a delivery.
func (r *testServer) work(id string) {
	r.t.Helper()
	// While it is pending, the error asks for a later attempt.
	if err := r.deliver(r.t.Context(), jobs.Job{}, deliver{DeliveryID: id}); (err != nil) != (r.delivery(id).State == "pending") {
		r.t.Fatal(err)
	}
}

func (r *testServer) direct(customer, url string) (secret string) {
	r.t.Helper()
	r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
		secret, err = r.Direct(ctx, tx, customer, url)
		return err
	})
	return secret
}

func (r *testServer) callback(customer string) Callback {
	r.t.Helper()
	c, err := r.Callback(r.t.Context(), r.DB.SQL, customer)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func (r *testServer) delivery(id string) Delivery {
	r.t.Helper()
	d, err := r.Delivery(r.t.Context(), r.DB.SQL, mine, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func TestEachAttemptIsARowAndTheBodyIsKeptSealed(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		r.direct(mine, "https://a.example/hook")
		r.answers = []webhook.Result{{Err: context.DeadlineExceeded, Took: time.Second}, {HTTP: 503, Took: 2 * time.Millisecond}}
		id := r.happen(contract.StatusSuccess)
		if d := r.delivery(id); d.Body != nil || len(d.Attempts) != 0 || d.State != "pending" {
			t.Errorf("before anything was sent: %+v", d)
		}
		r.work(id)
		r.now = r.now.Add(time.Minute)
		r.relabel("another label") // given since; what was sent stays what it was
		r.work(id)
		r.now = r.now.Add(time.Minute)
		r.work(id)
		d := r.delivery(id)
		want := []Attempt{{At: r.now.Add(-2 * time.Minute), Took: time.Second, Error: webhook.ClassTimeout},
			{At: r.now.Add(-time.Minute), HTTP: 503, Took: 2 * time.Millisecond}, {At: r.now, HTTP: 204, Took: 7 * time.Millisecond}}
		if !slices.Equal(d.Attempts, want) || d.State != "delivered" || d.HTTP != 204 || d.Tries != 3 {
			t.Errorf("attempts %+v of %+v, want %+v", d.Attempts, d, want)
		}
		for _, sent := range r.bodies {
			if sent != string(d.Body) || !strings.Contains(sent, "a canary") {
				t.Errorf("sent %s, shown %s", sent, d.Body)
			}
		}
		var kept []byte
		if err := r.DB.SQL.QueryRow(`SELECT body FROM deliveries`).Scan(&kept); err != nil || bytes.Contains(kept, []byte("canary")) {
			t.Errorf("the body is kept as %q, %v", kept, err)
		}
		r.tx(func(ctx context.Context, tx *store.Tx) error { return r.DB.Vault.Shred(ctx, tx, r.key) })
		if d := r.delivery(id); d.Body != nil || !d.Shredded {
			t.Errorf("with its key destroyed: %+v", d)
		}
		if _, err := r.Delivery(t.Context(), r.DB.SQL, theirs, id); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("another customer's delivery: %v", err)
		}
	})
}

func TestRedelivery(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		r.direct(mine, "https://a.example/hook")
		first := r.happen(contract.StatusSuccess)
		again := func(customer, id string, resends int64) (string, error) {
			var made string
			before := len(r.queue)
			err := r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
				r.queue = r.queue[:before]
				made, err = r.Redeliver(ctx, tx, customer, id, resends)
				return err
			})
			return made, err
		}
		if _, err := again(mine, first, 0); !errors.Is(err, ErrOnItsWay) {
			t.Errorf("while the first is pending: %v", err)
		}
		r.work(first)
		r.relabel("another label")
		if _, err := again(theirs, first, 0); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("by another customer: %v", err)
		}
		for i := range int64(3) {
			id, err := again(mine, first, i)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := again(mine, first, i); !errors.Is(err, ErrOnItsWay) {
				t.Errorf("the same form twice: %v", err)
			}
			r.work(id)
			if _, err := again(mine, first, i); !errors.Is(err, ErrOnItsWay) {
				t.Errorf("the same form after all: %v", err)
			}
			if a, b := r.delivery(id), r.delivery(first); a.EventID != b.EventID || !bytes.Equal(a.Body, b.Body) || a.State != "delivered" {
				t.Errorf("sent again: %+v, want the event and the body of %+v", a, b)
			}
		}
		if len(r.bodies) != 4 || len(slices.Compact(slices.Clone(r.bodies))) != 1 {
			t.Errorf("%d bodies were sent, or not the same: %q", len(r.bodies), r.bodies)
		}
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			_, err := r.Switch(ctx, tx, mine, false)
			return err
		})
		if _, err := again(mine, first, 3); !errors.Is(err, ErrNoCallback) {
			t.Errorf("with the callback off: %v", err)
		}
		counts, err := r.DeliveryCounts(t.Context(), r.DB.SQL, mine, r.now)
		if err != nil || counts["delivered"] != 4 {
			t.Errorf("counts %v, %v", counts, err)
		}
	})
}

func TestASubscriptionChoosesStatuses(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		subscribe := func(statuses ...contract.Status) error {
			return r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error { return r.Subscribe(ctx, tx, mine, statuses) })
		}
		if r.happen(contract.StatusSuccess) != "" {
			t.Error("an event without a callback is delivered")
		}
		if err := subscribe(contract.StatusError); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("without a callback: %v", err)
		}
		r.direct(mine, "https://a.example/hook")
		if r.happen(contract.StatusSuccess) == "" {
			t.Error("a new callback is not told of everything")
		}
		if err := subscribe(contract.StatusPending); err == nil {
			t.Error("a subscription of nothing is taken")
		}
		if err := subscribe(contract.StatusExpired, contract.StatusError, contract.StatusPending); err != nil {
			t.Fatal(err)
		}
		if got := r.callback(mine).Statuses; !slices.Equal(got, []contract.Status{contract.StatusError, contract.StatusExpired}) {
			t.Errorf("subscribed to %v", got)
		}
		if r.happen(contract.StatusSuccess) != "" || r.happen(contract.StatusError) == "" || r.happen(contract.StatusExpired) == "" {
			t.Error("not told of what was chosen alone")
		}
		if err := subscribe(Subscribable()...); err != nil || r.callback(mine).Statuses != nil {
			t.Errorf("all is %v, %v; want none kept", r.callback(mine).Statuses, err)
		}
	})
}

func TestOfRotationsAtOnceOneWins(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		if r.direct(mine, "https://a.example/hook") == "" {
			t.Fatal("a new callback has no secret")
		}
		if r.direct(mine, "https://b.example/hook") != "" {
			t.Error("another address shows the secret again")
		}
		old := r.callback(mine).Signers
		if len(old) != 1 || !old[0].Ends.IsZero() {
			t.Fatalf("signers %+v", old)
		}
		var won atomic.Int32
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				err := r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					secret, ok, err := r.Rotate(ctx, tx, mine, old[0].ID)
					if ok && !strings.HasPrefix(secret, "whsec_") {
						err = fmt.Errorf("secret %q", secret)
					}
					if ok {
						tx.AfterCommit(func() { won.Add(1) })
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		now := r.callback(mine).Signers
		if won.Load() != 1 || len(now) != 2 || now[1].ID != old[0].ID || !now[1].Ends.Equal(r.now.Add(Rotation)) || !now[0].Ends.IsZero() {
			t.Errorf("%d rotations won; signers %+v", won.Load(), now)
		}
		r.direct(theirs, "https://c.example/hook")
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			if _, ok, err := r.Rotate(ctx, tx, theirs, now[0].ID); ok || err != nil {
				t.Errorf("another customer's secret: %v, %v", ok, err)
			}
			return nil
		})
		r.now = r.now.Add(Rotation)
		if left := r.callback(mine).Signers; len(left) != 1 || left[0].ID != now[0].ID {
			t.Errorf("after a day %+v sign", left)
		}
	})
}

func TestSwitchingACallback(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		set := func(on bool) (changed bool) {
			r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
				changed, err = r.Switch(ctx, tx, mine, on)
				return err
			})
			return changed
		}
		if set(false) {
			t.Error("a callback that is not there was turned off")
		}
		r.direct(mine, "https://a.example/hook")
		if set(true) || !set(false) || set(false) || r.callback(mine).Disabled != r.now || r.happen(contract.StatusSuccess) != "" {
			t.Errorf("off is not off: %+v", r.callback(mine))
		}
		if !set(true) || !r.callback(mine).Disabled.IsZero() || r.happen(contract.StatusSuccess) == "" {
			t.Errorf("on is not on: %+v", r.callback(mine))
		}
	})
}

// TestAnAddressThatIsGoneDisablesNoOther that was set while it answered so.
func TestAnAddressThatIsGoneDisablesNoOther(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		r.direct(mine, "https://old.example/hook")
		id := r.happen(contract.StatusSuccess)
		r.answers = []webhook.Result{{Outcome: webhook.Disabled, HTTP: 410}}
		r.meantime = func() { r.direct(mine, "https://new.example/hook") }
		r.work(id)
		r.meantime = nil
		if c := r.callback(mine); !c.Disabled.IsZero() || r.delivery(id).State != "pending" {
			t.Errorf("the new address is %+v, the delivery %s", c, r.delivery(id).State)
		}
		r.work(id)
		if d := r.delivery(id); d.State != "delivered" {
			t.Errorf("at the new address it is %s", d.State)
		}
		id = r.happen(contract.StatusSuccess)
		r.answers = []webhook.Result{{Outcome: webhook.Disabled, HTTP: 410}}
		r.work(id)
		if c := r.callback(mine); c.Disabled.IsZero() || r.delivery(id).State != "disabled" {
			t.Errorf("an address that is gone: %+v, the delivery %s", c, r.delivery(id).State)
		}
	})
}

func TestDeliveriesAreListedByPages(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		r.direct(mine, "https://a.example/hook")
		var want []string
		for i := range 7 {
			id := r.happen(contract.StatusSuccess)
			if i%3 == 0 { // some at the same moment
				r.now = r.now.Add(time.Second)
			}
			want = append(want, id)
		}
		r.work(want[0])
		var got []string
		f := Filter{Limit: 3}
		for {
			page, err := r.Deliveries(t.Context(), r.DB.SQL, mine, f)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range page {
				got = append(got, d.ID)
			}
			if len(page) < f.Limit {
				break
			}
			last := page[len(page)-1]
			f.Before = store.Cursor{At: last.Created, ID: last.ID}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("the pages have %q, want %q", got, want)
		}
		for _, tc := range []struct {
			customer string
			f        Filter
			n        int
		}{{mine, Filter{State: "delivered", Limit: 9}, 1}, {mine, Filter{PublicToken: report, Limit: 9}, 7},
			{mine, Filter{PublicToken: mine, Limit: 9}, 0}, {theirs, Filter{Limit: 9}, 0}} {
			if page, err := r.Deliveries(t.Context(), r.DB.SQL, tc.customer, tc.f); err != nil || len(page) != tc.n {
				t.Errorf("%s %+v: %d, %v; want %d", tc.customer, tc.f, len(page), err, tc.n)
			}
		}
	})
}
