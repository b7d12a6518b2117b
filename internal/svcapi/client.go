// Package svcapi is the customer's client of the Consumer Report Service: access
// tokens, initialization, consumers, secure redirect, submissions, status, the
// cashflow report with its files and account numbers, the income report, relay and
// multi-product tokens (documents 1 to 3, Endpoints), for one customer in one
// environment.
//
// It refuses plain HTTP beyond loopback, redirects, answers that are too large,
// not JSON or not of the contract's shape, and redirect URLs that lead elsewhere.
// It keeps one access token for all requests, and repeats a request only where
// that cannot happen twice. Identifiers of reports travel in headers, never in
// URLs, but for the relay token that is withdrawn, where the contract has it so;
// neither tokens nor bodies are logged.
package svcapi

import (
	"context"
	"errors"
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

// Client speaks for one customer in one environment. Fill the exported fields
// and do not change them after the first call; a Client is used as a pointer and
// is safe for concurrent use. Use one for each customer: the access token it
// keeps never serves another.
type Client struct {
	BaseURL     string               // the service, e.g. https://api.example.com; a path prefix is kept
	ClientID    string               // API identifier, the Basic user name
	SecretKey   string               // API key, the Basic password
	Environment contract.Environment // sent as X-ENVIRONMENT; "" leaves it to the host

	HTTP *http.Client     // nil: a client of our own; its Timeout and CheckRedirect are not used
	Now  func() time.Time // nil: time.Now; decides when a token is refreshed
	Log  *slog.Logger     // nil: silent

	// Watch is told of every call and its end: "ok" or a code. What it returns goes
	// with the call: a context, and headers besides the contract's. nil: nobody.
	Watch func(ctx context.Context, operation string) (context.Context, http.Header, func(outcome string))

	// AllowPlainHTTP permits http:// to hosts that are not on loopback. The
	// contract is HTTPS only; this is for a private network that ends TLS before us.
	AllowPlainHTTP bool

	// PageHosts are hosts ("pages.example.com", with the port if it is unusual)
	// that redirectUrl may lead to, besides the host of BaseURL.
	PageHosts []string

	once   sync.Once
	base   *url.URL
	http   *http.Client
	setErr error

	token tokenCache
}

// Limits on what is read and how long is waited.
const (
	maxAnswer = 1 << 20  // bytes of any answer but a report
	maxReport = 20 << 20 // bytes of a report

	answerTimeout = 15 * time.Second
	reportTimeout = 60 * time.Second
)

// setUp checks the configuration and builds what derives from it, once.
func (c *Client) setUp() error {
	c.once.Do(func() {
		c.base, c.setErr = checkBase(c.BaseURL, c.AllowPlainHTTP)
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
		// The contract has no redirects. Following one would carry credentials
		// to wherever an answer points.
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

// checkBase parses the service's address and refuses what would send credentials
// in the clear or somewhere unexpected.
func checkBase(raw string, plain bool) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return nil, errors.New("svcapi: BaseURL is not an absolute URL")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return nil, errors.New("svcapi: BaseURL has credentials, a query or a fragment")
	case u.Scheme == "https":
	case u.Scheme == "http" && (plain || httpx.IsLoopback(u.Hostname())):
	case u.Scheme == "http":
		return nil, errors.New("svcapi: BaseURL is plain http and not on loopback")
	default:
		return nil, errors.New("svcapi: BaseURL is neither https nor http")
	}
	return u, nil
}

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

// Check obtains an access token, and so tells whether the service answers and
// knows these credentials. Errors are of type *Error, or say what is wrong with
// the configuration.
func (c *Client) Check(ctx context.Context) error {
	if err := c.setUp(); err != nil {
		return err
	}
	_, err := c.accessToken(ctx)
	return err
}
