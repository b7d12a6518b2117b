package flow

import (
	"fmt"
	"strings"
	"testing"

	"vestibule/internal/contract"
)

const (
	payrollP  = "took payroll; chose payroll p"
	byPayroll = payrollP + "; signed_in; coded"
	byStub    = "took paystubs; added; handed_in"
	byLetter  = "took documents; added; handed_in"
	atBank    = "chose bank b; signed_in; coded; picked"
)

// employerTable has the inputs of a visit after the consent, and its sources: employer, source type,
// institution, user, and the reason why it failed or was skipped.
var employerTable = []struct {
	name       string
	employers  int
	incomeOnly bool
	inputs     string
	step       Step
	sources    string
	last       bool // whether the last input is taken
}{
	{"the list comes first", 2, false, "", StepEmployers, "", true},
	{"without stated employers the bank comes first", 0, false, "", StepBank, "", true},
	{"by payroll, and back to the list", 2, false, "verify 2; " + byPayroll, StepEmployers, "2 payroll p u", true},
	{"by a pay stub and a letter", 1, false, "verify 1; " + byStub + "; verify 1; " + byLetter,
		StepEmployers, "1 paystubs, 1 documents", true},
	{"one provider for two of them", 2, false, "verify 1; " + byPayroll + "; verify 2; " + byPayroll,
		StepEmployers, "1 payroll p u, 2 payroll p u #1", true},
	{"skipped", 2, false, "skip 1; skipped OTHER", StepEmployers, "1 OTHER", true},
	{"skipped for no reason", 2, false, "skip 1; skipped BECAUSE", StepSkip, "", false},
	{"skipped and not after all", 2, false, "skip 1; turned", StepEmployers, "", true},
	{"skipped, and then verified", 2, false, "skip 1; skipped OTHER; verify 1; " + byStub, StepEmployers, "1 paystubs", true},
	{"verified, and skipped", 1, false, "verify 1; " + byStub + "; skip 1", StepEmployers, "1 paystubs", false},
	{"a third of two", 2, false, "verify 3", StepEmployers, "", false},
	{"none of them", 2, false, "skip 0", StepEmployers, "", false},
	{"by a bank, which is no source of theirs", 1, false, "verify 1; took bank", StepSource, "", false},
	{"turning at the choice of ways", 1, false, "verify 1; turned", StepEmployers, "", true},
	{"turning at the providers, and there", 1, false, "verify 1; took payroll; turned; turned", StepEmployers, "", true},
	{"a provider that is down ends nothing", 2, false, "verify 1; " + payrollP + "; signed_in down",
		StepEmployers, "1 payroll p SUPPLIER_UNRESPONSIVE", true},
	{"nor does an error", 1, false, "verify 1; " + payrollP + "; signed_in; coded error", StepEmployers, "1 payroll p u ERROR", true},
	{"nor do three wrong codes, and it is tried again", 1, false,
		"verify 1; " + payrollP + "; signed_in" + wrongCodes + "; verify 1; " + byPayroll, StepEmployers, "1 payroll p u", true},
	{"what failed stays beside the reason to skip it", 1, false,
		"verify 1; " + payrollP + "; signed_in" + wrongCodes + "; skip 1; skipped CREDENTIALS_UNAVAILABLE",
		StepEmployers, "1 payroll p u NOT_AUTHENTICATED MFA_REQUIRED_ON_FETCH, 1 CREDENTIALS_UNAVAILABLE", true},
	{"nor do three wrong passwords", 1, false, "verify 1; " + payrollP + "; signed_in wrong; signed_in wrong; signed_in wrong",
		StepEmployers, "1 payroll p NOT_AUTHENTICATED", true},
	{"every way once", 1, false, "verify 1; " + byStub + "; verify 1; " + byLetter + "; verify 1; " + byPayroll + "; verify 1",
		StepEmployers, "1 paystubs, 1 documents, 1 payroll p u", false},
	{"on to the assets", 1, false, "enough", StepBank, "", true},
	{"and back", 1, false, "enough; turned", StepEmployers, "", true},
	{"a bank, and back to the employers, and on", 1, false, "enough; " + atBank + "; turned; verify 1; " + byStub + "; enough",
		StepConnected, "bank b u, 1 paystubs", true},
	{"a second bank", 1, false, "enough; " + atBank + "; more; chose bank c; signed_in; coded; picked",
		StepConnected, "bank b u, bank c u #1", true},
	{"a second bank after all not", 1, false, "enough; " + atBank + "; more; turned", StepConnected, "bank b u", true},
	{"a bank that fails beside a verified employer", 1, false, "verify 1; " + byStub + "; enough; chose bank b; signed_in down",
		StepConnected, "1 paystubs, bank b SUPPLIER_UNRESPONSIVE", true},
	{"a bank that fails beside one that was skipped", 1, false, "skip 1; skipped OTHER; enough; chose bank b; signed_in down",
		StepFailed, "1 OTHER, bank b SUPPLIER_UNRESPONSIVE", true},
	{"and back to the employers", 1, false, "enough; chose bank b; signed_in down; turned; verify 1; " + byStub + "; enough",
		StepConnected, "bank b SUPPLIER_UNRESPONSIVE, 1 paystubs", true},
	{"the end", 1, false, "enough; " + atBank + "; enough", StepProgress, "bank b u", true},
	{"income only: the end of the list is the end", 1, true, "verify 1; " + byStub + "; enough", StepProgress, "1 paystubs", true},
	{"income only, and nothing shown", 1, true, "enough", StepProgress, "", true},
	{"assets only: several banks", 0, false, atBank + "; more; chose bank c; signed_in; coded; picked; enough",
		StepProgress, "bank b u, bank c u #1", true},
	{"assets only: no employer to turn to", 0, false, "turned", StepBank, "", false},
	{"assets only: a bank that fails", 0, false, "chose bank b; signed_in down", StepFailed, "bank b SUPPLIER_UNRESPONSIVE", true},
	{"assets only: another bank after it", 0, false, "chose bank b; signed_in down; rechose; chose bank c; signed_in; coded; picked",
		StepConnected, "bank b SUPPLIER_UNRESPONSIVE, bank c u #1", true},
	{"they leave, and begin again", 2, false, "verify 1; " + byStub + "; verify 2; took payroll; left; came_back", StepEmployers, "", true},
}

// TestEmployers verifies, skips and leaves open employers in any order. Each leads back to the
// list, and the list to the assets if the product verifies them.
func TestEmployers(t *testing.T) {
	for _, c := range employerTable {
		t.Run(c.name, func(t *testing.T) {
			j := begun(contract.Eligibility)
			j.Employers, j.IncomeOnly = c.employers, c.incomeOnly
			j, _ = j.walk(t, strings.TrimSuffix("came; consented; "+c.inputs, "; "), !c.last)
			if (j.Step == StepEmployers || j.Step == StepConnected) && (j.SourceType != "" || j.Bank != "" || j.Username != "" || j.Employer != 0) {
				t.Errorf("half done behind the list: %+v", j)
			}
			if got := j.sources(); j.Step != c.step || got != c.sources {
				t.Errorf("leads to %s with %q, want %s with %q", j.Step, got, c.step, c.sources)
			}
		})
	}
}

// sources writes the connections as the tables do.
func (j Journey) sources() string {
	var out []string
	for _, s := range j.Connections() {
		employer, number := "", ""
		if s.Employer > 0 {
			employer = fmt.Sprint(s.Employer)
		}
		if s.Number > 0 {
			number = fmt.Sprint("#", s.Number)
		}
		out = append(out, words(employer, string(s.SourceType), s.Bank, s.Username, number, s.Skipped, string(s.Failed), string(s.Substatus),
			strings.Join(s.Accounts, "+")))
	}
	return strings.Join(out, ", ")
}

// TestGuessingIsLimited checks the limit of wrong passwords over several providers.
func TestGuessingIsLimited(t *testing.T) {
	j := Journey{Product: contract.Eligibility, Employers: 1, State: Connecting, Step: StepEmployers, Status: contract.StatusPending}
	tries := 0
	for i := range 100 {
		next, _, ok := j.Next(at(strings.Split("verify 1; took payroll; chose payroll p; signed_in wrong", "; ")[min(stepsOf[j.Step], 3)]))
		if !ok {
			break
		}
		if j.Step == StepSignIn {
			tries++
		}
		if j = next; i == 99 {
			t.Fatalf("after %d tries at %s", tries, j.Step)
		}
	}
	if j.State != Failed || j.Status != contract.StatusNotAuthenticated || tries != MaxTotalTries {
		t.Errorf("after %d tries: %+v", tries, j)
	}
}

var stepsOf = map[Step]int{StepEmployers: 0, StepSource: 1, StepPayroll: 2, StepSignIn: 3}
