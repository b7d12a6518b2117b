// Command react is an onboarding app with Vestibule embedded in a React page. The
// page is app.jsx, bundled when this starts, by Go: no Node is needed. e2e/setup.sh
// downloads React from the npm registry into .cache/npm.
//
//	make run                # the portal, in one terminal
//	make example-react      # this app, in another
//
// It is React's development build in strict mode, which mounts everything twice.
package main

import (
	"bytes"
	"cmp"
	"crypto/rand"
	_ "embed"
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

//go:embed app.jsx
var source string

//go:embed app.css
var style []byte

func main() {
	addr := flag.String("addr", "127.0.0.1:8091", "where this app listens")
	portal := flag.String("portal", "http://localhost:8080", "the portal's public address")
	key := flag.String("key", os.Getenv("VESTIBULE_PORTAL_API_KEY"), "the portal's API key; default: the sandbox's")
	packages := flag.String("packages", ".cache/npm", "where e2e/setup.sh put React")
	flag.Parse()
	client := portalapi.Client{URL: *portal, Key: *key}
	if *key == "" {
		client.Key = portalapi.SandboxKey("data/sandbox-credentials.json")
	}
	script, err := bundle(*packages)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	a := &app{portal: client, origin: "http://" + listener.Addr().String(), script: script, cases: map[string]string{}}
	fmt.Println("open", a.origin)
	server := &http.Server{Handler: a.routes(), ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}

// bundle makes one script of app.jsx and React.
func bundle(packages string) ([]byte, error) {
	root, err := filepath.Abs(packages)
	if err != nil {
		return nil, err
	}
	alias := map[string]string{}
	for _, name := range []string{"react", "react-dom", "scheduler"} {
		alias[name] = filepath.Join(root, name, "package")
		if _, err := os.Stat(alias[name]); err != nil {
			return nil, fmt.Errorf("%s is not there; run e2e/setup.sh react: %w", name, err)
		}
	}
	r := api.Build(api.BuildOptions{
		Stdin:    &api.StdinOptions{Contents: source, Loader: api.LoaderJSX, Sourcefile: "app.jsx", ResolveDir: root},
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
		http.ServeContent(w, r, "app.css", time.Time{}, bytes.NewReader(style))
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
<script src="%s/embed/v1/embed.js" async></script>
<main id="root"></main>
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
	answer(w, &out, a.callApplication(r, http.MethodPost, "/embed-token", &out))
}

// outcome asks the portal for the application, and answers what is next. An event on the page is a reason
// to ask, not a proof.
func (a *app) outcome(w http.ResponseWriter, r *http.Request) {
	var known portalapi.Application
	err := a.callApplication(r, http.MethodGet, "", &known)
	answer(w, map[string]portalapi.Next{"next": known.Next()}, err)
}

// callApplication calls the portal for the visitor's application.
func (a *app) callApplication(r *http.Request, method, path string, out any) error {
	cookie, err := r.Cookie("case")
	if err != nil {
		return &portalapi.Refusal{Status: http.StatusNotFound, Message: "There is no application yet."}
	}
	a.mu.Lock()
	id := a.cases[cookie.Value]
	a.mu.Unlock()
	return a.portal.Call(r.Context(), method, "/applications/"+id+path, "", nil, out)
}

func answer(w http.ResponseWriter, out any, err error) {
	status := http.StatusOK
	if err != nil {
		log.Print(err)
		status, out = http.StatusBadGateway, map[string]any{"message": "This does not work at the moment."}
		if refused := (*portalapi.Refusal)(nil); errors.As(err, &refused) && refused.Status < 500 {
			message := refused.Message
			for _, d := range refused.Details {
				message = d.Message
			}
			status, out = refused.Status, map[string]any{"message": cmp.Or(message, refused.Code)}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out) // an error means that the browser is gone
}
