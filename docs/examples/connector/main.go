// Command connector is an example of a connector: a program between Vestibule and a
// payroll aggregator or a credit bureau. It speaks the protocol of
// docs/connector.openapi.yaml; docs/how-to/connectors.md says how to run and check it.
//
// The people and their data are invented, and kept in memory. To attach a real source,
// replace the code below "The source".
package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:9090", "address to listen at")
	base := flag.String("url", "", "public base URL; from the address if empty")
	secretFile := flag.String("secret-file", "connector.secret", "file with the secret, whsec_ and base64; it is made if missing")
	redirectURI := flag.String("redirect-uri", "http://127.0.0.1:8081/oauth/callback", "the redirect URI of Vestibule")
	flag.Parse()
	key, err := readSecret(*secretFile)
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	if *base == "" {
		*base = "http://" + l.Addr().String()
	}
	c := &connector{base: *base, redirectURI: *redirectURI, key: key, begun: map[string]*authorization{}, access: map[string]*access{}}
	log.Printf("connector at %s , secret in %s", *base, *secretFile)
	server := &http.Server{Handler: c.routes(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(l))
}

// readSecret reads the secret that signs requests. It makes one if the file is missing.
func readSecret(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		key := make([]byte, 32)
		rand.Read(key)
		return key, os.WriteFile(path, []byte("whsec_"+base64.StdEncoding.EncodeToString(key)+"\n"), 0o600)
	}
	if err != nil {
		return nil, err
	}
	encoded, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "whsec_")
	if !ok {
		return nil, errors.New("the secret must begin with whsec_")
	}
	return base64.StdEncoding.DecodeString(encoded)
}

// connector has the state. A real one keeps it in a database, with the access encrypted.
type connector struct {
	base, redirectURI string
	key               []byte

	mu     sync.Mutex
	begun  map[string]*authorization // by id
	access map[string]*access        // by refresh token
}

// authorization is a sign-in on our pages.
type authorization struct {
	state, person, code string
	expires             time.Time
}

// access is the consent of a person to their data.
type access struct {
	person  string
	token   string
	expires time.Time // of the token
	until   time.Time // end of the consent
}

const (
	signInLife  = 15 * time.Minute
	tokenLife   = time.Hour
	consentLife = 90 * 24 * time.Hour
	maxBody     = 24 << 20 // two identity documents of 8 MiB in base64, and the rest
)

func (c *connector) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /institutions", c.operation("institutions", c.institutions))
	mux.Handle("POST /authorizations", c.operation("authorize", c.authorize))
	mux.Handle("POST /authorizations/complete", c.operation("complete", c.complete))
	mux.Handle("POST /authorizations/renew", c.operation("renew", c.renew))
	mux.Handle("POST /payroll", c.operation("payroll", c.payroll))
	mux.Handle("POST /files", c.operation("file", c.file))
	mux.Handle("POST /revocations", c.operation("revoke", c.revoke))
	mux.HandleFunc("GET /sign-in/{id}", c.showSignIn)
	mux.HandleFunc("POST /sign-in/{id}", c.signIn)
	return mux
}

// request has the members of all operations.
type request struct {
	Operation     string `json:"operation"`
	Institution   string `json:"institution"`
	RedirectURI   string `json:"redirectUri"`
	State         string `json:"state"`
	Authorization string `json:"authorization"`
	Code          string `json:"code"`
	Access        string `json:"access"`
	Refresh       string `json:"refresh"`
	From          string `json:"from"`
	To            string `json:"to"`
	Person        person `json:"person"`
}

type person struct {
	FirstName   string `json:"firstName"`
	LastName    string `json:"lastName"`
	DateOfBirth string `json:"dateOfBirth,omitempty"`
}

// failure is an error of the protocol.
type failure struct {
	status        int
	code, message string
}

func (f failure) Error() string { return f.code + ": " + f.message }

var (
	errInstitution = failure{http.StatusBadRequest, "INVALID_REQUEST", "institution: unknown"}
	errCode        = failure{http.StatusConflict, "ABANDONED", "the code is unknown, used, or expired"}
	errAccess      = failure{http.StatusConflict, "ENDED", "the access is unknown or revoked, or has ended"}
	errExpired     = failure{http.StatusConflict, "EXPIRED", "the access must be renewed"}
	errConfirm     = failure{http.StatusConflict, "CONFIRMATION_REQUIRED", "the payroll provider asks for a code again"}
)

// operation verifies a request, and answers with what f returns, as JSON.
func (c *connector) operation(name string, f func(request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := func() (any, error) {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
			if err != nil {
				return nil, failure{http.StatusBadRequest, "INVALID_REQUEST", "the body is too large or ended early"}
			}
			if err := c.verify(r.Header, body, time.Now()); err != nil {
				return nil, failure{http.StatusUnauthorized, "INVALID_SIGNATURE", err.Error()}
			}
			var in request
			if json.Unmarshal(body, &in) != nil {
				return nil, failure{http.StatusBadRequest, "INVALID_REQUEST", "the body is not a request"}
			}
			if in.Operation != name { // the signature does not cover the path
				return nil, failure{http.StatusUnauthorized, "INVALID_SIGNATURE", "the request is for another operation"}
			}
			return f(in)
		}()
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		var failed failure
		switch {
		case errors.As(err, &failed):
			w.WriteHeader(failed.status)
			answer = map[string]string{"error": failed.code, "message": failed.message}
		case err != nil:
			log.Print(err)
			w.WriteHeader(http.StatusServiceUnavailable)
			answer = map[string]string{"error": "UNRESPONSIVE"}
		case answer == nil:
			w.WriteHeader(http.StatusNoContent)
			return
		}
		json.NewEncoder(w).Encode(answer)
	})
}

// verify checks a signature as Standard Webhooks define it.
func (c *connector) verify(h http.Header, body []byte, now time.Time) error {
	id, timestamp := h.Get("webhook-id"), h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return errors.New("the timestamp is more than five minutes from now")
	}
	mac := hmac.New(sha256.New, c.key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Fields(h.Get("webhook-signature")) {
		if subtle.ConstantTimeCompare([]byte(signature), []byte(want)) == 1 {
			return nil
		}
	}
	return errors.New("no signature fits")
}

func (c *connector) institutions(request) (any, error) {
	return map[string]any{"institutions": []any{
		map[string]any{"id": payrollProvider, "kind": "payroll", "name": "Example Payroll", "place": "Payroll company",
			"placeEs": "Proveedor de nómina", "type": "PAYROLL_COMPANY", "renewal": true},
		map[string]string{"id": bureau, "kind": "supplier", "name": "Example Bureau"},
	}}, nil
}

func (c *connector) authorize(in request) (any, error) {
	switch {
	case in.Institution != payrollProvider:
		return nil, errInstitution
	case in.RedirectURI != c.redirectURI:
		return nil, failure{http.StatusBadRequest, "INVALID_REQUEST", "redirectUri: not of the configured Vestibule"}
	case in.State == "":
		return nil, failure{http.StatusBadRequest, "INVALID_REQUEST", "state: missing"}
	}
	id := rand.Text()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun[id] = &authorization{state: in.State, expires: time.Now().Add(signInLife)}
	return map[string]string{"url": c.base + "/sign-in/" + id, "authorization": id}, nil
}

// complete exchanges a code for access, once.
func (c *connector) complete(in request) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.begun[in.Authorization]
	if a == nil || a.code == "" || subtle.ConstantTimeCompare([]byte(a.code), []byte(in.Code)) != 1 || time.Now().After(a.expires) {
		return nil, errCode
	}
	delete(c.begun, in.Authorization)
	return c.grant(&access{person: a.person, until: time.Now().Add(consentLife)}), nil
}

// grant returns new tokens for access. The caller holds mu.
func (c *connector) grant(a *access) any {
	refresh := rand.Text()
	a.token, a.expires = rand.Text(), time.Now().Add(tokenLife)
	c.access[refresh] = a
	return map[string]string{"access": a.token, "accessExpiresAt": a.expires.UTC().Format(time.RFC3339), "refresh": refresh,
		"expiresAt": a.until.UTC().Format(time.RFC3339)}
}

// renew exchanges a refresh token for new tokens, once.
func (c *connector) renew(in request) (any, error) {
	if in.Institution != payrollProvider {
		return nil, errInstitution
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.access[in.Refresh]
	if a == nil || time.Now().After(a.until) {
		return nil, errAccess
	}
	delete(c.access, in.Refresh)
	return c.grant(a), nil
}

// find returns the access of a token and its refresh token; "" for an unknown token.
func (c *connector) find(token string) (refresh string, a access) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for refresh, a := range c.access {
		if subtle.ConstantTimeCompare([]byte(a.token), []byte(token)) == 1 {
			return refresh, *a
		}
	}
	return "", access{}
}

func (c *connector) payroll(in request) (any, error) {
	if in.Institution != payrollProvider {
		return nil, errInstitution
	}
	from, err1 := time.Parse(time.DateOnly, in.From)
	to, err2 := time.Parse(time.DateOnly, in.To)
	if err1 != nil || err2 != nil {
		return nil, failure{http.StatusBadRequest, "INVALID_REQUEST", "from, to: must be days"}
	}
	refresh, a := c.find(in.Access)
	switch {
	case refresh == "" || time.Now().After(a.until):
		return nil, errAccess
	case time.Now().After(a.expires):
		return nil, errExpired
	case a.person == confirming:
		return nil, errConfirm
	}
	return payrollOf(a.person, from, to), nil
}

func (c *connector) file(in request) (any, error) {
	if in.Institution != bureau {
		return nil, errInstitution
	}
	return fileOf(in.Person), nil
}

func (c *connector) revoke(in request) (any, error) {
	refresh, _ := c.find(in.Access)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.access, refresh)
	delete(c.access, in.Refresh)
	return nil, nil
}

// page is the sign-in page. A real connector shows its aggregator's.
var page = template.Must(template.New("").Parse(`<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Example Payroll</title>
<style>body { font: 1rem/1.5 system-ui; max-width: 24rem; margin: 3rem auto; padding: 0 1rem }
button { font: inherit; padding: .5rem 1rem }</style>
<h1>Example Payroll</h1>{{if .Ended}}<p>This sign-in has ended. Go back to where you started.</p>{{else}}
<p>Choose an invented person, and allow or refuse that their pay is shared.</p><form method="post">
{{range .People}}<p><label><input type="radio" name="person" value="{{.}}" required> {{.}}</label></p>{{end}}
<button name="answer" value="allow">Allow</button>
<button name="answer" value="refuse" formnovalidate>Refuse</button></form>{{end}}</html>`))

func (c *connector) showSignIn(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	a := c.begun[r.PathValue("id")]
	ended := a == nil || a.code != "" || time.Now().After(a.expires)
	c.mu.Unlock()
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	w.Header().Set("Cache-Control", "no-store")
	if ended {
		w.WriteHeader(http.StatusNotFound)
	}
	page.Execute(w, map[string]any{"Ended": ended, "People": people()})
}

// signIn answers the form with a redirect to Vestibule.
func (c *connector) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.begun[r.PathValue("id")]
	if a == nil || a.code != "" || time.Now().After(a.expires) {
		http.Error(w, "This sign-in has ended.", http.StatusNotFound)
		return
	}
	back := url.Values{"state": {a.state}}
	switch name := r.PostFormValue("person"); {
	case r.PostFormValue("answer") != "allow":
		delete(c.begun, r.PathValue("id"))
		back.Set("error", "access_denied")
	case !slices.Contains(people(), name):
		http.Error(w, "Choose a person.", http.StatusBadRequest)
		return
	default:
		a.person, a.code, a.expires = name, rand.Text(), time.Now().Add(time.Minute)
		back.Set("code", a.code)
	}
	http.Redirect(w, r, c.redirectURI+"?"+back.Encode(), http.StatusSeeOther)
}

// The source: replace everything below with requests to your aggregator or bureau.

const (
	payrollProvider = "example-payroll"
	bureau          = "MEX_CDC"
)

// confirming is a person who must confirm again at every request for data.
const confirming = "Kai Moreno"

func people() []string { return []string{"Ana Reyes", "Sam Okafor", confirming} }

// cents is an amount of money. In JSON it is a decimal number.
type cents int64

// MarshalJSON writes two decimals.
func (c cents) MarshalJSON() ([]byte, error) {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	return fmt.Appendf(nil, "%s%d.%02d", sign, c/100, c%100), nil
}

type statement struct {
	PayDate  string `json:"payDate"`
	Start    string `json:"start"`
	End      string `json:"end"`
	Gross    cents  `json:"gross"`
	GrossYTD cents  `json:"grossYtd"`
	Net      cents  `json:"net"`
	NetYTD   cents  `json:"netYtd"`
}

// payrollOf returns a person's payments between two days: a salary twice a month, or what
// an agency pays at the end of some months.
func payrollOf(name string, from, to time.Time) any {
	first, last, _ := strings.Cut(name, " ")
	job := map[string]any{"recordId": "1", "employer": "Harbor Freight Lines", "type": "fulltime", "status": "active", "title": "Dispatcher",
		"hired": "2021-03-01", "rate": cents(58_800_00), "ratePer": "SALARY", "frequency": "SEMI_MONTHLY",
		"address":  map[string]string{"city": "Tacoma", "state": "WA"},
		"deposits": []any{map[string]string{"institution": "First Example Bank", "mask": "4410"}}}
	pay := func(day time.Time) cents {
		if day.Day() == 15 || day.AddDate(0, 0, 1).Day() == 1 {
			return 2_450_00
		}
		return 0
	}
	if name == "Sam Okafor" { // irregular pay: no rate and no frequency
		job = map[string]any{"recordId": "2", "employer": "Bright Stage Agency", "type": "contractor", "status": "active",
			"title": "Sound Engineer"}
		pay = func(day time.Time) cents {
			if day.AddDate(0, 0, 1).Day() != 1 || day.Month()%3 == 0 {
				return 0
			}
			return 1_900_00 + cents(day.Month())*130_25
		}
	}
	all := []statement{}
	var gross, net cents
	start := from
	for day := time.Date(from.Year(), 1, 1, 0, 0, 0, 0, time.UTC); !day.After(to); day = day.AddDate(0, 0, 1) {
		if day.YearDay() == 1 {
			gross, net = 0, 0
		}
		paid := pay(day)
		if paid == 0 {
			continue
		}
		gross, net = gross+paid, net+paid*78/100
		if !day.Before(from) {
			all = append(all, statement{day.Format(time.DateOnly), start.Format(time.DateOnly), day.Format(time.DateOnly),
				paid, gross, paid * 78 / 100, net})
		}
		start = day.AddDate(0, 0, 1)
	}
	slices.Reverse(all) // the newest first
	job["statements"] = all
	return map[string]any{"owner": map[string]any{"firstName": first, "lastName": last}, "jobs": []any{job}}
}

// fileOf returns the file of a person: one credit card, paid on time.
func fileOf(p person) any {
	if p.LastName == "" {
		return map[string]any{"found": false}
	}
	now := time.Now().UTC()
	day := func(months int) string { return now.AddDate(0, -months, 0).Format(time.DateOnly) }
	sum := sha256.Sum256([]byte(p.FirstName + " " + p.LastName))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8 (RFC 9562)
	id := fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	return map[string]any{"found": true, "currency": "MXN", "person": p,
		"scores": []any{map[string]any{"name": "Example Score", "value": 690, "minimum": 300, "maximum": 850, "date": day(0)}},
		"tradelines": []any{map[string]any{"id": id, "type": "CREDIT_CARD", "opened": day(50), "limit": cents(40_000_00),
			"balance": cents(5_210_50), "payment": cents(800_00),
			"marks": []any{map[string]string{"month": day(1)}, map[string]string{"month": day(2)}}}},
		"quote": map[string]any{"currency": "MXN", "rate": json.Number("0.054"), "day": day(0), "source": "Example Rates"}}
}
