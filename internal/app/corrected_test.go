package app_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
)

// TestCorrectionReachesTheBusiness makes an application at the portal and decides it, corrects its
// report on the provider's dashboard, and follows the correction to the reviewer, the onboarding
// app and the applicant.
func TestCorrectionReachesTheBusiness(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *testServer) {
		id, cookie := w.applied(t, url.Values{"product": {"income"}})
		w.walked(t, id, cookie, `{"payroll":{}}`)
		reviewer := w.signIn(t)
		at := w.Portal + "/review/applications/" + id
		read := func(path string) string {
			t.Helper()
			return string(good(t, 200, ask(t, "GET", at+path, "", "Cookie", reviewer)).Body)
		}
		send := func(path string, pairs ...string) {
			t.Helper()
			form := url.Values{}
			for i := 0; i < len(pairs); i += 2 {
				form.Set(pairs[i], pairs[i+1])
			}
			good(t, 303, ask(t, "POST", at+path, form.Encode(), "Content-Type", asForm, "Cookie", reviewer))
		}
		api := func(path string) string {
			t.Helper()
			return string(good(t, 200, ask(t, "GET", w.Portal+"/api/v1/applications/"+id+path, "",
				"Authorization", "Bearer "+w.Credentials.PortalAPIKey)).Body)
		}
		send("/decision", "seen", "0", "report", "1.0", "decision", "approved", "text", "")
		kept := api("/report")
		body, err := report.ParseIncome([]byte(kept))
		if err != nil {
			t.Fatal(err)
		}
		staff := w.staff(t, w.Credentials.Dashboard)
		correct := func(path string, pairs ...string) string {
			t.Helper()
			r := good(t, 303, ask(t, "POST", w.Provider+path, w.form(t, staff, pairs...), append([]string{"Content-Type", asForm}, staff...)...))
			return r.Header.Get("Location")
		}
		page := correct("/dashboard/reports/find", "query", body.Meta.PublicToken)
		correct(page+"/correct", "revision", "0", "gross_annual", "98765", "net_annual", "76543", "reason", "The consumer disputed both figures.")

		// The provider's webhook does the rest.
		var shown struct {
			UpdatedAt string
			Decision  struct{ Outdated bool }
			Report    struct {
				Revision  int
				RevisedAt *string
			}
		}
		w.until(t, func() bool {
			if err := json.Unmarshal([]byte(api("")), &shown); err != nil {
				t.Fatal(err)
			}
			return shown.Report.Revision == 1
		})
		if !shown.Decision.Outdated || shown.Report.RevisedAt == nil {
			t.Errorf("the API says %+v", shown)
		}
		if !strings.Contains(api("/report"), `"svc_report_revision":"1"`) || api("/report?revision=0") != kept ||
			!strings.Contains(api("/events"), `"kind":"revised"`) {
			t.Error("the API has another report, or its events lack the revision")
		}
		if page := read(""); !strings.Contains(page, "$98,765") || !strings.Contains(page, "Corrected on") ||
			!strings.Contains(page, i18ntest.EN("review.revision.outdated")) {
			t.Errorf("the application's page:\n%s", page)
		}
		if page := read("/compare?attempt=1&revision=1"); !strings.Contains(page, "$98,765") || !strings.Contains(page, "+$") &&
			!strings.Contains(page, "−$") {
			t.Errorf("what changed:\n%s", page)
		}
		status := func() string {
			t.Helper()
			return string(good(t, 200, ask(t, "GET", w.Portal+"/applications/"+id, "", "Cookie", cookie)).Body)
		}
		if page := status(); !strings.Contains(page, i18ntest.EN("status.timeline.revised")) || !strings.Contains(page, "will look at it again") {
			t.Errorf("the applicant's page:\n%s", page)
		}
		send("/keep", "report", "1.1")
		if err := json.Unmarshal([]byte(api("")), &shown); err != nil || shown.Decision.Outdated ||
			strings.Contains(status(), "will look at it again") {
			t.Errorf("after the decision is kept: %+v, %v", shown, err)
		}
		correct(page+"/correct", "revision", "1", "gross_annual", "12345", "net_annual", "11111", "reason", "The consumer disputed both figures.")
		w.until(t, func() bool { return strings.Contains(api("/report"), `"svc_report_revision":"2"`) })
	})
}
