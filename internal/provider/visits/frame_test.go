package visits_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/testutil/providertest"
)

// TestWidgetVisitBelongsToItsFrame checks that a visit whose frame sent its secret is unknown
// to requests without it, and that a frame without one continues to work.
func TestWidgetVisitBelongsToItsFrame(t *testing.T) {
	withConnector(t, func(t *testing.T, r *providertest.Server, _ *providertest.OAuthBank) {
		with := func(secret string) func(*http.Request) {
			return func(req *http.Request) {
				if secret != "" {
					req.Header.Set("X-Visit-Secret", secret)
				}
			}
		}
		secret := store.NewSecret()
		options := map[string]any{"env": "sandbox", "productId": r.Seed.Products["cashflow"], "publicId": r.Seed.PublicID,
			"prefill": providertest.Prefill(), "resume": secret}
		open := func() string {
			a := r.Do("POST", "/widget/v1/visits", options, with(secret))
			if a.Status != http.StatusCreated {
				t.Fatalf("register: %d %s", a.Status, a.Body)
			}
			return "/visit/" + a.JSON["handle"].(string)
		}
		path := open()
		unknown := "/visit/" + store.NewSecret()
		requests := map[string]func(path string, edit func(*http.Request)) providertest.Answer{
			"page": func(path string, edit func(*http.Request)) providertest.Answer { return r.Do("GET", path, nil, edit) },
			"form": func(path string, edit func(*http.Request)) providertest.Answer {
				return r.Do("POST", path, url.Values{"action": {"close"}}, edit)
			},
			"start over": func(path string, edit func(*http.Request)) providertest.Answer {
				return r.Do("POST", path, url.Values{"action": {"start-over"}}, edit)
			},
			"upload": func(path string, edit func(*http.Request)) providertest.Answer {
				return r.Do("POST", path+"/documents", "", edit)
			},
			"bank": func(path string, edit func(*http.Request)) providertest.Answer {
				return r.Do("POST", path+"/authorize", url.Values{"window": {"1"}, "secret": {store.NewSecret()}}, edit)
			},
			"return": func(path string, edit func(*http.Request)) providertest.Answer {
				return r.Do("GET", path+"/return", nil, edit)
			},
		}
		for name, request := range requests {
			for of, secret := range map[string]string{"no secret": "", "another frame's": store.NewSecret(), "a wrong one": "x"} {
				got, want := request(path, with(secret)), request(unknown, with(secret))
				if got.Status != http.StatusNotFound || got.Status != want.Status || strings.ReplaceAll(got.Body, path, unknown) != want.Body {
					t.Errorf("%s with %s: %d, of an unknown visit %d", name, of, got.Status, want.Status)
				}
			}
		}
		if again := open(); again != path {
			t.Error("a reloaded frame does not find its visit")
		}
		post := func(form ...string) {
			t.Helper()
			values := url.Values{}
			for i := 0; i < len(form); i += 2 {
				values.Set(form[i], form[i+1])
			}
			if a := r.Do("POST", path, values, with(secret)); a.Status != http.StatusSeeOther {
				t.Fatalf("%v: %d %s", form, a.Status, a.Body)
			}
		}
		post("action", "consent")
		post("action", "bank", "bank", "open-bank")
		// The window beside the widget is opened by a form, which can send no header.
		if a := r.Do("POST", path+"/authorize", url.Values{"window": {"1"}, "secret": {secret}}); a.Status != http.StatusOK ||
			leadsTo.FindStringSubmatch(a.Body) == nil {
			t.Errorf("to the bank: %d %s", a.Status, a.Body)
		}

		t.Run("without the secret", func(t *testing.T) {
			options["externalId"] = "unbound"
			a := r.Do("POST", "/widget/v1/visits", options)
			path := "/visit/" + a.JSON["handle"].(string)
			if a := r.Do("GET", path, nil); a.Status != http.StatusOK {
				t.Errorf("a frame of an earlier version: %d", a.Status)
			}
			r.Do("POST", "/widget/v1/visits", options, with(secret))
			if a := r.Do("GET", path, nil); a.Status != http.StatusNotFound {
				t.Errorf("after its frame was loaded again: %d", a.Status)
			}
		})
	})
}
