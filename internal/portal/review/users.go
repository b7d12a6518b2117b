package review

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

func (d *Handler) users(w http.ResponseWriter, r *http.Request, by staff.User) error {
	return d.showUsers(w, r, http.StatusOK, by, pages.UsersView{Done: pages.UsersDone(r.URL.Query().Get("done"))})
}

func (d *Handler) showUsers(w http.ResponseWriter, r *http.Request, status int, by staff.User, v pages.UsersView) error {
	all, err := d.Staff.Users(r.Context(), d.DB.SQL, "")
	if err != nil {
		return err
	}
	v.Users, v.Local, v.Emails = all, !d.Staff.NoPasswords, d.Staff.Emails != nil
	users := func(p ui.Page) templ.Component { return pages.Users(p, v) }
	if status == http.StatusOK && r.Method == http.MethodGet {
		return d.showLive(w, r, users)
	}
	return d.show(w, r, status, users)
}

// addUser invites a user. Without a mail server, the response page shows the link to set a
// password; the link appears nowhere else.
func (d *Handler) addUser(w http.ResponseWriter, r *http.Request, by staff.User) error {
	form, err := httpx.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	u := staff.User{Email: mail.NormalizeAddress(form.Get("email")), Role: staff.Role(form.Get("role"))}
	if !slices.Contains(Roles, u.Role) {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such role"))
	}
	again := func(status int, problem i18n.Key) error {
		return d.showUsers(w, r, status, by, pages.UsersView{Email: u.Email, Role: string(u.Role), Problem: problem})
	}
	if !mail.IsAddress(u.Email) {
		return again(http.StatusUnprocessableEntity, "review.people.no_email")
	}
	var token string
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		if u.ID, token, err = d.Staff.Invite(ctx, tx, by, u, d.Page(r).Lang); err != nil {
			return err
		}
		return d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: staff.UserAdded, Object: u.ID, Detail: string(u.Role)})
	})
	if errors.Is(err, staff.ErrKnown) {
		return again(http.StatusConflict, "review.people.known")
	}
	if err != nil {
		return err
	}
	return d.showLink(w, r, by, pages.UsersAdded, token, u)
}

// showLink shows a user's link to set a password, or confirms what was done if an email has it.
func (d *Handler) showLink(w http.ResponseWriter, r *http.Request, by staff.User, done pages.UsersDone, token string, u staff.User) error {
	if token == "" {
		return httpx.SeeOther(w, "/review/people?done="+string(done))
	}
	return d.showUsers(w, r, http.StatusOK, by, pages.UsersView{Done: done, Link: d.Staff.LinkURL(token), LinkOf: u.Email})
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
		staff.Enable: pages.UsersEnabled, staff.NewLink: pages.UsersLinked, staff.Withdraw: pages.UsersWithdrawn,
		staff.NoFactor: pages.UsersFactor}[change]
	if done == "" || change == staff.ChangeRole && !slices.Contains(Roles, role) ||
		change == staff.NewLink && d.Staff.NoPasswords || id == by.ID {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such change of a user"))
	}
	u, token, err := d.Staff.Change(r.Context(), by, id, change, role, d.Page(r).Lang)
	if errors.Is(err, staff.ErrRevoked) {
		return d.redirectToSignIn(w, r)
	}
	if err != nil {
		return httpx.NotFoundIf(err, store.ErrNotFound)
	}
	return d.showLink(w, r, by, done, token, u)
}
