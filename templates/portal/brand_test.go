package portal

import (
	"testing"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// TestBrandedPages compares the pages of a branded company with their expected
// output.
func TestBrandedPages(t *testing.T) {
	brand := Brand{Brand: ui.Brand{Name: "Harbor & Lane", Logo: &ui.Logo{URL: "/brand/l.svg",
		Dark: "/brand/d.svg", Width: 176, Height: 40, Wordmark: true}},
		Style: "/brand/b.css", Icon: "/brand/i.png", IconType: "image/png", Privacy: true, Terms: true,
		Support: Support{Email: "help@harborlane.example", Phone: "+1 (555) 010-0142", URL: "https://harborlane.example/help"}}
	for _, lang := range []i18n.Lang{i18n.English, i18n.Spanish} {
		base := Base{Lang: lang, Assets: names{}, Brand: brand}
		own := base
		own.Brand.Consent = map[i18n.Lang]string{lang: "<p>I <strong>agree</strong>.</p>"}
		own.Brand.Logo, own.Brand.Style, own.Brand.Support = &ui.Logo{URL: "/brand/l.png", Width: 40, Height: 40}, "", Support{}
		for name, c := range map[string]templ.Component{
			"brand-apply":   ApplyPage(Apply{Base: base, Product: contract.Cashflow, Action: "/applications", Today: "2026-05-04"}),
			"brand-consent": ApplyPage(Apply{Base: own, Product: contract.Cashflow, Action: "/applications", Today: "2026-05-04"}),
			"brand-legal":   LegalPage(Legal{Base: base, Title: "legal.privacy", HTML: "<h2>What</h2><p>All.</p>"}),
		} {
			got := render(t, c)
			if hit := inline.FindString(got); hit != "" {
				t.Errorf("%s has %q", name, hit)
			}
			comparePage(t, name, lang, got)
		}
	}
}
