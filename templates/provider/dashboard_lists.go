package provider

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// DashboardList is what filters, sorts and pages a list. Its address has all of it.
type DashboardList struct {
	Path     string
	Query    url.Values
	Statuses []contract.Status // to choose
	Pager    DashboardPager
}

// with returns the address of the first page of the list with some parameters changed; ""
// removes one.
func (l DashboardList) with(pairs ...string) string {
	q := maps.Clone(l.Query)
	q.Del("after")
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Del(pairs[i])
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return l.Path
	}
	return l.Path + "?" + q.Encode()
}

func (l DashboardList) pageURL() string {
	if len(l.Query) == 0 {
		return l.Path
	}
	return l.Path + "?" + l.Query.Encode()
}

func (l DashboardList) filters() (n int) {
	for name := range l.Query {
		if name != "after" && name != "sort" {
			n++
		}
	}
	return n
}

// hidden lists the parameters that the filter's form keeps, besides its fields.
func (l DashboardList) hidden() (names []string) {
	for name := range l.Query {
		if slices.Contains([]string{"report", "reached", "stopped", "institution", "answer", "sort"}, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// periods are links to the entries of the last days.
func (l DashboardList) periods(d Dashboard) (out []ui.Link) {
	for _, days := range console.Periods {
		from := d.Now.UTC().AddDate(0, 0, 1-days).Format(time.DateOnly)
		out = append(out, ui.Link{Text: i18n.T(d.Lang, "ui.days.last", "n", i18n.Count(days)), URL: l.with("from", from, "to", "", "hour", ""),
			Current: l.Query.Get("from") == from && !l.Query.Has("to")})
	}
	return out
}

// column returns a column that sorts by an order, whose direction is ascending or descending,
// and the other way around by its reverse; a reverse that is the list's own order only ends
// the sorting.
func (l DashboardList) column(label, order, direction, reverse string) ui.Column {
	c := ui.Column{Label: label, URL: l.with("sort", order)}
	switch now := l.Query.Get("sort"); {
	case now == order:
		c.Sort, c.URL = direction, l.with("sort", reverse)
	case now == reverse && reverse != "":
		c.Sort = "descending"
		if direction == "descending" {
			c.Sort = "ascending"
		}
	}
	return c
}

// newest returns the column of times of a list that is sorted by them unless by another.
func (l DashboardList) newest(label string) ui.Column {
	return l.column(label, "", "descending", "oldest")
}

// tags lists the filters that the form has no field for, with the addresses without them.
func (l DashboardList) tags(d Dashboard, institution string) (out []ui.Link) {
	add := func(name, words string) {
		out = append(out, ui.Link{Text: words, URL: l.with(name, "")})
	}
	for _, name := range []string{"substatus", "reached", "stopped", "institution", "answer", "hour"} {
		value := l.Query.Get(name)
		if value == "" {
			continue
		}
		switch name {
		case "substatus":
			add(name, i18n.Code(d.Lang, "substatuses", value))
		case "reached":
			add(name, i18n.T(d.Lang, "dashboard.list.reached", "step", i18n.Code(d.Lang, "dashboard.reached", value)))
		case "stopped":
			add(name, i18n.T(d.Lang, "dashboard.list.stopped", "step", i18n.Code(d.Lang, "dashboard.steps", value)))
		case "institution":
			add(name, i18n.T(d.Lang, "dashboard.list.institution", "name", institution))
		case "answer":
			code, _ := strconv.Atoi(value)
			add(name, i18n.T(d.Lang, "dashboard.list.answer", "answer", d.answer(code)))
		case "hour":
			if at, err := time.Parse(DashboardHour, value); err == nil {
				add(name, ui.HourWords(d.Lang, at))
			}
		}
	}
	return out
}

// options returns the answers of a filter: all, those that failed, then each value.
func (l DashboardList) options(d Dashboard, name string, group i18n.Group, values []string) []ui.Option {
	now := l.Query.Get(name)
	var out []ui.Option
	for _, v := range values {
		o := ui.Option{Value: v, Label: capitalized(i18n.Code(d.Lang, group, v)), Chosen: v == now}
		if v == "failed" {
			o.Label = i18n.T(d.Lang, "dashboard.list.all_failed")
		}
		out = append(out, o)
	}
	return out
}

func texts[T ~string](all []T) (out []string) {
	for _, v := range all {
		out = append(out, string(v))
	}
	return out
}

// ago says how long before or after the page's time an instant is: "5 min ago".
func (d Dashboard) ago(t time.Time) string {
	took := d.Now.Sub(t)
	switch {
	case took < 0:
		return i18n.T(d.Lang, "dashboard.time.in", "time", ui.Roughly(-took))
	case took < time.Minute:
		return i18n.T(d.Lang, "dashboard.time.now")
	}
	return i18n.T(d.Lang, "dashboard.time.ago", "time", ui.Roughly(took))
}
