package pdf

import (
	"strings"

	"vestibule/internal/report"
)

// column is a column of a table.
type column struct {
	title string
	share float64 // width in hundredths of the page's width
	right bool    // right-aligned
}

// table draws a section with a table.
func (d *document) table(title string, columns []column, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	d.heading(title, 14)
	head := func() {
		x := margin
		for _, c := range columns {
			d.put(x, c, label, c.title)
			x += c.share * width / 100
		}
		d.y += 4.6
	}
	head()
	for _, row := range rows {
		if d.ensure(6) {
			head()
		}
		d.line(margin, d.y, pageWidth-margin, d.y, rule, 0.15)
		x := margin
		for i, c := range columns {
			d.put(x, c, style{size: 8.5, ink: ink}, row[i])
			x += c.share * width / 100
		}
		d.y += 6
	}
}

func (d *document) put(x float64, c column, st style, text string) {
	w := c.share * width / 100
	text = d.fit(st, w-2, text)
	y := d.y + 1.4
	if st.right = c.right; c.right {
		x += w
	}
	d.text(x, y, st, text)
}

// negatives draws public records, collections, returned payments and disputes, and says
// which of them the file lacks.
func (d *document) negatives() {
	var rows [][]string
	for _, p := range d.PublicRecords {
		rows = append(rows, []string{word(p.Type), report.Text(p.Court), day(p.Filed), word(p.Status), moneyOf(p.Amount, p.Currency)})
	}
	d.table("Public records", []column{{"Kind", 18, false}, {"Court or authority", 38, false},
		{"Filed", 14, false}, {"Status", 12, false}, {"Amount", 18, true}}, rows)
	rows = nil
	for _, c := range d.Collections {
		rows = append(rows, []string{report.Text(c.Agency), report.Text(c.Creditor), day(c.Assigned), word(c.Status),
			moneyOf(c.Original, c.Currency), moneyOf(c.Balance, c.Currency)})
	}
	d.table("Collections", []column{{"Agency", 24, false}, {"Creditor", 22, false}, {"Assigned", 13, false},
		{"Status", 9, false}, {"Was", 16, true}, {"Is", 16, true}}, rows)
	rows = nil
	for _, n := range d.NSF {
		rows = append(rows, []string{report.Text(n.Institution), day(n.Date), moneyOf(n.Amount, n.Currency)})
	}
	d.table("Returned payments", []column{{"Institution", 60, false}, {"Date", 20, false}, {"Amount", 20, true}}, rows)
	rows = nil
	for _, p := range d.Disputes {
		about := none
		for _, t := range d.Tradelines {
			if p.AccountID != nil && t.AccountID == *p.AccountID {
				about = word(t.Type) + " of " + month(t.Opened)
			}
		}
		rows = append(rows, []string{about, report.Text(p.Description), day(p.Filed), word(p.Status)})
	}
	d.table("Disputes", []column{{"About", 24, false}, {"What the consumer says", 50, false},
		{"Filed", 14, false}, {"Status", 12, false}}, rows)
	if d.currency == nil {
		return
	}
	var clean []string
	for _, c := range []struct {
		n    int
		what string
	}{{len(d.PublicRecords), "public records"}, {len(d.Collections), "collections"},
		{len(d.NSF), "returned payments"}, {len(d.Disputes), "disputes"}} {
		if c.n == 0 {
			clean = append(clean, c.what)
		}
	}
	if len(clean) > 0 {
		d.y += 4
		d.ensure(6)
		d.y += d.paragraph(margin, d.y, width, style{size: 8.5, ink: muted}, "The file has no "+strings.Join(clean, ", no ")+".")
	}
}

func (d *document) inquiries() {
	var rows [][]string
	for _, q := range d.Inquiries {
		rows = append(rows, []string{day(q.Date), report.Text(q.Inquirer), word(report.Text(q.Purpose)), moneyOf(q.Amount, q.Currency)})
	}
	d.table("Inquiries", []column{{"Date", 16, false}, {"Who asked", 44, false}, {"Purpose", 20, false}, {"Amount asked for", 20, true}}, rows)
}

// life draws employers, other incomes, addresses and bank accounts.
func (d *document) life() {
	var rows [][]string
	for _, e := range d.Employers {
		rows = append(rows, []string{orNone(report.Text(e.Name)), orNone(report.Text(e.JobTitle)),
			month(e.Start), month(e.End), moneyOf(e.MonthlyIncome, e.Currency)})
	}
	d.table("Employers", []column{{"Employer", 34, false}, {"Job", 24, false}, {"From", 12, false},
		{"To", 12, false}, {"A month", 18, true}}, rows)
	rows = nil
	for _, o := range d.OtherIncomes {
		rows = append(rows, []string{word(o.Type), word(report.Text(o.Frequency)), day(o.Reported), moneyOf(o.Amount, o.Currency)})
	}
	d.table("Other income", []column{{"Kind", 34, false}, {"How often", 24, false}, {"Reported", 24, false}, {"Amount", 18, true}}, rows)
	rows = nil
	for _, a := range d.Addresses {
		rows = append(rows, []string{orNone(report.Text(a.Address)), month(a.First), month(a.Last)})
	}
	d.table("Addresses", []column{{"Address", 70, false}, {"First reported", 15, false}, {"Last reported", 15, false}}, rows)
	rows = nil
	for _, a := range d.BankAccounts {
		rows = append(rows, []string{orNone(report.Text(a.Institution)), word(report.Text(a.Type)),
			"ends in " + orNone(report.Text(a.Truncated)), day(a.Opened), day(a.Closed)})
	}
	d.table("Bank accounts", []column{{"Institution", 36, false}, {"Kind", 16, false}, {"Number", 20, false},
		{"Opened", 14, false}, {"Closed", 14, false}}, rows)
}

func (d *document) notices() {
	all := []string{}
	for _, n := range d.Notices {
		all = append(all, n.Description)
	}
	if d.missing {
		all = append(all, "Letters that this document's fonts do not have stand as question marks. The JSON report has them.")
	}
	all = append(all, "This document shows a report that a supplier abroad gave. Figures "+
		"are the supplier's; a dash means that it reported nothing.")
	d.heading("Notices", 8)
	for _, n := range all {
		lines := d.wrap(plain, width-4, n)
		d.ensure(float64(len(lines)) * 4.5)
		d.text(margin, d.y, plain, "•")
		d.y += d.paragraph(margin+4, d.y, width-4, plain, n) + 1.2
	}
}
