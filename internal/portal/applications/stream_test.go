package applications

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vestibule/internal/journey"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestHeartbeatFindsUnannouncedChanges covers changes by a replica whose clock is far
// behind.
func TestHeartbeatFindsUnannouncedChanges(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		a := b.apply()
		b.begin(a.ID)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		written, beat, over := make(chan string, 10), make(chan time.Time), make(chan struct{})
		go func() {
			defer close(over)
			b.follow(ctx, a.ID, -1, func(format string, args ...any) bool {
				written <- fmt.Sprintf(format, args...)
				return true
			}, nil, beat, nil)
		}()
		if first := <-written; !strings.Contains(first, `"connecting"`) {
			t.Errorf("it begins with %q", first)
		}
		b.give(a.ID, journey.Input{Kind: journey.CallbackExit, Attempt: 1, EventID: "e"})
		beat <- b.Now()
		if <-written; !strings.Contains(<-written, `"exited"`) {
			t.Error("the heartbeat has not looked")
		}
		cancel()
		<-over
	})
}
