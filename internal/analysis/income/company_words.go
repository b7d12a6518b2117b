package income

import (
	_ "embed"
	"strings"
)

//go:embed company_words.txt
var companyWordsFile string

var companyWords = parseCompanyWords(companyWordsFile)

// Words in the names of companies.
var (
	articles   = companyWords["articles"]   // say nothing
	legalForms = companyWords["legal"]      // say what kind of company it is
	moving     = companyWords["moving"]     // say how money moved, and what for
	processors = companyWords["processors"] // pay on behalf of employers; no other company has such a name
	common     = companyWords["common"]     // in the names of many companies; only two of them tell one from another
	entries    = companyWords["entry"]      // say that a payment is pay; an ID or a name follows
)

// parseCompanyWords reads company_words.txt into sets by section.
func parseCompanyWords(file string) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	var set map[string]bool
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		if section, ok := strings.CutPrefix(line, "["); ok {
			set = map[string]bool{}
			out[strings.TrimSuffix(section, "]")] = set
			continue
		}
		for _, word := range strings.Fields(line) {
			set[word] = true
		}
	}
	return out
}
