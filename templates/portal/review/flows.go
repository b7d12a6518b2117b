package review

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// streamKind holds the streams of one kind.
type streamKind struct {
	title   i18n.Key
	in      currency
	streams []stream // active, at a known cadence
	ended   []stream // the others
}

// stream is a stream with its place in the analysis, counted from 1.
type stream struct {
	report.AnalysisStream
	number int
}

func streamKinds(a *report.Analysis) []streamKind {
	cur := currency(a.CurrencyCode())
	out := []streamKind{{title: "review.income.label", in: cur}, {title: "review.report.streams_mix", in: cur},
		{title: "review.report.streams_out", in: cur}}
	for i, s := range a.Streams {
		k := &out[2]
		switch {
		case s.Direction == "IN" && s.Group == "INCOME":
			k = &out[0]
		case s.Direction == "IN":
			k = &out[1]
		}
		if s.Active && s.Cadence != "IRREGULAR" {
			k.streams = append(k.streams, stream{s, i + 1})
		} else {
			k.ended = append(k.ended, stream{s, i + 1})
		}
	}
	return slices.DeleteFunc(out, func(k streamKind) bool {
		return k.title == "review.report.streams_mix" && len(k.streams)+len(k.ended) == 0
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

func (k streamKind) grid(l i18n.Lang, v ReportView, ended bool) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, k.title), HideCaption: true,
		Columns: columns(l, 2, "review.report.name", "review.report.cadence", "review.since", "review.report.last_paid", "review.report.next",
			"review.report.mean", "review.a_month")}
	rows := k.streams
	if ended {
		rows = k.ended
		g.Columns[4].Label = i18n.T(l, "review.application.state")
	}
	for _, s := range rows {
		from, last := s.First, s.Last
		expected := ui.Cell{Body: textOrDash(l, "")}
		if t, ok := next(s.AnalysisStream); ok {
			d := report.DateOf(t)
			expected = ui.Cell{Body: date(l, &d)}
		}
		if ended {
			expected = ui.Cell{Text: i18n.T(l, "review.report.ended_at")}
			if s.Active {
				expected = ui.Cell{Text: i18n.T(l, "review.active")}
			}
		}
		g.Rows = append(g.Rows, []ui.Cell{
			{Body: as(streamName(l, s.AnalysisStream, v.transactions(Selection{Stream: s.number})), s.Name,
				i18n.Code(l, "review.categories", s.Category))},
			{Text: i18n.Code(l, "review.cadences", s.Cadence)},
			{Body: date(l, &from)}, {Body: date(l, &last)}, expected, {Text: k.in.format(positive(s.Mean))}, {Body: monthly(l, k.in, s.Monthly)}})
	}
	return g
}

// positive returns an amount without its sign, for headings that name the direction.
func positive(c report.Cents) report.Cents { return max(c, -c) }

// flow is the money of one direction, by group and category.
type flow struct {
	title  i18n.Key
	way    string // IN or OUT
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
	cur := currency(a.CurrencyCode())
	var out []flow
	for _, f := range []flow{{title: "review.legend.in", in: cur}, {title: "review.legend.out", in: cur}} {
		direction := "IN"
		if f.title == "review.legend.out" {
			direction = "OUT"
		}
		f.way = direction
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

func (f flow) grid(l i18n.Lang, v ReportView) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, f.title), HideCaption: true,
		Columns: columns(l, 3, "review.report.group", "review.report.share", "review.a_month", "review.report.total", "review.report.times")}
	for _, group := range f.groups {
		// Show a group with one category as that category.
		if len(group.kinds) > 1 {
			g.Rows = append(g.Rows, []ui.Cell{{Body: strong(i18n.Code(l, "review.category_groups", group.code))},
				{Body: share(group.total, f.total, false)},
				{Body: monthly(l, f.in, group.monthly)}, {Text: f.in.format(group.total)}, {Text: i18n.Count(group.count)}})
		}
		for _, c := range group.kinds {
			name := as(category(categoryName(l, c)), categoryName(l, c))
			if len(group.kinds) == 1 {
				name = strong(categoryName(l, c))
			}
			g.Rows = append(g.Rows, []ui.Cell{{Body: name}, {Body: share(positive(c.Total), f.total, len(group.kinds) > 1)},
				{Body: monthly(l, f.in, c.Monthly)}, {Text: f.in.format(positive(c.Total))},
				{Text: i18n.Count(c.Count), URL: v.transactions(Selection{Category: c.Category, Direction: f.way})}})
		}
	}
	return g
}

// monthly shows an amount without its sign.
func monthly(l i18n.Lang, cur currency, c *report.Cents) printed {
	if c == nil {
		return textOrDash(l, "")
	}
	return textOrDash(l, cur.format(positive(*c)))
}

func strong(words string) printed {
	p := as(groupCell(words), words)
	p.Strong = true
	return p
}

// share shows a share of a sum as a bar and in percent.
func share(part, whole report.Cents, quiet bool) printed {
	return as(shareBar(part, whole, quiet), wholePercent(part, whole))
}

// categoryName returns the name of a category; for an unknown one its description.
func categoryName(l i18n.Lang, c report.AnalysisCategory) string {
	name := i18n.Code(l, "review.categories", c.Category)
	if name == c.Category && c.Description != "" {
		return c.Description
	}
	return name
}

// wholePercent formats a share in whole percent, and a smaller one as "< 1%".
func wholePercent(part, whole report.Cents) string {
	if whole <= 0 {
		return "0%"
	}
	n := (int64(part)*200 + int64(whole)) / (2 * int64(whole))
	if n == 0 && part > 0 {
		return "< 1%"
	}
	return strconv.FormatInt(n, 10) + "%"
}

func (v ReportView) returned(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.report.returned_explained"), HideCaption: true,
		Columns: columns(l, 1, "review.report.date", "review.report.category", "review.report.account", "review.report.text", "review.amount")}
	for _, r := range v.Analysis.Returned {
		account := ""
		for _, a := range v.Analysis.Accounts {
			if a.AccountID == r.AccountID {
				account = analysisAccount(l, a)
			}
		}
		at := r.Date
		g.Rows = append(g.Rows, []ui.Cell{{Body: date(l, &at)}, {Text: i18n.Code(l, "review.categories", r.Category)},
			{Body: textOrDash(l, account)}, {Body: textOrDash(l, r.Description)}, {Text: currency(v.Analysis.CurrencyCode()).format(r.Amount)}})
	}
	return g
}
