package review

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// list shows a page of a queue's applications with their filters, by default of those to decide.
func (d *Handler) list(w http.ResponseWriter, r *http.Request, by staff.User) error {
	f, ok := readFilter(r.URL.Query(), by)
	if f == (filter{user: by.ID}) && !r.URL.Query().Has("queue") {
		f.Queue = queueToDecide
	}
	if !ok {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such filter"))
	}
	plain := pages.Filter{Queue: f.Queue, Columns: f.Columns, Sort: f.Sort}
	v := pages.ListView{Filter: f.Filter, Narrowed: f.isNarrowed(), Decides: deciders.has(by),
		Reminds: deciders.has(by) && d.Letters.CanEmail(), Reminded: remindersSent(r), Sorts: f.sorts(),
		Clear: filter{Filter: plain}.url(""), Current: f.url(f.After)}
	if err := d.fillRowParts(r.Context(), by, f, &v); err != nil {
		return err
	}
	var err error
	if v.Dense, err = console.IsDense(r.Context(), d.DB.SQL, by.ID); err != nil {
		return err
	}
	if v.Queues, err = d.tabs(r.Context(), by, f); err != nil {
		return err
	}
	if v.Users, err = d.Staff.Users(r.Context(), d.DB.SQL, ""); err != nil {
		return err
	}
	v.Full = len(v.Queues)-len(queues)-1 >= maxSaved
	if err := d.readText(r.Context(), &f, by); errors.Is(err, store.ErrNotFound) {
		v.Over = true
		return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.List(p, v) })
	} else if err != nil {
		return err
	}
	if f.Find != "" {
		v.Filter.Text = f.Text
		if everywhere := (filter{Filter: pages.Filter{Find: f.Find, Columns: f.Columns, Sort: f.Sort}}); everywhere.url("") != f.url("") {
			v.Everywhere = everywhere.url("")
		}
	}
	found, err := d.search(r.Context(), f, pageSize)
	if err != nil {
		return err
	}
	if v.Rows, err = d.rows(r.Context(), by, found.Rows); err != nil {
		return err
	}
	if v.Partial = found.Partial; found.Next != "" {
		v.Older = f.url(found.Next)
	}
	if f.After != "" {
		v.Newest = f.url("")
	}
	if len(found.Rows) > 0 {
		if err := d.audit(r, staff.Entry{Actor: by.ID, Action: audit.Listed}); err != nil {
			return err
		}
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.List(p, v) })
}

// fillRowParts adds what the rows of a list need besides the applications.
func (d *Handler) fillRowParts(ctx context.Context, by staff.User, f filter, v *pages.ListView) (err error) {
	v.Query, v.Now = f.query(f.After), d.Index.Now()
	columns := f.Columns
	if columns == "" {
		if columns, err = listColumns(ctx, d.DB.SQL, by.ID); err != nil {
			return err
		}
	}
	if v.Columns = strings.Split(columns, ","); columns == "" {
		v.Columns = pages.UsualColumns()
	}
	if deciders.has(by) {
		v.Deciders, err = d.deciders(ctx, by)
	}
	return err
}

// readText adds the text of the filter's search. It returns store.ErrNotFound for a search
// that has expired or belongs to another user.
func (d *Handler) readText(ctx context.Context, f *filter, by staff.User) (err error) {
	if f.Find != "" {
		f.Text, err = d.Index.SavedSearch(ctx, d.DB.SQL, f.Find, by.ID)
	}
	return err
}

// firstDescending are the columns whose first order is descending.
var firstDescending = []string{search.SortStarted, search.SortDecided, search.SortIncome, search.SortScore}

// sorts returns the links of the columns that sort the list: to the column's first order,
// or from it to the opposite.
func (f filter) sorts() map[string]pages.Sort {
	out, current := map[string]pages.Sort{}, f.order()
	for _, column := range search.Sorts {
		first := pages.Order{By: column, Descending: slices.Contains(firstDescending, column)}
		s := pages.Sort{Param: first.String(), Current: column == current.By, Descending: column == current.By && current.Descending}
		to := f
		to.Sort = first
		if s.Current {
			to.Sort.Descending = first.Descending != (current == first)
			s.Param = current.String()
		}
		if to.Sort == to.ownSort() {
			to.Sort = pages.Order{}
		}
		s.URL = to.url("")
		out[column] = s
	}
	return out
}

// tabs returns the queues and the user's saved filters, with the number of applications in
// each. A saved filter is current instead of its queue.
func (d *Handler) tabs(ctx context.Context, by staff.User, current filter) ([]pages.Queue, error) {
	var out []pages.Queue
	saved, filters, err := d.savedTabs(ctx, by)
	if err != nil {
		return nil, err
	}
	inSaved := false
	for i, f := range filters {
		saved[i].Current = !inSaved && f.url("") == current.url("")
		inSaved = inSaved || saved[i].Current
	}
	for _, q := range queueFilters(by) {
		out = append(out, pages.Queue{Name: q.Queue, URL: q.url(""), Current: q.Queue == current.Queue && !inSaved})
	}
	out = append(out, saved...)
	for i, f := range append(queueFilters(by), filters...) {
		if out[i].Count, err = d.Index.Count(ctx, d.DB.SQL, f.selection(d.Index.Now())); err != nil {
			return nil, err
		}
		out[i].Most = search.MaxCounted
	}
	return out, nil
}

func queueFilters(by staff.User) (out []filter) {
	for _, name := range append(queues[:], "") {
		out = append(out, filter{Filter: pages.Filter{Queue: name}, user: by.ID})
	}
	return out
}

// revisedAt returns when the service revised the newest report; zero for never.
func revisedAt(e search.Found) time.Time {
	if e.RevisedAt.UnixMicro() == 0 {
		return time.Time{}
	}
	return e.RevisedAt
}

// rows adds what the list shows besides the index: the applicant's name, the figures of
// the report and the user who works on the application.
func (d *Handler) rows(ctx context.Context, by staff.User, found []search.Found) ([]pages.Row, error) {
	ids, asked, assigned := make([]string, len(found)), []string(nil), false
	for i, e := range found {
		if ids[i] = e.ID; e.Decision == decisions.MoreAsked {
			asked = append(asked, e.ID)
		}
		assigned = assigned || e.Assignee != ""
	}
	names, err := d.Applications.Applicants(ctx, ids)
	if err != nil {
		return nil, err
	}
	answered, err := d.Applications.AnsweredAt(ctx, asked)
	if err != nil {
		return nil, err
	}
	var users map[string]string
	if assigned {
		if users, err = d.Staff.Addresses(ctx, d.DB.SQL); err != nil {
			return nil, err
		}
	}
	out := make([]pages.Row, len(found))
	for i, e := range found {
		out[i] = pages.Row{ID: e.ID, ExternalID: e.ExternalID, Name: names[e.ID].Name(), Product: e.Product, Mode: e.Mode,
			State: e.State, Decision: e.Decision, AnsweredAt: answered[e.ID], Attempt: e.Attempt, CreatedAt: e.CreatedAt,
			UpdatedAt: e.UpdatedAt, DecidedAt: e.DecidedAt, Summary: e.Summary, Assignee: users[e.Assignee],
			RevisedAt: revisedAt(e), Outdated: e.Outdated, AssigneeID: e.Assignee,
			Mine: e.Assignee != "" && e.Assignee == by.ID, Stamp: stampOf(e, true)}
	}
	return out, nil
}
