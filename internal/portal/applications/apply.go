package applications

import (
	"bytes"
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
	"vestibule/internal/prefill"
	"vestibule/internal/session"
	pages "vestibule/templates/portal"

	"vestibule/internal/store"
)

// maxForm bounds the form's body in bytes; the longest valid form is far smaller.
const maxForm = 64 << 10

// landing handles the landing page.
func (s *Handler) landing(w http.ResponseWriter, r *http.Request) error {
	cur, err := s.Sessions.Of(r)
	if err != nil {
		return err
	}
	mine, err := s.Service.Recent(r.Context(), cur.ID, 10)
	if err != nil {
		return err
	}
	m := pages.Landing{Base: s.Base(r), Return: s.Letters}
	for _, p := range contract.Products() {
		if s.Service.Offers(p) {
			m.Products = append(m.Products, p)
		}
	}
	for _, a := range mine {
		m.Recent = append(m.Recent, pages.RecentApplication{URL: StatusURL(a.ID), Product: a.Product,
			State: string(a.Journey.State), At: a.CreatedAt})
		waits := a.Resumable()
		if waits && m.Resume == nil {
			m.Resume = &m.Recent[len(m.Recent)-1]
		}
	}
	if m.Resume != nil {
		r := *m.Resume // copy: Recent may have reallocated the slice
		m.Resume = &r
	}
	s.probe(w, r)
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK, pages.LandingPage(m))
}

// apply handles the empty form. In the sandbox, ?mode=… shows the integrator's
// choices: token, prefill, consumer, sandbox-report, manual, redirect, redirect-form.
func (s *Handler) apply(w http.ResponseWriter, r *http.Request) error {
	product := contract.Product(r.PathValue("product"))
	if !s.Service.Offers(product) {
		return httpx.NewError(contract.CodeNotFound, errors.New("product not offered"))
	}
	s.probe(w, r)
	if r.URL.RawQuery == "" {
		return s.showBlank(w, r, product)
	}
	m := s.form(r, product)
	if way := r.URL.Query().Get("mode"); way != "" && s.Service.Environment == contract.Sandbox {
		m.Integrator = &pages.Integrator{}
		switch {
		case Mode(way).Valid():
			m.Mode = way
		case Variant(way).Valid():
			m.Integrator.Variant = way
		case way == "manual":
			m.Integrator.Manual = true
		}
	}
	return s.showForm(w, r, http.StatusOK, m)
}

func (s *Handler) form(r *http.Request, p contract.Product) pages.Apply {
	m := pages.Apply{Base: s.Base(r), Product: p, Action: "/applications", Today: s.Service.now().Format("2006-01-02"), Probe: probeField}
	if !probed(r) {
		m.CookieStyle = cookiesURL
	}
	return m
}

func (s *Handler) showForm(w http.ResponseWriter, r *http.Request, status int, m pages.Apply) error {
	// The form posts to the portal, which may answer with a redirect to the provider;
	// form-action applies to each redirect.
	httpx.SetSecurityHeaders(w, httpx.CSP{WASM: true, FormAction: s.Service.FormTargets})
	return httpx.HTML(w, r, status, pages.ApplyPage(m))
}

// blanks caches the rendered empty forms for a day. They are the same for all
// applicants of a language; the key has few values.
type blanks struct {
	mu    sync.Mutex
	day   string
	pages map[blank][]byte
}

type blank struct {
	product contract.Product
	lang    contract.Lang
	probed  bool // the browser accepts cookies
}

// rendered is a cached page.
type rendered []byte

func (b rendered) Render(_ context.Context, w io.Writer) error {
	_, err := w.Write(b)
	return err
}

// showBlank shows the empty form of an address without a query.
func (s *Handler) showBlank(w http.ResponseWriter, r *http.Request, product contract.Product) error {
	m := s.form(r, product)
	key := blank{product, m.Lang, m.CookieStyle == ""}
	s.blanks.mu.Lock()
	if s.blanks.day != m.Today {
		s.blanks.day, s.blanks.pages = m.Today, map[blank][]byte{}
	}
	page := s.blanks.pages[key]
	s.blanks.mu.Unlock()
	if page == nil {
		var buf bytes.Buffer
		if err := pages.ApplyPage(m).Render(r.Context(), &buf); err != nil {
			return err
		}
		page = buf.Bytes()
		s.blanks.mu.Lock()
		if s.blanks.day == m.Today {
			s.blanks.pages[key] = page
		}
		s.blanks.mu.Unlock()
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
	n := New{Product: contract.Product(form.Get("product")), Mode: Mode(form.Get("mode")), Variant: Variant(form.Get("variant")),
		Manual: form.Get("manual") == "yes", SandboxReportID: form.Get("sandboxReportId"), Origin: FromWeb,
		Prefill: given(form), Lang: base.Lang}
	if n.Variant != BySandboxReport {
		n.SandboxReportID = ""
	}
	if n.Mode != "" && n.Mode != Embedded {
		n.Variant, n.Manual, n.SandboxReportID = "", false, ""
	}
	if wait > 0 {
		return s.tooOften(w, r, form, n, wait)
	}
	if form.Has(probeField) {
		if keeps, err := s.keepsCookies(r); err != nil {
			return err
		} else if !keeps && s.Service.Offers(n.Product) {
			m := s.typed(r, form, n)
			m.Notice, m.CookieStyle = &wordsBlocked, ""
			fill(&m, form, nil)
			s.probe(w, r)
			return s.showForm(w, r, http.StatusUnprocessableEntity, m)
		}
	}
	cur, err := s.Sessions.Of(r)
	if err != nil {
		return err
	}
	var a Application
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
	case errors.Is(err, ErrUnknownProduct):
		return httpx.NewError(contract.CodeNotFound, err)
	case errors.Is(err, errProblems), errors.Is(err, ErrBadMode):
		return s.refused(w, r, form, n, problems)
	case err != nil:
		return err
	}
	if err := s.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	httpx.SeeOther(w, ConnectURL(a.ID))
	return nil
}

// given returns the applicant's fields of the form; without any, an empty object,
// which fails validation.
func given(form url.Values) prefill.Object {
	if o := prefill.FromForm(form); o != nil {
		return o
	}
	return prefill.Object{}
}

// tooOften shows the form with the entered values and a notice to try again later.
func (s *Handler) tooOften(w http.ResponseWriter, r *http.Request, form url.Values, n New, wait time.Duration) error {
	if !s.Service.Offers(n.Product) {
		return &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: wait, Why: errors.New("rate of an address")}
	}
	m := s.typed(r, form, n)
	m.Notice = &wordsTooOften
	fill(&m, form, nil)
	httpx.RetryAfter(w, wait)
	return s.showForm(w, r, http.StatusTooManyRequests, m)
}

// typed returns the form as submitted, without its fields.
func (s *Handler) typed(r *http.Request, form url.Values, n New) pages.Apply {
	m := s.form(r, n.Product)
	m.Mode = string(n.Mode)
	if form.Has("variant") && s.Service.Environment == contract.Sandbox {
		m.Integrator = &pages.Integrator{Variant: form.Get("variant"), Manual: n.Manual, SandboxReportID: form.Get("sandboxReportId")}
	}
	return m
}

// refused shows the form again with the entered values and their problems.
func (s *Handler) refused(w http.ResponseWriter, r *http.Request, form url.Values, n New, problems []prefill.Problem) error {
	m := s.typed(r, form, n)
	if problems == nil {
		m.Problems = []pages.Problem{{Field: "mode", Words: wordsBadMode}}
		if n.Variant == BySandboxReport && m.Integrator != nil {
			m.Problems = []pages.Problem{{Field: "sandboxReportId", Words: wordsBadReportID}}
		}
	}
	fill(&m, form, problems)
	return s.showForm(w, r, http.StatusUnprocessableEntity, m)
}

// fill copies the entered values into the form and assigns the problems to their
// fields.
func fill(m *pages.Apply, form url.Values, problems []prefill.Problem) {
	m.Values = map[string]string{}
	names := append(prefill.Keys(m.Product), prefill.DOBYear, prefill.DOBMonth, prefill.DOBDay)
	for _, name := range names {
		m.Values[name] = form.Get(name)
	}
	m.Employers = form[prefill.StatedEmployerNames]
	for _, p := range problems {
		if slices.Contains(names, p.Field) {
			m.Problems = append(m.Problems, pages.Problem{Field: p.Field, Words: p.Words})
		}
	}
}

// AskApplicant shows the form for an application that was created without its
// applicant's data.
func (s *Handler) AskApplicant(w http.ResponseWriter, r *http.Request, a Application, v Visitor) error {
	return s.ask(w, r, a, v, http.StatusOK, nil, nil)
}

func (s *Handler) ask(w http.ResponseWriter, r *http.Request, a Application, v Visitor, status int, form url.Values, problems []prefill.Problem) error {
	m := s.form(r, a.Product)
	m.Probe, m.CookieStyle = "", "" // the visitor already sent a cookie, or needs none in a frame
	m.Action, m.Mode = "/applications/"+a.ID+"/applicant"+v.QuerySuffix, string(a.Mode)
	if v.Framed {
		m.Base = m.In(v.Origin, a.ID)
	}
	if form != nil {
		m.Mode = form.Get("mode")
		fill(&m, form, problems)
	}
	httpx.SetSecurityHeaders(w, policy(v, httpx.CSP{WASM: true, FormAction: s.Service.FormTargets}))
	return httpx.HTML(w, r, status, pages.ApplyPage(m))
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
	mode := Mode(form.Get("mode"))
	if mode == "" {
		mode = a.Mode
	}
	var problems []prefill.Problem
	err = s.Service.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		problems, err = s.Service.SetApplicant(ctx, tx, a, given(form), mode)
		return err
	})
	if errors.Is(err, ErrBadMode) {
		return httpx.NewError(contract.CodeMalformedBody, err)
	}
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return s.ask(w, r, a, v, http.StatusUnprocessableEntity, form, problems)
	}
	httpx.SeeOther(w, ConnectURL(a.ID)+v.QuerySuffix)
	return nil
}
