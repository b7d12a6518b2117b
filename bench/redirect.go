package main

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/lestrrat-go/jwx/v3/jwk"

	"vestibule/internal/jose"
	"vestibule/internal/redirect"
)

// redirectFigures measures the verification of a returned result token: ours, from the text
// to a claim, with the key from a remote key set; the bare ECDSA verification of the same
// decoded bytes; and go-oidc's verifier with a given key. The three alternate within each
// round, so that other load of the machine affects all alike.
func redirectFigures(ctx context.Context) ([]figure, error) {
	const rounds, each = 21, 300
	sample, err := newOutcome()
	if err != nil {
		return nil, err
	}
	defer sample.stop()
	bare, err := sample.bare()
	if err != nil {
		return nil, err
	}
	contestants := []func() error{sample.ours(ctx), bare, sample.oidc(ctx)}
	times := make([][]float64, len(contestants)) // ns a token, of each round
	for round := range rounds + 1 {
		for turn := range contestants {
			who := (round + turn) % len(contestants)
			began := time.Now()
			for range each {
				if err := contestants[who](); err != nil {
					return nil, err
				}
			}
			if round > 0 { // the first one warms up
				times[who] = append(times[who], float64(time.Since(began).Nanoseconds())/each)
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return []figure{
		compared("return verification / bare ECDSA verify", times[0], times[1], "≤ 1.30"),
		compared("return verification / go-oidc's verifier", times[0], times[2], "< 1.00"),
	}, nil
}

// compared makes a figure of two series of nanoseconds by round.
func compared(name string, ours, peer []float64, wanted string) figure {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = ours[i] / peer[i]
	}
	return figure{
		name: name, wanted: wanted,
		ours:  fmt.Sprintf("%.1f µs", quantile(ours, 0.5)/1000),
		peer:  fmt.Sprintf("%.1f µs", quantile(peer, 0.5)/1000),
		ratio: quantile(ratios, 0.5), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75),
	}
}

func quantile(all []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[int(q*float64(len(sorted)-1))]
}

// outcome is a token of the provider, its public key, and the address of the key set.
type outcome struct {
	token string
	pub   *ecdsa.PublicKey
	keys  *jose.RemoteKeySet
	stop  func()
}

func newOutcome() (*outcome, error) {
	key, err := jose.GenerateKey()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	token, err := jose.Signer{Key: key, Type: redirect.TokenType}.Sign(now, now.Add(5*time.Minute), jose.Claims{
		"publicToken": "4c2b8b1e-6f0e-4c8a-9c6e-0a6f7f1f2f3f", "outcome": "SUCCESS", "status": "SUCCESS",
		"redirectArgs": strings.Repeat("r", 43) + ".order-7"})
	if err != nil {
		return nil, err
	}
	set, pub, err := published(key)
	if err != nil {
		return nil, err
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(set) }))
	return &outcome{token: token, pub: pub, keys: &jose.RemoteKeySet{URL: server.URL}, stop: server.Close}, nil
}

// published returns a key in the provider's published form, and as a peer parses it.
func published(key *jose.PrivateKey) (set []byte, pub *ecdsa.PublicKey, err error) {
	if set, err = json.Marshal(jose.KeySet{key.Public()}); err != nil {
		return nil, nil, err
	}
	parsed, err := jwk.Parse(set)
	if err != nil {
		return nil, nil, err
	}
	first, _ := parsed.Key(0)
	pub = &ecdsa.PublicKey{}
	return set, pub, jwk.Export(first, pub)
}

func (o *outcome) ours(ctx context.Context) func() error {
	verifier := redirect.NewVerifier(o.keys, nil, time.Now)
	return func() error {
		t, err := verifier.Verify(ctx, o.token)
		if err != nil {
			return err
		}
		_, _, err = t.Text("outcome")
		return err
	}
}

func (o *outcome) bare() (func() error, error) {
	dot := strings.LastIndexByte(o.token, '.')
	signed := []byte(o.token[:dot])
	sig, err := base64.RawURLEncoding.DecodeString(o.token[dot+1:])
	if err != nil {
		return nil, err
	}
	r, s := new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])
	return func() error {
		sum := sha256.Sum256(signed)
		if !ecdsa.Verify(o.pub, sum[:], r, s) {
			return errors.New("the bare verification failed")
		}
		return nil
	}, nil
}

func (o *outcome) oidc(ctx context.Context) func() error {
	verifier := oidc.NewVerifier("", &oidc.StaticKeySet{PublicKeys: []crypto.PublicKey{o.pub}}, &oidc.Config{
		SkipClientIDCheck: true, SkipIssuerCheck: true, SupportedSigningAlgs: []string{oidc.ES256}})
	return func() error {
		t, err := verifier.Verify(ctx, o.token)
		if err != nil {
			return err
		}
		var claims struct{ Outcome string }
		return t.Claims(&claims)
	}
}
