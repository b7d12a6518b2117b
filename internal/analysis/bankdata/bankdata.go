// Package bankdata holds the data of banks (or of a customer's submission) about a
// consumer in one normalized form: connections with their owners, accounts and
// transactions, money in Cents, days in UTC. The reports on bank data are computed
// from it (docs/explanation/analytics.md, "From transactions to a ledger").
//
// The package takes values and returns values, without clock, database or randomness. It
// expects validated data.
package bankdata

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"

	"vestibule/internal/contract"
	"vestibule/internal/personname"
	"vestibule/internal/report"
)

// Person is a name with email addresses, as typed by the consumer or as known
// to a bank.
type Person struct {
	FirstName  string   `json:"firstName,omitempty"` // with the middle name in documents of version 0.1.0
	MiddleName string   `json:"middleName,omitempty"`
	LastName   string   `json:"lastName,omitempty"` // likewise with the suffix
	Suffix     string   `json:"suffix,omitempty"`
	Emails     []string `json:"emails,omitempty"`
}

// FullName returns the parts of the name with one space between.
func (p Person) FullName() string {
	return strings.Join(strings.Fields(p.FirstName+" "+p.MiddleName+" "+p.LastName+" "+p.Suffix), " ")
}

// Compare compares the name with one that a source has (package personname).
func (p Person) Compare(found string) (notes []personname.Note, same bool) {
	return personname.Compare(p.FirstName+" "+p.MiddleName, strings.TrimSpace(p.LastName+" "+p.Suffix), found)
}

// Is reports whether a source's name can be the person's.
func (p Person) Is(found string) bool {
	_, same := p.Compare(found)
	return same
}

// Owner is a person as one record of a bank.
type Owner struct {
	RecordID string `json:"recordId"` // UUID
	Person
}

// Data is everything that was retrieved for one report.
type Data struct {
	Connections []Connection `json:"connections"`
}

// Connection is one login at one bank, or one submission.
type Connection struct {
	ID          string          `json:"id"`       // UUID
	SourceID    string          `json:"sourceId"` // readable, unique within the report
	Institution string          `json:"institution"`
	Status      contract.Status `json:"status"`
	Owners      []Owner         `json:"owners,omitempty"`
	Accounts    []Account       `json:"accounts"`
}

// Account is one account at a connection's bank.
type Account struct {
	ID             string        `json:"id"` // UUID
	Institution    string        `json:"institution"`
	Name           string        `json:"name,omitempty"`
	Type           string        `json:"type"`              // report.CashEquivalent or report.Investment
	Subtype        string        `json:"subtype,omitempty"` // report.Checking, Savings or Other
	Owner          string        `json:"owner,omitempty"`   // full name
	Responsibility string        `json:"responsibility,omitempty"`
	Number         string        `json:"number,omitempty"` // in full
	Routing        string        `json:"routing,omitempty"`
	Tokenized      bool          `json:"tokenized,omitempty"`  // Number is a token that the bank issued in place of the number
	LastDigits     string        `json:"lastDigits,omitempty"` // of the number, as the bank shows them: four, or empty
	Currency       string        `json:"currency"`             // ISO 4217
	Opened         *report.Date  `json:"opened,omitempty"`
	StatementEnd   *report.Date  `json:"statementEnd,omitempty"`
	Addresses      []Address     `json:"addresses,omitempty"`   // the present one first
	Balance        report.Cents  `json:"balance"`               // as the bank states it, at the end of BalanceDate
	BalanceDate    *report.Date  `json:"balanceDate,omitempty"` // nil: the fetch date
	Transactions   []Transaction `json:"transactions,omitempty"`
}

// Mask returns the last four digits of the account's number, or empty. The digits of a token
// are not those of the number.
func (a Account) Mask() string {
	if a.Tokenized || len(a.Number) < 4 {
		return a.LastDigits
	}
	return a.Number[len(a.Number)-4:]
}

// Address is a contact address known to a bank.
type Address struct {
	ID     string `json:"id"` // UUID
	Street string `json:"street,omitempty"`
	City   string `json:"city,omitempty"`
	State  string `json:"state,omitempty"`
	ZIP    string `json:"zip,omitempty"`
}

// Line returns the address in one line.
func (a Address) Line() string {
	parts := []string{a.Street, a.City, strings.TrimSpace(a.State + " " + a.ZIP)}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// Transaction is one movement. A positive amount is money into the account.
type Transaction struct {
	ID          string       `json:"id"`
	Posted      report.Date  `json:"posted"`
	Pending     bool         `json:"pending,omitempty"` // left out of every figure
	Debit       bool         `json:"debit,omitempty"`   // for an amount of 0: stated as money out
	Amount      report.Cents `json:"amount"`
	Description string       `json:"description"`
	Merchant    string       `json:"merchant,omitempty"`
	Memo        string       `json:"memo,omitempty"`
	Corrected   *Corrected   `json:"-"` // after a dispute; nil: as the bank states it
}

// Out reports whether the movement is money out of the account.
func (t *Transaction) Out() bool { return t.Amount < 0 || t.Amount == 0 && t.Debit }

// Only returns the data with none but the named accounts; nil names all.
func (d Data) Only(accounts []string) Data {
	if accounts == nil {
		return d
	}
	chosen := map[string]bool{}
	for _, id := range accounts {
		chosen[id] = true
	}
	var out Data
	for _, c := range d.Connections {
		var kept []Account
		for _, a := range c.Accounts {
			if chosen[a.ID] {
				kept = append(kept, a)
			}
		}
		c.Accounts = kept
		out.Connections = append(out.Connections, c)
	}
	return out
}

// SourceID makes the readable source_id of connection number i (from 0) with an
// institution: HARBOR_NATIONAL_BANK, and HARBOR_NATIONAL_BANK_2 for the second.
func SourceID(institution string, i int) string {
	id := strings.Join(strings.FieldsFunc(strings.ToUpper(institution), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "_")
	if id == "" {
		id = "BANK"
	}
	if i > 0 {
		id += "_" + strconv.Itoa(i+1)
	}
	return id
}

// HistoryStart returns the oldest day whose transactions are retrieved: the same date
// two years before the fetch date, that day included.
func HistoryStart(fetch report.Date) report.Date { return MonthsBefore(fetch, 24) }

// MonthsBefore returns the same date n months earlier, or the last day of a shorter month.
func MonthsBefore(d report.Date, n int) report.Date {
	y, m, day := d.Date()
	first := time.Date(y, m-time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return report.Date{Time: first.AddDate(0, 0, min(day, last)-1)}
}

// History returns the account's posted transactions from HistoryStart to the
// fetch date, both included, oldest first. Those of one day are in the order of
// their ids, so that the order of the input changes nothing.
func (a Account) History(fetch report.Date) []Transaction {
	start := HistoryStart(fetch)
	var out []Transaction
	for _, t := range a.Transactions {
		if !t.Pending && !t.Posted.Before(start.Time) && !t.Posted.After(fetch.Time) {
			out = append(out, t)
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		if !out[i].Posted.Equal(out[j].Posted.Time) {
			return out[i].Posted.Before(out[j].Posted.Time)
		}
		return out[i].ID < out[j].ID
	})
	return out
}

// OldestPosted returns the day of the oldest transaction of History, and false if there
// is none.
func (a Account) OldestPosted(fetch report.Date) (oldest report.Date, ok bool) {
	first, last := HistoryStart(fetch).Unix(), fetch.Unix()
	for i := range a.Transactions {
		t := &a.Transactions[i]
		if at := t.Posted.Unix(); !t.Pending && at >= first && at <= last {
			oldest, ok, last = t.Posted, true, at
		}
	}
	return oldest, ok
}

// Outcome returns the status and substatus of a cashflow or income report on the data.
// Without any cash-equivalent account, it is NOT_AUTHENTICATED with
// INCOMPATIBLE_ACCOUNT_TYPES_SUBMITTED; without any posted transaction of the last 12
// months, SUCCESS with NO_RECENT_USABLE_INFORMATION.
func (d Data) Outcome(asOf time.Time) (contract.Status, contract.Substatus) {
	fetch := report.DateOf(asOf)
	since := MonthsBefore(fetch, 12)
	recent := func(t Transaction) bool {
		return !t.Pending && !t.Posted.Before(since.Time) && !t.Posted.After(fetch.Time)
	}
	accounts, used := false, false
	for _, c := range d.Connections {
		for _, a := range c.Accounts {
			if a.Type == report.CashEquivalent {
				accounts, used = true, used || slices.ContainsFunc(a.Transactions, recent)
			}
		}
	}
	switch {
	case !accounts:
		return contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts
	case !used:
		return contract.StatusSuccess, contract.SubNoRecentInformation
	}
	return contract.StatusSuccess, ""
}

// MonthsAvailable returns how many months of transactions the account has up to the
// fetch date, from 0 to 24. A begun month counts.
func (a Account) MonthsAvailable(fetch report.Date) int {
	oldest, ok := a.OldestPosted(fetch)
	if !ok {
		return 0
	}
	for n := 1; n < 24; n++ {
		if MonthsBefore(fetch, n).Before(oldest.Time) {
			return n
		}
	}
	return 24
}
