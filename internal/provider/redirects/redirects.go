// Package redirects implements secure redirect (docs/tutorials/redirect.md): a link that takes
// the applicant to a visit on the hosted page, and the redirect back to the customer
// with a signed result.
//
// It rejects redirect URLs that are not registered on the account, links that are
// unknown or older than 30 minutes and, for an account that requires the form, links
// opened by GET. Handles and tokens are stored as SHA-256 only. redirectArgs, which may
// be personal data, is encrypted. The links set no cookie.
package redirects

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/visits"
	"vestibule/internal/store"
)

// lifetime is how long a redirect can be opened, and how long after its visit's end
// the applicant can return again.
const lifetime = 30 * time.Minute

// Maximum sizes in bytes.
const (
	maxBody = 64 << 10
	maxForm = 4 << 10
	maxArgs = 4096 // of redirectArgs as JSON, because a token has a maximum size
)

// Service serves redirects. All fields must be set.
type Service struct {
	DB        *store.DB
	Log       *slog.Logger
	Now       func() time.Time // the provider's clock
	URL       string           // public base URL of the provider, without a trailing slash
	Auth      *auth.Authenticator
	Keys      *auth.Keys // for the signed results
	Customers *customers.Service
	Visits    *visits.Service
}

// Routes adds the endpoints of redirects to mux.
func (s *Service) Routes(mux *http.ServeMux) {
	mux.Handle("POST /secure-redirect", httpx.API(s.Log, s.Auth.Basic(s.Customers.Requires(customers.SecureRedirect, s.create))))
	mux.Handle("GET /redirect/{handle}", s.Visits.LinkPage(s.open, errorText))
	mux.Handle("POST /redirect/{handle}", s.Visits.LinkPage(s.openByForm, errorText))
}

// create creates a visit with a redirect and responds with {redirectUrl, redirectToken,
// exp}.
func (s *Service) create(w http.ResponseWriter, r *http.Request) error {
	var members map[string]json.RawMessage
	if err := httpx.DecodeJSON(w, r, maxBody, &members); err != nil {
		return err
	}
	requested, args, err := splitMembers(members)
	if err != nil {
		return err
	}
	if _, given := members["token"]; !given {
		if err := auth.AddProductID(r, members); err != nil {
			return err
		}
	}
	caller := auth.CallerOf(r.Context())
	handle, token := store.NewSecret(), store.NewSecret()
	row := redirect{id: uuid.NewString(), customerID: caller.CustomerID}
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		row.created, row.expires = tx.Now, tx.Now.Add(lifetime)
		account, urls, err := s.account(ctx, tx, caller.CustomerID)
		if err != nil {
			return err
		}
		if row.completeURL, err = chooseCompleteURL(requested, urls); err != nil {
			return err
		}
		row.formOnly = account.RequireForm
		if row.visitID, _, err = s.Visits.Begin(ctx, tx, caller, members, visitHandle(row, handle, token),
			"completeUrl", "redirectArgs", "token"); err != nil {
			return err
		}
		if row.args, err = s.DB.Vault.Seal(ctx, tx, store.SystemKey, argsCell(row.id), []byte(args)); err != nil {
			return err
		}
		return insert(ctx, tx, row, handle, token)
	})
	if err != nil {
		return err
	}
	return httpx.PrivateJSON(w, http.StatusOK, struct {
		RedirectURL   string `json:"redirectUrl"`
		RedirectToken string `json:"redirectToken"`
		Exp           int64  `json:"exp"` // unix seconds
	}{s.URL + "/redirect/" + handle, token, row.expires.Unix()})
}

// splitMembers removes completeUrl and redirectArgs from a body and returns them.
func splitMembers(members map[string]json.RawMessage) (completeURL, args string, err error) {
	var d []httpx.Detail
	for name, into := range map[string]*string{"completeUrl": &completeURL, "redirectArgs": &args} {
		if raw, given := members[name]; given && json.Unmarshal(raw, into) != nil {
			d = append(d, httpx.Detail{Field: name, Message: "must be a string"})
		}
		delete(members, name)
	}
	claim, _ := json.Marshal(args) // a string always encodes
	if utf8.RuneCountInString(args) > contract.MaxRedirectArgs || len(claim) > maxArgs {
		d = append(d, httpx.Detail{Field: "redirectArgs", Message: "must be at most 1024 characters, and 4096 bytes as JSON"})
	}
	if len(d) > 0 {
		return "", "", httpx.NewError(contract.CodeMalformedBody, errors.New("a field is out of bounds"), d...)
	}
	return completeURL, args, nil
}

// chooseCompleteURL returns the requested redirect URL or, without one, the first
// registered URL. A URL that is not registered is INVALID_COMPLETE_URL.
func chooseCompleteURL(requested string, registered []string) (string, error) {
	invalid := httpx.NewError(contract.CodeInvalidCompleteURL, errors.New("the redirect URL is not registered"),
		httpx.Detail{Field: "completeUrl", Message: "must be within a redirect URL registered on the account: " +
			cmp.Or(strings.Join(registered, ", "), "none is registered yet")})
	if requested == "" {
		if len(registered) == 0 {
			return "", invalid
		}
		requested = registered[0]
	}
	if _, err := customers.MatchCompleteURL(requested, registered); err != nil {
		return "", invalid
	}
	return requested, nil
}

// visitHandle returns the handle of the visit's page. It is not stored, but derived from
// the handle of the link or, if the redirect requires the form, from the token.
func visitHandle(row redirect, handle, token string) string {
	from := "address\n" + handle
	if row.formOnly {
		from = "token\n" + token
	}
	sum := sha256.Sum256([]byte("vestibule visit by " + from))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

var errFormOnly = errors.New("redirects: this redirect requires a form with its token")

// open redirects a GET of redirectUrl to the visit.
func (s *Service) open(w http.ResponseWriter, r *http.Request) error {
	handle := r.PathValue("handle")
	row, err := s.openable(r.Context(), handle)
	if err != nil {
		return err
	}
	if row.formOnly {
		return httpx.NewError(contract.CodeForbidden, errFormOnly)
	}
	return visits.SeeVisit(w, r, visitHandle(row, handle, ""))
}

// openByForm redirects a form with the token to the visit.
func (s *Service) openByForm(w http.ResponseWriter, r *http.Request) error {
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	handle, token := r.PathValue("handle"), form.Get("token")
	row, err := s.openable(r.Context(), handle)
	if err != nil {
		return err
	}
	if len(form) != 1 || len(form["token"]) != 1 || subtle.ConstantTimeCompare(row.tokenHash, store.Hash(token)) != 1 {
		return store.ErrNotFound
	}
	return visits.SeeVisit(w, r, visitHandle(row, handle, token))
}

// openable returns a redirect that has not expired, or store.ErrNotFound.
func (s *Service) openable(ctx context.Context, handle string) (redirect, error) {
	row, err := byHandle(ctx, s.DB.SQL, handle)
	if err == nil && !s.Now().Before(row.expires) {
		err = store.ErrNotFound
	}
	return row, err
}

// Return creates a signed result for the outcome of a visit. ok is false if the visit has
// no redirect, ended over 30 minutes ago with an expired link, or has a redirect URL that
// is no longer registered.
func (s *Service) Return(ctx context.Context, q store.Queryer, e visits.Ending) (back visits.Return, ok bool, err error) {
	row, err := byVisit(ctx, q, e.VisitID)
	if err != nil {
		return visits.Return{}, false, store.OrNone(err)
	}
	if now := s.Now(); !e.At.IsZero() && now.After(row.expires) && now.After(e.At.Add(lifetime)) {
		return visits.Return{}, false, nil
	}
	account, urls, err := s.account(ctx, q, row.customerID)
	if err != nil {
		return visits.Return{}, false, err
	}
	to, err := customers.MatchCompleteURL(row.completeURL, urls)
	if err != nil {
		return visits.Return{}, false, nil
	}
	args, err := s.DB.Vault.Open(ctx, q, store.SystemKey, argsCell(row.id), row.args)
	if err != nil {
		return visits.Return{}, false, err
	}
	token, err := s.Keys.SignResult(ctx, q, s.claims(e, account.PublicID, string(args)))
	if err != nil {
		return visits.Return{}, false, err
	}
	return visits.Return{URL: to.WithToken(token), Post: account.ReturnMode == "post", Action: to.WithoutToken(), Token: token,
		Origin: to.Origin}, true, nil
}

// account returns an account and its redirect URLs.
func (s *Service) account(ctx context.Context, q store.Queryer, id string) (a customers.Account, urls []string, err error) {
	if a, err = s.Customers.ByID(ctx, q, id); err == nil {
		urls, err = s.Customers.CompleteURLs(ctx, q, a)
	}
	return a, urls, err
}

// claims returns the claims of the signed result (docs/tutorials/redirect.md). iss and
// aud prevent its use as the result of another service or for another customer.
func (s *Service) claims(e visits.Ending, publicID, args string) map[string]any {
	c := map[string]any{"iss": s.URL, "aud": publicID, "publicToken": e.PublicToken, "outcome": string(e.Outcome)}
	if e.Outcome == contract.OutcomeSuccess {
		c["status"] = string(e.Status)
	}
	if e.Outcome == contract.OutcomeError {
		c["error"] = string(e.Error)
	}
	if args != "" {
		c["redirectArgs"] = args
	}
	return c
}

// Origin returns the origin of a visit's redirect URL, or "" without a redirect.
func (s *Service) Origin(ctx context.Context, q store.Queryer, visitID string) (string, error) {
	row, err := byVisit(ctx, q, visitID)
	if err != nil {
		return "", store.OrNone(err)
	}
	to, err := customers.ParseCompleteURL(row.completeURL)
	return to.Origin, err
}

// Visit returns the id of the visit of a redirect token, or store.ErrNotFound.
func (s *Service) Visit(ctx context.Context, q store.Queryer, redirectToken string) (string, error) {
	row, err := byToken(ctx, q, redirectToken)
	if err == nil && !s.Now().Before(row.expires) {
		err = store.ErrNotFound
	}
	return row.visitID, err
}

// errorText returns the text of the page for a redirect that does not open.
func errorText(err error) (title, text i18n.Key) {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "visit.not_found.title", "redirect.expired"
	case errors.Is(err, errFormOnly):
		return "redirect.form_only.title", "redirect.form_only.text"
	}
	return "visit.failed_request.title", "redirect.failed_request"
}

// Redirect is a secure redirect as shown on the customer's dashboard.
type Redirect struct {
	Created  time.Time
	Expires  time.Time
	FormOnly bool
}

// OfVisit returns the redirect of a visit, or store.ErrNotFound.
func (s *Service) OfVisit(ctx context.Context, q store.Queryer, visitID string) (Redirect, error) {
	r, err := byVisit(ctx, q, visitID)
	return Redirect{Created: r.created, Expires: r.expires, FormOnly: r.formOnly}, err
}
