package developers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/applications/applicant"
	"vestibule/internal/session"
	"vestibule/internal/store"
	portalui "vestibule/templates/portal"
)

// maxForm bounds the playground's form in bytes; it has only options, no text fields.
const maxForm = 8 << 10

// placeholderOrigin is the origin of the reader's page in the code shown.
const placeholderOrigin = "https://app.example.com"

func (h *Handler) playground(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	if !q.Has("page-language") {
		q.Set("page-language", string(h.Applicants.Base(r).Lang))
	}
	return h.show(w, r, http.StatusOK, h.read(q), false)
}

func (h *Handler) show(w http.ResponseWriter, r *http.Request, status int, c portalui.Choice, tooOften bool) error {
	m := portalui.Playground{Base: h.Applicants.Base(r), Choice: c, Products: h.products(), Usernames: usernames,
		Listings: h.listings(c, placeholderOrigin), TooOften: tooOften}
	m.Status, m.Response = h.response(c)
	for _, w := range integrations {
		if w.where == c.Where {
			m.Integrations = append(m.Integrations, w.name)
		}
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, status, portalui.PlaygroundPage(m))
}

// run creates an application as the code on the page does. The browser gains access
// to an application, so its session gets a new secret.
func (h *Handler) run(w http.ResponseWriter, r *http.Request) error {
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	c := h.read(form)
	if wait := h.Applicants.Limit.Take(r); wait > 0 {
		httpx.RetryAfter(w, wait)
		return h.show(w, r, http.StatusTooManyRequests, c, true)
	}
	cur, err := h.Applicants.Sessions.Of(r)
	if err != nil {
		return err
	}
	chosen := integrationOf(c.Integration)
	origin := h.origin(r)
	n := applications.New{Product: c.Product, Mode: chosen.mode, Variant: chosen.variant,
		Origin: applications.FromAPI, ReturnURL: origin + "/developers",
		AllowedOrigin: origin, Lang: i18n.English}
	if person := h.person(c); person != nil {
		n.Prefill = person.Object()
	}
	var id string
	var cookie session.Cookie
	err = h.Applicants.Service.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		next, renewed, err := h.Applicants.Sessions.Renew(ctx, tx, cur)
		if err != nil {
			return err
		}
		n.SessionID, cookie = next.ID, renewed
		a, problems, err := h.Applicants.Service.Create(ctx, tx, n)
		if len(problems) > 0 || applications.IsRefusal(err) {
			return httpx.NewError(contract.CodeInvalidParameters, errors.Join(errors.New("the application is refused"), err))
		}
		if err != nil {
			return err
		}
		id = a.ID
		token, err := h.Kit.Token(ctx, tx, id, origin)
		if err != nil {
			return err
		}
		return h.saveView(ctx, tx, id, view{integration: c.Integration, lang: c.PageLang, theme: c.Theme, person: c.Person,
			username: c.Username, token: token})
	})
	if err != nil {
		return err
	}
	if err := h.Applicants.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	return httpx.SeeOther(w, runURL(id))
}

func runURL(id string) string { return "/developers/runs/" + id }

// origin returns the origin under which the browser loaded this page; on localhost
// its host may differ from the portal's address.
func (h *Handler) origin(r *http.Request) string {
	scheme, _, _ := strings.Cut(h.URL, "://")
	return scheme + "://" + r.Host
}

// watch shows the progress of an application of this browser.
func (h *Handler) watch(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	notFound := httpx.NewError(contract.CodeNotFound, errors.New("no application of this browser"))
	if !contract.IsUUID(id) {
		return notFound
	}
	cur, err := h.Applicants.Sessions.Of(r)
	if err != nil {
		return err
	}
	if mine, err := h.Applicants.Service.HasAccess(r.Context(), id, cur.ID); err != nil {
		return err
	} else if !mine {
		return notFound
	}
	k, err := h.loadView(r.Context(), id)
	if errors.Is(err, store.ErrNotFound) {
		return notFound
	}
	if err != nil {
		return err
	}
	a, err := h.Applicants.Service.Get(r.Context(), h.Applicants.Service.DB.SQL, id)
	if err != nil {
		return err
	}
	final := slices.Contains([]journey.State{journey.Ready, journey.Failed, journey.Expired}, a.Journey.State)
	lines, err := h.trace(r.Context(), a, k)
	if err != nil {
		return err
	}
	chosen := integrationOf(k.integration)
	m := portalui.Run{Base: h.Applicants.Base(r), ID: id, Product: a.Product, Integration: k.integration,
		PageLang: k.lang, Theme: k.theme, Username: k.username, Token: k.token,
		Element: chosen.element, State: string(a.Journey.State), Version: a.Version, Final: final, Lines: lines,
		Self: runURL(id), Connect: applicant.ConnectURL(id), Status: applicant.StatusURL(id),
		Again: "/developers?" + url.Values{"product": {string(a.Product)}, "integration": {k.integration}, "page-language": {string(k.lang)},
			"theme": {k.theme}, "person": {k.person}, "username": {k.username}}.Encode()}
	if chosen.variant != "" {
		m.Element = "inline"
	}
	if !final {
		m.Stream = applicant.StreamURL(id)
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{Frame: []string{"'self'"}})
	return httpx.HTML(w, r, http.StatusOK, portalui.RunPage(m))
}
