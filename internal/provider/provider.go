// Package provider is the Consumer Report Service: the service's side of the
// contract, with a sandbox for a test bench. This file wires its rooms together;
// each room declares what it needs of the others as a small interface, and
// wiring.go fits them to each other.
//
// It never reaches the portal, nor anything of the customer's side: the two meet
// over HTTP only.
package provider

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"vestibule/internal/apidocs"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jobs"
	"vestibule/internal/prefill"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/dashboard"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/invites"
	"vestibule/internal/provider/redirects"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sharing"
	"vestibule/internal/provider/submissions"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
	"vestibule/internal/telemetry"
	"vestibule/internal/webhook"
	"vestibule/templates/ui"
	"vestibule/web"
)

// Config is what a provider is made of.
type Config struct {
	DB          *store.DB
	Log         *slog.Logger
	Now         func() time.Time     // the time of day; a sandbox moves its own clock over it
	URL         string               // public base, without a trailing slash
	Environment contract.Environment // of requests that name none

	// Sandbox makes the test bench of a sandbox: testbench.New. It is refused in
	// production.
	Sandbox func(context.Context, SandboxConfig) (Sandbox, error)

	Assets  *web.Assets
	OpenAPI []byte // the contract, served at /openapi.json and, for people, at /docs; empty for none

	JobsElsewhere bool // jobs are left to other processes with this database

	// Telemetry observes what the service does; nil: nobody.
	Telemetry *telemetry.Party

	BehindProxy bool // who asks is who a proxy says it is

	// Mail sends the letters of invites; nil leaves them in the outbox.
	Mail invites.Mailer

	// AllowLoopbackCallbacks lets events be sent to this machine, by plain http
	// too. Only for a sandbox that is on loopback itself: elsewhere it would let
	// customers reach inside.
	AllowLoopbackCallbacks bool

	// How many visits a minute may be begun without a token, in this process, by one
	// address and for one account; 0 is no limit. This machine itself is not held.
	WidgetRate, WidgetAccountRate int
	// WidgetFiles is how many bytes of files such visits of one account may be sent in
	// 24 hours; 0 is no limit.
	WidgetFiles int64

	Awkward uint64 // not 0: the seed by which a sandbox is awkward on purpose
}

// Provider is the running service.
type Provider struct {
	config    Config
	now       func() time.Time
	queue     *jobs.Queue
	sandbox   Sandbox // nil in production
	invented  Sources // of the sandbox environment; none in production
	keys      *auth.Keys
	gate      *auth.Gate
	customers *customers.Service
	reports   *reports.Service
	events    *webhooks.Service
	documents *documents.Service
	visits    *visits.Service
	redirects *redirects.Service
	invites   *invites.Service
	submits   *submissions.Service
	accounts  *bankaccounts.Service
	sharing   *sharing.Service
	desk      *dashboard.Service
	docs      *httpx.Constant // nil without a contract

	seed Seed // set by Seed, before the first request
	stop context.CancelFunc
	idle sync.WaitGroup
}

// New wires a provider. It makes the signing keys of the first start.
func New(ctx context.Context, c Config) (*Provider, error) {
	if !c.Environment.Valid() {
		return nil, fmt.Errorf("provider: unknown environment %q", c.Environment)
	}
	p := &Provider{config: c, now: c.Now, stop: func() {}}
	only := contract.Production
	if (c.Environment == contract.Sandbox) != (c.Sandbox != nil) {
		return nil, fmt.Errorf("provider: a test bench belongs to a sandbox, and to nothing else")
	}
	if c.Sandbox != nil {
		made, err := c.Sandbox(ctx, SandboxConfig{DB: c.DB, Log: c.Log, Now: c.Now, Awkward: c.Awkward})
		if err != nil {
			return nil, fmt.Errorf("provider: sandbox: %w", err)
		}
		p.sandbox, p.now, only = made, made.Now, ""
	}
	registry := jobs.NewRegistry()
	queue, err := jobs.NewQueue(ctx, c.DB, registry, c.Log, p.now)
	if err != nil {
		return nil, fmt.Errorf("provider: %w", err)
	}
	queue.Elsewhere = c.JobsElsewhere
	p.queue = queue
	watch(c, queue)
	p.keys = &auth.Keys{DB: c.DB, Now: p.now, TimeOfDay: c.Now}
	if err := p.keys.Ensure(ctx); err != nil {
		return nil, fmt.Errorf("provider: %w", err)
	}
	p.customers = &customers.Service{DB: c.DB, Log: c.Log, Now: p.now, Prefill: p.checkPrefill,
		CheckCompleteURL: redirects.CheckCompleteURL}
	p.gate = &auth.Gate{DB: c.DB, Directory: p.customers, Keys: p.keys, Log: c.Log, Now: p.now, Default: c.Environment, Only: only}
	p.customers.Gate = p.gate
	p.documents = &documents.Service{DB: c.DB, Now: p.now}
	p.reports = &reports.Service{DB: c.DB, Queue: queue, Gate: p.gate, Log: c.Log, Now: p.now, Customers: p.customers, Documents: p.documents,
		Sources:  func(env contract.Environment) reports.Sources { return p.sources(env).Reports },
		OnChange: p.statusChanged, Watch: c.Telemetry.ReportMade}
	// The time that is signed is the time of day: the receiver's clock does not move.
	sender := webhook.NewSender(c.AllowLoopbackCallbacks && c.Environment == contract.Sandbox, c.Now)
	sender.Watch = c.Telemetry.Delivered
	p.events = &webhooks.Service{DB: c.DB, Queue: queue, Log: c.Log, Now: p.now, Sender: sender, Reports: p.reports, Customers: p.customers}
	if p.sandbox != nil {
		p.events.Sender = p.sandbox.Sender(sender)
	}
	p.sharing = &sharing.Service{DB: c.DB, Log: c.Log, Now: p.now, Gate: p.gate, Customers: p.customers, Reports: p.reports, Events: p.events}
	p.reports.Shared, p.events.Shared = p.sharing, p.sharing.Shared
	exempt := httpx.ExemptLoopback(c.Environment, c.URL, c.BehindProxy)
	p.visits = &visits.Service{DB: c.DB, Queue: queue, Log: c.Log, Now: p.now, Assets: c.Assets, Gate: p.gate,
		Customers: p.customers, Reports: p.reports, Documents: p.documents,
		Catalogues: func(env contract.Environment) visits.Catalogue { return p.sources(env).Visits },
		Secure:     strings.HasPrefix(c.URL, "https:"),
		ByAddress:  &httpx.Limit{PerMinute: c.WidgetRate, BehindProxy: c.BehindProxy, ExemptLoopback: exempt, Now: c.Now},
		ByAccount:  &httpx.Limit{PerMinute: c.WidgetAccountRate, BehindProxy: c.BehindProxy, ExemptLoopback: exempt, Now: c.Now}, Files: c.WidgetFiles}
	p.reports.Made, p.customers.Withdrawn = p.visits.Made, p.visits.Withdrawn
	p.redirects = &redirects.Service{DB: c.DB, Log: c.Log, Now: p.now, URL: c.URL, Gate: p.gate, Keys: p.keys,
		Customers: p.customers, Visits: p.visits}
	p.invites = &invites.Service{DB: c.DB, Queue: queue, Log: c.Log, Now: p.now, URL: c.URL, Gate: p.gate,
		Customers: p.customers, Reports: p.reports, Visits: p.visits, Mail: c.Mail}
	p.visits.Returns, p.visits.Invited = p.redirects, p.invites.Visit
	p.accounts = &bankaccounts.Service{DB: c.DB, Log: c.Log, Now: p.now, Gate: p.gate, Customers: p.customers, Reports: p.reports,
		Banks: func(env contract.Environment) []bankaccounts.Bank { return p.sources(env).Banks }}
	if err := p.accounts.Open(ctx); err != nil {
		return nil, fmt.Errorf("provider: %w", err)
	}
	p.reports.Connect = p.accounts.Connect
	if p.sandbox != nil {
		p.invented = p.sandbox.Sources(p.services())
	}
	p.submits = &submissions.Service{DB: c.DB, Log: c.Log, Now: p.now, Gate: p.gate, Customers: p.customers, Reports: p.reports,
		Sandbox: p.invented.Submissions}
	if len(c.OpenAPI) > 0 {
		if p.docs, err = docsPage(ctx, c); err != nil {
			return nil, fmt.Errorf("provider: %w", err)
		}
	}
	p.desk = &dashboard.Service{DB: c.DB, Log: c.Log, Now: p.now, Today: c.Now, URL: c.URL, Assets: c.Assets, BehindProxy: c.BehindProxy,
		Customers: p.customers, Reports: p.reports, Webhooks: p.events, Sharing: p.sharing, Visits: p.visits, Redirects: p.redirects,
		Invites: p.invites}
	if err := p.desk.Open(ctx); err != nil {
		return nil, fmt.Errorf("provider: %w", err)
	}
	p.reports.Register(registry)
	p.events.Register(registry)
	p.visits.Register(registry)
	p.invites.Register(registry)
	p.registerRetention(registry)
	return p, nil
}

// docsPage is the contract for people.
func docsPage(ctx context.Context, c Config) (*httpx.Constant, error) {
	m, err := apidocs.Read(c.OpenAPI, c.URL)
	if err != nil {
		return nil, err
	}
	return httpx.NewConstant(ctx, ui.ManualPage(m, []string{c.Assets.URL("provider.css"), c.Assets.URL("manual.css")},
		c.Assets.URL("icon.svg"), "/openapi.json"))
}

// checkPrefill holds a consumer's data to the rules of every product: a consumer
// has none yet.
func (p *Provider) checkPrefill(env contract.Environment, raw json.RawMessage) (json.RawMessage, error) {
	today := prefill.DateOf(p.now().UTC().Date())
	return visits.CheckPrefill(prefill.Rules{Environment: env, Today: today}, raw)
}

// Seed names the customers that a sandbox has from its first start. The secrets
// are the caller's to make once and to keep.
type Seed struct {
	PublicID      string
	ClientID      string
	SecretKey     string
	Products      map[contract.Product]string
	WebhookSecret string
	ThirdParty    SeedAccount
	CallbackURL   string // where the customer's events go; empty leaves them as they are
	CompleteURL   string // registered and static; empty leaves them as they are
	ReturnMode    string // "get" or "post"
	Staff         Login  // who signs in to the dashboard first; zero for nobody
}

// Login is what a person signs in with.
type Login struct{ Email, Password string }

// SeedAccount is the third party's account.
type SeedAccount struct {
	PublicID      string
	ClientID      string
	SecretKey     string
	CallbackURL   string // where its events go, as to the control's /inbox; empty leaves them as they are
	WebhookSecret string // signs them
	Staff         Login
}

// Seed adds the generated customers or brings them up to date, but for what their
// staff have changed since. It is called at every start, before the first request.
func (p *Provider) Seed(ctx context.Context, s Seed) error {
	if p.config.Environment != contract.Sandbox {
		return errors.New("provider: customers are generated in a sandbox only")
	}
	p.seed = s
	return p.config.DB.Tx(ctx, p.refill)
}

const (
	portalRole     = "portal"
	thirdPartyRole = "third party"
)

func (p *Provider) refill(ctx context.Context, tx *sql.Tx) error {
	s := p.seed
	if s.PublicID == "" {
		return nil
	}
	err := p.refillOne(ctx, tx, customers.Seed{Role: portalRole, Name: "Vestibule", Environment: p.config.Environment,
		PublicID: s.PublicID, ClientID: s.ClientID, SecretKey: s.SecretKey, Products: s.Products,
		CompleteURL: s.CompleteURL, ReturnMode: s.ReturnMode, Entitled: customers.Entitlements()}, s.CallbackURL, s.WebhookSecret, s.Staff)
	if err == nil {
		err = p.refillOne(ctx, tx, customers.Seed{Role: thirdPartyRole, Name: "Third Party", Environment: p.config.Environment,
			PublicID: s.ThirdParty.PublicID, ClientID: s.ThirdParty.ClientID, SecretKey: s.ThirdParty.SecretKey, ReturnMode: "get",
			Entitled: []customers.Entitlement{customers.RelayTokens, customers.MultiProductTokens, customers.Hierarchy, customers.SecureRedirect}},
			s.ThirdParty.CallbackURL, s.ThirdParty.WebhookSecret, s.ThirdParty.Staff)
	}
	if err != nil {
		return fmt.Errorf("provider: seed: %w", err)
	}
	return nil
}

// refillOne seeds one customer. What its staff have changed on the dashboard stays
// as they left it.
func (p *Provider) refillOne(ctx context.Context, tx *sql.Tx, seed customers.Seed, callback, secret string, staff Login) error {
	known, err := p.customers.Account(ctx, tx, seed.PublicID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil {
		changed, err := p.desk.Changed(ctx, tx, known.CustomerID)
		if err != nil {
			return err
		}
		if changed.Callback {
			callback = ""
		}
		if changed.CompleteURLs {
			seed.CompleteURL = ""
		}
		if changed.People {
			staff = Login{}
		}
		if changed.Return {
			a, err := p.customers.ByID(ctx, tx, known.CustomerID)
			if err != nil {
				return err
			}
			seed.ReturnMode = a.ReturnMode
		}
	}
	id, err := p.customers.Seed(ctx, tx, seed)
	if err == nil && callback != "" {
		err = p.events.Seed(ctx, tx, id, callback, secret)
	}
	if err == nil && staff != (Login{}) {
		err = p.desk.EnsureStaff(ctx, tx, id, staff.Email, staff.Password)
	}
	return err
}

// Handler is the service's listener.
func (p *Provider) Handler() http.Handler {
	mux := http.NewServeMux()
	p.gate.Routes(mux)
	p.customers.Routes(mux)
	p.reports.Routes(mux)
	p.visits.Routes(mux)
	p.redirects.Routes(mux)
	p.invites.Routes(mux)
	p.submits.Routes(mux)
	p.accounts.Routes(mux)
	p.sharing.Routes(mux)
	p.desk.Routes(mux)
	mux.Handle("GET /assets/", p.config.Assets.Handler())
	if p.docs != nil {
		mux.Handle("GET /openapi.json", httpx.API(p.config.Log, p.openAPI))
		mux.Handle("GET /docs", p.docs)
	}
	h := httpx.Shape(p.config.Log, mux, forPeople, p.missing)
	if p.sandbox != nil {
		h = p.sandbox.Wrap(h)
	}
	return httpx.Wrap(p.config.Log, h)
}

// forPeople reports whether people look at the answer to r, rather than programs.
func forPeople(r *http.Request) bool {
	for _, prefix := range []string{"/visit/", "/redirect/", "/invite/", "/widget/v1/frame", "/widget/v1/problems/", "/dashboard"} {
		if strings.HasPrefix(r.URL.Path, prefix) {
			return true
		}
	}
	return r.URL.Path == "/docs"
}

// missing answers people at an address that is none, or by a method it does not take.
func (p *Provider) missing(w http.ResponseWriter, r *http.Request, status int) {
	if strings.HasPrefix(r.URL.Path, "/dashboard") {
		p.desk.Missing(w, r, status)
		return
	}
	p.visits.Missing(w, r, status)
}

func (p *Provider) openAPI(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Write(p.config.OpenAPI)
	return nil
}

// Control is the sandbox's control listener; in production there is nothing at
// any address of it.
func (p *Provider) Control() http.Handler {
	if p.sandbox == nil {
		return httpx.Wrap(p.config.Log, httpx.API(p.config.Log, func(http.ResponseWriter, *http.Request) error {
			return httpx.Fail(contract.CodeNotFound, errors.New("production has no sandbox control"))
		}))
	}
	return p.sandbox.Control(p.services(), ControlHooks{First: p.seed.PublicID, Receive: p.receive, Moved: p.moved, Refill: p.refill})
}

// receive reads a webhook as the generated third party does.
func (p *Provider) receive(r *http.Request) (webhook.Event, error) {
	in := webhook.Receiver{Now: p.config.Now}
	if secret, err := webhook.ParseSecret(p.seed.ThirdParty.WebhookSecret); err == nil {
		in.Secrets = []webhook.Secret{secret}
	}
	return in.Receive(r)
}

// moved does what time itself would have done: jobs come due, keys grow old,
// visits expire, and what reports hold is deleted.
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

// Start begins the background work, until Stop.
func (p *Provider) Start(ctx context.Context) error {
	if err := p.queue.Start(ctx); err != nil {
		return fmt.Errorf("provider: %w", err)
	}
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	p.idle.Go(func() { p.tend(ctx) })
	if p.sandbox != nil {
		p.idle.Go(func() { p.sandbox.Follow(ctx) })
	}
	return nil
}

// tend has the keys seen to and what is too old deleted, at once and every hour.
func (p *Provider) tend(ctx context.Context) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		if err := p.keys.Ensure(ctx); err != nil && ctx.Err() == nil {
			p.config.Log.Error("keys not tended", "why", err.Error())
		}
		err := p.config.DB.Tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
			return p.queue.Enqueue(ctx, tx, retain{}, jobs.Once("retain"))
		})
		if err != nil && ctx.Err() == nil {
			p.config.Log.Error("retention not begun", "why", err.Error())
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Stop takes no new work and waits for what runs, as long as ctx allows.
func (p *Provider) Stop(ctx context.Context) error {
	p.stop()
	p.idle.Wait()
	return p.queue.Stop(ctx)
}

// Ready reports why the service cannot serve and do its work, or nil.
func (p *Provider) Ready(ctx context.Context) error {
	return errors.Join(p.config.DB.Ping(ctx), p.queue.Running())
}

// watch has the database and the jobs observed.
func watch(c Config, queue *jobs.Queue) {
	if c.Telemetry == nil {
		return
	}
	queue.Watch(c.Telemetry)
	c.Telemetry.Database(c.DB.SQL, c.DB.Commits())
	c.Telemetry.Queue(queue.Waiting)
}
