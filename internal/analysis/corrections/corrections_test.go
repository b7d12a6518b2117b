package corrections

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

func day(n int) report.Date {
	return report.Date{Time: time.Date(2026, 1, 1+n, 0, 0, 0, 0, time.UTC)}
}

func subject() Subject {
	a := bankdata.Account{ID: "a", Type: report.CashEquivalent, Subtype: report.Checking}
	b := bankdata.Account{ID: "b", Type: report.CashEquivalent, Subtype: report.Checking}
	for i := range 6 {
		a.Transactions = append(a.Transactions, bankdata.Transaction{ID: fmt.Sprint("w", i), Posted: day(14 * i), Amount: 100_00,
			Description: "GLOBEX CORP PAYROLL"})
		b.Transactions = append(b.Transactions, bankdata.Transaction{ID: fmt.Sprint("r", i), Posted: day(14*i + 1), Amount: -50_00,
			Description: "OAK HILL RENT"})
	}
	return Subject{Consumer: &bankdata.Person{FirstName: "Ana", LastName: "Perez"}, Fetch: day(90),
		Bank: bankdata.Data{Connections: []bankdata.Connection{{ID: "c", Owners: []bankdata.Owner{{RecordID: "o",
			Person: bankdata.Person{FirstName: "Anna"}}}, Accounts: []bankdata.Account{a, b}}}},
		Payroll: []income.Payroll{{ID: "p", Jobs: []income.Job{{RecordID: "j", Employer: "Globex"}}}}, Paystubs: []income.Paystub{{ID: "s"}}}
}

// draw draws a correction of any item of a subject.
func draw(t *rapid.T, items []Item) Correction {
	i := rapid.SampledFrom(items).Draw(t, "item")
	f := rapid.SampledFrom(i.Fields).Draw(t, "field")
	c := i.Correction
	c.Field, c.Value = f.Name, "2020-02-29"
	if f.Kind == Choice && len(f.Options) > 0 {
		c.Value = rapid.SampledFrom(f.Options).Draw(t, "value")
	}
	return c
}

// TestCorrectionsLeaveNoTrace applies corrections at random: the input stays as it is, and after
// all of them were taken back the data are the original ones.
func TestCorrectionsLeaveNoTrace(t *testing.T) {
	original := subject()
	items := Items(original, nil, true)
	proptest.Check(t, func(t *rapid.T) {
		s := subject()
		var made, back []Correction
		for range rapid.IntRange(1, 8).Draw(t, "n") {
			c := draw(t, items)
			made = append(made, c)
			c.Value = ""
			back = append(back, c)
		}
		inForce := Merge(nil, made)
		Apply(s, inForce)
		if diff := cmp.Diff(original, s); diff != "" {
			t.Fatalf("the input changed: %s", diff)
		}
		if left := Merge(inForce, back); len(left) != 0 {
			t.Fatalf("%v are left", left)
		}
		for _, i := range Items(s, inForce, true) {
			for _, f := range i.Fields {
				if !f.Valid(f.Value) || !f.Valid("") {
					t.Fatalf("%s of %s is %q, which its own form refuses", f.Name, i.Label, f.Value)
				}
			}
		}
	})
}

// TestApply checks one correction of each field.
func TestApply(t *testing.T) {
	tx := func(s Subject, account, n int) bankdata.Transaction {
		return s.Bank.Connections[0].Accounts[account].Transactions[n]
	}
	for name, c := range map[string]struct {
		made Correction
		ok   func(s Subject) bool
	}{
		"an account": {Correction{Account, "", "a", Excluded, Yes}, func(s Subject) bool { return len(s.Bank.Connections[0].Accounts) == 1 }},
		"a transaction": {Correction{Transaction, "a", "w0", Excluded, Yes},
			func(s Subject) bool { return len(s.Bank.Connections[0].Accounts[0].Transactions) == 5 }},
		"that of another account": {Correction{Transaction, "b", "w0", Excluded, Yes},
			func(s Subject) bool { return len(s.Bank.Connections[0].Accounts[0].Transactions) == 6 }},
		"a side":   {Correction{Transaction, "a", "w0", Side, Out}, func(s Subject) bool { return tx(s, 0, 0).Amount == -100_00 }},
		"its side": {Correction{Transaction, "a", "w0", Side, In}, func(s Subject) bool { return tx(s, 0, 0).Amount == 100_00 }},
		"a category": {Correction{Transaction, "a", "w0", Category, "DEPOSIT.REFUND"},
			func(s Subject) bool { return *tx(s, 0, 0).Corrected.Leaf == bankdata.LeafRefund }},
		"an employer": {Correction{Counterparty, "", "in:GLOBEX CORP PAYROLL", Payer, "Initech"},
			func(s Subject) bool { return tx(s, 0, 5).Corrected.Payer == "Initech" && tx(s, 1, 5).Corrected == nil }},
		"a first name": {Correction{Identity, "", Entered, First, "Eva"}, func(s Subject) bool { return s.Consumer.FirstName == "Eva" }},
		"an owner": {Correction{Identity, "", "o", Last, "Roe"},
			func(s Subject) bool { return s.Bank.Connections[0].Owners[0].LastName == "Roe" }},
		"a job": {Correction{Employer, "", "j", Hired, "2020-02-29"},
			func(s Subject) bool { return s.Payroll[0].Jobs[0].Hired.String() == "2020-02-29" }},
		"a pay stub": {Correction{Employer, "", "s", Name, "Initech"}, func(s Subject) bool { return s.Paystubs[0].Employer == "Initech" }},
	} {
		if !c.ok(Apply(subject(), []Correction{c.made})) {
			t.Errorf("%s: it has no effect, or another one", name)
		}
	}
}

// TestIsText checks that a text cannot hide or reorder what a page shows.
func TestIsText(t *testing.T) {
	for text, want := range map[string]bool{"": true, "Not mine.\nSee the bill.": true, "שלום, 500": true, " a": false, "a\x00b": false,
		"a\u202eb": false, "a\u2066b": false, "a\u200fb": false, "a\u2028b": false, "a\u200bb": false, "\xff": false} {
		if got := IsText(text, 40); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
