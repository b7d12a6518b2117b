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
	fieldStart: {"begin", "desde", "period start", "pay period start", "period beginning", "period begin", "pay period beginning", "pay period begin", "pay begin date", "period start date", "pay period start date", "beginning date",
		"period begin date", "period beginning date", "period beg", "pay begin", "beg date", "period starting", "pay period starting", "from date", "period start dt", "period beg date", "begin period", "begin pay period", "pay period beg", "from", "start of period", "pay start date", "begin date", "period from", "pay period from"},
	fieldEnd: {"end", "hasta", "period end", "pay period end", "period ending", "pay period ending", "pay end date", "period end date", "pay period end date", "ending date", "period ending date", "end of period", "end date",
		"period to", "pay period to", "week ending", "pay end", "w e date", "week ending date", "w e", "period ended", "pay period ended", "period thru", "thru date", "end period", "week end", "pay period end dt", "period end dt", "through", "week ended", "for period ending", "pay through date", "to"},
	fieldPeriod: {"periodo de pago", "periodo", "pay period", "period", "for the period", "for period", "pay period dates", "period covered", "payroll period", "pay periods", "period dates", "earnings period", "work period", "pay prd", "for pay period", "dates covered", "pay cycle dates", "payroll dates", "statement period", "covering", "payperiod", "pd", "prd", "pp", "covered period", "period of pay", "for the pay period", "covering period", "pay range"},
	fieldPay: {"fecha de pago", "pay date", "check date", "payment date", "date paid", "pay day", "payday", "advice date", "deposit date", "issue date", "paid on", "date of payment", "cheque date", "paycheck date", "direct deposit date",
		"payroll date", "date of pay", "paid date", "pay stub date", "advice dt", "check dt", "pay dt", "statement date", "voucher date", "pay statement date", "warrant date", "issued", "issued on", "date issued", "stub for pay dated", "payment dt", "settlement date", "effective pay date", "notice date", "pmt date", "chk date", "ck date", "date of check", "paydate", "payable on", "disbursement date", "date of issue"},
	fieldHire: {"fecha de empleo", "fecha de contratacion", "original hire", "entry date", "hire date", "date of hire", "original hire date", "hired on", "hired", "start date", "employment date", "date hired", "employment start", "employment start date", "employee since", "hire dt", "orig hire date",
		"last hire date", "service date", "hire", "hiredate", "doh", "most recent hire date", "adjusted hire date", "rehire date", "continuous service date", "joined", "joining date", "employed since", "date employed"},
	fieldFrequency: {"frecuencia de pago", "frecuencia", "pay frequency", "frequency", "pay schedule", "pay type", "pay cycle", "pay basis", "paid", "payroll frequency", "pay group", "schedule", "freq", "pay freq", "payfreq", "payment frequency", "pay period type", "payroll cycle", "period type", "payroll area", "pay calendar", "payroll type", "pay frequency code", "paid every", "payroll schedule", "pay period frequency"},
	fieldEmployee: {"name last first mi", "empleado", "empleada", "nombre", "nombre del empleado", "employee", "employee name", "name", "pay to the order of", "to the order of", "employee name and address", "paid to", "pay to", "payee", "associate", "team member", "employee information",
		"deposited to the account of", "worker", "employee details", "person name", "worker name", "payee name", "associate name", "emp name", "team member name", "name of employee", "prepared for", "employee full name", "teammate", "for", "issued to", "staff member", "crew member", "person", "colleague", "member name", "consultant", "contractor name", "recipient", "paystub for", "pay stub for", "name of payee", "legal name", "employee s name", "partner"},
	fieldEmployer: {"patrono", "empresa", "compania", "worksite employer", "employer", "company", "company name", "employer name", "organization", "business", "business name", "employer information", "company information", "employer name and address", "employer details", "legal employer", "agency name", "agency", "legal entity", "legal employer name", "issued by", "paid by", "client", "client name", "employing agency", "company legal name", "pay company", "department name", "employer legal name", "legal entity name", "from employer", "paying company", "business unit name", "organization name", "employing company", "co name"},
	fieldAddress:  {"direccion", "address", "employee address", "home address", "mailing address", "residence", "home addr", "employee home address", "address of employee", "residential address", "legal address", "emp address"},
	fieldOther: {"ssn", "social security number", "soc sec no", "soc sec", "employee id", "employee no", "employee number", "emp no", "emp id", "id", "check number", "check no", "advice number", "advice no", "voucher", "voucher number", "voucher no", "document", "department", "dept", "location", "job", "job title", "title", "position", "status", "filing status", "marital status", "allowances", "exemptions",
		"account", "number", "loc", "loc dept", "dept loc", "location code", "account number", "file", "file no", "clock", "class", "trade", "personnel no", "payroll id", "employer address", "company address", "tax data", "federal", "state", "serial number", "pay rate", "rate", "salary", "employee type", "worker type", "phone", "ein", "fein", "employer id", "business unit", "cost center", "division", "net pay", "gross pay", "hours worked", "total hours",
		"warrant no", "notice no", "employee status", "tax status", "amount", "page", "pay plan", "grade", "step", "ytd", "current", "hours", "check amount", "social security", "social security no", "pay loc", "fin no", "base rate", "trace number", "batch", "shift", "union", "supervisor", "manager", "email", "exempt", "description", "net", "gross", "document number", "check", "pay type code", "co", "company code", "branch", "region", "site", "fed filing status", "state filing status", "salary grade", "annual salary", "hourly rate", "acct no", "bank", "routing", "pay method", "payment method", "payment type", "taxable marital status", "worked in", "resident state", "work state", "work location", "worker id", "person number", "assignment", "assignment number", "payroll", "payroll name", "empl id", "emplid", "empl no", "empl number", "numero de empleado", "employee code", "code", "ref", "ref no", "reference", "run", "run number", "dept no", "store", "unit", "home dept", "home department"},
	fieldProvider: {"payroll provider", "payroll powered by", "generated by", "generated with", "created by", "created with", "provided by", "payroll provided by", "payrolls by", "administered by", "payroll administered by", "payroll by", "processed by", "prepared by", "powered by", "payroll services provided by", "payroll service", "payroll services by", "payroll processed by", "payroll processor"},
}

// titles are texts at the head of a stub that name neither side.
var titles = []string{"earnings statement", "pay stub", "paystub", "pay statement", "statement of earnings", "statement of earnings and deductions", "payslip", "pay slip", "payroll statement", "pay advice", "deposit advice",
	"direct deposit advice", "non negotiable", "advice of deposit", "earnings record", "page", "confidential", "payroll advice", "wage statement", "this is not a check", "check stub"}

// titleWords are all the words of which titles of parts of a stub are made.
var titleWords = strings.Fields("pay stub paystub statement earnings advice voucher check direct deposit payslip slip register summary details detail information info personal and of the employee employer payroll wage wages deductions record notice not negotiable non negotiables void copy confidential page this is a receipt payment remuneration for your records retain " +
	"certified talonario biweekly weekly monthly semimonthly bi semi pago leave issue hours taxes tax withholdings benefits total net gross current year to date period company employees important notes messages message continued important stubs paycheck preview overview online history hourly salary salaried regular employees deposits deductions detach before cashing here federal state marital status allowances data code description rate amount ytd number no id name type group")

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
	if last := all[len(all)-1]; len(all) < 6 && !isCompany(words) && slices.Contains([]string{"statement", "stub", "paystub", "payslip", "voucher", "advice"}, last) {
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
	for _, end := range []string{"pay date", "check date", "payment date", "advice date", "pay period ending", "period ending", "period end date", "pay period end", "pay period begin", "period beginning", "hire date", "date of hire"} {
		if strings.HasSuffix(words, " "+end) {
			return labelWords[end]
		}
	}
	return phrase(all)
}

var labelWords = flipped(labels)

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
var providers = []struct{ words, name string }{
	{"surepayroll", "SurePayroll"}, {"adp", "ADP"}, {"paychex", "Paychex"}, {"gusto", "Gusto"}, {"paylocity", "Paylocity"}, {"paycom", "Paycom"}, {"paycor", "Paycor"}, {"quickbooks payroll", "QuickBooks Payroll"}, {"intuit", "Intuit"},
	{"rippling", "Rippling"}, {"dayforce", "Dayforce"}, {"ceridian", "Ceridian"}, {"ukg", "UKG"}, {"ultipro", "UltiPro"}, {"trinet", "TriNet"}, {"justworks", "Justworks"}, {"onpay", "OnPay"},
	{"square payroll", "Square Payroll"}, {"insperity", "Insperity"}, {"surepay", "SurePay"}, {"bamboohr", "BambooHR"}, {"zenefits", "Zenefits"}, {"isolved", "iSolved"}, {"wave payroll", "Wave Payroll"}, {"national finance center", "National Finance Center"}, {"toast payroll", "Toast"}, {"heartland payroll", "Heartland"}, {"patriot software", "Patriot Software"},
	{"viventium", "Viventium"}, {"proliant", "Proliant"}, {"netchex", "Netchex"}, {"wagepoint", "Wagepoint"}, {"asure", "Asure"}, {"prismhr", "PrismHR"}, {"paychex flex", "Paychex"},
}
