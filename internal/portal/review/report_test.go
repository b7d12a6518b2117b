package review

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// withFigures returns the sample with attributes, one of which a spreadsheet would
// take for a formula.
func withFigures(t testing.TB) []byte {
	t.Helper()
	body, err := report.ParseCashflow(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range [][3]string{{"UA_ASSET_TOTAL_MIN_3M", "Lowest, \"end-of-day\"\nbalance", "-12.50"},
		{"=1+1", "@SUM(A1)", "7"}, {"UA_X", "−5 is no formula", "0.12345"}} {
		body.Attributes = append(body.Attributes, report.Attribute{Name: a[0], Description: a[1],
			Node: "ASSET", Value: json.Number(a[2]), AdverseActionCode: "11"})
	}
	raw, err := report.Encode(body)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func someAnalysis(t testing.TB) []byte {
	t.Helper()
	from := report.DateOf(noon.AddDate(0, 0, -1))
	raw, err := report.Encode(report.Analysis{Version: "1.0.0", PublicToken: token, From: &from,
		To: report.DateOf(noon), Total: []report.Cents{5_00, -1_00},
		Months: []report.AnalysisMonth{{Month: "2026-03", In: 12_34, Income: 10_00, Out: -20_00,
			End: -1_00, Lowest: -1_00, Count: 2, Returned: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestSpreadsheetDownloads(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		d.change(appReady, func(r *stored) { r.Body, r.Analysis = withFigures(t), someAnalysis(t) })
		resp, body := d.get("/review/applications/" + appReady + "/report.csv")
		want := "\ufeff" + `"name","description","node","value","adverse_action_code"` + "\r\n" +
			`"UA_ASSET_TOTAL_MIN_3M","Lowest, ""end-of-day""` + "\r\n" + `balance","ASSET","-12.50","11"` + "\r\n" +
			`"'=1+1","'@SUM(A1)","ASSET","7","11"` + "\r\n" + `"UA_X","−5 is no formula","ASSET","0.12345","11"` + "\r\n"
		if diff := cmp.Diff(want, body); diff != "" {
			t.Errorf("report.csv: -want +got\n%s", diff)
		}
		if h := resp.Header; h.Get("Content-Disposition") != `attachment; filename="cashflow-`+appReady+`.csv"` ||
			!strings.HasPrefix(h.Get("Content-Type"), "text/csv; charset=utf-8") ||
			h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("headers: %v", h)
		}
		_, body = d.get("/review/applications/" + appReady + "/months.csv")
		want = "\ufeff" + quoted("month|complete|in|income|out|net|end_balance|lowest_balance|transactions|nsf_or_overdraft",
			"2026-03|false|12.34|10.00|-20.00|-7.66|-1.00|-1.00|2|1")
		if diff := cmp.Diff(want, body); diff != "" {
			t.Errorf("months.csv: -want +got\n%s", diff)
		}
		var n int
		if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM audit WHERE action = 'reportExported'
			AND subject_id = $1`, appReady).Scan(&n); err != nil || n != 2 {
			t.Errorf("%d downloads were written down (%v), want 2", n, err)
		}
		d.change(appReady, func(r *stored) { r.Analysis = nil })
		d.requireStatus(404, "/review/applications/"+appReady+"/months.csv") // no months
		for _, file := range []string{"report.csv", "months.csv"} {
			if resp, _ := d.get("/review/applications/" + appStarted + "/" + file); resp.StatusCode != 404 {
				t.Errorf("%s of no report: %d", file, resp.StatusCode)
			}
		}
		d.post("/review/sign-out", nil)
		d.requireStatus(303, "/review/applications/"+appReady+"/report.csv") // not signed in
	})
}

func TestReportPageWithAnalysis(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	url := "/review/applications/" + appReady + "/report"
	d.change(appReady, func(r *stored) { r.Body, r.Analysis = withFigures(t), someAnalysis(t) })
	resp, page := d.get(url)
	for _, want := range []string{`role="img"`, i18ntest.EN("review.report.balances"),
		i18ntest.EN("review.report.money"), "−$1.00", "/months.csv", "/report.csv"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if resp.StatusCode != 200 || strings.Contains(page, "style=") {
		t.Errorf("%d, or inline style", resp.StatusCode)
	}
	if _, page := d.get(url + "?q=total+min&node=ASSET"); strings.Count(page, "figure-name") != 1 ||
		!strings.Contains(page, "1 figure<") && !strings.Contains(page, "1 figure") {
		t.Errorf("looked for one figure:\n%s", page)
	}
	for _, bad := range []string{"?q=" + strings.Repeat("x", maxQuery+1), "?q=%ff", "?node=" + strings.Repeat("x", maxQuery+1)} {
		if resp, _ := d.get(url + bad); resp.StatusCode != 404 {
			t.Errorf("GET %.30s = %d, want 404", bad, resp.StatusCode)
		}
	}
	d.change(appReady, func(r *stored) { r.Analysis, r.AnalysisPending = nil, true })
	d.requirePage(url, i18ntest.EN("review.report.pending"), `!role="img"`) // the analysis is on its way
	d.change(appReady, func(r *stored) { r.Analysis, r.AnalysisPending = []byte(`{"broken`), false })
	d.requirePage(url, "!broken", `!role="img"`) // a broken analysis
}
