// Package pages makes pay stubs as HTML pages in the styles of payroll companies,
// governments and line printers, to be printed by Chromium. It records the true value of
// each field that a layout prints by a function. Names, figures and companies are invented.
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

// Truth maps the fields that a page shows to their values: the API's field names, and
// employer_name.
type Truth map[string]string

// Page is a stub as HTML with its true values.
type Page struct {
	HTML  []byte
	Truth Truth
	Stub  paystubtest.Stub
}

// Names lists the layouts.
func Names() (out []string) {
	files, err := fs.Glob(layouts, "layouts/*.html")
	if err != nil {
		panic(err) // an error in this package
	}
	for _, f := range files {
		out = append(out, strings.TrimSuffix(strings.TrimPrefix(f, "layouts/"), ".html"))
	}
	return out
}

// fields holds the API's names of items, without _amount_current and _amount_ytd.
var fields = map[paystubtest.Item]string{
	paystubtest.Regular: "regular_pay_earnings", paystubtest.Overtime: "overtime_earnings",
	paystubtest.Bonus: "bonus_earnings", paystubtest.Commission: "commission_earnings",
	paystubtest.PaidTimeOff: "paid_time_off_earnings", paystubtest.Vacation: "vacation_earnings",
	paystubtest.SocialSecurity: "social_security_deductions", paystubtest.Medicare: "medicare_tax_deductions",
	paystubtest.FICA: "fica_tax_deductions", paystubtest.PaidTimeOffTaken: "paid_time_off_deductions",
	paystubtest.VacationTaken: "vacation_deductions",
}

// latest is the last pay date. The files are printed after it.
var latest = time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC)

var setting = regexp.MustCompile(`(?s)<!--(.*?)-->`)

// Make fills a layout with the n-th person. The layout's first comment has its settings,
// one a line: `words` lists the names of the fifteen items, separated by |; `money` is an
// example of an amount (default 1,234.56); `minus` says how deductions are shown; `rhythm`
// is the required pay frequency; `person` is a format of names.
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

// filler formats parts of a stub and records them in truth.
type filler struct {
	paystubtest.Stub
	set   map[string]string
	words []string
	truth Truth
}

// rhythm adds the pay frequency to the truth if the page shows the pay period.
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

// amount formats an amount as the setting money says.
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

// less formats a deduction as the setting minus says.
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

// record formats an amount and adds it to the truth.
func (p *filler) record(field string) func(report.Cents) string {
	return func(c report.Cents) string {
		p.truth[field] = c.String()
		return p.amount(c)
	}
}

// line formats one of the two amounts of a line and adds it to the truth.
func (p *filler) line(l paystubtest.Line, when string) string {
	c := l.Current
	if when == "ytd" {
		c = l.YTD
	}
	if f := fields[l.Item]; f != "" {
		p.truth[f+"_amount_"+when] = c.String()
	}
	if l.Item >= paystubtest.FederalTax {
		return p.less(c)
	}
	return p.amount(c)
}

// name formats the employee's name as the setting person says.
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

func isTax(i paystubtest.Item) bool {
	return i >= paystubtest.FederalTax && i <= paystubtest.FICA
}

// filter returns the lines whose items pass keep.
func filter(lines []paystubtest.Line, keep func(paystubtest.Item) bool) (out []paystubtest.Line) {
	for _, l := range lines {
		if keep(l.Item) {
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

// funcs returns the functions of the layouts: of the people, the dates, the lines, and of amounts and text.
func (p *filler) funcs() template.FuncMap {
	recorded := func(field string, c report.Cents) func() string {
		return func() string { return p.record(field)(c) }
	}
	lines := func(l []paystubtest.Line) func() []paystubtest.Line { return func() []paystubtest.Line { return l } }
	return template.FuncMap{
		"employee":  p.name,
		"line1":     func() string { return p.say("employee_address_line_1", p.upper(p.Line1)) },
		"line2":     func() string { return p.say("employee_address_line_2", p.upper(p.Line2)) },
		"place":     p.place,
		"employer":  func() string { return p.say("employer_name", p.upper(p.Employer)) },
		"work1":     func() string { return p.upper(p.EmployerLine1) },
		"workplace": func() string { return p.upper(p.EmployerCity) + ", " + p.EmployerState + " " + p.EmployerZIP },
		"provider":  func(s string) string { return p.say("paystub_provider", s) },

		"start": p.day("pay_period_start", p.Start),
		"until": p.day("pay_period_end", p.End),
		"pay":   p.day("pay_date", p.Pay),
		"hire":  p.day("hire_date", p.Hire),
		"pays":  p.pays,

		"gross":  recorded("gross_total_earnings_amount_current", p.Gross),
		"grossy": recorded("gross_total_earnings_amount_ytd", p.GrossYTD),
		"net":    recorded("net_total_earnings_amount_current", p.Net),
		"nety":   recorded("net_total_earnings_amount_ytd", p.NetYTD),
		"earned": lines(p.Earnings),
		"taken":  lines(p.Deductions),
		"taxes":  lines(filter(p.Deductions, isTax)),
		"others": lines(filter(p.Deductions, func(i paystubtest.Item) bool { return !isTax(i) })),
		"total":  func(l []paystubtest.Line) report.Cents { return total(l, false) },
		"totaly": func(l []paystubtest.Line) report.Cents { return total(l, true) },
		"cur":    func(l paystubtest.Line) string { return p.line(l, "current") },
		"ytd":    func(l paystubtest.Line) string { return p.line(l, "ytd") },
		"name":   func(l paystubtest.Line) string { return p.words[l.Item] },
		"hours":  p.hours,
		"rate":   p.rate,
		"first":  p.first,
		"at": func(lines []paystubtest.Line, i int) []paystubtest.Line {
			return lines[min(i, len(lines)):min(i+1, len(lines))]
		},
		"rows": rowNumbers,

		"m": p.amount, "amount": p.amount, "less": p.less,
		"pct":   func(c report.Cents, hundredths int) report.Cents { return (c*report.Cents(hundredths) + 5000) / 10000 },
		"minus": func(a, b report.Cents) report.Cents { return a - b },
		"upper": strings.ToUpper,
		"line":  func(parts ...any) string { return columns(parts) },
	}
}

// place formats the city, the state and the ZIP code of the employee.
func (p *filler) place() string {
	p.say("employee_city", p.upper(p.City))
	p.say("employee_state", p.State)
	p.say("employee_zip", p.ZIP)
	if p.set["address"] == "upper" {
		return p.upper(p.City) + " " + p.State + " " + p.ZIP
	}
	return p.City + ", " + p.State + " " + p.ZIP
}

// pays returns the text for the pay frequency.
func (p *filler) pays(weekly, biweekly, semi, monthly string) string {
	p.truth["pay_frequency"] = p.Frequency
	return map[string]string{report.PayWeekly: weekly, report.PayBiweekly: biweekly,
		report.PaySemiMonthly: semi, report.PayMonthly: monthly}[p.Frequency]
}

func (p *filler) rate(l paystubtest.Line) string {
	if l.Rate == 0 {
		return ""
	}
	return l.Rate.String() + p.set["rate"]
}

// first formats a part of the first line: name, hours, cur or ytd.
func (p *filler) first(what string, l []paystubtest.Line) string {
	switch {
	case len(l) == 0:
		return ""
	case what == "name":
		return p.words[l[0].Item]
	case what == "hours":
		return p.hours(l[0])
	}
	return p.line(l[0], map[string]string{"cur": "current", "ytd": "ytd"}[what])
}

// total adds the amounts of the pay period, or of the year to date.
func total(lines []paystubtest.Line, year bool) (c report.Cents) {
	for _, l := range lines {
		if year {
			c += l.YTD
		} else {
			c += l.Current
		}
	}
	return c
}

// rowNumbers returns 0 to the length of the longest list less one.
func rowNumbers(lists ...[]paystubtest.Line) (out []int) {
	n := 0
	for _, l := range lists {
		n = max(n, len(l))
	}
	for i := range n {
		out = append(out, i)
	}
	return out
}

// columns places texts at columns, as a line printer does. parts alternates columns and
// texts; at a negative column the text ends.
func columns(parts []any) string {
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
