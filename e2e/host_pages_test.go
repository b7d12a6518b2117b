//go:build linux

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/i18n"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/tools"
)

// Headers of pages that a browser isolates from other origins.
var (
	isolated       = map[string]string{"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
	credentialless = map[string]string{"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "credentialless"}
	onlyEmbedder   = map[string]string{"Cross-Origin-Embedder-Policy": "require-corp"}
	onlyReports    = map[string]string{"Content-Security-Policy-Report-Only": "frame-src 'self'"}
)

// hostPage is a page of another site with the widget or the element.
type hostPage struct {
	headers  map[string]string
	body     string // %[1]s: the script's address, %[2]s: the options or the token
	element  bool
	isolated bool
	sandbox  string // of a frame with the page
	refused  bool   // the widget calls onError at once
}

const (
	inShadow = `<div id="outer"></div><script>
		const outer = document.getElementById("outer").attachShadow({ mode: "open" });
		outer.innerHTML = "<section><div></div></section>";
		outer.querySelector("div").attachShadow({ mode: "open" }).innerHTML = %q;
	</script>`
	registers = `<div id="nova-embed"></div><script src="%[1]s"></script><script>SvcWidget.register(%[2]s)</script>`
	refuses   = `<div id="nova-embed"></div><script src="%[1]s"></script><script>
		SvcWidget.register({...%[2]s, onError: (_, type) => document.body.append("onError " + type)})</script>`
	applies = `<script src="%[1]s" async></script><vestibule-apply id="a" token="%[2]s"></vestibule-apply>`
)

var hostPages = map[string]hostPage{
	"isolated":                        {headers: isolated, body: registers, isolated: true},
	"isolated without credentials":    {headers: credentialless, body: registers, isolated: true},
	"in a sandboxed frame":            {body: registers, sandbox: "allow-scripts allow-same-origin allow-forms allow-popups"},
	"with a policy that only reports": {headers: onlyReports, body: registers},
	"rendered again": {body: registers + `<script>
		addEventListener("load", () => {
			document.getElementById("nova-embed").outerHTML = '<div id="nova-embed"></div>';
			SvcWidget.register(%[2]s);
		})</script>`},
	"in a sandboxed frame without an origin": {body: refuses, sandbox: "allow-scripts", refused: true},
	"from a copy of the script":              {body: strings.Replace(refuses, "%[1]s", "/copy.js#%[1]s", 1), refused: true},
	"module": {body: `<div id="nova-embed"></div><script type="module" src="%[1]s"></script>
	<script type="module">SvcWidget.register(%[2]s)</script>`},
	"import in a shadow root": {body: fmt.Sprintf(inShadow, `<div id="nova-embed"></div>`) + `<i id="SvcWidget"></i>
	<script type="module">await import("%[1]s"); SvcWidget.register(%[2]s)</script>`},
	"element, isolated":                        {headers: isolated, body: applies, element: true, isolated: true},
	"element, under an embedder policy alone":  {headers: onlyEmbedder, body: applies, element: true},
	"element, with a policy that only reports": {headers: onlyReports, body: applies, element: true},
	"element, import in a shadow root": {element: true, body: fmt.Sprintf(inShadow, `<vestibule-apply id="a"></vestibule-apply>`) + `
	<script type="module">await import("%[1]s");
	outer.querySelector("div").shadowRoot.querySelector("vestibule-apply").token = "%[2]s"</script>`},
}

// serve starts the page's site and returns its address.
func (c hostPage) serve(t *testing.T, s *site) string {
	var page string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range c.headers {
			w.Header().Set(name, value)
		}
		if r.URL.Path == "/copy.js" {
			http.Redirect(w, r, s.Provider+"/widget/v1/widget.js", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		body := page
		if c.sandbox != "" && r.URL.Path == "/" {
			body = fmt.Sprintf(`<iframe sandbox=%q src="/page" height="700"></iframe>`, c.sandbox)
		}
		fmt.Fprint(w, `<!doctype html><html lang="es"><link rel="icon" href="data:,"><title>Shop</title><body>`, body)
	}))
	t.Cleanup(server.Close)
	if c.element {
		h := &shop{site: s, URL: server.URL}
		_, token := h.token(t, nil)
		page = fmt.Sprintf(c.body, s.Portal+"/embed/v1/embed.js", token)
	} else {
		options := testutil.JSON(t, (&host{site: s}).options(map[string]any{"token": s.token(t, nil)}))
		page = fmt.Sprintf(c.body, s.Provider+"/widget/v1/widget.js", options)
	}
	return server.URL
}

// mainHostPages are those that make test opens; make test-full opens all.
var mainHostPages = []string{"isolated", "in a sandboxed frame", "element, isolated"}

// TestHostPages embeds the widget and the element in pages as other sites make them.
func TestHostPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, c := range hostPages {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains(mainHostPages, name) {
				tools.FullOnly(t)
			}
			t.Parallel()
			v := visit(t)
			v.expect("SvcWidget: ") // why it refuses the page
			v.expect("Content Security Policy")
			v.open(t, c.serve(t, s))
			at := v.widget
			if c.element {
				at = v.bank("a")
			}
			if c.sandbox != "" {
				at = func(selector string) playwright.Locator {
					return v.Page.FrameLocator("iframe").FrameLocator("iframe").Locator(selector)
				}
			}
			if c.refused {
				const says = `body:has-text("onError INTERNAL_ERROR")`
				said := v.Locator(says)
				if c.sandbox != "" {
					said = v.Page.FrameLocator("iframe").Locator(says)
				}
				see(t, said)
				return
			}
			see(t, at("html[lang=es]"))
			click(t, at(button(i18n.T(i18n.Spanish, "visit.consent.submit"))))
			step(t, at, "bank")
			if got, err := v.Evaluate(`() => crossOriginIsolated`); err != nil || got != c.isolated {
				t.Errorf("crossOriginIsolated = %v, %v", got, err)
			}
		})
	}
}

// TestEngineHostPages opens these pages in WebKit and Firefox until the frame answers.
func TestEngineHostPages(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	eachEngine(t, func(t *testing.T, d *driven, engine string, _ []view) {
		for name, c := range hostPages {
			if c.sandbox != "" || c.refused { // the outer page cannot see a sandboxed frame's
				continue
			}
			d.open(c.serve(t, s))
			d.holds(name, `
				const within = (root) => root.querySelector("iframe") ??
					[...root.querySelectorAll("*")].map((x) => x.shadowRoot && within(x.shadowRoot)).find((x) => x);
				const frame = within(document);
				return !!frame && frame.style.visibility === "" && frame.style.height !== "420px";`)
			var got bool
			must(t, d.Run(&got, `return crossOriginIsolated`))
			if got != c.isolated && !(name == "isolated without credentials" && engine == "WebKit") { // it does not have them
				t.Errorf("%s: crossOriginIsolated = %v", name, got)
			}
		}
	})
}
