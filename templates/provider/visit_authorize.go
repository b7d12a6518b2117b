package provider

import (
	"net/url"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
	"vestibule/internal/provider/visits/flow"
	"vestibule/templates/ui"
)

// scripts returns the script that closes the window beside the widget.
func (b FromBank) scripts(u Urls) []string {
	if b.Window {
		return []string{u.Close}
	}
	return nil
}

// leadsTo returns the address that the page leads to by itself.
func (b FromBank) leadsTo() string {
	if b.Window {
		return ""
	}
	return b.URL
}

func (b FromBank) text() i18n.Key {
	switch {
	case !b.Window:
		return "visit.authorize.leaving.text"
	case b.URL == "":
		return "visit.authorize.returned.text"
	}
	return "visit.authorize.returned.window"
}

// authorizeKind returns the emphasis of the button, less after the bank's pages were opened.
func (v Visit) authorizeKind() ui.Kind {
	if v.AtBank {
		return ui.Secondary
	}
	return ""
}

// authorizeIntro says at whose pages the applicant signs in, and what is shared.
func (v Visit) authorizeIntro() string {
	if v.SourceType == flow.SourcePayroll {
		return i18n.T(v.Lang, "visit.authorize.payroll", "bank", v.Bank, "company", v.Customer)
	}
	return i18n.T(v.Lang, "visit.authorize.intro", "bank", v.Bank, "company", v.Customer)
}

// authorizeAction returns the address of the form that leads to the bank's pages.
func (v Visit) authorizeAction() templ.SafeURL {
	return templ.SafeURL(v.Path + "/authorize?" + url.Values{"lang": {string(v.Lang)}}.Encode())
}
