// Command backend is an onboarding app with Vestibule in its page.
package main

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
)

//go:embed form.html
var form string

//go:embed verify.html
var verify string

var (
	portal       = os.Getenv("PORTAL_URL")
	key          = os.Getenv("VESTIBULE_PORTAL_API_KEY")
	origin       string   // of this app, as browsers see it
	applications sync.Map // the application of each session; use your database
)

type application struct {
	ID, EmbedToken, State string
	Status, Substatus     *string
}

// call sends a request to the portal's API.
func call(method, path string, body any) (out application, err error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return out, err
	}
	req, err := http.NewRequest(method, portal+"/api/v1/applications"+path, bytes.NewReader(raw))
	if err != nil {
		return out, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return out, fmt.Errorf("the portal answered %s", resp.Status)
	}
	return out, json.NewDecoder(resp.Body).Decode(&out)
}

// apply creates an application for this visitor.
func apply(w http.ResponseWriter, r *http.Request) {
	made, err := call("POST", "", map[string]any{
		"product": "cashflow", "mode": "embedded", "allowedOrigin": origin,
		"prefill": map[string]string{"firstName": r.FormValue("firstName"), "lastName": r.FormValue("lastName"),
			"email": r.FormValue("email"), "dob": r.FormValue("dob")}})
	if err != nil {
		showError(w, err)
		return
	}
	session := rand.Text()
	applications.Store(session, made.ID)
	http.SetCookie(w, &http.Cookie{Name: "session", Value: session, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, "/verify", http.StatusSeeOther)
}

// show shows the page with the element. Each view needs a new token.
func show(w http.ResponseWriter, r *http.Request) {
	token, err := call("POST", applicationPath(r)+"/embed-token", struct{}{})
	if err != nil {
		showError(w, err)
		return
	}
	fmt.Fprint(w, strings.NewReplacer("PORTAL", portal, "TOKEN", token.EmbedToken).Replace(verify))
}

// next decides on the status that the portal reports, never on an event of the page.
func next(w http.ResponseWriter, r *http.Request) {
	a, err := call("GET", applicationPath(r), nil)
	if err != nil {
		showError(w, err)
		return
	}
	todo := "retry" // failed, exited, expired: there is no report
	switch {
	case a.State == "ready" && a.Status != nil && *a.Status == "SUCCESS" && a.Substatus == nil:
		todo = "decide" // fetch the report and decide by its figures
	case a.State == "ready":
		todo = "review" // the report lacks something
	case strings.Contains("started connecting returned pending", a.State):
		todo = "wait"
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]string{"next": todo})
}

// applicationPath returns the path of this visitor's application.
func applicationPath(r *http.Request) string {
	cookie, err := r.Cookie("session")
	if err != nil {
		return "/none"
	}
	id, _ := applications.Load(cookie.Value)
	return fmt.Sprint("/", id)
}

func showError(w http.ResponseWriter, err error) {
	log.Print(err)
	http.Error(w, "This does not work at the moment.", http.StatusBadGateway)
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	origin = "http://" + listener.Addr().String()
	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, form) })
	http.HandleFunc("POST /apply", apply)
	http.HandleFunc("GET /verify", show)
	http.HandleFunc("GET /next", next)
	fmt.Println("open", origin)
	log.Fatal(http.Serve(listener, nil))
}
