package embedkit

import (
	"context"
	"time"

	"vestibule/internal/store"
)

// GrantLife is how long an embed token grants access. After a session redeems it, the
// session's access does not depend on the token. A frame has no session and loses
// access when the token expires.
const GrantLife = 24 * time.Hour

// endedFor is how long an expired token is kept, so that a frame that still uses it,
// and its site, can receive the reason.
const endedFor = 30 * 24 * time.Hour

// Token issues an embed token for an application and the origin that may frame it. It
// also deletes tokens that expired long ago.
func (k *Kit) Token(ctx context.Context, tx *store.Tx, applicationID, origin string) (string, error) {
	token := store.NewSecret()
	if _, err := tx.ExecContext(ctx, `DELETE FROM embed_grants WHERE expires_at < $1`, store.Micros(tx.Now.Add(-endedFor))); err != nil {
		return "", err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO embed_grants (hash, application_id, created_at,
		expires_at, allowed_origin) VALUES ($1, $2, $3, $4, $5)`,
		store.Hash(token), applicationID, store.Micros(tx.Now), store.Micros(tx.Now.Add(GrantLife)), origin)
	return token, err
}

// granted is a stored embed token.
type granted struct {
	application string
	origin      string // may frame the application; may be ""
	holder      string // a session or the frames of one page; "" before first use
	until       time.Time
}

func (k *Kit) granted(ctx context.Context, q store.Queryer, token string) (granted, error) {
	return k.grantedByHash(ctx, q, store.Hash(token))
}

func (k *Kit) grantedByHash(ctx context.Context, q store.Queryer, hash []byte) (g granted, err error) {
	err = q.QueryRowContext(ctx, `SELECT application_id, allowed_origin,
		COALESCE(session_id, ''), expires_at FROM embed_grants WHERE hash = $1`,
		hash).Scan(&g.application, &g.origin, &g.holder, store.At(&g.until))
	return g, store.MapNotFound(err)
}

// bind binds an embed token to holder, unless it is bound to a holder other than
// former.
func (k *Kit) bind(ctx context.Context, q store.Queryer, token, holder, former string) (string, error) {
	return store.FindOne[string](q.QueryRowContext(ctx, `UPDATE embed_grants SET session_id = $1
		WHERE hash = $2 AND expires_at > $3 AND (session_id IS NULL OR session_id = $1 OR session_id = $4) RETURNING application_id`,
		holder, store.Hash(token), store.Micros(k.Now()), former))
}

// Forget deletes the embed tokens of an application.
func Forget(ctx context.Context, tx *store.Tx, applicationID string) error {
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM embed_grants WHERE application_id = $1`, applicationID))
}
