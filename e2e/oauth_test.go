package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/i18n"
	"vestibule/internal/testutil/tools"
)

// openBank is a bank of the sandbox with its own sign-in pages.
const openBank = "Pebble Harbor National Bank"

// toOpenBank goes from consent to the step that leads to the bank.
func toOpenBank(t *testing.T, at place, hosted bool) {
	t.Helper()
	step(t, at, "consent")
	click(t, at(button(en("visit.consent.submit"))))
	step(t, at, "bank")
	fill(t, at("#q"), openBank)
	if hosted {
		click(t, at(button(en("visit.search"))))
	}
	click(t, foundBank(t, at))
	step(t, at, "authorize")
}

// foundBank returns the button of openBank once the list has only what the search found:
// until then, a press may meet a button that is being replaced.
func foundBank(t *testing.T, at place) playwright.Locator {
	t.Helper()
	must(t, at("button[name=bank] >> nth=1").WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateDetached}))
	return at("button[name=bank]:has-text(\"" + openBank + "\")")
}

// atOpenBank signs in on the bank's pages and shares every account.
func atOpenBank(t *testing.T, bank playwright.Page, username string) {
	t.Helper()
	fill(t, bank.Locator("[name=username]"), username)
	fill(t, bank.Locator("[name=password]"), "correct horse")
	must(t, bank.Locator("[name=password]").Press("Enter"))
	fill(t, bank.Locator("[name=code]"), "123456")
	must(t, bank.Locator("[name=code]").Press("Enter"))
	accounts := bank.Locator("input[type=checkbox]")
	see(t, accounts.First())
	all, err := accounts.All()
	must(t, err)
	for _, a := range all {
		must(t, a.Check())
	}
	click(t, bank.Locator(button(en("bank.accounts.submit"))))
	click(t, bank.Locator(button(en("bank.consent.submit"))))
}

// TestOpenBankBesideTheWidget checks that a bank with its own sign-in pages opens in a
// window beside the widget. The window closes without a click, and the widget continues.
func TestOpenBankBesideTheWidget(t *testing.T) {
	t.Parallel()
	s := start(t, "--sandbox-bank-addr=127.0.0.1:0")
	v := visit(t)
	s.arrive(t, v, "embedded")
	toOpenBank(t, v.widget, false)
	bank, err := v.Context.ExpectPage(func() error {
		return v.widget(button(en("visit.authorize.submit", "bank", openBank))).Click()
	})
	must(t, err)
	see(t, v.widget(text(en("visit.authorize.waiting", "bank", openBank))))
	closed := make(chan struct{})
	bank.OnClose(func(playwright.Page) { close(closed) })
	atOpenBank(t, bank, "default")
	step(t, v.widget, "connected")
	select {
	case <-closed:
	case <-time.After(patience):
		t.Error("the bank's window stays open")
	}
	click(t, v.widget(button(en("visit.employers.finish"))))
	state(t, v, "ready")
}

// TestOpenBankTwice checks that the bank can be opened again after the applicant closed
// its window or refused in it.
func TestOpenBankTwice(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t, "--sandbox-bank-addr=127.0.0.1:0")
	window := func(v *visitor, opener i18n.Key) playwright.Page {
		t.Helper()
		bank, err := v.Context.ExpectPage(func() error { return v.widget(button(en(opener, "bank", openBank))).Click() })
		must(t, err)
		return bank
	}
	for name, first := range map[string]func(t *testing.T, v *visitor, bank playwright.Page) (again i18n.Key){
		"closed": func(t *testing.T, v *visitor, bank playwright.Page) i18n.Key {
			must(t, bank.Close())
			see(t, v.widget(text(en("visit.authorize.waiting", "bank", openBank))))
			return "visit.authorize.again"
		},
		"refused": func(t *testing.T, v *visitor, bank playwright.Page) i18n.Key {
			click(t, bank.Locator(button(en("bank.cancel", "company", "Vestibule"))))
			step(t, v.widget, "failed")
			see(t, v.widget(text(en("visit.failed.denied"))))
			click(t, v.widget(button(en("visit.try_again"))))
			step(t, v.widget, "authorize")
			return "visit.authorize.submit"
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := visit(t)
			s.arrive(t, v, "embedded")
			toOpenBank(t, v.widget, false)
			again := first(t, v, window(v, "visit.authorize.submit"))
			atOpenBank(t, window(v, again), "default")
			step(t, v.widget, "connected")
		})
	}
}

// TestOpenBankOnAHostedPage checks that the bank opens in the same tab and leads back,
// also when the applicant refuses there.
func TestOpenBankOnAHostedPage(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t, "--sandbox-bank-addr=127.0.0.1:0")
	v := visit(t)
	s.arrive(t, v, "redirect")
	toOpenBank(t, v.page, true)
	click(t, v.page(button(en("visit.authorize.submit", "bank", openBank))))
	click(t, v.page(button(en("bank.cancel", "company", "Vestibule"))))
	step(t, v.page, "failed")
	see(t, v.page(text(en("visit.failed.denied"))))
	click(t, v.page(button(en("visit.banks.another"))))
	step(t, v.page, "bank")
	fill(t, v.page("#q"), openBank)
	click(t, v.page(button(en("visit.search"))))
	click(t, v.page("button[name=bank]:has-text(\""+openBank+"\")"))
	click(t, v.page(button(en("visit.authorize.submit", "bank", openBank))))
	atOpenBank(t, v.Page, "default")
	step(t, v.page, "connected")
	click(t, v.page(button(en("visit.employers.finish"))))
	leaveReceipt(t, v)
	state(t, v, "ready")
}

// TestOpenBankRequiresSecondFactor checks that a bank that wants a second factor again, when
// its data are fetched, ends the visit with the status for that, and the applicant reads
// what to do.
func TestOpenBankRequiresSecondFactor(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t, "--sandbox-bank-addr=127.0.0.1:0")
	v := visit(t)
	s.arrive(t, v, "redirect")
	toOpenBank(t, v.page, true)
	click(t, v.page(button(en("visit.authorize.submit", "bank", openBank))))
	atOpenBank(t, v.Page, "fdx_mfa")
	step(t, v.page, "connected")
	click(t, v.page(button(en("visit.employers.finish"))))
	state(t, v, "failed")
	see(t, v.page(text(en("journey.report.code_missing"))))
}

// TestOpenBankWithoutWindows checks that the bank opens in the tab of the embedding page,
// and leads back to it, if the browser opens no window.
func TestOpenBankWithoutWindows(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t, "--sandbox-bank-addr=127.0.0.1:0")
	v := visit(t)
	must(t, v.Context.AddInitScript(playwright.Script{Content: playwright.String(`
		const submit = HTMLFormElement.prototype.submit;
		HTMLFormElement.prototype.submit = function () { if (!this.target.startsWith("bank")) submit.call(this); };`)}))
	s.arrive(t, v, "embedded")
	toOpenBank(t, v.widget, false)
	click(t, v.widget(button(en("visit.authorize.submit", "bank", openBank))))
	see(t, v.widget(text(en("visit.authorize.blocked", "bank", openBank))))
	click(t, v.widget(button(en("visit.authorize.submit", "bank", openBank))))
	atOpenBank(t, v.Page, "default")
	step(t, v.widget, "connected")
	if !strings.HasPrefix(v.Page.URL(), s.Portal) {
		t.Errorf("back at %s", v.Page.URL())
	}
	click(t, v.widget(button(en("visit.employers.finish"))))
	state(t, v, "ready")
}

// TestOpenBankInSlowWindow checks that the widget continues when the bank's window asks for the bank
// only after the widget has offered its own tab, as on a slow device.
func TestOpenBankInSlowWindow(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t, "--sandbox-bank-addr=127.0.0.1:0")
	v := visit(t)
	s.arrive(t, v, "embedded")
	toOpenBank(t, v.widget, false)
	offered := make(chan struct{})
	must(t, v.Context.Route("**/authorize*", func(r playwright.Route) {
		go func() {
			<-offered
			r.Continue()
		}()
	}))
	bank, err := v.Context.ExpectPage(func() error {
		click(t, v.widget(button(en("visit.authorize.submit", "bank", openBank))))
		see(t, v.widget(text(en("visit.authorize.blocked", "bank", openBank))))
		close(offered)
		return nil
	})
	must(t, err)
	atOpenBank(t, bank, "default")
	step(t, v.widget, "connected")
}

// TestOpenBankInAWebview checks webviews of apps, which block cookies of third parties
// and have one window: some open nothing beside it, and some show there what is meant for
// a new window. The bank leads back to the portal's page, or to the page of another site
// that embeds the portal's.
func TestOpenBankInAWebview(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t, "--sandbox-bank-addr=127.0.0.1:0")
	h := newShop(t, s, "127.0.0.1")
	for name, target := range map[string]string{"opens nothing": "", "opens it in its only window": "_top"} {
		for _, embedded := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, embedded %v", name, embedded), func(t *testing.T) {
				t.Parallel()
				v := visit(t, phone, spanish)
				v.blockThirdPartyCookies(t)
				must(t, v.Context.AddInitScript(playwright.Script{Content: playwright.String(`
					window.open = () => null;
					const submit = HTMLFormElement.prototype.submit;
					HTMLFormElement.prototype.submit = function () {
						if (this.target.startsWith("bank")) this.target = "` + target + `" || "none";
						if (this.target !== "none") submit.call(this);
					};`)}))
				var asked []string
				v.Page.OnRequest(func(r playwright.Request) {
					if strings.HasSuffix(strings.SplitN(r.URL(), "?", 2)[0], "/authorize") && r.Method() == "POST" {
						body, _ := r.PostData()
						asked = append(asked, body)
					}
				})
				at, page := v.widget, s.Portal
				if embedded {
					path := "/webview" + strings.Repeat("-", len(target))
					_, token := h.token(t, nil)
					h.bodies.Store(path, element(`id="a" lang="es"`, token))
					at, page = v.bank("a"), h.URL+path+"?page=1#here"
					v.open(t, page)
				} else {
					s.arrive(t, v, "embedded")
				}
				step(t, at, "consent")
				onward(t, at, "consent")
				fill(t, at("#q"), openBank)
				must(t, foundBank(t, at).Press("Enter")) // by keyboard, as onward
				step(t, at, "authorize")
				must(t, at("form[data-authorize] button").Press("Enter"))
				if target == "" {
					see(t, at(text(es("visit.authorize.blocked", "bank", openBank))))
					must(t, at("form[data-authorize] button").Press("Enter"))
				}
				fill(t, v.page("[name=username]"), "default")
				fill(t, v.page("[name=password]"), "correct horse")
				must(t, v.page("[name=password]").Press("Enter"))
				fill(t, v.page("[name=code]"), "123456")
				must(t, v.page("[name=code]").Press("Enter"))
				must(t, v.page("input[type=checkbox]").First().Check())
				click(t, v.page(button(es("bank.accounts.submit"))))
				click(t, v.page(button(es("bank.consent.submit"))))
				if target != "" {
					see(t, v.page(text(es("visit.authorize.returned.window"))))
					v.fits(t)
					click(t, v.page(link(es("visit.authorize.returned.submit"))))
				}
				step(t, at, "connected")
				if !strings.HasPrefix(v.Page.URL(), page) {
					t.Errorf("back at %s", v.Page.URL())
				}
				if all := strings.Join(asked, "\n"); len(asked) == 0 || !strings.Contains(all, "return=http") || strings.Contains(all, "grant") {
					t.Errorf("the provider gets %q", asked)
				}
				must(t, at(button(es("visit.employers.finish"))).Press("Enter"))
				if embedded {
					awaitEvent(t, v, "a complete ready")
				} else {
					state(t, v, "ready")
				}
			})
		}
	}
}

// TestPayrollCompanyOfConnector signs in at a payroll company that a connector reaches, on
// its own pages, and sees income in the report.
func TestPayrollCompanyOfConnector(t *testing.T) {
	tools.FullOnly(t)
	s := start(t, "--sandbox-bank-addr=127.0.0.1:0")
	eachLanguage(t, func(t *testing.T, lang string, language option) {
		v := visit(t, language)
		v.open(t, s.incomeVisit(t, lang))
		step(t, v.page, "consent")
		onward(t, v.page, "consent")
		click(t, v.page("button[value=payroll]"))
		fill(t, v.page("#q"), "paywright")
		must(t, v.page("#q").Press("Enter"))
		click(t, v.page("button[value=paywright]"))
		step(t, v.page, "authorize")
		checkAccessibility(t, v, "authorize")
		checkLanguage(t, v, lang)
		shot(t, v, "payroll-authorize-"+lang)
		must(t, v.page("form[action*=authorize] button").Press("Enter"))
		fill(t, v.page("[name=username]"), "hourly")
		checkAccessibility(t, v, "payroll company")
		checkLanguage(t, v, lang)
		shot(t, v, "payroll-company-"+lang)
		fill(t, v.page("[name=password]"), "correct horse")
		must(t, v.page("[name=password]").Press("Enter"))
		fill(t, v.page("[name=code]"), "123456")
		must(t, v.page("[name=code]").Press("Enter"))
		see(t, v.page("form button[value=allow], form button:not([value=refuse])").First())
		shot(t, v, "payroll-company-consent-"+lang)
		click(t, v.page("button[type=submit]").First())
		step(t, v.page, "connected")
		onward(t, v.page, "connected")
		see(t, v.page("[data-end=success]"))
	})
}
