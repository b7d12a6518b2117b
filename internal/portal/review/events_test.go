package review

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

// happen records the event of a new state of the started application, and returns its
// delivery.
func (d *testServer) happen(state journey.State, sequence int64) string {
	d.t.Helper()
	a, err := d.Applications.Get(d.t.Context(), d.Applications.DB.SQL, appStarted)
	if err != nil {
		d.t.Fatal(err)
	}
	a.Journey.State = state
	err = d.DB.Tx(d.t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return d.Events.Record(ctx, tx, a, applications.TimelineEntry{Seq: sequence, At: *d.now,
			Kind: string(journey.Poll), From: "another", To: string(state)})
	})
	if err != nil {
		d.t.Fatal(err)
	}
	all, _, err := d.Events.List(d.t.Context(), webhook.Filter{Limit: 100}, "")
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range all {
		if e.Sequence == sequence {
			return e.ID
		}
	}
	d.t.Fatal("no delivery")
	return ""
}

// sent stores the results of a delivery's attempts.
func (d *testServer) sent(id string, state webhook.State, attempts ...webhook.Result) {
	d.t.Helper()
	last := 0
	for i, r := range attempts {
		last = r.HTTP
		if _, err := d.DB.SQL.Exec(`INSERT INTO delivery_attempts (delivery_id, attempt, at, http, took_ms, error)
			VALUES ($1, $2, $3, $4, 7, $5)`,
			id, int64(i+1), store.Micros(*d.now), int64(r.HTTP), string(r.Class())); err != nil {
			d.t.Fatal(err)
		}
	}
	if _, err := d.DB.SQL.Exec(`UPDATE deliveries SET state = $2, attempts = $3, last_http = $4 WHERE id = $1`,
		id, string(state), int64(len(attempts)), int64(last)); err != nil {
		d.t.Fatal(err)
	}
}

// TestEventPages visits the pages as a reviewer and as an auditor.
func TestEventPages(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.Events.URL = "https://app.example.com/webhooks/whose-path-is-secret"
	d.signInAs(secret, "")
	has := func(path string, words ...string) string {
		t.Helper()
		resp, body := d.get(path)
		for _, w := range words {
			if not := strings.TrimPrefix(w, "!"); resp.StatusCode != 200 || strings.Contains(body, not) == (w != not) {
				t.Errorf("GET %s = %d, %q\n%s", path, resp.StatusCode, w, body)
			}
		}
		return body
	}
	post := func(path, form string) (to string) {
		t.Helper()
		values, err := url.ParseQuery(form)
		if err != nil {
			t.Fatal(err)
		}
		resp, _ := d.post(path, values)
		return resp.Header.Get("Location")
	}

	has("/review/events", i18ntest.EN("review.events.none"), "https://app.example.com<", "!whose-path")
	first, second := d.happen(journey.Started, 1), d.happen(journey.Connecting, 2)
	one := "/review/events/" + first
	has(one, i18ntest.EN("review.delivery_states.pending"), i18ntest.EN("review.events.untried"),
		"!"+i18ntest.EN("review.events.resend"), "&#34;sequence&#34;: 1")
	d.sent(first, webhook.StateDelivered, webhook.Result{Err: errors.New("broken")}, webhook.Result{HTTP: 200, Outcome: webhook.Delivered})
	d.sent(second, webhook.StateDisabled, webhook.Result{HTTP: 410, Outcome: webhook.Disabled})
	if _, err := d.DB.SQL.Exec(`INSERT INTO disabled_urls (url_hash, disabled_at) VALUES ($1, $2)`,
		store.Hash(d.Events.URL), store.Micros(noon)); err != nil {
		t.Fatal(err)
	}
	has("/review/events", "application.started", one, i18ntest.EN("review.delivery_states.disabled"),
		"410", i18ntest.EN("review.events.turn_on"))
	has("/review/events?state=disabled", "!"+one, second)
	has("/review/events?state=given_up", i18ntest.EN("review.events.none"))
	has("/review/events?application="+appStarted, i18ntest.EN("review.events.of_one"), first)
	has("/review/events?application="+uuid.NewString(), i18ntest.EN("review.events.none"))
	has(one, i18ntest.EN("dashboard.delivery_errors.NETWORK"), i18ntest.EN("review.events.resend"))

	if to := post(one+"/redeliver", "resends=0"); to != one+"?done=stopped" {
		t.Errorf("sent again while it is stopped, leads to %s", to)
	}
	has(one+"?done=stopped", i18ntest.EN("review.events.done.stopped"))
	if to := post("/review/events/enable", ""); to != "/review/events?done=on" {
		t.Errorf("turned on, leads to %s", to)
	}
	has("/review/events?done=on", i18ntest.EN("review.events.done.on"), "!"+i18ntest.EN("review.events.turn_on"))
	made := post(one+"/redeliver", "resends=0")
	if !strings.HasSuffix(made, "?done=sent") || strings.HasPrefix(made, one) {
		t.Errorf("sent again, leads to %s", made)
	}
	has(made, i18ntest.EN("review.events.done.sent"), "1×")
	if to := post(one+"/redeliver", "resends=0"); to != one+"?done=busy" {
		t.Errorf("the form once more, leads to %s", to)
	}
	has(one+"?done=busy&lang=es", i18ntest.ES("review.events.done.busy"), i18ntest.ES("dashboard.delivery_errors.NETWORK"))

	post("/review/events/enable", "")
	var turnedOn, resent int
	if err := d.DB.SQL.QueryRow(`SELECT COUNT(*) FROM audit WHERE action = 'eventsOn'`).Scan(&turnedOn); err != nil || turnedOn != 1 {
		t.Errorf("the audit log has events turned on %d times: %v", turnedOn, err)
	}
	if err := d.DB.SQL.QueryRow(`SELECT COUNT(*) FROM audit WHERE action = 'eventSent'
		AND subject_id = $1 AND object = 'application.started'`,
		appStarted).Scan(&resent); err != nil || resent != 1 {
		t.Errorf("the audit log has the event sent again %d times: %v", resent, err)
	}

	auditor := d.as(Auditor)
	if _, page := auditor.get(one); strings.Contains(page, i18ntest.EN("review.events.resend")) {
		t.Error("an auditor is offered to send an event again")
	}
	for _, path := range []string{one + "/redeliver", "/review/events/enable"} {
		if resp, _ := auditor.post(path, url.Values{"resends": {"1"}}); resp.StatusCode != 403 {
			t.Errorf("POST %s by an auditor = %d", path, resp.StatusCode)
		}
	}
	for _, path := range []string{"/review/events/x", "/review/events/" + uuid.NewString(), "/review/events?state=done",
		"/review/events?state=given+up+", "/review/events?application=x", "/review/events?after=x"} {
		if resp, _ := d.get(path); resp.StatusCode != 404 {
			t.Errorf("GET %s = %d, want 404", path, resp.StatusCode)
		}
	}
	if resp, _ := d.post(one+"/redeliver", url.Values{"resends": {"x"}}); resp.StatusCode != 400 {
		t.Errorf("a malformed form = %d", resp.StatusCode)
	}
	*d.now = noon.Add(time.Minute)
	for i := range pageSize {
		d.happen(journey.Pending, int64(10+i))
	}
	_, rest, _ := strings.Cut(has("/review/events", i18ntest.EN("review.events.older")), "after=")
	has("/review/events?after="+rest[:strings.IndexByte(rest, '"')], one, i18ntest.EN("review.list.newest"))
	d.Events.URL = ""
	has("/review/events?lang=es", i18ntest.ES("review.events.unset"))
}

// TestOutbox checks that signed-in users see the emails of a sandbox without a
// mail server.
func TestOutbox(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal), func(d *Handler) { d.Letters.Mail = nil })
	d.signInAs(secret, "")
	d.post(own+"/decision", url.Values{"seen": {"0"}, "decision": {decisions.Approved}})
	if resp, page := d.get("/review/letters"); resp.StatusCode != 200 || !strings.Contains(page, "Zoe@Example.org") {
		t.Errorf("the outbox: %d\n%s", resp.StatusCode, page)
	}
}

// TestUndeliveredEmails checks that emails that the mail server refused are sent again from
// their list: the email of a decision, and a new link in place of one that was not delivered.
func TestUndeliveredEmails(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		waiting := uuid.NewString()
		d.post(own+"/decision", url.Values{"seen": {"0"}, "decision": {decisions.Approved}})
		d.add(stored{Application: applications.Application{ID: waiting, Product: "cashflow",
			Journey: journey.New(noon.Unix()), CreatedAt: noon, UpdatedAt: noon},
			Applicant: &prefill.Fields{FirstName: "Ana", LastName: "Ruiz", Email: "ana@example.org"}})
		d.post("/review/remind", url.Values{"id": {waiting}})
		if _, page := d.get("/review/letters"); !strings.Contains(page, i18ntest.EN("review.outbox.none_failed")) {
			t.Errorf("emails on their way are listed:\n%s", page)
		}
		ids := map[string]string{} // of emails, by application
		fail := func(application string) {
			var id string
			if err := db.SQL.QueryRow(`SELECT id FROM emails WHERE subject_id = $1 AND failed_at IS NULL`,
				application).Scan(&id); err != nil {
				t.Fatal(err)
			}
			if _, err := db.SQL.Exec(`UPDATE emails SET failed_at = 1, body = NULL WHERE id = $1`, id); err != nil {
				t.Fatal(err)
			}
			ids[application] = id
		}
		count := func(query string) (n int) {
			if err := db.SQL.QueryRow(query).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		fail(appReady)
		fail(waiting)
		_, page := d.get("/review/letters")
		for _, id := range ids {
			if !strings.Contains(page, "/review/letters/"+id+"/resend") {
				t.Errorf("an email that was given up has no button:\n%s", page)
			}
		}
		if _, page := d.as(Auditor).get("/review/letters"); strings.Contains(page, "/resend") || !strings.Contains(page, "Zoe@Example.org") {
			t.Errorf("an auditor's list:\n%s", page)
		}
		for _, done := range []string{"sent", "kept"} { // the second time nothing is sent
			for _, id := range ids {
				if resp, _ := d.post("/review/letters/"+id+"/resend", nil); resp.Header.Get("Location") != "/review/letters?done="+done {
					t.Errorf("%s: %d to %q", done, resp.StatusCode, resp.Header.Get("Location"))
				}
			}
		}
		if n := count(`SELECT COUNT(*) FROM emails WHERE failed_at IS NULL AND body IS NOT NULL`); n != 2 {
			t.Errorf("%d emails are on their way, want 2", n)
		}
		if n := count(`SELECT COUNT(*) FROM audit WHERE action IN ('letterRetried', 'reminded')`); n != 3 {
			t.Errorf("%d entries of the audit trail, want that of the first reminder and those of two emails sent again", n)
		}
		if resp, _ := d.post("/review/letters/"+uuid.NewString()+"/resend", nil); resp.StatusCode != 404 {
			t.Errorf("an unknown email: %d", resp.StatusCode)
		}
	})
}
