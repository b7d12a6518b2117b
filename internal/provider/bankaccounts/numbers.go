package bankaccounts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// The kinds of account numbers.
const (
	AN  = "AN"  // the account's real number
	TAN = "TAN" // a token from the bank in its place, which the bank can revoke
)

var (
	// errRevoked is returned for numbers that the bank has revoked.
	errRevoked = errors.New("bankaccounts: the bank has revoked the number")

	// ErrNoToken is returned when a number to revoke is not a token.
	ErrNoToken = errors.New("bankaccounts: a real account number cannot be revoked")
)

// details is the answer with the ACH details; the database stores it encrypted.
type details struct {
	Number  string `json:"full_account_number"`
	Routing string `json:"routing_number"`
	Kind    string `json:"account_number_type"`
}

// item is an account in the list. The database stores the first eight fields
// encrypted.
type item struct {
	shown
	Routing *string `json:"routing_number"`
	Number  *string `json:"full_account_number"`
	Kind    *string `json:"account_number_type"`
}

type shown struct {
	AccountID   string       `json:"account_id"`
	Institution string       `json:"institution_name"`
	Truncated   *string      `json:"truncated_account_number"`
	Owner       string       `json:"owner_full_name"`
	Name        string       `json:"account_name"`
	Type        string       `json:"account_type"`
	Subtype     string       `json:"account_subtype"`
	Opened      *report.Date `json:"date_opened"`
}

// list answers with the accounts that a consumer has connected, including numbers that
// were requested before if the caller may read them. It lists no account of a consumer
// that has withdrawn consent.
func (s *Service) list(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	consumer, err := pathID(r, "consumer", "consumer_id")
	if err != nil {
		return err
	}
	out, err := s.items(ctx, auth.CallerOf(ctx).CustomerID, consumer)
	if errors.Is(err, store.ErrNotFound) {
		return unknown()
	}
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return httpx.JSON(w, http.StatusOK, struct {
		Accounts []item `json:"accounts"`
	}{out})
}

func (s *Service) items(ctx context.Context, customerID, consumerID string) ([]item, error) {
	of, err := s.lists.Do(ctx, consumerID, func(ctx context.Context, ids []string) (map[string]holder, error) {
		return connected(ctx, s.DB.SQL, ids, s.Now())
	})
	if err != nil {
		return nil, err
	}
	if of.customerID != customerID {
		return nil, store.ErrNotFound
	}
	out := make([]item, 0, len(of.accounts))
	keys := map[string]store.Opener{} // mostly one: the consumer's
	for _, a := range of.accounts {
		key, ok := keys[a.keyID]
		if !ok {
			if key, err = s.DB.Vault.Unwrap(a.keyID, a.wrapped); errors.Is(err, store.ErrShredded) {
				continue
			}
			if err != nil {
				return nil, err
			}
			keys[a.keyID] = key
		}
		var it item
		if err := read(key, cell(a.id, "details"), a.details, &it.shown); err != nil {
			return nil, err
		}
		it.AccountID = a.accountID
		if a.numbers != nil {
			var d details
			if err := read(key, cell(a.id, "numbers"), a.numbers, &d); err != nil {
				return nil, err
			}
			it.Routing, it.Number, it.Kind = &d.Routing, &d.Number, &d.Kind
		}
		out = append(out, it)
	}
	slices.SortFunc(out, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.Institution, b.Institution), cmp.Compare(a.Name, b.Name), cmp.Compare(a.AccountID, b.AccountID))
	})
	return out, nil
}

// numbers returns the numbers of an account of a report or a consumer. One conditional
// statement records the first request; from then on the numbers do not change until
// they are revoked.
func (s *Service) numbers(ctx context.Context, of scope, owner, accountID string) (details, error) {
	var d details
	a, err := named(ctx, s.DB.SQL, of, owner, accountID)
	if err != nil {
		return d, err
	}
	if a.revoked.IsZero() && a.first.IsZero() {
		given, err := markGiven(ctx, s.DB.SQL, a.id, s.Now())
		switch {
		case err == nil:
			return d, s.open(ctx, a.keyID, cell(a.id, "numbers"), given, &d)
		case !errors.Is(err, store.ErrNotFound):
			return d, err
		}
		// The connection has expired, the account has no numbers, or another request came
		// first.
		if a, err = named(ctx, s.DB.SQL, of, owner, accountID); err != nil {
			return d, err
		}
	}
	switch {
	case !a.revoked.IsZero():
		return d, errRevoked
	case a.first.IsZero() || a.numbers == nil:
		return d, store.ErrNotFound
	}
	return d, s.open(ctx, a.keyID, cell(a.id, "numbers"), a.numbers, &d)
}

// Revoke revokes the tokens of the accounts with this id, as their bank would, and
// deletes them. It returns store.ErrNotFound for an unknown account and ErrNoToken for
// a real number; a repeated call changes nothing.
func (s *Service) Revoke(ctx context.Context, accountID string) error {
	n, err := revoke(ctx, s.DB.SQL, accountID, s.Now())
	if err != nil || n > 0 {
		return err
	}
	tokens, any, err := kinds(ctx, s.DB.SQL, accountID)
	switch {
	case err != nil:
		return err
	case !any:
		return store.ErrNotFound
	case !tokens:
		return ErrNoToken
	}
	return nil
}

func (s *Service) open(ctx context.Context, keyID string, at store.Cell, sealed []byte, into any) error {
	key, err := s.DB.Vault.Opener(ctx, s.DB.SQL, keyID)
	if err != nil {
		return err
	}
	return read(key, at, sealed, into)
}

func read(key store.Opener, at store.Cell, sealed []byte, into any) error {
	raw, err := key.Open(at, sealed)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

func cell(id, column string) store.Cell {
	return store.Cell{Table: "bank_accounts", Column: column, Row: id}
}
