package flow

import (
	"cmp"
	"encoding/json"
	"slices"

	"vestibule/internal/contract"
)

// Connection is a source that the applicant connected or failed to connect, or an
// employer that the applicant skipped. It contains nothing personal: the username is
// the mock provider's, and accounts are ids of the report.
type Connection struct {
	SourceType SourceType         `json:"way,omitempty"`
	Bank       string             `json:"bank,omitempty"` // as in Journey
	Username   string             `json:"username,omitempty"`
	Number     int                `json:"nth,omitempty"`        // as in Journey.SignInNumber
	Accounts   []string           `json:"accounts,omitempty"`   // selected at a bank
	Connection string             `json:"connection,omitempty"` // id of the access, of an institution that authorizes it
	Employer   int                `json:"employer,omitempty"`   // employer that it is for; 0 for none
	Skipped    string             `json:"skipped,omitempty"`    // why the employer is not verified
	Empty      bool               `json:"empty,omitempty"`      // it has no recent data
	Failed     contract.Status    `json:"failed,omitempty"`     // status of a failed one
	Substatus  contract.Substatus `json:"why,omitempty"`        // with Failed
	Reason     string             `json:"reason,omitempty"`     // with Failed, of an authorization: sources.Reason
	At         int64              `json:"at,omitempty"`         // with Failed: when, in microseconds
}

// OK reports whether the source was connected.
func (c Connection) OK() bool { return c.Failed == "" && c.Skipped == "" }

// How many sources of a kind a visit connects at most. Pay stubs, and other documents, are
// one each, of several files.
const (
	maxBanks   = contract.MaxBanks // unless the product's configuration has fewer
	maxPayroll = 6                 // as many as employers may be stated
)

// Connections returns the sources of the visit so far, in their order.
func (j Journey) Connections() (all []Connection) {
	if j.Sources != "" {
		_ = json.Unmarshal([]byte(j.Sources), &all) // written by record
	}
	return all
}

// LastFailed returns the source that could not be connected last.
func (j Journey) LastFailed() (last Connection) {
	for _, c := range j.Connections() {
		if c.Failed != "" {
			last = c
		}
	}
	return last
}

func (j Journey) connected() bool { return slices.ContainsFunc(j.Connections(), Connection.OK) }

// record adds the current source. It replaces an earlier attempt of the same source, or
// the reason why its employer was skipped.
func (j *Journey) record(c Connection) {
	c.SourceType, c.Bank, c.Username, c.Employer, c.Number = j.SourceType, j.Bank, j.Username, j.Employer, j.SignInNumber()
	all := slices.DeleteFunc(j.Connections(), func(o Connection) bool {
		return o.Employer == c.Employer && (o.SourceType == c.SourceType && o.Bank == c.Bank || o.Skipped != "")
	})
	raw, _ := json.Marshal(append(all, c)) // texts and numbers only
	j.Sources = string(raw)
}

// SignInNumber distinguishes the current sign-in from others that may return the same accounts
// or jobs, because the mock providers accept everyone. It is the first unused number.
func (j Journey) SignInNumber() (n int) {
	if j.SourceType != SourceBank && j.SourceType != SourcePayroll {
		return 0
	}
	used := map[int]bool{}
	for _, c := range j.Connections() {
		if c.SourceType == j.SourceType && (c.SourceType == SourceBank || c.Bank == j.Bank) && (c.Bank != j.Bank || c.Employer != j.Employer) {
			used[c.Number] = true
		}
	}
	for used[n] {
		n++
	}
	return n
}

// AsksForMore reports whether the applicant decides after each source whether more follow.
func (j Journey) AsksForMore() bool {
	return j.Product == contract.Income || j.Product == contract.Eligibility
}

// available lists the source types that the applicant can connect now, in the order
// offered: for the current employer, or for the report as a whole. Types without a
// source are left out.
func (j Journey) available() []SourceType { return slices.DeleteFunc(j.usable(), j.Missing.Includes) }

// usable returns all source types that the report can use now.
func (j Journey) usable() []SourceType {
	switch {
	case j.Product == contract.Passport:
		return []SourceType{SourceSupplier}
	case j.Product == contract.Income:
		return []SourceType{SourceBank, SourcePayroll, SourcePaystubs}
	case j.Employer > 0:
		return []SourceType{SourcePayroll, SourcePaystubs, SourceDocuments}
	}
	return []SourceType{SourceBank}
}

// Limit returns the maximum number of sources of a type.
func (j Journey) Limit(w SourceType) int {
	switch {
	case w == SourceBank:
		return cmp.Or(j.BankLimit, maxBanks)
	case w == SourcePayroll && j.Employer == 0:
		return maxPayroll
	}
	return 1
}

// remainingFor returns the source types that can still be connected for an employer.
func (j Journey) remainingFor(employer int) []SourceType {
	j.Employer = employer
	return j.Remaining()
}

// Remaining returns the source types that can still be connected now.
func (j Journey) Remaining() (out []SourceType) {
	count := map[SourceType]int{}
	for _, c := range j.Connections() {
		if c.OK() && c.Employer == j.Employer {
			count[c.SourceType]++
		}
	}
	for _, w := range j.available() {
		if count[w] < j.Limit(w) {
			out = append(out, w)
		}
	}
	return out
}

// start moves to the employers, or to the first source.
func (j Journey) start() (Journey, Effects, bool) {
	if j.Employers > 0 {
		j.Step, j.SourceType, j.Bank, j.Username = StepEmployers, "", "", ""
		return j, 0, true
	}
	return j.chooseSource()
}

// chooseSource moves to the choice of source types, or to the only type. Without any, the
// visit ends as unsupported.
func (j Journey) chooseSource() (Journey, Effects, bool) {
	types := j.available()
	if len(types) == 0 {
		return j.endUnsupported()
	}
	j.Step, j.SourceType, j.Bank, j.Username = StepSource, "", "", ""
	if len(types) == 1 {
		j.Step, j.SourceType = types[0].FirstStep(), types[0]
	}
	return j, 0, true
}

// Overview returns the step from which sources are added; empty before there is one.
func (j Journey) Overview() Step {
	switch {
	case j.Employer > 0:
		return StepEmployers
	case j.connected() && slices.ContainsFunc(j.Connections(), func(c Connection) bool { return c.Employer == 0 }):
		return StepConnected
	case j.Employers > 0:
		return StepEmployers
	}
	return ""
}

// toOverview returns to that step and clears the current source.
func (j *Journey) toOverview() {
	j.Step, j.Employer, j.SourceType, j.Bank, j.Username = j.Overview(), 0, "", "", ""
}

// clearSource goes back from the choice of a source: to the choice of source types, to the
// step from which sources are added, or from the banks to the employers.
func (j Journey) clearSource() (Journey, Effects, bool) {
	first := j.SourceType != "" && (j.Step == j.SourceType.FirstStep() || j.Step == StepFailed)
	switch {
	case first && len(j.available()) > 1:
		return j.chooseSource()
	case (first || j.Step == StepSource || j.Step == StepSkip) && j.Overview() != "":
		j.toOverview()
	case j.Step == StepConnected && j.Employers > 0:
		j.Step = StepEmployers
	default:
		return j, 0, false
	}
	return j, 0, true
}

// connect adds the current source. The applicant then decides whether more follow. A
// cashflow report is generated at once from a bank that is the only one, unless more is
// set: its accounts page asks.
func (j Journey) connect(c Connection, more bool) (Journey, Effects, bool) {
	first := !j.connected()
	j.record(c)
	if !j.AsksForMore() && first && !more {
		j.State, j.Step = Generating, StepProgress
		return j, GenerateReport, true
	}
	j.toOverview()
	return j, 0, true
}

// employerVerified reports whether a source of the employer is connected.
func (j Journey) employerVerified(employer int) bool {
	return slices.ContainsFunc(j.Connections(), func(c Connection) bool { return c.Employer == employer && c.OK() && !c.Empty })
}

// DocumentGroup returns the group of files that the visit accepts now.
func (j Journey) DocumentGroup() DocumentGroup { return DocumentGroup{j.SourceType, j.Employer} }
