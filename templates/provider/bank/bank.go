// Package bank renders the sign-in pages of the sandbox's banks and payroll providers:
// sign-in, one-time code, choice of a bank's accounts, and consent.
package bank

import (
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// Page is a step of an authorization.
type Page struct {
	Lang        i18n.Lang
	Languages   []ui.Choice
	Style, Icon string              // URLs
	Bank        string              // name of the bank or payroll provider
	Payroll     bool                // it is a payroll provider
	Client      string              // the party that requests access
	Step        string              // sign-in, code, accounts, consent, refused
	Action      string              // address of the forms
	TriesLeft   int                 // after a wrong password or code; 0 before one
	Problems    map[string]i18n.Key // of the submitted form, by field
	Username    string              // typed before the form was refused
	Reason      i18n.Key            // why the bank refused
	Accounts    []Account
	Shared      []i18n.Key // what the client may read
	Until       time.Time  // end of the consent
}

// Account is an account to choose, or a chosen one.
type Account struct {
	ID, Name string
	Mask     string // last four digits
	Chosen   bool
}

// Message is a page with only a text.
type Message struct {
	Lang        i18n.Lang
	Languages   []ui.Choice
	Style, Icon string
	Bank        string // empty if unknown
	Title, Text i18n.Key
}

func (p Page) t(k i18n.Key) string { return i18n.T(p.Lang, k) }

func (p Page) title() string {
	switch p.Step {
	case "code":
		return p.t("bank.code.title")
	case "accounts":
		return p.t("bank.accounts.title")
	case "consent":
		return i18n.T(p.Lang, "bank.consent.title", "company", p.Client)
	case "refused":
		return p.t("bank.refused.title")
	}
	return i18n.T(p.Lang, "bank.sign_in.title", "bank", p.Bank)
}

func (p Page) options() (out []ui.Option) {
	for _, a := range p.Accounts {
		out = append(out, ui.Option{Value: a.ID, Label: a.Name, Detail: p.t("visit.accounts.ends_in") + a.Mask, Chosen: a.Chosen})
	}
	return out
}

// either returns the text for banks or for payroll providers.
func (p Page) either(bank, payroll i18n.Key) string {
	if p.Payroll {
		bank = payroll
	}
	return i18n.T(p.Lang, bank, "company", p.Client)
}

// problem returns the error of a field. A wrong username or password is shown at the
// username: both have to be typed again.
func (p Page) problem(field string) string {
	switch {
	case len(p.Problems) > 0:
		return p.t(p.Problems[field])
	case p.TriesLeft > 0 && field == "username":
		return i18n.N(p.Lang, "visit.sign_in.wrong", p.TriesLeft)
	case p.TriesLeft > 0 && field == "code":
		return i18n.N(p.Lang, "visit.code.wrong", p.TriesLeft)
	}
	return ""
}

func (p Page) layout() ui.Page {
	return ui.Page{Lang: p.Lang, Title: p.title(), Refused: len(p.Problems) > 0 || p.TriesLeft > 0,
		Brand: ui.Brand{Name: p.Bank, Monogram: true}, Icon: p.Icon, Styles: []string{p.Style},
		Languages: p.Languages, Footer: ui.SandboxNote(p.Lang),
		Attrs: templ.Attributes{"data-mode": "hosted"}}
}

func (m Message) brand() ui.Brand {
	if m.Bank == "" {
		return ui.Brand{Name: i18n.T(m.Lang, "bank.sandbox.brand")}
	}
	return ui.Brand{Name: m.Bank, Monogram: true}
}
