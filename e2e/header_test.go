package e2e

import (
	"fmt"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// TestHeaderOnPhones opens the header of both dashboards on a phone: one line, and a menu by
// keyboard, by touch and without script. In a wide window all of it is there without a menu.
func TestHeaderOnPhones(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	for name, side := range map[string]struct {
		page, linked string
		signIn       func(*testing.T, *visitor)
	}{
		"review":    {s.Portal + "/review", "/review/audit", s.signIn},
		"dashboard": {s.Provider + "/dashboard", "/dashboard/people", s.signInStaff},
	} {
		small := func(o *playwright.BrowserNewContextOptions) { o.Viewport = &playwright.Size{Width: 390, Height: 844} }
		const menu, opener = "#side-menu", ".side-open"
		target := fmt.Sprintf("%s .top-links a[href=%q]", menu, side.linked)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := visit(t, small, dark)
			side.signIn(t, v)
			v.open(t, side.page)
			see(t, v.page(".command-open"))
			box, err := v.page(".side").BoundingBox()
			must(t, err)
			if box.Height > 60 {
				t.Errorf("the header is %v px high", box.Height)
			}
			unseen(t, v, target)
			press := func(keys ...string) {
				t.Helper()
				for _, key := range keys {
					must(t, v.Keyboard().Press(key))
				}
			}
			// The order of the focus is that of the picture.
			x := -1.0
			for _, focused := range []string{".skip", ".brand", ".command-open", opener} {
				press("Tab")
				see(t, v.page(focused+":focus"))
				box, err := v.page(focused).BoundingBox()
				must(t, err)
				if focused == opener && box.X <= x {
					t.Errorf("%s is left of what has the focus before it", focused)
				}
				x = box.X
			}
			press("Enter")
			see(t, v.page(target))
			press("Tab")
			see(t, v.page(menu+" a:focus"))
			v.axe(t)
			v.fits(t)
			small, err := v.Evaluate(`() => [...document.querySelectorAll(".side a, .side button")].map((e) => [e, e.getBoundingClientRect()])
				.filter(([, box]) => box.width > 0 && (box.width < 24 || box.height < 24)).map(([e]) => e.textContent.trim()).join()`)
			must(t, err)
			if small != "" {
				t.Errorf("targets of less than 24 px: %v", small)
			}
			press("Escape")
			unseen(t, v, target)
			see(t, v.page(opener+":focus"))
			click(t, v.page(".command-open"))
			see(t, v.page("dialog.command[open] input:focus"))
			press("Escape")
			click(t, v.page(opener))
			click(t, v.page(target))
			must(t, v.WaitForURL("**"+side.linked))

			must(t, v.SetViewportSize(1280, 800))
			see(t, v.page(target))
			unseen(t, v, opener)
		})
		t.Run(name+" without script", func(t *testing.T) {
			t.Parallel()
			v := visit(t, small, noScript, spanish)
			side.signIn(t, v)
			v.open(t, side.page)
			unseen(t, v, target)
			click(t, v.page(opener))
			see(t, v.page(target))
			click(t, v.page(menu+" .side-user form button"))
			see(t, v.page("[name=password]"))
		})
	}
}
