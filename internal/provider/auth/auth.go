// Package auth authenticates the service's clients: Basic and Bearer authorization,
// the environment of a request, access tokens, and signing keys (API reference:
// Access; docs/divergences.md). It passes the Caller to handlers and rejects all other
// requests; each package decides what a caller may read.
//
// Secrets are 256 random bits, so the database keeps their SHA-256, compared in
// constant time; a slow hash is needed only for secrets that can be guessed.
// Credentials are not cached: a revoked secret and the access tokens obtained with it
// are rejected immediately. Only the verification of a token's signature is cached, for
// ten seconds.
package auth

import (
	"bytes"
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"log/slog"
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
	Now       func() time.Time     // the provider's clock
	Default   contract.Environment // of a request that names none
	Only      contract.Environment // customers of the other environment are unknown; empty: both are served
	// Other is the other environment's, in a process that serves both; nil: none. Its credentials
	// are unknown here, and the log says what they are.
	Other *Authenticator

	verified verifiedTokens

	// Concurrent requests of a client share one query for its credential.
	clients     store.Coalescer[string, []Client] // by client id
	credentials store.Coalescer[string, Client]   // by credential id
	uses        store.Coalescer[string, struct{}] // by credential id
}

// Directory finds customers. Package customers implements it.
type Directory interface {
	// Clients returns the valid credentials of a client id; an empty list is not an error.
	Clients(ctx context.Context, q store.Queryer, clientID string) ([]Client, error)
	// Client returns one valid credential, or store.ErrNotFound.
	Client(ctx context.Context, q store.Queryer, credentialID string) (Client, error)
	// Account returns the account of a publicId, or store.ErrNotFound.
	Account(ctx context.Context, q store.Queryer, publicID string) (Caller, error)
	// MarkUsed sets Client.Used of a credential, unless it is as late already.
	MarkUsed(ctx context.Context, tx *store.Tx, credentialID string, hour time.Time) error
}

// Client is a valid credential with its account.
type Client struct {
	CredentialID string
	SecretHash   []byte    // SHA-256
	Used         time.Time // the hour of its last use; zero for never
	Caller
}

// Caller is the account that a request acts for.
type Caller struct {
	CustomerID  string
	PublicID    string
	ParentID    string // customer id of the parent account; empty for a parent
	Environment contract.Environment
}

type identityKey struct{}

// identity is the value of a request's context.
type identity struct {
	client Client
	caller Caller
}

// ClientOf returns the credential that authenticated the request of ctx: the caller's
// or its parent's. It is the zero Client outside Basic and Bearer.
func ClientOf(ctx context.Context) Client {
	id, _ := ctx.Value(identityKey{}).(identity)
	return id.client
}

// CallerOf returns the account that the request of ctx acts for. It is the zero Caller
// outside Basic and Bearer.
func CallerOf(ctx context.Context) Caller {
	id, _ := ctx.Value(identityKey{}).(identity)
	return id.caller
}

// Basic calls next for requests with a valid client id and secret key. Others get
// MALFORMED_HEADERS or UNKNOWN_CUSTOMER.
func (a *Authenticator) Basic(next httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		client, err := a.client(r, (*Authenticator).basic)
		if err != nil {
			return err
		}
		return a.serveAs(w, r, client, next)
	}
}

// Bearer calls next for requests with a valid access token. Others get
// MALFORMED_HEADERS, UNKNOWN_CUSTOMER, or EXPIRED_TOKEN.
func (a *Authenticator) Bearer(next httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		client, err := a.client(r, (*Authenticator).bearer)
		if err != nil {
			return err
		}
		return a.serveAs(w, r, client, next)
	}
}

// serveAs calls next with the account that the client acts for: its own, or the child
// account that X-PUBLIC-ID names. It changes the error of an unsupported Content-Type to
// MALFORMED_HEADERS (API reference: error responses).
func (a *Authenticator) serveAs(w http.ResponseWriter, r *http.Request, client Client, next httpx.HandlerFunc) error {
	a.markUsed(r.Context(), client)
	caller := client.Caller
	publicID, err := header(r, "X-Public-Id")
	if err != nil {
		return err
	}
	if publicID != "" && publicID != caller.PublicID {
		child, err := a.Directory.Account(r.Context(), a.DB.SQL, publicID)
		if errors.Is(err, store.ErrNotFound) ||
			err == nil && (child.ParentID != caller.CustomerID || child.Environment != caller.Environment) {
			return httpx.NewError(contract.CodeUnknownCustomer, errors.New("X-PUBLIC-ID is not a child of the caller"),
				httpx.Detail{Field: "X-PUBLIC-ID", Message: "must be the publicId of your account or of a child of it"})
		}
		if err != nil {
			return err
		}
		caller = child
	}
	err = next(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, identity{client, caller})))
	if e := (*httpx.Error)(nil); errors.As(err, &e) && e.Code == contract.CodeUnsupportedMediaType && !errors.Is(err, httpx.ErrContentCoding) {
		return malformed("Content-Type", "must be application/json")
	}
	return err
}

// markUsed keeps the hour of a credential's use, with one write an hour. Its failure does not
// fail the request.
func (a *Authenticator) markUsed(ctx context.Context, client Client) {
	hour := a.Now().UTC().Truncate(time.Hour)
	if !client.Used.Before(hour) {
		return
	}
	_, err := a.uses.Do(ctx, client.CredentialID, func(ctx context.Context) (none struct{}, err error) {
		return none, a.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			return a.Directory.MarkUsed(ctx, tx, client.CredentialID, hour)
		})
	})
	if err != nil && ctx.Err() == nil {
		a.Log.WarnContext(ctx, "the use of a credential is not kept", "err", err)
	}
}

// Customer returns the account of a publicId that a browser sent. It returns
// UNKNOWN_CUSTOMER if the account is not in env.
func (a *Authenticator) Customer(ctx context.Context, q store.Queryer, publicID string, env contract.Environment) (Caller, error) {
	c, err := a.Directory.Account(ctx, q, publicID)
	if errors.Is(err, store.ErrNotFound) || err == nil && (c.Environment != env || !a.serves(env)) {
		return Caller{}, inEnvironment(unknown("no such publicId in this environment"), "publicId belongs", env)
	}
	return c, err
}

// Environment returns the environment of X-ENVIRONMENT or, without that header, the provider's.
func (a *Authenticator) Environment(r *http.Request) (contract.Environment, error) {
	env, err := NamedEnvironment(r)
	return cmp.Or(env, a.Default), err
}

// NamedEnvironment returns the environment of X-ENVIRONMENT, or "" without that header.
func NamedEnvironment(r *http.Request) (contract.Environment, error) {
	named, err := header(r, "X-Environment")
	if env := contract.Environment(named); err != nil || named == "" || env.Valid() {
		return env, err
	}
	return "", malformed("X-ENVIRONMENT", "must be sandbox or production, in lower case")
}

// serves reports whether this process serves customers of an environment.
func (a *Authenticator) serves(env contract.Environment) bool { return a.Only == "" || a.Only == env }

// client returns the valid credential of a request in the environment that it names. Whatever
// is refused is looked up in the other environment, so that the time does not tell which it is of.
func (a *Authenticator) client(r *http.Request, find func(*Authenticator, *http.Request) (Client, error)) (c Client, err error) {
	env, err := a.Environment(r)
	if err != nil {
		return Client{}, err
	}
	defer func() { err = inEnvironment(err, "The credentials belong", env) }()
	c, err = find(a, r)
	if err == nil && (c.Environment != env || !a.serves(env)) {
		return Client{}, unknown("credentials of the other environment")
	}
	if e := (*httpx.Error)(nil); a.Other != nil && errors.As(err, &e) && e.Code == contract.CodeUnknownCustomer {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second) // the other database may be away
		defer cancel()
		if _, other := find(a.Other, r.WithContext(ctx)); other == nil {
			return Client{}, unknown("credentials of the " + string(a.Other.Default) + " environment at the " + string(a.Default) + " host")
		}
	}
	return c, err
}

// inEnvironment adds to UNKNOWN_CUSTOMER in which environment the request was searched: the one that
// it named, and never the one that knows the credentials.
func inEnvironment(err error, subject string, env contract.Environment) error {
	if e := (*httpx.Error)(nil); errors.As(err, &e) && e.Code == contract.CodeUnknownCustomer {
		e.Message = subject + " to no customer of the " + string(env) + " environment."
	}
	return err
}

func (a *Authenticator) basic(r *http.Request) (Client, error) {
	value, err := authorization(r, "Basic")
	if err != nil {
		return Client{}, err
	}
	raw, err := decode(value)
	if err != nil {
		return Client{}, unreadable("Basic", value, "is not base64 after the scheme")
	}
	id, secret, ok := strings.Cut(string(raw), ":")
	if !ok || id == "" || secret == "" || !utf8.Valid(raw) || strings.ContainsRune(id, 0) {
		return Client{}, unreadable("Basic", string(raw), "has no text on both sides of a colon in its base64")
	}
	clients, err := a.clients.Do(r.Context(), id, func(ctx context.Context) ([]Client, error) {
		return a.Directory.Clients(ctx, a.DB.SQL, id)
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
	if found.CredentialID == "" {
		if word := cmp.Or(httpx.Placeholder(id), httpx.Placeholder(secret)); word != "" {
			return Client{}, unreadable("Basic", "", word)
		}
		return Client{}, unknown("unknown client or wrong secret")
	}
	return found, nil
}

func (a *Authenticator) bearer(r *http.Request) (Client, error) {
	value, err := authorization(r, "Bearer")
	if err != nil {
		return Client{}, err
	}
	raw, err := decode(value)
	if err != nil {
		return Client{}, unreadable("Bearer", value, "is not base64 after the scheme")
	}
	if bytes.Count(raw, []byte(".")) != 2 {
		return Client{}, unreadable("Bearer", string(raw), "has no accessToken in its base64")
	}
	id, err := a.credential(r.Context(), raw)
	if err != nil {
		return Client{}, err
	}
	client, err := a.credentials.Do(r.Context(), id, func(ctx context.Context) (Client, error) {
		return a.Directory.Client(ctx, a.DB.SQL, id)
	})
	if errors.Is(err, store.ErrNotFound) {
		return Client{}, unknown("access token of a revoked secret")
	}
	return client, err
}

// credential verifies an access token and returns the id of the credential that
// obtained it.
func (a *Authenticator) credential(ctx context.Context, raw []byte) (string, error) {
	now := a.Now()
	if id := a.verified.find(raw, now); id != "" {
		return id, nil
	}
	keys, err := a.Keys.Set(ctx, a.DB.SQL, AccessKeys)
	if err != nil {
		return "", err
	}
	v := jose.Verifier{Keys: keys, Types: []string{accessType}, Algs: []jose.Alg{jose.ES256}, Now: func() time.Time { return now }}
	token, err := v.Verify(ctx, string(raw))
	switch {
	case errors.Is(err, jose.ErrExpired), errors.Is(err, jose.ErrTooOld), errors.Is(err, jose.ErrNotYet),
		err == nil && !now.Before(token.Expires): // without tolerance, because one clock sets both times
		return "", httpx.NewError(contract.CodeExpiredToken, errors.New("access token is not valid at this time"))
	case err != nil:
		return "", httpx.NewError(contract.CodeUnknownCustomer, err)
	}
	id, _, err := token.Text("sub")
	if err != nil {
		return "", httpx.NewError(contract.CodeUnknownCustomer, err)
	}
	a.verified.store(raw, id, now, token.Expires)
	return id, nil
}

// authorization returns the text after the scheme in the single Authorization header.
func authorization(r *http.Request, scheme string) (string, error) {
	value, err := header(r, "Authorization")
	if err != nil {
		return "", err
	}
	if value == "" {
		return "", malformed("Authorization", "is missing; send "+wanted[scheme])
	}
	got, rest, ok := strings.Cut(value, " ")
	rest = strings.TrimSpace(rest)
	if !ok || !strings.EqualFold(got, scheme) || rest == "" || strings.ContainsAny(rest, " \t") {
		return "", malformed("Authorization", "must be "+wanted[scheme])
	}
	return rest, nil
}

// wanted are the words for a valid Authorization header, by scheme.
var wanted = map[string]string{"Basic": "Basic and the base64 of clientId:secretKey", "Bearer": "Bearer and the base64 of an accessToken"}

// unreadable returns UNKNOWN_CUSTOMER for a value that cannot be valid. Only a placeholder is quoted.
func unreadable(scheme, value, problem string) error {
	problem = cmp.Or(httpx.Placeholder(value), problem)
	return httpx.NewError(contract.CodeUnknownCustomer, errors.New("Authorization "+problem),
		httpx.Detail{Field: "Authorization", Message: problem + "; send " + wanted[scheme]})
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

func malformed(name, message string) error {
	return httpx.NewError(contract.CodeMalformedHeaders, errors.New("malformed header"), httpx.Detail{Field: name, Message: message})
}

func unknown(reason string) error {
	return httpx.NewError(contract.CodeUnknownCustomer, errors.New(reason))
}
