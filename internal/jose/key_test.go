package jose

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jws"
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
	if back.ID != k.ID || !back.key.(*ecdsa.PrivateKey).Equal(k.key) {
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

// TestSigningAlgorithms checks tokens of every kind of key with both verifiers.
func TestSigningAlgorithms(t *testing.T) {
	type signer struct {
		crypto.Signer
		err error
	}
	made := func(key crypto.Signer, err error) signer { return signer{key, err} }
	rsaKey := made(rsa.GenerateKey(rand.Reader, 2048))
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	for _, c := range []struct {
		key  signer
		want []Alg
	}{
		{made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), []Alg{ES256}},
		{made(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)), []Alg{ES384}},
		{made(ecdsa.GenerateKey(elliptic.P521(), rand.Reader)), []Alg{ES512}},
		{rsaKey, []Alg{PS256, RS256, PS384, RS384, PS512, RS512}},
		{made(edKey, err), []Alg{EdDSA, ed25519Alg}},
	} {
		if c.key.err != nil {
			t.Fatal(c.key.err)
		}
		k, err := NewPrivateKey(c.key.Signer)
		if err != nil || !slices.Equal(k.Algs(), c.want) || k.Alg != c.want[0] {
			t.Errorf("NewPrivateKey = %+v, %v, want %v", k, err, c.want)
			continue
		}
		raw, err := k.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if k, err = ParsePrivateKey(raw); err != nil {
			t.Errorf("%s: %v", c.want[0], err)
			continue
		}
		for _, alg := range c.want {
			token, err := Signer{Key: k.For(alg), Type: "JWT"}.Sign(noon, noon.Add(time.Minute), Claims{"sub": "a"})
			if err != nil {
				t.Errorf("%s: %v", alg, err)
				continue
			}
			published, err := json.Marshal(KeySet{k.For(alg).Public()})
			if err != nil {
				t.Fatal(err)
			}
			set, err := ParseKeySet(published)
			if err != nil {
				t.Errorf("%s: %s: %v", alg, published, err)
				continue
			}
			v := Verifier{Keys: set, Types: []string{"JWT"}, Algs: []Alg{algOf(string(alg))}, Now: at(noon)}
			if _, err := v.Verify(t.Context(), token); err != nil {
				t.Errorf("%s: %v", alg, err)
			}
			other, _ := jwa.LookupSignatureAlgorithm(string(alg))
			if _, err := jws.Verify([]byte(token), jws.WithKey(other, c.key.Public())); err != nil {
				t.Errorf("%s: another library does not take the token: %v", alg, err)
			}
			if _, err := v.Verify(t.Context(), token[:len(token)-8]+"AAAAAAAA"); !errors.Is(err, ErrSignature) {
				t.Errorf("%s: another signature: %v", alg, err)
			}
		}
	}
	for more, want := range map[string]string{`,"kid":"bank/1=","alg":"ES256"`: "bank/1= [ES256]", `,"alg":"ES384"`: ""} {
		raw, err := newKey(t).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		k, err := ParsePrivateKey([]byte(strings.TrimSuffix(string(raw), "}") + more + "}"))
		if want == "" && !errors.Is(err, ErrUnfitKey) || want != "" && (err != nil || fmt.Sprint(k.ID, " ", k.Algs()) != want) {
			t.Errorf("%s: %+v, %v", more, k, err)
		}
	}
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	if err == nil {
		_, err = NewPrivateKey(weak)
	}
	if err == nil {
		t.Error("a key of 1024 bits is accepted")
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
	point, err := k.key.Public().(*ecdsa.PublicKey).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": k.ID,
		"x": base64.RawURLEncoding.EncodeToString(point[1:33]), "y": base64.RawURLEncoding.EncodeToString(point[33:])}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	back, err := parseKey(elementOf(t, raw))
	if err != nil || len(back) != 1 || back[0].ID != k.ID || back[0].Alg != ES256 {
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
		{"RSA without alg", rs(`,"kid":"a"`), PS256},
		{"RSA for PS256", rs(`,"kid":"a","alg":"PS256"`), PS256},
		{"unknown members", ec(`,"kid":"a","x5t":"abc","iss":{"y":[1]}`), ES256},

		{"absent members as null", ec(`,"kid":"a","alg":null,"use":null,"key_ops":null,"x5c":null,"d":null,"k":null`), ES256},

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
		{"kid not ASCII", ec(`,"kid":"é"`), ""},
		{"kid too long", ec(`,"kid":"` + strings.Repeat("a", 257) + `"`), ""},
		{"invalid certificate", ec(`,"kid":"a","x5c":["AA"],"x5t":7,"x5u":[]`), ES256},
		{"kid twice", ec(`,"kid":"a","kid":"b"`), ""},
		{"private", ec(`,"kid":"a","d":"AA"`), ""},
		{"RSA with a prime", rs(`,"kid":"a","p":"AA"`), ""},
		{"symmetric", `{"kty":"oct","kid":"a","k":"c2VjcmV0"}`, ""},
		{"symmetric hidden", ec(`,"kid":"a","k":"c2VjcmV0"`), ""},
		{"Ed25519", `{"kty":"OKP","crv":"Ed25519","kid":"a","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`, EdDSA},
		{"Ed25519 for another alg", `{"kty":"OKP","crv":"Ed25519","kid":"a","alg":"ES256",
			"x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`, ""},
		{"Ed25519 too short", `{"kty":"OKP","crv":"Ed25519","kid":"a","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMl"}`, ""},
		{"X25519", `{"kty":"OKP","crv":"X25519","kid":"a","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`, ""},
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
			} else if err != nil || k[0].Alg != c.alg || k[0].ID != "a" {
				t.Errorf("parseKey = %+v, %v; want alg %s", k, err, c.alg)
			}
		})
	}
}

// TestKeyIDs checks kids with characters of base64, URLs and URNs.
func TestKeyIDs(t *testing.T) {
	for _, id := range []string{"a/b+c==", "urn:key:1", "https://issuer.example/keys#1", "key 1", "~", strings.Repeat("k", 256)} {
		k, err := parseKey([]byte(ecJWK(t, elliptic.P256(), "P-256", fmt.Sprintf(`,"kid":%q`, id))))
		if err != nil || k[0].ID != id {
			t.Errorf("%s: %+v, %v", id, k, err)
		}
	}
}

// TestPublicKeys checks that keys without kid and alg are read, and unknown ones left out.
func TestPublicKeys(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	good := []string{ecJWK(t, elliptic.P256(), "P-256", ""), ecJWK(t, elliptic.P384(), "P-384", `,"alg":"ES384","kid":"a/b="`),
		rsaJWK(key.N, 65537, `,"use":"sig","key_ops":["verify"],"x5t":"AA"`),
		`{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`}
	bad := []string{`{}`, `1`, `null`, `{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}`, `{"kty":"OKP","crv":"X25519","x":"AA"}`,
		`{"kty":"AKP","alg":"ML-DSA-44","pub":"AA"}`, `{"kty":"oct","k":"c2VjcmV0"}`, rsaJWK(key.N, 65537, `,"use":"enc"`),
		`{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}`}
	keys, err := PublicKeys(strings.NewReader(`{"keys":[` + strings.Join(slices.Concat(bad, good, bad), ",") + `]}`))
	if err != nil || len(keys) != len(good) {
		t.Errorf("%d keys, %v, want %d", len(keys), err, len(good))
	}
	for _, set := range []string{``, `{}`, `[]`, `{"keys":[]}`, `{"keys":[` + strings.Join(bad, ",") + `]}`, `{"keys":[` + good[0]} {
		if keys, err := PublicKeys(strings.NewReader(set)); err == nil {
			t.Errorf("%s: %v", set, keys)
		}
	}
	many := `{"keys":[` + strings.Repeat(good[3]+",", maxSetKeys+10) + good[3] + `]}`
	if keys, err := PublicKeys(strings.NewReader(many)); err != nil || len(keys) != maxSetKeys {
		t.Errorf("%d keys, %v", len(keys), err)
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
		if keys, err := PublicKeys(strings.NewReader(s)); (err == nil) != (len(keys) > 0) {
			t.Errorf("PublicKeys = %d keys, %v", len(keys), err)
		}
	})
}
