package visits_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/provider"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
	"vestibule/internal/testutil/storetest"
)

// TestReportsUnlisted checks what an applicant can report as missing from the list: names, three of them, each once,
// and only in the step with the list.
func TestReportsUnlisted(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := providertest.Start(t, db, "get", func(c *provider.Config) { c.Limits.WidgetRate, c.BehindProxy = 10, true })
		report := func(a applicant, name string) providertest.Answer {
			return a.Do("POST", a.path, url.Values{"action": {"unlisted"}, "unlisted": {name}}, func(req *http.Request) {
				req.Header.Set("X-Forwarded-For", "203.0.113.7")
			})
		}
		stored := func(name string) (n int) {
			return r.Count(`SELECT CAST(COALESCE(SUM(reports), 0) AS BIGINT) FROM unlisted_institutions WHERE name = $1`, name)
		}
		ana, ben := newcomer(t, r, named("Ana", "Pérez")), newcomer(t, r, named("Ben", "Olsen"))
		if a := report(ana, "First Bank of Nowhere"); a.Status != http.StatusSeeOther || stored("First Bank of Nowhere") != 0 {
			t.Errorf("before the consent: %d", a.Status)
		}
		ana.post(t, "action", "consent")
		ben.post(t, "action", "consent")
		for range 2 { // sent twice
			if a := report(ana, "  First  Bank of Nowhere "); a.Status != 200 || !strings.Contains(a.Body, "First Bank of Nowhere") {
				t.Fatalf("a report: %d %s", a.Status, a.Body)
			}
		}
		report(ben, "FIRST bank of nowhere")
		if n := stored("First Bank of Nowhere"); n != 2 {
			t.Errorf("two visits are counted as %d", n)
		}
		for _, wrong := range []string{"", "x", "ana@example.com", "4111 1111 1111 1111", "<script>", strings.Repeat("a", 61)} {
			if a := report(ana, wrong); a.Status != 422 || !strings.Contains(a.Body, i18ntest.EN("visit.unlisted.invalid")) {
				t.Errorf("%q: %d", wrong, a.Status)
			}
		}
		if a := report(ana, "Meridian Quay"); a.Status != http.StatusSeeOther || !strings.Contains(a.Header.Get("Location"), "q=Meridian+Quay") {
			t.Errorf("a bank in the list: %d %s", a.Status, a.Header.Get("Location"))
		}
		report(ana, "Second Bank")
		report(ana, "Third Bank")
		if a := report(ana, "Fourth Bank"); a.Status != 422 || stored("Fourth Bank") != 0 {
			t.Errorf("a fourth name: %d", a.Status)
		}
		if n := r.Count(`SELECT count(*) FROM unlisted_institutions`); n != 3 {
			t.Errorf("%d names are stored", n)
		}
		if step := ana.step(t); step != "bank" {
			t.Errorf("the visit is at %s", step)
		}
		for range 10 {
			report(ben, "Fifth Bank")
		}
		if a := report(ben, "Sixth Bank"); a.Status != 422 || stored("Sixth Bank") != 0 {
			t.Errorf("above the limit of a network: %d", a.Status)
		}
	})
}
