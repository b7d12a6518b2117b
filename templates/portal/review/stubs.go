package review

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// FileRef returns the name of a report's file in addresses: a hash of its path at the
// provider.
func FileRef(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// fileURL returns the download address of a file of an application's report.
func fileURL(applicationID, path string) string {
	return reportURL(applicationID, "/files/"+FileRef(path))
}

// irregularity returns the text and the tone of irregularity_detection's status.
func irregularity(l i18n.Lang, status string) (ui.Tone, string) {
	switch status {
	case report.IrregularityNotDetected:
		return ui.Success, i18n.T(l, "review.stub.nothing")
	case report.IrregularityDetected:
		return ui.Danger, i18n.T(l, "review.stub.altered")
	case report.IrregularityReview:
		return ui.Warning, i18n.T(l, "review.stub.look")
	}
	return ui.Neutral, status
}

func stubTitle(l i18n.Lang, i int, p report.Paystub) string {
	title := i18n.T(l, "review.stub.of") + " " + strconv.Itoa(i+1)
	if p.PayDate != nil {
		title += " · " + ui.DayWords(l, p.PayDate.Time)
	}
	return title
}

// unread reports whether nothing of a pay stub was read, for a reason that is shown: facts
// and checks would say nothing.
func unread(p report.Paystub, amounts ui.Grid) bool {
	return len(p.IrregularityDetection.Reasons) > 0 && len(amounts.Rows) == 0 && p.EmployeeName == nil && p.PayDate == nil &&
		p.PayPeriodStart == nil && p.PayPeriodEnd == nil
}

func stubFacts(l i18n.Lang, p report.Paystub) []ui.Fact {
	d := p.IrregularityDetection
	file := i18n.Key("review.stub.image")
	if report.Text(d.FileType) == report.FilePDF && d.GenuinePDF != nil {
		file = "review.stub.not_genuine"
		if *d.GenuinePDF {
			file = "review.stub.genuine"
		}
	}
	kind := ui.Fact{Term: i18n.T(l, "review.stub.kind_of_file"), Text: i18n.T(l, file)}
	if report.Text(d.FileType) == "" {
		kind = ui.Fact{Term: i18n.T(l, "review.stub.kind_of_file"), Body: textOrDash(l, "")}
	}
	return []ui.Fact{kind,
		{Term: i18n.T(l, "review.stub.employee"), Body: textOrDash(l, report.Text(p.EmployeeName))},
		{Term: i18n.T(l, "review.report.address"), Body: textOrDash(l,
			joined(", ", report.Text(p.EmployeeLine1), report.Text(p.EmployeeLine2), report.Text(p.EmployeeCity),
				joined(" ", report.Text(p.EmployeeState), report.Text(p.EmployeeZIP))))},
		{Term: i18n.T(l, "review.stub.period"), Body: span(l, p.PayPeriodStart, p.PayPeriodEnd)},
		{Term: i18n.T(l, "review.paid_on"), Body: date(l, p.PayDate)},
		{Term: i18n.T(l, "review.payroll.frequency"), Body: textOrDash(l, i18n.Code(l, "review.frequencies", report.Text(p.PayFrequency)))},
		{Term: i18n.T(l, "review.stub.hired"), Body: date(l, p.HireDate)},
		{Term: i18n.T(l, "review.stub.made_by"), Body: textOrDash(l, report.Text(p.PaystubProvider))},
		{Term: i18n.T(l, "review.stub.annual_gross"), Body: balance(l, usd, p.Insights.AnnualGross)},
		{Term: i18n.T(l, "review.stub.annual_net"), Body: balance(l, usd, p.Insights.AnnualNet)}}
}

// StubAmount is an item of a pay stub.
type StubAmount struct {
	Words        i18n.Key
	Field        string // the beginning of its members' names
	Current, YTD *report.Cents
}

// StubAmounts returns the items of a pay stub that have amounts.
func StubAmounts(a report.PaystubAmounts) []StubAmount {
	return slices.DeleteFunc(stubItems(a), func(x StubAmount) bool { return x.Current == nil && x.YTD == nil })
}

func stubItems(a report.PaystubAmounts) []StubAmount {
	return []StubAmount{
		{"review.gross", "gross_total_earnings_amount", a.GrossTotal, a.GrossTotalYTD},
		{"review.stub_amounts.regular_pay", "regular_pay_earnings_amount", a.RegularPay, a.RegularPayYTD},
		{"review.stub_amounts.overtime", "overtime_earnings_amount", a.Overtime, a.OvertimeYTD},
		{"review.stub_amounts.bonus", "bonus_earnings_amount", a.Bonus, a.BonusYTD},
		{"review.stub_amounts.commission", "commission_earnings_amount", a.Commission, a.CommissionYTD},
		{"review.stub_amounts.paid_time_off", "paid_time_off_earnings_amount", a.PaidTimeOff, a.PaidTimeOffYTD},
		{"review.stub_amounts.vacation", "vacation_earnings_amount", a.Vacation, a.VacationYTD},
		{"review.stub_amounts.taken_off_for_time_off", "paid_time_off_deductions_amount", a.PaidTimeOffDeduct, a.PaidTimeOffDeductYTD},
		{"review.stub_amounts.taken_off_for_vacation", "vacation_deductions_amount", a.VacationDeduct, a.VacationDeductYTD},
		{"review.stub_amounts.social_security", "social_security_deductions_amount", a.SocialSecurityTax, a.SocialSecurityTaxYTD},
		{"review.stub_amounts.medicare", "medicare_tax_deductions_amount", a.MedicareTax, a.MedicareTaxYTD},
		{"review.stub_amounts.fica", "fica_tax_deductions_amount", a.FICATax, a.FICATaxYTD},
		{"review.net", "net_total_earnings_amount", a.NetTotal, a.NetTotalYTD},
	}
}

// stubAmountGrid lists the amounts, each with a link to its mark in the document.
func stubAmountGrid(l i18n.Lang, a report.PaystubAmounts, d document) ui.Grid {
	cell := func(c *report.Cents, field string) ui.Cell {
		if c == nil {
			return ui.Cell{Body: textOrDash(l, "")}
		}
		return ui.Cell{Body: as(figureLink(usd.format(*c), d.fieldURL(field)), usd.format(*c))}
	}
	g := ui.Grid{Caption: i18n.T(l, "review.stub.amounts"),
		Columns: columns(l, 2, "review.stub.item", "review.stub.current", "review.stub.ytd")}
	for _, x := range StubAmounts(a) {
		g.Rows = append(g.Rows, []ui.Cell{{Text: i18n.T(l, x.Words)}, cell(x.Current, x.Field+"_current"), cell(x.YTD, x.Field+"_ytd")})
	}
	return g
}

// splitChecks returns the checks that do not hold or could not be made, and those that hold.
func splitChecks(all map[string]report.Check) (bad, good map[string]report.Check) {
	bad, good = map[string]report.Check{}, map[string]report.Check{}
	for name, c := range all {
		if c.Value != nil && *c.Value {
			good[name] = c
		} else {
			bad[name] = c
		}
	}
	return bad, good
}

// checkGrid returns checks with their results: failed checks first, then those that could
// not be performed.
func checkGrid(l i18n.Lang, caption i18n.Key, checks map[string]report.Check, texts i18n.Group, order []string) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, caption), Columns: columns(l, 0, "review.stub.check", "review.application.result")}
	rank := func(name string) int {
		switch v := checks[name].Value; {
		case v == nil:
			return 1
		case *v:
			return 2
		}
		return 0
	}
	for _, name := range slices.SortedFunc(maps.Keys(checks), func(a, b string) int {
		return cmp.Or(rank(a)-rank(b), slices.Index(order, a)-slices.Index(order, b), strings.Compare(a, b))
	}) {
		answer := badge(ui.Neutral, i18n.T(l, "review.stub.unchecked"))
		if v := checks[name].Value; v != nil && *v {
			answer = badge(ui.Success, i18n.T(l, "review.stub.holds"))
		} else if v != nil {
			answer = badge(ui.Danger, i18n.T(l, "review.stub.fails"))
		}
		g.Rows = append(g.Rows, []ui.Cell{{Text: i18n.Code(l, texts, name)}, {Body: answer}})
	}
	return g
}
