package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vestibule/internal/httpx"
	"vestibule/internal/store"
	"vestibule/internal/telemetry"
)

func TestAdminListenerChecksTheHost(t *testing.T) {
	for _, tc := range []struct {
		name     string
		config   *Config
		url      string
		takes    string
		refuses  string
		profiles int
	}{
		{"on loopback", &Config{Listen: Listen{AdminAddr: "127.0.0.1:9090"}}, "http://127.0.0.1:9090",
			"127.0.0.1:9090 localhost:9090 LOCALHOST [::1]:9090 127.0.0.1:12345",
			"evil.example evil.example:9090 127.0.0.1.evil.example 192.0.2.7:9090", http.StatusOK},
		{"behind a proxy", &Config{Listen: Listen{AdminAddr: "0.0.0.0:9090", AdminURL: "https://metrics.example"},
			TLS: httpx.TLSConfig{BehindProxy: true}}, "https://metrics.example",
			"metrics.example Metrics.Example:443 10.1.2.3:9090 [2001:db8::1]:9090 localhost:9090",
			"evil.example metrics.example.evil.example 10.1.2.3.evil.example", http.StatusNotFound},
		{"by a name, with TLS", &Config{Listen: Listen{AdminAddr: "vestibule.internal:9090"}, TLS: httpx.TLSConfig{CertFile: "a"}},
			"https://vestibule.internal:9090",
			"vestibule.internal:9090 10.1.2.3:9090", "evil.example", http.StatusNotFound},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := &program{config: tc.config, log: slog.New(slog.DiscardHandler),
				telemetry: telemetry.New(telemetry.Config{Log: slog.New(slog.DiscardHandler)}),
				services:  []*service{{name: "admin", url: tc.url}}}
			h := p.admin()
			get := func(host, path string) int {
				r := httptest.NewRequest("GET", path, nil)
				r.Host = host
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				return w.Code
			}
			for _, host := range append(strings.Fields(tc.takes), "") {
				for path, want := range map[string]int{"/healthz": 200, "/metrics": 200, "/readyz": 503,
					"/debug/pprof/": tc.profiles, "/debug/pprof/symbol": tc.profiles} {
					if got := get(host, path); got != want {
						t.Errorf("%s of %q = %d, want %d", path, host, got, want)
					}
				}
			}
			for _, host := range strings.Fields(tc.refuses) {
				for _, path := range []string{"/healthz", "/readyz", "/metrics", "/debug/pprof/", "/debug/pprof/heap"} {
					if got := get(host, path); got != http.StatusMisdirectedRequest {
						t.Errorf("%s of %q = %d, want 421", path, host, got)
					}
				}
			}
		})
	}
}

// unready is a party whose database is away.
type unready struct{ party }

func (unready) Ready(context.Context) error { return errors.New("the database is away") }

type readyParty struct{ party }

func (readyParty) Ready(context.Context) error { return nil }

// TestSandboxDoesNotMakeProductionUnready asks for the readiness of two environments, one of
// which is away.
func TestSandboxDoesNotMakeProductionUnready(t *testing.T) {
	for name, c := range map[string]struct {
		production, sandbox party
		want                [2]int
	}{
		"sandbox away":    {readyParty{}, unready{}, [2]int{200, 503}},
		"production away": {unready{}, readyParty{}, [2]int{503, 200}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &program{config: &Config{Listen: Listen{AdminAddr: "127.0.0.1:9090"}}, sandbox: &Config{}, log: slog.New(slog.DiscardHandler),
				telemetry: telemetry.New(telemetry.Config{Log: slog.New(slog.DiscardHandler)}),
				services:  []*service{{name: "admin", url: "http://127.0.0.1:9090"}},
				parties:   map[string]party{store.Provider: c.production, sandboxBeside: c.sandbox}}
			p.stage.Store(int32(serving))
			for i, path := range []string{"/readyz", "/readyz/sandbox"} {
				rec := httptest.NewRecorder()
				p.admin().ServeHTTP(rec, httptest.NewRequest("GET", "http://127.0.0.1:9090"+path, nil))
				if rec.Code != c.want[i] {
					t.Errorf("%s: %d, want %d", path, rec.Code, c.want[i])
				}
			}
		})
	}
}
