package cashflow

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// queries computes attributes independently, by SQL and SQLite's calendar. :f is the fetch
// date. Amounts are in cents, and fractions rounded to the value type's decimals.
//
// The table tx(day, account, amount, leaf, own, nsf) has the history, with days as
// YYYY-MM-DD; acc(account, subtype, balance) has the accounts.
var queries = map[string]string{
	"UA_INFLOW_TOTAL_SUM_3M":   used("3 months", `SELECT coalesce(sum(amount), 0) FROM w WHERE amount > 0`),
	"UA_INFLOW_INCOME_SUM_12M": used("12 months", `SELECT coalesce(sum(amount), 0) FROM w WHERE leaf LIKE 'INCOME.%' AND amount > 0`),
	"UA_INFLOW_EXTERNAL_SUM_3M": used("3 months", `SELECT coalesce(sum(amount), 0) FROM w WHERE amount > 0
		AND NOT own AND leaf NOT IN ('LENDING.LOAN_PROCEEDS', 'LENDING.ADVANCE_IN', 'DEPOSIT.REFUND', 'DEPOSIT.REVERSAL', 'FEE.FEE_REVERSAL')`),
	"UA_EXPENSE_BANKFEE_SUM_12M": used("12 months", `SELECT -coalesce(sum(amount), 0) FROM w WHERE leaf LIKE 'FEE.%'`),
	"UA_EXPENSE_NSFOD_CNT_6M":    used("6 months", `SELECT coalesce(sum(nsf), 0) FROM w`),
	"UA_CASHFLOW_NET_SUM_6M":     used("6 months", `SELECT coalesce(sum(amount), 0) FROM w WHERE NOT own`),
	"UA_TOTAL_ACTIVEDAYS_CNT_3M": used("3 months", `SELECT count(DISTINCT day) FROM w`),
	"UA_TOTAL_TRANSFER_SUM_3M":   used("3 months", `SELECT coalesce(sum(abs(amount)), 0) FROM w WHERE own`),
	"UA_CASHFLOW_NETPOS_CNT_12M": used("12 months", `SELECT count(*)
		FROM (SELECT sum(amount) AS s FROM w WHERE NOT own GROUP BY substr(day, 1, 7)) WHERE s > 0`),
	"UA_CADENCE_INCOME_MONTHS_CNT_12M": used("12 months", `SELECT count(DISTINCT substr(day, 1, 7))
		FROM w WHERE leaf LIKE 'INCOME.%' AND amount > 0`),
	"UA_RATIO_EXPENSE_INFLOW_3M": used("3 months", `SELECT CASE WHEN i = 0 THEN 999999500000 ELSE round(100000.0 * o / i) END
		FROM (SELECT coalesce(sum(amount) FILTER (WHERE amount > 0), 0) AS i,
		-coalesce(sum(amount) FILTER (WHERE amount < 0), 0) AS o FROM w WHERE NOT own)`),
	"UA_CADENCE_INCOME_INTERVAL_MAX_12M": used("12 months", `SELECT coalesce(max(gap), 9996)
		FROM (SELECT julianday(day) - julianday(lag(day) OVER (ORDER BY day)) AS gap
		FROM (SELECT DISTINCT day FROM w WHERE leaf LIKE 'INCOME.%' AND amount > 0))`),
	"UA_INFLOW_INCOME_REC": `SELECT coalesce(julianday(:f) - julianday(max(day)), 9996) FROM tx WHERE leaf LIKE 'INCOME.%' AND amount > 0`,
	"UA_INFLOW_TOTAL_SSUM": `SELECT CASE WHEN min(day) = :f THEN 999999500
		ELSE round(30.0 * coalesce(sum(amount) FILTER (WHERE amount > 0), 0) / (julianday(:f) - julianday(min(day)))) END FROM tx`,
	"UA_INFLOW_INCOME_MIN_12M": `WITH RECURSIVE m(first) AS (SELECT date(:f, 'start of month', '-1 month')
		UNION ALL SELECT date(first, '-1 month') FROM m WHERE first > date(:f, 'start of month', '-12 months')),
		complete AS (SELECT first FROM m WHERE first >= (SELECT min(day) FROM tx))
		SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM complete) OR NOT EXISTS (SELECT 1 FROM tx WHERE leaf LIKE 'INCOME.%' AND amount > 0)
			OR NOT EXISTS (SELECT 1 FROM tx WHERE day >= date(:f, 'start of month', '-12 months') AND day < date(:f, 'start of month')) THEN 9999996
		ELSE (SELECT min(s) FROM (SELECT coalesce((SELECT sum(amount) FROM tx WHERE substr(day, 1, 7) = substr(first, 1, 7)
		AND leaf LIKE 'INCOME.%' AND amount > 0), 0) AS s FROM complete)) END`,
	"UA_ASSET_TOTAL_MIN_3M": daily("3 months", `SELECT coalesce(min(total), 9999996)
		FROM ends WHERE day >= (SELECT min(first) FROM complete)`),
	"UA_ASSET_TOTAL_AVG_3M": daily("3 months", `SELECT coalesce(round(avg(total)), 9999996)
		FROM ends WHERE day >= (SELECT min(first) FROM complete)`),
	"UA_ASSET_NEGDAYS_CNT_3M": daily("3 months", `SELECT CASE WHEN count(*) = 0 THEN 9996 ELSE coalesce(sum(lowest < 0), 0) END FROM ends`),
}

// used wraps a query over w, the transactions of the last complete months.
func used(window, query string) string {
	return `WITH w AS (SELECT * FROM tx WHERE day >= date(:f, 'start of month', '-` + window + `') AND day < date(:f, 'start of month'))
		SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM w) THEN NULL ELSE (` + query + `) END`
}

// daily wraps a query over ends, the day-end balances of these months from the oldest day
// on, and complete, the first days of the months that the history covers.
func daily(window, query string) string {
	return `WITH RECURSIVE day(d) AS (SELECT max(date(:f, 'start of month', '-` + window +
		`'), (SELECT min(day) FROM tx)) UNION ALL SELECT date(d, '+1 day') FROM day WHERE d < :f),
		each AS (SELECT d AS day, account, balance - coalesce((SELECT sum(amount)
			FROM tx WHERE tx.account = acc.account AND tx.day > d), 0) AS cents FROM day, acc),
		ends AS (SELECT day, sum(cents) AS total, min(cents) AS lowest FROM each WHERE day < date(:f, 'start of month') GROUP BY day),
		complete AS (SELECT DISTINCT substr(d, 1, 7) || '-01' AS first FROM day
			WHERE substr(d, 1, 7) || '-01' >= (SELECT min(day) FROM tx) AND d < date(:f, 'start of month'))
		` + query
}

func TestAttributesMatchSQL(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	mustExec(t, db, `CREATE TABLE tx (day TEXT, account INTEGER, amount INTEGER, leaf TEXT, own BOOLEAN, nsf INTEGER)`)
	mustExec(t, db, `CREATE INDEX by_day ON tx (account, day, amount)`)
	mustExec(t, db, `CREATE TABLE acc (account INTEGER, subtype TEXT, balance INTEGER)`)
	for seed := range uint64(40) {
		l := invented(seed)
		fetch := l.Fetch.Date().String()
		mustExec(t, db, `DELETE FROM tx`)
		mustExec(t, db, `DELETE FROM acc`)
		for i, a := range l.Accounts {
			mustExec(t, db, `INSERT INTO acc VALUES (?, ?, ?)`, i, a.Subtype, int64(a.Balance))
		}
		for _, e := range l.Entries {
			mustExec(t, db, `INSERT INTO tx VALUES (?, ?, ?, ?, ?, ?)`, e.Day.Date().String(),
				e.Account, int64(e.Amount), e.Leaf.String(), e.Own, e.NSF)
		}
		f := newFacts(l)
		for name, query := range queries {
			d := &universal[index(name)]
			var got sql.NullFloat64
			if err := db.QueryRow(query, sql.Named("f", fetch)).Scan(&got); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want := d.value(f)
			if !got.Valid {
				got.Float64 = float64(valueTypes[d.Type].noValues)
			}
			if int64(got.Float64) != want.n {
				t.Errorf("household %d on %s: %s = %d by SQL, %d here", seed, fetch, name, int64(got.Float64), want.n)
			}
		}
	}
}

func mustExec(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

// invented returns a household with random leaves, some with long gaps.
func invented(seed uint64) *bankdata.Ledger {
	r := rand.New(rand.NewPCG(seed, 7))
	fetch := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, r.IntN(1500))
	leaves := bankdata.Leaves()
	var accounts []bankdata.Account
	for i := range 1 + r.IntN(3) {
		a := bankdata.Account{ID: fmt.Sprint(i), Type: report.CashEquivalent, Subtype: []string{report.Checking, report.Savings,
			report.Other}[r.IntN(3)], Balance: report.Cents(r.IntN(200_000) - 50_000)}
		span := []int{40, 95, 400, 731}[r.IntN(4)]
		for n := range r.IntN(150) {
			text := leaves[r.IntN(len(leaves))].String()
			if r.IntN(12) == 0 {
				text += " own"
			}
			if r.IntN(15) == 0 {
				text += " nsf"
			}
			a.Transactions = append(a.Transactions, bankdata.Transaction{
				ID: fmt.Sprint(i, "-", n), Posted: report.DateOf(fetch.AddDate(0, 0, -r.IntN(span))),
				Amount: report.Cents(r.IntN(200_001) - 100_000), Description: text,
			})
		}
		accounts = append(accounts, a)
	}
	d := bankdata.Data{Connections: []bankdata.Connection{{ID: "1", SourceID: "BANK", Status: contract.StatusSuccess, Accounts: accounts}}}
	return labeled(d, report.DateOf(fetch), nil)
}
