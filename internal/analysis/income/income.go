// Package income computes the income report (API reference: Reports) from bank data,
// payroll connections, pay stubs and an as-of date. It takes values and returns values:
// the same input gives the same report, byte for byte, whatever the order of its
// transactions. From bank data, income is every posted credit of the INCOME categories
// in cash-equivalent accounts, except tax refunds and own transfers. Such credits are
// net; the gross of wages is estimated by the tax table of the year. Payroll connections
// and pay stubs have both. docs/explanation/analytics.md, "Income", describes the
// computation and its limits.
package income

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// Input is the input of a report.
type Input struct {
	report.Envelope
	Consumer           *bankdata.Person        // nil if no name was entered
	State              string                  // two letters; "" for that of the first account's first address
	StatedEmployers    []string                // as typed; empty ones are ignored
	StatedAnnualIncome *int64                  // in whole dollars; nil if not stated
	Notices            []report.ConsumerNotice // those about a bank are returned if one of its deposits is income
	Bank               bankdata.Data
	Payroll            []Payroll       // in the order of connection
	Paystubs           []Paystub       // in the order of upload
	Failed             []report.Source // other sources, which could not be connected
	Options            Options
}

// Options selects the model.
type Options struct {
	Suite   string // version of the model suite; default Suite12
	Inflows bool   // include the additions of Suite20, from that suite on
}

// The model suites.
const (
	Suite12 = "1.2"
	Suite20 = "2.0"
)

// AtLeast reports whether a suite's version, numbers separated by dots, is the given
// version or later. It is false for an invalid version.
func AtLeast(suite, least string) bool {
	a, okA := version(suite)
	b, okB := version(least)
	return okA && okB && slices.Compare(a, b) >= 0
}

// version parses a version's numbers, without zeros at the end.
func version(s string) (out []int, ok bool) {
	for n := range strings.SplitSeq(s, ".") {
		v, err := strconv.ParseUint(n, 10, 31)
		if err != nil {
			return nil, false
		}
		out = append(out, int(v))
	}
	for len(out) > 1 && out[len(out)-1] == 0 {
		out = out[:len(out)-1]
	}
	return out, true
}

// Outcome returns the report's status and substatus: the best of its sources'. Bank data
// have those of bankdata.Data.Outcome. Payroll connections have SUCCESS with a payment in
// the last 12 months, SUCCESS with NO_RECENT_USABLE_INFORMATION without one, and ERROR with
// INCOMPLETE_INFORMATION without an employer's name. Pay stubs have SUCCESS if one was
// read, else the status of the failure.
func (in *Input) Outcome(asOf time.Time) (contract.Status, contract.Substatus) {
	if len(in.Payroll) == 0 && len(in.Paystubs) == 0 {
		return in.Bank.Outcome(asOf)
	}
	var found []outcome
	if len(in.Bank.Connections) > 0 {
		status, sub := in.Bank.Outcome(asOf)
		found = append(found, outcome{status, sub})
	}
	if len(in.Payroll) > 0 {
		found = append(found, payrollOutcome(in.Payroll, report.DateOf(asOf)))
	}
	if len(in.Paystubs) > 0 {
		found = append(found, stubsOutcome(in.Paystubs))
	}
	best := slices.MinFunc(found, func(a, b outcome) int { return cmp.Compare(a.rank(), b.rank()) })
	return best.status, best.sub
}

// outcome is the status and substatus of a report from one source.
type outcome struct {
	status contract.Status
	sub    contract.Substatus
}

// rank returns a number that is lower for a better outcome.
func (o outcome) rank() int {
	switch {
	case o.status == contract.StatusSuccess && o.sub == "":
		return 0
	case o.status == contract.StatusSuccess:
		return 1
	}
	return 2
}

// Build makes the report. asOf is the time at which the data were retrieved; its UTC day is
// the fetch date.
func Build(in Input, asOf time.Time) report.Income {
	status, sub := in.Outcome(asOf)
	r := report.Income{
		Meta:           in.Meta(report.IncomeVersion, status, sub, asOf),
		Product:        &in.Product,
		Sources:        sources(in),
		Identities:     identities(in),
		AccountDetails: accounts(in.Bank, report.DateOf(asOf)),
	}
	stated := employersOf(in.StatedEmployers)
	f := read(bankdata.Read(in.Bank, report.DateOf(asOf)), stated)
	f.consumer = in.Consumer
	f.flows = f.inflowsOf(&in.Bank, stated)
	r.Notices = f.notices(&in)
	r.Employment = f.employment(&in, stated)
	if f.any {
		r.Income = f.node(&in, stated)
	}
	stubs := paystubs(in.Paystubs)
	jobs := payroll(in.Payroll, report.DateOf(asOf))
	if r.Income == nil && (jobs != nil || stubs != nil) {
		r.Income = &report.IncomeNode{Summary: in.summary(report.DateOf(asOf))}
	}
	if r.Income != nil {
		r.Income.Payroll, r.Income.Paystubs = jobs, stubs
	}
	return r
}

// summary returns the year's income for a report without income from bank data: that of
// payroll connections, or else of pay stubs.
func (in *Input) summary(fetch report.Date) (out report.IncomeSummary) {
	if gross, net, ok := paid(in.Payroll, fetch); ok {
		return report.IncomeSummary{AnnualGross: &gross, AnnualNet: &net}
	}
	out.AnnualGross, out.AnnualNet = earned(in.Paystubs)
	return out
}

// node returns the report's income from bank data.
func (f *facts) node(in *Input, stated []employer) *report.IncomeNode {
	taxes := netOf(taxesOf(f.year), f.state(in))
	r := ratesOf(f.base(), taxes)
	year := f.lastMonths(12)
	net, gross := year.total(), year.gross(r)
	out := &report.IncomeNode{Summary: report.IncomeSummary{AnnualGross: &gross, AnnualNet: &net}}
	a := report.FinancialAccount{
		SourceIDs:     in.Bank.Banks(f.ledger.Currency),
		ModelVersion:  cmp.Or(in.Options.Suite, Suite12),
		ModelType:     report.ModelIncome,
		Descriptions:  descriptions(f.flows),
		IsConsistent:  f.consistent(),
		NetAnnual:     inDollars(net),
		GrossAnnual:   inDollars(gross),
		MatchedIncome: f.matchedIncome(in, stated, r),
		History:       f.history(r),
	}
	if recent, ok := f.annualized(3); ok {
		a.NetRecent, a.GrossRecent = inDollars(recent.total()), inDollars(recent.gross(ratesOf(recent, taxes)))
	}
	if in.Options.Inflows && AtLeast(a.ModelVersion, Suite20) {
		a.IncomeSuite2 = f.suite2(in, stated)
	}
	out.FinancialAccounts = []report.FinancialAccount{a}
	return out
}

// notices returns the notices without those about a bank of which no deposit is income.
func (f *facts) notices(in *Input) []report.ConsumerNotice {
	var none []string
	for n, c := range in.Bank.Connections {
		has := false
		for i, a := range f.ledger.Accounts {
			has = has || a.Connection == n && f.accounts[i].income
		}
		if !has {
			none = append(none, c.SourceID)
		}
	}
	return slices.DeleteFunc(slices.Clone(in.Notices), func(n report.ConsumerNotice) bool {
		return n.SourceReference != nil && slices.Contains(none, *n.SourceReference)
	})
}

func inDollars(c report.Cents) *int64 { return new(dollars(c)) }

// state returns the state in which the consumer pays taxes, or "".
func (f *facts) state(in *Input) string {
	if in.State != "" {
		return in.State
	}
	for _, c := range in.Bank.Connections {
		for _, a := range c.Accounts {
			if len(a.Addresses) > 0 {
				return a.Addresses[0].State
			}
		}
	}
	return ""
}

// matchedIncome returns the income from the stated employer with the largest inflows, or
// nil if there are none.
func (f *facts) matchedIncome(in *Input, stated []employer, r rates) *report.MatchedIncome {
	var best *report.MatchedIncome
	most := report.Cents(-1)
	for i := range stated {
		var s sums
		description := ""
		for n := range f.flows {
			if x := &f.flows[n]; x.employer == i {
				s.add(f.kind(x), x.year)
				description = cmp.Or(description, x.description)
			}
		}
		if description == "" || s.total() <= most {
			continue
		}
		most = s.total()
		best = &report.MatchedIncome{
			StatedEmployer: &stated[i].name, StatedAnnualIncome: in.StatedAnnualIncome, Description: &description,
			Net: inDollars(s.total()), Gross: inDollars(s.gross(r)),
		}
	}
	return best
}

// suite2 returns the additions of model suite 2.0.
func (f *facts) suite2(in *Input, stated []employer) *report.IncomeSuite2 {
	out := &report.IncomeSuite2{PrimaryAccountDetected: f.primaryAccount()}
	out.Inflows, out.MatchedIncomeSources = f.listed(in.PublicToken, stated)
	if x := primary(f.flows); x != nil {
		out.JobIrregularityRisk = new(f.risk(x))
	}
	return out
}
