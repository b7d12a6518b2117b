package svcapi

import (
	"errors"
	"fmt"

	"vestibule/internal/contract"
	"vestibule/internal/webhook"
)

// Account is the business's account at the provider.
type Account struct {
	PublicID  string `name:"public-id" placeholder:"ID" help:"publicId of the account. Default: the generated sandbox account."`
	ClientID  string `name:"client-id" placeholder:"ID" help:"clientId of the account."`
	SecretKey string `name:"secret-key" placeholder:"SECRET" help:"secretKey of the account."`

	// The product's id at the provider, by kind.
	Products   map[contract.Product]string `mapsep:"," placeholder:"KIND=UUID,…" help:"productId of each of the account's products."`
	AssetsOnly bool                        `name:"eligibility-assets-only" help:"The eligibility product verifies assets only."`

	WebhookSecrets []string `name:"webhook-secret" sep:"," placeholder:"SECRET" help:"The provider's webhook secrets; two during rotation."`
	Issuer         string   `name:"provider-issuer" placeholder:"URL" help:"iss of the provider's signed results. Default: --provider-url."`
	ReturnMode     string   `name:"return-mode" default:"get" enum:"get,post" help:"Method of the redirect callback: get or post."`
}

// Validate checks the form of the given values. It does not check that required ones
// are present; the caller does.
func (a Account) Validate() error {
	var errs []error
	for kind, id := range a.Products {
		if !kind.Valid() {
			errs = append(errs, fmt.Errorf("--products: %q is not a product: use cashflow, income, eligibility or passport", string(kind)))
		}
		if !contract.IsUUID(id) {
			errs = append(errs, fmt.Errorf("--products: the id of %s is not a UUID", kind))
		}
	}
	for _, s := range a.WebhookSecrets {
		if _, err := webhook.ParseSecret(s); err != nil {
			errs = append(errs, fmt.Errorf("--webhook-secret: %w", err))
		}
	}
	return errors.Join(errs...)
}
