// Package bankfile reads account statements as banks export them: OFX 1.x and 2.x (QFX
// too), camt.052 and camt.053, and CSV. Files come from strangers: their size, accounts and
// transactions are bounded, and nothing in them can name another file.
//
// Read returns what one file says, Combine joins several files to the data of a report:
// files of one account may overlap. What a cashflow report cannot use, such as a credit
// card's statement, is left out and named. A file is refused if an amount or its sign cannot
// be told; where there is a running balance, it decides.
package bankfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	uni "golang.org/x/text/encoding/unicode"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// Bounds of a file.
const (
	MaxBytes        = 20 << 20
	MaxTransactions = 100_000
	maxAccounts     = 100
	maxText         = 255 // characters of a description
	maxCents        = 100_000_000_000_000
)

// File is the content of one file.
type File struct {
	Name     string // without folders
	Format   string // OFX, camt.052, camt.053 or CSV
	Accounts []Account
	LeftOut  []string // unused parts and the reasons, one sentence each
	Notes    []string // how days, signs and other things were read

	cut bool // the last line has no end
}

// Account is an account of a file. Its ID is empty.
type Account struct {
	bankdata.Account
	NoBalance  bool // the file states no balance, so the caller must set it
	NoCurrency bool // the file states no currency: Currency is likely, or empty and the caller must set it

	keys    []string      // by transaction; see merge
	layout  string        // names of a table's columns
	opening *report.Cents // balance before the first transaction
	guessed bool          // the file does not say whether this is a checking or savings account

	bankKnown   bool   // Institution is a bank's name, and not that of the file
	balanceKind string // code of the balance in camt.053
	periods     []period
}

// period is the days of one statement.
type period struct{ first, last report.Date }

// cover adds the days of a statement: from its opening balance, if from is not zero, or transactions on.
func (a *Account) cover(from report.Date) {
	first, _ := a.span()
	if from = cmp.Or(from, first); !from.IsZero() {
		a.periods = append(a.periods, period{from, a.newest()})
	}
}

// gaps describes days between the statements of an account that none covers, if they are more than a week.
func (a *Account) gaps() (all []string) {
	slices.SortFunc(a.periods, func(p, q period) int { return p.first.Compare(q.first.Time) })
	var last report.Date
	for n, p := range a.periods {
		if days := int(p.first.Sub(last.Time).Hours()/24) - 1; n > 0 && days > 7 {
			all = append(all, fmt.Sprintf("no statement of %s covers the %s between %s and %s: transactions may be missing",
				a.Name, count(days, "day"), last, p.first))
		}
		last = laterDate(last, p.last)
	}
	return all
}

// SetBalance sets the balance at the end of the newest day of an account without one,
// from an amount like 1,234.56.
func (a *Account) SetBalance(amount string) error {
	balance, ok := parseFigure(amount, 0) // not 1.234, whose point may group digits
	if !ok {
		return fmt.Errorf("%q is not an amount such as 1234.56", amount)
	}
	day := a.newest()
	a.Balance, a.BalanceDate, a.NoBalance = balance.cents, &day, false
	return nil
}

// errNothing is returned for a file in no known format.
var errNothing = errors.New("not a statement in OFX, QFX, camt.053 or CSV")

// Read parses a file. kind is the kind of account that the caller knows: checking, savings or
// credit card; empty stands for what the file says. Its errors describe the problem,
// with the line in a CSV file, and quote only column names.
func Read(name string, content []byte, kind string) (File, error) {
	f := File{Name: path.Base(strings.ReplaceAll(name, `\`, "/"))}
	if len(content) > MaxBytes {
		return f, fmt.Errorf("larger than %d MB", MaxBytes>>20)
	}
	text := decode(content)
	f.cut = !strings.HasSuffix(text, "\n")
	var err error
	head := strings.ToUpper(text[:min(len(text), 4096)])
	format := slices.IndexFunc(unread, func(u signature) bool { return u.head.MatchString(head) })
	switch {
	case strings.TrimSpace(text) == "":
		err = errors.New("the file is empty: not a statement")
	case format >= 0:
		err = fmt.Errorf("%s is not read: export OFX, camt.053 or CSV", unread[format].kind)
	case strings.Contains(head, "<OFX>") || strings.Contains(head, "OFXHEADER"):
		f.Format = "OFX"
		err = readOFX(&f, text)
	case strings.Contains(head, "CAMT.053") || strings.Contains(head, "BKTOCSTMRSTMT>"):
		f.Format = "camt.053"
		err = readCAMT(&f, text)
	case strings.Contains(head, "CAMT.052") || strings.Contains(head, "BKTOCSTMRACCTRPT>"):
		f.Format = "camt.052"
		err = readCAMT(&f, text)
	case strings.HasPrefix(head, "<"), strings.ContainsRune(text, 0):
		err = errNothing
	default:
		f.Format = "CSV"
		err = readCSV(&f, text, kind)
	}
	if err == nil && f.Format != "CSV" {
		err = f.setKinds(kind)
	}
	if err != nil {
		return f, err
	}
	if len(f.Accounts) == 0 && len(f.LeftOut) == 0 {
		return f, errors.New("the file has no account")
	}
	return f, nil
}

// setKinds leaves out accounts whose payments are those to a credit card, which some tools export
// as checking accounts. kind is what the caller knows, or empty.
func (f *File) setKinds(kind string) (err error) {
	f.Accounts = slices.DeleteFunc(f.Accounts, func(a Account) bool {
		t, rows, found, sure := table{}, []*row(nil), kind, true
		t.at[description] = []int{0, 1}
		for _, x := range a.Transactions {
			rows = append(rows, &row{sum: x.Amount, fields: []string{x.Description, x.Memo}, balance: a.Balance, balanced: !a.NoBalance})
		}
		if kind == "" {
			found, sure = t.kindByPayments(rows)
		}
		if !leftKinds[found] {
			return false
		} else if !sure {
			err = errMayBeCard
		}
		f.leaveOut(found + endingIn(a.Number) + " left out: " + onlyAccounts)
		return true
	})
	for i := range f.Accounts {
		for _, gap := range f.Accounts[i].gaps() {
			f.note(gap)
		}
		if a := &f.Accounts[i]; a.guessed && kind == "savings" {
			a.Subtype, a.guessed, a.Name = report.Savings, false, strings.Replace(a.Name, "checking", kind, 1)
		}
	}
	return err
}

var declaredEncoding = regexp.MustCompile(`^<\?xml[^>]*encoding=["']([\w-]+)["']`)

// decode returns the content as UTF-8 without a byte order mark, with line feeds as line ends.
// Content that is not UTF-8 is read as UTF-16 if it has zeros in every other byte, in the
// encoding that an XML file declares, or in the one of older exports that has most known names of columns.
func decode(content []byte) string {
	content = bytes.TrimPrefix(content, []byte("\xEF\xBB\xBF"))
	var from encoding.Encoding
	switch head := content[:min(len(content), 64)]; {
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}), len(head) > 3 && head[0] != 0 && head[1] == 0 && head[3] == 0:
		from = uni.UTF16(uni.LittleEndian, uni.UseBOM)
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}), len(head) > 3 && head[0] == 0 && head[1] != 0 && head[2] == 0:
		from = uni.UTF16(uni.BigEndian, uni.UseBOM)
	case !utf8.Valid(content):
		from = charmap.Windows1252
		for _, other := range []encoding.Encoding{charmap.Windows1250, charmap.Windows1251, japanese.ShiftJIS,
			simplifiedchinese.GB18030, korean.EUCKR} {
			if knownNames(content, other) > knownNames(content, from) {
				from = other
			}
		}
		if m := declaredEncoding.FindSubmatch(content[:min(len(content), 200)]); m != nil {
			if declared, err := htmlindex.Get(string(m[1])); err == nil && declared != uni.UTF8 {
				from = declared
			}
		}
	}
	if from != nil {
		if out, err := from.NewDecoder().Bytes(content); err == nil {
			content = out
		}
	}
	text := strings.TrimLeftFunc(strings.TrimPrefix(string(content), "\ufeff"), unicode.IsSpace)
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// knownNames returns how many known names of columns the beginning of a file has in an encoding.
func knownNames(content []byte, in encoding.Encoding) (known int) {
	text, _ := in.NewDecoder().Bytes(content[:min(len(content), 4096)])
	for name := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return strings.ContainsRune(",;|\t\r\n", r) }) {
		if words["header"][headerKey(strings.Trim(name, `"`))] != "" {
			known++
		}
	}
	return known
}

// clean returns a text on one line of at most maxText characters.
func clean(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if utf8.RuneCountInString(s) > maxText {
		s = string([]rune(s)[:maxText])
	}
	return s
}

// add appends a transaction. key identifies it in another file.
func (a *Account) add(t bankdata.Transaction, key string) error {
	if len(a.Transactions) == MaxTransactions {
		return fmt.Errorf("more than %d transactions of an account", MaxTransactions)
	}
	a.Transactions = append(a.Transactions, t)
	a.keys = append(a.keys, key)
	return nil
}

// count formats a number with a noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

const onlyAccounts = "a cashflow report is made of checking and savings accounts"

// leaveOut names a part of the file that is not used, note says how a part was read.
func (f *File) leaveOut(why string) {
	if len(f.LeftOut) < maxAccounts {
		f.LeftOut = append(f.LeftOut, why)
	}
}

func (f *File) note(how string) {
	if len(f.Notes) < maxAccounts && !slices.Contains(f.Notes, how) {
		f.Notes = append(f.Notes, how)
	}
}

// newest returns the day of the newest balance or transaction.
func (a *Account) newest() (day report.Date) {
	if a.BalanceDate != nil {
		day = *a.BalanceDate
	}
	_, last := a.span()
	return laterDate(day, last)
}

func laterDate(a, b report.Date) report.Date {
	if b.After(a.Time) {
		return b
	}
	return a
}
