//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
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

// journeyFigures measures whole journeys at the built program: a form, a visit with its report, and
// a decision. The peer is a bare journey: a process that answers the same requests with as many
// bytes, and makes the durable commits that a journey has by its meaning.
func journeyFigures(ctx context.Context, dir string) []figure {
	bin := buildProgram(ctx, dir)
	return onEngines(ctx, dir, func(e engine) []figure { return journeysOn(ctx, bin, e) })
}

const (
	journeyRounds  = 7
	journeysAtOnce = 8
	journeysEach   = 120 // in a round
)

func journeysOn(ctx context.Context, bin string, e engine) []figure {
	o := fleet.Options{Bin: bin}
	if e.url != "" {
		o.Replicas = 1
	}
	whole := must(fleet.Launch(ctx, o))
	defer whole.Stop()
	load := must(fleet.NewLoad(whole))
	check(load.Whole(ctx))
	check(os.MkdirAll(e.dir, 0o700))
	driver, at := e.bare()
	bare := must(fleet.StartSelf(ctx, "", "-bare-journey", driver, "-keep", at, "-sizes", string(must(json.Marshal(load.Sizes)))))
	defer bare.Stop()
	other := must(fleet.NewLoad(fleet.Elsewhere(must(bare.Line()))))
	pair := journeyPair{whole: whole, load: load, bare: bare.Pid(), other: other, engine: e}
	var took, barely series // nanoseconds of processors a journey
	var counts map[string]float64
	pair.measure(ctx) // warms up, and SQLite's logs reach their size
	before := must(whole.Stored())
	for range journeyRounds {
		own, plain, counted := pair.measure(ctx)
		took, barely, counts = append(took, own), append(barely, plain), counted
	}
	stored := float64(must(whole.Stored())-before) / (journeysEach * journeyRounds)
	wait := untilReport(ctx, load)
	limit := series{12e6}
	if e.url == "" {
		limit = series{7e6}
	}
	out := []figure{
		compare("processor time of a journey, "+e.name+" / a bare journey", "≤ 2.50", millis, took, barely),
		compare("processor time of a journey, "+e.name, "≤ 1.00", millis, took, limit),
		compare("a whole visit until its report is on the status page, "+e.name, "≤ 1.00", millis, series{wait.median()}, series{120e6}),
		compare("database of a journey, "+e.name, "≤ 1.00", kilobytes, series{stored}, series{60e3}),
	}
	each := func(name, of string, wanted float64) figure {
		return compare(name+" of a journey, "+e.name, "≤ 1.00", unit("%.1f", 1), series{counts[of] / journeysEach}, series{wanted})
	}
	if e.url == "" { // the engine that shares commits counts its transactions
		out = append(out, each("transactions of the portal", transactionsTotal+`{party="portal"}`, 5),
			each("transactions of the provider", transactionsTotal+`{party="provider"}`, 4))
	}
	return append(out, each("jobs", jobsTotal, 3))
}

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
func (p journeyPair) measure(ctx context.Context) (own, plain float64, counts map[string]float64) {
	before, counted := must(p.whole.Cost()), must(p.whole.Metrics(transactionsTotal, jobsTotal))
	crowd(ctx, p.load)
	after, counts := must(p.whole.Cost()), must(p.whole.Metrics(transactionsTotal, jobsTotal))
	for name, n := range counted {
		counts[name] -= n
	}
	bareBefore, serverBefore := used(p.bare), p.engine.used()
	crowd(ctx, p.other)
	bareAfter, server := used(p.bare), p.engine.used()
	return float64(after.Less(before).Own()) / journeysEach, (bareAfter - bareBefore + server - serverBefore) / journeysEach, counts
}

// untilReport measures journeys one after the other: nanoseconds from the request that completes the
// visit to the end of the stream, which says that the portal has the report.
func untilReport(ctx context.Context, l *fleet.Load) (out series) {
	for range 31 {
		l.Begin()
		check(l.Whole(ctx))
		var took time.Duration
		for _, route := range []string{"POST (a whole visit)", "GET /applications/{id}/stream"} {
			took += l.Times[route][0]
		}
		out = append(out, float64(took))
	}
	return out
}

// crowd runs the journeys of a round.
func crowd(ctx context.Context, l *fleet.Load) {
	parallel(journeysAtOnce, journeysEach, func(int) { check(l.Whole(ctx)) })
}

// Sizes in bytes of what a bare journey stores: a visit's data of 850 transactions, as the program
// packs them, and its report.
const (
	bareVisit  = 12 << 10
	bareReport = 5 << 10
)

// bareJourney answers what a journey requests. A statement that fails panics: the answer is missing,
// and the figures fail.
type bareJourney struct {
	db    *sql.DB
	mux   *http.ServeMux
	sizes map[string]int // bytes of the program's answers, by route
	base  string         // its own address
}

// serveBareJourney serves bare journeys, and prints the address.
func serveBareJourney(driver, at string, sizes map[string]int) {
	db, _ := openBare(driver, at)
	for _, table := range []string{
		`CREATE TABLE bare_applications (id TEXT PRIMARY KEY, body TEXT NOT NULL, decision TEXT NOT NULL DEFAULT '')`,
		`CREATE TABLE bare_tokens (id TEXT PRIMARY KEY, used BIGINT NOT NULL DEFAULT 0)`,
		`CREATE TABLE bare_data (id TEXT PRIMARY KEY, body TEXT NOT NULL)`,
	} {
		must(db.Exec(table))
	}
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	b := &bareJourney{db: db, mux: http.NewServeMux(), sizes: sizes, base: "http://" + l.Addr().String()}
	b.addForm()
	b.addVisit()
	b.addReview()
	fmt.Println(b.base)
	check(http.Serve(l, b.mux))
}

// exec executes a statement in a transaction of its own.
func (b *bareJourney) exec(r *http.Request, query string, args ...any) {
	must(b.db.ExecContext(r.Context(), query, args...))
}

// page adds a page that holds a text with the id, and has the size of the program's.
func (b *bareJourney) page(route, holds string, before func(r *http.Request, id string)) {
	filler := bytes.Repeat([]byte("x"), max(0, b.sizes[route]-len(holds)))
	b.mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
		if before != nil {
			before(r, r.PathValue("id"))
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(fmt.Appendf(nil, holds, r.PathValue("id")))
		w.Write(filler)
	})
}

// form adds the answer to a form, which redirects.
func (b *bareJourney) form(route string, to func(r *http.Request) string) {
	b.mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
		at := to(r)
		http.SetCookie(w, &http.Cookie{Name: "bare", Value: store.NewSecret()})
		w.Header().Set("Location", at)
		w.WriteHeader(http.StatusSeeOther)
	})
}

// addForm adds the form of an application.
func (b *bareJourney) addForm() {
	var serial atomic.Int64
	b.page("GET /apply/{product}", "", nil)
	b.form("POST /applications", func(r *http.Request) string {
		body := must(io.ReadAll(r.Body))
		id := fmt.Sprintf("%043d", serial.Add(1)) // as long as a token
		tx := must(b.db.BeginTx(r.Context(), nil))
		for _, insert := range []string{`INSERT INTO bare_applications (id, body) VALUES ($1, $2)`,
			`INSERT INTO bare_tokens (id, used) VALUES ($1, length($2) * 0)`} {
			must(tx.ExecContext(r.Context(), insert, id, string(body)))
		}
		check(tx.Commit())
		return "/applications/" + id + "/connect"
	})
	b.page("GET /applications/{id}/connect", `data-token="%s"`, nil)
}

// addVisit adds a visit, its report, and the stream that the report ends.
func (b *bareJourney) addVisit() {
	letters := strings.Repeat(rand.Text(), 1+bareVisit/len(rand.Text()))
	const insert = `INSERT INTO bare_data (id, body) VALUES ($1, $2)`
	b.mux.HandleFunc("POST /visits/{id}/complete", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		b.exec(r, `UPDATE bare_tokens SET used = 1 WHERE id = $1 AND used = 0`, id)
		b.exec(r, insert, "visit"+id, letters[:bareVisit])
		b.exec(r, insert, "report"+id, letters[:bareReport])
		fmt.Fprintf(w, `{"publicToken":"%s"}`, id)
	})
	b.mux.HandleFunc("GET /report/{id}", func(w http.ResponseWriter, r *http.Request) {
		var body string
		check(b.db.QueryRowContext(r.Context(), `SELECT body FROM bare_data WHERE id = $1`, "report"+r.PathValue("id")).Scan(&body))
		io.WriteString(w, body)
	})
	b.page("GET /applications/{id}/stream", "%s", func(r *http.Request, id string) {
		resp := must(http.Get(b.base + "/report/" + id))
		defer resp.Body.Close()
		b.exec(r, insert, "fetched"+id, string(must(io.ReadAll(resp.Body))))
	})
}

// addReview adds the status page, the reviewer's page, and the decision.
func (b *bareJourney) addReview() {
	find := func(r *http.Request, id string) {
		var decision string
		check(b.db.QueryRowContext(r.Context(), `SELECT decision FROM bare_applications WHERE id = $1`, id).Scan(&decision))
	}
	b.page("GET /applications/{id}", "%s", find)
	b.page("GET /review/applications/{id}", `name="seen" value="0" name="report" value="%s"`, find)
	b.form("POST /review/applications/{id}/decision", func(r *http.Request) string {
		b.exec(r, `UPDATE bare_applications SET decision = 'approved' WHERE id = $1 AND decision = ''`, r.PathValue("id"))
		return "/review/applications/" + r.PathValue("id")
	})
}
