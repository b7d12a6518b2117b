// Package signedresult verifies the signed result with which an applicant returns from a secure redirect. Copy this
// file into your program. It needs github.com/lestrrat-go/jwx/v3.
package signedresult

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/lestrrat-go/jwx/v3/jws"
	"github.com/lestrrat-go/jwx/v3/jwt"
)

// The most bytes of a token, the longest time from its iat to its exp and to now, and the most difference of clocks.
const maxToken, longest, skew = 16 << 10, 10 * time.Minute, 30 * time.Second

// ErrRefused is the error for a result that is not genuine or not this browser's. Do not show the applicant why.
var ErrRefused = errors.New("the signed result is refused")

// Verifier verifies results. It is safe for concurrent use.
type Verifier struct {
	Provider string // the provider's public address, such as https://provider.example
	PublicID string // of your account
	// Consume uses up the attempt that sent redirectArgs, in one transaction. It reports false unless the attempt began before
	// issued and at most an hour ago, in this browser's session, has no result yet, and no other attempt has publicToken.
	Consume func(ctx context.Context, redirectArgs, publicToken string, issued time.Time) (bool, error)

	mu      sync.Mutex
	keys    jwk.Set
	fetched time.Time
}

// Result is a verified result. Outcome is SUCCESS, EXIT or ERROR. Fetch the report with PublicToken.
type Result struct{ Outcome, Status, Error, PublicToken string }

// Token returns the result's token: jwt of a query, or token of a posted form. It has to be the only parameter.
func Token(w http.ResponseWriter, r *http.Request) (string, error) {
	name, values := "jwt", r.URL.Query()
	if r.Method == http.MethodPost {
		r.Body = http.MaxBytesReader(w, r.Body, 2*maxToken)
		if r.ParseForm() != nil || r.URL.RawQuery != "" {
			return "", ErrRefused
		}
		name, values = "token", r.PostForm // empty unless the body is a form
	}
	if len(values) != 1 || len(values[name]) != 1 {
		return "", ErrRefused
	}
	return values[name][0], nil
}

// Verify verifies a token and uses up its attempt. ErrRefused means that the token is to blame; after another error
// the applicant can load the page again.
func (v *Verifier) Verify(ctx context.Context, token string) (Result, error) {
	message, err := jws.Parse([]byte(token), jws.WithCompact())
	if err != nil || len(token) > maxToken || len(message.Signatures()) != 1 {
		return Result{}, ErrRefused
	}
	header := message.Signatures()[0].ProtectedHeaders()
	typ, typed := header.Type()
	kid, _ := header.KeyID()
	if typed && typ != "outcome+jwt" || header.Has("crit") {
		return Result{}, ErrRefused
	}
	key, err := v.key(ctx, kid)
	if err != nil {
		return Result{}, err
	}
	t, err := jwt.Parse([]byte(token), jwt.WithKey(jwa.ES256(), key), jwt.WithAudience(v.PublicID), jwt.WithAcceptableSkew(skew),
		jwt.WithRequiredClaim("iat"), jwt.WithRequiredClaim("exp"))
	if err != nil {
		return Result{}, ErrRefused
	}
	issued, _ := t.IssuedAt()
	expires, _ := t.Expiration()
	issuer, hasIssuer := t.Issuer()
	if !issued.Before(expires) || expires.Sub(issued) > longest || time.Since(issued) > longest || hasIssuer && issuer != v.Provider {
		return Result{}, ErrRefused
	}
	var r Result
	var args string
	for name, to := range map[string]*string{"outcome": &r.Outcome, "status": &r.Status, "error": &r.Error,
		"publicToken": &r.PublicToken, "redirectArgs": &args} {
		_ = t.Get(name, to) // empty if the claim is missing
	}
	mine, err := v.Consume(ctx, args, r.PublicToken, issued)
	if err == nil && !mine {
		err = ErrRefused
	}
	return r, err
}

// key returns the provider's key. It fetches the keys every five minutes, and for an unknown kid every half.
func (v *Verifier) key(ctx context.Context, kid string) (any, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for {
		if v.keys != nil && time.Since(v.fetched) < 5*time.Minute {
			key, ok := v.keys.LookupKeyID(kid)
			var public ecdsa.PublicKey
			if ok && jwk.Export(key, &public) == nil && public.Curve.Params().BitSize == 256 {
				return &public, nil
			}
			if time.Since(v.fetched) < skew {
				return nil, ErrRefused
			}
		}
		keys, err := jwk.Fetch(ctx, v.Provider+"/connect/jwkset")
		if err != nil {
			return nil, err
		}
		v.keys, v.fetched = keys, time.Now()
	}
}
