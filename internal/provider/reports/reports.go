// Package reports stores every report of the service: its labels, its status, its
// input, and its body, the last two encrypted under the consumer's data key. It
// generates reports in a job, and serves statuses and reports (API reference:
// Reports).
//
// A status changes once, from PENDING to a final one, by one conditional UPDATE, and
// each change records exactly one event in the same transaction; so does each
// correction of a report. Requests for reports of other customers, unknown reports,
// and reports over 90 days old all return INVALID_TOKEN.
package reports

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/corrections"
	"vestibule/internal/analysis/eligibility"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// MaxAge is the age after which a report can no longer be read.
const MaxAge = 90 * 24 * time.Hour

var (
	// ErrDuplicateExternalID is returned for an externalId that another report of the
	// customer has. The transaction stays usable.
	ErrDuplicateExternalID = errors.New("reports: another report of the customer has this external id")
	// ErrNotPending is returned if a report already has its input or has ended.
	ErrNotPending = errors.New("reports: the report no longer waits for its input")
)

// Service generates and serves reports.
type Service struct {
	DB        *store.DB
	Queue     jobs.Enqueuer
	Auth      *auth.Authenticator
	Customers *customers.Service
	Documents *documents.Service

	Scanner Scanner // reads images of pay stubs; nil for none

	Sources *sources.Service // institutions, and access to them
	Freeze  *freeze.Service  // files of which nothing new is made
	Log     *slog.Logger
	Now     func() time.Time // the provider's clock

	// OnChange is called for each change of a status and each correction, in its
	// transaction.
	OnChange func(ctx context.Context, tx *store.Tx, c StatusChange) error

	// Sandbox is what reports of the sandbox environment simulate.
	Sandbox Sandbox

	// Shared finds reports by their sharing tokens; nil without sharing.
	Shared Shared

	// Watch receives how long it took to compute and store a report of a kind; status is
	// "" after a failure. May be nil.
	Watch func(kind, status string, took time.Duration)

	// Connect stores the accounts of a report that becomes SUCCESS, from fetched or submitted
	// data, in the transaction that ends the report. May be nil.
	Connect func(ctx context.Context, tx *store.Tx, r Report, env contract.Environment, data bankdata.Data, fetched bool) error

	// OnFinished is called for every report whose generation ended, in the transaction that ends
	// it. May be nil.
	OnFinished func(ctx context.Context, tx *store.Tx, publicToken string, status contract.Status, sub contract.Substatus) error
}

// StatusChange is a new status of a report, for a customer to be notified.
type StatusChange struct {
	CustomerID  string
	PublicToken string // or the sharing token by which a third party knows the report
	Status      contract.Status
	Substatus   contract.Substatus
}

// Sandbox is what the sandbox simulates in reports. The zero value simulates nothing.
type Sandbox struct {
	Stubs StubScenario // nil: a pay stub is what can be read in it

	// Data returns the data of Input.Profile, which a submission or a prepared report names in
	// place of data. nil: there are none.
	Data func(profile, link string, at time.Time) bankdata.Data
}

// environment returns the environment of a report, and what is simulated there.
func (s *Service) environment(ctx context.Context, r Report) (contract.Environment, Sandbox, error) {
	a, err := s.Customers.ByID(ctx, s.DB.SQL, r.CustomerID)
	if err != nil {
		return "", Sandbox{}, fmt.Errorf("reports: environment: %w", err)
	}
	if a.Environment != contract.Sandbox {
		return a.Environment, Sandbox{}, nil
	}
	return a.Environment, s.Sandbox, nil
}

// New describes a new report.
type New struct {
	PublicToken string // UUID; empty makes one
	CustomerID  string
	ProductID   string
	Kind        contract.Product
	ExternalID  string
	UserArgs    string
	ConsumerID  string
	KeyID       string // the consumer's data key; empty makes one
	Mailbox     []byte // hash of the person's email address, without ConsumerID; nil if unknown

	source string    // of a secondary report: the publicToken of the one whose data it has
	held   time.Time // and since when the service holds them

	refreshedFrom string // publicToken of the report for which the consumer gave the access
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
	Forgotten   bool      // the body was deleted for its age, and the report cannot be read any more
	Relay       string    // the sharing token by which a third party named it; empty for its owner

	source string    // see New
	held   time.Time // see New

	refreshedFrom string // see New

	revision int // how often it was corrected

	data struct { // by getWith only
		column          string
		sealed, wrapped []byte    // nil after they were deleted
		read            time.Time // when the account last read this revision; zero: never
	}
}

// Retention is how long account numbers and files can be requested for the first time.
const Retention = 14 * 24 * time.Hour

// Input is the data that a report is generated from, as stored encrypted.
type Input struct {
	// Consumer is the stated name; nil for none. Source says who stated it:
	// report.ConsumerInput or report.CustomerInput.
	Consumer *bankdata.Person `json:"consumer,omitempty"`
	Source   string           `json:"source,omitempty"`
	Born     report.Date      `json:"born,omitzero"` // of that person; zero: not given

	Given *Given `json:"given,omitempty"` // nil for none

	Banks   []SignIn `json:"banks,omitempty"`   // connected banks, and those that failed
	Profile string   `json:"profile,omitempty"` // of the sandbox, in place of Banks: see Sandbox.Data

	Supplier string `json:"supplier,omitempty"` // of a passport's file: its code

	// Data replaces Profile if nothing needs to be retrieved, and is stored after
	// generation for files and secondary reports.
	Data *bankdata.Data `json:"data,omitempty"`

	// SignIns are the payroll connections; Payroll is the data retrieved from each.
	SignIns []SignIn         `json:"signIns,omitempty"`
	Payroll []income.Payroll `json:"payroll,omitempty"`

	// Failed are sources that could not be connected, as listed in an income report.
	Failed []report.Source `json:"failed,omitempty"`

	// Documents reports whether pay stubs were uploaded; Paystubs is the data read
	// from them, and PaystubsFor the stated employer that each was uploaded for.
	Documents   bool             `json:"documents,omitempty"`
	Paystubs    []income.Paystub `json:"paystubs,omitempty"`
	PaystubsFor []string         `json:"paystubsFor,omitempty"` // empty: matched by name

	// Gathered is other data for an eligibility report: documents, skipped employers, and
	// failures.
	Gathered *eligibility.Gathered `json:"gathered,omitempty"`

	// Corrections are those of an earlier report about the same data, made after a dispute;
	// Carried is the day of the last one.
	Corrections []corrections.Correction `json:"corrections,omitempty"`
	Carried     report.Date              `json:"carried,omitzero"` // zero for a secondary report

	// At is when the data were retrieved; zero for now.
	At time.Time `json:"-"`
}

// Packed is an input encoded for encryption. Encoding takes time in proportion to its
// size, so do it outside of transactions.
type Packed struct {
	raw       []byte
	at        time.Time
	documents bool // that programs read
}

// Pack encodes an input.
func Pack(in Input) (Packed, error) {
	raw, err := packInput(in)
	return Packed{raw, in.At, in.Documents && in.Supplier == ""}, err
}

// Create begins a report as PENDING. The first status is not a change and records no
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
		Status: contract.StatusPending, Created: tx.Now, source: n.source, held: n.held,
		refreshedFrom: n.refreshedFrom}
	added, err := insert(ctx, tx, r, n.Mailbox)
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

// Label adds labels that a report does not have yet; empty ones change nothing. It
// fails like Create.
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

// Get returns a report of any customer, or store.ErrNotFound.
func (s *Service) Get(ctx context.Context, q store.Queryer, publicToken string) (Report, error) {
	return get(ctx, q, `public_token = $1`, publicToken)
}

// Lock returns a report of the customer and locks its status until tx ends. It returns
// store.ErrNotFound also if the report is too old to be read.
func (s *Service) Lock(ctx context.Context, tx *store.Tx, customerID, publicToken string) (Report, error) {
	return s.own(ctx, tx, `customer_id = $1 AND public_token = $2`+s.DB.ForUpdate(), customerID, publicToken)
}

// Own returns a report of the customer. It returns store.ErrNotFound also if the
// report is too old to be read.
func (s *Service) Own(ctx context.Context, q store.Queryer, customerID, publicToken string) (Report, error) {
	return s.own(ctx, q, `customer_id = $1 AND public_token = $2`, customerID, publicToken)
}

func (s *Service) own(ctx context.Context, q store.Queryer, where, customerID, publicToken string) (Report, error) {
	r, err := get(ctx, q, where, customerID, publicToken)
	if err == nil && s.tooOld(r) {
		err = store.ErrNotFound
	}
	return r, err
}

// tooOld reports whether a report can no longer be read.
func (s *Service) tooOld(r Report) bool { return r.Forgotten || s.Now().Sub(r.Created) > MaxAge }

// Attach sets the input of a pending report and enqueues its generation. It returns
// ErrNotPending for a report that already has an input. If the person's file is frozen, it
// stores nothing and ends the report.
func (s *Service) Attach(ctx context.Context, tx *store.Tx, publicToken string, in Input) error {
	p, err := Pack(in)
	if err != nil {
		return err
	}
	return s.AttachPacked(ctx, tx, publicToken, p)
}

// AttachPacked is Attach for an encoded input, with options for the job.
func (s *Service) AttachPacked(ctx context.Context, tx *store.Tx, publicToken string, p Packed, opts ...jobs.EnqueueOption) error {
	if err := s.Freeze.Require(ctx, tx, publicToken); errors.Is(err, freeze.ErrFrozen) {
		return s.endFrozen(ctx, tx, publicToken)
	} else if err != nil {
		return err
	}
	if p.at.IsZero() {
		p.at = tx.Now
	}
	r, err := attach(ctx, tx, publicToken, p.at)
	if err != nil {
		return err
	}
	sealed, err := s.DB.Vault.Seal(ctx, tx, r.KeyID, cell(r, "input"), p.raw)
	if err != nil {
		return err
	}
	if err := insertInput(ctx, tx, publicToken, sealed); err != nil {
		return err
	}
	job := jobs.Args(Generate{PublicToken: publicToken})
	if p.documents {
		job = GenerateWithDocuments{PublicToken: publicToken}
	}
	return s.Queue.Enqueue(ctx, tx, job, append(opts, jobs.UniqueKey(publicToken), jobs.Account(r.CustomerID))...)
}

// endFrozen ends a pending report of a person whose file is frozen, as one for which no source
// was authenticated, or for a submission as one that cannot be made: the status does not say why.
func (s *Service) endFrozen(ctx context.Context, tx *store.Tx, publicToken string) error {
	r, err := s.Get(ctx, tx, publicToken)
	if err != nil {
		return err
	}
	status := contract.StatusNotAuthenticated
	if r.ConsumerID == "" {
		status = contract.StatusError
	}
	ended, err := s.SetStatus(ctx, tx, r.PublicToken, status, "")
	if err != nil || !ended {
		return err
	}
	if err := s.Freeze.Refused(ctx, tx, r.PublicToken, r.CustomerID); err != nil || s.OnFinished == nil {
		return err
	}
	return s.OnFinished(ctx, tx, r.PublicToken, status, "")
}

// SetStatus ends a pending report and records the event. It returns false and does
// nothing if the report has already ended.
func (s *Service) SetStatus(ctx context.Context, tx *store.Tx, publicToken string,
	status contract.Status, sub contract.Substatus) (bool, error) {
	if !status.Final() {
		return false, fmt.Errorf("reports: %q does not end a report", status)
	}
	customerID, ok, err := setStatus(ctx, tx, publicToken, status, sub)
	if err != nil || !ok {
		return false, err
	}
	return true, s.OnChange(ctx, tx, StatusChange{customerID, publicToken, status, sub})
}
