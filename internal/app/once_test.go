package app_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/journey"
	"vestibule/internal/store"
)

// many is how many requests are sent at once.
const many = 50

// count returns the number that a query selects; party is store.Portal or
// store.Provider.
func (w *testServer) count(t *testing.T, party, query string, args ...any) int {
	t.Helper()
	db := w.stores[slices.Index([]string{store.Portal, store.Provider}, party)]
	n := 0
	err := db.Read(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, query, args...).Scan(&n)
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// only fails unless the number of answers of each status is as wanted.
func only(t *testing.T, what string, got map[int][]reply, want map[int]int) {
	t.Helper()
	for status, all := range got {
		if len(all) != want[status] {
			t.Errorf("%s: %d answers are %d, want %d; one is %s", what, len(all), status, want[status], all[0].Body)
		}
	}
}

// TestConcurrentDuplicatesCountOnce sends duplicates at the same instant, as by double
// clicks, retries and replays.
func TestConcurrentDuplicatesCountOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *testServer) {
		basicAuth := []string{"Authorization", basic(w.Credentials.Account), "Content-Type", asJSON}

		t.Run("an initialization token in the widget", func(t *testing.T) { registerTogether(t, w) })

		t.Run("an initialization token in a redirect", func(t *testing.T) {
			body := `{"token":"` + w.token(t, "") + `"}`
			only(t, "tokens", atOnce(t, many, func(int) *http.Request {
				return ask(t, "POST", w.Provider+"/secure-redirect", body, basicAuth...)
			}), map[int]int{200: 1, 400: many - 1})
		})

		t.Run("an externalId", func(t *testing.T) {
			body := w.initialization(`,"externalId":"just-once"`)
			only(t, "initializations", atOnce(t, many, func(int) *http.Request {
				return ask(t, "POST", w.Provider+"/connect/initialization", body, basicAuth...)
			}), map[int]int{200: 1, 400: many - 1})
		})

		t.Run("a step of a visit", func(t *testing.T) { submitStepTogether(t, w) })

		t.Run("an Idempotency-Key", func(t *testing.T) { repeatIdempotencyKey(t, w) })

		t.Run("the form of a browser that is known", func(t *testing.T) { applyTogether(t, w) })

		t.Run("an embed token", func(t *testing.T) {
			id, token := w.application(t, "embedded")
			only(t, "browsers", atOnce(t, many, func(int) *http.Request {
				return w.useLink(t, id, token)
			}), map[int]int{303: 1, 404: many - 1})
		})

		t.Run("callback and webhook", func(t *testing.T) { announceByCallbackAndWebhook(t, w) })

		t.Run("a return", func(t *testing.T) { returnTogether(t, w) })

		if reports := w.count(t, store.Provider, `SELECT COUNT(*) FROM reports WHERE status = 'SUCCESS'`); reports != 2 {
			t.Errorf("%d reports were made, want 2", reports)
		}
		w.nothingLeaked(t)
	})
}

func announceByCallbackAndWebhook(t *testing.T, w *testServer) {
	id, token := w.application(t, "embedded")
	cookie := w.enter(t, id, token)
	done := w.complete(t, w.connect(t, id, cookie))
	only(t, "callbacks", atOnce(t, many, func(int) *http.Request {
		return ask(t, "POST", w.Portal+"/applications/"+id+"/callbacks",
			`{"eventId":"callback-1","type":"onSuccess","attempt":1,"publicToken":"`+done.field("publicToken")+
				`","status":"SUCCESS"}`, "Cookie", cookie, "Content-Type", asJSON)
	}), map[int]int{204: many})
	body := `{"eventId":"evt_again","type":"VISIT","status":"SUCCESS","publicToken":"` + done.field("publicToken") + `"}`
	w.state(t, id, "ready")
	lines := func(kind string) int {
		return w.count(t, store.Portal, `SELECT COUNT(*) FROM application_timeline WHERE application_id = $1 AND kind = $2`, id, kind)
	}
	before := lines(string(journey.Webhook))
	only(t, "webhooks", atOnce(t, many, func(int) *http.Request {
		return ask(t, "POST", w.Portal+"/webhooks/visit", body, append(w.signedAs(t, "msg_again", body), "Content-Type", asJSON)...)
	}), map[int]int{204: many})
	if n := lines(string(journey.Webhook)) - before; n > 1 {
		t.Errorf("the webhook has %d lines in the timeline", n)
	}
	for _, kind := range []journey.Kind{journey.CallbackSuccess, journey.Fetched} {
		if n := lines(string(kind)); n != 1 {
			t.Errorf("%d lines of %s in the timeline", n, kind)
		}
	}
}

func returnTogether(t *testing.T, w *testServer) {
	id, token := w.application(t, "redirect")
	cookie := w.enter(t, id, token)
	away := good(t, 303, ask(t, "GET", w.Portal+"/applications/"+id+"/connect", "", "Cookie", cookie)).Header.Get("Location")
	visit := good(t, 303, ask(t, "GET", away, "")).Header.Get("Location")
	_, handle, _ := strings.Cut(visit, "/visit/")
	back := w.complete(t, handle).field("completeUrl")
	// The first request renews the browser's cookie, so later ones have an
	// outdated one.
	got := atOnce(t, many, func(int) *http.Request { return ask(t, "GET", back, "", "Cookie", cookie) })
	if len(got[303]) == 0 || len(got[303])+len(got[403]) != many {
		t.Errorf("answers by status: %v", statuses(got))
	}
	if n := w.count(t, store.Portal, `SELECT COUNT(*) FROM redirect_attempts WHERE application_id = $1 AND returned_at <> 0`, id); n != 1 {
		t.Errorf("%d attempts landed", n)
	}
	if n := w.count(t, store.Portal, `SELECT COUNT(*) FROM application_timeline
				WHERE application_id = $1 AND lower(kind) LIKE '%return%'`, id); n != 1 {
		t.Errorf("%d returns in the timeline", n)
	}
	renewed := 0
	for _, r := range got[303] {
		renewed += len(r.Header.Values("Set-Cookie"))
	}
	if renewed != 1 {
		t.Errorf("the browser got %d cookies", renewed)
	}
	w.state(t, id, "ready")
}

func repeatIdempotencyKey(t *testing.T, w *testServer) {
	body := `{"product":"cashflow","mode":"embedded","externalId":"idem","prefill":` + goodPrefill + `}`
	before := w.count(t, store.Portal, `SELECT COUNT(*) FROM applications`)
	got := atOnce(t, many, func(int) *http.Request {
		return ask(t, "POST", w.Portal+"/api/v1/applications", body, "Authorization", w.key(), "Content-Type", asJSON, "Idempotency-Key", "k-1")
	})
	only(t, "applications", got, map[int]int{201: many})
	for _, r := range got[201] {
		if string(r.Body) != string(got[201][0].Body) {
			t.Errorf("one key has two answers: %s and %s", r.Body, got[201][0].Body)
		}
	}
	if n := w.count(t, store.Portal, `SELECT COUNT(*) FROM applications`) - before; n != 1 {
		t.Errorf("%d applications were made", n)
	}
}

func applyTogether(t *testing.T, w *testServer) {
	form := []string{"Content-Type", asForm}
	cookie := cookieOf(t, good(t, 303, ask(t, "POST", w.Portal+"/applications", goodForm().Encode(), form...)))
	got := atOnce(t, 10, func(int) *http.Request {
		return ask(t, "POST", w.Portal+"/applications", goodForm().Encode(), append(form, "Cookie", cookie)...)
	})
	only(t, "forms", got, map[int]int{303: 10})
	for _, r := range got[303] { // whichever the browser sees, it is let in
		at := strings.TrimSuffix(r.Header.Get("Location"), "/connect")
		good(t, 200, ask(t, "GET", w.Portal+at, "", "Cookie", cookieOf(t, r)))
	}
}

func submitStepTogether(t *testing.T, w *testServer) {
	handle := good(t, 201, ask(t, "POST", w.Provider+"/widget/v1/visits",
		w.registration(w.token(t, "")), "Content-Type", asJSON)).field("handle")
	before := w.count(t, store.Provider, `SELECT COUNT(*) FROM visit_events`)
	only(t, "consents", atOnce(t, many, func(int) *http.Request {
		return ask(t, "POST", w.Provider+"/visit/"+handle, "action=consent", "Content-Type", asForm)
	}), map[int]int{303: many})
	if n := w.count(t, store.Provider, `SELECT COUNT(*) FROM visit_events`) - before; n != 1 {
		t.Errorf("%d steps were taken", n)
	}
}

func registerTogether(t *testing.T, w *testServer) {
	body := w.registration(w.token(t, ""))
	before := w.count(t, store.Provider, `SELECT COUNT(*) FROM visits WHERE handle_hash IS NOT NULL`)
	only(t, "tokens", atOnce(t, many, func(int) *http.Request {
		return ask(t, "POST", w.Provider+"/widget/v1/visits", body, "Content-Type", asJSON)
	}), map[int]int{201: 1, 400: many - 1})
	if n := w.count(t, store.Provider, `SELECT COUNT(*) FROM visits WHERE handle_hash IS NOT NULL`) - before; n != 1 {
		t.Errorf("%d visits were opened", n)
	}
}

func statuses(got map[int][]reply) string {
	var out []string
	for status, all := range got {
		out = append(out, fmt.Sprintf("%d×%d", len(all), status))
	}
	return strings.Join(out, " ")
}
