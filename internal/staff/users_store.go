package staff

import (
	"context"
	"errors"
	"slices"
	"time"

	"vestibule/internal/store"
)

// emailCell is the context that the encryption of an email address is bound to.
func (s *Service) emailCell(id string) store.Cell {
	return store.Cell{Table: "users", Column: "email_sealed", Row: id}
}

// addressHash returns the hash of a user's email address. Users of accounts who have no password are
// not found by the address, so that several accounts may invite it.
func (s *Service) addressHash(u User) []byte {
	if s.Operators {
		return s.tries.keyed("operator", u.Email, "")
	}
	if u.Account != "" && u.passwordHash == "" {
		return s.tries.keyed("invited", u.Email, u.Account)
	}
	return s.mailboxes.Hash(u.Email)
}

// insertUser inserts a user and reports whether the email address was free.
func (s *Service) insertUser(ctx context.Context, tx *store.Tx, u User) (bool, error) {
	sealed, err := s.DB.Vault.Seal(ctx, tx, store.SystemKey, s.emailCell(u.ID), []byte(u.Email))
	if err != nil {
		return false, err
	}
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO users
		(id, customer_id, email_hash, email_keyed, email_sealed, password_hash, role, created_at)
		VALUES ($1, $2, $3, TRUE, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
		u.ID, u.Account, s.addressHash(u), sealed, u.passwordHash, string(u.Role), store.Micros(tx.Now)))
}

// keyHashes replaces the hashes without a key, which earlier versions wrote. Where a replica of
// such a version added an address again, only the first user keeps it.
func (s *Service) keyHashes(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	all, err := s.users(ctx, tx, `WHERE NOT email_keyed`)
	if err != nil {
		return 0, err
	}
	all = all[:min(len(all), limit)]
	for _, u := range all {
		hash := s.mailboxes.Hash(u.Email) // operators have no such rows
		if other, err := s.byEmail(ctx, tx, u.Email); err == nil && other.ID != u.ID {
			hash = store.Hash(u.ID)
		} else if err != nil && !errors.Is(err, store.ErrNotFound) {
			return 0, err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE users SET email_hash = $2, email_keyed = TRUE WHERE id = $1`, u.ID, hash); err != nil {
			return 0, err
		}
	}
	return int64(len(all)), nil
}

// users returns the users of this Service that a condition selects, oldest first, with their email
// addresses.
func (s *Service) users(ctx context.Context, q store.Queryer, where string, args ...any) ([]User, error) {
	all, err := store.QueryAll(ctx, q, func(row store.Row) (u User, err error) {
		var sealed []byte
		if err := row.Scan(&u.ID, &sealed, &u.passwordHash, store.At(&u.Created), &u.Account, &u.Role, store.At(&u.Disabled), &u.HasOIDC,
			store.At(&u.SignedIn),
			&u.HasFactor); err != nil {
			return u, err
		}
		u.HasPassword, u.Zone = u.passwordHash != "", time.UTC
		// Opening with the system key needs no query.
		email, err := s.DB.Vault.Open(ctx, q, store.SystemKey, s.emailCell(u.ID), sealed)
		u.Email = string(email)
		return u, err
	}, `SELECT id, email_sealed, password_hash, created_at, customer_id, role, disabled_at, subject_hash IS NOT NULL, signed_in_at,
		EXISTS (SELECT 1 FROM second_factors f WHERE f.user_id = users.id) FROM users `+where+` ORDER BY created_at, id`, args...)
	return slices.DeleteFunc(all, func(u User) bool { return (u.Account == OperatorAccount) != s.Operators }), err
}

// user returns the only user that a condition selects, or store.ErrNotFound.
func (s *Service) user(ctx context.Context, q store.Queryer, where string, arg any) (User, error) {
	found, err := s.users(ctx, q, where, arg)
	if err != nil {
		return User{}, err
	}
	if len(found) == 0 {
		return User{}, store.ErrNotFound
	}
	return found[0], nil
}

// User returns a user, or store.ErrNotFound.
func (s *Service) User(ctx context.Context, q store.Queryer, id string) (User, error) {
	return s.user(ctx, q, `WHERE id = $1`, id)
}

// byEmail returns the user with a normalized email address, or store.ErrNotFound.
func (s *Service) byEmail(ctx context.Context, q store.Queryer, email string) (User, error) {
	return s.user(ctx, q, `WHERE email_hash = $1`, s.addressHash(User{Email: email, passwordHash: "any"}))
}

// bySubject returns the user of an issuer's account, or store.ErrNotFound.
func (s *Service) bySubject(ctx context.Context, q store.Queryer, subject []byte) (User, error) {
	return s.user(ctx, q, `WHERE subject_hash = $1`, subject)
}

// Users lists the users of an account, or of all with "", oldest first.
func (s *Service) Users(ctx context.Context, q store.Queryer, account string) ([]User, error) {
	if account == "" {
		return s.users(ctx, q, "")
	}
	return s.users(ctx, q, `WHERE customer_id = $1`, account)
}

// Addresses returns the email addresses of all users, by user.
func (s *Service) Addresses(ctx context.Context, q store.Queryer) (map[string]string, error) {
	users, err := s.Users(ctx, q, "")
	out := map[string]string{}
	for _, u := range users {
		out[u.ID] = u.Email
	}
	return out, err
}

// Exist reports whether there are any users, including disabled ones.
func (s *Service) Exist(ctx context.Context) (exist bool, err error) {
	is := "<>"
	if s.Operators {
		is = "="
	}
	err = s.DB.SQL.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE customer_id `+is+` $1)`, OperatorAccount).Scan(&exist)
	return exist, err
}

// lockRole locks a user's row until the transaction ends; false if the user no longer
// has the role or is disabled.
func (s *Service) lockRole(ctx context.Context, tx *store.Tx, u User) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE users SET role = role WHERE id = $1 AND role = $2 AND disabled_at = 0`,
		u.ID, string(u.Role)))
}

// setRole gives a user a role; links of others that the user was shown end.
func (s *Service) setRole(ctx context.Context, tx *store.Tx, id string, role Role) error {
	err := store.Exec(tx.ExecContext(ctx, `UPDATE users SET role = $2 WHERE id = $1`, id, string(role)))
	return errors.Join(err, s.deleteShownLinks(ctx, tx, id))
}

// setDisabled disables a user; the zero time enables the user again.
func (s *Service) setDisabled(ctx context.Context, tx *store.Tx, id string, at time.Time) error {
	micros := int64(0)
	if !at.IsZero() {
		micros = store.Micros(at)
	}
	return store.Exec(tx.ExecContext(ctx, `UPDATE users SET disabled_at = $2 WHERE id = $1`, id, micros))
}

func (s *Service) setSignedIn(ctx context.Context, tx *store.Tx, id string) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE users SET signed_in_at = $2 WHERE id = $1`, id, store.Micros(tx.Now)))
}

// setPassword stores the hash of a user's new password, and reports whether no other user has the
// email address.
func (s *Service) setPassword(ctx context.Context, tx *store.Tx, u User) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE users SET password_hash = $2, email_hash = $3
		WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM users other WHERE other.email_hash = $3 AND other.id <> $1)`,
		u.ID, u.passwordHash, s.addressHash(u)))
}

// replacePassword sets the password hash if it still equals the old one.
func (s *Service) replacePassword(ctx context.Context, tx *store.Tx, id, old, hash string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2`, id, old, hash))
}

// clearPassword removes a user's password. The user keeps the email address.
func (s *Service) clearPassword(ctx context.Context, tx *store.Tx, id string) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE users SET password_hash = '' WHERE id = $1`, id))
}

func (s *Service) deleteUser(ctx context.Context, tx *store.Tx, account, id string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `DELETE FROM users WHERE id = $1 AND customer_id = $2`, id, account))
}

// bindSubject binds a user to an issuer's account; false if the user is already bound
// to one.
func (s *Service) bindSubject(ctx context.Context, tx *store.Tx, id string, subject []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE users SET subject_hash = $2 WHERE id = $1 AND subject_hash IS NULL`, id, subject))
}

// setLink stores a user's link to set a password, and the user who is shown it; an earlier link becomes invalid.
func (s *Service) setLink(ctx context.Context, tx *store.Tx, id, shownTo string, hash []byte, until time.Time) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO password_links (user_id, shown_to, hash, expires_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id) DO UPDATE SET shown_to = excluded.shown_to, hash = excluded.hash, expires_at = excluded.expires_at`,
		id, shownTo, hash, store.Micros(until)))
}

// deleteShownLinks deletes the links of others that a user was shown and may still have.
func (s *Service) deleteShownLinks(ctx context.Context, tx *store.Tx, id string) error {
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM password_links WHERE shown_to = $1`, id))
}

func (s *Service) deleteLink(ctx context.Context, tx *store.Tx, id string) error {
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM password_links WHERE user_id = $1`, id))
}

// byLink returns the user of a link, or store.ErrNotFound if the link is used or expired
// or the user is disabled.
func (s *Service) byLink(ctx context.Context, q store.Queryer, hash []byte) (User, error) {
	var id string
	err := q.QueryRowContext(ctx, `SELECT user_id FROM password_links WHERE hash = $1 AND expires_at > $2`,
		hash, store.Micros(s.Clock())).Scan(&id)
	if err != nil {
		return User{}, store.MapNotFound(err)
	}
	u, err := s.User(ctx, q, id)
	if err == nil && !u.Disabled.IsZero() {
		err = store.ErrNotFound
	}
	return u, err
}

// takeLink uses up a link; only one of several concurrent calls succeeds.
func (s *Service) takeLink(ctx context.Context, tx *store.Tx, hash []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `DELETE FROM password_links
		WHERE hash = $1 AND expires_at > $2`, hash, store.Micros(s.Clock())))
}

// useState uses up the state of an OpenID Connect sign-in; only one of several
// concurrent calls succeeds.
func (s *Service) useState(ctx context.Context, tx *store.Tx, p pendingSignIn) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO sign_in_states (state_hash, expires_at)
		VALUES ($1, $2) ON CONFLICT (state_hash) DO NOTHING`,
		store.Hash(p.State), p.Until))
}

// sweepExpired deletes expired links and states.
func (s *Service) sweepExpired(ctx context.Context, tx *store.Tx, now time.Time) error {
	return store.ExecEach(ctx, tx, store.Micros(now), `DELETE FROM password_links WHERE expires_at <= $1`,
		`DELETE FROM sign_in_states WHERE expires_at <= $1`, `DELETE FROM password_requests WHERE expires_at <= $1`)
}
