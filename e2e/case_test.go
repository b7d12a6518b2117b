package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// inView waits until an element is within the window.
func inView(t *testing.T, v *visitor, selector string) {
	t.Helper()
	until(t, selector+" is in view", func() bool {
		is, err := v.page(selector).Evaluate(`(el) => {
			const box = el.getBoundingClientRect();
			return box.top >= 0 && box.bottom <= innerHeight;
		}`, nil)
		return err == nil && is == true
	})
}

// TestDecideOnOnePage reads an application's page with the mouse and the keyboard: the
// verdict, the tabs, the transactions behind figures, and the decision.
func TestDecideOnOnePage(t *testing.T) {
	t.Parallel()
	s := start(t)
	one := s.submit(t, pageless(t), "default", "", map[string]any{"externalId": "loan-3001"})
	s.await(t, one.ID, "ready")
	url := s.Portal + "/review/applications/" + one.ID
	v := visit(t)
	s.signIn(t, v)
	found(t, v, url, `(id="total")`) // the analysis is ready
	v.open(t, url)

	// The first screen: what the report says, and the form, which stays in view.
	must(t, v.SetViewportSize(1280, 800))
	t.Run("the first screen", func(t *testing.T) {
		see(t, v.page(`role=heading[level=2][name="`+en("review.verdict.contradicted.one")+`"]`))
		for _, selector := range []string{"#verdict", "#stated", `[name="decision"] >> nth=0`, `[name="reason"] >> nth=0`} {
			box, err := v.page(selector).BoundingBox()
			must(t, err)
			if box.Y+box.Height > 800 {
				t.Errorf("%s begins below the first screen, at %v px", selector, box.Y)
			}
		}
	})
	t.Run("one section at a time", func(t *testing.T) { openSections(t, v, url) })
	t.Run("a month opens its transactions", func(t *testing.T) { openMonth(t, v, url) })
	t.Run("a day opens its transactions", func(t *testing.T) { openDay(t, v, url) })
	t.Run("on a phone", func(t *testing.T) { decideOnPhone(t, v, url) })
	t.Run("without script", func(t *testing.T) {
		tools.FullOnly(t)
		// Without script all sections are there, folded.
		plain := visit(t, noScript)
		s.signIn(t, plain)
		plain.open(t, url)
		for _, id := range []string{"score", "money", "history", "details"} {
			see(t, plain.page("#"+id+"-part"))
		}
	})
	t.Run("the letter", func(t *testing.T) { showLetter(t, v, url) })
}

func openSections(t *testing.T, v *visitor, url string) {
	// One section at a time, selected by mouse, by keyboard, and by the address.
	shown := func(id string) {
		t.Helper()
		see(t, v.page(`.side-sections a[aria-current][href="#`+id+`"]`))
		see(t, v.page("#"+id+"-part"))
		n, err := v.page(".sections > details:visible").Count()
		must(t, err)
		if n != 1 {
			t.Errorf("%d sections are shown, want %s only", n, id)
		}
	}
	shown("score")
	click(t, v.page(`.side-sections a[href="#money"]`))
	shown("money")
	must(t, v.page(`.side-sections a[href="#regular"]`).Focus())
	must(t, v.Keyboard().Press("Enter"))
	shown("regular")
	click(t, v.page(`.findings a[href="#identity"]`))
	shown("identity")
	inView(t, v, `.decision-form [value="approved"]`)
	inView(t, v, `.decision-form .actions >> `+button(en("review.decide.submit")))
	const top = `() => document.getElementById(location.hash.slice(1)).getBoundingClientRect().top + .01`
	// Each entry leads to the top of the window, and the decision to the top of the page.
	links, err := v.page(".side-sections a").All()
	must(t, err)
	for _, l := range links {
		click(t, l)
		if y := evaluate[float64](t, v, top); y < 0 || y > 60 {
			t.Errorf("%s is at %v px", v.URL(), y)
		}
	}
	v.open(t, url+"#decision")
	if y := evaluate[float64](t, v, `() => scrollY + .5`); y != .5 {
		t.Errorf("the page of a decision is at %v px", y)
	}
	v.open(t, url+"#history")
	_, err = v.Reload()
	must(t, err)
	shown("history")
}

func openMonth(t *testing.T, v *visitor, url string) {
	tools.FullOnly(t)
	click(t, v.page(`.side-sections a[href="#money"]`))
	month := v.page("#money-part .plot-link >> nth=1")
	must(t, month.Focus())
	words, err := v.page("#money-part .plot-readout").TextContent()
	must(t, err)
	if !regexp.MustCompile(`^\w{3} \d{4}: `).MatchString(words) {
		t.Errorf("the focused month reads %q", words)
	}
	must(t, v.Keyboard().Press("Enter"))
	awaitAddress(t, v, regexp.MustCompile(regexp.QuoteMeta(url)+`/transactions\?month=\d{4}-\d\d$`))
	if got := read(t, v.page(".intro")); !strings.Contains(got, " out.") {
		t.Errorf("the month is %q", got)
	}
	click(t, v.page(`.transactions tbody a[href*="category="]`).First())
	awaitAddress(t, v, regexp.MustCompile(`/transactions\?category=`))
	v.axe(t)
	click(t, v.page(link("Zoë O’Hara-Núñez")))
	at(t, v, url)
}

func openDay(t *testing.T, v *visitor, url string) {
	tools.FullOnly(t)
	// The arrow keys choose a day of the balance, and Enter opens it.
	click(t, v.page(`.side-sections a[href="#balance"]`))
	must(t, v.page(".plot-days .plot-link >> nth=3").Focus())
	for range 3 {
		must(t, v.Keyboard().Press("ArrowRight"))
	}
	words, err := v.page("#balance-part .plot-readout >> nth=0").TextContent()
	must(t, err)
	if !regexp.MustCompile(`^\w{3} 3, \d{4}: -?\$[\d,.]+$`).MatchString(words) {
		t.Errorf("the third day of a month reads %q", words)
	}
	must(t, v.Keyboard().Press("Enter"))
	awaitAddress(t, v, regexp.MustCompile(`/transactions\?day=\d{4}-\d\d-03$`))
	click(t, v.page(`.near-days [rel="next"]`))
	awaitAddress(t, v, regexp.MustCompile(`/transactions\?day=\d{4}-\d\d-\d\d$`))
	v.axe(t)
}

func decideOnPhone(t *testing.T, v *visitor, url string) {
	// On a phone the page is as wide as the window.
	v.open(t, url)
	must(t, v.SetViewportSize(390, 844))
	wide, err := v.Evaluate(`() => document.documentElement.scrollWidth - document.documentElement.clientWidth`)
	must(t, err)
	if number(wide) > 0 {
		t.Errorf("the page is %v px wider than a phone", wide)
	}
	// It is short, and a button leads to the decision, whose form begins with the choice.
	until(t, "the page is at most 3,000 px high on a phone", func() bool {
		high, err := v.Evaluate(`() => document.documentElement.scrollHeight`)
		return err == nil && number(high) <= 3000
	})
	inView(t, v, ".case-decide")
	click(t, v.page(".case-decide"))
	inView(t, v, `.decision-form [value="approved"]`)
	unseen(t, v, `.decision-form [name="text"]`)
	click(t, v.page(`label:has([name="decision"][value="declined"])`))
	see(t, v.page(`.decision-form [name="text"]`))
	click(t, v.page("#accounts"))
	see(t, v.page("#accounts-part .account >> nth=0"))
	v.open(t, url)
	// Its one menu of files has the links that are buttons on wider windows.
	for _, name := range []string{en("review.application.print"), en("review.pdf.download")} {
		unseen(t, v, `.case-files > .button:has-text("`+name+`")`)
	}
	click(t, v.page(".case-files summary"))
	see(t, v.page(".case-files >> "+link(en("review.pdf.download"))))
	v.axe(t)
	click(t, v.page(".case-files >> "+link(en("review.application.print"))))
	awaitAddress(t, v, regexp.MustCompile(regexp.QuoteMeta(url)+`/report`))
	v.open(t, url)
}

func showLetter(t *testing.T, v *visitor, url string) {
	// A dialog shows the letter of the decision; an escalation has none.
	v.open(t, url)
	preview := v.page(button(en("review.letter.show")))
	click(t, v.page(`label:has([name="decision"][value="declined"])`))
	click(t, preview)
	see(t, v.page(`.letter-paper:has-text("`+en("review.letter.rights")[:40]+`")`))
	v.axe(t)
	click(t, v.page(".letter-preview >> "+button(en("review.peek.close"))))
	click(t, v.page(`label:has([name="decision"][value="escalated"])`))
	must(t, preview.WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateHidden}))
	click(t, v.page(button(en("review.decide.submit"))))
	see(t, v.page(text(en("review.decide.done"))))
}
