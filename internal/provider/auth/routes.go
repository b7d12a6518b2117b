package auth

import (
	"fmt"
	"net/http"

	"vestibule/internal/httpx"
	"vestibule/internal/jose"
)

// Routes adds the endpoints for access tokens and the key set.
func (a *Authenticator) Routes(mux *http.ServeMux) {
	mux.Handle("GET /connect/accesstoken", httpx.API(a.Log, a.Basic(a.accessToken)))
	mux.Handle("GET /connect/jwkset", httpx.API(a.Log, a.keySet))
	mux.Handle("GET /jwkset", httpx.API(a.Log, a.keySet)) // the address that the contract names without its prefix
}

// accessToken issues an access token and responds with {accessToken, exp}. The token is
// the client's even if the request names a child account: each request with the token
// names the account again.
func (a *Authenticator) accessToken(w http.ResponseWriter, r *http.Request) error {
	client := ClientOf(r.Context())
	now := a.Now()
	exp := now.Truncate(1e9).Add(TokenLifetime)
	token, err := a.Keys.Sign(r.Context(), a.DB.SQL, AccessKeys, accessType, now, exp, jose.Claims{"sub": client.CredentialID})
	if err != nil {
		return err
	}
	return httpx.PrivateJSON(w, http.StatusOK, struct {
		AccessToken string `json:"accessToken"`
		Exp         int64  `json:"exp"`
	}{token, exp.Unix()})
}

// keySet publishes the keys that verify signed results. It needs no authorization and
// allows every origin.
func (a *Authenticator) keySet(w http.ResponseWriter, r *http.Request) error {
	set, err := a.Keys.Set(r.Context(), a.DB.SQL, ResultKeys)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(KeySetMaxAge.Seconds())))
	w.Header().Set("Access-Control-Allow-Origin", "*")
	return httpx.JSON(w, http.StatusOK, set)
}
