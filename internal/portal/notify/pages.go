package notify

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// Pages show the deliveries to the people of the review desk. All fields are
// required.
type Pages struct {
	Service *Service
	// Guard lets those people in, or with changes only those who may change
	// something.
	Guard func(changes bool, next func(w http.ResponseWriter, r *http.Request, by Member) error) httpx.HandlerFunc
	// Adapt turns a handler into one that shows its errors as a page.
	Adapt func(httpx.HandlerFunc) http.Handler
}

// Member is who looks.
type Member struct {
	Email   string
	Decides bool
	Page    ui.Page
	// Did adds to the audit trail of the desk.
	Did func(ctx context.Context, tx *sql.Tx, action, applicationID, object string) error
}

// pageSize is how many deliveries a page has.
const pageSize = 25

// Routes mounts the pages.
func (p *Pages) Routes(mux *http.ServeMux) {
	page := func(pattern string, changes bool, h func(http.ResponseWriter, *http.Request, Member) error) {
		mux.Handle(pattern, p.Adapt(p.Guard(changes, h)))
	}
	page("GET /review/events", false, p.list)
	page("POST /review/events/enable", true, p.enable)
	page("GET /review/events/{id}", false, p.one)
	page("POST /review/events/{id}/redeliver", true, p.redeliver)
}

func (p *Pages) list(w http.ResponseWriter, r *http.Request, by Member) error {
	q := r.URL.Query()
	f := Filter{State: webhook.State(strings.ReplaceAll(q.Get("state"), "_", " ")), ApplicationID: q.Get("application"), Cursor: q.Get("after"), Limit: pageSize}
	if f.State != "" && !slices.Contains(webhook.States(), f.State) || f.ApplicationID != "" && !contract.IsUUID(f.ApplicationID) {
		return httpx.Fail(contract.CodeNotFound, errors.New("no such filter"))
	}
	to, err := p.Service.Target(r.Context())
	if err != nil {
		return err
	}
	found, next, err := p.Service.List(r.Context(), f)
	if errors.Is(err, ErrCursor) {
		return httpx.Fail(contract.CodeNotFound, err)
	}
	if err != nil {
		return err
	}
	v := pages.EventsView{By: by.Email, Decides: by.Decides, URL: origin(to.URL), Stopped: to.Stopped, State: f.State, ApplicationID: f.ApplicationID,
		Done: pages.EventsDone(q.Get("done"))}
	for _, d := range found {
		v.Rows = append(v.Rows, view(d))
	}
	if next != "" {
		v.Older = pages.EventsURL(f.State, f.ApplicationID, next)
	}
	if f.Cursor != "" {
		v.Newest = pages.EventsURL(f.State, f.ApplicationID, "")
	}
	httpx.Secure(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK, pages.Events(by.Page, v))
}

// origin is what people are shown of an address, whose path may be secret.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func view(d Delivery) pages.Delivery {
	v := pages.Delivery{ID: d.ID, EventID: d.EventID, ApplicationID: d.ApplicationID, Type: d.Type, Sequence: d.Sequence, Happened: d.Happened,
		State: d.State, Tries: d.Tries, HTTP: d.HTTP, Created: d.Created, Resends: d.Resends}
	for _, a := range d.Attempts {
		v.Attempts = append(v.Attempts, pages.Try(a))
	}
	var indented bytes.Buffer
	if json.Indent(&indented, d.Body, "", "  ") == nil {
		v.Body = indented.String()
	}
	return v
}

// find returns the delivery that the address names.
func (p *Pages) find(r *http.Request) (Delivery, error) {
	id := r.PathValue("id")
	if !contract.IsUUID(id) {
		return Delivery{}, httpx.Fail(contract.CodeNotFound, errors.New("not a delivery's id"))
	}
	d, err := p.Service.Delivery(r.Context(), id)
	if errors.Is(err, store.ErrNotFound) {
		return d, httpx.Fail(contract.CodeNotFound, err)
	}
	return d, err
}

func (p *Pages) one(w http.ResponseWriter, r *http.Request, by Member) error {
	d, err := p.find(r)
	if err != nil {
		return err
	}
	v := view(d)
	v.By, v.Decides, v.Done = by.Email, by.Decides, pages.EventsDone(r.URL.Query().Get("done"))
	httpx.Secure(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK, pages.Event(by.Page, v))
}

// redeliver sends an event again, unless it was since the page was made.
func (p *Pages) redeliver(w http.ResponseWriter, r *http.Request, by Member) error {
	d, err := p.find(r)
	if err != nil {
		return err
	}
	form, err := httpx.DecodeForm(w, r, 4<<10)
	if err != nil {
		return err
	}
	resends, err := strconv.ParseInt(form.Get("resends"), 10, 64)
	if err != nil || resends < 0 {
		return httpx.Fail(contract.CodeMalformedBody, errors.New("no form of ours"))
	}
	id, err := p.Service.Redeliver(r.Context(), d.ID, resends, func(ctx context.Context, tx *sql.Tx) error {
		return by.Did(ctx, tx, "eventSent", d.ApplicationID, d.Type)
	})
	done := pages.EventSent
	switch {
	case errors.Is(err, ErrOnItsWay):
		id, done = d.ID, pages.EventBusy
	case errors.Is(err, ErrStopped):
		id, done = d.ID, pages.EventStopped
	case err != nil:
		return err
	}
	httpx.See(w, "/review/events/"+id+"?done="+string(done))
	return nil
}

// enable sends events again after the app answered 410.
func (p *Pages) enable(w http.ResponseWriter, r *http.Request, by Member) error {
	err := p.Service.Resume(r.Context(), func(ctx context.Context, tx *sql.Tx) error { return by.Did(ctx, tx, "eventsOn", "", "") })
	if err != nil {
		return err
	}
	httpx.See(w, "/review/events?done="+string(pages.EventsOn))
	return nil
}
