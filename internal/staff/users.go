package staff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/session"
	"vestibule/internal/store"
)

var (
	// ErrKnown is returned for an email address that another user has.
	ErrKnown = errors.New("staff: another user has this email address")

	// ErrRevoked is returned to a user who has just lost the role that a change requires.
	ErrRevoked = errors.New("staff: the acting user has lost the required role")
)

// Add adds a user with a password, or returns ErrKnown. Email addresses are unique over
// all accounts. It hashes the password outside the queue: request handlers use Insert.
func (s *Service) Add(ctx context.Context, tx *store.Tx, u User, password string) error {
	u.Email = mail.NormalizeAddress(u.Email)
	if !mail.IsAddress(u.Email) || !ValidPassword(password) {
		return fmt.Errorf("staff: a user needs an email address and a password of %d to %d bytes", MinPassword, MaxPassword)
	}
	if _, err := s.byEmail(ctx, tx, u.Email); !errors.Is(err, store.ErrNotFound) {
		if err == nil {
			err = ErrKnown
		}
		return err
	}
	_, err := s.Insert(ctx, tx, u, hash(password))
	return err
}

// Ensure is Add that keeps an existing user with the password.
func (s *Service) Ensure(ctx context.Context, tx *store.Tx, u User, password string) error {
	err := s.Add(ctx, tx, u, password)
	if errors.Is(err, ErrKnown) {
		return nil
	}
	return err
}

// Insert adds a user with a normalized email address and the hash of a password, which is
// empty for invited users. It returns ErrKnown for a known address.
func (s *Service) Insert(ctx context.Context, tx *store.Tx, u User, passwordHash string) (id string, err error) {
	u.ID, u.passwordHash = store.NewID(), passwordHash
	added, err := s.insertUser(ctx, tx, u)
	if err == nil && !added {
		err = ErrKnown
	}
	return u.ID, err
}

// Remove deletes a user of an account, ends all sessions of the user, and the links that the user was shown; it
// returns store.ErrNotFound if the account has no such user.
func (s *Service) Remove(ctx context.Context, tx *store.Tx, account, id string) error {
	ok, err := s.deleteUser(ctx, tx, account, id)
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	if err != nil {
		return err
	}
	return errors.Join(s.deleteShownLinks(ctx, tx, id), s.Sessions.EndAll(ctx, tx, id))
}

// Change is a change of a user.
type Change string

const (
	ChangeRole Change = "role" // to the given role
	Disable    Change = "disable"
	Enable     Change = "enable"
	NewLink    Change = "link"     // to set a password; an earlier one becomes invalid
	Withdraw   Change = "withdraw" // an invitation: the user is deleted
	NoFactor   Change = "factor"   // removes the second factor
)

// Change changes a user on behalf of another and returns the changed user and, without a
// mail server, the token of a new link. Disabling ends all sessions of the user. Of two
// users who disable each other at once, only the first succeeds; the second gets ErrRevoked.
func (s *Service) Change(ctx context.Context, by User, id string, change Change, role Role,
	lang i18n.Lang) (u User, token string, err error) {
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if u, err = s.User(ctx, tx, id); err != nil {
			return err
		}
		if ok, err := s.lockRole(ctx, tx, by); err != nil {
			return err
		} else if !ok {
			return ErrRevoked
		}
		e := Entry{Actor: by.ID, Action: UserChanged, Object: id, Detail: string(change)}
		switch change {
		case ChangeRole:
			e.Detail, e.Values = string(role), Changed(Value{SettingRole, string(u.Role), string(role)})
			err = s.setRole(ctx, tx, id, role)
		case Disable:
			err = errors.Join(s.setDisabled(ctx, tx, id, tx.Now), s.deleteLink(ctx, tx, id), s.deleteShownLinks(ctx, tx, id),
				s.Sessions.EndAll(ctx, tx, id))
		case Enable:
			err = s.setDisabled(ctx, tx, id, time.Time{})
		case NewLink:
			e.Action, e.Detail = LinkIssued, ""
			token, err = s.SendLink(ctx, tx, by, u, lang)
		case Withdraw:
			e.Action, e.Detail = InvitationWithdrawn, ""
			err = s.withdraw(ctx, tx, u)
		case NoFactor:
			e.Action, e.Detail = FactorReset, ""
			err = s.RemoveFactor(ctx, tx, id)
		}
		if err != nil {
			return err
		}
		return s.Record(ctx, tx, e)
	})
	return u, token, err
}

// SetRole gives a user of an account a role on behalf of another of its users, or of the operator (a zero
// by). It returns ErrRevoked as Change does, and store.ErrNotFound if the account has no such user.
func (s *Service) SetRole(ctx context.Context, tx *store.Tx, by User, account, id string, role Role) (before User, err error) {
	if by.ID != "" {
		if ok, err := s.lockRole(ctx, tx, by); err != nil || !ok {
			return before, cmp.Or(err, ErrRevoked)
		}
	}
	before, err = s.User(ctx, tx, id)
	if err == nil && before.Account != account {
		err = store.ErrNotFound
	}
	if err != nil {
		return before, err
	}
	return before, s.setRole(ctx, tx, id, role)
}

var errNoPasswords = httpx.NewError(contract.CodeNotFound, errors.New("there are no passwords here"))

// useLink sets the password of a link's user, uses up the link, and ends the user's sessions.
// It returns store.ErrNotFound if the link is no longer valid, and ErrKnown if a user of another
// account has the address. The caller checks the password with ValidPassword.
func (s *Service) useLink(ctx context.Context, token, password string) (u User, err error) {
	link := store.Hash(token)
	hash, err := s.HashPassword(ctx, password)
	if err != nil {
		return u, err
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if u, err = s.byLink(ctx, tx, link); err != nil {
			return err
		}
		if ok, err := s.takeLink(ctx, tx, link); err != nil || !ok {
			return cmp.Or(err, store.ErrNotFound)
		}
		u.passwordHash = hash
		if ok, err := s.setPassword(ctx, tx, u); err != nil || !ok {
			return cmp.Or(err, ErrKnown)
		}
		if err := s.Sessions.EndAll(ctx, tx, u.ID); err != nil {
			return err
		}
		return s.Record(ctx, tx, Entry{Actor: u.ID, Action: PasswordSet, Subject: u.Account, Object: u.ID})
	})
	return u, err
}

// CheckOwnPassword reports whether a signed-in user gave the right password. It counts
// the tries of the session; the error of one too many answers 429. It returns the hash
// to pass to ReplacePassword.
func (s *Service) CheckOwnPassword(ctx context.Context, u User, current session.Session,
	password string) (right bool, hash string, err error) {
	own := try{email: u.Email, browser: "session " + current.ID} // a signed-in user counts as known
	allowed, err := s.tries.count(ctx, own)
	if err != nil {
		return false, "", err
	}
	if !allowed {
		return false, "", &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: TriesWindow, Why: errTooManyTries}
	}
	if u, err = s.User(ctx, s.DB.SQL, u.ID); err != nil || len(password) > MaxPassword {
		return false, "", err
	}
	if right, err = s.hashes.check(ctx, u.passwordHash, password); err != nil || !right {
		return false, "", err
	}
	return true, u.passwordHash, s.tries.succeeded(ctx, s.DB.SQL, own)
}

// ReplacePassword replaces the password that old is the hash of, and ends the user's
// other sessions and an unused link. It reports false if the password has changed since; of concurrent
// changes, one succeeds.
func (s *Service) ReplacePassword(ctx context.Context, tx *store.Tx, current session.Session, old, hash string) (bool, error) {
	ok, err := s.replacePassword(ctx, tx, current.Principal, old, hash)
	if err != nil || !ok {
		return false, err
	}
	return true, errors.Join(s.deleteLink(ctx, tx, current.Principal), s.Sessions.EndOthers(ctx, tx, current))
}
