package paystub

import (
	"slices"
	"strings"
)

// maxLabel is the maximum length of a label, in bytes.
const maxLabel = 100

// unnumbered returns a label, in the form that plain returns, without a form's number before
// it, as in "7. Gross Pay".
func unnumbered(words string) string {
	first, rest, ok := strings.Cut(words, " ")
	if !ok || rest == "" || len(first) > 4 || rest[0] >= '0' && rest[0] <= '9' {
		return words
	}
	if len(first) == 1 && first[0] >= 'a' && first[0] <= 'z' {
		return rest
	}
	digits := strings.TrimRight(first, "abcdefgh")
	if digits == "" || len(first)-len(digits) > 1 || strings.Trim(digits, "0123456789") != "" {
		return words
	}
	return rest
}

// undated returns a label without the words for a period, and the period.
func undated(words string) (string, period) {
	of := noPeriod
	for _, w := range []string{"year to date", "ytd", "y t d", "yr to date", "acumulado"} {
		if rest, found := removeWords(words, w); found {
			words, of = rest, ytd
		}
	}
	for _, w := range []string{"this period", "current", "this check", "this pay period", "this pay"} {
		if rest, found := removeWords(words, w); found && rest != "" && of == noPeriod {
			words, of = rest, current
		}
	}
	return words, of
}

// itemOf returns the item of a line's label, and the period if the label names one. The
// section distinguishes vacation pay from deductions for vacation.
func itemOf(words string, in section) (item, period) {
	if len(words) > maxLabel {
		return noItem, noPeriod
	}
	words, of := undated(words)
	if i := totalOf(words); i != noItem {
		return i, of
	}
	found := itemSections(words)
	has := func(sections ...string) bool {
		return slices.ContainsFunc(sections, func(s string) bool { return slices.Contains(found, s) })
	}
	taken := in == deductions || has("taken")
	switch {
	case has("employer's line", "limit"), has("wages") && has("tax on wages"):
		return noItem, of
	case has("social security") && has("medicare", "short medicare"):
		return fica, of
	case has("social security"):
		return socialSecurity, of
	case has("medicare"), in == deductions && (words == "med" || words == "hi"), in != earnings && words == "mc":
		return medicare, of
	case has("fica"):
		return fica, of
	case has("reimbursement"), in != deductions && has("expense"):
		return reimbursement, of
	case has("paid time off taken") && taken:
		return paidTimeOffDeduction, of
	case has("vacation taken") && taken:
		return vacationDeduction, of
	case in == deductions:
		return noItem, of
	case has("paid time off"):
		return paidTimeOff, of
	case has("vacation"):
		return vacation, of
	case has("overtime"):
		return overtime, of
	case has("bonus"):
		return bonus, of
	case has("commission"):
		return commission, of
	case in == earnings && words == "st", words == "rt", has("regular pay"):
		return regular, of
	}
	return noItem, of
}

type itemPhrase struct{ section, words string }

// itemPhrases holds the entries of the vocabulary's sections for items, by their first words.
var itemPhrases = func() map[string][]itemPhrase {
	out := map[string][]itemPhrase{}
	for section, list := range vocabulary {
		section, ok := strings.CutPrefix(section, "item ")
		for i := 0; ok && i < len(list); i++ {
			first, _, _ := strings.Cut(list[i], " ")
			out[first] = append(out[first], itemPhrase{section, list[i]})
		}
	}
	return out
}()

// itemSections returns the sections for items of which words contain an entry as whole words.
func itemSections(words string) (found []string) {
	for words != "" {
		first, rest, _ := strings.Cut(words, " ")
		for _, p := range itemPhrases[first] {
			if after, is := strings.CutPrefix(words, p.words); is && (after == "" || after[0] == ' ') {
				found = append(found, p.section)
			}
		}
		words = rest
	}
	return found
}

// totalWords holds the totals by labels that have other words than totalOf knows.
var totalWords = inverted(map[item][]string{
	net:             wordList("net pay"),
	paidByCheck:     wordList("net pay by check"),
	totalDeductions: wordList("total deductions"),
	gross:           wordList("gross pay"),
})

// totalOf returns the total that a label is for, or noItem.
func totalOf(words string) item {
	words = unnumbered(words)
	if i := totalWords[words]; i != noItem {
		return i
	}
	g, n, d, sum, tax, check, count := false, false, false, false, false, false, 0
	for w := range strings.FieldsSeq(words) {
		switch count++; {
		case count > 7:
			return noItem
		case w == "gross":
			g = true
		case w == "net":
			n = true
		case w == "deductions" || w == "deduction" || w == "ded" || w == "deds" || w == "withholdings" || w == "withholding" || w == "withheld":
			d = true
		case w == "taxes" || w == "tax":
			tax = true
		case w == "total" || w == "tot" || w == "totals" || w == "all":
			sum = true
		case w == "and" || w == "personal" || w == "employee" || w == "less":
		case sentWords[w]:
			check = true
		case n && check && strings.Trim(w, "0123456789x") == "": // the account's number
		case !fillerWords[w]:
			return noItem
		}
	}
	switch {
	case d && !g && !n && sum && !check, d && n && count == 2:
		return totalDeductions
	case check && !n:
		return noItem
	case g && !n && !d && !tax:
		return gross
	case n && !g && !d && !tax:
		return net
	}
	return noItem
}

// isTotalOf reports whether a label is for a total, with or without the words for a period.
func isTotalOf(words string) bool {
	words, _ = undated(words)
	return totalOf(words) != noItem
}

// isTotal reports whether a line is the sum of the lines above it, because its label has a
// word such as "total" or is the title of a table.
func isTotal(words string) bool {
	return contains(words, "total") || contains(words, "totals") || contains(words, "subtotal") ||
		contains(words, "sum") || headingOf(words) != noSection || totalOf(words) != noItem
}
