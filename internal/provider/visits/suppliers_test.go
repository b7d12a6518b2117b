package visits

import (
	"slices"
	"testing"

	"vestibule/internal/contract"
)

// TestAPassportIsOneChoice: consent, a supplier that is confirmed, and the report is
// made; there is nothing to sign in to, and no way to turn to.
func TestAPassportIsOneChoice(t *testing.T) {
	chose := Input{Kind: Chose, Way: WaySupplier, Bank: "KOR_NICE"}
	walk := func(r Rehearsal, inputs ...Input) (j Journey, do Do, ok bool) {
		j = Journey{Product: contract.Passport, State: Created, Step: StepConsent, Status: contract.StatusPending, Rehearsal: r}
		for _, in := range inputs {
			j, do, ok = j.Next(in)
		}
		return j, do, ok
	}
	begun, confirmed := []Input{{Kind: Came}, {Kind: Consented}}, Input{Kind: Confirmed}
	if ways := (Journey{Product: contract.Passport}).ways(); !slices.Equal(ways, []Way{WaySupplier}) {
		t.Fatalf("ways %v", ways)
	}
	if j, do, ok := walk(NoRehearsal, begun...); !ok || do != 0 || j.Step != StepSupplier || j.Way != WaySupplier || j.State != Connecting {
		t.Errorf("after the consent: %+v", j)
	}
	if j, do, ok := walk(NoRehearsal, append(begun, chose)...); !ok || do != 0 || j.State != Connecting || j.Step != StepConfirm {
		t.Errorf("after the choice: %+v, %v", j, do)
	}
	if j, _, ok := walk(NoRehearsal, append(begun, chose, Input{Kind: Rechose})...); !ok || j.Step != StepSupplier || j.Bank != "" {
		t.Errorf("after another choice is wanted: %+v", j)
	}
	if j, do, ok := walk(NoRehearsal, append(begun, chose, confirmed)...); !ok || do != Generate || j.State != Generating || j.Step != StepProgress || j.Bank != "KOR_NICE" {
		t.Errorf("after it is confirmed: %+v, %v", j, do)
	}
	if j, do, ok := walk(BureauDown, append(begun, chose, confirmed)...); !ok || do != 0 || j.Step != StepFailed {
		t.Errorf("a bureau that is down: %+v", j)
	}
	if j, do, ok := walk(BureauDown, append(begun, chose, confirmed, Input{Kind: Left})...); !ok || do != Tell || j.State != Failed || j.Status != contract.StatusBureauUnresponsive || j.Error != contract.WidgetSupplierError {
		t.Errorf("a bureau that is down: %+v", j)
	}
	for name, in := range map[string]Input{"a bank": {Kind: Chose, Way: WayBank, Bank: "b"}, "another way": {Kind: Took, Way: WayBank}, "turning": {Kind: Turned},
		"a sign-in": {Kind: SignedIn, OK: true}, "accounts": {Kind: Picked}, "documents": {Kind: Handed}, "a second consent": {Kind: Consented}} {
		if j, _, ok := walk(NoRehearsal, append(begun, in)...); ok || j.Step != StepSupplier {
			t.Errorf("%s is taken: %+v", name, j)
		}
	}
	if j, _, ok := walk(NoRehearsal, append(begun, chose, chose)...); ok || j.Step != StepConfirm {
		t.Errorf("a second choice is taken: %+v", j)
	}
	if j, _, ok := walk(NoRehearsal, append(begun, Input{Kind: Left}, Input{Kind: CameBack})...); !ok || j.Step != StepSupplier {
		t.Errorf("coming back: %+v", j)
	}
	for _, p := range []contract.Product{contract.Cashflow, contract.Income, contract.Eligibility} {
		if slices.Contains((Journey{Product: p}).ways(), WaySupplier) {
			t.Errorf("a report of %s is made at a supplier", p)
		}
	}
}
