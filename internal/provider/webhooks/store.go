package webhooks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// receiving returns SQL for the enabled endpoints c that get the events about an account: its own
// or, without any, its parent's. SQLite would read the endpoints of every account through all_callbacks.
func receiving(customerID string) string {
	of := ` WHERE disabled_at IS NULL AND customer_id = coalesce((SELECT o.customer_id FROM callbacks o WHERE o.customer_id = ` +
		customerID + `), (SELECT m.parent_id FROM customers m WHERE m.id = ` + customerID + `))`
	return `FROM (SELECT id AS first_id, '' AS further_id, statuses FROM callbacks` + of + `
		UNION ALL SELECT first_id, id, statuses FROM further_callbacks` + of + `) c`
}

// insertEvents adds events and returns, by event id, the endpoints to deliver them to.
// An event has none without an enabled endpoint that subscribes to its status.
func insertEvents(ctx context.Context, tx *store.Tx, all []event) (map[string][]webhook.Endpoint, error) {
	var values []string
	var args []any
	for i := range store.PadCount(len(all)) {
		values = append(values, fmt.Sprintf("($%d, $%d, $%d, $%d, $%d, CAST($%d AS BIGINT))", 6*i+1, 6*i+2, 6*i+3, 6*i+4, 6*i+5, 6*i+6))
		if i >= len(all) {
			args = append(args, "", "", "", "", "", 0) // left out
			continue
		}
		e := all[i]
		args = append(args, e.id, e.customerID, e.publicToken, string(e.status), string(e.substatus), store.Micros(e.created))
	}
	type inserted struct{ eventID, endpoints string }
	scan := store.Columns(func(r *inserted) []any { return []any{&r.eventID, &r.endpoints} })
	rows, err := store.QueryAll(ctx, tx, scan, `INSERT INTO events (id, customer_id, subject_id, type, detail, created_at)
		SELECT v.column1, v.column2, v.column3, v.column4, nullif(v.column5, ''), v.column6
		FROM (VALUES `+strings.Join(values, ", ")+`) v WHERE v.column1 <> ''
		RETURNING id, coalesce((SELECT string_agg(c.first_id || ' ' || c.further_id, ',') `+receiving("events.customer_id")+`
			WHERE (c.statuses = '' OR ' ' || c.statuses || ' ' LIKE '% ' || events.type || ' %')), '')`, args...)
	out := map[string][]webhook.Endpoint{}
	for _, r := range rows {
		for _, ids := range strings.FieldsFunc(r.endpoints, func(c rune) bool { return c == ',' }) {
			first, further, _ := strings.Cut(ids, " ")
			out[r.eventID] = append(out[r.eventID], webhook.Endpoint{CallbackID: first, FurtherID: further})
		}
	}
	return out, err
}

// receivers returns the endpoints that get the events about an account, whatever they subscribe to.
func receivers(ctx context.Context, q store.Queryer, customerID string) ([]webhook.Endpoint, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (e webhook.Endpoint, err error) {
		return e, row.Scan(&e.CallbackID, &e.FurtherID)
	}, `SELECT c.first_id, c.further_id `+receiving("$1")+` ORDER BY c.further_id`, customerID)
}

// eventsOf returns a report's events, oldest first.
func eventsOf(ctx context.Context, q store.Queryer, publicToken string) ([]event, error) {
	return store.QueryAll(ctx, q, scanEvent, `SELECT id, customer_id, subject_id, type, coalesce(detail, ''), created_at
		FROM events WHERE subject_id = $1 ORDER BY created_at, id`, publicToken)
}

// ofCustomer is the condition of an event about account $1 or about a child account of it without a
// callback.
const ofCustomer = `(e.customer_id = $1 OR e.customer_id IN (SELECT m.id FROM customers m WHERE m.parent_id = $1
	AND NOT EXISTS (SELECT 1 FROM callbacks o WHERE o.customer_id = m.id)))`

func scanEvent(row store.Row) (e event, err error) {
	err = row.Scan(&e.id, &e.customerID, &e.publicToken, &e.status, &e.substatus, store.At(&e.created))
	return e, err
}

// countTests counts a customer's test events since an instant.
func countTests(ctx context.Context, q store.Queryer, customerID string, since time.Time) (int, error) {
	return store.ScanOne[int](q.QueryRowContext(ctx, `SELECT COUNT(*) FROM events
		WHERE customer_id = $1 AND created_at > $2 AND type = 'TEST'`,
		customerID, store.Micros(since)))
}

// addressee returns an endpoint's URL, whether it is disabled, as a removed one is, and the publicId of the account that an event is
// about.
func addressee(ctx context.Context, q store.Queryer, d webhook.Delivery) (t webhook.Target, err error) {
	table, id := tableOf(d.Endpoint)
	err = q.QueryRowContext(ctx, `SELECT t.url, t.disabled_at IS NOT NULL, c.public_id FROM `+table+` t, events e
		JOIN customers c ON c.id = e.customer_id WHERE t.id = $1 AND e.id = $2`, id, d.EventID).Scan(&t.URL, &t.Off, &t.Account)
	if err = store.MapNotFound(err); errors.Is(err, store.ErrNotFound) && d.FurtherID != "" {
		return webhook.Target{Off: true}, nil
	}
	return t, err
}

// endpointOf returns the endpoint of the customer with an id, or all with an empty id. CallbackID
// is empty without an endpoint. An id of another customer's selects no deliveries.
func endpointOf(ctx context.Context, q store.Queryer, customerID, id string) (e webhook.Endpoint, err error) {
	err = q.QueryRowContext(ctx, `SELECT coalesce((SELECT id FROM callbacks WHERE customer_id = $1), '')`, customerID).Scan(&e.CallbackID)
	switch id {
	case "":
		e.FurtherID = webhook.Every
	case e.CallbackID:
	default:
		e.FurtherID = id
	}
	return e, err
}

func tableOf(e webhook.Endpoint) (table, id string) {
	if e.FurtherID != "" {
		return "further_callbacks", e.FurtherID
	}
	return "callbacks", e.CallbackID
}

func secretsOf(e webhook.Endpoint) (table, id string) {
	table, id = tableOf(e)
	return strings.TrimSuffix(table, "s") + "_secrets", id
}

// accountOf returns the publicId of the account that an event is about.
func accountOf(ctx context.Context, q store.Queryer, eventID string) (string, error) {
	return store.FindOne[string](q.QueryRowContext(ctx, `SELECT c.public_id FROM events e
		JOIN customers c ON c.id = e.customer_id WHERE e.id = $1`, eventID))
}

// upsertCallback sets the customer's callback, enables it, and returns its id.
func upsertCallback(ctx context.Context, tx *store.Tx, id, customerID, url string) (string, error) {
	err := tx.QueryRowContext(ctx, `INSERT INTO callbacks (id, customer_id, url, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (customer_id) DO UPDATE SET url = excluded.url, disabled_at = NULL RETURNING id`,
		id, customerID, url, store.Micros(tx.Now)).Scan(&id)
	return id, err
}

// disableCallback disables the endpoint of a delivery, unless its URL has changed.
func disableCallback(ctx context.Context, tx *store.Tx, d webhook.Delivery, url string) (bool, error) {
	table, id := tableOf(d.Endpoint)
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE `+table+` SET disabled_at = $3 WHERE id = $1 AND url = $2`,
		id, url, store.Micros(tx.Now)))
}

func insertFurther(ctx context.Context, tx *store.Tx, c webhook.Callback, customerID string) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO further_callbacks (id, first_id, customer_id, url, created_at)
		VALUES ($1, $2, $3, $4, $5)`,
		c.ID, c.CallbackID, customerID, c.URL, store.Micros(tx.Now)))
}

// Remove removes an endpoint with its secrets; its deliveries stay. ok is false for the first.
func (*Service) Remove(ctx context.Context, tx *store.Tx, c webhook.Callback) (ok bool, err error) {
	return store.ExecOne(tx.ExecContext(ctx, `DELETE FROM further_callbacks WHERE id = $1`, c.FurtherID))
}

// SetURL sets the URL of an endpoint and enables it.
func (*Service) SetURL(ctx context.Context, tx *store.Tx, c webhook.Callback, url string) error {
	table, id := tableOf(c.Endpoint)
	return store.Exec(tx.ExecContext(ctx, `UPDATE `+table+` SET url = $2, disabled_at = NULL WHERE id = $1`, id, url))
}

// signingSecret is a secret with its encrypted text.
type signingSecret struct {
	webhook.Signer
	encrypted []byte
}

// signingSecrets returns the secrets that have not expired, newest first.
func signingSecrets(ctx context.Context, q store.Queryer, of webhook.Endpoint, now time.Time) ([]signingSecret, error) {
	table, id := secretsOf(of)
	return store.QueryAll(ctx, q, scanSecret, `SELECT id, sealed, created_at, expires_at FROM `+table+`
		WHERE callback_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY expires_at IS NULL DESC, created_at DESC, id`,
		id, store.Micros(now))
}

func scanSecret(row store.Row) (s signingSecret, err error) {
	err = row.Scan(&s.ID, &s.encrypted, store.At(&s.Created), store.At(&s.Ends))
	return s, err
}

func insertSecret(ctx context.Context, tx *store.Tx, id string, to webhook.Endpoint, sealed []byte) error {
	table, callbackID := secretsOf(to)
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO `+table+` (id, callback_id, sealed, created_at) VALUES ($1, $2, $3, $4)`,
		id, callbackID, sealed, store.Micros(tx.Now)))
}

// expireSecrets makes the current secret of a first endpoint expire at an instant, and those
// that were already expiring immediately, so that at most two sign.
func expireSecrets(ctx context.Context, tx *store.Tx, callbackID string, at time.Time) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM callback_secrets WHERE callback_id = $1 AND expires_at IS NOT NULL`, callbackID)
	if err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `UPDATE callback_secrets SET expires_at = $2 WHERE callback_id = $1`, callbackID, store.Micros(at)))
}

const selectCallback = `SELECT id, first_id, further_id, url, disabled_at, statuses, created_at FROM all_callbacks WHERE customer_id = $1 `

// Callbacks lists the customer's endpoints, the first one first.
func (*Service) Callbacks(ctx context.Context, q store.Queryer, customerID string) ([]webhook.Callback, error) {
	return store.QueryAll(ctx, q, scanCallback, selectCallback+`ORDER BY further_id <> '', created_at, id`, customerID)
}

// lockedCallbacks is Callbacks for a transaction that adds one; others wait.
func (s *Service) lockedCallbacks(ctx context.Context, tx *store.Tx, customerID string) ([]webhook.Callback, error) {
	var id string
	err := tx.QueryRowContext(ctx, `SELECT id FROM customers WHERE id = $1`+s.DB.ForUpdate(), customerID).Scan(&id)
	if err != nil {
		return nil, store.MapNotFound(err)
	}
	return s.Callbacks(ctx, tx, customerID)
}

func callback(ctx context.Context, q store.Queryer, customerID, id string) (webhook.Callback, error) {
	if id != "" && !contract.IsUUID(id) {
		return webhook.Callback{}, store.ErrNotFound
	}
	return scanCallback(q.QueryRowContext(ctx, selectCallback+`AND (id = $2 OR $2 = '' AND further_id = '')`, customerID, id))
}

func scanCallback(row store.Row) (c webhook.Callback, err error) {
	var statuses string
	err = row.Scan(&c.ID, &c.CallbackID, &c.FurtherID, &c.URL, store.At(&c.Disabled), &statuses, store.At(&c.Created))
	for _, s := range strings.Fields(statuses) {
		c.Statuses = append(c.Statuses, contract.Status(s))
	}
	return c, store.MapNotFound(err)
}

// retire makes the current secret of an endpoint expire at an instant if it has that
// id; one of several concurrent calls succeeds.
func retire(ctx context.Context, tx *store.Tx, of webhook.Endpoint, secretID string, at time.Time) (bool, error) {
	table, id := secretsOf(of)
	ok, err := store.ExecOne(tx.ExecContext(ctx, `UPDATE `+table+` SET expires_at = $3
		WHERE id = $1 AND callback_id = $2 AND expires_at IS NULL`, secretID, id, store.Micros(at)))
	if err != nil || !ok {
		return false, err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE callback_id = $1 AND id <> $2`, id, secretID)
	return err == nil, err
}

// SetEnabled enables or disables an endpoint; changed is false if it already was so. Events
// during a disabled period are not delivered.
func (s *Service) SetEnabled(ctx context.Context, tx *store.Tx, c webhook.Callback, on bool) (changed bool, err error) {
	table, id := tableOf(c.Endpoint)
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE `+table+` SET disabled_at = $2 WHERE id = $1 AND (disabled_at IS NULL) = $3`,
		id, sql.NullInt64{Int64: store.Micros(tx.Now), Valid: !on}, !on))
}

func setStatuses(ctx context.Context, tx *store.Tx, c webhook.Callback, statuses []string) error {
	table, id := tableOf(c.Endpoint)
	return store.Exec(tx.ExecContext(ctx, `UPDATE `+table+` SET statuses = $2 WHERE id = $1`, id, strings.Join(statuses, " ")))
}

// deleteExpired returns a function that deletes secrets of a table that no longer sign.
func deleteExpired(table string) func(context.Context, *store.Tx, int) (int64, error) {
	return func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
		return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE id IN (
			SELECT id FROM `+table+` WHERE expires_at IS NOT NULL AND expires_at <= $1 LIMIT $2)`, store.Micros(tx.Now), limit))
	}
}
