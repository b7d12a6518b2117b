package app_test

import (
	"testing"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/analysis/paystub"
	"vestibule/internal/i18n"
	"vestibule/internal/report"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// TestReviewPageNamesEngineFindings holds the portal's words, which
// know the engine by its codes only, to the engine: every category, group,
// attribute and reason is said in both languages.
func TestReviewPageNamesEngineFindings(t *testing.T) {
	for _, leaf := range bankdata.Leaves() {
		for _, l := range []i18n.Lang{i18n.English, i18n.Spanish} {
			if i18n.Code(l, "review.categories", leaf.String()) == leaf.String() {
				t.Errorf("no words in %s for the category %s", l, leaf)
			}
			if g := leaf.Group().String(); i18n.Code(l, "review.category_groups", g) == g {
				t.Errorf("no words in %s for the group %s", l, g)
			}
		}
	}
	for _, description := range cashflow.Own() {
		if words, l := ui.AttributeWords(i18n.Spanish, "", description); l != i18n.Spanish || words == description {
			t.Errorf("no Spanish words for %q", description)
		}
	}
	for _, d := range append(cashflow.Catalogue(), cashflow.Deprecated()...) {
		if words, l := ui.AttributeWords(i18n.Spanish, d.Name, d.Description); l != i18n.Spanish || words == d.Description {
			t.Errorf("no Spanish words for the attribute %s", d.Name)
		}
		reason := cashflow.Reason(d.Code)
		if reason == "" || pages.ReasonWords(i18n.Spanish, d.Code, reason) == reason {
			t.Errorf("no Spanish words for the reason %s, %q", d.Code, reason)
		}
		if got := pages.ReasonWords(i18n.Spanish, d.Code, "Another provider's reason"); got != "Another provider's reason" {
			t.Errorf("another provider's reason %s is called %q", d.Code, got)
		}
	}
}

// TestReviewPageNamesDocumentAndEmployerOutcomes holds the portal's
// words to the checks, reasons and refusals of income and eligibility reports.
func TestReviewPageNamesDocumentAndEmployerOutcomes(t *testing.T) {
	for what, all := range map[string]struct {
		names []string
		group i18n.Group
	}{
		"reason of irregularity": {paystub.Reasons(), "review.irregularities"},
		"check of a pay stub":    {report.PaystubChecks(), "review.stub_checks"},
		"check of completeness":  {report.CompletenessChecks(), "review.completeness"},
		"reason for skipping":    {report.SkippedReasons(), "review.skip_reasons"},
	} {
		for _, name := range all.names {
			for _, l := range []i18n.Lang{i18n.English, i18n.Spanish} {
				if got := i18n.Code(l, all.group, name); got == name || got == "" {
					t.Errorf("no words in %s for the %s %s", l, what, name)
				}
			}
		}
	}
}
