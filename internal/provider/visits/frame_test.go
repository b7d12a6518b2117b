package visits_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/testutil/providertest"
)

// withSecret adds the secret of a frame.
func withSecret(secret string) func(*http.Request) {
	return func(req *http.Request) {
		if secret != "" {
			req.Header.Set("X-Visit-Secret", secret)
		}
	}
}

// TestWidgetVisitBelongsToItsFrame checks that a visit whose frame sent its secret is unknown
// to requests without it, and that a frame without one continues to work.
func TestWidgetVisitBelongsToItsFrame(t *testing.T) {
	withConnector(t, func(t *testing.T, r *providertest.Server, _ *providertest.OAuthBank) {
		secret := store.NewSecret()
		options := map[string]any{"env": "sandbox", "productId": r.Seed.Products["cashflow"], "publicId": r.Seed.PublicID,
			"prefill": providertest.Prefill(), "resume": secret}
		open := func(secret string) string {
			a := r.Do("POST", "/widget/v1/visits", options, withSecret(secret))
			if a.Status != http.StatusCreated {
				t.Fatalf("register: %d %s", a.Status, a.Body)
			}
			return "/visit/" + a.JSON["handle"].(string)
		}
		path, unknown := open(secret), "/visit/"+store.NewSecret()
		t.Run("without its secret it is unknown", func(t *testing.T) {
			for _, c := range []struct {
				method, path string
				form         any
			}{{"GET", "", nil}, {"POST", "", url.Values{"action": {"close"}}}, {"POST", "", url.Values{"action": {"start-over"}}},
				{"POST", "/documents", ""}, {"GET", "/return", nil},
				{"POST", "/authorize", url.Values{"window": {"1"}, "secret": {store.NewSecret()}}}} {
				for of, secret := range map[string]string{"no secret": "", "another frame's": store.NewSecret(), "a wrong one": "x"} {
					got, want := r.Do(c.method, path+c.path, c.form, withSecret(secret)), r.Do(c.method, unknown+c.path, c.form, withSecret(secret))
					if got.Status != http.StatusNotFound || got.Status != want.Status || strings.ReplaceAll(got.Body, path, unknown) != want.Body {
						t.Errorf("%s %s %v with %s: %d, of an unknown visit %d", c.method, c.path, c.form, of, got.Status, want.Status)
					}
				}
			}
		})
		t.Run("with its secret it goes on", func(t *testing.T) {
			if again := open(secret); again != path {
				t.Error("a reloaded frame does not find its visit")
			}
			for _, form := range []url.Values{{"action": {"consent"}}, {"action": {"bank"}, "bank": {"open-bank"}}} {
				if a := r.Do("POST", path, form, withSecret(secret)); a.Status != http.StatusSeeOther {
					t.Fatalf("%v: %d %s", form, a.Status, a.Body)
				}
			}
			// The window beside the widget is opened by a form, which can send no header.
			if a := r.Do("POST", path+"/authorize", url.Values{"window": {"1"}, "secret": {secret}}); a.Status != http.StatusOK ||
				leadsTo.FindStringSubmatch(a.Body) == nil {
				t.Errorf("to the bank: %d %s", a.Status, a.Body)
			}
		})
		t.Run("a frame of an earlier version has no secret", func(t *testing.T) {
			options["externalId"] = "unbound"
			path := open("")
			if a := r.Do("GET", path, nil); a.Status != http.StatusOK {
				t.Errorf("without a secret: %d", a.Status)
			}
			open(secret)
			if a := r.Do("GET", path, nil); a.Status != http.StatusNotFound {
				t.Errorf("after its frame was loaded again: %d", a.Status)
			}
		})
	})
}
