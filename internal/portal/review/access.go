package review

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/staff"
)

// Roles of users.
const (
	Reviewer      staff.Role = "reviewer"      // sees and decides
	Administrator staff.Role = "administrator" // a reviewer who also manages users, retention and deletion
	Auditor       staff.Role = "auditor"       // reads everything, including the audit log; changes nothing
)

var (
	// Roles lists all roles, in the order of the form.
	Roles = []staff.Role{Reviewer, Administrator, Auditor}

	// RolesByPrivilege lists all roles, the most privileged first.
	RolesByPrivilege = []staff.Role{Administrator, Reviewer, Auditor}
)

// roleSet is a set of roles: a column of the route table.
type roleSet []staff.Role

var (
	allRoles       = roleSet(Roles)
	deciders       = roleSet{Reviewer, Administrator}
	overseers      = roleSet{Administrator, Auditor}
	administrators = roleSet{Administrator}
)

func (s roleSet) has(u staff.User) bool { return slices.Contains(s, u.Role) }

// userHandler handles a request of a signed-in user.
type userHandler func(w http.ResponseWriter, r *http.Request, by staff.User) error

// applicationHandler handles a request of a signed-in user about an application.
type applicationHandler func(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error

type userKey struct{}

// requireRole admits users with the given roles, refuses other users, and redirects visitors
// to sign in and back.
func (d *Handler) requireRole(roles roleSet, next userHandler) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		by, _, err := d.Staff.Current(r.Context(), d.DB.SQL, r)
		if err != nil {
			return err
		}
		if by.ID == "" {
			return d.redirectToSignIn(w, r)
		}
		r = r.WithContext(context.WithValue(r.Context(), userKey{}, by))
		if !roles.has(by) {
			return d.showMessage(w, r, http.StatusForbidden)
		}
		if err := next(w, r, by); err != nil {
			return d.showError(w, r, err)
		}
		return nil
	}
}

// showError shows an error to a user. The portal's own error pages are for applicants.
func (d *Handler) showError(w http.ResponseWriter, r *http.Request, err error) error {
	e := httpx.AsError(err)
	httpx.LogError(r, d.Log, e)
	httpx.RetryAfter(w, e.RetryAfter)
	return d.showMessage(w, r, e.HTTPStatus())
}

// ShowStatus shows a status of an address that no handler serves. Only users learn which addresses those are.
func (d *Handler) ShowStatus(w http.ResponseWriter, r *http.Request, status int) {
	show := func(w http.ResponseWriter, r *http.Request) error { return d.showMessage(w, r, status) }
	if status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
		show = d.requireRole(allRoles, ofUser(show))
	}
	if err := show(w, r); err != nil {
		httpx.WriteError(w, r, d.Log, err)
	}
}

// redirectToSignIn redirects to the sign-in page and from there back to the requested page.
// For a POST after the session ended, the sign-in page says so and leads back to the
// form's page, where the browser still has the entered text.
func (d *Handler) redirectToSignIn(w http.ResponseWriter, r *http.Request) error {
	next, post := r.URL.RequestURI(), r.Method == http.MethodPost
	if post {
		next = d.formPage(r)
	}
	if r.URL.Path == home {
		next = ""
	}
	return d.Staff.ToSignIn(w, next, post)
}

// formPage returns the address of the page with the form of a POST: its own if that
// answers GET, otherwise the first page of its section.
func (d *Handler) formPage(r *http.Request) string {
	get := "GET " + strings.TrimPrefix(r.Pattern, "POST ")
	if slices.ContainsFunc(d.table(), func(page route) bool { return page.pattern == get }) {
		return r.URL.Path
	}
	section, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, home+"/"), "/")
	if !slices.ContainsFunc(d.table(), func(page route) bool { return page.pattern == "GET "+home+"/"+section }) {
		return home // the forms of the list
	}
	return home + "/" + section
}
