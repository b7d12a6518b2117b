package review

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// revised returns the sample income report in a revision with a year's income.
func revised(t *testing.T, revision string, gross int64) []byte {
	t.Helper()
	r, err := report.ParseIncome(bodies(t)[contract.Income])
	if err != nil {
		t.Fatal(err)
	}
	r.Income.Summary = report.IncomeSummary{AnnualGross: cents(report.Cents(gross * 100)), AnnualNet: cents(report.Cents(gross * 80))}
	if revision != "" {
		at := report.TimestampOf(noon.AddDate(0, 0, 20))
		r.Meta.Revision, r.Meta.RevisionCreatedAt = &revision, &at
		r.Income.Revised = &report.RevisedValues{GrossAnnual: &gross}
		r.Income.Paystubs = nil
	}
	raw, err := report.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestCorrectedReport takes an application from its decision through a correction of its report
// to another look.
func TestCorrectedReport(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.reporter.newest = revised(t, "", 60_000)
		d.change(appReady, func(r *stored) { r.Product, r.Body = contract.Income, d.reporter.newest })
		d.signInAs(secret, "")
		if resp, page := d.get(own + "/compare?revision=0"); resp.StatusCode != 404 || strings.Contains(page, "60,000") {
			t.Errorf("there is nothing to compare with: %d", resp.StatusCode)
		}
		shown := "2.0"
		decide := func(decision string, seen int) int {
			t.Helper()
			resp, _ := d.post(own+"/decision", url.Values{"seen": {string(rune('0' + seen))}, "report": {shown},
				"decision": {decision}, "reason": {verdict.NoDocuments}, "text": {"Income."}})
			return resp.StatusCode
		}
		if got := decide(decisions.Declined, 0); got != 303 {
			t.Fatalf("deciding: %d", got)
		}
		refresh := func(want string) {
			t.Helper()
			before := d.audited(audit.Refreshed)
			resp, _ := d.post(own+"/refresh", url.Values{})
			if to := resp.Header.Get("Location"); resp.StatusCode != 303 || !strings.Contains(to, "done="+want) ||
				d.audited(audit.Refreshed) != before+1 {
				t.Fatalf("asking for a revision: %d to %q, want %s", resp.StatusCode, to, want)
			}
			if _, page := d.get(resp.Header.Get("Location")); !strings.Contains(page, i18n.Code(i18n.English, "review.refreshed", want)) {
				t.Errorf("the page does not say that it is %s", want)
			}
		}
		refresh("current")
		*d.now = noon.Add(time.Minute)
		d.reporter.newest = revised(t, "1", 41_234)
		refresh("revised")
		_, list := d.get("/review?queue=again")
		d.requireText("the list", list, "Corrected on", i18ntest.EN("review.list.outdated"), appReady)
		_, page := d.get(own)
		d.requireText("the application", page, "Corrected on", "$41,234", i18ntest.EN("review.revision.compare"),
			i18ntest.EN("review.revision.outdated"), i18ntest.EN("review.timeline.revised"), "attempt=2&amp;revision=0")
		_, page = d.get(own + "/compare?attempt=2&revision=1")
		d.requireText("the comparison", page, i18ntest.EN("review.revision.changed"), "$60,000", "$41,234", "−$18,766")
		_, page = d.get(own + "/report?attempt=2&revision=0")
		d.requireText("the earlier report", page, "$60,000", i18ntest.EN("review.revision.older"), "report.pdf?attempt=2&amp;revision=0")
		for path, want := range map[string]string{"/report.json": "revision-1.json", "/report.pdf": "revision-1.pdf",
			"/report.csv": "revision-1.csv", "/months.csv": "revision-1-months.csv", "/report.json?revision=0": appReady + ".json"} {
			resp, body := d.get(own + path)
			if name := resp.Header.Get("Content-Disposition"); resp.StatusCode != 200 || !strings.Contains(name, want) {
				t.Errorf("%s = %d, %q", path, resp.StatusCode, name)
			}
			if path == "/report.pdf" {
				d.requireText("the PDF", textOf(t, body), "Revision", "Corrected on")
			}
		}
		for _, path := range []string{"/report?revision=7", "/report?revision=x", "/report?attempt=1&revision=0",
			"/compare?attempt=2&revision=0"} {
			if resp, _ := d.get(own + path); resp.StatusCode != 404 {
				t.Errorf("%s = %d", path, resp.StatusCode)
			}
		}
		_, csv := d.post("/review/export", url.Values{"id": {appReady}})
		d.requireText("the list's CSV", csv, `"report_revised_at","decision_outdated"`, `"2026-04-03T12:00:00Z","true"`)

		_, letter := d.get(own + "/letter")
		d.requireText("the letter of the decision", letter, "Unable to verify documents", "March 14, 2026")

		// A decision and a confirmation of the older report are refused.
		if got := decide(decisions.Approved, 1); got != 400 {
			t.Errorf("deciding by a reason that the corrected report does not have: %d", got)
		}
		if resp, _ := d.post(own+"/decision", url.Values{"seen": {"1"}, "report": {shown},
			"decision": {decisions.Approved}}); resp.StatusCode != 409 {
			t.Errorf("deciding by the older report: %d", resp.StatusCode)
		}
		if resp, page := d.post(own+"/keep", url.Values{"report": {shown}}); resp.StatusCode != 409 ||
			!strings.Contains(page, i18ntest.EN("review.decide.revised")) {
			t.Errorf("keeping by the older report: %d", resp.StatusCode)
		}
		shown = "2.1"
		for range 2 { // the second changes nothing
			if resp, _ := d.post(own+"/keep", url.Values{"report": {shown}}); resp.StatusCode != 303 {
				t.Errorf("keeping: %d", resp.StatusCode)
			}
		}
		if _, page := d.get(own); d.audited(decisions.DecisionKept) != 1 || strings.Contains(page, i18ntest.EN("review.revision.outdated")) {
			t.Errorf("kept %d times, or the page still asks", d.audited(decisions.DecisionKept))
		}
		if _, list := d.get("/review?queue=again"); strings.Contains(list, appReady) {
			t.Error("it is still in the queue")
		}
		for name, c := range map[string]struct {
			why    error
			status int
		}{
			"a report that is too old": {&svcapi.Error{HTTP: 404, Code: contract.CodeInvalidToken}, 404},
			"a service that is away":   {&svcapi.Error{Code: contract.CodeUpstream, Err: context.DeadlineExceeded}, 502},
		} {
			d.reporter.refuses = c.why
			if resp, _ := d.post(own+"/refresh", url.Values{}); resp.StatusCode != c.status {
				t.Errorf("%s: %d", name, resp.StatusCode)
			}
		}
		if resp, _ := d.post("/review/applications/"+appStarted+"/refresh", url.Values{}); resp.StatusCode != 404 {
			t.Errorf("without a report: %d", resp.StatusCode)
		}
	})
}

// TestAskingForMoreWaitsForTheAnswer follows an application through the queues.
func TestAskingForMoreWaitsForTheAnswer(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		in := func(want string) {
			t.Helper()
			for _, queue := range []string{queueToDecide, queueWaiting, queueDecided} {
				if _, page := d.get("/review?queue=" + queue); strings.Contains(page, `data-id="`+appReady) != (queue == want) {
					t.Errorf("it is in the queue %s, want %s alone", queue, want)
				}
			}
		}
		in(queueToDecide)
		if resp, _ := d.post(own+"/decision", url.Values{"seen": {"0"}, "decision": {decisions.MoreAsked},
			"text": {"A pay stub."}}); resp.StatusCode != 303 {
			t.Fatal(resp.StatusCode)
		}
		in(queueWaiting)
		err := d.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			a, err := d.Applications.Lock(ctx, tx, appReady)
			a.Decision.AnsweredAt = noon.Add(time.Hour)
			if err == nil {
				err = d.Index.OnChange(ctx, tx, a, applications.TimelineEntry{Kind: string(journey.Fetched)})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		in(queueToDecide)
		if resp, _ := d.post(own+"/decision", url.Values{"seen": {"1"}, "decision": {decisions.Approved}}); resp.StatusCode != 303 {
			t.Fatal(resp.StatusCode)
		}
		in(queueDecided)
	})
}
