package submissions

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// Routes adds the submission endpoint.
func (s *Service) Routes(mux *http.ServeMux) {
	mux.Handle("POST /connect/v2/cashflow/byo-report", httpx.API(s.Log, s.Auth.Bearer(s.submit)))
}

// submit accepts a submission and responds with {publicToken, externalId, userArgs,
// status}.
func (s *Service) submit(w http.ResponseWriter, r *http.Request) error {
	ctx, caller := r.Context(), auth.CallerOf(r.Context())
	n := reports.New{PublicToken: uuid.NewString(), CustomerID: caller.CustomerID, Kind: contract.Cashflow}
	product, err := s.product(r, caller.CustomerID)
	if err != nil {
		return err
	}
	n.ProductID = product.ID
	// Reject early; countSubmission checks the limit again after the body was read.
	most, err := s.Customers.SubmissionLimit(ctx, s.DB.SQL, caller.CustomerID)
	if err != nil {
		return err
	}
	left, err := waitTime(ctx, s.DB.SQL, caller.CustomerID, most, s.Now())
	if err != nil {
		return err
	}
	if left > 0 {
		return rateLimited(most, left)
	}
	sandbox := s.Sandbox != nil && caller.Environment == contract.Sandbox
	in, err := s.read(w, r, n.PublicToken, sandbox)
	if err != nil {
		return err
	}
	n.ExternalID, n.UserArgs = in.ExternalID, in.UserArgs
	if in.Personal.Email != nil {
		n.Mailbox = s.Mailboxes.Hash(*in.Personal.Email)
	}
	from, err := s.source(ctx, product, in, sandbox)
	if err != nil {
		return err
	}
	begin, err := s.prepare(n, from)
	if err != nil {
		return err
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := begin(ctx, tx); err != nil {
			return err
		}
		left, err := countSubmission(ctx, tx, caller.CustomerID, most) // last: the account's other submissions wait for it
		if err == nil && left > 0 {
			err = rateLimited(most, left)
		}
		return err
	})
	if errors.Is(err, reports.ErrDuplicateExternalID) {
		return httpx.NewError(contract.CodeDuplicateExternalID, err, httpx.Detail{Field: "externalId", Message: "another report of yours has it"})
	}
	if err != nil {
		return err
	}
	return httpx.PrivateJSON(w, http.StatusOK, struct {
		PublicToken string          `json:"publicToken"`
		ExternalID  *string         `json:"externalId"`
		UserArgs    *string         `json:"userArgs"`
		Status      contract.Status `json:"status"`
	}{n.PublicToken, contract.Null(n.ExternalID), contract.Null(n.UserArgs), contract.StatusPending})
}

// product returns the product of X-PRODUCT-ID, which must be a cashflow product of the caller.
func (s *Service) product(r *http.Request, customerID string) (customers.Product, error) {
	values := r.Header.Values("X-Product-Id")
	if len(values) != 1 || strings.TrimSpace(values[0]) == "" {
		problem := "is given twice"
		if len(values) < 2 {
			problem = "is missing"
		}
		return customers.Product{}, httpx.NewError(contract.CodeMalformedHeaders, errors.New("no product"),
			httpx.Detail{Field: "X-PRODUCT-ID", Message: problem + "; send the id of a cashflow product of yours"})
	}
	id := strings.ToLower(strings.TrimSpace(values[0]))
	p, err := customers.Product{}, store.ErrNotFound
	if contract.IsUUID(id) {
		p, err = s.Customers.Product(r.Context(), s.DB.SQL, customerID, id)
	}
	if errors.Is(err, store.ErrNotFound) || err == nil && p.Kind != contract.Cashflow {
		wrong := httpx.Detail{Field: "X-PRODUCT-ID", Message: cmp.Or(httpx.UUIDProblem(id), "must be a product of your account")}
		if err == nil {
			wrong.Message = "is a product for " + string(p.Kind) + " reports; a submission needs one for cashflow reports"
		}
		return p, httpx.NewError(contract.CodeInvalidProduct, errors.New("no cashflow product of the caller"), wrong)
	}
	return p, err
}

// read reads the body. It drains a rejected body, so that a client that writes the whole
// body first receives the response.
func (s *Service) read(w http.ResponseWriter, r *http.Request, publicToken string, sandbox bool) (Submission, error) {
	body, err := httpx.StreamJSON(w, r, MaxBody)
	if err != nil {
		return Submission{}, err
	}
	in, details, err := Read(body, Terms{Now: s.Now(), Sandbox: sandbox, Seed: publicToken})
	if errors.Is(err, ErrRefused) {
		if _, cut := io.Copy(io.Discard, body); cut == nil {
			return in, httpx.NewError(contract.CodeMalformedBody, err, details...)
		} else if cut = httpx.BodyError(cut); httpx.AsError(cut).Code == contract.CodeBodyTooLarge {
			return in, cut
		}
		return in, httpx.NewError(contract.CodeMalformedBody, err, details...)
	}
	if err != nil {
		return in, httpx.BodyError(err)
	}
	return in, nil
}

// source returns the data to generate the report from: the submitted data, or the
// sandbox's data.
func (s *Service) source(ctx context.Context, product customers.Product, in Submission, sandbox bool) (from reportSource, err error) {
	p := in.Personal
	if sandbox {
		from.prepared = product.Configuration.PreparedReport
	}
	if id := in.SandboxReportID; sandbox && id != "" {
		kind, err := s.Sandbox.Lookup(ctx, s.DB.SQL, product.CustomerID, strings.ToLower(id))
		if errors.Is(err, store.ErrNotFound) || err == nil && kind != contract.Cashflow {
			return from, httpx.NewError(contract.CodeMalformedBody, errors.New("sandboxReportId"),
				httpx.Detail{Field: "sandboxReportId", Message: "is not one of your prepared reports"})
		}
		if err != nil {
			return from, err
		}
		from.prepared = strings.ToLower(id)
	}
	if sandbox && p.FirstName != nil && from.prepared == "" {
		from.in.Profile = s.Sandbox.Profile(*p.FirstName)
	}
	if sandbox && p.LastName != nil && *p.LastName == "error" {
		from.failed = true
		return from, nil
	}
	if from.substatus = p.Substatus(s.Now(), from.in.Profile != ""); from.substatus != "" {
		from.failed = true
		return from, nil
	}
	from.in.Consumer = &bankdata.Person{FirstName: *p.FirstName, LastName: *p.LastName, Emails: []string{*p.Email}}
	from.in.Source, from.in.At = report.CustomerInput, in.PullDate
	given := reports.Given{DOB: p.DOB != nil}
	if p.State != nil && isState(*p.State) {
		given.State = *p.State
	}
	from.in.Given = given.OrNil()
	if from.prepared == "" && from.in.Profile == "" {
		from.in.Data = &in.Data
	}
	return from, nil
}

func rateLimited(most int, left time.Duration) error {
	return &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: left, Why: errors.New("too many submissions within a minute"),
		Message: "Your account can send " + strconv.Itoa(most) + " submissions a minute; wait as long as Retry-After says."}
}
