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
	"slices"
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

// Headers that are signed with the payload of a good token. GOOD are the members of a good one, KID its kid.
var headerForms = []struct {
	name, header string
	want         error
}{
	{"with its type", `{GOOD,"typ":"outcome+jwt"}`, nil},
	{"with an unknown member", `{GOOD,"x":[{"y":1}]}`, nil},
	{"unknown kid", `{"alg":"ES256","kid":"unknown"}`, ErrUnknownKey},

	{"alg none with a signature", `{"alg":"none","kid":KID}`, ErrAlgorithm},
	{"alg None", `{"alg":"None","kid":KID}`, ErrAlgorithm},
	{"alg NONE", `{"alg":"NONE","kid":KID}`, ErrAlgorithm},
	{"alg nOnE", `{"alg":"nOnE","kid":KID}`, ErrAlgorithm},
	{"alg empty", `{"alg":"","kid":KID}`, ErrAlgorithm},
	{"alg missing", `{"kid":KID}`, ErrAlgorithm},
	{"alg a number", `{"alg":256,"kid":KID}`, ErrAlgorithm},
	{"alg a list", `{"alg":["ES256"],"kid":KID}`, ErrAlgorithm},
	{"alg that is not allowed", `{"alg":"ES384","kid":KID}`, ErrAlgorithm},
	{"alg that is allowed and not the key's", `{"alg":"RS256","kid":KID}`, ErrAlgorithm},

	{"typ as a media type", `{GOOD,"typ":"application/Outcome+JWT"}`, nil},
	{"typ of a media type without a name", `{GOOD,"typ":"application/"}`, ErrType},
	{"typ of an access token", `{GOOD,"typ":"at+jwt"}`, ErrType},
	{"typ JWT", `{GOOD,"typ":"JWT"}`, ErrType},
	{"typ empty", `{GOOD,"typ":""}`, ErrType},
	{"typ null", `{GOOD,"typ":null}`, ErrType},

	{"kid missing", `{"alg":"ES256"}`, ErrKeyID},
	{"kid empty", `{"alg":"ES256","kid":""}`, ErrKeyID},
	{"kid of 10 KB", `{"alg":"ES256","kid":"` + strings.Repeat("a", 10<<10) + `"}`, ErrKeyID},
	{"kid of 256", `{"alg":"ES256","kid":"` + strings.Repeat("a", 256) + `"}`, ErrUnknownKey},
	{"kid of 257", `{"alg":"ES256","kid":"` + strings.Repeat("a", 257) + `"}`, ErrKeyID},
	{"kid a path", `{"alg":"ES256","kid":"../../etc/passwd"}`, ErrUnknownKey},
	{"kid with SQL", `{"alg":"ES256","kid":"' OR 1=1 --"}`, ErrUnknownKey},
	{"kid not ASCII", `{"alg":"ES256","kid":"clé"}`, ErrKeyID},
	{"kid with CRLF", `{"alg":"ES256","kid":"a\r\nb"}`, ErrKeyID},
	{"kid with NUL", `{"alg":"ES256","kid":"a\u0000"}`, ErrKeyID},
	{"kid a number", `{"alg":"ES256","kid":7}`, ErrKeyID},

	{"crit", `{GOOD,"crit":["exp"]}`, ErrHeader},
	{"crit unknown", `{GOOD,"crit":["x"],"x":true}`, ErrHeader},
	{"b64 false", `{GOOD,"b64":false,"crit":["b64"]}`, ErrHeader},
	{"b64 true", `{GOOD,"b64":true}`, ErrHeader},
	{"jku", `{GOOD,"jku":"http://127.0.0.1:1/"}`, ErrHeader},
	{"jwk", `{GOOD,"jwk":{}}`, ErrHeader},
	{"x5u", `{GOOD,"x5u":"http://127.0.0.1:1/"}`, ErrHeader},
	{"x5c", `{GOOD,"x5c":[]}`, ErrHeader},
	{"zip", `{GOOD,"zip":"DEF"}`, ErrHeader},
	{"enc", `{GOOD,"enc":"A128GCM"}`, ErrHeader},

	{"a list", `["ES256"]`, ErrMalformed},
	{"two algs", `{"alg":"none","alg":"ES256","kid":KID}`, ErrMalformed},
	{"two escaped kids", `{"alg":"ES256","k\u0069d":"x","kid":KID}`, ErrMalformed},
	{"something after", `{GOOD}{}`, ErrMalformed},
	{"not UTF-8", "{GOOD,\"x\":\"\xff\"}", ErrMalformed},
	{"deep", `{GOOD,"x":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + `}`, ErrMalformed},
}

// Payloads that are signed with a good header. BODY is a good payload, TIMES its members iat and exp, TOKEN
// the good token.
var payloadForms = []struct{ name, payload string }{
	{"empty", ""},
	{"a string", `"x"`},
	{"null", `null`},
	{"a nested token", "TOKEN"},
	{"two outcomes", `{"outcome":"EXIT","outcome":"SUCCESS",TIMES}`},
	{"doubles deep inside", `{"x":[{"a":1,"a":1}],TIMES}`},
	{"something after", "BODYx"},
	{"deep", `{"x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`},
}

// Texts in place of a good token: HEADER, PAYLOAD and SIGNATURE are its segments.
var tokenForms = []struct {
	name, token string
	want        error
}{
	{"good", "HEADER.PAYLOAD.SIGNATURE", nil},
	{"empty", "", ErrMalformed},
	{"one segment", "HEADER", ErrMalformed},
	{"two segments", "HEADER.PAYLOAD", ErrMalformed},
	{"four segments", "HEADER.PAYLOAD.SIGNATURE.SIGNATURE", ErrMalformed},
	{"five segments", "HEADER.PAYLOAD.SIGNATURE.a.b", ErrMalformed},
	{"dots by the thousand", strings.Repeat(".", 16000), ErrMalformed},
	{"dots by the million", strings.Repeat(".", 1_000_000), ErrTooLong},
	{"1 MiB", strings.Repeat("a", 1<<20), ErrTooLong},
	{"flattened JSON", `{"protected":"HEADER","payload":"PAYLOAD","signature":"SIGNATURE"}`, ErrMalformed},
	{"general JSON", `{"payload":"PAYLOAD","signatures":[{"protected":"HEADER","signature":"SIGNATURE"}]}`, ErrMalformed},
	{"padding", "HEADER.PAYLOAD.SIGNATURE==", ErrMalformed},
	{"padding in the header", "HEADER=.PAYLOAD.SIGNATURE", ErrMalformed},
	{"space before", " HEADER.PAYLOAD.SIGNATURE", ErrMalformed},
	{"space after", "HEADER.PAYLOAD.SIGNATURE ", ErrMalformed},
	{"line break after", "HEADER.PAYLOAD.SIGNATURE\n", ErrMalformed},
	{"NUL after", "HEADER.PAYLOAD.SIGNATURE\x00", ErrMalformed},
	{"header not JSON", b64("alg=ES256") + ".PAYLOAD.SIGNATURE", ErrMalformed},
	{"signature in DER", "HEADER.PAYLOAD." + b64("0E\x02\x20"+strings.Repeat("\x01", 65)), ErrSignature},
	{"signature of zeros", "HEADER.PAYLOAD." + b64(strings.Repeat("\x00", 64)), ErrSignature},
}

// TestForms covers all of a token except its times.
func TestForms(t *testing.T) {
	b := newBench(t)
	body := claims(unix(0), unix(time.Minute))
	good := forge(t, b.key, b.header(""), body)
	seg := strings.Split(good, ".")
	fill := strings.NewReplacer("GOOD", `"alg":"ES256","kid":"`+b.key.ID+`"`, "KID", `"`+b.key.ID+`"`, "TOKEN", good, "BODY", body,
		"TIMES", `"iat":`+unix(0)+`,"exp":`+unix(time.Minute), "HEADER", seg[0], "PAYLOAD", seg[1], "SIGNATURE", seg[2]).Replace
	verify := func(name, token string, want error) {
		t.Run(name, func(t *testing.T) {
			if _, err := b.v.Verify(t.Context(), token); !errors.Is(err, want) && (want != errAny || err == nil) {
				t.Errorf("Verify = %v, want %v", err, want)
			}
			if _, err := b.v.Verify(t.Context(), good); err != nil {
				t.Errorf("the good one after it: %v", err)
			}
		})
	}
	for _, f := range tokenForms {
		verify(f.name, fill(f.token), f.want)
	}
	for _, f := range headerForms {
		verify("header/"+f.name, forge(t, b.key, fill(f.header), body), f.want)
	}
	for _, f := range payloadForms {
		verify("payload/"+f.name, forge(t, b.key, b.header(""), fill(f.payload)), ErrMalformed)
	}
	for i, want := range []error{errAny, ErrSignature, ErrSignature} {
		flipped := slices.Clone(seg)
		flipped[i] = seg[i][:5] + map[bool]string{true: "B", false: "A"}[seg[i][5] == 'A'] + seg[i][6:]
		verify("bit flipped/"+[]string{"header", "payload", "signature"}[i], strings.Join(flipped, "."), want)
	}
	verify("signed by another key under this kid", forge(t, newKey(t), b.header(""), body), ErrSignature)
	verify("alg none", b64(fill(`{"alg":"none","kid":KID}`))+"."+seg[1]+".", ErrMalformed)
	verify("standard alphabet", strings.NewReplacer("-", "+", "_", "/").Replace(seg[0]+"."+seg[1])+".+/"+seg[2][2:], ErrMalformed)
	verify("line break within", good[:10]+"\r\n"+good[10:], ErrMalformed)
	verify("signature cut", good[:len(good)-len(seg[2])+80], ErrSignature)
	// The last character of a 64-byte signature has four stray bits.
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(alphabet, good[len(good)-1])
	verify("stray bits", good[:len(good)-1]+string(alphabet[last|1]), ErrMalformed)
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
