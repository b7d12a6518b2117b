// Command plain is an onboarding app with Vestibule embedded in its page: HTML, a
// little script with the npm package, and this back end. It is an example for apps in any
// language, so it uses Go's standard library alone and calls the portal over HTTP.
//
//	make run              # the portal, in one terminal
//	make example-plain    # this app, in another
//
// It keeps applicants in memory, by a cookie.
package main

import (
	"bytes"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"vestibule/docs/examples/portalapi"
)

//go:embed *.html *.css *.js
var files embed.FS

var pages = template.Must(template.ParseFS(files, "*.html"))

func main() {
	addr := flag.String("addr", "127.0.0.1:8090", "where this app listens")
	portal := flag.String("portal", portalapi.SandboxURL(), "the portal's public address")
	key := flag.String("key", os.Getenv("VESTIBULE_PORTAL_API_KEY"), "the portal's API key; default: the sandbox's")
	packages := flag.String("packages", ".cache/npm", "folder of the npm packages")
	flag.Parse()
	client := portalapi.Client{URL: *portal, Key: *key}
	if *key == "" {
		client.Key = portalapi.SandboxKey("data/sandbox-credentials.json")
	}
	kit, err := os.ReadFile(filepath.Join(*packages, "@vestibule/js/package/index.js"))
	if err != nil {
		log.Fatal("no package: run make packages first: ", err)
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	a := &app{portal: client, origin: "http://" + listener.Addr().String(), kit: kit, cases: map[string]string{}}
	fmt.Println("open", a.origin)
	server := &http.Server{Handler: a.routes(), ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}

type app struct {
	portal portalapi.Client
	origin string // of this app, as browsers see it
	kit    []byte // the npm package's script

	mu    sync.Mutex
	cases map[string]string // cookie → application
}

func (a *app) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", a.form)
	mux.HandleFunc("POST /apply", a.apply)
	mux.HandleFunc("GET /verify", a.verify)
	mux.HandleFunc("GET /outcome", a.outcome)
	mux.HandleFunc("GET /static/vestibule.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "vestibule.js", time.Time{}, bytes.NewReader(a.kit))
	})
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(files)))
	return http.NewCrossOriginProtection().Handler(mux)
}

// page sends HTML with a strict policy. The portal needs two entries in it: its script
// and its frame.
func (a *app) page(w http.ResponseWriter, status int, name string, data any) {
	var out bytes.Buffer
	if err := pages.ExecuteTemplate(&out, name, data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src data:; style-src 'self'; connect-src "+
		"'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "+
		"script-src 'self' "+a.portal.URL+"; frame-src "+a.portal.URL)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = out.WriteTo(w) // an error means that the browser is gone
}

func (a *app) form(w http.ResponseWriter, _ *http.Request) {
	a.page(w, http.StatusOK, "form.html", map[string]any{})
}

// apply creates the application at the portal, with this app's origin.
func (a *app) apply(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "a form is needed", http.StatusBadRequest)
		return
	}
	applicant := map[string]string{}
	for _, name := range []string{"firstName", "lastName", "email", "dob"} {
		applicant[name] = r.PostForm.Get(name)
	}
	var made struct{ ID string }
	err := a.portal.Call(r.Context(), http.MethodPost, "/applications", "", map[string]any{
		"product": "cashflow", "mode": "embedded", "prefill": applicant, "allowedOrigin": a.origin}, &made)
	var refused *portalapi.Refusal
	switch {
	case errors.As(err, &refused) && len(refused.Details) > 0:
		a.page(w, http.StatusBadRequest, "form.html", map[string]any{"Values": applicant, "Problems": refused.Details})
		return
	case err != nil:
		a.showError(w, err)
		return
	}
	id := rand.Text()
	a.mu.Lock()
	a.cases[id] = made.ID
	a.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: "case", Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, "/verify", http.StatusSeeOther)
}

// verify serves the page with the element. Each view gets a new token, because a token
// opens on one page only.
func (a *app) verify(w http.ResponseWriter, r *http.Request) {
	id := a.application(r)
	if id == "" {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	var token struct{ EmbedToken string }
	if err := a.portal.Call(r.Context(), http.MethodPost, "/applications/"+id+"/embed-token", "", nil, &token); err != nil {
		a.showError(w, err)
		return
	}
	a.page(w, http.StatusOK, "verify.html", map[string]any{"Portal": a.portal.URL, "Token": token.EmbedToken})
}

// outcome answers what is next with the application. An event on the page is a reason to ask the
// portal, not a proof.
func (a *app) outcome(w http.ResponseWriter, r *http.Request) {
	id := a.application(r)
	if id == "" {
		http.NotFound(w, r)
		return
	}
	next, err := a.portal.Next(r.Context(), id)
	if err != nil {
		a.showError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(map[string]portalapi.Next{"next": next})
}

func (a *app) application(r *http.Request) string {
	cookie, err := r.Cookie("case")
	if err != nil {
		return ""
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cases[cookie.Value]
}

func (a *app) showError(w http.ResponseWriter, err error) {
	log.Print(err)
	a.page(w, http.StatusBadGateway, "sorry.html", nil)
}
