package applications

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"vestibule/internal/journey"
	"vestibule/internal/store"
)

// reportTable holds every report of every application.
const reportTable = "application_report_revisions"

// reportRow is a row of reportTable.
type reportRow struct {
	StoredReport
	report, analysis, transactions []byte // encrypted, to be stored; the transactions of the analysis
	sealed                         []byte // the column that a query has read
	settled                        bool   // whether the portal knows if the report has an analysis
	newest                         bool   // of the application's newest attempt with a report
	sealedIn                       string
	dataKey                        string // of the application
	wrapped                        []byte
}

// cell returns the encryption context of a column. Rows that were copied from other tables
// keep theirs.
func (r reportRow) cell(id, column string) store.Cell {
	at := store.Cell{Table: r.sealedIn, Column: column, Row: id}
	switch r.sealedIn {
	case reportTable:
		at.Row = fmt.Sprintf("%s/%d/%d", id, r.Attempt, r.Revision)
	case "application_reports":
		at.Row = fmt.Sprintf("%s/%d", id, r.Attempt)
	}
	return at
}

// contents is the encrypted column that a query reads: a report is some kilobytes and an analysis
// tens of them.
type contents string

const (
	noContents       contents = "NULL"
	withReport       contents = "r.report"
	withAnalysis     contents = "r.analysis"
	withTransactions contents = "r.transactions"
)

// reportRows selects the reports of an application.
func reportRows(c contents) string {
	return `SELECT r.attempt, r.revision, r.public_token, r.fetched_at, r.revised_at, ` + string(c) + `, r.analysis_at, r.sealed_in,
			r.available_until, r.etag, newest.attempt = r.attempt, k.id, k.wrapped
		FROM application_report_revisions r
		JOIN (SELECT max(attempt) AS attempt FROM application_report_revisions WHERE application_id = $1) AS newest ON TRUE
		JOIN applications a ON a.id = r.application_id JOIN data_keys k ON k.id = a.data_key
		WHERE r.application_id = $1`
}

func scanReport(row store.Row) (r reportRow, err error) {
	var attempt, revision, fetched, revised, settled, until int64
	err = row.Scan(&attempt, &revision, &r.PublicToken, &fetched, &revised, &r.sealed, &settled, &r.sealedIn, &until,
		&r.ETag, &r.newest, &r.dataKey, &r.wrapped)
	r.Attempt, r.Revision, r.At, r.settled = int(attempt), int(revision), store.Time(fetched), settled != 0
	if revised != 0 {
		r.RevisedAt = store.Time(revised)
	}
	if until != 0 {
		r.Until = store.Time(until)
	}
	return r, err
}

// reportOf returns a revision of the report of an attempt, or ErrNoReport. Attempt 0 is the newest, and so is
// a revision below zero.
func reportOf(ctx context.Context, q store.Queryer, c contents, id string, attempt, revision int) (reportRow, error) {
	r, err := scanReport(q.QueryRowContext(ctx, reportRows(c)+` AND r.attempt = CASE WHEN $2 = 0 THEN newest.attempt ELSE $2 END
		AND ($3 < 0 OR r.revision = $3) ORDER BY r.revision DESC LIMIT 1`, id, int64(attempt), int64(revision)))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNoReport
	}
	return r, err
}

// Reports lists the stored reports of an application, newest first.
func (s *Service) Reports(ctx context.Context, id string) ([]StoredReport, error) {
	return store.QueryAll(ctx, s.DB.SQL, func(row store.Row) (StoredReport, error) {
		r, err := scanReport(row)
		return r.StoredReport, err
	}, reportRows(noContents)+` ORDER BY r.attempt DESC, r.revision DESC`, id)
}

// insertReport stores a report, and when to look for its next revision instead of that of the
// former one; false means that it is stored already.
func insertReport(ctx context.Context, tx *store.Tx, id string, r reportRow, checkAt time.Time) (bool, error) {
	if r.Revision > 0 {
		if _, err := tx.ExecContext(ctx, `UPDATE application_report_revisions SET check_at = 0
				WHERE application_id = $1 AND attempt = $2 AND check_at > 0`, id, int64(r.Attempt)); err != nil {
			return false, err
		}
	}
	settled := time.Time{}
	if r.settled {
		settled = tx.Now
	}
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO application_report_revisions (application_id, attempt, revision, public_token,
			fetched_at, revised_at, report, analysis, analysis_at, sealed_in, available_until, transactions, etag, check_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING`, id, int64(r.Attempt),
		int64(r.Revision), r.PublicToken, store.Micros(r.At), store.MicrosOrZero(r.RevisedAt), r.report, r.analysis,
		store.MicrosOrZero(settled), reportTable, store.MicrosOrZero(r.Until), r.transactions, r.ETag, store.MicrosOrZero(checkAt)))
}

// dueChecks lists reports to ask the service about now, and asks again a day later while the
// service has them.
func dueChecks(ctx context.Context, tx *store.Tx, most int) ([]FetchRevision, error) {
	now, next := store.Micros(tx.Now), store.Micros(tx.Now.Add(checkEvery))
	return store.QueryAll(ctx, tx, func(row store.Row) (f FetchRevision, err error) {
		var attempt int64
		err = row.Scan(&f.Application, &attempt)
		f.Attempt, f.Check = int(attempt), true
		return f, err
	}, `UPDATE application_report_revisions SET check_at = CASE WHEN $1 < CASE WHEN available_until = 0
			THEN fetched_at + $2 ELSE available_until END THEN $1 ELSE 0 END
		WHERE check_at > 0 AND check_at <= $3 AND (application_id, attempt, revision) IN (SELECT application_id, attempt, revision
			FROM application_report_revisions WHERE check_at > 0 AND check_at <= $3 ORDER BY check_at LIMIT $4)
		RETURNING application_id, attempt`, next, checkFor.Microseconds(), now, int64(most))
}

// setReport makes a report the application's newest: the first of the attempt that succeeded, or a revision of the newest.
func setReport(a *Application, r StoredReport, first bool) {
	at := int64(0)
	if first {
		a.set("report_at", store.Micros(r.At))
	} else {
		at = store.Micros(r.At)
	}
	a.fetched, a.Report, a.Decision.Outdated = a.fetched || first, r, !first && a.Decision.Kind != ""
	a.set("revision", int64(r.Revision), "revised_at", store.MicrosOrZero(r.RevisedAt), "revision_at", at, "fetch_until", int64(0),
		"decision_outdated", a.Decision.Outdated)
}

// setEarlier makes the newest report one of an earlier attempt: another attempt begins.
func setEarlier(a *Application) {
	a.fetched = false
	a.set("report_at", int64(0), "fetch_until", int64(0), "earlier_attempt", int64(a.Report.Attempt),
		"earlier_at", store.Micros(a.Report.At), "earlier_token", a.Report.PublicToken)
}

// lease allows one process to fetch the report until the lease expires: the first of an
// attempt, or a revision.
func lease(ctx context.Context, q store.Queryer, id string, revision bool, now, until time.Time) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `
		UPDATE applications SET fetch_until = $1 WHERE id = $2 AND ($4 OR report_at = 0) AND fetch_until <= $3`,
		store.Micros(until), id, store.Micros(now), revision))
}

func release(ctx context.Context, q store.Queryer, id string) error {
	return store.Exec(q.ExecContext(ctx, `UPDATE applications SET fetch_until = 0 WHERE id = $1`, id))
}

// storeAnalysis stores an analysis, nil for none, unless another run has stored it.
func storeAnalysis(ctx context.Context, tx *store.Tx, id string, r reportRow) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE application_report_revisions SET analysis = $1, analysis_at = $2, transactions = $6
		WHERE application_id = $3 AND attempt = $4 AND revision = $5 AND analysis_at = 0`,
		r.analysis, store.Micros(tx.Now), id, int64(r.Attempt), int64(r.Revision), r.transactions))
}

// missingReports returns the applications whose report is missing: when the lease to fetch
// it expires, by ID.
func missingReports(ctx context.Context, q store.Queryer) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	return out, store.QueryEach(ctx, q, func(row store.Row) error {
		var id string
		var until int64
		err := row.Scan(&id, &until)
		out[id] = store.Time(until)
		return err
	}, `SELECT id, fetch_until FROM applications WHERE state = $1 AND report_at = 0`, string(journey.Pending))
}
