package portal

import (
	"context"
	"database/sql"
	"net/http"

	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/resume"
	"vestibule/internal/portal/review"
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

// browsers tells the redirect's companion whose browser it is.
type browsers struct{ sessions *session.Sessions }

func (b browsers) Identity(r *http.Request) (string, error) {
	s, err := b.sessions.Of(r)
	return s.Identity(), err
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
