package paystub

import (
	"slices"
	"strings"
	"unicode"
)

// principal returns the company that another one pays for.
func principal(text string) string {
	for _, w := range []string{"on behalf of ", "as agent for ", "employer of record for ", "for and on behalf of "} {
		if rest, ok := strings.CutPrefix(strings.ToLower(text), w); ok && rest != "" {
			return text[len(w):]
		}
	}
	return text
}

// unidentified returns a name without the number of the person that is before or behind it,
// as in "10234 - Jane Doe" and "Jane Doe (10234)".
func unidentified(text string) string {
	number := func(s string) bool {
		s = strings.Trim(s, "()#[]-:/")
		return len(s) > 2 && strings.Trim(s, "0123456789xX*-") == ""
	}
	words := strings.Fields(text)
	if len(words) < 3 {
		return text
	}
	if first := words[0]; number(first) {
		words = words[1:]
	} else if number(words[len(words)-1]) {
		words = words[:len(words)-1]
	} else {
		return text
	}
	return strings.Trim(strings.Join(words, " "), " -–:/|,#")
}

// noNames are words that no person is called.
var noNames = wordList("not a name")

// isName reports whether a text may be a person's name.
func isName(s string) bool {
	if !isText(s) || strings.ContainsAny(s, "0123456789$%:#@/*_") || len(strings.Fields(s)) > 6 {
		return false
	}
	w := plain(s)
	return !isUnit(w) && headingOf(w) == noSection && periodOf(w) == noPeriod && !itemOfAny(w) &&
		!slices.ContainsFunc(strings.Fields(w), func(w string) bool { return slices.Contains(noNames, w) })
}

// isText reports whether a text may be a name: it has letters and is neither a date nor a
// label.
func isText(s string) bool {
	if len(s) < 2 || len(s) > maxLabel {
		return false
	}
	w := plain(s)
	if labelOf(w) != noField || periodOf(w) != noPeriod || isAmounts(w) || isTitle(w) {
		return false
	}
	if _, _, state := dateIn(s); state != noDate {
		return false
	}
	if _, _, _, is := town(s); is || number(s) {
		return false
	}
	if masked := strings.Trim(s, "xX*#-0123456789 ."); masked == "" {
		return false
	}
	return strings.IndexFunc(s, unicode.IsLetter) >= 0 && !strings.Contains(s, "\ufffd")
}

// services are the branches that a soldier's statement names for the employer.
var services = wordList("military service")

// served takes a branch of the service for the employer.
func (s *sheet) served(f *fields, n, i int) bool {
	if c := s.rows[n][i]; c.words != "branch" && c.words != "service" && c.words != "branch of service" {
		return false
	}
	for _, v := range s.beside(n, i, fieldEmployer) {
		if slices.Contains(services, v.words) {
			return f.put(fieldEmployer, v.text, v)
		}
	}
	return false
}
