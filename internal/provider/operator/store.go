package operator

import (
	"context"
	"errors"

	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// RecordBackup records that a backup has finished, in a place that the operator knows.
func (s *Service) RecordBackup(ctx context.Context, tx *store.Tx, place string) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO backups (id, ended_at, place) VALUES ('last', $1, $2)
		ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at, place = excluded.place`, store.Micros(tx.Now), place))
}

// lastBackup returns the backup that was recorded last, or nil.
func lastBackup(ctx context.Context, q store.Queryer) (*providerui.Backup, error) {
	var b providerui.Backup
	err := store.MapNotFound(q.QueryRowContext(ctx, `SELECT ended_at, place FROM backups`).
		Scan(store.At(&b.Ended), &b.Place))
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &b, err
}
