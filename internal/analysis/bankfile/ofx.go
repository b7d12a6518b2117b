package bankfile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	foreign     int // transactions in another currency
	unreadable  int // transactions without an amount or a day
}

// ofxReader reads the tags of an OFX file in order.
type ofxReader struct {
	file         *File
	statement    *statement        // nil outside of one
	fields       map[string]string // of the present transaction; nil outside of one
	within       []string          // open aggregates that are known
	institution  string
	transactions int
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
	for text = text[start:]; text != ""; {
		open := strings.IndexByte(text, '<')
		if open < 0 {
			break
		}
		end := strings.IndexByte(text[open:], '>')
		if end < 0 {
			return errors.New("the OFX file ends within a tag")
		}
		tag := strings.ToUpper(strings.TrimSpace(text[open+1 : open+end]))
		text = text[open+end+1:]
		next := strings.IndexByte(text, '<')
		if next < 0 {
			next = len(text)
		}
		name, closing := strings.CutPrefix(tag, "/")
		if known, err := r.aggregate(name, closing); err != nil {
			return err
		} else if known || closing {
			continue
		}
		if value := clean(unescape(text[:next])); value != "" {
			r.value(name, value)
		}
	}
	return r.closeStatement()
}

// aggregate handles the tag of an aggregate, and reports whether it is a known one.
func (r *ofxReader) aggregate(name string, closing bool) (known bool, err error) {
	switch name {
	case "STMTRS", "CCSTMTRS", "INVSTMTRS":
		err = r.closeStatement()
		r.within = r.within[:0]
		if !closing {
			r.statement = &statement{kind: name}
		}
	case "STMTTRN", "BANKTRANLIST": // some banks do not close the last transaction of a list
		err = r.closeTransaction()
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
			if c, ok := parseAmount(value); ok {
				s.balance = &c
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
	if r.statement != nil {
		r.file.statement(r.statement)
		r.statement = nil
	}
	if len(r.file.Accounts) > maxAccounts {
		return fmt.Errorf("more than %d accounts", maxAccounts)
	}
	return err
}

// statement adds a statement's account, or records why it is left out.
func (f *File) statement(s *statement) {
	a := s.account
	a.Type, a.Currency, a.Number = report.CashEquivalent, cmp.Or(s.currency, "USD"), s.number
	if len(s.bank) == 9 {
		a.Routing = s.bank
	}
	what := "account"
	switch {
	case s.kind == "INVSTMTRS":
		what = "investment account"
	case s.kind == "CCSTMTRS":
		what = "credit card"
	case s.accountType == "CREDITLINE":
		what = "line of credit"
	case s.accountType == "SAVINGS", s.accountType == "MONEYMRKT", s.accountType == "CD":
		a.Subtype = report.Savings
	default:
		a.Subtype = report.Checking
	}
	if a.Subtype == "" {
		f.leaveOut(what + endingIn(a.Number) + " left out: " + onlyAccounts)
		return
	}
	a.Institution = cmp.Or(a.Institution, "Bank")
	a.Name = strings.ToLower(a.Subtype) + endingIn(a.Number)
	a.NoBalance = s.balance == nil
	if s.balance != nil {
		a.Balance, a.BalanceDate = *s.balance, s.balanceDay
	}
	if s.foreign > 0 {
		f.leaveOut(fmt.Sprintf("%s of %s in another currency than %s left out", count(s.foreign, "transaction"), a.Name, a.Currency))
	}
	if s.unreadable > 0 {
		f.leaveOut(fmt.Sprintf("%s of %s without an amount or a day left out", count(s.unreadable, "transaction"), a.Name))
	}
	f.Accounts = append(f.Accounts, a)
}

const onlyAccounts = "a cashflow report is made of checking and savings accounts"

// count formats a number with a noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

func (f *File) leaveOut(why string) {
	if len(f.LeftOut) < maxAccounts {
		f.LeftOut = append(f.LeftOut, why)
	}
}

// endingIn formats the last four characters of an account's number.
func endingIn(number string) string {
	if r := []rune(number); len(r) > 4 {
		return " …" + string(r[len(r)-4:])
	}
	return ""
}

// ofxTypes holds the descriptions of transactions without name and memo, by TRNTYPE.
var ofxTypes = map[string]string{"CREDIT": "Credit", "DEBIT": "Debit", "INT": "Interest", "DIV": "Dividend", "FEE": "Fee",
	"SRVCHG": "Service charge",
	"DEP":    "Deposit", "ATM": "ATM", "POS": "Card purchase", "XFER": "Transfer", "CHECK": "Check", "PAYMENT": "Payment",
	"CASH":      "Cash withdrawal",
	"DIRECTDEP": "Direct deposit", "DIRECTDEBIT": "Direct debit", "REPEATPMT": "Standing payment"}

// transaction adds a transaction. Its amount is signed, from the account holder's side.
func (s *statement) transaction(fields map[string]string) error {
	amount, ok := parseAmount(fields["TRNAMT"])
	day, dated := ofxDay(fields["DTPOSTED"])
	if !ok || !dated {
		s.unreadable++
		return nil
	}
	if c := strings.ToUpper(fields["CURSYM"]); c != "" && c != cmp.Or(s.currency, "USD") {
		s.foreign++
		return nil
	}
	kind := strings.ToUpper(fields["TRNTYPE"])
	t := bankdata.Transaction{Posted: day, Amount: amount, Debit: kind == "DEBIT", Description: fields["NAME"], Memo: fields["MEMO"]}
	switch {
	case t.Description == "" && t.Memo == "":
		t.Description = strings.TrimSpace(cmp.Or(ofxTypes[kind], "Transaction") + " " + fields["CHECKNUM"])
	case t.Description == "" || strings.HasPrefix(t.Memo, t.Description): // a name is cut after 32 characters
		t.Description, t.Memo = t.Memo, ""
	case t.Memo == t.Description:
		t.Memo = ""
	}
	key := fmt.Sprintf("%s %d %s", day, amount, cmp.Or(fields["FITID"], t.Description))
	return s.account.add(t, key)
}

// ofxDay parses the day of YYYYMMDD[HHMMSS[.XXX]][[gmt offset:tz]] in the bank's time zone.
func ofxDay(s string) (report.Date, bool) {
	if len(s) < 8 || strings.Trim(s[:8], "0123456789") != "" {
		return report.Date{}, false
	}
	n := func(s string) (n int) {
		for _, c := range s {
			n = n*10 + int(c-'0')
		}
		return n
	}
	return parseDay(n(s[:4]), n(s[4:6]), n(s[6:8]))
}

// unescape resolves OFX's entities and character entities.
func unescape(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	return entities.Replace(s)
}

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&nbsp;", " ", "&apos;", "'", "&quot;", `"`,
	"&#39;", "'", "&#38;", "&")
