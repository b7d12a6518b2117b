package sharing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestShareStates(t *testing.T) {
	share := Share{Created: start, Expires: start.Add(Life)}
	read, revoked := share, share
	read.Read = start.Add(time.Hour)
	revoked.Revoked = start.Add(time.Hour)
	both := read
	both.Revoked = start.Add(2 * time.Hour)
	for _, c := range []struct {
		what  string
		share Share
		after time.Duration
		want  State
		code  contract.Code
	}{
		{"a new one", share, 0, Active, ""},
		{"at 72 hours", share, 72 * time.Hour, Active, ""},
		{"over 72 hours", share, 72*time.Hour + time.Microsecond, Expired, contract.CodeRelayTokenExpired},
		{"one that was read", read, 1000 * time.Hour, Active, ""},
		{"one that was withdrawn", revoked, 2 * time.Hour, Revoked, contract.CodeRelayTokenRevoked},
		{"one that was withdrawn and would have expired", revoked, 1000 * time.Hour, Revoked, contract.CodeRelayTokenRevoked},
		{"one that was withdrawn after it was read", both, 3 * time.Hour, Revoked, contract.CodeRelayTokenRevoked},
	} {
		now := start.Add(c.after)
		if got := c.share.State(now); got != c.want {
			t.Errorf("%s is %s, want %s", c.what, got, c.want)
		}
		code := contract.Code("")
		if err := c.share.refusal(now); err != nil {
			code = httpx.AsError(err).Code
		}
		if code != c.code {
			t.Errorf("%s is answered %s, want %s", c.what, code, c.code)
		}
	}
}

// testServer is a sharing service over a database, with a clock that the test moves.
type testServer struct {
	*Service
	now time.Time
}

// events lists who was notified of what, in order.
func (r *testServer) events(t *testing.T) (out []string) {
	t.Helper()
	rows, err := r.DB.SQL.QueryContext(t.Context(), `SELECT customer_id || ' ' || subject_id || ' ' || type FROM events ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		out = append(out, line)
	}
	return out
}

func (r *testServer) tx(t *testing.T, f func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	if err := r.DB.Tx(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

func (r *testServer) grant(t *testing.T, publicToken, third string) (token string) {
	t.Helper()
	r.tx(t, func(ctx context.Context, tx *store.Tx) (err error) {
		token, err = r.Grant(ctx, tx, auth.Caller{CustomerID: "owner", Environment: contract.Sandbox}, publicToken, third)
		return err
	})
	return token
}

func newTestServer(t *testing.T, db *store.DB) *testServer {
	t.Helper()
	r := &testServer{now: start}
	now := func() time.Time { return r.now }
	db.SetClock(now)
	r.Service = &Service{DB: db, Log: slog.New(slog.DiscardHandler), Now: now, Customers: &customers.Service{DB: db, Now: now},
		Reports:  &reports.Service{DB: db, Now: now, Freeze: &freeze.Service{DB: db, Now: now}},
		Webhooks: webhooks.New(webhooks.Service{DB: db, Now: now})}
	for _, id := range []string{"owner", "a", "b", "c"} {
		exec(t, db, `INSERT INTO customers (id, public_id, environment, name, created_at) VALUES ($1, $1, 'sandbox', $1, 0)`, id)
	}
	exec(t, db, `INSERT INTO products (id, customer_id, kind, name, inquiry_type, created_at)
		VALUES ('p', 'owner', 'cashflow', 'x', 'OTHER', 0)`)
	for _, token := range []string{"r1", "r2"} {
		exec(t, db, `INSERT INTO reports (public_token, customer_id, product_id, kind, key_id, status, created_at, updated_at)
			VALUES ($1, 'owner', 'p', 'cashflow', 'k', 'PENDING', $2, $2)`, token, store.Micros(start))
	}
	return r
}

func exec(t *testing.T, db *store.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.SQL.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

func TestListsOfShares(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		ctx, r := t.Context(), newTestServer(t, db)
		tokens := map[string]string{}
		for i, third := range []string{"a", "b", "c"} {
			r.now = start.Add(time.Duration(i) * time.Minute)
			tokens[third] = r.grant(t, "r1", third)
		}
		other := r.grant(t, "r2", "a")
		if err := r.Open(ctx, db.SQL, tokens["a"]); err != nil {
			t.Fatal(err)
		}
		r.now = start.Add(time.Hour)
		if err := r.Open(ctx, db.SQL, tokens["a"]); err != nil {
			t.Fatal(err)
		}
		if ok, err := withdraw(ctx, db.SQL, "owner", tokens["b"], r.now); !ok || err != nil {
			t.Fatal(ok, err)
		}
		r.now = start.Add(Life + 2*time.Minute + time.Second)
		shares, err := r.Shares(ctx, db.SQL, "owner", "r1")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range shares {
			got = append(got, s.ThirdPartyID+" "+string(s.State(r.now)))
			if s.RelayToken != tokens[s.ThirdPartyID] || s.PublicToken != "r1" || s.CustomerID != "owner" {
				t.Errorf("%+v", s)
			}
		}
		if want := []string{"a active", "b revoked", "c expired"}; !slices.Equal(got, want) {
			t.Errorf("shares are %q, want %q", got, want)
		}
		if first := start.Add(2 * time.Minute); !shares[0].Read.Equal(first) {
			t.Errorf("read at %v, want the first time, %v", shares[0].Read, first)
		}
		if none, err := r.Shares(ctx, db.SQL, "a", "r1"); err != nil || len(none) != 0 {
			t.Errorf("a third party lists %v, %v", none, err)
		}

		// The report ends: third parties that may still read it are notified.
		r.tx(t, func(ctx context.Context, tx *store.Tx) error {
			return r.StatusChanged(ctx, tx, reports.StatusChange{CustomerID: "owner", PublicToken: "r1", Status: contract.StatusSuccess})
		})
		if want := []string{"a " + tokens["a"] + " SUCCESS"}; !slices.Equal(r.events(t), want) {
			t.Errorf("notified %q, want %q", r.events(t), want)
		}

		for _, c := range []struct {
			third, token string
			report       string
			code         contract.Code
		}{
			{"a", tokens["a"], "r1", ""}, {"b", tokens["b"], "", contract.CodeRelayTokenRevoked},
			{"c", tokens["c"], "", contract.CodeRelayTokenExpired},
			{"a", other, "", contract.CodeRelayTokenExpired}, {"b", tokens["a"], "", "unknown"},
			{"owner", tokens["a"], "", "unknown"}, {"a", "r1", "", "unknown"},
		} {
			got, err := r.Find(ctx, db.SQL, c.third, c.token)
			code := contract.Code("")
			switch {
			case errors.Is(err, store.ErrNotFound):
				code = "unknown"
			case err != nil:
				code = httpx.AsError(err).Code
			}
			if code != c.code || code == "" && got != c.report {
				t.Errorf("%s finds %q, %s; want %q, %s", c.third, got, code, c.report, c.code)
			}
			if opened := r.Open(ctx, db.SQL, c.token); c.code != "unknown" && fmt.Sprint(opened) != fmt.Sprint(err) {
				t.Errorf("%s is found with %v and opened with %v", c.third, err, opened)
			}
		}
	})
}
