package sharing

import (
	"context"

	"vestibule/internal/provider/auth"
	"vestibule/internal/store"
)

// Grant shares a report of the caller with the account of a publicId, or does so
// for another 72 hours, and returns the pair's relay token. Its errors are the
// endpoint's.
func (s *Service) Grant(ctx context.Context, tx *store.Tx, caller auth.Caller, publicToken, publicID string) (relayToken string, err error) {
	return s.share(ctx, tx, caller, publicToken, publicID)
}

// Withdraw revokes a share of the customer for good. It reports false for one that
// is not the customer's, or was revoked before.
func (s *Service) Withdraw(ctx context.Context, tx *store.Tx, customerID, relayToken string) (bool, error) {
	return withdraw(ctx, tx, customerID, relayToken, s.Now())
}

// Granted lists what a customer shares, or with received what is shared with it,
// the newest first, from a place of Created and RelayToken on.
func (s *Service) Granted(ctx context.Context, q store.Queryer, customerID string, received bool, before store.Cursor, limit int) ([]Share, error) {
	return recent(ctx, q, customerID, received, before, limit)
}
