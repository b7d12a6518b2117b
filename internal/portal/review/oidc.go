package review

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/uuid"
	"golang.org/x/oauth2"

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

	Domains     []string `name:"oidc-domains" sep:"," placeholder:"DOMAIN" help:"Email domains that may sign in. Default: all."`
	Scopes      []string `name:"oidc-scopes" sep:"," default:"email,profile" placeholder:"SCOPE" help:"Scopes requested besides openid."`
	GroupsClaim string   `name:"oidc-groups-claim" default:"groups" placeholder:"CLAIM" help:"Claim that lists a user's groups."`
	Verified    string   `name:"oidc-verified-claim" default:"email_verified" placeholder:"CLAIM" help:"Claim of a verified email."`
	// Without roles, only users whom an administrator has added may sign in.
	Roles map[string]Role `name:"oidc-roles" mapsep:"," placeholder:"GROUP=ROLE,…" help:"Role by group: reviewer, administrator or auditor."`

	mu       sync.Mutex
	provider *discovered // cached discovery result
}

const (
	arrivalLife  = 10 * time.Minute // from the start of a sign-in to its callback
	elsewhereMax = 1 << 20          // maximum bytes of an issuer's response
	elsewhere    = "elsewhere"
	returnPath   = "/review/sign-in/return"
)

// limited bounds how much of an issuer's responses is read.
type limited struct{ http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, elsewhereMax), resp.Body}
	}
	return resp, err
}

// issuers is the HTTP client for requests to issuers. It has a timeout and follows no
// redirects.
var issuers = &http.Client{Timeout: 10 * time.Second, Transport: limited{http.DefaultTransport},
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

// discovered holds the issuer's discovery document.
type discovered struct {
	*oidc.Provider
	endpoint oauth2.Endpoint
	issued   string // the issuer's identifier
	client   string // our client ID at the issuer
	named    bool   // its authorization responses include iss (RFC 9207)
}

// discover fetches the issuer's metadata once, retrying after failures.
func (o *OIDC) discover() (*discovered, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.provider != nil {
		return o.provider, nil
	}
	p, err := oidc.NewProvider(oidc.ClientContext(context.Background(), issuers), o.Issuer)
	if err != nil {
		return nil, err
	}
	var said struct {
		Keys    string   `json:"jwks_uri"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
		Named   bool     `json:"authorization_response_iss_parameter_supported"`
	}
	if err := p.Claims(&said); err != nil {
		return nil, err
	}
	found := &discovered{Provider: p, endpoint: p.Endpoint(), issued: o.Issuer, client: o.ClientID, named: said.Named}
	for _, address := range []string{found.endpoint.AuthURL, found.endpoint.TokenURL, said.Keys, p.UserInfoEndpoint()} {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Scheme != "https" && !strings.HasPrefix(o.Issuer, "http://")) {
			return nil, errors.New("review: the issuer names an address without https")
		}
	}
	// An issuer that supports both may accept only one from a given client: both are
	// tried (AutoDetect).
	basic, post := said.Methods == nil || slices.Contains(said.Methods, "client_secret_basic"), slices.Contains(said.Methods, "client_secret_post")
	switch {
	case basic && !post:
		found.endpoint.AuthStyle = oauth2.AuthStyleInHeader
	case post && !basic:
		found.endpoint.AuthStyle = oauth2.AuthStyleInParams
	case !basic:
		return nil, errors.New("review: the issuer takes neither client_secret_basic nor client_secret_post")
	}
	o.provider = found
	return found, nil
}

// flow returns the configuration of the authorization code flow.
func (d *Handler) flow(p *discovered) *oauth2.Config {
	return &oauth2.Config{ClientID: d.OIDC.ClientID, ClientSecret: d.OIDC.ClientSecret, Endpoint: p.endpoint, RedirectURL: d.URL + returnPath,
		Scopes: append([]string{oidc.ScopeOpenID}, d.OIDC.Scopes...)}
}

// errNoEntry is the reason for denying access to a user whom the issuer
// authenticated.
type errNoEntry string

func (e errNoEntry) Error() string { return "review: " + string(e) }

// role returns the most privileged role of a user's groups; false if none has a role.
func (o *OIDC) role(groups []string) (Role, bool) {
	for _, r := range []Role{Administrator, Reviewer, Auditor} {
		for _, g := range groups {
			if o.Roles[g] == r {
				return r, true
			}
		}
	}
	return "", false
}

// place returns the user's ID, creating a user if one of their groups has a role.
// After the first sign-in, users are identified by the issuer's subject, no longer by
// email address.
func (d *Handler) place(ctx context.Context, who claims) (id string, err error) {
	_, domain, _ := strings.Cut(who.email[strings.LastIndexByte(who.email, '@'):], "@")
	if len(d.OIDC.Domains) > 0 && !slices.ContainsFunc(d.OIDC.Domains, func(allowed string) bool { return strings.EqualFold(allowed, domain) }) {
		return "", errNoEntry("the address is of no domain that is let in (--oidc-domains)")
	}
	role, grouped := d.OIDC.role(who.groups)
	if len(d.OIDC.Roles) > 0 && who.groups == nil {
		return "", errNoEntry("the claim " + d.OIDC.groupsClaim() + " is missing in the ID token and in UserInfo")
	}
	if len(d.OIDC.Roles) > 0 && !grouped {
		return "", errNoEntry("no group has a role (--oidc-roles)")
	}
	subject := store.Hash(d.OIDC.Issuer + "\x00" + who.subject)
	err = d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		found, err := reviewerBySubject(ctx, tx, subject)
		if errors.Is(err, store.ErrNotFound) {
			found, err = reviewerByEmail(ctx, tx, who.email)
			switch {
			case errors.Is(err, store.ErrNotFound) && grouped:
				found = reviewer{id: uuid.NewString(), role: role}
				if _, err = d.insertReviewer(ctx, tx, found.id, who.email, "", role); err != nil {
					return err
				}
				err = d.write(ctx, tx, auditLine{actor: found.id, action: personAdded, object: found.id, detail: string(role)})
			case errors.Is(err, store.ErrNotFound):
				return errNoEntry("the address was not added by an administrator")
			}
			if err != nil {
				return err
			}
			if ok, err := bindSubject(ctx, tx, found.id, subject); err != nil {
				return err
			} else if !ok {
				return errNoEntry("the address belongs to another account of the issuer")
			}
		}
		if err != nil {
			return err
		}
		if !found.disabled.IsZero() {
			return errNoEntry("the account is disabled")
		}
		if id = found.id; grouped && found.role != role {
			if err := setRole(ctx, tx, id, role); err != nil {
				return err
			}
			return d.write(ctx, tx, auditLine{actor: id, action: personChanged, object: id, detail: string(role)})
		}
		return nil
	})
	return id, err
}
