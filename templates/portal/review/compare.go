package review

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// Words of two reports side by side.
var (
	compareTitle      = contract.Words{EN: "Two reports of one person", ES: "Dos informes de una persona"}
	compareIntro      = contract.Words{EN: "The figures that matter, the older report first. The difference is how the newer one stands to it.", ES: "Las cifras que importan, primero el informe más antiguo. La diferencia es cómo está el más nuevo respecto a él."}
	compareDiffer     = contract.Words{EN: "Difference", ES: "Diferencia"}
	compareSame       = contract.Words{EN: "none", ES: "ninguna"}
	compareNone       = contract.Words{EN: "Neither report has a figure that compares.", ES: "Ningún informe tiene una cifra comparable."}
	compareDo         = contract.Words{EN: "Compare the reports", ES: "Comparar los informes"}
	compareOthers     = contract.Words{EN: "Other applications of this person", ES: "Otras solicitudes de esta persona"}
	compareBy         = contract.Words{EN: "By the same e-mail address or name. Two people can have one name.", ES: "Por el mismo correo o nombre. Dos personas pueden llamarse igual."}
	compareMore       = contract.Words{EN: "There are more: search for the name.", ES: "Hay más: busque por el nombre."}
	compareMonths     = contract.Words{EN: "Months paid late", ES: "Meses pagados con retraso"}
	compareCurrencies = contract.Words{EN: "different currencies", ES: "monedas distintas"}
	compareModel      = contract.Words{EN: "model", ES: "modelo"}
)

// Other is another application of a person. Compare is the page that compares the two
// reports; empty if they cannot be compared.
type Other struct {
	Row     Row
	Compare string
}

// CompareView is two reports of one kind, the older one first.
type CompareView struct {
	By            string // email of the signed-in user
	ApplicationID string
	Reports       [2]Compared
}

// Compared is one of them.
type Compared struct {
	Row    Row
	Name   string // the applicant's, or empty, as the next
	Email  string
	At     time.Time
	Report Measured
}

// Measured is a report with figures that compare: the view of any kind of report.
type Measured interface {
	measures(l contract.Lang) []measure
	sources() found
}

// measure is a figure that compares with that of the same name in another report.
type measure struct {
	name  string
	in    currency // of an amount in cents; empty for a count
	value int64
	none  bool // the report has no value
}

func (m measure) say() string {
	if m.in != "" {
		return m.in.say(report.Cents(m.value))
	}
	return grouped(strconv.FormatInt(m.value, 10))
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

// isAmount reports whether an attribute is an amount, which two decimals tell.
func isAmount(a report.Attribute) bool {
	_, decimals, _ := strings.Cut(a.Value.String(), ".")
	return len(decimals) == 2
}

func (v ReportView) measures(l contract.Lang) []measure {
	var out []measure
	for i := len(v.Report.Scores) - 1; i >= 0; i-- {
		s := v.Report.Scores[i]
		m := measure{name: reportScore.In(l) + " " + s.ScoreVersion, none: s.Value == nil}
		if s.Value != nil {
			m.value = int64(*s.Value)
		}
		out = append(out, m)
	}
	for _, k := range v.keys(l) {
		m := measure{name: k.label, none: k.none}
		if isAmount(k.of) {
			m.in = v.in()
		}
		if !k.none {
			c, err := report.ParseCents(k.of.Value.String())
			if err != nil {
				continue
			}
			if m.value = int64(c); m.in == "" {
				m.value /= 100
			}
		}
		out = append(out, m)
	}
	return append(out, count(reportAccounts.In(l), len(v.Report.AccountDetails)))
}

func (v IncomeView) measures(l contract.Lang) []measure {
	n := v.Report.Income
	if n == nil {
		return nil
	}
	out := []measure{inCents(incomeAnnualGross.In(l), v.summaryIn(), n.Summary.AnnualGross), inCents(incomeAnnualNet.In(l), v.summaryIn(), n.Summary.AnnualNet)}
	for i, a := range n.FinancialAccounts {
		of := ""
		if len(n.FinancialAccounts) > 1 {
			of = ", " + compareModel.In(l) + " " + strconv.Itoa(i+1)
		}
		out = append(out, inUnits(incomeRecentGross.In(l)+of, v.in(), a.GrossRecent))
		if a.MatchedIncome != nil {
			out = append(out, inUnits(incomeStated.In(l)+of, usd, a.MatchedIncome.StatedAnnualIncome))
		}
	}
	return append(out, count(incomeFromStubs.In(l), len(n.Paystubs)))
}

func (v EligibilityView) measures(l contract.Lang) []measure {
	var out []measure
	if gross, net, ok := v.payrollIncome(); ok {
		out = append(out, inCents(incomeAnnualGross.In(l), usd, &gross), inCents(incomeAnnualNet.In(l), usd, &net))
	}
	if sum, ok := v.deposited(); ok {
		out = append(out, inCents(eligibilityDeposited.In(l), v.in(), &sum))
	}
	if now, average, ok := v.held(); ok {
		out = append(out, inCents(eligibilityHeld.In(l), v.in(), &now), inCents(eligibilityAverage.In(l), v.in(), &average))
	}
	if len(v.Report.StatedEmployers) > 0 {
		out = append(out, count(eligibilityEmployersShort.In(l), v.count()[employerVerified]))
	}
	return out
}

func (v PassportView) measures(l contract.Lang) []measure {
	var out []measure
	for _, s := range v.Report.Scores {
		out = append(out, count(passportScore.In(l)+" "+s.Type, s.Value))
	}
	for _, c := range v.Report.Currencies {
		of := ", " + c.Currency
		out = append(out, inCents(tradeBalance.In(l)+of, usd, c.TotalsUSD.Balance), inCents(tradePayment.In(l)+of, usd, c.TotalsUSD.MonthlyPayment), inCents(tradePastDue.In(l)+of, usd, c.TotalsUSD.PastDue))
	}
	late, _ := v.late()
	return append(out, count(passportTradelines.In(l), len(v.Report.Tradelines)), count(compareMonths.In(l), late))
}

// pairs puts the figures of both reports beside each other, in the newer one's order
// and then the older one's.
func (v CompareView) pairs(l contract.Lang) [][2]measure {
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
func difference(l contract.Lang, p [2]measure) string {
	d := measure{in: p[0].in, value: p[1].value - p[0].value}
	switch {
	case p[0].none || p[1].none:
		return ""
	case p[0].in != p[1].in:
		return compareCurrencies.In(l)
	case d.value == 0:
		return compareSame.In(l)
	case d.value > 0:
		return "+" + d.say()
	case d.in == "":
		d.value = -d.value
		return "−" + d.say()
	}
	return d.say()
}

func (v CompareView) grid(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: compareTitle.In(l), HideCaption: true, Named: true, Columns: []ui.Column{{Label: reportFigure.In(l)}}}
	for _, r := range v.Reports {
		g.Columns = append(g.Columns, ui.Column{Label: shorten(r.Row) + ", " + ui.DayWords(l, r.At.UTC()), Number: true})
	}
	g.Columns = append(g.Columns, ui.Column{Label: compareDiffer.In(l), Number: true})
	// Whose they are, because a name alone does not say that it is one person.
	about := func(name contract.Words, of func(Compared) templ.Component) {
		g.Rows = append(g.Rows, []ui.Cell{{Text: name.In(l)}, {Body: of(v.Reports[0]), Words: true}, {Body: of(v.Reports[1]), Words: true}, {}})
	}
	about(listName, func(r Compared) templ.Component { return given(l, r.Name) })
	about(reviewEmail, func(r Compared) templ.Component { return given(l, r.Email) })
	about(listDecision, func(r Compared) templ.Component { return decisionBadge(l, r.Row.Decision) })
	for _, p := range v.pairs(l) {
		row := []ui.Cell{{Text: p[0].name}}
		for _, m := range p {
			if m.none {
				row = append(row, ui.Cell{Body: given(l, "")})
			} else {
				row = append(row, ui.Cell{Text: m.say()})
			}
		}
		g.Rows = append(g.Rows, append(row, ui.Cell{Body: given(l, difference(l, p))}))
	}
	return g
}

func (v ApplicationView) others(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: compareOthers.In(l), HideCaption: true, Columns: []ui.Column{{Label: reviewOpen.In(l)}, {Label: reviewProduct.In(l)}, {Label: reviewState.In(l)},
		{Label: listDecision.In(l)}, {Label: reviewBegan.In(l)}, {Label: reviewReport.In(l)}}}
	for _, o := range v.Others {
		compare := ui.Cell{Body: given(l, "")}
		if o.Compare != "" {
			compare = ui.Cell{Text: compareDo.In(l), URL: o.Compare}
		}
		g.Rows = append(g.Rows, []ui.Cell{{Text: shorten(o.Row), URL: "/review/applications/" + o.Row.ID}, {Text: known(l, productWords, o.Row.Product)},
			{Body: stateBadge(l, o.Row.State)}, {Body: decisionBadge(l, o.Row.Decision)}, {Body: when(l, o.Row.CreatedAt)}, compare})
	}
	return g
}
