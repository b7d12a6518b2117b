package embed

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"vestibule/internal/store"
)

// GrantLife is how long an embed token lets a browser in; once it was redeemed,
// the browser's session goes on without it.
const GrantLife = 24 * time.Hour

// keptFor is how long an Idempotency-Key is remembered.
const keptFor = 24 * time.Hour

// grant makes an embed token for an application, and drops those that ended.
func (a *API) grant(ctx context.Context, tx *sql.Tx, applicationID string) (string, error) {
	now := a.Now()
	token := store.NewSecret()
	if _, err := tx.ExecContext(ctx, `DELETE FROM embed_grants WHERE expires_at < $1`, store.Micros(now)); err != nil {
		return "", err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO embed_grants (hash, application_id, created_at, expires_at) VALUES ($1, $2, $3, $4)`,
		store.Hash(token), applicationID, store.Micros(now), store.Micros(now.Add(GrantLife)))
	return token, err
}

// Grant returns the application that an embed token opens inside a frame, where
// there are no cookies and the token is all there is. One that was redeemed, has
// ended or never was is store.ErrNotFound.
func (a *API) Grant(ctx context.Context, token string) (applicationID string, err error) {
	err = a.DB.SQL.QueryRowContext(ctx, `SELECT application_id FROM embed_grants WHERE hash = $1 AND session_id IS NULL AND expires_at > $2`,
		store.Hash(token), store.Micros(a.Now())).Scan(&applicationID)
	return applicationID, store.Found(err)
}

// Redeem gives an embed token to the browser of a session and returns the
// application that it opens. The first browser has it for good: for another one
// it is store.ErrNotFound, as it is when it ended or never was.
func (a *API) Redeem(ctx context.Context, tx *sql.Tx, token, sessionID string) (applicationID string, err error) {
	if sessionID == "" {
		return "", errors.New("embed: a token is redeemed by a session")
	}
	err = tx.QueryRowContext(ctx, `UPDATE embed_grants SET session_id = $1
		WHERE hash = $2 AND expires_at > $3 AND (session_id IS NULL OR session_id = $1) RETURNING application_id`,
		sessionID, store.Hash(token), store.Micros(a.Now())).Scan(&applicationID)
	return applicationID, store.Found(err)
}

// remember keeps that a request made an application; false when the key was used
// before, however that ended.
func remember(ctx context.Context, tx *sql.Tx, hash, request []byte, applicationID string, now time.Time) (bool, error) {
	if _, err := tx.ExecContext(ctx, `DELETE FROM api_requests WHERE created_at < $1`, store.Micros(now.Add(-keptFor))); err != nil {
		return false, err
	}
	return store.One(tx.ExecContext(ctx, `INSERT INTO api_requests (hash, request_hash, application_id, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (hash) DO NOTHING`, hash, request, applicationID, store.Micros(now)))
}

// remembered returns what a key was used for within the time it is kept.
func remembered(ctx context.Context, q store.Queryer, hash []byte, now time.Time) (request []byte, applicationID string, err error) {
	err = q.QueryRowContext(ctx, `SELECT request_hash, application_id FROM api_requests WHERE hash = $1 AND created_at >= $2`,
		hash, store.Micros(now.Add(-keptFor))).Scan(&request, &applicationID)
	return request, applicationID, store.Found(err)
}
