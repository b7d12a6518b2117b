//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"vestibule/bench/fleet"
	"vestibule/internal/store"
)

// journeysOn measures whole journeys at the built program: a form, a visit with its report, and
// a decision. The peer is a bare journey: a process that answers the same requests with as many
// bytes, and makes the durable commits that a journey has by its meaning.
func journeysOn(ctx context.Context, bin string, e engine) ([]figure, error) {
	o := fleet.Options{Bin: bin}
	if e.url != "" {
		o.Replicas = 1
	}
	whole, err := fleet.Launch(ctx, o)
	if err != nil {
		return nil, err
	}
	defer whole.Stop()
	load, err := fleet.NewLoad(whole)
	if err != nil {
		return nil, err
	}
	if err := load.Whole(ctx); err != nil {
		return nil, err
	}
	sizes, err := json.Marshal(load.Sizes)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(e.dir, 0o700); err != nil {
		return nil, err
	}
	driver, at := e.bare()
	bare, err := fleet.StartSelf(ctx, "", "-bare-journey", driver, "-keep", at, "-sizes", string(sizes))
	if err != nil {
		return nil, err
	}
	defer bare.Stop()
	base, err := bare.Line()
	if err != nil {
		return nil, err
	}
	other, err := fleet.NewLoad(fleet.Elsewhere(base))
	if err != nil {
		return nil, err
	}
	pair := journeyPair{whole: whole, load: load, bare: bare.Pid(), other: other, engine: e}
	var took, barely series // nanoseconds of processors a journey
	var counts map[string]float64
	for round := range journeyRounds + 1 {
		own, plain, counted, err := pair.measure(ctx)
		if err != nil {
			return nil, err
		}
		if round > 0 { // the first one warms up
			took, barely, counts = append(took, own), append(barely, plain), counted
		}
	}
	wait, err := untilReport(ctx, load)
	if err != nil {
		return nil, err
	}
	limit := series{12e6}
	if e.url == "" {
		limit = series{7e6}
	}
	out := []figure{
		compare("processor time of a journey, "+e.name+" / a bare journey", "≤ 2.50", millis, took, barely),
		compare("processor time of a journey, "+e.name, "≤ 1.00", millis, took, limit),
		compare("a whole visit until its report is on the status page, "+e.name, "≤ 1.00", millis, series{wait.median()}, series{120e6}),
	}
	each := func(name, of string, wanted float64) figure {
		return compare(name+" of a journey, "+e.name, "≤ 1.00", unit("%.1f", 1), series{counts[of] / journeysEach}, series{wanted})
	}
	if e.url == "" { // the engine that shares commits counts its transactions
		out = append(out, each("transactions of the portal", transactionsTotal+`{party="portal"}`, 5),
			each("transactions of the provider", transactionsTotal+`{party="provider"}`, 4))
	}
	return append(out, each("jobs", jobsTotal, 3)), nil
}

const (
	journeyRounds  = 7
	journeysAtOnce = 8
	journeysEach   = 120 // in a round
)

// Counters of the program that journeys raise.
const (
	transactionsTotal = "vestibule_database_transactions_total"
	jobsTotal         = "vestibule_jobs_total"
)

// journeyPair is the program and the bare journey, each with its load.
type journeyPair struct {
	whole       *fleet.Fleet
	load, other *fleet.Load
	bare        int // process
	engine      engine
}

// measure makes a round of journeys at each, and returns the processor time of one, in
// nanoseconds, and what the program's counters rose by.
func (p journeyPair) measure(ctx context.Context) (own, plain float64, counts map[string]float64, err error) {
	before, err := p.whole.Cost()
	counted, err2 := p.whole.Metrics(transactionsTotal, jobsTotal)
	if err = cmp.Or(err, err2, crowd(ctx, p.load)); err != nil {
		return 0, 0, nil, err
	}
	after, err := p.whole.Cost()
	counts, err2 = p.whole.Metrics(transactionsTotal, jobsTotal)
	if err = cmp.Or(err, err2); err != nil {
		return 0, 0, nil, err
	}
	for name, n := range counted {
		counts[name] -= n
	}
	bareBefore, _, err := fleet.Used(p.bare)
	serverBefore, err2 := p.engine.used()
	if err = cmp.Or(err, err2, crowd(ctx, p.other)); err != nil {
		return 0, 0, nil, err
	}
	bareAfter, _, err := fleet.Used(p.bare)
	server, err2 := p.engine.used()
	return float64(after.Less(before).Own()) / journeysEach, (float64(bareAfter-bareBefore) + server - serverBefore) / journeysEach,
		counts, cmp.Or(err, err2)
}

// untilReport measures journeys one after the other: nanoseconds from the request that completes the
// visit to the end of the stream, which says that the portal has the report.
func untilReport(ctx context.Context, l *fleet.Load) (out series, err error) {
	for range 31 {
		l.Begin()
		if err := l.Whole(ctx); err != nil {
			return nil, err
		}
		var took time.Duration
		for _, route := range []string{"POST (a whole visit)", "GET /applications/{id}/stream"} {
			took += l.Times[route][0]
		}
		out = append(out, float64(took))
	}
	return out, nil
}

// crowd runs the journeys of a round.
func crowd(ctx context.Context, l *fleet.Load) error {
	return parallel(journeysAtOnce, journeysEach, func(int) error { return l.Whole(ctx) })
}

// Sizes in bytes of what a bare journey stores: a visit's data of 850 transactions, as the program
// packs them, and its report.
const (
	bareVisit  = 48 << 10
	bareReport = 28 << 10
)

// bareJourney serves what a journey requests, and prints its address. Pages have the sizes of the
// program's answers, by route.
func bareJourney(driver, at string, sizes map[string]int) error {
	db, _, err := openBare(driver, at)
	if err != nil {
		return err
	}
	for _, table := range []string{
		`CREATE TABLE bare_applications (id TEXT PRIMARY KEY, body TEXT NOT NULL, decision TEXT NOT NULL DEFAULT '')`,
		`CREATE TABLE bare_tokens (id TEXT PRIMARY KEY, used BIGINT NOT NULL DEFAULT 0)`,
		`CREATE TABLE bare_data (id TEXT PRIMARY KEY, body TEXT NOT NULL)`,
	} {
		if _, err := db.Exec(table); err != nil {
			return err
		}
	}
	letters := strings.Repeat(rand.Text(), 1+bareVisit/len(rand.Text()))
	exec := func(r *http.Request, query string, args ...any) {
		if _, err := db.ExecContext(r.Context(), query, args...); err != nil {
			panic(err) // the answer is missing, and the figures fail
		}
	}
	var base string
	mux := http.NewServeMux()
	page := func(route, holds string, before func(r *http.Request, id string)) {
		filler := bytes.Repeat([]byte("x"), max(0, sizes[route]-len(holds)))
		mux.HandleFunc(strings.TrimSuffix(route, " (a whole visit)"), func(w http.ResponseWriter, r *http.Request) {
			if before != nil {
				before(r, r.PathValue("id"))
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write(fmt.Appendf(nil, holds, r.PathValue("id")))
			w.Write(filler)
		})
	}
	var serial atomic.Int64
	form := func(route string, to func(r *http.Request) string) {
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
			at := to(r)
			http.SetCookie(w, &http.Cookie{Name: "bare", Value: store.NewSecret()})
			w.Header().Set("Location", at)
			w.WriteHeader(http.StatusSeeOther)
		})
	}
	page("GET /apply/{product}", "", nil)
	form("POST /applications", func(r *http.Request) string {
		body, _ := io.ReadAll(r.Body)
		id := fmt.Sprintf("%043d", serial.Add(1)) // as long as a token
		tx, err := db.BeginTx(r.Context(), nil)
		if err != nil {
			panic(err)
		}
		for _, insert := range []string{`INSERT INTO bare_applications (id, body) VALUES ($1, $2)`,
			`INSERT INTO bare_tokens (id, used) VALUES ($1, length($2) * 0)`} {
			if _, err := tx.ExecContext(r.Context(), insert, id, string(body)); err != nil {
				panic(err)
			}
		}
		if err := tx.Commit(); err != nil {
			panic(err)
		}
		return "/applications/" + id + "/connect"
	})
	page("GET /applications/{id}/connect", `data-token="%s"`, nil)
	mux.HandleFunc("POST /visits/{id}/complete", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		exec(r, `UPDATE bare_tokens SET used = 1 WHERE id = $1 AND used = 0`, id)
		exec(r, `INSERT INTO bare_data (id, body) VALUES ($1, $2)`, "visit"+id, letters[:bareVisit])
		exec(r, `INSERT INTO bare_data (id, body) VALUES ($1, $2)`, "report"+id, letters[:bareReport])
		fmt.Fprintf(w, `{"publicToken":"%s"}`, id)
	})
	mux.HandleFunc("GET /report/{id}", func(w http.ResponseWriter, r *http.Request) {
		var body string
		find := db.QueryRowContext(r.Context(), `SELECT body FROM bare_data WHERE id = $1`, "report"+r.PathValue("id"))
		if err := find.Scan(&body); err != nil {
			panic(err)
		}
		io.WriteString(w, body)
	})
	page("GET /applications/{id}/stream", "%s", func(r *http.Request, id string) {
		resp, err := http.Get(base + "/report/" + id)
		if err != nil {
			panic(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		exec(r, `INSERT INTO bare_data (id, body) VALUES ($1, $2)`, "fetched"+id, string(body))
	})
	find := func(r *http.Request, id string) {
		var decision string
		if err := db.QueryRowContext(r.Context(), `SELECT decision FROM bare_applications WHERE id = $1`, id).Scan(&decision); err != nil {
			panic(err)
		}
	}
	page("GET /applications/{id}", "%s", find)
	page("GET /review/applications/{id}", `name="seen" value="0" name="report" value="%s"`, find)
	form("POST /review/applications/{id}/decision", func(r *http.Request) string {
		exec(r, `UPDATE bare_applications SET decision = 'approved' WHERE id = $1 AND decision = ''`, r.PathValue("id"))
		return "/review/applications/" + r.PathValue("id")
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	base = "http://" + l.Addr().String()
	fmt.Println(base)
	return http.Serve(l, mux)
}
