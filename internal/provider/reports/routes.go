package reports

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
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
	for product, k := range kinds {
		of := func(path string, h func(contract.Product, http.ResponseWriter, *http.Request) error) {
			mux.Handle("GET "+product.Path()+path, httpx.API(s.Log, s.Auth.Bearer(func(w http.ResponseWriter, r *http.Request) error {
				return h(product, w, r)
			})))
		}
		of("/json", s.json)
		if k.files {
			of("/files", s.files)
			of("/files/{path...}", s.file)
		} else {
			of("/pdf", s.pdf)
		}
	}
	mux.Handle("GET /connect/suppliers", httpx.API(s.Log, s.Auth.Basic(s.suppliers)))
}

// status answers {status, substatus}.
func (s *Service) status(w http.ResponseWriter, r *http.Request) error {
	rep, err := s.requestedReport(r, getStatus)
	if err != nil {
		return err
	}
	return httpx.PrivateJSON(w, http.StatusOK, statusOf(rep))
}

// json answers with the body of a report of the kind, byte for byte as generated, without
// the optional members that the request does not ask for.
func (s *Service) json(kind contract.Product, w http.ResponseWriter, r *http.Request) error {
	body, err := s.requestedBody(kind, w, r)
	if err != nil || body == nil {
		return err
	}
	included := strings.Split(strings.ReplaceAll(r.Header.Get(report.IncludeHeader), " ", ""), ",")
	if kinds[kind].payroll && !slices.Contains(included, report.IncludePositions) {
		body = report.WithoutPositions(body)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(body) // on error the client is gone
	return nil
}

// requestedBody returns the body of the report that a request names, and sets the headers that
// name its revision and say until when it can be read (RFC 8594). If the request names the revision
// as known (RFC 9110, If-None-Match), it answers 304, which is no read, and returns nil. Its errors are
// for the client.
func (s *Service) requestedBody(kind contract.Product, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	rep, err := s.requestedReport(r, getWith("body", auth.CallerOf(r.Context()).CustomerID))
	if err != nil {
		return nil, err
	}
	if rep.Kind != kind {
		return nil, otherKind(rep)
	}
	if rep.Status != contract.StatusSuccess {
		return nil, NotReady(rep)
	}
	tag := `"` + strconv.Itoa(rep.revision) + `"`
	w.Header().Set("ETag", "W/"+tag) // weak, because the optional members and a third party's token differ
	w.Header().Set("Sunset", rep.Created.Add(MaxAge).UTC().Format(http.TimeFormat))
	if slices.ContainsFunc(strings.Split(r.Header.Get("If-None-Match"), ","), func(known string) bool {
		return strings.TrimPrefix(strings.TrimSpace(known), "W/") == tag
	}) {
		w.WriteHeader(http.StatusNotModified)
		return nil, nil
	}
	if err := s.markRead(r.Context(), rep); err != nil {
		return nil, err
	}
	body, err := s.body(r.Context(), rep)
	if errors.Is(err, store.ErrShredded) || errors.Is(err, ErrDeleted) {
		return nil, httpx.NewError(contract.CodeInvalidToken, err)
	}
	return body, err
}

// otherKind returns the error for a report that the caller may read, at another path.
func otherKind(rep Report) error {
	return &httpx.Error{Code: contract.CodeInvalidToken, Why: errors.New("the report is of another kind"),
		Message: "This report is of the kind " + string(rep.Kind) + "; read it under " + rep.Kind.Path() + "."}
}

// reader reads a report, or only the fields that the caller needs.
type reader func(ctx context.Context, q store.Queryer, where string, args ...any) (Report, error)

// requestedReport finds the report that the identifier headers name if it is not too old
// to be read: the caller's, a child account's, or one shared with the caller.
func (s *Service) requestedReport(r *http.Request, read reader) (Report, error) {
	rep, err := s.ownReport(r, read)
	if errors.Is(err, store.ErrNotFound) {
		rep, err = s.childReport(r, read, err)
	}
	if errors.Is(err, store.ErrNotFound) {
		rep, err = s.sharedReport(r, read, err)
	}
	if err == nil && s.tooOld(rep) {
		err = errTooOld
	}
	return rep, err
}

// errTooOld is returned for a report that can no longer be read.
var errTooOld = httpx.NewError(contract.CodeInvalidToken, errors.New("the report is over 90 days old"))

// CallersReport finds the caller's own report that the identifier headers name, of any age;
// its errors are for the client.
func (s *Service) CallersReport(r *http.Request) (Report, error) { return s.ownReport(r, get) }

func (s *Service) ownReport(r *http.Request, read reader) (Report, error) {
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
		missing := httpx.NewError(contract.CodeInvalidToken, fmt.Errorf("the caller has no such report: %w", err))
		if problem := httpx.UUIDProblem(id.PublicToken); id.ExternalID == "" && problem != "" {
			missing.Details = []httpx.Detail{{Field: "X-PUBLIC-TOKEN", Message: problem}}
		}
		return rep, missing
	}
	return rep, err
}

// childReport finds a report of a child account that the parent names by its token; missing
// is the error if none exists. External ids are unique within one account, so a request with
// one must also name the child's publicId (API reference: Reports).
func (s *Service) childReport(r *http.Request, read reader, missing error) (Report, error) {
	id, err := auth.IdentifierOf(r)
	if err != nil || id.PublicToken == "" {
		return Report{}, missing
	}
	rep, err := read(r.Context(), s.DB.SQL, `public_token = $2 AND customer_id IN (SELECT id FROM customers WHERE parent_id = $1)`,
		auth.CallerOf(r.Context()).CustomerID, id.PublicToken)
	if errors.Is(err, store.ErrNotFound) {
		return Report{}, missing
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

func statusOf(r Report) statusBody { return statusBody{r.Status, contract.Null(r.Substatus)} }
