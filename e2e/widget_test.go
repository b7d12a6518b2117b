package e2e

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/i18n"
	"vestibule/internal/testutil/tools"
)

// embed is a widget in a customer's page, by token, at its first step.
func embed(t *testing.T, s *site, h *host, options ...option) *visitor {
	t.Helper()
	v := visit(t, options...)
	v.embed(t, s, h)
	return v
}

// embed begins another visit in v's page, which costs less than another browser.
func (v *visitor) embed(t *testing.T, s *site, h *host) {
	t.Helper()
	v.open(t, h.URL+"/")
	begin(t, v, h.options(map[string]any{"token": s.token(t, nil)}), "first")
	step(t, v.widget, "consent")
}

// reach takes a widget that is at its first step to the named one.
func reach(t *testing.T, at place, name string) {
	t.Helper()
	steps := []string{"consent", "bank", "sign-in", "code", "accounts", "end"}
	for i := 0; steps[i] != name; i++ {
		reachFrom(t, at, steps[i], steps[i+1])
	}
}

// gone waits until the page no longer has the element.
func gone(t *testing.T, l playwright.Locator) {
	t.Helper()
	must(t, l.First().WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateDetached}))
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s = %q, want %q", what, got, want)
	}
}

// TestWidgetAsksForThePagesLanguage checks that the provider, not the script, decides which
// languages there are: a further one needs only its texts.
func TestWidgetAsksForThePagesLanguage(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	v.open(t, h.URL+"/?lang=fr-CA")
	begin(t, v, h.options(map[string]any{"token": s.token(t, nil)}), "first")
	src, err := v.page("#nova-embed iframe").GetAttribute("src")
	must(t, err)
	if !strings.Contains(src, "&lang=fr&") {
		t.Errorf("the frame is %s", src)
	}
}

// TestUsersOfTheMockBank checks the outcome of two users: the callback, the report's status,
// and the message. TestVisitOutcomes of the provider's visits checks all users.
func TestUsersOfTheMockBank(t *testing.T) {
	t.Parallel()
	s := start(t)
	h := newHost(t, s)
	for _, c := range []struct {
		user, callback, word, status, substatus string
		failed, end                             i18n.Key
	}{
		{"noincome", "onSuccess", "SUCCESS", "SUCCESS", "NO_RECENT_USABLE_INFORMATION", "", "visit.end.empty"},
		{"debt_only", "onError", "SUPPLIER_ERROR", "NOT_AUTHENTICATED", "INCOMPATIBLE_ACCOUNT_TYPES_SUBMITTED",
			"visit.failed.account", "visit.end.bank.account"},
	} {
		t.Run(c.user, func(t *testing.T) {
			t.Parallel()
			v := embed(t, s, h)
			signIn(t, v.widget, c.user)
			step(t, v.widget, "code")
			enterCode(t, v.widget, "123456")
			if c.failed == "" {
				step(t, v.widget, "accounts")
				click(t, v.widget(button(en("visit.accounts.submit"))))
			} else {
				step(t, v.widget, "failed")
				if words := read(t, v.widget(".notice-danger")); !strings.Contains(words, en(c.failed)) {
					t.Errorf("before another bank is chosen the applicant reads %q, want %q in it", words, en(c.failed))
				}
				if all := calls(t, v); len(all) != 0 {
					t.Errorf("callbacks called while the visit can continue: %q", all)
				}
				giveUp(t, v.widget)
			}
			got := called(t, v, 1)
			same(t, "the callback", []string{got[1], got[3]}, []string{c.callback, c.word})
			status, substatus := s.report(t, got[2])
			same(t, "the report's status", []string{status, substatus}, []string{c.status, c.substatus})
			if words, want := read(t, v.widget("[data-testid=step-end]")), en(c.end, "company", "Vestibule"); !strings.Contains(words, want) {
				t.Errorf("the applicant reads %q, want %q in it", words, want)
			}
			if all := calls(t, v); len(all) != 1 {
				t.Errorf("callbacks called: %q, want one", all)
			}
		})
	}
}

// TestExpiredVisit lets the time of a visit pass, which is five minutes for this name.
func TestExpiredVisit(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t) // its clock is moved
	h := newHost(t, s)
	v := visit(t)
	v.open(t, h.URL+"/")
	person := acceptable(map[string]any{"lastName": "expiresoon"})
	begin(t, v, h.options(map[string]any{"token": s.token(t, map[string]any{"prefill": person})}), "first")
	step(t, v.widget, "consent")
	s.control(t, http.MethodPost, "/clock", map[string]string{"advance": "5m1s"})
	click(t, v.widget(button(en("visit.consent.submit"))))
	got := called(t, v, 1)
	same(t, "the callback", []string{got[1], got[3]}, []string{"onError", "REQUEST_TIMEOUT"})
	status, substatus := s.report(t, got[2])
	same(t, "the report's status", []string{status, substatus}, []string{"EXPIRED", ""})
	step(t, v.widget, "end")
}

// TestWrongPassword gives three tries, says how many are left, and then stops.
func TestWrongPassword(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := embed(t, s, newHost(t, s))
	v.expect("422")
	reach(t, v.widget, "sign-in")
	click(t, v.widget(button(en("visit.sign_in.submit"))))
	see(t, v.widget(text(en("visit.sign_in.no_username"))))
	see(t, v.widget(text(en("visit.sign_in.no_password"))))
	try := func(username, password string) {
		fill(t, v.widget("[name=username]"), username)
		fill(t, v.widget("[name=password]"), password)
		click(t, v.widget(button(en("visit.sign_in.submit"))))
	}
	try("default", "wrong")
	see(t, v.widget("text="+en("visit.sign_in.wrong.other", "n", "2")))
	if value, err := v.widget("[name=password]").InputValue(); err != nil || value != "" {
		t.Errorf("the password field is shown again with %q, %v, want it empty", value, err)
	}
	try("unknown", "correct horse")
	see(t, v.widget("text="+en("visit.sign_in.wrong.one")))
	// Choosing another bank does not allow more guesses.
	click(t, v.widget(button(en("visit.banks.another"))))
	click(t, v.widget("button[name=bank]").Last())
	see(t, v.widget("text="+en("visit.sign_in.wrong.one")))
	try("default", "wrong")
	see(t, v.widget("text="+en("visit.failed.sign_in")))
	giveUp(t, v.widget)
	got := called(t, v, 1)
	same(t, "the callback", []string{got[1], got[3]}, []string{"onError", "SUPPLIER_ERROR"})
	status, substatus := s.report(t, got[2])
	same(t, "the report's status", []string{status, substatus}, []string{"NOT_AUTHENTICATED", ""})
}

// TestWrongCode: a mistyped code can be corrected, a wrong one tried three times; another
// code can be requested, and another bank can replace one that failed.
func TestWrongCode(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := embed(t, s, newHost(t, s))
	v.expect("422")
	reach(t, v.widget, "code")
	try := func(code, words string) {
		t.Helper()
		enterCode(t, v.widget, code)
		see(t, v.widget("text="+words))
	}
	try("12 34", en("visit.code.invalid"))
	focused(t, v.widget("[name=code]"))
	click(t, v.widget(button(en("visit.code.not_received"))))
	see(t, v.widget("text="+en("visit.code.sandbox_again")))
	must(t, v.widget(`role=button[name="`+en("visit.code.resend")+`"][disabled]`).WaitFor())
	see(t, v.widget("text=You can request another code in"))
	try("654321", en("visit.code.wrong.other", "n", "2"))
	try("654321", en("visit.code.wrong.one"))
	try("654321", en("visit.failed.bank_code"))
	click(t, v.widget(button(en("visit.banks.another"))))
	for _, name := range []string{"bank", "sign-in", "code"} {
		reachFrom(t, v.widget, name, map[string]string{"bank": "sign-in", "sign-in": "code", "code": "accounts"}[name])
	}
	reachFrom(t, v.widget, "accounts", "end")
	got := called(t, v, 1)
	same(t, "the callback", []string{got[1], got[3]}, []string{"onSuccess", "SUCCESS"})
	if all := calls(t, v); len(all) != 1 {
		t.Errorf("callbacks called: %q, want one", all)
	}
}

// focused waits until the element has the focus.
func focused(t *testing.T, l playwright.Locator) {
	t.Helper()
	must(t, l.First().WaitFor())
	_, err := l.First().Evaluate(`e => new Promise((done, no) => {
		const look = (left) => document.activeElement === e ? done() : left ? requestAnimationFrame(() => look(left - 1))
			: no(new Error("the focus is on " + document.activeElement?.outerHTML));
		look(300);
	})`, nil)
	must(t, err)
}

// TestCloseAtEachStep closes the widget wherever the applicant may be, in the page, where it
// asks first, or as a dialog by Esc; make test-full tries both at each step.
func TestCloseAtEachStep(t *testing.T) {
	t.Parallel()
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	for _, name := range []string{"consent", "bank", "sign-in", "code", "accounts"} {
		t.Run(name, func(t *testing.T) {
			if name != "sign-in" {
				tools.FullOnly(t)
			}
			v.embed(t, s, h)
			reach(t, v.widget, name)
			click(t, v.widget("[data-testid=close]"))
			click(t, v.widget(button(en("visit.leave.stay"))))
			step(t, v.widget, name)
			click(t, v.widget("[data-testid=close]"))
			click(t, v.widget("[data-testid=confirm-close]"))
			got := called(t, v, 1)
			if got[1] != "onExit" || len(got) != 3 || got[2] == "" {
				t.Fatalf("the widget called %q, want onExit with its publicToken", got)
			}
			gone(t, v.page("iframe"))
			if status, _ := s.report(t, got[2]); status != "PENDING" {
				t.Errorf("the report of a closed visit is %s, want PENDING", status)
			}
		})
		t.Run(name+" by Esc", func(t *testing.T) {
			if name != "code" {
				tools.FullOnly(t)
			}
			v.dialog(t, s, h)
			reach(t, v.widget, name)
			must(t, v.Keyboard().Press("Escape"))
			see(t, v.widget("#leave[open]"))
			must(t, v.Keyboard().Press("Escape")) // Escape does not answer the question
			must(t, v.widget("#leave[open]").WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateHidden}))
			step(t, v.widget, name)
			must(t, v.Keyboard().Press("Escape"))
			click(t, v.widget("[data-testid=confirm-close]"))
			if got := called(t, v, 1); got[1] != "onExit" {
				t.Fatalf("the widget called %q, want onExit", got)
			}
			gone(t, v.page("dialog"))
			focused(t, v.page("#fire"))
		})
	}
}

// dialog opens a widget over a customer's page, by the page's own button.
func (v *visitor) dialog(t *testing.T, s *site, h *host) {
	t.Helper()
	v.open(t, h.URL+"/")
	begin(t, v, h.options(map[string]any{"token": s.token(t, nil), "useManualFire": true}), "first")
	if n, err := v.page("iframe").Count(); err != nil || n != 0 {
		t.Fatalf("before fire() there are %d frames, %v", n, err)
	}
	click(t, v.page("#fire"))
	step(t, v.widget, "consent")
}

// TestFire opens one dialog however often it is called, keeps the focus in it,
// holds the page behind it still, and gives everything back.
func TestFire(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	v.dialog(t, s, newHost(t, s))
	_, err := v.Evaluate(`() => { SvcWidget.fire(); SvcWidget.fire(); }`)
	must(t, err)
	if n, err := v.page("dialog iframe").Count(); err != nil || n != 1 {
		t.Fatalf("after three fire() there are %d frames, %v, want 1", n, err)
	}
	if got := evaluate[string](t, v, `() => document.documentElement.style.overflow`); got != "hidden" {
		t.Errorf("the page behind can be scrolled: overflow %q", got)
	}
	for range 12 {
		must(t, v.Keyboard().Press("Tab"))
		if got := evaluate[string](t, v, `() => document.activeElement.tagName`); got != "IFRAME" && got != "BODY" && got != "DIALOG" {
			t.Fatalf("Tab leads out of the dialog, to %s", got)
		}
	}
	reach(t, v.widget, "end")
	if got := called(t, v, 1); got[1] != "onSuccess" {
		t.Fatalf("the widget called %q, want onSuccess", got)
	}
	click(t, v.widget("[data-testid=done]"))
	gone(t, v.page("dialog"))
	focused(t, v.page("#fire"))
	if got := evaluate[string](t, v, `() => document.documentElement.getAttribute("style") ?? ""`); strings.Contains(got, "overflow") {
		t.Errorf("the page's root keeps style %q", got)
	}
	if all := calls(t, v); len(all) != 1 {
		t.Errorf("callbacks called: %q, want one", all)
	}
}

func evaluate[T any](t *testing.T, v *visitor, script string, arg ...any) T {
	t.Helper()
	got, err := v.Evaluate(script, arg...)
	must(t, err)
	out, ok := got.(T)
	if !ok {
		t.Fatalf("%s gave %v", script, got)
	}
	return out
}

// TestFireBeforeRegister logs an error for the integrator, and does nothing else.
func TestFireBeforeRegister(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	v.expect("fire() needs a register()")
	v.open(t, h.URL+"/")
	_, err := v.Evaluate(`() => { SvcWidget.fire(); SvcWidget.destroy(); SvcWidget.destroy(); }`)
	must(t, err)
	if n, _ := v.page("iframe, dialog").Count(); n != 0 {
		t.Errorf("there are %d frames or dialogs", n)
	}
}

// TestBankSearch narrows the list while typing, and by its button, in the widget and on the
// hosted page.
func TestBankSearch(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	embedded, full := embed(t, s, newHost(t, s)), visit(t)
	full.open(t, s.hosted(t, "cashflow", "en", nil))
	for _, at := range []func(string) playwright.Locator{embedded.widget, full.page} {
		reach(t, at, "bank")
		must(t, at("#q").PressSequentially("honey"))
		see(t, at("#live >> text="+en("visit.banks.found.one")))
		focused(t, at("#q"))
		if got, _ := at("button[name=bank]").Count(); got != 1 {
			t.Errorf("%d banks are shown, want 1", got)
		}
		fill(t, at("#q"), "no such bank")
		see(t, at("#banks >> text="+en("visit.banks.found.none")))
		fill(t, at("#q"), "wichita")
		must(t, at("#q").Press("Enter"))
		see(t, at("button[name=bank] >> text=Tallgrass Bank"))
		click(t, at("button[name=bank] >> text=Tallgrass Bank"))
		see(t, at(`role=heading[name="`+en("visit.title.sign_in", "bank", "Tallgrass Bank")+`"]`))
	}
}

// TestChoiceOfAccounts requires at least one account that a report can be made from.
func TestChoiceOfAccounts(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := embed(t, s, newHost(t, s))
	v.expect("422")
	signIn(t, v.widget, "multi")
	step(t, v.widget, "code")
	enterCode(t, v.widget, "123456")
	step(t, v.widget, "accounts")
	boxes, err := v.widget("[name=account]").All()
	must(t, err)
	if len(boxes) < 3 {
		t.Fatalf("multi has %d accounts, want checking, savings and an investment", len(boxes))
	}
	for _, b := range boxes {
		must(t, b.Uncheck())
	}
	click(t, v.widget(button(en("visit.accounts.submit"))))
	see(t, v.widget("text="+en("visit.accounts.none")))
	must(t, v.widget("[name=account]").First().Check())
	click(t, v.widget(button(en("visit.accounts.submit"))))
	if got := called(t, v, 1); got[1] != "onSuccess" || got[3] != "SUCCESS" {
		t.Errorf("the widget called %q, want onSuccess", got)
	}
}

// TestReloadedFrame: a reloaded frame finds its visit and continues at its step.
func TestReloadedFrame(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := embed(t, s, newHost(t, s))
	for _, name := range []string{"consent", "bank", "sign-in", "code", "accounts"} {
		frame := v.Frames()[1]
		_, err := frame.Evaluate(`() => { document.documentElement.id = "before"; location.reload(); }`)
		must(t, err)
		see(t, v.widget("html:not(#before)")) // actions in the page before the reload are lost
		step(t, v.widget, name)
		next := map[string]string{"consent": "bank", "bank": "sign-in", "sign-in": "code", "code": "accounts", "accounts": "end"}[name]
		reachFrom(t, v.widget, name, next)
	}
	if got := calls(t, v); len(got) != 1 || got[0][1] != "onSuccess" {
		t.Errorf("callbacks called: %q, want onSuccess once", got)
	}
}

// reachFrom takes a widget from one step to the next.
func reachFrom(t *testing.T, at place, name, next string) {
	t.Helper()
	switch name {
	case "consent":
		click(t, at(button(en("visit.consent.submit"))))
	case "bank":
		click(t, at("button[name=bank]").First())
	case "sign-in":
		fill(t, at("[name=username]"), "default")
		fill(t, at("[name=password]"), "correct horse")
		click(t, at(button(en("visit.sign_in.submit"))))
	case "code":
		enterCode(t, at, "123456")
	case "accounts":
		click(t, at(button(en("visit.accounts.submit"))))
	}
	step(t, at, next)
}

// TestHostedPageSurvives a reload, a second tab, and pages from the browser's history:
// each shows the visit's current step.
func TestHostedPageSurvives(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	v.expect("422")
	s.arrive(t, v, "redirect")
	step(t, v.page, "consent")
	names := []string{"consent", "bank", "sign-in", "code", "accounts", "end"}
	for i, name := range names[:5] {
		_, err := v.Reload()
		must(t, err)
		step(t, v.page, name)
		second, err := v.Context.NewPage()
		must(t, err)
		_, err = second.Goto(v.URL())
		must(t, err)
		see(t, second.Locator(fmt.Sprintf("[data-testid=step-%s]", name)))
		must(t, second.Close())
		if i == 4 {
			break
		}
		reachFrom(t, v.page, name, names[i+1])
		located(t, v)
		if i == 0 {
			continue // Back would leave
		}
		_, err = v.GoBack()
		must(t, err)
		step(t, v.page, map[string]string{"sign-in": "bank", "code": "sign-in", "accounts": "accounts"}[names[i+1]])
		_, err = v.Reload()
		must(t, err)
		if name != "code" {
			reachFrom(t, v.page, name, names[i+1])
		}
	}
	click(t, v.page(button(en("visit.accounts.submit"))))
	leaveReceipt(t, v)
	state(t, v, "ready")
}

// TestFormsOfAnotherTab: outdated forms of another tab lead to the visit's current step.
func TestFormsOfAnotherTab(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	s.arrive(t, v, "redirect")
	reach(t, v.page, "sign-in")
	behind, err := v.Context.NewPage()
	must(t, err)
	_, err = behind.Goto(v.URL())
	must(t, err)
	at := place(func(selector string) playwright.Locator { return behind.Locator(selector) })
	step(t, at, "sign-in")
	reachFrom(t, v.page, "sign-in", "code")
	reachFrom(t, v.page, "code", "accounts")
	reachFrom(t, at, "sign-in", "accounts")
	click(t, at(button(en("visit.accounts.submit"))))
	click(t, at("a[data-return]"))
	awaitAddress(t, behind, regexp.MustCompile("^"+regexp.QuoteMeta(s.Portal+"/applications/")))
	must(t, behind.Close())
}

// TestBlockedFrame says which directive is missing, and ends with an error.
func TestBlockedFrame(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	v.expect("Content Security Policy")
	v.expect("must allow frame-src " + s.Provider)
	v.open(t, h.URL+"/?without=frame")
	begin(t, v, h.options(map[string]any{"token": s.token(t, nil)}), "first")
	same(t, "the callback", called(t, v, 1), []string{"first", "onError", "", "INTERNAL_ERROR"})
	gone(t, v.page("iframe"))
}

// TestPageWithoutPlace for the widget says so.
func TestPageWithoutPlace(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	v.expect("no element with id nova-embed")
	v.open(t, h.URL+"/?without=place")
	begin(t, v, h.options(map[string]any{"token": s.token(t, nil)}), "first")
	same(t, "the callback", called(t, v, 1), []string{"first", "onError", "", "INTERNAL_ERROR"})
}

// TestSheetOnPhones: on a phone the widget is a sheet to the end of the window, also when a
// step is shorter; a longer step and a step on a wide window are as high as their content.
func TestSheetOnPhones(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t, phone, window(390, 844))
	s.arrive(t, v, "embedded")
	sheet := func(step, html string) {
		t.Helper()
		see(t, v.widget("[data-testid=step-"+step+"]"))
		see(t, v.widget(html))
		below, err := v.Evaluate(`() => innerHeight - scrollY - document.querySelector("iframe").getBoundingClientRect().bottom`)
		must(t, err)
		if number(below) > 1 {
			t.Errorf("%s ends %v px above the end of the window", step, below)
		}
	}
	sheet("consent", "html[data-sheet]")
	click(t, v.widget(button(en("visit.consent.submit"))))
	sheet("bank", "html:not([data-sheet])")
	click(t, v.widget("button[name=bank]").First())
	sheet("sign-in", "html[data-sheet]")

	// Closed, the page says once that it was closed, from its top.
	click(t, v.widget("[data-testid=close]"))
	click(t, v.widget("[data-testid=confirm-close]"))
	see(t, v.page(text(en("connect.stopped.title"))))
	wide, err := v.Evaluate(`() => [...document.querySelectorAll(".connect-words, .head .intro")].filter((e) => e.offsetWidth > 1).length`)
	must(t, err)
	if number(wide) != 0 {
		t.Error("the introduction or the status is shown beside the notice")
	}
	until(t, "the page is at its top", func() bool { y, err := v.Evaluate(`() => scrollY`); return err == nil && number(y) == 0 })

	desktop := visit(t)
	s.arrive(t, desktop, "embedded")
	see(t, desktop.widget("[data-testid=step-consent]"))
	see(t, desktop.widget("html:not([data-sheet])"))
}

// TestSlowFrame is loaded twice, and then given up.
func TestSlowFrame(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	v.expect("does not answer")
	asked := hang(t, v, "**/widget/v1/frame?*")
	must(t, v.Clock().Install())
	v.open(t, h.URL+"/")
	begin(t, v, h.options(map[string]any{"token": s.token(t, nil)}), "first")
	until(t, "the frame to be asked for", func() bool { return asked() == 1 })
	must(t, v.Clock().FastForward(10_100))
	until(t, "the frame to be asked for again", func() bool { return asked() == 2 })
	if got := calls(t, v); len(got) != 0 {
		t.Fatalf("callbacks called after the first wait: %q", got)
	}
	must(t, v.Clock().FastForward(10_100))
	same(t, "the callback", called(t, v, 1), []string{"first", "onError", "", "REQUEST_TIMEOUT"})
	gone(t, v.page("iframe"))
	if n := asked(); n != 2 {
		t.Errorf("the frame was asked for %d times, want 2", n)
	}
}

// TestFrameOfTheSecondTry works as the first would have.
func TestFrameOfTheSecondTry(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	asked := hang(t, v, "**/widget/v1/frame?attempt=1*")
	must(t, v.Clock().Install())
	v.open(t, h.URL+"/")
	begin(t, v, h.options(map[string]any{"token": s.token(t, nil)}), "first")
	until(t, "the frame to be asked for", func() bool { return asked() == 1 })
	must(t, v.Clock().FastForward(10_200))
	step(t, v.widget, "consent")
	reach(t, v.widget, "bank")
}

// TestOffline keeps the entered data and continues when the network is back. The notice
// is visible in a window that is lower than the frame.
func TestOffline(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := embed(t, s, newHost(t, s), func(o *playwright.BrowserNewContextOptions) { o.Viewport = &playwright.Size{Width: 400, Height: 360} })
	v.expect("ERR_INTERNET_DISCONNECTED")
	reach(t, v.widget, "sign-in")
	fill(t, v.widget("[name=username]"), "default")
	fill(t, v.widget("[name=password]"), "correct horse")
	must(t, v.Context.SetOffline(true))
	click(t, v.widget(button(en("visit.sign_in.submit"))))
	see(t, v.widget("text="+en("visit.frame.offline")))
	for _, place := range []string{"0", "document.documentElement.scrollHeight"} {
		_, err := v.Evaluate(`() => scrollTo(0, ` + place + `)`)
		must(t, err)
		until(t, "the notice is in view at "+place, func() bool {
			box, err := v.widget("#notice").BoundingBox()
			must(t, err)
			return box.Y >= 0 && box.Y+box.Height <= 360
		})
	}
	again := v.widget(button(en("visit.try_again")))
	see(t, again)
	must(t, v.Context.SetOffline(false))
	gone(t, again) // without a click
	if kept, err := v.widget("[name=username]").InputValue(); err != nil || kept != "default" {
		t.Errorf("the username that was typed is %q, %v", kept, err)
	}
	click(t, v.widget(button(en("visit.sign_in.submit"))))
	step(t, v.widget, "code")
}

// TestSlowAnswer: a slow step is reported after four seconds and abandoned after twenty.
func TestSlowAnswer(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	must(t, v.Clock().Install())
	v.open(t, h.URL+"/")
	begin(t, v, h.options(map[string]any{"token": s.token(t, nil)}), "first")
	step(t, v.widget, "consent")
	asked := hang(t, v, "**/visit/*")
	click(t, v.widget(button(en("visit.consent.submit"))))
	until(t, "the step to be asked for", func() bool { return asked() == 1 })
	must(t, v.Clock().RunFor(4_100))
	see(t, v.widget("text="+en("visit.frame.slow")))
	must(t, v.Clock().RunFor(16_000))
	see(t, v.widget("text="+en("visit.frame.failed")))
	must(t, v.Context.Unroute("**/visit/*"))
	click(t, v.widget(button(en("visit.try_again"))))
	step(t, v.widget, "consent")
	reach(t, v.widget, "bank")
}

// TestNoCookies walks with third-party cookies blocked, and finds none at the end. In
// storage is only what a page that is loaded again finds its visit by, and only in
// the frame.
func TestNoCookies(t *testing.T) {
	t.Parallel()
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	v.blockThirdPartyCookies(t)
	answers := make(chan playwright.Response, 200)
	v.Context.OnResponse(func(r playwright.Response) { answers <- r })
	v.open(t, h.URL+"/")
	begin(t, v, h.options(map[string]any{"token": s.token(t, nil)}), "first")
	step(t, v.widget, "consent")
	reach(t, v.widget, "end")
	called(t, v, 1)
	for range len(answers) {
		r := <-answers
		if headers, err := r.AllHeaders(); err == nil && headers["set-cookie"] != "" {
			t.Errorf("%s sets a cookie", r.URL())
		}
	}
	cookies, err := v.Context.Cookies(s.Provider, h.URL)
	must(t, err)
	if len(cookies) != 0 {
		t.Errorf("there are cookies: %v", cookies)
	}
	for _, f := range v.Frames() {
		kept, err := f.Evaluate(`() => {
			try {
				const names = [...Object.keys(localStorage), ...Object.keys(sessionStorage)];
				return names.filter((n) => window === top || !n.startsWith("vestibule-")).length + document.cookie.length;
			} catch {
				return 0; // with third-party cookies, storage is blocked
			}
		}`)
		must(t, err)
		if number(kept) != 0 {
			t.Errorf("%s keeps something in storage", f.URL())
		}
	}
}

// TestDestroy restores the document, at any time, however often it is called, and no
// callback is called after it.
func TestDestroy(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	for name, at := range map[string]struct {
		manual bool
		until  func(t *testing.T, v *visitor)
	}{
		"before the frame is there": {false, func(*testing.T, *visitor) {}},
		"at the first step":         {false, func(t *testing.T, v *visitor) { step(t, v.widget, "consent") }},
		"in the middle":             {false, func(t *testing.T, v *visitor) { reach(t, v.widget, "code") }},
		"at the end":                {false, func(t *testing.T, v *visitor) { reach(t, v.widget, "end"); called(t, v, 1) }},
		"before fire":               {true, func(*testing.T, *visitor) {}},
		"in the dialog": {true, func(t *testing.T, v *visitor) {
			_, err := v.Evaluate(`() => SvcWidget.fire()`)
			must(t, err)
			step(t, v.widget, "consent")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			v.open(t, h.URL+"/")
			before, listening := outline(t, v), listeners(t, v)
			begin(t, v, h.options(map[string]any{"token": s.token(t, nil), "useManualFire": at.manual}), "first")
			at.until(t, v)
			n := len(calls(t, v))
			_, err := v.Evaluate(`() => { SvcWidget.destroy(); SvcWidget.destroy(); }`)
			must(t, err)
			script := fmt.Sprintf(`<script src="%s/widget/v1/widget.js"></script>`, s.Provider)
			if want, got := strings.Replace(before, script, "", 1), outline(t, v); got != want {
				t.Errorf("the document after destroy() is\n%s\nand was\n%s", got, want)
			}
			if got := listeners(t, v); !slices.Equal(got, listening) {
				t.Errorf("the page listens to %q after destroy(), and did to %q", got, listening)
			}
			if got := len(calls(t, v)); got != n {
				t.Errorf("destroy() called callbacks: %q", calls(t, v)[n:])
			}
			// Another registration works as the first did.
			begin(t, v, h.options(map[string]any{"token": s.token(t, nil)}), "second")
			step(t, v.widget, "consent")
		})
	}
}

// outline is the document as markup, without the list of calls; what an emptied
// style attribute leaves is nothing.
func outline(t *testing.T, v *visitor) string {
	t.Helper()
	return strings.ReplaceAll(evaluate[string](t, v, `() => {
		const copy = document.documentElement.cloneNode(true);
		copy.querySelector("#calls").replaceChildren();
		return copy.outerHTML;
	}`), ` style=""`, "")
}

// pointing is what the driver listens to as well, from its first click on.
var pointing = regexp.MustCompile(`^window (__playwright|auxclick|click|contextmenu|dblclick|mouse|pointer|touch)`)

// listeners is what window and document listen to, but for the pointer.
func listeners(t *testing.T, v *visitor) []string {
	t.Helper()
	cdp, err := v.Context.NewCDPSession(v.Page)
	must(t, err)
	defer cdp.Detach()
	var out []string
	for _, target := range []string{"window", "document", "document.body", "document.documentElement"} {
		found, err := cdp.Send("Runtime.evaluate", map[string]any{"expression": target})
		must(t, err)
		object := found.(map[string]any)["result"].(map[string]any)["objectId"]
		list, err := cdp.Send("DOMDebugger.getEventListeners", map[string]any{"objectId": object})
		must(t, err)
		for _, l := range list.(map[string]any)["listeners"].([]any) {
			if name := target + " " + l.(map[string]any)["type"].(string); !pointing.MatchString(name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// TestCallbacksOfTheLatestRegistration: only these callbacks are called, once.
func TestCallbacksOfTheLatestRegistration(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	v.open(t, h.URL+"/")
	options := h.options(map[string]any{"token": s.token(t, nil)})
	begin(t, v, options, "first")
	step(t, v.widget, "consent")
	reach(t, v.widget, "code")
	begin(t, v, options, "second") // as a framework does that renders again
	step(t, v.widget, "code")
	enterCode(t, v.widget, "123456")
	step(t, v.widget, "accounts")
	click(t, v.widget(button(en("visit.accounts.submit"))))
	if got := called(t, v, 1); got[0] != "second" || got[1] != "onSuccess" {
		t.Errorf("called %q, want onSuccess of the second registration", got)
	}
	// The frame may say it as often as it likes, or change its mind.
	_, err := v.Frames()[1].Evaluate(`() => {
		const nonce = location.hash.slice(1);
		for (const type of ["success", "error", "success", "exit"]) parent.postMessage({ svc: 1, nonce,
			type, publicToken: "x", status: "ERROR" }, "*");
	}`)
	must(t, err)
	gone(t, v.page("iframe")) // exit takes the frame away; its callback was called already
	if got := calls(t, v); len(got) != 1 {
		t.Errorf("callbacks called: %q, want one", got)
	}
}

// TestIgnoresForeignMessages: page and frame ignore messages from other windows, even with all data.
func TestIgnoresForeignMessages(t *testing.T) {
	t.Parallel()
	s := start(t)
	v := embed(t, s, newHost(t, s))
	_, err := v.Evaluate(`() => {
		const nonce = new URL(document.querySelector("iframe").src).hash.slice(1);
		const stranger = document.createElement("iframe");
		document.body.append(stranger);
		const messages = (nonce) => ["opened", "success", "error", "exit", "close"].map((type) => ({ svc: 1,
			nonce, type, publicToken: "stranger", status: "SUCCESS", errorType: "INTERNAL_ERROR" }));
		for (const m of messages(nonce)) {
			window.postMessage(m, "*");                                      // the page itself
			window.dispatchEvent(new MessageEvent("message", { data: m, origin: location.origin, source: stranger.contentWindow }));
		}
		for (const m of [...messages("0".repeat(32)), "success", null, 7, { type: "success" }, []]) window.postMessage(m, "*");
		const frame = document.querySelector("iframe").contentWindow;
		for (const type of ["ask", "leave", "options"]) {
			frame.postMessage({ svc: 1, nonce: "0".repeat(32), type, options: {} }, "*"); // not the visit's nonce
			stranger.contentWindow.parent[0].postMessage({ svc: 1, type, options: {} }, "*");
		}
		stranger.remove();
	}`)
	must(t, err)
	reachFrom(t, v.widget, "consent", "bank")
	if got := calls(t, v); len(got) != 0 {
		t.Errorf("callbacks called by other windows: %q", got)
	}
	if open, err := v.widget("#leave[open]").Count(); err != nil || open != 0 {
		t.Errorf("the frame asks whether to close because a stranger said so (%v)", err)
	}
	reachFrom(t, v.widget, "bank", "sign-in")
}

// TestFocusIsNotStolen from a field of the page by a new widget, or by a step that
// appears without a click.
func TestFocusIsNotStolen(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	v := visit(t)
	v.open(t, h.URL+"/")
	must(t, v.page("#name").Focus())
	begin(t, v, h.options(map[string]any{"token": s.token(t, nil)}), "first")
	step(t, v.widget, "consent")
	must(t, v.Keyboard().Type("Ana"))
	if got, _ := v.page("#name").InputValue(); got != "Ana" {
		t.Errorf("the input went elsewhere: the field has %q", got)
	}
	// Within the widget the focus follows the steps that the applicant asks for.
	reach(t, v.widget, "bank")
	focused(t, v.widget("[data-testid=step-bank] #q"))
	if name, err := v.widget("#q").GetAttribute("aria-label"); err != nil || !strings.HasPrefix(name, en("visit.title.bank")) {
		t.Errorf("before the field, a screen reader does not say the heading: %q (%v)", name, err)
	}
}

// TestClicksToTheEnd counts the mouse's clicks from the first page to the end of a cashflow
// application at a bank with a form: the cursor is where people type, and a code is submitted by itself.
func TestClicksToTheEnd(t *testing.T) {
	t.Parallel()
	s := start(t)
	v := visit(t)
	clicks := 0
	press := func(l playwright.Locator) {
		t.Helper()
		click(t, l)
		clicks++
	}
	enter := func(field, text string) {
		t.Helper()
		focused(t, v.widget("[name="+field+"]"))
		must(t, v.Keyboard().Type(text))
	}
	v.open(t, s.Portal+"/")
	press(v.page("a[href^='/apply/cashflow']").First())
	press(v.page("[name=firstName]"))
	fillForm(t, v, applicant) // by Tab
	press(v.page(button(en("apply.continue"))))
	step(t, v.widget, "consent")
	press(v.widget(button(en("visit.consent.submit"))))
	enter("q", "Amber Coast")
	see(t, v.widget(text(en("visit.banks.found.one"))))
	press(v.widget("button[name=bank]"))
	enter("username", "default")
	must(t, v.Keyboard().Press("Tab"))
	enter("password", "correct horse")
	press(v.widget(button(en("visit.sign_in.submit"))))
	enter("code", "123456")
	step(t, v.widget, "accounts")
	press(v.widget(button(en("visit.accounts.submit"))))
	state(t, v, "ready")
	if clicks > 8 {
		t.Errorf("%d clicks to the end, want at most 8", clicks)
	}
}

// TestLoaderIsSmall and needs nothing else to show the first step's frame.
func TestLoaderIsSmall(t *testing.T) {
	t.Parallel()
	s := start(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Provider+"/widget/v1/widget.js", nil)
	must(t, err)
	req.Header.Set("Accept-Encoding", "br")
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(t, err)
	if resp.Header.Get("Content-Encoding") != "br" || len(raw) > 5<<10 {
		t.Errorf("the loader is %d bytes, encoded %q, want at most 5 KB by brotli", len(raw), resp.Header.Get("Content-Encoding"))
	}
}
