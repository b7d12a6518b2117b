package visits

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
)

// registration is the request of the frame: the register options that are data.
type registration struct {
	Request
	Env      string `json:"env"`
	PublicID string `json:"publicId"`
	Token    string `json:"token"`

	// Origin is the origin of the page around the frame, as the browser reported it to the
	// frame.
	Origin string `json:"origin"`

	// Resume is a secret of the browser, 256 random bits in base64url. The same
	// registration with the same secret leads to the same visit.
	Resume string `json:"resume"`
}

// handle returns the handle of the visit of the registration. It is derived from the
// browser's secret, so that a reloaded page finds its visit, and does not reveal the
// secret.
func (reg registration) handle() (string, error) {
	if reg.Resume == "" {
		return store.NewSecret(), nil
	}
	if !isSecret(reg.Resume) {
		return "", httpx.NewError(contract.CodeMalformedBody, errors.New("resume has another shape"),
			httpx.Detail{Field: "resume", Message: "must be 256 random bits in base64url"})
	}
	of := "token\n" + reg.Token
	if reg.Token == "" {
		secret := reg.Resume
		reg.Resume, reg.Origin = "", ""
		all, err := json.Marshal(reg)
		if err != nil {
			return "", err
		}
		reg.Resume, of = secret, "registration\n"+string(all)
	}
	sum := sha256.Sum256([]byte("vestibule visit by widget\n" + reg.Resume + "\n" + of))
	return base64.RawURLEncoding.EncodeToString(sum[:]), nil
}

// register handles POST /widget/v1/visits and opens a visit for the widget. Its errors
// are widget error types.
func (s *Service) register(w http.ResponseWriter, r *http.Request) error {
	var reg registration
	if err := httpx.DecodeJSON(w, r, maxBody, &reg); err != nil {
		return widgetError(r, err)
	}
	if reg.Token == "" {
		// Rate-limit first: the request stores data and needs no credentials.
		wait := s.LimitByAddress.Take(r)
		if wait == 0 {
			wait = s.LimitByAccount.TakeFor(r, reg.PublicID)
		}
		if wait > 0 {
			return widgetError(r, &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: wait, Why: errors.New("rate of visits without a token")})
		}
	}
	handle, err := reg.handle()
	if err != nil {
		return widgetError(r, err)
	}
	var v visit
	err = s.retry(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		if v, err = s.open(ctx, tx, reg, handle); err == nil && reg.Resume != "" && r.Header.Get(secretHeader) == reg.Resume {
			_, err = bind(ctx, tx, v.id, store.Hash(reg.Resume)) // or it is bound to this secret, of which its handle is made
		}
		return err
	})
	if err != nil {
		return widgetError(r, err)
	}
	return httpx.PrivateJSON(w, http.StatusCreated, struct {
		Handle      string `json:"handle"`
		PublicToken string `json:"publicToken"`
	}{handle, v.publicToken})
}

// open validates the options, uses up the token, and opens the visit, all in tx.
func (s *Service) open(ctx context.Context, tx *store.Tx, reg registration, handle string) (visit, error) {
	check := contract.Registration{Env: reg.Env, ProductID: reg.ProductID, PublicID: reg.PublicID, Token: reg.Token,
		ExternalID: reg.ExternalID, UserArgs: reg.UserArgs, SandboxReportID: reg.SandboxReportID,
		ConsumerID: reg.ConsumerID, HasPrefill: reg.hasPrefill()}
	switch e := check.Check(); {
	case e == contract.WidgetInvalidToken:
		return visit{}, wrongOptions(reg.Token == "")
	case e == contract.WidgetInvalidProduct:
		return visit{}, widgetErrorOf(e, "productId", httpx.UUIDProblem(reg.ProductID))
	case e == contract.WidgetUnknownCustomer:
		return visit{}, widgetErrorOf(e, "env", "must be sandbox or production, and publicId must be given")
	case e != "":
		return visit{}, widgetErrorOf(e, "", "")
	}
	reg.Request = reg.lower()
	if err := reg.checkLengths(); err != nil {
		return visit{}, err
	}
	caller, err := s.Auth.Customer(ctx, tx, reg.PublicID, contract.Environment(reg.Env))
	if err != nil {
		return visit{}, err
	}
	if err := s.checkOrigin(ctx, tx, caller, reg.Origin); err != nil {
		return visit{}, err
	}
	v, found, err := s.resume(ctx, tx, caller, reg, handle)
	switch {
	case found || err != nil:
		return v, err
	case reg.Token == "":
		v, err = s.create(ctx, tx, caller, reg.Request, true)
	default:
		if v, err = s.claimToken(ctx, tx, caller, reg); err != nil {
			// A concurrent page of the same browser may have come first.
			if faster, found, _ := s.resume(ctx, tx, caller, reg, handle); found {
				return faster, nil
			}
		}
	}
	if err != nil {
		return visit{}, err
	}
	if err := setHandle(ctx, tx, v.id, handle, false); err != nil {
		return visit{}, err
	}
	return s.markOpened(ctx, tx, v)
}

// checkOrigin rejects a page whose origin is not registered, if the account has
// registered any.
func (s *Service) checkOrigin(ctx context.Context, q store.Queryer, caller auth.Caller, origin string) error {
	origins, err := s.Customers.WidgetOrigins(ctx, q, caller.CustomerID)
	if err != nil || len(origins) == 0 || slices.Contains(origins, origin) {
		return err
	}
	return &httpx.Error{Code: contract.Code(contract.WidgetUnknownCustomer), Status: http.StatusForbidden,
		Why:     errors.New("the page's origin is not registered"),
		Message: "This account registered the pages that may show the widget, and the page is of another origin.",
		Details: []httpx.Detail{{Field: "origin", Message: "is not among the origins registered on the account"}}}
}

// resume finds the visit that the same browser has begun with the same registration.
// It reopens a closed visit, because registering again shows that it is wanted.
func (s *Service) resume(ctx context.Context, tx *store.Tx, caller auth.Caller,
	reg registration, handle string) (v visit, found bool, err error) {
	if reg.Resume == "" {
		return visit{}, false, nil
	}
	v, err = byHandle(ctx, tx, handle)
	if errors.Is(err, store.ErrNotFound) {
		return visit{}, false, nil
	}
	switch {
	case err != nil:
	case v.hosted, v.customerID != caller.CustomerID, v.environment != caller.Environment:
		return visit{}, false, nil
	case v.productID != reg.ProductID:
		return visit{}, false, widgetErrorOf(contract.WidgetMismatchedProductID, "productId", "")
	default:
		if v, err = s.catchUp(ctx, tx, v); err == nil {
			v, _, err = s.advance(ctx, tx, v, flow.Input{Kind: flow.EventReopened})
		}
	}
	return v, err == nil, err
}

// claimToken takes over the visit of a token. The register options may add to the
// initialization, but not contradict it.
func (s *Service) claimToken(ctx context.Context, tx *store.Tx, caller auth.Caller, reg registration) (visit, error) {
	product, err := s.product(ctx, tx, caller, reg.ProductID)
	if err != nil {
		return visit{}, err
	}
	v, err := s.claim(ctx, tx, caller, reg.Token)
	if err != nil {
		return visit{}, err
	}
	if v.productID != reg.ProductID {
		return visit{}, widgetErrorOf(contract.WidgetMismatchedProductID, "productId", "differs from the token's, which is "+v.productID)
	}
	if reg.ConsumerID != "" && reg.ConsumerID != v.consumerID {
		return visit{}, widgetErrorOf(contract.WidgetInvalidConsumerID, "consumerId", "")
	}
	if v.sandboxReportID == "" {
		if v.sandboxReportID, err = s.preparedReport(ctx, tx, caller, product, reg.SandboxReportID); err != nil {
			return visit{}, err
		}
	}
	if reg.ExternalID != "" || reg.UserArgs != "" {
		err = s.Reports.Label(ctx, tx, v.publicToken, reg.ExternalID, reg.UserArgs)
	}
	return v, externalIDError(err)
}

// errOptions is returned for options that do not go together. The applicant cannot
// correct it, although the text of INVALID_TOKEN says so.
var errOptions = errors.New("token, prefill and consumerId do not go together")

// wrongOptions returns INVALID_TOKEN for options without token, prefill, and
// consumerId, or with both a token and a prefill.
func wrongOptions(none bool) error {
	e := widgetErrorOf(contract.WidgetInvalidToken, "token", "")
	e.Why, e.Message = errOptions, "token and prefill exclude each other: give one of them."
	if none {
		e.Message = "The options have no token, no prefill and no consumerId: give one of them."
	}
	e.Details[0].Message = e.Message
	return e
}

// widgetError converts err to a widget error type with the text for the applicant in
// the language of the request. Other errors become INTERNAL_ERROR, with details for
// engineers.
func widgetError(r *http.Request, err error) error {
	e := *httpx.AsError(err)
	l, code := language(r), contract.WidgetError(e.Code)
	var refused *customers.RefusedPrefill
	if errors.Is(err, errOptions) {
		code = contract.WidgetUnknownCustomer
	}
	text := i18n.T(l, code.Applicant())
	switch {
	case errors.As(err, &refused):
		text = refused.Applicant(l)
	case e.Code == contract.CodeRateLimited:
		text = i18n.T(l, "visit.too_many") // as on the page of RATE_LIMITED
	}
	if !contract.WidgetError(e.Code).Valid() {
		e = httpx.Error{Code: contract.CodeInternal, Status: e.HTTPStatus(), Message: e.Code.Info().Message,
			Details: e.Details, RetryAfter: e.RetryAfter, Why: errors.Join(errors.New(string(e.Code)), e.Why)}
	}
	e.Extra = map[string]any{"applicant": text}
	return &e
}
