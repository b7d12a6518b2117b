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
	d.requirePage("/review/events", i18ntest.EN("review.events.none"), "https://app.example.com<", "!whose-path")
	first, second := d.happen(journey.Started, 1), d.happen(journey.Connecting, 2)
	one := "/review/events/" + first
	d.run("list", func(t *testing.T, d *testServer) {
		d.requirePage(one, i18ntest.EN("review.delivery_states.pending"), i18ntest.EN("review.events.untried"),
			"!"+i18ntest.EN("review.events.resend"), "&#34;sequence&#34;: 1")
		d.sent(first, webhook.StateDelivered, webhook.Result{Err: errors.New("broken")}, webhook.Result{HTTP: 200, Outcome: webhook.Delivered})
		d.sent(second, webhook.StateDisabled, webhook.Result{HTTP: 410, Outcome: webhook.Disabled})
		if _, err := d.DB.SQL.Exec(`INSERT INTO disabled_urls (url_hash, disabled_at) VALUES ($1, $2)`,
			store.Hash(d.Events.URL), store.Micros(noon)); err != nil {
			t.Fatal(err)
		}
		d.requirePage("/review/events", "application.started", one, i18ntest.EN("review.delivery_states.disabled"),
			"410", i18ntest.EN("review.events.turn_on"))
		d.requirePage("/review/events?state=disabled", "!"+one, second)
		d.requirePage("/review/events?state=given_up", i18ntest.EN("review.events.none"))
		d.requirePage("/review/events?application="+appStarted, i18ntest.EN("review.events.of_one"), first)
		d.requirePage("/review/events?application="+uuid.NewString(), i18ntest.EN("review.events.none"))
		d.requirePage(one, i18ntest.EN("dashboard.delivery_errors.NETWORK"), i18ntest.EN("review.events.resend"))
		d.requireStatus(404, "/review/events/x", "/review/events/"+uuid.NewString(), "/review/events?state=done",
			"/review/events?state=given+up+", "/review/events?application=x", "/review/events?after=x")
	})
	d.run("sending again", func(t *testing.T, d *testServer) { d.resendEvent(one) })
	d.run("auditor", func(_ *testing.T, d *testServer) {
		auditor := d.as(Auditor)
		auditor.requirePage(one, "!"+i18ntest.EN("review.events.resend"))
		auditor.requirePost(403, one+"/redeliver", url.Values{"resends": {"1"}})
		auditor.requirePost(403, "/review/events/enable", url.Values{"resends": {"1"}})
	})
	d.run("a long list", func(_ *testing.T, d *testServer) {
		*d.now = noon.Add(time.Minute)
		for i := range pageSize {
			d.happen(journey.Pending, int64(10+i))
		}
		_, rest, _ := strings.Cut(d.requirePage("/review/events", i18ntest.EN("review.events.older")), "after=")
		d.requirePage("/review/events?after="+rest[:strings.IndexByte(rest, '"')], one, i18ntest.EN("review.list.newest"))
	})
	d.Events.URL = ""
	d.requirePage("/review/events?lang=es", i18ntest.ES("review.events.unset"))
}

// resendEvent sends an event again while its address is off and when it is on, and checks the audit log.
func (d *testServer) resendEvent(one string) {
	once := url.Values{"resends": {"0"}}
	post := func(path, want string) {
		d.t.Helper()
		if to := d.requirePost(303, path, once); to != want {
			d.t.Errorf("POST %s leads to %s, want %s", path, to, want)
		}
	}
	post(one+"/redeliver", one+"?done=stopped")
	d.requirePage(one+"?done=stopped", i18ntest.EN("review.events.done.stopped"))
	post("/review/events/enable", "/review/events?done=on")
	d.requirePage("/review/events?done=on", i18ntest.EN("review.events.done.on"), "!"+i18ntest.EN("review.events.turn_on"))
	made := d.requirePost(303, one+"/redeliver", once)
	if !strings.HasSuffix(made, "?done=sent") || strings.HasPrefix(made, one) {
		d.t.Errorf("sent again, leads to %s", made)
	}
	d.requirePage(made, i18ntest.EN("review.events.done.sent"), "1×")
	post(one+"/redeliver", one+"?done=busy")
	d.requirePage(one+"?done=busy&lang=es", i18ntest.ES("review.events.done.busy"), i18ntest.ES("dashboard.delivery_errors.NETWORK"))
	d.requirePost(400, one+"/redeliver", url.Values{"resends": {"x"}})
	d.post("/review/events/enable", nil)
	var turnedOn, resent int
	if err := d.DB.SQL.QueryRow(`SELECT (SELECT COUNT(*) FROM audit WHERE action = 'eventsOn'), (SELECT COUNT(*) FROM audit
		WHERE action = 'eventSent' AND subject_id = $1 AND object = 'application.started')`,
		appStarted).Scan(&turnedOn, &resent); err != nil || turnedOn != 1 || resent != 1 {
		d.t.Errorf("the audit log has events turned on %d times, and one sent again %d times: %v", turnedOn, resent, err)
	}
}

// TestOutbox checks that signed-in users see the emails of a sandbox without a
// mail server.
func TestOutbox(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal), func(d *Handler) { d.Letters.Mail = nil })
	d.signInAs(secret, "")
	d.post(own+"/decision", url.Values{"seen": {"0"}, "decision": {decisions.Approved}})
	d.requirePage("/review/letters", "Zoe@Example.org")
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
		d.requirePage("/review/letters", i18ntest.EN("review.outbox.none_failed")) // emails on their way are not listed
		ids := map[string]string{}                                                 // of emails, by application
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
		d.as(Auditor).requirePage("/review/letters", "!/resend", "Zoe@Example.org") // an auditor's list
		for _, done := range []string{"sent", "kept"} {                             // the second time nothing is sent
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
		d.requirePost(404, "/review/letters/"+uuid.NewString()+"/resend", nil) // an unknown email
	})
}
