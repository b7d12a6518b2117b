package review

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/mail"
	"vestibule/internal/portal/applications"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// TestRemind checks that reminders go to the applicants whose applications wait for them,
// in their language, with a link, and once a day.
func TestRemind(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db, func(d *Handler) { d.Letters.Mail = nil })
		d.signInAs(secret, "")
		waiting := uuid.NewString()
		d.add(stored{Application: applications.Application{ID: waiting, Product: "cashflow", Lang: i18n.Spanish,
			Journey: journey.New(noon.Unix()), CreatedAt: noon, UpdatedAt: noon},
			Applicant: &prefill.Fields{FirstName: "Ana", LastName: "Ruiz", Email: "ana@example.org"}})
		// An application without an address, a finished one, and an unknown one.
		all := url.Values{"id": {waiting, appStarted, appReady, uuid.NewString()}, "queue": {"waiting"}}
		remind := func(of url.Values, want string) {
			t.Helper()
			if resp, _ := d.post("/review/remind", of); resp.StatusCode != 303 || resp.Header.Get("Location") != want {
				t.Fatalf("reminding: %d to %q, want %q", resp.StatusCode, resp.Header.Get("Location"), want)
			}
		}
		emails := func() (texts []string) {
			t.Helper()
			sent, err := d.Letters.Emails(t.Context(), mail.Waiting, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range sent {
				if e.To != "ana@example.org" {
					t.Errorf("an email to %s", e.To)
				}
				texts = append(texts, e.Text)
			}
			return texts
		}
		remind(all, "/review?of=4&queue=waiting&reminded=1")
		sent := emails()
		if len(sent) != 1 || !strings.Contains(sent[0], "https://portal.example/resume/") || !strings.Contains(sent[0], "lang=es") {
			t.Fatalf("%q", sent)
		}
		_, page := d.get("/review?of=4&queue=waiting&reminded=1")
		if !strings.Contains(page, i18ntest.EN("review.remind.sent.one")) ||
			!strings.Contains(page, i18n.N(i18n.English, "review.remind.left_out", 3)) {
			t.Errorf("the list does not say what was sent:\n%s", page)
		}
		d.requirePage("/review/applications/"+waiting, i18ntest.EN("review.remind.last"))
		*d.now = noon.Add(23 * time.Hour)
		d.signInAs(secret, "")
		one := url.Values{"id": {waiting}, "back": {"application"}}
		remind(one, "/review/applications/"+waiting+"?of=1&reminded=0")
		*d.now = noon.Add(25 * time.Hour)
		d.signInAs(secret, "")
		remind(one, "/review/applications/"+waiting+"?of=1&reminded=1")
		if now := emails(); len(now) != 1 || now[0] == sent[0] {
			t.Errorf("the next day: %q", now)
		}
		d.as(Auditor).requirePost(403, "/review/remind", one) // by an auditor
		for _, bad := range []url.Values{{}, {"id": {"x"}}, {"id": {waiting}, "queue": {"x"}}} {
			if resp, _ := d.post("/review/remind", bad); resp.StatusCode != 400 {
				t.Errorf("reminding %v: %d", bad, resp.StatusCode)
			}
		}
		var n int
		if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM audit WHERE action = 'reminded'`).Scan(&n); err != nil || n != 2 {
			t.Errorf("%d entries of the audit log (%v)", n, err)
		}
	})
}
