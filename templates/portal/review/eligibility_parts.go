package review

import (
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

func (v EligibilityView) employers(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: eligibilityEmployersOf.In(l), Columns: []ui.Column{{Label: reportEmployer.In(l)}, {Label: reviewState.In(l)}, {Label: eligibilityBy.In(l)}, {Label: eligibilityNamedBy.In(l)}}}
	for _, e := range v.Report.StatedEmployers {
		tone, words := v.stateOf(e).words()
		g.Rows = append(g.Rows, []ui.Cell{{Text: e.Name}, {Body: ui.Badge(tone, words.In(l))}, {Body: verifiedBy(l, e)}, {Text: known(l, inputWords, e.InputMethod)}})
	}
	return g
}

// triedBy is a source by which an employer was looked for.
func triedBy(l contract.Lang, s report.VerificationSource) string {
	out := code(l, s.SourceType) + " · " + s.SourceID
	if s.Status != contract.StatusSuccess {
		out += " · " + Result(s.Status, contract.Substatus(report.Text(s.Substatus)), "")
	}
	return out
}

func jobFacts(l contract.Lang, e report.EligibilityEmployment) []ui.Fact {
	rate := ui.Fact{Term: eligibilityPay.In(l), Body: given(l, "")}
	if e.BasePayRate != nil {
		rate = ui.Fact{Term: eligibilityPay.In(l), Text: joined(" ", usd.say(*e.BasePayRate), known(l, payPeriodWords, report.Text(e.BasePayPeriod)))}
	}
	return []ui.Fact{{Term: reportJob.In(l), Body: given(l, report.Text(e.JobTitle))},
		{Term: reviewState.In(l), Body: given(l, joined(" · ", employmentWord(l, report.Text(e.Status)), employmentWord(l, report.Text(e.Type))))},
		{Term: eligibilityTime.In(l), Body: span(l, e.HireDate, e.TerminationDate)}, rate,
		{Term: reportAddress.In(l), Body: given(l, joined(", ", report.Text(e.EmployerLine1), report.Text(e.EmployerLine2), report.Text(e.EmployerCity), report.Text(e.EmployerState)))},
		{Term: reportSource.In(l), Body: source(e.SourceID)},
		{Term: eligibilityStatedAs.In(l), Body: statedAs(l, e.Matching.EmployerName)}}
}

// depositGrid is the accounts that an employer pays into.
func depositGrid(l contract.Lang, d *report.DirectDepositsMatching) ui.Grid {
	g := ui.Grid{Caption: eligibilityDeposits.In(l), Columns: []ui.Column{{Label: reportInstitution.In(l)}, {Label: reportNumber.In(l)}, {Label: eligibilityInReport.In(l)}}}
	row := func(institution, number *string, badge ui.Cell) {
		g.Rows = append(g.Rows, []ui.Cell{{Body: given(l, report.Text(institution))}, {Body: ending(l, report.Text(number))}, badge})
	}
	for _, m := range d.Matched {
		row(m.InstitutionName, m.TruncatedNumber, ui.Cell{Body: ui.Badge(ui.Success, eligibilityIsThere.In(l))})
	}
	for _, u := range d.Unmatched {
		row(u.InstitutionName, u.TruncatedNumber, ui.Cell{Body: ui.Badge(ui.Warning, eligibilityIsNot.In(l))})
	}
	return g
}

func eligibilityPayrollFacts(l contract.Lang, p report.EligibilityPayroll) []ui.Fact {
	facts := []ui.Fact{{Term: incomeAnnualGross.In(l), Body: balance(l, usd, p.AnnualGross)}, {Term: incomeAnnualNet.In(l), Body: balance(l, usd, p.AnnualNet)},
		{Term: payrollFrequency.In(l), Body: given(l, known(l, frequencyWords, report.Text(p.PayFrequency)))},
		{Term: payrollProvider.In(l), Body: given(l, known(l, providerWords, report.Text(p.ProviderType)))}, {Term: reportSource.In(l), Body: source(p.SourceID)}}
	for _, x := range []struct {
		term contract.Words
		c    *report.Cents
	}{{gigsGross, p.GigsAnnualGross}, {gigsNet, p.GigsAnnualNet}, {gigsDeposited, p.GigsAnnualDeposited}} {
		if x.c != nil {
			facts = append(facts, ui.Fact{Term: x.term.In(l), Text: usd.say(*x.c)})
		}
	}
	return facts
}

func calendarGrid(l contract.Lang, all []report.CalendarYear) ui.Grid {
	g := ui.Grid{Caption: eligibilityCalendar.In(l), Columns: []ui.Column{{Label: eligibilityYear.In(l)}, {Label: incomeGross.In(l), Number: true}, {Label: incomeNet.In(l), Number: true}}}
	for _, y := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Text: y.Year}, money(l, usd, y.Gross), money(l, usd, y.Net)})
	}
	return g
}

func eligibilityStatementGrid(l contract.Lang, all []report.EligibilityStatement) ui.Grid {
	g := ui.Grid{Caption: payrollStatements.In(l), HideCaption: true, Columns: []ui.Column{{Label: payrollDate.In(l)}, {Label: stubPeriod.In(l)}, {Label: eligibilityHours.In(l), Number: true},
		{Label: incomeGross.In(l), Number: true}, {Label: incomeGross.In(l) + ", " + payrollYTD.In(l), Number: true}, {Label: incomeNet.In(l), Number: true}, {Label: incomeNet.In(l) + ", " + payrollYTD.In(l), Number: true}}}
	for _, s := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Body: date(l, s.PayDate)}, {Body: span(l, s.PayPeriodStart, s.PayPeriodEnd)}, {Body: given(l, hours(s.HoursWorked))},
			money(l, usd, s.GrossTotal), money(l, usd, s.GrossTotalYTD), money(l, usd, s.NetTotal), money(l, usd, s.NetTotalYTD)})
	}
	return g
}

func gigGrid(l contract.Lang, all []report.GigSummary) ui.Grid {
	g := ui.Grid{Caption: gigsBy.In(l), Columns: []ui.Column{{Label: gigsPlatform.In(l)}, {Label: stubPeriod.In(l)}, {Label: eligibilityHours.In(l), Number: true}, {Label: incomeGross.In(l), Number: true},
		{Label: gigsTips.In(l), Number: true}, {Label: gigsFees.In(l), Number: true}, {Label: gigsDeposited.In(l), Number: true}}}
	for _, x := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Body: given(l, report.Text(x.PlatformName))}, {Body: span(l, x.PeriodStart, x.PeriodEnd)}, {Body: given(l, hours(x.HoursWorked))},
			money(l, usd, x.Gross), money(l, usd, x.Tips), money(l, usd, x.Fees), money(l, usd, x.Deposited)})
	}
	return g
}

// hours is a time worked, without the zeros at its end.
func hours(h *report.Hours) string {
	if h == nil {
		return ""
	}
	return plain(h.String())
}

func assetGrid(l contract.Lang, all []report.AssetAccount) ui.Grid {
	g := ui.Grid{Caption: reportAccountsSum.In(l), Columns: []ui.Column{{Label: reportAccount.In(l)}, {Label: reportNumber.In(l)}, {Label: reportSubtype.In(l)}, {Label: reportOwner.In(l)},
		{Label: reportBalance.In(l), Number: true}, {Label: eligibilityAverage.In(l), Number: true}, {Label: eligibilityInterest.In(l), Number: true}}}
	for _, a := range all {
		kind := report.Text(a.AccountSubtype)
		if kind == "" {
			kind = report.Text(a.AccountType)
		}
		g.Rows = append(g.Rows, []ui.Cell{{Body: given(l, joined(" · ", report.Text(a.InstitutionName), report.Text(a.AccountName)))}, {Body: ending(l, report.Text(a.TruncatedNumber))},
			{Body: given(l, joined(" · ", code(l, kind), code(l, report.Text(a.Responsibility))))}, {Body: given(l, report.Text(a.OwnerFullName))},
			{Body: stated(l, a.CurrentBalance, a.BalanceTerms)}, money(l, currency(a.In()), a.AverageBalance), money(l, currency(a.In()), a.IncomeFromAssets)})
	}
	return g
}

func assetTitle(l contract.Lang, a report.AssetAccount) string {
	return accountTitle(l, report.Account{InstitutionName: a.InstitutionName, AccountName: a.AccountName, TruncatedNumber: a.TruncatedNumber})
}

func assetFacts(l contract.Lang, a report.AssetAccount) []ui.Fact {
	return []ui.Fact{{Term: eligibilityFirst.In(l), Body: date(l, a.FirstTransaction)}, {Term: reportStatement.In(l), Body: date(l, a.LastStatementEndDate)}, {Term: reportSource.In(l), Body: source(a.SourceID)}}
}

// account names the account of an id.
func (v EligibilityView) account(l contract.Lang) func(id string) string {
	return func(id string) string {
		for _, a := range v.assets().AccountDetails {
			if a.AccountID == id {
				return assetTitle(l, a)
			}
		}
		return ""
	}
}

func failedGrid(l contract.Lang, all []report.FailedConnection) ui.Grid {
	g := ui.Grid{Caption: eligibilityFailedOf.In(l), Columns: []ui.Column{{Label: reportInstitution.In(l)}, {Label: reviewStatus.In(l)}, {Label: reviewWhen.In(l)}}}
	for _, f := range all {
		name := report.Text(f.InstitutionName)
		if name == "" {
			name = f.SourceID
		}
		g.Rows = append(g.Rows, []ui.Cell{{Text: name}, {Text: Result(f.Status, contract.Substatus(report.Text(f.Substatus)), "")}, {Body: when(l, f.FailedAt.Time)}})
	}
	return g
}

func (v EligibilityView) documents(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: eligibilityDocumentsOf.In(l), Columns: []ui.Column{{Label: reportSubtype.In(l)}, {Label: reportSource.In(l)}, {Label: eligibilityAvailable.In(l)}, {Label: stubKindOfFile.In(l)}}}
	for _, d := range v.Report.Documents {
		g.Rows = append(g.Rows, []ui.Cell{{Text: code(l, d.DocumentType)}, {Body: source(d.SourceID)}, {Body: date(l, d.AvailableDate)},
			{Body: fileLink(l, v.ApplicationID, d.SourceFilepath, code(l, d.DocumentType))}})
	}
	return g
}

// names joins the names of stated employers.
func statedNames(all []report.StatedName) string {
	var out []string
	for _, n := range all {
		out = append(out, n.StatedEmployer)
	}
	return strings.Join(out, ", ")
}

// CompletenessWords says a check of application_completeness_checks.
func CompletenessWords(l contract.Lang, name string) string { return known(l, completenessWords, name) }

// SkippedWords says why an employer was skipped.
func SkippedWords(l contract.Lang, reason string) string { return known(l, skippedWords, reason) }

func employerName(l contract.Lang, name *string) string {
	if s := report.Text(name); s != "" {
		return s
	}
	return reportEmployer.In(l)
}
