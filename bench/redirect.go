//go:build linux

package main

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/lestrrat-go/jwx/v3/jwk"

	"vestibule/internal/jose"
	"vestibule/internal/redirect"
	"vestibule/internal/svcapi"
)

// verifyFigures measures the verification of a returned result token: ours, from the text
// to a claim, with the key from a remote key set; the bare ECDSA verification of the same
// decoded bytes; and go-oidc's verifier with a given key.
func verifyFigures(ctx context.Context, _ string) ([]figure, error) {
	key, err := jose.GenerateKey()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	token, err := jose.Signer{Key: key, Type: "outcome+jwt"}.Sign(now, now.Add(5*time.Minute), jose.Claims{
		"publicToken": publicToken, "outcome": "SUCCESS", "status": "SUCCESS", "redirectArgs": strings.Repeat("r", 43) + ".order-7"})
	if err != nil {
		return nil, err
	}
	set, err := json.Marshal(jose.KeySet{key.Public()})
	if err != nil {
		return nil, err
	}
	parsed, err := jwk.Parse(set)
	if err != nil {
		return nil, err
	}
	first, _ := parsed.Key(0)
	var pub ecdsa.PublicKey
	if err := jwk.Export(first, &pub); err != nil {
		return nil, err
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(set) }))
	defer server.Close()
	profile, err := svcapi.ParseProfile(nil)
	if err != nil {
		return nil, err
	}
	verifier := redirect.NewVerifier(&jose.RemoteKeySet{URL: server.URL}, profile.Result, time.Now)
	peer := oidc.NewVerifier("", &oidc.StaticKeySet{PublicKeys: []crypto.PublicKey{&pub}}, &oidc.Config{
		SkipClientIDCheck: true, SkipIssuerCheck: true, SupportedSigningAlgs: []string{oidc.ES256}})
	dot := strings.LastIndexByte(token, '.')
	signed := []byte(token[:dot])
	sig, err := base64.RawURLEncoding.DecodeString(token[dot+1:])
	if err != nil {
		return nil, err
	}
	r, s := new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])
	const each = 300
	spent, err := alternate(ctx, 21, elapsed, contestant{each, func() error {
		t, err := verifier.Verify(ctx, token)
		if err != nil {
			return err
		}
		_, _, err = t.Text("outcome")
		return err
	}}, contestant{each, func() error {
		sum := sha256.Sum256(signed)
		if !ecdsa.Verify(&pub, sum[:], r, s) {
			return errors.New("the bare verification failed")
		}
		return nil
	}}, contestant{each, func() error {
		t, err := peer.Verify(ctx, token)
		if err != nil {
			return err
		}
		var claims struct{ Outcome string }
		return t.Claims(&claims)
	}})
	if err != nil {
		return nil, err
	}
	return []figure{
		compare("return verification / bare ECDSA verify", "≤ 1.30", micros, spent[0], spent[1]),
		compare("return verification / go-oidc's verifier", "< 1.00", micros, spent[0], spent[2]),
	}, nil
}
