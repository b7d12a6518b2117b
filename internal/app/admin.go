package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/store"
)

// readyTimeout bounds what readiness asks the database: a balancer asks again soon.
const readyTimeout = 2 * time.Second

// stage is the stage of the program's life.
type stage int32

const (
	starting stage = iota // opens databases, migrates them, starts the parties
	serving
	draining
)

// admin serves health and metrics on a separate listener. /healthz reports that the
// process runs, and /readyz that every party can handle requests and run jobs. A sandbox beside
// production has its own /readyz/sandbox, so that it takes no requests away from production. Profiles
// are served only if the listener is on loopback.
func (p *program) admin() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok", Version()) })
	mux.Handle("GET /readyz", p.readiness(store.Portal, store.Provider))
	if p.sandbox != nil {
		mux.Handle("GET /readyz/sandbox", p.readiness(sandboxBeside))
	}
	mux.Handle("GET /metrics", p.telemetry.Metrics())
	if p.config.Listen.adminLocal() {
		// Not the command line, which may have secrets.
		for path, h := range map[string]http.HandlerFunc{"": pprof.Index, "profile": pprof.Profile,
			"symbol": pprof.Symbol, "trace": pprof.Trace} {
			mux.HandleFunc("GET /debug/pprof/"+path, h)
		}
	}
	return p.adminHost(mux)
}

// adminHost refuses requests for other host names, against DNS rebinding by a page in the
// operator's browser. It accepts IP addresses, which probes and scrapers use.
func (p *program) adminHost(next http.Handler) http.Handler {
	here, _ := url.Parse(p.service("admin").url)
	local := p.config.Listen.adminLocal()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		_, err := netip.ParseAddr(host)
		if r.Host != "" && !httpx.IsLoopback(host) && !strings.EqualFold(host, here.Hostname()) && (err != nil || local) {
			http.Error(w, "unknown host; see --admin-url", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// readiness answers whether the named parties are ready.
func (p *program) readiness(names ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := p.notReady(r.Context(), names); why != nil {
			p.log.Warn("not ready", "err", why.Error())
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		w.Write([]byte("ready\n"))
	})
}

// notReady returns why the named parties should get no requests, or nil.
func (p *program) notReady(ctx context.Context, names []string) error {
	switch stage(p.stage.Load()) {
	case starting:
		return errors.New("starting")
	case draining:
		return errors.New("draining")
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for _, name := range names {
		if party := p.parties[name]; party != nil {
			if err := party.Ready(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// serveAdmin serves the admin listener from before the other listeners start until after
// they have stopped, so that start and stop can be observed.
func (p *program) serveAdmin(failed chan<- error) {
	s := p.service("admin")
	if s == nil {
		return
	}
	s.handle(p.admin())
	go func() { failed <- s.server.Serve(s.listener) }()
}
