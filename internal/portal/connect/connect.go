// Package connect is the step from an application to the provider: the page with
// the widget, begun in each of the ways of document 1 (Widget registration), and
// the secure redirect by address or by form (document 2, Secure redirect).
//
// One page view is one attempt at most: a token that no widget was begun with is
// shown again, and so is one whose widget was begun in the same browser, where the
// widget finds its visit. Any other is replaced by a new attempt with an external id
// of its own. The applicant's data goes from server to server, except in the
// variants that exist to try the others. A provider that does not answer costs
// nothing but time: the page says so and offers to try again.
package connect

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/prefill"
	"vestibule/internal/redirect"
	"vestibule/internal/svcapi"
	pages "vestibule/templates/portal"
	"vestibule/templates/ui"
)

// Modes of an application, as the portal's API spells them.
const (
	Embedded     = "embedded"
	ByRedirect   = "redirect"
	RedirectForm = "redirect-form"
)

// Variants of an embedded widget.
const (
	ByToken         = "token"
	ByPrefill       = "prefill"
	ByConsumer      = "consumer"
	BySandboxReport = "sandbox-report"
)

// Application is what this room needs to know of one.
type Application struct {
	ID              string
	Product         contract.Product
	Mode            string
	Variant         string
	Manual          bool
	SandboxReportID string
	UserArgs        string
	State           string // the journey's
	HasApplicant    bool
}

// Visitor is who asks. Identity is what the redirect binds to; empty in a frame.
type Visitor struct {
	Identity string
	Holder   string // names the browser, or the frames of one page; never empty
	Framed   bool
	Carry    string // to be added to addresses of the application
	Origin   string // with Framed: the site that may frame it
}

// Attempt is one visit at the provider.
type Attempt struct {
	Number     int
	Mode       string
	ExternalID string
	ConsumerID string
	Token      string
	TokenUntil time.Time
	Opened     bool   // its widget was begun
	OpenedBy   string // the Visitor.Holder that can find its visit again; "" is none
	Ours       bool   // its visit is one that was begun here
}

// Applications is what the room needs of its neighbour. Each call is a
// transaction of its own.
type Applications interface {
	// Enter finds the application that the address names for who may see it.
	Enter(w http.ResponseWriter, r *http.Request) (Application, Visitor, error)
	// Ask shows the form of an application without an applicant.
	Ask(w http.ResponseWriter, r *http.Request, id string, v Visitor) error
	Applicant(ctx context.Context, id string) (prefill.Fields, error)
	// Current is the newest attempt; false before the first.
	Current(ctx context.Context, id string) (Attempt, bool, error)
	// Begin opens the next attempt; ErrClosed when the application takes none.
	Begin(ctx context.Context, id, mode string) (Attempt, error)
	Equip(ctx context.Context, id string, number int, token string, until time.Time, consumerID string) error
}

// ErrClosed says that an application takes no further attempt.
var ErrClosed = errors.New("connect: the application takes no attempt")

// Service is what is asked of the provider. *svcapi.Client is one.
type Service interface {
	Initialize(ctx context.Context, in svcapi.InitRequest) (svcapi.Initialization, error)
	CreateConsumer(ctx context.Context, in svcapi.ConsumerRequest) (string, error)
}

// Redirects starts secure redirects, and uses the application's attempt up with each.
// *redirect.Companion is one.
type Redirects interface {
	Start(ctx context.Context, in redirect.StartRequest) (redirect.Attempt, svcapi.RedirectLink, error)
}

// Desk is the room. All fields are required.
type Desk struct {
	Applications Applications
	Service      Service
	Redirects    Redirects
	Products     map[contract.Product]string
	PublicID     string
	Environment  contract.Environment
	ScriptURL    string   // the provider's widget script
	Global       string   // the object that it makes
	Origins      []string // of the provider: of its script, its frame and its pages
	Now          func() time.Time
	Log          *slog.Logger

	Base  func(r *http.Request) pages.Base
	Adapt func(httpx.HandlerFunc) http.Handler

	// Elsewhere are the ways to go on in another browser.
	Elsewhere func(id string, framed bool) pages.Elsewhere

	// URLs of an application, without Carry.
	StatusURL  func(id string) string
	EventsURL  func(id string) string
	RestartURL func(id string) string
}

const connectPath = "/applications/{id}/connect"

// Routes mounts the one address of the room. The pattern names no method: it
// begins an attempt, and a HEAD or a page fetched ahead must not.
func (d *Desk) Routes(mux *http.ServeMux) { mux.Handle(connectPath, d.Adapt(d.connect)) }

// tokenMargin is how much life a token must have left to be put on a page.
const tokenMargin = 2 * time.Minute

func (d *Desk) connect(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		return httpx.Fail(contract.CodeMethodNotAllowed, errors.New("connect is GET only"))
	}
	if r.Header.Get("Sec-Purpose") != "" || r.Header.Get("Purpose") != "" {
		return httpx.Fail(contract.CodeUnavailable, errors.New("connect fetched ahead"))
	}
	a, v, err := d.Applications.Enter(w, r)
	if err != nil {
		return err
	}
	if !a.HasApplicant {
		return d.Applications.Ask(w, r, a.ID, v)
	}
	if a.State == "started" || a.State == "connecting" {
		if a.Mode == Embedded || v.Framed {
			err = d.embed(w, r, a, v)
		} else {
			err = d.leave(w, r, a, v)
		}
		if !errors.Is(err, ErrClosed) {
			return err
		}
	}
	httpx.See(w, d.StatusURL(a.ID)+v.Carry)
	return nil
}

// embed shows the page with the widget.
func (d *Desk) embed(w http.ResponseWriter, r *http.Request, a Application, v Visitor) error {
	fields, err := d.Applications.Applicant(r.Context(), a.ID)
	if err != nil {
		return err
	}
	t, err := d.again(r.Context(), a, v, Embedded, func(t Attempt) (Attempt, error) { return d.equip(r.Context(), a, t, fields) })
	if e := (*svcapi.Error)(nil); errors.As(err, &e) {
		return d.sorry(w, r, a, v, e)
	}
	if err != nil {
		return err
	}
	m := pages.Connect{Base: d.Base(r), Product: a.Product, Script: d.ScriptURL, Global: d.Global, Env: d.Environment,
		ProductID: d.Products[a.Product], PublicID: d.PublicID, Token: t.Token, ConsumerID: t.ConsumerID,
		Manual: a.Manual, Attempt: t.Number, Resumed: t.Opened, State: "connecting", Today: d.Now().UTC().Format("2006-01-02"),
		Report: d.EventsURL(a.ID) + v.Carry, Next: d.StatusURL(a.ID) + v.Carry, Restart: d.RestartURL(a.ID) + v.Carry,
		SandboxReportID: a.SandboxReportID, Elsewhere: d.Elsewhere(a.ID, v.Framed)}
	if t.Token == "" {
		m.ExternalID, m.UserArgs = t.ExternalID, a.UserArgs
	}
	if a.Variant == ByPrefill {
		if m.Prefill, err = clientPrefill(fields); err != nil {
			return err
		}
	}
	policy := httpx.CSP{Script: d.Origins, Frame: d.Origins, FormAction: d.Origins, WASM: true}
	if v.Framed {
		m.Base, policy.FrameAncestors = m.In(v.Origin, a.ID), v.Origin
	}
	httpx.Secure(w, policy)
	return httpx.HTML(w, r, http.StatusOK, pages.ConnectPage(m))
}

// equip gets what the attempt's widget is begun with, unless it has it.
func (d *Desk) equip(ctx context.Context, a Application, t Attempt, fields prefill.Fields) (Attempt, error) {
	switch {
	case a.Variant == ByPrefill:
		if t.Ours {
			return t, nil
		}
		return t, d.Applications.Equip(ctx, a.ID, t.Number, "", time.Time{}, "")
	case a.Variant == ByConsumer:
		if t.ConsumerID != "" {
			return t, nil
		}
		id, err := d.Service.CreateConsumer(ctx, svcapi.ConsumerRequest{ConsumerExternalID: t.ExternalID, Prefill: wire(fields)})
		if err != nil {
			return t, err
		}
		t.ConsumerID = id
		return t, d.Applications.Equip(ctx, a.ID, t.Number, "", time.Time{}, id)
	case t.Token != "":
		return t, nil
	}
	got, err := d.Service.Initialize(ctx, d.request(a, t, fields))
	if err != nil {
		return t, err
	}
	t.Token, t.TokenUntil = got.Token, got.Exp
	if t.TokenUntil.IsZero() {
		t.TokenUntil = d.Now().Add(30 * time.Minute) // the contract's lifetime
	}
	return t, d.Applications.Equip(ctx, a.ID, t.Number, t.Token, t.TokenUntil, "")
}

func (d *Desk) request(a Application, t Attempt, fields prefill.Fields) svcapi.InitRequest {
	return svcapi.InitRequest{ProductID: d.Products[a.Product], ExternalID: t.ExternalID, UserArgs: a.UserArgs,
		SandboxReportID: a.SandboxReportID, Prefill: wire(fields)}
}

// leave sends the browser to the provider's page.
func (d *Desk) leave(w http.ResponseWriter, r *http.Request, a Application, v Visitor) error {
	fields, err := d.Applications.Applicant(r.Context(), a.ID)
	if err != nil {
		return err
	}
	var link svcapi.RedirectLink
	_, err = d.again(r.Context(), a, v, a.Mode, func(t Attempt) (Attempt, error) {
		var err error
		_, link, err = d.Redirects.Start(r.Context(), redirect.StartRequest{Identity: v.Identity, Application: a.ID, Number: t.Number,
			Service: svcapi.RedirectRequest{InitRequest: d.request(a, t, fields)}})
		return t, err
	})
	if e := (*svcapi.Error)(nil); errors.As(err, &e) {
		return d.sorry(w, r, a, v, e)
	}
	if err != nil {
		return err
	}
	base := d.Base(r)
	link.RedirectURL = inLanguage(link.RedirectURL, base.Lang, r)
	if a.Mode == RedirectForm {
		httpx.Secure(w, httpx.CSP{FormAction: []string{originOf(link.RedirectURL)}})
		return httpx.HTML(w, r, http.StatusOK, pages.LeavePage(pages.Leave{Base: base, URL: link.RedirectURL, Token: link.RedirectToken}))
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	httpx.See(w, link.RedirectURL)
	return nil
}

// inLanguage names to the service the language that was chosen here, where the
// browser would ask for another. An address with a query of its own is left alone.
func inLanguage(raw string, lang contract.Lang, r *http.Request) string {
	u, err := url.Parse(raw)
	if err != nil || u.RawQuery != "" || lang == ui.PickLanguage("", "", r.Header.Get("Accept-Language")) {
		return raw
	}
	u.RawQuery = url.Values{"lang": {string(lang)}}.Encode()
	return u.String()
}

// maxTries bounds how often a page view that loses its external id begins anew.
const maxTries = 5

// again runs do with the current attempt if it can still be used, else with the
// next one. An external id that the provider knows already, from an answer that
// got lost or from a second tab that was faster, costs one more attempt.
func (d *Desk) again(ctx context.Context, a Application, v Visitor, mode string, do func(Attempt) (Attempt, error)) (Attempt, error) {
	t, ok, err := d.Applications.Current(ctx, a.ID)
	if err != nil {
		return t, err
	}
	stale := t.Token != "" && d.Now().Add(tokenMargin).After(t.TokenUntil)
	resumed := t.Opened && mode == Embedded && t.OpenedBy == v.Holder
	fresh := ok && t.Mode == mode && (resumed || !t.Opened && !stale)
	for try := 1; ; try++ {
		if !fresh {
			if t, err = d.Applications.Begin(ctx, a.ID, mode); err != nil {
				return t, err
			}
		}
		got, err := do(t)
		if svcapi.CodeOf(err) != contract.CodeDuplicateExternalID || try == maxTries {
			return got, err
		}
		// The token that a faster tab got is as good as ours.
		now, ok, err := d.Applications.Current(ctx, a.ID)
		if err != nil || ok && now.Mode == mode && now.Token != "" && !now.Opened {
			return now, err
		}
		fresh = false
	}
}

// sorry says why the provider gave nothing, and the way on. The application and
// what was filled in stay.
func (d *Desk) sorry(w http.ResponseWriter, r *http.Request, a Application, v Visitor, e *svcapi.Error) error {
	d.Log.WarnContext(r.Context(), "no visit begun", "application", a.ID, "code", string(e.Code), "why", e.Error(), "requestId", httpx.RequestID(r.Context()))
	m := pages.Notice{Base: d.Base(r), RequestID: httpx.RequestID(r.Context()), Next: d.StatusURL(a.ID) + v.Carry}
	status, said := http.StatusBadGateway, contract.WidgetInternalError
	switch known := contract.WidgetError(e.Code); {
	case e.Temporary():
		said = contract.WidgetRequestTimeout
		m.Title, m.Text, m.Retry = wordsAway, wordsAwayText, r.URL.Path+v.Carry
		status = http.StatusServiceUnavailable
		httpx.RetryAfter(w, max(e.RetryAfter, 5*time.Second))
	case known.Valid() && !known.Info().Retry:
		said = known
		m.Title, m.Text, m.Support = wordsRefused, known.Info().Applicant, m.Brand.Support
	case e.HTTP == http.StatusUnauthorized || e.HTTP == http.StatusForbidden: // our key is not taken
		said = contract.WidgetUnknownCustomer
		m.Title, m.Text, m.Support = wordsRefused, said.Applicant(), m.Brand.Support
	default:
		m.Title, m.Text, m.Retry = wordsAway, wordsAwayText, r.URL.Path+v.Carry
	}
	policy := httpx.CSP{}
	if v.Framed {
		m.Base, policy.FrameAncestors = m.In(v.Origin, a.ID), v.Origin
		m.Frame.Error = string(said)
	}
	httpx.Secure(w, policy)
	return httpx.HTML(w, r, status, pages.NoticePage(m))
}

// originOf is the origin of an address that svcapi has checked.
func originOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "'none'"
	}
	return u.Scheme + "://" + u.Host
}
