package reports

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"
	"unicode/utf8"

	"vestibule/internal/contract"
	"vestibule/internal/store"
)

// insert adds a report. It returns false if the customer's external id is in use. A secondary
// report has the mailbox of its source.
func insert(ctx context.Context, tx *store.Tx, r Report, mailbox []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO reports
		(public_token, customer_id, product_id, kind, external_id, user_args, consumer_id,
		key_id, status, created_at, updated_at, source_token, held_at, refreshed_from, mailbox)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13,
			coalesce($14, (SELECT s.mailbox FROM reports s WHERE s.public_token = $11))) ON CONFLICT (customer_id, external_id) DO NOTHING`,
		r.PublicToken, r.CustomerID, r.ProductID, string(r.Kind), store.NullString(r.ExternalID), store.NullString(r.UserArgs),
		store.NullString(r.ConsumerID), r.KeyID, string(r.Status), store.Micros(r.Created),
		store.NullString(r.source), sql.NullInt64{Int64: store.Micros(r.held), Valid: r.source != ""},
		store.NullString(r.refreshedFrom), sql.Null[[]byte]{V: mailbox, Valid: mailbox != nil}))
}

// Delete deletes a report with all its rows. Its external id can be used again.
func (s *Service) Delete(ctx context.Context, tx *store.Tx, publicToken string) error {
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM reports WHERE public_token = $1`, publicToken))
}

// label sets labels. It returns false if the external id is another report's.
func label(ctx context.Context, tx *store.Tx, publicToken, externalID, userArgs string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE reports
		SET external_id = coalesce(external_id, $2), user_args = coalesce(user_args, $3)
		WHERE public_token = $1 AND (external_id IS NOT NULL OR NOT EXISTS (
			SELECT 1 FROM reports o WHERE o.customer_id = reports.customer_id AND o.external_id = $2))`,
		publicToken, store.NullString(externalID), store.NullString(userArgs)))
}

// columns are those of a report; fields scans them.
const columns = `public_token, customer_id, product_id, kind, coalesce(external_id, ''),
	coalesce(user_args, ''), coalesce(consumer_id, ''), key_id, status, coalesce(substatus, ''), created_at, retrieved_at,
	erased_at IS NOT NULL OR closed_at <> 0, coalesce(source_token, ''), held_at, revision, coalesce(refreshed_from, '')`

func (r *Report) fields() []any {
	return []any{&r.PublicToken, &r.CustomerID, &r.ProductID, &r.Kind, &r.ExternalID,
		&r.UserArgs, &r.ConsumerID, &r.KeyID, &r.Status, &r.Substatus, store.At(&r.Created), store.At(&r.Retrieved), &r.Forgotten,
		&r.source, store.At(&r.held), &r.revision, &r.refreshedFrom}
}

func get(ctx context.Context, q store.Queryer, where string, args ...any) (r Report, err error) {
	err = q.QueryRowContext(ctx, `SELECT `+columns+` FROM reports WHERE `+where, args...).Scan(r.fields()...)
	return r, store.MapNotFound(err)
}

// getWith returns get with an encrypted column, input or body, and with what markRead of an account needs.
func getWith(column, account string) reader {
	return func(ctx context.Context, q store.Queryer, where string, args ...any) (r Report, err error) {
		args = append(args, account)
		r.data.column = column
		err = q.QueryRowContext(ctx, `SELECT `+columns+`,
			(SELECT d.`+column+` FROM report_data d WHERE d.public_token = reports.public_token),
			(SELECT k.wrapped FROM data_keys k WHERE k.id = reports.key_id),
			(SELECT x.last_at FROM report_reads x WHERE x.public_token = reports.public_token AND x.revision = reports.revision
				AND x.reader = $`+strconv.Itoa(len(args))+`) FROM reports WHERE `+where, args...).
			Scan(append(r.fields(), &r.data.sealed, &r.data.wrapped, store.At(&r.data.read))...)
		return r, store.MapNotFound(err)
	}
}

// getStatus is get with only the fields that a status needs: Status, Substatus,
// Created, and Forgotten.
func getStatus(ctx context.Context, q store.Queryer, where string, args ...any) (Report, error) {
	var r Report
	err := q.QueryRowContext(ctx, `SELECT status, coalesce(substatus, ''), created_at,
		erased_at IS NOT NULL OR closed_at <> 0 FROM reports WHERE `+where, args...).
		Scan(&r.Status, &r.Substatus, store.At(&r.Created), &r.Forgotten)
	return r, store.MapNotFound(err)
}

// attach marks a report as one with its input, and returns whose it is and its key. It succeeds once
// for each report; then it returns ErrNotPending.
func attach(ctx context.Context, tx *store.Tx, publicToken string, retrieved time.Time) (Report, error) {
	r := Report{PublicToken: publicToken}
	err := tx.QueryRowContext(ctx, `UPDATE reports SET retrieved_at = $2, updated_at = $3
		WHERE public_token = $1 AND status = 'PENDING' AND retrieved_at IS NULL RETURNING customer_id, key_id`,
		publicToken, store.Micros(retrieved), store.Micros(tx.Now)).Scan(&r.CustomerID, &r.KeyID)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotPending
	}
	return r, err
}

// insertInput stores the input of a report.
func insertInput(ctx context.Context, tx *store.Tx, publicToken string, sealed []byte) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO report_data (public_token, created_at, held_at, input)
		SELECT public_token, created_at, held_at, $2 FROM reports WHERE public_token = $1`, publicToken, sealed))
}

// setStatus sets the final status; it succeeds once for each report and returns the
// report's owner.
func setStatus(ctx context.Context, tx *store.Tx, publicToken string, status contract.Status,
	sub contract.Substatus) (customerID string, ok bool, err error) {
	err = tx.QueryRowContext(ctx, `UPDATE reports SET status = $2, substatus = $3, updated_at = $4
		WHERE public_token = $1 AND status = 'PENDING' RETURNING customer_id`,
		publicToken, string(status), store.NullString(string(sub)), store.Micros(tx.Now)).Scan(&customerID)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return customerID, err == nil, err
}

// setBody stores the body and, unless nil, the retrieved data.
func setBody(ctx context.Context, tx *store.Tx, publicToken string, input, body []byte) error {
	kept := sql.Null[[]byte]{V: input, Valid: input != nil}
	return store.Exec(tx.ExecContext(ctx, `UPDATE report_data SET input = coalesce($2, input),
		body = $3 WHERE public_token = $1`, publicToken, kept, body))
}

// notDisputed keeps the data of a report while a dispute about it is open, because it is
// computed again from them. The report's body is deleted at its age, and the data with it.
const notDisputed = `
			AND NOT EXISTS (SELECT 1 FROM disputes x WHERE x.public_token = r.public_token AND x.state = 'open')`

// closeReport ends the reading of a report that was made; it succeeds once.
func closeReport(ctx context.Context, tx *store.Tx, publicToken string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE reports SET closed_at = $2
		WHERE public_token = $1 AND closed_at = 0 AND erased_at IS NULL AND status = 'SUCCESS'`, publicToken, store.Micros(tx.Now)))
}

// erase deletes what a report contains and what it was made from. The row keeps the mailbox, to
// tell the person who read the report.
func erase(ctx context.Context, tx *store.Tx, publicToken string, mailbox []byte) error {
	if err := store.ExecEach(ctx, tx, publicToken, `DELETE FROM report_data WHERE public_token = $1`,
		`DELETE FROM report_refreshes WHERE public_token = $1`, `DELETE FROM consumer_corrections WHERE public_token = $1`); err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `UPDATE reports SET erased_at = $2, closed_at = $2, user_args = NULL, mailbox = $3
		WHERE public_token = $1`,
		publicToken, store.Micros(tx.Now), mailbox))
}

// keyLife is how long the data key of an erased report without a consumer stays, for webhooks.
const keyLife = 4 * 24 * time.Hour

// deleteKeys deletes, at most limit times, the data keys that erased reports alone used.
func deleteKeys(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM data_keys WHERE id IN (
		SELECT k.id FROM reports r JOIN data_keys k ON k.id = r.key_id
		WHERE r.closed_at <> 0 AND r.erased_at IS NOT NULL AND r.erased_at < $1
			AND NOT EXISTS (SELECT 1 FROM reports o WHERE o.key_id = k.id AND o.erased_at IS NULL)
			AND NOT EXISTS (SELECT 1 FROM consumers c WHERE c.key_id = k.id)
			AND NOT EXISTS (SELECT 1 FROM bank_accounts a WHERE a.key_id = k.id) LIMIT $2)`,
		store.Micros(tx.Now.Add(-keyLife)), int64(limit)))
}

// deleteInput deletes the data of a report that was not made.
func deleteInput(ctx context.Context, tx *store.Tx, publicToken string) error {
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM report_data WHERE public_token = $1`, publicToken))
}

// deleteInputs deletes retrieved data, at most limit times, of reports that have
// ended, were created before one instant and got their data before another. It returns
// the number of deletions.
func deleteInputs(ctx context.Context, tx *store.Tx, created, retrieved time.Time, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `UPDATE report_data SET input = NULL WHERE input IS NOT NULL AND public_token IN (
			SELECT d.public_token FROM report_data d JOIN reports r ON r.public_token = d.public_token
			WHERE d.input IS NOT NULL AND d.created_at < $1 AND r.status <> 'PENDING' AND r.retrieved_at < $2`+notDisputed+`
			ORDER BY d.created_at LIMIT $3)`,
		store.Micros(created), store.Micros(retrieved), limit))
}

// deleteSecondaryInputs is deleteInputs for secondary reports, by the time since which their
// data are held.
func deleteSecondaryInputs(ctx context.Context, tx *store.Tx, held time.Time, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `UPDATE report_data SET input = NULL WHERE input IS NOT NULL AND public_token IN (
			SELECT d.public_token FROM report_data d JOIN reports r ON r.public_token = d.public_token
			WHERE d.input IS NOT NULL AND d.held_at IS NOT NULL AND d.held_at < $1 AND r.status <> 'PENDING'`+notDisputed+`
			ORDER BY d.held_at LIMIT $2)`,
		store.Micros(held), limit))
}

// forget deletes the remaining data, at most limit times, of reports that have ended and
// were created before an instant, and returns the number of deletions. It also deletes the
// customer's labels, which may be personal, except the external id, which stays reserved.
func forget(ctx context.Context, tx *store.Tx, created time.Time, limit int) (int64, error) {
	keys, err := store.QueryAll(ctx, tx, store.ScanOne[string], `UPDATE reports SET erased_at = $2, user_args = NULL
		WHERE erased_at IS NULL AND public_token IN (
			SELECT public_token FROM reports WHERE erased_at IS NULL AND status <> 'PENDING' AND created_at < $1
			ORDER BY created_at LIMIT $3) RETURNING key_id`,
		store.Micros(created), store.Micros(tx.Now), limit)
	if err != nil {
		return 0, err
	}
	if _, err = tx.ExecContext(ctx, `DELETE FROM report_data WHERE created_at < $1
		AND EXISTS (SELECT 1 FROM reports r WHERE r.public_token = report_data.public_token
		AND r.erased_at IS NOT NULL)`, store.Micros(created)); err != nil {
		return 0, err
	}
	for _, key := range keys {
		// A consumer's key is deleted with the consumer.
		if _, err := tx.ExecContext(ctx, `DELETE FROM data_keys WHERE id = $1
			AND NOT EXISTS (SELECT 1 FROM reports r WHERE r.key_id = $1 AND r.erased_at IS NULL)
			AND NOT EXISTS (SELECT 1 FROM consumers c WHERE c.key_id = $1)
			AND NOT EXISTS (SELECT 1 FROM bank_accounts a WHERE a.key_id = $1)`, key); err != nil {
			return 0, err
		}
	}
	return int64(len(keys)), nil
}

// nextRevision increments the revision; it succeeds once for each revision of a
// report.
func nextRevision(ctx context.Context, tx *store.Tx, customerID, publicToken string, from int, sub contract.Substatus) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE reports SET revision = revision + 1, updated_at = $4, substatus = $5
		WHERE public_token = $1 AND customer_id = $2 AND revision = $3 AND status = 'SUCCESS' AND erased_at IS NULL`,
		publicToken, customerID, from, store.Micros(tx.Now), store.NullString(string(sub))))
}

// revisionRow is a row of report_revisions; reason, replaced and corrections are encrypted.
type revisionRow struct {
	number           int
	at               time.Time
	by               string
	reason, replaced []byte
	corrections      []byte // nil: of an earlier version of the program
	dispute          string
}

func insertRevision(ctx context.Context, tx *store.Tx, publicToken string, x revisionRow) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO report_revisions (public_token, revision,
		at, user_id, reason, replaced, corrections, dispute) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		publicToken, x.number, store.Micros(x.at), x.by, x.reason, x.replaced, x.corrections, x.dispute))
}

func insertStanding(ctx context.Context, tx *store.Tx, r Report, x standing) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO consumer_corrections
		(public_token, revision, customer_id, consumer_id, key_id, at, made)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, r.PublicToken, x.row.number, r.CustomerID, r.ConsumerID, r.KeyID, store.Micros(x.row.at),
		x.row.corrections))
}

// standingCorrections lists what was corrected in other reports about the consumer of a report,
// oldest first.
func standingCorrections(ctx context.Context, q store.Queryer, r Report) ([]standing, error) {
	return store.QueryAll(ctx, q, store.Columns(func(x *standing) []any {
		return []any{&x.publicToken, &x.row.number, &x.keyID, store.At(&x.row.at), &x.row.corrections}
	}), `SELECT public_token, revision, key_id, at, made FROM consumer_corrections WHERE customer_id = $1 AND consumer_id = $2
		AND public_token <> $3 ORDER BY at, public_token, revision`, r.CustomerID, r.ConsumerID, r.PublicToken)
}

// revisions lists the revisions of a report without the bodies that they replaced, newest
// first.
func revisions(ctx context.Context, q store.Queryer, publicToken string) ([]revisionRow, error) {
	return store.QueryAll(ctx, q, store.Columns(func(x *revisionRow) []any {
		return []any{&x.number, store.At(&x.at), &x.by, &x.reason, &x.corrections, &x.dispute}
	}), `SELECT revision, at, user_id, reason, corrections, dispute FROM report_revisions
		WHERE public_token = $1 ORDER BY revision DESC`, publicToken)
}

// replacedBy returns the encrypted body that a revision replaced, or store.ErrNotFound.
func replacedBy(ctx context.Context, q store.Queryer, publicToken string, revision int) ([]byte, error) {
	return store.FindOne[[]byte](q.QueryRowContext(ctx, `SELECT replaced FROM report_revisions WHERE public_token = $1 AND revision = $2`,
		publicToken, revision))
}

// Revised returns the times of the corrections of a report, oldest first.
func (s *Service) Revised(ctx context.Context, q store.Queryer, publicToken string) ([]time.Time, error) {
	return store.QueryAll(ctx, q, store.ScanTime, `SELECT at FROM report_revisions WHERE public_token = $1 ORDER BY revision`, publicToken)
}

// readInterval is how long a read of a report by an account that follows another one is not
// recorded, unless another day has begun.
const readInterval = time.Hour

const microsPerDay = int64(24 * time.Hour / time.Microsecond)

// recordRead records that an account reads the contents of a report's present revision: in one row,
// and rarely, so that polling neither adds rows nor writes.
func recordRead(ctx context.Context, q store.Queryer, r Report, reader string, now time.Time) error {
	at, last := store.Micros(now), store.MicrosOrZero(r.data.read)
	if at-last < readInterval.Microseconds() && at/microsPerDay == last/microsPerDay {
		return nil
	}
	return store.Exec(q.ExecContext(ctx, `INSERT INTO report_reads (public_token, reader, revision, first_at, last_at)
		SELECT public_token, $2, $3, $4, $4 FROM reports WHERE public_token = $1
		ON CONFLICT (public_token, reader, revision) DO UPDATE SET last_at = excluded.last_at,
			days = report_reads.days + CASE WHEN report_reads.last_at / $5 < excluded.last_at / $5 THEN 1 ELSE 0 END`,
		r.PublicToken, reader, r.revision, at, microsPerDay))
}

// readsAge is how long the service keeps who read a report, from the report's creation: as long as
// a person may ask for it (15 U.S.C. 1681g(a)(3)).
const readsAge = 2 * 365 * 24 * time.Hour

// forgetReads deletes who read the reports that are older, at most limit times, and whose reports
// they were.
func forgetReads(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	old, err := store.QueryAll(ctx, tx, store.ScanOne[string], `SELECT r.public_token FROM reports r WHERE r.erased_at IS NOT NULL
		AND r.created_at < $1 AND (r.mailbox IS NOT NULL OR EXISTS (SELECT 1 FROM report_reads d WHERE d.public_token = r.public_token))
		ORDER BY r.created_at LIMIT $2`, store.Micros(tx.Now.Add(-readsAge)), int64(limit))
	for _, token := range old {
		if err := store.ExecEach(ctx, tx, token, `DELETE FROM report_reads WHERE public_token = $1`,
			`UPDATE reports SET mailbox = NULL WHERE public_token = $1`); err != nil {
			return 0, err
		}
	}
	return int64(len(old)), err
}

// Read is that an account read the contents of a report's revision.
type Read struct {
	Reader      string // customer id
	Revision    int    // 0 is the original
	First, Last time.Time
	Days        int // on which it read them
}

// Reads returns who read a report, the last first.
func (s *Service) Reads(ctx context.Context, q store.Queryer, publicToken string) ([]Read, error) {
	return store.QueryAll(ctx, q, store.Columns(func(r *Read) []any {
		return []any{&r.Reader, &r.Revision, store.At(&r.First), store.At(&r.Last), &r.Days}
	}), `SELECT reader, revision, first_at, last_at, days FROM report_reads WHERE public_token = $1
		ORDER BY last_at DESC, reader, revision`, publicToken)
}

func insertBasis(ctx context.Context, tx *store.Tx, publicToken string, sealed []byte) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO report_refreshes (public_token, input) VALUES ($1, $2)
		ON CONFLICT (public_token) DO NOTHING`, publicToken, sealed))
}

// basisOfReport returns what was stored for refreshed reports, encrypted, or
// store.ErrNotFound.
func basisOfReport(ctx context.Context, q store.Queryer, publicToken string) ([]byte, error) {
	return store.FindOne[[]byte](q.QueryRowContext(ctx, `SELECT input FROM report_refreshes WHERE public_token = $1`, publicToken))
}

// lockBasis locks a row of report_refreshes until tx ends, and returns the publicToken of
// the newest refreshed report, if any.
func lockBasis(ctx context.Context, tx *store.Tx, publicToken, forUpdate string) (string, error) {
	return store.FindOne[string](tx.QueryRowContext(ctx, `SELECT coalesce(latest, '') FROM report_refreshes WHERE public_token = $1`+forUpdate,
		publicToken))
}

func setLatest(ctx context.Context, tx *store.Tx, publicToken, latest string) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE report_refreshes SET latest = $2 WHERE public_token = $1`, publicToken, latest))
}

// takeTurn uses up a scheduled turn; it succeeds once for each turn, in order.
func takeTurn(ctx context.Context, tx *store.Tx, publicToken string, turn int) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE report_refreshes SET scheduled = scheduled + 1
		WHERE public_token = $1 AND scheduled = $2`, publicToken, turn))
}

// deleteBases deletes what is stored for refreshed reports where no access is open.
func deleteBases(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM report_refreshes WHERE public_token IN (
		SELECT f.public_token FROM report_refreshes f WHERE NOT EXISTS (
			SELECT 1 FROM source_connections c WHERE c.public_token = f.public_token AND c.ended_at = 0)
		ORDER BY f.public_token LIMIT $1)`, limit))
}

// List returns a customer's reports without inputs and bodies.
func (s *Service) List(ctx context.Context, q store.Queryer, customerID string, f Filter) ([]Report, error) {
	c := store.Conditions{}
	if f.Children {
		c.Add("r.customer_id IN (SELECT id FROM customers WHERE id = %s OR parent_id = %s)", customerID, customerID)
	} else {
		c.Add("r.customer_id = %s", customerID)
	}
	c.EqualWord("r.status", string(f.Status))
	c.EqualWord("r.substatus", string(f.Substatus))
	c.EqualWord("r.kind", string(f.Kind))
	if f.Failed {
		c.Add("r.status NOT IN (%s, %s)", string(contract.StatusSuccess), string(contract.StatusPending))
	}
	if n := int64(utf8.RuneCountInString(f.Begins)); n > 0 {
		c.Add("(substr(r.public_token, 1, CAST(%s AS INTEGER)) = lower(%s) OR substr(r.external_id, 1, CAST(%s AS INTEGER)) = %s)",
			n, f.Begins, n, f.Begins)
	}
	c.Days("r.created_at", f.From, f.To)
	if f.Also != nil {
		f.Also(&c)
	}
	order := "r.created_at DESC, r.public_token DESC"
	switch {
	case f.Sort == Oldest:
		c.Before("r.created_at", "r.public_token", f.Before)
		order = "r.created_at, r.public_token"
	case f.Sort == ByStatus && !f.Before.At.IsZero():
		c.Add("(r.status > %s OR r.status = %s AND (r.created_at, r.public_token) < (%s, %s))",
			string(f.After), string(f.After), f.Before.Micros(), f.Before.ID)
		order = "r.status, " + order
	case f.Sort == ByStatus:
		order = "r.status, " + order
	default:
		c.After("r.created_at", "r.public_token", f.Before)
	}
	return store.QueryAll(ctx, q, store.Columns(func(r *Report) []any {
		return []any{&r.PublicToken, &r.CustomerID, &r.ProductID, &r.Kind, &r.ExternalID, &r.Status, &r.Substatus, store.At(&r.Created)}
	}), `SELECT r.public_token, r.customer_id, r.product_id, r.kind, coalesce(r.external_id, ''), r.status, coalesce(r.substatus, ''),
		r.created_at FROM reports r `+c.Where()+` ORDER BY `+order+` LIMIT `+strconv.Itoa(f.Limit), c.Args...)
}

// OfMailbox lists the newest reports about a person of every customer, at most limit.
func (s *Service) OfMailbox(ctx context.Context, q store.Queryer, mailbox []byte, limit int) ([]Report, error) {
	tokens, err := store.QueryAll(ctx, q, store.ScanOne[string], `SELECT r.public_token FROM reports r WHERE r.erased_at IS NULL
		AND r.public_token IN (SELECT x.public_token FROM consumers c JOIN reports x ON x.key_id = c.key_id WHERE c.mailbox = $1
			UNION ALL SELECT x.public_token FROM reports x WHERE x.mailbox = $1)
		ORDER BY r.created_at DESC LIMIT `+strconv.Itoa(limit), mailbox)
	var out []Report
	for _, t := range tokens {
		if err == nil {
			var r Report
			r, err = s.Get(ctx, q, t)
			out = append(out, r)
		}
	}
	return out, err
}

// CountDays counts the reports of a customer by the day on which they were created, from since
// to until; a zero until is no end.
func (s *Service) CountDays(ctx context.Context, q store.Queryer, customerID string, since, until time.Time) ([]DayCount, error) {
	day := store.DayNumber("created_at", "$2", since)
	return store.QueryAll(ctx, q, func(row store.Row) (c DayCount, err error) {
		return c, row.Scan(&c.Day, &c.Status, &c.Substatus, &c.Count)
	}, `SELECT `+day+` AS day, status, COALESCE(substatus, ''), COUNT(*) FROM reports
		WHERE customer_id = $1 AND created_at >= $2 AND created_at < $3 GROUP BY `+day+`, status, substatus`,
		customerID, store.Micros(since), store.MicrosOrEnd(until))
}

// maxTimes is the number of newest reports whose times are read.
const maxTimes = 5000

// TimesToReport returns, for reports of a customer that were created from since to until and are
// ready, the times from their creation, shortest first. It leaves out corrected reports and
// those that were made from access that stayed open.
func (s *Service) TimesToReport(ctx context.Context, q store.Queryer, customerID string, since, until time.Time) ([]time.Duration, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (time.Duration, error) {
		var micros int64
		err := row.Scan(&micros)
		return time.Duration(micros) * time.Microsecond, err
	}, `SELECT took FROM (
			SELECT updated_at - created_at AS took FROM reports
			WHERE customer_id = $1 AND created_at >= $2 AND created_at < $4 AND status = 'SUCCESS' AND revision = 0 AND refreshed_from IS NULL
			ORDER BY created_at DESC LIMIT $3
		) AS newest ORDER BY took`, customerID, store.Micros(since), maxTimes, store.MicrosOrEnd(until))
}
