//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"vestibule/bench/fleet"
	"vestibule/internal/jose"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// returnClients is the number of connections for returns.
const returnClients = 16

// returnFigures measures whole returns of secure redirect over HTTP at the built program,
// each with a separate browser, attempt, and signed result. A return verifies the token,
// completes the attempt, renews the session, moves the application, and enqueues the job
// that fetches its report, all on disk before the answer. The jobs begin at the same time, and
// wait for the provider until the last applicant has returned.
// The peer is bare commits of one UPDATE of one row in the same database, in turns.
func returnFigures(ctx context.Context, dir string) []figure {
	bin := buildProgram(ctx, dir)
	return onEngines(ctx, dir, func(e engine) []figure { return returnsOn(ctx, bin, e) })
}

func returnsOn(ctx context.Context, bin string, e engine) []figure {
	const rounds, each = 9, 192
	far := newCounterpart()
	defer far.server.Close()
	p := startServer(ctx, bin, e.dir, "portal", "--database-url="+e.url,
		"--provider-url="+far.server.URL, "--public-id="+uuid.NewString(),
		"--client-id=bench", "--secret-key=bench", "--products=cashflow="+uuid.NewString(), "--webhook-secret="+webhook.NewSecret())
	defer p.stop()
	load := must(fleet.NewLoad(fleet.Elsewhere(p.Portal)))
	commit, closeDB := bareCommits(ctx, e)
	defer closeDB()
	used := func() float64 { return used(p.cmd.Process.Pid) + e.used() }
	var ours, fetched, writes, cost, whole series // ns of one
	for round := range rounds + 1 {
		returns := make([]applicantReturn, each)
		parallel(returnClients, each, func(i int) { returns[i] = far.leave(ctx, p.Portal, load) })
		before := used()
		far.hold.Lock()
		began := elapsed()
		parallel(returnClients, each, func(i int) {
			must(load.Send(ctx, "GET /redirect/return", http.StatusSeeOther, returns[i].url, "", "Cookie", returns[i].cookie))
		})
		took, after := elapsed()-began, used()
		far.hold.Unlock()
		far.await(ctx, each)
		all, last := elapsed()-began, used()
		began = elapsed()
		commit(each)
		if round > 0 { // the first one warms up
			ours, fetched, writes = append(ours, took/each), append(fetched, all/each), append(writes, (elapsed()-began)/each)
			cost, whole = append(cost, (after-before)/each), append(whole, (last-before)/each)
		}
	}
	limit := 0.5e6
	if e.url != "" {
		limit = 1.3e6 // with the database server's
	}
	return []figure{
		compareRates("good returns, "+e.name+" / bare commits of one UPDATE", "reported", ours, writes),
		compareRates("good returns until their reports are fetched, same", "reported", fetched, writes),
		compare("processors of a good return, "+e.name+" / limit", "≤ 1.00", millis, cost, series{limit}),
		compare("processors until its report is fetched, same", "reported", millis, whole, series{limit}),
	}
}

// counterpart is the part of a provider that returns need: it creates links, publishes its
// key, and has a report of each application.
type counterpart struct {
	server *httptest.Server
	key    *jose.PrivateKey
	body   map[string]any // of a report

	hold    sync.RWMutex // locked while no report is given
	mu      sync.Mutex
	sent    map[string]link   // by the handle of their link
	reports map[string][]byte // by publicToken
	fetched chan struct{}     // a report
}

type link struct{ ExternalID, RedirectArgs string }

func newCounterpart() *counterpart {
	data, at := bankData(300)
	c := &counterpart{key: must(jose.GenerateKey()), sent: map[string]link{}, reports: map[string][]byte{},
		fetched: make(chan struct{}, 1<<16)}
	check(json.Unmarshal(must(report.Encode(cashflowReport(data, at))), &c.body))
	mux := http.NewServeMux()
	answer := func(pattern string, status int, body func(r *http.Request) any) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			json.NewEncoder(w).Encode(body(r))
		})
	}
	answer("GET /connect/accesstoken", 200, func(*http.Request) any {
		return map[string]any{"accessToken": "bench", "exp": time.Now().Add(5 * time.Minute).Unix()}
	})
	answer("GET /connect/jwkset", 200, func(*http.Request) any { return jose.KeySet{c.key.Public()} })
	answer("GET /connect/status", 404, func(*http.Request) any { return map[string]any{"error": "INVALID_TOKEN"} })
	answer("GET /connect/cashflow/v2/files", 200, func(*http.Request) any { return []any{} })
	answer("POST /secure-redirect", 200, c.link)
	answer("GET /connect/cashflow/v2/json", 200, c.report)
	c.server = httptest.NewServer(mux)
	return c
}

func (c *counterpart) link(r *http.Request) any {
	var in link
	json.NewDecoder(r.Body).Decode(&in)
	handle := store.NewSecret()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent[handle] = in
	return map[string]any{"redirectUrl": c.server.URL + "/" + handle, "redirectToken": handle, "exp": time.Now().Add(30 * time.Minute).Unix()}
}

func (c *counterpart) report(r *http.Request) any {
	c.hold.RLock()
	defer c.hold.RUnlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fetched <- struct{}{}
	return json.RawMessage(c.reports[r.Header.Get("X-PUBLIC-TOKEN")])
}

// await waits until a number of reports were requested.
func (c *counterpart) await(ctx context.Context, n int) {
	ctx, cancel := context.WithTimeoutCause(ctx, 30*time.Second, errors.New("not every report was asked for"))
	defer cancel()
	for range n {
		select {
		case <-c.fetched:
		case <-ctx.Done():
			check(context.Cause(ctx))
		}
	}
}

// applicantReturn is the request by which an applicant returns from the provider.
type applicantReturn struct{ url, cookie string }

// leave sends an applicant with a separate browser to the provider.
func (c *counterpart) leave(ctx context.Context, portal string, l *fleet.Load) applicantReturn {
	at, cookie, err := l.Apply(ctx, "redirect")
	check(err)
	away := must(l.Send(ctx, "GET /applications/{id}/connect", http.StatusSeeOther, portal+at, "", "Cookie", cookie))
	publicToken, now := uuid.NewString(), time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	sent, ok := c.sent[strings.TrimPrefix(away.Header.Get("Location"), c.server.URL+"/")]
	if !ok {
		check(errors.New("a redirect to another place than the link"))
	}
	meta := c.body["meta"].(map[string]any)
	meta["public_token"], meta["external_id"], meta["status"] = publicToken, sent.ExternalID, "SUCCESS"
	c.reports[publicToken] = must(json.Marshal(c.body))
	token := must(jose.Signer{Key: c.key, Type: "outcome+jwt"}.Sign(now, now.Add(5*time.Minute), jose.Claims{
		"publicToken": publicToken, "outcome": "SUCCESS", "status": "SUCCESS", "redirectArgs": sent.RedirectArgs}))
	return applicantReturn{portal + "/redirect/return?jwt=" + token, cookie}
}

// bareCommits is the peer: each commit updates one row, with as many connections as the
// engine uses for writing.
func bareCommits(ctx context.Context, e engine) (commit func(n int), closeDB func() error) {
	db, writers := openBare(e.bare())
	must(db.ExecContext(ctx, `CREATE TABLE bench_rows (id INTEGER PRIMARY KEY, landed_at BIGINT NOT NULL)`))
	const rows = 1024
	for id := range rows {
		must(db.ExecContext(ctx, `INSERT INTO bench_rows (id, landed_at) VALUES ($1, 0)`, id))
	}
	var turn atomic.Int64
	return func(n int) {
		parallel(writers, n, func(int) {
			must(db.ExecContext(ctx, `UPDATE bench_rows SET landed_at = landed_at + 1 WHERE id = $1`, turn.Add(1)%rows))
		})
	}, db.Close
}
