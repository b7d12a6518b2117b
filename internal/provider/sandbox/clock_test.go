package sandbox

import (
	"sync"
	"testing"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestClockKeepsChanges moves the clock while it is read from the database, as Follow does.
func TestClockKeepsChanges(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		c := &Clock{DB: db, Base: func() time.Time { return base }}
		done := make(chan struct{})
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						if err := c.Load(t.Context()); err != nil {
							t.Error(err)
							return
						}
					}
				}
			})
		}
		const moves = 100
		for range moves {
			if _, err := c.Advance(t.Context(), time.Hour); err != nil {
				t.Error(err)
			}
		}
		close(done)
		wait.Wait()
		if got := c.Now().Sub(base); got != moves*time.Hour {
			t.Errorf("the clock was moved by %v, want %v", got, moves*time.Hour)
		}
	})
}
