// Package webhook signs, verifies and delivers the verification service's events
// (docs/how-to/webhooks.md). They follow Standard Webhooks: webhook-id, webhook-timestamp, and
// webhook-signature with v1, HMAC-SHA256.
//
// A receiver refuses events that are unsigned, signed with another secret, more than
// five minutes old or in the future, too large, or ambiguous (a repeated header or
// member). A sender refuses private networks, redirects and endless responses. An event
// says that a report changed; it never contains the report.
package webhook

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
)

// Names of the three headers of an event.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
	// HeaderAccount names the account that an event of the provider is about: a parent account
	// receives those of its children. It is not signed; the body's publicId is.
	HeaderAccount = "X-Public-Id"
)

// MaxBody is the maximum size of an event in bytes.
const MaxBody = 64 << 10

// Tolerance is the maximum difference between a timestamp and the receiver's clock.
const Tolerance = 5 * time.Minute

// Errors of Receiver; Code returns the API's error code for each.
var (
	ErrHeaders     = errors.New("webhook: a header is missing, repeated or malformed")
	ErrContentType = errors.New("webhook: the body is not application/json")
	ErrTooLarge    = errors.New("webhook: the body is too large")
	ErrStale       = errors.New("webhook: the timestamp is too far from now")
	ErrSignature   = errors.New("webhook: no signature fits")
	ErrBody        = errors.New("webhook: the body is not an event")
	ErrOtherType   = errors.New("webhook: an event of a type that is not known here")
)

// Code returns the API error code for err, and "" for errors of other packages.
// ErrOtherType has no code: the event is genuine, and is acknowledged so that it is not
// sent again.
func Code(err error) contract.Code {
	switch {
	case errors.Is(err, ErrHeaders):
		return contract.CodeMalformedHeaders
	case errors.Is(err, ErrContentType):
		return contract.CodeUnsupportedMediaType
	case errors.Is(err, ErrTooLarge):
		return contract.CodeBodyTooLarge
	case errors.Is(err, ErrStale), errors.Is(err, ErrSignature):
		return contract.CodeUnauthorized
	case errors.Is(err, ErrBody):
		return contract.CodeMalformedBody
	}
	return ""
}

// Secret is the key that sender and receiver share. It prints as asterisks.
type Secret struct{ key []byte }

const secretPrefix = "whsec_"

// NewSecret returns a new secret in its text form, whsec_ and the base64 of 32 random
// bytes. It is shown once and stored encrypted.
func NewSecret() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key[:])
}

// ParseSecret parses the text form. Padding is optional; the key has 24 to 64 bytes.
// The error does not repeat the secret.
func ParseSecret(s string) (Secret, error) {
	text, ok := strings.CutPrefix(s, secretPrefix)
	key, err := base64.RawStdEncoding.Strict().DecodeString(strings.TrimRight(text, "="))
	if !ok || err != nil || len(key) < 24 || len(key) > 64 {
		return Secret{}, errors.New("must be whsec_ and the base64 of 24 to 64 bytes")
	}
	return Secret{key}, nil
}

// ParseSecrets parses several secrets.
func ParseSecrets(texts []string) (all []Secret, err error) {
	for _, text := range texts {
		secret, err := ParseSecret(text)
		if err != nil {
			return nil, err
		}
		all = append(all, secret)
	}
	return all, nil
}

// String hides the key, from fmt and from logs.
func (Secret) String() string { return "whsec_***" }

// GoString hides the key.
func (s Secret) GoString() string { return s.String() }

// LogValue hides the key.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// sign returns one v1 signature: HMAC-SHA256 of "id.timestamp.body" in base64.
func (s Secret) sign(id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, s.key)
	_, _ = io.WriteString(mac, id+"."+timestamp+".")
	_, _ = mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Sign sets the three headers for body, with one signature for each secret: two are
// valid during rotation. An event keeps its id when it is sent again; at is the time of
// this sending.
func Sign(h http.Header, secrets []Secret, id string, at time.Time, body []byte) error {
	if !contract.IsIdentifier(id) || len(secrets) == 0 {
		return fmt.Errorf("%w: an id of letters, digits, - and _, and a secret, are needed to sign", ErrHeaders)
	}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	all := make([]string, len(secrets))
	for i, s := range secrets {
		all[i] = s.sign(id, timestamp, body)
	}
	h.Set(HeaderID, id)
	h.Set(HeaderTimestamp, timestamp)
	h.Set(HeaderSignature, strings.Join(all, " "))
	return nil
}

// Receiver verifies events sent to one customer.
type Receiver struct {
	Secrets []Secret         // accepted secrets; without any, every event is refused
	Now     func() time.Time // nil: time.Now
	Limit   int64            // maximum size of a body in bytes; 0: MaxBody
	Headers HeaderNames      // empty ones: those of Standard Webhooks
}

// HeaderNames are the names of a signed webhook's headers.
type HeaderNames struct {
	ID        string `yaml:"id"`
	Timestamp string `yaml:"timestamp"`
	Signature string `yaml:"signature"`
}

// Rename gives the headers that Sign set these names.
func (n HeaderNames) Rename(h http.Header) {
	id, timestamp, signature := h.Get(HeaderID), h.Get(HeaderTimestamp), h.Get(HeaderSignature)
	for _, name := range []string{HeaderID, HeaderTimestamp, HeaderSignature} {
		h.Del(name)
	}
	h.Set(cmp.Or(n.ID, HeaderID), id)
	h.Set(cmp.Or(n.Timestamp, HeaderTimestamp), timestamp)
	h.Set(cmp.Or(n.Signature, HeaderSignature), signature)
}

// Receive reads, verifies and parses the event in r. If the body has no eventId,
// EventID is the header's id. Errors are those of this package.
func (v *Receiver) Receive(r *http.Request) (Event, error) {
	id, body, err := v.Read(r)
	if err != nil {
		return Event{}, err
	}
	e, err := Parse(body)
	if err != nil {
		return Event{}, err
	}
	e.EventID = cmp.Or(e.EventID, id)
	return e, nil
}

// Read reads and verifies the JSON body of r, which need not be an event, and returns it
// with its id. Errors are those of this package.
func (v *Receiver) Read(r *http.Request) (id string, body []byte, err error) {
	if !isJSON(r.Header) {
		return "", nil, ErrContentType
	}
	limit := cmp.Or(v.Limit, MaxBody)
	body, err = io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return "", nil, fmt.Errorf("%w: it ended early", ErrBody)
	}
	if int64(len(body)) > limit {
		return "", nil, ErrTooLarge
	}
	id, err = v.Verify(r.Header, body)
	return id, body, err
}

// isJSON reports whether there is one Content-Type and it is application/json, in UTF-8
// if it names a charset.
func isJSON(h http.Header) bool {
	value, ok := singleHeader(h, "Content-Type")
	kind, params, err := mime.ParseMediaType(value)
	charset, named := params["charset"]
	return ok && err == nil && kind == "application/json" && (!named || strings.EqualFold(charset, "utf-8"))
}

// Verify checks the headers' signature of body and returns the event's id. It compares
// in constant time.
func (v *Receiver) Verify(h http.Header, body []byte) (id string, err error) {
	id, ok1 := singleHeader(h, cmp.Or(v.Headers.ID, HeaderID))
	timestamp, ok2 := singleHeader(h, cmp.Or(v.Headers.Timestamp, HeaderTimestamp))
	signatures, ok3 := singleHeader(h, cmp.Or(v.Headers.Signature, HeaderSignature))
	if !ok1 || !ok2 || !ok3 || !contract.IsIdentifier(id) || len(signatures) > 4<<10 {
		return "", ErrHeaders
	}
	sent, ok := seconds(timestamp)
	if !ok {
		return "", ErrHeaders
	}
	now := time.Now
	if v.Now != nil {
		now = v.Now
	}
	if away := now().Sub(time.Unix(sent, 0)).Abs(); away > Tolerance {
		return "", ErrStale
	}
	fits := 0
	for _, s := range v.Secrets {
		want := []byte(s.sign(id, timestamp, body))
		for got := range strings.SplitSeq(signatures, " ") {
			fits |= subtle.ConstantTimeCompare([]byte(got), want)
		}
	}
	if fits == 0 {
		return "", ErrSignature
	}
	return id, nil
}

// singleHeader returns the value of a header that occurs exactly once.
func singleHeader(h http.Header, name string) (string, bool) {
	values := h.Values(name)
	if len(values) != 1 {
		return "", false
	}
	return values[0], values[0] != ""
}

// seconds parses a timestamp of decimal digits, as Sign writes it.
func seconds(s string) (int64, bool) {
	if s == "" || len(s) > 12 || s[0] == '0' || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
