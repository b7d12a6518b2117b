// Package svcapi is the client of the verification service's API for one customer in
// one environment (API reference: docs/openapi.yaml). It covers access tokens, visits and
// secure redirects, consumers, submissions, statuses, reports with their files, and sharing
// tokens. Client.Call makes other calls with Basic authentication.
//
// It refuses plain HTTP beyond loopback, redirects, answers that are too large or not
// of the expected shape, and redirect URLs to other hosts. It keeps one access token
// for all requests, and retries a request only if that cannot repeat its effect.
// Identifiers of reports travel in headers, not in URLs, except a sharing token that is
// revoked, as the API requires. Tokens and bodies are not logged.
package svcapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
)

// Client calls the service for one customer in one environment. Set the exported fields
// before the first call and do not change them afterward. Use a Client as a pointer; it
// is safe for concurrent use. Use one for each customer, because it caches an access
// token.
type Client struct {
	BaseURL     string               // the service, e.g. https://api.example.com; a path prefix is kept
	ClientID    string               // API identifier, the Basic username
	SecretKey   string               // API key, the Basic password
	Environment contract.Environment // sent in a header; "" leaves it to the host
	Profile     *Profile             // the provider's; nil: the built-in one

	HTTP *http.Client     // nil: a client of our own; its Timeout and CheckRedirect are not used
	Now  func() time.Time // nil: time.Now; decides when a token is refreshed
	Log  *slog.Logger     // nil: silent

	// Watch is called at the start of every call, and its function at the end with "ok"
	// or an error code. The call uses the returned context and additional headers.
	// Watch may be nil.
	Watch func(ctx context.Context, operation string) (context.Context, http.Header, func(outcome string))

	// AllowPlainHTTP permits http:// to hosts that are not on loopback. The
	// API is HTTPS only; this is for a private network whose proxy ends TLS.
	AllowPlainHTTP bool

	once   sync.Once
	base   *url.URL
	http   *http.Client
	setErr error

	token tokenCache
}

// Limits of answers and waits.
const (
	maxAnswer = 1 << 20  // bytes of an answer that is not a report
	maxReport = 20 << 20 // bytes of a report

	answerTimeout = 15 * time.Second
	reportTimeout = 60 * time.Second
)

// setUp checks the configuration and prepares the client, once.
func (c *Client) setUp() error {
	c.once.Do(func() {
		c.base, c.setErr = checkBase(c.BaseURL, c.AllowPlainHTTP)
		for name, at := range c.profile().Addresses {
			if c.setErr == nil && !strings.HasPrefix(at, "/") {
				if _, err := checkBase(at, c.AllowPlainHTTP); err != nil {
					c.setErr = fmt.Errorf("svcapi: addresses.%s of the profile is plain http and not on loopback", name)
				}
			}
		}
		if c.setErr == nil && (c.ClientID == "" || c.SecretKey == "" || strings.Contains(c.ClientID, ":")) {
			c.setErr = errors.New("svcapi: ClientID and SecretKey are required, and ClientID holds no colon")
		}
		own := http.Client{}
		if c.HTTP != nil {
			own.Transport, own.Jar = c.HTTP.Transport, nil
		}
		if own.Transport == nil {
			own.Transport = newTransport()
		}
		// The API has no redirects. Following one would send credentials to any URL
		// that an answer names.
		own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		c.http = &own
	})
	return c.setErr
}

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   32,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   5 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// checkBase parses the service's URL and refuses one that would send credentials
// unencrypted or to another place.
func checkBase(raw string, plain bool) (*url.URL, error) {
	u, _ := httpx.ParseURL(raw)
	switch {
	case !httpx.IsBaseURL(raw) || u.ForceQuery:
		return nil, errors.New("svcapi: BaseURL is not an absolute http or https URL without credentials, query, and fragment")
	case !plain && !httpx.IsSecure(u):
		return nil, errors.New("svcapi: BaseURL is plain http and not on loopback")
	}
	return u, nil
}

func (c *Client) profile() *Profile {
	if c.Profile != nil {
		return c.Profile
	}
	return builtIn()
}

// address returns an address of the provider, which is a path below BaseURL or a whole URL.
func (c *Client) address(a Address) string { return c.profile().Addresses[a] }

// reports returns the address of a product's reports.
func (c *Client) reports(product contract.Product) string { return c.address(Address(product)) }

func (c *Client) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

func (c *Client) log() *slog.Logger {
	if c.Log != nil {
		return c.Log
	}
	return slog.New(slog.DiscardHandler)
}

// Check obtains an access token, which tests that the service answers and accepts the
// credentials. Errors are *Error or configuration errors.
func (c *Client) Check(ctx context.Context) error {
	if err := c.setUp(); err != nil {
		return err
	}
	_, err := c.accessToken(ctx)
	return err
}
