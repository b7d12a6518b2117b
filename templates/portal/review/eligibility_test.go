package review

import (
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/templates/ui"
)

// madeEligibility is an eligibility report of everything.
func madeEligibility() EligibilityView {
	uuid := contract.Null("u-bank")
	hired, paid := on("2021-10-01"), on("2026-02-27")
	sub := contract.SubMFARequired
	return EligibilityView{Case: Case{ApplicationID: "11111111-1111-4111-8111-111111111111"}, Report: &report.Eligibility{
		Meta: madeMeta(), Product: &report.Product{Name: "Eligibility", ProductID: madeToken, InquiryType: "PERSONAL"},
		StatedEmployers: []report.StatedEmployer{
			{Name: "Tern & Sons", InputMethod: report.ConsumerInput, VerificationSources: []report.VerificationSource{
				{SourceID: "PAY_ONE", SourceType: "PAYROLL", Status: contract.StatusSuccess}}},
			{Name: "Heron", InputMethod: report.ConsumerInput, VerificationSources: []report.VerificationSource{
				{SourceID: "PAY_TWO", SourceType: "PAYROLL", Status: contract.StatusNotAuthenticated, Substatus: &sub}}},
			{Name: "Stork", InputMethod: report.ConsumerInput, SkippedReason: contract.Null("NO_LONGER_EMPLOYED")},
			{Name: "Egret", InputMethod: report.ConsumerInput}},
		Identities: []report.EligibilityIdentity{
			{SourceID: report.ConsumerInput, FullName: contract.Null("Ana Núñez"), Matching: &report.EligibilityMatching{
				FullName: report.ConnectionMatching{Matched: []report.ConnectionRef{{SourceID: "BANK_ONE", SourceUUID: uuid}}}}},
			{SourceID: "BANK_ONE", SourceUUID: uuid, FullName: contract.Null("ANA NUNEZ")}},
		Employment: []report.EligibilityEmployment{{SourceID: "PAY_ONE", EmployerName: contract.Null("Tern <Inc>"),
			HireDate: &hired, BasePayRate: c(21_50), BasePayPeriod: contract.Null(report.PayHourly),
			Matching: report.EmployerMatches{EmployerName: report.EmployerNameMatching{
				Matched: []report.StatedName{{StatedEmployer: "Tern & Sons"}}},
				DirectDeposits: &report.DirectDepositsMatching{Matched: []report.MatchedDeposit{
					{AccountID: "a1", TruncatedNumber: contract.Null("4321"), InstitutionName: contract.Null("First Bank")}},
					Unmatched: []report.UnmatchedDeposit{{TruncatedNumber: contract.Null("9876"), InstitutionName: contract.Null("Hidden Bank")}}}}}},
		Assets: &report.Assets{
			AccountDetails: []report.AssetAccount{{SourceID: "BANK_ONE", AccountID: "a1", InstitutionName: contract.Null("First Bank"),
				AccountName: contract.Null("Savings"), TruncatedNumber: contract.Null("4321"),
				AccountSubtype: contract.Null("SAVINGS"), CurrentBalance: c(5_000_00), AverageBalance: c(4_000_00), IncomeFromAssets: c(12_34)}},
			Inflows:       []report.Inflow{{InflowID: "i1", Description: "TERN", AnnualIncome: c(40_000_00), AccountID: "a1"}},
			MatchedIncome: []report.MatchedIncomeSource{{StatedEmployer: "Tern & Sons", MatchedInflowID: "i1"}},
			Failed: []report.FailedConnection{{SourceID: "BANK_TWO", InstitutionName: contract.Null("Broken Bank"),
				Status: contract.StatusNotAuthenticated, Substatus: &sub, FailedAt: madeMeta().CreatedAt}}},
		Income: &report.EligibilityIncome{Payroll: []report.EligibilityPayroll{{SourceID: "PAY_ONE",
			ProviderName: contract.Null("Abacus"), ProviderType: contract.Null("GIG_PLATFORM"), AnnualGross: c(44_720_00), AnnualNet: c(36_000_00),
			PayFrequency: contract.Null(report.PayWeekly), GigsAnnualGross: c(1_000_00),
			Gigs:       []report.GigSummary{{PlatformName: contract.Null("Rides"), Tips: c(7_77)}},
			Calendar:   []report.CalendarYear{{Year: "2025", Gross: c(44_000_00)}},
			Statements: []report.EligibilityStatement{{PayDate: &paid, HoursWorked: c(38_50), GrossTotal: c(860_00)}}}}},
		Documents: []report.EligibilityDocument{{SourceID: "BANK_ONE", DocumentType: report.BankTransactionsDocument,
			SourceFilepath: "u-bank/transactions.json"}},
		Checks: map[string]report.Check{report.CheckEmployers: {Value: b(false)}, report.CheckAssets: {Value: b(true)},
			report.CheckDocuments: {Value: b(true)}, report.CheckSixMonths: {}}}}
}

func eligibilityPage(t *testing.T, l i18n.Lang, v EligibilityView) string {
	t.Helper()
	return render(t, ReportPage(ui.Page{Lang: l}, decide(v)))
}

func TestEligibilityPageShowsTheSources(t *testing.T) {
	v := madeEligibility()
	page := eligibilityPage(t, i18n.English, v)
	mustHave(t, page, i18ntest.EN("review.employers_real.some", "verified", "1", "all", "4")+", "+
		i18ntest.EN("review.employers_real.skipped", "n", "1")+", "+
		i18ntest.EN("review.employers_real.tried", "n", "1")+", "+i18ntest.EN("review.employers_real.open", "n", "1")+".",
		i18ntest.EN("review.skip_reasons.NO_LONGER_EMPLOYED"),
		i18ntest.EN("statuses.NOT_AUTHENTICATED")+" · "+i18ntest.EN("substatuses.MFA_REQUIRED_ON_FETCH"),
		"Tern &lt;Inc&gt;", "$21.50 per hour", "Hidden Bank",
		i18ntest.EN("review.eligibility.is_not"), "$44,720.00", i18ntest.EN("review.frequencies.WEEKLY"),
		i18ntest.EN("review.providers.GIG_PLATFORM"), "Rides", "$7.77",
		"38.5", "2025", "$12.34", "Broken Bank", i18ntest.EN("review.completeness.EMPLOYERS_VERIFIED_OR_SKIPPED"),
		i18ntest.EN("review.assets_real.same"), i18ntest.EN("review.documents.readable"),
		"/files/"+FileRef("u-bank/transactions.json"), i18ntest.EN("review.codes.BANK_TRANSACTION"), "/report.csv", "1 of 4")
	mustNotHave(t, page, "u-bank/transactions", "months.csv")
	mustHave(t, eligibilityPage(t, i18n.Spanish, v), "1 de 4 empleadores indicados verificados",
		i18ntest.ES("review.skip_reasons.NO_LONGER_EMPLOYED"),
		i18ntest.ES("review.pay_periods.HOURLY"), i18ntest.ES("review.eligibility.is_not"),
		i18ntest.ES("review.completeness.SIX_MONTHS_HISTORY_AVAILABLE"))
}

func TestEligibilityNodes(t *testing.T) {
	v := madeEligibility()
	v.Report.Assets, v.Report.Checks = nil, nil
	mustNotHave(t, eligibilityPage(t, i18n.English, v), "Assets", "Inflows", i18ntest.EN("review.eligibility.failed"),
		i18ntest.EN("review.eligibility.held"), i18ntest.EN("review.eligibility.checks"), i18ntest.EN("review.ask.assets"))
	v = madeEligibility()
	v.Report.StatedEmployers, v.Report.Employment, v.Report.Income = nil, nil, nil
	page := eligibilityPage(t, i18n.English, v)
	mustNotHave(t, page, i18ntest.EN("review.eligibility.employers"), i18ntest.EN("review.eligibility.employment"), "Payroll",
		"report.csv", i18ntest.EN("review.ask.employer")+"<", i18ntest.EN("review.eligibility.employers_short"))
	mustHave(t, page, i18ntest.EN("review.eligibility.held"), i18ntest.EN("review.eligibility.checks"))
	v.Report = &report.Eligibility{Meta: madeMeta(), Assets: &report.Assets{}}
	page = eligibilityPage(t, i18n.English, v)
	mustHave(t, page, i18ntest.EN("review.assets_real.no_account"))
	mustNotHave(t, page, `class="keys"`, `href="#failed"`)
}

// TestPayrollEmployers checks that two jobs of one connection have the titles of their employers, once each and with
// one legal form, and that jobs which cannot be told apart have the title of their connection.
func TestPayrollEmployers(t *testing.T) {
	lake, learning := contract.Null("Great Lakes, Inc."), contract.Null("Lantern Learning")
	e := madeEligibility()
	job := e.Report.Employment[0]
	e.Report.Employment, e.Report.Income.Payroll = nil, append(e.Report.Income.Payroll, e.Report.Income.Payroll...)
	i := madeIncome()
	i.Report.Employment, i.Report.Income.Payroll = nil, append(i.Report.Income.Payroll, i.Report.Income.Payroll...)
	e.Report.Income.Payroll[0].ProviderName = contract.Null("GREAT LAKES")
	i.Report.Income.Payroll[0].ProviderName = contract.Null("GREAT LAKES")
	for _, name := range []*string{lake, learning} {
		job.EmployerName = name
		e.Report.Employment = append(e.Report.Employment, job)
		i.Report.Employment = append(i.Report.Employment, report.Employment{SourceID: "PAY_ONE", EmployerName: name})
	}
	title := func(s string) string { return "<h3>" + s + "</h3>" }
	payroll := func(page string) string { return page[strings.Index(page, `id="payroll"`):] }
	for _, page := range []string{eligibilityPage(t, i18n.English, e), incomePage(t, i18n.English, i)} {
		mustHave(t, payroll(page), title("Great Lakes, Inc."), title("Lantern Learning · Abacus"))
	}
	e.Report.Employment = append(e.Report.Employment, job)
	mustHave(t, payroll(eligibilityPage(t, i18n.English, e)), title("GREAT LAKES"), title("Abacus"))
}
