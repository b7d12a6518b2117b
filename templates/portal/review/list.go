package review

import (
	"slices"
	"strings"
	"time"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/staff"
	"vestibule/templates/ui"
)

// ListView is a page of applications.
type ListView struct {
	Queues   []Queue
	Filter   Filter
	Narrowed bool // the filter excludes applications of the queue
	Over     bool // the search has expired
	Decides  bool // the user may assign applications
	Reminds  bool // the user may send reminders
	Reminded *Reminded
	// Everywhere is the same search without the other filters; empty without filters.
	Everywhere string
	Users      []staff.User // to filter by
	Deciders   []UserOption // to whom the user may assign applications, the user first
	Columns    []string     // besides the name
	Rows       []Row
	Older      string // URL of the next page; empty on the last
	Newest     string // URL of the first page; empty on it

	Sorts   map[string]Sort // by column
	Partial bool            // only the newest applications are sorted
	Clear   string          // URL of the queue without filters
	Current string          // URL of this page

	Full  bool   // the user can save no more filters
	Dense bool   // the user wants low rows
	Query string // the list's parameters, for updates while it is open
	Now   time.Time
}

// Reminded is the result of reminders that were just sent to applicants.
type Reminded struct{ Sent, Of int }

func (r Reminded) words(l i18n.Lang) string {
	words := i18n.T(l, "review.remind.none")
	if r.Sent > 0 {
		words = i18n.N(l, "review.remind.sent", r.Sent)
	}
	if r.Sent < r.Of {
		words += " " + i18n.N(l, "review.remind.left_out", r.Of-r.Sent)
	}
	return words
}

func (r Reminded) tone() ui.Tone {
	if r.Sent == 0 {
		return ui.Info
	}
	return ui.Success
}

// saved returns the saved filter that the page shows; false if it shows none.
func (v ListView) saved() (Queue, bool) {
	i := slices.IndexFunc(v.Queues, func(q Queue) bool { return q.Saved != "" && q.Current })
	if i < 0 {
		return Queue{}, false
	}
	return v.Queues[i], true
}

// assignees returns the options of the filter by user.
func (v ListView) assignees(l i18n.Lang) []ui.Option {
	return append(userOptions(l, v.Users, v.Filter.Assignee), ui.Option{Value: "none", Label: i18n.T(l, "review.list.no_user"),
		Chosen: v.Filter.Assignee == "none"})
}

// countWords says how many applications the page lists.
func (v ListView) countWords(l i18n.Lang) string {
	n := i18n.N(l, "review.list.found", len(v.Rows))
	if v.Older != "" {
		n = i18n.T(l, "review.list.found.more", "n", i18n.Count(len(v.Rows)))
	}
	return n
}

// Sort is a column's link that sorts the list.
type Sort struct {
	Param      string // of the column's first order
	URL        string
	Current    bool // the list is sorted by the column
	Descending bool // and in descending order
}

func (s Sort) aria() string {
	switch {
	case !s.Current:
		return "none"
	case s.Descending:
		return "descending"
	}
	return "ascending"
}

// listColumn is a column of the list besides the name.
type listColumn struct {
	name    string // of the order too, if the list sorts by it
	label   i18n.Key
	number  bool
	unusual bool // only shown to users who choose it
}

var listColumns = []listColumn{
	{name: "product", label: "review.application.product", unusual: true}, {name: "state", label: "review.application.state"},
	{name: "verdict", label: "review.list.verdict"}, {name: "income", label: "review.list.income", number: true},
	{name: "score", label: "review.report.score", number: true}, {name: "decided", label: "review.decision"},
	{name: "assigned", label: "review.list.assignee"}, {name: "started", label: "review.application.began"},
	{name: "updated", label: "review.application.moved", unusual: true},
}

// onlyName is the choice of the name as the only column.
const onlyName = "name"

// UsualColumns lists the columns of users who did not choose.
func UsualColumns() (out []string) {
	for _, c := range listColumns {
		if !c.unusual {
			out = append(out, c.name)
		}
	}
	return out
}

// JoinColumns returns chosen columns as an address has them, in the order of the list; ""
// for a column that the list does not have.
func JoinColumns(chosen []string) string {
	var out []string
	for _, c := range listColumns {
		if slices.Contains(chosen, c.name) {
			out = append(out, c.name)
		}
	}
	others := slices.DeleteFunc(slices.Clone(chosen), func(name string) bool { return name == onlyName || slices.Contains(out, name) })
	switch {
	case len(others) > 0:
		return ""
	case len(out) == 0:
		return onlyName
	}
	return strings.Join(out, ",")
}

// columns returns the columns that the list shows besides the name.
func (v ListView) columns() []listColumn {
	return slices.DeleteFunc(slices.Clone(listColumns), func(c listColumn) bool { return !slices.Contains(v.Columns, c.name) })
}

// columnQuestion asks which columns the list shows.
func (v ListView) columnQuestion(l i18n.Lang) (out []ui.Option) {
	for _, c := range listColumns {
		out = append(out, ui.Option{Value: c.name, Label: i18n.T(l, c.label), Chosen: slices.Contains(v.Columns, c.name)})
	}
	return out
}

func (v ListView) orders(l i18n.Lang) []ui.Option {
	var out []ui.Option
	for _, name := range []string{"started", "decided", "state", "verdict", "assigned", "income", "score"} {
		s := v.Sorts[name]
		out = append(out, ui.Option{Value: s.Param, Label: i18n.Code(l, "review.list.orders", name), Chosen: s.Current})
	}
	return out
}

// Filter selects the applications of a list. Empty fields select all.
type Filter struct {
	Queue    string
	State    journey.State
	Product  contract.Product
	Outcome  contract.Outcome
	Decision string // "none" selects those without a decision
	Assignee string // ID of a user; "none" selects those of no user
	From, To time.Time
	Columns  string // of the list, separated by commas; "" for the user's
	Find     string // handle of a search
	Text     string // of that search
	Sort     Order  // zero for the queue's own
	After    string // cursor of the page
}

// outcomes are the outcomes of attempts in the order of the filter.
var outcomes = []contract.Outcome{contract.OutcomeSuccess, contract.OutcomeExit, contract.OutcomeError}

// Params returns the parameters of the list's address, which forms repeat. The text is not among them.
func (f Filter) Params() [][2]string {
	all := [][2]string{{"queue", f.Queue}, {"state", string(f.State)}, {"product", string(f.Product)}, {"outcome", string(f.Outcome)},
		{"decision", f.Decision}, {"assignee", f.Assignee}, {"from", console.FormatDay(f.From)}, {"to", console.FormatDay(f.To)},
		{"columns", f.Columns}, {"find", f.Find}, {"sort", f.Sort.String()}, {"after", f.After}}
	return slices.DeleteFunc(all, func(p [2]string) bool { return p[1] == "" })
}

// count counts the filters besides a text and a queue.
func (f Filter) count() int {
	f.Queue, f.Columns, f.Find, f.Sort, f.After = "", "", "", Order{}, ""
	return len(f.Params())
}

// Order is the order of a list, by a column.
type Order struct {
	By         string
	Descending bool
}

// String returns the order as a parameter: the column, after "-" if it is descending.
func (o Order) String() string {
	if o.Descending {
		return "-" + o.By
	}
	return o.By
}

// maxSorted is how many applications are sorted by income or score (search.MaxSorted).
const maxSorted = 1000

// maxCounted is the limit of counts (search.MaxCounted).
const maxCounted = 1000

// Queue is a list of work: a tab.
type Queue struct {
	Name    string // "" for all applications; the ID of a saved filter
	Saved   string // name of a filter that the user saved; "" for a queue
	Count   int
	Most    int // limit of Count
	URL     string
	Current bool
}

// Shown returns the count as the page shows it.
func (q Queue) Shown() string {
	if q.Most > 0 && q.Count >= q.Most {
		return i18n.Count(q.Most) + "+"
	}
	return i18n.Count(q.Count)
}

// Title returns the words of the tab.
func (q Queue) Title(l i18n.Lang) string {
	switch {
	case q.Saved != "":
		return q.Saved
	case q.Name == "":
		return i18n.T(l, "review.list.all")
	}
	return i18n.Code(l, "review.queues", q.Name)
}

// name returns the user's address, or the word for the signed-in user.
func (u UserOption) name(l i18n.Lang) string {
	if u.Self {
		return i18n.T(l, "review.assign.self")
	}
	return u.Email
}

// assigneeName returns a user's address without its domain.
func (r Row) assigneeName(l i18n.Lang) string {
	if r.Mine {
		return i18n.T(l, "review.list.you")
	}
	name, _, _ := strings.Cut(r.Assignee, "@")
	return name
}
