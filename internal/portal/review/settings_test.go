package review

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// saveFilter saves a filter, and checks the answer's status.
func (d *testServer) saveFilter(status int, name string, more url.Values) {
	d.t.Helper()
	form := url.Values{"name": {name}}
	maps.Copy(form, more)
	d.requirePost(status, "/review/filters", form)
}

// changeFilter changes a saved filter, and checks the answer's status.
func (d *testServer) changeFilter(status int, id, do, name string) {
	d.t.Helper()
	d.requirePost(status, "/review/filters/"+id, url.Values{"do": {do}, "name": {name}, "queue": {"mine"}})
}

// filterLink finds the address, the name, the id and the count of a filter.
var filterLink = regexp.MustCompile(`class="queue-saved"><a href="([^"]*)"[^>]*>([^<]*) ` +
	`<span class="queue-count" data-queue="([^"]*)">([^<]*)<`)

// requireFilters checks the names of the user's filters, and returns them as filterLink finds them.
func (d *testServer) requireFilters(names ...string) [][]string {
	d.t.Helper()
	page := d.requirePage("/review")
	found := filterLink.FindAllStringSubmatch(page, -1)
	var got []string
	for _, m := range found {
		got = append(got, m[2])
	}
	if !slices.Equal(got, names) {
		d.t.Fatalf("the filters are %q, want %q\n%s", got, names, page)
	}
	return found
}

// TestSavedFilters saves, replaces and deletes filters, each for one user.
func TestSavedFilters(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		search, _ := url.Parse(d.requirePost(303, "/review/find", url.Values{"query": {"Canaria"}, "state": {"ready"}, "sort": {"-income"}}))
		d.saveFilter(303, " Big & ready ", search.Query())
		saved := d.requireFilters("Big &amp; ready")[0]
		if saved[1] != "/review?sort=-income&amp;state=ready" || saved[4] != "1" {
			t.Fatalf("the saved filter is %q", saved)
		}
		id := saved[3]
		d.run("the same name again", func(t *testing.T, d *testServer) {
			d.saveFilter(303, "Big & ready", url.Values{"queue": {"mine"}})
			d.requireFilters("Big &amp; ready")
			page := d.requirePage("/review?queue=mine", `href="/review?queue=mine" aria-current="page">Big`)
			if strings.Count(page, `?queue=mine" aria-current`) != 1 {
				t.Errorf("two filters are the current one:\n%s", page)
			}
		})
		d.run("another user", func(_ *testing.T, d *testServer) {
			other := d.as(Reviewer)
			other.requirePage("/review", "!Big &amp; ready")
			for _, do := range []string{"delete", "rename", "earlier", "later"} {
				other.changeFilter(303, id, do, "theirs")
			}
			d.requireFilters("Big &amp; ready")
		})
		d.run("changes", func(t *testing.T, d *testServer) {
			d.saveFilter(303, "B", nil)
			d.saveFilter(303, "C", url.Values{"state": {"ready"}})
			for _, step := range []struct{ do, want string }{{"later", "B,Big &amp; ready,C"}, {"later", "B,C,Big &amp; ready"},
				{"later", "B,C,Big &amp; ready"}, {"earlier", "B,Big &amp; ready,C"}, {"rename", "B,Mine,C"}} {
				d.changeFilter(303, id, step.do, " Mine ")
				d.requireFilters(strings.Split(step.want, ",")...)
			}
			d.saveFilter(303, "D", nil)
			d.requireFilters("B", "Mine", "C", "D")
			for do, name := range map[string]string{"rename": " ", "hide": "x", "": ""} {
				d.changeFilter(400, id, do, name)
			}
			d.requirePage("/review?queue=mine", i18ntest.EN("review.list.saved.change"), `name="name" value="Mine"`)
			var name []byte
			if err := db.SQL.QueryRow(`SELECT name FROM review_filters`).Scan(&name); err != nil || strings.Contains(string(name), "ready") {
				t.Errorf("the stored name is %q (%v)", name, err)
			}
		})
		d.run("limits", func(_ *testing.T, d *testServer) {
			for _, m := range d.requireFilters("B", "Mine", "C", "D") {
				d.changeFilter(303, m[3], "delete", "")
			}
			for i := range maxSaved {
				d.saveFilter(303, fmt.Sprint("filter ", i), nil)
			}
			d.saveFilter(400, "one more", nil)
			d.requirePage("/review?queue=mine", i18ntest.EN("review.list.saved.full"), "!Big")
			d.saveFilter(400, "", nil)
			d.saveFilter(400, strings.Repeat("x", 41), nil)
			d.saveFilter(400, "x", url.Values{"sort": {"name"}})
		})
	})
}

func TestDensity(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		dense := func(b *testServer) bool {
			_, page := b.get("/review")
			return strings.Contains(page, "list-part dense")
		}
		for _, density := range []string{console.Dense, console.Comfortable, console.Dense} {
			resp, _ := d.post("/review/density", url.Values{"density": {density}, "back": {"/review?queue=mine&sort=state"}})
			if to := resp.Header.Get("Location"); to != "/review?queue=mine&sort=state" || dense(d) != (density == console.Dense) {
				t.Errorf("%s leads to %q, and the list is dense: %v", density, to, dense(d))
			}
		}
		if dense(d.as(Reviewer)) {
			t.Error("another user's list is dense")
		}
		for _, bad := range [][2]string{{"x", "/review"}, {console.Dense, ""},
			{console.Dense, "//evil.example/review"}, {console.Dense, "/apply"}} {
			if resp, _ := d.post("/review/density", url.Values{"density": {bad[0]}, "back": {bad[1]}}); resp.StatusCode != 400 {
				t.Errorf("%q: %d", bad, resp.StatusCode)
			}
		}
	})
}

// TestListColumns keeps the columns with the user, and those of a saved filter with it.
func TestListColumns(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		shown := func(b *testServer, path string) string {
			_, page := b.get(path)
			_, row, _ := strings.Cut(page, "<tbody")
			row, _, _ = strings.Cut(row, "</tr>")
			var out []string
			for _, m := range regexp.MustCompile(`data-label="([^"]*)"`).FindAllStringSubmatch(row, -1) {
				out = append(out, m[1])
			}
			return strings.Join(out, ", ")
		}
		words := func(keys ...string) string {
			for i, k := range keys {
				keys[i] = i18ntest.EN(i18n.Key(k))
			}
			return strings.Join(keys, ", ")
		}
		usual := shown(d, "/review")
		if !strings.Contains(usual, i18ntest.EN("review.report.score")) || strings.Contains(usual, i18ntest.EN("review.application.moved")) {
			t.Errorf("the usual columns are %s", usual)
		}
		choose := func(form url.Values, columns ...string) (int, string) {
			form["column"] = append(columns, "name")
			resp, _ := d.post("/review/columns", form)
			return resp.StatusCode, resp.Header.Get("Location")
		}
		if status, to := choose(url.Values{"queue": {"waiting"}}, "updated", "state"); status != 303 || to != "/review?queue=waiting" {
			t.Errorf("choosing columns: %d to %q", status, to)
		}
		own := words("review.application.state", "review.application.moved")
		if got := shown(d, "/review"); got != own {
			t.Errorf("the chosen columns are %s, want %s", got, own)
		}
		if got := shown(d.as(Reviewer), "/review"); got != usual {
			t.Errorf("another user has %s", got)
		}
		d.post("/review/density", url.Values{"density": {console.Dense}, "back": {"/review"}})
		d.post("/review/filters", url.Values{"name": {"V"}, "state": {"ready"}})
		_, page := d.get("/review?state=ready")
		view := regexp.MustCompile(`name="view" value="([^"]*)"`).FindStringSubmatch(page)
		if view == nil {
			t.Fatalf("the form of the columns does not name the saved filter:\n%s", page)
		}
		status, to := choose(url.Values{"state": {"ready"}, "view": {view[1]}}, "product")
		if status != 303 || to != "/review?columns=product&state=ready" {
			t.Errorf("choosing columns of a saved filter: %d to %q", status, to)
		}
		if got, want := shown(d, to), words("review.application.product"); got != want {
			t.Errorf("the saved filter has %s, want %s", got, want)
		}
		if _, page := d.get("/review"); !strings.Contains(page, `href="/review?columns=product&amp;state=ready"`) || shown(d, "/review") != own {
			t.Errorf("the saved filter's columns are lost, or the user's: %s", shown(d, "/review"))
		}
		if status, to = choose(url.Values{}); status != 303 || shown(d, to) != "" {
			t.Errorf("no column besides the name: %d, %s", status, shown(d, to))
		}
		for _, bad := range []url.Values{{"column": {"x"}}, {"column": {"state"}, "view": {"x"}},
			{"column": {"state"}, "columns": {"score,state"}}} {
			if resp, _ := d.post("/review/columns", bad); resp.StatusCode != 400 {
				t.Errorf("choosing %v: %d", bad, resp.StatusCode)
			}
		}
	})
}

// rowStamp matches what an open list sends of a row.
var rowStamp = regexp.MustCompile(`data-id="([^"]+)" data-stamp="([^"]+)"`)

// TestLive keeps a list open while applications begin, change, leave it and are deleted.
func TestLive(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		form := func(list string) url.Values {
			_, page := d.get(list)
			u, _ := url.Parse(list)
			out := u.Query()
			for _, m := range rowStamp.FindAllStringSubmatch(page, -1) {
				out.Add("row", m[1]+"."+m[2])
			}
			return out
		}
		ask := func(form url.Values) (c changes) {
			t.Helper()
			resp, body := d.post("/review/live", form)
			if resp.StatusCode != 200 || json.Unmarshal([]byte(body), &c) != nil {
				t.Fatalf("live: %d %s", resp.StatusCode, body)
			}
			return c
		}
		listed := func() (n int) {
			if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM audit WHERE action = 'listed'`).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		all, decide := form("/review?queue=all"), form("/review?queue=decide")
		before := listed()
		if c := ask(all); len(c.Rows)+len(c.Deleted)+c.New != 0 || c.Queues[""] != "2" || c.Queues["decide"] != "1" {
			t.Errorf("nothing changed, and the answer is %+v", c)
		}
		if n := listed(); n != before {
			t.Error("an answer without rows is in the audit log")
		}
		d.add(stored{Application: one("bbbbbbbb-0000-4000-8000-000000000001", contract.Income, journey.Started, noon.AddDate(0, 0, -1), noon)})
		d.post("/review/assign", url.Values{"id": {appReady}, "do": {"take"}})
		c := ask(all)
		if len(c.Rows) != 1 || c.Rows[0].ID != appReady || !strings.Contains(c.Rows[0].HTML, i18ntest.EN("review.list.you")) ||
			strings.Contains(c.Rows[0].HTML, "list-gone") || c.New != 1 || c.Queues["mine"] != "1" {
			t.Errorf("after one began and one was assigned: %+v", c)
		}
		if n := listed(); n != before+1 {
			t.Errorf("an answer with rows made %d entries of the audit log", n-before)
		}
		d.post(own+"/decision", url.Values{"seen": {"0"}, "decision": {decisions.Approved}})
		c = ask(decide)
		if len(c.Rows) != 1 || !strings.Contains(c.Rows[0].HTML, "list-gone") || c.Queues["today"] != "1" {
			t.Errorf("after the decision: %+v", c)
		}
		decide.Set("row", strings.Join(rowStamp.FindStringSubmatch(c.Rows[0].HTML)[1:], "."))
		if c := ask(decide); len(c.Rows) != 0 {
			t.Errorf("a row that has left comes again: %+v", c)
		}
		if _, err := db.SQL.Exec(`DELETE FROM review_index WHERE application_id = $1`, appStarted); err != nil {
			t.Fatal(err)
		}
		if c := ask(all); len(c.Deleted) != 1 || c.Deleted[0] != appStarted {
			t.Errorf("after a deletion: %+v", c)
		}
		for _, bad := range []url.Values{{"row": {"x"}}, {"row": {"x.y"}}, {"queue": {"x"}}, {"find": {appReady}}} {
			if resp, _ := d.post("/review/live", bad); resp.StatusCode != 400 && resp.StatusCode != 404 {
				t.Errorf("live %v: %d", bad, resp.StatusCode)
			}
		}
	})
}

// TestExportSelected exports applications in the order of the selection, each with an
// entry of the audit log.
func TestExportSelected(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		d := open(t, db)
		d.signInAs(secret, "")
		resp, body := d.as(Auditor).post("/review/export", url.Values{"id": {appStarted, appReady}})
		lines := strings.Split(strings.TrimSpace(body), "\r\n")
		if resp.StatusCode != 200 || len(lines) != 3 || !strings.HasPrefix(lines[1], `"`+appStarted+`",`) ||
			!strings.HasPrefix(lines[2], `"`+appReady+`","order-7","Zoë O’Hara-Núñez","cashflow","ready",`) {
			t.Errorf("the export is %d\n%s", resp.StatusCode, body)
		}
		var n int
		if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM audit WHERE action = 'listExported'`).Scan(&n); err != nil || n != 2 {
			t.Errorf("%d entries of the audit log (%v)", n, err)
		}
		for _, bad := range []url.Values{{}, {"id": {"x"}}} {
			if resp, _ := d.post("/review/export", bad); resp.StatusCode != 400 {
				t.Errorf("exporting %v: %d", bad, resp.StatusCode)
			}
		}
	})
}
