package visits_test

import (
	"html"
	"strings"
	"testing"

	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
)

// TestKeepsWhatWasTyped checks that a refused form comes back with what was typed, but for
// the password, and that the username of a wrong password is stored nowhere.
func TestKeepsWhatWasTyped(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		a := newcomer(t, r, named("Ada", "Lovelace"))
		a.toSignIn(t)
		for name, c := range map[string]struct {
			form []string
			says string
		}{
			"no password":      {[]string{"username", "Ada.L "}, i18ntest.EN("visit.sign_in.no_password")},
			"the wrong one":    {[]string{"username", "Ada.L ", "password", "wrong"}, i18ntest.EN("visit.sign_in.wrong.other", "n", "2")},
			"a username alone": {[]string{"username", " ", "password", "x"}, i18ntest.EN("visit.sign_in.no_username")},
		} {
			answer := a.post(t, append([]string{"action", "sign-in"}, c.form...)...)
			text := html.UnescapeString(answer.Body)
			if answer.Status != 422 || !strings.Contains(text, c.says) {
				t.Errorf("%s: %d, without %q", name, answer.Status, c.says)
			}
			if strings.Contains(text, `value="Ada.L "`) == (name == "a username alone") || strings.Contains(text, `value="wrong"`) {
				t.Errorf("%s: the fields come back as %s", name, text)
			}
		}
		if n := r.Count(`SELECT COUNT(*) FROM visits WHERE username <> ''`); n != 0 {
			t.Error("the username was stored")
		}
		if strings.Contains(a.get(t).Body, "Ada.L") {
			t.Error("the page shows the username after a reload")
		}
	})
}

// TestTriesAgain checks that a source that did not answer can be tried again from the step
// that says so, and that the counts of wrong passwords stay.
func TestTriesAgain(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		a := newcomer(t, r, named("Ada", "Lovelace"))
		a.toSignIn(t)
		a.post(t, "action", "again")
		if step := a.step(t); step != "sign-in" {
			t.Fatalf("trying again before a failure leads to %s", step)
		}
		for range 3 {
			a.post(t, "action", "sign-in", "username", "default", "password", "wrong")
		}
		page := a.get(t).Body
		if step := a.step(t); step != "failed" || !strings.Contains(page, `value="again"`) {
			t.Fatalf("after three wrong passwords: %s %s", step, page)
		}
		a.post(t, "action", "again")
		if step := a.step(t); step != "sign-in" {
			t.Errorf("trying again leads to %s", step)
		}
	})
}
