// Package contract holds the vocabulary of the verification service's API, which
// browser, portal and provider share: environments, product kinds, statuses and
// substatuses, error codes, widget error types and the widget's register options.
//
// It also runs in the browser, so it imports nothing heavy: no fmt, no JSON, no time.
// The API reference (docs/openapi.yaml) and docs/reference/widget.md describe the values.
package contract

// Environment is the sandbox or production. Each has its own host, credentials and
// tokens.
type Environment string

const (
	Sandbox    Environment = "sandbox"
	Production Environment = "production"
)

// Valid reports whether e is one of the two environments.
func (e Environment) Valid() bool { return e == Sandbox || e == Production }

// Product is a kind of report that an applicant can apply for. The values are those of
// the configuration and of the portal's URLs.
type Product string

const (
	Cashflow    Product = "cashflow"
	Income      Product = "income"
	Eligibility Product = "eligibility"
	Passport    Product = "passport"
)

// Products lists the kinds in display order.
func Products() []Product { return []Product{Cashflow, Income, Eligibility, Passport} }

// Valid reports whether p is a known kind.
func (p Product) Valid() bool {
	return p == Cashflow || p == Income || p == Eligibility || p == Passport
}

// Path returns the path under which the API has the reports of the kind.
func (p Product) Path() string {
	return map[Product]string{Cashflow: "/connect/cashflow/v2", Income: "/connect/income/v2",
		Eligibility: "/connect/affordable-housing-verification/v1", Passport: "/connect/passport/v4"}[p]
}

// Status is the status of a report (API reference: Reports).
type Status string

const (
	StatusPending              Status = "PENDING"
	StatusSuccess              Status = "SUCCESS"
	StatusError                Status = "ERROR"
	StatusNotAuthenticated     Status = "NOT_AUTHENTICATED"
	StatusExpired              Status = "EXPIRED"
	StatusBureauUnresponsive   Status = "BUREAU_UNRESPONSIVE"
	StatusSupplierUnresponsive Status = "SUPPLIER_UNRESPONSIVE"
)

// Statuses lists every status.
func Statuses() []Status {
	return []Status{StatusPending, StatusSuccess, StatusError, StatusNotAuthenticated,
		StatusExpired, StatusBureauUnresponsive, StatusSupplierUnresponsive}
}

// Valid reports whether s is a status of the contract.
func (s Status) Valid() bool {
	for _, k := range Statuses() {
		if s == k {
			return true
		}
	}
	return false
}

// Final reports whether a report in this status is complete or ended.
func (s Status) Final() bool { return s.Valid() && s != StatusPending }

// Failed reports whether the visit ended without a report for another reason than
// expiry.
func (s Status) Failed() bool {
	return s == StatusError || s == StatusNotAuthenticated ||
		s == StatusBureauUnresponsive || s == StatusSupplierUnresponsive
}

// Substatus refines a status; empty is the API's null. The INVALID_PREFILL_…
// substatuses are also values of WidgetError.
type Substatus string

const (
	SubIncompatibleAccounts Substatus = "INCOMPATIBLE_ACCOUNT_TYPES_SUBMITTED"
	SubNoRecentInformation  Substatus = "NO_RECENT_USABLE_INFORMATION"
	SubMFARequired          Substatus = "MFA_REQUIRED_ON_FETCH"
	SubIncomplete           Substatus = "INCOMPLETE_INFORMATION"
	SubEBankingNotSupported Substatus = "E_BANKING_NOT_SUPPORTED"
	SubWidgetSessionExpired Substatus = "WIDGET_SESSION_EXPIRED"
)

// Substatuses lists every substatus that is not a WidgetError.
func Substatuses() []Substatus {
	return []Substatus{SubIncompatibleAccounts, SubNoRecentInformation, SubMFARequired,
		SubIncomplete, SubEBankingNotSupported, SubWidgetSessionExpired}
}

// Outcome is the outcome of a secure redirect (docs/tutorials/redirect.md).
type Outcome string

const (
	OutcomeSuccess Outcome = "SUCCESS"
	OutcomeExit    Outcome = "EXIT"
	OutcomeError   Outcome = "ERROR"
)

// Valid reports whether o is one of the three outcomes, spelled exactly.
func (o Outcome) Valid() bool { return o == OutcomeSuccess || o == OutcomeExit || o == OutcomeError }

// MaxBanks is how many banks a visit connects at most.
const MaxBanks = 5

// Inquiry types that the program knows by name. Reports of products with
// InquiryMonitoring are refreshed on a schedule.
const (
	InquiryMonitoring = "MONITORING"
	InquiryPersonal   = "PERSONAL"
)

// InquiryTypes lists the values of product.inquiry_type (API reference: Reports).
func InquiryTypes() []string {
	return []string{"COMMERCIAL", "CONSUMER", "CREDIT_CARD", InquiryMonitoring, "MORTGAGE", "OTHER",
		InquiryPersonal, "STUDENT", "TELCO", "TENANT", "UTILITY", "VEHICLE_AUTO", "VEHICLE_OTHER"}
}

// IsUUID reports whether s is an RFC 4122 identifier in its canonical 36
// characters, in either case.
func IsUUID(s string) bool {
	for i := 0; i < len(s); i++ {
		c, dash := s[i], i == 8 || i == 13 || i == 18 || i == 23
		if dash && c != '-' || !dash && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return len(s) == 36
}

// IsIdentifier reports whether s has 1 to 128 letters, digits, hyphens and underscores, as ids
// of events and requests do. It has no dot, which separates the parts that a webhook signs.
func IsIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 128
}

// Null returns nil, which is null in JSON, for the zero value, and otherwise a pointer to v.
func Null[V comparable](v V) *V {
	var zero V
	if v == zero {
		return nil
	}
	return &v
}

// Maximum lengths of the customer's own labels, in characters (API reference: Visits,
// Submissions).
const (
	MaxExternalID   = 64
	MaxUserArgs     = 255
	MaxRedirectArgs = 1024 // our limit, so that a redirect callback fits a URL
)
