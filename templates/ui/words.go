package ui

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vestibule/internal/i18n"
)

// maxLanguageLink bounds the address of a link to another language, in bytes.
const maxLanguageLink = 1000

// Languages returns links to the page at u in each language: the same address with lang
// set. It keeps other parameters, so u must not contain secrets.
func Languages(current i18n.Lang, u *url.URL) []Choice {
	if len(u.Path)+len(u.RawQuery) > maxLanguageLink || strings.Contains(u.Path, "//") {
		return nil // bounds how much of an address is repeated, and repeats none that could lead to another host
	}
	var out []Choice
	for _, l := range i18n.Languages() {
		q := u.Query()
		q.Set("lang", string(l))
		out = append(out, Choice{Lang: l, URL: u.EscapedPath() + "?" + q.Encode(), Current: l == current})
	}
	return out
}

// PickLanguage chooses a page's language: the one in the address, else the remembered
// one, else the best of an Accept-Language header, else English. Each argument may be
// empty or invalid.
func PickLanguage(asked, remembered, acceptLanguage string) i18n.Lang {
	for _, s := range []string{asked, remembered} {
		if l := i18n.Lang(s); l.Spoken() {
			return l
		}
	}
	best, bestWeight := i18n.English, 0.0
	for item := range strings.SplitSeq(acceptLanguage, ",") {
		tag, params, _ := strings.Cut(strings.ToLower(strings.TrimSpace(item)), ";")
		primary, _, _ := strings.Cut(strings.TrimSpace(tag), "-")
		l := i18n.Lang(primary)
		if !l.Spoken() {
			continue
		}
		weight := 1.0
		if q, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			var err error
			if weight, err = strconv.ParseFloat(q, 64); err != nil {
				continue
			}
		}
		if weight > bestWeight {
			best, bestWeight = l, weight
		}
	}
	return best
}

// order returns a date's fields in the language's order: month first in English, day
// first in Spanish.
func (d Day) order() []part {
	month := part{"month", i18n.T(d.Lang, "form.month"), d.Month, 2}
	day := part{"day", i18n.T(d.Lang, "form.day"), d.Day, 2}
	year := part{"year", i18n.T(d.Lang, "form.year"), d.Year, 4}
	if d.Lang == i18n.Spanish {
		return []part{day, month, year}
	}
	return []part{month, day, year}
}

type part struct {
	name, label, value string
	length             int
}

func (p part) autocomplete(birthday bool) string {
	if birthday {
		return "bday-" + p.name
	}
	return ""
}

// where returns the position as text: "Step 2 of 4".
func (s Steps) where() string {
	return i18n.T(s.Lang, "ui.step", "n", strconv.Itoa(s.Current+1), "all", strconv.Itoa(len(s.Names)))
}

func (s Steps) state(i int) string {
	switch {
	case i < s.Current:
		return "done"
	case i == s.Current:
		return "now"
	}
	return "later"
}

// StatusWords returns the words of an error page for an HTTP status that means the same on each page, or those given.
func StatusWords(status int, title, text i18n.Key) (i18n.Key, i18n.Key) {
	switch {
	case status == http.StatusMethodNotAllowed:
		return "notice.method.title", "notice.method.text"
	case status == http.StatusRequestEntityTooLarge:
		return "notice.too_large.title", "notice.too_large.text"
	case status == http.StatusTooManyRequests:
		return "notice.too_many.title", "notice.too_many.text"
	case status >= 500:
		return "notice.internal.title", "notice.internal.text"
	}
	return title, text
}
