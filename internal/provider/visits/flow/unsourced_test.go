package flow

import (
	"slices"
	"testing"

	"vestibule/internal/contract"
)

// TestVisitsWithoutSources: what has no source is not offered, and a visit with nothing
// left to connect ends with what there is, or as unsupported.
func TestVisitsWithoutSources(t *testing.T) {
	none := MissingSources{Banks: true, Payroll: true, Suppliers: true}
	agreed := []Input{{Kind: EventOpened}, {Kind: EventConsented}}
	end, finish := Input{Kind: EventSourcesFinished}, Input{Kind: EventDocumentsSubmitted}
	verify := []Input{{Kind: EventEmployerSelected, Employer: 1}, {Kind: EventSourceSelected, SourceType: SourcePaystubs}, finish}
	skip := []Input{{Kind: EventEmployerSkipOpened, Employer: 1}, {Kind: EventEmployerSkipped, Reason: "OTHER"}}
	for name, c := range map[string]struct {
		journey Journey
		inputs  []Input
		state   State
		step    Step
		left    []SourceType
	}{
		"cashflow":                  {Journey{Product: contract.Cashflow}, nil, Failed, StepEnd, nil},
		"passport":                  {Journey{Product: contract.Passport}, nil, Failed, StepEnd, nil},
		"assets":                    {Journey{Product: contract.Eligibility}, nil, Failed, StepEnd, nil},
		"income asks for pay stubs": {Journey{Product: contract.Income}, nil, Connecting, StepDocuments, []SourceType{SourcePaystubs}},
		"income of pay stubs":       {Journey{Product: contract.Income}, []Input{finish, end}, Generating, StepProgress, nil},
		"income, banks only": {Journey{Product: contract.Income, Missing: MissingSources{Payroll: true}},
			nil, Connecting, StepSource, []SourceType{SourceBank, SourcePaystubs}},
		"an employer": {Journey{Product: contract.Eligibility, Employers: 1}, verify[:1],
			Connecting, StepSource, []SourceType{SourcePaystubs, SourceDocuments}},
		"a verified employer": {Journey{Product: contract.Eligibility, Employers: 1},
			append(slices.Clone(verify), end), Generating, StepProgress, nil},
		"a skipped employer": {Journey{Product: contract.Eligibility, Employers: 1},
			append(slices.Clone(skip), end), Generating, StepProgress, nil},
		"an open employer": {Journey{Product: contract.Eligibility, Employers: 1}, []Input{end}, Failed, StepEnd, nil},
		"a verified employer, income": {Journey{Product: contract.Eligibility, Employers: 1, IncomeOnly: true},
			append(slices.Clone(verify), end), Generating, StepProgress, nil},
		"a skipped employer, income": {Journey{Product: contract.Eligibility, Employers: 1, IncomeOnly: true},
			append(slices.Clone(skip), end), Generating, StepProgress, nil},
		"an open employer, income": {Journey{Product: contract.Eligibility, Employers: 1, IncomeOnly: true},
			[]Input{end}, Failed, StepEnd, nil},
		"closed, and come back to": {Journey{Product: contract.Income}, []Input{{Kind: EventClosed}, {Kind: EventReopened}},
			Connecting, StepDocuments, []SourceType{SourcePaystubs}},
		"an open employer, with banks": {Journey{Product: contract.Eligibility, Employers: 1, Missing: MissingSources{Payroll: true}},
			[]Input{end}, Connecting, StepBank, []SourceType{SourceBank}},
	} {
		j := c.journey
		j.State, j.Step, j.Status = Created, StepConsent, contract.StatusPending
		if j.Missing == (MissingSources{}) {
			j.Missing = none
		}
		for i, in := range append(slices.Clone(agreed), c.inputs...) {
			next, _, ok := j.Next(in)
			if !ok {
				t.Fatalf("%s: input %d, %s, was not taken at %s", name, i, in.Kind, j.Step)
			}
			j = next
		}
		if j.State != c.state || j.Step != c.step || c.left != nil && !slices.Equal(j.Remaining(), c.left) {
			t.Errorf("%s: %s %s with %v left, want %s %s %v", name, j.State, j.Step, j.Remaining(), c.state, c.step, c.left)
		}
		if unsupported := j.Status == contract.StatusNotAuthenticated && j.Substatus == contract.SubEBankingNotSupported &&
			j.Error == contract.WidgetSupplierError; unsupported != (c.state == Failed) || j.Unconfigured() != unsupported {
			t.Errorf("%s: %s %s %s", name, j.Status, j.Substatus, j.Error)
		}
	}
	// A source that is no longer there is left where it was being connected.
	j := Journey{Product: contract.Income, State: Connecting, Step: StepCode, SourceType: SourceBank, Bank: "b", Username: "default"}
	if _, _, ok := j.Next(Input{Kind: EventSourceRemoved}); ok {
		t.Error("a bank that is there was taken away")
	}
	j.Missing = none
	if next, _, ok := j.Next(Input{Kind: EventSourceRemoved}); !ok || next.Step != StepDocuments || next.Username != "" {
		t.Errorf("%s %+v", next.Step, next)
	}
}
