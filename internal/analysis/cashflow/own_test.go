package cashflow

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

// own21 returns the score v2.1 of a ledger, or 0 if it is null.
func own21(l *bankdata.Ledger) int {
	f := newFacts(l)
	if s := (scoreVersion{"v2.1", ownLines}).score(f, newValues(f), nil); s.Value != nil {
		return *s.Value
	}
	return 0
}

// added returns the data with one more transaction, whose amount is in the balance.
func added(d bankdata.Data, account int, tx bankdata.Transaction) bankdata.Data {
	c := d.Connections[0]
	c.Accounts = append([]bankdata.Account(nil), c.Accounts...)
	a := &c.Accounts[account]
	a.Transactions = append(append([]bankdata.Transaction(nil), a.Transactions...), tx)
	a.Balance += tx.Amount
	return bankdata.Data{Connections: []bankdata.Connection{c}}
}

// same reports whether the entries of both ledgers, except new ones, have the same
// categories. Their events may differ.
func same(was, is *bankdata.Ledger, d, e bankdata.Data) bool {
	type judged struct {
		leaf bankdata.Leaf
		own  bool
	}
	of := func(l *bankdata.Ledger, d bankdata.Data) map[string]judged {
		out := map[string]judged{}
		for i := range l.Entries {
			c, a, t := l.Source(l.Entries[i].Index)
			account := &d.Connections[c].Accounts[a]
			out[account.ID+"/"+account.Transactions[t].ID] = judged{l.Entries[i].Leaf, l.Entries[i].Own}
		}
		return out
	}
	before, after := of(was, d), of(is, e)
	for id, j := range before {
		if after[id] != j {
			return false
		}
	}
	return true
}

// earners draws a household, half of the time with wages and spending.
func earners(t *rapid.T) (bankdata.Data, time.Time) {
	d, at := people(t)
	if rapid.Bool().Draw(t, "earns") {
		a := &d.Connections[0].Accounts[0]
		wage := rapid.Int64Range(150_00, 9_000_00).Draw(t, "wage")
		for i := range rapid.IntRange(2, 25).Draw(t, "months") {
			on := report.DateOf(at.AddDate(0, -i, -at.Day()+rapid.SampledFrom([]int{0, 1, 15}).Draw(t, "payday")))
			a.Transactions = append(a.Transactions,
				bankdata.Transaction{ID: fmt.Sprint("wage", i), Posted: on, Amount: report.Cents(wage + int64(i)),
					Description: "DIRECT DEP NORTHWIND LOGISTICS PAYROLL PPD"},
				bankdata.Transaction{ID: fmt.Sprint("rent", i), Posted: on,
					Amount:      -report.Cents(wage*int64(rapid.IntRange(60, 110).Draw(t, "spends"))/100 + int64(i) + 1),
					Description: "ACH WEB PMT CEDAR COURT APARTMENTS RENT"})
		}
	}
	return d, at
}

// more draws a transaction with one of the descriptions and an amount of the given sign.
func more(t *rapid.T, at time.Time, sign int64, words ...string) bankdata.Transaction {
	return bankdata.Transaction{ID: "more", Posted: report.DateOf(at.AddDate(0, 0, -rapid.IntRange(0, 725).Draw(t, "age"))),
		Amount: report.Cents(sign * rapid.Int64Range(1, 6_000_00).Draw(t, "amount")), Description: rapid.SampledFrom(words).Draw(t, "words")}
}

// TestForeignMoneyNeverRaisesTheScore adds loans, advances, refunds, returned payments,
// refunded fees, one leg of own transfers, and fees.
func TestForeignMoneyNeverRaisesTheScore(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, at := earners(t)
		account := rapid.IntRange(0, len(d.Connections[0].Accounts)-1).Draw(t, "account")
		var tx bankdata.Transaction
		credit := rapid.IntRange(0, 3).Draw(t, "credit") > 0
		if credit {
			tx = more(t, at, 1, "LENDINGCLUB LOAN PROCEEDS", "EARNIN ADVANCE", "TARGET REFUND 00021873", "RETURNED PAYMENT CITY WATER",
				"OVERDRAFT FEE REFUND", "ONLINE TRANSFER FROM CHECKING")
		} else {
			tx = more(t, at, -1, "OVERDRAFT ITEM FEE", "MONTHLY SERVICE FEE", "NSF RETURNED ITEM FEE",
				"INTEREST CHARGE", "ONLINE TRANSFER TO CHECKING")
		}
		e := added(d, account, tx)
		was, is := bankdata.Read(d, report.DateOf(at)), bankdata.Read(e, report.DateOf(at))
		if !same(was, is, d, e) {
			return // it was paired with something
		}
		if before, after := own21(was), own21(is); after > before {
			t.Fatalf("%+v raises %d to %d", tx, before, after)
		}
		if credit { // as if its money was spent since
			e.Connections[0].Accounts[account].Balance -= tx.Amount
			if before, after := own21(was), own21(bankdata.Read(e, report.DateOf(at))); after > before {
				t.Fatalf("%+v of before raises %d to %d", tx, before, after)
			}
		}
	})
}

// TestOwnTransfersNeverRaiseTheScore adds both legs of an own transfer.
func TestOwnTransfersNeverRaiseTheScore(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, at := earners(t)
		accounts := len(d.Connections[0].Accounts)
		if accounts < 2 {
			return
		}
		from := rapid.IntRange(0, accounts-1).Draw(t, "from")
		to := (from + rapid.IntRange(1, accounts-1).Draw(t, "to")) % accounts
		in := more(t, at, 1, "ONLINE TRANSFER", "ONLINE TRANSFER FROM SAVINGS", "DEPOSIT")
		out := in
		out.Posted = report.DateOf(in.Posted.AddDate(0, 0, rapid.IntRange(-3, 3).Draw(t, "gap")))
		out.Amount, out.Description = -in.Amount, rapid.SampledFrom([]string{"ONLINE TRANSFER", "ONLINE TRANSFER TO SAVINGS"}).Draw(t, "out")
		e := added(added(d, from, out), to, in)
		was, is := bankdata.Read(d, report.DateOf(at)), bankdata.Read(e, report.DateOf(at))
		if !same(was, is, d, e) || out.Posted.After(at) {
			return
		}
		if before, after := own21(was), own21(is); after > before {
			t.Fatalf("%+v raises %d to %d", in, before, after)
		}
	})
}

// TestIncomeNeverLowersTheScore adds income of any kind on any day.
func TestIncomeNeverLowersTheScore(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, at := earners(t)
		account := rapid.IntRange(0, len(d.Connections[0].Accounts)-1).Draw(t, "account")
		tx := more(t, at, 1, "DIRECT DEP NORTHWIND LOGISTICS PAYROLL PPD", "SSA TREAS 310 XXSOC SEC PPD",
			"UBER TRIP DRIVER PAYOUT", "INTEREST PAYMENT", "IRS TREAS 310 TAX REF")
		e := added(d, account, tx)
		was, is := bankdata.Read(d, report.DateOf(at)), bankdata.Read(e, report.DateOf(at))
		if before, after := own21(was), own21(is); after < before && same(was, is, d, e) {
			t.Fatalf("%+v lowers %d to %d", tx, before, after)
		}
	})
}

// TestTaxRefundsNeverLowerTheScore adds tax refunds of any amount, whose money is in the balance.
func TestTaxRefundsNeverLowerTheScore(t *testing.T) {
	text := "2026-03-10; account a CHECKING 8000.00; 2024-12-01 a -5.00 LIVING.GROCERY"
	for m := range 12 {
		on := time.Date(2025, time.Month(3+m), 2, 0, 0, 0, 0, time.UTC).Format("2006-01-02")
		text += fmt.Sprintf("; %s a 1950.00 INCOME.PAYROLL; %s a -1800.00 HOUSING.RENT", on, on)
	}
	before := own21(household(t, text))
	after := own21(household(t, strings.Replace(text, "8000.00", "15500.00", 1)+"; 2026-02-20 a 7500.00 INCOME.TAX_REFUND"))
	if before == 0 || after < before {
		t.Errorf("a refund of 7500.00 beside wages of 23400.00 moves the score from %d to %d", before, after)
	}
	proptest.Check(t, func(t *rapid.T) {
		d, at := earners(t)
		e := d
		for i := range rapid.IntRange(1, 3).Draw(t, "refunds") {
			tx := more(t, at, rapid.Int64Range(1, 5).Draw(t, "times"), "IRS TREAS 310 TAX REF", "FRANCHISE TAX BD CASTTAXRFD")
			tx.ID += fmt.Sprint(i)
			e = added(e, rapid.IntRange(0, len(d.Connections[0].Accounts)-1).Draw(t, "account"), tx)
		}
		was, is := bankdata.Read(d, report.DateOf(at)), bankdata.Read(e, report.DateOf(at))
		if before, after := own21(was), own21(is); after < before && same(was, is, d, e) {
			t.Fatalf("refunds lower %d to %d", before, after)
		}
	})
}

// TestSmallInterestIsIgnored adds one cent of interest a month to a household without
// income.
func TestSmallInterestIsIgnored(t *testing.T) {
	text := "2026-03-10; account a CHECKING 500.00"
	for m := range 14 {
		text += fmt.Sprintf("; %s a -40.00 LIVING.GROCERY", time.Date(2025, time.Month(1+m), 3, 0, 0, 0, 0, time.UTC).Format("2006-01-02"))
	}
	before := own21(household(t, text))
	for m := range 14 {
		text += fmt.Sprintf("; %s a 0.01 INCOME.INTEREST", time.Date(2025, time.Month(1+m), 4, 0, 0, 0, 0, time.UTC).Format("2006-01-02"))
	}
	if after := own21(household(t, text)); after != before || before == 0 {
		t.Errorf("cents of interest turn %d into %d", before, after)
	}
}

// TestEarlyPayBelongsToNextMonth pays a wage on the first day of each month or on the last
// business day before it, or on the last business day of each month.
func TestEarlyPayBelongsToNextMonth(t *testing.T) {
	for name, first := range map[string]bool{"on the first": true, "on the last": false} {
		text := "2026-03-10; account a CHECKING 500.00; 2024-12-01 a -5.00 LIVING.GROCERY"
		for m := range 12 {
			on := bankdata.DayOf(report.DateOf(time.Date(2025, time.Month(3+m), 1, 0, 0, 0, 0, time.UTC)))
			if !first {
				on = bankdata.DayOf(report.DateOf(time.Date(2025, time.Month(4+m), 0, 0, 0, 0, 0, time.UTC)))
			}
			for !business(on) {
				on--
			}
			text += fmt.Sprintf("; %s a 3000.00 INCOME.PAYROLL", on.Date())
		}
		f := newFacts(household(t, text))
		lines := ownLines(f, newValues(f))
		if e, g := lines[4], lines[6]; e.value.n != 12 || g.value.n != 0 || g.points != 35 {
			t.Errorf("%s: %d months of income, a variation of %d", name, e.value.n, g.value.n)
		}
	}
}

func TestBusinessDays(t *testing.T) {
	for date, want := range map[string]bool{
		"2026-01-01": false, "2026-01-02": true, "2026-01-03": false, "2026-01-19": false,
		"2026-02-16": false, "2026-05-25": false, "2026-06-19": false,
		"2020-06-19": true, "2026-07-03": true, "2026-07-04": false, "2021-07-05": false,
		"2026-09-07": false, "2026-10-12": false, "2026-11-11": false,
		"2026-11-26": false, "2026-11-27": true, "2022-12-26": false, "2023-01-02": false, "2026-05-18": true,
	} {
		if business(bankdata.DayOf(day(date))) != want {
			t.Errorf("%s is a business day: %v, want %v", date, !want, want)
		}
	}
}

// TestVersion21Differences computes each figure of a small household.
func TestVersion21Differences(t *testing.T) {
	f := newFacts(household(t, `2026-03-10; account a CHECKING 4100.00; account b SAVINGS 200.00
		2025-01-02 a -10.00 LIVING.GROCERY
		2025-06-02 a 3000.00 LENDING.LOAN_PROCEEDS
		2025-12-05 a 900.00 INCOME.PAYROLL
		2026-01-05 a 900.00 INCOME.PAYROLL
		2026-01-06 a 100.00 LENDING.ADVANCE_IN
		2026-01-20 a -100.00 LENDING.ADVANCE_OUT
		2026-02-05 a 900.00 INCOME.PAYROLL
		2026-02-06 a -200.00 TRANSFER.SAVINGS_OUT own
		2026-02-06 b 200.00 TRANSFER.OWN_IN own
		2026-02-10 a -900.00 HOUSING.RENT
		2026-02-11 a 50.00 DEPOSIT.REFUND`))
	lines := ownLines(f, newValues(f))
	for i, want := range map[int]string{
		0: "910.00", 1: "-550.00", // 1250.00 now: without the loan and the refund
		7: "0.37037", 8: "2", 9: "0.03704", 10: "0.00000", 11: "1", 12: "432",
	} {
		if got := string(universal[lines[i].at].Type.append(nil, lines[i].value)); got != want {
			t.Errorf("%s: %s, want %s (%s)", lines[i].Letter, got, want, lines[i].about)
		}
	}
	if lines[1].code != "27" || lines[8].code != "52" {
		t.Errorf("codes %s and %s", lines[1].code, lines[8].code)
	}
}

// explained returns the card's line for a value.
func (b *Bin) explained(v value) report.AnalysisBin {
	line := b.line(v)
	return line.explain()
}
