package bankfile

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// statement is a statement during parsing.
type statement struct {
	kind        string // STMTRS, CCSTMTRS or INVSTMTRS
	bank        string // BANKID
	number      string // ACCTID
	accountType string // ACCTTYPE
	currency    string
	balance     *report.Cents
	balanceDay  *report.Date
	account     Account
	left        map[string]int // transactions left out, by their state
	moves       []ofxMove
}

// ofxMove is a transaction of a statement, before its sign is known.
type ofxMove struct {
	bankdata.Transaction
	kind, currency, id string
}

// ofxReader reads the tags of an OFX file in order.
type ofxReader struct {
	file         *File
	statement    *statement        // nil outside of one
	fields       map[string]string // of the present transaction; nil outside of one
	status       map[string]string // of the present STATUS
	within       []string          // open aggregates that are known
	institution  string
	transactions int
	listed       bool        // a list of transactions is open
	decimal      byte        // mark of the amounts; 0 if none shows it
	until        report.Date // when the file was made, or the end of what it covers
}

// readOFX parses OFX 1.x, whose elements may lack end tags, and OFX 2.x, which is XML. It
// reads the tags in order; of the structure, it needs only the aggregate of a value. OFX has
// only character entities.
func readOFX(f *File, text string) error {
	start := strings.Index(strings.ToUpper(text), "<OFX>")
	if start < 0 {
		return errors.New("the OFX file has no element <OFX>")
	}
	r := ofxReader{file: f}
	text = cdata.ReplaceAllStringFunc(comment.ReplaceAllString(text[start:], ""), func(s string) string {
		return html.EscapeString(cdata.FindStringSubmatch(s)[1])
	})
	if strings.Contains(text[max(0, len(text)-200):], "<") && ofxTagCut.MatchString(text) {
		return errors.New("the OFX file ends within a tag")
	}
	if commaInAmount.MatchString(text) && !commasGroup.MatchString(text) {
		return errors.New("an amount has a comma before three digits, and no other amount shows whether it is a decimal comma")
	}
	for _, m := range ofxAmount.FindAllStringSubmatch(text, -1) {
		if n, ok := parseNumeral(strings.TrimSpace(m[1])); ok {
			if mark, _ := n.decimalMark(); mark == ',' || r.decimal == 0 {
				r.decimal = mark
			}
		}
	}
	tags := ofxTag.FindAllStringSubmatchIndex(text, -1)
	for n, at := range tags {
		next := len(text)
		if n+1 < len(tags) {
			next = tags[n+1][0]
		}
		closing, name := at[2] < at[3], strings.ToUpper(text[at[4]:at[5]])
		if known, err := r.aggregate(name, closing); err != nil {
			return err
		} else if known || closing {
			continue
		}
		if value := clean(unescape(text[at[1]:min(next, at[1]+16*maxText)])); value != "" {
			r.value(name, value)
		}
	}
	if r.statement != nil && r.listed && !strings.Contains(strings.ToUpper(text), "</OFX>") {
		return errors.New("the OFX file ends within a list of transactions")
	}
	return r.closeStatement()
}

// ofxTag matches a tag. Another < is part of a value.
var (
	ofxTag    = regexp.MustCompile(`<(/?)([A-Za-z][A-Za-z0-9._-]*)\s*/?>`)
	ofxTagCut = regexp.MustCompile(`</?[A-Za-z][A-Za-z0-9._-]*\s*$`)
	// 1,234 may have a decimal comma; 1,234.56 and 1,234,567 show that commas group digits
	commaInAmount = regexp.MustCompile(`(?i)<(?:TRN|BAL)AMT>\s*[-+]?\s*[1-9]\d{0,2},\d{3}\s*(?:<|\n|$)`)
	commasGroup   = regexp.MustCompile(`(?i)<(?:TRN|BAL)AMT>[^<\n]*\d,\d{3}[.,]\d`)
	ofxAmount     = regexp.MustCompile(`(?i)<(?:TRN|BAL)AMT>([^<\n]{1,40})`)
	comment       = regexp.MustCompile(`(?s)<!--.*?-->`)
	cdata         = regexp.MustCompile(`(?s)<!\[CDATA\[(.*?)\]\]>`)
)

// aggregate handles the tag of an aggregate, and reports whether it is a known one.
func (r *ofxReader) aggregate(name string, closing bool) (known bool, err error) {
	switch name {
	case "STMTRS", "CCSTMTRS", "INVSTMTRS", "LOANSTMTRS":
		err = r.closeStatement()
		r.within = r.within[:0]
		if !closing {
			r.statement = &statement{kind: name, left: map[string]int{}}
		}
	case "STMTTRNP":
		if r.statement != nil && !closing {
			r.statement.left["pending"]++
		}
	case "STMTTRN", "BANKTRANLIST": // some banks do not close the last transaction of a list
		if closing && name == "STMTTRN" && r.statement != nil && r.fields == nil {
			return true, fmt.Errorf("transaction %d has no beginning", r.transactions+1)
		}
		err = r.closeTransaction()
		if name == "BANKTRANLIST" {
			r.listed = !closing
		}
		if !closing && name == "STMTTRN" {
			r.fields = map[string]string{}
		}
	case "BANKACCTFROM", "CCACCTFROM", "LEDGERBAL", "AVAILBAL", "FI", "BANKACCTTO", "CCACCTTO", "BALLIST", "CURRENCY",
		"ORIGCURRENCY", "IMAGEDATA", "STATUS":
		if name == "STATUS" && closing && strings.ToUpper(r.status["SEVERITY"]) == "ERROR" {
			r.file.leaveOut(strings.TrimSpace("a part that the bank did not give: error " + r.status["CODE"] + " " + r.status["MESSAGE"]))
		}
		if r.status = map[string]string{}; !closing {
			if len(r.within) < 16 {
				r.within = append(r.within, name)
			}
			break
		}
		for i := len(r.within) - 1; i >= 0; i-- {
			if r.within[i] == name {
				r.within = r.within[:i]
				break
			}
		}
	default:
		return false, nil
	}
	return true, err
}

// value handles an element with a value.
func (r *ofxReader) value(name, value string) {
	s := r.statement
	if day, ok := ofxDay(value); ok && (name == "DTSERVER" || !r.until.IsZero() && (name == "DTEND" || name == "DTASOF")) {
		r.until = laterDate(r.until, day)
	}
	switch {
	case r.inside("STATUS"):
		r.status[name] = value
	case r.inside("FI") && name == "ORG":
		r.institution = value
	case s == nil:
	case r.fields != nil:
		if _, twice := r.fields[name]; twice && name == "TRNAMT" {
			r.fields[name] += " and " + value // of two transactions
		} else if !twice && len(r.fields) < 64 && !r.inside("BANKACCTTO", "CCACCTTO", "IMAGEDATA", "ORIGCURRENCY") {
			r.fields[name] = value
		}
	case r.inside("BANKACCTFROM", "CCACCTFROM"):
		switch name {
		case "BANKID":
			s.bank = value
		case "ACCTID":
			s.number = value
		case "ACCTTYPE":
			s.accountType = strings.ToUpper(value)
		}
	case r.inside("LEDGERBAL"):
		switch name {
		case "BALAMT":
			if f, ok := parseFigure(value, r.decimal); ok && !f.rounded {
				s.balance = &f.cents
			}
		case "DTASOF":
			if d, ok := ofxDay(value); ok {
				s.balanceDay = &d
			}
		}
	case name == "CURDEF":
		s.currency = strings.ToUpper(value)
	}
	if s != nil && s.account.Institution == "" {
		s.account.Institution = r.institution
	}
}

// inside reports whether one of the aggregates is open.
func (r *ofxReader) inside(names ...string) bool {
	return slices.ContainsFunc(r.within, func(w string) bool { return slices.Contains(names, w) })
}

func (r *ofxReader) closeStatement() error {
	err := r.closeTransaction()
	if r.statement != nil && err == nil {
		err = r.file.statement(r.statement, r.until)
		r.statement = nil
	}
	if len(r.file.Accounts) > maxAccounts {
		return fmt.Errorf("more than %d accounts", maxAccounts)
	}
	return err
}

// statement adds a statement's account, or records why it is left out. Transactions more than
// four days after until, when the file was made, are scheduled.
func (f *File) statement(s *statement, until report.Date) error {
	a := s.account
	a.Type, a.Number, a.layout = report.CashEquivalent, s.number, "OFX"
	if len(s.bank) == 9 {
		a.Routing = s.bank
	}
	switch kind := cmp.Or(ofxKinds[s.kind], ofxKinds[s.accountType], kindOf(s.accountType)); kind {
	case "savings":
		a.Subtype = report.Savings
	case "", "cash account":
		a.Subtype, a.guessed = report.Checking, s.accountType != "CHECKING"
		if kind == "" && a.guessed && s.accountType != "" {
			f.note(fmt.Sprintf("the unknown type %q of an account is read as checking", s.accountType))
		}
	default:
		f.leaveOut(kind + endingIn(a.Number) + " left out: " + onlyAccounts)
		return nil
	}
	a.Institution = cmp.Or(a.Institution, "Bank")
	a.Name = strings.ToLower(a.Subtype) + endingIn(a.Number)
	a.NoBalance = s.balance == nil
	if s.balance != nil {
		a.Balance, a.BalanceDate = *s.balance, s.balanceDay
	}
	if a.Currency = s.currency; a.Currency == "" && len(s.moves) > 0 {
		a.Currency = s.moves[0].currency
	}
	if err := f.signMoves(s, a.Name); err != nil {
		return err
	}
	late := func(m ofxMove) bool { return m.Posted.After(until.AddDate(0, 0, 4)) }
	known := !until.IsZero() && slices.ContainsFunc(s.moves, func(m ofxMove) bool { return !late(m) })
	repeated, seen := 0, map[string]bool{}
	texts, unique := map[string]string{}, true // by FITID, which some banks give twice
	for _, m := range s.moves {
		unique = unique && (texts[m.id] == "" || texts[m.id] == m.Description)
		texts[m.id] = m.Description
	}
	for _, m := range s.moves {
		same := fmt.Sprintf("%s %s %d %s", m.id, m.Posted, m.Amount, m.Description)
		switch {
		case m.currency != "" && m.currency != a.Currency:
			s.left["foreign"]++
		case known && late(m):
			s.left["future"]++
		case m.id != "" && unique && seen[same]:
			repeated++
		default:
			seen[same] = true
			key := fmt.Sprintf("%s %d %s", m.Posted, m.Amount, cmp.Or(m.id, m.Description))
			if err := a.add(m.Transaction, key); err != nil {
				return err
			}
		}
	}
	f.leaveOutStates(a.Name, s.left)
	if repeated > 0 {
		f.note(fmt.Sprintf("%s of %s with the same FITID, day, amount and name counted once", count(repeated, "repetition"), a.Name))
	}
	a.cover(report.Date{})
	return f.addAccount(a)
}

// ofxKinds are kinds of accounts by the statement or ACCTTYPE.
var ofxKinds = map[string]string{"INVSTMTRS": "securities account", "CCSTMTRS": "credit card", "CREDITCARD": "credit card",
	"LOANSTMTRS": "loan", "CREDITLINE": "line of credit", "MONEYMRKT": "savings", "CD": "savings"}

// leaveOutStates names the transactions of an account that are left out, counted by their state.
func (f *File) leaveOutStates(name string, states map[string]int) {
	for _, l := range slices.Concat(moreLeftOut, leftOutAs) {
		if n := states[l.state]; n > 0 {
			noun, why, _ := strings.Cut(l.noun, "|")
			f.leaveOut(count(n, noun) + " of " + name + why + " left out")
		}
	}
}

// moreLeftOut lists more states of transactions that are left out. What follows | is about them.
var moreLeftOut = []struct{ state, noun string }{{"foreign", "transaction| in another currency than the account"},
	{"empty", "transaction| without an amount"}, {"balance", "line| that states a balance"},
	{"corrected", "transaction| that a later one corrects"}}

// addAccount adds an account, or its transactions to those of an account with its number.
func (f *File) addAccount(a Account) error {
	if a.Currency == "" {
		a.Currency = "USD"
		f.note("the currency is not stated, and read as USD")
	} else if len(a.Currency) != 3 || strings.Trim(a.Currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return fmt.Errorf("the currency of %s cannot be read", a.Name)
	}
	for i := range f.Accounts {
		b := &f.Accounts[i]
		if a.Number != "" && b.Number == a.Number && b.Routing == a.Routing && b.Subtype == a.Subtype && b.Currency == a.Currency {
			if a.opening != nil && !b.NoBalance && b.Balance == *a.opening && a.Balance != b.Balance { // the next statement
				b.Transactions, b.keys = append(b.Transactions, a.Transactions...), append(b.keys, a.keys...)
				b.Balance, b.BalanceDate, b.periods = a.Balance, a.BalanceDate, append(b.periods, a.periods...)
			} else {
				b.merge(&a)
			}
			return nil
		}
	}
	f.Accounts = append(f.Accounts, a)
	return nil
}

// signMoves signs the amounts of a statement without any negative one by their types, if a
// type of money out has a positive amount.
func (f *File) signMoves(s *statement, name string) error {
	out, negative, negativeOut := 0, 0, 0
	for _, m := range s.moves {
		outward := signOf(m.kind) == '-'
		switch {
		case m.Amount < 0 && outward:
			negativeOut++
			fallthrough
		case m.Amount < 0:
			negative++
		case m.Amount > 0 && outward:
			out++
		}
	}
	switch {
	case out == 0:
		if negative == 0 && slices.ContainsFunc(s.moves, func(m ofxMove) bool { return signOf(m.kind) == '?' }) {
			f.note("all amounts of " + name + " are positive, and read as money in")
		}
		return nil
	case negative > 0 && out > negativeOut:
		return fmt.Errorf("the signs of %s contradict the types of its transactions (TRNTYPE)", name)
	case negative > 0:
		f.note(fmt.Sprintf("%s of %s with a type of money out and a positive amount: read as money in, by the sign",
			count(out, "transaction"), name))
		return nil
	}
	for i := range s.moves {
		m := &s.moves[i]
		switch sign := signOf(m.kind); {
		case m.Amount == 0, sign == '+':
		case sign == '-':
			m.Amount = -m.Amount
		default:
			return fmt.Errorf("transaction %d of %s: all amounts are positive, and its type does not say whether it is money in or out", i+1, name)
		}
	}
	f.note("amounts of " + name + " have no signs: read by their types (TRNTYPE)")
	return nil
}

// signOf returns + or - for a type of OFX, or a word, of money in or out, and ? for others.
func signOf(kind string) byte {
	switch words["side"][plain(kind)] {
	case "in":
		return '+'
	case "out":
		return '-'
	}
	return cmp.Or(words["ofx"][strings.ToLower(kind)], "?")[0]
}

// closeTransaction adds the present transaction, if it is one of an account that is used.
func (r *ofxReader) closeTransaction() error {
	s, fields := r.statement, r.fields
	if r.fields = nil; s == nil || fields == nil || s.kind != "STMTRS" {
		return nil
	}
	if r.transactions++; r.transactions > MaxTransactions {
		return fmt.Errorf("more than %d transactions", MaxTransactions)
	}
	f, ok := parseFigure(fields["TRNAMT"], r.decimal)
	day, dated := ofxDay(fields["DTPOSTED"])
	for _, other := range []string{"DTUSER", "DTAVAIL"} {
		if !dated {
			day, dated = ofxDay(fields[other])
		}
	}
	kind := strings.ToUpper(fields["TRNTYPE"])
	state := cmp.Or(stateOfText(cmp.Or(fields["NAME"], fields["MEMO"])), words["prefix"][plain(fields["MEMO"])])
	switch {
	case fields["TRNAMT"] == "":
		state = "empty"
	case kind == "HOLD":
		state = "pending"
	case state != "":
	case !ok || !dated:
		return fmt.Errorf("transaction %d, of the account%s, has an amount or a day that cannot be read", r.transactions, endingIn(s.number))
	}
	if state != "" {
		s.left[state]++
		return nil
	}
	if f.rounded {
		r.file.note("parts of a cent are rounded")
	}
	if id := fields["CORRECTFITID"]; id != "" { // of an earlier transaction that is wrong
		s.left["corrected"]++
		s.moves = slices.DeleteFunc(s.moves, func(m ofxMove) bool { return m.id == id })
		if strings.ToUpper(fields["CORRECTACTION"]) == "DELETE" {
			return nil
		}
	}
	t := bankdata.Transaction{Posted: day, Amount: f.cents, Debit: kind == "DEBIT" || f.cents == 0 && (signOf(kind) == '-' || f.minus),
		Description: fields["NAME"], Memo: fields["MEMO"]}
	switch {
	case t.Description == "" && t.Memo == "":
		name := strings.Trim(words["ofx"][strings.ToLower(kind)], "+-?")
		t.Description = strings.TrimSpace(cmp.Or(name, "Transaction") + " " + fields["CHECKNUM"])
	case t.Description == "" || strings.HasPrefix(t.Memo, t.Description): // a name is cut after 32 characters
		t.Description, t.Memo = t.Memo, ""
	case t.Memo == t.Description:
		t.Memo = ""
	}
	s.moves = append(s.moves, ofxMove{t, kind, strings.ToUpper(fields["CURSYM"]), fields["FITID"]})
	return nil
}

// stateOfText returns the state that a description names, such as pending, or "balance" if it only states one.
func stateOfText(s string) string {
	label := plain(notBalance.ReplaceAllString(strings.ToLower(s), " "))
	if words["balance"][label] != "" && label != "new balance" { // which is also a shop's name
		return "balance"
	}
	if m := statusOfText.FindStringSubmatch(s); m != nil {
		return words["prefix"][plain(m[1]+m[2])]
	}
	return ""
}

// ofxDay parses the day of YYYYMMDD[HHMMSS[.XXX]][[gmt offset:tz]] in the bank's time zone,
// or of YYYY-MM-DD.
func ofxDay(s string) (report.Date, bool) {
	if day, ok := layouts[0].parse(s); ok && len(s) >= 10 && strings.ContainsAny(s[4:5], "-/.") {
		return day, true
	}
	if len(s) < 8 {
		return report.Date{}, false
	}
	return compact(8, 0, 4, 6)(s[:8])
}

var entity = regexp.MustCompile(`&#?\w+;`)

// unescape resolves entities, also those that were escaped twice.
func unescape(s string) string {
	for range min(2, strings.Count(s, "&")*2) {
		s = entity.ReplaceAllStringFunc(s, html.UnescapeString)
	}
	return s
}

// endingIn formats the last four letters or digits of an account's number.
func endingIn(number string) string {
	r := slices.DeleteFunc([]rune(number), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) })
	if len(r) > 4 {
		return " …" + string(r[len(r)-4:])
	}
	return ""
}
