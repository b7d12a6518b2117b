package review

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/report"
	"vestibule/internal/staff"
)

// reportCSV exports the report's rows for a spreadsheet: attributes of a cashflow
// report, pay statements of other reports.
func (d *Handler) reportCSV(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, _, raw, err := d.body(r, by, reportExported)
	if err != nil {
		return err
	}
	var rows [][]string
	switch a.Product {
	case contract.Cashflow:
		var body *report.Cashflow
		if body, err = report.ParseCashflow(raw); err == nil {
			rows = attributeRows(body)
		}
	case contract.Income:
		var body *report.Income
		if body, err = report.ParseIncome(raw); err == nil {
			rows = payRows(body)
		}
	case contract.Eligibility:
		var body *report.Eligibility
		if body, err = report.ParseEligibility(raw); err == nil {
			rows = statementRows(body)
		}
	}
	if err != nil {
		return errStored
	}
	return sendCSV(w, a, "", rows)
}

// monthsCSV exports amounts by month where known: money in and out of a cashflow
// report's accounts, gross and net income of other reports.
func (d *Handler) monthsCSV(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, attempt, raw, err := d.body(r, by, reportExported)
	if err != nil {
		return err
	}
	var rows [][]string
	switch a.Product {
	case contract.Cashflow:
		v, err := d.cashflow(r.Context(), by, a, attempt, raw)
		if err != nil {
			return err
		}
		rows = monthRows(v.Analysis)
	case contract.Income:
		v, err := incomeView(by, a, raw)
		if err != nil {
			return err
		}
		rows = incomeRows(v)
	}
	return sendCSV(w, a, "-months", rows)
}

// sendCSV sends rows, the header first; without rows it returns not found.
func sendCSV(w http.ResponseWriter, a applications.Application, kind string, rows [][]string) error {
	if len(rows) == 0 {
		return httpx.NewError(contract.CodeNotFound, errNoSuchCSV)
	}
	attach(w, csvType, string(a.Product)+"-"+a.ID+kind+".csv", spreadsheet(rows))
	return nil
}

const csvType = "text/csv; charset=utf-8; header=present"

// byteOrderMark starts each file, since common spreadsheets would otherwise misread
// accented letters. Programs that read CSV handle it or can be configured to.
const byteOrderMark = "\ufeff"

// spreadsheet formats rows as CSV (RFC 4180).
func spreadsheet(rows [][]string) []byte {
	var out bytes.Buffer
	s := newSheet(&out)
	for _, row := range rows {
		s.row(row...)
	}
	_ = s.end() // writing to a buffer never fails
	return out.Bytes()
}

// sheet writes CSV rows. Errors surface in end.
type sheet struct{ out *csv.Writer }

func newSheet(w io.Writer) sheet {
	_, _ = io.WriteString(w, byteOrderMark) // an error here recurs in end
	out := csv.NewWriter(w)
	out.UseCRLF = true
	return sheet{out}
}

func (s sheet) row(cells ...string) {
	for i, c := range cells {
		cells[i] = harmless(c)
	}
	_ = s.out.Write(cells)
}

// end flushes the rows written so far; more may follow.
func (s sheet) end() error {
	s.out.Flush()
	return s.out.Error()
}

// harmless puts an apostrophe before text that a spreadsheet would take for a
// formula, since report text comes from third parties. Numbers stay unchanged.
func harmless(s string) string {
	if s == "" || !strings.ContainsAny(s[:1], "=+-@\t\r\n") && !strings.HasPrefix(s, "＝") && !strings.HasPrefix(s, "＋") &&
		!strings.HasPrefix(s, "－") && !strings.HasPrefix(s, "＠") {
		return s
	}
	if strings.HasPrefix(s, "-") && json.Valid([]byte(s)) {
		return s
	}
	return "'" + s
}
