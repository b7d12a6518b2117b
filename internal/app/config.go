package app

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/mail"
	"vestibule/internal/portal"
	"vestibule/internal/portal/api"
	"vestibule/internal/portal/notify"
	"vestibule/internal/portal/review"
	"vestibule/internal/provider"
	"vestibule/internal/provider/sandbox/fdxbank"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/telemetry"
)

// Config is the whole configuration. Each group is a struct of the package that uses it
// and validates it. Every field is a flag and, in capitals with the prefix VESTIBULE_,
// an environment variable. The table used says which groups a command uses.
type Config struct {
	Listen     Listen               `embed:"" group:"listen"`
	TLS        httpx.TLSConfig      `embed:"" group:"tls"`
	Process    Process              `embed:"" group:"process"`
	Both       Both                 `embed:"" group:"both"`
	Store      store.Config         `embed:"" group:"store"`
	Account    svcapi.Account       `embed:"" group:"account"`
	Pages      portal.Pages         `embed:"" group:"pages"`
	API        api.Config           `embed:"" group:"api"`
	Events     notify.Config        `embed:"" group:"events"`
	Review     review.Config        `embed:"" group:"review"`
	SignIn     review.SignIn        `embed:"" group:"signin"`
	Data       provider.DataSources `embed:"" group:"data"`
	Operator   provider.Operator    `embed:"" group:"operator"`
	Documents  provider.Documents   `embed:"" group:"documents"`
	Limits     provider.Limits      `embed:"" group:"limits"`
	Simulation provider.Simulation  `embed:"" group:"sandbox"`
	Mail       mail.Config          `embed:"" group:"mail"`
	Telemetry  telemetry.Config     `embed:"" group:"telemetry"`
	Log        Log                  `embed:"" group:"log"`
}

// Listen is where the program listens, and the addresses at which others reach it.
type Listen struct {
	PortalAddr   string `default:"localhost:8080" placeholder:"HOST:PORT" help:"Listener of the portal; port 0 picks one."`
	ProviderAddr string `default:"127.0.0.1:8081" placeholder:"HOST:PORT" help:"Listener of the provider, on another site than the portal's."`
	AdminAddr    string `placeholder:"HOST:PORT" help:"Listener of health, metrics and profiles, without authentication. Default: none."`
	OperatorAddr string `placeholder:"HOST:PORT" help:"Listener of the operator's pages. Default: on the provider's, at /operator."`

	PortalURL   string `name:"portal-url" placeholder:"URL" help:"Public base URL of the portal. Default: from its listener."`
	ProviderURL string `name:"provider-url" placeholder:"URL" help:"Public base URL of the provider. Default: from its listener."`
	AdminURL    string `name:"admin-url" placeholder:"URL" help:"Base URL of the admin listener. Default: from its listener."`
	OperatorURL string `name:"operator-url" placeholder:"URL" help:"Base URL of the operator's pages. Default: from --operator-addr."`
}

// Validate checks the form of addresses, and removes trailing slashes of URLs.
func (l *Listen) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, f := range []struct{ flag, addr string }{
		{"--portal-addr", l.PortalAddr}, {"--provider-addr", l.ProviderAddr}, {"--admin-addr", l.AdminAddr}, {"--operator-addr", l.OperatorAddr},
	} {
		if _, ok := httpx.ListenHost(f.addr); !ok && (f.addr != "" || f.flag != "--admin-addr" && f.flag != "--operator-addr") {
			bad("%s %q: must be HOST:PORT", f.flag, f.addr)
		}
	}
	for _, f := range []struct {
		flag string
		url  *string
	}{{"--portal-url", &l.PortalURL}, {"--provider-url", &l.ProviderURL}, {"--admin-url", &l.AdminURL},
		{"--operator-url", &l.OperatorURL}} {
		*f.url = strings.TrimRight(*f.url, "/")
		if *f.url != "" && !httpx.IsBaseURL(*f.url) {
			bad("%s %q: must be an absolute http or https URL without user, query or fragment", f.flag, *f.url)
		}
	}
	if u, err := url.Parse(l.PortalURL); err == nil && u.Path != "" {
		bad("--portal-url %q: must have no path, because the portal is served at the root of its host", l.PortalURL)
	}
	if u, err := url.Parse(l.OperatorURL); err == nil && u.Path != "" {
		bad("--operator-url %q: must have no path, because the pages are at /operator of its host", l.OperatorURL)
	}
	if l.AdminURL != "" && l.AdminAddr == "" {
		bad("--admin-url needs --admin-addr")
	}
	return errors.Join(errs...)
}

// Process is how the program runs.
type Process struct {
	Environment contract.Environment `default:"sandbox" enum:"sandbox,production" help:"Environment: sandbox or production."`

	Workers bool `default:"true" negatable:"" help:"Run background jobs in this process; at least one replica must run them."`

	DrainGrace time.Duration `default:"0s" placeholder:"DURATION" help:"Time after SIGTERM in which requests are still accepted, at most 10m."`

	WebhookNetworks []netip.Prefix `sep:"," placeholder:"CIDR" help:"Private networks that webhooks and events may go to. Default: none."`
}

// Validate checks the configuration.
func (p Process) Validate() error {
	if p.DrainGrace < 0 || p.DrainGrace > 10*time.Minute {
		return fmt.Errorf("--drain-grace %s: must be from 0s to 10m", p.DrainGrace)
	}
	for _, n := range p.WebhookNetworks {
		if !slices.ContainsFunc(httpx.PrivateNetworks, func(in netip.Prefix) bool { return in.Contains(n.Addr()) && n.Bits() >= in.Bits() }) {
			return fmt.Errorf("--webhook-networks %s: must be a part of a private network, such as 10.1.0.0/16", n)
		}
	}
	return nil
}

// Log configures the log on stderr.
type Log struct {
	Format string `name:"log-format" default:"text" enum:"text,json" help:"Format of the log: text or json."`
	Level  string `name:"log-level" default:"info" enum:"debug,info,warn,error" help:"Level of the log: debug, info, warn or error."`
}

func (l Log) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	level.UnmarshalText([]byte(l.Level)) // the parser has checked it
	opts := &slog.HandlerOptions{Level: level}
	if l.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// check refuses a configuration that cannot be served, and says what to change. It
// validates the groups that a command uses, and what concerns several of them.
func (c *Config) check(uses map[string]bool, p parties) error {
	c.Events.OnLoopback, c.Events.Networks = c.Listen.portalOnLoopback(), c.Process.WebhookNetworks
	if c.Listen.ProviderURL == "" && uses["account"] {
		c.Listen.ProviderURL = c.profileURL()
	}
	var errs []error
	groups := reflect.ValueOf(c).Elem()
	for i := range groups.NumField() {
		group, validated := groups.Field(i).Addr().Interface().(interface{ Validate() error })
		if validated && uses[groups.Type().Field(i).Tag.Get("group")] {
			errs = append(errs, group.Validate())
		}
	}
	return errors.Join(append(errs, c.checkListeners(p), c.checkParties(p))...)
}

// checkAsSandbox checks the configuration of --sandbox-settings.
func (c *Config) checkAsSandbox(uses map[string]bool) error {
	if err := c.check(uses, parties{provider: true}); err != nil {
		return errors.New("sandbox: " + strings.ReplaceAll(err.Error(), "\n", "\nsandbox: "))
	}
	return nil
}

// profileURL returns the provider's address in the file of --provider-profile, or "".
func (c *Config) profileURL() string {
	if c.Account.ProfileFile == "" {
		return ""
	}
	profile, err := c.Account.Profile()
	if err != nil { // the account's Validate says so
		return ""
	}
	return profile.URL
}

// checkListeners refuses listeners without TLS that other machines can reach.
func (c *Config) checkListeners(p parties) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	inTheClear := c.TLS.CertFile == "" && !c.TLS.BehindProxy
	for _, l := range []struct {
		name, addr, url string
		runs            bool
	}{{"portal", c.Listen.PortalAddr, c.Listen.PortalURL, p.portal}, {"provider", c.Listen.ProviderAddr, c.Listen.ProviderURL, p.provider},
		{"operator", c.Listen.OperatorAddr, c.Listen.OperatorURL, p.provider && c.Listen.OperatorAddr != ""}} {
		host, ok := httpx.ListenHost(l.addr)
		switch {
		case !l.runs || !ok || httpx.IsLoopback(host):
		case inTheClear:
			bad("--%s-addr %q is reachable from other machines, so names, bank data and credentials would be sent unencrypted: "+
				"give --tls-cert and --tls-key, or --behind-proxy if a proxy ends TLS", l.name, l.addr)
		case l.url == "" && (c.TLS.BehindProxy || host == "" || net.ParseIP(host).IsUnspecified()):
			bad("--%s-url is required with --%s-addr %q, which does not say the address that browsers use", l.name, l.name, l.addr)
		}
	}
	if p.provider && c.Listen.OperatorURL != "" && c.Listen.OperatorAddr == "" { // commands print links only
		bad("--operator-url needs --operator-addr")
	}
	if host, ok := httpx.ListenHost(c.Listen.AdminAddr); ok && (p.portal || p.provider) && !httpx.IsLoopback(host) && inTheClear {
		bad("--admin-addr %q is reachable from other machines, so metrics would be sent unencrypted: "+
			"give --tls-cert and --tls-key, or --behind-proxy if a proxy ends TLS, or listen on loopback", c.Listen.AdminAddr)
	}
	return errors.Join(errs...)
}

// checkParties refuses combinations of flags that the parties do not support.
func (c *Config) checkParties(p parties) error {
	var errs []error
	refuse := func(wrong bool, text string) {
		if wrong {
			errs = append(errs, errors.New(text))
		}
	}
	production, both, a := c.Process.Environment == contract.Production, p.portal && p.provider, c.Account
	if p.provider { // also what its files name, before a database is made
		refuse(production && c.Simulation.ControlAddr != "", "--sandbox-control-addr: only a sandbox provider has sandbox controls")
		refuse(production && c.Simulation.BankAddr != "", "--sandbox-bank-addr: only a sandbox provider has mock banks")
		refuse(production && c.Simulation.Faults != 0, "--sandbox-faults: only a sandbox provider injects faults")
		_, err := c.Data.Connectors(time.Now, slog.New(slog.DiscardHandler))
		errs = append(errs, err)
		if _, err := fdxbank.LoadClients(c.Simulation.BankClients); err != nil {
			errs = append(errs, fmt.Errorf("--sandbox-bank-clients: %w", err))
		}
	}
	refuse((p.portal || p.provider) && !c.Process.Workers && c.Store.URL == "",
		"--no-workers: no other process can run the jobs of a database in a file; give --database-url, and run workers in another replica")
	if p.portal && !p.provider {
		const required = " is required when the portal runs without the embedded provider"
		refuse(c.Listen.ProviderURL == "", "--provider-url"+required)
		refuse(a.PublicID == "", "--public-id"+required)
		refuse(a.ClientID == "", "--client-id"+required)
		refuse(a.SecretKey == "", "--secret-key"+required)
		refuse(len(a.Products) == 0, "--products"+required)
		refuse(len(a.WebhookSecrets) == 0, "--webhook-secret"+required)
	}
	refuse(both && production, "--environment production: the command serve works only in a sandbox; "+
		"run the commands portal and provider separately")
	refuse(both && a.ProfileFile != "", "--provider-profile describes another provider; run the command portal with it")
	refuse(both && (a.PublicID != "" || a.ClientID != "" || a.SecretKey != "" || len(a.Products) > 0),
		"--public-id, --client-id, --secret-key and --products name an account at another provider; run the command portal with them. "+
			"If the variables of `vestibule credentials` of another data folder set them: "+
			"unset VESTIBULE_PUBLIC_ID VESTIBULE_CLIENT_ID VESTIBULE_SECRET_KEY VESTIBULE_PRODUCTS VESTIBULE_WEBHOOK_SECRET")
	return errors.Join(errs...)
}

// portalOnLoopback reports whether only this machine reaches the portal's listener, so
// that its events may stay on this machine too.
func (l *Listen) portalOnLoopback() bool {
	host, _ := httpx.ListenHost(l.PortalAddr)
	return httpx.IsLoopback(host)
}

// adminLocal reports whether only this machine reaches the admin listener.
func (l *Listen) adminLocal() bool {
	host, ok := httpx.ListenHost(l.AdminAddr)
	return ok && httpx.IsLoopback(host)
}

// local reports whether only this machine uses the provider at address: it listens on
// loopback, its address says so, and no proxy forwards requests of others.
func (c *Config) local(address string) bool {
	host, _ := httpx.ListenHost(c.Listen.ProviderAddr)
	u, err := url.Parse(address)
	return err == nil && httpx.IsLoopback(host) && httpx.IsLoopback(u.Hostname()) && !c.TLS.BehindProxy
}

// addressOf returns the base URL of a listener that has no public one.
func (c *Config) addressOf(public, addr string) string {
	if public != "" {
		return public
	}
	if c.TLS.CertFile != "" {
		return "https://" + addr
	}
	return "http://" + addr
}
