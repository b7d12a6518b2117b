package customers

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// Seed is a customer that the program creates at startup. The caller generates and
// keeps the secrets.
type Seed struct {
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

// Seed adds the customer or updates it, and returns the account's id. Repeating it
// changes nothing. A customer with products gets every generated configuration, and
// each new product the first one of its kind.
func (s *Service) Seed(ctx context.Context, tx *store.Tx, seed Seed) (string, error) {
	if seed.ReturnMode != "get" && seed.ReturnMode != "post" {
		return "", fmt.Errorf("customers: return mode %q is neither get nor post", seed.ReturnMode)
	}
	id, err := upsertGenerated(ctx, tx, seed)
	if err != nil {
		return "", err
	}
	k := Credential{ID: uuid.NewString(), CustomerID: id, ClientID: seed.ClientID, Created: tx.Now}
	if err := insertCredential(ctx, tx, k, store.Hash(seed.SecretKey)); err != nil {
		return "", err
	}
	for _, e := range seed.Entitled {
		if err := seedEntitlement(ctx, tx, id, e); err != nil {
			return "", err
		}
	}
	if len(seed.Products) > 0 {
		if err := s.seedProducts(ctx, tx, id, seed.Products); err != nil {
			return "", err
		}
	}
	if seed.CompleteURL != "" {
		return id, replaceCompleteURLs(ctx, tx, id, []string{seed.CompleteURL})
	}
	return id, nil
}

// generatedConfigurations returns the configurations of a generated customer. The first
// of a kind is for its product of the kind; the first of all is the account's.
func generatedConfigurations() []Configuration {
	return []Configuration{
		{Kind: contract.Cashflow, Alias: "Cash flow"},
		{Kind: contract.Cashflow, Alias: "Cash flow with AV attributes and score v1.0",
			Settings: Settings{DeprecatedAttributes: true, ScoreV1: true}},
		{Kind: contract.Cashflow, Alias: "Cash flow with score v2.1", Settings: Settings{ScoreV21: true}},
		{Kind: contract.Income, Alias: "Income, suite 2.0", Settings: Settings{IncomeModelSuite: "2.0", IncomeInflows: true}},
		{Kind: contract.Income, Alias: "Income, suite 2.0 without inflows", Settings: Settings{IncomeModelSuite: "2.0"}},
		{Kind: contract.Income, Alias: "Income, suite 1.2", Settings: Settings{IncomeModelSuite: "1.2"}},
		{Kind: contract.Eligibility, Alias: "Eligibility", Settings: Settings{EligibilityKind: report.IncomeAndAssets}},
		{Kind: contract.Eligibility, Alias: "Eligibility, income only", Settings: Settings{EligibilityKind: report.IncomeOnly}},
		{Kind: contract.Eligibility, Alias: "Eligibility, assets only", Settings: Settings{EligibilityKind: report.AssetsOnly}},
		{Kind: contract.Passport, Alias: "Credit passport"},
	}
}

func (s *Service) seedProducts(ctx context.Context, tx *store.Tx, customerID string,
	products map[contract.Product]string) error {
	ids, isNew := map[contract.Product]string{}, map[contract.Product]bool{} // of the first configuration of a kind
	for _, c := range generatedConfigurations() {
		c.ID, c.CustomerID, c.InquiryType = uuid.NewString(), customerID, inquiryType
		added, err := insertConfiguration(ctx, tx, c)
		if err != nil {
			return err
		}
		if _, seen := ids[c.Kind]; seen {
			continue
		}
		if !added {
			if c, err = configuration(ctx, tx, customerID, `alias = $2`, c.Alias); err != nil {
				return err
			}
		}
		ids[c.Kind], isNew[c.Kind] = c.ID, added
	}
	if isNew[contract.Cashflow] {
		if err := configureGenerated(ctx, tx, customerID, ids[contract.Cashflow]); err != nil {
			return err
		}
	}
	for _, kind := range contract.Products() {
		id, ok := products[kind]
		if !ok {
			continue
		}
		added, err := insertProduct(ctx, tx, Product{ID: id, CustomerID: customerID, Kind: kind,
			Name: productName(kind), InquiryType: inquiryType})
		if err != nil {
			return err
		}
		if !added && !isNew[kind] {
			continue // an existing assignment stays
		}
		if _, err := assignProduct(ctx, tx, customerID, id, ids[kind], tx.Now); err != nil {
			return err
		}
	}
	return nil
}

// inquiryType is the inquiry type of generated configurations.
const inquiryType = "PERSONAL"

func productName(kind contract.Product) string {
	switch kind {
	case contract.Cashflow:
		return "Cash flow report"
	case contract.Income:
		return "Income report"
	case contract.Eligibility:
		return "Eligibility report"
	}
	return "Credit passport"
}
