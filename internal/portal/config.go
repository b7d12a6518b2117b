package portal

import (
	"errors"
	"fmt"

	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/branding"
)

// Pages configures the applicant's pages.
type Pages struct {
	BrandFile string `placeholder:"FILE" help:"YAML file with name, logo, colors, legal texts and contact. Default: Vestibule's."`

	ServiceAccessURL string `name:"service-access-url" placeholder:"URL" help:"Page where applicants see and end what the service shares."`

	ApplyMode string `default:"embedded" enum:"embedded,redirect,redirect-form,ask" help:"Where applicants verify; with ask, they choose."`

	ApplyRate int `default:"20" placeholder:"N" help:"Applications per minute from one address on the form, per process; 0: no limit."`
}

// Validate checks the configuration and loads the brand.
func (p Pages) Validate() error {
	var errs []error
	if _, err := branding.Load(p.BrandFile); err != nil {
		errs = append(errs, fmt.Errorf("--brand-file: %w", err))
	}
	if p.ServiceAccessURL != "" && !httpx.IsBaseURL(p.ServiceAccessURL) {
		errs = append(errs, fmt.Errorf("--service-access-url %q: must be an absolute http or https URL without user, query or fragment",
			p.ServiceAccessURL))
	}
	return errors.Join(errs...)
}

// mode returns where applicants of the form verify, or "" if they choose.
func (p Pages) mode() applications.Mode {
	if p.ApplyMode == "ask" {
		return ""
	}
	return applications.Mode(p.ApplyMode)
}
