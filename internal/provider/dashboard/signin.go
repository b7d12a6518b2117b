package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"vestibule/internal/httpx"
	"vestibule/internal/password"
	"vestibule/internal/provider/customers"
	"vestibule/internal/session"
	"vestibule/internal/store"
	pages "vestibule/templates/provider"
)

const (
	home       = "/dashboard"
	signInPath = home + "/sign-in"
)

// person is the signed-in user with the account.
type person struct {
	id, email string
	account   customers.Account
	session   session.Session

	configurer, hierarchy bool // the account may assign configurations, and have child accounts
}

// who returns the user of the request's session, or the zero person without one.
func (s *Service) who(ctx context.Context, q store.Queryer, r *http.Request) (person, error) {
	current, err := s.sessions.OfTx(ctx, q, r)
	if err != nil || current.Principal == "" {
		return person{session: current}, err
	}
	row, err := staffByID(ctx, q, current.Principal)
	if errors.Is(err, store.ErrNotFound) {
		return person{}, nil
	}
	if err != nil {
		return person{}, err
	}
	email, err := s.DB.Vault.Open(ctx, q, store.SystemKey, emailCell(row.id), row.email)
	if err != nil {
		return person{}, err
	}
	p := person{id: row.id, email: string(email), session: current}
	if p.account, err = s.Customers.ByID(ctx, q, row.customerID); err != nil {
		return person{}, err
	}
	if p.configurer, err = s.Customers.Entitled(ctx, q, row.customerID, customers.Configurations); err != nil {
		return person{}, err
	}
	p.hierarchy, err = s.Customers.Entitled(ctx, q, row.customerID, customers.Hierarchy)
	return p, err
}

// local reports whether next is a page of the dashboard that a sign-in may redirect
// to.
func local(next string) bool {
	return httpx.IsLocalPath(next, home) && !strings.HasPrefix(next, home+"/sign-")
}

// toSignIn redirects to the sign-in page, which leads back to the current page.
func (s *Service) toSignIn(w http.ResponseWriter, r *http.Request) error {
	to := signInPath
	if next := r.URL.RequestURI(); r.Method == http.MethodGet && next != home && local(next) {
		to += "?" + url.Values{"next": {next}}.Encode()
	}
	httpx.SeeOther(w, to)
	return nil
}

func (s *Service) signInPage(w http.ResponseWriter, r *http.Request) error {
	if err := s.guard(r); err != nil {
		return err
	}
	next := r.URL.Query().Get("next")
	if !local(next) {
		next = ""
	}
	by, err := s.who(r.Context(), s.DB.SQL, r)
	if err != nil {
		return err
	}
	if by.id != "" {
		httpx.SeeOther(w, after(next))
		return nil
	}
	return s.showSignIn(w, r, http.StatusOK, pages.DashboardSignIn{Next: next})
}

func (s *Service) showSignIn(w http.ResponseWriter, r *http.Request, status int, v pages.DashboardSignIn) error {
	d := s.frame(r)
	d.Languages = s.languages(r, "next")
	return s.show(w, r, status, pages.DashboardSignInPage(d, v))
}

func after(next string) string {
	if next == "" {
		return home
	}
	return next
}

// signIn checks email and password. It counts every attempt before it checks the
// password, and an unknown email takes as long as a wrong password.
func (s *Service) signIn(w http.ResponseWriter, r *http.Request) error {
	if err := s.guard(r); err != nil {
		return err
	}
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	ctx := r.Context()
	email, given, next := password.Email(form.Get("email")), form.Get("password"), form.Get("next")
	if !local(next) {
		next = ""
	}
	again := func(status int, p pages.DashboardSignInProblem) error {
		return s.showSignIn(w, r, status, pages.DashboardSignIn{Email: email, Next: next, Problem: p})
	}
	try := s.passwords.Try(r, email, given)
	var found staff
	verdict, err := s.passwords.Authenticate(ctx, try, func(ctx context.Context) (string, error) {
		var err error
		found, err = staffByEmail(ctx, s.DB.SQL, email)
		return found.passwordHash, err
	})
	switch {
	case err != nil:
		return busy(err)
	case verdict == password.TooOften:
		httpx.RetryAfter(w, password.Window)
		return again(http.StatusTooManyRequests, pages.DashboardSignInTooOften)
	case verdict != password.Right:
		return again(http.StatusUnprocessableEntity, pages.DashboardSignInWrong)
	}
	var cookie session.Cookie
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		current, err := s.sessions.OfTx(ctx, tx, r)
		if err != nil {
			return err
		}
		if err := s.passwords.Forget(ctx, tx, try); err != nil {
			return err
		}
		if _, cookie, err = s.sessions.SignIn(ctx, tx, current, found.id); err != nil {
			return err
		}
		return s.write(ctx, tx, person{id: found.id, account: customers.Account{ID: found.customerID}}, done{action: signedIn})
	})
	if err != nil {
		return err
	}
	if err := s.sessions.Set(w, r, cookie); err != nil {
		return err
	}
	s.passwords.Know(w, email)
	httpx.SeeOther(w, after(next))
	return nil
}

// signOut ends the session, if there is one.
func (s *Service) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.guard(r); err != nil {
		return err
	}
	var cookie session.Cookie
	err := s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		by, err := s.who(ctx, tx, r)
		if err != nil {
			return err
		}
		if cookie, err = s.sessions.SignOut(ctx, tx, by.session); err != nil || by.id == "" {
			return err
		}
		if err := dropNotice(ctx, tx, by.session.ID); err != nil {
			return err
		}
		return s.write(ctx, tx, by, done{action: signedOut})
	})
	if err != nil {
		return err
	}
	if err := s.sessions.Set(w, r, cookie); err != nil {
		return err
	}
	httpx.SeeOther(w, signInPath)
	return nil
}
