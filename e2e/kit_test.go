package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// shop is an onboarding app's own site, another one than the portal's. Its pages
// have the policy that docs/tutorials/embed.md says is enough, and take no string for code.
type shop struct {
	URL    string
	site   *site
	bodies sync.Map      // path → body
	held   chan struct{} // until it is closed, the script that listens to the elements does not come; nil for at once
}

// shopScript records the elements' events: id, event and detail.
const shopScript = `
window.shifted = 0;
new PerformanceObserver((all) => all.getEntries().forEach((e) => e.hadRecentInput ||
	(window.shifted += e.value))).observe({ type: "layout-shift", buffered: true });
window.listen = (el) => ["open", "ready", "step", "success", "exit", "error", "state", "complete",
	"close"].forEach((name) => el.addEventListener(name, (e) => {
	const li = document.createElement("li");
	const d = e.detail;
	li.textContent = [el.id, name, d.step ?? d.state ?? d.errorType ?? d.status ?? ""].join(" ").trim();
	document.getElementById("events").append(li);
}));
document.querySelectorAll("vestibule-apply").forEach(listen);`

func newShop(t *testing.T, s *site, network string) *shop {
	t.Helper()
	h := &shop{site: s}
	listener, err := net.Listen("tcp", network+":0")
	must(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: h}}
	server.Start()
	t.Cleanup(server.Close)
	h.URL = fmt.Sprintf("http://%s:%d", network, listener.Addr().(*net.TCPAddr).Port)
	return h
}

func (h *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch body, ok := h.bodies.Load(r.URL.Path); {
	case r.URL.Path == "/shop.js":
		if h.held != nil {
			<-h.held
		}
		w.Header().Set("Content-Type", "text/javascript")
		io.WriteString(w, shopScript)
	case r.URL.Path == "/shop.css":
		w.Header().Set("Content-Type", "text/css")
		io.WriteString(w, "vestibule-apply:not(:defined){display:block;min-height:860px} .far{height:2000px}")
	case ok:
		frames := h.site.Portal
		if r.URL.Path == "/no-frames" {
			frames = "'none'"
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy",
			fmt.Sprintf("default-src 'none'; img-src data:; style-src 'self'; base-uri 'none'; form-action 'none'; "+
				"require-trusted-types-for 'script'; script-src 'self' %s; frame-src %s", h.site.Portal, frames))
		fmt.Fprintf(w, `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1">
			<link rel="icon" href="data:,"><link rel="stylesheet" href="/shop.css"><title>Shop</title><main><h1>Shop</h1>
			<ol id="events" hidden></ol>%s</main><script src="%s/embed/v1/embed.js" async></script><script src="/shop.js"></script>`,
			body, h.site.Portal)
	default:
		http.NotFound(w, r)
	}
}

// token makes an application that the shop may frame, and returns its embed token.
func (h *shop) token(t *testing.T, more map[string]any) (id, token string) {
	t.Helper()
	in := map[string]any{"product": "cashflow", "mode": "embedded", "prefill": person, "allowedOrigin": h.URL}
	for name, value := range more {
		in[name] = value
	}
	out := h.site.api(t, "POST", "/applications", in)
	return out["id"].(string), out["embedToken"].(string)
}

func element(attributes string, token string) string {
	return fmt.Sprintf(`<vestibule-apply %s token="%s"></vestibule-apply>`, attributes, html.EscapeString(token))
}

// awaitEvent waits for an event of an element.
func awaitEvent(t *testing.T, v *visitor, what string) {
	t.Helper()
	if err := v.page("#events li:text-is('" + what + "')").First().WaitFor(playwright.LocatorWaitForOptions{
		State: playwright.WaitForSelectorStateAttached}); err != nil {
		t.Fatalf("the page did not get the event %q, but\n%s", what, events(t, v))
	}
}

// awaitLast waits until the last event is what.
func awaitLast(t *testing.T, v *visitor, what string) {
	t.Helper()
	until(t, "the last event is "+what, func() bool { return strings.HasSuffix(events(t, v), what) })
}

func events(t *testing.T, v *visitor) string {
	t.Helper()
	all, err := v.Evaluate(`() => [...document.getElementById("events").children].map((li) => li.textContent).join("\n")`)
	must(t, err)
	return all.(string)
}

// inside is the portal's page in an element's frame, and bank the provider's widget
// in that.
func (v *visitor) inside(id string) playwright.FrameLocator {
	return v.FrameLocator("#" + id + " iframe")
}

func (v *visitor) bank(id string) place {
	return func(selector string) playwright.Locator {
		return v.inside(id).FrameLocator("iframe").Locator(selector)
	}
}

// TestEmbedKit embeds the element in pages of another site, in all ways that an onboarding
// app may use.
func TestEmbedKit(t *testing.T) {
	t.Parallel()
	s := start(t)
	h := newShop(t, s, "127.0.0.1")

	t.Run("a script of at most 4 KB, with its declarations", func(t *testing.T) { embedScriptIsSmall(t, s) })

	t.Run("in the page, without cookies and storage, to the report", func(t *testing.T) { embedInPage(t, s, h) })

	t.Run("as a dialog, from the keyboard, in Spanish", func(t *testing.T) { embedAsDialog(t, s, h) })

	t.Run("as a dialog that the widget closes", func(t *testing.T) { embedAsDialogThatWidgetCloses(t, h) })

	t.Run("twice, moved, upgraded late, with the script twice", func(t *testing.T) { embedTwice(t, s, h) })

	t.Run("in a webview, by redirect", func(t *testing.T) { embedInWebview(t, s, h) })

	t.Run("on a page that may not", func(t *testing.T) { embedWherePageMayNot(t, s, h) })
}

func embedScriptIsSmall(t *testing.T, s *site) {
	for name, want := range map[string]string{"embed.js": "text/javascript", "embed.d.ts": "text/plain"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Portal+"/embed/v1/"+name, nil)
		must(t, err)
		req.Header.Set("Accept-Encoding", "br")
		resp, err := http.DefaultClient.Do(req)
		must(t, err)
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		must(t, err)
		if resp.StatusCode != 200 || resp.Header.Get("Content-Encoding") != "br" || len(raw) > 4<<10 ||
			!strings.HasPrefix(resp.Header.Get("Content-Type"), want) {
			t.Errorf("%s = %d, %d bytes, %v", name, resp.StatusCode, len(raw), resp.Header)
		}
	}
}

func embedInPage(t *testing.T, s *site, h *shop) {
	t.Parallel()
	id, token := h.token(t, nil)
	h.bodies.Store("/inline", `<div class="far"></div>`+element(`id="a"`, token)+`<p>The end.</p>`)
	v := visit(t)
	must(t, v.Context.AddInitScript(
		playwright.Script{Content: playwright.String(`if (window !== top) for (const name of ["sessionStorage", "localStorage", "indexedDB"])
			Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError"); } });`)}))
	frames := v.sent(s.Portal + "/embed/v1/frame")
	v.open(t, h.URL+"/inline")
	must(t, v.page("vestibule-apply:defined").WaitFor())
	if n := len(frames()); n != 0 {
		t.Errorf("%d frames were fetched before one was in view", n)
	}
	must(t, v.page("#a").ScrollIntoViewIfNeeded())
	step(t, v.bank("a"), "consent")
	if shifted, err := v.Evaluate(`() => window.shifted`); err != nil || number(shifted) > 0 {
		t.Errorf("the page moved by %v (%v)", shifted, err)
	}
	v.axe(t)

	// Reload, like a framework that mounts twice: the tab keeps the token.
	_, err := v.Reload()
	must(t, err)
	must(t, v.page("#a").ScrollIntoViewIfNeeded())
	walk(t, v.bank("a"), "default")
	awaitEvent(t, v, "a complete ready")
	if got, want := events(t, v), "a ready\na step connect\na success SUCCESS\na step status\n"; !strings.HasPrefix(got, want) {
		t.Errorf("the page got the events\n%s\nwant\n%s…", got, want)
	}
	see(t, v.inside("a").Locator(`#status[data-state="ready"]`))
	if got := s.stateOf(t, id); got != "ready" {
		t.Errorf("the application is %s", got)
	}
	if cookies, err := v.Context.Cookies(); err != nil || len(cookies) != 0 {
		t.Errorf("there are cookies: %v (%v)", cookies, err)
	}

	// In another browser the token opens nothing, and says so.
	other := visit(t)
	other.expect("404")
	other.open(t, h.URL+"/inline")
	must(t, other.page("#a").ScrollIntoViewIfNeeded())
	awaitEvent(t, other, "a error EMBED_TOKEN_INVALID")
	see(t, other.inside("a").Locator("text="+en("embed.opened_elsewhere.title")))
}

func embedAsDialog(t *testing.T, s *site, h *shop) {
	t.Parallel()
	_, token := h.token(t, map[string]any{"prefill": nil})
	h.bodies.Store("/modal", `<button id="before">Before</button>`+element(`id="m" mode="modal" lang="es"`, token))
	v := visit(t, phone)
	frames := v.sent(s.Portal + "/embed/v1/frame")
	v.open(t, h.URL+"/modal")
	opener := v.page(button(es("embed.element.label")))
	must(t, opener.Focus())
	if n := len(frames()); n != 0 {
		t.Errorf("%d frames were fetched before the dialog was opened", n)
	}
	for range 2 { // the entered data is there when it is opened again
		must(t, v.Keyboard().Press("Enter"))
		awaitEvent(t, v, "m step details")
		see(t, v.page(`role=dialog[name="`+es("embed.element.label")+`"]`))
		name := v.inside("m").Locator("#firstName")
		if value, err := name.InputValue(); err != nil || value != "" && value != "Zoë" {
			t.Errorf("the field holds %q (%v)", value, err)
		}
		if within, err := v.inside("m").Locator("html").Evaluate(`() => document.hasFocus() + " " + document.documentElement.lang`,
			nil); err != nil || within != "true es" {
			t.Errorf("focus and language in the frame: %v (%v)", within, err)
		}
		if err := v.page("#before").Click(playwright.LocatorClickOptions{Timeout: playwright.Float(300)}); err == nil {
			t.Error("the page behind the dialog can be clicked")
		}
		fill(t, name, "Zoë")
		v.axe(t)
		v.fits(t)
		must(t, v.Keyboard().Press("Escape"))
		awaitLast(t, v, "m close") // is sent after the dialog has closed
		if focused, err := opener.Evaluate(`(b) => b.getRootNode().activeElement === b && `+
			`!document.documentElement.hasAttribute("style")`, nil); err != nil || focused != true {
			t.Errorf("after the dialog the button has focus, and the page its scrolling: %v (%v)", focused, err)
		}
	}
	if got, want := events(t, v), "m open\nm ready\nm step details\nm close\nm open\nm close"; got != want {
		t.Errorf("the page got the events\n%s\nwant\n%s", got, want)
	}
	must(t, opener.Press("Enter"))
	click(t, v.page(button(es("visit.close"))))
	awaitLast(t, v, "m close")
}

func embedAsDialogThatWidgetCloses(t *testing.T, h *shop) {
	tools.FullOnly(t)
	t.Parallel()
	_, token := h.token(t, nil)
	h.bodies.Store("/closed", element(`id="m" mode="modal"`, token))
	v := visit(t)
	v.open(t, h.URL+"/closed")
	opener, closer := v.page(button(en("embed.element.label"))), v.page(button(en("embed.element.close")))
	click(t, opener)
	step(t, v.bank("m"), "consent")
	must(t, closer.WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateHidden}))
	v.axe(t)
	click(t, v.bank("m")("[data-testid=close]"))
	click(t, v.bank("m")("#leave button[value=leave]"))
	awaitEvent(t, v, "m close")
	if got := events(t, v); !strings.HasSuffix(got, "m exit\nm close") {
		t.Errorf("the page got the events\n%s", got)
	}
	click(t, opener)
	see(t, v.inside("m").Locator("text="+en("connect.stopped.title")))
	click(t, closer)
	awaitLast(t, v, "m close")
}

func embedTwice(t *testing.T, s *site, h *shop) {
	tools.FullOnly(t)
	t.Parallel()
	_, first := h.token(t, nil)
	_, second := h.token(t, nil)
	h.bodies.Store("/twice", `<div id="place">`+element(`id="a" height="300"`, first)+
		`</div><vestibule-apply id="b"></vestibule-apply><script src="`+s.Portal+`/embed/v1/embed.js" async></script>`)
	v := visit(t)
	release := make(chan struct{})
	must(t, v.Context.Route("**/embed/v1/embed.js", func(r playwright.Route) { <-release; r.Continue() }))
	_, err := v.Goto(h.URL+"/twice", playwright.PageGotoOptions{WaitUntil: playwright.WaitUntilStateCommit})
	must(t, err)
	must(t, v.page("#b").WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateAttached}))
	_, err = v.Evaluate(`(token) => {
			const b = document.getElementById("b");
			b.token = token; // before it is our element
			b.remove();
			document.body.append(b);
		}`, second)
	must(t, err)
	close(release)
	for _, id := range []string{"a", "b"} {
		must(t, v.page("#"+id).ScrollIntoViewIfNeeded())
		step(t, v.bank(id), "consent")
	}
	// Mounted twice at once, and moved while it is open: the frame begins anew.
	_, err = v.Evaluate(`() => {
			const a = document.getElementById("a");
			a.remove();
			document.getElementById("place").append(a);
			document.body.append(a);
		}`)
	must(t, err)
	must(t, v.page("#a").ScrollIntoViewIfNeeded())
	see(t, v.inside("a").Locator(`[data-attempt="1"][data-resumed]`))
	walk(t, v.bank("a"), "default")
	awaitEvent(t, v, "a complete ready")
	if n, err := v.page("iframe").Count(); err != nil || n != 2 {
		t.Errorf("%d frames (%v), want 2", n, err)
	}
	if strings.Contains(events(t, v), "b success") {
		t.Error("one element has the events of the other")
	}
}

func embedInWebview(t *testing.T, s *site, h *shop) {
	tools.FullOnly(t)
	t.Parallel()
	_, token := h.token(t, nil)
	h.bodies.Store("/redirect", fmt.Sprintf(`<vestibule-apply mode="redirect" lang="es" `+
		`token="%s"><button>Go</button></vestibule-apply>`, token))
	v := visit(t, phone, func(o *playwright.BrowserNewContextOptions) {
		o.UserAgent = playwright.String("Mozilla/5.0 (Linux; Android 15; Pixel 8; wv) AppleWebKit/537.36 " +
			"(KHTML, like Gecko) Version/4.0 Chrome/130.0.0.0 Mobile Safari/537.36")
	})
	must(t, v.Context.AddInitScript(
		playwright.Script{Content: playwright.String(
			`for (const name of ["sessionStorage", "localStorage"]) Object.defineProperty(window, name, { value: null });
			delete window.IntersectionObserver;`)}))
	v.open(t, h.URL+"/redirect")
	must(t, v.page("vestibule-apply:defined").WaitFor())
	click(t, v.page("text=Go"))
	step(t, v.widget, "consent")
	if strings.Contains(v.URL(), token) || !strings.HasPrefix(v.URL(), s.Portal+"/applications/") {
		t.Errorf("the window is at %s", v.URL())
	}
	if lang, err := v.page("html").GetAttribute("lang"); err != nil || lang != "es" {
		t.Errorf("the page is in %q (%v)", lang, err)
	}
}

func embedWherePageMayNot(t *testing.T, s *site, h *shop) {
	t.Parallel()
	evil := newShop(t, s, "localhost")
	_, token := h.token(t, nil)
	late := newShop(t, s, "127.0.0.1")
	late.held = make(chan struct{})
	_, blocked := late.token(t, nil)
	evil.bodies.Store("/honest", element(`id="a"`, token))
	lie := s.Portal + "/embed/v1/frame?grant=" + token + ".0000000000000000000000&origin=" + h.URL
	evil.bodies.Store("/liar", `<iframe id="f" title="x" src="`+html.EscapeString(lie)+`"></iframe>`)
	late.bodies.Store("/no-frames", element(`id="a"`, blocked))
	v := visit(t)
	v.expect("404")
	v.expect("frame-ancestors")
	v.expect("frame-src")
	v.expect("FRAME_BLOCKED")
	v.open(t, evil.URL+"/honest")
	awaitEvent(t, v, "a error ORIGIN_NOT_ALLOWED")
	see(t, v.inside("a").Locator("text="+en("embed.setup.title")))

	// Messages of other windows than the frame are ignored.
	_, err := v.Evaluate(`(portal) => {
			for (const source of [window, document.createElement("iframe")])
				for (const from of [portal, location.origin])
					dispatchEvent(new MessageEvent("message", { data: { type: "vestibule", event: "complete",
						state: "ready" }, origin: from, source: source === window ? window : null }));
		}`, s.Portal)
	must(t, err)
	if strings.Contains(events(t, v), "complete") {
		t.Error("the element accepts messages from any window")
	}

	v.open(t, evil.URL+"/liar")
	if n, err := v.FrameLocator("#f").Locator("main, form, section").Count(); err == nil && n > 0 {
		t.Error("a page of another origin may frame the application by a lie")
	}

	// A page whose policy does not allow the frame says so, also to a script that listens later, and offers a next step.
	_, err = v.Goto(late.URL+"/no-frames", playwright.PageGotoOptions{WaitUntil: playwright.WaitUntilStateCommit})
	must(t, err)
	see(t, v.page("text="+en("connect.secure_page")))
	close(late.held)
	awaitEvent(t, v, "a error FRAME_BLOCKED")
	click(t, v.page("text="+en("connect.secure_page")))
	step(t, v.widget, "consent")
}

// TestExamples runs the onboarding apps of docs/examples as their readers do, and walks
// each to its end. Those with a dot are the back ends of docs/tutorials/back-end.md.
func TestExamples(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	for _, name := range []string{"plain", "react", "vue", "main.go", "server.mjs", "server.py"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := s.example(t, name)
			wrong := url.Values{"firstName": {"Ana"}, "lastName": {"Pérez"}, "email": {"ana@example.org"}, "dob": {"1790-06-15"}}
			kind, path, body := "application/x-www-form-urlencoded", "/apply", wrong.Encode()
			if name == "react" || name == "vue" {
				kind, path = "application/json", "/api/application"
				body = `{"applicant":{"firstName":"Ana","lastName":"Pérez","email":"ana@example.org","dob":"1790-06-15"}}`
			}
			resp, err := http.Post(app+path, kind, strings.NewReader(body))
			must(t, err)
			said, err := io.ReadAll(resp.Body)
			must(t, errors.Join(err, resp.Body.Close()))
			if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(said), "Check the year.") {
				t.Errorf("a wrong date is answered %d\n%s", resp.StatusCode, said)
			}
			v := visit(t)
			v.open(t, app)
			for field, value := range map[string]string{"firstName": "Ana", "lastName": "Pérez", "email": "ana@example.org", "dob": "1990-06-15"} {
				fill(t, v.page("input[name="+field+"]"), value)
			}
			click(t, v.page("text="+en("apply.continue")))
			frame := v.FrameLocator("vestibule-apply iframe")
			walk(t, func(selector string) playwright.Locator { return frame.FrameLocator("iframe").Locator(selector) }, "default")
			see(t, v.page("text=Your application is approved."))
			see(t, frame.Locator(`#status[data-state="ready"]`))
			v.axe(t)
		})
	}
}

// example builds and starts one of them beside the site.
func (s *site) example(t *testing.T, name string) (address string) {
	t.Helper()
	var cmd *exec.Cmd
	switch file := "../docs/examples/backend/" + name; name {
	case "server.mjs":
		cmd = exec.Command(tools.Program(t, "node"), file)
	case "server.py":
		cmd = exec.Command("python3", file)
	case "main.go":
		cmd = exec.Command(build(t, "backend"))
	default:
		cmd = exec.Command(build(t, name), "-addr", "127.0.0.1:0", "-portal", s.Portal, "-key", s.Credentials.PortalAPIKey,
			"-packages", "../.cache/npm")
	}
	cmd.Env = append(os.Environ(), "PORT=0", "PORTAL_URL="+s.Portal, "VESTIBULE_PORTAL_API_KEY="+s.Credentials.PortalAPIKey)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	cmd.Stderr = s.Log
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	must(t, err)
	return strings.TrimSpace(strings.TrimPrefix(line, "open "))
}

// build compiles one of docs/examples.
func build(t *testing.T, name string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), name)
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../docs/examples/"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}
