package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// target is the JSON form of the events' receiver.
type target struct {
	URL       *string `json:"url"`
	Enabled   bool    `json:"enabled"`
	StoppedAt *string `json:"stoppedAt"`
}

func (a *API) target(w http.ResponseWriter, r *http.Request) error {
	to, err := a.Events.Target(r.Context())
	if err != nil {
		return err
	}
	out := target{URL: contract.Null(to.URL), Enabled: to.URL != "" && to.Stopped.IsZero()}
	if !to.Stopped.IsZero() {
		out.StoppedAt = new(to.Stopped.UTC().Format(timestamp))
	}
	return httpx.JSON(w, http.StatusOK, out)
}

// enable resumes sending events after the receiver answered 410.
func (a *API) enable(w http.ResponseWriter, r *http.Request) error {
	switch to, err := a.Events.Target(r.Context()); {
	case err != nil:
		return err
	case to.URL == "":
		return httpx.NewError(contract.CodeInvalidState, webhook.ErrStopped, httpx.Detail{Field: "url",
			Message: "no address is configured; the portal's operator gives one by --events-url"})
	}
	err := a.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := a.Events.Resume(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	return a.target(w, r)
}

// deliveryJSON is the JSON form of a delivery.
type deliveryJSON struct {
	ID            string `json:"id"`
	EventID       string `json:"eventId"`
	Type          string `json:"type"`
	ApplicationID string `json:"applicationId"`
	Sequence      int64  `json:"sequence"`
	State         string `json:"state"`
	Attempts      int    `json:"attempts"`
	HTTPStatus    *int   `json:"httpStatus"`
	CreatedAt     string `json:"createdAt"`
	UpdatedAt     string `json:"updatedAt"`
	*deliveryDetails
}

// deliveryDetails holds the additional fields of a single delivery.
type deliveryDetails struct {
	Tries []try           `json:"tries"`
	Event json.RawMessage `json:"event"`
}

type try struct {
	At         string         `json:"at"`
	HTTPStatus *int           `json:"httpStatus"`
	TookMS     int64          `json:"tookMs"`
	Problem    *webhook.Class `json:"problem"`
}

func showDelivery(d webhook.Delivery) deliveryJSON {
	return deliveryJSON{ID: d.ID, EventID: d.EventID, Type: d.Type, ApplicationID: d.Subject, Sequence: d.Sequence,
		State: stateName(d.State), Attempts: d.Tries, HTTPStatus: contract.Null(d.HTTP),
		CreatedAt: d.Created.UTC().Format(timestamp), UpdatedAt: d.Updated.UTC().Format(timestamp)}
}

// stateName returns the API's name of a state, in one word.
func stateName(s webhook.State) string { return strings.ReplaceAll(string(s), " ", "_") }

// deliveries lists the deliveries of the last 30 days, newest first.
func (a *API) deliveries(w http.ResponseWriter, r *http.Request) error {
	q := newQuery(r, "state", "applicationId", "cursor", "limit")
	application, cursor := strings.ToLower(q.values.Get("applicationId")), q.values.Get("cursor")
	f := webhook.Filter{Subject: application, Limit: q.number("limit", defaultPage, 1, maxPage)}
	if name := q.values.Get("state"); name != "" {
		i := slices.IndexFunc(webhook.States(), func(s webhook.State) bool { return stateName(s) == name })
		if i < 0 {
			q.reject("state", "must be pending, delivered, given_up or disabled")
		} else {
			f.State = webhook.States()[i]
		}
	}
	if application != "" && !contract.IsUUID(application) {
		q.reject("applicationId", "must be an application's id, a UUID")
	}
	if err := q.err(); err != nil {
		return err
	}
	found, next, err := a.Events.List(r.Context(), f, cursor)
	if err != nil {
		return q.cursor(err)
	}
	out := struct {
		Deliveries []deliveryJSON `json:"deliveries"`
		Next       *string        `json:"next"`
	}{Deliveries: make([]deliveryJSON, len(found)), Next: contract.Null(next)}
	for i, d := range found {
		out.Deliveries[i] = showDelivery(d)
	}
	return httpx.JSON(w, http.StatusOK, out)
}

// findDelivery returns the delivery that the address names.
func (a *API) findDelivery(r *http.Request) (webhook.Delivery, error) {
	id, err := httpx.PathUUID(r, "id", "id", contract.CodeNotFound)
	if err != nil {
		return webhook.Delivery{}, err
	}
	d, err := a.Events.Delivery(r.Context(), id)
	return d, httpx.NotFoundIf(err, store.ErrNotFound)
}

func (a *API) delivery(w http.ResponseWriter, r *http.Request) error {
	d, err := a.findDelivery(r)
	if err != nil {
		return err
	}
	out, more := showDelivery(d), &deliveryDetails{Tries: make([]try, len(d.Attempts)), Event: d.Body}
	if d.Body == nil {
		more.Event = json.RawMessage("null")
	}
	for i, t := range d.Attempts {
		more.Tries[i] = try{At: t.At.UTC().Format(timestamp), HTTPStatus: contract.Null(t.HTTP),
			TookMS: t.Took.Milliseconds(), Problem: contract.Null(t.Error)}
	}
	out.deliveryDetails = more
	return httpx.JSON(w, http.StatusOK, out)
}

// redeliver sends an event again, with its ID and body.
func (a *API) redeliver(w http.ResponseWriter, r *http.Request) error {
	d, err := a.findDelivery(r)
	if err != nil {
		return err
	}
	id, err := store.Value(r.Context(), a.DB.Tx, func(ctx context.Context, tx *store.Tx) (string, error) {
		return a.Events.Redeliver(ctx, tx, d.ID, d.Resends)
	})
	switch {
	case errors.Is(err, webhook.ErrPending):
		return httpx.NewError(contract.CodeInvalidState, err, httpx.Detail{Field: "state", Message: "the event is on its way already"})
	case errors.Is(err, webhook.ErrStopped):
		return httpx.NewError(contract.CodeInvalidState, err, httpx.Detail{Field: "state",
			Message: "events are not sent: there is no address, or it answered 410 and must be enabled first"})
	case err != nil:
		return err
	}
	if d, err = a.Events.Delivery(r.Context(), id); err != nil {
		return err
	}
	w.Header().Set("Location", "/api/v1/webhooks/deliveries/"+id)
	return httpx.JSON(w, http.StatusAccepted, showDelivery(d))
}
