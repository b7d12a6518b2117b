package income

import (
	"slices"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// Payroll is the data of one payroll connection: the consumer's sign-in at an employer, a
// payroll company or a gig platform.
type Payroll struct {
	ID       string         `json:"id,omitempty"`       // UUID of the connection
	SourceID string         `json:"sourceId,omitempty"` // source_id of the report, as bankdata.SourceID makes it
	Provider string         `json:"provider,omitempty"` // its name
	Type     string         `json:"type,omitempty"`     // one of the Provider… constants
	Owner    bankdata.Owner `json:"owner,omitzero"`
	Jobs     []Job          `json:"jobs"` // as the provider lists them
}

// Kinds of payroll providers.
const (
	ProviderEmployer = "EMPLOYER"
	ProviderPayroll  = "PAYROLL_COMPANY" // runs the payroll of many employers
	ProviderGig      = "GIG_PLATFORM"
)

// Job is one employment of a payroll connection.
type Job struct {
	RecordID   string       `json:"recordId"`         // UUID
	Employer   string       `json:"employer"`         // "" if unknown; reports then ignore the job
	Address    Address      `json:"address,omitzero"` // of the employer
	Type       string       `json:"type,omitempty"`   // as in report.EmploymentFullTime; "" if unknown
	Status     string       `json:"status,omitempty"` // report.EmploymentActive, report.EmploymentTerminated; "" if unknown
	Title      string       `json:"title,omitempty"`
	Hired      *report.Date `json:"hired,omitempty"`
	Ended      *report.Date `json:"ended,omitempty"`     // nil while active
	Rate       report.Cents `json:"rate,omitempty"`      // of pay; 0 if none is agreed
	RatePer    string       `json:"ratePer,omitempty"`   // PerYear, PerHour or PerMonth; "" without a Rate
	Frequency  string       `json:"frequency,omitempty"` // as in report.PayMonthly
	Deposits   []Deposit    `json:"deposits,omitempty"`  // accounts to which the pay goes
	Statements []Statement  `json:"statements"`          // of the last 12 months, the newest first
}

// Values of RatePer.
const (
	PerYear  = "SALARY"
	PerHour  = "HOURLY"
	PerMonth = "MONTHLY"
)

// Address is an employer's address.
type Address struct {
	Line1 string `json:"line1,omitempty"`
	Line2 string `json:"line2,omitempty"`
	City  string `json:"city,omitempty"`
	State string `json:"state,omitempty"`
}

// Deposit is a bank account that pay is deposited to.
type Deposit struct {
	Institution string `json:"institution"`
	Mask        string `json:"mask"` // the last four digits
}

// Statement is one payment of wages. The sums to date are of PayDate's calendar year, up to
// that day.
type Statement struct {
	PayDate  report.Date  `json:"payDate"`
	Start    report.Date  `json:"start"`
	End      report.Date  `json:"end"`
	Hours    int64        `json:"hours,omitempty"` // hundredths of an hour; 0 if not counted
	Gross    report.Cents `json:"gross"`
	GrossYTD report.Cents `json:"grossYtd"`
	Net      report.Cents `json:"net"`
	NetYTD   report.Cents `json:"netYtd"`
	Gig      *Gig         `json:"gig,omitempty"` // of a gig platform
}

// Gig is the activity of a gig platform's statement. The statement's Gross is fares, tips
// and bonuses; Net is Gross without Fees.
type Gig struct {
	Count   int          `json:"count"`
	Tips    report.Cents `json:"tips,omitempty"`
	Bonuses report.Cents `json:"bonuses,omitempty"`
	Fees    report.Cents `json:"fees,omitempty"`
}

// Net returns the net of a year's gross wage for a single filer in the state.
func Net(year int, state string, gross report.Cents) report.Cents {
	return netOf(taxesOf(year), state).net(gross)
}

// complete reports whether the connection has what an income report requires: a job with
// its employer's name.
func (p *Payroll) complete() bool {
	return slices.ContainsFunc(p.Jobs, func(j Job) bool { return j.Employer != "" })
}

func (p *Payroll) status() contract.Status {
	if p.complete() {
		return contract.StatusSuccess
	}
	return contract.StatusError
}

// payrollOutcome returns the outcome of a report from payroll connections only.
func payrollOutcome(all []Payroll, fetch report.Date) outcome {
	if _, _, some := paid(all, fetch); some {
		return outcome{contract.StatusSuccess, ""}
	}
	for i := range all {
		if all[i].complete() {
			return outcome{contract.StatusSuccess, contract.SubNoRecentInformation}
		}
	}
	return outcome{contract.StatusError, contract.SubIncomplete}
}

// Year returns a job's gross and net pay of the 12 months up to and including the fetch
// date, and false without any. The pay of an active job that began in these months is
// scaled to a year by the days from its beginning to the end of the last paid period.
func (j *Job) Year(fetch report.Date) (gross, net report.Cents, ok bool) {
	from := bankdata.MonthsBefore(fetch, 12)
	last := report.Date{}
	for i := range j.Statements {
		s := &j.Statements[i]
		if !s.PayDate.After(from.Time) || s.PayDate.After(fetch.Time) {
			continue
		}
		gross, net, ok = gross+s.Gross, net+s.Net, true
		if s.End.After(last.Time) {
			last = s.End
		}
	}
	if !ok || j.Ended != nil || j.Hired == nil || !j.Hired.After(from.Time) {
		return min(gross, most), min(net, most), ok
	}
	days := int64(last.Sub(j.Hired.Time).Hours())/24 + 1
	if days < 1 || days >= 365 {
		return min(gross, most), min(net, most), ok
	}
	return overDays(gross, days), overDays(net, days), true
}

// overDays scales a sum over days to a year, rounded half up.
func overDays(sum report.Cents, days int64) report.Cents {
	sum = min(max(sum, 0), most)
	return divide(0, uint64(sum)*365, uint64(days))
}

// payroll returns the report's `income.payroll`: an item for each job of each complete
// connection.
func payroll(all []Payroll, fetch report.Date) []report.Payroll {
	var out []report.Payroll
	for i := range all {
		p := &all[i]
		for n := range p.Jobs {
			if p.Jobs[n].Employer != "" {
				out = append(out, p.item(&p.Jobs[n], fetch))
			}
		}
	}
	return out
}

func (p *Payroll) item(j *Job, fetch report.Date) report.Payroll {
	out := report.Payroll{SourceID: p.SourceID, ProviderName: contract.Null(p.Provider), PayFrequency: contract.Null(j.Frequency),
		Statements: []report.Statement{}}
	switch j.RatePer {
	case PerYear:
		out.AnnualSalaryRate = &j.Rate
	case PerMonth:
		out.AnnualSalaryRate = new(12 * min(j.Rate, most/12))
	}
	if gross, net, ok := j.Year(fetch); ok {
		out.EstimatedGrossAnnual, out.EstimatedNetAnnual = &gross, &net
	}
	from := bankdata.MonthsBefore(fetch, 12)
	for i := range j.Statements {
		s := &j.Statements[i]
		if !s.PayDate.After(from.Time) || s.PayDate.After(fetch.Time) {
			continue
		}
		if len(out.Statements) == 0 {
			out.PayPeriodStart, out.PayPeriodEnd = &s.Start, &s.End
		}
		out.Statements = append(out.Statements, report.Statement{PayDate: &s.PayDate,
			GrossTotal: &s.Gross, GrossTotalYTD: &s.GrossYTD, NetTotal: &s.Net, NetTotalYTD: &s.NetYTD})
	}
	return out
}

// paid returns the income of a year of all jobs, and false without any payment.
func paid(all []Payroll, fetch report.Date) (gross, net report.Cents, ok bool) {
	for i := range all {
		for n := range all[i].Jobs {
			if j := &all[i].Jobs[n]; j.Employer != "" {
				g, k, some := j.Year(fetch)
				gross, net, ok = addCapped(gross, g), addCapped(net, k), ok || some
			}
		}
	}
	return gross, net, ok
}

// employed lists the jobs as items of employment, and the index of the stated employer that
// each matches, or -1.
func employed(all []Payroll, stated []employer) (items []report.Employment, like []int) {
	for i := range all {
		p := &all[i]
		for n := range p.Jobs {
			j := &p.Jobs[n]
			if j.Employer == "" {
				continue
			}
			items = append(items, report.Employment{SourceID: p.SourceID, SourceRecordID: contract.Null(j.RecordID),
				EmployerName: &j.Employer, EmployerLine1: contract.Null(j.Address.Line1), EmployerLine2: contract.Null(j.Address.Line2),
				EmployerCity: contract.Null(j.Address.City), EmployerState: contract.Null(j.Address.State),
				Type: contract.Null(j.Type), Status: contract.Null(j.Status), JobTitle: contract.Null(j.Title), HireDate: j.Hired})
			like = append(like, bestMatch(stated, employerOf(j.Employer)))
		}
	}
	return items, like
}
