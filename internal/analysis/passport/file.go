// Package passport computes the passport, an applicant's credit file from abroad (API
// reference: Reports), from a supplier's file and an as-of date, and renders it as a
// PDF. It takes values and returns values: the same input gives the same report and the
// same document, byte for byte, whatever the order of the supplier's lists.
//
// An identity has only the fields that the supplier provides according to the API. The
// package rounds amounts to their currency's decimals, sorts every list, converts payment
// histories to one form, and computes totals in the supplier's currency and in US dollars at
// a rate that the report names. It truncates numbers of documents and accounts to their last
// four letters and digits. It estimates nothing. See docs/explanation/analytics.md,
// "Passport".
package passport

import (
	"time"

	"vestibule/internal/report"
)

// File is a supplier's file on a person. Amounts are in hundredths of Currency's unit, even
// if the currency has no smaller unit. Zero dates are unknown.
type File struct {
	Supplier string // code of report.Suppliers
	RecordID string // UUID of the person's record there
	Found    bool   // false if the supplier has no person of that name
	Currency string // ISO 4217; empty without credit

	Person        Person
	Scores        []Score
	Tradelines    []Tradeline
	Addresses     []Address
	Employers     []Employer
	OtherIncomes  []OtherIncome
	Inquiries     []Inquiry
	Identifiers   []Identifier
	BankAccounts  []BankAccount
	PublicRecords []PublicRecord
	Collections   []Collection
	NSF           []NSF
	Disputes      []Dispute
	Notices       []string
}

// Person is the identity in the file.
type Person struct {
	First, Last, Full, Middle string
	Transliterated            string // the full name in Latin letters, as the supplier spells it
	Others                    []string
	Born                      report.Date
	Emails, Telephones        []string
	Deceased                  bool
	Died                      report.Date
	Documents                 []Document
}

// Document is a submitted ID document.
type Document struct {
	Type, Number, Country string
	Issued, Expires       report.Date
}

// Score is a score on the supplier's own scale.
type Score struct {
	Name                    string
	Value, Minimum, Maximum int
	Date                    report.Date
	Reasons                 []report.ScoreFactor
}

// Tradeline is one credit. A nil amount was not reported.
type Tradeline struct {
	ID         string // UUID
	Type       string // one of report's Trade… constants
	Opened     report.Date
	Closed     report.Date
	ChargedOff bool
	Limit      *report.Cents
	Balance    *report.Cents
	Payment    *report.Cents // monthly
	PastDue    *report.Cents
	Marks      []Mark
}

// Mark is the payment status of one month. The worst of several counts.
type Mark struct {
	Month      time.Time // any instant of it, in UTC
	Days       int       // past due
	ChargedOff bool
}

// Address is a place where the person lived.
type Address struct {
	Line, Street, City, Region, Postcode, Country string
	First, Last                                   report.Date // reported
}

// Employer is a place where the person worked.
type Employer struct {
	Name, Job        string
	Start, End, Last report.Date
	Monthly          *report.Cents
}

// OtherIncome is income from a source other than an employer.
type OtherIncome struct {
	Type, Frequency string
	Amount          *report.Cents
	Reported        report.Date
}

// Inquiry is a request for the file.
type Inquiry struct {
	Date              report.Date
	Inquirer, Purpose string
	Amount            *report.Cents
}

// Identifier is a number that an authority assigned.
type Identifier struct{ Type, Value, Country string }

// BankAccount is a bank account that the supplier knows of.
type BankAccount struct {
	Institution, Type, Number string
	Opened, Closed            report.Date
}

// PublicRecord is a record of a court or an authority.
type PublicRecord struct {
	Type, Court     string
	Filed, Resolved report.Date
	Amount          *report.Cents
}

// Collection is a debt in collection by an agency.
type Collection struct {
	Agency, Creditor  string
	Assigned          report.Date
	Original, Balance *report.Cents
}

// NSF is a payment that a bank returned.
type NSF struct {
	Institution string
	Date        report.Date
	Amount      *report.Cents
}

// Dispute is a dispute of the person. AccountID is a tradeline's, or empty.
type Dispute struct {
	AccountID, Description string
	Filed                  report.Date
	Resolved               bool
}

// Quote is a rate of exchange: US dollars for one unit of the currency.
type Quote struct {
	Currency string
	Rate     report.Rate
	Day      report.Date
	Source   string // source of the quote
}

// Consumer is the person as entered.
type Consumer struct {
	First, Last string
	Emails      []string
	Born        report.Date // zero if unknown
}
