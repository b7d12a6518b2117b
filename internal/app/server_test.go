package app_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/docs/openapitest"
	"vestibule/internal/app"
	"vestibule/internal/contract"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/program"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/svcapitest"
	"vestibule/internal/testutil/tools"
)

// testServer is a running program with both parties, and its databases.
type testServer struct {
	*program.Program
	Credentials      program.Credentials
	Log              *logtest.Buffer
	dir, databaseURL string
	stores           []*store.DB

	visitor, stranger string   // cookies of two applicants' browsers
	reviewer          string   // cookie of a reviewer, for the endpoints of others
	others            []string // headers of the third party's staff
}

// eachEngine runs f against a program on SQLite and one on PostgreSQL, with additional
// flags.
func eachEngine(t *testing.T, f func(t *testing.T, w *testServer), more ...string) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, startServer(t, "", more...))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, startServer(t, storetest.MigratedURL(t), more...))
	})
}

// eachEngineInFull is eachEngine in make test-full. Before, f runs on SQLite alone, as by
// storetest.EachInFull.
func eachEngineInFull(t *testing.T, f func(t *testing.T, w *testServer), more ...string) {
	if tools.Full() {
		eachEngine(t, f, more...)
		return
	}
	t.Parallel()
	f(t, startServer(t, "", more...))
}

// startServer runs the program, with more flags, until the test ends, when it must
// drain with exit code 0.
func startServer(t *testing.T, databaseURL string, more ...string) *testServer {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the whole program")
	}
	assets.Need(t)
	staff.UseCheapHashes()
	w := &testServer{dir: storetest.DataDir(t), databaseURL: databaseURL, Log: &logtest.Buffer{}}
	if faultSeed != "" {
		more = append([]string{"--sandbox-faults=" + faultSeed}, more...)
	}
	w.Program = program.Start(t, app.Run, w.Log, append([]string{"--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0",
		"--sandbox-control-addr=127.0.0.1:0", "--data-dir=" + w.dir, "--database-url=" + databaseURL}, more...)...)
	t.Cleanup(func() {
		for _, db := range w.stores {
			db.Close()
		}
	})
	var err error
	if w.Credentials, err = program.ReadCredentials(w.dir); err != nil {
		t.Fatal(err)
	}
	w.openStores(t, databaseURL)
	return w
}

// openStores opens the program's databases beside it, to read their rows.
func (w *testServer) openStores(t *testing.T, databaseURL string) {
	t.Helper()
	text := testutil.ReadFile(t, filepath.Join(w.dir, "master.key"))
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	testutil.Must(t, err)
	for _, party := range []string{store.Portal, store.Provider} {
		db, err := store.Open(t.Context(), store.Config{URL: databaseURL, Dir: w.dir, Party: party, MasterKey: key})
		testutil.Must(t, err)
		w.stores = append(w.stores, db)
	}
}

// rested waits until the provider's first deletion of old data is over and no job is due, so
// that all rows are written.
func (w *testServer) rested(t *testing.T) {
	t.Helper()
	w.until(t, func() bool {
		if w.count(t, store.Provider, `SELECT COUNT(*) FROM river_job WHERE kind = 'provider.retain'`) == 0 {
			return false
		}
		left := 0
		for _, db := range w.stores {
			var n int
			err := db.SQL.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM river_job
				WHERE state IN ('available', 'running', 'retryable', 'pending')`).Scan(&n)
			testutil.Must(t, err)
			left += n
		}
		return left == 0
	})
}

// rows counts the rows of every table of both databases, except those that change by
// themselves or when a page is read: the queue's housekeeping, sessions, tries to sign
// in, and the review dashboard's audit log.
func (w *testServer) rows(t *testing.T) map[string]int {
	t.Helper()
	out := map[string]int{}
	for i, db := range w.stores {
		err := db.Read(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			names, err := tableNames(ctx, tx, db.Dialect)
			if err != nil {
				return err
			}
			var counts []string
			for _, name := range names {
				if name != "sessions" && name != "sign_in_tries" && name != "audit" {
					counts = append(counts, fmt.Sprintf(`SELECT '%s', COUNT(*) FROM %s`, name, name))
				}
			}
			counted, err := tx.QueryContext(ctx, strings.Join(counts, " UNION ALL "))
			if err != nil {
				return err
			}
			defer counted.Close()
			for counted.Next() {
				var name string
				var n int
				if err := counted.Scan(&name, &n); err != nil {
					return err
				}
				out[fmt.Sprintf("%d.%s", i, name)] = n
			}
			return counted.Err()
		})
		testutil.Must(t, err)
	}
	return out
}

// tableNames lists the tables but those of the queue's housekeeping.
func tableNames(ctx context.Context, tx *store.Tx, dialect store.Dialect) (names []string, err error) {
	list := `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
	if dialect == store.SQLite {
		list = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	}
	rows, err := tx.QueryContext(ctx, list)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		if name == "river_job" || !strings.HasPrefix(name, "river_") {
			names = append(names, name)
		}
	}
	return names, rows.Err()
}

// difference returns the tables that grew or shrank.
func difference(before, after map[string]int) string {
	var out []string
	for name, n := range after {
		if before[name] != n {
			out = append(out, fmt.Sprintf("%s: %d → %d", name, before[name], n))
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// reply is an answer with its body.
type reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// field returns a string member of a JSON answer.
func (r reply) field(name string) string {
	var all map[string]any
	json.Unmarshal(r.Body, &all)
	s, _ := all[name].(string)
	return s
}

// direct is a client that follows no redirects and keeps no cookies.
var direct = &http.Client{
	Timeout:       time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true},
}

// faultSeed is the seed of injected faults in every test; "" injects none.
var faultSeed = os.Getenv("VESTIBULE_E2E_FAULTS")

// send sends a request and reads the answer. It retries after a rate limit of the API,
// and a few times after injected faults.
func send(req *http.Request) (reply, error) {
	for try := 1; ; try++ {
		resp, err := direct.Do(req)
		if err != nil {
			return reply{}, err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return reply{}, err
		}
		out := reply{resp.StatusCode, resp.Header, body}
		mine := strings.Contains(req.URL.Path, "/api/v1/")
		code := out.field("error")
		held := code == "RATE_LIMITED" || code == "UNAVAILABLE" && req.Method == http.MethodGet
		switch {
		case mine && code == "RATE_LIMITED":
			<-time.After(50 * time.Millisecond) // the bucket fills by the clock alone
		case faultSeed == "" || mine || !held || try == 4:
			return out, nil
		}
		if req.Body, err = req.GetBody(); err != nil {
			return out, err
		}
	}
}

// do sends a request and fails on an error or an answer outside the API's document.
func do(t *testing.T, req *http.Request) reply {
	t.Helper()
	out, err := send(req)
	if err != nil {
		t.Fatalf("%s %.200s: %v", req.Method, req.URL, err)
	}
	out.documented(t, req)
	return out
}

// documented compares an answer with its OpenAPI document, without the members that
// injected faults add.
func (r reply) documented(t *testing.T, req *http.Request) {
	t.Helper()
	body := r.Body
	var all map[string]json.RawMessage
	if faultSeed != "" && json.Unmarshal(body, &all) == nil {
		delete(all, "x_new")
		var meta map[string]json.RawMessage
		if json.Unmarshal(all["meta"], &meta) == nil {
			delete(meta, "x_new")
			all["meta"], _ = json.Marshal(meta)
		}
		body, _ = json.Marshal(all)
	}
	openapitest.Check(t, &http.Response{StatusCode: r.Status, Header: r.Header, Body: io.NopCloser(bytes.NewReader(body)), Request: req})
}

// atOnce sends n requests concurrently and returns the answers by status. No answer may
// be a server error.
func atOnce(t *testing.T, n int, request func(i int) *http.Request) map[int][]reply {
	t.Helper()
	var wait sync.WaitGroup
	var mu sync.Mutex
	start, all := make(chan struct{}), map[int][]reply{}
	for i := range n {
		req := request(i)
		wait.Go(func() {
			<-start
			got, err := send(req)
			if err != nil {
				t.Errorf("%s %.200s: %v", req.Method, req.URL, err)
			}
			mu.Lock()
			defer mu.Unlock()
			all[got.Status] = append(all[got.Status], got)
			if got.Status >= 500 {
				t.Errorf("%s %.200s: %d %s", req.Method, req.URL, got.Status, got.Body)
			}
		})
	}
	close(start)
	wait.Wait()
	return all
}

// ask builds a request; header are pairs of name and value.
func ask(t *testing.T, method, to, body string, header ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, to, strings.NewReader(body))
	testutil.Must(t, err)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	return req
}

const (
	asJSON = "application/json"
	asForm = "application/x-www-form-urlencoded"
)

// good sends a request and checks the status of its answer.
func good(t *testing.T, status int, req *http.Request) reply {
	t.Helper()
	got := do(t, req)
	if got.Status != status {
		t.Fatalf("%s %s = %d, want %d\n%s", req.Method, req.URL, got.Status, status, got.Body)
	}
	return got
}

func basic(a program.Account) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(a.ClientID+":"+a.SecretKey))
}

// bearer returns the Authorization header with a new access token.
func (w *testServer) bearer(t *testing.T, a program.Account) string {
	t.Helper()
	got := good(t, 200, ask(t, "GET", w.Provider+"/connect/accesstoken", "", "Authorization", basic(a)))
	return "Bearer " + base64.StdEncoding.EncodeToString([]byte(got.field("accessToken")))
}

func (w *testServer) key() string { return "Bearer " + w.Credentials.PortalAPIKey }

// Personal data of test applicants, which must not appear in any log.
const (
	canaryName  = "Canaryfirst"
	canaryLast  = "Canarylast"
	canaryEmail = "canary.mail@example.org"
	canaryPhone = "555-010-9977"
	canaryText  = "canary-text-4711"
)

const goodPrefill = `{"firstName":"` + canaryName + `","lastName":"` + canaryLast + `","email":"` +
	canaryEmail + `","dob":"1980-02-29","phone":"` + canaryPhone + `"}`

func goodForm() url.Values {
	return url.Values{"product": {"cashflow"}, "mode": {"embedded"}, "firstName": {canaryName}, "lastName": {canaryLast},
		"email": {canaryEmail}, "dob-year": {"1980"}, "dob-month": {"2"}, "dob-day": {"29"}}
}

// initialization returns a valid body for POST /connect/initialization.
func (w *testServer) initialization(more string) string {
	return `{"productId":"` + w.Credentials.Products["cashflow"] + `"` + more + `,"prefill":` + goodPrefill + `}`
}

// token requests an initialization token.
func (w *testServer) token(t *testing.T, more string) string {
	t.Helper()
	return w.post(t, 200, "/connect/initialization", w.initialization(more)).field("token")
}

// post sends JSON to the provider's API as the portal's account.
func (w *testServer) post(t *testing.T, status int, path, body string) reply {
	t.Helper()
	return good(t, status, ask(t, "POST", w.Provider+path, body, "Authorization", basic(w.Credentials.Account), "Content-Type", asJSON))
}

// sourceFile returns the path of a file of a report, which the headers name, and checks how many files there are.
func (w *testServer) sourceFile(t *testing.T, product string, count int, headers []string) string {
	t.Helper()
	var files []struct {
		Path string `json:"source_filepath"`
	}
	json.Unmarshal(good(t, 200, ask(t, "GET", w.Provider+"/connect/"+product+"/files", "", headers...)).Body, &files)
	if len(files) != count {
		t.Fatalf("%s: the report has %d files, want %d", product, len(files), count)
	}
	return files[0].Path
}

// complete completes a visit.
func (w *testServer) complete(t *testing.T, token string) reply {
	t.Helper()
	return good(t, 200, ask(t, "POST", w.Control+"/visits/"+token+"/complete", `{}`, "Content-Type", asJSON))
}

// application creates an application by the API.
func (w *testServer) application(t *testing.T, mode string) (id, embedToken string) {
	t.Helper()
	got := good(t, 201, ask(t, "POST", w.Portal+"/api/v1/applications", `{"product":"cashflow","mode":"`+mode+`","prefill":`+goodPrefill+`}`,
		"Authorization", w.key(), "Content-Type", asJSON))
	return got.field("id"), got.field("embedToken")
}

// enter opens an application in a browser and returns its cookie.
func (w *testServer) enter(t *testing.T, id, embedToken string) string {
	t.Helper()
	return cookieOf(t, good(t, 303, w.useLink(t, id, embedToken)))
}

// useLink returns the request of the form on the page of an application's link.
func (w *testServer) useLink(t *testing.T, id, embedToken string) *http.Request {
	t.Helper()
	return ask(t, "POST", w.Portal+"/applications/"+id+"/connect", "grant="+embedToken, "Content-Type", asForm, "Cookie", "vestibule-probe=1")
}

func cookieOf(t *testing.T, r reply) string {
	t.Helper()
	return namedCookie(t, r, "vestibule")
}

func namedCookie(t *testing.T, r reply, name string) string {
	t.Helper()
	for _, line := range r.Header.Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		if err == nil && c.Name == name {
			return c.Name + "=" + c.Value
		}
	}
	t.Fatalf("no session's cookie among %v", r.Header.Values("Set-Cookie"))
	return ""
}

// state waits until the application is in a state.
func (w *testServer) state(t *testing.T, id, want string) reply {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(2 * time.Minute); ; {
		got := good(t, 200, ask(t, "GET", w.Portal+"/api/v1/applications/"+id, "", "Authorization", w.key()))
		if got.field("state") == want {
			return got
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("application stays %s, want %s", got.field("state"), want)
		}
	}
}

var connectToken = regexp.MustCompile(`data-token="([A-Za-z0-9_-]{43})"`)

// connect opens the connect page and returns the token on it.
func (w *testServer) connect(t *testing.T, id, cookie string) string {
	t.Helper()
	got := good(t, 200, ask(t, "GET", w.Portal+"/applications/"+id+"/connect", "", "Cookie", cookie))
	m := connectToken.FindSubmatch(got.Body)
	if m == nil {
		t.Fatalf("the connect page has no token:\n%s", got.Body)
	}
	return string(m[1])
}

// client returns a client of the provider's API for an account.
func (w *testServer) client(a program.Account) svcapitest.Client {
	return svcapitest.Client{Client: &svcapi.Client{BaseURL: w.Provider, ClientID: a.ClientID, SecretKey: a.SecretKey,
		Environment: contract.Sandbox}}
}
