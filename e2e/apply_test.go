package e2e

import "testing"

// TestEmbedded walks the recommended way: the form, the widget in the page by a
// single-use token, the status page that moves by itself.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	s := start(t)
	v := visit(t)
	v.open(t, s.Portal+"/")
	click(t, v.page(`a[href="/apply/cashflow"]`))
	fillForm(t, v, applicant)
	click(t, v.page(`role=button[name="Continue"]`))
	walk(t, v.widget, "default")
	state(t, v, "ready")
}

// TestRedirectWithoutScript walks the whole way with JavaScript turned off: the
// provider's own pages, another site, and back with a signed outcome.
func TestRedirectWithoutScript(t *testing.T) {
	t.Parallel()
	s := start(t)
	v := visit(t, noScript)
	s.apply(t, v, "redirect", "")
	walk(t, v.page, "default")
	state(t, v, "ready")
}
