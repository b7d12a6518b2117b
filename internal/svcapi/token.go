package svcapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// tokenLife is the lifetime of access tokens in the API reference, and tokenEarly is
// how long before its end a token is replaced.
const (
	tokenLife  = 5 * time.Minute
	tokenEarly = 30 * time.Second
)

// tokenCache holds one access token and the running fetch of the next.
type tokenCache struct {
	mu     sync.Mutex
	value  string
	until  time.Time // end of use, by the client's clock
	flight *flight   // nil without a running fetch
}

// flight is one call of the token endpoint, which any number of requests may await.
type flight struct {
	done  chan struct{} // closed when value and err are set
	value string
	err   error
}

// accessToken returns a valid token, and fetches one if needed. Concurrent requests
// share one fetch, which continues if a request gives up.
func (c *Client) accessToken(ctx context.Context) (string, error) {
	c.token.mu.Lock()
	if c.token.value != "" && c.now().Before(c.token.until) {
		v := c.token.value
		c.token.mu.Unlock()
		return v, nil
	}
	f := c.token.flight
	if f == nil {
		f = &flight{done: make(chan struct{})}
		c.token.flight = f
		go c.refreshToken(context.WithoutCancel(ctx), f)
	}
	c.token.mu.Unlock()
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// refreshToken fetches and caches a token, and releases the waiting requests.
func (c *Client) refreshToken(ctx context.Context, f *flight) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	requested := c.now()
	value, exp, err := c.fetchToken(ctx)
	c.token.mu.Lock()
	defer c.token.mu.Unlock()
	c.token.flight = nil
	f.value, f.err = value, err
	if err == nil {
		c.token.value, c.token.until = value, tokenUntil(requested, exp)
	}
	close(f.done)
}

// forget drops the refused token if it is still cached. When many requests are refused
// together, only the first one drops it.
func (c *Client) forget(refused string) {
	c.token.mu.Lock()
	defer c.token.mu.Unlock()
	if c.token.value == refused {
		c.token.value = ""
	}
}

// tokenUntil returns until when a token is used. The two clocks may differ, so an
// implausible exp (absent, past, in milliseconds, far away) counts as five minutes; a
// refused token is replaced anyway.
func tokenUntil(requested time.Time, exp int64) time.Time {
	left := time.Duration(0)
	if secs := exp - requested.Unix(); secs > 0 && secs <= int64(2*tokenLife/time.Second) {
		left = time.Duration(secs) * time.Second
	}
	if left <= tokenEarly {
		left = tokenLife
	}
	return requested.Add(left - tokenEarly)
}

// fetchToken calls GET /connect/accesstoken (API reference: Access).
func (c *Client) fetchToken(ctx context.Context) (value string, exp int64, err error) {
	a, err := c.do(ctx, call{op: "access token", method: http.MethodGet, path: c.address(AddressAccessToken),
		auth: basic, repeatable: true, limit: maxAnswer, timeout: answerTimeout})
	if err != nil {
		return "", 0, err
	}
	var wire struct {
		AccessToken string          `json:"accessToken"`
		Exp         json.RawMessage `json:"exp"`
	}
	if err := a.decode(&wire); err != nil {
		return "", 0, err
	}
	if wire.AccessToken == "" || len(wire.AccessToken) > 8<<10 {
		return "", 0, badAnswer(a.op, a.status, "accessToken is missing or too long")
	}
	return wire.AccessToken, unixSeconds(wire.Exp), nil
}

// unixSeconds parses exp as an integer, a float or a string with a number; other values
// give 0.
func unixSeconds(raw json.RawMessage) int64 {
	s := strings.Trim(string(raw), `"`)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && f > 0 && f < 1e15 {
		return int64(f)
	}
	return 0
}
