package customers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/store"
)

// Entitlement is a feature that the provider enables for an account. A change applies
// from the next request on.
type Entitlement string

const (
	AccountNumbers     Entitlement = "account-numbers"      // ACH details, and numbers in the list of bank accounts
	PreparedReports    Entitlement = "prepared-reports"     // sandboxReportId
	Configurations     Entitlement = "configurations"       // /config/v1/…
	CredentialRotation Entitlement = "credential-rotation"  // POST /credentials/rotate
	RelayTokens        Entitlement = "relay-tokens"         // POST /connect/relay-tokens
	MultiProductTokens Entitlement = "multi-product-tokens" // POST /connect/multi-product-tokens
	Hierarchy          Entitlement = "hierarchy"            // /accounts and products of child accounts
	SecureRedirect     Entitlement = "secure-redirect"      // POST /secure-redirect
	Refresh            Entitlement = "refresh"              // POST /connect/refresh, and reports on a schedule
	Corrections        Entitlement = "corrections"          // disputes and corrections of reports on the dashboard
)

// Entitlements lists all entitlements in display order.
func Entitlements() []Entitlement {
	return []Entitlement{AccountNumbers, PreparedReports, Configurations, CredentialRotation,
		RelayTokens, MultiProductTokens, Hierarchy, SecureRedirect, Refresh, Corrections}
}

// ErrEntitlement is returned for an unknown entitlement.
var ErrEntitlement = errors.New("customers: unknown entitlement")

// Granted is an entitlement with its setting for an account.
type Granted struct {
	Entitlement Entitlement
	Enabled     bool
	Inherited   bool // from the parent account
}

// Granted lists the entitlements of an account. An unknown account is
// store.ErrNotFound.
func (s *Service) Granted(ctx context.Context, q store.Queryer, customerID string) ([]Granted, error) {
	a, err := account(ctx, q, `id = $1`, customerID)
	if err != nil {
		return nil, err
	}
	own, err := entitlementsOf(ctx, q, a.ID)
	if err != nil {
		return nil, err
	}
	parents, err := entitlementsOf(ctx, q, a.ParentID)
	var out []Granted
	for _, e := range Entitlements() {
		enabled, set := own[e]
		if !set {
			enabled = parents[e]
		}
		out = append(out, Granted{e, enabled, !set && a.ParentID != ""})
	}
	return out, err
}

// Enable enables or disables an entitlement of an account and reports whether that
// changed the setting. A child account then no longer follows its parent.
func (s *Service) Enable(ctx context.Context, tx *store.Tx, customerID string, e Entitlement, enabled bool) (changed bool, err error) {
	if !slices.Contains(Entitlements(), e) {
		return false, fmt.Errorf("%w %q", ErrEntitlement, e)
	}
	return setEntitlement(ctx, tx, customerID, e, enabled)
}

// Inherit removes the setting of a child account, which then follows its parent, and
// reports whether it had one.
func (s *Service) Inherit(ctx context.Context, tx *store.Tx, customerID string, e Entitlement) (changed bool, err error) {
	a, err := account(ctx, tx, `id = $1`, customerID)
	switch {
	case err != nil:
		return false, err
	case !slices.Contains(Entitlements(), e):
		return false, fmt.Errorf("%w %q", ErrEntitlement, e)
	case a.ParentID == "":
		return false, errors.New("only a child account can inherit features")
	}
	return clearEntitlement(ctx, tx, customerID, e)
}

// Requires calls next for callers with the entitlement, and returns FORBIDDEN for
// others. It needs the caller that auth.Authenticator sets.
func (s *Service) Requires(e Entitlement, next httpx.HandlerFunc) httpx.HandlerFunc {
	var checks store.Coalescer[string, bool] // by customer id
	return func(w http.ResponseWriter, r *http.Request) error {
		id := auth.CallerOf(r.Context()).CustomerID
		ok, err := checks.Do(r.Context(), id, func(ctx context.Context) (bool, error) { return s.Entitled(ctx, s.DB.SQL, id, e) })
		if err == nil && !ok {
			err = NotEnabled(e)
		}
		if err != nil {
			return err
		}
		return next(w, r)
	}
}

func (s *Service) require(ctx context.Context, q store.Queryer, customerID string, e Entitlement) error {
	ok, err := s.Entitled(ctx, q, customerID, e)
	if err == nil && !ok {
		err = NotEnabled(e)
	}
	return err
}

// NotEnabled returns the error for a caller without an entitlement.
func NotEnabled(e Entitlement) error {
	return &httpx.Error{Code: contract.CodeForbidden, Why: errors.New(string(e) + " is not enabled"),
		Message: "The provider has not enabled " + string(e) + " for this account."}
}
