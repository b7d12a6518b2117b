package visits_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil/providertest"
)

// TestRegisteringAgainResumesTheVisit checks that a reloaded page finds its visit where the
// applicant left it, and that another browser does not.
func TestRegisteringAgainResumesTheVisit(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		consumer := r.Do("POST", "/connect/consumers", map[string]any{"prefill": providertest.Prefill()}, r.Basic).JSON["consumerId"]
		for name, options := range map[string]map[string]any{
			"token":     {"token": token(r, map[string]any{}), "externalId": "by-token"},
			"prefill":   {"prefill": providertest.Prefill(), "externalId": "by-prefill"},
			"consumer":  {"consumerId": consumer, "externalId": "by-consumer"},
			"no labels": {"token": token(r, map[string]any{})},
		} {
			t.Run(name, func(t *testing.T) {
				with := func(resume string, more ...any) providertest.Answer {
					all := map[string]any{"resume": resume}
					for k, v := range options {
						all[k] = v
					}
					for i := 0; i < len(more); i += 2 {
						all[more[i].(string)] = more[i+1]
					}
					return register(r, all)
				}
				secret := store.NewSecret()
				first := with(secret)
				if first.Status != http.StatusCreated {
					t.Fatalf("register: %d %s", first.Status, first.Body)
				}
				a := applicant{r, "/visit/" + first.JSON["handle"].(string), first.JSON["publicToken"].(string)}
				a.toSignIn(t)
				again := with(secret)
				if again.Status != http.StatusCreated || again.JSON["handle"] != first.JSON["handle"] ||
					again.JSON["publicToken"] != first.JSON["publicToken"] {
					t.Fatalf("registering again: %d %s, at first %s", again.Status, again.Body, first.Body)
				}
				if got := a.step(t); got != "sign-in" {
					t.Errorf("the visit is at %s", got)
				}
				a.post(t, "action", "close")
				with(secret)
				if got := a.step(t); got == "end" {
					t.Error("a closed visit does not go on")
				}
				if _, has := options["token"]; has {
					for other, resume := range map[string]string{"another browser": store.NewSecret(), "one without a secret": ""} {
						if got := with(resume); got.JSON["error"] != "INVALID_TOKEN" {
							t.Errorf("%s: %d %s", other, got.Status, got.Body)
						}
					}
					if got := with(secret, "productId", r.Seed.Products[contract.Income]); got.JSON["error"] != "MISMATCHED_PRODUCT_ID" {
						t.Errorf("another product: %d %s", got.Status, got.Body)
					}
					if got := with(secret, "publicId", r.Seed.ThirdParty.PublicID); got.Status < 400 {
						t.Errorf("another account: %d %s", got.Status, got.Body)
					}
				} else if got := with(store.NewSecret()); got.JSON["error"] != "DUPLICATE_EXTERNAL_ID" {
					t.Errorf("another browser: %d %s", got.Status, got.Body)
				}
			})
		}
		for _, bad := range []any{"x", strings.Repeat("a", 42), strings.Repeat("a", 44),
			strings.Repeat("/", 43), strings.Repeat("a", 42) + "\n", 7} {
			if got := register(r, map[string]any{"token": token(r, map[string]any{}), "resume": bad}); got.Status != http.StatusBadRequest {
				t.Errorf("resume %q: %d %s", bad, got.Status, got.Body)
			}
		}
	})
}

func TestConcurrentRegistrationsOpenOneVisit(t *testing.T) {
	startOnEach(t, func(t *testing.T, r *providertest.Server) {
		for name, options := range map[string]map[string]any{
			"token":   {"token": token(r, map[string]any{}), "resume": store.NewSecret()},
			"prefill": {"prefill": providertest.Prefill(), "resume": store.NewSecret()},
		} {
			t.Run(name, func(t *testing.T) {
				answers := make([]providertest.Answer, 8)
				var all sync.WaitGroup
				for i := range answers {
					all.Go(func() { answers[i] = register(r, options) })
				}
				all.Wait()
				for _, a := range answers {
					if a.Status != http.StatusCreated || a.Body != answers[0].Body {
						t.Errorf("%d %s, beside %s", a.Status, a.Body, answers[0].Body)
					}
				}
			})
		}
	})
}
