package review

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/door"
	"vestibule/internal/portal/session"
	"vestibule/internal/store"
	"vestibule/internal/svc"
	"vestibule/templates/portal"
	"vestibule/templates/ui"
)

// Tries to sign in within tryWindow: of one e-mail from one place, and of one
// e-mail from anywhere.
const (
	tryWindow  = 15 * time.Minute
	triesHere  = 10
	triesTotal = 100
)

// EnsureReviewer makes the reviewer of that address, if there is none; one that
// exists keeps its password.
func (d *Desk) EnsureReviewer(ctx context.Context, email, password string) error {
	email = normal(email)
	if email == "" || len(password) < 12 || len(password) > maxPassword {
		return errors.New("review: a reviewer needs an e-mail and a password of 12 to 256 bytes")
	}
	if _, err := reviewerByEmail(ctx, d.DB.SQL, email); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	hash := hashPassword(password)
	return d.DB.Tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return d.insertReviewer(ctx, tx, email, hash)
	})
}

func normal(email string) string {
	email = strings.ToLower(strings.TrimSpace(email))
	if len(email) > 254 {
		return ""
	}
	return email
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

// local reports whether next is a path of these pages, as opposed to an address
// that a browser would read as somewhere else.
func local(next string) bool {
	if len(next) > 512 || strings.ContainsAny(next, "\\#") {
		return false
	}
	for i := 0; i < len(next); i++ {
		if next[i] <= ' ' || next[i] >= 0x7f {
			return false
		}
	}
	u, err := url.Parse(next)
	return err == nil && u.Scheme == "" && u.Host == "" && u.User == nil && u.Opaque == "" && path.Clean(u.Path) == u.Path &&
		(u.Path == "/review" || strings.HasPrefix(u.Path, "/review/")) && !strings.HasPrefix(u.Path, "/review/sign-")
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
	email, password, next := normal(form.Get("email")), form.Get("password"), form.Get("next")
	if !local(next) {
		next = ""
	}
	again := func(status int, problem portal.ReviewSignInProblem) error {
		return d.show(w, r, status, func(p ui.Page) templ.Component {
			return portal.ReviewSignIn(p, portal.ReviewSignInView{Email: email, Next: next, Problem: problem})
		})
	}
	if email == "" || password == "" || len(password) > maxPassword {
		return again(http.StatusUnprocessableEntity, portal.ReviewSignInWrong)
	}
	now, ctx := d.Now(), r.Context()
	here := tryKey(email, place(r))
	allowed := false
	err = d.DB.Tx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if allowed, err = take(ctx, tx, here, now, tryWindow, triesHere); err != nil || !allowed {
			return err
		}
		allowed, err = take(ctx, tx, tryKey(email, ""), now, tryWindow, triesTotal)
		return err
	})
	if err != nil {
		return err
	}
	if !allowed {
		door.RetryAfter(w, tryWindow)
		return again(http.StatusTooManyRequests, portal.ReviewSignInTooOften)
	}
	found, err := reviewerByEmail(ctx, d.DB.SQL, email)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	right, err := d.checkPassword(ctx, found.passwordHash, password)
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
		if err := forgetTries(ctx, tx, here, now.Add(-24*time.Hour)); err != nil {
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

// maxWaiting is how many passwords may wait to be hashed: about a second's worth.
const maxWaiting = 20

// checkPassword hashes one password at a time, so that tries by the dozen do not
// take the memory of the process, and turns away what would wait for long. For
// an unknown reviewer it hashes in vain.
func (d *Desk) checkPassword(ctx context.Context, hash, password string) (bool, error) {
	defer d.waiting.Add(-1)
	if d.waiting.Add(1) > maxWaiting {
		return false, &door.Error{Code: svc.CodeRateLimited, RetryAfter: 2 * time.Second, Why: errors.New("too many passwords to hash")}
	}
	d.hashing.Lock()
	defer d.hashing.Unlock()
	if err := ctx.Err(); err != nil {
		return false, err // nobody waits for it any more
	}
	if hash == "" {
		hashPassword(password)
		return false, nil
	}
	return checkPassword(hash, password)
}

// Sweep forgets the tries that are long over: each e-mail that is tried leaves a
// row.
func (d *Desk) Sweep(ctx context.Context) error {
	return d.DB.Tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return forgetTries(ctx, tx, nil, d.Now().Add(-24*time.Hour))
	})
}

// tryKey names who tries, without keeping it readable.
func tryKey(email, from string) []byte {
	sum := sha256.Sum256([]byte(email + "\x00" + from))
	return sum[:]
}

// place is the address that the connection comes from. Forwarding headers are
// whatever a client writes, so they do not count.
func place(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || host == "" {
		return "unknown"
	}
	return host
}

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
