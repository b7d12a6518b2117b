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

// refresh asks for a revision of the ready application's report, and checks what is found.
func (d *testServer) refresh(want string) {
	d.t.Helper()
	before := d.audited(audit.Refreshed)
	to := d.requirePost(303, own+"/refresh", url.Values{})
	if !strings.Contains(to, "done="+want) || d.audited(audit.Refreshed) != before+1 {
		d.t.Fatalf("asking for a revision leads to %q, want %s", to, want)
	}
	d.requirePage(to, i18n.Code(i18n.English, "review.refreshed", want))
}

// TestCorrectedReport takes an application from its decision through a correction of its report
// to another look.
func TestCorrectedReport(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.reporter.newest = revised(t, "", 60_000)
		d.change(appReady, func(r *stored) { r.Product, r.Body = contract.Income, d.reporter.newest })
		d.signInAs(secret, "")
		decision := func(seen, report, decision string) url.Values {
			return url.Values{"seen": {seen}, "report": {report}, "decision": {decision}, "reason": {verdict.NoDocuments}, "text": {"Income."}}
		}
		d.run("correction", func(t *testing.T, d *testServer) {
			if resp, page := d.get(own + "/compare?revision=0"); resp.StatusCode != 404 || strings.Contains(page, "60,000") {
				t.Errorf("there is nothing to compare with: %d", resp.StatusCode)
			}
			d.requirePost(303, own+"/decision", decision("0", "2.0", decisions.Declined))
			d.refresh("current")
			*d.now = noon.Add(time.Minute)
			d.reporter.newest = revised(t, "1", 41_234)
			d.refresh("revised")
		})
		d.run("pages", func(_ *testing.T, d *testServer) {
			d.requirePage("/review?queue=again", "Corrected on", i18ntest.EN("review.list.outdated"), appReady)
			d.requirePage(own, "Corrected on", "$41,234", i18ntest.EN("review.revision.compare"),
				i18ntest.EN("review.revision.outdated"), i18ntest.EN("review.timeline.revised"), "attempt=2&amp;revision=0")
			d.requirePage(own+"/compare?attempt=2&revision=1", i18ntest.EN("review.revision.changed"), "$60,000", "$41,234", "−$18,766")
			d.requirePage(own+"/report?attempt=2&revision=0", "$60,000", i18ntest.EN("review.revision.older"), "report.pdf?attempt=2&amp;revision=0")
			d.requireStatus(404, own+"/report?revision=7", own+"/report?revision=x", own+"/report?attempt=1&revision=0",
				own+"/compare?attempt=2&revision=0")
			d.requirePage(own+"/letter", "Unable to verify documents", "March 14, 2026")
		})
		d.run("files", func(t *testing.T, d *testServer) {
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
			_, csv := d.post("/review/export", url.Values{"id": {appReady}})
			d.requireText("the list's CSV", csv, `"report_revised_at","decision_outdated"`, `"2026-04-03T12:00:00Z","true"`)
		})
		d.run("decisions and confirmations of the older report", func(_ *testing.T, d *testServer) {
			d.requirePost(400, own+"/decision", decision("1", "2.0", decisions.Approved)) // its reason is not in the corrected report
			d.requirePost(409, own+"/decision", url.Values{"seen": {"1"}, "report": {"2.0"}, "decision": {decisions.Approved}})
			d.requirePost(409, own+"/keep", url.Values{"report": {"2.0"}}, i18ntest.EN("review.decide.revised"))
		})
		d.run("keeping the decision", func(t *testing.T, d *testServer) {
			for range 2 { // the second changes nothing
				d.requirePost(303, own+"/keep", url.Values{"report": {"2.1"}})
			}
			if n := d.audited(decisions.DecisionKept); n != 1 {
				t.Errorf("kept %d times", n)
			}
			d.requirePage(own, "!"+i18ntest.EN("review.revision.outdated"))
			d.requirePage("/review?queue=again", "!"+appReady)
		})
		d.run("no revision", func(_ *testing.T, d *testServer) {
			d.reporter.refuses = &svcapi.Error{HTTP: 404, Code: contract.CodeInvalidToken} // a report that is too old
			d.requirePost(404, own+"/refresh", url.Values{})
			d.reporter.refuses = &svcapi.Error{Code: contract.CodeUpstream, Err: context.DeadlineExceeded} // a service that is away
			d.requirePost(502, own+"/refresh", url.Values{})
			d.requirePost(404, "/review/applications/"+appStarted+"/refresh", url.Values{}) // without a report
		})
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
