package svcapi

import (
	"cmp"
	"errors"
	"fmt"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
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

	ProfileFile     string `name:"provider-profile" placeholder:"FILE" help:"YAML file: addresses, headers and encodings of another provider."`
	WidgetScriptURL string `name:"widget-script-url" placeholder:"URL" help:"Widget script. Default: that of the profile."`
	WidgetGlobal    string `placeholder:"NAME" help:"Global object of the widget script. Default: that of the profile, SvcWidget."`

	WebhookSecrets []string `name:"webhook-secret" sep:"," placeholder:"SECRET" help:"The provider's webhook secrets; two during rotation."`
	Issuer         string   `name:"provider-issuer" placeholder:"URL" help:"iss of signed results. Default: the profile's, or --provider-url."`
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
	if a.WidgetScriptURL != "" && !httpx.IsBaseURL(a.WidgetScriptURL) {
		errs = append(errs, fmt.Errorf("--widget-script-url %q: must be an absolute http or https URL without user, query or fragment",
			a.WidgetScriptURL))
	}
	if a.WidgetGlobal != "" && !isIdentifier(a.WidgetGlobal) {
		errs = append(errs, fmt.Errorf("--widget-global %q: must be a JavaScript identifier", a.WidgetGlobal))
	}
	if _, err := a.Profile(); err != nil {
		errs = append(errs, fmt.Errorf("--provider-profile: %w", err))
	}
	for _, s := range a.WebhookSecrets {
		if _, err := webhook.ParseSecret(s); err != nil {
			errs = append(errs, fmt.Errorf("--webhook-secret: %w", err))
		}
	}
	return errors.Join(errs...)
}

// Profile returns the provider's profile with the settings that flags override.
func (a Account) Profile() (*Profile, error) {
	p, err := LoadProfile(a.ProfileFile)
	if err != nil {
		return nil, err
	}
	if a.WidgetScriptURL != "" {
		p.Addresses[AddressWidgetScript] = a.WidgetScriptURL
	}
	p.WidgetGlobal = cmp.Or(a.WidgetGlobal, p.WidgetGlobal)
	p.Result.Issuer = cmp.Or(a.Issuer, p.Result.Issuer)
	return p, nil
}
