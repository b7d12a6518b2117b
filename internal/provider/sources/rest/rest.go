// Package rest sends requests to institutions and connectors over HTTP. Answers are
// bounded, temporary errors of idempotent requests are repeated with increasing pauses,
// and connections go to public addresses only, unless loopback is permitted.
//
// Errors of Do are *sources.Failure. Their texts contain neither personal data nor what
// the server answered.
package rest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
	"github.com/google/uuid"

	"vestibule/internal/httpx"
	"vestibule/internal/provider/sources"
)

// Bounds of requests.
const (
	Attempts       = 4                      // maximum, of an idempotent request
	requestTimeout = 30 * time.Second       // from dialing to the last byte
	FirstPause     = 500 * time.Millisecond // before the first repetition; doubled for each further one
	maxPause       = 30 * time.Second       // a request is not repeated after a longer Retry-After
)

// Errors of answers that are not used.
var (
	ErrElsewhere = errors.New("the address or a redirect leads to a host that is not configured")
	ErrTooLarge  = errors.New("the answer is too large")
	ErrNotJSON   = errors.New("the answer is not the expected JSON")
)

// StatusError is an answer with another status than 2xx.
type StatusError struct {
	Code    int
	Scope   bool   // the token's scope does not suffice (RFC 6750, section 3.1)
	StepUp  bool   // the authentication of the token's owner does not suffice (RFC 9470)
	Problem string // error code, as Request.Problem returns it; empty: none
}

func (e *StatusError) Error() string {
	if e.Problem != "" {
		return fmt.Sprintf("status %d, %s", e.Code, e.Problem)
	}
	return fmt.Sprintf("status %d", e.Code)
}

// Client sends the requests of one institution or connector. All fields must be set.
type Client struct {
	ID     string // for errors
	HTTP   *http.Client
	Now    func() time.Time
	Sleep  func(context.Context, time.Duration) error // waits before a request is repeated
	Limit  int64                                      // maximum size in bytes of an answer
	Allows func(*url.URL) bool                        // reports whether requests may go to an address
	Reason func(*StatusError) sources.Reason          // of the failure of an answer without status 2xx
}

// NewHTTPClient returns a client that connects to public addresses only, unless loopback
// is permitted. It follows redirects of GET within one origin.
func NewHTTPClient(config *tls.Config, loopback bool) *http.Client {
	return &http.Client{
		Timeout: requestTimeout,
		// No proxy: its connections would bypass the check of addresses.
		Transport: &http.Transport{
			DialContext: httpx.PublicDialer(loopback).DialContext, TLSClientConfig: config, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: 10 * time.Second, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
			MaxResponseHeaderBytes: 64 << 10, ResponseHeaderTimeout: requestTimeout,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			first := via[0]
			if first.Method != http.MethodGet || len(via) > 3 || r.URL.Scheme != first.URL.Scheme || HostOf(r.URL) != HostOf(first.URL) {
				return ErrElsewhere
			}
			return nil
		},
	}
}

// HostOf returns a URL's host with its port, for comparison.
func HostOf(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"https": "443", "http": "80"}[u.Scheme])
	return strings.ToLower(u.Hostname()) + ":" + port
}

// Request is one request.
type Request struct {
	What    string // for errors: a noun for the request, without identifiers
	Method  string
	URL     string
	Prepare func(h http.Header, id string) ([]byte, error) // returns the body of each attempt, and may set headers; nil: no body
	Repeat  bool                                           // the request is idempotent
	Read    func(*http.Response) error                     // reads the bounded body; called for each attempt; nil: not read
	Watch   func(*http.Response)                           // is called with every answer; nil: none
	Problem func(*http.Response) string                    // reads the error code of an answer without status 2xx; nil: none
}

// Do sends a request, and repeats an idempotent one after temporary errors.
func (c *Client) Do(ctx context.Context, r Request) error {
	u, err := url.Parse(r.URL)
	if err != nil || !c.Allows(u) {
		return sources.Fail(sources.Rejected, fmt.Errorf("%s: %s: %w", c.ID, r.What, ErrElsewhere))
	}
	id := uuid.NewString()
	for n := 1; ; n++ {
		wait, err := c.attempt(ctx, &r, id)
		if err == nil {
			return nil
		}
		if wait < 0 || !r.Repeat || n == Attempts || wait > maxPause || ctx.Err() != nil {
			return c.failure(r.What, id, err)
		}
		pause := FirstPause << (n - 1)
		if c.Sleep(ctx, max(wait, pause/2+jitter(pause))) != nil {
			return c.failure(r.What, id, err)
		}
	}
}

// jitter returns a random duration below d.
func jitter(d time.Duration) time.Duration {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return time.Duration(binary.LittleEndian.Uint64(b[:]) % uint64(d))
}

// attempt sends a request once. With an error, it returns the pause that the server
// requests, or a negative one if the request should not be repeated.
func (c *Client) attempt(ctx context.Context, r *Request, id string) (time.Duration, error) {
	header := http.Header{}
	header.Set("Accept", "application/json")
	header.Set("User-Agent", "Vestibule")
	var body io.Reader
	if r.Prepare != nil {
		raw, err := r.Prepare(header, id)
		if err != nil {
			return -1, err
		}
		if raw != nil {
			body = bytes.NewReader(raw)
		}
	}
	q, err := http.NewRequestWithContext(ctx, r.Method, r.URL, body)
	if err != nil {
		return -1, ErrElsewhere
	}
	q.Header = header
	resp, err := c.HTTP.Do(q)
	if err != nil {
		switch err = classify(err); err {
		case ErrElsewhere, ErrAddress, errCertificate, errHandshake: // permanent
			return -1, err
		}
		return 0, err
	}
	bounded := &boundedBody{r: resp.Body, left: c.Limit}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{&withoutByteOrderMark{r: bounded}, resp.Body}
	defer func() {
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // the connection can be reused if the body was read to its end
		resp.Body.Close()
	}()
	if r.Watch != nil {
		r.Watch(resp)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		challenge := strings.Join(resp.Header.Values("Www-Authenticate"), ", ")
		failed := &StatusError{Code: resp.StatusCode, Scope: strings.Contains(challenge, "insufficient_scope"),
			StepUp: strings.Contains(challenge, "insufficient_user_authentication")}
		if r.Problem != nil {
			failed.Problem = r.Problem(resp)
		}
		switch resp.StatusCode {
		case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
			http.StatusGatewayTimeout:
			return c.retryAfter(resp.Header.Get("Retry-After")), failed
		}
		return -1, failed
	}
	if r.Read != nil {
		err = r.Read(resp)
	}
	switch {
	case bounded.err == ErrTooLarge: // err is then a syntax error at the bound
		return -1, ErrTooLarge
	case bounded.err != nil:
		return 0, classify(bounded.err)
	case err != nil:
		return -1, err
	}
	return 0, nil
}

// retryAfter returns the pause of a Retry-After header: seconds or a date.
func (c *Client) retryAfter(header string) time.Duration {
	if n, err := strconv.ParseUint(header, 10, 20); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(c.Now()))
	}
	return 0
}

// ErrAddress is the error of a connection to an address that is not public.
var ErrAddress = errors.New("the host has an address that is not public; addresses of this machine need loopback")

// Other errors of connections without an answer. Errors of the network are not quoted,
// because some contain data of the server.
var (
	errCertificate = errors.New("the server's certificate is not valid: check its host name, dates, and issuer (ca_file)")
	errHandshake   = errors.New("the server refuses the TLS connection: check the URL and the client's certificate")
	errTimeout     = errors.New("the server did not answer in time")
	errNoName      = errors.New("the host name does not resolve: check the URL")
	errRefused     = errors.New("the server refuses the connection: check that it runs, and the URL")
	errBroken      = errors.New("the connection broke before the end of the answer")
)

// classify returns the error above that describes an error of the network.
func classify(err error) error {
	var timeout net.Error
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.Is(err, ErrElsewhere):
		return ErrElsewhere
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedPort), errors.Is(err, ssrf.ErrProhibitedNetwork),
		errors.Is(err, ssrf.ErrInvalidHostPort):
		return ErrAddress
	case errors.As(err, &certificate):
		return errCertificate
	case errors.As(err, &record), errors.As(err, &alert):
		return errHandshake
	case errors.As(err, &name):
		return errNoName
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return errTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return errRefused
	}
	return errBroken
}

// failure returns a *sources.Failure for an error of a request. Its text has the
// interaction id, by which the other side finds the request in its log.
func (c *Client) failure(what, id string, err error) error {
	reason := sources.Unresponsive
	var status *StatusError
	var given *sources.Failure
	switch {
	case errors.As(err, &given):
		reason, err = given.Reason, given.Err
	case errors.As(err, &status):
		reason = c.Reason(status)
	case err == errHandshake:
		reason = sources.Misused
	case err == ErrElsewhere, err == ErrAddress, err == errCertificate, err == ErrTooLarge, err == ErrNotJSON:
		reason = sources.Rejected
	}
	return sources.Fail(reason, fmt.Errorf("%s: %s: %w (interaction %s)", c.ID, what, err, id))
}

// boundedBody reads at most left bytes, and records the error of a read.
type boundedBody struct {
	r    io.Reader
	left int64
	err  error
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		if n, err := b.r.Read(p[:min(len(p), 1)]); n == 0 {
			return 0, b.keep(err)
		}
		return 0, b.keep(ErrTooLarge)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, b.keep(err)
}

func (b *boundedBody) keep(err error) error {
	if err != nil && err != io.EOF {
		b.err = err
	}
	return err
}

// withoutByteOrderMark reads without the byte order mark that some servers send before JSON.
type withoutByteOrderMark struct {
	r     io.Reader
	begun bool
	head  []byte // read and not returned
}

func (m *withoutByteOrderMark) Read(p []byte) (int, error) {
	if !m.begun {
		m.begun = true
		var head [3]byte
		n, err := io.ReadFull(m.r, head[:])
		if m.head = head[:n]; n == len(head) && head == [3]byte{0xef, 0xbb, 0xbf} {
			m.head = nil
		}
		if n == 0 && err != nil {
			return 0, err
		}
	}
	if len(m.head) > 0 {
		n := copy(p, m.head)
		m.head = m.head[n:]
		return n, nil
	}
	return m.r.Read(p)
}
