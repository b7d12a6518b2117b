package e2e

import (
	"fmt"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"
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
				state(t, v.visitor, "ready")
				v.still(t, "the status page")
			})
		}
	}
}

// TestDialogIsStable opens the widget over a customer's page.
func TestDialogIsStable(t *testing.T) {
	t.Parallel()
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
