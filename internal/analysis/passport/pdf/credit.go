package pdf

import (
	"strconv"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/pdf"
	"vestibule/internal/report"
)

// score draws the scores, each with a gauge of the bureau's scale.
func (d *document) score() {
	for i, sc := range d.Scores {
		if i == 0 {
			d.Heading("Score", 30)
		} else {
			d.Ensure(30)
			d.Y += 4
		}
		const gauge = 108.0
		d.Text(pdf.Margin, d.Y, pdf.Style{Size: 26, Bold: true, Ink: pdf.Ink}, strconv.Itoa(sc.Value))
		d.Text(pdf.Margin, d.Y+11, small, d.Fit(small, 50, sc.Type))
		d.Text(pdf.Margin, d.Y+15, small, "as of "+day(sc.Date))
		x, y := pdf.Margin+width-gauge, d.Y+4
		share := float64(sc.Value-sc.Minimum) / float64(max(sc.Maximum-sc.Minimum, 1))
		share = min(max(share, 0), 1)
		fifths := []pdf.Color{pdf.Bad, {208, 120, 30}, {214, 180, 70}, {120, 160, 80}, pdf.Good}
		for n, c := range fifths {
			d.Box(x+float64(n)*gauge/5, y, gauge/5-0.6, 4, c)
		}
		at := x + share*gauge
		d.PDF.SetFillColor(pdf.Ink[0], pdf.Ink[1], pdf.Ink[2])
		d.PDF.MoveTo(at, y-0.4)
		d.PDF.LineTo(at-1.9, y-3.6)
		d.PDF.LineTo(at+1.9, y-3.6)
		d.PDF.ClosePath()
		d.PDF.DrawPath("F")
		d.Line(at, y-0.4, at, y+4.6, pdf.Ink, 0.5)
		d.Text(x, y+5.4, small, strconv.Itoa(sc.Minimum))
		d.Text(x+gauge, y+5.4, pdf.Style{Size: small.Size, Ink: pdf.Muted, Right: true}, strconv.Itoa(sc.Maximum))
		words := strconv.Itoa(percent(sc.Value, sc.Minimum, sc.Maximum)) + " % of the way up the bureau's scale; higher is better"
		d.Text(x+gauge/2-d.Width(small, words)/2, y+5.4, small, words)
		y += 11
		for _, r := range sc.Reasons {
			y += d.Paragraph(x, y, gauge, pdf.Style{Size: 8.5, Ink: pdf.Ink}, "• "+r.Description) + 0.6
		}
		d.Y = max(d.Y+20, y)
	}
}

// percent returns a value's position on a scale in whole percent, rounded down.
func percent(value, low, high int) int {
	high = max(high, low+1)
	return (min(max(value, low), high) - low) * 100 / (high - low)
}

// counts returns the summary's numbers of open credits, late months and recent inquiries.
func (d *document) counts() (open, late, asked int) {
	for _, t := range d.Tradelines {
		if t.Status != report.TradelineClosed {
			open++
		}
		for _, m := range t.History {
			if m.Status != nil && *m.Status != report.PaidOK && *m.Status != report.PaidLate1 {
				late++
			}
		}
	}
	year := bankdata.MonthsBefore(d.day, 12)
	for _, q := range d.Inquiries {
		if q.Date != nil && q.Date.After(year.Time) {
			asked++
		}
	}
	return open, late, asked
}

func (d *document) summary() {
	if d.currency == nil {
		return
	}
	d.Heading("Credit at a glance", 30)
	c := d.currency
	open, late, asked := d.counts()
	usd := func(v *report.Cents) string {
		if v == nil || c.Currency == "USD" {
			return ""
		}
		return "about " + money(v, "USD")
	}
	cells := []struct {
		label, value, under string
		ink                 pdf.Color
	}{
		{"Balance", money(c.Totals.Balance, c.Currency), usd(c.TotalsUSD.Balance), pdf.Ink},
		{"Limits and loans", money(c.Totals.CreditLimit, c.Currency), usd(c.TotalsUSD.CreditLimit), pdf.Ink},
		{"Payments a month", money(c.Totals.MonthlyPayment, c.Currency), usd(c.TotalsUSD.MonthlyPayment), pdf.Ink},
		{"Past due", money(c.Totals.PastDue, c.Currency), usd(c.TotalsUSD.PastDue), pdf.Good},
		{"Open credits", strconv.Itoa(open), "of " + strconv.Itoa(len(d.Tradelines)) + " in the file", pdf.Ink},
		{"Months late by 30 days or more", strconv.Itoa(late), "in the last 24, over all credits", pdf.Good},
		{"Inquiries", strconv.Itoa(asked), "in the last 12 months", pdf.Ink},
		{"Records and collections", strconv.Itoa(len(d.PublicRecords) + len(d.Collections)), "in the file", pdf.Good},
	}
	if p := c.Totals.PastDue; p != nil && *p > 0 {
		cells[3].ink = pdf.Bad
	}
	if late > 0 {
		cells[5].ink = pdf.Bad
	}
	if len(d.PublicRecords)+len(d.Collections) > 0 {
		cells[7].ink = pdf.Bad
	}
	const w, h = width / 4, 17.5
	for i, cell := range cells {
		x, y := pdf.Margin+float64(i%4)*w, d.Y+float64(i/4)*h
		d.Frame(x, y, w, h, pdf.Rule)
		d.Text(x+3, y+2.2, label, d.Fit(label, w-6, cell.label))
		st := pdf.Style{Size: 11.5, Bold: true, Ink: cell.ink}
		for d.Width(st, cell.value) > w-6 && st.Size > 7 {
			st.Size -= 0.5
		}
		d.Text(x+3, y+6.2, st, cell.value)
		d.Text(x+3, y+12.4, label, d.Fit(label, w-6, cell.under))
	}
	d.Y += 2*h + 1.5
	if c.Rate != nil && c.Currency != "USD" {
		text := "Amounts are in " + c.Currency + ". US dollars are for orientation, at " +
			c.Rate.String() + " for one " + c.Currency + ", " + day(c.RateDate)
		if c.RateSource != nil {
			text += ", " + *c.RateSource
		}
		d.Y += d.Paragraph(pdf.Margin, d.Y, width, label, text+".")
	}
}

// tradelines draws each credit with its grid of months.
func (d *document) tradelines() {
	if len(d.Tradelines) == 0 {
		return
	}
	d.Heading("Credits", 40)
	x := pdf.Margin
	d.Text(x, d.Y, label, "Payment months:")
	x += d.Width(label, "Payment months:") + 3
	for _, m := range months {
		d.wide(x, d.Y-0.5, 4, m.paid)
		x += 4.6
		d.Text(x, d.Y, label, m.words)
		x += d.Width(label, m.words) + 3.5
	}
	d.Text(x, d.Y, label, "· no data")
	d.Y += 6
	for _, t := range d.Tradelines {
		d.tradeline(t)
	}
}

func (d *document) tradeline(t report.Tradeline) {
	const h = 25.5
	if d.Ensure(h) {
		d.Y += 1
	}
	y := d.Y
	d.Line(pdf.Margin, y, pageWidth-pdf.Margin, y, pdf.Rule, 0.25)
	y += 2.2
	w := d.Text(pdf.Margin, y, pdf.Style{Size: 10, Bold: true, Ink: pdf.Ink}, word(t.Type))
	d.chip(pdf.Margin+w+3, y, t.Status)
	span := "opened " + day(t.Opened)
	if t.Closed != nil {
		span += ", closed " + day(t.Closed)
	}
	d.Text(pageWidth-pdf.Margin, y+0.4, pdf.Style{Size: 8, Ink: pdf.Muted, Right: true}, span)
	y += 6
	limit := "Limit"
	switch t.Type {
	case report.TradePersonal, report.TradeAuto, report.TradeMortgage, report.TradeStudent:
		limit = "Lent"
	}
	for i, f := range []struct {
		label string
		value *report.Cents
	}{{limit, t.CreditLimit}, {"Balance", t.Balance}, {"A month", t.MonthlyPayment}, {"Past due", t.PastDue}} {
		at := pdf.Margin + float64(i)*width/4
		st := plain
		if i == 3 && f.value != nil && *f.value > 0 {
			st = pdf.Style{Size: 9, Bold: true, Ink: pdf.Bad}
		}
		d.Text(at, y, label, f.label)
		d.Text(at, y+2.8, st, d.Fit(st, width/4-3, money(f.value, t.Currency)))
	}
	y += 8.4
	d.history(y, t.History)
	d.Y += h
}

func (d *document) chip(x, y float64, status string) {
	c := map[string]pdf.Color{report.TradelineOpen: pdf.Good, report.TradelineDelinquent: pdf.Bad, report.TradelineChargedOff: grave}[status]
	if c == (pdf.Color{}) {
		c = pdf.Muted
	}
	st := pdf.Style{Size: 7, Bold: true, Ink: pdf.White}
	text := word(status)
	d.Box(x, y-0.1, d.Width(st, text)+4, 4.4, c)
	d.Text(x+2, y+0.9, st, text)
}

// history draws the grid of months, the oldest month on the left.
func (d *document) history(y float64, all []report.PaymentMonth) {
	n := min(len(all), report.HistoryMonths)
	const step = width / report.HistoryMonths
	for i := range n {
		m := all[n-1-i]
		x := pdf.Margin + float64(i)*step
		if p, ok := paidOf(m.Status); ok {
			d.wide(x, y, step-0.7, p)
		} else {
			d.Box(x, y, step-0.7, 4, pdf.Pale)
			d.Text(x+(step-0.7)/2-0.4, y+0.8, label, "·")
		}
		if len(m.Month) != 7 {
			continue
		}
		if i == 0 || m.Month[5:] == "01" {
			d.Text(x, y+4.6, pdf.Style{Size: 6, Ink: pdf.Muted}, m.Month)
		}
	}
}

func (d *document) wide(x, y, w float64, p paid) {
	d.Box(x, y, w, 4, p.fill)
	if p.mark == "✓" { // drawn, because the fonts lack it
		d.PDF.SetDrawColor(255, 255, 255)
		d.PDF.SetLineWidth(0.45)
		cx := x + w/2
		d.PDF.Line(cx-1.1, y+2.1, cx-0.3, y+2.9)
		d.PDF.Line(cx-0.3, y+2.9, cx+1.2, y+1.1)
		return
	}
	st := pdf.Style{Size: 6, Bold: true, Ink: pdf.White}
	d.Text(x+w/2-d.Width(st, p.mark)/2, y+1, st, p.mark)
}
