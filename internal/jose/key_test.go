package jose

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrivateKeySurvivesStorage(t *testing.T) {
	k := newKey(t)
	raw, err := k.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParsePrivateKey(raw)
	if err != nil {
		t.Fatal(err)
	}
	if back.ID != k.ID || !back.key.Equal(k.key) {
		t.Error("another key came back")
	}
}

func TestPrivateKeyIsRefused(t *testing.T) {
	k := newKey(t)
	public, err := json.Marshal(KeySet{k.Public()})
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string]string{
		"empty":      "",
		"a set":      string(public),
		"public":     string(elementOf(t, public)),
		"symmetric":  `{"kty":"oct","k":"c2VjcmV0"}`,
		"not a JWK":  `{"d":"c2VjcmV0"}`,
		"other type": `[1]`,
	} {
		if _, err := ParsePrivateKey([]byte(raw)); !errors.Is(err, ErrUnfitKey) || strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("%s: %v, want %v and nothing of the key", name, err, ErrUnfitKey)
		}
	}
}

// elementOf returns the only key of a marshaled set.
func elementOf(t testing.TB, set []byte) json.RawMessage {
	t.Helper()
	var doc struct{ Keys []json.RawMessage }
	if err := json.Unmarshal(set, &doc); err != nil || len(doc.Keys) != 1 {
		t.Fatalf("not a set of one key: %s", set)
	}
	return doc.Keys[0]
}

// TestPublishedKeySet checks that only public members are published.
func TestPublishedKeySet(t *testing.T) {
	k := newKey(t)
	raw, err := json.Marshal(KeySet{k.Public()})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]string
	if err := json.Unmarshal(elementOf(t, raw), &got); err != nil {
		t.Fatal(err)
	}
	point, err := k.key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": k.ID,
		"x": base64.RawURLEncoding.EncodeToString(point[1:33]), "y": base64.RawURLEncoding.EncodeToString(point[33:])}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	back, err := parseKey(elementOf(t, raw))
	if err != nil || back.ID != k.ID || back.Alg != ES256 {
		t.Errorf("parseKey = %+v, %v", back, err)
	}
	if raw, err = json.Marshal(KeySet{}); err != nil || string(raw) != `{"keys":[]}` {
		t.Errorf("an empty set is %s, %v", raw, err)
	}
}

func ecJWK(t testing.TB, curve elliptic.Curve, name, more string) string {
	t.Helper()
	k, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p, err := k.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	n := len(p) / 2
	enc := base64.RawURLEncoding.EncodeToString
	return fmt.Sprintf(`{"kty":"EC","crv":"%s","x":"%s","y":"%s"%s}`, name, enc(p[1:1+n]), enc(p[1+n:]), more)
}

func rsaJWK(n *big.Int, e int64, more string) string {
	enc := base64.RawURLEncoding.EncodeToString
	return fmt.Sprintf(`{"kty":"RSA","n":"%s","e":"%s"%s}`, enc(n.Bytes()), enc(big.NewInt(e).Bytes()), more)
}

// TestKeyPolicy checks the accepted and the refused kinds of keys.
func TestKeyPolicy(t *testing.T) {
	ec := func(more string) string { return ecJWK(t, elliptic.P256(), "P-256", more) }
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	short := new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 1023), big.NewInt(1))
	long := new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 16384), big.NewInt(1))
	rs := func(more string) string { return rsaJWK(key.N, 65537, more) }
	for _, c := range []struct {
		name, jwk string
		alg       Alg // "": unfit
	}{
		{"EC with all members", ec(`,"kid":"a","alg":"ES256","use":"sig","key_ops":["verify"]`), ES256},
		{"EC without alg", ec(`,"kid":"a"`), ES256},
		{"P-384", ecJWK(t, elliptic.P384(), "P-384", `,"kid":"a"`), ES384},
		{"P-521", ecJWK(t, elliptic.P521(), "P-521", `,"kid":"a"`), ES512},
		{"RSA without alg", rs(`,"kid":"a"`), RS256},
		{"RSA for PS256", rs(`,"kid":"a","alg":"PS256"`), PS256},
		{"unknown members", ec(`,"kid":"a","x5t":"abc","iss":{"y":[1]}`), ES256},

		{"EC for another alg", ec(`,"kid":"a","alg":"ES384"`), ""},
		{"EC for an RSA alg", ec(`,"kid":"a","alg":"RS256"`), ""},
		{"RSA for an EC alg", rs(`,"kid":"a","alg":"ES256"`), ""},
		{"RSA for encryption", rs(`,"kid":"a","alg":"RSA-OAEP"`), ""},
		{"RSA for an unknown alg", rs(`,"kid":"a","alg":"RS128"`), ""},
		{"EC for HS256", ec(`,"kid":"a","alg":"HS256"`), ""},
		{"EC for none", ec(`,"kid":"a","alg":"none"`), ""},
		{"alg a number", ec(`,"kid":"a","alg":1`), ""},
		{"curve of another point", ecJWK(t, elliptic.P384(), "P-256", `,"kid":"a"`), ""},
		{"curve unknown", ecJWK(t, elliptic.P256(), "P-257", `,"kid":"a"`), ""},
		{"point off the curve", `{"kty":"EC","crv":"P-256","kid":"a","x":"` + b64(strings.Repeat("\x01", 32)) +
			`","y":"` + b64(strings.Repeat("\x01", 32)) + `"}`, ""},
		{"point missing", `{"kty":"EC","crv":"P-256","kid":"a"}`, ""},
		{"for encryption", ec(`,"kid":"a","use":"enc"`), ""},
		{"use a list", ec(`,"kid":"a","use":["sig"]`), ""},
		{"key_ops for signing", ec(`,"kid":"a","key_ops":["sign"]`), ""},
		{"key_ops empty", ec(`,"kid":"a","key_ops":[]`), ""},
		{"key_ops a string", ec(`,"kid":"a","key_ops":"verify"`), ""},
		{"kid missing", ec(``), ""},
		{"kid empty", ec(`,"kid":""`), ""},
		{"kid a path", ec(`,"kid":"../a"`), ""},
		{"kid twice", ec(`,"kid":"a","kid":"b"`), ""},
		{"private", ec(`,"kid":"a","d":"AA"`), ""},
		{"RSA with a prime", rs(`,"kid":"a","p":"AA"`), ""},
		{"symmetric", `{"kty":"oct","kid":"a","k":"c2VjcmV0"}`, ""},
		{"symmetric hidden", ec(`,"kid":"a","k":"c2VjcmV0"`), ""},
		{"OKP", `{"kty":"OKP","crv":"Ed25519","kid":"a","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`, ""},
		{"type unknown", `{"kty":"PQ","kid":"a"}`, ""},
		{"type missing", `{"kid":"a"}`, ""},
		{"RSA of 1024 bits", rsaJWK(short, 65537, `,"kid":"a"`), ""},
		{"RSA of 16385 bits", rsaJWK(long, 65537, `,"kid":"a"`), ""},
		{"RSA with e = 3", rsaJWK(key.N, 3, `,"kid":"a"`), ""},
		{"RSA with e = 1", rsaJWK(key.N, 1, `,"kid":"a"`), ""},
		{"RSA with an even e", rsaJWK(key.N, 65538, `,"kid":"a"`), ""},
		{"RSA with an even n", rsaJWK(new(big.Int).Lsh(big.NewInt(1), 2047), 65537, `,"kid":"a"`), ""},
		{"not an object", `"a"`, ""},
		{"nothing", ``, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, err := parseKey([]byte(c.jwk))
			if c.alg == "" {
				if !errors.Is(err, ErrUnfitKey) {
					t.Errorf("parseKey = %+v, %v; want %v", k, err, ErrUnfitKey)
				}
			} else if err != nil || k.Alg != c.alg || k.ID != "a" {
				t.Errorf("parseKey = %+v, %v; want alg %s", k, err, c.alg)
			}
		})
	}
}

func FuzzKeySet(f *testing.F) {
	raw, err := json.Marshal(KeySet{newKey(f).Public()})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(raw))
	f.Add(`{"keys":[` + ecJWK(f, elliptic.P384(), "P-384", `,"kid":"a"`) + `,{}],"x":[1]}`)
	f.Add(`{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"b"}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseSet(strings.NewReader(s), Algs())
		if err == nil && len(got.keys) == 0 {
			t.Error("a set without keys was taken")
		}
	})
}
