package app_test

import (
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
)

// TestReviewShowsCorrectedReport makes an application at the portal, corrects its
// report on the provider's dashboard, and reads it as a reviewer.
func TestReviewShowsCorrectedReport(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *testServer) {
		id, cookie := w.applied(t, url.Values{"product": {"income"}})
		w.walked(t, id, cookie, `{"payroll":{}}`)
		reviewer := w.signIn(t)
		at := w.Portal + "/review/applications/" + id
		read := func(path string) string {
			t.Helper()
			return string(good(t, 200, ask(t, "GET", at+path, "", "Cookie", reviewer)).Body)
		}
		kept := read("/report.json")
		body, err := report.ParseIncome([]byte(kept))
		if err != nil {
			t.Fatal(err)
		}
		if page := read("/newest"); !strings.Contains(page, i18ntest.EN("review.income.not_revised")) {
			t.Errorf("before it is corrected:\n%s", page)
		}
		staff := w.staff(t, w.Credentials.Dashboard)
		send := func(path string, pairs ...string) string {
			t.Helper()
			r := good(t, 303, ask(t, "POST", w.Provider+path, w.form(t, staff, pairs...), append([]string{"Content-Type", asForm}, staff...)...))
			return r.Header.Get("Location")
		}
		page := send("/dashboard/reports/find", "query", body.Meta.PublicToken)
		send(page+"/correct", "revision", "0", "gross_annual", "98765", "net_annual", "76543", "reason", "The consumer disputed both figures.")
		if page := read("/newest"); !strings.Contains(page, "$98,765") || !strings.Contains(page, "$76,543") ||
			!strings.Contains(page, i18ntest.EN("review.income.revised")) {
			t.Errorf("the service's report:\n%s", page)
		}
		if read("/report.json") != kept || strings.Contains(read("/report"), "98,765") {
			t.Error("the report of the application is another one now")
		}
	})
}
