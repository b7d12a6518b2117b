package jose

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jws"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

func b64(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

func newKey(t testing.TB) *PrivateKey {
	t.Helper()
	k, err := GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// forge signs any header and payload, as an attacker with the key could.
func forge(t testing.TB, k *PrivateKey, header, payload string) string {
	t.Helper()
	input := b64(header) + "." + b64(payload)
	sum := sha256.Sum256([]byte(input))
	r, s, err := ecdsa.Sign(rand.Reader, k.key.(*ecdsa.PrivateKey), sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return input + "." + base64.RawURLEncoding.EncodeToString(fixed(r, s))
}

func fixed(r, s *big.Int) []byte {
	sig := make([]byte, 64)
	r.FillBytes(sig[:32])
	s.FillBytes(sig[32:])
	return sig
}

// bench is a signer and a verifier that knows its key.
type bench struct {
	key *PrivateKey
	v   *Verifier
}

func newBench(t testing.TB) bench {
	k := newKey(t)
	return bench{k, &Verifier{Keys: KeySet{k.Public()}, Types: []string{"outcome+jwt", ""}, Now: at(noon)}}
}

func (b bench) header(more string) string {
	return fmt.Sprintf(`{"alg":"ES256","kid":"%s"%s}`, b.key.ID, more)
}

func (b bench) good(t testing.TB) string {
	t.Helper()
	raw, err := Signer{Key: b.key, Type: "outcome+jwt"}.Sign(noon.Add(-time.Second), noon.Add(5*time.Minute),
		Claims{"publicToken": "4c2b8b1e-6f0e-4c8a-9c6e-0a6f7f1f2f3f", "outcome": "SUCCESS"})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func claims(iat, exp string) string {
	return fmt.Sprintf(`{"outcome":"EXIT","iat":%s,"exp":%s}`, iat, exp)
}

func unix(d time.Duration) string { return fmt.Sprint(noon.Add(d).Unix()) }

func TestSignedTokensRoundTrip(t *testing.T) {
	b := newBench(t)
	tok, err := b.v.Verify(t.Context(), b.good(t))
	if err != nil {
		t.Fatal(err)
	}
	if got, there, err := tok.Text("outcome"); got != "SUCCESS" || !there || err != nil {
		t.Errorf("outcome = %q, %v, %v", got, there, err)
	}
	if _, there, err := tok.Text("error"); there || err != nil {
		t.Errorf("error = %v, %v, want absent", there, err)
	}
	if _, _, err := tok.Text("iat"); !errors.Is(err, ErrClaims) {
		t.Errorf("iat as text: %v", err)
	}
	if tok.KeyID != b.key.ID || !tok.Issued.Equal(noon.Add(-time.Second)) || !tok.Expires.Equal(noon.Add(5*time.Minute)) {
		t.Errorf("got %+v", tok)
	}
	if _, err := jws.Verify([]byte(b.good(t)), jws.WithKey(jwa.ES256(), b.key.key.Public())); err != nil {
		t.Errorf("another library does not take our token: %v", err)
	}
}

func TestIssuedSince(t *testing.T) {
	tok := &Token{Issued: noon}
	for _, c := range []struct {
		at   time.Time
		want error
	}{{noon.Add(-time.Hour), nil}, {noon, nil}, {noon.Add(999 * time.Millisecond), nil}, {noon.Add(time.Second), ErrTooOld}} {
		if got := tok.IssuedSince(c.at); got != c.want {
			t.Errorf("IssuedSince(%v) = %v, want %v", c.at, got, c.want)
		}
	}
}

func TestAudience(t *testing.T) {
	for _, c := range []struct {
		claims string
		absent bool
		want   bool
	}{
		{`{}`, true, true}, {`{}`, false, false},
		{`{"aud":"us"}`, true, true}, {`{"aud":"them"}`, true, false}, {`{"aud":""}`, true, false},
		{`{"aud":["them","us"]}`, true, true}, {`{"aud":[]}`, true, false}, {`{"aud":null}`, true, false}, {`{"aud":{"us":1}}`, true, false},
	} {
		o, _ := parseObject([]byte(c.claims))
		if got := (&Token{claims: o}).For("us", c.absent); got != c.want {
			t.Errorf("%s: For(us, %v) = %v, want %v", c.claims, c.absent, got, c.want)
		}
	}
}

// TestForms covers all of a token except its times.
func TestForms(t *testing.T) {
	b := newBench(t)
	body := claims(unix(0), unix(time.Minute))
	good := forge(t, b.key, b.header(""), body)
	seg := strings.Split(good, ".")
	other := newKey(t)
	flip := func(i int) string {
		s := append([]string{}, seg...)
		c := []byte(s[i])
		if c[5] == 'A' {
			c[5] = 'B'
		} else {
			c[5] = 'A'
		}
		s[i] = string(c)
		return strings.Join(s, ".")
	}
	sign := func(header string) string { return forge(t, b.key, header, body) }
	pay := func(payload string) string { return forge(t, b.key, b.header(""), payload) }
	longKid := strings.Repeat("a", 10<<10)
	// The last character of a 64-byte signature has four stray bits.
	last := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", good[len(good)-1])
	stray := good[:len(good)-1] + string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[last|1])
	cases := []struct {
		name, token string
		want        error
	}{
		{"good", good, nil},
		{"good, with its type", sign(b.header(`,"typ":"outcome+jwt"`)), nil},
		{"good, with an unknown member", sign(b.header(`,"x":[{"y":1}]`)), nil},
		{"bit flipped in the signature", flip(2), ErrSignature},
		{"bit flipped in the payload", flip(1), ErrSignature},
		{"bit flipped in the header", flip(0), errAny},
		{"signed by another key under this kid", forge(t, other, b.header(""), body), ErrSignature},
		{"unknown kid", sign(`{"alg":"ES256","kid":"unknown"}`), ErrUnknownKey},

		{"alg none", b64(`{"alg":"none","kid":"`+b.key.ID+`"}`) + "." + seg[1] + ".", ErrMalformed},
		{"alg none with a signature", sign(`{"alg":"none","kid":"` + b.key.ID + `"}`), ErrAlgorithm},
		{"alg None", sign(`{"alg":"None","kid":"` + b.key.ID + `"}`), ErrAlgorithm},
		{"alg NONE", sign(`{"alg":"NONE","kid":"` + b.key.ID + `"}`), ErrAlgorithm},
		{"alg nOnE", sign(`{"alg":"nOnE","kid":"` + b.key.ID + `"}`), ErrAlgorithm},
		{"alg empty", sign(`{"alg":"","kid":"` + b.key.ID + `"}`), ErrAlgorithm},
		{"alg missing", sign(`{"kid":"` + b.key.ID + `"}`), ErrAlgorithm},
		{"alg a number", sign(`{"alg":256,"kid":"` + b.key.ID + `"}`), ErrAlgorithm},
		{"alg a list", sign(`{"alg":["ES256"],"kid":"` + b.key.ID + `"}`), ErrAlgorithm},
		{"alg that is not allowed", sign(`{"alg":"ES384","kid":"` + b.key.ID + `"}`), ErrAlgorithm},
		{"alg that is allowed and not the key's", sign(`{"alg":"RS256","kid":"` + b.key.ID + `"}`), ErrAlgorithm},

		{"typ as a media type", sign(b.header(`,"typ":"application/Outcome+JWT"`)), nil},
		{"typ of a media type without a name", sign(b.header(`,"typ":"application/"`)), ErrType},
		{"typ of an access token", sign(b.header(`,"typ":"at+jwt"`)), ErrType},
		{"typ JWT", sign(b.header(`,"typ":"JWT"`)), ErrType},
		{"typ empty", sign(b.header(`,"typ":""`)), ErrType},
		{"typ null", sign(b.header(`,"typ":null`)), ErrType},

		{"kid missing", sign(`{"alg":"ES256"}`), ErrKeyID},
		{"kid empty", sign(`{"alg":"ES256","kid":""}`), ErrKeyID},
		{"kid of 10 KB", sign(`{"alg":"ES256","kid":"` + longKid + `"}`), ErrKeyID},
		{"kid of 256", sign(`{"alg":"ES256","kid":"` + longKid[:256] + `"}`), ErrUnknownKey},
		{"kid of 257", sign(`{"alg":"ES256","kid":"` + longKid[:257] + `"}`), ErrKeyID},
		{"kid a path", sign(`{"alg":"ES256","kid":"../../etc/passwd"}`), ErrUnknownKey},
		{"kid with SQL", sign(`{"alg":"ES256","kid":"' OR 1=1 --"}`), ErrUnknownKey},
		{"kid not ASCII", sign(`{"alg":"ES256","kid":"clé"}`), ErrKeyID},
		{"kid with CRLF", sign(`{"alg":"ES256","kid":"a\r\nb"}`), ErrKeyID},
		{"kid with NUL", sign(`{"alg":"ES256","kid":"a\u0000"}`), ErrKeyID},
		{"kid a number", sign(`{"alg":"ES256","kid":7}`), ErrKeyID},

		{"crit", sign(b.header(`,"crit":["exp"]`)), ErrHeader},
		{"crit unknown", sign(b.header(`,"crit":["x"],"x":true`)), ErrHeader},
		{"b64 false", sign(b.header(`,"b64":false,"crit":["b64"]`)), ErrHeader},
		{"b64 true", sign(b.header(`,"b64":true`)), ErrHeader},
		{"jku", sign(b.header(`,"jku":"http://127.0.0.1:1/"`)), ErrHeader},
		{"jwk", sign(b.header(`,"jwk":{}`)), ErrHeader},
		{"x5u", sign(b.header(`,"x5u":"http://127.0.0.1:1/"`)), ErrHeader},
		{"x5c", sign(b.header(`,"x5c":[]`)), ErrHeader},
		{"zip", sign(b.header(`,"zip":"DEF"`)), ErrHeader},
		{"enc", sign(b.header(`,"enc":"A128GCM"`)), ErrHeader},

		{"empty", "", ErrMalformed},
		{"one segment", seg[0], ErrMalformed},
		{"two segments", seg[0] + "." + seg[1], ErrMalformed},
		{"four segments", good + "." + seg[2], ErrMalformed},
		{"five segments", good + ".a.b", ErrMalformed},
		{"dots by the thousand", strings.Repeat(".", 16000), ErrMalformed},
		{"dots by the million", strings.Repeat(".", 1_000_000), ErrTooLong},
		{"1 MiB", strings.Repeat("a", 1<<20), ErrTooLong},
		{"flattened JSON", `{"protected":"` + seg[0] + `","payload":"` + seg[1] + `","signature":"` + seg[2] + `"}`, ErrMalformed},
		{"general JSON", `{"payload":"` + seg[1] + `","signatures":[{"protected":"` + seg[0] + `","signature":"` + seg[2] + `"}]}`, ErrMalformed},
		{"padding", good + "==", ErrMalformed},
		{"padding in the header", seg[0] + "=." + seg[1] + "." + seg[2], ErrMalformed},
		{"standard alphabet", strings.NewReplacer("-", "+", "_", "/").Replace(seg[0]+"."+seg[1]) + ".+/" + seg[2][2:], ErrMalformed},
		{"space before", " " + good, ErrMalformed},
		{"space after", good + " ", ErrMalformed},
		{"line break after", good + "\n", ErrMalformed},
		{"line break within", good[:10] + "\r\n" + good[10:], ErrMalformed},
		{"NUL after", good + "\x00", ErrMalformed},
		{"stray bits", stray, ErrMalformed},
		{"signature in DER", seg[0] + "." + seg[1] + "." + b64("0E\x02\x20"+strings.Repeat("\x01", 65)), ErrSignature},
		{"signature of zeros", seg[0] + "." + seg[1] + "." + b64(strings.Repeat("\x00", 64)), ErrSignature},
		{"signature cut", seg[0] + "." + seg[1] + "." + seg[2][:80], ErrSignature},

		{"header not JSON", b64("alg=ES256") + "." + seg[1] + "." + seg[2], ErrMalformed},
		{"header a list", sign(`["ES256"]`), ErrMalformed},
		{"header with two algs", sign(`{"alg":"none","alg":"ES256","kid":"` + b.key.ID + `"}`), ErrMalformed},
		{"header with two escaped kids", sign(`{"alg":"ES256","k\u0069d":"x","kid":"` + b.key.ID + `"}`), ErrMalformed},
		{"header with something after", sign(b.header("") + "{}"), ErrMalformed},
		{"header not UTF-8", sign(b.header(",\"x\":\"\xff\"")), ErrMalformed},
		{"header deep", sign(b.header(`,"x":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000))), ErrMalformed},
		{"payload empty", pay(""), ErrMalformed},
		{"payload a string", pay(`"x"`), ErrMalformed},
		{"payload null", pay(`null`), ErrMalformed},
		{"payload a nested token", pay(good), ErrMalformed},
		{"payload with two outcomes", pay(`{"outcome":"EXIT","outcome":"SUCCESS","iat":` + unix(0) + `,"exp":` + unix(60) + `}`), ErrMalformed},
		{"payload with doubles deep inside", pay(`{"x":[{"a":1,"a":1}],"iat":` + unix(0) + `,"exp":` + unix(time.Minute) + `}`), ErrMalformed},
		{"payload with something after", pay(body + "x"), ErrMalformed},
		{"payload deep", pay(`{"x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`), ErrMalformed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := b.v.Verify(t.Context(), c.token)
			if c.want == errAny && err != nil {
				return
			}
			if !errors.Is(err, c.want) {
				t.Errorf("Verify = %v, want %v", err, c.want)
			}
			if _, err := b.v.Verify(t.Context(), good); err != nil {
				t.Errorf("the good one after it: %v", err)
			}
		})
	}
}

var errAny = errors.New("any error")

// TestMirroredSignature checks that (r, n-s) verifies too, as ECDSA defines it. So the
// bytes of a token must not decide whether it was used.
func TestMirroredSignature(t *testing.T) {
	b := newBench(t)
	good := b.good(t)
	i := strings.LastIndexByte(good, '.')
	sig, _ := base64.RawURLEncoding.DecodeString(good[i+1:])
	s := new(big.Int).SetBytes(sig[32:])
	s.Sub(elliptic.P256().Params().N, s)
	mirror := good[:i+1] + base64.RawURLEncoding.EncodeToString(fixed(new(big.Int).SetBytes(sig[:32]), s))
	if _, err := b.v.Verify(t.Context(), mirror); err != nil {
		t.Errorf("Verify = %v", err)
	}
}

// TestMACWithPublicKey signs with HS256, keyed with the public key.
func TestMACWithPublicKey(t *testing.T) {
	b := newBench(t)
	b.v.Algs = Algs()
	der, err := x509.MarshalPKIXPublicKey(b.key.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	set, err := json.Marshal(KeySet{b.key.Public()})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := b.key.key.Public().(*ecdsa.PublicKey).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	input := b64(`{"alg":"HS256","kid":"`+b.key.ID+`"}`) + "." + b64(claims(unix(0), unix(time.Minute)))
	for name, secret := range map[string][]byte{
		"PEM": pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), "DER": der, "JWK": set, "raw": raw, "empty": nil} {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(input))
		if _, err := b.v.Verify(t.Context(), input+"."+b64(string(mac.Sum(nil)))); !errors.Is(err, ErrAlgorithm) {
			t.Errorf("%s: Verify = %v, want %v", name, err, ErrAlgorithm)
		}
	}
}

// TestTimes covers iat and exp.
func TestTimes(t *testing.T) {
	b := newBench(t)
	now, soon := unix(0), unix(5*time.Minute)
	for _, c := range []struct {
		name     string
		iat, exp string
		want     error
	}{
		{"good", now, soon, nil},
		{"exp within the skew", unix(-5 * time.Minute), unix(-29 * time.Second), nil},
		{"exp beyond the skew", unix(-5 * time.Minute), unix(-31 * time.Second), ErrExpired},
		{"iat within the skew", unix(30 * time.Second), soon, nil},
		{"iat beyond the skew", unix(31 * time.Second), soon, ErrNotYet},
		{"life of ten minutes", now, unix(10 * time.Minute), nil},
		{"life of a second more", now, unix(10*time.Minute + time.Second), ErrLifetime},
		{"ten minutes old", unix(-10 * time.Minute), now, nil},
		{"a second older", unix(-10*time.Minute - time.Second), unix(-time.Second), ErrTooOld},
		{"exp before iat", now, unix(-time.Second), ErrLifetime},
		{"exp at iat", now, now, ErrLifetime},
		{"exp a string", now, `"` + soon + `"`, nil},
		{"exp a string of milliseconds", now, `"` + soon + `000"`, ErrClaims},
		{"exp a string with a fraction", now, `"` + soon + `.5"`, ErrClaims},
		{"exp a string with a sign", now, `"+` + soon + `"`, ErrClaims},
		{"exp a string with a space", now, `" ` + soon + `"`, ErrClaims},
		{"exp an empty string", now, `""`, ErrClaims},
		{"exp a date", now, `"2026-11-21T12:05:00Z"`, ErrClaims},
		{"exp in milliseconds", now, soon + "000", ErrClaims},
		{"exp a float", now, soon + ".0", nil},
		{"exp a float of many digits", now, soon + ".0123456789", nil},
		{"exp a float with an exponent", now, soon[:1] + "." + soon[1:] + "E9", nil},
		{"exp a float with an exponent, past", now, "1.7e9", ErrLifetime},
		{"exp past with a fraction", unix(-5 * time.Minute), unix(-31*time.Second) + ".9", ErrExpired},
		{"exp huge", now, "1e300", ErrClaims},
		{"exp beyond floats", now, "1e400", ErrClaims},
		{"exp negative", now, "-1", ErrClaims},
		{"exp zero", now, "0", ErrLifetime},
		{"exp null", now, "null", ErrClaims},
		{"exp true", now, "true", ErrClaims},
		{"exp a list", now, "[" + soon + "]", ErrClaims},
		{"exp of eleven digits", now, "99999999999", ErrLifetime},
		{"iat a string", `"` + now + `"`, soon, nil},
		{"iat null", "null", soon, ErrClaims},
		{"iat a float", now + ".5", soon, nil},
		{"nbf reached", now + `,"nbf":` + now, soon, nil},
		{"nbf ahead", now + `,"nbf":` + unix(31*time.Second), soon, ErrNotYet},
		{"nbf a string", now + `,"nbf":"0"`, soon, nil},
		{"nbf a word", now + `,"nbf":"soon"`, soon, ErrClaims},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := b.v.Verify(t.Context(), forge(t, b.key, b.header(""), claims(c.iat, c.exp)))
			if !errors.Is(err, c.want) {
				t.Errorf("Verify = %v, want %v", err, c.want)
			}
		})
	}
	for _, payload := range []string{`{}`, `{"iat":` + now + `}`, `{"exp":` + soon + `}`} {
		if _, err := b.v.Verify(t.Context(), forge(t, b.key, b.header(""), payload)); !errors.Is(err, ErrClaims) {
			t.Errorf("%s: Verify = %v, want %v", payload, err, ErrClaims)
		}
	}
}

func TestErrorsOmitTheToken(t *testing.T) {
	b := newBench(t)
	b.v.Now = at(noon.Add(time.Hour))
	_, err := b.v.Verify(t.Context(), b.good(t))
	for _, secret := range []string{b.key.ID, "SUCCESS", "4c2b8b1e"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q holds %q", err, secret)
		}
	}
}

func TestVerifierWithoutTypesRefuses(t *testing.T) {
	b := newBench(t)
	b.v.Types = nil
	if _, err := b.v.Verify(t.Context(), b.good(t)); !errors.Is(err, ErrType) {
		t.Errorf("Verify = %v, want %v", err, ErrType)
	}
}

func FuzzVerify(f *testing.F) {
	b := newBench(f)
	good := b.good(f)
	f.Add(good)
	f.Add(forge(f, b.key, b.header(`,"typ":"JWT"`), `{"iat":1}`))
	f.Add("..")
	f.Add("e30.e30.e30")
	seg := strings.Split(good, ".")
	f.Fuzz(func(t *testing.T, raw string) {
		_, err := b.v.Verify(context.Background(), raw)
		if err == nil && !strings.HasPrefix(raw, seg[0]+"."+seg[1]+".") {
			t.Errorf("accepted %q, which was not signed", raw)
		}
	})
}
