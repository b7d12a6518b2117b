package sandbox

import (
	"encoding/json"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/door"
	"vestibule/internal/report"
	"vestibule/internal/svc"
)

// submission is the body of document 1's submission table, as far as a prepared
// report takes it: the person's name and e-mail, accounts and transactions.
// Other personal fields are read and left out of the report, as document 1 has
// no place for them there.
type submission struct {
	UserArgs        *string `json:"userArgs"`
	ExternalID      *string `json:"externalId"`
	PullDate        *string `json:"pullDate"`
	ApplicationDate *string `json:"applicationDate"`
	Personal        struct {
		FirstName string  `json:"firstName"`
		LastName  string  `json:"lastName"`
		DOB       *string `json:"dob"`
		Email     string  `json:"email"`
		Phone     *string `json:"phone"`
	} `json:"personal"`
	Address *struct {
		Street     string `json:"street"`
		City       string `json:"city"`
		State      string `json:"state"`
		PostalCode string `json:"postalCode"`
	} `json:"address"`
	Accounts []submittedAccount `json:"accounts"`
}

type submittedAccount struct {
	ID                     string                 `json:"id"`
	InstitutionName        string                 `json:"institutionName"`
	AccountType            string                 `json:"accountType"`
	CurrentBalance         json.Number            `json:"currentBalance"`
	DateBalanceLastUpdated *string                `json:"dateBalanceLastUpdated"`
	DateAccountOpened      *string                `json:"dateAccountOpened"`
	Currency               string                 `json:"currency"`
	Transactions           []submittedTransaction `json:"transactions"`
}

type submittedTransaction struct {
	ID            string      `json:"id"`
	Status        string      `json:"status"`
	DatePosted    *string     `json:"datePosted"`
	Amount        json.Number `json:"amount"`
	Description   string      `json:"description"`
	Merchant      *string     `json:"merchant"`
	Memo          *string     `json:"memo"`
	CreditOrDebit string      `json:"creditOrDebit"`
}

// reading collects what is wrong with a submission while it is turned into bank
// data.
type reading struct {
	now     time.Time
	details []door.Detail
}

const maxDetails = 50

func (r *reading) wrong(field, words string) {
	if len(r.details) < maxDetails {
		r.details = append(r.details, door.Detail{Field: field, Message: words})
	}
}

func (r *reading) length(field, s string, low, high int) {
	if n := utf8.RuneCountInString(s); n < low || n > high {
		r.wrong(field, fmt.Sprintf("must have %d to %d characters", low, high))
	}
}

// date reads a DateTime of the contract's one form, not after now.
func (r *reading) date(field, s string) time.Time {
	t, err := time.Parse("2006-01-02T15:04:05.000Z", s)
	if err != nil {
		r.wrong(field, "must be YYYY-MM-DDTHH:mm:ss.SSSZ")
	} else if t.After(r.now) {
		r.wrong(field, "lies in the future")
	}
	return t
}

var (
	alphanumeric = regexp.MustCompile(`^[A-Za-z0-9]{1,50}$`)
	decimal      = regexp.MustCompile(`^-?[0-9]{1,13}(\.[0-9]{1,2})?$`)
	currency     = regexp.MustCompile(`^[A-Z]{3}$`)
)

func (r *reading) id(field, s string, seen map[string]bool) {
	if !alphanumeric.MatchString(s) {
		r.wrong(field, "must be 1 to 50 letters and digits")
	} else if seen[s] {
		r.wrong(field, "is given twice")
	}
	seen[s] = true
}

func (r *reading) money(field string, n json.Number) report.Cents {
	if !decimal.MatchString(n.String()) {
		r.wrong(field, "must be a number with at most two decimals")
		return 0
	}
	c, err := report.ParseCents(n.String())
	if err != nil {
		r.wrong(field, "is too large")
	}
	return c
}

// read turns a submission into bank data, or says everything that is wrong.
func (s submission) read(now time.Time) (bankdata.Person, bankdata.Data, []door.Detail) {
	r := &reading{now: now}
	r.length("personal.firstName", s.Personal.FirstName, 1, 50)
	r.length("personal.lastName", s.Personal.LastName, 1, 50)
	r.length("personal.email", s.Personal.Email, 1, 100)
	if len(s.Accounts) == 0 {
		r.wrong("accounts", "must have an account")
	}
	var data bankdata.Data
	byBank := map[string]int{}
	seen := map[string]bool{}
	for i, a := range s.Accounts {
		field := fmt.Sprintf("accounts[%d].", i)
		r.id(field+"id", a.ID, seen)
		account := r.account(field, a)
		at, ok := byBank[a.InstitutionName]
		if !ok {
			at = len(data.Connections)
			byBank[a.InstitutionName] = at
			data.Connections = append(data.Connections, bankdata.Connection{
				ID: uuid.NewString(), Institution: a.InstitutionName, Status: svc.StatusSuccess,
				SourceID: r.sourceID(data, a.InstitutionName),
			})
		}
		data.Connections[at].Accounts = append(data.Connections[at].Accounts, account)
	}
	person := bankdata.Person{FirstName: s.Personal.FirstName, LastName: s.Personal.LastName, Emails: []string{s.Personal.Email}}
	return person, data, r.details
}

// sourceID keeps source ids unique: two names may read the same.
func (r *reading) sourceID(d bankdata.Data, institution string) string {
	for n := 0; ; n++ {
		id, taken := bankdata.SourceID(institution, n), false
		for _, c := range d.Connections {
			taken = taken || c.SourceID == id
		}
		if !taken {
			return id
		}
	}
}

func (r *reading) account(field string, a submittedAccount) bankdata.Account {
	r.length(field+"institutionName", a.InstitutionName, 1, 100)
	if a.AccountType != report.Checking && a.AccountType != report.Savings {
		r.wrong(field+"accountType", "must be SAVINGS or CHECKING")
	}
	if !currency.MatchString(a.Currency) {
		r.wrong(field+"currency", "must be an ISO 4217 code")
	}
	if a.DateBalanceLastUpdated != nil {
		r.date(field+"dateBalanceLastUpdated", *a.DateBalanceLastUpdated)
	}
	out := bankdata.Account{
		ID: uuid.NewString(), Institution: a.InstitutionName, Type: report.CashEquivalent, Subtype: a.AccountType,
		Currency: a.Currency, Balance: r.money(field+"currentBalance", a.CurrentBalance),
	}
	if a.DateAccountOpened != nil {
		opened := report.DateOf(r.date(field+"dateAccountOpened", *a.DateAccountOpened))
		out.Opened = &opened
	}
	seen := map[string]bool{}
	for i, t := range a.Transactions {
		at := fmt.Sprintf("%stransactions[%d].", field, i)
		r.id(at+"id", t.ID, seen)
		out.Transactions = append(out.Transactions, r.transaction(at, t))
	}
	return out
}

func (r *reading) transaction(field string, t submittedTransaction) bankdata.Transaction {
	out := bankdata.Transaction{ID: t.ID, Description: t.Description, Amount: r.money(field+"amount", t.Amount)}
	r.length(field+"description", t.Description, 1, 255)
	switch t.Status {
	case "POSTED":
		if t.DatePosted == nil {
			r.wrong(field+"datePosted", "is required for POSTED")
		}
	case "PENDING":
		out.Pending = true
	default:
		r.wrong(field+"status", "must be PENDING or POSTED")
	}
	if t.DatePosted != nil {
		out.Posted = report.DateOf(r.date(field+"datePosted", *t.DatePosted))
	}
	switch t.CreditOrDebit {
	case "CREDIT":
	case "DEBIT":
		out.Amount = -out.Amount
	default:
		r.wrong(field+"creditOrDebit", "must be CREDIT or DEBIT")
	}
	if t.Merchant != nil {
		r.length(field+"merchant", *t.Merchant, 1, 100)
		out.Merchant = *t.Merchant
	}
	if t.Memo != nil {
		r.length(field+"memo", *t.Memo, 0, 255)
		out.Memo = *t.Memo
	}
	return out
}
