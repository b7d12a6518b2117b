package svcapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vestibule/internal/contract"
)

// Error is an answer of the service that is not a success, or the lack of an
// answer. Its text holds neither the service's message nor any value that was
// sent, so that it may be logged.
type Error struct {
	Op         string          // what was asked, e.g. "status"
	HTTP       int             // status of the answer; 0 when there was none
	Code       contract.Code   // the answer's `error`; PROVIDER_UNAVAILABLE when it has none
	Message    string          // the answer's words for people; not for logs
	RequestID  string          // the service's id of the request, if it gave one
	Details    []Detail        // the fields that were refused
	Status     contract.Status // with REPORT_NOT_READY: where the report stands, if said
	RetryAfter time.Duration   // how long the service asked to be left alone; 0 when it did not
	Err        error           // the cause, when there was no usable answer
}

// Detail names one refused field of a request.
type Detail struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error says what was asked and how it was answered.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "svcapi: %s: %s", e.Op, e.Code)
	if e.HTTP != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.HTTP)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " request %s", e.RequestID)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// Unwrap gives the cause, so that errors.Is finds a cancelled context.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may be answered differently later:
// there was no answer, a rate limit, a failure, or a success that made no sense.
func (e *Error) Temporary() bool {
	return e.HTTP == 0 && e.Code == contract.CodeUpstream || e.HTTP == http.StatusTooManyRequests ||
		e.HTTP >= 500 || e.HTTP >= 200 && e.HTTP < 300
}

// CodeOf returns the service's code in err, or "" when err is no *Error.
func CodeOf(err error) contract.Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// Temporary reports whether err is an *Error that may pass.
func Temporary(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Temporary()
}

// badAnswer is an answer that claims success and is not of the contract's shape.
func badAnswer(op string, status int, why string) *Error {
	return &Error{Op: op, HTTP: status, Code: contract.CodeUpstream, Err: errors.New(why)}
}

// errorFrom reads an error answer. What it does not understand it leaves out: the
// status alone decides what happens next.
func errorFrom(op string, resp *http.Response, body []byte, now time.Time) *Error {
	e := &Error{Op: op, HTTP: resp.StatusCode, Code: contract.CodeUpstream,
		RetryAfter: retryAfter(resp.Header.Get("Retry-After"), now)}
	var wire struct {
		Error     string          `json:"error"`
		Message   string          `json:"message"`
		RequestID string          `json:"requestId"`
		Status    contract.Status `json:"status"`
		Details   json.RawMessage `json:"details"`
	}
	if json.Unmarshal(body, &wire) == nil {
		if isCode(wire.Error) {
			e.Code = contract.Code(wire.Error)
		}
		e.Message = clip(wire.Message, 500)
		if isID(wire.RequestID) {
			e.RequestID = wire.RequestID
		}
		if wire.Status.Valid() {
			e.Status = wire.Status
		}
		var details []Detail
		if json.Unmarshal(wire.Details, &details) == nil && len(details) <= 100 {
			e.Details = details
		}
	}
	return e
}

// isCode reports whether s looks like an error code, so that nothing else can
// come into logs by way of it.
func isCode(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

func isID(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 128
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// retryAfter reads the header in either of its forms; 0 when it is absent, in
// the past or not understood.
func retryAfter(v string, now time.Time) time.Duration {
	v = strings.TrimSpace(v)
	if v == "" {
		return 0
	}
	if n, err := strconv.ParseUint(v, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil && t.After(now) {
		return t.Sub(now)
	}
	return 0
}
