package review

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// ReportView is a cashflow report as a page.
type ReportView struct {
	By            string
	ApplicationID string
	Stated        *Stated // nil: nothing is known of it
	Report        *report.Cashflow
	Analysis      *report.Analysis // the explanation of its figures; nil if missing
	Pending       bool             // the analysis is still being fetched
	Query, Node   string           // choose figures; empty is all
}

// url is an address below the application's own page.
func (v ReportView) url(path string) string {
	return "/review/applications/" + v.ApplicationID + path
}

// in is the currency of the report's figures.
func (v ReportView) in() currency { return currency(v.Report.In()) }

// sheet is the page that the report has in common with other kinds.
func (v ReportView) sheet(l contract.Lang) sheet {
	s := sheet{title: reportCashflow, stated: v.Stated.beside(v, l), by: v.By, applicationID: v.ApplicationID, identities: v.Report.Identities, product: v.Report.Product,
		retrieved: v.Report.Meta.CreatedAt.Time, notices: append(noData(v.Report.Meta), currencyNotices(v.in(), v.inCurrency(l))...), sections: v.sections(l),
		downloads: []download{{"/report.json", reviewDownload}}}
	if len(v.Report.Attributes) > 0 {
		s.downloads = append(s.downloads, download{"/report.csv", reportFiguresCSV})
	}
	if v.hasMonths() {
		s.downloads = append(s.downloads, download{"/months.csv", reportMonthsCSV})
	}
	if v.Pending {
		s.notices = append(s.notices, notice{ui.Info, reportPending})
	}
	if keys := v.keys(l); len(keys) > 0 {
		s.keys = reportKeys(l, v.in(), keys)
	}
	return s
}

// source is a source's id, which may be long, with places to break it.
func source(id string) templ.Component {
	return templ.Raw(strings.ReplaceAll(templ.EscapeString(id), "_", "_<wbr>"))
}

// section is a part of the page with its heading, whose id is the section's.
type section struct {
	id, title string
	body      templ.Component
}

// sections are the parts that the report has something for.
func (v ReportView) sections(l contract.Lang) []section {
	r, a := v.Report, v.Analysis
	var out []section
	add := func(there bool, id string, title contract.Words, body func() templ.Component) {
		if there {
			out = append(out, section{id, title.In(l), body()})
		}
	}
	add(len(r.Scores) > 0, "score", reportScore, func() templ.Component { return reportScores(l, v) })
	add(v.hasDays(), "balance", reportBalances, func() templ.Component { return balancesOverTime(l, a) })
	add(v.hasMonths(), "money", reportMoney, func() templ.Component { return reportMonthly(l, a) })
	add(a != nil && len(a.Streams) > 0, "regular", reportRegular, func() templ.Component { return reportStreams(l, a) })
	add(a != nil && len(a.Categories) > 0, "categories", reportCategories, func() templ.Component { return reportFlows(l, a) })
	add(v.hasMonths(), "returned", reportReturned, func() templ.Component { return reportReturns(l, v) })
	add(len(r.Identities) > 0, "identity", reportIdentities, func() templ.Component { return identityPart(l, r.Identities) })
	add(len(r.AccountDetails) > 0, "accounts", reportAccounts, func() templ.Component { return reportAccountList(l, v) })
	add(len(r.Attributes) > 0, "figures", reportFigures, func() templ.Component { return reportAttributes(l, v) })
	add(len(r.Sources) > 0, "sources", reportSources, func() templ.Component { return ui.Table(sourceGrid(l, r.Sources)) })
	add(true, "about", reportAbout, func() templ.Component { return ui.Facts(aboutFacts(l, r.Product, r.Meta)) })
	return out
}

// comparison is what the consumer's identity says of another one.
type comparison int

const (
	notCompared comparison = iota
	typed
	matched
	unmatched
)

// compare compares an identity's name with the applicant's: the consumer-input
// identity lists the others under matched or unmatched.
func compare(all []report.Identity, of report.Identity) comparison {
	if of.Matching != nil {
		return typed
	}
	ref := report.SourceRef{SourceID: of.SourceID, SourceUUID: of.SourceUUID, SourceRecordID: of.SourceRecordID}
	for _, typedOne := range all {
		if typedOne.Matching == nil {
			continue
		}
		for _, r := range typedOne.Matching.FullName.Matched {
			if same(r, ref) {
				return matched
			}
		}
		for _, r := range typedOne.Matching.FullName.Unmatched {
			if same(r, ref) {
				return unmatched
			}
		}
	}
	if of.SourceID == report.ConsumerInput || of.SourceID == report.CustomerInput {
		return typed
	}
	return notCompared
}

func same(a, b report.SourceRef) bool {
	return a.SourceID == b.SourceID && report.Text(a.SourceUUID) == report.Text(b.SourceUUID) &&
		report.Text(a.SourceRecordID) == report.Text(b.SourceRecordID)
}

// agreement sums the comparison up: whether anything was compared, and whether
// everything matched.
func agreement(all []report.Identity) (compared, agrees bool) {
	agrees = true
	for _, i := range all {
		if i.Matching == nil {
			continue
		}
		f := i.Matching.FullName
		compared = compared || len(f.Matched)+len(f.Unmatched) > 0
		agrees = agrees && len(f.Unmatched) == 0
	}
	return compared, compared && agrees
}

func (v ReportView) accounts(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: reportAccountsSum.In(l), Columns: []ui.Column{
		{Label: reportInstitution.In(l)}, {Label: reportAccount.In(l)}, {Label: reportNumber.In(l)}, {Label: reportSubtype.In(l)},
		{Label: reportOwner.In(l)}, {Label: reportMonths.In(l), Number: true}, {Label: reportBalance.In(l), Number: true},
	}}
	for _, a := range v.Report.AccountDetails {
		g.Rows = append(g.Rows, []ui.Cell{{Body: given(l, report.Text(a.InstitutionName))}, {Body: given(l, report.Text(a.AccountName))},
			{Body: ending(l, report.Text(a.TruncatedNumber))}, {Body: given(l, code(l, report.Text(a.AccountSubtype)))},
			{Body: given(l, report.Text(a.OwnerFullName))}, {Text: strconv.Itoa(a.MonthsAvailable)}, {Body: stated(l, a.CurrentBalance, a.BalanceTerms)}})
	}
	return g
}

// account is one account in full, besides what the table above says of it.
func account(l contract.Lang, a report.Account) []ui.Fact {
	return []ui.Fact{
		{Term: reportSource.In(l), Body: source(a.SourceID)},
		{Term: reportResponsible.In(l), Body: given(l, code(l, report.Text(a.Responsibility)))},
		{Term: reportOpened.In(l), Body: date(l, a.DateOpened)},
		{Term: reportStatement.In(l), Body: date(l, a.LastStatementEndDate)},
	}
}

func orNever(l contract.Lang, s string) string {
	if s == "" {
		return reportNever.In(l)
	}
	return s
}

// accountTitle names an account in a heading.
func accountTitle(l contract.Lang, a report.Account) string {
	title := report.Text(a.InstitutionName)
	if name := report.Text(a.AccountName); name != "" {
		title = strings.TrimPrefix(title+" · "+name, " · ")
	}
	if last := report.Text(a.TruncatedNumber); last != "" {
		title += " " + reportEnding.In(l) + " " + last
	}
	if title == "" {
		return reportAccount.In(l)
	}
	return title
}

// mailing is an address in one line.
func mailing(a report.Address) string {
	if full := report.Text(a.Address); full != "" {
		return full
	}
	var parts []string
	for _, p := range []*string{a.Street, a.Neighborhood, a.District, a.City, a.State, a.ZIPCode} {
		if s := report.Text(p); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}
