package e2e

import (
	"regexp"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// TestReferencePages opens both references without script: the links of the overview lead
// to the operations. With script, the contents are searched.
func TestReferencePages(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	for name, at := range map[string]struct{ url, page, first, field string }{
		"provider": {s.Provider + "/docs", "/submissions", "#submit", "X-EXTERNAL-ID"},
		"portal":   {s.Portal + "/api/v1/docs", "/applications", "#createApplication", "allowedOrigin"},
	} {
		plain := visit(t, noScript)
		plain.open(t, at.url)
		click(t, plain.Locator("main li"+at.first+" a"))
		awaitAddress(t, plain, regexp.MustCompile(regexp.QuoteMeta(at.page+at.first)+"$"))
		shown, err := plain.Locator("h2" + at.first).BoundingBox()
		must(t, err)
		if shown == nil || shown.Y < 0 || shown.Y > 300 {
			t.Errorf("%s: the link to %s leads to %v", name, at.first, shown)
		}

		v := visit(t)
		v.open(t, at.url)
		must(t, v.Keyboard().Press("/"))
		must(t, v.Keyboard().Type("no such field"))
		see(t, v.Locator(".apidocs-none"))
		must(t, v.Keyboard().Press("Escape"))
		must(t, v.Keyboard().Type(at.field))
		see(t, v.Locator(".apidocs-entry:visible").First())
		must(t, v.Keyboard().Press("Enter"))
		awaitAddress(t, v, regexp.MustCompile(regexp.QuoteMeta("/docs/")))
		see(t, v.Locator("main h2:target"))

		first := v.Locator(".apidocs-languages").First()
		click(t, first.Locator("[data-language=Python]"))
		see(t, v.Locator("[data-sample=Python]:visible").First())
		_, err = v.Reload()
		must(t, err)
		see(t, v.Locator("[data-sample=Python]:visible").First())
		if n, err := v.Locator("[data-sample=curl]:visible").Count(); err != nil || n > 0 {
			t.Errorf("%s: %d samples are in another language than the chosen one: %v", name, n, err)
		}

		must(t, v.SetViewportSize(320, 640))
		v.fits(t)
		must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{Media: playwright.MediaPrint}))
		for _, hidden := range []string{"nav.apidocs-contents", ".apidocs-send >> nth=0"} {
			if there, err := v.Locator(hidden).IsVisible(); err != nil || there {
				t.Errorf("%s: %s is printed: %v, %v", name, hidden, there, err)
			}
		}
	}
}

// TestReferenceSends sends requests from the pages of the provider's reference: with a
// token for Bearer authentication, and with an error in the answer.
func TestReferenceSends(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	v.expect("Failed to load resource") // the refused request
	v.open(t, s.Provider+"/docs/reports")
	must(t, v.Locator("[data-credentials] [name=id]").Fill(s.Credentials.ClientID))
	must(t, v.Locator("[data-credentials] [name=secret]").Fill(s.Credentials.SecretKey))
	status := v.Locator("article").First()
	click(t, status.Locator(".apidocs-send summary"))
	click(t, status.Locator(".apidocs-send button"))
	see(t, status.Locator(".apidocs-result p:has-text('404')"))
	see(t, status.Locator(".apidocs-result pre:has-text('INVALID_TOKEN')"))
	v.axe(t)

	v.open(t, s.Provider+"/docs/consumers")
	must(t, v.Locator("[data-credentials] [name=id]").Fill(s.Credentials.ClientID))
	must(t, v.Locator("[data-credentials] [name=secret]").Fill(s.Credentials.SecretKey))
	created := v.Locator("article:has(#createConsumer)")
	click(t, created.Locator(".apidocs-send summary"))
	click(t, created.Locator(".apidocs-send button"))
	see(t, created.Locator(".apidocs-result p:has-text('201')"))
}

// abridge leaves of a reference page the longest of each kind, which says as much as
// all of it: the checker would take a minute.
func abridge(t *testing.T, v *visitor) {
	t.Helper()
	_, err := v.Evaluate(`() => {
		const keep = new Map();
		for (const e of document.querySelectorAll(".apidocs-operation, .apidocs-shape")) {
			const kind = e.className + (e.querySelector(".badge")?.textContent ?? "");
			if (!keep.has(kind) || keep.get(kind).textContent.length < e.textContent.length) keep.set(kind, e);
		}
		const kept = new Set(keep.values());
		for (const e of document.querySelectorAll(".apidocs-operation, .apidocs-shape")) if (!kept.has(e)) e.remove();
	}`)
	must(t, err)
}
