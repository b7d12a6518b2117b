package cashflow

import (
	_ "embed"
	"strings"
)

// Node is a group of attributes (docs/explanation/attributes.md, "The universal
// attributes").
type Node string

// The nodes of the universal attributes, and those of the deprecated ones.
const (
	NodeAsset    Node = "ASSET"
	NodeInflow   Node = "INFLOW"
	NodeExpense  Node = "EXPENSE"
	NodeCashflow Node = "CASHFLOW"
	NodeRatio    Node = "RATIO"
	NodeTotal    Node = "TOTAL"
	NodeCadence  Node = "CADENCE"

	NodeAssets   Node = "ASSETS"
	NodeIncome   Node = "INCOME"
	NodeExpenses Node = "EXPENSES"
	NodeTotals   Node = "TOTALS"
)

// Calculation is the kind of an attribute's calculation.
type Calculation string

// The calculations of the universal attributes (docs/explanation/attributes.md, "The
// calculations"), and Boolean of the deprecated attributes.
const (
	Avg        Calculation = "Avg"
	Balance    Calculation = "Balance"
	Count      Calculation = "Count"
	Max        Calculation = "Max"
	Min        Calculation = "Min"
	Ratio      Calculation = "Ratio"
	Recency    Calculation = "Recency"
	StdAvg     Calculation = "STDZ Avg"
	StdCount   Calculation = "STDZ Count"
	StdRecency Calculation = "STDZ Recency"
	StdSum     Calculation = "STDZ Sum"
	Sum        Calculation = "Sum"
	Trend      Calculation = "Trend"
	Boolean    Calculation = "Boolean"
)

// Definition defines an attribute.
type Definition struct {
	Name        string
	Node        Node
	Calculation Calculation
	Window      Window
	Type        ValueType
	Code        string // adverse action code: a key of Reason

	measure measure
}

// Description returns what the attribute measures, in words.
func (d *Definition) Description() string { return texts[d.Name] }

// Catalogue lists the 120 universal attributes in the order of the report.
func Catalogue() []Definition { return append([]Definition(nil), universal[:]...) }

// Reason returns the description of an adverse action code, or "" for an unknown one.
func Reason(code string) string { return texts[code] }

// texts has the descriptions of adverse action codes and of attributes, by code and name.
var texts = func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(textsFile) {
		name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		out[name] = text
	}
	return out
}()

//go:embed texts.tsv
var textsFile string

var universal = [...]Definition{
	{"UA_ASSET_TOTAL_BAL_CUR", NodeAsset, Balance, Current, Dollar, "10", balanceNow(allAccounts)},
	{"UA_ASSET_CHECKING_BAL_CUR", NodeAsset, Balance, Current, Dollar, "10", balanceNow(checkingAccounts)},
	{"UA_ASSET_SAVINGS_BAL_CUR", NodeAsset, Balance, Current, Dollar, "14", balanceNow(savingsAccounts)},
	{"UA_ASSET_TOTAL_AVG_1M", NodeAsset, Avg, Last1, Dollar, "10", balanceMean(allAccounts)},
	{"UA_ASSET_TOTAL_AVG_3M", NodeAsset, Avg, Last3, Dollar, "10", balanceMean(allAccounts)},
	{"UA_ASSET_TOTAL_AVG_6M", NodeAsset, Avg, Last6, Dollar, "10", balanceMean(allAccounts)},
	{"UA_ASSET_TOTAL_AVG_12R", NodeAsset, Avg, Rolling12, Dollar, "10", balanceMean(allAccounts)},
	{"UA_ASSET_CHECKING_AVG_3M", NodeAsset, Avg, Last3, Dollar, "10", balanceMean(checkingAccounts)},
	{"UA_ASSET_SAVINGS_AVG_3M", NodeAsset, Avg, Last3, Dollar, "14", balanceMean(savingsAccounts)},
	{"UA_ASSET_SAVINGS_AVG_12R", NodeAsset, Avg, Rolling12, Dollar, "14", balanceMean(savingsAccounts)},
	{"UA_ASSET_TOTAL_MIN_1M", NodeAsset, Min, Last1, Dollar, "11", balanceEdge(lower)},
	{"UA_ASSET_TOTAL_MIN_3M", NodeAsset, Min, Last3, Dollar, "11", balanceEdge(lower)},
	{"UA_ASSET_TOTAL_MIN_12M", NodeAsset, Min, Last12, Dollar, "11", balanceEdge(lower)},
	{"UA_ASSET_TOTAL_MAX_3M", NodeAsset, Max, Last3, Dollar, "10", balanceEdge(higher)},
	{"UA_ASSET_TOTAL_TREND_6M", NodeAsset, Trend, Last6, Dollar, "12", balanceTrend},
	{"UA_ASSET_TOTAL_TREND_12M", NodeAsset, Trend, Last12, Dollar, "12", balanceTrend},
	{"UA_ASSET_NEGDAYS_CNT_1M", NodeAsset, Count, Last1, Short, "15", negativeDays},
	{"UA_ASSET_NEGDAYS_CNT_3M", NodeAsset, Count, Last3, Short, "15", negativeDays},
	{"UA_ASSET_NEGDAYS_CNT_12M", NodeAsset, Count, Last12, Short, "15", negativeDays},
	{"UA_ASSET_NEGDAYS_REC", NodeAsset, Recency, History, Short, "16", sinceNegative},
	{"UA_ASSET_LOWDAYS_CNT_3M", NodeAsset, Count, Last3, Short, "17", lowDays},
	{"UA_ASSET_ACCOUNT_CNT_CUR", NodeAsset, Count, Current, Short, "63", accountCount},
	{"UA_INFLOW_TOTAL_SUM_1M", NodeInflow, Sum, Last1, Dollar, "20", sumOf(of(credits))},
	{"UA_INFLOW_TOTAL_SUM_3M", NodeInflow, Sum, Last3, Dollar, "20", sumOf(of(credits))},
	{"UA_INFLOW_TOTAL_SUM_6M", NodeInflow, Sum, Last6, Dollar, "20", sumOf(of(credits))},
	{"UA_INFLOW_TOTAL_SUM_12M", NodeInflow, Sum, Last12, Dollar, "20", sumOf(of(credits))},
	{"UA_INFLOW_TOTAL_AVG_12R", NodeInflow, Avg, Rolling12, Dollar, "20", monthlyMean(of(credits))},
	{"UA_INFLOW_TOTAL_CNT_3M", NodeInflow, Count, Last3, Short, "20", countOf(credits)},
	{"UA_INFLOW_TOTAL_SSUM", NodeInflow, StdSum, History, Dollar, "20", sumPer30(of(credits))},
	{"UA_INFLOW_EXTERNAL_SUM_3M", NodeInflow, Sum, Last3, Dollar, "20", sumOf(of(external))},
	{"UA_INFLOW_INCOME_SUM_1M", NodeInflow, Sum, Last1, Dollar, "21", sumOf(of(income))},
	{"UA_INFLOW_INCOME_SUM_3M", NodeInflow, Sum, Last3, Dollar, "21", sumOf(of(income))},
	{"UA_INFLOW_INCOME_SUM_6M", NodeInflow, Sum, Last6, Dollar, "21", sumOf(of(income))},
	{"UA_INFLOW_INCOME_SUM_12M", NodeInflow, Sum, Last12, Dollar, "21", sumOf(of(income))},
	{"UA_INFLOW_INCOME_AVG_12R", NodeInflow, Avg, Rolling12, Dollar, "21", monthlyMean(of(income))},
	{"UA_INFLOW_INCOME_MIN_12M", NodeInflow, Min, Last12, Dollar, "21", monthlyMin(of(income))},
	{"UA_INFLOW_INCOME_TREND_6M", NodeInflow, Trend, Last6, Dollar, "22", monthlyTrend(of(income))},
	{"UA_INFLOW_INCOME_TREND_12M", NodeInflow, Trend, Last12, Dollar, "22", monthlyTrend(of(income))},
	{"UA_INFLOW_INCOME_REC", NodeInflow, Recency, History, Short, "25", recency(income)},
	{"UA_INFLOW_INCOME_SAVG", NodeInflow, StdAvg, History, Dollar, "21", monthlyMean(of(income))},
	{"UA_INFLOW_PAYROLL_SUM_3M", NodeInflow, Sum, Last3, Dollar, "21", sumOf(of(payroll))},
	{"UA_INFLOW_PAYROLL_SUM_12M", NodeInflow, Sum, Last12, Dollar, "21", sumOf(of(payroll))},
	{"UA_INFLOW_PAYROLL_AVG_3M", NodeInflow, Avg, Last3, Dollar, "21", meanOf(payroll)},
	{"UA_INFLOW_PAYROLL_REC", NodeInflow, Recency, History, Short, "25", recency(payroll)},
	{"UA_INFLOW_BENEFIT_SUM_12M", NodeInflow, Sum, Last12, Dollar, "21", sumOf(of(benefit))},
	{"UA_INFLOW_GIG_SUM_12M", NodeInflow, Sum, Last12, Dollar, "21", sumOf(of(gig))},
	{"UA_INFLOW_CASHDEP_SUM_3M", NodeInflow, Sum, Last3, Dollar, "20", sumOf(of(cashDeposit))},
	{"UA_INFLOW_INTEREST_SUM_12M", NodeInflow, Sum, Last12, Dollar, "14", sumOf(of(interest))},
	{"UA_INFLOW_ADVANCE_SUM_3M", NodeInflow, Sum, Last3, Dollar, "27", sumOf(of(borrowed))},
	{"UA_INFLOW_ADVANCE_CNT_6M", NodeInflow, Count, Last6, Short, "27", countOf(advance)},
	{"UA_EXPENSE_TOTAL_SUM_1M", NodeExpense, Sum, Last1, Dollar, "30", sumOf(of(debits))},
	{"UA_EXPENSE_TOTAL_SUM_3M", NodeExpense, Sum, Last3, Dollar, "30", sumOf(of(debits))},
	{"UA_EXPENSE_TOTAL_SUM_6M", NodeExpense, Sum, Last6, Dollar, "30", sumOf(of(debits))},
	{"UA_EXPENSE_TOTAL_SUM_12M", NodeExpense, Sum, Last12, Dollar, "30", sumOf(of(debits))},
	{"UA_EXPENSE_TOTAL_AVG_12R", NodeExpense, Avg, Rolling12, Dollar, "30", monthlyMean(of(debits))},
	{"UA_EXPENSE_TOTAL_CNT_3M", NodeExpense, Count, Last3, Short, "30", countOf(debits)},
	{"UA_EXPENSE_TOTAL_TREND_6M", NodeExpense, Trend, Last6, Dollar, "31", monthlyTrend(of(debits))},
	{"UA_EXPENSE_TOTAL_SSUM", NodeExpense, StdSum, History, Dollar, "30", sumPer30(of(debits))},
	{"UA_EXPENSE_HOUSING_AVG_12R", NodeExpense, Avg, Rolling12, Dollar, "34", monthlyMean(of(housing))},
	{"UA_EXPENSE_UTILITY_SUM_3M", NodeExpense, Sum, Last3, Dollar, "30", sumOf(of(utility))},
	{"UA_EXPENSE_LOANPMT_SUM_3M", NodeExpense, Sum, Last3, Dollar, "35", sumOf(of(loanPayment))},
	{"UA_EXPENSE_LOANPMT_CNT_6M", NodeExpense, Count, Last6, Short, "36", countOf(loanPayment)},
	{"UA_EXPENSE_CARDPMT_SUM_3M", NodeExpense, Sum, Last3, Dollar, "35", sumOf(of(cardPayment))},
	{"UA_EXPENSE_ADVPMT_SUM_3M", NodeExpense, Sum, Last3, Dollar, "37", sumOf(of(advanceRepaid))},
	{"UA_EXPENSE_ADVPMT_CNT_6M", NodeExpense, Count, Last6, Short, "37", countOf(advanceRepaid)},
	{"UA_EXPENSE_ESSENTIAL_AVG_12R", NodeExpense, Avg, Rolling12, Dollar, "30", monthlyMean(of(essential))},
	{"UA_EXPENSE_DISCRETIONARY_AVG_12R", NodeExpense, Avg, Rolling12, Dollar, "33", monthlyMean(of(discretionary))},
	{"UA_EXPENSE_BANKFEE_SUM_12M", NodeExpense, Sum, Last12, Dollar, "43", sumOf(of(bankFee))},
	{"UA_EXPENSE_NSFOD_CNT_1M", NodeExpense, Count, Last1, Short, "40", countOf(nsf)},
	{"UA_EXPENSE_NSFOD_CNT_3M", NodeExpense, Count, Last3, Short, "40", countOf(nsf)},
	{"UA_EXPENSE_NSFOD_CNT_6M", NodeExpense, Count, Last6, Short, "40", countOf(nsf)},
	{"UA_EXPENSE_NSFOD_CNT_12M", NodeExpense, Count, Last12, Short, "40", countOf(nsf)},
	{"UA_EXPENSE_NSFOD_REC", NodeExpense, Recency, History, Short, "41", recency(nsf)},
	{"UA_EXPENSE_NSFOD_SCNT", NodeExpense, StdCount, History, Float, "40", countPer30(nsf)},
	{"UA_EXPENSE_NSFOD_SREC", NodeExpense, StdRecency, History, Float, "41", shareSince(nsf)},
	{"UA_EXPENSE_RETURNED_CNT_12M", NodeExpense, Count, Last12, Short, "42", countOf(returned)},
	{"UA_EXPENSE_GAMBLING_SUM_3M", NodeExpense, Sum, Last3, Dollar, "45", sumOf(of(gambling))},
	{"UA_EXPENSE_GAMBLING_CNT_6M", NodeExpense, Count, Last6, Short, "45", countOf(gambling)},
	{"UA_EXPENSE_CASHWD_SUM_3M", NodeExpense, Sum, Last3, Dollar, "44", sumOf(of(cashOut))},
	{"UA_EXPENSE_SAVEXFER_SUM_12M", NodeExpense, Sum, Last12, Dollar, "72", sumOf(of(saving))},
	{"UA_CASHFLOW_NET_SUM_1M", NodeCashflow, Sum, Last1, Dollar, "50", sumOf(netFlow)},
	{"UA_CASHFLOW_NET_SUM_3M", NodeCashflow, Sum, Last3, Dollar, "50", sumOf(netFlow)},
	{"UA_CASHFLOW_NET_SUM_6M", NodeCashflow, Sum, Last6, Dollar, "50", sumOf(netFlow)},
	{"UA_CASHFLOW_NET_SUM_12M", NodeCashflow, Sum, Last12, Dollar, "50", sumOf(netFlow)},
	{"UA_CASHFLOW_NET_AVG_12R", NodeCashflow, Avg, Rolling12, Dollar, "50", monthlyMean(netFlow)},
	{"UA_CASHFLOW_NET_MIN_12M", NodeCashflow, Min, Last12, Dollar, "50", monthlyMin(netFlow)},
	{"UA_CASHFLOW_NET_TREND_12M", NodeCashflow, Trend, Last12, Dollar, "51", monthlyTrend(netFlow)},
	{"UA_CASHFLOW_NETPOS_CNT_12M", NodeCashflow, Count, Last12, Short, "52", positiveMonths},
	{"UA_CASHFLOW_FREE_AVG_3M", NodeCashflow, Avg, Last3, Dollar, "53", monthlyMean(free)},
	{"UA_CASHFLOW_NET_SSUM", NodeCashflow, StdSum, History, Dollar, "50", sumPer30(netFlow)},
	{"UA_RATIO_EXPENSE_INFLOW_3M", NodeRatio, Ratio, Last3, Float, "32", ratio(of(moneyOut), of(moneyIn))},
	{"UA_RATIO_EXPENSE_INFLOW_12M", NodeRatio, Ratio, Last12, Float, "32", ratio(of(moneyOut), of(moneyIn))},
	{"UA_RATIO_DEBTPMT_INCOME_3M", NodeRatio, Ratio, Last3, Float, "35", ratio(debt, of(income))},
	{"UA_RATIO_DEBTPMT_INCOME_12M", NodeRatio, Ratio, Last12, Float, "35", ratio(debt, of(income))},
	{"UA_RATIO_HOUSING_INCOME_3M", NodeRatio, Ratio, Last3, Float, "34", ratio(of(housing), of(income))},
	{"UA_RATIO_BALANCE_EXPENSE_3M", NodeRatio, Ratio, Last3, Float, "13", reserve},
	{"UA_RATIO_SAVINGS_INFLOW_12M", NodeRatio, Ratio, Last12, Float, "72", ratio(of(saving), of(moneyIn))},
	{"UA_RATIO_INCOME_RECENT_ANNUAL_12M", NodeRatio, Ratio, Last12, Float, "22", recentShare(of(income))},
	{"UA_RATIO_INCOME_VARIATION_12M", NodeRatio, Ratio, Last12, Float, "23", monthlyVariation(of(income))},
	{"UA_RATIO_TOPSTREAM_INCOME_12M", NodeRatio, Ratio, Last12, Float, "24", topStream},
	{"UA_RATIO_GAMBLING_INFLOW_3M", NodeRatio, Ratio, Last3, Float, "45", ratio(of(gambling), of(external))},
	{"UA_RATIO_RECURRING_INCOME_3M", NodeRatio, Ratio, Last3, Float, "71", ratio(of(obligation), of(income))},
	{"UA_TOTAL_TXN_CNT_1M", NodeTotal, Count, Last1, Short, "61", countOf(everything)},
	{"UA_TOTAL_TXN_CNT_3M", NodeTotal, Count, Last3, Short, "61", countOf(everything)},
	{"UA_TOTAL_TXN_CNT_12M", NodeTotal, Count, Last12, Short, "61", countOf(everything)},
	{"UA_TOTAL_TXN_REC", NodeTotal, Recency, History, Short, "62", recency(everything)},
	{"UA_TOTAL_OLDEST_REC", NodeTotal, Recency, History, Short, "60", oldest},
	{"UA_TOTAL_TXN_SCNT", NodeTotal, StdCount, History, Float, "61", countPer30(everything)},
	{"UA_TOTAL_ACTIVEDAYS_CNT_3M", NodeTotal, Count, Last3, Short, "61", countOf(activeDay)},
	{"UA_TOTAL_TRANSFER_SUM_3M", NodeTotal, Sum, Last3, Dollar, "64", sumOf(of(transfer))},
	{"UA_CADENCE_INCOME_STREAM_CNT_CUR", NodeCadence, Count, Current, Short, "24", activeStreams(true)},
	{"UA_CADENCE_INCOME_INTERVAL_AVG_6M", NodeCadence, Avg, Last6, Float, "24", interval},
	{"UA_CADENCE_INCOME_INTERVAL_MAX_12M", NodeCadence, Max, Last12, Short, "24", longestGap},
	{"UA_CADENCE_INCOME_MONTHS_CNT_12M", NodeCadence, Count, Last12, Short, "24", monthsOf(income)},
	{"UA_CADENCE_INCOME_TENURE_REC", NodeCadence, Recency, History, Short, "24", tenure},
	{"UA_CADENCE_BILL_STREAM_CNT_CUR", NodeCadence, Count, Current, Short, "70", activeStreams(false)},
	{"UA_CADENCE_BILL_STREAM_SUM_1M", NodeCadence, Sum, Last1, Dollar, "71", sumOf(of(recurring))},
	{"UA_CADENCE_HOUSING_MONTHS_CNT_12M", NodeCadence, Count, Last12, Short, "70", monthsOf(housing)},
	{"UA_CADENCE_NSFOD_MONTHS_CNT_12M", NodeCadence, Count, Last12, Short, "40", monthsOf(nsf)},
	{"UA_CADENCE_SAVEXFER_MONTHS_CNT_12M", NodeCadence, Count, Last12, Short, "72", monthsOf(saving)},
}
