package provider_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"vestibule/internal/testutil/i18ntest"
)

var themeSheet = regexp.MustCompile(`href="(/theme/[^"]+\.css)"`)

// frame returns the widget's frame of the customer.
func (d *dashboardBrowser) frame() string {
	d.t.Helper()
	return d.page("/widget/v1/frame?env=sandbox&publicId=" + d.seed.PublicID)
}

// TestDashboardTheme sets a theme, and checks that the widget's frame has it, that colors
// with too little contrast are refused with one that passes, and that changes are audited.
func TestDashboardTheme(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d, other := b.signIn(customerUser), b.signIn(thirdPartyUser)
		before := b.audited()
		save := func(light, dark string) answer {
			return d.send("/dashboard/theme", d.form("corners", "large", "font", "serif", "scheme", "auto", "light", light, "dark", dark))
		}
		better, address := "", ""
		b.run("colors and corners that cannot be used are refused", func(t *testing.T) {
			a := save("#f2c94c", "")
			text := html.UnescapeString(string(a.raw))
			better = strings.TrimPrefix(regexp.MustCompile(`Try #[0-9a-f]{6}`).FindString(text), "Try ")
			if a.status != 422 || better == "" || !strings.Contains(text, `value="#f2c94c"`) {
				t.Fatalf("a pale color: %d, %q", a.status, better)
			}
			for _, color := range []string{"red", "#12", "#13584c;}"} {
				if a := save("", color); a.status != 422 ||
					!strings.Contains(html.UnescapeString(string(a.raw)), i18ntest.EN("dashboard.theme.color.invalid")) {
					t.Errorf("color %q: %d", color, a.status)
				}
			}
			d.wantSent("unknown corners", 400, "/dashboard/theme", "corners", "huge", "font", "serif", "scheme", "auto")
		})
		b.run("a preview is not saved", func(t *testing.T) {
			preview := d.page("/dashboard/theme?corners=large&font=serif&scheme=auto&light=%237a1fa3&dark=")
			if !strings.Contains(preview, i18ntest.EN("dashboard.theme.preview.unsaved")) || !strings.Contains(preview, "/theme/preview-7a1fa3-") {
				t.Errorf("the preview: %s", preview)
			}
			if themeSheet.MatchString(d.frame()) || b.audited() != before {
				t.Error("the frame has a theme before one is saved, or the audit trail has")
			}
		})
		b.run("the frame has the theme", func(t *testing.T) {
			if a := save(better, ""); a.status != 303 {
				t.Fatalf("saving %s: %d %s", better, a.status, a.raw)
			}
			sheet := themeSheet.FindStringSubmatch(d.frame())
			if sheet == nil {
				t.Fatalf("no theme in %s", d.frame())
			}
			css := d.ask("GET", sheet[1], "")
			if !strings.Contains(string(css.raw), "--primary:"+better) || !strings.Contains(string(css.raw), "--sans:Charter") ||
				!strings.Contains(css.header.Get("Cache-Control"), "immutable") {
				t.Errorf("%s = %v %s", sheet[1], css.header, css.raw)
			}
			d.unknown("/theme/x.css")
		})
		b.run("a logo is an image without scripts", func(t *testing.T) {
			for _, logo := range []struct {
				name, content string
				status        int
			}{{"a.gif", "GIF89a", 422}, {"a.svg", `<svg viewBox="0 0 4 4"><script/></svg>`, 422}, {"a.png", "x", 422},
				{"a.svg", `<svg viewBox="0 0 4 4" onload="x()"><path d="M0 0h4v4z"/></svg>`, 303}} {
				a := d.sendFile("/dashboard/theme/logo", d.form("scheme", "light"), "logo-light", logo.name, logo.content)
				if a.status != logo.status {
					t.Fatalf("logo %s: %d %s", logo.name, a.status, a.raw)
				}
			}
			address = d.find("/dashboard/theme", `src="(/theme/logo/[0-9a-f]{32}\.svg)"`)
			if a := d.ask("GET", address, ""); a.status != 200 || strings.Contains(string(a.raw), "onload") ||
				a.header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || a.header.Get("Content-Type") != "image/svg+xml" {
				t.Errorf("%s = %d %v %s", address, a.status, a.header, a.raw)
			}
		})
		if page := other.page("/dashboard/theme"); strings.Contains(page, better) || strings.Contains(page, address) {
			t.Error("another customer has the theme")
		}
		b.run("a reset removes theme and logo", func(t *testing.T) {
			d.wantSent("a reset", 303, "/dashboard/theme/reset")
			if a := d.ask("GET", address, ""); a.status != 404 || themeSheet.MatchString(d.frame()) {
				t.Errorf("the logo after the reset = %d", a.status)
			}
		})
		if n := b.audited() - before; n != 3 {
			t.Errorf("%d changes were audited, want 3", n)
		}
	})
}
