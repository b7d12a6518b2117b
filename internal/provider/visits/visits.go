// Package visits is the applicant's way through the service: initialization,
// the widget's frame and the hosted page, from the consent to the report being
// made (document 1, "Widget registration"; journeys.md, "The visit").
//
// It refuses options that do not go together, data that breaks the prefill
// rules, tokens that were used, and steps that are not the present one. It
// stores nothing of what it refused, nothing that was typed into a sign-in, and
// of its tokens and handles only the SHA-256. Its only cookie ties a
// hosted visit to the browser that began it.
package visits

import (
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/auth"
	"vestibule/internal/store"
	"vestibule/web"
)

// Service serves visits. All fields but Returns and what follows it
// must be set.
type Service struct {
	DB         *store.DB
	Queue      Queue
	Log        *slog.Logger
	Now        func() time.Time
	Assets     *web.Assets
	Gate       Gate
	Customers  Customers
	Reports    Reports
	Documents  Documents
	Catalogues func(contract.Environment) Catalogue // of the visits of an environment
	Returns    Returns                              // nil: visits never belong to a redirect
	Secure     bool                                 // applicants come by https: cookies are for it alone

	// Of visits that an applicant's page begins without a token; nil is no limit.
	ByAddress *httpx.Limit
	ByAccount *httpx.Limit
	// Files is how many bytes of files such visits of one account may be sent in 24
	// hours; 0 is no limit.
	Files int64
}

// Queue takes the job that ends a visit in time.
type Queue interface {
	Enqueue(ctx context.Context, tx *sql.Tx, args jobs.Args, opts ...jobs.EnqueueOption) error
}

// Gate tells who is calling.
type Gate interface {
	// Basic admits a customer by his credentials; auth.CallerOf has him then.
	Basic(next httpx.HandlerFunc) httpx.HandlerFunc
	// Customer is the one that a widget names. A publicId of another environment
	// or of nobody is UNKNOWN_CUSTOMER.
	Customer(ctx context.Context, q store.Queryer, publicID string, env contract.Environment) (auth.Caller, error)
}

// Product is a configured product of a customer.
type Product struct {
	Kind        contract.Product
	Name        string
	InquiryType string
	AssetsOnly  bool // eligibility: no employer and no income is verified
	IncomeOnly  bool // eligibility: no assets are
}

// Consumer is an applicant as the customer knows him. Prefill is the JSON that
// was given for him; nil is none.
type Consumer struct {
	ID, ExternalID, KeyID string
	Prefill               json.RawMessage
}

// Customers knows accounts, their products and their consumers. What is not the
// customer's own is store.ErrNotFound.
type Customers interface {
	Name(ctx context.Context, q store.Queryer, customerID string) (string, error)
	Product(ctx context.Context, q store.Queryer, customerID, productID string) (Product, error)
	Consumer(ctx context.Context, q store.Queryer, customerID, consumerID string) (Consumer, error)
	CreateConsumer(ctx context.Context, tx *sql.Tx, customerID string, prefill json.RawMessage) (Consumer, error)
	// WidgetOrigins are those of pages that may show the account's widget; none: any may.
	WidgetOrigins(ctx context.Context, q store.Queryer, customerID string) ([]string, error)
}

// NewReport is what a report is begun with.
type NewReport struct {
	Caller               auth.Caller
	ProductID            string
	Product              Product
	ExternalID, UserArgs string
	Consumer             Consumer
}

// Source is what a report is made from.
type Source struct {
	FirstName, LastName, Email string            // as the consumer's own record
	DOB                        string            // YYYY-MM-DD; empty: not given
	State                      string            // two capital letters; empty: not given
	Employers                  []string          // as stated, each once
	AnnualIncome               *int64            // as stated, in whole dollars
	Banks                      []SignIn          // in the order in which they were connected
	Payroll                    []SignIn          // likewise
	Documents                  bool              // the report's documents were handed in
	Skipped                    map[string]string // of Employers: the reason
	Supplier                   string            // of a passport: its code
}

// SignIn is a bank or payroll connection, or one that could not be made.
type SignIn struct {
	Provider  string             // its id
	Name      string             // of the provider
	Profile   string             // who signed in
	Link      string             // what tells this sign-in from others of the report
	Accounts  []string           // of a bank: the ids of those that were picked
	Employer  string             // the stated one that it is for; empty: none in particular
	Status    contract.Status    // how it ended, where it could not be made; else empty
	Substatus contract.Substatus // with Status
	At        time.Time          // with Status: when
}

// Reports makes reports. Its changes are part of the caller's transaction.
type Reports interface {
	// Create begins a report as PENDING. An externalId that another report of
	// the customer has is ErrDuplicateExternalID.
	Create(ctx context.Context, tx *sql.Tx, r NewReport) (publicToken string, err error)
	// Label gives a report the labels that it does not have yet; empty ones are
	// left as they are. It fails like Create.
	Label(ctx context.Context, tx *sql.Tx, publicToken, externalID, userArgs string) error
	// Attach gives a report its input and has it made.
	Attach(ctx context.Context, tx *sql.Tx, publicToken string, from Source) error
	// SetStatus ends a pending report, which sends one webhook. It does nothing
	// to one that has ended.
	SetStatus(ctx context.Context, tx *sql.Tx, publicToken string, status contract.Status, sub contract.Substatus) error
	// Status is where the report stands.
	Status(ctx context.Context, q store.Queryer, publicToken string) (contract.Status, contract.Substatus, error)
}

// Account is an account that a bank shows its customer.
type Account struct {
	ID       string
	Name     string
	Mask     string // last four digits
	Subtype  string // CHECKING, SAVINGS, OTHER or empty
	Eligible bool   // a cash-equivalent account: one that a report can be made from
}

// Access is the sign-in of the mock banks or payroll providers of a catalogue.
type Access interface {
	Login(username string) Login
	// Empty reports whether a provider has nothing recent on a profile.
	Empty(provider, profile string, at time.Time) bool
}

// BankAccess is the sign-in of the mock banks and their accounts.
type BankAccess interface {
	Access
	// Accounts are those of a profile, with the ids that they have under a link.
	Accounts(profile, link string, at time.Time) []Account
}

// PreparedReports are the reports that a sandbox serves by sandboxReportId.
type PreparedReports interface {
	// Lookup returns the kind of a prepared report, or store.ErrNotFound.
	Lookup(ctx context.Context, q store.Queryer, customerID, id string) (contract.Product, error)
	// Attach has the prepared report served for publicToken.
	Attach(ctx context.Context, tx *sql.Tx, customerID, id, publicToken string, from Source) error
}

// Ended is a visit that is over or closed, as its redirect needs to know it.
type Ended struct {
	VisitID     string
	PublicToken string
	Outcome     contract.Outcome
	Status      contract.Status      // with SUCCESS
	Error       contract.WidgetError // with ERROR
	At          time.Time
}

// Return is where the browser goes after a visit: to URL, which has the outcome
// token in it, or, with Post, to Action by a form whose field token it is.
type Return struct {
	URL    string
	Post   bool
	Action string
	Token  string
	Origin string // scheme, host and port of both, for the page's policy
}

// Returns knows which visits belong to a secure redirect.
type Returns interface {
	// Return makes a fresh outcome token and says where it goes; ok is false for
	// a visit without a redirect, or whose redirect is too long ago.
	Return(ctx context.Context, q store.Queryer, e Ended) (r Return, ok bool, err error)
	// Origin is the origin that the visit will return to, or empty.
	Origin(ctx context.Context, q store.Queryer, visitID string) (string, error)
	// Visit is the visit of a redirect token, or store.ErrNotFound.
	Visit(ctx context.Context, q store.Queryer, redirectToken string) (visitID string, err error)
}
