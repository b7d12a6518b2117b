package bankaccounts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// Kinds of account numbers.
const (
	AN  = "AN"  // real number
	TAN = "TAN" // token that the bank issues instead, and can revoke
)

var (
	// errRevoked is returned for numbers that the bank has revoked, and for those of a bank that
	// the consumer has disconnected.
	errRevoked = errors.New("bankaccounts: the number was revoked")

	// ErrNoToken is returned by Revoke for a real number.
	ErrNoToken = errors.New("bankaccounts: a real account number cannot be revoked")
)

// achDetails is the response with the numbers. The database stores it encrypted.
type achDetails struct {
	Number  string `json:"full_account_number"`
	Routing string `json:"routing_number"`
	Kind    string `json:"account_number_type"`
}

// item is an account of the list, with its numbers or nulls.
type item struct {
	accountDetails
	Routing *string `json:"routing_number"`
	Number  *string `json:"full_account_number"`
	Kind    *string `json:"account_number_type"`
}

// accountDetails is stored encrypted, without AccountID.
type accountDetails struct {
	AccountID   string       `json:"account_id"`
	Institution string       `json:"institution_name"`
	Truncated   *string      `json:"truncated_account_number"`
	Owner       string       `json:"owner_full_name"`
	Name        string       `json:"account_name"`
	Type        string       `json:"account_type"`
	Subtype     string       `json:"account_subtype"`
	Opened      *report.Date `json:"date_opened"`
}

// list responds with the accounts that a consumer has connected. They have numbers if
// these were requested before and the caller is entitled to them. A consumer that has
// withdrawn consent has no accounts.
func (s *Service) list(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	consumer, err := httpx.PathUUID(r, "consumer", "consumer_id", contract.CodeBadRequest)
	if err != nil {
		return err
	}
	out, err := s.items(ctx, auth.CallerOf(ctx).CustomerID, consumer)
	if errors.Is(err, store.ErrNotFound) {
		return notFound()
	}
	if err != nil {
		return err
	}
	return httpx.PrivateJSON(w, http.StatusOK, struct {
		Accounts []item `json:"accounts"`
	}{out})
}

func (s *Service) items(ctx context.Context, customerID, consumerID string) ([]item, error) {
	of, err := s.lists.Do(ctx, consumerID, func(ctx context.Context, ids []string) (map[string]consumerAccounts, error) {
		return accountsOfConsumers(ctx, s.DB.SQL, ids, s.Now())
	})
	if err != nil {
		return nil, err
	}
	if of.customerID != customerID {
		return nil, store.ErrNotFound
	}
	out := make([]item, 0, len(of.accounts))
	keys := map[string]store.Opener{} // by id; usually only the consumer's
	for _, a := range of.accounts {
		key, ok := keys[a.keyID]
		if !ok {
			if key, err = s.DB.Vault.Unwrap(s.DB.SQL, a.keyID, a.wrapped); errors.Is(err, store.ErrShredded) {
				continue
			}
			if err != nil {
				return nil, err
			}
			keys[a.keyID] = key
		}
		var it item
		if err := read(key, cell(a.id, "details"), a.details, &it.accountDetails); err != nil {
			return nil, err
		}
		it.AccountID = a.accountID
		if a.numbers != nil {
			var d achDetails
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

// requestNumbers returns the numbers of an account of a report or a consumer. It records
// the first request, after which the numbers do not change until they are revoked. It
// returns errRevoked, or store.ErrNotFound also for an expired connection.
func (s *Service) requestNumbers(ctx context.Context, of scope, owner, accountID string) (achDetails, error) {
	var d achDetails
	a, err := findAccount(ctx, s.DB.SQL, of, owner, accountID)
	if err != nil {
		return d, err
	}
	if a.revoked.IsZero() && a.first.IsZero() {
		sealed, err := markRequested(ctx, s.DB.SQL, a.id, s.Now())
		switch {
		case err == nil:
			return d, s.open(ctx, a.keyID, cell(a.id, "numbers"), sealed, &d)
		case !errors.Is(err, store.ErrNotFound):
			return d, err
		}
		// The connection has expired, the account has no numbers, or another request was
		// first.
		if a, err = findAccount(ctx, s.DB.SQL, of, owner, accountID); err != nil {
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

// Revoke revokes the tokens of the accounts with an id, as their bank would, and deletes
// the tokens. It returns store.ErrNotFound for an unknown account and ErrNoToken for a
// real number. A repeated call changes nothing.
func (s *Service) Revoke(ctx context.Context, accountID string) error {
	n, err := revoke(ctx, s.DB.SQL, accountID, s.Now())
	if err != nil || n > 0 {
		return err
	}
	exists, tokens, err := hasTokens(ctx, s.DB.SQL, accountID)
	switch {
	case err != nil:
		return err
	case !exists:
		return store.ErrNotFound
	case !tokens:
		return ErrNoToken
	}
	return nil
}

// Disconnected deletes the numbers of the accounts that a report has from ended access to a
// bank. They can no longer be requested.
func (s *Service) Disconnected(ctx context.Context, tx *store.Tx, c sources.Connection) error {
	all, err := reportedAccounts(ctx, tx, c.KeyID)
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.connectionID != reports.ConnectionID(a.publicToken, c.ID) {
			continue // another bank's, or connected again
		}
		if err := revokeAccount(ctx, tx, a.id); err != nil {
			return err
		}
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
