package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// maxPicture bounds a picture of the documentation, in bytes.
const maxPicture = 300 << 10

// window is a visitor's window of that size.
func window(width, height int) option {
	return func(o *playwright.BrowserNewContextOptions) {
		o.Viewport = &playwright.Size{Width: width, Height: height}
	}
}

// album is where the pictures go: docs/images with -demo.
type album struct{ dir string }

func (a album) shot(t *testing.T, v *visitor, name string) image.Image {
	t.Helper()
	must(t, v.Mouse().Move(0, 0))
	cdp, err := v.Context.NewCDPSession(v.Page)
	must(t, err)
	_, err = cdp.Send("Emulation.setScrollbarsHidden", map[string]any{"hidden": true})
	must(t, err)
	raw, err := v.Screenshot(playwright.PageScreenshotOptions{Animations: playwright.ScreenshotAnimationsDisabled,
		Caret: playwright.ScreenshotCaretHide})
	must(t, err)
	picture, err := png.Decode(bytes.NewReader(raw))
	must(t, err)
	a.keep(t, name, picture)
	return picture
}

func (a album) keep(t *testing.T, name string, picture image.Image) {
	t.Helper()
	var buf bytes.Buffer
	must(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&buf, picture))
	if buf.Len() > maxPicture {
		t.Errorf("%s has %d bytes", name, buf.Len())
	}
	must(t, os.WriteFile(filepath.Join(a.dir, name+".png"), buf.Bytes(), 0o644))
}

// beside composes pictures of one height side by side, each on a sheet of its
// own.
func beside(pictures ...image.Image) image.Image {
	const gap, line = 32, 1
	width, height := gap, 0
	for _, p := range pictures {
		width += p.Bounds().Dx() + gap
		height = max(height, p.Bounds().Dy()+2*gap)
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(out, out.Bounds(), image.NewUniform(color.RGBA{0xd9, 0xd6, 0xcc, 0xff}), image.Point{}, draw.Src)
	edge := image.NewUniform(color.RGBA{0xb4, 0xb0, 0xa4, 0xff})
	x := gap
	for _, p := range pictures {
		at := image.Rect(x, gap, x+p.Bounds().Dx(), gap+p.Bounds().Dy())
		draw.Draw(out, at.Inset(-line), edge, image.Point{}, draw.Src)
		draw.Draw(out, at, p, p.Bounds().Min, draw.Src)
		x += p.Bounds().Dx() + gap
	}
	return out
}

// TestDemo walks a whole application, from the first page to the report in the review
// dashboard, and takes screenshots. `make demo` keeps them.
func TestDemo(t *testing.T) {
	if !*demo {
		t.Skip("make demo takes the pictures; other tests look at what is on them")
	}
	pictures := album{filepath.FromSlash("../docs/images")}
	must(t, os.MkdirAll(pictures.dir, 0o755))
	s := alone(t)
	left := pictures.form(t, s)
	pictures.hosted(t, s)
	pictures.keep(t, "walk", beside(left, pictures.review(t, s)))
}

// form shows the way from the form to the report, with the widget in the page.
func (a album) form(t *testing.T, s *site) (walk image.Image) {
	multi := map[string]string{"firstName": "Multi", "lastName": "Chen", "email": "multi.chen@mail.example", "phone": "512-555-0142",
		"dob-month": "6", "dob-day": "15", "dob-year": "1984"}
	v := visit(t, window(1200, 800))
	v.open(t, s.Portal+"/")
	a.shot(t, v, "landing")
	click(t, v.page(`a[href="/apply/cashflow"]`))
	touchForm(t, v)
	fillForm(t, v, multi)
	fill(t, v.page("#email"), "multi.chen@mail")
	must(t, v.page("#phone").Focus())
	see(t, v.page("#email[aria-invalid=true]"))
	a.shot(t, v, "apply")
	fillForm(t, v, multi)
	must(t, v.Mouse().Move(0, 0)) // from here on by keyboard, so that nothing looks pointed at
	must(t, v.page(button(en("apply.continue"))).Press("Enter"))
	step(t, v.widget, "consent")
	must(t, v.widget(button(en("visit.consent.submit"))).Press("Enter"))
	step(t, v.widget, "bank")
	must(t, v.widget("button[name=bank]").First().ScrollIntoViewIfNeeded())
	a.shot(t, v, "widget")
	must(t, v.SetViewportSize(580, 940))
	_, err := v.Evaluate("() => window.scrollTo(0, 0)")
	must(t, err)
	walk = a.shot(t, v, "walk")
	must(t, v.SetViewportSize(1200, 800))
	click(t, v.widget("button[name=bank]").First())
	step(t, v.widget, "sign-in")
	fill(t, v.widget("[name=username]"), "multi")
	fill(t, v.widget("[name=password]"), "correct horse")
	click(t, v.widget(button(en("visit.sign_in.submit"))))
	step(t, v.widget, "code")
	enterCode(t, v.widget, "123456")
	step(t, v.widget, "accounts")
	click(t, v.widget(button(en("visit.accounts.submit"))))
	state(t, v, "ready")
	a.shot(t, v, "status")
	return walk
}

// hosted shows the provider's own page, on a phone and in the dark.
func (a album) hosted(t *testing.T, s *site) {
	small := visit(t, window(390, 844), dark)
	small.follow(t, s.begin(t, "redirect").ConnectURL)
	signIn(t, small.page, "default")
	step(t, small.page, "code")
	a.shot(t, small, "phone")
	hosted := visit(t, window(1200, 800))
	hosted.follow(t, s.begin(t, "redirect").ConnectURL)
	step(t, hosted.page, "consent")
	a.shot(t, hosted, "hosted")
	click(t, hosted.page(link(en("visit.close"))))
	click(t, hosted.page(button(en("visit.leave.confirm"))))
	state(t, hosted, "exited")
}

// review shows the review dashboard, with applications that the portal's API created.
func (a album) review(t *testing.T, s *site) (walk image.Image) {
	others := visit(t, noScript)
	for _, x := range []struct{ externalID, username, end string }{
		{"loan-2038", "joint", ""}, {"lease-0117", "supplier_unresponsive", ""}, {"loan-2040", "single", ""}, {"loan-2041", "", "exit"},
	} {
		s.submit(t, others, x.username, x.end, map[string]any{"externalId": x.externalID})
	}
	review := visit(t, window(1200, 800))
	review.open(t, s.Portal+"/review")
	s.signInToReview(t, review, s.Credentials.Reviewer.Password)
	see(t, review.page("table"))
	a.shot(t, review, "review")
	click(t, review.page("tr:has-text('Ready') .list-link").First())
	see(t, review.page("#verdict"))
	a.shot(t, review, "report")
	must(t, review.SetViewportSize(1000, 940))
	walk = a.shot(t, review, "walk")
	must(t, review.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeDark}))
	must(t, review.SetViewportSize(1200, 800))
	a.shot(t, review, "dark")
	return walk
}
