package customers

import (
	"context"

	"vestibule/internal/store"
)

// OwnCompleteURLs returns the complete URLs that are registered on the account
// itself; the first is the static one.
func (s *Service) OwnCompleteURLs(ctx context.Context, q store.Queryer, customerID string) ([]string, error) {
	return completeURLs(ctx, q, customerID)
}

// EditCompleteURLs replaces the account's own complete URLs by what edit makes of
// them, one change after the other. Its errors are SetCompleteURLs' and edit's.
func (s *Service) EditCompleteURLs(ctx context.Context, tx *store.Tx, customerID string, edit func(urls []string) ([]string, error)) error {
	if err := hit(holdAccount(ctx, tx, customerID)); err != nil {
		return err
	}
	urls, err := completeURLs(ctx, tx, customerID)
	if err != nil {
		return err
	}
	if urls, err = edit(urls); err != nil {
		return err
	}
	return s.SetCompleteURLs(ctx, tx, customerID, urls)
}
