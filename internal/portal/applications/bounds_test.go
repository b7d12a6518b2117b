package applications

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"vestibule/internal/httpx"
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

func TestMaxStreamsOfClient(t *testing.T) {
	var h hub
	quiet := func(context.Context, time.Time) (map[string]int64, time.Time, error) { return nil, time.Time{}, nil }
	var leave []func()
	defer func() {
		for _, f := range leave {
			f()
		}
	}()
	stream := func(id int, client ...httpx.Network) bool {
		c, end := h.subscribe(strconv.Itoa(id), client, time.Time{}, quiet)
		if c != nil {
			leave = append(leave, end)
		}
		return c != nil
	}
	first, site := httpx.Network{Name: "192.0.2.1", Share: 1}, httpx.Network{Name: "2001:db8::/48", Share: 3}
	for i := range maxStreamsOfClient {
		if !stream(i, first) {
			t.Fatalf("stream %d refused", i)
		}
	}
	if stream(maxStreamsOfClient, first) {
		t.Errorf("stream %d of one client taken", maxStreamsOfClient+1)
	}
	for i := range 2 * maxStreamsOfClient {
		if !stream(i) {
			t.Fatal("a client that is not limited gets no stream")
		}
	}
	if !stream(1, httpx.Network{Name: "192.0.2.2", Share: 1}) {
		t.Error("another client gets no stream")
	}
	for i := range 3*maxStreamsOfClient + 1 {
		if last := i == 3*maxStreamsOfClient; stream(i, httpx.Network{Name: strconv.Itoa(i / 50), Share: 1}, site) == last {
			t.Errorf("stream %d of a site with many networks", i+1)
		}
	}
	leave[0]()
	leave[0] = func() {}
	if !stream(1, first) {
		t.Error("no stream after one has ended")
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
		c, end := h.subscribe("a", nil, time.Time{}, quiet)
		if c == nil {
			t.Fatalf("stream %d refused", i)
		}
		leave = append(leave, end)
	}
	if c, _ := h.subscribe("a", nil, time.Time{}, quiet); c != nil {
		t.Errorf("stream %d of one application taken", maxStreamsEach+1)
	}
	c, end := h.subscribe("b", nil, time.Time{}, quiet)
	if c == nil {
		t.Fatal("another application gets no stream")
	}
	leave = append(leave, end)
	leave[0]()
	if c, leave[0] = h.subscribe("a", nil, time.Time{}, quiet); c == nil {
		t.Fatal("no stream after one has ended")
	}
}
