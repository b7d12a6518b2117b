package applications

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
)

const columns = `id, product, mode, variant, manual, sandbox_report_id, origin, external_id, user_args,
	return_url, allowed_origin, lang, data_key, prefill IS NOT NULL, state, attempt, since, public_token,
	status, substatus, error, succeeded, fetch_until, report_at, decision, decisions, decided_at, reasons,
	version, created_at, updated_at, closed_attempt, earlier_attempt, earlier_at, earlier_token,
	COALESCE((SELECT t.created_at FROM application_attempts t WHERE t.application_id = applications.id AND t.attempt = applications.succeeded), 0)`

type scanner interface{ Scan(...any) error }

func scan(row scanner) (Application, error) {
	var a Application
	var attempt, since, succeeded, fetchUntil, reportAt, decided, created, updated, closed, earlierAttempt, earlierAt, begun int64
	var earlier Held
	var reasons string
	err := row.Scan(&a.ID, &a.Product, &a.Mode, &a.Variant, &a.Manual, &a.SandboxReportID, &a.Origin, &a.ExternalID, &a.UserArgs,
		&a.ReturnURL, &a.AllowedOrigin, &a.Lang, &a.dataKey, &a.HasApplicant, &a.Journey.State, &attempt, &since, &a.Journey.PublicToken,
		&a.Journey.Status, &a.Journey.Substatus, &a.Journey.Error, &succeeded, &fetchUntil, &reportAt,
		&a.Decision.Kind, &a.Decision.Number, &decided, &reasons, &a.Version, &created, &updated,
		&closed, &earlierAttempt, &earlierAt, &earlier.PublicToken, &begun)
	if err != nil {
		return Application{}, store.MapNotFound(err)
	}
	a.Journey.Attempt, a.Journey.Since, a.Journey.Succeeded, a.Journey.Closed = int(attempt), since, int(succeeded), int(closed)
	a.fetchUntil = store.Time(fetchUntil)
	if a.fetched = reportAt != 0; a.fetched {
		a.Report = Held{int(succeeded), store.Time(reportAt), a.Journey.PublicToken}
	} else if earlierAttempt != 0 {
		a.Report = Held{int(earlierAttempt), store.Time(earlierAt), earlier.PublicToken}
	}
	if a.Decision.Kind != "" {
		a.Decision.At, a.Decision.Reasons = store.Time(decided), strings.Fields(reasons)
	}
	if a.Decision.Kind == journey.MoreAsked && a.fetched && begun >= decided {
		a.Decision.AnsweredAt = a.Report.At
	}
	a.CreatedAt, a.UpdatedAt = store.Time(created), store.Time(updated)
	return a, nil
}

func get(ctx context.Context, q store.Queryer, id string) (Application, error) {
	return scan(q.QueryRowContext(ctx, `SELECT `+columns+` FROM applications WHERE id = $1`, id))
}

// lock reads an application and prevents other changes until tx ends: an update that
// changes nothing takes a row lock on both engines.
func lock(ctx context.Context, tx *store.Tx, id string) (Application, error) {
	ok, err := store.ExecOne(tx.ExecContext(ctx, `UPDATE applications SET version = version WHERE id = $1`, id))
	if err != nil {
		return Application{}, err
	}
	if !ok {
		return Application{}, store.ErrNotFound
	}
	return get(ctx, tx, id)
}

// insert stores a new application; false means that its external ID is taken.
func insert(ctx context.Context, tx *store.Tx, a Application, sealed []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		INSERT INTO applications (id, product, mode, variant, manual, sandbox_report_id, origin, external_id, user_args,
			return_url, allowed_origin, lang, data_key, prefill, state, attempt, since, public_token, status, substatus,
			error, succeeded, fetch_until, report_at, version, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0, $16, '', '', '', '', 0, 0, 0, 0, $17, $17)
		ON CONFLICT (external_id) DO NOTHING`,
		a.ID, string(a.Product), string(a.Mode), string(a.Variant), a.Manual, a.SandboxReportID, a.Origin, a.ExternalID, a.UserArgs,
		a.ReturnURL, a.AllowedOrigin, string(a.Lang), a.dataKey, sealed, string(a.Journey.State), a.Journey.Since,
		store.Micros(a.CreatedAt)))
}

// save writes the journey if the version has not changed since it was read.
func save(ctx context.Context, tx *store.Tx, a Application, next journey.Application, now time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		UPDATE applications SET state = $1, attempt = $2, since = $3, public_token = $4, status = $5, substatus = $6,
			error = $7, succeeded = $8, version = version + 1, updated_at = $9, closed_attempt = $12
		WHERE id = $10 AND version = $11`,
		string(next.State), int64(next.Attempt), next.Since, next.PublicToken, string(next.Status), string(next.Substatus),
		string(next.Error), int64(next.Succeeded), store.Micros(now), a.ID, a.Version, int64(next.Closed)))
}

// decide stores a decision as the newest; false means that this or a later one is
// already stored.
func decide(ctx context.Context, tx *store.Tx, id string, d Decision) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE applications SET decision = $2, decisions = $3, decided_at = $4, reasons = $5
		WHERE id = $1 AND decisions < $3`, id, d.Kind, d.Number, store.Micros(d.At), strings.Join(d.Reasons, " ")))
}

// catchUp copies recent decisions that replicas of an older version wrote only to
// review_decisions, as the migration that added these columns did.
func catchUp(ctx context.Context, tx *store.Tx, now time.Time) error {
	const newest = ` FROM review_decisions d WHERE d.application_id = applications.id ORDER BY d.seq DESC LIMIT 1)`
	_, err := tx.ExecContext(ctx, `UPDATE applications SET decision = (SELECT d.decision`+newest+`, decisions = (SELECT d.seq`+newest+`,
			decided_at = (SELECT d.at`+newest+`, reasons = (SELECT d.reasons`+newest+`
		WHERE updated_at > $1 AND decisions < (SELECT d.seq`+newest, store.Micros(now.Add(-catchUpFor)))
	return err
}

// catchUpFor exceeds the time that replicas of two versions run side by side.
const catchUpFor = 30 * 24 * time.Hour

// note adds an entry to the timeline; false means that this input was recorded
// before.
func note(ctx context.Context, tx *store.Tx, id, key string, l TimelineEntry) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		INSERT INTO application_timeline (application_id, key, seq, at, kind, attempt, status, substatus, error, from_state, to_state, reasons)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (application_id, key) DO NOTHING`,
		id, key, l.Seq, store.Micros(l.At), l.Kind, int64(l.Attempt), string(l.Status), string(l.Substatus), string(l.Error), l.From, l.To, strings.Join(l.Reasons, " ")))
}

func timeline(ctx context.Context, q store.Queryer, id string, after int64, limit int) ([]TimelineEntry, error) {
	rows, err := q.QueryContext(ctx, `
		SELECT seq, at, kind, attempt, status, substatus, error, from_state, to_state, reasons
		FROM application_timeline WHERE application_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`, id, after, int64(limit))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []TimelineEntry
	for rows.Next() {
		var l TimelineEntry
		var at, attempt int64
		var reasons string
		if err := rows.Scan(&l.Seq, &at, &l.Kind, &attempt, &l.Status, &l.Substatus, &l.Error, &l.From, &l.To, &reasons); err != nil {
			return nil, err
		}
		l.At, l.Attempt, l.Reasons = store.Time(at), int(attempt), strings.Fields(reasons)
		all = append(all, l)
	}
	return all, rows.Err()
}

func bind(ctx context.Context, tx *store.Tx, id, sessionID string) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO application_sessions (session_id, application_id) VALUES ($1, $2)
		ON CONFLICT (session_id, application_id) DO NOTHING`, sessionID, id)
	return err
}

func bound(ctx context.Context, q store.Queryer, id, sessionID string) (bool, error) {
	var n int
	err := q.QueryRowContext(ctx, `
		SELECT COUNT(*) FROM application_sessions WHERE session_id = $1 AND application_id = $2`, sessionID, id).Scan(&n)
	return n == 1, err
}

// recent lists the applications of a browser, newest first.
func recent(ctx context.Context, q store.Queryer, sessionID string, limit int) ([]Application, error) {
	rows, err := q.QueryContext(ctx, `
		SELECT `+columns+` FROM applications WHERE id IN (
			SELECT application_id FROM application_sessions WHERE session_id = $1)
		ORDER BY created_at DESC, id DESC LIMIT $2`, sessionID, int64(limit))
	return all(rows, err)
}

func all(rows *sql.Rows, err error) ([]Application, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Application
	for rows.Next() {
		a, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, rows.Err()
}

const attemptColumns = `attempt, mode, external_id, consumer_id, token, token_until, opened, opened_by, ours, public_token, asked_at, created_at`

func scanAttempt(row scanner) (Attempt, error) {
	var t Attempt
	var number, until, asked, created int64
	err := row.Scan(&number, &t.Mode, &t.ExternalID, &t.ConsumerID, &t.sealed, &until, &t.Opened, &t.OpenedBy, &t.Verified, &t.PublicToken, &asked, &created)
	if err != nil {
		return Attempt{}, store.MapNotFound(err)
	}
	t.Number, t.TokenUntil, t.askedAt, t.CreatedAt = int(number), store.Time(until), store.Time(asked), store.Time(created)
	return t, nil
}

func attempt(ctx context.Context, q store.Queryer, id string, number int) (Attempt, error) {
	return scanAttempt(q.QueryRowContext(ctx, `
		SELECT `+attemptColumns+` FROM application_attempts WHERE application_id = $1 AND attempt = $2`, id, int64(number)))
}

func lastAttempt(ctx context.Context, q store.Queryer, id string) (Attempt, error) {
	return scanAttempt(q.QueryRowContext(ctx, `
		SELECT `+attemptColumns+` FROM application_attempts WHERE application_id = $1 ORDER BY attempt DESC LIMIT 1`, id))
}

func attempts(ctx context.Context, q store.Queryer, id string) ([]Attempt, error) {
	rows, err := q.QueryContext(ctx, `SELECT `+attemptColumns+` FROM application_attempts WHERE application_id = $1 ORDER BY attempt`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Attempt
	for rows.Next() {
		t, err := scanAttempt(rows)
		if err != nil {
			return nil, err
		}
		t.sealed = nil
		out = append(out, t)
	}
	return out, rows.Err()
}

func insertAttempt(ctx context.Context, tx *store.Tx, id string, t Attempt) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO application_attempts (application_id, attempt, mode, external_id, consumer_id, token, token_until, opened, ours,
			public_token, asked_at, created_at)
		VALUES ($1, $2, $3, $4, '', NULL, 0, FALSE, FALSE, '', 0, $5)`,
		id, int64(t.Number), string(t.Mode), t.ExternalID, store.Micros(t.CreatedAt))
	return err
}

// equip stores what initializes an attempt's widget and marks the attempt's visit as
// the portal's.
func equip(ctx context.Context, tx *store.Tx, id string, number int, consumerID string, sealed []byte, until time.Time) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE application_attempts SET consumer_id = $1, token = $2, token_until = $3, ours = TRUE
		WHERE application_id = $4 AND attempt = $5`, consumerID, sealed, store.Micros(until), id, int64(number))
	return err
}

// open marks the attempt's widget as opened by holder, unless it was opened before.
func open(ctx context.Context, tx *store.Tx, id string, number int, holder string) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE application_attempts SET opened = TRUE, opened_by = $1
		WHERE application_id = $2 AND attempt = $3 AND NOT opened`, holder, id, int64(number))
	return err
}

// spend marks the attempt's token as used, in every browser, and deletes it.
func spend(ctx context.Context, tx *store.Tx, id string, number int) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE application_attempts SET opened = TRUE, opened_by = '', token = NULL
		WHERE application_id = $1 AND attempt = $2`, id, int64(number))
	return err
}

// own marks the visit of an attempt as the portal's and as opened, for visits outside
// a widget.
func own(ctx context.Context, tx *store.Tx, id string, number int) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE application_attempts SET opened = TRUE, token = NULL, ours = TRUE
		WHERE application_id = $1 AND attempt = $2`, id, int64(number))
	return err
}

func setAsked(ctx context.Context, tx *store.Tx, id string, number int, at time.Time) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE application_attempts SET asked_at = $1 WHERE application_id = $2 AND attempt = $3`,
		store.Micros(at), id, int64(number))
	return err
}

// claim stores the publicToken that a verified source named for an attempt, unless
// one is stored.
func claim(ctx context.Context, tx *store.Tx, id string, number int, publicToken string) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE application_attempts SET public_token = $1
		WHERE application_id = $2 AND attempt = $3 AND public_token = ''`, publicToken, id, int64(number))
	return err
}

// nameConsumer stores the service's consumer ID of an attempt's applicant if it is a
// UUID.
func nameConsumer(ctx context.Context, tx *store.Tx, id string, number int, consumerID string) error {
	if !contract.IsUUID(consumerID) {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE application_attempts SET named_consumer = $1
		WHERE application_id = $2 AND attempt = $3`, strings.ToLower(consumerID), id, int64(number))
	return err
}

// consumers lists the service's consumer IDs of an application's applicant, except
// those that another application shares.
func consumers(ctx context.Context, q store.Queryer, id string) ([]string, error) {
	rows, err := q.QueryContext(ctx, `
		SELECT c FROM (SELECT named_consumer AS c FROM application_attempts WHERE application_id = $1
			UNION SELECT consumer_id FROM application_attempts WHERE application_id = $1) AS mine
		WHERE c <> '' AND NOT EXISTS (SELECT 1 FROM application_attempts o
			WHERE (o.named_consumer = c OR o.consumer_id = c) AND o.application_id <> $1)
		ORDER BY c`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var c string
		if err := rows.Scan(&c); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, rows.Err()
}

// match finds the attempt of an event from the service: by external ID, if the portal
// started its visit, otherwise by a publicToken stored earlier.
func match(ctx context.Context, q store.Queryer, externalID, publicToken string) (id string, number int, err error) {
	var n int64
	if externalID != "" {
		err = q.QueryRowContext(ctx, `
			SELECT application_id, attempt FROM application_attempts WHERE external_id = $1 AND ours`, externalID).Scan(&id, &n)
		if !errors.Is(err, sql.ErrNoRows) {
			return id, int(n), err
		}
	}
	err = q.QueryRowContext(ctx, `
		SELECT application_id, attempt FROM application_attempts WHERE public_token = $1 AND public_token <> ''
		ORDER BY created_at LIMIT 1`, publicToken).Scan(&id, &n)
	return id, int(n), store.MapNotFound(err)
}

// lease allows one process to fetch the report until the lease expires.
func lease(ctx context.Context, q store.Queryer, id string, now, until time.Time) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `
		UPDATE applications SET fetch_until = $1 WHERE id = $2 AND report IS NULL AND fetch_until <= $3`,
		store.Micros(until), id, store.Micros(now)))
}

func release(ctx context.Context, q store.Queryer, id string) error {
	_, err := q.ExecContext(ctx, `UPDATE applications SET fetch_until = 0 WHERE id = $1`, id)
	return err
}

// keepReport stores the report unless one is stored.
func keepReport(ctx context.Context, tx *store.Tx, id string, sealed []byte, at time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		UPDATE applications SET report = $1, report_at = $2, fetch_until = 0 WHERE id = $3 AND report IS NULL`,
		sealed, store.Micros(at), id))
}

func sealedReport(ctx context.Context, q store.Queryer, id string) (dataKey string, sealed []byte, err error) {
	err = q.QueryRowContext(ctx, `SELECT data_key, report FROM applications WHERE id = $1`, id).Scan(&dataKey, &sealed)
	return dataKey, sealed, store.MapNotFound(err)
}

// keepAnalysis stores a missing analysis; sealed is nil if there is none. False means
// that another run stored it.
func keepAnalysis(ctx context.Context, tx *store.Tx, id string, number int, sealed []byte, at time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		UPDATE applications SET analysis = $1, analysis_at = $2 WHERE id = $3 AND succeeded = $4 AND report_at <> 0 AND analysis_at = 0`,
		sealed, store.Micros(at), id, int64(number)))
}

func sealedAnalysis(ctx context.Context, q store.Queryer, id string) (dataKey string, sealed []byte, settled bool, err error) {
	var at int64
	err = q.QueryRowContext(ctx, `SELECT data_key, analysis, analysis_at FROM applications WHERE id = $1`, id).Scan(&dataKey, &sealed, &at)
	return dataKey, sealed, at != 0, store.MapNotFound(err)
}

// unexplained lists the applications of a product that have a report but no analysis
// yet.
func unexplained(ctx context.Context, q store.Queryer, product contract.Product) ([]string, error) {
	rows, err := q.QueryContext(ctx, `
		SELECT id FROM applications WHERE state = $1 AND product = $2 AND report_at <> 0 AND analysis_at = 0`,
		string(journey.Ready), string(product))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, rows.Err()
}

func sealedPrefill(ctx context.Context, q store.Queryer, id string) (dataKey string, sealed []byte, err error) {
	err = q.QueryRowContext(ctx, `SELECT data_key, prefill FROM applications WHERE id = $1`, id).Scan(&dataKey, &sealed)
	return dataKey, sealed, store.MapNotFound(err)
}

// setApplicant stores the applicant's data if none is stored.
func setApplicant(ctx context.Context, tx *store.Tx, id string, sealed []byte, mode Mode, now time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		UPDATE applications SET prefill = $1, mode = $2, updated_at = $3 WHERE id = $4 AND prefill IS NULL`,
		sealed, string(mode), store.Micros(now), id))
}

func setMode(ctx context.Context, tx *store.Tx, id string, mode Mode) error {
	_, err := tx.ExecContext(ctx, `UPDATE applications SET mode = $1 WHERE id = $2`, string(mode), id)
	return err
}

func setLang(ctx context.Context, q store.Queryer, id string, lang contract.Lang) error {
	_, err := q.ExecContext(ctx, `UPDATE applications SET lang = $1 WHERE id = $2`, string(lang), id)
	return err
}

// moved lists the applications updated after since, for the streams.
func moved(ctx context.Context, q store.Queryer, since time.Time) (map[string]int64, time.Time, error) {
	rows, err := q.QueryContext(ctx, `SELECT id, version, updated_at FROM applications WHERE updated_at > $1`, store.Micros(since))
	if err != nil {
		return nil, since, err
	}
	defer rows.Close()
	out := map[string]int64{}
	newest := since
	for rows.Next() {
		var id string
		var version, at int64
		if err := rows.Scan(&id, &version, &at); err != nil {
			return nil, since, err
		}
		out[id] = version
		if t := store.Time(at); t.After(newest) {
			newest = t
		}
	}
	return out, newest, rows.Err()
}

// waiting lists the applications whose report is to be fetched and when the lease on
// that expires.
func waiting(ctx context.Context, q store.Queryer) (map[string]time.Time, error) {
	rows, err := q.QueryContext(ctx, `SELECT id, fetch_until FROM applications WHERE state = $1 AND report IS NULL`, string(journey.Pending))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]time.Time{}
	for rows.Next() {
		var id string
		var until int64
		if err := rows.Scan(&id, &until); err != nil {
			return nil, err
		}
		out[id] = store.Time(until)
	}
	return out, rows.Err()
}

// list returns a page, newest first, and the cursor of the next page.
func list(ctx context.Context, q store.Queryer, f Filter) ([]Application, string, error) {
	where, args := []string{"1 = 1"}, []any{}
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	if f.State != "" {
		where = append(where, "state = "+arg(f.State))
	}
	if f.Product != "" {
		where = append(where, "product = "+arg(string(f.Product)))
	}
	if f.ExternalID != "" {
		where = append(where, "external_id = "+arg(f.ExternalID))
	}
	if !f.From.IsZero() {
		where = append(where, "created_at >= "+arg(store.Micros(f.From)))
	}
	if !f.To.IsZero() {
		where = append(where, "created_at < "+arg(store.Micros(f.To)))
	}
	if f.Cursor != "" {
		at, id, ok := ReadCursor(f.Cursor)
		if !ok {
			return nil, "", ErrCursor
		}
		// A row value lets both database engines use the index.
		where = append(where, fmt.Sprintf("(created_at, id) < (%s, %s)", arg(at), arg(id)))
	}
	limit := f.Limit
	if limit < 1 || limit > 100 {
		limit = 25
	}
	page, err := all(q.QueryContext(ctx, `SELECT `+columns+` FROM applications WHERE `+strings.Join(where, " AND ")+
		` ORDER BY created_at DESC, id DESC LIMIT `+arg(int64(limit+1)), args...))
	if err != nil || len(page) <= limit {
		return page, "", err
	}
	last := page[limit-1]
	return page[:limit], WriteCursor(last.CreatedAt, last.ID), nil
}

// WriteCursor returns the cursor of the page after a row, in a list ordered by time
// and ID, newest first.
func WriteCursor(at time.Time, id string) string {
	return strconv.FormatInt(store.Micros(at), 10) + "." + id
}

// ReadCursor returns the time and ID of the row after which a page begins; false for
// a malformed cursor.
func ReadCursor(s string) (at int64, id string, ok bool) {
	first, id, ok := strings.Cut(s, ".")
	at, err := strconv.ParseInt(first, 10, 64)
	return at, id, ok && err == nil && contract.IsUUID(id)
}

func prefillCell(id string) store.Cell {
	return store.Cell{Table: "applications", Column: "prefill", Row: id}
}

func reportCell(id string) store.Cell {
	return store.Cell{Table: "applications", Column: "report", Row: id}
}

func analysisCell(id string) store.Cell {
	return store.Cell{Table: "applications", Column: "analysis", Row: id}
}

func tokenCell(id string, number int) store.Cell {
	return store.Cell{Table: "application_attempts", Column: "token", Row: fmt.Sprintf("%s/%d", id, number)}
}

func seal(ctx context.Context, v *store.Vault, tx *store.Tx, dataKey, id string, f prefill.Fields) ([]byte, error) {
	plain, err := json.Marshal(f)
	if err != nil {
		return nil, errors.New("applications: the applicant's data cannot be written")
	}
	return v.Seal(ctx, tx, dataKey, prefillCell(id), plain)
}

// known is an applicant's encrypted data with its wrapped data key.
type known struct {
	id, dataKey     string
	sealed, wrapped []byte
}

// sealedPrefills reads the encrypted applicant data of some applications.
func sealedPrefills(ctx context.Context, q store.Queryer, ids []string) ([]known, error) {
	in, args := among(ids)
	rows, err := q.QueryContext(ctx, `SELECT a.id, a.data_key, a.prefill, k.wrapped FROM applications a LEFT JOIN data_keys k ON k.id = a.data_key
		WHERE a.id IN (`+in+`) AND a.prefill IS NOT NULL`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []known
	for rows.Next() {
		var k known
		if err := rows.Scan(&k.id, &k.dataKey, &k.sealed, &k.wrapped); err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, rows.Err()
}

// forget deletes the rows of an application.
func forget(ctx context.Context, tx *store.Tx, id string) error {
	for _, table := range []string{"application_sessions", "application_attempts", "application_timeline", "application_reports"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE application_id = $1`, id); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM applications WHERE id = $1`, id)
	return err
}
