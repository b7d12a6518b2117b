package provider_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/report"
	"vestibule/internal/svc"
)

// named are the headers that name a report to its customer.
func (b *bench) named(publicToken string) headers {
	b.t.Helper()
	return append(b.bearer(b.basic()), "X-PUBLIC-TOKEN", publicToken)
}

// walked walks a visit of a profile and returns its publicToken and report.
func (b *bench) walked(username string, more ...any) (string, *report.Cashflow) {
	b.t.Helper()
	token := b.complete(b.begin(more...), map[string]any{"username": username}).text("publicToken")
	r, err := report.ParseCashflow(b.get("/connect/cashflow/v2/json", b.named(token)).raw)
	if err != nil {
		b.t.Fatal(err)
	}
	return token, r
}

func (b *bench) advance(d string) {
	b.t.Helper()
	b.want("clock", b.do("POST", "/clock", map[string]string{"advance": d}), 200, "")
}

func TestFilesOfACashflowReport(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		token, r := b.walked("joint")
		list := b.get("/connect/cashflow/v2/files", b.named(token))
		b.want("list", list, 200, "")
		var files []map[string]string
		if err := json.Unmarshal(list.raw, &files); err != nil || len(files) != 1 {
			t.Fatalf("list: %s", list.raw)
		}
		path := "/connect/cashflow/v2/files/" + files[0]["source_filepath"]
		file := b.get(path, b.named(token))
		b.want("file", file, 200, "")
		accounts, _ := file.body["accounts"].([]any)
		if len(accounts) == 0 || accounts[0].(map[string]any)["account_id"] != r.AccountDetails[0].AccountID ||
			len(accounts[0].(map[string]any)["transactions"].([]any)) == 0 || file.text("source_id") != files[0]["source_id"] {
			t.Errorf("file: %.500s", file.raw)
		}
		if file.header.Get("Content-Disposition") != `attachment; filename="transactions.json"` || file.header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers: %v", file.header)
		}
		part := b.get(path, append(b.named(token), "Range", "bytes=10-19"))
		if part.status != http.StatusPartialContent || string(part.raw) != string(file.raw[10:20]) {
			t.Errorf("a range: %d %q", part.status, part.raw)
		}
		for _, other := range []string{files[0]["source_uuid"], files[0]["source_uuid"] + "/other.json", uuid.NewString() + "/transactions.json",
			files[0]["source_filepath"] + "/", "..%2f..%2fetc%2fpasswd"} {
			b.want(other, b.get("/connect/cashflow/v2/files/"+other, b.named(token)), 404, svc.CodeNotFound)
		}
		theirs := append(b.bearer(b.thirdParty()), "X-PUBLIC-TOKEN", token)
		b.want("somebody else's", b.get(path, theirs), 404, svc.CodeInvalidToken)
		b.want("somebody else's list", b.get("/connect/cashflow/v2/files", theirs), 404, svc.CodeInvalidToken)
		b.want("no report named", b.get("/connect/cashflow/v2/files", b.bearer(b.basic())), 400, svc.CodeMalformedHeaders)

		failed := b.submit(submission("personal", nil)).text("publicToken")
		if a := b.get("/connect/cashflow/v2/files", b.named(failed)); a.status != 200 || strings.TrimSpace(string(a.raw)) != "[]" {
			t.Errorf("files of a report that failed: %d %s", a.status, a.raw)
		}
		b.advance("335h")
		b.want("in the 14 days", b.get(path, b.named(token)), 200, "")
		b.advance("2h")
		b.want("after them", b.get(path, b.named(token)), 410, svc.CodeGone)
		b.want("the list then", b.get("/connect/cashflow/v2/files", b.named(token)), 200, "")
		b.advance("2160h")
		b.want("after 90 days", b.get("/connect/cashflow/v2/files", b.named(token)), 404, svc.CodeInvalidToken)
	})
}

func TestReportLinkedACHDetails(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		token, r := b.walked("single")
		late, l := b.walked("single")
		ach := func(publicToken, account string) answer {
			return b.get("/connect/bank-accounts/"+account+"/ach-details", b.named(publicToken))
		}
		account := r.AccountDetails[0].AccountID
		first := ach(token, account)
		b.want("the numbers", first, 200, "")
		number := first.text("full_account_number")
		if !strings.HasSuffix(number, report.Text(r.AccountDetails[0].TruncatedNumber)) || len(number) < 5 || first.text("account_number_type") != "AN" || len(first.text("routing_number")) != 9 {
			t.Errorf("answered %s", first.raw)
		}
		if strings.Contains(b.log.String(), number) {
			t.Error("the log has the account number")
		}
		b.want("an account of another report", ach(token, l.AccountDetails[0].AccountID), 404, svc.CodeNotFound)
		b.want("no account", ach(token, uuid.NewString()), 404, svc.CodeNotFound)
		b.want("no id", ach(token, "x"), 404, svc.CodeNotFound)
		b.want("no report", ach(uuid.NewString(), account), 404, svc.CodeInvalidToken)
		b.want("no report named", b.get("/connect/bank-accounts/"+account+"/ach-details", b.bearer(b.basic())), 400, svc.CodeMalformedHeaders)
		theirs := append(b.bearer(b.thirdParty()), "X-PUBLIC-TOKEN", token)
		b.want("a customer it is not enabled for", b.get("/connect/bank-accounts/"+account+"/ach-details", theirs), 403, svc.CodeForbidden)
		b.want("a report that failed", ach(b.submit(submission("personal", nil)).text("publicToken"), account), 404, svc.CodeReportNotReady)

		// Once asked for, they can be had when the data's retention is over; else not.
		b.advance("337h")
		b.want("again after 14 days", ach(token, account), 200, "")
		b.want("for the first time after 14 days", ach(late, l.AccountDetails[0].AccountID), 404, svc.CodeNotFound)
		b.advance("2160h")
		if a := ach(token, account); a.status != 200 || string(a.raw) != string(first.raw) {
			t.Errorf("after 90 days: %d %s", a.status, a.raw)
		}

		// Until consent is withdrawn.
		consumer := report.Text(r.Meta.ConsumerID)
		b.want("withdrawal", b.ask(b.service.URL, "DELETE", "/connect/consumers/"+consumer, b.basic(), nil), 204, "")
		b.want("after withdrawal", ach(token, account), 403, svc.CodeConsentNotProvided)
	})
}

func TestOAuthDestinations(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
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
		b.want("with Basic", b.get("/connect/cashflow/oauth-destinations", b.basic()), 400, svc.CodeMalformedHeaders)
	})
}
