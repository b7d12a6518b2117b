package review

import (
	"strings"
	"testing"

	"vestibule/internal/portal/review/search"
)

func TestNameWordsIgnoreCaseAndAccents(t *testing.T) {
	for name, want := range map[string]string{
		"Zoë O’Hara-Núñez": "nunez ohara zoe", "  ana  MARÍA ana ": "ana maria", "D'Angelo": "dangelo", "J. R. R.": "j r",
		"Łukasz Żółć": "lukasz zolc", "李 小龍": "小龍 李", "": "", " ’- ": "", "Straße STRASSE": "strasse", "JOSÉ José ÑANDÚ": "jose nandu",
		"Ægir Bjørn": "aegir bjorn", "ΝΊΚΟΣ Νίκος": "νικοσ",
	} {
		if got := strings.Join(search.Words(name), " "); got != want {
			t.Errorf("words(%q) = %q, want %q", name, got, want)
		}
	}
	if got := search.Words(strings.Repeat("a b c d e f g h i j k l m n o p ", 3)); len(got) != 12 {
		t.Errorf("a name of many words has %d", len(got))
	}
}
