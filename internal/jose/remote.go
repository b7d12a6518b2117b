package jose

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bounds of a key set that is fetched.
const (
	maxSetBytes = 1 << 20 // read of a document; what is beyond is left out
	maxSetKeys  = 100     // usable keys; what is beyond is left out

	fetchTimeout = 5 * time.Second  // from dialling to the last byte
	missCooldown = 30 * time.Second // between fetches for the sake of unknown kids
	minFresh     = time.Minute      // bounds of max-age, and its default
	maxFresh     = 5 * time.Minute
	maxStale     = 9 * time.Minute // older than this, a healthy upstream is waited for
	minBackoff   = time.Second     // after failures, doubling
	maxBackoff   = 30 * time.Second
)

// RemoteKeySet is the key set at an address (document 2: GET /jwkset). It is
// read when first needed and again as its max-age says, between 1 and 5 minutes;
// once more for a kid that it does not have, and then not for that reason for 30
// seconds, whether that read succeeded or not. One fetch runs at a time, under a
// context of its own; those who wait for it wait no longer than theirs.
//
// What cannot be used is left out: keys that parseKey refuses or of algorithms
// that are not allowed, both of two keys with one kid, whatever is beyond 1 MiB or
// 100 keys. A fetch that fails, or brings no usable key, leaves the last good set
// in force and is repeated after 1 to 30 seconds. While the address answers, a key
// that was removed there is refused within 10 minutes.
//
// Fill the exported fields and do not change them after the first call.
type RemoteKeySet struct {
	URL       string            // required; redirects to another host or scheme are refused
	Transport http.RoundTripper // nil: http.DefaultTransport
	Algs      []Alg             // nil: DefaultAlgs
	Now       func() time.Time  // nil: time.Now
	Log       *slog.Logger      // nil: silent
	Watch     func(error)       // told how every fetch ended; nil: nobody

	mu      sync.Mutex // guards everything below
	keys    map[string]*Key
	readAt  time.Time     // when the fetch that brought keys began
	fresh   time.Duration // how long keys need no refresh
	started uint64        // fetches begun so far
	brought uint64        // the fetch that brought keys, counted from 1

	failures   int           // in a row
	retryAt    time.Time     // no refresh before this; zero after a success
	quietUntil time.Time     // no fetch for an unknown kid before this
	flight     chan struct{} // closed when the fetch that runs is over; nil when none does
}

// Key returns the key that kid names. The error is ErrUnknownKey,
// ErrKeysUnavailable when the set could not be read, or the context's.
func (s *RemoteKeySet) Key(ctx context.Context, kid string) (*Key, error) {
	s.mu.Lock()
	begun := s.started
	for {
		key, flight, err := s.look(kid, begun)
		s.mu.Unlock()
		if flight == nil {
			return key, err
		}
		select {
		case <-flight:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		s.mu.Lock()
	}
}

// look finds kid, or names the fetch to wait for before looking again. Begun is
// how many fetches had begun when the caller first asked. The lock is held.
func (s *RemoteKeySet) look(kid string, begun uint64) (*Key, chan struct{}, error) {
	now := s.now()
	s.refresh(now)
	key := s.keys[kid]
	switch {
	case key != nil && s.flight != nil && s.failures == 0 && now.Sub(s.readAt) >= maxStale:
		return nil, s.flight, nil
	case key != nil:
		return key, nil, nil
	case s.flight != nil:
		return nil, s.flight, nil
	case s.keys == nil:
		return nil, nil, ErrKeysUnavailable
	case s.brought > begun || now.Before(s.quietUntil):
		if s.failures > 0 {
			return nil, nil, ErrKeysUnavailable
		}
		return nil, nil, ErrUnknownKey
	}
	s.quietUntil = now.Add(missCooldown)
	s.start()
	return nil, s.flight, nil
}

// refresh begins a fetch if one is due and none runs. The lock is held.
func (s *RemoteKeySet) refresh(now time.Time) {
	due := s.keys == nil || now.Sub(s.readAt) >= s.fresh
	if due && s.flight == nil && !now.Before(s.retryAt) {
		s.start()
	}
}

// Run reads the set now and keeps it fresh until ctx is done, so that no request
// has to wait for it. It is a convenience: without it, requests do this.
func (s *RemoteKeySet) Run(ctx context.Context) {
	for {
		s.mu.Lock()
		now := s.now()
		s.refresh(now)
		flight, next := s.flight, s.readAt.Add(s.fresh)
		if s.failures > 0 {
			next = s.retryAt
		}
		s.mu.Unlock()
		if flight != nil {
			select {
			case <-flight:
				continue
			case <-ctx.Done():
				return
			}
		}
		timer := time.NewTimer(max(next.Sub(now), 100*time.Millisecond))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// start begins a fetch. The lock is held, and none runs.
func (s *RemoteKeySet) start() {
	s.started++
	s.flight = make(chan struct{})
	go s.fetch(s.started, s.now())
}

func (s *RemoteKeySet) fetch(number uint64, began time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	got, err := s.read(ctx)
	if s.Watch != nil {
		s.Watch(err)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(s.flight)
	if err != nil {
		s.failures++
		pause := min(minBackoff<<min(s.failures-1, 10), maxBackoff)
		s.retryAt = s.now().Add(pause)
		s.log().Warn("key set not read", "err", err.Error(), "failures", s.failures, "keys", len(s.keys))
	} else {
		s.keys, s.readAt, s.fresh, s.brought = got.keys, began, got.fresh, number
		s.failures, s.retryAt = 0, time.Time{}
		s.log().Info("key set read", "keys", len(got.keys), "leftOut", got.leftOut, "cut", got.cut)
	}
	s.flight = nil
}

// document is a key set that was read.
type document struct {
	keys    map[string]*Key
	fresh   time.Duration
	leftOut int  // keys that cannot be used
	cut     bool // the document went on beyond the bounds
}

func (s *RemoteKeySet) read(ctx context.Context) (document, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		return document{}, errors.New("address is not a URL")
	}
	req.Header.Set("Accept", "application/jwk-set+json, application/json")
	client := &http.Client{Transport: s.Transport, CheckRedirect: sameHost}
	res, err := client.Do(req)
	if err != nil {
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err // without the address, which may hold what is nobody's business
		}
		return document{}, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return document{}, fmt.Errorf("answered with status %d", res.StatusCode)
	}
	algs := s.Algs
	if algs == nil {
		algs = DefaultAlgs()
	}
	got, err := parseSet(res.Body, algs)
	if err != nil {
		return document{}, err
	}
	got.fresh = freshness(res.Header.Get("Cache-Control"))
	return got, nil
}

// sameHost follows redirects within one host and scheme, and at most three.
func sameHost(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if len(via) > 3 || req.URL.Host != first.Host || req.URL.Scheme != first.Scheme || req.URL.User != nil {
		return errors.New("redirects elsewhere")
	}
	return nil
}

// parseSet reads a JWK Set as a stream and stops at the bounds. It fails if the
// document is not one, or has no usable key.
func parseSet(r io.Reader, algs []Alg) (document, error) {
	bound := &io.LimitedReader{R: r, N: maxSetBytes}
	got := document{keys: map[string]*Key{}}
	twice := map[string]bool{}
	err := eachKey(bound, func(raw json.RawMessage) bool {
		if len(got.keys) == maxSetKeys {
			got.cut = true
			return false
		}
		key, err := parseKey(raw)
		switch {
		case err != nil || !slices.Contains(algs, key.Alg):
			got.leftOut++
		case twice[key.ID]:
			got.leftOut++
		case got.keys[key.ID] != nil:
			twice[key.ID] = true
			delete(got.keys, key.ID)
			got.leftOut += 2
		default:
			got.keys[key.ID] = key
		}
		return true
	})
	if err != nil && bound.N > 0 {
		return document{}, errors.New("is not a key set")
	}
	got.cut = got.cut || err != nil
	if len(got.keys) == 0 {
		return document{}, errors.New("has no usable key")
	}
	return got, nil
}

var errNotASet = errors.New("not a JWK Set")

// eachKey calls f with each element of the document's one array "keys" until f
// returns false, and reads the rest of the document otherwise.
func eachKey(r io.Reader, f func(json.RawMessage) bool) error {
	dec := json.NewDecoder(r)
	if !delim(dec, '{') {
		return errNotASet
	}
	seen := false
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var element json.RawMessage
		if name != "keys" {
			if err := dec.Decode(&element); err != nil {
				return err
			}
			continue
		}
		if seen || !delim(dec, '[') {
			return errNotASet
		}
		seen = true
		for dec.More() {
			if err := dec.Decode(&element); err != nil {
				return err
			}
			if !f(element) {
				return nil
			}
		}
		if !delim(dec, ']') {
			return errNotASet
		}
	}
	if !seen || !delim(dec, '}') {
		return errNotASet
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errNotASet
	}
	return nil
}

func delim(dec *json.Decoder, want json.Delim) bool {
	tok, err := dec.Token()
	return err == nil && tok == want
}

// freshness reads max-age of a Cache-Control header, within bounds.
func freshness(header string) time.Duration {
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if !strings.EqualFold(name, "max-age") {
			continue
		}
		if n, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31); err == nil {
			return min(max(time.Duration(n)*time.Second, minFresh), maxFresh)
		}
	}
	return maxFresh
}

// Look reads the set once, for whoever wants to know what is there: how many keys
// could be used and how many not. It leaves what Key knows alone.
func (s *RemoteKeySet) Look(ctx context.Context) (usable, leftOut int, err error) {
	got, err := s.read(ctx)
	return len(got.keys), got.leftOut, err
}

func (s *RemoteKeySet) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

func (s *RemoteKeySet) log() *slog.Logger {
	if s.Log != nil {
		return s.Log
	}
	return slog.New(slog.DiscardHandler)
}
