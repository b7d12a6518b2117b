package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/jobs"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

const testAttempts = 20

// testServer is an outbox with a mail server that fails as the test says, and a queue
// whose jobs the test runs.
type testServer struct {
	Outbox
	t        *testing.T
	provider bool // the outbox is the provider's
	now      time.Time
	fails    error
	sent     []Message
	keys     map[string]string // data keys by email id
	queued   []string
	settled  []string
}

// eachOutbox runs f with the tables of both parties on both engines.
func eachOutbox(t *testing.T, f func(t *testing.T, r *testServer)) {
	for _, party := range []string{store.Portal, store.Provider} {
		t.Run(party, func(t *testing.T) {
			storetest.Each(t, party, func(t *testing.T, db *store.DB) {
				r := &testServer{t: t, provider: party == store.Provider, keys: map[string]string{},
					now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
				db.SetClock(func() time.Time { return r.now })
				r.Outbox = Outbox{DB: db, Queue: r, Mail: r, Now: db.Now,
					Job: func(id string) jobs.Args { return testJob{id} },
					OnSettled: func(_ context.Context, _ *store.Tx, id string, sent bool) error {
						r.settled = append(r.settled, fmt.Sprint(id, " ", sent))
						return nil
					}}
				if r.provider {
					for _, id := range []string{"a", "b"} {
						r.exec(`INSERT INTO customers (id, public_id, environment, name, created_at) VALUES ($1, $1, 'sandbox', $1, 0)`, id)
						r.exec(`INSERT INTO products (id, customer_id, kind, name, inquiry_type, created_at)
							VALUES ($1, $1, 'cashflow', 'P', '', 0)`, id)
					}
				}
				f(t, r)
			})
		})
	}
}

type testJob struct{ id string }

func (testJob) Kind() string { return "test" }

func (r *testServer) Enqueue(_ context.Context, _ *store.Tx, args jobs.Args, _ ...jobs.EnqueueOption) error {
	r.queued = append(r.queued, args.(testJob).id)
	return nil
}

// Send is the mail server.
func (r *testServer) Send(_ context.Context, m Message) error {
	r.sent = append(r.sent, m)
	return r.fails
}

func (r *testServer) exec(query string, args ...any) {
	r.t.Helper()
	if _, err := r.DB.SQL.ExecContext(r.t.Context(), query, args...); err != nil {
		r.t.Fatal(err)
	}
}

// add adds an email of a customer, as the party does, and returns its id. The portal's
// has no customer.
func (r *testServer) add(customer, to string, life time.Duration) string {
	r.t.Helper()
	id := uuid.NewString()
	err := r.DB.Tx(r.t.Context(), func(ctx context.Context, tx *store.Tx) error {
		key, err := r.DB.Vault.NewKey(ctx, tx)
		if err != nil {
			return err
		}
		r.keys[id] = key
		sealed, err := r.Seal(ctx, tx, key, Message{ID: id, To: to, Text: "text-canary", HTML: "html-canary"})
		if err != nil {
			return err
		}
		query := `INSERT INTO emails (subject_id, key_id, recipient, subject, body, html, created_at, expires_at, id)
			VALUES ($1, $2, $3, 'Subject', $4, $5, $6, $7, $8)`
		args := []any{"about-" + id, key, sealed.Recipient, sealed.Body, sealed.HTML, store.Micros(r.now), store.Micros(r.now.Add(life)), id}
		if r.provider {
			_, err := tx.ExecContext(ctx, `INSERT INTO reports
				(public_token, customer_id, product_id, kind, key_id, status, created_at, updated_at)
				VALUES ($1, $2, $2, 'cashflow', $3, 'PENDING', 0, 0)`, "about-"+id, customer, key)
			if err != nil {
				return err
			}
			query = `INSERT INTO emails (subject_id, key_id, recipient, subject, body, html, created_at, expires_at, id, customer_id)
				VALUES ($1, $2, $3, 'Subject', $4, $5, $6, $7, $8, $9)`
			args = append(args, customer)
		}
		if _, err := tx.ExecContext(ctx, query, args...); err != nil {
			return err
		}
		return r.Outbox.Enqueue(ctx, tx, id, id)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

// attempt runs the job of an email, as jobs does.
func (r *testServer) attempt(id string, attempt int) error {
	r.t.Helper()
	err := r.Deliver(r.t.Context(), id)
	if jobs.IsCancel(err) || err != nil && attempt == testAttempts {
		if err := r.Discarded(r.t.Context(), id); err != nil {
			r.t.Fatal(err)
		}
	}
	return err
}

func (r *testServer) list(f Filter) []Email {
	r.t.Helper()
	if f.Limit = 50; r.provider && f.CustomerID == "" {
		f.CustomerID = "a"
	}
	if !r.provider {
		f.CustomerID = ""
	}
	all, err := r.List(r.t.Context(), r.DB.SQL, f)
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

func TestOutboxSendsOnce(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		id := r.add("a", "ada@example.org", 72*time.Hour)
		if !slices.Equal(r.queued, []string{id}) {
			t.Errorf("jobs %q", r.queued)
		}
		busy := errors.New("mail: the server answered 451")
		r.fails = busy
		for n := 1; n < testAttempts; n++ {
			if err := r.attempt(id, n); !errors.Is(err, busy) {
				t.Fatalf("attempt %d: %v", n, err)
			}
		}
		r.fails = nil
		for range 2 { // the job runs once more after the email was sent
			if err := r.attempt(id, testAttempts); err != nil {
				t.Fatal(err)
			}
		}
		want := Message{ID: id, To: "ada@example.org", Subject: "Subject", Text: "text-canary", HTML: "html-canary"}
		if len(r.sent) != testAttempts || slices.ContainsFunc(r.sent, func(m Message) bool { return m != want }) {
			t.Errorf("sent %+v, want %d times %+v", r.sent, testAttempts, want)
		}
		if e := r.list(Filter{})[0]; !e.Sent.Equal(r.now) || !e.Failed.IsZero() || e.Text+e.HTML != "" || e.To != want.To ||
			e.About != "about-"+id {
			t.Errorf("after it was sent: %+v", e)
		}
		if !slices.Equal(r.settled, []string{id + " true"}) {
			t.Errorf("settled %q", r.settled)
		}
	})
}

func TestOutboxGivesUp(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		for name, c := range map[string]struct {
			err     error
			attempt int
		}{"refused": {ErrRefused, 1}, "the last attempt": {errors.New("mail: the server answered 451"), testAttempts}} {
			r.now = r.now.Add(time.Second)
			id := r.add("a", "eve@example.org", 72*time.Hour)
			r.fails, r.sent, r.settled = c.err, nil, nil
			if err := r.attempt(id, c.attempt); err == nil {
				t.Errorf("%s: no error", name)
			}
			e := r.list(Filter{})[0]
			if !e.Failed.Equal(r.now) || !e.Sent.IsZero() || (e.Text != "") != r.provider || (e.HTML != "") != r.provider {
				t.Errorf("%s: %+v", name, e)
			}
			if err := r.attempt(id, c.attempt); err != nil || len(r.sent) != 1 || !slices.Equal(r.settled, []string{id + " false"}) {
				t.Errorf("%s: sent %d times, settled %q, %v", name, len(r.sent), r.settled, err)
			}
		}
		shredded := r.add("a", "eve@example.org", 72*time.Hour)
		if err := r.DB.Vault.Shred(t.Context(), r.DB.SQL, r.keys[shredded]); err != nil {
			t.Fatal(err)
		}
		if err := r.attempt(shredded, 1); !jobs.IsCancel(err) || len(r.sent) != 1 {
			t.Errorf("without its data key: %v, %d sent", err, len(r.sent))
		}
		expired := r.add("b", "eve@example.org", time.Hour)
		r.now = r.now.Add(time.Hour)
		for _, id := range []string{expired, uuid.NewString()} {
			if err := r.attempt(id, 1); err != nil || len(r.sent) != 1 {
				t.Errorf("an email that expired or is missing: %v, %d sent", err, len(r.sent))
			}
		}
	})
}

// TestOutboxRetries checks that an email that was given up is sent again once, some time
// later, if it still has its text.
func TestOutboxRetries(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		r.fails = ErrRefused
		id := r.add("a", "eve@example.org", 72*time.Hour)
		retry := func(customer, id string) (ok bool, err error) {
			if !r.provider {
				customer = ""
			}
			err = r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				ok, err = r.Retry(ctx, tx, customer, id)
				return err
			})
			return ok, err
		}
		try := func(what string, want bool) {
			t.Helper()
			before := len(r.queued)
			if ok, err := retry("a", id); err != nil || ok != want || (len(r.queued) > before) != want {
				t.Errorf("%s: %v, %v, %d jobs", what, ok, err, len(r.queued)-before)
			}
		}
		try("an email that waits", false)
		_ = r.attempt(id, 1)
		r.now = r.now.Add(RetryWait - time.Second)
		try("too early", false)
		r.now = r.now.Add(time.Second)
		if _, err := retry("a", uuid.NewString()); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an unknown email: %v", err)
		}
		if _, err := retry("b", id); r.provider && !errors.Is(err, store.ErrNotFound) {
			t.Errorf("another customer's email: %v", err)
		}
		try("an email that was given up", r.provider) // the portal's have no text
		if !r.provider {
			return
		}
		try("the same again", false)
		r.fails = nil
		if err := r.attempt(id, 1); err != nil || r.list(Filter{})[0].State() != Sent {
			t.Errorf("sent again: %v, %+v", err, r.list(Filter{}))
		}
		r.now = r.now.Add(RetryWait)
		try("an email that was sent", false)
	})
}

func TestOutboxWithoutMailServer(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		r.Mail = nil
		id := r.add("a", "ada@example.org", 72*time.Hour)
		if len(r.queued) != 0 {
			t.Errorf("jobs %q", r.queued)
		}
		// The job was enqueued when there was a mail server.
		if err := r.attempt(id, 1); !jobs.IsCancel(err) {
			t.Errorf("the job ends with %v", err)
		}
		if all := r.list(Filter{State: Waiting}); len(all) != 1 || all[0].ID != id || all[0].Text != "text-canary" || len(r.settled) != 0 {
			t.Errorf("%+v, settled %q", all, r.settled)
		}
	})
}

func TestOutboxLists(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		var want, got []string
		for i := range 59 {
			want = append(want, r.add("a", fmt.Sprintf("to-%02d@example.org", i), 72*time.Hour))
			if i%3 == 0 { // several at the same moment
				r.now = r.now.Add(time.Second)
			}
		}
		var before store.Cursor
		for _, size := range []int{50, 9, 0} {
			page := r.list(Filter{Before: before})
			for _, e := range page {
				if got = append(got, e.ID); !before.At.IsZero() && e.Created.After(before.At) {
					t.Errorf("%+v after %v", e, before)
				}
				before = store.Cursor{At: e.Created, ID: e.ID}
			}
			if len(page) != size {
				t.Errorf("a page of %d, want %d", len(page), size)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("the pages have %q, want %q", got, want)
		}
		r.now = r.now.Add(72*time.Hour - time.Minute)
		expiring, shredded := r.add("b", "expiring@example.org", time.Minute), r.add("b", "shredded@example.org", time.Hour)
		sent, left := r.add("b", "sent@example.org", time.Hour), r.add("b", "left@example.org", time.Hour)
		if err := errors.Join(r.DB.Vault.Shred(t.Context(), r.DB.SQL, r.keys[shredded]), r.attempt(sent, 1)); err != nil {
			t.Fatal(err)
		}
		r.now = r.now.Add(time.Minute)
		ids := func(f Filter) (out []string) {
			for _, e := range r.list(f) {
				out = append(out, e.ID)
			}
			slices.Sort(out)
			return out
		}
		if got := ids(Filter{CustomerID: "b", State: Waiting}); !slices.Equal(got, []string{left}) {
			t.Errorf("unsent are %q, want %q", got, left)
		}
		want = []string{left, sent}
		slices.Sort(want)
		if got := ids(Filter{CustomerID: "b"}); !slices.Equal(got, want) {
			t.Errorf("the customer has %q, want %q", got, want)
		}
		r.now = r.now.Add(time.Second)
		gone := r.add("b", "gone@example.org", time.Hour)
		if err := r.DB.Vault.Shred(t.Context(), r.DB.SQL, r.keys[gone]); err != nil {
			t.Fatal(err)
		}
		f := Filter{CustomerID: "b", Limit: 2}
		if !r.provider {
			f.CustomerID = ""
		}
		if page, err := r.List(t.Context(), r.DB.SQL, f); err != nil || len(page) != 2 {
			t.Errorf("a page has %d emails although it is not the last, %v", len(page), err)
		}
		if err := r.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		var n int
		query := `SELECT count(*) FROM emails WHERE id = $1`
		if err := r.DB.SQL.QueryRowContext(t.Context(), query, expiring).Scan(&n); err != nil || n != 0 {
			t.Errorf("an expired email is kept (%v)", err)
		}
		if got := ids(Filter{CustomerID: "b"}); !slices.Equal(got, want) {
			t.Errorf("after the sweep: %q, want %q", got, want)
		}
	})
}

func TestOutboxIsEncrypted(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		r.add("a", "ada-canary@example.org", 72*time.Hour)
		var recipient, body, html []byte
		if err := r.DB.SQL.QueryRow(`SELECT recipient, body, html FROM emails`).Scan(&recipient, &body, &html); err != nil {
			t.Fatal(err)
		}
		for _, column := range [][]byte{recipient, body, html} {
			if len(column) == 0 || bytes.Contains(column, []byte("canary")) {
				t.Errorf("stored as %q", column)
			}
		}
	})
}
