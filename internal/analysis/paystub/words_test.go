package paystub

import "testing"

func TestPeriodsAsTheyArePrinted(t *testing.T) {
	for _, text := range []string{"01/01/2026 - 01/15/2026", "01/01/2026 THRU 01/15/2026", "1/1/26 to 1/15/26", "Jan 1, 2026 through Jan 15, 2026", "01-Jan-2026–15-Jan-2026", "Jan 1 – Jan 15, 2026", "01/01/2026 01/15/2026"} {
		f := &fields{}
		if !f.putPeriod(text, nil) || f.start.date.String() != "2026-01-01" || f.end.date.String() != "2026-01-15" {
			t.Errorf("%q: %s to %s", text, f.start.date, f.end.date)
		}
	}
	for _, text := range []string{"01/15/2026", "01/01/2026 to someday", "10 to 20", ""} {
		if f := (&fields{}); f.putPeriod(text, nil) {
			t.Errorf("%q is a period", text)
		}
	}
}

func TestTotalsByTheirWords(t *testing.T) {
	for words, want := range map[string]item{
		"gross pay": gross, "7 gross pay": gross, "a gross pay": gross, "total gross": gross, "total earnings": gross, "net pay": net, "12 net pay": net, "net to bank": net, "take home pay": net, "check amount": paidByCheck,
		"total deductions": totalDeductions, "total taxes and deductions": totalDeductions, "fed taxable gross": noItem, "net pay allocations": noItem, "total taxes": noItem, "gross up": noItem, "regular pay": noItem,
	} {
		if got := totalOf(words); got != want {
			t.Errorf("totalOf(%q) = %d, want %d", words, got, want)
		}
	}
}

func TestTitlesOfTables(t *testing.T) {
	for words, want := range map[string]section{
		"earnings": earnings, "15 hours and earnings": earnings, "employee taxes": deductions, "pre tax deductions": deductions, "withholdings": deductions, "employer contributions": elsewhere, "19 county paid benefits": elsewhere,
		"benefits paid by government for you": elsewhere, "direct deposits": elsewhere, "leave accounting": elsewhere, "taxable wages": elsewhere, "memo information": elsewhere, "summary": noSection, "04 27 2026": noSection, "pay date": noSection,
	} {
		if got := sectionOf(words); got != want {
			t.Errorf("sectionOf(%q) = %d, want %d", words, got, want)
		}
	}
}

func TestHoursAsTheyArePrinted(t *testing.T) {
	for text, want := range map[string]int64{"76.50": 76_5000, "76:30": 76_5000, "0:45": 7500, "8": 8_0000} {
		if got, ok := timed(text); !ok || got != want || !number(text) {
			t.Errorf("timed(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
}

func TestAddressesInALine(t *testing.T) {
	for text, want := range map[string]address{
		"Acme LLC, 12 Oak St, Austin, TX 78701":                  {"Acme LLC", "12 Oak St", "", "Austin", "TX", "78701"},
		"0089 1044 Acme, Inc. • 12 Oak St • Austin, TX 78701":    {"Acme, Inc.", "12 Oak St", "", "Austin", "TX", "78701"},
		"12 Oak St, Apt 4B, New York, NY 10001-1234":             {"", "12 Oak St", "Apt 4B", "New York", "NY", "10001-1234"},
		"Jo Doe Jr., 9 Elm Ct, Unit 3, Winston-Salem, NC 27101":  {"Jo Doe Jr.", "9 Elm Ct", "Unit 3", "Winston-Salem", "NC", "27101"},
		"Questions? Call 555-0100, or write to Austin, TX 78701": {},
	} {
		got, ok := inOneLine(text)
		if !ok {
			got = address{}
		}
		if got != want {
			t.Errorf("inOneLine(%q) = %+v", text, got)
		}
	}
}
