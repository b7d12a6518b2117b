package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"vestibule/internal/httpx"
)

// Patience is how long after its creation an event is retried.
const Patience = 72 * time.Hour

// Outcome is the outcome of one delivery.
type Outcome int

const (
	Retry     Outcome = iota // not delivered; send the same id again later
	Delivered                // answered 2xx
	Disabled                 // answered 410: send no more events
)

// String returns the outcome's name for logs and timelines.
func (o Outcome) String() string {
	switch o {
	case Delivered:
		return "delivered"
	case Disabled:
		return "disabled"
	}
	return "retry"
}

// State is the state of an event's delivery to a receiver, as stored and shown.
type State string

const (
	StatePending   State = "pending"
	StateDelivered State = "delivered"
	StateDisabled  State = "disabled" // the receiver answered 410
	StateGivenUp   State = "given up" // Patience is over, the only attempt failed, or there is nothing left to send
)

// States returns every state, successful ones first.
func States() []State { return []State{StatePending, StateDelivered, StateGivenUp, StateDisabled} }

// Next returns the state of an event after its attempt number n (from 1) ended with r,
// and for a pending event the wait before the next attempt.
func (r Result) Next(n int) (State, time.Duration) {
	switch r.Outcome {
	case Delivered:
		return StateDelivered, 0
	case Disabled:
		return StateDisabled, 0
	}
	return StatePending, max(Delay(n), r.RetryAfter)
}

// Result is the result of one delivery, as timelines show it.
type Result struct {
	Outcome    Outcome
	HTTP       int           // the answer's status; 0 when there was none
	RetryAfter time.Duration // from the receiver's Retry-After; at most a day, 0 without one
	Took       time.Duration
	Answer     *Answer // nil when there was none
	Err        error   // why there was no answer; contains neither URL nor body
}

// Class is the reason why a delivery got no answer.
type Class string

const (
	Answered     Class = ""        // the receiver answered
	ClassName    Class = "NAME"    // the host name does not resolve
	ClassAddress Class = "ADDRESS" // the URL or address is not allowed for callbacks
	ClassRefused Class = "REFUSED" // connection refused
	ClassTLS     Class = "TLS"     // invalid certificate or failed handshake
	ClassTimeout Class = "TIMEOUT"
	ClassNetwork Class = "NETWORK" // anything else
)

// Class returns the class of r.Err.
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
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedPort), errors.Is(err, ssrf.ErrProhibitedNetwork),
		errors.Is(err, ssrf.ErrInvalidHostPort), errors.Is(err, errURL):
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

// errURL is returned for a URL that is not allowed as a callback.
var errURL = errors.New("this address cannot receive webhooks")

// ErrPrivate is returned for an address in a private network that --webhook-networks does not name.
var ErrPrivate = errors.New("it leads to an address that is not public; --webhook-networks can allow its network")

// Sender delivers events to customers' URLs. It signs with the real time, not with a
// test clock, because receivers compare it with theirs. Create one with NewSender.
type Sender struct {
	client   *http.Client
	now      func() time.Time
	loopback bool
	networks []netip.Prefix

	// Watch is called after every delivery with its outcome and reason, which is a
	// class of statuses (4xx) or of errors. It may be nil. Set it before the first
	// delivery.
	Watch func(outcome, reason string, took time.Duration)
}

// NewSender returns a Sender that connects to public addresses and the given networks only. It
// checks addresses after name resolution, so that no name can point to a private network. With
// loopback, it may also reach this machine, by http too, for development. A nil now is
// time.Now.
func NewSender(loopback bool, now func() time.Time, networks ...netip.Prefix) *Sender {
	s := newSender(httpx.PublicDialer(loopback, networks...), loopback, now)
	s.networks = networks
	return s
}

func newSender(dialer *net.Dialer, loopback bool, now func() time.Time) *Sender {
	if now == nil {
		now = time.Now
	}
	return &Sender{now: now, loopback: loopback, client: &http.Client{
		Timeout: 15 * time.Second,
		// No proxy: its connections would bypass the check of addresses.
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 5 * time.Second,
			MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 64 << 10,
			ResponseHeaderTimeout: 10 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// CheckURL returns an error if raw cannot be a callback URL. It must be https (or http
// on loopback, where that is allowed) without credentials and fragment, and not a
// private IP address.
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
	ip, err := netip.ParseAddr(u.Hostname())
	named := slices.ContainsFunc(s.networks, func(n netip.Prefix) bool { return n.Contains(ip) })
	if err == nil && !named && !(s.loopback && ip.IsLoopback()) {
		if err := ssrf.New(ssrf.WithAnyPort()).SafeAddr(ip); err != nil {
			return fmt.Errorf("%w: %w", errURL, ErrPrivate)
		}
	}
	return nil
}

// Reach asks a receiver for the headers of a page, and returns an error if it gets no answer. The receiver need not know HEAD.
func (s *Sender) Reach(to string) error {
	if err := s.CheckURL(to); err != nil {
		return err
	}
	resp, err := s.client.Head(to)
	if err != nil {
		return cause(err)
	}
	return resp.Body.Close()
}

// Deliver signs body with the current time and posts it to a receiver once. Every failure is
// in the Result; a delivery that cannot be made now is one to retry.
func (s *Sender) Deliver(ctx context.Context, to Target, id string, body []byte) Result {
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
	if err := s.CheckURL(to.URL); err != nil {
		return result(Result{Err: err})
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return result(Result{Err: errors.New("webhook: the request cannot be made")})
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "vestibule-webhook")
	if to.Account != "" {
		req.Header.Set(HeaderAccount, to.Account)
	}
	if err := Sign(req.Header, to.Secrets, id, began, body); err != nil {
		return result(Result{Err: err})
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return result(Result{Err: cause(err)})
	}
	defer resp.Body.Close()
	r := Result{HTTP: resp.StatusCode, Answer: readAnswer(resp)}
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

// cause removes the URL from an error of net/http.
func cause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, ssrf.ErrProhibitedIP) {
		return fmt.Errorf("%w: the name leads to an address that is not public; --webhook-networks can allow its network",
			ssrf.ErrProhibitedIP)
	}
	return err
}

// schedule is the wait after the first, second, … failed delivery. The last one
// repeats.
var schedule = [...]time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
}

// Delay returns the wait after failed delivery number attempt (from 1). It grows with
// each attempt and varies at random by a fifth either way, so that a recovering
// receiver does not get all retries at once. Stop after Patience.
func Delay(attempt int) time.Duration {
	d := schedule[min(max(attempt, 1), len(schedule))-1]
	return d - d/5 + time.Duration(rand.Int64N(int64(2*d/5)))
}
