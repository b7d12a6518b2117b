package fdxbank

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/sandbox/banks"
	"vestibule/internal/store"
)

// Sizes of pages: without a limit, and at most.
const (
	accountPage        = 2
	transactionPage    = 100
	maxTransactionPage = 500
)

// access is an authorized request for resources.
type access struct {
	bank     banks.Bank
	token    token
	v5       bool
	fault    Fault
	accounts []bankdata.Account // those that the consumer chose
	data     bankdata.Data
}

// apiError is an error answer of the resources.
type apiError struct {
	status        int
	code, message string
	scope         string // of 403: the scope that is missing
}

func (e *apiError) Error() string { return e.code + " " + e.message }

var (
	errNoAccess  = &apiError{status: http.StatusUnauthorized, code: "603", message: "Authentication failed"}
	errConsent   = &apiError{status: http.StatusUnauthorized, code: "602", message: "Customer not authorized"}
	errStepUp    = &apiError{status: http.StatusUnauthorized, code: "602", message: "Customer not authorized: sign in with a second factor"}
	errNoAccount = &apiError{status: http.StatusNotFound, code: "701", message: "Account not found"}
	errInput     = &apiError{status: http.StatusBadRequest, code: "703", message: "Invalid input"}
	errFailed    = &apiError{status: http.StatusInternalServerError, code: "500", message: "Internal server error"}
	errDown      = &apiError{status: http.StatusServiceUnavailable, code: "501", message: "Subsystem unavailable"}
	errBusy      = &apiError{status: http.StatusTooManyRequests, code: "1207", message: "Too many requests"}
)

// resource adapts a handler of resources, which needs one of the scopes.
func (s *Server) resource(h func(w http.ResponseWriter, r *http.Request, a access) (any, error), scopes ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("x-fapi-interaction-id", interaction(r))
		v, err := func() (any, error) {
			a, err := s.authorized(r, scopes)
			if err != nil {
				return nil, err
			}
			if done, err := s.injectFault(w, r, a); done || err != nil {
				return nil, err
			}
			return h(w, r, a)
		}()
		var e *apiError
		switch {
		case err == nil && v != nil:
			s.answer(w, r, http.StatusOK, v)
		case err == nil:
		case errors.As(err, &e):
			switch {
			case e.status == http.StatusUnauthorized && r.Header.Get("Authorization") == "": // RFC 6750, section 3.1
				w.Header().Set("WWW-Authenticate", "Bearer")
			case e == errStepUp:
				w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_user_authentication", max_age="0"`)
			case e.status == http.StatusUnauthorized:
				w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
			case e.scope != "":
				w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+e.scope+`"`)
			case e == errBusy:
				httpx.RetryAfter(w, time.Second)
			}
			s.answer(w, r, e.status, map[string]string{"code": e.code, "message": e.message})
		default:
			s.config.Log.ErrorContext(r.Context(), "resource failed", "requestId", httpx.RequestID(r.Context()), "err", err.Error())
			s.answer(w, r, http.StatusInternalServerError, map[string]string{"code": errFailed.code, "message": errFailed.message})
		}
	})
}

// interaction returns the request's x-fapi-interaction-id, or a new one.
func interaction(r *http.Request) string {
	if id, err := uuid.Parse(r.Header.Get("x-fapi-interaction-id")); err == nil {
		return id.String()
	}
	return uuid.NewString()
}

// authorized checks the access token of a request (RFC 6750, in the header alone).
func (s *Server) authorized(r *http.Request, scopes []string) (access, error) {
	b, ok := s.bank(r)
	version := r.PathValue("version")
	if !ok || version != "v5" && version != "v6" {
		return access{}, &apiError{status: http.StatusNotFound, code: "601", message: "Data not found"}
	}
	a := access{bank: b, v5: version == "v5"}
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || value == "" {
		return a, errNoAccess
	}
	t, err := tokenOf(r.Context(), s.config.DB.SQL, value)
	now := s.config.Now()
	switch {
	case errors.Is(err, store.ErrNotFound):
		return a, errNoAccess
	case err != nil:
		return a, err
	case t.kind != accessToken || t.institution != b.ID:
		return a, errNoAccess
	case !t.live(now):
		return a, errConsent
	case !now.Before(t.expires):
		return a, errNoAccess
	}
	granted := strings.Fields(t.scope)
	if !slices.ContainsFunc(scopes, func(s string) bool { return slices.Contains(granted, s) }) {
		return a, &apiError{status: http.StatusForbidden, code: "602", message: "Customer not authorized", scope: scopes[0]}
	}
	a.token, a.fault = t, s.config.Faults(b.ID, t.username)
	a.data = s.data(b.ID, t.username, t.clientID)
	a.accounts = a.data.Only(t.accounts).Connections[0].Accounts
	return a, nil
}

// injectFault does what the fault wants of every resource. It reports whether it has
// answered.
func (s *Server) injectFault(w http.ResponseWriter, r *http.Request, a access) (bool, error) {
	second := func() bool { return s.counts.Next(a.token.consent.id+r.URL.Path)%2 == 1 }
	switch a.fault {
	case FaultSlow:
		s.config.Wait(r.Context(), faultWait)
	case FaultError:
		return true, errFailed
	case FaultDown:
		return true, errDown
	case FaultFlaky:
		if second() {
			return true, errDown
		}
	case FaultBusy:
		if second() {
			return true, errBusy
		}
	case FaultExpired:
		return true, errConsent
	case FaultMFA:
		return true, errStepUp
	case FaultRedirect:
		w.Header().Set("Location", elsewhere+r.URL.Path)
		w.WriteHeader(http.StatusFound)
		return true, nil
	case FaultMalformed:
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"accounts": [{"accountId": `) // on error the client is gone
		return true, nil
	}
	return false, nil
}
