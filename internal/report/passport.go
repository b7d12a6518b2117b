package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// PassportVersion is meta.api_version of the passport.
const PassportVersion = "4.0.0"

// Passport is the body of the passport, an applicant's credit file from abroad. The API
// reference leaves its shape open; see docs/divergences.md. Amounts are in the currency
// named beside them, the supplier's. In another provider's passport, nodes of another
// shape are left out.
type Passport struct {
	Meta          *Meta                      `json:"meta,omitempty"`
	Product       *Product                   `json:"product,omitempty"`
	Sources       Loose[Source]              `json:"sources,omitempty"`
	Identities    Loose[PassportIdentity]    `json:"identities,omitempty"`
	Scores        Loose[PassportScore]       `json:"scores,omitempty"`
	Currencies    Loose[PassportCurrency]    `json:"currencies,omitempty"`
	Tradelines    Loose[Tradeline]           `json:"tradelines,omitempty"`
	Addresses     Loose[PassportAddress]     `json:"addresses,omitempty"`
	Employers     Loose[PassportEmployer]    `json:"employers,omitempty"`
	OtherIncomes  Loose[PassportIncome]      `json:"other_incomes,omitempty"`
	Inquiries     Loose[PassportInquiry]     `json:"inquiries,omitempty"`
	Identifiers   Loose[PassportIdentifier]  `json:"identifiers,omitempty"`
	BankAccounts  Loose[PassportBankAccount] `json:"bank_accounts,omitempty"`
	PublicRecords Loose[PublicRecord]        `json:"public_records,omitempty"`
	Collections   Loose[Collection]          `json:"collections,omitempty"`
	NSF           Loose[NonsufficientFunds]  `json:"nonsufficient_funds,omitempty"`
	Disputes      Loose[PassportDispute]     `json:"disputes,omitempty"`
	Notices       Loose[PassportNotice]      `json:"notices,omitempty"`

	LeftOut []string `json:"-"` // nodes that are not, or not fully, of our shape
}

// Values of source_type that only the passport has.
const (
	SourceCreditBureau     = "CREDIT_BUREAU"
	SourceIdentityDocument = "IDENTITY_DOCUMENT"
)

// PassportIdentity is one identity under which a source knows the consumer. Fields that
// the supplier does not provide (IdentityFields) are null or empty.
type PassportIdentity struct {
	SourceID           string             `json:"source_id"`
	SourceRecordID     *string            `json:"source_record_id"` // UUID
	FirstName          *string            `json:"first_name"`
	LastName           *string            `json:"last_name"`
	FullName           *string            `json:"full_name"`
	MiddleName         *string            `json:"middle_name"`
	TransliteratedName *string            `json:"transliterated_full_name"`
	OtherNames         []string           `json:"other_names"`
	DateOfBirth        *Date              `json:"date_of_birth"`
	Emails             []string           `json:"emails"`
	Telephones         []string           `json:"telephones"`
	IsDeceased         *bool              `json:"is_deceased"`
	DateOfDeath        *Date              `json:"date_of_death"` // only of the deceased
	Documents          []IdentityDocument `json:"documents"`
	Matching           *IncomeMatching    `json:"matching,omitempty"` // only on the consumer's own input, and not when it is the only identity
}

// IdentityDocument is the data read from a submitted document.
type IdentityDocument struct {
	Type            string  `json:"document_type"`             // PASSPORT, NATIONAL_ID, DRIVERS_LICENSE
	TruncatedNumber *string `json:"truncated_document_number"` // the last four letters and digits
	Country         *string `json:"issuing_country"`           // ISO 3166-1 alpha-3
	Issued          *Date   `json:"issue_date"`
	Expires         *Date   `json:"expiry_date"`
}

// PassportScore is a bureau's score on the bureau's own scale; higher is better. In
// JSON its type and value also have their former names, score_name and score_value.
type PassportScore struct {
	SourceID string        `json:"source_id"`
	Type     string        `json:"score_type,omitempty"` // or score_name
	Value    int           `json:"value,omitempty"`      // or score_value
	Minimum  int           `json:"minimum_value"`
	Maximum  int           `json:"maximum_value"`
	Date     *Date         `json:"score_date"`
	Reasons  []ScoreFactor `json:"reasons"` // most important first
}

// passportScoreJSON is a PassportScore with the former names of its members.
type passportScoreJSON struct {
	SourceID    string        `json:"source_id"`
	Type        *string       `json:"score_type"`
	Value       *int          `json:"value"`
	FormerType  *string       `json:"score_name"`
	FormerValue *int          `json:"score_value"`
	Minimum     int           `json:"minimum_value"`
	Maximum     int           `json:"maximum_value"`
	Date        *Date         `json:"score_date"`
	Reasons     []ScoreFactor `json:"reasons"`
}

// MarshalJSON writes type and value under both names.
func (s PassportScore) MarshalJSON() ([]byte, error) {
	return json.Marshal(passportScoreJSON{s.SourceID, &s.Type, &s.Value, &s.Type, &s.Value, s.Minimum, s.Maximum, s.Date, s.Reasons})
}

// UnmarshalJSON reads type and value under either name.
func (s *PassportScore) UnmarshalJSON(raw []byte) error {
	var in passportScoreJSON
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	kind, value := cmp.Or(in.Type, in.FormerType), cmp.Or(in.Value, in.FormerValue)
	if kind == nil || value == nil {
		return errors.New("score without type or value")
	}
	*s = PassportScore{in.SourceID, *kind, *value, in.Minimum, in.Maximum, in.Date, in.Reasons}
	return nil
}

// ScoreFactor is a bureau's reason for a score.
type ScoreFactor struct {
	Code        string `json:"code"`
	Description string `json:"description"`
}

// Rate is US dollars for one unit of a currency, in billionths; in JSON a number
// with nine decimals.
type Rate int64

// RateUnit is the rate of the dollar itself.
const RateUnit Rate = 1_000_000_000

// String returns the rate with nine decimals.
func (r Rate) String() string { return fmt.Sprintf("%d.%09d", r/RateUnit, r%RateUnit) }

// MarshalJSON writes a number with nine decimals.
func (r Rate) MarshalJSON() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalJSON parses a positive number of at most a million, rounded to a billionth.
func (r *Rate) UnmarshalJSON(b []byte) error {
	n, err := parseFixed(string(b), 9)
	if err != nil || n <= 0 {
		return errors.New("not a rate of exchange")
	}
	*r = Rate(n)
	return nil
}

// PassportCurrency is a currency of the report with its rate in US dollars and the sums
// of its tradelines. A sum is absent if it was reported for none of them.
type PassportCurrency struct {
	SourceID   string          `json:"source_id"`
	Currency   string          `json:"currency"`    // ISO 4217
	Rate       *Rate           `json:"usd_rate"`    // US dollars for one unit; null if unknown
	RateDate   *Date           `json:"rate_date"`   // the day of the quote
	RateSource *string         `json:"rate_source"` // source of the quote
	Totals     TradelineTotals `json:"totals"`
	TotalsUSD  TradelineTotals `json:"totals_usd"` // at that rate
}

// TradelineTotals are sums over tradelines that are not closed.
type TradelineTotals struct {
	CreditLimit    *Cents `json:"credit_limit"`
	Balance        *Cents `json:"balance"`
	MonthlyPayment *Cents `json:"monthly_payment"`
	PastDue        *Cents `json:"past_due"`
}

// Tradeline is one credit: a card, a loan, a contract.
type Tradeline struct {
	SourceID       string         `json:"source_id"`
	AccountID      string         `json:"account_id"` // UUID
	Type           string         `json:"type"`       // one of the Trade… constants
	Status         string         `json:"status"`     // one of the Tradeline… constants
	Opened         *Date          `json:"opened_date"`
	Closed         *Date          `json:"closed_date"`
	Currency       string         `json:"currency"`
	CreditLimit    *Cents         `json:"credit_limit"` // of a loan, the original amount
	Balance        *Cents         `json:"balance"`
	MonthlyPayment *Cents         `json:"monthly_payment"`
	PastDue        *Cents         `json:"past_due"`
	History        []PaymentMonth `json:"payment_history"` // the last 24 complete months, the latest first
}

// HistoryMonths is the number of months in a payment_history.
const HistoryMonths = 24

// Kinds of tradelines.
const (
	TradeCard     = "CREDIT_CARD"
	TradeLine     = "LINE_OF_CREDIT"
	TradePersonal = "PERSONAL_LOAN"
	TradeAuto     = "AUTO_LOAN"
	TradeMortgage = "MORTGAGE"
	TradeStudent  = "STUDENT_LOAN"
	TradeRetail   = "RETAIL_CREDIT"
	TradeTelecom  = "TELECOM"
	TradeOther    = "OTHER"
)

// Statuses of tradelines.
const (
	TradelineOpen       = "OPEN"
	TradelineDelinquent = "DELINQUENT" // open, with an amount past due
	TradelineChargedOff = "CHARGED_OFF"
	TradelineClosed     = "CLOSED"
)

// PaymentMonth is the payment status of a month. Status is nil without data: the credit
// did not exist yet, or nothing was reported.
type PaymentMonth struct {
	Month  string  `json:"month"`  // Short Date
	Status *string `json:"status"` // one of the Paid… constants
}

// Payment statuses of a month.
const (
	PaidOK         = "OK"
	PaidLate1      = "LATE_1_29" // days
	PaidLate30     = "LATE_30_59"
	PaidLate60     = "LATE_60_89"
	PaidLate90     = "LATE_90_119"
	PaidLate120    = "LATE_120"
	PaidChargedOff = "CHARGE_OFF"
)

// PassportAddress is one address of the consumer; the latest comes first.
type PassportAddress struct {
	SourceID string  `json:"source_id"`
	Address  *string `json:"address"` // in one line, as the supplier writes it
	Street   *string `json:"street"`
	City     *string `json:"city"`
	Region   *string `json:"region"`
	Postcode *string `json:"postal_code"`
	Country  *string `json:"country"` // ISO 3166-1 alpha-3
	First    *Date   `json:"first_reported_date"`
	Last     *Date   `json:"last_reported_date"`
}

// PassportEmployer is one employer of the consumer; the latest comes first.
type PassportEmployer struct {
	SourceID      string  `json:"source_id"`
	Name          *string `json:"employer_name"`
	JobTitle      *string `json:"job_title"`
	Start         *Date   `json:"start_date"`
	End           *Date   `json:"end_date"`
	Currency      *string `json:"currency"`
	MonthlyIncome *Cents  `json:"monthly_income"`
	Last          *Date   `json:"last_reported_date"`
}

// PassportIncome is income from a source other than an employer.
type PassportIncome struct {
	SourceID  string  `json:"source_id"`
	Type      string  `json:"type"` // RENTAL, PENSION, SELF_EMPLOYMENT, BENEFIT, OTHER
	Currency  *string `json:"currency"`
	Amount    *Cents  `json:"amount"`
	Frequency *string `json:"frequency"` // MONTHLY, ANNUAL
	Reported  *Date   `json:"reported_date"`
}

// PassportInquiry is an inquiry into the credit file; the latest comes first.
type PassportInquiry struct {
	SourceID string  `json:"source_id"`
	Date     *Date   `json:"inquiry_date"`
	Inquirer *string `json:"inquirer_name"`
	Purpose  *string `json:"purpose"` // NEW_CREDIT, ACCOUNT_REVIEW, TELECOM, TENANCY
	Currency *string `json:"currency"`
	Amount   *Cents  `json:"amount"` // requested amount
}

// PassportIdentifier is a number that an authority assigned to the consumer.
type PassportIdentifier struct {
	SourceID  string  `json:"source_id"`
	Type      string  `json:"type"`            // NATIONAL_ID, TAX_ID, SOCIAL_SECURITY
	Truncated *string `json:"truncated_value"` // the last four letters and digits
	Country   *string `json:"country"`         // ISO 3166-1 alpha-3
}

// PassportBankAccount is a bank account that the supplier knows of.
type PassportBankAccount struct {
	SourceID    string  `json:"source_id"`
	Institution *string `json:"institution_name"`
	Type        *string `json:"account_type"` // Checking, Savings, Other
	Truncated   *string `json:"truncated_account_number"`
	Opened      *Date   `json:"opened_date"`
	Closed      *Date   `json:"closed_date"`
	Currency    *string `json:"currency"`
}

// PublicRecord is a record of a court or an authority.
type PublicRecord struct {
	SourceID string  `json:"source_id"`
	Type     string  `json:"type"` // BANKRUPTCY, JUDGMENT, TAX_LIEN
	Court    *string `json:"court_name"`
	Filed    *Date   `json:"filed_date"`
	Resolved *Date   `json:"resolved_date"`
	Status   string  `json:"status"` // FILED, RESOLVED
	Currency *string `json:"currency"`
	Amount   *Cents  `json:"amount"`
}

// Collection is a debt in collection by an agency.
type Collection struct {
	SourceID string  `json:"source_id"`
	Agency   *string `json:"agency_name"`
	Creditor *string `json:"original_creditor_name"`
	Assigned *Date   `json:"assigned_date"`
	Status   string  `json:"status"` // OPEN, PAID
	Currency *string `json:"currency"`
	Original *Cents  `json:"original_amount"`
	Balance  *Cents  `json:"balance"`
}

// NonsufficientFunds is a payment that a bank returned.
type NonsufficientFunds struct {
	SourceID    string  `json:"source_id"`
	Institution *string `json:"institution_name"`
	Date        *Date   `json:"event_date"`
	Currency    *string `json:"currency"`
	Amount      *Cents  `json:"amount"`
}

// PassportDispute is a dispute of the consumer with the supplier.
type PassportDispute struct {
	SourceID    string  `json:"source_id"`
	AccountID   *string `json:"account_id"` // of a tradeline; null for another subject
	Filed       *Date   `json:"filed_date"`
	Status      string  `json:"status"` // OPEN, RESOLVED
	Description *string `json:"description"`
}

// PassportNotice is a notice to be shown with the report.
type PassportNotice struct {
	SourceID    *string `json:"source_id"` // null: of the report
	Description string  `json:"description"`
}

// ParsePassport parses a passport of any provider. It ignores unknown fields, since
// integrations must tolerate additions, and leaves out parts of another shape than
// ours. It refuses a body without meta.
func ParsePassport(raw []byte) (*Passport, error) {
	var body Passport
	if err := parseBody("passport", raw, &body, &body.Meta); err != nil {
		return nil, err
	}
	body.LeftOut = unparsedParts(raw, body)
	return &body, nil
}
