package bankaccounts

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vestibule/internal/report"
	"vestibule/internal/store"
)

// Made is a report that is about to be SUCCESS, with the bank data that it is made
// from.
type Made struct {
	PublicToken, CustomerID, ConsumerID string // ConsumerID is empty for what was submitted
	KeyID                               string
	Source                              string    // the report whose data it has a copy of; empty for none
	Retrieved                           time.Time // the data
	Held                                time.Time // since when the service holds them
	Fetched                             bool      // from the banks, which know an account by its number
	Connections                         []Connection
}

// Connection is a sign-in at a bank.
type Connection struct {
	ID       string
	Tokens   bool // the bank gives TANs
	Accounts []Account
}

// Account is a cash-equivalent account. An empty number is not known.
type Account struct {
	ID, Institution, Owner, Name string
	Type, Subtype                string
	Truncated                    string
	Number, Routing              string
	Opened                       *report.Date
}

// account is a row of bank_accounts, with the expiry of its connection.
type account struct {
	id, keyID, customerID, consumerID string
	connectionID, accountID           string
	kind                              string
	retrieved, first, revoked         time.Time // zero for null
	details, numbers                  []byte    // sealed
	wrapped                           []byte    // the data key, as connected finds it; nil: gone
}

// Connect readies the accounts of a report to be kept, as long as their number
// takes. What it returns keeps them in the transaction that ends the report, and
// may be called several times there.
func (s *Service) Connect(ctx context.Context, m Made) (func(ctx context.Context, tx *sql.Tx) error, error) {
	if m.Source != "" {
		return func(ctx context.Context, tx *sql.Tx) error { return inherit(ctx, tx, m.PublicToken, m.Source) }, nil
	}
	type kept struct {
		account
		name string
	}
	expires := map[string]time.Time{}
	var all []kept
	for _, c := range m.Connections {
		for _, a := range c.Accounts {
			if m.ConsumerID == "" && (a.Number == "" || a.Routing == "") {
				continue // nothing of it can ever be asked for
			}
			row, err := s.ready(ctx, m, c, a)
			if err != nil {
				return nil, fmt.Errorf("bankaccounts: %w", err)
			}
			all = append(all, kept{row, a.ID})
			expires[c.ID] = m.Held.Add(Lifetime)
			if c.Tokens && m.Fetched {
				expires[c.ID] = m.Held.Add(TokenLifetime)
			}
		}
	}
	return func(ctx context.Context, tx *sql.Tx) error {
		for id, at := range expires {
			if err := addConnection(ctx, tx, m.KeyID, id, m.Held, at); err != nil {
				return err
			}
		}
		for _, a := range all {
			if err := putAccount(ctx, tx, a.account); err != nil {
				return err
			}
			if err := name(ctx, tx, m.PublicToken, a.name, a.id); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// ready is the row of an account.
func (s *Service) ready(ctx context.Context, m Made, c Connection, a Account) (account, error) {
	row := account{keyID: m.KeyID, customerID: m.CustomerID, consumerID: m.ConsumerID, connectionID: c.ID, accountID: a.ID,
		kind: AN, retrieved: m.Retrieved}
	// A customer that submits accounts knows them by its own ids, whatever it says
	// of their numbers.
	if m.Fetched && a.Number != "" {
		row.id = hex.EncodeToString(s.mac("number", m.KeyID, a.Institution, a.Routing, a.Number))
	} else {
		row.id = hex.EncodeToString(s.mac("id", m.KeyID, a.ID))
	}
	number := a.Number
	if c.Tokens && m.Fetched && a.Number != "" {
		row.kind, number = TAN, s.token(m, c, a)
	}
	var err error
	row.details, err = s.seal(ctx, m.KeyID, cell(row.id, "details"), shown{Institution: a.Institution, Truncated: report.Null(a.Truncated),
		Owner: a.Owner, Name: a.Name, Type: a.Type, Subtype: a.Subtype, Opened: a.Opened})
	if err != nil || number == "" || a.Routing == "" {
		return row, err
	}
	row.numbers, err = s.seal(ctx, m.KeyID, cell(row.id, "numbers"), details{Number: number, Routing: a.Routing, Kind: row.kind})
	return row, err
}

// token is the number that a mock bank gives this customer for this connection:
// sixteen digits, which nobody has for another one.
func (s *Service) token(m Made, c Connection, a Account) string {
	n := binary.BigEndian.Uint64(s.mac("token", m.CustomerID, m.KeyID, c.ID, a.Institution, a.Routing, a.Number))
	return fmt.Sprintf("9%015d", n%1e15)
}

// mac binds values together; their borders count.
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

// batch bounds how many accounts one statement of the sweep deletes.
const batch = 100

// Sweep deletes the accounts that nothing can be asked of any more: those whose
// connection is over and whose numbers were never given out, and those of consumers
// that withdrew their consent. Any number of replicas may sweep at a time.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.Now()
	step := func(f func(context.Context, store.Queryer, time.Time, int) (int64, error)) func(context.Context, *sql.Tx, int) (int64, error) {
		return func(ctx context.Context, tx *sql.Tx, limit int) (int64, error) { return f(ctx, tx, now, limit) }
	}
	if err := s.DB.Sweep(ctx, batch, step(deleteOver), step(deleteWithdrawn), step(deleteConnections)); err != nil {
		return fmt.Errorf("bankaccounts: sweep: %w", err)
	}
	return nil
}
