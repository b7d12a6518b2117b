package cashflow

import (
	"slices"

	"vestibule/internal/report"
)

// Deprecated lists the 24 attributes of the deprecated family (AV) in the order of the
// report, where they follow the universal ones. The API defines their value types, nodes,
// windows and sentinels; the names are ours. Unlike the universal family, a category
// without any record in the whole history has a separate sentinel, and averages are of
// calendar months.
func Deprecated() []Definition { return append([]Definition(nil), deprecated[:]...) }

var deprecated = [...]Definition{
	{"AV_ASSETS_TOTAL_BALANCE_CUR", NodeAssets, Balance, Current, OldDollar, "10", balanceNow(allAccounts)},
	{"AV_ASSETS_CHECKING_BALANCE_CUR", NodeAssets, Balance, Current, OldDollar, "10",
		missingWithoutAccounts(checkingAccounts, balanceNow(checkingAccounts))},
	{"AV_ASSETS_SAVINGS_BALANCE_CUR", NodeAssets, Balance, Current, OldDollar, "14",
		missingWithoutAccounts(savingsAccounts, balanceNow(savingsAccounts))},
	{"AV_ASSETS_SAVINGS_PRESENT_CUR", NodeAssets, Boolean, Current, OldBoolean, "14", savingsPresent},
	{"AV_ASSETS_TOTAL_AVG_12M", NodeAssets, Avg, Last12, OldDollar, "10", balanceMean(allAccounts)},
	{"AV_ASSETS_SAVINGS_AVG_6M", NodeAssets, Avg, Last6, OldDollar, "14",
		missingWithoutAccounts(savingsAccounts, balanceMean(savingsAccounts))},
	{"AV_ASSETS_NEGATIVE_DAYS_6M", NodeAssets, Count, Last6, OldShort, "15", negativeDays},
	{"AV_INCOME_TOTAL_AVG_12M", NodeIncome, Avg, Last12, OldDollar, "21", missingWithout(of(income), monthlyMean(of(income)))},
	{"AV_INCOME_TOTAL_SUM_6M", NodeIncome, Sum, Last6, OldDollar, "21", missingWithout(of(income), sumOf(of(income)))},
	{"AV_INCOME_PAYROLL_SUM_6M", NodeIncome, Sum, Last6, OldDollar, "21", missingWithout(of(payroll), sumOf(of(payroll)))},
	{"AV_INCOME_PAYROLL_PRESENT_3M", NodeIncome, Boolean, Last3, OldBoolean, "21", missingWithout(of(payroll), present(payroll))},
	{"AV_INCOME_BENEFIT_SUM_12M", NodeIncome, Sum, Last12, OldDollar, "21", missingWithout(of(benefit), sumOf(of(benefit)))},
	{"AV_INCOME_TOTAL_REC", NodeIncome, Recency, History, OldShort, "25", missingWithout(of(income), recency(income))},
	{"AV_EXPENSES_TOTAL_AVG_12M", NodeExpenses, Avg, Last12, OldDollar, "30", missingWithout(of(debits), monthlyMean(of(debits)))},
	{"AV_EXPENSES_HOUSING_AVG_6M", NodeExpenses, Avg, Last6, OldDollar, "34", missingWithout(of(housing), monthlyMean(of(housing)))},
	{"AV_EXPENSES_LOANPMT_SUM_6M", NodeExpenses, Sum, Last6, OldDollar, "35", missingWithout(of(loanPayment), sumOf(of(loanPayment)))},
	{"AV_EXPENSES_NSFOD_CNT_6M", NodeExpenses, Count, Last6, OldShort, "40", missingWithout(of(nsf), countOf(nsf))},
	{"AV_EXPENSES_NSFOD_PRESENT_12M", NodeExpenses, Boolean, Last12, OldBoolean, "40", missingWithout(of(nsf), present(nsf))},
	{"AV_RATIO_EXPENSES_INFLOW_6M", NodeRatio, Ratio, Last6, OldFloat, "32", missingWithout(of(debits), ratio(of(debits), of(credits)))},
	{"AV_RATIO_HOUSING_INCOME_12M", NodeRatio, Ratio, Last12, OldFloat, "34", missingWithout(of(housing), ratio(of(housing), of(income)))},
	{"AV_RATIO_DEBTPMT_INCOME_6M", NodeRatio, Ratio, Last6, OldFloat, "35", missingWithout(debt, ratio(debt, of(income)))},
	{"AV_TOTALS_TRANSACTION_CNT_ALL", NodeTotals, Count, History, OldLong, "61", countOf(everything)},
	{"AV_TOTALS_NET_SUM_ALL", NodeTotals, Sum, History, OldLong, "50",
		wholeDollars(blend{plus: []subject{credits}, minus: []subject{debits}})},
	{"AV_TOTALS_NET_MONTHS_12M", NodeTotals, Count, Last12, OldShort, "52", monthBalance},
}

// missingWithout returns a measure that is missing if the history has no transaction of b.
func missingWithout(b blend, m measure) measure {
	return func(f *facts, w Window) figure {
		if !b.occurs(f) {
			return missing(noCategory)
		}
		return m(f, w)
	}
}

// missingWithoutAccounts returns a measure that is missing without accounts of h.
func missingWithoutAccounts(h holdings, m measure) measure {
	return func(f *facts, w Window) figure {
		if h.count(f) == 0 {
			return missing(noCategory)
		}
		return m(f, w)
	}
}

func savingsPresent(f *facts, _ Window) figure { return yesNo(savingsAccounts.count(f) > 0) }

// present measures 1 if the subject occurs in the window, else 0.
func present(s subject) measure {
	return func(f *facts, w Window) figure {
		if !f.used(w) {
			return missing(noValues)
		}
		return yesNo(f.in(s, w).count > 0)
	}
}

func wholeDollars(b blend) measure {
	return func(f *facts, w Window) figure { return ratioOf(b.sum(f.in, w).sum, 100) }
}

func monthBalance(f *facts, w Window) figure {
	if !f.used(w) {
		return missing(noValues)
	}
	n := int64(0)
	for _, v := range netFlow.months(f, w, w.months()) {
		switch {
		case v > 0:
			n++
		case v < 0:
			n--
		}
	}
	return integer(n)
}

// HasDeprecated reports whether attributes of a report are of the deprecated family.
func HasDeprecated(all []report.Attribute) bool {
	return slices.ContainsFunc(all, func(a report.Attribute) bool { return a.Name == deprecated[0].Name })
}
