package verdict_test

import (
	"os"
	"strings"
	"testing"

	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
)

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
