package ui

import (
	"net/url"
	"strconv"
	"strings"

	"vestibule/internal/contract"
)

var (
	wordsSkip     = contract.Words{EN: "Skip to the content", ES: "Ir al contenido"}
	wordsLanguage = contract.Words{EN: "Language", ES: "Idioma"}
	wordsMenu     = contract.Words{EN: "Main", ES: "Principal"}
	wordsOptional = contract.Words{EN: "optional", ES: "opcional"}
	wordsProblem  = contract.Words{EN: "Please check the following", ES: "Revise lo siguiente"}
	wordsStep     = contract.Words{EN: "Step", ES: "Paso"}
	wordsOf       = contract.Words{EN: "of", ES: "de"}
	wordsDone     = contract.Words{EN: "done", ES: "hecho"}
	wordsMonth    = contract.Words{EN: "Month", ES: "Mes"}
	wordsDay      = contract.Words{EN: "Day", ES: "Día"}
	wordsYear     = contract.Words{EN: "Year", ES: "Año"}
	wordsSandbox  = contract.Words{EN: "Sandbox: no real bank, no real data.", ES: "Entorno de pruebas: ningún banco ni dato real."}
)

// LanguageName is a language's name in itself.
func LanguageName(l contract.Lang) string {
	for _, known := range contract.Languages() {
		if known.Lang == l {
			return known.Name
		}
	}
	return string(l)
}

// maxLanguageLink bounds an address that is offered in another language, in bytes.
const maxLanguageLink = 1000

// Languages is the switch for the page at u: the same address with lang set.
// Other parameters are kept, so give it none that are secret.
func Languages(current contract.Lang, u *url.URL) []Choice {
	if len(u.Path)+len(u.RawQuery) > maxLanguageLink {
		return nil // bounds how much of an address is repeated
	}
	var out []Choice
	for _, l := range contract.Languages() {
		q := u.Query()
		q.Set("lang", string(l.Lang))
		out = append(out, Choice{Lang: l.Lang, URL: u.EscapedPath() + "?" + q.Encode(), Current: l.Lang == current})
	}
	return out
}

// PickLanguage chooses a page's language: the one in the address, else the remembered
// one, else the best of an Accept-Language header, else English. Each argument may be
// empty or invalid.
func PickLanguage(asked, remembered, acceptLanguage string) contract.Lang {
	for _, s := range []string{asked, remembered} {
		if l := contract.Lang(s); l.Spoken() {
			return l
		}
	}
	best, bestWeight := contract.English, 0.0
	for item := range strings.SplitSeq(acceptLanguage, ",") {
		tag, params, _ := strings.Cut(strings.ToLower(strings.TrimSpace(item)), ";")
		primary, _, _ := strings.Cut(strings.TrimSpace(tag), "-")
		l := contract.Lang(primary)
		if !l.Spoken() {
			continue
		}
		weight := 1.0
		if q, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			var err error
			if weight, err = strconv.ParseFloat(q, 64); err != nil {
				continue
			}
		}
		if weight > bestWeight {
			best, bestWeight = l, weight
		}
	}
	return best
}

// order is the order of a date's fields: month first where English is read,
// day first in Spanish.
func (d Day) order() []part {
	month := part{"month", wordsMonth.In(d.Lang), d.Month, 2}
	day := part{"day", wordsDay.In(d.Lang), d.Day, 2}
	year := part{"year", wordsYear.In(d.Lang), d.Year, 4}
	if d.Lang == contract.Spanish {
		return []part{day, month, year}
	}
	return []part{month, day, year}
}

type part struct {
	name, label, value string
	length             int
}

func (p part) autocomplete(birthday bool) string {
	if birthday {
		return "bday-" + p.name
	}
	return ""
}

// where is the sentence of Steps: "Step 2 of 4".
func (s Steps) where() string {
	return wordsStep.In(s.Lang) + " " + strconv.Itoa(s.Current+1) + " " + wordsOf.In(s.Lang) + " " + strconv.Itoa(len(s.Names))
}

func (s Steps) state(i int) string {
	switch {
	case i < s.Current:
		return "done"
	case i == s.Current:
		return "now"
	}
	return "later"
}
