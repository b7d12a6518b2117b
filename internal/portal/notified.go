package portal

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/embed"
	"vestibule/internal/portal/notify"
	"vestibule/internal/portal/review"
	"vestibule/internal/svcapi"
)

// told tells the onboarding app of every state that an application comes to, and of
// every decision.
func told(n *notify.Service) func(context.Context, *sql.Tx, applications.Application, applications.Line) error {
	return func(ctx context.Context, tx *sql.Tx, a applications.Application, l applications.Line) error {
		decided := a.Decision.Kind != "" && l.Kind == a.Decision.Kind
		if !l.Moved() && !decided {
			return nil
		}
		j := a.Journey
		return n.Record(ctx, tx, notify.Change{ID: a.ID, ExternalID: a.ExternalID, UserArgs: a.UserArgs, Product: a.Product, State: string(j.State),
			Outcome: j.Outcome(), Status: j.Status, Substatus: j.Substatus, Error: j.Error, Resumable: a.Resumable(), Decision: notify.Decision(a.Decision), Decided: decided, Sequence: l.Seq, At: l.At})
	}
}

// guard has the review desk let its people in to the pages of events.
func guard(d *review.Desk) func(bool, func(http.ResponseWriter, *http.Request, notify.Member) error) httpx.HandlerFunc {
	return func(changes bool, next func(http.ResponseWriter, *http.Request, notify.Member) error) httpx.HandlerFunc {
		return d.Guard(changes, func(w http.ResponseWriter, r *http.Request, by review.Member) error {
			return next(w, r, notify.Member(by))
		})
	}
}

// webhooks shows the onboarding app's events to the portal's API.
type webhooks struct{ n *notify.Service }

func (w webhooks) Target(ctx context.Context) (url string, stopped time.Time, err error) {
	to, err := w.n.Target(ctx)
	return to.URL, to.Stopped, err
}

func (w webhooks) Resume(ctx context.Context) error { return w.n.Resume(ctx, nil) }

func (w webhooks) Deliveries(ctx context.Context, f embed.DeliveryFilter) ([]embed.Delivery, string, error) {
	found, next, err := w.n.List(ctx, notify.Filter(f))
	if errors.Is(err, notify.ErrCursor) {
		err = embed.ErrCursor
	}
	out := make([]embed.Delivery, len(found))
	for i, d := range found {
		out[i] = shown(d)
	}
	return out, next, err
}

func (w webhooks) Delivery(ctx context.Context, id string) (embed.Delivery, error) {
	d, err := w.n.Delivery(ctx, id)
	return shown(d), err
}

func (w webhooks) Redeliver(ctx context.Context, id string, resends int64) (string, error) {
	made, err := w.n.Redeliver(ctx, id, resends, nil)
	switch {
	case errors.Is(err, notify.ErrOnItsWay):
		err = embed.ErrOnItsWay
	case errors.Is(err, notify.ErrStopped):
		err = embed.ErrStopped
	}
	return made, err
}

func shown(d notify.Delivery) embed.Delivery {
	out := embed.Delivery{ID: d.ID, EventID: d.EventID, ApplicationID: d.ApplicationID, Type: d.Type, Sequence: d.Sequence, Happened: d.Happened,
		State: d.State, Tries: d.Tries, HTTP: d.HTTP, Created: d.Created, Updated: d.Updated, Resends: d.Resends, Body: d.Body}
	for _, a := range d.Attempts {
		out.Attempts = append(out.Attempts, embed.DeliveryAttempt(a))
	}
	return out
}

// List, Files and File are of forAPI, the applications as the portal's API sees
// them.
func (n forAPI) List(ctx context.Context, f embed.Filter) ([]embed.Application, string, error) {
	found, next, err := n.s.List(ctx, applications.Filter(f))
	if errors.Is(err, applications.ErrCursor) {
		err = embed.ErrCursor
	}
	out := make([]embed.Application, len(found))
	for i, a := range found {
		out[i] = forApp(a)
	}
	return out, next, err
}

func (n forAPI) Files(ctx context.Context, id string) ([]svcapi.File, error) {
	all, err := n.s.Files(ctx, id)
	return all, noReport(err)
}

func (n forAPI) File(ctx context.Context, id, path string) (svcapi.Content, error) {
	got, err := n.s.File(ctx, id, path)
	return got, noReport(err)
}
