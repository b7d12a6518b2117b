package provider_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"vestibule/internal/webhook"
)

// TestWebhooksOfChildAccounts checks that events about a child's reports go to its parent's
// callback until the child has one, and name the child in a header, and that they never go to
// another customer's.
func TestWebhooksOfChildAccounts(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		child := b.child("Child")
		product := b.productOf(child, "Product")
		asChild := func(h headers) headers { return append(h, "X-PUBLIC-ID", child) }
		made := func() string {
			t.Helper()
			a := b.post("/connect/initialization", asChild(b.basic()), map[string]any{"productId": product, "prefill": applicant})
			b.want("a visit of the child", a, 200, "")
			return b.complete(a.text("token"), nil).text("publicToken")
		}
		events := func(n int) webhook.Event { t.Helper(); all := b.inbox.wait(t, n); return all[n-1] }

		token := made()
		if e := events(1); e.PublicToken != token || e.PublicID != child {
			t.Errorf("the parent got %+v", e)
		}
		if got := b.inbox.account(); got != child {
			t.Errorf("the header names %s, want the child", got)
		}
		own := b.complete(b.begin(), nil).text("publicToken")
		if e := events(2); e.PublicToken != own || e.PublicID != b.seed.PublicID || b.inbox.account() != b.seed.PublicID {
			t.Errorf("of the parent's own report it got %+v for %s", e, b.inbox.account())
		}

		// With a callback of its own, also one that is turned off, the parent gets nothing.
		var mu sync.Mutex
		accounts := []string{}
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			accounts = append(accounts, r.Header.Get(webhook.HeaderAccount))
			w.WriteHeader(http.StatusGone) // turns it off
		}))
		defer receiver.Close()
		b.want("the child's callback", b.do("POST", "/callbacks", map[string]any{"publicId": child, "url": receiver.URL}), 200, "")
		made()
		b.until(1, `SELECT COUNT(*) FROM callbacks WHERE disabled_at IS NOT NULL`)
		made()
		own = b.complete(b.begin(), nil).text("publicToken")
		if e := events(3); e.PublicToken != own {
			t.Errorf("the parent got %+v", e)
		}
		mu.Lock()
		defer mu.Unlock()
		if len(accounts) != 1 || accounts[0] != child {
			t.Errorf("the child's callback got events about %q", accounts)
		}
	})
}
