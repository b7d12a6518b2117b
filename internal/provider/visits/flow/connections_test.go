package flow

import (
	"slices"
	"strings"
	"testing"

	"vestibule/internal/contract"
)

// everyInput has one good input of each kind.
var everyInput = []string{"came", "went_back", "started_over", "prepared", "consented", "took payroll", "turned", "chose bank b",
	"confirmed", "resent", "rechose", "signed_in", "coded", "picked", "added", "removed", "handed_in", "verify 2", "skip 2", "skipped OTHER",
	"more", "enough", "made SUCCESS", "left", "came_back", "broke INTERNAL_ERROR", "time_up", "withdrew"}

// activeVisit is what all steps of a visit that goes on accept, unless a row of stepInputs says otherwise.
const activeVisit = "; started_over > open consent; left > closed; broke > failed end; time_up > expired end; withdrew > expired end"

// stepInputs are the inputs that the steps of a visit for an income report accept, and the state and step after
// each: the step alone in Connecting, the state alone for the same step. Of two lines for an input the first counts.
var stepInputs = []struct {
	state   State
	step    Step
	source  SourceType
	accepts string
}{
	{Created, StepConsent, "", "came > open; started_over > open" + activeVisit},
	{Open, StepConsent, "", "prepared > generating progress; consented > source" + activeVisit},
	{Connecting, StepSource, "", "took > employer; went_back > open consent" + activeVisit},
	{Connecting, StepBank, SourceBank, "turned > source; went_back > source; chose > sign-in" + activeVisit},
	{Connecting, StepPayroll, SourcePayroll, "turned > source; went_back > source" + activeVisit}, // what is chosen is a bank
	{Connecting, StepSignIn, SourceBank, "rechose > bank; went_back > bank; signed_in > code" + activeVisit},
	{Connecting, StepSignIn, SourcePayroll, "rechose > employer; went_back > employer; signed_in > code" + activeVisit},
	{Connecting, StepCode, SourceBank, "coded > accounts; went_back > sign-in; resent > code; rechose > bank" + activeVisit},
	{Connecting, StepCode, SourcePayroll, "coded > connected; went_back > sign-in; resent > code; rechose > employer" + activeVisit},
	{Connecting, StepFailed, SourceBank,
		"rechose > bank; went_back > bank; turned > source; left > failed end; time_up > failed end" + activeVisit},
	{Connecting, StepConfirm, SourceSupplier,
		"rechose > supplier; went_back > supplier; confirmed > generating progress; added > confirm; removed > confirm" + activeVisit},
	{Connecting, StepAccounts, SourceBank, "picked > connected" + activeVisit},
	{Connecting, StepConnected, "", "more > source; enough > generating progress" + activeVisit},
	{Connecting, StepDocuments, SourcePaystubs,
		"turned > source; went_back > source; added > documents; removed > documents; handed_in > connected" + activeVisit},
	{Generating, StepProgress, SourcePaystubs, "made > complete end"},
	{Closed, StepConsent, "", "started_over > open; came_back > open; broke > failed end; time_up > expired end; withdrew > expired end"},
	{Closed, StepDocuments, SourcePaystubs,
		"started_over > open consent; came_back > source; broke > failed end; time_up > expired end; withdrew > expired end"},
	{Complete, StepEnd, SourcePayroll, ""},
	{Failed, StepEnd, SourcePayroll, ""},
	{Expired, StepEnd, "", ""},
}

// TestAllStepsWithAllInputs applies each kind of input to each step of a visit for an income
// report: it leads to the expected step or is refused.
func TestAllStepsWithAllInputs(t *testing.T) {
	for _, c := range stepInputs {
		for _, input := range everyInput {
			j := Journey{Product: contract.Income, State: c.state, Step: c.step, SourceType: c.source, Status: contract.StatusPending}
			next, _, ok := j.Next(at(input))
			kind, _, _ := strings.Cut(input, " ")
			_, line, taken := strings.Cut("; "+c.accepts, "; "+kind+" > ")
			want, _, _ := strings.Cut(line, ";")
			got := string(next.State) + " " + string(next.Step)
			switch {
			case next.Step == c.step && next.State != c.state:
				got = string(next.State)
			case next.State == Connecting:
				got = string(next.Step)
			}
			switch {
			case ok != taken:
				t.Errorf("%s %s %s: %s is taken = %v, want %v", c.state, c.step, c.source, input, ok, taken)
			case !ok && next != j:
				t.Errorf("%s %s: refused %s leads to %+v", c.state, c.step, input, next)
			case ok && got != want:
				t.Errorf("%s %s %s: %s leads to %q, want %q", c.state, c.step, c.source, input, got, want)
			case ok && next.Step == StepSource && (next.SourceType != "" || next.Bank != "" || next.Username != ""):
				t.Errorf("%s %s: %s leaves %+v at the choice of sources", c.state, c.step, input, next)
			}
		}
	}
}

func bankAt(id string) string {
	return "took bank; chose bank " + id + "; signed_in; coded; picked a1 a2"
}

func jobAt(id string) string { return "took payroll; chose payroll " + id + "; signed_in; coded" }

const (
	every     = "bank payroll paystubs"
	notStubs  = "bank payroll"
	jobIsDown = payrollP + "; signed_in down"
)

// severalSources has the inputs of an income report's visit, with "more" between the sources, the source types that
// can be connected after them, and the sources.
var severalSources = []struct {
	name   string
	inputs []string
	step   Step
	left   string
	want   string
}{
	{"a bank", []string{bankAt("b")}, StepConnected, every, "bank b u a1+a2"},
	{"two banks, which are told apart", []string{bankAt("b"), bankAt("c")}, StepConnected, every, "bank b u a1+a2, bank c u #1 a1+a2"},
	{"one bank twice is one", []string{bankAt("b"), bankAt("c"), bankAt("b")},
		StepConnected, every, "bank c u #1 a1+a2, bank b u a1+a2"},
	{"a bank and two payroll providers", []string{bankAt("b"), jobAt("p"), jobAt("q")},
		StepConnected, every, "bank b u a1+a2, payroll p u, payroll q u"},
	{"one provider twice is one", []string{jobAt("p"), jobAt("p")}, StepConnected, every, "payroll p u"},
	{"pay stubs, and a provider that is down", []string{byStub, jobIsDown},
		StepConnected, notStubs, "paystubs, payroll p SUPPLIER_UNRESPONSIVE"},
	{"a provider that is down, and then is not", []string{byStub, jobIsDown, jobAt("p")}, StepConnected, notStubs, "paystubs, payroll p u"},
	{"a code that is wrong beside pay stubs", []string{byStub, jobAt("p") + " mfa"},
		StepConnected, notStubs, "paystubs, payroll p u NOT_AUTHENTICATED MFA_REQUIRED_ON_FETCH"},
	{"user error beside pay stubs", []string{byStub, jobAt("p") + " error"}, StepConnected, notStubs, "paystubs, payroll p u ERROR"},
	{"nothing more after all", []string{byStub, "turned"}, StepConnected, notStubs, "paystubs"},
	{"closed, and signed in again", []string{bankAt("b") + "; left; came_back"}, StepSource, every, ""},
	{"all there is", []string{bankAt("b"), bankAt("c"), bankAt("d"), bankAt("e"), bankAt("f"), byStub,
		jobAt("1"), jobAt("2"), jobAt("3"), jobAt("4"), jobAt("5"), jobAt("6")}, StepConnected, "",
		"bank b u a1+a2, bank c u #1 a1+a2, bank d u #2 a1+a2, bank e u #3 a1+a2, bank f u #4 a1+a2, paystubs, " +
			"payroll 1 u, payroll 2 u, payroll 3 u, payroll 4 u, payroll 5 u, payroll 6 u"},
}

// TestSeveralSources connects banks, payroll providers and a set of pay stubs one after
// another. A source that fails is left out and can be tried again.
func TestSeveralSources(t *testing.T) {
	for _, c := range severalSources {
		t.Run(c.name, func(t *testing.T) {
			j := Journey{Product: contract.Income, State: Connecting, Step: StepSource, Status: contract.StatusPending}
			j, do := j.walk(t, strings.Join(c.inputs, "; more; "), false)
			if j.Step != c.step || do != 0 {
				t.Errorf("leads to %s with the effects %b, want %s", j.Step, do, c.step)
			}
			var left []string
			for _, source := range j.Remaining() {
				left = append(left, string(source))
			}
			if got := strings.Join(left, " "); got != c.left {
				t.Errorf("source types that are left: %q, want %q", got, c.left)
			}
			if got := j.sources(); got != c.want {
				t.Errorf("sources: %q, want %q", got, c.want)
			}
			again, _, more := j.Next(at("more"))
			if c.left == "" && more {
				t.Error("more is taken")
			}
			if c.step != StepConnected {
				return
			}
			for _, source := range []SourceType{SourceBank, SourcePaystubs, SourceDocuments} {
				_, _, ok := again.Next(at("took " + string(source)))
				if want := slices.Contains(left, string(source)); (more && ok) != want {
					t.Errorf("%s again is taken = %v, want %v", source, more && ok, want)
				}
			}
		})
	}
}
