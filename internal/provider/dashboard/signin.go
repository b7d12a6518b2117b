package dashboard

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/customers"
	"vestibule/internal/session"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// home is the path of the first page.
const home = "/dashboard"

// user is the signed-in user with the account.
type user struct {
	staff.User
	account customers.Account // none for an operator
	session session.Session
	pages   *Pages // to which the user signed in

	// what the account may do: assign configurations to children, have child accounts, have
	// prepared reports, and correct reports and answer disputes
	configurer, hierarchy, prepares, corrects bool
	dense                                     bool // the user wants low rows
}

// Roles of an account's users. Owners may do everything.
const (
	Owner  staff.Role = ""
	Member staff.Role = "member"
)

// memberRequests are the requests of members, below the first page: they read reports and what belongs to
// them, correct, dispute and share them, and change their own password. All others are for owners.
var memberRequests = regexp.MustCompile(`^((GET|POST) (|/(reports|disputes|relay-tokens|outbox)(/.*)?|/density|/second-factor)|` +
	`GET /(deliveries(/.*)?|people)|POST /(deliveries/find|people/password))$`)

var errOwnersOnly = errors.New("only owners of the account may do it")

// RoleName returns the code of a role in the audit trail and in texts.
func RoleName(r staff.Role) string { return cmp.Or(string(r), "owner") }

// complete adds the account of a signed-in user. A suspended account has no pages.
func (s *Service) complete(ctx context.Context, q store.Queryer, u *user) (err error) {
	if u.account, err = s.Customers.ByID(ctx, q, u.Account); err != nil {
		return err
	}
	suspended, err := s.Customers.Suspended(ctx, q, u.Account)
	if err == nil && suspended {
		err = &httpx.Error{Code: contract.CodeForbidden, Status: http.StatusLocked, Why: errors.New("the account is suspended")}
	}
	if err != nil {
		return err
	}
	for feature, may := range map[customers.Entitlement]*bool{customers.Configurations: &u.configurer, customers.Hierarchy: &u.hierarchy,
		customers.PreparedReports: &u.prepares, customers.Corrections: &u.corrects} {
		if *may, err = s.Customers.Entitled(ctx, q, u.Account, feature); err != nil {
			return err
		}
	}
	return nil
}

// current returns the user of the request's session, or the zero user without one.
func (s *Pages) current(ctx context.Context, q store.Queryer, r *http.Request) (user, error) {
	found, current, err := s.Staff.Current(ctx, q, r)
	if err != nil || found.ID == "" {
		return user{}, err
	}
	if found.Role == Member && !memberRequests.MatchString(r.Method+" "+strings.TrimPrefix(r.URL.Path, s.Home)) {
		return user{}, httpx.NewError(contract.CodeForbidden, errOwnersOnly)
	}
	u := user{User: found, session: current, pages: s, configurer: s.Operators, prepares: s.Operators, corrects: s.Operators}
	if s.complete != nil {
		if err := s.complete(ctx, q, &u); err != nil {
			return user{}, err
		}
	}
	u.dense, err = console.IsDense(ctx, q, found.ID)
	return u, err
}

// redirectToSignIn redirects to the sign-in page, which leads back to the current page.
func (s *Pages) redirectToSignIn(w http.ResponseWriter, r *http.Request) error {
	next := r.URL.RequestURI()
	if r.Method != http.MethodGet || next == s.Home {
		next = ""
	}
	return s.Staff.ToSignIn(w, next, false)
}

// showStaff renders a page of package staff, with the menu if it is for a signed-in user.
func (s *Pages) showStaff(w http.ResponseWriter, r *http.Request, status int, v any) error {
	if _, own := v.(staff.FactorPage); own {
		by, err := s.current(r.Context(), s.DB.SQL, r)
		if err != nil {
			return err
		}
		return s.render(w, r, by, status, s.frameOf(r, by), func(_ context.Context, _ *http.Request, _ user,
			d providerui.Dashboard) (templ.Component, error) {
			return providerui.DashboardStaffPage(d, v), nil
		})
	}
	d := s.frame(r)
	d.Languages = s.language.Links(r, "next", "sent")
	return s.show(w, r, status, providerui.DashboardStaffPage(d, v))
}

// guarded returns h for requests that come from these pages.
func (s *Pages) guarded(h httpx.HandlerFunc) http.Handler {
	return s.adapt(func(w http.ResponseWriter, r *http.Request) error {
		if err := s.guard(r); err != nil {
			return err
		}
		return h(w, r)
	})
}
