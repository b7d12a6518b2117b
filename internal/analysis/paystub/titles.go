package paystub

import (
	"slices"
	"strings"
)

// section identifies the kind of lines that a title is over.
type section int

const (
	noSection section = iota
	earnings
	deductions
	elsewhere // employer's contributions, balances, which are ignored
)

// sectionOf returns the section that a title is over. Taxes are deductions.
func sectionOf(words string) section {
	words = unnumbered(words)
	if len(words) > 60 || words == "" || labelOf(words) != noField {
		return noSection
	}
	for w := range strings.FieldsSeq(words) {
		if w[0] >= '0' && w[0] <= '9' && len(w) < 3 || strings.Trim(w, "0123456789") == "" && w != "401" &&
			w != "403" && w != "457" && w != "125" && unnumbered(words) == words {
			return noSection // a date or another number
		}
	}
	has := func(all ...string) bool {
		return slices.ContainsFunc(all, func(w string) bool { return strings.Contains(words, w) })
	}
	whole := func(all ...string) bool {
		return slices.ContainsFunc(all, func(w string) bool { return contains(words, w) })
	}
	paid := whole(wordList("paid")...)
	switch {
	case strings.HasPrefix(words, "employer"), strings.HasPrefix(words, "company"), paid && whole(wordList("payer")...) &&
		!whole("state tax", "state taxes", "city tax", "county tax", "state income"),
		has(wordList("aside")...),
		words == "benefits", words == "other benefits and information", words == "deposit":
		return elsewhere
	case has("earning") && has("deduction"):
		return noSection // each line is classified by its label
	case has(wordList("deductions title")...), whole("taxes", "tax"):
		return deductions
	case has(wordList("earnings title")...), whole("wages", "income", "pay", "hours"):
		return earnings
	}
	return noSection
}

// headingOf returns the section of a title within a table, or noSection if a text is not
// such a title.
func headingOf(words string) section {
	if len(words) > maxLabel {
		return noSection
	}
	words = unnumbered(words)
	for w := range strings.FieldsSeq(words) {
		if !headingWords[w] && !payerWords[w] {
			return noSection
		}
	}
	return sectionOf(words)
}
