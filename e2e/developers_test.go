package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// TestPlayground chooses options on the playground, copies its code, runs it, and
// follows the timeline to the report.
func TestPlayground(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	must(t, v.Context.GrantPermissions([]string{"clipboard-read", "clipboard-write"}))
	v.open(t, s.Portal+"/")
	click(t, v.page(`a[href="/developers"]`))
	if run, err := v.page(button(en("developers.run"))).BoundingBox(); err != nil || run.Y+run.Height > 720 {
		t.Errorf("the button that runs the choices is at %+v (%v), below the first screen of 720 px", run, err)
	}
	must(t, v.page("[name=integration][value=register-token]").Check())
	choose := func(id string) { // the tab of a listing, which shows its code alone
		t.Helper()
		click(t, v.page(`.code-tabs a[href="#listing-`+id+`"]`))
		see(t, v.page("#listing-"+id+".tab-shown #code-"+id))
	}
	choose("js")
	see(t, v.page("#code-js:has-text('.register(')"))
	if shown, err := v.page("#code-html").IsVisible(); err != nil || shown {
		t.Errorf("the code of a tab that was not chosen is shown: %v, %v", shown, err)
	}
	// The chosen tab stays chosen when another option changes.
	must(t, v.page("[name=integration][value=inline]").Check())
	must(t, v.page("#code-html:has-text('<vestibule-apply')").WaitFor(playwright.LocatorWaitForOptions{
		State: playwright.WaitForSelectorStateAttached}))
	see(t, v.page(`.code-tabs a[href="#listing-js"][aria-current]`))
	see(t, v.page("#code-js"))
	choose("html")
	for _, id := range []string{"curl", "html"} {
		shown, err := v.page("#code-" + id).TextContent()
		must(t, err)
		click(t, v.page(".code:has(#code-"+id+") [data-copy]"))
		must(t, v.page(".toast").First().WaitFor())
		copied, err := v.Evaluate(`() => navigator.clipboard.readText()`)
		if err != nil || copied != shown || shown == "" {
			t.Errorf("copied %q (%v), shown %q", copied, err, shown)
		}
	}
	click(t, v.page(button(en("developers.run"))))
	walk(t, func(selector string) playwright.Locator {
		return v.FrameLocator("vestibule-apply iframe").FrameLocator("iframe").Locator(selector)
	}, "default")
	must(t, v.page(`#trace[data-state="ready"] a[href^="/review/applications/"]`).WaitFor())
	for _, what := range []string{"POST /connect/initialization", "onSuccess", "success SUCCESS", "POST /webhooks/visit", "complete ready"} {
		click(t, v.page("li:has(.trace-what:text-is('"+what+"')) summary"))
	}
	v.axe(t)
}
