package invites

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

var day = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// testServer is the service over a database with two customers, with a mailer that fails as
// the test says.
type testServer struct {
	*Service
	t       *testing.T
	now     time.Time
	fails   error
	letters []mail.Message
	queued  int
}

func (r *testServer) Send(_ context.Context, l mail.Message) error {
	r.letters = append(r.letters, l)
	return r.fails
}

func (r *testServer) Enqueue(context.Context, *store.Tx, jobs.Args, ...jobs.EnqueueOption) error {
	r.queued++
	return nil
}

func newRoom(t *testing.T, db *store.DB, sends bool) *testServer {
	r := &testServer{t: t, now: day}
	clock := func() time.Time { return r.now }
	r.Service = &Service{DB: db, Log: slog.New(slog.DiscardHandler), Now: clock, Queue: r, Customers: &customers.Service{DB: db, Now: clock}}
	if sends {
		r.Mail = r
	}
	for _, id := range []string{"a", "b"} {
		r.exec(`INSERT INTO customers (id, public_id, environment, name, return_mode, created_at) VALUES ($1, $1, 'sandbox', $2, 'get', 0)`, id, "Harbor\r\n "+id)
		r.exec(`INSERT INTO products (id, customer_id, kind, name, inquiry_type, created_at) VALUES ($1, $1, 'cashflow', 'P', '', 0)`, id)
	}
	return r
}

func (r *testServer) exec(query string, args ...any) {
	r.t.Helper()
	if _, err := r.DB.SQL.ExecContext(r.t.Context(), query, args...); err != nil {
		r.t.Fatal(err)
	}
}

// add writes a letter of a customer, whose link is over after a time.
func (r *testServer) add(customer, to string, lives time.Duration) (b reports.Report) {
	r.t.Helper()
	err := r.DB.Tx(r.t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		b = reports.Report{PublicToken: uuid.NewString(), CustomerID: customer}
		if b.KeyID, err = r.DB.Vault.NewKey(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO reports (public_token, customer_id, product_id, kind, key_id, status, created_at, updated_at)
			VALUES ($1, $2, $2, 'cashflow', $3, 'PENDING', 0, 0)`, b.PublicToken, customer, b.KeyID); err != nil {
			return err
		}
		return r.write(ctx, tx, b, r.now.Add(lives), to, "https://service.example/invite/handle-canary")
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return b
}

func (r *testServer) outbox(customer string, from store.Cursor) []Message {
	r.t.Helper()
	out, err := r.Outbox(r.t.Context(), r.DB.SQL, customer, from)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func TestTheOutbox(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newRoom(t, db, false)
		for i := range PageSize + 9 {
			r.add("a", fmt.Sprintf("to-%02d@example.org", i), 72*time.Hour)
			if i%3 == 0 { // several of one instant
				r.now = r.now.Add(time.Second)
			}
		}
		gone := r.add("b", "gone@example.org", time.Hour)
		shredded := r.add("b", "shredded@example.org", 72*time.Hour)
		left := r.add("b", "left@example.org", 72*time.Hour)
		if r.queued != 0 || r.Sends() {
			t.Error("letters are sent without a mail server")
		}
		first := r.outbox("a", store.Cursor{})
		if len(first) != PageSize {
			t.Fatalf("%d on a page", len(first))
		}
		last := first[len(first)-1]
		second := r.outbox("a", store.Cursor{At: last.Created, ID: last.ID})
		seen := map[string]bool{}
		for i, m := range append(first, second...) {
			if seen[m.ID] || i > 0 && m.Created.After(append(first, second...)[i-1].Created) {
				t.Errorf("message %d is there twice, or out of order", i)
			}
			seen[m.ID] = true
		}
		if len(seen) != PageSize+9 || len(r.outbox("a", store.Cursor{At: second[8].Created, ID: second[8].ID})) != 0 {
			t.Errorf("%d messages on two pages", len(seen))
		}
		m := first[0]
		if m.To != fmt.Sprintf("to-%02d@example.org", PageSize+8) && !strings.HasPrefix(m.To, "to-5") || !strings.Contains(m.Body, "handle-canary") ||
			m.Subject != "Harbor a asks you to connect your bank account" || !m.Sent.IsZero() || !m.Failed.IsZero() || m.Expires.Sub(m.Created) != 72*time.Hour {
			t.Errorf("%+v", m)
		}

		if err := db.Vault.Shred(t.Context(), db.SQL, shredded.KeyID); err != nil {
			t.Fatal(err)
		}
		r.now = r.now.Add(time.Hour)
		if got := r.outbox("b", store.Cursor{}); len(got) != 1 || got[0].PublicToken != left.PublicToken {
			t.Errorf("the other customer's: %+v", got)
		}
		if err := r.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := db.SQL.QueryRowContext(t.Context(), `SELECT count(*) FROM outbox WHERE public_token = $1`, gone.PublicToken).Scan(&n); err != nil || n != 0 {
			t.Errorf("a letter whose link is over is kept (%v)", err)
		}
		if len(r.outbox("a", store.Cursor{})) != PageSize {
			t.Error("the sweep took others")
		}
	})
}

func TestALetterIsSentUntilTheServerHasIt(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newRoom(t, db, true)
		busy := errors.New("mail: the server answered 451")
		send := func(attempt int) error {
			t.Helper()
			letter := Deliver{r.outbox("a", store.Cursor{})[0].ID}
			err := r.deliver(t.Context(), jobs.Job{Attempt: attempt}, letter)
			if jobs.IsCancel(err) || err != nil && attempt == attempts {
				if err := r.lost(t.Context(), letter); err != nil {
					t.Error(err)
				}
			}
			return err
		}
		r.add("a", "ada@example.org", 72*time.Hour)
		if r.queued != 1 {
			t.Errorf("%d jobs", r.queued)
		}
		r.fails = busy
		for attempt := 1; attempt < attempts; attempt++ {
			if err := send(attempt); !errors.Is(err, busy) {
				t.Fatalf("attempt %d: %v", attempt, err)
			}
		}
		r.fails = nil
		for range 2 { // and the job runs once more
			if err := send(attempts); err != nil {
				t.Fatal(err)
			}
		}
		if len(r.letters) != attempts || r.letters[0] != r.letters[attempts-1] || r.letters[0].To != "ada@example.org" {
			t.Errorf("%d letters, want %d, all the same", len(r.letters), attempts)
		}
		if m := r.outbox("a", store.Cursor{})[0]; !m.Sent.Equal(day) || m.Body != "" || m.To != "ada@example.org" {
			t.Errorf("then it is %+v", m)
		}

		for name, c := range map[string]struct {
			err     error
			attempt int
		}{"refused for good": {mail.ErrRefused, 1}, "the last attempt": {busy, attempts}} {
			r.now = r.now.Add(time.Second)
			r.add("a", "eve@example.org", 72*time.Hour)
			r.fails, r.letters = c.err, nil
			if err := send(c.attempt); err == nil {
				t.Errorf("%s: no error", name)
			}
			if m := r.outbox("a", store.Cursor{})[0]; m.Failed.IsZero() || !m.Sent.IsZero() || m.Body == "" {
				t.Errorf("%s: %+v", name, m)
			}
			if err := send(c.attempt); err != nil || len(r.letters) != 1 {
				t.Errorf("%s: sent %d times, %v", name, len(r.letters), err)
			}
		}

		r.now = r.now.Add(time.Second)
		r.add("b", "late@example.org", time.Hour)
		id := r.outbox("b", store.Cursor{})[0].ID
		r.now, r.letters = r.now.Add(time.Hour), nil
		for _, id := range []string{id, uuid.NewString()} {
			if err := r.deliver(t.Context(), jobs.Job{Attempt: 1}, Deliver{id}); err != nil || len(r.letters) != 0 {
				t.Errorf("a letter that is over or gone: %v, %d sent", err, len(r.letters))
			}
		}
	})
}

func TestWaitsBetweenAttempts(t *testing.T) {
	all := time.Duration(0)
	for attempt := 1; attempt < attempts; attempt++ {
		wait := backoff(attempt)
		if wait < 30*time.Second || wait > 6*time.Hour || attempt > 1 && wait < backoff(attempt-1) {
			t.Errorf("after attempt %d: %s", attempt, wait)
		}
		all += wait
	}
	if all < 60*time.Hour || all > 84*time.Hour {
		t.Errorf("all together %s, want about the 72 hours of a link", all)
	}
}

func TestNothingOfALetterIsReadable(t *testing.T) {
	r := newRoom(t, storetest.SQLite(t, store.Provider), false)
	r.add("a", "ada-canary@example.org", 72*time.Hour)
	var recipient, body []byte
	var subject string
	if err := r.DB.SQL.QueryRowContext(t.Context(), `SELECT recipient, body, subject FROM outbox`).Scan(&recipient, &body, &subject); err != nil {
		t.Fatal(err)
	}
	for _, column := range []string{string(recipient), string(body), subject} {
		if strings.Contains(column, "canary") {
			t.Errorf("in the clear: %q", column)
		}
	}
}

func TestTheLetter(t *testing.T) {
	subject, text := compose("Harbor\r\nBcc: x", "https://service.example/invite/Jx0cV5Wm2fS8pQ7rN4tB1yK6hD3gL9zA", day.Add(72*time.Hour))
	want, err := os.ReadFile(filepath.Join("testdata", "letter.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), "Subject: "+subject+"\n\n"+text); d != "" {
		t.Error(d)
	}
}
