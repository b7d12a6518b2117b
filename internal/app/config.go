package app

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/mail"
	"vestibule/internal/portal/branding"
	"vestibule/internal/portal/review"
	"vestibule/internal/webhook"
)

// Config is the whole configuration: every field is a flag and, in capitals
// with the prefix VESTIBULE_, an environment variable.
type Config struct {
	PortalAddr         string `default:"localhost:8080" help:"The portal's listener; port 0 picks one." placeholder:"HOST:PORT"`
	ProviderAddr       string `default:"127.0.0.1:8081" help:"The embedded provider's listener. Keep it another site than the portal's: localhost and 127.0.0.1 are two." placeholder:"HOST:PORT"`
	AdminAddr          string `help:"Listener of health and metrics (/healthz, /readyz, /metrics) and, on loopback, of profiles (/debug/pprof/), without authentication; none unless given." placeholder:"HOST:PORT"`
	SandboxControlAddr string `help:"Listener of the sandbox's controls (clock, faults, visits, reset); none unless given, refused in production." placeholder:"HOST:PORT"`
	SandboxAwkward     uint64 `default:"0" help:"Has the embedded provider do what the contract allows and few reckon with, the same for the same number: events twice and out of order, reports that stay PENDING for a poll, access tokens that end soon, unknown members, other orders, slow answers, 429 and 503; 0 is off, refused in production." placeholder:"SEED"`

	DataDir          string `default:"./data" help:"Folder of databases, generated keys and credentials." placeholder:"DIR"`
	DatabaseURL      string `help:"postgres://… puts all state there, with pool_mode=transaction behind a pooler in that mode; default is SQLite in the data folder." placeholder:"URL"`
	Jobs             bool   `default:"true" negatable:"" help:"This process runs background work: reports, webhooks, polls. Of replicas on one PostgreSQL some may leave it to the others."`
	MasterKeyFile    string `help:"File of 32 bytes, as 64 hexadecimal characters, that seals keys and personal data; made in the data folder if not given." placeholder:"FILE"`
	OldMasterKeyFile string `help:"The master key before this one: what it sealed is still read, until keys rotate has sealed it anew." placeholder:"FILE"`

	PortalURL   string `name:"portal-url" help:"The portal's public base URL; default from its listener." placeholder:"URL"`
	ProviderURL string `name:"provider-url" help:"The provider's public base URL; default from its listener. Required by the command portal." placeholder:"URL"`
	AdminURL    string `name:"admin-url" help:"The admin listener's base URL, where others call it by a name; default from its listener. Addresses in place of a name need none." placeholder:"URL"`
	Environment string `default:"sandbox" enum:"sandbox,production" help:"sandbox or production."`

	PublicID      string            `name:"public-id" help:"The portal's account at the provider; default is the generated sandbox customer." placeholder:"ID"`
	ClientID      string            `name:"client-id" help:"The account's clientId." placeholder:"ID"`
	SecretKey     string            `help:"The account's secretKey." placeholder:"SECRET"`
	Products      map[string]string `mapsep:"," help:"The account's products: cashflow=UUID,income=UUID,…" placeholder:"KIND=UUID,…"`
	AssetsOnly    bool              `name:"eligibility-assets-only" help:"The account's eligibility product verifies assets only, as the provider has it configured: applicants are asked for no employers."`
	WebhookSecret []string          `sep:"," help:"Secrets of the provider's webhooks, whsec_…; two while they are rotated." placeholder:"SECRET"`
	Issuer        string            `name:"provider-issuer" help:"The iss of the provider's signed results, where they have one; default is --provider-url." placeholder:"URL"`
	ReturnMode    string            `default:"get" enum:"get,post" help:"How the outcome token of a secure redirect comes back to this account: get or post."`

	WidgetScriptURL string `name:"widget-script-url" help:"The provider's widget script; default is /widget/v1/widget.js at the provider." placeholder:"URL"`
	WidgetGlobal    string `default:"SvcWidget" help:"The script's global object."`
	BrandFile       string `help:"YAML file of the portal's name, logo, colours, legal texts and support contact; Vestibule's own if not given." placeholder:"FILE"`
	PortalAPIKey    string `name:"portal-api-key" help:"Key of the portal's API; generated if not given." placeholder:"KEY"`

	APIRate   int `name:"api-rate" default:"50" help:"How many requests to the portal's API its key may make in a second, in each process." placeholder:"N"`
	ApplyRate int `default:"20" help:"How many applications one address may begin on the portal's form in a minute, in each process; 0 is no limit. In a sandbox whose URL is on loopback, this machine has no limit." placeholder:"N"`

	WidgetRate        int `default:"60" help:"How many visits one address may begin at the provider in a minute without a token of the customer's, in each process; 0 is no limit. In a sandbox whose URL is on loopback, this machine has no limit." placeholder:"N"`
	WidgetAccountRate int `default:"600" help:"How many such visits may be begun for one account, from all addresses together; 0 is no limit." placeholder:"N"`
	WidgetFiles       int `default:"5000" help:"How many megabytes of files such visits of one account may be sent in 24 hours; 0 is no limit." placeholder:"MB"`

	EventsURL    string   `name:"events-url" help:"The onboarding app's address, which is told of every state of an application; nobody is told unless given. https and public; on this machine, also http, if the portal listens there." placeholder:"URL"`
	EventsSecret []string `sep:"," help:"Secrets that sign what it is told, whsec_…; two while they are rotated, the new one first; generated if not given." placeholder:"SECRET"`

	RetentionDays int    `default:"0" help:"After how many days without anything happening to it the portal deletes an application, with all that is known of the applicant; 0 keeps them until somebody deletes them." placeholder:"DAYS"`
	ReportAgency  string `help:"Name, address and telephone number of who makes the reports, as the portal's letters to applicants name it; default is the provider's host." placeholder:"TEXT"`
	Regulator     string `help:"Name and address of the federal agency that holds you to the Equal Credit Opportunity Act, as its notice in letters after a decline must name it; the notice names none unless given." placeholder:"TEXT"`
	Creditor      string `help:"Your name and address as the creditor, as the portal's letters after a decline must give them; without it no decline is sent by email." placeholder:"TEXT"`

	DecisionEmails []string `sep:"," default:"approved,declined,moreAsked" help:"Decisions of reviewers that the portal sends to applicants by email: approved, declined, moreAsked; or none. Leave declined out if you send those letters yourself." placeholder:"KIND"`
	DecisionPages  []string `sep:"," default:"approved,declined,moreAsked" help:"Decisions that an applicant's status page shows: the same words." placeholder:"KIND"`

	LocalAccounts    bool              `default:"true" negatable:"" help:"People of the portal's review desk may sign in by a password that is kept here."`
	OIDCIssuer       string            `name:"oidc-issuer" help:"OpenID Connect issuer by whose accounts they may sign in; none unless given. Its address for our client is /review/sign-in/return at the portal." placeholder:"URL"`
	OIDCClientID     string            `name:"oidc-client-id" help:"Our client there." placeholder:"ID"`
	OIDCClientSecret string            `name:"oidc-client-secret" help:"The client's secret." placeholder:"SECRET"`
	OIDCName         string            `name:"oidc-name" help:"What the button calls it; default is the issuer's host." placeholder:"NAME"`
	OIDCDomains      []string          `name:"oidc-domains" sep:"," help:"Domains of e-mail addresses that are let in; default is any." placeholder:"DOMAIN"`
	OIDCScopes       []string          `name:"oidc-scopes" sep:"," default:"email,profile" help:"What is asked for besides openid; some issuers want groups there to tell them." placeholder:"SCOPE"`
	OIDCGroupsClaim  string            `name:"oidc-groups-claim" default:"groups" help:"Claim of the ID token or of UserInfo that lists a person's groups."`
	OIDCVerified     string            `name:"oidc-verified-claim" default:"email_verified" help:"Claim that says that the e-mail address is verified: true or 1. Entra ID has xms_edov."`
	OIDCRoles        map[string]string `name:"oidc-roles" mapsep:"," help:"Roles by group, GROUP=reviewer, administrator or auditor. Without them, only people are let in whom an administrator has added." placeholder:"GROUP=ROLE,…"`

	SMTPAddr     string `name:"smtp-addr" help:"Mail server of the provider's invites and of the portal's links for who comes back; without it invites wait in the dashboard's outbox, and links in the sandbox's at /review/letters." placeholder:"HOST:PORT"`
	SMTPFrom     string `name:"smtp-from" help:"Sender of the letters." placeholder:"ADDRESS"`
	SMTPUsername string `name:"smtp-username" help:"User name at the mail server; none unless given." placeholder:"NAME"`
	SMTPPassword string `name:"smtp-password" help:"Password at the mail server." placeholder:"SECRET"`
	SMTPSecurity string `name:"smtp-security" default:"starttls" enum:"starttls,tls,none" help:"starttls, tls (from the first byte), or none for a mail server on this machine."`

	TLSCert     string `name:"tls-cert" help:"Certificate chain (PEM) of the listeners." placeholder:"FILE"`
	TLSKey      string `name:"tls-key" help:"The certificate's key (PEM)." placeholder:"FILE"`
	BehindProxy bool   `help:"A proxy in front of the listeners ends TLS; they may then listen beyond loopback without it, and who asks is the last address of X-Forwarded-For."`

	DrainGrace   time.Duration     `default:"0s" help:"How long after SIGTERM requests are still taken while /readyz says no already, so that a balancer looks elsewhere first." placeholder:"DURATION"`
	OTLPEndpoint string            `name:"otlp-endpoint" help:"Collector that takes traces by OTLP over HTTP, without the path /v1/traces; none are made unless given." placeholder:"URL"`
	OTLPHeaders  map[string]string `name:"otlp-headers" mapsep:"," help:"Headers for the collector, as for its authentication." placeholder:"NAME=VALUE,…"`
	OTLPShare    float64           `name:"otlp-share" default:"1" help:"Share of the traces that begin here and are sent, 0 to 1." placeholder:"N"`

	LogFormat string `default:"text" enum:"text,json" help:"text or json."`
	LogLevel  string `default:"info" enum:"debug,info,warn,error" help:"debug, info, warn or error."`
}

// tidy takes the slash off the ends of base URLs, to which paths are appended.
func (c *Config) tidy() {
	for _, u := range []*string{&c.PortalURL, &c.ProviderURL, &c.AdminURL} {
		*u = strings.TrimRight(*u, "/")
	}
}

// check refuses a configuration that cannot be served, and says what to change.
// parties says which of the two will run.
func (c *Config) check(parties parties) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	for _, l := range []struct {
		name, addr, url string
		runs            bool
	}{{"portal", c.PortalAddr, c.PortalURL, parties.portal}, {"provider", c.ProviderAddr, c.ProviderURL, parties.provider}} {
		if !l.runs {
			continue
		}
		host, ok := hostOf(l.addr)
		switch {
		case !ok:
			bad("--%s-addr %q: want HOST:PORT", l.name, l.addr)
		case !httpx.IsLoopback(host) && c.TLSCert == "" && !c.BehindProxy:
			bad("--%s-addr %q is reachable from other machines, and names, bank data and credentials would pass in the clear: give --tls-cert and --tls-key, or --behind-proxy if a proxy ends TLS", l.name, l.addr)
		case l.url == "" && !httpx.IsLoopback(host) && (c.BehindProxy || host == "" || net.ParseIP(host).IsUnspecified()):
			bad("--%s-url is required with --%s-addr %q: the address that browsers use cannot be told from it", l.name, l.name, l.addr)
		}
	}
	for _, l := range []struct{ flag, addr string }{{"--admin-addr", c.AdminAddr}, {"--sandbox-control-addr", c.SandboxControlAddr}} {
		if _, ok := hostOf(l.addr); l.addr != "" && !ok {
			bad("%s %q: want HOST:PORT", l.flag, l.addr)
		}
	}
	if host, ok := hostOf(c.AdminAddr); ok && !httpx.IsLoopback(host) && c.TLSCert == "" && !c.BehindProxy {
		bad("--admin-addr %q is reachable from other machines, and metrics would pass in the clear: give --tls-cert and --tls-key, or --behind-proxy if a proxy ends TLS, or listen on loopback", c.AdminAddr)
	}
	if c.AdminURL != "" && c.AdminAddr == "" {
		bad("--admin-url needs --admin-addr")
	}
	if host, ok := hostOf(c.SandboxControlAddr); ok && !httpx.IsLoopback(host) {
		bad("--sandbox-control-addr %q: the sandbox's controls have no authentication and listen on loopback only", c.SandboxControlAddr)
	}
	if c.SandboxControlAddr != "" && (c.Environment == string(contract.Production) || !parties.provider) {
		bad("--sandbox-control-addr: only a sandbox provider has sandbox controls")
	}
	if c.SandboxAwkward != 0 && (c.Environment == string(contract.Production) || !parties.provider) {
		bad("--sandbox-awkward: only a sandbox provider is awkward on purpose")
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		bad("--tls-cert and --tls-key go together")
	} else if c.TLSCert != "" {
		if _, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey); err != nil {
			bad("--tls-cert, --tls-key: %w", err)
		}
	}
	for _, u := range []struct{ flag, value string }{{"--portal-url", c.PortalURL}, {"--provider-url", c.ProviderURL}, {"--admin-url", c.AdminURL}, {"--widget-script-url", c.WidgetScriptURL}} {
		if u.value != "" && !webURL(u.value) {
			bad("%s %q: want an absolute http or https URL without user, query or fragment", u.flag, u.value)
		}
	}
	if u, err := url.Parse(c.PortalURL); err == nil && u.Path != "" {
		bad("--portal-url %q: the portal is served at the root of its host, so want no path", c.PortalURL)
	}
	for _, s := range c.WebhookSecret {
		if _, err := webhook.ParseSecret(s); err != nil {
			bad("--webhook-secret: want whsec_ and the base-64 of 24 to 64 bytes")
		}
	}
	for _, s := range c.EventsSecret {
		if _, err := webhook.ParseSecret(s); err != nil {
			bad("--events-secret: want whsec_ and the base-64 of 24 to 64 bytes")
		}
	}
	if c.EventsURL != "" && !parties.portal {
		bad("--events-url: only the portal tells an onboarding app")
	} else if c.EventsURL != "" && webhook.NewSender(c.inside(), nil).CheckURL(c.EventsURL) != nil {
		bad("--events-url: want an absolute https address that is public, without user and fragment; http is for this machine, when the portal listens on it too")
	}
	if c.SMTPAddr == "" {
		if c.SMTPFrom != "" || c.SMTPUsername != "" || c.SMTPPassword != "" {
			bad("--smtp-from, --smtp-username and --smtp-password need --smtp-addr")
		}
	} else if _, err := c.mail(); err != nil {
		bad("--smtp-addr, --smtp-from, --smtp-username, --smtp-password: %w", err)
	} else if host, _ := hostOf(c.SMTPAddr); c.SMTPSecurity == string(mail.None) && !httpx.IsLoopback(host) {
		bad("--smtp-security none: links and addresses of applicants would pass in the clear; it is for a mail server on this machine")
	}
	if _, err := branding.Load(c.BrandFile); err != nil && parties.portal {
		bad("--brand-file: %w", err)
	}
	if c.PortalAPIKey != "" && !key(c.PortalAPIKey) {
		bad("--portal-api-key: want 20 to 200 printable characters without spaces; it is all that guards the portal's API")
	}
	if c.DrainGrace < 0 || c.DrainGrace > 10*time.Minute {
		bad("--drain-grace %s: want 0s to 10m", c.DrainGrace)
	}
	if c.OTLPEndpoint != "" && !webURL(c.OTLPEndpoint) {
		bad("--otlp-endpoint: want an absolute http or https URL without user, query or fragment")
	}
	if !(c.OTLPShare >= 0 && c.OTLPShare <= 1) {
		bad("--otlp-share: want a number from 0 to 1")
	}
	if c.APIRate < 1 || c.APIRate > 1_000_000 {
		bad("--api-rate %d: want 1 to 1000000", c.APIRate)
	}
	if c.WidgetRate < 0 || c.WidgetAccountRate < 0 || c.WidgetFiles < 0 {
		bad("--widget-rate, --widget-account-rate, --widget-files: want 0 or more")
	}
	if c.RetentionDays < 0 || c.RetentionDays > 36500 {
		bad("--retention-days %d: want 0 to 36500", c.RetentionDays)
	}
	for name, text := range map[string]string{"--report-agency": c.ReportAgency, "--regulator": c.Regulator, "--creditor": c.Creditor} {
		if len(text) > 300 || strings.ContainsFunc(text, unicode.IsControl) {
			bad("%s: want one line of at most 300 characters", name)
		}
	}
	for name, kinds := range map[string][]string{"--decision-emails": c.DecisionEmails, "--decision-pages": c.DecisionPages} {
		for _, kind := range kinds {
			if !slices.Contains(review.Told, kind) && (kind != "none" || len(kinds) > 1) {
				bad("%s %s: want approved, declined and moreAsked, or none", name, kind)
			}
		}
	}
	c.checkOIDC(bad)
	if c.DatabaseURL != "" && !strings.HasPrefix(c.DatabaseURL, "postgres://") && !strings.HasPrefix(c.DatabaseURL, "postgresql://") {
		bad("--database-url: want postgres://…")
	}
	if !c.Jobs && c.DatabaseURL == "" {
		bad("--no-jobs: nobody else can run the jobs of a database in a file; give --database-url, and let another replica run them")
	}
	for kind, id := range c.Products {
		if !contract.Product(kind).Valid() {
			bad("--products: %q is no product; there are cashflow, income, eligibility and passport", kind)
		}
		if !contract.IsUUID(id) {
			bad("--products: the id of %s is no UUID", kind)
		}
	}
	if parties.portal && !parties.provider {
		for _, need := range []struct {
			flag  string
			given bool
		}{{"--provider-url", c.ProviderURL != ""}, {"--public-id", c.PublicID != ""}, {"--client-id", c.ClientID != ""},
			{"--secret-key", c.SecretKey != ""}, {"--products", len(c.Products) > 0}, {"--webhook-secret", len(c.WebhookSecret) > 0}} {
			if !need.given {
				bad("%s is required when the portal runs without the embedded provider", need.flag)
			}
		}
	}
	if parties.portal && parties.provider && c.Environment == string(contract.Production) {
		bad("--environment production: the embedded provider makes its customers in a sandbox only; run the commands portal and provider apart")
	}
	if n := 0; parties.portal && parties.provider {
		for _, given := range []bool{c.PublicID != "", c.ClientID != "", c.SecretKey != "", len(c.Products) > 0} {
			if given {
				n++
			}
		}
		if n > 0 {
			bad("--public-id, --client-id, --secret-key and --products name an account at another provider; run the command portal with them")
		}
	}
	if !identifier(c.WidgetGlobal) {
		bad("--widget-global %q: want a JavaScript identifier", c.WidgetGlobal)
	}
	return errors.Join(errs...)
}

// inside reports whether the portal is on this machine alone, and so may reach it.
func (c *Config) inside() bool {
	host, _ := hostOf(c.PortalAddr)
	return httpx.IsLoopback(host)
}

// checkOIDC refuses sign-ins elsewhere that could not work, or that would lock
// everybody out.
func (c *Config) checkOIDC(bad func(format string, args ...any)) {
	chiefs := false
	for group, role := range c.OIDCRoles {
		if !slices.Contains(review.Roles[:], review.Role(role)) {
			bad("--oidc-roles: %q of the group %q is no role; there are reviewer, administrator and auditor", role, group)
		}
		chiefs = chiefs || review.Role(role) == review.Administrator
	}
	if c.OIDCIssuer == "" {
		if c.OIDCClientID != "" || c.OIDCClientSecret != "" || c.OIDCName != "" || len(c.OIDCDomains) > 0 || len(c.OIDCRoles) > 0 {
			bad("--oidc-client-id, --oidc-client-secret, --oidc-name, --oidc-domains and --oidc-roles need --oidc-issuer")
		}
		if !c.LocalAccounts {
			bad("--no-local-accounts: nobody could sign in to the review desk; give --oidc-issuer")
		}
		return
	}
	u, err := url.Parse(c.OIDCIssuer)
	switch {
	case err != nil || !webURL(c.OIDCIssuer):
		bad("--oidc-issuer %q: want an absolute http or https URL without user, query or fragment", c.OIDCIssuer)
	case u.Scheme != "https" && !httpx.IsLoopback(u.Hostname()):
		bad("--oidc-issuer %q: want https; whoever is in between could sign in as anybody", c.OIDCIssuer)
	}
	if c.OIDCClientID == "" || c.OIDCClientSecret == "" {
		bad("--oidc-issuer needs --oidc-client-id and --oidc-client-secret")
	}
	if !c.LocalAccounts && !chiefs {
		bad("--no-local-accounts: nobody could administer the review desk; give a group the role administrator by --oidc-roles")
	}
}

// oidc is the house by whose accounts people sign in to the desk, or nil.
func (c *Config) oidc() *review.OIDC {
	if c.OIDCIssuer == "" {
		return nil
	}
	out := &review.OIDC{Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret, Name: c.OIDCName,
		Domains: c.OIDCDomains, Scopes: c.OIDCScopes, GroupsClaim: c.OIDCGroupsClaim, Verified: c.OIDCVerified, Roles: map[string]review.Role{}}
	for group, role := range c.OIDCRoles {
		out.Roles[group] = review.Role(role)
	}
	return out
}

// mail is what sends letters, or nil.
func (c *Config) mail() (*mail.Sender, error) {
	if c.SMTPAddr == "" {
		return nil, nil
	}
	return mail.New(mail.Config{Addr: c.SMTPAddr, From: c.SMTPFrom, Username: c.SMTPUsername, Password: c.SMTPPassword, Security: mail.Security(c.SMTPSecurity)})
}

// hostOf is the host of a listener's address, whose port is a number.
func hostOf(addr string) (host string, ok bool) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return host, err == nil
}

// key reports whether s can be a bearer key that nobody guesses.
func key(s string) bool {
	return len(s) >= 20 && len(s) <= 200 && !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f })
}

// local reports whether the provider is for this machine alone: it listens here, it
// says so in its address, and no proxy brings others in.
func (c *Config) local(address string) bool {
	host, _, _ := net.SplitHostPort(c.ProviderAddr)
	u, err := url.Parse(address)
	return err == nil && httpx.IsLoopback(host) && httpx.IsLoopback(u.Hostname()) && !c.BehindProxy
}

func webURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

func identifier(s string) bool {
	for i, c := range s {
		if !(c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}

// products is the configured products by kind.
func (c *Config) products() map[contract.Product]string {
	out := map[contract.Product]string{}
	for kind, id := range c.Products {
		out[contract.Product(kind)] = id
	}
	return out
}

// told are the decisions that a flag names; none is an empty list.
func told(kinds []string) []string {
	if slices.Equal(kinds, []string{"none"}) {
		return []string{}
	}
	return kinds
}
