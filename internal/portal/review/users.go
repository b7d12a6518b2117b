package review

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/mail"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// users lists the users.
func (d *Handler) users(w http.ResponseWriter, r *http.Request, by staff.User) error {
	return d.showUsers(w, r, http.StatusOK, by, pages.UsersView{Done: pages.UsersDone(r.URL.Query().Get("done"))})
}

func (d *Handler) showUsers(w http.ResponseWriter, r *http.Request, status int, by staff.User, v pages.UsersView) error {
	all, err := d.Staff.Users(r.Context(), d.DB.SQL, "")
	if err != nil {
		return err
	}
	for _, u := range all {
		v.Users = append(v.Users, pages.User{ID: u.ID, Email: u.Email, Role: string(u.Role), SignedIn: u.SignedIn,
			Disabled: u.Disabled, Self: u.ID == by.ID, Password: u.HasPassword, OIDC: u.HasOIDC})
	}
	v.Local = !d.Staff.NoPasswords
	users := func(p ui.Page) templ.Component { return pages.Users(p, v) }
	if status == http.StatusOK && r.Method == http.MethodGet {
		return d.showLive(w, r, users)
	}
	return d.show(w, r, status, users)
}

// addUser adds a user. With local passwords, the response page shows the link to set
// one; the link appears nowhere else.
func (d *Handler) addUser(w http.ResponseWriter, r *http.Request, by staff.User) error {
	form, err := httpx.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	u := staff.User{Email: mail.NormalizeAddress(form.Get("email")), Role: staff.Role(form.Get("role"))}
	if !slices.Contains(Roles, u.Role) {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such role"))
	}
	again := func(status int, problem pages.UsersProblem) error {
		return d.showUsers(w, r, status, by, pages.UsersView{Email: u.Email, Role: string(u.Role), Problem: problem})
	}
	if !mail.IsAddress(u.Email) {
		return again(http.StatusUnprocessableEntity, pages.UsersNoEmail)
	}
	token, err := d.Staff.Invite(r.Context(), by, u)
	if errors.Is(err, staff.ErrKnown) {
		return again(http.StatusConflict, pages.UsersKnown)
	}
	if err != nil {
		return err
	}
	return d.showUsers(w, r, http.StatusOK, by, pages.UsersView{Done: pages.UsersAdded, Link: d.passwordLink(token), LinkOf: u.Email})
}

// passwordLink returns the address of a link to set a password, or "" without a token.
func (d *Handler) passwordLink(token string) string {
	if token == "" {
		return ""
	}
	return d.URL + "/review/set-password/" + token
}

// changeUser changes a user's role, issues a new link, or disables or enables the user.
// Users cannot change themselves, so that an administrator always remains.
func (d *Handler) changeUser(w http.ResponseWriter, r *http.Request, by staff.User) error {
	id := strings.ToLower(r.PathValue("id"))
	if !contract.IsUUID(id) {
		return httpx.NewError(contract.CodeNotFound, errors.New("not a user's id"))
	}
	form, err := httpx.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	change, role := staff.Change(form.Get("do")), staff.Role(form.Get("role"))
	done := map[staff.Change]pages.UsersDone{staff.ChangeRole: pages.UsersRole, staff.Disable: pages.UsersDisabled,
		staff.Enable: pages.UsersEnabled, staff.NewLink: pages.UsersLinked}[change]
	if done == "" || change == staff.ChangeRole && !slices.Contains(Roles, role) ||
		change == staff.NewLink && d.Staff.NoPasswords || id == by.ID {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such change of a user"))
	}
	u, token, err := d.Staff.Change(r.Context(), by, id, change, role)
	if errors.Is(err, staff.ErrRevoked) {
		d.redirectToSignIn(w, r)
		return nil
	}
	if errors.Is(err, store.ErrNotFound) {
		return httpx.NewError(contract.CodeNotFound, err)
	}
	if err != nil {
		return err
	}
	if token != "" {
		return d.showUsers(w, r, http.StatusOK, by, pages.UsersView{Done: done, Link: d.passwordLink(token), LinkOf: u.Email})
	}
	httpx.SeeOther(w, "/review/people?done="+string(done))
	return nil
}
