package contract

import "vestibule/internal/i18n"

// WidgetError is an error type of the widget's onError callback, and the error code of
// the endpoints that take the same options (docs/reference/widget.md). Empty means a null
// or undefined errorType: an internal error.
type WidgetError string

const (
	WidgetDuplicateExternalID  WidgetError = "DUPLICATE_EXTERNAL_ID"
	WidgetInternalError        WidgetError = "INTERNAL_ERROR"
	WidgetInvalidConsumerID    WidgetError = "INVALID_CONSUMER_ID"
	WidgetPIIMissing           WidgetError = "INVALID_PREFILLS_PII_MISSING"
	WidgetPrefillKey           WidgetError = "INVALID_PREFILL_KEY"
	WidgetPrefillAddress       WidgetError = "INVALID_PREFILL_ADDRESS"
	WidgetPrefillCity          WidgetError = "INVALID_PREFILL_CITY"
	WidgetPrefillDOB           WidgetError = "INVALID_PREFILL_DOB"
	WidgetPrefillEmail         WidgetError = "INVALID_PREFILL_EMAIL"
	WidgetPrefillFirstName     WidgetError = "INVALID_PREFILL_FIRST_NAME"
	WidgetPrefillLastName      WidgetError = "INVALID_PREFILL_LAST_NAME"
	WidgetPrefillIncome        WidgetError = "INVALID_PREFILL_INCOME"
	WidgetPrefillPhone         WidgetError = "INVALID_PREFILL_PHONE"
	WidgetPrefillState         WidgetError = "INVALID_PREFILL_STATE"
	WidgetPrefillZIP           WidgetError = "INVALID_PREFILL_ZIP"
	WidgetPrefillEmployerNames WidgetError = "INVALID_PREFILL_STATED_EMPLOYER_NAMES"
	WidgetInvalidProduct       WidgetError = "INVALID_PRODUCT"
	WidgetInvalidToken         WidgetError = "INVALID_TOKEN"
	WidgetMismatchedProductID  WidgetError = "MISMATCHED_PRODUCT_ID"
	WidgetRequestTimeout       WidgetError = "REQUEST_TIMEOUT"
	WidgetUnknownCustomer      WidgetError = "UNKNOWN_CUSTOMER"
	WidgetSupplierError        WidgetError = "SUPPLIER_ERROR"
)

// WidgetErrorInfo is one row of the table of widget error types.
type WidgetErrorInfo struct {
	Type      WidgetError
	Engineer  string   // for the integrating engineer: the cause and the remedy
	Applicant i18n.Key // for the applicant: what happened and what to do
	Retry     bool     // a new attempt with a fresh token can help
}

// widgetErrors is the table of error types, and is never modified. It is not built by a
// function, which would enlarge the browser's module.
var widgetErrors = [...]WidgetErrorInfo{
	{WidgetDuplicateExternalID, "externalId is already used by another report of yours; send a new one.", "widget.error.duplicate", true},
	{WidgetInternalError, "An internal error of the widget; try again, then report the time to the provider.", "widget.error.internal", true},
	{WidgetInvalidConsumerID, "No consumer of yours has this consumerId, or it was given together with prefill.", "widget.error.setup", false},
	{WidgetPIIMissing, "Required prefills are missing: names, email, and a date of birth or a full address.",
		"widget.error.details_missing", false},
	{WidgetPrefillKey, "prefill has a key that this product does not take.", "widget.error.setup", false},
	{WidgetPrefillAddress, "address must be a string of 1 to 100 characters with a street.", "widget.error.details_refused", false},
	{WidgetPrefillCity, "city must be a string of 1 to 100 characters.", "widget.error.details_refused", false},
	{WidgetPrefillDOB, "dob must be YYYY-MM-DD, for an age from 1 to 110 years.", "widget.error.details_refused", false},
	{WidgetPrefillEmail, "email must be a valid address of at most 100 characters.", "widget.error.details_refused", false},
	{WidgetPrefillFirstName, "firstName must have 1 to 254 letters, marks, spaces, dots, apostrophes or dashes.",
		"widget.error.details_refused", false},
	{WidgetPrefillLastName, "lastName must have 1 to 254 letters, marks, spaces, dots, apostrophes or dashes.",
		"widget.error.details_refused", false},
	{WidgetPrefillIncome, "statedAnnualIncome must be an integer from 0 to 2147483647.", "widget.error.details_refused", false},
	{WidgetPrefillPhone, "phone must be a string of at most 255 characters.", "widget.error.details_refused", false},
	{WidgetPrefillState, "state must be a two-letter US state or territory code.", "widget.error.details_refused", false},
	{WidgetPrefillZIP, "zip must be a US ZIP code: 12345 or 12345-6789.", "widget.error.details_refused", false},
	{WidgetPrefillEmployerNames, "statedEmployerNames must be 1 to 6 names.", "widget.error.employers", false},
	{WidgetInvalidProduct, "productId is missing, or matches no product of yours.", "widget.error.setup", false},
	{WidgetInvalidToken, "The initialization token is unknown, used, expired, or was given with prefill; ask for a new one.",
		"widget.error.token", true},
	{WidgetMismatchedProductID, "productId differs from the one used to create the token.", "widget.error.setup", false},
	{WidgetRequestTimeout, "The widget's server did not answer in time.", "widget.error.timeout", true},
	{WidgetUnknownCustomer, "publicId belongs to no customer of this environment.", "widget.error.setup", false},
	{WidgetSupplierError, "The bank, payroll provider or bureau failed.", "widget.error.supplier", true},
}

// WidgetErrors returns every error type with its texts.
func WidgetErrors() []WidgetErrorInfo { return append([]WidgetErrorInfo(nil), widgetErrors[:]...) }

// Valid reports whether e is an error type of the contract.
func (e WidgetError) Valid() bool { return e.row() != nil }

// Known returns e, or INTERNAL_ERROR if e is empty or unknown.
func (e WidgetError) Known() WidgetError {
	if e.Valid() {
		return e
	}
	return WidgetInternalError
}

// Info returns e's information, or that of INTERNAL_ERROR if e is empty or unknown.
func (e WidgetError) Info() WidgetErrorInfo { return *e.Known().row() }

// Applicant returns e's text for the applicant.
func (e WidgetError) Applicant() i18n.Key { return e.Known().row().Applicant }

// Retry reports whether a new attempt with a fresh token can help.
func (e WidgetError) Retry() bool { return e.Known().row().Retry }

// row returns e's row, or nil. Inlined copies of its loop would enlarge the browser's module.
//
//go:noinline
func (e WidgetError) row() *WidgetErrorInfo {
	for i := range widgetErrors {
		if widgetErrors[i].Type == e {
			return &widgetErrors[i]
		}
	}
	return nil
}

// Registration holds the options that Check checks together.
type Registration struct {
	Env             string
	ProductID       string
	PublicID        string
	Token           string
	ExternalID      string
	UserArgs        string
	SandboxReportID string
	ConsumerID      string
	HasPrefill      bool
}

// Check checks the options' values and combinations, in the browser and in the
// provider. It returns the error type of the first error, or empty. It does not check
// whether the product, the customer or the token exists, which only the provider knows.
func (r Registration) Check() WidgetError {
	switch {
	case !Environment(r.Env).Valid() || r.PublicID == "":
		return WidgetUnknownCustomer
	case !IsUUID(r.ProductID):
		return WidgetInvalidProduct
	case r.ConsumerID != "" && r.HasPrefill:
		return WidgetInvalidConsumerID
	case r.Token != "" && r.HasPrefill:
		return WidgetInvalidToken
	case r.ConsumerID != "" && !IsUUID(r.ConsumerID):
		return WidgetInvalidConsumerID
	case r.Token == "" && !r.HasPrefill && r.ConsumerID == "":
		return WidgetInvalidToken
	case runes(r.ExternalID) > MaxExternalID || runes(r.UserArgs) > MaxUserArgs:
		return WidgetInternalError
	case r.SandboxReportID != "" && !IsUUID(r.SandboxReportID):
		return WidgetInternalError
	}
	return ""
}

func runes(s string) int {
	n := 0
	for range s {
		n++
	}
	return n
}
