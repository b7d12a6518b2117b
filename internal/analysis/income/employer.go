package income

import (
	"regexp"
	"slices"
	"strings"

	"vestibule/internal/analysis/bankdata"
)

// employer is a company's name for comparison.
type employer struct {
	name    string   // as written
	words   []string // normalized, at most maxNameWords
	telling []string // words without legal forms, payroll companies and the kind of payment
}

// maxNameWords is the maximum number of compared words of a name.
const maxNameWords = 24

// employerOf parses a name as stated or as a bank writes it.
func employerOf(name string) employer {
	e := employer{name: name, words: strings.Fields(bankdata.Normalize(name))}
	if len(e.words) > maxNameWords {
		e.words = e.words[:maxNameWords]
	}
	e.telling = removeWords(e.words, legalForms, moving, processors)
	if len(e.telling) == 0 { // the employer is a payroll company
		e.telling = removeWords(e.words, legalForms, moving)
	}
	return e
}

func removeWords(words []string, sets ...map[string]bool) []string {
	var out []string
	for _, w := range words {
		if len(w) > 1 && !slices.ContainsFunc(sets, func(s map[string]bool) bool { return s[w] }) {
			out = append(out, w)
		}
	}
	return out
}

// Confidence of a match of two names; 0 means that they do not match.
const (
	sameInitials  = 1 + iota // one is the initials of the other
	sameBeginning            // one is a part of the other
	sameShortened            // the same words, some shortened
	sameWords
)

// similarity returns the confidence that two names are of one company. It is symmetric.
func similarity(a, b *employer) int {
	x, y := a.telling, b.telling
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	if len(x) > len(y) {
		x, y, a, b = y, x, b, a
	}
	switch {
	case strings.Join(x, "") == strings.Join(y, ""):
		if len(x) == 1 && len(y) == 1 && common[x[0]] {
			return 0
		}
		return sameWords
	case len(x) == len(y) && shortened(x, y):
		return sameShortened
	case part(x, y) || len(x) == len(y) && part(y, x) || cut(x, y) || cut(y, x):
		return sameBeginning
	case initials(x, b.words) || len(y) == 1 && initials(y, a.words):
		return sameInitials
	}
	return 0
}

// isDistinctive reports whether a word identifies one company.
func isDistinctive(w string) bool { return len(w) >= 4 && !common[w] }

// shortened reports whether the words of two names are pairwise equal or abbreviations, and
// at least one telling word is equal.
func shortened(x, y []string) bool {
	same := false
	for i := range x {
		if !isAbbreviation(x[i], y[i]) && !isAbbreviation(y[i], x[i]) {
			return false
		}
		same = same || x[i] == y[i] && isDistinctive(x[i])
	}
	return same
}

// isAbbreviation reports whether s is w or an abbreviation of it: its beginning, or some of its
// letters including the first and the last.
func isAbbreviation(s, w string) bool {
	switch {
	case s == w:
		return true
	case len(s) < 3 || len(s) >= len(w):
		return false
	case strings.HasPrefix(w, s):
		return true
	case s[0] != w[0] || s[len(s)-1] != w[len(w)-1] || 3*len(s) > 2*len(w):
		return false
	}
	for i := range len(s) {
		at := strings.IndexByte(w, s[i])
		if at < 0 {
			return false
		}
		w = w[at+1:]
	}
	return true
}

// part reports whether the shorter name x is a part of y by the rule of shortened: at its
// beginning, or anywhere if x has several words. Only common words may follow a single
// short word: UBER is UBER TECHNOLOGIES, but DELL is not DELL RAPIDS.
func part(x, y []string) bool {
	for from := 0; from+len(x) <= len(y); from++ {
		if from > 0 && len(x) == 1 {
			break
		}
		if shortened(x, y[from:from+len(x)]) {
			return len(x) > 1 || len(x[0]) > 4 || !slices.ContainsFunc(y[1:], func(w string) bool { return !common[w] })
		}
	}
	if len(x) >= 3 && slices.Equal(x, y[:len(x)]) { // FIRST NATIONAL BANK: three common words identify a company
		return true
	}
	whole := strings.Join(x, "") // WALMART is WAL MART STORES
	for n := 1; n <= len(y) && len(whole) > 5; n++ {
		if n != len(x) && strings.Join(y[:n], "") == whole {
			return !common[whole]
		}
	}
	return false
}

// cutAt is the minimum length at which banks cut names.
const cutAt = 12

// cut reports whether x is y as a bank truncates it.
func cut(x, y []string) bool {
	s, w := strings.Join(x, " "), strings.Join(y, " ")
	return len(x) > 1 && len(s) >= cutAt && len(s) < len(w) && strings.HasPrefix(w, s) && isDistinctive(y[0])
}

// initials reports whether x is one word of the initials of three words or more.
func initials(x, words []string) bool {
	if len(x) != 1 || len(x[0]) < 3 || common[x[0]] {
		return false
	}
	for _, set := range [][]map[string]bool{{}, {articles}, {legalForms}} {
		var first strings.Builder
		for _, w := range words {
			if !slices.ContainsFunc(set, func(s map[string]bool) bool { return s[w] }) {
				first.WriteByte(w[0])
			}
		}
		if first.String() == x[0] {
			return true
		}
	}
	return false
}

// employersOf parses the stated names, without duplicates and names without telling words.
func employersOf(names []string) []employer {
	var out []employer
	for _, n := range names {
		e := employerOf(n)
		if len(e.telling) > 0 && !slices.ContainsFunc(out, func(o employer) bool { return o.name == n }) {
			out = append(out, e)
		}
	}
	return out
}

// matchOf returns the index of an inflow's stated employer by its description, or -1.
func matchOf(x *inflow, stated []employer) int {
	if !x.isJob() && x.leaf != bankdata.LeafIncomeOther || len(stated) == 0 {
		return -1
	}
	return bestMatch(stated, employerOf(x.description))
}

// bestMatch returns the index of the stated employer that is most like a name, the first one
// of equals, or -1.
func bestMatch(stated []employer, name employer) int {
	best, sure := -1, 0
	for i := range stated {
		if s := similarity(&stated[i], &name); s > sure {
			best, sure = i, s
		}
	}
	return best
}

// maxPayerWords is the maximum number of words in a payer's name.
const maxPayerWords = 6

// payerOf returns the payer of a wage: the merchant, if the bank names one; otherwise the
// descriptor without payroll companies, payment methods, the account holders' names, and a
// city and state at the end. It is empty if nothing is left.
func payerOf(t *bankdata.Transaction, holders map[string]bool) string {
	text := t.Merchant
	if text == "" {
		text = companyIn(t.Description)
	}
	words := untilEntry(strings.Fields(bankdata.Normalize(text)))
	words = withoutHolder(removeWords(words, moving, processors), holders)
	if n := len(words); n > 3 {
		if _, state := stateTaxes()[words[n-1]]; state {
			words = words[:n-2]
		}
	}
	return strings.Join(words[:min(len(words), maxPayerWords)], " ")
}

// The labels of fields in a bank's descriptor: of the company, and of others (IDs, dates,
// the entry's description, the account holder's name).
var (
	companyField = regexp.MustCompile(`(?i)\b(?:ORIG(?:INATOR)? )?CO(?:MPANY)? NAME ?[:=] ?`)
	otherField   = regexp.MustCompile(`(?i)(?:^|[\s;,])(?:DES|INDN|IND NAME|IND ID|IND ID NO|CO ID|ORIG ID|ORIG CO ` +
		`NAME|CO ENTRY DESCR|ENTRY DESCR|DESC DATE|SEC|TRACE ?#|TRACE NO|TRN|EED|EFF ` +
		`?DATE|REF|REFERENCE|ID|ACCT|NAME)\s?[:=]|\s(?:INDN|IND ID)\s`)
)

// companyIn returns the part of a descriptor that names the company.
func companyIn(text string) string {
	if !strings.ContainsAny(text, ":=") && !strings.Contains(text, "IND") {
		return text // most descriptors have no labels
	}
	if at := companyField.FindStringIndex(text); at != nil {
		text = text[at[1]:]
	}
	for {
		at := otherField.FindStringIndex(text)
		if at == nil {
			return text
		}
		if strings.TrimSpace(text[:at[0]]) != "" {
			return text[:at[0]]
		}
		text = text[at[1]:] // the text begins with a field
	}
}

// untilEntry returns the words before an entry word that follows a company's name.
func untilEntry(words []string) []string {
	for i, w := range words {
		if entries[w] && len(removeWords(words[:i], legalForms, moving, processors)) > 0 {
			return words[:i]
		}
	}
	return words
}

// holdersOf returns the words in the names of an account's holders.
func holdersOf(c *bankdata.Connection, a *bankdata.Account, consumer *bankdata.Person) map[string]bool {
	out := map[string]bool{}
	add := func(name string) {
		for _, w := range strings.Fields(bankdata.Normalize(name)) {
			out[w] = true
		}
	}
	add(a.Owner)
	for i := range c.Owners {
		add(c.Owners[i].FullName())
	}
	if consumer != nil {
		add(consumer.FullName())
	}
	return out
}

// withoutHolder removes a holder's name of at least two words after a company's name. A
// single word may be the company's.
func withoutHolder(words []string, holders map[string]bool) []string {
	n := len(words)
	for n > 0 && (holders[words[n-1]] || len(words[n-1]) == 1) {
		n--
	}
	if n > 0 && len(words)-n >= 2 {
		return words[:n]
	}
	return words
}

// promote marks recurring credits as wages if their counterparty is a stated employer and
// their category is vague.
func (f *facts) promote(stated []employer) {
	f.promoted = make([]bool, len(f.ledger.Streams))
	if len(stated) == 0 {
		return
	}
	for i := range f.ledger.Streams {
		s := &f.ledger.Streams[i]
		if !s.In || !isVague(&f.ledger.Entries[s.Entries[0]]) || bestMatch(stated, employerOf(f.ledger.Parties[s.Party])) < 0 {
			continue
		}
		f.promoted[i] = true
		if f.taken == nil {
			f.taken = make([]bool, len(f.ledger.Entries))
		}
		for _, at := range s.Entries {
			f.taken[at] = true
		}
	}
}

// isVague reports whether an entry's category is unknown, or self-employment only by a
// pattern.
func isVague(e *bankdata.Entry) bool {
	return e.Leaf == bankdata.LeafOther || e.Leaf == bankdata.LeafSelfEmployed && e.Tier == bankdata.TierPattern
}
