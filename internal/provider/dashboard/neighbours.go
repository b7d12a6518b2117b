package dashboard

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// What is not the customer's own is store.ErrNotFound, of every neighbour.

// Account is a customer's account.
type Account struct {
	ID, PublicID string
	ParentID     string // empty for a parent
	Name         string
	DisplayName  string // empty for none
	Environment  contract.Environment
	ReturnMode   string // "get" or "post"
	RequireForm  bool
	Configurer   bool   // may assign configurations
	Hierarchy    bool   // may have child accounts
	Own          string // the id of its own configuration; empty where it inherits
	Created      time.Time
}

// Accounts knows the account and its ways back.
type Accounts interface {
	Account(ctx context.Context, q store.Queryer, customerID string) (Account, error)
	// CompleteURLs are the account's own; the first is the static one.
	CompleteURLs(ctx context.Context, q store.Queryer, customerID string) ([]string, error)
	// WidgetOrigins are the account's own: pages of them may show its widget.
	WidgetOrigins(ctx context.Context, q store.Queryer, customerID string) ([]string, error)
	// AddWidgetOrigin and RemoveWidgetOrigin report whether they changed anything. What
	// is no origin, or one too many, is ErrWidgetOrigin.
	AddWidgetOrigin(ctx context.Context, tx *sql.Tx, customerID, origin string) (bool, error)
	RemoveWidgetOrigin(ctx context.Context, tx *sql.Tx, customerID, origin string) (bool, error)
	// EditCompleteURLs replaces them by what edit makes of them. One that cannot be
	// one, or one too many, is ErrCompleteURL.
	EditCompleteURLs(ctx context.Context, tx *sql.Tx, customerID string, edit func([]string) ([]string, error)) error
	SetReturn(ctx context.Context, tx *sql.Tx, customerID, mode string, requireForm bool) error
}

// ErrWidgetOrigin is Accounts' refusal of an origin.
var ErrWidgetOrigin = errors.New("dashboard: no origin, or too many")

// ErrCompleteURL is Accounts' refusal of a complete URL.
var ErrCompleteURL = errors.New("dashboard: no complete URL, or too many")

// Credential is a secret of the API without the secret.
type Credential struct {
	ID, ClientID string
	Created      time.Time
	Expires      time.Time // zero for never
	Revoked      time.Time // zero for not
	Live         bool
}

// Issued is a new secret.
type Issued struct{ ClientID, SecretKey string }

// Credentials knows the account's secrets of the API.
type Credentials interface {
	Credentials(ctx context.Context, q store.Queryer, customerID string) ([]Credential, error)
	Issue(ctx context.Context, tx *sql.Tx, customerID string) (Issued, error)
	// Rotate is ErrOverlap while another secret of the client is good.
	Rotate(ctx context.Context, tx *sql.Tx, customerID, id string) (Issued, error)
	Revoke(ctx context.Context, tx *sql.Tx, customerID, id string) error
}

// ErrOverlap is Credentials' refusal to rotate.
var ErrOverlap = errors.New("dashboard: the client is being rotated")

// Callback is where events go.
type Callback struct {
	URL      string
	Disabled time.Time         // zero: it is on
	Statuses []contract.Status // nil is all
	Signers  []Signer          // the newest first
}

// Signer is a secret that signs events, without the secret.
type Signer struct {
	ID      string
	Created time.Time
	Ends    time.Time // zero: it does not
}

// Webhooks knows the account's callback.
type Webhooks interface {
	Callback(ctx context.Context, q store.Queryer, customerID string) (Callback, error)
	// Direct sets the address and turns the callback on. It returns a secret only
	// where it made one.
	Direct(ctx context.Context, tx *sql.Tx, customerID, url string) (secret string, err error)
	Switch(ctx context.Context, tx *sql.Tx, customerID string, on bool) (changed bool, err error)
	Subscribe(ctx context.Context, tx *sql.Tx, customerID string, statuses []contract.Status) error
	// Rotate replaces the secret of that id if it is the present one.
	Rotate(ctx context.Context, tx *sql.Tx, customerID, secretID string) (secret string, ok bool, err error)
	// CheckURL says whether events can be sent to url at all.
	CheckURL(url string) error
	Subscribable() []contract.Status
}

// Delivery is an event on its way, or there.
type Delivery struct {
	ID, EventID, PublicToken string
	Status                   contract.Status
	Substatus                contract.Substatus
	Happened                 time.Time
	State                    string // pending, delivered, given up or disabled
	Tries, HTTP              int
	Created                  time.Time
	Resends                  int64

	Attempts []Attempt
	Body     []byte
	Shredded bool
}

// Attempt is one try of a delivery; Error is a class, empty for an answer.
type Attempt struct {
	At    time.Time
	HTTP  int
	Took  time.Duration
	Error string
}

// DeliveryFilter chooses deliveries; zero values are any.
type DeliveryFilter struct {
	State, PublicToken string
	Before             Cursor
	Limit              int
}

// Deliveries knows what became of events.
type Deliveries interface {
	Deliveries(ctx context.Context, q store.Queryer, customerID string, f DeliveryFilter) ([]Delivery, error)
	Delivery(ctx context.Context, q store.Queryer, customerID, id string) (Delivery, error)
	// Redeliver is ErrOnItsWay while the event is being delivered, and ErrNoCallback
	// where there is nowhere to deliver to.
	Redeliver(ctx context.Context, tx *sql.Tx, customerID, id string, resends int64) (string, error)
	Counts(ctx context.Context, q store.Queryer, customerID string, since time.Time) (map[string]int, error)
}

// Refusals of Deliveries.
var (
	ErrOnItsWay   = errors.New("dashboard: the event is on its way")
	ErrNoCallback = errors.New("dashboard: there is no callback that is on")
)

// Report is a report without anything of its contents.
type Report struct {
	PublicToken string
	ProductID   string
	Kind        contract.Product
	ExternalID  string
	Status      contract.Status
	Substatus   contract.Substatus
	Created     time.Time
	Retrieved   time.Time // zero: not yet
	Forgotten   bool      // deleted for its age; how it came about is no longer known
	Revisable   bool      // its figures may be corrected; only of one Report
}

// ReportFilter chooses reports; zero values are any.
type ReportFilter struct {
	Status contract.Status
	Named  string // a publicToken or an externalId
	Before Cursor
	Limit  int
}

// Visit is how a report's visit stands.
type Visit struct {
	State, Step    string
	Expires, Ended time.Time // Ended is zero before
	Redirect       bool      // it came by secure redirect
	FormOnly       bool
}

// Moment is one thing that happened to a report.
type Moment struct {
	At   time.Time
	Kind string // "visit …", "redirect", "status", "relay …", "corrected"
	Text string // a status, or a third party's publicId; nothing personal
}

// Reports knows the account's reports and visits.
type Reports interface {
	Reports(ctx context.Context, q store.Queryer, customerID string, f ReportFilter) ([]Report, error)
	Report(ctx context.Context, q store.Queryer, customerID, publicToken string) (Report, error)
	Counts(ctx context.Context, q store.Queryer, customerID string, since time.Time) (map[contract.Status]int, error)
	// History is the report's visit, nil for a submission, and what happened.
	History(ctx context.Context, q store.Queryer, customerID, publicToken string) (*Visit, []Moment, error)
}

// Figures are those of a report that its customer's staff may correct.
type Figures struct {
	Revision  int // how often it was corrected
	Now       report.RevisedValues
	Recent    bool // it has recent ones
	Estimated bool // its gross ones are estimated from the net ones
}

// Correction is what staff state in place of a report's figures.
type Correction struct {
	Revision int                  // that they saw
	Values   report.RevisedValues // nil stays as it is
	Reason   string
	By       string // a person's id
}

// Revision is a correction that was made.
type Revision struct {
	Number       int
	At           time.Time
	By           string
	Reason       string
	Before, Then report.RevisedValues
}

// Unfit is Corrections' refusal of a figure, or of all with an empty Figure.
type Unfit struct{ Figure, Why string }

func (u Unfit) Error() string { return "dashboard: " + u.Figure + ": " + u.Why }

// ErrRevised is Corrections' refusal of a correction of an older revision.
var ErrRevised = errors.New("dashboard: the report was corrected meanwhile")

// Corrections knows the figures of reports. A report that has none to correct is
// store.ErrNotFound.
type Corrections interface {
	Figures(ctx context.Context, q store.Queryer, customerID, publicToken string) (Figures, error)
	// Weigh says what the figures would come to; it may refuse with an Unfit.
	Weigh(ctx context.Context, q store.Queryer, customerID, publicToken string, values report.RevisedValues) (report.RevisedValues, error)
	// Correct returns the number of the new revision. Besides an Unfit it may refuse
	// with ErrRevised.
	Correct(ctx context.Context, tx *sql.Tx, customerID, publicToken string, c Correction) (int, error)
	// Revisions lists the corrections that were made, the newest first.
	Revisions(ctx context.Context, q store.Queryer, customerID, publicToken string) ([]Revision, error)
}

// Share is a report that is shared with a third party.
type Share struct {
	RelayToken  string
	PublicToken string // the report's own; empty for who received the share
	With        string // the other account's publicId
	WithName    string
	State       string // active, expired or revoked
	Created     time.Time
	Expires     time.Time
	Read        time.Time // zero: not yet
	Revoked     time.Time // zero: not
}

// Sharing knows the account's relay tokens.
type Sharing interface {
	// Shares lists what the account shares, or with received what is shared with it.
	Shares(ctx context.Context, q store.Queryer, customerID string, received bool, before Cursor, limit int) ([]Share, error)
	// Share shares a report with the account of a publicId. What cannot be shared is
	// a *httpx.Error with the contract's code.
	Share(ctx context.Context, tx *sql.Tx, customerID, publicToken, publicID string) (relayToken string, err error)
	Withdraw(ctx context.Context, tx *sql.Tx, customerID, relayToken string) (bool, error)
}

// Letter is an invite by e-mail.
type Letter struct {
	ID, PublicToken, To, Subject string
	Body                         string // empty when it was sent
	Created, Expires             time.Time
	Sent, Failed                 time.Time // zero: not
}

// Outbox knows the letters to applicants whose links still work.
type Outbox interface {
	Letters(ctx context.Context, q store.Queryer, customerID string, before Cursor) (page []Letter, full bool, err error)
	// Sends reports whether there is a mail server; else somebody passes them on.
	Sends() bool
}

// Configuration is what products are configured as.
type Configuration struct {
	ID, Alias            string
	Kind                 contract.Product
	InquiryType          string
	DeprecatedAttributes bool
	ScoreV1, ScoreV21    bool
	IncomeModelSuite     string
	IncomeInflows        bool
	Workflow             report.Workflow // of eligibility reports
}

// Product is a product with the configuration in force.
type Product struct {
	ID, Name, DisplayName string
	Kind                  contract.Product // empty while it has no configuration
	InquiryType           string
	Configuration         Configuration // the zero one for none
	Inherited             bool
}

// Hierarchy knows the account's children, products and configurations. A name that
// is taken is ErrTaken.
type Hierarchy interface {
	Children(ctx context.Context, q store.Queryer, parentID string) ([]Account, error)
	Child(ctx context.Context, q store.Queryer, parentID, publicID string) (Account, error)
	AddChild(ctx context.Context, tx *sql.Tx, parentID, name, displayName string) (publicID string, err error)
	Products(ctx context.Context, q store.Queryer, customerID string) ([]Product, error)
	AddProduct(ctx context.Context, tx *sql.Tx, customerID, name, displayName string) (id string, err error)
	Configurations(ctx context.Context, q store.Queryer, parentID string) ([]Configuration, error)
	// Assign gives a product of the account or of a child, or with account a child
	// of that publicId, a configuration of the account; "" takes it away.
	Assign(ctx context.Context, tx *sql.Tx, parentID string, account bool, id, configurationID string) error
	// NameProblem says what is wrong with a name; empty for a good one.
	NameProblem(name string) string
}

// ErrTaken is Hierarchy's refusal of a name.
var ErrTaken = errors.New("dashboard: the name is taken")
