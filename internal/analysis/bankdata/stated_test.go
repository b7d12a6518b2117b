package bankdata

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

// TestBalanceDate states one balance as of different days.
func TestBalanceDate(t *testing.T) {
	moves := []Transaction{
		{ID: "0", Posted: day("2026-06-01"), Amount: 300_00},
		{ID: "1", Posted: day("2026-06-10"), Amount: -50_00},
		{ID: "2", Posted: day("2026-06-20"), Amount: 1_000_00},
		{ID: "3", Posted: day("2026-06-25"), Amount: 9_00, Pending: true},
	}
	for stated, want := range map[string]struct{ opening, first, mid, now report.Cents }{
		"":           {-1_150_00, -850_00, -900_00, 100_00}, // at the fetch
		"2026-06-30": {-1_150_00, -850_00, -900_00, 100_00},
		"2026-06-20": {-1_150_00, -850_00, -900_00, 100_00}, // the balance includes the day's transactions
		"2026-06-19": {-150_00, 150_00, 100_00, 1_100_00},
		"2026-06-10": {-150_00, 150_00, 100_00, 1_100_00},
		"2026-06-09": {-200_00, 100_00, 50_00, 1_050_00},
		"2026-05-31": {100_00, 400_00, 350_00, 1_350_00},
		"2019-01-01": {100_00, 400_00, 350_00, 1_350_00}, // before all history
	} {
		a := Account{ID: "a", Type: report.CashEquivalent, Balance: 100_00, Transactions: moves}
		if stated != "" {
			d := day(stated)
			a.BalanceDate = &d
		}
		l := Read(Data{Connections: []Connection{{Accounts: []Account{a}}}}, day(fetchDate))
		at := func(date string) report.Cents { return l.DayEnds(0)[DayOf(day(date))-l.Oldest] }
		got := []report.Cents{l.Accounts[0].Opening, at("2026-06-01"), at("2026-06-15"), l.Accounts[0].Balance}
		if !slices.Equal(got, []report.Cents{want.opening, want.first, want.mid, want.now}) || at(fetchDate) != want.now {
			t.Errorf("stated on %q: %v, want %+v", stated, got, want)
		}
	}
}

// TestBalanceDateBeforeHistory has transactions between the balance and the history.
func TestBalanceDateBeforeHistory(t *testing.T) {
	long := day("2024-01-01")
	a := Account{ID: "a", Type: report.CashEquivalent, Balance: 100_00, BalanceDate: &long, Transactions: []Transaction{
		{ID: "0", Posted: day("2023-12-31"), Amount: 7_00}, {ID: "1", Posted: day("2024-02-01"), Amount: 20_00},
		{ID: "2", Posted: day("2026-06-01"), Amount: 3_00},
	}}
	l := Read(Data{Connections: []Connection{{Accounts: []Account{a}}}}, day(fetchDate))
	if l.Accounts[0].Opening != 120_00 || l.Accounts[0].Balance != 123_00 {
		t.Errorf("opening %v, now %v", l.Accounts[0].Opening, l.Accounts[0].Balance)
	}
}

// TestBalancesFromAnyDay states an account's balance on another day and checks that all
// balances stay the same.
func TestBalancesFromAnyDay(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, fetch := household(rapid.IntRange(1, 80).Draw(t, "transactions"), rapid.Uint64().Draw(t, "seed"))
		before := Read(d, fetch)
		for i := range before.Accounts {
			a := &d.Connections[before.Accounts[i].Connection].Accounts[before.Accounts[i].Position]
			on := before.Oldest + Day(rapid.IntRange(0, before.Days()-1).Draw(t, "day"))
			date := on.Date()
			a.Balance, a.BalanceDate = before.DayEnds(i)[on-before.Oldest], &date
		}
		after := Read(d, fetch)
		for i := range before.Accounts {
			if !slices.Equal(before.DayEnds(i), after.DayEnds(i)) || before.Accounts[i].Balance != after.Accounts[i].Balance ||
				before.Accounts[i].Opening != after.Accounts[i].Opening {
				t.Fatalf("account %d: another balance", i)
			}
		}
	})
}

// in returns an account in a currency with n posted transactions in the history, a pending
// one and one that is too old.
func in(currency, kind string, n int) Account {
	a := Account{ID: fmt.Sprint(currency, kind, n), Type: kind, Currency: currency, Balance: 1_00, Transactions: []Transaction{
		{ID: "p", Posted: day(fetchDate), Amount: 1, Pending: true}, {ID: "o", Posted: day("2020-01-01"), Amount: 1}}}
	for i := range n {
		a.Transactions = append(a.Transactions, Transaction{ID: fmt.Sprint(i), Posted: day("2026-06-01"), Amount: 1_00})
	}
	return a
}

func TestCurrency(t *testing.T) {
	const cash, fund = report.CashEquivalent, report.Investment
	for _, c := range []struct {
		name     string
		accounts []Account
		want     string
	}{
		{"nothing", nil, "USD"},
		{"none is named", []Account{in("", cash, 1)}, "USD"},
		{"one", []Account{in("EUR", cash, 0)}, "EUR"},
		{"the most transactions", []Account{in("USD", cash, 2), in("EUR", cash, 3)}, "EUR"},
		{"the sum over a currency's accounts", []Account{in("USD", cash, 2), in("EUR", cash, 3), in("", cash, 2)}, "USD"},
		{"a tie that includes dollars", []Account{in("EUR", cash, 2), in("USD", cash, 2)}, "USD"},
		{"a tie without dollars", []Account{in("SEK", cash, 2), in("EUR", cash, 2), in("USD", cash, 1)}, "EUR"},
		{"no transaction", []Account{in("SEK", cash, 0), in("USD", cash, 0)}, "USD"},
		{"funds do not count", []Account{in("EUR", fund, 9), in("USD", cash, 1)}, "USD"},
		{"funds count if there is nothing else", []Account{in("EUR", fund, 9), in("USD", fund, 1)}, "EUR"},
	} {
		d := Data{Connections: []Connection{{SourceID: "BANK", Accounts: c.accounts}}}
		for range 2 {
			if got := d.Currency(day(fetchDate)); got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
			slices.Reverse(c.accounts)
		}
	}
}

// TestOtherCurrenciesChangeNothing adds an account in another currency to a household and
// checks that the ledger stays the same, although the account has opposite legs.
func TestOtherCurrenciesChangeNothing(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, fetch := household(rapid.IntRange(1, 80).Draw(t, "transactions"), rapid.Uint64().Draw(t, "seed"))
		before := facts(Read(d, fetch))
		var most *Account
		for i := range d.Connections[0].Accounts {
			if a := &d.Connections[0].Accounts[i]; most == nil || len(a.Transactions) > len(most.Transactions) {
				most = a
			}
		}
		other := Account{ID: "other", Type: report.CashEquivalent, Subtype: report.Checking, Currency: "EUR", Balance: -5}
		for i, tx := range most.Transactions {
			if i%2 == 0 {
				tx.Amount = -tx.Amount
				other.Transactions = append(other.Transactions, tx)
			}
		}
		if len(other.Transactions) == len(most.Transactions) { // a single one
			other.Transactions = nil
		}
		d.Connections = append(d.Connections, Connection{SourceID: "ABROAD", Accounts: []Account{other}})
		if after := facts(Read(d, fetch)); !reflect.DeepEqual(before, after) {
			t.Fatal("the ledger is another one")
		}
		if banks := d.Banks("USD"); slices.Contains(banks, "ABROAD") {
			t.Fatalf("sources %v", banks)
		}
	})
}
