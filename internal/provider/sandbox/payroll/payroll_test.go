package payroll

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/eligibility"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/testutil/golden"
	"vestibule/internal/testutil/proptest"
)

const link = "3f0e9a44-3d3a-4f6e-9f6c-1f2b8f0c7a55"

func at(t *testing.T, s string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

// TestIncomeReportsFromPayroll compares the income report of each profile at each kind of
// provider with its golden file.
func TestIncomeReportsFromPayroll(t *testing.T) {
	annual := int64(80_000)
	for _, c := range []struct{ name, provider, profile, day string }{
		{"default", "northwind-logistics", "default", "2026-07-14"},
		{"default-january", "northwind-logistics", "default", "2026-01-03"},
		{"hourly", "abacus-lane-payroll", "hourly", "2026-07-14"},
		{"two-jobs", "great-lakes-medical", "two_jobs", "2024-02-29"},
		{"gig", "zipporah-rides", "default", "2026-07-14"},
		{"new-hire", "paywright", "new_hire", "2026-07-14"},
		{"terminated", "foxglove-fulfilment", "terminated", "2026-07-14"},
		{"no-statements", "paywright", "no_statements", "2026-07-14"},
	} {
		t.Run(c.name, func(t *testing.T) {
			when := at(t, c.day+"T09:30:15.123Z")
			in := income.Input{
				Envelope: report.Envelope{PublicToken: link, ConsumerID: "0b3f6a0e-6a53-4a0c-b9a2-0d6a1de4f5b7",
					Product:     report.Product{Name: "Income", ProductID: "2c8b1f57-6d0b-4a0a-a2f1-2f5a6e0d9b11", InquiryType: "PERSONAL"},
					InputSource: report.ConsumerInput, InputRecordID: "f15055cf-6c30-5125-a3f6-43d31ad5d57f"},
				Consumer:           &bankdata.Person{FirstName: "Default", LastName: "Harper", Emails: []string{"applicant@mail.example"}},
				StatedEmployers:    []string{"Northwind Logistics, Inc.", "Great Lakes Medical Center"},
				StatedAnnualIncome: &annual,
				Payroll:            []income.Payroll{Providers{}.Fetch(c.provider, c.profile, link, when)},
			}
			body := income.Build(in, when)
			raw, err := report.Encode(body)
			if err != nil {
				t.Fatal(err)
			}
			golden.CompareJSON(t, "testdata/income-"+c.name+".json", "\t", raw)
			if c.name == "no-statements" != (body.Income.Summary.AnnualGross == nil) {
				t.Errorf("summary %v", body.Income.Summary)
			}
		})
	}
}

// TestStatementsAreConsistent checks for any profile, provider and day that sums to date are
// those of their year, periods follow each other, and all statements are within 12 months.
func TestStatementsAreConsistent(t *testing.T) {
	var names []string
	for name := range profiles() {
		names = append(names, name)
	}
	all := All()
	proptest.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(all).Draw(t, "provider")
		profile := rapid.SampledFrom(names).Draw(t, "profile")
		when := time.Date(2024, 1, 1, 10, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 1500).Draw(t, "days"))
		fetch := report.DateOf(when)
		from := bankdata.MonthsBefore(fetch, 12)
		for _, j := range (Providers{}).Fetch(p.ID, profile, link, when).Jobs {
			for i, s := range j.Statements {
				if !s.PayDate.After(from.Time) || s.PayDate.After(fetch.Time) {
					t.Fatalf("paid on %s, fetched on %s", s.PayDate, fetch)
				}
				if s.Gross <= 0 || s.Net <= 0 || s.Net > s.Gross || s.GrossYTD < s.Gross || s.NetYTD < s.Net || s.End.Before(s.Start.Time) {
					t.Fatalf("%+v", s)
				}
				if s.Gig != nil && s.Net != s.Gross-s.Gig.Fees {
					t.Fatalf("gigs %+v of %+v", *s.Gig, s)
				}
				if i+1 == len(j.Statements) {
					continue
				}
				before := j.Statements[i+1]
				if !before.End.AddDate(0, 0, 1).Equal(s.Start.Time) {
					t.Fatalf("a period ends on %s and the next begins on %s", before.End, s.Start)
				}
				gross, net := before.GrossYTD, before.NetYTD
				if before.PayDate.Year() != s.PayDate.Year() {
					gross, net = 0, 0
				}
				if s.GrossYTD != gross+s.Gross || s.NetYTD != net+s.Net {
					t.Fatalf("to date %s and %s, after %s and %s, with %s and %s", s.GrossYTD, s.NetYTD, gross, net, s.Gross, s.Net)
				}
			}
		}
	})
}

// TestStatementsDoNotChange checks that a second fetch in the same month returns the same pay
// statements.
func TestStatementsDoNotChange(t *testing.T) {
	for name := range profiles() {
		early := Providers{}.Fetch("paywright", name, link, at(t, "2026-07-10T01:00:00Z"))
		late := Providers{}.Fetch("paywright", name, link, at(t, "2026-07-31T23:00:00Z"))
		for i, j := range early.Jobs {
			known := map[string]income.Statement{}
			for _, s := range late.Jobs[i].Statements {
				known[s.PayDate.String()] = s
			}
			for _, s := range j.Statements {
				if again, ok := known[s.PayDate.String()]; ok {
					if diff := cmp.Diff(s, again); diff != "" {
						t.Errorf("%s (-early +late):\n%s", name, diff)
					}
				} else if s.PayDate.After(at(t, "2025-08-01T00:00:00Z")) {
					t.Errorf("%s: the statement of %s is gone", name, s.PayDate)
				}
			}
		}
	}
}

func TestUserNames(t *testing.T) {
	for username, want := range map[string]struct {
		profile string
		reason  sources.Reason
		ok      bool
	}{
		"default":               {"default", "", true},
		" HOURLY ":              {"hourly", "", true},
		"single":                {"hourly", "", true},
		"multi":                 {"two_jobs", "", true},
		"no_transactions":       {"no_statements", "", true},
		"incomplete":            {"incomplete", "", true},
		"error":                 {"", sources.Rejected, true},
		"supplier_unresponsive": {"", sources.Unresponsive, true},
		"session_expired":       {"", sources.TimedOut, true},
		"mfa":                   {"", sources.Challenged, true},
		"applicant":             {},
		"":                      {},
	} {
		in := Providers{}.Login(username)
		if wanted := (signin.Login{Known: want.ok, Profile: want.profile, Reason: want.reason}); in != wanted {
			t.Errorf("Login(%q) = %+v, want %+v", username, in, want)
		}
	}
}

// TestTheCatalogue checks that every provider has a name, a unique id and a type, and that
// identifiers belong to the link.
func TestTheCatalogue(t *testing.T) {
	seen := map[string]bool{}
	before := ""
	for _, p := range All() {
		if p.ID == "" || seen[p.ID] || p.Employer == "" || p.Place == "" || p.Name < before {
			t.Errorf("%+v", p)
		}
		seen[p.ID], before = true, p.Name
		if got := (Providers{}).Fetch(p.ID, "default", link, at(t, "2026-07-14T00:00:00Z")); got.Provider != p.Name {
			t.Errorf("the data of %s is of %q", p.ID, got.Provider)
		}
	}
	when := at(t, "2026-07-14T09:30:00Z")
	a, b := Providers{}.Fetch("paywright", "default", "a", when), Providers{}.Fetch("paywright", "default", "b", when)
	if a.ID == b.ID || a.Jobs[0].RecordID == b.Jobs[0].RecordID || a.Owner.RecordID == b.Owner.RecordID {
		t.Error("two consumers share identifiers")
	}
	if none := (Providers{}).Fetch("unknown", "default", link, when); len(none.Jobs) != 0 {
		t.Errorf("an unknown provider has %v", none)
	}
}

// TestIncompleteConnection checks that a connection without employer makes no report, and that
// beside bank data it is a failed source.
func TestIncompleteConnection(t *testing.T) {
	when := at(t, "2026-07-14T09:30:00Z")
	in := income.Input{Payroll: []income.Payroll{Providers{}.Fetch("paywright", "incomplete", link, when)}}
	if status, sub := in.Outcome(when); status != contract.StatusError || sub != contract.SubIncomplete {
		t.Errorf("alone it is %s %s", status, sub)
	}
	in.Payroll = append(in.Payroll, Providers{}.Fetch("ironvale-motors", "hourly", link, when))
	if status, sub := in.Outcome(when); status != contract.StatusSuccess || sub != "" {
		t.Errorf("with another it is %s %s", status, sub)
	}
	body := income.Build(in, when)
	if len(body.Sources) != 2 || body.Sources[0].Status != contract.StatusError || body.Sources[1].Status != contract.StatusSuccess ||
		len(body.Income.Payroll) != 1 || len(body.Employment) != 1 || *body.Employment[0].EmployerName != "Ironvale Motors" {
		t.Errorf("sources %v, payroll %v, employment %v", body.Sources, body.Income.Payroll, body.Employment)
	}
}

// TestMonthlyPay: a monthly rate makes the months' pay and the year's, and nothing is
// withheld of a benefit.
func TestMonthlyPay(t *testing.T) {
	at := time.Date(2026, 7, 14, 9, 30, 0, 0, time.UTC)
	for name, want := range map[string]struct {
		kind  string
		gross report.Cents
	}{"benefit": {report.EmploymentBenefit, 1_860_00}, "monthly": {report.EmploymentFullTime, 5_450_00}} {
		p := Providers{}.Fetch("paywright", name, "link", at)
		if len(p.Jobs) != 1 || p.Jobs[0].Type != want.kind || p.Jobs[0].RatePer != income.PerMonth ||
			p.Jobs[0].Frequency != report.PayMonthly || len(p.Jobs[0].Statements) != 12 {
			t.Fatalf("%s: %+v", name, p.Jobs)
		}
		for _, s := range p.Jobs[0].Statements {
			if s.Gross != want.gross || (s.Net == s.Gross) != (name == "benefit") {
				t.Errorf("%s is paid %s, net %s, on %s", name, s.Gross, s.Net, s.PayDate)
			}
		}
		of := income.Input{Payroll: []income.Payroll{p}}
		r := income.Build(of, at)
		if got := r.Income.Payroll[0]; got.AnnualSalaryRate == nil || *got.AnnualSalaryRate != 12*want.gross ||
			report.Text(got.PayFrequency) != report.PayMonthly || *got.EstimatedGrossAnnual != 12*want.gross {
			t.Errorf("%s in an income report: %+v", name, got)
		}
		e := eligibility.Build(eligibility.Input{Workflow: report.IncomeOnly,
			Gathered: eligibility.Gathered{Payroll: []eligibility.Connected{{Payroll: p}}}}, at).Employment[0]
		if report.Text(e.Type) != want.kind || report.Text(e.Status) != report.EmploymentActive ||
			report.Text(e.BasePayPeriod) != income.PerMonth || e.BasePayRate == nil || *e.BasePayRate != want.gross {
			t.Errorf("%s in an eligibility report: %+v", name, e)
		}
	}
}
