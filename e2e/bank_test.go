package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"testing"
	"time"

	"vestibule/internal/provider/sandbox/fdxbank"
	"vestibule/internal/store"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/tools"
)

// TestSandboxBankPages walks the pages of the sandbox's FDX bank as a client of
// another program meets them: by keyboard alone on a small phone, and without script. A
// browser applies the page's policy to where its forms are redirected.
func TestSandboxBankPages(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	needBrowser(t)
	client := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<!DOCTYPE html><html lang=en><link rel=icon href=data:,><title>back</title><p>back"))
	}))
	t.Cleanup(client.Close)
	listener := httptest.NewUnstartedServer(nil)
	base := "http://" + listener.Listener.Addr().String()
	server, err := fdxbank.New(t.Context(), fdxbank.Config{DB: storetest.SQLite(t, store.Provider), Log: slog.New(slog.DiscardHandler),
		Now: time.Now, BaseURL: base, Assets: assets.Provider(t), Clients: []fdxbank.Client{{ID: "c", Name: "Tern", Method: fdxbank.SecretPost,
			Secret: "s", RedirectURIs: []string{client.URL + "/back"}}}})
	must(t, err)
	listener.Config.Handler = server
	listener.Start()
	t.Cleanup(listener.Close)
	sum := sha256.Sum256([]byte("verifier"))
	begin := base + "/" + fdxbank.Institutions()[0].ID + "/authorize?" + url.Values{"response_type": {"code"}, "client_id": {"c"},
		"redirect_uri": {client.URL + "/back"}, "code_challenge_method": {"S256"}, "state": {"x"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}}.Encode()
	back := func(t *testing.T, v *visitor, name string) {
		t.Helper()
		awaitAddress(t, v, regexp.MustCompile("^"+regexp.QuoteMeta(client.URL+"/back?")))
		u, err := url.Parse(v.URL())
		must(t, err)
		if u.Query().Get(name) == "" || u.Query().Get("state") != "x" {
			t.Errorf("came back with %v", u.Query())
		}
	}
	t.Run("keyboard", func(t *testing.T) {
		v := visit(t, phone)
		press := func(key string) { t.Helper(); must(t, v.Keyboard().Press(key)) }
		enter := func(field, words string) {
			t.Helper()
			v.tabTo(t, v.page(field))
			must(t, v.Keyboard().Type(words))
		}
		v.open(t, begin)
		enter("[name=username]", "multi")
		enter("[name=password]", "wrong")
		press("Enter")
		see(t, v.page("#username-error >> text="+en("visit.sign_in.wrong.other", "n", "2")))
		focused(t, v.page("[name=username][aria-invalid=true]"))
		must(t, v.Keyboard().Type("multi"))
		enter("[name=password]", "right")
		press("Enter")
		enter("[name=code]", "123456")
		press("Enter")
		v.tabTo(t, v.page("[name=account]").First())
		press("Space")
		v.tabTo(t, v.page("main form button").First())
		press("Enter")
		see(t, v.page(`[data-step="consent"]`))
		v.axe(t)
		v.fits(t)
		v.tabTo(t, v.page("main form button").First())
		press("Enter")
		back(t, v, "code")
	})
	t.Run("no script", func(t *testing.T) {
		v := visit(t, noScript, spanish, dark)
		v.open(t, begin)
		fill(t, v.page("[name=username]"), "default")
		fill(t, v.page("[name=password]"), "x")
		must(t, v.page("main form button").First().Click())
		fill(t, v.page("[name=code]"), "123456")
		must(t, v.page("main form button").First().Click())
		must(t, v.page("[name=account]").First().Check())
		must(t, v.page("main form button").First().Click())
		see(t, v.page(text(es("bank.consent.accounts"))))
		must(t, v.page("main form button").Last().Click())
		back(t, v, "error")
	})
}
