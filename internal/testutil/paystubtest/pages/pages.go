// Package pages makes pay stubs as HTML pages, in the manner of payroll companies,
// governments and line printers, to be printed by Chromium. Each page knows which
// fields it shows, and as what: whatever a layout prints by one of its functions is
// part of the truth. Names, figures and companies are invented.
package pages

import (
	"bytes"
	"embed"
	"fmt"
	"hash/fnv"
	"html/template"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"vestibule/internal/report"
	"vestibule/internal/testutil/paystubtest"
)

//go:embed layouts/*.html
var layouts embed.FS

// Truth is what a page shows: the contract's names of fields, and employer_name, to
// their values. A field that is not printed is not there.
type Truth map[string]string

// Page is a stub as HTML, and what it says.
type Page struct {
	HTML  []byte
	Truth Truth
	Stub  paystubtest.Stub
}

// Names lists the layouts.
func Names() (out []string) {
	files, err := fs.Glob(layouts, "layouts/*.html")
	if err != nil {
		panic(err) // a mistake of this package
	}
	for _, f := range files {
		out = append(out, strings.TrimSuffix(strings.TrimPrefix(f, "layouts/"), ".html"))
	}
	return out
}

// fields are the contract's names of items, without _current and _ytd.
var fields = map[paystubtest.Item]string{
	paystubtest.Regular: "regular_pay_earnings", paystubtest.Overtime: "overtime_earnings",
	paystubtest.Bonus: "bonus_earnings", paystubtest.Commission: "commission_earnings",
	paystubtest.PaidTimeOff: "paid_time_off_earnings", paystubtest.Vacation: "vacation_earnings",
	paystubtest.SocialSecurity: "social_security_deductions", paystubtest.Medicare: "medicare_tax_deductions",
	paystubtest.FICA: "fica_tax_deductions", paystubtest.PaidTimeOffTaken: "paid_time_off_deductions",
	paystubtest.VacationTaken: "vacation_deductions",
}

// latest is a day that no stub is paid after, for a file cannot be older than what
// it is about.
var latest = time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC)

var setting = regexp.MustCompile(`(?s)<!--(.*?)-->`)

// Make fills a layout with the n-th person. The layout's first comment has its
// settings, one a line: `words` are the names of the fifteen items with | between
// them, `money` an example of an amount (1,234.56 unless it says otherwise), `minus`
// how deductions are shown, `month` or `weekly` which rhythm the person must have,
// `person` a format of names.
func Make(name string, n int) (*Page, error) {
	raw, err := layouts.ReadFile("layouts/" + name + ".html")
	if err != nil {
		return nil, err
	}
	set := map[string]string{}
	var rows []string
	if m := setting.FindSubmatch(raw); m != nil {
		for line := range strings.Lines(string(m[1])) {
			if k, v, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
				set[k] = v
			} else if strings.Contains(line, " = ") {
				rows = append(rows, strings.TrimSpace(line))
			}
		}
	}
	if len(rows) > 0 {
		return makeLedger(name, raw, set, rows)
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	draw := chance(h.Sum64(), uint64(n))
	s := paystubtest.Random(draw)
	for set["rhythm"] != "" && s.Frequency != set["rhythm"] || s.Pay.After(latest) {
		s = paystubtest.Random(draw)
	}
	p := &filler{Stub: s, set: set, truth: Truth{}}
	if words := strings.Split(set["words"], "|"); len(words) == int(paystubtest.VacationTaken)+1 {
		p.words = words
	} else {
		return nil, fmt.Errorf("%s: %d words", name, len(words))
	}
	t, err := template.New(name).Funcs(p.funcs()).Parse(string(raw))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, p); err != nil {
		return nil, err
	}
	p.rhythm()
	return &Page{HTML: out.Bytes(), Truth: p.truth, Stub: s}, nil
}

// filler prints parts of a stub, and keeps which.
type filler struct {
	paystubtest.Stub
	set   map[string]string
	words []string
	truth Truth
}

// rhythm adds a frequency that follows from the period's length.
func (p *filler) rhythm() {
	if p.truth["pay_period_start"] != "" && p.truth["pay_period_end"] != "" {
		p.truth["pay_frequency"] = p.Frequency
	}
}

func (p *filler) say(field, shown string) string {
	if shown != "" {
		p.truth[field] = shown
	}
	return shown
}

// amount prints cents in the layout's way.
func (p *filler) amount(c report.Cents) string {
	sign, style := "", p.set["money"]
	if c < 0 {
		sign, c = "-", -c
	}
	whole, cents := fmt.Sprint(int64(c/100)), fmt.Sprintf("%02d", int64(c%100))
	if !strings.HasPrefix(style, "1234") && !strings.HasPrefix(style, "$1234") {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	point := "."
	if strings.Contains(style, " 56") {
		point = " "
	}
	if strings.HasPrefix(style, "$") {
		sign += "$"
		if strings.HasPrefix(style, "$ ") {
			sign += " "
		}
	}
	return sign + whole + point + cents
}

// less prints an amount that is taken off.
func (p *filler) less(c report.Cents) string {
	s := p.amount(c)
	switch {
	case c == 0:
	case p.set["minus"] == "behind":
		return s + "-"
	case p.set["minus"] == "before":
		return "-" + s
	case p.set["minus"] == "round":
		return "(" + s + ")"
	}
	return s
}

// keep prints an amount and notes it.
func (p *filler) keep(field string) func(report.Cents) string {
	return func(c report.Cents) string {
		p.truth[field] = c.String()
		return p.amount(c)
	}
}

// line prints one of the two amounts of a line.
func (p *filler) line(l paystubtest.Line, when string) string {
	c := l.Current
	if when == "ytd" {
		c = l.YTD
	}
	if f := fields[l.Item]; f != "" {
		earned := "_amount_"
		p.truth[f+earned+when] = c.String()
	}
	if l.Item >= paystubtest.FederalTax {
		return p.less(c)
	}
	return p.amount(c)
}

// name prints the employee's.
func (p *filler) name() string {
	s := p.Employee
	first, last, ok := strings.Cut(s, " ")
	switch {
	case !ok:
	case p.set["person"] == "LAST, FIRST":
		s = strings.ToUpper(last + ", " + first)
	case p.set["person"] == "Last, First M":
		s = last + ", " + first + " M"
	case p.set["person"] == "FIRST LAST":
		s = strings.ToUpper(s)
	}
	return p.say("employee_name", s)
}

func (p *filler) upper(s string) string {
	if p.set["address"] == "upper" {
		return strings.ToUpper(s)
	}
	return s
}

// isTax reports whether an item is a tax.
func isTax(i paystubtest.Item) bool {
	return i >= paystubtest.FederalTax && i <= paystubtest.FICA
}

// some are the lines of which a question is true.
func some(lines []paystubtest.Line, of func(paystubtest.Item) bool) (out []paystubtest.Line) {
	for _, l := range lines {
		if of(l.Item) {
			out = append(out, l)
		}
	}
	return out
}

func (p *filler) day(field string, d report.Date) func(string) string {
	return func(layout string) string {
		p.truth[field] = d.String()
		s := d.Format(layout)
		if p.set["dates"] == "upper" {
			s = strings.ToUpper(s)
		}
		return s
	}
}

func (p *filler) hours(l paystubtest.Line) string {
	switch {
	case l.Hours == 0:
		return ""
	case p.set["hours"] == "76:00":
		return fmt.Sprintf("%d:%02d", int64(l.Hours/100), int64(l.Hours%100*60/100))
	}
	return l.Hours.String()
}

func (p *filler) funcs() template.FuncMap {
	total := func(lines []paystubtest.Line) (c report.Cents) {
		for _, l := range lines {
			c += l.Current
		}
		return c
	}
	totalYTD := func(lines []paystubtest.Line) (c report.Cents) {
		for _, l := range lines {
			c += l.YTD
		}
		return c
	}
	return template.FuncMap{
		"employee": p.name,
		"line1":    func() string { return p.say("employee_address_line_1", p.upper(p.Line1)) },
		"line2":    func() string { return p.say("employee_address_line_2", p.upper(p.Line2)) },
		"place": func() string {
			p.say("employee_city", p.upper(p.City))
			p.say("employee_state", p.State)
			p.say("employee_zip", p.ZIP)
			if p.set["address"] == "upper" {
				return p.upper(p.City) + " " + p.State + " " + p.ZIP
			}
			return p.City + ", " + p.State + " " + p.ZIP
		},
		"employer":  func() string { return p.say("employer_name", p.upper(p.Employer)) },
		"work1":     func() string { return p.upper(p.EmployerLine1) },
		"workplace": func() string { return p.upper(p.EmployerCity) + ", " + p.EmployerState + " " + p.EmployerZIP },
		"provider":  func(s string) string { return p.say("paystub_provider", s) },
		"start":     p.day("pay_period_start", p.Start),
		"until":     p.day("pay_period_end", p.End),
		"pay":       p.day("pay_date", p.Pay),
		"hire":      p.day("hire_date", p.Hire),
		"pays": func(weekly, biweekly, semi, monthly string) string {
			p.truth["pay_frequency"] = p.Frequency
			return map[string]string{report.PayWeekly: weekly, report.PayBiweekly: biweekly,
				report.PaySemiMonthly: semi, report.PayMonthly: monthly}[p.Frequency]
		},
		"gross":  func() string { return p.keep("gross_total_earnings_amount_current")(p.Gross) },
		"grossy": func() string { return p.keep("gross_total_earnings_amount_ytd")(p.GrossYTD) },
		"net":    func() string { return p.keep("net_total_earnings_amount_current")(p.Net) },
		"nety":   func() string { return p.keep("net_total_earnings_amount_ytd")(p.NetYTD) },
		"earned": func() []paystubtest.Line { return p.Earnings },
		"taken":  func() []paystubtest.Line { return p.Deductions },
		"taxes":  func() []paystubtest.Line { return some(p.Deductions, isTax) },
		"others": func() []paystubtest.Line {
			return some(p.Deductions, func(i paystubtest.Item) bool { return !isTax(i) })
		},
		"total": total, "totaly": totalYTD,
		"m": p.amount, "less": p.less,
		"cur":   func(l paystubtest.Line) string { return p.line(l, "current") },
		"ytd":   func(l paystubtest.Line) string { return p.line(l, "ytd") },
		"name":  func(l paystubtest.Line) string { return p.words[l.Item] },
		"hours": p.hours,
		"rate": func(l paystubtest.Line) string {
			if l.Rate == 0 {
				return ""
			}
			return l.Rate.String() + p.set["rate"]
		},
		"first": func(what string, l []paystubtest.Line) string {
			switch {
			case len(l) == 0:
				return ""
			case what == "name":
				return p.words[l[0].Item]
			case what == "hours":
				return p.hours(l[0])
			}
			return p.line(l[0], map[string]string{"cur": "current", "ytd": "ytd"}[what])
		},
		"pct":    func(c report.Cents, hundredths int) report.Cents { return (c*report.Cents(hundredths) + 5000) / 10000 },
		"minus":  func(a, b report.Cents) report.Cents { return a - b },
		"amount": p.amount,
		"upper":  strings.ToUpper,
		"line":   func(parts ...any) string { return laid(parts) },
		"at": func(lines []paystubtest.Line, i int) []paystubtest.Line {
			return lines[min(i, len(lines)):min(i+1, len(lines))]
		},
		"rows": func(some ...[]paystubtest.Line) (out []int) {
			n := 0
			for _, l := range some {
				n = max(n, len(l))
			}
			for i := range n {
				out = append(out, i)
			}
			return out
		},
	}
}

// laid puts texts at columns, as a line printer does: a column before each text;
// a negative column is where the text ends.
func laid(parts []any) string {
	var b []rune
	for i := 0; i+1 < len(parts); i += 2 {
		at, text := parts[i].(int), []rune(fmt.Sprint(parts[i+1]))
		if at < 0 {
			at = -at - len(text)
		}
		for len(b) < at {
			b = append(b, ' ')
		}
		b = append(b[:at:at], text...)
	}
	return string(b)
}
