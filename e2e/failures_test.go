package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// handleOf is the handle of the visit that a browser is at.
func handleOf(v *visitor) string {
	handle, _, _ := strings.Cut(v.URL()[strings.LastIndex(v.URL(), "/")+1:], "?")
	return handle
}

// TestFailures covers failures without a separate test: each has a message and a
// next step, and keeps the entered data. Other tests cover a blocked script, a refused
// module, an unavailable or slow service, and a lost network in the widget or on the
// status page: TestBlockedScript, TestWithoutModule, TestProviderAway, TestSlowFrame,
// TestSlowAnswer, TestOffline and TestStatusPageMoves.
func TestFailures(t *testing.T) {
	t.Parallel()
	s := alone(t)
	t.Run("our key is refused", func(t *testing.T) { keyIsRefused(t, s) })
	t.Run("the machine has no network, and the portal runs on it", func(t *testing.T) {
		tools.FullOnly(t)
		v := visit(t)
		must(t, v.AddInitScript(playwright.Script{Content: playwright.String(
			`Object.defineProperty(navigator, "onLine", { get: () => false })`)}))
		s.apply(t, v, "embedded", "")
		step(t, v.widget, "consent")
	})
	t.Run("the network is gone with the form filled in", func(t *testing.T) { networkIsGone(t, s) })
	t.Run("the session is gone", func(t *testing.T) { sessionIsGone(t, s) })
	t.Run("two devices", func(t *testing.T) { walkOnTwoDevices(t, s) })
}

func keyIsRefused(t *testing.T, s *site) {
	tools.FullOnly(t)
	v := visit(t)
	v.expect("Failed to load resource")
	s.fault(t, "POST /connect/initialization", "status:403", -1)
	s.arrive(t, v, "embedded")
	title(t, v, en("connect.service_refused.title"))
	see(t, v.page("text="+en("widget.error.setup")))
	s.control(t, http.MethodDelete, "/faults", nil)
	click(t, v.page(link(en("status.back"))))
	click(t, v.page(link(en("status.continue"))))
	step(t, v.widget, "consent")
}

func networkIsGone(t *testing.T, s *site) {
	tools.FullOnly(t)
	v := visit(t)
	v.expect("ERR_INTERNET_DISCONNECTED")
	v.open(t, s.Portal+"/apply/cashflow")
	touchForm(t, v)
	fillForm(t, v, applicant)
	must(t, v.Context.SetOffline(true))
	click(t, v.page(button(en("apply.continue"))))
	see(t, v.page("role=alert >> text="+en("offline.title")))
	v.axe(t)
	must(t, v.Context.SetOffline(false))
	must(t, v.page("#offline").WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateHidden}))
	click(t, v.page(button(en("apply.continue"))))
	step(t, v.widget, "consent")
}

func sessionIsGone(t *testing.T, s *site) {
	v := visit(t, spanish)
	v.expect("404")
	v.open(t, s.Portal+"/apply/cashflow")
	fillForm(t, v, applicant)
	must(t, v.page("input[name=mode][value=redirect]").Check())
	click(t, v.page("main form button[type=submit]"))
	step(t, v.page, "consent")
	v.open(t, s.Portal+"/")
	click(t, v.page("role=link[name=Continuar]"))
	state(t, v, "connecting")
	application := v.URL()
	must(t, v.Context.ClearCookies())
	v.open(t, application)
	title(t, v, es("notice.no_cookie.title"))
	click(t, v.page("text="+es("resume.find.offer")))
	fill(t, v.page("#email"), applicant["email"])
	click(t, v.page("main form button"))
	title(t, v, es("resume.sent.title"))
	v.open(t, s.emailedLink(t))
	title(t, v, es("resume.arrive.title"))
	v.fits(t)
	click(t, v.page("main form button"))
	at(t, v, application)
}

func walkOnTwoDevices(t *testing.T, s *site) {
	tools.FullOnly(t)
	computer, pocket := visit(t), visit(t, phone, dark)
	s.arrive(t, computer, "embedded")
	step(t, computer.widget, "consent")
	click(t, computer.page(button(en("device.title"))))
	see(t, computer.page(`role=img[name="`+en("device.qr_code")+`"]`))
	computer.axe(t)
	link, err := computer.page("#link").InputValue()
	must(t, err)
	pocket.open(t, link)
	pocket.axe(t)
	click(t, pocket.page(button(en("resume.arrive.continue"))))
	state(t, pocket, "connecting")
	state(t, computer, "connecting") // without a click
	if computer.URL() != pocket.URL() {
		t.Errorf("the computer is at %s, the phone at %s", computer.URL(), pocket.URL())
	}
	click(t, pocket.page(button(en("connect.secure_page"))))
	step(t, pocket.page, "consent")
	s.complete(t, handleOf(pocket), "default", "")
	state(t, computer, "ready")
	pocket.open(t, computer.URL())
	state(t, pocket, "ready")
}
