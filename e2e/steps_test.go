package e2e

import (
	"fmt"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/i18ntest"
)

// place finds elements on a page or in a frame by a selector such as
// `role=button[name="Sign in"]` or a CSS one.
type place func(selector string) playwright.Locator

// en and es give the texts of pages by key.
var en, es = i18ntest.EN, i18ntest.ES

// button, link and text are selectors of what has exactly this name or text.
func button(name string) string { return fmt.Sprintf("role=button[name=%q]", name) }
func link(name string) string   { return fmt.Sprintf("role=link[name=%q]", name) }
func text(words string) string  { return fmt.Sprintf("text=%q", words) }

// page is the visitor's page, widget the provider's frame in it.
func (v *visitor) page(selector string) playwright.Locator { return v.Page.Locator(selector) }

func (v *visitor) widget(selector string) playwright.Locator {
	return v.Page.FrameLocator("iframe").Locator(selector)
}

// applicant is the consumer of most tests. The sandbox bank's household `default` is
// another person, so the identities must not match.
var applicant = map[string]string{
	"firstName": "Zoë", "lastName": "O’Hara-Núñez", "email": "zoe@example.org",
	"dob-month": "2", "dob-day": "29", "dob-year": "1992",
}

// apply fills in the form of the product and sends it off in the given mode
// (embedded, redirect, redirect-form). The query is that of /apply/cashflow.
func (s *site) apply(t *testing.T, v *visitor, mode, query string) {
	t.Helper()
	v.open(t, s.Portal+"/apply/cashflow"+query)
	fillForm(t, v, applicant)
	must(t, v.page(fmt.Sprintf("input[name=mode][value=%s]", mode)).Check())
	click(t, v.page(button(en("apply.continue"))))
}

// fillForm fills in the fields by their names. It asks once which of them are lists, and
// which are folded away.
func fillForm(t *testing.T, v *visitor, fields map[string]string) {
	t.Helper()
	kinds, err := v.Evaluate(`() => Object.fromEntries([["list", "select[name]"], ["folded", "details.form-more:not([open]) [name]"]]
		.flatMap(([kind, which]) => [...document.querySelectorAll(which)].map((e) => [kind + " " + e.name, true])))`)
	must(t, err)
	is := kinds.(map[string]any)
	for name, value := range fields {
		field := v.page(fmt.Sprintf("[name=%q]", name))
		if is["folded "+name] == true {
			unfold(t, v, name)
		}
		if is["list "+name] != true {
			fill(t, field, value)
			continue
		}
		_, err := field.SelectOption(playwright.SelectOptionValues{Values: playwright.StringSlice(value)})
		must(t, err)
	}
}

// unfold opens the optional questions that have a field, as people do before they answer.
func unfold(t *testing.T, v *visitor, name string) {
	t.Helper()
	summary := v.page(fmt.Sprintf("details.form-more:not([open]):has([name=%q]) > summary", name))
	if n, err := summary.Count(); err == nil && n > 0 {
		click(t, summary)
	}
}

// step waits until the visit shows the step of that name.
func step(t *testing.T, at place, name string) {
	t.Helper()
	see(t, at(fmt.Sprintf("[data-testid=step-%s]", name)))
}

// walk takes a visit from consent to its end as the given user of the mock bank.
// Users whose bank fails them end before the choice of accounts.
func walk(t *testing.T, at place, username string) {
	t.Helper()
	signIn(t, at, username)
	step(t, at, "code")
	enterCode(t, at, "123456")
	step(t, at, "accounts")
	click(t, at(button(en("visit.accounts.submit"))))
}

// walkAndReturn takes a visit on the provider's pages to its end, and leaves its receipt.
func walkAndReturn(t *testing.T, v *visitor, username string) {
	t.Helper()
	walk(t, v.page, username)
	leaveReceipt(t, v)
}

// leaveReceipt returns to the company from the end of a visit on the provider's pages.
func leaveReceipt(t *testing.T, v *visitor) {
	t.Helper()
	step(t, v.page, "end")
	click(t, v.page("a[data-return]"))
}

// enterCode types a one-time code. With script, the page submits it by itself when it is complete.
func enterCode(t *testing.T, at place, code string) {
	t.Helper()
	plain, err := at("html").Evaluate(`() => matchMedia("(scripting: none)").matches`, nil)
	must(t, err)
	fill(t, at("[name=code]"), code)
	if len(code) != 6 || plain == true {
		click(t, at(button(en("visit.code.submit"))))
	}
}

// signIn goes through consent, the choice of a bank and its sign-in.
func signIn(t *testing.T, at place, username string) {
	t.Helper()
	step(t, at, "consent")
	click(t, at(button(en("visit.consent.submit"))))
	step(t, at, "bank")
	click(t, at("button[name=bank]").First())
	step(t, at, "sign-in")
	fill(t, at("[name=username]"), username)
	fill(t, at("[name=password]"), "correct horse")
	click(t, at(button(en("visit.sign_in.submit"))))
}

// giveUp leaves a visit at the step that says that its source could not be connected.
func giveUp(t *testing.T, at place) {
	t.Helper()
	step(t, at, "failed")
	click(t, at(link(en("visit.failed.stop"))))
	must(t, at(`#leave[open] [data-testid=confirm-close], [data-testid=step-leave] button[value=close]`).Press("Enter"))
}

// state waits until the status page shows the state.
func state(t *testing.T, v *visitor, want string) {
	t.Helper()
	see(t, v.page(fmt.Sprintf("#status[data-state=%q]", want)))
}
