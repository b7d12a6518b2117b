package review

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sort"
	"strconv"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// FileRef names a file of a report in an address, by its path at the provider.
func FileRef(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// fileURL is where a file of an application's report is downloaded.
func fileURL(applicationID, path string) string {
	return reportURL(applicationID, "/files/"+FileRef(path))
}

// irregularity is irregularity_detection's status in a word, with its color.
func irregularity(status string) (ui.Tone, contract.Words) {
	switch status {
	case report.IrregularityNotDetected:
		return ui.Success, stubNothing
	case report.IrregularityDetected:
		return ui.Danger, stubAltered
	case report.IrregularityReview:
		return ui.Warning, stubLook
	}
	return ui.Neutral, contract.Words{EN: status, ES: status}
}

// failed counts the checks of a pay stub that do not hold.
func failed(p report.Paystub) int {
	n := 0
	for _, c := range p.ConsistencyChecks {
		if c.Value != nil && !*c.Value {
			n++
		}
	}
	return n
}

// stubsReal reports whether the pay stubs are what they seem.
func stubsReal(all []report.Paystub) finding {
	f := finding{question: askDocuments, part: "stubs", answer: stubsTold(all), tone: ui.Success}
	for _, p := range all {
		switch {
		case p.IrregularityDetection.Status == report.IrregularityDetected:
			f.tone = ui.Danger
		case f.tone != ui.Danger && (p.IrregularityDetection.Status != report.IrregularityNotDetected || failed(p) > 0):
			f.tone = ui.Warning
		}
	}
	return f
}

// stubsTold sums the pay stubs up.
func stubsTold(all []report.Paystub) contract.Words {
	detected, look, broken := 0, 0, 0
	for _, p := range all {
		switch p.IrregularityDetection.Status {
		case report.IrregularityDetected:
			detected++
		case report.IrregularityReview:
			look++
		}
		broken += failed(p)
	}
	count := func(n int) string { return strconv.Itoa(n) }
	of := count(len(all))
	switch {
	case detected > 0:
		return contract.Words{EN: "Irregularities in " + count(detected) + " of " + of + " pay stubs.", ES: "Irregularidades en " + count(detected) + " de " + of + " recibos."}
	case look > 0:
		return contract.Words{EN: count(look) + " of " + of + " pay stubs should be looked at.", ES: "Conviene mirar " + count(look) + " de " + of + " recibos."}
	case broken > 0:
		return contract.Words{EN: "Nothing irregular in " + of + " pay stubs, but " + count(broken) + " checks do not hold.", ES: "Sin irregularidades en " + of + " recibos, pero " + count(broken) + " comprobaciones no se cumplen."}
	case len(all) == 1:
		return contract.Words{EN: "Nothing irregular in the one pay stub.", ES: "Sin irregularidades en el único recibo."}
	}
	return contract.Words{EN: "Nothing irregular in " + of + " pay stubs.", ES: "Sin irregularidades en " + of + " recibos."}
}

func stubTitle(l contract.Lang, i int, p report.Paystub) string {
	title := stubOf.In(l) + " " + strconv.Itoa(i+1)
	if p.PayDate != nil {
		title += " · " + ui.DayWords(l, p.PayDate.Time)
	}
	return title
}

func stubFacts(l contract.Lang, p report.Paystub) []ui.Fact {
	d := p.IrregularityDetection
	file := stubImage
	if report.Text(d.FileType) == report.FilePDF && d.GenuinePDF != nil {
		file = stubNotGenuine
		if *d.GenuinePDF {
			file = stubGenuine
		}
	}
	kind := ui.Fact{Term: stubKindOfFile.In(l), Text: file.In(l)}
	if report.Text(d.FileType) == "" {
		kind = ui.Fact{Term: stubKindOfFile.In(l), Body: given(l, "")}
	}
	return []ui.Fact{kind,
		{Term: stubEmployee.In(l), Body: given(l, report.Text(p.EmployeeName))},
		{Term: reportAddress.In(l), Body: given(l, joined(", ", report.Text(p.EmployeeLine1), report.Text(p.EmployeeLine2), report.Text(p.EmployeeCity), joined(" ", report.Text(p.EmployeeState), report.Text(p.EmployeeZIP))))},
		{Term: stubPeriod.In(l), Body: span(l, p.PayPeriodStart, p.PayPeriodEnd)},
		{Term: stubPaid.In(l), Body: date(l, p.PayDate)},
		{Term: payrollFrequency.In(l), Body: given(l, known(l, frequencyWords, report.Text(p.PayFrequency)))},
		{Term: stubHired.In(l), Body: date(l, p.HireDate)},
		{Term: stubMadeBy.In(l), Body: given(l, report.Text(p.PaystubProvider))},
		{Term: stubAnnualGross.In(l), Body: balance(l, usd, p.Insights.AnnualGross)},
		{Term: stubAnnualNet.In(l), Body: balance(l, usd, p.Insights.AnnualNet)}}
}

// StubAmount is an item of a pay stub.
type StubAmount struct {
	Words        contract.Words
	Current, YTD *report.Cents
}

// StubAmounts are the items that a pay stub shows.
func StubAmounts(a report.PaystubAmounts) []StubAmount {
	all := []StubAmount{
		{contract.Words{EN: "Gross", ES: "Bruto"}, a.GrossTotal, a.GrossTotalYTD},
		{contract.Words{EN: "Regular pay", ES: "Paga ordinaria"}, a.RegularPay, a.RegularPayYTD},
		{contract.Words{EN: "Overtime", ES: "Horas extra"}, a.Overtime, a.OvertimeYTD},
		{contract.Words{EN: "Bonus", ES: "Bonificación"}, a.Bonus, a.BonusYTD},
		{contract.Words{EN: "Commission", ES: "Comisión"}, a.Commission, a.CommissionYTD},
		{contract.Words{EN: "Paid time off", ES: "Tiempo libre pagado"}, a.PaidTimeOff, a.PaidTimeOffYTD},
		{contract.Words{EN: "Vacation", ES: "Vacaciones"}, a.Vacation, a.VacationYTD},
		{contract.Words{EN: "Taken off for time off", ES: "Deducción por tiempo libre"}, a.PaidTimeOffDeduct, a.PaidTimeOffDeductYTD},
		{contract.Words{EN: "Taken off for vacation", ES: "Deducción por vacaciones"}, a.VacationDeduct, a.VacationDeductYTD},
		{contract.Words{EN: "Social security", ES: "Seguridad social"}, a.SocialSecurityTax, a.SocialSecurityTaxYTD},
		{contract.Words{EN: "Medicare", ES: "Medicare"}, a.MedicareTax, a.MedicareTaxYTD},
		{contract.Words{EN: "FICA", ES: "FICA"}, a.FICATax, a.FICATaxYTD},
		{contract.Words{EN: "Net", ES: "Neto"}, a.NetTotal, a.NetTotalYTD},
	}
	return slices.DeleteFunc(all, func(x StubAmount) bool { return x.Current == nil && x.YTD == nil })
}

func stubAmountGrid(l contract.Lang, a report.PaystubAmounts) ui.Grid {
	g := ui.Grid{Caption: stubAmounts.In(l), Columns: []ui.Column{{Label: stubItem.In(l)}, {Label: stubCurrent.In(l), Number: true}, {Label: stubYTD.In(l), Number: true}}}
	for _, x := range StubAmounts(a) {
		g.Rows = append(g.Rows, []ui.Cell{{Text: x.Words.In(l)}, money(l, usd, x.Current), money(l, usd, x.YTD)})
	}
	return g
}

// checkGrid is checks with their answers: what does not hold first, then what could
// not be checked.
func checkGrid(l contract.Lang, caption contract.Words, checks map[string]report.Check, words map[string]contract.Words, order []string) ui.Grid {
	g := ui.Grid{Caption: caption.In(l), Columns: []ui.Column{{Label: stubCheck.In(l)}, {Label: reviewResult.In(l)}}}
	names := make([]string, 0, len(checks))
	for name := range checks {
		names = append(names, name)
	}
	rank := func(name string) (int, int) {
		r := 2
		if v := checks[name].Value; v == nil {
			r = 1
		} else if !*v {
			r = 0
		}
		return r, slices.Index(order, name)
	}
	sort.Slice(names, func(i, j int) bool {
		a, ai := rank(names[i])
		b, bi := rank(names[j])
		if a != b {
			return a < b
		}
		if ai != bi {
			return ai < bi
		}
		return names[i] < names[j]
	})
	for _, name := range names {
		answer := ui.Badge(ui.Neutral, stubUnchecked.In(l))
		if v := checks[name].Value; v != nil && *v {
			answer = ui.Badge(ui.Success, stubHolds.In(l))
		} else if v != nil {
			answer = ui.Badge(ui.Danger, stubFails.In(l))
		}
		g.Rows = append(g.Rows, []ui.Cell{{Text: known(l, words, name)}, {Body: answer}})
	}
	return g
}

// StubCheckWords says a consistency check of a pay stub.
func StubCheckWords(l contract.Lang, name string) string { return known(l, stubCheckWords, name) }

// IrregularityWords says a reason of irregularity_detection.
func IrregularityWords(l contract.Lang, reason string) string {
	return known(l, irregularityWords, reason)
}
