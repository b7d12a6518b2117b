// Package bankaccounts stores the bank accounts that consumers have connected. It
// lists the accounts of a consumer and returns their account and routing numbers, real
// (AN) or tokenized by the bank (TAN), by consumer or by report (API reference:
// Consumers, Reports). It also lists the banks that applicants can connect.
//
// An account has one row no matter how many of the consumer's reports contain it, and
// both endpoints for numbers read that row. They reject customers without the
// entitlement (FORBIDDEN), consumers that have withdrawn consent and numbers that the
// bank has revoked (CONSENT_NOT_PROVIDED), and first requests after the connection has
// expired (NOT_FOUND, as for another customer's account).
package bankaccounts

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sources"
	"vestibule/internal/store"
)

// Service serves bank accounts. All fields must be set, and Open must be called before
// the first request.
type Service struct {
	DB        *store.DB
	Log       *slog.Logger
	Now       func() time.Time // the provider's clock
	Auth      *auth.Authenticator
	Customers *customers.Service
	Reports   *reports.Service
	Sources   *sources.Service

	pepper []byte                                  // key of the HMACs of account numbers
	lists  store.Batcher[string, consumerAccounts] // by consumer id
}

// Open loads the key of the HMACs, or creates it.
func (s *Service) Open(ctx context.Context) (err error) {
	s.pepper, err = s.DB.GetOrCreateSecret(ctx, "bank-accounts", func() ([]byte, error) {
		key := make([]byte, 32)
		rand.Read(key) // never fails
		return key, nil
	})
	if err != nil {
		return fmt.Errorf("bankaccounts: %w", err)
	}
	return nil
}

// Routes adds the endpoints: Bearer for reports and banks, Basic for consumers.
func (s *Service) Routes(mux *http.ServeMux) {
	mux.Handle("GET /connect/bank-accounts/{id}/ach-details", httpx.API(s.Log, s.Auth.Bearer(s.reportACH)))
	mux.Handle("GET /connect/cashflow/oauth-destinations", httpx.API(s.Log, s.Auth.Bearer(s.listBanks)))
	mux.Handle("GET /connect/consumers/{consumer}/bank-accounts", httpx.API(s.Log, mapCodes(s.Auth.Basic(s.list))))
	mux.Handle("GET /connect/consumers/{consumer}/bank-accounts/{id}/ach-details", httpx.API(s.Log, mapCodes(s.Auth.Basic(s.consumerACH))))
}

// mapCodes maps errors to the codes of the consumer endpoints: FORBIDDEN for unknown
// credentials, BAD_REQUEST for malformed headers.
func mapCodes(h httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := h(w, r)
		if err == nil {
			return nil
		}
		e := *httpx.AsError(err)
		switch e.Code {
		case contract.CodeUnknownCustomer:
			e.Code = contract.CodeForbidden
		case contract.CodeMalformedHeaders:
			e.Code = contract.CodeBadRequest
		}
		return &e
	}
}

// reportACH responds with the numbers of an account of a report.
func (s *Service) reportACH(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	if err := s.requireEntitlement(ctx); err != nil {
		return err
	}
	rep, err := s.Reports.CallersReport(r)
	if err != nil {
		return err
	}
	if rep.Status != contract.StatusSuccess {
		return reports.NotReady(rep)
	}
	if rep.ConsumerID != "" {
		if err := s.requireConsent(ctx, rep.CustomerID, rep.ConsumerID); err != nil {
			return err
		}
	}
	id := r.PathValue("id")
	if !contract.IsUUID(id) {
		return notFound()
	}
	return s.writeNumbers(w, r, ofReport, rep.PublicToken, strings.ToLower(id))
}

// consumerACH responds with the numbers of an account of a consumer.
func (s *Service) consumerACH(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	consumer, err := httpx.PathUUID(r, "consumer", "consumer_id", contract.CodeBadRequest)
	if err != nil {
		return err
	}
	id, err := httpx.PathUUID(r, "id", "bank_account_id", contract.CodeBadRequest)
	if err != nil {
		return err
	}
	if err := s.requireEntitlement(ctx); err != nil {
		return err
	}
	if err := s.requireConsent(ctx, auth.CallerOf(ctx).CustomerID, consumer); err != nil {
		return err
	}
	return s.writeNumbers(w, r, ofConsumer, consumer, id)
}

func (s *Service) requireEntitlement(ctx context.Context) error {
	ok, err := s.Customers.Entitled(ctx, s.DB.SQL, auth.CallerOf(ctx).CustomerID, customers.AccountNumbers)
	if err == nil && !ok {
		err = httpx.NewError(contract.CodeForbidden, errors.New("account numbers are not enabled"))
	}
	return err
}

// requireConsent returns NOT_FOUND for a consumer that is not the customer's, and
// CONSENT_NOT_PROVIDED for one that has withdrawn consent.
func (s *Service) requireConsent(ctx context.Context, customerID, consumerID string) error {
	withdrawn, err := s.Customers.ConsentWithdrawn(ctx, s.DB.SQL, customerID, consumerID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return notFound()
	case err == nil && withdrawn:
		return httpx.NewError(contract.CodeConsentNotProvided, errors.New("the consumer has withdrawn consent"))
	}
	return err
}

func (s *Service) writeNumbers(w http.ResponseWriter, r *http.Request, of scope, owner, accountID string) error {
	d, err := s.requestNumbers(r.Context(), of, owner, accountID)
	switch {
	case errors.Is(err, errRevoked):
		return httpx.NewError(contract.CodeConsentNotProvided, err)
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrShredded):
		return notFound()
	case err != nil:
		return err
	}
	return httpx.PrivateJSON(w, http.StatusOK, d)
}

func notFound() error {
	return httpx.NewError(contract.CodeNotFound, errors.New("no such consumer or account, or no longer available"))
}

// bank is a bank with its domains.
type bank struct {
	Name     string   `json:"bank_name"`
	OAuth    []string `json:"bank_oauth_domains"`
	Homepage []string `json:"bank_homepage_domains"`
}

// listBanks responds with the banks of the caller's environment that have a domain.
func (s *Service) listBanks(w http.ResponseWriter, r *http.Request) error {
	out := []bank{}
	for _, i := range s.Sources.Catalogue(auth.CallerOf(r.Context()).Environment).List(sources.Bank) {
		if len(i.OAuth)+len(i.Homepage) > 0 {
			out = append(out, bank{i.Name, append([]string{}, i.OAuth...), append([]string{}, i.Homepage...)})
		}
	}
	slices.SortStableFunc(out, func(a, b bank) int { return strings.Compare(a.Name, b.Name) })
	return httpx.JSON(w, http.StatusOK, out)
}
