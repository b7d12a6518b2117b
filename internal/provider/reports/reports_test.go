package reports

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// testServer is a reports service over a database, with its status changes and jobs counted.
type testServer struct {
	*Service
	mu     sync.Mutex
	events []string
	queued int
	last   jobs.Args // of the jobs enqueued
}

func (r *testServer) changed(_ context.Context, _ *store.Tx, c StatusChange) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf("%s %s", c.Status, c.Substatus))
	return nil
}

func (r *testServer) Enqueue(_ context.Context, _ *store.Tx, a jobs.Args, _ ...jobs.EnqueueOption) error {
	r.queued++
	r.last = a
	return nil
}

func accounts(day report.Date) []bankdata.Account {
	return []bankdata.Account{
		{ID: "cash", Type: report.CashEquivalent, Transactions: []bankdata.Transaction{{ID: "1", Posted: day, Amount: 1}}},
		{ID: "stocks", Type: report.Investment},
	}
}

// forms is a connector to a bank and two payroll providers, where each consumer has one
// job, named as the provider.
type forms struct{}

func (forms) Institutions() []sources.Institution {
	return []sources.Institution{{ID: "bank", Name: "Bank"},
		{ID: "globex", Kind: sources.Payroll, Name: "Globex"}, {ID: "initech", Kind: sources.Payroll, Name: "Initech"}}
}

func (forms) Check(string, string, sources.Question, string) error { return nil }

func (forms) Grant(string, string, string) (g sources.Grant, err error) { return g, nil }

func (forms) Fetch(_ context.Context, institution string, _ sources.Grant, _, to report.Date) (sources.Fetched, error) {
	if institution == "bank" {
		return sources.Fetched{Accounts: accounts(to)}, nil
	}
	return sources.Fetched{Payroll: &income.Payroll{Jobs: []income.Job{{
		Employer: institution, Status: report.EmploymentActive,
		Statements: []income.Statement{{PayDate: to, Start: to, End: to, Gross: 100_00, Net: 80_00}}}}}}, nil
}

const (
	customer = "0b3f6a0e-6a53-4a0c-b9a2-0d6a1de4f5b7"
	product  = "7d0b6f0e-2f6f-4d0e-9c55-5b1b5d7f0c3e"
)

func newTestServer(t *testing.T, db *store.DB) *testServer {
	t.Helper()
	r := &testServer{}
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	db.SetClock(now)
	r.Service = &Service{DB: db, Queue: r, OnChange: r.changed, Log: slog.New(slog.DiscardHandler), Now: now,
		Freeze: &freeze.Service{DB: db, Now: now}, Customers: &customers.Service{DB: db, Now: now}, Documents: &documents.Service{DB: db},
		Sources: &sources.Service{Catalogue: func(contract.Environment) sources.Catalogue { return sources.NewCatalogue(forms{}) }},
		Sandbox: Sandbox{Data: func(profile, link string, at time.Time) bankdata.Data {
			return bankdata.Data{Connections: []bankdata.Connection{{ID: link, SourceID: "BANK", Status: contract.StatusSuccess,
				Accounts: accounts(report.DateOf(at))}}}
		}}}
	exec(t, db, `INSERT INTO customers (id, public_id, environment, name, created_at) VALUES ($1, 'x', 'sandbox', 'x', 0)`, customer)
	exec(t, db, `INSERT INTO products (id, customer_id, kind, name, inquiry_type, created_at)
		VALUES ($1, $2, 'cashflow', 'x', 'OTHER', 0)`, product, customer)
	return r
}

func exec(t *testing.T, db *store.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.SQL.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

func (r *testServer) tx(t *testing.T, f func(ctx context.Context, tx *store.Tx) error) error {
	t.Helper()
	return r.DB.Tx(t.Context(), f)
}

// created creates a report of a kind.
func (r *testServer) created(t *testing.T, kind contract.Product, externalID string) Report {
	t.Helper()
	var rep Report
	err := r.tx(t, func(ctx context.Context, tx *store.Tx) (err error) {
		rep, err = r.Create(ctx, tx, New{CustomerID: customer, ProductID: product, Kind: kind, ExternalID: externalID})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func (r *testServer) create(t *testing.T, externalID string) Report {
	t.Helper()
	return r.created(t, contract.Cashflow, externalID)
}

func (r *testServer) attach(t *testing.T, publicToken string, in Input) error {
	t.Helper()
	return r.tx(t, func(ctx context.Context, tx *store.Tx) error { return r.Attach(ctx, tx, publicToken, in) })
}

// generateFrom generates a report from an input.
func (r *testServer) generateFrom(t *testing.T, rep Report, in Input) {
	t.Helper()
	if err := r.attach(t, rep.PublicToken, in); err != nil {
		t.Fatal(err)
	}
	if err := r.generate(t.Context(), jobs.Job{Attempt: 1}, Generate{rep.PublicToken}); err != nil {
		t.Fatal(err)
	}
}

// now returns a report as it is stored now.
func (r *testServer) now(t *testing.T, rep Report) Report {
	t.Helper()
	now, err := r.Get(t.Context(), r.DB.SQL, rep.PublicToken)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

func TestReportIsGeneratedOnce(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		made := 0
		r.OnFinished = func(context.Context, *store.Tx, string, contract.Status, contract.Substatus) error {
			made++
			return nil
		}
		rep := r.create(t, "")
		if err := r.attach(t, rep.PublicToken, Input{Profile: "default"}); err != nil {
			t.Fatal(err)
		}
		if err := r.attach(t, rep.PublicToken, Input{Profile: "other"}); !errors.Is(err, ErrNotPending) {
			t.Errorf("a second input: %v, want ErrNotPending", err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := r.generate(t.Context(), jobs.Job{Attempt: 1}, Generate{rep.PublicToken}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		first, err := r.body(t.Context(), rep)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.generate(t.Context(), jobs.Job{Attempt: 2}, Generate{rep.PublicToken}); err != nil {
			t.Fatal(err)
		}
		again, _ := r.body(t.Context(), rep)
		if string(first) != string(again) || len(first) == 0 {
			t.Error("the body changed")
		}
		if len(r.events) != 1 || made != 1 || r.queued != 1 {
			t.Errorf("%d events, %d notices and %d jobs, want one each", len(r.events), made, r.queued)
		}
		_, in, err := r.input(t.Context(), rep.PublicToken)
		if err != nil || in.Data == nil || len(in.Data.Connections) != 1 {
			t.Errorf("the data are not kept: %+v, %v", in, err)
		}
	})
}

func TestStatusChangesOnce(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		rep := r.create(t, "")
		var wg sync.WaitGroup
		var mu sync.Mutex
		moved := 0
		for range 8 {
			wg.Go(func() {
				changed := false
				err := r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
					changed, err = r.SetStatus(ctx, tx, rep.PublicToken, contract.StatusExpired, "")
					return err
				})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if changed {
					moved++
				}
			})
		}
		wg.Wait()
		if moved != 1 || len(r.events) != 1 || r.events[0] != "EXPIRED " {
			t.Errorf("it moved %d times with the events %v", moved, r.events)
		}
		err := r.tx(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := r.SetStatus(ctx, tx, rep.PublicToken, contract.StatusPending, "")
			return err
		})
		if err == nil {
			t.Error("a report was ended as PENDING")
		}
	})
}

func TestExternalIDs(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		r.create(t, "")
		second := r.create(t, "")
		r.create(t, "taken")
		err := r.tx(t, func(ctx context.Context, tx *store.Tx) error {
			_, err := r.Create(ctx, tx, New{CustomerID: customer, ProductID: product, Kind: contract.Cashflow, ExternalID: "taken"})
			if !errors.Is(err, ErrDuplicateExternalID) {
				t.Errorf("a second of the name: %v", err)
			}
			if err := r.Label(ctx, tx, second.PublicToken, "taken", ""); !errors.Is(err, ErrDuplicateExternalID) {
				t.Errorf("a label that is taken: %v", err)
			}
			if err := r.Label(ctx, tx, second.PublicToken, "free", "args"); err != nil {
				return err
			}
			return r.Label(ctx, tx, second.PublicToken, "late", "late") // it has its labels
		})
		if err != nil {
			t.Fatalf("the transaction was lost: %v", err)
		}
		got, err := r.Get(t.Context(), db.SQL, second.PublicToken)
		if err != nil || got.ExternalID != "free" || got.UserArgs != "args" {
			t.Errorf("labelled as %q and %q, %v", got.ExternalID, got.UserArgs, err)
		}
	})
}

func TestFailedGenerationEndsReport(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		run := func(publicToken string, attempt int) error {
			err := r.generate(t.Context(), jobs.Job{Attempt: attempt}, Generate{publicToken})
			if jobs.IsCancel(err) || err != nil && attempt == attempts {
				if err := r.onDiscard(t.Context(), Generate{publicToken}); err != nil {
					t.Error(err)
				}
			}
			return err
		}
		status := func(rep Report) string {
			t.Helper()
			got := r.now(t, rep)
			return fmt.Sprintf("%s %s", got.Status, got.Substatus)
		}

		stocks := r.create(t, "")
		r.attach(t, stocks.PublicToken, Input{Banks: []SignIn{{Provider: "bank", Accounts: []string{"stocks"}}}})
		if err := run(stocks.PublicToken, 1); err != nil || status(stocks) != "NOT_AUTHENTICATED INCOMPATIBLE_ACCOUNT_TYPES_SUBMITTED" {
			t.Errorf("of an investment account alone: %s, %v", status(stocks), err)
		}

		failing := r.create(t, "")
		r.attach(t, failing.PublicToken, Input{})
		exec(t, db, `UPDATE products SET kind = '' WHERE id = $1`, product) // the report has no configured product
		if err := run(failing.PublicToken, 1); err == nil || status(failing) != "PENDING " {
			t.Errorf("after one failure: %s, %v", status(failing), err)
		}
		if err := run(failing.PublicToken, attempts); err == nil || status(failing) != "ERROR " {
			t.Errorf("after the last failure: %s, %v", status(failing), err)
		}
		exec(t, db, `UPDATE products SET kind = 'cashflow' WHERE id = $1`, product)

		shredded := r.create(t, "")
		r.attach(t, shredded.PublicToken, Input{})
		if err := db.Vault.Shred(t.Context(), db.SQL, shredded.KeyID); err != nil {
			t.Fatal(err)
		}
		if err := run(shredded.PublicToken, 1); err == nil || status(shredded) != "ERROR " {
			t.Errorf("of a consumer who was deleted: %s, %v", status(shredded), err)
		}

		if err := run("7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001", 1); err != nil {
			t.Errorf("of a report that is gone: %v", err)
		}
		if len(r.events) != 3 {
			t.Errorf("events are %v, want three", r.events)
		}
	})
}

// TestReportsAlwaysEnd while it is made.
func TestReportsAlwaysEnd(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		r.Sandbox.Data = func(string, string, time.Time) bankdata.Data { panic("out of range") }
		registry := jobs.NewRegistry()
		r.Register(registry)
		q, err := jobs.NewQueue(t.Context(), db, registry, slog.New(slog.DiscardHandler), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		r.Queue = q
		rep := r.create(t, "")
		if err := r.attach(t, rep.PublicToken, Input{Profile: "default"}); err != nil {
			t.Fatal(err)
		}
		if _, err := db.SQL.ExecContext(t.Context(), `UPDATE river_job SET attempt = $1`, attempts-1); err != nil {
			t.Fatal(err)
		}
		if err := q.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := q.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		patience := time.NewTimer(time.Minute)
		for status := contract.StatusPending; status != contract.StatusError; {
			select {
			case <-patience.C:
				t.Fatalf("it stays %s", status)
			case <-time.After(20 * time.Millisecond):
			}
			status = r.now(t, rep).Status
		}
		if len(r.events) != 1 {
			t.Errorf("events are %v, want one", r.events)
		}
	})
}
