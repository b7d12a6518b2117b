// Package fdxbank is the sandbox's FDX server, on a separate origin. It simulates the
// institutions that package banks marks with FDX, for the sandbox's connector and for
// other FDX clients. Production does not contain it.
//
// Each institution is an issuer, at BASE/{institution}, with discovery documents, key
// set, authorization, pushed authorization requests, token, and revocation endpoints,
// and resources below /fdx/v5 and /fdx/v6. Authorization follows OAuth 2.1: code flow
// with PKCE S256, exact redirect URIs, iss in responses (RFC 9207), codes that serve
// once within a minute, client authentication, access tokens of 15 minutes, and refresh
// tokens that are rotated. The reuse of a code or of a refresh token ends the consent.
// A refresh token is issued for the scope offline_access, and without openid always.
//
// The usernames and passwords are those of the sandbox's other banks (package
// profiles). Some end differently, because an institution has its own ways to say so:
//
//	error                  answers are not JSON
//	supplier_unresponsive  every answer is 503
//	mfa                    no code is accepted: access_denied after three
//	e_banking_unsupported  unmet_authentication_requirements after the sign-in
//
// Further usernames select faults; see Fault.
package fdxbank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/httpx"
	"vestibule/internal/jose"
	"vestibule/internal/provider/sandbox/banks"
	"vestibule/internal/provider/sandbox/profiles"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/store"
	"vestibule/web"
)

// Lifetimes. A page's request begins anew when it is opened.
const (
	CodeLifetime    = time.Minute
	AccessLifetime  = 15 * time.Minute
	pushedLifetime  = time.Minute
	requestLifetime = 15 * time.Minute
	idTokenLifetime = 5 * time.Minute
)

// Config is what a Server needs. DB, Log, Now, BaseURL, and Assets must be set.
type Config struct {
	DB      *store.DB
	Log     *slog.Logger
	Now     func() time.Time // the sandbox's clock
	BaseURL string           // origin that browsers and clients reach it by, such as http://127.0.0.1:8083
	Assets  *web.Assets      // the provider's style sheet and icon, which the server serves itself
	Clients []Client

	// Institutions are the simulated ones; nil: those of the catalogue with FDX.
	Institutions []banks.Bank
	// Faults returns the fault of a user at an institution; nil: FaultOf.
	Faults func(institution, username string) Fault
	// Wait waits for FaultSlow; nil: by the real clock.
	Wait func(context.Context, time.Duration)
}

// Method is a method of client authentication, by its registered name.
type Method string

// Methods of client authentication.
const (
	SecretBasic   Method = "client_secret_basic"
	SecretPost    Method = "client_secret_post"
	PrivateKeyJWT Method = "private_key_jwt"
	TLSClientAuth Method = "tls_client_auth"
)

func methods() []Method { return []Method{SecretBasic, SecretPost, PrivateKeyJWT, TLSClientAuth} }

// Client is a registered client. It is known to every institution.
type Client struct {
	ID           string
	Name         string         // shown to the consumer
	Method       Method         // the only one that is accepted
	Secret       string         // of SecretBasic and SecretPost
	Keys         jose.KeySource // of PrivateKeyJWT
	Certificate  string         // of TLSClientAuth: SHA-256 of the certificate in hexadecimal, or its subject as in RFC 2253
	RedirectURIs []string       // compared character by character
	Days         int            // how long a consent lasts; 0: as long as the service keeps access
}

// Server serves the institutions. It is safe for concurrent use, and replicas may share
// its database.
type Server struct {
	config  Config
	key     *jose.PrivateKey
	banks   map[string]banks.Bank
	clients map[string]Client
	pages   signin.Pages
	http.Handler
	counts Counter
}

// New returns a server. The first call creates the key that signs ID tokens, in the
// database.
func New(ctx context.Context, c Config) (*Server, error) {
	c.BaseURL = strings.TrimSuffix(c.BaseURL, "/")
	if !httpx.IsBaseURL(c.BaseURL) {
		return nil, fmt.Errorf("fdxbank: %q is not a base URL", c.BaseURL)
	}
	if c.Institutions == nil {
		c.Institutions = Institutions()
	}
	if c.Faults == nil {
		c.Faults = func(_, username string) Fault { return FaultOf(username) }
	}
	if c.Wait == nil {
		c.Wait = func(ctx context.Context, d time.Duration) { _ = httpx.Sleep(ctx, d) }
	}
	s := &Server{config: c, banks: map[string]banks.Bank{}, clients: map[string]Client{}}
	for _, b := range c.Institutions {
		s.banks[b.ID] = b
	}
	for _, client := range c.Clients {
		if err := client.check(); err != nil {
			return nil, fmt.Errorf("fdxbank: client %q: %w", client.ID, err)
		}
		if _, there := s.clients[client.ID]; there {
			return nil, fmt.Errorf("fdxbank: two clients have the id %q", client.ID)
		}
		s.clients[client.ID] = client
	}
	var err error
	if s.key, err = StoredKey(ctx, c.DB, "fdx-bank"); err != nil {
		return nil, err
	}
	s.pages = signin.Pages{Log: c.Log, Secure: strings.HasPrefix(c.BaseURL, "https:"), Assets: c.Assets, Name: func(r *http.Request) string {
		b, _ := s.bank(r)
		return b.Name
	}}
	s.Handler = s.routes()
	return s, nil
}

// StoredKey returns the private key that the database has under a name. The first call creates it.
func StoredKey(ctx context.Context, db *store.DB, name string) (*jose.PrivateKey, error) {
	raw, err := db.GetOrCreateSecret(ctx, name, func() ([]byte, error) {
		key, err := jose.GenerateKey()
		if err != nil {
			return nil, err
		}
		return key.Marshal()
	})
	if err != nil {
		return nil, err
	}
	return jose.ParsePrivateKey(raw)
}

// Institutions returns the institutions of the catalogue that are reached by FDX.
func Institutions() []banks.Bank {
	return slices.DeleteFunc(banks.All(), func(b banks.Bank) bool { return !b.FDX })
}

// Issuer returns the issuer of an institution at a base URL.
func Issuer(baseURL, institution string) string {
	return strings.TrimSuffix(baseURL, "/") + "/" + institution
}

// BaseURL returns the base URL of an institution's resources in version 5 or 6.
func BaseURL(baseURL, institution, version string) string {
	return Issuer(baseURL, institution) + "/fdx/v" + version
}

// Scopes returns the scopes that a client may ask for. Without any it gets all but
// openid and offline_access.
func Scopes() []string { return append([]string{scopeOpenID, scopeOffline}, dataScopes()...) }

const (
	scopeOpenID       = "openid"
	scopeOffline      = "offline_access"
	scopeAccounts     = "fdx:accountbasic:read"
	scopeDetails      = "fdx:accountdetailed:read"
	scopeTransactions = "fdx:transactions:read"
	scopeContact      = "fdx:customercontact:read"
	scopePersonal     = "fdx:customerpersonal:read"
	scopeNetworks     = "fdx:paymentsupport:read"
)

func dataScopes() []string {
	return []string{scopeAccounts, scopeDetails, scopeTransactions, scopeContact, scopePersonal, scopeNetworks}
}

// Sweep deletes expired requests, consents, and tokens.
func (s *Server) Sweep(ctx context.Context) error {
	now := s.config.Now()
	return s.config.DB.Sweep(ctx, 200, deleteExpired(expiredRequests, now), deleteExpired(expiredTokens, now),
		deleteExpired(expiredConsents, now), deleteExpired(expiredAssertions, now))
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{institution}/.well-known/openid-configuration", s.discovery)
	mux.HandleFunc("GET /.well-known/oauth-authorization-server/{institution}", s.discovery)
	mux.HandleFunc("GET /{institution}/jwks", s.jwks)
	mux.Handle("POST /{institution}/par", s.oauth(s.push))
	mux.Handle("POST /{institution}/token", s.oauth(s.token))
	mux.Handle("POST /{institution}/revoke", s.oauth(s.revoke))

	mux.Handle("GET /{institution}/authorize", s.pages.Handler(s.authorize))
	mux.Handle("POST /{institution}/authorize", s.pages.Handler(s.authorize)) // also of other sites: it begins a request, as a link does
	mux.Handle("GET /{institution}/authorize/{id}", s.pages.Handler(s.show))
	mux.Handle("POST /{institution}/authorize/{id}", s.pages.Form(s.submit))

	mux.Handle("GET /{institution}/fdx/{version}/customers/current", s.resource(s.customer, scopeContact, scopePersonal))
	mux.Handle("GET /{institution}/fdx/{version}/accounts", s.resource(s.accounts, scopeAccounts, scopeDetails))
	mux.Handle("GET /{institution}/fdx/{version}/accounts/{account}", s.resource(s.account, scopeAccounts, scopeDetails))
	mux.Handle("GET /{institution}/fdx/{version}/accounts/{account}/contact", s.resource(s.contact, scopeContact, scopePersonal))
	mux.Handle("GET /{institution}/fdx/{version}/accounts/{account}/transactions", s.resource(s.transactions, scopeTransactions))
	mux.Handle("GET /{institution}/fdx/{version}/accounts/{account}/payment-networks", s.resource(s.networks, scopeNetworks))

	assets := s.config.Assets.Handler()
	known := httpx.NotFound(s.config.Log, mux, s.errorPage)
	return httpx.Wrap(s.config.Log, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", s.config.Now().UTC().Format(http.TimeFormat)) // clients compare the clocks
		if strings.HasPrefix(r.URL.Path, web.Prefix) {                       // no institution has this name
			assets.ServeHTTP(w, r)
			return
		}
		known.ServeHTTP(w, r)
	}))
}

// errorPage returns the error page if a person reads the answer to a request for an unknown
// address.
func (s *Server) errorPage(r *http.Request) httpx.ErrorPage {
	if strings.Contains(r.URL.Path, "/fdx/") || r.Method != http.MethodGet {
		return nil
	}
	return s.pages.Missing
}

// bank returns the institution of a request's path.
func (s *Server) bank(r *http.Request) (banks.Bank, bool) {
	b, ok := s.banks[r.PathValue("institution")]
	return b, ok
}

func (s *Server) issuer(b banks.Bank) string { return Issuer(s.config.BaseURL, b.ID) }

// data returns what the institution has about a user, which must not be modified. The
// ids differ for each client.
func (s *Server) data(institution, username, clientID string) bankdata.Data {
	profile := profiles.Bank{}.Login(username).Profile
	if fault := FaultOf(username); fault == FaultPartial || fault == FaultDuplicate {
		profile = "multi"
	}
	return profiles.Bank{}.Fetch(cmp.Or(profile, "default"), "fdx/"+institution+"/"+username+"/"+clientID, s.config.Now())
}

func (c Client) check() error {
	if c.ID == "" || c.Name == "" || len(c.RedirectURIs) == 0 || c.Days < 0 {
		return errors.New("needs an id, a name, and redirect URIs")
	}
	for _, raw := range c.RedirectURIs {
		if u, ok := httpx.ParseURL(raw); !ok || strings.Contains(raw, "#") || !httpx.IsSecure(u) {
			return fmt.Errorf("the redirect URI %q is not of https or loopback, or has a fragment", raw)
		}
	}
	switch c.Method {
	case SecretBasic, SecretPost:
		if c.Secret == "" {
			return errors.New("needs a secret")
		}
	case PrivateKeyJWT:
		if c.Keys == nil {
			return errors.New("needs keys")
		}
	case TLSClientAuth:
		if c.Certificate == "" {
			return errors.New("needs a certificate")
		}
	default:
		return fmt.Errorf("%q is not a method of client authentication", c.Method)
	}
	return nil
}

// until returns when a consent for the client ends that begins now.
func (c Client) until(b banks.Bank, now time.Time) time.Time {
	return now.AddDate(0, 0, cmp.Or(c.Days, int(b.Lifetime()/(24*time.Hour))))
}
