package signedresult

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"vestibule/internal/jose"
)

// provider serves a key set, and counts the requests.
type provider struct {
	*httptest.Server
	key     *jose.PrivateKey
	fetched int
	down    bool
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{key: newKey(t)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.fetched++
		if p.down || r.URL.Path != "/connect/jwkset" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_ = json.NewEncoder(w).Encode(jose.KeySet{p.key.Public()})
	}))
	t.Cleanup(p.Close)
	return p
}

func newKey(t *testing.T) *jose.PrivateKey {
	t.Helper()
	k, err := jose.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

const nonce = "6f1c0b9e"

// verifier has one open attempt, of nonce.
func (p *provider) verifier() *Verifier {
	used := false
	return &Verifier{Provider: p.URL, PublicID: "svc-1", Consume: func(_ context.Context, args, token string, _ time.Time) (bool, error) {
		if args != nonce || used || token == "" {
			return false, nil
		}
		used = true
		return true, nil
	}}
}

func claims(more jose.Claims) jose.Claims {
	all := jose.Claims{"aud": "svc-1", "outcome": "SUCCESS", "status": "PENDING", "publicToken": "88ab9133", "redirectArgs": nonce}
	for name, v := range more {
		all[name] = v
	}
	return all
}

func sign(t *testing.T, key *jose.PrivateKey, typ string, iat, exp time.Duration, c jose.Claims) string {
	t.Helper()
	now := time.Now()
	token, err := jose.Signer{Key: key, Type: typ}.Sign(now.Add(iat), now.Add(exp), c)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestVerify(t *testing.T) {
	p := newProvider(t)
	other := newKey(t)
	forged := newKey(t)
	forged.ID = p.key.ID
	const minutes = 5 * time.Minute
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	good := sign(t, p.key, "outcome+jwt", 0, minutes, claims(nil))
	segments := strings.Split(good, ".")
	for _, c := range []struct {
		name, token string
		good        bool
	}{
		{"a good result", good, true},
		{"with the issuer", sign(t, p.key, "outcome+jwt", 0, minutes, claims(jose.Claims{"iss": p.URL})), true},
		{"by a clock that is a little ahead", sign(t, p.key, "outcome+jwt", skew/2, minutes, claims(nil)), true},
		{"by another key", sign(t, other, "outcome+jwt", 0, minutes, claims(nil)), false},
		{"by another key with the same kid", sign(t, forged, "outcome+jwt", 0, minutes, claims(nil)), false},
		{"for another account", sign(t, p.key, "outcome+jwt", 0, minutes, claims(jose.Claims{"aud": "svc-2"})), false},
		{"without an audience", sign(t, p.key, "outcome+jwt", 0, minutes, claims(jose.Claims{"aud": nil})), false},
		{"of another issuer", sign(t, p.key, "outcome+jwt", 0, minutes, claims(jose.Claims{"iss": "https://evil.example"})), false},
		{"with another nonce", sign(t, p.key, "outcome+jwt", 0, minutes, claims(jose.Claims{"redirectArgs": "another"})), false},
		{"without a nonce", sign(t, p.key, "outcome+jwt", 0, minutes, claims(jose.Claims{"redirectArgs": nil})), false},
		{"of another type", sign(t, p.key, "at+jwt", 0, minutes, claims(nil)), false},
		{"that has expired", sign(t, p.key, "outcome+jwt", -minutes, -time.Minute, claims(nil)), false},
		{"of the future", sign(t, p.key, "outcome+jwt", 2*time.Minute, minutes, claims(nil)), false},
		{"that lives too long", sign(t, p.key, "outcome+jwt", 0, longest+time.Minute, claims(nil)), false},
		{"that was issued too long ago", sign(t, p.key, "outcome+jwt", -longest-time.Minute, time.Second, claims(nil)), false},
		{"with alg none", part(`{"alg":"none","kid":"`+p.key.ID+`"}`) + "." + segments[1] + ".", false},
		{"with HMAC", part(`{"alg":"HS256","kid":"`+p.key.ID+`"}`) + "." + segments[1] + "." + segments[2], false},
		{"with a key of its own", part(`{"alg":"ES256","jku":"https://evil.example","kid":"x"}`) + "." + segments[1] + "." + segments[2], false},
		{"without a kid", part(`{"alg":"ES256"}`) + "." + segments[1] + "." + segments[2], false},
		{"with other claims", segments[0] + "." + part(`{"aud":"svc-1"}`) + "." + segments[2], false},
		{"as JSON", `{"payload":"` + segments[1] + `","protected":"` + segments[0] + `","signature":"` + segments[2] + `"}`, false},
		{"with a fourth part", good + ".e30", false},
		{"that is too long", good + strings.Repeat("A", maxToken), false},
		{"that is empty", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := p.verifier().Verify(t.Context(), c.token)
			want := Result{Outcome: "SUCCESS", Status: "PENDING", PublicToken: "88ab9133"}
			if c.good && (err != nil || got != want) || !c.good && !errors.Is(err, ErrRefused) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestReplay(t *testing.T) {
	p := newProvider(t)
	v := p.verifier()
	token := sign(t, p.key, "outcome+jwt", 0, time.Minute, claims(nil))
	if _, err := v.Verify(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	if got, err := v.Verify(t.Context(), token); !errors.Is(err, ErrRefused) {
		t.Errorf("a second time: %+v, %v", got, err)
	}
}

// TestKeys fetches keys once for many results, once more for a key that is new, and not for each unknown one.
func TestKeys(t *testing.T) {
	p := newProvider(t)
	v := p.verifier()
	v.Consume = func(context.Context, string, string, time.Time) (bool, error) { return true, nil }
	verify := func() error {
		_, err := v.Verify(t.Context(), sign(t, p.key, "outcome+jwt", 0, time.Minute, claims(nil)))
		return err
	}
	for range 3 {
		if err := verify(); err != nil || p.fetched != 1 {
			t.Fatalf("%v after %d requests", err, p.fetched)
		}
	}
	p.key = newKey(t)
	if err := verify(); !errors.Is(err, ErrRefused) || p.fetched != 1 {
		t.Errorf("an unknown key soon after: %v after %d requests", err, p.fetched)
	}
	v.fetched = v.fetched.Add(-time.Minute)
	if err := verify(); err != nil || p.fetched != 2 {
		t.Errorf("a new key: %v after %d requests", err, p.fetched)
	}
	p.down, v.fetched = true, v.fetched.Add(-time.Hour)
	if err := verify(); err == nil || errors.Is(err, ErrRefused) {
		t.Errorf("without the provider: %v, which is not the token's fault", err)
	}
}

func TestToken(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	for _, c := range []struct{ name, method, target, kind, body, want string }{
		{"a query", "GET", "/return?jwt=a.b.c", "", "", "a.b.c"},
		{"a form", "POST", "/return", form, "token=a.b.c", "a.b.c"},
		{"a form with a charset", "POST", "/return", form + "; charset=utf-8", "token=a.b.c", "a.b.c"},
		{"another content type", "POST", "/return", "application/json", `{"token":"a.b.c"}`, ""},
		{"no content type", "POST", "/return", "", "token=a.b.c", ""},
		{"text", "POST", "/return", "text/plain", "token=a.b.c", ""},
		{"a form and a query", "POST", "/return?jwt=a.b.c", form, "token=a.b.c", ""},
		{"two tokens", "GET", "/return?jwt=a&jwt=b", "", "", ""},
		{"another parameter", "GET", "/return?jwt=a&next=b", "", "", ""},
		{"none", "GET", "/return", "", "", ""},
		{"a long form", "POST", "/return", form, "token=" + url.QueryEscape(strings.Repeat("é", maxToken)), ""},
	} {
		r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
		r.Header.Set("Content-Type", c.kind)
		if got, err := Token(httptest.NewRecorder(), r); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}
