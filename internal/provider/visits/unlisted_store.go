package visits

import (
	"context"
	"strings"
	"time"

	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// countUnlisted counts a name that a visit reports, once. It returns false if the visit has reported maxUnlisted others.
func countUnlisted(ctx context.Context, tx *store.Tx, v visit, name string) (bool, error) {
	folded := strings.ToLower(name)
	hash, others := store.Hash(string(v.SourceType)+" "+folded), 0
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM unlisted_reports WHERE visit_id = $1 AND name_hash <> $2`,
		v.id, hash).Scan(&others); err != nil || others >= maxUnlisted {
		return false, err
	}
	first, err := store.ExecOne(tx.ExecContext(ctx, `INSERT INTO unlisted_reports (visit_id, name_hash) VALUES ($1, $2)
		ON CONFLICT DO NOTHING`, v.id, hash))
	if err != nil || !first {
		return err == nil, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO unlisted_institutions (customer_id, source_type, folded, name, reports, last_at)
		SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), 1, CAST($5 AS BIGINT)
		WHERE (SELECT COUNT(*) FROM unlisted_institutions WHERE customer_id = $1 AND folded <> $3) < CAST($6 AS BIGINT)
		ON CONFLICT (customer_id, source_type, folded)
			DO UPDATE SET reports = unlisted_institutions.reports + 1, last_at = excluded.last_at`,
		v.customerID, string(v.SourceType), folded, name, store.Micros(tx.Now), int64(maxUnlistedNames))
	return true, err
}

// Unlisted lists what applicants missed, most reports first: those of a customer, or of all for "".
func (s *Service) Unlisted(ctx context.Context, q store.Queryer, customerID string, limit int) ([]providerui.Unlisted, error) {
	return store.QueryAll(ctx, q, store.Columns(func(u *providerui.Unlisted) []any {
		return []any{&u.SourceType, &u.Name, &u.Reports, store.At(&u.Last)}
	}), `SELECT source_type, MIN(name), CAST(SUM(reports) AS BIGINT), MAX(last_at) FROM unlisted_institutions
		WHERE CAST($1 AS TEXT) = '' OR customer_id = $1 GROUP BY source_type, folded ORDER BY 3 DESC, 4 DESC LIMIT $2`,
		customerID, int64(limit))
}

// deleteUnlisted deletes names that were last reported until an instant.
func deleteUnlisted(ctx context.Context, tx *store.Tx, until time.Time, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM unlisted_institutions WHERE (customer_id, source_type, folded) IN (
		SELECT customer_id, source_type, folded FROM unlisted_institutions WHERE last_at <= $1 LIMIT $2)`,
		store.Micros(until), int64(limit)))
}
