package attacktest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/app"
	"vestibule/internal/contract"
	"vestibule/internal/mail"
	"vestibule/internal/provider"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/ports"
	"vestibule/internal/testutil/program"
	"vestibule/internal/testutil/providertest"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/tools"
)

// times is how often a stranger repeats a request.
const times = 1000

const victim = "ana@example.com" // a consumer, and a user of the other account

// network returns the address of the nth of many networks, each a /48.
func network(n int) string { return fmt.Sprintf("2001:db8:%x::1", n+2) }

// loaded is a provider with two accounts: that of providertest, and another one, whose first
// user is the victim.
type loaded struct {
	*providertest.Server
	t     *testing.T
	other provider.NewCustomer

	mu      sync.Mutex
	sent    []mail.Message
	reading chan struct{} // gets a value when an image begins to be read
	read    chan struct{} // closed when images can be read
}

func newLoaded(t *testing.T) *loaded {
	tools.FullOnly(t)
	l := &loaded{t: t, reading: make(chan struct{}, times), read: make(chan struct{})}
	l.Server = providertest.Start(t, storetest.SQLite(t, store.Provider), "get", func(c *provider.Config) {
		c.Mail, c.Scanner, c.BehindProxy, c.Limits.WidgetFiles = l, l, true, 25
		c.Limits.WidgetRate, c.Limits.WidgetAccountRate = 60, 600
	})
	l.other = provider.NewCustomer{Name: "Harbor Bank", PublicID: uuid.NewString(), ClientID: "other", SecretKey: "other-secret-canary",
		Products: map[contract.Product]string{}, Staff: victim}
	for _, kind := range contract.Products() {
		l.other.Products[kind] = uuid.NewString()
	}
	if _, err := l.Provider.AddCustomer(t.Context(), l.other); err != nil {
		t.Fatal(err)
	}
	if n := l.letters("/dashboard/set-password/"); n != 1 {
		t.Fatalf("%d invitations of the other account's user", n)
	}
	link := regexp.MustCompile(`/dashboard/set-password/[^?\s]+`).FindString(l.sent[0].Text)
	if a := l.Do("POST", link, url.Values{"password": {"a password of the other account"}}, l.fromPage); a.Status != http.StatusSeeOther {
		t.Fatalf("the first password of the other account's user: %d %s", a.Status, a.Body)
	}
	l.sent = nil
	return l
}

// Send implements mail.Mailer.
func (l *loaded) Send(_ context.Context, m mail.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent = append(l.sent, m)
	return nil
}

// Read implements reports.Scanner: an image that takes until the test lets it be read.
func (l *loaded) Read(ctx context.Context, _ []byte) ([]paystub.ScannedPage, error) {
	l.reading <- struct{}{}
	select {
	case <-l.read:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// letters waits until no job is due, and returns how many emails have a text.
func (l *loaded) letters(text string) (n int) {
	l.t.Helper()
	until(l.t, "the jobs", func() (string, bool) {
		due := l.Count(`SELECT count(*) FROM river_job WHERE state IN ('available', 'running', 'retryable')`)
		return fmt.Sprint(due, " are due"), due == 0
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.sent {
		if strings.Contains(m.Text, text) {
			n++
		}
	}
	return n
}

func (l *loaded) asOther(r *http.Request) { r.SetBasicAuth(l.other.ClientID, l.other.SecretKey) }

// fromPage makes a request that of a page of the dashboard.
func (l *loaded) fromPage(r *http.Request) {
	r.Header.Set("Origin", l.URL)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
}

func from(address string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("X-Forwarded-For", address) }
}

// options of a visit of an account.
func (l *loaded) options(products map[contract.Product]string, kind contract.Product) map[string]any {
	return map[string]any{"productId": products[kind], "prefill": providertest.Prefill()}
}

// visit begins a visit without a token from a network, and returns its path.
func (l *loaded) visit(address string) string {
	l.t.Helper()
	options := l.options(l.Seed.Products, contract.Income)
	options["env"], options["publicId"] = "sandbox", l.Seed.PublicID
	return l.toPayStubs(l.Do("POST", "/widget/v1/visits", options, from(address)))
}

func (l *loaded) toPayStubs(begun providertest.Answer) string {
	l.t.Helper()
	handle, _ := begun.JSON["handle"].(string)
	path := "/visit/" + handle
	l.post(path, "action", "consent")
	l.post(path, "action", "source", "source", "paystubs")
	return path
}

func (l *loaded) post(path string, pairs ...string) {
	l.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	if a := l.Do("POST", path, form); a.Status != http.StatusSeeOther {
		l.t.Fatalf("POST %s %v: %d\n%.2000s", path, pairs, a.Status, a.Body)
	}
}

// upload adds an image to a visit and returns the status.
func (l *loaded) upload(path, address string) int {
	l.t.Helper()
	var picture, body bytes.Buffer
	form := multipart.NewWriter(&body)
	w, err := form.CreateFormFile("file", "stub.png")
	if err == nil {
		err = png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 64)))
	}
	testutil.Must(l.t, err)
	w.Write(append(picture.Bytes(), make([]byte, 100<<10)...))
	form.Close()
	return l.Do("POST", path+"/documents", body.String(), from(address), func(r *http.Request) {
		r.Header.Set("Content-Type", form.FormDataContentType())
	}).Status
}

// completed makes a report of the account of providertest.
func (l *loaded) completed() (publicToken string) {
	l.t.Helper()
	token, _ := l.Do("POST", "/connect/initialization", l.options(l.Seed.Products, contract.Cashflow), l.Basic).JSON["token"].(string)
	status, done := l.Control("POST", "/visits/"+token+"/complete", map[string]any{"username": "default"})
	publicToken, _ = done["publicToken"].(string)
	if status != http.StatusOK || publicToken == "" {
		l.t.Fatalf("complete: %d %v", status, done)
	}
	return publicToken
}

// TestLoadOnTheProvider has a stranger, or an account, repeat a request a thousand times, and
// checks what another account, visit or purpose still gets.
func TestLoadOnTheProvider(t *testing.T) {
	for _, row := range providerLoads {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			l := newLoaded(t)
			l.Webhooks(l.completed(), 1) // makes the victim a consumer
			good := 0
			for n := range times {
				switch status := row.attack(l, n); {
				case status < 400:
					good++
				case status != http.StatusTooManyRequests:
					t.Fatalf("request %d: %d", n, status)
				}
			}
			if good > row.most {
				t.Errorf("%d of %d were accepted, want at most %d", good, times, row.most)
			}
			row.others(t, l)
		})
	}
	t.Run("uploads of a visit, against those of another", func(t *testing.T) {
		t.Parallel()
		testUploads(t)
	})
	t.Run("slow images, against another account's report and webhook", func(t *testing.T) {
		t.Parallel()
		testSlowImages(t)
	})
}

const accessPath, resetPath, invitePath = "/access/link/", "/dashboard/set-password/", "/invite/"

func requestAccess(l *loaded, n int) int {
	return l.Do("POST", "/access", url.Values{"email": {victim}}, from(network(n))).Status
}

func requestReset(l *loaded, n int) int {
	return l.Do("POST", "/dashboard/forgotten-password", url.Values{"email": {victim}}, from(network(n)), l.fromPage).Status
}

// inviting returns the body of an invite to the victim.
func inviting(products map[contract.Product]string) map[string]any {
	return map[string]any{"productId": products[contract.Cashflow], "deliverTo": victim,
		"prefill": map[string]any{"firstName": "Ana", "lastName": "Pérez", "email": victim, "dob": "1990-06-15"}}
}

// providerLoads are requests of one attacker, and what must still work for others after them.
var providerLoads = []struct {
	name   string
	attack func(l *loaded, n int) int
	most   int // of answers below 400
	others func(t *testing.T, l *loaded)
}{
	{"access links, against invites and passwords", requestAccess, times, func(t *testing.T, l *loaded) {
		a := l.Do("POST", "/connect/invite", inviting(l.other.Products), l.asOther)
		got := requestReset(l, times)
		if a.Status != http.StatusOK || got >= 400 || l.letters(invitePath) != 1 || l.letters(resetPath) != 1 || l.letters(accessPath) != 3 {
			t.Errorf("the invite %d, the password %d; emails %d, %d and %d access links", a.Status, got, l.letters(invitePath),
				l.letters(resetPath), l.letters(accessPath))
		}
	}},
	{"forgotten passwords, against access links", requestReset, times, func(t *testing.T, l *loaded) {
		if got := requestAccess(l, times); got >= 400 || l.letters(accessPath) != 1 || l.letters(resetPath) != 3 {
			t.Errorf("%d; emails %d, and %d of passwords", got, l.letters(accessPath), l.letters(resetPath))
		}
	}},
	{"invites of an account, against those of another", func(l *loaded, n int) int {
		return l.Do("POST", "/connect/invite", inviting(l.Seed.Products), l.Basic).Status
	}, 3, func(t *testing.T, l *loaded) {
		if a := l.Do("POST", "/connect/invite", inviting(l.other.Products), l.asOther); a.Status != http.StatusOK || l.letters(invitePath) != 4 {
			t.Errorf("%d %s; %d emails", a.Status, a.Body, l.letters(invitePath))
		}
	}},
	{"initializations of an account, against those of another", func(l *loaded, n int) int {
		return l.Do("POST", "/connect/initialization", l.options(l.Seed.Products, contract.Cashflow), l.Basic).Status
	}, times, func(t *testing.T, l *loaded) {
		for _, path := range []string{"/connect/initialization", "/connect/invite-link"} {
			if a := l.Do("POST", path, l.options(l.other.Products, contract.Cashflow), l.asOther); a.Status != http.StatusOK {
				t.Errorf("%s: %d %s", path, a.Status, a.Body)
			}
		}
	}},
	{"visits of a network, against those of another", func(l *loaded, n int) int {
		options := l.options(l.Seed.Products, contract.Income)
		options["env"], options["publicId"] = "sandbox", l.Seed.PublicID
		return l.Do("POST", "/widget/v1/visits", options, from(fmt.Sprintf("2001:db8:1:1::%x", n+1))).Status
	}, 60, func(t *testing.T, l *loaded) { l.visit(network(times)) }},
}

func testUploads(t *testing.T) {
	l := newLoaded(t)
	path, another := l.visit(network(0)), l.visit(network(times))
	for n := range times {
		if status := l.upload(path, network(n)); status >= 500 {
			t.Fatalf("upload %d: %d", n, status)
		}
	}
	if size := l.Count(`SELECT sum(size) FROM documents`); size > 1<<20+200<<10 { // the last one may exceed the share
		t.Errorf("the visit stored %d bytes, and its share is 1 MiB", size)
	}
	if status := l.upload(another, network(times)); status != http.StatusSeeOther {
		t.Errorf("the other visit's upload: %d", status)
	}
}

func testSlowImages(t *testing.T) {
	l := newLoaded(t)
	defer close(l.read)
	for range 2 * 16 { // a queue has 16 workers
		token := l.Do("POST", "/connect/initialization", l.options(l.other.Products, contract.Income), l.asOther).JSON["token"]
		path := l.toPayStubs(l.Do("POST", "/widget/v1/visits", map[string]any{"env": "sandbox", "publicId": l.other.PublicID,
			"productId": l.other.Products[contract.Income], "token": token}))
		if status := l.upload(path, network(0)); status != http.StatusSeeOther {
			t.Fatalf("upload: %d", status)
		}
		l.post(path, "action", "hand-in")
		l.post(path, "action", "finish")
	}
	until(t, "an image", func() (string, bool) { return "none is read", len(l.reading) > 0 })
	// No image has been read: a report that waits for one fails here by Until's time.
	if event := l.Webhooks(l.completed(), 1)[0]; event["status"] != string(contract.StatusSuccess) {
		t.Errorf("the other account's webhook: %v", event)
	}
}

// letterbox is a mail server that keeps what it gets.
type letterbox struct {
	addr    string
	mu      sync.Mutex
	letters []string
}

func newLetterbox(t *testing.T) *letterbox {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testutil.Must(t, err)
	t.Cleanup(func() { l.Close() })
	box := &letterbox{addr: l.Addr().String()}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go box.serve(c)
		}
	}()
	return box
}

// serve answers a client of SMTP (RFC 5321).
func (b *letterbox) serve(c net.Conn) {
	defer c.Close()
	in, letter, data := bufio.NewScanner(c), strings.Builder{}, false
	fmt.Fprint(c, "220 test\r\n")
	for in.Scan() {
		switch line := in.Text(); {
		case data && line != ".":
			letter.WriteString(line + "\n")
		case data:
			b.mu.Lock()
			b.letters = append(b.letters, letter.String())
			b.mu.Unlock()
			letter.Reset()
			data = false
			fmt.Fprint(c, "250 kept\r\n")
		case line == "DATA":
			data = true
			fmt.Fprint(c, "354 go on\r\n")
		default:
			fmt.Fprint(c, "250 yes\r\n")
		}
	}
}

// count returns how many letters to an address have a link whose path begins so.
func (b *letterbox) count(to, path string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, letter := range b.letters {
		letter = strings.ReplaceAll(letter, "=\n", "") // soft line breaks
		if strings.Contains(letter, "To: <"+to+">") && strings.Contains(letter, path) {
			n++
		}
	}
	return n
}

// TestLoadOnThePortal is TestLoadOnTheProvider for the portal, which a stranger reaches without an
// account. The program is behind a proxy, so that it tells networks apart.
func TestLoadOnThePortal(t *testing.T) {
	tools.FullOnly(t)
	assets.Need(t)
	staff.UseCheapHashes()
	l := newLoadedPortal(t)
	t.Run("emails, against those of another purpose and another address", func(t *testing.T) { loadEmails(t, l) })
	t.Run("applications of a network, against those of another", func(t *testing.T) { loadApplications(t, l) })
	t.Run("event streams of a network, against those of another", func(t *testing.T) { loadStreams(t, l) })
	t.Run("clients that stall, against others", func(t *testing.T) { stallClients(t, l) })
}

func loadEmails(t *testing.T, l *loadedPortal) {
	reviewer := l.credentials.Reviewer.Email
	accepted(t, l.apply(t, &browser{}, network(1), reviewer))
	accepted(t, l.apply(t, &browser{}, network(2), victim))
	repeat := func(path string) {
		t.Helper()
		for n := range times {
			if got := l.post(t, nil, network(n), path, url.Values{"email": {reviewer}}); got.status >= 400 {
				t.Fatalf("%s, request %d: %d", path, n, got.status)
			}
		}
	}
	arrives := func(to, path string) {
		t.Helper()
		until(t, path+" to "+to, func() (string, bool) { return "none", l.box.count(to, path) > 0 })
	}
	repeat("/review/forgotten-password")
	l.post(t, nil, network(times), "/return", url.Values{"email": {reviewer}})
	arrives(reviewer, "/resume/")
	repeat("/return")
	l.post(t, nil, network(times+1), "/return", url.Values{"email": {victim}})
	arrives(victim, "/resume/")
	for _, path := range []string{"/resume/", "/review/set-password/"} {
		if n := l.box.count(reviewer, path); n == 0 || n > 3 {
			t.Errorf("%d emails with %s, want 1 to 3", n, path)
		}
	}
}

func loadApplications(t *testing.T, l *loadedPortal) {
	good := 0
	for n := range times {
		switch got := l.apply(t, &browser{}, fmt.Sprintf("2001:db8:0:1::%x", n+1), victim); got.status {
		case http.StatusSeeOther:
			good++
		case http.StatusTooManyRequests:
		default:
			t.Fatalf("application %d: %d", n, got.status)
		}
	}
	if good > times/2 { // 20, and one every 3 seconds
		t.Errorf("%d of %d were accepted", good, times)
	}
	accepted(t, l.apply(t, &browser{}, network(3), victim))
}

func loadStreams(t *testing.T, l *loadedPortal) {
	other, open := &browser{}, 0
	application := accepted(t, l.apply(t, other, network(4), victim))
	for n := range 10 {
		b := &browser{}
		own := accepted(t, l.apply(t, b, network(5+n), victim))
		for range times / 10 {
			if resp := l.stream(t, b, own, "2001:db8:0:2::1"); resp.StatusCode == http.StatusOK {
				open++
			} else {
				resp.Body.Close()
			}
		}
	}
	if open != 100 {
		t.Errorf("a network has %d streams, want 100", open)
	}
	resp := l.stream(t, other, application, network(4))
	if line, err := bufio.NewReader(resp.Body).ReadString('\n'); resp.StatusCode != http.StatusOK || err != nil {
		t.Errorf("the other session's stream: %s, %q, %v", resp.Status, line, err)
	}
}

func stallClients(t *testing.T, l *loadedPortal) {
	for n := range times {
		c, err := net.Dial("tcp", []string{l.at, l.provider}[n%2])
		testutil.Must(t, err)
		t.Cleanup(func() { c.Close() })
		// Headers that do not end, bodies that do not come, and answers that are not read.
		begin := []string{"GET / HTTP/1.1\r\nHost: ", "POST /applications HTTP/1.1\r\nHost: " + loadHost + "\r\nContent-Type: " + asForm +
			"\r\nContent-Length: 1000\r\n\r\n", strings.Repeat("GET /apply/cashflow HTTP/1.1\r\nHost: "+loadHost+"\r\n\r\n", 50)}
		if _, err := c.Write([]byte(begin[n/2%3])); err != nil {
			t.Fatal(err)
		}
	}
	accepted(t, l.apply(t, &browser{}, network(20), victim))
	got := l.do(t, nil, "GET", "http://"+l.provider+"/connect/jwkset", "", "Host", "service.example.com")
	if got.status != http.StatusOK {
		t.Errorf("the provider's keys: %d", got.status)
	}
}

// loadedPortal is the program behind a proxy that names the networks of clients.
type loadedPortal struct {
	*fleet
	at, provider string // addresses of the listeners
	box          *letterbox
	credentials  program.Credentials
}

const loadHost = "apply.example.com"

func newLoadedPortal(t *testing.T) *loadedPortal {
	t.Helper()
	at, provider, dir, box := ports.Must(t, "127.0.0.1"), ports.Must(t, "127.0.0.1"), t.TempDir(), newLetterbox(t)
	program.Start(t, app.Run, &logtest.Buffer{}, "serve", "--behind-proxy", "--portal-addr="+at, "--provider-addr="+provider,
		"--portal-url=https://"+loadHost, "--provider-url=https://service.example.com", "--data-dir="+dir, "--database-url=",
		"--smtp-addr="+box.addr, "--smtp-from=loans@harbor.example", "--smtp-security=none")
	l := &loadedPortal{fleet: &fleet{url: "http://" + at, client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}}, at: at, provider: provider, box: box}
	t.Cleanup(l.client.CloseIdleConnections)
	var err error
	l.credentials, err = program.ReadCredentials(dir)
	testutil.Must(t, err)
	return l
}

func (l *loadedPortal) post(t *testing.T, b *browser, address, path string, form url.Values) reply {
	t.Helper()
	return l.do(t, b, "POST", path, form.Encode(), "Content-Type", asForm, "Origin", "https://"+loadHost, "Host", loadHost,
		"X-Forwarded-For", address)
}

// apply sends the form of an application.
func (l *loadedPortal) apply(t *testing.T, b *browser, address, email string) reply {
	t.Helper()
	return l.post(t, b, address, "/applications", url.Values{"product": {"cashflow"}, "mode": {"embedded"}, "firstName": {firstName},
		"lastName": {lastName}, "email": {email}, "dob-year": {"1980"}, "dob-month": {"2"}, "dob-day": {"29"}})
}

// accepted returns the address of the application that was begun.
func accepted(t *testing.T, got reply) string {
	t.Helper()
	id := regexp.MustCompile(`^/applications/[0-9a-f-]{36}`).FindString(got.location())
	if got.status != http.StatusSeeOther || id == "" {
		t.Fatalf("an application: %d %s\n%.2000s", got.status, got.location(), got.body)
	}
	return id
}

// stream opens an event stream.
func (l *loadedPortal) stream(t *testing.T, b *browser, application, address string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", l.url+application+"/stream", nil)
	testutil.Must(t, err)
	r.Host = loadHost
	r.Header = http.Header{"Accept": {"text/event-stream"}, "Cookie": {b.header()}, "X-Forwarded-For": {address}}
	resp, err := l.client.Do(r)
	testutil.Must(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}
