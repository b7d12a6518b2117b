package review

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// Other is another application of the applicant. Compare is the address of the page that
// compares the two reports; empty if they cannot be compared.
type Other struct {
	Row     Row
	Compare string
}

// CompareView is the page with two reports of one product, the older one first.
type CompareView struct {
	ApplicationID string
	Place         *Place // in the list from which the application was opened; nil for none
	Revisions     bool   // both are revisions of one report
	Reports       [2]Compared
}

// Compared is one of the two reports.
type Compared struct {
	Row    Row
	Name   string // the applicant's; may be empty, like Email
	Email  string
	Held   HeldReport
	At     time.Time
	Report Measured
}

func (r Compared) url() string { return Case{ApplicationID: r.Row.ID, Held: r.Held}.caseURL("/report") }

// Measured is the view of a report of any product.
type Measured interface {
	measures(l i18n.Lang) []measure // figures that can be compared
	Decided() verdict.Verdict       // what the report means
	sheet(l i18n.Lang) sheet        // parts of the page
	printScore(p *printer)          // adds the score to a printout
	print(p *printer)               // adds the tables to a printout
}

// measure is a figure. Figures of the same name in two reports are compared.
type measure struct {
	name  string
	in    currency // of an amount in cents; empty for a count
	value int64
	none  bool // the report has no value
}

func (m measure) format() string {
	if m.in != "" {
		return m.in.format(report.Cents(m.value))
	}
	return i18n.Grouped(strconv.FormatInt(m.value, 10))
}

func inCents(name string, in currency, c *report.Cents) measure {
	if c == nil {
		return measure{name: name, in: in, none: true}
	}
	return measure{name: name, in: in, value: int64(*c)}
}

// inUnits is inCents for whole units of the currency.
func inUnits(name string, in currency, units *int64) measure {
	if units == nil {
		return measure{name: name, in: in, none: true}
	}
	return measure{name: name, in: in, value: *units * 100}
}

func count(name string, n int) measure { return measure{name: name, value: int64(n)} }

// isAmount reports whether an attribute is an amount: its value has two decimals.
func isAmount(a report.Attribute) bool {
	_, decimals, _ := strings.Cut(a.Value.String(), ".")
	return len(decimals) == 2
}

func (v ReportView) measures(l i18n.Lang) []measure {
	var out []measure
	for i := len(v.Report.Scores) - 1; i >= 0; i-- {
		s := v.Report.Scores[i]
		m := measure{name: i18n.T(l, "review.report.score") + " " + s.ScoreVersion, none: s.Value == nil}
		if s.Value != nil {
			m.value = int64(*s.Value)
		}
		out = append(out, m)
	}
	for _, k := range keyFigures {
		a := v.Report.Attribute(k.name)
		if a == nil {
			continue
		}
		m := measure{name: i18n.T(l, k.label), none: sentinel(l, a.Name, a.Value) != ""}
		if isAmount(*a) {
			m.in = v.currency()
		}
		if !m.none {
			c, err := report.ParseCents(a.Value.String())
			if err != nil {
				continue
			}
			if m.value = int64(c); m.in == "" {
				m.value /= 100
			}
		}
		out = append(out, m)
	}
	return append(out, count(i18n.T(l, "review.report.accounts"), len(v.Report.AccountDetails)))
}

func (v IncomeView) measures(l i18n.Lang) []measure {
	n := v.Report.Income
	if n == nil {
		return nil
	}
	out := []measure{inCents(i18n.T(l, "review.income.annual_gross"), v.summaryCurrency(), n.Summary.AnnualGross),
		inCents(i18n.T(l, "review.income.annual_net"), v.summaryCurrency(), n.Summary.AnnualNet)}
	for i, a := range n.FinancialAccounts {
		of := ""
		if len(n.FinancialAccounts) > 1 {
			of = ", " + i18n.T(l, "review.compare.model") + " " + strconv.Itoa(i+1)
		}
		out = append(out, inUnits(i18n.T(l, "review.income.recent_gross")+of, v.currency(), a.GrossRecent),
			inUnits(i18n.T(l, "review.income.recent_net")+of, v.currency(), a.NetRecent))
		if a.MatchedIncome != nil {
			out = append(out, inUnits(i18n.T(l, "review.income.stated")+of, usd, a.MatchedIncome.StatedAnnualIncome))
		}
	}
	return append(out, count(i18n.T(l, "review.income.from_stubs"), len(n.Paystubs)))
}

func (v EligibilityView) measures(l i18n.Lang) []measure {
	out := []measure{inCents(i18n.T(l, "review.income.annual_gross"), usd, v.Verdict.Gross),
		inCents(i18n.T(l, "review.income.annual_net"), usd, v.Verdict.Net),
		inCents(i18n.T(l, "review.eligibility.deposited"), v.currency(), v.Verdict.Deposited),
		inCents(i18n.T(l, "review.eligibility.held"), v.currency(), v.Verdict.Held),
		inCents(i18n.T(l, "review.eligibility.average"), v.currency(), v.Verdict.Average)}
	if len(v.Report.StatedEmployers) > 0 {
		out = append(out, count(i18n.T(l, "review.eligibility.employers_short"), v.Verdict.CountEmployers(verdict.EmployerVerified)))
	}
	return out
}

func (v PassportView) measures(l i18n.Lang) []measure {
	var out []measure
	for _, s := range v.Report.Scores {
		out = append(out, count(i18n.T(l, "review.passport.score")+" "+s.Type, s.Value))
	}
	for _, c := range v.Report.Currencies {
		of := ", " + c.Currency
		out = append(out, inCents(i18n.T(l, "review.trade.balance")+of, usd, c.TotalsUSD.Balance),
			inCents(i18n.T(l, "review.trade.payment")+of, usd, c.TotalsUSD.MonthlyPayment),
			inCents(i18n.T(l, "review.trade.past_due")+of, usd, c.TotalsUSD.PastDue))
	}
	return append(out, count(i18n.T(l, "review.passport.tradelines"), len(v.Report.Tradelines)),
		count(i18n.T(l, "review.compare.months"), v.Verdict.Late))
}

// pairs returns the figures of both reports in pairs, in the order of the newer report,
// then those that only the older one has.
func (v CompareView) pairs(l i18n.Lang) [][2]measure {
	older, newer := v.Reports[0].Report.measures(l), v.Reports[1].Report.measures(l)
	of := func(all []measure, like measure) measure {
		if i := slices.IndexFunc(all, func(m measure) bool { return m.name == like.name }); i >= 0 {
			return all[i]
		}
		return measure{name: like.name, in: like.in, none: true}
	}
	var out [][2]measure
	for _, m := range newer {
		out = append(out, [2]measure{of(older, m), m})
	}
	for _, m := range older {
		if !slices.ContainsFunc(newer, func(n measure) bool { return n.name == m.name }) {
			out = append(out, [2]measure{m, of(nil, m)})
		}
	}
	return slices.DeleteFunc(out, func(p [2]measure) bool { return p[0].none && p[1].none })
}

// difference describes how the second figure differs from the first; empty when
// one of them has no value.
func difference(l i18n.Lang, p [2]measure) string {
	d := measure{in: p[0].in, value: p[1].value - p[0].value}
	switch {
	case p[0].none || p[1].none:
		return ""
	case p[0].in != p[1].in:
		return i18n.T(l, "review.compare.currencies")
	case d.value == 0:
		return i18n.T(l, "review.none")
	case d.value > 0:
		return "+" + d.format()
	case d.in == "":
		d.value = -d.value
		return "−" + d.format()
	}
	return d.format()
}

func (v CompareView) grid(l i18n.Lang) ui.Grid {
	title, _ := v.title()
	g := ui.Grid{Caption: i18n.T(l, title), HideCaption: true, Named: true,
		Columns: []ui.Column{{Label: i18n.T(l, "review.report.figure")}}}
	for _, r := range v.Reports {
		g.Columns = append(g.Columns, ui.Column{Label: v.label(l, r), Number: true})
	}
	g.Columns = append(g.Columns, ui.Column{Label: i18n.T(l, "review.compare.differ"), Number: true})
	// Show both applicants, because the same name may belong to different people.
	about := func(name i18n.Key, of func(Compared) templ.Component) {
		g.Rows = append(g.Rows, []ui.Cell{{Text: i18n.T(l, name)}, {Body: of(v.Reports[0]), Words: true},
			{Body: of(v.Reports[1]), Words: true}, {}})
	}
	if v.Revisions {
		v.addFindings(l, about)
	} else {
		v.addApplicants(l, about)
	}
	for _, p := range v.pairs(l) {
		row := []ui.Cell{{Text: p[0].name}}
		for _, m := range p {
			if m.none {
				row = append(row, ui.Cell{Body: textOrDash(l, "")})
			} else {
				row = append(row, ui.Cell{Text: m.format()})
			}
		}
		g.Rows = append(g.Rows, append(row, ui.Cell{Body: textOrDash(l, difference(l, p))}))
	}
	return g
}

// addApplicants adds the applicants of two applications and the decisions on them.
func (v CompareView) addApplicants(l i18n.Lang, about func(i18n.Key, func(Compared) templ.Component)) {
	about("review.list.name", func(r Compared) templ.Component { return textOrDash(l, r.Name) })
	about("review.email.label", func(r Compared) templ.Component { return textOrDash(l, r.Email) })
	about("review.decision", func(r Compared) templ.Component { return decisionBadge(l, r.Row.Decision) })
}

// addFindings adds the answers to the reviewer's questions, of two revisions.
func (v CompareView) addFindings(l i18n.Lang, about func(i18n.Key, func(Compared) templ.Component)) {
	for _, f := range v.Reports[1].Report.Decided().Findings {
		about(f.Question, func(r Compared) templ.Component {
			all := r.Report.Decided().Findings
			if i := slices.IndexFunc(all, func(of verdict.Finding) bool { return of.Question == f.Question }); i >= 0 {
				return levelBadge(l, all[i].Level)
			}
			return textOrDash(l, "")
		})
	}
}

// title returns the heading of the page and the text below it.
func (v CompareView) title() (title, intro i18n.Key) {
	if v.Revisions {
		return "review.revision.changed", "review.revision.intro"
	}
	return "review.compare.title", "review.compare.intro"
}

func (v ApplicationView) others(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.compare.others"), HideCaption: true,
		Columns: columns(l, 0, "review.application.label", "review.application.product", "review.application.state", "review.decision",
			"review.application.began", "review.application.report")}
	for _, o := range v.Others {
		compare := ui.Cell{Body: textOrDash(l, "")}
		if o.Compare != "" {
			compare = ui.Cell{Text: i18n.T(l, "review.compare.submit"), URL: o.Compare}
		}
		g.Rows = append(g.Rows, []ui.Cell{{Text: applicationName(o.Row), URL: "/review/applications/" + o.Row.ID},
			{Text: i18n.Code(l, "review.products", o.Row.Product)},
			{Body: stateBadge(l, o.Row.State)}, {Body: decisionBadge(l, o.Row.Decision)}, {Text: ui.DayWords(l, o.Row.CreatedAt.UTC())}, compare})
	}
	return g
}
