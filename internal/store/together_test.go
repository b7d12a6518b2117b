package store

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestNobodyGetsWhatWasSoBeforeTheyAsked(t *testing.T) {
	var together Together[string, int64]
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
	if n := runs.Load(); n > askers*each || len(together.runs) != 0 {
		t.Errorf("%d runs, and %d keys are kept", n, len(together.runs))
	}
}

func TestThoseWhoWaitShareARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var together Together[string, int]
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
		if len(together.runs) > 0 {
			t.Errorf("%d keys are kept", len(together.runs))
		}
	})
}

func TestAPanicIsToldToThoseWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var together Together[string, int]
		func() {
			defer func() {
				if p := recover(); p != "first" {
					t.Errorf("the panic of a run of one's own: %v", p)
				}
			}()
			together.Do(t.Context(), "k", func(context.Context) (int, error) {
				go func() {
					_, err := together.Do(t.Context(), "k", func(context.Context) (int, error) { panic("again") })
					if err == nil || !strings.Contains(err.Error(), "again") {
						t.Errorf("who waited: %v", err)
					}
				}()
				synctest.Wait()
				panic("first")
			})
		}()
		synctest.Wait()
		if n, err := together.Do(t.Context(), "k", func(context.Context) (int, error) { return 7, nil }); n != 7 || err != nil {
			t.Errorf("after that: %d, %v", n, err)
		}
	})
}
