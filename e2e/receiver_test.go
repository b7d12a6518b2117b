package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"vestibule/internal/jose"
	"vestibule/internal/redirect"
)

// arrival is what a browser brought to a customer's own page.
type arrival struct {
	method string
	path   string
	query  url.Values
	form   url.Values
}

// receiver is a customer's own page at which redirects end: another site than
// the provider's, and not the portal's.
type receiver struct {
	url      string
	arrivals chan arrival
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{arrivals: make(chan arrival, 10)}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasPrefix(q.URL.Path, "/favicon") {
			http.NotFound(w, q)
			return
		}
		q.ParseForm()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Back</title><h1>Welcome back</h1>`)
		r.arrivals <- arrival{q.Method, q.URL.EscapedPath(), q.URL.Query(), q.PostForm}
	}))
	t.Cleanup(srv.Close)
	r.url = strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	return r
}

func (r *receiver) next(t *testing.T) arrival {
	t.Helper()
	select {
	case a := <-r.arrivals:
		return a
	case <-time.After(patience):
		t.Fatal("no applicant arrived at the customer's page")
		return arrival{}
	}
}

// secureRedirect asks the provider for a redirect as a customer's server does.
func (s *site) secureRedirect(t *testing.T, more map[string]any) (redirectURL, token string) {
	t.Helper()
	in := map[string]any{"productId": s.Credentials.Products["cashflow"], "prefill": person}
	for name, value := range more {
		in[name] = value
	}
	out := call(t, "POST", s.Provider+"/secure-redirect", s.basic(), in, 2)
	return out["redirectUrl"].(string), out["redirectToken"].(string)
}

// outcome verifies a token as a customer does, and returns its claims by name.
func (s *site) outcome(t *testing.T, raw string) func(claim string) string {
	t.Helper()
	verifier := redirect.NewVerifier(&jose.RemoteKeySet{URL: s.Provider + "/connect/jwkset"}, nil, nil)
	token, err := verifier.Verify(t.Context(), raw)
	must(t, err)
	return func(claim string) string {
		text, _, err := token.Text(claim)
		must(t, err)
		return text
	}
}

// hostileText is text that a careless echo would change.
const hostileText = `a+b c&d=e%20f/?#[token] “ñ” 🙂 \ " <b>`

// TestCompleteURLs ends redirects at a customer's own page: at the account's
// static address and at ones given for the redirect, with redirectArgs as they
// were sent and an outcome that the key set verifies.
func TestCompleteURLs(t *testing.T) {
	t.Parallel()
	s := start(t)
	page := newReceiver(t)
	s.control(t, "POST", "/complete-urls", map[string]any{"publicId": s.Credentials.PublicID, "url": page.url + "/done"})
	for _, c := range []struct {
		name        string
		completeURL string
		path        string
		param       string
	}{
		{"static", "", "/done", "jwt"},
		{"dynamic", page.url + "/done/here?step=7", "/done/here", "jwt"},
		{"with a place for the token", page.url + "/done?outcome=[token]&step=7", "/done", "outcome"},
		{"with an encoded place", page.url + "/done?outcome=%5Btoken%5D&step=7", "/done", "outcome"},
	} {
		v := visit(t, noScript)
		more := map[string]any{"redirectArgs": hostileText}
		if c.completeURL != "" {
			more["completeUrl"] = c.completeURL
		}
		redirectURL, _ := s.secureRedirect(t, more)
		v.open(t, redirectURL)
		click(t, v.page(link(en("visit.close"))))
		click(t, v.page(button(en("visit.leave.confirm"))))
		title(t, v, "Welcome back")
		got := page.next(t)
		if got.method != "GET" || got.path != c.path || len(got.query[c.param]) != 1 || c.completeURL != "" &&
			!strings.HasSuffix(c.completeURL, "[token]") && got.query.Get("step") != "7" {
			t.Errorf("%s: the browser came by %s to %s with %v", c.name, got.method, got.path, got.query)
			continue
		}
		claim := s.outcome(t, got.query.Get(c.param))
		if claim("outcome") != "EXIT" || claim("redirectArgs") != hostileText || claim("publicToken") == "" {
			t.Errorf("%s: outcome %q, redirectArgs %q", c.name, claim("outcome"), claim("redirectArgs"))
		}
	}
	for _, bad := range []string{page.url, page.url + "/donestly", page.url + "/done/../other", "https://evil.example/done",
		"http://localhost@evil.example/done", "javascript:alert(1)", strings.Replace(page.url, "localhost", "[token]", 1) + "/done"} {
		out := call(t, "POST", s.Provider+"/secure-redirect", s.basic(), map[string]any{
			"productId": s.Credentials.Products["cashflow"], "prefill": person, "completeUrl": bad}, 4)
		if out["error"] != "INVALID_COMPLETE_URL" {
			t.Errorf("%s: %v", bad, out["error"])
		}
	}
}

// TestCompleteURLsByPost ends a redirect at a customer's own page by form POST.
func TestCompleteURLsByPost(t *testing.T) {
	t.Parallel()
	s := start(t, "--return-mode=post")
	page := newReceiver(t)
	s.control(t, "POST", "/complete-urls", map[string]any{"publicId": s.Credentials.PublicID, "url": page.url + "/done"})
	v := visit(t)
	redirectURL, _ := s.secureRedirect(t, map[string]any{"redirectArgs": hostileText})
	v.open(t, redirectURL)
	signIn(t, v.page, "e_banking_unsupported")
	giveUp(t, v.page)
	step(t, v.page, "end")
	click(t, v.page("a[data-return]"))
	title(t, v, "Welcome back")
	got := page.next(t)
	if got.method != "POST" || got.path != "/done" || len(got.query) != 0 || len(got.form) != 1 || len(got.form["token"]) != 1 {
		t.Fatalf("the browser came by %s to %s with %v and %v", got.method, got.path, got.query, got.form)
	}
	claim := s.outcome(t, got.form.Get("token"))
	if claim("outcome") != "ERROR" || claim("error") != "SUPPLIER_ERROR" || claim("redirectArgs") != hostileText {
		t.Errorf("outcome %q, error %q, redirectArgs %q", claim("outcome"), claim("error"), claim("redirectArgs"))
	}
}
