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

// longestRun bounds a run that several wait for: none of them can end it alone.
const longestRun = 10 * time.Second

var errNoEnd = errors.New("store: a run for several did not return")

// run is a call that is made for all who wait for it.
type run[V any] struct {
	ctx    context.Context // the first one's
	shared bool            // others wait too
	done   chan struct{}
	value  V
	err    error
}

func newRun[V any](ctx context.Context) run[V] {
	return run[V]{ctx: ctx, done: make(chan struct{}), err: errNoEnd}
}

// call makes the call. A panic in it is an error to all.
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

// Coalescer has those who ask for the same thing at the same time answered by one
// run. Who comes while a run is under way waits for the next one, which begins after
// they came: so everybody gets what a run of their own could have found, and nobody
// anything that was so before they asked. Nothing is kept between runs. The zero
// value is ready.
type Coalescer[K comparable, V any] struct {
	mu   sync.Mutex
	keys map[K]*turn[V] // those that are asked for; the run that can still be joined, nil for none
}

type turn[V any] struct {
	run[V]
	f func(ctx context.Context) (V, error)
}

// Do returns what f returns, called here or for somebody else with the same key. f
// must do the same for everybody who gives that key, and what it returns must not be
// changed.
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
		t.take(key)
	}
	if err := next.wait(ctx); err != nil {
		var none V
		return none, err
	}
	return next.value, next.err
}

// take makes the run that waits, and hands on to the next one.
func (t *Coalescer[K, V]) take(key K) {
	runtime.Gosched() // those who are about to ask can join
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
		go t.take(key)
	}()
	next.call(next.f)
}

// maxGathered is how many keys a question has at most.
const maxGathered = 16

// Batcher is Together for questions that can be asked of many keys at once, as by
// WHERE id IN: who asks while a question is under way is in the next one, whatever
// their key. The zero value is ready.
type Batcher[K comparable, V any] struct {
	mu   sync.Mutex
	busy bool
	next *question[K, V] // the one that can still be joined; nil for none
}

type question[K comparable, V any] struct {
	run[map[K]V]
	f    func(ctx context.Context, keys []K) (map[K]V, error)
	keys []K
}

func (q *question[K, V]) put() {
	q.call(func(ctx context.Context) (map[K]V, error) { return q.f(ctx, q.keys) })
}

// Ask returns what f, called here or for somebody else, finds for the key; the zero
// value where it finds nothing. f gets 1 to 16 different keys, must do the same for
// everybody, and what it returns must not be changed.
func (g *Batcher[K, V]) Ask(ctx context.Context, key K, f func(ctx context.Context, keys []K) (map[K]V, error)) (V, error) {
	g.mu.Lock()
	q := g.next
	if q != nil {
		q.shared = true
	} else {
		q = &question[K, V]{run: newRun[map[K]V](ctx), f: f}
		g.next = q
	}
	if !slices.Contains(q.keys, key) {
		q.keys = append(q.keys, key)
	}
	full := len(q.keys) == maxGathered
	if full {
		g.next = nil
	}
	busy := g.busy
	g.busy = true
	g.mu.Unlock()
	if full {
		q.put() // beside the one that is under way
	}
	if !busy {
		g.take()
	}
	if err := q.wait(ctx); err != nil {
		var none V
		return none, err
	}
	return q.value[key], q.err
}

// take puts the question that waits, and hands on to the next one.
func (g *Batcher[K, V]) take() {
	runtime.Gosched() // those who are about to ask can join
	g.mu.Lock()
	q := g.next
	g.next = nil
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.busy = g.next != nil
		if g.busy {
			go g.take()
		}
	}()
	if q != nil {
		q.put()
	}
}

// PadCount is how many a query is written for that has n values: 1, 4, 16 and so on, so
// that its texts are few.
func PadCount(n int) int {
	to := 1
	for to < n {
		to *= 4
	}
	return to
}

// InList is what follows IN for the values, whose first placeholder has the number from,
// and its arguments; Padded says how many, by repeating the last one.
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
