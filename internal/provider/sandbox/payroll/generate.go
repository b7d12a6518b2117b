package payroll

import (
	"hash/fnv"
	"slices"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/report"
)

// fetch returns the job as the provider has it on a day.
func (j job) fetch(profile, recordID string, fetch report.Date) income.Job {
	hired := monthStart(fetch, j.Hired)
	out := income.Job{
		RecordID: recordID, Employer: j.Employer, Address: j.Address, Type: j.Kind, Title: j.Title, Hired: &hired,
		Status: report.EmploymentActive, Rate: j.Rate, RatePer: j.Per, Frequency: j.Frequency, Deposits: j.Deposits,
	}
	if j.Employer == "" { // the provider leaves out what matters
		out.Hired, out.Status = nil, ""
	}
	last := fetch
	if j.Ended > 0 {
		last = report.Date{Time: monthStart(fetch, j.Ended-1).AddDate(0, 0, -1)}
		out.Ended, out.Status = &last, report.EmploymentTerminated
	}
	// Year-to-date sums need the whole year in which the 12 months begin.
	oldest := bankdata.MonthsBefore(fetch, 12)
	year, gross, net := 0, report.Cents(0), report.Cents(0)
	for _, p := range paydays(j.Frequency, time.Date(oldest.Year(), 1, 1, 0, 0, 0, 0, time.UTC), fetch.Time) {
		days, worked := p.days(), p.daysWorked(hired, last)
		if worked == 0 {
			continue
		}
		s := j.statement(profile, p, days, worked)
		if y := p.pay.Year(); y != year {
			year, gross, net = y, 0, 0
		}
		gross, net = gross+s.Gross, net+s.Net
		s.GrossYTD, s.NetYTD = gross, net
		if s.PayDate.After(oldest.Time) {
			out.Statements = append(out.Statements, s)
		}
	}
	slices.Reverse(out.Statements)
	return out
}

// statement returns the pay statement of a period of so many days, of which so many
// were worked.
func (j job) statement(profile string, p payday, days, worked int64) income.Statement {
	s := income.Statement{PayDate: report.Date{Time: p.pay}, Start: report.Date{Time: p.start}, End: report.Date{Time: p.end}}
	draw := numbers(profile + j.Title + s.PayDate.String())
	periods := perYear[j.Frequency]
	weeks := max(int64(days/7), 1)
	if j.Hours[1] > 0 {
		for range weeks {
			s.Hours += draw.between(j.Hours)*100 + draw.below(4)*25
		}
		s.Hours = s.Hours * worked / days
	}
	if j.Gigs[1] > 0 {
		return j.gig(s, draw, worked, days)
	}
	switch j.Per {
	case income.PerHour:
		over := max(s.Hours-weeks*4000, 0)
		s.Gross = report.Cents((int64(j.Rate)*(2*s.Hours+over) + 100) / 200) // half as much again over 40 hours
	case income.PerMonth:
		s.Gross = report.Cents(int64(j.Rate) * 12 / periods * worked / days)
	default:
		s.Gross = report.Cents(int64(j.Rate) / periods * worked / days)
	}
	year := p.pay.Year()
	s.Net = income.Net(year, j.State, s.Gross*report.Cents(periods)) / report.Cents(periods)
	if j.Kind == report.EmploymentBenefit {
		s.Net = s.Gross // nothing is withheld
	}
	if j.Bonus > 0 && p.pay.Month() == time.December && p.pay.Day() > 15 {
		bonus := j.Rate * report.Cents(j.Bonus) / 100
		s.Net += income.Net(year, j.State, j.Rate+bonus) - income.Net(year, j.State, j.Rate)
		s.Gross += bonus
	}
	return s
}

// gig returns a week on a platform, which withholds no taxes.
func (j job) gig(s income.Statement, draw *draws, worked, days int64) income.Statement {
	g := income.Gig{Count: int(draw.between(j.Gigs) * worked / days)}
	var fares report.Cents
	for range g.Count {
		fares += j.Fare*6/10 + report.Cents(draw.below(int64(j.Fare)*8/10))
		if draw.below(3) == 0 {
			g.Tips += 1_00 + report.Cents(draw.below(8))*1_00
		}
	}
	if g.Count >= 60 {
		g.Bonuses = 45_00
	}
	g.Fees = fares * 24 / 100
	s.Gross = fares + g.Tips + g.Bonuses
	s.Net = s.Gross - g.Fees
	s.Gig = &g
	return s
}

// perYear is the number of pay periods a year.
var perYear = map[string]int64{report.PayWeekly: 52, report.PayBiweekly: 26, report.PaySemiMonthly: 24, report.PayMonthly: 12}

// payday is a pay period with its payment date.
type payday struct{ start, end, pay time.Time }

func (p payday) days() int64 { return between(p.start, p.end) }

// daysWorked returns how many days of the period are within the job.
func (p payday) daysWorked(hired, last report.Date) int64 {
	from, to := p.start, p.end
	if hired.After(from) {
		from = hired.Time
	}
	if last.Before(to) {
		to = last.Time
	}
	return max(between(from, to), 0)
}

// between counts the days from one day to another, inclusive.
func between(from, to time.Time) int64 { return int64(to.Sub(from)/(24*time.Hour)) + 1 }

// paydays returns the paydays of a frequency between two days, oldest first. Weeks
// begin on Monday and are paid on the following Friday; half months five days after
// their end; months on their last day.
func paydays(frequency string, from, to time.Time) []payday {
	var out []payday
	add := func(start, end, pay time.Time) {
		if !pay.Before(from) && !pay.After(to) {
			out = append(out, payday{start, end, pay})
		}
	}
	switch frequency {
	case report.PayWeekly, report.PayBiweekly:
		step := 7
		if frequency == report.PayBiweekly {
			step = 14
		}
		// The Monday from which weeks are counted.
		monday := time.Date(2018, 1, 1, 0, 0, 0, 0, time.UTC)
		skip := max(int(from.Sub(monday)/(24*time.Hour))/step-2, 0)
		for start := monday.AddDate(0, 0, skip*step); !start.After(to); start = start.AddDate(0, 0, step) {
			end := start.AddDate(0, 0, step-1)
			add(start, end, end.AddDate(0, 0, 5))
		}
	default:
		for month := time.Date(from.Year(), from.Month()-1, 1, 0, 0, 0, 0, time.UTC); !month.After(to); month = month.AddDate(0, 1, 0) {
			end := month.AddDate(0, 1, -1)
			if frequency == report.PayMonthly {
				add(month, end, end)
				continue
			}
			half := month.AddDate(0, 0, 14)
			add(month, half, half.AddDate(0, 0, 5))
			add(half.AddDate(0, 0, 1), end, end.AddDate(0, 0, 5))
		}
	}
	return out
}

// monthStart returns the first day of the month so many months before the fetch
// date's.
func monthStart(fetch report.Date, months int) report.Date {
	return report.Date{Time: time.Date(fetch.Year(), fetch.Month()-time.Month(months), 1, 0, 0, 0, 0, time.UTC)}
}

// draws is a pseudorandom sequence seeded by a text.
type draws struct{ state uint64 }

func numbers(text string) *draws {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return &draws{h.Sum64()}
}

// below returns the next number, from 0 to n-1.
func (d *draws) below(n int64) int64 {
	d.state += 0x9e3779b97f4a7c15
	x := d.state
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int64((x ^ x>>31) % uint64(n))
}

func (d *draws) between(span [2]int) int64 { return int64(span[0]) + d.below(int64(span[1]-span[0]+1)) }
