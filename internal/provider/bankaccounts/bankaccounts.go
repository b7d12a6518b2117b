// Package bankaccounts gives out the numbers of the bank accounts behind a report,
// and the banks that applicants may be led to (document 1, endpoints 6 and 7).
//
// It refuses customers that are not entitled, consumers that withdrew their
// consent, and accounts that were first asked for when the retention of their
// data was over; those are as unknown as anybody else's.
package bankaccounts

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"vestibule/internal/door"
	"vestibule/internal/provider/gate"
	"vestibule/internal/store"
	"vestibule/internal/svc"
)

// Service serves bank accounts. All fields must be set.
type Service struct {
	DB        *store.DB
	Log       *slog.Logger
	Now       func() time.Time // the provider's clock
	Gate      Gate
	Customers Customers
	Reports   Reports
	Banks     []Bank // the catalogue, in alphabetical order
}

// Gate admits callers.
type Gate interface {
	Bearer(next door.HandlerFunc) door.HandlerFunc
}

// Customers knows what was agreed to.
type Customers interface {
	// Entitled reports whether the customer may have account numbers.
	Entitled(ctx context.Context, q store.Queryer, customerID string) (bool, error)
	// Withdrawn reports whether the consumer has withdrawn consent.
	Withdrawn(ctx context.Context, q store.Queryer, customerID, consumerID string) (bool, error)
}

// Report is a report as far as its accounts go.
type Report struct {
	PublicToken, CustomerID, ConsumerID string
	KeyID                               string
	Until                               time.Time // accounts may be asked for the first time
}

// Reports finds reports and the accounts behind them.
type Reports interface {
	// Named is the report that a request's headers name, made and ready; errors
	// are answers.
	Named(r *http.Request) (Report, error)
	// Account is the account of that id behind it, or store.ErrNotFound.
	Account(ctx context.Context, publicToken, accountID string) (Account, error)
}

// Account is the numbers of an account. An empty number is not known.
type Account struct{ Number, Routing string }

// Bank is a bank with the domains that it uses.
type Bank struct {
	Name     string   `json:"bank_name"`
	OAuth    []string `json:"bank_oauth_domains"`
	Homepage []string `json:"bank_homepage_domains"`
}

// Routes adds the endpoints. All are Bearer.
func (s *Service) Routes(mux *http.ServeMux) {
	mux.Handle("GET /connect/bank-accounts/{id}/ach-details", door.API(s.Log, s.Gate.Bearer(s.ach)))
	mux.Handle("GET /connect/cashflow/oauth-destinations", door.API(s.Log, s.Gate.Bearer(s.destinations)))
}

// details is the answer, and what is sealed.
type details struct {
	Number  string `json:"full_account_number"`
	Routing string `json:"routing_number"`
	Kind    string `json:"account_number_type"`
}

// ach answers the numbers of an account of the report.
func (s *Service) ach(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	ok, err := s.Customers.Entitled(ctx, s.DB.SQL, gate.CallerOf(ctx).CustomerID)
	if err != nil {
		return err
	}
	if !ok {
		return door.Fail(svc.CodeForbidden, errors.New("account numbers are not enabled"))
	}
	rep, err := s.Reports.Named(r)
	if err != nil {
		return err
	}
	if rep.ConsumerID != "" {
		gone, err := s.Customers.Withdrawn(ctx, s.DB.SQL, rep.CustomerID, rep.ConsumerID)
		if err != nil {
			return err
		}
		if gone {
			return door.Fail(svc.CodeConsentNotProvided, errors.New("the consumer has withdrawn consent"))
		}
	}
	id := r.PathValue("id")
	if !svc.IsUUID(id) {
		return unknown()
	}
	d, err := s.details(ctx, rep, strings.ToLower(id))
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrShredded) {
		return unknown()
	}
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return door.JSON(w, http.StatusOK, d)
}

func unknown() error {
	return door.Fail(svc.CodeNotFound, errors.New("no such account that may be asked for"))
}

// details returns an account's numbers, and keeps them the first time.
func (s *Service) details(ctx context.Context, rep Report, id string) (details, error) {
	var d details
	at := store.Cell{Table: "ach_details", Column: "sealed", Row: rep.PublicToken + "/" + id}
	sealed, err := kept(ctx, s.DB.SQL, rep.PublicToken, id)
	if err == nil {
		raw, err := s.DB.Vault.Open(ctx, s.DB.SQL, rep.KeyID, at, sealed)
		if err != nil {
			return d, err
		}
		return d, json.Unmarshal(raw, &d)
	}
	if !errors.Is(err, store.ErrNotFound) || s.Now().After(rep.Until) {
		return d, err
	}
	a, err := s.Reports.Account(ctx, rep.PublicToken, id)
	if err != nil {
		return d, err
	}
	if a.Number == "" || a.Routing == "" {
		return d, store.ErrNotFound
	}
	d = details{Number: a.Number, Routing: a.Routing, Kind: "AN"}
	raw, err := json.Marshal(d)
	if err != nil {
		return d, err
	}
	if sealed, err = s.DB.Vault.Seal(ctx, s.DB.SQL, rep.KeyID, at, raw); err != nil {
		return d, err
	}
	return d, keep(ctx, s.DB.SQL, rep.PublicToken, id, sealed, s.Now())
}

// destinations lists the banks that have a domain.
func (s *Service) destinations(w http.ResponseWriter, r *http.Request) error {
	out := make([]Bank, 0, len(s.Banks))
	for _, b := range s.Banks {
		if len(b.OAuth)+len(b.Homepage) > 0 {
			out = append(out, b)
		}
	}
	return door.JSON(w, http.StatusOK, out)
}
