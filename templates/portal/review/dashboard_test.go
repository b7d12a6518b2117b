package review

import (
	"strconv"
	"testing"

	"vestibule/internal/i18n"
)

// TestReasonsHaveLetterTexts: declined applicants get each reason as a sentence in
// their language.
func TestReasonsHaveLetterTexts(t *testing.T) {
	for n := range 100 {
		code := strconv.Itoa(n)
		description, known := i18n.Find(i18n.English, "review.reasons", code)
		if _, worded := i18n.Find(i18n.English, "review.letter.reasons", code); worded != known {
			t.Errorf("code %s: known %v, worded for the letter %v", code, known, worded)
		}
		if r := ScoreReason(code, description); known && (r.LetterText("en") == description || r.LetterText("es") == r.LetterText("en")) {
			t.Errorf("code %s (%s) has no wording for the letter", code, description)
		}
	}
	if r := ScoreReason("10", "Something of another provider's"); r.LetterText("en") != "Something of another provider's" {
		t.Errorf("the letter words another provider's reason as %q", r.LetterText("en"))
	}
}

// TestReasonNumbers checks that the numbers of a score's reasons are shown; codes that
// are words for programs are not.
func TestReasonNumbers(t *testing.T) {
	for code, want := range map[string]string{"32": "32", "TEXT_OVER_TEXT": "", "": ""} {
		if got := (Reason{Code: code}).Number(); got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}
