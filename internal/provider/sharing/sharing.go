// Package sharing lets a customer share a report with a third party, another
// customer, by a relay token, and have a second report of another product made from
// the data of one that it has (document 2, "Relay tokens" and "Multi-product
// tokens").
//
// There is one token for a report and a third party. It is good for 72 hours, and
// again for 72 by every repeated grant, as long as the report lives; once the third party has read the report
// in that time, for as long as the report lives. A grant that was withdrawn never
// comes back, and a consumer that withdraws consent withdraws all of them. A relay
// token names its report to that third party alone: to anybody else, its owner too, it
// is unknown, and it cannot be shared on.
package sharing

import (
	"context"
	"errors"
	"fmt"
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
	// Window is how old a report may be to be shared with a third party for the first
	// time (document 2, Limits).
	Window = 30 * 24 * time.Hour
	// Life is how long a third party has to read what was shared.
	Life = 72 * time.Hour
)

// Service shares reports. All fields must be set.
type Service struct {
	DB        *store.DB
	Log       *slog.Logger
	Now       func() time.Time // the provider's clock
	Gate      *auth.Authenticator
	Customers *customers.Service
	Reports   *reports.Service
	Webhooks  *webhooks.Service

	grants store.Batcher[pair, string] // relay tokens of what is ready
}

// pair is what a caller shares, and with whom.
type pair struct {
	caller      auth.Caller
	publicToken string
	publicID    string // the third party's
}

// State is where a relay token stands (document 2, "States and transitions").
type State string

const (
	Active  State = "active"
	Expired State = "expired"
	Revoked State = "revoked"
)

// Share is a grant of a report to a third party.
type Share struct {
	RelayToken   string
	PublicToken  string // the report's own, which the third party never learns
	CustomerID   string // the owner
	ThirdPartyID string // customer id
	Created      time.Time
	Expires      time.Time // without meaning once it was read
	Read         time.Time // for the first time; zero for not yet
	Revoked      time.Time // or when the consumer withdrew consent; zero for not
}

// State is where the share stands at now.
func (s Share) State(now time.Time) State {
	switch {
	case !s.Revoked.IsZero():
		return Revoked
	case s.Read.IsZero() && now.After(s.Expires):
		return Expired
	}
	return Active
}

// refusal is the answer to a third party that comes at now; nil for none.
func (s Share) refusal(now time.Time) error {
	switch s.State(now) {
	case Revoked:
		return httpx.NewError(contract.CodeRelayTokenRevoked, errors.New("the relay token was revoked"))
	case Expired:
		return httpx.NewError(contract.CodeRelayTokenExpired, errors.New("the relay token was not used within 72 hours"))
	}
	return nil
}

// Find returns the publicToken of the report that a relay token names to the
// third party, or store.ErrNotFound. A token that is not active has the answer for
// its error. It is asked for a status and does not count as reading.
func (s *Service) Find(ctx context.Context, q store.Queryer, thirdPartyID, relayToken string) (string, error) {
	share, err := get(ctx, q, `third_party_id = $1 AND token = $2`, thirdPartyID, relayToken)
	if err != nil {
		return "", err
	}
	return share.PublicToken, share.refusal(s.Now())
}

// Open is told that a report which Find found is about to be given out. Reading it
// for the first time keeps the token active; of reading and withdrawing at the same
// time one comes first.
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

// StatusChanged notifies the third parties that a report is shared with, under their
// relay tokens.
func (s *Service) StatusChanged(ctx context.Context, tx *store.Tx, c reports.StatusChange) error {
	all, err := list(ctx, tx, `public_token = $1`, c.PublicToken)
	if err != nil {
		return err
	}
	now := s.Now()
	var theirs []reports.StatusChange
	for _, share := range all {
		if share.State(now) == Active {
			theirs = append(theirs, reports.StatusChange{CustomerID: share.ThirdPartyID, PublicToken: share.RelayToken,
				Status: c.Status, Substatus: c.Substatus})
		}
	}
	return s.Webhooks.Record(ctx, tx, theirs...)
}

// Get returns the share of a relay token, whoever's it is, or store.ErrNotFound.
func (s *Service) Get(ctx context.Context, q store.Queryer, relayToken string) (Share, error) {
	return get(ctx, q, `token = $1`, relayToken)
}

// Shared returns the report that a relay token names and the third party that has the
// token; store.ErrNotFound for a token that is unknown or was revoked.
func (s *Service) Shared(ctx context.Context, q store.Queryer, relayToken string) (publicToken, thirdPartyID string, err error) {
	share, err := s.Get(ctx, q, relayToken)
	if err == nil && !share.Revoked.IsZero() {
		err = store.ErrNotFound
	}
	return share.PublicToken, share.ThirdPartyID, err
}

// Shares returns what the customer shares of a report, the oldest first; nothing
// for somebody else's report.
func (s *Service) Shares(ctx context.Context, q store.Queryer, customerID, publicToken string) ([]Share, error) {
	return list(ctx, q, `customer_id = $1 AND public_token = $2`, customerID, publicToken)
}

// Withdrawn is when the consumer of a report withdrew consent, and with it every share
// of the report; zero for not.
func (s *Service) Withdrawn(ctx context.Context, q store.Queryer, publicToken string) (time.Time, error) {
	return withdrawn(ctx, q, publicToken)
}

// Sweep deletes the shares of reports that nobody reads any more.
func (s *Service) Sweep(ctx context.Context) error {
	if err := s.DB.Sweep(ctx, 100, deleteForgotten); err != nil {
		return fmt.Errorf("sharing: sweep: %w", err)
	}
	return nil
}

// Grant shares a report of the caller with the account of a publicId, or does so
// for another 72 hours, and returns the pair's relay token. Its errors are the
// endpoint's.
func (s *Service) Grant(ctx context.Context, tx *store.Tx, caller auth.Caller, publicToken, publicID string) (relayToken string, err error) {
	return s.share(ctx, tx, caller, publicToken, publicID)
}

// Withdraw revokes a share of the customer for good. It reports false for one that
// is not the customer's, or was revoked before.
func (s *Service) Withdraw(ctx context.Context, tx *store.Tx, customerID, relayToken string) (bool, error) {
	return withdraw(ctx, tx, customerID, relayToken, s.Now())
}

// Granted lists what a customer shares, or with received what is shared with it,
// the newest first, from a place of Created and RelayToken on.
func (s *Service) Granted(ctx context.Context, q store.Queryer, customerID string, received bool, before store.Cursor, limit int) ([]Share, error) {
	return recent(ctx, q, customerID, received, before, limit)
}
