package eligibility

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

func TestStatedEmployers(t *testing.T) {
	failed := works("f", "Hooli")
	failed.Status, failed.Substatus = contract.StatusSupplierUnresponsive, contract.SubWidgetSessionExpired
	failed.Employer = "Hooli"
	elsewhere := works("e", "Vandelay Industries")
	elsewhere.Employer = "Pied Piper"
	in := Input{
		Envelope: report.Envelope{PublicToken: link, InputSource: report.ConsumerInput}, Workflow: report.IncomeOnly,
		StatedEmployers: []string{"Globex Corp.", "Hooli", "Initech", "", "Pied Piper", "Globex Corp.", "The Company", "Umbrella"},
		Gathered: Gathered{
			Payroll: []Connected{works("g", "GLOBEX CORPORATION", "Side Job LLC"), failed, elsewhere, works("i", "")},
			Documents: []Document{
				{SourceID: "D", SourceUUID: "d", Type: report.VerifiedByDocument, Employer: "Hooli", Status: contract.StatusSuccess},
				{SourceID: "S", SourceUUID: "s", Type: report.VerifiedByPaystub, Employer: "Hooli", Status: contract.StatusBureauUnresponsive},
				{SourceID: "N", SourceUUID: "n", Type: report.VerifiedByDocument, Status: contract.StatusSuccess},
			},
			Skipped: map[string]string{"Initech": "NO_LONGER_EMPLOYED", "Unlisted": "OTHER"},
		},
	}
	r := Build(in, asOf)
	var got []string
	for _, e := range r.StatedEmployers {
		line := e.Name + ":"
		for _, s := range e.VerificationSources {
			line += fmt.Sprintf(" %s/%s %s %s %s;", s.SourceID, s.SourceUUID, s.SourceType, s.Status, report.Text(s.Substatus))
		}
		if e.SkippedReason != nil {
			line += " skipped " + *e.SkippedReason
		}
		got = append(got, line)
	}
	want := []string{
		"Globex Corp.: G/g PAYROLL SUCCESS ;",
		"Hooli: F/f PAYROLL SUPPLIER_UNRESPONSIVE WIDGET_SESSION_EXPIRED; D/d DOCUMENT SUCCESS ; S/s PAYSTUB BUREAU_UNRESPONSIVE ;",
		"Initech: skipped NO_LONGER_EMPLOYED",
		"Pied Piper: E/e PAYROLL SUCCESS ;",
		"The Company:",
		"Umbrella:",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stated employers (-want +got):\n%s", diff)
	}

	// A job has the stated name that it is most like, whatever employer it was connected for.
	got = nil
	for _, e := range r.Employment {
		line := report.Text(e.EmployerName) + ":"
		for _, n := range e.Matching.EmployerName.Matched {
			line += " " + n.StatedEmployer
		}
		if n := len(e.Matching.EmployerName.Unmatched) + len(e.Matching.EmployerName.Matched); n != 6 {
			t.Errorf("%s is held against %d names", line, n)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff([]string{"GLOBEX CORPORATION: Globex Corp.", "Side Job LLC:", "Vandelay Industries:"}, got); diff != "" {
		t.Errorf("employment (-want +got):\n%s", diff)
	}
}

// TestPaystubEmployers checks that a pay stub counts for the employer that it was uploaded
// for, or else for the one that it shows, and that the newest one is the employment.
func TestPaystubEmployers(t *testing.T) {
	stub := func(id, employer, paid string, status contract.Status) Document {
		who, on := "Ana Núñez", day(paid)
		return Stub(income.Paystub{ID: id, SourceID: strings.ToUpper(id), Status: status, Employer: employer,
			Stub: report.Paystub{EmployeeName: &who, PayDate: &on, HireDate: &on}})
	}
	elsewhere := stub("e", "Vandelay", "2026-02-01", contract.StatusSuccess)
	elsewhere.Employer = "Hooli"
	in := Input{
		Envelope: report.Envelope{PublicToken: link, InputSource: report.ConsumerInput}, Consumer: &bankdata.Person{FirstName: "Ana",
			LastName: "Núñez"},
		StatedEmployers: []string{"Globex", "Hooli", "Initech"},
		Gathered: Gathered{Documents: []Document{stub("a", "GLOBEX INC", "2026-01-01", contract.StatusSuccess),
			stub("b", "GLOBEX INC", "2026-02-01", contract.StatusSuccess), elsewhere,
			stub("n", "", "2026-02-01", contract.StatusSuccess), stub("u", "Initech", "2026-02-01", contract.StatusNotAuthenticated)}},
	}
	r := Build(in, asOf)
	var got []string
	for _, e := range r.StatedEmployers {
		line := e.Name + ":"
		for _, s := range e.VerificationSources {
			line += " " + s.SourceID + " " + s.SourceType + " " + string(s.Status)
		}
		got = append(got, line)
	}
	for _, e := range r.Employment {
		line := fmt.Sprint("job ", *e.EmployerName, " ", e.SourceID, " ", e.HireDate, " ",
			len(e.Matching.DirectDeposits.Matched)+len(e.Matching.DirectDeposits.Unmatched))
		for _, n := range e.Matching.EmployerName.Matched {
			line += " " + n.StatedEmployer
		}
		got = append(got, line)
	}
	for _, s := range r.Identities[0].Matching.FullName.Matched {
		got = append(got, "same name "+s.SourceID)
	}
	want := []string{
		"Globex: A PAYSTUB SUCCESS B PAYSTUB SUCCESS", "Hooli: E PAYSTUB SUCCESS", "Initech: U PAYSTUB NOT_AUTHENTICATED",
		"job GLOBEX INC B 2026-02-01 0 Globex", "job Vandelay E 2026-02-01 0", "same name A", "same name B", "same name E", "same name N",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	in.Workflow = report.AssetsOnly
	if r := Build(in, asOf); r.Employment != nil || len(r.Identities) != 1 || r.Checks[report.CheckDocuments].Value == nil {
		t.Errorf("where assets alone are verified: %+v", r)
	}
}

func TestEmploymentItem(t *testing.T) {
	ended, hired := day("2025-11-30"), day("2020-05-04")
	c := works("p", "Globex")
	j := &c.Payroll.Jobs[0]
	j.Address = income.Address{Line1: "1 Main Street", Line2: "Floor 2", City: "Austin", State: "TX"}
	j.Title, j.Ended = "Analyst", &ended
	only := func() report.EligibilityEmployment {
		all := Build(Input{Envelope: labels, Gathered: Gathered{Payroll: []Connected{c}}}, asOf).Employment
		if len(all) != 1 {
			t.Fatalf("employment is %+v", all)
		}
		return all[0]
	}
	if e := only(); e.TerminationDate != nil || !e.HireDate.Equal(hired.Time) || *e.BasePayRate != 24_000_00 || *e.BasePayPeriod != "SALARY" ||
		*e.EmployerLine1 != "1 Main Street" || *e.EmployerLine2 != "Floor 2" || *e.EmployerCity != "Austin" ||
		*e.EmployerState != "TX" || *e.JobTitle != "Analyst" {
		t.Errorf("an active job is %+v", e)
	}
	j.Status, j.Rate = report.EmploymentTerminated, 0
	if e := only(); e.TerminationDate == nil || !e.TerminationDate.Equal(ended.Time) || e.BasePayRate != nil || e.BasePayPeriod != nil {
		t.Errorf("one that ended is %+v", e)
	}
}

func TestDirectDepositMatching(t *testing.T) {
	account := func(id, number, institution string) bankdata.Account {
		return bankdata.Account{ID: id, Type: report.CashEquivalent, Number: number, Institution: institution}
	}
	data := bank(account("a", "000412887301", "Harbor National Bank"), account("b", "7301", "Harbor National Bank"),
		account("c", "551204466", "Lakeshore Bank and Trust"),
		account("d", "", "Harbor National Bank"), account("e", "991204466", "First Federal"))
	data.Connections[0].Accounts[1].Number = "99997302"
	invested := account("f", "123409903", "Lakeshore Bank and Trust")
	invested.Type = report.Investment
	data.Connections[0].Accounts = append(data.Connections[0].Accounts, invested)
	for name, c := range map[string]struct {
		deposit income.Deposit
		want    string // account id; empty: not matched
	}{
		"the same":                     {income.Deposit{Institution: "Harbor National Bank", Mask: "7301"}, "a"},
		"another spelling of the bank": {income.Deposit{Institution: "HARBOR NATL BANK", Mask: "7302"}, "b"},
		"another bank":                 {income.Deposit{Institution: "Prairie Federal Bank", Mask: "7301"}, ""},
		"other digits":                 {income.Deposit{Institution: "Harbor National Bank", Mask: "0000"}, ""},
		"no digits":                    {income.Deposit{Institution: "Harbor National Bank"}, ""},
		"nothing":                      {income.Deposit{}, ""},
		"unique digits without a bank": {income.Deposit{Mask: "7302"}, "b"},
		"digits of two accounts":       {income.Deposit{Mask: "4466"}, ""},
		"digits of two accounts in different banks": {income.Deposit{Institution: "Lakeshore Bank & Trust", Mask: "4466"}, "c"},
		"an investment account":                     {income.Deposit{Institution: "Lakeshore Bank and Trust", Mask: "9903"}, "f"},
	} {
		p := works("p", "Globex")
		p.Payroll.Jobs[0].Deposits = []income.Deposit{c.deposit}
		m := Build(Input{Envelope: labels, Bank: data, Gathered: Gathered{Payroll: []Connected{p}}}, asOf).Employment[0].Matching.DirectDeposits
		switch {
		case c.want == "" && (len(m.Matched) != 0 || len(m.Unmatched) != 1 || report.Text(m.Unmatched[0].TruncatedNumber) != c.deposit.Mask ||
			report.Text(m.Unmatched[0].InstitutionName) != c.deposit.Institution):
			t.Errorf("%s: %+v, want none matched", name, m)
		case c.want != "" && (len(m.Matched) != 1 || len(m.Unmatched) != 0 || m.Matched[0].AccountID != c.want ||
			report.Text(m.Matched[0].TruncatedNumber) != c.deposit.Mask):
			t.Errorf("%s: %+v, want %s", name, m, c.want)
		}
	}
}

func TestPayrollItem(t *testing.T) {
	c := works("p", "Globex")
	got := Build(Input{Envelope: labels, Workflow: report.IncomeOnly, Gathered: Gathered{Payroll: []Connected{c}}}, asOf).Income.Payroll[0]
	if *got.AnnualGross != 24_000_00 || *got.AnnualNet != 18_000_00 || *got.PayFrequency != "MONTHLY" ||
		got.GigsAnnualGross != nil || len(got.Gigs) != 0 {
		t.Errorf("a year of a job is %+v", got)
	}
	if len(got.Statements) != 12 || got.Statements[0].PayDate.String() != "2026-02-28" ||
		got.Statements[11].PayDate.String() != "2025-03-31" || *got.Statements[0].HoursWorked != 160_00 {
		t.Errorf("statements are %+v", got.Statements)
	}
	years, _ := report.Encode(got.Calendar)
	want := `[{"year":"2026","calendar_year_gross_income":4000.00,"calendar_year_net_income":3000.00},{"year":"2025",` +
		`"calendar_year_gross_income":24000.00,"calendar_year_net_income":18000.00}]`
	if string(years) != want {
		t.Errorf("by calendar year: %s", years)
	}
	early := c
	early.Payroll.Jobs = append([]income.Job{}, c.Payroll.Jobs...)
	early.Payroll.Jobs[0].Statements = append([]income.Statement{{PayDate: day("2026-03-11"), Gross: 1, GrossYTD: 1}},
		c.Payroll.Jobs[0].Statements...)
	if same := Build(Input{Envelope: labels, Workflow: report.IncomeOnly, Gathered: Gathered{Payroll: []Connected{early}}},
		asOf).Income.Payroll[0]; !cmp.Equal(got, same) {
		t.Errorf("a payment after the fetch date changes it:\n%s", cmp.Diff(got, same))
	}
	none := c
	none.Payroll.Jobs = []income.Job{{Employer: "Globex"}}
	raw, _ := report.Encode(Build(Input{Envelope: labels, Gathered: Gathered{Payroll: []Connected{none}}}, asOf).Income)
	if strings.Contains(string(raw), "calendar_summary") || !strings.Contains(string(raw), `"statements":[]`) {
		t.Errorf("without statements: %s", raw)
	}
}

func TestGigSummaries(t *testing.T) {
	hired := day("2022-01-01")
	j := income.Job{Employer: "Zipporah Rides", Hired: &hired, Frequency: report.PayWeekly}
	for _, w := range []struct {
		start, end, paid string
		count            int
		hours            int64
	}{
		{"2026-01-26", "2026-02-01", "2026-02-06", 10, 20_50}, {"2026-02-02", "2026-02-08", "2026-02-13", 5, 0},
		{"2026-01-19", "2026-01-25", "2026-01-30", 7, 12_00},
		{"2025-02-24", "2025-03-02", "2025-03-10", 99, 1}, // paid a year ago to the day: no longer
	} {
		j.Statements = append(j.Statements, income.Statement{PayDate: day(w.paid), Start: day(w.start),
			End: day(w.end), Hours: w.hours, Gross: 100_00, Net: 80_00,
			Gig: &income.Gig{Count: w.count, Tips: 10_00, Bonuses: 5_00, Fees: 20_00}})
	}
	c := Connected{Payroll: income.Payroll{ID: "z", SourceID: "Z", Provider: "Zipporah Rides",
		Type: income.ProviderGig, Jobs: []income.Job{j}}}
	got := Build(Input{Envelope: labels, Gathered: Gathered{Payroll: []Connected{c}}}, asOf).Income.Payroll[0]
	raw, _ := report.Encode(got.Gigs)
	want := `[{"platform_name":"Zipporah Rides","period_start":"2026-01-26","period_end":"2026-02-08","gig_count":15,` +
		`"hours_worked":20.50,"gross_earnings":200.00,"tips":20.00,"bonuses":10.00,"fees":40.00,"deposited_amount":160.00},` +
		`{"platform_name":"Zipporah Rides","period_start":"2026-01-19","period_end":"2026-01-25","gig_count":7,` +
		`"hours_worked":12.00,"gross_earnings":100.00,"tips":10.00,"bonuses":5.00,"fees":20.00,"deposited_amount":80.00}]`
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Error(diff)
	}
	if *got.GigsAnnualGross != 300_00 || *got.GigsAnnualDeposited != 240_00 || *got.GigsAnnualNet != 240_00 || *got.AnnualGross != 300_00 {
		t.Errorf("a year of gigs is %+v", got)
	}
}
