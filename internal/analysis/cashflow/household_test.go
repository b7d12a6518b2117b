package cashflow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// household parses a small history, so that attributes are tested separately from
// categories. The first line is the fetch date; then follow accounts with their current
// balance, and transactions with a leaf and optionally "own" for a transfer between own
// accounts and "nsf" for an event:
//
//	2026-03-10
//	account main CHECKING 100.00
//	2026-02-28 main -12.05 HOUSING.RENT own nsf
//	stream in active PAYROLL 2026-01-30 2026-02-28
//
// A stream has the transactions of a leaf from one day to another.
func household(t testing.TB, text string) *bankdata.Ledger {
	t.Helper()
	l, err := parseHousehold(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func parseHousehold(text string) (*bankdata.Ledger, error) {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' })
	var fetch report.Date
	var accounts []bankdata.Account
	var streams [][]string
	for i, line := range lines {
		w := strings.Fields(line)
		switch {
		case len(w) == 0:
		case i == 0 || fetch.IsZero():
			fetch = day(w[0])
		case w[0] == "account":
			balance, err := report.ParseCents(w[3])
			if err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			accounts = append(accounts, bankdata.Account{ID: w[1], Type: report.CashEquivalent, Subtype: w[2], Balance: balance})
		case w[0] == "stream":
			streams = append(streams, w[1:])
		default:
			at := slices.IndexFunc(accounts, func(a bankdata.Account) bool { return a.ID == w[1] })
			amount, err := report.ParseCents(w[2])
			if err != nil || at < 0 {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			accounts[at].Transactions = append(accounts[at].Transactions, bankdata.Transaction{
				ID: fmt.Sprintf("t%05d", i), Posted: day(w[0]), Amount: amount, Debit: w[2] == "-0.00", Description: strings.Join(w[3:], " "),
			})
		}
	}
	d := bankdata.Data{Connections: []bankdata.Connection{{ID: "1", SourceID: "BANK", Status: contract.StatusSuccess, Accounts: accounts}}}
	return labeled(d, fetch, streams), nil
}

// labeled reads the data and replaces the categories by the labels in the descriptions.
func labeled(d bankdata.Data, fetch report.Date, streams [][]string) *bankdata.Ledger {
	l := bankdata.Read(d, fetch)
	for i := range l.Entries {
		e := &l.Entries[i]
		c, a, tx := l.Source(e.Index)
		w := strings.Fields(d.Connections[c].Accounts[a].Transactions[tx].Description)
		e.Leaf, e.NSF = leaf(w[0]), 0
		e.Own = slices.Contains(w, "own")
		if slices.Contains(w, "nsf") {
			e.NSF = 1
		}
	}
	l.Streams = nil
	for _, w := range streams {
		s := bankdata.Stream{In: w[0] == "in", Active: w[1] == "active", Irregular: w[1] == "irregular", Leaf: leaf(w[2])}
		from, to := bankdata.DayOf(day(w[3])), bankdata.DayOf(day(w[4]))
		for i, e := range l.Entries {
			if e.Leaf == s.Leaf && e.Day >= from && e.Day <= to {
				s.Entries = append(s.Entries, int32(i))
			}
		}
		s.Count = int32(len(s.Entries))
		s.First, s.Last = l.Entries[s.Entries[0]].Day, l.Entries[s.Entries[s.Count-1]].Day
		l.Streams = append(l.Streams, s)
	}
	return l
}

// leaf returns the leaf with a full name, or with its last part.
func leaf(name string) bankdata.Leaf {
	for _, l := range bankdata.Leaves() {
		if l.String() == name || strings.HasSuffix(l.String(), "."+name) && name != "OTHER" {
			return l
		}
	}
	if name == "OTHER" {
		return bankdata.LeafOther
	}
	panic("no leaf " + name)
}

// valueOf returns the attribute's formatted value.
func valueOf(t testing.TB, l *bankdata.Ledger, name string) string {
	t.Helper()
	f := newFacts(l)
	for _, d := range append(Catalogue(), Deprecated()...) {
		if d.Name == name {
			return string(d.Type.append(nil, d.value(f)))
		}
	}
	t.Fatalf("no attribute %s", name)
	return ""
}
