package portal

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/connect"
	"vestibule/internal/portal/resume"
	"vestibule/internal/portal/review"
	"vestibule/internal/prefill"
	"vestibule/internal/redirect"
	"vestibule/internal/session"
	"vestibule/internal/store"
)

// outboxGuard has the review desk let its people in to the outbox.
func outboxGuard(d *review.Desk) func(func(http.ResponseWriter, *http.Request, resume.Member) error) httpx.HandlerFunc {
	return func(next func(http.ResponseWriter, *http.Request, resume.Member) error) httpx.HandlerFunc {
		return d.Guard(false, func(w http.ResponseWriter, r *http.Request, by review.Member) error {
			return next(w, r, resume.Member{Email: by.Email, Page: by.Page})
		})
	}
}

// forConnect shows the applications to the connect room.
type forConnect struct{ site *applications.Site }

func (n forConnect) Enter(w http.ResponseWriter, r *http.Request) (connect.Application, connect.Visitor, error) {
	a, v, err := n.site.Enter(w, r)
	if err == nil {
		err = n.site.Service.Speak(r.Context(), a, n.site.Base(r).Lang)
	}
	return connect.Application{ID: a.ID, Product: a.Product, Mode: string(a.Mode), Variant: string(a.Variant), Manual: a.Manual,
			SandboxReportID: a.SandboxReportID, UserArgs: a.UserArgs,
			State: string(a.Journey.State), HasApplicant: a.HasApplicant},
		connect.Visitor{Identity: identity(v.Session), Holder: v.Holder, Framed: v.Framed, Carry: v.Carry, Origin: v.Origin}, err
}

func (n forConnect) Ask(w http.ResponseWriter, r *http.Request, id string, v connect.Visitor) error {
	a, err := n.site.Service.Get(r.Context(), id)
	if err != nil {
		return err
	}
	return n.site.AskApplicant(w, r, a, applications.Visitor{Framed: v.Framed, Carry: v.Carry, Origin: v.Origin})
}

func (n forConnect) Applicant(ctx context.Context, id string) (prefill.Fields, error) {
	return n.site.Service.Applicant(ctx, id)
}

func (n forConnect) Current(ctx context.Context, id string) (connect.Attempt, bool, error) {
	a, err := n.site.Service.Get(ctx, id)
	if err != nil {
		return connect.Attempt{}, false, err
	}
	t, err := n.site.Service.Current(ctx, a)
	if errors.Is(err, store.ErrNotFound) {
		return connect.Attempt{}, false, nil
	}
	return attempt(t), err == nil, err
}

func (n forConnect) Begin(ctx context.Context, id, mode string) (connect.Attempt, error) {
	var t applications.Attempt
	err := n.site.Service.DB.Tx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		_, t, err = n.site.Service.Begin(ctx, tx, id, applications.Mode(mode))
		return err
	})
	if errors.Is(err, applications.ErrClosed) {
		err = connect.ErrClosed
	}
	return attempt(t), err
}

func (n forConnect) Equip(ctx context.Context, id string, number int, token string, until time.Time, consumerID string) error {
	a, err := n.site.Service.Get(ctx, id)
	if err != nil {
		return err
	}
	return n.site.Service.DB.Tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return n.site.Service.Equip(ctx, tx, a, number, token, until, consumerID)
	})
}

func attempt(t applications.Attempt) connect.Attempt {
	return connect.Attempt{Number: t.Number, Mode: string(t.Mode), ExternalID: t.ExternalID, ConsumerID: t.ConsumerID,
		Token: t.Token, TokenUntil: t.TokenUntil, Opened: t.Opened, OpenedBy: t.OpenedBy, Ours: t.Ours}
}

// forInvites shows the applications to the room of the links.
type forInvites struct{ site *applications.Site }

func (n forInvites) Enter(w http.ResponseWriter, r *http.Request) (resume.Application, bool, error) {
	a, v, err := n.site.Enter(w, r)
	return invited(a), v.Framed, err
}

func (n forInvites) Get(ctx context.Context, id string) (resume.Application, error) {
	a, err := n.site.Service.Get(ctx, id)
	return invited(a), err
}

func (n forInvites) Join(ctx context.Context, tx *sql.Tx, id, sessionID string) error {
	return n.site.Service.Join(ctx, tx, id, sessionID)
}

func (n forInvites) Bound(ctx context.Context, id, sessionID string) (bool, error) {
	return n.site.Service.Bound(ctx, id, sessionID)
}

func (n forInvites) Email(ctx context.Context, id string) (string, error) {
	f, err := n.site.Service.Applicant(ctx, id)
	return f.Email, err
}

func (n forInvites) Key(ctx context.Context, q store.Queryer, id string) (string, error) {
	return n.site.Service.Key(ctx, q, id)
}

func invited(a applications.Application) resume.Application {
	return resume.Application{ID: a.ID, Product: a.Product, Version: a.Version, Begun: a.CreatedAt}
}

// started uses up the application's attempt that a redirect was started for.
func started(s *applications.Service) func(context.Context, *sql.Tx, redirect.Attempt) error {
	return func(ctx context.Context, tx *sql.Tx, a redirect.Attempt) error {
		return s.Redirected(ctx, tx, a.Application, a.Number)
	}
}

// landed gives a verified return to the application that it belongs to.
func landed(s *applications.Service) func(context.Context, *sql.Tx, redirect.Attempt, redirect.Outcome) error {
	return func(ctx context.Context, tx *sql.Tx, a redirect.Attempt, o redirect.Outcome) error {
		return s.Landed(ctx, tx, applications.Landing{ApplicationID: a.Application, Attempt: a.Number,
			Outcome: o.Kind, PublicToken: o.PublicToken, Status: o.Status, Error: o.Error})
	}
}

// browsers tells the redirect's companion whose browser it is.
type browsers struct{ sessions *session.Sessions }

func (b browsers) Identity(r *http.Request) (string, error) {
	s, err := b.sessions.Of(r)
	return identity(s), err
}

func (b browsers) Renew(ctx context.Context, tx *sql.Tx, r *http.Request) (func(http.ResponseWriter) error, error) {
	cur, err := b.sessions.In(ctx, tx, r)
	if err != nil {
		return nil, err
	}
	if cur.Anonymous() {
		// Another return of this browser has renewed it a moment ago; a new session
		// would take its applications away.
		return func(http.ResponseWriter) error { return nil }, nil
	}
	_, cookie, err := b.sessions.Renew(ctx, tx, cur)
	return func(w http.ResponseWriter) error { return b.sessions.Set(w, r, cookie) }, err
}

// identity names a session and who is signed in there; empty without a session.
func identity(s session.Session) string {
	if s.Anonymous() {
		return ""
	}
	return s.ID + "/" + s.Principal
}
