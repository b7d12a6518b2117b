package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/disputes"
	"vestibule/internal/provider/reports"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// maxForm is the maximum size in bytes of a form; the longest contains a URL.
const maxForm = 16 << 10

// noticeLife is how long a flash message, which may contain a secret, waits to be
// read.
const noticeLife = 10 * time.Minute

// page renders a page for a user. d is the common part of the page; after a rejected
// form it contains the problem.
type page func(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error)

// change makes one change in tx for a user, from a form's fields.
type change func(ctx context.Context, tx *store.Tx, by user, in input) (done, error)

// input is the content of a form.
type input struct {
	url.Values
	id   string // from the path; empty without one
	hash string // of a new password; see form.prepare
	old  string // hash of the password to change
	lang i18n.Lang

	draft   reports.Draft     // of a correction
	dispute disputes.Prepared // or its answer
}

// Field returns a field's text without surrounding white space.
func (in input) Field(name string) string { return strings.TrimSpace(in.Get(name)) }

// done describes a change. An empty action means that nothing changed.
type done struct {
	action, object, detail string        // for the audit trail; without personal data and secrets
	values                 []staff.Value // likewise
	flash                  flash         // flash message of the next page
	secret                 string        // secret to show once; empty for none
	to                     string        // where to redirect; empty is the form's page
	account                string        // ID of the customer whose dispute or report changed; empty for other changes
}

// flash is the key of a flash message.
type flash string

// refused is the error of a form with an invalid field.
type refused struct {
	field string
	text  i18n.Key
	args  []string // of the text, in pairs

	record func(context.Context) error // records the refusal after the change is rolled back; may be nil
}

func (refused) Error() string { return "dashboard: a form was refused" }

func fieldProblem(field string, text i18n.Key, args ...string) error {
	return refused{field: field, text: text, args: args}
}

// noChange is the error of a change that is unnecessary: it was already made, or its
// object has changed. The next page says so.
type noChange struct{ flash flash }

func (noChange) Error() string { return "dashboard: nothing was changed" }

// unlessChanged returns the error of a change that was already made.
func unlessChanged(changed bool, err error) error {
	if err == nil && !changed {
		err = noChange{flashNoChange}
	}
	return err
}

// forUser calls serve for a signed-in user and redirects all others to the sign-in page.
func (s *Pages) forUser(serve func(w http.ResponseWriter, r *http.Request, by user) error) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.guard(r); err != nil {
			return err
		}
		by, err := s.current(r.Context(), s.DB.SQL, r)
		if err != nil {
			return err
		}
		if by.ID == "" {
			return s.redirectToSignIn(w, r)
		}
		return serve(w, r, by)
	}
}

// get serves a page to a signed-in user and redirects all others to the sign-in page.
func (s *Pages) get(show page) http.Handler {
	return s.adapt(s.forUser(func(w http.ResponseWriter, r *http.Request, by user) error {
		d := s.frameOf(r, by)
		if r.Method == http.MethodGet {
			var err error
			if d.Flash, d.Secret, err = s.takeFlash(r.Context(), by.session.ID); err != nil {
				return err
			}
		}
		return s.render(w, r, by, http.StatusOK, d, show)
	}))
}

// post makes a change and redirects to a page that confirms it. A rejected form is
// shown again on its page.
func (s *Pages) post(c form) http.Handler { return s.postDecoded(decodeForm, c) }

// postDecoded is post with another decoder of the form.
func (s *Pages) postDecoded(decode func(http.ResponseWriter, *http.Request) (url.Values, error), c form) http.Handler {
	return s.adapt(func(w http.ResponseWriter, r *http.Request) error {
		if err := s.guard(r); err != nil {
			return err
		}
		form, err := decode(w, r)
		if err != nil {
			return err
		}
		in := input{Values: form, id: r.PathValue("id")}
		by, err := s.current(r.Context(), s.DB.SQL, r)
		if err != nil {
			return err
		}
		var d done
		if by.ID != "" && c.prepare != nil {
			if err = s.fresh(r.Context(), by, in); err == nil {
				err = c.prepare(r.Context(), r, by, &in)
			}
		}
		if err == nil {
			err = s.change(r, &by, &d, in, c.make)
		}
		to := strings.ReplaceAll(c.path, "{id}", url.PathEscape(in.id))
		var no refused
		var not noChange
		switch {
		case errors.As(err, &no):
			if no.record != nil {
				if err := no.record(r.Context()); err != nil {
					return err
				}
			}
			frame := s.frameOf(r, by)
			frame.Invalid, frame.Words, frame.Given = no.field, i18n.T(frame.Lang, no.text, no.args...), form
			return s.render(w, r, by, http.StatusUnprocessableEntity, frame, c.back)
		case errors.As(err, &not):
			err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
				return s.setFlash(ctx, tx, by.session.ID, not.flash, "", true)
			})
		}
		if err != nil {
			return err
		}
		if by.ID == "" {
			return s.redirectToSignIn(w, r)
		}
		if d.to != "" {
			to = d.to
		}
		return httpx.SeeOther(w, to)
	})
}

func decodeForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	return httpx.DecodeForm(w, r, maxForm)
}

// change makes the change of a form in one transaction with its nonce, audit entry,
// and flash message. It authenticates the user again, because the session may have
// ended.
func (s *Pages) change(r *http.Request, by *user, d *done, in input, make change) error {
	return s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		*by, *d = user{}, done{}
		if *by, err = s.current(ctx, tx, r); err != nil || by.ID == "" {
			return err
		}
		nonce := s.nonce(by.session.ID, in.Get("once"))
		if nonce == "" {
			return noChange{flashTooOld}
		}
		first, err := takeForm(ctx, tx, nonce, by.session.ID, s.Today())
		if err == nil && !first {
			err = noChange{flashTwice}
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
		return s.setFlash(ctx, tx, by.session.ID, d.flash, d.secret, false)
	})
}

// fresh rejects an invalid or used form before the transaction.
func (s *Pages) fresh(ctx context.Context, by user, in input) error {
	nonce := s.nonce(by.session.ID, in.Get("once"))
	if nonce == "" {
		return noChange{flashTooOld}
	}
	used, err := usedForm(ctx, s.DB.SQL, nonce)
	if err == nil && used {
		err = noChange{flashTwice}
	}
	return err
}

// write adds a change to the audit trail in the transaction of the change.
func (s *Pages) write(ctx context.Context, tx *store.Tx, by user, d done) error {
	return s.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: d.action, Subject: by.Account, Object: d.object, Detail: d.detail,
		Values: d.values})
}

// operator is the author in the audit trail of changes that the provider's operator
// made on the command line.
const operator = "operator"

// RecordOperator adds an operator's change to the audit trail of an account, e.Subject.
func (s *Service) RecordOperator(ctx context.Context, tx *store.Tx, e staff.Entry) error {
	e.Actor = operator
	return s.Staff.Record(ctx, tx, e)
}

// Command is the author in the operators' audit trail of what was done on the command line.
const Command = "command"

// consumer is the author in the audit trail of what a consumer did.
const consumer = "consumer"

// RecordConsumer adds what a consumer did to the audit trail of an account, e.Subject.
func (s *Service) RecordConsumer(ctx context.Context, tx *store.Tx, e staff.Entry) error {
	e.Actor = consumer
	return s.Staff.Record(ctx, tx, e)
}

func noticeCell(sessionID string) store.Cell {
	return store.Cell{Table: "dashboard_notices", Column: "sealed", Row: sessionID}
}

// setFlash sets the flash message of the session; with keep, only if none is waiting.
func (s *Pages) setFlash(ctx context.Context, tx *store.Tx, sessionID string, n flash, secret string, keep bool) error {
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

// takeFlash returns and deletes the flash message of the session.
func (s *Pages) takeFlash(ctx context.Context, sessionID string) (words, secret string, err error) {
	if there, err := hasNotice(ctx, s.DB.SQL, sessionID); err != nil || !there {
		return "", "", err
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n, sealed, err := takeNotice(ctx, tx, sessionID, s.Today())
		if err != nil {
			return store.OrNone(err) // another page was faster
		}
		plain, err := s.DB.Vault.Open(ctx, tx, store.SystemKey, noticeCell(sessionID), sealed)
		words, secret = string(n), string(plain)
		return err
	})
	return words, secret, err
}

// adapt returns h with its errors rendered as pages.
func (s *Pages) adapt(h httpx.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.language.Remember(w, r)
		err := h(w, r)
		if err == nil {
			return
		}
		e := httpx.AsError(httpx.NotFoundIf(err, store.ErrNotFound))
		httpx.LogError(r, s.Log, e)
		httpx.RetryAfter(w, e.RetryAfter)
		s.problem(w, r, e.HTTPStatus(), errors.Is(err, errOwnersOnly))
	})
}

// Missing renders the error page for an unknown address, an unsupported method, or
// another request that the dashboard rejects.
func (s *Pages) Missing(w http.ResponseWriter, r *http.Request, status int) {
	s.problem(w, r, status, false)
}

// problem renders an error page; member: because the user is no owner.
func (s *Pages) problem(w http.ResponseWriter, r *http.Request, status int, member bool) {
	d := s.frame(r)
	d.RequestID, d.Member = httpx.RequestID(r.Context()), member
	if r.Method == http.MethodGet {
		d.Languages = s.language.Links(r, listParams...)
		if status >= 500 || status == http.StatusTooManyRequests {
			d.Retry = r.URL.RequestURI()
		}
	}
	if err := s.show(w, r, status, providerui.DashboardProblem(d, status)); err != nil {
		httpx.WriteError(w, r, s.Log, err)
	}
}

// frame returns the common part of a page without a user.
func (s *Pages) frame(r *http.Request) providerui.Dashboard {
	return providerui.Dashboard{Lang: s.language.Of(r), Home: s.Home, Operator: s.Operators, Styles: []string{s.Assets.URL("provider.css"),
		s.Assets.URL("dashboard.css")}, Icon: s.Assets.URL("icon.svg"), Font: s.Assets.URL("inter.woff2"), Now: s.Now()}
}

// frameOf returns the common part of a page for a signed-in user.
func (s *Pages) frameOf(r *http.Request, by user) providerui.Dashboard {
	d := s.frame(r)
	d.Email, d.Account, d.PublicID, d.Sandbox, d.Child = by.Email, by.account.Name, by.account.PublicID,
		by.account.Environment == contract.Sandbox, by.account.ParentID != ""
	if s.Operators {
		d.Account = s.Site
	}
	d.Once, d.Languages = s.once(by.session.ID), s.language.Links(r, listParams...)
	d.Dense, d.Corrects, d.Member = by.dense, by.corrects, by.Role == Member
	d.Answer = r.Method != http.MethodGet
	d.Page, d.Scripts = s.pageToken(by.session.ID), []string{s.Assets.URL("dashboard.js")}
	return d
}

func (s *Pages) render(w http.ResponseWriter, r *http.Request, by user, status int, d providerui.Dashboard, show page) error {
	c, err := show(r.Context(), r, by, d)
	if err != nil {
		return err
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, status, c)
}

// show sends a page without a user, which has no script.
func (s *Pages) show(w http.ResponseWriter, r *http.Request, status int, c templ.Component) error {
	httpx.SetSecurityHeaders(w, httpx.CSP{Static: true})
	return httpx.HTML(w, r, status, c)
}
