package eligibility

import (
	"slices"
	"strconv"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// Connected is a payroll connection, successful or not.
type Connected struct {
	Payroll   income.Payroll     `json:"payroll"`
	Employer  string             `json:"employer,omitempty"` // the stated one; "" to match the names of its employers
	Status    contract.Status    `json:"status,omitempty"`   // default SUCCESS
	Substatus contract.Substatus `json:"substatus,omitempty"`
}

// sourceStatus returns the connection's status as a source: ERROR with
// INCOMPLETE_INFORMATION if it does not name an employer.
func (c *Connected) sourceStatus() (contract.Status, contract.Substatus) {
	switch {
	case c.Status != "" && c.Status != contract.StatusSuccess:
		return c.Status, c.Substatus
	case len(c.jobs()) == 0:
		return contract.StatusError, contract.SubIncomplete
	}
	return contract.StatusSuccess, ""
}

func (c *Connected) successful() bool {
	status, _ := c.sourceStatus()
	return status == contract.StatusSuccess
}

// jobs lists the jobs that have enough data for the report.
func (c *Connected) jobs() []*income.Job {
	var out []*income.Job
	for i := range c.Payroll.Jobs {
		if j := &c.Payroll.Jobs[i]; j.Employer != "" {
			out = append(out, j)
		}
	}
	return out
}

// income returns the report's income: an item for each job of the successful connections.
func (in *Input) income(fetch report.Date) *report.EligibilityIncome {
	var out []report.EligibilityPayroll
	for i := range in.Payroll {
		c := &in.Payroll[i]
		if !c.successful() {
			continue
		}
		for _, j := range c.jobs() {
			out = append(out, item(&c.Payroll, j, fetch))
		}
	}
	if out == nil {
		return nil
	}
	return &report.EligibilityIncome{Payroll: out}
}

func item(p *income.Payroll, j *income.Job, fetch report.Date) report.EligibilityPayroll {
	out := report.EligibilityPayroll{
		SourceID:     p.SourceID,
		SourceUUID:   p.ID,
		ProviderName: contract.Null(p.Provider),
		ProviderType: contract.Null(p.Type),
		PayFrequency: contract.Null(j.Frequency),
		Statements:   []report.EligibilityStatement{},
	}
	if gross, net, ok := j.Year(fetch); ok {
		out.AnnualGross, out.AnnualNet = &gross, &net
	}
	paid := newest(j, fetch)
	for i := range paid {
		s := &paid[i]
		out.Statements = append(out.Statements, report.EligibilityStatement{
			PayDate: &s.PayDate, PayPeriodStart: &s.Start, PayPeriodEnd: &s.End, HoursWorked: hours(s.Hours),
			GrossTotal: &s.Gross, GrossTotalYTD: &s.GrossYTD, NetTotal: &s.Net, NetTotalYTD: &s.NetYTD,
		})
		// The first statement of a year in this order is the year's last, so its sums to date
		// are the year's.
		if year := strconv.Itoa(s.PayDate.Year()); len(out.Calendar) == 0 || out.Calendar[len(out.Calendar)-1].Year != year {
			out.Calendar = append(out.Calendar, report.CalendarYear{Year: year, Gross: &s.GrossYTD, Net: &s.NetYTD})
		}
	}
	gigs := *j
	gigs.Statements = slices.DeleteFunc(slices.Clone(paid), func(s income.Statement) bool { return s.Gig == nil })
	if gross, net, ok := gigs.Year(fetch); ok {
		out.GigsAnnualGross, out.GigsAnnualDeposited, out.GigsAnnualNet = &gross, new(net), &net
	}
	out.Gigs = summaries(p.Provider, gigs.Statements)
	return out
}

// newest returns the statements of the 12 months up to the fetch date, the latest first.
func newest(j *income.Job, fetch report.Date) []income.Statement {
	from := bankdata.MonthsBefore(fetch, 12)
	var out []income.Statement
	for _, s := range j.Statements {
		if s.PayDate.After(from.Time) && !s.PayDate.After(fetch.Time) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b income.Statement) int { return b.PayDate.Compare(a.PayDate.Time) })
	return out
}

// summaries adds up the gigs of each calendar month by pay date, the latest month first.
func summaries(platform string, paid []income.Statement) []report.GigSummary {
	out := []report.GigSummary{}
	month := func(d report.Date) int { return 12*d.Year() + int(d.Month()) }
	for i := range paid {
		s := &paid[i]
		if i == 0 || month(s.PayDate) != month(paid[i-1].PayDate) {
			end := s.End
			out = append(out, report.GigSummary{PlatformName: contract.Null(platform), PeriodEnd: &end, Count: new(int64),
				Gross: new(report.Cents), Tips: new(report.Cents), Bonuses: new(report.Cents), Fees: new(report.Cents), Deposited: new(report.Cents)})
		}
		g := &out[len(out)-1]
		start := s.Start
		g.PeriodStart = &start
		*g.Count += int64(s.Gig.Count)
		if worked := hours(s.Hours); worked != nil {
			if g.HoursWorked == nil {
				g.HoursWorked = new(report.Hours)
			}
			*g.HoursWorked += *worked
		}
		for _, c := range []struct {
			to *report.Cents
			of report.Cents
		}{{g.Gross, s.Gross}, {g.Tips, s.Gig.Tips}, {g.Bonuses, s.Gig.Bonuses}, {g.Fees, s.Gig.Fees}, {g.Deposited, s.Net}} {
			*c.to = clamp(*c.to + c.of)
		}
	}
	return out
}

// hours returns the hours, or nil if they were not counted.
func hours(hundredths int64) *report.Hours {
	if hundredths == 0 {
		return nil
	}
	return new(report.Hours(hundredths))
}

// most is the maximum amount of a report, ten trillion dollars. Sums are limited to it, so
// that none overflows.
const most report.Cents = 1_000_000_000_000_000

// clamp limits an amount to those of a report.
func clamp(c report.Cents) report.Cents { return max(-most, min(c, most)) }
