package contract

// Lang is a language that people are spoken to in.
type Lang string

const (
	English Lang = "en"
	Spanish Lang = "es"
)

// Words is one text in the two languages that are written beside each other.
type Words struct{ EN, ES string }

// Language is one that pages are shown in. English and Spanish stand in each
// Words; any other is a table of its own, from the English text to its own, in a
// file languages_xx.go beside this one, and a row of Languages. A test names the
// texts of the applicant's pages that a table lacks.
type Language struct {
	Lang  Lang
	Name  string // in itself
	table map[string]string
}

// languages is a value, never written to.
var languages = [...]Language{{Lang: English, Name: "English"}, {Lang: Spanish, Name: "Español"}}

// Languages lists the languages in the order of the switch; the first is the one
// of who asks for none of them.
func Languages() []Language { return append([]Language(nil), languages[:]...) }

// Spoken reports whether pages are shown in l.
func (l Lang) Spoken() bool {
	for i := range languages {
		if languages[i].Lang == l {
			return true
		}
	}
	return false
}

// In returns the text in l; where that is not there, in English.
func (w Words) In(l Lang) string {
	if l == Spanish && w.ES != "" {
		return w.ES
	}
	if len(languages) > 2 && l != English {
		for i := range languages {
			if languages[i].Lang == l {
				return languages[i].in(w)
			}
		}
	}
	return w.EN
}

func (l Language) in(w Words) string {
	if s := l.table[w.EN]; s != "" {
		return s
	}
	return w.EN
}

// Lacks returns those of the texts that a language of a table has no words for.
func (l Language) Lacks(all []Words) []Words {
	var out []Words
	for _, w := range all {
		if l.table != nil && l.table[w.EN] == "" {
			out = append(out, w)
		}
	}
	return out
}
