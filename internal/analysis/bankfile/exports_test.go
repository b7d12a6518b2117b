package bankfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vestibule/internal/testutil/proptest"
)

// moved is a transaction of an account that a test exports.
type moved struct {
	day   time.Time
	cents int
	after int // balance
}

// form is a form of exports.
type form struct {
	signs                             string
	decimal, separator, layout        string
	balanced, newestFirst, dayInOrder bool
}

func (f form) money(cents int) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d%s%02d", sign, cents/100, f.decimal, cents%100)
}

// export writes transactions, oldest first, in a form.
func (f form) export(all []moved) string {
	var b strings.Builder
	join := func(values ...string) { b.WriteString(strings.Join(values, f.separator) + "\n") }
	head := map[string][]string{"signed": {"Amount"}, "opposite": {"Amount"}, "words": {"Type", "Amount"}, "columns": {"Debit", "Credit"},
		"negative debits": {"Debit", "Credit"}, "marks": {"Amount"}, "unsigned": {"Amount"}}[f.signs]
	head = append([]string{"Date", "Description"}, head...)
	if f.balanced {
		head = append(head, "Balance")
	}
	join(head...)
	rows := slices.Clone(all)
	if f.newestFirst {
		slices.Reverse(rows)
		if f.dayInOrder {
			slices.SortStableFunc(rows, func(a, b moved) int { return b.day.Compare(a.day) })
			for from := 0; from < len(rows); {
				to := from
				for to < len(rows) && rows[to].day.Equal(rows[from].day) {
					to++
				}
				slices.Reverse(rows[from:to])
				from = to
			}
		}
	}
	for n, m := range rows {
		size, word, mark := max(m.cents, -m.cents), "Credit", "CR"
		if m.cents < 0 {
			word, mark = "Debit", "DR"
		}
		values := []string{m.day.Format(f.layout), fmt.Sprintf("Row %d of the %s", n, "export")}
		switch f.signs {
		case "signed":
			values = append(values, f.money(m.cents))
		case "opposite":
			values = append(values, f.money(-m.cents))
		case "words":
			values = append(values, word, f.money(size))
		case "marks":
			values = append(values, f.money(size)+" "+mark)
		case "unsigned":
			values = append(values, f.money(size))
		default:
			apart := []string{"", f.money(size)}
			if m.cents < 0 {
				apart = []string{f.money(size), ""}
				if f.signs == "negative debits" {
					apart[0] = f.money(m.cents)
				}
			}
			values = append(values, apart...)
		}
		if f.balanced {
			values = append(values, f.money(m.after))
		}
		join(values...)
	}
	return b.String()
}

// TestExportsInAnyForm exports random transactions in random forms: each file is read right
// or refused.
func TestExportsInAnyForm(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		pick := func(name string, values ...string) string { return rapid.SampledFrom(values).Draw(t, name) }
		f := form{signs: pick("signs", "signed", "opposite", "words", "columns", "negative debits", "marks", "unsigned"),
			decimal: pick("decimal", ".", ","), separator: ";",
			layout:      pick("layout", "2006-01-02", "01/02/2006", "02/01/2006", "02.01.06", "Jan 2, 2006"),
			newestFirst: rapid.Bool().Draw(t, "newest first"), dayInOrder: rapid.Bool().Draw(t, "day in order"),
			balanced: rapid.Bool().Draw(t, "balanced")}
		if f.decimal == "." && f.layout != "Jan 2, 2006" {
			f.separator = pick("separator", ",", ";", "\t", "|")
		}
		if f.signs == "opposite" || f.signs == "unsigned" { // only the balance tells
			f.balanced = true
		}
		day, balance := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), rapid.IntRange(-100_000, 1_000_000).Draw(t, "balance")
		var all []moved
		for n := range rapid.IntRange(3, 40).Draw(t, "rows") {
			day = day.AddDate(0, 0, rapid.IntRange(0, 4).Draw(t, "days"))
			if n == 1 { // lines of one day, newest first, are those of the opposite signs, oldest first
				day = day.AddDate(0, 0, 1)
			}
			cents := rapid.IntRange(-50_000, 50_000).Draw(t, "cents")
			if cents == 0 {
				cents = 1
			}
			balance += cents
			all = append(all, moved{day, cents, balance})
		}
		content := f.export(all)
		read, err := Read("x.csv", []byte(content), "")
		if err != nil {
			unsure := f.signs == "unsigned" || !f.balanced
			if !unsure {
				t.Fatalf("%v\n%s", err, content)
			}
			return
		}
		if len(read.Accounts) != 1 || len(read.LeftOut) == 0 && len(read.Accounts[0].Transactions) != len(all) {
			t.Fatalf("%d accounts, left out %v\n%s", len(read.Accounts), read.LeftOut, content)
		}
		if f.signs == "unsigned" && strings.Contains(strings.Join(read.Notes, "\n"), "oldest line") {
			return
		}
		var got, want []string
		for _, x := range read.Accounts[0].Transactions {
			got = append(got, fmt.Sprintf("%s %d", x.Posted, x.Amount))
		}
		for _, m := range all {
			want = append(want, fmt.Sprintf("%s %d", m.day.Format("2006-01-02"), m.cents))
		}
		slices.Sort(got)
		slices.Sort(want)
		if len(read.LeftOut) == 0 && !slices.Equal(got, want) {
			t.Fatalf("read\n%v\nof\n%v\n%s\n%s", got, want, content, strings.Join(read.Notes, "\n"))
		}
		if f.balanced && (read.Accounts[0].NoBalance || int(read.Accounts[0].Balance) != balance) {
			t.Fatalf("balance %s, want %d\n%s", read.Accounts[0].Balance, balance, content)
		}
	})
}
