package embedkit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
	portalui "vestibule/templates/portal"
)

const shop = "https://shop.example"

type files struct{}

func (files) URL(name string) string { return "/assets/" + name }

func (files) Stable(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, name) })
}

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// testKit is a kit with a fixed clock.
type testKit struct {
	*Kit
	t   *testing.T
	mux *http.ServeMux
	now time.Time
}

func newKit(t *testing.T, db *store.DB) *testKit {
	k := &testKit{t: t, mux: http.NewServeMux(), now: noon}
	db.SetClock(func() time.Time { return k.now })
	k.Kit = &Kit{DB: db, Now: db.Now, Assets: files{},
		Base:  func(*http.Request) portalui.Base { return portalui.Base{Lang: i18n.English, Assets: files{}} },
		Adapt: func(h httpx.HandlerFunc) http.Handler { return httpx.API(slog.New(slog.DiscardHandler), h) }}
	k.Routes(k.mux)
	return k
}

// token issues an embed token for an application.
func (k *testKit) token(id, origin string) (token string) {
	k.t.Helper()
	err := k.DB.Tx(k.t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		token, err = k.Token(ctx, tx, id, origin)
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return token
}

// embedToken issues a token for a new application that the shop may frame.
func (k *testKit) embedToken() (id, token string) {
	k.t.Helper()
	id = uuid.NewString()
	return id, k.token(id, shop)
}

func (c *testKit) redeem(grant, session string) (id string, err error) {
	err = c.DB.Tx(c.t.Context(), func(ctx context.Context, tx *store.Tx) error {
		id, err = c.Redeem(ctx, tx, grant, session)
		return err
	})
	return id, err
}

// atOnce counts how many of six concurrent calls get the application, and checks that
// the others get ErrNotFound.
func atOnce(t *testing.T, id string, ask func(i int) (string, error)) int {
	t.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 6 {
		wg.Go(func() {
			got, err := ask(i)
			mu.Lock()
			defer mu.Unlock()
			if err == nil && got == id {
				won++
			} else if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("asked at once = %s, %v", got, err)
			}
		})
	}
	wg.Wait()
	return won
}

func key22(i int) string { return fmt.Sprintf("%022d", i) }

func TestTokenBelongsToFirstBrowser(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		c := newKit(t, db)
		id, token := c.embedToken()
		if won := atOnce(t, id, func(i int) (string, error) { return c.redeem(token, fmt.Sprint("session-", i)) }); won != 1 {
			t.Errorf("%d browsers got the application, want 1", won)
		}
		if _, _, _, err := c.Grant(t.Context(), token, true); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("in a frame after a browser has it: %v", err)
		}
		id, token = c.embedToken()
		for range 2 {
			if got, err := c.redeem(token, "mine"); err != nil || got != id {
				t.Errorf("the same browser again: %s, %v", got, err)
			}
		}
		_, late := c.embedToken()
		c.now = noon.Add(GrantLife)
		for _, token := range []string{late, "unknown", "", late + "." + key22(1), strings.Repeat("x", 200)} {
			if _, err := c.redeem(token, "mine"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("redeem of %.9s = %v", token, err)
			}
			if _, _, _, err := c.Grant(t.Context(), token, true); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("grant of %.9s = %v", token, err)
			}
		}
		if _, err := c.redeem(token, ""); err == nil {
			t.Error("redeemed without a session")
		}
	})
}

func TestTokenBelongsToFramesOfOnePage(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		c := newKit(t, db)
		grant := func(token string, opens bool) (string, error) {
			id, _, origin, err := c.Grant(t.Context(), token, opens)
			if err == nil && origin != shop {
				t.Errorf("the origin is %q", origin)
			}
			return id, err
		}
		id, token := c.embedToken()
		if _, err := grant(token+"."+key22(1), false); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a script before any page = %v", err)
		}
		if won := atOnce(t, id, func(i int) (string, error) { return grant(token+"."+key22(i), true) }); won != 1 {
			t.Errorf("%d pages got the token, want 1", won)
		}

		// One page may load its frame repeatedly, even concurrently.
		id, token = c.embedToken()
		mine := token + "." + key22(7)
		if won := atOnce(t, id, func(int) (string, error) { return grant(mine, true) }); won != 6 {
			t.Errorf("%d frames of one page got the application, want 6", won)
		}
		if got, err := grant(mine, false); err != nil || got != id {
			t.Errorf("a script of the frame = %s, %v", got, err)
		}
		for _, other := range []string{token, token + "." + key22(8), token + ".", token + ".short", mine + "'", mine + "." + key22(7)} {
			if _, err := grant(other, true); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("another key, %s: %v", strings.TrimPrefix(other, token), err)
			}
			if _, err := c.redeem(other, "thief"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("redeemed with another key, %s: %v", strings.TrimPrefix(other, token), err)
			}
		}

		// Redeeming with the key moves access from the frame to the session.
		if got, err := c.redeem(mine, "window"); err != nil || got != id {
			t.Errorf("out of the frame: %s, %v", got, err)
		}
		if _, err := grant(mine, true); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the frame after the window has it: %v", err)
		}

		// A frame without a key gets a new one.
		id, token = c.embedToken()
		got, held, _, err := c.Grant(t.Context(), token, true)
		if err != nil || got != id || !strings.HasPrefix(held, token+".") {
			t.Fatalf("a frame without a key: %s, %.60s, %v", got, held, err)
		}
		if got, err := grant(held, false); err != nil || got != id {
			t.Errorf("with the key that it got: %s, %v", got, err)
		}
	})
}

// page requests the frame's first page.
func (c *testKit) page(grant string, query url.Values, dest string) *http.Response {
	if query == nil {
		query = url.Values{}
	}
	query.Set("grant", grant)
	r := httptest.NewRequest("GET", "/embed/v1/frame?"+query.Encode(), nil)
	if dest != "" {
		r.Header.Set("Sec-Fetch-Dest", dest)
	}
	w := httptest.NewRecorder()
	c.mux.ServeHTTP(w, r)
	return w.Result()
}

func TestFirstPageOfAFrame(t *testing.T) {
	c := newKit(t, storetest.SQLite(t, store.Portal))
	id, token := c.embedToken()
	mine := token + "." + key22(1)
	at := url.Values{"origin": {shop}, "lang": {"es"}}
	for range 2 {
		resp := c.page(mine, at, "iframe")
		want := "/applications/" + id + "/connect?grant=" + url.QueryEscape(mine) + "&lang=es"
		if resp.StatusCode != 303 || resp.Header.Get("Location") != want {
			t.Fatalf("a frame = %d %s", resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	if resp := c.page(token, nil, "document"); resp.StatusCode != 303 || !strings.HasSuffix(resp.Header.Get("Location"), "&window=top") {
		t.Errorf("a window = %d %s", resp.StatusCode, resp.Header.Get("Location"))
	}

	_, used := c.embedToken()
	if _, _, _, err := c.Grant(t.Context(), used+"."+key22(1), true); err != nil {
		t.Fatal(err)
	}
	nowhere := c.token(id, "")
	_, ended := c.embedToken()
	if _, err := c.DB.SQL.Exec(`UPDATE embed_grants SET expires_at = $1 WHERE hash = $2`, store.Micros(noon), store.Hash(ended)); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, grant, origin, dest string
		status                    int
		problem                   Problem
		ancestors                 string
	}{
		{"unknown", "unknown." + key22(1), shop, "iframe", 404, ProblemToken, "*"},
		{"malformed", token + ".x", shop, "iframe", 404, ProblemToken, "*"},
		{"another page's", used + "." + key22(2), shop, "iframe", 404, ProblemToken, shop},
		{"ended", ended + "." + key22(1), shop, "iframe", 410, ProblemExpired, shop},
		{"ended in a window", ended, "", "document", 410, "", "'none'"},
		{"another site's", token + "." + key22(1), "https://evil.example", "iframe", 404, ProblemOrigin, "*"},
		{"another port's", token + "." + key22(1), shop + ":8443", "iframe", 404, ProblemOrigin, "*"},
		{"no site's", nowhere + "." + key22(1), shop, "iframe", 404, ProblemOrigin, "*"},
	} {
		resp := c.page(tc.grant, url.Values{"origin": {tc.origin}}, tc.dest)
		var body strings.Builder
		_ = resp.Write(&body)
		csp := resp.Header.Get("Content-Security-Policy")
		if resp.StatusCode != tc.status || !strings.Contains(csp, "frame-ancestors "+tc.ancestors+";") {
			t.Errorf("%s = %d, %s", tc.name, resp.StatusCode, csp)
		}
		if said := strings.Contains(body.String(), `data-error="`+string(tc.problem)+`"`); said != (tc.problem != "") {
			t.Errorf("%s does not say %s to the page around it:\n%s", tc.name, tc.problem, body.String())
		}
		if strings.Contains(body.String(), id) || strings.Contains(body.String(), token) {
			t.Errorf("%s names the application", tc.name)
		}
	}
	// A refused token is not used up.
	if got, _, _, err := c.Grant(t.Context(), mine, true); err != nil || got != id {
		t.Errorf("after all that: %s, %v", got, err)
	}
}

func TestPlainOrigin(t *testing.T) {
	if plainOrigin("https://Shop.Example:443") != shop || plainOrigin("http://localhost:80") != "http://localhost" {
		t.Error("an origin is not as a browser writes it")
	}
}

func TestDeletesExpiredTokens(t *testing.T) {
	c := newKit(t, storetest.SQLite(t, store.Portal))
	_, token := c.embedToken()
	count := func() (n int) {
		if err := c.DB.SQL.QueryRow(`SELECT COUNT(*) FROM embed_grants WHERE hash = $1`, store.Hash(token)).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i, after := range []time.Duration{endedFor - time.Minute, endedFor + time.Minute} {
		c.now = noon.Add(GrantLife + after)
		if c.embedToken(); count() != 1-i {
			t.Errorf("%v after its end it is kept %d times, want %d", after, count(), 1-i)
		}
	}
}
