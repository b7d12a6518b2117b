package flow

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vestibule/internal/contract"
	"vestibule/internal/testutil/proptest"
)

// login is why an institution gives a user no access; the zero value gives it.
type login struct {
	status contract.Status
	sub    contract.Substatus
	early  bool // before the code
}

func signedIn(l login) Input {
	in := Input{Kind: EventSignedIn, Username: "u", Correct: true}
	if l.early {
		in.Status, in.Substatus = l.status, l.sub
	}
	return in
}

func coded(l login) Input {
	return Input{Kind: EventMFASubmitted, Correct: true, Status: l.status, Substatus: l.sub}
}

var (
	loginDefault = login{}
	loginError   = login{status: contract.StatusError}
	loginDown    = login{status: contract.StatusSupplierUnresponsive, early: true}
	loginMFA     = login{status: contract.StatusNotAuthenticated, sub: contract.SubMFARequired}
	loginNoEBank = login{status: contract.StatusNotAuthenticated, sub: contract.SubEBankingNotSupported, early: true}
	wrongSignIn  = Input{Kind: EventSignedIn}

	wrongCode = Input{Kind: EventMFASubmitted}
	leaves    = Input{Kind: EventClosed}

	toBank     = []Input{{Kind: EventOpened}, {Kind: EventConsented}}
	toSignIn   = append(toBank[:2:2], Input{Kind: EventInstitutionSelected, SourceType: SourceBank, Bank: "b"})
	toCode     = append(toSignIn[:3:3], signedIn(loginDefault))
	toAccounts = append(toCode[:4:4], coded(loginDefault))
	toProgress = append(toAccounts[:5:5], Input{Kind: EventAccountsSelected})
)

// threeWrongCodes is what leads from a sign-in to the next after three wrong codes.
func threeWrongCodes(before []Input) []Input {
	return append(before, signedIn(loginDefault), wrongCode, wrongCode, wrongCode, Input{Kind: EventInstitutionCleared},
		Input{Kind: EventInstitutionSelected, SourceType: SourceBank, Bank: "b"})
}

// TestNext checks the transitions of a visit, and inputs that steps do not accept.
func TestNext(t *testing.T) {
	end := func(s State, status contract.Status, sub contract.Substatus, e contract.WidgetError) Journey {
		return Journey{State: s, Step: StepEnd, Status: status, Substatus: sub, Error: e}
	}
	for _, c := range []struct {
		name     string
		scenario Scenario
		inputs   []Input
		want     Journey // without the bank, the username, the tries and the scenario
		do       Effects // of the last input
		refused  bool    // the last input
	}{
		{name: "the widget opens", inputs: toBank[:1], want: Journey{State: Open, Step: StepConsent, Status: contract.StatusPending}},
		{name: "it opens once", inputs: []Input{{Kind: EventOpened}, {Kind: EventOpened}},
			want: Journey{State: Open, Step: StepConsent, Status: contract.StatusPending}, refused: true},
		{name: "consent is given", inputs: toBank, want: Journey{State: Connecting, Step: StepBank, Status: contract.StatusPending}},
		{name: "a bank is chosen", inputs: toSignIn, want: Journey{State: Connecting, Step: StepSignIn, Status: contract.StatusPending}},
		{name: "another bank is wanted", inputs: after(toSignIn, Input{Kind: EventInstitutionCleared}),
			want: Journey{State: Connecting, Step: StepBank, Status: contract.StatusPending}},
		{name: "the sign-in is right", inputs: toCode, want: Journey{State: Connecting, Step: StepCode, Status: contract.StatusPending}},
		{name: "the sign-in is posted twice", inputs: after(toCode, signedIn(loginDefault)),
			want: Journey{State: Connecting, Step: StepCode, Status: contract.StatusPending}, refused: true},
		{name: "a password is wrong", inputs: after(toSignIn, wrongSignIn),
			want: Journey{State: Connecting, Step: StepSignIn, Status: contract.StatusPending}},
		{name: "a username is unknown, which is no other than a wrong password", inputs: after(toSignIn, wrongSignIn),
			want: Journey{State: Connecting, Step: StepSignIn, Status: contract.StatusPending}},
		{name: "a third password is wrong", inputs: after(toSignIn, wrongSignIn, wrongSignIn, wrongSignIn, leaves),
			want: end(Failed, contract.StatusNotAuthenticated, "", contract.WidgetSupplierError), do: SetStatus},
		{name: "another bank does not give new tries", inputs: after(toSignIn, wrongSignIn, wrongSignIn,
			Input{Kind: EventInstitutionCleared}, Input{Kind: EventInstitutionSelected, SourceType: SourceBank, Bank: "c"}, wrongSignIn, leaves),
			want: end(Failed, contract.StatusNotAuthenticated, "", contract.WidgetSupplierError), do: SetStatus},
		{name: "a code is wrong", inputs: after(toCode, wrongCode, wrongCode),
			want: Journey{State: Connecting, Step: StepCode, Status: contract.StatusPending}},
		{name: "a wrong code is mended", inputs: after(toCode, wrongCode, wrongCode, coded(loginDefault)),
			want: Journey{State: Connecting, Step: StepAccounts, Status: contract.StatusPending}},
		{name: "a third code is wrong, which the visit outlives", inputs: after(toCode, wrongCode, wrongCode, wrongCode),
			want: Journey{State: Connecting, Step: StepFailed, Status: contract.StatusPending}},
		{name: "another bank takes the place of one that failed",
			inputs: after(after(toCode, wrongCode, wrongCode, wrongCode, Input{Kind: EventInstitutionCleared},
				Input{Kind: EventInstitutionSelected, SourceType: SourceBank, Bank: "c"}, signedIn(loginDefault), coded(loginDefault)),
				Input{Kind: EventAccountsSelected}),
			want: Journey{State: Generating, Step: StepProgress, Status: contract.StatusPending}, do: GenerateReport},
		{name: "nine wrong codes, three at a time, are enough",
			inputs: after(toSignIn, threeWrongCodes(threeWrongCodes(threeWrongCodes(nil)))[:16]...),
			want:   end(Failed, contract.StatusNotAuthenticated, contract.SubMFARequired, contract.WidgetSupplierError), do: SetStatus},
		{name: "another code is asked for", inputs: after(toCode, Input{Kind: EventMFAResent}),
			want: Journey{State: Connecting, Step: StepCode, Status: contract.StatusPending}},
		{name: "another code is asked for too soon after the last", inputs: after(toCode, Input{Kind: EventMFAResent, At: 1},
			Input{Kind: EventMFAResent, At: 30_000_000}), want: Journey{State: Connecting,
			Step: StepCode, Status: contract.StatusPending}, refused: true},
		{name: "and half a minute after it", inputs: after(toCode, Input{Kind: EventMFAResent, At: 1},
			Input{Kind: EventMFAResent, At: 30_000_001}), want: Journey{State: Connecting, Step: StepCode, Status: contract.StatusPending}},
		{name: "a sixth code is asked for", inputs: after(toCode, Input{Kind: EventMFAResent, At: 1e8},
			Input{Kind: EventMFAResent, At: 2e8}, Input{Kind: EventMFAResent, At: 3e8}, Input{Kind: EventMFAResent, At: 4e8},
			Input{Kind: EventMFAResent, At: 5e8}), want: Journey{State: Connecting, Step: StepCode, Status: contract.StatusPending}, refused: true},
		{name: "another bank is chosen at the code", inputs: after(toCode, Input{Kind: EventInstitutionCleared}),
			want: Journey{State: Connecting, Step: StepBank, Status: contract.StatusPending}},
		{name: "time is up after a failure", inputs: after(toSignIn, signedIn(loginDown), Input{Kind: EventExpired}),
			want: end(Failed, contract.StatusSupplierUnresponsive, "", contract.WidgetSupplierError), do: SetStatus},
		{name: "consent is withdrawn after a failure", inputs: after(toSignIn, signedIn(loginDown),
			Input{Kind: EventConsentWithdrawn}), want: end(Expired, contract.StatusExpired, "", contract.WidgetRequestTimeout), do: SetStatus},
		{name: "a third code is wrong", inputs: after(toCode, wrongCode, wrongCode, wrongCode, leaves),
			want: end(Failed, contract.StatusNotAuthenticated, contract.SubMFARequired, contract.WidgetSupplierError), do: SetStatus},
		{name: "the code is right", inputs: toAccounts, want: Journey{State: Connecting, Step: StepAccounts, Status: contract.StatusPending}},
		{name: "the bank does not confirm any code", inputs: after(toSignIn, signedIn(loginMFA), coded(loginMFA), leaves),
			want: end(Failed, contract.StatusNotAuthenticated, contract.SubMFARequired, contract.WidgetSupplierError), do: SetStatus},
		{name: "firstName is mfa required", scenario: ScenarioNoMFACode, inputs: after(toAccounts, leaves),
			want: end(Failed, contract.StatusNotAuthenticated, contract.SubMFARequired, contract.WidgetSupplierError), do: SetStatus},
		{name: "lastName is supplierdown", scenario: ScenarioBureauDown, inputs: after(toCode, leaves),
			want: end(Failed, contract.StatusBureauUnresponsive, "", contract.WidgetSupplierError), do: SetStatus},
		{name: "the supplier is down", inputs: after(toSignIn, signedIn(loginDown), leaves),
			want: end(Failed, contract.StatusSupplierUnresponsive, "", contract.WidgetSupplierError), do: SetStatus},
		{name: "the bank has no e-banking", inputs: after(toSignIn, signedIn(loginNoEBank), leaves),
			want: end(Failed, contract.StatusNotAuthenticated, contract.SubEBankingNotSupported, contract.WidgetSupplierError), do: SetStatus},
		{name: "there are only debts", inputs: after(toCode, Input{Kind: EventMFASubmitted, Correct: true, Unusable: true}, leaves),
			want: end(Failed, contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts, contract.WidgetSupplierError), do: SetStatus},
		{name: "a report cannot be compiled", inputs: after(toSignIn, signedIn(loginError), coded(loginError)),
			want: end(Complete, contract.StatusError, "", ""), do: SetStatus},
		{name: "accounts are chosen", inputs: toProgress, want: Journey{State: Generating,
			Step: StepProgress, Status: contract.StatusPending}, do: GenerateReport},
		{name: "accounts are chosen twice", inputs: after(toProgress, Input{Kind: EventAccountsSelected}),
			want: Journey{State: Generating, Step: StepProgress, Status: contract.StatusPending}, refused: true},
		{name: "the report is prepared", inputs: []Input{{Kind: EventOpened}, {Kind: EventPrepared}},
			want: Journey{State: Generating, Step: StepProgress, Status: contract.StatusPending}, do: GenerateReport},
		{name: "the report is made", inputs: after(toProgress, Input{Kind: EventReportFinished,
			Status: contract.StatusSuccess, Substatus: contract.SubNoRecentInformation}),
			want: end(Complete, contract.StatusSuccess, contract.SubNoRecentInformation, "")},
		{name: "the report cannot be made", inputs: after(toProgress, Input{Kind: EventReportFinished, Status: contract.StatusError}),
			want: end(Complete, contract.StatusError, "", "")},
		{name: "it is closed at the consent", inputs: []Input{{Kind: EventOpened}, {Kind: EventClosed}},
			want: Journey{State: Closed, Step: StepConsent, Status: contract.StatusPending}},
		{name: "it is closed before it opened", inputs: []Input{{Kind: EventClosed}},
			want: Journey{State: Closed, Step: StepConsent, Status: contract.StatusPending}},
		{name: "it is closed at the code", inputs: after(toCode, Input{Kind: EventClosed}),
			want: Journey{State: Closed, Step: StepCode, Status: contract.StatusPending}},
		{name: "it cannot be closed while the report is made", inputs: after(toProgress, Input{Kind: EventClosed}),
			want: Journey{State: Generating, Step: StepProgress, Status: contract.StatusPending}, refused: true},
		{name: "a closed visit takes no step", inputs: after(toBank, Input{Kind: EventClosed},
			Input{Kind: EventInstitutionSelected, SourceType: SourceBank, Bank: "b"}),
			want: Journey{State: Closed, Step: StepBank, Status: contract.StatusPending}, refused: true},
		{name: "reopened before the consent", inputs: []Input{{Kind: EventOpened}, {Kind: EventClosed}, {Kind: EventReopened}},
			want: Journey{State: Open, Step: StepConsent, Status: contract.StatusPending}},
		{name: "reopened after the sign-in, and signed in again", inputs: after(toAccounts, Input{Kind: EventClosed},
			Input{Kind: EventReopened}), want: Journey{State: Connecting, Step: StepBank, Status: contract.StatusPending}},
		{name: "an unopened visit expires", inputs: []Input{{Kind: EventExpired}},
			want: end(Expired, contract.StatusExpired, "", contract.WidgetRequestTimeout), do: SetStatus},
		{name: "time is up for a closed one", inputs: after(toCode, Input{Kind: EventClosed}, Input{Kind: EventExpired}),
			want: end(Expired, contract.StatusExpired, "", contract.WidgetRequestTimeout), do: SetStatus},
		{name: "consent is withdrawn before the code", inputs: after(toCode, Input{Kind: EventConsentWithdrawn}),
			want: end(Expired, contract.StatusExpired, "", contract.WidgetRequestTimeout), do: SetStatus},
		{name: "consent is withdrawn when the report is being made", inputs: after(toProgress, Input{Kind: EventConsentWithdrawn}),
			want: Journey{State: Generating, Step: StepProgress, Status: contract.StatusPending}, refused: true},
		{name: "time is not up for a report being made", inputs: after(toProgress, Input{Kind: EventExpired}),
			want: Journey{State: Generating, Step: StepProgress, Status: contract.StatusPending}, refused: true},
		{name: "the widget breaks at its supplier", inputs: after(toBank, Input{Kind: EventFailed, Error: contract.WidgetSupplierError}),
			want: end(Failed, contract.StatusSupplierUnresponsive, "", contract.WidgetSupplierError), do: SetStatus},
		{name: "the widget breaks", inputs: after(toBank, Input{Kind: EventFailed, Error: contract.WidgetInternalError}),
			want: end(Failed, contract.StatusError, "", contract.WidgetInternalError), do: SetStatus},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := Journey{State: Created, Step: StepConsent, Status: contract.StatusPending, Scenario: c.scenario}
			var do Effects
			for i, in := range c.inputs {
				var ok bool
				j, do, ok = j.Next(in)
				if last := i == len(c.inputs)-1; ok == (last && c.refused) {
					t.Fatalf("input %d (%s): taken = %v", i, in.Kind, ok)
				}
			}
			j.SourceType, j.Bank, j.Username, j.Sources, j.Tries, j.Scenario = "", "", "", "", 0, ""
			j.CodeTries, j.Codes, j.CodeSent = 0, 0, 0
			if diff := cmp.Diff(c.want, j); diff != "" {
				t.Errorf("journey (-want +got):\n%s", diff)
			}
			if do != c.do {
				t.Errorf("do = %b, want %b", do, c.do)
			}
		})
	}
}

// TestNextProperties checks for any events in any order: an end is final, an outcome belongs
// to its state, the status is reported once, and a refused input changes nothing.
func TestNextProperties(t *testing.T) {
	logins := []login{loginDefault, loginError, loginDown, loginMFA, loginNoEBank}
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
				l := rapid.SampledFrom(logins).Draw(t, "login")
				in.Status, in.Substatus = l.status, l.sub
			}
			next, do, ok := j.Next(in)
			if !ok && (next != j || do != 0) {
				t.Fatalf("%d: refused %s changed %+v to %+v", i, in.Kind, j, next)
			}
			if ok && j.State.Over() {
				t.Fatalf("%d: %s moved a visit that is over: %+v", i, in.Kind, j)
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

// after is append to a copy: the prefixes of the table are shared.
func after(first []Input, rest ...Input) []Input {
	return append(first[:len(first):len(first)], rest...)
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
