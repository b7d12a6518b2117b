package e2e

import (
	"strings"
	"testing"
)

// TestFieldsAreCheckedAsTheyAreTyped: the module says what is wrong with a field
// in the server's words, not before the applicant could have known, and takes it
// back when it is mended; a form with problems stays, with its summary in focus,
// and then goes the way it would have gone.
func TestFieldsAreCheckedAsTheyAreTyped(t *testing.T) {
	t.Parallel()
	s := start(t)
	v := visit(t)
	v.open(t, s.Portal+"/apply/cashflow")
	see(t, v.Locator(`form[data-live="on"]`))
	says := func(when, key, want string) {
		t.Helper()
		got, err := v.Locator("#" + key + "-error").TextContent()
		must(t, err)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s, %s says %q, want %q", when, key, got, want)
		}
		invalid, err := v.Locator(`[data-field="` + key + `"] [aria-invalid="true"]`).Count()
		must(t, err)
		if (invalid > 0) != (want != "") {
			t.Errorf("%s, %d controls of %s are marked invalid", when, invalid, key)
		}
	}
	press := func(keys ...string) {
		t.Helper()
		for _, k := range keys {
			must(t, v.Keyboard().Press(k))
		}
	}
	fill := func(id, value string) {
		t.Helper()
		must(t, v.Locator("#"+id).Fill(value))
	}
	must(t, v.Locator("#firstName").Focus())
	must(t, v.Keyboard().Type("An"))
	says("while typing on could be right", "firstName", "")
	press("4")
	says("after a digit", "firstName", "only letters")
	press("Backspace")
	says("when the digit is gone", "firstName", "")
	press("Tab", "Tab")
	says("when left empty for the next field", "lastName", "Enter your last name")
	must(t, v.Keyboard().Type("ana@exam"))
	says("half an address", "email", "")
	press("Shift+Tab")
	says("half an address, left", "email", "such as name@example.com")
	fill("email", "ana@example.com")
	says("a whole address", "email", "")
	fill("zip", "9410")
	says("half a ZIP code", "zip", "")
	fill("zip", "9410x")
	says("a letter in it", "zip", "94105-1234")
	fill("zip", "")
	says("nothing in it", "zip", "")

	click(t, v.Locator(`button[type="submit"]:has-text("Continue")`))
	see(t, v.Locator("#summary"))
	focus, err := v.Evaluate(`() => document.activeElement.id + " " + [...document.querySelectorAll("#summary a")].map(a => a.hash).join(" ")`)
	must(t, err)
	if focus != "summary #lastName #dob-month" {
		t.Errorf("after a refused submit, focus and summary are %q", focus)
	}
	v.axe(t)
	says("after a refused submit", "dob", "or your full address")
	fill("lastName", "Pérez")
	fill("dob-month", "6")
	fill("dob-day", "31")
	fill("dob-year", "1990")
	says("a day that is none", "dob", "that exists")
	fill("dob-day", "15")
	says("a day", "dob", "")
	says("a name with a mark", "lastName", "")
	click(t, v.Locator(`button[type="submit"]:has-text("Continue")`))
	must(t, v.WaitForURL("**/applications/*/connect"))
}

// TestFieldsInSpanish: the words follow the page's language.
func TestFieldsInSpanish(t *testing.T) {
	t.Parallel()
	s := start(t)
	v := visit(t, spanish)
	v.open(t, s.Portal+"/apply/cashflow")
	see(t, v.Locator(`form[data-live="on"]`))
	must(t, v.Locator("#zip").Fill("x"))
	see(t, v.Locator(`#zip-error:has-text("Escriba un código postal")`))
}
