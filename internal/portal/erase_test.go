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
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		db, err := store.Open(t.Context(), store.Config{Dir: dir, Party: store.Portal, MasterKey: storetest.MasterKey})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		deleteCanary(t, db)
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
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		deleteCanary(t, storetest.Postgres(t, store.Portal))
	})
}

// deleteCanary deletes one of two applications of a person, and checks what is left.
func deleteCanary(t *testing.T, db *store.DB) {
	r := newTestServer(t, db)
	b, admin := r.browser(), r.signedInAdmin()
	first := b.do("POST", "/api/v1/applications", "application/json",
		`{"product":"cashflow","mode":"embedded","externalId":"canary-order","userArgs":"canary args",
		"prefill":{"firstName":"Canaria","lastName":"O’Neil","email":"canaria@example.com","dob":"1990-02-03"}}`,
		"Authorization", "Bearer "+apiKey)
	id := regexp.MustCompile(`[0-9a-f-]{36}`).FindString(first.body)
	other := strings.TrimPrefix(b.apply("externalId", "x"), "/applications/")
	own := "/review/applications/" + id
	admin.post(own+"/notes", url.Values{"text": {"a canary note"}}).require(t, "a note", 303)
	admin.post(own+"/decision", url.Values{"seen": {"0"}, "decision": {"declined"}, "text": {"a canary reason"}}).require(t, "a decision", 303)
	admin.post("/review/find", url.Values{"query": {"canaria"}}).require(t, "a search", 303)
	if len(mentions(t, db, id)) < 6 || len(mentions(t, db, "canary-order")) == 0 {
		t.Errorf("the test does not see what it looks for: %v", mentions(t, db, id))
	}
	remove := url.Values{"id": {id}, "cause": {"request"}, "sure": {"yes"}}
	t.Run("form", func(t *testing.T) {
		admin.get(own+"/delete").require(t, "the person's applications", 200, `value="`+id+`"`, `value="`+other+`"`)
		admin.post(own+"/delete", url.Values{"id": {id}, "cause": {"request"}}).
			require(t, "deleting unsurely", 422, i18ntest.EN("review.delete.unsure"))
		admin.post(own+"/delete", url.Values{"id": {productID}, "cause": {"request"}, "sure": {"yes"}}).
			require(t, "deleting what was not offered", 400)
		admin.post(own+"/delete", remove).requireRedirect(t, "deleting", "/review/deletions?done=1")
	})
	t.Run("tables", func(t *testing.T) {
		requireDeleted(t, db, id)
		if got := mentions(t, db, "canary"); len(got) > 0 {
			t.Errorf("something of it is still in %v", got)
		}
		var open int
		if err := db.SQL.QueryRow(`SELECT COUNT(*) FROM review_searches`).Scan(&open); err != nil || open > 0 {
			t.Errorf("%d searches may have the name: %v", open, err)
		}
	})
	t.Run("pages", func(t *testing.T) {
		admin.get(own).require(t, "the page of what was deleted", 410, "was deleted", "admin@example.com",
			i18ntest.EN("review.deletion.reasons.request"))
		admin.get("/review/deletions?done=1").require(t, "the list of what was deleted", 200, id, i18ntest.EN("review.deletion.done.one"))
		b.do("GET", "/api/v1/applications/"+id, "", "", "Authorization", "Bearer "+apiKey).require(t, "the API", 404)
		admin.post(own+"/delete", remove).require(t, "deleting again", 404)
		admin.get("/review/applications/"+other).require(t, "an application that was not selected", 200, "Canaria")
	})
}

// requireDeleted checks that no more of an application is stored than what happened to it.
func requireDeleted(t *testing.T, db *store.DB, id string) {
	t.Helper()
	if got, want := mentions(t, db, id), []string{"audit", "review_deletions"}; !slices.Equal(got, want) {
		t.Errorf("the application is still in %v, want %v", got, want)
	}
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
		admin.post("/review/applications/"+id+"/delete", url.Values{"id": {id}, "cause": {"mistake"}, "sure": {"yes"}}).
			requireRedirect(t, "deleting", "/review/deletions?done=1")
		if got := r.webhook(external, publicToken, contract.StatusSuccess); got != 204 {
			t.Errorf("a webhook for a deleted application got %d", got)
		}
		b.get(a).require(t, "the applicant's page", 404)
		requireDeleted(t, db, id)
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
			admin.post("/review/applications/"+ids[i]+"/delete", url.Values{"id": {ids[i]}, "cause": {"request"}, "sure": {"yes"}}).
				requireRedirect(t, "deleting", "/review/deletions?done=1")
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
