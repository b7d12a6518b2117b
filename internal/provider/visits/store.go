package visits

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
)

// errStale is returned if another request changed the visit first.
var errStale = errors.New("visits: the visit has moved on")

// errToken is returned for an initialization token that is unknown, used, or expired.
var errToken = errors.New("visits: no such unused initialization token")

// visit is a row of visits.
type visit struct {
	flow.Journey
	id              string
	publicToken     string
	customerID      string
	productID       string
	environment     contract.Environment
	consumerID      string
	sandboxReportID string
	stated          []byte // stated employers, encrypted; see statedIn
	version         int64
	created         time.Time
	expires         time.Time
	signedIn        time.Time // when the current sign-in succeeded; zero for none
	ended           time.Time // zero: not yet
	tokenless       bool      // begun without credentials
	hosted          bool      // on the hosted page, not in the widget's frame
	browser         []byte    // hash of the secret of its browser, or of the widget's frame; nil if unbound
	frozen          bool      // it ended because the person's file is frozen
	driven          bool      // by a program, in one transaction
	stored          int64     // the version in the database
	unsaved         []TimelineEntry
}

const columns = `
	id, public_token, customer_id, product_id, product, environment, consumer_id, state, step, scenario, bank, username, tries,
	status, substatus, error, sandbox_report_id, version, created_at, expires_at, ended_at, source_type, signed_in_at, sources,
	employers, income_only, employer, stated, tokenless, hosted, browser_hash, code_tries, codes, code_sent_at, bank_limit, frozen`

func scan(row *sql.Row) (visit, error) {
	var v visit
	err := row.Scan(&v.id, &v.publicToken, &v.customerID, &v.productID, &v.Product, &v.environment, &v.consumerID, &v.State, &v.Step,
		&v.Scenario, &v.Bank, &v.Username, &v.Tries, &v.Status, &v.Substatus, &v.Error, &v.sandboxReportID, &v.version,
		store.At(&v.created), store.At(&v.expires), store.At(&v.ended),
		&v.SourceType, store.At(&v.signedIn), &v.Sources, &v.Employers, &v.IncomeOnly, &v.Employer, &v.stated, &v.tokenless, &v.hosted,
		&v.browser,
		&v.CodeTries, &v.Codes, &v.CodeSent, &v.BankLimit, &v.frozen)
	if err != nil {
		return visit{}, store.MapNotFound(err)
	}
	v.stored = v.version
	return v, nil
}

func byID(ctx context.Context, q store.Queryer, id string) (visit, error) {
	return scan(q.QueryRowContext(ctx, `SELECT `+columns+` FROM visits WHERE id = $1`, id))
}

func byHandle(ctx context.Context, q store.Queryer, handle string) (visit, error) {
	return scan(q.QueryRowContext(ctx, `SELECT `+columns+` FROM visits WHERE handle_hash = $1`, store.Hash(handle)))
}

// ofConsumer returns the ids of a consumer's visits that have not ended.
func ofConsumer(ctx context.Context, tx *store.Tx, consumerID string) ([]string, error) {
	return store.QueryAll(ctx, tx, store.ScanOne[string], `SELECT id FROM visits WHERE consumer_id = $1 AND ended_at = 0`, consumerID)
}

// lockByHandle is byHandle with a lock: no other request can change the visit before tx
// ends.
func (s *Service) lockByHandle(ctx context.Context, tx *store.Tx, handle string) (visit, error) {
	return scan(tx.QueryRowContext(ctx, `SELECT `+columns+` FROM visits WHERE handle_hash = $1`+s.DB.ForUpdate(), store.Hash(handle)))
}

func byPublicToken(ctx context.Context, q store.Queryer, publicToken string) (visit, error) {
	return scan(q.QueryRowContext(ctx, `SELECT `+columns+` FROM visits WHERE public_token = $1`, publicToken))
}

func insert(ctx context.Context, tx *store.Tx, v visit) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO visits (`+columns+`)
		VALUES (
			$1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
			$11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
			$21, $22, $23, $24, $25, $26, $27, $28, $29, $30,
			$31, $32, $33, $34, $35, $36)`,
		v.id, v.publicToken, v.customerID, v.productID, v.Product, v.environment, v.consumerID, v.State, v.Step, v.Scenario, v.Bank,
		v.Username, v.Tries, v.Status, v.Substatus, v.Error, v.sandboxReportID, v.version, store.Micros(v.created),
		store.Micros(v.expires), store.MicrosOrZero(v.ended), v.SourceType, store.MicrosOrZero(v.signedIn), v.Sources, v.Employers,
		v.IncomeOnly, v.Employer, sql.Null[[]byte]{V: v.stated, Valid: v.stated != nil}, v.tokenless, v.hosted,
		sql.Null[[]byte]{V: v.browser, Valid: v.browser != nil}, v.CodeTries, v.Codes, v.CodeSent, v.BankLimit, v.frozen)
	if err != nil {
		return err
	}
	return addEvents(ctx, tx, v.id, v.version, TimelineEntry{tx.Now, "begun", v.State, v.Step})
}

// save stores the journey and the timeline of v, if the row has not changed since it was read.
func (v *visit) save(ctx context.Context, tx *store.Tx) error {
	if len(v.unsaved) == 0 {
		return nil
	}
	ok, err := store.ExecOne(tx.ExecContext(ctx, `UPDATE visits SET state = $1, step = $2, bank = $3, username = $4, tries = $5,
		status = $6, substatus = $7, error = $8, ended_at = $9, version = $10, sandbox_report_id = $11,
		source_type = $12, signed_in_at = $13, sources = $14, employer = $15, code_tries = $16, codes = $17, code_sent_at = $18, expires_at = $19,
		frozen = $20 WHERE id = $21 AND version = $22`,
		v.State, v.Step, v.Bank, v.Username, v.Tries, v.Status, v.Substatus, v.Error, store.MicrosOrZero(v.ended), v.version,
		v.sandboxReportID, v.SourceType, store.MicrosOrZero(v.signedIn), v.Sources, v.Employer, v.CodeTries, v.Codes, v.CodeSent,
		store.Micros(v.expires), v.frozen, v.id, v.stored))
	if err != nil {
		return err
	}
	if !ok {
		return errStale
	}
	added := v.unsaved
	v.stored, v.unsaved = v.version, nil
	return addEvents(ctx, tx, v.id, v.version-int64(len(added))+1, added...)
}

// addEvents adds entries to the timeline; first is the number of the first one.
func addEvents(ctx context.Context, tx *store.Tx, visitID string, first int64, all ...TimelineEntry) error {
	rows, args := make([]string, len(all)), []any{visitID, store.Micros(tx.Now)}
	for i, x := range all {
		n := len(args)
		rows[i] = fmt.Sprintf("($1, $%d, $2, $%d, $%d, $%d)", n+1, n+2, n+3, n+4)
		args = append(args, first+int64(i), x.Kind, x.State, x.Step)
	}
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO visit_events (visit_id, seq, at, kind, state, step) VALUES `+
		strings.Join(rows, ", "), args...))
}

// lastMove returns when the visit last changed before v was read.
func lastMove(ctx context.Context, q store.Queryer, v visit) (time.Time, error) {
	return store.ScanTime(q.QueryRowContext(ctx, `SELECT at FROM visit_events WHERE visit_id = $1 AND seq = $2`, v.id, v.stored))
}

// setHandle sets the handle of a visit's pages: the hosted page, or the widget's
// frame.
func setHandle(ctx context.Context, tx *store.Tx, visitID, handle string, hosted bool) error {
	ok, err := store.ExecOne(tx.ExecContext(ctx, `UPDATE visits SET handle_hash = $1, hosted = $2 WHERE id = $3 AND handle_hash IS NULL`,
		store.Hash(handle), hosted, visitID))
	if err == nil && !ok {
		err = errStale
	}
	return err
}

// bind binds a visit to a browser or a frame if it has none.
func bind(ctx context.Context, tx *store.Tx, visitID string, browser []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE visits SET browser_hash = $1 WHERE id = $2
		AND browser_hash IS NULL`, browser, visitID))
}

// rebind binds a hosted visit to another browser.
func rebind(ctx context.Context, tx *store.Tx, visitID string, browser []byte) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE visits SET browser_hash = $1 WHERE id = $2`, browser, visitID))
}

func insertToken(ctx context.Context, tx *store.Tx, token, visitID string, expires time.Time) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO initialization_tokens (hash, visit_id, expires_at, used_at) VALUES ($1, $2, $3, 0)`,
		store.Hash(token), visitID, store.Micros(expires)))
}

// claim uses up an initialization token and returns its visit. Of concurrent callers
// one succeeds; the others get errToken.
func claim(ctx context.Context, tx *store.Tx, token string) (visit, error) {
	var id string
	err := tx.QueryRowContext(ctx, `UPDATE initialization_tokens SET used_at = $1
		WHERE hash = $2 AND used_at = 0 AND expires_at > $1 RETURNING visit_id`,
		store.Micros(tx.Now), store.Hash(token)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return visit{}, errToken
	}
	if err != nil {
		return visit{}, err
	}
	return byID(ctx, tx, id)
}

// expiredVisits lists expired visits that have not ended, oldest first.
func expiredVisits(ctx context.Context, q store.Queryer, now time.Time, limit int) ([]string, error) {
	return store.QueryAll(ctx, q, store.ScanOne[string], `SELECT id FROM visits WHERE ended_at = 0
		AND state <> 'generating' AND expires_at <= $1 ORDER BY expires_at LIMIT $2`, store.Micros(now), limit)
}

// uploads is how many bytes of files were uploaded in visits without a token of one customer.
type uploads struct{ visit, network, account int64 }

// uploadedSince returns the uploads of a visit, of a network and of all since an instant.
func uploadedSince(ctx context.Context, q store.Queryer, v visit, network []byte, since time.Time) (u uploads, err error) {
	err = q.QueryRowContext(ctx, `SELECT CAST(coalesce(sum(CASE WHEN d.public_token = $3 THEN d.size ELSE 0 END), 0) AS BIGINT),
			CAST(coalesce(sum(CASE WHEN d.network = $4 THEN d.size ELSE 0 END), 0) AS BIGINT), CAST(coalesce(sum(d.size), 0) AS BIGINT)
		FROM documents d JOIN visits v ON v.public_token = d.public_token
		WHERE d.created_at > $1 AND v.customer_id = $2 AND v.tokenless`, store.Micros(since), v.customerID, v.publicToken, network).
		Scan(&u.visit, &u.network, &u.account)
	return u, err
}

// TimelineEntry is an entry of a visit's timeline.
type TimelineEntry struct {
	At   time.Time
	Kind string // "begun", or a Kind
	flow.State
	flow.Step
}

// Timeline returns the events of a report's visit in order, without personal data.
func (s *Service) Timeline(ctx context.Context, q store.Queryer, publicToken string) ([]TimelineEntry, error) {
	return store.QueryAll(ctx, q, store.Columns(func(l *TimelineEntry) []any {
		return []any{store.At(&l.At), &l.Kind, &l.State, &l.Step}
	}), `SELECT e.at, e.kind, e.state, e.step FROM visit_events e
		JOIN visits v ON v.id = e.visit_id WHERE v.public_token = $1 ORDER BY e.seq`, publicToken)
}

// deleteDrafts deletes, at most limit times, the drafts of visits that ended before an
// instant: stated employers and connections.
func deleteDrafts(ctx context.Context, tx *store.Tx, ended time.Time, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `UPDATE visits SET stated = NULL, sources = '', username = '' WHERE id IN (
			SELECT id FROM visits WHERE ended_at > 0 AND ended_at < $1 AND (stated IS NOT NULL OR sources <> '' OR username <> '')
			ORDER BY ended_at LIMIT $2)`, store.Micros(ended), limit))
}

// Erase deletes the draft of the visit of a report.
func (s *Service) Erase(ctx context.Context, tx *store.Tx, publicToken string) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE visits SET stated = NULL, sources = '', username = '' WHERE public_token = $1`, publicToken))
}

// deleteEnded deletes, at most limit times, visits that ended before an instant, with
// their tokens, redirects, and invites.
func deleteEnded(ctx context.Context, tx *store.Tx, ended time.Time, limit int) (int64, error) {
	all, err := store.QueryAll(ctx, tx, store.ScanOne[string], `SELECT id FROM visits WHERE ended_at > 0 AND ended_at < $1
		ORDER BY ended_at LIMIT $2`, store.Micros(ended), limit)
	if err != nil {
		return 0, err
	}
	return int64(len(all)), deleteVisits(ctx, tx, all)
}

// Unconsented is a visit that its applicant did not consent to.
type Unconsented struct {
	PublicToken, ConsumerID string
	Created                 time.Time

	id string
}

// DeleteUnconsented deletes, at most limit, visits without consent that ended before an
// instant, with their tokens, redirects, and invites. Visits remain while an event about them
// is being delivered.
func (s *Service) DeleteUnconsented(ctx context.Context, tx *store.Tx, ended time.Time, limit int) ([]Unconsented, error) {
	all, err := store.QueryAll(ctx, tx, store.Columns(func(v *Unconsented) []any {
		return []any{&v.id, &v.PublicToken, &v.ConsumerID, store.At(&v.Created)}
	}), `SELECT id, public_token, consumer_id, created_at FROM visits v WHERE ended_at > 0 AND ended_at < $1
		AND NOT EXISTS (SELECT 1 FROM visit_events e WHERE e.visit_id = v.id AND e.kind = $2)
		AND NOT EXISTS (SELECT 1 FROM events e JOIN deliveries d ON d.event_id = e.id
			WHERE e.subject_id = v.public_token AND d.state = 'pending')
		AND EXISTS (SELECT 1 FROM reports r WHERE r.public_token = v.public_token AND r.status <> 'SUCCESS')
		ORDER BY ended_at LIMIT $3`, store.Micros(ended), string(flow.EventConsented), limit)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(all))
	for i, v := range all {
		ids[i] = v.id
	}
	return all, deleteVisits(ctx, tx, ids)
}

func deleteVisits(ctx context.Context, tx *store.Tx, ids []string) error {
	for _, id := range ids {
		if err := store.ExecEach(ctx, tx, id, `DELETE FROM initialization_tokens WHERE visit_id = $1`,
			`DELETE FROM redirects WHERE visit_id = $1`, `DELETE FROM invites WHERE visit_id = $1`,
			`DELETE FROM visit_events WHERE visit_id = $1`, `DELETE FROM visits WHERE id = $1`); err != nil {
			return err
		}
	}
	return nil
}
