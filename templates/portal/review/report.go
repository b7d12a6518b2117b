package review

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// ReportView is a cashflow report as a page.
type ReportView struct {
	Case
	Report      *report.Cashflow
	Verdict     verdict.Cashflow
	Analysis    *report.Analysis // explains the figures; nil if missing
	Pending     bool             // the analysis is still being fetched
	Query, Node string           // select figures; empty selects all
}

// Case is what the pages of all products' reports have.
type Case struct {
	ApplicationID string // empty: the page has no links to other pages
	Place         *Place // in the list from which the application was opened; nil for none
	PDFImages     bool   // the portal renders PDF files
	Held          HeldReport
	Changed       bool // an earlier revision is stored, to compare with
}

// Decided returns what the report means.
func (v ReportView) Decided() verdict.Verdict { return v.Verdict.Verdict }

// url returns an address below the application's page.
func (v ReportView) url(path string) string { return "/review/applications/" + v.ApplicationID + path }

// currency returns the currency of the report's figures.
func (v ReportView) currency() currency { return currency(v.Report.CurrencyCode()) }

// sheet returns the parts of the page that all products share.
func (v ReportView) sheet(l i18n.Lang) sheet {
	s := sheet{Case: v.Case, title: "review.report.cashflow", verdict: v.Decided(), product: v.Report.Product, meta: v.Report.Meta,
		notices: slices.Concat(alertNotices(l, v.Report.Notices), noData(l, v.Report.Meta), currencyNotices(l, v.currency(),
			v.Report.AccountDetails, accountTitle, func(a report.Account) report.BalanceTerms { return a.BalanceTerms })),
		keys: v.keys(l), sections: v.sections(l),
		downloads: []download{{"/report.json", "review.application.download"}}}
	if len(v.Report.Attributes) > 0 {
		s.downloads = append(s.downloads, download{"/report.csv", "review.report.figures_csv"})
	}
	if v.hasMonths() {
		s.downloads = append(s.downloads, download{"/months.csv", "review.report.months_csv"})
	}
	if v.Pending {
		s.notices = append(s.notices, notice{ui.Info, i18n.T(l, "review.report.pending")})
	}
	return s
}

func sourceWords(l i18n.Lang, id string) string {
	if text, ok := i18n.Find(l, "review.sources", id); ok {
		return text
	}
	return report.SourceName(id)
}

// section is a part of the page with a heading.
type section struct {
	id, title string
	body      templ.Component
}

// adder returns a function that adds a section if there is something to show.
func adder(l i18n.Lang, to *[]section) func(there bool, id string, title i18n.Key, body func() templ.Component) {
	return func(there bool, id string, title i18n.Key, body func() templ.Component) {
		if there {
			*to = append(*to, section{id, i18n.T(l, title), body()})
		}
	}
}

// sections returns the sections for which the report has data.
func (v ReportView) sections(l i18n.Lang) (out []section) {
	r, a := v.Report, v.Analysis
	add := adder(l, &out)
	add(len(r.Scores) > 0, "score", "review.report.score", func() templ.Component { return reportScores(l, v) })
	add(v.hasDays(), "balance", "review.report.balances", func() templ.Component { return balancesOverTime(l, v) })
	add(v.hasMonths(), "money", "review.report.money", func() templ.Component { return reportMonthly(l, v) })
	add(a != nil && len(a.Streams) > 0, "regular", "review.report.regular", func() templ.Component { return reportStreams(l, v) })
	add(a != nil && len(a.Categories) > 0, "categories", "review.report.categories", func() templ.Component { return reportFlows(l, v) })
	add(v.hasMonths(), "returned", "review.report.returned", func() templ.Component { return reportReturns(l, v) })
	add(len(r.Identities) > 0, "identity", "review.report.identities", func() templ.Component { return identityPart(l, v.Decided()) })
	add(len(r.AccountDetails) > 0, "accounts", "review.report.accounts", func() templ.Component { return reportAccountList(l, v) })
	add(len(r.Attributes) > 0, "figures", "review.report.figures", func() templ.Component { return reportAttributes(l, v) })
	add(len(r.Sources) > 0, "sources", "review.report.sources", func() templ.Component { return ui.Table(sourceGrid(l, r.Sources)) })
	add(true, "about", "review.report.about", func() templ.Component { return ui.Facts(aboutFacts(l, r.Product, r.Meta)) })
	return out
}

func (v ReportView) accounts(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.report.accounts_sum"), Columns: columns(l, 2, "review.report.institution",
		"review.report.account", "review.report.number", "review.report.subtype", "review.report.owner", "review.report.months",
		"review.report.balance")}
	for _, a := range v.Report.AccountDetails {
		g.Rows = append(g.Rows, []ui.Cell{{Body: textOrDash(l, report.Text(a.InstitutionName))},
			{Body: textOrDash(l, report.Text(a.AccountName))},
			{Body: lastDigits(l, report.Text(a.TruncatedNumber))}, {Body: textOrDash(l, code(l, report.Text(a.AccountSubtype)))},
			{Body: textOrDash(l, report.Text(a.OwnerFullName))}, {Text: strconv.Itoa(a.MonthsAvailable)},
			{Body: stated(l, a.CurrentBalance, a.BalanceTerms)}})
	}
	return g
}

// account returns the facts of an account that its table row does not show.
func account(l i18n.Lang, a report.Account) []ui.Fact {
	return []ui.Fact{
		{Term: i18n.T(l, "review.report.source"), Body: source(l, a.SourceID)},
		{Term: i18n.T(l, "review.report.responsible"), Body: textOrDash(l, code(l, report.Text(a.Responsibility)))},
		{Term: i18n.T(l, "review.report.opened"), Body: date(l, a.DateOpened)},
		{Term: i18n.T(l, "review.report.statement"), Body: date(l, a.LastStatementEndDate)},
	}
}

func orNever(l i18n.Lang, s string) string {
	if s == "" {
		return i18n.T(l, "review.never")
	}
	return s
}

func accountTitle(l i18n.Lang, a report.Account) string {
	title := report.Text(a.InstitutionName)
	if name := report.Text(a.AccountName); name != "" {
		title = strings.TrimPrefix(title+" · "+name, " · ")
	}
	if last := report.Text(a.TruncatedNumber); last != "" {
		title += " " + i18n.T(l, "review.report.ending") + " " + last
	}
	if title == "" {
		return i18n.T(l, "review.report.account")
	}
	return title
}
