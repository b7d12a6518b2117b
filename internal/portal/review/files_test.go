package review

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/spreadsheet"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
	pages "vestibule/templates/portal/review"
)

const stubPath = "6c1a/paystub.pdf"

// openWithFiles returns a testServer whose ready application has files at the service.
func openWithFiles(t *testing.T, db *store.DB) *testServer {
	d := open(t, db)
	d.reporter.files = []svcapi.File{{DocumentType: "BANK_TRANSACTIONS", SourceID: "FIRST_BANK", Path: "6c1a/transactions.json"},
		{DocumentType: "PAYSTUB", SourceID: "PAYSTUB", Path: stubPath},
		{DocumentType: "DOCUMENT", SourceID: "PAYSTUB", Path: "6c1a/page"}}
	d.reporter.content = map[string]svcapi.Content{stubPath: {Type: "application/pdf", Body: []byte("%PDF-1.7 made up")},
		"6c1a/transactions.json": {Type: "application/json", Body: []byte(`{}`)},
		"6c1a/page":              {Type: "text/html", Body: []byte("<script>alert(1)</script>")}}
	return d
}

func TestFilesAreDownloadsOnly(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := openWithFiles(t, db)
		at := "/review/applications/" + appReady + "/files"
		for _, path := range []string{at, at + "/" + pages.FileRef(stubPath)} {
			if resp, _ := d.get(path); resp.StatusCode != 303 {
				t.Errorf("not signed in, %s = %d", path, resp.StatusCode)
			}
		}
		d.signInAs(secret, "")
		resp, page := d.get(at)
		for _, want := range []string{i18ntest.EN("review.codes.PAYSTUB"), i18ntest.EN("review.codes.BANK_TRANSACTION"),
			at + "/" + pages.FileRef(stubPath), `download`, i18ntest.EN("review.files.to_page")} {
			if !strings.Contains(page, want) {
				t.Errorf("the list lacks %q", want)
			}
		}
		if resp.StatusCode != 200 || strings.Contains(page, "6c1a/") {
			t.Errorf("the list = %d, or names a path", resp.StatusCode)
		}
		for path, want := range map[string]struct{ kind, ending, body string }{
			stubPath:                 {"application/pdf", ".pdf", "%PDF-1.7 made up"},
			"6c1a/transactions.json": {"application/json", ".json", "{}"},
			"6c1a/page":              {"application/octet-stream", "", "<script>alert(1)</script>"},
		} {
			ref := pages.FileRef(path)
			resp, body := d.get(at + "/" + ref)
			h := resp.Header
			if resp.StatusCode != 200 || body != want.body || h.Get("Content-Type") != want.kind ||
				h.Get("Content-Disposition") != `attachment; filename="cashflow-`+appReady+"-"+ref+want.ending+`"` ||
				h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" ||
				!strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
				t.Errorf("%s = %d %v %q", path, resp.StatusCode, h, body)
			}
		}
		if n := d.audited(audit.FileOpened); n != 3 {
			t.Errorf("%d downloads were written down, want 3", n)
		}
	})
}

// audited counts the audit entries of an action on the ready application.
func (d *testServer) audited(action string) (n int) {
	d.t.Helper()
	if err := d.DB.SQL.QueryRow(`SELECT COUNT(*) FROM audit WHERE action = $1
		AND subject_id = $2`, action, appReady).Scan(&n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

func TestUnavailableFiles(t *testing.T) {
	ref := "/" + pages.FileRef(stubPath)
	for _, tc := range []struct {
		name, path string
		why        error
		status     int
		words      string
		retry      bool
	}{
		{"a file whose time is over", ref, &svcapi.Error{HTTP: 410, Code: contract.CodeGone}, 410, i18ntest.EN("review.files.gone.title"), false},
		{"a report that is too old", ref, &svcapi.Error{HTTP: 404, Code: contract.CodeInvalidToken},
			404, i18ntest.EN("review.files.unknown.title"), false},
		{"a service that is away", ref, &svcapi.Error{Code: contract.CodeUpstream, Err: context.DeadlineExceeded},
			502, i18ntest.EN("review.files.no_answer.title"), true},
		{"a service that refuses", ref, &svcapi.Error{HTTP: 403, Code: contract.CodeForbidden},
			502, i18ntest.EN("review.files.no_answer.title"), true},
		{"a file of no report", "/0123456789abcdef", nil, 404, i18ntest.EN("review.files.unknown.title"), false},
		{"no reference", "/" + strings.Repeat("x", 300), nil, 404, i18ntest.EN("review.files.unknown.title"), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := openWithFiles(t, storetest.SQLite(t, store.Portal))
			d.signInAs(secret, "")
			d.reporter.refuses = tc.why
			at := "/review/applications/" + appReady + "/files" + tc.path
			resp, page := d.get(at)
			if resp.StatusCode != tc.status || !strings.Contains(page, tc.words) || strings.Contains(page, `href="`+at+`"`) != tc.retry {
				t.Errorf("= %d\n%s", resp.StatusCode, page)
			}
			if resp.Header.Get("Content-Disposition") != "" {
				t.Error("a page that says why is sent as a file")
			}
		})
	}
	d := openWithFiles(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	for path, want := range map[string]int{appStarted: 404, "44444444-4444-4444-8444-444444444444": 404, "x": 404} {
		if resp, _ := d.get("/review/applications/" + path + "/files" + ref); resp.StatusCode != want {
			t.Errorf("files of %s = %d, want %d", path, resp.StatusCode, want)
		}
	}
	d.reporter.content, d.reporter.files = nil, nil
	d.requirePage("/review/applications/"+appReady+"/files", i18ntest.EN("review.files.none")) // an empty list
	d.reporter.refuses = &svcapi.Error{HTTP: 404, Code: contract.CodeInvalidToken}
	if resp, page := d.get("/review/applications/" + appReady + "/files"); resp.StatusCode != 404 ||
		!strings.Contains(page, i18ntest.EN("review.files.unknown.text")) {
		t.Errorf("a list of too old a report = %d", resp.StatusCode)
	}
}

func cents(n report.Cents) *report.Cents { return &n }

// bodies returns small reports of the other products.
func bodies(t *testing.T) map[contract.Product][]byte {
	t.Helper()
	meta := &report.Meta{PublicToken: token, CreatedAt: report.TimestampOf(noon), APIVersion: "1.0.0", Status: contract.StatusSuccess}
	paid := report.DateOf(noon)
	out := map[contract.Product][]byte{}
	for product, body := range map[contract.Product]any{
		contract.Income: report.Income{Meta: meta, Income: &report.IncomeNode{
			FinancialAccounts: []report.FinancialAccount{{ModelType: report.ModelIncome,
				History: []report.IncomeYear{{Year: 2025, Gross: []*report.Cents{cents(12_34)}, Net: []*report.Cents{nil}}}}},
			Payroll: []report.Payroll{{SourceID: "=PAY", Statements: []report.Statement{{PayDate: &paid, GrossTotal: cents(1_00)}}}},
			Paystubs: []report.Paystub{{SourceID: "PAYSTUB", SourceFilepath: stubPath, PayPeriodStart: &paid,
				PaystubAmounts:        report.PaystubAmounts{NetTotal: cents(-5)},
				IrregularityDetection: report.IrregularityDetection{Status: report.IrregularityReview}}}}},
		contract.Eligibility: report.Eligibility{Meta: meta, StatedEmployers: []report.StatedEmployer{{Name: "Tern & Sons"}},
			Income: &report.EligibilityIncome{Payroll: []report.EligibilityPayroll{{
				SourceID: "P", ProviderName: contract.Null("Abacus, Inc"), Statements: []report.EligibilityStatement{
					{PayDate: &paid, HoursWorked: cents(38_50), NetTotalYTD: cents(9_00)}}}}}},
		contract.Passport: report.Passport{Meta: meta, Scores: []report.PassportScore{{Type: "Score", Value: 5, Maximum: 9}}},
	} {
		raw, err := report.Encode(body)
		if err != nil {
			t.Fatal(err)
		}
		out[product] = raw
	}
	return out
}

// quoted returns the lines of a CSV file, whose cells are written with | between them.
func quoted(lines ...string) (file string) {
	for _, line := range lines {
		file += `"` + strings.ReplaceAll(line, "|", `","`) + "\"\r\n"
	}
	return file
}

func TestPagesAndTablesByProduct(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		for product, raw := range bodies(t) {
			d := open(t, db)
			d.signInAs(secret, "")
			d.change(appReady, func(r *stored) { r.Product, r.Body = product, raw })
			at := "/review/applications/" + appReady
			if _, page := d.get(at); !strings.Contains(page, at+"/report\"") {
				t.Errorf("%s: the application does not lead to its report", product)
			}
			before := d.audited(audit.ReportViewed)
			resp, page := d.get(at + "/report")
			title := map[contract.Product]string{contract.Income: i18ntest.EN("review.report.income_title"),
				contract.Eligibility: i18ntest.EN("review.report.eligibility_title"),
				contract.Passport:    i18ntest.EN("review.report.passport_title")}[product]
			if resp.StatusCode != 200 || !strings.Contains(page, "<h1>"+title+"</h1>") ||
				!strings.Contains(page, i18ntest.EN("review.report.findings")) ||
				strings.Contains(page, "style=") || d.audited(audit.ReportViewed) != before+1 {
				t.Errorf("%s: the page = %d, or is not written down\n%s", product, resp.StatusCode, page)
			}
			resp, got := d.get(at + "/report.json")
			if got != `{"stated":`+statedZoe+`,`+string(raw)[1:] ||
				!strings.Contains(resp.Header.Get("Content-Disposition"), string(product)+"-"+appReady+".json") {
				t.Errorf("%s: the JSON is another, or has another name", product)
			}
			rows := map[contract.Product]string{
				contract.Income: quoted("source_type|source_id|pay_date|pay_period_start|pay_period_end|gross|gross_ytd|net|net_ytd|"+
					"irregularity|employer",
					"PAYROLL|'=PAY|2026-03-14|||1.00|||||", "PAYSTUB|PAYSTUB||2026-03-14||||-0.05||REVIEW|"),
				contract.Eligibility: quoted("provider|source_id|pay_date|pay_period_start|pay_period_end|hours|gross|gross_ytd|net|net_ytd|employer",
					"Abacus, Inc|P|2026-03-14|||38.50||||9.00|")}
			if resp, got := d.get(at + "/report.csv"); rows[product] != "" && got != spreadsheet.ByteOrderMark+
				rows[product] || rows[product] == "" && resp.StatusCode != 404 {
				t.Errorf("%s: report.csv is\n%s", product, got)
			}
			resp, got = d.get(at + "/months.csv")
			if product == contract.Income && got != spreadsheet.ByteOrderMark+quoted("model|month|gross|net", "1|2025-12|12.34|") ||
				product != contract.Income && resp.StatusCode != 404 {
				t.Errorf("%s: months.csv = %d\n%s", product, resp.StatusCode, got)
			}
			d.keep([]byte(`{"meta":{"public_token":"` + token + `"},"broken`))
			for _, path := range []string{"/report", "/report.csv"} {
				if rows[product] == "" && path == "/report.csv" {
					continue
				}
				if resp, page := d.get(at + path); resp.StatusCode != 500 || strings.Contains(page, "broken") {
					t.Errorf("%s: a broken report by %s = %d", product, path, resp.StatusCode)
				}
			}
			// An empty report has no tables to download.
			d.keep([]byte(`{"meta":{"public_token":"` + token + `"}}`))
			if resp, _ := d.get(at + "/report.csv"); resp.StatusCode != 404 {
				t.Errorf("%s: a table of nothing = %d", product, resp.StatusCode)
			}
			if resp, page := d.get(at + "/report"); resp.StatusCode != 200 || strings.Contains(page, ".csv") {
				t.Errorf("%s: a report of nothing = %d, or leads to a table", product, resp.StatusCode)
			}
		}
	})
}

// TestPagesOfDocuments shows documents as images that have none of their bytes, and refuses
// those that cannot be shown.
func TestPagesOfDocuments(t *testing.T) {
	d := openWithFiles(t, storetest.SQLite(t, store.Portal))
	var scan bytes.Buffer
	if err := png.Encode(&scan, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	const scanPath, hidden = "6c1a/scan.png", "<script>alert(1)</script>"
	d.reporter.files = append(d.reporter.files, svcapi.File{DocumentType: "PAYSTUB", SourceID: "PAYSTUB", Path: scanPath})
	d.reporter.content[scanPath] = svcapi.Content{Type: "text/html", Body: append(scan.Bytes(), hidden...)}
	at := "/review/applications/" + appReady + "/files/"
	for _, path := range []string{at + pages.FileRef(scanPath) + "/view", at + pages.FileRef(scanPath) + "/pages/1"} {
		if resp, _ := d.get(path); resp.StatusCode != 303 {
			t.Errorf("not signed in, %s = %d", path, resp.StatusCode)
		}
	}
	d.signInAs(secret, "")
	resp, body := d.get(at + pages.FileRef(scanPath) + "/pages/1")
	h := resp.Header
	if _, err := png.Decode(strings.NewReader(body)); resp.StatusCode != 200 || err != nil || strings.Contains(body, hidden) ||
		h.Get("Content-Type") != "image/png" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" ||
		!strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("= %d %v, %v", resp.StatusCode, h, err)
	}
	for path, want := range map[string]int{
		pages.FileRef(scanPath) + "/pages/2":              404,
		pages.FileRef(scanPath) + "/pages/0":              404,
		pages.FileRef(scanPath) + "/pages/x":              404,
		pages.FileRef(scanPath) + "/pages/999999":         404,
		pages.FileRef("6c1a/page") + "/pages/1":           404, // HTML
		pages.FileRef(stubPath) + "/pages/1":              404, // a PDF file, without a renderer
		"0123456789abcdef/pages/1":                        404,
		"0123456789abcdef/view":                           404,
		pages.FileRef("6c1a/page") + "/view":              200,
		pages.FileRef(scanPath) + "/view":                 200,
		pages.FileRef(scanPath) + "/view?lang=es":         200,
		pages.FileRef(stubPath) + "/view":                 200,
		pages.FileRef("6c1a/transactions.json") + "/view": 200,
	} {
		if resp, _ := d.get(at + path); resp.StatusCode != want {
			t.Errorf("%s = %d, want %d", path, resp.StatusCode, want)
		}
	}
	d.requirePage(at+pages.FileRef(scanPath)+"/view", pages.FileRef(scanPath)+"/pages/1")
	_, page := d.get(at + pages.FileRef(stubPath) + "/view")
	if strings.Contains(page, "/pages/1") || !strings.Contains(page, i18ntest.EN("review.document.not_shown")) {
		t.Error("the page promises an image of a PDF file without a renderer")
	}
	if n := d.audited(audit.FileOpened); n < 10 {
		t.Errorf("%d lines of the audit trail", n)
	}
	// The service no longer has the file.
	d.reporter.refuses = &svcapi.Error{HTTP: 410, Code: contract.CodeGone}
	for _, path := range []string{"/view", "/pages/1"} {
		if resp, _ := d.get(at + pages.FileRef(scanPath) + path); resp.StatusCode != 410 {
			t.Errorf("%s of a file that is gone = %d", path, resp.StatusCode)
		}
	}
}
