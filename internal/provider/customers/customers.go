// Package customers holds the service's customers: accounts, one for each
// environment, with their credentials, products and registered complete URLs; the
// account hierarchy with its product configurations (document 2, "Account
// hierarchy"); and the consumers API (the project's divergences, "consumers").
// What a consumer was prefilled with is sealed under a data key of the consumer's
// own.
//
// It refuses accounts, products, configurations and consumers of another customer
// as if they were unknown. Secrets are kept as SHA-256 only, as gate explains, and
// shown once, when they are made.
package customers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/provider/auth"
	"vestibule/internal/store"
)

// Service keeps customers. It is the Directory of auth.
type Service struct {
	DB   *store.DB
	Gate *auth.Authenticator // admits the callers of the consumers API
	Log  *slog.Logger
	Now  func() time.Time // the provider's clock

	// Withdrawn ends what waits for a consumer, in the transaction in which it
	// withdraws consent; nil: nothing does.
	Withdrawn func(ctx context.Context, tx *store.Tx, consumerID string) error
}

// Account is a customer's account in one environment.
type Account struct {
	ID          string
	PublicID    string
	ParentID    string // empty for a parent
	Name        string // unique among the children of a parent
	DisplayName string // what applicants are shown in place of Name; empty for none
	Own         string // the id of its own configuration; empty where it inherits
	Environment contract.Environment
	Created     time.Time
	ReturnMode  string // "get" or "post": how outcome tokens come back
	RequireForm bool   // redirects must be opened by the form

	// CompleteURLs are the registered ones: origin and path prefix; the first is
	// the static one. A child without any has its parent's.
	CompleteURLs []string
}

// Shown is the account's name for applicants.
func (a Account) Shown() string {
	if a.DisplayName != "" {
		return a.DisplayName
	}
	return a.Name
}

// Caller is the account as one that a request acts for.
func (a Account) Caller() auth.Caller {
	return auth.Caller{CustomerID: a.ID, PublicID: a.PublicID, ParentID: a.ParentID, Environment: a.Environment}
}

// Consumer is a person whose reports belong together.
type Consumer struct {
	ID               string
	CustomerID       string
	ExternalID       string
	KeyID            string          // the data key that everything of the consumer is sealed under
	Prefill          json.RawMessage // as given; nil for none
	ConsentWithdrawn bool
	Created, Updated time.Time
}

// ErrDuplicateExternalID is returned for a consumerExternalId that another
// consumer of the customer has.
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

// Account implements auth.Directory.
func (s *Service) Account(ctx context.Context, q store.Queryer, publicID string) (auth.Caller, error) {
	return caller(ctx, q, publicID)
}

// ByID returns an account with its complete URLs, or store.ErrNotFound.
func (s *Service) ByID(ctx context.Context, q store.Queryer, customerID string) (Account, error) {
	a, err := account(ctx, q, `id = $1`, customerID)
	if err != nil {
		return a, err
	}
	a.CompleteURLs, err = completeURLs(ctx, q, customerID)
	if err == nil && len(a.CompleteURLs) == 0 && a.ParentID != "" {
		a.CompleteURLs, err = completeURLs(ctx, q, a.ParentID)
	}
	return a, err
}

// SetCompleteURL registers url, and makes it the static one of the account.
func (s *Service) SetCompleteURL(ctx context.Context, tx *store.Tx, customerID, url string) error {
	urls, err := completeURLs(ctx, tx, customerID)
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

// Consumer returns a consumer of the customer with what it was prefilled with,
// or store.ErrNotFound.
func (s *Service) Consumer(ctx context.Context, q store.Queryer, customerID, consumerID string) (Consumer, error) {
	c, sealed, err := consumer(ctx, q, customerID, consumerID)
	if err != nil {
		return c, err
	}
	raw, err := s.DB.Vault.Open(ctx, q, c.KeyID, prefillCell(c.ID), sealed)
	if err != nil {
		return c, fmt.Errorf("customers: consumer: %w", err)
	}
	c.Prefill = raw
	return c, nil
}

// ConsentWithdrawn says whether the customer's consumer has withdrawn consent, or
// store.ErrNotFound.
func (s *Service) ConsentWithdrawn(ctx context.Context, q store.Queryer, customerID, consumerID string) (bool, error) {
	return consentWithdrawn(ctx, q, customerID, consumerID)
}

// consumerAge is how long a consumer stays that nobody asks for: as long as its reports
// are read.
const consumerAge = 90 * 24 * time.Hour

// Sweep erases consumers of which nothing can be asked any more, 90 days after they
// were last changed: what they were prefilled with, and the data key that everything of
// theirs was sealed under. A consumer that its customer has named stays until it
// withdraws consent.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.Now()
	err := s.DB.Shred(ctx, 50, func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
		keys, err := idle(ctx, tx, now.Add(-consumerAge), limit)
		for id, key := range keys {
			if err := errors.Join(erase(ctx, tx, id, now), s.DB.Vault.Shred(ctx, tx, key)); err != nil {
				return 0, err
			}
		}
		return int64(len(keys)), err
	})
	if err != nil {
		return fmt.Errorf("customers: sweep: %w", err)
	}
	return nil
}

// CreateConsumer adds a consumer with a data key of its own. A taken externalID
// is ErrDuplicateExternalID; tx is still good then.
func (s *Service) CreateConsumer(ctx context.Context, tx *store.Tx, customerID, externalID string, prefill json.RawMessage) (Consumer, error) {
	key, err := s.DB.Vault.NewKey(ctx, tx)
	if err != nil {
		return Consumer{}, err
	}
	now := s.Now().UTC()
	c := Consumer{ID: uuid.NewString(), CustomerID: customerID, ExternalID: externalID, KeyID: key, Prefill: prefill, Created: now, Updated: now}
	sealed, err := s.sealPrefill(ctx, tx, c)
	if err != nil {
		return Consumer{}, err
	}
	added, err := insertConsumer(ctx, tx, c, sealed)
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
