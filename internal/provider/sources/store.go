package sources

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/store"
)

// authorization is a row of source_authorizations without its hashes.
type authorization struct {
	visitID     string
	environment contract.Environment
	institution string
	keyID       string
	pending     []byte // encrypted
}

func insertAuthorization(ctx context.Context, tx *store.Tx, a authorization, state, browser []byte, expires time.Time) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO source_authorizations
		(state_hash, browser_hash, visit_id, environment, institution, key_id, pending, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		state, browser, a.visitID, a.environment, a.institution, a.keyID, a.pending, store.Micros(tx.Now), store.Micros(expires)))
}

// HasAuthorization reports whether a visit has an authorization at an institution that
// can still be completed and was begun after the last callback of the visit: with it, the
// applicant came back from the bank. It also reports one whose callback is being exchanged for
// access: it arrived after the visit last moved.
func (s *Service) HasAuthorization(ctx context.Context, q store.Queryer, visitID, institution string,
	moved time.Time) (ok bool, err error) {
	now := s.Now()
	err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM source_authorizations
		WHERE visit_id = $1 AND institution = $2 AND (
			used_at = 0 AND expires_at > $3
				AND created_at >= (SELECT MAX(used_at) FROM source_authorizations WHERE visit_id = $1)
			OR used_at > $4 AND used_at > $5))`,
		visitID, institution, store.Micros(now), store.Micros(moved), store.Micros(now.Add(-exchangeTime))).Scan(&ok)
	return ok, err
}

// useAuthorization marks an authorization as used and returns it. For an unknown state,
// another browser, a second use, and after the expiry it returns store.ErrNotFound.
func useAuthorization(ctx context.Context, tx *store.Tx, state, browser []byte) (a authorization, err error) {
	err = tx.QueryRowContext(ctx, `UPDATE source_authorizations SET used_at = $1
		WHERE state_hash = $2 AND browser_hash = $3 AND used_at = 0 AND expires_at > $1
		RETURNING visit_id, environment, institution, key_id, pending`,
		store.Micros(tx.Now), state, browser).Scan(&a.visitID, &a.environment, &a.institution, &a.keyID, &a.pending)
	return a, store.MapNotFound(err)
}

// Connection describes access to a consumer's data at an institution, made for a report.
type Connection struct {
	ID          string
	PublicToken string
	CustomerID  string
	ConsumerID  string
	Environment contract.Environment
	Institution string
	KeyID       string
	Created     time.Time
	Expires     time.Time
	Ended       time.Time // zero: the access can be used, until it expires
}

// Open reports whether the access can be used at a time.
func (c Connection) Open(at time.Time) bool { return c.Ended.IsZero() && at.Before(c.Expires) }

const connectionColumns = `id, public_token, customer_id, consumer_id, environment, institution, key_id, created_at, expires_at, ended_at`

func scanConnection(row store.Row) (c Connection, err error) {
	err = row.Scan(&c.ID, &c.PublicToken, &c.CustomerID, &c.ConsumerID, &c.Environment, &c.Institution, &c.KeyID,
		store.At(&c.Created), store.At(&c.Expires), store.At(&c.Ended))
	return c, store.MapNotFound(err)
}

func insertConnection(ctx context.Context, tx *store.Tx, c Connection, access []byte) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO source_connections
		(id, public_token, customer_id, consumer_id, environment, institution, key_id, access, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		c.ID, c.PublicToken, c.CustomerID, c.ConsumerID, c.Environment, c.Institution, c.KeyID, access,
		store.Micros(c.Created), store.Micros(c.Expires)))
}

// Get returns a connection, or store.ErrNotFound.
func (s *Service) Get(ctx context.Context, q store.Queryer, id string) (Connection, error) {
	return scanConnection(q.QueryRowContext(ctx, `SELECT `+connectionColumns+` FROM source_connections WHERE id = $1`, id))
}

// Lock is Get for a connection that cannot end before tx does.
func (s *Service) Lock(ctx context.Context, tx *store.Tx, id string) (Connection, error) {
	return scanConnection(tx.QueryRowContext(ctx, `SELECT `+connectionColumns+` FROM source_connections WHERE id = $1`+s.DB.ForUpdate(), id))
}

// OfMailbox returns the connections of the consumers whose details have an email address,
// by its hash; ended ones too, in the order of their ids.
func (s *Service) OfMailbox(ctx context.Context, q store.Queryer, mailbox []byte) ([]Connection, error) {
	return store.QueryAll(ctx, q, scanConnection, `SELECT `+connectionColumns+` FROM source_connections WHERE consumer_id IN (
		SELECT id FROM consumers WHERE mailbox = $1 AND erased_at IS NULL) ORDER BY id`, mailbox)
}

// OfReport returns the connections of a report, ended ones too, oldest first.
func (s *Service) OfReport(ctx context.Context, q store.Queryer, publicToken string) ([]Connection, error) {
	return store.QueryAll(ctx, q, scanConnection, `SELECT `+connectionColumns+` FROM source_connections
		WHERE public_token = $1 ORDER BY created_at, id`, publicToken)
}

// lease reserves the access of a connection until an instant and returns it encrypted.
// If another fetch has reserved it, or it has ended or expired, it returns
// store.ErrNotFound.
func lease(ctx context.Context, tx *store.Tx, id string, until time.Time) ([]byte, error) {
	return store.FindOne[[]byte](tx.QueryRowContext(ctx, `UPDATE source_connections SET leased_until = $1
		WHERE id = $2 AND leased_until <= $3 AND ended_at = 0 AND expires_at > $3 RETURNING access`,
		store.Micros(until), id, store.Micros(tx.Now)))
}

func release(ctx context.Context, tx *store.Tx, id string) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE source_connections SET leased_until = 0 WHERE id = $1`, id))
}

// setAccess replaces the access of a connection.
func setAccess(ctx context.Context, tx *store.Tx, id string, access []byte) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE source_connections SET access = $1 WHERE id = $2`,
		sql.Null[[]byte]{V: access, Valid: access != nil}, id))
}

// accessOf returns the encrypted access of a connection; nil without any.
func accessOf(ctx context.Context, q store.Queryer, id string) ([]byte, error) {
	return store.FindOne[[]byte](q.QueryRowContext(ctx, `SELECT access FROM source_connections WHERE id = $1`, id))
}

// end marks a connection as ended. It returns false if the connection had ended before.
func end(ctx context.Context, tx *store.Tx, id string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE source_connections SET ended_at = $1 WHERE id = $2 AND ended_at = 0`,
		store.Micros(tx.Now), id))
}

// openOfReport, openOfConsumer, and openExpired return the ids of connections that have
// not ended.
func openOfReport(ctx context.Context, q store.Queryer, publicToken string) ([]string, error) {
	return store.QueryAll(ctx, q, store.ScanOne[string],
		`SELECT id FROM source_connections WHERE public_token = $1 AND ended_at = 0 ORDER BY id`, publicToken)
}

func openOfConsumer(ctx context.Context, q store.Queryer, consumerID string) ([]string, error) {
	return store.QueryAll(ctx, q, store.ScanOne[string],
		`SELECT id FROM source_connections WHERE consumer_id = $1 AND ended_at = 0 ORDER BY id`, consumerID)
}

func openExpired(ctx context.Context, tx *store.Tx, limit int) ([]string, error) {
	return store.QueryAll(ctx, tx, store.ScanOne[string], `SELECT id FROM source_connections
		WHERE ended_at = 0 AND expires_at <= $1 ORDER BY expires_at LIMIT $2`, store.Micros(tx.Now), limit)
}

// keepOfReport marks the open connections of a report as kept.
func keepOfReport(ctx context.Context, tx *store.Tx, publicToken string) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE source_connections SET retained_at = $1 WHERE public_token = $2 AND ended_at = 0`,
		store.Micros(tx.Now), publicToken))
}

// Kept returns the open connections, newest first, that were kept after their report.
// They belong to the consumer of the customer, or to the report of publicToken.
func (s *Service) Kept(ctx context.Context, tx *store.Tx, customerID, consumerID, publicToken string) ([]Connection, error) {
	return store.QueryAll(ctx, tx, scanConnection, `SELECT `+connectionColumns+` FROM source_connections
		WHERE customer_id = $1 AND (public_token = $2 OR consumer_id = $3 AND consumer_id <> '')
			AND retained_at > 0 AND ended_at = 0 AND expires_at > $4 ORDER BY created_at DESC, id`,
		customerID, publicToken, consumerID, store.Micros(tx.Now))
}

// customersOfKept returns the ids of the customers with kept connections.
func customersOfKept(ctx context.Context, tx *store.Tx) ([]string, error) {
	return store.QueryAll(ctx, tx, store.ScanOne[string],
		`SELECT DISTINCT customer_id FROM source_connections WHERE ended_at = 0 AND retained_at > 0`)
}

// keptOfCustomer returns the ids of a customer's kept connections.
func keptOfCustomer(ctx context.Context, tx *store.Tx, customerID string, limit int) ([]string, error) {
	return store.QueryAll(ctx, tx, store.ScanOne[string], `SELECT id FROM source_connections
		WHERE customer_id = $1 AND ended_at = 0 AND retained_at > 0 ORDER BY id LIMIT $2`, customerID, limit)
}

// addEvent adds an entry to the audit trail of a connection.
func addEvent(ctx context.Context, tx *store.Tx, id, kind string, reason Reason) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO source_events (connection_id, seq, at, kind, reason)
		SELECT $1, coalesce(max(seq), 0) + 1, $2, $3, $4 FROM source_events WHERE connection_id = $1`,
		id, store.Micros(tx.Now), kind, string(reason)))
}

// Event is an entry of the audit trail of a report's connections.
type Event struct {
	Connection  string
	Institution string
	At          time.Time
	Kind        string // authorized, fetched, partial, failed, renewed, ended, revoked
	Reason      Reason // of partial and failed
}

// Events returns the audit trail of a report's connections, oldest first.
func (s *Service) Events(ctx context.Context, q store.Queryer, publicToken string) ([]Event, error) {
	return store.QueryAll(ctx, q, store.Columns(func(e *Event) []any {
		return []any{&e.Connection, &e.Institution, store.At(&e.At), &e.Kind, &e.Reason}
	}), `SELECT c.id, c.institution, e.at, e.kind, e.reason FROM source_events e
		JOIN source_connections c ON c.id = e.connection_id WHERE c.public_token = $1 ORDER BY e.at, c.id, e.seq`, publicToken)
}

func deleteAuthorizations(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM source_authorizations WHERE state_hash IN (
		SELECT state_hash FROM source_authorizations WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`,
		store.Micros(tx.Now), limit))
}

// deleteEnded deletes connections that ended before an instant and have no access left,
// with their events.
func deleteEnded(ctx context.Context, tx *store.Tx, ended time.Time, limit int) (int64, error) {
	ids, err := store.QueryAll(ctx, tx, store.ScanOne[string], `SELECT id FROM source_connections
		WHERE ended_at > 0 AND ended_at < $1 AND access IS NULL ORDER BY ended_at LIMIT $2`, store.Micros(ended), limit)
	for _, id := range ids {
		_, err1 := tx.ExecContext(ctx, `DELETE FROM source_events WHERE connection_id = $1`, id)
		_, err2 := tx.ExecContext(ctx, `DELETE FROM source_connections WHERE id = $1`, id)
		if err := errors.Join(err1, err2); err != nil {
			return 0, err
		}
	}
	return int64(len(ids)), err
}
