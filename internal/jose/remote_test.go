package jose

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// upstream is an http.RoundTripper that serves a key set by the bubble's clock.
type upstream struct {
	mu      sync.Mutex
	answer  func(*http.Request) (*http.Response, error)
	fetches []time.Time
	active  int
	overlap bool
}

func (u *upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	u.mu.Lock()
	u.fetches = append(u.fetches, time.Now())
	u.active++
	u.overlap = u.overlap || u.active > 1
	answer := u.answer
	u.mu.Unlock()
	defer func() {
		u.mu.Lock()
		u.active--
		u.mu.Unlock()
	}()
	return answer(r)
}

func (u *upstream) set(answer func(*http.Request) (*http.Response, error)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.answer = answer
}

func (u *upstream) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.fetches)
}

func response(r *http.Request, status int, body io.Reader, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body), Request: r, ProtoMajor: 1, ProtoMinor: 1}
}

func text(status int, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		return response(r, status, strings.NewReader(body), header...), nil
	}
}

func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// drip sends a byte a second without end.
type drip struct{ ctx context.Context }

func (d drip) Read(p []byte) (int, error) {
	select {
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	case <-time.After(time.Second):
		p[0] = ' '
		return 1, nil
	}
}

func publish(t testing.TB, keys ...*PrivateKey) func(*http.Request) (*http.Response, error) {
	return text(200, setOf(t, keys...), "Cache-Control", "public, max-age=120")
}

func setOf(t testing.TB, keys ...*PrivateKey) string {
	t.Helper()
	set := KeySet{}
	for _, k := range keys {
		set = append(set, k.Public())
	}
	raw, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// remote runs f in a bubble with a separate clock.
func remote(t *testing.T, f func(t *testing.T, u *upstream, s *RemoteKeySet)) {
	synctest.Test(t, func(t *testing.T) {
		u := &upstream{}
		f(t, u, &RemoteKeySet{URL: "https://keys.example/jwkset", Transport: u})
		synctest.Wait()
		if u.overlap {
			t.Error("two fetches ran at once")
		}
	})
}

func (s *RemoteKeySet) want(t *testing.T, kid string, want error) {
	t.Helper()
	k, err := s.Key(t.Context(), kid, ES256)
	if !errors.Is(err, want) || err == nil && k.ID != kid {
		t.Errorf("at %v: Key = %+v, %v; want %v", time.Now(), k, err, want)
	}
}

func TestKeySetIsReadOnceForMany(t *testing.T) {
	a := newKey(t)
	remote(t, func(t *testing.T, u *upstream, s *RemoteKeySet) {
		u.set(func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return publish(t, a)(r)
		})
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() { s.want(t, a.ID, nil) })
		}
		wg.Wait()
		if n := u.count(); n != 1 {
			t.Errorf("%d fetches for fifty callers", n)
		}
	})
}

// TestNewKeyIsUsedAtOnce also covers a key published right after the first fetch.
func TestNewKeyIsUsedAtOnce(t *testing.T) {
	a, b := newKey(t), newKey(t)
	remote(t, func(t *testing.T, u *upstream, s *RemoteKeySet) {
		u.set(publish(t, a))
		s.want(t, a.ID, nil)
		u.set(publish(t, a, b))
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { s.want(t, b.ID, nil) })
		}
		wg.Wait()
		if n := u.count(); n != 2 {
			t.Errorf("%d fetches, want the first and one for the new kid", n)
		}
	})
}

// TestUnknownKidsAreThrottled uses an upstream that answers, fails, hangs, or returns
// an empty set.
func TestUnknownKidsAreThrottled(t *testing.T) {
	a := newKey(t)
	for name, answer := range map[string]func(*http.Request) (*http.Response, error){
		"well": publish(t, a), "fails": text(500, ""), "hangs": hang, "is empty": text(200, `{"keys":[]}`)} {
		t.Run(name, func(t *testing.T) {
			remote(t, func(t *testing.T, u *upstream, s *RemoteKeySet) {
				u.set(publish(t, a))
				s.want(t, a.ID, nil)
				u.set(answer)
				began := time.Now()
				var wg sync.WaitGroup
				for i := range 1000 {
					wg.Go(func() {
						if _, err := s.Key(t.Context(), fmt.Sprint("random", i), ES256); err == nil {
							t.Error("a random kid was found")
						}
					})
					before := time.Now()
					s.want(t, a.ID, nil)
					if waited := time.Since(before); waited > 0 {
						t.Fatalf("a good token waited %v", waited)
					}
					time.Sleep(10 * time.Millisecond)
				}
				wg.Wait()
				if n := u.count(); n != 2 {
					t.Errorf("%d fetches in ten seconds, want the first and one for a kid", n)
				}
				time.Sleep(missCooldown - time.Since(began))
				s.Key(t.Context(), "another", ES256)
				if n := u.count(); n != 3 {
					t.Errorf("%d fetches after the cooldown, want one more", n)
				}
			})
		})
	}
}

// TestKidDuringTheCooldown checks that a kid is not called unknown before the set was
// fetched again.
func TestKidDuringTheCooldown(t *testing.T) {
	a, b := newKey(t), newKey(t)
	remote(t, func(t *testing.T, u *upstream, s *RemoteKeySet) {
		u.set(publish(t, a))
		s.want(t, a.ID, nil)
		s.want(t, "unknown", ErrUnknownKey)
		u.set(publish(t, a, b))
		s.want(t, b.ID, ErrKeysUnavailable)
		time.Sleep(missCooldown)
		s.want(t, b.ID, nil)
	})
}

// TestFirstFetchFails pins the backoff of 1 s to 30 s, and that it ends.
func TestFirstFetchFails(t *testing.T) {
	a := newKey(t)
	remote(t, func(t *testing.T, u *upstream, s *RemoteKeySet) {
		u.set(text(503, ""))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.Run(ctx)
		began := time.Now()
		for range 200 {
			s.want(t, a.ID, ErrKeysUnavailable)
			time.Sleep(500 * time.Millisecond)
		}
		u.set(publish(t, a))
		time.Sleep(30 * time.Second)
		s.want(t, a.ID, nil)
		var gaps []int
		u.mu.Lock()
		last := began
		for _, f := range u.fetches {
			gaps = append(gaps, int(f.Sub(last).Round(time.Second)/time.Second))
			last = f
		}
		u.mu.Unlock()
		if want := []int{0, 1, 2, 4, 8, 16, 30, 30, 30}; !slices.Equal(gaps, want) {
			t.Errorf("seconds between fetches: %v, want %v", gaps, want)
		}
	})
}

func TestRunKeepsTheSetFresh(t *testing.T) {
	a, b := newKey(t), newKey(t)
	remote(t, func(t *testing.T, u *upstream, s *RemoteKeySet) {
		u.set(publish(t, a))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.Run(ctx)
		time.Sleep(time.Second)
		u.set(publish(t, b))
		time.Sleep(2 * time.Minute) // the document's max-age
		s.want(t, b.ID, nil)
		if n := u.count(); n != 2 {
			t.Errorf("%d fetches, want 2", n)
		}
	})
}

// TestRemovedKeyIsRefused removes the key at the worst moments.
func TestRemovedKeyIsRefused(t *testing.T) {
	a, b := newKey(t), newKey(t)
	for _, idle := range []time.Duration{time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 3 * time.Hour} {
		t.Run(idle.String(), func(t *testing.T) {
			remote(t, func(t *testing.T, u *upstream, s *RemoteKeySet) {
				u.set(publish(t, a, b))
				s.want(t, a.ID, nil)
				removed := time.Now()
				u.set(publish(t, b))
				time.Sleep(idle)
				s.Key(t.Context(), a.ID, ES256)
				time.Sleep(max(0, 10*time.Minute-time.Since(removed)))
				s.want(t, a.ID, ErrUnknownKey)
				s.want(t, b.ID, nil)
			})
		})
	}
}

// TestLastGoodSetIsKept checks the set after each kind of bad answer.
func TestLastGoodSetIsKept(t *testing.T) {
	a := newKey(t)
	good := setOf(t, a)
	for name, answer := range map[string]func(*http.Request) (*http.Response, error){
		"500":        text(500, good),
		"204":        text(204, ""),
		"refused":    func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") },
		"hangs":      hang,
		"slow drip":  func(r *http.Request) (*http.Response, error) { return response(r, 200, drip{r.Context()}), nil },
		"100 MB":     func(r *http.Request) (*http.Response, error) { return response(r, 200, zeros{}), nil },
		"HTML":       text(200, "<html><title>Sign in</title>", "Content-Type", "text/html"),
		"truncated":  text(200, good[:len(good)-3]),
		"trailing":   text(200, good+good),
		"empty":      text(200, ""),
		"empty set":  text(200, `{"keys":[]}`),
		"no set":     text(200, `{"kid":"a"}`),
		"two sets":   text(200, `{"keys":[],"keys":[]}`),
		"null":       text(200, `null`),
		"keys null":  text(200, `{"keys":null}`),
		"deep":       text(200, strings.Repeat(`{"keys":[`, 20000)),
		"other host": text(302, "", "Location", "https://evil.example/jwkset"),
		"plain http": text(302, "", "Location", "http://keys.example/jwkset"),
		"other port": text(302, "", "Location", "https://keys.example:444/jwkset"),
		"round":      text(302, "", "Location", "/jwkset"),
	} {
		t.Run(name, func(t *testing.T) {
			remote(t, func(t *testing.T, u *upstream, s *RemoteKeySet) {
				hosts := map[string]bool{}
				note := func(f func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
					return func(r *http.Request) (*http.Response, error) {
						hosts[r.URL.Scheme+"://"+r.URL.Host] = true
						return f(r)
					}
				}
				u.set(note(publish(t, a)))
				s.want(t, a.ID, nil)
				u.set(note(answer))
				for range 40 {
					time.Sleep(30 * time.Second)
					s.want(t, a.ID, nil)
				}
				s.want(t, "unknown", ErrKeysUnavailable)
				if len(hosts) != 1 {
					t.Errorf("asked %v", hosts)
				}
				u.set(publish(t, a))
				time.Sleep(maxBackoff)
				s.Key(t.Context(), a.ID, ES256)
				synctest.Wait()
				s.want(t, "unknown2", ErrUnknownKey)
			})
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestRedirectWithinTheHostIsFollowed(t *testing.T) {
	a := newKey(t)
	remote(t, func(t *testing.T, u *upstream, s *RemoteKeySet) {
		u.set(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/jwkset" {
				return text(302, "", "Location", "/v2/jwkset")(r)
			}
			return publish(t, a)(r)
		})
		s.want(t, a.ID, nil)
	})
}

// TestUnusableKeysAreLeftOut checks that the usable keys of a set remain.
func TestUnusableKeysAreLeftOut(t *testing.T) {
	a, b := newKey(t), newKey(t)
	one := string(elementOf(t, []byte(setOf(t, a))))
	other := strings.Replace(string(elementOf(t, []byte(setOf(t, b)))), b.ID, "double", 1)
	double := strings.Replace(string(elementOf(t, []byte(setOf(t, newKey(t))))), `"kid":"`, `"kid":"double","x-was":"`, 1)
	var crowd []string
	for i := range 1000 {
		crowd = append(crowd, strings.Replace(one, a.ID, fmt.Sprint("k", i), 1))
	}
	for _, c := range []struct {
		name, doc string
		kids      []string
		leftOut   int
		cut       bool
	}{
		{"unknown type", `{"keys":[{"kty":"PQ","kid":"pq"},` + one + `]}`, []string{a.ID}, 1, false},
		{"not even objects", `{"keys":[1,null,"x",[],` + one + `]}`, []string{a.ID}, 4, false},
		{"oct beside it", `{"keys":[` + one + `,{"kty":"oct","kid":"` + a.ID + `","k":"AAAA"}]}`, []string{a.ID}, 1, false},
		{"one kid twice", `{"keys":[` + other + `,` + one + `,` + double + `]}`, []string{a.ID}, 2, false},
		{"one key twice", `{"keys":[` + one + `,` + strings.Replace(one, "{", `{"x-note":1,`, 1) + `]}`, []string{a.ID}, 0, false},
		{"byte order mark", "\uFEFF" + `{"keys":[` + one + `]}`, []string{a.ID}, 0, false},
		{"invalid certificate", `{"keys":[` + strings.Replace(one, "{", `{"x5c":["AA"],"x5t":7,`, 1) + `]}`, []string{a.ID}, 0, false},
		{"one kid three times", `{"keys":[` + other + `,` + double + `,` + one + `,` + other + `]}`, []string{a.ID}, 3, false},
		{"algorithm that is not allowed", `{"keys":[` + strings.Replace(one, "{", `{"x-note":1,`, 1) +
			`,{"kty":"EC","crv":"P-384"}]}`, []string{a.ID}, 1, false},
		{"other members", `{"iss":"x","keys":[` + one + `],"keys2":[{}]}`, []string{a.ID}, 0, false},
		{"a thousand", `{"keys":[` + strings.Join(crowd, ",") + `]}`, nil, 0, true},
		{"beyond 1 MiB", `{"keys":[` + one + `,"` + strings.Repeat("x", 2<<20) + `"]}`, []string{a.ID}, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseSet(strings.NewReader(c.doc), DefaultAlgs())
			if err != nil {
				t.Fatal(err)
			}
			kids := map[string]bool{}
			for _, k := range got.keys {
				kids[k.ID] = true
			}
			if c.kids == nil && len(kids) != maxSetKeys || c.kids != nil && !slices.Equal(slices.Sorted(maps.Keys(kids)), c.kids) {
				t.Errorf("keys = %v, want %v", kids, c.kids)
			}
			if got.leftOut != c.leftOut || got.cut != c.cut {
				t.Errorf("left out %d, cut %v; want %d, %v", got.leftOut, got.cut, c.leftOut, c.cut)
			}
		})
	}
}

// TestReusedKid checks that a signature that does not fit causes one more fetch, which may
// bring a new key of the same kid, and no other within the cooldown.
func TestReusedKid(t *testing.T) {
	a, b := newKey(t), newKey(t)
	remote(t, func(t *testing.T, u *upstream, s *RemoteKeySet) {
		v := &Verifier{Keys: s, Types: []string{"x"}}
		sign := func(k *PrivateKey) string {
			return forge(t, k, `{"alg":"ES256","typ":"x","kid":"`+a.ID+`"}`, claims(fmt.Sprint(time.Now().Unix()), fmt.Sprint(time.Now().Unix()+60)))
		}
		check := func(k *PrivateKey, want error) {
			t.Helper()
			if _, err := v.Verify(t.Context(), sign(k)); !errors.Is(err, want) {
				t.Errorf("Verify = %v, want %v", err, want)
			}
		}
		u.set(publish(t, a))
		check(a, nil)
		u.set(text(200, strings.Replace(setOf(t, b), b.ID, a.ID, 1)))
		check(b, nil)
		// A key that was replaced may be replaced again: its tokens can be tried again.
		check(a, ErrKeysUnavailable)
		check(newKey(t), ErrKeysUnavailable)
		if n := u.count(); n != 2 {
			t.Errorf("%d fetches, want the first and one for the new key", n)
		}
		time.Sleep(missCooldown)
		check(newKey(t), ErrSignature)
		check(newKey(t), ErrSignature) // paused, and not replaced lately
		if n := u.count(); n != 3 {
			t.Errorf("%d fetches, want another one after the pause", n)
		}
		time.Sleep(missCooldown)
		u.set(publish(t, a))
		check(a, nil)
	})
}

func TestCallerThatLeavesDoesNotStopTheFetch(t *testing.T) {
	a := newKey(t)
	remote(t, func(t *testing.T, u *upstream, s *RemoteKeySet) {
		u.set(func(r *http.Request) (*http.Response, error) {
			time.Sleep(3 * time.Second)
			if err := r.Context().Err(); err != nil {
				return nil, err
			}
			return publish(t, a)(r)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Key(ctx, a.ID, ES256); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Key = %v, want the caller's own end", err)
		}
		s.want(t, a.ID, nil)
		if n := u.count(); n != 1 {
			t.Errorf("%d fetches, want 1", n)
		}
	})
}

func TestMaxAge(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"":                         maxFresh,
		"no-store":                 maxFresh,
		"public, max-age=90":       90 * time.Second,
		"MAX-AGE=120,public":       2 * time.Minute,
		"max-age=0":                minFresh,
		"max-age=86400":            maxFresh,
		"max-age=99999999999999":   maxFresh,
		"max-age=-5":               maxFresh,
		`max-age="180"`:            3 * time.Minute,
		"s-maxage=1, max-age=soon": maxFresh,
	} {
		if got := freshness(header); got != want {
			t.Errorf("freshness(%q) = %v, want %v", header, got, want)
		}
	}
}

func TestParseKeySet(t *testing.T) {
	key, err := GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(KeySet{key.Public()})
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseKeySet(raw)
	if err != nil || len(got) != 1 || got[0].ID != key.ID || got[0].Alg != ES256 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "{}", `{"keys":[]}`, `{"keys":[{"kty":"oct","kid":"1","k":"AAAA"}]}`} {
		if got, err := ParseKeySet([]byte(bad)); err == nil {
			t.Errorf("%s gives %+v", bad, got)
		}
	}
}
