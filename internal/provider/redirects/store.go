package redirects

import (
	"context"
	"time"

	"vestibule/internal/store"
)

// redirect is a row of redirects.
type redirect struct {
	id          string
	visitID     string
	customerID  string
	tokenHash   []byte
	formOnly    bool
	completeURL string
	args        []byte // encrypted
	created     time.Time
	expires     time.Time
}

func argsCell(id string) store.Cell {
	return store.Cell{Table: "redirects", Column: "redirect_args", Row: id}
}

func insert(ctx context.Context, tx *store.Tx, r redirect, handle, token string) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO redirects
		(id, visit_id, customer_id, handle_hash, token_hash, form_only, complete_url, redirect_args, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		r.id, r.visitID, r.customerID, store.Hash(handle), store.Hash(token), r.formOnly, r.completeURL, r.args,
		store.Micros(r.created), store.Micros(r.expires)))
}

const selectRedirect = `SELECT id, visit_id, customer_id, token_hash, form_only,
	complete_url, redirect_args, created_at, expires_at FROM redirects `

func scan(row store.Row) (redirect, error) {
	var r redirect
	err := row.Scan(&r.id, &r.visitID, &r.customerID, &r.tokenHash, &r.formOnly, &r.completeURL, &r.args, store.At(&r.created),
		store.At(&r.expires))
	return r, store.MapNotFound(err)
}

func byHandle(ctx context.Context, q store.Queryer, handle string) (redirect, error) {
	return scan(q.QueryRowContext(ctx, selectRedirect+`WHERE handle_hash = $1`, store.Hash(handle)))
}

func byToken(ctx context.Context, q store.Queryer, token string) (redirect, error) {
	return scan(q.QueryRowContext(ctx, selectRedirect+`WHERE token_hash = $1`, store.Hash(token)))
}

func byVisit(ctx context.Context, q store.Queryer, visitID string) (redirect, error) {
	return scan(q.QueryRowContext(ctx, selectRedirect+`WHERE visit_id = $1`, visitID))
}
