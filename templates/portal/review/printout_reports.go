package review

import (
	"cmp"
	"strconv"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// printScore adds the newest score with its reasons.
func (v ReportView) printScore(p *printer) {
	if len(v.Report.Scores) == 0 {
		return
	}
	s := v.Report.Scores[len(v.Report.Scores)-1]
	card, why := v.card(s), i18n.Key("review.report.reasons")
	p.part("review.report.score")
	if s.Value == nil {
		why = "review.report.why_none"
		p.text(i18n.T(p.lang, "review.report.no_score"))
	} else if d, ok := dial(p.lang, s, card); ok {
		p.text(d.Label)
	} else {
		p.text(strconv.Itoa(*s.Value))
	}
	p.note(i18n.T(p.lang, "review.report.score_explained"))
	all := reasons(p.lang, s, card)
	if len(all) > 0 {
		p.minor(i18n.T(p.lang, why))
	}
	for _, r := range all {
		text := r.words
		for _, b := range r.bins {
			words, _ := v.currency().attributeWords(p.lang, b.Attribute, b.Description)
			text += " (" + words + ": " + binValue(p.lang, v.currency(), b) + ")"
		}
		p.item(text)
	}
}

// print adds the tables of a cashflow report.
func (v ReportView) print(p *printer) {
	l, r, a := p.lang, v.Report, v.Analysis
	p.section("review.report.accounts", v.accounts(l))
	if v.hasDays() {
		p.part("review.report.balances")
		p.text(balanceSummary(l, a, a.Total))
	}
	if v.hasMonths() {
		p.part("review.report.money")
		p.text(moneySummary(l, a))
		p.table(v.monthGrid(l))
	}
	if a != nil && len(a.Streams) > 0 {
		p.part("review.report.regular")
		for _, k := range streamKinds(a) {
			p.minor(i18n.T(l, k.title))
			if len(k.streams) == 0 {
				p.text(i18n.T(l, "review.report.no_streams"))
			}
			p.table(k.grid(l, v, false))
		}
	}
	if a != nil && len(a.Categories) > 0 {
		p.part("review.report.categories")
		for _, f := range flows(a) {
			p.minor(i18n.T(l, f.title) + ": " + f.in.format(f.total))
			p.table(f.grid(l, v))
		}
	}
	if a != nil {
		p.section("review.report.returned", v.returned(l))
	}
	p.section("review.report.identities", identityGrid(l, v.Decided()))
	p.section("review.report.sources", sourceGrid(l, r.Sources))
}

func (IncomeView) printScore(*printer) {}

// print adds the tables of an income report.
func (v IncomeView) print(p *printer) {
	l, r := p.lang, v.Report
	n := cmp.Or(r.Income, &report.IncomeNode{})
	p.section("review.report.employment", v.employment(l))
	for i, a := range n.FinancialAccounts {
		p.part("review.income.from_bank")
		if len(n.FinancialAccounts) > 1 {
			p.minor(i18n.T(l, "review.income.model") + " " + strconv.Itoa(i+1))
		}
		if len(plotMonths(a)) > 0 {
			p.text(incomeSummary(l, v, a))
		}
		p.facts(bankFacts(l, v.currency(), a))
		if a.IncomeSuite2 != nil && len(a.Inflows) > 0 {
			p.minor(i18n.T(l, "review.income.inflows"))
			p.table(inflowGrid(l, v.currency(), a.Inflows, a.MatchedIncomeSources, v.account(l)))
		}
		if len(IncomeMonths(a)) > 0 {
			p.minor(i18n.T(l, "review.income.history"))
			p.table(incomeMonthGrid(l, v, a))
		}
	}
	if len(n.Payroll) > 0 {
		p.part("review.income.from_payroll")
		for i, x := range n.Payroll {
			p.minor(jobTitle(l, v.PayrollEmployers()[i], x.ProviderName))
			p.facts(payrollFacts(l, x))
			p.table(statementGrid(l, x.Statements))
		}
	}
	if len(n.Paystubs) > 0 {
		p.part("review.income.from_stubs")
		for i, s := range n.Paystubs {
			p.stub(i, s)
		}
	}
	if n.Revised != nil {
		p.part("review.income.revised_values")
		p.facts(revisedFacts(l, v.summaryCurrency(), n.Revised))
	}
	p.section("review.report.identities", identityGrid(l, v.Decided()))
	p.section("review.report.accounts", incomeAccountGrid(l, r.AccountDetails))
	p.section("review.report.notices", noticeGrid(l, r.Notices))
	p.section("review.report.sources", sourceGrid(l, r.Sources))
}

// stub adds a pay stub: the findings about its file, what was read, and the checks.
func (p *printer) stub(i int, s report.Paystub) {
	l := p.lang
	_, words := irregularity(l, s.IrregularityDetection.Status)
	p.minor(stubTitle(l, i, s) + " · " + words)
	for _, r := range s.IrregularityDetection.Reasons {
		p.item(i18n.Code(l, "review.irregularities", r))
	}
	amounts := stubAmountGrid(l, s.PaystubAmounts, document{})
	if unread(s, amounts) {
		return
	}
	p.facts(stubFacts(l, s))
	p.table(amounts)
	bad, good := splitChecks(s.ConsistencyChecks)
	p.table(checkGrid(l, "review.stub.checks", bad, "review.stub_checks", report.PaystubChecks()))
	if len(good) > 0 {
		p.note(i18n.T(l, "review.stub.checks_hold", "n", strconv.Itoa(len(good)), "all", strconv.Itoa(len(bad)+len(good))))
	}
}

func (EligibilityView) printScore(*printer) {}

// print adds the tables of an eligibility report.
func (v EligibilityView) print(p *printer) {
	l, r, a := p.lang, v.Report, v.assets()
	p.section("review.eligibility.employers", v.employers(l))
	p.section("review.eligibility.checks",
		checkGrid(l, "review.eligibility.checks_caption", r.Checks, "review.completeness", report.CompletenessChecks()))
	if len(r.Employment) > 0 {
		p.part("review.eligibility.employment")
		for _, e := range r.Employment {
			p.minor(employerName(l, e.EmployerName))
			p.facts(jobFacts(l, e))
			if e.Matching.DirectDeposits != nil {
				p.table(depositGrid(l, e.Matching.DirectDeposits))
			}
		}
	}
	if len(v.payroll()) > 0 {
		p.part("review.income.from_payroll")
		for i, x := range v.payroll() {
			p.minor(jobTitle(l, v.PayrollEmployers()[i], x.ProviderName))
			p.facts(eligibilityPayrollFacts(l, x))
			p.table(calendarGrid(l, x.Calendar))
			p.table(gigGrid(l, x.Gigs))
			p.table(eligibilityStatementGrid(l, x.Statements))
		}
	}
	p.section("review.eligibility.assets", assetGrid(l, a.AccountDetails))
	p.section("review.income.inflows", inflowGrid(l, v.currency(), a.Inflows, a.MatchedIncome, v.account(l)))
	p.section("review.eligibility.failed", failedGrid(l, a.Failed))
	p.section("review.eligibility.documents", v.documents(l))
	p.section("review.report.identities", identityGrid(l, v.Decided()))
	p.section("review.report.notices", noticeGrid(l, r.Notices))
}

func (v PassportView) printScore(p *printer) {
	if len(v.Report.Scores) == 0 {
		return
	}
	p.part("review.passport.scores")
	for _, s := range v.Report.Scores {
		p.minor(scoreName(s))
		text := strconv.Itoa(s.Value)
		if d, ok := scoreDial(p.lang, s); ok {
			text = d.Label
		}
		p.text(text)
		p.note(i18n.T(p.lang, "review.passport.scale_explained"))
		for _, r := range s.Reasons {
			p.item(cmp.Or(r.Description, r.Code))
		}
	}
}

// print adds the tables of a passport. The months of its credits are in the supplier's PDF.
func (v PassportView) print(p *printer) {
	l, r := p.lang, v.Report
	p.section("review.report.identities", identityGrid(l, v.Decided()))
	for _, i := range r.Identities {
		if facts := passportPersonFacts(l, i); len(facts) > 0 || len(i.Documents) > 0 {
			p.minor(sourceWords(l, i.SourceID))
			p.facts(facts)
			p.table(passportDocumentGrid(l, i.Documents))
		}
	}
	if len(r.Currencies) > 0 {
		p.part("review.passport.totals")
		for _, c := range r.Currencies {
			p.minor(c.Currency)
			p.facts(rateFacts(l, c))
			p.table(totalsGrid(l, c))
		}
	}
	for _, t := range []struct {
		title i18n.Key
		grid  ui.Grid
	}{{"review.passport.tradelines", v.tradelines(l)}, {"review.passport.collections", v.collections(l)},
		{"review.passport.records", v.records(l)}, {"review.passport.returned", v.returned(l)},
		{"review.passport.disputes", v.disputes(l)}, {"review.passport.inquiries", v.inquiries(l)},
		{"review.passport.addresses", v.addresses(l)}, {"review.report.employment", v.employers(l)},
		{"review.passport.incomes", v.incomes(l)}, {"review.passport.identifiers", v.identifiers(l)},
		{"review.report.accounts", v.accounts(l)}, {"review.report.notices", v.notices(l)},
		{"review.report.sources", sourceGrid(l, r.Sources)}} {
		p.section(t.title, t.grid)
	}
}
