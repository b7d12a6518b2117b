// Package customers stores the service's customers: accounts, one for each
// environment, with their credentials, products, and registered redirect URLs; the
// account hierarchy with its product configurations (API reference: Accounts); and the
// consumers API (API reference: Consumers; docs/divergences.md). A consumer's prefill
// is encrypted under the consumer's data key.
//
// Accounts, products, configurations, and consumers of another customer are treated as
// unknown. Secrets are stored as SHA-256 only (see package auth) and shown once, when
// they are created.
package customers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/prefill"
	"vestibule/internal/provider/auth"
	"vestibule/internal/store"
)

// Service stores customers. It implements auth.Directory.
type Service struct {
	DB   *store.DB
	Auth *auth.Authenticator // authenticates the callers of the consumers API
	Log  *slog.Logger
	Now  func() time.Time // the provider's clock

	// Mailboxes hashes the addresses that consumers are found by. Without it, new consumers
	// get their hash from a later Sweep.
	Mailboxes *mail.Mailboxes

	// Prepared stores the sandbox's prepared reports; nil in production.
	Prepared PreparedStore

	// Withdrawn ends visits that wait for a consumer, in the transaction that withdraws
	// consent. May be nil.
	Withdrawn func(ctx context.Context, tx *store.Tx, consumerID string) error
}

// Account is a customer's account in one environment.
type Account struct {
	ID          string
	PublicID    string
	ParentID    string // empty for a parent
	Name        string // unique among the children of a parent
	DisplayName string // shown to applicants instead of Name; empty for none
	Environment contract.Environment
	Created     time.Time
	ReturnMode  string // "get" or "post": how signed results are returned
	RequireForm bool   // redirects must be opened by the form

	ConfigurationID string // of the account itself; empty: none, or inherited

	Suspended       time.Time // of the account itself; zero: it is not suspended
	SubmissionLimit int       // submissions within a minute
}

// ApplicantName returns the account's name for applicants.
func (a Account) ApplicantName() string {
	if a.DisplayName != "" {
		return a.DisplayName
	}
	return a.Name
}

// ParentOrSelf returns the id of the account that has the configurations.
func (a Account) ParentOrSelf() string { return cmp.Or(a.ParentID, a.ID) }

// Caller returns the account as the caller of a request.
func (a Account) Caller() auth.Caller {
	return auth.Caller{CustomerID: a.ID, PublicID: a.PublicID, ParentID: a.ParentID, Environment: a.Environment}
}

// Consumer is a person with any number of reports.
type Consumer struct {
	ID               string
	CustomerID       string
	ExternalID       string
	KeyID            string          // data key of all the consumer's data
	Prefill          json.RawMessage // as CheckPrefill returns it; nil for none
	ConsentWithdrawn bool
	Lang             i18n.Lang // of the page on which they last agreed to a visit; "" if unknown
	Created, Updated time.Time
}

// Email returns the email address in the consumer's prefill, or "".
func (c Consumer) Email() string {
	var p prefill.Fields
	if len(c.Prefill) > 0 {
		_ = json.Unmarshal(c.Prefill, &p) // it was validated before it was stored
	}
	return p.Email
}

// ErrDuplicateExternalID is returned for a consumerExternalId of another consumer of
// the customer.
var ErrDuplicateExternalID = errors.New("customers: another consumer has this external id")

// Clients implements auth.Directory.
func (s *Service) Clients(ctx context.Context, q store.Queryer, clientID string) ([]auth.Client, error) {
	return clients(ctx, q, `k.client_id = $1`, clientID, s.Now())
}

// Client implements auth.Directory.
func (s *Service) Client(ctx context.Context, q store.Queryer, credentialID string) (auth.Client, error) {
	found, err := clients(ctx, q, `k.id = $1`, credentialID, s.Now())
	if err != nil {
		return auth.Client{}, err
	}
	if len(found) != 1 {
		return auth.Client{}, store.ErrNotFound
	}
	return found[0], nil
}

// ByID returns an account. An unknown account is store.ErrNotFound.
func (s *Service) ByID(ctx context.Context, q store.Queryer, customerID string) (Account, error) {
	return account(ctx, q, `id = $1`, customerID)
}

// CompleteURLs returns the redirect URLs registered on an account or, without any, on its parent, each an
// origin with a path prefix; the first is the static one.
func (s *Service) CompleteURLs(ctx context.Context, q store.Queryer, a Account) ([]string, error) {
	urls, err := s.OwnCompleteURLs(ctx, q, a.ID)
	if err == nil && len(urls) == 0 && a.ParentID != "" {
		urls, err = s.OwnCompleteURLs(ctx, q, a.ParentID)
	}
	return urls, err
}

// SetCompleteURL registers a redirect URL and makes it the account's static one.
func (s *Service) SetCompleteURL(ctx context.Context, tx *store.Tx, customerID, url string) error {
	urls, err := s.OwnCompleteURLs(ctx, tx, customerID)
	if err != nil {
		return err
	}
	all := []string{url}
	for _, u := range urls {
		if u != url {
			all = append(all, u)
		}
	}
	return replaceCompleteURLs(ctx, tx, customerID, all)
}

// Consumer returns a consumer of the customer with the prefill, or store.ErrNotFound.
func (s *Service) Consumer(ctx context.Context, q store.Queryer, customerID, consumerID string) (Consumer, error) {
	c, sealed, wrapped, err := consumer(ctx, q, customerID, consumerID)
	if err != nil || sealed == nil {
		return c, err
	}
	key, err := s.DB.Vault.Unwrap(q, c.KeyID, wrapped)
	if err == nil {
		c.Prefill, err = key.Open(prefillCell(c.ID), sealed)
	}
	if err != nil {
		return c, fmt.Errorf("customers: consumer: %w", err)
	}
	return c, nil
}

// Withdraw records that a consumer has withdrawn consent, and ends the consumer's visits
// and access. The customer can still read existing reports, third parties cannot. Account
// numbers are no longer readable. It returns false if consent was withdrawn before, and
// store.ErrNotFound for an unknown consumer.
func (s *Service) Withdraw(ctx context.Context, tx *store.Tx, customerID, consumerID string) (first bool, err error) {
	if first, err = withdraw(ctx, tx, customerID, consumerID); err != nil {
		return false, err
	}
	if !first {
		_, _, _, err = consumer(ctx, tx, customerID, consumerID)
		return false, err
	}
	if s.Withdrawn != nil {
		err = s.Withdrawn(ctx, tx, consumerID)
	}
	return true, err
}

// consumerAge is how long an unused consumer is kept, which is as long as its reports
// can be read.
const consumerAge = 90 * 24 * time.Hour

// Sweep erases unused consumers 90 days after their last change: their prefill, and
// the data key of all their data. A consumer with an external id is kept until it
// withdraws consent.
func (s *Service) Sweep(ctx context.Context) error {
	err := s.DB.Shred(ctx, 50, func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
		unused, err := unusedConsumers(ctx, tx, tx.Now.Add(-consumerAge), limit)
		for _, c := range unused {
			if err := errors.Join(eraseConsumer(ctx, tx, c.ID), s.DB.Vault.Shred(ctx, tx, c.KeyID)); err != nil {
				return 0, err
			}
		}
		return int64(len(unused)), err
	})
	if err == nil && s.Mailboxes != nil {
		err = s.DB.Sweep(ctx, 100, s.hashMailboxes)
	}
	return err
}

// DeleteConsumer deletes a consumer that was created at an instant, for one visit, with the data
// key. Consumers with an external id, a report or an account remain.
func (s *Service) DeleteConsumer(ctx context.Context, tx *store.Tx, id string, created time.Time) error {
	key, err := deleteConsumer(ctx, tx, id, created)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return errors.Join(err, s.DB.Vault.Shred(ctx, tx, key))
}

// keyLife is how long the data key of a consumer stays after Clear, for what is still to be sent.
const keyLife = 4 * 24 * time.Hour

// hashMailboxes computes the hashes that consumers of an earlier version lack.
func (s *Service) hashMailboxes(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	all, err := unhashedConsumers(ctx, tx, limit)
	for _, c := range all {
		c.Prefill, err = s.DB.Vault.Open(ctx, tx, c.KeyID, prefillCell(c.ID), c.sealed)
		if err != nil && !errors.Is(err, store.ErrShredded) && !errors.Is(err, store.ErrSeal) {
			return 0, err
		}
		if err := setMailbox(ctx, tx, c.ID, s.mailbox(c.Consumer)); err != nil {
			return 0, err
		}
	}
	return int64(len(all)), err
}

// mailbox returns the hash of the consumer's email address; nil without Mailboxes.
func (s *Service) mailbox(c Consumer) []byte {
	if s.Mailboxes == nil {
		return nil
	}
	return s.Mailboxes.Hash(c.Email())
}

// CreateConsumer adds a consumer with a new data key. If another consumer has the
// externalID, it returns ErrDuplicateExternalID, and tx stays usable.
func (s *Service) CreateConsumer(ctx context.Context, tx *store.Tx, customerID,
	externalID string, fields json.RawMessage) (Consumer, error) {
	key, err := s.DB.Vault.NewKey(ctx, tx)
	if err != nil {
		return Consumer{}, err
	}
	c := Consumer{ID: uuid.NewString(), CustomerID: customerID, ExternalID: externalID,
		KeyID: key, Prefill: fields, Created: tx.Now, Updated: tx.Now}
	sealed, err := s.sealPrefill(ctx, tx, c)
	if err != nil {
		return Consumer{}, err
	}
	added, err := insertConsumer(ctx, tx, c, sealed, s.mailbox(c))
	if err != nil {
		return Consumer{}, err
	}
	if !added {
		return Consumer{}, errors.Join(ErrDuplicateExternalID, s.DB.Vault.Shred(ctx, tx, key))
	}
	return c, nil
}

func (s *Service) sealPrefill(ctx context.Context, q store.Queryer, c Consumer) ([]byte, error) {
	if c.Prefill == nil {
		return nil, nil
	}
	return s.DB.Vault.Seal(ctx, q, c.KeyID, prefillCell(c.ID), c.Prefill)
}

func prefillCell(id string) store.Cell {
	return store.Cell{Table: "consumers", Column: "prefill", Row: id}
}
