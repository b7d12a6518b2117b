package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

// TestReferencePages opens both with script turned off and on: they have none, and
// a link to an operation leads to it.
func TestReferencePages(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, at := range map[string]struct{ url, first string }{
		"provider": {s.Provider + "/docs", "#submit"},
		"portal":   {s.Portal + "/api/v1/docs", "#createApplication"},
	} {
		plain := visit(t, noScript)
		plain.open(t, at.url)
		click(t, plain.Locator("nav a[href='"+at.first+"']"))
		shown, err := plain.Locator(at.first).BoundingBox()
		must(t, err)
		if shown == nil || shown.Y < 0 || shown.Y > 300 {
			t.Errorf("%s: the link to %s leads to %v", name, at.first, shown)
		}
		v := visit(t)
		v.open(t, at.url)
		must(t, v.SetViewportSize(320, 640))
		v.fits(t)
		must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{Media: playwright.MediaPrint}))
		if there, err := v.Locator("nav.manual-contents").IsVisible(); err != nil || there {
			t.Errorf("%s: the contents are printed: %v, %v", name, there, err)
		}
	}
}

// abridge leaves of a reference page the longest of each kind, which says as much as
// all of it: the checker would take a minute.
func abridge(t *testing.T, v *visitor) {
	t.Helper()
	_, err := v.Evaluate(`() => {
		const keep = new Map();
		for (const e of document.querySelectorAll(".manual-operation, .manual-shape")) {
			const kind = e.className + (e.querySelector(".badge")?.textContent ?? "");
			if (!keep.has(kind) || keep.get(kind).textContent.length < e.textContent.length) keep.set(kind, e);
		}
		const kept = new Set(keep.values());
		for (const e of document.querySelectorAll(".manual-operation, .manual-shape")) if (!kept.has(e)) e.remove();
	}`)
	must(t, err)
}
