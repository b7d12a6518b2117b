package bankdata

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"vestibule/internal/report"
)

// The test compares day-end balances with the bank's own running balance: of 1,229
// accounts, on every day with transactions. The ledger gets the bank's last balance as
// the current one and computes the earlier balances backward.
// before is walked back to.
//
// The file has two quirks, and is cut:
//
//   - The lines of a day are not in the order in which they were booked. The
//     bank's day-end is therefore the balance after that line of the day which no
//     other line of the day begins from.
//   - Amounts are printed in tenths of a crown, while the bank counted on with
//     more: after a line of interest (rarely another) its balance is up to a
//     tenth off the sum of what it printed. Walked back, such a tenth stays in
//     all days before. Days are "within rounding" when they differ by no more
//     than a tenth for each line of interest since.
//   - It ends in the middle of a day, between an account's fee and the interest
//     that its balance already holds: that day is left out.
func TestDayEndsAgainstABanksRunningBalance(t *testing.T) {
	bank := readBerka(t)
	l := Read(bank.data, bank.fetch.Date())
	days, exact, rounded, shown := 0, 0, 0, 0
	for i, a := range l.Accounts {
		ends, interest := l.DayEnds(i), report.Cents(0)
		for d := l.Fetch; d >= l.Oldest; d-- {
			b := bank.days[dayOf{a.ID, d}]
			if b == nil {
				continue
			}
			days++
			got, want := ends[d-l.Oldest], b.end()
			switch {
			case got == want:
				exact++
			case abs(got-want) <= 10*interest:
				rounded++
			case shown < 5:
				shown++
				t.Logf("account %s on %s: %s, the bank has %s", a.ID, d.Date(), got, want)
			}
			interest += b.interest
		}
	}
	t.Logf("%d accounts, %d days with transactions: %d to the heller (%.2f %%), %d within rounding (together %.2f %%), %d otherwise",
		len(l.Accounts), days, exact, percent(exact, days), rounded, percent(exact+rounded, days), days-exact-rounded)
	if 100*(exact+rounded) < 99*days {
		t.Errorf("%d of %d day-end balances agree, want 99 %%", exact+rounded, days)
	}
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(of) }

type berka struct {
	data  Data
	fetch Day
	days  map[dayOf]*bankDay
}

type dayOf struct {
	account string
	day     Day
}

// bankDay is what the bank printed about one account on one day.
type bankDay struct {
	before, after []report.Cents // the balance before and after each line
	interest      report.Cents   // how many lines of interest
}

// end is the balance after the line that no other line begins from; rounding
// allows a tenth.
func (b *bankDay) end() report.Cents {
	used := make([]bool, len(b.before))
	end := b.after[len(b.after)-1]
	for i, after := range b.after {
		last := true
		for j, before := range b.before {
			if i != j && !used[j] && abs(after-before) <= 10 {
				used[j], last = true, false
				break
			}
		}
		if last {
			end = after
		}
	}
	return end
}

func readBerka(t *testing.T) berka {
	t.Helper()
	raw, err := io.ReadAll(sharedData(t, "berka/trans.asc"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(raw[:bytes.LastIndexByte(raw, '\n')+1]))
	const cut = "940331"
	out := berka{days: map[dayOf]*bankDay{}}
	var ids []string
	accounts := map[string]*Account{}
	last := map[string]Day{}
	for n := 0; lines.Scan(); n++ {
		if n == 0 {
			continue
		}
		col := strings.Split(strings.ReplaceAll(lines.Text(), `"`, ""), ";")
		if col[2] == cut {
			continue
		}
		posted, err := time.Parse("060102", col[2])
		if err != nil {
			t.Fatal(err)
		}
		amount, balance := cents(t, col[5]), cents(t, col[6])
		if col[3] != "PRIJEM" {
			amount = -amount
		}
		id := col[1]
		a := accounts[id]
		if a == nil {
			a = &Account{ID: id, Type: report.CashEquivalent}
			accounts[id] = a
			ids = append(ids, id)
		}
		tx := Transaction{ID: col[0], Posted: report.Date{Time: posted}, Amount: amount}
		a.Transactions = append(a.Transactions, tx)
		d := DayOf(tx.Posted)
		out.fetch, last[id] = max(out.fetch, d), max(last[id], d)
		b := out.days[dayOf{id, d}]
		if b == nil {
			b = &bankDay{}
			out.days[dayOf{id, d}] = b
		}
		b.before, b.after = append(b.before, balance-amount), append(b.after, balance)
		if col[7] == "UROK" {
			b.interest++
		}
	}
	out.data.Connections = []Connection{{}}
	for _, id := range ids {
		a := accounts[id]
		a.Balance = out.days[dayOf{id, last[id]}].end()
		out.data.Connections[0].Accounts = append(out.data.Connections[0].Accounts, *a)
	}
	return out
}

func cents(t *testing.T, s string) report.Cents {
	t.Helper()
	c, err := report.ParseCents(s)
	if err != nil {
		t.Fatalf("amount %q: %v", s, err)
	}
	return c
}
