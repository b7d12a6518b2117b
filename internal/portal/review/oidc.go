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

// OIDC is the house by whose accounts people may sign in: OpenID Connect, code flow
// with PKCE. Who has signed in there has a place here if a group of theirs has a
// role, or, without such roles, if an administrator has added their address.
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
	provider *discovered // once it was discovered
}

const (
	arrivalLife  = 10 * time.Minute // from the start of a sign-in to its return
	elsewhereMax = 1 << 20          // bytes of an answer of the issuer's
	elsewhere    = "elsewhere"
	returnPath   = "/review/sign-in/return"
)

// limited bounds what is read of an issuer's answers.
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

// issuers asks them: with an end, and without being led elsewhere.
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

// discovered is what the issuer's discovery document says.
type discovered struct {
	*oidc.Provider
	endpoint oauth2.Endpoint
	issued   string // the issuer's name
	client   string // ours, there
	named    bool   // its answers name it (RFC 9207)
}

// discover learns where the issuer's addresses are, once it can be reached.
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
	// An issuer that takes both may take one of a client: both are tried (AutoDetect).
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

// flow is the way there and back.
func (d *Handler) flow(p *discovered) *oauth2.Config {
	return &oauth2.Config{ClientID: d.OIDC.ClientID, ClientSecret: d.OIDC.ClientSecret, Endpoint: p.endpoint, RedirectURL: d.URL + returnPath,
		Scopes: append([]string{oidc.ScopeOpenID}, d.OIDC.Scopes...)}
}

// errNoEntry says why somebody whom the issuer knows is not let in.
type errNoEntry string

func (e errNoEntry) Error() string { return "review: " + string(e) }

// role is what somebody's groups make of them: of several roles that which may
// most. False where none of them has one.
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

// place finds the person here, or makes one for whom a group has a role. Whoever
// came once is known by the issuer's subject, and no longer by an address.
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
