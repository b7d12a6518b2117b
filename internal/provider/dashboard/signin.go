package dashboard

import (
	"context"
	"net/http"

	"github.com/a-h/templ"

	"vestibule/internal/console"
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
	account customers.Account
	session session.Session

	configurer, hierarchy bool // the account may assign configurations, and have child accounts
	corrects              bool // the account may correct reports and answer disputes
	dense                 bool // the user wants low rows
}

// current returns the user of the request's session, or the zero user without one.
func (s *Service) current(ctx context.Context, q store.Queryer, r *http.Request) (user, error) {
	found, current, err := s.Staff.Current(ctx, q, r)
	if err != nil || found.ID == "" {
		return user{}, err
	}
	u := user{User: found, session: current}
	if u.account, err = s.Customers.ByID(ctx, q, found.Account); err != nil {
		return user{}, err
	}
	if u.configurer, err = s.Customers.Entitled(ctx, q, found.Account, customers.Configurations); err != nil {
		return user{}, err
	}
	if u.hierarchy, err = s.Customers.Entitled(ctx, q, found.Account, customers.Hierarchy); err != nil {
		return user{}, err
	}
	if u.corrects, err = s.Customers.Entitled(ctx, q, found.Account, customers.Corrections); err != nil {
		return user{}, err
	}
	u.dense, err = console.IsDense(ctx, q, found.ID)
	return u, err
}

// redirectToSignIn redirects to the sign-in page, which leads back to the current page.
func (s *Service) redirectToSignIn(w http.ResponseWriter, r *http.Request) error {
	next := r.URL.RequestURI()
	if r.Method != http.MethodGet || next == home {
		next = ""
	}
	s.Staff.ToSignIn(w, next, false)
	return nil
}

// showStaff renders a page of package staff, with the menu if it is for a signed-in user.
func (s *Service) showStaff(w http.ResponseWriter, r *http.Request, status int, v any) error {
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
func (s *Service) guarded(h httpx.HandlerFunc) http.Handler {
	return s.adapt(func(w http.ResponseWriter, r *http.Request) error {
		if err := s.guard(r); err != nil {
			return err
		}
		return h(w, r)
	})
}
