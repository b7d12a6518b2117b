package review

import (
	"cmp"
	"strconv"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// verdict sums up findings in one sentence. Its tone is the worst of theirs.
func verdict(l i18n.Lang, all []finding) (ui.Tone, string) {
	by := map[ui.Tone]int{}
	for _, f := range all {
		by[f.tone]++
	}
	switch {
	case by[ui.Danger] > 0:
		return ui.Danger, i18n.N(l, "review.verdict.contradicted", by[ui.Danger])
	case by[ui.Warning] > 0:
		return ui.Warning, i18n.N(l, "review.verdict.check", by[ui.Warning])
	case by[ui.Success] > 0:
		return ui.Success, i18n.T(l, "review.verdict.confirmed")
	}
	return ui.Neutral, i18n.T(l, "review.verdict.unknown")
}

// gaps names the banks of which a report lacks accounts or transactions.
type gaps struct {
	part []string // the report has other accounts of the bank
	all  []string // the report has no account of the bank
	in   string   // the section that lists the banks
}

// sourceGaps reads the sources of a report. institutions has the names of those with an
// account in the report, by source.
func sourceGaps(l i18n.Lang, sources []report.Source, institutions map[string]string) gaps {
	g := gaps{in: "sources"}
	for _, s := range sources {
		if s.SourceType == report.SourceBankTransaction && s.Status != contract.StatusSuccess {
			name, part := institutions[s.SourceID]
			g.add(cmp.Or(name, sourceWords(l, s.SourceID)), part)
		}
	}
	return g
}

func (g *gaps) add(name string, part bool) {
	if part {
		g.part = append(g.part, name)
	} else {
		g.all = append(g.all, name)
	}
}

func (g gaps) any() bool { return len(g.part)+len(g.all) > 0 }

// qualify puts the answer about gaps first. Low income then contradicts nothing, because the
// rest may be in the missing accounts.
func (g gaps) qualify(l i18n.Lang, findings []finding) []finding {
	if !g.any() {
		return findings
	}
	f := finding{question: "review.ask.complete", tone: ui.Warning, part: g.in}
	if len(g.part) > 0 {
		f.answer = i18n.T(l, "review.complete.part", "banks", strings.Join(g.part, ", ")) + " "
	}
	if len(g.all) > 0 {
		f.answer += i18n.T(l, "review.complete.none", "banks", strings.Join(g.all, ", ")) + " "
	}
	f.answer += i18n.T(l, "review.complete.low")
	for i := range findings {
		if findings[i].question == "review.ask.income" && findings[i].tone == ui.Danger {
			findings[i].tone = ui.Warning
		}
	}
	return append([]finding{f}, findings...)
}

// findings answers whether the report is complete, income and identity are real, and whether
// the applicant can pay.
func (v ReportView) findings(l i18n.Lang) []finding {
	return v.gaps(l).qualify(l, []finding{v.incomeReal(l), v.canPay(l),
		v.Stated.addPerson(l, person(l, v.Report.Identities), v.sources())})
}

func (v ReportView) gaps(l i18n.Lang) gaps {
	institutions := map[string]string{}
	for _, a := range v.Report.AccountDetails {
		institutions[a.SourceID] = report.Text(a.InstitutionName)
	}
	return sourceGaps(l, v.Report.Sources, institutions)
}

// cents returns an attribute that is an amount; false if the report has no value.
func (v ReportView) cents(name string) (report.Cents, bool) {
	a := v.attribute(name)
	if a == nil || sentinel(i18n.English, a.Name, a.Value) != "" {
		return 0, false
	}
	c, err := report.ParseCents(a.Value.String())
	return c, err == nil
}

// count returns an attribute that is a whole number; false if the report has no value.
func (v ReportView) count(name string) (int, bool) {
	a := v.attribute(name)
	if a == nil || sentinel(i18n.English, a.Name, a.Value) != "" {
		return 0, false
	}
	n, err := strconv.Atoi(a.Value.String())
	return n, err == nil
}

// Limits of the answers for a cashflow report (docs/how-to/review.md).
const (
	fewIncomeMonths = 10 // of 12, or as many fewer as the history is shorter
	manyDaysBelow   = 5  // days below zero in 3 months
	manyNSF         = 3  // NSF or overdraft events in 12 months
)

// incomeReal compares a year's income with the stated one.
func (v ReportView) incomeReal(l i18n.Lang) finding {
	f := finding{question: "review.ask.income", part: "regular"}
	year, known := v.cents("UA_INFLOW_INCOME_SUM_12M")
	months, counted := v.count("UA_CADENCE_INCOME_MONTHS_CNT_12M")
	switch {
	case !known || !counted:
		f.answer, f.part = i18n.T(l, "review.pay.too_little"), ""
		return f
	case year <= 0:
		f.tone, f.answer = ui.Danger, i18n.T(l, "review.income_real.none")
		return f
	}
	f.tone = ui.Success
	if all := v.historyMonths(); months+12-fewIncomeMonths < all {
		f.tone = ui.Warning
	}
	f.answer = i18n.T(l, "review.income_real.year", "amount", v.currency().format(year), "months", strconv.Itoa(months))
	return v.Stated.addFoundShare(l, f, v.sources())
}

// historyMonths returns the number of months of the last twelve that the history covers.
func (v ReportView) historyMonths() int {
	days, ok := v.count("UA_TOTAL_OLDEST_REC")
	if !ok {
		return 12
	}
	return min(12, days/30)
}

// canPay answers from the money that is left, low balances and returned payments.
func (v ReportView) canPay(l i18n.Lang) finding {
	f := finding{question: "review.ask.pay", part: "money"}
	left, known := v.cents("UA_CASHFLOW_NET_AVG_12R")
	if !known {
		f.answer, f.part = i18n.T(l, "review.pay.too_little"), ""
		return f
	}
	below, _ := v.count("UA_ASSET_NEGDAYS_CNT_3M")
	events, _ := v.count("UA_EXPENSE_NSFOD_CNT_12M")
	switch {
	case left < 0 && (below > manyDaysBelow || events > manyNSF):
		f.tone = ui.Danger
	case left < 0 || below > 0 || events > 0:
		f.tone = ui.Warning
	default:
		f.tone = ui.Success
	}
	if left < 0 {
		f.answer = i18n.T(l, "review.pay.short", "amount", v.currency().format(-left))
	} else {
		f.answer = i18n.T(l, "review.pay.left", "amount", v.currency().format(left))
	}
	return f
}

// signal is a figure that speaks against the applicant.
type signal struct {
	label string
	value string
	to    string // address of its details
}

// against lists the figures of a cashflow report that speak against the applicant.
func (v ReportView) against(l i18n.Lang) []signal {
	var out []signal
	for _, s := range []struct {
		name  string
		label i18n.Key
		to    string
	}{
		{"UA_ASSET_NEGDAYS_CNT_3M", "review.key_figures.days_below_zero_3_months", "#balance"},
		{"UA_EXPENSE_NSFOD_CNT_12M", "review.key_figures.nsf_or_overdraft_12_months", v.transactions(Selection{Returned: true})},
		{"UA_EXPENSE_RETURNED_CNT_12M", "review.key_figures.returned_payments_12_months", "#returned"},
		{"UA_INFLOW_ADVANCE_CNT_6M", "review.against.advances", v.transactions(Selection{Category: "LENDING.ADVANCE_IN", Direction: "IN"})},
		{"UA_EXPENSE_GAMBLING_CNT_6M", "review.against.gambling", v.transactions(Selection{Category: "LEISURE.GAMBLING", Direction: "OUT"})},
	} {
		if n, ok := v.count(s.name); ok && n > 0 {
			out = append(out, signal{i18n.T(l, s.label), strconv.Itoa(n), cmp.Or(s.to, "#figures")})
		}
	}
	return out
}

// Shares of the stated income, in percent, below which the found income contradicts it or
// needs a check.
const (
	contradictedShare = 75
	checkedShare      = 90
)

// share returns the found income as a percentage of the stated one; false if either is
// missing. Applicants state dollars, so other currencies are not compared.
func (s *Stated) share(f found) (int64, bool) {
	if s == nil || s.Fields.StatedAnnualIncome == nil || *s.Fields.StatedAnnualIncome <= 0 || f.income == nil || f.in != usd {
		return 0, false
	}
	return int64(*f.income) / *s.Fields.StatedAnnualIncome, true // cents / dollars
}

// addFoundShare adds to an answer about the income what share of the stated income was found.
func (s *Stated) addFoundShare(l i18n.Lang, f finding, by found) finding {
	percent, ok := s.share(by)
	if !ok {
		return f
	}
	if t := shareTone(percent); t == ui.Danger || t == ui.Warning && f.tone == ui.Success {
		f.tone = t
	}
	f.answer += " " + i18n.T(l, "review.income_real.share", "percent", strconv.FormatInt(percent, 10))
	return f
}

func shareTone(percent int64) ui.Tone {
	switch {
	case percent < contradictedShare:
		return ui.Danger
	case percent < checkedShare:
		return ui.Warning
	}
	return ui.Success
}

// addPerson completes the answer about the person: by the name that the applicant gave to the
// portal if the report compares none, and by the stated date of birth.
func (s *Stated) addPerson(l i18n.Lang, f finding, by found) finding {
	if s == nil {
		return f
	}
	if name := joined(" ", s.Fields.FirstName, s.Fields.LastName); name != "" && f.tone == ui.Neutral {
		all, alike := texts(by.names), 0
		for _, t := range all {
			if sameWords(t, name) {
				alike++
			}
		}
		switch {
		case len(all) == 0:
		case alike == len(all):
			f.tone, f.answer = ui.Success, i18n.T(l, "review.report.all_match")
		case alike > 0:
			f.tone, f.answer = ui.Warning, i18n.T(l, "review.report.some_differ")
		default:
			f.tone, f.answer = ui.Danger, i18n.T(l, "review.person_real.unknown")
		}
	}
	if s.Fields.DOB == "" {
		return f
	}
	switch compareTexts(s.Fields.DOB, by.births, func(a, b string) bool { return a == b }) {
	case matched:
		f.answer += " " + i18n.T(l, "review.person_real.born")
	case unmatched:
		f.tone = ui.Danger
		f.answer += " " + i18n.T(l, "review.person_real.another_birth_date")
	}
	return f
}

// employerReal answers whether the sources name the employers that the applicant stated to the
// portal; false if one side has none.
func (s *Stated) employerReal(l i18n.Lang, by found) (finding, bool) {
	f := finding{question: "review.ask.employer", part: "employment"}
	for _, e := range s.employers() {
		switch compareTexts(e, by.employers, sameWords) {
		case unmatched:
			f.tone, f.answer = ui.Danger, i18n.T(l, "review.employer_real.another", "employer", e)
			return f, true
		case matched, partly:
			f.tone, f.answer = ui.Success, i18n.T(l, "review.employer_real.found", "employer", e)
		}
	}
	return f, f.answer != ""
}
