package pdf

import (
	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// score draws the scores, each with a gauge of the bureau's scale.
func (d *document) score() {
	for i, sc := range d.Scores {
		if i == 0 {
			d.heading("Score", 30)
		} else {
			d.ensure(30)
			d.y += 4
		}
		const gauge = 108.0
		d.text(margin, d.y, style{size: 26, bold: true, ink: ink}, itoa(sc.Value))
		d.text(margin, d.y+11, small, d.fit(small, 50, sc.Type))
		d.text(margin, d.y+15, small, "as of "+day(sc.Date))
		x, y := margin+width-gauge, d.y+4
		share := float64(sc.Value-sc.Minimum) / float64(max(sc.Maximum-sc.Minimum, 1))
		share = min(max(share, 0), 1)
		fifths := []color{bad, {208, 120, 30}, {214, 180, 70}, {120, 160, 80}, good}
		for n, c := range fifths {
			d.box(x+float64(n)*gauge/5, y, gauge/5-0.6, 4, c)
		}
		at := x + share*gauge
		d.pdf.SetFillColor(ink[0], ink[1], ink[2])
		d.pdf.MoveTo(at, y-0.4)
		d.pdf.LineTo(at-1.9, y-3.6)
		d.pdf.LineTo(at+1.9, y-3.6)
		d.pdf.ClosePath()
		d.pdf.DrawPath("F")
		d.line(at, y-0.4, at, y+4.6, ink, 0.5)
		d.text(x, y+5.4, small, itoa(sc.Minimum))
		d.text(x+gauge, y+5.4, style{size: small.size, ink: muted, right: true}, itoa(sc.Maximum))
		words := itoa(percent(sc.Value, sc.Minimum, sc.Maximum)) + " % of the way up the bureau's scale; higher is better"
		d.text(x+gauge/2-d.width(small, words)/2, y+5.4, small, words)
		y += 11
		for _, r := range sc.Reasons {
			y += d.paragraph(x, y, gauge, style{size: 8.5, ink: ink}, "• "+r.Description) + 0.6
		}
		d.y = max(d.y+20, y)
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
	d.heading("Credit at a glance", 30)
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
		ink                 color
	}{
		{"Balance", money(c.Totals.Balance, c.Currency), usd(c.TotalsUSD.Balance), ink},
		{"Limits and loans", money(c.Totals.CreditLimit, c.Currency), usd(c.TotalsUSD.CreditLimit), ink},
		{"Payments a month", money(c.Totals.MonthlyPayment, c.Currency), usd(c.TotalsUSD.MonthlyPayment), ink},
		{"Past due", money(c.Totals.PastDue, c.Currency), usd(c.TotalsUSD.PastDue), good},
		{"Open credits", itoa(open), "of " + itoa(len(d.Tradelines)) + " in the file", ink},
		{"Months late by 30 days or more", itoa(late), "in the last 24, over all credits", good},
		{"Inquiries", itoa(asked), "in the last 12 months", ink},
		{"Records and collections", itoa(len(d.PublicRecords) + len(d.Collections)), "in the file", good},
	}
	if p := c.Totals.PastDue; p != nil && *p > 0 {
		cells[3].ink = bad
	}
	if late > 0 {
		cells[5].ink = bad
	}
	if len(d.PublicRecords)+len(d.Collections) > 0 {
		cells[7].ink = bad
	}
	const w, h = width / 4, 17.5
	for i, cell := range cells {
		x, y := margin+float64(i%4)*w, d.y+float64(i/4)*h
		d.frame(x, y, w, h, rule)
		d.text(x+3, y+2.2, label, d.fit(label, w-6, cell.label))
		st := style{size: 11.5, bold: true, ink: cell.ink}
		for d.width(st, cell.value) > w-6 && st.size > 7 {
			st.size -= 0.5
		}
		d.text(x+3, y+6.2, st, cell.value)
		d.text(x+3, y+12.4, label, d.fit(label, w-6, cell.under))
	}
	d.y += 2*h + 1.5
	if c.Rate != nil && c.Currency != "USD" {
		text := "Amounts are in " + c.Currency + ". US dollars are for orientation, at " +
			c.Rate.String() + " for one " + c.Currency + ", " + day(c.RateDate)
		if c.RateSource != nil {
			text += ", " + *c.RateSource
		}
		d.y += d.paragraph(margin, d.y, width, label, text+".")
	}
}

// tradelines draws each credit with its grid of months.
func (d *document) tradelines() {
	if len(d.Tradelines) == 0 {
		return
	}
	d.heading("Credits", 40)
	x := margin
	d.text(x, d.y, label, "Payment months:")
	x += d.width(label, "Payment months:") + 3
	for _, m := range months {
		d.cell(x, d.y-0.5, m.paid)
		x += 4.6
		d.text(x, d.y, label, m.words)
		x += d.width(label, m.words) + 3.5
	}
	d.text(x, d.y, label, "· no data")
	d.y += 6
	for _, t := range d.Tradelines {
		d.tradeline(t)
	}
}

func (d *document) tradeline(t report.Tradeline) {
	const h = 25.5
	if d.ensure(h) {
		d.y += 1
	}
	y := d.y
	d.line(margin, y, pageWidth-margin, y, rule, 0.25)
	y += 2.2
	w := d.text(margin, y, style{size: 10, bold: true, ink: ink}, word(t.Type))
	d.chip(margin+w+3, y, t.Status)
	span := "opened " + day(t.Opened)
	if t.Closed != nil {
		span += ", closed " + day(t.Closed)
	}
	d.text(pageWidth-margin, y+0.4, style{size: 8, ink: muted, right: true}, span)
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
		at := margin + float64(i)*width/4
		st := plain
		if i == 3 && f.value != nil && *f.value > 0 {
			st = style{size: 9, bold: true, ink: bad}
		}
		d.text(at, y, label, f.label)
		d.text(at, y+2.8, st, d.fit(st, width/4-3, money(f.value, t.Currency)))
	}
	y += 8.4
	d.history(y, t.History)
	d.y += h
}

func (d *document) chip(x, y float64, status string) {
	c := map[string]color{report.TradelineOpen: good, report.TradelineDelinquent: bad, report.TradelineChargedOff: grave}[status]
	if c == (color{}) {
		c = muted
	}
	st := style{size: 7, bold: true, ink: white}
	text := word(status)
	d.box(x, y-0.1, d.width(st, text)+4, 4.4, c)
	d.text(x+2, y+0.9, st, text)
}

// history draws the grid of months, the oldest month on the left.
func (d *document) history(y float64, all []report.PaymentMonth) {
	n := min(len(all), report.HistoryMonths)
	const step = width / report.HistoryMonths
	for i := range n {
		m := all[n-1-i]
		x := margin + float64(i)*step
		if p, ok := paidOf(m.Status); ok {
			d.wide(x, y, step-0.7, p)
		} else {
			d.box(x, y, step-0.7, 4, pale)
			d.text(x+(step-0.7)/2-0.4, y+0.8, label, "·")
		}
		if len(m.Month) != 7 {
			continue
		}
		if i == 0 || m.Month[5:] == "01" {
			d.text(x, y+4.6, style{size: 6, ink: muted}, m.Month)
		}
	}
}

func (d *document) cell(x, y float64, p paid) { d.wide(x, y, 4, p) }

func (d *document) wide(x, y, w float64, p paid) {
	d.box(x, y, w, 4, p.fill)
	if p.mark == "✓" { // drawn, because the fonts lack it
		d.pdf.SetDrawColor(255, 255, 255)
		d.pdf.SetLineWidth(0.45)
		cx := x + w/2
		d.pdf.Line(cx-1.1, y+2.1, cx-0.3, y+2.9)
		d.pdf.Line(cx-0.3, y+2.9, cx+1.2, y+1.1)
		return
	}
	st := style{size: 6, bold: true, ink: white}
	d.text(x+w/2-d.width(st, p.mark)/2, y+1, st, p.mark)
}
