package provider

import (
	"context"

	"vestibule/internal/store"
)

// Key implements events.Reports. What is shared is sealed with the report itself.
func (l labels) Key(ctx context.Context, q store.Queryer, publicToken string) (string, error) {
	r, _, err := l.report(ctx, q, publicToken)
	return r.KeyID, err
}
