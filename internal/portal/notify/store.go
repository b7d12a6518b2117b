package notify

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"vestibule/internal/store"
)

func insertEvent(ctx context.Context, tx *store.Tx, e event) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO events (id, subject_id, sequence, type, body, resends, created_at)
		VALUES ($1, $2, $3, $4, $5, 0, $6)`, e.id, e.applicationID, e.sequence, e.kind, e.body, store.Micros(e.created)))
}

// stoppedAt returns when a URL was stopped; zero if it is not.
func stoppedAt(ctx context.Context, q store.Queryer, url string) (time.Time, error) {
	at, err := store.ScanTime(q.QueryRowContext(ctx, `SELECT disabled_at FROM disabled_urls WHERE url_hash = $1`, store.Hash(url)))
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return at, err
}

func insertStop(ctx context.Context, tx *store.Tx, url string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO disabled_urls (url_hash, disabled_at) VALUES ($1, $2) ON CONFLICT (url_hash) DO NOTHING`,
		store.Hash(url), store.Micros(tx.Now))
	return err
}

// Resume resumes sending events after the receiver answered 410, and returns false if
// it was not stopped. Events of the time between are sent only by Redeliver.
func (s *Service) Resume(ctx context.Context, tx *store.Tx) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `DELETE FROM disabled_urls WHERE url_hash = $1`, store.Hash(s.URL)))
}
