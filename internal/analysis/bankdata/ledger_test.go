package bankdata

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

const fetchDate = "2026-06-30"

// movement is a transaction of a test. Account 0 is checking, 1 savings, 2 checking.
type movement struct {
	account int
	day     string
	amount  report.Cents
	text    string
}

// ledgerOf returns the ledger of movements, whose IDs are their positions.
func ledgerOf(moves ...movement) *Ledger {
	c := Connection{Accounts: []Account{
		{ID: "0", Type: report.CashEquivalent, Subtype: report.Checking, Balance: 1000_00},
		{ID: "x", Type: report.Investment, Balance: 9_00, Transactions: []Transaction{{ID: "x", Posted: day(fetchDate), Amount: 1}}},
		{ID: "1", Type: report.CashEquivalent, Subtype: report.Savings, Balance: 500_00},
		{ID: "2", Type: report.CashEquivalent, Subtype: report.Checking},
	}}
	at := []int{0, 2, 3}
	for i, m := range moves {
		a := &c.Accounts[at[m.account]]
		a.Transactions = append(a.Transactions, Transaction{
			ID: fmt.Sprintf("%03d", i), Posted: day(m.day), Amount: m.amount, Description: m.text,
		})
	}
	return Read(Data{Connections: []Connection{c}}, day(fetchDate))
}

// entry returns the entry of movement n of ledgerOf.
func entry(t *testing.T, l *Ledger, n int) Entry {
	t.Helper()
	for _, e := range l.Entries {
		if l.transaction(&e).ID == fmt.Sprintf("%03d", n) {
			return e
		}
	}
	t.Fatalf("no entry of movement %d", n)
	return Entry{}
}

func TestOwnTransfers(t *testing.T) {
	for _, c := range []struct {
		name  string
		moves []movement
		leafs []Leaf
		own   []bool
	}{
		{"equal amounts three days apart", []movement{{0, "2026-05-01", -100_00, "ABC"}, {2, "2026-05-04", 100_00, "DEF"}},
			[]Leaf{LeafOwnOut, LeafOwnIn}, []bool{true, true}},
		{"four days apart", []movement{{0, "2026-05-01", -100_00, "ABC"}, {2, "2026-05-05", 100_00, "DEF"}},
			[]Leaf{LeafOther, LeafOther}, []bool{false, false}},
		{"the credit first", []movement{{2, "2026-05-01", 100_00, "DEF"}, {0, "2026-05-02", -100_00, "ABC"}},
			[]Leaf{LeafOwnIn, LeafOwnOut}, []bool{true, true}},
		{"one account", []movement{{0, "2026-05-01", -100_00, "ABC"}, {0, "2026-05-01", 100_00, "DEF"}},
			[]Leaf{LeafOther, LeafOther}, []bool{false, false}},
		{"the nearer of two", []movement{{0, "2026-05-01", -100_00, "ABC"}, {2, "2026-05-03", 100_00, "DEF"}, {2, "2026-05-01", 100_00, "GHI"}},
			[]Leaf{LeafOwnOut, LeafOther, LeafOwnIn}, []bool{true, false, true}},
		{"to savings counts as saving", []movement{{0, "2026-05-01", -100_00, "ONLINE TRANSFER 12"},
			{1, "2026-05-01", 100_00, "ONLINE TRANSFER 12"}},
			[]Leaf{LeafSavingsOut, LeafOwnIn}, []bool{true, true}},
		{"from savings", []movement{{1, "2026-05-01", -100_00, "WITHDRAWAL"}, {0, "2026-05-02", 100_00, "DEPOSIT"}},
			[]Leaf{LeafOwnOut, LeafSavingsIn}, []bool{true, true}},
		{"to a broker counts as saving", []movement{{0, "2026-05-01", -100_00, "SCHWAB BROKERAGE MONEYLINK"},
			{2, "2026-05-02", 100_00, "ELECTRONIC FUNDS RECEIVED"}},
			[]Leaf{LeafInvestOut, LeafOwnIn}, []bool{true, true}},
		{"from a broker", []movement{{2, "2026-05-01", -100_00, "ABC"}, {0, "2026-05-02", 100_00, "SCHWAB BROKERAGE MONEYLINK"}},
			[]Leaf{LeafOwnOut, LeafInvestIn}, []bool{true, true}},
		{"a broker's words, to savings", []movement{{0, "2026-05-01", -100_00, "SCHWAB BROKERAGE MONEYLINK"}, {1, "2026-05-02", 100_00, "DEF"}},
			[]Leaf{LeafSavingsOut, LeafOwnIn}, []bool{true, true}},
		{"a purchase and a wage are not a transfer", []movement{{0, "2026-05-01", -100_00, "KROGER"}, {2, "2026-05-01", 100_00, "ACME PAYROLL"}},
			[]Leaf{LeafGrocery, LeafPayroll}, []bool{false, false}},
		{"a rent known only by its pattern, and money from a person",
			[]movement{{0, "2026-02-10", -1200_00, "OAKWOOD APARTMENTS"}, {2, "2026-02-12", 1200_00, "ZELLE FROM PAT"}},
			[]Leaf{LeafRent, LeafP2PIn}, []bool{false, false}},
		{"a meal, and a deposit", []movement{{0, "2026-05-01", -20_00, "MARIAS PIZZA"}, {2, "2026-05-01", 20_00, "DEPOSIT"}},
			[]Leaf{LeafDining, LeafCashDeposit}, []bool{false, false}},
		{"a company's payment and an unclassified debit", []movement{{0, "2026-05-01", -900_00, "ABC"},
			{2, "2026-05-01", 900_00, "NORDLUND CONSULTING LLC"}},
			[]Leaf{LeafOther, LeafSelfEmployed}, []bool{false, false}},
		{"a purchase is not part of a transfer", []movement{{0, "2026-05-01", -20_00, "MARIAS PIZZA"},
			{0, "2026-05-02", -20_00, "WITHDRAWAL"}, {2, "2026-05-01", 20_00, "DEPOSIT"}},
			[]Leaf{LeafDining, LeafOwnOut, LeafOwnIn}, []bool{false, true, true}},
		{"a withdrawal and a deposit at an ATM", []movement{{0, "2026-05-01", -100_00, "ATM"}, {2, "2026-05-01", 100_00, "ATM"}},
			[]Leaf{LeafOwnOut, LeafOwnIn}, []bool{true, true}},
		{"a check to oneself", []movement{{0, "2026-05-01", -100_00, "CHECK 1023"}, {2, "2026-05-01", 100_00, "CHECK 1023"}},
			[]Leaf{LeafOwnOut, LeafOwnIn}, []bool{true, true}},
		{"a transfer without its counterpart", []movement{{0, "2026-05-01", -100_00, "TRANSFER TO CHECKING"}},
			[]Leaf{LeafOwnOut}, []bool{true}},
		{"a transfer to savings elsewhere is not an own transfer", []movement{{0, "2026-05-01", -100_00, "TRANSFER TO SAVINGS"}},
			[]Leaf{LeafSavingsOut}, []bool{false}},
		{"a payment to oneself", []movement{{0, "2026-05-01", -100_00, "ZELLE TO PAT"}, {2, "2026-05-01", 100_00, "ZELLE FROM PAT"}},
			[]Leaf{LeafOwnOut, LeafOwnIn}, []bool{true, true}},
	} {
		l := ledgerOf(c.moves...)
		for i := range c.moves {
			if e := entry(t, l, i); e.Leaf != c.leafs[i] || e.Own != c.own[i] {
				t.Errorf("%s: movement %d is %v, own %v; want %v, own %v", c.name, i, e.Leaf, e.Own, c.leafs[i], c.own[i])
			}
		}
	}
}

func TestNSFEvents(t *testing.T) {
	for _, c := range []struct {
		name  string
		moves []movement
		want  []int8
	}{
		{"a fee", []movement{{0, "2026-05-01", -35_00, "NSF FEE"}}, []int8{1}},
		{"a fee and its returned payment two days before", []movement{{0, "2026-05-01", 80_00, "RETURNED PAYMENT CITY WATER"},
			{0, "2026-05-03", -35_00, "NSF FEE"}}, []int8{0, 1}},
		{"three days before", []movement{{0, "2026-05-01", 80_00, "RETURNED PAYMENT CITY WATER"},
			{0, "2026-05-04", -35_00, "NSF FEE"}}, []int8{1, 1}},
		{"in another account", []movement{{2, "2026-05-01", 80_00, "RETURNED PAYMENT CITY WATER"},
			{0, "2026-05-01", -35_00, "NSF FEE"}}, []int8{1, 1}},
		{"two returned payments and one fee", []movement{{0, "2026-05-01", 80_00, "RETURNED PAYMENT A"},
			{0, "2026-05-01", 90_00, "RETURNED PAYMENT B"}, {0, "2026-05-01", -35_00, "NSF FEE"}}, []int8{0, 1, 1}},
		{"two fees", []movement{{0, "2026-05-01", -35_00, "NSF FEE"}, {0, "2026-05-01", -34_00, "OVERDRAFT FEE"}}, []int8{1, 1}},
		{"a refunded fee", []movement{{0, "2026-05-01", -35_00, "OVERDRAFT FEE"},
			{0, "2026-05-09", 35_00, "OVERDRAFT FEE REFUND"}}, []int8{0, 0}},
		{"a refunded fee, with its returned payment", []movement{{0, "2026-05-01", 80_00, "RETURNED PAYMENT"},
			{0, "2026-05-01", -35_00, "NSF FEE"}, {0, "2026-05-02", 35_00, "NSF FEE REVERSAL"}}, []int8{0, 0, 0}},
		{"a refund of another amount", []movement{{0, "2026-05-01", -35_00, "OVERDRAFT FEE"},
			{0, "2026-05-09", 30_00, "OVERDRAFT FEE REFUND"}}, []int8{1, 0}},
		{"a refund of one of two fees: the later one", []movement{{0, "2026-05-01", -35_00, "OVERDRAFT FEE"},
			{0, "2026-05-02", -35_00, "OVERDRAFT FEE"}, {0, "2026-05-09", 35_00, "OVERDRAFT FEE REFUND"}}, []int8{1, 0, 0}},
		{"a refund before the fee", []movement{{0, "2026-05-01", 35_00, "OVERDRAFT FEE REFUND"},
			{0, "2026-05-02", -35_00, "OVERDRAFT FEE"}}, []int8{0, 1}},
		{"a refund 91 days later", []movement{{0, "2026-02-01", -35_00, "OVERDRAFT FEE"},
			{0, "2026-05-03", 35_00, "OVERDRAFT FEE REFUND"}}, []int8{1, 0}},
		{"a fee of zero", []movement{{0, "2026-05-01", 0, "OVERDRAFT FEE"}}, []int8{0}},
		{"other fees", []movement{{0, "2026-05-01", -3_00, "ATM FEE"}, {0, "2026-05-01", -12_00, "MONTHLY SERVICE FEE"}}, []int8{0, 0}},
	} {
		l := ledgerOf(c.moves...)
		for i := range c.moves {
			if e := entry(t, l, i); e.NSF != c.want[i] {
				t.Errorf("%s: movement %d (%v) counts %d, want %d", c.name, i, e.Leaf, e.NSF, c.want[i])
			}
		}
	}
}

// TestFeesPairWithOneReturnedPayment checks that the number of events is that of fees and
// returned payments, less the maximum number of pairs that are close enough.
func TestFeesPairWithOneReturnedPayment(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		var moves []movement
		var days [2][]int
		for range rapid.IntRange(1, 10).Draw(t, "n") {
			on, kind := rapid.IntRange(0, 9).Draw(t, "day"), rapid.IntRange(0, 1).Draw(t, "kind")
			days[kind] = append(days[kind], on)
			m := movement{0, fmt.Sprintf("2026-05-%02d", 1+on), -35_00, "NSF FEE"}
			if kind == 1 {
				m.amount, m.text = 80_00, "RETURNED PAYMENT CITY WATER"
			}
			moves = append(moves, m)
		}
		var most func(fees, returns []int) int
		most = func(fees, returns []int) int {
			if len(fees) == 0 {
				return 0
			}
			best := most(fees[1:], returns)
			for i, r := range returns {
				if max(r-fees[0], fees[0]-r) <= returnDays {
					best = max(best, 1+most(fees[1:], slices.Delete(slices.Clone(returns), i, i+1)))
				}
			}
			return best
		}
		events := 0
		for _, e := range ledgerOf(moves...).Entries {
			events += int(e.NSF)
		}
		if want := len(moves) - most(days[0], days[1]); events != want {
			t.Fatalf("fees on %v, returned payments on %v: %d events, want %d", days[0], days[1], events, want)
		}
	})
}

// every makes n movements, days apart, the newest of them newest days before the fetch
// date.
func every(n, days, newest int, amount report.Cents, text string) []movement {
	var out []movement
	for i := range n {
		d := DayOf(day(fetchDate)) - Day(newest+i*days)
		out = append(out, movement{0, d.Date().String(), amount, text})
	}
	return out
}

// monthly makes movements on days of the month, from January to June.
func monthly(amount report.Cents, text string, days ...int) []movement {
	var out []movement
	for m := 1; m <= 6; m++ {
		for _, d := range days {
			last := MonthsBefore(day(fmt.Sprintf("2026-%02d-01", m+1)), 0).AddDate(0, 0, -1).Day()
			out = append(out, movement{0, fmt.Sprintf("2026-%02d-%02d", m, min(d, last)), amount, text})
		}
	}
	return out
}

func TestStreams(t *testing.T) {
	for _, c := range []struct {
		name  string
		moves []movement
		want  string // of each stream: cadence, count, interval, mean, active
	}{
		{"three weeks", every(3, 7, 2, 100_00, "ACME PAYROLL"), "weekly 3 7.00 100.00 active"},
		{"two payments", every(2, 7, 2, 100_00, "ACME PAYROLL"), ""},
		{"every other Tuesday", every(10, 14, 3, 100_00, "ACME PAYROLL"), "biweekly 10 14.00 100.00 active"},
		{"the 1st and 15th", monthly(100_00, "ACME PAYROLL", 1, 15), "semimonthly 12 15.00 100.00 active"},
		{"the 15th and last", monthly(100_00, "ACME PAYROLL", 15, 31), "semimonthly 12 15.09 100.00 active"},
		{"rent", monthly(-900_00, "OAK HILL APARTMENTS", 3), "monthly 6 30.20 -900.00 active"},
		{"ended", every(6, 30, 51, -900_00, "OAK HILL APARTMENTS"), "monthly 6 30.00 -900.00"},
		{"late, but still active", every(6, 30, 50, -900_00, "OAK HILL APARTMENTS"), "monthly 6 30.00 -900.00 active"},
		{"now and then", []movement{{0, "2026-01-01", -5_00, "KROGER"}, {0, "2026-01-03", -5_01, "KROGER"},
			{0, "2026-02-20", -5_02, "KROGER"}}, ""},
		{"irregular income", []movement{{0, "2026-06-01", 5_00, "UBER"}, {0, "2026-06-03", 5_01, "UBER"},
			{0, "2026-06-25", 5_02, "UBER"}}, "irregular 3 12.00 5.01 active"},
		{"regular gig", every(5, 7, 2, 70_00, "UBER"), "weekly 5 7.00 70.00 active"},
		{"two contracts with one company", append(monthly(-80_00, "GEICO", 6), monthly(-25_00, "GEICO", 11)...),
			"monthly 6 30.20 -80.00 active, monthly 6 30.20 -25.00 active"},
		{"the mean excludes outliers", append(every(9, 7, 9, 100_00, "ACME PAYROLL"),
			movement{0, "2026-06-28", 900_00, "ACME PAYROLL"}), "weekly 10 7.00 100.00 active"},
		{"two payments on one day count once", append(every(4, 7, 2, 100_00, "ACME PAYROLL"),
			every(1, 7, 2, 50_00, "ACME PAYROLL")...), "weekly 5 7.00 100.00 active"},
		{"own transfers are not recurring", every(5, 7, 2, 100_00, "TRANSFER TO CHECKING"), ""},
		{"numbers do not distinguish counterparties", []movement{{0, "2026-06-05", -5_00, "ACME GYM 041"},
			{0, "2026-06-12", -5_00, "ACME GYM 042"}, {0, "2026-06-19", -5_00, "ACME GYM 043"}}, "weekly 3 7.00 -5.00 active"},
	} {
		l := ledgerOf(c.moves...)
		got := ""
		for i, s := range l.Streams {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%s %d %d.%02d %s", []string{"irregular", "weekly", "biweekly", "semimonthly", "monthly"}[s.Cadence],
				s.Count, s.Interval/100, s.Interval%100, s.Mean)
			if s.Active {
				got += " active"
			}
			if s.In != (s.Mean > 0) || int(s.Count) != len(s.Entries) || s.Irregular != (s.Cadence == Irregular) ||
				l.Entries[s.Entries[0]].Day != s.First || l.Entries[s.Entries[len(s.Entries)-1]].Day != s.Last {
				t.Errorf("%s: the stream contradicts itself: %+v", c.name, s)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestParties(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ACME CORP DES:PAYROLL ID:1234 INDN:DOE,PAT CO ID:99 PPD", "ACME CORP PAYROLL"},
		{"DEBIT CARD PURCHASE MAIN STREET HARDWARE SHAWNEE KS", "MAIN STREET HARDWARE"},
		{"CHECKCARD 0412 BLUE LOTUS SAN ANTONIO TX", "BLUE LOTUS"},
		{"AMZN MKTP US*2K4T81 AMZN.COM/BILLWA", "AMZN MKTP"},
		{"POS PURCHASE KROGER #0412 COLUMBUS OH", "KROGER"},
		{"INTEREST PAYMENT", "INTEREST"},
		{"PAYMENT 123", "PAYMENT"},
		{"123", ""},
	} {
		l := ledgerOf(movement{0, "2026-05-01", -1, c.text})
		if got := l.Parties[l.Entries[0].Party]; got != c.want {
			t.Errorf("party of %q = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestDayEnds(t *testing.T) {
	l := ledgerOf(
		movement{0, "2026-06-27", -100_00, "A"}, movement{0, "2026-06-29", 40_00, "B"}, movement{0, "2026-06-29", 2_00, "C"},
		movement{1, "2026-06-30", 500_00, "D"},
	)
	want := []report.Cents{958_00, 958_00, 1000_00, 1000_00}
	if got := l.DayEnds(0); !slices.Equal(got, want) {
		t.Errorf("checking: %v, want %v", got, want)
	}
	if got := l.dayEndsOf(report.Savings); !slices.Equal(got, []report.Cents{0, 0, 0, 500_00}) {
		t.Errorf("savings: %v", got)
	}
	if got := l.totalDayEnds(); !slices.Equal(got, []report.Cents{958_00, 958_00, 1000_00, 1500_00}) {
		t.Errorf("total: %v", got)
	}
	if l.Accounts[0].Opening != 1058_00 || l.Accounts[1].Opening != 0 || l.Accounts[2].Opening != 0 {
		t.Errorf("opening balances %v, %v, %v", l.Accounts[0].Opening, l.Accounts[1].Opening, l.Accounts[2].Opening)
	}
}

func TestLedgerWithoutTransactions(t *testing.T) {
	l := ledgerOf()
	if l.Oldest != l.Fetch+1 || l.Days() != 0 || len(l.totalDayEnds()) != 0 || len(l.Accounts) != 3 ||
		l.Accounts[0].Opening != 1000_00 || len(l.Streams) != 0 {
		t.Errorf("ledger = %+v", l)
	}
	if l := Read(Data{}, day(fetchDate)); len(l.Accounts) != 0 || len(l.totalDayEnds()) != 0 {
		t.Errorf("without accounts: %+v", l)
	}
}

func TestSource(t *testing.T) {
	d, fetch := household(200, 3)
	d.Connections = append(d.Connections,
		Connection{Accounts: []Account{{ID: "none", Type: report.CashEquivalent}, d.Connections[0].Accounts[0]}})
	l := Read(d, fetch)
	if len(l.Entries) <= 200 {
		t.Fatalf("%d entries", len(l.Entries))
	}
	for _, e := range l.Entries {
		c, a, i := l.Source(e.Index)
		tx := d.Connections[c].Accounts[a].Transactions[i]
		if tx.ID != l.transaction(&e).ID || tx.Amount != e.Amount || DayOf(tx.Posted) != e.Day || l.Accounts[e.Account].Position != a {
			t.Fatalf("Source(%d) = %d, %d, %d: %+v", e.Index, c, a, i, tx)
		}
	}
}

func TestDays(t *testing.T) {
	for d := DayOf(day("1969-01-01")); d < DayOf(day("2101-01-01")); d++ {
		date := d.Date()
		y, m, dd := d.Civil()
		if date.Year() != y || int(date.Month()) != m || date.Day() != dd || int(date.Weekday()) != d.Weekday() || DayOf(date) != d {
			t.Fatalf("day %d is %s, %d-%d-%d, weekday %d", d, date, y, m, dd, d.Weekday())
		}
	}
}

// facts returns a ledger without what may depend on the order of the input.
func facts(l *Ledger) Ledger {
	out := *l
	out.Entries = slices.Clone(l.Entries)
	for i := range out.Entries {
		out.Entries[i].Index = 0
	}
	out.Accounts = slices.Clone(l.Accounts)
	for i := range out.Accounts {
		out.Accounts[i].transactions = nil
	}
	return out
}

func drawHousehold(t *rapid.T) (Data, report.Date) {
	return household(rapid.IntRange(1, 120).Draw(t, "transactions"), rapid.Uint64().Draw(t, "seed"))
}

func TestReadIgnoresInputOrder(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, fetch := drawHousehold(t)
		a := facts(Read(d, fetch))
		for i := range d.Connections[0].Accounts {
			txs := &d.Connections[0].Accounts[i].Transactions
			*txs = rapid.Permutation(*txs).Draw(t, "order")
		}
		if b := facts(Read(d, fetch)); !reflect.DeepEqual(a, b) {
			t.Fatalf("shuffled:\n%+v\nwas:\n%+v", b, a)
		}
	})
}

func TestZeroAmountsChangeCountsOnly(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, fetch := drawHousehold(t)
		a := Read(d, fetch)
		txs := &d.Connections[0].Accounts[0].Transactions
		if len(*txs) == 0 {
			return
		}
		zero := (*txs)[rapid.IntRange(0, len(*txs)-1).Draw(t, "like")]
		zero.ID, zero.Amount = "zero", 0
		*txs = append(*txs, zero)
		b := Read(d, fetch)
		if len(b.Entries) != len(a.Entries)+1 || !slices.Equal(a.totalDayEnds(), b.totalDayEnds()) || len(a.Streams) != len(b.Streams) {
			t.Fatalf("%d entries, then %d; %d streams, then %d", len(a.Entries), len(b.Entries), len(a.Streams), len(b.Streams))
		}
		n := 0
		for _, e := range b.Entries {
			if b.transaction(&e).ID == "zero" {
				if e.Out || e.NSF != 0 || e.Leaf != categorize(zero, true).Leaf {
					t.Fatalf("a movement of nothing is %+v", e)
				}
				continue
			}
			if was := a.Entries[n]; was.Leaf != e.Leaf || was.Own != e.Own || was.NSF != e.NSF || was.Tier != e.Tier {
				t.Fatalf("%+v was %+v", e, was)
			}
			n++
		}
	})
}

func TestDepositRaisesLaterBalances(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, fetch := drawHousehold(t)
		account := rapid.IntRange(0, 2).Draw(t, "account")
		a := Read(d, fetch)
		more := report.Cents(rapid.IntRange(1, 1_000_00).Draw(t, "more"))
		at := a.Oldest + Day(rapid.IntRange(0, a.Days()-1).Draw(t, "day"))
		acc := &d.Connections[0].Accounts[account]
		acc.Balance += more
		acc.Transactions = append(acc.Transactions, Transaction{ID: "more", Posted: at.Date(), Amount: more, Description: "GIFT"})
		b := Read(d, fetch)
		for i := range a.Accounts {
			x, y := a.DayEnds(i), b.DayEnds(i)
			for j := range x {
				want := x[j]
				if i == account && a.Oldest+Day(j) >= at {
					want += more
				}
				if y[j] != want {
					t.Fatalf("account %d, day %d: %s, then %s", i, j, x[j], y[j])
				}
			}
		}
	})
}

func TestDayEndsAddUp(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		d, fetch := drawHousehold(t)
		l := Read(d, fetch)
		for i, a := range l.Accounts {
			b, ends := a.Opening, l.DayEnds(i)
			for j := range ends {
				for _, e := range l.Entries {
					if e.Account == int32(i) && e.Day == l.Oldest+Day(j) {
						b += e.Amount
					}
				}
				if ends[j] != b {
					t.Fatalf("account %d, day %d: %s, want %s", i, j, ends[j], b)
				}
			}
			if b != a.Balance {
				t.Fatalf("account %d ends at %s, not at its balance %s", i, b, a.Balance)
			}
		}
	})
}

func TestOwnTransfersBalance(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		var moves []movement
		for range rapid.IntRange(2, 30).Draw(t, "n") {
			moves = append(moves, movement{
				rapid.IntRange(0, 2).Draw(t, "account"), (DayOf(day("2026-05-01")) + Day(rapid.IntRange(0, 6).Draw(t, "day"))).Date().String(),
				report.Cents(rapid.SampledFrom([]int{-20_00, -10_00, 10_00, 20_00}).Draw(t, "amount")), "ABC",
			})
		}
		var sum report.Cents
		for _, e := range ledgerOf(moves...).Entries {
			if e.Own {
				sum += e.Amount
			}
		}
		if sum != 0 {
			t.Fatalf("own transfers add up to %s", sum)
		}
	})
}

// TestCachedJudgments checks that a cached judgment equals that of the transaction alone.
func TestCachedJudgments(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.Custom(garbled), 1, 6).Draw(t, "texts")
		text := rapid.OneOf(rapid.SampledFrom(texts), rapid.Just(""))
		a := Account{ID: "0", Type: report.CashEquivalent}
		for i := range rapid.IntRange(1, 40).Draw(t, "transactions") {
			number := rapid.SampledFrom([]string{"", " 7", " 12345", "#"}).Draw(t, "number")
			a.Transactions = append(a.Transactions, Transaction{
				ID: fmt.Sprint(i), Posted: day(fetchDate), Amount: report.Cents(rapid.SampledFrom([]int{-1, 1}).Draw(t, "amount")),
				Description: text.Draw(t, "description") + number, Merchant: text.Draw(t, "merchant"), Memo: text.Draw(t, "memo") + number,
			})
		}
		l := Ledger{Fetch: DayOf(day(fetchDate))}
		l.load(Data{Connections: []Connection{{Accounts: []Account{a}}}}, l.Fetch)
		l.categorize()
		for i := range l.Entries {
			e := &l.Entries[i]
			of := l.transaction(e)
			r := newReader()
			r.read(of)
			r.verdicts()
			if got, want := (Verdict{e.Leaf, e.Tier}), categorize(*of, !e.Out); got != want || l.Parties[e.Party] != string(r.party()) {
				t.Fatalf("%+v is %v of %q, want %v of %q", *of, got, l.Parties[e.Party], want, r.party())
			}
		}
	})
}

// TestManyDescriptors uses more descriptors than the cache holds.
func TestManyDescriptors(t *testing.T) {
	a := Account{ID: "0", Type: report.CashEquivalent}
	for i := range 3 * maxJudged {
		name := strconv.FormatInt(int64(i), 26)
		letters := make([]byte, len(name))
		for j := range name {
			letters[j] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[int(name[j])%26]
		}
		a.Transactions = append(a.Transactions, Transaction{
			ID: fmt.Sprint(i), Posted: day(fetchDate), Amount: -1, Description: "ATM FEE " + string(letters) + "QQ",
		})
	}
	l := Read(Data{Connections: []Connection{{Accounts: []Account{a}}}}, day(fetchDate))
	for _, e := range l.Entries {
		if e.Leaf != LeafATMFee {
			t.Fatalf("%+v", e)
		}
	}
}

// totalDayEnds returns the sum of DayEnds over all accounts.
func (l *Ledger) totalDayEnds() []report.Cents { return l.dayEndsOf("") }

// dayEndsOf returns the sum of DayEnds over the accounts of one subtype; "" is all.
func (l *Ledger) dayEndsOf(subtype string) []report.Cents {
	sum := make([]report.Cents, l.Days())
	for i := range l.Accounts {
		if subtype != "" && l.Accounts[i].Subtype != subtype {
			continue
		}
		for j, c := range l.DayEnds(i) {
			sum[j] += c
		}
	}
	return sum
}
