package app_test

import (
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/i18n"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
)

// TestConsumerLinkCommand opens a person's whole file by the link that the operator prints while the program runs.
func TestConsumerLinkCommand(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		w.complete(t, w.token(t, ""))
		link := func(args ...string) (code int, out, errs string) {
			return run(t, append(append([]string{"consumer", "link"}, args...), "--data-dir="+w.dir, "--database-url="+w.databaseURL,
				"--provider-url="+w.Provider)...)
		}
		for name, args := range map[string][]string{"no address": nil, "not an address": {"canary"},
			"two addresses": {canaryEmail, "a@b.example"}} {
			if code, out, errs := link(args...); code == 0 || out != "" || errs == "" {
				t.Errorf("%s: %d %s%s", name, code, out, errs)
			}
		}
		if n := w.count(t, store.Provider, `SELECT COUNT(*) FROM access_links`); n != 0 {
			t.Errorf("refused commands made %d links", n)
		}

		var made struct{ Link string }
		w.operate(t, &made, "consumer", "link", strings.ToUpper(canaryEmail)) // which is the same address
		if !strings.HasPrefix(made.Link, w.Provider+"/access/link/") {
			t.Fatalf("the link is %q", made.Link)
		}
		form := []string{"Content-Type", asForm, "Origin", w.Provider}
		session := namedCookie(t, good(t, 303, ask(t, "POST", made.Link, "", form...)), "access")
		good(t, 410, ask(t, "POST", made.Link, "", form...)) // it works once
		page := good(t, 200, ask(t, "GET", w.Provider+"/access/freeze?lang=en", "", "Cookie", session))
		if !strings.Contains(string(page.Body), i18ntest.EN("access.freeze.none")) {
			t.Errorf("the session of the link shows:\n%s", page.Body)
		}
		good(t, 303, ask(t, "POST", w.Provider+"/access/freeze", url.Values{"change": {"freeze"}}.Encode(),
			append(form, "Cookie", session)...))
		page = good(t, 200, ask(t, "GET", w.Provider+"/access/history?lang=en", "", "Cookie", session))
		for _, want := range []i18n.Key{"access.log.linked", "access.log.opened", "access.log.frozen"} {
			if !strings.Contains(string(page.Body), i18ntest.EN(want)) {
				t.Errorf("the history lacks %s", want)
			}
		}

		// Nothing says whether the service knows an address.
		w.operate(t, &made, "consumer", "link", "stranger@example.org")
		session = namedCookie(t, good(t, 303, ask(t, "POST", made.Link, "", form...)), "access")
		page = good(t, 200, ask(t, "GET", w.Provider+"/access?lang=en", "", "Cookie", session))
		if !strings.Contains(string(page.Body), i18ntest.EN("access.list.none")) {
			t.Errorf("another address shows:\n%s", page.Body)
		}
		if strings.Contains(w.Log.String(), canaryEmail) {
			t.Error("the log has the address")
		}
	})
}
