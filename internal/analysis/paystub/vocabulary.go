package paystub

import (
	_ "embed"
	"strings"
)

//go:embed vocabulary.txt
var vocabularyFile string

// vocabulary holds the lists of vocabulary.txt by section.
var vocabulary = parseVocabulary(vocabularyFile)

// wordList returns the list of a section. It panics if the section is missing, because the
// file is part of the program.
func wordList(section string) []string {
	list, ok := vocabulary[section]
	if !ok {
		panic("paystub: vocabulary.txt has no section " + section)
	}
	return list
}

var titleWords, dateEndings, otherDays, headingWords, payerWords = wordSet("title word"), wordSet("date label ending"),
	wordSet("other day"), wordSet("heading word"), wordSet("payer")
var amountColumns, amountTitles, sentWords, fillerWords = wordSet("column amounts"), wordSet("column amounts or title"),
	wordSet("sent"), wordSet("filler")

// wordSet returns the list of a section as a set.
func wordSet(section string) map[string]bool {
	return inverted(map[bool][]string{true: wordList(section)})
}

// parseVocabulary reads sections that begin with "[name]" or "[name: description]".
func parseVocabulary(file string) map[string][]string {
	out := map[string][]string{}
	section := ""
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", line[0] == '#':
		case line[0] == '[':
			section, _, _ = strings.Cut(strings.Trim(line, "[]"), ": ")
			out[section] = nil
		default:
			for entry := range strings.SplitSeq(strings.TrimSuffix(line, ","), ",") {
				out[section] = append(out[section], strings.TrimSpace(entry))
			}
		}
	}
	return out
}
