package access

import (
	"context"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// emailRequest is a request for an email with a link.
type emailRequest struct {
	id      string
	mailbox []byte
	lang    i18n.Lang
}

func insertRequest(ctx context.Context, tx *store.Tx, r emailRequest) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO access_requests (id, mailbox, lang, created_at) VALUES ($1, $2, $3, $4)`,
		r.id, r.mailbox, string(r.lang), store.Micros(tx.Now)))
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

// session is what a link, and the session that it opens, shows: the data of a mailbox.
type session struct {
	mailbox []byte
	company string // customer id: of this company alone; "" for all
}

// all reports whether the session shows the whole file, and can freeze it.
func (o session) all() bool { return o.company == "" }

func insertLink(ctx context.Context, tx *store.Tx, hash []byte, o session, shownTo string, life time.Duration) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO access_links (hash, mailbox, customer_id, shown_to, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		hash, o.mailbox, o.company, shownTo, store.Micros(tx.Now.Add(life)))
	return err
}

// byUser is a condition on links and their sessions: the user who was shown the link, if any, still exists.
const byUser = ` AND (shown_to = '' OR EXISTS (SELECT 1 FROM users WHERE users.id = access_links.shown_to))`

func linkWorks(ctx context.Context, q store.Queryer, hash []byte, now time.Time) (bool, error) {
	return store.ScanOne[bool](q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM access_links
		WHERE hash = $1 AND session_hash IS NULL AND expires_at > $2`+byUser+`)`, hash, store.Micros(now)))
}

// useLink turns a link into a session. It returns false for a link that is used, expired
// or unknown.
func useLink(ctx context.Context, tx *store.Tx, hash, session []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE access_links SET session_hash = $2, expires_at = $3
		WHERE hash = $1 AND session_hash IS NULL AND expires_at > $4`+byUser,
		hash, session, store.Micros(tx.Now.Add(sessionLife)), store.Micros(tx.Now)))
}

// sessionOf returns what the session of a secret's hash shows, or store.ErrNotFound.
func sessionOf(ctx context.Context, q store.Queryer, hash []byte, now time.Time) (o session, err error) {
	err = q.QueryRowContext(ctx, `SELECT mailbox, customer_id FROM access_links WHERE session_hash = $1 AND expires_at > $2`+byUser,
		hash, store.Micros(now)).Scan(&o.mailbox, &o.company)
	return o, store.MapNotFound(err)
}

func deleteSession(ctx context.Context, q store.Queryer, session []byte) error {
	return store.Exec(q.ExecContext(ctx, `DELETE FROM access_links WHERE session_hash = $1`, session))
}

func deleteExpiredLinks(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM access_links WHERE hash IN (
		SELECT hash FROM access_links WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`, store.Micros(tx.Now), int64(limit)))
}

// ofMailbox joins the reports r of the mailbox $1, of one customer unless $2 is "", with their
// consumers c. Reports of submissions have no consumer.
const ofMailbox = ` FROM reports r LEFT JOIN consumers c ON c.key_id = r.key_id AND c.erased_at IS NULL
	WHERE r.public_token IN (
		SELECT x.public_token FROM consumers y JOIN reports x ON x.key_id = y.key_id WHERE y.mailbox = $1 AND y.erased_at IS NULL
		UNION ALL SELECT x.public_token FROM reports x WHERE x.mailbox = $1)
	AND ($2 = '' OR r.customer_id = $2) AND r.erased_at IS NULL`

// recipient is the consumer whose details have the address of a mailbox, with a report.
type recipient struct{ customerID, consumerID, publicToken string }

// newestOf returns the consumer of a mailbox with the newest report, of one customer unless
// customerID is "", or store.ErrNotFound.
func newestOf(ctx context.Context, q store.Queryer, mailbox []byte, customerID string) (r recipient, err error) {
	err = q.QueryRowContext(ctx, `SELECT c.customer_id, c.id, r.public_token`+ofMailbox+`
		AND c.id IS NOT NULL ORDER BY r.created_at DESC, r.public_token LIMIT 1`, mailbox, customerID).
		Scan(&r.customerID, &r.consumerID, &r.publicToken)
	return r, store.MapNotFound(err)
}

// tokens returns the publicTokens of all reports of a session, the newest first, or of one.
func tokens(ctx context.Context, q store.Queryer, o session, one string) ([]string, error) {
	return store.QueryAll(ctx, q, store.ScanOne[string], `SELECT r.public_token`+ofMailbox+` AND ($3 = '' OR r.public_token = $3)
		ORDER BY r.created_at DESC, r.public_token`, o.mailbox, o.company, one)
}

// readers returns who read the reports of a session, also those that were deleted, the last first.
func readers(ctx context.Context, q store.Queryer, o session) ([]providerui.AccessRead, error) {
	return store.QueryAll(ctx, q, store.Columns(func(r *providerui.AccessRead) []any {
		return []any{&r.Reader, &r.Owner, &r.Kind, store.At(&r.Report), &r.Revision, store.At(&r.First), store.At(&r.Last), &r.Days}
	}), `SELECT d.reader, r.customer_id, r.kind, r.created_at, d.revision, d.first_at, d.last_at, d.days
		FROM report_reads d JOIN reports r ON r.public_token = d.public_token
		WHERE d.public_token IN (
			SELECT x.public_token FROM consumers y JOIN reports x ON x.key_id = y.key_id WHERE y.mailbox = $1
			UNION ALL SELECT x.public_token FROM reports x WHERE x.mailbox = $1) AND ($2 = '' OR r.customer_id = $2)
		ORDER BY d.last_at DESC, d.public_token, d.reader, d.revision LIMIT $3`, o.mailbox, o.company, int64(maxReads))
}

// maxReads is how many rows of reads the page shows.
const maxReads = 200

// mailboxOfReport returns the mailbox of the person whom a customer's report is about, or
// store.ErrNotFound.
func mailboxOfReport(ctx context.Context, q store.Queryer, customerID, publicToken string) (mailbox []byte, err error) {
	err = q.QueryRowContext(ctx, `SELECT coalesce((SELECT c.mailbox FROM consumers c WHERE c.key_id = r.key_id LIMIT 1), r.mailbox)
		FROM reports r WHERE r.public_token = $1 AND r.customer_id = $2 AND r.erased_at IS NULL`, publicToken, customerID).Scan(&mailbox)
	if err == nil && mailbox == nil {
		err = store.ErrNotFound
	}
	return mailbox, store.MapNotFound(err)
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
	closed      bool      // the company can no longer read it
	submitted   bool      // from a company's data, without a consumer's consent to end
	source      string    // publicToken of the report whose visit connected the sources
	updates     int       // reports that were made later from the same access
	updated     time.Time // the last of them
	total       int       // reports of the mailbox at this customer
}

// maxReports is how many reports the page shows for each company.
const maxReports = 20

// sharedReports lists the reports of a mailbox, newest first: those to which the consumer
// agreed, and those that were made.
func sharedReports(ctx context.Context, q store.Queryer, o session) ([]sharedReport, error) {
	return store.QueryAll(ctx, q, store.Columns(func(r *sharedReport) []any {
		return []any{&r.publicToken, &r.customerID, &r.kind, &r.status, store.At(&r.created), store.At(&r.withdrawn), &r.closed,
			&r.submitted, &r.source, &r.updates, store.At(&r.updated), &r.total}
	}), `SELECT public_token, customer_id, kind, status, created_at, withdrawn_at, closed, submitted, source, updates,
			updated, total FROM (
			SELECT r.public_token, r.customer_id, r.kind, r.status, r.created_at, c.withdrawn_at, r.closed_at <> 0 AS closed,
				c.id IS NULL AS submitted, coalesce(r.source_token, r.public_token) AS source,
				(SELECT count(*) FROM reports u WHERE u.key_id = r.key_id AND u.refreshed_from = r.public_token
					AND u.status = 'SUCCESS' AND u.erased_at IS NULL) AS updates,
				(SELECT max(u.created_at) FROM reports u WHERE u.key_id = r.key_id AND u.refreshed_from = r.public_token
					AND u.status = 'SUCCESS' AND u.erased_at IS NULL) AS updated,
				count(*) OVER (PARTITION BY r.customer_id) AS total,
				row_number() OVER (PARTITION BY r.customer_id ORDER BY r.created_at DESC, r.public_token) AS nth`+ofMailbox+`
				AND r.refreshed_from IS NULL AND (r.status = 'SUCCESS' OR EXISTS (SELECT 1 FROM visits v
					JOIN visit_events e ON e.visit_id = v.id WHERE v.public_token = r.public_token AND e.kind = 'consented'))
		) AS shared WHERE nth <= $3 ORDER BY created_at DESC, public_token`, o.mailbox, o.company, int64(maxReports))
}
