package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
	pages "vestibule/templates/provider"
	"vestibule/templates/ui"
)

// maxForm bounds a form; the longest has a URL in it.
const maxForm = 16 << 10

// noticeLife is how long a page's notice waits to be read, a secret in it too.
const noticeLife = 10 * time.Minute

// page shows something to a person. It is given the frame, and on the way back
// from a form that was refused what was wrong.
type page func(ctx context.Context, r *http.Request, by person, d pages.Dashboard) (templ.Component, error)

// change makes one change in tx for a person, of a form's fields.
type change func(ctx context.Context, tx *store.Tx, by person, in input) (done, error)

// input is what a form said.
type input struct {
	url.Values
	id     string // that the address names; empty where it names none
	hash   string // of a new password; see form.prepare
	secret string // the new password, if it was made here
	old    string // the hash of the one that is changed
}

// field is a field's text without the space around it.
func (in input) field(name string) string { return strings.TrimSpace(in.Get(name)) }

// done is what a change came to. Without an action nothing was changed.
type done struct {
	action, object, detail string // for the audit trail: nothing personal or secret
	said                   said   // what the next page says
	secret                 string // what it shows once; empty for none
	to                     string // where to go on; empty is the form's own page
}

// said names what a page says of what was done.
type said string

// refused is the error of a form whose field is wrong.
type refused struct {
	field string
	words contract.Words
}

func (refused) Error() string { return "dashboard: a form was refused" }

func wrong(field, en, es string) error { return refused{field, contract.Words{EN: en, ES: es}} }

// nothing is the error of a change that was not to be made: it was made already,
// or what it was about is not so any more. The next page says so.
type nothing struct{ said said }

func (nothing) Error() string { return "dashboard: nothing was changed" }

// get serves a page to who is signed in; everybody else is sent to sign in.
func (s *Service) get(show page) http.Handler {
	return s.adapt(func(w http.ResponseWriter, r *http.Request) error {
		if err := s.guard(r); err != nil {
			return err
		}
		by, err := s.who(r.Context(), s.DB.SQL, r)
		if err != nil {
			return err
		}
		if by.id == "" {
			return s.toSignIn(w, r)
		}
		d := s.deskOf(r, by)
		if r.Method == http.MethodGet {
			if d.Said, d.Secret, err = s.takeFlash(r.Context(), by.session.ID); err != nil {
				return err
			}
		}
		return s.render(w, r, by, http.StatusOK, d, show)
	})
}

// post makes a change and leads to a page that says so. A form that is refused is
// shown again, on the page that it belongs to.
func (s *Service) post(c form) http.Handler {
	return s.adapt(func(w http.ResponseWriter, r *http.Request) error {
		if err := s.guard(r); err != nil {
			return err
		}
		form, err := httpx.DecodeForm(w, r, maxForm)
		if err != nil {
			return err
		}
		in := input{Values: form, id: r.PathValue("id")}
		by, err := s.who(r.Context(), s.DB.SQL, r)
		if err != nil {
			return err
		}
		var d done
		if by.id != "" && c.prepare != nil {
			if err = s.fresh(r.Context(), by, in); err == nil {
				err = c.prepare(r.Context(), r, by, &in)
			}
		}
		if err == nil {
			err = s.change(r, &by, &d, in, c.make)
		}
		to := strings.ReplaceAll(c.path, "{id}", url.PathEscape(in.id))
		var no refused
		var not nothing
		switch {
		case errors.As(err, &no):
			frame := s.deskOf(r, by)
			frame.Wrong, frame.Words, frame.Given = no.field, no.words.In(frame.Lang), form
			return s.render(w, r, by, http.StatusUnprocessableEntity, frame, c.back)
		case errors.As(err, &not):
			err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
				return s.say(ctx, tx, by.session.ID, not.said, "", true)
			})
		}
		if err != nil {
			return err
		}
		if by.id == "" {
			return s.toSignIn(w, r)
		}
		if d.to != "" {
			to = d.to
		}
		httpx.SeeOther(w, to)
		return nil
	})
}

// change makes the change of a form in one transaction with all that belongs to
// it. Who sends it is asked again: the session may have ended since.
func (s *Service) change(r *http.Request, by *person, d *done, in input, make change) error {
	return s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		*by, *d = person{}, done{}
		if *by, err = s.who(ctx, tx, r); err != nil || by.id == "" {
			return err
		}
		nonce := s.nonce(by.session.ID, in.Get("once"))
		if nonce == "" {
			return nothing{saidTooOld}
		}
		first, err := takeForm(ctx, tx, nonce, by.session.ID, s.Today())
		if err == nil && !first {
			err = nothing{saidTwice}
		}
		if err != nil {
			return err
		}
		if *d, err = make(ctx, tx, *by, in); err != nil {
			return err
		}
		if err := s.write(ctx, tx, *by, *d); err != nil {
			return err
		}
		return s.say(ctx, tx, by.session.ID, d.said, d.secret, false)
	})
}

// fresh tells early whether a form can be taken at all.
func (s *Service) fresh(ctx context.Context, by person, in input) error {
	nonce := s.nonce(by.session.ID, in.Get("once"))
	if nonce == "" {
		return nothing{saidTooOld}
	}
	used, err := usedForm(ctx, s.DB.SQL, nonce)
	if err == nil && used {
		err = nothing{saidTwice}
	}
	return err
}

// write puts a change into the audit trail. It is part of the change.
func (s *Service) write(ctx context.Context, tx *store.Tx, by person, d done) error {
	if d.action == "" {
		return errors.New("dashboard: a change without a name for the audit trail")
	}
	return insertEntry(ctx, tx, by.account.ID, entry{id: uuid.NewString(), staffID: by.id, at: s.Now(),
		action: d.action, object: d.object, detail: d.detail}, httpx.RequestID(ctx))
}

// operator stands in the audit trail in place of a person: the operator of the provider,
// by its command line.
const operator = "operator"

// RecordOperator writes down what the operator changed of a customer's account.
func (s *Service) RecordOperator(ctx context.Context, tx *store.Tx, customerID, action, object, detail string) error {
	return insertEntry(ctx, tx, customerID, entry{id: uuid.NewString(), staffID: operator, at: s.Now(), action: action, object: object, detail: detail}, "")
}

func noticeCell(sessionID string) store.Cell {
	return store.Cell{Table: "dashboard_notices", Column: "sealed", Row: sessionID}
}

// say has the session's next page say something; with keep, unless something else
// waits to be said.
func (s *Service) say(ctx context.Context, tx *store.Tx, sessionID string, n said, secret string, keep bool) error {
	if n == "" {
		return nil
	}
	var sealed []byte
	if secret != "" {
		var err error
		if sealed, err = s.DB.Vault.Seal(ctx, tx, store.SystemKey, noticeCell(sessionID), []byte(secret)); err != nil {
			return err
		}
	}
	return putNotice(ctx, tx, sessionID, n, sealed, s.Today().Add(noticeLife), keep)
}

// takeFlash takes what the session's next page is to say.
func (s *Service) takeFlash(ctx context.Context, sessionID string) (words, secret string, err error) {
	if there, err := hasNotice(ctx, s.DB.SQL, sessionID); err != nil || !there {
		return "", "", err
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, sealed, err := takeNotice(ctx, tx, sessionID, s.Today())
		if errors.Is(err, store.ErrNotFound) {
			return nil // another page was faster
		}
		if err != nil {
			return err
		}
		plain, err := s.DB.Vault.Open(ctx, tx, store.SystemKey, noticeCell(sessionID), sealed)
		words, secret = string(n), string(plain)
		return err
	})
	return words, secret, err
}

// adapt shows the error of a handler as a page.
func (s *Service) adapt(h httpx.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.remember(w, r)
		err := h(w, r)
		if err == nil {
			return
		}
		if errors.Is(err, store.ErrNotFound) {
			err = httpx.NewError(contract.CodeNotFound, err)
		}
		e := httpx.AsError(err)
		httpx.LogError(r, s.Log, e)
		httpx.RetryAfter(w, e.RetryAfter)
		s.Missing(w, r, e.HTTPStatus())
	})
}

// Missing answers people who come to an address that is none, by a method that it
// does not take, or in another way that does not do.
func (s *Service) Missing(w http.ResponseWriter, r *http.Request, status int) {
	d := s.desk(r)
	d.RequestID = httpx.RequestID(r.Context())
	if err := s.show(w, r, status, pages.DashboardProblem(d, status)); err != nil {
		httpx.WriteError(w, r, s.Log, err)
	}
}

// desk is the frame of a page for anybody.
func (s *Service) desk(r *http.Request) pages.Dashboard {
	return pages.Dashboard{Lang: s.language(r), Styles: []string{s.Assets.URL("provider.css"), s.Assets.URL("dashboard.css")}, Icon: s.Assets.URL("icon.svg")}
}

// deskOf is the frame of a page for who is signed in.
func (s *Service) deskOf(r *http.Request, by person) pages.Dashboard {
	d := s.desk(r)
	d.Email, d.Account, d.PublicID, d.Sandbox, d.Child = by.email, by.account.Name, by.account.PublicID, by.account.Environment == contract.Sandbox, by.account.ParentID != ""
	d.Once, d.Languages = s.once(by.session.ID), s.languages(r, "state", "status", "report", "after")
	return d
}

func (s *Service) render(w http.ResponseWriter, r *http.Request, by person, status int, d pages.Dashboard, show page) error {
	c, err := show(r.Context(), r, by, d)
	if err != nil {
		return err
	}
	return s.show(w, r, status, c)
}

func (s *Service) show(w http.ResponseWriter, r *http.Request, status int, c templ.Component) error {
	httpx.SetSecurityHeaders(w, httpx.CSP{Static: true})
	return httpx.HTML(w, r, status, c)
}

// langCookie is the name of the cookie that keeps a language. On https only this host
// can set it.
func (s *Service) langCookie() string {
	return httpx.HostCookie("dashboard-lang", s.public.Scheme == "https")
}

// remember keeps a language that was asked for.
func (s *Service) remember(w http.ResponseWriter, r *http.Request) {
	if asked := contract.Lang(r.URL.Query().Get("lang")); r.Method == http.MethodGet && (asked == contract.English || asked == contract.Spanish) {
		http.SetCookie(w, &http.Cookie{Name: s.langCookie(), Value: string(asked), Path: "/", MaxAge: int((365 * 24 * time.Hour).Seconds()),
			Secure: s.public.Scheme == "https", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	}
}

func (s *Service) language(r *http.Request) contract.Lang {
	remembered := ""
	if c, err := r.Cookie(s.langCookie()); err == nil {
		remembered = c.Value
	}
	return ui.PickLanguage(r.URL.Query().Get("lang"), remembered, r.Header.Get("Accept-Language"))
}

// languages leads to the same page in the other language; of the query only what
// chooses the page goes along.
func (s *Service) languages(r *http.Request, keep ...string) []ui.Choice {
	if r.Method != http.MethodGet {
		return nil
	}
	q := url.Values{}
	for _, name := range keep {
		if v := r.URL.Query().Get(name); v != "" {
			q.Set(name, v)
		}
	}
	return ui.Languages(s.language(r), &url.URL{Path: r.URL.Path, RawPath: r.URL.EscapedPath(), RawQuery: q.Encode()})
}
