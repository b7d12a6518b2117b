package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vestibule/internal/jose"
	"vestibule/internal/redirect"
)

// floodFigures measures how tokens with invented key ids slow down valid returns: a
// thousand in ten seconds, each with another key id, beside valid tokens at a constant
// rate. The peer is the same rate without them. Rounds of both alternate.
func floodFigures(ctx context.Context) ([]figure, error) {
	const rounds, pace, bad = 3, 5 * time.Millisecond, 10 * time.Millisecond
	sample, err := newOutcome()
	if err != nil {
		return nil, err
	}
	defer sample.stop()
	var fetches atomic.Int64
	_, rest, _ := strings.Cut(sample.token, ".")
	invented := func() string {
		var kid [16]byte
		rand.Read(kid[:])
		header := fmt.Sprintf(`{"alg":"ES256","typ":"%s","kid":"%x"}`, redirect.TokenType, kid)
		return base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + rest
	}
	var ratios, quiet, flooded []float64
	var most int64
	for range rounds {
		var p99 [2]float64
		for turn, flood := range []bool{false, true} {
			verifier := redirect.NewVerifier(&jose.RemoteKeySet{URL: sample.keys.URL, Transport: counting{&fetches}}, nil, time.Now)
			if _, err := verifier.Verify(ctx, sample.token); err != nil { // reads the set
				return nil, err
			}
			fetches.Store(0)
			ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
			var wait sync.WaitGroup
			var refused atomic.Int64
			if flood {
				wait.Go(func() {
					every(ctx, bad, func() {
						if _, err := verifier.Verify(context.WithoutCancel(ctx), invented()); errors.Is(err, jose.ErrUnknownKey) {
							refused.Add(1)
						}
					})
				})
			}
			var took []float64
			var failed error
			every(ctx, pace, func() {
				began := time.Now()
				if _, err := verifier.Verify(context.WithoutCancel(ctx), sample.token); err != nil {
					failed = err
				}
				took = append(took, float64(time.Since(began).Nanoseconds()))
			})
			cancel()
			wait.Wait()
			if failed != nil {
				return nil, failed
			}
			if flood && refused.Load() == 0 {
				return nil, errors.New("no invented kid was refused")
			}
			p99[turn] = quantile(took, .99)
			most = max(most, fetches.Load())
		}
		quiet, flooded, ratios = append(quiet, p99[0]), append(flooded, p99[1]), append(ratios, p99[1]/p99[0])
	}
	ms := func(of []float64) string { return fmt.Sprintf("%.2f ms", quantile(of, .5)/1e6) }
	return []figure{
		{name: "key-set flood: p99 of good returns / without", ours: ms(flooded), peer: ms(quiet), wanted: "≤ 1.20",
			ratio: quantile(ratios, .5), low: quantile(ratios, .25), high: quantile(ratios, .75)},
		{name: "key-set flood: fetches in its ten seconds", ours: fmt.Sprint(most), peer: "1", ratio: float64(most),
			low: float64(most), high: float64(most), wanted: "≤ 1.00"},
	}, nil
}

// every calls f at an interval until ctx ends.
func every(ctx context.Context, pace time.Duration, f func()) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f()
		}
	}
}

// counting counts requests.
type counting struct{ n *atomic.Int64 }

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return http.DefaultTransport.RoundTrip(r)
}
