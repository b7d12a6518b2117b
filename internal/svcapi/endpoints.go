package svcapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/prefill"
)

// Prefill is the applicant's data for the initialization, consumer and redirect
// endpoints (API reference: Visits). Empty fields are not sent.
type Prefill = prefill.Fields

// InitRequest is the request for a visit. Set either Prefill or ConsumerID, or neither.
type InitRequest struct {
	PublicID        string   `json:"-"` // the child account that a parent acts for; empty: its own
	ProductID       string   `json:"productId,omitempty"`
	ExternalID      string   `json:"externalId,omitempty"`      // up to 64 characters, no personal data
	UserArgs        string   `json:"userArgs,omitempty"`        // up to 255 characters, echoed
	ConsumerID      string   `json:"consumerId,omitempty"`      // an existing consumer
	SandboxReportID string   `json:"sandboxReportId,omitempty"` // sandbox only
	Prefill         *Prefill `json:"prefill,omitempty"`
}

// Initialization is a single-use token for the widget, and its expiry.
type Initialization struct {
	Token string
	Exp   time.Time // zero if the service omits it
}

// Initialize calls POST /connect/initialization. It is not retried once the service may
// have processed it, because a second token would be a second visit, and would be
// refused if there is an externalId. Invalid data gives an *Error whose Code is the
// widget error type.
func (c *Client) Initialize(ctx context.Context, in InitRequest) (Initialization, error) {
	var wire struct {
		Token string          `json:"token"`
		Exp   json.RawMessage `json:"exp"`
	}
	const op = "initialization"
	status, err := c.Call(ctx, op, http.MethodPost, c.address(AddressInitialization), in.PublicID, in, &wire)
	if err != nil {
		return Initialization{}, err
	}
	if !isHandle(wire.Token) {
		return Initialization{}, badAnswer(op, status, "token is missing or malformed")
	}
	return Initialization{Token: wire.Token, Exp: unixTime(wire.Exp)}, nil
}

// RedirectRequest is the request for a secure redirect: with the fields of an
// initialization, or with a Token from Initialize.
type RedirectRequest struct {
	InitRequest
	Token        string `json:"token,omitempty"`
	CompleteURL  string `json:"completeUrl,omitempty"`  // has [token] in place of the signed result
	RedirectArgs string `json:"redirectArgs,omitempty"` // echoed in the signed result
}

// RedirectLink is where to send the applicant's browser: to RedirectURL, or there by a
// form POST with RedirectToken in the field `token`.
type RedirectLink struct {
	RedirectURL   string
	RedirectToken string
	Exp           time.Time // zero if the service omits it
}

// SecureRedirect calls POST /secure-redirect (API reference: Visits). It is retried
// like Initialize. It refuses a RedirectURL outside the service's page hosts, because a
// browser is sent there.
func (c *Client) SecureRedirect(ctx context.Context, in RedirectRequest) (RedirectLink, error) {
	var wire struct {
		RedirectURL   string          `json:"redirectUrl"`
		RedirectToken string          `json:"redirectToken"`
		Exp           json.RawMessage `json:"exp"`
	}
	const op = "secure redirect"
	status, err := c.Call(ctx, op, http.MethodPost, c.address(AddressSecureRedirect), in.PublicID, in, &wire)
	if err != nil {
		return RedirectLink{}, err
	}
	if !isHandle(wire.RedirectToken) {
		return RedirectLink{}, badAnswer(op, status, "redirectToken is missing or malformed")
	}
	if err := c.checkPage(wire.RedirectURL); err != nil {
		return RedirectLink{}, badAnswer(op, status, err.Error())
	}
	return RedirectLink{RedirectURL: wire.RedirectURL, RedirectToken: wire.RedirectToken, Exp: unixTime(wire.Exp)}, nil
}

// checkPage returns an error if a browser must not be sent to raw.
func (c *Client) checkPage(raw string) error {
	u, ok := httpx.ParseURL(raw)
	switch {
	case !httpx.IsVisible(raw) || strings.Contains(raw, "\\"):
		return errors.New("redirectUrl has characters that a URL has not")
	case !ok || len(raw) > 4<<10:
		return errors.New("redirectUrl is not an absolute URL without credentials")
	case u.Scheme != "https" && u.Scheme != c.base.Scheme:
		return errors.New("redirectUrl has another scheme than the service")
	case !slices.ContainsFunc(c.profile().PageOrigins(c.BaseURL),
		func(o string) bool { _, host, _ := strings.Cut(o, "://"); return strings.EqualFold(host, u.Host) }):
		return errors.New("redirectUrl leads to a host that is not one of the provider's pages")
	}
	return nil
}

// ConsumerRequest describes a consumer to create.
type ConsumerRequest struct {
	PublicID           string   `json:"-"`                            // the child account that a parent acts for; empty: its own
	ConsumerExternalID string   `json:"consumerExternalId,omitempty"` // the customer's own identifier
	Prefill            *Prefill `json:"prefill,omitempty"`
}

// CreateConsumer calls POST /connect/consumers and returns the consumerId. It is
// retried like Initialize.
func (c *Client) CreateConsumer(ctx context.Context, in ConsumerRequest) (string, error) {
	var wire struct {
		ConsumerID string `json:"consumerId"`
	}
	const op = "create consumer"
	status, err := c.Call(ctx, op, http.MethodPost, c.address(AddressConsumers), in.PublicID, in, &wire)
	if err != nil {
		return "", err
	}
	if !contract.IsUUID(wire.ConsumerID) {
		return "", badAnswer(op, status, "consumerId is not a UUID")
	}
	return wire.ConsumerID, nil
}

// Call sends a request with Basic authentication, for the account or, with a publicID, for
// a child account. in is sent as JSON and the answer is parsed into out; either may be nil.
// Call returns the status of the answer. A POST is retried only if the service cannot have
// processed it, because it may not be repeated; other methods are retried.
func (c *Client) Call(ctx context.Context, op, method, path, publicID string, in, out any) (status int, err error) {
	k := call{op: op, method: method, path: path, header: http.Header{}, auth: basic, repeatable: method != http.MethodPost,
		anyType: out == nil, limit: maxAnswer, timeout: answerTimeout}
	if !headerValue(publicID, 128) {
		return 0, &Error{Op: op, Code: contract.CodeMalformedHeaders, Err: errors.New("publicId cannot stand in a header")}
	}
	if publicID != "" {
		k.header.Set(c.profile().Headers[HeaderPublicID], publicID)
	}
	if in != nil {
		if k.body, err = json.Marshal(in); err != nil {
			return 0, &Error{Op: op, Code: contract.CodeMalformedBody, Err: errors.New("the request cannot be written as JSON")}
		}
	}
	a, err := c.do(ctx, k)
	if err == nil && out != nil {
		err = a.decode(out)
	}
	return a.status, err
}

// Ref names a report: by PublicToken, or by the customer's ExternalID. A parent
// account that uses the external id adds the child's PublicID.
type Ref struct {
	PublicToken string
	ExternalID  string
	PublicID    string
	ETag        string // of a report that the caller has; Report returns ErrNotModified while it is the newest
}

// headers returns the identifier headers of a report call (API reference: Reports).
func (c *Client) headers(op string, r Ref) (http.Header, error) {
	invalid := func(why string) (http.Header, error) {
		return nil, &Error{Op: op, Code: contract.CodeMalformedHeaders, Err: errors.New(why)}
	}
	h, names := http.Header{}, c.profile().Headers
	switch {
	case (r.PublicToken == "") == (r.ExternalID == ""):
		return invalid("exactly one of publicToken and externalId names a report")
	case r.PublicToken != "" && !contract.IsUUID(r.PublicToken):
		return invalid("publicToken is not a UUID")
	case r.PublicToken != "":
		h.Set(names[HeaderPublicToken], r.PublicToken)
	case !headerValue(r.ExternalID, 4*contract.MaxExternalID):
		return invalid("externalId cannot stand in a header")
	default:
		h.Set(names[HeaderExternalID], r.ExternalID)
	}
	if r.PublicID != "" {
		if !headerValue(r.PublicID, 128) {
			return invalid("publicId cannot stand in a header")
		}
		h.Set(names[HeaderPublicID], r.PublicID)
	}
	if r.ETag != "" {
		h.Set("If-None-Match", r.ETag)
	}
	return h, nil
}

func headerValue(s string, limit int) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f {
			return false
		}
	}
	return len(s) <= limit && strings.TrimSpace(s) == s
}

// StatusAnswer is the status of a report. Substatus is empty for null.
type StatusAnswer struct {
	Status    contract.Status
	Substatus contract.Substatus
}

// Status calls GET /connect/status (API reference: Reports). A report that is unknown
// or over 90 days old gives an *Error with INVALID_TOKEN.
func (c *Client) Status(ctx context.Context, ref Ref) (StatusAnswer, error) {
	a, err := c.get(ctx, "status", c.address(AddressStatus), ref, maxAnswer, answerTimeout)
	if err != nil {
		return StatusAnswer{}, err
	}
	var wire struct {
		Status    contract.Status     `json:"status"`
		Substatus *contract.Substatus `json:"substatus"`
	}
	if err := a.decode(&wire); err != nil {
		return StatusAnswer{}, err
	}
	if !wire.Status.Valid() {
		return StatusAnswer{}, badAnswer(a.op, a.status, "status is not one of the contract's")
	}
	out := StatusAnswer{Status: wire.Status}
	if wire.Substatus != nil {
		if *wire.Substatus != "" && !isCode(string(*wire.Substatus)) {
			return StatusAnswer{}, badAnswer(a.op, a.status, "substatus is malformed")
		}
		out.Substatus = *wire.Substatus
	}
	return out, nil
}

// get calls GET path for one report; include names optional members of the answer.
func (c *Client) get(ctx context.Context, op, path string, ref Ref, limit int64, timeout time.Duration, include ...string) (answer, error) {
	h, err := c.headers(op, ref)
	if err != nil {
		return answer{}, err
	}
	if name := c.profile().Headers[HeaderInclude]; name != "" && len(include) > 0 {
		h.Set(name, strings.Join(include, ", "))
	}
	return c.do(ctx, call{op: op, method: http.MethodGet, path: path, header: h,
		auth: byToken, repeatable: true, limit: limit, timeout: timeout})
}

// isHandle reports whether s is safe as a token in a page and a form.
func isHandle(s string) bool {
	return s != "" && len(s) <= 4<<10 && httpx.IsVisible(s) && !strings.ContainsAny(s, "\"'<>&\\`")
}

func unixTime(raw json.RawMessage) time.Time {
	if n := unixSeconds(raw); n > 0 {
		return time.Unix(n, 0).UTC()
	}
	return time.Time{}
}
