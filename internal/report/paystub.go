package report

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// Paystub is the data of one uploaded pay stub (`income.paystubs`). Amounts that the
// stub does not show are null.
type Paystub struct {
	SourceID        string  `json:"source_id"`
	SourceRecordID  string  `json:"source_record_id"` // UUID
	SourceFilepath  string  `json:"source_filepath"`  // the files endpoint takes it
	EmployeeName    *string `json:"employee_name"`
	EmployeeLine1   *string `json:"employee_address_line_1"`
	EmployeeLine2   *string `json:"employee_address_line_2"`
	EmployeeCity    *string `json:"employee_city"`
	EmployeeState   *string `json:"employee_state"`
	EmployeeZIP     *string `json:"employee_zip"`
	PayFrequency    *string `json:"pay_frequency"` // as in PaySemiMonthly
	PaystubProvider *string `json:"paystub_provider"`
	PayPeriodStart  *Date   `json:"pay_period_start"`
	PayPeriodEnd    *Date   `json:"pay_period_end"`
	PayDate         *Date   `json:"pay_date"`
	HireDate        *Date   `json:"hire_date"`
	PaystubAmounts
	Insights              PaystubInsights             `json:"insights"`
	ConsistencyChecks     map[string]ConsistencyCheck `json:"consistency_checks"` // by one of PaystubChecks; written in the order of the names
	IrregularityDetection IrregularityDetection       `json:"irregularity_detection"`

	// Positions says where the file shows what was read and found. It is not a part of the
	// contract: a client gets it if it asks for it, and reports of other services lack it.
	Positions *Positions `json:"document_positions,omitempty"`
}

// IncludeHeader is the request header that asks for optional members of a report, separated
// by commas. IncludePositions is the only one.
const (
	IncludeHeader    = "X-Include"
	IncludePositions = "document_positions"
)

var positionsMember = regexp.MustCompile(`,\s*"` + IncludePositions + `"\s*:\s*`)

// WithoutPositions returns the body of a report without the positions of its pay stubs. All
// other bytes stay as they are.
func WithoutPositions(body []byte) []byte {
	var out []byte
	for {
		at := positionsMember.FindIndex(body)
		if at == nil {
			return append(out, body...)
		}
		value := json.NewDecoder(bytes.NewReader(body[at[1]:]))
		var skipped json.RawMessage
		if value.Decode(&skipped) != nil {
			return append(out, body...) // cannot be: the body is JSON
		}
		out = append(out, body[:at[0]]...)
		body = body[at[1]+int(value.InputOffset()):]
	}
}

// Positions locates values and irregularities in a document.
type Positions struct {
	Pages []PageSize `json:"pages"`
	Marks []Mark     `json:"marks"`
}

// PageSize is the size of a page as it is displayed, in points.
type PageSize struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Mark is a rectangle of a page with a value that was read, or with an irregularity. Its
// edges are parts of the page's width and height, 0 to 1, from the upper left corner.
type Mark struct {
	Page   int     `json:"page"` // counted from 1
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Field  string  `json:"field,omitempty"`  // the pay stub's member with the value
	Reason string  `json:"reason,omitempty"` // one of irregularity_detection's reasons
}

// Values of pay_frequency.
const (
	PaySemiMonthly = "SEMI_MONTHLY"
	PayMonthly     = "MONTHLY"
	PayWeekly      = "WEEKLY"
	PayBiweekly    = "BIWEEKLY"
)

// PaystubAmounts are a pay stub's earnings and deductions, of the period and of
// the year to date.
type PaystubAmounts struct {
	NetTotal             *Cents `json:"net_total_earnings_amount_current"`
	NetTotalYTD          *Cents `json:"net_total_earnings_amount_ytd"`
	GrossTotal           *Cents `json:"gross_total_earnings_amount_current"`
	GrossTotalYTD        *Cents `json:"gross_total_earnings_amount_ytd"`
	RegularPay           *Cents `json:"regular_pay_earnings_amount_current"`
	RegularPayYTD        *Cents `json:"regular_pay_earnings_amount_ytd"`
	Bonus                *Cents `json:"bonus_earnings_amount_current"`
	BonusYTD             *Cents `json:"bonus_earnings_amount_ytd"`
	Overtime             *Cents `json:"overtime_earnings_amount_current"`
	OvertimeYTD          *Cents `json:"overtime_earnings_amount_ytd"`
	Commission           *Cents `json:"commission_earnings_amount_current"`
	CommissionYTD        *Cents `json:"commission_earnings_amount_ytd"`
	PaidTimeOff          *Cents `json:"paid_time_off_earnings_amount_current"`
	PaidTimeOffYTD       *Cents `json:"paid_time_off_earnings_amount_ytd"`
	Vacation             *Cents `json:"vacation_earnings_amount_current"`
	VacationYTD          *Cents `json:"vacation_earnings_amount_ytd"`
	PaidTimeOffDeduct    *Cents `json:"paid_time_off_deductions_amount_current"`
	PaidTimeOffDeductYTD *Cents `json:"paid_time_off_deductions_amount_ytd"`
	VacationDeduct       *Cents `json:"vacation_deductions_amount_current"`
	VacationDeductYTD    *Cents `json:"vacation_deductions_amount_ytd"`
	MedicareTax          *Cents `json:"medicare_tax_deductions_amount_current"`
	MedicareTaxYTD       *Cents `json:"medicare_tax_deductions_amount_ytd"`
	SocialSecurityTax    *Cents `json:"social_security_deductions_amount_current"`
	SocialSecurityTaxYTD *Cents `json:"social_security_deductions_amount_ytd"`
	FICATax              *Cents `json:"fica_tax_deductions_amount_current"`
	FICATaxYTD           *Cents `json:"fica_tax_deductions_amount_ytd"`
}

// PaystubInsights is the year's income that a pay stub implies.
type PaystubInsights struct {
	AnnualGross *Cents `json:"annual_gross_income"`
	AnnualNet   *Cents `json:"annual_net_income"`
}

// ConsistencyCheck is the result of one check.
type ConsistencyCheck struct {
	Value *bool `json:"boolean_value"` // null: could not be checked
}

// PaystubChecks lists the names of consistency_checks.
func PaystubChecks() []string {
	return []string{
		"START_DATE_BEFORE_END_DATE", "GROSS_PAY_YTD_GREATER_THAN_OR_EQUAL_TO_GROSS_PAY_CURRENT",
		"NET_PAY_LESS_THAN_OR_EQUAL_TO_GROSS_PAY", "COMPONENT_EARNINGS_LESS_THAN_OR_EQUAL_TO_TOTAL_GROSS_PAY",
		"EMPLOYEE_NAME_EXISTS", "EMPLOYER_NAME_EXISTS",
		"START_DATE_IS_VALID_DATE", "END_DATE_IS_VALID_DATE", "PAY_DATE_IS_VALID_DATE",
		"START_DATE_EXISTS", "END_DATE_EXISTS", "PAY_DATE_EXISTS",
		"GROSS_TOTAL_EARNINGS_AMOUNT_CURRENT_EXISTS", "NET_TOTAL_EARNINGS_AMOUNT_CURRENT_EXISTS",
	}
}

// IrregularityDetection reports whether a pay stub's file looks altered.
type IrregularityDetection struct {
	Status     string   `json:"status"` // one of the Irregularity… constants
	Reasons    []string `json:"reasons"`
	FileType   *string  `json:"file_type"`   // FilePDF, FileImage
	GenuinePDF *bool    `json:"genuine_pdf"` // null for an image
	Version    string   `json:"version"`
}

// Values of irregularity_detection's status and file_type.
const (
	IrregularityNotDetected = "NOT_DETECTED"
	IrregularityDetected    = "DETECTED"
	IrregularityReview      = "REVIEW"

	FilePDF   = "pdf"
	FileImage = "image"
)

// Payroll is the data of one payroll connection (`income.payroll`).
type Payroll struct {
	SourceID             string      `json:"source_id"`
	ProviderName         *string     `json:"provider_name"`
	AnnualSalaryRate     *Cents      `json:"annual_salary_rate"`
	EstimatedGrossAnnual *Cents      `json:"estimated_gross_annual_income"`
	EstimatedNetAnnual   *Cents      `json:"estimated_net_annual_income"`
	PayPeriodStart       *Date       `json:"pay_period_start"`
	PayPeriodEnd         *Date       `json:"pay_period_end"`
	PayFrequency         *string     `json:"pay_frequency"`
	Statements           []Statement `json:"statements"`
}

// Statement is one pay statement of a payroll connection.
type Statement struct {
	PayDate       *Date  `json:"pay_date"`
	GrossTotal    *Cents `json:"gross_total_earnings_amount_current"`
	GrossTotalYTD *Cents `json:"gross_total_earnings_amount_ytd"`
	NetTotal      *Cents `json:"net_total_earnings_amount_current"`
	NetTotalYTD   *Cents `json:"net_total_earnings_amount_ytd"`
}
