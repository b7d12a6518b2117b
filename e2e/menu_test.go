package e2e

import (
	"testing"

	"vestibule/internal/testutil/tools"
)

// TestRowMenuCloses opens a user's actions on the review dashboard, and closes them by a key, by
// a press outside and by leaving them. Without script they open and close by their button.
func TestRowMenuCloses(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	open := func(v *visitor) {
		t.Helper()
		v.open(t, s.Portal+"/review")
		s.signInToReview(t, v, s.Credentials.Reviewer.Password)
		at(t, v, s.Portal+"/review")
		v.open(t, s.Portal+"/review/people")
	}
	plain := visit(t, noScript)
	open(plain)
	plain.send(t, s.Portal+"/review/people", "email", "colleague@example.org", "role", "auditor")
	plain.open(t, s.Portal+"/review/people")
	role := ".row-menu select"
	click(t, plain.page(".row-menu > summary"))
	see(t, plain.page(role))
	click(t, plain.page(".row-menu > summary"))
	unseen(t, plain, role)

	v := visit(t)
	open(v)
	for name, leave := range map[string]func(){
		"Escape":          func() { must(t, v.Keyboard().Press("Escape")) },
		"a press outside": func() { click(t, v.page("h1")) },
		"the focus leaves": func() {
			must(t, v.page(".row-menu button").Last().Focus())
			must(t, v.Keyboard().Press("Tab"))
		},
	} {
		click(t, v.page(".row-menu > summary"))
		see(t, v.page(role))
		v.axe(t)
		leave()
		unseen(t, v, role)
		if name == "Escape" {
			see(t, v.page(".row-menu > summary:focus"))
		}
	}
}

// TestLivePartKeepsTheFocus lets the page of users renew its list while the focus is on the
// button of a row's menu: it stays on the button of the same row.
func TestLivePartKeepsTheFocus(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	s.signIn(t, v)
	const summary = `tr:has-text("colleague@example.org") .row-menu > summary`
	v.send(t, s.Portal+"/review/people", "email", "colleague@example.org", "role", "auditor")
	v.open(t, s.Portal+"/review/people")
	must(t, v.page(summary).Focus())
	_, err := v.Evaluate(`() => { document.querySelector("#live-part").firstElementChild.dataset.old = "" }`)
	must(t, err)
	// The first answer may have come before the mark: only a list that has changed surely replaces it.
	v.send(t, s.Portal+"/review/people", "email", "other@example.org", "role", "auditor")
	until(t, "the list is renewed", func() bool {
		n, err := v.page("[data-old]").Count()
		return err == nil && n == 0
	})
	see(t, v.page(summary+":focus"))
}

func unseen(t *testing.T, v *visitor, selector string) {
	t.Helper()
	until(t, selector+" is hidden", func() bool { seen, err := v.page(selector).IsVisible(); return err == nil && !seen })
}
