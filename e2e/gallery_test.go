package e2e

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/playwright-community/playwright-go"

	"vestibule/e2e/gallery"
	"vestibule/internal/svc"
	"vestibule/web"
)

var update = flag.Bool("update", false, "write the accessibility trees that are expected")

// TestGallery holds each exhibit, in each language, to its accessibility tree, which
// is what a screen reader reads and in which order, and to a window of 320 px. The
// components are held to what axe finds in both themes, and to forced colours.
func TestGallery(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(gallery.Handler(web.Portal()))
	t.Cleanup(srv.Close)
	speaking(t, func(t *testing.T, lang string, speak option) {
		v := visit(t, speak, phone)
		var got strings.Builder
		for i, e := range gallery.Exhibits(web.Portal(), svc.Lang(lang)) {
			_, err := v.Goto(fmt.Sprintf("%s/exhibits/%d?lang=%s", srv.URL, i, lang), playwright.PageGotoOptions{WaitUntil: playwright.WaitUntilStateDomcontentloaded})
			must(t, err)
			wide, err := v.Evaluate(`() => document.documentElement.scrollWidth - document.documentElement.clientWidth`)
			must(t, err)
			if number(wide) > 0 {
				t.Errorf("%s is %v px wider than a small phone", e.Name, wide)
			}
			tree, err := v.Locator("body").AriaSnapshot()
			must(t, err)
			fmt.Fprintf(&got, "# %s\n%s\n", e.Name, tree)
		}
		v.open(t, srv.URL+"/exhibits/0?lang="+lang)
		everybody(t, v, "components")
		must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{ForcedColors: playwright.ForcedColorsActive}))
		v.axe(t)
		file := "testdata/gallery." + lang + ".yaml"
		if *update {
			must(t, os.WriteFile(file, []byte(got.String()), 0o644))
			return
		}
		want, err := os.ReadFile(file)
		must(t, err)
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
			t.Errorf("%s (go test ./e2e -run TestGallery -update writes it anew): -want +got\n%s", file, diff)
		}
	})
}

// TestABrand of one's own is for everybody too, under the same strict policy.
func TestABrand(t *testing.T) {
	t.Parallel()
	s := start(t, "--brand-file=../docs/brand/brand.yaml")
	v := visit(t, spanish)
	v.open(t, s.Portal+"/apply/cashflow")
	see(t, v.page(`role=img[name="Harbor Lane"]`))
	drawn, err := v.Evaluate(`() => document.querySelector(".logo").naturalWidth > 0 && getComputedStyle(document.querySelector("button.button")).backgroundColor`)
	must(t, err)
	if drawn != "rgb(31, 79, 163)" {
		t.Errorf("the button of the brand is %v", drawn)
	}
	everybody(t, v, "the form of a brand")
	click(t, v.page("footer >> text=Privacidad"))
	title(t, v, "Privacidad")
	v.axe(t)
	v.open(t, s.Portal+"/review/sign-in")
	see(t, v.page(`role=img[name="Harbor Lane"]`))
}
