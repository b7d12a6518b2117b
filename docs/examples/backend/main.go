// Command backend is an onboarding app with Vestibule in its page.
package main

import (
	"bytes"
	"cmp"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
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

// application is what the portal answers about an application.
type application struct {
	ID, EmbedToken, State string
	Status, Substatus     *string
}

// report is what this app reads of a cashflow report.
type report struct {
	Attributes []struct {
		Name  string
		Value *float64
	}
}

// refusal is an error response of the portal.
type refusal struct {
	Status  int
	Message string
	Details []struct{ Field, Message, Applicant string }
}

func (r *refusal) Error() string {
	return fmt.Sprint("the portal answered ", r.Status, ": ", r.Message)
}

// call sends a request to the portal's API, and decodes its answer into out.
func call(method, path string, body, out any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(method, portal+"/api/v1/applications"+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		refused := &refusal{Status: resp.StatusCode}
		json.NewDecoder(resp.Body).Decode(refused) // without a body, use the status
		return refused
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// apply creates an application for this visitor. If the portal refuses fields, the form names them.
func apply(w http.ResponseWriter, r *http.Request) {
	var made application
	err := call("POST", "", map[string]any{
		"product": "cashflow", "mode": "embedded", "allowedOrigin": origin,
		"prefill": map[string]string{"firstName": r.FormValue("firstName"), "lastName": r.FormValue("lastName"),
			"email": r.FormValue("email"), "dob": r.FormValue("dob")}}, &made)
	var refused *refusal
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusBadRequest:
		problems := ""
		for _, d := range refused.Details {
			problems += "<p role=\"alert\">" + html.EscapeString(cmp.Or(d.Applicant, d.Field+": "+d.Message)) + "</p>"
		}
		w.WriteHeader(http.StatusBadRequest)
		showForm(w, problems)
		return
	case err != nil:
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
	var token application
	if err := call("POST", applicationPath(r)+"/embed-token", struct{}{}, &token); err != nil {
		showError(w, err)
		return
	}
	fmt.Fprint(w, strings.NewReplacer("PORTAL", portal, "TOKEN", token.EmbedToken).Replace(verify))
}

// next decides on what the portal reports, never on an event of the page.
func next(w http.ResponseWriter, r *http.Request) {
	var a application
	if err := call("GET", applicationPath(r), nil, &a); err != nil {
		showError(w, err)
		return
	}
	todo := "retry" // failed, exited, expired: there is no report
	switch {
	case a.State == "ready" && a.Status != nil && *a.Status == "SUCCESS" && a.Substatus == nil:
		var rep report
		if err := call("GET", applicationPath(r)+"/report", nil, &rep); err != nil {
			showError(w, err)
			return
		}
		todo = decide(rep)
	case a.State == "ready":
		todo = "review" // the report lacks something
	case strings.Contains("started connecting returned pending", a.State):
		todo = "wait"
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]string{"next": todo})
}

// decide approves an average income of at least $3,000 a month. A person decides on all others. Values from 9999996
// say why there is no figure.
func decide(r report) string {
	for _, a := range r.Attributes {
		if a.Name == "UA_INFLOW_INCOME_AVG_12R" && a.Value != nil && *a.Value >= 3000 && *a.Value < 9999996 {
			return "approve"
		}
	}
	return "review"
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

// showForm shows the form, with problems as HTML.
func showForm(w http.ResponseWriter, problems string) {
	fmt.Fprint(w, strings.Replace(form, "PROBLEMS", problems, 1))
}

// showError shows that the portal has no such application, or that something else went wrong.
func showError(w http.ResponseWriter, err error) {
	log.Print(err)
	if refused := (*refusal)(nil); errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		http.Error(w, "There is no application. Begin at the first page.", http.StatusNotFound)
		return
	}
	http.Error(w, "This does not work at the moment.", http.StatusBadGateway)
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	origin = "http://" + listener.Addr().String()
	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { showForm(w, "") })
	http.HandleFunc("POST /apply", apply)
	http.HandleFunc("GET /verify", show)
	http.HandleFunc("GET /next", next)
	fmt.Println("open", origin)
	log.Fatal(http.Serve(listener, nil))
}
