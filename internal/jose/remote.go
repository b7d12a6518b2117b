package jose

import (
	"bufio"
	"bytes"
	"cmp"
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

// Bounds of a fetched key set.
const (
	maxSetBytes = 1 << 20 // of the document; the rest is ignored
	maxSetKeys  = 100     // usable keys; the rest is ignored

	fetchTimeout = 5 * time.Second  // from dialing to the last byte
	missCooldown = 30 * time.Second // between fetches for unknown kids and replaced keys
	minFresh     = time.Minute      // bounds of max-age, and its default
	maxFresh     = 5 * time.Minute
	maxStale     = 9 * time.Minute // with older keys, calls wait for a working upstream
	minBackoff   = time.Second     // after failures, doubling
	maxBackoff   = 30 * time.Second
)

// RemoteKeySet is the key set at a URL, such as the service's /connect/jwkset. It is fetched
// when first needed and again after its max-age, between 1 and 5 minutes. An unknown
// kid, or a key that does not verify its token, causes another fetch, but at most one in
// 30 seconds, whether it succeeds or not. One fetch runs at a time, with a separate
// context; callers wait for it until their own context ends.
//
// It ignores keys that parseKey refuses, keys of other algorithms, both of two different
// keys with one kid for one algorithm, and everything beyond 1 MiB or 100 keys. After a fetch that fails or
// brings no usable key, the last good set stays in use, and the fetch is repeated after
// 1 to 30 seconds. While the URL answers, a key that was removed there is refused
// within 10 minutes.
//
// Set the exported fields before the first call and do not change them afterward.
type RemoteKeySet struct {
	URL       string            // required; redirects to another host or scheme are refused
	Transport http.RoundTripper // nil: http.DefaultTransport
	Algs      []Alg             // nil: DefaultAlgs
	Now       func() time.Time  // nil: time.Now
	Log       *slog.Logger      // nil: silent
	Watch     func(error)       // called with the result of every fetch; may be nil

	mu        sync.Mutex // guards everything below
	keys      KeySet
	readAt    time.Time     // when the fetch that brought keys began
	fresh     time.Duration // how long keys need no refresh
	started   uint64        // fetches begun so far
	setNumber uint64        // the fetch that brought keys, counted from 1

	failures  int           // in a row
	retryAt   time.Time     // earliest time of the next refresh; zero after a success
	missUntil time.Time     // earliest time of the next fetch for an unknown kid or a replaced key
	flight    chan struct{} // closed when the running fetch ends; nil without one
}

// Key returns the key that kid names for alg. The error is ErrUnknownKey, ErrAlgorithm,
// ErrKeysUnavailable when the set could not be read, or not yet again, or the context's.
func (s *RemoteKeySet) Key(ctx context.Context, kid string, alg Alg) (*Key, error) {
	return s.await(ctx, kid, alg, nil)
}

// Replacement is Key for the kid of old, where the set has another key by now.
func (s *RemoteKeySet) Replacement(ctx context.Context, old *Key) (*Key, error) {
	return s.await(ctx, old.ID, old.Alg, old)
}

// await returns the key that kid names for alg, which is not old.
func (s *RemoteKeySet) await(ctx context.Context, kid string, alg Alg, old *Key) (*Key, error) {
	s.mu.Lock()
	begun := s.started
	for {
		key, flight, err := s.find(kid, alg, old, begun)
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

// find returns the key of kid and alg, unless it is old, or the fetch to wait for before looking
// again. begun is the number of fetches begun when the caller first asked. s.mu is held.
func (s *RemoteKeySet) find(kid string, alg Alg, old *Key, begun uint64) (*Key, chan struct{}, error) {
	now := s.now()
	s.refresh(now)
	key, err := s.keys.Key(context.Background(), kid, alg)
	if key != nil && old != nil && key.same(old) {
		key = nil
	}
	switch {
	case key != nil && s.flight != nil && s.failures == 0 && now.Sub(s.readAt) >= maxStale:
		return nil, s.flight, nil
	case key != nil:
		return key, nil, nil
	case s.flight != nil:
		return nil, s.flight, nil
	case s.keys == nil:
		return nil, nil, ErrKeysUnavailable
	case errors.Is(err, ErrAlgorithm), s.setNumber > begun && s.failures == 0:
		return nil, nil, cmp.Or(err, ErrUnknownKey)
	case s.setNumber > begun || now.Before(s.missUntil):
		if old != nil && now.Sub(old.replaced) >= missCooldown {
			return nil, nil, ErrUnknownKey // the token is forged, rather than of the second new key in 30 seconds
		}
		return nil, nil, ErrKeysUnavailable // the set may have the key already
	}
	s.missUntil = now.Add(missCooldown)
	s.start()
	return nil, s.flight, nil
}

// refresh starts a fetch if one is due and none runs. s.mu is held.
func (s *RemoteKeySet) refresh(now time.Time) {
	due := s.keys == nil || now.Sub(s.readAt) >= s.fresh
	if due && s.flight == nil && !now.Before(s.retryAt) {
		s.start()
	}
}

// Run fetches the set now and keeps it fresh until ctx ends, so that no request has to
// wait for a fetch. Without Run, requests refresh the set.
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

// start starts a fetch. s.mu is held, and no fetch runs.
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
		for _, k := range got.keys {
			if old, _ := s.keys.Key(ctx, k.ID, k.Alg); old != nil && old.same(k) {
				k.replaced = old.replaced
			} else if old != nil {
				k.replaced = began
			}
		}
		s.keys, s.readAt, s.fresh, s.setNumber = got.keys, began, got.fresh, number
		s.failures, s.retryAt = 0, time.Time{}
		s.log().Info("key set read", "keys", got.usable, "leftOut", got.leftOut, "cut", got.cut)
	}
	s.flight = nil
}

// document is a parsed key set.
type document struct {
	keys    KeySet // one for each algorithm of a key
	fresh   time.Duration
	usable  int  // keys
	leftOut int  // unusable keys
	cut     bool // the document exceeds the bounds
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
			err = u.Err // without the URL, which may contain credentials
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

// sameHost allows at most three redirects, within one host and scheme.
func sameHost(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if len(via) > 3 || req.URL.Host != first.Host || req.URL.Scheme != first.Scheme || req.URL.User != nil {
		return errors.New("redirects elsewhere")
	}
	return nil
}

// parseSet reads a JWK Set as a stream up to the bounds. It returns an error if the
// document is not a JWK Set or has no usable key.
func parseSet(r io.Reader, algs []Alg) (document, error) {
	bound := &io.LimitedReader{R: r, N: maxSetBytes}
	var got document
	var all KeySet
	var each []KeySet // of the elements that can be used
	err := eachKey(bound, func(raw json.RawMessage) bool {
		if len(each) == maxSetKeys {
			got.cut = true
			return false
		}
		keys, _ := parseKey(raw)
		if keys = slices.DeleteFunc(keys, func(k *Key) bool { return !slices.Contains(algs, k.Alg) }); len(keys) == 0 {
			got.leftOut++
			return true
		}
		all, each = append(all, keys...), append(each, keys)
		return true
	})
	for _, keys := range each {
		keys = slices.DeleteFunc(keys, func(k *Key) bool {
			return slices.ContainsFunc(all, func(o *Key) bool { return o.ID == k.ID && o.Alg == k.Alg && !o.same(k) })
		})
		if got.keys = append(got.keys, keys...); len(keys) > 0 {
			got.usable++
		} else {
			got.leftOut++
		}
	}
	if err != nil && bound.N > 0 {
		return document{}, errors.New("is not a key set")
	}
	got.cut = got.cut || err != nil
	if len(got.keys) == 0 {
		return document{}, ErrNoUsableKey
	}
	return got, nil
}

var errNotASet = errors.New("not a JWK Set")

// eachKey calls f with each element of the document's one array "keys" until f returns
// false. Otherwise it checks the document to its end.
func eachKey(r io.Reader, f func(json.RawMessage) bool) error {
	text := bufio.NewReader(r)
	if mark, _ := text.Peek(3); string(mark) == "\uFEFF" {
		_, _ = text.Discard(3) // a byte order mark, which some servers write
	}
	dec := json.NewDecoder(text)
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

// freshness returns the max-age of a Cache-Control header, within the bounds.
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

// Diagnose fetches the set once, for diagnosis, and returns how many keys are usable and
// how many are not. It does not change the set that Key uses.
func (s *RemoteKeySet) Diagnose(ctx context.Context) (usable, leftOut int, err error) {
	got, err := s.read(ctx)
	return got.usable, got.leftOut, err
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

// ParseKeySet reads a JWK Set (RFC 7517). Keys that parseKey refuses are left out, and a
// set without a usable key is an error.
func ParseKeySet(raw []byte) (KeySet, error) {
	got, err := parseSet(bytes.NewReader(raw), Algs())
	if err != nil {
		return nil, err
	}
	return got.keys, nil
}
