// Package provider is the Consumer Report Service, with an optional sandbox. Its packages
// import each other downward in one declared order; wire.go builds them and sets the few
// functions of higher packages that lower ones call.
//
// It imports nothing of the portal or of the customer's side: they communicate over HTTP
// only.
package provider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/apidocs"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/provider/access"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/dashboard"
	"vestibule/internal/provider/disputes"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/provider/invites"
	"vestibule/internal/provider/operator"
	"vestibule/internal/provider/outbox"
	"vestibule/internal/provider/redirects"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/submissions"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
	"vestibule/internal/telemetry"
	"vestibule/internal/webhook"
	"vestibule/templates/ui"
	"vestibule/web"
)

// Config configures a provider.
type Config struct {
	DB          *store.DB
	Log         *slog.Logger
	Now         func() time.Time     // the real clock; a sandbox's clock is an offset to it
	URL         string               // public base URL, without a trailing slash
	Environment contract.Environment // of requests that name none

	// Sandbox creates the sandbox, usually sandbox.New. It must be set in the sandbox
	// environment only.
	Sandbox func(context.Context, SandboxConfig) (Sandbox, error)

	Assets *web.Assets
	// API reference, JSON: served at /openapi.json and as pages at /docs; nil: none
	OpenAPI func() ([]byte, error)

	DisableWorkers bool             // other processes with this database run the jobs
	Telemetry      *telemetry.Party // nil: none
	BehindProxy    bool             // client addresses are in the proxy's headers
	Mail           mail.Mailer      // sends invites; nil: they stay in the outbox

	RequireSecondFactor bool // users of the dashboard need a second factor

	// AllowLoopbackCallbacks permits webhooks to loopback addresses, also over plain HTTP.
	// Use it only for a sandbox on loopback: elsewhere customers could reach internal
	// services.
	AllowLoopbackCallbacks bool

	WebhookNetworks []netip.Prefix // private networks that webhooks may go to

	Connectors []sources.Connector // of the institutions that the operator has configured

	// OperatorURL is the public base URL of the operator's pages on a listener of their own; empty:
	// they are on the service's.
	OperatorURL string
	// Examine checks the institutions and connectors for the operator; may be nil.
	Examine func(ctx context.Context) ([]operator.SourceCheck, error)

	// Scanner reads images of pay stubs; nil leaves them unread.
	Scanner reports.Scanner

	// BankURL is the origin of a sandbox's mock FDX banks; empty: every mock bank has a form
	// in the widget.
	BankURL string

	Operator   Operator // shown to applicants; an empty name is the default
	Limits     Limits
	Simulation Simulation // of a sandbox
}

// Provider is the running service.
type Provider struct {
	config     Config
	now        func() time.Time // the sandbox's clock or, in production, the real one
	queue      *jobs.Queue
	sandbox    Sandbox // nil in production
	catalogues map[contract.Environment]sources.Catalogue

	mailboxes    *mail.Mailboxes
	keys         *auth.Keys
	auth         *auth.Authenticator
	customers    *customers.Service
	documents    *documents.Service
	freeze       *freeze.Service
	connections  *sources.Service
	reports      *reports.Service
	webhooks     *webhooks.Service
	sharing      *sharing.Service
	bankaccounts *bankaccounts.Service
	visits       *visits.Service
	redirects    *redirects.Service
	outbox       *outbox.Service
	disputes     *disputes.Service
	invites      *invites.Service
	access       *access.Service
	submissions  *submissions.Service
	dashboard    *dashboard.Service
	operator     *operator.Service

	seed Seed // set by Seed, before the first request
	stop context.CancelFunc
	idle sync.WaitGroup
}

// New builds a provider, and creates the keys that its database lacks.
func New(ctx context.Context, c Config) (*Provider, error) {
	if !c.Environment.Valid() {
		return nil, fmt.Errorf("provider: unknown environment %q", c.Environment)
	}
	p := &Provider{config: c, now: c.Now, stop: func() {}}
	if (c.Environment == contract.Sandbox) != (c.Sandbox != nil) {
		return nil, fmt.Errorf("provider: Sandbox is set outside of the sandbox environment")
	}
	if c.Sandbox != nil {
		made, err := c.Sandbox(ctx, SandboxConfig{DB: c.DB, Log: c.Log, Now: c.Now, FaultSeed: c.Simulation.Faults,
			BankURL: c.BankURL, BankClients: c.Simulation.BankClients, RedirectURI: c.URL + visits.CallbackPath, Assets: c.Assets})
		if err != nil {
			return nil, fmt.Errorf("provider: sandbox: %w", err)
		}
		p.sandbox, p.now = made, made.Now
	}
	c.DB.SetClock(p.now)
	registry := jobs.NewRegistry()
	queue, err := jobs.NewQueue(ctx, c.DB, registry, c.Log, p.now)
	if err != nil {
		return nil, fmt.Errorf("provider: %w", err)
	}
	queue.DisableWorkers = c.DisableWorkers
	p.queue = queue
	if p.mailboxes, err = mail.OpenMailboxes(ctx, c.DB); err != nil {
		return nil, fmt.Errorf("provider: %w", err)
	}
	observe(c, queue)
	p.wire()
	for _, open := range []func(context.Context) error{p.keys.Ensure, p.bankaccounts.Open, p.dashboard.Open, p.operator.Open} {
		if err := open(ctx); err != nil {
			return nil, fmt.Errorf("provider: %w", err)
		}
	}
	p.connections.Register(registry)
	p.reports.Register(registry)
	p.disputes.Register(registry)
	p.webhooks.Register(registry)
	p.visits.Register(registry)
	p.outbox.Register(registry)
	p.dashboard.Staff.Register(registry)
	p.access.Register(registry)
	p.registerRetention(registry)
	return p, nil
}

// docsPages makes the API reference.
func (p *Provider) docsPages() (map[string]templ.Component, error) {
	spec, err := p.config.OpenAPI()
	if err != nil {
		return nil, err
	}
	m, err := apidocs.Read(spec)
	if err != nil {
		return nil, err
	}
	url := p.config.Assets.URL
	return ui.APIDocsPages(m, "/docs", "/openapi.json", ui.Page{
		Styles:  []string{url("provider.css"), url("apidocs.css")},
		Scripts: []string{url("apidocs.js")}, Icon: url("icon.svg"), Font: url("inter.woff2")}), nil
}

// Handler returns the handler of the service's public listener.
func (p *Provider) Handler() http.Handler {
	mux := http.NewServeMux()
	p.auth.Routes(mux)
	p.customers.Routes(mux)
	p.reports.Routes(mux)
	p.visits.Routes(mux)
	p.redirects.Routes(mux)
	p.invites.Routes(mux)
	p.access.Routes(mux)
	p.submissions.Routes(mux)
	p.bankaccounts.Routes(mux)
	p.sharing.Routes(mux)
	p.dashboard.Routes(mux)
	if p.config.OperatorURL == "" {
		p.operator.Routes(mux, p.errorPage)
	}
	mux.Handle("GET /assets/", p.config.Assets.Handler())
	if p.config.OpenAPI != nil {
		mux.Handle("GET /openapi.json", httpx.API(p.config.Log, p.openAPI))
		pages := httpx.StaticPages(p.config.Log, p.docsPages, p.visits.MissingPage)
		mux.Handle("GET /docs", pages)
		mux.Handle("GET /docs/{part}", pages)
	}
	if p.sandbox != nil {
		mux.Handle("GET /connect/sandbox/events", httpx.API(p.config.Log, p.auth.Basic(p.webhooks.Listen)))
	}
	h := httpx.NotFound(p.config.Log, mux, p.errorPage)
	if p.sandbox != nil {
		h = p.sandbox.Wrap(h)
	}
	return httpx.Wrap(p.config.Log, h)
}

// OperatorHandler returns the handler of the operator's listener.
func (p *Provider) OperatorHandler() http.Handler {
	mux := http.NewServeMux()
	unknown := func(*http.Request) httpx.ErrorPage { return p.operator.Missing }
	p.operator.Routes(mux, unknown)
	mux.Handle("GET /assets/", p.config.Assets.Handler())
	return httpx.Wrap(p.config.Log, httpx.NotFound(p.config.Log, mux, unknown))
}

// errorPage returns the error page of a request to a page, or of a browser's to an unknown address. Paths of
// the API, and other programs, get the API's error shape.
func (p *Provider) errorPage(r *http.Request) httpx.ErrorPage {
	visit, dashboard := p.visits.Missing, p.dashboard.Missing
	pages := httpx.ErrorPages{
		"/connect/": nil, "/config/": nil, "/accounts": nil, "/accounts/": nil, "/credentials/": nil, "/secure-redirect": nil,
		"/jwkset": nil, "/openapi.json": nil, "/widget/": nil, "/assets/": nil,
		"/visit/": visit, "/redirect/": visit, "/invite/": visit, "/widget/v1/frame": visit, "/widget/v1/problems/": visit,
		visits.CallbackPath: visit, visits.CallbackPath + "/": visit,
		visits.AccessPath: p.access.Missing, visits.AccessPath + "/": p.access.Missing,
		"/docs": p.visits.MissingPage, "/docs/": p.visits.MissingPage,
		"/dashboard": dashboard, "/dashboard/": dashboard,
	}
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		pages["/"] = p.visits.MissingPage
	}
	return pages.Of(r)
}

func (p *Provider) openAPI(w http.ResponseWriter, r *http.Request) error {
	spec, err := p.config.OpenAPI()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Write(spec)
	return nil
}

// Banks returns the handler of the mock banks' listener, or nil without mock banks.
func (p *Provider) Banks() http.Handler {
	if p.sandbox == nil {
		return nil
	}
	return p.sandbox.Banks()
}

// Control returns the handler of the sandbox's control listener. In production it
// responds with 404 to every request.
func (p *Provider) Control() http.Handler {
	if p.sandbox == nil {
		return httpx.Wrap(p.config.Log, httpx.API(p.config.Log, func(http.ResponseWriter, *http.Request) error {
			return httpx.NewError(contract.CodeNotFound, errors.New("production has no sandbox control"))
		}))
	}
	return p.sandbox.Control(p.services(), ControlHooks{First: p.seed.PublicID, Receive: p.receive, Moved: p.moved, Refill: p.refill})
}

// receive verifies and reads a webhook for the generated third party.
func (p *Provider) receive(r *http.Request) (webhook.Event, error) {
	in := webhook.Receiver{Now: p.config.Now}
	if secret, err := webhook.ParseSecret(p.seed.ThirdParty.WebhookSecret); err == nil {
		in.Secrets = []webhook.Secret{secret}
	}
	return in.Receive(r)
}

// moved does what is due after the sandbox's clock has moved by d: it moves the times of
// jobs, rotates keys, expires visits, and deletes old data.
func (p *Provider) moved(ctx context.Context, d time.Duration) error {
	if d != 0 {
		if err := p.queue.Shift(ctx, d); err != nil {
			return err
		}
	}
	if err := p.keys.Ensure(ctx); err != nil {
		return err
	}
	return p.sweep(ctx)
}

// Start starts the background work, which runs until Stop.
func (p *Provider) Start(ctx context.Context) error {
	if err := p.queue.Start(ctx); err != nil {
		return fmt.Errorf("provider: %w", err)
	}
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	p.idle.Go(func() { p.maintain(ctx) })
	if p.sandbox != nil {
		p.idle.Go(func() { p.sandbox.Follow(ctx) })
	}
	return nil
}

// maintain rotates the signing keys and enqueues the end of expired visits and the deletion of old data,
// immediately and every hour.
func (p *Provider) maintain(ctx context.Context) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		if err := p.keys.Ensure(ctx); err != nil && ctx.Err() == nil {
			p.config.Log.Error("keys not rotated", "err", err.Error())
		}
		err := p.config.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(p.queue.Enqueue(ctx, tx, visits.Expire{}, jobs.UniqueKey("expire")),
				p.queue.Enqueue(ctx, tx, retain{}, jobs.UniqueKey("retain")))
		})
		if err != nil && ctx.Err() == nil {
			p.config.Log.Error("retention not enqueued", "err", err.Error())
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Beside lets two providers of one process tell their logs which environment refused credentials
// belong to. Call it before the first request.
func (p *Provider) Beside(other *Provider) { p.auth.Other, other.auth.Other = other.auth, p.auth }

// Operator returns what the provider's operator does.
func (p *Provider) Operator() *operator.Service { return p.operator }

// RotateKeys creates new signing keys and returns the time when the published one begins
// to sign. Tokens of previous keys stay valid until they expire.
func (p *Provider) RotateKeys(ctx context.Context) (time.Time, error) { return p.keys.Replace(ctx) }

// Stop stops the background work, and waits for running jobs until ctx ends.
func (p *Provider) Stop(ctx context.Context) error {
	p.stop()
	p.idle.Wait()
	return p.queue.Stop(ctx)
}

// Ready returns an error if the service cannot serve requests or run jobs.
func (p *Provider) Ready(ctx context.Context) error {
	return errors.Join(p.config.DB.Ping(ctx), p.queue.Ready())
}

// observe adds telemetry to the database and the jobs.
func observe(c Config, queue *jobs.Queue) {
	if c.Telemetry == nil {
		return
	}
	queue.Watch(c.Telemetry)
	c.Telemetry.Database(c.DB.SQL, c.DB.Commits())
	c.Telemetry.Queue(queue.Waiting)
}
