package provider_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// TestExpiredDataIsDeleted checks that no table that grows with use keeps expired rows. It
// lists every table of the database.
func TestExpiredDataIsDeleted(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		for _, table := range b.tables() {
			if !slices.Contains(slices.Concat(grows, stays), table) {
				t.Errorf("no retention is defined for %s", table)
			}
		}
		none := b.rowsOf(grows)
		e := b.fillTables(t)
		before := b.rowsOf(grows)
		for table, n := range before {
			if n <= none[table] && !strings.Contains(" report_revisions dashboard_forms dashboard_notices sign_in_tries ", " "+table+" ") {
				t.Fatalf("there is nothing in %s to be deleted", table)
			}
		}
		if n := b.count(`SELECT count(*) FROM audit WHERE id = 'line-0'`); n != 1 {
			t.Fatal("the row was deleted too early")
		}

		t.Run("within 32 days", func(t *testing.T) { b.expireDrafts(t, before) })
		t.Run("after 108 days", func(t *testing.T) { b.expireReports(t, e, none, before) })
		t.Run("after two years", func(t *testing.T) {
			b.advance("17520h")
			for table, n := range b.rowsOf([]string{"consumer_file_log", "report_reads", "unlisted_institutions"}) {
				if n != 0 {
					t.Errorf("%d rows of %s", n, table)
				}
			}
			if n := b.count(`SELECT count(*) FROM reports WHERE mailbox IS NOT NULL`); n != 0 {
				t.Errorf("%d reports name a mailbox", n)
			}
		})
	})
}

var (
	// grows are the tables whose rows are deleted in time.
	grows = strings.Fields(`reports report_data documents document_parts consumers data_keys bank_connections
		bank_accounts bank_account_names source_authorizations source_connections source_events
		report_refreshes visits visit_events initialization_tokens redirects invites emails events deliveries delivery_attempts relay_tokens
		report_revisions audit sessions sign_in_tries sign_in_states dashboard_forms dashboard_notices access_requests access_links link_tries
		password_links password_requests consumer_files consumer_file_log report_reads consumer_corrections
		unlisted_institutions unlisted_reports`)
	// Settings, keys with another deletion, tables of a bounded number of rows, and the records of disputes
	// (TestDisputesAreKept).
	stays = strings.Fields(`customers entitlements credentials products product_configurations complete_urls
		widget_origins themes theme_logos users user_settings second_factors recovery_codes callbacks callback_secrets signing_keys session_keys
		secrets sandbox_clock sandbox_reports sandbox_inbox fdx_bank_requests fdx_bank_consents fdx_bank_tokens fdx_bank_assertions
		connector_authorizations backups further_callbacks further_callback_secrets
		submission_counts submission_slots job_runners goose_db_version disputes dispute_files
		river_job river_leader river_migration river_notification river_queue river_client river_client_queue`)
)

// rowsOf counts the rows of tables.
func (b *testServer) rowsOf(tables []string) map[string]int {
	out := map[string]int{}
	for _, table := range tables {
		out[table] = b.count(`SELECT count(*) FROM ` + table)
	}
	return out
}

// expiring is a report and consumers with an external id, without a report, and without consent.
type expiring struct {
	publicToken, consumer    string
	named, unused, withdrawn string
}

// fillTables makes rows in every table of grows.
func (b *testServer) fillTables(t *testing.T) expiring {
	t.Helper()
	publicToken, first := b.cashflowVisit("single", "userArgs", "words of the customer's", "prefill", resident)
	b.relayed(publicToken)
	named := b.post("/connect/consumers", b.basic(), map[string]any{"prefill": resident, "consumerExternalId": "named"}).text("consumerId")
	unused := b.post("/connect/consumers", b.basic(), map[string]any{"prefill": resident}).text("consumerId")
	withdrawn := b.post("/connect/consumers", b.basic(), map[string]any{"prefill": resident, "consumerExternalId": "gone"}).text("consumerId")
	for _, id := range []string{named, withdrawn} {
		b.complete(b.begin("prefill", nil, "consumerId", id), nil)
	}
	b.want("withdrawal", b.ask(b.service.URL, "DELETE", "/connect/consumers/"+withdrawn, b.basic(), nil), 204, "")
	income := map[string]any{"productId": b.seed.Products[contract.Income], "prefill": resident}
	b.incomeVisit(resident, map[string]any{"payStubs": []map[string]string{{"fileName": "a.pdf", "contentBase64": "JVBERi0xLjcK"}}})
	b.want("redirect", b.post("/secure-redirect", b.basic(), income), 200, "")
	b.want("invite", b.post("/connect/invite", b.basic(), with(income, "deliverTo", "ada@mail.example")), 200, "")
	b.submit(submission())
	b.inbox.wait(t, 5)
	b.addUsers()
	b.signIn(b.seed.Staff)
	for i, at := range []string{"callback set", "callback set", "report found"} {
		b.exec(`INSERT INTO audit (id, subject_id, actor, at, action, object, detail, request_id)
			SELECT $1, id, 's', $2, $3, '', '', '' FROM customers WHERE public_id = $4`, fmt.Sprint("line-", i), i, at, b.seed.PublicID)
	}
	b.exec(`INSERT INTO source_authorizations (state_hash, browser_hash, visit_id, environment, institution, key_id, pending, created_at,
		expires_at) SELECT id_hash, id_hash, 'v', 'sandbox', 'i', 'k', id_hash, 1, 2 FROM (SELECT handle_hash AS id_hash FROM visits
		WHERE handle_hash IS NOT NULL LIMIT 1) AS v`)
	b.exec(`INSERT INTO source_connections (id, public_token, customer_id, consumer_id, environment, institution, key_id, access,
		created_at, expires_at) SELECT 'c', 'p', 'c', 'c', 'sandbox', 'i', 'k', handle_hash, 1, 2 FROM visits
		WHERE handle_hash IS NOT NULL LIMIT 1`)
	b.exec(`INSERT INTO source_events (connection_id, seq, at, kind) VALUES ('c', 1, 1, 'authorized')`)
	b.exec(`INSERT INTO consumer_corrections (public_token, revision, customer_id, consumer_id, key_id, at, made)
		SELECT 'p', 1, customer_id, id, key_id, 1, prefill FROM consumers
		WHERE id = (SELECT consumer_id FROM reports WHERE public_token = $1)`, publicToken)
	b.exec(`INSERT INTO report_refreshes (public_token, input) SELECT 'p', handle_hash FROM visits WHERE handle_hash IS NOT NULL LIMIT 1`)
	for _, into := range []string{`access_requests (mailbox, id, lang, created_at) SELECT handle_hash, 'r', 'en', 1`,
		`access_links (hash, mailbox, expires_at) SELECT handle_hash, handle_hash, 1`,
		`sign_in_states (state_hash, expires_at) SELECT handle_hash, 1`,
		`link_tries (key, tries, since) SELECT handle_hash, 1, 1`} {
		b.exec(`INSERT INTO ` + into + ` FROM visits WHERE handle_hash IS NOT NULL LIMIT 1`)
	}
	b.exec(`INSERT INTO unlisted_institutions (customer_id, source_type, folded, name, reports, last_at)
		SELECT customer_id, 'bank', 'n', 'N', 1, $1 FROM visits LIMIT 1`, b.now().UnixMicro())
	b.exec(`INSERT INTO unlisted_reports (visit_id, name_hash) SELECT id, handle_hash FROM visits WHERE handle_hash IS NOT NULL LIMIT 1`)
	b.exec(`INSERT INTO password_links (user_id, hash, expires_at) SELECT s.id, v.handle_hash, 1 FROM users s, visits v
		WHERE v.handle_hash IS NOT NULL LIMIT 1`)
	b.exec(`INSERT INTO password_requests (id, email_sealed, lang, expires_at) SELECT 'r', handle_hash, 'en', 1 FROM visits
		WHERE handle_hash IS NOT NULL LIMIT 1`)
	b.exec(`INSERT INTO consumer_file_log (id, mailbox, at, action) SELECT 'x', mailbox, used_at, 'opened'
		FROM consumer_files LIMIT 1`)
	return expiring{publicToken, report.Text(first.Meta.ConsumerID), named, unused, withdrawn}
}

// expireDrafts advances to 32 days after the rows were made.
func (b *testServer) expireDrafts(t *testing.T, before map[string]int) {
	b.advance("1s")
	if now := b.rowsOf(grows); now["audit"] != before["audit"]-1 ||
		b.count(`SELECT count(*) FROM audit WHERE id IN ('line-1', 'line-2')`) != 2 {
		t.Errorf("of an audit trail of %d lines, one of which is old and not the last of its action, %d are left", before["audit"], now["audit"])
	}
	b.advance("335h")
	if n := b.count(`SELECT count(*) FROM visits WHERE ended_at > 0 AND (username <> '' OR sources <> '' OR stated IS NOT NULL)`); n == 0 {
		t.Fatal("no visit has a draft")
	}
	b.advance("72h") // the redirect's and the invite's visits expire within
	if n := b.rowsOf(grows)["emails"]; n != 0 {
		t.Errorf("%d letters after their link is over", n)
	}
	waitFor(t, b.db, `SELECT count(*) FROM deliveries WHERE state = 'pending'`, 0)
	b.advance("360h") // 14 days later
	if n := b.count(`SELECT count(*) FROM visits WHERE ended_at > 0 AND (username <> '' OR sources <> '' OR stated IS NOT NULL)`); n != 0 {
		t.Errorf("%d visits have a draft 14 days after their end", n)
	}
	if now := b.rowsOf(grows); now["documents"]+now["document_parts"] != 0 || now["visits"] != before["visits"] ||
		now["events"] < before["events"] {
		t.Errorf("after 32 days: %v of %v", now, before)
	}
}

// expireReports advances to 90 days after the last visit ended.
func (b *testServer) expireReports(t *testing.T, e expiring, none, before map[string]int) {
	b.advance("1824h")
	now := b.rowsOf(grows)
	for _, table := range grows {
		switch table {
		case "consumer_files", "consumer_file_log", "report_reads", "unlisted_institutions": // see below
		case "reports", "consumers", "data_keys", "audit", "sessions", "sign_in_tries":
		default:
			if now[table] != none[table] {
				t.Errorf("%d rows of %s after 108 days, want %d", now[table], table, none[table])
			}
		}
	}
	if n := b.count(`SELECT count(*) FROM reports WHERE erased_at IS NULL OR user_args IS NOT NULL`); n != 0 ||
		now["reports"] < before["reports"] {
		t.Errorf("%d of %d reports are not forgotten", n, now["reports"])
	}
	// The remaining keys are those of the system, and of the consumers with an external id or without a report.
	if want := none["data_keys"] + 2; now["data_keys"] != want {
		t.Errorf("%d data keys, want %d", now["data_keys"], want)
	}
	for id, status := range map[string]int{e.consumer: 404, e.withdrawn: 404, e.named: 200, e.unused: 200} {
		if a := b.get("/connect/consumers/"+id, b.basic()); a.status != status {
			t.Errorf("a consumer is %d, want %d: %s", a.status, status, a.raw)
		}
	}
	if n := b.count(`SELECT count(*) FROM consumers WHERE erased_at IS NOT NULL
		AND (prefill IS NOT NULL OR external_id IS NOT NULL)`); n != 0 {
		t.Errorf("%d erased consumers have data", n)
	}
	// The dashboard shows a report without its data.
	d := b.signIn(b.seed.Staff)
	if page := d.page("/dashboard/reports/" + d.reportNamed(e.publicToken)); !strings.Contains(page,
		i18ntest.EN("dashboard.origins.forgotten")) {
		t.Error("the dashboard does not say that the origin of an old report was deleted")
	}
	if now["report_reads"] == 0 || now["consumer_file_log"] == 0 {
		t.Error("who read a report is deleted with its body")
	}
}

// tables returns the tables of the database.
func (b *testServer) tables() []string {
	b.t.Helper()
	query := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	if b.db.Dialect == store.Postgres {
		query = `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
	}
	out, err := store.QueryAll(b.t.Context(), b.db.SQL, store.ScanOne[string], query)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// TestShreddedKeysAreErased checks that the key-encryption key, with everything on
// the disk or in a dump, decrypts nothing of erased consumers. Encrypted bytes may remain
// in a free page for a while; their data keys may not.
func TestShreddedKeysAreErased(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		_, r := b.cashflowVisit("single", "prefill", resident)
		b.ready(b.submit(submission()).text("publicToken"))
		withdraw := []string{report.Text(r.Meta.ConsumerID)}
		for i := range 40 { // more keys than a page holds
			a := b.post("/connect/consumers", b.basic(), map[string]any{"prefill": resident, "consumerExternalId": fmt.Sprint("c", i)})
			if i > 0 {
				withdraw = append(withdraw, a.text("consumerId"))
			}
		}
		deleted, kept := b.wrapped(`coalesce(c.external_id, '') <> 'c0'`), b.wrapped(`c.external_id = 'c0'`)
		if len(deleted) != 41 || len(kept) != 1 {
			t.Fatalf("%d keys to delete and %d to keep, want 41 and 1", len(deleted), len(kept))
		}
		found := func(all [][]byte) (n int) {
			t.Helper()
			disk := storetest.OnDisk(t, b.db)
			for _, raw := range all {
				if bytes.Contains(disk, raw) || bytes.Contains(disk, []byte(hex.EncodeToString(raw))) {
					n++
				}
			}
			return n
		}
		if n := found(deleted) + found(kept); n != 42 {
			t.Fatalf("%d of 42 keys are found before: the search does not work", n)
		}
		for _, id := range withdraw {
			b.want("withdrawal", b.ask(b.service.URL, "DELETE", "/connect/consumers/"+id, b.basic(), nil), 204, "")
		}
		b.advance("2184h")
		for tries := 0; found(deleted) > 0 && tries < 20; tries++ { // a request that reads may keep the database's log
			b.advance("0s")
		}
		if n := found(deleted); n != 0 {
			t.Errorf("%d keys of erased consumers are found", n)
		}
		if n := found(kept); n != 1 {
			t.Error("the key of the remaining consumer is not found")
		}
	})
}

// wrapped returns the encrypted data keys, without the system's.
func (b *testServer) wrapped(where string) [][]byte {
	b.t.Helper()
	all, err := store.QueryAll(b.t.Context(), b.db.SQL, store.ScanOne[[]byte], `SELECT k.wrapped FROM data_keys k
		LEFT JOIN consumers c ON c.key_id = k.id WHERE k.id <> $1 AND `+where, store.SystemKey)
	if err != nil {
		b.t.Fatal(err)
	}
	return all
}

// TestVisitsWithoutConsentAreDeleted checks that a visit without consent leaves no row a day after its
// end, and that nothing else is deleted with it.
func TestVisitsWithoutConsentAreDeleted(t *testing.T) {
	storetest.Each(t, store.Provider, testVisitsWithoutConsent)
}

func testVisitsWithoutConsent(t *testing.T, db *store.DB) {
	b := newTestServer(t, db, func(c *provider.Config) { c.Limits.UnconsentedHours = 24 })
	tables := strings.Fields(`visits visit_events initialization_tokens redirects invites reports consumers data_keys events deliveries
		delivery_attempts emails`)
	rows := func() (all []int) {
		for _, table := range tables {
			all = append(all, b.count(`SELECT count(*) FROM `+table))
		}
		return all
	}
	shared := b.post("/connect/consumers", b.basic(), map[string]any{"prefill": resident}).text("consumerId")
	b.begin("prefill", nil, "consumerId", shared)
	b.advance("73h")
	waitFor(t, b.db, `SELECT count(*) FROM deliveries WHERE state <> 'delivered'`, 0)
	b.advance("25h")
	waitFor(t, b.db, `SELECT count(*) FROM visits`, 0)
	kept, _ := b.cashflowVisit("single", "prefill", resident)
	waitFor(t, b.db, `SELECT count(*) FROM deliveries WHERE state = 'pending'`, 0)
	none := rows()

	b.begin("prefill", resident)
	b.begin("prefill", nil, "consumerId", shared)
	income := map[string]any{"productId": b.seed.Products[contract.Income], "prefill": resident}
	b.want("redirect", b.post("/secure-redirect", b.basic(), income), 200, "")
	b.want("invite", b.post("/connect/invite", b.basic(), with(income, "deliverTo", "ada@mail.example")), 200, "")
	b.advance("73h")
	waitFor(t, b.db, `SELECT count(*) FROM visits WHERE ended_at = 0`, 0)
	waitFor(t, b.db, `SELECT count(*) FROM deliveries WHERE state = 'pending'`, 0)
	if n := b.count(`SELECT count(*) FROM visits`); n != none[0]+4 {
		t.Errorf("%d visits an hour after their end, want %d", n, none[0]+4)
	}
	b.advance("25h")
	waitFor(t, b.db, fmt.Sprintf(`SELECT count(*) - %d FROM visits`, none[0]), 0)
	if left := rows(); !slices.Equal(left, none) {
		t.Errorf("rows of %v: %v, want %v", tables, left, none)
	}
	for path, h := range map[string]headers{"/connect/consumers/" + shared: b.basic(), "/connect/status": b.named(kept)} {
		if a := b.get(path, h); a.status != 200 {
			t.Errorf("%s: %d %s", path, a.status, a.raw)
		}
	}
}
