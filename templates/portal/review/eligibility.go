package review

import (
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// EligibilityView is an eligibility report as a page.
type EligibilityView struct {
	Case
	Report  *report.Eligibility
	Verdict verdict.Eligibility
}

// Decided returns what the report means.
func (v EligibilityView) Decided() verdict.Verdict { return v.Verdict.Verdict }

func (v EligibilityView) payroll() []report.EligibilityPayroll {
	if v.Report.Income == nil {
		return nil
	}
	return v.Report.Income.Payroll
}

func (v EligibilityView) assets() report.Assets {
	if v.Report.Assets == nil {
		return report.Assets{}
	}
	return *v.Report.Assets
}

// currency returns the currency of the accounts and their inflows.
func (v EligibilityView) currency() currency {
	assets := v.assets()
	return currency(assets.CurrencyCode())
}

func (v EligibilityView) sheet(l i18n.Lang) sheet {
	r := v.Report
	s := sheet{Case: v.Case, title: "review.report.eligibility_title", verdict: v.Decided(), product: r.Product, meta: r.Meta,
		notices: slices.Concat(alertNotices(l, r.Notices), otherShape(l, r.LeftOut), noData(l, r.Meta),
			currencyNotices(l, v.currency(), v.assets().AccountDetails, assetTitle,
				func(a report.AssetAccount) report.BalanceTerms { return a.BalanceTerms })),
		keys: v.keys(l), sections: v.sections(l),
		downloads: []download{{"/report.json", "review.application.download"}}}
	if r.HasStatements() {
		s.downloads = append(s.downloads, download{"/report.csv", "review.report.rows"})
	}
	return s
}

// sections returns the sections for which the report has data.
func (v EligibilityView) sections(l i18n.Lang) (out []section) {
	r, a := v.Report, v.assets()
	add := adder(l, &out)
	add(len(r.StatedEmployers) > 0, "employers", "review.eligibility.employers", func() templ.Component { return ui.Table(v.employers(l)) })
	add(len(r.Employment) > 0, "employment", "review.eligibility.employment",
		func() templ.Component { return eligibilityJobs(l, r.Employment) })
	add(len(v.payroll()) > 0, "payroll", "review.income.from_payroll", func() templ.Component { return eligibilityPayrolls(l, v) })
	add(len(a.AccountDetails) > 0, "assets", "review.eligibility.assets",
		func() templ.Component { return eligibilityAccounts(l, a.AccountDetails) })
	add(len(a.Inflows) > 0, "inflows", "review.income.inflows", func() templ.Component {
		return ui.Table(inflowGrid(l, v.currency(), a.Inflows, a.MatchedIncome, v.account(l)))
	})
	add(len(a.Failed) > 0, "failed", "review.eligibility.failed", func() templ.Component { return ui.Table(failedGrid(l, a.Failed)) })
	add(len(r.Checks) > 0, "checks", "review.eligibility.checks", func() templ.Component {
		return ui.Table(checkGrid(l, "review.eligibility.checks_caption", r.Checks, "review.completeness", report.CompletenessChecks()))
	})
	add(len(r.Documents) > 0, "documents", "review.eligibility.documents", func() templ.Component { return eligibilityDocuments(l, v) })
	add(len(r.Identities) > 0, "identity", "review.report.identities", func() templ.Component { return identityPart(l, v.Decided()) })
	add(len(r.Notices) > 0, "notices", "review.report.notices", func() templ.Component { return ui.Table(noticeGrid(l, r.Notices)) })
	add(true, "about", "review.report.about", func() templ.Component { return ui.Facts(aboutFacts(l, r.Product, r.Meta)) })
	return out
}

func (v EligibilityView) keys(l i18n.Lang) (out []key) {
	for _, k := range []struct {
		label, is i18n.Key
		amount    *report.Cents
		in        currency
	}{{"review.income.annual_gross", "review.eligibility.by_payroll", v.Verdict.Gross, usd},
		{"review.income.annual_net", "review.eligibility.by_payroll", v.Verdict.Net, usd},
		{"review.eligibility.deposited", "review.eligibility.deposited_explained", v.Verdict.Deposited, v.currency()},
		{"review.eligibility.held", "review.eligibility.held_explained", v.Verdict.Held, v.currency()},
		{"review.eligibility.average", "review.eligibility.average_explained", v.Verdict.Average, v.currency()}} {
		if k.amount != nil {
			out = append(out, key{label: i18n.T(l, k.label), value: k.in.format(*k.amount), is: i18n.T(l, k.is)})
		}
	}
	if n := len(v.Report.StatedEmployers); n > 0 {
		out = append(out, key{label: i18n.T(l, "review.eligibility.employers_short"),
			value: strconv.Itoa(v.Verdict.CountEmployers(verdict.EmployerVerified)) + " " + i18n.T(l, "review.of") + " " + strconv.Itoa(n),
			is:    i18n.T(l, "review.eligibility.employers_are")})
	}
	return out
}

// PayrollEmployers returns the employer of each payroll item, nil where it is unclear.
func (v EligibilityView) PayrollEmployers() []*string {
	return jobsOf(v.payroll(), func(p report.EligibilityPayroll) string { return p.SourceUUID }, v.Report.Employment,
		func(e report.EligibilityEmployment) (string, *string) { return e.SourceUUID, e.EmployerName })
}
