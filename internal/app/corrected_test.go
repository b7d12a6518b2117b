package app_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/report"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/i18ntest"
)

// correctedCase is a decided application whose report is corrected.
type correctedCase struct {
	*testServer
	id, applicant, reviewer string // the last two are cookies
	staff                   []string
	kept                    string // the report before the correction, as the API returns it
	page                    string // of the report on the provider's dashboard
}

func (w *testServer) decidedCase(t *testing.T) *correctedCase {
	t.Helper()
	c := &correctedCase{testServer: w, reviewer: w.signIn(t), staff: w.staff(t, w.Credentials.Dashboard)}
	c.id, c.applicant = w.applied(t, url.Values{"product": {"income"}})
	w.walked(t, c.id, c.applicant, `{"payroll":{}}`)
	c.review(t, "/decision", url.Values{"seen": {"0"}, "report": {"1.0"}, "decision": {"approved"}, "text": {""}})
	c.kept = c.api(t, "/report")
	body, err := report.ParseIncome([]byte(c.kept))
	testutil.Must(t, err)
	c.page = c.dashboard(t, "/dashboard/reports/find", "query", body.Meta.PublicToken)
	return c
}

// read returns a page of the portal, in whose path {id} stands for the application.
func (c *correctedCase) read(t *testing.T, at, cookie string) string {
	t.Helper()
	return string(good(t, 200, ask(t, "GET", c.Portal+strings.ReplaceAll(at, "{id}", c.id), "", "Cookie", cookie)).Body)
}

// review sends a form of the reviewer.
func (c *correctedCase) review(t *testing.T, path string, form url.Values) {
	t.Helper()
	good(t, 303, ask(t, "POST", c.Portal+"/review/applications/"+c.id+path, form.Encode(), "Content-Type", asForm, "Cookie", c.reviewer))
}

// api returns what the portal's API says about the application.
func (c *correctedCase) api(t *testing.T, path string) string {
	t.Helper()
	return string(good(t, 200, ask(t, "GET", c.Portal+"/api/v1/applications/"+c.id+path, "", "Authorization", c.key())).Body)
}

// dashboard sends a form of the provider's dashboard and returns where the answer leads.
func (c *correctedCase) dashboard(t *testing.T, path string, pairs ...string) string {
	t.Helper()
	r := good(t, 303, ask(t, "POST", c.Provider+path, c.form(t, c.staff, pairs...), append([]string{"Content-Type", asForm}, c.staff...)...))
	return r.Header.Get("Location")
}

// correct corrects both figures of a revision.
func (c *correctedCase) correct(t *testing.T, revision, gross, net string) {
	t.Helper()
	c.dashboard(t, c.page+"/correct", "revision", revision, "gross_annual", gross, "net_annual", net,
		"reason", "The consumer disputed both figures.")
}

// shownApplication is an application of the API with its corrected report.
type shownApplication struct {
	UpdatedAt string
	Decision  struct{ Outdated bool }
	Report    struct {
		Revision  int
		RevisedAt *string
	}
}

func (c *correctedCase) shown(t *testing.T) (out shownApplication) {
	t.Helper()
	testutil.Must(t, json.Unmarshal([]byte(c.api(t, "")), &out))
	return out
}

// TestCorrectionReachesTheBusiness makes an application at the portal and decides it, corrects its
// report on the provider's dashboard, and follows the correction to the reviewer, the onboarding
// app and the applicant.
func TestCorrectionReachesTheBusiness(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		c := w.decidedCase(t)
		c.correct(t, "0", "98765", "76543")
		w.until(t, func() bool { return c.shown(t).Report.Revision == 1 }) // by the provider's webhook
		t.Run("API", func(t *testing.T) {
			if a := c.shown(t); !a.Decision.Outdated || a.Report.RevisedAt == nil {
				t.Errorf("the API says %+v", a)
			}
			if !strings.Contains(c.api(t, "/report"), `"svc_report_revision":"1"`) || c.api(t, "/report?revision=0") != c.kept ||
				!strings.Contains(c.api(t, "/events"), `"kind":"revised"`) {
				t.Error("the API has another report, or its events lack the revision")
			}
		})
		t.Run("reviewer", func(t *testing.T) {
			if page := c.read(t, "/review/applications/{id}", c.reviewer); !strings.Contains(page, "$98,765") ||
				!strings.Contains(page, "Corrected on") || !strings.Contains(page, i18ntest.EN("review.revision.outdated")) {
				t.Errorf("the application's page:\n%s", page)
			}
			if page := c.read(t, "/review/applications/{id}/compare?attempt=1&revision=1", c.reviewer); !strings.Contains(page, "$98,765") ||
				!strings.Contains(page, "+$") && !strings.Contains(page, "−$") {
				t.Errorf("what changed:\n%s", page)
			}
		})
		t.Run("applicant", func(t *testing.T) {
			if page := c.read(t, "/applications/{id}", c.applicant); !strings.Contains(page, i18ntest.EN("status.timeline.revised")) ||
				!strings.Contains(page, "will look at it again") {
				t.Errorf("the applicant's page:\n%s", page)
			}
		})
		t.Run("the decision is kept", func(t *testing.T) {
			c.review(t, "/keep", url.Values{"report": {"1.1"}})
			if a := c.shown(t); a.Decision.Outdated || strings.Contains(c.read(t, "/applications/{id}", c.applicant), "will look at it again") {
				t.Errorf("after the decision is kept: %+v", a)
			}
		})
		t.Run("a second correction", func(t *testing.T) {
			c.correct(t, "1", "12345", "11111")
			w.until(t, func() bool { return strings.Contains(c.api(t, "/report"), `"svc_report_revision":"2"`) })
		})
	})
}
