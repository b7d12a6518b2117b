package cashflow

import (
	"strings"
	"testing"

	"vestibule/internal/analysis/bankdata"
)

// checks compares attributes of a household: each line of want has a name without its
// prefix, and the formatted value.
func checks(t *testing.T, text string, want string) {
	t.Helper()
	l := household(t, text)
	for _, line := range strings.Split(strings.TrimSpace(want), "\n") {
		w := strings.Fields(line)
		name := w[0]
		if !strings.HasPrefix(name, "AV_") {
			name = "UA_" + name
		}
		if got := valueOf(t, l, name); got != w[1] {
			t.Errorf("%s = %s, want %s", name, got, w[1])
		}
	}
}

func TestAttributesWithoutAccounts(t *testing.T) {
	l := household(t, "2026-03-10")
	for _, d := range Catalogue() {
		want := map[ValueType]string{Dollar: "9999998", Float: "9999998", Short: "9998"}[d.Type]
		if got := valueOf(t, l, d.Name); got != want {
			t.Errorf("%s = %s, want %s", d.Name, got, want)
		}
	}
	for _, d := range Deprecated() {
		want := map[ValueType]string{OldBoolean: "8", OldDollar: "9999998", OldFloat: "9999998", OldShort: "9998", OldLong: "9999998"}[d.Type]
		if got := valueOf(t, l, d.Name); got != want {
			t.Errorf("%s = %s, want %s", d.Name, got, want)
		}
	}
}

func TestAttributesWithoutTransactions(t *testing.T) {
	l := household(t, "2026-03-10; account a CHECKING 12.30; account b SAVINGS 7.70; 2024-03-09 a 5.00 PAYROLL")
	known := map[string]string{
		"UA_ASSET_TOTAL_BAL_CUR": "20.00", "UA_ASSET_CHECKING_BAL_CUR": "12.30",
		"UA_ASSET_SAVINGS_BAL_CUR": "7.70", "UA_ASSET_ACCOUNT_CNT_CUR": "2",
	}
	for _, d := range Catalogue() {
		want, ok := known[d.Name]
		if !ok {
			want = map[ValueType]string{Dollar: "9999998", Float: "9999998", Short: "9998"}[d.Type]
		}
		if got := valueOf(t, l, d.Name); got != want {
			t.Errorf("%s = %s, want %s", d.Name, got, want)
		}
	}
}

// TestWindowBounds puts one credit on a day and checks which sums include it. Small debits
// keep the history long.
func TestWindowBounds(t *testing.T) {
	const none = "0.00"
	for _, c := range []struct {
		fetch, day          string
		m1, m3, m6, m12, r1 string // SUM_1M, 3M, 6M, 12M; AVG_12R of 1,200.00
	}{
		{"2026-03-10", "2026-03-10", "", "", "", "", none},         // the fetch date
		{"2026-03-10", "2026-03-09", "", "", "", "", "100.00"},     // the day before it
		{"2026-03-10", "2026-03-01", "", "", "", "", "100.00"},     // the current month
		{"2026-03-10", "2026-02-28", "1", "1", "1", "1", "100.00"}, // the last day of the last month
		{"2026-03-10", "2026-02-01", "1", "1", "1", "1", "100.00"},
		{"2026-03-10", "2026-01-31", "", "1", "1", "1", "100.00"},
		{"2026-03-10", "2025-12-01", "", "1", "1", "1", "100.00"},
		{"2026-03-10", "2025-11-30", "", "", "1", "1", "100.00"},
		{"2026-03-10", "2025-09-01", "", "", "1", "1", "100.00"},
		{"2026-03-10", "2025-08-31", "", "", "", "1", "100.00"},
		{"2026-03-10", "2025-03-10", "", "", "", "1", "100.00"}, // the same date a year earlier
		{"2026-03-10", "2025-03-09", "", "", "", "1", none},
		{"2026-03-10", "2025-03-01", "", "", "", "1", none},
		{"2026-03-10", "2025-02-28", "", "", "", "", none},
		{"2025-02-28", "2024-02-29", "", "", "", "1", "100.00"},
		{"2025-02-28", "2024-02-28", "", "", "", "1", "100.00"},
		{"2025-02-28", "2024-02-27", "", "", "", "1", none},
		{"2024-02-29", "2023-02-28", "", "", "", "1", "100.00"}, // a year before February 29 is the 28th
		{"2024-02-29", "2023-02-27", "", "", "", "1", none},
		{"2024-03-01", "2024-02-29", "1", "1", "1", "1", "100.00"},
		{"2024-03-31", "2024-02-29", "1", "1", "1", "1", "100.00"},
		{"2024-03-31", "2024-03-01", "", "", "", "", "100.00"},
		{"2026-01-01", "2025-12-31", "1", "1", "1", "1", "100.00"},
		{"2026-01-01", "2025-01-01", "", "", "", "1", "100.00"},
		{"2026-01-01", "2024-12-31", "", "", "", "", none},
	} {
		l := household(t, c.fetch+"; account a CHECKING 0.00; "+c.day+" a 1200.00 OTHER;"+long(c.fetch))
		for name, in := range map[string]string{"1M": c.m1, "3M": c.m3, "6M": c.m6, "12M": c.m12} {
			want := none
			if in != "" {
				want = "1200.00"
			}
			if got := valueOf(t, l, "UA_INFLOW_TOTAL_SUM_"+name); got != want {
				t.Errorf("fetched %s, a credit of %s: SUM_%s = %s, want %s", c.fetch, c.day, name, got, want)
			}
		}
		if got := valueOf(t, l, "UA_INFLOW_TOTAL_AVG_12R"); got != c.r1 {
			t.Errorf("fetched %s, a credit of %s: AVG_12R = %s, want %s", c.fetch, c.day, got, c.r1)
		}
	}
}

// long returns two years of small debits in every month and rolling month, so that windows
// are never empty and months always whole.
func long(fetch string) string {
	c := newCalendar(bankdata.DayOf(day(fetch)), 0)
	c.month[historyMonths] = bankdata.DayOf(bankdata.HistoryStart(day(fetch)))
	var b strings.Builder
	for _, d := range c.month {
		b.WriteString(d.Date().String() + " a -0.01 OTHER;")
	}
	return b.String()
}

func TestHistoryIsTwoYears(t *testing.T) {
	for _, c := range []struct{ fetch, day, want string }{
		{"2026-03-10", "2024-03-10", "730"},
		{"2026-03-10", "2024-03-09", "9998"},
		{"2024-02-29", "2022-02-28", "731"},
		{"2024-02-29", "2022-02-27", "9998"},
		{"2026-02-28", "2024-02-28", "731"},
		{"2026-03-10", "2026-03-10", "0"},
	} {
		checks(t, c.fetch+"; account a CHECKING 0.00; "+c.day+" a 1.00 PAYROLL", "TOTAL_OLDEST_REC "+
			c.want+"\nTOTAL_TXN_REC "+c.want+"\nINFLOW_INCOME_REC "+c.want)
	}
}

// TestEmptyWindow has records only in the current month.
func TestEmptyWindow(t *testing.T) {
	checks(t, "2026-03-10; account a CHECKING 50.00; 2026-03-02 a 80.00 PAYROLL; 2026-03-05 a -30.00 GROCERY", `
		INFLOW_TOTAL_SUM_1M 9999996
		INFLOW_TOTAL_SUM_12M 9999996
		INFLOW_TOTAL_CNT_3M 9996
		INFLOW_TOTAL_AVG_12R 9999996
		INFLOW_INCOME_MIN_12M 9999996
		INFLOW_INCOME_TREND_6M 9999996
		INFLOW_INCOME_SAVG 9999996
		INFLOW_PAYROLL_AVG_3M 9999996
		INFLOW_INCOME_REC 8
		INFLOW_TOTAL_SSUM 300.00
		EXPENSE_NSFOD_CNT_12M 9996
		EXPENSE_NSFOD_REC 9996
		EXPENSE_NSFOD_SCNT 0.00000
		EXPENSE_NSFOD_SREC 9999996
		CASHFLOW_NET_SUM_3M 9999996
		CASHFLOW_NET_AVG_12R 9999996
		CASHFLOW_NETPOS_CNT_12M 9996
		CASHFLOW_NET_SSUM 187.50
		RATIO_EXPENSE_INFLOW_3M 9999996
		RATIO_BALANCE_EXPENSE_3M 9999996
		RATIO_INCOME_VARIATION_12M 9999996
		RATIO_TOPSTREAM_INCOME_12M 9999996
		TOTAL_TXN_CNT_1M 9996
		TOTAL_TXN_SCNT 7.50000
		TOTAL_ACTIVEDAYS_CNT_3M 9996
		TOTAL_TRANSFER_SUM_3M 9999996
		ASSET_TOTAL_AVG_1M 9999996
		ASSET_TOTAL_AVG_12R 9999996
		ASSET_TOTAL_MIN_3M 9999996
		ASSET_TOTAL_MAX_3M 9999996
		ASSET_NEGDAYS_CNT_3M 9996
		ASSET_NEGDAYS_REC 9996
		ASSET_LOWDAYS_CNT_3M 9996
		ASSET_TOTAL_TREND_6M 9999996
		CADENCE_INCOME_MONTHS_CNT_12M 9996
		CADENCE_INCOME_INTERVAL_MAX_12M 9996
		CADENCE_INCOME_INTERVAL_AVG_6M 9999996
		CADENCE_INCOME_TENURE_REC 9996
		CADENCE_INCOME_STREAM_CNT_CUR 0
		CADENCE_BILL_STREAM_SUM_1M 9999996`)
}

func TestTransactionsOnFetchDateOnly(t *testing.T) {
	checks(t, "2026-03-10; account a CHECKING 50.00; 2026-03-10 a 80.00 PAYROLL nsf", `
		INFLOW_TOTAL_SSUM 9999995.00
		TOTAL_TXN_SCNT 9999995.00000
		EXPENSE_NSFOD_SREC 9999995.00000
		EXPENSE_NSFOD_REC 0
		ASSET_NEGDAYS_REC 9996`)
}

// TestPartlyCoveredMonths has a history from January 15: January is partly covered,
// February wholly.
func TestPartlyCoveredMonths(t *testing.T) {
	checks(t, `2026-03-10; account a CHECKING 1000.00
		2026-01-15 a 100.00 PAYROLL
		2026-01-20 a -500.00 RENT
		2026-02-10 a 300.00 PAYROLL
		2026-02-11 a 302.00 PAYROLL
		2026-02-20 a -40.00 GROCERY
		2026-03-05 a 10.00 PAYROLL`, `
		INFLOW_INCOME_SUM_1M 602.00
		INFLOW_INCOME_SUM_3M 702.00
		INFLOW_INCOME_SUM_12M 702.00
		INFLOW_INCOME_MIN_12M 602.00
		INFLOW_INCOME_AVG_12R 612.00
		CASHFLOW_NET_AVG_12R 572.00
		INFLOW_INCOME_SAVG 602.00
		INFLOW_PAYROLL_AVG_3M 301.00
		INFLOW_TOTAL_CNT_3M 3
		EXPENSE_HOUSING_AVG_12R 0.00
		EXPENSE_TOTAL_SUM_3M 540.00
		CASHFLOW_NET_SUM_3M 162.00
		CASHFLOW_NET_MIN_12M 562.00
		CASHFLOW_NETPOS_CNT_12M 1
		CASHFLOW_FREE_AVG_3M 562.00
		INFLOW_INCOME_TREND_6M 9999996
		RATIO_INCOME_VARIATION_12M 9999996
		RATIO_EXPENSE_INFLOW_3M 0.76923
		RATIO_BALANCE_EXPENSE_3M 20.32143
		CADENCE_INCOME_MONTHS_CNT_12M 2
		CADENCE_HOUSING_MONTHS_CNT_12M 1
		CADENCE_INCOME_INTERVAL_MAX_12M 26
		TOTAL_TXN_CNT_3M 5
		TOTAL_ACTIVEDAYS_CNT_3M 5
		TOTAL_OLDEST_REC 54
		TOTAL_TXN_SCNT 3.33333`)
}

// balances is a household. Its checking account has 430.00 from March 1, after a debit of
// 600.00, and 1,030.00 before. The savings account opens with 200.00 and gets 50.00 on
// February 10.
const balances = `2026-03-10; account a CHECKING 430.00; account b SAVINGS 250.00; account c OTHER -5.00
	2025-10-20 a 130.00 PAYROLL
	2025-12-31 a 1000.00 PAYROLL
	2026-01-10 a -1400.00 RENT
	2026-01-12 a 1300.00 PAYROLL
	2026-02-10 b 50.00 INTEREST
	2026-03-01 a -600.00 RENT
	2026-03-10 c -5.00 MONTHLY`

func TestBalances(t *testing.T) {
	checks(t, balances, `
		ASSET_TOTAL_BAL_CUR 675.00
		ASSET_CHECKING_BAL_CUR 430.00
		ASSET_SAVINGS_BAL_CUR 250.00
		ASSET_ACCOUNT_CNT_CUR 3
		ASSET_TOTAL_AVG_1M 1263.93
		ASSET_TOTAL_AVG_3M 922.78
		ASSET_CHECKING_AVG_3M 712.22
		ASSET_SAVINGS_AVG_3M 210.56
		ASSET_SAVINGS_AVG_12R 211.67
		RATIO_BALANCE_EXPENSE_3M 1.97738
		ASSET_TOTAL_MIN_1M 1230.00
		ASSET_TOTAL_MIN_3M -70.00
		ASSET_TOTAL_MIN_12M -70.00
		ASSET_TOTAL_MAX_3M 1330.00
		ASSET_TOTAL_TREND_6M 275.00
		ASSET_NEGDAYS_CNT_1M 0
		ASSET_NEGDAYS_CNT_3M 2
		ASSET_NEGDAYS_CNT_12M 2
		ASSET_NEGDAYS_REC 58
		ASSET_LOWDAYS_CNT_3M 2`)
	checks(t, "2026-03-10; account a CHECKING 0.00; 2024-06-01 a 1.00 OTHER", `
		ASSET_SAVINGS_BAL_CUR 0.00
		ASSET_SAVINGS_AVG_3M 9999996
		ASSET_TOTAL_AVG_12R 0.00
		ASSET_TOTAL_AVG_3M 0.00
		ASSET_TOTAL_TREND_12M 0.00
		ASSET_NEGDAYS_CNT_12M 0
		ASSET_LOWDAYS_CNT_3M 90
		INFLOW_TOTAL_SUM_12M 9999996
		RATIO_BALANCE_EXPENSE_3M 9999996`)
}

// everySubject has a transaction of each category, and ofEverySubject attributes of it.
const (
	everySubject = `2026-03-10; account a CHECKING 0.00; account b SAVINGS 0.00
		2025-01-02 a 1.00 OTHER
		2026-02-02 a 1000.00 PAYROLL
		2026-02-03 a 100.00 GOV_BENEFIT
		2026-02-03 a 20.00 UNEMPLOYMENT
		2026-02-03 a 3.00 RETIREMENT
		2026-02-04 a 50.00 GIG
		2026-02-04 a 60.00 SELF_EMPLOYED
		2026-02-05 b 0.40 INTEREST
		2026-02-05 a 7.00 DEPOSIT.CASH
		2026-02-05 a 8.00 CHECK_MOBILE
		2026-02-06 a 500.00 LOAN_PROCEEDS
		2026-02-06 a 40.00 ADVANCE_IN
		2026-02-06 a 9.00 REFUND
		2026-02-07 a 11.00 REVERSAL nsf
		2026-02-07 a 35.00 FEE_REVERSAL
		2026-02-08 b 200.00 SAVINGS_IN own
		2026-02-08 a -200.00 SAVINGS_OUT own
		2026-02-09 a -30.00 INVEST_OUT
		2026-02-09 a -400.00 RENT
		2026-02-10 a -300.00 MORTGAGE
		2026-02-11 a -80.00 UTILITY
		2026-02-11 a -45.00 TELECOM
		2026-02-12 a -70.00 INSURANCE
		2026-02-12 a -15.00 SUBSCRIPTION
		2026-02-13 a -90.00 GROCERY
		2026-02-13 a -25.00 FUEL_TRANSPORT
		2026-02-13 a -12.00 HEALTH
		2026-02-13 a -33.00 CHILDCARE_EDU
		2026-02-13 a -21.00 LIVING.TAX
		2026-02-14 a -10.00 DINING
		2026-02-14 a -22.00 RETAIL
		2026-02-14 a -14.00 ENTERTAINMENT
		2026-02-14 a -16.00 TRAVEL
		2026-02-14 a -19.00 GAMBLING
		2026-02-15 a -140.00 AUTO
		2026-02-15 a -110.00 STUDENT
		2026-02-15 a -60.00 PERSONAL
		2026-02-16 a -85.00 CARD_PAYMENT
		2026-02-16 a -42.00 ADVANCE_OUT
		2026-02-16 a -18.00 BNPL_OUT
		2026-02-17 a -34.00 NSF nsf
		2026-02-17 a -36.00 OVERDRAFT
		2026-02-17 a -3.00 ATM
		2026-02-17 a -5.00 MONTHLY
		2026-02-17 a -2.00 INTEREST_CHARGE
		2026-02-17 a -1.00 FEE.OTHER
		2026-02-18 a -100.00 WITHDRAWAL`
	ofEverySubject = `
		INFLOW_TOTAL_SUM_1M 2043.40
		INFLOW_TOTAL_CNT_3M 15
		INFLOW_EXTERNAL_SUM_3M 1248.40
		INFLOW_INCOME_SUM_1M 1233.40
		INFLOW_PAYROLL_SUM_3M 1000.00
		INFLOW_BENEFIT_SUM_12M 123.00
		INFLOW_GIG_SUM_12M 110.00
		INFLOW_CASHDEP_SUM_3M 15.00
		INFLOW_INTEREST_SUM_12M 0.40
		INFLOW_ADVANCE_SUM_3M 540.00
		INFLOW_ADVANCE_CNT_6M 1
		EXPENSE_UTILITY_SUM_3M 125.00
		EXPENSE_LOANPMT_SUM_3M 310.00
		EXPENSE_LOANPMT_CNT_6M 3
		EXPENSE_CARDPMT_SUM_3M 85.00
		EXPENSE_ADVPMT_SUM_3M 60.00
		EXPENSE_ADVPMT_CNT_6M 2
		EXPENSE_HOUSING_AVG_12R 58.33
		EXPENSE_ESSENTIAL_AVG_12R 87.92
		EXPENSE_DISCRETIONARY_AVG_12R 6.42
		EXPENSE_BANKFEE_SUM_12M 46.00
		EXPENSE_NSFOD_CNT_1M 2
		EXPENSE_NSFOD_REC 21
		EXPENSE_RETURNED_CNT_12M 1
		EXPENSE_GAMBLING_SUM_3M 19.00
		EXPENSE_GAMBLING_CNT_6M 1
		EXPENSE_CASHWD_SUM_3M 100.00
		EXPENSE_SAVEXFER_SUM_12M 230.00
		TOTAL_TRANSFER_SUM_3M 400.00
		TOTAL_TXN_CNT_1M 46
		CASHFLOW_NET_SUM_1M 5.40
		CASHFLOW_NET_AVG_12R 0.45
		CASHFLOW_FREE_AVG_3M -92.20
		RATIO_DEBTPMT_INCOME_3M 0.36890
		RATIO_HOUSING_INCOME_3M 0.56754
		RATIO_EXPENSE_INFLOW_3M 0.99707
		RATIO_SAVINGS_INFLOW_12M 0.12477
		RATIO_GAMBLING_INFLOW_3M 0.01522
		CADENCE_SAVEXFER_MONTHS_CNT_12M 1
		CADENCE_NSFOD_MONTHS_CNT_12M 1`
)

func TestSubjects(t *testing.T) { checks(t, everySubject, ofEverySubject) }

func TestTrendsAndVariation(t *testing.T) {
	// Whole months: November to February; 100, 200, 300, 400 of income.
	rising := `2026-03-10; account a CHECKING 0.00
		2025-11-01 a 100.00 PAYROLL
		2025-12-31 a 200.00 PAYROLL
		2026-01-01 a 300.00 PAYROLL
		2026-02-28 a 400.00 PAYROLL
		2026-02-28 a -1.00 GROCERY`
	checks(t, rising, `
		INFLOW_INCOME_TREND_6M 100.00
		INFLOW_INCOME_TREND_12M 100.00
		INFLOW_INCOME_MIN_12M 100.00
		INFLOW_INCOME_SAVG 250.00
		RATIO_INCOME_VARIATION_12M 0.44721
		RATIO_INCOME_RECENT_ANNUAL_12M 3.60000
		CASHFLOW_NET_TREND_12M 99.70
		EXPENSE_TOTAL_TREND_6M 0.30`)
	checks(t, strings.Replace(rising, "2025-11-01", "2025-11-02", 1), `
		INFLOW_INCOME_TREND_6M 100.00
		RATIO_INCOME_VARIATION_12M 0.27217`)
	checks(t, strings.Replace(rising, "2025-11-01", "2025-12-02", 1), `
		INFLOW_INCOME_TREND_6M 9999996
		RATIO_INCOME_VARIATION_12M 9999996`)
	checks(t, strings.ReplaceAll(rising, "PAYROLL", "REFUND"), `
		INFLOW_INCOME_TREND_6M 0.00
		INFLOW_INCOME_AVG_12R 9999996
		INFLOW_INCOME_MIN_12M 9999996
		INFLOW_INCOME_SAVG 9999996
		INFLOW_INCOME_REC 9996
		INFLOW_INCOME_SUM_12M 0.00
		RATIO_INCOME_VARIATION_12M 9999995.00000
		RATIO_INCOME_RECENT_ANNUAL_12M 9999995.00000
		RATIO_TOPSTREAM_INCOME_12M 9999995.00000
		RATIO_DEBTPMT_INCOME_3M 9999995.00000`)
}

func TestCadence(t *testing.T) {
	checks(t, `2026-03-10; account a CHECKING 0.00
		2025-02-14 a 900.00 PAYROLL
		2025-08-31 a 900.00 PAYROLL
		2025-09-01 a 900.00 PAYROLL
		2025-09-30 a 900.00 PAYROLL
		2025-09-30 a 10.00 PAYROLL
		2025-10-31 a 900.00 PAYROLL
		2026-02-27 a 900.00 PAYROLL
		2026-02-28 a 5.00 INTEREST
		2026-02-10 a -700.00 RENT
		2026-02-11 a -60.00 UTILITY
		2026-02-12 a -40.00 CARD_PAYMENT
		2026-03-01 a -60.00 UTILITY
		stream in ended INTEREST 2026-02-28 2026-02-28
		stream in active PAYROLL 2025-02-14 2026-02-27
		stream out active RENT 2026-02-10 2026-02-10
		stream out active UTILITY 2026-02-11 2026-03-01
		stream out ended CARD_PAYMENT 2026-02-12 2026-02-12`, `
		CADENCE_INCOME_STREAM_CNT_CUR 1
		CADENCE_INCOME_TENURE_REC 389
		CADENCE_INCOME_INTERVAL_MAX_12M 119
		CADENCE_INCOME_INTERVAL_AVG_6M 9999996
		CADENCE_INCOME_MONTHS_CNT_12M 4
		CADENCE_BILL_STREAM_CNT_CUR 2
		CADENCE_BILL_STREAM_SUM_1M 800.00
		CADENCE_HOUSING_MONTHS_CNT_12M 1
		RATIO_RECURRING_INCOME_3M 0.11050
		RATIO_TOPSTREAM_INCOME_12M 0.99889`)
	checks(t, `2026-03-10; account a CHECKING 0.00
		2025-02-14 a 900.00 PAYROLL
		2025-08-31 a 900.00 PAYROLL
		2025-09-01 a 900.00 PAYROLL
		2025-09-30 a 900.00 PAYROLL
		2025-09-30 a 10.00 PAYROLL
		2025-10-31 a 900.00 PAYROLL
		2026-02-28 a 900.00 PAYROLL
		2026-03-02 a 900.00 PAYROLL
		stream in ended PAYROLL 2025-02-14 2026-03-02`, `
		CADENCE_INCOME_INTERVAL_AVG_6M 60.00000
		CADENCE_INCOME_TENURE_REC 9996
		CADENCE_INCOME_STREAM_CNT_CUR 0`)
}

func TestDeprecatedAttributes(t *testing.T) {
	checks(t, balances, `
		AV_ASSETS_TOTAL_BALANCE_CUR 675.00
		AV_ASSETS_CHECKING_BALANCE_CUR 430.00
		AV_ASSETS_SAVINGS_BALANCE_CUR 250.00
		AV_ASSETS_SAVINGS_PRESENT_CUR 1
		AV_ASSETS_TOTAL_AVG_12M 774.58
		AV_ASSETS_NEGATIVE_DAYS_6M 2
		AV_INCOME_TOTAL_AVG_12M 587.50
		AV_INCOME_TOTAL_SUM_6M 2480.00
		AV_INCOME_PAYROLL_SUM_6M 2430.00
		AV_INCOME_PAYROLL_PRESENT_3M 1
		AV_INCOME_BENEFIT_SUM_12M 9999997
		AV_INCOME_TOTAL_REC 28
		AV_EXPENSES_TOTAL_AVG_12M 350.00
		AV_EXPENSES_HOUSING_AVG_6M 350.00
		AV_EXPENSES_LOANPMT_SUM_6M 9999997
		AV_EXPENSES_NSFOD_CNT_6M 9997
		AV_EXPENSES_NSFOD_PRESENT_12M 7
		AV_RATIO_EXPENSES_INFLOW_6M 0.56452
		AV_RATIO_HOUSING_INCOME_12M 0.56452
		AV_RATIO_DEBTPMT_INCOME_6M 9999997
		AV_TOTALS_TRANSACTION_CNT_ALL 7
		AV_TOTALS_NET_SUM_ALL 475
		AV_TOTALS_NET_MONTHS_12M 2`)
	checks(t, "2026-03-10; account a CHECKING 0.00; 2026-03-02 a 1.00 PAYROLL nsf", `
		AV_ASSETS_SAVINGS_BALANCE_CUR 9999997
		AV_ASSETS_SAVINGS_AVG_6M 9999997
		AV_ASSETS_SAVINGS_PRESENT_CUR 0
		AV_ASSETS_TOTAL_AVG_12M 9999996
		AV_INCOME_PAYROLL_PRESENT_3M 6
		AV_INCOME_PAYROLL_SUM_6M 9999996
		AV_EXPENSES_NSFOD_CNT_6M 9996
		AV_TOTALS_NET_MONTHS_12M 9996`)
}

// TestZeroAmounts checks that a zero amount counts on its side: if a subject has no other
// transaction, sums and means are 0 and not missing.
func TestZeroAmounts(t *testing.T) {
	const history = "2026-03-10; account a CHECKING 5.00; 2025-02-10 a 5.00 PAYROLL; "
	checks(t, history+"2026-02-10 a -0.00 HOUSING.RENT", `
		EXPENSE_TOTAL_CNT_3M 1
		EXPENSE_TOTAL_SUM_3M 0.00
		EXPENSE_TOTAL_AVG_12R 0.00
		EXPENSE_HOUSING_AVG_12R 0.00
		INFLOW_TOTAL_CNT_3M 0`)
	checks(t, history+"2026-02-10 a 0.00 GIG", `
		EXPENSE_TOTAL_CNT_3M 0
		EXPENSE_TOTAL_AVG_12R 9999996
		INFLOW_TOTAL_CNT_3M 1`)
}
