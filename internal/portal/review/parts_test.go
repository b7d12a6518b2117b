package review

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/journey"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/portal/review/deletion"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

// part asks as a page's script for the part of the page that it keeps current.
func (d *testServer) part(path, tag string) (*http.Response, string) {
	d.t.Helper()
	req, err := http.NewRequest("GET", d.srv.URL+path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set(httpx.PartHeader, "review")
	req.Header.Set("If-None-Match", tag)
	return d.do(req)
}

// TestPartsForScripts keeps pages open while what they show changes.
func TestPartsForScripts(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.Events.URL = "https://app.example.com/webhooks"
		d.signInAs(secret, "")
		delivery := d.happen(journey.Ready, 1)
		for _, x := range []struct {
			path   string
			change func()
		}{
			{"/review/events", func() { d.happen(journey.Failed, 2) }},
			{"/review/events/" + delivery, func() { d.sent(delivery, webhook.StateDelivered, webhook.Result{HTTP: 204}) }},
			{"/review/people", func() { d.invite("new@example.com", Auditor) }},
			{"/review/audit", func() { d.get(own) }},
			{"/review/letters", func() {
				d.post(own+"/decision", url.Values{"seen": {"0"}, "decision": {decisions.Approved}})
				if _, err := db.SQL.Exec(`UPDATE emails SET failed_at = 1, body = NULL`); err != nil {
					t.Fatal(err)
				}
			}},
			{"/review/deletions", func() {
				d.post("/review/applications/"+appStarted+"/delete", url.Values{"id": {appStarted}, "cause": {deletion.ByTest}, "sure": {"yes"}})
			}},
		} {
			path := x.path
			if _, page := d.get(path); !strings.Contains(page, `data-page="`) || !strings.Contains(page, `id="live-part"`) ||
				!strings.Contains(page, `id="live"`) {
				t.Errorf("%s has nothing for its script:\n%s", path, page)
			}
			resp, part := d.part(path, "")
			tag := resp.Header.Get("ETag")
			if resp.StatusCode != 200 || !strings.HasPrefix(strings.TrimSpace(part), "<div") || strings.Contains(part, "<main") ||
				!strings.Contains(part, `id="live-part"`) || tag == "" {
				t.Fatalf("the part of %s: %d %s", path, resp.StatusCode, part)
			}
			if resp, again := d.part(path, tag); resp.StatusCode != 304 || again != "" {
				t.Errorf("%s, unchanged: %d %s", path, resp.StatusCode, again)
			}
			x.change()
			if resp, changed := d.part(path, tag); resp.StatusCode != 200 || changed == part {
				t.Errorf("%s, changed: %d %s", path, resp.StatusCode, changed)
			}
		}
		var n int
		if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM audit WHERE action = 'auditRead'`).Scan(&n); err != nil || n != 1 {
			t.Errorf("the trail was read once, and has %d entries of it (%v)", n, err)
		}
		for range 3 {
			d.part("/review/letters", "")
		}
		if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM audit WHERE detail = 'undelivered'`).Scan(&n); err != nil || n != 1 {
			t.Errorf("undelivered emails were read by an open page, and there are %d entries (%v)", n, err)
		}
		d.part("/review/audit?application="+appStarted, "")
		if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM audit WHERE action = 'auditRead'`).Scan(&n); err != nil || n != 2 {
			t.Errorf("another trail was read without its page, and there are %d entries (%v)", n, err)
		}
		if resp, _ := d.browser().part("/review/audit", ""); resp.StatusCode != 303 {
			t.Errorf("signed out: %d", resp.StatusCode)
		}
		if resp, _ := d.as(Reviewer).part("/review/audit", ""); resp.StatusCode != 403 {
			t.Errorf("a reviewer asks for the trail: %d", resp.StatusCode)
		}
	})
}

// TestPeekIsAPartOfThePage asks for what the list shows of an application: parts of its page,
// for the same users and with the same entries in the trail.
func TestPeekIsAPartOfThePage(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		entries := func() (n int) {
			if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM audit WHERE action IN ('opened', 'reportViewed')`).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		_, whole := d.get(own)
		before := entries()
		resp, part := d.part(own, "")
		if resp.StatusCode != 200 || before != 2 || entries() != 2*before {
			t.Errorf("%d, and %d entries after %d of the page", resp.StatusCode, entries(), before)
		}
		for _, want := range []string{`id="verdict"`, `class="finding`, `class="case-about"`, `class="decision-form`, `id="note"`,
			`class="assignment`} {
			if !strings.Contains(part, want) || !strings.Contains(whole, want) {
				t.Errorf("the part or the page lacks %s", want)
			}
		}
		for _, not := range []string{"<main", "<h1", "<aside", "data-sections", "/shares"} {
			if strings.Contains(part, not) || !strings.Contains(whole, not) {
				t.Errorf("the part has %s, or the page lacks it", not)
			}
		}
		if _, waiting := d.part("/review/applications/"+appStarted, ""); !strings.Contains(waiting, i18ntest.EN("review.awaited.started")) {
			t.Errorf("without a report: %s", waiting)
		}
		if resp, _ := d.part("/review/applications/"+appOld, ""); resp.StatusCode != 404 {
			t.Errorf("an unknown application: %d", resp.StatusCode)
		}
		if resp, _ := d.browser().part(own, ""); resp.StatusCode != 303 {
			t.Errorf("signed out: %d", resp.StatusCode)
		}
	})
}

// TestPeekDecides sends the forms of the panel beside the list: they are those of the page, with
// the same check for decisions that the reviewer has not seen, and the same roles.
func TestPeekDecides(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		const in = "?list=queue%3Ddecide"
		older := "bbbbbbbb-0000-4000-8000-000000000002"
		d.add(stored{Application: one(older, contract.Income, journey.Ready, noon.AddDate(0, 0, -1), noon)})
		auditor := d.as(Auditor)
		count := func(query string) (n int) {
			t.Helper()
			if err := db.SQL.QueryRow(query).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		if _, part := auditor.part(own+in, ""); strings.Contains(part, `class="decision-form`) || strings.Contains(part, `id="note"`) ||
			!strings.Contains(part, `id="decision"`) {
			t.Errorf("an auditor is offered forms: %s", part)
		}
		for path, form := range map[string]url.Values{
			own + "/decision": {"seen": {"0"}, "decision": {decisions.Approved}}, own + "/notes": {"text": {"a note"}},
			"/review/assign": {"id": {appReady}, "do": {"take"}, "back": {"application"}},
		} {
			if resp, _ := auditor.postPart(path+in, form); resp.StatusCode != 403 {
				t.Errorf("an auditor sends %s: %d", path, resp.StatusCode)
			}
		}

		refused, part := d.postPart(own+"/decision"+in, url.Values{"seen": {"0"}, "decision": {decisions.MoreAsked}})
		d.requireText("a refused decision", part, i18ntest.EN("review.decide.no_text"))
		if refused.StatusCode != 422 || strings.Contains(part, "<main") {
			t.Errorf("a refused decision: %d", refused.StatusCode)
		}
		form := url.Values{"seen": {"0"}, "decision": {decisions.Approved}}
		resp, _ := d.postPart(own+"/decision"+in, form)
		to, _, _ := strings.Cut(resp.Header.Get("Location"), "#")
		if resp.StatusCode != 303 || !strings.HasPrefix(to, own+"?done=decided") {
			t.Fatalf("a decision: %d, to %q", resp.StatusCode, to)
		}
		_, part = d.part(to, "")
		d.requireText("after the decision", part, i18ntest.EN("review.decide.done"), i18ntest.EN("review.decide.next"),
			`href="/review/applications/`+older+"?list=queue%3Ddecide", `name="seen" value="1"`)

		// Sent again, or by a reviewer who has not seen it, it is not recorded.
		form.Set("decision", decisions.Declined)
		form.Set("text", "Written before.")
		late, part := d.postPart(own+"/decision"+in, form)
		if late.StatusCode != 409 || strings.Contains(part, "<main") {
			t.Errorf("a late decision: %d", late.StatusCode)
		}
		d.requireText("a late decision", part, i18ntest.EN("review.decide.late_own"), "Written before.", `name="seen" value="1"`)
		if n := count(`SELECT COUNT(*) FROM review_decisions`); n != 1 {
			t.Errorf("there are %d decisions", n)
		}
		if n := count(`SELECT COUNT(*) FROM audit WHERE action = 'decided'`); n != 1 {
			t.Errorf("the trail has %d decisions", n)
		}

		d.postPart(own+"/notes"+in, url.Values{"text": {"Called."}})
		resp, _ = d.postPart("/review/assign"+in,
			url.Values{"assign": {appReady + "."}, "id": {appReady}, "back": {"application"}})
		if _, part = d.part(resp.Header.Get("Location"), ""); !strings.Contains(part, "Called.") {
			t.Errorf("after a note and an assignment, to %q: %s", resp.Header.Get("Location"), part)
		}
	})
}

// postPart sends a form as the list's script does.
func (d *testServer) postPart(path string, form url.Values) (*http.Response, string) {
	d.t.Helper()
	req, err := http.NewRequest("POST", d.srv.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set(httpx.PartHeader, "review")
	return d.do(req)
}

// TestErrorPages shows users errors in their own words, with the menu and a way back.
func TestErrorPages(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	for path, status := range map[string]int{
		"/review/nothing": 404, "/review/": 404, "/review/applications/" + appOld: 404, "/review/applications/x/report": 404,
		own + "/compare?with=" + appOld: 404, "/review?state=x": 404, "/review/events/" + appOld: 404,
	} {
		resp, page := d.get(path)
		if resp.StatusCode != status {
			t.Errorf("GET %s = %d, want %d", path, resp.StatusCode, status)
		}
		d.requireText(path, page, i18ntest.EN("review.not_found.title"), i18ntest.EN("review.menu.back"), `href="/review/overview"`)
	}
	resp, page := d.get("/review/assign")
	if d.requireText("the address of a form", page, i18ntest.EN("notice.method.title"), `href="/review/overview"`); resp.StatusCode != 405 {
		t.Errorf("the address of a form: %d", resp.StatusCode)
	}
	resp, page = d.post("/review/filters", url.Values{"name": {""}})
	if d.requireText("a form that no page has", page, i18ntest.EN("notice.bad_request.title"),
		`href="/review/overview"`); resp.StatusCode != 400 {
		t.Errorf("a form that no page has: %d", resp.StatusCode)
	}
	if resp, _ := d.browser().get("/review/nothing"); resp.Header.Get("Location") != "/review/sign-in?next=%2Freview%2Fnothing" {
		t.Errorf("signed out, a page that does not exist leads to %q", resp.Header.Get("Location"))
	}
}

// TestNext goes through the applications to decide, from the newest to the oldest and again.
func TestNext(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		next := func(id string) string {
			resp, _ := d.get("/review/applications/" + id + "/next")
			return resp.Header.Get("Location")
		}
		if to := next(appReady); to != "/review?queue=decide" {
			t.Errorf("after the only one: %q", to)
		}
		ids := []string{"bbbbbbbb-0000-4000-8000-000000000001", appReady, "bbbbbbbb-0000-4000-8000-000000000002"}
		d.add(stored{Application: one(ids[0], contract.Income, journey.Ready, noon.AddDate(0, 0, 1), noon)})
		d.add(stored{Application: one(ids[2], contract.Income, journey.Ready, noon.AddDate(0, 0, -1), noon)})
		for i, id := range ids {
			if to := next(id); to != "/review/applications/"+ids[(i+1)%len(ids)] {
				t.Errorf("after the application %d: %q", i, to)
			}
		}
		if to := next(appStarted); to == "/review/applications/"+appStarted || !strings.HasPrefix(to, "/review/applications/") {
			t.Errorf("after one that is not in the queue: %q", to)
		}
	})
}
