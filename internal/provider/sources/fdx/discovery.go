package fdx

import (
	"cmp"
	"context"
	"crypto"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vestibule/internal/jose"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/rest"
)

const (
	metadataFresh = time.Hour      // how long a discovery document is used without a new request
	metadataStale = 24 * time.Hour // how long it is used while the institution does not answer
)

// metadata has the used members of a discovery document (RFC 8414; OpenID Connect
// Discovery).
type metadata struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	PAR           string   `json:"pushed_authorization_request_endpoint"`
	Revocation    string   `json:"revocation_endpoint"`
	JWKS          string   `json:"jwks_uri"`
	NeedsPAR      bool     `json:"require_pushed_authorization_requests"`
	SendsIss      bool     `json:"authorization_response_iss_parameter_supported"`
	Scopes        []string `json:"scopes_supported"`
	Methods       []string `json:"token_endpoint_auth_methods_supported"`
	SigningAlgs   []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	PKCE          []string `json:"code_challenge_methods_supported"`
	IDTokenAlgs   []string `json:"id_token_signing_alg_values_supported"`
	Aliases       struct { // for clients with a certificate (RFC 8705, section 5)
		Token      string `json:"token_endpoint"`
		PAR        string `json:"pushed_authorization_request_endpoint"`
		Revocation string `json:"revocation_endpoint"`
	} `json:"mtls_endpoint_aliases"`

	keys *jose.IssuerKeys // nil without JWKS
}

// discovered is the cached result of discovery.
type discovered struct {
	*metadata
	at time.Time
}

// metadata returns the institution's endpoints, as configured or discovered. One
// discovery runs at a time.
func (b *bank) metadata(ctx context.Context) (*metadata, error) {
	var cached discovered
	select {
	case cached = <-b.found:
	case <-ctx.Done():
		return nil, sources.Fail(sources.Unresponsive, ctx.Err())
	}
	defer func() { b.found <- cached }()
	age := b.now().Sub(cached.at)
	if cached.metadata != nil && age >= 0 && age < metadataFresh {
		return cached.metadata, nil
	}
	m, err := b.discover(ctx)
	if err != nil {
		if cached.metadata != nil && age >= 0 && age < metadataStale && sources.ReasonOf(err) == sources.Unresponsive {
			return cached.metadata, nil
		}
		return nil, err
	}
	if cached.metadata != nil && cached.JWKS == m.JWKS {
		m.keys = cached.keys // to use the keys that it has cached
	}
	cached = discovered{m, b.now()}
	return m, nil
}

// discover returns the metadata of the discovery document or, with configured
// endpoints, of the configuration.
func (b *bank) discover(ctx context.Context) (*metadata, error) {
	in := &b.in
	m := &metadata{Issuer: in.Issuer, Authorization: in.AuthorizationEndpoint, Token: in.TokenEndpoint, PAR: in.PAREndpoint,
		Revocation: in.RevocationEndpoint, JWKS: in.JWKSURI}
	if in.TokenEndpoint == "" {
		var err error
		if m, err = b.document(ctx); err != nil {
			return nil, err
		}
	}
	if in.Certificate != nil { // also for access tokens that are bound to the certificate
		m.Token, m.PAR = cmp.Or(m.Aliases.Token, m.Token), cmp.Or(m.Aliases.PAR, m.PAR)
		m.Revocation = cmp.Or(m.Aliases.Revocation, m.Revocation)
	}
	if err := b.checkEndpoints(m); err != nil {
		return nil, err
	}
	if m.JWKS != "" {
		m.keys = b.issuerKeys(m.JWKS)
	}
	return m, nil
}

// document retrieves the discovery document of OpenID Connect, or else that of OAuth.
func (b *bank) document(ctx context.Context) (*metadata, error) {
	u, err := url.Parse(b.in.Issuer)
	if err != nil {
		return nil, err
	}
	oauth := *u
	oauth.Path, oauth.RawPath = "/.well-known/oauth-authorization-server"+strings.TrimSuffix(u.Path, "/"), ""
	for _, address := range []string{strings.TrimSuffix(b.in.Issuer, "/") + "/.well-known/openid-configuration", oauth.String()} {
		var m metadata
		err = b.get(ctx, "", rest.Request{What: "discovery document", URL: address, Read: decodeInto(&m)})
		var status *rest.StatusError
		if errors.Is(err, rest.ErrNotJSON) || errors.As(err, &status) && status.Code < 500 && status.Code != http.StatusTooManyRequests {
			continue
		}
		if err == nil && m.Issuer != b.in.Issuer {
			err = sources.Fail(sources.Misused, fmt.Errorf("%s: the discovery document has another issuer: check issuer", b.in.ID))
		}
		return &m, err
	}
	return nil, sources.Fail(sources.Misused, fmt.Errorf("%s: no discovery document: check issuer, or configure the endpoints", b.in.ID))
}

// checkEndpoints returns an error for endpoints that are missing, or on hosts that are
// not configured.
func (b *bank) checkEndpoints(m *metadata) error {
	misused := func(text string) error { return sources.Fail(sources.Misused, fmt.Errorf("%s: %s", b.in.ID, text)) }
	for name, address := range map[string]string{"token_endpoint": m.Token, "pushed_authorization_request_endpoint": m.PAR,
		"revocation_endpoint": m.Revocation, "jwks_uri": m.JWKS} {
		if address == "" {
			continue
		}
		u, err := url.Parse(address)
		if err != nil || b.in.checkURL(address) != nil || !b.hosts[rest.HostOf(u)] {
			return misused("the " + name + " is not an https URL of a configured host: add the host to hosts")
		}
	}
	if m.Token == "" || m.Authorization == "" {
		return misused("the discovery document has no authorization_endpoint or no token_endpoint")
	}
	if m.NeedsPAR && m.PAR == "" {
		return misused("the institution requires pushed authorization requests, but no par_endpoint is known: configure it")
	}
	u, err := url.Parse(m.Authorization)
	if err != nil || b.in.checkURL(m.Authorization) != nil || !b.hosts[rest.HostOf(u)] && !b.inOAuthDomains(u) {
		return misused("the authorization_endpoint is not an https URL of a configured host: add the host to oauth_domains")
	}
	return nil
}

// inOAuthDomains reports whether a URL is in one of the configured oauth_domains.
func (b *bank) inOAuthDomains(u *url.URL) bool {
	return slices.ContainsFunc(b.in.OAuthDomains, func(domain string) bool {
		return u.Host == domain || strings.HasSuffix(u.Hostname(), "."+domain)
	})
}

// issuerKeys retrieves the key set of ID tokens at url.
func (b *bank) issuerKeys(url string) *jose.IssuerKeys {
	return &jose.IssuerKeys{Fetch: func(ctx context.Context) (keys []crypto.PublicKey, err error) {
		return keys, b.get(ctx, "", rest.Request{What: "key set", URL: url, Read: func(r *http.Response) (err error) {
			if keys, err = jose.PublicKeys(r.Body); err != nil {
				return rest.ErrNotJSON
			}
			return nil
		}})
	}}
}
