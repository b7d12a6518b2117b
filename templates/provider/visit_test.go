package provider

import (
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/visits/flow"
)

// TestStepsKeepTheirNumber checks that the number of steps stays the same from consent to
// the end, whichever source the applicant chooses, and no step but that of a failure
// leads back.
func TestStepsKeepTheirNumber(t *testing.T) {
	bank := []flow.Step{flow.StepBank, flow.StepAuthorize, flow.StepSignIn, flow.StepCode, flow.StepAccounts}
	payroll := []flow.Step{flow.StepPayroll, flow.StepAuthorize, flow.StepSignIn, flow.StepCode}
	documents := []flow.Step{flow.StepDocuments}
	ways := map[flow.SourceType][]flow.Step{flow.SourceBank: bank, flow.SourcePayroll: payroll, flow.SourcePaystubs: documents,
		flow.SourceDocuments: documents,
		flow.SourceSupplier:  {flow.StepSupplier, flow.StepConfirm}}
	for name, c := range map[string]struct {
		visit  Visit
		before []flow.Step       // the choice of a source
		from   []flow.SourceType // to choose from
		want   int
	}{
		"cashflow": {Visit{Product: contract.Cashflow}, nil, []flow.SourceType{flow.SourceBank}, 4},
		"income": {Visit{Product: contract.Income}, []flow.Step{flow.StepSource},
			[]flow.SourceType{flow.SourceBank, flow.SourcePayroll, flow.SourcePaystubs}, 4},
		"passport":            {Visit{Product: contract.Passport}, nil, []flow.SourceType{flow.SourceSupplier}, 3},
		"eligibility, assets": {Visit{Product: contract.Eligibility}, nil, []flow.SourceType{flow.SourceBank}, 4},
		"eligibility, of banks": {Visit{Product: contract.Eligibility, Verifies: true}, []flow.Step{flow.StepEmployers},
			[]flow.SourceType{flow.SourceBank}, 4},
		"eligibility, of income": {Visit{Product: contract.Eligibility, Verifies: true, IncomeOnly: true},
			[]flow.Step{flow.StepEmployers}, nil, 2},
		"eligibility, an employer": {Visit{Product: contract.Eligibility, Verifies: true, Employer: "Northwind"},
			[]flow.Step{flow.StepEmployers, flow.StepSkip, flow.StepSource},
			[]flow.SourceType{flow.SourceBank, flow.SourcePayroll, flow.SourcePaystubs, flow.SourceDocuments}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			at := 0
			show := func(v Visit, step flow.Step) {
				v.Lang, v.Step = i18n.English, step
				got := v.steps()
				if len(got.Names) != c.want || got.Current < at {
					t.Errorf("from %q, %s is step %d of %v, after %d; want %d steps", v.SourceType, step, got.Current, got.Names, at, c.want)
				}
				at = got.Current
			}
			show(c.visit, flow.StepConsent)
			for _, step := range c.before {
				show(c.visit, step)
			}
			chosen := at
			for _, source := range c.from {
				v := c.visit
				v.SourceType, at = source, chosen
				for _, step := range ways[source] {
					show(v, step)
				}
				at = min(at, 2) // it fails before its accounts are chosen
				show(v, flow.StepFailed)
				if source != flow.SourceSupplier {
					v.Connected, v.SourceType, v.Employer = []Connected{{SourceType: source}}, "", ""
					show(v, flow.StepConnected)
					if v.Left = c.from; c.before == nil { // another one
						v.SourceType = source
						show(v, source.FirstStep())
					}
				}
			}
		})
	}
}

func TestFooterIsTheSandboxs(t *testing.T) {
	if (Visit{Sandbox: true}).footer() == nil || (Visit{}).footer() != nil {
		t.Error("the footer of a visit is not that of its environment")
	}
}

// TestReceiptStays checks that a page with a receipt stays until the applicant leaves it.
func TestReceiptStays(t *testing.T) {
	v := Visit{Lang: i18n.English, Return: "/return", End: "success"}
	if !v.returns() {
		t.Error("a last page without a receipt does not return")
	}
	v.Receipt = &Receipt{}
	if v.returns() {
		t.Error("a receipt returns by itself")
	}
}

// TestReceiptNamesSkippedEmployers checks that a receipt says that the reasons for skipped employers were shared.
func TestReceiptNamesSkippedEmployers(t *testing.T) {
	v := Visit{Lang: i18n.English, Customer: "Acme", Receipt: &Receipt{}, Employers: []Employer{{N: 1, Name: "Alder", Skipped: true},
		{N: 2, Name: "Lantern", Sources: []Connected{{Name: "Paycrest"}}}, {N: 3, Name: "Zipporah", Skipped: true}}}
	if got := v.receiptFacts()[1].Text; got != "Why you skipped Alder, Zipporah." {
		t.Errorf("a receipt says %q", got)
	}
}
