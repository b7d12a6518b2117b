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
)

// readyTimeout bounds what readiness asks the database: a balancer asks again soon.
const readyTimeout = 2 * time.Second

// stage is how far the program has come.
type stage int32

const (
	starting stage = iota // opens databases, migrates them, starts the parties
	serving
	draining
)

// admin serves health and metrics, on a listener of its own. /healthz says that
// the process lives; /readyz that every party can take requests and do its work,
// which is neither before the databases are migrated nor once the end has begun.
// Profiles are served where only this machine reaches the listener.
func (p *program) admin() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if why := p.notReady(r.Context()); why != nil {
			p.log.Warn("not ready", "err", why.Error())
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		w.Write([]byte("ready\n"))
	})
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

// adminHost refuses requests for another host's name: a page in the operator's browser
// whose name has been made to point here would read the answers. Addresses cannot be
// made to, and are what probes and scrapers use; browsers always send a host.
func (p *program) adminHost(next http.Handler) http.Handler {
	here, _ := url.Parse(p.service("admin").url)
	local := p.config.Listen.adminLocal()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		_, err := netip.ParseAddr(host)
		if r.Host != "" && !httpx.IsLoopback(host) && !strings.EqualFold(host, here.Hostname()) && (err != nil || local) {
			http.Error(w, "no such host here; see --admin-url", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// notReady is why no balancer should send anything here, or nil.
func (p *program) notReady(ctx context.Context) error {
	switch stage(p.stage.Load()) {
	case starting:
		return errors.New("starting")
	case draining:
		return errors.New("draining")
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for _, party := range p.parties {
		if err := party.Ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

// serveAdmin serves the admin listener before anything else and until everything
// else has ended, so that both can be watched.
func (p *program) serveAdmin(failed chan<- error) {
	s := p.service("admin")
	if s == nil {
		return
	}
	s.handle(p.admin())
	go func() { failed <- s.server.Serve(s.listener) }()
	fmt.Fprintf(p.stdout, "%s listening url=%s\n", s.name, s.url)
}
