package paystub

import (
	"slices"
	"strings"
)

// maxLabel is how long a label may be.
const maxLabel = 100

// unnumbered returns a label without the number that forms put before it, as in
// "7. Gross Pay", once plain has it.
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

// undated returns a label without the words for a period, and which they are of.
func undated(words string) (string, period) {
	of := noPeriod
	for _, w := range []string{"year to date", "ytd", "y t d", "yr to date", "acumulado"} {
		if rest, found := without(words, w); found {
			words, of = rest, ytd
		}
	}
	for _, w := range []string{"this period", "current", "this check", "this pay period", "this pay"} {
		if rest, found := without(words, w); found && rest != "" && of == noPeriod {
			words, of = rest, current
		}
	}
	return words, of
}

// itemOf says what the label of a line is for, and for which amounts where it
// tells that as well. Sections tell a vacation that is paid from one that is
// taken off.
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
	taken := in == deductions || has(takenWords...)
	switch {
	case notOurs(words) || has("taxable", "limit"), has("wages", "wage", "gross", "earnings") &&
		has("social security", "soc", "med", "ss", "medicare", "fica", "oasdi"):
		return noItem, of
	case has(socialSecurityWords...):
		return socialSecurity, of
	case has(medicareWords...), in == deductions && (words == "med" || words == "mc" || words == "hi"):
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
	case has(vacationWords...):
		return vacation, of
	case has(overtimeWords...):
		return overtime, of
	case has(bonusWords...):
		return bonus, of
	case has(commissionWords...):
		return commission, of
	case in == earnings && words == "st", words == "rt", has(regularWords...):
		return regular, of
	}
	return noItem, of
}

// notOurs reports whether a line of a table is the employer's and not the employee's.
func notOurs(words string) bool { return containsAny(words, employerLineWords) }

// fillers are words of totals that say nothing of which.
var fillers = wordList("filler")

// sent are words of what becomes of the net pay.
var sent = wordList("sent")

// totalOf says which total a label is of.
func totalOf(words string) item {
	words = unnumbered(words)
	switch {
	case slices.Contains(netPhrases, words):
		return net
	case slices.Contains([]string{"amount paid", "check amount", "amount of check", "net to check"}, words):
		return paidByCheck
	case slices.Contains([]string{"total de deducciones", "total deducciones", "taxes and deductions",
		"taxes deductions", "tax and deductions"}, words):
		return totalDeductions
	case slices.Contains(grossPhrases, words):
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
		case slices.Contains(sent, w):
			check = true
		case n && check && strings.Trim(w, "0123456789x") == "": // of the account
		case !slices.Contains(fillers, w):
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

// isTotalOf reports whether a label is of a total of some period.
func isTotalOf(words string) bool {
	words, _ = undated(words)
	return totalOf(words) != noItem
}

// isTotal reports whether a line is the sum of those above it: by the word, or because it
// has the name of the table.
func isTotal(words string) bool {
	return contains(words, "total") || contains(words, "totals") || contains(words, "subtotal") ||
		contains(words, "sum") || headingOf(words) != noSection || totalOf(words) != noItem
}
