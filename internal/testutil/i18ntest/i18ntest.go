// Package i18ntest gives tests the texts of pages by key, so that a text can be reworded
// without touching the tests that look for it.
package i18ntest

import (
	"strings"

	"vestibule/internal/i18n"
)

// EN returns the English text of a key, with args in place of its parameters as in
// i18n.T. It panics if the catalogue lacks the key or args lacks a parameter: a test
// that looks for the key itself could pass where a page must not have the text.
func EN(k i18n.Key, args ...string) string { return text(i18n.English, k, args) }

// ES is EN for Spanish.
func ES(k i18n.Key, args ...string) string { return text(i18n.Spanish, k, args) }

func text(l i18n.Lang, k i18n.Key, args []string) string {
	s := i18n.T(l, k, args...)
	if s == string(k) {
		panic("i18ntest: the catalogue has no " + s)
	}
	if strings.Contains(s, "{") {
		panic("i18ntest: " + string(k) + " lacks a parameter: " + s)
	}
	return s
}
