package embed

import (
	"context"
	"database/sql"
	"time"

	"vestibule/internal/store"
)

// GrantLife is how long an embed token lets a browser in; once it was redeemed,
// the browser's session goes on without it. A frame has no session, and goes on
// until its token has ended.
const GrantLife = 24 * time.Hour

// keptFor is how long an Idempotency-Key is remembered.
const keptFor = 24 * time.Hour

// endedFor is how long a token that has ended is kept, so that a frame which
// still has it can be told why, and its site with it.
const endedFor = 30 * 24 * time.Hour

// grant makes an embed token for an application, with the site that may frame it,
// and drops those that ended long ago.
func (a *API) grant(ctx context.Context, tx *sql.Tx, applicationID, origin string) (string, error) {
	now := a.Now()
	token := store.NewSecret()
	if _, err := tx.ExecContext(ctx, `DELETE FROM embed_grants WHERE expires_at < $1`, store.Micros(now.Add(-endedFor))); err != nil {
		return "", err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO embed_grants (hash, application_id, created_at, expires_at, allowed_origin) VALUES ($1, $2, $3, $4, $5)`,
		store.Hash(token), applicationID, store.Micros(now), store.Micros(now.Add(GrantLife)), origin)
	return token, err
}

// Token makes an embed token for who makes applications beside the API.
func (a *API) Token(ctx context.Context, tx *sql.Tx, applicationID, origin string) (string, error) {
	return a.grant(ctx, tx, applicationID, origin)
}

// granted is an embed token as it is kept.
type granted struct {
	application string
	origin      string // may frame what it opens; "" is none
	holder      string // a session, or the frames of one page; "" is nobody yet
	until       time.Time
}

func (a *API) granted(ctx context.Context, q store.Queryer, token string) (g granted, err error) {
	var until int64
	err = q.QueryRowContext(ctx, `SELECT application_id, allowed_origin, COALESCE(session_id, ''), expires_at FROM embed_grants WHERE hash = $1`,
		store.Hash(token)).Scan(&g.application, &g.origin, &g.holder, &until)
	g.until = store.Time(until)
	return g, store.Found(err)
}

// take gives an embed token to a holder, unless it has another one.
func (a *API) take(ctx context.Context, q store.Queryer, token, holder, former string) (applicationID string, err error) {
	err = q.QueryRowContext(ctx, `UPDATE embed_grants SET session_id = $1
		WHERE hash = $2 AND expires_at > $3 AND (session_id IS NULL OR session_id = $1 OR session_id = $4) RETURNING application_id`,
		holder, store.Hash(token), store.Micros(a.Now()), former).Scan(&applicationID)
	return applicationID, store.Found(err)
}

// remember takes an Idempotency-Key for a request; false when it is taken. While
// another request that takes it is under way, it waits for that one's end.
func remember(ctx context.Context, tx *sql.Tx, hash, request []byte, now time.Time) (bool, error) {
	if _, err := tx.ExecContext(ctx, `DELETE FROM api_requests WHERE created_at < $1`, store.Micros(now.Add(-keptFor))); err != nil {
		return false, err
	}
	return store.One(tx.ExecContext(ctx, `INSERT INTO api_requests (hash, request_hash, application_id, created_at) VALUES ($1, $2, '', $3)
		ON CONFLICT (hash) DO NOTHING`, hash, request, store.Micros(now)))
}

// keepAnswer keeps what the request that took a key was answered.
func keepAnswer(ctx context.Context, tx *sql.Tx, hash []byte, applicationID string, sealed []byte) error {
	_, err := tx.ExecContext(ctx, `UPDATE api_requests SET application_id = $1, answer = $2 WHERE hash = $3`, applicationID, sealed, hash)
	return err
}

// remembered returns what a key was taken for.
func remembered(ctx context.Context, q store.Queryer, hash []byte) (request []byte, applicationID string, answer []byte, err error) {
	err = q.QueryRowContext(ctx, `SELECT request_hash, application_id, answer FROM api_requests WHERE hash = $1`, hash).Scan(&request, &applicationID, &answer)
	return request, applicationID, answer, store.Found(err)
}

// Forget deletes what is kept of an application here.
func (a *API) Forget(ctx context.Context, tx *sql.Tx, applicationID string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM embed_grants WHERE application_id = $1`, applicationID); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM api_requests WHERE application_id = $1`, applicationID)
	return err
}
