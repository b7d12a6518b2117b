package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vestibule/internal/app"
	"vestibule/internal/staff"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/logtest"
)

// site is one running program.
type site struct {
	Portal, Provider, Control, Admin string
	Credentials                      credentials
	Log                              *logtest.Buffer // searched for what must not be there
	dir                              string
}

// credentials is sandbox-credentials.json.
type credentials struct {
	PublicID, ClientID, SecretKey string
	Products                      map[string]string
	WebhookSecret                 string
	ThirdParty                    struct{ PublicID string }
	Dashboard                     struct{ Email, Password string }
	Reviewer                      struct{ Email, Password string }
	PortalAPIKey                  string
}

// start runs the program on free ports until the test ends, and waits until it is
// ready. The program must drain with exit code 0.
func start(t *testing.T, args ...string) *site {
	t.Helper()
	needBrowser(t)
	assets.Need(t)
	staff.UseCheapHashes()
	s := &site{dir: t.TempDir(), Log: &logtest.Buffer{}}
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	exit := make(chan int, 1)
	if faultSeed != "" {
		args = append([]string{"--sandbox-faults=" + faultSeed}, args...)
	}
	go func() {
		args := append([]string{"--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0", "--sandbox-control-addr=127.0.0.1:0",
			"--admin-addr=127.0.0.1:0", "--data-dir=" + s.dir}, args...)
		code := app.Run(ctx, args, in, s.Log)
		in.Close()
		exit <- code
	}()
	t.Cleanup(func() {
		stop()
		select {
		case code := <-exit:
			if code != 0 {
				t.Errorf("the program ended with exit code %d\n%s", code, s.Log)
			}
		case <-time.After(60 * time.Second):
			t.Errorf("the program does not end\n%s", s.Log)
		}
		s.discreet(t)
		if t.Failed() {
			t.Logf("the program's log:\n%s", tail(s.Log.String(), 12_000))
		}
	})
	lines := bufio.NewScanner(out)
	ready := false
	for !ready && lines.Scan() {
		name, url, ok := strings.Cut(lines.Text(), " listening url=")
		switch {
		case lines.Text() == "ready":
			ready = true
		case ok && name == "portal":
			s.Portal = url
		case ok && name == "provider":
			s.Provider = url
		case ok && name == "sandbox":
			s.Control = url
		case ok && name == "admin":
			s.Admin = url
		}
	}
	go io.Copy(io.Discard, out)
	if !ready {
		t.Fatalf("the program did not get ready:\n%s", s.Log)
	}
	raw, err := os.ReadFile(filepath.Join(s.dir, "sandbox-credentials.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &s.Credentials); err != nil {
		t.Fatal(err)
	}
	return s
}

// discreet checks that the log has no secrets, no tokens, and no personal data of the
// tests' applicants.
func (s *site) discreet(t *testing.T) {
	t.Helper()
	said := s.Log.String()
	for _, secret := range []string{s.Credentials.SecretKey, s.Credentials.WebhookSecret, s.Credentials.PortalAPIKey,
		s.Credentials.Reviewer.Password, s.Credentials.Dashboard.Password, s.Credentials.Dashboard.Email, "eyJ", "grant=",
		"jwt=", "@example.org", "Zoë", "Hara", "Núñez", "Pérez", "1992-02-29"} {
		if secret != "" && strings.Contains(said, secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

func tail(s string, n int) string {
	if len(s) > n {
		return "…" + s[len(s)-n:]
	}
	return s
}

// control calls the sandbox's control listener and returns the decoded answer.
func (s *site) control(t *testing.T, method, path string, in any) map[string]any {
	t.Helper()
	return call(t, method, s.Control+path, "", in, 2)
}

// api calls the portal's API with its key.
func (s *site) api(t *testing.T, method, path string, in any) map[string]any {
	t.Helper()
	return call(t, method, s.Portal+"/api/v1"+path, "Bearer "+s.Credentials.PortalAPIKey, in, 2)
}

// faultSeed is the seed of the difficulties that every test's service makes; "" for none.
var faultSeed = os.Getenv("VESTIBULE_E2E_FAULTS")

// send sends a request of a customer's. A service with faults holds some back, which
// their senders send again; the bodies are those of http.NewRequest.
func send(t *testing.T, req *http.Request) *http.Response {
	t.Helper()
	for try := 1; ; try++ {
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		held := resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable && req.Method == http.MethodGet
		if faultSeed == "" || !held || try == 4 {
			return resp
		}
		resp.Body.Close()
		if req.GetBody != nil {
			if req.Body, err = req.GetBody(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// call sends JSON and wants an answer whose status begins with class.
func call(t *testing.T, method, url, authorization string, in any, class int) map[string]any {
	t.Helper()
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	resp := send(t, req)
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	if resp.StatusCode/100 != class {
		t.Fatalf("%s %s = %d %s", method, req.URL.Path, resp.StatusCode, raw)
	}
	out := map[string]any{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatalf("%s %s: %v: %s", method, req.URL.Path, err, raw)
		}
	}
	return out
}
