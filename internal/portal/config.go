package portal

import (
	"errors"
	"fmt"
	"strings"

	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/branding"
)

// Pages configures the applicant's pages.
type Pages struct {
	BrandFile string `placeholder:"FILE" help:"YAML file with name, logo, colors, legal texts and contact. Default: Vestibule's."`

	WidgetScriptURL string `name:"widget-script-url" placeholder:"URL" help:"Widget script. Default: the provider's /widget/v1/widget.js."`
	WidgetGlobal    string `name:"widget-global" default:"SvcWidget" placeholder:"NAME" help:"Global object of the widget script."`

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
	for _, f := range []struct{ flag, address string }{
		{"--widget-script-url", p.WidgetScriptURL}, {"--service-access-url", p.ServiceAccessURL},
	} {
		if f.address != "" && !httpx.IsBaseURL(f.address) {
			errs = append(errs, fmt.Errorf("%s %q: must be an absolute http or https URL without user, query or fragment", f.flag, f.address))
		}
	}
	if !identifier(p.WidgetGlobal) {
		errs = append(errs, fmt.Errorf("--widget-global %q: must be a JavaScript identifier", p.WidgetGlobal))
	}
	return errors.Join(errs...)
}

// identifier reports whether s is a valid JavaScript variable name.
func identifier(s string) bool {
	return s != "" && (s[0] < '0' || s[0] > '9') && !strings.ContainsFunc(s, func(c rune) bool {
		return c != '_' && c != '$' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
	})
}

// mode returns where applicants of the form verify, or "" if they choose.
func (p Pages) mode() applications.Mode {
	if p.ApplyMode == "ask" {
		return ""
	}
	return applications.Mode(p.ApplyMode)
}
