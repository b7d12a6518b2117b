package e2e

import (
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/i18n"
	"vestibule/internal/testutil/tools"
)

// hand begins a redirect by form as v's browser, and returns the redirect's token.
func (s *site) hand(t *testing.T, v *visitor) (opened, string) {
	t.Helper()
	a := s.begin(t, "redirect-form")
	return a, leave(t, v, a.ConnectURL)
}

// TestStatusPageMoves follows an application on its status page: with script by the event
// stream, also after a network failure, and without script by reloads.
func TestStatusPageMoves(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	s.fault(t, "GET /connect/cashflow/v2/json", "status:503", -1) // no report until the fault is removed

	v := visit(t)
	a, token := s.hand(t, v)
	v.open(t, s.statusURL(a))
	state(t, v, "connecting")
	title(t, v, en("status.connecting.title"))
	_, err := v.Evaluate(`() => { window.stayed = true; document.getElementById("status-title").focus() }`)
	must(t, err)
	s.complete(t, token, "default", "")
	state(t, v, "pending")
	title(t, v, en("status.pending.title"))
	see(t, v.page("role=progressbar"))
	checkAccessibility(t, v, "status, pending") // something would move
	// The stream announces the report, but the page fails at first.
	v.expect("ERR_FAILED")
	must(t, v.Route(s.statusURL(a), func(r playwright.Route) { r.Abort() }, 1))

	lost := visit(t)
	b, token := s.hand(t, lost)
	s.complete(t, token, "default", "")
	lost.open(t, s.statusURL(b))
	state(t, lost, "pending")
	_, err = lost.Evaluate(`() => { window.stayed = true }`)
	must(t, err)
	lost.expect("ERR_INTERNET_DISCONNECTED")
	must(t, lost.Context.SetOffline(true))

	plain := visit(t, noScript, phone, dark)
	c := s.reach(t, plain, "default", "")
	plain.open(t, c.back)
	state(t, plain, "pending")
	see(t, plain.page(text(en("status.refreshing"))))

	s.control(t, "DELETE", "/faults", nil)
	for _, id := range []string{a.ID, b.ID, c.ID} {
		s.await(t, id, "ready")
	}
	must(t, lost.Context.SetOffline(false))
	for _, x := range []*visitor{v, lost, plain} {
		state(t, x, "ready")
		title(t, x, en("status.ready.title"))
		if n, err := x.page("#status[data-stream]").Count(); err != nil || n != 0 {
			t.Error("a page that has come to its end still follows a stream")
		}
	}
	for _, x := range []*visitor{v, lost} {
		if stayed, err := x.Evaluate(`() => window.stayed === true`); err != nil || stayed != true {
			t.Error("the page was loaded again")
		}
	}
	focused, err := v.Evaluate(`() => document.activeElement.id`)
	must(t, err)
	if focused != "status-title" {
		t.Errorf("the focus is on %q", focused)
	}
	if said := read(t, v.page("#live")); said != en("status.ready.title") {
		t.Errorf("screen readers announce %q", said)
	}
	v.axe(t)
	if n := s.fetches(); n != 3 {
		t.Errorf("%d reports were fetched for three applications", n)
	}
}

// TestStatusPageEnds checks every end in English and in Spanish.
func TestStatusPageEnds(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	looked := map[string]bool{}
	for _, c := range []struct {
		username, end string
		state         string
		text          i18n.Key
		retry         bool
	}{
		{"default", "", "ready", "journey.ready", false},
		{"no_transactions", "", "ready", "journey.ready_without_activity", false},
		{"", "exit", "exited", "journey.exited", true},
		{"supplier_unresponsive", "", "failed", "journey.report.supplier_unresponsive", true},
		{"error", "", "failed", "journey.report.error", true},
		{"debt_only", "", "failed", "journey.report.incompatible_accounts", true},
		{"mfa", "", "failed", "journey.report.code_missing", true},
	} {
		a, token := s.hand(t, v)
		r := s.complete(t, token, c.username, c.end)
		if c.state != "failed" { // the webhook reports more of a failure than the return
			page(t, v, r.back)
		}
		s.await(t, a.ID, c.state)
		v.open(t, s.statusURL(a))
		state(t, v, c.state)
		see(t, v.page("p.intro >> text="+en(c.text)))
		again, err := v.page("form[action$='/restart'] button").Count()
		must(t, err)
		if (again > 0) != c.retry {
			t.Errorf("%s%s: %d buttons to start again", c.username, c.end, again)
		}
		if !looked[c.state] {
			v.axe(t)
		}
		looked[c.state] = true
		if text := page(t, v, s.statusURL(a)+"?lang=es"); !strings.Contains(text, es(c.text)) || !strings.Contains(text, `<html lang="es"`) {
			t.Errorf("%s%s: in Spanish the page does not say %q", c.username, c.end, es(c.text))
		}
		page(t, v, s.Portal+"/?lang=en")
	}
}

// TestStatusPageExpires leaves a visit for three days: the page updates itself, and the
// applicant can start again.
func TestStatusPageExpires(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	v := visit(t, spanish, dark)
	a, _ := s.hand(t, v)
	v.open(t, s.statusURL(a))
	state(t, v, "connecting")
	title(t, v, es("status.connecting.title"))
	s.control(t, "POST", "/clock", map[string]any{"advance": "73h"})
	state(t, v, "expired")
	title(t, v, es("status.expired.title"))
	v.axe(t)
	click(t, v.page(button(es("connect.secure_page"))))
	step(t, v.page, "consent")
}
