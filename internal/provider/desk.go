package provider

import (
	"context"
	"errors"

	"vestibule/internal/store"
)

// Key implements events.Reports. What is shared is sealed with the report itself.
func (l labels) Key(ctx context.Context, q store.Queryer, publicToken string) (string, error) {
	r, err := l.reports.Get(ctx, q, publicToken)
	if !errors.Is(err, store.ErrNotFound) {
		return r.KeyID, err
	}
	share, err := l.sharing.Get(ctx, q, publicToken)
	if err == nil && !share.Revoked.IsZero() {
		err = store.ErrNotFound
	}
	if err != nil {
		return "", err
	}
	r, err = l.reports.Get(ctx, q, share.PublicToken)
	return r.KeyID, err
}
