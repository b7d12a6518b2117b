package income

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

// salaried returns a connection with one job that pays gross on the last day of each month
// between two (YYYY-MM).
func salaried(employer, from, to string, gross report.Cents, edit func(*Job)) Payroll {
	hired := day("2019-01-01")
	j := Job{RecordID: "job", Employer: employer, Hired: &hired, Rate: 12 * gross, RatePer: PerYear, Frequency: report.PayMonthly}
	last := day(to + "-01")
	for m := day(from + "-01"); !m.After(last.Time); m = (report.Date{Time: m.AddDate(0, 1, 0)}) {
		end := report.Date{Time: m.AddDate(0, 1, -1)}
		j.Statements = append([]Statement{{PayDate: end, Start: m, End: end, Gross: gross, Net: gross * 3 / 4}}, j.Statements...)
	}
	if edit != nil {
		edit(&j)
	}
	return Payroll{ID: "p", SourceID: "PAYROLL", Provider: "Paywright", Type: ProviderPayroll, Jobs: []Job{j}}
}

func TestJobYear(t *testing.T) {
	fetch := report.DateOf(asOf) // 10 March 2026
	date := func(s string) *report.Date { d := day(s); return &d }
	for _, c := range []struct {
		name       string
		payroll    Payroll
		gross, net report.Cents
		ok         bool
	}{
		{"twelve months are added up", salaried("Acme", "2025-03", "2026-02", 4_000_00, nil), 48_000_00, 36_000_00, true},
		{"payments exactly a year ago do not count", salaried("Acme", "2024-01", "2026-02", 4_000_00, nil), 48_000_00, 36_000_00, true},
		{"months without pay count as zero", salaried("Acme", "2025-03", "2025-08", 4_000_00, nil), 24_000_00, 18_000_00, true},
		{"payments after the fetch date do not count", salaried("Acme", "2025-03", "2026-04", 4_000_00, nil), 48_000_00, 36_000_00, true},
		// 1 December to 28 February: 90 days.
		{"a job that began recently is projected to a year", salaried("Acme", "2025-12", "2026-02", 4_000_00,
			func(j *Job) { j.Hired = date("2025-12-01") }), 48_666_67, 36_500_00, true},
		{"a job that began and ended is not projected", salaried("Acme", "2025-12", "2026-01", 4_000_00,
			func(j *Job) { j.Hired, j.Ended = date("2025-12-01"), date("2026-01-31") }), 8_000_00, 6_000_00, true},
		{"a job without a hire date is not projected", salaried("Acme", "2025-12", "2026-02", 4_000_00,
			func(j *Job) { j.Hired = nil }), 12_000_00, 9_000_00, true},
		{"nothing was paid", salaried("Acme", "2023-01", "2024-12", 4_000_00, nil), 0, 0, false},
	} {
		gross, net, ok := c.payroll.Jobs[0].Year(fetch)
		if gross != c.gross || net != c.net || ok != c.ok {
			t.Errorf("%s: %s and %s, %v, want %s and %s, %v", c.name, gross, net, ok, c.gross, c.net, c.ok)
		}
	}
}

func stub(id, employer, employee, paid string, gross, net report.Cents) Paystub {
	p := Paystub{ID: id, SourceID: "PAYSTUB_" + id, Path: id + "/paystub.pdf", Status: contract.StatusSuccess, Employer: employer}
	p.Stub.EmployeeName, p.Stub.Insights = contract.Null(employee), report.PaystubInsights{AnnualGross: &gross, AnnualNet: &net}
	if paid != "" {
		d := day(paid)
		p.Stub.PayDate = &d
	}
	return p
}

func TestOutcomeOfSources(t *testing.T) {
	wages := bank(cash(each("2025-03", "2026-02", 28, 3_000_00, northwind)...))
	debts := bankdata.Data{Connections: []bankdata.Connection{{SourceID: "BANK", Accounts: []bankdata.Account{{Type: report.Investment}}}}}
	paid := []Payroll{salaried("Acme", "2025-03", "2026-02", 4_000_00, nil)}
	old := []Payroll{salaried("Acme", "2023-03", "2024-02", 4_000_00, nil)}
	nameless := []Payroll{salaried("", "2025-03", "2026-02", 4_000_00, nil)}
	good := []Paystub{stub("1", "Acme", "Ada", "2026-02-28", 1, 1)}
	bad := []Paystub{{Status: contract.StatusNotAuthenticated}}
	down := []Paystub{{Status: contract.StatusNotAuthenticated}, {Status: contract.StatusBureauUnresponsive}}
	for _, c := range []struct {
		name   string
		in     Input
		status contract.Status
		sub    contract.Substatus
	}{
		{"a bank", Input{Bank: wages}, contract.StatusSuccess, ""},
		{"no source has the outcome of a bank without accounts", Input{}, contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts},
		{"payroll", Input{Payroll: paid}, contract.StatusSuccess, ""},
		{"old payroll", Input{Payroll: old}, contract.StatusSuccess, contract.SubNoRecentInformation},
		{"payroll without an employer", Input{Payroll: nameless}, contract.StatusError, contract.SubIncomplete},
		{"a stub", Input{Paystubs: good}, contract.StatusSuccess, ""},
		{"no readable stub", Input{Paystubs: bad}, contract.StatusNotAuthenticated, ""},
		{"a stub that could not be checked", Input{Paystubs: down}, contract.StatusBureauUnresponsive, ""},
		{"a good stub among bad ones", Input{Paystubs: append(down[:2:2], good...)}, contract.StatusSuccess, ""},
		{"payroll beside a bank without usable accounts", Input{Bank: debts, Payroll: paid}, contract.StatusSuccess, ""},
		{"a bank beside payroll without an employer", Input{Bank: wages, Payroll: nameless}, contract.StatusSuccess, ""},
		{"old payroll beside a bank", Input{Bank: wages, Payroll: old}, contract.StatusSuccess, ""},
		{"a bad stub beside old payroll", Input{Payroll: old, Paystubs: bad}, contract.StatusSuccess, contract.SubNoRecentInformation},
		{"a stub beside a bank without usable accounts", Input{Bank: debts, Paystubs: good}, contract.StatusSuccess, ""},
	} {
		if status, sub := c.in.Outcome(asOf); status != c.status || sub != c.sub {
			t.Errorf("%s: %s %s, want %s %s", c.name, status, sub, c.status, c.sub)
		}
	}
}

// TestSummaryOfSources checks that the year's income is from bank data, else from payroll
// connections, else from the newest stub of each employer and person.
func TestSummaryOfSources(t *testing.T) {
	wages := bank(cash(each("2025-03", "2026-02", 28, 3_000_00, northwind)...))
	paid := []Payroll{salaried("Acme", "2025-03", "2026-02", 4_000_00, nil), salaried("Globex", "2025-03", "2026-02", 1_000_00, nil)}
	stubs := []Paystub{
		stub("1", "Acme Corp", "Ada", "2026-01-31", 40_000_00, 30_000_00),
		stub("2", "ACME CORP", "Ada", "2026-02-28", 42_000_00, 31_000_00),
		stub("3", "Globex", "Ada", "", 10_000_00, 8_000_00),
		{ID: "4", SourceID: "PAYSTUB_4", Status: contract.StatusNotAuthenticated},
	}
	for _, c := range []struct {
		name       string
		in         Input
		gross, net string
	}{
		{"stubs", Input{Paystubs: stubs}, "52000.00", "39000.00"},
		{"payroll and stubs", Input{Payroll: paid, Paystubs: stubs}, "60000.00", "45000.00"},
		{"a bank, payroll and stubs", Input{Bank: wages, Payroll: paid, Paystubs: stubs}, "", "36000.00"},
		{"stubs without a figure", Input{Paystubs: []Paystub{{Status: contract.StatusSuccess}}}, "null", "null"},
	} {
		s := Build(c.in, asOf).Income.Summary
		if got := amount(s.AnnualGross); c.gross != "" && got != c.gross {
			t.Errorf("%s: gross %s, want %s", c.name, got, c.gross)
		}
		if got := amount(s.AnnualNet); got != c.net {
			t.Errorf("%s: net %s, want %s", c.name, got, c.net)
		}
	}
	r := Build(Input{Paystubs: stubs, Consumer: &bankdata.Person{FirstName: "Ada"},
		Envelope: report.Envelope{InputSource: report.ConsumerInput}, StatedEmployers: []string{"Globex Inc"}}, asOf)
	var sources, employers []string
	for _, s := range r.Sources {
		sources = append(sources, s.SourceID+" "+s.SourceType+" "+string(s.Status))
	}
	for _, e := range r.Employment {
		employers = append(employers, e.SourceID+" "+*e.EmployerName)
	}
	if diff := cmp.Diff([]string{"CONSUMER_INPUT MANUAL SUCCESS", "PAYSTUB_1 PAYSTUB SUCCESS", "PAYSTUB_2 PAYSTUB SUCCESS",
		"PAYSTUB_3 PAYSTUB SUCCESS", "PAYSTUB_4 PAYSTUB NOT_AUTHENTICATED"}, sources); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"CONSUMER_INPUT Globex Inc", "PAYSTUB_2 ACME CORP", "PAYSTUB_3 Globex"}, employers); diff != "" {
		t.Error(diff)
	}
	if m := r.Employment[0].Matching.EmployerName; len(m.Matched) != 1 || *m.Matched[0].SourceRecordID != "3" || len(m.Unmatched) != 1 {
		t.Errorf("the stated employer matches %+v", m)
	}
	if m := r.Identities[0].Matching.FullName; len(m.Matched) != 3 || len(r.Income.Paystubs) != 3 ||
		r.Income.Paystubs[1].SourceFilepath != "2/paystub.pdf" {
		t.Errorf("names match %+v, stubs %+v", m, r.Income.Paystubs)
	}
}

func amount(c *report.Cents) string {
	if c == nil {
		return "null"
	}
	return c.String()
}

// TestSourcesProperties checks that any connections and stubs give a report, and the same
// one again.
func TestSourcesProperties(t *testing.T) {
	amounts := rapid.Int64Range(-1e15, 1e15)
	dates := rapid.Custom(func(t *rapid.T) report.Date {
		return report.Date{Time: asOf.Truncate(24*3600*1e9).AddDate(0, 0, rapid.IntRange(-900, 60).Draw(t, "day"))}
	})
	job := rapid.Custom(func(t *rapid.T) Job {
		j := Job{Employer: rapid.SampledFrom([]string{"", "Acme", "Globex Widgets"}).Draw(t, "employer")}
		if d := dates.Draw(t, "hired"); rapid.Bool().Draw(t, "known") {
			j.Hired = &d
		}
		for range rapid.IntRange(0, 4).Draw(t, "statements") {
			j.Statements = append(j.Statements, Statement{PayDate: dates.Draw(t, "paid"), End: dates.Draw(t, "end"),
				Gross: report.Cents(amounts.Draw(t, "gross")), Net: report.Cents(amounts.Draw(t, "net"))})
		}
		return j
	})
	proptest.Check(t, func(t *rapid.T) {
		in := Input{StatedEmployers: []string{"Acme Inc"}, Envelope: report.Envelope{InputSource: report.ConsumerInput}}
		for range rapid.IntRange(0, 3).Draw(t, "connections") {
			in.Payroll = append(in.Payroll, Payroll{SourceID: "P", Jobs: rapid.SliceOfN(job, 0, 3).Draw(t, "jobs")})
		}
		for range rapid.IntRange(0, 3).Draw(t, "stubs") {
			in.Paystubs = append(in.Paystubs, stub("x", rapid.SampledFrom([]string{"", "Acme"}).Draw(t, "employer"), "", "",
				report.Cents(amounts.Draw(t, "gross")), report.Cents(amounts.Draw(t, "net"))))
		}
		a, err := report.Encode(Build(in, asOf))
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := report.Encode(Build(in, asOf)); string(a) != string(b) {
			t.Fatalf("%s and %s", a, b)
		}
	})
}
