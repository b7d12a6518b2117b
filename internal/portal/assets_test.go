package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/portal"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestAssetsOnlyAsksForNoEmployers checks that form and API ask for no employers if the
// account's eligibility product verifies only assets, and require them otherwise.
func TestAssetsOnlyAsksForNoEmployers(t *testing.T) {
	for _, only := range []bool{true, false} {
		r := newTestServer(t, storetest.SQLite(t, store.Portal), func(c *portal.Config) {
			c.Account.Products, c.Account.AssetsOnly = map[contract.Product]string{
				contract.Eligibility: productID, contract.Cashflow: productID}, only
		})
		b := r.browser()
		form := b.get("/apply/eligibility")
		if form.status != 200 || strings.Contains(form.body, "data-assets-only") != only || strings.Contains(form.body,
			`name="statedEmployerNames"`) == only || strings.Contains(form.body, `name="statedAnnualIncome"`) == only {
			t.Errorf("assets only %v: the form is %d %s", only, form.status, form.body)
		}
		if other := b.get("/apply/cashflow"); strings.Contains(other.body, "data-assets-only") ||
			!strings.Contains(other.body, `name="statedEmployerName"`) {
			t.Errorf("assets only %v: another form is %s", only, other.body)
		}
		for lang, words := range map[string][2]string{"en": {"Income, employment, and savings", "Your savings, for"},
			"es": {"Ingresos, trabajo y ahorros", "Sus ahorros, para"}} {
			if home := b.get("/?lang=" + lang); strings.Contains(home.body, words[0]) == only || strings.Contains(home.body, words[1]) != only {
				t.Errorf("assets only %v: the first page says %s", only, home.body)
			}
		}
		b.get("/?lang=en")
		typed := url.Values{"product": {"eligibility"}, "firstName": {"Ana"}, "lastName": {"Pérez"}, "email": {"ana@example.com"},
			"dob-year": {"1990"}, "dob-month": {"6"}, "dob-day": {"15"},
			"state": {"CA"}, "mode": {"embedded"}}
		want := map[bool]int{true: http.StatusSeeOther, false: http.StatusUnprocessableEntity}[only]
		if got := b.post("/applications", typed); got.status == http.StatusSeeOther &&
			!strings.Contains(b.get(got.location).body, "<h1>Verify your savings</h1>") {
			t.Errorf("the page of the widget is not titled by savings")
		} else if got.status != want {
			t.Errorf("assets only %v: the form without employers answers %d %s", only, got.status, got.body)
		}
		for names, want := range map[string]int{`["Acme"]`: 201, `["a","b","c","d","e","f","g"]`: 400,
			"": map[bool]int{true: 201, false: 400}[only]} {
			prefill := `{"firstName":"Ana","lastName":"Pérez","email":"ana@example.com","dob":"1990-06-15","state":"CA"}`
			if names != "" {
				prefill = strings.TrimSuffix(prefill, "}") + `,"statedEmployerNames":` + names + "}"
			}
			got := b.do("POST", "/api/v1/applications", "application/json", `{"product":"eligibility","mode":"embedded","prefill":`+
				prefill+`}`, "Authorization", "Bearer "+apiKey)
			if got.status != want {
				t.Errorf("assets only %v: the API answers employers %q with %d %s", only, names, got.status, got.body)
			}
		}
	}
}
