// Package doctor checks a portal's configuration against the provider that it names:
// whether the two would work together, and if not, what to change. Its checks leave
// nothing behind: it requests the key set, an access token, the widget's script, and
// redirects that every provider refuses because their applicant has an invalid email
// address. Its webhook has a type that receivers acknowledge and ignore.
//
// Findings contain no secrets, and nothing of a server's response except its codes.
package doctor

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jose"
	"vestibule/internal/prefill"
	"vestibule/internal/redirect"
	"vestibule/internal/svcapi"
	"vestibule/internal/webhook"
)

// Level is the severity of a finding.
type Level string

const (
	OK   Level = "ok"
	Warn Level = "warn" // works, but will cause problems
	Fail Level = "fail" // it does not work
	Skip Level = "skip" // could not be determined
)

// Finding is the result of one check.
type Finding struct {
	Level   Level
	Subject string // one of the subjects below, a product's with its name, or the name of a bank or connector
	Message string // what was found
	Remedy  string // what to change; empty for OK
}

// Subjects of findings. docs/how-to/another-provider.md explains each.
const (
	DataFolder    = "data folder"
	MasterKey     = "master key"
	Database      = "database"
	Addresses     = "addresses"
	Pages         = "pages"
	Provider      = "provider"
	Certificate   = "certificate"
	Clock         = "clock"
	KeySet        = "key set"
	Credentials   = "credentials"
	Calls         = "calls"
	Products      = "products"
	Product       = "product"
	RedirectURL   = "redirect URL"
	Widget        = "widget"
	Webhooks      = "webhooks"
	SignIn        = "sign-in"
	Email         = "email"
	Traces        = "traces"
	Events        = "events"
	PayStubImages = "pay stub images"
	DocumentPages = "document pages"
	Environments  = "environments"
)

// Config is a portal's configuration. Fields are required unless documented
// otherwise.
type Config struct {
	PortalURL   string // public base URLs, without a trailing slash
	ProviderURL string
	Environment contract.Environment

	PublicID  string
	ClientID  string
	SecretKey string
	Products  map[contract.Product]string

	WebhookSecrets []string        // whsec_…
	Profile        *svcapi.Profile // the provider's; remedies name its settings
	ReturnMode     string          // get or post

	Now  func() time.Time
	HTTP http.RoundTripper // default: http.DefaultTransport
}

// requestTimeout is the timeout of one request.
const requestTimeout = 10 * time.Second

// Examine runs all checks and returns the findings in order of importance. It omits
// checks that depend on a failed one.
func (p Config) Examine(ctx context.Context) []Finding {
	found := p.addresses()
	answers, more := p.provider(ctx)
	found = append(found, more...)
	if answers {
		found = append(found, p.keys(ctx))
		known, finding := p.credentials(ctx)
		found = append(found, finding)
		if known {
			found = append(append(found, p.calls(ctx)...), p.products(ctx)...)
		}
	}
	return append(append(found, p.pages(ctx)...), p.widget(ctx), p.webhooks(ctx))
}

// set is what to do about a setting of the profile.
func set(setting, to string) string {
	return "Set " + setting + " in the file of --provider-profile to " + to + "."
}

// addresses checks the two base URLs.
func (p Config) addresses() []Finding {
	portal, err1 := url.Parse(p.PortalURL)
	provider, err2 := url.Parse(p.ProviderURL)
	if err1 != nil || err2 != nil || portal.Host == "" || provider.Host == "" {
		return []Finding{{Fail, Addresses, "the portal's or the provider's base URL is not absolute",
			"Set --portal-url and --provider-url to absolute URLs."}}
	}
	var found []Finding
	for _, u := range []struct {
		flag string
		*url.URL
	}{{"--portal-url", portal}, {"--provider-url", provider}} {
		switch {
		case u.Scheme == "https":
		case p.Environment == contract.Production:
			found = append(found, Finding{Fail, Addresses, u.flag + " is plain http in production",
				"Use https: otherwise names, tokens and reports are sent unencrypted."})
		case !httpx.IsLoopback(u.Hostname()):
			found = append(found, Finding{Fail, Addresses, u.flag + " is plain http and not on this machine",
				"Use https; the portal's client refuses anything else."})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Profile.Addresses)) {
		u, err := url.Parse(p.Profile.At(p.ProviderURL, name))
		unsafe := u != nil && (u.Scheme != "https" && p.Environment == contract.Production || !httpx.IsSecure(u))
		if strings.HasPrefix(p.Profile.Addresses[name], "/") || err == nil && !unsafe {
			continue
		}
		found = append(found, Finding{Fail, Addresses, "addresses." + string(name) + " is plain http",
			set("addresses."+string(name), "an https address; the portal's client and browsers refuse another")})
	}
	if portal.Hostname() == provider.Hostname() {
		found = append(found, Finding{Warn, Addresses, "portal and provider share a host, so each receives the cookies of the other",
			"Give them different hosts; on one machine, localhost and 127.0.0.1."})
	}
	if len(found) == 0 {
		found = append(found, Finding{OK, Addresses, fmt.Sprintf("portal %s, provider %s", p.PortalURL, p.ProviderURL), ""})
	}
	return found
}

// provider checks that the provider answers, and its clock.
func (p Config) provider(ctx context.Context) (bool, []Finding) {
	begun := time.Now()
	before := p.Now()
	asked := p.keysURL()
	if httpx.OriginOf(asked) != httpx.OriginOf(p.ProviderURL) {
		asked = p.Profile.At(p.ProviderURL, svcapi.AddressStatus)
	}
	res, _, err := p.get(ctx, asked)
	if err != nil {
		return false, []Finding{{Fail, Provider, "does not answer: " + plain(err),
			"Check that --provider-url, or url in the file of --provider-profile, is right and reachable from here."}}
	}
	elapsed := time.Since(begun)
	found := []Finding{{OK, Provider, fmt.Sprintf("answers in %d ms", elapsed.Milliseconds()), ""}}
	if res.TLS != nil && len(res.TLS.PeerCertificates) > 0 {
		if left, soon := endsSoon(res.TLS.PeerCertificates[0], before); soon {
			found = append(found, Finding{Warn, Certificate,
				fmt.Sprintf("the provider's certificate expires in %d days", int(left.Hours()/24)), "Ask the provider to renew it."})
		}
	}
	at, err := http.ParseTime(res.Header.Get("Date"))
	if err != nil {
		return true, append(found, Finding{Skip, Clock, "the provider's answers have no date", ""})
	}
	// The Date header has whole seconds, and the response took time.
	off := max(at.Sub(before.Add(elapsed)), before.Sub(at.Add(time.Second)), 0)
	differs := fmt.Sprintf("this machine's clock differs from the provider's by %s", off.Round(time.Second))
	switch {
	case off > jose.Skew:
		found = append(found, Finding{Fail, Clock, differs,
			"Synchronize this machine's clock: tokens and webhooks with other times are refused."})
	case off > jose.Skew/6:
		found = append(found, Finding{Warn, Clock, differs,
			"Synchronize this machine's clock; beyond 30 s, tokens are refused."})
	default:
		found = append(found, Finding{OK, Clock, "this machine's clock agrees with the provider's", ""})
	}
	return true, found
}

// endsSoon reports whether a certificate should have been renewed by now: two weeks before its
// end, or for one of a few days, when a third of its lifetime is left.
func endsSoon(cert *x509.Certificate, now time.Time) (left time.Duration, soon bool) {
	left = cert.NotAfter.Sub(now)
	return left, left < min(14*24*time.Hour, cert.NotAfter.Sub(cert.NotBefore)/3)
}

func (p Config) keysURL() string { return p.Profile.At(p.ProviderURL, svcapi.AddressKeySet) }

// keys reads the key set as verification of a redirect outcome would.
func (p Config) keys(ctx context.Context) Finding {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	keys := &jose.RemoteKeySet{URL: p.keysURL(), Algs: p.Profile.Result.Algorithms, Transport: p.HTTP, Now: p.Now}
	usable, leftOut, err := keys.Diagnose(ctx)
	switch {
	case errors.Is(err, jose.ErrNoUsableKey):
		return Finding{Fail, KeySet, plain(err), "Without a key, the portal cannot verify signed results: ask the provider. " +
			set("result.algorithms", "the algorithms that it signs with")}
	case err != nil:
		return Finding{Fail, KeySet, "addresses.keySet: " + plain(err),
			set("addresses.keySet", "the address of the provider's key set, not "+p.keysURL())}
	case leftOut > 0:
		return Finding{Warn, KeySet, fmt.Sprintf("%d keys that verify signed results, and %d that cannot be used", usable, leftOut),
			"Keys of other kinds do no harm; if signed results are refused, show this to the provider."}
	}
	return Finding{OK, KeySet, fmt.Sprintf("keys that verify signed results: %d", usable), ""}
}

func (p Config) client() *svcapi.Client {
	return &svcapi.Client{BaseURL: p.ProviderURL, ClientID: p.ClientID, SecretKey: p.SecretKey, Environment: p.Environment,
		Profile: p.Profile, Now: p.Now, HTTP: &http.Client{Transport: p.HTTP}}
}

// credentials requests an access token.
func (p Config) credentials(ctx context.Context) (bool, Finding) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := p.client().Check(ctx)
	if err == nil {
		return true, Finding{OK, Credentials, "the provider accepts clientId and secretKey", ""}
	}
	switch code := svcapi.CodeOf(err); code {
	case contract.CodeUnknownCustomer:
		return false, Finding{Fail, Credentials, "the provider does not know this clientId in " + string(p.Environment),
			"Credentials belong to one environment: check --environment, --client-id and --secret-key."}
	case contract.CodeUnauthorized:
		return false, Finding{Fail, Credentials, "the secretKey does not belong to this clientId",
			"Set --secret-key to the current one; after a rotation the old one ends within a day."}
	case "":
		return false, Finding{Fail, Credentials, plain(err), "Set --client-id and --secret-key as the provider gave them."}
	default:
		if f, ok := p.wrongSetting(Credentials, err, svcapi.AddressAccessToken); ok {
			return false, f
		}
		return false, Finding{Fail, Credentials, "an access token was refused: " + string(code),
			"Look the code up in docs/reference/troubleshooting.md."}
	}
}

// wrongSetting returns the finding for an error that a wrong setting of the profile explains:
// the address of the call, or a header of it.
func (p Config) wrongSetting(subject string, err error, address svcapi.Address, headers ...svcapi.Header) (Finding, bool) {
	var e *svcapi.Error
	if !errors.As(err, &e) {
		return Finding{}, false
	}
	setting := "addresses." + string(address)
	elsewhere := e.HTTP == http.StatusNotFound && e.Code != contract.CodeInvalidToken || e.HTTP == http.StatusMethodNotAllowed ||
		e.HTTP > 0 && e.HTTP < 400
	switch {
	case e.Code == contract.CodeMalformedHeaders:
		names := []string{"headers.environment"}
		for _, h := range headers {
			names = append(names, "headers."+string(h))
		}
		return Finding{Fail, subject, "the provider misses a header of the call at " + setting,
			set(strings.Join(names, " or "), "the header that the provider documents")}, true
	case elsewhere:
		return Finding{Fail, subject, fmt.Sprintf("%s: %s does not answer as the API does (%d)", setting,
			p.Profile.At(p.ProviderURL, address), e.HTTP), set(setting, "the address that the provider documents")}, true
	case e.HTTP == 0:
		return Finding{Fail, subject, setting + ": no answer: " + plain(err), set(setting, "an address that can be reached from here")}, true
	case len(headers) > 0 && (e.HTTP == http.StatusUnauthorized || e.HTTP == http.StatusForbidden): // a call with an access token
		return Finding{Fail, subject, "the provider refuses its own access token in the call at " + setting,
			set("accessTokenEncoding", "the encoding that the provider documents: base64, base64url or plain")}, true
	}
	return Finding{}, false
}

// calls makes the calls that begin visits and fetch reports, for an invalid applicant and for a
// report that does not exist. The answer of each is known to the contract.
func (p Config) calls(ctx context.Context) (found []Finding) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	client, none := p.client(), svcapi.Ref{PublicToken: uuid.NewString()}
	check := func(err error, address svcapi.Address, headers ...svcapi.Header) {
		f, wrong := p.wrongSetting(Calls, err, address, headers...)
		if wrong && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	_, err := client.Status(ctx, none)
	check(err, svcapi.AddressStatus, svcapi.HeaderPublicToken)
	_, err = client.Status(ctx, svcapi.Ref{ExternalID: none.PublicToken})
	check(err, svcapi.AddressStatus, svcapi.HeaderExternalID)
	for _, kind := range slices.Sorted(maps.Keys(p.Products)) {
		_, _, err = client.Report(ctx, kind, none)
		check(err, svcapi.Address(kind), svcapi.HeaderPublicToken)
		_, err = client.Initialize(ctx, svcapi.InitRequest{ProductID: p.Products[kind], Prefill: &prefill.Fields{Email: notAnAddress}})
		check(err, svcapi.AddressInitialization)
	}
	if len(found) == 0 {
		return []Finding{{OK, Calls, "visits, statuses and reports have the configured addresses, headers and token", ""}}
	}
	return found
}

// pages checks that the configured origins of the provider's pages answer.
func (p Config) pages(ctx context.Context) (found []Finding) {
	for _, origin := range p.Profile.Pages {
		if _, _, err := p.get(ctx, origin); err != nil {
			found = append(found, Finding{Fail, Pages, origin + " does not answer: " + plain(err),
				set("pages", "the origins of the pages to which the provider sends applicants")})
		}
	}
	return found
}

// notAnAddress is an invalid email address that prevents the redirect from starting:
// the provider checks the account, its redirect URLs and the product first.
const notAnAddress = "doctor"

// products checks for each product whether a redirect back to the portal could start.
func (p Config) products(ctx context.Context) []Finding {
	if len(p.Products) == 0 {
		return []Finding{{Fail, Products, "no product is configured", "Set --products to the products of the account: cashflow=UUID,…"}}
	}
	var found []Finding
	for _, kind := range contract.Products() {
		id, ok := p.Products[kind]
		if !ok {
			continue
		}
		finding, returns := p.product(ctx, kind, id)
		if !returns {
			return append(found, Finding{Fail, RedirectURL, "the account does not allow " +
				redirect.CompleteURL(p.PortalURL, p.Profile.Result, p.ReturnMode == "post"),
				"Register " + p.PortalURL + "/redirect/return on the account (dashboard, Redirects), or correct --portal-url."})
		}
		found = append(found, finding)
	}
	return append(found, Finding{OK, RedirectURL, "the account allows " +
		redirect.CompleteURL(p.PortalURL, p.Profile.Result, p.ReturnMode == "post"), ""})
}

func (p Config) product(ctx context.Context, kind contract.Product, id string) (f Finding, returns bool) {
	subject := Product + " " + string(kind)
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	in := svcapi.RedirectRequest{CompleteURL: redirect.CompleteURL(p.PortalURL, p.Profile.Result, p.ReturnMode == "post")}
	in.ProductID, in.Prefill = id, &prefill.Fields{Email: notAnAddress}
	_, err := p.client().SecureRedirect(ctx, in)
	switch code := svcapi.CodeOf(err); {
	case err == nil:
		return Finding{Warn, subject, "the provider started a visit for an invalid email address",
			"Tell the provider. The visit expires."}, true
	case code == contract.CodeInvalidCompleteURL:
		return f, false
	case code == contract.CodeInvalidProduct:
		return Finding{Fail, subject, "the account has no product " + id,
			"Correct --products. The account's dashboard lists its products."}, true
	case strings.HasPrefix(string(code), "INVALID_PREFILL"):
		return Finding{OK, subject, "the account has this product", ""}, true
	default:
		if f, ok := p.wrongSetting(subject, err, svcapi.AddressSecureRedirect); ok {
			return f, true
		}
		return Finding{Skip, subject, "could not be checked: " + plain(err),
			"Try again. If it fails again, look the code up in docs/reference/troubleshooting.md."}, true
	}
}

// maxScript bounds how many bytes of a widget's script are read.
const maxScript = 4 << 20

// widget fetches the script as a page would.
func (p Config) widget(ctx context.Context) Finding {
	do := set("addresses.widgetScript", "the address of the script that the provider documents")
	res, body, err := p.get(ctx, p.Profile.At(p.ProviderURL, svcapi.AddressWidgetScript))
	switch {
	case err != nil:
		return Finding{Fail, Widget, "the script does not load: " + plain(err), do}
	case res.StatusCode != http.StatusOK:
		return Finding{Fail, Widget, fmt.Sprintf("the script's address answers %d", res.StatusCode), do}
	case !strings.Contains(res.Header.Get("Content-Type"), "javascript"):
		return Finding{Fail, Widget, "the script's address answers with a content type other than JavaScript, so browsers refuse it", do}
	case !bytes.Contains(body, []byte(p.Profile.WidgetGlobal)):
		return Finding{Warn, Widget, "the script does not define " + p.Profile.WidgetGlobal,
			set("widgetGlobal", "the global object that the provider documents")}
	}
	return Finding{OK, Widget, fmt.Sprintf("the script loads and defines %s", p.Profile.WidgetGlobal), ""}
}

// webhooks sends the portal a webhook as the provider would, signed with each secret.
func (p Config) webhooks(ctx context.Context) Finding {
	if len(p.WebhookSecrets) == 0 {
		return Finding{Fail, Webhooks, "no secret is configured, so every webhook is refused",
			"Set --webhook-secret to the secret of the callback on the account's dashboard."}
	}
	at := p.PortalURL + "/webhooks/visit"
	body := []byte(`{"type":"DOCTOR"}`)
	for _, text := range p.WebhookSecrets {
		secret, err := webhook.ParseSecret(text)
		if err != nil {
			return Finding{Fail, Webhooks, "a secret does not have the form whsec_…", "Copy it from the account's dashboard."}
		}
		ctx, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(body))
		if err == nil {
			req.Header.Set("Content-Type", "application/json")
			err = webhook.Sign(req.Header, []webhook.Secret{secret}, uuid.NewString(), p.Now(), body)
			p.Profile.WebhookHeaders.Rename(req.Header)
		}
		var res *http.Response
		if err == nil {
			res, err = p.http().Do(req)
		}
		if err != nil {
			return Finding{Skip, Webhooks, "the portal cannot be reached from here: " + plain(err),
				"Start it, or run this where " + p.PortalURL + " leads to it."}
		}
		res.Body.Close()
		if res.StatusCode/100 != 2 {
			return Finding{Fail, Webhooks, fmt.Sprintf("the portal at %s refuses a webhook that is "+
				"signed with the configured secret (%d)", p.PortalURL, res.StatusCode),
				"Check that the portal runs with this --webhook-secret, and that nothing in front of it changes bodies."}
		}
	}
	return Finding{OK, Webhooks, "the portal accepts webhooks signed with the secret; the account's callback must be " + at, ""}
}

func (p Config) http() *http.Client {
	return &http.Client{Transport: p.HTTP, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// get requests an address and reads the response up to its bound.
func (p Config) get(ctx context.Context, at string) (*http.Response, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, nil, errors.New("the address is not a URL")
	}
	res, err := p.http().Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxScript))
	return res, body, err
}

// Service returns the finding for the check of a service that a flag names.
func Service(subject, works, flag string, err error) Finding {
	if err != nil {
		return Finding{Fail, subject, plain(err), "Check " + flag + ", and that the service can be reached from here."}
	}
	return Finding{OK, subject, works, ""}
}

// plain formats an error without the address.
func plain(err error) string {
	if unknown := httpx.UnknownAuthority(err); unknown != "" {
		return unknown
	}
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer within %s", requestTimeout)
	}
	return err.Error()
}

// Healthy reports whether no check failed.
func Healthy(found []Finding) bool {
	return !slices.ContainsFunc(found, func(f Finding) bool { return f.Level == Fail })
}
