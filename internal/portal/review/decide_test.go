package review

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/portal/resume"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// scored returns the sample report with a score and its reasons.
func scored(t *testing.T) []byte {
	t.Helper()
	body, err := report.ParseCashflow(sample(t))
	if err != nil {
		t.Fatal(err)
	}
	value := 512
	code := func(code, words string) report.AdverseCode { return report.AdverseCode{Code: code, Description: words} }
	body.Scores = []report.Score{
		{ScoreType: report.ScoreCashflow, ScoreVersion: "1.0.0", Value: &value,
			AdverseActionCodes: []report.AdverseCode{code("11", "Old reason")}},
		{ScoreType: report.ScoreCashflow, ScoreVersion: "2.0.0", Value: &value,
			AdverseActionCodes: []report.AdverseCode{code("11", "Balance too low"), code("22", "Returned <b>payments</b>"),
				code("33", "Third"), code("44", "Fourth"), code("55", "Fifth")}},
	}
	raw, err := report.Encode(body)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

var badDecisions = []struct {
	form   url.Values
	status int
	says   i18n.Key
}{
	{url.Values{"seen": {"0"}, "decision": {decisions.Declined}}, 422, "review.decide.no_reason"},
	{url.Values{"seen": {"0"}, "decision": {decisions.MoreAsked}}, 422, "review.decide.no_text"},
	{url.Values{"seen": {"0"}, "decision": {decisions.Declined}, "reason": {"11", "22", "33", "44", "55"}}, 422, "review.decide.too_many"},
	{url.Values{"seen": {"0"}, "decision": {decisions.Approved}, "text": {strings.Repeat("é", decisions.MaxText+1)}},
		422, "review.decide.too_long"},
	{url.Values{"seen": {"0"}, "decision": {decisions.Approved}, "text": {"a\x01b"}}, 422, "review.decide.too_long"},
	{url.Values{"seen": {"0"}, "decision": {decisions.Declined}, "reason": {"99"}}, 400, ""},
	{url.Values{"seen": {"0"}, "decision": {"maybe"}}, 400, ""},
	{url.Values{"seen": {"x"}, "decision": {decisions.Approved}}, 400, ""},
	{url.Values{"seen": {"-1"}, "decision": {decisions.Approved}}, 400, ""},
	{url.Values{"seen": {"1"}, "decision": {decisions.Approved}}, 409, "review.decide.late"},
}

func TestDecisionsApplyToTheVersionShown(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.keep(scored(t))
		d.signInAs(secret, "")
		other := d.as(Reviewer)
		d.run("bad decisions", func(_ *testing.T, d *testServer) {
			d.requireStatus(404, own+"/letter")
			for _, bad := range badDecisions {
				var says []string
				if bad.says != "" {
					says = append(says, i18ntest.EN(bad.says))
				}
				d.requirePost(bad.status, own+"/decision", bad.form, says...)
			}
			_, form, _ := strings.Cut(d.requirePage(own), "<aside")
			form, _, _ = strings.Cut(form, "</aside>")
			d.requireText("before a decision", form, i18ntest.EN("review.decide.none"), "Balance too low", "!Old reason",
				"Returned &lt;b&gt;payments&lt;/b&gt;")
		})
		d.run("decisions", func(t *testing.T, d *testServer) {
			if to := d.requirePost(303, own+"/decision", url.Values{"seen": {"0"}, "decision": {decisions.Declined},
				"reason": {"22", "11", "22"}, "text": {"First line\r\n<i>second</i>"}}); to != own+"?done=decided#decision" {
				t.Errorf("declining leads to %q", to)
			}
			// The other reviewer's page is outdated.
			other.requirePost(409, own+"/decision", url.Values{"seen": {"0"}, "decision": {decisions.Approved}, "text": {"mine stays typed"}},
				i18ntest.EN("review.decide.late"), "reviewer@example.com", "Declined", "mine stays typed", `name="seen" value="1"`,
				"&lt;i&gt;second&lt;/i&gt;")
			other.requirePost(303, own+"/decision", url.Values{"seen": {"1"}, "decision": {decisions.Escalated}})
			d.requireStatus(404, own+"/letter")
			d.requirePost(303, own+"/decision", url.Values{"seen": {"2"}, "decision": {decisions.Declined}, "reason": {"11", "22"},
				"text": {"In my own words."}})
			d.requirePage(own, i18ntest.EN("review.decide.before"), "Escalated", "(2)", "/letter")
			d.requirePage("/review?decision=declined", "order-7")
			lines, err := d.Applications.Timeline(t.Context(), appReady, int64(len(someLines)), 10)
			var kinds []string
			for _, l := range lines {
				kinds = append(kinds, l.Kind)
			}
			if want := []string{decisions.Declined, decisions.Escalated, decisions.Declined}; err != nil || !slices.Equal(kinds, want) {
				t.Errorf("the timeline has %q, want %q: %v", kinds, want, err)
			}
			var text []byte
			if err := db.SQL.QueryRow(`SELECT text FROM review_decisions WHERE seq = 1`).Scan(&text); err != nil ||
				strings.Contains(string(text), "line") {
				t.Errorf("kept in the clear: %q %v", text, err)
			}
		})
		d.run("letter", func(_ *testing.T, d *testServer) {
			d.requirePage(own+"/letter", "Zoë O’Hara-Núñez", "was declined", "Balance too low",
				"Returned &lt;b&gt;payments&lt;/b&gt;", "In my own words.", "512", i18ntest.EN("review.letter.rights"),
				"Equal Credit Opportunity Act", "order-7")
			d.requirePage(own+"/letter?lang=es", i18ntest.ES("review.letter.declined"), "512", i18ntest.ES("review.letter.rights"), "order-7",
				i18ntest.ES("review.letter.lacks.noRegulator"), "<code>--regulator</code>", "<strong>reports.example</strong>",
				i18ntest.ES("review.letter.lacks.noAgency"), "<code>--report-agency</code>",
				i18ntest.ES("review.letter.lacks.noCreditor"), "<code>--creditor</code>")
			d.Decisions.Creditor, d.Decisions.Regulator, d.Decisions.Agency = "Harbor Bank, 2 Pier Road, Boston, MA 02110",
				"Federal Trade Commission, Washington, DC 20580", "Amber Reports, 1 Main Street, Boston, MA 02101, 800-555-0100"
			d.requirePage(own+"/letter", "!<code>--", "Harbor Bank, 2 Pier Road, Boston, MA 02110",
				"<strong>Amber Reports, 1 Main Street, Boston, MA 02101, 800-555-0100</strong>",
				"administers compliance with this law concerning this creditor is Federal Trade Commission, Washington, DC 20580.")
		})
	})
}

func TestDecideConcurrently(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		const many = 8
		got := make(chan int, many)
		var wg sync.WaitGroup
		for range many {
			wg.Go(func() {
				resp, _ := d.post(own+"/decision", url.Values{"seen": {"0"}, "decision": {decisions.Approved}})
				got <- resp.StatusCode
			})
		}
		wg.Wait()
		close(got)
		counts := map[int]int{}
		for status := range got {
			counts[status]++
		}
		if counts[303] != 1 || counts[409] != many-1 {
			t.Errorf("answers = %v", counts)
		}
	})
}

func TestNotes(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		for _, bad := range []string{"", "  \r\n ", strings.Repeat("x", decisions.MaxText+1), "a\u202eb"} {
			if resp, page := d.post(own+"/notes", url.Values{"text": {bad}}); resp.StatusCode != 422 ||
				!strings.Contains(page, i18ntest.EN("review.notes.bad")) {
				t.Errorf("a note of %.20q: %d", bad, resp.StatusCode)
			}
		}
		if resp, _ := d.post(own+"/notes", url.Values{"text": {"Called <twice>\nno answer"}}); resp.Header.Get("Location") != own+
			"?done=noted#notes" {
			t.Errorf("a note leads to %q", resp.Header.Get("Location"))
		}
		_, page := d.get(own + "?done=noted&lang=es")
		d.requireText("a note", page, i18ntest.ES("review.notes.done"), "Called &lt;twice&gt;", "no answer", "reviewer@example.com")
		var text []byte
		if err := db.SQL.QueryRow(`SELECT text FROM review_notes`).Scan(&text); err != nil || strings.Contains(string(text), "Called") {
			t.Errorf("kept in the clear: %q %v", text, err)
		}
	})
}

// TestIncompleteLettersAreWithheld checks that a decline is emailed only after the
// legally required parts are configured, and that decisions not selected for email
// are not sent.
func TestIncompleteLettersAreWithheld(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	seen := 0
	decide := func(decision string) (sent []mail.Email, state resume.DecisionStatus) {
		t.Helper()
		form := url.Values{"seen": {strconv.Itoa(seen)}, "decision": {decision}, "text": {"In my own words."}}
		if resp, page := d.post(own+"/decision", form); resp.StatusCode != 303 {
			t.Fatalf("%s: %d\n%s", decision, resp.StatusCode, page)
		}
		seen++
		sent, err := d.Letters.Emails(t.Context(), mail.Waiting, 10)
		if err != nil {
			t.Fatal(err)
		}
		states, err := d.Letters.DecisionEmails(t.Context(), d.DB.SQL, appReady)
		if err != nil {
			t.Fatal(err)
		}
		if len(states) > 0 {
			state = states[len(states)-1]
		}
		return sent, state
	}
	withheld := func(decision string, want ...string) {
		t.Helper()
		sent, state := decide(decision)
		if state.Number != int64(seen) || state.Withheld != strings.Join(want, " ") || (len(want) > 0) != (len(sent) == 0) ||
			len(sent) == 1 && sent[0].To != "Zoe@Example.org" {
			t.Errorf("%s: %+v and %+v, want it withheld for %q", decision, sent, state, want)
		}
	}
	withheld(decisions.Declined, "noCreditor", "noRegulator", "noAgency")
	d.Decisions.Creditor, d.Decisions.Regulator, d.Decisions.Agency = "Harbor Bank, 2 Pier Road", "Federal Trade Commission", "Amber Reports"
	withheld(decisions.Declined)
	for lang, want := range map[i18n.Lang]string{i18n.English: "Sincerely,\nVestibule\nHarbor Bank, 2 Pier Road",
		i18n.Spanish: "Atentamente,"} {
		d.change(appReady, func(r *stored) { r.Lang = lang })
		sent, _ := decide(decisions.Declined)
		if len(sent) != 1 {
			t.Fatalf("%s: %+v", lang, sent)
		}
		if text := sent[0].Text; !strings.Contains(text, want) || !strings.Contains(text, "In my own words.") ||
			!strings.Contains(text, "Federal Trade Commission") ||
			strings.Contains(text, "/return") || sent[0].Subject == "" {
			t.Errorf("%s: %q\n%s", lang, sent[0].Subject, text)
		}
	}
	if _, state := decide(decisions.Escalated); state.Number != int64(seen)-1 {
		t.Errorf("an escalation has an email: %+v", state)
	}
	sent, _ := decide(decisions.MoreAsked)
	if len(sent) != 1 || !strings.Contains(sent[0].Text, "https://portal.example/resume/") ||
		!strings.Contains(sent[0].Text, "https://portal.example/return") {
		t.Fatalf("the email that asks for more: %+v", sent)
	}
	d.Decisions.Emails = []string{decisions.Approved}
	withheld(decisions.MoreAsked, "off")
	d.Letters.Mail, d.Letters.Environment = nil, contract.Production
	withheld(decisions.Approved, "noServer")
	if _, err := d.DB.SQL.Exec(`UPDATE emails SET failed_at = 1, withheld = '' WHERE decision = 2`); err != nil {
		t.Fatal(err)
	}
	_, page := d.get(own)
	d.requireText("the page", page, i18ntest.EN("review.email_states.withheld"),
		i18ntest.EN("review.email_withheld.noServer"), i18ntest.EN("review.email_states.failed"))
}

// TestLetterPreview checks that a preview shows the letter and stores nothing; a letter
// that applicants do not get has none.
func TestLetterPreview(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.keep(scored(t))
	d.signInAs(secret, "")
	form := url.Values{"seen": {"0"}, "decision": {decisions.Declined}, "reason": {"22", "99"}, "text": {"<i>In my words</i>"}}
	resp, page := d.post(own+"/preview", form)
	if resp.StatusCode != 200 {
		t.Fatalf("= %d", resp.StatusCode)
	}
	d.requireText("the page with the letter", page, i18ntest.EN("review.letter.preview"), "Returned &lt;b&gt;payments&lt;/b&gt;",
		"&lt;i&gt;In my words&lt;/i&gt;", i18ntest.EN("review.letter.rights"), i18ntest.EN("review.decide.none"), `name="text"`)
	form.Set("part", "letter")
	resp, part := d.post(own+"/preview", form)
	if resp.StatusCode != 200 || strings.Contains(part, "<html") || !strings.Contains(part, i18ntest.EN("review.letter.rights")) {
		t.Errorf("the letter alone = %d\n%s", resp.StatusCode, part)
	}
	for name, change := range map[string]url.Values{
		"an escalation": {"decision": {decisions.Escalated}}, "no decision": {"decision": {""}},
		"a text that is too long": {"text": {strings.Repeat("é", decisions.MaxText+1)}},
	} {
		in := url.Values{"seen": {"0"}, "decision": {decisions.Declined}, "part": {"letter"}}
		for k, v := range change {
			in[k] = v
		}
		if resp, part := d.post(own+"/preview", in); resp.StatusCode != 200 || strings.TrimSpace(part) != "" {
			t.Errorf("%s = %d %q", name, resp.StatusCode, part)
		}
	}
	d.requirePage(own, i18ntest.EN("review.decide.none")) // a preview is not stored
	d.requireStatus(303, own+"/preview")                  // a reload of the preview
}
