package attacktest

import (
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
)

// service is a verification service under the attacker's control: it signs any claims
// with any key, and gives any answer.
type service struct {
	*httptest.Server
	key     *ecdsa.PrivateKey // of the kid good and of unusable ones
	later   *ecdsa.PrivateKey // of the kid later, once it is published
	rsa     *rsa.PrivateKey   // of the kid rsa
	weak    *rsa.PrivateKey   // of the kid weak, 1024 bits
	spied   atomic.Int32      // requests to URLs in token headers
	tokens  atomic.Int32      // calls for an access token
	keySets atomic.Int32      // fetches of the key set

	mu        sync.Mutex
	tasks     map[string]*task // by the nonce of their address, by external id and by publicToken
	published bool             // later is in the key set
	broken    int              // how the key set fails, see keySet; 0 for not at all
	lead      func(nonce string) string
	revoked   map[string]bool // access tokens that are refused
	stumbles  []int           // statuses of the next answers to the report's fetch
}

// task is one secure redirect that the portal requested.
type task struct {
	externalID, args, publicToken string

	mu      sync.Mutex
	done    bool
	fetches int
}

func (v *task) fetched() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.fetches
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{tasks: map[string]*task{}, revoked: map[string]bool{}}
	var err error
	for _, key := range []**ecdsa.PrivateKey{&s.key, &s.later} {
		if *key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			t.Fatal(err)
		}
	}
	if s.rsa, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		t.Fatal(err)
	}
	if s.weak, err = rsa.GenerateKey(rand.Reader, 1024); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /connect/accesstoken", func(w http.ResponseWriter, r *http.Request) {
		n := s.tokens.Add(1)
		say(w, 200, map[string]any{"accessToken": fmt.Sprintf("at-%d", n), "exp": time.Now().Add(5 * time.Minute).Unix()})
	})
	mux.HandleFunc("GET /connect/jwkset", s.keySet)
	mux.HandleFunc("POST /secure-redirect", s.redirect)
	mux.HandleFunc("GET /connect/status", func(w http.ResponseWriter, r *http.Request) {
		if v := s.asked(w, r); v != nil {
			v.mu.Lock()
			defer v.mu.Unlock()
			say(w, 200, map[string]any{"status": map[bool]string{true: "SUCCESS", false: "PENDING"}[v.done], "substatus": nil})
		}
	})
	mux.HandleFunc("GET /connect/cashflow/v2/json", s.report)
	mux.HandleFunc("/spy", func(w http.ResponseWriter, _ *http.Request) {
		s.spied.Add(1)
		say(w, 200, map[string]any{"keys": []any{s.jwk("spied", &s.later.PublicKey)}})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func say(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (s *service) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// redirect answers with a link to the URL that lead returns.
func (s *service) redirect(w http.ResponseWriter, r *http.Request) {
	var in struct{ ExternalID, RedirectArgs string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	nonce := rand.Text()
	v := &task{externalID: in.ExternalID, args: in.RedirectArgs, publicToken: uuid.NewString()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks[nonce], s.tasks[in.ExternalID], s.tasks[v.publicToken] = v, v, v
	to := s.URL + "/redirect/" + nonce
	if s.lead != nil {
		to = s.lead(nonce)
	}
	say(w, 200, map[string]any{"redirectUrl": to, "redirectToken": nonce, "exp": time.Now().Add(30 * time.Minute).Unix()})
}

// task returns the task of a redirect URL, or nil.
func (s *service) task(address string) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tasks[address[strings.LastIndexByte(address, '/')+1:]]
}

// finish makes the report of v available.
func (s *service) finish(v *task) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.done = true
}

// asked returns the task that a request names. It answers the request and returns nil if
// the access token is revoked or the task unknown.
func (s *service) asked(w http.ResponseWriter, r *http.Request) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.revoked[r.Header.Get("Authorization")] {
		say(w, 401, map[string]any{"error": "EXPIRED_TOKEN"})
		return nil
	}
	v := s.tasks[cmp.Or(r.Header.Get("X-Public-Token"), r.Header.Get("X-External-Id"))]
	if v == nil {
		say(w, 404, map[string]any{"error": "NOT_FOUND"})
	}
	return v
}

// report serves the report. A configured failure does not count as a fetch.
func (s *service) report(w http.ResponseWriter, r *http.Request) {
	v := s.asked(w, r)
	if v == nil {
		return
	}
	s.mu.Lock()
	stumble := 0
	if len(s.stumbles) > 0 {
		stumble, s.stumbles = s.stumbles[0], s.stumbles[1:]
	}
	if stumble == 401 { // revokes the access token
		s.revoked[r.Header.Get("Authorization")] = true
	}
	s.mu.Unlock()
	if stumble != 0 {
		w.Header().Set("Retry-After", "0")
		say(w, stumble, map[string]any{"error": "UNAVAILABLE"})
		return
	}
	v.mu.Lock()
	v.fetches++
	v.mu.Unlock()
	say(w, 200, map[string]any{"meta": map[string]any{"public_token": v.publicToken, "created_at": "2026-05-04T10:00:00.000Z",
		"api_version": "2.0.0", "status": "SUCCESS", "external_id": v.externalID}, "applicant": firstName + " " + lastName})
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// object is a JSON object. As an argument of with, a nil member removes the member.
type object map[string]any

func (o object) with(change object) object {
	out := maps.Clone(o)
	for name, v := range change {
		if out[name] = v; v == nil {
			delete(out, name)
		}
	}
	return out
}

func (s *service) jwk(kid string, key *ecdsa.PublicKey) object {
	return object{"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": kid,
		"x": b64(key.X.FillBytes(make([]byte, 32))), "y": b64(key.Y.FillBytes(make([]byte, 32)))}
}

func rsaKey(kid string, key *rsa.PublicKey) object {
	return object{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": kid, "n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes())}
}

// keySet answers with two usable keys among unusable ones, or fails as broken says.
func (s *service) keySet(w http.ResponseWriter, r *http.Request) {
	s.keySets.Add(1)
	s.mu.Lock()
	published, broken := s.published, s.broken
	s.mu.Unlock()
	switch broken {
	case 0:
	case 1:
		say(w, 500, object{"error": "INTERNAL_ERROR"})
		return
	case 2:
		say(w, 200, object{"keys": []object{}})
		return
	case 3:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<h1>maintenance</h1>")
		return
	default: // hangs
		<-r.Context().Done()
		return
	}
	all := []object{
		s.jwk("good", &s.key.PublicKey), rsaKey("rsa", &s.rsa.PublicKey),
		{"kty": "XYZ", "kid": "xyz", "alg": "XY1"}, {"kty": "oct", "kid": "oct", "alg": "HS256", "k": b64([]byte(secretKey))},
		s.jwk("enc", &s.key.PublicKey).with(object{"use": "enc"}),
		s.jwk("ops", &s.key.PublicKey).with(object{"use": nil, "key_ops": []string{"sign"}}),
		s.jwk("curve", &s.key.PublicKey).with(object{"alg": "ES384"}), s.jwk("point", &s.key.PublicKey).with(object{"x": b64(make([]byte, 32))}),
		s.jwk("private", &s.key.PublicKey).with(object{"d": b64(make([]byte, 32))}), rsaKey("weak", &s.weak.PublicKey),
		s.jwk("twice", &s.key.PublicKey), s.jwk("twice", &s.later.PublicKey), s.jwk("a/b", &s.key.PublicKey), s.jwk("", &s.key.PublicKey),
		rsaKey("e3", &s.rsa.PublicKey).with(object{"e": "Aw"}),
	}
	if published {
		all = append(all, s.jwk("later", &s.later.PublicKey))
	}
	for i := range 1000 {
		all = append(all, s.jwk(fmt.Sprintf("more-%d", i), &s.later.PublicKey))
	}
	say(w, 200, object{"keys": all, "more": object{"keys": 1}})
}

func (s *service) header(change object) object {
	return object{"alg": "ES256", "typ": "outcome+jwt", "kid": "good"}.with(change)
}

func (s *service) claims(v *task, change object) object {
	now := time.Now().Unix()
	return object{"publicToken": v.publicToken, "outcome": "SUCCESS", "status": "SUCCESS", "redirectArgs": v.args, "aud": publicID,
		"iat": now, "exp": now + 300}.with(change)
}

// token returns a valid token for v, with changed claims.
func (s *service) token(v *task, change object) string {
	return sign(s.header(nil), s.claims(v, change), s.key)
}

func sign(header, claims object, key any) string {
	h, _ := json.Marshal(header)
	c, _ := json.Marshal(claims)
	return signText(string(h), string(c), key)
}

// signText signs a header and claims given as text. key is an EC or RSA key, the bytes of
// an HMAC key, or nil.
func signText(header, claims string, key any) string {
	input := b64([]byte(header)) + "." + b64([]byte(claims))
	sum := sha256.Sum256([]byte(input))
	var sig []byte
	switch key := key.(type) {
	case *ecdsa.PrivateKey:
		r, s, _ := ecdsa.Sign(rand.Reader, key, sum[:])
		sig = append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	case *rsa.PrivateKey:
		sig, _ = rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	case []byte:
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(input))
		sig = mac.Sum(nil)
	}
	return input + "." + b64(sig)
}

// mirrored returns the token with the signature (r, n−s), which is equally valid.
func mirrored(token string) string {
	i := strings.LastIndexByte(token, '.')
	sig, _ := base64.RawURLEncoding.DecodeString(token[i+1:])
	s := new(big.Int).SetBytes(sig[32:])
	s.Sub(elliptic.P256().Params().N, s)
	return token[:i+1] + b64(append(sig[:32:32], s.FillBytes(make([]byte, 32))...))
}
