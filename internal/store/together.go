package store

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// longestTurn bounds a run that several wait for: none of them can end it alone.
const longestTurn = 10 * time.Second

// Together has those who ask for the same thing at the same time answered by one
// run. Who comes while a run is under way waits for the next one, which begins after
// they came: so everybody gets what a run of their own could have found, and nobody
// anything that was so before they asked. Nothing is kept between runs. The zero
// value is ready.
type Together[K comparable, V any] struct {
	mu   sync.Mutex
	runs map[K]*turn[V] // keys with a run under way; the turn after it, nil while nobody waits
}

// turn is a run that somebody waits for.
type turn[V any] struct {
	ctx   context.Context // the first one's, without its end
	f     func(ctx context.Context) (V, error)
	done  chan struct{}
	value V
	err   error
}

// Do returns what f returns, called here or for somebody else with the same key. f
// must do the same for everybody who gives that key, and what it returns must not be
// changed.
func (t *Together[K, V]) Do(ctx context.Context, key K, f func(ctx context.Context) (V, error)) (V, error) {
	t.mu.Lock()
	next, busy := t.runs[key]
	if !busy {
		if t.runs == nil {
			t.runs = map[K]*turn[V]{}
		}
		t.runs[key] = nil
		t.mu.Unlock()
		defer t.pass(key)
		return f(ctx)
	}
	if next == nil {
		next = &turn[V]{ctx: context.WithoutCancel(ctx), f: f, done: make(chan struct{})}
		t.runs[key] = next
	}
	t.mu.Unlock()
	select {
	case <-next.done:
		return next.value, next.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// pass begins the turn that is waited for, after a run has ended.
func (t *Together[K, V]) pass(key K) {
	t.mu.Lock()
	next := t.runs[key]
	if next == nil {
		delete(t.runs, key)
	} else {
		t.runs[key] = nil
	}
	t.mu.Unlock()
	if next != nil {
		go t.take(key, next)
	}
}

func (t *Together[K, V]) take(key K, n *turn[V]) {
	defer t.pass(key)
	defer close(n.done)
	defer func() {
		if p := recover(); p != nil { // those who wait are told; nobody else is to fall
			n.err = fmt.Errorf("store: panic: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(n.ctx, longestTurn)
	defer cancel()
	n.value, n.err = n.f(ctx)
}
