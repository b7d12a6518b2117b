package review

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"vestibule/internal/door"
	"vestibule/internal/report"
	"vestibule/internal/svc"
)

// attributesCSV is the report's attributes as they stand in it, for a spreadsheet.
func (d *Desk) attributesCSV(w http.ResponseWriter, r *http.Request, by person) error {
	v, err := d.cashflow(r, by, downloaded)
	if err != nil {
		return err
	}
	rows := [][]string{{"name", "description", "node", "value", "adverse_action_code"}}
	for _, a := range v.Report.Attributes {
		rows = append(rows, []string{a.Name, a.Description, a.Node, a.Value.String(), a.AdverseActionCode})
	}
	attach(w, csvType, "cashflow-"+v.ApplicationID+".csv", spreadsheet(rows))
	return nil
}

// monthsCSV is money in and out by month, where that is known.
func (d *Desk) monthsCSV(w http.ResponseWriter, r *http.Request, by person) error {
	v, err := d.cashflow(r, by, downloaded)
	if err != nil {
		return err
	}
	if v.Analysis == nil {
		return door.Fail(svc.CodeNotFound, errors.New("the report has no months"))
	}
	rows := [][]string{{"month", "complete", "in", "income", "out", "net", "end_balance", "lowest_balance", "transactions", "nsf_or_overdraft"}}
	for _, m := range v.Analysis.Months {
		row := []string{m.Month, strconv.FormatBool(m.Complete)}
		for _, c := range []report.Cents{m.In, m.Income, m.Out, m.In + m.Out, m.End, m.Lowest} {
			row = append(row, c.String())
		}
		rows = append(rows, append(row, strconv.Itoa(m.Count), strconv.Itoa(m.Returned)))
	}
	attach(w, csvType, "cashflow-"+v.ApplicationID+"-months.csv", spreadsheet(rows))
	return nil
}

const csvType = "text/csv; charset=utf-8; header=present"

// byteOrderMark begins a file whose accents the usual spreadsheets would otherwise
// read as another encoding's. Programs that read CSV know it, or can be told.
const byteOrderMark = "\ufeff"

// spreadsheet writes rows as RFC 4180 wants them.
func spreadsheet(rows [][]string) []byte {
	var out bytes.Buffer
	out.WriteString(byteOrderMark)
	w := csv.NewWriter(&out)
	w.UseCRLF = true
	for _, row := range rows {
		for i, s := range row {
			row[i] = harmless(s)
		}
		_ = w.Write(row) // a buffer takes everything
	}
	w.Flush()
	return out.Bytes()
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
