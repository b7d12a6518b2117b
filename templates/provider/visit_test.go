package provider

import (
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// TestStepsKeepTheirNumber checks that the number of steps stays the same from consent to
// the end, whichever source the applicant chooses, and no step but that of a failure
// leads back.
func TestStepsKeepTheirNumber(t *testing.T) {
	bank := []Step{Banks, Authorize, SignIn, Code, Accounts}
	payroll := []Step{Employers, Authorize, SignIn, Code}
	ways := map[SourceType][]Step{SourceBank: bank, SourcePayroll: payroll, SourceStubs: {Documents}, SourceDocuments: {Documents},
		SourceBureau: {Suppliers, Confirm}}
	for name, c := range map[string]struct {
		visit  Visit
		before []Step       // the choice of a source
		from   []SourceType // to choose from
		want   int
	}{
		"cashflow":               {Visit{Product: contract.Cashflow}, nil, []SourceType{SourceBank}, 4},
		"income":                 {Visit{Product: contract.Income}, []Step{Source}, []SourceType{SourceBank, SourcePayroll, SourceStubs}, 4},
		"passport":               {Visit{Product: contract.Passport}, nil, []SourceType{SourceBureau}, 2},
		"eligibility, assets":    {Visit{Product: contract.Eligibility}, nil, []SourceType{SourceBank}, 4},
		"eligibility, of banks":  {Visit{Product: contract.Eligibility, Verifies: true}, []Step{Stated}, []SourceType{SourceBank}, 4},
		"eligibility, of income": {Visit{Product: contract.Eligibility, Verifies: true, IncomeOnly: true}, []Step{Stated}, nil, 2},
		"eligibility, an employer": {Visit{Product: contract.Eligibility, Verifies: true, Employer: "Northwind"}, []Step{Stated, Why, Source},
			[]SourceType{SourceBank, SourcePayroll, SourceStubs, SourceDocuments}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			at := 0
			show := func(v Visit, step Step) {
				v.Lang, v.Step = i18n.English, step
				got := v.steps()
				if len(got.Names) != c.want || got.Current < 0 || got.Current < at && step != Failed {
					t.Errorf("from %q, %s is step %d of %v, after %d; want %d steps", v.SourceType, step, got.Current, got.Names, at, c.want)
				}
				at = max(got.Current, 0)
			}
			show(c.visit, Consent)
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
				show(v, Failed)
				if source != SourceBureau {
					v.Connected, v.SourceType, v.Employer = []Connected{{SourceType: source}}, "", ""
					show(v, Finish)
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

// TestPageWithIncompleteSourcesStays checks that a last page with a warning stays until the
// applicant leaves it.
func TestPageWithIncompleteSourcesStays(t *testing.T) {
	v := Visit{Lang: i18n.English, Return: "/return", End: "success", Receipt: &Receipt{}}
	if !v.returns() {
		t.Error("a page of a success does not return")
	}
	v.Receipt.Incomplete = []Connected{{Name: "Open Bank"}}
	if v.returns() {
		t.Error("a page with an incomplete source returns by itself")
	}
}
