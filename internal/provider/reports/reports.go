// Package reports holds every report of the service: its labels, its status,
// what it is made from and its body, the last two sealed under the consumer's
// data key. It makes the cashflow report in a job, and serves status and report
// (document 1, "States and transitions" and "Endpoints").
//
// A status moves once, from PENDING to a final one, by one conditional UPDATE,
// and each move records exactly one event in the same transaction; so does each
// correction of a report that is made (document 3, "Income report"). Reports of
// another customer, unknown ones, and those over 90 days old are all the same
// INVALID_TOKEN.
package reports

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/eligibility"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/documents"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// MaxAge is how old a report may be read (document 1, Limits).
const MaxAge = 90 * 24 * time.Hour

var (
	// ErrDuplicateExternalID is returned for an externalId that another report of
	// the customer has. The transaction is still good.
	ErrDuplicateExternalID = errors.New("reports: another report of the customer has this external id")
	// ErrNotPending is returned where a report has its input or its end already.
	ErrNotPending = errors.New("reports: the report no longer waits for its input")
)

// Service makes and serves reports.
type Service struct {
	DB        *store.DB
	Queue     jobs.Enqueuer
	Gate      *auth.Authenticator
	Customers *customers.Service
	Documents *documents.Service
	Log       *slog.Logger
	Now       func() time.Time // the provider's clock

	// OnChange is called for each change of a status and each correction, in its
	// transaction.
	OnChange func(ctx context.Context, tx *store.Tx, c StatusChange) error

	// Sources are the data sources of an environment; nil: there are none.
	Sources func(contract.Environment) Sources

	// Shared finds reports by their relay tokens; nil where nothing is shared.
	Shared Shared

	// Watch is told how long a report of a kind took to be computed and kept; status
	// is "" where it could not be. nil: nobody.
	Watch func(kind, status string, took time.Duration)

	// Connect readies what is kept of the accounts of a report that is about to be
	// SUCCESS, fetched from the banks or given; what it returns keeps it in the
	// transaction that ends the report. nil for nobody.
	Connect func(ctx context.Context, r Report, data bankdata.Data, fetched bool) (func(ctx context.Context, tx *store.Tx) error, error)

	// Made is told of every report whose generation ended, in the transaction
	// that ends it; nil for nobody.
	Made func(ctx context.Context, tx *store.Tx, publicToken string, status contract.Status, sub contract.Substatus) error
}

// StatusChange is the status that a report has reached, for a customer who is notified of it.
type StatusChange struct {
	CustomerID  string
	PublicToken string // or the relay token by which a third party knows the report
	Status      contract.Status
	Substatus   contract.Substatus
}

// Sources are where the reports of an environment get their data. The zero value
// has none: what a report was to be made from is then not there.
type Sources struct {
	Bank      Bank         // nil: no bank is asked
	Payroll   Payroll      // nil: no payroll provider is asked
	Suppliers Suppliers    // nil: no passport is made
	Stubs     StubScenario // nil: a pay stub is what can be read in it
}

// sourcesOf are the data sources of a report.
func (s *Service) sourcesOf(ctx context.Context, r Report) (Sources, error) {
	if s.Sources == nil {
		return Sources{}, nil
	}
	a, err := s.Customers.ByID(ctx, s.DB.SQL, r.CustomerID)
	if err != nil {
		return Sources{}, fmt.Errorf("reports: environment: %w", err)
	}
	return s.Sources(a.Environment), nil
}

// Bank retrieves a consumer's data from the bank that was signed in to.
type Bank interface {
	Fetch(profile, link string, at time.Time) bankdata.Data
}

// Payroll retrieves what a payroll provider has on the consumer who signed in.
type Payroll interface {
	Fetch(provider, profile, link string, at time.Time) income.Payroll
}

// New is what a report is begun with.
type New struct {
	PublicToken string // UUID; empty makes one
	CustomerID  string
	ProductID   string
	Kind        contract.Product
	ExternalID  string
	UserArgs    string
	ConsumerID  string
	KeyID       string // the consumer's data key; empty makes one

	source string    // of a secondary report: the publicToken of the one whose data it has
	held   time.Time // and since when the service holds them
}

// Report is a report without its input and body.
type Report struct {
	PublicToken string
	CustomerID  string
	ProductID   string
	Kind        contract.Product
	ExternalID  string
	UserArgs    string
	ConsumerID  string
	KeyID       string
	Status      contract.Status
	Substatus   contract.Substatus
	Created     time.Time
	Retrieved   time.Time // when the consumer's data were; zero until Attach
	Forgotten   bool      // the body was deleted for its age: it is not to be read, wherever the clock stands
	Relay       string    // the relay token that a third party named it by; empty for its owner

	source string    // see New
	held   time.Time // see New

	revision int // how often it was corrected
}

// Retention is how long account numbers and files are given out that nobody asked
// for before (document 1, Limits; document 3, Endpoints).
const Retention = 14 * 24 * time.Hour

// Input is what a report is made from, as it is sealed.
type Input struct {
	// Consumer is the name that was typed; nil if nobody typed one. Source is who
	// did: report.ConsumerInput or report.CustomerInput.
	Consumer *bankdata.Person `json:"consumer,omitempty"`
	Source   string           `json:"source,omitempty"`
	Born     report.Date      `json:"born,omitzero"` // of that person; zero: not given

	Given *Given `json:"given,omitempty"` // nil for nothing

	Banks   []SignIn `json:"banks,omitempty"`   // those that were signed in to
	Profile string   `json:"profile,omitempty"` // of the mock bank, without Banks: all its accounts, where it has them

	Supplier string `json:"supplier,omitempty"` // of a passport's file: its code

	// Data is given instead of Profile for what needs no retrieval, and kept after
	// generation for what is made from it later.
	Data *bankdata.Data `json:"data,omitempty"`

	// SignIns are the payroll connections; Payroll is what was retrieved of each.
	SignIns []SignIn         `json:"signIns,omitempty"`
	Payroll []income.Payroll `json:"payroll,omitempty"`

	// Failed are sources that could not be connected, as an income report lists them.
	Failed []report.Source `json:"failed,omitempty"`

	// Documents says that the report's pay stubs were handed in; Paystubs is what
	// was read of them, and PaystubsFor the stated employer that each was uploaded for.
	Documents   bool             `json:"documents,omitempty"`
	Paystubs    []income.Paystub `json:"paystubs,omitempty"`
	PaystubsFor []string         `json:"paystubsFor,omitempty"` // empty: names tell

	// Gathered is what else was brought for an eligibility report: documents, what
	// was skipped, and what failed.
	Gathered *eligibility.Gathered `json:"gathered,omitempty"`

	// At is when the data were retrieved; zero is now.
	At time.Time `json:"-"`
}

// Packed is an input made ready to be sealed, which takes as long as it is large
// and so happens outside of transactions.
type Packed struct {
	raw []byte
	at  time.Time
}

// Pack makes an input ready.
func Pack(in Input) (Packed, error) {
	raw, err := packInput(in)
	return Packed{raw, in.At}, err
}

// Create begins a report as PENDING. A first status is no change: it records no
// event.
func (s *Service) Create(ctx context.Context, tx *store.Tx, n New) (Report, error) {
	if n.PublicToken == "" {
		n.PublicToken = uuid.NewString()
	}
	madeKey := n.KeyID == ""
	if madeKey {
		key, err := s.DB.Vault.NewKey(ctx, tx)
		if err != nil {
			return Report{}, err
		}
		n.KeyID = key
	}
	r := Report{PublicToken: n.PublicToken, CustomerID: n.CustomerID, ProductID: n.ProductID, Kind: n.Kind,
		ExternalID: n.ExternalID, UserArgs: n.UserArgs, ConsumerID: n.ConsumerID, KeyID: n.KeyID,
		Status: contract.StatusPending, Created: s.Now().UTC(), source: n.source, held: n.held}
	added, err := insert(ctx, tx, r)
	if err != nil {
		return Report{}, err
	}
	if !added {
		if madeKey {
			return Report{}, errors.Join(ErrDuplicateExternalID, s.DB.Vault.Shred(ctx, tx, n.KeyID))
		}
		return Report{}, ErrDuplicateExternalID
	}
	return r, nil
}

// Label gives a report the labels that it does not have yet; empty ones leave it
// as it is. It fails like Create.
func (s *Service) Label(ctx context.Context, tx *store.Tx, publicToken, externalID, userArgs string) error {
	if externalID == "" && userArgs == "" {
		return nil
	}
	ok, err := label(ctx, tx, publicToken, externalID, userArgs)
	if err == nil && !ok || store.IsUnique(err) {
		return ErrDuplicateExternalID
	}
	return err
}

// Get returns a report, whoever's it is, or store.ErrNotFound.
func (s *Service) Get(ctx context.Context, q store.Queryer, publicToken string) (Report, error) {
	return get(ctx, q, `public_token = $1`, publicToken)
}

// Hold returns a report of the customer, if it is not too old to be read, and keeps
// its status as it is until tx ends; otherwise store.ErrNotFound.
func (s *Service) Hold(ctx context.Context, tx *store.Tx, customerID, publicToken string) (Report, error) {
	return s.own(ctx, tx, `customer_id = $1 AND public_token = $2`+s.DB.ForUpdate(), customerID, publicToken)
}

// Own returns a report of the customer, if it is not too old to be read; otherwise
// store.ErrNotFound.
func (s *Service) Own(ctx context.Context, q store.Queryer, customerID, publicToken string) (Report, error) {
	return s.own(ctx, q, `customer_id = $1 AND public_token = $2`, customerID, publicToken)
}

func (s *Service) own(ctx context.Context, q store.Queryer, where, customerID, publicToken string) (Report, error) {
	r, err := get(ctx, q, where, customerID, publicToken)
	if err == nil && (r.Forgotten || s.Now().Sub(r.Created) > MaxAge) {
		err = store.ErrNotFound
	}
	return r, err
}

// Attach gives a pending report its input and has it made. A report that has an
// input already is ErrNotPending.
func (s *Service) Attach(ctx context.Context, tx *store.Tx, publicToken string, in Input) error {
	p, err := Pack(in)
	if err != nil {
		return err
	}
	return s.AttachPacked(ctx, tx, publicToken, p)
}

// AttachPacked is Attach for an input that is ready, with what its job is to be
// enqueued with.
func (s *Service) AttachPacked(ctx context.Context, tx *store.Tx, publicToken string, p Packed, opts ...jobs.EnqueueOption) error {
	r, err := s.Get(ctx, tx, publicToken)
	if err != nil {
		return err
	}
	sealed, err := s.DB.Vault.Seal(ctx, tx, r.KeyID, cell(r, "input"), p.raw)
	if err != nil {
		return err
	}
	now := s.Now()
	if p.at.IsZero() {
		p.at = now
	}
	ok, err := attach(ctx, tx, publicToken, sealed, p.at, now)
	if err != nil {
		return err
	}
	if !ok {
		return ErrNotPending
	}
	return s.Queue.Enqueue(ctx, tx, Generate{PublicToken: publicToken}, append(opts, jobs.UniqueKey(publicToken))...)
}

// SetStatus ends a pending report and records the event of it. It reports false,
// and does nothing, for a report that has ended.
func (s *Service) SetStatus(ctx context.Context, tx *store.Tx, publicToken string, status contract.Status, sub contract.Substatus) (bool, error) {
	if !status.Final() {
		return false, fmt.Errorf("reports: %q does not end a report", status)
	}
	customerID, ok, err := finish(ctx, tx, publicToken, status, sub, s.Now())
	if err != nil || !ok {
		return false, err
	}
	return true, s.OnChange(ctx, tx, StatusChange{customerID, publicToken, status, sub})
}
