package review

import (
	"context"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// TestCorrectedReport checks that a report corrected by the service is shown without
// replacing the stored one.
func TestCorrectedReport(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		at := "/review/applications/" + appReady
		openWithFiles, err := report.ParseIncome(bodies(t)[contract.Income])
		if err != nil {
			t.Fatal(err)
		}
		encode := func(r *report.Income) []byte {
			raw, err := report.Encode(r)
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}
		d.reporter.newest = encode(openWithFiles)
		d.change(appReady, func(r *stored) { r.Product, r.Body = contract.Income, encode(openWithFiles) })
		if resp, _ := d.get(at + "/newest"); resp.StatusCode != 303 {
			t.Errorf("not signed in: %d", resp.StatusCode)
		}
		d.signInAs(secret, "")
		if _, page := d.get(at + "/report"); !strings.Contains(page, at+`/newest"`) ||
			strings.Contains(page, i18ntest.EN("review.income.newest")) {
			t.Error("the page of the report does not lead to the service's, or is taken for it")
		}
		before := d.audited(audit.ReportViewed)
		resp, page := d.get(at + "/newest")
		if resp.StatusCode != 200 || !strings.Contains(page, i18ntest.EN("review.income.newest")) ||
			!strings.Contains(page, i18ntest.EN("review.income.not_revised")) || !strings.Contains(page, at+`/report"`) ||
			strings.Contains(page, "report.json") || strings.Contains(page, at+`/newest"`) || d.audited(audit.ReportViewed) != before+1 {
			t.Errorf("the service's page = %d\n%s", resp.StatusCode, page)
		}
		revision, when, net, gross := "1", report.TimestampOf(noon), int64(41_234), int64(52_345)
		openWithFiles.Meta.Revision, openWithFiles.Meta.RevisionCreatedAt = &revision, &when
		openWithFiles.Income.Summary = report.IncomeSummary{AnnualGross: cents(52_345_00), AnnualNet: cents(41_234_00)}
		openWithFiles.Income.Revised = &report.RevisedValues{GrossAnnual: &gross, NetAnnual: &net}
		d.reporter.newest = encode(openWithFiles)
		if _, page := d.get(at + "/newest"); !strings.Contains(page, "$41,234") ||
			!strings.Contains(page, i18ntest.EN("review.income.revised")) || strings.Contains(page, i18ntest.EN("review.income.not_revised")) {
			t.Errorf("the corrected report:\n%s", page)
		}
		if _, page := d.get(at + "/report"); strings.Contains(page, "41,234") {
			t.Error("it took the place of the one that is kept")
		}
		for name, c := range map[string]struct {
			why    error
			status int
		}{
			"too old a report":       {&svcapi.Error{HTTP: 404, Code: contract.CodeInvalidToken}, 404},
			"a service that is away": {&svcapi.Error{Code: contract.CodeUpstream, Err: context.DeadlineExceeded}, 502},
			"malformed report":       {nil, 500},
		} {
			d.reporter.refuses, d.reporter.newest = c.why, []byte("{}")
			if resp, page := d.get(at + "/newest"); resp.StatusCode != c.status || c.status == 502 && !strings.Contains(page, at+`/newest"`) {
				t.Errorf("%s: %d\n%s", name, resp.StatusCode, page)
			}
		}
		d.change(appReady, func(r *stored) { r.Product = contract.Cashflow })
		for _, path := range []string{at, "/review/applications/" + appStarted} {
			if resp, _ := d.get(path + "/newest"); resp.StatusCode != 404 {
				t.Errorf("%s of another kind = %d, want 404", path, resp.StatusCode)
			}
		}
	})
}
