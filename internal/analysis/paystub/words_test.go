package paystub

import (
	"slices"
	"testing"
)

func TestPeriodFormats(t *testing.T) {
	for _, text := range []string{"01/01/2026 - 01/15/2026", "01/01/2026 THRU 01/15/2026", "1/1/26 to 1/15/26",
		"Jan 1, 2026 through Jan 15, 2026", "01-Jan-2026–15-Jan-2026", "Jan 1 – Jan 15, 2026", "01/01/2026 01/15/2026",
		"Jan 1 - 15, 2026", "January 1–15, 2026", "01/01-01/15/2026", "1 - 15 Jan 26", "1-15 JAN 2026", "01/01/2026-01/15/2026",
		"01/01/2026 / 01/15/2026", "01JAN26-15JAN26", "(01/01/2026 to 01/15/2026)", "01/01/2026 - 01/15/2026 (semi-monthly)"} {
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

func TestPhrases(t *testing.T) {
	for words, want := range map[string]field{
		"payroll check date": fieldPay, "date of advice": fieldPay, "voucher issue date": fieldPay, "work week ending": fieldEnd,
		"pay cycle start date": fieldStart, "pay period begin end dates": fieldPeriod, "prd covered": fieldPeriod,
		"employee full legal name": fieldEmployee, "name of associate": fieldEmployee, "paying company name": fieldEmployer,
		"original hire dt": fieldHire, "payroll id code": fieldOther,
		"next check date": noField, "date of birth": noField, "this period": noField, "seniority date": noField,
		"check amount": fieldOther, "paid to trusts": noField,
	} {
		if got := labelOf(words); got != want {
			t.Errorf("labelOf(%q) = %d, want %d", words, got, want)
		}
	}
	for words, want := range map[string]period{
		"current pay amount": current, "this payroll": current, "amount this check": current, "calendar ytd amount": ytd,
		"year to date taxes": ytd, "ytd wage": foreign, "company ytd total": foreign, "ytd pay hours": foreign,
		"hours or units": notMoney, "hourly pay rate": rated,
		"hours current amount": noPeriod, "rate hours": noPeriod, "ytd amount tax": noPeriod, "gross pay": noPeriod, "pay period": noPeriod,
	} {
		if got := periodOf(words); got != want {
			t.Errorf("periodOf(%q) = %d, want %d", words, got, want)
		}
	}
}

func TestSplitTexts(t *testing.T) {
	for text, want := range map[string][]string{
		"Pay Date: 09/18/2026 Check No: 118":           {"Pay Date: 09/18/2026", "Check No: 118"},
		"PAY DATE 09/18/2026 PERIOD ENDING 09/12/2026": {"PAY DATE 09/18/2026", "PERIOD ENDING 09/12/2026"},
		"Period 09/06/2026 to 09/12/2026":              {"Period 09/06/2026 to 09/12/2026"},
		"Gross Pay: $900.00 Net Pay: $700.00":          {"Gross Pay: $900.00", "Net Pay: $700.00"},
		"Next Pay Date: 10/02/2026":                    {"Next Pay Date: 10/02/2026"},
		"9823.05 |1000 FED TAX":                        {"9823.05", "1000 FED TAX"},
		"Acme LLC | 12 Oak St | Austin, TX 78701":      {"Acme LLC | 12 Oak St | Austin, TX 78701"},
		"Semimonthly 09-16-2026":                       {"Semimonthly", "09-16-2026"},
		"ADDRESS: 12 OAK ST":                           {"ADDRESS:", "12 OAK ST"},
		"|":                                            {"|"},
	} {
		c := &cell{x1: 100}
		c.set(text)
		s := &sheet{steps: &steps{left: maxSteps}, rows: []row{{c}}}
		s.splitTexts()
		var got []string
		for _, c := range s.rows[0] {
			got = append(got, c.text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWithoutNumber(t *testing.T) {
	for text, want := range map[string]string{"10234 - Jane Doe": "Jane Doe", "Jane Doe (10234)": "Jane Doe",
		"Jane Doe #10234": "Jane Doe", "Jane Doe": "Jane Doe", "DOE, JANE A": "DOE, JANE A"} {
		if got := withoutNumber(text); got != want || !isName(got) {
			t.Errorf("withoutNumber(%q) = %q, %v", text, got, isName(got))
		}
	}
	for _, text := range []string{"account number transit", "TRUSTS BY EMPLOYER", "Check Date", "This Period"} {
		if isName(text) {
			t.Errorf("%q is a name", text)
		}
	}
}

func TestTotalOf(t *testing.T) {
	for words, want := range map[string]item{
		"gross pay": gross, "7 gross pay": gross, "a gross pay": gross, "total gross": gross, "total earnings": gross,
		"net pay": net, "12 net pay": net, "net to bank": net, "take home pay": net, "check amount": paidByCheck,
		"total deductions": totalDeductions, "total taxes and deductions": totalDeductions, "fed taxable gross": noItem,
		"net pay allocations": noItem, "total taxes": noItem, "gross up": noItem, "net pay to checking 2240": net,
		"net amount of check": net, "gross commissions wages": gross, "net deductions": totalDeductions,
		"deposit amount": noItem, "regular pay": noItem,
	} {
		if got := totalOf(words); got != want {
			t.Errorf("totalOf(%q) = %d, want %d", words, got, want)
		}
	}
}

func TestSectionOf(t *testing.T) {
	for words, want := range map[string]section{
		"earnings": earnings, "15 hours and earnings": earnings, "employee taxes": deductions, "pre tax deductions": deductions,
		"withholdings": deductions, "employer contributions": elsewhere, "19 county paid benefits": elsewhere,
		"benefits paid by government for you": elsewhere, "direct deposits": elsewhere, "leave accounting": elsewhere,
		"taxable wages": elsewhere, "memo information": elsewhere, "summary": noSection, "04 27 2026": noSection, "pay date": noSection,
	} {
		if got := sectionOf(words); got != want {
			t.Errorf("sectionOf(%q) = %d, want %d", words, got, want)
		}
	}
}

func TestTimed(t *testing.T) {
	for text, want := range map[string]int64{"76.50": 76_5000, "76:30": 76_5000, "0:45": 7500, "8": 8_0000} {
		if got, ok := timed(text); !ok || got != want || !number(text) {
			t.Errorf("timed(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
}

func TestInOneLine(t *testing.T) {
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
