// Package submissions takes a customer's own banking data and has a cashflow
// report made of it (document 1, "Submission request body" and endpoint 2). The
// body is read as it streams in, and each value is held to its row of the table
// as it passes.
//
// A body that breaks the table is refused, every bad field named by its path, and
// nothing of it is stored. Personal data that break the PII rule do not refuse
// it: the report ends in ERROR with the substatus of the rule. Whatever is
// answered 200 is durable before. Of one account, 30 submissions are accepted in
// any minute, counted in the database and so over all replicas; what was refused
// does not count.
package submissions

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
)

// MaxBody bounds a body: about 100,000 transactions.
const MaxBody = 20 << 20

// ErrDuplicateExternalID is returned by Reports for an externalId that another
// report of the customer has.
var ErrDuplicateExternalID = errors.New("submissions: another report of the customer has this external id")

// Service serves submissions. All fields but Sandbox must be set.
type Service struct {
	DB       *store.DB
	Log      *slog.Logger
	Now      func() time.Time // the provider's clock
	Gate     Gate
	Accounts Accounts
	Reports  Reports
	Sandbox  Sandbox // nil in production
}

// Gate admits callers.
type Gate interface {
	Bearer(next httpx.HandlerFunc) httpx.HandlerFunc
}

// Accounts knows the customers' products.
type Accounts interface {
	// Kind is the kind of a product of the customer, or store.ErrNotFound.
	Kind(ctx context.Context, q store.Queryer, customerID, productID string) (contract.Product, error)
}

// Sandbox is what the sandbox serves in place of the submitted data.
type Sandbox interface {
	// Profile is the test profile of a first name, spelled exactly; empty for none.
	Profile(firstName string) string
	// Prepared is the kind of a prepared report, if it is the customer's and the
	// customer is entitled to prepared reports; else store.ErrNotFound.
	Prepared(ctx context.Context, q store.Queryer, customerID, sandboxReportID string) (contract.Product, error)
}

// New is an accepted submission: what its report is begun with.
type New struct {
	PublicToken, CustomerID, ProductID string
	ExternalID, UserArgs               string

	// Failed ends the report in ERROR with Substatus; the rest is not used then.
	Failed    bool
	Substatus contract.Substatus

	Person          bankdata.Person
	DOB             bool           // a date of birth was given
	State           string         // of the address; empty: none, or none of the table's
	SandboxReportID string         // made from that prepared report
	Profile         string         // or from that test profile
	Data            *bankdata.Data // or from these data
	At              time.Time      // when the data were retrieved; zero: now
}

// Reports begins reports.
type Reports interface {
	// Prepare does what takes long before a transaction, and returns what begins
	// the report in one, as PENDING. It may be called several times there, and
	// fails with ErrDuplicateExternalID.
	Prepare(n New) (begin func(ctx context.Context, tx *sql.Tx) error, err error)
}
