package applications

import (
	"context"
	"fmt"
	"strings"

	"vestibule/internal/store"
)

// earlier is a row of application_reports.
type earlier struct {
	Held
	report, analysis []byte // encrypted
}

func earlierCell(id string, number int, column string) store.Cell {
	return store.Cell{Table: "application_reports", Column: column, Row: fmt.Sprintf("%s/%d", id, number)}
}

func insertEarlier(ctx context.Context, tx *store.Tx, id string, e earlier) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO application_reports (application_id, attempt, public_token, report, report_at, analysis)
		VALUES ($1, $2, $3, $4, $5, $6)`, id, int64(e.Attempt), e.PublicToken, e.report, store.Micros(e.At), e.analysis); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE applications SET report = NULL, report_at = 0, analysis = NULL, analysis_at = 0, fetch_until = 0,
		earlier_attempt = $2, earlier_at = $3, earlier_token = $4 WHERE id = $1`, id, int64(e.Attempt), store.Micros(e.At), e.PublicToken)
	return err
}

func earlierReport(ctx context.Context, q store.Queryer, id string, number int) (earlier, error) {
	e := earlier{Held: Held{Attempt: number}}
	var at int64
	err := q.QueryRowContext(ctx, `SELECT public_token, report, report_at, analysis FROM application_reports
		WHERE application_id = $1 AND attempt = $2`, id, int64(number)).Scan(&e.PublicToken, &e.report, &at, &e.analysis)
	e.At = store.Time(at)
	return e, store.MapNotFound(err)
}

// earlierReports lists the earlier reports without their bodies, newest first.
func earlierReports(ctx context.Context, q store.Queryer, id string) ([]Held, error) {
	rows, err := q.QueryContext(ctx, `SELECT attempt, public_token, report_at FROM application_reports WHERE application_id = $1 ORDER BY attempt DESC`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []Held
	for rows.Next() {
		var h Held
		var number, at int64
		if err := rows.Scan(&number, &h.PublicToken, &at); err != nil {
			return nil, err
		}
		h.Attempt, h.At = int(number), store.Time(at)
		out = append(out, h)
	}
	return out, rows.Err()
}

// several returns those of the applications that exist.
func several(ctx context.Context, q store.Queryer, ids []string) ([]Application, error) {
	in, args := among(ids)
	rows, err := q.QueryContext(ctx, `SELECT `+columns+` FROM applications WHERE id IN (`+in+`)`, args...)
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

// among returns SQL placeholders and their arguments.
func among(ids []string) (placeholders string, args []any) {
	in, args := make([]string, len(ids)), make([]any, len(ids))
	for i, id := range ids {
		in[i], args[i] = fmt.Sprintf("$%d", i+1), id
	}
	return strings.Join(in, ", "), args
}
