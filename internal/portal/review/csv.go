package review

import (
	"net/http"
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/portal/review/spreadsheet"
	"vestibule/internal/report"
	"vestibule/internal/staff"
	pages "vestibule/templates/portal/review"
)

// reportCSV exports the report's rows for a spreadsheet: attributes of a cashflow
// report, pay statements of other reports.
func (d *Handler) reportCSV(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, of, raw, err := d.body(r, by, audit.ReportExported)
	if err != nil {
		return err
	}
	meta, err := report.Parse(a.Product, raw)
	if err != nil {
		return decisions.ErrStored
	}
	var rows [][]string
	switch body := meta.Report.(type) {
	case *report.Cashflow:
		rows = spreadsheet.Attributes(body)
	case *report.Income:
		rows = spreadsheet.IncomeStatements(body)
	case *report.Eligibility:
		rows = spreadsheet.EligibilityStatements(body)
	}
	return sendCSV(w, fileName(a, of, ".csv"), rows)
}

// monthsCSV exports amounts by month where known: money in and out of a cashflow
// report's accounts, gross and net income of other reports.
func (d *Handler) monthsCSV(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, of, raw, err := d.body(r, by, audit.ReportExported)
	if err != nil {
		return err
	}
	var rows [][]string
	switch a.Product {
	case contract.Cashflow:
		analysis, _, err := d.analysis(r.Context(), a.ID, of)
		if err != nil {
			return err
		}
		rows = spreadsheet.Months(analysis)
	case contract.Income:
		var body *report.Income
		if body, err = report.ParseIncome(raw); err != nil {
			return decisions.ErrStored
		}
		rows = spreadsheet.IncomeMonths(pages.IncomeView{Report: body})
	}
	return sendCSV(w, fileName(a, of, "-months.csv"), rows)
}

// sendCSV sends rows, the header first; without rows it returns not found.
func sendCSV(w http.ResponseWriter, name string, rows [][]string) error {
	if len(rows) == 0 {
		return httpx.NewError(contract.CodeNotFound, errNoSuchCSV)
	}
	httpx.SendDownload(w, spreadsheet.ContentType, name, spreadsheet.Encode(rows))
	return nil
}

// listTable returns the rows of a list for a spreadsheet, the header first. Codes and
// times are as in the portal's API.
func listTable(rows []pages.Row) [][]string {
	out := [][]string{{"id", "external_id", "name", "product", "state", "verdict", "income", "currency", "score", "decision", "decided_at",
		"assigned_to", "created_at", "report_revised_at", "decision_outdated"}}
	for _, r := range rows {
		var income, score, decided, revised, outdated string
		if r.Summary.Income != nil {
			income = r.Summary.Income.String()
		}
		if r.Summary.Score != nil {
			score = strconv.Itoa(*r.Summary.Score)
		}
		if r.Decision != "" {
			decided, outdated = r.DecidedAt.UTC().Format(time.RFC3339), strconv.FormatBool(r.Outdated)
		}
		if !r.RevisedAt.IsZero() {
			revised = r.RevisedAt.UTC().Format(time.RFC3339)
		}
		out = append(out, []string{r.ID, r.ExternalID, r.Name, string(r.Product), r.State, string(r.Summary.Verdict), income,
			r.Summary.Currency, score, r.Decision, decided, r.Assignee, r.CreatedAt.UTC().Format(time.RFC3339), revised, outdated})
	}
	return out
}
