package reports

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/corrections"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/proptest"
	"vestibule/internal/testutil/storetest"
)

// disputed is the input of a report that is corrected: wages, a benefit, rent, a transfer that is
// a wage, and a second account.
func disputed() Input {
	cash := bankdata.Account{ID: "cash", Institution: "Harbor", Name: "Checking", Type: report.CashEquivalent, Subtype: report.Checking,
		Number: "000111222", Balance: 900_00}
	other := bankdata.Account{ID: "other", Institution: "Harbor", Name: "Joint", Type: report.CashEquivalent, Subtype: report.Checking,
		Number: "000111333", Balance: 50_00}
	for i := range 14 {
		posted := report.Date{Time: time.Date(2025, time.Month(1+i), 5, 0, 0, 0, 0, time.UTC)}
		add := func(a *bankdata.Account, id string, c report.Cents, text string) {
			a.Transactions = append(a.Transactions, bankdata.Transaction{ID: fmt.Sprint(id, i), Posted: posted, Amount: c, Description: text})
		}
		add(&cash, "w", 2_000_00, "NORTHWIND LOGISTICS PAYROLL")
		add(&cash, "b", 100_00, "SSA TREAS 310 XXSOC SEC PPD")
		add(&cash, "r", -900_00, "OAK HILL APARTMENTS RENT WEB PMTS")
		add(&other, "g", 300_00, "GLOBEX CORP PAYROLL")
	}
	at := report.Date{Time: time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC)}
	job := income.Job{RecordID: "job", Employer: "Northwind Logistics", Status: report.EmploymentActive, Statements: []income.Statement{
		{PayDate: at, Start: at, End: at, Gross: 2_500_00, GrossYTD: 5_000_00, Net: 2_000_00, NetYTD: 4_000_00}}}
	return Input{Consumer: &bankdata.Person{FirstName: "Ana", LastName: "Perez"}, Source: report.ConsumerInput,
		Data: &bankdata.Data{Connections: []bankdata.Connection{{ID: "c", SourceID: "HARBOR", Institution: "Harbor",
			Status:   contract.StatusSuccess,
			Owners:   []bankdata.Owner{{RecordID: "owner", Person: bankdata.Person{FirstName: "Anna", LastName: "Peres"}}},
			Accounts: []bankdata.Account{cash, other}}}},
		SignIns: []SignIn{{Provider: "globex"}},
		Payroll: []income.Payroll{{ID: "p", SourceID: "PAYCO", Provider: "Payco", Jobs: []income.Job{job}}},
		Given:   &Given{State: "TX", Employers: []string{"Northwind Logistics"}}}
}

// generated creates a report of a kind from an input.
func (r *testServer) generated(t *testing.T, kind contract.Product, in Input) Report {
	t.Helper()
	rep := r.created(t, kind, "")
	in.At = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r.generateFrom(t, rep, in)
	if rep = r.now(t, rep); rep.Status != contract.StatusSuccess {
		t.Fatalf("the report is %s", rep.Status)
	}
	return rep
}

func (r *testServer) raw(t *testing.T, rep Report) string {
	t.Helper()
	raw, err := r.body(t.Context(), rep)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func set(target corrections.Target, account, id, field, value string) corrections.Correction {
	return corrections.Correction{Target: target, Account: account, ID: id, Field: field, Value: value}
}

// differences returns what a change would make of a report.
func (r *testServer) differences(t *testing.T, rep Report, made ...corrections.Correction) map[string]string {
	t.Helper()
	d, err := r.Draft(t.Context(), r.DB.SQL, customer, rep.PublicToken, Change{Revision: r.now(t, rep).revision, Corrections: made})
	if err != nil {
		t.Fatalf("%v: %v", made, err)
	}
	out := map[string]string{}
	for _, x := range d.Differences {
		out[x.Path] = x.Before + " → " + x.After
	}
	return out
}

// TestCorrectionsOfEachTarget checks what each correction changes in a report.
func TestCorrectionsOfEachTarget(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		wages, flows, both := r.generated(t, contract.Income, disputed()), r.generated(t, contract.Cashflow, disputed()),
			r.generated(t, contract.Eligibility, disputed())
		const net = "income.summary.annual_net_income"
		for name, c := range map[string]struct {
			of   Report
			made corrections.Correction
			path string
			want string
		}{
			"a wage that is not theirs": {wages, set(corrections.Transaction, "cash", "w8", corrections.Excluded, corrections.Yes), net,
				"28800.00 → 26800.00"},
			"an account that is not theirs": {wages, set(corrections.Account, "", "other", corrections.Excluded, corrections.Yes), net,
				"28800.00 → 25200.00"},
			"a wage that is a refund": {wages, set(corrections.Transaction, "cash", "w8", corrections.Category, "DEPOSIT.REFUND"), net,
				"28800.00 → 26800.00"},
			"a wage that was money out": {wages, set(corrections.Transaction, "cash", "w8", corrections.Side, corrections.Out), net,
				"28800.00 → 26800.00"},
			"an employer by all its payments": {wages, set(corrections.Counterparty, "", "in:GLOBEX CORP PAYROLL", corrections.Payer, "Initech"),
				"income.financial_accounts.1.descriptions.2", "GLOBEX CORP → Initech"},
			"two streams of one employer": {wages,
				set(corrections.Counterparty, "", "in:GLOBEX CORP PAYROLL", corrections.Same, "NORTHWIND LOGISTICS PAYROLL"),
				"income.financial_accounts.1.matched_income.net_income", "24000 → 27600"},
			"a job that has ended": {wages, set(corrections.Counterparty, "", "in:GLOBEX CORP PAYROLL", corrections.Ended, corrections.Yes),
				"employment.3.employment_status", "active → "},
			"a name": {wages, set(corrections.Identity, "", "owner", corrections.First, "Ana"), "identities.2.first_name", "Anna → Ana"},
			"a job":  {wages, set(corrections.Employer, "", "job", corrections.Title, "Driver"), "employment.4.job_title", " → Driver"},
			"in a cashflow report": {flows, set(corrections.Transaction, "cash", "w8", corrections.Excluded, corrections.Yes),
				"attributes.UA_INCOME_TOTAL_SUM_12M.value", ""},
			"in an eligibility report": {both, set(corrections.Employer, "", "job", corrections.Name, "Initech"), "employment.1.employer_name",
				"Northwind Logistics → Initech"},
		} {
			got := r.differences(t, c.of, c.made)
			if got[c.path] != c.want && c.want != "" || c.want == "" && !slices.ContainsFunc(sortedKeys(got), func(p string) bool {
				return strings.HasPrefix(p, "attributes.")
			}) {
				t.Errorf("%s: %s is %q, want %q, of %v", name, c.path, got[c.path], c.want, got)
			}
		}
		everything := []corrections.Correction{set(corrections.Account, "", "other", corrections.Excluded, corrections.Yes),
			set(corrections.Account, "", "cash", corrections.Excluded, corrections.Yes)}
		if _, err := r.Draft(t.Context(), db.SQL, customer, flows.PublicToken, Change{Corrections: everything}); !errors.Is(err, ErrNothingLeft) {
			t.Errorf("every account: %v", err)
		}
	})
}

func sortedKeys(m map[string]string) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// TestCorrectionTakenBack checks that a report is the original one, except for its revision,
// after its corrections were taken back; and that a statement alone changes nothing else.
func TestCorrectionTakenBack(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		for _, kind := range []contract.Product{contract.Income, contract.Cashflow, contract.Eligibility} {
			rep := r.generated(t, kind, disputed())
			first := r.raw(t, rep)
			made := set(corrections.Transaction, "cash", "w8", corrections.Excluded, corrections.Yes)
			account := set(corrections.Account, "", "other", corrections.Excluded, corrections.Yes)
			both := []corrections.Correction{made, account}
			r.corrects(t, rep, Change{Corrections: both, Reason: reason}, 1)
			made.Value, account.Value = "", ""
			both = []corrections.Correction{made, account}
			r.corrects(t, rep, Change{Revision: 1, Corrections: both, Reason: reason}, 2)
			d, err := report.Differences([]byte(first), []byte(r.raw(t, rep)))
			if err != nil || len(d) > 0 {
				t.Errorf("%s: after both were taken back it differs by %v, %v", kind, d, err)
			}
			statement := set(corrections.Statement, "", "D-2026-AAAAAA", corrections.Text, "The bonus was paid once.")
			if got := r.differences(t, rep, statement); len(got) == 0 || len(got) > 2 {
				t.Errorf("%s: a statement changes %v", kind, got)
			}
			if _, err := r.Draft(t.Context(), db.SQL, customer, rep.PublicToken, Change{Revision: 2}); !errors.Is(err, ErrUnchanged) {
				t.Errorf("%s: without a correction: %v", kind, err)
			}
		}
	})
}

// TestRevisedFiguresAgree corrects an income report at random and checks that the figures that
// depend on each other agree.
func TestRevisedFiguresAgree(t *testing.T) {
	db := storetest.SQLite(t, store.Provider)
	r := newTestServer(t, db)
	rep := r.generated(t, contract.Income, disputed())
	original := r.read(t, rep)
	proptest.Check(t, func(rt *rapid.T) {
		var made []corrections.Correction
		for range rapid.IntRange(1, 6).Draw(rt, "corrections") {
			id := fmt.Sprint(rapid.SampledFrom([]string{"w", "b"}).Draw(rt, "id"), rapid.IntRange(0, 13).Draw(rt, "month"))
			made = append(made, rapid.SampledFrom([]corrections.Correction{
				set(corrections.Transaction, "cash", id, corrections.Excluded, corrections.Yes),
				set(corrections.Transaction, "cash", id, corrections.Category, "DEPOSIT.REFUND"),
				set(corrections.Transaction, "cash", id, corrections.Side, corrections.Out),
				set(corrections.Account, "", "other", corrections.Excluded, corrections.Yes),
				set(corrections.Counterparty, "", "in:GLOBEX CORP PAYROLL", corrections.Same, "NORTHWIND LOGISTICS PAYROLL"),
				set(corrections.Figures, "", "", "net_annual", fmt.Sprint(rapid.IntRange(1, 90_000).Draw(rt, "net"))),
			}).Draw(rt, "correction"))
		}
		now, err := r.correcting(t.Context(), db.SQL, customer, rep.PublicToken)
		if err != nil {
			t.Fatal(err)
		}
		d := Draft{at: r.Now()}
		body, err := r.revised(t.Context(), now, corrections.Merge(nil, made), &d)
		if err != nil {
			rt.Fatal(err)
		}
		got := body.(report.Income)
		a, v := got.Income.FinancialAccounts[0], *got.Income.Revised
		if !cmp.Equal([]*int64{v.NetAnnual, v.GrossAnnual, v.NetRecent, v.GrossRecent},
			[]*int64{a.NetAnnual, a.GrossAnnual, a.NetRecent, a.GrossRecent}) {
			rt.Fatalf("the model says %+v, the revised values %+v", a, v)
		}
		if d := int64(*got.Income.Summary.AnnualNet)/100 - *v.NetAnnual; d < -1 || d > 1 {
			rt.Fatalf("the summary says %s, the revised values %d", *got.Income.Summary.AnnualNet, *v.NetAnnual)
		}
		if m := a.MatchedIncome; m != nil && (*m.Net > *v.NetAnnual+1 || *m.Gross > *v.GrossAnnual+1 || *m.Net > *m.Gross+1) {
			rt.Fatalf("of %d net and %d gross, %d and %d are from the stated employer", *v.NetAnnual, *v.GrossAnnual, *m.Net, *m.Gross)
		}
	})
	// An override alone changes the matched income in proportion.
	net := int64(14_400)
	half := Change{Corrections: values(report.RevisedValues{NetAnnual: &net}), Reason: reason}
	r.corrects(t, rep, half, 1)
	was, is := original.Income.FinancialAccounts[0].MatchedIncome, r.read(t, rep).Income.FinancialAccounts[0].MatchedIncome
	if *was.Net != 24_000 || *is.Net != 12_000 || *is.Gross >= *was.Gross {
		t.Errorf("half the net: %d and %d gross from the employer, was %d and %d", *is.Net, *is.Gross, *was.Net, *was.Gross)
	}
}

// TestCorrectionsOfEarlierVersions computes a report again whose figures an earlier version of the
// program overrode, which kept no list of corrections.
func TestCorrectionsOfEarlierVersions(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		rep := r.generated(t, contract.Income, disputed())
		recent := *income.Figures(r.read(t, rep)).NetRecent
		net := int64(14_400)
		figures := Change{Corrections: values(report.RevisedValues{NetAnnual: &net}), Reason: reason}
		r.corrects(t, rep, figures, 1)
		if _, err := db.SQL.ExecContext(t.Context(), `UPDATE report_revisions SET corrections = NULL`); err != nil {
			t.Fatal(err)
		}
		made := []corrections.Correction{set(corrections.Account, "", "other", corrections.Excluded, corrections.Yes)}
		r.corrects(t, rep, Change{Revision: 1, Corrections: made, Reason: reason}, 2)
		if got := income.Figures(r.read(t, rep)); *got.NetAnnual != net || *got.NetRecent >= recent {
			t.Errorf("net %d and recently %d, want %d and less than %d", *got.NetAnnual, *got.NetRecent, net, recent)
		}
	})
}
