package provider_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// named returns the headers by which the customer names a report.
func (b *testServer) named(publicToken string) headers {
	b.t.Helper()
	return append(b.bearer(b.basic()), "X-PUBLIC-TOKEN", publicToken)
}

// cashflowVisit completes a visit of a profile and returns its publicToken and report.
func (b *testServer) cashflowVisit(username string, more ...any) (string, *report.Cashflow) {
	b.t.Helper()
	token := b.complete(b.begin(more...), map[string]any{"username": username}).text("publicToken")
	r := b.report(b.named(token))
	return token, r
}

func (b *testServer) advance(d string) {
	b.t.Helper()
	b.want("clock", b.do("POST", "/clock", map[string]string{"advance": d}), 200, "")
}

// files lists the files of a report.
func (b *testServer) files(publicToken string) []map[string]string {
	b.t.Helper()
	list := b.get("/connect/cashflow/v2/files", b.named(publicToken))
	b.want("list", list, 200, "")
	var files []map[string]string
	if err := json.Unmarshal(list.raw, &files); err != nil {
		b.t.Fatalf("list: %s", list.raw)
	}
	return files
}

const filePath = "/connect/cashflow/v2/files/"

func TestCashflowFiles(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		token, r := b.cashflowVisit("joint")
		files := b.files(token)
		if len(files) != 2 || files[0]["document_type"] != "CASHFLOW_ANALYSIS" || files[1]["document_type"] != "BANK_TRANSACTIONS" {
			t.Fatalf("files: %v", files)
		}
		path := filePath + files[1]["source_filepath"]
		file := b.get(path, b.named(token))
		b.want("file", file, 200, "")
		accounts, _ := file.body["accounts"].([]any)
		if len(accounts) == 0 || accounts[0].(map[string]any)["account_id"] != r.AccountDetails[0].AccountID ||
			len(accounts[0].(map[string]any)["transactions"].([]any)) == 0 || file.text("source_id") != files[1]["source_id"] {
			t.Errorf("file: %.500s", file.raw)
		}
		if file.header.Get("Content-Disposition") != `attachment; filename="transactions.json"` ||
			file.header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers: %v", file.header)
		}
		part := b.get(path, append(b.named(token), "Range", "bytes=10-19"))
		if part.status != http.StatusPartialContent || string(part.raw) != string(file.raw[10:20]) {
			t.Errorf("a range: %d %q", part.status, part.raw)
		}
		if beyond := b.get(path, append(b.named(token), "Range", "bytes=100000000-")); beyond.status != http.StatusRequestedRangeNotSatisfiable {
			t.Errorf("a range beyond the end: %d", beyond.status)
		}
		for _, other := range []string{files[1]["source_uuid"], files[1]["source_uuid"] +
			"/other.json", files[1]["source_uuid"] + "/analysis.json",
			uuid.NewString() + "/transactions.json", files[1]["source_filepath"] + "/", "..%2f..%2fetc%2fpasswd"} {
			b.want(other, b.get(filePath+other, b.named(token)), 404, contract.CodeNotFound)
		}
		theirs := append(b.bearer(b.thirdParty()), "X-PUBLIC-TOKEN", token)
		b.want("another customer's", b.get(path, theirs), 404, contract.CodeInvalidToken)
		b.want("another customer's list", b.get("/connect/cashflow/v2/files", theirs), 404, contract.CodeInvalidToken)
		b.want("no report named", b.get("/connect/cashflow/v2/files", b.bearer(b.basic())), 400, contract.CodeMalformedHeaders)

		failed := b.submit(submission("personal", nil)).text("publicToken")
		if a := b.get("/connect/cashflow/v2/files", b.named(failed)); a.status != 200 || strings.TrimSpace(string(a.raw)) != "[]" {
			t.Errorf("files of a report that failed: %d %s", a.status, a.raw)
		}
		b.want("a file of it", b.get(path, b.named(failed)), 404, contract.CodeNotFound)
		b.advance("335h")
		for _, f := range files {
			b.want("in the 14 days", b.get(filePath+f["source_filepath"], b.named(token)), 200, "")
		}
		b.advance("2h")
		for _, f := range files {
			b.want("after them", b.get(filePath+f["source_filepath"], b.named(token)), 410, contract.CodeGone)
		}
		if all := b.files(token); len(all) != 0 {
			t.Errorf("the list then: %v", all)
		}
		b.want("an unknown path", b.get(filePath+files[1]["source_uuid"]+"/other.json", b.named(token)), 404, contract.CodeNotFound)
		b.advance("2160h")
		b.want("after 90 days", b.get("/connect/cashflow/v2/files", b.named(token)), 404, contract.CodeInvalidToken)
		b.want("a file after 90 days", b.get(path, b.named(token)), 404, contract.CodeInvalidToken)
	})
}

// TestAnalysisFile reads the analysis of reports of a visit, a submission, and a prepared
// report.
func TestAnalysisFile(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		visit, _ := b.cashflowVisit("default")
		made := b.do("POST", "/sandbox-reports", map[string]any{"product": "cashflow", "submission": submission()})
		b.want("prepared report", made, 201, "")
		for name, token := range map[string]string{
			"visit":      visit,
			"submission": b.ready(b.submit(submission()).text("publicToken")),
			"prepared": b.ready(b.submit(map[string]any{"sandboxReportId": made.text("sandboxReportId"),
				"personal": personal()}).text("publicToken")),
		} {
			r, err := report.ParseCashflow(b.get("/connect/cashflow/v2/json", b.named(token)).raw)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			f := b.files(token)[0]
			if f["source_id"] != "REPORT_ANALYSIS" || f["source_filepath"] != f["source_uuid"]+"/analysis.json" {
				t.Errorf("%s: listed as %v", name, f)
			}
			file := b.get(filePath+f["source_filepath"], b.named(token))
			b.want(name, file, 200, "")
			if file.header.Get("Content-Disposition") != `attachment; filename="analysis.json"` {
				t.Errorf("%s: headers %v", name, file.header)
			}
			var a report.Analysis
			if err := json.Unmarshal(file.raw, &a); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if a.PublicToken != token || a.RetrievedAt != r.Meta.CreatedAt || len(a.Accounts) != len(r.AccountDetails) ||
				a.Accounts[0].AccountID != r.AccountDetails[0].AccountID ||
				len(a.Months) == 0 || len(a.Scores) != len(r.Scores) || (a.Scores[0].Value == nil) != (r.Scores[0].Value == nil) {
				t.Errorf("%s: %.600s", name, file.raw)
			}
			if v := r.Scores[0].Value; v != nil && *a.Scores[0].Value != *v {
				t.Errorf("%s: the score is %d, the report's %d", name, *a.Scores[0].Value, *v)
			}
			if again := b.get(filePath+f["source_filepath"], b.named(token)); string(again.raw) != string(file.raw) {
				t.Errorf("%s: the file differs the second time", name)
			}
		}
	})
}

// ready waits for the SUCCESS of a report, and returns its publicToken.
func (b *testServer) ready(publicToken string) string {
	b.t.Helper()
	for h := b.named(publicToken); ; {
		switch a := b.get("/connect/status", h); a.text("status") {
		case "SUCCESS":
			return publicToken
		case "PENDING":
		default:
			b.t.Fatalf("report: %s", a.raw)
		}
	}
}

// TestReportDataIsDeleted moves the clock to the days when data and bodies are
// deleted, and back: deleted data stay deleted, and other data are kept.
func TestReportDataIsDeleted(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		token, r := b.cashflowVisit("single")
		late, l := b.cashflowVisit("single")
		path := filePath + b.files(token)[0]["source_filepath"]
		ach := func(publicToken, account string) answer {
			return b.get("/connect/bank-accounts/"+account+"/ach-details", b.named(publicToken))
		}
		first := ach(token, r.AccountDetails[0].AccountID)
		b.want("the numbers", first, 200, "")
		has := func(day string, inputs, bodies int) {
			t.Helper()
			for column, want := range map[string]int{"input": inputs, "body": bodies} {
				var n int
				if err := b.db.SQL.QueryRowContext(t.Context(), `SELECT count(`+column+`) FROM report_data`).Scan(&n); err != nil || n != want {
					t.Errorf("on day %s %d reports have their %s, want %d (%v)", day, n, column, want, err)
				}
			}
		}
		read := func(day string) {
			t.Helper()
			b.want("the report on day "+day, b.get("/connect/cashflow/v2/json", b.named(token)), 200, "")
			if a := ach(token, r.AccountDetails[0].AccountID); string(a.raw) != string(first.raw) {
				t.Errorf("on day %s: %s, want %s", day, a.raw, first.raw)
			}
			b.want("a file on day "+day, b.get(path, b.named(token)), 410, contract.CodeGone)
			if all := b.files(token); len(all) != 0 {
				t.Errorf("on day %s the list is %v", day, all)
			}
			b.want("other numbers on day "+day, ach(late, l.AccountDetails[0].AccountID), 404, contract.CodeNotFound)
		}
		b.advance("719h")
		has("29", 2, 2) // a secondary report can still be made from the data
		read("29")
		b.advance("2h")
		has("30", 0, 2)
		read("30")
		b.advance("-600h")
		read("5")
		b.advance("2042h")
		has("90", 0, 0)
		b.advance("-1442h")
		for _, path := range []string{"/connect/status", "/connect/cashflow/v2/json", "/connect/cashflow/v2/files", path} {
			b.want(path+" on day 30 again", b.get(path, b.named(token)), 404, contract.CodeInvalidToken)
		}
		if a := ach(token, r.AccountDetails[0].AccountID); string(a.raw) != string(first.raw) {
			t.Errorf("the numbers after the body was deleted: %s", a.raw)
		}
	})
}

func TestReportLinkedACHDetails(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		token, r := b.cashflowVisit("single")
		late, l := b.cashflowVisit("single")
		ach := func(publicToken, account string) answer {
			return b.get("/connect/bank-accounts/"+account+"/ach-details", b.named(publicToken))
		}
		account := r.AccountDetails[0].AccountID
		first := ach(token, account)
		b.want("the numbers", first, 200, "")
		number := first.text("full_account_number")
		if !strings.HasSuffix(number, report.Text(r.AccountDetails[0].TruncatedNumber)) || len(number) < 5 ||
			first.text("account_number_type") != "AN" || len(first.text("routing_number")) != 9 {
			t.Errorf("answered %s", first.raw)
		}
		if strings.Contains(b.log.String(), number) {
			t.Error("the log has the account number")
		}
		b.want("an account of another report", ach(token, l.AccountDetails[0].AccountID), 404, contract.CodeNotFound)
		b.want("no account", ach(token, uuid.NewString()), 404, contract.CodeNotFound)
		b.want("no id", ach(token, "x"), 404, contract.CodeNotFound)
		b.want("no report", ach(uuid.NewString(), account), 404, contract.CodeInvalidToken)
		b.want("no report named", b.get("/connect/bank-accounts/"+account+"/ach-details", b.bearer(b.basic())),
			400, contract.CodeMalformedHeaders)
		theirs := append(b.bearer(b.thirdParty()), "X-PUBLIC-TOKEN", token)
		b.want("a customer it is not enabled for", b.get("/connect/bank-accounts/"+account+"/ach-details", theirs), 403, contract.CodeForbidden)
		b.want("a report that failed", ach(b.submit(submission("personal", nil)).text("publicToken"), account), 404, contract.CodeReportNotReady)

		// Requested numbers stay available after the retention of the data, others do not.
		b.advance("337h")
		b.want("again after 14 days", ach(token, account), 200, "")
		b.want("for the first time after 14 days", ach(late, l.AccountDetails[0].AccountID), 404, contract.CodeNotFound)
		b.advance("2160h")
		if a := ach(token, account); a.status != 200 || string(a.raw) != string(first.raw) {
			t.Errorf("after 90 days: %d %s", a.status, a.raw)
		}

		// They stay available until consent is withdrawn.
		consumer := report.Text(r.Meta.ConsumerID)
		b.want("withdrawal", b.ask(b.service.URL, "DELETE", "/connect/consumers/"+consumer, b.basic(), nil), 204, "")
		b.want("after withdrawal", ach(token, account), 403, contract.CodeConsentNotProvided)
	})
}

func TestOAuthDestinations(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		a := b.get("/connect/cashflow/oauth-destinations", b.bearer(b.basic()))
		b.want("destinations", a, 200, "")
		var all []struct {
			Name     string   `json:"bank_name"`
			OAuth    []string `json:"bank_oauth_domains"`
			Homepage []string `json:"bank_homepage_domains"`
		}
		if err := json.Unmarshal(a.raw, &all); err != nil || len(all) < 200 {
			t.Fatalf("%d banks, %v", len(all), err)
		}
		homepageOnly := 0
		for _, d := range all {
			if d.Name == "" || d.OAuth == nil || len(d.OAuth)+len(d.Homepage) == 0 {
				t.Errorf("listed %+v", d)
			}
			if len(d.OAuth) == 0 {
				homepageOnly++
			}
		}
		if homepageOnly == 0 {
			t.Error("banks without OAuth are left out")
		}
		b.want("with Basic", b.get("/connect/cashflow/oauth-destinations", b.basic()), 400, contract.CodeMalformedHeaders)
	})
}
