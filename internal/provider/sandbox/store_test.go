package sandbox

import (
	"context"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestResetKeepsReferences for those who write in the same transaction of the
// engine's: a delivery that was under way when its event was forgotten, say.
func TestResetKeepsReferences(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		late := false
		err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			if err := emptyDatabase(ctx, db, tx); err != nil {
				t.Fatal(err)
			}
			late = true
			_, err := tx.ExecContext(ctx, `INSERT INTO delivery_attempts (delivery_id, attempt, at, http, took_ms, error)
				VALUES ('gone', 1, 0, 200, 1, '')`)
			if err == nil {
				t.Error("a row refers to one that is gone")
			}
			return err
		})
		if err == nil || !late {
			t.Errorf("the transaction ended with %v", err)
		}
	})
}
