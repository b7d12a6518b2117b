// Package connect leads from an application to the provider: the page with the
// widget, initialized in each of the ways that the provider's API offers
// (docs/how-to/portal.md), and the secure redirect by link or by form.
//
// A page view opens at most one attempt. It reuses a token that no widget was opened
// with, or that was opened in the same browser, where the widget resumes its visit.
// Otherwise it opens a new attempt with a separate external ID. The applicant's data
// goes from server to server, except in the variants for trying the alternatives. If
// the provider does not answer, the page says so and offers to try again.
package connect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/applications/applicant"
	"vestibule/internal/prefill"
	"vestibule/internal/redirect"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	portalui "vestibule/templates/portal"
	"vestibule/templates/ui"
)

// Handler serves the connect page. All fields are required.
type Handler struct {
	Applicants *applicant.Handler
	Service    *svcapi.Client
	Redirects  *redirect.Handler
	ScriptURL  string    // URL of the provider's widget script
	Global     string    // name of the global object that the script defines
	Policy     httpx.CSP // of the page with the widget
	Now        func() time.Time
	Log        *slog.Logger

	RedirectTokenField string // the form field that brings a redirect token to the provider
}

const connectPath = "/applications/{id}/connect"

// Routes mounts the page. The pattern names no method, so that the handler can refuse
// HEAD requests and prefetches: a page view opens an attempt.
func (h *Handler) Routes(mux *http.ServeMux) { mux.Handle(connectPath, h.Applicants.Adapt(h.connect)) }

// tokenMargin is the remaining lifetime that a token needs to be put on a page.
const tokenMargin = 2 * time.Minute

func (h *Handler) connect(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		return httpx.NewError(contract.CodeMethodNotAllowed, errors.New("connect is GET only"))
	}
	if r.Header.Get("Sec-Purpose") != "" || r.Header.Get("Purpose") != "" {
		return httpx.NewError(contract.CodeUnavailable, errors.New("prefetch of connect"))
	}
	a, v, err := h.Applicants.Authorize(w, r)
	if err != nil {
		return err
	}
	if err := h.Applicants.Service.SetLanguage(r.Context(), a, h.Applicants.Base(r).Lang); err != nil {
		return err
	}
	if !a.HasApplicant {
		return h.Applicants.AskApplicant(w, r, a, v)
	}
	if a.Journey.State == journey.Started || a.Journey.State == journey.Connecting {
		if a.Mode == applications.Embedded || v.Framed {
			err = h.embed(w, r, a, v)
		} else {
			err = h.redirectToProvider(w, r, a, v)
		}
		if !errors.Is(err, applications.ErrClosed) {
			return err
		}
	}
	return httpx.SeeOther(w, applicant.StatusURL(a.ID)+v.QuerySuffix)
}

// embed shows the page with the widget.
func (h *Handler) embed(w http.ResponseWriter, r *http.Request, a applications.Application, v applicant.Visitor) error {
	fields, err := h.Applicants.Service.Applicant(r.Context(), h.Applicants.Service.DB.SQL, a.ID)
	if err != nil {
		return err
	}
	t, err := h.withAttempt(r.Context(), a, v, applications.Embedded, func(t applications.Attempt) (applications.Attempt, error) {
		return h.initialize(r.Context(), a, t, fields)
	})
	if e := (*svcapi.Error)(nil); errors.As(err, &e) {
		return h.showFailure(w, r, a, v, e)
	}
	if err != nil {
		return err
	}
	m := portalui.Connect{Base: h.Applicants.Base(r), Product: a.Product, Script: h.ScriptURL, Global: h.Global,
		Env: h.Applicants.Service.Environment, ProductID: h.Applicants.Service.Products[a.Product], PublicID: h.Applicants.PublicID,
		Token: t.Token, ConsumerID: t.ConsumerID,
		Manual: a.Manual, Attempt: t.Number, Resumed: t.Opened, State: "connecting", Today: h.Now().UTC().Format("2006-01-02"),
		Report: applicant.CallbacksURL(a.ID) + v.QuerySuffix, Next: applicant.StatusURL(a.ID) + v.QuerySuffix,
		Restart:         applicant.RestartURL(a.ID) + v.QuerySuffix,
		SandboxReportID: a.SandboxReportID, Resume: h.Applicants.ResumeOptions(a.ID, v.Framed)}
	if t.Token == "" {
		m.ExternalID, m.UserArgs = t.ExternalID, a.UserArgs
	}
	if a.Variant == applications.ByPrefill {
		raw, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		m.Prefill = string(raw)
	}
	if v.Framed {
		m.Base = m.In(v.Origin, a.ID)
		m.Frame.Back = v.Back
	}
	httpx.SetSecurityHeaders(w, v.Policy(h.Policy))
	return httpx.HTML(w, r, http.StatusOK, portalui.ConnectPage(m))
}

// initialize requests the token or the consumer that the attempt's widget starts with, unless the attempt has it, and stores
// both together.
func (h *Handler) initialize(
	ctx context.Context, a applications.Application, t applications.Attempt, fields prefill.Fields,
) (saved applications.Attempt, err error) {
	switch {
	case t.Token != "" || t.ConsumerID != "" || a.Variant == applications.ByPrefill && t.Verified:
		return t, nil
	case a.Variant == applications.ByPrefill:
	case a.Variant == applications.ByConsumer:
		t.ConsumerID, err = h.Service.CreateConsumer(ctx, svcapi.ConsumerRequest{ConsumerExternalID: t.ExternalID, Prefill: &fields})
	default:
		var got svcapi.Initialization
		got, err = h.Service.Initialize(ctx, h.request(a, t, fields))
		if t.Token, t.TokenUntil = got.Token, got.Exp; t.TokenUntil.IsZero() {
			t.TokenUntil = h.Now().Add(30 * time.Minute) // token lifetime in the API
		}
	}
	t.Verified = t.Verified || err == nil
	if err != nil && !t.CreatedAt.IsZero() {
		return t, err
	}
	saved, saveErr := h.Applicants.Service.SaveAttempt(ctx, a.ID, t)
	return saved, cmp.Or(err, saveErr)
}

func (h *Handler) request(a applications.Application, t applications.Attempt, fields prefill.Fields) svcapi.InitRequest {
	return svcapi.InitRequest{ProductID: h.Applicants.Service.Products[a.Product], ExternalID: t.ExternalID, UserArgs: a.UserArgs,
		SandboxReportID: a.SandboxReportID, Prefill: &fields}
}

// redirectToProvider redirects the browser to the provider's page.
func (h *Handler) redirectToProvider(w http.ResponseWriter, r *http.Request, a applications.Application, v applicant.Visitor) error {
	fields, err := h.Applicants.Service.Applicant(r.Context(), h.Applicants.Service.DB.SQL, a.ID)
	if err != nil {
		return err
	}
	var link svcapi.RedirectLink
	_, err = h.withAttempt(r.Context(), a, v, a.Mode, func(t applications.Attempt) (applications.Attempt, error) {
		var err error
		if t.CreatedAt.IsZero() {
			if t, err = h.Applicants.Service.SaveAttempt(r.Context(), a.ID, t); err != nil {
				return t, err
			}
		}
		_, link, err = h.Redirects.Start(r.Context(), redirect.StartRequest{Identity: v.Session.Identity(), Application: a.ID, Number: t.Number,
			Service: svcapi.RedirectRequest{InitRequest: h.request(a, t, fields)}})
		return t, err
	})
	if e := (*svcapi.Error)(nil); errors.As(err, &e) {
		return h.showFailure(w, r, a, v, e)
	}
	if err != nil {
		return err
	}
	base := h.Applicants.Base(r)
	link.RedirectURL = inLanguage(link.RedirectURL, base.Lang, r)
	if a.Mode == applications.RedirectForm {
		httpx.SetSecurityHeaders(w, httpx.CSP{FormAction: []string{httpx.OriginOf(link.RedirectURL)}})
		return httpx.HTML(w, r, http.StatusOK, portalui.LeavePage(portalui.Leave{Base: base, URL: link.RedirectURL,
			Field: h.RedirectTokenField, Token: link.RedirectToken}))
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	return httpx.SeeOther(w, link.RedirectURL)
}

// inLanguage adds the selected language to the service's address if the browser's
// preference differs. It does not change an address that has a query.
func inLanguage(raw string, lang i18n.Lang, r *http.Request) string {
	u, err := url.Parse(raw)
	if err != nil || u.RawQuery != "" || lang == ui.PickLanguage("", "", r.Header.Get("Accept-Language")) {
		return raw
	}
	u.RawQuery = url.Values{"lang": {string(lang)}}.Encode()
	return u.String()
}

// maxTries bounds how often a page view opens another attempt after an external ID
// conflict.
const maxTries = 5

// withAttempt runs do with the current attempt if it is still usable, otherwise with the
// next one, which do stores. If the provider already knows the external ID, because a response was
// lost or another tab was faster, it opens another attempt.
func (h *Handler) withAttempt(
	ctx context.Context, a applications.Application, v applicant.Visitor, mode applications.Mode,
	do func(applications.Attempt) (applications.Attempt, error),
) (applications.Attempt, error) {
	t, err := h.Applicants.Service.Current(ctx, a)
	ok := err == nil
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return t, err
	}
	stale := t.Token != "" && h.Now().Add(tokenMargin).After(t.TokenUntil)
	resumed := t.Opened && mode == applications.Embedded && t.OpenedBy == v.Holder
	fresh := ok && t.Mode == mode && (resumed || !t.Opened && !stale)
	for try := 1; ; try++ {
		if !fresh {
			if t, err = h.Applicants.Service.Next(a, mode); err != nil {
				return t, err
			}
		}
		got, err := do(t)
		if svcapi.CodeOf(err) != contract.CodeDuplicateExternalID || try == maxTries {
			return got, err
		}
		// Use the token that a faster tab obtained.
		now, err := h.Applicants.Service.Current(ctx, a)
		if err != nil || now.Mode == mode && now.Token != "" && !now.Opened {
			return now, err
		}
		fresh, a.Journey.Attempt = false, now.Number
	}
}

// showFailure shows why the provider started no visit, and the next step. The application
// and its data stay.
func (h *Handler) showFailure(w http.ResponseWriter, r *http.Request, a applications.Application,
	v applicant.Visitor, e *svcapi.Error) error {
	h.Log.WarnContext(r.Context(), "visit not started", "application", a.ID, "code", string(e.Code),
		"err", e.Error(), "requestId", httpx.RequestID(r.Context()))
	m := portalui.Notice{Base: h.Applicants.Base(r), RequestID: httpx.RequestID(r.Context()), Next: applicant.StatusURL(a.ID) + v.QuerySuffix}
	status, problem := http.StatusBadGateway, contract.WidgetInternalError
	switch known := contract.WidgetError(e.Code); {
	case e.Temporary():
		problem = contract.WidgetRequestTimeout
		m.Title, m.Text, m.Retry = "connect.service_away.title", "connect.service_away.text", r.URL.Path+v.QuerySuffix
		status = http.StatusServiceUnavailable
		httpx.RetryAfter(w, max(e.RetryAfter, 5*time.Second))
	case known.Valid() && !known.Info().Retry:
		problem = known
		m.Title, m.Text, m.Support = "connect.service_refused.title", known.Info().Applicant, m.Brand.Support
	case e.HTTP == http.StatusUnauthorized || e.HTTP == http.StatusForbidden: // the provider rejects our credentials
		problem = contract.WidgetUnknownCustomer
		m.Title, m.Text, m.Support = "connect.service_refused.title", problem.Applicant(), m.Brand.Support
	default:
		m.Title, m.Text, m.Retry = "connect.service_away.title", "connect.service_away.text", r.URL.Path+v.QuerySuffix
	}
	if v.Framed {
		m.Base, m.Frame.Error = m.In(v.Origin, a.ID), string(problem)
	}
	httpx.SetSecurityHeaders(w, v.Policy(httpx.CSP{}))
	return httpx.HTML(w, r, status, portalui.NoticePage(m))
}
