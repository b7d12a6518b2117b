package developers

import (
	"context"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/jose"
	"vestibule/internal/redirect"
	"vestibule/internal/store"
)

// view holds how an application is shown.
type view struct {
	integration, theme, person, username string
	lang                                 i18n.Lang
	token                                string
}

func tokenCell(id string) store.Cell {
	return store.Cell{Table: "developer_runs", Column: "token", Row: id}
}

func (h *Handler) saveView(ctx context.Context, tx *store.Tx, id string, k view) error {
	key, err := h.Applicants.Service.Key(ctx, tx, id)
	if err != nil {
		return err
	}
	sealed, err := h.Applicants.Service.DB.Vault.Seal(ctx, tx, key, tokenCell(id), []byte(k.token))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO developer_runs (application_id, integration, lang, theme, person, username, token, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, id, k.integration, string(k.lang), k.theme, k.person, k.username, sealed, store.Micros(tx.Now))
	return err
}

func (h *Handler) loadView(ctx context.Context, id string) (view, error) {
	var k view
	var sealed []byte
	err := h.Applicants.Service.DB.SQL.QueryRowContext(ctx, `SELECT integration, lang, theme, person,
		username, token FROM developer_runs WHERE application_id = $1`, id).
		Scan(&k.integration, &k.lang, &k.theme, &k.person, &k.username, &sealed)
	if err != nil {
		return k, store.MapNotFound(err)
	}
	key, err := h.Applicants.Service.Key(ctx, h.Applicants.Service.DB.SQL, id)
	if err != nil {
		return k, err
	}
	plain, err := h.Applicants.Service.DB.Vault.Open(ctx, h.Applicants.Service.DB.SQL, key, tokenCell(id), sealed)
	k.token = string(plain)
	return k, err
}

// signed holds the metadata of an outcome token.
type signed struct {
	keyID           string
	issued, expires time.Time
}

// Verified stores the metadata of an attempt's verified outcome token if the
// playground created the application.
func (h *Handler) Verified(ctx context.Context, q store.Queryer, a redirect.Attempt, t *jose.Token) error {
	return store.Exec(q.ExecContext(ctx, `INSERT INTO developer_returns (application_id, attempt, key_id, issued_at, expires_at)
		SELECT application_id, $2, $3, $4, $5 FROM developer_runs WHERE application_id = $1
		ON CONFLICT DO NOTHING`, a.Application, int64(a.Number), t.KeyID, store.Micros(t.Issued), store.Micros(t.Expires)))
}

func (h *Handler) verified(ctx context.Context, id string) (map[int]signed, error) {
	out := map[int]signed{}
	return out, store.QueryEach(ctx, h.Applicants.Service.DB.SQL, func(row store.Row) error {
		var attempt int
		var s signed
		err := row.Scan(&attempt, &s.keyID, store.At(&s.issued), store.At(&s.expires))
		out[attempt] = s
		return err
	}, `SELECT attempt, key_id, issued_at, expires_at FROM developer_returns WHERE application_id = $1`, id)
}

// Forget deletes an application's rows in this package.
func Forget(ctx context.Context, tx *store.Tx, id string) error {
	return store.ExecEach(ctx, tx, id, `DELETE FROM developer_returns WHERE application_id = $1`,
		`DELETE FROM developer_runs WHERE application_id = $1`)
}
