package e2e

import (
	"fmt"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// maxShift is the limit of the layout shift of a document (web.dev calls up to 0.1 good).
const maxShift = 0.05

// shiftScript collects the layout shifts of a document that follow no input.
const shiftScript = `(() => {
	const all = [];
	const take = (entries) => { for (const e of entries) if (!e.hadRecentInput) all.push(e); };
	const observer = new PerformanceObserver((list) => take(list.getEntries()));
	observer.observe({ type: "layout-shift", buffered: true });
	const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
	window.painted = painted;
	window.shifted = async () => {
		await document.fonts.ready;
		await painted();
		take(observer.takeRecords());
		const sum = all.reduce((n, e) => n + e.value, 0);
		const what = all.flatMap((e) => e.sources.map((s) => (s.node?.nodeName ?? "?") + "." + (s.node?.className ?? "") + " " +
			[s.previousRect, s.currentRect].map((r) => [r.x, r.y, r.width, r.height].map(Math.round)).join(" to ")));
		return sum > ` + "%v" + ` ? sum.toFixed(3) + ": " + what.join("; ") : "";
	};
})()`

// shifts measures a visitor's layout shifts, and holds the font of each page back until the
// page was painted without it.
type shifts struct {
	*visitor
	mu   sync.Mutex
	free bool
	held []playwright.Route
}

func watchShifts(t *testing.T, v *visitor) *shifts {
	t.Helper()
	s := &shifts{visitor: v}
	must(t, v.Context.AddInitScript(playwright.Script{Content: playwright.String(fmt.Sprintf(shiftScript, maxShift))}))
	must(t, v.Context.Route("**/*.woff2", func(r playwright.Route) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.free {
			go r.Continue()
		} else {
			s.held = append(s.held, r)
		}
	}))
	return s
}

// still lets the font arrive and checks what moved in the page and its frames.
func (s *shifts) still(t *testing.T, where string) {
	t.Helper()
	for _, f := range s.live() {
		_, err := f.Evaluate(`() => painted()`)
		must(t, err)
	}
	s.release(true)
	for _, f := range s.live() {
		moved, err := f.Evaluate(`() => shifted()`)
		must(t, err)
		if moved != "" {
			t.Errorf("%s: the layout of %s shifts by %v", where, f.URL(), moved)
		}
	}
	s.release(false)
}

func (s *shifts) release(free bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = free
	for _, r := range s.held {
		go r.Continue()
	}
	s.held = nil
}

// leads does something that opens another page, and waits until the page has its style: to
// look for an element before it lays the page out without one, and every page shifts then.
func (s *shifts) leads(t *testing.T, act func()) {
	t.Helper()
	_, err := s.ExpectNavigation(func() error { act(); return nil },
		playwright.PageExpectNavigationOptions{WaitUntil: playwright.WaitUntilStateDomcontentloaded})
	must(t, err)
}

// TestLayoutIsStable walks an application from the landing page to its end. No page and no
// step moves by itself: not when its font arrives, and not around the widget.
func TestLayoutIsStable(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	for name, size := range map[string]playwright.Size{"desktop": {Width: 1280, Height: 800}, "phone": {Width: 390, Height: 844}} {
		for _, mode := range []string{"embedded", "redirect"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				v := watchShifts(t, visit(t, func(o *playwright.BrowserNewContextOptions) { o.Viewport = &size }))
				for _, path := range []string{"/", "/apply/cashflow"} {
					_, err := v.Goto(s.Portal+path, playwright.PageGotoOptions{WaitUntil: playwright.WaitUntilStateDomcontentloaded})
					must(t, err)
					v.still(t, path)
				}
				fillForm(t, v.visitor, applicant)
				must(t, v.page(fmt.Sprintf("input[name=mode][value=%s]", mode)).Check())
				v.leads(t, func() { click(t, v.page(button(en("apply.continue")))) })
				at := v.page
				if mode == "embedded" {
					at = v.widget
				}
				for _, from := range walkingSteps {
					step(t, at, from)
					v.still(t, from)
					if mode == "embedded" {
						onward(t, at, from)
					} else {
						v.leads(t, func() { onward(t, at, from) })
					}
				}
				if mode == "redirect" {
					v.leads(t, func() { leaveReceipt(t, v.visitor) })
				}
				state(t, v.visitor, "ready")
				v.still(t, "the status page")
			})
		}
	}
}

// TestDialogIsStable opens the widget over a customer's page.
func TestDialogIsStable(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	for name, size := range map[string]playwright.Size{"desktop": {Width: 1280, Height: 800}, "phone": {Width: 390, Height: 844}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := watchShifts(t, visit(t, func(o *playwright.BrowserNewContextOptions) { o.Viewport = &size }))
			v.open(t, h.URL+"/")
			begin(t, v.visitor, h.options(map[string]any{"token": s.token(t, nil), "useManualFire": true}), "first")
			click(t, v.page("#fire"))
			for _, from := range walkingSteps {
				step(t, v.widget, from)
				v.still(t, from)
				onward(t, v.widget, from)
			}
			step(t, v.widget, "end")
			v.still(t, "the end")
		})
	}
}

// TestFormFitsOneScreen: on a small desktop, the form's button is in view without scrolling.
func TestFormFitsOneScreen(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t, "--apply-mode=embedded")
	eachLanguage(t, func(t *testing.T, _ string, language option) {
		v := visit(t, language, func(o *playwright.BrowserNewContextOptions) { o.Viewport = &playwright.Size{Width: 1280, Height: 800} })
		v.open(t, s.Portal+"/apply/cashflow")
		box, err := v.page("main form button[type=submit]").BoundingBox()
		must(t, err)
		if box.Y+box.Height > 790 {
			t.Errorf("the button ends %v px below the top of a window of 800 px", box.Y+box.Height)
		}
	})
}

// restScript returns the heights that the page gave its frame since it was called, once these
// have not changed for a while. It gives up on a frame that does not come to rest.
const restScript = `(frame) => new Promise((done, fail) => {
	const heights = [];
	const observer = new MutationObserver(() => { heights.push(frame.style.height); still = 0; });
	observer.observe(frame, { attributes: true, attributeFilter: ["style"] });
	let still = 0;
	const look = () => {
		if (heights.length > 20) return fail(new Error("the frame does not rest: " + heights.slice(-4)));
		if (++still > 20) return done(heights.length);
		requestAnimationFrame(look);
	};
	look();
})`

// TestFrameRests walks an embedded visit in windows and with text sizes that wrap its steps
// differently. At each step, the frame comes to rest as high as its content, without a scroll bar.
func TestFrameRests(t *testing.T) {
	t.Parallel()
	s := start(t)
	h := newHost(t, s)
	for _, width := range []int{320, 390, 560, 1280} {
		t.Run(fmt.Sprintf("%d px", width), func(t *testing.T) {
			tools.FullOnly(t)
			t.Parallel()
			v := embed(t, s, h, window(width, 700))
			for _, from := range append(walkingSteps, "end") {
				step(t, v.widget, from)
				for _, size := range []string{"", "137%", "200%"} {
					_, err := v.widget("html").Evaluate(`(root, size) => { root.style.fontSize = size; }`, size)
					must(t, err)
					rests(t, fmt.Sprintf("%s with text of %q", from, size), v.page("iframe"), v.widget("html"))
				}
				if from != "end" {
					onward(t, v.widget, from)
				}
			}
		})
	}
	t.Run("in an onboarding app", func(t *testing.T) {
		t.Parallel()
		app := newShop(t, s, "localhost")
		_, token := app.token(t, nil)
		app.bodies.Store("/", element(`id="a" height="300"`, token))
		v := visit(t, window(560, 700))
		v.open(t, app.URL)
		for _, from := range walkingSteps {
			step(t, v.bank("a"), from)
			rests(t, from, v.inside("a").Locator("iframe"), v.bank("a")("html"))
			rests(t, "the page around "+from, v.page("#a iframe"), v.inside("a").Locator("html"))
			onward(t, v.bank("a"), from)
		}
		see(t, v.inside("a").Locator("#status[data-state=ready]"))
		rests(t, "status", v.page("#a iframe"), v.inside("a").Locator("html"))
	})
	// A scroll bar of the page makes the frame narrower, and its content lower where the width of
	// the frame passes a limit of the layout.
	t.Run("in a page whose scroll bar comes with the frame's height", func(t *testing.T) {
		tools.FullOnly(t)
		t.Parallel()
		const width = 34*16 + 16 + 8 // more than the limit, with the body's margins and less than a scroll bar
		v := embed(t, s, h, window(width, 400))
		rests(t, "consent with a scroll bar", v.page("iframe"), v.widget("html"))
		high, err := v.Evaluate(`() => document.documentElement.scrollHeight`)
		must(t, err)
		must(t, v.SetViewportSize(width, int(number(high))+10))
		rests(t, "consent", v.page("iframe"), v.widget("html"))
	})
	t.Run("in a page that keeps it lower", func(t *testing.T) {
		tools.FullOnly(t)
		t.Parallel()
		v := embed(t, s, h)
		lower := func(height string) {
			_, err := v.page("iframe").Evaluate(`(frame, height) => { frame.style.maxHeight = height; }`, height)
			must(t, err)
		}
		rests(t, "consent", v.page("iframe"), v.widget("html"))
		lower("300px")
		see(t, v.widget("html[data-scroll]"))
		click(t, v.widget(button(en("visit.consent.submit"))))
		step(t, v.widget, "bank")
		lower("none")
		see(t, v.widget("html:not([data-scroll])"))
		rests(t, "bank", v.page("iframe"), v.widget("html"))
	})
}

// rests wants a frame with that root to come to rest.
func rests(t *testing.T, where string, frame, root playwright.Locator) {
	t.Helper()
	if _, err := frame.Evaluate(restScript, nil); err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	over, err := root.Evaluate(`(root) => [innerWidth - root.clientWidth, root.scrollHeight - innerHeight]`, nil)
	must(t, err)
	if wide, high := number(over.([]any)[0]), number(over.([]any)[1]); wide != 0 || high > 0 {
		t.Errorf("%s: a scroll bar takes %v px, and %v px are out of sight", where, wide, high)
	}
}
