package app_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/i18ntest"
)

var withdrawLink = regexp.MustCompile(`href="/review/shares/([0-9a-f-]{36})/withdraw"`)

// share shares the report of an application as a reviewer, and returns the
// share's id.
func (w *testServer) share(t *testing.T, cookie, application, publicID string) string {
	t.Helper()
	at := w.Portal + "/review/applications/" + application
	good(t, 303, ask(t, "POST", at+"/shares", url.Values{"publicId": {publicID}, "label": {"Third"}}.Encode(),
		"Cookie", cookie, "Content-Type", asForm))
	page := good(t, 200, ask(t, "GET", at, "", "Cookie", cookie))
	m := withdrawLink.FindSubmatch(page.Body)
	if m == nil {
		t.Fatalf("the application's page has no share:\n%s", page.Body)
	}
	return string(m[1])
}

// TestReviewerSharesReport walks a report from the reviewer's page to the third
// party that reads it with its own credentials, until it is withdrawn.
func TestReviewerSharesReport(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		third := w.Credentials.ThirdParty.Account
		id, embedToken := w.application(t, "embedded")
		publicToken := w.complete(t, w.connect(t, id, w.enter(t, id, embedToken))).field("publicToken")
		w.state(t, id, "ready")
		cookie, at := w.signIn(t), w.Portal+"/review/applications/"+id
		share := w.share(t, cookie, id, third.PublicID)

		// Many reviewers at once, and double clicks: one share, one token.
		atOnce(t, many/2, func(int) *http.Request {
			return ask(t, "POST", at+"/shares", "publicId="+url.QueryEscape(third.PublicID), "Cookie", cookie, "Content-Type", asForm)
		})
		if n := w.count(t, store.Portal, `SELECT COUNT(*) FROM report_shares`); n != 1 {
			t.Errorf("%d shares, want 1", n)
		}
		var relayToken string
		testutil.Must(t, w.stores[1].SQL.QueryRow(`SELECT token FROM relay_tokens WHERE public_token = $1`, publicToken).Scan(&relayToken))

		read := func() reply {
			return do(t, ask(t, "GET", w.Provider+"/connect/cashflow/v2/json", "", "Authorization",
				w.bearer(t, third), "X-Public-Token", relayToken))
		}
		if got := read(); got.Status != 200 || !strings.Contains(string(got.Body), relayToken) ||
			strings.Contains(string(got.Body), publicToken) {
			t.Errorf("the third party reads %d %.300s", got.Status, got.Body)
		}
		refused := do(t, ask(t, "POST", at+"/shares", "publicId=svc-unknown", "Cookie", cookie, "Content-Type", asForm))
		if refused.Status != 422 || !strings.Contains(string(refused.Body), i18ntest.EN("review.share.unknown_party")) {
			t.Errorf("sharing with an unknown customer = %d", refused.Status)
		}

		only(t, "withdrawals", atOnce(t, many/2, func(int) *http.Request {
			return ask(t, "POST", w.Portal+"/review/shares/"+share+"/withdraw", "", "Cookie", cookie, "Content-Type", asForm)
		}), map[int]int{303: many / 2})
		if got := read(); got.Status != 400 || got.field("error") != "RELAY_TOKEN_REVOKED" {
			t.Errorf("after withdrawing the third party reads %d %.300s", got.Status, got.Body)
		}
		again := do(t, ask(t, "POST", at+"/shares", "publicId="+url.QueryEscape(third.PublicID), "Cookie", cookie, "Content-Type", asForm))
		if again.Status != 409 || !strings.Contains(string(again.Body), i18ntest.EN("review.share.withdrawn_before")) {
			t.Errorf("sharing what was withdrawn = %d", again.Status)
		}
		for what, want := range map[string]int{"action = 'shared' AND done_at IS NOT NULL": 1,
			"action = 'renewed' AND done_at IS NOT NULL":   many / 2,
			"action = 'withdrawn' AND done_at IS NOT NULL": 1, "done_at IS NULL": 0} {
			if n := w.count(t, store.Portal, `SELECT COUNT(*) FROM report_share_log WHERE `+what); n != want {
				t.Errorf("%d lines where %s, want %d", n, what, want)
			}
		}

		// Deleted at the person's request, the application is gone here, and the consent
		// there.
		if n := w.count(t, store.Provider, `SELECT COUNT(*) FROM consumers WHERE withdrawn_at IS NOT NULL`); n != 0 {
			t.Errorf("%d consents are withdrawn before a request", n)
		}
		good(t, 303, ask(t, "POST", at+"/delete", url.Values{"id": {id}, "cause": {"request"}, "sure": {"yes"}}.Encode(),
			"Cookie", cookie, "Content-Type", asForm))
		good(t, 410, ask(t, "GET", at, "", "Cookie", cookie))
		if n := w.count(t, store.Provider, `SELECT COUNT(*) FROM consumers WHERE withdrawn_at IS NOT NULL`); n != 1 {
			t.Errorf("%d consents are withdrawn, want 1", n)
		}
		log := w.Log.String()
		for what, s := range map[string]string{"relay token": relayToken, "label": "Third", "reviewer": w.Credentials.Reviewer.Email} {
			if what != "label" && strings.Contains(log, s) {
				t.Errorf("the %s is in the log", what)
			}
		}
	})
}
