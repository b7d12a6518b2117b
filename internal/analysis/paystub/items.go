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
	has := func(all ...string) bool {
		return slices.ContainsFunc(all, func(w string) bool { return contains(words, w) })
	}
	taken := in == deductions || has(wordList("taken")...)
	switch {
	case containsAny(words, wordList("employer's line")) || has("taxable", "limit"), has("wages", "wage", "gross", "earnings") &&
		has("social security", "soc", "med", "ss", "medicare", "fica", "oasdi"):
		return noItem, of
	case has(wordList("social security")...) && (has(wordList("medicare")...) || has("med", "mc", "hi")):
		return fica, of
	case has(wordList("social security")...):
		return socialSecurity, of
	case has(wordList("medicare")...), in == deductions && (words == "med" || words == "hi"), in != earnings && words == "mc":
		return medicare, of
	case has("fica"):
		return fica, of
	case has("reembolso", "reimbursement", "reimb", "reimbursements", "mileage", "per diem"), in != deductions && has("expense", "expenses"):
		return reimbursement, of
	case has("pto", "paid time off", "personal time off", "personal time", "ptoadv", "ptobuy", "ptoded") && taken:
		return paidTimeOffDeduction, of
	case has("vacation", "vac", "vacbuy", "vacadv", "vacded") && taken:
		return vacationDeduction, of
	case in == deductions:
		return noItem, of
	case has("pto", "paid time off", "personal time off", "p t o", "flexible time off", "flex time off", "paid timeoff"):
		return paidTimeOff, of
	case has(wordList("vacation")...):
		return vacation, of
	case has(wordList("overtime")...):
		return overtime, of
	case has(wordList("bonus")...):
		return bonus, of
	case has(wordList("commission")...):
		return commission, of
	case in == earnings && words == "st", words == "rt", has(wordList("regular pay")...):
		return regular, of
	}
	return noItem, of
}

// totalOf returns the total that a label is for, or noItem.
func totalOf(words string) item {
	words = unnumbered(words)
	switch {
	case slices.Contains(wordList("net pay"), words):
		return net
	case slices.Contains([]string{"amount paid", "check amount", "amount of check", "net to check"}, words):
		return paidByCheck
	case slices.Contains([]string{"total de deducciones", "total deducciones", "taxes and deductions",
		"taxes deductions", "tax and deductions"}, words):
		return totalDeductions
	case slices.Contains(wordList("gross pay"), words):
		return gross
	}
	tokens := strings.Fields(words)
	if len(tokens) == 0 || len(tokens) > 7 {
		return noItem
	}
	g, n, d, sum, tax, check := false, false, false, false, false, false
	for _, w := range tokens {
		switch {
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
		case slices.Contains(wordList("sent"), w):
			check = true
		case n && check && strings.Trim(w, "0123456789x") == "": // the account's number
		case !slices.Contains(wordList("filler"), w):
			return noItem
		}
	}
	switch {
	case d && !g && !n && sum && !check, d && n && len(tokens) == 2:
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
