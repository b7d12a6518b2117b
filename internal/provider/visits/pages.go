package visits

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
	"vestibule/templates/ui"
)

// partHeader requests a step without the page around it. Only script of the same
// origin can send it.
const partHeader = "X-Visit-Part"

// page adapts a handler whose errors are shown as pages.
func (s *Service) page(h httpx.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		m := providerui.Message{Lang: language(r), Title: "visit.failed_request.title", Text: "visit.failed_request.text"}
		if errors.Is(err, errOtherBrowser) || errors.Is(err, errNoCookie) || errors.Is(err, errOtherSite) {
			refusal := err
			if m, err = s.refusal(w, r, refusal); err == nil {
				err = httpx.NewError(contract.CodeForbidden, refusal)
			}
		}
		if errors.Is(err, errSuspended) {
			err = httpx.NewError(contract.CodeForbidden, err)
			m.Title, m.Text = "visit.suspended.title", "visit.suspended.text"
		}
		if errors.Is(err, store.ErrNotFound) {
			err = httpx.NewError(contract.CodeNotFound, err)
			m.Title, m.Text = "visit.not_found.title", "visit.not_found.text"
		}
		s.refuse(w, r, err, m)
	})
}

// refuse logs an error and shows it as a page.
func (s *Service) refuse(w http.ResponseWriter, r *http.Request, err error, m providerui.Message) {
	e := httpx.AsError(err)
	httpx.LogError(r, s.Log, e)
	httpx.RetryAfter(w, e.RetryAfter)
	s.message(w, r, e.HTTPStatus(), m)
}

// message writes a page with a message. It leads to the page of what consumers have shared.
func (s *Service) message(w http.ResponseWriter, r *http.Request, status int, m providerui.Message) {
	m.Access, m.Consumer = s.accessLink(m.Lang), strings.HasPrefix(r.URL.Path, AccessPath)
	page, again := r.URL.Path, r.Method == http.MethodGet
	if visit := Path(r.PathValue("handle")); visit != Path("") && strings.HasPrefix(page, visit) {
		page, again = visit, true
	}
	if again {
		m.Languages = ui.Languages(m.Lang, &url.URL{Path: page})
	}
	if m.Title == "visit.failed_request.title" {
		m.Title, m.Text = ui.StatusWords(status, m.Title, m.Text)
		if status != http.StatusMethodNotAllowed {
			m.RequestID = httpx.RequestID(r.Context())
		}
		if again && (status >= 500 || status == http.StatusTooManyRequests) {
			m.Retry = page + "?lang=" + string(m.Lang)
		}
	}
	s.write(w, r, status, httpx.CSP{}, providerui.MessagePage(m, s.Urls()))
}

// AccessPath is the path of the page of what consumers have shared.
const AccessPath = "/access"

// accessLink returns the address of that page, or "" without one.
func (s *Service) accessLink(l i18n.Lang) string {
	if !s.HasAccessPage {
		return ""
	}
	return providerui.Access{Lang: l}.Link(AccessPath)
}

// LinkPage adapts a handler of a link to a visit, a redirect's or an invite's. It
// renders errors as a page with the texts of words.
func (s *Service) LinkPage(h httpx.HandlerFunc, words func(error) (title, text i18n.Key)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		err = httpx.NotFoundIf(err, store.ErrNotFound)
		m := providerui.Message{Lang: language(r)}
		m.Title, m.Text = words(err)
		s.refuse(w, r, err, m)
	})
}

// MissingPage is Missing for addresses that are not links to a visit.
func (s *Service) MissingPage(w http.ResponseWriter, r *http.Request, status int) {
	if status != http.StatusNotFound {
		s.Missing(w, r, status)
		return
	}
	s.message(w, r, status, providerui.Message{Lang: language(r), Title: "notice.not_found.title", Text: "visit.unknown_page"})
}

// Missing renders the error page for an unknown link or an unsupported method.
func (s *Service) Missing(w http.ResponseWriter, r *http.Request, status int) {
	m := providerui.Message{Lang: language(r), Title: "visit.not_found.title", Text: "visit.not_found.text"}
	if status != http.StatusNotFound {
		m.Title, m.Text = "visit.failed_request.title", "visit.failed_request.text"
	}
	s.message(w, r, status, m)
}

func (s *Service) write(w http.ResponseWriter, r *http.Request, status int, policy httpx.CSP, c templ.Component) {
	httpx.SetSecurityHeaders(w, policy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if err := c.Render(context.WithoutCancel(r.Context()), w); err != nil {
		s.Log.InfoContext(r.Context(), "page not delivered", "requestId", httpx.RequestID(r.Context()))
	}
}

// Urls returns the addresses of the assets of pages.
func (s *Service) Urls() providerui.Urls {
	return providerui.Urls{Style: s.Assets.URL("provider.css"), Icon: s.Assets.URL("icon.svg"), Font: s.Assets.URL("inter.woff2"),
		Frame: s.Assets.URL("frame.js"), Hosted: s.Assets.URL("hosted.js"), Submit: s.Assets.URL("submit.js"),
		Close: s.Assets.URL("close.js"), Files: s.Assets.URL("files.js"), Times: s.Assets.URL("times.js"),
		Service: s.Operator.Name}
}

func language(r *http.Request) i18n.Lang {
	return ui.PickLanguage(r.URL.Query().Get("lang"), "", r.Header.Get("Accept-Language"))
}

// frame serves the document of the widget's iframe. Pages of the origins that are registered
// on the account in its address may frame it, or any page if none is registered. Without
// an account in the address, or with another one, register rejects the page.
func (s *Service) frame(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	policy, urls := httpx.CSP{FrameAncestors: "*", Isolated: true}, s.Urls()
	caller, err := s.Auth.Customer(r.Context(), s.DB.SQL, q.Get("publicId"), contract.Environment(q.Get("env")))
	if err == nil {
		var origins []string
		if origins, err = s.Customers.WidgetOrigins(r.Context(), s.DB.SQL, caller.CustomerID); len(origins) > 0 {
			policy.FrameAncestors = strings.Join(origins, " ")
		}
		if err == nil {
			urls, err = s.themedUrls(r.Context(), caller.CustomerID)
		}
	}
	if err != nil && httpx.AsError(err).Code != contract.CodeUnknownCustomer {
		return err
	}
	s.write(w, r, http.StatusOK, policy, providerui.FrameShell(language(r), urls))
	return nil
}

// problem renders the text of a widget error, or of too many visits.
func (s *Service) problem(w http.ResponseWriter, r *http.Request) error {
	code, words := r.PathValue("code"), i18n.Key("visit.too_many")
	if code != string(contract.CodeRateLimited) {
		e := contract.WidgetError(code).Info()
		code, words = string(e.Type), e.Applicant
	}
	s.write(w, r, http.StatusOK, httpx.CSP{}, providerui.ProblemPart(language(r), code, words))
	return nil
}
