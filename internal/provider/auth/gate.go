// Package auth authenticates the service's clients: Basic and Bearer authorization,
// the environment of a request, access tokens, and signing keys (API reference:
// Access; docs/divergences.md). It passes the Caller to handlers and rejects all other
// requests; each package decides what a caller may read.
//
// Secrets are 256 random bits, so the database keeps their SHA-256, compared in
// constant time; a slow hash is needed only for secrets that can be guessed.
// Credentials are not cached: a revoked secret and the access tokens obtained with it
// are rejected at once. Only the verification of a token's signature is remembered,
// for ten seconds.
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

// TokenLifetime is the lifetime of an access token.
const TokenLifetime = 5 * time.Minute

// accessType is the typ of access tokens; no other token of the service uses it.
const accessType = "access+jwt"

// Authenticator authenticates callers.
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

	// One customer sends many requests at a time, and each reads its credential.
	clients     store.Coalescer[string, []Client] // by client id
	credentials store.Coalescer[string, Client]   // by credential id
}

// Directory finds customers. customers implements it.
type Directory interface {
	// Clients returns the live credentials of a client id; an empty list is not an error.
	Clients(ctx context.Context, q store.Queryer, clientID string) ([]Client, error)
	// Client returns one live credential, or store.ErrNotFound.
	Client(ctx context.Context, q store.Queryer, credentialID string) (Client, error)
	// Account returns the account of a publicId, or store.ErrNotFound.
	Account(ctx context.Context, q store.Queryer, publicID string) (Caller, error)
}

// Client is a live credential and the account that owns it.
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

// admitted is the value in a request's context.
type admitted struct {
	client Client
	caller Caller
}

// ClientOf returns the credential that authenticated the request of ctx: the caller's
// or its parent's. It is the zero Client outside Basic and Bearer.
func ClientOf(ctx context.Context) Client {
	a, _ := ctx.Value(admittedKey{}).(admitted)
	return a.client
}

// CallerOf returns the account that the request of ctx acts for. It is the zero Caller
// outside Basic and Bearer.
func CallerOf(ctx context.Context) Caller {
	a, _ := ctx.Value(admittedKey{}).(admitted)
	return a.caller
}

// Basic calls next for requests with a valid client id and secret key.
func (g *Authenticator) Basic(next httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		client, err := g.basic(r)
		if err != nil {
			return err
		}
		return g.admit(w, r, client, next)
	}
}

// Bearer calls next for requests with a valid access token.
func (g *Authenticator) Bearer(next httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		client, err := g.bearer(r)
		if err != nil {
			return err
		}
		return g.admit(w, r, client, next)
	}
}

// admit determines the account that the client acts for: its own, or the child account
// that X-PUBLIC-ID names. A Content-Type that next does not accept is
// MALFORMED_HEADERS here, as for all bodies of clients (API reference: error
// responses).
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

// Customer returns the account of a publicId that a browser sent. It returns
// UNKNOWN_CUSTOMER if the account is not in env.
func (g *Authenticator) Customer(ctx context.Context, q store.Queryer, publicID string, env contract.Environment) (Caller, error) {
	c, err := g.Directory.Account(ctx, q, publicID)
	if errors.Is(err, store.ErrNotFound) || err == nil && (c.Environment != env || !g.serves(env)) {
		return Caller{}, httpx.NewError(contract.CodeUnknownCustomer, errors.New("no such publicId in this environment"))
	}
	return c, err
}

// Environment returns the environment of X-ENVIRONMENT or, without that header, of the
// request's host.
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

// serves reports whether this process serves customers of an environment.
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
	// Compare the secret of an unknown client with a random hash, so that the response
	// time does not reveal which ids exist.
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
	g.verified.store(raw, id, now, token.Expires)
	return id, nil
}

// authorization returns the text after the scheme in the single Authorization header.
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

// decode decodes base64 with or without padding, strictly.
func decode(s string) ([]byte, error) {
	return base64.RawStdEncoding.Strict().DecodeString(trimPadding(s))
}

func trimPadding(s string) string {
	if len(s)%4 != 0 {
		return s
	}
	return strings.TrimSuffix(strings.TrimSuffix(s, "="), "=")
}

// header returns the single value of a header, or "" without the header.
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
