// Package bankfile reads account statements as banks export them: OFX 1.x and 2.x (QFX
// too), camt.053 and CSV. Files come from strangers: their size, accounts and
// transactions are bounded, and nothing in them can name another file.
//
// Read returns what one file says, Combine joins several files to the data of a report:
// files of one account may overlap. What a cashflow report cannot use, such as a credit
// card's statement, is left out and named.
package bankfile

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
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
	Format   string // OFX, camt.053 or CSV
	Accounts []Account
	LeftOut  []string // unused parts and the reasons, one sentence each
}

// Account is an account of a file. Its ID is empty.
type Account struct {
	bankdata.Account
	NoBalance bool // the file states no balance, so the caller must set it

	keys []string // by transaction; see merge
}

// SetBalance sets the balance at the end of the newest day of an account without one,
// from an amount like 1,234.56.
func (a *Account) SetBalance(amount string) error {
	balance, ok := parseAmount(amount)
	if !ok {
		return fmt.Errorf("%q is not an amount such as 1234.56", amount)
	}
	day := a.newest()
	a.Balance, a.BalanceDate, a.NoBalance = balance, &day, false
	return nil
}

// errNothing is returned for a file in no known format.
var errNothing = errors.New("not a statement in OFX, QFX, camt.053 or CSV")

// Read parses a file. Its errors describe the problem, with the line in a CSV file, and
// quote only column names.
func Read(name string, content []byte) (File, error) {
	f := File{Name: path.Base(strings.ReplaceAll(name, `\`, "/"))}
	if len(content) > MaxBytes {
		return f, fmt.Errorf("larger than %d MB", MaxBytes>>20)
	}
	if bytes.HasPrefix(content, []byte{0xFF, 0xFE}) || bytes.HasPrefix(content, []byte{0xFE, 0xFF}) {
		return f, errors.New("encoded in UTF-16: save it as UTF-8")
	}
	text := decode(content)
	var err error
	switch head := strings.ToUpper(text[:min(len(text), 4096)]); {
	case strings.Contains(head, "<OFX>") || strings.Contains(head, "OFXHEADER"):
		f.Format = "OFX"
		err = readOFX(&f, text)
	case strings.Contains(head, "CAMT.053") || strings.Contains(head, "<BKTOCSTMRSTMT>"):
		f.Format = "camt.053"
		err = readCAMT(&f, text)
	case strings.HasPrefix(head, "<") || strings.HasPrefix(head, "%PDF") || strings.ContainsRune(text, 0):
		err = errNothing
	default:
		f.Format = "CSV"
		err = readCSV(&f, text)
	}
	if err != nil {
		return f, err
	}
	if len(f.Accounts) == 0 && len(f.LeftOut) == 0 {
		return f, errors.New("the file has no account")
	}
	return f, nil
}

// decode returns the content as UTF-8 without a byte order mark. Content that is not UTF-8
// is read as Windows-1252, which older exports use.
func decode(content []byte) string {
	content = bytes.TrimPrefix(content, []byte("\xEF\xBB\xBF"))
	if !utf8.Valid(content) {
		if out, err := charmap.Windows1252.NewDecoder().Bytes(content); err == nil {
			content = out
		}
	}
	return strings.TrimLeftFunc(string(content), unicode.IsSpace)
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

// identity returns a key that is equal for the same account in several files.
func (a *Account) identity(file string) string {
	if a.Number == "" {
		return "file " + file
	}
	return a.Routing + "/" + a.Number + "/" + a.Subtype
}

// Combine merges files into the data of a report, and returns their as-of date: the day of
// the newest balance or transaction. Accounts with the same number become one account with
// each transaction once and the newest balance. Every account must have a balance.
func Combine(files []File) (bankdata.Data, report.Date, error) {
	var all []*Account
	byIdentity := map[string]*Account{}
	for i := range files {
		for j := range files[i].Accounts {
			a := files[i].Accounts[j]
			a.Transactions, a.keys = slices.Clone(a.Transactions), slices.Clone(a.keys)
			id := a.identity(fmt.Sprint(i))
			if known := byIdentity[id]; known != nil {
				known.merge(&a)
				continue
			}
			byIdentity[id] = &a
			all = append(all, &a)
		}
	}
	if len(all) == 0 {
		return bankdata.Data{}, report.Date{}, errors.New("no checking or savings account in the files")
	}
	var asOf report.Date
	for _, a := range all {
		if a.NoBalance {
			return bankdata.Data{}, report.Date{}, fmt.Errorf("no balance of the account %s", a.Name)
		}
		asOf = laterDate(asOf, a.newest())
	}
	var out bankdata.Data
	count := map[string]int{}
	for n, a := range all {
		i := slices.IndexFunc(out.Connections, func(c bankdata.Connection) bool { return c.Institution == a.Institution })
		if i < 0 {
			i = len(out.Connections)
			out.Connections = append(out.Connections, bankdata.Connection{ID: identifier("connection", a.Institution), Institution: a.Institution,
				SourceID: bankdata.SourceID(a.Institution, count[a.Institution]), Status: contract.StatusSuccess})
			count[a.Institution]++
		}
		a.ID = identifier("account", fmt.Sprint(n), a.identity(""))
		for k := range a.Transactions {
			a.Transactions[k].ID = identifier(a.ID, fmt.Sprint(k), a.keys[k])
		}
		out.Connections[i].Accounts = append(out.Connections[i].Accounts, a.Account)
	}
	return out, asOf, nil
}

// identifier derives a UUID (RFC 9562, version 8) from names.
func identifier(names ...string) string {
	sum := sha256.Sum256([]byte("vestibule bank file\x00" + strings.Join(names, "\x00")))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// newest returns the day of the newest balance or transaction.
func (a *Account) newest() (day report.Date) {
	if a.BalanceDate != nil {
		day = *a.BalanceDate
	}
	for i := range a.Transactions {
		day = laterDate(day, a.Transactions[i].Posted)
	}
	return day
}

func laterDate(a, b report.Date) report.Date {
	if b.After(a.Time) {
		return b
	}
	return a
}

// merge adds the transactions of the same account in another file. Of transactions with the
// same key, it keeps as many as the file with the most of them has.
func (a *Account) merge(b *Account) {
	have := map[string]int{}
	for _, k := range a.keys {
		have[k]++
	}
	for i, k := range b.keys {
		if have[k] > 0 {
			have[k]--
			continue
		}
		a.Transactions, a.keys = append(a.Transactions, b.Transactions[i]), append(a.keys, k)
	}
	if !b.NoBalance && (a.NoBalance || a.BalanceDate == nil || b.BalanceDate != nil && b.BalanceDate.After(a.BalanceDate.Time)) {
		a.Balance, a.BalanceDate, a.NoBalance = b.Balance, b.BalanceDate, false
	}
	a.Institution, a.Name = cmp.Or(a.Institution, b.Institution), cmp.Or(a.Name, b.Name)
}
