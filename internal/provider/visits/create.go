package visits

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/prefill"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// tokenLifetime is how long an initialization token can be used.
const tokenLifetime = 30 * time.Minute

// maxBody is the maximum size in bytes of an initialization, which holds a person's
// details.
const maxBody = 64 << 10

// Request is the body of an initialization, and the part of the register options that
// describes the visit.
type Request struct {
	ProductID       string          `json:"productId"`
	ExternalID      string          `json:"externalId"`
	UserArgs        string          `json:"userArgs"`
	ConsumerID      string          `json:"consumerId"`
	SandboxReportID string          `json:"sandboxReportId"`
	Prefill         json.RawMessage `json:"prefill"`
}

// lower returns w with its UUIDs in lowercase, as stored.
func (w Request) lower() Request {
	for _, id := range []*string{&w.ProductID, &w.ConsumerID, &w.SandboxReportID} {
		*id = strings.ToLower(*id)
	}
	return w
}

func (w Request) hasPrefill() bool { return len(w.Prefill) > 0 && string(w.Prefill) != "null" }

// initialize handles POST /connect/initialization: the customer's server sends its
// data on the applicant and receives a token that opens one widget.
func (s *Service) initialize(w http.ResponseWriter, r *http.Request) error {
	var body Request
	if err := httpx.DecodeJSON(w, r, maxBody, &body); err != nil {
		return err
	}
	var err error
	if body.ProductID, err = auth.ProductID(r, body.ProductID); err != nil {
		return err
	}
	token := store.NewSecret()
	var expires time.Time
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		v, err := s.create(ctx, tx, auth.CallerOf(ctx), body, false)
		if err != nil {
			return err
		}
		if expires = v.created.Add(tokenLifetime); expires.After(v.expires) {
			expires = v.expires
		}
		return insertToken(ctx, tx, token, v.id, expires)
	})
	if err != nil {
		return err
	}
	return httpx.PrivateJSON(w, http.StatusOK, struct {
		Token string `json:"token"`
		Exp   int64  `json:"exp"` // unix seconds
	}{token, expires.Unix()})
}

// create creates a visit and its report in tx. It returns the first violation with its
// code and all violations as details; the caller rolls back, so that nothing of a
// rejected request is stored. tokenless is true for requests without credentials.
func (s *Service) create(ctx context.Context, tx *store.Tx, caller auth.Caller, req Request, tokenless bool) (visit, error) {
	req = req.lower()
	if err := req.checkLengths(); err != nil {
		return visit{}, err
	}
	product, err := s.product(ctx, tx, caller, req.ProductID)
	if err != nil {
		return visit{}, err
	}
	if req.SandboxReportID, err = s.preparedReport(ctx, tx, caller, product, req.SandboxReportID); err != nil {
		return visit{}, err
	}
	if req.SandboxReportID == "" && s.sandbox(caller.Environment) != nil {
		req.SandboxReportID = product.Configuration.PreparedReport
	}
	consumer, err := s.visitConsumer(ctx, tx, caller, product, req)
	if err != nil {
		return visit{}, err
	}
	r, err := s.Reports.Create(ctx, tx, reports.New{CustomerID: caller.CustomerID, ProductID: req.ProductID, Kind: product.Kind,
		ExternalID: req.ExternalID, UserArgs: req.UserArgs, ConsumerID: consumer.ID, KeyID: consumer.KeyID})
	if err != nil {
		return visit{}, externalIDError(err)
	}
	applicant := parsePrefill(consumer.Prefill)
	names := employersToVerify(product.Kind, applicant)
	v := visit{
		Journey: newJourney(product, names),
		id:      uuid.NewString(), publicToken: r.PublicToken, customerID: caller.CustomerID, productID: req.ProductID,
		environment: caller.Environment, consumerID: consumer.ID,
		sandboxReportID: req.SandboxReportID, created: tx.Now, tokenless: tokenless,
	}
	v.State, v.Step, v.Status = flow.Created, flow.StepConsent, contract.StatusPending
	if s.sandbox(caller.Environment) != nil {
		v.Scenario = scenarioOf(applicant.FirstName, applicant.LastName)
	}
	v.expires = v.expiry(tx.Now)
	if v.Employers > 0 {
		if err := s.storeEmployers(ctx, tx, &v, consumer.KeyID, names); err != nil {
			return visit{}, err
		}
	}
	return v, insert(ctx, tx, v)
}

// checkLengths validates the lengths of the customer's labels.
func (w Request) checkLengths() error {
	var d []httpx.Detail
	if w.ExternalID != "" && !auth.IsExternalID(w.ExternalID) {
		d = append(d, httpx.Detail{Field: "externalId",
			Message: "must be at most 64 characters, without control or invisible characters and without spaces at either end"})
	}
	if utf8.RuneCountInString(w.UserArgs) > contract.MaxUserArgs || strings.ContainsFunc(w.UserArgs, prefill.IsInvisible) {
		d = append(d, httpx.Detail{Field: "userArgs", Message: "must be at most 255 characters, none of them invisible"})
	}
	if w.hasPrefill() && w.Prefill[0] != '{' {
		d = append(d, httpx.Detail{Field: "prefill", Message: "must be an object"})
	}
	if len(d) > 0 {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("a field is out of bounds"), d...)
	}
	return nil
}

func (s *Service) product(ctx context.Context, q store.Queryer, caller auth.Caller, id string) (customers.Product, error) {
	if problem := httpx.UUIDProblem(id); problem != "" {
		return customers.Product{}, widgetErrorOf(contract.WidgetInvalidProduct, "productId", problem)
	}
	p, err := s.Customers.Product(ctx, q, caller.CustomerID, id)
	if errors.Is(err, store.ErrNotFound) {
		return customers.Product{}, widgetErrorOf(contract.WidgetInvalidProduct, "productId", "matches no product of yours")
	}
	return p, err
}

// preparedReport checks a sandboxReportId. Outside the sandbox it is ignored.
func (s *Service) preparedReport(ctx context.Context, q store.Queryer, caller auth.Caller,
	product customers.Product, id string) (string, error) {
	all := s.sandbox(caller.Environment)
	if id == "" || all == nil {
		return "", nil
	}
	refused := httpx.NewError(contract.CodeMalformedBody, errors.New("no such prepared report"),
		httpx.Detail{Field: "sandboxReportId", Message: "is not a prepared report of yours for this product"})
	if !contract.IsUUID(id) {
		return "", refused
	}
	kind, err := all.Lookup(ctx, q, caller.CustomerID, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && kind != product.Kind {
		return "", refused
	}
	return id, err
}

// visitConsumer returns the consumer of the visit: an existing one, or one created from the
// prefill. A prepared report needs neither.
func (s *Service) visitConsumer(ctx context.Context, tx *store.Tx, caller auth.Caller,
	product customers.Product, req Request) (customers.Consumer, error) {
	if req.ConsumerID != "" {
		problem := httpx.UUIDProblem(req.ConsumerID)
		if req.hasPrefill() {
			problem = "is given together with prefill; send one of the two"
		}
		if problem != "" {
			return customers.Consumer{}, widgetErrorOf(contract.WidgetInvalidConsumerID, "consumerId", problem)
		}
		c, err := s.consumerWithConsent(ctx, tx, caller.CustomerID, req.ConsumerID)
		if errors.Is(err, store.ErrNotFound) {
			return customers.Consumer{}, widgetErrorOf(contract.WidgetInvalidConsumerID, "consumerId", "matches no consumer of yours")
		}
		if err != nil {
			return customers.Consumer{}, err
		}
		// The consumer's data may be for another product: ignore keys that this product does
		// not accept, as in production.
		_, err = checkPrefill(tx, contract.Production, product, c.Prefill)
		return c, err
	}
	if !req.hasPrefill() && req.SandboxReportID != "" {
		return s.Customers.CreateConsumer(ctx, tx, caller.CustomerID, "", nil)
	}
	fields, err := checkPrefill(tx, caller.Environment, product, req.Prefill)
	if err != nil {
		return customers.Consumer{}, err
	}
	return s.Customers.CreateConsumer(ctx, tx, caller.CustomerID, "", fields)
}

// checkPrefill validates an applicant's data against the rules of a product and returns the
// JSON to store.
func checkPrefill(tx *store.Tx, env contract.Environment, product customers.Product, raw json.RawMessage) (json.RawMessage, error) {
	return customers.CheckPrefill(prefill.Rules{Product: product.Kind, Environment: env, Today: prefill.DateOf(tx.Now.Date()),
		AssetsOnly: product.Configuration.EligibilityKind == report.AssetsOnly}, raw)
}

// consumerWithConsent returns a consumer of the customer. It returns store.ErrNotFound also
// after withdrawn consent.
func (s *Service) consumerWithConsent(ctx context.Context, q store.Queryer, customerID, consumerID string) (customers.Consumer, error) {
	c, err := s.Customers.Consumer(ctx, q, customerID, consumerID)
	if err == nil && c.ConsentWithdrawn {
		err = store.ErrNotFound
	}
	return c, err
}

// widgetErrorOf converts a widget error type to an API error with the text of the type, because
// codes of the same name may have another text. problem is of the field; empty: the type's text.
func widgetErrorOf(e contract.WidgetError, field, problem string) *httpx.Error {
	text := e.Info().Engineer
	return &httpx.Error{Code: contract.Code(e), Status: http.StatusBadRequest, Why: errors.New("an option was refused"), Message: text,
		Details: []httpx.Detail{{Field: field, Code: string(e), Message: cmp.Or(problem, strings.TrimPrefix(text, field+" "))}}}
}

func externalIDError(err error) error {
	if errors.Is(err, reports.ErrDuplicateExternalID) {
		return widgetErrorOf(contract.WidgetDuplicateExternalID, "externalId", "")
	}
	return err
}

// Begin creates a visit for access other than the widget (a secure redirect or an
// invite) from the members of an initialization's body, or takes over the visit of the
// unused initialization token in the member "token". The applicant reaches it at
// Path(handle). It runs in the caller's transaction, and its errors are the
// initialization's. alsoKnown are members of the body that the caller has removed.
func (s *Service) Begin(ctx context.Context, tx *store.Tx, caller auth.Caller, members map[string]json.RawMessage,
	handle string, alsoKnown ...string) (visitID, publicToken string, err error) {
	v, err := s.createOrClaim(ctx, tx, caller, members, alsoKnown)
	if err != nil {
		return "", "", err
	}
	return v.id, v.publicToken, setHandle(ctx, tx, v.id, handle, true)
}

func (s *Service) createOrClaim(ctx context.Context, tx *store.Tx, caller auth.Caller, members map[string]json.RawMessage,
	alsoKnown []string) (visit, error) {
	raw, ok := members["token"]
	if !ok {
		var req Request
		all, err := json.Marshal(members)
		if err != nil {
			return visit{}, err
		}
		if err := httpx.UnmarshalStrict(all, &req, alsoKnown...); err != nil {
			return visit{}, err
		}
		return s.create(ctx, tx, caller, req, false)
	}
	var token string
	if len(members) > 1 || json.Unmarshal(raw, &token) != nil {
		return visit{}, httpx.NewError(contract.CodeMalformedBody, errors.New("token beside an initialization"),
			httpx.Detail{Field: "token", Message: "must be a string, and takes the place of the initialization's fields: send one or the other"})
	}
	return s.claim(ctx, tx, caller, token)
}

// claim uses up a token of the caller and returns its visit.
func (s *Service) claim(ctx context.Context, tx *store.Tx, caller auth.Caller, token string) (visit, error) {
	v, err := claim(ctx, tx, token)
	if errors.Is(err, errToken) || err == nil && (v.customerID != caller.CustomerID || v.State != flow.Created || !tx.Now.Before(v.expires)) {
		return visit{}, widgetErrorOf(contract.WidgetInvalidToken, "token", httpx.Placeholder(token))
	}
	return v, err
}

// Path returns the path of a visit's page.
func Path(handle string) string { return "/visit/" + handle }
