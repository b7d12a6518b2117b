// Package developers is what the portal has for those who build on it: the
// playground, where an application is made as an onboarding app would make it and
// everything that happens to it is shown in order, and the guides of docs. It is for
// the sandbox alone, where all data is made up.
//
// A visitor can do no more than on the form: applications are made at the form's
// rate, belong to the browser that made them, and are shown to no other. The
// playground knows no API key; of tokens it shows the first characters, of the
// applicant nothing.
package developers

import (
	"vestibule/internal/contract"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/embedkit"
	"vestibule/internal/portal/notify"
)

// Handler serves the pages. All fields are required.
type Handler struct {
	Site   *applications.Handler
	Kit    *embedkit.Kit
	Events *notify.Service

	URL         string // our public address, without a slash at the end
	ProviderURL string
	ScriptURL   string // the provider's widget script
	Global      string // the object that it makes
}

// products are those that one can apply for.
func (h *Handler) products() (out []contract.Product) {
	for _, p := range contract.Products() {
		if h.Site.Service.Offers(p) {
			out = append(out, p)
		}
	}
	return out
}
