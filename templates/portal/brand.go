package portal

import (
	"strings"

	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// Brand is whose pages they are, and what goes with that. The zero value is
// Vestibule's own.
type Brand struct {
	ui.Brand
	Style          string               // URL of the style sheet of its colours; "" for none
	Icon, IconType string               // "" is Vestibule's
	Privacy, Terms bool                 // there is a page of that
	Consent        map[i18n.Lang]string // HTML: the text above the form's button
	Support        Support
}

// Support is where to ask for help; each may be empty.
type Support struct{ Email, Phone, URL string }

// Dress gives a page its brand.
func (b Brand) Dress(p *ui.Page) {
	p.Brand = b.Brand
	if b.Style != "" {
		p.Styles = append(p.Styles, b.Style)
	}
	if b.Icon != "" {
		p.Icon, p.IconType = b.Icon, b.IconType
	}
}

// tel is a phone number as a link has it.
func (s Support) tel() string {
	return strings.Map(func(r rune) rune {
		if r == '+' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s.Phone)
}

// Legal is a legal text.
type Legal struct {
	Base
	Title i18n.Key
	HTML  string
}

// LegalTitle returns the title of a legal text; false for an unknown document.
func LegalTitle(document string) (i18n.Key, bool) {
	switch document {
	case "privacy":
		return "legal.privacy", true
	case "terms":
		return "legal.terms", true
	}
	return "", false
}
