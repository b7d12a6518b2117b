package review

import (
	"strconv"
	"strings"

	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// ListView is a page of applications.
type ListView struct {
	Queues   []Queue
	Filter   Filter
	Narrowed bool // the filter excludes applications of the queue
	Over     bool // the search has expired
	Decides  bool // the user may assign applications
	// Everywhere is the same search without the other filters; empty without filters.
	Everywhere string
	Rows       []Row
	Older      string // URL of the next page; empty on the last
	Newest     string // URL of the first page; empty on it
}

// Filter holds the filters of the list, as they are in the form. Dates are in
// ISO 8601 format.
type Filter struct{ Text, Queue, State, Product, Outcome, Decision, From, To, After string }

// narrow reports whether the filter has more than a text and a queue.
func (f Filter) narrow() bool {
	return f.State != "" || f.Product != "" || f.Outcome != "" || f.Decision != "" || f.From != "" || f.To != ""
}

// hidden returns the fields that a form other than the filters' repeats.
func (f Filter) hidden() map[string]string {
	return map[string]string{"queue": f.Queue, "state": f.State, "product": f.Product, "outcome": f.Outcome, "decision": f.Decision,
		"from": f.From, "to": f.To, "after": f.After}
}

// states lists the states in the order of the filter.
var states = []string{"started", "connecting", "returned", "pending", "ready", "failed", "exited", "expired"}

// Queue is a list of work.
type Queue struct {
	Name    string // "" for all applications
	Count   int
	Most    int // limit of Count
	URL     string
	Current bool
}

func (q Queue) count() string {
	if q.Most > 0 && q.Count >= q.Most {
		return grouped(strconv.Itoa(q.Most)) + "+"
	}
	return strconv.Itoa(q.Count)
}

func (q Queue) name(l i18n.Lang) string {
	if q.Name == "" {
		return i18n.T(l, "review.list.all")
	}
	return i18n.Code(l, "review.queues", q.Name)
}

// incomeOf returns the year's income that a report shows; "" for none.
func (r Row) incomeOf() string {
	if r.Report == nil {
		return ""
	}
	f := r.Report.sources()
	if f.income == nil {
		return ""
	}
	return f.in.format(*f.income)
}

// scoreOf returns the newest score of a report; "" for none.
func (r Row) scoreOf() string {
	switch v := r.Report.(type) {
	case ReportView:
		if n := len(v.Report.Scores); n > 0 && v.Report.Scores[n-1].Value != nil {
			return strconv.Itoa(*v.Report.Scores[n-1].Value)
		}
	case PassportView:
		if n := len(v.Report.Scores); n > 0 {
			return strconv.Itoa(v.Report.Scores[n-1].Value)
		}
	}
	return ""
}

// verdict returns the sentence about a report and its tone; "" without a report.
func (r Row) verdict(l i18n.Lang) (ui.Tone, string) {
	if r.Report == nil {
		return ui.Neutral, ""
	}
	all := r.Report.sheet(l).findings
	tone, _ := verdict(l, all)
	n := 0
	for _, f := range all {
		if f.tone == tone {
			n++
		}
	}
	switch tone {
	case ui.Danger:
		return tone, i18n.N(l, "review.verdict.short.contradicted", n)
	case ui.Warning:
		return tone, i18n.N(l, "review.verdict.short.check", n)
	case ui.Success:
		return tone, i18n.T(l, "review.finding.borne")
	}
	return tone, i18n.T(l, "review.finding.nothing")
}

// who returns a user's address without its domain.
func (r Row) who(l i18n.Lang) string {
	if r.Mine {
		return i18n.T(l, "review.list.you")
	}
	name, _, _ := strings.Cut(r.Assignee, "@")
	return name
}
