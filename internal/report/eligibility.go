package report

import (
	"slices"

	"vestibule/internal/contract"
)

// EligibilityVersion is meta.api_version of the eligibility report.
const EligibilityVersion = "1.0.0"

// Workflow selects what an eligibility report verifies.
type Workflow string

// The workflows. A report of income only has meta, product, stated_employers,
// identities, employment, income and documents. One of assets only has meta, product,
// identities, assets, documents and application_completeness_checks. One of both has
// every node.
const (
	IncomeOnly      Workflow = "INCOME"
	AssetsOnly      Workflow = "ASSETS"
	IncomeAndAssets Workflow = "INCOME_AND_ASSETS"
)

// Workflows lists the workflows.
func Workflows() []Workflow { return []Workflow{IncomeOnly, AssetsOnly, IncomeAndAssets} }

// Valid reports whether w is one of the workflows.
func (w Workflow) Valid() bool { return w == IncomeOnly || w == AssetsOnly || w == IncomeAndAssets }

// Income reports whether employers and income are verified.
func (w Workflow) Income() bool { return w != AssetsOnly }

// Assets reports whether assets are verified.
func (w Workflow) Assets() bool { return w != IncomeOnly }

// Eligibility is the body of the eligibility report (API reference: Reports). Its
// Workflow determines which nodes it can have.
type Eligibility struct {
	Meta            *Meta                   `json:"meta,omitempty"`
	Product         *Product                `json:"product,omitempty"`
	StatedEmployers []StatedEmployer        `json:"stated_employers,omitempty"`
	Identities      []EligibilityIdentity   `json:"identities,omitempty"`
	Employment      []EligibilityEmployment `json:"employment,omitempty"`
	Assets          *Assets                 `json:"assets,omitempty"`
	Income          *EligibilityIncome      `json:"income,omitempty"` // nil: no payroll was connected
	Documents       []EligibilityDocument   `json:"documents,omitempty"`
	// by one of CompletenessChecks; written in the order of the names
	Checks  Checks           `json:"application_completeness_checks,omitempty"`
	Notices []ConsumerNotice `json:"consumer_notices,omitempty"`

	LeftOut []string `json:"-"` // parts of another shape than ours, where the API reference leaves it open
}

// HasStatements reports whether the report has pay statements.
func (r *Eligibility) HasStatements() bool {
	return r.Income != nil && slices.ContainsFunc(r.Income.Payroll, func(p EligibilityPayroll) bool { return len(p.Statements) > 0 })
}

// StatedEmployer is an employer that the consumer named. Without a verification source
// and a skipped_reason it is open: neither verified nor explicitly skipped.
type StatedEmployer struct {
	Name                string               `json:"name"`
	InputMethod         string               `json:"input_method"`         // ConsumerInput, CustomerInput
	VerificationSources []VerificationSource `json:"verification_sources"` // never null
	SkippedReason       *string              `json:"skipped_reason"`       // one of SkippedReasons
}

// VerificationSource is a source searched for an employer, successfully or not.
type VerificationSource struct {
	SourceID   string              `json:"source_id"`
	SourceUUID string              `json:"source_uuid"`
	SourceType string              `json:"source_type"` // SourcePayroll, VerifiedByDocument, VerifiedByPaystub
	Status     contract.Status     `json:"status"`
	Substatus  *contract.Substatus `json:"substatus"`
}

// Values of a verification source's source_type and of document_type, besides
// SourcePayroll.
const (
	VerifiedByDocument = "DOCUMENT"
	VerifiedByPaystub  = "PAYSTUB"
)

// Document types of data from a bank and from a payroll provider, in the list of any
// report's files and in an eligibility report's documents.
const (
	BankTransactionsDocument  = "BANK_TRANSACTIONS"
	PayrollStatementsDocument = "PAYROLL_STATEMENTS"
)

// SkippedReasons lists the values of skipped_reason: why the consumer did not have an
// employer verified.
func SkippedReasons() []string {
	return []string{"NO_LONGER_EMPLOYED", "PROVIDER_NOT_FOUND", "CREDENTIALS_UNAVAILABLE", "DOCUMENTS_UNAVAILABLE", "OTHER"}
}

// EligibilityIdentity is one name under which a source knows the consumer.
type EligibilityIdentity struct {
	SourceID   string               `json:"source_id"`
	SourceUUID *string              `json:"source_uuid"` // the connection through which the source reported
	FirstName  *string              `json:"first_name"`
	LastName   *string              `json:"last_name"`
	FullName   *string              `json:"full_name"`
	Emails     []string             `json:"emails"`
	Matching   *EligibilityMatching `json:"matching,omitempty"` // only on the consumer's own input, and not when it is the only identity
}

// ConnectionRef names one source of the report.
type ConnectionRef struct {
	SourceID   string  `json:"source_id"`
	SourceUUID *string `json:"source_uuid"`
}

// EligibilityEmployment is one employment as a payroll provider knows it, or the
// employer that a pay stub shows.
type EligibilityEmployment struct {
	SourceID        string          `json:"source_id"`
	SourceUUID      string          `json:"source_uuid"`
	EmployerName    *string         `json:"employer_name"`
	EmployerLine1   *string         `json:"employer_address_line_1"`
	EmployerLine2   *string         `json:"employer_address_line_2"`
	EmployerCity    *string         `json:"employer_city"`
	EmployerState   *string         `json:"employer_state"`
	Type            *string         `json:"employment_type"`   // as in EmploymentFullTime
	Status          *string         `json:"employment_status"` // as in EmploymentActive
	JobTitle        *string         `json:"job_title"`
	HireDate        *Date           `json:"hire_date"`
	TerminationDate *Date           `json:"termination_date"` // null while active
	BasePayRate     *Cents          `json:"base_pay_rate"`    // of one BasePayPeriod
	BasePayPeriod   *string         `json:"base_pay_period"`  // PaySalary, PayHourly, PayMonthly
	Matching        EmployerMatches `json:"matching"`
}

// Values of base_pay_period, besides PayMonthly.
const (
	PaySalary = "SALARY"
	PayHourly = "HOURLY"
)

// EmployerMatches lists the parts of the report that agree with an employment.
type EmployerMatches struct {
	EmployerName   EmployerNameMatching    `json:"employer_name"`
	DirectDeposits *DirectDepositsMatching `json:"direct_deposit_accounts,omitempty"` // only where assets are verified
}

// EmployerNameMatching lists the stated employers that match this one and those that do
// not. Both are arrays, never null.
type EmployerNameMatching struct {
	Matched   []StatedName `json:"matched_employer_name"`
	Unmatched []StatedName `json:"unmatched_employer_name"`
}

// StatedName is the name of one of the stated employers.
type StatedName struct {
	StatedEmployer string `json:"stated_employer"`
}

// DirectDepositsMatching lists the accounts that an employer pays into: those that
// the report verifies and the others. Both are arrays, never null.
type DirectDepositsMatching struct {
	Matched   []MatchedDeposit   `json:"matched_direct_deposit_accounts"`
	Unmatched []UnmatchedDeposit `json:"unmatched_direct_deposit_accounts"`
}

// MatchedDeposit is an account of the report that an employer pays into.
type MatchedDeposit struct {
	AccountID       string  `json:"matched_account_id"` // of one of Assets.AccountDetails
	TruncatedNumber *string `json:"truncated_account_number"`
	InstitutionName *string `json:"institution_name"`
}

// UnmatchedDeposit is an account that an employer pays into and that is not in the
// report.
type UnmatchedDeposit struct {
	TruncatedNumber *string `json:"truncated_account_number"`
	InstitutionName *string `json:"institution_name"`
}

// Assets is the report's `assets`. All are arrays, never null.
type Assets struct {
	AccountDetails []AssetAccount          `json:"account_details"`
	Inflows        []Inflow                `json:"inflows"`
	MatchedIncome  []MatchedIncomeSource   `json:"matched_income_sources"`
	Failed         Loose[FailedConnection] `json:"failed_connections"`
}

// AssetAccount is one bank or investment account.
type AssetAccount struct {
	SourceID             string          `json:"source_id"`
	SourceUUID           string          `json:"source_uuid"`
	AccountID            string          `json:"account_id"` // UUID; the ACH details endpoint takes it
	OwnerFullName        *string         `json:"owner_full_name"`
	InstitutionName      *string         `json:"institution_name"`
	AccountName          *string         `json:"account_name"`
	AccountType          *string         `json:"account_type"`           // CashEquivalent, Investment
	AccountSubtype       *string         `json:"account_subtype"`        // Checking, Savings, Other; null where not cash-equivalent
	FirstTransaction     *Date           `json:"date_first_transaction"` // within the retrieved two years
	LastStatementEndDate *Date           `json:"last_statement_end_date"`
	TruncatedNumber      *string         `json:"truncated_account_number"` // the last four digits
	Responsibility       *string         `json:"responsibility"`           // Individual, Joint
	Addresses            []IncomeAddress `json:"addresses"`
	CurrentBalance       *Cents          `json:"current_balance"`                  // as the bank states it
	AverageBalance       *Cents          `json:"six_months_average_balance"`       // over the available data, without extrapolation
	IncomeFromAssets     *Cents          `json:"twelve_months_income_from_assets"` // interest and dividends, without extrapolation
	BalanceTerms
}

// CurrencyCode returns the currency of the accounts and their inflows. Amounts of payroll are in
// US dollars.
func (a *Assets) CurrencyCode() string { return figuresIn(a.AccountDetails) }

// FailedConnection is a bank whose connection failed.
type FailedConnection struct {
	SourceID        string              `json:"source_id"`
	SourceUUID      string              `json:"source_uuid"`
	InstitutionName *string             `json:"institution_name"`
	Status          contract.Status     `json:"status"`
	Substatus       *contract.Substatus `json:"substatus"`
	FailedAt        Timestamp           `json:"failed_at"`
}

// EligibilityIncome is the report's `income`.
type EligibilityIncome struct {
	Payroll []EligibilityPayroll `json:"payroll"`
}

// EligibilityPayroll is the income data of one payroll connection.
type EligibilityPayroll struct {
	SourceID            string                 `json:"source_id"`
	SourceUUID          string                 `json:"source_uuid"`
	ProviderName        *string                `json:"provider_name"`
	ProviderType        *string                `json:"provider_type"` // EMPLOYER, PAYROLL_COMPANY, GIG_PLATFORM
	AnnualGross         *Cents                 `json:"annual_gross_income"`
	AnnualNet           *Cents                 `json:"annual_net_income"`
	PayFrequency        *string                `json:"pay_frequency"` // as in PayWeekly
	GigsAnnualGross     *Cents                 `json:"gigs_annual_gross_earnings"`
	GigsAnnualDeposited *Cents                 `json:"gigs_annual_deposited_amount"`
	GigsAnnualNet       *Cents                 `json:"gigs_annual_net_earnings"`
	Gigs                Loose[GigSummary]      `json:"gig_summaries"`
	Calendar            []CalendarYear         `json:"calendar_summary,omitempty"` // the most recent year first
	Statements          []EligibilityStatement `json:"statements"`                 // the most recent first
}

// GigSummary is a worker's activity on a platform in a period.
type GigSummary struct {
	PlatformName *string `json:"platform_name"`
	PeriodStart  *Date   `json:"period_start"`
	PeriodEnd    *Date   `json:"period_end"`
	Count        *int64  `json:"gig_count"`
	HoursWorked  *Hours  `json:"hours_worked"`
	Gross        *Cents  `json:"gross_earnings"`
	Tips         *Cents  `json:"tips"`
	Bonuses      *Cents  `json:"bonuses"`
	Fees         *Cents  `json:"fees"`
	Deposited    *Cents  `json:"deposited_amount"`
}

// CalendarYear is the income of one calendar year.
type CalendarYear struct {
	Year  string `json:"year"` // four digits
	Gross *Cents `json:"calendar_year_gross_income"`
	Net   *Cents `json:"calendar_year_net_income"`
}

// EligibilityStatement is one pay statement.
type EligibilityStatement struct {
	PayDate        *Date  `json:"pay_date"`
	PayPeriodStart *Date  `json:"pay_period_start"`
	PayPeriodEnd   *Date  `json:"pay_period_end"`
	HoursWorked    *Hours `json:"hours_worked"`
	GrossTotal     *Cents `json:"gross_total_earnings_amount_current"`
	GrossTotalYTD  *Cents `json:"gross_total_earnings_amount_ytd"`
	NetTotal       *Cents `json:"net_total_earnings_amount_current"`
	NetTotalYTD    *Cents `json:"net_total_earnings_amount_ytd"`
}

// Hours is a time in hundredths of an hour. In JSON it is a number with two
// decimals.
type Hours = Cents

// EligibilityDocument is a file of the report.
type EligibilityDocument struct {
	SourceID       string `json:"source_id"`
	SourceUUID     string `json:"source_uuid"`
	DocumentType   string `json:"document_type"` // VerifiedByDocument, VerifiedByPaystub, BankTransactionsDocument, PayrollStatementsDocument
	DocumentID     string `json:"document_id"`
	AvailableDate  *Date  `json:"available_date"`  // since when the service has it
	SourceFilepath string `json:"source_filepath"` // the files endpoint takes it
}

// Check is the result of one check.
type Check = ConsistencyCheck

// The names of application_completeness_checks.
const (
	CheckEmployers      = "EMPLOYERS_VERIFIED_OR_SKIPPED"
	CheckAssets         = "ASSET_ACCOUNT_CONNECTED"
	CheckDirectDeposits = "DIRECT_DEPOSIT_ACCOUNTS_CONNECTED"
	CheckSixMonths      = "SIX_MONTHS_HISTORY_AVAILABLE"
	CheckFailed         = "NO_FAILED_CONNECTIONS"
	CheckDocuments      = "DOCUMENTS_READABLE"
)

// CompletenessChecks lists the names of application_completeness_checks.
func CompletenessChecks() []string {
	return []string{CheckEmployers, CheckAssets, CheckDirectDeposits, CheckSixMonths, CheckFailed, CheckDocuments}
}

// ParseEligibility parses an eligibility report of any provider. It ignores unknown
// fields, since integrations must tolerate additions. Where the API reference leaves a
// shape open, it leaves out parts of another shape than ours. It refuses a body without
// meta.
func ParseEligibility(raw []byte) (*Eligibility, error) {
	var body Eligibility
	if err := parseBody("eligibility report", raw, &body, &body.Meta); err != nil {
		return nil, err
	}
	body.LeftOut = unparsedParts(raw, body)
	return &body, nil
}
