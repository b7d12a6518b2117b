package dashboard

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/mail"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// userList lists the users in the order of their addresses, or of the days when they were
// added.
func (s *Pages) userList(ctx context.Context, r *http.Request, by user, d providerui.Dashboard, text string) (templ.Component, error) {
	q := selectionParams(r, "sort")
	sort, err := sortOf(q, "-email", "newest", "oldest")
	if err != nil {
		return nil, err
	}
	all, err := s.Staff.Users(ctx, s.DB.SQL, by.Account)
	if err != nil {
		return nil, err
	}
	SortNamed(all, sort, func(u staff.User) (string, time.Time) { return u.Email, u.Created })
	v := providerui.DashboardPeople{List: listOf(s.Home+"/people", q), Searched: text}
	for _, u := range all {
		if Contains(text, u.Email) {
			v.Rows = append(v.Rows, u)
		}
	}
	return providerui.DashboardPeoplePage(d, v), nil
}

// setLanguage sets the language of an email.
func (s *Pages) setLanguage(_ context.Context, r *http.Request, _ user, in *input) error {
	in.lang = s.language.Of(r)
	return nil
}

// addUser invites a user. Without a mail server, the next page shows the link.
func (s *Pages) addUser(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	role, err := s.role(in)
	if err != nil {
		return done{}, err
	}
	return s.inviteTo(ctx, tx, by, in, by.Account, role)
}

func (s *Pages) inviteTo(ctx context.Context, tx *store.Tx, by user, in input, account string, role staff.Role) (done, error) {
	email := mail.NormalizeAddress(in.Get("email"))
	if !mail.IsAddress(email) {
		return done{}, fieldProblem("email", "dashboard.email.invalid")
	}
	id, token, err := s.Staff.Invite(ctx, tx, by.User, staff.User{Account: account, Email: email, Role: role}, in.lang)
	if errors.Is(err, staff.ErrKnown) {
		return done{}, fieldProblem("email", "dashboard.email.taken")
	}
	return s.invited(done{action: "person added", object: id, detail: string(role)}, token), err
}

// role reads the role in a form. Operators have none.
func (s *Pages) role(in input) (staff.Role, error) {
	r := staff.Role(in.Get("role"))
	if r != Owner && (r != Member || s.Operators) {
		return "", malformed("role")
	}
	return r, nil
}

// setRole makes another user an owner or a member, from the next request on.
func (s *Pages) setRole(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	role, err := s.role(in)
	switch {
	case err != nil:
		return done{}, err
	case in.id == by.ID: // so that an owner remains
		return done{}, malformed("oneself")
	}
	u, err := s.Staff.SetRole(ctx, tx, by.User, by.Account, in.id, role)
	if errors.Is(err, staff.ErrRevoked) || err == nil && u.Role == role {
		err = noChange{flashNoChange}
	}
	return done{action: "role changed", object: u.ID, flash: "role", values: staff.Changed(
		staff.Value{Setting: staff.SettingRole, Before: RoleName(u.Role), After: RoleName(role)})}, err
}

// inviteAgain sends another invitation in place of the earlier one.
func (s *Pages) inviteAgain(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	token, err := s.Staff.InviteAgain(ctx, tx, by.User, in.id, in.lang)
	return s.invited(done{action: staff.LinkIssued, object: in.id}, token), err
}

func (s *Pages) invited(d done, token string) done {
	d.flash, d.secret = "invited", s.Staff.LinkURL(token)
	if token != "" {
		d.flash = "invitation link"
	}
	return d
}

// removeFactor removes another user's second factor.
func (s *Pages) removeFactor(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	u, err := s.Staff.User(ctx, tx, in.id)
	if err == nil && (u.Account != by.Account || !u.HasFactor) {
		err = store.ErrNotFound
	}
	if err != nil {
		return done{}, err
	}
	if in.id == by.ID {
		return done{}, malformed("oneself")
	}
	return done{action: staff.FactorReset, object: in.id, flash: "factor"}, s.Staff.RemoveFactor(ctx, tx, in.id)
}

// removeUser ends a user's access immediately and deletes the email address.
func (s *Pages) removeUser(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	if in.id == by.ID {
		return done{}, malformed("oneself")
	}
	return done{action: actionUserRemoved, object: in.id, flash: "person gone"}, s.Staff.Remove(ctx, tx, by.Account, in.id)
}

// hashOwn checks the current password and hashes the new one.
func (s *Pages) hashOwn(ctx context.Context, _ *http.Request, by user, in *input) error {
	next := in.Get("next")
	if !staff.ValidPassword(next) {
		return fieldProblem("next", "dashboard.password.invalid")
	}
	right, old, err := s.Staff.CheckOwnPassword(ctx, by.User, by.session, in.Get("present"))
	if err != nil {
		return err
	}
	if !right {
		return fieldProblem("present", "dashboard.password.wrong")
	}
	in.old = old
	in.hash, err = s.Staff.HashPassword(ctx, next)
	return err
}

func (s *Pages) setPassword(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	err := unlessChanged(s.Staff.ReplacePassword(ctx, tx, by.session, in.old, in.hash))
	return done{action: "password changed", object: by.ID, flash: "password"}, err
}
