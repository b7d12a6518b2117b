package flow

import (
	"slices"
	"testing"

	"vestibule/internal/contract"
)

// TestPassportHasOneSource: consent, a supplier that is confirmed, and the report is
// made; there is nothing to sign in to, and no way to turn to.
func TestPassportHasOneSource(t *testing.T) {
	chose := Input{Kind: EventInstitutionSelected, SourceType: SourceSupplier, Bank: "KOR_NICE"}
	walk := func(r Scenario, inputs ...Input) (j Journey, do Effects, ok bool) {
		j = Journey{Product: contract.Passport, State: Created, Step: StepConsent, Status: contract.StatusPending, Scenario: r}
		for _, in := range inputs {
			j, do, ok = j.Next(in)
		}
		return j, do, ok
	}
	begun, confirmed := []Input{{Kind: EventOpened}, {Kind: EventConsented}}, Input{Kind: EventInstitutionConfirmed}
	if ways := (Journey{Product: contract.Passport}).available(); !slices.Equal(ways, []SourceType{SourceSupplier}) {
		t.Fatalf("ways %v", ways)
	}
	if j, do, ok := walk(NoScenario, begun...); !ok || do != 0 || j.Step != StepSupplier ||
		j.SourceType != SourceSupplier || j.State != Connecting {
		t.Errorf("after the consent: %+v", j)
	}
	if j, do, ok := walk(NoScenario, append(begun, chose)...); !ok || do != 0 || j.State != Connecting || j.Step != StepConfirm {
		t.Errorf("after the choice: %+v, %v", j, do)
	}
	if j, _, ok := walk(NoScenario, append(begun, chose, Input{Kind: EventInstitutionCleared})...); !ok ||
		j.Step != StepSupplier || j.Bank != "" {
		t.Errorf("after another choice is wanted: %+v", j)
	}
	if j, do, ok := walk(NoScenario, append(begun, chose, confirmed)...); !ok || do != GenerateReport ||
		j.State != Generating || j.Step != StepProgress || j.Bank != "KOR_NICE" {
		t.Errorf("after it is confirmed: %+v, %v", j, do)
	}
	if j, do, ok := walk(ScenarioBureauDown, append(begun, chose, confirmed)...); !ok || do != 0 || j.Step != StepFailed {
		t.Errorf("a bureau that is down: %+v", j)
	}
	if j, do, ok := walk(ScenarioBureauDown, append(begun, chose, confirmed, Input{Kind: EventClosed})...); !ok ||
		do != SetStatus || j.State != Failed || j.Status != contract.StatusBureauUnresponsive || j.Error != contract.WidgetSupplierError {
		t.Errorf("a bureau that is down: %+v", j)
	}
	for name, in := range map[string]Input{"a bank": {Kind: EventInstitutionSelected, SourceType: SourceBank, Bank: "b"},
		"another way": {Kind: EventSourceSelected, SourceType: SourceBank}, "turning": {Kind: EventSourceCleared},
		"a sign-in": {Kind: EventSignedIn, Correct: true}, "accounts": {Kind: EventAccountsSelected},
		"documents": {Kind: EventDocumentsSubmitted}, "a second consent": {Kind: EventConsented}} {
		if j, _, ok := walk(NoScenario, append(begun, in)...); ok || j.Step != StepSupplier {
			t.Errorf("%s is taken: %+v", name, j)
		}
	}
	if j, _, ok := walk(NoScenario, append(begun, chose, chose)...); ok || j.Step != StepConfirm {
		t.Errorf("a second choice is taken: %+v", j)
	}
	if j, _, ok := walk(NoScenario, append(begun, Input{Kind: EventClosed}, Input{Kind: EventReopened})...); !ok || j.Step != StepSupplier {
		t.Errorf("coming back: %+v", j)
	}
	for _, p := range []contract.Product{contract.Cashflow, contract.Income, contract.Eligibility} {
		if slices.Contains((Journey{Product: p}).available(), SourceSupplier) {
			t.Errorf("a report of %s is made at a supplier", p)
		}
	}
}
