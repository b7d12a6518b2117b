package provider

import (
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// The number of steps stays the same from consent to the end, at banks with a form and at
// those with their own pages.
func TestStepsKeepTheirNumber(t *testing.T) {
	for _, c := range []struct {
		product contract.Product
		source  SourceType
		steps   []Step
	}{
		{contract.Cashflow, SourceBank, []Step{Consent, Banks, Authorize, SignIn, Code, Accounts, Failed, Finish}},
		{contract.Income, SourcePayroll, []Step{Source, Employers, Authorize, SignIn, Code, Failed, Finish}},
		{contract.Income, SourceBank, []Step{Source, Banks, Authorize, SignIn, Code, Accounts, Failed, Finish}},
		{contract.Passport, SourceBureau, []Step{Consent, Suppliers, Confirm, Failed}},
	} {
		want, at := 0, 0
		for _, step := range c.steps {
			v := Visit{Lang: i18n.English, Product: c.product, SourceType: c.source, Step: step}
			if step == Finish {
				v.Connected = []Connected{{}}
			}
			got := v.steps()
			if want == 0 {
				want = len(got.Names)
			}
			if len(got.Names) != want || got.Current < 0 || got.Current < at && step != Failed {
				t.Errorf("%s, %s: step %d of %v", c.product, step, got.Current, got.Names)
			}
			at = got.Current
		}
	}
}

func TestFooterIsTheSandboxs(t *testing.T) {
	if (Visit{Sandbox: true}).footer() == nil || (Visit{}).footer() != nil {
		t.Error("the footer of a visit is not that of its environment")
	}
}
