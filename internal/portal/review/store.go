package review

import (
	"context"
	"strconv"
	"strings"

	"vestibule/internal/portal/review/search"
	"vestibule/internal/store"
)

func decisionCell(applicationID string, seq int64) store.Cell {
	return store.Cell{Table: "review_decisions", Column: "text", Row: applicationID + "/" + strconv.FormatInt(seq, 10)}
}

func noteCell(id string) store.Cell {
	return store.Cell{Table: "review_notes", Column: "text", Row: id}
}

// insertDecision inserts a decision if it directly follows the stored ones; false
// means that another was stored first.
func (d *Handler) insertDecision(ctx context.Context, q store.Queryer, applicationID string, t decision) (bool, error) {
	e, err := search.Of(ctx, q, applicationID)
	if err != nil {
		return false, err
	}
	var sealed []byte
	if t.text != "" {
		if sealed, err = d.DB.Vault.Seal(ctx, q, e.DataKey, decisionCell(applicationID, t.seq), []byte(t.text)); err != nil {
			return false, err
		}
	}
	return store.ExecOne(q.ExecContext(ctx, `INSERT INTO review_decisions (application_id, seq, decision, reasons, text, reviewer_id, at)
		SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS TEXT), CAST($4 AS TEXT),
			COALESCE($5, (SELECT text FROM review_decisions WHERE 1 = 0)), -- which says what type it is
			CAST($6 AS TEXT), CAST($7 AS BIGINT)
		WHERE (SELECT COUNT(*) FROM review_decisions WHERE application_id = $1) = $2 - 1 ON CONFLICT DO NOTHING`,
		applicationID, t.seq, t.decision, strings.Join(t.reasons, " "), sealed, t.by, store.Micros(t.at)))
}

// decisionsOf returns the decisions on an application, in order.
func (d *Handler) decisionsOf(ctx context.Context, q store.Queryer, applicationID string) ([]decision, error) {
	e, err := search.Of(ctx, q, applicationID)
	if err != nil {
		return nil, err
	}
	open, err := d.DB.Vault.Opener(ctx, q, e.DataKey)
	if err != nil {
		return nil, err
	}
	rows, err := q.QueryContext(ctx, `SELECT seq, decision, reasons, text, reviewer_id, at
		FROM review_decisions WHERE application_id = $1 ORDER BY seq`, applicationID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []decision
	for rows.Next() {
		var t decision
		var codes string
		var sealed []byte
		var at int64
		if err := rows.Scan(&t.seq, &t.decision, &codes, &sealed, &t.by, &at); err != nil {
			return nil, err
		}
		text, err := open.Open(decisionCell(applicationID, t.seq), sealed)
		if err != nil {
			return nil, err
		}
		t.text, t.reasons, t.at = string(text), strings.Fields(codes), store.Time(at)
		out = append(out, t)
	}
	return out, rows.Err()
}

func (d *Handler) insertNote(ctx context.Context, q store.Queryer, applicationID string, n remark) error {
	e, err := search.Of(ctx, q, applicationID)
	if err != nil {
		return err
	}
	sealed, err := d.DB.Vault.Seal(ctx, q, e.DataKey, noteCell(n.id), []byte(n.text))
	if err != nil {
		return err
	}
	_, err = q.ExecContext(ctx, `INSERT INTO review_notes (id, application_id, text, reviewer_id, at) VALUES ($1, $2, $3, $4, $5)`,
		n.id, applicationID, sealed, n.by, store.Micros(n.at))
	return err
}

// notesOf returns the notes of an application, newest first.
func (d *Handler) notesOf(ctx context.Context, q store.Queryer, applicationID string, limit int) ([]remark, error) {
	e, err := search.Of(ctx, q, applicationID)
	if err != nil {
		return nil, err
	}
	open, err := d.DB.Vault.Opener(ctx, q, e.DataKey)
	if err != nil {
		return nil, err
	}
	rows, err := q.QueryContext(ctx, `SELECT id, text, reviewer_id, at FROM review_notes WHERE application_id = $1
		ORDER BY at DESC, id LIMIT $2`, applicationID, int64(limit))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []remark
	for rows.Next() {
		var n remark
		var sealed []byte
		var at int64
		if err := rows.Scan(&n.id, &sealed, &n.by, &at); err != nil {
			return nil, err
		}
		text, err := open.Open(noteCell(n.id), sealed)
		if err != nil {
			return nil, err
		}
		n.text, n.at = string(text), store.Time(at)
		out = append(out, n)
	}
	return out, rows.Err()
}

// Forget deletes an application's decisions and notes. The audit log stays, since it
// holds no personal data.
func Forget(ctx context.Context, tx *store.Tx, id string) error {
	for _, table := range []string{"review_decisions", "review_notes"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE application_id = $1`, id); err != nil {
			return err
		}
	}
	return nil
}
