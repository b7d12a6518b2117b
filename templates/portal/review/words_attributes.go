package review

import (
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// attributeWords is ui.AttributeWords with limits and units in the currency.
func (cur currency) attributeWords(l i18n.Lang, name, description string) (string, i18n.Lang) {
	words, lang := ui.AttributeWords(l, name, description)
	return cur.inText(words), lang
}

// ReasonWords describes an adverse action code: the report's description, or Spanish words
// for codes with the meaning that the embedded provider gives them.
func ReasonWords(l i18n.Lang, code, description string) string {
	if description == "" || description == i18n.Code(i18n.English, "review.reasons", code) {
		if text, ok := i18n.Find(l, "review.reasons", code); ok {
			return text
		}
	}
	return description
}
