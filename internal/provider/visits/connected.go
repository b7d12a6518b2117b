package visits

import (
	"encoding/json"
	"slices"

	"vestibule/internal/svc"
)

// A report that can be made from several kinds of sources is made from as many as the
// applicant connects, one after another: a bank, payroll providers, pay stubs. What
// fails beside others is only named in the report; alone it ends the visit.

// connected is a source that the applicant has connected, or could not. Nothing in it
// is his: the user name is the mock's, and accounts are ids of the report.
type connected struct {
	Way      Way        `json:"way"`
	Bank     string     `json:"bank,omitempty"` // as in Journey
	Username string     `json:"username,omitempty"`
	Accounts []string   `json:"accounts,omitempty"` // that were picked at a bank
	Failed   svc.Status `json:"failed,omitempty"`   // how it ended, where it could not be connected
}

// maxPayroll is how many payroll providers a visit connects: as many as employers may
// be stated.
const maxPayroll = 6

// sources are those of the visit so far, in their order.
func (j Journey) sources() (all []connected) {
	if j.Sources != "" {
		_ = json.Unmarshal([]byte(j.Sources), &all) // written by with
	}
	return all
}

// good reports whether one of them is connected.
func (j Journey) good() bool {
	return slices.ContainsFunc(j.sources(), func(c connected) bool { return c.Failed == "" })
}

// with adds the present source, in the place of an earlier try of the same.
func (j *Journey) with(c connected) {
	c.Way, c.Bank, c.Username = j.Way, j.Bank, j.Username
	all := slices.DeleteFunc(j.sources(), func(o connected) bool { return o.Way == c.Way && o.Bank == c.Bank })
	raw, _ := json.Marshal(append(all, c)) // texts only
	j.Sources = string(raw)
}

// left are the ways that there still are: one bank, one set of pay stubs, and payroll
// providers.
func (j Journey) left() (out []Way) {
	count := map[Way]int{}
	for _, c := range j.sources() {
		if c.Failed == "" {
			count[c.Way]++
		}
	}
	for _, w := range Ways(j.Product) {
		if count[w] == 0 || w == WayPayroll && count[w] < maxPayroll {
			out = append(out, w)
		}
	}
	return out
}

// connect has the present source connected: the only one there may be is enough, and
// of several the applicant says when.
func (j Journey) connect(accounts []string) (Journey, Do, bool) {
	j.with(connected{Accounts: accounts})
	if len(Ways(j.Product)) == 1 {
		j.State, j.Step = Generating, StepProgress
		return j, Generate, true
	}
	j.Step, j.Way, j.Bank, j.Username = StepConnected, "", "", ""
	return j, 0, true
}

// leaveOut goes on without the present source, when there are others.
func (j Journey) leaveOut(how svc.Status) (Journey, Do, bool) {
	j.with(connected{Failed: how})
	j.Step, j.Way, j.Bank, j.Username = StepConnected, "", "", ""
	return j, 0, true
}
