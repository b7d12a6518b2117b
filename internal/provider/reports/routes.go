package reports

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// Routes adds the report endpoints, all with Bearer authorization. Except for the list
// of passport suppliers, they name a report by X-PUBLIC-TOKEN or X-EXTERNAL-ID.
func (s *Service) Routes(mux *http.ServeMux) {
	mux.Handle("GET /connect/status", httpx.API(s.Log, s.Auth.Bearer(s.status)))
	mux.Handle("POST /connect/refresh", httpx.API(s.Log, s.Auth.Bearer(s.Customers.Requires(customers.Refresh, s.refresh))))
	of := func(kind contract.Product, h func(contract.Product, http.ResponseWriter, *http.Request) error) http.Handler {
		return httpx.API(s.Log, s.Auth.Bearer(func(w http.ResponseWriter, r *http.Request) error { return h(kind, w, r) }))
	}
	mux.Handle("GET /connect/cashflow/v2/json", of(contract.Cashflow, s.json))
	mux.Handle("GET /connect/cashflow/v2/files", of(contract.Cashflow, s.files))
	mux.Handle("GET /connect/cashflow/v2/files/{path...}", of(contract.Cashflow, s.file))
	mux.Handle("GET /connect/income/v2/json", of(contract.Income, s.json))
	mux.Handle("GET /connect/income/v2/files", of(contract.Income, s.files))
	mux.Handle("GET /connect/income/v2/files/{path...}", of(contract.Income, s.file))
	mux.Handle("GET /connect/affordable-housing-verification/v1/json", of(contract.Eligibility, s.json))
	mux.Handle("GET /connect/affordable-housing-verification/v1/files", of(contract.Eligibility, s.files))
	mux.Handle("GET /connect/affordable-housing-verification/v1/files/{path...}", of(contract.Eligibility, s.file))
	mux.Handle("GET /connect/passport/v4/json", of(contract.Passport, s.json))
	mux.Handle("GET /connect/passport/v4/pdf", of(contract.Passport, s.pdf))
	mux.Handle("GET /connect/suppliers", httpx.API(s.Log, s.Auth.Basic(s.suppliers)))
}

// status answers {status, substatus}.
func (s *Service) status(w http.ResponseWriter, r *http.Request) error {
	rep, err := s.named(r, getStatus)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return httpx.JSON(w, http.StatusOK, statusOf(rep))
}

// json answers with the body of a report of the kind, byte for byte as generated, without
// the optional members that the request does not ask for.
func (s *Service) json(kind contract.Product, w http.ResponseWriter, r *http.Request) error {
	body, err := s.requestedBody(kind, r)
	if err != nil {
		return err
	}
	if !slices.Contains(strings.Split(strings.ReplaceAll(r.Header.Get(report.IncludeHeader), " ", ""), ","), report.IncludePositions) {
		body = report.WithoutPositions(body)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(body) // on error the client is gone
	return nil
}

// requestedBody returns the body of the report that a request names. Its errors are for
// the client.
func (s *Service) requestedBody(kind contract.Product, r *http.Request) ([]byte, error) {
	rep, err := s.named(r, get)
	if err != nil {
		return nil, err
	}
	if rep.Kind != kind {
		return nil, httpx.NewError(contract.CodeInvalidToken, errors.New("the report is of another kind"))
	}
	if rep.Status != contract.StatusSuccess {
		return nil, NotReady(rep)
	}
	body, err := s.body(r.Context(), rep)
	if errors.Is(err, store.ErrShredded) || errors.Is(err, ErrDeleted) {
		return nil, httpx.NewError(contract.CodeInvalidToken, err)
	}
	return body, err
}

// reader reads a report, or only the fields that the caller needs.
type reader func(ctx context.Context, q store.Queryer, where string, args ...any) (Report, error)

// named finds the report that the identifier headers name if it is not too old to be
// read: the caller's, a child account's, or one shared with the caller.
func (s *Service) named(r *http.Request, read reader) (Report, error) {
	rep, err := s.callers(r, read)
	if errors.Is(err, store.ErrNotFound) {
		rep, err = s.ofChild(r, err)
	}
	if errors.Is(err, store.ErrNotFound) {
		rep, err = s.shared(r, err)
	}
	if err == nil && (rep.Forgotten || s.Now().Sub(rep.Created) > MaxAge) {
		return rep, httpx.NewError(contract.CodeInvalidToken, errors.New("the report is over 90 days old"))
	}
	return rep, err
}

// Named finds the caller's report that the identifier headers name, of any age; its
// errors are for the client.
func (s *Service) Named(r *http.Request) (Report, error) { return s.callers(r, get) }

func (s *Service) callers(r *http.Request, read reader) (Report, error) {
	id, err := auth.IdentifierOf(r)
	if err != nil {
		return Report{}, err
	}
	caller := auth.CallerOf(r.Context())
	where, value := `public_token = $2`, id.PublicToken
	if id.ExternalID != "" {
		where, value = `external_id = $2`, id.ExternalID
	}
	rep, err := read(r.Context(), s.DB.SQL, `customer_id = $1 AND `+where, caller.CustomerID, value)
	if errors.Is(err, store.ErrNotFound) {
		return rep, httpx.NewError(contract.CodeInvalidToken, fmt.Errorf("the caller has no such report: %w", err))
	}
	return rep, err
}

// NotReady returns the error for requests that need a generated report; it contains
// the report's status.
func NotReady(r Report) error {
	now := statusOf(r)
	return &httpx.Error{Code: contract.CodeReportNotReady, Why: errors.New("the report is not made"),
		Extra: map[string]any{"status": now.Status, "substatus": now.Substatus}}
}

type statusBody struct {
	Status    contract.Status     `json:"status"`
	Substatus *contract.Substatus `json:"substatus"`
}

func statusOf(r Report) statusBody {
	b := statusBody{Status: r.Status}
	if r.Substatus != "" {
		b.Substatus = &r.Substatus
	}
	return b
}
