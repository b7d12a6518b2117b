package review

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/console"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/portal/review/deletion"
	"vestibule/internal/portal/review/sharing"
	"vestibule/internal/portal/review/spreadsheet"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// as returns a browser in which a new user of a role has signed in with the link
// shown to an administrator.
func (d *testServer) as(role staff.Role) *testServer {
	d.t.Helper()
	out := d.browser()
	link := d.invite(string(role)+uuid.NewString()[:8]+"@example.com", role)
	if resp, page := out.post(link, url.Values{"password": {secret}}); resp.StatusCode != 303 || resp.Header.Get("Location") != "/review" {
		d.t.Fatalf("choosing a password: %d %s", resp.StatusCode, page)
	}
	return out
}

var passwordLink = regexp.MustCompile(`https://portal\.example(/review/set-password/[A-Za-z0-9_-]{43})<`)

// invite adds a user and returns the path of the link.
func (d *testServer) invite(email string, role staff.Role) string {
	d.t.Helper()
	resp, page := d.post("/review/people", url.Values{"email": {email}, "role": {string(role)}})
	found := passwordLink.FindStringSubmatch(page)
	if resp.StatusCode != 200 || found == nil {
		d.t.Fatalf("adding a person: %d %s", resp.StatusCode, page)
	}
	return found[1]
}

var (
	// routeForms are sent to the routes.
	routeForms = map[string]url.Values{
		"POST /review/find":                       {"query": {"order"}},
		"POST /review/assign":                     {"id": {appReady}, "do": {"take"}},
		"POST /review/remind":                     {"id": {appReady}},
		"POST /review/export":                     {"id": {appReady}},
		"POST /review/live":                       {"row": {appReady + ".x"}},
		"POST /review/density":                    {"density": {console.Dense}, "back": {"/review"}},
		"POST /review/columns":                    {"column": {"state"}},
		"POST /review/filters":                    {"name": {"a filter"}},
		"POST /review/filters/{id}":               {"do": {"later"}},
		"POST /review/applications/{id}/shares":   {"publicId": {"svc-other"}},
		"POST /review/applications/{id}/decision": {"seen": {"99"}, "decision": {decisions.Approved}},
		"POST /review/applications/{id}/preview":  {"seen": {"0"}, "decision": {decisions.Approved}},
		"POST /review/applications/{id}/notes":    {"text": {"a note"}},
		"POST /review/applications/{id}/delete":   {"id": {appStarted}, "cause": {deletion.ByTest}},
		"POST /review/audit":                      {"query": {"x"}},
		"POST /review/people":                     {"email": {"x"}, "role": {string(Auditor)}},
		"POST /review/people/{id}":                {"do": {"enable"}},
		"POST /review/second-factor":              {"do": {"add"}},
		"POST /review/shares/{id}/withdraw":       {},
	}
	// routeRoles are the users of each route: R reviewer, A administrator, U auditor.
	routeRoles = map[string]string{
		"GET /review": "RAU", "GET /review/overview": "RAU", "GET /review/find": "RAU", "POST /review/find": "RAU", "POST /review/assign": "RA-",
		"POST /review/remind": "RA-", "POST /review/export": "RAU",
		"POST /review/live": "RAU", "POST /review/density": "RAU", "POST /review/columns": "RAU", "POST /review/filters": "RAU",
		"POST /review/filters/{id}": "RAU", "GET /review/applications/{id}/next": "RAU",
		"GET /review/applications/{id}": "RAU", "GET /review/applications/{id}/report": "RAU",
		"GET /review/applications/{id}/report.json": "RAU", "GET /review/applications/{id}/report.pdf": "RAU",
		"GET /review/applications/{id}/report.csv": "RAU", "GET /review/applications/{id}/months.csv": "RAU",
		"GET /review/applications/{id}/files": "RAU", "GET /review/applications/{id}/files/{file}": "RAU",
		"GET /review/applications/{id}/files/{file}/view": "RAU", "GET /review/applications/{id}/files/{file}/pages/{page}": "RAU",
		"GET /review/applications/{id}/shares": "RAU", "POST /review/applications/{id}/shares": "RA-",
		"GET /review/applications/{id}/decision": "RAU", "POST /review/applications/{id}/decision": "RA-",
		"GET /review/applications/{id}/preview": "RAU", "POST /review/applications/{id}/preview": "RA-",
		"GET /review/applications/{id}/notes": "RAU", "POST /review/applications/{id}/notes": "RA-",
		"GET /review/applications/{id}/letter": "RAU", "POST /review/applications/{id}/letter": "RA-",
		"GET /review/applications/{id}/transactions": "RAU",
		"GET /review/applications/{id}/compare":      "RAU",
		"GET /review/applications/{id}/refresh":      "RAU", "POST /review/applications/{id}/refresh": "RAU",
		"GET /review/applications/{id}/keep": "RAU", "POST /review/applications/{id}/keep": "RA-",
		"GET /review/applications/{id}/delete": "-A-", "POST /review/applications/{id}/delete": "-A-",
		"GET /review/shares/{id}/withdraw": "RA-", "POST /review/shares/{id}/withdraw": "RA-",
		"GET /review/deletions": "-AU", "GET /review/audit": "-AU", "POST /review/audit": "-AU", "GET /review/audit.csv": "-AU",
		"GET /review/people": "-A-", "POST /review/people": "-A-", "POST /review/people/{id}": "-A-",
		"GET /review/second-factor": "RAU", "POST /review/second-factor": "RAU",
		"GET /review/events": "RAU", "GET /review/events/{id}": "RAU", "POST /review/events/enable": "RA-",
		"POST /review/events/{id}/redeliver": "RA-", "GET /review/letters": "RAU", "POST /review/letters/{id}/resend": "RA-",
	}
)

// TestRoutesRequireRoles checks every address of the review dashboard with every role.
// New addresses fail until they are added here.
func TestRoutesRequireRoles(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	d.post(own+"/shares", url.Values{"publicId": {harbor}})
	share := sharing.ID(appReady, harbor)
	browsers := []*testServer{d.as(Reviewer), d.as(Administrator), d.as(Auditor)}
	stranger := *d
	stranger.http = &http.Client{CheckRedirect: d.http.CheckRedirect}
	routes := d.table()
	if len(routes) != len(routeRoles) {
		t.Errorf("there are %d routes, and the test has %d", len(routes), len(routeRoles))
	}
	// Routes that end something come last.
	slices.SortStableFunc(routes, func(a, b route) int {
		last := func(r route) int {
			if strings.HasSuffix(r.pattern, "withdraw") {
				return 1
			}
			return 0
		}
		return last(a) - last(b)
	})
	for _, r := range routes {
		method, path, _ := strings.Cut(r.pattern, " ")
		id := appReady
		if strings.HasPrefix(path, "/review/shares/") {
			id = share
		}
		path = strings.NewReplacer("{id}", id, "{file}", "none").Replace(path)
		ask := func(b *testServer) *http.Response {
			var resp *http.Response
			if method == "GET" {
				resp, _ = b.get(path)
			} else {
				resp, _ = b.post(path, routeForms[r.pattern])
			}
			return resp
		}
		got := ""
		for i, b := range browsers {
			if resp := ask(b); resp.StatusCode == http.StatusForbidden {
				got += "-"
			} else if got += string("RAU"[i]); resp.StatusCode >= 500 || strings.HasPrefix(resp.Header.Get("Location"), "/review/sign-in") {
				t.Errorf("%s for %c: %d to %q", r.pattern, "RAU"[i], resp.StatusCode, resp.Header.Get("Location"))
			}
		}
		if got != routeRoles[r.pattern] {
			t.Errorf("%s is for %s, want %s", r.pattern, got, routeRoles[r.pattern])
		}
		if resp := ask(&stranger); resp.StatusCode != 303 || !strings.HasPrefix(resp.Header.Get("Location"), "/review/sign-in") {
			t.Errorf("%s without signing in: %d to %q", r.pattern, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	if _, page := browsers[2].get(own); strings.Contains(page, "<textarea") || strings.Contains(page, "/withdraw") ||
		strings.Contains(page, "/delete") || !strings.Contains(page, "/review/audit?application=") {
		t.Errorf("an auditor's page of an application offers what is refused, or lacks the trail:\n%s", page)
	}
	if _, page := browsers[0].get(own); !strings.Contains(page, "<textarea") ||
		strings.Contains(page, "/review/people") || strings.Contains(page, "/review/audit") {
		t.Errorf("a reviewer's page:\n%s", page)
	}
}

func TestUsersPages(t *testing.T) {
	d := open(t, storetest.SQLite(t, store.Portal))
	d.signInAs(secret, "")
	link := d.invite(" Nina@Example.com ", Reviewer)
	// a second user with the address
	d.requirePost(409, "/review/people", url.Values{"email": {"nina@example.com"}, "role": {string(Auditor)}},
		i18ntest.EN("review.people.known"))
	for _, bad := range []string{"", "x", strings.Repeat("x", 250) + "@example.com"} {
		if resp, _ := d.post("/review/people", url.Values{"email": {bad}, "role": {string(Auditor)}}); resp.StatusCode != 422 {
			t.Errorf("adding %q: %d", bad, resp.StatusCode)
		}
	}
	nina := d.browser()
	nina.requirePage(link, "nina@example.com")                     // the link's page
	nina.requirePost(422, link, url.Values{"password": {"short"}}) // a short password
	nina.requirePost(303, link, url.Values{"password": {secret + "!"}})
	for _, resp := range []func() (*http.Response, string){
		func() (*http.Response, string) { return nina.get(link) },
		func() (*http.Response, string) { return nina.post(link, url.Values{"password": {"another password"}}) },
	} {
		if resp, page := resp(); resp.StatusCode != 410 || !strings.Contains(page, i18ntest.EN("ui.link_expired.title")) {
			t.Errorf("a used link: %d\n%s", resp.StatusCode, page)
		}
	}
	ids := map[staff.Role]string{}
	users, err := d.Staff.Users(t.Context(), d.DB.SQL, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range users {
		ids[u.Role] = u.ID
	}
	for _, tc := range []struct {
		form url.Values
		done string
	}{
		{url.Values{"do": {"role"}, "role": {string(Auditor)}}, "role"}, {url.Values{"do": {"disable"}}, "disabled"},
		{url.Values{"do": {"enable"}}, "enabled"},
	} {
		if resp, _ := d.post("/review/people/"+ids[Reviewer], tc.form); resp.StatusCode != 303 ||
			resp.Header.Get("Location") != "/review/people?done="+tc.done {
			t.Errorf("%v: %d to %q", tc.form, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	nina.requireStatus(303, "/review") // a session from before the user was disabled
	if resp, page := d.post("/review/people/"+ids[Reviewer], url.Values{"do": {"link"}}); resp.StatusCode != 200 ||
		!passwordLink.MatchString(page) {
		t.Errorf("a new link: %d", resp.StatusCode)
	}
	for _, form := range []url.Values{{"do": {"disable"}}, {"do": {"role"}, "role": {string(Auditor)}},
		{"do": {"link"}}, {"do": {"nothing"}}, {}} {
		if resp, _ := d.post("/review/people/"+ids[Administrator], form); resp.StatusCode != 400 {
			t.Errorf("changing oneself by %v: %d", form, resp.StatusCode)
		}
	}
	d.requirePost(404, "/review/people/"+token, url.Values{"do": {"disable"}}) // changing an unknown user
}

// TestAuditLog checks that each action has exactly one entry, with IDs only.
func TestAuditLog(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs("wrong password here", "")
		d.post("/review/sign-in", url.Values{"email": {"unknown@example.com"}, "password": {"wrong password here"}})
		d.post("/review/sign-in", url.Values{"email": {"unknown2@example.com"}, "password": {"wrong password here"}})
		d.signInAs(secret, "")
		d.get("/review")
		d.post("/review/find", url.Values{"query": {"Zoë"}})
		d.get(own)
		d.get(own + "/report")
		d.get(own + "/report.json")
		d.get(own + "/files")
		d.post(own+"/decision", url.Values{"seen": {"0"}, "decision": {decisions.Declined}, "text": {"canary text"}})
		d.post(own+"/notes", url.Values{"text": {"canary note"}})
		d.get(own + "/letter")
		d.post(own+"/shares", url.Values{"publicId": {harbor}})
		d.post("/review/shares/"+sharing.ID(appReady, harbor)+"/withdraw", nil)
		d.invite("canary@example.com", Auditor)
		t.Run("entries", func(t *testing.T) { checkEntries(t, db) })
		t.Run("pages", func(t *testing.T) { readAuditPages(t, d, db) })
		t.Run("search", func(t *testing.T) { searchAuditLog(t, d) })
		t.Run("pages of 50 entries", func(t *testing.T) { pageThroughAuditLog(t, d) })
		t.Run("file", func(t *testing.T) { readAuditFile(t, d) })
		t.Run("entries of a user", func(t *testing.T) { readEntriesOfUser(t, d) })
	})
}

func checkEntries(t *testing.T, db *store.DB) {
	rows, err := db.SQL.Query(`SELECT action, actor <> '', subject_id, detail FROM audit`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var action, application, detail string
		var known bool
		if err := rows.Scan(&action, &known, &application, &detail); err != nil {
			t.Fatal(err)
		}
		line := action + " " + detail
		if !known {
			line += " unknown"
		}
		if application != "" && application != appReady {
			t.Errorf("%s is of %s", line, application)
		}
		got = append(got, strings.TrimSpace(line))
	}
	slices.Sort(got)
	want := []string{"decided declined", "filesListed", "letterOpened", "letterWithheld noCreditor", "listed",
		"noted", "opened", "personAdded auditor", "reportExported", "reportViewed", "reportViewed",
		"searched words", "shared shared", "signInFailed password", "signInFailed password unknown", "signedIn password", "withdrawn"}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("written down:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func readAuditPages(t *testing.T, d *testServer, db *store.DB) {
	err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return d.Staff.Record(ctx, tx, staff.Entry{Action: staff.SignInFailed, Detail: "elsewhere"})
	})
	if _, page := d.get("/review/audit?action=signInFailed"); err != nil || !strings.Contains(page, "organization") {
		t.Errorf("a failed sign-in at the issuer: %v\n%s", err, page)
	}
	// the trail's page
	d.requirePage("/review/audit", i18ntest.EN("review.actions.reportViewed"), "reviewer@example.com", i18ntest.EN("review.audit.no_user"),
		"!canary text")
	_, page := d.get("/review/audit?action=decided&application=" + appReady + "&from=2026-03-14&to=2026-03-14&lang=es")
	if !strings.Contains(page, "Rechazada") || strings.Count(page, "<tr") != 2 {
		t.Errorf("the trail, narrowed, in Spanish:\n%s", page)
	}
	d.requirePage("/review/audit?from=2026-03-15", i18ntest.EN("review.audit.none")) // the trail of a later day
	for _, bad := range []string{"?action=x", "?actor=x", "?application=1", "?from=x",
		"?to=2026-13-01", "?after=" + strings.Repeat("1", 200)} {
		if resp, _ := d.get("/review/audit" + bad); resp.StatusCode != 404 {
			t.Errorf("GET /review/audit%s = %d", bad, resp.StatusCode)
		}
	}
}

func searchAuditLog(t *testing.T, d *testServer) {
	for text, rows := range map[string]int{"reviewer@ declined": 1, i18ntest.EN("review.actions.decided"): 1, "CANARY@": 1,
		appReady[:13] + " " + i18ntest.EN("review.actions.noted"): 1, "canary note": 0, "100%": 0} {
		_, page := d.post("/review/audit", url.Values{"query": {text}})
		if n := max(strings.Count(page, "<tr")-1, 0); n != rows || strings.Contains(page, "/review/audit.csv") {
			t.Errorf("the trail has %d lines with %q, want %d\n%s", n, text, rows, page)
		}
	}
	if resp, _ := d.post("/review/audit", url.Values{"query": {" "}, "action": {"listed"}}); resp.Header.Get("Location") !=
		"/review/audit?action=listed" {
		t.Errorf("a search without a text leads to %q", resp.Header.Get("Location"))
	}
}

func pageThroughAuditLog(t *testing.T, d *testServer) {
	entries := func(page string) int { return strings.Count(page, `class="sentence"`) } // of one run
	for i := range 55 {
		d.get(fmt.Sprintf("/review?from=2026-01-%02d", i%28+1))
	}
	_, page := d.get("/review/audit?action=listed")
	older := regexp.MustCompile(`href="(/review/audit\?action=listed&amp;after=[^"]+)"`).FindStringSubmatch(page)
	if older == nil || entries(page) != 50 {
		t.Fatalf("a full page of the trail has %d rows and leads to %v", entries(page), older)
	}
	if _, page := d.get(strings.ReplaceAll(older[1], "&amp;", "&")); entries(page) != 6 {
		t.Errorf("the page after it has %d rows, want 6", entries(page))
	}
	_, page = d.post("/review/audit", url.Values{"query": {"reviewer"}, "action": {"listed"}})
	cursor := regexp.MustCompile(`name="after" value="([^"]+)"`).FindStringSubmatch(page)
	if cursor == nil || entries(page) != 50 {
		t.Fatalf("a full page of a search has %d rows and leads to %v", entries(page), cursor)
	}
	if _, page := d.post("/review/audit", url.Values{"query": {"reviewer"}, "action": {"listed"}, "after": {cursor[1]}}); entries(page) != 6 {
		t.Errorf("the page after it has %d rows, want 6", entries(page))
	}
}

func readAuditFile(t *testing.T, d *testServer) {
	d.requirePage("/review/audit?action=listed", `href="/review/audit.csv?action=listed"`)
	resp, file := d.get("/review/audit.csv?action=listed")
	cells, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file, spreadsheet.ByteOrderMark))).ReadAll()
	if err != nil || resp.StatusCode != 200 || len(cells) != 57 {
		t.Fatalf("the file: %d, %d rows, %v", resp.StatusCode, len(cells), err)
	}
	if r := cells[1]; r[1] != "reviewer@example.com" || r[2] != "listed" || r[0] != "2026-03-14T12:00:00Z" {
		t.Errorf("a line of the file: %q", r)
	}
	d.requireStatus(404, "/review/audit.csv?action=x") // a file of no known filter
	if _, file := d.get("/review/audit.csv?action=auditRead"); !strings.Contains(file, `"reviewer@example.com","auditRead","","","file",`) {
		t.Errorf("reading the trail as a file is not in it:\n%s", file)
	}
}

func readEntriesOfUser(t *testing.T, d *testServer) {
	d.post("/review/assign", url.Values{"id": {appReady, appStarted}, "do": {"take"}})
	_, page := d.get("/review/audit")
	me := regexp.MustCompile(`<option value="([0-9a-f-]{36})">reviewer@example.com`).FindStringSubmatch(page)
	if me == nil {
		t.Fatalf("the trail cannot be narrowed to a user:\n%s", page)
	}
	_, page = d.get("/review/audit?actor=" + me[1])
	d.requireText("the trail of a user", page, `<a href="/review?assignee=`+me[1]+`">2</a>`,
		`<a href="/review/audit?action=decided&amp;actor=`+me[1]+`">1</a>`)
	if _, page := d.get("/review?assignee=" + me[1]); strings.Count(page, "data-id=") != 2 {
		t.Errorf("the applications assigned to a user:\n%s", page)
	}
	d.requirePage("/review?assignee=none", "!data-id=") // applications of no user
}
