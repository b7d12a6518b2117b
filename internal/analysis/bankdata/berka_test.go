package bankdata

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"time"

	"vestibule/internal/report"
	"vestibule/internal/testutil/tools"
)

// TestDayEndsMatchBankBalances compares day-end balances with a bank's running balances of
// 1,229 accounts, on every day with transactions. The ledger gets the bank's last balance
// as the current one and computes the earlier balances backward.
//
// The file is special in three ways:
//
//   - The lines of a day are not in booking order. The bank's day-end is therefore the
//     balance after the line of the day from which no other line continues.
//   - Amounts are rounded to tenths of a crown, but the bank's balances are not: after a
//     line of interest (rarely another), the balance differs from the printed amounts by up
//     to a tenth, also on all earlier days. Days are "within rounding" if they differ by at
//     most a tenth for each later line of interest.
//   - It ends in the middle of a day, which is left out.
func TestDayEndsMatchBankBalances(t *testing.T) {
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
	t.Logf("%d accounts, %d days with transactions: %d to the heller (%.2f%%), %d within rounding (together %.2f%%), %d otherwise",
		len(l.Accounts), days, exact, percent(exact, days), rounded, percent(exact+rounded, days), days-exact-rounded)
	if 100*(exact+rounded) < 99*days {
		t.Errorf("%d of %d day-end balances agree, want 99%%", exact+rounded, days)
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

// bankDay holds the bank's lines about one account on one day.
type bankDay struct {
	before, after []report.Cents // the balance before and after each line
	interest      report.Cents   // number of lines of interest
}

// end returns the balance after the line from which no other line continues, within a
// tenth.
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
	raw := tools.SharedData(t, "berka/trans.asc")
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
