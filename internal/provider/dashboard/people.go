package dashboard

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/mail"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

func (s *Service) users(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	return s.userList(ctx, r, by, d, "")
}

// userList lists the users in the order of their addresses, or of the days when they were
// added.
func (s *Service) userList(ctx context.Context, r *http.Request, by user, d providerui.Dashboard, text string) (templ.Component, error) {
	q := selectionParams(r, "sort")
	sort, err := sortOf(q, "-email", "newest", "oldest")
	if err != nil {
		return nil, err
	}
	all, err := s.Staff.Users(ctx, s.DB.SQL, by.account.ID)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b staff.User) int {
		switch sort {
		case "newest":
			return b.Created.Compare(a.Created)
		case "oldest":
			return a.Created.Compare(b.Created)
		case "-email":
			return strings.Compare(b.Email, a.Email)
		}
		return strings.Compare(a.Email, b.Email)
	})
	v := providerui.DashboardPeople{List: listOf("/dashboard/people", q), Searched: text}
	for _, u := range all {
		if anyContains(text, u.Email) {
			v.Rows = append(v.Rows, providerui.DashboardPerson{ID: u.ID, Email: u.Email, Created: u.Created, SignedIn: u.SignedIn,
				Self: u.ID == by.ID})
		}
	}
	return providerui.DashboardPeoplePage(d, v), nil
}

// hashFirst generates and hashes a user's first password.
func (s *Service) hashFirst(ctx context.Context, _ *http.Request, _ user, in *input) (err error) {
	in.secret = strings.ToLower(rand.Text())
	in.hash, err = s.Staff.HashPassword(ctx, in.secret)
	return err
}

func (s *Service) addUser(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	email := mail.NormalizeAddress(in.Get("email"))
	if !mail.IsAddress(email) {
		return done{}, fieldProblem("email", "dashboard.email.invalid")
	}
	id, err := s.Staff.Insert(ctx, tx, staff.User{Account: by.account.ID, Email: email}, in.hash)
	if errors.Is(err, staff.ErrKnown) {
		return done{}, fieldProblem("email", "dashboard.email.taken")
	}
	return done{action: "person added", object: id, flash: "person", secret: in.secret}, err
}

// removeUser ends a user's access immediately and deletes the email address.
func (s *Service) removeUser(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	if !contract.IsUUID(in.id) {
		return done{}, unknown("person")
	}
	if in.id == by.ID {
		return done{}, malformed("oneself")
	}
	return done{action: actionUserRemoved, object: in.id, flash: "person gone"}, s.Staff.Remove(ctx, tx, by.account.ID, in.id)
}

// hashOwn checks the current password and hashes the new one.
func (s *Service) hashOwn(ctx context.Context, _ *http.Request, by user, in *input) error {
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

func (s *Service) setPassword(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	ok, err := s.Staff.ReplacePassword(ctx, tx, by.session, in.old, in.hash)
	if err == nil && !ok {
		err = noChange{flashNoChange}
	}
	return done{action: "password changed", object: by.ID, flash: "password"}, err
}
