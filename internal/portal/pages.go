package portal

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"vestibule/internal/console"
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
	language      console.Language
	sandbox       bool
	brand         *branding.Brand
	assetsOnly    bool // the eligibility product verifies only assets
	resumeByEmail bool // applicants can request a resume link by email
	accessURL     string
	log           *slog.Logger
	review        httpx.ErrorPage // shows errors to reviewers
}

// remember stores a requested language.
func (l *pageRenderer) remember(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.language.Remember(w, r)
		next.ServeHTTP(w, r)
	})
}

// base returns what all pages for applicants share.
func (l *pageRenderer) base(r *http.Request) portalui.Base {
	return portalui.Base{Lang: l.language.Of(r), Assets: l.assets, Sandbox: l.sandbox, Languages: l.languages(r),
		Brand: l.brand.Page, AssetsOnly: l.assetsOnly, AccessURL: l.accessURL}
}

// page returns what all pages for reviewers share.
func (l *pageRenderer) page(r *http.Request) ui.Page {
	p := ui.Page{Lang: l.language.Of(r), Home: "/review", Icon: l.assets.URL("icon.svg"), Font: l.assets.URL("inter.woff2"),
		Languages: l.languages(r),
		Styles:    []string{l.assets.URL("portal.css"), l.assets.URL("review.css")}}
	p.Scripts = []string{l.assets.URL("review.js")}
	l.brand.Page.ApplyTo(&p)
	if l.sandbox {
		p.Footer = ui.SandboxNote(p.Lang)
	}
	return p
}

// selecting are the parameters that select what a page shows. None of them is a token.
var selecting = []string{"mode", "queue", "state", "after", "q", "node", "product", "outcome", "decision", "from", "to",
	"assignee", "sort", "find", "with", "days", "attempt", "month", "actor", "action", "application",
	"integration", "page-language", "theme", "person", "username"}

// languages returns links to the same page in the other languages.
func (l *pageRenderer) languages(r *http.Request) []ui.Choice {
	if strings.HasPrefix(r.URL.Path, "/redirect/") {
		return nil
	}
	return l.language.Links(r, selecting...)
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
	if strings.HasPrefix(r.URL.Path+"/", "/review/") {
		l.review(w, r, status)
		return
	}
	m := portalui.Notice{Base: l.base(r), Home: "/", RequestID: httpx.RequestID(r.Context())}
	m.Title, m.Text = statusTexts(status)
	for _, docs := range []string{"/api/v1/docs", "/developers", "/developers/guides"} {
		if strings.HasPrefix(r.URL.Path, docs) && (l.sandbox || docs == "/api/v1/docs") {
			m.Home = docs
		}
	}
	if status == http.StatusNotFound && strings.HasPrefix(r.URL.Path, "/applications/") && len(r.Cookies()) == 0 {
		m.Title, m.Text = "notice.no_cookie.title", "notice.no_cookie.text"
	}
	if m.Home != "/" && status == http.StatusNotFound {
		m.Text = "review.not_found.text"
	}
	m.Return = status == http.StatusNotFound && l.resumeByEmail && m.Home == "/"
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
	return l.notice(w, r, status, portalui.Notice{Base: l.base(r), Title: n.Title, Text: n.Text, Home: "/",
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
	switch status {
	case http.StatusNotFound, http.StatusMisdirectedRequest:
		return "notice.not_found.title", "notice.not_found.text"
	case http.StatusForbidden:
		return "notice.other_site.title", "notice.other_site.text"
	}
	return ui.StatusWords(status, "notice.bad_request.title", "notice.bad_request.text")
}
