package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// TestListShowsAnApplicationBesideIt looks at applications from the list by keys and by the
// mouse. The focus stays in the list. On a phone the row opens the application.
func TestListShowsAnApplicationBesideIt(t *testing.T) {
	t.Parallel()
	s := start(t)
	applicant := visit(t, noScript)
	first := s.submit(t, applicant, "default", "", nil)
	s.await(t, first.ID, "ready")
	second := s.begin(t, "redirect")
	review := s.Portal + "/review"
	v := visit(t)
	s.signIn(t, v)
	v.open(t, review)
	keysWork(t, v)
	press := func(key string) { t.Helper(); must(t, v.Keyboard().Press(key)) }
	link := func(id string) string { return fmt.Sprintf("tr[data-id=%q] .list-link", id) }
	audited := func(action string) int {
		t.Helper()
		return strings.Count(page(t, v, review+"/audit.csv?action="+action), ","+action+",")
	}
	panel := "[data-peek]:not([hidden])"

	must(t, v.page(link(second.ID)).Focus())
	press("Space")
	see(t, v.page(panel+" .verdict"))
	see(t, v.page(link(second.ID)+":focus"))
	v.axe(t)
	press("j")
	see(t, v.page(link(first.ID)+":focus"))
	see(t, v.page(panel+" #verdict"))
	see(t, v.page(panel+" .key"))
	see(t, v.page(fmt.Sprintf("tr[data-id=%q][data-peeked]", first.ID)))
	v.axe(t)
	if opened, viewed := audited("opened"), audited("reportViewed"); opened != 2 || viewed != 1 {
		t.Errorf("the trail has %d opened applications and %d reports", opened, viewed)
	}
	for _, a := range []string{"#stated", "#score"} {
		if n, err := v.page(panel + " a[href^='" + a + "']").Count(); err != nil || n > 0 {
			t.Errorf("%d links of the panel lead to %s of the list, %v", n, a, err)
		}
	}
	press("Escape")
	unseen(t, v, panel)
	see(t, v.page(link(first.ID)+":focus"))

	row := v.page(fmt.Sprintf("tr[data-id=%q]", second.ID))
	must(t, row.Hover())
	click(t, row.Locator(".peek-open"))
	see(t, v.page(panel+" .verdict"))
	see(t, v.page(link(second.ID)+":focus"))
	click(t, v.page("[data-peek-close]"))
	unseen(t, v, panel)
	see(t, v.page(link(second.ID)+":focus"))

	press("Space")
	see(t, v.page(panel))
	click(t, v.page("[data-peek-title]"))
	must(t, v.WaitForURL(review+"/applications/"+second.ID+"*"))

	phone := visit(t, func(o *playwright.BrowserNewContextOptions) { o.Viewport = &playwright.Size{Width: 390, Height: 844} })
	s.signIn(t, phone)
	phone.open(t, review)
	see(t, phone.page(link(second.ID)))
	unseen(t, phone, ".peek-open >> nth=0")
	click(t, phone.page(link(second.ID)))
	must(t, phone.WaitForURL(review+"/applications/"+second.ID+"*"))
}
