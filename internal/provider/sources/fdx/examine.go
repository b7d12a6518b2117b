package fdx

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/rest"
)

// Names of checks.
const (
	CheckDiscovery = "discovery" // the metadata are available and name configured hosts
	CheckTLS       = "tls"       // no certificate, including the client's, expires within 14 days
	CheckClient    = "client"    // the institution accepts the client's authentication
	CheckAPI       = "api"       // the FDX API answers, and requires a token
	CheckClock     = "clock"     // the clocks differ by at most 30 seconds
	CheckCallback  = "callback"  // another institution's code is recognized (RFC 9700, section 4.4)
)

const (
	clockTolerance   = 30 * time.Second    // assertions and ID tokens live about a minute
	certificateLasts = 14 * 24 * time.Hour // a certificate that expires earlier is a fault
)

// Examine checks an institution's configuration by requests that need no consent of an
// applicant. It returns an error only for an institution that is not configured.
// redirectURI is the shared one.
func (c *Connector) Examine(ctx context.Context, institution, redirectURI string) ([]sources.Check, error) {
	b, err := c.bank(institution)
	if err != nil {
		return nil, err
	}
	e := &examination{bank: b}
	m, err := b.discover(ctx)
	if err != nil {
		e.add(CheckDiscovery, false, err.Error())
	} else {
		e.discovery(m)
		e.client(ctx, m)
	}
	e.api(ctx)
	e.certificates()
	e.clock()
	e.callback(redirectURI, err == nil && m.SendsIss)
	return e.checks, nil
}

type examination struct {
	*bank
	checks  []sources.Check
	expires time.Time     // of the first certificate to expire
	behind  time.Duration // how far the institution's clock is behind this program's
	dated   bool          // an answer had a date
}

func (e *examination) add(name string, ok bool, detail string) {
	e.checks = append(e.checks, sources.Check{Name: name, OK: ok, Detail: detail})
}

// observe records the date and the certificates of an answer.
func (e *examination) observe(r *http.Response) {
	if at, err := http.ParseTime(r.Header.Get("Date")); err == nil {
		e.behind, e.dated = e.now().Sub(at), true
	}
	if r.TLS == nil {
		return
	}
	for _, certificate := range r.TLS.PeerCertificates {
		if e.expires.IsZero() || certificate.NotAfter.Before(e.expires) {
			e.expires = certificate.NotAfter
		}
	}
}

func (e *examination) discovery(m *metadata) {
	var faults []string
	if m.Methods != nil && !slices.Contains(m.Methods, e.in.Authentication) {
		faults = append(faults, "it does not list "+e.in.Authentication+" for clients: check client_authentication")
	}
	if e.in.Authentication == PrivateKeyJWT && m.SigningAlgs != nil && !slices.Contains(m.SigningAlgs, string(e.signingKey(m).Alg)) {
		faults = append(faults, "it does not list "+string(e.signingKey(m).Alg)+" for client assertions: check signing_alg and the key")
	}
	if m.PKCE != nil && !slices.Contains(m.PKCE, "S256") {
		faults = append(faults, "it does not list S256 for PKCE")
	}
	if slices.Contains(e.in.Scopes, oidc.ScopeOpenID) && m.JWKS == "" {
		faults = append(faults, "it names no key set for ID tokens (jwks_uri)")
	}
	if faults != nil {
		e.add(CheckDiscovery, false, strings.Join(faults, "; "))
		return
	}
	detail := "as configured"
	if e.in.TokenEndpoint == "" {
		detail = "found"
	}
	if m.PAR != "" {
		detail += ", with pushed authorization requests"
	}
	if m.Revocation == "" {
		detail += ", without revocation"
	}
	e.add(CheckDiscovery, true, detail)
}

// client requests a token with a code that does not exist. An institution that accepts
// the client answers invalid_grant.
func (e *examination) client(ctx context.Context, m *metadata) {
	form := url.Values{"grant_type": {"authorization_code"}, "code": {oauth2.GenerateVerifier()}, "code_verifier": {oauth2.GenerateVerifier()},
		"redirect_uri": {"https://example.com/"}}
	err := e.post(ctx, m, rest.Request{What: "token request", URL: m.Token, Watch: e.observe}, form)
	method := e.in.Authentication
	if method == PrivateKeyJWT {
		key := e.signingKey(m)
		method += " with " + string(key.Alg) + " and the key_id " + key.ID
	}
	var status *rest.StatusError
	switch errors.As(err, &status); {
	case err == nil:
		e.add(CheckClient, false, "the token endpoint accepts a code that it did not issue")
	case status == nil:
		e.add(CheckClient, false, errors.Unwrap(err).Error())
	case status.Problem == "invalid_grant":
		e.add(CheckClient, true, "the institution accepts "+method)
	case rejectsClient(err):
		e.add(CheckClient, false, "the institution does not accept the client: check client_id and "+method)
	default:
		e.add(CheckClient, false, "the token endpoint answers "+status.Error()+"; expected invalid_grant")
	}
}

// api requests the accounts without a token.
func (e *examination) api(ctx context.Context) {
	err := e.get(ctx, "", rest.Request{What: "GET accounts", URL: e.in.BaseURL + "/accounts", Watch: e.observe})
	var status *rest.StatusError
	switch errors.As(err, &status); {
	case err == nil:
		e.add(CheckAPI, false, "the API answers without a token")
	case status == nil:
		e.add(CheckAPI, false, errors.Unwrap(err).Error())
	case status.Code == http.StatusUnauthorized, status.Code == http.StatusForbidden, status.Code == http.StatusBadRequest:
		e.add(CheckAPI, true, "the API answers, and requires a token")
	default:
		e.add(CheckAPI, false, "the API answers "+status.Error()+": check fdx_base_url")
	}
}

// callback describes the redirect URI and its defense against mix-up, and warns if it has no defense.
func (e *examination) callback(shared string, sendsIss bool) {
	detail, warning := "register "+e.in.public().RedirectURI(shared)+" at the bank; ", false
	switch {
	case e.in.ownRedirectURI():
		detail += "no other bank's code is accepted there"
	case e.in.Issuer != "" && sendsIss:
		detail += "the iss of callbacks is compared (RFC 9207)"
	case e.in.Issuer != "":
		detail, warning = detail+"the bank does not say that its callbacks have an iss (RFC 9207): set redirect_uri: own", true
	default:
		detail, warning = detail+"other banks' codes are not recognized there: set issuer, or redirect_uri: own", true
	}
	e.checks = append(e.checks, sources.Check{Name: CheckCallback, OK: true, Warning: warning, Detail: detail})
}

func (e *examination) certificates() {
	if e.in.Certificate != nil {
		client, err := x509.ParseCertificate(e.in.Certificate.Certificate[0])
		if err == nil && (e.expires.IsZero() || client.NotAfter.Before(e.expires)) {
			e.expires = client.NotAfter
		}
	}
	switch {
	case e.expires.IsZero() && strings.HasPrefix(e.in.BaseURL, "http:"):
		e.add(CheckTLS, true, "no certificate is used")
	case e.expires.IsZero():
		e.add(CheckTLS, false, "no connection was made")
	default:
		e.add(CheckTLS, e.expires.Sub(e.now()) > certificateLasts, "the first certificate expires on "+e.expires.UTC().Format(time.DateOnly))
	}
}

func (e *examination) clock() {
	if !e.dated {
		e.add(CheckClock, false, "no answer had a date")
		return
	}
	detail := "agrees"
	if e.behind.Abs() > time.Second {
		detail = fmt.Sprintf("the institution's clock differs by %s", e.behind.Abs().Round(time.Second))
	}
	e.add(CheckClock, e.behind.Abs() <= clockTolerance, detail)
}
