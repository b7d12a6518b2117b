package fdxbank

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vestibule/internal/httpx"
	"vestibule/internal/provider/sandbox/banks"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/store"
)

// oauthError is an error of an OAuth endpoint. why is for the log.
type oauthError struct {
	code, description string
	status            int
	why               error
}

func (e *oauthError) Error() string {
	if e.why != nil {
		return e.code + ": " + e.why.Error()
	}
	return e.code + ": " + e.description
}

func invalid(code, description string) *oauthError {
	return &oauthError{code: code, description: description, status: http.StatusBadRequest}
}

const (
	maxParameter = 2048
	requestURN   = "urn:ietf:params:oauth:request_uri:"
)

// oauth adapts an endpoint that clients call.
func (s *Server) oauth(h func(w http.ResponseWriter, r *http.Request, b banks.Bank, form url.Values, c Client) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := func() error {
			b, ok := s.bank(r)
			if !ok {
				return &oauthError{code: "invalid_request", description: "no such institution", status: http.StatusNotFound}
			}
			form, err := httpx.DecodeForm(w, r, signin.MaxForm)
			if err != nil {
				return invalid("invalid_request", "the body is not a form")
			}
			for name, values := range form {
				if len(values) > 1 && name != "resource" {
					return invalid("invalid_request", "a parameter is repeated")
				}
			}
			c, err := s.authenticate(r, b, form)
			if err != nil {
				return err
			}
			return h(w, r, b, form, c)
		}()
		if err == nil {
			return
		}
		var e *oauthError
		if !errors.As(err, &e) {
			e = &oauthError{code: "server_error", status: http.StatusInternalServerError, why: err}
		}
		s.config.Log.InfoContext(r.Context(), "request refused", "requestId", httpx.RequestID(r.Context()), "err", e.Error())
		if e.status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Basic realm="fdx"`)
		}
		body := map[string]string{"error": e.code}
		if e.description != "" {
			body["error_description"] = e.description
		}
		s.answer(w, r, e.status, body)
	})
}

// answer writes a JSON answer that must not be stored.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, status int, v any) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if err := httpx.JSON(w, status, v); err != nil {
		httpx.WriteError(w, r, s.config.Log, err)
	}
}

// push takes a pushed authorization request (RFC 9126).
func (s *Server) push(w http.ResponseWriter, r *http.Request, b banks.Bank, form url.Values, c Client) error {
	if form.Has("request_uri") {
		return invalid("invalid_request", "request_uri cannot be pushed")
	}
	if !slices.Contains(c.RedirectURIs, form.Get("redirect_uri")) {
		return invalid("invalid_request", "redirect_uri is not registered")
	}
	p, e := s.parse(b, form)
	if e != nil {
		return e
	}
	uri, now := store.NewSecret(), s.config.Now()
	err := s.config.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		return insertRequest(ctx, tx, uri, nil, request{institution: b.ID, clientID: c.ID, parameters: p, State: signin.State{Step: stepPushed}},
			now.Add(pushedLifetime))
	})
	if err != nil {
		return err
	}
	s.answer(w, r, http.StatusCreated, map[string]any{"request_uri": requestURN + uri, "expires_in": int(pushedLifetime.Seconds())})
	return nil
}

// parse validates the parameters of an authorization request, besides client and
// redirect URI.
func (s *Server) parse(b banks.Bank, q url.Values) (parameters, *oauthError) {
	p := parameters{RedirectURI: q.Get("redirect_uri"), State: q.Get("state"), Nonce: q.Get("nonce"), Challenge: q.Get("code_challenge"),
		Locales: strings.Fields(q.Get("ui_locales"))}
	for name, values := range q {
		if len(values) > 1 && name != "resource" {
			return p, invalid("invalid_request", "a parameter is repeated")
		}
		for _, v := range values {
			if len(v) > maxParameter {
				return p, invalid("invalid_request", "a parameter is too long")
			}
		}
	}
	challenge, err := base64.RawURLEncoding.Strict().DecodeString(p.Challenge)
	switch {
	case q.Has("request"):
		return p, invalid("request_not_supported", "")
	case q.Has("registration"):
		return p, invalid("registration_not_supported", "")
	case !q.Has("response_type"):
		return p, invalid("invalid_request", "response_type is missing")
	case q.Get("response_type") != "code":
		return p, invalid("unsupported_response_type", "")
	case q.Has("response_mode") && q.Get("response_mode") != "query":
		return p, invalid("invalid_request", "only the response_mode query is supported")
	case q.Get("code_challenge_method") != "S256" || err != nil || len(challenge) != 32 || len(p.Challenge) != 43:
		return p, invalid("invalid_request", "PKCE with S256 is required")
	case slices.Contains(strings.Fields(q.Get("prompt")), "none"):
		return p, invalid("login_required", "")
	}
	for _, resource := range q["resource"] {
		if !s.isResource(b, resource) {
			return p, invalid("invalid_target", "")
		}
	}
	scopes := strings.Fields(q.Get("scope"))
	if len(scopes) == 0 {
		scopes = dataScopes()
	}
	for _, scope := range scopes {
		if !slices.Contains(Scopes(), scope) {
			return p, invalid("invalid_scope", "")
		}
	}
	slices.Sort(scopes)
	p.Scope = strings.Join(slices.Compact(scopes), " ")
	return p, nil
}

// isResource reports whether a resource indicator (RFC 8707) is an institution's.
func (s *Server) isResource(b banks.Bank, resource string) bool {
	return slices.Contains([]string{s.issuer(b), BaseURL(s.config.BaseURL, b.ID, "5"), BaseURL(s.config.BaseURL, b.ID, "6")},
		strings.TrimSuffix(resource, "/"))
}

// authorize is the authorization endpoint. It binds the request to the browser and
// leads to the first page.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) error {
	b, ok := s.bank(r)
	if !ok {
		return store.ErrNotFound
	}
	q := r.URL.Query()
	if r.Method == http.MethodPost {
		form, err := httpx.DecodeForm(w, r, signin.MaxForm)
		if err != nil {
			return signin.ErrRequest
		}
		q = form
	}
	c, known := s.clients[q.Get("client_id")]
	if !known || len(q["client_id"]) > 1 {
		return signin.ErrRequest
	}
	now, page := s.config.Now(), store.NewSecret()
	browser := s.pages.Browser(w, r)
	if q.Has("request_uri") {
		uri, ours := strings.CutPrefix(q.Get("request_uri"), requestURN)
		opened, err := store.Value(r.Context(), s.config.DB.Tx, func(ctx context.Context, tx *store.Tx) (bool, error) {
			return openRequest(ctx, tx, uri, request{institution: b.ID, clientID: c.ID}, page, browser, now, now.Add(requestLifetime))
		})
		if err == nil && (!opened || !ours) {
			err = signin.ErrRequest
		}
		if err != nil {
			return err
		}
	} else {
		if len(q["redirect_uri"]) > 1 || !slices.Contains(c.RedirectURIs, q.Get("redirect_uri")) {
			return signin.ErrRequest
		}
		p, e := s.parse(b, q)
		if e != nil {
			return s.redirect(w, b, p, url.Values{"error": {e.code}, "error_description": {e.description}})
		}
		err := s.config.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
			begun := request{institution: b.ID, clientID: c.ID, parameters: p, State: signin.State{Step: signin.StepSignIn}}
			return insertRequest(ctx, tx, page, browser, begun, now.Add(requestLifetime))
		})
		if err != nil {
			return err
		}
	}
	return httpx.SeeOther(w, "/"+b.ID+"/authorize/"+page)
}

// redirect sends the browser back to the client with parameters, the state, and the
// issuer.
func (s *Server) redirect(w http.ResponseWriter, b banks.Bank, p parameters, answer url.Values) error {
	if answer.Get("error_description") == "" {
		answer.Del("error_description")
	}
	if p.State != "" && len(p.State) <= maxParameter {
		answer.Set("state", p.State)
	}
	answer.Set("iss", s.issuer(b))
	return signin.Redirect(w, p.RedirectURI, answer)
}
