package review

import "testing"

// Whoever is declined is told why in whole sentences, in their language.
func TestEveryReasonHasWordsForALetter(t *testing.T) {
	for code, words := range reasonWords {
		r := ScoreReason(code, words.EN)
		if r.Letter.EN == "" || r.Letter.ES == "" || r.Letter.EN == words.EN {
			t.Errorf("code %s (%s) has no words for a letter: %+v", code, words.EN, r.Letter)
		}
	}
	if r := ScoreReason("10", "Something of another provider's"); r.tell("en") != "Something of another provider's" {
		t.Errorf("another provider's reason is told as %q", r.tell("en"))
	}
	if len(letterReasons) != len(reasonWords) {
		t.Errorf("%d codes have words for a letter, and %d are known", len(letterReasons), len(reasonWords))
	}
}
