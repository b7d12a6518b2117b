package review

import "testing"

// TestEveryReasonHasWordsForALetter: declined applicants get each reason as a sentence in
// their language.
func TestEveryReasonHasWordsForALetter(t *testing.T) {
	for code, words := range reasonWords {
		r := ScoreReason(code, words.EN)
		if r.Letter.EN == "" || r.Letter.ES == "" || r.Letter.EN == words.EN {
			t.Errorf("code %s (%s) has no wording for the letter: %+v", code, words.EN, r.Letter)
		}
	}
	if r := ScoreReason("10", "Something of another provider's"); r.tell("en") != "Something of another provider's" {
		t.Errorf("the letter words another provider's reason as %q", r.tell("en"))
	}
	if len(letterReasons) != len(reasonWords) {
		t.Errorf("%d codes have wording for the letter, %d codes are known", len(letterReasons), len(reasonWords))
	}
}
