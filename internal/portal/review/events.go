package review

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// events lists the deliveries of events to the onboarding app, newest first.
func (d *Handler) events(w http.ResponseWriter, r *http.Request, by staff.User) error {
	q := r.URL.Query()
	state, application, cursor := webhook.State(strings.ReplaceAll(q.Get("state"), "_", " ")), q.Get("application"), q.Get("after")
	if state != "" && !slices.Contains(webhook.States(), state) || application != "" && !contract.IsUUID(application) {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such filter"))
	}
	to, err := d.Events.Target(r.Context())
	if err != nil {
		return err
	}
	found, next, err := d.Events.List(r.Context(), webhook.Filter{State: state, Subject: application, Limit: pageSize}, cursor)
	if errors.Is(err, store.ErrCursor) {
		return httpx.NewError(contract.CodeNotFound, err)
	}
	if err != nil {
		return err
	}
	v := pages.EventsView{Decides: deciders.has(by), URL: httpx.OriginOf(to.URL), Stopped: to.Stopped, State: state,
		ApplicationID: application, Rows: found, Now: d.DB.Now(), Done: q.Get("done")}
	if v.Health, v.Next, err = d.Events.Health(r.Context(), v.Now.Add(-24*time.Hour), v.Now.Add(-7*24*time.Hour)); err != nil {
		return err
	}
	if next != "" {
		v.Older = pages.EventsURL(state, application, next)
	}
	if cursor != "" {
		v.Newest = pages.EventsURL(state, application, "")
	}
	return d.showLive(w, r, func(p ui.Page) templ.Component { return pages.Events(p, v) })
}

// findDelivery returns the delivery that the address names.
func (d *Handler) findDelivery(r *http.Request) (webhook.Delivery, error) {
	id := r.PathValue("id")
	if !contract.IsUUID(id) {
		return webhook.Delivery{}, httpx.NewError(contract.CodeNotFound, errors.New("not a delivery's id"))
	}
	found, err := d.Events.Delivery(r.Context(), id)
	return found, httpx.NotFoundIf(err, store.ErrNotFound)
}

// event shows one delivery with its attempts and its body.
func (d *Handler) event(w http.ResponseWriter, r *http.Request, by staff.User) error {
	found, err := d.findDelivery(r)
	if err != nil {
		return err
	}
	v := pages.EventView{Delivery: found, Decides: deciders.has(by), Done: r.URL.Query().Get("done")}
	return d.showLive(w, r, func(p ui.Page) templ.Component { return pages.Event(p, v) })
}

// resendEvent sends an event again, unless it was resent since the page was rendered.
func (d *Handler) resendEvent(w http.ResponseWriter, r *http.Request, by staff.User) error {
	sent, err := d.findDelivery(r)
	if err != nil {
		return err
	}
	form, err := httpx.DecodeForm(w, r, 4<<10)
	if err != nil {
		return err
	}
	resends, err := strconv.ParseInt(form.Get("resends"), 10, 64)
	if err != nil || resends < 0 {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no form of this page"))
	}
	var id string
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if id, err = d.Events.Redeliver(ctx, tx, sent.ID, resends); err != nil {
			return err
		}
		return d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: audit.EventSent, Subject: sent.Subject, Object: sent.Type})
	})
	done := "sent"
	switch {
	case errors.Is(err, webhook.ErrPending):
		id, done = sent.ID, "busy"
	case errors.Is(err, webhook.ErrStopped):
		id, done = sent.ID, "stopped"
	case err != nil:
		return err
	}
	return httpx.SeeOther(w, "/review/events/"+id+"?done="+done)
}

// enableEvents resumes sending events after the app answered 410.
func (d *Handler) enableEvents(w http.ResponseWriter, r *http.Request, by staff.User) error {
	err := d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if resumed, err := d.Events.Resume(ctx, tx); err != nil || !resumed {
			return err
		}
		return d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: audit.EventsOn})
	})
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, "/review/events?done=on")
}
