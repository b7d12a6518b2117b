package customers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// ParentAccount is a parent account with its credential, products and features. The caller
// generates and keeps the secrets.
type ParentAccount struct {
	Role        string // permanent name of the row: "portal", "third party"
	Name        string
	Environment contract.Environment
	PublicID    string
	ClientID    string
	SecretKey   string
	Products    map[contract.Product]string // kind to productId
	CompleteURL string                      // empty for none
	ReturnMode  string                      // "get" or "post"
	Entitled    []Entitlement               // set once; later changes stay
}

// EnsureParent adds the account or updates it, and returns its id. Repeating it changes
// nothing. An account with products gets every generated configuration.
func (s *Service) EnsureParent(ctx context.Context, tx *store.Tx, p ParentAccount) (string, error) {
	if p.ReturnMode != "get" && p.ReturnMode != "post" {
		return "", fmt.Errorf("customers: return mode %q is neither get nor post", p.ReturnMode)
	}
	id, err := upsertParent(ctx, tx, p)
	if err != nil {
		return "", err
	}
	k := Credential{ID: uuid.NewString(), CustomerID: id, ClientID: p.ClientID, Created: tx.Now}
	if err := insertCredential(ctx, tx, k, store.Hash(p.SecretKey)); err != nil {
		return "", err
	}
	for _, e := range p.Entitled {
		if err := enableOnce(ctx, tx, id, e); err != nil {
			return "", err
		}
	}
	if len(p.Products) > 0 {
		if err := s.ensureProducts(ctx, tx, id, p.Products); err != nil {
			return "", err
		}
	}
	if p.CompleteURL != "" {
		return id, replaceCompleteURLs(ctx, tx, id, []string{p.CompleteURL})
	}
	return id, nil
}

// EnsureChild adds a child account with its credential and products to the parent with a publicId. If there is one
// with its publicId or name, nothing changes.
func (s *Service) EnsureChild(ctx context.Context, tx *store.Tx, parent string, p ParentAccount) error {
	if _, err := s.ByPublicID(ctx, tx, p.PublicID); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	of, err := s.ByPublicID(ctx, tx, parent)
	if err != nil {
		return err
	}
	a := Account{ID: uuid.NewString(), PublicID: p.PublicID, ParentID: of.ID, Name: p.Name, Environment: of.Environment,
		ReturnMode: of.ReturnMode, RequireForm: of.RequireForm, Created: tx.Now}
	if added, err := insertChild(ctx, tx, a); err != nil || !added {
		return err
	}
	err = insertCredential(ctx, tx, Credential{ID: uuid.NewString(), CustomerID: a.ID, ClientID: p.ClientID, Created: tx.Now},
		store.Hash(p.SecretKey))
	for kind, id := range p.Products {
		c := Configuration{}
		if err == nil {
			c, err = sameConfiguration(ctx, tx, of.ID, defaultConfiguration(kind))
		}
		if err == nil {
			_, _, err = s.AddProduct(ctx, tx, Product{ID: id, CustomerID: a.ID, Name: productName(kind), Configuration: c})
		}
	}
	return err
}

// generatedConfigurations returns the configurations of a parent account. The first of a
// kind is the default of products of the kind; the first of all is the account's.
func generatedConfigurations() []Configuration {
	return []Configuration{
		{Kind: contract.Cashflow, Alias: "Cashflow"},
		{Kind: contract.Cashflow, Alias: "Cashflow with AV attributes and score v1.0",
			Settings: Settings{DeprecatedAttributes: true, ScoreV1: true}},
		{Kind: contract.Cashflow, Alias: "Cashflow with score v2.1", Settings: Settings{ScoreV21: true}},
		{Kind: contract.Income, Alias: "Income, suite 2.0", Settings: Settings{IncomeModelSuite: "2.0", IncomeInflows: true}},
		{Kind: contract.Income, Alias: "Income, suite 2.0 without inflows", Settings: Settings{IncomeModelSuite: "2.0"}},
		{Kind: contract.Income, Alias: "Income, suite 1.2", Settings: Settings{IncomeModelSuite: "1.2"}},
		{Kind: contract.Eligibility, Alias: "Eligibility", Settings: Settings{EligibilityKind: report.IncomeAndAssets}},
		{Kind: contract.Eligibility, Alias: "Eligibility, income only", Settings: Settings{EligibilityKind: report.IncomeOnly}},
		{Kind: contract.Eligibility, Alias: "Eligibility, assets only", Settings: Settings{EligibilityKind: report.AssetsOnly}},
		{Kind: contract.Passport, Alias: "Credit passport"},
	}
}

// defaultConfiguration returns the generated configuration that a new product of a kind
// gets.
func defaultConfiguration(kind contract.Product) Configuration {
	all := generatedConfigurations()
	return all[slices.IndexFunc(all, func(c Configuration) bool { return c.Kind == kind })]
}

// ensureProducts adds the generated configurations to a parent account, and a product of
// each kind in products. Each has a later time than the one before it. Existing ones stay.
func (s *Service) ensureProducts(ctx context.Context, tx *store.Tx, customerID string, products map[contract.Product]string) error {
	nth := func(i int) time.Time { return tx.Now.Add(time.Duration(i) * time.Microsecond) }
	for i, c := range generatedConfigurations() {
		c.ID, c.CustomerID, c.InquiryType = uuid.NewString(), customerID, inquiryType
		if _, err := insertConfiguration(ctx, tx, c, nth(i)); err != nil {
			return err
		}
	}
	first, err := sameConfiguration(ctx, tx, customerID, defaultConfiguration(contract.Cashflow))
	if err == nil && first.ID != "" { // not retired
		err = configureParent(ctx, tx, customerID, first.ID)
	}
	if err != nil {
		return err
	}
	for i, kind := range contract.Products() {
		id, ok := products[kind]
		if !ok {
			continue
		}
		p, _, err := s.AddProduct(ctx, tx, Product{ID: id, CustomerID: customerID, Kind: kind, Name: productName(kind),
			InquiryType: inquiryType, Created: nth(i)})
		if err != nil {
			return err
		}
		if p.ID != id {
			return ErrDuplicateName
		}
	}
	return nil
}

// inquiryType is the inquiry type of generated configurations.
const inquiryType = contract.InquiryPersonal

func productName(kind contract.Product) string {
	switch kind {
	case contract.Cashflow:
		return "Cashflow report"
	case contract.Income:
		return "Income report"
	case contract.Eligibility:
		return "Eligibility report"
	}
	return "Credit passport"
}
