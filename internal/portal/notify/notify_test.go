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
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

// testServer is the service with fakes: a sender with configurable results, and a
// queue that is run manually.
type testServer struct {
	*Service
	t       *testing.T
	now     time.Time
	mu      sync.Mutex
	apps    *applications.Service
	queue   []string // delivery IDs
	answers []webhook.Result
	sent    []string // type and ID of each attempt
	bodies  []string
	log     logtest.Buffer
}

const here = "https://app.example.com/hooks/whose-path-is-secret"

func each(t *testing.T, f func(t *testing.T, r *testServer)) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) { f(t, newRoom(t, db)) })
}

func newRoom(t *testing.T, db *store.DB) *testServer {
	secret, err := webhook.ParseSecret(webhook.NewSecret())
	if err != nil {
		t.Fatal(err)
	}
	r := &testServer{t: t, now: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC), apps: &applications.Service{DB: db, Products: map[contract.Product]string{contract.Cashflow: "product"}, Environment: contract.Sandbox}}
	r.apps.Now = func() time.Time { return r.now }
	r.Service = &Service{DB: db, Queue: r, Sender: r, Applications: r.apps, Environment: contract.Sandbox, URL: here, Secrets: []webhook.Secret{secret},
		Log: slog.New(slog.NewTextHandler(&r.log, nil)), Now: func() time.Time { return r.now }}
	return r
}

func (r *testServer) Enqueue(_ context.Context, _ *store.Tx, args jobs.Args, _ ...jobs.EnqueueOption) error {
	r.queue = append(r.queue, args.(deliver).DeliveryID)
	return nil
}

func (r *testServer) Deliver(_ context.Context, url string, secrets []webhook.Secret, id string, body []byte) webhook.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	if url != here || len(secrets) != 1 {
		r.t.Errorf("sent to %s, signed by %d secrets", url, len(secrets))
	}
	var e struct{ EventID, Type string }
	if err := json.Unmarshal(body, &e); err != nil || e.EventID != id {
		r.t.Errorf("the id is %s and the body %s (%v)", id, body, err)
	}
	r.sent, r.bodies = append(r.sent, e.Type), append(r.bodies, string(body))
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
	a, err := r.apps.Get(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	a.ExternalID = "order-7"
	a.Journey = journey.Application{State: journey.State(state), Attempt: 1, Status: contract.StatusError, Substatus: contract.SubIncomplete, Error: contract.WidgetSupplierError}
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

// work runs the job of a delivery, and reports whether it reschedules itself.
func (r *testServer) work(id string) (again bool) {
	r.t.Helper()
	err := r.deliver(r.t.Context(), jobs.Job{}, deliver{DeliveryID: id})
	if err != nil && !strings.Contains(err.Error(), "JobSnoozeError") {
		r.t.Fatal(err)
	}
	return err != nil
}

func (r *testServer) delivery(id string) Delivery {
	r.t.Helper()
	d, err := r.Delivery(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func TestAnEventSaysWhereItsApplicationStandsAndNoMore(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		app := r.application()
		d := r.delivery(r.happen(app, "failed", 5))
		want := fmt.Sprintf(`{"eventId":%q,"type":"application.failed","createdAt":"2026-05-04T10:00:00.000Z","environment":"sandbox","sequence":5,`+
			`"application":{"id":%q,"externalId":"order-7","userArgs":"a canary","product":"cashflow","state":"failed","outcome":"ERROR","status":"ERROR","substatus":"INCOMPLETE_INFORMATION","error":"SUPPLIER_ERROR","resumable":true,"decision":null}}`, d.EventID, app)
		if string(d.Body) != want {
			t.Errorf("body = %s\nwant   %s", d.Body, want)
		}
		bare, err := r.body("evt_1", applications.Application{ID: "1", Journey: journey.New(0)}, applications.TimelineEntry{})
		if err != nil || !strings.Contains(string(bare), `"userArgs":null,"product":"","state":"started","outcome":null,"status":null,"substatus":null,"error":null,"resumable":true,"decision":null}`) {
			t.Errorf("what is not known: %s, %v", bare, err)
		}
		taken, line := r.moved(app, "failed", 2)
		taken.Decision = applications.Decision{Kind: journey.MoreAsked, Number: 2, At: r.now}
		line.Kind, line.From = journey.MoreAsked, line.To
		decided, err := r.body("evt_1", taken, line)
		if err != nil || !strings.Contains(string(decided), `"type":"application.decided"`) ||
			!strings.Contains(string(decided), `"state":"failed",`) || !strings.Contains(string(decided), `"resumable":true,"decision":{"kind":"moreAsked","number":2,"reasons":[],"at":"2026-05-04T10:00:00.000Z","answeredAt":null}}`) {
			t.Errorf("what was decided: %s, %v", decided, err)
		}
		var kept []byte
		if err := r.DB.SQL.QueryRow(`SELECT body FROM app_events`).Scan(&kept); err != nil || bytes.Contains(kept, []byte("canary")) {
			t.Errorf("the body is kept as %q, %v", kept, err)
		}
	})
}

func TestWithoutAnAddressNothingIsKept(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		r.URL = ""
		if id := r.happen(r.application(), "started", 1); id != "" {
			t.Errorf("delivery %s is on its way to nowhere", id)
		}
		if page, _, err := r.List(t.Context(), Filter{Limit: 10}); len(page) != 0 || err != nil {
			t.Errorf("kept: %+v, %v", page, err)
		}
	})
}

// TestAnEventIsOfItsTransaction checks that a rollback removes the event.
func TestAnEventIsOfItsTransaction(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		app, broken := r.application(), errors.New("broken")
		a, l := r.moved(app, "connecting", 1)
		err := r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(r.Record(ctx, tx, a, l), broken)
		})
		if page, _, _ := r.List(t.Context(), Filter{Limit: 10}); !errors.Is(err, broken) || len(page) != 0 {
			t.Errorf("%v, and kept: %+v", err, page)
		}
	})
}

func TestAFailureIsTriedAgainWithTheSameIDUntilThreeDaysAreOver(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		r.answers = []webhook.Result{{Err: context.DeadlineExceeded, Took: time.Second}, {HTTP: 503, Took: 2 * time.Millisecond}}
		id := r.happen(r.application(), "ready", 5)
		for n, want := range []bool{true, true, false} {
			if again := r.work(id); again != want {
				t.Errorf("after attempt %d: again %v, want %v", n+1, again, want)
			}
			r.now = r.now.Add(time.Minute)
		}
		d := r.delivery(id)
		began := r.now.Add(-3 * time.Minute)
		want := []Attempt{{At: began, Took: time.Second, Error: webhook.ClassTimeout},
			{At: began.Add(time.Minute), HTTP: 503, Took: 2 * time.Millisecond}, {At: began.Add(2 * time.Minute), HTTP: 204, Took: 7 * time.Millisecond}}
		if !slices.Equal(d.Attempts, want) || d.State != webhook.StateDelivered || d.HTTP != 204 || d.Tries != 3 {
			t.Errorf("attempts %+v of %+v, want %+v", d.Attempts, d, want)
		}
		if slices.ContainsFunc(r.bodies, func(b string) bool { return b != string(d.Body) }) || len(r.bodies) != 3 {
			t.Errorf("%d bodies were sent that are not all %s:\n%s", len(r.bodies), d.Body, strings.Join(r.bodies, "\n"))
		}
		if r.work(id) || len(r.bodies) != 3 {
			t.Error("what was delivered is sent again")
		}

		late := r.happen(r.application(), "ready", 6)
		r.answers = slices.Repeat([]webhook.Result{{HTTP: 302}}, 100)
		attempts := 0
		for began := r.now; r.work(late); attempts++ {
			r.now = r.now.Add(webhook.Delay(attempts + 1))
			if r.now.Sub(began) > webhook.Patience+24*time.Hour {
				t.Fatal("it is tried for ever")
			}
		}
		if d := r.delivery(late); d.State != webhook.StateGivenUp || d.Tries != attempts || d.HTTP != 302 || attempts < 10 {
			t.Errorf("after three days: %+v", d)
		}
		if log := r.log.String(); strings.Contains(log, "canary") || strings.Contains(log, "whose-path") || !strings.Contains(log, "class=TIMEOUT") {
			t.Errorf("the log:\n%s", log)
		}
	})
}

func TestFirstAttemptsAreInOrderAndRetriesDoNotBlock(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		app, other := r.application(), r.application()
		started, connecting, pending := r.happen(app, "started", 1), r.happen(app, "connecting", 2), r.happen(app, "pending", 4)
		elsewhere := r.happen(other, "exited", 3)
		if !r.work(pending) || !r.work(connecting) || r.work(elsewhere) {
			t.Error("what comes later did not wait, or another application did")
		}
		r.answers = []webhook.Result{{HTTP: 500}}
		if !r.work(started) || r.work(connecting) || r.work(pending) {
			t.Error("a retry holds up what comes later")
		}
		r.work(started)
		if want := []string{"application.exited", "application.started", "application.connecting", "application.pending", "application.started"}; !slices.Equal(r.sent, want) {
			t.Errorf("sent %q, want %q", r.sent, want)
		}
		r.happen(app, "ready", 6) // its job is dropped
		last := r.happen(app, "expired", 7)
		r.now = r.now.Add(inOrder + time.Second)
		if r.work(last) {
			t.Error("a forerunner that is never sent holds up what comes later")
		}
	})
}

func TestASlowReceiverDoesNotTakeAllWorkers(t *testing.T) {
	each(t, func(t *testing.T, one *testServer) {
		one.sending.Store(maxAtOnce)
		id := one.happen(one.application(), "started", 1)
		if !one.work(id) || len(one.sent) != 0 || one.sending.Load() != maxAtOnce {
			t.Errorf("one more than may be: %v, %d", one.sent, one.sending.Load())
		}
		one.sending.Store(maxAtOnce - 1)
		if one.work(id) || len(one.sent) != 1 || one.sending.Load() != maxAtOnce-1 {
			t.Errorf("with capacity for it: %v, %d", one.sent, one.sending.Load())
		}
	})
}

func TestGoneStopsEverythingUntilItIsTurnedOn(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		app := r.application()
		first, second := r.happen(app, "started", 1), r.happen(app, "connecting", 2)
		r.answers = []webhook.Result{{Outcome: webhook.Disabled, HTTP: 410}}
		stoppedAt := r.now
		r.work(first)
		r.work(second)
		if id := r.happen(app, "pending", 3); id != "" {
			t.Errorf("delivery %s is on its way to a stopped address", id)
		}
		page, _, err := r.List(t.Context(), Filter{State: webhook.StateDisabled, Limit: 10})
		if err != nil || len(page) != 3 || len(r.sent) != 1 {
			t.Errorf("after 410: %d deliveries are disabled and %d were sent, %v", len(page), len(r.sent), err)
		}
		if to, err := r.Target(t.Context()); err != nil || !to.Stopped.Equal(stoppedAt) || to.URL != here {
			t.Errorf("target = %+v, %v", to, err)
		}
		if _, err := r.Redeliver(t.Context(), first, 0, nil); !errors.Is(err, ErrStopped) {
			t.Errorf("sent again while it is stopped: %v", err)
		}
		for range 2 {
			if err := r.Resume(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		id, err := r.Redeliver(t.Context(), first, 0, nil)
		if err != nil || r.work(id) || len(r.sent) != 2 {
			t.Errorf("sent again after it was turned on: %v, %v", r.sent, err)
		}
		if next := r.happen(app, "ready", 4); next == "" || r.work(next) {
			t.Error("what happens after it was turned on is not sent")
		}
		if _, err := r.DB.SQL.Exec(`DELETE FROM app_stops`); err != nil {
			t.Fatal(err)
		}
		r.answers = []webhook.Result{{Outcome: webhook.Disabled, HTTP: 410}}
		r.work(r.happen(app, "exited", 5))
		r.URL = "https://app.example.com/another"
		if to, err := r.Target(t.Context()); err != nil || !to.Stopped.IsZero() {
			t.Errorf("another address is stopped too: %+v, %v", to, err)
		}
	})
}

func TestRedelivery(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		app := r.application()
		first := r.happen(app, "ready", 1)
		if _, err := r.Redeliver(t.Context(), first, 0, nil); !errors.Is(err, ErrOnItsWay) {
			t.Errorf("while the first is pending: %v", err)
		}
		r.work(first)
		if _, err := r.Redeliver(t.Context(), uuid.NewString(), 0, nil); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("of nothing: %v", err)
		}
		var won atomic.Int32
		var wg sync.WaitGroup
		var made string
		for range 6 {
			wg.Go(func() {
				id, err := r.Redeliver(context.Background(), first, 0, nil)
				if err == nil {
					won.Add(1)
					made = id
				} else if !errors.Is(err, ErrOnItsWay) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d of 6 at once sent it again, want 1", won.Load())
		}
		r.work(made)
		if d := r.delivery(made); d.EventID != r.delivery(first).EventID || d.State != webhook.StateDelivered || d.Resends != 1 || r.bodies[0] != r.bodies[1] {
			t.Errorf("sent again as %+v\n%s", d, strings.Join(r.bodies, "\n"))
		}
	})
}

// TestADeletedApplicationHasNoEvents checks that events cannot be read without the
// data key.
func TestADeletedApplicationHasNoEvents(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		app, other := r.application(), r.application()
		shredded, gone := r.happen(app, "ready", 1), r.happen(other, "ready", 1)
		key, err := r.apps.Key(t.Context(), r.DB.SQL, app)
		if err != nil {
			t.Fatal(err)
		}
		err = r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(r.DB.Vault.Shred(ctx, tx, key), r.apps.Delete(ctx, tx, other))
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{shredded, gone} {
			r.work(id)
			if d := r.delivery(id); d.State != webhook.StateGivenUp || d.Body != nil || len(r.sent) != 0 {
				t.Errorf("deleted: %+v, sent %q", d, r.sent)
			}
		}
	})
}

func TestTheListComesInPagesAndIsForgottenAfterAMonth(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		app, other := r.application(), r.application()
		var made []string
		for i := range 5 {
			made = append(made, r.happen(app, "started", int64(i)))
			if i%2 == 0 {
				r.now = r.now.Add(time.Second) // two at the same time
			}
		}
		mine := r.happen(other, "started", 1)
		r.work(mine)
		var seen []string
		f := Filter{ApplicationID: app, State: webhook.StatePending, Limit: 2}
		for range 4 {
			page, next, err := r.List(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range page {
				seen = append(seen, d.ID)
			}
			if f.Cursor = next; next == "" {
				break
			}
		}
		slices.Sort(seen)
		slices.Sort(made)
		if !slices.Equal(seen, made) {
			t.Errorf("in pages: %q, want %q", seen, made)
		}
		if page, _, _ := r.List(t.Context(), Filter{State: webhook.StateDelivered, Limit: 2}); len(page) != 1 || page[0].ID != mine || page[0].ApplicationID != other {
			t.Errorf("delivered: %+v", page)
		}
		for _, bad := range []string{"x", "1", "1.x", "-1." + app, "1." + app[1:]} {
			if _, _, err := r.List(t.Context(), Filter{Cursor: bad, Limit: 2}); !errors.Is(err, applications.ErrCursor) {
				t.Errorf("cursor %q: %v", bad, err)
			}
		}
		r.now = r.now.Add(Kept)
		late := r.happen(app, "expired", 9)
		r.now = r.now.Add(time.Second)
		if err := r.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if page, _, _ := r.List(t.Context(), Filter{Limit: 10}); len(page) != 1 || page[0].ID != late {
			t.Errorf("after a month: %+v", page)
		}
		if r.work(made[0]) {
			t.Error("the job of a deleted event continues")
		}
		var left int
		if err := r.DB.SQL.QueryRow(`SELECT COUNT(*) FROM app_delivery_attempts`).Scan(&left); err != nil || left != 0 {
			t.Errorf("%d attempts are left, %v", left, err)
		}
	})
}
