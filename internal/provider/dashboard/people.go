package dashboard

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/password"
	"vestibule/internal/store"
	pages "vestibule/templates/provider"
)

func (s *Service) people(ctx context.Context, _ *http.Request, by person, d pages.Dashboard) (templ.Component, error) {
	all, err := staffOf(ctx, s.DB.SQL, by.account.ID)
	if err != nil {
		return nil, err
	}
	var v pages.DashboardPeople
	for _, p := range all {
		email, err := s.DB.Vault.Open(ctx, s.DB.SQL, store.SystemKey, emailCell(p.id), p.email)
		if err != nil {
			return nil, err
		}
		v.Rows = append(v.Rows, pages.DashboardPerson{ID: p.id, Email: string(email), Created: p.created, Self: p.id == by.id})
	}
	return pages.DashboardPeoplePage(d, v), nil
}

// hash sets in.hash to the hash of a password, one at a time.
func (s *Service) hash(ctx context.Context, in *input, secret string) error {
	return busy(s.passwords.Do(ctx, func() { in.hash = password.Hash(secret) }))
}

func busy(err error) error {
	if errors.Is(err, password.ErrBusy) {
		return &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: 2 * time.Second, Why: err}
	}
	return err
}

// hashFirst generates and hashes a user's first password.
func (s *Service) hashFirst(ctx context.Context, _ *http.Request, _ person, in *input) error {
	in.secret = strings.ToLower(rand.Text())
	return s.hash(ctx, in, in.secret)
}

func (s *Service) addPerson(ctx context.Context, tx *store.Tx, by person, in input) (done, error) {
	email := password.Email(in.Get("email"))
	if at := strings.IndexByte(email, '@'); at < 1 || at == len(email)-1 || strings.ContainsAny(email, " \t\r\n<>\"") {
		return done{}, wrong("email", "dashboard.email.invalid")
	}
	id, err := s.addStaff(ctx, tx, by.account.ID, email, in.hash)
	if errors.Is(err, ErrKnown) {
		return done{}, wrong("email", "dashboard.email.taken")
	}
	return done{action: "person added", object: id, said: "person", secret: in.secret}, err
}

// removePerson ends a user's access immediately and deletes the email address.
func (s *Service) removePerson(ctx context.Context, tx *store.Tx, by person, in input) (done, error) {
	if !contract.IsUUID(in.id) {
		return done{}, unknown("person")
	}
	if in.id == by.id {
		return done{}, malformed("oneself")
	}
	ok, err := deleteStaff(ctx, tx, by.account.ID, in.id)
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	if err != nil {
		return done{}, err
	}
	return done{action: "person removed", object: in.id, said: "person gone"}, s.sessions.EndAll(ctx, tx, in.id)
}

// hashOwn checks the current password, counting attempts of the session, and hashes
// the new one.
func (s *Service) hashOwn(ctx context.Context, _ *http.Request, by person, in *input) error {
	present, next := in.Get("present"), in.Get("next")
	if len(next) < password.Min || len(next) > password.Max {
		return wrong("next", "dashboard.password.invalid")
	}
	try := password.Try{Email: by.email, Known: "session " + by.session.ID} // a signed-in user counts as known
	allowed, err := s.passwords.Take(ctx, try)
	if err != nil {
		return err
	}
	if !allowed {
		return &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: password.Window, Why: errors.New("too many tries of the present password")}
	}
	row, err := staffByID(ctx, s.DB.SQL, by.id)
	if err != nil {
		return err
	}
	right := false
	if len(present) <= password.Max {
		if right, err = s.passwords.Check(ctx, row.passwordHash, present); err != nil {
			return busy(err)
		}
	}
	if !right {
		return wrong("present", "dashboard.password.wrong")
	}
	if err := s.passwords.Forget(ctx, s.DB.SQL, try); err != nil {
		return err
	}
	in.old = row.passwordHash // of concurrent changes, one matches it
	return s.hash(ctx, in, next)
}

func (s *Service) setPassword(ctx context.Context, tx *store.Tx, by person, in input) (done, error) {
	ok, err := replacePassword(ctx, tx, by.id, in.old, in.hash)
	if err == nil && !ok {
		err = nothing{saidNoChange}
	}
	if err != nil {
		return done{}, err
	}
	return done{action: "password changed", object: by.id, said: "password"}, s.sessions.EndOthers(ctx, tx, by.session)
}
