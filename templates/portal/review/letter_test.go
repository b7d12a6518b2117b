package review

import (
	"strings"
	"testing"
	"time"

	"vestibule/internal/i18n"
)

// TestDeclineLetterNamesScoreAndFactors checks what the Fair Credit Reporting Act
// asks of a notice that rests on a score (15 U.S.C. 1681m(a)(2)): the score, its range and
// date, and the key factors in their order, beside the reasons of the decision.
func TestDeclineLetterNamesScoreAndFactors(t *testing.T) {
	day := time.Date(2026, 7, 14, 9, 0, 0, 0, time.UTC)
	reason := func(code string) Reason { return ScoreReason(code, i18n.Code(i18n.English, "review.reasons", code)) }
	v := LetterView{Reference: "ref-1", Name: "Ada Walker", Agency: "Example Agency", Began: day, ReportAt: day,
		Score:    &LetterScore{Value: 612, Of: day, Factors: []Reason{reason("40"), reason("15"), reason("21")}},
		Decision: Decision{Decision: "declined", Reasons: []Reason{reason("35"), reason("40")}}}
	for _, lang := range []i18n.Lang{i18n.English, i18n.Spanish} {
		_, text := v.Email(lang, "Harbor", "", "")
		_, scored, found := strings.Cut(text, "612")
		if !found {
			t.Fatalf("%s: the letter does not name the score:\n%s", lang, text)
		}
		at := 0
		for _, f := range v.Score.Factors {
			i := strings.Index(scored[at:], i18n.Code(lang, "review.letter.reasons", f.Code)+"\n")
			if i < 0 {
				t.Errorf("%s: factor %s is missing after the score, or out of order:\n%s", lang, f.Code, scored)
				continue
			}
			at += i
		}
		if reasons, _, _ := strings.Cut(text, "612"); !strings.Contains(reasons, i18n.Code(lang, "review.letter.reasons", "35")) {
			t.Errorf("%s: the reasons of the decision do not come before the score:\n%s", lang, text)
		}
	}
	v.Score = nil
	if _, text := v.Email(i18n.English, "Harbor", "", ""); strings.Contains(text, i18n.Code(i18n.English, "review.letter.reasons", "15")) {
		t.Errorf("a letter without a score names its factors:\n%s", text)
	}
}
