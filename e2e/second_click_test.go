package e2e

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// leg is one step of a journey: the input, the button that is pressed, and the next
// step.
type leg struct {
	step   string
	fields map[string]string
	button string
	next   string
}

var (
	consenting = button(en("visit.consent.submit"))
	typed      = map[string]string{"username": "default", "password": "x"}
	coded      = map[string]string{"code": "123456"}
	byBank     = []leg{{"bank", nil, "button[name=bank] >> nth=0", "sign-in"}, {"sign-in", typed, button(en("visit.sign_in.submit")),
		"code"}, {"code", coded, button(en("visit.code.submit")), "accounts"}}
	sharing  = button(en("visit.accounts.submit"))
	journeys = map[string][]leg{
		"cashflow": append(append([]leg{{"consent", nil, consenting, "bank"}}, byBank...), leg{"accounts", nil, sharing, "end"}),
		"income": {{"consent", nil, consenting, "source"}, {"source", nil, "button[value=payroll]", "employer"},
			{"employer", nil, "button[name=employer] >> nth=0", "sign-in"},
			{"sign-in", typed, button(en("visit.sign_in.submit")), "code"}, {"code", coded, button(en("visit.code.submit")), "connected"},
			{"connected", nil, button(en("visit.employers.finish")), "end"}},
		"eligibility": append(append([]leg{{"consent", nil, consenting, "employers"},
			{"employers", nil, `role=button[name="Skip Northwind"]`, "skip"},
			{"skip", nil, "button[value=OTHER]", "employers"}, {"employers", nil, button(en("visit.employers.continue")), "bank"}}, byBank...),
			leg{"accounts", nil, sharing, "connected"}, leg{"connected", nil, button(en("visit.employers.finish")), "end"}),
		"passport": {{"consent", nil, consenting, "supplier"}, {"supplier", nil, "button[name=supplier] >> nth=0", "confirm"},
			{"confirm", nil, button(en("visit.confirm_country.submit")), "end"}},
	}
)

// TestSecondClicks double-clicks the button of every step, of each product, on the hosted
// page and in the widget's frame, on three screens, and presses the same place once more
// as soon as the next step is there: every step is left by one form. Of the products on
// all screens, each pair of product, screen and place is tried, not each triple: no code
// depends on all three.
func TestSecondClicks(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	person := map[string]any{"state": "CA", "statedEmployerNames": []string{"Northwind"}}
	for i, size := range [][2]int{{1440, 900}, {1920, 970}, {390, 844}} {
		for product, legs := range journeys {
			if size[0] != 1440 && product != "cashflow" && product != "passport" {
				continue // whose steps are those of the others
			}
			for _, hosted := range []bool{true, false} {
				if everywhere := product == "cashflow" || product == "passport"; everywhere && hosted != ((i%2 == 0) == (product == "cashflow")) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%dx%d/hosted=%v", product, size[0], size[1], hosted), func(t *testing.T) {
					t.Parallel()
					v := guarded(t, window(size[0], size[1]))
					must(t, v.SetViewportSize(size[0], size[1]))
					must(t, v.Context.AddInitScript(playwright.Script{Content: playwright.String(stepAge)}))
					more := map[string]any{}
					if product == "eligibility" {
						more = person
					}
					at := v.page
					if hosted {
						v.open(t, s.hosted(t, product, "en", more))
					} else {
						at = v.widget
						v.open(t, h.URL+"/")
						begin(t, v, h.options(map[string]any{"productId": s.Credentials.Products[product],
							"token": s.token(t, map[string]any{"productId": s.Credentials.Products[product], "prefill": acceptable(more)})}), "first")
					}
					var posts atomic.Int32
					v.OnRequest(func(r playwright.Request) {
						body, err := r.PostData()
						must(t, err)
						if r.Method() == "POST" && strings.Contains(r.URL(), "/visit/") && !strings.Contains(body, "action=open&") { // by the script
							posts.Add(1)
						}
					})
					for i, leg := range legs {
						step(t, at, leg.step)
						for name, value := range leg.fields {
							field := at(fmt.Sprintf("[name=%q]", name))
							_, err := field.Evaluate(`(e, value) => e.dataset.sent = value`, value) // a code is left by its button
							must(t, err)
							fill(t, field, value)
						}
						doubleClick(t, v, at, at(leg.button), leg.next)
						if n := int(posts.Load()); n != i+1 {
							t.Fatalf("at %s, %d forms were sent of %d steps", leg.next, n, i+1)
						}
					}
					see(t, at("[data-end=success][data-status=SUCCESS]"))
					if n := int(posts.Load()); n != len(legs) {
						t.Errorf("%d forms were sent of %d steps", n, len(legs))
					}
				})
			}
		}
	}
}

// stepAge adds to every document a function that returns how long its step has been there,
// in milliseconds. The first step of a document counts from the start of the navigation.
// It counts from the last frame before, as the animation that refuses clicks does at most.
// The animation holds until release is called, and takes its time after that: no click of
// a slow machine comes late.
const stepAge = `{
	let step, since = 0;
	window.stepAge = () => performance.now() - since;
	addEventListener("DOMContentLoaded", () => {
		const look = () => {
			const shown = document.getElementById("step");
			if (step && shown !== step) since = document.timeline.currentTime ?? performance.now();
			step = shown ?? step;
		};
		look();
		new MutationObserver(look).observe(document, { childList: true, subtree: true });
	});
	let holding = true;
	const guards = () => document.getAnimations().filter((a) => a.animationName === "settle");
	window.hold = () => { holding = true; for (const guard of guards()) guard.pause(); };
	addEventListener("animationstart", () => { if (holding) hold(); });
	window.release = () => { holding = false; for (const guard of guards()) guard.play(); };
}`

// doubleClick presses a button twice with the mouse, and its place once more as soon as
// the next step is in the page, if that is within the time in which people press twice.
func doubleClick(t *testing.T, v *visitor, at place, button playwright.Locator, next string) {
	t.Helper()
	_, err := at("html").Evaluate("() => release()", nil)
	must(t, err)
	must(t, button.Hover())
	box, err := button.BoundingBox()
	must(t, err)
	_, err = at("html").Evaluate("() => hold()", nil)
	must(t, err)
	x, y := box.X+box.Width/2, box.Y+box.Height/2
	must(t, v.Mouse().Dblclick(x, y, playwright.MouseDblclickOptions{Delay: playwright.Float(30)}))
	want := next
	if next == "end" {
		want = "progress" // or the end already
		see(t, at("[data-testid=step-progress], [data-testid=step-end]"))
	} else {
		step(t, at, want)
	}
	// Animations apply once a first frame is drawn, which a page in the background may never do.
	// Meanwhile the last step's progress may give way to its end: the guard of what is shown counts.
	fresh, err := at("html").Evaluate(`async () => {
		const frame = () => new Promise(requestAnimationFrame);
		let step, drawn;
		do {
			step = document.getElementById("step");
			drawn = await Promise.race([frame().then(frame), new Promise((late) => setTimeout(late, 1000, false))]);
		} while (!step.isConnected);
		if (drawn !== false && getComputedStyle(step).animationName !== "settle") throw new Error("the style has no guard");
		const fresh = () => getComputedStyle(document.getElementById("step")).pointerEvents === "none";
		hold();
		if (!fresh() && stepAge() < 400) throw new Error("the step takes clicks after " + stepAge() + " ms");
		return fresh();
	}`, nil)
	must(t, err)
	if fresh == true {
		must(t, v.Mouse().Click(x, y))
	}
	if next != "end" {
		step(t, at, next)
	}
}
