package webhook

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

	"github.com/google/uuid"

	"vestibule/internal/jobs"
	"vestibule/internal/store"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/storetest"
)

const secretURL = "https://a.example/webhook-canary"

// testServer is an outbox with a receiver whose answers the test sets, and a queue whose
// jobs the test runs.
type testServer struct {
	*Outbox
	t        *testing.T
	now      time.Time
	callback string // the receiver's id; "" in the portal
	url      string
	off      bool
	label    string            // of events whose bodies are composed from now on
	keys     map[string]string // data keys by subject
	queue    []string          // delivery ids
	answers  []Result          // of the next attempts; 204 after them
	meantime func()            // called while the receiver answers
	sent     []string          // event ids
	bodies   []string
	log      logtest.Buffer
}

// eachOutbox runs f with the tables of both parties on both engines.
func eachOutbox(t *testing.T, f func(t *testing.T, r *testServer)) {
	for _, party := range []string{store.Portal, store.Provider} {
		t.Run(party, func(t *testing.T) {
			storetest.Each(t, party, func(t *testing.T, db *store.DB) { f(t, newTestServer(t, db, party)) })
		})
	}
}

func newTestServer(t *testing.T, db *store.DB, party string) *testServer {
	t.Helper()
	r := &testServer{t: t, now: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC), url: secretURL, label: "label-canary", keys: map[string]string{}}
	db.SetClock(func() time.Time { return r.now })
	r.Outbox = &Outbox{DB: db, Queue: r, Sender: r, Log: slog.New(slog.NewTextHandler(&r.log, nil)),
		MaxAge: 30 * 24 * time.Hour,
		Now:    db.Now,
		Job:    func(id string, _ Endpoint) jobs.Args { return testJob{id} },
		Target: func(context.Context, store.Queryer, Delivery) (Target, error) {
			return Target{URL: r.url, Off: r.off}, nil
		},
		Gone: func(_ context.Context, _ *store.Tx, _ Delivery, url string) (bool, error) {
			r.off = url == r.url
			return r.off, nil
		},
		Key: func(_ context.Context, _ store.Queryer, subject string) (string, error) {
			if r.keys[subject] == "" {
				return "", store.ErrNotFound
			}
			return r.keys[subject], nil
		}}
	if party == store.Provider {
		r.callback = "callback"
		r.Body = func(ctx context.Context, q store.Queryer, d Delivery) ([]byte, string, error) {
			key, err := r.Key(ctx, q, d.Subject)
			return r.compose(d.EventID), key, err
		}
		r.exec(`INSERT INTO customers (id, public_id, environment, name, created_at)
			VALUES ('c', 'c', 'sandbox', 'c', 0), ('d', 'd', 'sandbox', 'd', 0)`)
		r.exec(`INSERT INTO callbacks (id, customer_id, url, created_at) VALUES ('callback', 'c', 'x', 0), ('other', 'd', 'x', 0)`)
	}
	return r
}

// reports reports whether the outbox is the provider's.
func (r *testServer) reports() bool { return r.Body != nil }

// to is the receiver.
func (r *testServer) to() Endpoint { return Endpoint{CallbackID: r.callback} }

type testJob struct{ id string }

func (testJob) Kind() string { return "test" }

func (r *testServer) Enqueue(_ context.Context, _ *store.Tx, args jobs.Args, _ ...jobs.EnqueueOption) error {
	r.queue = append(r.queue, args.(testJob).id)
	return nil
}

func (r *testServer) CheckURL(string) error { return nil }

// Deliver is the receiver.
func (r *testServer) Deliver(_ context.Context, _ Target, id string, body []byte) Result {
	r.sent, r.bodies = append(r.sent, id), append(r.bodies, string(body))
	if r.meantime != nil {
		r.meantime()
	}
	if len(r.answers) == 0 {
		return Result{Outcome: Delivered, HTTP: 204, Took: 7 * time.Millisecond}
	}
	out := r.answers[0]
	r.answers = r.answers[1:]
	return out
}

func (r *testServer) compose(eventID string) []byte {
	return fmt.Appendf(nil, `{"id":%q,"label":%q}`, eventID, r.label)
}

func (r *testServer) exec(query string, args ...any) {
	r.t.Helper()
	if _, err := r.DB.SQL.ExecContext(r.t.Context(), query, args...); err != nil {
		r.t.Fatal(err)
	}
}

func (r *testServer) count(query string) (n int) {
	r.t.Helper()
	if err := r.DB.SQL.QueryRowContext(r.t.Context(), query).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}

func (r *testServer) tx(f func(ctx context.Context, tx *store.Tx) error) {
	r.t.Helper()
	if err := r.DB.Tx(r.t.Context(), f); err != nil {
		r.t.Fatal(err)
	}
}

// event inserts an event about a subject, as the party does, and returns its id.
func (r *testServer) event(ctx context.Context, tx *store.Tx, subject string, sequence int64) (id string, err error) {
	id = uuid.NewString()
	if r.keys[subject] == "" {
		if r.keys[subject], err = r.DB.Vault.NewKey(ctx, tx); err != nil {
			return "", err
		}
	}
	if r.reports() {
		_, err = tx.ExecContext(ctx, `INSERT INTO events (id, customer_id, subject_id, type, detail, created_at)
			VALUES ($1, 'c', $2, 'ERROR', 'INCOMPLETE_INFORMATION', $3)`, id, subject, store.Micros(r.now))
		return id, err
	}
	body, err := r.DB.Vault.Seal(ctx, tx, r.keys[subject], EventBody(id), r.compose(id))
	if err != nil {
		return "", err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO events (id, subject_id, sequence, type, body, resends, created_at)
		VALUES ($1, $2, $3, 'application.failed', $4, 0, $5)`, id, subject, sequence, body, store.Micros(r.now))
	return id, err
}

// record records and sends an event about a subject, and returns its delivery's id.
func (r *testServer) record(subject string, sequence int64) string {
	r.t.Helper()
	before := len(r.queue)
	r.tx(func(ctx context.Context, tx *store.Tx) error {
		r.queue = r.queue[:before]
		id, err := r.event(ctx, tx, subject, sequence)
		if err != nil {
			return err
		}
		return r.Send(ctx, tx, id, r.to(), 0)
	})
	return r.queue[before]
}

// attempt runs the job of a delivery. It returns how long the job waits before it runs
// again, and false if it does not.
func (r *testServer) attempt(id string) (wait time.Duration, again bool) {
	r.t.Helper()
	err := r.Outbox.Deliver(r.t.Context(), id)
	if err == nil {
		return 0, false
	}
	text, ok := strings.CutPrefix(err.Error(), "JobSnoozeError: ")
	wait, parseErr := time.ParseDuration(text)
	if !ok || parseErr != nil {
		r.t.Fatal(err)
	}
	return wait, true
}

func (r *testServer) again(id string) bool {
	r.t.Helper()
	_, again := r.attempt(id)
	return again
}

func (r *testServer) get(id string) Delivery {
	r.t.Helper()
	d, err := r.Get(r.t.Context(), r.DB.SQL, r.callback, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func (r *testServer) redeliver(callback, id string, resends int64) (made string, err error) {
	err = r.DB.Tx(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		made, err = r.Redeliver(ctx, tx, callback, id, resends)
		return err
	})
	return made, err
}

func TestOutboxRetriesWithTheSameIDAndBody(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		r.answers = []Result{{Err: context.DeadlineExceeded, Took: time.Second}, {HTTP: 503, Took: 2 * time.Millisecond}}
		began := r.now
		id := r.record("s", 1)
		if d := r.get(id); d.State != StatePending || d.Tries != 0 || len(d.Attempts) != 0 || d.Subject != "s" || !d.Happened.Equal(began) {
			t.Errorf("before the first attempt: %+v", d)
		}
		for n, want := range []bool{true, true, false, false} { // the last is of a delivered event
			if again := r.again(id); again != want {
				t.Errorf("after attempt %d: again %v, want %v", n+1, again, want)
			}
			r.now, r.label = r.now.Add(time.Minute), "changed since"
		}
		d := r.get(id)
		want := []Attempt{{At: began, Took: time.Second, Error: ClassTimeout},
			{At: began.Add(time.Minute), HTTP: 503, Took: 2 * time.Millisecond},
			{At: began.Add(2 * time.Minute), HTTP: 204, Took: 7 * time.Millisecond}}
		if !slices.Equal(d.Attempts, want) || d.State != StateDelivered || d.HTTP != 204 || d.Tries != 3 || !d.Updated.Equal(want[2].At) {
			t.Errorf("attempts %+v of %+v, want %+v", d.Attempts, d, want)
		}
		if len(r.bodies) != 3 || len(slices.Compact(append(r.bodies, string(d.Body)))) != 1 ||
			len(slices.Compact(append(r.sent, d.EventID))) != 1 {
			t.Errorf("sent %q under %q, want %s", r.bodies, r.sent, d.Body)
		}
		var kept []byte
		query := `SELECT coalesce(d.body, e.body) FROM deliveries d JOIN events e ON e.id = d.event_id`
		if err := r.DB.SQL.QueryRow(query).Scan(&kept); err != nil || len(kept) == 0 || bytes.Contains(kept, []byte("canary")) {
			t.Errorf("the body is kept as %q, %v", kept, err)
		}
		if log := r.log.String(); strings.Contains(log, "canary") || !strings.Contains(log, "class=TIMEOUT") {
			t.Errorf("the log:\n%s", log)
		}
	})
}

func TestOutboxRetrySchedule(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		id := r.record("s", 1)
		r.answers = slices.Repeat([]Result{{HTTP: 302}}, 100)
		began, attempts := r.now, 0
		for ; ; attempts++ {
			wait, again := r.attempt(id)
			if !again {
				break
			}
			if want := schedule[min(attempts, len(schedule)-1)]; wait < want-want/5 || wait > want+want/5 {
				t.Errorf("the wait after attempt %d is %s, want about %s", attempts+1, wait, want)
			}
			r.now = r.now.Add(wait)
		}
		if d := r.get(id); d.State != StateGivenUp || d.Tries != attempts || d.HTTP != 302 || len(d.Attempts) != attempts || attempts < 10 {
			t.Errorf("after %s: %+v", r.now.Sub(began), d)
		}
		if over := r.now.Sub(began); over <= Patience || over > Patience+10*time.Hour {
			t.Errorf("given up after %s", over)
		}
		r.answers = []Result{{HTTP: 503, RetryAfter: 5 * time.Hour}}
		if wait, _ := r.attempt(r.record("s", 2)); wait != 5*time.Hour {
			t.Errorf("the receiver asks for a wait of 5 hours and gets %s", wait)
		}
	})
}

// TestOutboxSendsAgainAfterAKill kills the process after the receiver has answered and
// before the answer is stored.
func TestOutboxSendsAgainAfterAKill(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		id := r.record("s", 1)
		ctx, kill := context.WithCancel(t.Context())
		r.meantime = kill
		if err := r.Outbox.Deliver(ctx, id); !errors.Is(err, context.Canceled) {
			t.Fatalf("the killed attempt: %v", err)
		}
		r.meantime = nil
		if d := r.get(id); d.State != StatePending || d.Tries != 0 || len(d.Attempts) != 0 {
			t.Errorf("after the kill: %+v", d)
		}
		if r.again(id) || len(r.sent) != 2 || r.sent[0] != r.sent[1] || r.bodies[0] != r.bodies[1] {
			t.Errorf("sent %q as %q", r.bodies, r.sent)
		}
		if d := r.get(id); d.State != StateDelivered || len(d.Attempts) != 1 {
			t.Errorf("in the end: %+v", d)
		}
	})
}

func TestOutboxStopsAtGone(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		first, second := r.record("s", 1), r.record("s", 2)
		r.answers = []Result{{Outcome: Disabled, HTTP: 410}}
		if r.again(first) || r.again(second) || len(r.sent) != 1 {
			t.Errorf("%d attempts", len(r.sent))
		}
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			id, err := r.event(ctx, tx, "s", 3)
			if err != nil {
				return err
			}
			return r.RecordUnsent(ctx, tx, id, r.to())
		})
		all, err := r.List(t.Context(), r.DB.SQL, Filter{Endpoint: r.to(), State: StateDisabled, Limit: 9})
		if err != nil || len(all) != 3 || len(r.queue) != 2 {
			t.Errorf("%d deliveries are disabled and %d were enqueued, %v", len(all), len(r.queue), err)
		}
		if d := r.get(first); d.HTTP != 410 || d.Tries != 1 {
			t.Errorf("the first: %+v", d)
		}
		if _, err := r.redeliver(r.callback, first, 0); !errors.Is(err, ErrStopped) {
			t.Errorf("sent again while it is off: %v", err)
		}
		r.off = false
		for _, d := range all {
			id, err := r.redeliver(r.callback, d.ID, 0)
			if err != nil || r.again(id) || r.get(id).State != StateDelivered {
				t.Errorf("sent again after it is on: %+v, %v", r.get(id), err)
			}
		}
	})
}

// TestOutboxKeepsAnotherURLOn has the receiver get another URL while the former one
// answers that it is gone.
func TestOutboxKeepsAnotherURLOn(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		id := r.record("s", 1)
		r.answers = []Result{{Outcome: Disabled, HTTP: 410}}
		r.meantime = func() { r.url = "https://new.example/webhook" }
		if wait, again := r.attempt(id); !again || wait != 0 || r.off || r.get(id).State != StatePending {
			t.Errorf("after 410 of the former URL: %+v, again %v after %s", r.get(id), again, wait)
		}
		if r.again(id) || r.get(id).State != StateDelivered {
			t.Errorf("at the new URL: %+v", r.get(id))
		}
	})
}

func TestOutboxRedelivers(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		first := r.record("s", 1)
		if _, err := r.redeliver(r.callback, first, 0); !errors.Is(err, ErrPending) {
			t.Errorf("while the first is pending: %v", err)
		}
		r.again(first)
		r.label = "changed since"
		for callback, id := range map[string]string{r.callback: uuid.NewString(), "other": first} {
			if _, err := r.redeliver(callback, id, 0); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("of delivery %s to %q: %v", id, callback, err)
			}
			if _, err := r.Get(t.Context(), r.DB.SQL, callback, id); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("delivery %s to %q: %v", id, callback, err)
			}
		}
		for resends := range int64(2) {
			var won atomic.Int32
			var made string
			var wg sync.WaitGroup
			for range 6 {
				wg.Go(func() {
					id, err := r.redeliver(r.callback, first, resends)
					if err == nil {
						won.Add(1)
						made = id
					} else if !errors.Is(err, ErrPending) {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if won.Load() != 1 {
				t.Fatalf("%d of 6 requests at once sent it again, want 1", won.Load())
			}
			r.again(made)
			if _, err := r.redeliver(r.callback, first, resends); !errors.Is(err, ErrPending) {
				t.Errorf("the same request after it was delivered: %v", err)
			}
			a, b := r.get(made), r.get(first)
			if a.EventID != b.EventID || a.State != StateDelivered || a.Resends != resends+1 || !bytes.Equal(a.Body, b.Body) {
				t.Errorf("sent again as %+v, want the event and the body of %+v", a, b)
			}
		}
		if len(r.bodies) != 3 || len(slices.Compact(r.bodies)) != 1 {
			t.Errorf("sent %q", r.bodies)
		}
	})
}

// TestOutboxOrder checks that first attempts about an application are made in order,
// that a retry delays nothing, and that reports have no order.
func TestOutboxOrder(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		first, second, third := r.record("s", 1), r.record("s", 2), r.record("s", 4)
		other := r.record("another", 3)
		if r.reports() {
			if r.again(third) || r.again(second) || r.again(first) {
				t.Error("an event about a report waits for an earlier one")
			}
			return
		}
		if wait, again := r.attempt(third); !again || wait != shortWait || !r.again(second) || r.again(other) {
			t.Error("a later event did not wait, or one about another subject did")
		}
		r.answers = []Result{{HTTP: 500}}
		if !r.again(first) || r.again(second) || r.again(third) || r.again(first) {
			t.Error("a retry delays a later event")
		}
		var want []string
		for _, id := range []string{other, first, second, third, first} {
			want = append(want, r.get(id).EventID)
		}
		if !slices.Equal(r.sent, want) {
			t.Errorf("sent %q, want %q", r.sent, want)
		}
		r.record("s", 6) // its job does not run
		last := r.record("s", 7)
		r.now = r.now.Add(maxOrder + time.Second)
		if r.again(last) {
			t.Error("an event that is never sent delays a later one after a minute")
		}
	})
}

// TestOutboxGivesUpDiscardedDelivery checks that a delivery whose job will not run again can be
// sent again by hand, and that one that was delivered stays so.
func TestOutboxGivesUpDiscardedDelivery(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		lost, delivered := r.record("s", 1), r.record("t", 1)
		r.attempt(delivered)
		for id, want := range map[string]State{lost: StateGivenUp, delivered: StateDelivered} {
			if err := r.Discarded(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			if got := r.get(id).State; got != want {
				t.Errorf("it is %s, want %s", got, want)
			}
		}
		if err := r.Discarded(t.Context(), "unknown"); err != nil {
			t.Error(err)
		}
	})
}

// TestOutboxHealth sums up one delivery that was answered at once, one after a retry, one
// that waits for its next attempt, one whose receiver is off, and one of long ago.
func TestOutboxHealth(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		start := r.now
		r.attempt(r.record("a", 1))
		r.now = r.now.Add(48 * time.Hour)
		since := r.now.Add(-time.Hour)
		quick := r.record("b", 1)
		r.now = r.now.Add(2 * time.Second)
		r.attempt(quick)
		slow := r.record("c", 1)
		r.answers = []Result{{HTTP: 503}}
		wait, _ := r.attempt(slow)
		if d := r.get(slow); !d.Next.Equal(r.now.Add(wait).Truncate(time.Microsecond)) || d.Last.HTTP != 503 {
			t.Errorf("after a failure the next attempt is due at %s, want %s: %+v", d.Next, r.now.Add(wait), d.Last)
		}
		r.now = r.now.Add(10 * time.Second)
		r.attempt(slow)
		if d := r.get(slow); !d.Next.IsZero() {
			t.Errorf("a delivered event is due at %s", d.Next)
		}
		waiting := r.record("d", 1)
		r.answers = []Result{{Err: context.DeadlineExceeded}}
		wait, _ = r.attempt(waiting)
		if d := r.get(waiting); d.Last.HTTP != 0 || d.Last.Error != ClassTimeout {
			t.Errorf("the last attempt is %+v", d.Last)
		}
		due := r.now.Add(wait).Truncate(time.Microsecond)
		off := r.record("e", 1)
		r.off = true
		r.attempt(off)
		got, err := r.Health(t.Context(), r.DB.SQL, r.to(), since, start)
		want := []Health{{Since: since, Sent: 4, Failed: 2, Answered: 2, Median: 2 * time.Second},
			{Since: start, Sent: 5, Failed: 2, Answered: 3, Median: 2 * time.Second}}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
		if at, err := r.NextRetry(t.Context(), r.DB.SQL, r.to()); err != nil || !at.Equal(due) {
			t.Errorf("the next retry is at %s, %v, want %s", at, err, due)
		}
		none, err := r.Health(t.Context(), r.DB.SQL, Endpoint{CallbackID: "unknown"}, start)
		if at, err2 := r.NextRetry(t.Context(), r.DB.SQL, Endpoint{CallbackID: "unknown"}); errors.Join(err, err2) != nil ||
			none[0] != (Health{Since: start}) ||
			!at.IsZero() {
			t.Errorf("an unknown receiver: %+v, %s, %v, %v", none, at, err, err2)
		}
	})
}

func TestOutboxDropsDeletedEvents(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		shredded, gone, sent := r.record("s", 1), r.record("t", 1), r.record("s", 2)
		r.now = r.now.Add(maxOrder + time.Second)
		r.again(sent)
		r.tx(func(ctx context.Context, tx *store.Tx) error { return r.DB.Vault.Shred(ctx, tx, r.keys["s"]) })
		delete(r.keys, "t")
		for _, id := range []string{shredded, gone} {
			if d := r.get(id); r.again(id) || d.Body != nil || r.get(id).State != StateGivenUp || len(r.sent) != 1 {
				t.Errorf("deleted: %+v, sent %q", r.get(id), r.sent)
			}
		}
		if d := r.get(sent); d.Body != nil || !d.Shredded {
			t.Errorf("the one that was sent: %+v", d)
		}
		if id, err := r.redeliver(r.callback, sent, 0); err != nil || r.again(id) || r.get(id).State != StateGivenUp {
			t.Errorf("sent again: %+v, %v", r.get(id), err)
		}
	})
}

func TestOutboxLists(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		var want []string
		for i := range int64(7) {
			want = append(want, r.record("s", i))
			if i%3 == 0 { // some at the same moment
				r.now = r.now.Add(time.Second)
			}
		}
		began := r.now
		r.again(want[0])
		other := r.record("t", 1)
		var got []string
		for f := (Filter{Endpoint: r.to(), Subject: "s", Limit: 3}); ; {
			page, err := r.List(t.Context(), r.DB.SQL, f)
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range page {
				if got = append(got, d.ID); i > 0 && d.Created.After(page[i-1].Created) {
					t.Errorf("%+v after %+v", d, page[i-1])
				}
			}
			if len(page) < f.Limit {
				break
			}
			f.Before = store.Cursor{At: page[2].Created, ID: page[2].ID}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("the pages have %q, want %q", got, want)
		}
		for _, tc := range []struct {
			f Filter
			n int
		}{{Filter{Endpoint: r.to()}, 8}, {Filter{Endpoint: r.to(), State: StateDelivered}, 1},
			{Filter{Endpoint: r.to(), Subject: "t"}, 1},
			{Filter{Endpoint: r.to(), State: StateDelivered, Subject: "t"}, 0}, {Filter{Endpoint: Endpoint{CallbackID: "other"}}, 0},
			{Filter{Endpoint: r.to(), Subjects: []string{"t", "other"}}, 1}, {Filter{Endpoint: r.to(), Failed: true}, 0},
			{Filter{Endpoint: r.to(), Answer: NoAnswer}, 0}, {Filter{Endpoint: r.to(), Type: "no such type"}, 0},
			{Filter{Endpoint: r.to(), Until: began.AddDate(0, 0, -1)}, 0}, {Filter{Endpoint: r.to(), Oldest: true}, 8}} {
			tc.f.Limit = 9
			if page, err := r.List(t.Context(), r.DB.SQL, tc.f); err != nil || len(page) != tc.n {
				t.Errorf("%+v: %d, %v; want %d", tc.f, len(page), err, tc.n)
			}
		}
		if n, err := r.Counts(t.Context(), r.DB.SQL, r.to(), Window{Since: began, Hourly: true}); err != nil || len(n) != 1 ||
			n[0] != (Count{State: StatePending, Count: 1}) {
			t.Errorf("since the last one, %v (%v), want 1 pending", n, err)
		}
		if n, err := r.Counts(t.Context(), r.DB.SQL, r.to(), Window{Since: began, Until: began, Hourly: true}); err != nil || len(n) != 0 {
			t.Errorf("in no time, %v (%v)", n, err)
		}
		want = []string{"application.failed", "", "1"}
		if r.reports() {
			want = []string{"ERROR", "INCOMPLETE_INFORMATION", "0"}
		}
		if d := r.get(other); !slices.Equal([]string{d.Type, d.Detail, fmt.Sprint(d.Sequence)}, want) {
			t.Errorf("the event is %+v, want %q", d, want)
		}
	})
}

func TestOutboxDeletesOldEvents(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		sent, lost, again := r.record("s", 1), r.record("s", 2), r.record("t", 1)
		r.again(sent)
		r.again(again)
		r.now = r.now.Add(r.MaxAge)
		redelivered, err := r.redeliver(r.callback, again, 0)
		if err != nil {
			t.Fatal(err)
		}
		late := r.record("s", 3)
		r.again(late)
		r.now = r.now.Add(time.Second)
		if err := r.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		for id, left := range map[string]bool{sent: false, lost: false, again: true, redelivered: true, late: true} {
			if _, err := r.Get(t.Context(), r.DB.SQL, r.callback, id); (err == nil) != left || err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("delivery %s is left: %v, want %v", id, err, left)
			}
		}
		if r.again(lost) {
			t.Error("the job of a deleted event continues")
		}
		r.tx(func(ctx context.Context, tx *store.Tx) error { return r.Forget(ctx, tx, "s") })
		if n, m := r.count(`SELECT count(*) FROM deliveries`), r.count(`SELECT count(*) FROM delivery_attempts`); n != 2 || m != 1 {
			t.Errorf("of two subjects, one of which is forgotten, %d deliveries with %d attempts are left", n, m)
		}
	})
}
