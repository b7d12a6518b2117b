package auth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jose"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

func TestReplicasShareKeys(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
		db.SetClock(now)
		a, b := &Keys{DB: db, Now: now}, &Keys{DB: db, Now: now}
		var wg sync.WaitGroup
		for _, k := range []*Keys{a, b, a, b} {
			wg.Go(func() {
				if err := k.Ensure(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, p := range []Purpose{ResultKeys, AccessKeys} {
			set, err := b.Set(ctx, db.SQL, p)
			if err != nil || len(set) != 1 {
				t.Fatalf("for %s there are %d keys, %v", p, len(set), err)
			}
			token, err := a.Sign(ctx, db.SQL, p, "x+jwt", now(), now().Add(time.Minute), nil)
			if err != nil {
				t.Fatal(err)
			}
			v := jose.Verifier{Keys: set, Types: []string{"x+jwt"}, Now: now}
			if _, err := v.Verify(ctx, token); err != nil {
				t.Errorf("a token of one replica does not verify at the other: %v", err)
			}
			other, err := b.Set(ctx, db.SQL, map[Purpose]Purpose{ResultKeys: AccessKeys, AccessKeys: ResultKeys}[p])
			if err != nil {
				t.Fatal(err)
			}
			v.Keys = other
			if _, err := v.Verify(ctx, token); !errors.Is(err, jose.ErrUnknownKey) {
				t.Errorf("a token for %s verifies with the keys of the other purpose: %v", p, err)
			}
		}
	})
}

func TestSignWithClockMovedBack(t *testing.T) {
	db := storetest.SQLite(t, store.Provider)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	today := at
	db.SetClock(func() time.Time { return at })
	k := &Keys{DB: db, Now: db.Now, TimeOfDay: func() time.Time { return today }}
	if _, err := k.Sign(t.Context(), db.SQL, ResultKeys, "x", at, at.Add(time.Minute), nil); err == nil {
		t.Error("signed without a key")
	}
	if err := k.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	at = at.AddDate(-1, 0, 0)
	token, err := k.SignResult(t.Context(), db.SQL, map[string]any{"outcome": "EXIT"})
	if err != nil {
		t.Fatalf("before every key: %v", err)
	}
	// The receiver's clock does not move with the sandbox's.
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var claims struct{ IAT, EXP int64 }
	if err := json.Unmarshal(payload, &claims); err != nil {
		t.Fatal(err)
	}
	if claims.IAT != today.Unix() || claims.EXP != today.Add(ResultLifetime).Unix() {
		t.Errorf("iat %d, exp %d; want the time of day, %d, and 5 minutes more", claims.IAT, claims.EXP, today.Unix())
	}
}

// directory has a parent, its children in both environments, and an unrelated account.
type directory struct{ hash []byte }

func (d directory) Clients(_ context.Context, _ store.Queryer, id string) ([]Client, error) {
	if id != "parent" {
		return nil, nil
	}
	return []Client{{CredentialID: "1", SecretHash: d.hash, Caller: Caller{CustomerID: "p",
		PublicID: "pub-p", Environment: contract.Sandbox}}}, nil
}

func (d directory) Client(context.Context, store.Queryer, string) (Client, error) {
	return Client{}, store.ErrNotFound
}

func (d directory) MarkUsed(context.Context, *store.Tx, string, time.Time) error { return nil }

func (d directory) Account(_ context.Context, _ store.Queryer, publicID string) (Caller, error) {
	switch publicID {
	case "pub-child":
		return Caller{CustomerID: "c", PublicID: publicID, ParentID: "p", Environment: contract.Sandbox}, nil
	case "pub-abroad":
		return Caller{CustomerID: "a", PublicID: publicID, ParentID: "p", Environment: contract.Production}, nil
	case "pub-stranger":
		return Caller{CustomerID: "s", PublicID: publicID, Environment: contract.Sandbox}, nil
	}
	return Caller{}, store.ErrNotFound
}

func TestParentActsForChildren(t *testing.T) {
	db := storetest.SQLite(t, store.Provider)
	a := &Authenticator{DB: db, Directory: directory{store.Hash("s3cret")},
		Log: slog.New(slog.DiscardHandler), Now: time.Now, Default: contract.Sandbox}
	for publicID, want := range map[string]string{"": "p", "pub-p": "p", "pub-child": "c",
		"pub-abroad": "", "pub-stranger": "", "pub-unknown": ""} {
		got := ""
		h := httpx.API(a.Log, a.Basic(func(w http.ResponseWriter, r *http.Request) error {
			got = CallerOf(r.Context()).CustomerID
			return nil
		}))
		r := httptest.NewRequest("GET", "/", nil)
		r.SetBasicAuth("parent", "s3cret")
		if publicID != "" {
			r.Header.Set("X-PUBLIC-ID", publicID)
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if got != want || (want == "") != (rec.Code == http.StatusForbidden) {
			t.Errorf("X-PUBLIC-ID %q acts for %q with %d, want %q", publicID, got, rec.Code, want)
		}
	}
}

func TestNamedEnvironment(t *testing.T) {
	a := &Authenticator{Default: contract.Production}
	for name, c := range map[string]struct {
		headers []string
		want    contract.Environment // "": refused
	}{
		"none":       {nil, contract.Production},
		"empty":      {[]string{""}, contract.Production},
		"own":        {[]string{"production"}, contract.Production},
		"other":      {[]string{" sandbox "}, contract.Sandbox},
		"in capital": {[]string{"Sandbox"}, ""},
		"unknown":    {[]string{"staging"}, ""},
		"twice":      {[]string{"sandbox", "sandbox"}, ""},
		"a list":     {[]string{"sandbox, production"}, ""},
		"no text":    {[]string{"\xff"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			r.Header["X-Environment"] = c.headers
			got, err := a.Environment(r)
			if e := httpx.AsError(err); (err != nil) != (c.want == "") || err == nil && got != c.want ||
				err != nil && (e.Code != contract.CodeMalformedHeaders || e.Details[0].Field != "X-ENVIRONMENT") {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestRejectsTokenOfRevokedSecret checks that a token is rejected as soon as the
// credential that obtained it is revoked.
func TestRejectsTokenOfRevokedSecret(t *testing.T) {
	db := storetest.SQLite(t, store.Provider)
	d := &revocable{}
	k := &Keys{DB: db, Now: time.Now}
	if err := k.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := &Authenticator{DB: db, Directory: d, Keys: k, Log: slog.New(slog.DiscardHandler), Now: time.Now, Default: contract.Sandbox}
	token, err := k.Sign(t.Context(), db.SQL, AccessKeys, accessType, time.Now(), time.Now().Add(TokenLifetime), jose.Claims{"sub": "1"})
	if err != nil {
		t.Fatal(err)
	}
	h := httpx.API(a.Log, a.Bearer(func(http.ResponseWriter, *http.Request) error { return nil }))
	for _, want := range []int{200, 403} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Authorization", "Bearer "+encode(token))
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if rec.Code != want {
			t.Errorf("revoked %v: %d, want %d", d.revoked, rec.Code, want)
		}
		d.revoked = true
	}
}

type revocable struct {
	directory
	revoked bool
}

func (d *revocable) Client(context.Context, store.Queryer, string) (Client, error) {
	if d.revoked {
		return Client{}, store.ErrNotFound
	}
	return Client{CredentialID: "1", Caller: Caller{CustomerID: "p", Environment: contract.Sandbox}}, nil
}

// TestMarksUseOncePerHour counts the writes of requests within an hour and after it.
func TestMarksUseOncePerHour(t *testing.T) {
	db := storetest.SQLite(t, store.Provider)
	at := time.Date(2026, 3, 1, 12, 59, 0, 0, time.UTC)
	d := &used{directory: directory{store.Hash("s3cret")}}
	a := &Authenticator{DB: db, Directory: d, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return at },
		Default: contract.Sandbox}
	h := httpx.API(a.Log, a.Basic(func(http.ResponseWriter, *http.Request) error { return nil }))
	for i, want := range []int{1, 1, 2, 2} {
		if i == 2 {
			at = at.Add(time.Minute)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.SetBasicAuth("parent", "s3cret")
		rec := httptest.NewRecorder()
		if h.ServeHTTP(rec, r); rec.Code != 200 || d.writes != want || !d.hour.Equal(at.Truncate(time.Hour)) {
			t.Errorf("request %d: %d, with %d writes, the last of %v; want %d", i, rec.Code, d.writes, d.hour, want)
		}
	}
	at, d.err = at.Add(time.Hour), errors.New("the disk is full")
	r := httptest.NewRequest("GET", "/", nil)
	r.SetBasicAuth("parent", "s3cret")
	rec := httptest.NewRecorder()
	if h.ServeHTTP(rec, r); rec.Code != 200 {
		t.Errorf("a request whose use is not kept: %d", rec.Code)
	}
}

// used is a directory that keeps and counts uses.
type used struct {
	directory
	hour   time.Time
	writes int
	err    error
}

func (d *used) Clients(ctx context.Context, q store.Queryer, id string) ([]Client, error) {
	all, err := d.directory.Clients(ctx, q, id)
	for i := range all {
		all[i].Used = d.hour
	}
	return all, err
}

func (d *used) MarkUsed(_ context.Context, _ *store.Tx, _ string, hour time.Time) error {
	d.hour = hour
	d.writes++
	return d.err
}

func FuzzAuthorization(f *testing.F) {
	for _, s := range []string{"Basic YTpi", "Bearer ", "Basic  x", "\tBasic YTpi", "Basic YTpi=", "Basic ===="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header["Authorization"] = []string{value}
		got, err := authorization(r, "Basic")
		if err == nil && got == "" {
			t.Errorf("%q was read as an empty credential", value)
		}
		if raw, err := decode(got); err == nil && encode(string(raw)) != padded(got) {
			t.Errorf("%q decodes, but its bytes encode to another text", got)
		}
	})
}

func encode(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// padded returns base64 with the padding that its length requires.
func padded(s string) string {
	s = strings.TrimRight(s, "=")
	return s + strings.Repeat("=", (4-len(s)%4)%4)
}
