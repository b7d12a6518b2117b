// Package singlepage is the back end of the examples whose page is a script: it bundles the script, serves the page,
// and calls the portal.
package singlepage

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"vestibule/docs/examples/portalapi"
)

// Page is an example's page.
type Page struct {
	Source   string            // of the script
	Loader   api.Loader        // of its language
	Packages map[string]string // npm packages by name: their folder or file below that of make packages and e2e/setup.sh
	Style    []byte
	Addr     string // where the example listens
}

// Main starts the example, by the flags of the command line.
func Main(p Page) {
	addr := flag.String("addr", p.Addr, "where this app listens")
	portal := flag.String("portal", portalapi.SandboxURL(), "the portal's public address")
	key := flag.String("key", os.Getenv("VESTIBULE_PORTAL_API_KEY"), "the portal's API key; default: the sandbox's")
	packages := flag.String("packages", ".cache/npm", "folder of the npm packages")
	flag.Parse()
	client := portalapi.Client{URL: *portal, Key: *key}
	if *key == "" {
		client.Key = portalapi.SandboxKey("data/sandbox-credentials.json")
	}
	script, err := bundle(p, *packages)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	a := &app{portal: client, origin: "http://" + listener.Addr().String(), script: script, style: p.Style, cases: map[string]string{}}
	fmt.Println("open", a.origin)
	server := &http.Server{Handler: a.routes(), ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}

// bundle makes one script of the page's and its packages.
func bundle(p Page, packages string) ([]byte, error) {
	root, err := filepath.Abs(packages)
	if err != nil {
		return nil, err
	}
	alias := map[string]string{}
	for name, file := range p.Packages {
		alias[name] = filepath.Join(root, file)
		if _, err := os.Stat(alias[name]); err != nil {
			return nil, fmt.Errorf("%s is missing; run make packages and e2e/setup.sh examples: %w", name, err)
		}
	}
	r := api.Build(api.BuildOptions{
		Stdin:    &api.StdinOptions{Contents: p.Source, Loader: p.Loader, ResolveDir: root},
		Bundle:   true,
		Format:   api.FormatIIFE,
		Platform: api.PlatformBrowser,
		Target:   api.ES2022,
		JSX:      api.JSXAutomatic,
		Alias:    alias,
		Define:   map[string]string{"process.env.NODE_ENV": `"development"`},
	})
	if len(r.Errors) > 0 {
		return nil, errors.New(api.FormatMessages(r.Errors, api.FormatMessagesOptions{})[0])
	}
	return r.OutputFiles[0].Contents, nil
}

type app struct {
	portal portalapi.Client
	origin string // of this app, as browsers see it
	script []byte
	style  []byte

	mu    sync.Mutex
	cases map[string]string // cookie → application
}

func (a *app) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", a.page)
	mux.HandleFunc("GET /app.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "app.js", time.Time{}, bytes.NewReader(a.script))
	})
	mux.HandleFunc("GET /app.css", func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "app.css", time.Time{}, bytes.NewReader(a.style))
	})
	mux.HandleFunc("POST /api/application", a.apply)
	mux.HandleFunc("POST /api/token", a.token)
	mux.HandleFunc("GET /api/outcome", a.outcome)
	return http.NewCrossOriginProtection().Handler(mux)
}

// page serves the same page for every path. The portal needs two entries in its policy:
// the script and the frame.
func (a *app) page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src data:; style-src 'self'; connect-src "+
		"'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "+
		"script-src 'self' "+a.portal.URL+"; frame-src "+a.portal.URL)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Harbor Loans</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/app.css">
<main id="root" data-portal="%s"></main>
<script src="/app.js" defer></script>
`, a.portal.URL)
}

// apply creates the application at the portal, with this app's origin, and stores it
// under a cookie. The page's idempotency key prevents a second application.
func (a *app) apply(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Key       string            `json:"key"`
		Applicant map[string]string `json:"applicant"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<10)).Decode(&in); err != nil {
		http.Error(w, "JSON is needed", http.StatusBadRequest)
		return
	}
	var made struct{ ID string }
	err := a.portal.Call(r.Context(), http.MethodPost, "/applications", in.Key, map[string]any{
		"product": "cashflow", "mode": "embedded", "prefill": in.Applicant, "allowedOrigin": a.origin}, &made)
	if err == nil {
		id := rand.Text()
		a.mu.Lock()
		a.cases[id] = made.ID
		a.mu.Unlock()
		http.SetCookie(w, &http.Cookie{Name: "case", Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	}
	answer(w, map[string]any{}, err)
}

// token creates a new embed token for the visitor's application.
func (a *app) token(w http.ResponseWriter, r *http.Request) {
	var out struct {
		EmbedToken string `json:"embedToken"`
	}
	id, err := a.application(r)
	if err == nil {
		err = a.portal.Call(r.Context(), http.MethodPost, "/applications/"+id+"/embed-token", "", nil, &out)
	}
	answer(w, &out, err)
}

// outcome answers what is next with the visitor's application. An event on the page is a reason to ask the portal,
// not a proof.
func (a *app) outcome(w http.ResponseWriter, r *http.Request) {
	id, err := a.application(r)
	var next portalapi.Next
	if err == nil {
		next, err = a.portal.Next(r.Context(), id)
	}
	answer(w, map[string]portalapi.Next{"next": next}, err)
}

// application returns the id of the visitor's application.
func (a *app) application(r *http.Request) (string, error) {
	cookie, err := r.Cookie("case")
	if err != nil {
		return "", &portalapi.Refusal{Status: http.StatusNotFound, Message: "There is no application yet."}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cases[cookie.Value], nil
}

// answer sends out as JSON, or an error. The portal's refusal of a field becomes a 400 that names the fields, for the
// page to show; the browser sees nothing of other errors.
func answer(w http.ResponseWriter, out any, err error) {
	status := http.StatusOK
	if err != nil {
		log.Print(err)
		status, out = http.StatusBadGateway, map[string]any{"message": "This does not work at the moment."}
		if refused := (*portalapi.Refusal)(nil); errors.As(err, &refused) && (refused.Status == 400 || refused.Status == 404) {
			status, out = refused.Status, map[string]any{"message": refused.Message, "fields": refused.Details}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out) // an error means that the browser is gone
}
