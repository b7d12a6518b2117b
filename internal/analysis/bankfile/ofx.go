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
	unreadable  int // transactions without an amount or a day
	pending     int
	corrected   int
	decimal     byte
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
	within       []string          // open aggregates that are known
	institution  string
	transactions int
	listed       bool // a list of transactions is open
	decimal      byte // mark of the amounts
}

// readOFX parses OFX 1.x, whose elements may lack end tags, and OFX 2.x, which is XML. It
// reads the tags in order; of the structure, it needs only the aggregate of a value. OFX has
// only character entities.
func readOFX(f *File, text string) error {
	start := strings.Index(strings.ToUpper(text), "<OFX>")
	if start < 0 {
		return errors.New("the OFX file has no element <OFX>")
	}
	r := ofxReader{file: f, decimal: '.'}
	text = cdata.ReplaceAllStringFunc(comment.ReplaceAllString(text[start:], ""), func(s string) string {
		return html.EscapeString(cdata.FindStringSubmatch(s)[1])
	})
	if strings.Contains(text[max(0, len(text)-200):], "<") && ofxTagCut.MatchString(text) {
		return errors.New("the OFX file ends within a tag")
	}
	for _, m := range ofxAmount.FindAllStringSubmatch(text, -1) {
		if n, ok := parseNumeral(strings.TrimSpace(m[1])); ok {
			if mark, _ := n.decimalMark(); mark == ',' {
				r.decimal = ','
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
		if value := clean(unescape(text[at[1]:next])); value != "" {
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
	ofxAmount = regexp.MustCompile(`(?i)<TRNAMT>([^<\n]{1,40})`)
	comment   = regexp.MustCompile(`(?s)<!--.*?-->`)
	cdata     = regexp.MustCompile(`(?s)<!\[CDATA\[(.*?)\]\]>`)
)

// aggregate handles the tag of an aggregate, and reports whether it is a known one.
func (r *ofxReader) aggregate(name string, closing bool) (known bool, err error) {
	switch name {
	case "STMTRS", "CCSTMTRS", "INVSTMTRS", "LOANSTMTRS":
		err = r.closeStatement()
		r.within = r.within[:0]
		if !closing {
			r.statement = &statement{kind: name, decimal: r.decimal}
		}
	case "STMTTRNP":
		if r.statement != nil && !closing {
			r.statement.pending++
		}
	case "STMTTRN", "BANKTRANLIST": // some banks do not close the last transaction of a list
		err = r.closeTransaction()
		if name == "BANKTRANLIST" {
			r.listed = !closing
		}
		if !closing && name == "STMTTRN" {
			r.fields = map[string]string{}
		}
	case "BANKACCTFROM", "CCACCTFROM", "LEDGERBAL", "AVAILBAL", "FI", "BANKACCTTO", "CCACCTTO", "BALLIST", "CURRENCY",
		"ORIGCURRENCY", "IMAGEDATA":
		if !closing {
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
	switch {
	case r.inside("FI") && name == "ORG":
		r.institution = value
	case s == nil:
	case r.fields != nil:
		if _, twice := r.fields[name]; !twice && len(r.fields) < 64 && !r.inside("BANKACCTTO", "CCACCTTO", "IMAGEDATA", "ORIGCURRENCY") {
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
			if f, ok := parseFigure(value, s.decimal); ok {
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

func (r *ofxReader) closeTransaction() error {
	if r.statement == nil || r.fields == nil {
		return nil
	}
	if r.transactions++; r.transactions > MaxTransactions {
		return fmt.Errorf("more than %d transactions", MaxTransactions)
	}
	err := r.statement.transaction(r.fields)
	r.fields = nil
	return err
}

func (r *ofxReader) closeStatement() error {
	err := r.closeTransaction()
	if r.statement != nil && err == nil {
		err = r.file.statement(r.statement)
		r.statement = nil
	}
	if len(r.file.Accounts) > maxAccounts {
		return fmt.Errorf("more than %d accounts", maxAccounts)
	}
	return err
}

// statement adds a statement's account, or records why it is left out.
func (f *File) statement(s *statement) error {
	a := s.account
	a.Type, a.Number, a.layout = report.CashEquivalent, s.number, "OFX"
	if len(s.bank) == 9 {
		a.Routing = s.bank
	}
	what := "account"
	switch {
	case s.kind == "INVSTMTRS":
		what = "securities account"
	case s.kind == "CCSTMTRS", strings.HasPrefix(s.accountType, "CREDITCARD"):
		what = "credit card"
	case s.kind == "LOANSTMTRS", s.accountType == "LOAN":
		what = "loan"
	case s.accountType == "CREDITLINE":
		what = "line of credit"
	case s.accountType == "SAVINGS", s.accountType == "MONEYMRKT", s.accountType == "CD":
		a.Subtype = report.Savings
	default:
		a.Subtype, a.guessed = report.Checking, s.accountType == ""
	}
	if a.Subtype == "" {
		f.leaveOut(what + endingIn(a.Number) + " left out: " + onlyAccounts)
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
	a.Currency = cmp.Or(a.Currency, "USD")
	if err := f.signMoves(s, a.Name); err != nil {
		return err
	}
	if s.unreadable > 0 && len(s.moves) == 0 {
		return fmt.Errorf("no transaction of %s has an amount and a day that can be read", a.Name)
	}
	foreign, repeated, seen := 0, 0, map[string]bool{}
	texts, unique := map[string]string{}, true // by FITID, which some banks give twice
	for _, m := range s.moves {
		unique = unique && (texts[m.id] == "" || texts[m.id] == m.Description)
		texts[m.id] = m.Description
	}
	for _, m := range s.moves {
		same := fmt.Sprintf("%s %s %d %s", m.id, m.Posted, m.Amount, m.Description)
		switch {
		case m.currency != "" && m.currency != a.Currency:
			foreign++
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
	for _, l := range []struct {
		n         int
		noun, why string
	}{{foreign, "transaction", " in another currency than " + a.Currency}, {s.unreadable, "transaction", " without an amount or a day"},
		{s.pending, "pending transaction", ""}, {s.corrected, "transaction", " that a later one corrects"}} {
		if l.n > 0 {
			f.leaveOut(count(l.n, l.noun) + " of " + a.Name + l.why + " left out")
		}
	}
	if repeated > 0 {
		f.note(fmt.Sprintf("%s of %s with the same FITID, day, amount and name counted once", count(repeated, "repetition"), a.Name))
	}
	f.addAccount(a)
	return nil
}

// addAccount adds an account, or its transactions to those of an account with its number.
func (f *File) addAccount(a Account) {
	for i := range f.Accounts {
		b := &f.Accounts[i]
		if a.Number != "" && b.Number == a.Number && b.Routing == a.Routing && b.Subtype == a.Subtype && b.Currency == a.Currency {
			if a.opening != nil && !b.NoBalance && b.Balance == *a.opening { // the next statement
				b.Transactions, b.keys = append(b.Transactions, a.Transactions...), append(b.keys, a.keys...)
				a.Transactions, a.keys = nil, nil
			}
			b.merge(&a)
			return
		}
	}
	f.Accounts = append(f.Accounts, a)
}

// signMoves signs the amounts of a statement without any negative one by their types, if a
// type of money out has a positive amount.
func (f *File) signMoves(s *statement, name string) error {
	out, negative, negativeOut := 0, 0, 0
	for _, m := range s.moves {
		outward := strings.HasPrefix(words["ofx"][strings.ToLower(m.kind)], "-")
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
		switch sign := words["ofx"][strings.ToLower(m.kind)]; {
		case m.Amount == 0, strings.HasPrefix(sign, "+"):
		case strings.HasPrefix(sign, "-"):
			m.Amount = -m.Amount
		default:
			return fmt.Errorf("transaction %d of %s: all amounts are positive, and its type does not say whether it is money in or out", i+1, name)
		}
	}
	f.note("amounts of " + name + " have no signs: read by their types (TRNTYPE)")
	return nil
}

// transaction adds a transaction.
func (s *statement) transaction(fields map[string]string) error {
	f, ok := parseFigure(fields["TRNAMT"], s.decimal)
	if !ok && fields["TRNAMT"] != "" {
		return fmt.Errorf("transaction %d of the account%s has an amount that cannot be read", len(s.moves)+1, endingIn(s.number))
	}
	day, dated := ofxDay(fields["DTPOSTED"])
	for _, other := range []string{"DTUSER", "DTAVAIL"} {
		if !dated {
			day, dated = ofxDay(fields[other])
		}
	}
	if !ok || !dated {
		s.unreadable++
		return nil
	}
	kind := strings.ToUpper(fields["TRNTYPE"])
	if kind == "HOLD" {
		s.pending++
		return nil
	}
	if id := fields["CORRECTFITID"]; id != "" { // of an earlier transaction that is wrong
		s.corrected++
		s.moves = slices.DeleteFunc(s.moves, func(m ofxMove) bool { return m.id == id })
		if strings.ToUpper(fields["CORRECTACTION"]) == "DELETE" {
			return nil
		}
	}
	out := strings.HasPrefix(words["ofx"][strings.ToLower(kind)], "-")
	t := bankdata.Transaction{Posted: day, Amount: f.cents, Debit: kind == "DEBIT" || f.cents == 0 && (out || f.minus),
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
