package review

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"vestibule/internal/console"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/staff"
	"vestibule/internal/testutil/i18ntest"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// TestAuditSentences says each action in a sentence, with links to what it is about.
func TestAuditSentences(t *testing.T) {
	const user = "11111111-0000-4000-8000-000000000000"
	text := regexp.MustCompile(`(?s)<span class="sentence">(.*?)</span>`)
	for _, l := range []i18n.Lang{i18n.English, i18n.Spanish} {
		for _, action := range audit.Actions {
			x := console.Line{Entry: staff.Entry{At: noon, Actor: user, Action: action, Subject: appReady}, By: "ann@example.com"}
			switch action {
			case audit.Compared:
				x.Object = appStarted
			case audit.EventSent:
				x.Object = "application.ready"
			case audit.Assigned:
				x.Of, x.Object, x.Detail = "bob@example.com", user, audit.Given
			}
			said := sentenceOf(t, l, x, text)
			if strings.ContainsAny(said, "{}") || !strings.Contains(said, " ") || said == i18n.Code(l, "review.actions", action) {
				t.Errorf("%s in %s is no sentence: %s", action, l, said)
			}
			if _, ok := i18n.Find(l, "review.audit.said", action); !ok {
				t.Errorf("%s has no sentence in %s", action, l)
			}
			if !strings.Contains(pages.AuditWords(l, action), i18n.Code(l, "review.actions", action)) {
				t.Errorf("a search in %s does not find %s by its name", l, action)
			}
		}
	}
	for want, x := range map[string]console.Line{
		`<a class="said" href="/review/audit?actor=` + user + `">ann@example.com</a> assigned application ` +
			`<a class="said" href="/review/applications/` + appReady + `">` + appReady[:8] +
			`</a> to <strong class="said">bob@example.com</strong>`: {
			By: "ann@example.com", Entry: staff.Entry{Actor: user, Action: audit.Assigned, Subject: appReady, Object: "bob@example.com",
				Detail: audit.Given}},
		`<strong class="said">An unknown user</strong> failed to sign in (<strong class="said">with password</strong>)`: {
			Entry: staff.Entry{Action: "signInFailed", Detail: "password"}},
		`<strong class="said">&lt;i&gt;</strong> decided application <a class="said" href="/review/applications/` + appReady +
			`#decision">` + appReady[:8] + `</a>: <strong class="said">Declined</strong>`: {
			Entry: staff.Entry{Actor: "<i>", Action: "decided", Detail: "declined", Subject: appReady}},
		`<strong class="said">ann</strong> changed <strong class="said">bob</strong>: ` +
			`<strong class="said">Role: Reviewer → Administrator</strong>`: {Entry: staff.Entry{Actor: "ann", Action: "personChanged", Object: "bob",
			Detail: "administrator", Values: []staff.Value{{Setting: staff.SettingRole, Before: "reviewer", After: "administrator"}}}},
		`<strong class="said">ann</strong> changed <strong class="said">bob</strong>: ` +
			`<strong class="said">Administrator</strong>`: {Entry: staff.Entry{Actor: "ann", Action: "personChanged", Object: "bob",
			Detail: "administrator"}},
		`<strong class="said">ann</strong>: later`: {Entry: staff.Entry{Actor: "ann", Action: "later"}}, // of another version
	} {
		if said := sentenceOf(t, i18n.English, x, text); said != want {
			t.Errorf("%s is said as\n%s\nwant\n%s", x.Action, said, want)
		}
	}
}

// TestAuditRuns folds entries like the newest behind their number.
func TestAuditRuns(t *testing.T) {
	line := console.Line{Entry: staff.Entry{At: noon, Actor: "ann@example.com", Action: "listed", RequestID: "request-1"}}
	older := line
	older.At, older.RequestID = noon.Add(-50*time.Minute), "request-2"
	line.More = []console.Line{older}
	var page strings.Builder
	v := pages.AuditView{Log: console.Log{Lines: []console.Line{line}, Count: 2}}
	if err := pages.Audit(ui.Page{Lang: i18n.English}, v).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	_, folded, _ := strings.Cut(page.String(), i18ntest.EN("ui.run.one", "time", older.At.UTC().Format("15:04")))
	if !strings.Contains(folded, older.At.UTC().Format(time.TimeOnly)) || !strings.Contains(folded, "request-2") ||
		strings.Count(page.String(), `class="sentence"`) != 2 {
		t.Errorf("the older entry is not behind the newest: %s", page.String())
	}
}

// sentenceOf returns the HTML of an entry's sentence on the page.
func sentenceOf(t *testing.T, l i18n.Lang, x console.Line, text *regexp.Regexp) string {
	t.Helper()
	var page strings.Builder
	view := pages.AuditView{Log: console.Log{Lines: []console.Line{x}}}
	if err := pages.Audit(ui.Page{Lang: l}, view).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	m := text.FindStringSubmatch(page.String())
	if m == nil {
		t.Fatalf("%s has no sentence:\n%s", x.Action, page.String())
	}
	return m[1]
}
