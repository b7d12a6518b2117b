package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/web"
)

// host is a customer's site, with another origin and site than the provider's. Its
// pages have the strictest policy under which docs/reference/widget.md says that the widget
// works.
type host struct {
	URL  string
	site *site

	mu       sync.Mutex
	reported []reported
}

// reported is what the WASM module sends to the page's data-report.
type reported struct {
	EventID, Type, PublicToken, Status, ErrorType string
	Attempt                                       int
	Section                                       int `json:"-"` // of the page
}

// hostScript records the arguments of the callbacks.
const hostScript = `
window.calls = [];
const list = document.getElementById("calls");
window.callbacks = (name) => Object.fromEntries(["onSuccess", "onExit", "onError"].map((h) => [h, (...args) => {
	window.calls.push([name, h, ...args.map((a) => a ?? "")]);
	list.append(document.createElement("li"));
}]));
window.begin = (options, name = "first") => SvcWidget.register({ ...options, ...window.callbacks(name) });
document.getElementById("fire")?.addEventListener("click", () => SvcWidget.fire());
`

// fakeScript is a provider's script that does nothing until the test calls the
// registered callbacks.
const fakeScript = `window.FakeWidget = {
	register(options) { (window.registered ??= []).push(options); },
	fire() {},
	destroy() {},
};`

// newHost opens such a site for the time of the test.
func newHost(t *testing.T, s *site) *host {
	t.Helper()
	h := &host{site: s}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", h.plain)
	mux.HandleFunc("GET /module", h.module)
	mux.HandleFunc("POST /report", h.report)
	script := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, text)
		}
	}
	mux.HandleFunc("GET /host.js", script(hostScript))
	mux.HandleFunc("GET /fake.js", script(fakeScript))
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.Handle("GET /assets/", web.Portal().Handler())
	listener, err := net.Listen("tcp", "localhost:0")
	must(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: mux}}
	server.Start()
	t.Cleanup(server.Close)
	h.URL = fmt.Sprintf("http://localhost:%d", listener.Addr().(*net.TCPAddr).Port)
	return h
}

func (h *host) page(w http.ResponseWriter, r *http.Request, policy, body string) {
	lang := r.URL.Query().Get("lang")
	if lang == "" {
		lang = "en"
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; "+policy)
	fmt.Fprintf(w, `<!DOCTYPE html><html lang=%q><head><title>Shop</title></head><body>%s</body></html>`, lang, body)
}

// plain is a page that uses the provider's script directly. ?without=frame has a
// policy that forgets the frame, ?without=place a body without #nova-embed.
func (h *host) plain(w http.ResponseWriter, r *http.Request) {
	policy := fmt.Sprintf("script-src 'self' %[1]s; frame-src %[1]s", h.site.Provider)
	place := `<div id="nova-embed"></div>`
	switch r.URL.Query().Get("without") {
	case "frame":
		policy = fmt.Sprintf("script-src 'self' %s; frame-src 'none'", h.site.Provider)
	case "place":
		place = ""
	}
	h.page(w, r, policy, fmt.Sprintf(
		`<h1>Shop</h1><p><label>Name <input id="name"></label> <button id="fire" type="button">Verify</button></p><ol id="calls" hidden></ol>%s
		<script src="%s/widget/v1/widget.js"></script><script src="/host.js"></script>`, place, h.site.Provider))
}

// module is a page that uses the portal's WASM module, with a section for each
// member of the query's sections, which are data attributes.
func (h *host) module(w http.ResponseWriter, r *http.Request) {
	var sections []map[string]string
	if err := json.Unmarshal([]byte(r.FormValue("sections")), &sections); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var body strings.Builder
	for i, given := range sections {
		attrs := map[string]string{"attempt": "1", "report": fmt.Sprintf("/report?section=%d", i), "product": "cashflow", "today": today(h.site),
			"script": h.site.Provider + "/widget/v1/widget.js"}
		maps.Copy(attrs, given)
		body.WriteString(`<section data-vestibule="connect" data-phase="loading"`)
		for _, name := range slices.Sorted(maps.Keys(attrs)) {
			fmt.Fprintf(&body, " data-%s=\"%s\"", name, html.EscapeString(attrs[name]))
		}
		body.WriteString(`><p data-vestibule-words role="status"></p></section>`)
	}
	assets := web.Portal()
	h.page(w, r, fmt.Sprintf("script-src 'self' 'wasm-unsafe-eval' %[1]s; connect-src 'self'; frame-src %[1]s", h.site.Provider),
		fmt.Sprintf(`<div data-wasm=%q data-wasm-exec=%q data-wasm-worker=%q></div><div id="nova-embed"></div>%s`+
			`<script type="module" src=%q></script>`,
			assets.URL("vestibule.wasm"), assets.URL("wasm_exec.js"), assets.URL("warm.js"), body.String(), assets.URL("module.js")))
}

func (h *host) report(w http.ResponseWriter, r *http.Request) {
	var in reported
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	in.Section, _ = strconv.Atoi(r.FormValue("section"))
	h.mu.Lock()
	h.reported = append(h.reported, in)
	h.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

// script is the object of the register options, as JSON for the page.
func (h *host) options(more map[string]any) map[string]any {
	o := map[string]any{"env": "sandbox", "productId": h.site.Credentials.Products["cashflow"], "publicId": h.site.Credentials.PublicID}
	maps.Copy(o, more)
	for k, v := range o {
		if v == nil {
			delete(o, k)
		}
	}
	return o
}

// begin registers the widget with the page's callbacks, which record their arguments
// under the name.
func begin(t *testing.T, v *visitor, options map[string]any, name string) {
	t.Helper()
	_, err := v.Evaluate(`([options, name]) => begin(options, name)`, []any{options, name})
	must(t, err)
}

// called waits for the nth call of a callback (from 1) and returns registration,
// callback and arguments.
func called(t *testing.T, v *visitor, nth int) []string {
	t.Helper()
	must(t, v.page(fmt.Sprintf("#calls li:nth-child(%d)", nth)).WaitFor(
		playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateAttached}))
	return calls(t, v)[nth-1]
}

func calls(t *testing.T, v *visitor) [][]string {
	t.Helper()
	raw, err := v.Evaluate(`() => JSON.stringify(window.calls)`)
	must(t, err)
	var out [][]string
	must(t, json.Unmarshal([]byte(raw.(string)), &out))
	return out
}

// acceptable is an applicant whom every product's rules accept.
func acceptable(more map[string]any) map[string]any {
	p := map[string]any{"firstName": "Ana", "lastName": "Pérez", "email": "ana@example.org", "dob": "1990-06-15"}
	maps.Copy(p, more)
	for k, v := range p {
		if v == nil {
			delete(p, k)
		}
	}
	return p
}

// basic is the customer's Basic credentials.
func (s *site) basic() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(s.Credentials.ClientID+":"+s.Credentials.SecretKey))
}

// token is a fresh initialization token.
func (s *site) token(t *testing.T, more map[string]any) string {
	t.Helper()
	body := map[string]any{"productId": s.Credentials.Products["cashflow"], "prefill": acceptable(nil)}
	maps.Copy(body, more)
	return call(t, http.MethodPost, s.Provider+"/connect/initialization", s.basic(), body, 2)["token"].(string)
}

// report is status and substatus of a report, that the provider returns to its customer.
func (s *site) report(t *testing.T, publicToken string) (status, substatus string) {
	t.Helper()
	access := call(t, http.MethodGet, s.Provider+"/connect/accesstoken", s.basic(), nil, 2)["accessToken"].(string)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Provider+"/connect/status", nil)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+base64.StdEncoding.EncodeToString([]byte(access)))
	req.Header.Set("X-PUBLIC-TOKEN", publicToken)
	var out struct{ Status, Substatus string }
	for range 3 { // with faults, the service reports a finished report as PENDING, at most twice
		resp := send(t, req)
		must(t, json.NewDecoder(resp.Body).Decode(&out))
		resp.Body.Close()
		if faultSeed == "" || out.Status != "PENDING" {
			break
		}
		out.Substatus = ""
	}
	return out.Status, out.Substatus
}

// today is the provider's date.
func today(s *site) string {
	resp, err := http.Get(s.Control + "/clock")
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	var out struct{ Now string }
	json.NewDecoder(resp.Body).Decode(&out)
	return out.Now[:min(10, len(out.Now))]
}

// hang keeps requests that match from being answered, until the test ends.
func hang(t *testing.T, v *visitor, pattern string) (seen func() int) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	must(t, v.Context.Route(pattern, func(playwright.Route) {
		mu.Lock()
		defer mu.Unlock()
		n++
	}))
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}
