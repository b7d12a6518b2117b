package bankfile

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// column is the meaning of a CSV file's column.
type column int

const (
	posted column = iota
	transacted
	description
	memo
	amount
	moneyOut
	moneyIn
	side // whether the amount is money in or out, in words
	runningBalance
	accountNumber
	accountType
	status
	currency
	reference
	card
	columns
)

// headers maps column names, in lower case, to their meanings. The values of a column
// decide between several meanings; see sideOf.
var headers = map[string]column{
	"posted date": posted, "posting date": posted, "post date": posted, "date posted": posted, "booking date": posted, "posted": posted,
	"clearing date": posted, "settlement date": posted,
	"date": transacted, "transaction date": transacted, "trans date": transacted, "trans. date": transacted, "effective date": transacted,
	"process date": transacted, "value date": transacted, "date & time": transacted, "datetime": transacted,
	"description": description, "transaction description": description, "payee": description, "name": description, "merchant": description,
	"original description": description, "narrative": description, "merchant name": description, "transaction details": description,
	"statement description": description, "bank description": description,
	"memo": memo, "notes": memo, "note": memo, "extended description": memo, "additional information": memo, "additional info": memo,
	"amount": amount, "transaction amount": amount, "amt": amount, "amount usd": amount, "net amount": amount, "amount ($)": amount,
	"amount (usd)": amount,
	"debit":        moneyOut, "debits": moneyOut, "withdrawal": moneyOut, "withdrawals": moneyOut, "debit amount": moneyOut,
	"amount debit":      moneyOut,
	"withdrawal amount": moneyOut, "money out": moneyOut, "paid out": moneyOut, "withdrawal (-)": moneyOut, "withdrawals (-)": moneyOut,
	"debit (-)": moneyOut, "spent": moneyOut,
	"credit": moneyIn, "credits": moneyIn, "deposit": moneyIn, "deposits": moneyIn, "credit amount": moneyIn, "amount credit": moneyIn,
	"deposit amount": moneyIn, "money in": moneyIn, "paid in": moneyIn, "deposit (+)": moneyIn, "deposits (+)": moneyIn, "credit (+)": moneyIn,
	"received": moneyIn,
	"type":     side, "transaction type": side, "credit debit indicator": side, "cr/dr": side, "dr/cr": side, "debit/credit": side,
	"credit/debit": side, "details": side, "transaction": side, "indicator": side, "debit or credit": side,
	"balance": runningBalance, "running balance": runningBalance, "running bal.": runningBalance, "account balance": runningBalance,
	"running bal": runningBalance, "ending balance": runningBalance, "posted balance": runningBalance, "balance ($)": runningBalance,
	"account number": accountNumber, "account": accountNumber, "account #": accountNumber, "account no": accountNumber,
	"account id":   accountNumber,
	"account type": accountType, "account name": accountType,
	"status": status, "transaction status": status,
	"currency": currency, "ccy": currency, "currency code": currency,
	"transaction id": reference, "reference number": reference, "reference": reference, "fitid": reference, "reference no.": reference,
	"transaction number": reference, "confirmation number": reference,
	"card no.": card, "card number": card, "card member": card, "card": card, "cardholder name": card,
}

// table is a CSV file with known columns.
type table struct {
	rows [][]string
	line []int
	at   [columns]int // index of each column, or -1
	days []report.Date
	ok   []bool // the row has a day and an amount
	sums []report.Cents
}

func (t *table) value(row int, c column) string {
	if i := t.at[c]; i >= 0 && i < len(t.rows[row]) {
		return clean(t.rows[row][i])
	}
	return ""
}

// readCSV parses a table of transactions, which other lines may precede. Without a header,
// the first two columns must be days and amounts, as in the exports of one large bank.
func readCSV(f *File, text string) error {
	t, err := parseTable(text)
	if err != nil {
		return err
	}
	if t.isCard() {
		f.leaveOut("credit card left out: " + onlyAccounts)
		return nil
	}
	if err := t.readDays(); err != nil {
		return err
	}
	if err := t.readAmounts(); err != nil {
		return err
	}
	unread := 0
	groups := map[string][]int{}
	var order []string
	for i := range t.rows {
		if !t.ok[i] {
			unread++
			continue
		}
		key := t.value(i, accountNumber)
		if groups[key] == nil {
			order = append(order, key)
			if len(order) > maxAccounts {
				return fmt.Errorf("more than %d accounts", maxAccounts)
			}
		}
		groups[key] = append(groups[key], i)
	}
	if len(order) == 0 {
		return errors.New("the file has no transaction")
	}
	if unread*10 > len(t.rows) && unread > 3 {
		return fmt.Errorf("%d of %d lines have no day or no amount that can be read, the first in line %d", unread, len(t.rows),
			t.line[slices.Index(t.ok, false)])
	}
	if unread > 0 {
		f.leaveOut(fmt.Sprintf("%s without a day and an amount left out, from line %d on",
			count(unread, "line"), t.line[slices.Index(t.ok, false)]))
	}
	for _, key := range order {
		if err := t.account(f, key, groups[key]); err != nil {
			return err
		}
	}
	return nil
}

// parseTable finds the separator and the line with the columns' names.
func parseTable(text string) (*table, error) {
	var firstLines string
	for range 30 {
		line, rest, more := strings.Cut(text[len(firstLines):], "\n")
		_ = rest
		firstLines += line
		if !more {
			break
		}
		firstLines += "\n"
	}
	best, separator := 0, ','
	for _, s := range []rune{',', ';', '\t', '|'} {
		if n := strings.Count(firstLines, string(s)); n > best && (s != ',' || n > 2*strings.Count(firstLines, ";")) {
			best, separator = n, s
		}
	}
	if best == 0 {
		return nil, errNothing
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.TrimLeadingSpace = separator, true, -1, separator != '\t'
	t := &table{}
	named := false
	for read := 0; ; read++ {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, errNothing
		}
		if len(t.rows) > MaxTransactions {
			return nil, fmt.Errorf("more than %d lines", MaxTransactions)
		}
		if !named && len(t.rows) < 30 && t.nameColumns(row) {
			t.rows, t.line, named = nil, nil, true // what was before is not about transactions
			continue
		}
		if strings.TrimSpace(strings.Join(row, "")) == "" {
			continue
		}
		line, _ := r.FieldPos(0)
		t.rows, t.line = append(t.rows, row), append(t.line, line)
	}
	if !named && !t.withoutNames() {
		return nil, errors.New("no line names the columns: a day (Date), a Description, and an Amount or Debit and Credit are needed")
	}
	return t, nil
}

// nameColumns sets t.at by a header row. It reports whether the row has all required
// columns.
func (t *table) nameColumns(row []string) bool {
	for c := range t.at {
		t.at[c] = -1
	}
	for i, name := range row {
		name = strings.ToLower(strings.Trim(clean(name), "*\" "))
		if c, ok := headers[strings.ReplaceAll(name, "_", " ")]; ok && t.at[c] < 0 {
			t.at[c] = i
		}
	}
	day := t.at[posted] >= 0 || t.at[transacted] >= 0
	sum := t.at[amount] >= 0 || t.at[moneyOut] >= 0 && t.at[moneyIn] >= 0
	return day && sum
}

// withoutNames sets t.at for a file without header: day, amount, and the last column as
// description. It reports whether the file fits.
func (t *table) withoutNames() bool {
	for c := range t.at {
		t.at[c] = -1
	}
	if len(t.rows) == 0 || len(t.rows[0]) < 3 {
		return false
	}
	first := t.rows[0]
	if _, ok := parseAmount(first[1]); !ok || len(layoutsOf(clean(first[0]))) == 0 {
		return false
	}
	t.at[posted], t.at[amount], t.at[description] = 0, 1, len(first)-1
	return true
}

// isCard reports whether the file is the export of a credit card.
func (t *table) isCard() bool {
	if t.at[card] >= 0 && t.at[runningBalance] < 0 {
		return true
	}
	sales := 0
	for i := range t.rows {
		if strings.EqualFold(t.value(i, side), "sale") || strings.Contains(strings.ToLower(t.value(i, accountType)), "credit card") {
			sales++
		}
	}
	return sales*2 > len(t.rows)
}

// readDays parses the days. Of the layouts that fit all days, it prefers one in which the
// lines are in chronological order, then the one with the month first.
func (t *table) readDays() error {
	c := posted
	if t.at[posted] < 0 {
		c = transacted
	}
	counts := make([]int, len(layouts))
	for i := range t.rows {
		for _, l := range layoutsOf(t.value(i, c)) {
			counts[l]++
		}
	}
	most := slices.Max(counts)
	if most == 0 {
		return errors.New("no day that can be read, as 2026-10-31 or 10/31/2026")
	}
	best, bestTurns := -1, 0
	for l, n := range counts {
		if n < most {
			continue
		}
		turns, last, direction := 0, report.Date{}, 0
		for i := range t.rows {
			if d, ok := layouts[l](t.value(i, c)); ok {
				if step := d.Compare(last.Time); !last.IsZero() && step != 0 {
					if direction != 0 && step != direction {
						turns++
					}
					direction = step
				}
				last = d
			}
		}
		if best < 0 || turns < bestTurns {
			best, bestTurns = l, turns
		}
	}
	t.days, t.ok = make([]report.Date, len(t.rows)), make([]bool, len(t.rows))
	for i := range t.rows {
		t.days[i], t.ok[i] = layouts[best](t.value(i, c))
	}
	return nil
}

// sides maps the values of the side column to signs.
var sides = map[string]int{"debit": -1, "dr": -1, "d": -1, "withdrawal": -1, "check": -1, "payment": -1, "purchase": -1,
	"fee": -1, "out": -1,
	"credit": 1, "cr": 1, "c": 1, "deposit": 1, "dslip": 1, "refund": 1, "in": 1, "interest": 1}

// sideOf returns -1 for money out, 1 for money in, and 0 for other words.
func sideOf(word string) int { return sides[strings.ToLower(word)] }

// readAmounts parses the amounts. Without signs in the column, the signs are from the words
// of another column or from the running balance.
func (t *table) readAmounts() error {
	t.sums = make([]report.Cents, len(t.rows))
	if t.at[amount] < 0 || t.at[moneyOut] >= 0 && t.at[moneyIn] >= 0 {
		for i := range t.rows {
			out, paid := parseAmount(t.value(i, moneyOut))
			in, got := parseAmount(t.value(i, moneyIn))
			t.ok[i] = t.ok[i] && (paid || got)
			t.sums[i] = in - max(out, -out)
		}
		return nil
	}
	signed, said, all := false, 0, 0
	for i := range t.rows {
		c, ok := parseAmount(t.value(i, amount))
		t.sums[i], t.ok[i] = c, t.ok[i] && ok
		if t.ok[i] {
			all++
			signed = signed || c < 0
			if sideOf(t.value(i, side)) != 0 {
				said++
			}
		}
	}
	agree, against := t.byBalance()
	switch {
	case signed && against > agree*9:
		for i := range t.sums {
			t.sums[i] = -t.sums[i]
		}
	case signed:
	case said*10 >= all*9:
		for i := range t.sums {
			if sideOf(t.value(i, side)) < 0 {
				t.sums[i] = -t.sums[i]
			}
		}
	case agree > against*9:
	case t.at[runningBalance] >= 0 && t.signByBalance():
	default:
		return errors.New("all amounts are positive, and no column says which are money out")
	}
	return nil
}

// newestFirst reports whether the lines run backward in time.
func (t *table) newestFirst(rows []int) bool {
	first, last := t.days[rows[0]], t.days[rows[len(rows)-1]]
	if !first.Equal(last.Time) {
		return first.After(last.Time)
	}
	up, down := 0, 0 // within one day the balance tells
	for n := 1; n < len(rows); n++ {
		before, ok1 := parseAmount(t.value(rows[n-1], runningBalance))
		after, ok2 := parseAmount(t.value(rows[n], runningBalance))
		if ok1 && ok2 && after-before == t.sums[rows[n]] {
			up++
		}
		if ok1 && ok2 && before-after == t.sums[rows[n-1]] {
			down++
		}
	}
	return down > up
}

// byBalance counts the lines whose amount is the change of the running balance, and those
// with the opposite sign.
func (t *table) byBalance() (agree, against int) {
	t.eachStep(func(row int, difference report.Cents) {
		switch {
		case t.sums[row] == 0:
		case difference == t.sums[row]:
			agree++
		case difference == -t.sums[row]:
			against++
		}
	})
	return agree, against
}

// signByBalance sets the signs of amounts by the balance's change. It reports whether this
// determines every line except the oldest.
func (t *table) signByBalance() bool {
	signed, all := 0, 0
	t.eachStep(func(row int, difference report.Cents) {
		all++
		if difference == t.sums[row] || difference == -t.sums[row] {
			t.sums[row] = difference
			signed++
		}
	})
	return all > 0 && signed == all && all >= t.usable()-1
}

// usable counts the lines with a day and an amount.
func (t *table) usable() (n int) {
	for _, ok := range t.ok {
		if ok {
			n++
		}
	}
	return n
}

// eachStep calls f for each line with its change of the running balance.
func (t *table) eachStep(f func(row int, difference report.Cents)) {
	if t.at[runningBalance] < 0 {
		return
	}
	var rows []int
	for i := range t.rows {
		if t.ok[i] {
			rows = append(rows, i)
		}
	}
	if len(rows) < 2 {
		return
	}
	if t.newestFirst(rows) {
		slices.Reverse(rows)
	}
	for n := 1; n < len(rows); n++ {
		before, ok1 := parseAmount(t.value(rows[n-1], runningBalance))
		after, ok2 := parseAmount(t.value(rows[n], runningBalance))
		if ok1 && ok2 {
			f(rows[n], after-before)
		}
	}
}

// account adds an account with the given lines.
func (t *table) account(f *File, number string, rows []int) error {
	if t.newestFirst(rows) {
		slices.Reverse(rows)
	}
	a := Account{NoBalance: true}
	a.Type, a.Subtype = report.CashEquivalent, report.Checking
	a.Number = strings.TrimLeft(number, "*xX.…- ")
	name := strings.ToLower(f.Name + " " + t.value(rows[0], accountType))
	if strings.Contains(name, "saving") || strings.Contains(name, "money market") {
		a.Subtype = report.Savings
	}
	base, _, _ := strings.Cut(f.Name, ".")
	a.Institution = cmp.Or(clean(base), "Bank")
	a.Name = strings.ToLower(a.Subtype) + endingIn(a.Number)
	a.Currency = strings.ToUpper(cmp.Or(t.value(rows[0], currency), "USD"))
	if len(a.Currency) != 3 {
		a.Currency = "USD"
	}
	foreign := 0
	for _, i := range rows {
		if c := strings.ToUpper(t.value(i, currency)); len(c) == 3 && c != a.Currency {
			foreign++
			continue
		}
		x := bankdata.Transaction{Posted: t.days[i], Amount: t.sums[i], Description: t.value(i, description), Memo: t.value(i, memo)}
		x.Pending = strings.EqualFold(t.value(i, status), "pending")
		x.Debit = x.Amount == 0 && sideOf(t.value(i, side)) < 0
		if x.Description == "" {
			x.Description, x.Memo = cmp.Or(x.Memo, t.value(i, side), "Transaction"), ""
		}
		balance, known := parseAmount(t.value(i, runningBalance))
		switch {
		case x.Pending:
		case known:
			a.Balance, a.BalanceDate, a.NoBalance = balance, &t.days[i], false
		case !a.NoBalance && t.days[i].Equal(a.BalanceDate.Time):
			a.Balance += x.Amount // the balance is that of the day's end
		}
		key := fmt.Sprintf("%s %d %s %d", x.Posted, x.Amount, cmp.Or(t.value(i, reference), x.Description), balance)
		if err := a.add(x, key); err != nil {
			return err
		}
	}
	if foreign > 0 {
		f.leaveOut(fmt.Sprintf("%s of %s in another currency than %s left out", count(foreign, "transaction"), a.Name, a.Currency))
	}
	f.Accounts = append(f.Accounts, a)
	return nil
}
