package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/i18n"
	"vestibule/internal/testutil/tools"
)

// axeSource is read once; it is half a megabyte.
var axeSource = sync.OnceValues(func() ([]byte, error) { return os.ReadFile("../.cache/npm/axe-core/package/axe.min.js") })

// withAxe gives axe to each document of the visitor's page, for tests that check most of them: to
// send it to a document takes longer than to run it there.
func withAxe(t *testing.T, v *visitor) *visitor {
	t.Helper()
	source, err := axeSource()
	must(t, err)
	must(t, v.AddInitScript(playwright.Script{Content: playwright.String(string(source))}))
	return v
}

// live returns the page and its visible frames. Page.Frames loses the others when one is
// detached.
func (v *visitor) live() (frames []playwright.Frame) {
	var add func(f playwright.Frame)
	add = func(f playwright.Frame) {
		if f.IsDetached() {
			return
		}
		if strings.HasPrefix(f.URL(), "http") {
			frames = append(frames, f)
		}
		for _, child := range f.ChildFrames() {
			add(child)
		}
	}
	add(v.MainFrame())
	return frames
}

// checked returns the findings of axe in a frame.
func checked(t *testing.T, f playwright.Frame, options string) (found []string) {
	t.Helper()
	ready := `document.readyState !== "loading"`
	if strings.Contains(f.URL(), "/widget/v1/frame") { // it is a page when it has its first step
		ready += ` && document.getElementById("step")?.dataset.step !== "loading"`
	}
	untilTrue(t, f, ready)
	if there, err := f.Evaluate(`() => typeof axe`); err != nil || there != "object" {
		source, err := axeSource()
		must(t, err)
		_, err = f.Evaluate(string(source))
		must(t, err)
	}
	// A table's rows after the sixth are like those before; they cost most of the time.
	out, err := f.Evaluate(`async (options) => JSON.stringify((await axe.run({exclude: ["tbody > tr:nth-child(n + 7)"]}, {iframes: false,
		preload: false, resultTypes: ["violations"], ...JSON.parse(options)})).violations
		.flatMap((v) => v.nodes.map((n) => v.id + ": " + v.help + "\n\t" + n.html + "\n\t" + n.failureSummary)))`, options)
	must(t, err)
	must(t, json.Unmarshal([]byte(out.(string)), &found))
	return found
}

// layoutScript returns, at the given text size, by how many pixels the page is wider than its window
// or longer than its content, with the elements that cause it, and the elements that scroll by
// a few pixels only: a scroll bar shows there, or the content is moved by accident.
const layoutScript = `(size) => {
	const root = document.documentElement;
	root.style.fontSize = size;
	const found = [];
	const name = (e) => e.outerHTML.slice(0, 200);
	const wide = root.scrollWidth - root.clientWidth;
	const scrolls = (e) => e && e !== root && (getComputedStyle(e).overflowX !== "visible" || scrolls(e.parentElement));
	if (wide > 0) found.push(wide + " px wider than its window, by " + [...document.querySelectorAll("body *")]
		.filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1 && !scrolls(e.parentElement)).slice(0, 3).map(name));
	const end = Math.max(root.clientHeight, document.body.getBoundingClientRect().bottom + scrollY);
	if (root.scrollHeight > end + 1) found.push(root.scrollHeight - end + " px longer than its content");
	for (const e of size ? [] : document.querySelectorAll("body *")) { // larger text may need to scroll, by any length
		const { overflowX, overflowY } = getComputedStyle(e);
		for (const [kind, over] of [[overflowX, e.scrollWidth - e.clientWidth], [overflowY, e.scrollHeight - e.clientHeight]])
			if (/auto|scroll/.test(kind) && over > 0 && over < 10) found.push("scrolls by " + over + " px: " + name(e));
	}
	root.style.fontSize = "";
	return found.join("; ");
}`

// unmarkedScript focuses each control in turn, without the page's scripts noticing, and
// returns the controls without a visible focus.
const unmarkedScript = `() => {
	const hush = (e) => e.stopImmediatePropagation();
	const kinds = ["focus", "blur", "focusin", "focusout", "change"];
	kinds.forEach((k) => addEventListener(k, hush, true));
	const marks = (s) => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0;
	const before = document.activeElement, unmarked = [];
	for (const e of document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")) {
		if (e.disabled || e.tabIndex < 0 || !e.checkVisibility({ visibilityProperty: true })) continue;
		e.focus({ preventScroll: true, focusVisible: true });
		if (document.activeElement !== e) continue;
		const around = e.closest("label");
		if (!marks(getComputedStyle(e)) && !marks(getComputedStyle(e, "::after")) && !(around &&
			marks(getComputedStyle(around)))) unmarked.push(e.outerHTML.slice(0, 200));
	}
	if (before && before !== document.body) before.focus({ preventScroll: true });
	else document.activeElement?.blur();
	kinds.forEach((k) => removeEventListener(k, hush, true));
	return JSON.stringify(unmarked);
}`

// checkAccessibility checks the page and its frame: axe finds nothing in light mode, nothing
// moves with reduced motion, and the page fits a window of 320 px. make test-full checks
// closely.
func checkAccessibility(t *testing.T, v *visitor, where string) {
	t.Helper()
	if tools.Full() {
		checkClosely(t, v, where)
		return
	}
	checkAxe(t, v, where, `{"rules": {"target-size": {"enabled": true}}}`)
	checkMotion(t, v, where)
	before := v.ViewportSize()
	checkWidth(t, v, where, 320, 640, "")
	must(t, v.SetViewportSize(before.Width, before.Height))
}

// checkClosely checks the page and its frame in every way: axe finds nothing in light or
// dark mode, the page fits a window of 320 px, twice the zoom and twice the text size, the
// focus is visible in forced colors, and nothing moves with reduced motion. The page is
// loaded once; its window and its media settings change.
func checkClosely(t *testing.T, v *visitor, where string) {
	t.Helper()
	checkWidth(t, v, where, 320, 640, "")
	checkWidth(t, v, where, 640, 400, "")
	checkWidth(t, v, where, 1280, 720, "200%")
	must(t, v.SetViewportSize(1280, 720))
	if tools.Full() && v.lang(t) == "es" { // colors are the same in every language
		checkAxe(t, v, where, `{"rules": {"color-contrast": {"enabled": false}, "target-size": {"enabled": true}}}`)
	} else {
		checkAxe(t, v, where, `{"rules": {"target-size": {"enabled": true}}}`)
		must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeDark}))
		checkAxe(t, v, where, `{"runOnly": ["color-contrast"]}`)
		must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeLight,
			ForcedColors: playwright.ForcedColorsActive}))
		for _, f := range v.live() {
			out, err := f.Evaluate(unmarkedScript)
			must(t, err)
			if out != "[]" {
				t.Errorf("%s: the focus cannot be seen in forced colours on %s", where, out)
			}
		}
		must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{ForcedColors: playwright.ForcedColorsNone}))
	}
	checkMotion(t, v, where)
}

// lang is the language of the page.
func (v *visitor) lang(t *testing.T) string {
	t.Helper()
	return evaluate[string](t, v, `() => document.documentElement.lang`)
}

// checkWidth wants no sideways scrolling in a window of this size, which it leaves.
func checkWidth(t *testing.T, v *visitor, where string, width, height int, text string) {
	t.Helper()
	must(t, v.Page.SetViewportSize(width, height)) // nothing is pressed
	for _, f := range v.live() {
		wrong, err := f.Evaluate(layoutScript, text)
		must(t, err)
		if wrong != "" {
			t.Errorf("%s: at %d px, text %q, %s: %v", where, width, text, f.URL(), wrong)
		}
	}
}

func checkAxe(t *testing.T, v *visitor, where, options string) {
	t.Helper()
	for _, f := range v.live() {
		for _, x := range checked(t, f, options) {
			t.Errorf("%s: axe: %s", where, x)
		}
	}
}

func checkMotion(t *testing.T, v *visitor, where string) {
	t.Helper()
	for _, f := range v.live() {
		moving, err := f.Evaluate(`() => document.getAnimations().filter((a) => a.playState === "running" && ` +
			`(a.effect.getComputedTiming().duration ?? 0) > 20).length`)
		must(t, err)
		if number(moving) != 0 {
			t.Errorf("%s: %v things move", where, moving)
		}
	}
}

// eachLanguage runs the test in each language.
func eachLanguage(t *testing.T, test func(t *testing.T, lang string, language option)) {
	t.Helper()
	t.Run("en", func(t *testing.T) {
		t.Parallel()
		test(t, "en", func(*playwright.BrowserNewContextOptions) {})
	})
	t.Run("es", func(t *testing.T) {
		t.Parallel()
		test(t, "es", spanish)
	})
}

// eachPageLanguage runs a test that checks pages in Spanish, whose words are longer, and in
// make test-full in English, too.
func eachPageLanguage(t *testing.T, test func(t *testing.T, lang string, language option)) {
	t.Helper()
	if tools.Full() {
		eachLanguage(t, test)
		return
	}
	test(t, "es", spanish)
}

// checkLanguage checks the language of the page.
func checkLanguage(t *testing.T, v *visitor, lang string) {
	t.Helper()
	for _, f := range v.live() {
		if got, err := f.Evaluate(`() => document.documentElement.lang`); err != nil || got != lang {
			t.Errorf("%s is in %v, %v, want %s", f.URL(), got, err, lang)
		}
	}
}

// submit presses the step's main button in any language.
func submit(t *testing.T, at place) {
	t.Helper()
	click(t, at(`#step form[method=post] button:not([name])`).First())
}

// onward completes a step of a visit in any language.
func onward(t *testing.T, at place, from string) {
	t.Helper()
	switch from {
	case "bank":
		// By keyboard: after a change of the window's size, Chromium sends a click
		// into a frame that has grown since to where the frame ended before.
		must(t, at("button[name=bank]").First().Press("Enter"))
		return
	case "sign-in":
		fill(t, at("[name=username]"), "multi")
		fill(t, at("[name=password]"), "correct horse")
	case "code":
		fill(t, at("[name=code]"), "123456") // it is submitted by itself
		return
	}
	submit(t, at)
}

var walkingSteps = []string{"consent", "bank", "sign-in", "code", "accounts"}

// TestPortalPagesAreAccessible checks the applicant's pages in every state of an
// application and at each step of a visit.
func TestPortalPagesAreAccessible(t *testing.T) {
	t.Parallel()
	s := start(t)
	eachPageLanguage(t, func(t *testing.T, lang string, language option) {
		v := withAxe(t, visit(t, language))
		v.expect("404")
		v.open(t, s.Portal+"/apply/nothing")
		checkAccessibility(t, v, "no such product")
		v.open(t, s.Portal+"/apply/cashflow?mode=token")
		touchForm(t, v)
		checkAccessibility(t, v, "the form with the integrator's choices")
		v.open(t, s.Portal+"/apply/cashflow")
		touchForm(t, v)
		click(t, v.page("main form button[type=submit]"))
		see(t, v.page("#summary"))
		checkClosely(t, v, "the form with problems")
		fillForm(t, v, applicant)
		must(t, v.page("input[name=mode][value=redirect]").Check())
		click(t, v.page("main form button[type=submit]"))
		step(t, v.page, "consent")
		checkLanguage(t, v, lang)
		handle := v.URL()[strings.LastIndex(v.URL(), "/")+1:]
		handle, _, _ = strings.Cut(handle, "?")
		v.open(t, s.Portal+"/")
		click(t, v.page("main table a, main [data-rows] a, main a[href^='/applications/']").First())
		state(t, v, "connecting")
		checkAccessibility(t, v, "status, connecting")
		s.complete(t, handle, "debt_only", "")
		state(t, v, "failed")
		checkAccessibility(t, v, "status, failed")
		click(t, v.page(`main form button[value=redirect]`).First())
		step(t, v.page, "consent")
		for _, from := range walkingSteps {
			step(t, v.page, from)
			if from == "accounts" {
				checkClosely(t, v, "hosted accounts")
			} else {
				checkAccessibility(t, v, "hosted "+from)
			}
			onward(t, v.page, from)
		}
		leaveReceipt(t, v)
		state(t, v, "ready")
		click(t, v.page("details summary"))
		checkClosely(t, v, "status, ready")
		checkLanguage(t, v, lang)
	})
}

// TestWidgetIsAccessible checks the page with the widget at each step, in error
// states, and at the end.
func TestWidgetIsAccessible(t *testing.T) {
	t.Parallel()
	s := start(t)
	eachPageLanguage(t, func(t *testing.T, lang string, language option) {
		v := withAxe(t, visit(t, language))
		v.expect("422")
		v.open(t, s.Portal+"/apply/cashflow")
		fillForm(t, v, applicant)
		click(t, v.page("main form button[type=submit]"))
		for _, from := range walkingSteps {
			step(t, v.widget, from)
			checkLanguage(t, v, lang)
			checkAccessibility(t, v, "widget, "+from)
			switch from {
			case "bank":
				fill(t, v.widget("#q"), "no bank of this name")
				must(t, v.widget("button[name=bank]").First().WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateDetached}))
				checkAccessibility(t, v, "widget, no bank found")
				fill(t, v.widget("#q"), "")
				see(t, v.widget("button[name=bank]"))
			case "sign-in":
				submit(t, v.widget)
				see(t, v.widget("[aria-invalid=true]"))
				checkClosely(t, v, "widget, sign-in with a problem")
				fill(t, v.widget("[name=username]"), "default")
				fill(t, v.widget("[name=password]"), "wrong")
				submit(t, v.widget)
				wrong := map[string]string{"en": en("visit.sign_in.wrong.other", "n", "2"), "es": es("visit.sign_in.wrong.other", "n", "2")}
				see(t, v.widget("text="+wrong[lang]))
				checkAccessibility(t, v, "widget, wrong password")
			case "accounts":
				click(t, v.widget("[data-testid=close]"))
				see(t, v.widget("#leave[open]"))
				checkAccessibility(t, v, "widget, asking whether to close")
				click(t, v.widget("[data-testid=confirm-close]"))
				see(t, v.page("[data-phase=exited]"))
				checkAccessibility(t, v, "page after the widget was closed")
				continue
			}
			onward(t, v.widget, from)
		}
		click(t, v.page("main form button[value=embedded]"))
		for _, from := range walkingSteps[:2] {
			step(t, v.widget, from)
			onward(t, v.widget, from)
		}
		step(t, v.widget, "sign-in")
		fill(t, v.widget("[name=username]"), "supplier_unresponsive")
		fill(t, v.widget("[name=password]"), "correct horse")
		submit(t, v.widget)
		step(t, v.widget, "failed")
		checkAccessibility(t, v, "widget, the source failed")
		click(t, v.widget("a.visit-stop"))
		click(t, v.widget("[data-testid=confirm-close]"))
		step(t, v.widget, "end")
		see(t, v.page("[data-phase=retry]"))
		checkAccessibility(t, v, "widget, failed")
	})
}

// TestDialogIsAccessible checks the widget in a dialog over a customer's page.
func TestDialogIsAccessible(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	v.expect("Failed to load resource")
	s.apply(t, v, "embedded", "?mode=manual")
	must(t, v.page("[data-vestibule-fire]:enabled").WaitFor())
	checkAccessibility(t, v, "page with a custom control")
	click(t, v.page("[data-vestibule-fire]"))
	for _, from := range walkingSteps[:2] { // in the dialog; their content is the same
		step(t, v.widget, from)
		if from == "consent" {
			readableInLowWindow(t, v)
			checkClosely(t, v, "dialog, "+from)
		} else {
			checkAccessibility(t, v, "dialog, "+from)
		}
		onward(t, v.widget, from)
	}
	must(t, v.Context.Route("**/widget/v1/widget.js", func(r playwright.Route) { go r.Abort() }))
	s.arrive(t, v, "embedded")
	see(t, v.page("[data-phase=unavailable]"))
	checkAccessibility(t, v, "page whose widget is blocked")
}

// readableInLowWindow checks that a window of 1280x800 px at 400 % can show each point of
// the consent whole, between what does not scroll.
func readableInLowWindow(t *testing.T, v *visitor) {
	t.Helper()
	must(t, v.SetViewportSize(320, 200))
	defer func() { must(t, v.SetViewportSize(1280, 720)) }()
	until(t, "the frame knows of the low window", func() bool {
		low, err := v.widget("#step").Evaluate(`() => innerHeight <= 200`, nil)
		return err == nil && low == true
	})
	hidden, err := v.widget(".visit-list").Locator("li").EvaluateAll(`(all) => all.filter((e) => {
		e.scrollIntoView({ block: "center" });
		const at = e.getBoundingClientRect();
		return [at.top + 4, at.bottom - 4].some((y) => !e.contains(document.elementFromPoint(at.left + 8, y)));
	}).map((e) => e.textContent).join("; ")`)
	must(t, err)
	if hidden != "" {
		t.Errorf("a low window does not show: %v", hidden)
	}
}

// TestKeyboardAlone completes an embedded application by keyboard: each control can be
// reached and used, and the focus is visible.
func TestKeyboardAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	v := visit(t)
	press := func(keys ...string) {
		t.Helper()
		for _, k := range keys {
			must(t, v.Keyboard().Press(k))
		}
	}
	enter := func(text string) { t.Helper(); must(t, v.Keyboard().Type(text)) }

	v.open(t, s.Portal+"/")
	press("Tab")
	focused(t, v.page("a.skip"))
	press("Enter")
	v.tabTo(t, v.page(`a[href="/apply/cashflow"]`))
	press("Enter")
	for _, f := range []struct{ field, text string }{{"firstName", "Zoë"}, {"lastName", "O’Hara"}, {"email", "zoe@example.org"},
		{"dob-month", "2"}, {"dob-day", "29"}, {"dob-year", "1992"}} {
		v.tabTo(t, v.page("#"+f.field))
		must(t, v.page("form[data-live=on]").WaitFor())
		enter(f.text)
	}
	v.tabTo(t, v.page("input[name=mode]:checked"))
	v.tabTo(t, v.page("main form button[type=submit]"))
	press("Enter")
	step(t, v.widget, "consent")
	v.tabTo(t, v.widget(button(en("visit.consent.submit"))))
	press("Enter")
	step(t, v.widget, "bank")
	v.tabTo(t, v.widget("#q"))
	enter("honeyl")
	see(t, v.widget(text(en("visit.banks.found.one"))))
	v.tabTo(t, v.widget("button[name=bank]"))
	press("Enter")
	step(t, v.widget, "sign-in")
	v.tabTo(t, v.widget("[name=username]"))
	enter("default")
	v.tabTo(t, v.widget("[name=password]"))
	enter("correct horse")
	press("Enter")
	step(t, v.widget, "code")
	v.tabTo(t, v.widget("[name=code]"))
	enter("123456")
	step(t, v.widget, "accounts")
	v.tabTo(t, v.widget("[name=account]").First())
	press("Space", "Space")
	v.tabTo(t, v.widget(button(en("visit.accounts.submit"))))
	press("Enter")
	state(t, v, "ready")
	v.tabTo(t, v.page("details summary"))
	press("Enter")
	see(t, v.page("details[open]"))
}

// TestProductsByKeyboard completes a visit of each product by keyboard alone, and finds
// every control by its role and name, as a screen reader does. Each step is a page whose
// title, which screen readers say first, begins with its heading.
func TestProductsByKeyboard(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	type use struct{ button, label, text string } // a button, or a text field by its label
	press := func(key i18n.Key) use { return use{button: button(en(key))} }
	enter := func(label i18n.Key, text string) use { return use{label: en(label), text: text} }
	choose := func(name string) use { return use{button: fmt.Sprintf("role=button[name=/%s/]", name)} }
	signIn := []use{enter("visit.sign_in.user_name", "default"), enter("visit.sign_in.password", "x"), press("visit.sign_in.submit")}
	code := []use{enter("visit.code.label", "123456")}
	type stage struct {
		step string
		uses []use
	}
	bank := []stage{{"bank", []use{choose("Harbor National Bank")}}, {"sign-in", signIn}, {"code", code}}
	consent := stage{"consent", []use{press("visit.consent.submit")}}
	for product, stages := range map[string][]stage{
		"cashflow": append(append([]stage{consent}, bank...), stage{"accounts", []use{press("visit.accounts.submit")}}),
		"income": {consent, {"source", []use{choose(en("visit.source.payroll.title"))}}, {"employer", []use{choose("Alder Design Studio")}},
			{"sign-in", signIn}, {"code", code}, {"connected", []use{press("visit.employers.finish")}}},
		"passport": {consent, {"supplier", []use{choose("Mexico"), choose("Buró de Crédito Mexico")}},
			{"confirm", []use{press("visit.confirm_country.submit")}}},
		"eligibility": append(append([]stage{consent, {"employers", []use{choose("Skip Northwind")}},
			{"skip", []use{choose(en("visit.skip_reasons.OTHER"))}}, {"employers", []use{press("visit.employers.continue")}}}, bank...),
			stage{"accounts", []use{press("visit.accounts.submit")}}, stage{"connected", []use{press("visit.employers.finish")}}),
	} {
		t.Run(product, func(t *testing.T) {
			t.Parallel()
			v := visit(t)
			more := map[string]any{}
			if product == "eligibility" {
				more = map[string]any{"state": "CA", "statedEmployerNames": []string{"Northwind"}}
			}
			v.open(t, s.hosted(t, product, "en", more))
			for _, at := range stages {
				step(t, v.page, at.step)
				heading, err := v.page("role=heading[level=1]").TextContent()
				must(t, err)
				if title, err := v.Title(); err != nil || !strings.HasPrefix(title, strings.TrimSpace(heading)) {
					t.Errorf("at %s, the page %q begins with %q (%v)", at.step, title, heading, err)
				}
				for _, u := range at.uses {
					if u.button != "" {
						v.tabTo(t, v.page(u.button))
						must(t, v.Keyboard().Press("Enter"))
					} else {
						v.tabTo(t, v.GetByLabel(u.label, playwright.PageGetByLabelOptions{Exact: playwright.Bool(true)}))
						must(t, v.Keyboard().Type(u.text))
					}
				}
			}
			see(t, v.page("[data-end=success][data-status=SUCCESS]"))
			see(t, v.page("role=heading[level=1]"))
		})
	}
}

// tabTo presses Tab until the element has a visible focus.
func (v *visitor) tabTo(t *testing.T, l playwright.Locator) {
	t.Helper()
	see(t, l)
	for range 90 {
		must(t, v.Keyboard().Press("Tab"))
		got, err := l.First().Evaluate(`e => {
			if (document.activeElement !== e) return "";
			const marks = (s) => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== "none";
			const around = e.closest("label");
			return marks(getComputedStyle(e)) || marks(getComputedStyle(e, "::after")) || around &&
				marks(getComputedStyle(around)) ? "seen" : "unseen";
		}`, nil)
		must(t, err)
		if got == "unseen" {
			html, _ := l.First().Evaluate(`e => e.outerHTML`, nil)
			t.Errorf("the focus is on %v and cannot be seen", html)
		}
		if got != "" {
			return
		}
	}
	html, _ := l.First().Evaluate(`e => e.outerHTML`, nil)
	t.Fatalf("Tab does not lead to %v", html)
}
