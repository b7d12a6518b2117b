package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

// testServer is the service with fakes: a sender with configurable results, and a
// queue that is run manually.
type testServer struct {
	*Service
	t       *testing.T
	now     time.Time
	apps    *applications.Service
	queue   []string // delivery IDs
	answers []webhook.Result
	sent    []string // type of each attempt
}

const here = "https://app.example.com/webhooks/whose-path-is-secret"

func each(t *testing.T, f func(t *testing.T, r *testServer)) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) { f(t, newTestServer(t, db)) })
}

func newTestServer(t *testing.T, db *store.DB) *testServer {
	secret, err := webhook.ParseSecret(webhook.NewSecret())
	if err != nil {
		t.Fatal(err)
	}
	r := &testServer{t: t, now: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC), apps: &applications.Service{DB: db,
		Products: map[contract.Product]string{contract.Cashflow: "product"}, Environment: contract.Sandbox}}
	db.SetClock(func() time.Time { return r.now })
	r.apps.Now = db.Now
	r.Service = New(Service{DB: db, Queue: r, Sender: r, Applications: r.apps, Environment: contract.Sandbox, URL: here,
		Secrets: []webhook.Secret{secret}, Log: slog.New(slog.DiscardHandler), Now: db.Now})
	return r
}

func (r *testServer) Enqueue(_ context.Context, _ *store.Tx, args jobs.Args, _ ...jobs.EnqueueOption) error {
	r.queue = append(r.queue, args.(deliver).DeliveryID)
	return nil
}

func (r *testServer) CheckURL(string) error { return nil }

func (r *testServer) Deliver(_ context.Context, to webhook.Target, id string, body []byte) webhook.Result {
	if to.URL != here || len(to.Secrets) != 1 {
		r.t.Errorf("sent to %s, signed by %d secrets", to.URL, len(to.Secrets))
	}
	var e struct{ EventID, Type string }
	if err := json.Unmarshal(body, &e); err != nil || e.EventID != id {
		r.t.Errorf("the id is %s and the body %s (%v)", id, body, err)
	}
	r.sent = append(r.sent, e.Type)
	if len(r.answers) == 0 {
		return webhook.Result{Outcome: webhook.Delivered, HTTP: 204, Took: 7 * time.Millisecond}
	}
	out := r.answers[0]
	r.answers = r.answers[1:]
	return out
}

// application creates an application.
func (r *testServer) application() string {
	r.t.Helper()
	var a applications.Application
	err := r.DB.Tx(r.t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		a, _, err = r.apps.Create(ctx, tx, applications.New{Product: contract.Cashflow, Origin: applications.FromAPI, UserArgs: "a canary"})
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return a.ID
}

// moved returns an application in a state, with its timeline entry.
func (r *testServer) moved(id, state string, sequence int64) (applications.Application, applications.TimelineEntry) {
	r.t.Helper()
	a, err := r.apps.Get(r.t.Context(), r.apps.DB.SQL, id)
	if err != nil {
		r.t.Fatal(err)
	}
	a.ExternalID = "order-7"
	a.Journey = journey.Application{State: journey.State(state), Attempt: 1, Status: contract.StatusError, Substatus: contract.SubIncomplete,
		Error: contract.WidgetSupplierError}
	return a, applications.TimelineEntry{Seq: sequence, At: r.now, Kind: string(journey.Poll), From: "another", To: state}
}

// happen moves an application to a state and returns the delivery of its event.
func (r *testServer) happen(id, state string, sequence int64) string {
	r.t.Helper()
	before := r.queue
	a, l := r.moved(id, state, sequence)
	err := r.DB.Tx(r.t.Context(), func(ctx context.Context, tx *store.Tx) error {
		r.queue = slices.Clone(before)
		return r.Record(ctx, tx, a, l)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	if len(r.queue) == len(before) {
		return ""
	}
	return r.queue[len(before)]
}

// work runs a delivery once and requires that it is not retried.
func (r *testServer) work(id string) {
	r.t.Helper()
	if err := r.deliver(r.t.Context(), jobs.Job{}, deliver{DeliveryID: id}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *testServer) tx(f func(ctx context.Context, tx *store.Tx) error) {
	r.t.Helper()
	if err := r.DB.Tx(r.t.Context(), f); err != nil {
		r.t.Fatal(err)
	}
}

func (r *testServer) delivery(id string) webhook.Delivery {
	r.t.Helper()
	d, err := r.Delivery(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func (r *testServer) list(f webhook.Filter) []webhook.Delivery {
	r.t.Helper()
	f.Limit = 10
	page, _, err := r.List(r.t.Context(), f, "")
	if err != nil {
		r.t.Fatal(err)
	}
	return page
}

func TestEventContent(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		app := r.application()
		d := r.delivery(r.happen(app, "failed", 5))
		want := fmt.Sprintf(`{"eventId":%q,"type":"application.failed",`+
			`"createdAt":"2026-05-04T10:00:00.000Z","environment":"sandbox","sequence":5,`+
			`"application":{"id":%q,"externalId":"order-7","userArgs":"a canary","product":"cashflow","state":"failed",`+
			`"outcome":"ERROR","status":"ERROR","substatus":"INCOMPLETE_INFORMATION",`+
			`"error":"SUPPLIER_ERROR","resumable":true,"decision":null,"report":null}}`, d.EventID, app)
		if string(d.Body) != want {
			t.Errorf("body = %s\nwant   %s", d.Body, want)
		}
		bare, err := r.body("evt_1", applications.Application{ID: "1", Journey: journey.New(0)}, applications.TimelineEntry{})
		if err != nil || !strings.Contains(string(bare),
			`"userArgs":null,"product":"","state":"started","outcome":null,"status":null,`+
				`"substatus":null,"error":null,"resumable":true,"decision":null,"report":null}`) {
			t.Errorf("what is not known: %s, %v", bare, err)
		}
		taken, line := r.moved(app, "failed", 2)
		taken.Decision = applications.Decision{Kind: journey.MoreAsked, Number: 2, At: r.now}
		line.Kind, line.From = journey.MoreAsked, line.To
		decided, err := r.body("evt_1", taken, line)
		if err != nil || !strings.Contains(string(decided), `"type":"application.decided"`) ||
			!strings.Contains(string(decided), `"state":"failed",`) || !strings.Contains(string(decided),
			`"resumable":true,"decision":{"kind":"moreAsked","number":2,"reasons":[],"at":"2026-05-04T10:00:00.000Z","answeredAt":null,`+
				`"outdated":false},"report":null}`) {
			t.Errorf("what was decided: %s, %v", decided, err)
		}
		var kept []byte
		if err := r.DB.SQL.QueryRow(`SELECT body FROM events`).Scan(&kept); err != nil || bytes.Contains(kept, []byte("canary")) {
			t.Errorf("the body is kept as %q, %v", kept, err)
		}
	})
}

func TestWithoutURLEventsAreNotStored(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		r.URL = ""
		if id := r.happen(r.application(), "started", 1); id != "" {
			t.Errorf("delivery %s is sent without a URL", id)
		}
		if page := r.list(webhook.Filter{}); len(page) != 0 {
			t.Errorf("kept: %+v", page)
		}
	})
}

// TestEventBelongsToItsTransaction checks that a rollback removes the event.
func TestEventBelongsToItsTransaction(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		app, broken := r.application(), errors.New("broken")
		a, l := r.moved(app, "connecting", 1)
		err := r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(r.Record(ctx, tx, a, l), broken)
		})
		if page := r.list(webhook.Filter{}); !errors.Is(err, broken) || len(page) != 0 {
			t.Errorf("%v, and kept: %+v", err, page)
		}
	})
}

// TestGoneStopsDeliveries checks that a 410 stops deliveries to its URL until they are
// enabled, and to no other URL.
func TestGoneStopsDeliveries(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		app := r.application()
		first, second := r.happen(app, "started", 1), r.happen(app, "connecting", 2)
		r.answers = []webhook.Result{{Outcome: webhook.Disabled, HTTP: 410}}
		stoppedAt := r.now
		r.work(first)
		r.work(second)
		if id := r.happen(app, "pending", 3); id != "" {
			t.Errorf("delivery %s to a stopped URL is enqueued", id)
		}
		if page := r.list(webhook.Filter{State: webhook.StateDisabled}); len(page) != 3 || len(r.sent) != 1 {
			t.Errorf("after 410: %d deliveries are disabled and %d were sent", len(page), len(r.sent))
		}
		if to, err := r.Target(t.Context()); err != nil || !to.Stopped.Equal(stoppedAt) || to.URL != here {
			t.Errorf("target = %+v, %v", to, err)
		}
		r.URL = "https://app.example.com/another"
		if to, err := r.Target(t.Context()); err != nil || !to.Stopped.IsZero() {
			t.Errorf("another URL is stopped too: %+v, %v", to, err)
		}
		r.URL = here
		for _, want := range []bool{true, false} {
			r.tx(func(ctx context.Context, tx *store.Tx) error {
				if resumed, err := r.Resume(ctx, tx); err != nil || resumed != want {
					t.Errorf("resumed %v, %v; want %v", resumed, err, want)
				}
				return nil
			})
		}
		r.work(r.happen(app, "ready", 4))
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			_, err := r.Redeliver(ctx, tx, first, 0)
			return err
		})
		r.work(r.queue[len(r.queue)-1])
		if want := []string{"application.started", "application.ready", "application.started"}; !slices.Equal(r.sent, want) {
			t.Errorf("sent %q, want %q", r.sent, want)
		}
	})
}

// TestDeletedApplicationHasNoEvents checks that events cannot be read without the data
// key, and that Forget deletes them.
func TestDeletedApplicationHasNoEvents(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		app, other := r.application(), r.application()
		shredded, forgotten := r.happen(app, "ready", 1), r.happen(other, "ready", 1)
		key, err := r.apps.Key(t.Context(), r.DB.SQL, app)
		if err != nil {
			t.Fatal(err)
		}
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(r.DB.Vault.Shred(ctx, tx, key), r.Outbox.Forget(ctx, tx, other))
		})
		r.work(shredded)
		r.work(forgotten)
		if all := r.list(webhook.Filter{}); len(all) != 1 || all[0].State != webhook.StateGivenUp || r.delivery(shredded).Body != nil ||
			len(r.sent) != 0 {
			t.Errorf("deleted: %+v, sent %q", all, r.sent)
		}
	})
}

func TestListHasPages(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		app, other := r.application(), r.application()
		var made, seen []string
		for i := range 5 {
			made = append(made, r.happen(app, "started", int64(i)))
			if i%2 == 0 {
				r.now = r.now.Add(time.Second) // two at the same time
			}
		}
		r.happen(other, "started", 1)
		for cursor := ""; ; {
			page, next, err := r.List(t.Context(), webhook.Filter{Subject: app, Limit: 2}, cursor)
			if err != nil || len(page) > 2 {
				t.Fatalf("%d on a page, %v", len(page), err)
			}
			for _, d := range page {
				seen = append(seen, d.ID)
			}
			if cursor = next; next == "" {
				break
			}
		}
		slices.Sort(seen)
		slices.Sort(made)
		if !slices.Equal(seen, made) {
			t.Errorf("in pages: %q, want %q", seen, made)
		}
		for _, bad := range []string{"x", "1", "1.x", "-1." + app, "1." + app[1:]} {
			if _, _, err := r.List(t.Context(), webhook.Filter{Limit: 2}, bad); !errors.Is(err, store.ErrCursor) {
				t.Errorf("cursor %q: %v", bad, err)
			}
		}
	})
}
