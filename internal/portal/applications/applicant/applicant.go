// Package applicant serves the pages that applicants use: the landing page, the form,
// the status page with its stream, the callbacks of the widget, and the receiver of
// the visit webhook. An application that the visitor may not see answers 404.
package applicant

import (
	"context"
	"errors"
	"net/http"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/embedkit"
	"vestibule/internal/session"
	"vestibule/internal/webhook"
	portalui "vestibule/templates/portal"
)

// Handler serves the applicant's pages and the endpoints of their scripts.
type Handler struct {
	Service  *applications.Service
	Sessions *session.Sessions
	Webhooks Receiver
	Kit      *embedkit.Kit
	PublicID string            // of the account; webhooks that name another are refused
	Limit    *httpx.RateLimit  // of form submissions, by client address; may be nil
	Mode     applications.Mode // where applicants of the form verify; "" if they choose
	Secure   bool              // whether the portal's address uses https

	// RetentionDays is the number of days without activity after which an application is
	// deleted; 0 disables that.
	RetentionDays int

	// Base returns the data that all pages of a request share.
	Base func(r *http.Request) portalui.Base

	// RequestText returns the text that a reviewer wrote to the applicant when asking for
	// more.
	RequestText func(ctx context.Context, l i18n.Lang, id string) (portalui.Asked, error)

	// ResumeByEmail reports whether applicants can request a resume link by email.
	ResumeByEmail bool

	// Adapt turns a handler into one that shows its errors as a page.
	Adapt func(httpx.HandlerFunc) http.Handler

	emptyForms formCache
	usual      usualTimes
}

// Receiver verifies webhooks. *webhook.Receiver implements it.
type Receiver interface {
	Receive(r *http.Request) (webhook.Event, error)
}

// Visitor is the client that requests an application, and how it gained access.
type Visitor struct {
	Session     session.Session
	Holder      string // identifies the browser or, with Framed, the frames of one page
	Framed      bool   // in another site's frame, by embed token and without cookies
	QuerySuffix string // suffix for addresses of the same application: "" or ?grant=…
	Origin      string // with Framed: the site that may frame it
	Isolated    bool   // with Framed: by a page that is isolated from other origins
	Back        string // with Framed: where a bank's pages lead if they took its window
}

// StatusURL returns the address of an application's status page. Callers append
// Visitor.QuerySuffix to this address and those below.
func StatusURL(id string) string { return "/applications/" + id }

// ConnectURL returns the address of the page with the widget.
func ConnectURL(id string) string { return "/applications/" + id + "/connect" }

// RestartURL returns the POST address that opens another attempt.
func RestartURL(id string) string { return "/applications/" + id + "/restart" }

// StreamURL returns the address of the event stream of an application's changes.
func StreamURL(id string) string { return "/applications/" + id + "/stream" }

// CallbacksURL returns the POST address for the callbacks of an application's widget.
func CallbacksURL(id string) string { return "/applications/" + id + "/callbacks" }

// ResumeOptions returns the addresses for continuing an application in another browser. A
// frame offers none, because it has no session.
func (s *Handler) ResumeOptions(id string, framed bool) portalui.ResumeOptions {
	if framed {
		return portalui.ResumeOptions{}
	}
	e := portalui.ResumeOptions{LinkURL: "/applications/" + id + "/link"}
	if s.ResumeByEmail {
		e.EmailURL = "/applications/" + id + "/letter"
	}
	return e
}

// Routes mounts the applicant's pages and the webhook receiver. GET patterns answer
// HEAD too, which is safe: the handlers change nothing except by an embed token, and
// HEAD requests redeem none.
func (s *Handler) Routes(mux *http.ServeMux) {
	page := func(pattern string, h httpx.HandlerFunc) { mux.Handle(pattern, s.Adapt(allowRedirected(h))) }
	api := func(pattern string, h httpx.HandlerFunc) {
		mux.Handle(pattern, httpx.API(s.Service.Log, allowRedirected(h)))
	}
	page("GET /{$}", s.landing)
	page("GET /apply/{product}", s.apply)
	api("GET "+cookiesURL, s.cookieStyle)
	page("POST /applications", s.create)
	page("GET /applications/{id}", s.status)
	page("POST /applications/{id}/applicant", s.applicant)
	page("POST /applications/{id}/connect", s.useLink)
	page("POST /applications/{id}/restart", s.restart)
	api("GET /applications/{id}/stream", s.stream)
	api("POST /applications/{id}/callbacks", s.callback)
	api("POST /webhooks/visit", s.visitWebhook)
}

// allowRedirected treats ErrRedirected as success. It refuses a HEAD request or a prefetch
// with an embed token, since answering would use the token.
func allowRedirected(h httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if r.URL.Query().Has("grant") && (r.Method == http.MethodHead || r.Header.Get("Sec-Purpose") != "") {
			return httpx.NewError(contract.CodeMethodNotAllowed, errors.New("an embed token fetched ahead"))
		}
		if err := h(w, r); !errors.Is(err, ErrRedirected) {
			return err
		}
		return nil
	}
}
