package sandbox

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

func loadOffset(ctx context.Context, q store.Queryer) (time.Duration, error) {
	var micros int64
	err := q.QueryRowContext(ctx, `SELECT offset_micros FROM sandbox_clock WHERE id = 1`).Scan(&micros)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return time.Duration(micros) * time.Microsecond, err
}

func saveOffset(ctx context.Context, q store.Queryer, d time.Duration) error {
	return store.Exec(q.ExecContext(ctx, `INSERT INTO sandbox_clock (id, offset_micros) VALUES (1, $1)
		ON CONFLICT (id) DO UPDATE SET offset_micros = excluded.offset_micros`, d.Microseconds()))
}

func insertPrepared(ctx context.Context, tx *store.Tx, r customers.PreparedReport, customerID, keyID string, sealed []byte) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO sandbox_reports (id, customer_id, kind, name, key_id, sealed, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, r.ID, customerID, string(r.Kind), r.Name, keyID, sealed, store.Micros(r.Created)))
}

// List implements customers.PreparedStore.
func (*Prepared) List(ctx context.Context, q store.Queryer, customerID string) ([]customers.PreparedReport, error) {
	return store.QueryAll(ctx, q, store.Columns(func(r *customers.PreparedReport) []any {
		return []any{&r.ID, &r.Name, &r.Kind, store.At(&r.Created)}
	}), `SELECT id, name, kind, created_at FROM sandbox_reports WHERE customer_id = $1 ORDER BY created_at DESC, id`, customerID)
}

// Lookup implements customers.PreparedStore.
func (*Prepared) Lookup(ctx context.Context, q store.Queryer, customerID, id string) (contract.Product, error) {
	return store.FindOne[contract.Product](q.QueryRowContext(ctx, `SELECT kind FROM sandbox_reports WHERE id = $1 AND customer_id = $2`,
		id, customerID))
}

// deletePrepared deletes a prepared report and returns its key, or store.ErrNotFound if a configuration or
// an open visit names it.
func deletePrepared(ctx context.Context, tx *store.Tx, id string) (string, error) {
	return store.FindOne[string](tx.QueryRowContext(ctx, `DELETE FROM sandbox_reports WHERE id = $1
		AND NOT EXISTS (SELECT 1 FROM product_configurations WHERE prepared_report_id = $1)
		AND NOT EXISTS (SELECT 1 FROM visits WHERE sandbox_report_id = $1 AND ended_at = 0) RETURNING key_id`, id))
}

// prepared returns a prepared report of the customer or its parent.
func prepared(ctx context.Context, q store.Queryer, customerID, id string) (keyID string, sealed []byte, err error) {
	err = q.QueryRowContext(ctx, `SELECT key_id, sealed FROM sandbox_reports WHERE id = $1
		AND customer_id IN (SELECT id FROM customers WHERE id = $2 UNION ALL SELECT parent_id FROM customers WHERE id = $2)`, id, customerID).
		Scan(&keyID, &sealed)
	return keyID, sealed, store.MapNotFound(err)
}

// putInbox adds an event, or increments its count, and deletes the oldest beyond
// inboxSize.
func putInbox(ctx context.Context, q store.Queryer, eventID string, event []byte, now time.Time) error {
	_, err := q.ExecContext(ctx, `INSERT INTO sandbox_inbox (event_id, received_at, times, event) VALUES ($1, $2, 1, $3)
		ON CONFLICT (event_id) DO UPDATE SET times = sandbox_inbox.times + 1`, eventID, store.Micros(now), string(event))
	if err != nil {
		return err
	}
	return store.Exec(q.ExecContext(ctx, `DELETE FROM sandbox_inbox WHERE event_id NOT IN (
		SELECT event_id FROM sandbox_inbox ORDER BY received_at DESC, event_id LIMIT $1)`, inboxSize))
}

// inboxEvents returns the events of the inbox, newest first.
func inboxEvents(ctx context.Context, q store.Queryer) ([]received, error) {
	out, err := store.QueryAll(ctx, q, func(row store.Row) (e received, err error) {
		var at time.Time
		err = row.Scan(store.At(&at), &e.Times, (*[]byte)(&e.Event))
		e.At = report.TimestampOf(at)
		return e, err
	}, `SELECT received_at, times, event FROM sandbox_inbox ORDER BY received_at DESC, event_id`)
	return append([]received{}, out...), err
}

// emptyDatabase deletes everything but the schema, encryption keys, generated secrets, signing
// keys, and the queue of jobs, whose jobs then find nothing to do. It lists tables
// from the database, so that none can be forgotten.
func emptyDatabase(ctx context.Context, db *store.DB, tx *store.Tx) error {
	list := `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
	if db.Dialect == store.SQLite {
		list = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	}
	names, err := queryStrings(ctx, tx, list)
	if err != nil {
		return err
	}
	var tables []string
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, "river_"), strings.HasPrefix(name, "goose_"):
		case name == "data_keys", name == "secrets", name == "signing_keys", name == "session_keys":
		default:
			tables = append(tables, name)
		}
	}
	if db.Dialect == store.Postgres {
		_, err = tx.ExecContext(ctx, `TRUNCATE `+strings.Join(tables, ", "))
	} else {
		err = emptyTables(ctx, tx, tables)
	}
	if err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM data_keys WHERE id <> $1`, store.SystemKey))
}

// emptyTables empties tables that refer to each other, with foreign keys deferred. It ends
// the deferral immediately: other members may share the engine's transaction, and an
// invalid reference of one would otherwise fail the commit of all.
func emptyTables(ctx context.Context, tx *store.Tx, tables []string) (err error) {
	if _, err := tx.ExecContext(ctx, `PRAGMA defer_foreign_keys = ON`); err != nil {
		return err
	}
	defer func() {
		_, back := tx.ExecContext(context.WithoutCancel(ctx), `PRAGMA defer_foreign_keys = OFF`)
		err = errors.Join(err, back)
	}()
	for _, name := range tables {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+name); err != nil {
			return err
		}
	}
	return nil
}

func queryStrings(ctx context.Context, tx *store.Tx, query string) ([]string, error) {
	return store.QueryAll(ctx, tx, store.ScanOne[string], query)
}
