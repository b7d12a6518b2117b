package fdx

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/uuid"
	"golang.org/x/oauth2"

	"vestibule/internal/jose"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/rest"
)

const (
	maxToken          = 16 << 10 // characters of an access token or a refresh token
	assertionLifetime = time.Minute
	issuedSkew        = time.Minute // how far the institution's clock may be ahead
)

// pending has the data of a begun authorization that Complete needs.
type pending struct {
	Institution string `json:"institution"`
	Verifier    string `json:"verifier"`
	Nonce       string `json:"nonce,omitempty"`
	RedirectURI string `json:"redirectUri"`
}

// Authorize implements sources.Authorizer.
func (c *Connector) Authorize(ctx context.Context, institution string, r sources.AuthorizeRequest) (sources.Authorization, error) {
	b, err := c.bank(institution)
	if err != nil {
		return sources.Authorization{}, err
	}
	if r.State == "" || r.RedirectURI == "" {
		return sources.Authorization{}, errors.New("fdx: an authorization needs a state and a redirect URI")
	}
	m, err := b.metadata(ctx)
	if err != nil {
		return sources.Authorization{}, err
	}
	p := pending{Institution: institution, Verifier: oauth2.GenerateVerifier(), RedirectURI: r.RedirectURI}
	scopes := b.scopes(m)
	q := url.Values{"response_type": {"code"}, "client_id": {b.in.ClientID}, "redirect_uri": {r.RedirectURI}, "state": {r.State},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(p.Verifier)}, "code_challenge_method": {"S256"}}
	b.addTarget(q)
	if len(scopes) > 0 {
		q.Set("scope", strings.Join(scopes, " "))
	}
	if slices.Contains(scopes, oidc.ScopeOpenID) {
		p.Nonce = oauth2.GenerateVerifier()
		q.Set("nonce", p.Nonce)
	}
	if slices.Contains(scopes, oidc.ScopeOfflineAccess) {
		q.Set("prompt", "consent") // OpenID Connect Core, section 11
	}
	if r.Language != "" {
		q.Set("ui_locales", r.Language)
	}
	if m.PAR != "" {
		if q, err = b.push(ctx, m, q); err != nil {
			return sources.Authorization{}, err
		}
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return sources.Authorization{}, err
	}
	to, err := url.Parse(m.Authorization)
	if err != nil {
		return sources.Authorization{}, err
	}
	query := to.Query()
	maps.Copy(query, q)
	to.RawQuery = query.Encode()
	return sources.Authorization{URL: to.String(), Pending: raw}, nil
}

// scopes returns the configured scopes. It adds offline_access to openid if consents
// have a duration and the institution supports it.
func (b *bank) scopes(m *metadata) []string {
	scopes := b.in.Scopes
	if b.in.DurationDays > 0 && slices.Contains(scopes, oidc.ScopeOpenID) && !slices.Contains(scopes, oidc.ScopeOfflineAccess) &&
		slices.Contains(m.Scopes, oidc.ScopeOfflineAccess) {
		scopes = append(slices.Clone(scopes), oidc.ScopeOfflineAccess)
	}
	return scopes
}

func (b *bank) addTarget(form url.Values) {
	if b.in.Resource != "" {
		form.Set("resource", b.in.Resource)
	}
	if b.in.Audience != "" {
		form.Set("audience", b.in.Audience)
	}
}

// push sends the parameters to the institution, and returns parameters that refer to
// them (RFC 9126).
func (b *bank) push(ctx context.Context, m *metadata, q url.Values) (url.Values, error) {
	var answer struct {
		URI string `json:"request_uri"`
	}
	r := rest.Request{What: "pushed authorization request", URL: m.PAR, Repeat: true, Read: decodeInto(&answer)}
	if err := b.post(ctx, m, r, q); err != nil {
		return nil, oauthFailure(err, sources.Misused)
	}
	if answer.URI == "" || len(answer.URI) > 2048 {
		return nil, sources.Fail(sources.Rejected, fmt.Errorf("%s: the pushed authorization request got no request_uri", b.in.ID))
	}
	return url.Values{"client_id": {b.in.ClientID}, "request_uri": {answer.URI}}, nil
}

// Complete implements sources.Authorizer.
func (c *Connector) Complete(ctx context.Context, institution string, raw []byte, callback url.Values) (sources.Grant, error) {
	b, err := c.bank(institution)
	if err != nil {
		return sources.Grant{}, err
	}
	var p pending
	if err := json.Unmarshal(raw, &p); err != nil || p.Institution != institution || p.Verifier == "" {
		return sources.Grant{}, errors.New("fdx: the pending authorization is invalid, or belongs to another institution")
	}
	m, err := b.metadata(ctx)
	if err != nil {
		return sources.Grant{}, err
	}
	code, err := b.code(m, callback)
	if err != nil {
		return sources.Grant{}, err
	}
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {p.RedirectURI},
		"code_verifier": {p.Verifier}}
	b.addTarget(form)
	g, answer, err := b.token(ctx, m, form)
	if err != nil {
		return sources.Grant{}, oauthFailure(err, sources.Abandoned)
	}
	if p.Nonce != "" {
		consent, err := b.checkIDToken(ctx, m, answer.IDToken, p.Nonce, g.Access, code)
		if err != nil {
			return sources.Grant{}, sources.Fail(sources.Rejected, fmt.Errorf("%s: %w", b.in.ID, err))
		}
		g.ConsentID = cmp.Or(g.ConsentID, consent)
	}
	if b.in.DurationDays > 0 {
		g.Until = b.now().AddDate(0, 0, b.in.DurationDays)
	}
	return g, nil
}

// code checks the issuer of a callback (RFC 9207) and returns its code.
func (b *bank) code(m *metadata, callback url.Values) (string, error) {
	rejected := func(text string) (string, error) {
		return "", sources.Fail(sources.Rejected, fmt.Errorf("%s: %s", b.in.ID, text))
	}
	for _, name := range []string{"code", "error", "iss", "state"} {
		if len(callback[name]) > 1 {
			return rejected("the callback repeats a parameter")
		}
	}
	if iss, given := callback.Get("iss"), callback.Has("iss"); m.Issuer != "" && (given && iss != m.Issuer || !given && m.SendsIss) {
		return rejected("the iss of the callback is missing, or is not the configured issuer")
	}
	if callback.Has("error") {
		problem := callback.Get("error")
		reason, known := oauthReasons[problem]
		if !known {
			reason, problem = sources.Rejected, "an unknown code"
		}
		return "", sources.Fail(reason, fmt.Errorf("%s: the callback has the error %s", b.in.ID, problem))
	}
	code := callback.Get("code")
	if code == "" || len(code) > maxToken {
		return rejected("the callback has no code")
	}
	return code, nil
}

// Renew implements sources.Authorizer.
func (c *Connector) Renew(ctx context.Context, institution string, g sources.Grant) (sources.Grant, error) {
	b, err := c.bank(institution)
	if err != nil {
		return sources.Grant{}, err
	}
	if err := b.checkConsent(g); err != nil {
		return sources.Grant{}, err
	}
	if g.Refresh == "" {
		return sources.Grant{}, sources.Fail(sources.Ended, fmt.Errorf("%s: the access cannot be renewed", b.in.ID))
	}
	m, err := b.metadata(ctx)
	if err != nil {
		return sources.Grant{}, err
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {g.Refresh}}
	b.addTarget(form)
	renewed, _, err := b.token(ctx, m, form)
	if err != nil {
		if err = oauthFailure(err, sources.Ended); slices.Contains([]sources.Reason{sources.Denied, sources.Abandoned}, sources.ReasonOf(err)) {
			err = sources.Fail(sources.Ended, errors.Unwrap(err))
		}
		return sources.Grant{}, err
	}
	renewed.Refresh = cmp.Or(renewed.Refresh, g.Refresh) // without a new one, the old one stays valid (RFC 6749, section 6)
	renewed.Scope = cmp.Or(renewed.Scope, g.Scope)
	renewed.ConsentID = cmp.Or(renewed.ConsentID, g.ConsentID)
	renewed.Until = g.Until
	return renewed, nil
}

// checkConsent returns a failure for a grant whose consent has expired.
func (b *bank) checkConsent(g sources.Grant) error {
	if !g.Until.IsZero() && !b.now().Before(g.Until) {
		return sources.Fail(sources.Ended, fmt.Errorf("%s: the consent has expired", b.in.ID))
	}
	return nil
}

// Revoke implements sources.Connector (RFC 7009). It revokes both tokens, because not
// every institution revokes the access token with the refresh token.
func (c *Connector) Revoke(ctx context.Context, institution string, g sources.Grant) error {
	b, err := c.bank(institution)
	if err != nil {
		return err
	}
	m, err := b.metadata(ctx)
	if err != nil {
		return err
	}
	if m.Revocation == "" {
		return sources.Fail(sources.Unsupported, fmt.Errorf("%s: the institution has no revocation endpoint", b.in.ID))
	}
	for _, t := range []struct{ token, hint string }{{g.Refresh, "refresh_token"}, {g.Access, "access_token"}} {
		if t.token == "" {
			continue
		}
		err := b.post(ctx, m, rest.Request{What: "revocation request", URL: m.Revocation, Repeat: true},
			url.Values{"token": {t.token}, "token_type_hint": {t.hint}})
		var status *rest.StatusError
		switch errors.As(err, &status); {
		case err == nil:
		case status != nil && (status.Problem == "invalid_grant" || status.Problem == "invalid_token"): // ended already
		case status != nil && status.Problem == "unsupported_token_type" && g.Refresh != "" && t.hint == "access_token":
		default:
			return oauthFailure(err, sources.Ended)
		}
	}
	return nil
}

// tokenAnswer is an answer of the token endpoint.
type tokenAnswer struct {
	Access    text   `json:"access_token"`
	Type      text   `json:"token_type"`
	ExpiresIn number `json:"expires_in"`
	Refresh   text   `json:"refresh_token"`
	Scope     text   `json:"scope"`
	IDToken   text   `json:"id_token"`
	Consent   text   `json:"fdxConsentId"`
}

// token requests a token. It does not repeat the request, because codes and rotated
// refresh tokens can be used once.
func (b *bank) token(ctx context.Context, m *metadata, form url.Values) (g sources.Grant, answer tokenAnswer, err error) {
	began := b.now()
	if err := b.post(ctx, m, rest.Request{What: "token request", URL: m.Token, Read: decodeInto(&answer)}, form); err != nil {
		return g, answer, err
	}
	g = sources.Grant{Access: string(answer.Access), Refresh: string(answer.Refresh), Scope: string(answer.Scope),
		ConsentID: string(answer.Consent)}
	unprintable := func(r rune) bool { return r < '!' || r > '~' }
	if g.Access == "" || len(g.Access) > maxToken || len(g.Refresh) > maxToken || strings.ContainsFunc(g.Access, unprintable) ||
		answer.Type != "" && !strings.EqualFold(string(answer.Type), "bearer") {
		return g, answer, sources.Fail(sources.Rejected, fmt.Errorf("%s: the answer of the token endpoint has no bearer token", b.in.ID))
	}
	if answer.ExpiresIn > 0 {
		g.Expires = began.Add(time.Duration(min(answer.ExpiresIn, 10*366*86400)) * time.Second)
	}
	return g, answer, nil
}

// checkIDToken checks the ID token of a code flow (OpenID Connect Core, section
// 3.1.3.7), and returns its consent id, if it has one.
func (b *bank) checkIDToken(ctx context.Context, m *metadata, raw text, nonce, access, code string) (string, error) {
	if raw == "" || m.keys == nil {
		return "", errors.New("the ID token is missing, or the key set that verifies it")
	}
	algs := m.IDTokenAlgs
	if len(algs) == 0 {
		algs = []string{oidc.RS256, oidc.ES256, oidc.PS256, oidc.ES384, oidc.EdDSA}
	}
	if algs = jose.Supported(algs); len(algs) == 0 {
		return "", errors.New("the institution signs ID tokens by unsupported algorithms only")
	}
	verifier := oidc.NewVerifier(m.Issuer, m.keys, &oidc.Config{ClientID: b.in.ClientID, Now: b.now, SupportedSigningAlgs: algs})
	id, err := verifier.Verify(ctx, string(raw))
	if err != nil {
		return "", errors.New("the ID token cannot be verified") // the library's error may quote claims
	}
	var claims struct {
		Authorized string `json:"azp"`
		CodeHash   string `json:"c_hash"`
		Consent    text   `json:"fdxConsentId"`
	}
	switch err := id.Claims(&claims); {
	case err != nil || id.Subject == "":
		return "", errors.New("the ID token's claims cannot be read")
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(nonce)) != 1:
		return "", errors.New("the ID token does not have the nonce of the request")
	case claims.Authorized != "" && claims.Authorized != b.in.ClientID, claims.Authorized == "" && len(id.Audience) > 1:
		return "", errors.New("the ID token was issued to another client")
	case id.IssuedAt.After(b.now().Add(issuedSkew)):
		return "", errors.New("the ID token is from the future: compare the clocks")
	case id.AccessTokenHash != "" && !jose.FitsHash(string(raw), access, id.AccessTokenHash):
		return "", errors.New("the ID token is for another access token")
	case claims.CodeHash != "" && !jose.FitsHash(string(raw), code, claims.CodeHash):
		return "", errors.New("the ID token is for another code")
	}
	return string(claims.Consent), nil
}

// post sends a request that authenticates this client. The audience of an assertion is the
// configured one, or else the issuer (RFC 7523bis, FAPI 2.0). If the client is rejected with
// it, post tries the token endpoint (OpenID Connect Core, section 9) and remembers it.
func (b *bank) post(ctx context.Context, m *metadata, r rest.Request, form url.Values) error {
	send := func(audience string) error {
		r.Method, r.Problem = http.MethodPost, problemOf
		r.Prepare = func(h http.Header, id string) ([]byte, error) {
			h.Set("X-Fapi-Interaction-Id", id)
			h.Set("Content-Type", "application/x-www-form-urlencoded")
			form, err := b.authenticate(m, form, h, audience)
			return []byte(form.Encode()), err
		}
		return b.Do(ctx, r)
	}
	first, second := m.Issuer, m.Token
	byToken := b.tokenAudience.Load()
	if byToken || first == "" {
		first, second = second, first
	}
	switch b.in.AssertionAud {
	case "":
	case audIssuer:
		first, second = m.Issuer, ""
	case audToken:
		first, second = m.Token, ""
	default:
		first, second = b.in.AssertionAud, ""
	}
	err := send(first)
	if b.in.Authentication == PrivateKeyJWT && second != "" && rejectsClient(err) {
		if again := send(second); !rejectsClient(again) {
			b.tokenAudience.Store(!byToken)
			return again
		}
	}
	return err
}

// rejectsClient reports whether an error means that the client is not authenticated.
func rejectsClient(err error) bool {
	var status *rest.StatusError
	return errors.As(err, &status) && (status.Problem == "invalid_client" || status.Problem == "unauthorized_client" ||
		status.Problem == "" && status.Code == http.StatusUnauthorized)
}

// signingKey returns the key of assertions, for an algorithm that the institution lists.
func (b *bank) signingKey(m *metadata) *jose.PrivateKey {
	key := *b.in.Key
	if b.in.KeyID != "" {
		key.ID = b.in.KeyID
	}
	if b.in.SigningAlg != "" {
		return key.For(jose.Alg(b.in.SigningAlg))
	}
	for _, alg := range key.Algs() {
		if slices.Contains(m.SigningAlgs, string(alg)) {
			return key.For(alg)
		}
	}
	return &key
}

// authenticate adds the client's authentication to a copy of a form, or to the header.
func (b *bank) authenticate(m *metadata, form url.Values, h http.Header, audience string) (url.Values, error) {
	form = maps.Clone(form)
	if b.in.Authentication != SecretBasic {
		form.Set("client_id", b.in.ClientID)
	}
	switch b.in.Authentication {
	case SecretBasic: // both are form-encoded first (RFC 6749, section 2.3.1)
		pair := url.QueryEscape(b.in.ClientID) + ":" + url.QueryEscape(b.in.Secret)
		h.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
	case SecretPost:
		form.Set("client_secret", b.in.Secret)
	case PrivateKeyJWT: // RFC 7523, section 2.2
		now := b.now()
		assertion, err := jose.Signer{Key: b.signingKey(m), Type: "JWT"}.Sign(now, now.Add(assertionLifetime), jose.Claims{
			"iss": b.in.ClientID, "sub": b.in.ClientID, "aud": audience, "jti": uuid.NewString()})
		if err != nil {
			return nil, err
		}
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		form.Set("client_assertion", assertion)
	}
	return form, nil
}

// oauthReasons has the reasons of OAuth's error codes (RFC 6749; OpenID Connect Core,
// section 3.1.2.6; RFC 7009; RFC 8707). For invalid_grant, see oauthFailure.
var oauthReasons = map[string]sources.Reason{
	"access_denied":    sources.Denied,
	"consent_required": sources.Denied,
	"user_cancelled":   sources.Denied,

	"login_required":             sources.Abandoned,
	"interaction_required":       sources.Abandoned,
	"account_selection_required": sources.Abandoned,
	"invalid_request_uri":        sources.Abandoned, // the pushed request has expired
	"invalid_grant":              sources.Abandoned,

	"temporarily_unavailable": sources.Unresponsive,
	"server_error":            sources.Unresponsive,

	"invalid_client":            sources.Misused,
	"unauthorized_client":       sources.Misused,
	"invalid_request":           sources.Misused,
	"invalid_request_object":    sources.Misused,
	"request_not_supported":     sources.Misused,
	"request_uri_not_supported": sources.Misused,
	"invalid_scope":             sources.Misused,
	"invalid_target":            sources.Misused,
	"invalid_redirect_uri":      sources.Misused,
	"unsupported_grant_type":    sources.Misused,
	"unsupported_response_type": sources.Misused,
	"unsupported_token_type":    sources.Misused,

	"invalid_token":                     sources.Ended,
	"insufficient_scope":                sources.Unsupported,
	"unmet_authentication_requirements": sources.Unsupported,
}

// problemOf returns the code of an error answer, or "" for an unknown code.
func problemOf(r *http.Response) string {
	var answer struct {
		Error text `json:"error"`
	}
	if decodeJSON(r, &answer) != nil {
		return ""
	}
	if _, known := oauthReasons[string(answer.Error)]; !known {
		return ""
	}
	return string(answer.Error)
}

// oauthFailure returns the failure of a request to an OAuth endpoint with the reason of
// its error code. invalidGrant is the reason for invalid_grant.
func oauthFailure(err error, invalidGrant sources.Reason) error {
	var failure *sources.Failure
	var status *rest.StatusError
	if !errors.As(err, &failure) || !errors.As(err, &status) {
		return err
	}
	reason, known := oauthReasons[status.Problem]
	switch {
	case status.Problem == "invalid_grant":
		reason = invalidGrant
	case known:
	case status.Code == http.StatusTooManyRequests, status.Code >= 500:
		reason = sources.Unresponsive
	default:
		reason = sources.Misused
	}
	return sources.Fail(reason, failure.Err)
}
