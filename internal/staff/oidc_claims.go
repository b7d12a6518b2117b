package staff

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"vestibule/internal/jose"
	"vestibule/internal/mail"
)

// claims holds the issuer's claims about a user.
type claims struct {
	subject, email string
	groups         []string // nil: no groups claim
	refresh        string   // refresh token; "" if the issuer gave none
}

// issuedSkew is how far the issuer's clock may be ahead.
const issuedSkew = 30 * time.Second

// members holds the members of an ID token or a UserInfo response.
type members map[string]json.RawMessage

func (m members) has(name string) bool {
	raw, ok := m[name]
	return ok && string(raw) != "null"
}

func (m members) text(name string) (text string) {
	_ = json.Unmarshal(m[name], &text) // a value of another type counts as missing
	return text
}

func (o *OIDC) groupsClaim() string {
	if o.GroupsClaim != "" {
		return o.GroupsClaim
	}
	return "groups"
}

func (o *OIDC) verifiedClaim() string {
	if o.VerifiedClaim != "" {
		return o.VerifiedClaim
	}
	return "email_verified"
}

// claims exchanges the code, verifies the ID token, and requests missing claims from
// UserInfo. By default an ID token needs to include only the subject.
func (s *Service) claims(ctx context.Context, found *issuer, p pendingSignIn, code string) (claims, error) {
	ctx = oidc.ClientContext(ctx, issuerClient)
	token, err := s.flow(found).Exchange(ctx, code, oauth2.VerifierOption(p.Verifier))
	if err != nil {
		return claims{}, refuse("the code was not exchanged: " + exchangeError(err))
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := found.verifier(oidc.Config{ClientID: s.OIDC.ClientID, Now: s.Clock}).Verify(ctx, raw)
	if err != nil {
		return claims{}, refuse("the ID token does not verify")
	}
	var all members
	if id.Claims(&all) != nil || id.Subject == "" {
		return claims{}, refuse("the ID token's claims cannot be read")
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(p.Nonce)) != 1:
		return claims{}, refuse("the ID token has another nonce")
	case all.has("azp") && all.text("azp") != s.OIDC.ClientID, !all.has("azp") && len(id.Audience) > 1:
		return claims{}, refuse("the ID token was issued to another client (azp)")
	case !all.has("iat") || id.IssuedAt.After(s.Clock().Add(issuedSkew)):
		return claims{}, refuse("the ID token is from the future, or does not say when it was issued (iat): compare the clocks")
	case id.AccessTokenHash != "" && !jose.FitsHash(raw, token.AccessToken, id.AccessTokenHash):
		return claims{}, refuse("the ID token is for another access token (at_hash)")
	case all.text("c_hash") != "" && !jose.FitsHash(raw, code, all.text("c_hash")):
		return claims{}, refuse("the ID token is for another code (c_hash)")
	}
	c, err := s.complete(ctx, found, token, id.Subject, all)
	c.refresh = token.RefreshToken
	return c, err
}

// complete requests claims that the ID token lacks from UserInfo, and reads all.
func (s *Service) complete(ctx context.Context, found *issuer, token *oauth2.Token, subject string, all members) (_ claims, err error) {
	var missing []string
	if verified := s.OIDC.verifiedClaim(); !all.has("email") || !all.has(verified) {
		missing = []string{"email", verified} // verified refers to the email in the same response
	}
	if len(s.OIDC.Roles) > 0 && !all.has(s.OIDC.groupsClaim()) {
		missing = append(missing, s.OIDC.groupsClaim())
	}
	asked := ""
	if len(missing) > 0 {
		if asked, err = found.userInfo(ctx, token, subject, all, missing); err != nil {
			return claims{}, err
		}
	}
	return s.OIDC.read(subject, all, asked)
}

// read reads a user's claims. asked describes, for errors, why UserInfo did not
// provide more.
func (o *OIDC) read(subject string, all members, asked string) (claims, error) {
	for _, name := range []string{"email", o.verifiedClaim()} {
		if !all.has(name) {
			return claims{}, &callbackError{reason: "the claim " + name + " is missing in the ID token" + asked, claims: true}
		}
	}
	// OpenID Connect defines a boolean; some issuers send a string or a number.
	if v := string(all[o.verifiedClaim()]); !slices.Contains([]string{"true", `"true"`, "1", `"1"`}, strings.ToLower(v)) {
		return claims{}, &callbackError{reason: "the claim " + o.verifiedClaim() +
			" does not say that the email address is verified", claims: true}
	}
	c := claims{subject: subject, email: mail.NormalizeAddress(all.text("email"))}
	if !mail.IsAddress(c.email) {
		return claims{}, &callbackError{reason: "the claim email is not an address", claims: true}
	}
	if name := o.groupsClaim(); all.has(name) {
		if c.groups = []string{}; json.Unmarshal(all[name], &c.groups) != nil {
			c.groups = []string{}
			if one := all.text(name); one != "" {
				c.groups = []string{one}
			}
		}
	}
	return c, nil
}

// userInfo adds the wanted claims that the ID token lacks to all. It returns the
// reason for claims still missing, for the log; an error means that the response must
// not be trusted.
func (p *issuer) userInfo(ctx context.Context, token *oauth2.Token, subject string, all members, wanted []string) (string, error) {
	if p.UserInfoEndpoint() == "" {
		return ", and the issuer has no UserInfo endpoint", nil
	}
	got, err := p.askUserInfo(ctx, token)
	if err != nil {
		return ", and UserInfo " + err.Error(), nil
	}
	if got.text("sub") != subject {
		return "", refuse("UserInfo is of another subject")
	}
	for _, name := range wanted {
		if got.has(name) {
			all[name] = got[name]
		}
	}
	return " and in UserInfo", nil
}

// askUserInfo requests the UserInfo endpoint (OpenID Connect Core, section 5.3),
// which answers JSON or a signed token. Errors do not quote the response.
func (p *issuer) askUserInfo(ctx context.Context, token *oauth2.Token) (members, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.UserInfoEndpoint(), nil)
	if err != nil {
		return nil, errors.New("has no address")
	}
	token.SetAuthHeader(r)
	r.Header.Set("Accept", "application/json, application/jwt")
	resp, err := issuerClient.Do(r)
	if err != nil {
		return nil, errors.New("does not answer")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("answers %d", resp.StatusCode)
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, errors.New("does not answer to its end")
	}
	var out members
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		if json.Unmarshal(raw, &out) != nil {
			return nil, errors.New("is not a JSON object")
		}
	case "application/jwt":
		text := strings.TrimSpace(string(raw))
		if strings.Count(text, ".") == 4 {
			return nil, errors.New("is encrypted, which is not supported")
		}
		// aud, iss and exp may be absent.
		id, err := p.verifier(oidc.Config{SkipClientIDCheck: true, SkipExpiryCheck: true, SkipIssuerCheck: true}).Verify(ctx, text)
		if err != nil || id.Claims(&out) != nil {
			return nil, errors.New("is signed, and the signature does not verify")
		}
		if out.has("iss") && id.Issuer != p.identifier {
			return nil, errors.New("is signed by another issuer")
		}
		if out.has("aud") && !slices.Contains(id.Audience, p.clientID) {
			return nil, errors.New("is signed for another client")
		}
	default:
		return nil, errors.New("is neither application/json nor application/jwt")
	}
	return out, nil
}

// exchangeError describes a token endpoint's error, if it is one of RFC 6749, section
// 5.2.
func exchangeError(err error) string {
	var answer *oauth2.RetrieveError
	if !errors.As(err, &answer) {
		return "the token endpoint does not answer as one"
	}
	for _, known := range []string{"invalid_request", "invalid_client", "invalid_grant",
		"unauthorized_client", "unsupported_grant_type", "invalid_scope"} {
		if answer.ErrorCode == known {
			return known
		}
	}
	return fmt.Sprintf("the token endpoint answers %d", answer.Response.StatusCode)
}
