package review

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/door"
	"vestibule/internal/password"
	"vestibule/internal/session"
	"vestibule/internal/store"
	"vestibule/internal/svc"
	"vestibule/templates/portal"
	"vestibule/templates/ui"
)

// EnsureReviewer makes the reviewer of that address, if there is none; one that
// exists keeps its password.
func (d *Desk) EnsureReviewer(ctx context.Context, email, secret string) error {
	email = password.Email(email)
	if email == "" || len(secret) < password.Min || len(secret) > password.Max {
		return errors.New("review: a reviewer needs an e-mail and a password of 12 to 256 bytes")
	}
	if _, err := reviewerByEmail(ctx, d.DB.SQL, email); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	hash := password.Hash(secret)
	return d.DB.Tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return d.insertReviewer(ctx, tx, email, hash)
	})
}

// who returns the signed-in reviewer's id and e-mail, or "" for nobody.
func (d *Desk) who(r *http.Request) (id, email string, err error) {
	s, err := d.Sessions.Of(r)
	if err != nil || s.Principal == "" {
		return "", "", err
	}
	email, err = d.email(r.Context(), d.DB.SQL, s.Principal)
	if errors.Is(err, store.ErrNotFound) {
		return "", "", nil
	}
	return s.Principal, email, err
}

// reviewerHandler is a handler for a reviewer who has signed in.
type reviewerHandler func(w http.ResponseWriter, r *http.Request, by person) error

// person is who is signed in.
type person struct{ id, email string }

// only lets reviewers in and sends everybody else to sign in, and back after.
func (d *Desk) only(next reviewerHandler) door.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, email, err := d.who(r)
		if err != nil {
			return err
		}
		if id == "" {
			where := "/review/sign-in"
			if r.Method == http.MethodGet && local(r.URL.RequestURI()) && r.URL.Path != "/review" {
				where += "?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
			}
			w.Header().Set("Cache-Control", "no-store")
			http.Redirect(w, r, where, http.StatusSeeOther)
			return nil
		}
		return next(w, r, person{id, email})
	}
}

// local reports whether next is a path of these pages that one may be sent on to.
func local(next string) bool {
	return door.Local(next, "/review") && !strings.HasPrefix(next, "/review/sign-")
}

func (d *Desk) signInPage(w http.ResponseWriter, r *http.Request) error {
	id, _, err := d.who(r)
	if err != nil {
		return err
	}
	next := r.URL.Query().Get("next")
	if !local(next) {
		next = ""
	}
	if id != "" {
		http.Redirect(w, r, after(next), http.StatusSeeOther)
		return nil
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component {
		return portal.ReviewSignIn(p, portal.ReviewSignInView{Next: next})
	})
}

func after(next string) string {
	if next == "" {
		return "/review"
	}
	return next
}

// signIn checks e-mail and password. Every try is counted before the password is
// looked at, and a wrong e-mail takes as long as a wrong password.
func (d *Desk) signIn(w http.ResponseWriter, r *http.Request) error {
	form, err := door.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	email, given, next := password.Email(form.Get("email")), form.Get("password"), form.Get("next")
	if !local(next) {
		next = ""
	}
	again := func(status int, problem portal.ReviewSignInProblem) error {
		return d.show(w, r, status, func(p ui.Page) templ.Component {
			return portal.ReviewSignIn(p, portal.ReviewSignInView{Email: email, Next: next, Problem: problem})
		})
	}
	if email == "" || given == "" || len(given) > password.Max {
		return again(http.StatusUnprocessableEntity, portal.ReviewSignInWrong)
	}
	now, ctx := d.Now(), r.Context()
	allowed, err := password.Take(ctx, d.DB, email, password.Place(r), now)
	if err != nil {
		return err
	}
	if !allowed {
		door.RetryAfter(w, password.Window)
		return again(http.StatusTooManyRequests, portal.ReviewSignInTooOften)
	}
	found, err := reviewerByEmail(ctx, d.DB.SQL, email)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	right, err := d.passwords.Check(ctx, found.passwordHash, given)
	if errors.Is(err, password.ErrBusy) {
		return &door.Error{Code: svc.CodeRateLimited, RetryAfter: 2 * time.Second, Why: err}
	}
	if err != nil {
		return err
	}
	if !right {
		return again(http.StatusUnprocessableEntity, portal.ReviewSignInWrong)
	}
	current, err := d.Sessions.Of(r)
	if err != nil {
		return err
	}
	var cookie session.Cookie
	err = d.DB.Tx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if err := password.Forget(ctx, tx, email, password.Place(r), now); err != nil {
			return err
		}
		_, cookie, err = d.Sessions.SignIn(ctx, tx, current, found.id)
		return err
	})
	if err != nil {
		return err
	}
	if err := d.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, after(next), http.StatusSeeOther)
	return nil
}

// Sweep forgets the tries that are long over.
func (d *Desk) Sweep(ctx context.Context) error { return password.Sweep(ctx, d.DB, d.Now()) }

func (d *Desk) signOut(w http.ResponseWriter, r *http.Request) error {
	current, err := d.Sessions.Of(r)
	if err != nil {
		return err
	}
	var cookie session.Cookie
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *sql.Tx) (err error) {
		cookie, err = d.Sessions.SignOut(ctx, tx, current)
		return err
	})
	if err != nil {
		return err
	}
	if err := d.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, "/review/sign-in", http.StatusSeeOther)
	return nil
}
