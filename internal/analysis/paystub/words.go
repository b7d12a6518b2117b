package paystub

import (
	"slices"
	"strings"
)

// field identifies the value that a label is for, other than amounts.
type field int

const (
	noField field = iota
	fieldStart
	fieldEnd
	fieldPeriod // start and end
	fieldPay
	fieldHire
	fieldFrequency
	fieldEmployee
	fieldEmployer
	fieldAddress
	fieldProvider
	fieldOther // another value of a stub, which is not kept
)

// labelWords holds the fields by the words of labels, in the form that plain returns.
var labelWords = inverted(map[field][]string{
	fieldStart:     wordList("label period start"),
	fieldEnd:       wordList("label period end"),
	fieldPeriod:    wordList("label period"),
	fieldPay:       wordList("label pay date"),
	fieldHire:      wordList("label hire date"),
	fieldFrequency: wordList("label frequency"),
	fieldEmployee:  wordList("label employee"),
	fieldEmployer:  wordList("label employer"),
	fieldAddress:   wordList("label address"),
	fieldOther:     wordList("label other"),
	fieldProvider:  wordList("label provider"),
})

// isTitle reports whether a text is the title of a stub or of a part of it.
func isTitle(words string) bool {
	if words == "" || len(words) > 80 {
		return false
	}
	for _, t := range wordList("title") {
		if strings.HasPrefix(words, t) {
			return true
		}
	}
	all := strings.Fields(words)
	if last := all[len(all)-1]; len(all) < 6 && !isCompany(words) &&
		slices.Contains([]string{"statement", "stub", "paystub", "payslip", "voucher", "advice"}, last) {
		return true
	}
	any := false
	for _, w := range all {
		named := titleWords[w]
		if any = any || named; !named && strings.Trim(w, "0123456789") != "" {
			return false
		}
	}
	return any
}

// labelOf returns the field that a cell's whole text is the label of, or noField.
func labelOf(words string) field {
	if len(words) > 40 {
		return noField
	}
	if f, known := labelWords[words]; known {
		return f
	}
	words = unnumbered(words)
	if f, known := labelWords[words]; known {
		return f
	}
	all := strings.Fields(words)
	if kinds, _ := madeOf(all, 0); kinds == 0 || len(all) > 7 || slices.ContainsFunc(all, func(w string) bool { return otherDays[w] }) {
		return noField
	}
	// The label of a date may have more words, as in "official pay date".
	for rest := words; rest != ""; _, rest, _ = strings.Cut(rest, " ") {
		if dateEndings[rest] && rest != words {
			return labelWords[rest]
		}
	}
	return phrase(all)
}

// inverted returns the key of each word.
func inverted[T comparable](words map[T][]string) map[string]T {
	out := map[string]T{}
	for k, all := range words {
		for _, w := range all {
			out[w] = k
		}
	}
	return out
}

// inline returns the field of the label at the beginning of a text, and the text after the
// label. colon reports whether a colon separates them.
func inline(text string) (f field, rest string, colon bool) {
	words := strings.Fields(text)
	longest, head := 0, ""
	for n := 1; n < len(words) && n <= 5; n++ {
		head += " " + words[n-1]
		if got := labelOf(plain(head)); got != noField {
			f, longest, colon = got, n, strings.HasSuffix(head, ":")
		}
	}
	if longest == 0 {
		return noField, "", false
	}
	return f, strings.Join(words[longest:], " "), colon
}

// item identifies the kind of earnings, deduction or total that a line of a table is for.
type item int

const (
	noItem item = iota
	gross
	net
	totalDeductions
	regular
	overtime
	bonus
	commission
	paidTimeOff
	vacation
	medicare
	socialSecurity
	fica
	paidTimeOffDeduction
	vacationDeduction
	reimbursement // adds to net but is not an earning
	paidByCheck   // net, or zero if everything is deposited

)

// containsAny reports whether words contains an entry of a list as whole words.
func containsAny(words string, list []string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return contains(words, w) })
}

// contains reports whether words contains some, as whole words.
func contains(words, some string) bool {
	for at := 0; ; {
		i := strings.Index(words[at:], some)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(some)
		if (i == 0 || words[i-1] == ' ') && (end == len(words) || words[end] == ' ') {
			return true
		}
		at = i + 1
	}
}

// removeWords removes some from words, as whole words.
func removeWords(words, some string) (rest string, found bool) {
	if !contains(words, some) {
		return words, false
	}
	return strings.Join(strings.Fields(strings.Replace(words, some, " ", 1)), " "), true
}

// providers lists the names of payroll companies, as printed on stubs.
var providers = func() (out []provider) {
	for _, entry := range wordList("payroll provider") {
		words, name, _ := strings.Cut(entry, " = ")
		out = append(out, provider{words, name})
	}
	return out
}()

type provider struct{ words, name string }
