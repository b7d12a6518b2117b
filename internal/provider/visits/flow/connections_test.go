package flow

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/contract"
)

// inputs is one good input of each kind.
func inputs() map[EventKind]Input {
	return map[EventKind]Input{
		EventOpened: {Kind: EventOpened}, EventWentBack: {Kind: EventWentBack}, EventStartedOver: {Kind: EventStartedOver},
		EventPrepared: {Kind: EventPrepared}, EventConsented: {Kind: EventConsented},
		EventSourceSelected: {Kind: EventSourceSelected, SourceType: SourcePayroll}, EventSourceCleared: {Kind: EventSourceCleared},
		EventInstitutionSelected:  {Kind: EventInstitutionSelected, SourceType: SourceBank, Bank: "b"},
		EventInstitutionConfirmed: {Kind: EventInstitutionConfirmed}, EventMFAResent: {Kind: EventMFAResent},
		EventInstitutionCleared: {Kind: EventInstitutionCleared}, EventSignedIn: {Kind: EventSignedIn,
			Username: "u", Correct: true},
		EventMFASubmitted:     {Kind: EventMFASubmitted, Correct: true},
		EventAccountsSelected: {Kind: EventAccountsSelected}, EventDocumentAdded: {Kind: EventDocumentAdded},
		EventDocumentRemoved: {Kind: EventDocumentRemoved}, EventDocumentsSubmitted: {Kind: EventDocumentsSubmitted},
		EventEmployerSelected: {Kind: EventEmployerSelected, Employer: 2}, EventEmployerSkipOpened: {Kind: EventEmployerSkipOpened,
			Employer: 2}, EventEmployerSkipped: {Kind: EventEmployerSkipped, Reason: "OTHER"},
		EventSourceAdded: {Kind: EventSourceAdded}, EventSourcesFinished: {Kind: EventSourcesFinished},
		EventReportFinished: {Kind: EventReportFinished, Status: contract.StatusSuccess}, EventClosed: {Kind: EventClosed},
		EventReopened: {Kind: EventReopened}, EventFailed: {Kind: EventFailed, Error: contract.WidgetInternalError},
		EventExpired: {Kind: EventExpired}, EventConsentWithdrawn: {Kind: EventConsentWithdrawn},
	}
}

// TestAllStepsWithAllInputs applies each kind of input to each step of a visit for an income
// report: it leads to the expected step or is refused.
func TestAllStepsWithAllInputs(t *testing.T) {
	walking := map[EventKind]string{EventStartedOver: "open consent", EventClosed: "closed", EventFailed: "failed end",
		EventExpired: "expired end", EventConsentWithdrawn: "expired end"}
	with := func(more map[EventKind]string) map[EventKind]string {
		for k, v := range walking {
			if _, ok := more[k]; !ok {
				more[k] = v
			}
		}
		return more
	}
	for _, c := range []struct {
		state State
		step  Step
		way   SourceType
		takes map[EventKind]string // state and step after it; the step alone in Connecting, the state alone for the same step
	}{
		{Created, StepConsent, "", with(map[EventKind]string{EventOpened: "open", EventStartedOver: "open"})},
		{Open, StepConsent, "", with(map[EventKind]string{EventPrepared: "generating progress",
			EventConsented: "source", EventStartedOver: "open consent"})},
		{Connecting, StepSource, "", with(map[EventKind]string{EventSourceSelected: "employer", EventWentBack: "open consent"})},
		{Connecting, StepBank, SourceBank,
			with(map[EventKind]string{EventSourceCleared: "source", EventWentBack: "source", EventInstitutionSelected: "sign-in"})},
		// what is chosen is a bank
		{Connecting, StepPayroll, SourcePayroll, with(map[EventKind]string{EventSourceCleared: "source", EventWentBack: "source"})},
		{Connecting, StepSignIn, SourceBank,
			with(map[EventKind]string{EventInstitutionCleared: "bank", EventWentBack: "bank", EventSignedIn: "code"})},
		{Connecting, StepSignIn, SourcePayroll,
			with(map[EventKind]string{EventInstitutionCleared: "employer", EventWentBack: "employer", EventSignedIn: "code"})},
		{Connecting, StepCode, SourceBank, with(map[EventKind]string{EventMFASubmitted: "accounts", EventWentBack: "sign-in",
			EventMFAResent: "code", EventInstitutionCleared: "bank"})},
		{Connecting, StepCode, SourcePayroll, with(map[EventKind]string{EventMFASubmitted: "connected", EventWentBack: "sign-in",
			EventMFAResent: "code", EventInstitutionCleared: "employer"})},
		{Connecting, StepFailed, SourceBank, with(map[EventKind]string{EventInstitutionCleared: "bank", EventWentBack: "bank",
			EventSourceCleared: "source", EventClosed: "failed end", EventExpired: "failed end"})},
		{Connecting, StepConfirm, SourceSupplier, with(map[EventKind]string{EventInstitutionCleared: "supplier",
			EventWentBack: "supplier", EventInstitutionConfirmed: "generating progress",
			EventDocumentAdded: "confirm", EventDocumentRemoved: "confirm"})},
		{Connecting, StepAccounts, SourceBank, with(map[EventKind]string{EventAccountsSelected: "connected"})},
		{Connecting, StepConnected, "", with(map[EventKind]string{EventSourceAdded: "source", EventSourcesFinished: "generating progress"})},
		{Connecting, StepDocuments, SourcePaystubs, with(map[EventKind]string{EventSourceCleared: "source", EventWentBack: "source",
			EventDocumentAdded: "documents", EventDocumentRemoved: "documents", EventDocumentsSubmitted: "connected"})},
		{Generating, StepProgress, SourcePaystubs, map[EventKind]string{EventReportFinished: "complete end"}},
		{Closed, StepConsent, "", map[EventKind]string{EventStartedOver: "open", EventReopened: "open", EventFailed: "failed end",
			EventExpired: "expired end", EventConsentWithdrawn: "expired end"}},
		{Closed, StepDocuments, SourcePaystubs, map[EventKind]string{EventStartedOver: "open consent", EventReopened: "source",
			EventFailed: "failed end", EventExpired: "expired end", EventConsentWithdrawn: "expired end"}},
		{Complete, StepEnd, SourcePayroll, nil},
		{Failed, StepEnd, SourcePayroll, nil},
		{Expired, StepEnd, "", nil},
	} {
		for kind, in := range inputs() {
			j := Journey{Product: contract.Income, State: c.state, Step: c.step, SourceType: c.way, Status: contract.StatusPending}
			next, _, ok := j.Next(in)
			want, taken := c.takes[kind]
			if ok != taken {
				t.Errorf("%s %s %s: %s is taken = %v, want %v", c.state, c.step, c.way, kind, ok, taken)
				continue
			}
			if !ok {
				if next != j {
					t.Errorf("%s %s: refused %s leads to %+v", c.state, c.step, kind, next)
				}
				continue
			}
			got := string(next.State) + " " + string(next.Step)
			switch {
			case next.Step == c.step && next.State != c.state:
				got = string(next.State)
			case next.State == Connecting:
				got = string(next.Step)
			}
			if got != want {
				t.Errorf("%s %s %s: %s leads to %q, want %q", c.state, c.step, c.way, kind, got, want)
			}
			if next.Step == StepSource && (next.SourceType != "" || next.Bank != "" || next.Username != "") {
				t.Errorf("%s %s: %s leaves %+v at the choice of sources", c.state, c.step, kind, next)
			}
		}
	}
}

func TestStateMachinePaths(t *testing.T) {
	payroll := []Input{{Kind: EventOpened}, {Kind: EventConsented}, {Kind: EventSourceSelected, SourceType: SourcePayroll},
		{Kind: EventInstitutionSelected, SourceType: SourcePayroll, Bank: "p"}}
	expired := login{status: contract.StatusSupplierUnresponsive, sub: contract.SubWidgetSessionExpired}
	end := func(s State, status contract.Status, sub contract.Substatus, e contract.WidgetError) Journey {
		return Journey{State: s, Step: StepEnd, SourceType: SourcePayroll, Status: status, Substatus: sub, Error: e}
	}
	for _, c := range []struct {
		name     string
		scenario Scenario
		inputs   []Input
		want     Journey // without product, bank, username, tries and scenario
		do       Effects
	}{
		{name: "payroll is connected, and nothing more", inputs: after(payroll, signedIn(loginDefault),
			coded(loginDefault), Input{Kind: EventSourcesFinished}),
			want: Journey{State: Generating, Step: StepProgress, Status: contract.StatusPending}, do: GenerateReport},
		{name: "the session is over after the code", inputs: after(payroll, signedIn(expired), coded(expired), leaves),
			want: end(Failed, contract.StatusSupplierUnresponsive, contract.SubWidgetSessionExpired, contract.WidgetSupplierError), do: SetStatus},
		{name: "the code comes too late, right or wrong", inputs: after(payroll, signedIn(loginDefault),
			Input{Kind: EventMFASubmitted, SessionExpired: true}, leaves),
			want: end(Failed, contract.StatusSupplierUnresponsive, contract.SubWidgetSessionExpired, contract.WidgetSupplierError), do: SetStatus},
		{name: "the provider is down", inputs: after(payroll, signedIn(loginDown), leaves),
			want: end(Failed, contract.StatusSupplierUnresponsive, "", contract.WidgetSupplierError), do: SetStatus},
		{name: "three wrong codes", inputs: after(payroll, signedIn(loginDefault), wrongCode, wrongCode, wrongCode, leaves),
			want: end(Failed, contract.StatusNotAuthenticated, contract.SubMFARequired, contract.WidgetSupplierError), do: SetStatus},
		{name: "lastName supplierdown is about banks", scenario: ScenarioBureauDown, inputs: after(payroll, signedIn(loginDefault)),
			want: Journey{State: Connecting, Step: StepCode, SourceType: SourcePayroll, Status: contract.StatusPending}},
		{name: "firstName mfa required is about both", scenario: ScenarioNoMFACode,
			inputs: after(payroll, signedIn(loginDefault), coded(loginDefault), leaves),
			want:   end(Failed, contract.StatusNotAuthenticated, contract.SubMFARequired, contract.WidgetSupplierError), do: SetStatus},
		{name: "tries are counted over all ways", inputs: after(payroll, wrongSignIn, Input{Kind: EventInstitutionCleared},
			Input{Kind: EventSourceCleared}, Input{Kind: EventSourceSelected, SourceType: SourceBank},
			Input{Kind: EventInstitutionSelected, SourceType: SourceBank, Bank: "b"}, wrongSignIn, Input{Kind: EventInstitutionCleared},
			Input{Kind: EventSourceCleared}, Input{Kind: EventSourceSelected, SourceType: SourcePayroll},
			Input{Kind: EventInstitutionSelected, SourceType: SourcePayroll, Bank: "p"}, wrongSignIn, leaves),
			want: end(Failed, contract.StatusNotAuthenticated, "", contract.WidgetSupplierError), do: SetStatus},
	} {
		j := Journey{Product: contract.Income, State: Created, Step: StepConsent, Status: contract.StatusPending, Scenario: c.scenario}
		var do Effects
		for i, in := range c.inputs {
			var ok bool
			if j, do, ok = j.Next(in); !ok {
				t.Fatalf("%s: input %d (%s) is refused", c.name, i, in.Kind)
			}
		}
		j.Product, j.Bank, j.Username, j.Sources, j.Tries, j.Scenario = "", "", "", "", 0, ""
		j.CodeTries, j.Codes, j.CodeSent, j.Product = 0, 0, 0, ""
		if diff := cmp.Diff(c.want, j); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if do != c.do {
			t.Errorf("%s: do = %b, want %b", c.name, do, c.do)
		}
	}
	for _, product := range contract.Products() {
		ways := (Journey{Product: product}).available()
		if len(ways) == 0 || product == contract.Cashflow && !slices.Equal(ways, []SourceType{SourceBank}) {
			t.Errorf("%s has the source types %v", product, ways)
		}
	}
}

// TestSeveralSources connects banks, payroll providers and a set of pay stubs one after
// another. A source that fails is left out and can be tried again.
func TestSeveralSources(t *testing.T) {
	bankAt := func(id string) []Input {
		return []Input{{Kind: EventSourceSelected, SourceType: SourceBank}, {Kind: EventInstitutionSelected, SourceType: SourceBank,
			Bank: id}, signedIn(loginDefault), coded(loginDefault), {Kind: EventAccountsSelected, Accounts: []string{"a1", "a2"}}}
	}
	bank := bankAt("b")
	payroll := func(id string, l login) []Input {
		return []Input{{Kind: EventSourceSelected, SourceType: SourcePayroll},
			{Kind: EventInstitutionSelected, SourceType: SourcePayroll, Bank: id}, signedIn(l), coded(l)}
	}
	down := []Input{{Kind: EventSourceSelected, SourceType: SourcePayroll},
		{Kind: EventInstitutionSelected, SourceType: SourcePayroll, Bank: "p"}, signedIn(loginDown)}
	stubs := []Input{{Kind: EventSourceSelected, SourceType: SourcePaystubs}, {Kind: EventDocumentAdded}, {Kind: EventDocumentsSubmitted}}
	more := []Input{{Kind: EventSourceAdded}}
	every := []SourceType{SourceBank, SourcePayroll, SourcePaystubs}
	for _, c := range []struct {
		name  string
		parts [][]Input
		step  Step
		left  []SourceType
		want  []Connection
	}{
		{"a bank", [][]Input{bank}, StepConnected, every,
			[]Connection{{SourceType: SourceBank, Bank: "b", Username: "u", Accounts: []string{"a1", "a2"}}}},
		{"two banks, which are told apart", [][]Input{bank, more, bankAt("c")}, StepConnected, every,
			[]Connection{{SourceType: SourceBank, Bank: "b", Username: "u", Accounts: []string{"a1", "a2"}},
				{SourceType: SourceBank, Bank: "c", Username: "u", Number: 1, Accounts: []string{"a1", "a2"}}}},
		{"one bank twice is one", [][]Input{bank, more, bankAt("c"), more, bank}, StepConnected, every,
			[]Connection{{SourceType: SourceBank, Bank: "c", Username: "u", Number: 1, Accounts: []string{"a1", "a2"}},
				{SourceType: SourceBank, Bank: "b", Username: "u", Accounts: []string{"a1", "a2"}}}},
		{"a bank and two payroll providers", [][]Input{bank, more, payroll("p", loginDefault),
			more, payroll("q", loginDefault)}, StepConnected, every,
			[]Connection{{SourceType: SourceBank, Bank: "b", Username: "u", Accounts: []string{"a1", "a2"}},
				{SourceType: SourcePayroll, Bank: "p", Username: "u"}, {SourceType: SourcePayroll, Bank: "q", Username: "u"}}},
		{"one provider twice is one", [][]Input{payroll("p", loginDefault), more, payroll("p", loginDefault)}, StepConnected,
			every, []Connection{{SourceType: SourcePayroll, Bank: "p", Username: "u"}}},
		{"pay stubs, and a provider that is down", [][]Input{stubs, more, down}, StepConnected, []SourceType{SourceBank, SourcePayroll},
			[]Connection{{SourceType: SourcePaystubs}, {SourceType: SourcePayroll, Bank: "p", Failed: contract.StatusSupplierUnresponsive}}},
		{"a provider that is down, and then is not", [][]Input{stubs, more, down, more, payroll("p", loginDefault)},
			StepConnected, []SourceType{SourceBank, SourcePayroll},
			[]Connection{{SourceType: SourcePaystubs}, {SourceType: SourcePayroll, Bank: "p", Username: "u"}}},
		{"a code that is wrong beside pay stubs", [][]Input{stubs, more, payroll("p", loginMFA)},
			StepConnected, []SourceType{SourceBank, SourcePayroll},
			[]Connection{{SourceType: SourcePaystubs}, {SourceType: SourcePayroll, Bank: "p", Username: "u",
				Failed: contract.StatusNotAuthenticated, Substatus: contract.SubMFARequired}}},
		{"user error beside pay stubs", [][]Input{stubs, more, payroll("p", loginError)}, StepConnected, []SourceType{SourceBank, SourcePayroll},
			[]Connection{{SourceType: SourcePaystubs}, {SourceType: SourcePayroll, Bank: "p", Username: "u", Failed: contract.StatusError}}},
		{"nothing more after all", [][]Input{stubs, more, {{Kind: EventSourceCleared}}}, StepConnected,
			[]SourceType{SourceBank, SourcePayroll}, []Connection{{SourceType: SourcePaystubs}}},
		{"closed, and signed in again", [][]Input{bank, {{Kind: EventClosed}, {Kind: EventReopened}}}, StepSource, every, nil},
		{"all there is", [][]Input{bank, more, bankAt("c"), more, bankAt("d"), more, bankAt("e"), more, bankAt("f"), more,
			stubs, more, payroll("1", loginDefault), more, payroll("2", loginDefault), more, payroll("3", loginDefault), more,
			payroll("4", loginDefault), more, payroll("5", loginDefault), more, payroll("6", loginDefault)}, StepConnected, nil, nil},
	} {
		j := Journey{Product: contract.Income, State: Connecting, Step: StepSource, Status: contract.StatusPending}
		for _, part := range c.parts {
			for _, in := range part {
				next, do, ok := j.Next(in)
				if !ok || do != 0 {
					t.Fatalf("%s: %s at %s: taken = %v, do = %b", c.name, in.Kind, j.Step, ok, do)
				}
				j = next
			}
		}
		if j.Step != c.step {
			t.Errorf("%s leads to %s, want %s", c.name, j.Step, c.step)
		}
		if diff := cmp.Diff(c.left, j.Remaining()); diff != "" {
			t.Errorf("%s: ways that are left (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.want, j.Connections()); c.want != nil && diff != "" {
			t.Errorf("%s: sources (-want +got):\n%s", c.name, diff)
		}
		if _, _, ok := j.Next(Input{Kind: EventSourceAdded}); c.left == nil && ok {
			t.Errorf("%s: more is taken", c.name)
		}
		if c.step != StepConnected {
			continue
		}
		for _, taken := range []SourceType{SourceBank, SourcePaystubs, SourceDocuments} {
			again, _, ok := j.Next(Input{Kind: EventSourceAdded})
			if ok {
				_, _, ok = again.Next(Input{Kind: EventSourceSelected, SourceType: taken})
			}
			if want := slices.Contains(c.left, taken); ok != want {
				t.Errorf("%s: %s again is taken = %v, want %v", c.name, taken, ok, want)
			}
		}
	}
}
