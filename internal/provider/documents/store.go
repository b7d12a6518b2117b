package documents

import (
	"context"
	"time"

	"vestibule/internal/store"
)

func insertDocument(ctx context.Context, tx *store.Tx, d Document, name, network []byte) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO documents
		(id, public_token, key_id, kind, employer, content_type, name, size, created_at, network) VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9)`,
		d.ID, d.PublicToken, d.keyID, d.Kind, d.Employer, d.Type, name, store.Micros(tx.Now), network))
}

// addPart adds a part; size is the file's size with it.
func addPart(ctx context.Context, tx *store.Tx, id string, seq int64, sealed []byte, size int64) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO document_parts (document_id, seq, sealed)
		VALUES ($1, $2, $3)`, id, seq, sealed); err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `UPDATE documents SET size = $2 WHERE id = $1`, id, size))
}

// Keep makes an uploaded file count. It returns false, and does not, if the report
// already has MaxFiles. The file is ordered after files kept earlier, regardless of the
// clock. Callers must serialize the calls of a report.
func (s *Service) Keep(ctx context.Context, tx *store.Tx, publicToken, id string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE documents SET completed_at = coalesce(
			(SELECT MAX(o.completed_at) + 1 FROM documents o WHERE o.public_token = $1 AND o.completed_at >= $4), $4)
			WHERE id = $2 AND public_token = $1 AND completed_at IS NULL
		AND (SELECT COUNT(*) FROM documents o WHERE o.public_token = $1 AND o.completed_at IS NOT NULL) < $3`,
		publicToken, id, MaxFiles, store.Micros(tx.Now)))
}

// documentsBefore returns the ids of matching files that were begun before an instant.
func documentsBefore(ctx context.Context, tx *store.Tx, where string, before time.Time, limit int) ([]string, error) {
	return store.QueryAll(ctx, tx, store.ScanOne[string], `SELECT id FROM documents WHERE `+where+
		`created_at < $1 ORDER BY created_at LIMIT $2`, store.Micros(before), limit)
}

// remove deletes files with their parts and returns their number.
func remove(ctx context.Context, tx *store.Tx, where string, args ...any) (int64, error) {
	if _, err := tx.ExecContext(ctx, `DELETE FROM document_parts
		WHERE document_id IN (SELECT id FROM documents WHERE `+where+`)`, args...); err != nil {
		return 0, err
	}
	res, err := tx.ExecContext(ctx, `DELETE FROM documents WHERE `+where, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// row is a file with its encrypted name.
type row struct {
	Document
	name []byte
}

func keptDocuments(ctx context.Context, q store.Queryer, publicToken string) ([]row, error) {
	return store.QueryAll(ctx, q, func(from store.Row) (r row, err error) {
		err = from.Scan(&r.ID, &r.PublicToken, &r.keyID, &r.Kind, &r.Employer, &r.Type, &r.name, &r.Size)
		return r, err
	}, `SELECT id, public_token, key_id, kind, employer, content_type, name, size FROM documents
		WHERE public_token = $1 AND completed_at IS NOT NULL ORDER BY completed_at`, publicToken)
}

// find returns a kept file without its name.
func find(ctx context.Context, q store.Queryer, publicToken, id string) (d Document, err error) {
	err = q.QueryRowContext(ctx, `SELECT id, public_token, key_id, kind, content_type, size FROM documents
		WHERE public_token = $1 AND id = $2 AND completed_at IS NOT NULL`, publicToken, id).
		Scan(&d.ID, &d.PublicToken, &d.keyID, &d.Kind, &d.Type, &d.Size)
	return d, store.MapNotFound(err)
}

func part(ctx context.Context, q store.Queryer, id string, seq int64) ([]byte, error) {
	return store.FindOne[[]byte](q.QueryRowContext(ctx, `SELECT sealed FROM document_parts WHERE document_id = $1 AND seq = $2`, id, seq))
}
