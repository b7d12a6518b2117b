package applications

import (
	"context"
	"errors"
	"testing"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestMaxAttempts checks the maximum number of attempts: each starts a visit at the
// provider and stores rows and jobs.
func TestMaxAttempts(t *testing.T) {
	b := newTestServer(t, storetest.SQLite(t, store.Portal))
	id := b.apply().ID
	for range maxAttempts {
		b.begin(id)
	}
	err := b.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, _, err := b.Begin(ctx, tx, id, Embedded)
		return err
	})
	if !errors.Is(err, ErrClosed) {
		t.Errorf("Begin after %d attempts = %v, want ErrClosed", maxAttempts, err)
	}
	if a, err := b.Get(t.Context(), b.Service.DB.SQL, id); err != nil || a.Journey.Attempt != maxAttempts {
		t.Errorf("attempt %d, %v", a.Journey.Attempt, err)
	}
}

func TestMaxStreams(t *testing.T) {
	var h hub
	quiet := func(context.Context, time.Time) (map[string]int64, time.Time, error) { return nil, time.Time{}, nil }
	var leave []func()
	defer func() {
		for _, f := range leave {
			f()
		}
	}()
	for i := range maxStreamsEach {
		c, end := h.subscribe("a", time.Time{}, quiet)
		if c == nil {
			t.Fatalf("stream %d refused", i)
		}
		leave = append(leave, end)
	}
	if c, _ := h.subscribe("a", time.Time{}, quiet); c != nil {
		t.Errorf("stream %d of one application taken", maxStreamsEach+1)
	}
	c, end := h.subscribe("b", time.Time{}, quiet)
	if c == nil {
		t.Fatal("another application gets no stream")
	}
	leave = append(leave, end)
	leave[0]()
	if c, leave[0] = h.subscribe("a", time.Time{}, quiet); c == nil {
		t.Fatal("no stream after one has ended")
	}
}
