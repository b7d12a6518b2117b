package review

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// Selection selects transactions of a cashflow report. Empty fields select all.
type Selection struct {
	Category, Direction string // Direction is IN or OUT
	Stream              int    // counted from 1; 0 for any
	Account             int    // counted from 1; 0 for any
	Bin                 string // letter of a bin of the score
	Month               string // YYYY-MM
	Day                 string // YYYY-MM-DD
	Returned            bool   // only NSF and overdraft events
}

// ReadSelection reads a selection from a query; false if it is not valid for the analysis.
func ReadSelection(q url.Values, a *report.Analysis) (Selection, bool) {
	s := Selection{Category: q.Get("category"), Direction: q.Get("direction"), Bin: q.Get("bin"), Month: q.Get("month"), Day: q.Get("day"),
		Returned: q.Get("returned") != ""}
	for _, n := range []struct {
		name string
		to   *int
		most int
	}{{"stream", &s.Stream, len(a.Streams)}, {"account", &s.Account, len(a.Accounts)}} {
		if text := q.Get(n.name); text != "" {
			var err error
			if *n.to, err = strconv.Atoi(text); err != nil || *n.to < 1 || *n.to > n.most {
				return s, false
			}
		}
	}
	_, month := time.Parse("2006-01", s.Month)
	_, day := time.Parse(time.DateOnly, s.Day)
	known := s.Category == "" || slices.ContainsFunc(a.Categories, func(c report.AnalysisCategory) bool { return c.Category == s.Category })
	return s, known && (s.Direction == "" || s.Direction == "IN" || s.Direction == "OUT") && len(s.Bin) <= 1 &&
		(s.Month == "" || month == nil) && (s.Day == "" || day == nil)
}

func (s Selection) query() url.Values {
	q := url.Values{}
	for _, v := range [][2]string{{"category", s.Category}, {"direction", s.Direction}, {"bin", s.Bin}, {"month", s.Month}, {"day", s.Day}} {
		if v[1] != "" {
			q.Set(v[0], v[1])
		}
	}
	if s.Stream > 0 {
		q.Set("stream", strconv.Itoa(s.Stream))
	}
	if s.Account > 0 {
		q.Set("account", strconv.Itoa(s.Account))
	}
	if s.Returned {
		q.Set("returned", "1")
	}
	return q
}

func (s Selection) selects(t report.AnalysisTransaction) bool {
	// Figures of categories leave out own transfers.
	figure := s.Category != "" || s.Direction != ""
	return (s.Category == "" || t.Category == s.Category) && !(figure && t.OwnTransfer) &&
		(s.Direction == "" || s.Direction == "IN" && t.Amount > 0 || s.Direction == "OUT" && t.Amount < 0) &&
		(s.Stream == 0 || t.Stream != nil && *t.Stream == s.Stream-1) &&
		(s.Account == 0 || t.Account == s.Account-1) &&
		(s.Bin == "" || strings.Contains(t.Bins, s.Bin)) &&
		(s.Month == "" || t.Date.Format("2006-01") == s.Month) && (s.Day == "" || t.Date.String() == s.Day) &&
		(!s.Returned || t.Returned)
}

// transactions returns the address of the page of selected transactions; "" if the page
// has no links, or the report no transactions.
func (v ReportView) transactions(s Selection) string {
	if v.ApplicationID == "" || v.Analysis == nil || !v.Analysis.HasTransactions() {
		return ""
	}
	q := s.query()
	v.Held.addTo(q)
	if v.Place != nil {
		q.Set("list", v.Place.List)
	}
	return v.url("/transactions?" + q.Encode())
}

// shownTransactions is the maximum number of transactions on a page.
const shownTransactions = 500

// TransactionsView is the page of the transactions that make up a figure.
type TransactionsView struct {
	ReportView
	Name     string // the applicant's
	Selected Selection
}

func (v TransactionsView) all() []report.AnalysisTransaction {
	var out []report.AnalysisTransaction
	for _, t := range v.Analysis.Transactions {
		if v.Selected.selects(t) {
			out = append(out, t)
		}
	}
	return out
}

// nearestDays returns the days with transactions before and after the selected day, "" for none.
func (v TransactionsView) nearestDays() (before, after string) {
	any := Selection{Account: v.Selected.Account}
	for _, t := range v.Analysis.Transactions {
		switch day := t.Date.String(); {
		case !any.selects(t):
		case day < v.Selected.Day && day > before:
			before = day
		case day > v.Selected.Day && (after == "" || day < after):
			after = day
		}
	}
	return before, after
}

// dayWords formats a day of a selection.
func dayWords(l i18n.Lang, day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return ui.DayWords(l, t)
}

func monthWordsOf(l i18n.Lang, day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return monthName(l, t)
}

// title names the figure that the transactions make up.
func (v TransactionsView) title(l i18n.Lang) string {
	var parts []string
	s := v.Selected
	if s.Bin != "" {
		parts = append(parts, v.binWords(l, s.Bin))
	}
	if s.Stream > 0 {
		parts = append(parts, v.Analysis.Streams[s.Stream-1].Name)
	}
	if s.Account > 0 {
		parts = append(parts, analysisAccount(l, v.Analysis.Accounts[s.Account-1]))
	}
	if s.Category != "" {
		parts = append(parts, i18n.Code(l, "review.categories", s.Category))
	} else if s.Direction == "IN" {
		parts = append(parts, i18n.T(l, "review.legend.in"))
	} else if s.Direction == "OUT" {
		parts = append(parts, i18n.T(l, "review.legend.out"))
	}
	if s.Returned {
		parts = append(parts, i18n.T(l, "review.report.returned"))
	}
	if t, err := time.Parse("2006-01", s.Month); err == nil {
		parts = append(parts, monthName(l, t))
	}
	if t, err := time.Parse(time.DateOnly, s.Day); err == nil {
		parts = append(parts, ui.DayWords(l, t))
	}
	if len(parts) == 0 {
		return i18n.T(l, "review.transactions.title")
	}
	return strings.Join(parts, " · ")
}

// binWords describes the attribute of a bin.
func (v TransactionsView) binWords(l i18n.Lang, letter string) string {
	for _, s := range v.Analysis.Scores {
		for _, b := range s.Bins {
			if b.Letter == letter && s.Version == countedVersion {
				words, _ := v.currency().attributeWords(l, b.Attribute, b.Description)
				return words
			}
		}
	}
	return letter
}

// countedVersion is the version of the score whose bins transactions name.
const countedVersion = "v2.0"

// sum describes the selected transactions.
func (v TransactionsView) sum(l i18n.Lang, all []report.AnalysisTransaction) string {
	var in, out report.Cents
	for _, t := range all {
		if t.Amount > 0 {
			in += t.Amount
		} else {
			out += t.Amount
		}
	}
	text := i18n.N(l, "review.transactions.count", len(all))
	if in != 0 {
		text += " " + i18n.T(l, "review.transactions.in", "amount", v.currency().format(in))
	}
	if out != 0 {
		text += " " + i18n.T(l, "review.transactions.out", "amount", v.currency().format(-out))
	}
	return text
}

func (v TransactionsView) grid(l i18n.Lang, all []report.AnalysisTransaction) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.transactions.title"), HideCaption: true, Columns: columns(l, 1, "review.report.date",
		"review.report.text", "review.report.category", "review.report.account", "review.amount")}
	for _, t := range all[:min(len(all), shownTransactions)] {
		day := t.Date
		category := ui.Cell{Text: i18n.Code(l, "review.categories", t.Category)}
		switch {
		case t.OwnTransfer:
			category = ui.Cell{Text: i18n.T(l, "review.transactions.own")}
		case t.Amount != 0:
			category.URL = v.transactions(Selection{Category: t.Category, Direction: directionOf(t.Amount)})
		}
		when := ui.Cell{Body: date(l, &day)}
		if v.Selected.Day == "" {
			when = ui.Cell{Body: dayLink(l, day.Time, v.transactions(Selection{Account: v.Selected.Account, Day: day.String()}))}
		}
		g.Rows = append(g.Rows, []ui.Cell{when, {Body: textOrDash(l, t.Description)}, category,
			{Body: accountCell(l, v.Analysis.Accounts[t.Account])}, {Text: v.currency().format(t.Amount)}})
	}
	return g
}

func directionOf(c report.Cents) string {
	if c > 0 {
		return "IN"
	}
	return "OUT"
}
