package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

func TestClock(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		a := b.do("POST", "/clock", map[string]string{"now": "2030-02-28T12:00:00Z"})
		if !strings.HasPrefix(a.text("now"), "2030-02-28T12:00:0") {
			t.Errorf("set to %s", a.raw)
		}
		a = b.do("POST", "/clock", map[string]string{"advance": "24h"})
		if !strings.HasPrefix(a.text("now"), "2030-03-01T12:00:0") {
			t.Errorf("advanced to %s", a.raw)
		}
		if got := b.do("GET", "/clock", nil).text("now"); !strings.HasPrefix(got, "2030-03-01T12:00:0") {
			t.Errorf("reads %s", got)
		}
		err := b.db.Tx(t.Context(), func(_ context.Context, tx *store.Tx) error {
			if got := tx.Now.Format(time.DateOnly); got != "2030-03-01" {
				t.Errorf("the time of a transaction is %s", got)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		done := b.complete(b.begin(), nil)
		r, err := report.ParseCashflow(b.get("/connect/cashflow/v2/json",
			append(headers{"X-Public-Token", done.text("publicToken")}, b.bearer(b.basic())...)).raw)
		if err != nil || r.Meta.CreatedAt.Format(time.DateOnly) != "2030-03-01" ||
			r.AccountDetails[0].LastStatementEndDate.String() != "2030-02-28" {
			t.Errorf("the report is not of the moved day: %+v, %v", r, err)
		}
		for what, body := range map[string]any{
			"nothing": map[string]string{}, "both": map[string]string{"now": "2030-02-28T12:00:00Z", "advance": "1h"},
			"no duration": map[string]string{"advance": "soon"}, "far away": map[string]string{"advance": "2000000h"},
		} {
			b.want(what, b.do("POST", "/clock", body), 400, contract.CodeInvalidParameters)
		}
		b.want("no date", b.do("POST", "/clock", map[string]string{"now": "tomorrow"}), 400, contract.CodeInvalidParameters)
	})
}

func TestFaults(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		set := func(match, action string, times int) {
			t.Helper()
			b.want(action, b.do("POST", "/faults", map[string]any{"match": match, "action": action, "times": times}), 201, "")
		}
		const keys = "/connect/jwkset"
		set("GET "+keys, "status:503", 2)
		b.want("first", b.get(keys, nil), 503, contract.CodeUnavailable)
		if a := b.get("/connect/nothing", nil); a.status != 404 {
			t.Errorf("another address was struck: %d", a.status)
		}
		b.want("second", b.get(keys, nil), 503, contract.CodeUnavailable)
		b.want("third", b.get(keys, nil), 200, "")
		set("* /connect/*", "drop", 1)
		if a := b.get(keys, nil); a.status != 0 {
			t.Errorf("a dropped connection answered %d", a.status)
		}
		set("GET "+keys, "truncate", 1)
		if a := b.get(keys, nil); a.status != 0 || len(a.raw) == 0 {
			t.Errorf("a truncated answer was read whole: %d %q", a.status, a.raw)
		}
		set("GET "+keys, "delay:10ms", 1)
		b.want("delayed", b.get(keys, nil), 200, "")
		set("GET "+keys, "status:500", -1)
		for range 3 {
			b.want("always", b.get(keys, nil), 500, contract.CodeInternal)
		}
		if a := b.do("GET", "/faults", nil); !strings.Contains(string(a.raw), `"status:500"`) {
			t.Errorf("the list is %s", a.raw)
		}
		b.want("cleared", b.do("DELETE", "/faults", nil), 204, "")
		b.want("after", b.get(keys, nil), 200, "")
		for _, bad := range []map[string]any{
			{"match": "GET", "action": "drop"}, {"match": "GET connect", "action": "drop"}, {"match": "GET /x", "action": "explode"},
			{"match": "GET /x", "action": "status:200"}, {"match": "GET /x", "action": "delay:2h"}, {"match": "GET /x", "action": "drop:1"},
			{"match": "GET /x", "action": "drop", "times": 0},
		} {
			b.want(fmt.Sprint(bad), b.do("POST", "/faults", bad), 400, contract.CodeInvalidParameters)
		}
	})
}

func TestReset(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.do("POST", "/clock", map[string]string{"advance": "100h"})
		publicToken := b.complete(b.begin("externalId", "x"), nil).text("publicToken")
		b.inbox.wait(t, 1)
		b.do("POST", "/faults", map[string]any{"match": "GET /x", "action": "drop"})
		b.want("reset", b.do("POST", "/reset", nil), 204, "")
		if a := b.do("GET", "/clock", nil); a.text("offset") != "0s" {
			t.Errorf("the clock is %s", a.raw)
		}
		if a := b.do("GET", "/faults", nil); strings.TrimSpace(string(a.raw)) != "[]" {
			t.Errorf("faults are %s", a.raw)
		}
		b.want("the old report", b.get("/connect/status", append(headers{"X-Public-Token", publicToken}, b.bearer(b.basic())...)),
			404, contract.CodeInvalidToken)
		if done := b.complete(b.begin("externalId", "x"), nil); done.text("status") != "SUCCESS" {
			t.Errorf("after a reset a visit ends with %s", done.raw)
		}
		b.inbox.wait(t, 2)
	})
}

func TestPreparedReports(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		serve := func(id string) *report.Cashflow {
			t.Helper()
			done := b.complete(b.begin("sandboxReportId", id, "prefill", nil), nil)
			r, err := report.ParseCashflow(b.get("/connect/cashflow/v2/json",
				append(headers{"X-Public-Token", done.text("publicToken")}, b.bearer(b.basic())...)).raw)
			if err != nil {
				t.Fatalf("%s: %v", done.raw, err)
			}
			return r
		}
		a := b.do("POST", "/sandbox-reports", map[string]any{"product": "cashflow", "profile": "joint"})
		b.want("a profile", a, 201, "")
		if r := serve(a.text("sandboxReportId")); report.Text(r.AccountDetails[0].Responsibility) != report.Joint {
			t.Errorf("the report is %+v", r.AccountDetails)
		}
		submission := map[string]any{
			"pullDate": stamp(time.Now().Add(-time.Minute)),
			"personal": map[string]any{"firstName": "Ada", "lastName": "Quill", "email": "ada@mail.example"},
			"accounts": []any{map[string]any{
				"id": "a1", "institutionName": "Quill & Sons Bank", "accountType": "SAVINGS", "currentBalance": 1204.50, "currency": "USD",
				"dateAccountOpened": "2019-05-01T00:00:00.000Z",
				"transactions": []any{map[string]any{"id": "t1", "status": "POSTED",
					"datePosted": time.Now().AddDate(0, 0, -40).UTC().Format("2006-01-02T15:04:05.000Z"),
					"amount":     12.34, "description": "Coffee", "creditOrDebit": "DEBIT"}},
			}},
		}
		a = b.do("POST", "/sandbox-reports", map[string]any{"product": "cashflow", "submission": submission, "publicId": b.seed.PublicID})
		b.want("a submission", a, 201, "")
		r := serve(a.text("sandboxReportId"))
		d := r.AccountDetails[0]
		if d.CurrentBalance.String() != "1204.50" || report.Text(d.InstitutionName) != "Quill & Sons Bank" || d.MonthsAvailable != 2 ||
			report.Text(d.AccountSubtype) != report.Savings || report.Text(r.Identities[0].FullName) != "Ada Quill" {
			t.Errorf("the report is %+v of %+v", d, r.Identities)
		}
		if r.Identities[0].Matching != nil {
			t.Error("a single identity has a matching")
		}
		b.want("an unknown profile", b.do("POST", "/sandbox-reports", map[string]any{"product": "cashflow", "profile": "rich"}),
			400, contract.CodeInvalidParameters)
		b.want("neither", b.do("POST", "/sandbox-reports", map[string]any{"product": "cashflow"}), 400, contract.CodeInvalidParameters)
		b.want("an unknown account's", b.do("POST", "/sandbox-reports", map[string]any{"product": "cashflow",
			"profile": "joint", "publicId": "x"}), 403, contract.CodeUnknownCustomer)
		bad := map[string]any{"personal": map[string]any{},
			"accounts": []any{map[string]any{"id": "-", "accountType": "LOAN", "currentBalance": 1.234,
				"transactions": []any{map[string]any{"id": "t", "status": "POSTED", "amount": 1e20, "creditOrDebit": "X"}}}}}
		a = b.do("POST", "/sandbox-reports", map[string]any{"product": "cashflow", "submission": bad})
		b.want("a bad submission", a, 400, contract.CodeMalformedBody)
		if details, _ := a.body["details"].([]any); len(details) < 9 ||
			!strings.Contains(string(a.raw), "submission.accounts[0].transactions[0].datePosted") {
			t.Errorf("the details are %s", a.raw)
		}
	})
}

func TestWebhookRetriesKeepID(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.inbox.answers = []int{500, 302, 429, 204}
		b.complete(b.begin(), nil)
		for n := 1; n <= 3; n++ {
			b.inbox.wait(t, n)
			waitFor(t, b.db, fmt.Sprintf("SELECT count(*) FROM deliveries WHERE attempts >= %d", n), 1)
			// A wait of a few seconds ends by itself, because the job is available, not scheduled.
			waitFor(t, b.db, "SELECT count(*) FROM river_job WHERE state IN ('scheduled', 'available') AND kind = 'events.deliver'", 1)
			b.want("an hour later", b.do("POST", "/clock", map[string]string{"advance": "1h"}), 200, "")
		}
		got := b.inbox.wait(t, 4)
		for _, e := range got {
			if e.EventID != got[0].EventID {
				t.Errorf("an event was sent as %s and as %s", got[0].EventID, e.EventID)
			}
		}
		waitFor(t, b.db, "SELECT count(*) FROM deliveries WHERE state = 'delivered' AND attempts = 4", 1)
	})
}

func TestWebhookFailsAfterThreeDays(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.inbox.answers = []int{503}
		b.complete(b.begin(), nil)
		b.inbox.wait(t, 1)
		waitFor(t, b.db, "SELECT count(*) FROM river_job WHERE state = 'scheduled' AND kind = 'events.deliver'", 1)
		b.want("73 hours later", b.do("POST", "/clock", map[string]string{"advance": "73h"}), 200, "")
		waitFor(t, b.db, "SELECT count(*) FROM deliveries WHERE state = 'given up'", 1)
		waitFor(t, b.db, "SELECT count(*) FROM river_job WHERE state <> 'completed' AND kind = 'events.deliver'", 0)
	})
}

func TestGoneDisablesCallback(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.inbox.answers = []int{410}
		b.complete(b.begin(), nil)
		b.inbox.wait(t, 1)
		waitFor(t, b.db, "SELECT count(*) FROM deliveries WHERE state = 'disabled'", 1)
		b.complete(b.begin(), nil)
		waitFor(t, b.db, "SELECT count(*) FROM events", 2)
		waitFor(t, b.db, "SELECT count(*) FROM deliveries", 1)
	})
}

func TestFireWebhooks(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	each(t, func(t *testing.T, b *testServer) {
		publicToken := b.complete(b.begin(), nil).text("publicToken")
		first := b.inbox.wait(t, 1)[0]
		b.want("fire", b.do("POST", "/webhooks/fire", map[string]any{"publicToken": publicToken,
			"times": 2, "delay": "10ms", "reorder": true}), 200, "")
		for _, e := range b.inbox.wait(t, 3) {
			if e.EventID != first.EventID {
				t.Errorf("fired with another id: %+v", e)
			}
		}
		b.want("an unknown report", b.do("POST", "/webhooks/fire", map[string]any{"publicToken": "x"}), 404, contract.CodeInvalidToken)
		b.want("too often", b.do("POST", "/webhooks/fire", map[string]any{"publicToken": publicToken, "times": 101}),
			400, contract.CodeInvalidParameters)
		b.want("no duration", b.do("POST", "/webhooks/fire", map[string]any{"publicToken": publicToken, "delay": "x"}),
			400, contract.CodeInvalidParameters)
	})
}

// TestControlsNameFields names missing fields before wrong ones, and says what would be right.
func TestControlsNameFields(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		for _, c := range []struct {
			path string
			body map[string]any
			want string
		}{
			{"/webhooks/fire", map[string]any{}, "publicToken is missing: give the publicToken of a report"},
			{"/callbacks", map[string]any{"url": "ftp://x.example"}, "publicId is missing"},
			{"/callbacks", map[string]any{}, "publicId is missing, url is missing"},
			{"/callbacks", map[string]any{"publicId": "x", "url": b.seed.CallbackURL}, "publicId is of no account of this sandbox"},
			{"/complete-urls", map[string]any{}, "publicId is missing, url is missing"},
			{"/faults", map[string]any{"times": 0}, "match is missing, action is missing"},
			{"/clock", map[string]any{}, "now must be given, or advance, and not both"},
			{"/clock", map[string]any{"now": "tomorrow"}, "now must be a time from 2000 to 2100 such as 2026-05-04T10:00:00Z"},
			{"/visits/none/complete", map[string]any{}, "token is not the token of a visit: give"},
		} {
			a, said := b.do("POST", c.path, c.body), []string{}
			details, _ := a.body["details"].([]any)
			for _, d := range details {
				d := d.(map[string]any)
				said = append(said, d["field"].(string)+" "+d["message"].(string))
			}
			if got := strings.Join(said, ", "); a.status < 400 || a.status >= 500 || !strings.HasPrefix(got, c.want) {
				t.Errorf("%s %v: %d %s, want %s", c.path, c.body, a.status, got, c.want)
			}
		}
		b.want("a test event", b.do("POST", "/webhooks/fire", map[string]any{"publicId": b.seed.PublicID}), 200, "")
		for range 9 {
			b.do("POST", "/webhooks/fire", map[string]any{"publicId": b.seed.PublicID})
		}
		b.want("the eleventh", b.do("POST", "/webhooks/fire", map[string]any{"publicId": b.seed.PublicID}), 429, contract.CodeRateLimited)
	})
}

func TestCallbacksAndCompleteURLs(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		url := b.seed.CallbackURL
		same := b.do("POST", "/callbacks", map[string]any{"publicId": b.seed.PublicID, "url": url + "/other"})
		if same.text("secret") != b.seed.WebhookSecret {
			t.Errorf("a new address changed the secret: %s", same.raw)
		}
		next := b.do("POST", "/callbacks", map[string]any{"publicId": b.seed.PublicID, "url": url, "rotate": true})
		if next.text("secret") == b.seed.WebhookSecret || next.text("secret") == "" {
			t.Errorf("rotation gave %s", next.raw)
		}
		b.complete(b.begin(), nil)
		b.inbox.wait(t, 1) // the old secret still signs, beside the new one
		b.want("an unknown customer", b.do("POST", "/callbacks", map[string]any{"publicId": "x", "url": url}), 403, contract.CodeUnknownCustomer)
		for _, bad := range []string{"", "ftp://x.example", "javascript:alert(1)", "http://"} {
			b.want("callback "+bad, b.do("POST", "/callbacks", map[string]any{"publicId": b.seed.PublicID, "url": bad}),
				400, contract.CodeInvalidParameters)
			b.want("redirect URL "+bad, b.do("POST", "/complete-urls", map[string]any{"publicId": b.seed.PublicID, "url": bad}),
				400, contract.CodeInvalidParameters)
		}
		b.want("a redirect URL", b.do("POST", "/complete-urls", map[string]any{"publicId": b.seed.PublicID,
			"url": "https://new.example/back?t=[token]"}), 204, "")
		b.want("a redirect URL of an unknown account", b.do("POST", "/complete-urls",
			map[string]any{"publicId": "x", "url": "https://new.example/"}), 403, contract.CodeUnknownCustomer)
		token := b.post("/secure-redirect", b.basic(),
			map[string]any{"productId": b.seed.Products[contract.Cashflow], "prefill": applicant}).text("redirectToken")
		if back := b.complete(token, nil).text("completeUrl"); !strings.HasPrefix(back, "https://new.example/back?t=ey") {
			t.Errorf("the signed result is returned to %s", back)
		}
	})
}

func TestControlRejectsOtherOrigins(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		a := b.ask(b.control.URL, "POST", "/reset", headers{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, nil)
		b.want("a page of another origin", a, http.StatusForbidden, contract.CodeForbidden)
		a = b.ask(b.control.URL, "POST", "/reset", headers{"webhook-id", "evt_1", "webhook-timestamp",
			"1", "webhook-signature", "v1,x"}, map[string]any{})
		b.want("an event that an account has sent here", a, http.StatusForbidden, contract.CodeForbidden)
		b.want("an unknown token", b.do("POST", "/visits/unknown/complete", map[string]any{}), 404, contract.CodeInvalidToken)
	})
}

// waitFor waits until a query counts n.
func waitFor(t *testing.T, db *store.DB, query string, n int) {
	t.Helper()
	ctx := t.Context()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var got int
		if err := db.SQL.QueryRowContext(ctx, query).Scan(&got); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if got == n {
			return
		}
		<-tick.C
	}
}
