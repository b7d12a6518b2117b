package review

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// foreignCell returns the cell of an amount in a currency that may be unknown.
func foreignCell(l i18n.Lang, c *report.Cents, currency *string) ui.Cell {
	return ui.Cell{Body: textOrDash(l, foreign(c, report.Text(currency)))}
}

// columns returns the columns of a table, of which the last ones are numbers.
func columns(l i18n.Lang, numbers int, all ...i18n.Key) []ui.Column {
	out := make([]ui.Column, len(all))
	for i, w := range all {
		out[i] = ui.Column{Label: i18n.T(l, w), Number: i >= len(all)-numbers}
	}
	return out
}

// hidden returns a table with a hidden caption, because the section's heading repeats it.
func hidden(l i18n.Lang, caption i18n.Key, all ...i18n.Key) ui.Grid {
	return ui.Grid{Caption: i18n.T(l, caption), HideCaption: true, Columns: columns(l, 0, all...)}
}

func passportWord(l i18n.Lang, value string) string {
	return i18n.Code(l, "review.passport.codes", value)
}

// amountAbroad shows an amount in its currency, with dollars at the report's rate below.
func amountAbroad(l i18n.Lang, v PassportView, c *report.Cents, currency string) printed {
	if c == nil {
		return textOrDash(l, "")
	}
	own, converted := foreign(c, currency), ""
	if amount, ok := v.inDollars(c, currency); ok {
		converted = usd.format(amount)
	}
	return as(twoAmounts(own, converted), own, converted)
}

func openBadge(l i18n.Lang, status string) printed {
	if status == "OPEN" || status == "FILED" {
		return badge(ui.Warning, passportWord(l, status))
	}
	return badge(ui.Neutral, passportWord(l, status))
}

func passportPersonFacts(l i18n.Lang, i report.PassportIdentity) []ui.Fact {
	var facts []ui.Fact
	text := func(term i18n.Key, s string) {
		if s != "" {
			facts = append(facts, ui.Fact{Term: i18n.T(l, term), Text: s})
		}
	}
	text("review.passport.middle", report.Text(i.MiddleName))
	text("review.passport.latin", report.Text(i.TransliteratedName))
	text("review.passport.other", joined(", ", append([]string{}, i.OtherNames...)...))
	if i.DateOfBirth != nil {
		facts = append(facts, ui.Fact{Term: i18n.T(l, "review.date_of_birth"), Body: date(l, i.DateOfBirth)})
	}
	text("review.phone", joined(", ", append([]string{}, i.Telephones...)...))
	if i.IsDeceased != nil {
		facts = append(facts, ui.Fact{Term: i18n.T(l, "review.passport.deceased"), Text: yesNo(l, *i.IsDeceased)})
	}
	if i.DateOfDeath != nil {
		facts = append(facts, ui.Fact{Term: i18n.T(l, "review.passport.death"), Body: date(l, i.DateOfDeath)})
	}
	return facts
}

func passportDocumentGrid(l i18n.Lang, all []report.IdentityDocument) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.passport.documents"),
		Columns: columns(l, 0, "review.report.subtype", "review.report.number", "review.passport.country",
			"review.passport.issued", "review.passport.expires")}
	for _, d := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Text: passportWord(l, d.Type)}, {Body: lastDigits(l, report.Text(d.TruncatedNumber))},
			{Body: textOrDash(l, report.Text(d.Country))}, {Body: date(l, d.Issued)}, {Body: date(l, d.Expires)}})
	}
	return g
}

// scoreDial draws a bureau's score on its scale; false for an invalid scale.
func scoreDial(l i18n.Lang, s report.PassportScore) (ui.Dial, bool) {
	return ui.Dial{Label: i18n.T(l, "review.passport.score_on_scale", "type", scoreName(s), "value", strconv.Itoa(s.Value),
			"minimum", strconv.Itoa(s.Minimum), "maximum", strconv.Itoa(s.Maximum)), Low: s.Minimum, High: s.Maximum, Value: s.Value},
		s.Minimum < s.Maximum && s.Value >= s.Minimum && s.Value <= s.Maximum
}

func totalsGrid(l i18n.Lang, c report.PassportCurrency) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.passport.open_credit"),
		Columns: []ui.Column{{Label: i18n.T(l, "review.stub.item")}, {Label: c.Currency, Number: true}}}
	converted := c.Rate != nil && c.Currency != "USD"
	if converted {
		g.Columns = append(g.Columns, ui.Column{Label: "USD", Number: true})
	}
	for _, x := range []struct {
		words    i18n.Key
		own, usd *report.Cents
	}{{"review.trade.limit", c.Totals.CreditLimit, c.TotalsUSD.CreditLimit}, {"review.trade.balance", c.Totals.Balance, c.TotalsUSD.Balance},
		{"review.trade.payment", c.Totals.MonthlyPayment, c.TotalsUSD.MonthlyPayment},
		{"review.trade.past_due", c.Totals.PastDue, c.TotalsUSD.PastDue}} {
		row := []ui.Cell{{Text: i18n.T(l, x.words)}, {Body: textOrDash(l, foreign(x.own, ""))}}
		if converted {
			row = append(row, money(l, usd, x.usd))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// scoreName returns a score's name with its supplier in words.
func scoreName(s report.PassportScore) string {
	if rest, ok := strings.CutPrefix(s.Type, s.SourceID+" "); ok {
		return report.SourceName(s.SourceID) + " " + rest
	}
	return s.Type
}

func rateFacts(l i18n.Lang, c report.PassportCurrency) []ui.Fact {
	if c.Rate == nil {
		return []ui.Fact{{Term: i18n.T(l, "review.passport.rate"), Text: i18n.T(l, "review.passport.no_rate")}}
	}
	return []ui.Fact{{Term: i18n.T(l, "review.passport.rate"), Text: "1 " + c.Currency + " = " + plain(c.Rate.String()) + " USD"},
		{Term: i18n.T(l, "review.passport.rate_day"), Body: date(l, c.RateDate)},
		{Term: i18n.T(l, "review.passport.rate_by"), Body: textOrDash(l, sourceWords(l, report.Text(c.RateSource)))},
		{Term: i18n.T(l, "review.report.source"), Body: source(l, c.SourceID)}}
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

func (v PassportView) tradelines(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.passport.tradelines"), HideCaption: true,
		Columns: columns(l, 4, "review.trade.kind", "review.application.state", "review.eligibility.time", "review.trade.limit",
			"review.trade.balance", "review.trade.payment", "review.trade.past_due")}
	for i, t := range v.Report.Tradelines {
		amount := func(c *report.Cents) ui.Cell { return ui.Cell{Body: amountAbroad(l, v, c, t.Currency)} }
		g.Rows = append(g.Rows, []ui.Cell{{Text: tradeName(l, i, t)},
			{Body: badge(tradelineTone(t.Status), passportWord(l, t.Status))}, {Body: span(l, t.Opened, t.Closed)},
			amount(t.CreditLimit), amount(t.Balance), amount(t.MonthlyPayment), amount(t.PastDue)})
	}
	return g
}

// tradeName returns the name of a credit: its number and its type.
func tradeName(l i18n.Lang, i int, t report.Tradeline) string {
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

// paidWords describes a month, as in "Mar 2026: on time".
func paidWords(l i18n.Lang, m report.PaymentMonth) string {
	month := m.Month
	if t, err := time.Parse("2006-01", m.Month); err == nil {
		month = monthName(l, t)
	}
	if m.Status == nil {
		return month + ": " + i18n.T(l, "review.passport.no_month")
	}
	return month + ": " + passportWord(l, *m.Status)
}

func (v PassportView) collections(l i18n.Lang) ui.Grid {
	g := hidden(l, "review.passport.collections", "review.passport.agency", "review.passport.creditor", "review.application.state",
		"review.since", "review.passport.original", "review.trade.balance")
	for _, x := range v.Report.Collections {
		g.Rows = append(g.Rows, []ui.Cell{{Body: textOrDash(l, report.Text(x.Agency))}, {Body: textOrDash(l, report.Text(x.Creditor))},
			{Body: openBadge(l, x.Status)}, {Body: date(l, x.Assigned)},
			foreignCell(l, x.Original, x.Currency), foreignCell(l, x.Balance, x.Currency)})
	}
	return g
}

func (v PassportView) records(l i18n.Lang) ui.Grid {
	g := hidden(l, "review.passport.records", "review.report.subtype", "review.passport.court", "review.application.state",
		"review.passport.filed", "review.passport.resolved", "review.amount")
	for _, x := range v.Report.PublicRecords {
		g.Rows = append(g.Rows, []ui.Cell{{Text: passportWord(l, x.Type)}, {Body: textOrDash(l, report.Text(x.Court))},
			{Body: openBadge(l, x.Status)}, {Body: date(l, x.Filed)}, {Body: date(l, x.Resolved)}, foreignCell(l, x.Amount, x.Currency)})
	}
	return g
}

func (v PassportView) returned(l i18n.Lang) ui.Grid {
	g := hidden(l, "review.passport.returned", "review.when", "review.report.institution", "review.amount")
	for _, x := range v.Report.NSF {
		g.Rows = append(g.Rows, []ui.Cell{{Body: date(l, x.Date)}, {Body: textOrDash(l, report.Text(x.Institution))},
			foreignCell(l, x.Amount, x.Currency)})
	}
	return g
}

func (v PassportView) disputes(l i18n.Lang) ui.Grid {
	g := hidden(l, "review.passport.disputes", "review.passport.filed", "review.application.state", "review.what", "review.trade.kind")
	for _, x := range v.Report.Disputes {
		about := ""
		for i, t := range v.Report.Tradelines {
			if t.AccountID == report.Text(x.AccountID) {
				about = tradeName(l, i, t)
			}
		}
		g.Rows = append(g.Rows, []ui.Cell{{Body: date(l, x.Filed)}, {Body: openBadge(l, x.Status)},
			{Body: textOrDash(l, report.Text(x.Description))}, {Body: textOrDash(l, about)}})
	}
	return g
}

func (v PassportView) inquiries(l i18n.Lang) ui.Grid {
	g := hidden(l, "review.passport.inquiries", "review.when", "review.passport.inquirer", "review.passport.purpose", "review.amount")
	for _, x := range v.Report.Inquiries {
		g.Rows = append(g.Rows, []ui.Cell{{Body: date(l, x.Date)}, {Body: textOrDash(l, report.Text(x.Inquirer))},
			{Body: textOrDash(l, passportWord(l, report.Text(x.Purpose)))}, foreignCell(l, x.Amount, x.Currency)})
	}
	return g
}

func (v PassportView) addresses(l i18n.Lang) ui.Grid {
	g := hidden(l, "review.passport.addresses", "review.report.address", "review.passport.country", "review.passport.reported")
	for _, x := range v.Report.Addresses {
		line := cmp.Or(report.Text(x.Address),
			joined(", ", report.Text(x.Street), report.Text(x.City), report.Text(x.Region), report.Text(x.Postcode)))
		g.Rows = append(g.Rows, []ui.Cell{{Body: textOrDash(l, line)}, {Body: textOrDash(l, report.Text(x.Country))},
			{Body: span(l, x.First, x.Last)}})
	}
	return g
}

func (v PassportView) employers(l i18n.Lang) ui.Grid {
	g := hidden(l, "review.report.employment", "review.report.employer", "review.report.job", "review.eligibility.time", "review.a_month")
	for _, x := range v.Report.Employers {
		g.Rows = append(g.Rows, []ui.Cell{{Body: textOrDash(l, report.Text(x.Name))}, {Body: textOrDash(l, report.Text(x.JobTitle))},
			{Body: span(l, x.Start, x.End)}, {Body: amountAbroad(l, v, x.MonthlyIncome, report.Text(x.Currency))}})
	}
	return g
}

func (v PassportView) incomes(l i18n.Lang) ui.Grid {
	g := hidden(l, "review.passport.incomes", "review.report.subtype", "review.amount", "review.payroll.frequency", "review.passport.reported")
	for _, x := range v.Report.OtherIncomes {
		g.Rows = append(g.Rows, []ui.Cell{{Text: passportWord(l, x.Type)},
			{Body: amountAbroad(l, v, x.Amount, report.Text(x.Currency))},
			{Body: textOrDash(l, passportWord(l, report.Text(x.Frequency)))}, {Body: date(l, x.Reported)}})
	}
	return g
}

func (v PassportView) identifiers(l i18n.Lang) ui.Grid {
	g := hidden(l, "review.passport.identifiers", "review.report.subtype", "review.report.number", "review.passport.country")
	for _, x := range v.Report.Identifiers {
		g.Rows = append(g.Rows, []ui.Cell{{Text: passportWord(l, x.Type)}, {Body: lastDigits(l, report.Text(x.Truncated))},
			{Body: textOrDash(l, report.Text(x.Country))}})
	}
	return g
}

func (v PassportView) accounts(l i18n.Lang) ui.Grid {
	g := hidden(l, "review.report.accounts", "review.report.institution", "review.report.subtype",
		"review.report.number", "review.eligibility.time", "review.passport.currency")
	for _, x := range v.Report.BankAccounts {
		g.Rows = append(g.Rows, []ui.Cell{{Body: textOrDash(l, report.Text(x.Institution))},
			{Body: textOrDash(l, code(l, report.Text(x.Type)))}, {Body: lastDigits(l, report.Text(x.Truncated))},
			{Body: span(l, x.Opened, x.Closed)}, {Body: textOrDash(l, report.Text(x.Currency))}})
	}
	return g
}

func (v PassportView) notices(l i18n.Lang) ui.Grid { return noticeGrid(l, v.consumerNotices()) }

// consumerNotices returns the notices in the form of the other reports.
func (v PassportView) consumerNotices() []report.ConsumerNotice {
	all := make([]report.ConsumerNotice, len(v.Report.Notices))
	for i, x := range v.Report.Notices {
		all[i] = report.ConsumerNotice{Description: x.Description, SourceReference: x.SourceID}
	}
	return all
}
