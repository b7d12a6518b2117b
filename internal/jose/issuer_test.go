package jose

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
)

// signedBy makes a token of another issuer by the standard library alone.
func signedBy(t *testing.T, key crypto.Signer, header, payload string) string {
	t.Helper()
	enc := base64.RawURLEncoding.EncodeToString
	input := enc([]byte(header)) + "." + enc([]byte(payload))
	digest := sha256.Sum256([]byte(input))
	var sig []byte
	var err error
	switch k := key.(type) {
	case ed25519.PrivateKey:
		sig = ed25519.Sign(k, []byte(input))
	case *ecdsa.PrivateKey:
		r, s, e := ecdsa.Sign(rand.Reader, k, digest[:])
		sig, err = append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...), e
	case *rsa.PrivateKey:
		if strings.Contains(header, "PS256") {
			sig, err = rsa.SignPSS(rand.Reader, k, crypto.SHA256, digest[:], &rsa.PSSOptions{SaltLength: 32})
		} else {
			sig, err = rsa.SignPKCS1v15(rand.Reader, k, crypto.SHA256, digest[:])
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return input + "." + enc(sig)
}

// TestIssuersTokens verifies tokens of several issuers as a sign-in does, by algorithm names of RFC 7518 and
// RFC 9864, with any kid or none.
func TestIssuersTokens(t *testing.T) {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	ec, err2 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	rs, err3 := rsa.GenerateKey(rand.Reader, 2048)
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	const payload = `{"iss":"https://issuer.example","aud":"us","sub":"s","iat":1700000000.5,"exp":4700000000.25}`
	fetched := 0
	keys := &IssuerKeys{Fetch: func(context.Context) ([]crypto.PublicKey, error) {
		fetched++
		return []crypto.PublicKey{ec.Public(), rs.Public(), ed.Public()}, nil
	}}
	offered := Supported([]string{"none", "HS256", "ES256K", "ML-DSA-44", "ES256", "RS256", "PS256", "EdDSA"})
	if want := []string{"ES256", "RS256", "PS256", "EdDSA", "Ed25519"}; !slices.Equal(offered, want) {
		t.Errorf("offered: %v, want %v", offered, want)
	}
	v := oidc.NewVerifier("https://issuer.example", keys, &oidc.Config{ClientID: "us", SupportedSigningAlgs: offered})
	for header, key := range map[string]crypto.Signer{`{"alg":"EdDSA"}`: ed, `{"alg":"Ed25519","kid":"a/b="}`: ed, `{"alg":"ES256"}`: ec,
		`{"alg":"RS256","kid":"unknown"}`: rs, `{"alg":"PS256"}`: rs} {
		if _, err := v.Verify(t.Context(), signedBy(t, key, header, payload)); err != nil {
			t.Errorf("%s: %v", header, err)
		}
	}
	if fetched != 1 {
		t.Errorf("the set was fetched %d times", fetched)
	}
	_, other, _ := ed25519.GenerateKey(rand.Reader)
	for header, key := range map[string]crypto.Signer{`{"alg":"Ed25519"}`: other, `{"alg":"Ed448"}`: ed, `{"alg":"ed25519"}`: ed,
		`{"alg":"ES256K"}`: ec, `{"alg":"HS256"}`: ed, `{"alg":"none"}`: ed, `{"alg":"ES256"}`: ed, `{"alg":"PS256" }`: ed,
		`{"alg":"EdDSA","crit":["x"],"x":1}`: ed, `{"alg":"EdDSA","b64":false,"crit":["b64"]}`: ed, `{}`: ed} {
		if _, err := v.Verify(t.Context(), signedBy(t, key, header, payload)); err == nil {
			t.Errorf("%s was verified", header)
		}
		if _, err := keys.VerifySignature(t.Context(), signedBy(t, key, header, payload)); err == nil {
			t.Errorf("the signature of %s fits", header)
		}
	}
}

// TestKeySetsOfOthers verifies tokens with key sets as other libraries write them: keys without alg, keys of several
// types with one kid, and one RSA key for two algorithms.
func TestKeySetsOfOthers(t *testing.T) {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	ec, err2 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	rs, err3 := rsa.GenerateKey(rand.Reader, 2048)
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	point, err := ec.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	enc := base64.RawURLEncoding.EncodeToString
	ecKey := func(more string) string {
		return `{"kty":"EC","crv":"P-256","kid":"k","x":"` + enc(point[1:33]) + `","y":"` + enc(point[33:]) + `"` + more + `}`
	}
	rsKey := func(more string) string { return rsaJWK(rs.N, 65537, `,"kid":"k"`+more) }
	edKey := `{"kty":"OKP","crv":"Ed25519","kid":"k","x":"` + enc(ed.Public().(ed25519.PublicKey)) + `"}`
	for _, c := range []struct {
		name, keys, alg string
		key             crypto.Signer
		want            error
	}{
		{"RSA without alg", rsKey(""), "RS256", rs, nil},
		{"RSA without alg", rsKey(""), "PS256", rs, nil},
		{"RSA for RS256", rsKey(`,"alg":"RS256"`), "PS256", rs, ErrAlgorithm},
		{"RSA for both", rsKey(`,"alg":"RS256"`) + "," + rsKey(`,"alg":"PS256"`), "RS256", rs, nil},
		{"RSA for both", rsKey(`,"alg":"RS256"`) + "," + rsKey(`,"alg":"PS256"`), "PS256", rs, nil},
		{"one kid for all", ecKey("") + "," + rsKey("") + "," + edKey, "ES256", ec, nil},
		{"one kid for all", ecKey("") + "," + rsKey("") + "," + edKey, "PS256", rs, nil},
		{"one kid for all", ecKey("") + "," + rsKey("") + "," + edKey, "Ed25519", ed, nil},
		{"one kid for all", ecKey("") + "," + rsKey("") + "," + edKey, "ES256", ed, ErrSignature},
		{"one kid for two RSA keys", rsKey("") + "," + rsaJWK(new(big.Int).Add(rs.N, big.NewInt(2)), 65537, `,"kid":"k"`) + "," + edKey,
			"RS256", rs, ErrAlgorithm},
	} {
		set, err := parseSet(strings.NewReader(`{"keys":[`+c.keys+`]}`), []Alg{ES256, RS256, PS256, EdDSA})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		v := &Verifier{Keys: set.keys, Types: []string{""}, Algs: []Alg{ES256, RS256, PS256, EdDSA}, Now: at(noon)}
		_, err = v.Verify(t.Context(), signedBy(t, c.key, `{"alg":"`+c.alg+`","kid":"k"}`, claims(unix(0), unix(60e9))))
		if !errors.Is(err, c.want) {
			t.Errorf("%s, %s: %v, want %v", c.name, c.alg, err, c.want)
		}
	}
}

// TestFitsHash compares the hash of an access token, by the algorithms of the ID token that has it.
func TestFitsHash(t *testing.T) {
	for alg, hash := range map[string]string{ // made by another library
		"RS256": "Pxa-1wifRlPl7yG_0oJNfw", "ES384": "fPnQAsvCEwe-sRB6O4tsdPgfI-EaOvsY",
		"Ed25519": "Rb10lsqrobcpd02MQ_878ctvfDDbaRese_Z50nFw5Jw", "EdDSA": "Rb10lsqrobcpd02MQ_878ctvfDDbaRese_Z50nFw5Jw"} {
		token := b64(`{"alg":"`+alg+`"}`) + ".e30.AA"
		if !FitsHash(token, "access-token", hash) || FitsHash(token, "access-token", "") || FitsHash(token, "other", hash) {
			t.Errorf("%s: the hash of another token fits, or that of this one does not", alg)
		}
	}
	if FitsHash("x", "access-token", "") {
		t.Error("a hash fits no token")
	}
}

// TestEd25519 verifies a signed result by the algorithm's name of RFC 9864, in the token and in the key.
func TestEd25519(t *testing.T) {
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	x := base64.RawURLEncoding.EncodeToString(pub)
	for _, named := range []string{"", `,"alg":"EdDSA"`, `,"alg":"Ed25519"`} {
		set, err := ParseKeySet([]byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"` + x + `"` + named + `}]}`))
		if err != nil {
			t.Fatalf("%s: %v", named, err)
		}
		for alg, allowed := range map[string][]Alg{"EdDSA": {EdDSA}, "Ed25519": {ES256, EdDSA}} {
			v := &Verifier{Keys: set, Types: []string{""}, Algs: allowed, Now: at(noon)}
			raw := signedBy(t, key, `{"alg":"`+alg+`","kid":"k"}`, claims(unix(0)+".5", unix(60e9)))
			if _, err := v.Verify(t.Context(), raw); err != nil {
				t.Errorf("%s%s: %v", alg, named, err)
			}
			v.Algs = DefaultAlgs()
			if _, err := v.Verify(t.Context(), raw); !errors.Is(err, ErrAlgorithm) {
				t.Errorf("%s, which is not allowed: %v", alg, err)
			}
		}
	}
}
