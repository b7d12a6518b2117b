package report

import "slices"

// IncomeVersion is meta.api_version of the income report.
const IncomeVersion = "2.0.0"

// SourcePaystub is the source_type of an uploaded pay stub.
const SourcePaystub = "PAYSTUB"

// Income is the body of the income report (API reference: Reports).
type Income struct {
	Meta           *Meta            `json:"meta,omitempty"`
	Product        *Product         `json:"product,omitempty"`
	Sources        []Source         `json:"sources,omitempty"`
	Identities     []IncomeIdentity `json:"identities,omitempty"`
	Employment     []Employment     `json:"employment,omitempty"`
	Income         *IncomeNode      `json:"income,omitempty"` // nil: no income information was found
	AccountDetails []IncomeAccount  `json:"account_details,omitempty"`
	Notices        []ConsumerNotice `json:"consumer_notices,omitempty"`
}

// IncomeIdentity is one name under which a source knows the consumer.
type IncomeIdentity struct {
	SourceID       string          `json:"source_id"`
	SourceRecordID *string         `json:"source_record_id"` // UUID
	FirstName      *string         `json:"first_name"`
	LastName       *string         `json:"last_name"`
	FullName       *string         `json:"full_name"`
	Emails         []string        `json:"emails"`
	Matching       *IncomeMatching `json:"matching,omitempty"` // only on the consumer's own input, and not when it is the only identity
}

// RecordRef names one identity, or one item of employment, of the report.
type RecordRef struct {
	SourceID       string  `json:"source_id"`
	SourceRecordID *string `json:"source_record_id"`
}

// Employment is one employer as a source knows it.
type Employment struct {
	SourceID          string              `json:"source_id"`
	SourceRecordID    *string             `json:"source_record_id"` // UUID
	EmployerName      *string             `json:"employer_name"`
	EmployerLine1     *string             `json:"employer_address_line_1"`
	EmployerLine2     *string             `json:"employer_address_line_2"`
	EmployerCity      *string             `json:"employer_city"`
	EmployerState     *string             `json:"employer_state"`
	Type              *string             `json:"employment_type"`   // as in EmploymentFullTime
	Status            *string             `json:"employment_status"` // as in EmploymentActive
	JobTitle          *string             `json:"job_title"`
	HireDate          *Date               `json:"hire_date"`
	EstimatedHireDate *Date               `json:"estimated_hire_date"` // only where HireDate is null
	Matching          *EmploymentMatching `json:"matching,omitempty"`  // only on the consumer's own input, and not when it is the only item
}

// Values of employment_type and employment_status.
const (
	EmploymentFullTime   = "fulltime"
	EmploymentPartTime   = "parttime"
	EmploymentContractor = "contractor"
	EmploymentBenefit    = "benefit" // a pension or another benefit that is paid regularly

	EmploymentActive     = "active"
	EmploymentTerminated = "terminated"
)

// EmploymentMatching says which items of employment agree with the consumer's
// input.
type EmploymentMatching struct {
	EmployerName RecordMatching `json:"employer_name"`
}

// IncomeNode is the report's `income`.
type IncomeNode struct {
	Summary           IncomeSummary      `json:"summary"`
	FinancialAccounts []FinancialAccount `json:"financial_accounts,omitempty"`
	Paystubs          []Paystub          `json:"paystubs,omitempty"`
	Payroll           []Payroll          `json:"payroll,omitempty"`
	Revised           *RevisedValues     `json:"revised_report_values,omitempty"` // only in a regenerated report
}

// IncomeSummary is the income of a year, whatever the source.
type IncomeSummary struct {
	AnnualGross *Cents `json:"annual_gross_income"`
	AnnualNet   *Cents `json:"annual_net_income"`
}

// FinancialAccount is a model's estimate from the bank accounts of the named sources.
// Amounts are whole US dollars.
type FinancialAccount struct {
	SourceIDs     []string       `json:"source_ids"`
	ModelVersion  string         `json:"model_version"`
	ModelType     string         `json:"model_type"`    // ModelIncome
	Descriptions  []string       `json:"descriptions"`  // of active inflows, the largest of the last 3 complete months first; at most 3
	IsConsistent  bool           `json:"is_consistent"` // income in each of the last 3 complete months
	NetRecent     *int64         `json:"net_recent"`    // the last 3 complete months, annualized
	GrossRecent   *int64         `json:"gross_recent"`
	NetAnnual     *int64         `json:"net_annual"` // the last 12 complete months
	GrossAnnual   *int64         `json:"gross_annual"`
	MatchedIncome *MatchedIncome `json:"matched_income,omitempty"` // only if a stated employer was found among the inflows
	History       []IncomeYear   `json:"history"`                  // the most recent year first
	*IncomeSuite2                // nil below suite 2.0 or if not requested
}

// ModelIncome is the model_type of figures from bank accounts.
const ModelIncome = "SVC_INCOME"

// IncomeSuite2 holds the additions of model suite 2.0.
type IncomeSuite2 struct {
	PrimaryAccountDetected bool                  `json:"primary_account_detected"`
	JobIrregularityRisk    *string               `json:"job_irregularity_risk"` // one of the Risk… constants; null without a job
	Inflows                []Inflow              `json:"inflows"`
	MatchedIncomeSources   []MatchedIncomeSource `json:"matched_income_sources"`
}

// Values of job_irregularity_risk.
const (
	RiskLow    = "LOW"
	RiskMedium = "MEDIUM"
	RiskHigh   = "HIGH"
)

// MatchedIncome is the income from the stated employer.
type MatchedIncome struct {
	StatedEmployer     *string `json:"stated_employer"`
	StatedAnnualIncome *int64  `json:"stated_annual_income"`
	Description        *string `json:"description"`
	Net                *int64  `json:"net_income"` // the last 12 complete months, in whole dollars
	Gross              *int64  `json:"gross_income"`
}

// IncomeYear is a calendar year of monthly sums. Both arrays have twelve values,
// December first; null is a month without data. The current month is partial.
type IncomeYear struct {
	Year  int      `json:"year"`
	Gross []*Cents `json:"gross"`
	Net   []*Cents `json:"net"`
}

// Inflow is a recurring payment of income.
type Inflow struct {
	InflowID     string `json:"inflow_id"`
	Description  string `json:"description"`
	AnnualIncome *Cents `json:"deposited_annual_income"` // the last 12 complete months, annualized if fewer are available
	RecentIncome *Cents `json:"deposited_recent_income"` // the last 3 complete months, annualized
	AccountID    string `json:"account_id"`              // of one of AccountDetails
}

// MatchedIncomeSource says that an inflow is from a stated employer.
type MatchedIncomeSource struct {
	StatedEmployer  string `json:"stated_employer"`
	MatchedInflowID string `json:"matched_inflow_id"`
}

// RevisedValues are figures that staff corrected after a dispute, in whole dollars. The
// recent ones are only in reports from bank data.
type RevisedValues struct {
	GrossAnnual *int64 `json:"gross_annual"`
	NetAnnual   *int64 `json:"net_annual"`
	GrossRecent *int64 `json:"gross_recent,omitempty"`
	NetRecent   *int64 `json:"net_recent,omitempty"`
}

// RevisedNames lists the members of revised_report_values.
func RevisedNames() []string {
	return []string{"gross_annual", "net_annual", "gross_recent", "net_recent"}
}

// RevisedRecent reports whether one of the RevisedNames is only in reports from bank
// data.
func RevisedRecent(name string) bool { return name == "gross_recent" || name == "net_recent" }

// Figure returns the member with a name of RevisedNames.
func (v *RevisedValues) Figure(name string) **int64 {
	switch name {
	case "gross_annual":
		return &v.GrossAnnual
	case "net_annual":
		return &v.NetAnnual
	case "gross_recent":
		return &v.GrossRecent
	}
	return &v.NetRecent
}

// IncomeAccount is one bank account, an investment account too.
type IncomeAccount struct {
	SourceID        string          `json:"source_id"`
	AccountID       string          `json:"account_id"` // UUID; the ACH details endpoint takes it
	OwnerFullName   *string         `json:"owner_full_name"`
	InstitutionName *string         `json:"institution_name"`
	AccountName     *string         `json:"account_name"`
	AccountType     string          `json:"account_type"` // CashEquivalent, Investment
	DateOpened      *Date           `json:"date_opened"`
	TruncatedNumber *string         `json:"truncated_account_number"` // the last four digits
	Responsibility  *string         `json:"responsibility"`           // Individual, Joint
	Addresses       []IncomeAddress `json:"addresses"`
	CurrentBalance  *Cents          `json:"current_balance"` // as the bank states it
	BalanceTerms
}

// CurrencyCode returns the currency of the figures from bank accounts. Amounts of payroll and pay
// stubs are in US dollars.
func (r *Income) CurrencyCode() string { return figuresIn(r.AccountDetails) }

// SummaryCurrency returns the currency of the summary and of the correctable figures: that of
// the bank accounts if the income is theirs.
func (r *Income) SummaryCurrency() string {
	if r.Income == nil || len(r.Income.FinancialAccounts) == 0 {
		return Dollars
	}
	return r.CurrencyCode()
}

// HasStatements reports whether the report has pay statements or pay stubs.
func (r *Income) HasStatements() bool {
	return r.Income != nil && (len(r.Income.Paystubs) > 0 ||
		slices.ContainsFunc(r.Income.Payroll, func(p Payroll) bool { return len(p.Statements) > 0 }))
}

// IncomeAddress is one contact address known to a bank; the first is the present
// one.
type IncomeAddress struct {
	AddressID string  `json:"address_id"` // UUID
	Address   *string `json:"address"`    // the full mailing address in one line
	Street    *string `json:"street"`
	City      *string `json:"city"`
	ZIPCode   *string `json:"zipcode"`
	State     *string `json:"state"`
}

// Line returns the address as one line.
func (a IncomeAddress) Line() string {
	return Address{Address: a.Address, Street: a.Street, City: a.City, State: a.State, ZIPCode: a.ZIPCode}.Line()
}

// FraudAlert begins the description of the notice that the consumer placed a fraud alert.
const FraudAlert = "Fraud alert"

// ConsumerNotice is a notice that the consumer has a right to receive.
type ConsumerNotice struct {
	Description     string  `json:"description"`
	SourceReference *string `json:"source_reference"` // the source it concerns; null for the report
}

// ParseIncome parses an income report of any provider. It ignores unknown fields, since
// integrations must tolerate additions. It refuses a body without meta.
func ParseIncome(raw []byte) (*Income, error) {
	var body Income
	if err := parseBody("income report", raw, &body, &body.Meta); err != nil {
		return nil, err
	}
	return &body, nil
}
