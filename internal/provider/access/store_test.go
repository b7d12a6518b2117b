package access

import (
	"context"
	"crypto/md5"
	"testing"

	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestAPersonsReportsAreFoundByIndex counts the rows that PostgreSQL reads to find what the service holds of a person: not those of
// everybody.
func TestAPersonsReportsAreFoundByIndex(t *testing.T) {
	db := storetest.Postgres(t, store.Provider)
	db.SQL.SetMaxOpenConns(1)
	for _, statement := range []string{
		`SET session_replication_role TO replica`, // no foreign keys
		`INSERT INTO consumers (id, customer_id, key_id, created_at, updated_at, mailbox)
			SELECT 'c' || n, 'x', 'k' || n, n, n, decode(md5(n::text), 'hex') FROM generate_series(1, 20000) AS n`,
		`INSERT INTO reports (public_token, customer_id, product_id, kind, consumer_id, key_id, status, created_at, updated_at, erased_at)
			SELECT 'r' || n, 'x', 'p', 'cashflow', 'c' || n, 'k' || n, 'SUCCESS', n, n, CASE WHEN n % 2 = 0 THEN n END
			FROM generate_series(1, 20000) AS n`,
		`INSERT INTO report_reads (public_token, reader, revision, first_at, last_at)
			SELECT 'r' || n, 'x', 0, n, n FROM generate_series(1, 20000) AS n`,
		`ANALYZE`,
	} {
		if _, err := db.SQL.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	mailbox := md5.Sum([]byte("17"))
	o := session{mailbox: mailbox[:]}
	for name, find := range map[string]func(context.Context) error{
		"tokens":   func(ctx context.Context) error { _, err := tokens(ctx, db.SQL, o, ""); return err },
		"newestOf": func(ctx context.Context) error { _, err := newestOf(ctx, db.SQL, o.mailbox, ""); return err },
		"readers":  func(ctx context.Context) error { _, err := readers(ctx, db.SQL, o); return err },
		"OfMailbox": func(ctx context.Context) error {
			_, err := (&reports.Service{}).OfMailbox(ctx, db.SQL, o.mailbox, 9)
			return err
		},
	} {
		for _, table := range []string{"reports", "consumers", "report_reads"} {
			if rows := storetest.RowsRead(t, db, table, func() error { return find(t.Context()) }); rows > 20 {
				t.Errorf("%s reads %d rows of %s", name, rows, table)
			}
		}
	}
}
