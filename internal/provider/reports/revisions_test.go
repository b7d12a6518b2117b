package reports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/corrections"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// earner creates an income report with 2,000 a month and a benefit.
func (r *testServer) earner(t *testing.T) Report {
	t.Helper()
	account := bankdata.Account{ID: "cash", Type: report.CashEquivalent}
	for i := range 14 {
		posted := report.Date{Time: time.Date(2025, time.Month(1+i), 5, 0, 0, 0, 0, time.UTC)}
		account.Transactions = append(account.Transactions,
			bankdata.Transaction{ID: fmt.Sprint("w", i), Posted: posted, Amount: 2_000_00, Description: "NORTHWIND LOGISTICS PAYROLL"},
			bankdata.Transaction{ID: fmt.Sprint("b", i), Posted: posted, Amount: 100_00, Description: "SSA TREAS 310 XXSOC SEC PPD"})
	}
	rep := r.created(t, contract.Income, "")
	r.generateFrom(t, rep, Input{Data: &bankdata.Data{Connections: []bankdata.Connection{{ID: "c", SourceID: "BANK",
		Status: contract.StatusSuccess, Accounts: []bankdata.Account{account}}}},
		Given: &Given{State: "TX"}})
	return rep
}

// values overrides figures of an income report.
func values(v report.RevisedValues) (out []corrections.Correction) {
	for _, name := range report.RevisedNames() {
		if n := *v.Figure(name); n != nil {
			out = append(out, corrections.Correction{Target: corrections.Figures, Field: name, Value: fmt.Sprint(*n)})
		}
	}
	return out
}

func (r *testServer) correct(t *testing.T, publicToken string, c Change) (n int, err error) {
	d, err := r.Draft(t.Context(), r.DB.SQL, customer, publicToken, c)
	if err != nil {
		return 0, err
	}
	err = r.tx(t, func(ctx context.Context, tx *store.Tx) (err error) {
		n, err = r.Revise(ctx, tx, d)
		return err
	})
	return n, err
}

// read returns the report as clients get it.
func (r *testServer) read(t *testing.T, rep Report) *report.Income {
	t.Helper()
	raw, err := r.body(t.Context(), rep)
	if err != nil {
		t.Fatal(err)
	}
	body, err := report.ParseIncome(raw)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

const reason = "canary: the second employer of Ana Pérez was left out"

func TestCorrectionMakesNextRevision(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		var log bytes.Buffer
		r.Log = slog.New(slog.NewTextHandler(&log, nil))
		start := r.Now()
		now := start
		r.Now = func() time.Time { return now }
		db.SetClock(r.Now)
		rep := r.earner(t)
		first := r.read(t, rep)
		net, less, gross := int64(40_100), int64(39_000), int64(55_000)
		change := Change{Corrections: values(report.RevisedValues{NetAnnual: &net}), Reason: reason, By: "ada"}
		second := Change{Revision: 1, Corrections: values(report.RevisedValues{NetAnnual: &less}), Reason: reason, By: "bob"}

		t.Run("while there are data, the gross of a net is estimated anew", func(t *testing.T) {
			if len(first.Notices) != 3 || report.Text(first.Notices[2].SourceReference) != "BANK" || first.Meta.Revision != nil {
				t.Errorf("as it was made: meta %+v, notices %+v", first.Meta, first.Notices)
			}
			draft, err := r.Draft(t.Context(), db.SQL, customer, rep.PublicToken, Change{Corrections: change.Corrections})
			if err != nil || !strings.Contains(fmt.Sprint(draft.Differences), "{income.summary.annual_net_income 25200.00 40100.00}") {
				t.Fatalf("it would come to %+v, %v", draft.Differences, err)
			}
			now = start.Add(time.Hour)
			r.corrects(t, rep, change, 1)
			got := r.read(t, rep)
			if report.Text(got.Meta.Revision) != "1" || !got.Meta.RevisionCreatedAt.Equal(now) ||
				*got.Income.Summary.AnnualNet != report.Cents(net)*100 || *got.Income.Revised.GrossAnnual <= net ||
				*got.Income.Revised.NetRecent != *income.Figures(first).NetRecent {
				t.Errorf("revised: meta %+v, income %+v", got.Meta, got.Income)
			}
		})
		t.Run("40 days on the data are gone, and the gross is stated", func(t *testing.T) {
			now = start.Add(40 * 24 * time.Hour)
			if err := r.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			var no income.Unfit
			if _, err := r.correct(t, rep.PublicToken, second); !errors.As(err, &no) ||
				no != (income.Unfit{Figure: "gross_annual", Reason: income.UnfitUnknown}) {
				t.Errorf("a net alone without data: %v", err)
			}
			if want := []string{"SUCCESS ", "SUCCESS "}; !slices.Equal(r.events, want) {
				t.Errorf("events %q, want those of the report and its revision", r.events)
			}
			second.Corrections = values(report.RevisedValues{NetAnnual: &less, GrossAnnual: &gross})
			r.corrects(t, rep, second, 2)
		})
		t.Run("all revisions are kept, sealed", func(t *testing.T) {
			all := r.revisionsOf(t, rep)
			if len(all) != 2 || all[0].Number != 2 || all[0].By != "bob" || all[0].Reason != reason || !all[0].At.Equal(now) ||
				len(all[0].Corrections) != 2 || all[1].Number != 1 || all[1].By != "ada" || len(all[1].Corrections) != 1 {
				t.Errorf("revisions %+v", all)
			}
			for n, want := range []int64{*income.Figures(first).NetAnnual, net, less} {
				if got := r.netOf(t, rep, n); got != want {
					t.Errorf("revision %d has the net %d, want %d", n, got, want)
				}
			}
			if times, err := r.Revised(t.Context(), db.SQL, rep.PublicToken); err != nil || len(times) != 2 || !times[1].Equal(now) {
				t.Errorf("it was corrected at %v, %v", times, err)
			}
			r.sealed(t, rep, 2)
			if strings.Contains(log.String(), "canary") {
				t.Errorf("the log has the reason: %s", &log)
			}
		})
		t.Run("with the report its revisions go", func(t *testing.T) {
			now = start.Add(MaxAge + time.Hour)
			second.Revision = 2
			if _, err := r.correct(t, rep.PublicToken, second); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("after 90 days: %v", err)
			}
			if err := r.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			r.sealed(t, rep, 0)
		})
	})
}

// corrects corrects a report as the revision n.
func (r *testServer) corrects(t *testing.T, rep Report, c Change, n int) {
	t.Helper()
	if got, err := r.correct(t, rep.PublicToken, c); err != nil || got != n {
		t.Fatalf("corrected as %d, %v, want %d", got, err, n)
	}
}

// netOf returns the net income a year of a revision.
func (r *testServer) netOf(t *testing.T, rep Report, revision int) int64 {
	t.Helper()
	raw, err := r.Body(t.Context(), r.DB.SQL, customer, rep.PublicToken, revision)
	if err != nil {
		t.Fatal(err)
	}
	body, err := report.ParseIncome(raw)
	if err != nil {
		t.Fatal(err)
	}
	return *income.Figures(body).NetAnnual
}

// sealed checks that n revisions are stored, and that they cannot be read.
func (r *testServer) sealed(t *testing.T, rep Report, n int) {
	t.Helper()
	rows, err := revisions(t.Context(), r.DB.SQL, rep.PublicToken)
	if err != nil || len(rows) != n {
		t.Errorf("%d revisions, %v, want %d", len(rows), err, n)
	}
	for _, row := range rows {
		if bytes.Contains(row.reason, []byte("canary")) || bytes.Contains(row.corrections, []byte("net_annual")) {
			t.Error("what is sealed can be read")
		}
	}
}

// revisionsOf returns the revisions of a report, the newest first.
func (r *testServer) revisionsOf(t *testing.T, rep Report) []Revision {
	t.Helper()
	all, err := r.Revisions(t.Context(), r.DB.SQL, r.now(t, rep))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestConcurrentCorrections(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		rep := r.earner(t)
		var wg sync.WaitGroup
		var mu sync.Mutex
		var made []int64
		for i := range 100 {
			gross := int64(50_000 + i)
			wg.Go(func() {
				_, err := r.correct(t, rep.PublicToken,
					Change{Corrections: values(report.RevisedValues{GrossAnnual: &gross}), Reason: reason, By: "ada"})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					made = append(made, gross)
				case !errors.Is(err, ErrRevised):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if all := r.revisionsOf(t, rep); len(made) != 1 || len(all) != 1 || len(r.events) != 2 {
			t.Fatalf("%d were made, %d are kept, %d events", len(made), len(all), len(r.events))
		}
		if got := r.read(t, rep); *got.Income.Revised.GrossAnnual != made[0] || *got.Income.Summary.AnnualGross != report.Cents(made[0])*100 {
			t.Errorf("the report says %+v, want %d", got.Income.Summary, made[0])
		}
	})
}

func TestRejectedCorrections(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		gross := int64(50_000)
		c := Change{Corrections: values(report.RevisedValues{GrossAnnual: &gross}), Reason: reason, By: "ada"}
		cashflow := r.made(t, time.Time{})
		if _, err := r.correct(t, cashflow.PublicToken, c); !errors.Is(err, ErrUnchanged) {
			t.Errorf("figures of a cashflow report: %v", err)
		}
		pending := r.created(t, contract.Income, "")
		if _, err := r.correct(t, pending.PublicToken, c); !errors.Is(err, ErrNotCorrectable) {
			t.Errorf("a report that is not made: %v", err)
		}
		rep := r.earner(t)
		_, err := r.Draft(t.Context(), db.SQL, "another customer", rep.PublicToken, c)
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("another customer's report: %v", err)
		}
		if _, err := r.correct(t, rep.PublicToken, Change{Revision: 3, Corrections: c.Corrections}); !errors.Is(err, ErrRevised) {
			t.Errorf("a revision that is not the newest: %v", err)
		}
		if err := db.Vault.Shred(t.Context(), db.SQL, rep.KeyID); err != nil {
			t.Fatal(err)
		}
		if _, err := r.correct(t, rep.PublicToken, c); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("of a consumer who was deleted: %v", err)
		}
		if after, err := r.Get(t.Context(), db.SQL, rep.PublicToken); err != nil || after.revision != 0 || len(r.events) != 2 {
			t.Errorf("it is at revision %d with the events %q, %v", after.revision, r.events, err)
		}
	})
}
