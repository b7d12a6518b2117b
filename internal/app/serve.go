package app

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"vestibule/docs"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal"
	"vestibule/internal/portal/branding"
	"vestibule/internal/provider"
	"vestibule/internal/provider/access"
	"vestibule/internal/provider/sandbox"
	"vestibule/internal/store"
	"vestibule/internal/telemetry"
	"vestibule/internal/webhook"
	"vestibule/web"
)

// drainTime is how long running requests and jobs may take to finish.
const drainTime = 20 * time.Second

// service is one listener with its handler.
type service struct {
	name     string
	listener net.Listener
	url      string
	server   *http.Server
}

// handle sets the handler, with the limits of all listeners.
func (s *service) handle(h http.Handler) {
	s.server.Handler = httpx.LimitPace(httpx.StrictTransport(s.url, h))
}

// party is the interface of portal and provider.
type party interface {
	Handler() http.Handler
	Start(context.Context) error
	Stop(context.Context) error
	Ready(context.Context) error
}

// program holds everything that runs, in the order of its start.
type program struct {
	config   *Config
	log      *slog.Logger
	now      func() time.Time
	stdout   io.Writer
	services []*service
	parties  map[string]party // by store.Portal, store.Provider, sandboxBeside; not read before stage is serving
	stores   []*store.DB
	sandbox  *Config // of the sandbox beside production; nil: none

	telemetry *telemetry.Telemetry
	stage     atomic.Int32 // a stage
}

type (
	serveCommand    struct{}
	portalCommand   struct{}
	providerCommand struct{}
)

func (serveCommand) uses() string    { return portalUses + " " + providerUses }
func (portalCommand) uses() string   { return portalUses }
func (providerCommand) uses() string { return providerUses + " both" }

// Run runs the portal with the embedded provider.
func (serveCommand) Run(ctx context.Context, in *invocation) error {
	in.config.dropGeneratedAccount()
	return in.serve(ctx, parties{portal: true, provider: true})
}

// Run runs the portal alone.
func (portalCommand) Run(ctx context.Context, in *invocation) error {
	return in.serve(ctx, parties{portal: true})
}

// Run runs the provider alone.
func (providerCommand) Run(ctx context.Context, in *invocation) error {
	return in.serve(ctx, parties{provider: true})
}

// serve checks the configuration and runs the parties until ctx ends.
func (in *invocation) serve(ctx context.Context, p parties) error {
	log, err := in.checked(p)
	if err != nil {
		return err
	}
	var sandbox *Config
	if in.sandbox != nil {
		sandbox = in.sandbox.config
	}
	if err := serve(ctx, in.config, sandbox, p, log, in.stdout); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// serve runs the parties until ctx ends or a listener fails, then drains. With sandbox, its provider
// runs beside that of c.
func serve(ctx context.Context, c, sandbox *Config, p parties, log *slog.Logger, stdout io.Writer) (err error) {
	run := &program{config: c, sandbox: sandbox, log: log, now: time.Now, stdout: stdout, parties: map[string]party{}}
	traces := c.Telemetry
	traces.Version, traces.Log = Version(), log
	run.telemetry = telemetry.New(traces)
	defer func() {
		for _, s := range run.services {
			s.server.Close()
			s.listener.Close()
		}
		for _, db := range run.stores {
			err = errors.Join(err, db.Close())
		}
	}()
	log.Info("starting", "version", Version())
	if p.provider && !web.Provider().Ready() || p.portal && !web.Portal().Ready() {
		return web.ErrNotBuilt
	}
	for _, c := range run.configs() {
		c.Store.Now = run.now
	}
	if err := run.loadKeys(); err != nil {
		return err
	}
	if err := run.listen(p); err != nil {
		return err
	}
	for _, c := range run.configs() { // when nothing that a flag names can fail any more
		if err := prepareDir(c.Store.Dir); err != nil {
			return err
		}
	}
	failed := make(chan error, len(run.services))
	run.serveAdmin(failed)
	var made generatedCustomers
	if p.provider {
		if made, err = run.startProviders(ctx, p); err != nil {
			return fmt.Errorf("provider: %w", err)
		}
	}
	if p.portal {
		if err := run.startPortal(ctx, p, made); err != nil {
			return errors.Join(fmt.Errorf("portal: %w", err), run.drain())
		}
	}
	// All addresses at once, when nothing can fail any more: a reader may close after the first line.
	addresses := ""
	for _, s := range run.services {
		if s.name != "admin" {
			go func() { failed <- s.server.Serve(s.listener) }()
		}
		addresses += s.name + " listening url=" + s.url + "\n"
	}
	if sandbox != nil {
		fmt.Fprintf(stdout, "%s listening url=%s\n", sandboxBeside, sandbox.Listen.ProviderURL)
		if c.Both.SubmissionURL != "" {
			fmt.Fprintf(stdout, "submissions listening url=%s\n", c.Both.SubmissionURL)
		}
	}
	run.stage.Store(int32(serving))
	fmt.Fprint(stdout, addresses+"ready\n"+run.startPages())
	notifyReady()
	released := time.AfterFunc(time.Second, releaseStartMemory) // when the first jobs have run
	defer released.Stop()
	select {
	case <-ctx.Done():
		run.stage.Store(int32(draining))
		log.Info("draining", "grace", c.Process.DrainGrace)
		select {
		case <-time.After(c.Process.DrainGrace): // balancers learn of it meanwhile
		case err = <-failed:
		}
		return errors.Join(err, run.drain())
	case err := <-failed:
		run.stage.Store(int32(draining))
		return errors.Join(err, run.drain())
	}
}

// notifyReady tells systemd that the program serves, if it was started by a unit with Type=notify (sd_notify(3)).
func notifyReady() {
	if c, err := net.Dial("unixgram", os.Getenv("NOTIFY_SOCKET")); err == nil {
		_, _ = c.Write([]byte("READY=1"))
		c.Close()
	}
}

// startPages lists the pages to open first, one on each line.
func (p *program) startPages() string {
	var b strings.Builder
	line := func(name, url string) { fmt.Fprintf(&b, "%-22s%s\n", name+":", url) }
	sandbox := p.config.Process.Environment == contract.Sandbox
	if s := p.service("portal"); s != nil {
		line("Application", s.url+"/")
		review := s.url + "/review"
		if signIn := p.config.SignIn; !signIn.LocalAccounts {
			review += " (sign in with your account at " + signIn.OIDC.Issuer + ")"
		}
		line("Review dashboard", review)
		if sandbox {
			line("Playground", s.url+"/developers")
		}
	}
	if s := p.service("provider"); s != nil {
		line("Provider's dashboard", s.url+"/dashboard")
	}
	dir := p.config.Store.Dir
	if p.sandbox != nil {
		line("Sandbox's dashboard", p.sandbox.Listen.ProviderURL+"/dashboard")
		dir = p.sandbox.Store.Dir
	}
	made, err := readCredentials(dir)
	of := ""
	if !p.config.SignIn.LocalAccounts {
		of = " of the provider's dashboard"
	}
	if err == nil && (of == "" || made.Dashboard != nil) {
		line("Sign-in", "`vestibule credentials --data-dir "+dir+"` prints the email addresses and passwords"+of)
	}
	return b.String()
}

// listen opens all listeners first, so that their addresses are known and a port in use is
// an error before anything else starts.
func (p *program) listen(which parties) error {
	c := p.config
	simulation := &c.Simulation
	if p.sandbox != nil {
		simulation = &p.sandbox.Simulation
	}
	secure, err := c.TLS.Server()
	if err != nil {
		return fmt.Errorf("--tls-cert, --tls-key: %w", err)
	}
	for _, l := range []struct {
		name, flag, addr, url string
		wanted                bool
	}{
		{"provider", "--provider-addr", c.Listen.ProviderAddr, c.Listen.ProviderURL, which.provider},
		{"portal", "--portal-addr", c.Listen.PortalAddr, c.Listen.PortalURL, which.portal},
		{"sandbox", "--sandbox-control-addr", simulation.ControlAddr, "", which.provider && simulation.ControlAddr != ""},
		{"banks", "--sandbox-bank-addr", simulation.BankAddr, simulation.BankURL, which.provider && simulation.BankAddr != ""},
		{"operator", "--operator-addr", c.Listen.OperatorAddr, c.Listen.OperatorURL, which.provider && c.Listen.OperatorAddr != ""},
		{"admin", "--admin-addr", c.Listen.AdminAddr, c.Listen.AdminURL, c.Listen.AdminAddr != ""},
	} {
		if !l.wanted {
			continue
		}
		listener, err := net.Listen("tcp", l.addr)
		if err != nil {
			return fmt.Errorf("%s %s: %w", l.flag, l.addr, listenError(err))
		}
		s := &service{name: l.name, listener: listener, url: l.url, server: httpx.NewServer(p.log)}
		scheme := "http"
		if secure != nil && (l.name == "portal" || l.name == "provider" || l.name == "operator" || l.name == "admin" && !c.Listen.adminLocal()) {
			s.listener, scheme = tls.NewListener(listener, secure), "https"
		}
		if s.url == "" {
			// The host as it was written: localhost and 127.0.0.1 are two sites.
			host, _, _ := net.SplitHostPort(l.addr)
			_, port, _ := net.SplitHostPort(listener.Addr().String())
			host = cmp.Or(host, "localhost")
			s.url = scheme + "://" + net.JoinHostPort(host, port)
		}
		p.services = append(p.services, s)
		p.warnOfTunnel(s, l.addr)
	}
	return nil
}

// listenError says why net.Listen failed, without the address.
func listenError(err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return errors.New("another program listens there: stop it, or choose another port")
	}
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		return op.Err
	}
	return err
}

// warnOfTunnel warns if requests can arrive only through a proxy or a tunnel on this
// machine, and --behind-proxy is not set.
func (p *program) warnOfTunnel(s *service, addr string) {
	host, _ := httpx.ListenHost(addr)
	if u, err := url.Parse(s.url); err == nil && (s.name == "portal" || s.name == "provider") && !p.config.TLS.BehindProxy &&
		httpx.IsLoopback(host) && !httpx.IsLoopback(u.Hostname()) {
		p.log.Warn("others reach this listener by a proxy only: without --behind-proxy they are one client to every limit",
			"listener", s.name, "url", s.url)
	}
}

func (p *program) service(name string) *service {
	for _, s := range p.services {
		if s.name == name {
			return s
		}
	}
	return nil
}

func (p *program) open(ctx context.Context, c *Config, name string) (*store.DB, error) {
	db, err := store.Open(ctx, c.Store.Of(name))
	if err == nil {
		p.stores = append(p.stores, db)
	}
	return db, err
}

// startProvider starts the provider of an environment and, in the sandbox, creates its generated customers.
// It adds its handlers to those of the provider's and the operator's listener. The name is that of logs and metrics.
func (p *program) startProvider(ctx context.Context, c *Config, name string, which parties,
	public, pages sites) (made generatedCustomers, err error) {
	connectors, err := c.Data.Connectors(p.now, p.log.With("party", name))
	if err != nil {
		return made, err
	}
	db, err := p.open(ctx, c, store.Provider)
	if err != nil && c == p.sandbox {
		err = fmt.Errorf("a database of its own, not production's, is needed, with a key of its own: %w", err)
	}
	if err != nil {
		return made, err
	}
	address := cmp.Or(c.Listen.ProviderURL, p.service("provider").url)
	local := c.local(address)
	observed := p.telemetry.Party(name)
	config := provider.Config{
		Telemetry: observed,
		DB:        db, DisableWorkers: !c.Process.Workers, Log: p.log.With("party", name), Now: p.now, URL: address,
		Environment:            c.Process.Environment,
		BehindProxy:            c.TLS.BehindProxy,
		Operator:               c.Operator,
		Limits:                 c.Limits,
		RequireSecondFactor:    c.SignIn.RequireSecondFactor,
		AllowLoopbackCallbacks: local,
		WebhookNetworks:        c.Process.WebhookNetworks,
		Sandbox:                sandboxOf(c),
		Simulation:             c.Simulation,
		Assets:                 web.Provider(),
		OpenAPI:                docs.Served(docs.OpenAPI, address),
		Connectors:             connectors,
	}
	if config.Mail, err = c.Mail.Sender(); err != nil {
		return made, err
	}
	if engine, reason := c.Documents.Scanner(ctx); engine != nil {
		config.Scanner = engine
	} else {
		config.Log.Info("images of pay stubs are not read", "err", reason.Error())
	}
	banks, control, own := p.service("banks"), p.service("sandbox"), p.service("operator")
	if banks != nil && config.Sandbox != nil {
		config.BankURL = banks.url
	}
	if own != nil {
		config.OperatorURL = cmp.Or(c.Listen.OperatorURL, own.url)
	}
	config.Examine = c.examiner(address)
	s, err := provider.New(ctx, config)
	if err != nil {
		return made, err
	}
	if c.Process.Environment == contract.Sandbox {
		if made, err = p.seedSandbox(ctx, c, db, s, local); err != nil {
			return made, err
		}
		if !which.portal {
			if err := writeCredentials(filepath.Join(c.Store.Dir, sandboxCredentials), made); err != nil {
				return made, err
			}
		}
	}
	public[address] = observed.Handler(s.Handler())
	if banks != nil && config.Sandbox != nil {
		banks.handle(observed.Handler(s.Banks()))
	}
	if control != nil && config.Sandbox != nil {
		control.handle(observed.Handler(s.Control()))
	}
	if own != nil {
		pages[config.OperatorURL] = observed.Handler(s.OperatorHandler())
	}
	if err := s.Start(ctx); err != nil {
		return made, err
	}
	p.parties[name] = s
	return made, nil
}

// seedSandbox adds the generated customers of the sandbox, or finds them. local: webhooks may
// go to this machine.
func (p *program) seedSandbox(ctx context.Context, c *Config, db *store.DB, s *provider.Provider,
	local bool) (made generatedCustomers, err error) {
	if made, err = getOrCreate(ctx, db, "generated-customers", newCustomers); err != nil {
		return made, err
	}
	people, err := getOrCreate(ctx, db, "generated-logins", newLogins)
	if err != nil {
		return made, err
	}
	child, err := getOrCreate(ctx, db, "generated-child", newChild)
	if err != nil {
		return made, err
	}
	made.Dashboard, made.ThirdParty.Dashboard, made.Child = &people.Own, &people.ThirdParty, &child
	seed := provider.Seed{
		PublicID: made.PublicID, ClientID: made.ClientID, SecretKey: made.SecretKey,
		Products: made.Products, WebhookSecret: made.WebhookSecret, ReturnMode: c.Account.ReturnMode,
		ThirdParty: provider.SeedAccount{PublicID: made.ThirdParty.PublicID, ClientID: made.ThirdParty.ClientID,
			SecretKey: made.ThirdParty.SecretKey, WebhookSecret: made.ThirdParty.WebhookSecret, Staff: provider.Login(people.ThirdParty)},
		Child: provider.SeedChild{PublicID: child.PublicID, ClientID: child.ClientID, SecretKey: child.SecretKey, Products: child.Products},
		Staff: provider.Login(people.Own),
	}
	if control := p.service("sandbox"); control != nil && local && made.ThirdParty.WebhookSecret != "" {
		seed.ThirdParty.CallbackURL = control.url + "/inbox"
	}
	if portal := p.service("portal"); portal != nil {
		seed.CallbackURL, seed.CompleteURL = portal.url+"/webhooks/visit", portal.url+"/redirect/return"
	}
	return made, s.Seed(ctx, seed)
}

// sandboxOf returns the constructor of the sandbox; nil in production.
func sandboxOf(c *Config) func(context.Context, provider.SandboxConfig) (provider.Sandbox, error) {
	if c.Process.Environment != contract.Sandbox {
		return nil
	}
	return sandbox.New
}

// startPortal starts the portal for the generated customer of the embedded provider, or
// for the configured account.
func (p *program) startPortal(ctx context.Context, which parties, made generatedCustomers) error {
	db, err := p.open(ctx, p.config, store.Portal)
	if err != nil {
		return err
	}
	c := p.config
	account := c.Account.PublicID
	if which.provider {
		account = made.PublicID
	}
	owner, err := getOrCreate(ctx, db, accountSecret, func() string { return account })
	if err != nil {
		return err
	}
	if owner != account {
		return refusal{fmt.Errorf("this database belongs to the account %q, and the portal is of %q: "+
			"give the portal of each account its own --database-url or --data-dir", owner, account)}
	}
	own, err := getOrCreate(ctx, db, "generated-staff", newStaff)
	if err != nil {
		return err
	}
	if c.API.Key != "" {
		own.PortalAPIKey = c.API.Key
	}
	signers := c.Events.Secrets
	if len(signers) == 0 {
		made, err := getOrCreate(ctx, db, "generated-events-secret", webhook.NewSecret)
		if err != nil {
			return err
		}
		signers = []string{made}
	}
	own.EventsSecret = signers[0]
	here, observed := p.service("portal"), p.telemetry.Party(store.Portal)
	conf, err := p.portalConfig(which, made)
	if err != nil {
		return err
	}
	conf.Telemetry, conf.DB, conf.URL = observed, db, here.url
	conf.API.Key, conf.Events.Secrets = own.PortalAPIKey, signers
	s, err := portal.New(ctx, conf)
	if err != nil {
		return err
	}
	staffed, err := s.Staffed(ctx)
	if err != nil {
		return err
	}
	// The portal alone creates its first reviewer once and writes the password once; the
	// operator deletes the file. The file is written first: a program that is killed
	// between the two would otherwise leave a reviewer with an unknown password.
	if which.provider || !staffed {
		if err := p.publish(which, made, own); err != nil {
			return err
		}
		if err := s.EnsureReviewer(ctx, own.Reviewer.Email, own.Reviewer.Password); err != nil {
			return err
		}
	}
	here.handle(observed.Handler(s.Handler()))
	here.server.RegisterOnShutdown(s.Drain)
	if err := s.Start(ctx); err != nil {
		return err
	}
	p.parties[store.Portal] = s
	return nil
}

// portalConfig returns what the program's configuration says of the portal, and of the
// provider's account in the same process.
func (p *program) portalConfig(which parties, made generatedCustomers) (conf portal.Config, err error) {
	c := p.config
	conf = portal.Config{
		DisableWorkers: !c.Process.Workers, Log: p.log.With("party", "portal"), Now: p.now, Assets: web.Portal(),
		Environment: c.Process.Environment, ProviderURL: c.Listen.ProviderURL, BehindProxy: c.TLS.BehindProxy,
		Account: c.Account, Pages: c.Pages, API: c.API, Events: c.Events, Review: c.Review, SignIn: c.SignIn,
	}
	if conf.Mail, err = c.Mail.Sender(); err != nil {
		return conf, err
	}
	if conf.Brand, err = branding.Load(c.Pages.BrandFile); err != nil {
		return conf, fmt.Errorf("--brand-file: %w", err)
	}
	if which.provider {
		conf.ProviderURL = p.service("provider").url
		a := &conf.Account
		a.PublicID, a.ClientID, a.SecretKey, a.Products = made.PublicID, made.ClientID, made.SecretKey, made.Products
		// Besides the generated secret, those that it was rotated to.
		a.WebhookSecrets = append([]string{made.WebhookSecret}, a.WebhookSecrets...)
	}
	if which.provider && conf.Pages.ServiceAccessURL == "" {
		conf.Pages.ServiceAccessURL = conf.ProviderURL + access.Path
	}
	return conf, nil
}

// publish writes the generated credentials to the data folder. A portal without the
// embedded provider leaves out those that the operator configured.
func (p *program) publish(which parties, made generatedCustomers, own staff) error {
	if !which.provider {
		if p.config.API.Key != "" {
			own.PortalAPIKey = ""
		}
		if len(p.config.Events.Secrets) > 0 {
			own.EventsSecret = ""
		}
		return writeCredentials(filepath.Join(p.config.Store.Dir, portalCredentials), own)
	}
	return writeCredentials(filepath.Join(p.config.Store.Dir, sandboxCredentials), credentials{made, own})
}

// drain waits for running requests and jobs, first of the portal, which calls the
// provider.
func (p *program) drain() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	var errs []error
	for i := len(p.services) - 1; i >= 0; i-- {
		s := p.services[i]
		if s.name != "sandbox" && s.name != "banks" {
			continue
		}
		errs = append(errs, s.server.Close())
	}
	for _, name := range []string{store.Portal, store.Provider, sandboxBeside} {
		if s := p.service(name); s != nil {
			if err := s.server.Shutdown(ctx); err != nil {
				errs = append(errs, fmt.Errorf("%s: drain: %w", name, err), s.server.Close())
			}
		}
		// The portal's jobs that run still need the provider's listener.
		if party := p.parties[name]; party != nil {
			errs = append(errs, party.Stop(ctx))
		}
	}
	if err := p.telemetry.Close(ctx); err != nil {
		p.log.Warn("traces not sent", "err", err.Error())
	}
	return errors.Join(errs...)
}
