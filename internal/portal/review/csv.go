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
)

// reportCSV is the report's rows as they stand in it, for a spreadsheet: attributes
// of a cashflow report, pay statements of the others.
func (d *Handler) reportCSV(w http.ResponseWriter, r *http.Request, by person) error {
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

// monthsCSV is money by month, where that is known: in and out of a cashflow report's
// accounts, gross and net of income.
func (d *Handler) monthsCSV(w http.ResponseWriter, r *http.Request, by person) error {
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

// sendCSV sends rows under a head; without any there is no such file.
func sendCSV(w http.ResponseWriter, a applications.Application, kind string, rows [][]string) error {
	if len(rows) == 0 {
		return httpx.NewError(contract.CodeNotFound, errNoSuchCSV)
	}
	attach(w, csvType, string(a.Product)+"-"+a.ID+kind+".csv", spreadsheet(rows))
	return nil
}

const csvType = "text/csv; charset=utf-8; header=present"

// byteOrderMark begins a file whose accents the usual spreadsheets would otherwise
// read as another encoding's. Programs that read CSV know it, or can be told.
const byteOrderMark = "\ufeff"

// spreadsheet is rows as RFC 4180 wants them.
func spreadsheet(rows [][]string) []byte {
	var out bytes.Buffer
	s := newSheet(&out)
	for _, row := range rows {
		s.row(row...)
	}
	_ = s.end() // a buffer takes everything
	return out.Bytes()
}

// sheet writes rows as they come. What went wrong is known at its end.
type sheet struct{ out *csv.Writer }

func newSheet(w io.Writer) sheet {
	_, _ = io.WriteString(w, byteOrderMark) // what goes wrong here does so again below
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

// end hands on what was written until now; rows may follow.
func (s sheet) end() error {
	s.out.Flush()
	return s.out.Error()
}

// harmless puts an apostrophe before what a spreadsheet would take for a formula:
// the words of a report are somebody else's. Numbers are left alone.
func harmless(s string) string {
	if s == "" || !strings.ContainsAny(s[:1], "=+-@\t\r\n") && !strings.HasPrefix(s, "＝") && !strings.HasPrefix(s, "＋") && !strings.HasPrefix(s, "－") && !strings.HasPrefix(s, "＠") {
		return s
	}
	if strings.HasPrefix(s, "-") && json.Valid([]byte(s)) {
		return s
	}
	return "'" + s
}
