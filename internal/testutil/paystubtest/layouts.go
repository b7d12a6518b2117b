package paystubtest

import (
	"fmt"
	"strings"

	"vestibule/internal/report"
)

// Layout is a design of a stub.
type Layout struct {
	Name   string
	Family string // font; "" for an embedded one with letters of many scripts
	draw   func(c *canvas, s *Stub)
	words  map[Item]string
}

// Layouts returns the designs, which differ in words and positions.
func Layouts() []Layout {
	return []Layout{
		{"register", "Helvetica", register, map[Item]string{Regular: "Regular", Overtime: "Overtime", Bonus: "Bonus",
			Commission: "Commission", PaidTimeOff: "PTO", Vacation: "Vacation",
			FederalTax: "Federal Income Tax", StateTax: "State Income Tax", SocialSecurity: "Social Security", Medicare: "Medicare",
			FICA: "FICA", Pension: "401(k)", Health: "Medical", PaidTimeOffTaken: "PTO Advance", VacationTaken: "Vacation Buy"}},
		{"blocks", "Helvetica", blocks, map[Item]string{Regular: "Regular Pay", Overtime: "Overtime Pay", Bonus: "Bonus Pay",
			Commission: "Commissions", PaidTimeOff: "Paid Time Off", Vacation: "Vacation Pay",
			FederalTax: "Fed Withholding", StateTax: "State Withholding", SocialSecurity: "Fed OASDI/EE", Medicare: "Fed MED/EE",
			FICA: "FICA Tax", Pension: "401K Pre-tax", Health: "Health Insurance", PaidTimeOffTaken: "Paid Time Off", VacationTaken: "Vacation"}},
		{"boxes", "Times", boxes, map[Item]string{Regular: "REGULAR EARNINGS", Overtime: "OVERTIME 1.5X", Bonus: "BONUS",
			Commission: "SALES COMMISSION", PaidTimeOff: "PAID TIME OFF", Vacation: "VACATION HOURS",
			FederalTax: "FEDERAL W/H", StateTax: "STATE W/H", SocialSecurity: "SOC SEC EE", Medicare: "MEDICARE EE",
			FICA: "FICA EE", Pension: "RETIREMENT", Health: "HEALTH PLAN", PaidTimeOffTaken: "PTO", VacationTaken: "VACATION"}},
		{"statement", "Courier", statement, map[Item]string{Regular: "Hourly", Overtime: "OT", Bonus: "Bonus",
			Commission: "Commission", PaidTimeOff: "PTO Pay", Vacation: "Vacation",
			FederalTax: "Fed Tax", StateTax: "State Tax", SocialSecurity: "SS Tax", Medicare: "Medicare Tax", FICA: "FICA",
			Pension: "Pension", Health: "Medical Ins", PaidTimeOffTaken: "PTO Deduction", VacationTaken: "Vacation Deduction"}},
		{"yearfirst", "Times", yearFirst, map[Item]string{Regular: "Salary", Overtime: "Overtime Premium",
			Bonus: "Discretionary Bonus", Commission: "Commission Earnings", PaidTimeOff: "Personal Time Off", Vacation: "Vacation Earnings",
			FederalTax: "Federal Withholding Tax", StateTax: "State Withholding Tax", SocialSecurity: "Employee Social Security Tax",
			Medicare: "Employee Medicare", FICA: "FICA Taxes", Pension: "Retirement Savings Plan", Health: "Dental & Medical",
			PaidTimeOffTaken: "PTO Used in Advance", VacationTaken: "Vacation Purchase"}},
		{"modern", "", modern, map[Item]string{Regular: "Regular hours", Overtime: "Overtime hours", Bonus: "Bonus",
			Commission: "Commission", PaidTimeOff: "Paid time off", Vacation: "Vacation hours",
			FederalTax: "Federal income tax", StateTax: "State income tax", SocialSecurity: "Social Security tax",
			Medicare: "Medicare tax", FICA: "FICA tax", Pension: "401(k) contribution", Health: "Medical insurance",
			PaidTimeOffTaken: "Paid time off advance", VacationTaken: "Vacation purchase"}},
	}
}

func slashed(d report.Date) string { return d.Format("01/02/2006") }
func short(d report.Date) string   { return d.Format("1/2/06") }
func spelled(d report.Date) string { return d.Format("Jan 2, 2006") }
func iso(d report.Date) string     { return d.String() }

// place returns the last line of an address.
func place(city, state, zip string) string { return city + ", " + state + " " + zip }

// address returns the lines of the employee's name and address.
func (s *Stub) address() []string {
	lines := []string{s.Employee, s.Line1}
	if s.Line2 != "" {
		lines = append(lines, s.Line2)
	}
	return append(lines, place(s.City, s.State, s.ZIP))
}

func (s *Stub) employer() []string {
	return []string{s.Employer, s.EmployerLine1, place(s.EmployerCity, s.EmployerState, s.EmployerZIP)}
}

func rhythm(f string) string {
	return map[string]string{report.PayWeekly: "Weekly", report.PayBiweekly: "Bi-weekly",
		report.PaySemiMonthly: "Semi-monthly", report.PayMonthly: "Monthly"}[f]
}

func sum(lines []Line, of func(Line) report.Cents) (c report.Cents) {
	for _, l := range lines {
		c += of(l)
	}
	return c
}

func current(l Line) report.Cents { return l.Current }
func ytd(l Line) report.Cents     { return l.YTD }

// register draws one table with columns, from top to bottom.
func register(c *canvas, s *Stub) {
	c.font("B", 14)
	c.left(40, 50, s.Employer)
	c.font("", 9)
	c.lines(40, 64, 11, s.employer()[1:]...)
	c.font("B", 16)
	c.right(572, 50, "Earnings Statement")
	c.font("", 9)
	for i, kv := range [][2]string{{"Pay Period:", slashed(s.Start) + " - " + slashed(s.End)}, {"Pay Date:", slashed(s.Pay)},
		{"Hire Date:", slashed(s.Hire)}, {"Pay Frequency:", rhythm(s.Frequency)}} {
		c.left(380, 72+12*float64(i), kv[0])
		c.left(460, 72+12*float64(i), kv[1])
	}
	c.left(40, 120, "Employee:")
	c.lines(100, 120, 11, s.address()...)
	y := 190.0
	c.band(40, y-10, 532, 14, 225)
	c.font("B", 9)
	c.left(44, y, "Earnings")
	for i, h := range []string{"Hours", "Rate", "Current", "YTD"} {
		c.right([]float64{280, 350, 460, 568}[i], y, h)
	}
	c.font("", 9)
	row := func(label string, l Line) {
		y += 14
		c.left(44, y, label)
		if l.Hours > 0 {
			c.right(280, y, money(l.Hours))
			c.right(350, y, money(l.Rate))
		}
		c.right(460, y, money(l.Current))
		c.right(568, y, money(l.YTD))
	}
	total := func(label string, a, b report.Cents) {
		c.font("B", 9)
		row(label, Line{Current: a, YTD: b})
		c.font("", 9)
	}
	for _, l := range s.Earnings {
		row(c.word(l.Item), l)
	}
	total("Gross Pay", s.Gross, s.GrossYTD)
	y += 24
	c.band(40, y-10, 532, 14, 225)
	c.font("B", 9)
	c.left(44, y, "Taxes & Deductions")
	c.right(460, y, "Current")
	c.right(568, y, "YTD")
	c.font("", 9)
	for _, l := range s.Deductions {
		row(c.word(l.Item), l)
	}
	total("Total Deductions", sum(s.Deductions, current), sum(s.Deductions, ytd))
	y += 10
	total("Net Pay", s.Net, s.NetYTD)
	c.provider(40, 740, "Payroll by ", s.Provider)
}

// blocks draws earnings and deductions side by side, totals below, and a voucher that
// looks like a check.
func blocks(c *canvas, s *Stub) {
	c.font("", 9)
	c.left(40, 40, "Company:")
	c.left(90, 40, s.Employer)
	c.lines(90, 51, 11, s.employer()[1:]...)
	c.left(330, 40, "Employee Name")
	c.left(430, 40, s.Employee)
	c.left(330, 52, "Period Beginning")
	c.left(430, 52, slashed(s.Start))
	c.left(330, 64, "Period Ending")
	c.left(430, 64, slashed(s.End))
	c.left(330, 76, "Check Date")
	c.left(430, 76, slashed(s.Pay))
	c.left(330, 88, "Original Hire Date")
	c.left(430, 88, slashed(s.Hire))
	c.frame(36, 120, 270, 200)
	c.frame(312, 120, 264, 200)
	c.font("B", 8)
	c.left(40, 132, "EARNINGS")
	for i, h := range []string{"HOURS", "CURRENT", "YTD"} {
		c.right([]float64{160, 230, 300}[i], 132, h)
	}
	c.left(316, 132, "DEDUCTIONS")
	c.right(490, 132, "CURRENT")
	c.right(570, 132, "YTD")
	c.font("", 8)
	for i := range max(len(s.Earnings), len(s.Deductions)) {
		y := 146 + 12*float64(i)
		if i < len(s.Earnings) {
			l := s.Earnings[i]
			c.left(40, y, c.word(l.Item))
			if l.Hours > 0 {
				c.right(160, y, money(l.Hours))
			}
			c.right(230, y, money(l.Current))
			c.right(300, y, money(l.YTD))
		}
		if i < len(s.Deductions) {
			l := s.Deductions[i]
			c.left(316, y, c.word(l.Item))
			c.right(490, y, money(l.Current))
			c.right(570, y, money(l.YTD))
		}
	}
	c.font("B", 8)
	for i, h := range []string{"GROSS PAY", "TOTAL DEDUCTIONS", "NET PAY"} {
		c.right(240+140*float64(i), 340, h)
	}
	c.left(40, 354, "Current")
	c.left(40, 366, "Year to Date")
	c.font("", 8)
	for i, v := range [][2]report.Cents{{s.Gross, s.GrossYTD}, {sum(s.Deductions, current), sum(s.Deductions, ytd)}, {s.Net, s.NetYTD}} {
		c.right(240+140*float64(i), 354, money(v[0]))
		c.right(240+140*float64(i), 366, money(v[1]))
	}
	c.font("", 9)
	c.left(60, 600, "Pay to the order of")
	c.lines(60, 616, 12, s.address()...)
	c.left(420, 600, "Amount")
	c.left(470, 600, "$"+money(s.Net))
	c.left(60, 690, "NON-NEGOTIABLE")
	c.provider(40, 760, "Processed by ", s.Provider)
}

// boxes draws labels over values in a grid.
func boxes(c *canvas, s *Stub) {
	c.font("B", 13)
	c.left(36, 44, s.Employer)
	cell := func(x, y, w float64, label string, values ...string) {
		c.frame(x, y, w, 16+11*float64(len(values)))
		c.font("", 7)
		c.left(x+4, y+9, label)
		c.font("", 10)
		c.lines(x+4, y+21, 11, values...)
	}
	cell(36, 60, 200, "EMPLOYEE NAME AND ADDRESS", s.address()...)
	cell(250, 60, 105, "PERIOD START", iso(s.Start))
	cell(355, 60, 105, "PERIOD END", iso(s.End))
	cell(460, 60, 110, "PAY DATE", iso(s.Pay))
	cell(250, 92, 105, "DATE OF HIRE", iso(s.Hire))
	cell(355, 92, 105, "PAY SCHEDULE", rhythm(s.Frequency))
	if s.Provider != "" {
		cell(460, 92, 110, "PAYROLL PROVIDER", s.Provider)
	}
	cell(36, 140, 133, "GROSS PAY", "$"+money(s.Gross))
	cell(169, 140, 133, "GROSS PAY YTD", "$"+money(s.GrossYTD))
	cell(302, 140, 133, "NET PAY", "$"+money(s.Net))
	cell(435, 140, 135, "NET PAY YTD", "$"+money(s.NetYTD))
	y := 200.0
	table := func(title string, lines []Line) {
		c.font("B", 9)
		c.left(40, y, title)
		c.right(420, y, "THIS PERIOD")
		c.right(566, y, "YEAR TO DATE")
		c.font("", 10)
		for _, l := range lines {
			y += 15
			c.left(40, y, c.word(l.Item))
			c.right(420, y, money(l.Current))
			c.right(566, y, money(l.YTD))
		}
		y += 30
	}
	table("EARNINGS", s.Earnings)
	table("DEDUCTIONS", s.Deductions)
}

// statement draws in a monospaced font, with hours and rates, and dots before the amounts.
func statement(c *canvas, s *Stub) {
	c.font("", 9)
	y := 48.0
	say := func(text string) { c.left(36, y, text); y += 11 }
	for _, t := range s.employer() {
		say(t)
	}
	y += 11
	say("STATEMENT OF EARNINGS AND DEDUCTIONS")
	say(fmt.Sprintf("%-16s %s", "Name:", s.Employee))
	for i, t := range s.address()[1:] {
		say(fmt.Sprintf("%-16s %s", map[int]string{0: "Address:"}[i], t))
	}
	say(fmt.Sprintf("%-16s %s to %s", "Pay Period:", short(s.Start), short(s.End)))
	say(fmt.Sprintf("%-16s %s", "Date Paid:", short(s.Pay)))
	say(fmt.Sprintf("%-16s %s", "Start Date:", short(s.Hire)))
	y += 11
	row := func(a, b, d, e, f string) { say(fmt.Sprintf("%-24s %9s %9s %14s %15s", a, b, d, e, f)) }
	row("Earnings", "Hours", "Rate", "This Check", "Year-to-Date")
	for _, l := range s.Earnings {
		h, r := "", ""
		if l.Hours > 0 {
			h, r = money(l.Hours), money(l.Rate)+"00"
		}
		row(c.word(l.Item), h, r, money(l.Current), money(l.YTD))
	}
	dotted := func(label string, a, b report.Cents) {
		say(fmt.Sprintf("%-44s %14s %15s", label+" "+strings.Repeat(".", 42-len(label)), money(a), money(b)))
	}
	dotted("Total Gross", s.Gross, s.GrossYTD)
	y += 11
	row("Deductions", "", "", "This Check", "Year-to-Date")
	for _, l := range s.Deductions {
		row(c.word(l.Item), "", "", money(l.Current), money(l.YTD))
	}
	y += 11
	dotted("Total Net Pay", s.Net, s.NetYTD)
	if s.Provider != "" {
		say("Prepared by " + s.Provider)
	}
}

// yearFirst draws the year to date before the period.
func yearFirst(c *canvas, s *Stub) {
	c.font("B", 12)
	c.left(54, 54, s.Employer)
	c.font("", 10)
	c.lines(54, 67, 12, s.employer()[1:]...)
	c.left(330, 54, "For the period "+spelled(s.Start)+" through "+spelled(s.End))
	c.left(330, 67, "Payment date "+spelled(s.Pay))
	c.left(330, 80, "Hired on "+spelled(s.Hire))
	c.left(330, 93, "Paid "+strings.ToLower(rhythm(s.Frequency)))
	c.lines(54, 130, 12, s.address()...)
	y := 210.0
	head := func(title string) {
		c.font("I", 10)
		c.left(54, y, title)
		c.right(400, y, "Year to date")
		c.right(540, y, "This period")
		c.rule(54, y+4, 540)
		c.font("", 10)
	}
	row := func(label string, a, b report.Cents) {
		y += 14
		c.left(60, y, label)
		c.right(400, y, money(b))
		c.right(540, y, money(a))
	}
	head("Earnings")
	for _, l := range s.Earnings {
		row(c.word(l.Item), l.Current, l.YTD)
	}
	row("Total earnings", s.Gross, s.GrossYTD)
	y += 26
	head("Withholdings and deductions")
	for _, l := range s.Deductions {
		row(c.word(l.Item), l.Current, l.YTD)
	}
	row("Total withholdings", sum(s.Deductions, current), sum(s.Deductions, ytd))
	y += 12
	c.font("B", 11)
	row("Net amount paid", s.Net, s.NetYTD)
	c.font("", 10)
	c.provider(54, 730, "Payroll services provided by ", s.Provider)
}

// modern draws a web page's style: bands with white text, amounts with a dollar sign,
// letters of any script.
func modern(c *canvas, s *Stub) {
	c.band(0, 0, 612, 60, 40)
	c.font("", 16)
	c.white(true)
	c.left(36, 38, "Paystub")
	c.font("", 9)
	c.right(576, 38, spelled(s.Pay))
	c.white(false)
	c.left(36, 84, "Employer")
	c.lines(36, 97, 12, s.employer()...)
	c.left(230, 84, "Employee")
	c.lines(230, 97, 12, s.address()...)
	c.left(430, 84, "Pay period")
	c.left(430, 97, spelled(s.Start)+" – "+spelled(s.End))
	c.left(430, 115, "Pay day: "+spelled(s.Pay))
	c.left(430, 128, "Hire date: "+spelled(s.Hire))
	c.left(430, 141, "Pay type: "+rhythm(s.Frequency))
	y := 180.0
	head := func(title string) {
		c.band(36, y-11, 540, 16, 235)
		c.left(42, y, title)
		c.right(460, y, "Current")
		c.right(570, y, "Year to date")
	}
	row := func(label string, a, b report.Cents) {
		y += 16
		c.left(42, y, label)
		c.right(460, y, "$"+money(a))
		c.right(570, y, "$"+money(b))
	}
	head("Employee Gross Earnings")
	for _, l := range s.Earnings {
		row(c.word(l.Item), l.Current, l.YTD)
	}
	y += 26
	head("Employee Taxes and Deductions")
	for _, l := range s.Deductions {
		row(c.word(l.Item), l.Current, l.YTD)
	}
	y += 26
	head("Summary")
	row("Gross earnings", s.Gross, s.GrossYTD)
	row("Taxes and deductions", sum(s.Deductions, current), sum(s.Deductions, ytd))
	row("Net pay", s.Net, s.NetYTD)
	c.provider(36, 750, "Powered by ", s.Provider)
}
