package app_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/app"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/ports"
	"vestibule/internal/testutil/storetest"
)

// identifies matches label values that identify a thing or a person.
var identifies = regexp.MustCompile(`"[^"\n]*([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|[A-Za-z0-9_-]{43})[^"\n]*"`)

// journey completes an application in the widget, and makes one redirect callback that
// is refused.
func (w *testServer) journey(t *testing.T) (application string) {
	t.Helper()
	id, token := w.application(t, "embedded")
	cookie := w.enter(t, id, token)
	w.complete(t, w.connect(t, id, cookie))
	w.state(t, id, "ready")
	good(t, 400, ask(t, "GET", w.Portal+"/redirect/return?jwt="+canaryText, "", "Cookie", cookie))
	return id
}

// eventually repeats a request until the answer has the status.
func eventually(t *testing.T, status int, to string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.After(2 * time.Minute)
	for last := 0; last != status; {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("%s stays %d, want %d", to, last, status)
		}
		last = 0 // until the listener is open
		if resp, err := direct.Do(ask(t, "GET", to, "")); err == nil {
			resp.Body.Close()
			last = resp.StatusCode
		}
	}
}

var series = regexp.MustCompile(`(?m)^(vestibule_[a-z_]+?)(?:_bucket|_sum|_count)?(?:\{([^}]*)\})? `)
var label = regexp.MustCompile(`([a-z_]+)="`)

// TestMetrics checks the names and labels of the metrics, which dashboards and alerts
// use.
func TestMetrics(t *testing.T) {
	t.Parallel()
	inbox := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(inbox.Close)
	w := startServer(t, "", "--admin-addr=127.0.0.1:0", "--events-url="+inbox.URL)
	w.journey(t)
	eventually(t, 404, w.Portal+"/"+canaryText)
	forged := "eyJhbGciOiJFUzI1NiIsImtpZCI6Im5vbmUifQ.e30." + strings.Repeat("A", 86)
	good(t, 400, ask(t, "GET", w.Portal+"/redirect/return?jwt="+forged, ""))
	text := string(good(t, 200, ask(t, "GET", w.Admin+"/metrics", "")).Body)

	got := map[string]bool{}
	for _, m := range series.FindAllStringSubmatch(text, -1) {
		var names []string
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			if l[1] != "le" {
				names = append(names, l[1])
			}
		}
		slices.Sort(names)
		got[m[1]+"{"+strings.Join(names, ",")+"}"] = true
	}
	want := []string{
		"vestibule_database_commits_total{party}",
		"vestibule_database_connections_busy{party}",
		"vestibule_database_connections_max{party}",
		"vestibule_database_connections_open{party}",
		"vestibule_database_transactions_total{party}",
		"vestibule_database_wait_seconds_total{party}",
		"vestibule_database_waits_total{party}",
		"vestibule_http_request_duration_seconds{party,route}",
		"vestibule_http_requests_total{class,party,route}",
		"vestibule_job_duration_seconds{kind,party}",
		"vestibule_jobs_total{kind,outcome,party}",
		"vestibule_keyset_fetches_total{outcome,party}",
		"vestibule_provider_call_duration_seconds{operation,party}",
		"vestibule_provider_calls_total{operation,outcome,party}",
		"vestibule_report_duration_seconds{party,product,status}",
		"vestibule_returns_refused_total{party,reason}",
		"vestibule_webhook_deliveries_total{outcome,party,reason}",
		"vestibule_webhook_delivery_duration_seconds{party}",
	}
	for _, name := range want {
		if !got[name] {
			t.Errorf("%s is missing", name)
		}
		delete(got, name)
	}
	// Whether jobs are waiting differs from run to run.
	delete(got, "vestibule_jobs_unfinished{kind,party,queue,state}")
	delete(got, "vestibule_jobs_oldest_due_seconds{kind,party,queue}")
	for name := range got {
		t.Errorf("%s is not in the list", name)
	}
	for _, line := range []string{
		`vestibule_http_requests_total{class="2xx",party="portal",route="/applications/{id}/connect"} 1`,
		`vestibule_http_requests_total{class="4xx",party="portal",route="none"}`,
		`vestibule_jobs_total{kind="reports.generate",outcome="done",party="provider"} 1`,
		`vestibule_keyset_fetches_total{outcome="ok",party="portal"} 1`,
		`vestibule_returns_refused_total{party="portal",reason="token"} 1`,
		`vestibule_returns_refused_total{party="portal",reason="unknown_key"} 1`,
		`vestibule_webhook_deliveries_total{outcome="delivered",party="provider",reason="2xx"}`,
		`vestibule_report_duration_seconds_count{party="provider",product="cashflow",status="SUCCESS"} 1`,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("there is no %s in\n%s", line, text)
		}
	}
	w.nothingLeaked(t)
}

var (
	transactions = regexp.MustCompile(`vestibule_database_transactions_total\{party="([a-z]+)"\} ([0-9]+)`)
	jobRuns      = regexp.MustCompile(`vestibule_jobs_total\{.*\} ([0-9]+)`)
)

// TestTransactionsOfAJourney counts the transactions of a journey, at most three times, because other work may commit meanwhile.
// A journey with more jobs than its two does not count: in a slow one, the portal also asks for the state or fetches the report by a job.
func TestTransactionsOfAJourney(t *testing.T) {
	t.Parallel()
	w := startServer(t, "", "--admin-addr=127.0.0.1:0")
	reviewer := w.signIn(t)
	count := func() (all map[string]int, jobs int) {
		all = map[string]int{}
		metrics := string(good(t, 200, ask(t, "GET", w.Admin+"/metrics", "")).Body)
		for _, m := range transactions.FindAllStringSubmatch(metrics, -1) {
			all[m[1]], _ = strconv.Atoi(m[2])
		}
		for _, m := range jobRuns.FindAllStringSubmatch(metrics, -1) {
			n, _ := strconv.Atoi(m[1])
			jobs += n
		}
		return all, jobs
	}
	want := map[string]int{store.Portal: 5, store.Provider: 4} // as docs/explanation/scaling.md lists them
	least := map[string]int{store.Portal: 1000, store.Provider: 1000}
	for counted, all := 0, 0; counted < 3 && !maps.Equal(least, want); all++ {
		if all == 20 {
			t.Fatal("no journey has two jobs")
		}
		before, jobsBefore := count()
		sent := good(t, 303, ask(t, "POST", w.Portal+"/applications", goodForm().Encode(), "Content-Type", asForm))
		id := strings.Split(sent.Header.Get("Location"), "/")[2]
		w.complete(t, w.connect(t, id, cookieOf(t, sent)))
		w.state(t, id, "ready")
		review := w.Portal + "/review/applications/" + id
		good(t, 200, ask(t, "GET", review, "", "Cookie", reviewer))
		good(t, 303, ask(t, "POST", review+"/decision", "seen=0&decision=approved", "Content-Type", asForm, "Cookie", reviewer))
		var after map[string]int
		var jobs int
		w.until(t, func() bool {
			after, jobs = count()
			return after[store.Provider] >= before[store.Provider]+want[store.Provider] && jobs >= jobsBefore+2
		})
		if jobs > jobsBefore+2 {
			continue
		}
		counted++
		for party := range least {
			least[party] = min(least[party], after[party]-before[party])
		}
	}
	if !maps.Equal(least, want) {
		t.Errorf("a journey has %v transactions, want %v", least, want)
	}
}

// collector receives traces by OTLP over HTTP.
type collector struct {
	mu   sync.Mutex
	raw  []string
	seen []span
}

type span struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	StartTimeUnixNano, EndTimeUnixNano  string
	Attributes                          []struct {
		Key   string
		Value map[string]string
	}
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var body struct {
		ResourceSpans []struct{ ScopeSpans []struct{ Spans []span } }
	}
	if err != nil || json.Unmarshal(raw, &body) != nil || r.Method != http.MethodPost || r.URL.Path != "/otlp/v1/traces" ||
		r.Header.Get("Content-Type") != asJSON || r.Header.Get("X-Tenant") != "ours" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, string(raw))
	for _, r := range body.ResourceSpans {
		for _, s := range r.ScopeSpans {
			c.seen = append(c.seen, s.Spans...)
		}
	}
	io.WriteString(w, "{}")
}

// TestTraces follows a request from the portal to the provider, and into its jobs.
func TestTraces(t *testing.T) {
	t.Parallel()
	c := &collector{}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	w := startServer(t, "", "--otlp-endpoint="+server.URL+"/otlp/", "--otlp-headers=X-Tenant=ours")
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	id, token := w.application(t, "embedded")
	cookie := w.enter(t, id, token)
	page := good(t, 200, ask(t, "GET", w.Portal+"/applications/"+id+"/connect", "", "Cookie", cookie,
		"Traceparent", "00-"+trace+"-"+parent+"-01", "Tracestate", "who="+canaryText, "Baggage", "who="+canaryText))
	w.complete(t, string(connectToken.FindSubmatch(page.Body)[1]))
	w.state(t, id, "ready")
	w.end(t) // what waits is sent

	c.mu.Lock()
	defer c.mu.Unlock()
	byID := map[string]span{}
	for _, s := range c.seen {
		byID[s.SpanID] = s
		if s.StartTimeUnixNano == "" || s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("%s is from %q to %q", s.Name, s.StartTimeUnixNano, s.EndTimeUnixNano)
		}
		for _, a := range s.Attributes {
			if a.Key == "http.route" {
				if method, path, _ := strings.Cut(s.Name, " "); a.Value["stringValue"] != path ||
					!strings.HasPrefix(path, "/") || method != strings.ToUpper(method) {
					t.Errorf("%s has the route %q", s.Name, a.Value["stringValue"])
				}
			}
			if !slices.Contains([]string{"vestibule.party", "http.request.method", "http.route", "http.response.status_code",
				"vestibule.operation", "vestibule.outcome", "vestibule.job", "vestibule.attempt"}, a.Key) {
				t.Errorf("%s has an attribute %s", s.Name, a.Key)
			}
		}
	}
	// above returns the names of a span and its ancestors.
	above := func(s span) (names []string) {
		for {
			names = append(names, s.Name)
			next, ok := byID[s.ParentSpanID]
			if !ok {
				return append(names, s.TraceID+"/"+s.ParentSpanID)
			}
			s = next
		}
	}
	find := func(name string) span {
		for _, s := range c.seen {
			if s.Name == name {
				return s
			}
		}
		t.Fatalf("there is no span %q in %v", name, c.raw)
		return span{}
	}
	got := above(find("POST /connect/initialization"))
	want := []string{"POST /connect/initialization", "call initialization", "GET /applications/{id}/connect", trace + "/" + parent}
	if !slices.Equal(got, want) {
		t.Errorf("the parent of the provider's span is %v, want %v", got, want)
	}
	// The report's job is of the request that ended the visit. The portal fetches the report while
	// the webhook that announces it waits, or in a job if that takes longer than the webhook may wait.
	if got := above(find("job reports.generate")); len(got) != 3 || got[1] != "POST /visits/{token}/complete" {
		t.Errorf("the parent of the report's job is %v", got)
	}
	isJob := func(name string) bool { return name == "job portal.fetch" }
	if got := slices.DeleteFunc(above(find("GET /connect/cashflow/v2/json")), isJob); len(got) < 3 ||
		!strings.HasPrefix(got[1], "call ") || got[2] != "POST /webhooks/visit" {
		t.Errorf("the report is asked for below %v", got)
	}
	all := strings.Join(c.raw, "\n")
	for _, s := range []string{canaryName, canaryLast, canaryEmail, canaryPhone, canaryText, w.Credentials.SecretKey, id} {
		if strings.Contains(all, s) {
			t.Errorf("%q is in the traces", s)
		}
	}
	if m := identifies.FindString(all); m != "" {
		t.Errorf("%s is in the traces", m)
	}
}

// TestEntrances opens each page that the program logs when it is ready.
func TestEntrances(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the whole program")
	}
	t.Parallel()
	assets.Need(t)
	dir := t.TempDir()
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	exit, log := make(chan int, 1), &logtest.Buffer{}
	go func() {
		exit <- app.Run(ctx, []string{"--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0", "--data-dir=" + dir}, in, log)
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "ready" {
	}
	names := map[string]bool{}
	for lines.Scan() {
		name, at, _ := strings.Cut(lines.Text(), ":")
		names[name] = true
		if name == "Sign-in" {
			break
		}
		if a := do(t, ask(t, "GET", strings.TrimSpace(at), "")); a.Status != 200 && a.Status != 303 {
			t.Errorf("%s: %d", lines.Text(), a.Status)
		}
	}
	if len(names) != 5 || !strings.Contains(lines.Text(), "--data-dir "+dir) {
		t.Errorf("%v, last %q", names, lines.Text())
	}
	stop()
	if code := <-exit; code != 0 {
		t.Errorf("exit code %d\n%s", code, log)
	}
}

// TestVersion checks that the command and the flag print the same.
func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}} {
		if exit, out, errs := run(t, args...); exit != 0 || !strings.HasPrefix(out, "vestibule 0.") || strings.Count(out, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q %q", args, exit, out, errs)
		}
	}
}

// TestProviderProfile checks that the printed file describes the built-in provider.
func TestProviderProfile(t *testing.T) {
	exit, out, errs := run(t, "provider-profile")
	if exit != 0 {
		t.Fatalf("exit code %d, %s", exit, errs)
	}
	printed, err := svcapi.ParseProfile([]byte(out))
	testutil.Must(t, err)
	if own, err := svcapi.LoadProfile(""); err != nil || !reflect.DeepEqual(printed, own) {
		t.Errorf("%v: %+v, want %+v", err, printed, own)
	}
}

// TestHealthWithoutAProgram runs health at an address without a listener, and without
// an address.
func TestHealthWithoutAProgram(t *testing.T) {
	free, err := ports.Free("127.0.0.1")
	testutil.Must(t, err)
	if exit, out, _ := run(t, "health", "--admin-addr="+free); exit != 1 || !strings.HasPrefix(out, "not reachable") {
		t.Errorf("exit code %d, %q", exit, out)
	}
	if exit, _, errs := run(t, "health"); exit != 2 || !strings.Contains(errs, "--admin-addr") {
		t.Errorf("without an address: exit code %d, %q", exit, errs)
	}
}

// TestReadinessWaitsForTheMigrations delays the migrations, as another replica that
// runs them does.
func TestReadinessWaitsForTheMigrations(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	t.Parallel()
	assets.Need(t)
	at := storetest.URL(t)
	db, err := sql.Open("pgx", at)
	testutil.Must(t, err)
	defer db.Close()
	held, err := db.Conn(t.Context())
	if err == nil {
		const gooseLock = 4097083626 // of its session locker
		_, err = held.ExecContext(t.Context(), `SELECT pg_advisory_lock($1)`, gooseLock)
	}
	testutil.Must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	exit, log := make(chan int, 1), &logtest.Buffer{}
	addr, err := ports.Free("127.0.0.1")
	testutil.Must(t, err)
	go func() {
		exit <- app.Run(ctx, []string{"--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0", "--admin-addr=" + addr,
			"--data-dir=" + t.TempDir(), "--database-url=" + at}, in, log)
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	admin := "http://" + addr
	eventually(t, 503, admin+"/readyz")
	good(t, 200, ask(t, "GET", admin+"/healthz", ""))
	good(t, 200, ask(t, "GET", admin+"/debug/pprof/heap", ""))
	if err := held.Close(); err != nil { // and with the pool, the lock
		t.Fatal(err)
	}
	db.Close()
	for lines.Scan() && lines.Text() != "ready" {
	}
	go io.Copy(io.Discard, out)
	eventually(t, 200, admin+"/readyz")
	stop()
	if code := <-exit; code != 0 {
		t.Errorf("exit code %d\n%s", code, log)
	}
}

// TestReadinessIncludesTheDatabase disconnects the database for a while.
func TestReadinessIncludesTheDatabase(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(storetest.MigratedURL(t))
	testutil.Must(t, err)
	q := u.Query()
	wire := &wire{t: t, to: filepath.Join(q.Get("host"), ".s.PGSQL.5432"), at: filepath.Join(t.TempDir(), ".s.PGSQL.5432")}
	q.Set("host", filepath.Dir(wire.at))
	u.RawQuery = q.Encode()
	wire.join()
	t.Cleanup(func() { wire.listen.Close() }) // after the program has stopped, which needs its database
	w := startServer(t, u.String(), "--admin-addr=127.0.0.1:0")
	eventually(t, 200, w.Admin+"/readyz")
	wire.cut()
	eventually(t, 503, w.Admin+"/readyz")
	good(t, 200, ask(t, "GET", w.Admin+"/healthz", ""))
	good(t, 200, ask(t, "GET", w.Admin+"/metrics", ""))
	wire.join()
	eventually(t, 200, w.Admin+"/readyz")
}

// wire is a connection to a Unix socket that can be cut.
type wire struct {
	t      *testing.T
	at, to string
	mu     sync.Mutex
	open   []net.Conn
	listen net.Listener
}

func (w *wire) join() {
	l, err := net.Listen("unix", w.at)
	testutil.Must(w.t, err)
	w.listen = l
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("unix", w.to)
			if err != nil {
				in.Close()
				continue
			}
			w.mu.Lock()
			w.open = append(w.open, in, out)
			w.mu.Unlock()
			go func() { io.Copy(out, in); out.Close() }()
			go func() { io.Copy(in, out); in.Close() }()
		}
	}()
}

func (w *wire) cut() {
	w.listen.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.open {
		c.Close()
	}
	w.open = nil
}

// TestShutdownWaitsForJobs ends the program while a job of the portal is between two
// requests to the provider in the same process, which must still answer the second.
func TestShutdownWaitsForJobs(t *testing.T) {
	t.Parallel()
	w := startServer(t, "")
	id, token := w.application(t, "embedded")
	cookie := w.enter(t, id, token)
	visit := w.connect(t, id, cookie)
	good(t, 201, ask(t, "POST", w.Control+"/faults", `{"match":"GET /connect/accesstoken","action":"delay:700ms"}`, "Content-Type", asJSON))
	w.complete(t, visit)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range tick.C { // until the delayed request is being answered
		if got := good(t, 200, ask(t, "GET", w.Control+"/faults", "")); strings.TrimSpace(string(got.Body)) == "[]" {
			break
		}
	}
	w.end(t)
	if n := w.count(t, "portal", `SELECT COUNT(*) FROM applications WHERE state = 'ready'`); n != 1 {
		t.Error("the report that was being fetched was not kept")
	}
	if n := w.count(t, "portal", `SELECT COUNT(*) FROM river_job WHERE state IN ('running', 'retryable')`); n != 0 {
		t.Errorf("%d jobs were cut", n)
	}
}

// end ends the program and waits for its listeners and jobs.
func (w *testServer) end(t *testing.T) {
	t.Helper()
	w.Stop()
	select {
	case <-w.Ended:
	case <-time.After(time.Minute):
		t.Fatalf("the program does not end\n%s", w.Log)
	}
}
