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
)

// labels are the words of labels, as plain gives them, by what they are for.
var labels = map[field][]string{
	fieldStart: {"period start", "pay period start", "period beginning", "period begin", "pay period beginning", "pay period begin", "pay begin date", "period start date", "pay period start date", "beginning date",
		"period begin date", "period beginning date", "start of period", "pay start date", "begin date", "period from", "pay period from"},
	fieldEnd: {"period end", "pay period end", "period ending", "pay period ending", "pay end date", "period end date", "pay period end date", "ending date", "period ending date", "end of period", "end date",
		"period to", "pay period to", "week ending"},
	fieldPeriod: {"pay period", "period", "for the period", "for period", "pay period dates", "period covered", "payroll period", "pay periods", "period dates", "earnings period"},
	fieldPay: {"pay date", "check date", "payment date", "date paid", "pay day", "payday", "advice date", "deposit date", "issue date", "paid on", "date of payment", "cheque date", "paycheck date", "direct deposit date",
		"payroll date", "date of pay", "paid date"},
	fieldHire: {"hire date", "date of hire", "original hire date", "hired on", "hired", "start date", "employment date", "date hired", "employment start", "employment start date", "employee since", "hire dt", "orig hire date",
		"last hire date", "service date"},
	fieldFrequency: {"pay frequency", "frequency", "pay schedule", "pay type", "pay cycle", "pay basis", "paid", "payroll frequency", "pay group", "schedule"},
	fieldEmployee: {"employee", "employee name", "name", "pay to the order of", "to the order of", "employee name and address", "paid to", "pay to", "payee", "associate", "team member", "employee information",
		"deposited to the account of", "worker", "employee details"},
	fieldEmployer: {"employer", "company", "company name", "employer name", "organization", "business", "business name", "employer information", "company information", "employer name and address", "employer details"},
	fieldAddress:  {"address", "employee address", "home address", "mailing address"},
	fieldProvider: {"payroll provider", "payroll by", "processed by", "prepared by", "powered by", "payroll services provided by", "payroll service", "payroll services by", "payroll processed by", "payroll processor"},
}

// titles are texts at the head of a stub that name neither side.
var titles = []string{"earnings statement", "pay stub", "paystub", "pay statement", "statement of earnings", "statement of earnings and deductions", "payslip", "pay slip", "payroll statement", "pay advice", "deposit advice",
	"direct deposit advice", "non negotiable", "advice of deposit", "earnings record", "page", "confidential", "payroll advice", "wage statement", "this is not a check", "check stub"}

// labelOf says what a whole cell is the label of.
func labelOf(words string) field {
	if len(words) > 40 {
		return noField
	}
	return labelWords[words]
}

var labelWords, periodWords = flipped(labels), flipped(periods)

// flipped is what each of the words is for.
func flipped[T comparable](words map[T][]string) map[string]T {
	out := map[string]T{}
	for k, all := range words {
		for _, w := range all {
			out[w] = k
		}
	}
	return out
}

// inline finds a label at the beginning of a text, and what follows it. colon says
// whether a colon stands between.
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

// period is which amount a column or a label is of.
type period int

const (
	noPeriod period = iota
	current
	ytd
	notMoney // hours, rates, balances
)

var periods = map[period][]string{
	current: {"current", "this period", "amount", "this check", "current amount", "this pay", "current period", "period", "current total", "this pay period", "earnings amount", "current pay", "total", "current earnings", "current deductions",
		"earnings this period", "deductions this period", "current pay period", "amt", "employee current", "this payment"},
	ytd:      {"ytd", "year to date", "ytd amount", "y t d", "ytd total", "year to date amount", "amount ytd", "total ytd", "ytd earnings", "ytd deductions", "calendar ytd", "to date", "employee ytd", "total to date", "ytd pay", "year to date total"},
	notMoney: {"hours", "rate", "units", "hrs", "pay rate", "hourly rate", "qty", "quantity", "rate of pay", "hours units", "ytd hours", "hours ytd", "balance", "accrued", "used", "available", "hrs units", "total hours", "current hours", "rate hr", "base rate"},
}

// periodOf says which amounts stand below a cell of a header, or right of a label.
func periodOf(words string) period { return periodWords[words] }

// section is which lines follow a title.
type section int

const (
	noSection section = iota
	earnings
	deductions
	elsewhere // employer's contributions, balances: of no concern
)

// sectionOf says what a title is over. Taxes are deductions.
func sectionOf(words string) section {
	has := func(all ...string) bool {
		return slices.ContainsFunc(all, func(w string) bool { return strings.Contains(words, w) })
	}
	if len(words) > 50 {
		return noSection
	}
	switch {
	case strings.HasPrefix(words, "employer"), strings.HasPrefix(words, "company"), has("benefits paid by", "accrual", "leave", "balance", "time off summary", "contribution by", "direct deposit", "distribution", "taxable wages", "non taxable"):
		return elsewhere
	case has("deduction", "tax", "withh", "withholding"):
		return deductions
	case has("earnings", "wages", "hours and pay", "gross pay", "income", "pay details", "description of pay"):
		return earnings
	}
	return noSection
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
	reimbursement // adds to net, and is no earning
	items
)

// itemOf says what the label of a line is for, and for which amounts where it
// tells that as well. Sections tell a vacation that is paid from one that is
// taken off.
func itemOf(words string, in section) (item, period) {
	of := noPeriod
	for _, w := range []string{"year to date", "ytd"} {
		if rest, found := without(words, w); found {
			words, of = rest, ytd
		}
	}
	for _, w := range []string{"this period", "current", "this check", "this pay period"} {
		if rest, found := without(words, w); found && rest != "" && of == noPeriod {
			words, of = rest, current
		}
	}
	if i := totalOf(words); i != noItem {
		return i, of
	}
	has := func(all ...string) bool {
		return slices.ContainsFunc(all, func(w string) bool { return contains(words, w) })
	}
	taken := in == deductions || has("deduction", "purchase", "buy", "advance")
	switch {
	case has("employer", "er", "company"):
		return noItem, of
	case has("social security", "soc sec", "oasdi", "socsec", "social sec", "ss tax", "fica ss", "ss ee", "ss", "soc security"):
		return socialSecurity, of
	case has("medicare", "fed med", "med ee", "fica med", "fica mc", "mcare"):
		return medicare, of
	case has("fica"):
		return fica, of
	case has("reimbursement", "reimb", "expense reimbursement", "mileage", "per diem"):
		return reimbursement, of
	case has("pto", "paid time off", "personal time off", "personal time") && taken:
		return paidTimeOffDeduction, of
	case has("vacation", "vac") && taken:
		return vacationDeduction, of
	case in == deductions:
		return noItem, of
	case has("pto", "paid time off", "personal time off"):
		return paidTimeOff, of
	case has("vacation", "vac"):
		return vacation, of
	case has("overtime", "ot", "o t"):
		return overtime, of
	case has("bonus", "incentive"):
		return bonus, of
	case has("commission", "commissions"):
		return commission, of
	case has("regular", "reg", "salary", "hourly", "base pay", "regular pay", "base salary", "regular hours", "salaried"):
		return regular, of
	}
	return noItem, of
}

// totalOf says which total a label is of.
func totalOf(words string) item {
	switch words {
	case "gross", "gross pay", "gross earnings", "total gross", "total earnings", "gross wages", "total gross pay", "gross income", "total gross earnings", "gross amount", "total wages", "total pay", "earnings total", "gross total", "total gross wages", "gross salary":
		return gross
	case "net", "net pay", "net amount", "net earnings", "total net", "total net pay", "net amount paid", "net check", "net check amount", "net deposit", "take home pay", "net wages", "net income", "net payment", "amount paid",
		"net pay distribution", "net pay amount", "check amount", "total net amount", "net salary", "take home", "net direct deposit", "net paid":
		return net
	case "total deductions", "deductions total", "total taxes and deductions", "taxes and deductions", "total withholdings", "total withholdings and deductions", "total deductions and taxes", "total employee deductions",
		"total taxes deductions", "taxes deductions":
		return totalDeductions
	}
	return noItem
}

// contains says whether whole words are among others.
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

// providers are names of payroll companies, as they stand on stubs.
var providers = []struct{ words, name string }{
	{"adp", "ADP"}, {"paychex", "Paychex"}, {"gusto", "Gusto"}, {"paylocity", "Paylocity"}, {"paycom", "Paycom"}, {"paycor", "Paycor"}, {"quickbooks payroll", "QuickBooks Payroll"}, {"intuit", "Intuit"},
	{"rippling", "Rippling"}, {"ceridian", "Ceridian"}, {"dayforce", "Dayforce"}, {"ukg", "UKG"}, {"ultipro", "UltiPro"}, {"trinet", "TriNet"}, {"justworks", "Justworks"}, {"onpay", "OnPay"},
	{"square payroll", "Square Payroll"}, {"insperity", "Insperity"}, {"surepay", "SurePay"}, {"bamboohr", "BambooHR"}, {"zenefits", "Zenefits"}, {"isolved", "iSolved"}, {"wave payroll", "Wave Payroll"},
}
