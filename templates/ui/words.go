package ui

import (
	"net/url"
	"strconv"
	"strings"

	"vestibule/internal/svc"
)

var (
	wordsSkip     = svc.Words{EN: "Skip to the content", ES: "Ir al contenido"}
	wordsLanguage = svc.Words{EN: "Language", ES: "Idioma"}
	wordsMenu     = svc.Words{EN: "Main", ES: "Principal"}
	wordsOptional = svc.Words{EN: "optional", ES: "opcional"}
	wordsProblem  = svc.Words{EN: "Please check the following", ES: "Revise lo siguiente"}
	wordsStep     = svc.Words{EN: "Step", ES: "Paso"}
	wordsOf       = svc.Words{EN: "of", ES: "de"}
	wordsDone     = svc.Words{EN: "done", ES: "hecho"}
	wordsMonth    = svc.Words{EN: "Month", ES: "Mes"}
	wordsDay      = svc.Words{EN: "Day", ES: "Día"}
	wordsYear     = svc.Words{EN: "Year", ES: "Año"}
	wordsSandbox  = svc.Words{EN: "Sandbox: no real bank, no real data.", ES: "Entorno de pruebas: ningún banco ni dato real."}
)

// LanguageName is a language's name in itself.
func LanguageName(l svc.Lang) string {
	for _, known := range svc.Languages() {
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
func Languages(current svc.Lang, u *url.URL) []Choice {
	if len(u.Path)+len(u.RawQuery) > maxLanguageLink {
		return nil // what was sent in an address is not repeated without bound
	}
	var out []Choice
	for _, l := range svc.Languages() {
		q := u.Query()
		q.Set("lang", string(l.Lang))
		out = append(out, Choice{Lang: l.Lang, URL: u.EscapedPath() + "?" + q.Encode(), Current: l.Lang == current})
	}
	return out
}

// PickLanguage chooses the language of a page: what was asked for in the
// address, else what was remembered, else the best of an Accept-Language
// header, else English. Each may be empty or nonsense.
func PickLanguage(asked, remembered, acceptLanguage string) svc.Lang {
	for _, s := range []string{asked, remembered} {
		if l := svc.Lang(s); l.Spoken() {
			return l
		}
	}
	best, bestWeight := svc.English, 0.0
	for item := range strings.SplitSeq(acceptLanguage, ",") {
		tag, params, _ := strings.Cut(strings.ToLower(strings.TrimSpace(item)), ";")
		primary, _, _ := strings.Cut(strings.TrimSpace(tag), "-")
		l := svc.Lang(primary)
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
	if d.Lang == svc.Spanish {
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
