package access

import (
	"context"
	"database/sql"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/store"
)

// emailRequest is a request for an email with a link.
type emailRequest struct {
	id      string
	mailbox []byte
	lang    i18n.Lang
}

func insertRequest(ctx context.Context, tx *store.Tx, r emailRequest) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO access_requests (id, mailbox, lang, created_at) VALUES ($1, $2, $3, $4)`,
		r.id, r.mailbox, string(r.lang), store.Micros(tx.Now))
	return err
}

// takeRequest deletes a request and returns it, or store.ErrNotFound.
func takeRequest(ctx context.Context, tx *store.Tx, id string) (emailRequest, error) {
	r := emailRequest{id: id}
	err := tx.QueryRowContext(ctx, `DELETE FROM access_requests WHERE id = $1 RETURNING mailbox, lang`, id).Scan(&r.mailbox, &r.lang)
	return r, store.MapNotFound(err)
}

func deleteOldRequests(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM access_requests WHERE id IN (
		SELECT id FROM access_requests WHERE created_at < $1 LIMIT $2)`, store.Micros(tx.Now.Add(-linkLife)), int64(limit)))
}

func insertLink(ctx context.Context, tx *store.Tx, hash, mailbox []byte) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO access_links (hash, mailbox, expires_at) VALUES ($1, $2, $3)`,
		hash, mailbox, store.Micros(tx.Now.Add(linkLife)))
	return err
}

// linkWorks reports whether a link can be used.
func linkWorks(ctx context.Context, q store.Queryer, hash []byte, now time.Time) (works bool, err error) {
	err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM access_links
		WHERE hash = $1 AND session_hash IS NULL AND expires_at > $2)`, hash, store.Micros(now)).Scan(&works)
	return works, err
}

// useLink turns a link into a session. It returns false for a link that is used, expired
// or unknown.
func useLink(ctx context.Context, tx *store.Tx, hash, session []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE access_links SET session_hash = $2, expires_at = $3
		WHERE hash = $1 AND session_hash IS NULL AND expires_at > $4`,
		hash, session, store.Micros(tx.Now.Add(sessionLife)), store.Micros(tx.Now)))
}

// mailboxOf returns the mailbox of a session, or store.ErrNotFound.
func mailboxOf(ctx context.Context, q store.Queryer, session []byte, now time.Time) (mailbox []byte, err error) {
	err = q.QueryRowContext(ctx, `SELECT mailbox FROM access_links WHERE session_hash = $1 AND expires_at > $2`,
		session, store.Micros(now)).Scan(&mailbox)
	return mailbox, store.MapNotFound(err)
}

func deleteSession(ctx context.Context, q store.Queryer, session []byte) error {
	_, err := q.ExecContext(ctx, `DELETE FROM access_links WHERE session_hash = $1`, session)
	return err
}

func deleteExpiredLinks(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM access_links WHERE hash IN (
		SELECT hash FROM access_links WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`, store.Micros(tx.Now), int64(limit)))
}

// ofMailbox joins the consumers c of the mailbox $1 with their reports r.
const ofMailbox = ` FROM consumers c JOIN reports r ON r.key_id = c.key_id
	WHERE c.mailbox = $1 AND c.erased_at IS NULL AND r.erased_at IS NULL`

// recipient is the consumer whose details have the address of a mailbox, with a report.
type recipient struct{ customerID, consumerID, publicToken string }

// newestOf returns the consumer of a mailbox with the newest report, of one customer unless
// customerID is "", or store.ErrNotFound.
func newestOf(ctx context.Context, q store.Queryer, mailbox []byte, customerID string) (r recipient, err error) {
	err = q.QueryRowContext(ctx, `SELECT c.customer_id, c.id, r.public_token`+ofMailbox+`
		AND ($2 = '' OR c.customer_id = $2) ORDER BY r.created_at DESC, r.public_token LIMIT 1`, mailbox, customerID).
		Scan(&r.customerID, &r.consumerID, &r.publicToken)
	return r, store.MapNotFound(err)
}

// consenting returns the ids of a customer's consumers with a mailbox that have not
// withdrawn consent.
func consenting(ctx context.Context, tx *store.Tx, mailbox []byte, customerID string) ([]string, error) {
	return store.QueryAll(ctx, tx, store.ScanOne[string], `SELECT id FROM consumers
		WHERE mailbox = $1 AND customer_id = $2 AND erased_at IS NULL AND withdrawn_at IS NULL ORDER BY id`, mailbox, customerID)
}

// sharedReport is a report that a consumer shared with a customer.
type sharedReport struct {
	publicToken string
	customerID  string
	kind        contract.Product
	status      contract.Status
	created     time.Time
	withdrawn   time.Time // zero: consent was not withdrawn
	source      string    // publicToken of the report whose visit connected the sources
	updates     int       // reports that were made later from the same access
	updated     time.Time // the last of them
	total       int       // reports of the mailbox at this customer
}

// maxReports is how many reports the page shows for each company.
const maxReports = 20

// sharedReports lists the reports of a mailbox, newest first: those to which the consumer
// agreed, and those that were made.
func sharedReports(ctx context.Context, q store.Queryer, mailbox []byte) ([]sharedReport, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (r sharedReport, err error) {
		var created int64
		var withdrawn, updated sql.NullInt64
		err = row.Scan(&r.publicToken, &r.customerID, &r.kind, &r.status, &created, &withdrawn, &r.source, &r.updates, &updated, &r.total)
		r.created, r.withdrawn, r.updated = store.Time(created), store.NullTime(withdrawn), store.NullTime(updated)
		return r, err
	}, `SELECT public_token, customer_id, kind, status, created_at, withdrawn_at, source, updates, updated, total FROM (
			SELECT r.public_token, r.customer_id, r.kind, r.status, r.created_at, c.withdrawn_at,
				coalesce(r.source_token, r.public_token) AS source,
				(SELECT count(*) FROM reports u WHERE u.key_id = r.key_id AND u.refreshed_from = r.public_token
					AND u.status = 'SUCCESS' AND u.erased_at IS NULL) AS updates,
				(SELECT max(u.created_at) FROM reports u WHERE u.key_id = r.key_id AND u.refreshed_from = r.public_token
					AND u.status = 'SUCCESS' AND u.erased_at IS NULL) AS updated,
				count(*) OVER (PARTITION BY r.customer_id) AS total,
				row_number() OVER (PARTITION BY r.customer_id ORDER BY r.created_at DESC, r.public_token) AS nth`+ofMailbox+`
				AND r.refreshed_from IS NULL AND (r.status = 'SUCCESS' OR EXISTS (SELECT 1 FROM visits v
					JOIN visit_events e ON e.visit_id = v.id WHERE v.public_token = r.public_token AND e.kind = 'consented'))
		) AS shared WHERE nth <= $2 ORDER BY created_at DESC, public_token`, mailbox, int64(maxReports))
}
