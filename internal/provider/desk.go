package provider

import (
	"context"

	"vestibule/internal/store"
)

// Key implements events.Reports.
func (l labels) Key(ctx context.Context, q store.Queryer, publicToken string) (string, error) {
	r, err := l.reports.Get(ctx, q, publicToken)
	return r.KeyID, err
}
