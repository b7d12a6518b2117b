package fdxbank

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/jose"
	"vestibule/internal/provider/sandbox/banks"
	"vestibule/internal/store"
)

// token is the token endpoint.
func (s *Server) token(w http.ResponseWriter, r *http.Request, b banks.Bank, form url.Values, c Client) error {
	for _, resource := range form["resource"] {
		if !s.isResource(b, resource) {
			return invalid("invalid_target", "")
		}
	}
	var g granted
	var refused *oauthError
	err := s.config.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		switch form.Get("grant_type") {
		case "authorization_code":
			g, refused, err = s.exchange(ctx, tx, b, c, form)
		case "refresh_token":
			g, refused, err = s.refresh(ctx, tx, b, c, form)
		case "":
			refused = invalid("invalid_request", "grant_type is missing")
		default:
			refused = invalid("unsupported_grant_type", "")
		}
		return err // nil for what is refused, so that it is recorded
	})
	if err != nil {
		return err
	}
	if refused != nil {
		return refused
	}
	answer := map[string]any{"access_token": g.access, "token_type": "Bearer", "expires_in": int(g.life.Seconds()),
		"scope": g.scope, "fdxConsentId": g.consent.id}
	if g.refresh != "" {
		answer["refresh_token"] = g.refresh
	}
	if g.openID {
		if answer["id_token"], err = s.idToken(b, c, g); err != nil {
			return err
		}
	}
	s.answer(w, r, http.StatusOK, answer)
	return nil
}

// granted is what the token endpoint grants.
type granted struct {
	consent         consent
	access, refresh string
	scope           string
	life            time.Duration
	openID          bool // an ID token is due
}

var errGrant = invalid("invalid_grant", "")

// exchange exchanges a code. A code that is sent a second time, or with a wrong verifier,
// ends the consent and its tokens.
func (s *Server) exchange(ctx context.Context, tx *store.Tx, b banks.Bank, c Client, form url.Values) (granted, *oauthError, error) {
	var g granted
	now, code := s.config.Now(), form.Get("code")
	if code == "" || form.Get("code_verifier") == "" || form.Get("redirect_uri") == "" {
		return g, invalid("invalid_request", "code, code_verifier, or redirect_uri is missing"), nil
	}
	granting, err := consentOfCode(ctx, tx, code)
	if errors.Is(err, store.ErrNotFound) || err == nil && (granting.clientID != c.ID || granting.institution != b.ID) {
		return g, errGrant, nil
	}
	if err != nil {
		return g, nil, err
	}
	fresh, err := useCode(ctx, tx, code, now)
	if err != nil {
		return g, nil, err
	}
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	if !fresh || form.Get("redirect_uri") != granting.parameters.RedirectURI ||
		subtle.ConstantTimeCompare([]byte(challenge), []byte(granting.parameters.Challenge)) != 1 {
		return g, errGrant, revokeConsent(ctx, tx, granting.id, now)
	}
	scopes := strings.Fields(granting.parameters.Scope)
	g, err = s.issue(ctx, tx, granting, granting.parameters.Scope,
		slices.Contains(scopes, scopeOffline) || !slices.Contains(scopes, scopeOpenID))
	g.openID = slices.Contains(scopes, scopeOpenID)
	return g, nil, err
}

// refresh exchanges a refresh token for new tokens. The reuse of one that was exchanged
// before ends the consent, because another client may have it.
func (s *Server) refresh(ctx context.Context, tx *store.Tx, b banks.Bank, c Client, form url.Values) (granted, *oauthError, error) {
	var g granted
	now, value := s.config.Now(), form.Get("refresh_token")
	t, err := tokenOf(ctx, tx, value)
	if errors.Is(err, store.ErrNotFound) ||
		err == nil && (t.kind != refreshToken || t.clientID != c.ID || t.institution != b.ID || !t.live(now)) {
		return g, errGrant, nil
	}
	if err != nil {
		return g, nil, err
	}
	if s.config.Faults(t.institution, t.username) == FaultExpired {
		return g, errGrant, nil
	}
	allowed, scope := strings.Fields(t.scope), t.scope
	if form.Has("scope") {
		narrower := strings.Fields(form.Get("scope"))
		for _, wanted := range narrower {
			if !slices.Contains(allowed, wanted) {
				return g, invalid("invalid_scope", ""), nil
			}
		}
		if len(narrower) > 0 {
			scope = strings.Join(narrower, " ")
		}
	}
	fresh, err := useRefreshToken(ctx, tx, value, now)
	if err != nil {
		return g, nil, err
	}
	if !fresh {
		return g, errGrant, revokeConsent(ctx, tx, t.id, now)
	}
	g, err = s.issue(ctx, tx, t.consent, scope, true)
	return g, nil, err
}

// issue issues tokens, which end with the consent. The scope of a refresh token stays
// that of the consent.
func (s *Server) issue(ctx context.Context, tx *store.Tx, c consent, scope string, refresh bool) (granted, error) {
	now := s.config.Now()
	g := granted{consent: c, access: store.NewSecret(), scope: scope, life: min(AccessLifetime, c.expires.Sub(now))}
	if err := insertToken(ctx, tx, g.access, c.id, accessToken, scope, now.Add(g.life)); err != nil || !refresh {
		return g, err
	}
	g.refresh = store.NewSecret()
	return g, insertToken(ctx, tx, g.refresh, c.id, refreshToken, c.parameters.Scope, c.expires)
}

func (s *Server) idToken(b banks.Bank, c Client, g granted) (string, error) {
	now := s.config.Now()
	sum := sha256.Sum256([]byte(g.access))
	claims := jose.Claims{"iss": s.issuer(b), "sub": subject(g.consent), "aud": c.ID, "auth_time": g.consent.created.Unix(),
		"at_hash": base64.RawURLEncoding.EncodeToString(sum[:16]), "fdxConsentId": g.consent.id}
	if g.consent.parameters.Nonce != "" {
		claims["nonce"] = g.consent.parameters.Nonce
	}
	return jose.Signer{Key: s.key, Type: "JWT"}.Sign(now, now.Add(idTokenLifetime), claims)
}

// subject returns the id of a user for one client at one institution.
func subject(c consent) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("fdx/"+c.institution+"/"+c.username+"/"+c.clientID)).String()
}

// revoke is the revocation endpoint (RFC 7009). A refresh token ends the consent, an
// access token itself alone.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request, b banks.Bank, form url.Values, c Client) error {
	if form.Get("token") == "" {
		return invalid("invalid_request", "token is missing")
	}
	var refused *oauthError
	err := s.config.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		refused = nil
		t, err := tokenOf(ctx, tx, form.Get("token"))
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil // as good as revoked
		case err != nil:
			return err
		case t.clientID != c.ID || t.institution != b.ID:
			refused = errGrant
			return nil
		case t.kind == refreshToken:
			return revokeConsent(ctx, tx, t.id, s.config.Now())
		}
		return deleteToken(ctx, tx, form.Get("token"))
	})
	if err != nil {
		return err
	}
	if refused != nil {
		return refused
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	return nil
}
