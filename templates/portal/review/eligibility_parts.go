package review

import (
	"cmp"
	"strconv"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

func (v EligibilityView) employers(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.eligibility.employers_caption"),
		Columns: columns(l, 0, "review.report.employer", "review.application.state", "review.eligibility.by", "review.eligibility.named_by")}
	for i, e := range v.Report.StatedEmployers {
		state := employerStates[v.Verdict.Employers[i]]
		g.Rows = append(g.Rows, []ui.Cell{{Text: e.Name}, {Body: badge(state.tone, i18n.T(l, state.words))}, {Body: verifiedBy(l, e)},
			{Text: i18n.Code(l, "review.inputs", e.InputMethod)}})
	}
	return g
}

// employerStates are the tones and words of the states of stated employers.
var employerStates = map[verdict.EmployerState]struct {
	tone  ui.Tone
	words i18n.Key
}{verdict.EmployerVerified: {ui.Success, "review.eligibility.verified"},
	verdict.EmployerElsewhere: {ui.Danger, "review.eligibility.elsewhere"}, verdict.EmployerTried: {ui.Danger, "review.eligibility.tried"},
	verdict.EmployerSkipped: {ui.Warning, "review.eligibility.skipped"},
	verdict.EmployerOpen:    {ui.Warning, "review.eligibility.open"}}

// verifiedBy lists the sources of an employer, or says why there are no sources.
func verifiedBy(l i18n.Lang, e report.StatedEmployer) printed {
	if e.SkippedReason != nil {
		return textOrDash(l, i18n.Code(l, "review.skip_reasons", *e.SkippedReason))
	}
	var all []string
	for _, s := range e.VerificationSources {
		all = append(all, triedBy(l, s))
	}
	return list(l, all)
}

func statedAs(l i18n.Lang, m report.EmployerNameMatching) printed {
	if len(m.Matched) > 0 {
		return badge(ui.Success, statedNames(m.Matched))
	}
	return badge(ui.Warning, i18n.T(l, "review.eligibility.not_named"))
}

// triedBy names a source that was asked for an employer.
func triedBy(l i18n.Lang, s report.VerificationSource) string {
	out := code(l, s.SourceType) + " · " + sourceWords(l, s.SourceID)
	if s.Status != contract.StatusSuccess {
		out += " · " + Result(l, s.Status, contract.Substatus(report.Text(s.Substatus)), "")
	}
	return out
}

func jobFacts(l i18n.Lang, e report.EligibilityEmployment) []ui.Fact {
	rate := ui.Fact{Term: i18n.T(l, "review.eligibility.pay"), Body: textOrDash(l, "")}
	if e.BasePayRate != nil {
		rate = ui.Fact{Term: i18n.T(l, "review.eligibility.pay"),
			Text: joined(" ", usd.format(*e.BasePayRate), i18n.Code(l, "review.pay_periods", report.Text(e.BasePayPeriod)))}
	}
	return []ui.Fact{{Term: i18n.T(l, "review.report.job"), Body: textOrDash(l, report.Text(e.JobTitle))},
		{Term: i18n.T(l, "review.application.state"),
			Body: textOrDash(l, joined(" · ", employmentWord(l, report.Text(e.Status)), employmentWord(l, report.Text(e.Type))))},
		{Term: i18n.T(l, "review.eligibility.time"), Body: span(l, e.HireDate, e.TerminationDate)}, rate,
		{Term: i18n.T(l, "review.report.address"), Body: textOrDash(l,
			joined(", ", report.Text(e.EmployerLine1), report.Text(e.EmployerLine2), report.Text(e.EmployerCity), report.Text(e.EmployerState)))},
		{Term: i18n.T(l, "review.report.source"), Body: source(l, e.SourceID)},
		{Term: i18n.T(l, "review.eligibility.stated_as"), Body: statedAs(l, e.Matching.EmployerName)}}
}

// depositGrid returns the accounts that an employer pays into.
func depositGrid(l i18n.Lang, d *report.DirectDepositsMatching) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.eligibility.deposits"),
		Columns: columns(l, 0, "review.report.institution", "review.report.number", "review.eligibility.in_report")}
	row := func(institution, number *string, badge ui.Cell) {
		g.Rows = append(g.Rows, []ui.Cell{{Body: textOrDash(l, report.Text(institution))}, {Body: lastDigits(l, report.Text(number))}, badge})
	}
	for _, m := range d.Matched {
		row(m.InstitutionName, m.TruncatedNumber, ui.Cell{Body: badge(ui.Success, i18n.T(l, "review.eligibility.is_there"))})
	}
	for _, u := range d.Unmatched {
		row(u.InstitutionName, u.TruncatedNumber, ui.Cell{Body: badge(ui.Warning, i18n.T(l, "review.eligibility.is_not"))})
	}
	return g
}

func eligibilityPayrollFacts(l i18n.Lang, p report.EligibilityPayroll) []ui.Fact {
	facts := []ui.Fact{{Term: i18n.T(l, "review.income.annual_gross"), Body: balance(l, usd, p.AnnualGross)},
		{Term: i18n.T(l, "review.income.annual_net"), Body: balance(l, usd, p.AnnualNet)},
		{Term: i18n.T(l, "review.payroll.frequency"), Body: textOrDash(l, i18n.Code(l, "review.frequencies", report.Text(p.PayFrequency)))},
		{Term: i18n.T(l, "review.payroll.provider"),
			Body: textOrDash(l, i18n.Code(l, "review.providers", report.Text(p.ProviderType)))},
		{Term: i18n.T(l, "review.report.source"), Body: source(l, p.SourceID)}}
	for _, x := range []struct {
		term i18n.Key
		c    *report.Cents
	}{{"review.gigs.gross", p.GigsAnnualGross}, {"review.gigs.net", p.GigsAnnualNet}, {"review.gigs.deposited", p.GigsAnnualDeposited}} {
		if x.c != nil {
			facts = append(facts, ui.Fact{Term: i18n.T(l, x.term), Text: usd.format(*x.c)})
		}
	}
	return facts
}

func calendarGrid(l i18n.Lang, all []report.CalendarYear) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.eligibility.calendar"),
		Columns: columns(l, 2, "review.eligibility.year", "review.gross", "review.net")}
	for _, y := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Text: y.Year}, money(l, usd, y.Gross), money(l, usd, y.Net)})
	}
	return g
}

func eligibilityStatementGrid(l i18n.Lang, all []report.EligibilityStatement) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.payroll.statements"), HideCaption: true,
		Columns: []ui.Column{{Label: i18n.T(l, "review.paid_on")}, {Label: i18n.T(l, "review.stub.period")},
			{Label: i18n.T(l, "review.eligibility.hours"), Number: true},
			{Label: i18n.T(l, "review.gross"), Number: true}, {Label: i18n.T(l, "review.gross") + ", " + i18n.T(l, "review.payroll.ytd"),
				Number: true}, {Label: i18n.T(l, "review.net"), Number: true},
			{Label: i18n.T(l, "review.net") + ", " + i18n.T(l, "review.payroll.ytd"), Number: true}}}
	for _, s := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Body: date(l, s.PayDate)}, {Body: span(l, s.PayPeriodStart, s.PayPeriodEnd)},
			{Body: textOrDash(l, hours(s.HoursWorked))},
			money(l, usd, s.GrossTotal), money(l, usd, s.GrossTotalYTD), money(l, usd, s.NetTotal), money(l, usd, s.NetTotalYTD)})
	}
	return g
}

func gigGrid(l i18n.Lang, all []report.GigSummary) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.gigs.by"),
		Columns: columns(l, 5, "review.gigs.platform", "review.stub.period", "review.eligibility.hours", "review.gross", "review.gigs.tips",
			"review.gigs.fees", "review.gigs.deposited")}
	for _, x := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Body: textOrDash(l, report.Text(x.PlatformName))},
			{Body: span(l, x.PeriodStart, x.PeriodEnd)}, {Body: textOrDash(l, hours(x.HoursWorked))},
			money(l, usd, x.Gross), money(l, usd, x.Tips), money(l, usd, x.Fees), money(l, usd, x.Deposited)})
	}
	return g
}

// hours formats the hours worked, without trailing zeros.
func hours(h *report.Hours) string {
	if h == nil {
		return ""
	}
	return plain(h.String())
}

func assetGrid(l i18n.Lang, all []report.AssetAccount) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.report.accounts_sum"),
		Columns: columns(l, 3, "review.report.account", "review.report.number", "review.report.subtype", "review.report.owner",
			"review.report.balance", "review.eligibility.average", "review.eligibility.interest")}
	for _, a := range all {
		kind := cmp.Or(report.Text(a.AccountSubtype), report.Text(a.AccountType))
		g.Rows = append(g.Rows, []ui.Cell{{Body: textOrDash(l, joined(" · ", report.Text(a.InstitutionName), report.Text(a.AccountName)))},
			{Body: lastDigits(l, report.Text(a.TruncatedNumber))},
			{Body: textOrDash(l, joined(" · ", code(l, kind), code(l, report.Text(a.Responsibility))))},
			{Body: textOrDash(l, report.Text(a.OwnerFullName))},
			{Body: stated(l, a.CurrentBalance, a.BalanceTerms)}, money(l, currency(a.CurrencyCode()), a.AverageBalance),
			money(l, currency(a.CurrencyCode()), a.IncomeFromAssets)})
	}
	return g
}

func assetTitle(l i18n.Lang, a report.AssetAccount) string {
	return accountTitle(l, report.Account{InstitutionName: a.InstitutionName, AccountName: a.AccountName, TruncatedNumber: a.TruncatedNumber})
}

func assetFacts(l i18n.Lang, a report.AssetAccount) []ui.Fact {
	return []ui.Fact{{Term: i18n.T(l, "review.eligibility.first"), Body: date(l, a.FirstTransaction)},
		{Term: i18n.T(l, "review.report.statement"), Body: date(l, a.LastStatementEndDate)},
		{Term: i18n.T(l, "review.report.source"), Body: source(l, a.SourceID)}}
}

// account returns a function that returns the name of an account by its ID.
func (v EligibilityView) account(l i18n.Lang) func(id string) string {
	return func(id string) string {
		for _, a := range v.assets().AccountDetails {
			if a.AccountID == id {
				return assetTitle(l, a)
			}
		}
		return ""
	}
}

func failedGrid(l i18n.Lang, all []report.FailedConnection) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.eligibility.failed_caption"),
		Columns: columns(l, 0, "review.report.institution", "review.application.report_status", "review.when")}
	for _, f := range all {
		name := cmp.Or(report.Text(f.InstitutionName), f.SourceID)
		g.Rows = append(g.Rows, []ui.Cell{{Text: name}, {Text: Result(l, f.Status, contract.Substatus(report.Text(f.Substatus)), "")},
			{Body: when(l, f.FailedAt.Time)}})
	}
	return g
}

func (v EligibilityView) documents(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.eligibility.documents_caption"),
		Columns: []ui.Column{{Label: i18n.T(l, "review.report.subtype")}, {Label: i18n.T(l, "review.report.source")},
			{Label: i18n.T(l, "review.eligibility.available")}, {Label: i18n.T(l, "review.stub.kind_of_file"), Screen: true}}}
	for _, d := range v.Report.Documents {
		g.Rows = append(g.Rows, []ui.Cell{{Text: code(l, d.DocumentType)}, {Body: source(l, d.SourceID)}, {Body: date(l, d.AvailableDate)},
			{Body: fileLink(l, v.ApplicationID, d.SourceFilepath, code(l, d.DocumentType))}})
	}
	return g
}

// shownDocuments returns the documents that the applicant uploaded and that can be shown.
func (v EligibilityView) shownDocuments(l i18n.Lang) (out []document) {
	for i, d := range v.Report.Documents {
		fileType := fileTypeOf(d.SourceFilepath)
		uploaded := d.DocumentType == report.VerifiedByDocument || d.DocumentType == report.VerifiedByPaystub
		if v.ApplicationID == "" || !uploaded || !pictures(fileType, v.PDFImages) {
			continue
		}
		out = append(out, document{id: "document-" + strconv.Itoa(i+1), url: fileURL(v.ApplicationID, d.SourceFilepath),
			title: code(l, d.DocumentType) + " " + strconv.Itoa(len(out)+1), pages: 1, viewer: true})
	}
	return out
}

// statedNames joins the names of stated employers.
func statedNames(all []report.StatedName) string {
	var out []string
	for _, n := range all {
		out = append(out, n.StatedEmployer)
	}
	return strings.Join(out, ", ")
}

func employerName(l i18n.Lang, name *string) string {
	if s := report.Text(name); s != "" {
		return s
	}
	return i18n.T(l, "review.report.employer")
}
