package paystub

import (
	"slices"
	"strings"
)

// field is what a label is for, other than amounts of a table.
type field int

const (
	noField field = iota
	fieldStart
	fieldEnd
	fieldPeriod // both of them
	fieldPay
	fieldHire
	fieldFrequency
	fieldEmployee
	fieldEmployer
	fieldAddress
	fieldProvider
	fieldOther // something that a stub says besides: it is the value of no other label
)

// labels are the words of labels, as plain gives them, by what they are for.
var labels = map[field][]string{
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
}

// titles are texts at the head of a stub that name neither side.
var titles = wordList("title")

// titleWords are all the words of which titles of parts of a stub are made.
var titleWords = wordList("title word")

// isTitle reports whether a text names a part of a stub, or the stub.
func isTitle(words string) bool {
	if words == "" || len(words) > 80 {
		return false
	}
	for _, t := range titles {
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
		named := slices.Contains(titleWords, w)
		if any = any || named; !named && strings.Trim(w, "0123456789") != "" {
			return false
		}
	}
	return any
}

// labelOf says what a whole cell is the label of.
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
	// A date may be named more closely, as in "official pay date".
	all := strings.Fields(words)
	if len(all) > 7 || contains(words, "next") || contains(words, "previous") || contains(words, "prior") || contains(words, "birth") {
		return noField
	}
	for _, end := range dateLabelEndings {
		if strings.HasSuffix(words, " "+end) {
			return labelWords[end]
		}
	}
	return phrase(all)
}

var labelWords = flipped(labels)

// flipped returns what each of the words is for.
func flipped[T comparable](words map[T][]string) map[string]T {
	out := map[string]T{}
	for k, all := range words {
		for _, w := range all {
			out[w] = k
		}
	}
	return out
}

// inline finds a label at the beginning of a text, and the text after it. colon reports
// whether a colon is between them.
func inline(text string) (f field, rest string, colon bool) {
	words := strings.Fields(text)
	longest := 0
	for n := 1; n < len(words) && n <= 5; n++ {
		head := strings.Join(words[:n], " ")
		if got := labelOf(plain(head)); got != noField {
			f, longest, colon = got, n, strings.HasSuffix(head, ":")
		}
	}
	if longest == 0 {
		return noField, "", false
	}
	return f, strings.Join(words[longest:], " "), colon
}

// item is what a line of a table is for.
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
	paidByCheck   // net, unless all of it is deposited: then it is nothing

)

// containsAny reports whether one of a list is among whole words.
func containsAny(words string, list []string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return contains(words, w) })
}

// contains reports whether whole words are among others.
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

// without takes whole words out of others.
func without(words, some string) (rest string, found bool) {
	if !contains(words, some) {
		return words, false
	}
	return strings.Join(strings.Fields(strings.Replace(words, some, " ", 1)), " "), true
}

// providers are names of payroll companies, as printed on stubs.
var providers = func() (out []provider) {
	for _, entry := range wordList("payroll provider") {
		words, name, _ := strings.Cut(entry, " = ")
		out = append(out, provider{words, name})
	}
	return out
}()

type provider struct{ words, name string }
