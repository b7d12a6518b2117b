// Package paystubtest makes pay stubs for tests: people with a year of wages, six designs
// of a stub as PDF files, the usual changes to genuine files in transit, and eight ways to
// falsify one. It knows the true values of each stub and nothing of how stubs are read;
// its words, figures and programs are separate. The caller provides the randomness, so
// that a test is reproducible.
package paystubtest

import (
	"time"

	"vestibule/internal/report"
)

// Draw returns a number from 0 to n-1, as math/rand's IntN.
type Draw func(n int) int

// pick returns one of several values.
func pick[T any](d Draw, of ...T) T { return of[d(len(of))] }

// Item is the subject of a line of a stub.
type Item int

// The items, earnings first.
const (
	Regular Item = iota
	Overtime
	Bonus
	Commission
	PaidTimeOff
	Vacation
	FederalTax
	StateTax
	SocialSecurity
	Medicare
	FICA // Social Security and Medicare in one line
	Pension
	Health
	PaidTimeOffTaken
	VacationTaken
)

// Line is a line of earnings or deductions.
type Line struct {
	Item         Item
	Hours        report.Cents // hundredths of an hour; 0 if none are shown
	Rate         report.Cents // per hour
	Current, YTD report.Cents
}

// Stub holds the true values of a pay stub.
type Stub struct {
	Employee, Line1, Line2, City, State, ZIP                          string
	Employer, EmployerLine1, EmployerCity, EmployerState, EmployerZIP string
	Provider                                                          string // may be empty
	Frequency                                                         string
	Start, End, Pay, Hire                                             report.Date
	Earnings, Deductions                                              []Line
	Gross, GrossYTD, Net, NetYTD                                      report.Cents
}

// Line returns an item's line, or nil.
func (s *Stub) Line(i Item) *Line {
	for _, lines := range [][]Line{s.Earnings, s.Deductions} {
		for k := range lines {
			if lines[k].Item == i {
				return &lines[k]
			}
		}
	}
	return nil
}

// clone returns a copy that shares no lines.
func (s Stub) clone() Stub {
	s.Earnings = append([]Line{}, s.Earnings...)
	s.Deductions = append([]Line{}, s.Deductions...)
	return s
}

// wageBases holds the maximum wages subject to Social Security, by year.
var wageBases = map[int]report.Cents{2024: 168_600_00, 2025: 176_100_00, 2026: 184_500_00}

// percent returns a share of c, rounded half up. rate is in hundredths of a percent.
func percent(c report.Cents, rate int) report.Cents {
	return (c*report.Cents(rate) + 5_000) / 10_000
}

// Year makes n consecutive stubs of one person in one year.
func Year(d Draw, n int) []Stub {
	base := person(d)
	year := 2024 + d(3)
	periods := map[string]int{report.PayWeekly: 52, report.PayBiweekly: 26, report.PaySemiMonthly: 24, report.PayMonthly: 12}[base.Frequency]
	from := d(max(1, periods-n))
	salary := report.Cents(2_600_000 + d(20_000_000))
	if d(12) == 0 {
		salary += 14_000_000
	}
	w := wages{
		base: base, hourly: d(2) == 0, perPeriod: salary / report.Cents(periods),
		federal: 600 + d(1400), state: pick(d, 0, 0, 210, 305, 425, 495),
		pension: pick(d, 0, 0, 300, 500, 600), health: pick[report.Cents](d, 0, 4_250, 7_791, 12_360), combined: d(7) == 0,
		overtime: d(3) == 0, bonus: d(4) == 0, commission: d(6) == 0, off: d(3) == 0, vacation: d(4) == 0, taken: d(8) == 0, year: year,
	}
	w.rate = w.perPeriod * report.Cents(periods) / 2080
	var before *Stub
	var out []Stub
	for k := range from + n {
		s := w.stub(d, k, before)
		before = &s
		if k >= from {
			out = append(out, s)
		}
	}
	return out
}

// Random makes one stub.
func Random(d Draw) Stub { return Year(d, 1)[0] }

// wages describes an employee's pay.
type wages struct {
	base                                       Stub
	hourly, combined                           bool
	overtime, bonus, commission, off, vacation bool
	taken                                      bool
	perPeriod, rate, health                    report.Cents
	federal, state, pension, year              int
}

// stub makes the stub of the year's period k, counted from 0.
func (w *wages) stub(d Draw, k int, before *Stub) Stub {
	s := w.base.clone()
	s.Start, s.End, s.Pay = period(s.Frequency, w.year, k)
	var earn, pay []Line
	add := func(to *[]Line, i Item, hours, rate, amount report.Cents) {
		*to = append(*to, Line{Item: i, Hours: hours, Rate: rate, Current: amount})
	}
	times := func(hours, rate report.Cents) report.Cents { return (hours*rate + 50) / 100 }
	if w.hourly {
		full := map[string]report.Cents{report.PayWeekly: 40_00, report.PayBiweekly: 80_00,
			report.PaySemiMonthly: 86_67, report.PayMonthly: 173_33}[s.Frequency]
		hours := full - report.Cents(d(9)*25)
		add(&earn, Regular, hours, w.rate, times(hours, w.rate))
		if w.overtime {
			hours, rate := report.Cents(d(40)*25), w.rate*3/2
			add(&earn, Overtime, hours, rate, times(hours, rate))
		}
		if w.off {
			hours := report.Cents(d(3) * 4_00)
			add(&earn, PaidTimeOff, hours, w.rate, times(hours, w.rate))
		}
	} else {
		add(&earn, Regular, 0, 0, w.perPeriod)
	}
	if w.vacation {
		hours := report.Cents(d(3) * 8_00)
		add(&earn, Vacation, hours, w.rate, times(hours, w.rate))
	}
	if w.bonus {
		add(&earn, Bonus, 0, 0, report.Cents(d(4)/3*(50_000+d(90_000))))
	}
	if w.commission {
		add(&earn, Commission, 0, 0, report.Cents(d(120_000)))
	}
	for i := range earn {
		s.Gross += earn[i].Current
	}
	pretax := w.health
	wagesYTD := report.Cents(0) // taxed wages before this period
	if before != nil {
		wagesYTD = before.GrossYTD - pretax*report.Cents(k)
	}
	taxed := s.Gross - pretax
	base := wageBases[w.year]
	social := percent(min(taxed, max(0, base-wagesYTD)), 620)
	medicare := percent(taxed, 145)
	if over := wagesYTD + taxed - 200_000_00; over > 0 {
		medicare += percent(min(over, taxed), 90)
	}
	add(&pay, FederalTax, 0, 0, percent(taxed, w.federal))
	if w.state > 0 {
		add(&pay, StateTax, 0, 0, percent(taxed, w.state))
	}
	if w.combined {
		add(&pay, FICA, 0, 0, social+medicare)
	} else {
		add(&pay, SocialSecurity, 0, 0, social)
		add(&pay, Medicare, 0, 0, medicare)
	}
	if w.pension > 0 {
		add(&pay, Pension, 0, 0, percent(s.Gross, w.pension))
	}
	if w.health > 0 {
		add(&pay, Health, 0, 0, w.health)
	}
	if w.taken {
		add(&pay, PaidTimeOffTaken+Item(w.year%2), 0, 0, report.Cents(2_500))
	}
	s.Net = s.Gross
	for i := range pay {
		s.Net -= pay[i].Current
	}
	s.Earnings, s.Deductions = earn, pay
	s.grow(before)
	return s
}

// grow computes the year to date.
func (s *Stub) grow(before *Stub) {
	s.GrossYTD, s.NetYTD = s.Gross, s.Net
	if before != nil {
		s.GrossYTD += before.GrossYTD
		s.NetYTD += before.NetYTD
	}
	for _, lines := range [][]Line{s.Earnings, s.Deductions} {
		for i := range lines {
			lines[i].YTD = lines[i].Current
			if before != nil {
				lines[i].YTD += before.Line(lines[i].Item).YTD
			}
		}
	}
}

// period returns the k-th pay period of a year, counted from 0, and its pay date.
func period(frequency string, year, k int) (from, to, pay report.Date) {
	day := func(m, d int) report.Date {
		return report.Date{Time: time.Date(year, time.Month(m), d, 0, 0, 0, 0, time.UTC)}
	}
	plus := func(d report.Date, n int) report.Date { return report.Date{Time: d.AddDate(0, 0, n)} }
	switch frequency {
	case report.PayWeekly, report.PayBiweekly: // paid on Fridays, five days after the period's end
		n := 7
		if frequency == report.PayBiweekly {
			n = 14
		}
		friday := plus(day(1, 1), (12-int(day(1, 1).Weekday()))%7)
		pay = plus(friday, k*n)
		return plus(pay, -5-n+1), plus(pay, -5), pay
	case report.PaySemiMonthly:
		if k%2 == 0 {
			return day(k/2+1, 1), day(k/2+1, 15), day(k/2+1, 15)
		}
		return day(k/2+1, 16), day(k/2+2, 0), day(k/2+2, 0)
	}
	return day(k+1, 1), day(k+2, 0), day(k+2, 0)
}
