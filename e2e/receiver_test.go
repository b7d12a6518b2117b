package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
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
