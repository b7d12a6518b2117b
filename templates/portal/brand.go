package portal

import (
	"strings"

	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// Brand is the brand of the pages. The zero value is Vestibule's.
type Brand struct {
	ui.Brand
	Style          string               // URL of the style sheet with its colors; "" for none
	Icon, IconType string               // default: Vestibule's icon
	Privacy, Terms bool                 // the brand has that page
	Consent        map[i18n.Lang]string // HTML: the text above the form's button
	Support        Support
}

// Support holds the contacts for help; each may be empty.
type Support struct{ Email, Phone, URL string }

// ApplyTo sets the brand of a page.
func (b Brand) ApplyTo(p *ui.Page) {
	p.Brand = b.Brand
	if b.Style != "" {
		p.Styles = append(p.Styles, b.Style)
	}
	if b.Icon != "" {
		p.Icon, p.IconType = b.Icon, b.IconType
	}
}

// tel returns the phone number for a tel: link.
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
