package store

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestCoalescedAnswersAreNotStale(t *testing.T) {
	var together Coalescer[string, int64]
	var state, runs atomic.Int64
	var wg sync.WaitGroup
	const askers, each = 32, 200
	for range askers {
		wg.Go(func() {
			for range each {
				before := state.Add(1)
				got, err := together.Do(t.Context(), "k", func(context.Context) (int64, error) {
					runs.Add(1)
					found := state.Load()
					runtime.Gosched() // others come meanwhile
					return found, nil
				})
				if err != nil || got < before {
					t.Errorf("got %d, %v, of what was %d when it was asked for", got, err, before)
				}
			}
		})
	}
	wg.Wait()
	if n := runs.Load(); n > askers*each || len(together.keys) != 0 {
		t.Errorf("%d runs, and %d keys are kept", n, len(together.keys))
	}
}

func TestWaitingCallersShareARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var together Coalescer[string, int]
		var runs atomic.Int64
		asked := func(ctx context.Context, key string, want int, refused error) {
			n, err := together.Do(ctx, key, func(ctx context.Context) (int, error) { return int(runs.Add(1)), ctx.Err() })
			if n != want || !errors.Is(err, refused) {
				t.Errorf("%s: %d, %v, want %d, %v", key, n, err, want, refused)
			}
		}
		leaving, leave := context.WithCancel(t.Context())
		together.Do(t.Context(), "k", func(context.Context) (int, error) {
			go asked(leaving, "k", 0, context.Canceled) // the next run is this one's
			synctest.Wait()
			for range 10 {
				go asked(t.Context(), "k", 2, nil)
			}
			asked(t.Context(), "another", 1, nil)
			synctest.Wait()
			leave()
			synctest.Wait()
			return 0, nil
		})
		synctest.Wait()
		asked(t.Context(), "k", 3, nil)
		if len(together.keys) > 0 {
			t.Errorf("%d keys are kept", len(together.keys))
		}
	})
}

func TestPanicReachesAllCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var together Coalescer[string, int]
		var gather Batcher[string, int]
		for what, ask := range map[string]func(f func() int) (int, error){
			"together": func(f func() int) (int, error) {
				return together.Do(t.Context(), "k", func(context.Context) (int, error) { return f(), nil })
			},
			"gather": func(f func() int) (int, error) {
				return gather.Do(t.Context(), "k", func(context.Context, []string) (map[string]int, error) { return map[string]int{"k": f()}, nil })
			},
		} {
			wantPanic := func(f func() int) {
				if _, err := ask(f); err == nil || !strings.Contains(err.Error(), "panic: here") {
					t.Errorf("%s: %v", what, err)
				}
			}
			wantPanic(func() int {
				go wantPanic(func() int { panic("here") })
				go wantPanic(func() int { panic("here") })
				synctest.Wait()
				panic("here")
			})
			synctest.Wait()
			if n, err := ask(func() int { return 7 }); n != 7 || err != nil {
				t.Errorf("%s after that: %d, %v", what, n, err)
			}
		}
	})
}

func TestOneQuestionForAllKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var gather Batcher[int, int]
		var questions [][]int
		var mu sync.Mutex
		twice := func(_ context.Context, keys []int) (map[int]int, error) {
			mu.Lock()
			questions = append(questions, slices.Sorted(slices.Values(keys)))
			mu.Unlock()
			found := map[int]int{}
			for _, k := range keys {
				if k != 3 {
					found[k] = 2 * k
				}
			}
			return found, nil
		}
		asked := func(key, want int) {
			if n, err := gather.Do(t.Context(), key, twice); n != want || err != nil {
				t.Errorf("%d: %d, %v, want %d", key, n, err, want)
			}
		}
		gather.Do(t.Context(), 0, func(context.Context, []int) (map[int]int, error) {
			for range 2 {
				for k := range 5 {
					go asked(k, []int{0, 2, 4, 0, 8}[k])
				}
			}
			synctest.Wait()
			if len(questions) > 0 {
				t.Errorf("asked beside the one that is under way: %v", questions)
			}
			for k := range maxBatchKeys - 5 {
				go asked(100+k, 200+2*k)
			}
			synctest.Wait()
			if len(questions) != 1 || len(questions[0]) != maxBatchKeys {
				t.Errorf("as many as a question may have: %v", questions)
			}
			go asked(1, 2)
			synctest.Wait()
			return nil, nil
		})
		synctest.Wait()
		asked(2, 4)
		if len(questions) != 3 || !slices.Equal(questions[1], []int{1}) || !slices.Equal(questions[2], []int{2}) || gather.busy {
			t.Errorf("after that: %v, busy %v", questions, gather.busy)
		}
	})
}

func TestBatchedAnswersMatchTheirKeys(t *testing.T) {
	var gather Batcher[int64, int64]
	var state atomic.Int64
	var wg sync.WaitGroup
	for i := range int64(48) {
		wg.Go(func() {
			for n := range int64(100) {
				key, before := (i+n)%40, state.Add(1)
				got, err := gather.Do(t.Context(), key, func(_ context.Context, keys []int64) (map[int64]int64, error) {
					found, at := map[int64]int64{}, state.Load()
					for _, k := range keys {
						found[k] = at*100 + k
					}
					runtime.Gosched()
					return found, nil
				})
				if err != nil || got%100 != key || got/100 < before {
					t.Errorf("%d: %d, %v, of what was %d when it was asked for", key, got, err, before)
				}
			}
		})
	}
	wg.Wait()
}

func TestInListLimitsQueryTexts(t *testing.T) {
	texts := map[string]bool{}
	for n := 1; n <= maxBatchKeys; n++ {
		values := make([]string, n)
		for i := range values {
			values[i] = string(rune('a' + i))
		}
		list, args := InList(2, values)
		texts[list] = true
		if args[0] != "a" || args[n-1] != values[n-1] || args[len(args)-1] != values[n-1] || strings.Count(list, "$") != len(args) {
			t.Errorf("In(2, %q) = %s, %v", values, list, args)
		}
	}
	if len(texts) != 3 || !texts["($2)"] || !texts["($2,$3,$4,$5)"] {
		t.Errorf("texts: %v", texts)
	}
}
