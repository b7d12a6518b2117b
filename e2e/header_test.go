package e2e

import (
	"fmt"
	"regexp"
	"testing"

	"vestibule/internal/testutil/tools"
)

// TestHeaderOnPhones opens the header of both dashboards on a phone: one line, and a menu by
// keyboard, by touch and without script. In a wide window all of it is there without a menu.
func TestHeaderOnPhones(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	for name, h := range map[string]phoneHeader{
		"review":    {s.Portal + "/review", "/review/audit", s.signIn},
		"dashboard": {s.Provider + "/dashboard", "/dashboard/people", s.signInStaff},
	} {
		small := window(390, 844)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := visit(t, small, dark)
			h.open(t, v)
			h.walkByKeyboard(t, v)
			h.useByPointer(t, v)
		})
		t.Run(name+" without script", func(t *testing.T) {
			t.Parallel()
			v := visit(t, small, noScript, spanish)
			h.open(t, v)
			click(t, v.page(menuOpener))
			see(t, v.page(h.target()))
			click(t, v.page(sideMenu+" .side-user form button"))
			see(t, v.page("[name=password]"))
		})
	}
}

const sideMenu, menuOpener = "#side-menu", ".side-open"

// phoneHeader is the header of a console, whose menu leads to an address.
type phoneHeader struct {
	page, linked string
	signIn       func(*testing.T, *visitor)
}

func (h phoneHeader) target() string {
	return fmt.Sprintf("%s .top-links a[href=%q]", sideMenu, h.linked)
}

// open signs in and opens the page, whose menu is closed.
func (h phoneHeader) open(t *testing.T, v *visitor) {
	h.signIn(t, v)
	v.open(t, h.page)
	see(t, v.page(menuOpener))
	unseen(t, v, h.target())
}

// walkByKeyboard moves the focus in the order of the picture, and opens and closes the menu.
func (h phoneHeader) walkByKeyboard(t *testing.T, v *visitor) {
	see(t, v.page(".command-open"))
	box, err := v.page(".side").BoundingBox()
	must(t, err)
	if box.Height > 60 {
		t.Errorf("the header is %v px high", box.Height)
	}
	x := -1.0
	for _, focused := range []string{".skip", ".brand", ".command-open", menuOpener} {
		must(t, v.Keyboard().Press("Tab"))
		see(t, v.page(focused+":focus"))
		box, err := v.page(focused).BoundingBox()
		must(t, err)
		if focused == menuOpener && box.X <= x {
			t.Errorf("%s is left of what has the focus before it", focused)
		}
		x = box.X
	}
	must(t, v.Keyboard().Press("Enter"))
	see(t, v.page(h.target()))
	must(t, v.Keyboard().Press("Tab"))
	see(t, v.page(sideMenu+" a:focus"))
	v.axe(t)
	v.fits(t)
	small, err := v.Evaluate(`() => [...document.querySelectorAll(".side a, .side button")].map((e) => [e, e.getBoundingClientRect()])
		.filter(([, box]) => box.width > 0 && (box.width < 24 || box.height < 24)).map(([e]) => e.textContent.trim()).join()`)
	must(t, err)
	if small != "" {
		t.Errorf("targets of less than 24 px: %v", small)
	}
	must(t, v.Keyboard().Press("Escape"))
	unseen(t, v, h.target())
	see(t, v.page(menuOpener+":focus"))
}

// useByPointer opens the palette and the menu, and looks at the wide page.
func (h phoneHeader) useByPointer(t *testing.T, v *visitor) {
	click(t, v.page(".command-open"))
	see(t, v.page("dialog.command[open] input:focus"))
	must(t, v.Keyboard().Press("Escape"))
	click(t, v.page(menuOpener))
	click(t, v.page(h.target()))
	awaitAddress(t, v, regexp.MustCompile(regexp.QuoteMeta(h.linked)+"$"))
	must(t, v.SetViewportSize(1280, 800))
	see(t, v.page(h.target()))
	unseen(t, v, menuOpener)
}
