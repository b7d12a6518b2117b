package redirect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jose"
	"vestibule/internal/session"
	"vestibule/internal/store"
)

const (
	// maxBody bounds the body of a return by POST: a token, perhaps in base64, plus its encoding.
	maxBody = jose.MaxToken*4/3 + 1<<10

	// maxStashed is the maximum number of handles per attempt: enough for a browser
	// that resubmits its form, and a bound for a client that sends a token thousands
	// of times.
	maxStashed = 100
)

// refusal is the reason for refusing a return, for the log. errToken wraps the reason
// given by jose.
type refusal string

func (e refusal) Error() string { return "redirect: " + string(e) }

const (
	errMethod         = refusal("method is not one of this address")
	errPrefetch       = refusal("fetched ahead")
	errQuery          = refusal("query is not exactly one signed result")
	errBody           = refusal("body is not exactly one signed result")
	errToken          = refusal("token is refused")
	errAudience       = refusal("token is for another customer")
	errIssuer         = refusal("token is of another issuer")
	errOutcome        = refusal("claims are not an outcome")
	errUnknownAttempt = refusal("no attempt of this portal sent these redirectArgs")
	errHandle         = refusal("no outcome is stored under this handle")
	errTooManyStashed = refusal("attempt has too many stored outcomes")
	errOtherBrowser   = refusal("attempt was begun by another browser")
	errLate           = refusal("attempt has expired")
	errTokenTwice     = refusal("publicToken has completed another attempt")
)

// result is what a verified token says.
type result struct {
	token     *jose.Token // nil for a stored outcome
	outcome   Outcome
	reference []byte // of the attempt
}

// handleReturnGet handles a return by GET, with the signed result in the query.
func (c *Handler) handleReturnGet(w http.ResponseWriter, r *http.Request) error {
	raw, err := tokenOfQuery(r.URL.RawQuery, c.Form.Parameter)
	if err != nil {
		return err
	}
	got, err := c.verify(r.Context(), raw)
	if err != nil {
		return err
	}
	return c.consume(w, r, got)
}

// handleReturnPost handles a return by form POST. The POST is cross-site and has no session
// cookie, so the verified outcome is stored under a handle, and a redirect leads to a
// same-site GET that has the cookie. This handler neither reads nor sets cookies.
func (c *Handler) handleReturnPost(w http.ResponseWriter, r *http.Request) error {
	raw, err := tokenOfBody(w, r, c.Form.Field)
	if err != nil {
		return err
	}
	got, err := c.verify(r.Context(), raw)
	if err != nil {
		return err
	}
	a, err := c.find(r.Context(), got)
	if err != nil {
		return err
	}
	handle := store.NewSecret()
	err = c.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		ok, err := stashOutcome(ctx, tx, store.Hash(handle), a.ID, got.outcome, a.Expires, maxStashed)
		if err == nil && !ok {
			err = errTooManyStashed
		}
		return err
	})
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, finishPath+handle)
}

// finish consumes the outcome that handleReturnPost stored.
func (c *Handler) finish(w http.ResponseWriter, r *http.Request) error {
	a, o, err := findStashed(r.Context(), c.DB.SQL, store.Hash(r.PathValue("handle")), c.DB.Now())
	if errors.Is(err, store.ErrNotFound) {
		err = errHandle
	}
	if err != nil {
		return err
	}
	return c.consume(w, r, result{outcome: o, reference: a.reference})
}

// verify verifies a token. It changes nothing.
func (c *Handler) verify(ctx context.Context, raw string) (result, error) {
	token, err := c.Tokens.Verify(ctx, c.Form.Decode(raw))
	if ctx.Err() != nil {
		return result{}, ctx.Err()
	}
	if err != nil {
		return result{}, fmt.Errorf("%w: %w", errToken, err)
	}
	if c.Audience != "" && !token.For(c.Audience, true) {
		return result{}, errAudience
	}
	if !token.IssuedBy(c.Issuer) {
		return result{}, errIssuer
	}
	o, args, err := outcomeOf(token, c.Form.Claims)
	return result{token, o, store.Hash(args)}, err
}

// find finds the attempt of a result, which is in time for it. It does not check the browser.
func (c *Handler) find(ctx context.Context, got result) (Attempt, error) {
	a, err := findByReference(ctx, c.DB.SQL, got.reference)
	if errors.Is(err, store.ErrNotFound) {
		err = errUnknownAttempt
	}
	if err != nil {
		return Attempt{}, err
	}
	if got.token != nil {
		if err := got.token.IssuedSince(a.Started); err != nil {
			return Attempt{}, fmt.Errorf("%w: %w", errToken, err)
		}
	}
	if !a.returned && !c.DB.Now().Before(a.Expires) {
		return Attempt{}, errLate
	}
	return a, c.noteVerified(ctx, c.DB.SQL, a, got)
}

func (c *Handler) noteVerified(ctx context.Context, q store.Queryer, a Attempt, got result) error {
	if c.Verified == nil || got.token == nil {
		return nil
	}
	return c.Verified(ctx, q, a, got.token)
}

// consume uses up the attempt of a result, if this is its browser and no outcome was
// consumed before, and redirects the browser. After an earlier outcome it redirects
// by that one.
func (c *Handler) consume(w http.ResponseWriter, r *http.Request, got result) error {
	cur, err := c.Sessions.Of(r)
	if err != nil {
		return err
	}
	var a Attempt
	var won bool
	var cookie session.Cookie
	browser, before := store.Hash(cur.Identity()), time.Time{}
	if got.token != nil { // see jose.Token.IssuedSince
		before = got.token.Issued.Truncate(time.Second).Add(time.Second)
	}
	if !cur.Anonymous() {
		err = c.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
			a, err = consumeAttempt(ctx, tx, got.reference, browser, got.outcome, before)
			if won = err == nil; !won {
				if store.IsUnique(err) {
					return errTokenTwice
				}
				return store.OrNone(err)
			}
			if err := c.noteVerified(ctx, tx, a, got); err != nil {
				return err
			}
			if err := c.OnOutcome(ctx, tx, a, got.outcome); err != nil {
				return err
			}
			// A concurrent return of the browser may have renewed its session; a new session would lose its applications.
			_, cookie, _, err = c.Sessions.Replace(ctx, tx, cur)
			return err
		})
	}
	if err == nil && !won { // a look at the attempt says why
		switch a, err = c.find(r.Context(), got); {
		case err != nil:
		case cur.Anonymous() || !bytes.Equal(browser, a.browser):
			err = errOtherBrowser
		case !a.returned:
			err = errLate
		}
	}
	if err != nil {
		return err
	}
	if won {
		c.Log.InfoContext(r.Context(), "attempt consumed", "attempt", a.ID, "outcome", string(got.outcome.Kind),
			"requestId", httpx.RequestID(r.Context()))
		if err := c.Sessions.Set(w, r, cookie); err != nil {
			return err
		}
	}
	return httpx.SeeOther(w, c.StatusURL(a.Application))
}

// tokenOfQuery returns the value of a query that contains only this parameter.
func tokenOfQuery(raw, parameter string) (string, error) {
	value, ok := strings.CutPrefix(raw, parameter+"=")
	if !ok || strings.ContainsAny(value, "&;") {
		return "", errQuery
	}
	token, err := url.QueryUnescape(value)
	if err != nil || token == "" {
		return "", errQuery
	}
	return token, nil
}

// tokenOfBody returns the field of a form or JSON object that has no other field and gives it
// once, in a request without a query.
func tokenOfBody(w http.ResponseWriter, r *http.Request, field string) (string, error) {
	if r.URL.RawQuery != "" || r.URL.ForceQuery {
		return "", errBody
	}
	var body map[string]string
	err := httpx.DecodeJSON(w, r, maxBody, &body)
	if e := (*httpx.Error)(nil); errors.As(err, &e) && e.Code == contract.CodeUnsupportedMediaType {
		return tokenOfForm(w, r, field)
	}
	if err == nil && (len(body) != 1 || body[field] == "") {
		err = errBody
	}
	return body[field], err
}

func tokenOfForm(w http.ResponseWriter, r *http.Request, field string) (string, error) {
	form, err := httpx.DecodeForm(w, r, maxBody)
	if err != nil {
		return "", err
	}
	if len(form) != 1 || len(form[field]) != 1 || form[field][0] == "" {
		return "", errBody
	}
	return form[field][0], nil
}
