package webhooks

import (
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

// testServer is the service with a receiver whose answers the test sets, a queue whose
// jobs the test runs, and one report.
type testServer struct {
	*Service
	t        *testing.T
	now      time.Time
	key      string
	queue    []deliver
	answers  []webhook.Result
	meantime func() // called while the receiver answers
	bodies   []string
}

func each(t *testing.T, f func(t *testing.T, r *testServer)) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := &testServer{t: t, now: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}
		now := func() time.Time { return r.now }
		db.SetClock(now)
		r.Service = New(Service{DB: db, Queue: r, Sender: r, Log: slog.New(slog.DiscardHandler), Now: now,
			Reports: &reports.Service{DB: db, Now: now}, Customers: &customers.Service{DB: db, Now: now}})
		r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
			for _, id := range []string{mine, theirs} {
				if _, err := tx.ExecContext(ctx,
					`INSERT INTO customers (id, public_id, environment, name, created_at) VALUES ($1, $1, 'sandbox', $1, 0)`, id); err != nil {
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
			_, err = tx.ExecContext(ctx,
				`INSERT INTO reports (public_token, customer_id, product_id, kind, key_id, user_args, status, created_at, updated_at)
				VALUES ($1, $2, 'p', 'cashflow', $3, 'a canary', 'PENDING', $4, $4)`, report, mine, r.key, store.Micros(r.now))
			return err
		})
		f(t, r)
	})
}

func (r *testServer) Enqueue(_ context.Context, _ *store.Tx, args jobs.Args, _ ...jobs.EnqueueOption) error {
	if further, ok := args.(deliverFurther); ok {
		args = further.deliver
	}
	r.queue = append(r.queue, args.(deliver))
	return nil
}

func (r *testServer) CheckURL(string) error { return nil }

func (r *testServer) Deliver(_ context.Context, to webhook.Target, _ string, body []byte) webhook.Result {
	r.bodies = append(r.bodies, string(body))
	if len(to.Secrets) == 0 {
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
	if err := r.deliver(r.t.Context(), jobs.Job{}, deliver{DeliveryID: id}); (err != nil) != (r.delivery(id).State == webhook.StatePending) {
		r.t.Fatal(err)
	}
}

func (r *testServer) redeliver(customer, id string) (made string, err error) {
	err = r.DB.Tx(r.t.Context(), func(ctx context.Context, tx *store.Tx) error {
		made, err = r.Redeliver(ctx, tx, customer, id, 0)
		return err
	})
	return made, err
}

func (r *testServer) setURL(customer, url string) (secret string) {
	r.t.Helper()
	r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
		c, err := r.Callback(ctx, tx, customer, "")
		if errors.Is(err, store.ErrNotFound) {
			_, secret, err = r.Add(ctx, tx, customer, url)
			return err
		}
		return errors.Join(err, r.SetURL(ctx, tx, c, url))
	})
	return secret
}

func (r *testServer) callback(customer string) webhook.Callback {
	r.t.Helper()
	c, err := r.Callback(r.t.Context(), r.DB.SQL, customer, "")
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func (r *testServer) delivery(id string) webhook.Delivery {
	r.t.Helper()
	d, err := r.Delivery(r.t.Context(), r.DB.SQL, mine, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

// TestRetriesSendSameBody also when the customer's label of the report changes.
func TestRetriesSendSameBody(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		r.setURL(mine, "https://a.example/webhook")
		r.answers = []webhook.Result{{HTTP: 503}}
		id := r.happen(contract.StatusSuccess)
		if d := r.delivery(id); d.Body != nil {
			t.Errorf("before anything was sent: %s", d.Body)
		}
		r.work(id)
		r.relabel("another label")
		r.work(id)
		made, err := r.redeliver(mine, id)
		if err != nil {
			t.Fatal(err)
		}
		r.work(made)
		want := fmt.Sprintf(`{"eventId":%q,"type":"VISIT","createdAt":"2026-05-04T10:00:00.000Z",`+
			`"environment":"sandbox","publicId":"customer-1",`+
			`"productId":"p","publicToken":%q,"externalId":null,"userArgs":"a canary","consumerId":null,"status":"SUCCESS","substatus":null}`,
			r.delivery(id).EventID, report)
		for _, sent := range append(r.bodies, string(r.delivery(id).Body), string(r.delivery(made).Body)) {
			if sent != want {
				t.Errorf("sent %s\nwant %s", sent, want)
			}
		}
		r.tx(func(ctx context.Context, tx *store.Tx) error { return r.DB.Vault.Shred(ctx, tx, r.key) })
		if d := r.delivery(id); d.Body != nil || !d.Shredded {
			t.Errorf("with its key destroyed: %+v", d)
		}
	})
}

func TestDeliveriesAreVisibleToOwnerOnly(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		r.setURL(mine, "https://a.example/webhook")
		id := r.happen(contract.StatusSuccess)
		r.work(id)
		for range 2 { // without a callback of the other customer, and with one
			if _, err := r.Delivery(t.Context(), r.DB.SQL, theirs, id); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("another customer's delivery: %v", err)
			}
			if _, err := r.redeliver(theirs, id); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("sent again by another customer: %v", err)
			}
			for customer, want := range map[string]int{mine: 1, theirs: 0} {
				list, err := r.Deliveries(t.Context(), r.DB.SQL, customer, "", webhook.Filter{State: webhook.StateDelivered, Subject: report, Limit: 9})
				counts, err2 := r.Counts(t.Context(), r.DB.SQL, customer, "", webhook.Window{Since: r.now.Add(-24 * time.Hour), Hourly: true})
				if err := errors.Join(err, err2); err != nil || len(list) != want || len(counts) != want ||
					want > 0 && (counts[0].State != webhook.StateDelivered || counts[0].Count != want || counts[0].Step != 24) {
					t.Errorf("%s has %d deliveries and counts %v (%v), want %d", customer, len(list), counts, err, want)
				}
			}
			r.setURL(theirs, "https://b.example/webhook")
		}
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			_, err := r.SetEnabled(ctx, tx, r.callback(mine), false)
			return err
		})
		if _, err := r.redeliver(mine, id); !errors.Is(err, webhook.ErrStopped) {
			t.Errorf("with the callback off: %v", err)
		}
	})
}

func TestSubscriptionChoosesStatuses(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		subscribe := func(statuses ...contract.Status) error {
			return r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error { return r.Subscribe(ctx, tx, r.callback(mine), statuses) })
		}
		if r.happen(contract.StatusSuccess) != "" {
			t.Error("an event without a callback is delivered")
		}
		r.setURL(mine, "https://a.example/webhook")
		if r.happen(contract.StatusSuccess) == "" {
			t.Error("a new callback does not get every event")
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
			t.Error("it gets other events than the chosen ones")
		}
		if err := subscribe(Subscribable()...); err != nil || r.callback(mine).Statuses != nil {
			t.Errorf("all is %v, %v; want none kept", r.callback(mine).Statuses, err)
		}
	})
}

func TestConcurrentRotations(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		if r.setURL(mine, "https://a.example/webhook") == "" {
			t.Fatal("a new callback has no secret")
		}
		if r.setURL(mine, "https://b.example/webhook") != "" {
			t.Error("another address shows the secret again")
		}
		old := r.callback(mine).Signers
		if len(old) != 1 || !old[0].Ends.IsZero() {
			t.Fatalf("signers %+v", old)
		}
		var won atomic.Int32
		var wait sync.WaitGroup
		before := r.callback(mine)
		for range 4 {
			wait.Go(func() {
				err := r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					secret, ok, err := r.Rotate(ctx, tx, before, old[0].ID)
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
		r.setURL(theirs, "https://c.example/webhook")
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			if _, ok, err := r.Rotate(ctx, tx, r.callback(theirs), now[0].ID); ok || err != nil {
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

func TestCallbackIsEnabledAndDisabled(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		set := func(on bool) (changed bool) {
			r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
				changed, err = r.SetEnabled(ctx, tx, r.callback(mine), on)
				return err
			})
			return changed
		}
		r.setURL(mine, "https://a.example/webhook")
		if set(true) || !set(false) || set(false) || r.callback(mine).Disabled != r.now || r.happen(contract.StatusSuccess) != "" {
			t.Errorf("off is not off: %+v", r.callback(mine))
		}
		if !set(true) || !r.callback(mine).Disabled.IsZero() || r.happen(contract.StatusSuccess) == "" {
			t.Errorf("on is not on: %+v", r.callback(mine))
		}
	})
}

// TestGoneDisablesOneURL that was set while the former one answered.
func TestGoneDisablesOneURL(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		r.setURL(mine, "https://old.example/webhook")
		gone := webhook.Result{Outcome: webhook.Disabled, HTTP: 410}
		r.answers = []webhook.Result{gone, gone}
		r.meantime = func() { r.setURL(mine, "https://new.example/webhook") }
		id := r.happen(contract.StatusSuccess)
		r.work(id)
		if c := r.callback(mine); !c.Disabled.IsZero() || r.delivery(id).State != webhook.StatePending {
			t.Errorf("the new URL is %+v, the delivery %s", c, r.delivery(id).State)
		}
		r.meantime = nil
		r.work(id)
		if c := r.callback(mine); !c.Disabled.Equal(r.now) || r.delivery(id).State != webhook.StateDisabled {
			t.Errorf("a URL that is gone: %+v, the delivery %s", c, r.delivery(id).State)
		}
	})
}

// TestTestEvents: they have one attempt, reach callbacks of any subscription, and are limited.
func TestTestEvents(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		send := func(customer string) (string, error) {
			r.queue = nil
			err := r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				_, err := r.SendTest(ctx, tx, customer, r.callback(customer))
				return err
			})
			if err != nil {
				return "", err
			}
			return r.queue[0].DeliveryID, nil
		}
		r.setURL(mine, "https://a.example/webhook")
		r.setURL(theirs, "https://b.example/webhook")
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			return r.Subscribe(ctx, tx, r.callback(mine), []contract.Status{contract.StatusError})
		})
		r.answers = []webhook.Result{{HTTP: 503, Took: time.Second}}
		for _, want := range []webhook.State{webhook.StateGivenUp, webhook.StateDelivered} {
			id, err := send(mine)
			if err != nil {
				t.Fatal(err)
			}
			r.work(id)
			d := r.delivery(id)
			body := fmt.Sprintf(`{"eventId":%q,"type":"TEST","createdAt":"2026-05-04T10:00:00.000Z","environment":"sandbox",`+
				`"publicId":"customer-1"}`, d.EventID)
			if d.State != want || d.Tries != 1 || string(d.Body) != body || r.bodies[len(r.bodies)-1] != body {
				t.Errorf("%+v with the body %s, want it %s with %s", d, d.Body, want, body)
			}
			if want == webhook.StateGivenUp && (d.Last.HTTP != 503 || d.Last.Took != time.Second) {
				t.Errorf("the last attempt is %+v", d.Last)
			}
		}
		for range MaxTests - 2 {
			if _, err := send(mine); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := send(mine); !errors.Is(err, ErrTooManyTests) {
			t.Errorf("after %d tests: %v", MaxTests, err)
		}
		if _, err := send(theirs); err != nil {
			t.Errorf("another customer: %v", err)
		}
		r.now = r.now.Add(time.Hour)
		if _, err := send(mine); err != nil {
			t.Errorf("an hour later: %v", err)
		}
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			_, err := r.SetEnabled(ctx, tx, r.callback(mine), false)
			return err
		})
		if _, err := send(mine); !errors.Is(err, webhook.ErrStopped) {
			t.Errorf("with the callback off: %v", err)
		}
	})
}
