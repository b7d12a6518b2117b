// Package developers serves pages for developers who integrate the portal: the
// playground, which creates an application as an onboarding app would and shows in
// order everything that happens to it, and the guides of docs. It is available only
// in the sandbox, where all data is fictitious.
//
// Visitors can do no more than with the form: applications are created at the form's
// rate and are visible only to the browser that created them. The playground has no
// access to API keys; it shows only the first characters of tokens, and no data of
// the applicant.
package developers

import (
	"vestibule/internal/contract"
	"vestibule/internal/portal/applications/applicant"
	"vestibule/internal/portal/embedkit"
	"vestibule/internal/portal/notify"
	"vestibule/internal/svcapi"
)

// Handler serves the pages. All fields are required.
type Handler struct {
	Applicants *applicant.Handler
	Kit        *embedkit.Kit
	Events     *notify.Service

	URL         string // public address of the portal, without a trailing slash
	ProviderURL string
	Profile     *svcapi.Profile // of the provider
}

// products lists the offered products.
func (h *Handler) products() (out []contract.Product) {
	for _, p := range contract.Products() {
		if h.Applicants.Service.Offers(p) {
			out = append(out, p)
		}
	}
	return out
}
