package review

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
)

// Queues are the reviewer's lists of work, one filter each.
const (
	queueToDecide = "decide"  // with a report and without a decision, or with the answer to a request for more
	queueWaiting  = "waiting" // the applicant has not finished, or not answered a request for more
	queueAgain    = "again"   // the report was revised after the decision
	queueMine     = "mine"    // assigned to the user
	queueToday    = "today"   // decided in the last 24 hours
	queueDecided  = "decided"
	queueAll      = "all" // in addresses; "" elsewhere
)

var queues = [...]string{queueToDecide, queueAgain, queueWaiting, queueMine, queueToday, queueDecided}

// filter selects applications. The zero value selects all.
type filter struct {
	pages.Filter
	user  string // ID of the user whose queue it is
	whole bool   // the text has whole words of a name, not beginnings
}

// readFilter reads a user's filter from an address or a form; false for invalid values.
func readFilter(q url.Values, by staff.User) (filter, bool) {
	f := filter{user: by.ID, Filter: pages.Filter{Queue: q.Get("queue"), State: journey.State(q.Get("state")),
		Product: contract.Product(q.Get("product")), Outcome: contract.Outcome(q.Get("outcome")), Decision: q.Get("decision"),
		Assignee: q.Get("assignee"), Columns: q.Get("columns"), Find: q.Get("find"), After: q.Get("after")}}
	if f.Queue == queueAll {
		f.Queue = ""
	}
	f.Sort.By, f.Sort.Descending = strings.CutPrefix(q.Get("sort"), "-")
	if f.Sort == f.ownSort() {
		f.Sort = pages.Order{}
	}
	var err error
	f.From, f.To, err = console.ParseDays(q, by.Zone)
	return f, err == nil && (f.Queue == "" || slices.Contains(queues[:], f.Queue)) &&
		(f.State == "" || slices.Contains(journey.States(), f.State)) && (f.Product == "" || f.Product.Valid()) &&
		(f.Outcome == "" || f.Outcome.Valid()) &&
		(f.Decision == "" || f.Decision == search.Undecided || slices.Contains(decisions.All, f.Decision)) &&
		(f.Assignee == "" || f.Assignee == search.Unassigned || contract.IsUUID(f.Assignee)) &&
		(f.Columns == "" || f.Columns == pages.JoinColumns(strings.Split(f.Columns, ","))) &&
		(f.Find == "" || contract.IsUUID(f.Find)) && len(f.After) <= 100 &&
		(f.Sort == pages.Order{} || slices.Contains(search.Sorts, f.Sort.By))
}

// ownSort returns the order of the filter's queue, unless the filter has another.
func (f filter) ownSort() pages.Order {
	if f.Queue == queueToday {
		return pages.Order{By: search.SortDecided, Descending: true}
	}
	return pages.Order{By: search.SortStarted, Descending: true}
}

func (f filter) order() pages.Order { return cmp.Or(f.Sort, f.ownSort()) }

// url returns the address of a page of the filter's results. It contains no personal
// data: a handle represents the search text.
func (f filter) url(after string) string {
	q := url.Values{}
	f.After = after
	for _, p := range f.Params() {
		q.Set(p[0], p[1])
	}
	if len(q) == 0 {
		q.Set("queue", queueAll)
	}
	return "/review?" + q.Encode()
}

// isNarrowed reports whether the filter excludes anything from its queue.
func (f filter) isNarrowed() bool {
	f.Queue, f.user, f.Columns, f.Sort, f.After = "", "", "", pages.Order{}, ""
	return f != filter{}
}

const maxText = 200 // characters of a search text

// find accepts a search text in a form and redirects to its results. Their address has a
// handle, valid for half an hour and for this user, because addresses must not have names. A text
// that the queue does not have is searched for in all applications. A single result is opened
// directly, unless the script searches while the user types.
func (d *Handler) find(w http.ResponseWriter, r *http.Request, by staff.User) error {
	form, err := httpx.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	f, ok := readFilter(form, by)
	f.Text, f.Find, f.After = strings.TrimSpace(form.Get("query")), "", ""
	if !ok || !plain(f.Text, 0, maxText) {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such filter"))
	}
	if f.Text == "" {
		return httpx.SeeOther(w, f.url(""))
	}
	found, err := d.search(r.Context(), f, 2)
	if err != nil {
		return err
	}
	if len(found.Rows) == 0 && f.Queue != "" {
		f.Queue = ""
		if found, err = d.search(r.Context(), f, 2); err != nil {
			return err
		}
	}
	f.Find = uuid.NewString()
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := d.Index.SaveSearch(ctx, tx, f.Find, by.ID, f.Text); err != nil {
			return err
		}
		return d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: audit.Searched, Detail: kindOf(f.Text)})
	})
	if err != nil {
		return err
	}
	if len(found.Rows) == 1 && form.Get("live") == "" {
		return httpx.SeeOther(w, "/review/applications/"+found.Rows[0].ID)
	}
	return httpx.SeeOther(w, f.url(""))
}

// next redirects to the application that follows one in the queue of those to decide, after
// the last to the first, and to the queue if there is no other.
func (d *Handler) next(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error {
	f := filter{Filter: pages.Filter{Queue: queueToDecide}, user: by.ID}
	for _, f.After = range []string{store.Cursor{At: a.CreatedAt, ID: a.ID}.String(), ""} {
		found, err := d.search(r.Context(), f, 2)
		if err != nil {
			return err
		}
		for _, e := range found.Rows {
			if e.ID != a.ID {
				return httpx.SeeOther(w, "/review/applications/"+e.ID)
			}
		}
	}
	return httpx.SeeOther(w, f.url(""))
}

// redirectToList redirects a reload of the form's address to the list.
func (d *Handler) redirectToList(w http.ResponseWriter, _ *http.Request, _ staff.User) error {
	return httpx.SeeOther(w, "/review")
}

// bulk is a form that acts on the selected applications of the list, or on one from its page.
type bulk struct {
	form url.Values
	ids  []string
	back string // the page that has the form
}

func readBulk(w http.ResponseWriter, r *http.Request, by staff.User) (b bulk, err error) {
	if b.form, err = httpx.DecodeForm(w, r, 8<<10); err != nil {
		return b, err
	}
	if id, user, ok := strings.Cut(b.form.Get("assign"), "."); ok {
		b.form["id"], b.form["user"], b.form["do"] = []string{id}, []string{user}, []string{"assign"}
	}
	f, known := readFilter(b.form, by)
	ids, valid := chosenIDs(b.form)
	if !known || !valid {
		return b, httpx.NewError(contract.CodeMalformedBody, errors.New("no such selection"))
	}
	b.ids, b.back = ids, f.url(f.After)
	if b.form.Get("back") == "application" && len(ids) == 1 {
		b.back = applicationURL(r, ids[0], "", "")
	}
	return b, nil
}

// deciders returns the users to whom applications can be assigned, the user first.
func (d *Handler) deciders(ctx context.Context, by staff.User) ([]pages.UserOption, error) {
	users, err := d.Staff.Users(ctx, d.DB.SQL, "")
	var out []pages.UserOption
	for _, u := range users {
		switch o := (pages.UserOption{ID: u.ID, Email: u.Email, Self: u.ID == by.ID}); {
		case !u.Disabled.IsZero() || !deciders.has(u):
		case o.Self:
			out = slices.Insert(out, 0, o)
		default:
			out = append(out, o)
		}
	}
	return out, err
}

// assign assigns selected applications to a user, or releases them. The buttons of a row have
// its application and the user in one value.
func (d *Handler) assign(w http.ResponseWriter, r *http.Request, by staff.User) error {
	b, err := readBulk(w, r, by)
	if err != nil {
		return err
	}
	to := b.form.Get("user")
	switch b.form.Get("do") {
	case "take":
		to = by.ID
	case "release":
		to = ""
	case "assign":
	default:
		return httpx.NewError(contract.CodeMalformedBody, errors.New("neither take nor release"))
	}
	e := staff.Entry{Actor: by.ID, Action: audit.Assigned}
	switch to {
	case by.ID:
		e.Detail = audit.Taken
	case "":
		e.Detail = audit.Released
	default:
		e.Detail, e.Object = audit.Given, to
		users, err := d.deciders(r.Context(), by)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(users, func(u pages.UserOption) bool { return u.ID == to }) {
			return httpx.NewError(contract.CodeMalformedBody, errors.New("no such user"))
		}
	}
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		for _, id := range b.ids {
			if err := search.Assign(ctx, tx, id, to); errors.Is(err, store.ErrNotFound) {
				continue // deleted concurrently
			} else if err != nil {
				return err
			}
			e.Subject = id
			if err := d.Staff.Record(ctx, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, b.back)
}

// kindOf classifies a search text for the audit log, which does not record the
// text.
func kindOf(text string) string {
	switch {
	case contract.IsUUID(text):
		return "id"
	case strings.Contains(text, "@"):
		return "email"
	}
	return "words"
}

func (d *Handler) search(ctx context.Context, f filter, limit int) (search.Page, error) {
	s, err := d.selection(ctx, f)
	if err != nil {
		return search.Page{}, err
	}
	return d.Index.Search(ctx, s, limit)
}

// selection returns the filter for the index, with the order of the users by which it sorts.
func (d *Handler) selection(ctx context.Context, f filter) (search.Filter, error) {
	s := f.selection(d.Index.Now())
	if s.Sort != search.SortAssigned {
		return s, nil
	}
	users, err := d.Staff.Users(ctx, d.DB.SQL, "")
	slices.SortFunc(users, func(a, b staff.User) int { return strings.Compare(a.Email, b.Email) })
	for _, u := range users {
		s.Assignees = append(s.Assignees, u.ID)
	}
	return s, err
}

func (f filter) selection(now time.Time) search.Filter {
	s := search.Filter{State: string(f.State), Product: string(f.Product), Outcome: string(f.Outcome), Decision: f.Decision,
		Decisions: decisions.All, Assignee: f.Assignee, From: f.From, To: f.To, Text: f.Text, Whole: f.whole, After: f.After}
	order := f.order()
	s.Sort, s.Descending = order.By, order.Descending
	switch f.Queue {
	case queueToDecide:
		s.AnyOf = []search.Stage{{State: string(journey.Ready), Decision: search.Undecided},
			{State: string(journey.Ready), Decision: decisions.MoreAsked, Answered: true}}
	case queueAgain:
		s.Outdated = true
	case queueWaiting:
		for _, state := range []journey.State{journey.Started, journey.Connecting, journey.Returned, journey.Pending} {
			s.AnyOf = append(s.AnyOf, search.Stage{State: string(state)})
		}
		for _, state := range []journey.State{journey.Ready, journey.Failed, journey.Exited, journey.Expired} {
			s.AnyOf = append(s.AnyOf, search.Stage{State: string(state), Decision: decisions.MoreAsked})
		}
	case queueMine:
		s.Assignee = f.user
	case queueToday:
		s.DecidedFrom = now.Add(-24 * time.Hour)
	case queueDecided:
		s.AnyOf = []search.Stage{{Decision: decisions.Approved}, {Decision: decisions.Declined}, {Decision: decisions.Escalated}}
	}
	return s
}

// plain reports whether s has between least and most characters, all printable.
func plain(s string, least, most int) bool {
	n := utf8.RuneCountInString(s)
	return n >= least && n <= most && !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) })
}
