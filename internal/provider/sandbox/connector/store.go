package connector

import (
	"context"
	"time"

	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/store"
)

// Steps of an authorization besides those of package signin.
const (
	stepAgreed  signin.Step = "agreed"  // a code was issued
	stepGranted signin.Step = "granted" // the code was exchanged
)

// authorization is a row of connector_authorizations.
type authorization struct {
	institution, redirectURI, state, language string
	signin.State
	expires time.Time
}

func insert(ctx context.Context, tx *store.Tx, id, page string, a authorization) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO connector_authorizations
		(authorization_hash, page_hash, institution, redirect_uri, state, language, step, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, store.Hash(id), store.Hash(page), a.institution, a.redirectURI, a.state, a.language,
		string(a.Step), store.Micros(a.expires)))
}

// open binds a page to the first browser that opens it. It returns false for later ones.
func open(ctx context.Context, tx *store.Tx, page string, browser []byte, now time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE connector_authorizations SET browser_hash = $1
		WHERE page_hash = $2 AND browser_hash IS NULL AND expires_at > $3`, browser, store.Hash(page), store.Micros(now)))
}

const columns = `SELECT institution, redirect_uri, state, language, step, username, tries, expires_at FROM connector_authorizations`

func scan(row interface{ Scan(...any) error }) (a authorization, err error) {
	err = row.Scan(&a.institution, &a.redirectURI, &a.state, &a.language, &a.Step, &a.Username, &a.Tries, store.At(&a.expires))
	return a, store.MapNotFound(err)
}

func ofPage(ctx context.Context, q store.Queryer, page string, browser []byte, now time.Time) (authorization, error) {
	return scan(q.QueryRowContext(ctx, columns+` WHERE page_hash = $1 AND browser_hash = $2 AND expires_at > $3`,
		store.Hash(page), browser, store.Micros(now)))
}

func ofAuthorization(ctx context.Context, q store.Queryer, id, institution string) (authorization, error) {
	return scan(q.QueryRowContext(ctx, columns+` WHERE authorization_hash = $1 AND institution = $2`, store.Hash(id), institution))
}

// move changes an authorization from one state to another, with a code if one was issued.
// It returns false if another form did so first.
func move(ctx context.Context, tx *store.Tx, page string, from, to signin.State, code string, expires time.Time) (bool, error) {
	var hash []byte
	if code != "" {
		hash = store.Hash(code)
	}
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE connector_authorizations
		SET step = $1, username = $2, tries = $3, code_hash = $4, expires_at = $5 WHERE page_hash = $6 AND step = $7 AND tries = $8`,
		string(to.Step), to.Username, to.Tries, hash, store.Micros(expires), store.Hash(page), string(from.Step), from.Tries))
}

// exchange exchanges a code for access. It returns false for a code that is used, expired,
// or of another authorization. From then on, code_hash is that of what renews the access.
func exchange(ctx context.Context, tx *store.Tx, id, code string, g grant, now time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE connector_authorizations
		SET step = $1, access_hash = $2, expires_at = $3, code_hash = $4
		WHERE authorization_hash = $5 AND code_hash = $6 AND step = $7 AND expires_at > $8`,
		string(stepGranted), store.Hash(g.Access), store.Micros(g.Until), store.Hash(g.Refresh),
		store.Hash(id), store.Hash(code), string(stepAgreed), store.Micros(now)))
}

// renew replaces access, and returns when it ends. For a refresh that is unknown or used,
// and for access that has ended, it returns store.ErrNotFound.
func renew(ctx context.Context, tx *store.Tx, refresh, institution string, g grant, now time.Time) (time.Time, error) {
	until, err := store.ScanTime(tx.QueryRowContext(ctx, `UPDATE connector_authorizations SET access_hash = $1, code_hash = $2
		WHERE code_hash = $3 AND institution = $4 AND step = $5 AND expires_at > $6 RETURNING expires_at`,
		store.Hash(g.Access), store.Hash(g.Refresh), store.Hash(refresh), institution, string(stepGranted), store.Micros(now)))
	return until, store.MapNotFound(err)
}

// ofAccess returns the user that granted access, and an id that stays the same while the
// access is renewed.
func ofAccess(ctx context.Context, q store.Queryer, access, institution string, now time.Time) (id []byte, username string, err error) {
	err = q.QueryRowContext(ctx, `SELECT authorization_hash, username FROM connector_authorizations
		WHERE access_hash = $1 AND institution = $2 AND step = $3 AND expires_at > $4`,
		store.Hash(access), institution, string(stepGranted), store.Micros(now)).Scan(&id, &username)
	return id, username, store.MapNotFound(err)
}

// revoke deletes the authorization of access or of what renews it.
func revoke(ctx context.Context, tx *store.Tx, access, refresh, institution string) error {
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM connector_authorizations
		WHERE (access_hash = $1 OR code_hash = $2 AND step = $3) AND institution = $4`,
		store.Hash(access), store.Hash(refresh), string(stepGranted), institution))
}

// deleteExpired is the step of Sweep.
func deleteExpired(before time.Time) store.Step {
	return func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
		return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM connector_authorizations WHERE authorization_hash IN
			(SELECT authorization_hash FROM connector_authorizations WHERE expires_at < $1 LIMIT $2)`, store.Micros(before), limit))
	}
}
