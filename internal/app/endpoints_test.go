package app_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/testutil"
	"vestibule/internal/testutil/tools"
)

// shape is the form of a route's error responses.
type shape int

const (
	inJSON shape = iota // {error, message, requestId, terminated}
	asPage              // a page for people
	asFile              // a line of text: only scripts and styles are there
)

// route is a route with a valid request.
type route struct {
	base    string // of which listener
	method  string
	pattern string // with {…} for what names something
	param   string // a good value of it, the last of them
	above   string // good values of those before it, separated by slashes
	query   string
	shape   shape
	header  []string // who may: pairs
	who     string   // "", basic, bearer, key, visitor, reviewer, staff
	kind    string   // content type of body
	body    string   // a good one; "" when none is read
	loose   bool     // any value in the path is answered with a page of its own
}

func (r route) name() string { return r.method + " " + r.pattern }

func (r route) url() string { return r.at(r.param) }

func (r route) at(param string) string {
	path := r.pattern
	names, above := parameter.FindAllString(path, -1), strings.Split(r.above, "/")
	for i := range len(names) - 1 {
		path = strings.Replace(path, names[i], above[i], 1)
	}
	path = parameter.ReplaceAllLiteralString(path, param)
	return r.base + strings.TrimSuffix(path, "{$}") + r.query
}

var parameter = regexp.MustCompile(`\{[a-z]+(\.\.\.)?\}`)

// attack is one request; what is not sure to be refused is anything but a 5xx.
type attack struct {
	name string
	req  *http.Request
	sure bool
}

// someAtOnce runs all functions, a few at a time, because injected faults make some of
// them wait.
func someAtOnce(all []func()) {
	const atOnce = 6
	var wait sync.WaitGroup
	for first := range atOnce {
		wait.Go(func() {
			for i := first; i < len(all); i += atOnce {
				all[i]()
			}
		})
	}
	wait.Wait()
}

// TestEndpointsRejectBadInput sends bad input to every route of both parties. No
// request may cause a server error, get an answer in another shape than the route's,
// change stored rows, or appear in the log. Before make test-full, it is every 16th of them, and
// every 48th on PostgreSQL.
func TestEndpointsRejectBadInput(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(app.Close)
	eachEngine(t, func(t *testing.T, w *testServer) {
		for document, server := range map[string]string{w.Provider + "/openapi.json": w.Provider, w.Portal + "/api/v1/openapi.json": w.Portal} {
			want := `"servers":[{"description":"The address of this document.","url":"` + server + `"}]`
			if got := good(t, 200, ask(t, "GET", document, "")); !strings.Contains(string(got.Body), want) {
				t.Errorf("%s names another server", document)
			}
		}
		routes := w.routes(t)
		for _, pattern := range registered(t) {
			if !slices.ContainsFunc(routes, func(r route) bool { return r.name() == pattern }) {
				t.Errorf("%s is registered in the code and not in this test", pattern)
			}
		}
		var unsure []func()
		w.rested(t)
		before := w.rows(t)
		every, n := 1, 0 // in make test-full, every attack on every route
		if !tools.Full() {
			every = 16
			if w.databaseURL != "" {
				every = 48
			}
		}
		for _, r := range routes {
			var sure []func()
			picked := func() bool { n++; return n%every == 0 }
			for _, a := range w.attacks(t, r, routes, picked) {
				if try := func() { w.judge(t, r, a) }; a.sure {
					sure = append(sure, try)
				} else {
					unsure = append(unsure, try)
				}
			}
			someAtOnce(sure)
			if tools.Full() {
				before = w.leftNoRows(t, r.name(), before)
			}
		}
		w.leftNoRows(t, "a route (VESTIBULE_TEST_FULL=1 says which)", before)
		someAtOnce(unsure)
		for _, r := range routes {
			if !strings.Contains(r.method, "DELETE") && !strings.HasSuffix(r.pattern, "/sign-out") && r.pattern != "/reset" && r.body == "" {
				if got := do(t, ask(t, r.method, r.url(), "", r.header...)); got.Status >= 400 && r.who != "" {
					t.Errorf("%s: after all that, a good request gets %d\n%s", r.name(), got.Status, got.Body)
				}
			}
		}
		w.nothingLeaked(t)
	}, "--events-url="+app.URL, "--admin-addr=127.0.0.1:0")
}

// leftNoRows fails the test if refused requests have changed the number of rows of a table.
func (w *testServer) leftNoRows(t *testing.T, where string, before map[string]int) (after map[string]int) {
	t.Helper()
	after = w.rows(t)
	if d := difference(before, after); d != "" {
		t.Errorf("%s: refused requests left rows: %s", where, d)
	}
	return after
}

// judge sends one attack and checks the answer against the rules for every route.
func (w *testServer) judge(t *testing.T, r route, a attack) {
	t.Helper()
	got, err := send(a.req)
	if err != nil {
		t.Errorf("%s, %s: %v", r.name(), a.name, err)
		return
	}
	got.documented(t, a.req)
	bad := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s, %s: %s\n%d %v\n%.500s", r.name(), a.name, fmt.Sprintf(format, args...), got.Status, got.Header, got.Body)
	}
	if got.Status >= 500 {
		bad("our own failure")
		return
	}
	if to := got.Header.Get("Location"); to != "" && !w.ours(to) {
		bad("leads to %q", to)
	}
	if got.Header.Get("X-Request-Id") == "" {
		// The HTTP server itself, before any handler.
		if got.Status != 400 && got.Status != 431 {
			bad("no request id")
		}
		return
	}
	signIn := strings.HasPrefix(got.Header.Get("Location"), "/review/sign-in") ||
		strings.HasPrefix(got.Header.Get("Location"), "/dashboard/sign-in") ||
		strings.HasPrefix(got.Header.Get("Location"), "/operator/sign-in")
	if a.sure && got.Status < 400 && !signIn {
		bad("was taken")
		return
	}
	if m := outward.Find(got.Body); m != nil && strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
		bad("a page that leads away: %s", m)
	}
	if got.Status < 400 {
		return
	}
	if !strings.Contains(got.Header.Get("Cache-Control"), "no-store") {
		bad("may be cached")
	}
	if a.req.Method == http.MethodHead {
		return
	}
	kind := got.Header.Get("Content-Type")
	switch {
	case strings.HasPrefix(kind, "application/json"):
		var e struct {
			Error, Message, RequestID string
			Terminated                *bool
		}
		if json.Unmarshal(got.Body, &e) != nil || e.Error == "" || e.Message == "" || e.RequestID == "" || e.Terminated == nil {
			bad("not the shape of an error")
		}
		if r.shape == asPage {
			bad("JSON for people")
		}
	case strings.HasPrefix(kind, "text/html"):
		if r.shape == inJSON {
			bad("a page for programs")
		}
		if !strings.Contains(got.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			bad("a page without a policy")
		}
	default:
		if r.shape != asFile {
			bad("neither JSON nor a page")
		}
	}
}

// outward matches links to an attacker's address.
var outward = regexp.MustCompile(`(?:href|action|src)="(?://|/\\|[a-z:/]*evil|javascript:)[^"]*"`)

// ours reports whether a redirect's target is one of the two parties.
func (w *testServer) ours(to string) bool {
	for _, base := range []string{w.Portal, w.Provider} {
		if strings.HasPrefix(to, base+"/") {
			return true
		}
	}
	return strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && !strings.Contains(to, "\\")
}

// nothingLeaked searches the log for personal data and secrets, and an SQLite file for
// data that must be encrypted.
func (w *testServer) nothingLeaked(t *testing.T) {
	t.Helper()
	c := w.Credentials
	personal := []string{canaryName, canaryLast, canaryEmail, canaryPhone}
	secret := []string{canaryText, c.SecretKey, c.ThirdParty.SecretKey, c.WebhookSecret, c.EventsSecret, c.Reviewer.Password,
		c.PortalAPIKey, c.Dashboard.Email, c.Dashboard.Password, c.ThirdParty.Dashboard.Password}
	log := w.Log.String()
	if w.Admin != "" {
		metrics := string(good(t, 200, ask(t, "GET", w.Admin+"/metrics", "")).Body)
		log += metrics
		if m := identifies.FindString(metrics); m != "" {
			t.Errorf("%q is in the metrics", m)
		}
	}
	for _, s := range slices.Concat(personal, secret) {
		if i := strings.Index(log, s); i >= 0 {
			t.Errorf("%q is in the log: …%s…", s, log[max(0, i-200):min(len(log), i+200)])
		}
	}
	files, err := filepath.Glob(filepath.Join(w.dir, "*.db*"))
	testutil.Must(t, err)
	for _, file := range files {
		raw := testutil.ReadFile(t, file)
		for _, s := range slices.Concat(personal, []string{c.SecretKey, c.EventsSecret, c.Reviewer.Password,
			c.PortalAPIKey, c.Dashboard.Email, c.Dashboard.Password}) {
			if strings.Contains(string(raw), s) {
				t.Errorf("%s has %q unencrypted", s, filepath.Base(file))
			}
		}
	}
}

var routeLiteral = regexp.MustCompile(`"((?:GET|POST|PUT|PATCH|DELETE) /[^" ]*)"`)

// registered returns the routes that the code registers.
func registered(t *testing.T) []string {
	t.Helper()
	found := map[string]bool{}
	for _, dir := range []string{"../portal", "../provider", "../redirect"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "providertest") {
				return err
			}
			if strings.Contains(path, "fdxbank") { // of another listener, with tests of its protocol
				return nil
			}
			raw, err := os.ReadFile(path)
			for _, m := range routeLiteral.FindAllStringSubmatch(string(raw), -1) {
				found[m[1]] = true
			}
			return err
		})
		testutil.Must(t, err)
	}
	if len(found) < 40 {
		t.Fatalf("only %d routes found in the code", len(found))
	}
	return slices.Sorted(maps.Keys(found))
}

// Values of a route's path and query that name nothing.
var (
	badParameters = []string{uuid.NewString(), "..%2f..%2fetc", "%00", canaryText + "%00", "%ff", "%2e%2e", "a.b", "%25", "%252e",
		"%E2%80%AE", "'--", "%0d%0aSet-Cookie:a=b", strings.Repeat("a", 10_000), canaryText}
	badQueries = []string{"lang=%00", "lang=%ff&lang=es", "%zz=%zz", strings.Repeat("a=b&", 5000), "grant=%00", "grant=" + canaryText,
		"grant=a&grant=b", "next=//evil.example", "next=https://evil.example", "next=/%5cevil.example", "after=%00", "after=1.x",
		"after=9999999999999999999", "limit=-1", "state=%00", "q=%00%ff", "mode=%00", "jwt=" + canaryText, "close"}
)

// Bodies over the limits, made once for all routes.
var (
	megabyte = sync.OnceValue(func() string { return strings.Repeat("x", 1<<20) })
	hugeJSON = sync.OnceValue(func() string { return `{"a":"` + strings.Repeat("x", 17<<20) + `"}` })
)

// attacks returns those of the bad requests that fit a route which are picked.
func (w *testServer) attacks(t *testing.T, r route, all []route, picked func() bool) []attack {
	t.Helper()
	var out []attack
	add := func(sure bool, name, method, to, body string, header ...string) *http.Request {
		if !picked() {
			return &http.Request{}
		}
		req := ask(t, method, to, body, header...)
		out = append(out, attack{name, req, sure})
		return req
	}
	kind := []string{"Content-Type", r.kind}
	if r.kind == "" {
		kind = nil
	}
	through := slices.Concat(r.header, kind) // all headers of a good request

	// Methods.
	takes := map[string]bool{}
	for _, o := range all {
		if o.base == r.base && o.pattern == r.pattern {
			takes[o.method] = true
		}
	}
	for _, m := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
		if !takes[m] {
			add(!(m == "HEAD" && takes["GET"]), "method "+m, m, r.url(), "", r.header...)
		}
	}

	// Identifiers in the path.
	if parameter.MatchString(r.pattern) {
		for _, p := range badParameters {
			add(!r.loose, "path "+p[:min(20, len(p))], r.method, r.at(p), r.body, through...)
		}
		add(false, "path .", r.method, r.at("."), r.body, through...)
		add(true, "path of 1 MB", r.method, r.at(megabyte()), "", through...)
	}

	if r.pattern == "/{$}" || r.pattern == "/visit/{handle}" {
		at := r.base + strings.TrimSuffix(strings.TrimSuffix(r.pattern, "{handle}"), "{$}")
		for _, p := range []string{"%2Fevil.example", "%2F%2Fevil.example/a", "%5Cevil.example", "%09/evil.example", "a/b"} {
			add(true, "no such page "+p, "GET", at+p, "")
		}
	}

	// Queries. Most have no meaning on GET, so the expected status is unknown.
	for _, q := range badQueries {
		if r.method == "GET" {
			add(false, "query "+q[:min(20, len(q))], r.method, r.base+strings.TrimPrefix(r.url(), r.base)+"?"+q, "", through...)
		}
	}

	// Credentials.
	w.strangers(t, r, kind, add)

	// Origins.
	unsafe := r.method != "GET" && r.pattern != "/redirect/return"
	if r.base != w.Provider || strings.HasPrefix(r.pattern, "/dashboard") || strings.HasPrefix(r.pattern, "/operator") {
		add(r.pattern != "/openapi.json", "another host", r.method, r.url(), r.body, through...).Host = "evil.example"
		if unsafe {
			for _, from := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"},
				{"Origin", "null"}, {"Origin", "null", "Sec-Fetch-Site", "cross-site"}} {
				add(true, fmt.Sprint(from), r.method, r.url(), r.body, slices.Concat(through, from)...)
			}
		}
	}

	// Bodies.
	switch r.kind {
	case asJSON:
		w.badJSON(r, add)
	case asForm:
		w.badForms(r, add)
	case asFileForm:
		w.badFileForms(r, add)
	}
	return out
}

type adder func(sure bool, name, method, to, body string, header ...string) *http.Request

// strangers adds requests with another account's or malformed credentials.
func (w *testServer) strangers(t *testing.T, r route, kind []string, add adder) {
	t.Helper()
	as := func(name string, header ...string) {
		add(true, name, r.method, r.url(), r.body, slices.Concat(kind, header)...)
	}
	switch r.who {
	case "basic", "bearer", "key":
		w.badAuthorization(r, as)
	case "visitor", "reviewer", "staff":
		w.badCookies(t, r, as)
		if r.who == "staff" && (parameter.MatchString(r.pattern) || strings.HasPrefix(r.pattern, "/operator")) {
			w.otherStaff(t, r, kind, add)
		}
	}
}

// badAuthorization adds requests whose headers name a client, an environment, an account or a report wrongly.
func (w *testServer) badAuthorization(r route, as func(name string, header ...string)) {
	b64 := base64.StdEncoding.EncodeToString
	scheme, other := "Basic", "Bearer"
	if r.who != "basic" {
		scheme, other = other, scheme
	}
	_, value, _ := strings.Cut(r.header[1], " ")
	rest := r.header[2:]
	for name, v := range map[string]string{
		"empty": "", "scheme alone": scheme, "not base-64": scheme + " !!!", "no colon": scheme + " " + b64([]byte("x")),
		"NUL": scheme + " " + b64([]byte("a\x00b:c")), "not UTF-8": scheme + " " + b64([]byte("\xff:\xfe")), "raw bytes": scheme + " \xff\xfe",
		"wrong secret": scheme + " " + b64([]byte(w.Credentials.ClientID+":"+canaryText)), "other scheme": other + " " + value,
		"two values": scheme + " " + value + " " + value, "long": scheme + " " + strings.Repeat("QUFB", 10_000),
		"a JWT": scheme + " " + b64([]byte("eyJhbGciOiJub25lIn0.e30.")),
	} {
		as("authorization "+name, slices.Concat([]string{"Authorization", v}, rest)...)
	}
	as("no authorization", rest...)
	as("authorization twice", slices.Concat(r.header[:2], r.header)...)
	if r.who == "key" {
		return
	}
	for name, h := range map[string][]string{
		"other environment": {"X-Environment", "production"}, "no environment": {"X-Environment", "moon"},
		"two environments": {"X-Environment", "sandbox", "X-Environment", "sandbox"}, "environment not UTF-8": {"X-Environment", "\xff"},
		"another customer": {"X-Public-Id", w.Credentials.ThirdParty.PublicID}, "customer not UTF-8": {"X-Public-Id", "\xff\xfe"},
		"customer unknown": {"X-Public-Id", canaryText}, "two customers": {"X-Public-Id", "a", "X-Public-Id", "b"},
	} {
		if strings.Contains(name, "customer") && r.pattern == "/connect/accesstoken" {
			continue // a parent's token is its own
		}
		as(name, slices.Concat(r.header, h)...)
	}
	if r.who != "bearer" || len(rest) == 0 {
		return // nothing is named
	}
	for name, h := range map[string][]string{
		"no identifier": nil, "empty": {"X-Public-Token", ""}, "unknown": {"X-Public-Token", uuid.NewString()},
		"text": {"X-Public-Token", canaryText}, "not UTF-8": {"X-Public-Token", "\xff\xfe"}, "external not UTF-8": {"X-External-Id", "\xff\xfe"},
		"long": {"X-External-Id", strings.Repeat("x", 30_000)}, "quoted": {"X-External-Id", "'; DROP TABLE reports; --"},
		"both": {"X-Public-Token", rest[1], "X-External-Id", "x"}, "twice": {"X-Public-Token", rest[1], "X-Public-Token", rest[1]},
	} {
		as("identifier "+name, slices.Concat(r.header[:2], h)...)
	}
}

// badCookies adds requests with damaged cookies and those of other people.
func (w *testServer) badCookies(t *testing.T, r route, as func(name string, header ...string)) {
	jar, value, _ := strings.Cut(r.header[1], "=")
	for name, c := range map[string]string{
		"none": "", "empty": jar + "=", "text": jar + "=" + canaryText, "cut": jar + "=" + value[:len(value)/2],
		"tampered": jar + "=A" + value[1:], "two": jar + "=" + value + "; " + jar + "=" + value, "long": jar + "=" + strings.Repeat("A", 20_000),
		"another name": "__Host-" + jar + "=" + value,
	} {
		as("cookie "+name, slices.Concat([]string{"Cookie", c}, r.header[2:])...)
	}
	switch r.who {
	case "reviewer":
		as("an applicant", "Cookie", w.visitor)
	case "visitor":
		as("another applicant", "Cookie", w.stranger)
	case "staff":
		as("an applicant", slices.Concat([]string{"Cookie", w.visitor}, r.header[2:])...)
		if w.reviewer == "" {
			w.reviewer = w.signIn(t)
		}
		as("a reviewer", slices.Concat([]string{"Cookie", w.reviewer}, r.header[2:])...)
		for name, h := range map[string][]string{
			"in a frame": {"Sec-Fetch-Dest", "iframe"}, "by script": {"Sec-Fetch-Mode", "cors"}, "in advance": {"Sec-Purpose", "prefetch"},
		} {
			as(name, slices.Concat(r.header, h)...)
		}
	}
}

// badJSON adds bodies that every JSON route rejects.
func (w *testServer) badJSON(r route, add adder) {
	send := func(sure bool, name, kind, body string) {
		add(sure, name, r.method, r.url(), body, slices.Concat(r.header, []string{"Content-Type", kind})...)
	}
	authorized := slices.Contains(r.header, "Authorization") // then a body without a type is JSON
	for _, kind := range []string{"", "text/plain", "text/json", "multipart/form-data; boundary=x",
		"application/json; charset=utf-16", "application/json/x", asForm} {
		send((r.pattern != "/redirect/return" || kind != asForm) && (kind != "" || !authorized), "type "+kind, kind, r.body)
	}
	add(!authorized, "no type", r.method, r.url(), r.body, r.header...)
	var members map[string]json.RawMessage
	json.Unmarshal([]byte(r.body), &members)
	deep := strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)
	for name, body := range map[string]string{
		"space": " ", "null": "null", "array": "[]", "text": `"` + canaryText + `"`, "number": "1", "open": "{", "half": r.body[:len(r.body)/2],
		"twice": r.body + r.body, "rubbish after": r.body + "x", "NUL after": r.body + "\x00",
		"deep": deep, "deep array": strings.Repeat("[", 60_000),
		"unknown member": `{"` + canaryText + `":1,` + r.body[1:], "not UTF-8": `{"a":"` + "\xff" + `"}`, "NUL": `{"a":"` + "\x00" + `"}`,
		"BOM": "\ufeff" + r.body, "comment": "/**/" + r.body, "huge": hugeJSON(), "empty": "",
	} {
		send(!(name == "empty" && r.pattern == "/keys/rotate"), "body "+name, asJSON, body)
	}
	for name := range members {
		with := func(v string) string {
			m := maps.Clone(members)
			m[name] = json.RawMessage(v)
			raw, _ := json.Marshal(m)
			return string(raw)
		}
		for _, v := range []string{`{"` + canaryText + `":{}}`, `[[]]`, `"a\u0000` + canaryText + `"`, `"` + strings.Repeat("é", 5000) + `"`} {
			send(true, name+" as "+v[:min(20, len(v))], asJSON, with(v))
		}
		for _, v := range []string{`null`, `true`, `-1`, `1e999`, `""`, `" "`, `"\ud800"`, `"\u202e\u2066` + canaryText + `"`,
			`"<script>alert(1)</script>"`, `"'; DROP TABLE visits; --"`, `"../../etc"`, `"javascript:alert(1)"`} {
			send(false, name+" as "+v, asJSON, with(v))
		}
		send(true, name+" twice", asJSON, `{"`+name+`":`+string(members[name])+`,`+r.body[1:])
	}
}

// badForms adds bodies that every form route rejects, and some that a route may accept.
func (w *testServer) badForms(r route, add adder) {
	send := func(sure bool, name, kind, body string) {
		add(sure, name, r.method, r.url(), body, slices.Concat(r.header, []string{"Content-Type", kind})...)
	}
	for _, kind := range []string{"", "text/plain", "multipart/form-data; boundary=x", asForm + "; charset=latin1", "application/xml"} {
		send(true, "type "+kind, kind, r.body)
	}
	send(true, "percent", asForm, r.body+"&a=%zz")
	send(true, "not UTF-8", asForm, r.body+"&a=%ff")
	send(true, "not UTF-8 name", asForm, r.body+"&%ff=a")
	send(true, "semicolon", asForm, r.body+";a=b")
	send(true, "huge", asForm, r.body+"&a="+megabyte())
	form, _ := url.ParseQuery(r.body)
	for name := range form {
		with := func(v ...string) string {
			f := maps.Clone(form)
			f[name] = v
			return f.Encode()
		}
		send(true, name+" with NUL", asForm, with("a\x00"+canaryText))
		for _, v := range []string{"", " ", "\u202e" + canaryText, "<script>alert(1)</script>", strings.Repeat("é", 5000),
			"\r\nSet-Cookie: a=b", "//evil.example", "javascript:alert(1)"} {
			send(false, name+" odd", asForm, with(v))
		}
		send(false, name+" repeated", asForm, with(form.Get(name), canaryText))
	}
	send(false, "nothing", asForm, "")
	send(false, "unknown field", asForm, r.body+"&"+canaryText+"=1")
}

// asFileForm is the content type of forms with a file.
const asFileForm = "multipart/form-data; boundary=x"

// formPart returns a field of a form with a file. After the last part, "--x--" ends the form.
func formPart(name, value string) string {
	return "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
}

// filePart returns the file of a form.
func filePart(name, fileName, content string) string {
	return "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"" + fileName + "\"\r\n\r\n" + content + "\r\n"
}

// badFileForms adds bodies that every route for a form with a file rejects, and some that a
// route may accept. A route for anyone may answer before it reads the form.
func (w *testServer) badFileForms(r route, add adder) {
	send := func(sure bool, name, kind, body string, more ...string) {
		add(sure && r.who != "", name, r.method, r.url(), body, slices.Concat(r.header, []string{"Content-Type", kind}, more)...)
	}
	for _, kind := range []string{"", "text/plain", asForm, asJSON, "multipart/mixed; boundary=x", "multipart/form-data",
		"multipart/form-data; boundary=", "multipart/form-data; boundary=y", "multipart/form-data; boundary=" + strings.Repeat("x", 71)} {
		send(true, "type "+kind, kind, r.body)
	}
	send(true, "coded", asFileForm, r.body, "Content-Encoding", "gzip")
	parts := strings.TrimSuffix(r.body, "--x--\r\n")
	long := strings.Repeat("x", 20_000)
	for name, body := range map[string]string{
		"empty": "", "half": r.body[:len(r.body)/2], "without an end": parts, "text": canaryText,
		"a part without headers": "--x\r\n" + r.body, "a bad header": "--x\r\n" + canaryText + "\r\n\r\na\r\n" + r.body,
		"huge":          filePart("file", "a", strings.Repeat("x", 17<<20)) + r.body,
		"a long header": filePart("file", strings.Repeat(long, 60), "a") + r.body,
	} {
		send(true, "body "+name, asFileForm, body)
	}
	for _, fileName := range []string{"", "../../etc", canaryText, "a.\x00svg", "\xff.svg", long + ".svg", "a.svg; filename=b.png"} {
		for _, content := range []string{"", "\x00", "<svg", "\x89PNG", "<script>alert(1)</script>", megabyte()} {
			send(false, "a second file", asFileForm, parts+filePart("file", fileName, content)+"--x--\r\n")
		}
	}
	send(false, "nothing", asFileForm, "--x--\r\n")
	for _, field := range []string{"once", "scheme", "remove", canaryText, "\xff", long} {
		for _, v := range []string{"", "\x00" + canaryText, "\xff", "dark", "<script>alert(1)</script>", long} {
			send(false, "field "+field[:min(20, len(field))], asFileForm, parts+formPart(field, v)+"--x--\r\n")
		}
	}
}
