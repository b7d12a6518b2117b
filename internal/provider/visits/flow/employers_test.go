package flow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/contract"
)

// at is an input written short: its kind, and what came with it.
func at(words string) Input {
	kind, arg, _ := strings.Cut(words, " ")
	in := Input{Kind: EventKind(strings.ReplaceAll(kind, "_", " ")), Correct: true, Username: "u"}
	switch in.Kind {
	case EventEmployerSelected, EventEmployerSkipOpened:
		_, _ = fmt.Sscan(arg, &in.Employer)
	case EventEmployerSkipped:
		in.Reason = arg
	case EventSourceSelected:
		in.SourceType = SourceType(arg)
	case EventInstitutionSelected:
		way, bank, _ := strings.Cut(arg, " ")
		in.SourceType, in.Bank = SourceType(way), bank
	case EventSignedIn, EventMFASubmitted:
		in.Correct = arg != "wrong"
		if l, ok := map[string]login{"down": loginDown, "mfa": loginMFA, "error": loginError}[arg]; ok && in.Kind == EventSignedIn {
			in = signedIn(l)
		} else if ok {
			in = coded(l)
		}
	}
	return in
}

const (
	byPayroll = "took payroll; chose payroll p; signed_in; coded"
	byStub    = "took paystubs; added; handed_in"
	byLetter  = "took documents; added; handed_in"
	atBank    = "chose bank b; signed_in; coded; picked"
)

// TestEmployers verifies, skips and leaves open employers in any order. Each leads back to the
// list, and the list to the assets if the product verifies them.
func TestEmployers(t *testing.T) {
	const noEmployer = ""
	for _, c := range []struct {
		name       string
		employers  int
		incomeOnly bool
		inputs     string // after the consent
		step       Step
		sources    string // each one: employer way status or reason, in their order
		last       bool   // whether the last input is taken
	}{
		{"the list comes first", 2, false, "", StepEmployers, noEmployer, true},
		{"without stated employers the bank comes first", 0, false, "", StepBank, noEmployer, true},
		{"by payroll, and back to the list", 2, false, "verify 2; " + byPayroll, StepEmployers, "2 payroll", true},
		{"by a pay stub and a letter", 1, false, "verify 1; " + byStub + "; verify 1; " + byLetter,
			StepEmployers, "1 paystubs, 1 documents", true},
		{"one provider for two of them", 2, false, "verify 1; " + byPayroll + "; verify 2; " +
			byPayroll, StepEmployers, "1 payroll, 2 payroll 1", true},
		{"skipped", 2, false, "skip 1; skipped OTHER", StepEmployers, "1 OTHER", true},
		{"skipped for no reason", 2, false, "skip 1; skipped BECAUSE", StepSkip, noEmployer, false},
		{"skipped and not after all", 2, false, "skip 1; turned", StepEmployers, noEmployer, true},
		{"skipped, and then verified", 2, false, "skip 1; skipped OTHER; verify 1; " + byStub, StepEmployers, "1 paystubs", true},
		{"verified, and skipped", 1, false, "verify 1; " + byStub + "; skip 1", StepEmployers, "1 paystubs", false},
		{"a third of two", 2, false, "verify 3", StepEmployers, noEmployer, false},
		{"none of them", 2, false, "skip 0", StepEmployers, noEmployer, false},
		{"by a bank, which is no source of theirs", 1, false, "verify 1; took bank", StepSource, noEmployer, false},
		{"turning at the choice of ways", 1, false, "verify 1; turned", StepEmployers, noEmployer, true},
		{"turning at the providers, and there", 1, false, "verify 1; took payroll; turned; turned", StepEmployers, noEmployer, true},
		{"a provider that is down ends nothing", 2, false, "verify 1; took payroll; chose payroll p; signed_in down",
			StepEmployers, "1 payroll SUPPLIER_UNRESPONSIVE", true},
		{"nor does an error", 1, false, "verify 1; took payroll; chose payroll p; signed_in error; coded error",
			StepEmployers, "1 payroll ERROR", true},
		{"nor do three wrong codes, and it is tried again", 1, false, "verify 1; took payroll; chose payroll p; signed_in; " +
			"coded wrong; coded wrong; coded wrong; verify 1; " + byPayroll, StepEmployers, "1 payroll", true},
		{"what failed stays beside the reason to skip it", 1, false, "verify 1; took payroll; chose payroll p; signed_in; " +
			"coded wrong; coded wrong; coded wrong; skip 1; skipped CREDENTIALS_UNAVAILABLE", StepEmployers,
			"1 payroll NOT_AUTHENTICATED, 1 CREDENTIALS_UNAVAILABLE", true},
		{"nor do three wrong passwords", 1, false, "verify 1; took payroll; chose payroll p; signed_in wrong; signed_in " +
			"wrong; signed_in wrong", StepEmployers, "1 payroll NOT_AUTHENTICATED", true},
		{"every way once", 1, false, "verify 1; " + byStub + "; verify 1; " + byLetter + "; verify 1; " + byPayroll +
			"; verify 1", StepEmployers, "1 paystubs, 1 documents, 1 payroll", false},
		{"on to the assets", 1, false, "enough", StepBank, noEmployer, true},
		{"and back", 1, false, "enough; turned", StepEmployers, noEmployer, true},
		{"a bank, and back to the employers, and on", 1, false, "enough; " + atBank + "; turned; verify 1; " +
			byStub + "; enough", StepConnected, "0 bank, 1 paystubs", true},
		{"a second bank", 1, false, "enough; " + atBank + "; more; chose bank c; signed_in; coded; picked",
			StepConnected, "0 bank, 0 bank 1", true},
		{"a second bank after all not", 1, false, "enough; " + atBank + "; more; turned", StepConnected, "0 bank", true},
		{"a bank that fails beside a verified employer", 1, false, "verify 1; " + byStub + "; enough; chose bank b; signed_in down",
			StepConnected, "1 paystubs, 0 bank SUPPLIER_UNRESPONSIVE", true},
		{"a bank that fails beside one that was skipped", 1, false, "skip 1; skipped OTHER; enough; chose bank b; signed_in down",
			StepFailed, "1 OTHER, 0 bank SUPPLIER_UNRESPONSIVE", true},
		{"and back to the employers", 1, false, "enough; chose bank b; signed_in down; turned; verify 1; " + byStub + "; enough",
			StepConnected, "0 bank SUPPLIER_UNRESPONSIVE, 1 paystubs", true},
		{"the end", 1, false, "enough; " + atBank + "; enough", StepProgress, "0 bank", true},
		{"income only: the end of the list is the end", 1, true, "verify 1; " + byStub + "; enough", StepProgress, "1 paystubs", true},
		{"income only, and nothing shown", 1, true, "enough", StepProgress, noEmployer, true},
		{"assets only: several banks", 0, false, atBank + "; more; chose bank c; signed_in; coded; picked; enough",
			StepProgress, "0 bank, 0 bank 1", true},
		{"assets only: no employer to turn to", 0, false, "turned", StepBank, noEmployer, false},
		{"assets only: a bank that fails", 0, false, "chose bank b; signed_in down", StepFailed, "0 bank SUPPLIER_UNRESPONSIVE", true},
		{"assets only: another bank after it", 0, false, "chose bank b; signed_in down; rechose; chose bank c; signed_in; " +
			"coded; picked", StepConnected, "0 bank SUPPLIER_UNRESPONSIVE, 0 bank 1", true},
		{"he leaves, and begins again", 2, false, "verify 1; " + byStub + "; verify 2; took payroll; left; came_back",
			StepEmployers, noEmployer, true},
	} {
		j := Journey{Product: contract.Eligibility, Employers: c.employers, IncomeOnly: c.incomeOnly,
			State: Created, Step: StepConsent, Status: contract.StatusPending}
		all := []string{"came", "consented"}
		if c.inputs != "" {
			all = append(all, strings.Split(c.inputs, "; ")...)
		}
		for i, words := range all {
			next, _, ok := j.Next(at(words))
			if !ok && next != j {
				t.Errorf("%s: refused %s changes %+v to %+v", c.name, words, j, next)
			}
			if want := i < len(all)-1 || c.last; ok != want {
				t.Errorf("%s: %s is taken = %v at %s", c.name, words, ok, j.Step)
				break
			}
			j = next
		}
		if (j.Step == StepEmployers || j.Step == StepConnected) && (j.SourceType != "" || j.Bank != "" || j.Username != "" || j.Employer != 0) {
			t.Errorf("%s: half done behind the list: %+v", c.name, j)
		}
		var lines []string
		for _, s := range j.Connections() {
			words := []string{fmt.Sprint(s.Employer), string(s.SourceType), s.Skipped, string(s.Failed)}
			if s.Number > 0 {
				words = append(words, fmt.Sprint(s.Number))
			}
			lines = append(lines, strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " "))
		}
		if got := strings.Join(lines, ", "); j.Step != c.step || got != c.sources {
			t.Errorf("%s leads to %s with %q, want %s with %q", c.name, j.Step, got, c.step, c.sources)
		}
	}
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
