package applications

import (
	"context"
	"fmt"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/store"
)

// archivedReport is a row of application_reports.
type archivedReport struct {
	StoredReport
	report, analysis []byte // encrypted
}

func archivedCell(id string, number int, column string) store.Cell {
	return store.Cell{Table: "application_reports", Column: column, Row: fmt.Sprintf("%s/%d", id, number)}
}

func insertArchivedReport(ctx context.Context, tx *store.Tx, id string, e archivedReport) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO application_reports (application_id, attempt, public_token, report, report_at, analysis)
		VALUES ($1, $2, $3, $4, $5, $6)`, id, int64(e.Attempt), e.PublicToken, e.report, store.Micros(e.At), e.analysis); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE applications SET report = NULL, report_at = 0, analysis = NULL, analysis_at = 0, fetch_until = 0,
		earlier_attempt = $2, earlier_at = $3, earlier_token = $4 WHERE id = $1`, id, int64(e.Attempt), store.Micros(e.At), e.PublicToken)
	return err
}

func archivedReportOf(ctx context.Context, q store.Queryer, id string, number int) (archivedReport, error) {
	e := archivedReport{StoredReport: StoredReport{Attempt: number}}
	var at int64
	err := q.QueryRowContext(ctx, `SELECT public_token, report, report_at, analysis FROM application_reports
		WHERE application_id = $1 AND attempt = $2`, id, int64(number)).Scan(&e.PublicToken, &e.report, &at, &e.analysis)
	e.At = store.Time(at)
	return e, store.MapNotFound(err)
}

// archivedReports lists the earlier reports without their bodies, newest first.
func archivedReports(ctx context.Context, q store.Queryer, id string) ([]StoredReport, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (h StoredReport, err error) {
		var at int64
		err = row.Scan(&h.Attempt, &h.PublicToken, &at)
		h.At = store.Time(at)
		return h, err
	}, `SELECT attempt, public_token, report_at FROM application_reports
		WHERE application_id = $1 ORDER BY attempt DESC`, id)
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

// storeReport stores the report unless one is stored.
func storeReport(ctx context.Context, tx *store.Tx, id string, sealed []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		UPDATE applications SET report = $1, report_at = $2, fetch_until = 0 WHERE id = $3 AND report IS NULL`,
		sealed, store.Micros(tx.Now), id))
}

func sealedReport(ctx context.Context, q store.Queryer, id string) (dataKey string, sealed []byte, err error) {
	err = q.QueryRowContext(ctx, `SELECT data_key, report FROM applications WHERE id = $1`, id).Scan(&dataKey, &sealed)
	return dataKey, sealed, store.MapNotFound(err)
}

// storeAnalysis stores a missing analysis; sealed is nil if none exists. False means
// that another run stored it.
func storeAnalysis(ctx context.Context, tx *store.Tx, id string, number int, sealed []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		UPDATE applications SET analysis = $1, analysis_at = $2 WHERE id = $3 AND succeeded = $4 AND report_at <> 0 AND analysis_at = 0`,
		sealed, store.Micros(tx.Now), id, int64(number)))
}

func sealedAnalysis(ctx context.Context, q store.Queryer, id string) (dataKey string, sealed []byte, settled bool, err error) {
	var at int64
	err = q.QueryRowContext(ctx, `SELECT data_key, analysis, analysis_at FROM applications WHERE id = $1`, id).Scan(&dataKey, &sealed, &at)
	return dataKey, sealed, at != 0, store.MapNotFound(err)
}

// missingReports returns the applications whose report is missing: when the lease to fetch
// it expires, by ID.
func missingReports(ctx context.Context, q store.Queryer) (map[string]time.Time, error) {
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

// missingAnalyses lists the applications of a product that have a report but no analysis
// yet.
func missingAnalyses(ctx context.Context, q store.Queryer, product contract.Product) ([]string, error) {
	return store.QueryAll(ctx, q, store.ScanOne[string], `
		SELECT id FROM applications WHERE state = $1 AND product = $2 AND report_at <> 0 AND analysis_at = 0`,
		string(journey.Ready), string(product))
}

func reportCell(id string) store.Cell {
	return store.Cell{Table: "applications", Column: "report", Row: id}
}

func analysisCell(id string) store.Cell {
	return store.Cell{Table: "applications", Column: "analysis", Row: id}
}
