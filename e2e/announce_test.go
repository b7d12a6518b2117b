package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// announcedScript records what a screen reader says of a document by itself: the text of a live
// region that appears or changes, and what the element that gets the focus says, with its
// description and that of its group.
const announcedScript = `(() => {
	const announced = (window.announced = []);
	const live = "[role=alert], [role=status], [aria-live]";
	const add = (how, words) => words.trim() && announced.push(how + ": " + words.replace(/\s+/g, " ").trim());
	new MutationObserver((records) => {
		const regions = new Set();
		for (const r of records) {
			const at = r.target.nodeType === 1 ? r.target : r.target.parentElement;
			if (at?.closest(live)) regions.add(at.closest(live));
			for (const n of [...r.addedNodes, ...(r.type === "attributes" ? [r.target] : [])]) {
				if (n.nodeType !== 1) continue;
				if (n.matches(live)) regions.add(n);
				for (const e of n.querySelectorAll(live)) regions.add(e);
			}
		}
		for (const e of regions) if (e.isConnected && e.checkVisibility()) add("live region", e.textContent);
	}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["hidden"] });
	addEventListener("focusin", (e) => {
		const by = [e.target, e.target.closest("fieldset")].flatMap((d) => (d?.getAttribute("aria-describedby") ?? "").split(" "));
		add("focus", [e.target.matches("input, select, textarea") ? "" : e.target.textContent,
			...by.map((id) => document.getElementById(id)?.textContent ?? "")].join(" "));
	}, true);
})()`

// recordAnnouncements runs the script in every document of a new visitor.
func recordAnnouncements(t *testing.T, options ...option) *visitor {
	t.Helper()
	v := visit(t, options...)
	v.expect("422")
	v.expect("ERR_INTERNET_DISCONNECTED")
	must(t, v.Context.AddInitScript(playwright.Script{Content: playwright.String(announcedScript)}))
	return v
}

// announcedOnce does something that leads to an error, and checks that it is announced once.
func (v *visitor) announcedOnce(t *testing.T, at place, what string, act func()) {
	t.Helper()
	act()
	see(t, at("text="+what))
	var announced []string
	for _, f := range v.live() {
		out, err := f.Evaluate(`async () => {
			await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
			return JSON.stringify(announced.splice(0));
		}`)
		must(t, err)
		var here []string
		must(t, json.Unmarshal([]byte(out.(string)), &here))
		for _, words := range here {
			if strings.Contains(words, what) {
				announced = append(announced, words)
			}
		}
	}
	if len(announced) != 1 {
		t.Errorf("%q is announced %d times, want once: %q", what, len(announced), announced)
	}
}

// forget drops the announcements so far.
func (v *visitor) forget(t *testing.T) {
	t.Helper()
	for _, f := range v.live() {
		_, err := f.Evaluate(`() => { announced.length = 0 }`)
		must(t, err)
	}
}

// TestErrorsAreAnnouncedOnce makes errors in the form and in the widget of each product. Each
// is said by the focus or by a live region, and not by both.
func TestErrorsAreAnnouncedOnce(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	h := newHost(t, s)
	for product, c := range map[string]struct {
		person, more map[string]any
		walk         func(t *testing.T, v *visitor)
	}{
		"cashflow": {nil, nil, func(t *testing.T, v *visitor) {
			step(t, v.widget, "bank")
			click(t, v.widget("button[name=bank]").First())
			v.signInErrors(t)
			fill(t, v.widget("[name=password]"), "x")
			submit(t, v.widget)
			step(t, v.widget, "code")
			code := func(code string) func() {
				return func() { enterCode(t, v.widget, code) }
			}
			v.announcedOnce(t, v.widget, en("visit.code.invalid"), code("12"))
			v.announcedOnce(t, v.widget, en("visit.code.wrong.other", "n", "2"), code("654321"))
			code("123456")()
			step(t, v.widget, "accounts")
			all, err := v.widget("[name=account]").All()
			must(t, err)
			for _, a := range all {
				must(t, a.Uncheck())
			}
			v.forget(t)
			v.announcedOnce(t, v.widget, en("visit.accounts.none"), func() { submit(t, v.widget) })
			v.announcedOnce(t, v.widget, en("visit.frame.offline"), func() {
				must(t, v.Context.SetOffline(true))
				submit(t, v.widget)
			})
			must(t, v.Context.SetOffline(false))
		}},
		"income": {nil, nil, func(t *testing.T, v *visitor) {
			step(t, v.widget, "source")
			click(t, v.widget("button[value=payroll]"))
			step(t, v.widget, "employer")
			click(t, v.widget("button[name=employer]").First())
			v.signInErrors(t)
		}},
		"eligibility": {nil, map[string]any{"state": "CA", "statedEmployerNames": []string{"Northwind"}}, func(t *testing.T, v *visitor) {
			step(t, v.widget, "employers")
			click(t, v.widget(".employer-actions button").First())
			step(t, v.widget, "source")
			click(t, v.widget("button[value=paystubs]"))
			step(t, v.widget, "documents")
			v.announcedOnce(t, v.widget, en("visit.documents.wrong_type"), func() {
				must(t, v.widget("#file").SetInputFiles([]playwright.InputFile{{Name: "a.txt", MimeType: "text/plain", Buffer: []byte("a")}}))
			})
		}},
		"passport": {map[string]any{"lastName": "supplierdown"}, nil, func(t *testing.T, v *visitor) {
			step(t, v.widget, "supplier")
			click(t, v.widget("button[name=supplier]").First())
			step(t, v.widget, "confirm")
			v.announcedOnce(t, v.widget, en("visit.failed.bureau_unresponsive"), func() { submit(t, v.widget) })
		}},
	} {
		t.Run(product, func(t *testing.T) {
			t.Parallel()
			v := recordAnnouncements(t)
			v.open(t, s.Portal+"/apply/"+product)
			touchForm(t, v)
			v.announcedOnce(t, v.page, en("form.problems"), func() { click(t, v.page(button(en("apply.continue")))) })

			token := call(t, http.MethodPost, s.Provider+"/connect/initialization", s.basic(),
				map[string]any{"productId": s.Credentials.Products[product], "prefill": withMore(c.person, c.more)}, 2)["token"]
			v.open(t, h.URL+"/")
			begin(t, v, h.options(map[string]any{"token": token, "productId": s.Credentials.Products[product]}), "first")
			step(t, v.widget, "consent")
			submit(t, v.widget)
			c.walk(t, v)
		})
	}
}

func withMore(all ...map[string]any) map[string]any {
	person := acceptable(nil)
	for _, more := range all {
		for k, x := range more {
			person[k] = x
		}
	}
	return person
}

// signInErrors makes the errors of a sign-in.
func (v *visitor) signInErrors(t *testing.T) {
	t.Helper()
	step(t, v.widget, "sign-in")
	v.announcedOnce(t, v.widget, en("visit.sign_in.no_username"), func() { submit(t, v.widget) })
	focused(t, v.widget("[name=username][aria-invalid=true]"))
	fill(t, v.widget("[name=username]"), "default")
	fill(t, v.widget("[name=password]"), "wrong")
	v.forget(t)
	v.announcedOnce(t, v.widget, en("visit.sign_in.wrong.other", "n", "2"), func() { submit(t, v.widget) })
}

// TestErrorsOfFullPagesAreAnnounced: the hosted page is loaded anew, and the focus is on the
// error.
func TestErrorsOfFullPagesAreAnnounced(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	v.expect("422")
	v.open(t, s.hosted(t, "cashflow", "en", nil))
	reach(t, v.page, "code")
	for _, c := range [][2]string{{"12", en("visit.code.invalid")}, {"654321", en("visit.code.wrong.other", "n", "2")}} {
		enterCode(t, v.page, c[0])
		see(t, v.page("#code-error >> text="+c[1]))
		focused(t, v.page("[name=code][aria-invalid=true]"))
	}
}
