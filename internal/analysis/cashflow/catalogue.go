package cashflow

import (
	_ "embed" // the table of attributes, and what their codes mean
	"slices"
	"strings"
)

// Node is a group of attributes (docs/explanation/attributes.md, "The universal
// attributes").
type Node string

// Nodes of balances, of both families.
const (
	NodeAsset  Node = "ASSET"
	NodeAssets Node = "ASSETS"
)

// Calculation is the kind of an attribute's calculation.
type Calculation string

// Recency is the calculation of days since something.
const Recency Calculation = "Recency"

// Definition defines an attribute.
type Definition struct {
	Name        string
	Node        Node
	Calculation Calculation
	Window      Window
	Type        ValueType
	Code        string // adverse action code: a key of Reason
	Description string

	measure measure
}

//go:embed attributes.tsv
var attributesFile string

//go:embed reasons.tsv
var reasonsFile string

// The attributes of both families, in the order of the report. An error in the table makes the program panic at its start.
var universal, deprecated = readAttributes(attributesFile)

// readAttributes reads a table with a line of headings, the universal attributes before the others.
func readAttributes(table string) (universal [120]Definition, deprecated [24]Definition) {
	var all []Definition
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		f := strings.Split(line, "\t")
		d := Definition{Name: f[0], Node: Node(f[1]), Calculation: Calculation(f[2]), Code: f[5], Description: f[6],
			Window:  Window(slices.IndexFunc(windows[:], func(w window) bool { return w.name == f[3] })),
			measure: measures[strings.TrimSuffix(f[0], "_"+f[3])]}
		for t, l := range valueTypes {
			if l.name == f[4] && (ValueType(t) >= OldBoolean) == strings.HasPrefix(d.Name, "AV_") {
				d.Type = ValueType(t)
			}
		}
		if d.measure == nil {
			panic("cashflow: attributes.tsv: " + d.Name + " has no measure")
		}
		all = append(all, d)
	}
	copy(deprecated[:], all[copy(universal[:], all):])
	return universal, deprecated
}

// Catalogue lists the 120 universal attributes in the order of the report.
func Catalogue() []Definition { return slices.Clone(universal[:]) }

// Reason returns the description of an adverse action code, or "" for an unknown one.
func Reason(code string) string { return reasons[code] }

var reasons = func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(reasonsFile) {
		code, words, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all[code] = words
	}
	return all
}()

// measures computes attributes, by their names without the window at its end.
var measures = map[string]measure{
	"UA_ASSET_TOTAL_BAL":             balanceNow(allAccounts),
	"UA_ASSET_CHECKING_BAL":          balanceNow(checkingAccounts),
	"UA_ASSET_SAVINGS_BAL":           balanceNow(savingsAccounts),
	"UA_ASSET_TOTAL_AVG":             balanceMean(allAccounts),
	"UA_ASSET_CHECKING_AVG":          balanceMean(checkingAccounts),
	"UA_ASSET_SAVINGS_AVG":           balanceMean(savingsAccounts),
	"UA_ASSET_TOTAL_MIN":             balanceEdge(lower),
	"UA_ASSET_TOTAL_MAX":             balanceEdge(higher),
	"UA_ASSET_TOTAL_TREND":           balanceTrend,
	"UA_ASSET_NEGDAYS_CNT":           negativeDays,
	"UA_ASSET_NEGDAYS_REC":           sinceNegative,
	"UA_ASSET_LOWDAYS_CNT":           lowDays,
	"UA_ASSET_ACCOUNT_CNT":           accountCount,
	"UA_INFLOW_TOTAL_SUM":            sumOf(of(credits)),
	"UA_INFLOW_TOTAL_AVG":            monthlyMean(of(credits)),
	"UA_INFLOW_TOTAL_CNT":            countOf(credits),
	"UA_INFLOW_TOTAL_SSUM":           sumPer30(of(credits)),
	"UA_INFLOW_EXTERNAL_SUM":         sumOf(of(external)),
	"UA_INFLOW_INCOME_SUM":           sumOf(of(income)),
	"UA_INFLOW_INCOME_AVG":           monthlyMean(of(income)),
	"UA_INFLOW_INCOME_MIN":           monthlyMin(of(income)),
	"UA_INFLOW_INCOME_TREND":         monthlyTrend(of(income)),
	"UA_INFLOW_INCOME_REC":           recency(income),
	"UA_INFLOW_INCOME_SAVG":          monthlyMean(of(income)),
	"UA_INFLOW_PAYROLL_SUM":          sumOf(of(payroll)),
	"UA_INFLOW_PAYROLL_AVG":          meanOf(payroll),
	"UA_INFLOW_PAYROLL_REC":          recency(payroll),
	"UA_INFLOW_BENEFIT_SUM":          sumOf(of(benefit)),
	"UA_INFLOW_GIG_SUM":              sumOf(of(gig)),
	"UA_INFLOW_CASHDEP_SUM":          sumOf(of(cashDeposit)),
	"UA_INFLOW_INTEREST_SUM":         sumOf(of(interest)),
	"UA_INFLOW_ADVANCE_SUM":          sumOf(of(borrowed)),
	"UA_INFLOW_ADVANCE_CNT":          countOf(advance),
	"UA_EXPENSE_TOTAL_SUM":           sumOf(of(debits)),
	"UA_EXPENSE_TOTAL_AVG":           monthlyMean(of(debits)),
	"UA_EXPENSE_TOTAL_CNT":           countOf(debits),
	"UA_EXPENSE_TOTAL_TREND":         monthlyTrend(of(debits)),
	"UA_EXPENSE_TOTAL_SSUM":          sumPer30(of(debits)),
	"UA_EXPENSE_HOUSING_AVG":         monthlyMean(of(housing)),
	"UA_EXPENSE_UTILITY_SUM":         sumOf(of(utility)),
	"UA_EXPENSE_LOANPMT_SUM":         sumOf(of(loanPayment)),
	"UA_EXPENSE_LOANPMT_CNT":         countOf(loanPayment),
	"UA_EXPENSE_CARDPMT_SUM":         sumOf(of(cardPayment)),
	"UA_EXPENSE_ADVPMT_SUM":          sumOf(of(advanceRepaid)),
	"UA_EXPENSE_ADVPMT_CNT":          countOf(advanceRepaid),
	"UA_EXPENSE_ESSENTIAL_AVG":       monthlyMean(of(essential)),
	"UA_EXPENSE_DISCRETIONARY_AVG":   monthlyMean(of(discretionary)),
	"UA_EXPENSE_BANKFEE_SUM":         sumOf(of(bankFee)),
	"UA_EXPENSE_NSFOD_CNT":           countOf(nsf),
	"UA_EXPENSE_NSFOD_REC":           recency(nsf),
	"UA_EXPENSE_NSFOD_SCNT":          countPer30(nsf),
	"UA_EXPENSE_NSFOD_SREC":          shareSince(nsf),
	"UA_EXPENSE_RETURNED_CNT":        countOf(returned),
	"UA_EXPENSE_GAMBLING_SUM":        sumOf(of(gambling)),
	"UA_EXPENSE_GAMBLING_CNT":        countOf(gambling),
	"UA_EXPENSE_CASHWD_SUM":          sumOf(of(cashOut)),
	"UA_EXPENSE_SAVEXFER_SUM":        sumOf(of(saving)),
	"UA_CASHFLOW_NET_SUM":            sumOf(netFlow),
	"UA_CASHFLOW_NET_AVG":            monthlyMean(netFlow),
	"UA_CASHFLOW_NET_MIN":            monthlyMin(netFlow),
	"UA_CASHFLOW_NET_TREND":          monthlyTrend(netFlow),
	"UA_CASHFLOW_NETPOS_CNT":         positiveMonths,
	"UA_CASHFLOW_FREE_AVG":           monthlyMean(free),
	"UA_CASHFLOW_NET_SSUM":           sumPer30(netFlow),
	"UA_RATIO_EXPENSE_INFLOW":        ratio(of(moneyOut), of(moneyIn)),
	"UA_RATIO_DEBTPMT_INCOME":        ratio(debt, of(income)),
	"UA_RATIO_HOUSING_INCOME":        ratio(of(housing), of(income)),
	"UA_RATIO_BALANCE_EXPENSE":       reserve,
	"UA_RATIO_SAVINGS_INFLOW":        ratio(of(saving), of(moneyIn)),
	"UA_RATIO_INCOME_RECENT_ANNUAL":  recentShare(of(income)),
	"UA_RATIO_INCOME_VARIATION":      monthlyVariation(of(income)),
	"UA_RATIO_TOPSTREAM_INCOME":      topStream,
	"UA_RATIO_GAMBLING_INFLOW":       ratio(of(gambling), of(external)),
	"UA_RATIO_RECURRING_INCOME":      ratio(of(obligation), of(income)),
	"UA_TOTAL_TXN_CNT":               countOf(everything),
	"UA_TOTAL_TXN_REC":               recency(everything),
	"UA_TOTAL_OLDEST_REC":            oldest,
	"UA_TOTAL_TXN_SCNT":              countPer30(everything),
	"UA_TOTAL_ACTIVEDAYS_CNT":        countOf(activeDay),
	"UA_TOTAL_TRANSFER_SUM":          sumOf(of(transfer)),
	"UA_CADENCE_INCOME_STREAM_CNT":   activeStreams(true),
	"UA_CADENCE_INCOME_INTERVAL_AVG": interval,
	"UA_CADENCE_INCOME_INTERVAL_MAX": longestGap,
	"UA_CADENCE_INCOME_MONTHS_CNT":   monthsOf(income),
	"UA_CADENCE_INCOME_TENURE_REC":   tenure,
	"UA_CADENCE_BILL_STREAM_CNT":     activeStreams(false),
	"UA_CADENCE_BILL_STREAM_SUM":     sumOf(of(recurring)),
	"UA_CADENCE_HOUSING_MONTHS_CNT":  monthsOf(housing),
	"UA_CADENCE_NSFOD_MONTHS_CNT":    monthsOf(nsf),
	"UA_CADENCE_SAVEXFER_MONTHS_CNT": monthsOf(saving),

	"AV_ASSETS_TOTAL_BALANCE":    balanceNow(allAccounts),
	"AV_ASSETS_CHECKING_BALANCE": missingWithoutAccounts(checkingAccounts, balanceNow(checkingAccounts)),
	"AV_ASSETS_SAVINGS_BALANCE":  missingWithoutAccounts(savingsAccounts, balanceNow(savingsAccounts)),
	"AV_ASSETS_SAVINGS_PRESENT":  savingsPresent,
	"AV_ASSETS_TOTAL_AVG":        balanceMean(allAccounts),
	"AV_ASSETS_SAVINGS_AVG":      missingWithoutAccounts(savingsAccounts, balanceMean(savingsAccounts)),
	"AV_ASSETS_NEGATIVE_DAYS":    negativeDays,
	"AV_INCOME_TOTAL_AVG":        missingWithout(of(income), monthlyMean(of(income))),
	"AV_INCOME_TOTAL_SUM":        missingWithout(of(income), sumOf(of(income))),
	"AV_INCOME_PAYROLL_SUM":      missingWithout(of(payroll), sumOf(of(payroll))),
	"AV_INCOME_PAYROLL_PRESENT":  missingWithout(of(payroll), present(payroll)),
	"AV_INCOME_BENEFIT_SUM":      missingWithout(of(benefit), sumOf(of(benefit))),
	"AV_INCOME_TOTAL_REC":        missingWithout(of(income), recency(income)),
	"AV_EXPENSES_TOTAL_AVG":      missingWithout(of(debits), monthlyMean(of(debits))),
	"AV_EXPENSES_HOUSING_AVG":    missingWithout(of(housing), monthlyMean(of(housing))),
	"AV_EXPENSES_LOANPMT_SUM":    missingWithout(of(loanPayment), sumOf(of(loanPayment))),
	"AV_EXPENSES_NSFOD_CNT":      missingWithout(of(nsf), countOf(nsf)),
	"AV_EXPENSES_NSFOD_PRESENT":  missingWithout(of(nsf), present(nsf)),
	"AV_RATIO_EXPENSES_INFLOW":   missingWithout(of(debits), ratio(of(debits), of(credits))),
	"AV_RATIO_HOUSING_INCOME":    missingWithout(of(housing), ratio(of(housing), of(income))),
	"AV_RATIO_DEBTPMT_INCOME":    missingWithout(debt, ratio(debt, of(income))),
	"AV_TOTALS_TRANSACTION_CNT":  countOf(everything),
	"AV_TOTALS_NET_SUM":          wholeDollars(blend{plus: []subject{credits}, minus: []subject{debits}}),
	"AV_TOTALS_NET_MONTHS":       monthBalance,
}
