package review

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
)

// query returns the parameters of the page's address.
func (f filter) query(after string) string {
	_, query, _ := strings.Cut(f.url(after), "?")
	return query
}

// applicationURL returns the address of an application's page in the list that a request's
// address names, after an action.
func applicationURL(r *http.Request, id, done, part string) string {
	q := url.Values{}
	if done != "" {
		q.Set("done", done)
	}
	if list, ok := r.URL.Query()["list"]; ok {
		q["list"] = list[:1]
	}
	to := "/review/applications/" + id
	if len(q) > 0 {
		to += "?" + q.Encode()
	}
	if part != "" {
		to += "#" + part
	}
	return to
}

// subPages are the pages below an application's that lead to the same page of the next.
var subPages = [...]string{"/report", "/transactions", "/files", "/letter"}

// samePage returns the address of the page of a request in a list for another application.
func samePage(r *http.Request, list, id string) string {
	q := url.Values{"list": {list}}
	if r.URL.Path == audit.Path {
		q.Set("application", id)
		return audit.Path + "?" + q.Encode()
	}
	to := "/review/applications/" + id
	for _, page := range subPages {
		if strings.HasSuffix(r.URL.Path, page) {
			to += page
		}
	}
	return to + "?" + q.Encode()
}

// orApplication opens the application where it lacks the page that the list leads to.
func (d *Handler) orApplication(page userHandler) userHandler {
	return func(w http.ResponseWriter, r *http.Request, by staff.User) error {
		err := page(w, r, by)
		var e *httpx.Error
		if r.URL.Query().Has("list") && errors.As(err, &e) && (e.Code == contract.CodeNotFound || e.Code == contract.CodeReportNotReady) {
			return httpx.SeeOther(w, applicationURL(r, r.PathValue("id"), "", ""))
		}
		return err
	}
}

// positionInList finds an application in the list that the request's address names: the list
// parameter has the parameters of the list's page. nil: the address names no list.
func (d *Handler) positionInList(ctx context.Context, r *http.Request, by staff.User, a applications.Application) (*pages.Place, error) {
	given, ok := r.URL.Query()["list"]
	if !ok {
		return nil, nil
	}
	q, err := url.ParseQuery(given[0])
	f, ok := readFilter(q, by)
	if err != nil || !ok {
		return nil, nil
	}
	page := f.After
	f.After = ""
	p := &pages.Place{List: f.query(page), URL: f.url(page), Queue: f.Queue, Narrowed: f.isNarrowed()}
	if err := d.readText(ctx, &f, by); errors.Is(err, store.ErrNotFound) {
		return p, nil // the search has ended; the list says so
	} else if err != nil {
		return nil, err
	}
	s, err := d.selection(ctx, f)
	if err != nil {
		return nil, err
	}
	all, err := d.Index.Order(ctx, s, search.MaxCounted)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all.Rows, func(e search.Found) bool { return e.ID == a.ID })
	next := at + 1
	switch {
	case at >= 0:
		p.Number = at + 1
		if start := at - at%pageSize; start > 0 {
			page = all.Rows[start-1].After
		} else {
			page = ""
		}
		p.URL = f.url(page) + "#" + pages.RowID(a.ID)
	case all.Next != "":
		return p, nil // beyond the applications that are counted
	default:
		at = s.Insert(all.Rows, a.CreatedAt, a.ID)
		next = at
	}
	p.Of, p.More = len(all.Rows), all.Next != ""
	to := func(i int) string {
		if i < 0 || i >= len(all.Rows) {
			return ""
		}
		return samePage(r, given[0], all.Rows[i].ID)
	}
	p.Previous, p.Next = to(at-1), to(next)
	return p, nil
}
