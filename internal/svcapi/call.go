package svcapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
)

// Tries of one request. The waits between them are random, below a bound that doubles
// from backoffBase up to backoffMax. The client does not wait for a Retry-After beyond
// patience; the caller gets it in the Error.
const (
	tries        = 4
	backoffBase  = 250 * time.Millisecond
	backoffMax   = 4 * time.Second
	retryTimeout = 20 * time.Second
)

type auth int

const (
	basic   auth = iota // Authorization: Basic, clientId and secretKey
	byToken             // Authorization: Bearer, an access token
)

// call is one request of the contract.
type call struct {
	op         string // names it in errors and logs
	method     string
	path       string // below BaseURL, or a whole URL of the profile
	header     http.Header
	extra      http.Header // from Client.Watch
	body       []byte      // JSON; nil for none
	auth       auth
	repeatable bool // may be sent again although it may have been processed
	anyType    bool // the answer is a file, of whatever content type
	limit      int64
	timeout    time.Duration // of one try
}

// answer is a 2xx answer.
type answer struct {
	op          string
	status      int
	body        []byte
	contentType string
	sunset      string // when the answer's address stops working (RFC 8594)
	etag        string
}

// decode parses the answer's JSON into v. It ignores unknown members, since the service
// may add some.
func (a answer) decode(v any) error {
	if err := json.Unmarshal(a.body, v); err != nil {
		return badAnswer(a.op, a.status, "the answer is not JSON of the expected shape")
	}
	return nil
}

// do sends a call until it is answered, may not be repeated, or has used all tries.
// Every error is an *Error or a configuration error.
func (c *Client) do(ctx context.Context, k call) (a answer, err error) {
	if err := c.setUp(); err != nil {
		return answer{}, err
	}
	if c.Watch != nil {
		watched, header, end := c.Watch(ctx, k.op)
		ctx, k.extra = watched, header
		defer func() { end(outcome(err)) }()
	}
	refreshed := false
	for try := 1; ; try++ {
		token := ""
		if k.auth == byToken {
			var err error
			if token, err = c.accessToken(ctx); err != nil {
				var e *Error
				if errors.As(err, &e) {
					return answer{}, err
				}
				return answer{}, &Error{Op: k.op, Code: contract.CodeUpstream, Err: err}
			}
		}
		began := c.now()
		a, e := c.send(ctx, k, token)
		if e == nil {
			c.log().LogAttrs(ctx, slog.LevelDebug, "service answered", slog.String("op", k.op),
				slog.Int("status", a.status), slog.Duration("took", c.now().Sub(began)))
			return a, nil
		}
		if e.HTTP == http.StatusUnauthorized && k.auth == byToken && !refreshed {
			refreshed = true
			c.forget(token)
			try--
			continue
		}
		wait, retry := k.retryAfter(e, try)
		if !retry || !pause(ctx, wait) {
			c.log().LogAttrs(ctx, slog.LevelWarn, "service refused or did not answer", slog.String("op", k.op),
				slog.Int("status", e.HTTP), slog.String("code", string(e.Code)),
				slog.String("serviceRequestId", e.RequestID), slog.Int("try", try))
			return answer{}, e
		}
		c.log().LogAttrs(ctx, slog.LevelInfo, "asking the service again", slog.String("op", k.op),
			slog.Int("status", e.HTTP), slog.String("code", string(e.Code)),
			slog.Int("try", try), slog.Duration("wait", wait))
	}
}

// outcome returns a call's outcome for Client.Watch.
func outcome(err error) string {
	if err == nil {
		return "ok"
	}
	if e := (*Error)(nil); errors.As(err, &e) && e.Code.Info().Code == e.Code {
		return string(e.Code)
	}
	return "other"
}

// retryAfter decides whether to retry a failed call, and after what wait. A call that must
// not happen twice is retried only if the service cannot have processed it: it was
// never reached, or it answered with a rate limit.
func (k call) retryAfter(e *Error, try int) (time.Duration, bool) {
	senseless := e.HTTP >= 200 && e.HTTP < 300 // processed; a repeat would get the same answer
	if try >= tries || senseless || !e.Temporary() || errors.Is(e.Err, context.Canceled) {
		return 0, false
	}
	if !k.repeatable && e.HTTP != http.StatusTooManyRequests && !notSent(e.Err) {
		return 0, false
	}
	bound := min(backoffBase<<(try-1), backoffMax)
	wait := time.Duration(rand.Int64N(int64(bound))) + 1
	if e.RetryAfter > 0 {
		if e.RetryAfter > retryTimeout {
			return 0, false
		}
		wait += e.RetryAfter
	}
	return wait, true
}

// notSent reports whether a connection could not be made at all.
func notSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// pause waits for d and reports whether the context is still valid. It does not start a
// wait that would outlast the context.
func pause(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return false
	}
	return httpx.Sleep(ctx, d) == nil
}

// send makes one try and reads the whole answer.
func (c *Client) send(ctx context.Context, k call, token string) (answer, *Error) {
	ctx, cancel := context.WithTimeout(ctx, k.timeout)
	defer cancel()
	failed := func(err error) (answer, *Error) {
		// A *url.Error contains the URL, so keep only its cause.
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return answer{}, &Error{Op: k.op, Code: contract.CodeUpstream, Err: err}
	}
	var body io.Reader
	if k.body != nil {
		body = bytes.NewReader(k.body)
	}
	to := k.path
	if strings.HasPrefix(to, "/") {
		to = c.base.JoinPath(to).String()
	}
	req, err := http.NewRequestWithContext(ctx, k.method, to, body)
	if err != nil {
		return failed(err)
	}
	for name, values := range k.header {
		req.Header[name] = values
	}
	for name, values := range k.extra {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "vestibule")
	if name := c.profile().Headers[HeaderEnvironment]; c.Environment != "" && name != "" {
		req.Header.Set(name, string(c.Environment))
	}
	if k.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if k.auth == basic {
		req.SetBasicAuth(c.ClientID, c.SecretKey)
	} else {
		req.Header.Set("Authorization", c.profile().bearer(token))
	}

	resp, err := c.http.Do(req)
	if err != nil {
		return failed(err)
	}
	defer resp.Body.Close()
	ok := resp.StatusCode >= 200 && resp.StatusCode < 300
	limit := k.limit
	if !ok {
		limit = min(limit, maxAnswer)
	}
	var read bytes.Buffer // with room for what is announced: growing it leaves garbage
	read.Grow(int(min(max(resp.ContentLength, 0), limit, 1<<20)) + bytes.MinRead)
	if _, err := read.ReadFrom(io.LimitReader(resp.Body, limit+1)); err != nil {
		return failed(err)
	}
	got := read.Bytes()
	switch {
	case resp.StatusCode == http.StatusNotModified && k.header.Get("If-None-Match") != "":
		return answer{op: k.op, status: resp.StatusCode}, nil
	case !ok:
		return answer{}, errorFrom(k.op, resp, got[:min(int64(len(got)), limit)], c.now())
	case int64(len(got)) > limit:
		return answer{}, badAnswer(k.op, resp.StatusCode, "the answer is too large")
	case !k.anyType && !isJSON(resp.Header.Get("Content-Type")):
		return answer{}, badAnswer(k.op, resp.StatusCode, "the answer is not application/json")
	}
	return answer{op: k.op, status: resp.StatusCode, body: got, contentType: resp.Header.Get("Content-Type"),
		sunset: resp.Header.Get("Sunset"), etag: resp.Header.Get("ETag")}, nil
}

func isJSON(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "application/json" || strings.HasPrefix(t, "application/") && strings.HasSuffix(t, "+json"))
}
