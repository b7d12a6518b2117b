package paystub

import (
	"time"

	"vestibule/internal/report"
)

// checks returns the contract's fourteen consistency checks. A comparison is null if one of
// its values is missing, and the validity of a date is null if the stub shows none. The
// other checks are never null.
func (d *Document) checks() map[string]report.ConsistencyCheck {
	f, p := &d.fields, &d.Stub
	out := map[string]report.ConsistencyCheck{}
	say := func(name string, v bool) { out[name] = report.ConsistencyCheck{Value: &v} }
	compare := func(name string, known bool, v func() bool) {
		out[name] = report.ConsistencyCheck{}
		if known {
			say(name, v())
		}
	}
	compare("START_DATE_BEFORE_END_DATE", f.start.valid && f.end.valid, func() bool { return f.start.date.Before(f.end.date.Time) })
	compare("GROSS_PAY_YTD_GREATER_THAN_OR_EQUAL_TO_GROSS_PAY_CURRENT", p.GrossTotal != nil && p.GrossTotalYTD != nil,
		func() bool { return *p.GrossTotalYTD >= *p.GrossTotal })
	compare("NET_PAY_LESS_THAN_OR_EQUAL_TO_GROSS_PAY", p.GrossTotal != nil && p.NetTotal != nil,
		func() bool { return *p.NetTotal <= *p.GrossTotal })
	parts, any := components(p)
	compare("COMPONENT_EARNINGS_LESS_THAN_OR_EQUAL_TO_TOTAL_GROSS_PAY", p.GrossTotal != nil && any,
		func() bool { return parts <= *p.GrossTotal })
	say("EMPLOYEE_NAME_EXISTS", f.employee != "")
	say("EMPLOYER_NAME_EXISTS", f.employer != "")
	for _, x := range []struct {
		name string
		when *when
	}{{"START_DATE", &f.start}, {"END_DATE", &f.end}, {"PAY_DATE", &f.pay}} {
		say(x.name+"_EXISTS", x.when.shown)
		compare(x.name+"_IS_VALID_DATE", x.when.shown, func() bool { return x.when.valid })
	}
	say("GROSS_TOTAL_EARNINGS_AMOUNT_CURRENT_EXISTS", p.GrossTotal != nil)
	say("NET_TOTAL_EARNINGS_AMOUNT_CURRENT_EXISTS", p.NetTotal != nil)
	return out
}

// periodsOf has the number of a frequency's periods in a year.
var periodsOf = map[string]report.Cents{report.PayWeekly: 52, report.PayBiweekly: 26, report.PaySemiMonthly: 24, report.PayMonthly: 12}

// insights sets the projected income of a year: the period's income times the number of
// periods or, without a frequency, the year to date projected to the whole year.
func (d *Document) insights() {
	p := &d.Stub
	whole := func(c *report.Cents, year func(report.Cents) report.Cents) *report.Cents {
		if c == nil || *c < 0 {
			return nil
		}
		v := year(*c)
		return &v
	}
	if n := periodsOf[d.fields.frequency]; n > 0 {
		times := func(c report.Cents) report.Cents { return c * n }
		p.Insights = report.PaystubInsights{AnnualGross: whole(p.GrossTotal, times), AnnualNet: whole(p.NetTotal, times)}
	} else if days, all := d.daysToDate(); days >= minDays {
		project := func(c report.Cents) report.Cents { return (c*2*all + days) / (2 * days) }
		p.Insights = report.PaystubInsights{AnnualGross: whole(p.GrossTotalYTD, project), AnnualNet: whole(p.NetTotalYTD, project)}
	}
}

// minDays is the minimum number of days in a year to date that is projected.
const minDays = 28

// daysToDate returns the days of the year to date and of the pay date's whole year. They
// begin on January 1 or a hire date in the year, and end with the period or the year. There
// are none if the period ended before the year, or if neither date is known.
func (d *Document) daysToDate() (days, all report.Cents) {
	end, pay := d.fields.end, d.fields.pay
	switch {
	case !end.valid && !pay.valid:
		return 0, 0
	case !end.valid:
		end = pay
	case !pay.valid:
		pay = end
	}
	from := time.Date(pay.date.Year(), time.January, 1, 0, 0, 0, 0, time.UTC)
	until := from.AddDate(1, 0, 0)
	all = between(from, until)
	if next := end.date.AddDate(0, 0, 1); next.Before(until) {
		until = next
	}
	if h := d.fields.hire; h.valid && h.date.After(from) && h.date.Before(end.date.Time) {
		from = h.date.Time
	}
	return between(from, until), all
}

// between returns the number of days from one day to another.
func between(from, until time.Time) report.Cents {
	return report.Cents(until.Sub(from) / (24 * time.Hour))
}

// components returns the sum of the period's earnings that have separate fields.
func components(p *report.Paystub) (sum report.Cents, any bool) {
	for _, c := range []*report.Cents{p.RegularPay, p.Bonus, p.Overtime, p.Commission, p.PaidTimeOff, p.Vacation} {
		if c != nil {
			sum, any = sum+*c, true
		}
	}
	return sum, any
}
