package paystub

import (
	"slices"
	"strings"
	"unicode"
)

// principal returns the company for which another one pays, as in "on behalf of Acme".
func principal(text string) string {
	for _, w := range []string{"on behalf of ", "as agent for ", "employer of record for ", "for and on behalf of "} {
		if rest, ok := strings.CutPrefix(strings.ToLower(text), w); ok && rest != "" {
			return text[len(w):]
		}
	}
	return text
}

// withoutNumber returns a name without the person's number before or after it, as in
// "10234 - Jane Doe" and "Jane Doe (10234)".
func withoutNumber(text string) string {
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

// isName reports whether a text may be a person's name.
func isName(s string) bool {
	if !isText(s) || strings.ContainsAny(s, "0123456789$%:#@/*_") || len(strings.Fields(s)) > 6 {
		return false
	}
	w := plain(s)
	return !isUnit(w) && headingOf(w) == noSection && periodOf(w) == noPeriod && !itemOfAny(w) &&
		!slices.ContainsFunc(strings.Fields(w), func(w string) bool { return slices.Contains(wordList("not a name"), w) })
}

// isText reports whether a text may be a name: it has letters, and is not a label, a title,
// a date, a number or a town.
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

// militaryEmployer stores the branch of the military beside a label as the employer.
func (s *sheet) militaryEmployer(f *fields, n, i int) bool {
	if c := s.rows[n][i]; c.words != "branch" && c.words != "service" && c.words != "branch of service" {
		return false
	}
	for _, v := range s.valuesNear(n, i, fieldEmployer) {
		if slices.Contains(wordList("military service"), v.words) {
			return f.put(fieldEmployer, v.text, v)
		}
	}
	return false
}
