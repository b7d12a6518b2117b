package bankaccounts

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// account is a row of bank_accounts.
type account struct {
	id, keyID, customerID, consumerID string
	connectionID, accountID           string
	kind                              string    // AN or TAN
	retrieved, first, revoked         time.Time // zero for null
	details, numbers                  []byte    // encrypted
	wrapped                           []byte    // wrapped data key, only set by accountsOfConsumers; nil after its deletion
}

// Connect stores the cash-equivalent accounts of a report that becomes SUCCESS, from fetched or
// submitted data, in the transaction that completes it. A secondary report gets the accounts of
// its source.
func (s *Service) Connect(ctx context.Context, tx *store.Tx, r reports.Report, env contract.Environment, data bankdata.Data,
	fetched bool) error {
	if r.Secondary() {
		return inheritConnections(ctx, tx, r.PublicToken, r.Source())
	}
	for _, c := range data.Connections {
		tokens := fetched && s.issuesTokens(env, c.Institution)
		tokenized := slices.ContainsFunc(c.Accounts, func(a bankdata.Account) bool { return a.Tokenized })
		expires := r.HeldSince().Add(sources.Institution{Tokens: tokens || tokenized}.Lifetime())
		connected := false
		for _, a := range c.Accounts {
			if a.Type != report.CashEquivalent || r.ConsumerID == "" && (a.Number == "" || a.Routing == "") {
				continue // not a bank account, or one that can neither be listed nor requested
			}
			if !connected {
				if err := addConnection(ctx, tx, r.KeyID, c.ID, r.HeldSince(), expires); err != nil {
					return err
				}
				connected = true
			}
			row, err := s.newAccount(ctx, tx, r, c.ID, a, fetched, tokens)
			if err != nil {
				return fmt.Errorf("bankaccounts: %w", err)
			}
			if err := putAccount(ctx, tx, row); err != nil {
				return err
			}
			if err := insertName(ctx, tx, r.PublicToken, a.ID, row.id); err != nil {
				return err
			}
		}
	}
	return nil
}

// issuesTokens reports whether the institution issues TANs, but has no sign-in pages and
// gives the real numbers.
func (s *Service) issuesTokens(env contract.Environment, institution string) bool {
	return slices.ContainsFunc(s.Sources.Catalogue(env).List(sources.Bank), func(i sources.Institution) bool {
		return i.Tokens && !i.OwnPages && i.Name == institution
	})
}

// newAccount returns the row of an account, with its details and numbers encrypted.
func (s *Service) newAccount(ctx context.Context, tx *store.Tx, r reports.Report, connectionID string,
	a bankdata.Account, fetched, tokens bool) (account, error) {
	row := account{keyID: r.KeyID, customerID: r.CustomerID, consumerID: r.ConsumerID, connectionID: connectionID, accountID: a.ID,
		kind: AN, retrieved: r.Retrieved}
	// A customer identifies submitted accounts by its own ids. Their numbers do not identify
	// them.
	if fetched && a.Number != "" {
		row.id = hex.EncodeToString(s.mac("number", r.KeyID, a.Institution, a.Routing, a.Number))
	} else {
		row.id = hex.EncodeToString(s.mac("id", r.KeyID, a.ID))
	}
	number := a.Number
	switch {
	case a.Tokenized:
		row.kind = TAN
	case tokens && a.Number != "":
		row.kind, number = TAN, s.mockToken(r, connectionID, a)
	}
	var err error
	row.details, err = s.seal(ctx, tx, r.KeyID, cell(row.id, "details"), accountDetails{Institution: a.Institution,
		Truncated: contract.Null(a.Mask()), Owner: a.Owner, Name: a.Name, Type: a.Type, Subtype: cmp.Or(a.Subtype, report.Other),
		Opened: a.Opened})
	if err != nil || number == "" || a.Routing == "" {
		return row, err
	}
	row.numbers, err = s.seal(ctx, tx, r.KeyID, cell(row.id, "numbers"), achDetails{Number: number, Routing: a.Routing, Kind: row.kind})
	return row, err
}

// mockToken returns the TAN that a mock bank issues to this customer for this connection,
// of sixteen digits.
func (s *Service) mockToken(r reports.Report, connectionID string, a bankdata.Account) string {
	n := binary.BigEndian.Uint64(s.mac("token", r.CustomerID, r.KeyID, connectionID, a.Institution, a.Routing, a.Number))
	return fmt.Sprintf("9%015d", n%1e15)
}

// mac returns an HMAC of values, with their lengths.
func (s *Service) mac(values ...string) []byte {
	h := hmac.New(sha256.New, s.pepper)
	for _, v := range values {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(v)))
		h.Write(size[:])
		h.Write([]byte(v))
	}
	return h.Sum(nil)
}

func (s *Service) seal(ctx context.Context, tx *store.Tx, keyID string, at store.Cell, v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, errors.New("the account does not encode")
	}
	return s.DB.Vault.Seal(ctx, tx, keyID, at, raw)
}

// sweepBatch is the maximum number of rows that one statement of the sweep deletes.
const sweepBatch = 100

// Sweep deletes accounts that can no longer be requested: those whose connection has
// expired without a request for the numbers, and those of consumers that have
// withdrawn consent. It deletes expired connections without accounts. Replicas may sweep
// concurrently.
func (s *Service) Sweep(ctx context.Context) error {
	return s.DB.Sweep(ctx, sweepBatch, deleteExpired, deleteWithdrawn, deleteConnections)
}
