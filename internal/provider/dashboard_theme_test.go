package provider_test

import (
	"bytes"
	"html"
	"mime/multipart"
	"regexp"
	"strings"
	"testing"

	"vestibule/internal/testutil/i18ntest"
)

var themeSheet = regexp.MustCompile(`href="(/theme/[^"]+\.css)"`)

// TestDashboardTheme sets a theme, and checks that the widget's frame has it, that colors
// with too little contrast are refused with one that passes, and that changes are audited.
func TestDashboardTheme(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.addUsers()
		d := b.signIn(customerUser)
		frame := func() string {
			a := d.ask("GET", "/widget/v1/frame?env=sandbox&publicId="+b.seed.PublicID, "")
			if a.status != 200 {
				t.Fatalf("the frame = %d %s", a.status, a.raw)
			}
			return string(a.raw)
		}
		if themeSheet.MatchString(frame()) {
			t.Error("the frame has a theme before one is set")
		}

		look := []string{"corners", "large", "font", "serif", "scheme", "auto"}
		before := b.audited()
		a := d.send("/dashboard/theme", d.form(append(look, "light", "#f2c94c", "dark", "")...))
		text := html.UnescapeString(string(a.raw))
		better := strings.TrimPrefix(regexp.MustCompile(`Try #[0-9a-f]{6}`).FindString(text), "Try ")
		if a.status != 422 || better == "" || !strings.Contains(text, `value="#f2c94c"`) || b.audited() != before {
			t.Fatalf("a pale color: %d, %q, %d audited", a.status, better, b.audited()-before)
		}
		for _, color := range []string{"red", "#12", "#13584c;}"} {
			if a := d.send("/dashboard/theme", d.form(append(look, "light", "", "dark", color)...)); a.status != 422 ||
				!strings.Contains(html.UnescapeString(string(a.raw)), i18ntest.EN("dashboard.theme.color.invalid")) {
				t.Errorf("color %q: %d", color, a.status)
			}
		}
		if a := d.send("/dashboard/theme", d.form("corners", "huge", "font", "serif", "scheme", "auto")); a.status != 400 {
			t.Errorf("unknown corners: %d", a.status)
		}

		preview := d.page("/dashboard/theme?corners=large&font=serif&scheme=auto&light=%237a1fa3&dark=")
		if !strings.Contains(preview, i18ntest.EN("dashboard.theme.preview.unsaved")) || !strings.Contains(preview, "/theme/preview-7a1fa3-") {
			t.Errorf("the preview: %s", preview)
		}
		if themeSheet.MatchString(frame()) || b.audited() != before {
			t.Error("a preview was saved")
		}

		if a := d.send("/dashboard/theme", d.form(append(look, "light", better, "dark", "")...)); a.status != 303 || b.audited() != before+1 {
			t.Fatalf("saving %s: %d %s", better, a.status, a.raw)
		}
		sheet := themeSheet.FindStringSubmatch(frame())
		if sheet == nil {
			t.Fatalf("no theme in %s", frame())
		}
		css := d.ask("GET", sheet[1], "")
		if !strings.Contains(string(css.raw), "--primary:"+better) || !strings.Contains(string(css.raw), "--sans:Charter") ||
			!strings.Contains(css.header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s = %v %s", sheet[1], css.header, css.raw)
		}
		if a := d.ask("GET", "/theme/x.css", ""); a.status != 404 {
			t.Errorf("another style sheet = %d", a.status)
		}

		logo := func(name, content string) answer {
			var body bytes.Buffer
			form := multipart.NewWriter(&body)
			for field, value := range map[string]string{"once": d.form().Get("once"), "scheme": "light"} {
				_ = form.WriteField(field, value)
			}
			file, _ := form.CreateFormFile("logo-light", name)
			_, _ = file.Write([]byte(content))
			_ = form.Close()
			return d.ask("POST", "/dashboard/theme/logo", body.String(), "Content-Type", form.FormDataContentType(),
				"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Origin", "null")
		}
		for name, content := range map[string]string{"a.gif": "GIF89a", "a.svg": `<svg viewBox="0 0 4 4"><script/></svg>`, "a.png": "x"} {
			if a := logo(name, content); a.status != 422 {
				t.Errorf("logo %s: %d", name, a.status)
			}
		}
		if a := logo("a.svg", `<svg viewBox="0 0 4 4" onload="x()"><path d="M0 0h4v4z"/></svg>`); a.status != 303 {
			t.Fatalf("a logo: %d %s", a.status, a.raw)
		}
		address := d.find("/dashboard/theme", `src="(/theme/logo/[0-9a-f]{32}\.svg)"`)
		if a := d.ask("GET", address, ""); a.status != 200 || strings.Contains(string(a.raw), "onload") ||
			a.header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || a.header.Get("Content-Type") != "image/svg+xml" {
			t.Errorf("%s = %d %v %s", address, a.status, a.header, a.raw)
		}

		// Another customer's page stays as it was.
		if other := b.signIn(thirdPartyUser).page("/dashboard/theme"); strings.Contains(other, better) || strings.Contains(other, address) {
			t.Error("another customer has the theme")
		}

		if a := d.send("/dashboard/theme/reset", d.form()); a.status != 303 || themeSheet.MatchString(frame()) {
			t.Errorf("a reset: %d", a.status)
		}
		if a := d.ask("GET", address, ""); a.status != 404 {
			t.Errorf("the logo after the reset = %d", a.status)
		}
		if n := b.audited() - before; n != 3+1 { // the other user's sign-in, too
			t.Errorf("%d changes were audited, want 4", n)
		}
	})
}
