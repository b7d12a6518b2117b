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
	"vestibule/internal/report"
)

// File is a supplier's file on a person. Amounts are in hundredths of Currency's unit, even
// if the currency has no smaller unit. Zero dates are unknown.
type File struct {
	Supplier string `json:"-"`                  // code of report.Suppliers
	RecordID string `json:"recordId,omitempty"` // UUID of the person's record there
	Found    bool   `json:"found"`              // false if the supplier has no person of that name
	Currency string `json:"currency,omitempty"` // ISO 4217; empty without credit

	Person        Person         `json:"person,omitzero"`
	Scores        []Score        `json:"scores,omitempty"`
	Tradelines    []Tradeline    `json:"tradelines,omitempty"`
	Addresses     []Address      `json:"addresses,omitempty"`
	Employers     []Employer     `json:"employers,omitempty"`
	OtherIncomes  []OtherIncome  `json:"otherIncomes,omitempty"`
	Inquiries     []Inquiry      `json:"inquiries,omitempty"`
	Identifiers   []Identifier   `json:"identifiers,omitempty"`
	BankAccounts  []BankAccount  `json:"bankAccounts,omitempty"`
	PublicRecords []PublicRecord `json:"publicRecords,omitempty"`
	Collections   []Collection   `json:"collections,omitempty"`
	NSF           []NSF          `json:"nsf,omitempty"`
	Disputes      []Dispute      `json:"disputes,omitempty"`
	Notices       []string       `json:"notices,omitempty"`
}

// Person is the identity in the file.
type Person struct {
	First          string      `json:"firstName,omitempty"`
	Last           string      `json:"lastName,omitempty"`
	Full           string      `json:"fullName,omitempty"`
	Middle         string      `json:"middleName,omitempty"`
	Transliterated string      `json:"transliteratedFullName,omitempty"` // the full name in Latin letters, as the supplier spells it
	Others         []string    `json:"otherNames,omitempty"`
	Born           report.Date `json:"dateOfBirth,omitzero"`
	Emails         []string    `json:"emails,omitempty"`
	Telephones     []string    `json:"telephones,omitempty"`
	Deceased       bool        `json:"deceased,omitempty"`
	Died           report.Date `json:"dateOfDeath,omitzero"`
	Documents      []Document  `json:"documents,omitempty"` // read in submitted ID documents
}

// Document is a submitted ID document.
type Document struct {
	Type    string      `json:"type"`
	Number  string      `json:"number,omitempty"`
	Country string      `json:"country,omitempty"` // ISO 3166-1 alpha-3
	Issued  report.Date `json:"issued,omitzero"`
	Expires report.Date `json:"expires,omitzero"`
}

// Score is a score on the supplier's own scale.
type Score struct {
	Name    string               `json:"name"`
	Value   int                  `json:"value"`
	Minimum int                  `json:"minimum"`
	Maximum int                  `json:"maximum"`
	Date    report.Date          `json:"date,omitzero"`
	Reasons []report.ScoreFactor `json:"reasons,omitempty"`
}

// Tradeline is one credit. A nil amount was not reported.
type Tradeline struct {
	ID         string        `json:"id"`   // UUID
	Type       string        `json:"type"` // one of report's Trade… constants
	Opened     report.Date   `json:"opened,omitzero"`
	Closed     report.Date   `json:"closed,omitzero"`
	ChargedOff bool          `json:"chargedOff,omitempty"`
	Limit      *report.Cents `json:"limit,omitempty"`
	Balance    *report.Cents `json:"balance,omitempty"`
	Payment    *report.Cents `json:"payment,omitempty"` // monthly
	PastDue    *report.Cents `json:"pastDue,omitempty"`
	Marks      []Mark        `json:"marks,omitempty"`
}

// Mark is the payment status of one month. The worst of several counts.
type Mark struct {
	Month      report.Date `json:"month"`          // any day of it
	Days       int         `json:"days,omitempty"` // past due
	ChargedOff bool        `json:"chargedOff,omitempty"`
}

// Address is a place where the person lived.
type Address struct {
	Line     string      `json:"line,omitempty"`
	Street   string      `json:"street,omitempty"`
	City     string      `json:"city,omitempty"`
	Region   string      `json:"region,omitempty"`
	Postcode string      `json:"postcode,omitempty"`
	Country  string      `json:"country,omitempty"`
	First    report.Date `json:"first,omitzero"` // reported
	Last     report.Date `json:"last,omitzero"`  // reported
}

// Employer is a place where the person worked.
type Employer struct {
	Name    string        `json:"name,omitempty"`
	Job     string        `json:"job,omitempty"`
	Start   report.Date   `json:"start,omitzero"`
	End     report.Date   `json:"end,omitzero"`
	Last    report.Date   `json:"last,omitzero"`
	Monthly *report.Cents `json:"monthly,omitempty"`
}

// OtherIncome is income from a source other than an employer.
type OtherIncome struct {
	Type      string        `json:"type"`
	Frequency string        `json:"frequency,omitempty"`
	Amount    *report.Cents `json:"amount,omitempty"`
	Reported  report.Date   `json:"reported,omitzero"`
}

// Inquiry is a request for the file.
type Inquiry struct {
	Date     report.Date   `json:"date,omitzero"`
	Inquirer string        `json:"inquirer,omitempty"`
	Purpose  string        `json:"purpose,omitempty"`
	Amount   *report.Cents `json:"amount,omitempty"`
}

// Identifier is a number that an authority assigned.
type Identifier struct {
	Type    string `json:"type"`
	Value   string `json:"value"`
	Country string `json:"country,omitempty"`
}

// BankAccount is a bank account that the supplier knows of.
type BankAccount struct {
	Institution string      `json:"institution,omitempty"`
	Type        string      `json:"type,omitempty"`
	Number      string      `json:"number,omitempty"`
	Opened      report.Date `json:"opened,omitzero"`
	Closed      report.Date `json:"closed,omitzero"`
}

// PublicRecord is a record of a court or an authority.
type PublicRecord struct {
	Type     string        `json:"type"`
	Court    string        `json:"court,omitempty"`
	Filed    report.Date   `json:"filed,omitzero"`
	Resolved report.Date   `json:"resolved,omitzero"`
	Amount   *report.Cents `json:"amount,omitempty"`
}

// Collection is a debt in collection by an agency.
type Collection struct {
	Agency   string        `json:"agency,omitempty"`
	Creditor string        `json:"creditor,omitempty"`
	Assigned report.Date   `json:"assigned,omitzero"`
	Original *report.Cents `json:"original,omitempty"`
	Balance  *report.Cents `json:"balance,omitempty"`
}

// NSF is a payment that a bank returned.
type NSF struct {
	Institution string        `json:"institution,omitempty"`
	Date        report.Date   `json:"date,omitzero"`
	Amount      *report.Cents `json:"amount,omitempty"`
}

// Dispute is a dispute of the person. AccountID is a tradeline's, or empty.
type Dispute struct {
	AccountID   string      `json:"accountId,omitempty"`
	Description string      `json:"description"`
	Filed       report.Date `json:"filed,omitzero"`
	Resolved    bool        `json:"resolved,omitempty"`
}

// Quote is a rate of exchange: US dollars for one unit of the currency.
type Quote struct {
	Currency string      `json:"currency"`
	Rate     report.Rate `json:"rate"`
	Day      report.Date `json:"day"`
	Source   string      `json:"source"` // source of the quote
}

// Consumer is the person as entered.
type Consumer struct {
	First  string      `json:"firstName"`
	Last   string      `json:"lastName"`
	Emails []string    `json:"emails,omitempty"`
	Born   report.Date `json:"dateOfBirth,omitzero"` // zero if unknown
}
