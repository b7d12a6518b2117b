package spreadsheet

import (
	"strconv"

	"vestibule/internal/report"
	pages "vestibule/templates/portal/review"
)

// Attributes returns a cashflow report's attributes; only the header if it has
// none.
func Attributes(body *report.Cashflow) [][]string {
	rows := [][]string{{"name", "description", "node", "value", "adverse_action_code"}}
	for _, a := range body.Attributes {
		rows = append(rows, []string{a.Name, a.Description, a.Node, a.Value.String(), a.AdverseActionCode})
	}
	return rows
}

// Months returns the months of an analysis; nil without an analysis.
func Months(a *report.Analysis) [][]string {
	if a == nil {
		return nil
	}
	rows := [][]string{{"month", "complete", "in", "income", "out", "net", "end_balance",
		"lowest_balance", "transactions", "nsf_or_overdraft"}}
	for _, m := range a.Months {
		row := []string{m.Month, strconv.FormatBool(m.Complete)}
		for _, c := range []report.Cents{m.In, m.Income, m.Out, m.In + m.Out, m.End, m.Lowest} {
			row = append(row, c.String())
		}
		rows = append(rows, append(row, strconv.Itoa(m.Count), strconv.Itoa(m.Returned)))
	}
	return rows
}

// IncomeMonths returns the months of each model's history, oldest first; nil without
// months.
func IncomeMonths(v pages.IncomeView) [][]string {
	if !v.HasMonths() {
		return nil
	}
	rows := [][]string{{"model", "month", "gross", "net"}}
	for i, a := range v.Report.Income.FinancialAccounts {
		for _, m := range pages.IncomeMonths(a) {
			rows = append(rows, []string{strconv.Itoa(i + 1), m.Month.Format("2006-01"), amount(m.Gross), amount(m.Net)})
		}
	}
	return rows
}

// IncomeStatements returns an income report's pay statements, from payroll and from pay
// stubs; nil without statements.
func IncomeStatements(body *report.Income) [][]string {
	if !body.HasStatements() {
		return nil
	}
	rows := [][]string{{"source_type", "source_id", "pay_date", "pay_period_start", "pay_period_end",
		"gross", "gross_ytd", "net", "net_ytd", "irregularity", "employer"}}
	employers := pages.IncomeView{Report: body}.PayrollEmployers()
	for i, p := range body.Income.Payroll {
		for _, s := range p.Statements {
			rows = append(rows, []string{"PAYROLL", p.SourceID, date(s.PayDate), "", "", amount(s.GrossTotal),
				amount(s.GrossTotalYTD), amount(s.NetTotal), amount(s.NetTotalYTD), "", report.Text(employers[i])})
		}
	}
	for _, s := range body.Income.Paystubs {
		rows = append(rows, []string{"PAYSTUB", s.SourceID, date(s.PayDate), date(s.PayPeriodStart),
			date(s.PayPeriodEnd), amount(s.GrossTotal), amount(s.GrossTotalYTD),
			amount(s.NetTotal), amount(s.NetTotalYTD), s.IrregularityDetection.Status, ""})
	}
	return rows
}

// EligibilityStatements returns an eligibility report's pay statements; nil without
// statements.
func EligibilityStatements(body *report.Eligibility) [][]string {
	if !body.HasStatements() {
		return nil
	}
	rows := [][]string{{"provider", "source_id", "pay_date", "pay_period_start", "pay_period_end",
		"hours", "gross", "gross_ytd", "net", "net_ytd", "employer"}}
	employers := pages.EligibilityView{Report: body}.PayrollEmployers()
	for i, p := range body.Income.Payroll {
		for _, s := range p.Statements {
			rows = append(rows, []string{report.Text(p.ProviderName), p.SourceID, date(s.PayDate),
				date(s.PayPeriodStart), date(s.PayPeriodEnd), amount(s.HoursWorked),
				amount(s.GrossTotal), amount(s.GrossTotalYTD), amount(s.NetTotal), amount(s.NetTotalYTD), report.Text(employers[i])})
		}
	}
	return rows
}

func amount(c *report.Cents) string {
	if c == nil {
		return ""
	}
	return c.String()
}

func date(d *report.Date) string {
	if d == nil {
		return ""
	}
	return d.String()
}
