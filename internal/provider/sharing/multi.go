package sharing

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/door"
	"vestibule/internal/provider/gate"
	"vestibule/internal/store"
	"vestibule/internal/svc"
)

// A multi-product token names a secondary report: one of another product, made from
// the data of a report that there is (document 2, "Multi-product tokens"). It is a
// report of the same customer's like any other, but for being no source itself.

// ErrDuplicateExternalID is returned by Secondary for an externalId that another
// report of the customer has.
var ErrDuplicateExternalID = errors.New("sharing: another report of the customer has this external id")

// Product is a product as far as secondary reports go.
type Product struct {
	Kind svc.Product
	// Suite is whether the product's model suite is one that secondary reports are
	// made with or from.
	Suite bool
}

// Source is a report from whose data another one may be made.
type Source struct {
	Report
	CustomerID string
	ProductID  string
	Kind       svc.Product
	Secondary  bool // made so itself
	Withdrawn  bool // its consumer has withdrawn consent
}

// Secondary makes reports from the data of others.
type Secondary interface {
	// Source is a report of the customer, or store.ErrNotFound for one that is
	// unknown, somebody else's or too old to be read.
	Source(ctx context.Context, q store.Queryer, customerID, publicToken string) (Source, error)
	// Product is a product of the customer, or store.ErrNotFound.
	Product(ctx context.Context, q store.Queryer, customerID, productID string) (Product, error)
	// Material opens the source's data, or is store.ErrNotFound when they are gone.
	Material(ctx context.Context, source Source) (Material, error)
}

// Material is what a source was made from.
type Material interface {
	Bank() bool     // bank data
	Complete() bool // consumer data with firstName, lastName, email, dob and state
	// Derive readies the report. What it returns begins it in a transaction; it may
	// be called several times there and fails with ErrDuplicateExternalID.
	Derive(n Derived) (begin func(ctx context.Context, tx *sql.Tx) error, err error)
}

// Derived is what a secondary report is begun with.
type Derived struct {
	PublicToken, CustomerID, ProductID string
	Kind                               svc.Product
	ExternalID, UserArgs               string
}

// fits reports whether a report of one kind is made from the data of one of another.
func fits(from, to svc.Product) bool {
	return from == svc.Cashflow && to == svc.Income || from == svc.Income && to == svc.Cashflow
}

// derive begins a secondary report and answers {multiProductToken}.
func (s *Service) derive(w http.ResponseWriter, r *http.Request) error {
	ctx, customerID := r.Context(), gate.CallerOf(r.Context()).CustomerID
	sourceToken, n, err := readDerived(w, r)
	if err != nil {
		return err
	}
	n.PublicToken, n.CustomerID = uuid.NewString(), customerID
	source, err := s.source(ctx, customerID, sourceToken)
	if err != nil {
		return err
	}
	product, err := s.product(ctx, customerID, n.ProductID)
	if err != nil {
		return err
	}
	n.Kind = product.Kind
	if err := s.check(ctx, source, n.ProductID, product, s.Now()); err != nil {
		return err
	}
	m, err := s.Secondary.Material(ctx, source)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return state("the source's data are no longer held")
	case err != nil:
		return err
	case !m.Bank():
		return state("the source was not made from bank data")
	case !m.Complete():
		return state("the source's consumer data lack firstName, lastName, email, dob or state")
	}
	begin, err := m.Derive(n)
	if err != nil {
		return err
	}
	err = s.DB.Tx(ctx, begin)
	if errors.Is(err, ErrDuplicateExternalID) {
		return door.Fail(svc.CodeInvalidParameters, err,
			door.Detail{Field: "externalId", Code: string(svc.CodeDuplicateExternalID), Message: "another report of yours has it"})
	}
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return door.JSON(w, http.StatusOK, struct {
		MultiProductToken string `json:"multiProductToken"`
	}{n.PublicToken})
}

func (s *Service) source(ctx context.Context, customerID, publicToken string) (Source, error) {
	source, err := Source{}, store.ErrNotFound
	if svc.IsUUID(publicToken) {
		source, err = s.Secondary.Source(ctx, s.DB.SQL, customerID, strings.ToLower(publicToken))
	}
	if errors.Is(err, store.ErrNotFound) {
		err = door.Fail(svc.CodeInvalidToken, errors.New("the caller has no such report"))
	}
	return source, err
}

func (s *Service) product(ctx context.Context, customerID, id string) (Product, error) {
	p, err := Product{}, store.ErrNotFound
	if svc.IsUUID(id) {
		p, err = s.Secondary.Product(ctx, s.DB.SQL, customerID, id)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = &door.Error{Code: svc.CodeInvalidProduct, Status: http.StatusNotFound, Why: errors.New("no product of the caller")}
	}
	return p, err
}

// check holds source and product to what can be told without opening the data.
func (s *Service) check(ctx context.Context, source Source, productID string, product Product, now time.Time) error {
	switch {
	case source.Secondary:
		return state("the source is a multi-product report itself")
	case source.Status != svc.StatusSuccess:
		return state("the source is not ready, or failed")
	case source.ProductID == productID, !fits(source.Kind, product.Kind):
		return state("no report of the product is made from one of the source's")
	case now.Sub(source.Created) > Window:
		return state("the source is over 30 days old")
	case source.Withdrawn:
		return state("the source's consumer has withdrawn consent")
	}
	from, err := s.Secondary.Product(ctx, s.DB.SQL, source.CustomerID, source.ProductID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	// Of the two, one is income; the other's suite is none that matters.
	if err != nil || !product.Suite || !from.Suite {
		return state("the income model suite is below 1.2")
	}
	return nil
}

// state is the answer to a source or a product configuration that does not fit.
func state(why string) error {
	return &door.Error{Code: svc.CodeInvalidState, Status: http.StatusBadRequest, Why: errors.New(why),
		Message: "No such report can be made: " + why + "."}
}

// readDerived reads the body {publicToken, productId, userArgs?, externalId?}; of
// what is wrong with it, as read does.
func readDerived(w http.ResponseWriter, r *http.Request) (sourceToken string, n Derived, err error) {
	var in struct {
		PublicToken json.RawMessage `json:"publicToken"`
		ProductID   json.RawMessage `json:"productId"`
		UserArgs    json.RawMessage `json:"userArgs"`
		ExternalID  json.RawMessage `json:"externalId"`
	}
	if err := door.DecodeJSON(w, r, maxBody, &in); err != nil {
		return "", n, err
	}
	var details []door.Detail
	for _, f := range []struct {
		name     string
		raw      json.RawMessage
		into     *string
		max      int
		required bool
	}{
		{"publicToken", in.PublicToken, &sourceToken, maxPublicID, true},
		{"productId", in.ProductID, &n.ProductID, maxPublicID, true},
		{"userArgs", in.UserArgs, &n.UserArgs, svc.MaxUserArgs, false},
		{"externalId", in.ExternalID, &n.ExternalID, svc.MaxExternalID, false},
	} {
		if !f.required && (len(f.raw) == 0 || string(f.raw) == "null") {
			continue
		}
		*f.into = text(f.raw)
		size := utf8.RuneCountInString(*f.into)
		switch {
		case size == 0 && (f.required || string(f.raw) != `""`):
			details = append(details, door.Detail{Field: f.name, Message: "must be a string"})
		case size > f.max:
			details = append(details, door.Detail{Field: f.name, Message: "is too long"})
		case strings.ContainsRune(*f.into, 0), f.name == "externalId" && strings.ContainsFunc(*f.into, unicode.IsControl):
			details = append(details, door.Detail{Field: f.name, Message: "has a control character"})
		case f.name == "externalId" && strings.TrimSpace(*f.into) != *f.into:
			details = append(details, door.Detail{Field: f.name, Message: "has white space at an end"})
		}
	}
	if len(details) > 0 {
		return "", n, door.Fail(svc.CodeInvalidParameters, errors.New("a parameter is missing or malformed"), details...)
	}
	n.ProductID = strings.ToLower(n.ProductID)
	return sourceToken, n, nil
}
