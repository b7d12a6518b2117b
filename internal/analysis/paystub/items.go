package paystub

import (
	"slices"
	"strings"
)

// maxLabel is how long a label may be.
const maxLabel = 100

// unnumbered is a label without the number that forms put before it, as in
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

// undated is a label without the words for a period, and which they are of.
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
	taken := in == deductions || has("deduction", "purchase", "buy", "advance", "ded", "repay", "repayment", "deduct", "loan", "donation")
	switch {
	case notOurs(words) || has("taxable", "limit"), has("wages", "wage", "gross", "earnings") && has("social security", "soc", "med", "ss", "medicare", "fica", "oasdi"):
		return noItem, of
	case has("seguro social", "social security", "soc sec", "oasdi", "socsec", "social sec", "ss tax", "fica ss", "ss ee", "ss", "soc security", "s s", "soc", "fica oasdi", "fica social security", "socsecurity", "oasdi ee", "ssa", "sosec", "fica s s", "social securty", "soc sec ee", "fica soc sec", "old age", "socialsecurity", "social secur", "social securit", "social securi", "fica 62", "ssec", "sst", "ss wh"):
		return socialSecurity, of
	case has("medicare", "mwt", "fed med", "med ee", "fica med", "fica mc", "mcare", "fica hi", "medicare hi", "medi", "fed hi", "hospital ins", "med tax", "fica 145", "medcare", "mdcr", "medicr", "fica medicare"), in == deductions && (words == "med" || words == "mc" || words == "hi"):
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
	case has("vacaciones", "vacation", "vac", "vacat", "vacatn", "vaca", "vactn", "vacpay"):
		return vacation, of
	case has("tiempo extra", "horas extra", "overtime", "ot", "ot1", "ot15", "otp", "otpay", "time 1 2", "time and 1 2", "dbl time", "ovrtime", "overtime15", "premium time", "o t", "time and half", "time and a half", "time one half", "overtm", "ovt", "double time", "doubletime", "ovrtm"):
		return overtime, of
	case has("bono", "bonificacion", "bonus", "incentive", "bonuses", "bns", "bonu", "incent", "incentives"):
		return bonus, of
	case has("comision", "comisiones", "commission", "commissions", "comm", "commis", "commsn", "comms", "commiss"):
		return commission, of
	case in == earnings && words == "st", words == "rt", has("salario", "sueldo", "standard gross", "standard pay", "regular", "reg", "salary", "hourly", "base pay", "basic pay", "base salary", "salaried", "base", "straight time", "st time", "base wages", "contract pay", "regulr", "straight", "regular earn", "contract", "regpay", "regl", "rglr", "regularpay", "sal", "normal pay", "normal hours", "std pay", "base earnings", "normal"):
		return regular, of
	}
	return noItem, of
}

// notOurs reports whether a line of a table is the employer's and not the employee's.
func notOurs(words string) bool {
	for _, w := range []string{"employer", "er", "emplr", "patronal", "company", "match", "matching", "co paid", "co match", "ermatch", "401kmatch"} {
		if contains(words, w) {
			return true
		}
	}
	return false
}

// fillers are words of totals that say nothing of which.
var fillers = strings.Fields("total totals pay amount amounts earnings wages income salary compensation paid payment your the for employee usd sum of statutory amt commission commissions tips salaries hours")

// sent are words of what becomes of the net pay.
var sent = strings.Fields("checking savings account acct chk ending in check cheque deposit deposited advice transfer transferred bank due received direct dd voucher to")

// totalOf says which total a label is of.
func totalOf(words string) item {
	words = unnumbered(words)
	switch words {
	case "pago neto", "salario neto", "sueldo neto", "neto a pagar", "neto", "take home pay", "take home", "net check", "net check amount", "net deposit", "net pay distribution", "net direct deposit", "net to bank", "net this check", "net check deposit", "total net check":
		return net
	case "amount paid", "check amount", "amount of check", "net to check":
		return paidByCheck
	case "total de deducciones", "total deducciones", "taxes and deductions", "taxes deductions", "tax and deductions":
		return totalDeductions
	case "tot ent", "total entitlements", "entitle", "entitlements", "ingreso bruto", "salario bruto", "pago bruto", "total bruto", "total de ingresos", "total ingresos", "total earnings", "total wages", "total pay", "earnings total", "total hours and earnings", "total compensation", "total income", "total earnings and hours", "total current earnings", "total gross", "total hours earnings":
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
	return contains(words, "total") || contains(words, "totals") || contains(words, "subtotal") || contains(words, "sum") || headingOf(words) != noSection || totalOf(words) != noItem
}
