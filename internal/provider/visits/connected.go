package visits

import (
	"encoding/json"
	"slices"

	"vestibule/internal/contract"
)

// A report that can use several sources is generated from all that the applicant
// connects, one after another: banks, payroll providers, documents. A source that
// fails beside others is listed in the report; a source that fails alone ends the
// visit.

// connected is a source that the applicant connected or failed to connect, or an
// employer that the applicant skipped. It contains nothing personal: the user name is
// the mock provider's, and accounts are ids of the report.
type connected struct {
	SourceType SourceType         `json:"way,omitempty"`
	Bank       string             `json:"bank,omitempty"` // as in Journey
	Username   string             `json:"username,omitempty"`
	Nth        int                `json:"nth,omitempty"`      // as in Journey.nth
	Accounts   []string           `json:"accounts,omitempty"` // selected at a bank
	Employer   int                `json:"employer,omitempty"` // employer that it is for; 0 for none
	Skipped    string             `json:"skipped,omitempty"`  // why the employer is not verified
	Empty      bool               `json:"empty,omitempty"`    // it has no recent data
	Failed     contract.Status    `json:"failed,omitempty"`   // status of a failed one
	Why        contract.Substatus `json:"why,omitempty"`      // with Failed
	At         int64              `json:"at,omitempty"`       // with Failed: when, in microseconds
}

func (c connected) good() bool { return c.Failed == "" && c.Skipped == "" }

// How many sources of a kind a visit connects. Pay stubs, and other documents, are
// one each, of several files.
const (
	maxBanks   = 5
	maxPayroll = 6 // as many as employers may be stated
)

// sources are those of the visit so far, in their order.
func (j Journey) sources() (all []connected) {
	if j.Sources != "" {
		_ = json.Unmarshal([]byte(j.Sources), &all) // written by with
	}
	return all
}

// lastFailed is the source that could not be connected last.
func (j Journey) lastFailed() (last connected) {
	for _, c := range j.sources() {
		if c.Failed != "" {
			last = c
		}
	}
	return last
}

// good reports whether a source is connected.
func (j Journey) good() bool { return slices.ContainsFunc(j.sources(), connected.good) }

// with adds the current source. It replaces an earlier attempt of the same source, or
// the reason why its employer was skipped.
func (j *Journey) with(c connected) {
	c.SourceType, c.Bank, c.Username, c.Employer, c.Nth = j.SourceType, j.Bank, j.Username, j.Employer, j.nth()
	all := slices.DeleteFunc(j.sources(), func(o connected) bool {
		return o.Employer == c.Employer && (o.SourceType == c.SourceType && o.Bank == c.Bank || o.Skipped != "")
	})
	raw, _ := json.Marshal(append(all, c)) // texts and numbers only
	j.Sources = string(raw)
}

// nth distinguishes the current sign-in from others that may return the same accounts
// or jobs, because the mock providers accept everyone. It is the first unused number.
func (j Journey) nth() (n int) {
	if j.SourceType != SourceBank && j.SourceType != SourcePayroll {
		return 0
	}
	taken := map[int]bool{}
	for _, c := range j.sources() {
		if c.SourceType == j.SourceType && (c.SourceType == SourceBank || c.Bank == j.Bank) && (c.Bank != j.Bank || c.Employer != j.Employer) {
			taken[c.Nth] = true
		}
	}
	for taken[n] {
		n++
	}
	return n
}

// several reports whether the visit may have more than one source.
func (j Journey) several() bool {
	return j.Product == contract.Income || j.Product == contract.Eligibility
}

// ways lists the source types that the applicant can connect now, in the order
// offered: for the current employer, or for the report as a whole. Types without a
// source are left out.
func (j Journey) ways() []SourceType { return slices.DeleteFunc(j.wanted(), j.Lacks.way) }

// wanted returns all source types that the report can use now.
func (j Journey) wanted() []SourceType {
	switch {
	case j.Product == contract.Passport:
		return []SourceType{SourceSupplier}
	case j.Product == contract.Income:
		return []SourceType{SourceBank, SourcePayroll, SourcePaystubs}
	case j.Employer > 0:
		return []SourceType{SourcePayroll, SourcePaystubs, SourceLetters}
	}
	return []SourceType{SourceBank}
}

// most returns the maximum number of sources of a type.
func (j Journey) most(w SourceType) int {
	switch {
	case w == SourceBank && j.several():
		return maxBanks
	case w == SourcePayroll && j.Employer == 0:
		return maxPayroll
	}
	return 1
}

// leftFor returns the source types that can still be connected for an employer.
func (j Journey) leftFor(employer int) []SourceType {
	j.Employer = employer
	return j.left()
}

// left returns the source types that can still be connected now.
func (j Journey) left() (out []SourceType) {
	count := map[SourceType]int{}
	for _, c := range j.sources() {
		if c.good() && c.Employer == j.Employer {
			count[c.SourceType]++
		}
	}
	for _, w := range j.ways() {
		if count[w] < j.most(w) {
			out = append(out, w)
		}
	}
	return out
}

// start moves to the employers, or to the first source.
func (j Journey) start() (Journey, Do, bool) {
	if j.Employers > 0 {
		j.Step, j.SourceType, j.Bank, j.Username = StepEmployers, "", "", ""
		return j, 0, true
	}
	return j.choose()
}

// choose moves to the choice of source types, or to the only type. Without any, the
// visit ends as unsupported.
func (j Journey) choose() (Journey, Do, bool) {
	ways := j.ways()
	if len(ways) == 0 {
		return j.unsupported()
	}
	j.Step, j.SourceType, j.Bank, j.Username = StepSource, "", "", ""
	if len(ways) == 1 {
		j.Step, j.SourceType = ways[0].first(), ways[0]
	}
	return j, 0, true
}

// from returns the step from which sources are added; empty before there is one.
func (j Journey) from() Step {
	switch {
	case j.Employer > 0:
		return StepEmployers
	case j.good() && slices.ContainsFunc(j.sources(), func(c connected) bool { return c.Employer == 0 }):
		return StepConnected
	case j.Employers > 0:
		return StepEmployers
	}
	return ""
}

// pause returns to that step and clears the current source.
func (j *Journey) pause() {
	j.Step, j.Employer, j.SourceType, j.Bank, j.Username = j.from(), 0, "", "", ""
}

// turn goes back from the choice of a source: to the choice of source types, to the
// step from which sources are added, or from the banks to the employers.
func (j Journey) turn() (Journey, Do, bool) {
	first := j.SourceType != "" && (j.Step == j.SourceType.first() || j.Step == StepFailed)
	switch {
	case first && len(j.ways()) > 1:
		return j.choose()
	case (first || j.Step == StepSource || j.Step == StepSkip) && j.from() != "":
		j.pause()
	case j.Step == StepConnected && j.Employers > 0:
		j.Step = StepEmployers
	default:
		return j, 0, false
	}
	return j, 0, true
}

// connect adds the current source. If only one is possible, the sources are complete;
// otherwise the applicant decides when.
func (j Journey) connect(accounts []string, empty bool) (Journey, Do, bool) {
	j.with(connected{Accounts: accounts, Empty: empty})
	if !j.several() {
		j.State, j.Step = Generating, StepProgress
		return j, Generate, true
	}
	j.pause()
	return j, 0, true
}
