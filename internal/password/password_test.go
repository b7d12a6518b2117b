package password

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/store/storetest"
)

const right = "correct horse battery"

func TestHashes(t *testing.T) {
	hash := Hash(right)
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("kept as %q", hash)
	}
	if ok, err := check(hash, right); !ok || err != nil {
		t.Errorf("the right password: %v, %v", ok, err)
	}
	if ok, err := check(hash, right+" "); ok || err != nil {
		t.Errorf("another password: %v, %v", ok, err)
	}
	for _, bad := range []string{"", "x", "$argon2i$v=19$m=1,t=1,p=1$aaaa$aaaa", strings.Replace(hash, "v=19", "v=16", 1), strings.Replace(hash, "p=1", "p=0", 1), hash[:len(hash)-44]} {
		if ok, err := check(bad, right); ok || err == nil {
			t.Errorf("check(%q) = %v, %v, want an error", bad, ok, err)
		}
	}
}

func TestOneIsHashedAtATimeAndFewWait(t *testing.T) {
	var q Queue
	hold, held := make(chan struct{}), make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() { q.Do(context.Background(), func() { close(held); <-hold }) })
	<-held
	var running, busy, done atomic.Int32
	for range 3 * MaxWaiting {
		wait.Go(func() {
			err := q.Do(context.Background(), func() {
				if running.Add(1) > 1 {
					t.Error("two at once")
				}
				running.Add(-1)
				done.Add(1)
			})
			if errors.Is(err, ErrBusy) && busy.Add(1) == 2*MaxWaiting+1 {
				close(hold) // all that are turned away have been
			}
		})
	}
	wait.Wait()
	if done.Load() != MaxWaiting-1 || busy.Load() != 2*MaxWaiting+1 {
		t.Errorf("%d hashed and %d turned away, want %d and %d", done.Load(), busy.Load(), MaxWaiting-1, 2*MaxWaiting+1)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Check(gone, "", right); !errors.Is(err, context.Canceled) {
		t.Errorf("for nobody that waits: %v", err)
	}
	if ok, err := q.Check(t.Context(), "", right); ok || err != nil {
		t.Errorf("the password of nobody: %v, %v", ok, err)
	}
	if ok, err := q.Check(t.Context(), Hash(right), right); !ok || err != nil {
		t.Errorf("after the rush: %v, %v", ok, err)
	}
}

func TestTriesAreCountedByAddressAndPlace(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
		take := func(email, place string) bool {
			t.Helper()
			ok, err := Take(t.Context(), db, email, place, now)
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		var allowed atomic.Int32
		var wait sync.WaitGroup
		for range 2 * TriesHere {
			wait.Go(func() {
				if ok, err := Take(t.Context(), db, "a@b.example", "here", now); err != nil {
					t.Error(err)
				} else if ok {
					allowed.Add(1)
				}
			})
		}
		wait.Wait()
		if allowed.Load() != TriesHere {
			t.Errorf("%d tries at once were allowed, want %d", allowed.Load(), TriesHere)
		}
		if !take("a@b.example", "there") || !take("c@b.example", "here") {
			t.Error("another place or another address is held up")
		}
		for i := range TriesTotal {
			take("a@b.example", fmt.Sprint(i))
		}
		if take("a@b.example", "anywhere") {
			t.Error("a hundred places get more than a hundred tries")
		}
		now = now.Add(Window)
		if !take("a@b.example", "here") {
			t.Error("held up after the window")
		}
		for range TriesHere {
			take("d@b.example", "here")
		}
		if err := Forget(t.Context(), db.SQL, "d@b.example", "here", now); err != nil || !take("d@b.example", "here") {
			t.Errorf("a success does not clear the tries: %v", err)
		}
		if err := Sweep(t.Context(), db, now.Add(kept+time.Second)); err != nil {
			t.Fatal(err)
		}
		var left int
		if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM sign_in_tries`).Scan(&left); err != nil || left != 0 {
			t.Errorf("%d tries are kept for ever: %v", left, err)
		}
	})
}

func TestPlaceAndEmail(t *testing.T) {
	r := httptest.NewRequest("POST", "/", nil)
	r.RemoteAddr = "192.0.2.7:1234"
	r.Header.Set("X-Forwarded-For", "198.51.100.1")
	if got := Place(r); got != "192.0.2.7" {
		t.Errorf("Place = %q: forwarding headers are anybody's", got)
	}
	for in, want := range map[string]string{" Ana@Example.COM ": "ana@example.com", "": "", strings.Repeat("a", 255): ""} {
		if got := Email(in); got != want {
			t.Errorf("Email(%q) = %q, want %q", in, got, want)
		}
	}
}
