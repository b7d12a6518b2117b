package e2e

import (
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// back presses the browser's Back.
func back(t *testing.T, v *visitor) {
	t.Helper()
	_, err := v.Evaluate(`() => void setTimeout(() => history.back())`)
	must(t, err)
}

// located waits until the hosted page's script knows the page's place in the history.
// Before, Back shows the current step again.
func located(t *testing.T, v *visitor) {
	t.Helper()
	untilTrue(t, v, `!!history.state?.visit`)
}

// forward presses the browser's Forward and waits until the host's page at url has run its
// script. Playwright's GoForward can miss a page that the browser exchanges.
func forward(t *testing.T, v *visitor, url string) {
	t.Helper()
	untilTrue(t, v, `document.readyState === "complete"`)
	_, err := v.Evaluate(`() => void setTimeout(() => history.forward())`)
	must(t, err)
	until(t, "the page at "+url+" has run its script", func() bool {
		there, err := v.Evaluate(`(url) => location.href === url && typeof begin === "function"`, url)
		return err == nil && there == true
	})
}

// again loads the host's page again and begins the widget with the same options.
func again(t *testing.T, v *visitor, options map[string]any) {
	t.Helper()
	_, err := v.Reload()
	must(t, err)
	begin(t, v, options, "again")
}

var noWayBack = text(en("visit.no_way_back"))

// TestReloadAndBackInTheWidget: a page that is loaded again shows the step where the
// applicant was, Back goes a step back, and from the first step it leaves.
func TestReloadAndBackInTheWidget(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	v.expect("422")
	options := h.options(map[string]any{"token": s.token(t, nil)})
	v.open(t, s.Portal+"/")
	v.open(t, h.URL+"/")
	begin(t, v, options, "first")
	step(t, v.widget, "consent")
	for _, name := range []string{"bank", "sign-in", "code"} {
		reachFrom(t, v.widget, before(name), name)
	}
	for _, name := range []string{"sign-in", "bank", "consent"} {
		back(t, v)
		step(t, v.widget, name)
	}
	back(t, v)
	until(t, "Back leaves the first step", func() bool { return v.URL() == s.Portal+"/" })
	forward(t, v, h.URL+"/")
	begin(t, v, options, "again")
	step(t, v.widget, "consent")

	for _, name := range []string{"bank", "sign-in", "code", "accounts"} {
		reachFrom(t, v.widget, before(name), name)
	}
	back(t, v)
	see(t, v.widget(noWayBack))
	step(t, v.widget, "accounts")
	again(t, v, options)
	step(t, v.widget, "accounts")
	other := visit(t)
	other.expect("400")
	other.expect("The initialization token is unknown")
	other.open(t, h.URL+"/")
	begin(t, other, options, "other")
	see(t, other.widget(`code:text-is("INVALID_TOKEN")`))
	tab := v.tab(t)
	tab.open(t, h.URL+"/")
	begin(t, tab, options, "tab")
	step(t, tab.widget, "accounts")

	reachFrom(t, v.widget, "accounts", "end")
	if got := called(t, v, 1); got[1] != "onSuccess" || got[3] != "SUCCESS" {
		t.Errorf("the widget called %q", got)
	}
	again(t, v, options)
	step(t, v.widget, "end")
	if got := called(t, v, 1); got[1] != "onSuccess" {
		t.Errorf("after the end, the reloaded page got the callbacks %q", got)
	}
}

// before is the step of a cashflow visit that precedes another.
func before(name string) string {
	return map[string]string{"bank": "consent", "sign-in": "bank", "code": "sign-in", "accounts": "code"}[name]
}

// TestReloadWithoutFrameStorage: where the browser blocks the storage of a
// frame, the page around it keeps what a reload needs.
func TestReloadWithoutFrameStorage(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	must(t, v.Context.AddInitScript(
		playwright.Script{Content: playwright.String(`if (window !== top) for (const name of ["sessionStorage", "localStorage"])
		Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError"); } });`)}))
	options := h.options(map[string]any{"token": s.token(t, nil)})
	v.open(t, h.URL+"/")
	begin(t, v, options, "first")
	step(t, v.widget, "consent")
	reach(t, v.widget, "sign-in")
	again(t, v, options)
	step(t, v.widget, "sign-in")
	back(t, v)
	step(t, v.widget, "bank")
}

// TestReloadAndBackOnThePortal: the portal's page with the widget gives the browser
// the same visit again.
func TestReloadAndBackOnThePortal(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	a := s.begin(t, "embedded")
	v.follow(t, a.ConnectURL)
	step(t, v.widget, "consent")
	reach(t, v.widget, "code")
	_, err := v.Reload()
	must(t, err)
	step(t, v.widget, "code")
	back(t, v)
	step(t, v.widget, "sign-in")

	// The frame has lost its storage: the page gets another token without the test's help.
	_, err = v.FrameLocator("iframe").Locator("body").Evaluate(`() => localStorage.clear()`, nil)
	must(t, err)
	v.expect("400")
	v.expect("The initialization token is unknown")
	_, err = v.Reload()
	must(t, err)
	step(t, v.widget, "consent")
}

// typeEarly enters a code before the page's own script runs, which then submits the code.
const typeEarly = `new MutationObserver(() => {
	const field = document.querySelector("[autocomplete=one-time-code]");
	if (field) field.value = "123456";
}).observe(document, { childList: true, subtree: true })`

// TestBackOnTheHostedPage goes a step back, too.
func TestBackOnTheHostedPage(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	v.expect("422")
	v.open(t, s.Portal+"/")
	redirectURL, _ := s.secureRedirect(t, nil)
	v.open(t, redirectURL)
	step(t, v.page, "consent")
	for _, name := range []string{"bank", "sign-in", "code"} {
		reachFrom(t, v.page, before(name), name)
		located(t, v)
	}
	_, err := v.Reload()
	must(t, err)
	step(t, v.page, "code")
	for _, name := range []string{"sign-in", "bank"} {
		back(t, v)
		step(t, v.page, name)
	}
	reachFrom(t, v.page, "bank", "sign-in")
	located(t, v)
	must(t, v.AddInitScript(playwright.Script{Content: playwright.String(typeEarly)}))
	reachFrom(t, v.page, "sign-in", "accounts")
	located(t, v)
	back(t, v)
	see(t, v.page(noWayBack))
	step(t, v.page, "accounts")
	for v.URL() != s.Portal+"/" {
		if !strings.HasPrefix(v.URL(), s.Provider+"/visit/") {
			t.Fatalf("Back leads to %s", v.URL())
		}
		at := number(mustEval(t, v, `history.state?.visit?.n ?? -1`))
		back(t, v)
		until(t, "Back goes on", func() bool {
			return v.URL() == s.Portal+"/" || at > 0 && number(mustEval(t, v, `history.state?.visit?.n ?? -1`)) == at-1
		})
	}

	// Another browser with the same link is shown nothing of the visit.
	other := visit(t)
	other.expect("403")
	other.open(t, redirectURL)
	see(t, other.page(text(en("visit.other_browser.title"))))
	other.axe(t)
	phone := visit(t, spanish)
	phone.expect("403")
	phone.open(t, redirectURL)
	see(t, phone.page(text(es("visit.other_browser.title"))))
}

// TestRegisteredSites: the dashboard registers a site, and browsers show the widget in
// its pages alone.
func TestRegisteredSites(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	h, other := newHost(t, s), newHost(t, s)
	staff := visit(t)
	staff.expect("422")
	s.signInStaff(t, staff)
	staff.open(t, s.Provider+"/dashboard/redirects")
	see(t, staff.page("[name=origin]"))
	for _, origin := range []string{"https://*.example.com", h.URL + "/"} {
		fill(t, staff.page("[name=origin]"), origin)
		click(t, staff.page(button(en("dashboard.redirects.register_site"))))
		see(t, staff.page(map[bool]string{true: text(en("dashboard.flash.origin_added")),
			false: "text=" + en("dashboard.origin.invalid")}[origin == h.URL+"/"]))
	}
	staff.axe(t)
	embed(t, s, h)
	v := visit(t)
	refused := make(chan bool, 100)
	v.expect("frame-ancestors")
	v.Context.OnConsole(func(m playwright.ConsoleMessage) {
		if strings.Contains(m.Text(), "frame-ancestors") {
			refused <- true
		}
	})
	v.open(t, other.URL+"/")
	begin(t, v, other.options(map[string]any{"token": s.token(t, nil)}), "first")
	until(t, "the browser refuses the frame", func() bool { return len(refused) > 0 })
}

func mustEval(t *testing.T, v *visitor, script string) any {
	t.Helper()
	got, err := v.Evaluate(script)
	if err != nil { // the page is being left
		return -1
	}
	return got
}
