// Package portal is the customer's application. It takes an applicant from an empty
// form to a report that a reviewer reads. wire.go creates its packages and connects
// them; this file serves their routes.
//
// It communicates with the provider only over HTTP, through internal/svcapi. It
// refuses requests for other hosts, and unsafe cross-site requests. The only
// exception is the return of a secure redirect by form POST, which is always
// cross-site and reads no cookie.
package portal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/apidocs"
	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/mail"
	"vestibule/internal/portal/api"
	"vestibule/internal/portal/branding"
	"vestibule/internal/portal/notify"
	"vestibule/internal/portal/review"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/telemetry"
	"vestibule/templates/ui"
	"vestibule/web"
)

// Config configures a portal. Fields are required unless documented otherwise.
type Config struct {
	DB     *store.DB // of the party store.Portal
	Log    *slog.Logger
	Now    func() time.Time
	Assets *web.Assets

	URL         string               // public address of the portal, without a slash at the end
	ProviderURL string               // public address of the provider, without a slash at the end
	Environment contract.Environment // of the account
	BehindProxy bool                 // clients' addresses are in X-Forwarded-For

	Account svcapi.Account
	Pages   Pages
	API     api.Config    // its key is required
	Events  notify.Config // at least one secret if there is a URL
	Review  review.Config
	SignIn  review.SignIn

	Brand *branding.Brand // nil: Vestibule's brand
	Mail  mail.Mailer     // nil: emails wait in a sandbox's outbox, and production offers none

	DisableWorkers bool             // other processes with this database run the jobs
	Telemetry      *telemetry.Party // nil: none
}

// Portal is a running portal.
type Portal struct {
	handlers
	db       *store.DB
	log      *slog.Logger
	assets   *web.Assets
	handler  http.Handler
	stop     context.CancelFunc
	sweeping sync.WaitGroup
}

// New returns a portal. It serves requests immediately; jobs run after Start.
func New(ctx context.Context, c Config) (*Portal, error) {
	public, err := url.Parse(c.URL)
	if err != nil || public.Host == "" {
		return nil, fmt.Errorf("portal: %q is not a public address", c.URL)
	}
	if c.Brand == nil {
		c.Brand = &branding.Brand{}
	}
	renderer := &pageRenderer{assets: c.Assets, language: console.Language{Cookie: "lang", Secure: public.Scheme == "https"},
		sandbox: c.Environment == contract.Sandbox, brand: c.Brand, assetsOnly: c.Account.AssetsOnly,
		accessURL: c.Pages.ServiceAccessURL, log: c.Log,
		resumeByEmail: c.Mail != nil || c.Environment == contract.Sandbox} // a sandbox shows emails in its outbox
	c.DB.SetClock(c.Now)
	p := &Portal{db: c.DB, log: c.Log, assets: c.Assets}
	if p.handlers, err = wire(ctx, c, renderer); err != nil {
		return nil, err
	}
	renderer.review = p.review.ShowStatus
	p.handler, err = p.routes(renderer, public, c)
	return p, err
}

func (p *Portal) routes(renderer *pageRenderer, public *url.URL, c Config) (http.Handler, error) {
	mux := http.NewServeMux()
	p.applicants.Routes(mux)
	p.connect.Routes(mux)
	p.resume.Routes(mux)
	p.redirect.Routes(mux, renderer.adapt)
	p.review.Routes(mux)
	p.kit.Routes(mux)
	p.api.Routes(mux)
	if p.developers != nil {
		p.developers.Routes(mux)
	}
	mux.Handle("GET "+web.Prefix, c.Assets.Handler())
	mux.Handle("GET "+branding.Prefix+"{file}", c.Brand)
	mux.Handle("GET /legal/{document}", renderer.adapt(renderer.legal))
	reference := httpx.StaticPages(c.Log, func() (map[string]templ.Component, error) { return p.docsPages(c) }, renderer.status)
	mux.Handle("GET /api/v1/docs", reference)
	mux.Handle("GET /api/v1/docs/{part}", reference)

	sameSite := http.NewCrossOriginProtection()
	if err := sameSite.AddTrustedOrigin(httpx.Origin(public)); err != nil {
		return nil, fmt.Errorf("portal: %w", err)
	}
	sameSite.AddInsecureBypassPattern("POST /redirect/return")
	sameSite.SetDenyHandler(renderer.pageOrAPIError(http.StatusForbidden))

	routes := httpx.NotFound(c.Log, mux, renderer.errorPages().Of)
	return httpx.Wrap(c.Log, onlyHost(public, renderer.pageOrAPIError(http.StatusMisdirectedRequest),
		renderer.remember(sameSite.Handler(routes)))), nil
}

// docsPages makes the API reference.
func (p *Portal) docsPages(c Config) (map[string]templ.Component, error) {
	spec, err := p.api.Spec()
	if err != nil {
		return nil, err
	}
	m, err := apidocs.Read(spec)
	if err != nil {
		return nil, err
	}
	url := c.Assets.URL
	return ui.APIDocsPages(m, "/api/v1/docs", "/api/v1/openapi.json", ui.Page{
		Styles:  []string{url("portal.css"), url("apidocs.css")},
		Scripts: []string{url("apidocs.js")}, Icon: url("icon.svg"), Font: url("inter.woff2")}), nil
}

// onlyHost refuses requests for other hosts, against DNS rebinding. The loopback
// names are equivalent.
func onlyHost(public *url.URL, other, next http.Handler) http.Handler {
	loopback := []string{"localhost", "127.0.0.1", "::1"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := &url.URL{Host: r.Host}
		same := asked.Host == public.Host || slices.Contains(loopback, public.Hostname()) &&
			slices.Contains(loopback, asked.Hostname()) && asked.Port() == public.Port()
		if !same {
			other.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Handler serves the portal.
func (p *Portal) Handler() http.Handler { return p.handler }

// EnsureReviewer creates the first administrator unless a user has that email
// address.
func (p *Portal) EnsureReviewer(ctx context.Context, email, password string) error {
	return p.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return p.staff.Ensure(ctx, tx, staff.User{Email: email, Role: review.Administrator}, password)
	})
}

// Staffed reports whether the review dashboard has users.
func (p *Portal) Staffed(ctx context.Context) (bool, error) { return p.staff.Exist(ctx) }

// sweepEvery is how often expired rows are deleted.
const sweepEvery = time.Hour

// Start starts the job workers and resumes the jobs of a killed process.
func (p *Portal) Start(ctx context.Context) error {
	if err := p.applicants.Service.Resume(ctx); err != nil {
		return fmt.Errorf("portal: resume: %w", err)
	}
	if err := errors.Join(p.deletion.Resume(ctx), p.search.Resume(ctx)); err != nil {
		return fmt.Errorf("portal: resume: %w", err)
	}
	if err := p.queue.Start(ctx); err != nil {
		return err
	}
	sweeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	p.stop = stop
	p.sweeping.Go(func() { p.sweep(sweeping) })
	return nil
}

func (p *Portal) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := store.SweepAll(ctx, p.sessions, p.redirect, p.staff, p.search, p.notify.Outbox, p.resume, p.applicants.Service)
		if err != nil && ctx.Err() == nil {
			p.log.WarnContext(ctx, "sweep failed", "err", err.Error())
		}
	}
}

// Drain ends the streams, which would otherwise delay the server's shutdown. Their
// pages reconnect to the next process.
func (p *Portal) Drain() { p.applicants.Service.Close() }

// Stop drains streams and jobs.
func (p *Portal) Stop(ctx context.Context) error {
	p.Drain()
	if p.stop != nil {
		p.stop()
		p.sweeping.Wait()
	}
	return p.queue.Stop(ctx)
}

// Ready reports why the portal cannot serve and do its work, or nil.
func (p *Portal) Ready(ctx context.Context) error {
	return errors.Join(p.db.Ping(ctx), p.queue.Ready())
}
