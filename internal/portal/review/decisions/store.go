package decisions

import (
	"context"
	"strconv"
	"strings"

	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
)

func decisionCell(applicationID string, seq int64) store.Cell {
	return store.Cell{Table: "review_decisions", Column: "text", Row: applicationID + "/" + strconv.FormatInt(seq, 10)}
}

func noteCell(id string) store.Cell {
	return store.Cell{Table: "review_notes", Column: "text", Row: id}
}

// insert inserts a decision if it directly follows the stored ones; false means that
// another was stored first.
func (s *Service) insert(ctx context.Context, q store.Queryer, a applications.Application, t decision) (ok bool, err error) {
	var sealed []byte
	if t.text != "" {
		if sealed, err = s.DB.Vault.Seal(ctx, q, a.DataKey(), decisionCell(a.ID, t.seq), []byte(t.text)); err != nil {
			return false, err
		}
	}
	return store.ExecOne(q.ExecContext(ctx, `INSERT INTO review_decisions (application_id, seq, decision, reasons, text, user_id, at)
		SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS TEXT), CAST($4 AS TEXT),
			COALESCE($5, (SELECT text FROM review_decisions WHERE 1 = 0)), -- gives a NULL the type of the column
			CAST($6 AS TEXT), CAST($7 AS BIGINT)
		WHERE (SELECT COUNT(*) FROM review_decisions WHERE application_id = $1) = $2 - 1 ON CONFLICT DO NOTHING`,
		a.ID, t.seq, t.kind, strings.Join(t.reasons, " "), sealed, t.by, store.Micros(t.at)))
}

// all returns the decisions on an application, in order.
func (s *Service) all(ctx context.Context, q store.Queryer, open store.Opener, applicationID string) ([]decision, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (t decision, err error) {
		var codes string
		var sealed []byte
		if err := row.Scan(&t.seq, &t.kind, &codes, &sealed, &t.by, store.At(&t.at)); err != nil {
			return t, err
		}
		text, err := open.Open(decisionCell(applicationID, t.seq), sealed)
		t.text, t.reasons = string(text), strings.Fields(codes)
		return t, err
	}, `SELECT seq, decision, reasons, text, user_id, at
		FROM review_decisions WHERE application_id = $1 ORDER BY seq`, applicationID)
}

func (s *Service) insertNote(ctx context.Context, tx *store.Tx, a applications.Application, n note) error {
	sealed, err := s.DB.Vault.Seal(ctx, tx, a.DataKey(), noteCell(n.id), []byte(n.text))
	if err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO review_notes (id, application_id, text, user_id, at) VALUES ($1, $2, $3, $4, $5)`,
		n.id, a.ID, sealed, n.by, store.Micros(tx.Now)))
}

// notes returns the notes of an application, newest first.
func (s *Service) notes(ctx context.Context, q store.Queryer, open store.Opener, applicationID string, limit int) ([]note, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (n note, err error) {
		var sealed []byte
		if err := row.Scan(&n.id, &sealed, &n.by, store.At(&n.at)); err != nil {
			return n, err
		}
		text, err := open.Open(noteCell(n.id), sealed)
		n.text = string(text)
		return n, err
	}, `SELECT id, text, user_id, at FROM review_notes WHERE application_id = $1
		ORDER BY at DESC, id LIMIT $2`, applicationID, int64(limit))
}

// Forget deletes an application's decisions and notes. The audit log stays, since it
// holds no personal data.
func Forget(ctx context.Context, tx *store.Tx, id string) error {
	return store.ExecEach(ctx, tx, id, `DELETE FROM review_decisions WHERE application_id = $1`,
		`DELETE FROM review_notes WHERE application_id = $1`)
}
