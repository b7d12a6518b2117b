package visits

import (
	"encoding/json"
	"slices"

	"vestibule/internal/contract"
)

// A report that can be made from several sources is made from as many as the
// applicant connects, one after another: banks, payroll providers, documents. What
// fails beside others is only named in the report; alone it ends the visit.

// connected is a source that the applicant has connected, or could not, or an
// employer that he skipped. Nothing in it is his: the user name is the mock's, and
// accounts are ids of the report.
type connected struct {
	SourceType SourceType         `json:"way,omitempty"`
	Bank       string             `json:"bank,omitempty"` // as in Journey
	Username   string             `json:"username,omitempty"`
	Nth        int                `json:"nth,omitempty"`      // as in Journey.nth
	Accounts   []string           `json:"accounts,omitempty"` // that were picked at a bank
	Employer   int                `json:"employer,omitempty"` // that it is for; 0: none in particular
	Skipped    string             `json:"skipped,omitempty"`  // why the employer is not verified
	Empty      bool               `json:"empty,omitempty"`    // there is nothing recent in it
	Failed     contract.Status    `json:"failed,omitempty"`   // how it ended, where it could not be connected
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

// good reports whether one of them is connected.
func (j Journey) good() bool { return slices.ContainsFunc(j.sources(), connected.good) }

// with adds the present source, in the place of an earlier try of the same, or of
// the reason why its employer was skipped.
func (j *Journey) with(c connected) {
	c.SourceType, c.Bank, c.Username, c.Employer, c.Nth = j.SourceType, j.Bank, j.Username, j.Employer, j.nth()
	all := slices.DeleteFunc(j.sources(), func(o connected) bool {
		return o.Employer == c.Employer && (o.SourceType == c.SourceType && o.Bank == c.Bank || o.Skipped != "")
	})
	raw, _ := json.Marshal(append(all, c)) // texts and numbers only
	j.Sources = string(raw)
}

// nth tells the present sign-in from others that may lead to the same accounts or
// jobs: the mocks know everybody at every bank. It is the first number that is free.
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

// several reports whether there may be more than one source.
func (j Journey) several() bool {
	return j.Product == contract.Income || j.Product == contract.Eligibility
}

// ways lists what the applicant can connect where he stands, in the order in which he
// is offered it: for one of his employers, or for the report as a whole. Ways without
// a source are left out.
func (j Journey) ways() []SourceType { return slices.DeleteFunc(j.wanted(), j.Lacks.way) }

// wanted are all ways that the report can be made by where the applicant stands.
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

// most is how many sources of a way there may be.
func (j Journey) most(w SourceType) int {
	switch {
	case w == SourceBank && j.several():
		return maxBanks
	case w == SourcePayroll && j.Employer == 0:
		return maxPayroll
	}
	return 1
}

// leftFor are the ways that can still be gone for an employer.
func (j Journey) leftFor(employer int) []SourceType {
	j.Employer = employer
	return j.left()
}

// left are the ways that can still be gone where the applicant stands.
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

// start goes to the employers, or to the first source.
func (j Journey) start() (Journey, Do, bool) {
	if j.Employers > 0 {
		j.Step, j.SourceType, j.Bank, j.Username = StepEmployers, "", "", ""
		return j, 0, true
	}
	return j.choose()
}

// choose goes to the choice of ways, or into the only one. Without any, the visit
// ends as unsupported.
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

// from is the step that sources are chosen from, one after another; empty before
// there is any.
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

// pause goes there, with the present source behind.
func (j *Journey) pause() {
	j.Step, j.Employer, j.SourceType, j.Bank, j.Username = j.from(), 0, "", "", ""
}

// turn leads back from the choice of a source: to the choice of ways, to where
// sources are chosen from, and from the banks to the employers.
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

// connect has the present source connected: the only one there may be is enough, and
// of several the applicant says when.
func (j Journey) connect(accounts []string, empty bool) (Journey, Do, bool) {
	j.with(connected{Accounts: accounts, Empty: empty})
	if !j.several() {
		j.State, j.Step = Generating, StepProgress
		return j, Generate, true
	}
	j.pause()
	return j, 0, true
}
