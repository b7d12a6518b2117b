package bankfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const securities = "securities account"

// leftKinds are the kinds of accounts that no cashflow report is made of.
var leftKinds = map[string]bool{"credit card": true, securities: true, "crypto account": true, "loan": true}

// kindOf returns the kind of an account by its name, or empty. The beginning of a word is
// enough for savings, and a cash account is not left out.
func kindOf(name string) (kind string) {
	name = " " + plain(name) + " "
	for word, v := range words["kind"] {
		switch {
		case v == "savings" && strings.Contains(name, " "+word):
			return v
		case kind != "cash account" && strings.Contains(name, " "+word+" "):
			kind = v
		}
	}
	return kind
}

// oneAccount is the kind of a signature of exports whose columns of accounts are the other side's.
const oneAccount = "one account"

// signed reports whether the table has all columns of a signature and, if rows are given, values
// other than zero in each of them.
func (t *table) signed(s signature, rows []*row) bool {
	for i := len(t.keys); i < len(t.names); i++ {
		t.keys = append(t.keys, headerKey(t.names[i]))
	}
	return !slices.ContainsFunc(s.columns, func(c string) bool {
		for i, name := range t.keys {
			if (name == c || len(c) > 4 && strings.HasPrefix(name, c)) && (rows == nil ||
				slices.ContainsFunc(rows, func(r *row) bool { return strings.Trim(r.cell(i), "0.,-") != "" })) {
				return false
			}
		}
		return true
	})
}

// everyday returns how many rows are trades of securities, and how many others are payments as of a cash account.
func (t *table) everyday(rows []*row) (payments, trades int) {
	for _, r := range rows {
		if slices.ContainsFunc(signatures, func(s signature) bool { return s.kind == securities && t.signed(s, []*row{r}) }) {
			trades++
		} else if find("everyday", strings.Join(r.fields, " ")) != "" {
			payments++
		}
	}
	return payments, trades
}

// kind returns the kind of the file's account by its columns, the lines above them, and the
// types of transactions; or empty, if they name no kind that is left out. Everyday payments make an
// account with columns of securities a cash account if there are no trades, and unclear if they are most of the rows.
func (t *table) kind(rows []*row) (string, error) {
	balance := len(t.at[runningBalance]) > 0
	for _, s := range signatures {
		switch {
		case s.kind == oneAccount, s.kind == "credit card" && balance && !slices.Contains(s.columns, "balance"),
			!t.signed(s, nil), s.kind == "loan" && !t.signed(s, t.rows):
			continue
		case s.kind == securities:
			if payments, trades := t.everyday(rows); payments > 0 && trades == 0 {
				t.file.note("a cash account by its payments: its columns of securities have no trade")
				return "cash account", nil
			} else if payments*2 > len(rows) {
				return "", fmt.Errorf("it has everyday payments and trades of securities: %w", ErrUnknownKind)
			}
		}
		return s.kind, nil
	}
	if !balance && slices.ContainsFunc(rows, func(r *row) bool { return t.text(r, card) != "" }) && !slices.ContainsFunc(rows, t.income) {
		return "credit card", nil
	}
	var above, titled string
	for _, line := range t.above {
		text := strings.TrimSpace(strings.Join(line, " "))
		above += " " + text
		if slices.Contains(line, text) && leftKinds[kindOf(text)] { // a line of one value
			titled = kindOf(text)
		}
	}
	if v := cmp.Or(find("preamble", above), titled); v != "" && (kindOf(above) == "" || leftKinds[kindOf(above)]) {
		return v, nil
	}
	for _, i := range t.at[side] {
		types := map[string]int{}
		for _, r := range rows {
			types[words["cardtype"][plain(r.cell(i))]]++
		}
		if !balance && types["spend"] > 0 && types["spend"]+types["other"] == len(rows) {
			return "credit card", nil
		}
	}
	return "", nil
}

// income reports whether a row's texts name income.
func (t *table) income(r *row) bool {
	text, more := t.describe(r)
	return find("income", text+" "+more) != ""
}

// kindByPayments returns a credit card if all money of one direction is payments to a card,
// refunds aside, and none of the other is income. sure is false if the words may also be
// those of income.
func (t *table) kindByPayments(rows []*row) (kind string, sure bool) {
	strong, weak, refunds, all, spent, thanks := map[bool]int{}, map[bool]int{}, map[bool]int{}, map[bool]int{}, map[bool]int{}, 0
	owed, balanced := false, false
	for _, r := range rows {
		owed, balanced = owed || r.balanced && r.balance < 0, balanced || r.balanced
		if r.sum == 0 {
			continue
		}
		in := r.sum > 0
		all[in]++
		text, more := t.describe(r)
		if text = plain(text + " " + more); find("income", text) != "" {
			return "", false
		}
		if find("spent", text) != "" {
			spent[in]++
		}
		switch word := find("payment", text); word {
		case "card", "received":
			if word == "received" && in { // of anybody
				weak[in]++
				break
			}
			strong[in]++
		case "thanks": // of the card's issuer, or of a customer
			if thanks++; !in {
				strong[in]++
				break
			}
			weak[in]++
		case "either":
			weak[in]++
		case "refund":
			refunds[in]++
		}
	}
	if !balanced && refunds[false] > 0 && refunds[false] == all[false] && all[true] > 0 { // refunds of what is spent
		return "credit card", false
	}
	if paid := strong[false] + weak[false]; balanced && (t.owed || spent[true] > 0) && spent[false]+refunds[true] == 0 &&
		paid > 0 && paid+refunds[false] == all[false] { // the balance is owed
		return "credit card", true
	}
	for _, in := range []bool{true, false} {
		paid := strong[in] + weak[in]
		switch {
		case paid == 0 || paid+refunds[in] < all[in] || all[!in] == 0 || strong[!in] > 0:
		case in && balanced && !owed, !in && (strong[in] == 0 && spent[!in]*2 <= all[!in] || all[!in] < 2 && thanks == 0):
		default:
			return "credit card", strong[in] > 0 && all[!in] > 1 || in && strong[in] > 0
		}
	}
	return "", false
}
