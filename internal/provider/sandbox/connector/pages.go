package connector

import (
	"context"
	"net/http"
	"net/url"

	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sources"
	"vestibule/internal/store"
	"vestibule/templates/provider/bank"
)

// show shows the present step. The first browser that opens the page gets it.
func (s *Server) show(w http.ResponseWriter, r *http.Request) error {
	browser := s.pages.Browser(w, r)
	opened, err := store.Value(r.Context(), s.config.DB.Tx, func(ctx context.Context, tx *store.Tx) (bool, error) {
		return open(ctx, tx, r.PathValue("id"), browser, s.config.Now())
	})
	if err != nil {
		return err
	}
	if opened { // once more, so that a browser without cookies gets an error at once
		return httpx.SeeOther(w, signin.Address(r))
	}
	at, err := s.current(r)
	if err != nil {
		return err
	}
	return s.write(w, r, http.StatusOK, at, nil, nil)
}

func (s *Server) current(r *http.Request) (authorization, error) {
	browser := s.pages.BrowserOf(r)
	if browser == nil {
		return authorization{}, signin.ErrNoCookie
	}
	at, err := ofPage(r.Context(), s.config.DB.SQL, r.PathValue("id"), browser, s.config.Now())
	switch at.Step {
	case signin.StepDone, stepAgreed, stepGranted:
		err = store.ErrNotFound
	}
	return at, err
}

// write writes the page of a step. problems and form are those of a refused form.
func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, at authorization, problems sources.Problems,
	form url.Values) error {
	v := bank.Page{Bank: s.served[at.institution].Name, Payroll: true, Client: client, Problems: problems,
		Username: httpx.Truncate(form.Get("username"), 100), Reason: "bank.refused.tries",
		Until:  s.config.Now().AddDate(0, 0, consentDays),
		Shared: []i18n.Key{"bank.payroll.jobs", "bank.payroll.statements", "bank.payroll.identity"}}
	return s.pages.Write(w, r, status, v, at.State, []string{at.language}, at.redirectURI)
}

// submit takes the form of a step. A form of another step leads to the present one.
func (s *Server) submit(w http.ResponseWriter, r *http.Request) error {
	at, err := s.current(r)
	if err != nil {
		return err
	}
	form, err := httpx.DecodeForm(w, r, signin.MaxForm)
	if err != nil {
		return err
	}
	next, problems := at.State, sources.Problems(nil)
	action := form.Get("action")
	switch {
	case action == "cancel":
		next.Step = signin.StepDone
	case action != string(at.Step):
	case at.Step == signin.StepSignIn:
		next, problems = at.SignIn(form, func(username string) bool {
			return payroll.Providers{}.Login(username).Known || username == confirming
		})
	case at.Step == signin.StepCode:
		next, problems = at.EnterCode(form, signin.StepConsent)
	case at.Step == signin.StepConsent:
		next.Step = stepAgreed
	}
	if len(problems) > 0 {
		return s.write(w, r, http.StatusUnprocessableEntity, at, problems, form)
	}
	code, expires := "", at.expires
	if next.Step == stepAgreed {
		code, expires = store.NewSecret(), s.config.Now().Add(CodeLifetime)
	}
	moved := false
	if next != at.State {
		err = s.config.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
			moved, err = move(ctx, tx, r.PathValue("id"), at.State, next, code, expires)
			return err
		})
	}
	switch {
	case err != nil:
		return err
	case moved && next.Step == stepAgreed:
		return signin.Redirect(w, at.redirectURI, url.Values{"code": {code}, "state": {at.state}})
	case moved && next.Step == signin.StepDone:
		return signin.Redirect(w, at.redirectURI, url.Values{"error": {"access_denied"}, "state": {at.state}})
	}
	return httpx.SeeOther(w, signin.Address(r))
}
