// Package portal is the customer's application: it takes an applicant from an
// empty form to a report in a reviewer's hands. Here its rooms are wired to each
// other, and all requests pass: the one place that knows which room is whose
// neighbour.
//
// It meets the provider over HTTP only, by internal/svcapi. It refuses requests
// for other hosts than its own, and unsafe requests that another site's page
// sends with our cookies: all but the return of a secure redirect by form POST,
// which is another site's by nature and looks at no cookie.
package portal

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"vestibule/docs"
	"vestibule/internal/apidocs"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jobs"
	"vestibule/internal/jose"
	"vestibule/internal/mail"
	"vestibule/internal/portal/api"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/branding"
	"vestibule/internal/portal/connect"
	"vestibule/internal/portal/developers"
	"vestibule/internal/portal/embedkit"
	"vestibule/internal/portal/notify"
	"vestibule/internal/portal/resume"
	"vestibule/internal/portal/review"
	"vestibule/internal/prefill"
	"vestibule/internal/redirect"
	"vestibule/internal/session"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/telemetry"
	"vestibule/internal/webhook"
	"vestibule/templates/ui"
	"vestibule/web"
)

// Config is what a portal is made of. All fields are required unless they say
// otherwise.
type Config struct {
	DB     *store.DB // of the party store.Portal
	Log    *slog.Logger
	Now    func() time.Time
	Assets *web.Assets

	URL         string               // our public address, without a slash at the end
	ProviderURL string               // the service's
	Issuer      string               // iss of its signed results, where they have one; "": ProviderURL
	Environment contract.Environment // of the account

	PublicID  string // the account
	ClientID  string
	SecretKey string
	Products  map[contract.Product]string // what the account has: kind → productId

	// AssetsOnly says that the account's eligibility product verifies assets only, so
	// that its applicants are asked for no employers.
	AssetsOnly bool

	WebhookSecrets  []string // whsec_…; none: every webhook is refused
	WidgetScriptURL string
	WidgetGlobal    string // "" is SvcWidget
	ReturnMode      string // get or post: how outcome tokens come back; "" is get
	APIKey          string // of the portal's API

	RetentionDays int          // after which an application to which nothing happens is deleted; 0 is never
	ReportAgency  string       // who makes the reports, as letters name it; "" is the service's host
	Creditor      string       // name and address of who decides, as letters name them; "" is none
	Regulator     string       // the federal agency that letters after a decline name; "" is none
	OIDC          *review.OIDC // by whose accounts the desk's people may sign in, too; nil is none
	NoPasswords   bool         // has them sign in there only

	DecisionEmails []string // decisions that applicants get an email of; nil: all that they are told
	DecisionPages  []string // decisions that their pages tell; nil: the same

	Brand *branding.Brand // whose pages they are; nil is Vestibule's own
	Mail  *mail.Sender    // sends letters to applicants; nil: in the sandbox they wait in an outbox, else none are offered

	APIRate     int  // requests a second that the API's key may make in this process; 0 is 50
	ApplyRate   int  // applications a minute that one address may begin on the form; 0 is no limit
	BehindProxy bool // who asks is who a proxy says it is

	JobsElsewhere bool             // jobs are left to other processes with this database
	Telemetry     *telemetry.Party // observes what the portal does; nil: nobody

	EventsURL     string   // the onboarding app's, where events go; "" is nowhere
	EventsSecrets []string // whsec_…, all of which sign events; one at least if there is an EventsURL
	EventsInside  bool     // EventsURL may be on this machine, and http there
}

// Portal is the party.
type Portal struct {
	db       *store.DB
	log      *slog.Logger
	queue    *jobs.Queue
	rooms    rooms
	assets   *web.Assets
	handler  http.Handler
	stop     context.CancelFunc
	sweeping sync.WaitGroup
}

// rooms are the rooms of one portal.
type rooms struct {
	sessions     *session.Sessions
	applications *applications.Site
	connect      *connect.Handler
	companion    *redirect.Companion
	review       *review.Desk
	kit          *embedkit.Kit
	api          *api.API
	notify       *notify.Service
	resume       *resume.Desk
	developers   *developers.Handler // nil but in the sandbox
}

// New wires a portal. It answers requests at once; its jobs run from Start on.
func New(ctx context.Context, c Config) (*Portal, error) {
	public, err := url.Parse(c.URL)
	if err != nil || public.Host == "" {
		return nil, fmt.Errorf("portal: %q is no public address", c.URL)
	}
	if c.WidgetGlobal == "" {
		c.WidgetGlobal = "SvcWidget"
	}
	origins, err := originsOf(c.ProviderURL, c.WidgetScriptURL)
	if err != nil {
		return nil, err
	}
	receiver := &webhook.Receiver{Now: time.Now}
	if receiver.Secrets, err = secrets(c.WebhookSecrets); err != nil {
		return nil, err
	}
	// Lax, for the service leads back here; its POST arrives without the cookie,
	// which the return by form POST reckons with.
	sessions, err := session.New(ctx, c.DB, c.Now, session.Settings{Name: "vestibule", Secure: public.Scheme == "https", SameSite: http.SameSiteLaxMode})
	if err != nil {
		return nil, fmt.Errorf("portal: sessions: %w", err)
	}
	spec, err := docs.PortalOpenAPI()
	if err != nil {
		return nil, err
	}
	p := &Portal{db: c.DB, log: c.Log, assets: c.Assets}
	if c.Brand == nil {
		c.Brand = &branding.Brand{}
	}
	looks := looks{assets: c.Assets, secure: public.Scheme == "https", sandbox: c.Environment == contract.Sandbox, brand: c.Brand, assetsOnly: c.AssetsOnly, log: c.Log}
	client := &svcapi.Client{BaseURL: c.ProviderURL, ClientID: c.ClientID, SecretKey: c.SecretKey,
		Environment: c.Environment, Now: c.Now, Log: c.Log, Watch: c.Telemetry.Call}

	service := &applications.Service{DB: c.DB, Provider: client, Products: c.Products, AssetsOnly: c.AssetsOnly, Environment: c.Environment,
		Now: c.Now, Log: c.Log, FormTargets: origins}
	sender := webhook.NewSender(c.EventsInside, nil)
	sender.Watch = c.Telemetry.Delivered
	p.rooms.notify = &notify.Service{DB: c.DB, Sender: sender, Applications: service, Environment: c.Environment, URL: c.EventsURL, Now: c.Now, Log: c.Log}
	if p.rooms.notify.Secrets, err = secrets(c.EventsSecrets); err != nil {
		return nil, err
	}
	if c.EventsURL != "" {
		if err := sender.CheckURL(c.EventsURL); err != nil {
			return nil, fmt.Errorf("portal: the address of events: %w", err)
		}
		if len(c.EventsSecrets) == 0 {
			return nil, errors.New("portal: there is an address of events and no secret to sign them")
		}
	}
	service.Tell = append(service.Tell, p.rooms.notify.Record)
	p.rooms.resume = &resume.Desk{DB: c.DB, Sessions: sessions, URL: c.URL, Brand: c.Brand.Page.Name, Environment: c.Environment, BehindProxy: c.BehindProxy, Now: c.Now, Log: c.Log,
		Base: looks.base, StatusURL: applications.StatusURL, StreamURL: applications.StreamURL}
	if c.Mail != nil {
		p.rooms.resume.Mail = c.Mail
	}
	if err := p.rooms.resume.Open(ctx); err != nil {
		return nil, fmt.Errorf("portal: %w", err)
	}
	service.Learned = append(service.Learned, func(ctx context.Context, tx *sql.Tx, a applications.Application, f prefill.Fields) error {
		return p.rooms.resume.Learn(ctx, tx, a.ID, f.Email)
	})
	looks.letters = p.rooms.resume.Letters()
	p.rooms.resume.Adapt = looks.adapt
	registry := jobs.NewRegistry()
	service.Register(registry)
	p.rooms.resume.Register(registry)
	p.rooms.notify.Register(registry)
	if p.queue, err = jobs.NewQueue(ctx, c.DB, registry, c.Log, c.Now); err != nil {
		return nil, err
	}
	p.queue.Elsewhere = c.JobsElsewhere
	if c.Telemetry != nil {
		p.queue.Watch(c.Telemetry)
		c.Telemetry.Database(c.DB.SQL, c.DB.Commits())
		c.Telemetry.Queue(p.queue.Waiting)
	}
	service.Queue, p.rooms.notify.Queue, p.rooms.resume.Queue = p.queue, p.queue, p.queue

	p.rooms.sessions = sessions
	p.rooms.kit = &embedkit.Kit{DB: c.DB, Now: c.Now, Base: looks.base, Adapt: looks.adapt, Assets: c.Assets}
	p.rooms.api = &api.API{DB: c.DB, Applications: service, Events: p.rooms.notify, Kit: p.rooms.kit, Key: c.APIKey, Rate: c.APIRate, URL: c.URL,
		Now: c.Now, Log: c.Log, Spec: spec}
	p.rooms.applications = &applications.Site{Service: service, Sessions: sessions, Webhooks: receiver, PublicID: c.PublicID,
		Limit:  &httpx.Limit{PerMinute: c.ApplyRate, BehindProxy: c.BehindProxy, ExemptLoopback: httpx.ExemptLoopback(c.Environment, c.URL, c.BehindProxy), Now: c.Now},
		Secure: looks.secure, Letters: looks.letters, Base: looks.base, Adapt: looks.adapt, Grant: p.rooms.kit.Grant, Redeem: p.rooms.kit.Redeem}
	p.rooms.resume.Applications = forInvites{p.rooms.applications}
	p.rooms.companion = &redirect.Companion{DB: c.DB, Service: client, Browsers: browsers{sessions}, Pages: looks, Log: c.Log,
		Tokens:      redirect.NewVerifier(&jose.RemoteKeySet{URL: c.ProviderURL + "/connect/jwkset", Now: c.Now, Log: c.Log, Watch: c.Telemetry.KeysFetched}, nil, c.Now),
		Refused:     c.Telemetry.ReturnRefused,
		CompleteURL: redirect.CompleteURL(c.URL, c.ReturnMode == "post"), Audience: c.PublicID, Issuer: cmp.Or(c.Issuer, c.ProviderURL), Now: c.Now,
		Started: service.Redirected, Landed: service.Landed, Next: func(a redirect.Attempt) string { return applications.StatusURL(a.Application) }}
	p.rooms.connect = &connect.Handler{Site: p.rooms.applications, Service: client, Redirects: p.rooms.companion,
		ScriptURL: c.WidgetScriptURL, Global: c.WidgetGlobal, Origins: origins, Now: c.Now, Log: c.Log}
	p.rooms.review = &review.Desk{DB: c.DB, Sessions: sessions, Service: client, URL: c.URL, Agency: c.ReportAgency, Host: hostOf(c.ProviderURL), Regulator: c.Regulator, Creditor: c.Creditor, Brand: c.Brand.Page.Name, Emails: c.DecisionEmails, Letters: decisionLetters{p.rooms.resume}, Queue: p.queue,
		RetentionDays: c.RetentionDays, OIDC: c.OIDC, Starts: &httpx.Limit{PerMinute: signInStarts, BehindProxy: c.BehindProxy, ExemptLoopback: httpx.ExemptLoopback(c.Environment, c.URL, c.BehindProxy), Now: c.Now}, NoPasswords: c.NoPasswords, BehindProxy: c.BehindProxy,
		Now: c.Now, Log: c.Log, Page: looks.page, Adapt: looks.adapt,
		Erase: []func(context.Context, *sql.Tx, string) error{service.Forget, embedkit.Forget, api.Forget, p.rooms.companion.Forget, p.rooms.notify.Forget, resume.Forget, developers.Forget, p.queue.Forget}}
	p.rooms.resume.Settled = p.rooms.review.Settled
	p.rooms.applications.Asked, p.rooms.applications.Told = asked(p.rooms.review), c.DecisionPages
	p.rooms.review.Outbox, p.rooms.resume.Guard = p.rooms.resume.Outbox(), outboxGuard(p.rooms.review)
	Desk(p.rooms.review, service)
	if err := p.rooms.review.Prepare(ctx); err != nil {
		return nil, err
	}
	p.rooms.review.Register(registry)
	if c.Environment == contract.Sandbox {
		p.rooms.developers = &developers.Handler{Site: p.rooms.applications, Kit: p.rooms.kit, Events: p.rooms.notify, URL: c.URL, ProviderURL: c.ProviderURL,
			ScriptURL: c.WidgetScriptURL, Global: c.WidgetGlobal}
		p.rooms.companion.Verified = p.rooms.developers.Verified
	}

	p.handler, err = p.routes(looks, public, c)
	return p, err
}

// routes is the whole surface of the portal.
func (p *Portal) routes(looks looks, public *url.URL, c Config) (http.Handler, error) {
	mux := http.NewServeMux()
	p.rooms.applications.Routes(mux)
	p.rooms.connect.Routes(mux)
	p.rooms.resume.Routes(mux)
	p.rooms.companion.Routes(mux, looks.adapt)
	p.rooms.review.Routes(mux)
	(&notify.Pages{Service: p.rooms.notify, Guard: guard(p.rooms.review), Adapt: looks.adapt}).Routes(mux)
	p.rooms.kit.Routes(mux)
	p.rooms.api.Routes(mux)
	if p.rooms.developers != nil {
		p.rooms.developers.Routes(mux)
	}
	mux.Handle("GET "+web.Prefix, c.Assets.Handler())
	mux.Handle("GET "+branding.Prefix+"{file}", c.Brand)
	mux.Handle("GET /legal/{document}", looks.adapt(looks.legal))
	m, err := apidocs.Read(p.rooms.api.Spec, c.URL)
	if err != nil {
		return nil, err
	}
	reference, err := httpx.NewConstant(context.Background(), ui.ManualPage(m, []string{c.Assets.URL("portal.css"), c.Assets.URL("manual.css")},
		c.Assets.URL("icon.svg"), "/api/v1/openapi.json"))
	if err != nil {
		return nil, err
	}
	mux.Handle("GET /api/v1/docs", reference)

	sameSite := http.NewCrossOriginProtection()
	if err := sameSite.AddTrustedOrigin(public.Scheme + "://" + public.Host); err != nil {
		return nil, fmt.Errorf("portal: %w", err)
	}
	sameSite.AddInsecureBypassPattern("POST /redirect/return")
	sameSite.SetDenyHandler(looks.either(http.StatusForbidden))

	shaped := httpx.Shape(c.Log, mux, looks.isPage, looks.status)
	return httpx.Wrap(c.Log, onlyHost(public, looks.either(http.StatusMisdirectedRequest), looks.remember(sameSite.Handler(shaped)))), nil
}

// signInStarts is how many sign-ins by OpenID Connect one address may begin in a minute,
// in each process.
const signInStarts = 30

// onlyHost refuses requests for another host: behind such an address, a page of
// another site could read ours. On loopback its names are one.
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

// originsOf are the provider's origins: of its pages and of its widget script.
func originsOf(urls ...string) ([]string, error) {
	var out []string
	for _, raw := range urls {
		u, err := url.Parse(raw)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return nil, errors.New("portal: the provider's address or its widget script's is no URL")
		}
		if o := u.Scheme + "://" + u.Host; !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out, nil
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Hostname()
	}
	return address
}

func secrets(written []string) (out []webhook.Secret, err error) {
	for _, s := range written {
		secret, err := webhook.ParseSecret(s)
		if err != nil {
			return nil, err
		}
		out = append(out, secret)
	}
	return out, nil
}

// Handler serves the portal.
func (p *Portal) Handler() http.Handler { return p.handler }

// EnsureReviewer makes the reviewer of the first start, if there is none of that
// address.
func (p *Portal) EnsureReviewer(ctx context.Context, email, password string) error {
	return p.rooms.review.EnsureReviewer(ctx, email, password)
}

// Staffed reports whether the review desk has people.
func (p *Portal) Staffed(ctx context.Context) (bool, error) { return p.rooms.review.Staffed(ctx) }

// sweepEvery is how often what has ended is deleted.
const sweepEvery = time.Hour

// Start begins to run jobs, and takes up what a killed process left.
func (p *Portal) Start(ctx context.Context) error {
	if err := p.rooms.applications.Service.Resume(ctx); err != nil {
		return fmt.Errorf("portal: resume: %w", err)
	}
	if err := p.rooms.review.Resume(ctx); err != nil {
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
		if err := errors.Join(p.rooms.sessions.Sweep(ctx), p.rooms.companion.Sweep(ctx), p.rooms.review.Sweep(ctx), p.rooms.notify.Sweep(ctx), p.rooms.resume.Sweep(ctx)); err != nil && ctx.Err() == nil {
			p.log.WarnContext(ctx, "sweep failed", "why", err.Error())
		}
	}
}

// Drain ends the streams, which would otherwise keep a server from shutting
// down. Their pages find the next process by themselves.
func (p *Portal) Drain() { p.rooms.applications.Service.Close() }

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
	return errors.Join(p.db.Ping(ctx), p.queue.Running())
}
