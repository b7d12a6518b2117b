package portal

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/applications/applicant"
	"vestibule/internal/portal/branding"
	"vestibule/internal/redirect"
	portalui "vestibule/templates/portal"
	"vestibule/templates/ui"
	"vestibule/web"
)

// pageRenderer holds what the portal's pages share: languages, assets, and error
// pages.
type pageRenderer struct {
	assets        *web.Assets
	secure        bool
	sandbox       bool
	brand         *branding.Brand
	assetsOnly    bool // the eligibility product verifies only assets
	resumeByEmail bool // applicants can request a resume link by email
	accessURL     string
	log           *slog.Logger
}

// langCookie returns the name of the language cookie. Over https only this host can
// set it.
func (l *pageRenderer) langCookie() string { return httpx.HostCookie("lang", l.secure) }

// language returns the request's language: requested, remembered, or preferred by the
// browser.
func (l *pageRenderer) language(r *http.Request) i18n.Lang {
	remembered := ""
	if c, err := r.Cookie(l.langCookie()); err == nil {
		remembered = c.Value
	}
	return ui.PickLanguage(r.URL.Query().Get("lang"), remembered, r.Header.Get("Accept-Language"))
}

// remember stores a requested language in a cookie. It ignores a frame's language,
// which the framing page selects, not the applicant.
func (l *pageRenderer) remember(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked := i18n.Lang(r.URL.Query().Get("lang")); r.Method == http.MethodGet &&
			asked.Spoken() && r.Header.Get("Sec-Fetch-Dest") != "iframe" {
			http.SetCookie(w, &http.Cookie{Name: l.langCookie(), Value: string(asked), Path: "/", MaxAge: int((365 * 24 * time.Hour).Seconds()),
				Secure: l.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode})
		}
		next.ServeHTTP(w, r)
	})
}

// base returns what all pages for applicants share.
func (l *pageRenderer) base(r *http.Request) portalui.Base {
	lang := l.language(r)
	return portalui.Base{Lang: lang, Assets: l.assets, Sandbox: l.sandbox, Languages: languages(lang, r),
		Brand: l.brand.Page, AssetsOnly: l.assetsOnly, AccessURL: l.accessURL}
}

// page returns what all pages for reviewers share.
func (l *pageRenderer) page(r *http.Request) ui.Page {
	lang := l.language(r)
	p := ui.Page{Lang: lang, Home: "/review", Icon: l.assets.URL("icon.svg"), Font: l.assets.URL("inter.woff2"),
		Languages: languages(lang, r),
		Styles:    []string{l.assets.URL("portal.css"), l.assets.URL("review.css")}}
	p.Scripts = []string{l.assets.URL("review.js")}
	l.brand.Page.ApplyTo(&p)
	if l.sandbox {
		p.Footer = ui.SandboxNote(lang)
	}
	return p
}

// languages returns links to the same page in the other languages. It keeps only
// query parameters that select content, never tokens.
func languages(lang i18n.Lang, r *http.Request) []ui.Choice {
	if r.Method != http.MethodGet || strings.HasPrefix(r.URL.Path, "/redirect/") {
		return nil
	}
	keep := url.Values{}
	for _, name := range []string{"mode", "queue", "state", "after", "q", "node", "product", "outcome", "decision", "from", "to",
		"assignee", "sort", "find", "with", "days", "attempt", "month", "actor", "action", "application",
		"integration", "page-language", "theme", "person", "username"} {
		if v := r.URL.Query().Get(name); v != "" {
			keep.Set(name, v)
		}
	}
	// Use the escaped path: an unescaped slash could turn the address into one of
	// another host.
	return ui.Languages(lang, &url.URL{Path: r.URL.Path, RawPath: r.URL.EscapedPath(), RawQuery: keep.Encode()})
}

// adapt shows the errors of a page's handler as a page.
func (l *pageRenderer) adapt(h httpx.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil || errors.Is(err, applicant.ErrRedirected) {
			return
		}
		e := httpx.AsError(err)
		httpx.LogError(r, l.log, e)
		httpx.RetryAfter(w, e.RetryAfter)
		l.status(w, r, e.HTTPStatus())
	})
}

// legal shows a legal text of the brand.
func (l *pageRenderer) legal(w http.ResponseWriter, r *http.Request) error {
	base := l.base(r)
	title, ok := portalui.LegalTitle(r.PathValue("document"))
	text, there := l.brand.Document(r.PathValue("document"), base.Lang)
	if !ok || !there {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such legal text"))
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, http.StatusOK, portalui.LegalPage(portalui.Legal{Base: base, Title: title, HTML: text}))
}

// status shows an HTTP status as a page.
func (l *pageRenderer) status(w http.ResponseWriter, r *http.Request, status int) {
	m := portalui.Notice{Base: l.base(r), Home: true, RequestID: httpx.RequestID(r.Context())}
	m.Title, m.Text = statusTexts(status)
	if status == http.StatusNotFound && strings.HasPrefix(r.URL.Path, "/applications/") && len(r.Cookies()) == 0 {
		m.Title, m.Text = "notice.no_cookie.title", "notice.no_cookie.text"
	}
	m.Return = status == http.StatusNotFound && l.resumeByEmail
	if (status >= 500 || status == http.StatusTooManyRequests) && r.Method == http.MethodGet && r.URL.RawQuery == "" {
		m.Retry = r.URL.Path
	}
	if err := l.notice(w, r, status, m); err != nil {
		httpx.WriteError(w, r, l.log, err)
	}
}

func (l *pageRenderer) notice(w http.ResponseWriter, r *http.Request, status int, m portalui.Notice) error {
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, status, portalui.NoticePage(m))
}

// returnNotice shows why a return of a secure redirect was refused.
func (l *pageRenderer) returnNotice(w http.ResponseWriter, r *http.Request, status int, n redirect.Notice) error {
	return l.notice(w, r, status, portalui.Notice{Base: l.base(r), Title: n.Title, Text: n.Text, Home: true,
		RequestID: httpx.RequestID(r.Context())})
}

// errorPages are the paths that answer people, and those that answer programs.
func (l *pageRenderer) errorPages() httpx.ErrorPages {
	return httpx.ErrorPages{
		"/":     l.status,
		"/api/": nil, "/api/v1/docs": l.status, "/api/v1/docs/": l.status,
		"/embed/": nil, "/embed/v1/frame": l.status, "/embed/v1/back/": l.status,
		"/webhooks/": nil, web.Prefix: nil, branding.Prefix: nil,
		"/applications/*/callbacks": nil, "/applications/*/stream": nil,
	}
}

// pageOrAPIError answers with a status: people get a page, programs an API error.
func (l *pageRenderer) pageOrAPIError(status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page := l.errorPages().Of(r); page != nil {
			page(w, r, status)
			return
		}
		e := &httpx.Error{Code: contract.CodeForbidden, Status: status, Message: "A page of another site sent this.",
			Why: errors.New("sent by another site's page")}
		if status == http.StatusMisdirectedRequest {
			e.Message, e.Why = "This address does not serve that host.", errors.New("request to another host")
		}
		httpx.WriteError(w, r, l.log, e)
	})
}

func statusTexts(status int) (title, text i18n.Key) {
	switch {
	case status == http.StatusNotFound:
		return "notice.not_found.title",
			"notice.not_found.text"
	case status == http.StatusMethodNotAllowed:
		return "notice.method.title",
			"notice.method.text"
	case status == http.StatusForbidden:
		return "notice.other_site.title",
			"notice.other_site.text"
	case status == http.StatusTooManyRequests:
		return "notice.too_many.title",
			"notice.too_many.text"
	case status >= 500:
		return "notice.internal.title",
			"notice.internal.text"
	}
	return "notice.bad_request.title",
		"notice.bad_request.text"
}
