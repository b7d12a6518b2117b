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

// Error is an error answer of the service, or a missing answer. Its text contains
// neither the service's message nor any sent value, so it may be logged.
type Error struct {
	Op         string          // name of the call, such as "status"
	HTTP       int             // status of the answer; 0 without an answer
	Code       contract.Code   // the answer's `error`; PROVIDER_UNAVAILABLE when it has none
	Message    string          // the answer's message for people; do not log it
	RequestID  string          // the service's id of the request, if it gave one
	Details    []Detail        // the refused fields
	Status     contract.Status // with REPORT_NOT_READY: the report's status, if given
	RetryAfter time.Duration   // from the Retry-After header; 0 without one
	Err        error           // the cause, when there was no usable answer
}

// Detail names one refused field of a request.
type Detail struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error returns the name of the call and the error's code.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Op, e.Code)
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

// Unwrap returns the cause, so that errors.Is finds a canceled context.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed later: there was no answer, a
// rate limit, a server error, or an unusable success.
func (e *Error) Temporary() bool {
	return e.HTTP == 0 && e.Code == contract.CodeUpstream || e.HTTP == http.StatusTooManyRequests ||
		e.HTTP >= 500 || e.HTTP >= 200 && e.HTTP < 300
}

// CodeOf returns the service's code in err, or "" if err is not an *Error.
func CodeOf(err error) contract.Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// Temporary reports whether err is an *Error that is temporary.
func Temporary(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Temporary()
}

// badAnswer returns the error for a success of an unexpected shape.
func badAnswer(op string, status int, reason string) *Error {
	return &Error{Op: op, HTTP: status, Code: contract.CodeUpstream, Err: errors.New(reason)}
}

// errorFrom parses an error answer. It ignores parts that it cannot parse: the HTTP
// status decides what happens next.
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
		e.Message = truncate(wire.Message, 500)
		if contract.IsIdentifier(wire.RequestID) {
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

const upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// isCode reports whether s has the form of an error code, so that no other text reaches
// the logs as a code.
func isCode(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, upperLetters+"0123456789_") == ""
}

func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// retryAfter parses a Retry-After header in either form; 0 if it is absent, in the past
// or malformed.
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
