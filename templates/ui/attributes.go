package ui

import (
	_ "embed" // the descriptions
	"strings"
	"sync"

	"vestibule/internal/i18n"
)

// spanishAttributes has a line for each of: a window at the end of an attribute's name; an attribute of the embedded
// provider, by its name without such a window; a line of score v2.1 whose figure is no attribute, by its English
// description. A tab separates it from its Spanish words.
//
//go:embed attributes.es.tsv
var spanishAttributes string

var wordsOfAttributes = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(spanishAttributes) {
		key, words, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all[key] = words
	}
	return all
})

// AttributeWords describes an attribute in the reader's language: the Spanish description
// if known, otherwise the report's. It returns the language of the text.
func AttributeWords(l i18n.Lang, name, description string) (string, i18n.Lang) {
	if l != i18n.Spanish {
		return description, i18n.English
	}
	all := wordsOfAttributes()
	for _, key := range []string{description, name} {
		if words := all[key]; words != "" {
			return words, i18n.Spanish
		}
	}
	if i := strings.LastIndexByte(name, '_'); i > 0 && all[name[:i]] != "" && all[name[i:]] != "" {
		return all[name[:i]] + ", " + all[name[i:]], i18n.Spanish
	}
	return description, i18n.English
}
