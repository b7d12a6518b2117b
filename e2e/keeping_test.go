package e2e

import (
	"fmt"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// TestBlockedCookiesAreReportedBeforeTheForm opens the form, with and without script, in a
// browser that loses every cookie.
func TestBlockedCookiesAreReportedBeforeTheForm(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	for _, option := range []option{func(*playwright.BrowserNewContextOptions) {}, noScript} {
		v := visit(t, option)
		must(t, v.Route("**/*", func(r playwright.Route) {
			must(t, v.Context.ClearCookies())
			must(t, r.Continue())
		}))
		v.open(t, s.Portal+"/apply/cashflow")
		see(t, v.page(text(en("apply.no_cookies.title"))))
		if shown, err := v.page("form[action='/applications']").IsVisible(); err != nil || shown {
			t.Errorf("the form can be filled in: %v", err)
		}
		must(t, v.Unroute("**/*"))
		click(t, v.page(link(en("notice.try_again"))))
		see(t, v.page("[name=firstName]"))
		if shown, err := v.page(text(en("apply.no_cookies.title"))).IsVisible(); err != nil || shown {
			t.Errorf("a browser with cookies sees the notice about cookies: %v", err)
		}
	}
}

// TestNoteOutlivesItsSession loses the session while a note and a decision are written:
// after the reviewer signs in again both are there, but not for other reviewers.
func TestNoteOutlivesItsSession(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	a := s.begin(t, "redirect")
	v := visit(t)
	own := s.Portal + "/review/applications/" + a.ID
	s.signIn(t, v)
	v.open(t, own)
	click(t, v.page("label.choice:has([value=moreAsked])"))
	fill(t, v.page("#text"), "Please connect your savings account.")
	must(t, v.Context.ClearCookies())
	v.OnDialog(func(d playwright.Dialog) { must(t, d.Accept()) }) // the other text
	click(t, v.page("#notes summary"))
	fill(t, v.page("#note"), "She called about the rent.")
	click(t, v.page(button(en("review.notes.submit"))))
	see(t, v.page(text(en("ui.sign_in.session_ended"))))
	s.signInToReview(t, v, s.Credentials.Reviewer.Password)
	at(t, v, own)
	holding := func(selector, want string) {
		t.Helper()
		until(t, fmt.Sprintf("%s to hold %q", selector, want), func() bool {
			got, err := v.page(selector).InputValue()
			return err == nil && got == want
		})
	}
	holding("#note", "She called about the rent.")
	holding("#text", "Please connect your savings account.")
	if on, err := v.page("[name=decision][value=moreAsked]").IsChecked(); err != nil || !on {
		t.Errorf("the decision is not chosen any more: %v", err)
	}
	click(t, v.page(button(en("review.notes.submit"))))
	see(t, v.page(text(en("review.notes.done"))))
	holding("#note", "")
	holding("#text", "Please connect your savings account.")

	// Another reviewer signs in in this tab.
	_, err := v.Evaluate(`() => { document.body.dataset.reviewer = "another"; }`)
	must(t, err)
	_, err = v.Evaluate(`() => { for (const key of Object.keys(sessionStorage)) {
		const draft = JSON.parse(sessionStorage.getItem(key)); draft.reviewer = "another";
			sessionStorage.setItem(key, JSON.stringify(draft)) } }`)
	must(t, err)
	v.open(t, own)
	holding("#text", "")
	left, err := v.Evaluate(`() => Object.keys(sessionStorage).length`)
	must(t, err)
	if number(left) != 0 {
		t.Errorf("%v drafts of another person are left", left)
	}
}

// TestStatusPageWaitsForAClick moves an application while a control of its page is
// pressed, and while one has the keyboard's focus.
func TestStatusPageWaitsForAClick(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	a, token := s.hand(t, v)
	v.open(t, s.statusURL(a))
	state(t, v, "connecting")
	link := v.page("#status .actions a").First()
	box, err := link.BoundingBox()
	must(t, err)
	must(t, v.Mouse().Move(box.X+box.Width/2, box.Y+box.Height/2))
	must(t, v.Mouse().Down())
	s.complete(t, token, "default", "")
	must(t, v.page("#live:not(:empty)").WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateAttached}))
	state(t, v, "connecting")
	must(t, v.Mouse().Move(5, 5))
	must(t, v.Mouse().Up())
	state(t, v, "ready")

	other := visit(t)
	b, token := s.hand(t, other)
	other.open(t, s.statusURL(b))
	must(t, other.page("#status .actions a").First().Focus())
	must(t, other.Keyboard().Press("Shift"))
	s.complete(t, token, "default", "")
	must(t, other.page("#live:not(:empty)").WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateAttached}))
	state(t, other, "connecting")
	_, err = other.Evaluate(`() => document.activeElement.blur()`)
	must(t, err)
	state(t, other, "ready")
}
