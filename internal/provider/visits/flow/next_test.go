package flow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vestibule/internal/contract"
	"vestibule/internal/testutil/proptest"
)

// noAccess is why an institution gives no access, as a sign-in or a code brings it.
var noAccess = map[string]Input{
	"error":       {Status: contract.StatusError},
	"down":        {Status: contract.StatusSupplierUnresponsive},
	"over":        {Status: contract.StatusSupplierUnresponsive, Substatus: contract.SubWidgetSessionExpired},
	"mfa":         {Status: contract.StatusNotAuthenticated, Substatus: contract.SubMFARequired},
	"no_ebanking": {Status: contract.StatusNotAuthenticated, Substatus: contract.SubEBankingNotSupported},
}

// at is an input written short: its kind, and what came with it.
func at(words string) Input {
	kind, arg, _ := strings.Cut(words, " ")
	first, second, _ := strings.Cut(arg, " ")
	in := Input{}
	switch EventKind(strings.ReplaceAll(kind, "_", " ")) {
	case EventEmployerSelected, EventEmployerSkipOpened:
		_, _ = fmt.Sscan(arg, &in.Employer)
	case EventEmployerSkipped:
		in.Reason = arg
	case EventSourceSelected:
		in.SourceType = SourceType(arg)
	case EventInstitutionSelected:
		in.SourceType, in.Bank = SourceType(first), second
	case EventSignedIn, EventMFASubmitted:
		in = noAccess[arg]
		in.Username, in.Correct = "u", first != "wrong" && second != "wrong"
		in.Unusable, in.SessionExpired = arg == "unusable", first == "late"
	case EventMFAResent:
		_, _ = fmt.Sscan(arg, &in.At)
	case EventAccountsSelected:
		in.Accounts = strings.Fields(arg)
	case EventReportFinished:
		in.Status, in.Substatus = contract.Status(first), contract.Substatus(second)
	case EventFailed:
		in.Error = contract.WidgetError(arg)
	}
	in.Kind = EventKind(strings.ReplaceAll(kind, "_", " "))
	return in
}

// begun is a visit that was not opened.
func begun(product contract.Product) Journey {
	return Journey{Product: product, State: Created, Step: StepConsent, Status: contract.StatusPending}
}

// walk applies inputs, separated by semicolons. All are taken, but not the last one of a refused walk,
// which changes nothing.
func (j Journey) walk(t *testing.T, inputs string, refused bool) (Journey, Effects) {
	t.Helper()
	var effects Effects
	all := strings.Split(inputs, "; ")
	for i, words := range all {
		next, do, ok := j.Next(at(words))
		if want := !refused || i < len(all)-1; ok != want {
			t.Fatalf("%s is taken = %v at %s", words, ok, j.Step)
		}
		if !ok && (next != j || do != 0) {
			t.Errorf("refused %s changes %+v to %+v", words, j, next)
		}
		j, effects = next, effects|do
	}
	return j, effects
}

// words joins those that are not empty.
func words(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(w string) bool { return w == "" }), " ")
}

// outcome writes where a journey is, and what else happens, as the table of TestNext does.
func (j Journey) outcome(do Effects) string {
	status := string(j.Status)
	if j.Status == contract.StatusPending {
		status = ""
	}
	out := words(string(j.State), string(j.Step), string(j.SourceType), j.Bank, status, string(j.Substatus), string(j.Error))
	for effect, name := range []string{"set status", "generate"} {
		if do&(1<<effect) != 0 {
			out += ", " + name
		}
	}
	return out
}

const (
	toSignIn      = "came; consented; chose bank b"
	toCode        = toSignIn + "; signed_in"
	toAccounts    = toCode + "; coded"
	toProgress    = toAccounts + "; picked"
	toSupplier    = "came; consented; chose supplier KOR_NICE"
	toPayroll     = "came; consented; " + payrollP
	wrongCodes    = "; coded wrong; coded wrong; coded wrong" // as many as an institution allows
	another       = "; rechose; chose bank c"
	expiredAtBank = "expired end bank b EXPIRED REQUEST_TIMEOUT, set status"
	wrongAtBank   = "failed end bank b NOT_AUTHENTICATED MFA_REQUIRED_ON_FETCH SUPPLIER_ERROR, set status"
	wrongAtJob    = "failed end payroll p NOT_AUTHENTICATED MFA_REQUIRED_ON_FETCH SUPPLIER_ERROR, set status"
	sessionEnded  = "failed end payroll p SUPPLIER_UNRESPONSIVE WIDGET_SESSION_EXPIRED SUPPLIER_ERROR, set status"
)

// transitions are what inputs lead to, by product.
var transitions = map[contract.Product][]struct {
	name     string
	scenario Scenario
	inputs   string
	want     string
	refused  bool // the last input
}{
	contract.Cashflow: {
		{"the widget opens", NoScenario, "came", "open consent", false},
		{"it opens once", NoScenario, "came; came", "open consent", true},
		{"consent is given", NoScenario, "came; consented", "connecting bank bank", false},
		{"a bank is chosen", NoScenario, toSignIn, "connecting sign-in bank b", false},
		{"another bank is wanted", NoScenario, toSignIn + "; rechose", "connecting bank bank", false},
		{"the sign-in is right", NoScenario, toCode, "connecting code bank b", false},
		{"the sign-in is posted twice", NoScenario, toCode + "; signed_in", "connecting code bank b", true},
		{"a password is wrong", NoScenario, toSignIn + "; signed_in wrong", "connecting sign-in bank b", false},
		{"a third password is wrong", NoScenario, toSignIn + "; signed_in wrong; signed_in wrong; signed_in wrong; left",
			"failed end bank b NOT_AUTHENTICATED SUPPLIER_ERROR, set status", false},
		{"another bank does not give new tries", NoScenario,
			toSignIn + "; signed_in wrong; signed_in wrong" + another + "; signed_in wrong; left",
			"failed end bank c NOT_AUTHENTICATED SUPPLIER_ERROR, set status", false},
		{"a code is wrong", NoScenario, toCode + "; coded wrong; coded wrong", "connecting code bank b", false},
		{"a wrong code is mended", NoScenario, toCode + "; coded wrong; coded wrong; coded", "connecting accounts bank b", false},
		{"a third code is wrong, which the visit outlives", NoScenario, toCode + wrongCodes, "connecting failed bank b", false},
		{"another bank takes the place of one that failed", NoScenario, toCode + wrongCodes + another + "; signed_in; coded; picked",
			"generating progress bank c, generate", false},
		{"nine wrong codes, three at a time, are enough", NoScenario,
			toCode + strings.Repeat(wrongCodes+another+"; signed_in", 2) + wrongCodes,
			strings.Replace(wrongAtBank, "bank b", "bank c", 1), false},
		{"a third code is wrong, and the applicant leaves", NoScenario, toCode + wrongCodes + "; left", wrongAtBank, false},
		{"another code is asked for", NoScenario, toCode + "; resent", "connecting code bank b", false},
		{"another code is asked for too soon after the last", NoScenario, toCode + "; resent 1; resent 30000000",
			"connecting code bank b", true},
		{"and half a minute after it", NoScenario, toCode + "; resent 1; resent 30000001", "connecting code bank b", false},
		{"a sixth code is asked for", NoScenario,
			toCode + "; resent 100000000; resent 200000000; resent 300000000; resent 400000000; resent 500000000",
			"connecting code bank b", true},
		{"another bank is chosen at the code", NoScenario, toCode + "; rechose", "connecting bank bank", false},
		{"time is up after a failure", NoScenario, toSignIn + "; signed_in down; time_up",
			"failed end bank b SUPPLIER_UNRESPONSIVE SUPPLIER_ERROR, set status", false},
		{"consent is withdrawn after a failure", NoScenario, toSignIn + "; signed_in down; withdrew", expiredAtBank, false},
		{"the code is right", NoScenario, toAccounts, "connecting accounts bank b", false},
		{"the bank does not confirm any code", NoScenario, toCode + "; coded mfa; left", wrongAtBank, false},
		{"firstName is mfa required", ScenarioNoMFACode, toAccounts + "; left", wrongAtBank, false},
		{"lastName is supplierdown", ScenarioBureauDown, toCode + "; left",
			"failed end bank b BUREAU_UNRESPONSIVE SUPPLIER_ERROR, set status", false},
		{"the supplier is down", NoScenario, toSignIn + "; signed_in down; left",
			"failed end bank b SUPPLIER_UNRESPONSIVE SUPPLIER_ERROR, set status", false},
		{"the bank has no e-banking", NoScenario, toSignIn + "; signed_in no_ebanking; left",
			"failed end bank b NOT_AUTHENTICATED E_BANKING_NOT_SUPPORTED SUPPLIER_ERROR, set status", false},
		{"there are only debts", NoScenario, toCode + "; coded unusable; left",
			"failed end bank b NOT_AUTHENTICATED INCOMPATIBLE_ACCOUNT_TYPES_SUBMITTED SUPPLIER_ERROR, set status", false},
		{"a report cannot be compiled", NoScenario, toCode + "; coded error", "complete end bank b ERROR, set status", false},
		{"accounts are chosen", NoScenario, toProgress, "generating progress bank b, generate", false},
		{"accounts are chosen twice", NoScenario, toProgress + "; picked", "generating progress bank b, generate", true},
		{"the report is prepared", NoScenario, "came; prepared", "generating progress, generate", false},
		{"the report is made", NoScenario, toProgress + "; made SUCCESS NO_RECENT_USABLE_INFORMATION",
			"complete end bank b SUCCESS NO_RECENT_USABLE_INFORMATION, generate", false},
		{"the report cannot be made", NoScenario, toProgress + "; made ERROR", "complete end bank b ERROR, generate", false},
		{"it is closed at the consent", NoScenario, "came; left", "closed consent", false},
		{"it is closed before it opened", NoScenario, "left", "closed consent", false},
		{"it is closed at the code", NoScenario, toCode + "; left", "closed code bank b", false},
		{"it cannot be closed while the report is made", NoScenario, toProgress + "; left", "generating progress bank b, generate", true},
		{"a closed visit takes no step", NoScenario, "came; consented; left; chose bank b", "closed bank bank", true},
		{"reopened before the consent", NoScenario, "came; left; came_back", "open consent", false},
		{"reopened after the sign-in, and signed in again", NoScenario, toAccounts + "; left; came_back", "connecting bank bank", false},
		{"an unopened visit expires", NoScenario, "time_up", "expired end EXPIRED REQUEST_TIMEOUT, set status", false},
		{"time is up for a closed one", NoScenario, toCode + "; left; time_up", expiredAtBank, false},
		{"consent is withdrawn before the code", NoScenario, toCode + "; withdrew", expiredAtBank, false},
		{"consent is withdrawn when the report is being made", NoScenario, toProgress + "; withdrew",
			"generating progress bank b, generate", true},
		{"time is not up for a report being made", NoScenario, toProgress + "; time_up", "generating progress bank b, generate", true},
		{"the widget breaks at its supplier", NoScenario, "came; consented; broke SUPPLIER_ERROR",
			"failed end bank SUPPLIER_UNRESPONSIVE SUPPLIER_ERROR, set status", false},
		{"the widget breaks", NoScenario, "came; consented; broke INTERNAL_ERROR",
			"failed end bank ERROR INTERNAL_ERROR, set status", false},
	},
	contract.Income: {
		{"payroll is connected, and nothing more", NoScenario, toPayroll + "; signed_in; coded; enough",
			"generating progress, generate", false},
		{"the session is over after the code", NoScenario, toPayroll + "; signed_in; coded over; left", sessionEnded, false},
		{"the right code comes too late", NoScenario, toPayroll + "; signed_in; coded late; left", sessionEnded, false},
		{"a wrong code comes too late", NoScenario, toPayroll + "; signed_in; coded late wrong; left", sessionEnded, false},
		{"the provider is down", NoScenario, toPayroll + "; signed_in down; left",
			"failed end payroll p SUPPLIER_UNRESPONSIVE SUPPLIER_ERROR, set status", false},
		{"three wrong codes", NoScenario, toPayroll + "; signed_in" + wrongCodes + "; left", wrongAtJob, false},
		{"lastName supplierdown is about banks", ScenarioBureauDown, toPayroll + "; signed_in", "connecting code payroll p", false},
		{"firstName mfa required is about both", ScenarioNoMFACode, toPayroll + "; signed_in; coded; left", wrongAtJob, false},
		{"tries are counted over all ways", NoScenario,
			toPayroll + "; signed_in wrong; rechose; turned; took bank; chose bank b; signed_in wrong; " +
				"rechose; turned; took payroll; chose payroll p; signed_in wrong; left",
			"failed end payroll p NOT_AUTHENTICATED SUPPLIER_ERROR, set status", false},
	},
	contract.Passport: {
		{"the supplier follows the consent", NoScenario, "came; consented", "connecting supplier supplier", false},
		{"a supplier is chosen", NoScenario, toSupplier, "connecting confirm supplier KOR_NICE", false},
		{"another supplier is wanted", NoScenario, toSupplier + "; rechose", "connecting supplier supplier", false},
		{"the supplier is confirmed", NoScenario, toSupplier + "; confirmed", "generating progress supplier KOR_NICE, generate", false},
		{"a bureau is down", ScenarioBureauDown, toSupplier + "; confirmed", "connecting failed supplier KOR_NICE", false},
		{"a bureau is down, and the applicant leaves", ScenarioBureauDown, toSupplier + "; confirmed; left",
			"failed end supplier KOR_NICE BUREAU_UNRESPONSIVE SUPPLIER_ERROR, set status", false},
		{"coming back", NoScenario, "came; consented; left; came_back", "connecting supplier supplier", false},
		{"a second choice", NoScenario, toSupplier + "; chose supplier KOR_NICE", "connecting confirm supplier KOR_NICE", true},
		{"a bank", NoScenario, "came; consented; chose bank b", "connecting supplier supplier", true},
		{"another way", NoScenario, "came; consented; took bank", "connecting supplier supplier", true},
		{"turning", NoScenario, "came; consented; turned", "connecting supplier supplier", true},
		{"a sign-in", NoScenario, "came; consented; signed_in", "connecting supplier supplier", true},
		{"accounts", NoScenario, "came; consented; picked", "connecting supplier supplier", true},
		{"documents", NoScenario, "came; consented; handed_in", "connecting supplier supplier", true},
		{"a second consent", NoScenario, "came; consented; consented", "connecting supplier supplier", true},
	},
}

// TestNext checks the transitions of a visit, and inputs that steps do not accept.
func TestNext(t *testing.T) {
	for product, rows := range transitions {
		for _, c := range rows {
			t.Run(string(product)+"/"+c.name, func(t *testing.T) {
				j := begun(product)
				j.Scenario = c.scenario
				j, do := j.walk(t, c.inputs, c.refused)
				if got := j.outcome(do); got != c.want {
					t.Errorf("leads to %q, want %q", got, c.want)
				}
			})
		}
	}
}

// TestAvailable checks which source types a report can use.
func TestAvailable(t *testing.T) {
	for product, want := range map[contract.Product][]SourceType{contract.Cashflow: {SourceBank}, contract.Passport: {SourceSupplier},
		contract.Income: {SourceBank, SourcePayroll, SourcePaystubs}, contract.Eligibility: {SourceBank}} {
		if got := (Journey{Product: product}).available(); !slices.Equal(got, want) {
			t.Errorf("%s has the source types %v, want %v", product, got, want)
		}
	}
}

// TestNextProperties checks for any events in any order: an end is final, an outcome belongs
// to its state, the status is reported once, and a refused input changes nothing.
func TestNextProperties(t *testing.T) {
	kinds := []EventKind{EventOpened, EventWentBack, EventStartedOver, EventPrepared, EventConsented, EventSourceSelected,
		EventSourceCleared, EventInstitutionSelected, EventInstitutionConfirmed, EventInstitutionCleared, EventSignedIn,
		EventMFAResent, EventMFASubmitted, EventAccountsSelected, EventDocumentAdded, EventDocumentRemoved, EventDocumentsSubmitted,
		EventEmployerSelected, EventEmployerSkipOpened, EventEmployerSkipped, EventSourceAdded, EventSourcesFinished,
		EventReportFinished, EventClosed, EventReopened, EventFailed, EventExpired, EventConsentWithdrawn}
	proptest.Check(t, func(t *rapid.T) {
		j := Journey{Product: rapid.SampledFrom(contract.Products()).Draw(t, "product"),
			State: Created, Step: StepConsent, Status: contract.StatusPending,
			Scenario: rapid.SampledFrom([]Scenario{NoScenario, ScenarioBureauDown, ScenarioNoMFACode, ScenarioExpiresSoon}).Draw(t, "scenario")}
		if j.Product == contract.Eligibility {
			j.Employers, j.IncomeOnly = rapid.IntRange(0, 3).Draw(t, "employers"), rapid.Bool().Draw(t, "income only")
			j.IncomeOnly = j.IncomeOnly && j.Employers > 0
		}
		ended := 0
		for i := range rapid.IntRange(1, 40).Draw(t, "length") {
			in := Input{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
				SourceType: rapid.SampledFrom([]SourceType{"", SourceBank, SourcePayroll, SourcePaystubs, SourceDocuments}).Draw(t, "way"),
				Bank:       "b", Username: "u",
				Employer: rapid.IntRange(-1, 4).Draw(t, "employer"), Reason: rapid.SampledFrom([]string{"", "OTHER"}).Draw(t, "reason"),
				Correct: rapid.Bool().Draw(t, "ok"), Unusable: rapid.Bool().Draw(t, "unusable"), SessionExpired: rapid.Bool().Draw(t, "late"),
				Status: contract.StatusSuccess, Error: contract.WidgetInternalError}
			if in.Kind == EventSignedIn || in.Kind == EventMFASubmitted {
				l := noAccess[rapid.SampledFrom([]string{"", "error", "down", "mfa", "no_ebanking"}).Draw(t, "login")]
				in.Status, in.Substatus = l.Status, l.Substatus
			}
			next, do, ok := j.Next(in)
			if !ok && (next != j || do != 0) {
				t.Fatalf("%d: refused %s changed %+v to %+v", i, in.Kind, j, next)
			}
			if ok && j.State.Over() {
				t.Fatalf("%d: %s moved a visit that is over: %+v", i, in.Kind, j)
			}
			if generates := next.State == Generating && j.State != Generating; generates != (do&GenerateReport != 0) {
				t.Fatalf("%d: %s from %+v to %+v, effects %b", i, in.Kind, j, next, do)
			}
			if do&SetStatus != 0 {
				ended++
				if !next.Status.Final() || !next.State.Over() {
					t.Fatalf("%d: %s ends %+v", i, in.Kind, next)
				}
			}
			j = next
			if j.Step == StepFailed && (j.connected() || j.LastFailed().Failed == "") {
				t.Fatalf("%d: %s failed beside another source: %+v", i, in.Kind, j)
			}
			if at := j.Step == StepSkip || j.SourceType == SourceDocuments; j.Employer < 0 || j.Employer > j.Employers || at && j.Employer == 0 ||
				j.Employer > 0 && (j.SourceType == SourceBank || j.Step == StepConnected || j.Step == StepEmployers) ||
				j.IncomeOnly && j.SourceType == SourceBank {
				t.Fatalf("%d: after %s: %+v", i, in.Kind, j)
			}
			if j.State.Over() != (j.Step == StepEnd) || j.State.Over() != j.Status.Final() {
				t.Fatalf("%d: after %s: %+v", i, in.Kind, j)
			}
			if (j.Outcome() == contract.OutcomeError) != (j.Error != "") {
				t.Fatalf("%d: outcome %q with error %q", i, j.Outcome(), j.Error)
			}
		}
		if ended > 1 {
			t.Fatalf("the status was set %d times", ended)
		}
	})
}

// TestActions checks that each action asks for the event whose forms post it.
func TestActions(t *testing.T) {
	for event, action := range actions {
		if got := EventOf(action); got != event {
			t.Errorf("the action %q of %q asks for %q", action, event, got)
		}
	}
	for _, step := range []Step{StepBank, StepPayroll, StepSupplier} {
		if got := EventOf(string(step)); got != EventInstitutionSelected {
			t.Errorf("the list of %q asks for %q", step, got)
		}
	}
	for _, action := range []string{"", "drop table", string(StepConsent) + " "} {
		if got := EventOf(action); got != "" {
			t.Errorf("the action %q asks for %q", action, got)
		}
	}
}
