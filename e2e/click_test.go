package e2e

import (
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// press holds the mouse's button down on the middle of an element that is in sight.
func press(t *testing.T, v *visitor, l playwright.Locator) {
	t.Helper()
	must(t, l.Hover())
	must(t, v.Mouse().Down())
}

// TestClickOnButtonsAtTheBottom: at the bottom of a window that has changed its size, clicks
// still reach a frame. The tests see as much of a page as people do.
func TestClickOnButtonsAtTheBottom(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := embed(t, s, newHost(t, s), window(800, 700))
	must(t, v.SetViewportSize(600, 300))
	_, err := v.Locator("iframe").Evaluate(`(e) => e.scrollIntoView()`, nil)
	must(t, err)
	_, err = v.widget("body").Evaluate(`() => addEventListener("pointermove", (e) => document.body.dataset.over = "yes")`, nil)
	must(t, err)
	until(t, "the frame gets the pointer's events", func() bool {
		must(t, v.Mouse().Move(290, 290))
		must(t, v.Mouse().Move(300, 298))
		n, err := v.widget("body[data-over]").Count()
		must(t, err)
		return n == 1
	})
}

// holdPresses makes a page keep a press for as long as a test takes. It gives a press up
// after five seconds, which a machine that has much else to do needs for one.
const holdPresses = `{
	const later = window.setTimeout;
	window.setTimeout = (f, ms, ...of) => later(f, ms === 5000 ? 600_000 : ms, ...of);
}`

// markAnswers makes a page keep presses, and mark that it has read an answer, with the step that
// the answer has, after all that it does at once with it.
func markAnswers(t *testing.T, at place) {
	t.Helper()
	_, err := at("body").Evaluate(`(body) => {`+holdPresses+`
		const ask = window.fetch;
		window.fetch = async (...of) => {
			const answer = await ask(...of), text = answer.text.bind(answer);
			answer.text = async () => {
				const got = await text();
				setTimeout(() => requestAnimationFrame(() => body.dataset.answered = /data-step="([^"]+)/.exec(got)?.[1] ?? ""));
				return got;
			};
			return answer;
		};
	}`, nil)
	must(t, err)
}

// TestPressThroughWords: a message that appears because a press left a field does not
// move the pressed button, and the form reports its errors after the click.
func TestPressThroughWords(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t, window(1200, 900))
	must(t, v.Context.AddInitScript(playwright.Script{Content: playwright.String(holdPresses)}))
	v.open(t, s.Portal+"/apply/cashflow")
	touchForm(t, v)
	fill(t, v.page("#email"), "zoe@")
	button := v.page(button(en("apply.continue")))
	must(t, button.ScrollIntoViewIfNeeded())
	must(t, button.Hover())
	before, err := button.BoundingBox()
	must(t, err)
	// The words would come at the edge of the button: there it moves away from.
	must(t, v.Mouse().Move(before.X+before.Width/2, before.Y+8))
	must(t, v.Mouse().Down())
	focused(t, button)
	if words := read(t, v.page("#email-error")); words != "" {
		t.Errorf("while the button is pressed, the form says %q", words)
	}
	must(t, v.Mouse().Up())
	see(t, v.page("#summary"))
	see(t, v.page("#email[aria-invalid=true]"))

	// A press that becomes no click keeps nothing back either.
	v.open(t, s.Portal+"/apply/cashflow")
	touchForm(t, v)
	fill(t, v.page("#email"), "zoe@")
	press(t, v, v.page("h1"))
	must(t, v.Mouse().Move(1, 1))
	must(t, v.Mouse().Up())
	see(t, v.page("#email[aria-invalid=true]"))
}

// TestPressThroughAnAnswer of a search: while a bank is pressed, the new list does not
// put another bank in its place.
func TestPressThroughAnAnswer(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := embed(t, s, newHost(t, s), window(800, 1200))
	reach(t, v.widget, "bank")
	banks := v.widget("button[name=bank]")
	pressed, other := read(t, banks.Nth(0).Locator(".row-title")), read(t, banks.Nth(1).Locator(".row-title"))
	markAnswers(t, v.widget)
	asked, answer := make(chan struct{}, 9), make(chan struct{})
	must(t, v.Context.Route("**/visit/*?*q=*", func(r playwright.Route) {
		go func() {
			asked <- struct{}{}
			<-answer
			r.Continue()
		}()
	}))
	fill(t, v.widget("#q"), other)
	<-asked
	see(t, v.widget("#banks[aria-busy=true]"))
	press(t, v, banks.First())
	close(answer)
	see(t, v.widget("body[data-answered]"))
	must(t, v.Mouse().Up())
	step(t, v.widget, "sign-in")
	if title := read(t, v.widget("h1")); !strings.Contains(title, pressed) {
		t.Errorf("%q was pressed, and then came %q", pressed, title)
	}
}

// TestPressThroughAPoll: a page that waits for the bank in another tab shows what came of it once
// its button is no longer pressed.
func TestPressThroughAPoll(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t, "--sandbox-bank-addr=127.0.0.1:0")
	v := visit(t)
	s.arrive(t, v, "redirect")
	toOpenBank(t, v.page, true)
	address := v.URL()
	click(t, v.page(button(en("visit.authorize.submit", "bank", openBank))))
	see(t, v.page(button(en("bank.cancel", "company", "Vestibule"))))
	waiting := v.tab(t)
	waiting.open(t, address)
	step(t, waiting.page, "authorize")
	markAnswers(t, waiting.page)
	press(t, waiting, waiting.page("#step form[method=post] button").First())
	click(t, v.page(button(en("bank.cancel", "company", "Vestibule"))))
	step(t, v.page, "failed")
	see(t, waiting.page("body[data-answered=failed]"))
	step(t, waiting.page, "authorize")
	must(t, waiting.Mouse().Up())
	step(t, waiting.page, "failed")
}
