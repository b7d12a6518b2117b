// Package auth is where the service's clients are recognised: Basic and Bearer
// authorization, the environment a request is meant for, access tokens, and the
// keys that sign (document 1, Authentication; document 2, Authentication; the
// project's divergences for what they leave open). It gives handlers a Caller
// and refuses everybody else; what a caller may see is each capability's own
// affair.
//
// Secrets are 256 random bits, so what is kept of them is their SHA-256 and they
// are compared in constant time; a slow hash is for secrets that can be guessed.
// Nothing about a client is cached: a revoked secret is refused at once, and so
// are the access tokens that it obtained. That a token is ours is remembered for
// ten seconds.
package auth

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jose"
	"vestibule/internal/store"
)

// TokenLifetime is how long an access token is good for (document 1, Limits).
const TokenLifetime = 5 * time.Minute

// accessType is the typ of access tokens; no other token of ours has it.
const accessType = "access+jwt"

// Authenticator recognises callers.
type Authenticator struct {
	DB        *store.DB
	Directory Directory
	Keys      *Keys
	Log       *slog.Logger
	Now       func() time.Time                // the provider's clock
	Default   contract.Environment            // of a request that names none, on a host that is not in Hosts
	Hosts     map[string]contract.Environment // by host name without port; nil: every host is Default's
	Only      contract.Environment            // customers of another one are unknown; empty: both are served

	verified verifiedTokens

	// One customer's requests come many at a time, and each asks for its credential.
	clients     store.Coalescer[string, []Client] // by client id
	credentials store.Coalescer[string, Client]   // by credential id
}

// Directory finds customers. customers implements it.
type Directory interface {
	// Clients returns the live credentials of a client id; none is no error.
	Clients(ctx context.Context, q store.Queryer, clientID string) ([]Client, error)
	// Client returns one live credential, or store.ErrNotFound.
	Client(ctx context.Context, q store.Queryer, credentialID string) (Client, error)
	// Account returns the account of a publicId, or store.ErrNotFound.
	Account(ctx context.Context, q store.Queryer, publicID string) (Caller, error)
}

// Client is a live credential and whose it is.
type Client struct {
	CredentialID string
	SecretHash   []byte // SHA-256
	Caller
}

// Caller is the account that a request acts for.
type Caller struct {
	CustomerID  string
	PublicID    string
	ParentID    string // customer id of the parent account; empty for a parent
	Environment contract.Environment
}

type admittedKey struct{}

// admitted is what a request's context carries.
type admitted struct {
	client Client
	caller Caller
}

// ClientOf returns the credential that the request of ctx came with, and whose it
// is: the caller's own, or its parent's. The zero Client outside Basic and Bearer.
func ClientOf(ctx context.Context) Client {
	a, _ := ctx.Value(admittedKey{}).(admitted)
	return a.client
}

// CallerOf returns the account that the request of ctx acts for; the zero Caller
// outside Basic and Bearer.
func CallerOf(ctx context.Context) Caller {
	a, _ := ctx.Value(admittedKey{}).(admitted)
	return a.caller
}

// Basic admits requests that carry a client id and secret key.
func (g *Authenticator) Basic(next httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		client, err := g.basic(r)
		if err != nil {
			return err
		}
		return g.admit(w, r, client, next)
	}
}

// Bearer admits requests that carry an access token.
func (g *Authenticator) Bearer(next httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		client, err := g.bearer(r)
		if err != nil {
			return err
		}
		return g.admit(w, r, client, next)
	}
}

// admit settles which account the client acts for: its own, or a child's that
// X-PUBLIC-ID names. A content type that next does not take is a malformed header
// here, as the contract has it for its clients' bodies (document 2, Errors).
func (g *Authenticator) admit(w http.ResponseWriter, r *http.Request, client Client, next httpx.HandlerFunc) error {
	caller := client.Caller
	publicID, err := header(r, "X-Public-Id")
	if err != nil {
		return err
	}
	if publicID != "" && publicID != caller.PublicID {
		child, err := g.Directory.Account(r.Context(), g.DB.SQL, publicID)
		if errors.Is(err, store.ErrNotFound) ||
			err == nil && (child.ParentID != caller.CustomerID || child.Environment != caller.Environment) {
			return httpx.NewError(contract.CodeUnknownCustomer, errors.New("X-PUBLIC-ID is no child of the caller"))
		}
		if err != nil {
			return err
		}
		caller = child
	}
	err = next(w, r.WithContext(context.WithValue(r.Context(), admittedKey{}, admitted{client, caller})))
	if e := (*httpx.Error)(nil); errors.As(err, &e) && e.Code == contract.CodeUnsupportedMediaType && !errors.Is(err, httpx.ErrContentCoding) {
		return malformed("Content-Type", "must be application/json")
	}
	return err
}

// Customer returns the account of a publicId that a browser gave, if it is of
// the environment; else UNKNOWN_CUSTOMER.
func (g *Authenticator) Customer(ctx context.Context, q store.Queryer, publicID string, env contract.Environment) (Caller, error) {
	c, err := g.Directory.Account(ctx, q, publicID)
	if errors.Is(err, store.ErrNotFound) || err == nil && (c.Environment != env || !g.serves(env)) {
		return Caller{}, httpx.NewError(contract.CodeUnknownCustomer, errors.New("no such publicId in this environment"))
	}
	return c, err
}

// Environment is the one that the request is meant for: what X-ENVIRONMENT says,
// else the host's.
func (g *Authenticator) Environment(r *http.Request) (contract.Environment, error) {
	named, err := header(r, "X-Environment")
	if err != nil {
		return "", err
	}
	if named != "" {
		if env := contract.Environment(named); env.Valid() {
			return env, nil
		}
		return "", malformed("X-ENVIRONMENT", "is neither sandbox nor production")
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if env, ok := g.Hosts[host]; ok {
		return env, nil
	}
	return g.Default, nil
}

// serves reports whether customers of an environment are known here.
func (g *Authenticator) serves(env contract.Environment) bool { return g.Only == "" || g.Only == env }

func (g *Authenticator) basic(r *http.Request) (Client, error) {
	env, err := g.Environment(r)
	if err != nil {
		return Client{}, err
	}
	value, err := authorization(r, "Basic")
	if err != nil {
		return Client{}, err
	}
	raw, err := decode(value)
	if err != nil {
		return Client{}, unknown("credentials are not base-64")
	}
	id, secret, ok := strings.Cut(string(raw), ":")
	if !ok || !utf8.Valid(raw) || strings.ContainsRune(id, 0) {
		return Client{}, unknown("credentials have no colon, or are no text")
	}
	clients, err := g.clients.Do(r.Context(), id, func(ctx context.Context) ([]Client, error) {
		return g.Directory.Clients(ctx, g.DB.SQL, id)
	})
	if err != nil {
		return Client{}, err
	}
	// An unknown client is compared with a hash that nothing has, so that the
	// time does not tell which ids exist.
	hash, found := store.Hash(secret), Client{}
	if len(clients) == 0 {
		clients = []Client{{SecretHash: make([]byte, len(hash))}}
	}
	for _, c := range clients {
		if subtle.ConstantTimeCompare(hash, c.SecretHash) == 1 {
			found = c
		}
	}
	switch {
	case found.CredentialID == "":
		return Client{}, unknown("unknown client or wrong secret")
	case found.Environment != env, !g.serves(env):
		return Client{}, unknown("credentials of the other environment")
	}
	return found, nil
}

func (g *Authenticator) bearer(r *http.Request) (Client, error) {
	env, err := g.Environment(r)
	if err != nil {
		return Client{}, err
	}
	value, err := authorization(r, "Bearer")
	if err != nil {
		return Client{}, err
	}
	raw, err := decode(value)
	if err != nil {
		return Client{}, unknown("access token is not base-64")
	}
	id, err := g.credential(r.Context(), raw)
	if err != nil {
		return Client{}, err
	}
	client, err := g.credentials.Do(r.Context(), id, func(ctx context.Context) (Client, error) {
		return g.Directory.Client(ctx, g.DB.SQL, id)
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && (client.Environment != env || !g.serves(env)) {
		return Client{}, unknown("access token of a revoked secret or of the other environment")
	}
	return client, err
}

// credential verifies an access token and returns the id of the credential that
// obtained it.
func (g *Authenticator) credential(ctx context.Context, raw []byte) (string, error) {
	now := g.Now()
	if id := g.verified.find(raw, now); id != "" {
		return id, nil
	}
	keys, err := g.Keys.Set(ctx, g.DB.SQL, AccessKeys)
	if err != nil {
		return "", err
	}
	v := jose.Verifier{Keys: keys, Types: []string{accessType}, Algs: []jose.Alg{jose.ES256}, Now: func() time.Time { return now }}
	token, err := v.Verify(ctx, string(raw))
	switch {
	case errors.Is(err, jose.ErrExpired), errors.Is(err, jose.ErrTooOld), errors.Is(err, jose.ErrNotYet),
		err == nil && !now.Before(token.Expires): // no grace: both times are our own clock's
		return "", httpx.NewError(contract.CodeExpiredToken, errors.New("access token is not good at this time"))
	case err != nil:
		return "", httpx.NewError(contract.CodeUnknownCustomer, err)
	}
	id, _, err := token.Text("sub")
	if err != nil {
		return "", httpx.NewError(contract.CodeUnknownCustomer, err)
	}
	g.verified.keep(raw, id, now, token.Expires)
	return id, nil
}

// authorization returns what follows the scheme in the one Authorization header.
func authorization(r *http.Request, scheme string) (string, error) {
	value, err := header(r, "Authorization")
	if err != nil {
		return "", err
	}
	got, rest, ok := strings.Cut(value, " ")
	rest = strings.TrimSpace(rest)
	if !ok || !strings.EqualFold(got, scheme) || rest == "" || strings.ContainsAny(rest, " \t") {
		return "", malformed("Authorization", "must be "+scheme+" and one value")
	}
	return rest, nil
}

// decode reads base-64 with or without padding, strictly.
func decode(s string) ([]byte, error) {
	return base64.RawStdEncoding.Strict().DecodeString(trimPadding(s))
}

func trimPadding(s string) string {
	if len(s)%4 != 0 {
		return s
	}
	return strings.TrimSuffix(strings.TrimSuffix(s, "="), "=")
}

// header returns the one value of a header, or empty when it is not there.
func header(r *http.Request, name string) (string, error) {
	switch values := r.Header.Values(name); len(values) {
	case 0:
		return "", nil
	case 1:
		if !utf8.ValidString(values[0]) {
			return "", malformed(strings.ToUpper(name), "is not valid UTF-8")
		}
		return strings.TrimSpace(values[0]), nil
	}
	return "", malformed(strings.ToUpper(name), "is given twice")
}

func malformed(name, words string) error {
	return httpx.NewError(contract.CodeMalformedHeaders, errors.New("malformed header"), httpx.Detail{Field: name, Message: words})
}

func unknown(why string) error { return httpx.NewError(contract.CodeUnknownCustomer, errors.New(why)) }
