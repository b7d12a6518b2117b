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
		b, admin := r.browser(), r.signedInAdmin()
		b.get("/?lang=es")
		a := b.apply()
		id := strings.TrimPrefix(a, "/applications/")
		own := "/review/applications/" + id
		first := r.ready(b, a)
		if p := b.post(a+"/restart", nil); p.location != a || b.api(id)["resumable"] != false {
			t.Fatalf("without being asked, it is begun again: %d to %q", p.status, p.location)
		}
		asks := url.Values{"seen": {"0"}, "decision": {"moreAsked"}, "text": {"Conecte su cuenta de ahorros.\nGracias."}}
		if p := admin.post(own+"/decision", asks); p.status != 303 {
			t.Fatalf("asking: %d\n%s", p.status, p.body)
		}
		p := b.get(a)
		for _, want := range []string{i18ntest.ES("status.more_needed.title"), i18ntest.ES("status.asked"),
			"Conecte su cuenta de ahorros.", a + "/restart", "Continuar"} {
			if !strings.Contains(p.body, want) {
				t.Errorf("the page lacks %q:\n%s", want, p.body)
			}
		}
		if strings.Contains(p.body, "No necesita hacer nada") || !strings.Contains(b.get("/").body, a) {
			t.Errorf("the page says that nothing is needed:\n%s", p.body)
		}
		if got := b.api(id); got["state"] != "ready" || got["resumable"] != true || got["decision"].(map[string]any)["answeredAt"] != nil {
			t.Errorf("by the API: %v", got)
		}
		letters := strings.Join(r.letters(), "\n")
		link := resumeLink.FindString(letters)
		if !strings.Contains(letters, i18ntest.ES("review.letter.more")) ||
			!strings.Contains(letters, "Conecte su cuenta de ahorros.") || link == "" {
			t.Fatalf("the email:\n%s", letters)
		}
		if p := admin.get("/review?queue=waiting"); !strings.Contains(p.body, own) || strings.Contains(p.body, "Answered") {
			t.Errorf("the list, while it is not answered:\n%s", p.body)
		}
		if p := admin.get(own); !strings.Contains(p.body, i18ntest.EN("review.asked.open")) ||
			!strings.Contains(p.body, i18ntest.EN("review.email_states.outbox")) {
			t.Errorf("the reviewer's page:\n%s", p.body)
		}

		phone := r.browser()
		if p := phone.post(link, nil); p.location != a {
			t.Fatalf("by the email's link: %d to %q", p.status, p.location)
		}
		if p := phone.post(a+"/restart", nil); p.location != a+"/connect" {
			t.Fatalf("giving more: %d to %q", p.status, p.location)
		}
		if p := admin.get(own + "/report"); p.status != 200 {
			t.Errorf("the report is gone while the next is made: %d", p.status)
		}
		if p := phone.get(a); strings.Contains(p.body, "Conecte su cuenta") == false {
			t.Errorf("while it is given, the page does not say what is:\n%s", p.body)
		}
		// Late events of the first attempt change nothing.
		r.webhook(id, first, contract.StatusSuccess)
		r.webhook(id, first, contract.StatusError)
		second := r.ready(phone, a)
		if got := b.api(id); got["resumable"] != false || got["publicToken"] != second || got["decision"].(map[string]any)["answeredAt"] == nil {
			t.Errorf("answered, by the API: %v", got)
		}
		answered := i18ntest.ES("status.answered.text", "company", i18ntest.ES("landing.company"))
		if p := b.get(a); !strings.Contains(p.body, answered) || strings.Contains(p.body, "Conecte su cuenta") {
			t.Errorf("the page after it was given:\n%s", p.body)
		}
		if p := admin.get(own); !strings.Contains(p.body, i18ntest.EN("review.asked.answered")) ||
			!strings.Contains(p.body, own+"/report.json?attempt=1") {
			t.Errorf("the reviewer's page after it was given:\n%s", p.body)
		}
		for lang, want := range map[string]string{"en": "Answered", "es": "Respondida"} {
			if p := admin.get("/review?lang=" + lang); !strings.Contains(p.body, want) {
				t.Errorf("the list in %s does not say that it was answered:\n%s", lang, p.body)
			}
		}
		admin.get("/review?lang=en")
		for path, token := range map[string]string{"": second, "?attempt=1": first, "?attempt=2": second} {
			if p := admin.get(own + "/report.json" + path); p.status != 200 || !strings.Contains(p.body, token) {
				t.Errorf("report.json%s: %d\n%s", path, p.status, p.body)
			}
		}
		if p := admin.get(own + "/report.json?attempt=3"); p.status == 200 {
			t.Errorf("a report that is not there: %d", p.status)
		}
		if p := b.post(a+"/restart", nil); p.location != a {
			t.Errorf("what was answered is begun again: %d to %q", p.status, p.location)
		}
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
		if p := admin.post(own+"/decision", url.Values{"seen": {"0"}, "decision": {"declined"}, "text": {"Income too low."}}); p.status != 303 {
			t.Fatalf("declining: %d", p.status)
		}
		if p := b.get(a); !strings.Contains(p.body, i18ntest.EN("status.declined.title")) ||
			strings.Contains(p.body, "Income too low") || strings.Contains(p.body, "/restart") {
			t.Errorf("the page of who was declined:\n%s", p.body)
		}
		letters := strings.Join(r.letters(), "\n")
		for _, want := range []string{"canaria@example.com", i18ntest.EN("status.declined.title"), "Income too low.",
			"Equal Credit Opportunity Act", i18ntest.EN("review.letter.rights"), "[" + i18ntest.EN("review.letter.lacks.noCreditor")} {
			if !strings.Contains(letters, want) {
				t.Errorf("the letter lacks %q:\n%s", want, letters)
			}
		}
		company := i18ntest.EN("landing.company")
		if p := admin.get(own); !strings.Contains(p.body, i18ntest.EN("status.declined.title")+". "+
			i18ntest.EN("status.declined.text", "company", company)) ||
			strings.Contains(p.body, i18ntest.EN("status.answered.text", "company", company)) {
			t.Errorf("what the applicant reads, on the reviewer's page:\n%s", p.body)
		}
		if p := admin.post(own+"/decision", url.Values{"seen": {"1"}, "decision": {"approved"}, "text": {"for colleagues"}}); p.status != 303 {
			t.Fatalf("approving: %d", p.status)
		}
		if p := b.get(a); !strings.Contains(p.body, i18ntest.EN("status.approved.title")) {
			t.Errorf("the page of who was approved:\n%s", p.body)
		}
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
		if p := b.get(a); strings.Contains(p.body, "was declined") {
			t.Errorf("the page shows what it must not show:\n%s", p.body)
		}
		if p := admin.get(own); strings.Contains(p.body, "was declined") {
			t.Errorf("the reviewer's page says that the applicant reads it:\n%s", p.body)
		}
		if p := admin.get(own); !strings.Contains(p.body, "wasn’t sent") || !strings.Contains(p.body, "--decision-emails") {
			t.Errorf("the page does not say so:\n%s", p.body)
		}
		if p := admin.get("/review/letters"); strings.Contains(p.body, "Income too low") {
			t.Errorf("a letter was written:\n%s", p.body)
		}
		if p := admin.get("/review/audit?action=letterWithheld"); !strings.Contains(p.body, i18ntest.EN("review.audit.details.off")) {
			t.Errorf("the trail:\n%s", p.body)
		}
	})
}
