package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"
)

// longestRun bounds a shared run, which no single caller's context can end.
const longestRun = 10 * time.Second

var errGoexit = errors.New("store: a run for several did not return")

// run is one call whose result all its waiters share.
type run[V any] struct {
	ctx    context.Context // the first caller's
	shared bool            // more than one caller waits
	done   chan struct{}
	value  V
	err    error
}

func newRun[V any](ctx context.Context) run[V] {
	return run[V]{ctx: ctx, done: make(chan struct{}), err: errGoexit}
}

// call runs f. A panic in it becomes an error for every waiter.
func (r *run[V]) call(f func(ctx context.Context) (V, error)) {
	defer close(r.done)
	defer func() {
		if p := recover(); p != nil {
			r.err = fmt.Errorf("store: panic: %v\n%s", p, debug.Stack())
		}
	}()
	ctx := r.ctx
	if r.shared {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), longestRun)
		defer cancel()
	}
	r.value, r.err = f(ctx)
}

func (r *run[V]) wait(ctx context.Context) error {
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Coalescer answers concurrent calls with the same key by one run. A call that arrives
// during a run waits for the next run, which begins after it. So no caller gets a
// result from before its call. Nothing is cached between runs. The zero value is ready.
//
// Over 64 connections on PostgreSQL, the status endpoint reaches 0.70 of the rate of a
// bare SELECT with it, and 0.52 without (make bench ONLY=api).
type Coalescer[K comparable, V any] struct {
	mu   sync.Mutex
	keys map[K]*turn[V] // active keys; the value is the run that calls can still join, or nil
}

type turn[V any] struct {
	run[V]
	f func(ctx context.Context) (V, error)
}

// Do returns the result of f, called here or by a concurrent caller with the same key.
// f must do the same for every caller with that key, and its result must not be
// modified.
func (t *Coalescer[K, V]) Do(ctx context.Context, key K, f func(ctx context.Context) (V, error)) (V, error) {
	t.mu.Lock()
	next, busy := t.keys[key]
	if next != nil {
		next.shared = true
	} else {
		next = &turn[V]{newRun[V](ctx), f}
		if t.keys == nil {
			t.keys = map[K]*turn[V]{}
		}
		t.keys[key] = next
	}
	t.mu.Unlock()
	if !busy {
		t.runNext(key)
	}
	if err := next.wait(ctx); err != nil {
		var none V
		return none, err
	}
	return next.value, next.err
}

// runNext runs the waiting call, then starts the next one, if any.
func (t *Coalescer[K, V]) runNext(key K) {
	runtime.Gosched() // lets concurrent callers join
	t.mu.Lock()
	next := t.keys[key]
	t.keys[key] = nil
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.keys[key] == nil {
			delete(t.keys, key)
			return
		}
		go t.runNext(key)
	}()
	next.call(next.f)
}

// maxBatchKeys is the maximum number of keys in one batch.
const maxBatchKeys = 16

// Batcher is a Coalescer for questions that can be asked of many keys at once, as by
// WHERE id IN. A call that arrives while a question is answered joins the next one,
// whatever its key. The zero value is ready.
//
// Over 64 connections on PostgreSQL, renewing a sharing token reaches 0.50 of the rate of
// a bare SELECT with it, and 0.10 without (make bench ONLY=api).
type Batcher[K comparable, V any] struct {
	mu   sync.Mutex
	busy bool
	next *keyBatch[K, V] // the batch that calls can still join, or nil
}

type keyBatch[K comparable, V any] struct {
	run[map[K]V]
	f    func(ctx context.Context, keys []K) (map[K]V, error)
	keys []K
}

func (q *keyBatch[K, V]) put() {
	q.call(func(ctx context.Context) (map[K]V, error) { return q.f(ctx, q.keys) })
}

// Do returns the result of f for key; f is called here or by a concurrent caller. The
// result is the zero value if f finds nothing. f gets 1 to 16 different keys, must do
// the same for every caller, and its result must not be modified.
func (g *Batcher[K, V]) Do(ctx context.Context, key K, f func(ctx context.Context, keys []K) (map[K]V, error)) (V, error) {
	g.mu.Lock()
	q := g.next
	if q != nil {
		q.shared = true
	} else {
		q = &keyBatch[K, V]{run: newRun[map[K]V](ctx), f: f}
		g.next = q
	}
	if !slices.Contains(q.keys, key) {
		q.keys = append(q.keys, key)
	}
	full := len(q.keys) == maxBatchKeys
	if full {
		g.next = nil
	}
	busy := g.busy
	g.busy = true
	g.mu.Unlock()
	if full {
		q.put() // concurrently with the running one
	}
	if !busy {
		g.runNext()
	}
	if err := q.wait(ctx); err != nil {
		var none V
		return none, err
	}
	return q.value[key], q.err
}

// runNext runs the waiting batch, then starts the next one, if any.
func (g *Batcher[K, V]) runNext() {
	runtime.Gosched() // lets concurrent callers join
	g.mu.Lock()
	q := g.next
	g.next = nil
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.busy = g.next != nil
		if g.busy {
			go g.runNext()
		}
	}()
	if q != nil {
		q.put()
	}
}

// PadCount returns the number of placeholders for n values: the next power of 4. This
// keeps the number of different query texts small.
func PadCount(n int) int {
	to := 1
	for to < n {
		to *= 4
	}
	return to
}

// InList returns the parenthesized list that follows IN, whose first placeholder has
// the number from, and its arguments. It repeats the last value up to PadCount
// placeholders.
func InList(from int, values []string) (list string, args []any) {
	n := PadCount(len(values))
	text := append(make([]byte, 0, 5*n), '(')
	for i := range n {
		text = strconv.AppendInt(append(text, '$'), int64(from+i), 10)
		text = append(text, ',')
		args = append(args, values[min(i, len(values)-1)])
	}
	text[len(text)-1] = ')'
	return string(text), args
}
