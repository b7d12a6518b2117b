package contract

import "testing"

// TestAFurtherLanguageIsATable is a language that stands in no Words.
func TestAFurtherLanguageIsATable(t *testing.T) {
	french := Language{Lang: "fr", Name: "Français", table: map[string]string{"Continue": "Continuer"}}
	known, unknown := Words{EN: "Continue", ES: "Continuar"}, Words{EN: "Back", ES: "Atrás"}
	if got := french.in(known); got != "Continuer" {
		t.Errorf("in French %q", got)
	}
	if got := french.in(unknown); got != "Back" {
		t.Errorf("without French words %q, want the English", got)
	}
	if lacks := french.Lacks([]Words{known, unknown}); len(lacks) != 1 || lacks[0] != unknown {
		t.Errorf("French lacks %v", lacks)
	}
	for _, l := range Languages() {
		if !l.Lang.Spoken() || l.Lacks([]Words{known, unknown}) != nil {
			t.Errorf("%s is not whole", l.Name)
		}
	}
	if Lang("fr").Spoken() || known.In("fr") != "Continue" {
		t.Error("a language that is not there is spoken")
	}
}
