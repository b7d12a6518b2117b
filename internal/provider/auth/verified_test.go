package auth

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jose"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestVerifiedTokensExpire moves the clock, and deletes the key of a token that was just
// verified.
func TestVerifiedTokensExpire(t *testing.T) {
	db := storetest.SQLite(t, store.Provider)
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := start
	now := func() time.Time { return at }
	db.SetClock(now)
	k := &Keys{DB: db, Now: now}
	if err := k.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := &Authenticator{DB: db, Directory: &revocable{}, Keys: k, Log: slog.New(slog.DiscardHandler), Now: now, Default: contract.Sandbox}
	token, err := k.Sign(t.Context(), db.SQL, AccessKeys, accessType, at, at.Add(TokenLifetime), jose.Claims{"sub": "1"})
	if err != nil {
		t.Fatal(err)
	}
	h := httpx.API(a.Log, a.Bearer(func(http.ResponseWriter, *http.Request) error { return nil }))
	ask := func(what, token string, want int) {
		t.Helper()
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Authorization", "Bearer "+encode(token))
		rec := httptest.NewRecorder()
		if h.ServeHTTP(rec, r); rec.Code != want {
			t.Errorf("%s: %d, want %d", what, rec.Code, want)
		}
	}
	ask("fresh", token, 200)
	at = start.Add(TokenLifetime - time.Second)
	ask("a second before its end", token, 200)
	ask("from the cache", token, 200)
	at = start.Add(TokenLifetime)
	ask("at its end", token, 401)
	at = start.Add(-time.Hour)
	ask("before it was issued", token, 401)
	at = start.Add(time.Minute)
	ask("within its lifetime", token, 200)
	ask("another signature", token[:len(token)-4]+"AAAA", 403)
	if _, err := db.SQL.Exec(`DELETE FROM signing_keys`); err != nil {
		t.Fatal(err)
	}
	at = at.Add(verifiedFor)
	ask("ten seconds after its key was deleted", token, 403)
}

func TestVerifiedTokensAreBounded(t *testing.T) {
	var v verifiedTokens
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i := range 3 * maxVerified {
		token := []byte(fmt.Sprint(i))
		v.store(token, "1", now, now.Add(time.Minute))
		if v.find(token, now) != "1" {
			t.Fatalf("token %d is not cached", i)
		}
	}
	if len(v.all) > maxVerified {
		t.Errorf("%d tokens are cached, want at most %d", len(v.all), maxVerified)
	}
}
