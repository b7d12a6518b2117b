package visits

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/contract"
)

// inputs is one good input of each kind.
func inputs() map[Kind]Input {
	login := Login{Known: true, Profile: "default"}
	return map[Kind]Input{
		Came: {Kind: Came}, WentBack: {Kind: WentBack}, StartedOver: {Kind: StartedOver}, Prepared: {Kind: Prepared}, Consented: {Kind: Consented}, Took: {Kind: Took, Way: WayPayroll}, Turned: {Kind: Turned},
		Chose: {Kind: Chose, Way: WayBank, Bank: "b"}, Confirmed: {Kind: Confirmed}, Resent: {Kind: Resent}, Rechose: {Kind: Rechose}, SignedIn: {Kind: SignedIn, Username: "u", Login: login, OK: true},
		Coded: {Kind: Coded, Login: login, OK: true}, Picked: {Kind: Picked}, Added: {Kind: Added}, Removed: {Kind: Removed}, Handed: {Kind: Handed},
		Verify: {Kind: Verify, Employer: 2}, Skip: {Kind: Skip, Employer: 2}, Skipped: {Kind: Skipped, Reason: "OTHER"},
		More: {Kind: More}, Enough: {Kind: Enough}, Made: {Kind: Made, Status: contract.StatusSuccess}, Left: {Kind: Left}, CameBack: {Kind: CameBack}, Broke: {Kind: Broke, Error: contract.WidgetInternalError}, TimeUp: {Kind: TimeUp}, Withdrew: {Kind: Withdrew},
	}
}

// Every step of a visit for an income report takes these kinds of input, leads on so,
// and refuses all others.
func TestEveryStepAndEveryInput(t *testing.T) {
	walking := map[Kind]string{StartedOver: "open consent", Left: "closed", Broke: "failed end", TimeUp: "expired end", Withdrew: "expired end"}
	with := func(more map[Kind]string) map[Kind]string {
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
		way   Way
		takes map[Kind]string // state and step after it; the step alone in Connecting, the state alone for the same step
	}{
		{Created, StepConsent, "", with(map[Kind]string{Came: "open", StartedOver: "open"})},
		{Open, StepConsent, "", with(map[Kind]string{Prepared: "generating progress", Consented: "source", StartedOver: "open consent"})},
		{Connecting, StepSource, "", with(map[Kind]string{Took: "employer", WentBack: "open consent"})},
		{Connecting, StepBank, WayBank, with(map[Kind]string{Turned: "source", WentBack: "source", Chose: "sign-in"})},
		{Connecting, StepEmployer, WayPayroll, with(map[Kind]string{Turned: "source", WentBack: "source"})}, // what is chosen is a bank
		{Connecting, StepSignIn, WayBank, with(map[Kind]string{Rechose: "bank", WentBack: "bank", SignedIn: "code"})},
		{Connecting, StepSignIn, WayPayroll, with(map[Kind]string{Rechose: "employer", WentBack: "employer", SignedIn: "code"})},
		{Connecting, StepCode, WayBank, with(map[Kind]string{Coded: "accounts", WentBack: "sign-in", Resent: "code", Rechose: "bank"})},
		{Connecting, StepCode, WayPayroll, with(map[Kind]string{Coded: "connected", WentBack: "sign-in", Resent: "code", Rechose: "employer"})},
		{Connecting, StepFailed, WayBank, with(map[Kind]string{Rechose: "bank", WentBack: "bank", Turned: "source", Left: "failed end", TimeUp: "failed end"})},
		{Connecting, StepConfirm, WaySupplier, with(map[Kind]string{Rechose: "supplier", WentBack: "supplier", Confirmed: "generating progress"})},
		{Connecting, StepAccounts, WayBank, with(map[Kind]string{Picked: "connected"})},
		{Connecting, StepConnected, "", with(map[Kind]string{More: "source", Enough: "generating progress"})},
		{Connecting, StepDocuments, WayStubs, with(map[Kind]string{Turned: "source", WentBack: "source", Added: "documents", Removed: "documents", Handed: "connected"})},
		{Generating, StepProgress, WayStubs, map[Kind]string{Made: "complete end"}},
		{Closed, StepConsent, "", map[Kind]string{StartedOver: "open", CameBack: "open", Broke: "failed end", TimeUp: "expired end", Withdrew: "expired end"}},
		{Closed, StepDocuments, WayStubs, map[Kind]string{StartedOver: "open consent", CameBack: "source", Broke: "failed end", TimeUp: "expired end", Withdrew: "expired end"}},
		{Complete, StepEnd, WayPayroll, nil},
		{Failed, StepEnd, WayPayroll, nil},
		{Expired, StepEnd, "", nil},
	} {
		for kind, in := range inputs() {
			j := Journey{Product: contract.Income, State: c.state, Step: c.step, Way: c.way, Status: contract.StatusPending}
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
			if next.Step == StepSource && (next.Way != "" || next.Bank != "" || next.Username != "") {
				t.Errorf("%s %s: %s leaves %+v at the choice of ways", c.state, c.step, kind, next)
			}
		}
	}
}

func TestWaysOfTheMachine(t *testing.T) {
	payroll := []Input{{Kind: Came}, {Kind: Consented}, {Kind: Took, Way: WayPayroll}, {Kind: Chose, Way: WayPayroll, Bank: "p"}}
	expired := Login{Known: true, Status: contract.StatusSupplierUnresponsive, Substatus: contract.SubWidgetSessionExpired}
	end := func(s State, status contract.Status, sub contract.Substatus, e contract.WidgetError) Journey {
		return Journey{State: s, Step: StepEnd, Way: WayPayroll, Status: status, Substatus: sub, Error: e}
	}
	for _, c := range []struct {
		name      string
		rehearsal Rehearsal
		inputs    []Input
		want      Journey // without product, bank, user name, tries and rehearsal
		do        Do
	}{
		{name: "payroll is connected, and nothing more", inputs: after(payroll, signedIn(loginDefault), coded(loginDefault), Input{Kind: Enough}),
			want: Journey{State: Generating, Step: StepProgress, Status: contract.StatusPending}, do: Generate},
		{name: "the session is over after the code", inputs: after(payroll, signedIn(expired), coded(expired), leaves),
			want: end(Failed, contract.StatusSupplierUnresponsive, contract.SubWidgetSessionExpired, contract.WidgetSupplierError), do: Tell},
		{name: "the code comes too late, right or wrong", inputs: after(payroll, signedIn(loginDefault), Input{Kind: Coded, Login: loginDefault, Late: true}, leaves),
			want: end(Failed, contract.StatusSupplierUnresponsive, contract.SubWidgetSessionExpired, contract.WidgetSupplierError), do: Tell},
		{name: "the provider is down", inputs: after(payroll, signedIn(loginDown), leaves),
			want: end(Failed, contract.StatusSupplierUnresponsive, "", contract.WidgetSupplierError), do: Tell},
		{name: "three wrong codes", inputs: after(payroll, signedIn(loginDefault), wrongCode, wrongCode, wrongCode, leaves),
			want: end(Failed, contract.StatusNotAuthenticated, contract.SubMFARequired, contract.WidgetSupplierError), do: Tell},
		{name: "lastName supplierdown is about banks", rehearsal: BureauDown, inputs: after(payroll, signedIn(loginDefault)),
			want: Journey{State: Connecting, Step: StepCode, Way: WayPayroll, Status: contract.StatusPending}},
		{name: "firstName mfa required is about both", rehearsal: CodeMissing, inputs: after(payroll, signedIn(loginDefault), coded(loginDefault), leaves),
			want: end(Failed, contract.StatusNotAuthenticated, contract.SubMFARequired, contract.WidgetSupplierError), do: Tell},
		{name: "tries are counted over all ways", inputs: after(payroll, wrongSignIn, Input{Kind: Rechose}, Input{Kind: Turned}, Input{Kind: Took, Way: WayBank},
			Input{Kind: Chose, Way: WayBank, Bank: "b"}, wrongSignIn, Input{Kind: Rechose}, Input{Kind: Turned}, Input{Kind: Took, Way: WayPayroll}, Input{Kind: Chose, Way: WayPayroll, Bank: "p"}, wrongSignIn, leaves),
			want: end(Failed, contract.StatusNotAuthenticated, "", contract.WidgetSupplierError), do: Tell},
	} {
		j := Journey{Product: contract.Income, State: Created, Step: StepConsent, Status: contract.StatusPending, Rehearsal: c.rehearsal}
		var do Do
		for i, in := range c.inputs {
			var ok bool
			if j, do, ok = j.Next(in); !ok {
				t.Fatalf("%s: input %d (%s) is refused", c.name, i, in.Kind)
			}
		}
		j.Product, j.Bank, j.Username, j.Sources, j.Tries, j.Rehearsal = "", "", "", "", 0, ""
		j.CodeTries, j.Codes, j.CodeSent, j.Product = 0, 0, 0, ""
		if diff := cmp.Diff(c.want, j); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if do != c.do {
			t.Errorf("%s: do = %b, want %b", c.name, do, c.do)
		}
	}
	for _, product := range contract.Products() {
		ways := (Journey{Product: product}).ways()
		if len(ways) == 0 || product == contract.Cashflow && !slices.Equal(ways, []Way{WayBank}) {
			t.Errorf("%s has the ways %v", product, ways)
		}
	}
}

// Sources are connected one after another: banks, payroll providers, one set of pay
// stubs. What fails beside others is left out, and may be tried again.
func TestSeveralSources(t *testing.T) {
	bankAt := func(id string) []Input {
		return []Input{{Kind: Took, Way: WayBank}, {Kind: Chose, Way: WayBank, Bank: id}, signedIn(loginDefault), coded(loginDefault), {Kind: Picked, Accounts: []string{"a1", "a2"}}}
	}
	bank := bankAt("b")
	payroll := func(id string, l Login) []Input {
		return []Input{{Kind: Took, Way: WayPayroll}, {Kind: Chose, Way: WayPayroll, Bank: id}, signedIn(l), coded(l)}
	}
	down := []Input{{Kind: Took, Way: WayPayroll}, {Kind: Chose, Way: WayPayroll, Bank: "p"}, signedIn(loginDown)}
	stubs := []Input{{Kind: Took, Way: WayStubs}, {Kind: Added}, {Kind: Handed}}
	more := []Input{{Kind: More}}
	every := []Way{WayBank, WayPayroll, WayStubs}
	for _, c := range []struct {
		name  string
		parts [][]Input
		step  Step
		left  []Way
		want  []connected
	}{
		{"a bank", [][]Input{bank}, StepConnected, every, []connected{{Way: WayBank, Bank: "b", Username: "u", Accounts: []string{"a1", "a2"}}}},
		{"two banks, which are told apart", [][]Input{bank, more, bankAt("c")}, StepConnected, every,
			[]connected{{Way: WayBank, Bank: "b", Username: "u", Accounts: []string{"a1", "a2"}}, {Way: WayBank, Bank: "c", Username: "u", Nth: 1, Accounts: []string{"a1", "a2"}}}},
		{"one bank twice is one", [][]Input{bank, more, bankAt("c"), more, bank}, StepConnected, every,
			[]connected{{Way: WayBank, Bank: "c", Username: "u", Nth: 1, Accounts: []string{"a1", "a2"}}, {Way: WayBank, Bank: "b", Username: "u", Accounts: []string{"a1", "a2"}}}},
		{"a bank and two payroll providers", [][]Input{bank, more, payroll("p", loginDefault), more, payroll("q", loginDefault)}, StepConnected, every,
			[]connected{{Way: WayBank, Bank: "b", Username: "u", Accounts: []string{"a1", "a2"}}, {Way: WayPayroll, Bank: "p", Username: "u"}, {Way: WayPayroll, Bank: "q", Username: "u"}}},
		{"one provider twice is one", [][]Input{payroll("p", loginDefault), more, payroll("p", loginDefault)}, StepConnected, every, []connected{{Way: WayPayroll, Bank: "p", Username: "u"}}},
		{"pay stubs, and a provider that is down", [][]Input{stubs, more, down}, StepConnected, []Way{WayBank, WayPayroll},
			[]connected{{Way: WayStubs}, {Way: WayPayroll, Bank: "p", Failed: contract.StatusSupplierUnresponsive}}},
		{"a provider that is down, and then is not", [][]Input{stubs, more, down, more, payroll("p", loginDefault)}, StepConnected, []Way{WayBank, WayPayroll},
			[]connected{{Way: WayStubs}, {Way: WayPayroll, Bank: "p", Username: "u"}}},
		{"a code that is wrong beside pay stubs", [][]Input{stubs, more, payroll("p", loginMFA)}, StepConnected, []Way{WayBank, WayPayroll},
			[]connected{{Way: WayStubs}, {Way: WayPayroll, Bank: "p", Username: "u", Failed: contract.StatusNotAuthenticated, Why: contract.SubMFARequired}}},
		{"user error beside pay stubs", [][]Input{stubs, more, payroll("p", loginError)}, StepConnected, []Way{WayBank, WayPayroll},
			[]connected{{Way: WayStubs}, {Way: WayPayroll, Bank: "p", Username: "u", Failed: contract.StatusError}}},
		{"nothing more after all", [][]Input{stubs, more, {{Kind: Turned}}}, StepConnected, []Way{WayBank, WayPayroll}, []connected{{Way: WayStubs}}},
		{"he leaves, and signs in again", [][]Input{bank, {{Kind: Left}, {Kind: CameBack}}}, StepSource, every, nil},
		{"all there is", [][]Input{bank, more, bankAt("c"), more, bankAt("d"), more, bankAt("e"), more, bankAt("f"), more, stubs, more, payroll("1", loginDefault), more, payroll("2", loginDefault), more, payroll("3", loginDefault), more,
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
		if diff := cmp.Diff(c.left, j.left()); diff != "" {
			t.Errorf("%s: ways that are left (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.want, j.sources()); c.want != nil && diff != "" {
			t.Errorf("%s: sources (-want +got):\n%s", c.name, diff)
		}
		if _, _, ok := j.Next(Input{Kind: More}); c.left == nil && ok {
			t.Errorf("%s: more is taken", c.name)
		}
		if c.step != StepConnected {
			continue
		}
		for _, taken := range []Way{WayBank, WayStubs, WayLetters} {
			again, _, ok := j.Next(Input{Kind: More})
			if ok {
				_, _, ok = again.Next(Input{Kind: Took, Way: taken})
			}
			if want := slices.Contains(c.left, taken); ok != want {
				t.Errorf("%s: %s again is taken = %v, want %v", c.name, taken, ok, want)
			}
		}
	}
}
