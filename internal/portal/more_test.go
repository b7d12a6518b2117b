package portal_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/portal"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

var resumeLink = regexp.MustCompile(`(/resume/[A-Za-z0-9_-]+(\?lang=[a-z]+)?)`)

// ready completes an application of b up to its report, and returns the report's
// publicToken.
func (r *testServer) ready(b *browser, address string) (token string) {
	r.t.Helper()
	b.get(address + "/connect")
	externalID, token := r.provider.finish(contract.StatusSuccess)
	if got := r.webhook(externalID, token, contract.StatusSuccess); got != 204 {
		r.t.Fatalf("webhook: %d", got)
	}
	b.follow(address, "ready")
	return token
}

func (b *browser) api(path string) map[string]any {
	b.r.t.Helper()
	p := b.do("GET", "/api/v1/applications/"+path, "", "", "Authorization", "Bearer "+apiKey)
	var out map[string]any
	if err := json.Unmarshal([]byte(p.body), &out); err != nil || p.status != 200 {
		b.r.t.Fatalf("%s: %d, %v\n%s", path, p.status, err, p.body)
	}
	return out
}

// TestRequestForMore asks for more after a report: the email and the page show
// the request, another browser continues by the email's link, and the new report is
// the answer, stored next to the earlier one.
func TestRequestForMore(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		b, admin, phone := r.browser(), r.signedInAdmin(), r.browser()
		b.get("/?lang=es")
		a := b.apply()
		id := strings.TrimPrefix(a, "/applications/")
		own := "/review" + a
		first, second := r.ready(b, a), ""
		requireAPI := func(t *testing.T, publicToken string, resumable, answered bool) {
			t.Helper()
			got := b.api(id)
			decision, _ := got["decision"].(map[string]any)
			if got["state"] != "ready" || got["publicToken"] != publicToken || got["resumable"] != resumable ||
				(decision["answeredAt"] != nil) != answered {
				t.Errorf("by the API: %v", got)
			}
		}
		t.Run("asking", func(t *testing.T) {
			requireAPI(t, first, false, false)
			b.post(a+"/restart", nil).requireRedirect(t, "begun again without being asked", a)
			asks := url.Values{"seen": {"0"}, "decision": {"moreAsked"}, "text": {"Conecte su cuenta de ahorros.\nGracias."}}
			admin.post(own+"/decision", asks).require(t, "asking", 303)
			requireAPI(t, first, true, false)
			b.get(a).require(t, "the page", 200, i18ntest.ES("status.more_needed.title"), i18ntest.ES("status.asked"),
				"Conecte su cuenta de ahorros.", a+"/restart", "Continuar", "!No necesita hacer nada")
			b.get("/").require(t, "the first page", 200, a)
			admin.get("/review?queue=waiting").require(t, "the list, while it is not answered", 200, own, "!Answered")
			admin.get(own).require(t, "the reviewer's page", 200, i18ntest.EN("review.asked.open"),
				i18ntest.EN("review.email_states.outbox"))
		})
		t.Run("answering on a phone", func(t *testing.T) {
			letters := page{body: strings.Join(r.letters(), "\n")}
			letters.require(t, "the email", 0, i18ntest.ES("review.letter.more"), "Conecte su cuenta de ahorros.")
			phone.post(resumeLink.FindString(letters.body), nil).requireRedirect(t, "by the email's link", a)
			phone.post(a+"/restart", nil).requireRedirect(t, "giving more", a+"/connect")
			admin.get(own+"/report").require(t, "the report, while the next is made", 200)
			phone.get(a).require(t, "the page, while it is given", 200, "Conecte su cuenta")
			// Late events of the first attempt change nothing.
			r.webhook(id, first, contract.StatusSuccess)
			r.webhook(id, first, contract.StatusError)
			second = r.ready(phone, a)
			requireAPI(t, second, false, true)
			b.get(a).require(t, "the page after it was given", 200,
				i18ntest.ES("status.answered.text", "company", i18ntest.ES("landing.company")), "!Conecte su cuenta")
			b.post(a+"/restart", nil).requireRedirect(t, "what was answered is begun again", a)
		})
		t.Run("reading the answer", func(t *testing.T) {
			admin.get(own).require(t, "the reviewer's page after it was given", 200, i18ntest.EN("review.asked.answered"),
				own+"/report.json?attempt=1")
			admin.get("/review?lang=es").require(t, "the list in Spanish", 200, "Respondida")
			admin.get("/review?lang=en").require(t, "the list", 200, "Answered")
			for path, token := range map[string]string{"": second, "?attempt=1": first, "?attempt=2": second} {
				admin.get(own+"/report.json"+path).require(t, "report.json"+path, 200, token)
			}
			admin.get(own+"/report.json?attempt=3").require(t, "a report that is not there", 404)
		})
		if r.provider.fetched() != 2 {
			t.Errorf("%d reports were fetched", r.provider.fetched())
		}
		if strings.Contains(r.log.String(), "ahorros") || strings.Contains(r.log.String(), "canaria@example.com") {
			t.Error("the log has something personal")
		}
	})
}

// TestShowsDecisionsToApplicants declines and approves: applicants learn of it by page
// and email, as configured.
func TestShowsDecisionsToApplicants(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		b, admin := r.browser(), r.signedInAdmin()
		a := b.apply()
		own := "/review" + a
		r.ready(b, a)
		admin.post(own+"/decision", url.Values{"seen": {"0"}, "decision": {"declined"}, "text": {"Income too low."}}).require(t, "declining", 303)
		b.get(a).require(t, "the page of who was declined", 200, i18ntest.EN("status.declined.title"), "!Income too low", "!/restart")
		letters := strings.Join(r.letters(), "\n")
		for _, want := range []string{"canaria@example.com", i18ntest.EN("status.declined.title"), "Income too low.",
			"Equal Credit Opportunity Act", i18ntest.EN("review.letter.rights"), "[" + i18ntest.EN("review.letter.lacks.noCreditor")} {
			if !strings.Contains(letters, want) {
				t.Errorf("the letter lacks %q:\n%s", want, letters)
			}
		}
		company := i18ntest.EN("landing.company")
		admin.get(own).require(t, "what the applicant reads, on the reviewer's page", 200,
			i18ntest.EN("status.declined.title")+". "+i18ntest.EN("status.declined.text", "company", company),
			"!"+i18ntest.EN("status.answered.text", "company", company))
		admin.post(own+"/decision", url.Values{"seen": {"1"}, "decision": {"approved"}, "text": {"for colleagues"}}).require(t, "approving", 303)
		b.get(a).require(t, "the page of who was approved", 200, i18ntest.EN("status.approved.title"))
		if letters := admin.get("/review/letters").body; strings.Contains(letters, "for colleagues") ||
			!strings.Contains(letters, i18ntest.EN("review.letter.yes")) {
			t.Errorf("the letters:\n%s", letters)
		}
	})
	t.Run("without email and page", func(t *testing.T) {
		r := newTestServer(t, storetest.SQLite(t, store.Portal), func(c *portal.Config) {
			c.Review.DecisionEmails, c.Review.DecisionPages = []string{"approved"}, []string{}
		})
		b, admin := r.browser(), r.signedInAdmin()
		a := b.apply()
		own := "/review" + a
		admin.post(own+"/decision", url.Values{"seen": {"0"}, "decision": {"declined"}, "text": {"Income too low."}})
		b.get(a).require(t, "the page without decisions", 200, "!was declined")
		admin.get(own).require(t, "the reviewer's page", 200, "!was declined", "wasn’t sent", "--decision-emails")
		admin.get("/review/letters").require(t, "the letters", 200, "!Income too low")
		admin.get("/review/audit?action=letterWithheld").require(t, "the trail", 200, i18ntest.EN("review.audit.details.off"))
	})
}
