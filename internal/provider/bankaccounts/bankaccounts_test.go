package bankaccounts

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

var day = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// listed is a connector with one bank, which issues tokens and has no sign-in pages.
type listed struct{}

func (listed) Institutions() []sources.Institution {
	return []sources.Institution{{ID: "tokens", Name: "Tokens", Tokens: true}}
}

// testServer is the service over a database with one customer.
type testServer struct {
	*Service
	t   *testing.T
	now time.Time
}

func newTestServer(t *testing.T, db *store.DB) *testServer {
	r := &testServer{t: t, now: day}
	clock := func() time.Time { return r.now }
	db.SetClock(clock)
	r.Service = &Service{DB: db, Now: clock, Customers: &customers.Service{DB: db, Now: clock}, Reports: &reports.Service{DB: db, Now: clock},
		Sources: &sources.Service{Catalogue: func(contract.Environment) sources.Catalogue { return sources.NewCatalogue(listed{}) }}}
	if err := r.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.exec(`INSERT INTO customers (id, public_id, environment, name, return_mode, created_at) VALUES ('c', 'svc-c', 'sandbox', 'C', 'get', 0)`)
	r.exec(`INSERT INTO entitlements (customer_id, name, enabled, changed_at) VALUES ('c', 'account-numbers', TRUE, 0)`)
	r.exec(`INSERT INTO products (id, customer_id, kind, name, inquiry_type, created_at) VALUES ('p', 'c', 'cashflow', 'P', '', 0)`)
	return r
}

func (r *testServer) exec(query string, args ...any) {
	r.t.Helper()
	if _, err := r.DB.SQL.ExecContext(r.t.Context(), query, args...); err != nil {
		r.t.Fatal(err)
	}
}

// person adds a consumer and returns its id and data key.
func (r *testServer) person() (id, key string) {
	r.t.Helper()
	key, err := r.DB.Vault.NewKey(r.t.Context(), r.DB.SQL)
	if err != nil {
		r.t.Fatal(err)
	}
	id = uuid.NewString()
	r.exec(`INSERT INTO consumers (id, customer_id, key_id, created_at, updated_at) VALUES ($1, 'c', $2, 0, 0)`, id, key)
	return id, key
}

// made is a report with its data.
type made struct {
	reports.Report
	data    bankdata.Data
	fetched bool
}

func (m made) account() string { return m.data.Connections[0].Accounts[0].ID }

// made adds a report of a consumer with one account. With tokens, its bank issues TANs.
func (r *testServer) made(consumer, key string, tokens bool, retrieved time.Time) made {
	r.t.Helper()
	at := bankdata.Connection{ID: uuid.NewString(), Accounts: []bankdata.Account{{ID: uuid.NewString(), Institution: "Bank", Owner: "Ada",
		Name: "Checking", Type: report.CashEquivalent, Subtype: "CHECKING", Number: "000123456789", Routing: "110000000"}}}
	if tokens {
		at.Institution = "Tokens"
	}
	return made{r.report(consumer, key, "", retrieved), bankdata.Data{Connections: []bankdata.Connection{at}}, true}
}

// report adds a report. A secondary report has a source.
func (r *testServer) report(consumer, key, source string, retrieved time.Time) reports.Report {
	r.t.Helper()
	token, nullable := uuid.NewString(), func(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }
	r.exec(`INSERT INTO reports (public_token, customer_id, product_id, kind, consumer_id, key_id,
		status, created_at, updated_at, retrieved_at, source_token, held_at)
		VALUES ($1, 'c', 'p', 'cashflow', $2, $3,
		'SUCCESS', 0, 0, $4, $5, $4)`, token, nullable(consumer), key, store.Micros(retrieved), nullable(source))
	out, err := r.Reports.Get(r.t.Context(), r.DB.SQL, token)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r *testServer) connect(m made) {
	r.t.Helper()
	if err := r.DB.Tx(r.t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return r.Connect(ctx, tx, m.Report, contract.Sandbox, m.data, m.fetched)
	}); err != nil {
		r.t.Error(err)
	}
}

func (r *testServer) count(query string) int {
	r.t.Helper()
	var n int
	if err := r.DB.SQL.QueryRowContext(r.t.Context(), query).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}

func (r *testServer) list(consumer string) []item {
	r.t.Helper()
	all, err := r.items(r.t.Context(), "c", consumer)
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

func TestConnectConcurrently(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		consumer, key := r.person()
		all := make([]made, 20)
		for i := range all {
			all[i] = r.made(consumer, key, true, day.Add(time.Duration(i)*time.Second))
			all[i].data.Connections[0].Accounts[0].Name = all[i].PublicToken
		}
		var wg sync.WaitGroup
		for _, m := range all {
			wg.Go(func() { r.connect(m) })
		}
		wg.Wait()
		if n := r.count(`SELECT count(*) FROM bank_accounts`); n != 1 {
			t.Fatalf("%d rows of one account", n)
		}
		last := all[len(all)-1]
		if got := r.list(consumer); len(got) != 1 || got[0].Name != last.PublicToken {
			t.Errorf("listed %+v, want the newest data, of %s", got, last.PublicToken)
		}
		var first achDetails
		for i, m := range all {
			d, err := r.requestNumbers(t.Context(), ofReport, m.PublicToken, m.account())
			if i == 0 {
				first = d
			}
			if err != nil || d != first || d.Kind != TAN {
				t.Errorf("by report %d: %+v, %v, want %+v", i, d, err, first)
			}
		}
		if want := r.mockToken(last.Report, last.data.Connections[0].ID, last.data.Connections[0].Accounts[0]); first.Number != want {
			t.Errorf("the token is %s, want that of the newest connection, %s", first.Number, want)
		}
	})
}

func TestConnect(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		consumer, key := r.person()
		first := r.made(consumer, key, false, day)
		r.connect(first)
		older := r.made(consumer, key, false, day.Add(-time.Hour))
		older.data.Connections[0].Accounts[0].Name = "Old"
		r.connect(older)
		if got := r.list(consumer); len(got) != 1 || got[0].Name != "Checking" || got[0].AccountID != first.account() {
			t.Errorf("after older data: %+v", got)
		}
		if _, err := r.requestNumbers(t.Context(), ofConsumer, consumer, older.account()); err != nil {
			t.Errorf("by the older report's id: %v", err)
		}

		other, otherKey := r.person()
		theirs := r.made(other, otherKey, false, day)
		r.connect(theirs)
		elsewhere := r.made(consumer, key, false, day)
		elsewhere.data.Connections[0].Accounts[0].Institution = "Bank 0"
		r.connect(elsewhere)
		silent := r.made(consumer, key, false, day)
		silent.data.Connections[0].Accounts[0].Number = ""
		r.connect(silent)
		if a, b := len(r.list(consumer)), len(r.list(other)); a != 3 || b != 1 {
			t.Errorf("%d and %d accounts, want 3 (one number at two banks, and one without) and 1", a, b)
		}
		if _, err := r.requestNumbers(t.Context(), ofConsumer, consumer, silent.account()); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("of an account without a number: %v", err)
		}
		if _, err := r.requestNumbers(t.Context(), ofConsumer, other, first.account()); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("by another consumer: %v", err)
		}
	})
}

func TestSubmittedAccounts(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		_, key := r.person()
		m := r.made("", key, true, day)
		m.fetched = false
		m.data.Connections[0].Accounts = append(m.data.Connections[0].Accounts,
			bankdata.Account{ID: uuid.NewString(), Institution: "Bank", Type: report.CashEquivalent, Number: "000123456789", Routing: "110000000"},
			bankdata.Account{ID: uuid.NewString(), Institution: "Bank", Type: report.CashEquivalent, Number: "1"},
			bankdata.Account{ID: uuid.NewString(), Institution: "Bank", Type: report.Investment, Number: "000987654321", Routing: "110000000"})
		r.connect(m)
		if n := r.count(`SELECT count(*) FROM bank_accounts`); n != 2 {
			t.Errorf("%d rows, want one for each id, and none without numbers", n)
		}
		d, err := r.requestNumbers(t.Context(), ofReport, m.PublicToken, m.account())
		if want := (achDetails{"000123456789", "110000000", AN}); err != nil || d != want {
			t.Errorf("%+v, %v, want %+v", d, err, want)
		}

		// A secondary report has the same accounts with the same expiry.
		second := made{r.report("", key, m.PublicToken, day), m.data, false}
		r.connect(second)
		if again, err := r.requestNumbers(t.Context(), ofReport, second.PublicToken, m.account()); err != nil || again != d {
			t.Errorf("by the secondary report: %+v, %v", again, err)
		}
		if _, err := r.requestNumbers(t.Context(), ofReport, second.PublicToken,
			m.data.Connections[0].Accounts[2].ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("without numbers: %v", err)
		}
		r.now = day.Add(sources.Lifetime + time.Second)
		if _, err := r.requestNumbers(t.Context(), ofReport, second.PublicToken,
			m.data.Connections[0].Accounts[1].ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("first request by the secondary report after the expiry: %v", err)
		}
	})
}

func TestRevoke(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		consumer, key := r.person()
		m := r.made(consumer, key, true, day)
		r.connect(m)
		before, err := r.requestNumbers(t.Context(), ofConsumer, consumer, m.account())
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Revoke(t.Context(), m.account()); err != nil {
			t.Fatal(err)
		}
		if n := r.count(`SELECT count(numbers) FROM bank_accounts`); n != 0 {
			t.Error("the revoked number is kept")
		}
		r.connect(m) // its report's job runs again
		second := made{Report: r.report(consumer, key, m.PublicToken, day)}
		r.connect(second)
		for _, token := range []string{m.PublicToken, second.PublicToken} {
			if _, err := r.requestNumbers(t.Context(), ofReport, token, m.account()); !errors.Is(err, errRevoked) {
				t.Errorf("of the same connection: %v", err)
			}
		}
		r.now = day.Add(sources.TokenLifetime + time.Hour)
		if err := r.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := r.requestNumbers(t.Context(), ofConsumer, consumer, m.account()); !errors.Is(err, errRevoked) {
			t.Errorf("after the connection has expired: %v", err)
		}
		r.connect(r.made(consumer, key, true, r.now))
		after, err := r.requestNumbers(t.Context(), ofConsumer, consumer, m.account())
		if err != nil || after.Number == before.Number || after.Kind != TAN {
			t.Errorf("of a new connection: %+v, %v, before %+v", after, err, before)
		}
	})
}

func TestSweep(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		requested, requestedKey := r.person()
		unrequested, unrequestedKey := r.person()
		renewed, renewedKey := r.person()
		withdrawn, withdrawnKey := r.person()
		m := r.made(requested, requestedKey, false, day)
		r.connect(m)
		r.connect(r.made(unrequested, unrequestedKey, false, day))
		r.connect(r.made(renewed, renewedKey, false, day))
		r.connect(r.made(withdrawn, withdrawnKey, true, day))
		if _, err := r.requestNumbers(t.Context(), ofConsumer, requested, m.account()); err != nil {
			t.Fatal(err)
		}
		sweep := func(accounts, connections int) {
			t.Helper()
			if err := r.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if a, c := r.count(`SELECT count(*) FROM bank_accounts`),
				r.count(`SELECT count(*) FROM bank_connections`); a != accounts || c != connections {
				t.Errorf("%s: %d accounts of %d connections, want %d of %d", r.now, a, c, accounts, connections)
			}
		}
		r.now = day.Add(sources.Lifetime)
		sweep(4, 4)
		r.connect(r.made(renewed, renewedKey, false, r.now))
		r.now = r.now.Add(time.Second)
		sweep(3, 3)
		r.exec(`UPDATE consumers SET withdrawn_at = 1 WHERE id = $1`, withdrawn)
		sweep(2, 3)
		r.now = day.Add(sources.TokenLifetime + time.Second)
		sweep(1, 1)
		if d, err := r.requestNumbers(t.Context(), ofConsumer, requested, m.account()); err != nil || d.Number != "000123456789" {
			t.Errorf("requested in time: %+v, %v", d, err)
		}
	})
}

// TestAccountsAreEncrypted searches the rows for personal data.
func TestAccountsAreEncrypted(t *testing.T) {
	r := newTestServer(t, storetest.SQLite(t, store.Provider))
	consumer, key := r.person()
	m := r.made(consumer, key, false, day)
	r.connect(m)
	var id string
	var sealed, numbers []byte
	if err := r.DB.SQL.QueryRowContext(t.Context(), `SELECT id, details, numbers
		FROM bank_accounts`).Scan(&id, &sealed, &numbers); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"Ada", "Checking", "000123456789", "110000000"} {
		for _, column := range []string{id, string(sealed), string(numbers)} {
			if strings.Contains(column, secret) {
				t.Errorf("%s is in the row", secret)
			}
		}
	}
	// The id depends on a secret of this database.
	elsewhere := newTestServer(t, storetest.SQLite(t, store.Provider))
	if a, b := r.mac("number", "x"), elsewhere.mac("number", "x"); string(a) == string(b) {
		t.Error("two databases derive the same id for an account")
	}
	if a, b := r.mac("ab", "c"), r.mac("a", "bc"); string(a) == string(b) {
		t.Error("the boundaries of values do not count")
	}
	// Without the data key, the account cannot be read.
	if err := r.DB.Vault.Shred(context.Background(), r.DB.SQL, key); err != nil {
		t.Fatal(err)
	}
	if got := r.list(consumer); len(got) != 0 {
		t.Errorf("listed after its data key was deleted: %+v", got)
	}
	if _, err := r.requestNumbers(t.Context(), ofConsumer, consumer, m.account()); !errors.Is(err, store.ErrShredded) {
		t.Errorf("numbers after the data key was deleted: %v", err)
	}
}
