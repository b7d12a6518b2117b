package review

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/pdftest"
	"vestibule/internal/testutil/storetest"
)

// textOf returns the text of a PDF.
func textOf(t *testing.T, raw string) string {
	t.Helper()
	return strings.Join(pdftest.Pages(pdftest.Read(t, []byte(raw))), "")
}

func TestReportPDF(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		at := "/review/applications/" + appReady + "/report.pdf"
		d.requireStatus(303, at) // not signed in
		d.signInAs(secret, "")
		d.change(appReady, func(r *stored) { r.Body, r.Analysis = withFigures(t), someAnalysis(t) })
		d.requirePage("/review/applications/"+appReady, `href="`+at+`"`)
		d.post("/review/applications/"+appReady+"/decision", map[string][]string{"seen": {"0"}, "decision": {decisions.Escalated},
			"text": {"Look at the second bank."}})
		before := d.audited(audit.ReportExported)
		resp, raw := d.get(at)
		h := resp.Header
		if resp.StatusCode != 200 || h.Get("Content-Type") != "application/pdf" || h.Get("Cache-Control") != "no-store" ||
			h.Get("Content-Disposition") != `attachment; filename="cashflow-`+appReady+`.pdf"` ||
			h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%d %v", resp.StatusCode, h)
		}
		if n := d.audited(audit.ReportExported) - before; n != 1 {
			t.Errorf("%d lines of the audit trail", n)
		}
		text := textOf(t, raw)
		for _, want := range []string{"Zoë O’Hara-Núñez", "Harbor Lending", i18ntest.EN("review.report.some_differ"), "ANA NUNEZ",
			i18ntest.EN("review.decisions.escalated"), "Look at the second bank.", "–$1.00", token} {
			if !strings.Contains(text, want) && !strings.Contains(strings.ReplaceAll(text, "\n", " "), want) {
				t.Errorf("the PDF lacks %q:\n%s", want, text)
			}
		}
		if _, raw := d.get(at + "?lang=es"); !strings.Contains(textOf(t, raw), i18ntest.ES("review.report.accounts")) {
			t.Error("the Spanish PDF is not in Spanish")
		}

		req, _ := http.NewRequest(http.MethodHead, d.srv.URL+at, nil)
		if resp, err := d.http.Do(req); err != nil || resp.StatusCode != 200 || d.audited(audit.ReportExported) != before+2 {
			t.Errorf("HEAD: %v, %v, or it is in the audit trail", resp, err)
		}
		for path, want := range map[string]int{appStarted + "/report.pdf": 404, "x/report.pdf": 404, appReady + "/report.pdf?attempt=7": 404,
			appReady + "/report.pdf?attempt=0": 404, "44444444-4444-4444-8444-444444444444/report.pdf": 404} {
			if resp, _ := d.get("/review/applications/" + path); resp.StatusCode != want || resp.Header.Get("Content-Disposition") != "" {
				t.Errorf("%s = %d, want %d", path, resp.StatusCode, want)
			}
		}
		for product, body := range bodies(t) {
			d.change(appReady, func(r *stored) { r.Product, r.Body, r.Analysis = product, body, nil })
			if _, raw := d.get(at); !strings.Contains(textOf(t, raw), token) {
				t.Errorf("the PDF of %s lacks the report's token", product)
			}
		}
		d.keep([]byte(`{"meta":{"public_token":"` + token + `"},"broken`))
		if resp, page := d.get(at); resp.StatusCode != 500 || strings.Contains(page, "broken") {
			t.Errorf("a report that does not parse: %d", resp.StatusCode)
		}

		a, err := d.Applications.Get(t.Context(), d.Applications.DB.SQL, appStarted)
		if _, err2 := d.ReportPDF(t.Context(), a, a.Report, i18n.English); err != nil || !errors.Is(err2, store.ErrNotFound) {
			t.Errorf("an application without a report: %v, %v", err, err2)
		}
	})
}
