package httpx

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrust calls a server whose certificate no system knows, before and after its authority is trusted.
// It does so in a process of its own, which trusts the authority from then on.
func TestTrust(t *testing.T) {
	if os.Getenv("VESTIBULE_TEST_TRUST") == "" {
		own := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTrust$")
		own.Env = append(os.Environ(), "VESTIBULE_TEST_TRUST=1")
		if out, err := own.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	srv := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(srv.Close)
	call := func() error {
		resp, err := (&http.Client{Transport: &http.Transport{}}).Get(srv.URL)
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	if says := UnknownAuthority(call()); !strings.Contains(says, "O=Acme Co") || !strings.Contains(says, "--ca-file") {
		t.Errorf("before: %q", says)
	}
	file := func(content string) TLSConfig {
		path := filepath.Join(t.TempDir(), "ca.pem")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return TLSConfig{CAFile: path}
	}
	if err := file("not a certificate").Trust(); err == nil || !strings.Contains(err.Error(), "ca.pem has no certificate") {
		t.Errorf("a file without certificates: %v", err)
	}
	if err := (TLSConfig{CAFile: "nowhere.pem"}).Trust(); err == nil || !strings.HasPrefix(err.Error(), "--ca-file: open nowhere.pem") {
		t.Errorf("a missing file: %v", err)
	}
	if err := (TLSConfig{}).Trust(); err != nil {
		t.Error(err)
	}
	if err := file(string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}))).Trust(); err != nil {
		t.Fatal(err)
	}
	err := call()
	if err != nil || UnknownAuthority(err) != "" {
		t.Errorf("after: %v", err)
	}
}
