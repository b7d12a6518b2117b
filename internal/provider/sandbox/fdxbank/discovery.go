package fdxbank

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/jose"
)

// discovery serves the metadata of an issuer (OpenID Connect Discovery; RFC 8414).
func (s *Server) discovery(w http.ResponseWriter, r *http.Request) {
	b, ok := s.bank(r)
	if !ok {
		s.pages.Missing(w, r, http.StatusNotFound)
		return
	}
	issuer := s.issuer(b)
	algs, ways := jose.Algs(), methods()
	if !strings.HasPrefix(issuer, "https:") {
		ways = slices.DeleteFunc(ways, func(m Method) bool { return m == TLSClientAuth })
	}
	s.publish(w, r, map[string]any{
		"issuer":                                issuer,
		"authorization_endpoint":                issuer + "/authorize",
		"token_endpoint":                        issuer + "/token",
		"revocation_endpoint":                   issuer + "/revoke",
		"pushed_authorization_request_endpoint": issuer + "/par",
		"jwks_uri":                              issuer + "/jwks",

		"scopes_supported":                               Scopes(),
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token"},
		"code_challenge_methods_supported":               []string{"S256"},
		"subject_types_supported":                        []string{"pairwise"},
		"id_token_signing_alg_values_supported":          []jose.Alg{jose.ES256},
		"claims_supported":                               strings.Fields("iss sub aud exp iat auth_time nonce at_hash fdxConsentId"),
		"ui_locales_supported":                           i18n.Languages(),
		"require_pushed_authorization_requests":          false,
		"claims_parameter_supported":                     false,
		"request_parameter_supported":                    false,
		"request_uri_parameter_supported":                false,
		"authorization_response_iss_parameter_supported": true,

		"token_endpoint_auth_methods_supported":                 ways,
		"token_endpoint_auth_signing_alg_values_supported":      algs,
		"revocation_endpoint_auth_methods_supported":            ways,
		"revocation_endpoint_auth_signing_alg_values_supported": algs,
	})
}

// jwks serves the key that signs ID tokens.
func (s *Server) jwks(w http.ResponseWriter, r *http.Request) {
	if _, ok := s.bank(r); !ok {
		s.pages.Missing(w, r, http.StatusNotFound)
		return
	}
	s.publish(w, r, jose.KeySet{s.key.Public()})
}

// publish writes a document that every site may read and keep for five minutes.
func (s *Server) publish(w http.ResponseWriter, r *http.Request, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		httpx.WriteError(w, r, s.config.Log, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("X-Content-Type-Options", "nosniff")
	w.Write(raw) // on error the client is gone
}
