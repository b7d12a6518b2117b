package paystub

import (
	"slices"
	"testing"

	"vestibule/internal/report"
)

func TestDeposits(t *testing.T) {
	whole := func(d ...Deposit) Bank { return Bank{From: on("2026-01-01"), To: on("2026-04-01"), Deposits: d} }
	for _, tt := range []struct {
		name string
		bank Bank
		want bool
	}{
		{"of the same day", whole(Deposit{on("2026-03-13"), 823_50}), true},
		{"two days before", whole(Deposit{on("2026-03-11"), 823_50}), true},
		{"five days later", whole(Deposit{on("2026-03-18"), 823_50}), true},
		{"six days later", whole(Deposit{on("2026-03-19"), 823_50}), false},
		{"three days before", whole(Deposit{on("2026-03-10"), 823_50}), false},
		{"in two parts and something else", whole(Deposit{on("2026-03-13"), 100_00},
			Deposit{on("2026-03-13"), 9_99}, Deposit{on("2026-03-13"), 723_50}), true},
		{"in two parts on two days", whole(Deposit{on("2026-03-13"), 100_00}, Deposit{on("2026-03-14"), 723_50}), false},
		{"another amount", whole(Deposit{on("2026-03-13"), 823_51}), false},
		{"none at all", whole(), false},
		{"no bank data", Bank{}, true},
		{"the bank data end before", Bank{From: on("2026-01-01"), To: on("2026-03-15")}, true},
		{"the bank data begin later", Bank{From: on("2026-03-13"), To: on("2026-04-15")}, true},
	} {
		d := simple()
		d.judge()
		v := Report([]*Document{d}, tt.bank, on("2026-04-01"))[0].IrregularityDetection
		if got := !slices.Contains(v.Reasons, NoDeposit); got != tt.want {
			t.Errorf("%s: %v %v, want %v", tt.name, v.Status, v.Reasons, tt.want)
		}
	}
}

func TestConsecutiveStubs(t *testing.T) {
	second := func() *Document {
		d := simple()
		for n := range d.table.lines {
			d.table.lines[n].amount[toDate] += d.table.lines[n].amount[now]
		}
		d.fields.start.date, d.fields.end.date, d.fields.pay.date = on("2026-03-09"), on("2026-03-15"), on("2026-03-20")
		return d
	}
	for _, tt := range []struct {
		name   string
		change func(*Document)
		want   []string
		status string
	}{
		{"one after the other", func(d *Document) {}, nil, none},
		{"the year did not grow", func(d *Document) {
			for n := range d.table.lines {
				d.table.lines[n].amount[toDate] -= d.table.lines[n].amount[now]
			}
		}, []string{YearToDate}, sure},
		{"the year grew by more than the period", func(d *Document) {
			for i, by := range map[item]report.Cents{regular: 500_00, gross: 500_00, socialSecurity: 31_00, medicare: 7_25, net: 461_75} {
				d.line(i).amount[toDate] += by
			}
		}, []string{YearToDate}, some},
		{"of another employer", func(d *Document) {
			d.fields.employer = "Globex"
			for n := range d.table.lines {
				d.table.lines[n].amount[toDate] = d.table.lines[n].amount[now] * 5
			}
		}, nil, none},
		{"the same day, other amounts", func(d *Document) { d.fields.pay.date = on("2026-03-13") }, []string{StubsDisagree}, some},
		{"a period that begins too early", func(d *Document) { d.fields.start.date = on("2026-02-23") }, []string{StubsDisagree}, some},
		{"periods that overlap", func(d *Document) { d.fields.start.date, d.fields.end.date = on("2026-03-05"), on("2026-03-18") },
			[]string{StubsDisagree}, some},
		{"periods with one day in both", func(d *Document) { d.fields.start.date = on("2026-03-08") }, []string{StubsDisagree}, some},
		{"a period within the other", func(d *Document) {
			d.fields.start.date, d.fields.end.date = on("2026-03-03"),
				on("2026-03-04")
		}, []string{StubsDisagree}, some},
		{"an earlier period that was paid late", func(d *Document) {
			d.fields.start.date,
				d.fields.end.date = on("2026-02-16"), on("2026-02-22")
		}, nil, none},
		{"a period that overlaps and is paid in the next year", func(d *Document) {
			d.fields.start.date, d.fields.end.date, d.fields.pay.date = on("2026-03-05"), on("2026-03-18"), on("2027-01-08")
		}, []string{StubsDisagree}, some},
		{"hired on another day", func(d *Document) { d.fields.hire.date = on("2021-01-04") }, []string{StubsDisagree}, some},
		{"of the next year", func(d *Document) {
			d.fields.start.date, d.fields.end.date, d.fields.pay.date = on("2027-01-04"), on("2027-01-10"), on("2027-01-15")
			for n := range d.table.lines {
				d.table.lines[n].amount[toDate] = d.table.lines[n].amount[now]
			}
		}, nil, none},
	} {
		a, b := simple(), second()
		tt.change(b)
		a.judge()
		b.judge()
		v := Report([]*Document{b, a}, Bank{}, on("2027-04-01"))
		for i := range v {
			if got := v[i].IrregularityDetection; !slices.Equal(got.Reasons, append([]string{}, tt.want...)) || got.Status != tt.status {
				t.Errorf("%s, stub %d: %s %v, want %s %v", tt.name, i, got.Status, got.Reasons, tt.status, tt.want)
			}
		}
	}
	a := simple()
	a.judge()
	if got := Report([]*Document{a, a}, Bank{}, on("2026-04-01"))[1].IrregularityDetection; got.Status != none {
		t.Errorf("the same stub twice: %v", got)
	}
}
