package e2e

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// visitor is one person's browser: a separate context of cookies, with a page.
type visitor struct {
	playwright.Page
	Context playwright.BrowserContext

	mu       sync.Mutex
	expected []string // fragments of console errors that the test provokes
	wrong    []string
}

type option func(*playwright.BrowserNewContextOptions)

func noScript(o *playwright.BrowserNewContextOptions) { o.JavaScriptEnabled = playwright.Bool(false) }
func dark(o *playwright.BrowserNewContextOptions)     { o.ColorScheme = playwright.ColorSchemeDark }
func spanish(o *playwright.BrowserNewContextOptions)  { o.Locale = playwright.String("es-MX") }

// phone is a small screen that is touched, where scroll bars take no room.
func phone(o *playwright.BrowserNewContextOptions) {
	o.Viewport = &playwright.Size{Width: 320, Height: 640}
	o.HasTouch = playwright.Bool(true)
	o.IsMobile = playwright.Bool(true)
}

// visit opens a fresh browser context, whose pages take clicks as soon as a step is
// displayed. When the test ends, any violation of the content security policy, script
// error or console error on its pages fails it.
func visit(t *testing.T, options ...option) *visitor {
	t.Helper()
	v := guarded(t, options...)
	must(t, v.Context.AddInitScript(playwright.Script{Content: playwright.String(withoutGuard)}))
	return v
}

// withoutGuard removes the half second in which a step ignores clicks (visit.css), which
// tests would wait out at every step.
const withoutGuard = `{
	const sheet = new CSSStyleSheet();
	sheet.replaceSync("html .visit, html .visit-leave[open] { animation: none !important }");
	document.adoptedStyleSheets.push(sheet);
}`

// guarded is a visit whose steps ignore clicks for half a second, as they do for applicants.
func guarded(t *testing.T, options ...option) *visitor {
	t.Helper()
	v := pageless(t, options...)
	var err error
	v.Page, err = v.Context.NewPage()
	must(t, err)
	return v
}

// pageless is a visit whose requests show no page: a browser's cookies. A page costs more
// than all its requests.
func pageless(t *testing.T, options ...option) *visitor {
	t.Helper()
	needBrowser(t)
	o := playwright.BrowserNewContextOptions{ReducedMotion: playwright.ReducedMotionReduce, Locale: playwright.String("en-US")}
	for _, f := range options {
		f(&o)
	}
	ctx, err := browser.NewContext(o)
	must(t, err)
	ctx.SetDefaultTimeout(float64(patience.Milliseconds()))
	v := &visitor{Context: ctx}
	v.expect("Found a 'popover' attribute") // of Chrome 109, which has none
	ctx.OnConsole(func(m playwright.ConsoleMessage) {
		if m.Type() == "error" {
			v.note("console: " + m.Text() + " at " + m.Location().URL)
		}
	})
	ctx.OnWebError(func(e playwright.WebError) { v.note("script: " + e.Error().Error()) })
	t.Cleanup(func() {
		if t.Failed() && v.Page != nil && !v.Page.IsClosed() {
			if name := os.Getenv("E2E_SHOTS"); name != "" {
				v.Screenshot(playwright.PageScreenshotOptions{Path: playwright.String(fmt.Sprintf("%s/%s.png", name,
					strings.ReplaceAll(t.Name(), "/", "_"))), FullPage: playwright.Bool(true)})
			}
			for _, f := range v.Frames() {
				text, _ := f.Locator("body").InnerText(playwright.LocatorInnerTextOptions{Timeout: playwright.Float(1000)})
				t.Logf("the page at the end, %s:\n%s", f.URL(), tail(text, 2000))
			}
		}
		ctx.Close()
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, w := range v.wrong {
			t.Errorf("the browser complained: %s", w)
		}
	})
	return v
}

func (v *visitor) note(what string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, e := range v.expected {
		if strings.Contains(what, e) {
			return
		}
	}
	v.wrong = append(v.wrong, what)
}

// expect allows console errors that contain the fragment: what the browser says
// when a test takes the network away or opens a page that answers 4xx.
func (v *visitor) expect(fragment string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.expected = append(v.expected, fragment)
}

// open goes to the address and wants a page.
func (v *visitor) open(t *testing.T, url string) {
	t.Helper()
	_, err := v.Goto(url)
	must(t, err)
}

// follow opens a link of an onboarding app's page.
func (v *visitor) follow(t *testing.T, url string) {
	t.Helper()
	_, err := v.Goto(url, playwright.PageGotoOptions{Referer: playwright.String("https://onboarding.example/")})
	must(t, err)
}

// blockThirdPartyCookies blocks cookies and storage of other sites' frames.
func (v *visitor) blockThirdPartyCookies(t *testing.T) {
	t.Helper()
	cdp, err := v.Context.NewCDPSession(v.Page)
	must(t, err)
	_, err = cdp.Send("Network.enable", nil)
	must(t, err)
	_, err = cdp.Send("Network.setCookieControls", map[string]any{"enableThirdPartyCookieRestriction": true,
		"disableThirdPartyCookieMetadata": true, "disableThirdPartyCookieHeuristics": true})
	must(t, err)
}

// axe finds nothing on the page and in its frames.
func (v *visitor) axe(t *testing.T) {
	t.Helper()
	for _, f := range v.live() {
		for _, x := range checked(t, f, `{}`) {
			t.Errorf("axe on %s: %s", f.URL(), x)
		}
	}
}

// fits wants no sideways scrolling at the viewport's width.
func (v *visitor) fits(t *testing.T) {
	t.Helper()
	wide, err := v.Evaluate(`() => document.documentElement.scrollWidth - document.documentElement.clientWidth`)
	must(t, err)
	if n := number(wide); n > 0 {
		t.Errorf("the page is %v px wider than its window", n)
	}
}

func number(v any) float64 {
	switch n := v.(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	return 0
}

// see waits until the text is visible.
func see(t *testing.T, l playwright.Locator) {
	t.Helper()
	must(t, l.First().WaitFor())
}

// SetViewportSize gives the page that size, and enlarges its window accordingly. The
// driver sets the size of the whole window, of which Chromium's bars take 87 px: the
// page would be longer than its visible part, and presses below that line would never
// reach another site's frame (TestClickOnButtonsAtTheBottom). People cannot press there.
func (v *visitor) SetViewportSize(width, height int) error {
	if err := v.Page.SetViewportSize(width, height); err != nil {
		return err
	}
	cdp, err := v.Context.NewCDPSession(v.Page)
	if err != nil {
		return err
	}
	defer cdp.Detach()
	of, err := cdp.Send("Browser.getWindowForTarget", nil)
	if err != nil {
		return err
	}
	_, err = cdp.Send("Browser.setWindowBounds", map[string]any{
		"windowId": of.(map[string]any)["windowId"],
		"bounds":   map[string]any{"width": width, "height": height + 200},
	})
	return err
}

// click, fill and read fail the test when the page does not let them.
// In a page with frames, click moves the mouse over the control and presses it once the
// control has noticed the mouse: the browser finds another site's frame by the displayed
// frame of the page, and a test can be ahead of the display, unlike a person.
func click(t *testing.T, l playwright.Locator) {
	t.Helper()
	page, err := l.Page()
	must(t, err)
	if len(page.MainFrame().ChildFrames()) > 0 {
		over := l.And(page.Locator(":hover"))
		until(t, "the mouse is over what is to be clicked", func() bool {
			must(t, l.Hover())
			n, err := over.Count()
			must(t, err)
			return n > 0
		})
	}
	must(t, l.Click())
}

func fill(t *testing.T, l playwright.Locator, value string) { t.Helper(); must(t, l.Fill(value)) }

func read(t *testing.T, l playwright.Locator) string {
	t.Helper()
	text, err := l.InnerText()
	must(t, err)
	return text
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
