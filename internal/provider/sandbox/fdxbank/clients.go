package fdxbank

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"vestibule/internal/jose"
	"vestibule/internal/provider/sandbox/banks"
	"vestibule/internal/store"
)

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// authenticate returns the client of a request to an OAuth endpoint. A request that uses
// two methods, or another one than the client's, is refused.
func (s *Server) authenticate(r *http.Request, b banks.Bank, form url.Values) (Client, error) {
	refused := func(reason string) (Client, error) {
		return Client{}, &oauthError{code: "invalid_client", status: http.StatusUnauthorized, why: errors.New(reason)}
	}
	id, secret, basic := r.BasicAuth()
	method, used := TLSClientAuth, 0
	switch {
	case r.Header.Get("Authorization") != "" && !basic:
		return refused("another scheme than Basic")
	case basic: // both are form-encoded (RFC 6749, section 2.3.1)
		var err, err2 error
		id, err = url.QueryUnescape(id)
		if secret, err2 = url.QueryUnescape(secret); err != nil || err2 != nil {
			return refused("credentials are not form-encoded")
		}
		method, used = SecretBasic, used+1
	}
	if form.Has("client_secret") {
		method, secret, used = SecretPost, form.Get("client_secret"), used+1
	}
	assertion := form.Get("client_assertion")
	if form.Has("client_assertion") || form.Has("client_assertion_type") {
		if form.Get("client_assertion_type") != assertionType {
			return refused("another type of assertion")
		}
		method, used = PrivateKeyJWT, used+1
		if !form.Has("client_id") {
			id = subjectOf(assertion)
		}
	}
	if used > 1 {
		return refused("two methods at once")
	}
	if form.Has("client_id") {
		if basic && form.Get("client_id") != id {
			return refused("two client ids")
		}
		id = form.Get("client_id")
	}
	c, known := s.clients[id]
	if !known || c.Method != method {
		return refused("unknown client, or another method than the client's")
	}
	switch method {
	case SecretBasic, SecretPost:
		if subtle.ConstantTimeCompare(store.Hash(secret), store.Hash(c.Secret)) != 1 {
			return refused("wrong secret")
		}
	case PrivateKeyJWT:
		if err := s.checkAssertion(r.Context(), b, c, r.URL.Path, assertion); err != nil {
			var e *oauthError
			if errors.As(err, &e) {
				return Client{}, err
			}
			return refused(err.Error())
		}
	case TLSClientAuth:
		if !certified(r, c.Certificate) {
			return refused("another certificate, or none")
		}
	}
	return c, nil
}

// subjectOf returns the subject of an assertion that is not verified yet, to find the
// client whose keys verify it.
func subjectOf(assertion string) string {
	_, rest, _ := strings.Cut(assertion, ".")
	payload, _, _ := strings.Cut(rest, ".")
	raw, err := base64.RawURLEncoding.DecodeString(payload)
	var claims struct{ Sub string }
	if err != nil || json.Unmarshal(raw, &claims) != nil {
		return ""
	}
	return claims.Sub
}

// checkAssertion verifies a client's assertion (RFC 7523, section 3), which serves once.
func (s *Server) checkAssertion(ctx context.Context, b banks.Bank, c Client, path, assertion string) error {
	v := jose.Verifier{Keys: c.Keys, Types: []string{"", "JWT", "client-authentication+jwt"}, Algs: jose.Algs(), Now: s.config.Now}
	t, err := v.Verify(ctx, assertion)
	if err != nil {
		return err
	}
	issuer, _, err := t.Text("iss")
	if err != nil {
		return err
	}
	subject, _, err := t.Text("sub")
	if err != nil {
		return err
	}
	id, _, err := t.Text("jti")
	if err != nil {
		return err
	}
	at := s.issuer(b)
	if issuer != c.ID || subject != c.ID || id == "" ||
		!t.For(at, false) && !t.For(at+"/token", false) && !t.For(s.config.BaseURL+path, false) {
		return errors.New("the assertion is another client's, or for another audience, or has no jti")
	}
	fresh, err := store.Value(ctx, s.config.DB.Tx, func(ctx context.Context, tx *store.Tx) (bool, error) {
		return useAssertion(ctx, tx, c.ID+"\n"+id, t.Expires.Add(jose.Skew))
	})
	if err != nil {
		return &oauthError{code: "server_error", status: http.StatusInternalServerError, why: err}
	}
	if !fresh {
		return errors.New("the assertion was used before")
	}
	return nil
}

// certified reports whether the client has a certificate: by its thumbprint, or by the
// subject of one that a certificate authority of the listener has signed (RFC 8705).
func certified(r *http.Request, want string) bool {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return false
	}
	leaf := r.TLS.PeerCertificates[0]
	if strings.EqualFold(fmt.Sprintf("%x", sha256.Sum256(leaf.Raw)), want) {
		return true
	}
	return len(r.TLS.VerifiedChains) > 0 && leaf.Subject.String() == want
}
