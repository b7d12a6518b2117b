package contract

// Lang is a language of the interface.
type Lang string

const (
	English Lang = "en"
	Spanish Lang = "es"
)

// Words is a text in English and Spanish.
type Words struct{ EN, ES string }

// Language is a language of the pages. Words holds English and Spanish; any other
// language needs a table from English texts to its own, in a file languages_xx.go
// beside this one, and a row of Languages. A test lists the texts of the applicant's
// pages that a table lacks.
type Language struct {
	Lang  Lang
	Name  string // in itself
	table map[string]string
}

// languages is never modified.
var languages = [...]Language{{Lang: English, Name: "English"}, {Lang: Spanish, Name: "Español"}}

// Languages lists the languages in the order of the language switch; the first is the
// default.
func Languages() []Language { return append([]Language(nil), languages[:]...) }

// Spoken reports whether pages are available in l.
func (l Lang) Spoken() bool {
	for i := range languages {
		if languages[i].Lang == l {
			return true
		}
	}
	return false
}

// In returns the text in l, or in English if it is missing.
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

// Lacks returns the texts that l's table does not translate.
func (l Language) Lacks(all []Words) []Words {
	var out []Words
	for _, w := range all {
		if l.table != nil && l.table[w.EN] == "" {
			out = append(out, w)
		}
	}
	return out
}
