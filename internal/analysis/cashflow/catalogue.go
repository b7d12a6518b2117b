package cashflow

import "strings"

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
	Calculation Calculation
	Window      Window
	Type        ValueType
	Code        string // adverse action code: a key of Reason
	Description string // in the tables below without the window, unless it names the months itself

	measure measure
}

// Node returns the group of an attribute, the second word of its name
// (docs/explanation/attributes.md, "The universal attributes").
func (d *Definition) Node() string {
	_, rest, _ := strings.Cut(d.Name, "_")
	node, _, _ := strings.Cut(rest, "_")
	return node
}

// Catalogue lists the 120 universal attributes in the order of the report.
func Catalogue() []Definition { return append([]Definition(nil), universal...) }

// Reason returns the description of an adverse action code, or "" for an unknown one.
func Reason(code string) string { return reasons[code] }

var reasons = map[string]string{
	"10": "Average balances",
	"11": "Lowest balance",
	"12": "Balances declining",
	"13": "Balances against spending",
	"14": "Savings",
	"15": "Days below zero",
	"16": "Recently below zero",
	"17": "Days near zero",
	"20": "Deposits",
	"21": "Income deposits",
	"22": "Income declining",
	"23": "Income varies",
	"24": "Income irregular or recent",
	"25": "Time since income",
	"27": "Reliance on loans or advances",
	"30": "Spending",
	"31": "Spending rising",
	"32": "Spending against deposits",
	"33": "Discretionary spending",
	"34": "Housing against income",
	"35": "Debt payments against income",
	"36": "Loan payments",
	"37": "Advance repayments",
	"40": "NSF or overdraft",
	"41": "Recent NSF or overdraft",
	"42": "Returned payments",
	"43": "Bank fees",
	"44": "Cash withdrawals",
	"45": "Gambling",
	"50": "Net cash flow",
	"51": "Net cash flow declining",
	"52": "Months with positive net cash flow",
	"53": "Left after essentials and debt",
	"60": "Short history",
	"61": "Little activity",
	"62": "Time since the last transaction",
	"63": "Few accounts",
	"64": "Own transfers",
	"70": "Few regular bills",
	"71": "Regular obligations",
	"72": "Savings transfers",
}

// universalCount is the number of universal attributes.
const universalCount = 120

// described adds the windows to descriptions.
func described(all []Definition) []Definition {
	for i, d := range all {
		if words := windows[d.Window].words; words != "" && !strings.Contains(d.Description, "complete months") {
			all[i].Description += ", " + words
		}
	}
	return all
}

var universal = described([]Definition{
	{"UA_ASSET_TOTAL_BAL_CUR", Balance, Current, Dollar, "10",
		"Sum of current balances of all cash-equivalent accounts", balanceNow(allAccounts)},
	{"UA_ASSET_CHECKING_BAL_CUR", Balance, Current, Dollar, "10",
		"Sum of current balances of CHECKING accounts", balanceNow(checkingAccounts)},
	{"UA_ASSET_SAVINGS_BAL_CUR", Balance, Current, Dollar, "14",
		"Sum of current balances of SAVINGS accounts (0 when none)", balanceNow(savingsAccounts)},
	{"UA_ASSET_TOTAL_AVG_1M", Avg, Last1, Dollar, "10", "Mean end-of-day total balance", balanceMean(allAccounts)},
	{"UA_ASSET_TOTAL_AVG_3M", Avg, Last3, Dollar, "10", "Mean end-of-day total balance", balanceMean(allAccounts)},
	{"UA_ASSET_TOTAL_AVG_6M", Avg, Last6, Dollar, "10", "Mean end-of-day total balance", balanceMean(allAccounts)},
	{"UA_ASSET_TOTAL_AVG_12R", Avg, Rolling12, Dollar, "10", "Mean end-of-day total balance", balanceMean(allAccounts)},
	{"UA_ASSET_CHECKING_AVG_3M", Avg, Last3, Dollar, "10", "Mean end-of-day CHECKING balance", balanceMean(checkingAccounts)},
	{"UA_ASSET_SAVINGS_AVG_3M", Avg, Last3, Dollar, "14", "Mean end-of-day SAVINGS balance", balanceMean(savingsAccounts)},
	{"UA_ASSET_SAVINGS_AVG_12R", Avg, Rolling12, Dollar, "14", "Mean end-of-day SAVINGS balance", balanceMean(savingsAccounts)},
	{"UA_ASSET_TOTAL_MIN_1M", Min, Last1, Dollar, "11", "Lowest end-of-day total balance", balanceEdge(lower)},
	{"UA_ASSET_TOTAL_MIN_3M", Min, Last3, Dollar, "11", "Lowest end-of-day total balance", balanceEdge(lower)},
	{"UA_ASSET_TOTAL_MIN_12M", Min, Last12, Dollar, "11", "Lowest end-of-day total balance", balanceEdge(lower)},
	{"UA_ASSET_TOTAL_MAX_3M", Max, Last3, Dollar, "10", "Highest end-of-day total balance", balanceEdge(higher)},
	{"UA_ASSET_TOTAL_TREND_6M", Trend, Last6, Dollar, "12",
		"Least-squares slope of month-end total balance in dollars per month", balanceTrend},
	{"UA_ASSET_TOTAL_TREND_12M", Trend, Last12, Dollar, "12",
		"Least-squares slope of month-end total balance in dollars per month", balanceTrend},
	{"UA_ASSET_NEGDAYS_CNT_1M", Count, Last1, Short, "15", "Days on which at least one account ended the day below 0", negativeDays},
	{"UA_ASSET_NEGDAYS_CNT_3M", Count, Last3, Short, "15", "Days on which at least one account ended the day below 0", negativeDays},
	{"UA_ASSET_NEGDAYS_CNT_12M", Count, Last12, Short, "15", "Days on which at least one account ended the day below 0", negativeDays},
	{"UA_ASSET_NEGDAYS_REC", Recency, History, Short, "16", "Days since an account last ended the day below 0", sinceNegative},
	{"UA_ASSET_LOWDAYS_CNT_3M", Count, Last3, Short, "17", "Days with end-of-day total balance below 100.00", lowDays},
	{"UA_ASSET_ACCOUNT_CNT_CUR", Count, Current, Short, "63", "Number of cash-equivalent accounts in the report", accountCount},
	{"UA_INFLOW_TOTAL_SUM_1M", Sum, Last1, Dollar, "20", "Sum of all posted credits", sumOf(of(credits))},
	{"UA_INFLOW_TOTAL_SUM_3M", Sum, Last3, Dollar, "20", "Sum of all posted credits", sumOf(of(credits))},
	{"UA_INFLOW_TOTAL_SUM_6M", Sum, Last6, Dollar, "20", "Sum of all posted credits", sumOf(of(credits))},
	{"UA_INFLOW_TOTAL_SUM_12M", Sum, Last12, Dollar, "20", "Sum of all posted credits", sumOf(of(credits))},
	{"UA_INFLOW_TOTAL_AVG_12R", Avg, Rolling12, Dollar, "20", "Average monthly credits", monthlyMean(of(credits))},
	{"UA_INFLOW_TOTAL_CNT_3M", Count, Last3, Short, "20", "Number of posted credits", countOf(credits)},
	{"UA_INFLOW_TOTAL_SSUM", StdSum, History, Dollar, "20", "Credits per 30 days of retrieved history", sumPer30(of(credits))},
	{"UA_INFLOW_EXTERNAL_SUM_3M", Sum, Last3, Dollar, "20",
		"Credits excluding own-account transfers, loan proceeds, refunds and reversals", sumOf(of(external))},
	{"UA_INFLOW_INCOME_SUM_1M", Sum, Last1, Dollar, "21",
		"Income credits of every income type (payroll, benefits, retirement, gig, self-employment, interest, tax refunds)", sumOf(of(income))},
	{"UA_INFLOW_INCOME_SUM_3M", Sum, Last3, Dollar, "21",
		"Income credits of every income type (payroll, benefits, retirement, gig, self-employment, interest, tax refunds)", sumOf(of(income))},
	{"UA_INFLOW_INCOME_SUM_6M", Sum, Last6, Dollar, "21",
		"Income credits of every income type (payroll, benefits, retirement, gig, self-employment, interest, tax refunds)", sumOf(of(income))},
	{"UA_INFLOW_INCOME_SUM_12M", Sum, Last12, Dollar, "21",
		"Income credits of every income type (payroll, benefits, retirement, gig, self-employment, interest, tax refunds)", sumOf(of(income))},
	{"UA_INFLOW_INCOME_AVG_12R", Avg, Rolling12, Dollar, "21", "Average monthly income credits with tax refunds", monthlyMean(of(income))},
	{"UA_INFLOW_INCOME_MIN_12M", Min, Last12, Dollar, "21", "Lowest monthly income total with tax refunds", monthlyMin(of(income))},
	{"UA_INFLOW_INCOME_TREND_6M", Trend, Last6, Dollar, "22",
		"Slope of monthly income totals with tax refunds in dollars per month", monthlyTrend(of(income))},
	{"UA_INFLOW_INCOME_TREND_12M", Trend, Last12, Dollar, "22",
		"Slope of monthly income totals with tax refunds in dollars per month", monthlyTrend(of(income))},
	{"UA_INFLOW_INCOME_REC", Recency, History, Short, "25", "Days since the most recent income credit or tax refund", recency(income)},
	{"UA_INFLOW_INCOME_SAVG", StdAvg, History, Dollar, "21",
		"Mean income with tax refunds per complete month of retrieved history", monthlyMean(of(income))},
	{"UA_INFLOW_PAYROLL_SUM_3M", Sum, Last3, Dollar, "21", "Payroll and direct-deposit wage credits", sumOf(of(payroll))},
	{"UA_INFLOW_PAYROLL_SUM_12M", Sum, Last12, Dollar, "21", "Payroll and direct-deposit wage credits", sumOf(of(payroll))},
	{"UA_INFLOW_PAYROLL_AVG_3M", Avg, Last3, Dollar, "21", "Mean amount of a payroll credit", meanOf(payroll)},
	{"UA_INFLOW_PAYROLL_REC", Recency, History, Short, "25", "Days since the most recent payroll credit", recency(payroll)},
	{"UA_INFLOW_BENEFIT_SUM_12M", Sum, Last12, Dollar, "21", "Government benefit and retirement credits", sumOf(of(benefit))},
	{"UA_INFLOW_GIG_SUM_12M", Sum, Last12, Dollar, "21", "Gig-platform and self-employment payout credits", sumOf(of(gig))},
	{"UA_INFLOW_CASHDEP_SUM_3M", Sum, Last3, Dollar, "20", "Cash, check and ATM deposits", sumOf(of(cashDeposit))},
	{"UA_INFLOW_INTEREST_SUM_12M", Sum, Last12, Dollar, "14", "Interest credited on deposit accounts", sumOf(of(interest))},
	{"UA_INFLOW_ADVANCE_SUM_3M", Sum, Last3, Dollar, "27",
		"Loan proceeds, payday loans and earned-wage or cash advances received", sumOf(of(borrowed))},
	{"UA_INFLOW_ADVANCE_CNT_6M", Count, Last6, Short, "27", "Number of payday-loan, earned-wage or cash-advance credits", countOf(advance)},
	{"UA_EXPENSE_TOTAL_SUM_1M", Sum, Last1, Dollar, "30", "Sum of all posted debits", sumOf(of(debits))},
	{"UA_EXPENSE_TOTAL_SUM_3M", Sum, Last3, Dollar, "30", "Sum of all posted debits", sumOf(of(debits))},
	{"UA_EXPENSE_TOTAL_SUM_6M", Sum, Last6, Dollar, "30", "Sum of all posted debits", sumOf(of(debits))},
	{"UA_EXPENSE_TOTAL_SUM_12M", Sum, Last12, Dollar, "30", "Sum of all posted debits", sumOf(of(debits))},
	{"UA_EXPENSE_TOTAL_AVG_12R", Avg, Rolling12, Dollar, "30", "Average monthly debits", monthlyMean(of(debits))},
	{"UA_EXPENSE_TOTAL_CNT_3M", Count, Last3, Short, "30", "Number of posted debits", countOf(debits)},
	{"UA_EXPENSE_TOTAL_TREND_6M", Trend, Last6, Dollar, "31", "Slope of monthly debit totals in dollars per month", monthlyTrend(of(debits))},
	{"UA_EXPENSE_TOTAL_SSUM", StdSum, History, Dollar, "30", "Debits per 30 days of retrieved history", sumPer30(of(debits))},
	{"UA_EXPENSE_HOUSING_AVG_12R", Avg, Rolling12, Dollar, "34", "Average monthly rent and mortgage payments", monthlyMean(of(housing))},
	{"UA_EXPENSE_UTILITY_SUM_3M", Sum, Last3, Dollar, "30", "Electricity, gas, water, internet and telephone payments", sumOf(of(utility))},
	{"UA_EXPENSE_LOANPMT_SUM_3M", Sum, Last3, Dollar, "35", "Instalment, student, auto and personal loan payments", sumOf(of(loanPayment))},
	{"UA_EXPENSE_LOANPMT_CNT_6M", Count, Last6, Short, "36", "Number of loan payments", countOf(loanPayment)},
	{"UA_EXPENSE_CARDPMT_SUM_3M", Sum, Last3, Dollar, "35", "Credit card payments", sumOf(of(cardPayment))},
	{"UA_EXPENSE_ADVPMT_SUM_3M", Sum, Last3, Dollar, "37",
		"Payday, earned-wage, cash-advance and buy-now-pay-later repayments", sumOf(of(advanceRepaid))},
	{"UA_EXPENSE_ADVPMT_CNT_6M", Count, Last6, Short, "37",
		"Number of payday, advance and buy-now-pay-later repayments", countOf(advanceRepaid)},
	{"UA_EXPENSE_ESSENTIAL_AVG_12R", Avg, Rolling12, Dollar, "30",
		"Average monthly essential spending (housing, utilities, groceries, transport fuel, insurance, health, child care)",
		monthlyMean(of(essential))},
	{"UA_EXPENSE_DISCRETIONARY_AVG_12R", Avg, Rolling12, Dollar, "33",
		"Average monthly discretionary spending", monthlyMean(of(discretionary))},
	{"UA_EXPENSE_BANKFEE_SUM_12M", Sum, Last12, Dollar, "43", "Bank fees and interest charges net of reversals", sumOf(of(bankFee))},
	{"UA_EXPENSE_NSFOD_CNT_1M", Count, Last1, Short, "40", "NSF and overdraft fee events net of reversed fees", countOf(nsf)},
	{"UA_EXPENSE_NSFOD_CNT_3M", Count, Last3, Short, "40", "NSF and overdraft fee events net of reversed fees", countOf(nsf)},
	{"UA_EXPENSE_NSFOD_CNT_6M", Count, Last6, Short, "40", "NSF and overdraft fee events net of reversed fees", countOf(nsf)},
	{"UA_EXPENSE_NSFOD_CNT_12M", Count, Last12, Short, "40", "NSF and overdraft fee events net of reversed fees", countOf(nsf)},
	{"UA_EXPENSE_NSFOD_REC", Recency, History, Short, "41", "Days since the most recent NSF or overdraft fee", recency(nsf)},
	{"UA_EXPENSE_NSFOD_SCNT", StdCount, History, Float, "40",
		"NSF and overdraft fee events per 30 days of retrieved history", countPer30(nsf)},
	{"UA_EXPENSE_NSFOD_SREC", StdRecency, History, Float, "41",
		"Days since the most recent NSF or overdraft fee divided by days of retrieved history", shareSince(nsf)},
	{"UA_EXPENSE_RETURNED_CNT_12M", Count, Last12, Short, "42", "Returned or reversed payments", countOf(returned)},
	{"UA_EXPENSE_GAMBLING_SUM_3M", Sum, Last3, Dollar, "45", "Gambling and betting debits", sumOf(of(gambling))},
	{"UA_EXPENSE_GAMBLING_CNT_6M", Count, Last6, Short, "45", "Number of gambling and betting debits", countOf(gambling)},
	{"UA_EXPENSE_CASHWD_SUM_3M", Sum, Last3, Dollar, "44", "ATM and branch cash withdrawals", sumOf(of(cashOut))},
	{"UA_EXPENSE_SAVEXFER_SUM_12M", Sum, Last12, Dollar, "72", "Transfers to savings, investment or retirement", sumOf(of(saving))},
	{"UA_CASHFLOW_NET_SUM_1M", Sum, Last1, Dollar, "50", "Credits minus debits excluding own-account transfers", sumOf(netFlow)},
	{"UA_CASHFLOW_NET_SUM_3M", Sum, Last3, Dollar, "50", "Credits minus debits excluding own-account transfers", sumOf(netFlow)},
	{"UA_CASHFLOW_NET_SUM_6M", Sum, Last6, Dollar, "50", "Credits minus debits excluding own-account transfers", sumOf(netFlow)},
	{"UA_CASHFLOW_NET_SUM_12M", Sum, Last12, Dollar, "50", "Credits minus debits excluding own-account transfers", sumOf(netFlow)},
	{"UA_CASHFLOW_NET_AVG_12R", Avg, Rolling12, Dollar, "50", "Average monthly net cash flow", monthlyMean(netFlow)},
	{"UA_CASHFLOW_NET_MIN_12M", Min, Last12, Dollar, "50", "Lowest monthly net cash flow", monthlyMin(netFlow)},
	{"UA_CASHFLOW_NET_TREND_12M", Trend, Last12, Dollar, "51", "Slope of monthly net cash flow in dollars per month", monthlyTrend(netFlow)},
	{"UA_CASHFLOW_NETPOS_CNT_12M", Count, Last12, Short, "52", "Number of months with net cash flow above 0", positiveMonths},
	{"UA_CASHFLOW_FREE_AVG_3M", Avg, Last3, Dollar, "53",
		"Average monthly income minus essential spending and debt payments", monthlyMean(free)},
	{"UA_CASHFLOW_NET_SSUM", StdSum, History, Dollar, "50", "Net cash flow per 30 days of retrieved history", sumPer30(netFlow)},
	{"UA_RATIO_EXPENSE_INFLOW_3M", Ratio, Last3, Float, "32",
		"Debits divided by credits excluding own-account transfers", ratio(of(moneyOut), of(moneyIn))},
	{"UA_RATIO_EXPENSE_INFLOW_12M", Ratio, Last12, Float, "32",
		"Debits divided by credits excluding own-account transfers", ratio(of(moneyOut), of(moneyIn))},
	{"UA_RATIO_DEBTPMT_INCOME_3M", Ratio, Last3, Float, "35", "Loan, card and advance payments divided by income", ratio(debt, of(income))},
	{"UA_RATIO_DEBTPMT_INCOME_12M", Ratio, Last12, Float, "35", "Loan, card and advance payments divided by income", ratio(debt, of(income))},
	{"UA_RATIO_HOUSING_INCOME_3M", Ratio, Last3, Float, "34", "Rent and mortgage payments divided by income", ratio(of(housing), of(income))},
	{"UA_RATIO_BALANCE_EXPENSE_3M", Ratio, Last3, Float, "13",
		"Mean end-of-day total balance divided by average monthly debits (months of reserve)", reserve},
	{"UA_RATIO_SAVINGS_INFLOW_12M", Ratio, Last12, Float, "72",
		"Transfers to savings, investment or retirement divided by credits excluding own-account transfers", ratio(of(saving), of(moneyIn))},
	{"UA_RATIO_INCOME_RECENT_ANNUAL_12M", Ratio, Last12, Float, "22",
		"Income of the last 3 complete months times 4, divided by income of the last 12 complete months", recentShare(of(income))},
	{"UA_RATIO_INCOME_VARIATION_12M", Ratio, Last12, Float, "23",
		"Standard deviation divided by mean of monthly income totals", monthlyVariation(of(income))},
	{"UA_RATIO_TOPSTREAM_INCOME_12M", Ratio, Last12, Float, "24", "Largest recurring income stream divided by all income", topStream},
	{"UA_RATIO_GAMBLING_INFLOW_3M", Ratio, Last3, Float, "45",
		"Gambling debits divided by external credits", ratio(of(gambling), of(external))},
	{"UA_RATIO_RECURRING_INCOME_3M", Ratio, Last3, Float, "71",
		"Recurring bills, loan and card payments divided by income", ratio(of(obligation), of(income))},
	{"UA_TOTAL_TXN_CNT_1M", Count, Last1, Short, "61", "Number of posted transactions", countOf(everything)},
	{"UA_TOTAL_TXN_CNT_3M", Count, Last3, Short, "61", "Number of posted transactions", countOf(everything)},
	{"UA_TOTAL_TXN_CNT_12M", Count, Last12, Short, "61", "Number of posted transactions", countOf(everything)},
	{"UA_TOTAL_TXN_REC", Recency, History, Short, "62", "Days since the most recent posted transaction", recency(everything)},
	{"UA_TOTAL_OLDEST_REC", Recency, History, Short, "60", "Days since the oldest posted transaction", oldest},
	{"UA_TOTAL_TXN_SCNT", StdCount, History, Float, "61", "Posted transactions per 30 days of retrieved history", countPer30(everything)},
	{"UA_TOTAL_ACTIVEDAYS_CNT_3M", Count, Last3, Short, "61", "Days with at least one posted transaction", countOf(activeDay)},
	{"UA_TOTAL_TRANSFER_SUM_3M", Sum, Last3, Dollar, "64", "Gross volume of transfers between own accounts", sumOf(of(transfer))},
	{"UA_CADENCE_INCOME_STREAM_CNT_CUR", Count, Current, Short, "24", "Number of active recurring income streams", activeStreams(true)},
	{"UA_CADENCE_INCOME_INTERVAL_AVG_6M", Avg, Last6, Float, "24", "Mean days between credits of the primary income stream", interval},
	{"UA_CADENCE_INCOME_INTERVAL_MAX_12M", Max, Last12, Short, "24", "Longest gap in days between income credits", longestGap},
	{"UA_CADENCE_INCOME_MONTHS_CNT_12M", Count, Last12, Short, "24", "Number of months with at least one income credit", monthsOf(income)},
	{"UA_CADENCE_INCOME_TENURE_REC", Recency, History, Short, "24", "Days since the first credit of the primary active income stream", tenure},
	{"UA_CADENCE_BILL_STREAM_CNT_CUR", Count, Current, Short, "70", "Number of active recurring outflow streams", activeStreams(false)},
	{"UA_CADENCE_BILL_STREAM_SUM_1M", Sum, Last1, Dollar, "71", "Sum of recurring outflows", sumOf(of(recurring))},
	{"UA_CADENCE_HOUSING_MONTHS_CNT_12M", Count, Last12, Short, "70", "Number of months with a rent or mortgage payment", monthsOf(housing)},
	{"UA_CADENCE_NSFOD_MONTHS_CNT_12M", Count, Last12, Short, "40", "Number of months with an NSF or overdraft fee", monthsOf(nsf)},
	{"UA_CADENCE_SAVEXFER_MONTHS_CNT_12M", Count, Last12, Short, "72",
		"Number of months with a transfer to savings, investment or retirement", monthsOf(saving)},
})
