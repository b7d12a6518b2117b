package redirects_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil/providertest"
	"vestibule/internal/testutil/storetest"
)

func start(t *testing.T, mode string, f func(t *testing.T, r *providertest.Server)) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) { f(t, providertest.Start(t, db, mode)) })
}

// create creates a secure redirect with some members.
func create(t *testing.T, r *providertest.Server, members map[string]any) (redirectURL, redirectToken string) {
	t.Helper()
	if members["token"] == nil && members["prefill"] == nil {
		members["prefill"] = providertest.Prefill()
	}
	if members["token"] == nil {
		members["productId"] = r.Seed.Products[contract.Cashflow]
	}
	a := r.Do("POST", "/secure-redirect", members, r.Basic)
	if a.Status != 200 || a.JSON["exp"] != float64(r.Now().Add(30*time.Minute).Unix()) {
		t.Fatalf("secure redirect: %d %s", a.Status, a.Body)
	}
	return a.JSON["redirectUrl"].(string), a.JSON["redirectToken"].(string)
}

// visitPath returns the path of the visit's page that a response redirects to.
func visitPath(t *testing.T, a providertest.Answer) string {
	t.Helper()
	path := a.Header.Get("Location")
	if a.Status != http.StatusSeeOther || !strings.HasPrefix(path, "/visit/") {
		t.Fatalf("no redirect to a visit: %d %s %s", a.Status, path, a.Body)
	}
	return path
}

// claims decodes a signed result without verifying its signature.
func claims(t *testing.T, token string) map[string]any {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("not a token: %q", token)
	}
	var header, payload map[string]any
	for i, into := range []*map[string]any{&header, &payload} {
		raw, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatal(err)
		}
	}
	if header["alg"] != "ES256" || header["typ"] != "outcome+jwt" || header["kid"] == "" {
		t.Errorf("header %v", header)
	}
	if payload["exp"].(float64)-payload["iat"].(float64) != 300 {
		t.Errorf("lives from %v to %v", payload["iat"], payload["exp"])
	}
	return payload
}

// finish completes a visit by its forms.
func finish(t *testing.T, r *providertest.Server, path string) {
	t.Helper()
	r.Do("GET", path, nil)
	for _, form := range []url.Values{
		{"action": {"consent"}}, {"action": {"bank"}, "bank": {"kestrel-bank"}},
		{"action": {"sign-in"}, "username": {"default"}, "password": {"x"}}, {"action": {"code"}, "code": {"123456"}},
	} {
		if a := r.Do("POST", path, form); a.Status != http.StatusSeeOther {
			t.Fatalf("%v answers %d", form, a.Status)
		}
	}
	id := regexp.MustCompile(`name="account" value="([^"]+)"`).FindStringSubmatch(r.Do("GET", path, nil).Body)
	r.Do("POST", path, url.Values{"action": {"accounts"}, "account": {id[1]}})
	r.Until("the end", func() bool { return strings.Contains(r.Do("GET", path, nil).Body, `data-end="success"`) })
}

func TestReturnByGet(t *testing.T) {
	start(t, "get", func(t *testing.T, r *providertest.Server) {
		args := `a&b=%5Btoken%5D ñ "<script>"` + "\n"
		to, _ := create(t, r, map[string]any{"redirectArgs": args, "completeUrl": r.Return.URL + "/return/7?x=1&t=[token]&again=[token]"})
		path := visitPath(t, r.Do("GET", to, nil))
		if again := visitPath(t, r.Do("GET", to, nil)); again != path {
			t.Errorf("a second tab is led to %s, the first to %s", again, path)
		}
		if a := r.Do("GET", path+"/return", nil); a.Status != http.StatusSeeOther || !strings.HasPrefix(a.Header.Get("Location"), "/visit/") {
			t.Errorf("returning before the end: %d %v", a.Status, a.Header)
		}
		finish(t, r, path)
		page := r.Do("GET", path, nil)
		if !strings.Contains(page.Body, path+"/return") ||
			!strings.Contains(page.Header.Get("Content-Security-Policy"), "form-action 'self' "+r.Return.URL+";") {
			t.Errorf("no link to return: %s\n%s", page.Header.Get("Content-Security-Policy"), page.Body)
		}
		tokens := map[string]bool{}
		for range 2 {
			a := r.Do("GET", path+"/return", nil)
			back := a.Header.Get("Location")
			rest, ok := strings.CutPrefix(back, r.Return.URL+"/return/7?x=1&t=")
			token, ok2 := strings.CutSuffix(rest, "&again=[token]")
			if a.Status != http.StatusSeeOther || !ok || !ok2 {
				t.Fatalf("returns %d to %s", a.Status, back)
			}
			tokens[token] = true
			got := claims(t, token)
			want := map[string]any{"iss": r.URL, "aud": r.Seed.PublicID, "outcome": "SUCCESS", "status": "SUCCESS", "redirectArgs": args,
				"publicToken": got["publicToken"], "iat": float64(r.Now().Unix()), "exp": float64(r.Now().Unix() + 300)}
			if diff := cmp.Diff(want, got); diff != "" || !contract.IsUUID(got["publicToken"].(string)) {
				t.Errorf("claims (-want +got):\n%s", diff)
			}
			r.Advance(time.Minute)
		}
		if len(tokens) != 2 {
			t.Error("the second return has the token of the first")
		}
		if a := r.Do("HEAD", path+"/return", nil); a.Status != http.StatusMethodNotAllowed {
			t.Errorf("HEAD answers %d", a.Status)
		}
		r.Advance(30 * time.Minute)
		if a := r.Do("GET", path+"/return", nil); a.Status != http.StatusNotFound {
			t.Errorf("half an hour after the end: %d", a.Status)
		}
		for token := range tokens {
			if strings.Contains(r.Log(), token) || strings.Contains(r.Log(), to[len(to)-20:]) {
				t.Error("a token or a handle is in the log")
			}
		}
	})
}

func TestReturnByPost(t *testing.T) {
	start(t, "post", func(t *testing.T, r *providertest.Server) {
		to, _ := create(t, r, map[string]any{})
		path := visitPath(t, r.Do("GET", to, nil))
		finish(t, r, path)
		page := r.Do("GET", path+"/return", nil)
		form := regexp.MustCompile(`<form id="return" method="post" action="([^"]+)"><input ` +
			`type="hidden" name="token" value="([^"]+)">`).FindStringSubmatch(page.Body)
		if page.Status != 200 || form == nil || form[1] != r.Return.URL+"/return" {
			t.Fatalf("no form to return by: %s", page.Body)
		}
		if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' "+r.Return.URL+";") {
			t.Errorf("policy %q", policy)
		}
		if got := claims(t, form[2]); got["outcome"] != "SUCCESS" || got["redirectArgs"] != nil {
			t.Errorf("claims %v", got)
		}
	})
}

// TestCloseAndReopen checks that a closed visit returns immediately, and that the same
// link opens it again.
func TestCloseAndReopen(t *testing.T) {
	start(t, "get", func(t *testing.T, r *providertest.Server) {
		to, _ := create(t, r, map[string]any{})
		path := visitPath(t, r.Do("GET", to, nil))
		r.Do("GET", path, nil)
		a := r.Do("POST", path, url.Values{"action": {"close"}})
		if back := a.Header.Get("Location"); !strings.HasPrefix(back, path+"/return") {
			t.Fatalf("closing leads to %s", back)
		}
		back := r.Do("GET", path+"/return", nil).Header.Get("Location")
		got := claims(t, strings.TrimPrefix(back, r.Return.URL+"/return?jwt="))
		if got["outcome"] != "EXIT" || got["status"] != nil || got["error"] != nil || got["publicToken"] == nil {
			t.Errorf("claims %v", got)
		}
		path = visitPath(t, r.Do("GET", to, nil))
		if page := r.Do("GET", path, nil); !strings.Contains(page.Body, `value="reopen"`) {
			t.Errorf("the visit cannot be reopened: %s", page.Body)
		}
		r.Do("POST", path, url.Values{"action": {"reopen"}})
		finish(t, r, path)
	})
}

func TestReturnOfFailedVisit(t *testing.T) {
	start(t, "get", func(t *testing.T, r *providertest.Server) {
		to, _ := create(t, r, map[string]any{})
		path := visitPath(t, r.Do("GET", to, nil))
		r.Do("GET", path, nil)
		r.Do("POST", path, url.Values{"action": {"consent"}})
		r.Do("POST", path, url.Values{"action": {"bank"}, "bank": {"kestrel-bank"}})
		r.Do("POST", path, url.Values{"action": {"sign-in"}, "username": {"supplier_unresponsive"}, "password": {"x"}})
		r.Do("POST", path, url.Values{"action": {"close"}}) // after the failure, instead of another bank
		back := r.Do("GET", path+"/return", nil).Header.Get("Location")
		got := claims(t, strings.TrimPrefix(back, r.Return.URL+"/return?jwt="))
		if got["outcome"] != "ERROR" || got["error"] != "SUPPLIER_ERROR" || got["status"] != nil {
			t.Errorf("claims %v", got)
		}
	})
}

func TestOpen(t *testing.T) {
	start(t, "get", func(t *testing.T, r *providertest.Server) {
		to, token := create(t, r, map[string]any{})
		if path := visitPath(t, r.Do("POST", to, url.Values{"token": {token}})); path != visitPath(t, r.Do("GET", to, nil)) {
			t.Error("POST and GET lead to different visits")
		}
		_, other := create(t, r, map[string]any{})
		for name, form := range map[string]url.Values{
			"no token": {}, "another redirect's token": {"token": {other}}, "two tokens": {"token": {token, token}},
			"another field": {"token": {token}, "x": {"1"}}, "the URL as the token": {"token": {to}},
		} {
			if a := r.Do("POST", to, form); a.Status != http.StatusNotFound || !strings.Contains(a.Header.Get("Content-Type"), "text/html") {
				t.Errorf("%s: %d", name, a.Status)
			}
		}
		if a := r.Do("POST", to, map[string]any{"token": token}); a.Status != http.StatusUnsupportedMediaType {
			t.Errorf("JSON: %d", a.Status)
		}
		if a := r.Do("GET", r.URL+"/redirect/unknown", nil); a.Status != http.StatusNotFound {
			t.Errorf("an unknown handle: %d", a.Status)
		}
		r.Advance(30 * time.Minute)
		if a := r.Do("GET", to, nil); a.Status != http.StatusNotFound || !strings.Contains(a.Body, "30 minutes") {
			t.Errorf("after 30 minutes: %d %s", a.Status, a.Body)
		}

		r.Count(`UPDATE customers SET require_form = TRUE WHERE public_id = $1 RETURNING 1`, r.Seed.PublicID)
		to, token = create(t, r, map[string]any{})
		if a := r.Do("GET", to, nil); a.Status != http.StatusForbidden {
			t.Errorf("an account that requires the form, by GET: %d", a.Status)
		}
		visitPath(t, r.Do("POST", to, url.Values{"token": {token}}))
	})
}

func TestCreate(t *testing.T) {
	start(t, "get", func(t *testing.T, r *providertest.Server) {
		init := func() string {
			return r.Do("POST", "/connect/initialization", map[string]any{"productId": r.Seed.Products[contract.Cashflow],
				"prefill": providertest.Prefill()}, r.Basic).JSON["token"].(string)
		}
		tok := init()
		create(t, r, map[string]any{"token": tok, "redirectArgs": strings.Repeat("ñ", 1024)})
		valid := func(m map[string]any) map[string]any {
			m["productId"], m["prefill"] = r.Seed.Products[contract.Cashflow], providertest.Prefill()
			return m
		}
		for _, c := range []struct {
			name string
			body any
			code string
		}{
			{"a token that was used", map[string]any{"token": tok}, "INVALID_TOKEN"},
			{"an unknown token", map[string]any{"token": "x"}, "INVALID_TOKEN"},
			{"a token and an initialization", valid(map[string]any{"token": init()}), "MALFORMED_BODY"},
			{"an unregistered redirect URL", valid(map[string]any{"completeUrl": "https://evil.example/return"}), "INVALID_COMPLETE_URL"},
			{"a redirect URL with a registered prefix", valid(map[string]any{"completeUrl": r.Return.URL + "/returnevil"}), "INVALID_COMPLETE_URL"},
			{"a redirect URL with a script", valid(map[string]any{"completeUrl": "javascript:alert(1)"}), "INVALID_COMPLETE_URL"},
			{"a number as the redirect URL", valid(map[string]any{"completeUrl": 7}), "MALFORMED_BODY"},
			{"redirectArgs too long", valid(map[string]any{"redirectArgs": strings.Repeat("a", 1025)}), "MALFORMED_BODY"},
			{"redirectArgs that grow too long in a token", valid(map[string]any{"redirectArgs": strings.Repeat("<", 1024)}), "MALFORMED_BODY"},
			{"an unknown member", valid(map[string]any{"returnUrl": "x"}), "MALFORMED_BODY"},
			{"bad prefill", map[string]any{"productId": r.Seed.Products[contract.Cashflow], "prefill": map[string]any{}},
				"INVALID_PREFILLS_PII_MISSING"},
			{"nothing", map[string]any{}, "INVALID_PRODUCT"},
			{"no JSON", "token=x", "MALFORMED_BODY"},
		} {
			t.Run(c.name, func(t *testing.T) {
				before := r.Count(`SELECT (SELECT count(*) FROM visits) + (SELECT count(*) FROM redirects) + (SELECT count(*)
					FROM consumers) + (SELECT count(*) FROM initialization_tokens WHERE used_at > 0)`)
				a := r.Do("POST", "/secure-redirect", c.body, r.Basic)
				if a.Status != 400 || a.JSON["error"] != c.code {
					t.Errorf("answered %d %s, want 400 %s", a.Status, a.Body, c.code)
				}
				if after := r.Count(`SELECT (SELECT count(*) FROM visits) + (SELECT count(*) FROM redirects) + (SELECT count(*)
					FROM consumers) + (SELECT count(*) FROM initialization_tokens WHERE used_at > 0)`); after != before {
					t.Errorf("%d rows were changed", after-before)
				}
			})
		}
		if a := r.Do("POST", "/secure-redirect", valid(map[string]any{}), r.ThirdParty); a.JSON["error"] != "INVALID_PRODUCT" &&
			a.JSON["error"] != "INVALID_COMPLETE_URL" {
			t.Errorf("with another's product: %d %s", a.Status, a.Body)
		}
	})
}

// TestReturnToUnregisteredURL checks that no result is sent to a redirect URL that is no
// longer registered.
func TestReturnToUnregisteredURL(t *testing.T) {
	start(t, "get", func(t *testing.T, r *providertest.Server) {
		to, _ := create(t, r, map[string]any{})
		path := visitPath(t, r.Do("GET", to, nil))
		finish(t, r, path)
		r.Count(`UPDATE complete_urls SET url = 'https://elsewhere.example/' WHERE url LIKE $1 RETURNING 1`, r.Return.URL+"%")
		if a := r.Do("GET", path+"/return", nil); a.Status != http.StatusNotFound {
			t.Errorf("answers %d to %s", a.Status, a.Header.Get("Location"))
		}
	})
}

func TestSandboxCompletesVisit(t *testing.T) {
	start(t, "get", func(t *testing.T, r *providertest.Server) {
		control := func(token string, body any) (int, map[string]any) {
			return r.Control("POST", "/visits/"+token+"/complete", body)
		}
		for _, c := range []struct {
			name    string
			body    map[string]any
			status  string
			outcome string
		}{
			{"success", map[string]any{}, "SUCCESS", "SUCCESS"},
			{"another username", map[string]any{"username": "joint"}, "SUCCESS", "SUCCESS"},
			{"an error of the report", map[string]any{"username": "error"}, "ERROR", "SUCCESS"},
			{"a bank that does not answer", map[string]any{"username": "supplier_unresponsive"}, "SUPPLIER_UNRESPONSIVE", "ERROR"},
			{"an unknown username", map[string]any{"username": "unknown"}, "NOT_AUTHENTICATED", "ERROR"},
			{"a closed visit", map[string]any{"end": "exit"}, "PENDING", "EXIT"},
			{"an error of the widget", map[string]any{"end": "error:REQUEST_TIMEOUT"}, "ERROR", "ERROR"},
		} {
			t.Run(c.name, func(t *testing.T) {
				_, token := create(t, r, map[string]any{})
				code, done := control(token, c.body)
				if code != 200 || done["status"] != c.status {
					t.Fatalf("answers %d %v", code, done)
				}
				_, jwt, _ := strings.Cut(done["completeUrl"].(string), "?jwt=")
				if got := claims(t, jwt); got["outcome"] != c.outcome || got["publicToken"] != done["publicToken"] {
					t.Errorf("claims %v", got)
				}
			})
		}
		_, token := create(t, r, map[string]any{})
		if code, answer := control(token, map[string]any{"end": "error:OOPS"}); code != 400 {
			t.Errorf("an unknown end answers %d %v", code, answer)
		}
		if code, answer := control("unknown", map[string]any{}); code != 404 {
			t.Errorf("an unknown token answers %d %v", code, answer)
		}
		init := r.Do("POST", "/connect/initialization", map[string]any{"productId": r.Seed.Products[contract.Cashflow],
			"prefill": providertest.Prefill()}, r.Basic).JSON["token"].(string)
		if code, done := control(init, map[string]any{}); code != 200 || done["status"] != "SUCCESS" {
			t.Errorf("an initialization token answers %d %v", code, done)
		}
		if code, _ := control(init, map[string]any{}); code != 404 {
			t.Errorf("a used one answers %d", code)
		}
	})
}

// TestLeavingIsNotArrival: the answer to an arrival is the visit's step, which would take the place of the question whether to leave.
func TestLeavingIsNotArrival(t *testing.T) {
	start(t, "get", func(t *testing.T, r *providertest.Server) {
		to, _ := create(t, r, map[string]any{})
		path, _, _ := strings.Cut(visitPath(t, r.Do("GET", to, nil)), "?")
		if page := r.Do("GET", path, nil); !strings.Contains(page.Body, `data-opens="acted"`) {
			t.Errorf("the first page does not say what counts as arrival: %s", page.Body)
		}
		leave := r.Do("GET", path+"?close=1", nil)
		if !strings.Contains(leave.Body, `data-step="leave"`) || strings.Contains(leave.Body, "data-opens") {
			t.Errorf("the question whether to leave: %s", leave.Body)
		}
	})
}
