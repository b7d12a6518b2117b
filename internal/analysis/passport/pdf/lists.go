package pdf

import (
	"strings"

	"vestibule/internal/pdf"
	"vestibule/internal/report"
)

// table draws a section with a table.
func (d *document) table(title string, columns []pdf.Column, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	d.Heading(title, 14)
	d.Table(columns, pdf.Texts(rows))
}

// negatives draws public records, collections, returned payments and disputes, and says
// which of them the file lacks.
func (d *document) negatives() {
	var rows [][]string
	for _, p := range d.PublicRecords {
		rows = append(rows, []string{word(p.Type), report.Text(p.Court), day(p.Filed), word(p.Status), moneyOf(p.Amount, p.Currency)})
	}
	d.table("Public records", []pdf.Column{{Title: "Kind", Share: 18}, {Title: "Court or authority", Share: 38},
		{Title: "Filed", Share: 14}, {Title: "Status", Share: 12}, {Title: "Amount", Share: 18, Right: true}}, rows)
	rows = nil
	for _, c := range d.Collections {
		rows = append(rows, []string{report.Text(c.Agency), report.Text(c.Creditor), day(c.Assigned), word(c.Status),
			moneyOf(c.Original, c.Currency), moneyOf(c.Balance, c.Currency)})
	}
	d.table("Collections", []pdf.Column{{Title: "Agency", Share: 24}, {Title: "Creditor", Share: 22}, {Title: "Assigned", Share: 13},
		{Title: "Status", Share: 9}, {Title: "Original amount", Share: 16, Right: true},
		{Title: "Balance", Share: 16, Right: true}}, rows)
	rows = nil
	for _, n := range d.NSF {
		rows = append(rows, []string{report.Text(n.Institution), day(n.Date), moneyOf(n.Amount, n.Currency)})
	}
	d.table("Returned payments", []pdf.Column{{Title: "Institution", Share: 60}, {Title: "Date", Share: 20},
		{Title: "Amount", Share: 20, Right: true}}, rows)
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
	d.table("Disputes", []pdf.Column{{Title: "About", Share: 24}, {Title: "What the consumer says", Share: 50},
		{Title: "Filed", Share: 14}, {Title: "Status", Share: 12}}, rows)
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
		d.Y += 4
		d.Ensure(6)
		d.Y += d.Paragraph(pdf.Margin, d.Y, width, pdf.Style{Size: 8.5, Ink: pdf.Muted}, "The file has no "+strings.Join(clean, ", no ")+".")
	}
}

func (d *document) inquiries() {
	var rows [][]string
	for _, q := range d.Inquiries {
		rows = append(rows, []string{day(q.Date), report.Text(q.Inquirer), word(report.Text(q.Purpose)), moneyOf(q.Amount, q.Currency)})
	}
	d.table("Inquiries", []pdf.Column{{Title: "Date", Share: 16}, {Title: "Who asked", Share: 44}, {Title: "Purpose", Share: 20},
		{Title: "Amount asked for", Share: 20, Right: true}}, rows)
}

// life draws employers, other incomes, addresses and bank accounts.
func (d *document) life() {
	var rows [][]string
	for _, e := range d.Employers {
		rows = append(rows, []string{orNone(report.Text(e.Name)), orNone(report.Text(e.JobTitle)),
			month(e.Start), month(e.End), moneyOf(e.MonthlyIncome, e.Currency)})
	}
	d.table("Employers", []pdf.Column{{Title: "Employer", Share: 34}, {Title: "Job", Share: 24}, {Title: "From", Share: 12},
		{Title: "To", Share: 12}, {Title: "A month", Share: 18, Right: true}}, rows)
	rows = nil
	for _, o := range d.OtherIncomes {
		rows = append(rows, []string{word(o.Type), word(report.Text(o.Frequency)), day(o.Reported), moneyOf(o.Amount, o.Currency)})
	}
	d.table("Other income", []pdf.Column{{Title: "Kind", Share: 34}, {Title: "How often", Share: 24},
		{Title: "Reported", Share: 24}, {Title: "Amount", Share: 18, Right: true}}, rows)
	rows = nil
	for _, a := range d.Addresses {
		rows = append(rows, []string{orNone(report.Text(a.Address)), month(a.First), month(a.Last)})
	}
	d.table("Addresses", []pdf.Column{{Title: "Address", Share: 70}, {Title: "First reported", Share: 15},
		{Title: "Last reported", Share: 15}}, rows)
	rows = nil
	for _, a := range d.BankAccounts {
		rows = append(rows, []string{orNone(report.Text(a.Institution)), word(report.Text(a.Type)),
			"ends in " + orNone(report.Text(a.Truncated)), day(a.Opened), day(a.Closed)})
	}
	d.table("Bank accounts", []pdf.Column{{Title: "Institution", Share: 36}, {Title: "Kind", Share: 16}, {Title: "Number", Share: 20},
		{Title: "Opened", Share: 14}, {Title: "Closed", Share: 14}}, rows)
}

func (d *document) notices() {
	all := []string{}
	for _, n := range d.Notices {
		all = append(all, n.Description)
	}
	if d.Missing {
		all = append(all, "Letters that this document's fonts do not have stand as question marks. The JSON report has them.")
	}
	all = append(all, "This document shows a report that a supplier abroad gave. Figures "+
		"are the supplier's; a dash means that it reported nothing.")
	d.Heading("Notices", 8)
	for _, n := range all {
		lines := d.Wrap(plain, width-4, n)
		d.Ensure(float64(len(lines)) * 4.5)
		d.Text(pdf.Margin, d.Y, plain, "•")
		d.Y += d.Paragraph(pdf.Margin+4, d.Y, width-4, plain, n) + 1.2
	}
}
