package review

import (
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/templates/ui"
)

func c(amount report.Cents) *report.Cents { return &amount }
func n(amount int64) *int64               { return &amount }
func b(value bool) *bool                  { return &value }

func madeMeta() *report.Meta {
	return &report.Meta{PublicToken: madeToken, CreatedAt: report.TimestampOf(on("2026-03-10").Time),
		APIVersion: "2.0.0", Status: contract.StatusSuccess}
}

// madeIncome is an income report of everything: a bank, a payroll and two pay stubs,
// of which one was altered.
func madeIncome() IncomeView {
	bank, slips := contract.Null("r-bank"), contract.Null("r-stub")
	hired, paid := on("2021-10-01"), on("2026-02-27")
	gross := make([]*report.Cents, 12)
	net := make([]*report.Cents, 12)
	gross[9], net[9] = c(1_000_00), c(800_00)     // March, begun
	gross[10], net[10] = c(4_000_00), c(3_100_00) // February
	return IncomeView{Case: Case{ApplicationID: "11111111-1111-4111-8111-111111111111"}, Report: &report.Income{
		Meta: madeMeta(), Product: &report.Product{Name: "Income <report>", ProductID: madeToken, InquiryType: "PERSONAL"},
		Sources: []report.Source{{SourceID: "BANK_ONE", SourceType: "BANK_TRANSACTION", Status: contract.StatusSuccess},
			{SourceID: "PAYSTUB", SourceType: report.SourcePaystub, Status: contract.StatusError}},
		Identities: []report.IncomeIdentity{
			{SourceID: report.ConsumerInput, FullName: contract.Null("Ana <Núñez>"),
				Matching: &report.IncomeMatching{FullName: report.RecordMatching{
					Matched:   []report.RecordRef{{SourceID: "BANK_ONE", SourceRecordID: bank}},
					Unmatched: []report.RecordRef{{SourceID: "PAYSTUB", SourceRecordID: slips}}}}},
			{SourceID: "BANK_ONE", SourceRecordID: bank, FullName: contract.Null("ANA NUNEZ")},
			{SourceID: "PAYSTUB", SourceRecordID: slips, FullName: contract.Null("A. Stranger")}},
		Employment: []report.Employment{
			{SourceID: report.ConsumerInput, EmployerName: contract.Null("Tern & Sons"),
				Matching: &report.EmploymentMatching{EmployerName: report.RecordMatching{
					Matched:   []report.RecordRef{{SourceID: "BANK_ONE", SourceRecordID: bank}},
					Unmatched: []report.RecordRef{{SourceID: "PAYSTUB", SourceRecordID: slips}}}}},
			{SourceID: "BANK_ONE", SourceRecordID: bank, EmployerName: contract.Null("TERN"),
				Status: contract.Null(report.EmploymentActive), EstimatedHireDate: &hired},
			{SourceID: "PAYSTUB", SourceRecordID: slips, EmployerName: contract.Null("Heron Ltd"),
				Type: contract.Null(report.EmploymentFullTime), EmployerCity: contract.Null("Austin")}},
		Income: &report.IncomeNode{Summary: report.IncomeSummary{AnnualGross: c(50_000_50), AnnualNet: c(40_000_00)},
			FinancialAccounts: []report.FinancialAccount{{SourceIDs: []string{"BANK_ONE"}, ModelVersion: "2.0",
				ModelType: report.ModelIncome, Descriptions: []string{"TERN <PAY>"}, IsConsistent: true,
				NetRecent: n(44_000), GrossRecent: n(55_000), NetAnnual: n(40_000), GrossAnnual: n(50_000),
				MatchedIncome: &report.MatchedIncome{StatedEmployer: contract.Null("Tern & Sons"), StatedAnnualIncome: n(100_000),
					Description: contract.Null("TERN <PAY>"), Net: n(40_000), Gross: n(50_000)},
				History: []report.IncomeYear{{Year: 2026, Gross: gross, Net: net},
					{Year: 2025, Gross: []*report.Cents{c(3_900_00)}, Net: []*report.Cents{c(3_000_00)}}},
				IncomeSuite2: &report.IncomeSuite2{PrimaryAccountDetected: false, JobIrregularityRisk: contract.Null(report.RiskMedium),
					Inflows: []report.Inflow{{InflowID: "i1", Description: "TERN <PAY>", AnnualIncome: c(40_000_00),
						RecentIncome: c(44_000_00), AccountID: "a1"}, {InflowID: "i2", Description: "SIDE GIG", AccountID: "a9"}},
					MatchedIncomeSources: []report.MatchedIncomeSource{{StatedEmployer: "Tern & Sons", MatchedInflowID: "i1"}}}}},
			Payroll: []report.Payroll{{SourceID: "PAY_ONE", ProviderName: contract.Null("Abacus"),
				AnnualSalaryRate: c(48_000_00), PayFrequency: contract.Null(report.PaySemiMonthly),
				Statements: []report.Statement{{PayDate: &paid, GrossTotal: c(2_000_00), GrossTotalYTD: c(8_000_00), NetTotal: c(1_550_00)}}}},
			Paystubs: []report.Paystub{
				{SourceID: "PAYSTUB", SourceFilepath: "s-1/paystub.pdf", EmployeeName: contract.Null("A. Stranger"), PayDate: &paid,
					PaystubAmounts: report.PaystubAmounts{GrossTotal: c(2_000_00), NetTotal: c(2_100_00), MedicareTax: c(29_00)},
					ConsistencyChecks: map[string]report.ConsistencyCheck{"NET_PAY_LESS_THAN_OR_EQUAL_TO_GROSS_PAY": {Value: b(false)},
						"EMPLOYEE_NAME_EXISTS": {Value: b(true)}, "NEW_CHECK": {}},
					IrregularityDetection: report.IrregularityDetection{Status: report.IrregularityDetected,
						Reasons: []string{"INCREMENTAL_UPDATE", "NEW_REASON"}, FileType: contract.Null(report.FilePDF), GenuinePDF: b(false)}},
				{SourceID: "PAYSTUB", SourceFilepath: "s-1/paystub.png", IrregularityDetection: report.IrregularityDetection{
					Status: report.IrregularityNotDetected, FileType: contract.Null(report.FileImage)}}},
			Revised: &report.RevisedValues{GrossAnnual: n(51_000)}},
		AccountDetails: []report.IncomeAccount{{SourceID: "BANK_ONE", AccountID: "a1", InstitutionName: contract.Null("First Bank"),
			TruncatedNumber: contract.Null("4321"), AccountType: report.CashEquivalent,
			CurrentBalance: c(-12_05), Addresses: []report.IncomeAddress{{City: contract.Null("Springfield"), State: contract.Null("IL")}}}},
		Notices: []report.ConsumerNotice{{Description: "You may <dispute> this."}}}}
}

func incomePage(t *testing.T, l i18n.Lang, v IncomeView, stated ...prefill.Fields) string {
	t.Helper()
	return render(t, ReportPage(ui.Page{Lang: l}, decide(v, stated...)))
}

func mustHave(t *testing.T, page string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if hit := inline.FindString(page); hit != "" {
		t.Errorf("the page has %q", hit)
	}
}

func mustNotHave(t *testing.T, page string, absent ...string) {
	t.Helper()
	for _, s := range absent {
		if strings.Contains(page, s) {
			t.Errorf("%q is on the page", s)
		}
	}
}

func TestIncomePageShowsTheSources(t *testing.T) {
	v := madeIncome()
	file := "/review/applications/" + v.ApplicationID + "/files/"
	mustHave(t, incomePage(t, i18n.English, v), "$50,000.50", "$55,000", i18ntest.EN("review.income_change.up", "percent", "10"),
		"50% was found", "Medium", "$100,000", "$51,000",
		"Income in 2 of the last 3 full months. Average: $2,633.33 gross, $2,033.33 net. "+
			"Highest in Feb 2026 ($3,100.00), lowest in Jan 2026 (unknown).",
		"Mar 2026: gross $1,000.00, net $800.00 ("+i18ntest.EN("review.report.part")+")", "TERN &lt;PAY&gt;",
		i18ntest.EN("review.income.unmatched"), i18ntest.EN("review.report.ending"), "−$12.05", "Springfield, IL",
		i18ntest.EN("review.employer_real.found", "employer", "Tern &amp; Sons"),
		"doesn’t match every source", i18ntest.EN("review.stubs.altered", "n", "1", "all", "2"),
		i18ntest.EN("review.irregularities.INCREMENTAL_UPDATE"), "NEW_REASON",
		i18ntest.EN("review.stub_checks.NET_PAY_LESS_THAN_OR_EQUAL_TO_GROSS_PAY"),
		"NEW_CHECK", i18ntest.EN("review.stub.unchecked"), i18ntest.EN("review.stub.not_genuine"),
		file+FileRef("s-1/paystub.pdf"), file+FileRef("s-1/paystub.png"), "Abacus", i18ntest.EN("review.frequencies.SEMI_MONTHLY"), "$8,000.00",
		"(estimated)", i18ntest.EN("review.employment_values.fulltime"), "You may &lt;dispute&gt; this.", i18ntest.EN("review.report.whole"),
		"/report.csv", "/months.csv", "/files\"", "Income &lt;report&gt;")
	mustHave(t, incomePage(t, i18n.Spanish, v), i18ntest.ES("review.stubs.altered", "n", "1", "all", "2"),
		i18ntest.ES("review.income_change.up", "percent", "10"),
		"Ingresos en 2 de los últimos 3 meses completos.",
		i18ntest.ES("review.irregularities.INCREMENTAL_UPDATE"), i18ntest.ES("review.stub_checks.NET_PAY_LESS_THAN_OR_EQUAL_TO_GROSS_PAY"),
		i18ntest.ES("review.frequencies.SEMI_MONTHLY"), i18ntest.ES("review.finding.against"), "mar 2026")
	page := incomePage(t, i18n.English, v)
	if strings.Contains(page, "s-1/paystub") {
		t.Error("the page names a file by its path")
	}
	// Failed checks are listed before passed checks.
	if strings.Index(page, i18ntest.EN("review.stub_checks.NET_PAY_LESS_THAN_OR_EQUAL_TO_GROSS_PAY")) > strings.Index(page,
		i18ntest.EN("review.stub_checks.EMPLOYEE_NAME_EXISTS")) {
		t.Error("a passed check is listed before a failed check")
	}
}

func TestSparseIncomeReport(t *testing.T) {
	v := madeIncome()
	v.Report = &report.Income{Meta: madeMeta()}
	sub := contract.SubNoRecentInformation
	v.Report.Meta.Substatus = &sub
	page := incomePage(t, i18n.English, v)
	mustHave(t, page, i18ntest.EN("review.income_real.none"), i18ntest.EN("review.report.no_data"), i18ntest.EN("review.report.about"))
	mustNotHave(t, page, "plot", "months.csv", "report.csv", i18ntest.EN("review.income.from_stubs"), "Payroll",
		"Employment</h2>", "Accounts</h2>",
		"Identity</h2>", "Sources</h2>", `class="keys"`, i18ntest.EN("review.ask.documents"))

	v = madeIncome()
	v.Report.Income.FinancialAccounts[0].IncomeSuite2, v.Report.Income.FinancialAccounts[0].MatchedIncome = nil, nil
	v.Report.Income.FinancialAccounts[0].History = []report.IncomeYear{{Year: 2026}}
	mustNotHave(t, incomePage(t, i18n.English, v), i18ntest.EN("review.income.primary"), i18ntest.EN("review.income.risk"),
		i18ntest.EN("review.income.stated"), i18ntest.EN("review.income.unmatched"), "plot", "months.csv")
}

// TestUnreadPayStub checks that a pay stub of which nothing was read shows its reason,
// and neither empty facts nor failed checks.
func TestUnreadPayStub(t *testing.T) {
	v := madeIncome()
	check, reason := i18ntest.EN("review.stub_checks.EMPLOYEE_NAME_EXISTS"), i18ntest.EN("review.irregularities.IMAGE_NOT_READ")
	stub := &v.Report.Income.Paystubs[1]
	stub.IrregularityDetection.Reasons = []string{"IMAGE_NOT_READ"}
	stub.ConsistencyChecks = map[string]report.ConsistencyCheck{"EMPLOYEE_NAME_EXISTS": {Value: b(false)}}
	v.Report.Income.Paystubs = v.Report.Income.Paystubs[1:]
	page := incomePage(t, i18n.English, v)
	mustHave(t, page, reason)
	mustNotHave(t, page, check, "stub-amounts")
	v.Report.Income.Paystubs[0].EmployeeName = contract.Null("A. Stranger") // a part was read
	mustHave(t, incomePage(t, i18n.English, v), reason, check)
}

func TestIncomeMonths(t *testing.T) {
	for _, tc := range []struct {
		name        string
		years       []report.IncomeYear
		first, last string
		count       int
	}{
		{"none", nil, "", "", 0},
		{"years without data", []report.IncomeYear{{Year: 2026, Gross: make([]*report.Cents, 12)}}, "", "", 0},
		{"a December alone", []report.IncomeYear{{Year: 2025, Gross: []*report.Cents{c(1)}}}, "2025-12", "2025-12", 1},
		{"across years, whatever their order", []report.IncomeYear{{Year: 2025, Net: []*report.Cents{c(1)}},
			{Year: 2026, Net: append(make([]*report.Cents, 9), c(1), nil, c(2))}}, "2025-12", "2026-03", 4},
		{"more than twelve values", []report.IncomeYear{{Year: 2025, Net: append(make([]*report.Cents, 12), c(1))}}, "", "", 0},
	} {
		got := IncomeMonths(report.FinancialAccount{History: tc.years})
		if len(got) != tc.count || tc.count > 0 && (got[0].Month.Format("2006-01") != tc.first ||
			got[len(got)-1].Month.Format("2006-01") != tc.last) {
			t.Errorf("%s: %+v", tc.name, got)
		}
	}
}

// TestSummariesOfOne: one pay statement and one failed check are named in the singular.
func TestSummariesOfOne(t *testing.T) {
	payroll := report.Payroll{Statements: []report.Statement{{}}}
	v := verdict.OfIncome(&report.Income{Income: &report.IncomeNode{Payroll: []report.Payroll{payroll}}}, prefill.Fields{})
	if got, want := say(i18n.English, v.Findings[0].Answer...), "Payroll has 1 pay stub for this income."; got != want {
		t.Errorf("one pay statement reads %q, want %q", got, want)
	}
	broken := false
	stub := report.Paystub{ConsistencyChecks: map[string]report.ConsistencyCheck{"EMPLOYEE_NAME_EXISTS": {Value: &broken}}}
	v = verdict.OfIncome(&report.Income{Income: &report.IncomeNode{Paystubs: []report.Paystub{stub}}}, prefill.Fields{})
	if got, want := say(i18n.Spanish, v.Stubs),
		"Sin irregularidades en los talones de pago, pero una comprobación no se cumple."; got != want {
		t.Errorf("one failed check reads %q, want %q", got, want)
	}
}

// TestFraudAlertIsFirst requires that a report of each kind shows the applicant's fraud alert at its top.
func TestFraudAlertIsFirst(t *testing.T) {
	const text = report.FraudAlert + " until 2027-02-19: the person asks."
	consumer := []report.ConsumerNotice{{Description: "Another notice."}, {Description: text}}
	for name, s := range map[string]sheet{
		"cashflow":    ReportView{Report: &report.Cashflow{Meta: &report.Meta{}, Notices: consumer}}.sheet(i18n.English),
		"income":      IncomeView{Report: &report.Income{Meta: &report.Meta{}, Notices: consumer}}.sheet(i18n.English),
		"eligibility": EligibilityView{Report: &report.Eligibility{Meta: &report.Meta{}, Notices: consumer}}.sheet(i18n.English),
		"passport": PassportView{Report: &report.Passport{Meta: &report.Meta{},
			Notices: []report.PassportNotice{{Description: text}}}}.sheet(i18n.English),
	} {
		if len(s.notices) == 0 || !strings.Contains(s.notices[0].text, text) {
			t.Errorf("%s: %+v", name, s.notices)
		}
	}
}
