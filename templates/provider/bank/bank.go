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
	Style, Icon string // URLs
	Bank        string // name of the bank or payroll provider
	Payroll     bool   // it is a payroll provider
	Client      string // the party that requests access
	Step        string // sign-in, code, accounts, consent, refused
	Action      string // address of the forms
	TriesLeft   int    // after a wrong password or code; 0 before one
	Problem     i18n.Key
	Reason      i18n.Key // why the bank refused
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

func (p Page) problem() string { return p.t(p.Problem) }

func (p Page) layout() ui.Page {
	return ui.Page{Lang: p.Lang, Title: p.title(), Refused: p.Problem != "" || p.TriesLeft > 0, Brand: ui.Brand{Name: p.Bank},
		Icon: p.Icon, Styles: []string{p.Style}, Languages: p.Languages, Footer: ui.SandboxNote(p.Lang),
		Attrs: templ.Attributes{"data-mode": "hosted"}}
}

func (m Message) brand() string {
	if m.Bank == "" {
		return i18n.T(m.Lang, "bank.sandbox.brand")
	}
	return m.Bank
}
