// Package sources defines how the provider reaches institutions that hold a consumer's
// data. A Connector obtains access to a consumer's data at an institution, retrieves
// accounts and transactions, and ends the access. A connector never sees reports, and
// the code that computes reports never sees tokens.
//
// Every connector lists its institutions, and a Catalogue makes one list of them. There
// are three ways to the data. An Authorizer sends the applicant to the institution's own
// pages; its access is stored as a connection, which can be renewed and revoked. A Form,
// which only the sandbox has, asks for a username, a password, and a code in the widget;
// its access is computed from the username and not stored. Both fetch in the same way. A
// Bureau needs no access: it finds a person by name.
//
// Methods return a *Failure for errors of the institution and decisions of the
// applicant, and another error only for faults of this program. Reason.Status says how a
// source or a report ends by a failure.
//
// Submissions and the sandbox's prepared reports are not connectors: the customer sends
// or names the data, so there is no institution, access, or fetch that could fail.
package sources

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/analysis/passport"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/report"
)

// Kind is what an institution provides.
type Kind string

// Kinds of institutions.
const (
	Bank     Kind = "bank"
	Payroll  Kind = "payroll"  // a payroll provider
	Supplier Kind = "supplier" // of credit files from abroad
)

// Institution is a bank, payroll provider, or supplier that a connector reaches.
type Institution struct {
	ID       string   // unique among all connectors; of a supplier: its code, and else lowercase letters, digits, and hyphens
	Kind     Kind     // empty: Bank
	Name     string   // institution_name or provider_name of reports
	Place    string   // distinguishes institutions of one name: city and state, or Online
	PlaceES  string   // the same in Spanish, if that differs
	Employer string   // of a payroll provider: one of the constants income.Provider…
	OAuth    []string // domains that its sign-in may lead to
	Homepage []string // domains of its home page
	Tokens   bool     // account numbers are tokenized by the institution (TANs)
	Large    bool     // shown to applicants before the others
	OwnPages bool     // applicants authorize access on its own pages; set by NewCatalogue

	// OwnCallback gives the institution a redirect URI of its own. Then no other institution
	// can get its codes (RFC 9700, section 4.4).
	OwnCallback bool
}

// RedirectURI returns where the institution sends the browser back to, for the shared
// redirect URI.
func (i Institution) RedirectURI(shared string) string {
	if i.OwnCallback {
		return shared + "/" + i.ID
	}
	return shared
}

// Lifetime returns the maximum time that access to the institution is kept.
func (i Institution) Lifetime() time.Duration {
	if i.Tokens {
		return TokenLifetime
	}
	return Lifetime
}

// Connector reaches institutions. Its methods may be called concurrently.
type Connector interface {
	// Institutions lists the institutions, in alphabetical order of their names.
	Institutions() []Institution
}

// Fetcher is a connector to banks and payroll providers.
type Fetcher interface {
	Connector

	// Fetch retrieves the consumer's accounts with the transactions, or the jobs with the
	// payments, from one day to another, both included.
	Fetch(ctx context.Context, institution string, g Grant, from, to report.Date) (Fetched, error)
}

// Authorizer is a connector to institutions at which applicants authorize access on the
// institution's own pages.
type Authorizer interface {
	Fetcher

	// Authorize begins an authorization at an institution.
	Authorize(ctx context.Context, institution string, r AuthorizeRequest) (Authorization, error)

	// Complete exchanges the parameters of the callback for access. The caller has compared
	// the state.
	Complete(ctx context.Context, institution string, pending []byte, callback url.Values) (Grant, error)

	// Renew exchanges the refresh token of a grant. The returned grant replaces the one
	// passed in, which may no longer be valid.
	Renew(ctx context.Context, institution string, g Grant) (Grant, error)

	// Revoke ends the access at the institution. Revoking an ended access is not a failure.
	Revoke(ctx context.Context, institution string, g Grant) error
}

// Form is a connector to institutions without pages of their own: applicants sign in by a
// form in the widget. Only the sandbox has such institutions. The methods other than Fetch
// compute their result without requests.
type Form interface {
	Fetcher

	// Check checks a user's answer to a question. The failure for a wrong answer, after
	// which the user may try again, has the reason Denied. After another failure the
	// sign-in has ended.
	Check(institution, username string, q Question, answer string) error

	// Grant returns the access of a user whose answers were right. link is the text from
	// which the identifiers of the data are derived.
	Grant(institution, username, link string) (Grant, error)
}

// Question is what the form of an institution asks for.
type Question string

// Questions, in their order.
const (
	Password Question = "password"
	Code     Question = "code" // one-time code of CodeLength digits
)

// CodeLength is the number of digits of a one-time code.
const CodeLength = 6

// Problems are the errors of a form by field.
type Problems = map[string]i18n.Key

// ReadSignIn returns the username and the password of a form, or the problems of its fields.
func ReadSignIn(form url.Values) (username, password string, problems Problems) {
	username, password = strings.ToLower(strings.TrimSpace(form.Get("username"))), form.Get("password")
	problems = Problems{}
	if username == "" {
		problems["username"] = "visit.sign_in.no_username"
	}
	if password == "" {
		problems["password"] = "visit.sign_in.no_password"
	}
	return username, password, problems
}

// ReadCode returns the one-time code of a form without its spaces, or the problem of its
// field.
func ReadCode(form url.Values) (code string, problems Problems) {
	code = strings.Join(strings.Fields(form.Get("code")), "")
	if len(code) != CodeLength || strings.Trim(code, "0123456789") != "" {
		return "", Problems{"code": "visit.code.invalid"}
	}
	return code, nil
}

// Bureau is a connector to suppliers of credit files.
type Bureau interface {
	Connector

	// File retrieves the file of a supplier on a person, and the rate of its currency; nil
	// if no rate is known.
	File(ctx context.Context, supplier string, r FileRequest) (passport.File, *passport.Quote, error)
}

// DisputeTaker is a bureau that takes disputes about its files.
type DisputeTaker interface {
	Bureau

	// Dispute passes a dispute to a supplier. A later request with the same number adds to it.
	Dispute(ctx context.Context, supplier string, r DisputeRequest) (DisputeReceipt, error)
}

// DisputeRequest has the parameters of Dispute. The texts are the consumer's words.
type DisputeRequest struct {
	Reference string      `json:"reference"` // of the FileRequest
	Number    string      `json:"number"`    // of the dispute
	Kind      string      `json:"kind"`
	About     string      `json:"about"`
	Statement string      `json:"statement"`
	Facts     string      `json:"facts,omitempty"` // added later
	Due       report.Date `json:"due"`             // of the answer to the consumer
}

// DisputeReceipt is a supplier's answer to a dispute.
type DisputeReceipt struct {
	Number  string `json:"number"` // by which the supplier knows the dispute
	Message string `json:"message,omitempty"`
}

// FileRequest has the parameters of File.
type FileRequest struct {
	Reference string             `json:"reference"` // UUID of the request; the same if it is repeated
	AsOf      report.Date        `json:"asOf"`
	Person    *passport.Consumer `json:"person"` // nil if no name was entered

	// Documents are identity documents that the consumer uploaded, at most MaxDocuments.
	Documents []Document `json:"documents,omitempty"`
}

// Limits of identity documents.
const (
	MaxDocuments    = 2       // both sides of a card
	MaxDocumentSize = 8 << 20 // bytes of each
)

// Document is an uploaded file.
type Document struct {
	Type    string `json:"contentType"` // application/pdf, image/png, or image/jpeg
	Content []byte `json:"content"`
}

// AuthorizeRequest has the parameters of an authorization.
type AuthorizeRequest struct {
	RedirectURI string // where the institution sends the browser back to
	State       string // random; the callback carries it
	Language    string // preferred language of the institution's pages, such as "es"
}

// Authorization is a begun authorization.
type Authorization struct {
	URL     string // page of the institution to open in the browser
	Pending []byte // data for Complete; secret
}

// Grant is access to a consumer's data at an institution. It is secret, and stored
// encrypted.
type Grant struct {
	Access    string    `json:"access"`
	Refresh   string    `json:"refresh,omitempty"` // empty: the access cannot be renewed
	Expires   time.Time `json:"expires,omitzero"`  // when Access ends; zero: not stated
	Scope     string    `json:"scope,omitempty"`
	ConsentID string    `json:"consent,omitempty"` // the institution's id of the consent, if it gave one; of a Form: the link
	Until     time.Time `json:"until,omitzero"`    // when the consent ends; zero: not stated
}

// Fetched is the data retrieved from one institution.
type Fetched struct {
	Owners   []bankdata.Owner   // people that the institution names as owners
	Accounts []bankdata.Account // with the institution's ids; includes only complete and partial accounts
	Payroll  *income.Payroll    // of a payroll provider, with its ids
	Failed   []AccountFailure   // accounts without complete data
}

// Empty reports whether the data has neither transactions nor payments.
func (f Fetched) Empty() bool {
	return !slices.ContainsFunc(f.Accounts, func(a bankdata.Account) bool { return len(a.Transactions) > 0 }) &&
		(f.Payroll == nil || !slices.ContainsFunc(f.Payroll.Jobs, func(j income.Job) bool { return len(j.Statements) > 0 }))
}

// Incomplete returns why an account is not complete, of the first one; "" if all are.
// Kinds of accounts that reports do not use, and a shorter history than asked for, do not
// count.
func (f Fetched) Incomplete() Reason {
	for _, failed := range f.Failed {
		if failed.Reason != Unsupported {
			return failed.Reason
		}
		if failed.Partial && slices.ContainsFunc(f.Accounts, func(a bankdata.Account) bool {
			return a.ID == failed.ID && len(a.Transactions) == 0
		}) {
			return Rejected // it is not known whether the account has any
		}
	}
	return ""
}

// Status returns the status of the source in a report.
func (f Fetched) Status() contract.Status {
	if reason := f.Incomplete(); reason != "" {
		status, _ := reason.Status()
		return status
	}
	return contract.StatusSuccess
}

// AccountFailure is an account without complete data.
type AccountFailure struct {
	ID      string // the institution's id
	Type    string // as in bankdata.Account; "" if not known
	Partial bool   // the account is in Accounts, without some of its transactions
	Reason  Reason
}

// Check is the result of one examination of a configuration, by requests that need no
// applicant.
type Check struct {
	Name    string
	OK      bool
	Warning bool   // the source works, and its configuration should be changed
	Detail  string // the result or the fault, without secrets
}

// Reason is why an institution gave no data.
type Reason string

// Reasons of failures.
const (
	Denied       Reason = "denied"       // the applicant refused at the institution
	Abandoned    Reason = "abandoned"    // the applicant left the institution's pages, or the authorization expired
	TimedOut     Reason = "timed-out"    // the session of a form ended before the applicant answered
	Unresponsive Reason = "unresponsive" // no usable answer after retries: timeout, 429, 5xx
	Unauthorized Reason = "unauthorized" // the access token is not accepted; Renew may help
	Ended        Reason = "ended"        // the consent expired or was revoked; only a new authorization helps
	Challenged   Reason = "challenged"   // the institution gives data only after another authentication of the applicant
	Unsupported  Reason = "unsupported"  // the institution does not provide what is needed
	Rejected     Reason = "rejected"     // the answer violates the standard or a bound, and is not used
	Misused      Reason = "misused"      // the institution rejects this client or its configuration
)

// Failure is the error of a call that gave no data.
type Failure struct {
	Reason Reason
	Err    error // for the log, without personal data and secrets
}

func (f *Failure) Error() string { return "sources: " + string(f.Reason) + ": " + f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Fail returns a *Failure.
func Fail(reason Reason, err error) error { return &Failure{reason, err} }

// ReasonOf returns the reason of a failure, and Unresponsive for other errors.
func ReasonOf(err error) Reason {
	var f *Failure
	if errors.As(err, &f) {
		return f.Reason
	}
	return Unresponsive
}

// Status returns the status and substatus of a source or a report that failed for the
// reason.
func (r Reason) Status() (contract.Status, contract.Substatus) {
	switch r {
	case Denied, Abandoned, Ended, Unauthorized:
		return contract.StatusNotAuthenticated, ""
	case Challenged:
		return contract.StatusNotAuthenticated, contract.SubMFARequired
	case Unsupported:
		return contract.StatusNotAuthenticated, contract.SubEBankingNotSupported
	case Unresponsive:
		return contract.StatusSupplierUnresponsive, ""
	case TimedOut:
		return contract.StatusSupplierUnresponsive, contract.SubWidgetSessionExpired
	}
	return contract.StatusError, ""
}
