package review

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/door"
	"vestibule/internal/store"
	"vestibule/internal/svc"
	"vestibule/templates/portal"
	"vestibule/templates/ui"
)

// pageSize is how many applications a page of the list has, and timelineSize how
// many lines of its timeline an application shows.
const (
	pageSize     = 25
	timelineSize = 500
)

// states are the journey's states in the order of the filter.
var states = [...]string{"started", "connecting", "returned", "pending", "ready", "failed", "exited", "expired"}

// show renders a page completely before the first byte of it is sent, so that a
// failure can still be answered as one.
func (d *Desk) show(w http.ResponseWriter, r *http.Request, status int, make func(ui.Page) templ.Component) error {
	var page bytes.Buffer
	if err := make(d.Page(r)).Render(r.Context(), &page); err != nil {
		return err
	}
	door.Secure(w, door.CSP{})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // the client is gone; nobody is left to tell
	return nil
}

func (d *Desk) list(w http.ResponseWriter, r *http.Request, by person) error {
	q := r.URL.Query()
	f := Filter{State: q.Get("state"), Cursor: q.Get("after"), Limit: pageSize}
	if f.State != "" && !slices.Contains(states[:], f.State) || len(f.Cursor) > 200 {
		return door.Fail(svc.CodeNotFound, errors.New("no such filter"))
	}
	return d.showList(w, r, by, f)
}

// find looks for one application. What is looked for comes in a form, because a
// publicToken has no place in an address. A single hit is opened.
func (d *Desk) find(w http.ResponseWriter, r *http.Request, by person) error {
	form, err := door.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	query := strings.TrimSpace(form.Get("query"))
	if query == "" || len(query) > 200 {
		return d.toList(w, r)
	}
	return d.showList(w, r, by, Filter{Query: query, Limit: 100})
}

// toList leads to the list, also whoever reloads what was found.
func (d *Desk) toList(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, "/review", http.StatusSeeOther)
	return nil
}

func (d *Desk) showList(w http.ResponseWriter, r *http.Request, by person, f Filter) error {
	found, next, err := d.Applications.List(r.Context(), f)
	if err != nil {
		return err
	}
	if f.Query != "" && len(found) == 1 {
		http.Redirect(w, r, "/review/applications/"+found[0].ID, http.StatusSeeOther)
		return nil
	}
	counts, err := d.Applications.Counts(r.Context())
	if err != nil {
		return err
	}
	v := portal.ReviewListView{By: by.email, Query: f.Query, Searched: f.Query != ""}
	all := 0
	for _, n := range counts {
		all += n
	}
	v.States = append(v.States, portal.ReviewState{Count: all, URL: "/review", Current: f.State == "" && f.Query == ""})
	for _, s := range states {
		v.States = append(v.States, portal.ReviewState{State: s, Count: counts[s], URL: listURL(s, ""), Current: f.State == s})
	}
	for _, a := range found {
		v.Rows = append(v.Rows, row(a))
	}
	if next != "" && f.Query == "" {
		v.Older = listURL(f.State, next)
	}
	if f.Cursor != "" {
		v.Newest = listURL(f.State, "")
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return portal.ReviewList(p, v) })
}

func listURL(state, after string) string {
	q := url.Values{}
	if state != "" {
		q.Set("state", state)
	}
	if after != "" {
		q.Set("after", after)
	}
	if len(q) == 0 {
		return "/review"
	}
	return "/review?" + q.Encode()
}

func row(a Application) portal.ReviewRow {
	return portal.ReviewRow{ID: a.ID, ExternalID: a.ExternalID, Product: a.Product, Mode: a.Mode, State: a.State,
		Attempt: a.Attempt, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt}
}

// get finds the application that the address names.
func (d *Desk) get(r *http.Request) (Application, error) {
	id := r.PathValue("id")
	if !svc.IsUUID(id) {
		return Application{}, door.Fail(svc.CodeNotFound, errors.New("not an application's id"))
	}
	a, err := d.Applications.Get(r.Context(), id)
	if errors.Is(err, store.ErrNotFound) {
		return Application{}, door.Fail(svc.CodeNotFound, err)
	}
	return a, err
}

func (d *Desk) application(w http.ResponseWriter, r *http.Request, by person) error {
	a, err := d.get(r)
	if err != nil {
		return err
	}
	return d.showApplication(w, r, http.StatusOK, by, a, portal.ReviewSharing{Done: portal.ReviewShareDone(r.URL.Query().Get("done"))})
}

// showApplication shows the page of one application, with what the card of its
// sharing says of what was just done there.
func (d *Desk) showApplication(w http.ResponseWriter, r *http.Request, status int, by person, a Application, sharing portal.ReviewSharing) error {
	lines, err := d.Applications.Timeline(r.Context(), a.ID, 0, timelineSize)
	if err != nil {
		return err
	}
	if err := d.fillSharing(r.Context(), a, &sharing); err != nil {
		return err
	}
	v := portal.ReviewApplicationView{By: by.email, Row: row(a), Origin: a.Origin, UserArgs: a.UserArgs, Words: a.Words,
		Token: a.PublicToken, Status: a.Status, Substatus: a.Substatus, Error: a.Error,
		HasReport: a.HasReport, ReportPage: hasPage(a.Product), ReportAt: a.ReportAt, Attempts: attempts(lines)}
	for _, l := range lines {
		v.Timeline = append(v.Timeline, portal.ReviewLine{At: l.At, Kind: l.Kind, Attempt: l.Attempt,
			Status: l.Status, Substatus: l.Substatus, Error: l.Error, From: l.From, To: l.To})
	}
	return d.show(w, r, status, func(p ui.Page) templ.Component { return portal.ReviewApplication(p, v, sharing) })
}

// attempts gathers a timeline by attempt: when each began, when something last
// came of it, and what it led to. A late line of an attempt that is over is its
// own, but the state it was left in is that of its last move.
func attempts(lines []Line) []portal.ReviewAttempt {
	var out []portal.ReviewAttempt
	at := map[int]int{}
	for _, l := range lines {
		if l.Attempt < 1 {
			continue
		}
		i, ok := at[l.Attempt]
		if !ok {
			i = len(out)
			at[l.Attempt] = i
			out = append(out, portal.ReviewAttempt{Number: l.Attempt, Began: l.At, State: l.To})
		}
		out[i].Last = l.At
		if l.From != l.To {
			out[i].State = l.To
		}
		if result := portal.Result(l.Status, l.Substatus, l.Error); result != "" {
			out[i].Result = result
		}
	}
	return out
}
