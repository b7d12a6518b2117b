package applications

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/store"
)

const columns = `
	id, product, mode, variant, manual, sandbox_report_id, origin, external_id, user_args, return_url, allowed_origin, lang,
	data_key, prefill IS NOT NULL, state, attempt, since, public_token, status, substatus, error, succeeded, fetch_until,
	report_at, decision, decisions, decided_at, reasons, version, created_at, updated_at, closed_attempt, earlier_attempt,
	earlier_at, earlier_token, revision, revised_at, revision_at, decision_outdated,
	COALESCE((SELECT t.created_at FROM application_attempts t
		WHERE t.application_id = applications.id AND t.attempt = applications.succeeded), 0)`

func scan(row store.Row) (Application, error) { return scanWith(row) }

// scanWith scans the columns, and more after them.
func scanWith(row store.Row, more ...any) (Application, error) {
	var a Application
	var attempt, since, succeeded, fetchUntil, reportAt, decided, created, updated, closed, earlierAttempt, earlierAt, begun int64
	var revision, revised, again int64
	var earlier StoredReport
	var reasons string
	err := row.Scan(append([]any{&a.ID, &a.Product, &a.Mode, &a.Variant, &a.Manual, &a.SandboxReportID, &a.Origin, &a.ExternalID, &a.UserArgs,
		&a.ReturnURL, &a.AllowedOrigin, &a.Lang, &a.dataKey, &a.HasApplicant, &a.Journey.State, &attempt, &since,
		&a.Journey.PublicToken, &a.Journey.Status, &a.Journey.Substatus, &a.Journey.Error, &succeeded, &fetchUntil, &reportAt,
		&a.Decision.Kind, &a.Decision.Number, &decided, &reasons, &a.Version, &created, &updated, &closed, &earlierAttempt,
		&earlierAt, &earlier.PublicToken, &revision, &revised, &again, &a.Decision.Outdated, &begun}, more...)...)
	if err != nil {
		return Application{}, store.MapNotFound(err)
	}
	a.Journey.Attempt, a.Journey.Since, a.Journey.Succeeded, a.Journey.Closed = int(attempt), since, int(succeeded), int(closed)
	a.fetchUntil = store.Time(fetchUntil)
	if a.fetched = reportAt != 0; a.fetched {
		a.SharedAt = store.Time(reportAt)
		a.Report = StoredReport{Attempt: int(succeeded), At: store.Time(max(reportAt, again)), PublicToken: a.Journey.PublicToken}
	} else if earlierAttempt != 0 {
		a.Report = StoredReport{Attempt: int(earlierAttempt), At: store.Time(max(earlierAt, again)), PublicToken: earlier.PublicToken}
	}
	if a.Report.Revision = int(revision); revised != 0 {
		a.Report.RevisedAt = store.Time(revised)
	}
	if a.Decision.Kind != "" {
		a.Decision.At, a.Decision.Reasons = store.Time(decided), strings.Fields(reasons)
	}
	if a.Decision.Kind == journey.MoreAsked && a.fetched && begun >= decided {
		a.Decision.AnsweredAt = a.SharedAt
	}
	a.CreatedAt, a.UpdatedAt, a.saved = store.Time(created), store.Time(updated), a.Version
	return a, nil
}

// Get returns an application, or store.ErrNotFound.
func (s *Service) Get(ctx context.Context, q store.Queryer, id string) (Application, error) {
	return scan(q.QueryRowContext(ctx, `SELECT `+columns+` FROM applications WHERE id = $1`, id))
}

// GetFor is Get for a session, and returns store.ErrNotFound if the session may not see the application.
func (s *Service) GetFor(ctx context.Context, id, sessionID string) (Application, error) {
	return scan(s.DB.SQL.QueryRowContext(ctx, `SELECT `+columns+` FROM applications WHERE id = $1
		AND EXISTS (SELECT 1 FROM application_sessions WHERE application_id = $1 AND session_id = $2)`, id, sessionID))
}

// Lock reads an application and prevents other changes until tx ends. It returns
// store.ErrNotFound if the application does not exist. tx knows its data key afterward.
func (s *Service) Lock(ctx context.Context, tx *store.Tx, id string) (Application, error) {
	var wrapped []byte
	a, err := scanWith(tx.QueryRowContext(ctx, `SELECT `+columns+`, (SELECT k.wrapped FROM data_keys k WHERE k.id = applications.data_key)
		FROM applications WHERE id = $1`+s.DB.ForUpdate(), id), &wrapped)
	_, _ = s.DB.Vault.Unwrap(tx, a.dataKey, wrapped) // a later use returns the error
	tx.RefreshNow()
	return a, err
}

// insert stores a new application as record describes it; false means that its external ID is taken.
func insert(ctx context.Context, tx *store.Tx, a Application, sealed []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		INSERT INTO applications (id, product, mode, variant, manual, sandbox_report_id, origin, external_id, user_args, return_url,
			allowed_origin, lang, data_key, prefill, state, attempt, since, public_token, status, substatus, error, succeeded,
			fetch_until, report_at, version, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0, $16, '', '', '', '', 0, 0, 0, 1, $17, $17)
		ON CONFLICT (external_id) DO NOTHING`,
		a.ID, string(a.Product), string(a.Mode), string(a.Variant), a.Manual, a.SandboxReportID, a.Origin, a.ExternalID, a.UserArgs,
		a.ReturnURL, a.AllowedOrigin, string(a.Lang), a.dataKey, sealed, string(a.Journey.State), a.Journey.Since,
		store.Micros(a.CreatedAt)))
}

// save writes the journey and the unsaved columns of a locked application.
func save(ctx context.Context, tx *store.Tx, a *Application) error {
	j, more := a.Journey, ""
	args := []any{string(j.State), int64(j.Attempt), j.Since, j.PublicToken, string(j.Status), string(j.Substatus), string(j.Error),
		int64(j.Succeeded), store.Micros(a.UpdatedAt), a.ID, a.saved, int64(j.Closed), a.Version}
	for i := 0; i < len(a.unsaved); i += 2 {
		args = append(args, a.unsaved[i+1])
		more += fmt.Sprintf(", %s = $%d", a.unsaved[i], len(args))
	}
	ok, err := store.ExecOne(tx.ExecContext(ctx, `
		UPDATE applications SET state = $1, attempt = $2, since = $3, public_token = $4, status = $5, substatus = $6,
			error = $7, succeeded = $8, version = $13, updated_at = $9, closed_attempt = $12`+more+`
		WHERE id = $10 AND version = $11`, args...))
	if err == nil && !ok {
		err = errors.New("applications: a locked application was changed")
	}
	a.saved, a.unsaved = a.Version, nil
	return err
}

// set sets columns, given as names and values, that save writes.
func (a *Application) set(columns ...any) { a.unsaved = append(a.unsaved, columns...) }

// setDecision makes a decision on the newest report the newest.
func setDecision(a *Application, d Decision) {
	d.Outdated = false
	a.Decision = d
	a.set("decision", d.Kind, "decisions", d.Number, "decided_at", store.Micros(d.At), "reasons", strings.Join(d.Reasons, " "),
		"decision_outdated", false)
}

// insertTimelineEntry adds an entry to the timeline; false means that this input was recorded
// before.
func insertTimelineEntry(ctx context.Context, tx *store.Tx, id, key string, l TimelineEntry) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		INSERT INTO application_timeline (application_id, key, seq, at, kind, attempt, status, substatus, error, from_state, to_state, reasons)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (application_id, key) DO NOTHING`,
		id, key, l.Seq, store.Micros(l.At), l.Kind, int64(l.Attempt), string(l.Status), string(l.Substatus),
		string(l.Error), l.From, l.To, strings.Join(l.Reasons, " ")))
}

// Timeline returns at most limit entries with numbers above after.
func (s *Service) Timeline(ctx context.Context, id string, after int64, limit int) ([]TimelineEntry, error) {
	return store.QueryAll(ctx, s.DB.SQL, func(row store.Row) (l TimelineEntry, err error) {
		var at int64
		var reasons string
		err = row.Scan(&l.Seq, &at, &l.Kind, &l.Attempt, &l.Status, &l.Substatus, &l.Error, &l.From, &l.To, &reasons)
		l.At, l.Reasons = store.Time(at), strings.Fields(reasons)
		return l, err
	}, `
		SELECT seq, at, kind, attempt, status, substatus, error, from_state, to_state, reasons
		FROM application_timeline WHERE application_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`, id, after, int64(limit))
}

// GrantAccess grants a session access to the application.
func (s *Service) GrantAccess(ctx context.Context, tx *store.Tx, id, sessionID string) error {
	return store.Exec(tx.ExecContext(ctx, `
		INSERT INTO application_sessions (session_id, application_id) VALUES ($1, $2)
		ON CONFLICT (session_id, application_id) DO NOTHING`, sessionID, id))
}

// HasAccess reports whether a session may see the application.
func (s *Service) HasAccess(ctx context.Context, id, sessionID string) (bool, error) {
	if sessionID == "" {
		return false, nil
	}
	var n int
	err := s.DB.SQL.QueryRowContext(ctx, `
		SELECT COUNT(*) FROM application_sessions WHERE session_id = $1 AND application_id = $2`, sessionID, id).Scan(&n)
	return n == 1, err
}

// Recent returns the applications of a session, newest first.
func (s *Service) Recent(ctx context.Context, sessionID string, limit int) ([]Application, error) {
	if sessionID == "" {
		return nil, nil
	}
	return store.QueryAll(ctx, s.DB.SQL, scan, `
		SELECT `+columns+` FROM applications WHERE id IN (
			SELECT application_id FROM application_sessions WHERE session_id = $1)
		ORDER BY created_at DESC, id DESC LIMIT $2`, sessionID, int64(limit))
}

func setMode(ctx context.Context, tx *store.Tx, id string, mode Mode) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE applications SET mode = $1 WHERE id = $2`, string(mode), id))
}

// SetLanguage stores the applicant's language, which emails are written in.
func (s *Service) SetLanguage(ctx context.Context, a Application, lang i18n.Lang) error {
	if a.Lang == lang {
		return nil
	}
	return store.Exec(s.DB.SQL.ExecContext(ctx, `UPDATE applications SET lang = $1 WHERE id = $2`, string(lang), a.ID))
}

// changedSince lists the applications updated after since, for the streams.
func (s *Service) changedSince(ctx context.Context, since time.Time) (map[string]int64, time.Time, error) {
	out := map[string]int64{}
	newest := since
	err := store.QueryEach(ctx, s.DB.SQL, func(row store.Row) error {
		var id string
		var version, at int64
		err := row.Scan(&id, &version, &at)
		out[id] = version
		if t := store.Time(at); t.After(newest) {
			newest = t
		}
		return err
	}, `SELECT id, version, updated_at FROM applications WHERE updated_at > $1`, store.Micros(since))
	return out, newest, err
}

func tokenCell(id string, number int) store.Cell {
	return store.Cell{Table: "application_attempts", Column: "token", Row: fmt.Sprintf("%s/%d", id, number)}
}

// Delete deletes all data of an application in this package. The caller destroys the
// data key after the other packages have deleted theirs.
func (s *Service) Delete(ctx context.Context, tx *store.Tx, id string) error {
	return store.ExecEach(ctx, tx, id, `DELETE FROM application_sessions WHERE application_id = $1`,
		`DELETE FROM application_attempts WHERE application_id = $1`, `DELETE FROM application_timeline WHERE application_id = $1`,
		`DELETE FROM application_reports WHERE application_id = $1`, `DELETE FROM `+reportTable+` WHERE application_id = $1`,
		`DELETE FROM applications WHERE id = $1`)
}
