package customers

import (
	"context"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// Configuration is the configuration of products. The provider creates it for a parent
// account and its children.
type Configuration struct {
	ID          string
	CustomerID  string // the parent account
	Kind        contract.Product
	Alias       string // defined by the provider
	InquiryType string
	Settings
}

// Settings are the report settings of a configuration.
type Settings struct {
	DeprecatedAttributes bool            // cashflow: with the attributes of the AV family
	ScoreV1              bool            // cashflow: with score v1.0
	ScoreV21             bool            // cashflow: with score v2.1
	IncomeModelSuite     string          // income: "1.2" or "2.0"
	IncomeInflows        bool            // income, from suite 2.0 on: with inflows
	EligibilityKind      report.Workflow // eligibility: income, assets, or both (also if empty)
}

// Target is an account or a product that a configuration is assigned to.
type Target struct {
	Type string // TargetAccount or TargetProduct
	ID   string // the child's publicId, or the productId
}

// Types of a Target.
const (
	TargetAccount = "account"
	TargetProduct = "product"
)

// Configurations lists a parent account's configurations, oldest first.
func (s *Service) Configurations(ctx context.Context, q store.Queryer, parentID string) ([]Configuration, error) {
	return configurations(ctx, q, `customer_id = $1 ORDER BY created_at, alias`, parentID)
}

// Configuration returns a configuration of a parent account, or store.ErrNotFound.
func (s *Service) Configuration(ctx context.Context, q store.Queryer, parentID, id string) (Configuration, error) {
	return configuration(ctx, q, parentID, `id = $2`, id)
}

// Assign sets the configuration of a child account, or of a product of the parent or
// of its children; an empty configurationID removes it, so that the target inherits.
// Products with their own configuration keep it. It returns store.ErrNotFound for a
// target that the parent may not assign, including the parent account itself. The
// caller checks the configuration's owner.
func (s *Service) Assign(ctx context.Context, q store.Queryer, parentID string, to Target, configurationID string) error {
	if to.Type == TargetAccount {
		return requireRow(assignAccount(ctx, q, parentID, to.ID, configurationID))
	}
	return requireRow(assignProduct(ctx, q, parentID, to.ID, configurationID, s.Now()))
}

// AddConfiguration adds a configuration, for the provider's staff. If another one of
// the account has the alias, it returns ErrDuplicateName, and tx stays usable.
func (s *Service) AddConfiguration(ctx context.Context, tx *store.Tx, c Configuration) error {
	added, err := insertConfiguration(ctx, tx, c, tx.Now)
	if err == nil && !added {
		return ErrDuplicateName
	}
	return err
}
