package staff

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"vestibule/internal/httpx"
	"vestibule/internal/mail"
	"vestibule/internal/session"
	"vestibule/internal/store"
)

// maxForm is the maximum size of the sign-in form in bytes.
const maxForm = 8 << 10

// SignInPage is the content of a sign-in page.
type SignInPage struct {
	Email     string // as typed
	Next      string // path of the page to show after the sign-in, or ""
	Ended     bool   // a form was sent after its session had ended
	Problem   Problem
	Passwords bool   // users may sign in with a password
	Issuer    string // name of the OpenID Connect issuer; "" if none exists
}

// Problem is the reason that a sign-in failed.
type Problem int

const (
	NoProblem     Problem = iota
	WrongPassword         // or no such user; the page does not say which
	TooManyTries
	NotAdmitted   // the issuer's account may not sign in here
	IssuerFailed  // the sign-in at the issuer failed
	ClaimsMissing // the issuer did not provide the required claims
	WrongCode     // of the second factor, or a used one
)

func (s *Service) showSignIn(w http.ResponseWriter, r *http.Request, status int, v SignInPage) error {
	if v.Passwords = !s.NoPasswords; s.OIDC != nil {
		v.Issuer = s.OIDC.name()
	}
	return s.Show(w, r, status, v)
}

// LocalPath reports whether next is a page of the dashboard that a sign-in may redirect
// to.
func (s *Service) LocalPath(next string) bool {
	return httpx.IsLocalPath(next, s.Home) && !strings.HasPrefix(next, s.Home+"/sign-")
}

// local returns next if a sign-in may redirect to it, or "".
func (s *Service) local(next string) string {
	if !s.LocalPath(next) {
		return ""
	}
	return next
}

// ToSignIn redirects to the sign-in page, which leads to next afterwards. With ended,
// the page says that a session has ended.
func (s *Service) ToSignIn(w http.ResponseWriter, next string, ended bool) error {
	q := url.Values{}
	if ended {
		q.Set("ended", "1")
	}
	if next = s.local(next); next != "" {
		q.Set("next", next)
	}
	to := s.Home + "/sign-in"
	if len(q) > 0 {
		to += "?" + q.Encode()
	}
	return httpx.SeeOther(w, to)
}

// SignInPage shows the sign-in page, or redirects a signed-in user.
func (s *Service) SignInPage(w http.ResponseWriter, r *http.Request) error {
	u, current, err := s.Current(r.Context(), s.DB.SQL, r)
	if err != nil {
		return err
	}
	next := s.local(r.URL.Query().Get("next"))
	if u.ID != "" {
		return httpx.SeeOther(w, cmp.Or(next, s.Home))
	}
	if renewing, err := s.renewSilently(w, r, current); renewing || err != nil {
		return err
	}
	return s.showSignIn(w, r, http.StatusOK, SignInPage{Next: next, Ended: r.URL.Query().Has("ended")})
}

// verdict is the result of a sign-in try.
type verdict int

const (
	wrong verdict = iota
	right
	tooMany // refused without a check; the user must wait for TriesWindow to pass
)

// authenticate counts a try, finds the user, and checks the password, in this order:
// each try is counted before it can succeed, and a try for an unknown address takes as
// long as a wrong password.
func (s *Service) authenticate(ctx context.Context, t try) (User, verdict, error) {
	if t.email == "" || t.password == "" || len(t.password) > MaxPassword {
		return User{}, wrong, nil
	}
	if allowed, err := s.tries.count(ctx, t); err != nil {
		return User{}, wrong, err
	} else if !allowed {
		return User{}, tooMany, nil
	}
	u, err := s.byEmail(ctx, s.DB.SQL, t.email)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return u, wrong, err
	}
	if ok, err := s.hashes.check(ctx, u.passwordHash, t.password); err != nil || !ok || !u.Disabled.IsZero() {
		return u, wrong, err
	}
	return u, right, nil
}

// SignIn handles the form of the sign-in page.
func (s *Service) SignIn(w http.ResponseWriter, r *http.Request) error {
	if s.NoPasswords {
		return errNoPasswords
	}
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	v := SignInPage{Email: mail.NormalizeAddress(form.Get("email")), Next: s.local(form.Get("next"))}
	t := s.tries.try(r, v.Email, form.Get("password"))
	u, verdict, err := s.authenticate(r.Context(), t)
	switch {
	case err != nil:
		return err
	case verdict == tooMany:
		httpx.RetryAfter(w, TriesWindow)
		v.Problem = TooManyTries
		return s.showSignIn(w, r, http.StatusTooManyRequests, v)
	case verdict == wrong:
		if err := s.recordFailure(r.Context(), u, byPassword); err != nil {
			return err
		}
		v.Problem = WrongPassword
		return s.showSignIn(w, r, http.StatusUnprocessableEntity, v)
	}
	// The try counts until the code is right, too.
	if more, err := s.toSecondFactor(w, r, u, v.Next); more || err != nil {
		return err
	}
	err = s.startSession(w, r, byPassword, "", func(ctx context.Context, tx *store.Tx) (User, error) {
		return u, s.tries.succeeded(ctx, tx, t)
	})
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, cmp.Or(v.Next, s.Home))
}

// startSession signs in the user that find returns, in find's transaction, and renews
// the session. The browser becomes known, except after a sign-in at the issuer, which may
// have given a refresh token.
func (s *Service) startSession(w http.ResponseWriter, r *http.Request, method, refreshToken string,
	find func(context.Context, *store.Tx) (User, error)) error {
	current, err := s.Sessions.Of(r)
	if err != nil {
		return err
	}
	var u User
	var cookie session.Cookie
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		if u, err = find(ctx, tx); err != nil {
			return err
		}
		if err := errors.Join(s.setSignedIn(ctx, tx, u.ID), s.recordSignIn(ctx, tx, u, method)); err != nil {
			return err
		}
		var next session.Session
		if next, cookie, err = s.Sessions.SignIn(ctx, tx, current, u.ID); err != nil {
			return err
		}
		return s.setIssuerSession(ctx, tx, next.ID, method, refreshToken)
	})
	if err != nil {
		return err
	}
	if err := s.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	if method != byOIDC {
		s.tries.markKnown(w, u.Email)
	}
	return nil
}

// SignOut ends the session, if there is one.
func (s *Service) SignOut(w http.ResponseWriter, r *http.Request) error {
	u, current, err := s.Current(r.Context(), s.DB.SQL, r)
	if err != nil {
		return err
	}
	var cookie session.Cookie
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		if cookie, err = s.Sessions.SignOut(ctx, tx, current); err != nil || u.ID == "" {
			return err
		}
		if s.SignedOut != nil {
			if err := s.SignedOut(ctx, tx, current.ID); err != nil {
				return err
			}
		}
		return s.Record(ctx, tx, Entry{Actor: u.ID, Action: SignedOut, Subject: u.Account})
	})
	if err != nil {
		return err
	}
	if err := s.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	return httpx.SeeOther(w, s.Home+"/sign-in")
}
