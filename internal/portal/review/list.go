package review

import (
	"context"
	"errors"
	"net/http"

	"github.com/a-h/templ"

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

// list shows a page of a queue's applications with their filters.
func (d *Handler) list(w http.ResponseWriter, r *http.Request, by staff.User) error {
	f, ok := readFilter(r.URL.Query(), by)
	if !ok {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such filter"))
	}
	v := pages.ListView{Filter: pages.Filter{Queue: f.queue, State: f.state, Product: f.product, Outcome: f.outcome, Decision: f.decision,
		From: search.FormatDay(f.from), To: search.FormatDay(f.to), After: f.cursor}, Narrowed: f.narrowed(), Decides: deciders.has(by)}
	if f.find != "" {
		text, err := d.Index.Kept(r.Context(), d.DB.SQL, f.find, by.ID)
		if errors.Is(err, store.ErrNotFound) {
			v.Over = true
			return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.List(p, v) })
		}
		if err != nil {
			return err
		}
		f.text, v.Filter.Text = text, text
		if everywhere := (filter{find: f.find}); everywhere.url("") != f.url("") {
			v.Everywhere = everywhere.url("")
		}
	}
	found, next, err := d.search(r.Context(), f, pageSize)
	if err != nil {
		return err
	}
	if v.Queues, err = d.countQueues(r.Context(), f); err != nil {
		return err
	}
	if v.Rows, err = d.rows(r.Context(), by, found); err != nil {
		return err
	}
	if next != "" {
		v.Older = f.url(next)
	}
	if f.cursor != "" {
		v.Newest = f.url("")
	}
	if len(found) > 0 {
		if err := d.audit(r, staff.Entry{Actor: by.ID, Action: audit.Listed}); err != nil {
			return err
		}
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.List(p, v) })
}

// countQueues counts the applications of each queue.
func (d *Handler) countQueues(ctx context.Context, current filter) ([]pages.Queue, error) {
	var out []pages.Queue
	for _, name := range append(queues[:], "") {
		q := filter{queue: name, user: current.user}
		n, err := d.Index.Count(ctx, d.DB.SQL, q.selection())
		if err != nil {
			return nil, err
		}
		out = append(out, pages.Queue{Name: name, Count: n, Most: search.MaxCounted, URL: q.url(""), Current: current.queue == name})
	}
	return out, nil
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
	users := map[string]string{}
	if assigned {
		all, err := d.Staff.Users(ctx, d.DB.SQL, "")
		if err != nil {
			return nil, err
		}
		for _, u := range all {
			users[u.ID] = u.Email
		}
	}
	out := make([]pages.Row, len(found))
	for i, e := range found {
		out[i] = pages.Row{ID: e.ID, ExternalID: e.ExternalID, Name: names[e.ID].FullName(), Product: e.Product, Mode: e.Mode,
			State: e.State, Decision: e.Decision, AnsweredAt: answered[e.ID], Attempt: e.Attempt, CreatedAt: e.CreatedAt,
			UpdatedAt: e.UpdatedAt, Assignee: users[e.Assignee], Mine: e.Assignee != "" && e.Assignee == by.ID}
		if !e.HasReport || !hasPage(e.Product) {
			continue
		}
		fields := names[e.ID]
		if out[i].Report, err = d.summary(ctx, e, &pages.Stated{Fields: fields}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// summary reads the report of a row; nil if there is none, or none that can be shown.
func (d *Handler) summary(ctx context.Context, e search.Found, stated *pages.Stated) (pages.Measured, error) {
	raw, err := d.Applications.Report(ctx, e.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v, err := parseView(e.Product, raw, stated)
	if errors.Is(err, errStored) {
		return nil, nil
	}
	return v, err
}
