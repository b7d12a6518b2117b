package staff

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
)

// pendingLife is the maximum time from the start of a sign-in to its callback.
const pendingLife = 10 * time.Minute

// pendingSignIn is an OpenID Connect sign-in in progress. The browser keeps it in an
// encrypted cookie, so that starting one stores nothing; its state is stored when it is
// used.
type pendingSignIn struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Next     string `json:"p,omitempty"`
	Until    int64  `json:"u"` // Unix time in microseconds
}

func (s *Service) pendingCookie() sealedCookie {
	return sealedCookie{name: httpx.HostCookie("vestibule-sign-in", s.secure()), row: "cookie", life: pendingLife,
		sameSite: http.SameSiteLaxMode}
}

// pending returns the browser's sign-in in progress, if any.
func (s *Service) pending(r *http.Request) (p pendingSignIn, ok bool) {
	ok = s.openCookie(r, s.pendingCookie(), &p)
	return p, ok && p.Until > store.Micros(s.Clock())
}

// OtherAccount is the parameter with which StartOIDC asks the issuer to let the user choose
// an account (OpenID Connect Core, section 3.1.2.1). Without it, most issuers sign in the
// account that was just refused.
const OtherAccount = "choose"

// StartOIDC starts a sign-in at the issuer, or continues the browser's current one, so
// that two tabs share it. The callback is valid once, for ten minutes, in this browser.
func (s *Service) StartOIDC(w http.ResponseWriter, r *http.Request) error {
	prompt := ""
	if r.URL.Query().Has(OtherAccount) {
		prompt = "select_account"
	}
	return s.startOIDC(w, r, prompt)
}

func (s *Service) startOIDC(w http.ResponseWriter, r *http.Request, prompt string) error {
	if s.OIDC == nil {
		return httpx.NewError(contract.CodeNotFound, errors.New("no issuer is configured"))
	}
	if r.Method == http.MethodHead || r.Header.Get("Sec-Purpose") != "" {
		return httpx.NewError(contract.CodeMethodNotAllowed, errors.New("a prefetched sign-in"))
	}
	if wait := s.OIDCStarts.Take(r); wait > 0 {
		httpx.RetryAfter(w, wait)
		return s.showSignIn(w, r, http.StatusTooManyRequests, SignInPage{Problem: TooManyTries})
	}
	found, err := s.OIDC.discover()
	if err != nil {
		s.Log.WarnContext(r.Context(), "the issuer of sign-ins cannot be used", "err", err.Error(), "requestId", httpx.RequestID(r.Context()))
		return s.showSignIn(w, r, http.StatusBadGateway, SignInPage{Problem: IssuerFailed})
	}
	p, ok := s.pending(r)
	if !ok || time.Duration(p.Until-store.Micros(s.Clock()))*time.Microsecond < pendingLife/2 {
		p = pendingSignIn{State: store.NewSecret(), Nonce: store.NewSecret(), Verifier: oauth2.GenerateVerifier(),
			Until: store.Micros(s.Clock().Add(pendingLife))}
	}
	p.Next = s.local(r.URL.Query().Get("next"))
	if err := s.setCookie(w, r, s.pendingCookie(), p); err != nil {
		return err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(p.Nonce), oauth2.S256ChallengeOption(p.Verifier)}
	if prompt != "" {
		options = append(options, oauth2.SetAuthURLParam("prompt", prompt))
	}
	return httpx.SeeOther(w, s.flow(found).AuthCodeURL(p.State, options...))
}

// FinishOIDC handles the issuer's callback.
func (s *Service) FinishOIDC(w http.ResponseWriter, r *http.Request) error {
	if s.OIDC == nil || r.Method == http.MethodHead {
		return httpx.NewError(contract.CodeNotFound, errors.New("no issuer is configured"))
	}
	ctx, cancel := context.WithTimeout(r.Context(), 15*time.Second)
	defer cancel()
	p, c, err := s.callback(ctx, w, r)
	var u User
	if err == nil {
		u, err = s.admit(ctx, c)
	}
	if err == nil {
		if err := s.startSession(w, r, byOIDC, c.refresh, func(context.Context, *store.Tx) (User, error) { return u, nil }); err != nil {
			return err
		}
		return httpx.SeeOther(w, cmp.Or(p.Next, s.Home))
	}
	var refused *callbackError
	var notAdmitted errNotAdmitted
	problem, status := IssuerFailed, http.StatusUnprocessableEntity
	if errors.As(err, &notAdmitted) || errors.As(err, &refused) && (refused.silent || refused.claims) {
		if err := s.endUnconfirmed(w, r); err != nil {
			return err
		}
	}
	switch {
	case errors.As(err, &notAdmitted):
		problem, status = NotAdmitted, http.StatusForbidden
	case !errors.As(err, &refused):
		return err
	case refused.claims:
		problem = ClaimsMissing
	case refused.silent:
		return s.showSignIn(w, r, http.StatusOK, SignInPage{Next: p.Next})
	}
	s.Log.WarnContext(ctx, "a sign-in by the issuer was refused", "err", err.Error(), "requestId", httpx.RequestID(ctx))
	if err := s.recordFailure(r.Context(), User{}, byOIDC); err != nil {
		return err
	}
	return s.showSignIn(w, r, status, SignInPage{Problem: problem, Next: p.Next})
}

// callbackError is the reason that a callback was refused. It does not quote library
// errors, which may contain a token.
type callbackError struct {
	reason string
	claims bool // a required claim is missing
	silent bool // the issuer needs a page, which the request did not allow (prompt=none)
}

func (e *callbackError) Error() string { return "staff: " + e.reason }

func refuse(reason string) error { return &callbackError{reason: reason} }

// callback uses up the state of a callback and returns the claims of the user.
func (s *Service) callback(ctx context.Context, w http.ResponseWriter, r *http.Request) (p pendingSignIn, c claims, err error) {
	q := r.URL.Query()
	p, ok := s.pending(r)
	if !ok || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(p.State)) != 1 {
		return p, c, refuse("a state that is unknown, over, or another browser's")
	}
	s.deleteCookie(w, s.pendingCookie())
	found, err := s.OIDC.discover()
	if err != nil {
		return p, c, refuse("the issuer cannot be used")
	}
	if iss := q["iss"]; len(iss) > 1 || len(iss) == 1 && iss[0] != s.OIDC.Issuer || len(iss) == 0 && found.sendsIss {
		return p, c, refuse("the answer is not the issuer's: its iss is missing or another one")
	}
	code := q.Get("code")
	if code == "" || len(code) > 4096 {
		refusal := authorizationError(q.Get("error"))
		return p, c, &callbackError{reason: "the issuer gave no code: " + refusal, silent: slices.Contains(silentErrors, refusal)}
	}
	used, err := store.Value(ctx, s.DB.Tx, func(ctx context.Context, tx *store.Tx) (bool, error) {
		return s.useState(ctx, tx, p)
	})
	if err != nil {
		return p, c, err
	}
	if !used {
		return p, c, refuse("a state that was used")
	}
	c, err = s.claims(ctx, found, p, code)
	return p, c, err
}

// authorizationErrors lists the error codes of an authorization response (RFC 6749,
// section 4.1.2.1; OpenID Connect Core, section 3.1.2.6).
var authorizationErrors = []string{
	"access_denied", "invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope", "server_error",
	"temporarily_unavailable", "interaction_required", "login_required", "account_selection_required", "consent_required",
	"invalid_request_uri", "invalid_request_object", "request_not_supported", "request_uri_not_supported",
	"registration_not_supported",
}

// silentErrors are those of a request that allowed the issuer no page.
var silentErrors = []string{"login_required", "interaction_required", "consent_required", "account_selection_required"}

func authorizationError(code string) string {
	if slices.Contains(authorizationErrors, code) {
		return code
	}
	return "no known error"
}
