//go:build linux

package crashtest

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/ports"
	"vestibule/internal/testutil/program"
)

// fleet is the deployed program: one process, or replicas behind a load balancer, on one
// database.
type fleet struct {
	t           *testing.T
	dir         string
	databaseURL string
	portal      string // public base URLs
	provider    string
	replicas    []*replica
	failed      failures
	app         *onboardingApp
	Credentials program.Credentials
}

// replica is one process. Its addresses stay the same when it is restarted.
type replica struct {
	portal, provider, control string // HOST:PORT
	args                      []string
	log                       *tail
	draining                  atomic.Bool // the balancer skips it, like a replica that is not ready

	mu     sync.Mutex // held while it is killed and started
	binary string     // the binary to start; "" for the test binary
	cmd    *exec.Cmd
}

// failures holds the balancer's responses with status 5xx.
type failures struct {
	mu  sync.Mutex
	all []string
}

func (f *failures) add(r *http.Request, cause string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, r.Method+" "+r.URL.Path+": "+cause)
}

func newFleet(t *testing.T, n int, databaseURL string) *fleet {
	t.Helper()
	assets.Need(t)
	f := &fleet{t: t, dir: t.TempDir(), databaseURL: databaseURL, app: newOnboardingApp(t)}
	for range n {
		f.replicas = append(f.replicas, &replica{portal: ports.Must(t, "localhost"), provider: ports.Must(t, "127.0.0.1"),
			control: ports.Must(t, "127.0.0.1"), log: &tail{}})
	}
	f.portal, f.provider = "http://"+f.replicas[0].portal, "http://"+f.replicas[0].provider
	if n > 1 {
		f.portal = f.balance("localhost", func(r *replica) string { return r.portal })
		f.provider = f.balance("127.0.0.1", func(r *replica) string { return r.provider })
	}
	key := filepath.Join(f.dir, "master.key")
	testutil.Must(t, os.WriteFile(key, []byte(hex.EncodeToString(masterKey)), 0o600))
	for i, r := range f.replicas {
		r.args = []string{"serve", "--portal-addr=" + r.portal, "--provider-addr=" + r.provider, "--sandbox-control-addr=" + r.control,
			"--portal-url=" + f.portal, "--provider-url=" + f.provider, "--master-key-file=" + key, "--events-url=" + f.app.URL,
			"--log-level=warn", "--data-dir=" + filepath.Join(f.dir, string(rune('a'+i))), "--database-url=" + databaseURL}
	}
	t.Cleanup(func() {
		for _, r := range f.replicas {
			r.mu.Lock()
			if r.cmd != nil {
				r.cmd.Process.Kill()
				r.cmd.Wait()
			}
			r.mu.Unlock()
		}
	})
	return f
}

var masterKey = bytes.Repeat([]byte{5}, 32)

// balance starts a load balancer and returns its URL. It uses the replicas in turn and
// skips those that refuse the connection.
func (f *fleet) balance(host string, of func(*replica) string) string {
	l, err := net.Listen("tcp", ports.Must(f.t, host))
	testutil.Must(f.t, err)
	var turn atomic.Uint64
	dialer := &net.Dialer{Timeout: time.Second}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "replica"})
			r.Out.Host = r.In.Host
		},
		Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var all error
			first := turn.Add(1)
			for i := range uint64(len(f.replicas)) {
				r := f.replicas[(first+i)%uint64(len(f.replicas))]
				if r.draining.Load() {
					continue
				}
				conn, err := dialer.DialContext(ctx, network, of(r))
				if err == nil {
					return conn, nil
				}
				all = errors.Join(all, err)
			}
			return nil, errors.Join(all, errors.New("no replica is ready"))
		}},
		ModifyResponse: func(r *http.Response) error {
			if r.StatusCode >= 500 {
				f.failed.add(r.Request, r.Status)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil { // otherwise the client has disconnected
				f.failed.add(r, err.Error())
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	server := &http.Server{Handler: proxy}
	go server.Serve(l)
	f.t.Cleanup(func() { server.Close() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return "http://" + host + ":" + port
}

// start starts every replica and reads the credentials.
func (f *fleet) start() {
	f.t.Helper()
	for _, r := range f.replicas {
		if err := r.start(); err != nil {
			f.t.Fatalf("%v\n%s", err, r.log)
		}
	}
	var err error
	if f.Credentials, err = program.ReadCredentials(filepath.Join(f.dir, "a")); err != nil {
		f.t.Fatal(err)
	}
	f.app.verify(f.Credentials.EventsSecret)
}

// start starts the process and waits until it is ready.
func (r *replica) start() error {
	binary := r.binary
	if binary == "" {
		binary = os.Args[0]
	}
	r.cmd = exec.Command(binary, r.args...)
	// reconcile requests thousands of applications. A variable, because an older program
	// refuses an unknown flag.
	r.cmd.Env = append(os.Environ(), asProgram+"=1", "VESTIBULE_API_RATE=1000000")
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	r.cmd.Stderr = r.log
	_, err := program.StartProcess(r.cmd)
	return err
}

// kill kills a replica and restarts it. A start may fail while the database recovers, and
// is then repeated, as a supervisor would.
func (f *fleet) kill(i int) {
	r := f.replicas[i]
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cmd.Process.Kill()
	r.cmd.Wait()
	var err error
	for range 20 {
		if err = r.start(); err == nil {
			return
		}
		<-time.After(250 * time.Millisecond)
	}
	f.t.Errorf("a killed process does not start again: %v\n%s", err, r.log)
}

// awaitCrashedTwice waits until jobs have run that two processes in a row died of: the program gives up
// what three died of. It holds no database open, so that a restart after a kill recovers the file.
func (f *fleet) awaitCrashedTwice() {
	f.t.Helper()
	for _, party := range []string{store.Provider, store.Portal} {
		db := f.open(party)
		crashes := `json_extract(metadata, '$.crashes')`
		if db.Dialect == store.Postgres {
			crashes = `(metadata->>'crashes')::int`
		}
		var n int
		if !retry(func(ctx context.Context) bool {
			err := db.SQL.QueryRowContext(ctx, `SELECT count(*) FROM river_job WHERE `+crashes+` >= 2
				AND state NOT IN ('cancelled', 'completed', 'discarded')`).Scan(&n)
			return err == nil && n == 0
		}) {
			f.t.Errorf("%s: %d jobs do not run that two processes died of", party, n)
		}
		testutil.Must(f.t, db.Close())
	}
}

// replace drains a replica and starts a binary in its place, as in a rolling upgrade.
func (f *fleet) replace(i int, binary string) {
	f.t.Helper()
	r := f.replicas[i]
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draining.Store(true)
	r.cmd.Process.Signal(syscall.SIGTERM)
	if err := r.cmd.Wait(); err != nil {
		f.t.Errorf("a replica does not drain: %v\n%s", err, r.log)
	}
	r.binary = binary
	if err := r.start(); err != nil {
		f.t.Fatalf("a replica does not start beside others: %v\n%s", err, r.log)
	}
	r.draining.Store(false)
}

// open opens a party's database while the program uses it.
func (f *fleet) open(party string) *store.DB {
	f.t.Helper()
	db, err := store.Open(f.t.Context(), store.Config{URL: f.databaseURL, Dir: filepath.Join(f.dir, "a"), Party: party, MasterKey: masterKey})
	testutil.Must(f.t, err)
	f.t.Cleanup(func() { db.Close() })
	return db
}

func (f *fleet) logs() string {
	var b strings.Builder
	for _, r := range f.replicas {
		b.WriteString(r.log.String() + "\n")
	}
	return b.String()
}

// tail is a writer that keeps the last 64 KiB.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if n := len(t.b) - 64<<10; n > 0 {
		t.b = t.b[n:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}
