package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vestibule/docs/openapitest"
	"vestibule/internal/store"
	"vestibule/internal/testutil/tools"
)

// finished is an application whose visit is complete, before its browser has returned.
type finished struct{ id, cookie, publicToken, back string }

// finish completes a visit by secure redirect.
func (w *testServer) finish(t *testing.T) *finished {
	t.Helper()
	id, token := w.application(t, "redirect")
	cookie := w.enter(t, id, token)
	away := good(t, 303, ask(t, "GET", w.Portal+"/applications/"+id+"/connect", "", "Cookie", cookie)).Header.Get("Location")
	visit := good(t, 303, ask(t, "GET", away, "")).Header.Get("Location")
	_, handle, _ := strings.Cut(visit, "/visit/")
	handle, _, _ = strings.Cut(handle, "?")
	done := w.complete(t, handle)
	return &finished{id, cookie, done.field("publicToken"), done.field("completeUrl")}
}

// land returns to the portal, and keeps the cookie that it renews. A page without the key
// set asks the applicant to load it again.
func (w *testServer) land(t *testing.T, f *finished) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		got := do(t, ask(t, "GET", f.back, "", "Cookie", f.cookie))
		if got.Status == 303 {
			if got.Header.Get("Set-Cookie") != "" {
				f.cookie = cookieOf(t, got)
			}
			return
		}
		if got.Header.Get("Retry-After") == "" {
			t.Fatalf("the return = %d\n%s", got.Status, got.Body)
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the return is never taken")
		}
	}
}

// returned completes an application by secure redirect and returns its id.
func (w *testServer) returned(t *testing.T) (id string) {
	t.Helper()
	f := w.finish(t)
	w.land(t, f)
	return f.id
}

// fetchedOnce checks that an application's report was fetched once, and that a later
// webhook did not change its state.
func (w *testServer) fetchedOnce(t *testing.T, id string) {
	t.Helper()
	w.state(t, id, "ready")
	if n := w.count(t, store.Portal, `SELECT COUNT(*) FROM application_timeline WHERE application_id = $1 AND kind = 'fetched'`, id); n != 1 {
		t.Errorf("the report was stored %d times", n)
	}
	var body struct{ Meta map[string]any }
	got := good(t, 200, ask(t, "GET", w.Portal+"/api/v1/applications/"+id+"/report", "", "Authorization", w.key()))
	if json.Unmarshal(got.Body, &body) != nil || body.Meta["status"] != "SUCCESS" {
		t.Errorf("the report is %.300s", got.Body)
	}
	if err := openapitest.Valid(t, openapitest.OfThePortal, "/components/schemas/CashflowReport", []byte(got.Body)); err != nil {
		t.Error(err)
	}
}

// TestApplicationsSucceedDespiteFaults completes applications of each product and mode
// while the provider behaves in every way that the API allows.
func TestApplicationsSucceedDespiteFaults(t *testing.T) {
	tools.FullOnly(t)
	eachEngine(t, func(t *testing.T, w *testServer) {
		var ids []string
		for range 4 {
			ids = append(ids, w.returned(t))
			id, token := w.application(t, "embedded")
			w.complete(t, w.connect(t, id, w.enter(t, id, token))) // the webhook or a poll reports the result
			ids = append(ids, id)
		}
		for _, id := range ids {
			w.fetchedOnce(t, id)
		}
		// The events of a reviewer's third party come twice, and count once.
		if n := w.count(t, store.Portal, `SELECT COUNT(*) FROM applications`); n != len(ids) {
			t.Errorf("%d applications, want %d", n, len(ids))
		}
		log := w.Log.String()
		if !strings.Contains(log, "asking the service again") {
			t.Error("no fault was injected")
		}
		w.nothingLeaked(t)
	}, "--sandbox-faults=7")
}

// Requests that faults strike.
const (
	reportFault = "GET /connect/cashflow/v2/json"
	statusFault = "GET /connect/status"
	beginFault  = "POST /secure-redirect"
	tokenFault  = "GET /connect/accesstoken"
	keysFault   = "GET /connect/jwkset"
)

// addFault makes a number of requests of a kind fail.
func (w *testServer) addFault(t *testing.T, match, action string, times int) {
	t.Helper()
	good(t, 201, ask(t, "POST", w.Control+"/faults", fmt.Sprintf(`{"match":%q,"action":%q,"times":%d}`, match, action, times),
		"Content-Type", asJSON))
}

// TestEveryFaultEndsWell dials in each of the sandbox's faults, at each address that an
// application needs, while one is under way. It must get to its report, which is stored
// once. What is elsewhere: what people see meanwhile (e2e.TestFailures,
// TestProviderAway, TestStatusPageMoves, TestWebhookIsSentUntilItArrives), key sets that
// fail or hold wrong keys (attacktest.TestKeySets, TestForgedReturns), files that cannot be
// had (review.TestUnavailableFiles) and shares (review.TestUnavailableProviderLosesNoData).
func TestEveryFaultEndsWell(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	t.Parallel()
	w := startServer(t, "")
	rotate := func() {
		t.Helper()
		good(t, 204, ask(t, "POST", w.Control+"/keys/rotate", `{"atOnce":true}`, "Content-Type", asJSON))
	}
	w.fetchedOnce(t, w.returned(t)) // the key set is known, and an access token kept
	for name, faults := range map[string]func(){
		"the report 500":     func() { w.addFault(t, reportFault, "status:500", 2) },
		"the report 503":     func() { w.addFault(t, reportFault, "status:503", 2) },
		"the report 429":     func() { w.addFault(t, reportFault, "status:429", 1) },
		"the report 401":     func() { w.addFault(t, reportFault, "status:401", 1) },
		"the report late":    func() { w.addFault(t, reportFault, "delay:300ms", 1) },
		"the report dropped": func() { w.addFault(t, reportFault, "drop", 2) },
		"the report cut":     func() { w.addFault(t, reportFault, "truncate", 2) },
		"the report in every way": func() {
			w.addFault(t, reportFault, "drop", 1)
			w.addFault(t, reportFault, "truncate", 1)
			w.addFault(t, reportFault, "status:502", 1)
		},
		"no access token": func() { w.addFault(t, reportFault, "status:401", 1); w.addFault(t, tokenFault, "status:500", 2) },
		"an access token in every way": func() {
			w.addFault(t, reportFault, "status:401", 1)
			for _, action := range []string{"truncate", "status:429", "drop", "status:503", "delay:200ms"} {
				w.addFault(t, tokenFault, action, 1)
			}
		},
		"the beginning 429":                       func() { w.addFault(t, beginFault, "status:429", 1) },
		"the beginning late":                      func() { w.addFault(t, beginFault, "delay:300ms", 1) },
		"another key, at once, and the keys late": func() { rotate(); w.addFault(t, keysFault, "delay:200ms", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			faults()
			w.fetchedOnce(t, w.returned(t))
			if left := string(good(t, 200, ask(t, "GET", w.Control+"/faults", "")).Body); strings.Contains(left, "action") {
				t.Errorf("a fault never struck: %s", left)
			}
			good(t, 204, ask(t, "DELETE", w.Control+"/faults", ""))
		})
	}
	t.Run("webhooks doubled, late and reordered", func(t *testing.T) { repeatWebhooks(t, w) })
	t.Run("a beginning that is refused is begun again", func(t *testing.T) { beginAgain(t, w) })
	t.Run("a widget that cannot start is started again, and only polls report its result", func(t *testing.T) { startWidgetAgain(t, w) })
	w.nothingLeaked(t)
}

func repeatWebhooks(t *testing.T, w *testServer) {
	id, token := w.application(t, "embedded")
	cookie := w.enter(t, id, token)
	publicToken := w.complete(t, w.connect(t, id, cookie)).field("publicToken")
	w.state(t, id, "ready")
	lines := func() int {
		return w.count(t, store.Portal, `SELECT COUNT(*) FROM application_timeline WHERE application_id = $1`, id)
	}
	before := lines()
	for _, how := range []string{`"times":3`, `"times":2,"reorder":true`, `"delay":"300ms"`} {
		good(t, 200, ask(t, "POST", w.Control+"/webhooks/fire", `{"publicToken":"`+publicToken+`",`+how+`}`, "Content-Type", asJSON))
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(2 * time.Minute); ; {
		if w.count(t, store.Provider, `SELECT COUNT(*) FROM deliveries WHERE state = 'pending'`) == 0 {
			break
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatal("the webhooks are not delivered")
		}
	}
	if n := lines() - before; n > 1 { // the webhook itself, where a poll was first
		t.Errorf("webhooks sent again made %d lines", n)
	}
	w.fetchedOnce(t, id)
}

func beginAgain(t *testing.T, w *testServer) {
	id, token := w.application(t, "redirect")
	cookie := w.enter(t, id, token)
	for _, action := range []string{"status:500", "drop", "truncate", "status:404"} {
		w.addFault(t, beginFault, action, 1)
		got := do(t, ask(t, "GET", w.Portal+"/applications/"+id+"/connect", "", "Cookie", cookie))
		if got.Status == http.StatusSeeOther || got.Status == 500 || got.Header.Get("Location") != "" {
			t.Errorf("%s: %d to %q", action, got.Status, got.Header.Get("Location"))
		}
	}
	good(t, 303, ask(t, "GET", w.Portal+"/applications/"+id+"/connect", "", "Cookie", cookie))
}

func startWidgetAgain(t *testing.T, w *testServer) {
	good(t, 200, ask(t, "POST", w.Control+"/callbacks", `{"publicId":"`+w.Credentials.PublicID+
		`","url":"`+w.Control+`/nowhere"}`, "Content-Type", asJSON))
	id, embed := w.application(t, "embedded")
	cookie := w.enter(t, id, embed)
	for _, action := range []string{"status:500", "drop", "truncate", "status:403"} {
		w.addFault(t, "POST /connect/initialization", action, 1)
		got := do(t, ask(t, "GET", w.Portal+"/applications/"+id+"/connect", "", "Cookie", cookie))
		if got.Status == 500 || connectToken.Match(got.Body) {
			t.Errorf("%s: %d\n%s", action, got.Status, got.Body)
		}
	}
	for _, action := range []string{"delay:200ms", "status:429"} {
		w.addFault(t, "POST /connect/initialization", action, 1)
	}
	visit := w.connect(t, id, cookie)
	attempt := w.count(t, store.Portal, `SELECT attempt FROM applications WHERE id = $1`, id)
	for _, action := range []string{"status:500", "drop", "truncate", "status:429", "delay:200ms"} {
		w.addFault(t, statusFault, action, 1)
	}
	publicToken := w.complete(t, visit).field("publicToken")
	good(t, 204, ask(t, "POST", w.Portal+"/applications/"+id+"/callbacks",
		fmt.Sprintf(`{"eventId":"e-1","type":"onSuccess","attempt":%d,"publicToken":%q,"status":"SUCCESS"}`, attempt, publicToken),
		"Cookie", cookie, "Content-Type", asJSON))
	w.fetchedOnce(t, id)
	if left := string(good(t, 200, ask(t, "GET", w.Control+"/faults", "")).Body); strings.TrimSpace(left) != "[]" {
		t.Errorf("a fault never struck: %s", left)
	}
}
