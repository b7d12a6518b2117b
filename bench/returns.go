package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"vestibule/bench/fleet"
	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/jose"
	"vestibule/internal/redirect"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/program"
	"vestibule/internal/testutil/storetest/cluster"
	"vestibule/internal/webhook"
)

// returnFigures measures whole returns of secure redirect over HTTP at the built program,
// each with a separate browser, attempt, and signed result. A return verifies the token,
// completes the attempt, renews the session, moves the application, and enqueues the job
// that fetches its report, all on disk before the answer. The jobs run at the same time.
//
// The peers are a bare handler that verifies one signature, with the same client, and bare
// commits of one UPDATE of one row in the same database. All alternate.
func returnFigures(ctx context.Context) ([]figure, error) {
	dir, err := os.MkdirTemp("", "vestibule-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bin, err := buildProgram(ctx, dir)
	if err != nil {
		return nil, err
	}
	out, err := returnsOn(ctx, "SQLite", bin, filepath.Join(dir, "sqlite"), "")
	if err != nil {
		return nil, err
	}
	c, err := cluster.Start(ctx, "fsync=on", "synchronous_commit=on", "full_page_writes=on")
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: without PostgreSQL:", err)
		return out, nil
	}
	defer c.Stop()
	more, err := returnsOn(ctx, "PostgreSQL", bin, filepath.Join(dir, "postgres"), c.URL)
	return append(out, more...), err
}

// buildProgram builds the product into dir.
func buildProgram(ctx context.Context, dir string) (string, error) {
	bin := filepath.Join(dir, "vestibule")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, "./cmd/server")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return bin, nil
}

// returnClients is the number of connections for returns.
const returnClients = 16

func returnsOn(ctx context.Context, engine, bin, dir, database string) ([]figure, error) {
	const rounds, each = 9, 192
	far, err := newCounterpart()
	if err != nil {
		return nil, err
	}
	defer far.server.Close()
	p, err := startServer(ctx, bin, dir, "portal", "--database-url="+database,
		"--provider-url="+far.server.URL, "--public-id="+uuid.NewString(),
		"--client-id=bench", "--secret-key=bench", "--products=cashflow="+uuid.NewString(), "--webhook-secret="+webhook.NewSecret())
	if err != nil {
		return nil, err
	}
	defer p.stop()
	checker, err := startChecker(ctx, far.key)
	if err != nil {
		return nil, err
	}
	defer checker.stop()
	commits, close, err := bareCommits(ctx, dir, database)
	if err != nil {
		return nil, err
	}
	defer close()
	used := func() (program, server float64, err error) {
		own, _, err := fleet.Used(p.cmd.Process.Pid)
		if err == nil && database != "" {
			var d time.Duration
			d, err = fleet.UsedByServer(database)
			server = float64(d)
		}
		return float64(own), server, err
	}
	var ours, kept, checks, writes, program, server []float64 // ns of one
	for round := range rounds + 1 {
		returns, err := far.prepare(ctx, p.Portal, each)
		if err != nil {
			return nil, err
		}
		before, beforeServer, err := used()
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if err := deliver(p.Portal, returns); err != nil {
			return nil, err
		}
		took := time.Since(began)
		after, afterServer, err := used()
		if err != nil {
			return nil, err
		}
		if err := far.await(ctx, each); err != nil {
			return nil, err
		}
		all := time.Since(began)
		began = time.Now()
		if err := deliver(checker.Portal, returns); err != nil {
			return nil, err
		}
		checked := time.Since(began)
		began = time.Now()
		if err := commits(each); err != nil {
			return nil, err
		}
		wrote := time.Since(began)
		if round == 0 { // warms up
			continue
		}
		one := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / each }
		ours, kept, checks, writes = append(ours, one(took)), append(kept, one(all)), append(checks, one(checked)), append(writes, one(wrote))
		program, server = append(program, (after-before)/each), append(server, (afterServer-beforeServer)/each)
	}
	whole := make([]float64, len(program)) // of the processors that there are
	for i := range whole {
		whole[i] = (program[i] + server[i]) / ours[i] / float64(runtime.NumCPU())
	}
	limit := figure{name: "processors used by good returns / all, " + engine, ours: fmt.Sprintf("%.2f ms each",
		quantile(program, .5)/1e6), peer: fmt.Sprintf("+ %.2f ms", quantile(server, .5)/1e6),
		wanted: "reported", ratio: quantile(whole, .5), low: quantile(whole, .25), high: quantile(whole, .75)}
	return []figure{
		ratesOf("good returns, "+engine+" / bare check of a signature", ours, checks, "reported"),
		ratesOf("good returns, "+engine+" / bare commits of one UPDATE", ours, writes, "reported"),
		ratesOf("good returns until their reports are fetched, same", kept, writes, "reported"),
		limit,
	}, nil
}

// counterpart is the part of a provider that returns need: it creates links, publishes its
// key, and has a report of each application.
type counterpart struct {
	server *httptest.Server
	key    *jose.PrivateKey
	body   map[string]any // of a report

	mu      sync.Mutex
	sent    map[string]request // by the handle of their link
	reports map[string][]byte  // by publicToken
	fetched int
	more    chan struct{}
}

type request struct{ ExternalID, RedirectArgs string }

func newCounterpart() (*counterpart, error) {
	key, err := jose.GenerateKey()
	if err != nil {
		return nil, err
	}
	data, at := bankData(300, few)
	raw, err := report.Encode(cashflow.Build(cashflow.Input{PublicToken: uuid.NewString(),
		Bank: data, Options: cashflow.Options{Attributes: true}}, at))
	if err != nil {
		return nil, err
	}
	c := &counterpart{key: key, sent: map[string]request{}, reports: map[string][]byte{}, more: make(chan struct{}, 1)}
	if err := json.Unmarshal(raw, &c.body); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	say := func(pattern string, status int, of func(r *http.Request) any) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			answer := of(r)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			if raw, ok := answer.([]byte); ok {
				w.Write(raw)
				return
			}
			json.NewEncoder(w).Encode(answer)
		})
	}
	say("GET /connect/accesstoken", 200, func(*http.Request) any {
		return map[string]any{"accessToken": "bench", "exp": time.Now().Add(5 * time.Minute).Unix()}
	})
	say("GET /connect/jwkset", 200, func(*http.Request) any { return jose.KeySet{key.Public()} })
	say("GET /connect/status", 404, func(*http.Request) any { return map[string]any{"error": "INVALID_TOKEN"} })
	say("GET /connect/cashflow/v2/files", 200, func(*http.Request) any { return []any{} })
	say("POST /secure-redirect", 200, c.link)
	say("GET /connect/cashflow/v2/json", 200, c.report)
	c.server = httptest.NewServer(mux)
	return c, nil
}

func (c *counterpart) link(r *http.Request) any {
	var in request
	json.NewDecoder(r.Body).Decode(&in)
	handle := store.NewSecret()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent[handle] = in
	return map[string]any{"redirectUrl": c.server.URL + "/" + handle, "redirectToken": handle, "exp": time.Now().Add(30 * time.Minute).Unix()}
}

func (c *counterpart) report(r *http.Request) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fetched++
	select {
	case c.more <- struct{}{}:
	default:
	}
	return c.reports[r.Header.Get("X-PUBLIC-TOKEN")]
}

// await waits until a number of reports were requested, and resets the count.
func (c *counterpart) await(ctx context.Context, n int) error {
	for {
		c.mu.Lock()
		done := c.fetched >= n
		if done {
			c.fetched = 0
		}
		c.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-c.more:
		case <-time.After(30 * time.Second):
			return fmt.Errorf("not every report was asked for")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// prepare sends n applicants, each with a separate browser, to the provider, and returns
// the requests of their returns.
func (c *counterpart) prepare(ctx context.Context, portal string, n int) ([][]byte, error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{MaxIdleConnsPerHost: returnClients}}
	defer client.CloseIdleConnections()
	out := make([][]byte, n)
	errs := make([]error, returnClients)
	var next atomic.Int64
	var wait sync.WaitGroup
	for who := range errs {
		wait.Go(func() {
			for errs[who] == nil && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				out[i], errs[who] = c.leave(client, portal)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, ctx.Err()
}

// leave sends one applicant to the provider, and returns the request of the return.
func (c *counterpart) leave(client *http.Client, portal string) ([]byte, error) {
	ask := func(req *http.Request) (*http.Response, error) {
		resp, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		words, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusSeeOther {
			return nil, fmt.Errorf("%s %s: %s %.200s", req.Method, req.URL.Path, resp.Status, words)
		}
		return resp, nil
	}
	form := url.Values{"product": {"cashflow"}, "mode": {"redirect"}, "firstName": {"Ana"}, "lastName": {"Lee"}, "email": {"ana@example.org"},
		"dob-month": {"2"}, "dob-day": {"3"}, "dob-year": {"1990"}}
	req, err := http.NewRequest(http.MethodPost, portal+"/applications", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	begun, err := ask(req)
	if err != nil {
		return nil, err
	}
	var cookie *http.Cookie
	for _, given := range begun.Cookies() {
		cookie = given
	}
	if cookie == nil {
		return nil, fmt.Errorf("an application without a cookie")
	}
	if req, err = http.NewRequest(http.MethodGet, portal+begun.Header.Get("Location"), nil); err != nil {
		return nil, err
	}
	req.AddCookie(cookie)
	away, err := ask(req)
	if err != nil {
		return nil, err
	}
	handle := strings.TrimPrefix(away.Header.Get("Location"), c.server.URL+"/")
	c.mu.Lock()
	defer c.mu.Unlock()
	sent, ok := c.sent[handle]
	if !ok {
		return nil, fmt.Errorf("a redirect to another place than the link")
	}
	delete(c.sent, handle)
	publicToken, now := uuid.NewString(), time.Now()
	meta := c.body["meta"].(map[string]any)
	meta["public_token"], meta["external_id"], meta["status"] = publicToken, sent.ExternalID, "SUCCESS"
	if c.reports[publicToken], err = json.Marshal(c.body); err != nil {
		return nil, err
	}
	token, err := jose.Signer{Key: c.key, Type: redirect.TokenType}.Sign(now, now.Add(5*time.Minute), jose.Claims{
		"publicToken": publicToken, "outcome": "SUCCESS", "status": "SUCCESS", "redirectArgs": sent.RedirectArgs})
	if err != nil {
		return nil, err
	}
	at, err := url.Parse(portal)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "GET /redirect/return?jwt=%s HTTP/1.1\r\nHost: %s\r\nCookie: %s=%s\r\n\r\n",
		token, at.Host, cookie.Name, cookie.Value), nil
}

// deliver sends each request once over several connections, by a minimal client. Each
// answer must be a 303.
func deliver(address string, requests [][]byte) error {
	at, err := url.Parse(address)
	if err != nil {
		return err
	}
	var next atomic.Int64
	errs := make([]error, returnClients)
	var wait sync.WaitGroup
	for who := range errs {
		wait.Go(func() {
			errs[who] = func() error {
				c, err := net.Dial("tcp", at.Host)
				if err != nil {
					return err
				}
				defer c.Close()
				in := bufio.NewReader(c)
				for {
					i := int(next.Add(1)) - 1
					if i >= len(requests) {
						return nil
					}
					if _, err := c.Write(requests[i]); err != nil {
						return err
					}
					first := true
					for {
						line, err := in.ReadSlice('\n')
						if err != nil {
							return err
						}
						if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 303 ")) {
							return fmt.Errorf("a return is answered %s", bytes.TrimSpace(line))
						}
						first = false
						if len(line) == 2 { // the body is empty
							break
						}
					}
				}
			}()
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// startChecker starts the peer: a process whose handler verifies the signature of a token
// with a given key, and answers like a return.
func startChecker(ctx context.Context, key *jose.PrivateKey) (*server, error) {
	_, pub, err := published(key)
	if err != nil {
		return nil, err
	}
	raw, err := x509.MarshalPKIXPublicKey(pub)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-check", base64.StdEncoding.EncodeToString(raw))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	return &server{Listeners: program.Listeners{Portal: strings.TrimSpace(line)}, cmd: cmd}, err
}

// check runs that process.
func check(key string) error {
	raw, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return err
	}
	parsed, err := x509.ParsePKIXPublicKey(raw)
	if err != nil {
		return err
	}
	pub := parsed.(*ecdsa.PublicKey)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.URL.Query().Get("jwt")
		dot := strings.LastIndexByte(token, '.')
		sig, err := base64.RawURLEncoding.DecodeString(token[dot+1:])
		sum := sha256.Sum256([]byte(token[:max(dot, 0)]))
		if err != nil || len(sig) != 64 || !ecdsa.Verify(pub, sum[:], new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])) {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		w.Header().Set("Location", "/")
		w.WriteHeader(http.StatusSeeOther)
	}))
}

// bareCommits is the other peer: each commit updates one row, with as many connections as
// the engine uses for writing.
func bareCommits(ctx context.Context, dir, database string) (commits func(n int) error, close func() error, err error) {
	var db *sql.DB
	writers := 1 // SQLite writes one after the other
	if database == "" {
		db, err = newBare(filepath.Join(dir, "bare.db"))
	} else {
		writers = returnClients
		db, err = sql.Open("pgx", database)
	}
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(writers)
	db.SetMaxIdleConns(writers)
	if _, err := db.ExecContext(ctx, `CREATE TABLE bench_rows (id INTEGER PRIMARY KEY, landed_at BIGINT NOT NULL)`); err != nil {
		return nil, nil, err
	}
	const rows = 1024
	for id := range rows {
		if _, err := db.ExecContext(ctx, `INSERT INTO bench_rows (id, landed_at) VALUES ($1, 0)`, id); err != nil {
			return nil, nil, err
		}
	}
	var turn atomic.Int64
	return func(n int) error {
		var left atomic.Int64
		left.Store(int64(n))
		errs := make([]error, writers)
		var wait sync.WaitGroup
		for who := range errs {
			wait.Go(func() {
				for errs[who] == nil && left.Add(-1) >= 0 {
					_, errs[who] = db.ExecContext(ctx, `UPDATE bench_rows SET landed_at = landed_at + 1 WHERE id = $1`, turn.Add(1)%rows)
				}
			})
		}
		wait.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	}, db.Close, nil
}
