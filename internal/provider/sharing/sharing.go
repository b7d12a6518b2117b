// Package sharing lets a customer share a report with a third party, another customer,
// by a sharing token, and create a report of another product from the data of an
// existing one (API reference: Sharing).
//
// A report and a third party have one token. It is valid for 72 hours, and each
// repeated grant extends it by 72 hours while the report can be read. Once the third
// party has read the report within that time, the token stays valid as long as the
// report. A revoked grant cannot be restored, and a consumer that withdraws consent
// revokes all grants. A sharing token is valid for its third party only: for all other
// accounts, including the owner, it is unknown, and it cannot be shared further.
package sharing

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/store"
)

const (
	// Window is the maximum age of a report to be shared with a third party for the first
	// time.
	Window = 30 * 24 * time.Hour
	// Life is how long a third party has to read a shared report for the first time.
	Life = 72 * time.Hour
)

// Service shares reports. All fields must be set.
type Service struct {
	DB        *store.DB
	Log       *slog.Logger
	Now       func() time.Time // the provider's clock
	Auth      *auth.Authenticator
	Customers *customers.Service
	Reports   *reports.Service
	Webhooks  *webhooks.Service

	grants store.Batcher[pair, string] // sharing tokens of reports that are ready
}

// pair is a report of a caller and a third party to share it with.
type pair struct {
	caller      auth.Caller
	publicToken string
	publicID    string // the third party's
}

// State is the state of a sharing token.
type State string

const (
	Active  State = "active"
	Expired State = "expired"
	Revoked State = "revoked"
)

// Share is a grant of a report to a third party.
type Share struct {
	RelayToken   string
	PublicToken  string // of the report; hidden from the third party
	CustomerID   string // the owner
	ThirdPartyID string // customer id
	Created      time.Time
	Expires      time.Time // irrelevant after the first read
	Read         time.Time // first read; zero before it
	Revoked      time.Time // or when the consumer withdrew consent; zero if active
}

// State returns the state of the share at now.
func (s Share) State(now time.Time) State {
	switch {
	case !s.Revoked.IsZero():
		return Revoked
	case s.Read.IsZero() && now.After(s.Expires):
		return Expired
	}
	return Active
}

// refusal returns the error for a third party that uses the share at now, or nil.
func (s Share) refusal(now time.Time) error {
	switch s.State(now) {
	case Revoked:
		return httpx.NewError(contract.CodeRelayTokenRevoked, errors.New("the relay token was revoked"))
	case Expired:
		return httpx.NewError(contract.CodeRelayTokenExpired, errors.New("the relay token was not used within 72 hours"))
	}
	return nil
}

// Find returns the publicToken of the report that a sharing token names to the third
// party, or store.ErrNotFound. For an inactive token it returns the error to answer
// with. Find serves status requests and does not count as reading.
func (s *Service) Find(ctx context.Context, q store.Queryer, thirdPartyID, relayToken string) (string, error) {
	share, err := get(ctx, q, `third_party_id = $1 AND token = $2`, thirdPartyID, relayToken)
	if err != nil {
		return "", err
	}
	return share.PublicToken, share.refusal(s.Now())
}

// Open records that the report that Find returned is about to be read. The first read
// keeps the token active; a concurrent revocation takes effect either before or after
// it.
func (s *Service) Open(ctx context.Context, q store.Queryer, relayToken string) error {
	now := s.Now()
	share, err := get(ctx, q, `token = $1`, relayToken)
	if err != nil {
		return err
	}
	if err := share.refusal(now); err != nil || !share.Read.IsZero() {
		return err
	}
	ok, err := markRead(ctx, q, relayToken, now)
	if err != nil || ok {
		return err
	}
	if share, err = get(ctx, q, `token = $1`, relayToken); err != nil {
		return err
	}
	return share.refusal(now) // nil where another request was the first to read
}

// StatusChanged notifies the third parties of a shared report, under their sharing
// tokens.
func (s *Service) StatusChanged(ctx context.Context, tx *store.Tx, c reports.StatusChange) error {
	all, err := list(ctx, tx, `public_token = $1`, c.PublicToken)
	if err != nil {
		return err
	}
	var event []reports.StatusChange
	for _, share := range all {
		if share.State(tx.Now) == Active {
			event = append(event, reports.StatusChange{CustomerID: share.ThirdPartyID, PublicToken: share.RelayToken,
				Status: c.Status, Substatus: c.Substatus})
		}
	}
	return s.Webhooks.Record(ctx, tx, event...)
}

// Get returns the share of a sharing token of any account, or store.ErrNotFound.
func (s *Service) Get(ctx context.Context, q store.Queryer, relayToken string) (Share, error) {
	return get(ctx, q, `token = $1`, relayToken)
}

// Shared returns the report that a sharing token names and the third party that holds
// it. It returns store.ErrNotFound for a token that is unknown or revoked.
func (s *Service) Shared(ctx context.Context, q store.Queryer, relayToken string) (publicToken, thirdPartyID string, err error) {
	share, err := s.Get(ctx, q, relayToken)
	if err == nil && !share.Revoked.IsZero() {
		err = store.ErrNotFound
	}
	return share.PublicToken, share.ThirdPartyID, err
}

// Shares returns the customer's shares of a report, oldest first. For another
// customer's report it returns none.
func (s *Service) Shares(ctx context.Context, q store.Queryer, customerID, publicToken string) ([]Share, error) {
	return list(ctx, q, `customer_id = $1 AND public_token = $2`, customerID, publicToken)
}

// Sweep deletes the shares of reports that can no longer be read.
func (s *Service) Sweep(ctx context.Context) error { return s.DB.Sweep(ctx, 100, deleteForgotten) }

// Withdraw revokes a share of the customer permanently. It returns false if the share
// is not the customer's or was already revoked.
func (s *Service) Withdraw(ctx context.Context, tx *store.Tx, customerID, relayToken string) (bool, error) {
	return withdraw(ctx, tx, customerID, relayToken, tx.Now)
}

// Filter selects shares.
type Filter struct {
	Received bool         // those that the customer received, not gave
	Text     string       // words, each in the other account's name or publicId or in the token; "" for all
	From, To time.Time    // first and last day of Created
	Oldest   bool         // the oldest first
	After    store.Cursor // of Created and RelayToken
	Limit    int
}
