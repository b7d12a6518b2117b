package verdict_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
)

// TestReasonsHaveTexts requires that each rule's reason has a text in each language, and that the
// texts of the model forms are those of Regulation B, word for word.
func TestReasonsHaveTexts(t *testing.T) {
	for _, r := range verdict.Rules {
		if r.Reason != "" && !slices.Contains(verdict.Reasons, r.Reason) {
			t.Errorf("%q is no reason", r.Reason)
		}
	}
	for _, code := range verdict.Reasons {
		for _, l := range []i18n.Lang{i18n.English, i18n.Spanish} {
			if _, ok := i18n.Find(l, "review.finding_reasons", code); !ok {
				t.Errorf("%s has no text in %s", code, l)
			}
		}
	}
	for code, want := range map[string]string{verdict.NoIncome: "Unable to verify income", verdict.NoEmployment: "Unable to verify employment",
		verdict.IrregularWork: "Temporary or irregular employment", verdict.LowIncome: "Income insufficient for amount of credit requested",
		verdict.Obligations:     "Excessive obligations in relation to income",
		verdict.LateObligations: "Delinquent past or present credit obligations with others"} {
		if got := i18n.Code(i18n.English, "review.finding_reasons", code); got != want {
			t.Errorf("%s = %q, want %q", code, got, want)
		}
	}
}

// TestGuide requires that docs/how-to/review.md shows the rules.
func TestGuide(t *testing.T) {
	raw, err := os.ReadFile("../../../../docs/how-to/review.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| question | reports | red | yellow |\n|---|---|---|---|\n"
	for i, r := range verdict.Rules {
		if i > 0 && r.Question.Text == verdict.Rules[i-1].Question.Text {
			continue
		}
		when := map[verdict.Level][]string{}
		for _, other := range verdict.Rules {
			if other.Question.Text == r.Question.Text {
				when[other.Level] = append(when[other.Level], other.When)
			}
		}
		var products []string
		for _, p := range r.Question.Products {
			products = append(products, string(p))
		}
		row := []string{"", i18n.T(i18n.English, r.Question.Text), strings.Join(products, ", "),
			strings.Join(when[verdict.Contradicted], "; "), strings.Join(when[verdict.Check], "; "), ""}
		want += strings.ReplaceAll(strings.TrimSpace(strings.Join(row, " | ")), "|  |", "| |") + "\n"
	}
	if !strings.Contains(string(raw), "\n"+want+"\n") {
		t.Errorf("the guide's table is not\n%s", want)
	}
}
