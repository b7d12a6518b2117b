// Package httpx has the HTTP plumbing of both parties: handlers that return errors and
// an adapter that writes them, bounded and strict decoding, request ids, the access
// log, and the headers of a page. It does not interpret requests.
//
// An error has a code of package contract for the client, and a reason for the log.
// Neither may contain personal data.
package httpx

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"vestibule/internal/contract"
)

// HandlerFunc is a handler that returns an error instead of writing it. It returns an
// error only if it has not written a response.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// Error is an error response.
type Error struct {
	Code       contract.Code
	Status     int           // 0: the code's own
	Message    string        // for people; empty: the code's default message
	Details    []Detail      // the invalid fields
	RetryAfter time.Duration // more than 0: sent as Retry-After, in whole seconds
	Extra      map[string]any
	Why        error // for the log only; may be nil
}

// Detail names one field of the input and what is wrong with it. Field is a
// path such as accounts[2].transactions[17].amount; empty for the body itself.
type Detail struct {
	Field     string `json:"field"`
	Code      string `json:"code,omitempty"`
	Message   string `json:"message"`             // for developers
	Applicant string `json:"applicant,omitempty"` // for the applicant, if the field is theirs
}

// NewError makes an Error; why goes to the log and never to the client.
func NewError(code contract.Code, why error, details ...Detail) *Error {
	return &Error{Code: code, Why: why, Details: details}
}

// Placeholder returns words about a value that a program without the real value sent, such as
// undefined. It returns "" for other values.
func Placeholder(value string) string {
	if slices.Contains([]string{"undefined", "null", "None", "nil", "NaN", "[object Object]", "[object Promise]"}, value) {
		return "is the word " + value + ": a variable of your program has no value"
	}
	return ""
}

// TextProblem returns what is wrong with a required string of a body that was refused: that it is missing, or
// what it must be.
func TextProblem(raw json.RawMessage, must string) string {
	var s string
	switch text := string(raw); {
	case text == "" || text == "null":
		return "is missing; it " + must
	case text == `""`:
		return "is empty; it " + must
	case json.Unmarshal(raw, &s) != nil:
		return "must be a string"
	}
	return cmp.Or(Placeholder(s), must)
}

// UUIDProblem returns what is wrong with the form of an identifier, or "" for a UUID.
func UUIDProblem(id string) string {
	switch {
	case id == "":
		return "is missing"
	case contract.IsUUID(id):
		return ""
	}
	return cmp.Or(Placeholder(id), "must be a UUID")
}

// PathUUID returns the UUID of a wildcard of the path in lower case, or an error of a code that names field.
func PathUUID(r *http.Request, wildcard, field string, code contract.Code) (string, error) {
	id := r.PathValue(wildcard)
	if problem := UUIDProblem(id); problem != "" {
		return "", NewError(code, errors.New(field+" is not a UUID"), Detail{Field: field, Message: problem})
	}
	return strings.ToLower(id), nil
}

// NotFoundIf returns err as a CodeNotFound if it is missing, and other errors unchanged.
func NotFoundIf(err, missing error) error {
	if errors.Is(err, missing) {
		return NewError(contract.CodeNotFound, err)
	}
	return err
}

func (e *Error) Error() string {
	if e.Why == nil {
		return string(e.Code)
	}
	return string(e.Code) + ": " + e.Why.Error()
}

func (e *Error) Unwrap() error { return e.Why }

// HTTPStatus returns the status of the response.
func (e *Error) HTTPStatus() int {
	if e.Status != 0 {
		return e.Status
	}
	return e.Code.Info().Status
}

// AsError returns err as an *Error. It turns other errors into INTERNAL or, for a
// context that ended, UNAVAILABLE; their text is only logged.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return NewError(contract.CodeUnavailable, err)
	}
	return NewError(contract.CodeInternal, err)
}

// body is the shape of every error response (API reference: Errors).
type body struct {
	Error      contract.Code `json:"error"`
	Message    string        `json:"message"`
	Details    []Detail      `json:"details,omitempty"`
	RequestID  string        `json:"requestId,omitempty"`
	Terminated bool          `json:"terminated"`
}

// API adapts h for clients that read JSON: an error becomes
// {error, message, details?, requestId, terminated} with the code's status.
func API(log *slog.Logger, h HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			WriteError(w, r, log, err)
		}
	})
}

// WriteError writes err in the API's error shape and logs its reason: server errors
// (5xx) at level Error, client errors at level Info.
func WriteError(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) {
	e := AsError(err)
	LogError(r, log, e)
	RetryAfter(w, e.RetryAfter)
	w.Header().Set("Cache-Control", "no-store")
	b := body{Error: e.Code, Message: e.Message, Details: limitDetails(e.Details), RequestID: RequestID(r.Context())}
	b.Message = cmp.Or(b.Message, e.Code.Info().Message)
	if len(e.Extra) == 0 {
		JSON(w, e.HTTPStatus(), b)
		return
	}
	all := map[string]any{}
	for k, v := range e.Extra {
		all[k] = v
	}
	raw, _ := json.Marshal(b) // a struct of strings always encodes
	json.Unmarshal(raw, &all)
	JSON(w, e.HTTPStatus(), all)
}

// Bounds of one detail of an error response. Field names come from the request, which
// may be large.
const (
	maxDetailField = 260 // characters
	maxDetailWords = 500
)

func limitDetails(details []Detail) []Detail {
	out := slices.Clone(details[:min(len(details), MaxDetails)])
	for i := range out {
		printable := strconv.QuoteToGraphic(out[i].Field)
		out[i].Field, out[i].Message = Truncate(printable[1:len(printable)-1], maxDetailField), Truncate(out[i].Message, maxDetailWords)
	}
	return out
}

// Truncate shortens s to at most most characters, the last of which is an ellipsis if s
// was longer. It drops invalid UTF-8.
func Truncate(s string, most int) string {
	if len(s) > (most+1)*utf8.UTFMax {
		s = s[:(most+1)*utf8.UTFMax] // no character that counts is lost; one may be cut
	}
	s = strings.ToValidUTF8(s, "")
	if all := []rune(s); len(all) > most {
		return string(all[:most-1]) + "…"
	}
	return s
}

// LogError logs the reason of a failed request: at level Error for a server error, and
// at level Info for a client error or if the client did not wait.
func LogError(r *http.Request, log *slog.Logger, e *Error) {
	level := slog.LevelInfo
	if e.HTTPStatus() >= 500 && !clientGone(r, e) {
		level = slog.LevelError
	}
	attrs := []any{"code", e.Code, "status", e.HTTPStatus(), "requestId", RequestID(r.Context())}
	if e.Why != nil {
		attrs = append(attrs, "err", e.Why.Error())
	}
	log.Log(r.Context(), level, "request failed", attrs...)
}

// clientGone reports whether the request failed because the client closed it.
func clientGone(r *http.Request, e *Error) bool {
	return errors.Is(e.Why, context.Canceled) && errors.Is(r.Context().Err(), context.Canceled)
}

// RetryAfter sets the Retry-After header to d in whole seconds, rounded up. It sets
// nothing if d is 0 or less.
func RetryAfter(w http.ResponseWriter, d time.Duration) {
	if d > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(d.Seconds()))))
	}
}

// encoder is a buffer and the JSON encoder that writes to it.
type encoder struct {
	bytes.Buffer
	*json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := &encoder{}
	e.Encoder = json.NewEncoder(&e.Buffer)
	e.SetEscapeHTML(false) // the output is not HTML
	return e
}}

// maxReusedBuffer is the largest buffer that is reused, in bytes.
const maxReusedBuffer = 64 << 10

// PrivateJSON is JSON for a response that must not be stored.
func PrivateJSON(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Cache-Control", "no-store")
	return JSON(w, status, v)
}

// JSON writes v as a JSON response. It returns an error, before writing, if v cannot be
// encoded.
func JSON(w http.ResponseWriter, status int, v any) error {
	e := encoders.Get().(*encoder)
	defer func() {
		if e.Cap() <= maxReusedBuffer {
			e.Reset()
			encoders.Put(e)
		}
	}()
	if err := e.Encode(v); err != nil {
		return err
	}
	h := w.Header()
	h["Content-Type"] = []string{"application/json; charset=utf-8"}
	h["X-Content-Type-Options"] = []string{"nosniff"}
	h["Content-Length"] = []string{strconv.Itoa(e.Len())}
	w.WriteHeader(status)
	w.Write(e.Bytes()) // an error means that the client is gone
	return nil
}
