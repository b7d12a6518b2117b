package sandbox

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"vestibule/internal/provider"
	"vestibule/internal/provider/sandbox/connector"
	"vestibule/internal/provider/sources/remote"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
	"vestibule/web"
)

// TestOriginOfBanks reaches the connector and a bank at one origin, with injected faults,
// while the sandbox's clock is moved. The secret is in the database.
func TestOriginOfBanks(t *testing.T) {
	listener := httptest.NewUnstartedServer(nil)
	const callback = "https://app.example/oauth/callback"
	config := provider.SandboxConfig{DB: storetest.SQLite(t, store.Provider), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		BankURL: "http://" + listener.Listener.Addr().String(), RedirectURI: callback, Assets: web.Provider()}
	made, err := New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	s := made.(*Sandbox)
	listener.Config.Handler = s.Banks()
	listener.Start()
	t.Cleanup(listener.Close)
	if _, err := s.Advance(t.Context(), 240*time.Hour); err != nil {
		t.Fatal(err)
	}
	raw, err := config.DB.GetOrCreateSecret(t.Context(), "connector-secret", func() ([]byte, error) { return []byte("none yet"), nil })
	if err != nil {
		t.Fatal(err)
	}
	secret, err := webhook.ParseSecret(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	program := remote.Program{ID: "sandbox", URL: config.BankURL + connector.Path, Secret: secret, Loopback: true}
	options := remote.Options{Now: config.Now, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	for _, c := range remote.Conformance(t.Context(), program, callback, true, options) {
		if !c.OK {
			t.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
	for address, want := range map[string]int{"/acorn-cove-savings-bank/.well-known/openid-configuration": 200, "/connector/sign-in/x": 403,
		"/connector/institutions": 405, "/connector/x": 404} {
		resp, err := http.Get(config.BankURL + address)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", address, resp.StatusCode, want)
		}
	}
	s.faults.Add(Fault{Match: "POST /connector/institutions", Times: -1, Action: "status:503"})
	if _, err := remote.List(t.Context(), program, options); err == nil {
		t.Error("the fault does not reach the connector")
	}
	if err := s.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
}
