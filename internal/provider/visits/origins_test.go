package visits_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/testutil/providertest"
)

// TestOnlyRegisteredSitesShowTheWidget checks that browsers show the frame only in pages of the
// account's registered sites, and that a page of another site cannot begin a visit.
func TestOnlyRegisteredSitesShowTheWidget(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		ancestors := func(query url.Values) string {
			t.Helper()
			a := r.Do("GET", "/widget/v1/frame?"+query.Encode(), nil)
			if a.Status != http.StatusOK {
				t.Fatalf("the frame answers %d", a.Status)
			}
			_, rest, _ := strings.Cut(a.Header.Get("Content-Security-Policy"), "frame-ancestors ")
			policy, _, _ := strings.Cut(rest, ";")
			return policy
		}
		mine := url.Values{"env": {"sandbox"}, "publicId": {r.Seed.PublicID}}
		if got := ancestors(mine); got != "*" {
			t.Errorf("without registered sites, frame-ancestors %s", got)
		}
		if a := register(r, map[string]any{"token": token(r, map[string]any{}),
			"origin": "https://anywhere.example"}); a.Status != http.StatusCreated {
			t.Errorf("without registered sites: %d %s", a.Status, a.Body)
		}
		for _, origin := range []string{"https://shop.example", "https://app.example:8443"} {
			r.Count(`INSERT INTO widget_origins (customer_id, origin) SELECT id, $1 FROM customers
				WHERE public_id = $2 RETURNING 1`, origin, r.Seed.PublicID)
		}
		if got := ancestors(mine); got != "https://app.example:8443 https://shop.example" {
			t.Errorf("frame-ancestors %s", got)
		}
		for _, others := range []url.Values{nil, {"publicId": {r.Seed.ThirdParty.PublicID}, "env": {"sandbox"}},
			{"publicId": {"x'; --"}, "env": {"x"}}} {
			if got := ancestors(others); got != "*" {
				t.Errorf("%v: frame-ancestors %s", others, got)
			}
		}
		tok := token(r, map[string]any{})
		for _, origin := range []any{nil, "", "null", "*", "https://evil.example", "https://shop.example.evil.example",
			"https://shop.example/", "http://shop.example"} {
			a := register(r, map[string]any{"token": tok, "resume": store.NewSecret(), "origin": origin})
			if a.Status != http.StatusForbidden || a.JSON["error"] != "UNKNOWN_CUSTOMER" {
				t.Errorf("from %v: %d %s", origin, a.Status, a.Body)
			}
		}
		if a := register(r, map[string]any{"token": tok, "origin": "https://shop.example"}); a.Status != http.StatusCreated {
			t.Errorf("from a registered site: %d %s", a.Status, a.Body)
		}
	})
}
