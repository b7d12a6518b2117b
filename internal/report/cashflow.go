package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
)

// CashflowVersion is meta.api_version of the cashflow report.
const CashflowVersion = "2.0.0"

// Cashflow is the body of the cashflow report.
type Cashflow struct {
	Meta           *Meta                  `json:"meta,omitempty"`
	Product        *Product               `json:"product,omitempty"`
	Sources        []Source               `json:"sources,omitempty"`
	Identities     []Identity             `json:"identities,omitempty"`
	AccountDetails []Account              `json:"account_details,omitempty"`
	Attributes     []Attribute            `json:"attributes,omitempty"`
	Properties     []ConsumerDataProperty `json:"consumer_data_properties,omitempty"`
	Scores         []Score                `json:"scores,omitempty"`

	// Notices are the person's statements after disputes and a fraud alert; only in a report with
	// one.
	Notices []ConsumerNotice `json:"consumer_notices,omitempty"`
}

// Meta identifies the report, its time and its consumer.
type Meta struct {
	PublicToken        string              `json:"public_token"`
	UserArgs           *string             `json:"user_args"`
	CreatedAt          Timestamp           `json:"created_at"` // when the consumer's data was retrieved
	APIVersion         string              `json:"api_version"`
	Revision           *string             `json:"svc_report_revision"`
	RevisionCreatedAt  *Timestamp          `json:"svc_report_revision_created_at"`
	ExternalID         *string             `json:"external_id"`
	Status             contract.Status     `json:"status"`
	Substatus          *contract.Substatus `json:"substatus"`
	ConsumerID         *string             `json:"consumer_id"`
	ConsumerExternalID *string             `json:"consumer_external_id"`
	ETag               string              `json:"-"` // of the service's answer; empty: it has none
	Until              time.Time           `json:"-"` // when the service stops giving the report out; zero: unknown
	Report             Report              `json:"-"` // whose meta it is, if Parse has parsed it
}

// Report is a *Cashflow, *Income, *Eligibility or *Passport.
type Report interface{ meta() *Meta }

func (r *Cashflow) meta() *Meta    { return r.Meta }
func (r *Income) meta() *Meta      { return r.Meta }
func (r *Eligibility) meta() *Meta { return r.Meta }
func (r *Passport) meta() *Meta    { return r.Meta }

// Revised returns the meta of a revision with a number.
func (m *Meta) Revised(revision int, at time.Time) *Meta {
	out := *m
	number, when := strconv.Itoa(revision), TimestampOf(at)
	out.Revision, out.RevisionCreatedAt = &number, &when
	return &out
}

// Product is the configured product that the report was made for.
type Product struct {
	Name        string `json:"name"`
	ProductID   string `json:"product_id"`
	InquiryType string `json:"inquiry_type"` // one of contract.InquiryTypes
}

// Source is one source of data. Its ID is readable and unique within the report.
type Source struct {
	SourceID   string          `json:"source_id"`
	SourceType string          `json:"source_type"` // one of the Source… constants
	Status     contract.Status `json:"status"`
}

// Values of source_type, and the source_id of what the consumer typed.
const (
	SourceBankTransaction = "BANK_TRANSACTION"
	SourceEmployment      = "EMPLOYMENT"
	SourcePayroll         = "PAYROLL"
	SourceManual          = "MANUAL"
	SourceFraud           = "FRAUD"

	ConsumerInput = "CONSUMER_INPUT"
	CustomerInput = "CUSTOMER_INPUT"
)

// Identity is one name under which a source knows the consumer.
type Identity struct {
	SourceID       string    `json:"source_id"`
	SourceUUID     *string   `json:"source_uuid"`
	SourceRecordID *string   `json:"source_record_id"`
	FirstName      *string   `json:"first_name"`
	LastName       *string   `json:"last_name"`
	FullName       *string   `json:"full_name"`
	Emails         []string  `json:"emails"`
	Matching       *Matching `json:"matching,omitempty"` // only on the consumer's own input, and not when it is the only identity
}

// SourceRef names one identity of the report.
type SourceRef struct {
	SourceID       string  `json:"source_id"`
	SourceUUID     *string `json:"source_uuid"`
	SourceRecordID *string `json:"source_record_id"`
}

// Account is one bank account.
type Account struct {
	SourceID             string    `json:"source_id"`
	AccountID            string    `json:"account_id"` // UUID; the ACH details endpoint takes it
	MonthsAvailable      int       `json:"months_available"`
	OwnerFullName        *string   `json:"owner_full_name"`
	InstitutionName      *string   `json:"institution_name"`
	AccountName          *string   `json:"account_name"`
	AccountType          string    `json:"account_type"`    // CASH_EQUIVALENT
	AccountSubtype       *string   `json:"account_subtype"` // CHECKING, SAVINGS, OTHER
	DateOpened           *Date     `json:"date_opened"`
	TruncatedNumber      *string   `json:"truncated_account_number"` // the last four digits
	Responsibility       *string   `json:"responsibility"`           // INDIVIDUAL, JOINT
	LastStatementEndDate *Date     `json:"last_statement_end_date"`
	Addresses            []Address `json:"addresses"`
	CurrentBalance       *Cents    `json:"current_balance"` // as the bank states it
	BalanceTerms
}

// BalanceTerms describes an account's balance. These members extend the API, and are
// omitted when they have their default meaning.
type BalanceTerms struct {
	Currency    string `json:"currency,omitempty"`            // ISO 4217; absent if both account and figures are in US dollars
	LeftOut     bool   `json:"left_out_of_figures,omitempty"` // true if in another currency than the figures
	BalanceDate *Date  `json:"balance_date,omitempty"`        // the day of the balance; absent if it is that of retrieval
}

// Dollars is the default currency.
const Dollars = "USD"

// CurrencyCode returns the currency of the account's amounts.
func (t BalanceTerms) CurrencyCode() string { return cmp.Or(t.Currency, Dollars) }

func (t BalanceTerms) terms() BalanceTerms { return t }

// figuresIn returns the currency of a report's figures, which is that of all its
// accounts that are not left out.
func figuresIn[A interface{ terms() BalanceTerms }](accounts []A) string {
	for _, a := range accounts {
		if t := a.terms(); !t.LeftOut {
			return t.CurrencyCode()
		}
	}
	return Dollars
}

// CurrencyCode returns the currency of the report's figures.
func (r *Cashflow) CurrencyCode() string { return figuresIn(r.AccountDetails) }

// Attribute returns the attribute of a name; nil if the report lacks it.
func (r *Cashflow) Attribute(name string) *Attribute {
	for i := range r.Attributes {
		if r.Attributes[i].Name == name {
			return &r.Attributes[i]
		}
	}
	return nil
}

// Values of account_type, account_subtype and responsibility.
const (
	CashEquivalent = "CASH_EQUIVALENT"
	Investment     = "INVESTMENT" // income and eligibility reports only
	Debt           = "DEBT"       // credit cards and loans, likewise

	Checking = "CHECKING"
	Savings  = "SAVINGS"
	Other    = "OTHER"

	Individual = "INDIVIDUAL"
	Joint      = "JOINT"
)

// Address is one contact address known to a bank; the first is the present one.
type Address struct {
	AddressID    string  `json:"address_id"` // UUID
	Address      *string `json:"address"`    // the full mailing address in one line
	Street       *string `json:"street"`
	Neighborhood *string `json:"neighborhood"`
	District     *string `json:"district"`
	City         *string `json:"city"`
	ZIPCode      *string `json:"zipcode"`
	State        *string `json:"state"`
}

// Line returns the address as one line.
func (a Address) Line() string {
	if full := Text(a.Address); full != "" {
		return full
	}
	parts := []string{Text(a.Street), Text(a.Neighborhood), Text(a.District), Text(a.City), Text(a.State), Text(a.ZIPCode)}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// Attribute is one computed figure. Value keeps its spelling, because the number of
// decimals depends on its value type.
type Attribute struct {
	Name              string      `json:"name"`
	Description       string      `json:"description"`
	Node              string      `json:"node"`
	SourceIDs         []string    `json:"source_ids"`
	Value             json.Number `json:"value"`
	AdverseActionCode string      `json:"adverse_action_code"` // strictly between "00" and "100"
}

// Missing says why an attribute has no value, by its sentinel (docs/explanation/analytics.md): no_records, no_category,
// no_values, or capped for one beyond its range; "" for an ordinary value.
func (a Attribute) Missing() string {
	value := a.Value
	if strings.Contains(a.Name, "_PRESENT_") && len(value) == 1 {
		value = "999" + value
	}
	switch value {
	case "9999998", "9998":
		return "no_records"
	case "9999997", "9997":
		return "no_category"
	case "9999996", "9996":
		return "no_values"
	case "9999995", "9999995.00", "9999995.00000", "9995":
		return "capped"
	}
	return ""
}

// Score is one version of the score; a report lists them by ascending semantic
// version.
type Score struct {
	SourceIDs          []string      `json:"source_ids"`
	ScoreType          string        `json:"score_type"` // SVC_SCORE_CASH_FLOW
	ScoreVersion       string        `json:"score_version"`
	Value              *int          `json:"value"` // null with too little data
	AdverseActionCodes []AdverseCode `json:"adverse_action_codes"`
}

// ScoreCashflow is the score_type of the cashflow report.
const ScoreCashflow = "SVC_SCORE_CASH_FLOW"

// AdverseCode is one reason for a score; each is tied to a returned attribute.
type AdverseCode struct {
	Code        string `json:"code"`
	Description string `json:"description"`
}

// ConsumerDataProperty is a measure of the data behind a v2.0 score.
type ConsumerDataProperty struct {
	FieldName string        `json:"field_name"`
	Value     PropertyValue `json:"value"`
}

// PropertyValue is an integer or a boolean.
type PropertyValue struct {
	Integer int64
	Boolean *bool // when set, the value is this and not Integer
}

// MarshalJSON writes a JSON number or boolean.
func (v PropertyValue) MarshalJSON() ([]byte, error) {
	if v.Boolean != nil {
		return json.Marshal(*v.Boolean)
	}
	return json.Marshal(v.Integer)
}

// UnmarshalJSON reads an integer or a boolean.
func (v *PropertyValue) UnmarshalJSON(b []byte) error {
	var flag bool
	if err := json.Unmarshal(b, &flag); err == nil && !bytes.Equal(b, []byte("null")) {
		*v = PropertyValue{Boolean: &flag}
		return nil
	}
	var n int64
	if err := json.Unmarshal(b, &n); err != nil || bytes.Equal(b, []byte("null")) {
		return errors.New("neither an integer nor a boolean")
	}
	*v = PropertyValue{Integer: n}
	return nil
}

// Encode returns the report's canonical JSON: keys in the API's order, no HTML
// escaping, no newline at the end.
func Encode(body any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Parse parses a report of a product, and returns its meta with the report.
func Parse(p contract.Product, raw []byte) (*Meta, error) {
	switch p {
	case contract.Cashflow:
		return metaOf(ParseCashflow(raw))
	case contract.Income:
		return metaOf(ParseIncome(raw))
	case contract.Eligibility:
		return metaOf(ParseEligibility(raw))
	case contract.Passport:
		return metaOf(ParsePassport(raw))
	}
	return nil, errors.New("report: no report of this product")
}

func metaOf(r Report, err error) (*Meta, error) {
	if err != nil {
		return nil, err
	}
	r.meta().Report = r
	return r.meta(), nil
}

// parseBody parses a report of the given kind into body, whose meta is then *meta. It
// requires a public_token.
func parseBody(kind string, raw []byte, body any, meta **Meta) error {
	if err := json.Unmarshal(raw, body); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	if *meta == nil || !contract.IsUUID((*meta).PublicToken) {
		return errors.New(kind + ": meta has no public_token")
	}
	return nil
}

// ParseCashflow parses a cashflow report of any provider. It ignores unknown fields,
// since integrations must tolerate additions, and accepts the name `identity` for
// `identities`, which some submissions use. It refuses a body without meta.
func ParseCashflow(raw []byte) (*Cashflow, error) {
	var body struct {
		Cashflow
		Identity []Identity `json:"identity"`
	}
	if err := parseBody("cashflow report", raw, &body, &body.Meta); err != nil {
		return nil, err
	}
	if body.Identities == nil {
		body.Identities = body.Identity
	}
	return &body.Cashflow, nil
}
