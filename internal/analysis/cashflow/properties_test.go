package cashflow

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

// descriptors lists lines as banks write them, with their ranges of amounts.
var descriptors = []struct {
	text     string
	from, to int64
}{
	{"DIRECT DEP NORTHWIND LOGISTICS PAYROLL PPD", 900_00, 3_000_00},
	{"SSA TREAS 310 XXSOC SEC PPD", 800_00, 1_900_00},
	{"UBER TRIP DRIVER PAYOUT", 10_00, 400_00},
	{"INTEREST PAYMENT", 1, 9_00},
	{"MOBILE CHECK DEPOSIT", 20_00, 800_00},
	{"TARGET REFUND 00021873", 5_00, 80_00},
	{"ZELLE PAYMENT FROM J RIVERA", 10_00, 300_00},
	{"EARNIN ADVANCE", 50_00, 200_00},
	{"ONLINE TRANSFER FROM SAVINGS", 50_00, 500_00},
	{"ACH WEB PMT CEDAR COURT APARTMENTS RENT", -1_800_00, -700_00},
	{"ACH DEBIT TOYOTA FINANCIAL AUTO LOAN PMT", -450_00, -300_00},
	{"ONLINE PMT CAPITAL ONE CREDIT CARD PAYMENT", -700_00, -40_00},
	{"AUSTIN ENERGY UTILITY BILL PAY", -200_00, -40_00},
	{"VERIZON WIRELESS AUTOPAY", -90_00, -30_00},
	{"NETFLIX.COM SUBSCRIPTION", -20_00, -10_00},
	{"POS DEBIT KROGER #418 AUSTIN TX", -200_00, -5_00},
	{"SHELL OIL 57442019", -80_00, -20_00},
	{"CHIPOTLE 2188", -40_00, -8_00},
	{"DRAFTKINGS", -200_00, -10_00},
	{"ATM WITHDRAWAL 002817", -300_00, -20_00},
	{"OVERDRAFT ITEM FEE", -36_00, -30_00},
	{"NSF RETURNED ITEM FEE", -36_00, -30_00},
	{"ONLINE TRANSFER TO SAVINGS", -500_00, -50_00},
	{"EARNIN REPAYMENT", -200_00, -50_00},
}

// people draws the data of a household and its fetch date.
func people(t *rapid.T) (bankdata.Data, time.Time) {
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	at := start.AddDate(0, 0, rapid.IntRange(0, 1200).Draw(t, "fetch"))
	var accounts []bankdata.Account
	for i := range rapid.IntRange(1, 3).Draw(t, "accounts") {
		a := bankdata.Account{
			ID: fmt.Sprintf("account-%d", i), Type: report.CashEquivalent,
			Subtype: rapid.SampledFrom([]string{report.Checking, report.Savings, report.Other}).Draw(t, "subtype"),
			Balance: report.Cents(rapid.Int64Range(-500_00, 9_000_00).Draw(t, "balance")),
		}
		span := rapid.SampledFrom([]int{20, 100, 400, 760}).Draw(t, "span")
		for n := range rapid.IntRange(0, 120).Draw(t, "transactions") {
			d := rapid.SampledFrom(descriptors).Draw(t, "descriptor")
			a.Transactions = append(a.Transactions, bankdata.Transaction{
				ID:          fmt.Sprintf("%d-%d", i, n),
				Posted:      report.DateOf(at.AddDate(0, 0, -rapid.IntRange(0, span).Draw(t, "age"))),
				Amount:      report.Cents(rapid.Int64Range(d.from, d.to).Draw(t, "amount")),
				Description: d.text,
				Pending:     rapid.IntRange(0, 30).Draw(t, "pending") == 0,
			})
		}
		accounts = append(accounts, a)
	}
	return bankdata.Data{Connections: []bankdata.Connection{{ID: "1", SourceID: "BANK",
		Status: contract.StatusSuccess, Accounts: accounts}}}, at
}

func encoded(t *rapid.T, d bankdata.Data, at time.Time) []byte {
	raw, err := report.Encode(Build(Input{Bank: d, Options: Options{Attributes: true, Deprecated: true, ScoreV1: true}}, at))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestBuildIgnoresInputOrder(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, at := people(t)
		want := encoded(t, d, at)
		if !bytes.Equal(want, encoded(t, d, at)) {
			t.Fatal("the same input gave other bytes")
		}
		for i := range d.Connections[0].Accounts {
			a := &d.Connections[0].Accounts[i]
			if len(a.Transactions) > 1 {
				a.Transactions = rapid.Permutation(a.Transactions).Draw(t, "order")
			}
		}
		if got := encoded(t, d, at); !bytes.Equal(want, got) {
			t.Fatalf("another order gave\n%s\nwant\n%s", got, want)
		}
	})
}

// TestZeroAmountsChangeOnlyCounts adds a zero amount on a day that has a transaction.
func TestZeroAmountsChangeOnlyCounts(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, at := people(t)
		l := bankdata.Read(d, report.DateOf(at))
		if len(l.Entries) == 0 {
			return
		}
		before := written(l)
		on := l.Entries[rapid.IntRange(0, len(l.Entries)-1).Draw(t, "on")].Day
		a := &d.Connections[0].Accounts[0]
		a.Transactions = append(a.Transactions, bankdata.Transaction{ID: "nothing", Posted: on.Date(), Description: "BALANCE INQUIRY"})
		for name, after := range written(bankdata.Read(d, report.DateOf(at))) {
			if after != before[name] && !strings.Contains(name, "_CNT_") && !strings.HasSuffix(name, "_SCNT") {
				t.Fatalf("%s becomes %s, was %s", name, after, before[name])
			}
		}
	})
}

func written(l *bankdata.Ledger) map[string]string {
	f := newFacts(l)
	out := map[string]string{}
	for _, d := range append(Catalogue(), Deprecated()...) {
		out[d.Name] = string(d.Type.append(nil, d.value(f)))
	}
	return out
}

// TestCreditsNeverLowerBalances adds a credit and its amount to the stated balance.
func TestCreditsNeverLowerBalances(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, at := people(t)
		before := newFacts(bankdata.Read(d, report.DateOf(at)))
		if !before.records() {
			return
		}
		old := newValues(before)
		amount := report.Cents(rapid.Int64Range(1, 5_000_00).Draw(t, "more"))
		a := &d.Connections[0].Accounts[0]
		a.Balance += amount
		on := before.ledger.Entries[rapid.IntRange(0, len(before.ledger.Entries)-1).Draw(t, "on")].Day
		a.Transactions = append(a.Transactions, bankdata.Transaction{ID: "more", Posted: on.Date(),
			Amount: amount, Description: "MOBILE CHECK DEPOSIT"})
		after := newValues(newFacts(bankdata.Read(d, report.DateOf(at))))
		for i, u := range universal {
			if u.Node != NodeAsset || u.Calculation == "Trend" || u.Calculation == Recency {
				continue
			}
			better := after[i].n >= old[i].n
			if u.Calculation == "Count" && u.Window != Current { // days with too little
				better = after[i].n <= old[i].n
			}
			if !better {
				t.Fatalf("with %s more on %s, %s goes from %d to %d", amount, on.Date(), u.Name, old[i].n, after[i].n)
			}
		}
	})
}

// TestScoreIsSumOfPoints compares score and points of random households.
func TestScoreIsSumOfPoints(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, at := people(t)
		f := newFacts(bankdata.Read(d, report.DateOf(at)))
		v := newValues(f)
		s := scoreVersion{"v2.0", linesOf(inV2)}.score(f, v, nil)
		if s.Value == nil {
			return
		}
		sum := 0
		for i := range card {
			sum += card[i].points(v[card[i].at])
		}
		if *s.Value != 300+sum || *s.Value < 300 || *s.Value > 850 {
			t.Fatalf("the score is %d, its points %d", *s.Value, sum)
		}
	})
}

// TestLargestAmounts multiplies all amounts until their total is the maximum of a
// submission, and checks that no quotient changes and no sum overflows.
func TestLargestAmounts(t *testing.T) {
	const most = 10_000_000_000_000_00 - 1
	proptest.Check(t, func(t *rapid.T) {
		d, at := people(t)
		old := newValues(newFacts(bankdata.Read(d, report.DateOf(at))))
		sum := report.Cents(1)
		each := func(f func(*report.Cents)) {
			for i := range d.Connections[0].Accounts {
				a := &d.Connections[0].Accounts[i]
				f(&a.Balance)
				for j := range a.Transactions {
					f(&a.Transactions[j].Amount)
				}
			}
		}
		each(func(c *report.Cents) { sum += max(*c, -*c) })
		each(func(c *report.Cents) { *c *= most / sum })
		after := newValues(newFacts(bankdata.Read(d, report.DateOf(at))))
		for i, u := range universal {
			same := old[i].state == after[i].state
			switch u.Type {
			case Float:
				same = same && old[i].n == after[i].n
			case Dollar: // less than half a cent was rounded to 0
				same = same && (old[i].n == 0 || (old[i].n < 0) == (after[i].n < 0))
			}
			if !same {
				t.Fatalf("times %d, %s goes from %+v to %+v", most/sum, u.Name, old[i], after[i])
			}
		}
	})
}
