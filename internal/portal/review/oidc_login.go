package review

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
)

// arrival is a sign-in in progress. The browser keeps it in an encrypted cookie, so
// that starting one stores nothing; its state is stored when it is used.
type arrival struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Next     string `json:"p,omitempty"`
	Until    int64  `json:"u"` // Unix time in microseconds
}

func (d *Handler) arrivalCookie() string {
	return httpx.HostCookie("vestibule-sign-in", strings.HasPrefix(d.URL, "https://"))
}

// arrivalCell is the context that the cookie's encryption is bound to.
var arrivalCell = store.Cell{Table: "review_arrivals", Column: "cookie", Row: "cookie"}

// pending returns the browser's sign-in in progress, if any.
func (d *Handler) pending(r *http.Request) (a arrival, ok bool) {
	sent := r.CookiesNamed(d.arrivalCookie())
	if len(sent) != 1 || len(sent[0].Value) > 4096 {
		return a, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sent[0].Value)
	if err != nil {
		return a, false
	}
	plain, err := d.DB.Vault.Open(r.Context(), d.DB.SQL, store.SystemKey, arrivalCell, raw)
	if err != nil || json.Unmarshal(plain, &a) != nil {
		return arrival{}, false
	}
	return a, a.Until > store.Micros(d.Now())
}

// keep sets the cookie to a, or deletes it if a is nil.
func (d *Handler) keep(w http.ResponseWriter, r *http.Request, a *arrival) error {
	c := &http.Cookie{Name: d.arrivalCookie(), Path: "/", MaxAge: -1, Secure: strings.HasPrefix(d.URL, "https://"), HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if a != nil {
		plain, err := json.Marshal(a)
		if err != nil {
			return err
		}
		sealed, err := d.DB.Vault.Seal(r.Context(), d.DB.SQL, store.SystemKey, arrivalCell, plain)
		if err != nil {
			return err
		}
		c.Value, c.MaxAge = base64.RawURLEncoding.EncodeToString(sealed), int(arrivalLife/time.Second)
	}
	http.SetCookie(w, c)
	return nil
}

// leave starts a sign-in at the issuer, or continues the browser's current one, so
// that two tabs share it. The callback is valid once, for ten minutes, in this
// browser.
func (d *Handler) leave(w http.ResponseWriter, r *http.Request) error {
	if d.OIDC == nil {
		return httpx.NewError(contract.CodeNotFound, errors.New("no issuer is configured"))
	}
	if r.Method == http.MethodHead || r.Header.Get("Sec-Purpose") != "" {
		return httpx.NewError(contract.CodeMethodNotAllowed, errors.New("a sign-in fetched ahead"))
	}
	if wait := d.Starts.Take(r); wait > 0 {
		httpx.RetryAfter(w, wait)
		return d.showSignIn(w, r, http.StatusTooManyRequests, pages.SignInView{Problem: pages.SignInTooOften})
	}
	p, err := d.OIDC.discover()
	if err != nil {
		d.Log.WarnContext(r.Context(), "the issuer of sign-ins cannot be used", "err", err.Error(), "requestId", httpx.RequestID(r.Context()))
		return d.showSignIn(w, r, http.StatusBadGateway, pages.SignInView{Problem: pages.SignInElsewhere})
	}
	a, ok := d.pending(r)
	if !ok || time.Duration(a.Until-store.Micros(d.Now()))*time.Microsecond < arrivalLife/2 {
		a = arrival{State: store.NewSecret(), Nonce: store.NewSecret(), Verifier: oauth2.GenerateVerifier(), Until: store.Micros(d.Now().Add(arrivalLife))}
	}
	if a.Next = r.URL.Query().Get("next"); !local(a.Next) {
		a.Next = ""
	}
	if err := d.keep(w, r, &a); err != nil {
		return err
	}
	httpx.SeeOther(w, d.flow(p).AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)))
	return nil
}

// arrive handles the issuer's callback.
func (d *Handler) arrive(w http.ResponseWriter, r *http.Request) error {
	if d.OIDC == nil || r.Method == http.MethodHead {
		return httpx.NewError(contract.CodeNotFound, errors.New("no issuer is configured"))
	}
	ctx, cancel := context.WithTimeout(r.Context(), 15*time.Second)
	defer cancel()
	a, who, err := d.arrived(ctx, w, r)
	if err == nil {
		var id string
		if id, err = d.place(ctx, who); err == nil {
			if err := d.startSession(w, r, id, elsewhere, func(context.Context, *store.Tx) error { return nil }); err != nil {
				return err
			}
			httpx.SeeOther(w, after(a.Next))
			return nil
		}
	}
	var refused *elsewhereError
	var noEntry errNoEntry
	problem, status := pages.SignInElsewhere, http.StatusUnprocessableEntity
	switch {
	case errors.As(err, &noEntry):
		problem, status = pages.SignInNoEntry, http.StatusForbidden
	case !errors.As(err, &refused):
		return err
	case refused.claims:
		problem = pages.SignInClaims
	}
	d.Log.WarnContext(ctx, "a sign-in by the issuer was refused", "err", err.Error(), "requestId", httpx.RequestID(ctx))
	if err := d.failed(r.Context(), "", elsewhere); err != nil {
		return err
	}
	return d.showSignIn(w, r, status, pages.SignInView{Problem: problem})
}

// elsewhereError says why a callback was refused. It does not quote library errors,
// which may contain a token.
type elsewhereError struct {
	why    string
	claims bool // a required claim is missing
}

func (e *elsewhereError) Error() string { return "review: " + e.why }

func refuse(why string) error { return &elsewhereError{why: why} }

// arrived uses up the state and returns the claims of the user.
func (d *Handler) arrived(ctx context.Context, w http.ResponseWriter, r *http.Request) (arrival, claims, error) {
	no := func(why string) (arrival, claims, error) { return arrival{}, claims{}, refuse(why) }
	q := r.URL.Query()
	a, ok := d.pending(r)
	if !ok || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(a.State)) != 1 {
		return no("a state that is unknown, over, or another browser's")
	}
	if err := d.keep(w, r, nil); err != nil {
		return a, claims{}, err
	}
	p, err := d.OIDC.discover()
	if err != nil {
		return no("the issuer cannot be used")
	}
	if named := q["iss"]; len(named) > 1 || len(named) == 1 && named[0] != d.OIDC.Issuer || len(named) == 0 && p.named {
		return no("the answer is not the issuer's: its iss is missing or another one")
	}
	code := q.Get("code")
	if code == "" || len(code) > 4096 {
		return no("the issuer gave no code: " + authorizationError(q.Get("error")))
	}
	used := false
	err = d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		used, err = useState(ctx, tx, a)
		return err
	})
	if err != nil {
		return a, claims{}, err
	}
	if !used {
		return no("a state that was used")
	}
	who, err := d.claims(ctx, p, a, code)
	return a, who, err
}

// authorizationErrors lists the error codes of an authorization response (RFC 6749,
// section 4.1.2.1; OpenID Connect Core, section 3.1.2.6).
var authorizationErrors = []string{"access_denied", "invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope", "server_error", "temporarily_unavailable",
	"interaction_required", "login_required", "account_selection_required", "consent_required", "invalid_request_uri", "invalid_request_object", "request_not_supported",
	"request_uri_not_supported", "registration_not_supported"}

func authorizationError(said string) string {
	for _, known := range authorizationErrors {
		if said == known {
			return known
		}
	}
	return "no known error"
}
