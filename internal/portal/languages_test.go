package portal_test

import (
	"regexp"
	"strings"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestKeepsLanguage checks that the language is kept from page to page, and
// passed to the service if the browser prefers another.
func TestKeepsLanguage(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		for _, c := range []struct{ chosen, browsers, there string }{
			{"es", "en-US,en;q=0.9", "?lang=es"}, {"es", "es-MX", ""}, {"", "es-MX", ""}, {"en", "es-MX", "?lang=en"}, {"xx", "yy", ""},
		} {
			b := r.browser()
			if c.chosen != "" {
				b.do("GET", "/?lang="+c.chosen, "", "", "Accept-Language", c.browsers)
			}
			lang := c.chosen
			if c.chosen == "" {
				lang = "es"
			} else if c.chosen == "xx" {
				lang = "en"
			}
			if p := b.do("GET", "/apply/cashflow", "", "", "Accept-Language", c.browsers); !strings.Contains(p.body, `<html lang="`+lang+`"`) {
				t.Errorf("%+v: the form is not in %s", c, lang)
			}
			for _, mode := range []string{"redirect", "redirect-form"} {
				p := b.do("GET", b.apply("mode", mode)+"/connect", "", "", "Accept-Language", c.browsers)
				to := p.location
				if m := regexp.MustCompile(`<form method="post" action="([^"]+)"`).FindStringSubmatch(p.body); m != nil {
					to = m[1]
				}
				if _, query, _ := strings.Cut(to, "/redirect/"); !strings.Contains(to, "/redirect/") ||
					strings.Contains(query, "?") != (c.there != "") || !strings.HasSuffix(to, c.there) {
					t.Errorf("%+v, %s: on to %q, want it to end with %q", c, mode, to, c.there)
				}
			}
		}
	})
}

// TestEveryPageOffersLanguages checks that answers to a POST and pages of one-time addresses can be
// read in the other language, and that what was typed is kept.
func TestEveryPageOffersLanguages(t *testing.T) {
	storetest.EachInFull(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db).browser()
		for _, c := range []struct{ method, path, form, want string }{
			{"GET", "/nowhere", "", `hreflang="es"`},
			{"GET", "/resume/expired", "", `hreflang="es"`},
			{"GET", "/redirect/return", "", `<details class="history" lang="es">`},
			{"POST", "/nowhere", "", `<details class="history" lang="es">`},
			{"POST", "/apply/cashflow", "", `<details class="history" lang="es">`},
			{"POST", "/return", "email=none", `href="/return?lang=es"`},
			{"POST", "/applications", "product=cashflow&firstName=Ana", `formaction="/applications?lang=es"`},
			{"POST", "/applications", "product=cashflow&firstName=Ana", `<button form="apply" hidden></button>`}, // for Enter
			{"POST", "/applications?lang=es", "product=cashflow&firstName=Ana", `value="Ana"`},
		} {
			if p := b.do(c.method, c.path, "application/x-www-form-urlencoded", c.form); !strings.Contains(p.body, c.want) {
				t.Errorf("%s %s: %d without %s", c.method, c.path, p.status, c.want)
			}
		}
		b.do("GET", "/", "", "").require(t, "the language of the form", 200, `<html lang="es"`)
	})
}
