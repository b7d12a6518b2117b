package income

import (
	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// Paystub is an uploaded pay stub.
type Paystub struct {
	ID        string // UUID of the document
	SourceID  string // source_id of the report, one for each file
	Path      string // source_filepath
	Status    contract.Status
	Substatus contract.Substatus `json:",omitempty"`
	Image     bool               `json:",omitempty"` // the file is an image or has unknown letters, and is not read
	Employer  string             // "" if the stub names none
	Stub      report.Paystub     // if Status is SUCCESS or the file is an image; without the fields above
}

// stubsOutcome returns the outcome of a report from pay stubs only: the best status, where
// BUREAU_UNRESPONSIVE precedes NOT_AUTHENTICATED, and the first substatus of a stub with
// this status.
func stubsOutcome(all []Paystub) outcome {
	out := outcome{status: contract.StatusNotAuthenticated}
	for i := range all {
		switch p := &all[i]; {
		case p.Status == contract.StatusSuccess:
			return outcome{status: contract.StatusSuccess}
		case p.Status == contract.StatusBureauUnresponsive:
			out = outcome{status: p.Status}
		case p.Status == out.status && out.sub == "":
			out.sub = p.Substatus
		}
	}
	return out
}

// paystubs returns the report's `income.paystubs`: the readable pay stubs and images, in
// their order.
func paystubs(all []Paystub) []report.Paystub {
	var out []report.Paystub
	for i := range all {
		if p := &all[i]; p.Status == contract.StatusSuccess || p.Image {
			stub := p.Stub
			stub.SourceID, stub.SourceRecordID, stub.SourceFilepath = p.SourceID, p.ID, p.Path
			out = append(out, stub)
		}
	}
	return out
}

// NewestStubs returns the newest readable stub of each employer and employee, by pay date or
// pay period, and the first one of equals.
func NewestStubs(all []Paystub) (out []*Paystub) {
	type who struct{ employer, employee string }
	at := map[who]int{}
	for i := range all {
		p := &all[i]
		if p.Status != contract.StatusSuccess {
			continue
		}
		k := who{bankdata.Normalize(p.Employer), bankdata.Normalize(report.Text(p.Stub.EmployeeName))}
		n, known := at[k]
		switch {
		case !known:
			at[k] = len(out)
			out = append(out, p)
		case dated(p).After(dated(out[n]).Time):
			out[n] = p
		}
	}
	return out
}

func dated(p *Paystub) report.Date {
	for _, d := range []*report.Date{p.Stub.PayDate, p.Stub.PayPeriodEnd, p.Stub.PayPeriodStart} {
		if d != nil {
			return *d
		}
	}
	return report.Date{}
}

// earned returns the sums of the year's gross and net income of the newest stubs, or nil if
// no stub shows it.
func earned(all []Paystub) (gross, net *report.Cents) {
	add := func(to **report.Cents, c *report.Cents) {
		if c == nil || *c < 0 {
			return
		}
		sum := min(*c, most)
		if *to != nil {
			sum = addCapped(**to, sum)
		}
		*to = &sum
	}
	for _, p := range NewestStubs(all) {
		add(&gross, p.Stub.Insights.AnnualGross)
		add(&net, p.Stub.Insights.AnnualNet)
	}
	return gross, net
}

// shownBy lists the employers that stubs show as items of employment, with the
// stated employer that each is like, or -1.
func shownBy(all []Paystub, stated []employer) (items []report.Employment, like []int) {
	for _, p := range NewestStubs(all) {
		if p.Employer == "" {
			continue
		}
		items = append(items, report.Employment{SourceID: p.SourceID, SourceRecordID: &p.ID,
			EmployerName: &p.Employer, HireDate: p.Stub.HireDate})
		like = append(like, bestMatch(stated, employerOf(p.Employer)))
	}
	return items, like
}
