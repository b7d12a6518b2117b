package fdx

import (
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
	maxAnswer      = 8 << 20          // bytes of one answer
	requestTimeout = 30 * time.Second // from dialing to the last byte
	attempts       = 4                // maximum, of an idempotent request
	firstPause     = 500 * time.Millisecond
	maxPause       = 30 * time.Second // a request is not repeated after a longer Retry-After
)

// Errors of answers that are not used.
var (
	errElsewhere = errors.New("leads to a host that is not configured")
	errTooLarge  = fmt.Errorf("is larger than %d MiB", maxAnswer>>20)
	errNotJSON   = errors.New("is not the JSON that was expected")
)

// statusError is an answer with another status than 2xx.
type statusError struct {
	code    int
	scope   bool   // the token's scope does not suffice (RFC 6750, section 3.1)
	problem string // error code of OAuth; empty: none
}

func (e *statusError) Error() string {
	if e.problem != "" {
		return fmt.Sprintf("status %d, %s", e.code, e.problem)
	}
	return fmt.Sprintf("status %d", e.code)
}

// newHTTPClient returns a client for one institution. It connects to public addresses
// only, unless loopback is permitted, and follows redirects of GET within one origin.
func newHTTPClient(in *Institution) *http.Client {
	config := &tls.Config{RootCAs: in.CA, MinVersion: tls.VersionTLS12}
	if in.Certificate != nil {
		config.Certificates = []tls.Certificate{*in.Certificate}
	}
	return &http.Client{
		Timeout: requestTimeout,
		// No proxy: its connections would bypass the check of addresses.
		Transport: &http.Transport{
			DialContext: httpx.PublicDialer(in.Loopback).DialContext, TLSClientConfig: config, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: 10 * time.Second, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
			MaxResponseHeaderBytes: 64 << 10, ResponseHeaderTimeout: requestTimeout,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			first := via[0]
			if first.Method != http.MethodGet || len(via) > 3 || r.URL.Scheme != first.URL.Scheme || hostOf(r.URL) != hostOf(first.URL) {
				return errElsewhere
			}
			return nil
		},
	}
}

// request is one request to an institution.
type request struct {
	what    string // for errors: the resource, without identifiers
	method  string
	url     string
	token   string                                // bearer token; empty: none
	form    func(http.Header) (url.Values, error) // returns the body of a POST for each attempt, and may set headers
	repeat  bool                                  // the request is idempotent
	into    any                                   // target of the JSON body; nil: see read
	read    func(*http.Response) error            // reads the bounded body; called for each attempt; nil: not read
	watch   func(*http.Response)                  // is called with every answer; nil: none
	problem func(*http.Response) string           // reads the error code of an answer without status 2xx; nil: none
}

// do sends a request, and repeats an idempotent one after temporary errors. The error
// is a *sources.Failure, with the reason that failure selects.
func (b *bank) do(ctx context.Context, r request) error {
	u, err := url.Parse(r.url)
	if err != nil || !b.hosts[hostOf(u)] || b.in.checkURL(r.url) != nil {
		return sources.Fail(sources.Rejected, fmt.Errorf("%s %w", r.what, errElsewhere))
	}
	id := uuid.NewString()
	for n := 1; ; n++ {
		wait, err := b.attempt(ctx, &r, id)
		if err == nil {
			return nil
		}
		if wait < 0 || !r.repeat || n == attempts || wait > maxPause || ctx.Err() != nil {
			return b.failure(r.what, id, err)
		}
		pause := firstPause << (n - 1)
		if b.sleep(ctx, max(wait, pause/2+jitter(pause))) != nil {
			return b.failure(r.what, id, err)
		}
	}
}

// jitter returns a random duration below d.
func jitter(d time.Duration) time.Duration {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return time.Duration(binary.LittleEndian.Uint64(b[:]) % uint64(d))
}

// attempt sends a request once. With an error, it returns the pause that the institution
// requests, or a negative one if the request should not be repeated.
func (b *bank) attempt(ctx context.Context, r *request, id string) (time.Duration, error) {
	header := http.Header{}
	var body io.Reader
	if r.form != nil {
		form, err := r.form(header)
		if err != nil {
			return -1, err
		}
		body = strings.NewReader(form.Encode())
	}
	q, err := http.NewRequestWithContext(ctx, r.method, r.url, body)
	if err != nil {
		return -1, errElsewhere
	}
	q.Header = header
	q.Header.Set("Accept", "application/json")
	q.Header.Set("User-Agent", "Vestibule")
	q.Header.Set("X-Fapi-Interaction-Id", id)
	if r.form != nil {
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if r.token != "" {
		q.Header.Set("Authorization", "Bearer "+r.token)
	}
	resp, err := b.http.Do(q)
	if err != nil {
		switch err = classify(err); err {
		case errElsewhere, errAddress, errCertificate, errHandshake: // permanent
			return -1, err
		}
		return 0, err
	}
	bounded := &boundedBody{r: resp.Body, left: maxAnswer}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{bounded, resp.Body}
	defer func() {
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // the connection can be reused if the body was read to its end
		resp.Body.Close()
	}()
	if r.watch != nil {
		r.watch(resp)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		failed := &statusError{code: resp.StatusCode, scope: strings.Contains(resp.Header.Get("Www-Authenticate"), "insufficient_scope")}
		if r.problem != nil {
			failed.problem = r.problem(resp)
		}
		switch resp.StatusCode {
		case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
			http.StatusGatewayTimeout:
			return b.retryAfter(resp.Header.Get("Retry-After")), failed
		}
		return -1, failed
	}
	switch {
	case r.into != nil:
		err = decodeJSON(resp, r.into)
	case r.read != nil:
		err = r.read(resp)
	}
	switch {
	case bounded.err == errTooLarge: // err is then a syntax error at the bound
		return -1, errTooLarge
	case bounded.err != nil:
		return 0, classify(bounded.err)
	case err != nil:
		return -1, err
	}
	return 0, nil
}

// retryAfter returns the pause of a Retry-After header: seconds or a date.
func (b *bank) retryAfter(header string) time.Duration {
	if n, err := strconv.ParseUint(header, 10, 20); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(b.now()))
	}
	return 0
}

// Errors of connections without an answer. Errors of the network are not quoted, because
// some contain data of the server.
var (
	errAddress     = errors.New("leads to an address that is not public")
	errCertificate = errors.New("presents a certificate that does not verify")
	errHandshake   = errors.New("refuses the TLS handshake")
	errTimeout     = errors.New("does not answer in time")
	errNoName      = errors.New("has a host name that does not resolve")
	errRefused     = errors.New("refuses the connection")
	errBroken      = errors.New("breaks the connection")
)

// classify returns the error above that describes an error of the network.
func classify(err error) error {
	var timeout net.Error
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.Is(err, errElsewhere):
		return errElsewhere
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedPort), errors.Is(err, ssrf.ErrProhibitedNetwork),
		errors.Is(err, ssrf.ErrInvalidHostPort):
		return errAddress
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
// interaction id, by which the institution finds the request in its log.
func (b *bank) failure(what, id string, err error) error {
	reason := sources.Unresponsive
	var status *statusError
	var given *sources.Failure
	switch {
	case errors.As(err, &given):
		reason, err = given.Reason, given.Err
	case errors.As(err, &status):
		reason = statusReason(status)
	case err == errHandshake:
		reason = sources.Misused
	case err == errElsewhere, err == errAddress, err == errCertificate, err == errTooLarge, err == errNotJSON:
		reason = sources.Rejected
	}
	return sources.Fail(reason, fmt.Errorf("%s: %s %w (interaction %s)", b.in.ID, what, err, id))
}

// statusReason returns the reason of a failure with a status of the FDX API.
func statusReason(e *statusError) sources.Reason {
	switch {
	case e.code == http.StatusUnauthorized:
		return sources.Unauthorized
	case e.code == http.StatusForbidden && e.scope, e.code == http.StatusNotFound, e.code == http.StatusMethodNotAllowed,
		e.code == http.StatusNotImplemented:
		return sources.Unsupported
	case e.code == http.StatusForbidden:
		return sources.Ended
	case e.code == http.StatusTooManyRequests, e.code >= 500:
		return sources.Unresponsive
	case e.code >= 400:
		return sources.Misused
	}
	return sources.Rejected
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
		return 0, b.keep(errTooLarge)
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

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
