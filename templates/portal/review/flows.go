package review

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

var (
	reportRegular    = contract.Words{EN: "Regular income and bills", ES: "Ingresos y pagos regulares"}
	reportRegularIs  = contract.Words{EN: "Series of payments of one counterparty, found by their names and days.", ES: "Series de pagos de una misma contraparte, halladas por sus nombres y días."}
	reportStreamsIn  = contract.Words{EN: "Income", ES: "Ingresos"}
	reportStreamsMix = contract.Words{EN: "Other money that comes regularly", ES: "Otras entradas regulares"}
	reportStreamsOut = contract.Words{EN: "Bills and other regular payments", ES: "Facturas y otros pagos regulares"}
	reportEnded      = contract.Words{EN: "Ended or irregular", ES: "Terminados o irregulares"}
	reportName       = contract.Words{EN: "Counterparty", ES: "Contraparte"}
	reportCategory   = contract.Words{EN: "Category", ES: "Categoría"}
	reportCadence    = contract.Words{EN: "How often", ES: "Frecuencia"}
	reportLastPaid   = contract.Words{EN: "Last", ES: "Último"}
	reportNext       = contract.Words{EN: "Next about", ES: "Próximo hacia"}
	reportSince      = contract.Words{EN: "Since", ES: "Desde"}
	reportMean       = contract.Words{EN: "Usual amount", ES: "Importe habitual"}
	reportAMonth     = contract.Words{EN: "A month", ES: "Al mes"}
	reportActive     = contract.Words{EN: "Active", ES: "Activo"}
	reportEndedAt    = contract.Words{EN: "Ended", ES: "Terminado"}
	reportNoStreams  = contract.Words{EN: "None was found.", ES: "No se halló ninguno."}

	reportCategories = contract.Words{EN: "Where money comes from and goes", ES: "De dónde viene y adónde va el dinero"}
	reportCategoryIs = contract.Words{EN: "The whole history. A month is the mean of the last complete months, 12 at most.", ES: "Todo el historial. Un mes es la media de los últimos meses completos, 12 como máximo."}
	reportGroup      = contract.Words{EN: "Group and category", ES: "Grupo y categoría"}
	reportShare      = contract.Words{EN: "Share", ES: "Parte"}
	reportTotal      = contract.Words{EN: "Total", ES: "Total"}
	reportTimes      = contract.Words{EN: "Times", ES: "Veces"}

	reportReturned   = contract.Words{EN: "Insufficient funds, overdrafts", ES: "Fondos insuficientes y sobregiros"}
	reportReturnedIs = contract.Words{EN: "Each event in the history, newest first.", ES: "Cada caso del historial, los más recientes primero."}
	reportNoReturned = contract.Words{EN: "None in the whole history.", ES: "Ninguno en todo el historial."}
	reportDate       = contract.Words{EN: "Date", ES: "Fecha"}
	reportAmount     = contract.Words{EN: "Amount", ES: "Importe"}
	reportText       = contract.Words{EN: "As the bank says it", ES: "Como lo dice el banco"}
)

// streamKind chooses streams of the analysis.
type streamKind struct {
	title   contract.Words
	in      currency
	streams []report.AnalysisStream // active, at a known cadence
	ended   []report.AnalysisStream // the others
}

func streamKinds(a *report.Analysis) []streamKind {
	cur := currency(a.In())
	out := []streamKind{{title: reportStreamsIn, in: cur}, {title: reportStreamsMix, in: cur}, {title: reportStreamsOut, in: cur}}
	for _, s := range a.Streams {
		k := &out[2]
		switch {
		case s.Direction == "IN" && s.Group == "INCOME":
			k = &out[0]
		case s.Direction == "IN":
			k = &out[1]
		}
		if s.Active && s.Cadence != "IRREGULAR" {
			k.streams = append(k.streams, s)
		} else {
			k.ended = append(k.ended, s)
		}
	}
	return slices.DeleteFunc(out, func(k streamKind) bool {
		return k.title == reportStreamsMix && len(k.streams)+len(k.ended) == 0
	})
}

// next estimates when a stream's next payment is due; false if it cannot.
func next(s report.AnalysisStream) (time.Time, bool) {
	if !s.Active {
		return time.Time{}, false
	}
	switch s.Cadence {
	case "WEEKLY":
		return s.Last.AddDate(0, 0, 7), true
	case "BIWEEKLY":
		return s.Last.AddDate(0, 0, 14), true
	case "SEMI_MONTHLY":
		return s.Last.AddDate(0, 0, 15), true
	case "MONTHLY":
		t := s.Last.AddDate(0, 1, 0)
		if t.Day() != s.Last.Day() { // the next month is shorter: its last day
			t = t.AddDate(0, 0, -t.Day())
		}
		return t, true
	}
	return time.Time{}, false
}

func (k streamKind) grid(l contract.Lang, ended bool) ui.Grid {
	g := ui.Grid{Caption: k.title.In(l), HideCaption: true, Columns: []ui.Column{{Label: reportName.In(l)}, {Label: reportCadence.In(l)},
		{Label: reportSince.In(l)}, {Label: reportLastPaid.In(l)}, {Label: reportNext.In(l)},
		{Label: reportMean.In(l), Number: true}, {Label: reportAMonth.In(l), Number: true}}}
	rows := k.streams
	if ended {
		rows = k.ended
		g.Columns[4].Label = reviewState.In(l)
	}
	for _, s := range rows {
		from, last := s.First, s.Last
		expected := ui.Cell{Body: given(l, "")}
		if t, ok := next(s); ok {
			d := report.DateOf(t)
			expected = ui.Cell{Body: date(l, &d)}
		}
		if ended {
			expected = ui.Cell{Text: reportEndedAt.In(l)}
			if s.Active {
				expected = ui.Cell{Text: reportActive.In(l)}
			}
		}
		g.Rows = append(g.Rows, []ui.Cell{{Body: streamName(l, s)}, {Text: known(l, cadenceWords, s.Cadence)},
			{Body: date(l, &from)}, {Body: date(l, &last)}, expected, {Text: k.in.say(positive(s.Mean))}, {Body: monthly(l, k.in, s.Monthly)}})
	}
	return g
}

// positive is an amount without its sign, where the heading says which way it
// goes.
func positive(c report.Cents) report.Cents { return max(c, -c) }

// flow is the money of one direction, by group and category.
type flow struct {
	title  contract.Words
	in     currency
	total  report.Cents
	groups []flowGroup
}

type flowGroup struct {
	code    string
	total   report.Cents
	monthly *report.Cents
	count   int
	kinds   []report.AnalysisCategory
}

func flows(a *report.Analysis) []flow {
	cur := currency(a.In())
	var out []flow
	for _, f := range []flow{{title: legendIn, in: cur}, {title: legendOut, in: cur}} {
		direction := "IN"
		if f.title == legendOut {
			direction = "OUT"
		}
		at := map[string]int{}
		for _, c := range a.Categories {
			if c.Direction != direction {
				continue
			}
			i, ok := at[c.Group]
			if !ok {
				i = len(f.groups)
				at[c.Group] = i
				f.groups = append(f.groups, flowGroup{code: c.Group})
			}
			g := &f.groups[i]
			f.total += positive(c.Total)
			g.total, g.count, g.kinds = g.total+positive(c.Total), g.count+c.Count, append(g.kinds, c)
			if c.Monthly != nil {
				sum := positive(*c.Monthly)
				if g.monthly != nil {
					sum += *g.monthly
				}
				g.monthly = &sum
			}
		}
		slices.SortStableFunc(f.groups, func(a, b flowGroup) int { return cmp.Compare(b.total, a.total) })
		if len(f.groups) > 0 {
			out = append(out, f)
		}
	}
	return out
}

var legendIn = contract.Words{EN: "Money in", ES: "Entradas"}

func (f flow) grid(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: f.title.In(l), HideCaption: true, Columns: []ui.Column{{Label: reportGroup.In(l)}, {Label: reportShare.In(l)},
		{Label: reportAMonth.In(l), Number: true}, {Label: reportTotal.In(l), Number: true}, {Label: reportTimes.In(l), Number: true}}}
	for _, group := range f.groups {
		// A group of one category is that category.
		if len(group.kinds) > 1 {
			g.Rows = append(g.Rows, []ui.Cell{{Body: groupCell(GroupWords(l, group.code))}, {Body: share(group.total, f.total, false)},
				{Body: monthly(l, f.in, group.monthly)}, {Text: f.in.say(group.total)}, {Text: grouped(strconv.Itoa(group.count))}})
		}
		for _, c := range group.kinds {
			name := categoryCell(l, c)
			if len(group.kinds) == 1 {
				name = groupCell(categoryName(l, c))
			}
			g.Rows = append(g.Rows, []ui.Cell{{Body: name}, {Body: share(positive(c.Total), f.total, len(group.kinds) > 1)},
				{Body: monthly(l, f.in, c.Monthly)}, {Text: f.in.say(positive(c.Total))}, {Text: grouped(strconv.Itoa(c.Count))}})
		}
	}
	return g
}

// categoryName names a category; an unknown one by its own description.
func categoryName(l contract.Lang, c report.AnalysisCategory) string {
	name := CategoryWords(l, c.Category)
	if name == c.Category && c.Description != "" {
		return c.Description
	}
	return name
}

// wholePercent is a share in whole percent, which is never nothing for something.
func wholePercent(part, whole report.Cents) string {
	if whole <= 0 {
		return "0 %"
	}
	n := (int64(part)*200 + int64(whole)) / (2 * int64(whole))
	if n == 0 && part > 0 {
		return "< 1 %"
	}
	return strconv.FormatInt(n, 10) + " %"
}

func (v ReportView) returned(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: reportReturnedIs.In(l), HideCaption: true, Columns: []ui.Column{{Label: reportDate.In(l)}, {Label: reportCategory.In(l)},
		{Label: reportAccount.In(l)}, {Label: reportText.In(l)}, {Label: reportAmount.In(l), Number: true}}}
	for _, r := range v.Analysis.Returned {
		account := ""
		for _, a := range v.Analysis.Accounts {
			if a.AccountID == r.AccountID {
				account = analysisAccount(l, a)
			}
		}
		at := r.Date
		g.Rows = append(g.Rows, []ui.Cell{{Body: date(l, &at)}, {Text: CategoryWords(l, r.Category)}, {Body: given(l, account)},
			{Body: given(l, r.Description)}, {Text: currency(v.Analysis.In()).say(r.Amount)}})
	}
	return g
}
