package stubs

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/provider/sandbox/profiles"
	"vestibule/internal/report"
)

// sample returns a generated pay stub as a PDF file, at the employer if given: that of the nth
// deposit of pay before the latest one at the bank of the test consumer "default".
func sample(who *bankdata.Person, employer, link string, nth int, at time.Time, lacking bool) []byte {
	p := payroll.Providers{}.Fetch("paywright", "default", link, at)
	job := p.Jobs[0]
	job.Statements = deposited(job.Statements[0], profiles.Bank{}.Fetch("default", link, at))
	job.Employer = cmp.Or(employer, job.Employer)
	s := job.Statements[nth%len(job.Statements)]
	name := p.Owner.FullName()
	if who != nil && who.FullName() != "" {
		name = who.FullName()
	}
	return page(lines(p, job, s, name, lacking), s.PayDate.AddDate(0, 0, -1))
}

// deposited returns a statement for each deposit of pay at a bank, the latest first, with the
// shares of gross and net of another statement.
func deposited(like income.Statement, bank bankdata.Data) (out []income.Statement) {
	var sum income.Statement // of the year so far
	for _, t := range bank.Connections[0].Accounts[0].Transactions {
		if !strings.Contains(t.Description, "PAYROLL") || t.Pending {
			continue
		}
		pay, month := t.Posted, time.Date(t.Posted.Year(), t.Posted.Month(), 1, 0, 0, 0, 0, time.UTC)
		s := income.Statement{PayDate: pay, Start: report.Date{Time: month}, End: report.Date{Time: month.AddDate(0, 0, 14)},
			Net: t.Amount, Gross: t.Amount * like.Gross / like.Net}
		if pay.Day() > 15 {
			s.Start, s.End = report.Date{Time: month.AddDate(0, 0, 15)}, report.Date{Time: month.AddDate(0, 1, -1)}
		}
		if sum.PayDate.Year() != pay.Year() {
			sum = income.Statement{PayDate: pay}
		}
		sum.Net, sum.Gross = sum.Net+s.Net, sum.Gross+s.Gross
		s.NetYTD, s.GrossYTD = sum.Net, sum.Gross
		out = append(out, s)
	}
	slices.Reverse(out)
	return out
}

// line is a line of the page: cells at horizontal positions.
type line []cell

type cell struct {
	x    int
	text string
}

func lines(p income.Payroll, job income.Job, s income.Statement, name string, lacking bool) []line {
	day := func(t time.Time) string { return t.Format("01/02/2006") }
	social := s.Gross * 620 / 10_000
	medicare := s.Gross * 145 / 10_000
	socialYTD, medicareYTD := s.GrossYTD*620/10_000, s.GrossYTD*145/10_000
	out := []line{
		{{60, "Earnings Statement"}},
		{{60, "Employer: " + job.Employer}},
		{{60, "Employee: " + name}},
		{{60, "Pay Date: " + day(s.PayDate.Time)}},
	}
	if !lacking {
		out = append(out,
			line{{60, "Period Start: " + day(s.Start.Time)}},
			line{{60, "Period End: " + day(s.End.Time)}},
			line{{60, "Pay Frequency: Semi-Monthly"}},
			line{{60, "Hire Date: " + day(job.Hired.Time)}},
			line{{60, "Payroll Provider: " + p.Provider}},
		)
	}
	head := line{{60, "Description"}, {300, "Current"}, {420, "Year To Date"}}
	row := func(words string, now, ytd fmt.Stringer) line {
		return line{{60, words}, {300, now.String()}, {420, ytd.String()}}
	}
	if lacking {
		return append(out, line{{60, "Description"}, {300, "Current"}}, line{{60, "Gross Pay"}, {300, s.Gross.String()}},
			line{{60, "Net Pay"}, {300, s.Net.String()}})
	}
	rest, restYTD := s.Gross-s.Net-social-medicare, s.GrossYTD-s.NetYTD-socialYTD-medicareYTD
	return append(out, head,
		row("Regular Pay", s.Gross, s.GrossYTD),
		row("Gross Pay", s.Gross, s.GrossYTD),
		row("Social Security", social, socialYTD),
		row("Medicare", medicare, medicareYTD),
		row("Federal Income Tax", rest, restYTD),
		row("Net Pay", s.Net, s.NetYTD),
	)
}

// page returns a PDF file of one page with these lines.
func page(lines []line, made time.Time) []byte {
	var text strings.Builder
	text.WriteString("BT /F1 11 Tf ")
	for i, l := range lines {
		for _, c := range l {
			fmt.Fprintf(&text, "1 0 0 1 %d %d Tm (%s) Tj ", c.x, 740-i*22, winAnsi(c.text))
		}
	}
	text.WriteString("ET")
	var b bytes.Buffer
	var at []int
	object := func(body string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), body)
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>")
	object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", text.Len(), text.String()))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	object("<< /Producer (Sandbox Payroll) /CreationDate (D:" + made.UTC().Format("20060102150405") + "Z) >>")
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return b.Bytes()
}

// winAnsi encodes a text as a PDF string in the font's encoding, with "?" for
// unsupported characters.
func winAnsi(s string) string {
	var out []byte
	for _, r := range s {
		switch {
		case r == '’':
			out = append(out, 0x92)
		case r == '(' || r == ')' || r == '\\':
			out = append(out, '\\', byte(r))
		case r >= ' ' && r < 0x7f || r >= 0xa0 && r <= 0xff:
			out = append(out, byte(r))
		default:
			out = append(out, '?')
		}
	}
	return string(out)
}
