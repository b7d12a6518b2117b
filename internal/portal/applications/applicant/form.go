package applicant

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/applications"
	"vestibule/internal/prefill"
	"vestibule/internal/session"
	"vestibule/internal/store"
	portalui "vestibule/templates/portal"
)

// maxForm bounds the form's body in bytes; the longest valid form is far smaller.
const maxForm = 64 << 10

// apply handles the empty form. In the sandbox, ?mode=… shows the integrator's
// choices: token, prefill, consumer, sandbox-report, manual, redirect, redirect-form.
func (s *Handler) apply(w http.ResponseWriter, r *http.Request) error {
	product := contract.Product(r.PathValue("product"))
	if !s.Service.Offers(product) {
		return httpx.NewError(contract.CodeNotFound, errors.New("product not offered"))
	}
	s.probe(w, r)
	if r.URL.RawQuery == "" {
		return s.showEmptyForm(w, r, product)
	}
	m := s.form(r, product)
	if mode := r.URL.Query().Get("mode"); mode != "" && s.Service.Environment == contract.Sandbox {
		m.Integrator = &portalui.Integrator{}
		switch {
		case applications.Mode(mode).Valid():
			m.Mode = mode
		case applications.Variant(mode).Valid():
			m.Integrator.Variant = mode
		case mode == "manual":
			m.Integrator.Manual = true
		}
	}
	return s.showForm(w, r, http.StatusOK, m)
}

func (s *Handler) form(r *http.Request, p contract.Product) portalui.Apply {
	m := portalui.Apply{Base: s.Base(r), Product: p, Action: "/applications",
		Today: s.Service.Now().UTC().Format("2006-01-02"), Probe: probeField,
		Mode: string(s.Mode), AskMode: s.Mode == ""}
	if !hasProbeCookie(r) {
		m.CookieStyle = cookiesURL
	}
	return m
}

func (s *Handler) showForm(w http.ResponseWriter, r *http.Request, status int, m portalui.Apply) error {
	// The form posts to the portal, which may answer with a redirect to the provider;
	// form-action applies to each redirect.
	httpx.SetSecurityHeaders(w, httpx.CSP{WASM: true, FormAction: s.Service.FormTargets})
	return httpx.HTML(w, r, status, portalui.ApplyPage(m))
}

// formCache caches the rendered empty forms for a day. They are the same for all
// applicants of a language; the key has few values.
type formCache struct {
	mu    sync.Mutex
	day   string
	pages map[formKey][]byte
}

type formKey struct {
	product contract.Product
	lang    i18n.Lang
	probed  bool // the browser accepts cookies
}

// rendered is a cached page.
type rendered []byte

func (b rendered) Render(_ context.Context, w io.Writer) error {
	_, err := w.Write(b)
	return err
}

// showEmptyForm shows the empty form of an address without a query.
func (s *Handler) showEmptyForm(w http.ResponseWriter, r *http.Request, product contract.Product) error {
	m := s.form(r, product)
	key := formKey{product, m.Lang, m.CookieStyle == ""}
	s.emptyForms.mu.Lock()
	if s.emptyForms.day != m.Today {
		s.emptyForms.day, s.emptyForms.pages = m.Today, map[formKey][]byte{}
	}
	page := s.emptyForms.pages[key]
	s.emptyForms.mu.Unlock()
	if page == nil {
		var buf bytes.Buffer
		if err := portalui.ApplyPage(m).Render(r.Context(), &buf); err != nil {
			return err
		}
		page = buf.Bytes()
		s.emptyForms.mu.Lock()
		if s.emptyForms.day == m.Today {
			s.emptyForms.pages[key] = page
		}
		s.emptyForms.mu.Unlock()
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{WASM: true, FormAction: s.Service.FormTargets})
	return httpx.HTML(w, r, http.StatusOK, rendered(page))
}

// errProblems rolls back the transaction of an application that was not stored.
var errProblems = errors.New("applications: the form has problems")

// create handles the submitted form. The browser gains access to an application, so
// its session gets a new secret.
func (s *Handler) create(w http.ResponseWriter, r *http.Request) error {
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	wait := s.Limit.Take(r)
	base := s.Base(r)
	n := applications.New{Product: contract.Product(form.Get("product")), Mode: applications.Mode(form.Get("mode")),
		Variant: applications.Variant(form.Get("variant")),
		Manual:  form.Get("manual") == "yes", SandboxReportID: form.Get("sandboxReportId"), Origin: applications.FromWeb,
		Prefill: prefillOf(form), Lang: base.Lang}
	if n.Variant != applications.BySandboxReport {
		n.SandboxReportID = ""
	}
	if n.Mode != "" && n.Mode != applications.Embedded {
		n.Variant, n.Manual, n.SandboxReportID = "", false, ""
	}
	if wait > 0 {
		return s.showTooManyRequests(w, r, form, n, wait)
	}
	if r.URL.Query().Has("lang") && s.Service.Offers(n.Product) { // the form in another language
		m := s.submittedForm(r, form, n)
		fillForm(&m, form, nil)
		return s.showForm(w, r, http.StatusOK, m)
	}
	if form.Has(probeField) {
		if keeps, err := s.acceptsCookies(r); err != nil {
			return err
		} else if !keeps && s.Service.Offers(n.Product) {
			m := s.submittedForm(r, form, n)
			m.Notice, m.CookieStyle = "apply.no_cookie_sent", ""
			fillForm(&m, form, nil)
			s.probe(w, r)
			return s.showForm(w, r, http.StatusUnprocessableEntity, m)
		}
	}
	cur, err := s.Sessions.Of(r)
	if err != nil {
		return err
	}
	var a applications.Application
	var problems []prefill.Problem
	var cookie session.Cookie
	err = s.Service.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		next, c, err := s.Sessions.Renew(ctx, tx, cur)
		if err != nil {
			return err
		}
		n.SessionID, cookie = next.ID, c
		if a, problems, err = s.Service.Create(ctx, tx, n); err == nil && len(problems) > 0 {
			err = errProblems
		}
		return err
	})
	switch {
	case errors.Is(err, applications.ErrUnknownProduct):
		return httpx.NewError(contract.CodeNotFound, err)
	case errors.Is(err, errProblems), errors.Is(err, applications.ErrBadMode):
		return s.showProblems(w, r, form, n, problems)
	case err != nil:
		return err
	}
	if err := s.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	return httpx.SeeOther(w, ConnectURL(a.ID))
}

// prefillOf returns the applicant's fields of the form; without any, an empty object,
// which fails validation.
func prefillOf(form url.Values) prefill.Object {
	if o := prefill.FromForm(form); o != nil {
		return o
	}
	return prefill.Object{}
}

// showTooManyRequests shows the form with the entered values and a notice to try again later.
func (s *Handler) showTooManyRequests(w http.ResponseWriter, r *http.Request,
	form url.Values, n applications.New, wait time.Duration) error {
	if !s.Service.Offers(n.Product) {
		return &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: wait, Why: errors.New("rate of an address")}
	}
	m := s.submittedForm(r, form, n)
	m.Notice = "apply.too_many"
	fillForm(&m, form, nil)
	httpx.RetryAfter(w, wait)
	return s.showForm(w, r, http.StatusTooManyRequests, m)
}

// submittedForm returns the form as submitted, without its fields.
func (s *Handler) submittedForm(r *http.Request, form url.Values, n applications.New) portalui.Apply {
	m := s.form(r, n.Product)
	m.Mode = string(n.Mode)
	if form.Has("variant") && s.Service.Environment == contract.Sandbox {
		m.Integrator = &portalui.Integrator{Variant: form.Get("variant"), Manual: n.Manual, SandboxReportID: form.Get("sandboxReportId")}
	}
	return m
}

// showProblems shows the form again with the entered values and their problems.
func (s *Handler) showProblems(w http.ResponseWriter, r *http.Request, form url.Values,
	n applications.New, problems []prefill.Problem) error {
	m := s.submittedForm(r, form, n)
	if problems == nil {
		m.Problems = []portalui.Problem{{Field: "mode", Text: "apply.mode.missing"}}
		if n.Variant == applications.BySandboxReport && m.Integrator != nil {
			m.Problems = []portalui.Problem{{Field: "sandboxReportId", Text: "apply.sandbox_report_id.invalid"}}
		}
	}
	fillForm(&m, form, problems)
	return s.showForm(w, r, http.StatusUnprocessableEntity, m)
}

// fillForm copies the entered values into the form and assigns the problems to their
// fields.
func fillForm(m *portalui.Apply, form url.Values, problems []prefill.Problem) {
	m.Values = map[string]string{}
	names := append(prefill.Keys(m.Product), prefill.DOBYear, prefill.DOBMonth, prefill.DOBDay)
	for _, name := range names {
		m.Values[name] = form.Get(name)
	}
	m.Employers = form[prefill.StatedEmployerNames]
	for _, p := range problems {
		if slices.Contains(names, p.Field) {
			m.Problems = append(m.Problems, portalui.Problem{Field: p.Field, Text: p.Text})
		}
	}
}

// AskApplicant shows the form for an application that was created without the
// applicant's data.
func (s *Handler) AskApplicant(w http.ResponseWriter, r *http.Request, a applications.Application, v Visitor) error {
	return s.showApplicantForm(w, r, a, v, http.StatusOK, nil, nil)
}

func (s *Handler) showApplicantForm(w http.ResponseWriter, r *http.Request, a applications.Application,
	v Visitor, status int, form url.Values, problems []prefill.Problem) error {
	m := s.form(r, a.Product)
	m.Probe, m.CookieStyle = "", "" // the visitor already sent a cookie, or needs none in a frame
	m.Action, m.Mode = "/applications/"+a.ID+"/applicant"+v.QuerySuffix, string(a.Mode)
	if v.Framed {
		m.Base = m.In(v.Origin, a.ID)
	}
	if form != nil {
		m.Mode = form.Get("mode")
		fillForm(&m, form, problems)
	}
	httpx.SetSecurityHeaders(w, v.Policy(httpx.CSP{WASM: true, FormAction: s.Service.FormTargets}))
	return httpx.HTML(w, r, status, portalui.ApplyPage(m))
}

// applicant handles the form of AskApplicant.
func (s *Handler) applicant(w http.ResponseWriter, r *http.Request) error {
	a, v, err := s.Authorize(w, r)
	if err != nil {
		return err
	}
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	mode := cmp.Or(applications.Mode(form.Get("mode")), a.Mode)
	var problems []prefill.Problem
	if r.URL.Query().Has("lang") && !v.Framed { // the form in another language
		return s.showApplicantForm(w, r, a, v, http.StatusOK, form, nil)
	}
	err = s.Service.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		problems, err = s.Service.SetApplicant(ctx, tx, a, prefillOf(form), mode)
		return err
	})
	if errors.Is(err, applications.ErrBadMode) {
		return httpx.NewError(contract.CodeMalformedBody, err)
	}
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return s.showApplicantForm(w, r, a, v, http.StatusUnprocessableEntity, form, problems)
	}
	return httpx.SeeOther(w, ConnectURL(a.ID)+v.QuerySuffix)
}
