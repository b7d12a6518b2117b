package review

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/password"
	"vestibule/internal/session"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// EnsureReviewer creates an administrator with that email address unless a user has
// it; an existing user keeps their password and role.
func (d *Handler) EnsureReviewer(ctx context.Context, email, secret string) error {
	email = password.Email(email)
	if email == "" || len(secret) < password.Min || len(secret) > password.Max {
		return errors.New("review: a reviewer needs an e-mail and a password of 12 to 256 bytes")
	}
	if _, err := reviewerByEmail(ctx, d.DB.SQL, email); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	hash := password.Hash(secret)
	return d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := d.insertReviewer(ctx, tx, uuid.NewString(), email, hash, Administrator)
		return err
	})
}

// Staffed reports whether any user exists, including disabled ones.
func (d *Handler) Staffed(ctx context.Context) (bool, error) { return staffed(ctx, d.DB.SQL) }

// Local reports whether users sign in with passwords stored here.
func (d *Handler) Local() bool { return !d.NoPasswords }

// reviewerHandler handles a request of a signed-in user.
type reviewerHandler func(w http.ResponseWriter, r *http.Request, by person) error

// person is a signed-in user. The zero value means that no user is signed in.
type person struct {
	id, email string
	role      Role
}

// who returns the signed-in user; the zero person if the user is disabled.
func (d *Handler) who(r *http.Request) (person, error) {
	s, err := d.Sessions.Of(r)
	if err != nil || s.Principal == "" {
		return person{}, err
	}
	found, err := d.reviewer(r.Context(), d.DB.SQL, s.Principal)
	if errors.Is(err, store.ErrNotFound) {
		return person{}, nil
	}
	if err != nil || !found.disabled.IsZero() {
		return person{}, err
	}
	return person{found.id, found.email, found.role}, nil
}

type personKey struct{}

// only admits users with the given roles, refuses other users, and redirects visitors
// to sign in and back.
func (d *Handler) only(m may, next reviewerHandler) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		by, err := d.who(r)
		if err != nil {
			return err
		}
		if by.id == "" {
			return d.toSignIn(w, r)
		}
		r = r.WithContext(context.WithValue(r.Context(), personKey{}, by))
		if !m.has(by.role) {
			return d.say(w, r, http.StatusForbidden, pages.NotYours)
		}
		return next(w, r, by)
	}
}

// toSignIn redirects to the sign-in page and from there back to the requested page.
// For a POST after the session ended, the sign-in page says so and leads back to the
// form's page, where the browser still has the entered text.
func (d *Handler) toSignIn(w http.ResponseWriter, r *http.Request) error {
	q, next := url.Values{}, r.URL.RequestURI()
	if r.Method == http.MethodPost {
		q.Set("ended", "1")
		next = d.pageOf(r)
	}
	if local(next) && r.URL.Path != "/review" {
		q.Set("next", next)
	}
	to := "/review/sign-in"
	if len(q) > 0 {
		to += "?" + q.Encode()
	}
	httpx.SeeOther(w, to)
	return nil
}

// pageOf returns the address of the form of a POST: its own if that answers GET,
// otherwise the first page of its section.
func (d *Handler) pageOf(r *http.Request) string {
	get := "GET " + strings.TrimPrefix(r.Pattern, "POST ")
	if slices.ContainsFunc(d.table(), func(page route) bool { return page.pattern == get }) {
		return r.URL.Path
	}
	section, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/review/"), "/")
	return "/review/" + section
}

// local reports whether next is a path of the review dashboard that is safe to
// redirect to.
func local(next string) bool {
	return httpx.IsLocalPath(next, "/review") && !strings.HasPrefix(next, "/review/sign-")
}

func (d *Handler) signInPage(w http.ResponseWriter, r *http.Request) error {
	by, err := d.who(r)
	if err != nil {
		return err
	}
	next := r.URL.Query().Get("next")
	if !local(next) {
		next = ""
	}
	if by.id != "" {
		httpx.SeeOther(w, after(next))
		return nil
	}
	return d.showSignIn(w, r, http.StatusOK, pages.SignInView{Next: next, Ended: r.URL.Query().Has("ended")})
}

func (d *Handler) showSignIn(w http.ResponseWriter, r *http.Request, status int, v pages.SignInView) error {
	if v.Passwords = d.Local(); d.OIDC != nil {
		v.Elsewhere = d.OIDC.name()
	}
	return d.show(w, r, status, func(p ui.Page) templ.Component { return pages.SignIn(p, v) })
}

func after(next string) string {
	if next == "" {
		return "/review"
	}
	return next
}

// busy turns a full password queue into an error for clients.
func busy(err error) error {
	if errors.Is(err, password.ErrBusy) {
		return &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: 2 * time.Second, Why: err}
	}
	return err
}

// signIn checks the email address and the password.
func (d *Handler) signIn(w http.ResponseWriter, r *http.Request) error {
	if !d.Local() {
		return httpx.NewError(contract.CodeNotFound, errors.New("there are no passwords here"))
	}
	form, err := httpx.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	email, given, next := password.Email(form.Get("email")), form.Get("password"), form.Get("next")
	if !local(next) {
		next = ""
	}
	again := func(status int, problem pages.SignInProblem) error {
		return d.showSignIn(w, r, status, pages.SignInView{Email: email, Next: next, Problem: problem})
	}
	try := d.passwords.Try(r, email, given)
	var found reviewer
	verdict, err := d.passwords.Authenticate(r.Context(), try, func(ctx context.Context) (string, error) {
		var err error
		found, err = reviewerByEmail(ctx, d.DB.SQL, email)
		return found.passwordHash, err
	})
	switch {
	case err != nil:
		return busy(err)
	case verdict == password.TooOften:
		httpx.RetryAfter(w, password.Window)
		return again(http.StatusTooManyRequests, pages.SignInTooOften)
	case verdict != password.Right || !found.disabled.IsZero():
		if err := d.failed(r.Context(), found.id, "password"); err != nil {
			return err
		}
		return again(http.StatusUnprocessableEntity, pages.SignInWrong)
	}
	err = d.startSession(w, r, found.id, "password", func(ctx context.Context, tx *store.Tx) error {
		return d.passwords.Forget(ctx, tx, try)
	})
	if err != nil {
		return err
	}
	d.passwords.Know(w, email)
	httpx.SeeOther(w, after(next))
	return nil
}

// startSession signs a user in and renews the session.
func (d *Handler) startSession(w http.ResponseWriter, r *http.Request, id, way string, also func(context.Context, *store.Tx) error) error {
	current, err := d.Sessions.Of(r)
	if err != nil {
		return err
	}
	var cookie session.Cookie
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		if err := also(ctx, tx); err != nil {
			return err
		}
		if err := setSignedIn(ctx, tx, id, d.Now()); err != nil {
			return err
		}
		if err := d.write(ctx, tx, auditLine{actor: id, action: signedIn, detail: way}); err != nil {
			return err
		}
		_, cookie, err = d.Sessions.SignIn(ctx, tx, current, id)
		return err
	})
	if err != nil {
		return err
	}
	return d.Sessions.Set(w, r, cookie)
}

// failed logs a failed sign-in. Those for unknown addresses share one entry per
// minute, so that they cannot flood the audit trail.
func (d *Handler) failed(ctx context.Context, id, way string) error {
	l := auditLine{actor: id, action: signInFailed, detail: way}
	if id == "" {
		l.id = uuid.NewSHA1(uuid.NameSpaceURL, []byte("sign-in-failed:"+way+d.Now().UTC().Format("2006-01-02T15:04"))).String()
	}
	return d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return d.write(ctx, tx, l) })
}

// Sweep deletes old sign-in tries, expired searches and expired sign-ins.
func (d *Handler) Sweep(ctx context.Context) error {
	return errors.Join(d.passwords.Sweep(ctx), d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return sweep(ctx, tx, d.Now())
	}))
}

func (d *Handler) signOut(w http.ResponseWriter, r *http.Request) error {
	current, err := d.Sessions.Of(r)
	if err != nil {
		return err
	}
	var cookie session.Cookie
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		if current.Principal != "" {
			if err := d.write(ctx, tx, auditLine{actor: current.Principal, action: signedOut}); err != nil {
				return err
			}
		}
		cookie, err = d.Sessions.SignOut(ctx, tx, current)
		return err
	})
	if err != nil {
		return err
	}
	if err := d.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	httpx.SeeOther(w, "/review/sign-in")
	return nil
}
