package bankfile

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// readQIF parses accounts in Quicken's interchange format. It has signed amounts and no
// balance; the order of day and month is found as in a CSV file.
func readQIF(f *File, text, kind string) error {
	a := Account{NoBalance: true, layout: "QIF", guessed: true}
	var entries []map[byte]string
	name, list, what := "", false, ""
	entry := map[byte]string{}
	finish := func() error {
		if len(entries) > 0 {
			if err := f.qifAccount(a, entries, name, cmp.Or(kind, what)); err != nil {
				return err
			}
		}
		entries = nil
		return nil
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n ")
		switch {
		case line == "":
		case line[0] == '!':
			head := plain(line[1:])
			if list = head == "account"; !list && !strings.HasPrefix(head, "type ") {
				continue
			}
			if err := finish(); err != nil {
				return err
			}
			what = map[string]string{"type ccard": "credit card", "type invst": "securities account", "type oth l": "loan"}[head]
			if !list && what == "" && head != "type bank" && head != "type cash" && head != "type oth a" {
				what = "list of " + strings.TrimPrefix(head, "type ")
			}
		case line[0] == '^':
			if list {
				name = entry['N']
			} else if len(entry) > 0 {
				entry['#'] = fmt.Sprint(n)
				entries = append(entries, entry)
			}
			entry = map[byte]string{}
		default:
			if _, known := entry[line[0]]; !known {
				entry[line[0]] = clean(line[1:])
			}
		}
		if len(entries) > MaxTransactions {
			return fmt.Errorf("more than %d transactions", MaxTransactions)
		}
	}
	if len(entry) > 0 {
		return errors.New("the QIF file ends within an entry")
	}
	return finish()
}

// qifAccount adds the account of a list of entries, whose keys are QIF's letters.
func (f *File) qifAccount(a Account, entries []map[byte]string, name, kind string) error {
	if leftKinds[kind] || strings.HasPrefix(kind, "list of ") {
		f.leaveOut(kind + " left out with " + count(len(entries), "transaction") + ": " + onlyAccounts)
		return nil
	}
	t := &table{file: f, separator: ','}
	t.at[transacted], t.at[amount] = []int{0}, []int{1}
	for _, e := range entries {
		day := strings.ReplaceAll(strings.ReplaceAll(e['D'], "'", "/"), " ", "")
		t.rows = append(t.rows, &row{fields: []string{day, cmp.Or(e['T'], e['U'])}, line: number(e['#']), counts: true})
	}
	rows := t.rows
	if err := t.readDays(); err != nil {
		return err
	}
	if len(t.rows) < len(rows) {
		return fmt.Errorf("line %d: an entry has no day", t.notes[0].line)
	}
	if err := t.readFigures(); err != nil {
		return err
	}
	a.Type, a.Subtype, a.Currency, a.Institution = report.CashEquivalent, report.Checking, "USD", "Bank"
	if kind == "savings" || isSavings(name) {
		a.Subtype, a.guessed = report.Savings, false
	}
	a.Name = cmp.Or(name, strings.ToLower(a.Subtype))
	for i, r := range t.rows {
		if !r.has[amount] {
			return fmt.Errorf("line %d: an entry has no amount", r.line)
		}
		e := entries[i]
		x := bankdata.Transaction{Posted: r.day, Amount: r.value[amount], Description: cmp.Or(e['P'], e['M'], e['L'], "Transaction"), Memo: e['M']}
		if x.Memo == x.Description {
			x.Memo = ""
		}
		if labelOf("balance", x.Description) == "opening" {
			f.leaveOut("the opening balance " + x.Amount.String() + " of " + a.Name + " left out: it is no transaction")
			continue
		}
		if err := a.add(x, fmt.Sprintf("%s %d %s", x.Posted, x.Amount, x.Description)); err != nil {
			return err
		}
	}
	f.Accounts = append(f.Accounts, a)
	return nil
}
