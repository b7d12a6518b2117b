package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"vestibule/internal/httpx"
)

// Patience is how long after its creation an event is still sent again.
const Patience = 72 * time.Hour

// Outcome is what one delivery came to.
type Outcome int

const (
	Retry     Outcome = iota // not delivered; send the same id again later
	Delivered                // answered 2xx
	Disabled                 // answered 410: the receiver wants no more
)

// String names the outcome, for logs and timelines.
func (o Outcome) String() string {
	switch o {
	case Delivered:
		return "delivered"
	case Disabled:
		return "disabled"
	}
	return "retry"
}

// State is where an event stands on its way to a receiver, as rows and pages name
// it.
type State string

const (
	StatePending   State = "pending"
	StateDelivered State = "delivered"
	StateDisabled  State = "disabled" // the receiver wants no more
	StateGivenUp   State = "given up" // Patience is over, or there is nothing to send any more
)

// States lists every state, the good ones first.
func States() []State {
	return []State{StatePending, StateDelivered, StateGivenUp, StateDisabled}
}

// Next says where an event stands after attempt number n (from 1) came to r, and
// while it is pending how long to wait for the next attempt.
func (r Result) Next(n int) (State, time.Duration) {
	switch r.Outcome {
	case Delivered:
		return StateDelivered, 0
	case Disabled:
		return StateDisabled, 0
	}
	return StatePending, max(Delay(n), r.RetryAfter)
}

// Result is one delivery, as a timeline keeps it.
type Result struct {
	Outcome    Outcome
	HTTP       int           // the answer's status; 0 when there was none
	RetryAfter time.Duration // what the receiver asked for; at most a day, 0 when nothing
	Took       time.Duration
	Err        error // why there was no answer; holds neither URL nor body
}

// Class is what kept a delivery from being answered.
type Class string

const (
	Answered     Class = ""        // there was an answer
	ClassName    Class = "NAME"    // the host's name leads nowhere
	ClassAddress Class = "ADDRESS" // it leads where callbacks may not
	ClassRefused Class = "REFUSED" // nobody listens there
	ClassTLS     Class = "TLS"     // the certificate or the handshake
	ClassTimeout Class = "TIMEOUT"
	ClassNetwork Class = "NETWORK" // anything else
)

// Class tells what kind of error r.Err is.
func (r Result) Class() Class {
	var timeout net.Error
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch err := r.Err; {
	case err == nil:
		return Answered
	case errors.As(err, &name):
		return ClassName
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedPort), errors.Is(err, ssrf.ErrProhibitedNetwork), errors.Is(err, ssrf.ErrInvalidHostPort), errors.Is(err, errURL):
		return ClassAddress
	case errors.Is(err, syscall.ECONNREFUSED):
		return ClassRefused
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert):
		return ClassTLS
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return ClassTimeout
	}
	return ClassNetwork
}

// errURL is why an address cannot be a callback's.
var errURL = errors.New("webhook: no callback URL")

// Sender delivers events to customers' URLs. Its Now is the time that is signed:
// give it the time of day, not a clock that is moved for tests, because the
// receiver holds it against its own. Make one with NewSender.
type Sender struct {
	client   *http.Client
	now      func() time.Time
	loopback bool

	// Watch is told of every delivery: what came of it and why, which is a class of
	// status (4xx) or of error; nil: nobody. Set it before the first.
	Watch func(outcome, reason string, took time.Duration)
}

// NewSender returns a Sender that connects to public addresses only, checked
// after the name was resolved, so that no name can point inside. With loopback,
// it may also reach this machine, and by plain http: for development. A nil now
// is time.Now.
func NewSender(loopback bool, now func() time.Time) *Sender {
	return newSender(guarded(loopback), loopback, now)
}

// guarded is the dialer of addresses that others have chosen. It looks at the address
// that a connection is really made to, after every look-up and for each of several: a
// name that was public when it was checked may lead elsewhere by now.
func guarded(loopback bool) *net.Dialer {
	options := []ssrf.Option{ssrf.WithAnyPort()}
	if loopback {
		options = append(options,
			ssrf.WithAllowedV4Prefixes(netip.MustParsePrefix("127.0.0.0/8")),
			ssrf.WithAllowedV6Prefixes(netip.MustParsePrefix("::1/128")))
	}
	return &net.Dialer{Timeout: 5 * time.Second, Control: ssrf.New(options...).Safe}
}

func newSender(dialer *net.Dialer, loopback bool, now func() time.Time) *Sender {
	if now == nil {
		now = time.Now
	}
	return &Sender{now: now, loopback: loopback, client: &http.Client{
		Timeout: 15 * time.Second,
		// No proxy: it would dial for us, past the guard.
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 5 * time.Second,
			MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 64 << 10,
			ResponseHeaderTimeout: 10 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// CheckURL reports why raw cannot be a callback URL, or nil: https (http only on
// loopback, where that is allowed), no credentials, no fragment.
func (s *Sender) CheckURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "" || len(raw) > 2048:
		return fmt.Errorf("%w: it is not an absolute URL", errURL)
	case u.User != nil || u.Fragment != "":
		return fmt.Errorf("%w: it has credentials or a fragment", errURL)
	case u.Scheme == "https":
	case u.Scheme == "http" && s.loopback && httpx.IsLoopback(u.Hostname()):
	default:
		return fmt.Errorf("%w: it is not https", errURL)
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !(s.loopback && ip.IsLoopback()) {
		if err := ssrf.New(ssrf.WithAnyPort()).SafeAddr(ip); err != nil {
			return fmt.Errorf("%w: it leads to an address that is not public", errURL)
		}
	}
	return nil
}

// Deliver signs body at this moment and posts it to url once. It never returns
// an error of its own: what went wrong is in the Result, and a delivery that
// cannot be made now is one to retry.
func (s *Sender) Deliver(ctx context.Context, url string, secrets []Secret, id string, body []byte) Result {
	began := s.now()
	result := func(r Result) Result {
		r.Took = max(0, s.now().Sub(began))
		if s.Watch != nil {
			reason := strings.ToLower(string(r.Class()))
			if r.HTTP != 0 {
				reason = strconv.Itoa(r.HTTP/100) + "xx"
			}
			s.Watch(r.Outcome.String(), reason, r.Took)
		}
		return r
	}
	if err := s.CheckURL(url); err != nil {
		return result(Result{Err: err})
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return result(Result{Err: errors.New("webhook: the request cannot be made")})
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "vestibule-webhook")
	if err := Sign(req.Header, secrets, id, began, body); err != nil {
		return result(Result{Err: err})
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return result(Result{Err: cause(err)})
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	r := Result{HTTP: resp.StatusCode}
	switch {
	case resp.StatusCode >= 200 && resp.StatusCode < 300:
		r.Outcome = Delivered
	case resp.StatusCode == http.StatusGone:
		r.Outcome = Disabled
	default:
		if n, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 31); err == nil {
			r.RetryAfter = min(time.Duration(n)*time.Second, 24*time.Hour)
		}
	}
	return result(r)
}

// cause takes the URL out of an error of net/http.
func cause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// schedule is the wait after the first, second, … failed delivery; the last one
// repeats.
var schedule = [...]time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
}

// Delay is how long to wait after delivery number attempt (from 1) failed: longer
// each time, and a fifth more or less at random, so that a receiver that comes
// back is not met by everybody at once. After Patience, give up.
func Delay(attempt int) time.Duration {
	d := schedule[min(max(attempt, 1), len(schedule))-1]
	return d - d/5 + time.Duration(rand.Int64N(int64(2*d/5)))
}
