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
	articles   = companyWords["articles"]
	legalForms = companyWords["legal"]
	moving     = companyWords["moving"]     // the kind and purpose of a payment
	processors = companyWords["processors"] // names of payroll companies, which pay on behalf of employers
	common     = companyWords["common"]     // in the names of many companies; only two together identify one
	entries    = companyWords["entry"]      // mark a payment as pay; an ID or a name follows
)

// parseCompanyWords parses company_words.txt into sets by section.
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
