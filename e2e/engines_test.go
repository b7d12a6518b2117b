//go:build linux

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/testutil/tools"
)

// view is a window's width in px, and the zoom of its page, where 1 is 100 %.
type view struct {
	width int
	zoom  float64
}

// engines are the browser engines beside Chromium, in which the other tests run. Their views are
// those of layout tests. WebKitWebDriver cannot zoom: narrower windows stand for zoom. No window
// of either is narrower than 450 px: in Firefox, zoom stands for a phone.
var engines = []struct {
	name  string
	start func(t *testing.T, o browserOptions) (*Browser, error)
	views []view
}{
	{"WebKit", func(t *testing.T, o browserOptions) (*Browser, error) {
		if _, _, err := FindWebKit(); err != nil {
			tools.Missing(t, err.Error())
		}
		return StartWebKit(t.TempDir(), o)
	}, []view{{1440, 1}, {1280, 1}, {1024, 1}, {640, 1}, {450, 1}}},
	{"Firefox", func(t *testing.T, o browserOptions) (*Browser, error) {
		if _, err := FindFirefox(); err != nil {
			tools.Missing(t, err.Error())
		}
		return StartFirefox(t.TempDir(), o)
	}, []view{{1440, 1}, {1280, 1}, {1280, 1.25}, {1280, 2}, {780, 2}}},
}

// TestEngines walks the main journeys by mouse in WebKit and Firefox, whose scrollbars take room.
// make test uses one browser of each engine, whose start costs more than most walks: WebKit's, which
// differs most from Chromium, walks more. make test-full also sends a pay stub, goes back on hosted
// pages, ends access, and uses the form without the module.
func TestEngines(t *testing.T) {
	t.Parallel()
	s := alone(t, "--sandbox-bank-addr=127.0.0.1:0")
	byPost := start(t, "--return-mode=post")
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			walk := func(name string, o browserOptions, walk func(d *driven)) {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					o.Language = "en-US"
					b, err := e.start(t, o)
					must(t, err)
					walk(newDriven(t, b))
				})
			}
			plain := browserOptions{}
			if !tools.Full() {
				walk("form, widget, redirect, review", plain, func(d *driven) {
					if e.name == "WebKit" {
						d.goBack(s)
					}
					d.fillRefusedForm(s, true)
					d.walkWidget()
					d.walkRedirect(s, "redirect")
					if e.name == "WebKit" {
						d.walkOpenBank(s)
						d.walkRedirect(byPost, "redirect-form")
					}
					d.review(s)
				})
				return
			}
			walk("form, widget, Back, bank in its own window, pay stub", plain, func(d *driven) {
				d.goBack(s)
				d.goBackHosted(s)
				d.fillRefusedForm(s, true)
				d.walkWidget()
				d.walkOpenBank(s)
				d.sendPayStub(s)
			})
			// As in the lockdown mode of Safari.
			walk("form without module", browserOptions{NoWASM: true}, func(d *driven) { d.fillRefusedForm(s, false) })
			walk("redirects by GET and by form, review, access", plain, func(d *driven) {
				d.walkRedirect(s, "redirect")
				d.walkRedirect(byPost, "redirect-form")
				d.review(s)
				d.endAccess(s, strings.ToLower(e.name)+"@example.org")
			})
		})
	}
}

// fillRefusedForm sends the application form with a wrong field, corrects it and begins. With the
// module, the field's error appears while the applicant fills in the form.
func (d *driven) fillRefusedForm(s *site, module bool) {
	d.open(s.Portal + "/apply/cashflow")
	for _, name := range []string{"firstName", "lastName", "dob-month", "dob-day", "dob-year"} {
		d.fill("[name="+name+"]", applicant[name])
	}
	if module { // it starts when the form is touched
		d.holds("the module is ready", `return !!globalThis.vestibule?.check`)
	}
	d.fill("[name=email]", "zoe example.org")
	d.click("input[name=mode][value=embedded]", "")
	if module {
		d.see("#email[aria-invalid=true]")
	}
	d.click("button", en("apply.continue"))
	d.see("#summary")
	d.see("#email[aria-invalid=true]")
	d.fill("[name=email]", applicant["email"])
	d.click("button", en("apply.continue"))
	if !module {
		d.see(".connect[data-phase=unavailable]")
		return
	}
	d.widget()
	d.step("consent")
}

// walkWidget connects a bank in the widget. While its first step rests, the frame keeps its height.
func (d *driven) walkWidget() {
	d.page()
	var heights []float64
	must(d.t, d.RunAsync(&heights, `
		const done = arguments[arguments.length - 1], heights = [];
		const next = () => heights.push(document.querySelector("iframe").offsetHeight) < 60 ? requestAnimationFrame(next) : done(heights);
		setTimeout(next, 300);`)) // once the frame has its first height
	if len(slices.Compact(heights)) != 1 {
		d.t.Errorf("the height of the resting widget changes: %v", slices.Compact(heights))
	}
	d.widget()
	d.walk()
	d.state("ready")
}

// walkOpenBank connects a bank with its own sign-in pages, which open in a window beside the widget,
// without an opener, and which closes by itself.
func (d *driven) walkOpenBank(s *site) {
	d.openLink(s.begin(d.t, "embedded").ConnectURL)
	d.widget()
	d.step("consent")
	d.click("button", en("visit.consent.submit"))
	d.step("bank")
	d.fill("#q", openBank)
	d.holds("the search has found the bank", `return document.querySelectorAll("button[name=bank]").length === 1`)
	d.click("button[name=bank]", "")
	d.step("authorize")
	first := d.inNewWindow(func() { d.click("button", en("visit.authorize.submit", "bank", openBank)) })
	d.see("[name=username]")
	d.holds("the bank has no opener", `return window.opener === null`)
	d.fill("[name=username]", "default")
	d.fill("[name=password]", "correct horse")
	must(d.t, d.Key(keyEnter))
	d.fill("[name=code]", "123456")
	must(d.t, d.Key(keyEnter))
	d.click("input[type=checkbox]", "")
	d.click("button", en("bank.accounts.submit"))
	d.click("button", en("bank.consent.submit"))
	d.keep("the bank's window closes", func() error {
		all, err := d.Windows()
		if err == nil && len(all) != 1 {
			err = errors.New("two windows")
		}
		return err
	})
	must(d.t, d.SwitchTo(first))
	d.widget()
	d.step("connected")
	d.click("button", en("visit.employers.finish"))
	d.state("ready")
}

// walkRedirect connects a bank on the provider's pages and returns. The result stays after a reload.
func (d *driven) walkRedirect(s *site, mode string) {
	d.openLink(s.begin(d.t, mode).ConnectURL)
	d.step("consent")
	d.walk()
	d.step("end")
	d.click("a[data-return]", "")
	d.state("ready")
	must(d.t, d.Reload())
	d.state("ready")
}

// walk connects the first bank, which has a form, from consent to the choice of accounts.
func (d *driven) walk() {
	d.step("consent")
	d.click("button", en("visit.consent.submit"))
	d.step("bank")
	d.click("button[name=bank]", "")
	d.step("sign-in")
	d.signInToBank()
	d.click("button", en("visit.accounts.submit"))
}

// signInToBank fills in the bank's form and its code, up to the choice of accounts.
func (d *driven) signInToBank() {
	d.fill("[name=username]", "default")
	d.fill("[name=password]", "correct horse")
	d.click("button", en("visit.sign_in.submit"))
	d.step("code")
	d.holds("the cursor is in the code's field", `return document.activeElement?.name === "code"`)
	d.fill("[name=code]", "123456")
	d.step("accounts")
}

// openFirst opens the portal's first page. WebKit may say too early that it did: what the old page
// then opens would take its place in the history.
func (d *driven) openFirst(s *site) {
	d.t.Helper()
	d.open(s.Portal + "/")
	d.holds("the first page is open", `return location.pathname === "/" && document.readyState === "complete"`)
}

// goBack loads the page of a visit again, and goes back step by step. No entry of the history is
// dead: from the first step, as soon as it is shown, Back leaves the page.
func (d *driven) goBack(s *site) {
	d.openFirst(s)
	must(d.t, d.Run(nil, `location.assign(arguments[0])`, s.begin(d.t, "embedded").ConnectURL))
	d.widget()
	d.step("consent")
	d.click("button", en("visit.consent.submit"))
	d.step("bank")
	d.holds("the cursor is in the search", `return document.activeElement?.name === "q"`)
	d.click("button[name=bank]", "")
	d.step("sign-in")
	d.page()
	must(d.t, d.Reload())
	at := func(n int, step string) {
		d.t.Helper()
		d.widget()
		d.step(step)
		d.holds("the entry has its place", `return history.state?.visit?.n === arguments[0]`, n)
	}
	at(2, "sign-in")
	must(d.t, d.Run(nil, `
		const shown = new MutationObserver(() => {
			if (!document.querySelector("[data-testid=step-consent]")) return;
			shown.disconnect();
			setTimeout(() => history.back());
		});
		shown.observe(document.body, { childList: true, subtree: true });
		setTimeout(() => history.back());`))
	at(1, "bank")
	must(d.t, d.Run(nil, `setTimeout(() => history.back())`))
	d.page()
	d.holds("Back leaves the page", `return location.pathname === "/"`)
}

// goBackHosted goes back on the provider's own pages: from the sign-in, also once the page is loaded
// again, and from the accounts, whose steps stay.
func (d *driven) goBackHosted(s *site) {
	d.openFirst(s)
	d.openLink(s.begin(d.t, "redirect").ConnectURL)
	at := func(n int, step string) { // a page that the browser kept shows an old step, until it loads
		d.t.Helper()
		d.holds("the entry of "+step+" has its place", `
			const stored = JSON.parse(sessionStorage.getItem("visit " + location.pathname));
			return stored?.n === arguments[0] && history.state?.visit?.n === arguments[0] &&
				!!document.querySelector("[data-testid=step-" + arguments[1] + "]");`, n, step)
	}
	back := func() { must(d.t, d.Run(nil, `setTimeout(() => history.back())`)) }
	at(0, "consent")
	d.click("button", en("visit.consent.submit"))
	at(1, "bank")
	d.click("button[name=bank]", "")
	at(2, "sign-in")
	back()
	at(1, "bank")
	must(d.t, d.Run(nil, `document.querySelector("button[name=bank]").focus()`))
	must(d.t, d.Key(keyEnter))
	at(2, "sign-in")
	must(d.t, d.Reload())
	at(2, "sign-in")
	back()
	at(1, "bank")
	d.click("button[name=bank]", "")
	at(2, "sign-in")
	d.signInToBank()
	at(4, "accounts")
	back()
	d.holds("the service says that the step stays", `return document.body.innerText.includes(arguments[0])`, en("visit.no_way_back"))
	at(3, "accounts")
	d.click("button", en("visit.accounts.submit"))
	d.step("end")
}

// sendPayStub gives a file as the proof of income.
func (d *driven) sendPayStub(s *site) {
	file := filepath.Join(d.t.TempDir(), "paystub march.pdf")
	must(d.t, os.WriteFile(file, []byte("%PDF-1.4\nmarch"), 0o600))
	d.open(s.incomeVisit(d.t, "en"))
	d.step("consent")
	d.click("button", en("visit.consent.submit"))
	d.step("source")
	d.click("button[value=paystubs]", "")
	d.step("documents")
	d.fill("#file", file)
	d.see("[data-testid=files]")
	d.click("button", en("visit.documents.submit_pay_stubs"))
	d.step("connected")
	d.click("button", en("visit.employers.finish"))
	d.see("[data-end=success]")
}

// review sorts the list of applications, opens one by a press on its row, looks at one beside the
// list, and decides there.
func (d *driven) review(s *site) {
	var ids []string // oldest first, as sorted below
	for range 3 {
		a := s.submit(d.t, pageless(d.t), "default", "", nil)
		s.await(d.t, a.ID, "ready")
		ids = append(ids, a.ID)
	}
	d.signIn(s.Portal+"/review", "form[action='/review/sign-in']", s.Credentials.Reviewer.Email, s.Credentials.Reviewer.Password)
	d.click("[data-column=started] .list-sort", "")
	d.holds("the list is sorted", `return !!document.querySelector("[aria-sort] .list-sort") && location.search.includes("sort=")`)
	row := func(i int) string { return `tr[data-id="` + ids[i] + `"] ` }
	d.press(row(1) + "[data-column=started]")
	d.holds("the pressed row's application is open", `return location.pathname.endsWith(arguments[0])`, ids[1])
	must(d.t, d.Back())
	d.hover(row(0) + "[data-column=started]")
	d.click(row(0)+".peek-open", "")
	d.see(".peek .verdict")
	// A menu may be open in a column while the window becomes too narrow for the column.
	d.resize(1750)
	d.click(row(0)+".assign-open", "")
	d.see(".assign-menu")
	d.holds("the menu is at its button", `
		const menu = document.querySelector(arguments[0] + ".assign-menu").getBoundingClientRect();
		const button = document.querySelector(arguments[0] + ".assign-open").getBoundingClientRect();
		return Math.abs(menu.left - button.left) < 20 && Math.abs(menu.top - button.bottom) < 20;`, row(0))
	d.resize(1280)
	d.see(".peek .verdict")
	d.click(".peek [name=decision][value=approved]", "")
	d.click(".peek .decision-form .actions button:not([id])", "")
	d.see(".peek [data-next], .peek [role=status]")
	d.holds("the decision is recorded", `return document.querySelector(".peek").innerText.includes(arguments[0])`, en("review.decide.done"))
	d.click("[data-peek-close]", "")
	// On a phone.
	d.resize(520)
	d.press(row(2) + ".list-name")
	d.holds("the pressed row's application is open", `return location.pathname.endsWith(arguments[0])`, ids[2])
}

// endAccess opens the page of what a consumer has shared, and ends access.
func (d *driven) endAccess(s *site, email string) {
	data := acceptable(map[string]any{"email": email})
	s.submit(d.t, pageless(d.t), "default", "", map[string]any{"prefill": data})
	d.open(s.Provider + "/access?lang=en")
	d.fill("[name=email]", email)
	d.click("button", en("access.form.submit"))
	d.holds("the command is named", `return document.querySelector("h1").innerText === arguments[0]`, en("access.unsent.title"))
	d.open(s.accessLink(d.t, email, "en"))
	d.click("button", en("access.link.submit"))
	d.click("a", en("access.end.open", "company", "Vestibule"))
	d.click("button", en("access.end.submit"))
	d.holds("access has ended", `return document.body.innerText.includes(arguments[0])`, en("access.list.ended", "company", "Vestibule"))
}

// driven is a person's browser that WebDriver drives. Its methods wait until they can act.
type driven struct {
	*Browser
	t    *testing.T
	zoom float64 // of the page
}

func newDriven(t *testing.T, b *Browser) *driven {
	t.Helper()
	d := &driven{Browser: b, t: t, zoom: 1}
	t.Cleanup(func() {
		if t.Failed() {
			d.shot(t.Name())
			var words string
			if err := b.Run(&words, `return location.href + "\n" + document.body.innerText`); err != nil {
				words = err.Error()
			}
			t.Logf("the page at the end: %s", tail(words, 2000))
			t.Logf("the browser printed: %s", tail(b.Log(), 3000))
		}
		b.Close()
	})
	must(t, b.Resize(1280, 900))
	return d
}

// shot leaves a picture of the window where E2E_SHOTS says.
func (d *driven) shot(name string) {
	folder := os.Getenv("E2E_SHOTS")
	if folder == "" {
		return
	}
	picture, err := d.Screenshot()
	if err != nil {
		d.t.Log(err)
		return
	}
	must(d.t, os.WriteFile(filepath.Join(folder, strings.ReplaceAll(name, "/", "_")+".png"), picture, 0o600))
}

// keep tries an action until it succeeds.
func (d *driven) keep(what string, act func() error) {
	d.t.Helper()
	var err error
	defer func() {
		if err != nil {
			d.t.Logf("%s: %v", what, err)
		}
	}()
	until(d.t, what, func() bool {
		err = act()
		return err == nil
	})
}

// view gives the window a size and its page a zoom.
func (d *driven) view(v view) {
	d.t.Helper()
	must(d.t, d.Resize(v.width, 900))
	if v.zoom != d.zoom {
		must(d.t, d.Zoom(v.zoom))
		d.zoom = v.zoom
	}
	d.holds("the page has its size", `return innerWidth === arguments[0]`, int(float64(v.width)/v.zoom))
}

// resize gives the window a width in px.
func (d *driven) resize(width int) { d.t.Helper(); d.view(view{width, 1}) }

func (d *driven) open(url string) { d.t.Helper(); must(d.t, d.Open(url)) }

// openLink opens the link of an application and goes on by its button.
func (d *driven) openLink(url string) {
	d.t.Helper()
	d.open(url)
	d.click("button", en("resume.arrive.continue"))
}

// click presses the visible element of the selector that has the text, once it can be pressed.
func (d *driven) click(selector, text string) {
	d.t.Helper()
	d.keep("click "+selector+" "+text, func() error { return d.Click(selector, text) })
}

// press presses the middle of the first element of the selector, whatever is on top there.
func (d *driven) press(selector string) {
	d.t.Helper()
	d.keep("press "+selector, func() error { return d.Press(selector) })
}

// hover moves the mouse over the first element of the selector.
func (d *driven) hover(selector string) {
	d.t.Helper()
	d.keep("hover over "+selector, func() error { return d.Hover(selector) })
}

// fill types into the field of the selector, in place of what it has.
func (d *driven) fill(selector, text string) {
	d.t.Helper()
	d.keep("fill "+selector, func() error { return d.Fill(selector, text) })
}

// see waits until an element of the selector is visible.
func (d *driven) see(selector string) {
	d.t.Helper()
	d.holds("see "+selector, `return [...document.querySelectorAll(arguments[0])].some((e) => e.getClientRects().length > 0)`, selector)
}

// holds waits until a script returns true.
func (d *driven) holds(what, script string, args ...any) {
	d.t.Helper()
	d.keep(what, func() error {
		var yes bool
		if err := d.Run(&yes, script, args...); err != nil {
			return err
		}
		if !yes {
			return errors.New("not yet")
		}
		return nil
	})
}

// step waits until the visit in the current frame shows the step of that name.
func (d *driven) step(name string) { d.t.Helper(); d.see("[data-testid=step-" + name + "]") }

// state waits until the page shows the application's state.
func (d *driven) state(want string) {
	d.t.Helper()
	d.page()
	d.see("#status[data-state=" + want + "]")
}

// widget and page make the widget or the page around it the current frame.
func (d *driven) widget() {
	d.t.Helper()
	d.keep("enter the widget", func() error { return d.InFrame("iframe") })
}

func (d *driven) page() { d.t.Helper(); must(d.t, d.InFrame("")) }

// inNewWindow switches to the window that an action opens, and returns the window of before.
func (d *driven) inNewWindow(act func()) (before string) {
	d.t.Helper()
	before, err := d.Window()
	must(d.t, err)
	known, err := d.Windows()
	must(d.t, err)
	act()
	d.keep("a window opens", func() error {
		all, err := d.Windows()
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(handle string) bool { return !slices.Contains(known, handle) })
		if i < 0 {
			return errors.New("no new window")
		}
		return d.SwitchTo(all[i])
	})
	return before
}

// TestEnginePages opens every page that links lead to, in WebKit and Firefox at four widths. None
// stops answering, is wider than its window, or has a part that scrolls by a few px.
func TestEnginePages(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	for range 3 {
		a := s.submit(t, pageless(t), "default", "", nil)
		s.await(t, a.ID, "ready")
	}
	eachEngine(t, func(t *testing.T, d *driven, _ string, views []view) {
		d.crawl(s.Portal+"/", views)
		d.signIn(s.Portal+"/review", "form[action='/review/sign-in']", s.Credentials.Reviewer.Email, s.Credentials.Reviewer.Password)
		d.crawl(s.Portal+"/review", views)
		d.signIn(s.Provider+"/dashboard", "form[action='/dashboard/sign-in']", s.Credentials.Dashboard.Email, s.Credentials.Dashboard.Password)
		d.crawl(s.Provider+"/dashboard", views)
		d.crawl(s.Provider+"/docs", views)
	})
}

// eachEngine runs a test with a browser of each engine at once.
func eachEngine(t *testing.T, test func(t *testing.T, d *driven, engine string, views []view)) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			b, err := e.start(t, browserOptions{Language: "en-US"})
			must(t, err)
			test(t, newDriven(t, b), e.name, e.views)
		})
	}
}

// identifiers are the parts of addresses that differ between pages of one kind.
var identifiers = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9_-]{20,}|\d+`)

// crawl opens the page of an address and, of those to which links lead on the same site, one of each
// kind, and checks their layout.
func (d *driven) crawl(address string, views []view) {
	d.t.Helper()
	seen := map[string]bool{}
	for next := []string{address}; len(next) > 0; next = next[1:] {
		kind := identifiers.ReplaceAllString(strings.SplitN(next[0], "?", 2)[0], "*")
		if seen[kind] {
			continue
		}
		seen[kind] = true
		d.open(next[0])
		for _, v := range views {
			d.view(v)
			var found []string
			must(d.t, d.Run(&found, badLayout))
			for _, f := range found {
				d.t.Errorf("%s at %d px and %g %%: %s", kind, v.width, 100*v.zoom, f)
			}
		}
		var links []string
		must(d.t, d.Run(&links, `return [...document.querySelectorAll("a[href]:not([download])")].filter((a) => a.origin === location.origin &&
			!/sign-out|\.(csv|pdf|json|yaml|zip)$|\/assets\/|\/raw/.test(a.pathname)).map((a) => a.href.split("#")[0])`))
		next = append(next, links...)
	}
	d.t.Logf("%d kinds of pages from %s", len(seen), address)
}

// badLayout returns what is wrong with the layout of a page.
const badLayout = `
	const found = [], root = document.documentElement;
	if (root.scrollWidth > root.clientWidth) {
		const wide = (e) => !e.matches("pre, pre *") && e.getBoundingClientRect().right > root.clientWidth;
		const widest = [...document.querySelectorAll("body *")].filter((e) => wide(e) && ![...e.children].some(wide));
		found.push("the page is " + (root.scrollWidth - root.clientWidth) + " px wider than the window: " +
			widest.map((e) => e.outerHTML.slice(0, 120)).join("\n"));
	}
	// The contents of the API reference are as long as a group has endpoints.
	for (const e of document.querySelectorAll("body :not(pre, textarea, select, .apidocs-contents)")) {
		const { overflowX, overflowY } = getComputedStyle(e);
		const scrolls = (o) => o === "auto" || o === "scroll";
		const by = [scrolls(overflowX) ? e.scrollWidth - e.clientWidth : 0, scrolls(overflowY) ? e.scrollHeight - e.clientHeight : 0];
		if (e.clientWidth > 0 && by.some((n) => n > 0 && n < 16)) found.push("scrolls by " + by + " px: " + e.outerHTML.slice(0, 120));
	}
	return found;`

// signIn signs a user of a dashboard in.
func (d *driven) signIn(address, form, email, password string) {
	d.t.Helper()
	d.open(address)
	d.fill("[name=email]", email)
	d.fill("[name=password]", password)
	d.click(form+" button", "")
	d.holds("the user is signed in", `return !document.querySelector("[name=password]")`)
}
