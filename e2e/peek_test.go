package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// TestListShowsAnApplicationBesideIt looks at applications from the list by keys and by the
// mouse. The focus stays in the list. On a phone the row opens the application.
func TestListShowsAnApplicationBesideIt(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	applicant := visit(t, noScript)
	first := s.submit(t, applicant, "default", "", nil)
	s.await(t, first.ID, "ready")
	second := s.begin(t, "redirect")
	review := s.Portal + "/review"
	v := visit(t)
	s.signIn(t, v)
	v.open(t, review+"?queue=all")
	keysWork(t, v)
	press := func(key string) { t.Helper(); must(t, v.Keyboard().Press(key)) }
	link := func(id string) string { return fmt.Sprintf("tr[data-id=%q] .list-link", id) }
	audited := func(action string) int {
		t.Helper()
		return strings.Count(page(t, v, review+"/audit.csv?action="+action), `,"`+action+`",`)
	}
	panel := "[data-peek]:not([hidden])"

	must(t, v.page(link(second.ID)).Focus())
	press("Space")
	see(t, v.page(panel+" .verdict"))
	see(t, v.page(link(second.ID)+":focus"))
	v.axe(t)
	press("j")
	see(t, v.page(link(first.ID)+":focus"))
	see(t, v.page(panel+" #verdict"))
	see(t, v.page(panel+" .key"))
	see(t, v.page(fmt.Sprintf("tr[data-id=%q][data-peeked]", first.ID)))
	v.axe(t)
	if opened, viewed := audited("opened"), audited("reportViewed"); opened != 2 || viewed != 1 {
		t.Errorf("the trail has %d opened applications and %d reports", opened, viewed)
	}
	for _, a := range []string{"#stated", "#score"} {
		if n, err := v.page(panel + " a[href^='" + a + "']").Count(); err != nil || n > 0 {
			t.Errorf("%d links of the panel lead to %s of the list, %v", n, a, err)
		}
	}
	press("Escape")
	unseen(t, v, panel)
	see(t, v.page(link(first.ID)+":focus"))

	row := v.page(fmt.Sprintf("tr[data-id=%q]", second.ID))
	must(t, row.Hover())
	click(t, row.Locator(".peek-open"))
	see(t, v.page(panel+" .verdict"))
	see(t, v.page(link(second.ID)+":focus"))
	click(t, v.page("[data-peek-close]"))
	unseen(t, v, panel)
	see(t, v.page(link(second.ID)+":focus"))

	press("Space")
	see(t, v.page(panel))
	click(t, v.page("[data-peek-title]"))
	awaitAddress(t, v, regexp.MustCompile("^"+regexp.QuoteMeta(review+"/applications/"+second.ID)))

	phone := visit(t, func(o *playwright.BrowserNewContextOptions) { o.Viewport = &playwright.Size{Width: 390, Height: 844} })
	s.signIn(t, phone)
	phone.open(t, review+"?queue=all")
	see(t, phone.page(link(second.ID)))
	unseen(t, phone, ".peek-open >> nth=0")
	must(t, phone.page(".queues").Hover())
	must(t, phone.Mouse().Wheel(0, 100))
	until(t, "the wheel has scrolled the queues", func() bool {
		left, err := phone.page(".queues").Evaluate(`(row) => row.scrollLeft`, nil)
		return err == nil && number(left) > 0
	})
	click(t, phone.page(link(second.ID)))
	awaitAddress(t, phone, regexp.MustCompile("^"+regexp.QuoteMeta(review+"/applications/"+second.ID)))
}

// peeked is a list of three applications in which a reviewer decides in the panel beside it.
type peeked struct {
	*visitor
	review string   // the dashboard's address
	ids    []string // as in the list, newest first
}

const panel = "[data-peek]:not([hidden]) "

func (p *peeked) press(t *testing.T, keys ...string) {
	t.Helper()
	for _, key := range keys {
		must(t, p.Keyboard().Press(key))
	}
}

func (p *peeked) row(i int) string { return fmt.Sprintf("tr[data-id=%q]", p.ids[i]) }

func (p *peeked) choice(decision string) string {
	return panel + "[name=decision][value=" + decision + "]"
}

// audited counts the entries of an action in the audit trail of an application.
func (p *peeked) audited(t *testing.T, action, id string) int {
	t.Helper()
	return strings.Count(page(t, p.visitor, p.review+"/audit.csv?application="+id+"&action="+action), `,"`+action+`",`)
}

// TestDecideBesideTheList works through a queue in the panel beside the list: by keys, by the
// mouse, with a refused decision, after a colleague, and with a lost connection.
func TestDecideBesideTheList(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	applicant := visit(t, noScript)
	var ids []string // as in the list, newest first
	for range 3 {
		a := s.submit(t, applicant, "default", "", nil)
		s.await(t, a.ID, "ready")
		ids = append([]string{a.ID}, ids...)
	}
	review := s.Portal + "/review"
	v := visit(t)
	must(t, v.SetViewportSize(1280, 800))
	s.signIn(t, v)
	v.open(t, review+"?queue=decide")
	keysWork(t, v)
	p := &peeked{v, review, ids}

	t.Run("by keys", func(t *testing.T) { decideByKeys(t, p) })
	t.Run("a refused form keeps what was typed", func(t *testing.T) { keepTypedText(t, p) })
	t.Run("a decision on another page meanwhile", func(t *testing.T) { decideTooLate(t, p) })
	t.Run("by the mouse", func(t *testing.T) { decideByMouse(t, p) })
	t.Run("the list stays readable", func(t *testing.T) { listStaysReadable(t, p) })
}

func decideByKeys(t *testing.T, p *peeked) {
	// By keys: d opens the panel at the form, and the next application follows.
	must(t, p.page(p.row(0)+" .list-link").Focus())
	p.press(t, "d")
	see(t, p.page(p.choice("approved")+":focus"))
	p.axe(t)
	p.press(t, "Space", "Control+Enter")
	see(t, p.page(panel+"[data-next]:focus"))
	see(t, p.page(panel+">> "+text(en("review.decide.done"))))
	see(t, p.page(p.row(0)+".list-gone")) // in place, at once
	see(t, p.page("[data-queue=decide]:has-text('2')"))
	p.press(t, "Enter")
	see(t, p.page(p.row(1)+"[data-peeked] .list-link:focus"))
	see(t, p.page(panel+".decision-form:has([name=seen][value='0'])"))
}

func keepTypedText(t *testing.T, p *peeked) {
	// Refused, it keeps what was typed. Escape leaves the form, then the panel.
	p.expect("422")
	p.press(t, "d", "ArrowDown") // decline, without a reason
	click(t, p.page(panel+">> "+button(en("review.decide.submit"))))
	see(t, p.page(panel+">> "+text(en("review.decide.no_reason"))))
	see(t, p.page(p.choice("declined")+":checked:focus"))
	fill(t, p.page(panel+".decision-form [name=text]"), "Please call us.")
	p.press(t, "Escape")
	see(t, p.page(p.row(1)+" .list-link:focus"))
	p.press(t, "Escape")
	unseen(t, p.visitor, panel)
}

func decideTooLate(t *testing.T, p *peeked) {
	// What was typed is there again. They decide on another page meanwhile: this decision is not recorded.
	p.press(t, "Space")
	see(t, p.page(p.choice("declined")+":checked"))
	p.send(t, p.review+"/applications/"+p.ids[1]+"/decision", "seen", "0", "decision", "escalated")
	see(t, p.page(p.row(1)+".list-gone"))
	p.expect("409")
	click(t, p.page("[data-peek-decide]"))
	click(t, p.page(panel+">> "+button(en("review.decide.submit"))))
	see(t, p.page(panel+">> "+text(en("review.decide.late_own"))))
	if n := p.audited(t, "decided", p.ids[1]); n != 1 {
		t.Errorf("the trail has %d decisions", n)
	}
}

func decideByMouse(t *testing.T, p *peeked) {
	must(t, p.page(p.row(2)).Hover())
	click(t, p.page(p.row(2)+" .peek-open"))
	see(t, p.page(p.row(2)+"[data-peeked]"))
	see(t, p.page(panel+".decision-form:has([name=seen][value='0'])"))
	click(t, p.page(panel+".assign-open"))
	click(t, p.page(panel+".assign-menu button").First())
	see(t, p.page(panel+".assign-open:has-text('"+en("review.list.you")+"'):focus"))
	click(t, p.page(panel+".notes > summary"))
	fill(t, p.page(panel+"#note"), "Called, no answer.")
	click(t, p.page(panel+">> "+button(en("review.notes.submit"))))
	see(t, p.page(panel+".taken:has-text('Called, no answer.')"))
	see(t, p.page(panel+"#note:focus"))
	if typed, err := p.page(panel + "#note").InputValue(); err != nil || typed != "" {
		t.Errorf("the note that was sent is still in its field: %q, %v", typed, err)
	}
	p.expect("ERR_FAILED")
	must(t, p.Context.Route("**/decision*", func(r playwright.Route) { go r.Abort() }))
	must(t, p.page(p.choice("approved")).Check())
	click(t, p.page(panel+">> "+button(en("review.decide.submit"))))
	see(t, p.page(panel+">> "+text(en("review.peek.unsent"))))
	must(t, p.Context.Unroute("**/decision*"))
	must(t, p.page(panel+">> "+button(en("review.decide.submit"))).Dblclick())
	see(t, p.page(panel+">> "+text(en("review.decide.done"))))
	if n := p.audited(t, "decided", p.ids[2]); n != 1 {
		t.Errorf("a decision that was pressed twice has %d entries", n)
	}
	if got := p.URL(); got != p.review+"?queue=decide" {
		t.Errorf("the list is at %s", got)
	}
}

func listStaysReadable(t *testing.T, p *peeked) {
	// The name and the state stay readable beside the panel, and the search works above it.
	for selector, least := range map[string]float64{p.row(2) + " .list-name": 200, p.row(2) + " [data-column=state]": 60} {
		box, err := p.page(selector).BoundingBox()
		must(t, err)
		side, err := p.page(panel).BoundingBox()
		must(t, err)
		if box.X+box.Width > side.X || box.Width < least {
			t.Errorf("%s is %v px wide and ends at %v, the panel begins at %v", selector, box.Width, box.X+box.Width, side.X)
		}
	}
	fill(t, p.page(".list-search [name=query]"), "Zoë") // above the panel
	see(t, p.page(panel))
}

// TestPanelKeepsTheFormInUse changes an application whose panel is open: the newer version
// does not replace a form to which the user went while it was on its way.
func TestPanelKeepsTheFormInUse(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	one := s.submit(t, pageless(t), "default", "", nil)
	s.await(t, one.ID, "ready")
	own := s.Portal + "/review/applications/" + one.ID
	v := visit(t)
	s.signIn(t, v)
	v.open(t, s.Portal+"/review")
	keysWork(t, v)
	row := fmt.Sprintf("tr[data-id=%q] ", one.ID)
	must(t, v.page(row+".list-link").Focus())
	must(t, v.Keyboard().Press("Space"))
	const panel = "[data-peek]:not([hidden]) "
	see(t, v.page(panel+"[name=decision]"))
	_, err := v.Evaluate(`() => {
		const ask = window.fetch;
		window.fetch = async (...of) => {
			const answer = await ask(...of), text = answer.text.bind(answer);
			answer.text = async () => {
				const got = await text();
				if (answer.url.includes("` + one.ID + `")) setTimeout(() => document.body.dataset.answered = "yes");
				return got;
			};
			return answer;
		};
	}`)
	must(t, err)
	asked, answer := make(chan struct{}, 9), make(chan struct{})
	must(t, v.Context.Route(own+"*", func(r playwright.Route) {
		go func() {
			asked <- struct{}{}
			<-answer
			r.Continue()
		}()
	}))
	other := visit(t, noScript)
	s.signIn(t, other)
	other.open(t, own)
	click(t, other.page(button(en("review.list.take"))))
	<-asked
	must(t, v.Keyboard().Press("d"))
	see(t, v.page(panel+"[name=decision]:focus"))
	close(answer)
	must(t, v.page("body[data-answered]").WaitFor())
	see(t, v.page(panel+"[name=decision]:focus"))
}

// TestFormKeys goes to the forms of an application's page by keys.
func TestFormKeys(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	one := s.begin(t, "embedded")
	v := visit(t)
	s.signIn(t, v)
	v.open(t, s.Portal+"/review/applications/"+one.ID)
	keysWork(t, v)
	for key, focused := range map[string]string{"d": "[name=decision]:focus", "a": ".assign-open:focus", "n": "#note:focus"} {
		must(t, v.Keyboard().Press(key))
		see(t, v.page(focused))
		_, err := v.Evaluate(`() => document.activeElement.blur()`)
		must(t, err)
	}
	if typed, err := v.page("#note").InputValue(); err != nil || typed != "" {
		t.Errorf("the key is in the field: %q, %v", typed, err)
	}
}
