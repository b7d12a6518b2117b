package e2e

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/playwright-community/playwright-go"

	"vestibule/e2e/gallery"
	"vestibule/internal/i18n"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/tools"
	"vestibule/web"
)

var update = flag.Bool("update", false, "write the accessibility trees and pictures that are expected")

// TestGallery holds each exhibit to its accessibility tree, which is what a screen reader
// reads and in which order, and to a window of 320 px. The components, and the steps that
// no walk of access_test.go reaches, are held to what axe finds; make test-full does so in
// both themes and in forced colors, and holds all exhibits to their pictures, too, where
// make test does so for these: in English on a phone in light, in Spanish on a desktop in
// dark. Only make test-full looks at them in Spanish.
func TestGallery(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	for _, g := range []struct {
		name     string
		style    string
		assets   *web.Assets
		exhibits func(gallery.Assets, i18n.Lang) []gallery.Exhibit
		closely  []string
	}{
		{"gallery", "portal.css", assets.Portal(t), gallery.Exhibits, []string{"components", "another device", "find it by e-mail, refused"}},
		{"visits", "provider.css", assets.Provider(t), gallery.Visits, []string{"income, pay stubs added",
			"income, is this all", "eligibility, employers", "passport, country", "bank, sign in", "bank, accounts", "bank, consent",
			"payroll provider, consent"}},
	} {
		mux := http.NewServeMux()
		mux.Handle("/", gallery.Handler(g.assets, g.style, g.exhibits))
		mux.Handle("GET /faces/", http.StripPrefix("/faces/", http.FileServer(http.Dir(faces))))
		srv := httptest.NewServer(mux)
		t.Cleanup(srv.Close)
		t.Run(g.name, func(t *testing.T) {
			eachLanguage(t, func(t *testing.T, lang string, language option) {
				if lang == "es" && !*update {
					tools.FullOnly(t)
				}
				v := visit(t, language, phone, func(o *playwright.BrowserNewContextOptions) { o.BypassCSP = playwright.Bool(true) })
				file := "testdata/" + g.name + "." + lang + ".yaml"
				want := testutil.ReadFile(t, file)
				var got strings.Builder
				for i, e := range g.exhibits(g.assets, i18n.Lang(lang)) {
					// with its style sheets
					_, err := v.Goto(fmt.Sprintf("%s/exhibits/%d?lang=%s", srv.URL, i, lang),
						playwright.PageGotoOptions{WaitUntil: playwright.WaitUntilStateLoad})
					must(t, err)
					wide, err := v.Evaluate(`() => document.documentElement.scrollWidth - document.documentElement.clientWidth`)
					must(t, err)
					if number(wide) > 0 {
						t.Errorf("%s is %v px wider than a small phone", e.Name, wide)
					}
					tree, err := v.Locator("body").AriaSnapshot()
					must(t, err)
					fmt.Fprintf(&got, "# %s\n%s\n", e.Name, tree)
					closely := slices.Contains(g.closely, e.Name)
					if closely || *update || tools.Full() {
						pictured(t, v, lang == "es", filepath.Join("testdata", "pictures", g.name+"."+lang), e.Name)
					}
					if closely {
						if e.Name == "components" {
							checkClosely(t, v, e.Name)
						} else {
							checkAccessibility(t, v, e.Name)
						}
						if tools.Full() {
							must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{ForcedColors: playwright.ForcedColorsActive}))
							v.axe(t)
							must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{ForcedColors: playwright.ForcedColorsNone}))
						}
						must(t, v.SetViewportSize(320, 640))
					}
				}
				if *update {
					must(t, os.WriteFile(file, []byte(got.String()), 0o644))
					return
				}
				if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
					t.Errorf("%s (go test ./e2e -run TestGallery -update writes it anew): -want +got\n%s", file, diff)
				}
			})
		})
	}
}
