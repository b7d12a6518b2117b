package sharing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
)

// A multi-product token names a secondary report: a report of another product, made
// from the data of an existing one (API reference: Sharing). It is a normal report of
// the same customer, except that no further report can be made from it.

// derivable reports whether a report of kind to can be made from the data of one of kind
// from.
func derivable(from, to contract.Product) bool {
	return from == contract.Cashflow && to == contract.Income || from == contract.Income && to == contract.Cashflow
}

// derive begins a secondary report and answers with {multiProductToken}.
func (s *Service) derive(w http.ResponseWriter, r *http.Request) error {
	ctx, customerID := r.Context(), auth.CallerOf(r.Context()).CustomerID
	sourceToken, n, err := readDerived(w, r)
	if err != nil {
		return err
	}
	n.PublicToken, n.CustomerID = uuid.NewString(), customerID
	source, withdrawn, err := s.source(ctx, customerID, sourceToken)
	if err != nil {
		return err
	}
	product, err := s.product(ctx, customerID, n.ProductID)
	if err != nil {
		return err
	}
	n.Kind = product.Kind
	if err := s.check(ctx, source, withdrawn, product); err != nil {
		return err
	}
	m, err := s.Reports.Material(ctx, source)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrShredded):
		return state("the source's data are no longer held")
	case err != nil:
		return err
	case !m.Bank():
		return state("the source was not made from bank data")
	case !m.Complete():
		return state("the source's consumer data lack firstName, lastName, email, dob or state")
	}
	begin, err := s.Reports.Derive(m, n)
	if err != nil {
		return err
	}
	err = s.DB.Tx(ctx, begin)
	if errors.Is(err, freeze.ErrFrozen) {
		return cmp.Or(s.Reports.RecordRefusal(ctx, source), state("the source's consumer does not permit it"))
	}
	if errors.Is(err, reports.ErrDuplicateExternalID) {
		return httpx.NewError(contract.CodeInvalidParameters, err,
			httpx.Detail{Field: "externalId", Code: string(contract.CodeDuplicateExternalID), Message: "another report of yours has it"})
	}
	if err != nil {
		return err
	}
	return httpx.PrivateJSON(w, http.StatusOK, struct {
		MultiProductToken string `json:"multiProductToken"`
	}{n.PublicToken})
}

// source returns the report whose data are to be used, and whether its consumer has
// withdrawn consent.
func (s *Service) source(ctx context.Context, customerID, publicToken string) (source reports.Report, withdrawn bool, err error) {
	err = store.ErrNotFound
	if contract.IsUUID(publicToken) {
		source, err = s.Reports.Own(ctx, s.DB.SQL, customerID, strings.ToLower(publicToken))
	}
	if err == nil && source.ConsumerID != "" {
		withdrawn, err = s.Customers.ConsentWithdrawn(ctx, s.DB.SQL, customerID, source.ConsumerID)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = httpx.NewError(contract.CodeInvalidToken, errors.New("the caller has no such report"))
	}
	return source, withdrawn, err
}

func (s *Service) product(ctx context.Context, customerID, id string) (p customers.Product, err error) {
	err = store.ErrNotFound
	if contract.IsUUID(id) {
		p, err = s.Customers.Product(ctx, s.DB.SQL, customerID, id)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = &httpx.Error{Code: contract.CodeInvalidProduct, Status: http.StatusNotFound, Why: errors.New("no product of the caller")}
	}
	return p, err
}

// check validates source and product without decrypting the data.
func (s *Service) check(ctx context.Context, source reports.Report, withdrawn bool, product customers.Product) error {
	switch {
	case source.Secondary():
		return state("the source is a multi-product report itself")
	case source.Status != contract.StatusSuccess:
		return state("the source is not ready, or failed")
	case source.ProductID == product.ID, !derivable(source.Kind, product.Kind):
		return state("no report of the product is made from one of the source's")
	case s.Now().Sub(source.Created) > Window:
		return state("the source is over 30 days old")
	case withdrawn:
		return state("the source's consumer has withdrawn consent")
	}
	from, err := s.Customers.Product(ctx, s.DB.SQL, source.CustomerID, source.ProductID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	// One of the two is income; the model suite of the other does not matter.
	if err != nil || !allowsSecondary(product) || !allowsSecondary(from) {
		return state("the income model suite is below 1.2")
	}
	return nil
}

// allowsSecondary reports whether the model suite of a product allows secondary reports.
func allowsSecondary(p customers.Product) bool {
	return p.Kind != contract.Income || income.AtLeast(cmp.Or(p.Configuration.IncomeModelSuite, income.Suite12), income.Suite12)
}

// state returns the error for a source or a product configuration that does not fit.
func state(why string) error {
	return &httpx.Error{Code: contract.CodeInvalidState, Status: http.StatusBadRequest, Why: errors.New(why),
		Message: "No such report can be made: " + why + "."}
}

// readDerived reads the body {publicToken, productId, userArgs?, externalId?}. Its
// errors are those of read.
func readDerived(w http.ResponseWriter, r *http.Request) (sourceToken string, n reports.New, err error) {
	var in struct {
		PublicToken json.RawMessage `json:"publicToken"`
		ProductID   json.RawMessage `json:"productId"`
		UserArgs    json.RawMessage `json:"userArgs"`
		ExternalID  json.RawMessage `json:"externalId"`
	}
	if err := httpx.DecodeJSON(w, r, maxBody, &in); err != nil {
		return "", n, err
	}
	var details []httpx.Detail
	for _, f := range []struct {
		name     string
		raw      json.RawMessage
		into     *string
		max      int
		required bool
	}{
		{"publicToken", in.PublicToken, &sourceToken, maxPublicID, true},
		{"productId", in.ProductID, &n.ProductID, maxPublicID, true},
		{"userArgs", in.UserArgs, &n.UserArgs, contract.MaxUserArgs, false},
		{"externalId", in.ExternalID, &n.ExternalID, contract.MaxExternalID, false},
	} {
		if !f.required && (len(f.raw) == 0 || string(f.raw) == "null") {
			continue
		}
		*f.into = text(f.raw)
		size := utf8.RuneCountInString(*f.into)
		switch {
		case len(f.raw) == 0 || string(f.raw) == "null" || string(f.raw) == `""` && f.required:
			details = append(details, httpx.Detail{Field: f.name, Message: "is missing"})
		case size == 0 && (f.required || string(f.raw) != `""`):
			details = append(details, httpx.Detail{Field: f.name, Message: "must be a string"})
		case size > f.max:
			details = append(details, httpx.Detail{Field: f.name, Message: "must have at most " + strconv.Itoa(f.max) + " characters"})
		case strings.ContainsRune(*f.into, 0), f.name == "externalId" && strings.ContainsFunc(*f.into, unicode.IsControl):
			details = append(details, httpx.Detail{Field: f.name, Message: "has a control character"})
		case f.name == "externalId" && strings.TrimSpace(*f.into) != *f.into:
			details = append(details, httpx.Detail{Field: f.name, Message: "has white space at an end"})
		}
	}
	if len(details) > 0 {
		return "", n, httpx.NewError(contract.CodeInvalidParameters, errors.New("a parameter is missing or malformed"), details...)
	}
	n.ProductID = strings.ToLower(n.ProductID)
	return sourceToken, n, nil
}
