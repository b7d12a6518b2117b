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
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// account is a row of bank_accounts, with the expiry of its connection.
type account struct {
	id, keyID, customerID, consumerID string
	connectionID, accountID           string
	kind                              string
	retrieved, first, revoked         time.Time // zero for null
	details, numbers                  []byte    // encrypted
	wrapped                           []byte    // wrapped data key, set by connected; nil after its deletion
}

// Connect prepares the cash-equivalent accounts of a report that is about to be
// SUCCESS, from fetched or submitted data. The returned function stores them in the
// transaction that completes the report; it may be called several times there.
func (s *Service) Connect(ctx context.Context, r reports.Report, data bankdata.Data,
	fetched bool) (func(ctx context.Context, tx *store.Tx) error, error) {
	if r.Secondary() {
		return func(ctx context.Context, tx *store.Tx) error {
			return inheritConnections(ctx, tx, r.PublicToken, r.Source())
		}, nil
	}
	owner, err := s.Customers.ByID(ctx, s.DB.SQL, r.CustomerID)
	if err != nil {
		return nil, fmt.Errorf("bankaccounts: %w", err)
	}
	type kept struct {
		account
		name string
	}
	expires := map[string]time.Time{}
	var all []kept
	for _, c := range data.Connections {
		tokens := fetched && s.tokens(owner.Environment, c.Institution)
		given := slices.ContainsFunc(c.Accounts, func(a bankdata.Account) bool { return a.Tokenized })
		for _, a := range c.Accounts {
			if a.Type != report.CashEquivalent || r.ConsumerID == "" && (a.Number == "" || a.Routing == "") {
				continue // the connection has expired: its numbers can never be requested
			}
			row, err := s.ready(ctx, r, c.ID, a, fetched, tokens)
			if err != nil {
				return nil, fmt.Errorf("bankaccounts: %w", err)
			}
			all = append(all, kept{row, a.ID})
			expires[c.ID] = r.HeldSince().Add(Lifetime)
			if tokens || given {
				expires[c.ID] = r.HeldSince().Add(TokenLifetime)
			}
		}
	}
	return func(ctx context.Context, tx *store.Tx) error {
		for id, at := range expires {
			if err := addConnection(ctx, tx, r.KeyID, id, r.HeldSince(), at); err != nil {
				return err
			}
		}
		for _, a := range all {
			if err := putAccount(ctx, tx, a.account); err != nil {
				return err
			}
			if err := name(ctx, tx, r.PublicToken, a.name, a.id); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// tokens reports whether the institution issues TANs.
func (s *Service) tokens(env contract.Environment, institution string) bool {
	return slices.ContainsFunc(s.Banks(env), func(b Bank) bool { return b.Tokens && b.Name == institution })
}

// ready returns the row of an account.
func (s *Service) ready(ctx context.Context, r reports.Report, connectionID string,
	a bankdata.Account, fetched, tokens bool) (account, error) {
	row := account{keyID: r.KeyID, customerID: r.CustomerID, consumerID: r.ConsumerID, connectionID: connectionID, accountID: a.ID,
		kind: AN, retrieved: r.Retrieved}
	// A customer that submits accounts knows them by its own ids, whatever it submits as
	// their numbers.
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
		row.kind, number = TAN, s.token(r, connectionID, a)
	}
	var err error
	row.details, err = s.seal(ctx, r.KeyID, cell(row.id, "details"), shown{Institution: a.Institution, Truncated: report.Null(a.Mask()),
		Owner: a.Owner, Name: a.Name, Type: a.Type, Subtype: cmp.Or(a.Subtype, report.Other), Opened: a.Opened})
	if err != nil || number == "" || a.Routing == "" {
		return row, err
	}
	row.numbers, err = s.seal(ctx, r.KeyID, cell(row.id, "numbers"), details{Number: number, Routing: a.Routing, Kind: row.kind})
	return row, err
}

// token returns the number that a mock bank issues to this customer for this
// connection: sixteen digits, unique to the connection.
func (s *Service) token(r reports.Report, connectionID string, a bankdata.Account) string {
	n := binary.BigEndian.Uint64(s.mac("token", r.CustomerID, r.KeyID, connectionID, a.Institution, a.Routing, a.Number))
	return fmt.Sprintf("9%015d", n%1e15)
}

// mac returns an HMAC of values, with unambiguous boundaries between them.
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

func (s *Service) seal(ctx context.Context, keyID string, at store.Cell, v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, errors.New("an account does not encode")
	}
	return s.DB.Vault.Seal(ctx, s.DB.SQL, keyID, at, raw)
}

// batch is the maximum number of accounts that one statement of the sweep deletes.
const batch = 100

// Sweep deletes accounts that can no longer be requested: those whose connection has
// expired without a request for the numbers, and those of consumers that have
// withdrawn consent. Replicas may sweep concurrently.
func (s *Service) Sweep(ctx context.Context) error {
	if err := s.DB.Sweep(ctx, batch, deleteOver, deleteWithdrawn, deleteConnections); err != nil {
		return fmt.Errorf("bankaccounts: sweep: %w", err)
	}
	return nil
}
