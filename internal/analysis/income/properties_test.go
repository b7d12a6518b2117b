package income

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

// texts lists the descriptions of a drawn household's transactions and their ranges of
// amounts.
var texts = []struct {
	text     string
	from, to int64
}{
	{northwind, 900_00, 1_600_00}, {globex, 100_00, 3_000_00}, {benefit, 500_00, 510_00}, {"UBER PAYOUT", 5_00, 300_00},
	{"INTEREST PAYMENT", 1, 5_00}, {"IRS TREAS 310 TAX REF", 100_00, 900_00},
	{"VANDELAY 8812", 700_00, 700_01}, {"ADP PAYROLL", 800_00, 900_00},
	{"MOBILE CHECK DEPOSIT", 20_00, 900_00}, {groceries, -90_00, -5_00}, {"RENT CEDAR COURT APARTMENTS", -900_00, -899_00},
	{"ONLINE TRANSFER TO SAVINGS", -100_00, -50_00}, {"ONLINE TRANSFER FROM CHECKING", 50_00, 100_00},
}

// household draws the data of a person with one to three accounts, with monthly and
// single payments.
func household(t *rapid.T) (Input, time.Time) {
	at := time.Date(2025, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 800).Draw(t, "fetch"))
	accounts := make([]bankdata.Account, rapid.IntRange(1, 3).Draw(t, "accounts"))
	for i := range accounts {
		accounts[i] = bankdata.Account{ID: fmt.Sprint(i), Type: report.CashEquivalent,
			Subtype: []string{report.Checking, report.Savings, report.Other}[i]}
	}
	n := 0
	for range rapid.IntRange(0, 12).Draw(t, "series") {
		a := &accounts[rapid.IntRange(0, len(accounts)-1).Draw(t, "account")]
		x := texts[rapid.IntRange(0, len(texts)-1).Draw(t, "text")]
		every := rapid.SampledFrom([]int{7, 14, 30, 90, 1000}).Draw(t, "every")
		for back := rapid.IntRange(-5, 300).Draw(t, "last"); back < rapid.IntRange(1, 800).Draw(t, "first"); back += every {
			a.Transactions = append(a.Transactions, bankdata.Transaction{
				ID: fmt.Sprintf("%05d", n), Posted: report.DateOf(at.AddDate(0, 0, -back)), Pending: n%17 == 3,
				Amount: report.Cents(rapid.Int64Range(x.from, x.to).Draw(t, "amount")), Description: x.text,
			})
			n++
		}
	}
	in := Input{
		Envelope: report.Envelope{PublicToken: "7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001", InputSource: report.ConsumerInput},
		State:    rapid.SampledFrom([]string{"", "TX", "OR"}).Draw(t, "state"),
		StatedEmployers: rapid.SliceOfN(rapid.SampledFrom([]string{"Northwind", "Vandelay", "Globex Widgets", "ADP", "Initech"}),
			0, 3).Draw(t, "stated"),
		Bank: bank(accounts...), Options: Options{Suite: Suite20, Inflows: true},
	}
	return in, at
}

func encode(t *rapid.T, in Input, at time.Time) []byte {
	b, err := report.Encode(Build(in, at))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestInputOrderDoesNotMatter(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		in, at := household(t)
		before := encode(t, in, at)
		if again := encode(t, in, at); !bytes.Equal(before, again) {
			t.Fatal("the same input gave other bytes")
		}
		for i := range in.Bank.Connections[0].Accounts {
			a := &in.Bank.Connections[0].Accounts[i]
			a.Transactions = rapid.Permutation(a.Transactions).Draw(t, "order")
		}
		if after := encode(t, in, at); !bytes.Equal(before, after) {
			t.Fatal(cmp.Diff(string(before), string(after)))
		}
	})
}

func TestReportProperties(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		in, at := household(t)
		raw := encode(t, in, at)
		r, err := report.ParseIncome(raw)
		if err != nil {
			t.Fatal(err)
		}
		if back, _ := report.Encode(r); !bytes.Equal(raw, back) {
			t.Fatalf("read and written again: %s", cmp.Diff(string(raw), string(back)))
		}
		if r.Income == nil {
			return
		}
		requireYear(t, r.Income.FinancialAccounts[0], *r.Income.Summary.AnnualNet, *r.Income.Summary.AnnualGross)
		f := read(bankdata.Read(in.Bank, report.DateOf(at)), employersOf(in.StatedEmployers))
		requireInflows(t, r.Income.FinancialAccounts[0], f)
		for _, e := range r.Employment {
			if e.HireDate != nil || e.EmployerName == nil || *e.EmployerName == "" {
				t.Fatalf("employment has %+v", e)
			}
		}
	})
}

// requireYear checks that the year is the last twelve complete months of the history.
func requireYear(t *rapid.T, m report.FinancialAccount, net, gross report.Cents) {
	near := func(what string, a, b, off report.Cents) {
		if a > b+off || b > a+off {
			t.Fatalf("%s: %s and %s", what, a, b)
		}
	}
	if gross < net || *m.GrossAnnual < *m.NetAnnual || m.NetRecent != nil && *m.GrossRecent < *m.NetRecent {
		t.Fatalf("gross is less than net: %+v", m)
	}
	near("net_annual and the summary", report.Cents(*m.NetAnnual*100), net, 50)
	near("gross_annual and the summary", report.Cents(*m.GrossAnnual*100), gross, 50)
	var byMonth [2][]report.Cents // newest first
	for i, y := range m.History {
		if len(y.Net) != 12 || len(y.Gross) != 12 || i > 0 && y.Year != m.History[i-1].Year-1 {
			t.Fatalf("history is %+v", m.History)
		}
		for k := range y.Net {
			if (y.Net[k] == nil) != (y.Gross[k] == nil) {
				t.Fatalf("%d: a month has net %v and gross %v", y.Year, y.Net[k], y.Gross[k])
			}
			if y.Net[k] != nil {
				byMonth[0], byMonth[1] = append(byMonth[0], *y.Net[k]), append(byMonth[1], *y.Gross[k])
			}
		}
	}
	for i, want := range []report.Cents{net, gross} {
		var sum report.Cents
		for _, c := range byMonth[i][1:min(13, len(byMonth[i]))] {
			sum += c
		}
		near("the months and the year", sum, want, report.Cents(6*i)+report.Cents(i))
	}
}

// requireInflows checks that inflows are a part of the income, and matches of the inflows.
func requireInflows(t *rapid.T, m report.FinancialAccount, f *facts) {
	var inflows report.Cents
	known := map[string]bool{}
	for _, x := range m.Inflows {
		if known[x.InflowID] {
			t.Fatalf("two inflows %s", x.InflowID)
		}
		known[x.InflowID] = true
		if x.AnnualIncome != nil {
			inflows += *x.AnnualIncome
		}
	}
	if s, ok := f.annualized(12); ok && inflows > s.total()+report.Cents(len(m.Inflows)) {
		t.Fatalf("inflows bring %s of %s", inflows, s.total())
	}
	for _, x := range m.MatchedIncomeSources {
		if !known[x.MatchedInflowID] {
			t.Fatalf("no inflow %s, or twice", x.MatchedInflowID)
		}
		known[x.MatchedInflowID] = false
	}
	if (m.MatchedIncome != nil) != (len(m.MatchedIncomeSources) > 0) {
		t.Fatalf("matched income %v of %d inflows", m.MatchedIncome, len(m.MatchedIncomeSources))
	}
	if m.MatchedIncome != nil && *m.MatchedIncome.Net > *m.NetAnnual+1 {
		t.Fatalf("matched %d of %d", *m.MatchedIncome.Net, *m.NetAnnual)
	}
}

// TestNoPayBeforeHireDate checks that before an estimated hire date, no account has a wage
// of the employer, and each account that has one later has another transaction.
func TestNoPayBeforeHireDate(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		in, at := Input{Bank: bank(cash(), cash())}, asOf
		n := 0
		for i := range in.Bank.Connections[0].Accounts {
			a := &in.Bank.Connections[0].Accounts[i]
			a.ID = fmt.Sprint(i)
			for range rapid.IntRange(0, 3).Draw(t, "series") {
				amount := report.Cents(rapid.Int64Range(900_00, 905_00).Draw(t, "amount"))
				text := rapid.SampledFrom([]string{northwind, northwind, "NORTHWIND LOGISTICS LLC PAYROLL", globex, groceries}).Draw(t, "text")
				if text == groceries {
					amount = -5_00
				}
				last, every := rapid.IntRange(0, 400).Draw(t, "last"), rapid.SampledFrom([]int{7, 14, 30}).Draw(t, "every")
				for k := range rapid.IntRange(1, 12).Draw(t, "payments") {
					n++
					a.Transactions = append(a.Transactions, bankdata.Transaction{ID: fmt.Sprint(n),
						Posted: report.DateOf(at.AddDate(0, 0, -last-k*every)), Amount: amount, Description: text})
				}
			}
		}
		fetch := report.DateOf(at)
		for _, e := range Build(in, at).Employment {
			if e.EstimatedHireDate == nil {
				continue
			}
			paid := false
			for _, a := range in.Bank.Connections[0].Accounts {
				history := a.History(fetch)
				for _, x := range history {
					if !strings.Contains(x.Description, strings.TrimSuffix(*e.EmployerName, " LLC")) {
						continue
					}
					paid = paid || x.Posted.Equal(e.EstimatedHireDate.Time)
					if x.Posted.Before(e.EstimatedHireDate.Time) || !history[0].Posted.Before(e.EstimatedHireDate.AddDate(0, 0, -5)) {
						t.Fatalf("%s hired on %s, and paid on %s into an account since %s", *e.EmployerName, e.EstimatedHireDate, x.Posted, history[0].Posted)
					}
				}
			}
			if !paid {
				t.Fatalf("%s hired on %s, and not paid then", *e.EmployerName, e.EstimatedHireDate)
			}
		}
	})
}

// TestIncomeRisesWithWages adds a wage in a complete month of the year.
func TestIncomeRisesWithWages(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		in, at := household(t)
		in.StatedEmployers = nil
		before := Build(in, at)
		if before.Income == nil {
			return
		}
		a := &in.Bank.Connections[0].Accounts[0]
		amount := report.Cents(rapid.Int64Range(1, 9_000_00).Draw(t, "more"))
		first := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
		on := first.AddDate(0, 0, -rapid.IntRange(1, 25).Draw(t, "back"))
		if on.Before(oldest(in.Bank, at)) {
			return
		}
		a.Transactions = append(a.Transactions, bankdata.Transaction{ID: "more", Posted: report.DateOf(on),
			Amount: amount, Description: "ONCE ONLY PAYROLL"})
		after := Build(in, at)
		x, y := before.Income.Summary, after.Income.Summary
		if *y.AnnualNet != *x.AnnualNet+amount || *y.AnnualGross < *x.AnnualGross+amount-1 {
			t.Fatalf("with %s more, net goes from %s to %s and gross from %s to %s", amount,
				*x.AnnualNet, *y.AnnualNet, *x.AnnualGross, *y.AnnualGross)
		}
	})
}

func oldest(d bankdata.Data, at time.Time) time.Time {
	l := bankdata.Read(d, report.DateOf(at))
	return l.Oldest.Date().Time
}

// TestLargestAmounts checks that sums are limited to the maximum amount.
func TestLargestAmounts(t *testing.T) {
	a := joined(each("2024-04", "2026-02", 3, most, northwind), each("2024-04", "2026-02", 9, most, globex),
		each("2024-04", "2026-02", 5, most-1, benefit))
	raw, err := report.Encode(build(bank(a), "Northwind", "Globex"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.ParseIncome(raw)
	if err != nil {
		t.Fatalf("its own reader refuses it: %v", err)
	}
	if got := *r.Income.Summary.AnnualNet; got != most {
		t.Errorf("the year's income is %s", got)
	}
}
