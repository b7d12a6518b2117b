package e2e

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"vestibule/internal/testutil/tools"
)

// packagePage is an app with the npm package. It hydrates what a server rendered, in React's strict mode, and
// records the functions that were called. Loaded again, it is what a bundler puts in its place.
const packagePage = `
import { StrictMode, Suspense, use } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { loadVestibule } from "@vestibule/js";
import { VestibuleApply } from "@vestibule/js/react";

const place = document.getElementById("root");
const { portal, token } = place.dataset;
const note = (text) => document.getElementById("events").append(Object.assign(document.createElement("li"), { textContent: text }));
const never = new Promise(() => {});
const Waiting = ({ on }) => on && use(never);
const app = (how) => (
  <StrictMode>
    <Suspense>
      <VestibuleApply id="a" portal={portal} token={token} onReady={() => note("ready " + how)} onStep={({ step }) => note(step)} />
      <Waiting on={how === "hidden"} />
    </Suspense>
  </StrictMode>
);
window.shown?.unmount();
window.shown = place.firstElementChild ? hydrateRoot(place, app("hydrated")) : createRoot(place);
window.show = (how) => window.shown.render(app(how));
window.mount = (how) => { window.shown = createRoot(place); window.show(how); };
window.elsewhere = () => Promise.all([loadVestibule(portal).then((Apply) => note(String(Apply === customElements.get("vestibule-apply")))),
  loadVestibule("http://localhost:1").catch((e) => note(e.message))]);
`

// renderPackage is what a server does for the page: it writes the component's HTML to its output.
const renderPackage = `
import { StrictMode, Suspense } from "react";
import { renderToString } from "react-dom/server.browser";
import { VestibuleApply } from "@vestibule/js/react";
const [portal, token] = process.argv.slice(2);
process.stdout.write(renderToString(<StrictMode><Suspense>
  <VestibuleApply id="a" portal={portal} token={token} onReady={() => 0} /></Suspense></StrictMode>));
process.exit(0); // React's channel for messages would keep it
`

// bundlePackagePage builds the tarball, unpacks it, and bundles the page and its server with it.
func bundlePackagePage(t *testing.T) (page []byte, server string) {
	t.Helper()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "run", "../packages", "-root", "..", "-out", dir)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tarballs, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	must(t, err)
	if out, err := exec.CommandContext(t.Context(), "tar", "xzf", tarballs[0], "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	alias := map[string]string{"@vestibule/js": filepath.Join(dir, "package")}
	for _, name := range []string{"react", "react-dom", "scheduler"} {
		alias[name], err = filepath.Abs(filepath.Join("../.cache/npm", name, "package"))
		must(t, err)
		if _, err := os.Stat(alias[name]); err != nil {
			tools.Missing(t, name+" is not fetched")
		}
	}
	bundle := func(code string) []byte {
		r := api.Build(api.BuildOptions{
			Stdin:  &api.StdinOptions{Contents: code, Loader: api.LoaderJSX, ResolveDir: dir},
			Bundle: true, Format: api.FormatESModule, Target: api.ES2022, JSX: api.JSXAutomatic, Alias: alias,
			Define: map[string]string{"process.env.NODE_ENV": `"development"`},
		})
		if len(r.Errors) > 0 {
			t.Fatal(api.FormatMessages(r.Errors, api.FormatMessagesOptions{}))
		}
		return r.OutputFiles[0].Contents
	}
	server = filepath.Join(dir, "server.mjs")
	must(t, os.WriteFile(server, bundle(renderPackage), 0o600))
	return bundle(packagePage), server
}

// TestPackage uses the npm package's tarball in a page with React: in strict mode, over a server's HTML, hidden by a
// boundary, mounted again, and replaced while the page runs. There is one script and one widget at each time.
func TestPackage(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	script, render := bundlePackagePage(t)
	h := &shop{site: s}
	var token string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /app.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		w.Write(script)
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		rendered, err := exec.CommandContext(r.Context(), "node", render, s.Portal, token).CombinedOutput()
		if err != nil || !strings.Contains(string(rendered), "<vestibule-apply ") {
			t.Errorf("rendered on the server: %s, %v", rendered, err)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; img-src data:; base-uri 'none'; "+
			"require-trusted-types-for 'script'; script-src 'self' %s; frame-src %s", s.Portal, s.Portal))
		fmt.Fprintf(w, `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Shop</title><ol id="events"></ol>
			<div id="root" data-portal="%s" data-token="%s">%s</div>
			<script type="module" src="/app.js"></script>`, s.Portal, html.EscapeString(token), rendered)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	h.URL = server.URL
	_, token = h.token(t, nil)

	v := visit(t)
	one := func(how string) {
		t.Helper()
		awaitEvent(t, v, "ready "+how)
		step(t, v.bank("a"), "consent")
		counts, err := v.Evaluate(`(how) => [document.querySelectorAll("script[src*='/embed/v1/embed.js']").length,
			document.querySelector("vestibule-apply").shadowRoot.querySelectorAll("iframe").length,
			document.querySelectorAll("vestibule-apply").length,
			[...document.querySelectorAll("#events li")].filter((li) => li.textContent === "ready " + how).length].join(" ")`, how)
		must(t, err)
		if counts != "1 1 1 1" {
			t.Errorf("%s: scripts, frames, elements and calls = %s; want one of each", how, counts)
		}
	}
	run := func(code string, args ...any) {
		t.Helper()
		_, err := v.Evaluate(code, args...)
		must(t, err)
	}
	v.open(t, server.URL)
	one("hydrated")
	run(`() => new Promise((hidden) => {
		window.show("hidden"); // by a boundary around it, in which another component waits
		const look = () => getComputedStyle(document.getElementById("a")).display === "none" ? hidden() : requestAnimationFrame(look);
		look();
	})`)
	run(`() => document.getElementById("a").dispatchEvent(new CustomEvent("step", { detail: { step: "heard while hidden" } }))`)
	awaitEvent(t, v, "heard while hidden")
	run(`() => window.show("rendered again")`) // as after an edit of the app
	run(`() => window.shown.unmount()`)
	if n, err := v.page("iframe").Count(); err != nil || n != 0 {
		t.Errorf("unmounted, the page has %d frames (%v)", n, err)
	}
	run(`() => window.mount("mounted again")`)
	one("mounted again")
	run(`() => import("/app.js?edited").then(() => window.show("replaced"))`)
	one("replaced")
	run(`() => window.elsewhere()`)
	awaitEvent(t, v, "true")
	awaitEvent(t, v, fmt.Sprintf("This page has %s/embed/v1/embed.js, so it cannot use http://localhost:1/embed/v1/embed.js.", s.Portal))
}
