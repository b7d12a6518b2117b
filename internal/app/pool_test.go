package app_test

import (
	"testing"

	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/tools"
)

// TestJourneyThroughPgBouncer runs the whole program through PgBouncer in each mode.
func TestJourneyThroughPgBouncer(t *testing.T) {
	tools.FullOnly(t)
	for _, mode := range []string{"session", "transaction"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := startServer(t, storetest.Pool(t, mode, true)(storetest.MigratedURL(t)))
			w.journey(t)
		})
	}
}
