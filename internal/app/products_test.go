package app_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/i18ntest"
	pages "vestibule/templates/portal/review"
)

// applied applies for a product by the portal's form, and returns the application's id
// and the browser's cookie.
func (w *testServer) applied(t *testing.T, more url.Values) (id, cookie string) {
	t.Helper()
	form := goodForm()
	for name, values := range more {
		form[name] = values
	}
	got := good(t, 303, ask(t, "POST", w.Portal+"/applications", form.Encode(), "Content-Type", asForm))
	id, _ = strings.CutPrefix(got.Header.Get("Location"), "/applications/")
	id, _ = strings.CutSuffix(id, "/connect")
	return id, cookieOf(t, got)
}

// walked completes an application's visit.
func (w *testServer) walked(t *testing.T, id, cookie, how string) {
	t.Helper()
	token := w.connect(t, id, cookie)
	good(t, 200, ask(t, "POST", w.Control+"/visits/"+token+"/complete", how, "Content-Type", asJSON))
	w.state(t, id, "ready")
}

// TestReviewShowsIncomeReport makes income reports by payroll and by pay stub, and
// opens the reviewer's page and the source file.
func TestReviewShowsIncomeReport(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		income := url.Values{"product": {"income"}, "statedEmployerName": {"Northwind Logistics"}, "statedAnnualIncome": {"$82,000"}}
		id, cookie := w.applied(t, income)
		w.walked(t, id, cookie, `{"payroll":{}}`)
		reviewer := w.signIn(t)
		at := w.Portal + "/review/applications/" + id
		page := string(good(t, 200, ask(t, "GET", at+"/report", "", "Cookie", reviewer)).Body)
		for _, want := range []string{i18ntest.EN("review.report.income_title"), i18ntest.EN("review.report.findings"), "Payroll has",
			i18ntest.EN("review.employer_real.found", "employer", "Northwind Logistics"),
			i18ntest.EN("review.payroll.statements") + " (", "/report.csv"} {
			if !strings.Contains(page, want) {
				t.Errorf("the page lacks %q", want)
			}
		}
		if n := w.count(t, store.Portal, `SELECT COUNT(*) FROM applications WHERE product = 'income' AND report_at <> 0`); n != 1 {
			t.Errorf("%d income reports were kept, want 1", n)
		}

		stub := testutil.ReadFile(t, "../analysis/paystub/testdata/modern.pdf")
		id, cookie = w.applied(t, url.Values{"product": {"income"}})
		w.walked(t, id, cookie, `{"payStubs":[{"fileName":"paystub.pdf","contentBase64":"`+base64.StdEncoding.EncodeToString(stub)+`"}]}`)
		at = w.Portal + "/review/applications/" + id
		body, err := report.ParseIncome(good(t, 200, ask(t, "GET", at+"/report.json", "", "Cookie", reviewer)).Body)
		if err != nil || len(body.Income.Paystubs) != 1 {
			t.Fatalf("the report of a pay stub: %v", err)
		}
		file := at + "/files/" + pages.FileRef(body.Income.Paystubs[0].SourceFilepath)
		page = string(good(t, 200, ask(t, "GET", at+"/report", "", "Cookie", reviewer)).Body)
		if !strings.Contains(page, strings.TrimPrefix(file, w.Portal)) || !strings.Contains(page, i18ntest.EN("review.income_real.stubs_only")) {
			t.Error("the page does not lead to its pay stub, or takes it for more than it is")
		}
		got := good(t, 200, ask(t, "GET", file, "", "Cookie", reviewer))
		if string(got.Body) != string(stub) || got.Header.Get("Content-Type") != "application/pdf" ||
			!strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment;") {
			t.Errorf("the file is %d bytes of %s, want %d of application/pdf to be kept", len(got.Body), got.Header.Get("Content-Type"), len(stub))
		}
		// Only a reviewer gets the file, and the portal stores none of it.
		if got := do(t, ask(t, "GET", file, "", "Cookie", cookie)); got.Status != 303 {
			t.Errorf("the applicant's own browser = %d", got.Status)
		}
		w.nothingLeaked(t)
	})
}

// TestReviewShowsEligibilityReport does the same for employers that the form names.
func TestReviewShowsEligibilityReport(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		form := url.Values{"product": {"eligibility"}, "state": {"oh"}, "statedEmployerNames": {"Northwind Logistics", "", "Tern & Sons"}}
		seven := url.Values{"product": {"eligibility"}, "state": {"oh"}, "statedEmployerNames": strings.Split("a,b,c,d,e,f,g", ",")}
		refused := goodForm()
		for name, values := range seven {
			refused[name] = values
		}
		if got := do(t, ask(t, "POST", w.Portal+"/applications", refused.Encode(), "Content-Type", asForm)); got.Status != 422 ||
			!strings.Contains(string(got.Body), `value="f"`) {
			t.Errorf("seven employers = %d, or what was typed is gone", got.Status)
		}
		id, cookie := w.applied(t, form)
		w.walked(t, id, cookie, `{}`)
		reviewer := w.signIn(t)
		at := w.Portal + "/review/applications/" + id
		page := string(good(t, 200, ask(t, "GET", at+"/report", "", "Cookie", reviewer)).Body)
		for _, want := range []string{i18ntest.EN("review.report.eligibility_title"), "0 of 2 listed employers verified", "Tern &amp; Sons",
			i18ntest.EN("review.eligibility.checks"), i18ntest.EN("review.eligibility.average"), i18ntest.EN("review.codes.BANK_TRANSACTION")} {
			if !strings.Contains(page, want) {
				t.Errorf("the page lacks %q", want)
			}
		}
		body, err := report.ParseEligibility(good(t, 200, ask(t, "GET", at+"/report.json", "", "Cookie", reviewer)).Body)
		testutil.Must(t, err)
		files := string(good(t, 200, ask(t, "GET", at+"/files", "", "Cookie", reviewer)).Body)
		for _, d := range body.Documents {
			file := at + "/files/" + pages.FileRef(d.SourceFilepath)
			if !strings.Contains(files, strings.TrimPrefix(file, w.Portal)) {
				t.Errorf("the list lacks the document %s", d.DocumentType)
			}
			good(t, 200, ask(t, "GET", file, "", "Cookie", reviewer))
		}
	})
}

// TestReviewShowsPassport does the same for a Korean credit file, whose file is its
// PDF.
func TestReviewShowsPassport(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		id, cookie := w.applied(t, url.Values{"product": {"passport"}})
		w.walked(t, id, cookie, `{"supplier":"KOR_NICE"}`)
		reviewer := w.signIn(t)
		at := w.Portal + "/review/applications/" + id
		page := string(good(t, 200, ask(t, "GET", at+"/report", "", "Cookie", reviewer)).Body)
		for _, want := range []string{i18ntest.EN("review.report.passport_title"), report.SourceName("KOR_NICE") + " credit score",
			"1 KRW = 0.00072 USD", i18ntest.EN("review.passport.history"), i18ntest.EN("review.report.findings")} {
			if !strings.Contains(page, want) {
				t.Errorf("the page lacks %q", want)
			}
		}
		got := good(t, 200, ask(t, "GET", at+"/files/"+pages.FileRef("passport.pdf"), "", "Cookie", reviewer))
		if !strings.HasPrefix(string(got.Body), "%PDF-") || got.Header.Get("Content-Type") != "application/pdf" {
			t.Errorf("the PDF is %.20q of %s", got.Body, got.Header.Get("Content-Type"))
		}
	})
}
