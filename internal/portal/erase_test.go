package portal_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

const adminPassword = "correct horse battery"

// signedInAdmin returns a browser in which an administrator is signed in.
func (r *testServer) signedInAdmin() *browser {
	r.t.Helper()
	if err := r.portal.EnsureReviewer(r.t.Context(), "admin@example.com", adminPassword); err != nil {
		r.t.Fatal(err)
	}
	b := r.browser()
	if p := b.post("/review/sign-in", url.Values{"email": {"admin@example.com"}, "password": {adminPassword}}); p.status != 303 {
		r.t.Fatalf("signing in: %d\n%s", p.status, p.body)
	}
	return b
}

// mentions lists the tables with a row that contains the text in any column.
func mentions(t *testing.T, db *store.DB, text string) []string {
	t.Helper()
	list := `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
	if db.Dialect == store.SQLite {
		list = `SELECT name FROM sqlite_master WHERE type = 'table'`
	}
	names, err := db.SQL.Query(list)
	if err != nil {
		t.Fatal(err)
	}
	defer names.Close()
	var out []string
	for names.Next() {
		var name string
		if err := names.Scan(&name); err != nil {
			t.Fatal(err)
		}
		if has(t, db.SQL, name, text) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func has(t *testing.T, db *sql.DB, table, text string) bool {
	t.Helper()
	rows, err := db.Query(`SELECT * FROM ` + table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		row, at := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			at[i] = &row[i]
		}
		if err := rows.Scan(at...); err != nil {
			t.Fatal(err)
		}
		for _, v := range row {
			if raw, ok := v.([]byte); ok {
				v = string(raw)
			}
			if strings.Contains(fmt.Sprint(v), text) {
				return true
			}
		}
	}
	return false
}

// TestDeletedDataIsGone checks that deleted data is gone from every table, from the
// database file and its log; the person's other applications stay unless selected.
func TestDeletedDataIsGone(t *testing.T) {
	test := func(t *testing.T, db *store.DB, dir string) {
		r := newTestServer(t, db)
		b := r.browser()
		first := b.do("POST", "/api/v1/applications", "application/json",
			`{"product":"cashflow","mode":"embedded","externalId":"canary-order","userArgs":"canary args",
			"prefill":{"firstName":"Canaria","lastName":"O’Neil","email":"canaria@example.com","dob":"1990-02-03"}}`,
			"Authorization", "Bearer "+apiKey)
		id := regexp.MustCompile(`[0-9a-f-]{36}`).FindString(first.body)
		second := b.apply("externalId", "x")
		other := strings.TrimPrefix(second, "/applications/")
		admin := r.signedInAdmin()
		own := "/review/applications/" + id
		if p := admin.post(own+"/notes", url.Values{"text": {"a canary note"}}); p.status != 303 {
			t.Fatalf("a note: %d", p.status)
		}
		if p := admin.post(own+"/decision", url.Values{"seen": {"0"}, "decision": {"declined"}, "text": {"a canary reason"}}); p.status != 303 {
			t.Fatalf("a decision: %d\n%s", p.status, p.body)
		}
		if p := admin.post("/review/find", url.Values{"query": {"canaria"}}); p.status != 303 {
			t.Fatalf("a search: %d", p.status)
		}
		page := admin.get(own + "/delete")
		if !strings.Contains(page.body, `value="`+id+`"`) || !strings.Contains(page.body, `value="`+other+`"`) {
			t.Errorf("the person's applications are not offered:\n%s", page.body)
		}
		if len(mentions(t, db, id)) < 6 || len(mentions(t, db, "canary-order")) == 0 {
			t.Errorf("the test does not see what it looks for: %v", mentions(t, db, id))
		}
		if p := admin.post(own+"/delete", url.Values{"id": {id}, "cause": {"request"}}); p.status != 422 ||
			!strings.Contains(p.body, i18ntest.EN("review.delete.unsure")) {
			t.Errorf("deleting unsurely: %d", p.status)
		}
		if p := admin.post(own+"/delete", url.Values{"id": {productID}, "cause": {"request"}, "sure": {"yes"}}); p.status != 400 {
			t.Errorf("deleting what was not offered: %d", p.status)
		}
		if p := admin.post(own+"/delete", url.Values{"id": {id}, "cause": {"request"},
			"sure": {"yes"}}); p.location != "/review/deletions?done=1" {
			t.Fatalf("deleting: %d to %q\n%s", p.status, p.location, r.log)
		}
		if got, want := mentions(t, db, id), []string{"audit", "review_deletions"}; !slices.Equal(got, want) {
			t.Errorf("the application is still in %v, want %v", got, want)
		}
		if got := mentions(t, db, "canary"); len(got) > 0 {
			t.Errorf("something of it is still in %v", got)
		}
		var open int
		if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM review_searches`).Scan(&open); err != nil || open > 0 {
			t.Errorf("%d searches may have the name: %v", open, err)
		}
		if p := admin.get(own); p.status != 410 || !strings.Contains(p.body, "was deleted") ||
			!strings.Contains(p.body, "admin@example.com") || !strings.Contains(p.body, i18ntest.EN("review.deletion.reasons.request")) {
			t.Errorf("the page of what was deleted: %d\n%s", p.status, p.body)
		}
		if p := admin.get("/review/deletions?done=1"); !strings.Contains(p.body, id) ||
			!strings.Contains(p.body, i18ntest.EN("review.deletion.done.one")) {
			t.Errorf("the list of what was deleted:\n%s", p.body)
		}
		if p := b.do("GET", "/api/v1/applications/"+id, "", "", "Authorization", "Bearer "+apiKey); p.status != 404 {
			t.Errorf("the API's answer is %d", p.status)
		}
		if p := admin.post(own+"/delete", url.Values{"id": {id}, "cause": {"request"}, "sure": {"yes"}}); p.status != 404 {
			t.Errorf("deleting again: %d", p.status)
		}
		if p := admin.get("/review/applications/" + other); p.status != 200 || !strings.Contains(p.body, "Canaria") {
			t.Errorf("an application that was not selected: %d", p.status)
		}
		if dir == "" {
			return
		}
		for _, file := range []string{"portal.db", "portal.db-wal"} {
			raw, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{"canary-order", "canary args", "canary note", "canary reason", "canaria@", "Canaria"} {
				if bytes.Contains(raw, []byte(word)) {
					t.Errorf("%q is in %s", word, file)
				}
			}
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		db, err := store.Open(t.Context(), store.Config{Dir: dir, Party: store.Portal, MasterKey: storetest.MasterKey})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		test(t, db, dir)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, storetest.Postgres(t, store.Portal), "")
	})
}

// TestDeletingDuringAFetch checks that the data key of a report being fetched is
// destroyed, and its jobs end.
func TestDeletingDuringAFetch(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		b := r.browser()
		a := b.apply()
		b.get(a + "/connect")
		external, publicToken := r.provider.finish(contract.StatusPending)
		id := strings.TrimPrefix(a, "/applications/")
		admin := r.signedInAdmin()
		if p := admin.post("/review/applications/"+id+"/delete", url.Values{"id": {id}, "cause": {"mistake"},
			"sure": {"yes"}}); p.location != "/review/deletions?done=1" {
			t.Fatalf("deleting: %d\n%s", p.status, r.log)
		}
		if got := r.webhook(external, publicToken, contract.StatusSuccess); got != 204 {
			t.Errorf("a webhook for a deleted application got %d", got)
		}
		if p := b.get(a); p.status != 404 {
			t.Errorf("the applicant's page: %d", p.status)
		}
		if got, want := mentions(t, db, id), []string{"audit", "review_deletions"}; !slices.Equal(got, want) {
			t.Errorf("the application is still in %v, want %v", got, want)
		}
	})
}

// TestDeletionWithdrawsConsentAtTheService checks that deleting an application at the
// consumer's request withdraws consent at the service for the consumer's IDs, together
// with the last application that has them.
func TestDeletionWithdrawsConsentAtTheService(t *testing.T) {
	const consumer = "55555555-5555-4555-8555-555555555555"
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		b := r.browser()
		var ids []string
		for range 2 {
			a := b.apply()
			b.get(a + "/connect")
			external, publicToken := r.provider.finish(contract.StatusError)
			if got := r.webhook(external, publicToken, contract.StatusError, strings.ToUpper(consumer)); got != 204 {
				t.Fatalf("a webhook: %d\n%s", got, r.log)
			}
			ids = append(ids, strings.TrimPrefix(a, "/applications/"))
		}
		admin := r.signedInAdmin()
		for i, want := range [][]string{nil, {consumer}} {
			if p := admin.post("/review/applications/"+ids[i]+"/delete", url.Values{"id": {ids[i]}, "cause": {"request"},
				"sure": {"yes"}}); p.location != "/review/deletions?done=1" {
				t.Fatalf("deleting: %d\n%s", p.status, r.log)
			}
			r.provider.set(func() {
				if !slices.Equal(r.provider.consent, want) {
					t.Errorf("after deletion %d consent was withdrawn of %v, want %v", i+1, r.provider.consent, want)
				}
			})
		}
		if got := mentions(t, db, consumer); len(got) > 0 {
			t.Errorf("the consumer is still in %v", got)
		}
	})
}

// TestDeletionCoversEveryTable lists the tables of applications. For a new table, decide
// here what happens on deletion: a Forget function deletes its rows, or they contain no
// personal data.
func TestDeletionCoversEveryTable(t *testing.T) {
	db := storetest.SQLite(t, store.Portal)
	rows, err := db.SQL.Query(`SELECT t.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'
		AND c.name IN ('application_id', 'subject_id') ORDER BY t.name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		got = append(got, name)
	}
	want := []string{"api_requests", "application_attempts", "application_mailboxes", "application_report_revisions",
		"application_reports", "application_sessions",
		"application_timeline", "audit", "developer_returns", "developer_runs", "email_requests", "emails", "embed_grants", "events",
		"redirect_attempts", "report_share_log", "report_shares", "resume_links", "review_decisions", "review_deletions",
		"review_index", "review_notes", "review_tokens"}
	if !slices.Equal(got, want) {
		t.Errorf("tables of applications:\n%q, want\n%q", got, want)
	}
}
