package staff

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestHashMatchesItsPasswordOnly(t *testing.T) {
	cheap.Store(false)
	stored := hash(secret)
	cheap.Store(true)
	if !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("stored as %q", stored)
	}
	if ok, err := matches(stored, secret); !ok || err != nil {
		t.Errorf("the right password: %v, %v", ok, err)
	}
	if ok, err := matches(stored, secret+" "); ok || err != nil {
		t.Errorf("another password: %v, %v", ok, err)
	}
	for _, bad := range []string{"", "x", "$argon2i$v=19$m=1,t=1,p=1$aaaa$aaaa", strings.Replace(stored, "v=19", "v=16", 1),
		strings.Replace(stored, "p=1", "p=0", 1), stored[:len(stored)-44]} {
		if ok, err := matches(bad, secret); ok || err == nil {
			t.Errorf("matches(%q) = %v, %v, want an error", bad, ok, err)
		}
	}
}

func TestQueueBoundsHashing(t *testing.T) {
	var q hashQueue
	hold, held := make(chan struct{}), make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() { q.do(context.Background(), func() { close(held); <-hold }) })
	<-held
	var running, busy, done atomic.Int32
	for range 3 * maxQueued {
		wait.Go(func() {
			err := q.do(context.Background(), func() {
				if running.Add(1) > 1 {
					t.Error("two at once")
				}
				running.Add(-1)
				done.Add(1)
			})
			if errors.Is(err, errBusy) && busy.Add(1) == 2*maxQueued+1 {
				close(hold) // all rejected callers have returned
			}
		})
	}
	wait.Wait()
	if done.Load() != maxQueued-1 || busy.Load() != 2*maxQueued+1 {
		t.Errorf("%d hashed and %d rejected, want %d and %d", done.Load(), busy.Load(), maxQueued-1, 2*maxQueued+1)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.check(gone, "", secret); !errors.Is(err, context.Canceled) {
		t.Errorf("for a canceled caller: %v", err)
	}
	if ok, err := q.check(t.Context(), "", secret); ok || err != nil {
		t.Errorf("the password of no user: %v, %v", ok, err)
	}
	if ok, err := q.check(t.Context(), hash(secret), secret); !ok || err != nil {
		t.Errorf("after the rush: %v, %v", ok, err)
	}
}
