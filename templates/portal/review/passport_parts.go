package review

import (
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// own is an amount in a currency that may not be known.
func own(l contract.Lang, c *report.Cents, currency *string) ui.Cell {
	return ui.Cell{Body: given(l, foreign(c, report.Text(currency)))}
}

func columns(l contract.Lang, all ...contract.Words) []ui.Column {
	out := make([]ui.Column, len(all))
	for i, w := range all {
		out[i] = ui.Column{Label: w.In(l)}
	}
	return out
}

// hidden is a table whose caption the section's heading says already.
func hidden(l contract.Lang, caption contract.Words, all ...contract.Words) ui.Grid {
	return ui.Grid{Caption: caption.In(l), HideCaption: true, Columns: columns(l, all...)}
}

func passportWord(l contract.Lang, value string) string { return known(l, passportWords, value) }

func passportPersonFacts(l contract.Lang, i report.PassportIdentity) []ui.Fact {
	var facts []ui.Fact
	text := func(term contract.Words, s string) {
		if s != "" {
			facts = append(facts, ui.Fact{Term: term.In(l), Text: s})
		}
	}
	text(passportMiddle, report.Text(i.MiddleName))
	text(passportLatin, report.Text(i.TransliteratedName))
	text(passportOther, joined(", ", append([]string{}, i.OtherNames...)...))
	if i.DateOfBirth != nil {
		facts = append(facts, ui.Fact{Term: reviewDOB.In(l), Body: date(l, i.DateOfBirth)})
	}
	text(reviewPhone, joined(", ", append([]string{}, i.Telephones...)...))
	if i.IsDeceased != nil {
		facts = append(facts, ui.Fact{Term: passportDeceased.In(l), Text: yesNo(l, *i.IsDeceased)})
	}
	if i.DateOfDeath != nil {
		facts = append(facts, ui.Fact{Term: passportDeath.In(l), Body: date(l, i.DateOfDeath)})
	}
	return facts
}

func passportDocumentGrid(l contract.Lang, all []report.IdentityDocument) ui.Grid {
	g := ui.Grid{Caption: passportDocuments.In(l), Columns: columns(l, reportSubtype, reportNumber, passportCountry, passportIssued, passportExpires)}
	for _, d := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Text: passportWord(l, d.Type)}, {Body: ending(l, report.Text(d.TruncatedNumber))}, {Body: given(l, report.Text(d.Country))}, {Body: date(l, d.Issued)}, {Body: date(l, d.Expires)}})
	}
	return g
}

// scoreDial draws a bureau's score on its scale; false for an invalid scale.
func scoreDial(l contract.Lang, s report.PassportScore) (ui.Dial, bool) {
	return ui.Dial{Label: contract.Words{EN: s.Type + ": " + strconv.Itoa(s.Value) + " on a scale from " + strconv.Itoa(s.Minimum) + " to " + strconv.Itoa(s.Maximum),
			ES: s.Type + ": " + strconv.Itoa(s.Value) + " en una escala de " + strconv.Itoa(s.Minimum) + " a " + strconv.Itoa(s.Maximum)}.In(l), Low: s.Minimum, High: s.Maximum, Value: s.Value},
		s.Minimum < s.Maximum && s.Value >= s.Minimum && s.Value <= s.Maximum
}

func totalsGrid(l contract.Lang, c report.PassportCurrency) ui.Grid {
	g := ui.Grid{Caption: passportOpenCredit.In(l), Columns: []ui.Column{{Label: stubItem.In(l)}, {Label: c.Currency, Number: true}}}
	converted := c.Rate != nil && c.Currency != "USD"
	if converted {
		g.Columns = append(g.Columns, ui.Column{Label: "USD", Number: true})
	}
	for _, x := range []struct {
		words    contract.Words
		own, usd *report.Cents
	}{{tradeLimit, c.Totals.CreditLimit, c.TotalsUSD.CreditLimit}, {tradeBalance, c.Totals.Balance, c.TotalsUSD.Balance},
		{tradePayment, c.Totals.MonthlyPayment, c.TotalsUSD.MonthlyPayment}, {tradePastDue, c.Totals.PastDue, c.TotalsUSD.PastDue}} {
		row := []ui.Cell{{Text: x.words.In(l)}, {Body: given(l, foreign(x.own, ""))}}
		if converted {
			row = append(row, money(l, usd, x.usd))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func rateFacts(l contract.Lang, c report.PassportCurrency) []ui.Fact {
	if c.Rate == nil {
		return []ui.Fact{{Term: passportRate.In(l), Text: passportNoRate.In(l)}}
	}
	return []ui.Fact{{Term: passportRate.In(l), Text: "1 " + c.Currency + " = " + plain(c.Rate.String()) + " USD"}, {Term: passportRateDay.In(l), Body: date(l, c.RateDate)},
		{Term: passportRateBy.In(l), Body: given(l, report.Text(c.RateSource))}, {Term: reportSource.In(l), Body: source(c.SourceID)}}
}

func tradelineTone(status string) ui.Tone {
	switch status {
	case report.TradelineOpen:
		return ui.Success
	case report.TradelineDelinquent, report.TradelineChargedOff:
		return ui.Danger
	}
	return ui.Neutral
}

func (v PassportView) tradelines(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: passportTradelines.In(l), HideCaption: true, Columns: []ui.Column{{Label: tradeKind.In(l)}, {Label: reviewState.In(l)}, {Label: eligibilityTime.In(l)},
		{Label: tradeLimit.In(l), Number: true}, {Label: tradeBalance.In(l), Number: true}, {Label: tradePayment.In(l), Number: true}, {Label: tradePastDue.In(l), Number: true}}}
	for i, t := range v.Report.Tradelines {
		amount := func(c *report.Cents) ui.Cell { return ui.Cell{Body: amountAbroad(l, v, c, t.Currency)} }
		g.Rows = append(g.Rows, []ui.Cell{{Text: tradeName(l, i, t)}, {Body: ui.Badge(tradelineTone(t.Status), passportWord(l, t.Status))}, {Body: span(l, t.Opened, t.Closed)},
			amount(t.CreditLimit), amount(t.Balance), amount(t.MonthlyPayment), amount(t.PastDue)})
	}
	return g
}

// tradeName names a credit, by its place and its kind.
func tradeName(l contract.Lang, i int, t report.Tradeline) string {
	return strconv.Itoa(i+1) + ". " + passportWord(l, t.Type)
}

// paidMark abbreviates how a month was paid and returns the class of its color.
func paidMark(status string) (letters, class string) {
	switch status {
	case "":
		return "·", "paid-none"
	case report.PaidOK:
		return "✓", "paid-ok"
	case report.PaidLate1:
		return "1", "paid-late"
	case report.PaidLate30:
		return "30", "paid-late"
	case report.PaidLate60:
		return "60", "paid-late"
	case report.PaidLate90:
		return "90", "paid-grave"
	case report.PaidLate120:
		return "120", "paid-grave"
	case report.PaidChargedOff:
		return "✕", "paid-grave"
	}
	return "?", "paid-none"
}

// paidWords tells a month, as in "Mar 2026: on time".
func paidWords(l contract.Lang, m report.PaymentMonth) string {
	month := m.Month
	if t, err := time.Parse("2006-01", m.Month); err == nil {
		month = monthName(l, t)
	}
	if m.Status == nil {
		return month + ": " + passportNoMonth.In(l)
	}
	return month + ": " + passportWord(l, *m.Status)
}

func (v PassportView) collections(l contract.Lang) ui.Grid {
	g := hidden(l, passportCollections, passportAgency, passportCreditor, reviewState, passportSince, passportOriginal, tradeBalance)
	for _, x := range v.Report.Collections {
		g.Rows = append(g.Rows, []ui.Cell{{Body: given(l, report.Text(x.Agency))}, {Body: given(l, report.Text(x.Creditor))}, {Body: openBadge(l, x.Status)}, {Body: date(l, x.Assigned)}, own(l, x.Original, x.Currency), own(l, x.Balance, x.Currency)})
	}
	return g
}

func (v PassportView) records(l contract.Lang) ui.Grid {
	g := hidden(l, passportRecords, reportSubtype, passportCourt, reviewState, passportFiled, passportResolved, passportAmount)
	for _, x := range v.Report.PublicRecords {
		g.Rows = append(g.Rows, []ui.Cell{{Text: passportWord(l, x.Type)}, {Body: given(l, report.Text(x.Court))}, {Body: openBadge(l, x.Status)}, {Body: date(l, x.Filed)}, {Body: date(l, x.Resolved)}, own(l, x.Amount, x.Currency)})
	}
	return g
}

func (v PassportView) returned(l contract.Lang) ui.Grid {
	g := hidden(l, passportReturned, reviewWhen, reportInstitution, passportAmount)
	for _, x := range v.Report.NSF {
		g.Rows = append(g.Rows, []ui.Cell{{Body: date(l, x.Date)}, {Body: given(l, report.Text(x.Institution))}, own(l, x.Amount, x.Currency)})
	}
	return g
}

func (v PassportView) disputes(l contract.Lang) ui.Grid {
	g := hidden(l, passportDisputes, passportFiled, reviewState, passportWhat, tradeKind)
	for _, x := range v.Report.Disputes {
		about := ""
		for i, t := range v.Report.Tradelines {
			if t.AccountID == report.Text(x.AccountID) {
				about = tradeName(l, i, t)
			}
		}
		g.Rows = append(g.Rows, []ui.Cell{{Body: date(l, x.Filed)}, {Body: openBadge(l, x.Status)}, {Body: given(l, report.Text(x.Description))}, {Body: given(l, about)}})
	}
	return g
}

func (v PassportView) inquiries(l contract.Lang) ui.Grid {
	g := hidden(l, passportInquiries, reviewWhen, passportInquirer, passportPurpose, passportAmount)
	for _, x := range v.Report.Inquiries {
		g.Rows = append(g.Rows, []ui.Cell{{Body: date(l, x.Date)}, {Body: given(l, report.Text(x.Inquirer))}, {Body: given(l, passportWord(l, report.Text(x.Purpose)))}, own(l, x.Amount, x.Currency)})
	}
	return g
}

func (v PassportView) addresses(l contract.Lang) ui.Grid {
	g := hidden(l, passportAddresses, reportAddress, passportCountry, passportReported)
	for _, x := range v.Report.Addresses {
		line := report.Text(x.Address)
		if line == "" {
			line = joined(", ", report.Text(x.Street), report.Text(x.City), report.Text(x.Region), report.Text(x.Postcode))
		}
		g.Rows = append(g.Rows, []ui.Cell{{Body: given(l, line)}, {Body: given(l, report.Text(x.Country))}, {Body: span(l, x.First, x.Last)}})
	}
	return g
}

func (v PassportView) employers(l contract.Lang) ui.Grid {
	g := hidden(l, reportEmployment, reportEmployer, reportJob, eligibilityTime, passportMonthly)
	for _, x := range v.Report.Employers {
		g.Rows = append(g.Rows, []ui.Cell{{Body: given(l, report.Text(x.Name))}, {Body: given(l, report.Text(x.JobTitle))}, {Body: span(l, x.Start, x.End)}, {Body: amountAbroad(l, v, x.MonthlyIncome, report.Text(x.Currency))}})
	}
	return g
}

func (v PassportView) incomes(l contract.Lang) ui.Grid {
	g := hidden(l, passportIncomes, reportSubtype, passportAmount, payrollFrequency, passportReported)
	for _, x := range v.Report.OtherIncomes {
		g.Rows = append(g.Rows, []ui.Cell{{Text: passportWord(l, x.Type)}, {Body: amountAbroad(l, v, x.Amount, report.Text(x.Currency))}, {Body: given(l, passportWord(l, report.Text(x.Frequency)))}, {Body: date(l, x.Reported)}})
	}
	return g
}

func (v PassportView) identifiers(l contract.Lang) ui.Grid {
	g := hidden(l, passportIdentifiers, reportSubtype, reportNumber, passportCountry)
	for _, x := range v.Report.Identifiers {
		g.Rows = append(g.Rows, []ui.Cell{{Text: passportWord(l, x.Type)}, {Body: ending(l, report.Text(x.Truncated))}, {Body: given(l, report.Text(x.Country))}})
	}
	return g
}

func (v PassportView) accounts(l contract.Lang) ui.Grid {
	g := hidden(l, reportAccounts, reportInstitution, reportSubtype, reportNumber, eligibilityTime, passportCurrency)
	for _, x := range v.Report.BankAccounts {
		g.Rows = append(g.Rows, []ui.Cell{{Body: given(l, report.Text(x.Institution))}, {Body: given(l, code(l, report.Text(x.Type)))}, {Body: ending(l, report.Text(x.Truncated))}, {Body: span(l, x.Opened, x.Closed)}, {Body: given(l, report.Text(x.Currency))}})
	}
	return g
}

func (v PassportView) notices(l contract.Lang) ui.Grid {
	all := make([]report.ConsumerNotice, len(v.Report.Notices))
	for i, x := range v.Report.Notices {
		all[i] = report.ConsumerNotice{Description: x.Description, SourceReference: x.SourceID}
	}
	return noticeGrid(l, all)
}
