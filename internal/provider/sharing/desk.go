package sharing

import (
	"context"
	"database/sql"
	"time"

	"vestibule/internal/provider/auth"
	"vestibule/internal/store"
)

// Grant shares a report of the caller with the account of a publicId, or does so
// for another 72 hours, and returns the pair's relay token. Its errors are the
// endpoint's.
func (s *Service) Grant(ctx context.Context, tx *sql.Tx, caller auth.Caller, publicToken, publicID string) (relayToken string, err error) {
	return s.share(ctx, tx, caller, publicToken, publicID)
}

// Withdraw revokes a share of the customer for good. It reports false for one that
// is not the customer's, or was revoked before.
func (s *Service) Withdraw(ctx context.Context, tx *sql.Tx, customerID, relayToken string) (bool, error) {
	return withdraw(ctx, tx, customerID, relayToken, s.Now())
}

// Granted lists what a customer shares, or with received what is shared with it,
// the newest first: those before the one that was created then under that token;
// a zero time is from the first.
func (s *Service) Granted(ctx context.Context, q store.Queryer, customerID string, received bool, before time.Time, token string, limit int) ([]Share, error) {
	return recent(ctx, q, customerID, received, before, token, limit)
}
