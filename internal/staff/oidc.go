package staff

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"vestibule/internal/jose"
	"vestibule/internal/store"
)

// OIDC configures sign-in with the accounts of an issuer: OpenID Connect, code flow
// with PKCE. A user is granted access if one of their groups has a role or, if no
// roles are configured, if an administrator has added their email address.
type OIDC struct {
	Issuer       string `name:"oidc-issuer" placeholder:"URL" help:"OpenID Connect issuer; redirect URI: /review/sign-in/return."`
	ClientID     string `name:"oidc-client-id" placeholder:"ID" help:"Client id at the issuer."`
	ClientSecret string `name:"oidc-client-secret" placeholder:"SECRET" help:"Client secret at the issuer."`
	Name         string `name:"oidc-name" placeholder:"NAME" help:"Name of the issuer on the sign-in button. Default: the issuer's host."`

	Domains       []string `name:"oidc-domains" sep:"," placeholder:"DOMAIN" help:"Email domains that may sign in. Default: all."`
	Scopes        []string `name:"oidc-scopes" sep:"," default:"email,profile" placeholder:"SCOPE" help:"Scopes requested besides openid."`
	GroupsClaim   string   `name:"oidc-groups-claim" default:"groups" placeholder:"CLAIM" help:"Claim that lists a user's groups."`
	VerifiedClaim string   `name:"oidc-verified-claim" default:"email_verified" placeholder:"CLAIM" help:"Claim for a verified email address."`
	// Without roles, only users whom an administrator has added may sign in.
	Roles map[string]Role `name:"oidc-roles" mapsep:"," placeholder:"GROUP=ROLE,…" help:"Role by group: reviewer, administrator or auditor."`

	mu     sync.Mutex
	issuer *issuer // cached discovery result
}

// maxResponse is the maximum size of an issuer's response in bytes.
const maxResponse = 1 << 20

// limitedTransport bounds how much of an issuer's responses is read.
type limitedTransport struct{ http.RoundTripper }

func (l limitedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxResponse), resp.Body}
	}
	return resp, err
}

// issuerClient is the HTTP client for requests to issuers. It has a timeout and follows
// no redirects.
var issuerClient = &http.Client{Timeout: 10 * time.Second, Transport: limitedTransport{http.DefaultTransport},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func (o *OIDC) name() string {
	if o.Name != "" {
		return o.Name
	}
	if u, err := url.Parse(o.Issuer); err == nil {
		return u.Hostname()
	}
	return o.Issuer
}

// issuer holds the issuer's discovery document.
type issuer struct {
	*oidc.Provider
	endpoint   oauth2.Endpoint
	identifier string
	clientID   string // our client ID at the issuer
	sendsIss   bool   // its authorization responses include iss (RFC 9207)
	offline    bool   // it has the scope offline_access, for a refresh token
	keys       *jose.IssuerKeys
	algs       []string // of its ID tokens
}

// verifier returns a verifier of the issuer's signed claims.
func (p *issuer) verifier(c oidc.Config) *oidc.IDTokenVerifier {
	c.SupportedSigningAlgs = p.algs
	return oidc.NewVerifier(p.identifier, p.keys, &c)
}

// fetchKeys retrieves an issuer's key set.
func fetchKeys(ctx context.Context, address string) ([]crypto.PublicKey, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := issuerClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("key set answers %d", resp.StatusCode)
	}
	return jose.PublicKeys(resp.Body)
}

// Check reads the issuer's metadata and key set, as a sign-in does.
func (o *OIDC) Check(ctx context.Context) error {
	found, err := o.discover()
	if err != nil {
		return err
	}
	_, err = found.keys.Fetch(ctx)
	return err
}

// discover fetches the issuer's metadata once, retrying after failures.
func (o *OIDC) discover() (*issuer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.issuer != nil {
		return o.issuer, nil
	}
	p, err := oidc.NewProvider(oidc.ClientContext(context.Background(), issuerClient), o.Issuer)
	if err != nil {
		return nil, err
	}
	var metadata struct {
		Keys     string   `json:"jwks_uri"`
		Algs     []string `json:"id_token_signing_alg_values_supported"`
		Methods  []string `json:"token_endpoint_auth_methods_supported"`
		SendsIss bool     `json:"authorization_response_iss_parameter_supported"`
		Scopes   []string `json:"scopes_supported"`
	}
	if err := p.Claims(&metadata); err != nil {
		return nil, err
	}
	found := &issuer{Provider: p, endpoint: p.Endpoint(), identifier: o.Issuer, clientID: o.ClientID, sendsIss: metadata.SendsIss,
		offline: slices.Contains(metadata.Scopes, oidc.ScopeOfflineAccess),
		keys:    &jose.IssuerKeys{Fetch: func(ctx context.Context) ([]crypto.PublicKey, error) { return fetchKeys(ctx, metadata.Keys) }},
		algs:    jose.Supported(metadata.Algs)}
	for _, address := range []string{found.endpoint.AuthURL, found.endpoint.TokenURL, metadata.Keys, p.UserInfoEndpoint()} {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Scheme != "https" && !strings.HasPrefix(o.Issuer, "http://")) {
			return nil, errors.New("staff: the issuer names an address without https")
		}
	}
	// An issuer that supports both may accept only one from a given client: both are
	// tried (AutoDetect).
	basic, post := metadata.Methods == nil || slices.Contains(metadata.Methods, "client_secret_basic"),
		slices.Contains(metadata.Methods, "client_secret_post")
	switch {
	case basic && !post:
		found.endpoint.AuthStyle = oauth2.AuthStyleInHeader
	case post && !basic:
		found.endpoint.AuthStyle = oauth2.AuthStyleInParams
	case !basic:
		return nil, errors.New("staff: the issuer takes neither client_secret_basic nor client_secret_post")
	}
	o.issuer = found
	return found, nil
}

// flow returns the configuration of the authorization code flow.
func (s *Service) flow(p *issuer) *oauth2.Config {
	scopes := append([]string{oidc.ScopeOpenID}, s.OIDC.Scopes...)
	if p.offline && !slices.Contains(scopes, oidc.ScopeOfflineAccess) {
		scopes = append(scopes, oidc.ScopeOfflineAccess)
	}
	return &oauth2.Config{ClientID: s.OIDC.ClientID, ClientSecret: s.OIDC.ClientSecret,
		Endpoint: p.endpoint, RedirectURL: s.URL + s.Home + "/sign-in/return", Scopes: scopes}
}

// errNotAdmitted is the reason for denying access to a user whom the issuer
// authenticated.
type errNotAdmitted string

func (e errNotAdmitted) Error() string { return "staff: " + string(e) }

// roleOf returns the most privileged role of a user's groups; false if none has a role.
func (s *Service) roleOf(groups []string) (Role, bool) {
	for _, r := range s.Roles {
		for _, g := range groups {
			if s.OIDC.Roles[g] == r {
				return r, true
			}
		}
	}
	return "", false
}

// admit returns the user of an issuer's account, adding one if a group has a role.
// After the first sign-in, users are identified by the issuer's subject, no longer by
// email address.
func (s *Service) admit(ctx context.Context, c claims) (u User, err error) {
	_, domain, _ := strings.Cut(c.email[strings.LastIndexByte(c.email, '@'):], "@")
	if len(s.OIDC.Domains) > 0 && !slices.ContainsFunc(s.OIDC.Domains,
		func(allowed string) bool { return strings.EqualFold(allowed, domain) }) {
		return u, errNotAdmitted("the address is of no domain that is let in (--oidc-domains)")
	}
	role, grouped := s.roleOf(c.groups)
	if len(s.OIDC.Roles) > 0 && c.groups == nil {
		return u, errNotAdmitted("the claim " + s.OIDC.groupsClaim() + " is missing in the ID token and in UserInfo")
	}
	if len(s.OIDC.Roles) > 0 && !grouped {
		return u, errNotAdmitted("no group has a role (--oidc-roles)")
	}
	subject := s.subjectHash(c.subject)
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		u, err = s.bySubject(ctx, tx, subject)
		if errors.Is(err, store.ErrNotFound) {
			u, err = s.bindByEmail(ctx, tx, c.email, subject, role)
		}
		if err != nil {
			return err
		}
		if !u.Disabled.IsZero() {
			return errNotAdmitted("the account is disabled")
		}
		if grouped && u.Role != role {
			if err := s.setRole(ctx, tx, u.ID, role); err != nil {
				return err
			}
			return s.Record(ctx, tx, Entry{Actor: u.ID, Action: UserChanged, Object: u.ID, Detail: string(role),
				Values: Changed(Value{SettingRole, string(u.Role), string(role)})})
		}
		return nil
	})
	return u, err
}

// subjectHash returns the hash that a user is found by at the issuer.
func (s *Service) subjectHash(subject string) []byte {
	return store.Hash(s.OIDC.Issuer + "\x00" + subject)
}

// bindByEmail binds the user with an email address to an issuer's account. With a role,
// it adds a missing user.
func (s *Service) bindByEmail(ctx context.Context, tx *store.Tx, email string, subject []byte, role Role) (User, error) {
	u, err := s.byEmail(ctx, tx, email)
	if errors.Is(err, store.ErrNotFound) {
		if role == "" {
			return u, errNotAdmitted("the address was not added by an administrator")
		}
		u = User{Email: email, Role: role}
		if u.ID, err = s.Insert(ctx, tx, u, ""); errors.Is(err, ErrKnown) {
			return u, errNotAdmitted("another sign-in is adding the address")
		} else if err != nil {
			return u, err
		}
		err = s.Record(ctx, tx, Entry{Actor: u.ID, Action: UserAdded, Object: u.ID, Detail: string(role)})
	}
	if err != nil {
		return u, err
	}
	if ok, err := s.bindSubject(ctx, tx, u.ID, subject); err != nil {
		return u, err
	} else if !ok {
		return u, errNotAdmitted("the address belongs to another account of the issuer")
	}
	return u, nil
}
