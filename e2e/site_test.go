package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"vestibule/internal/app"
	"vestibule/internal/staff"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/program"
	"vestibule/internal/testutil/storetest"
)

// site is one running program.
type site struct {
	*program.Program
	Credentials program.Credentials
	Log         *logtest.Buffer // searched for what must not be there
	dir         string
}

// shared are the programs that tests share, by their flags.
var shared struct {
	sync.Mutex
	sites map[string]*site
}

// start returns the program with these flags that tests share. They create what they use,
// expect no empty list, and leave the clock, faults and settings as they are; other tests
// call alone.
func start(t *testing.T, args ...string) *site {
	t.Helper()
	needBrowser(t)
	assets.Need(t)
	shared.Lock()
	defer shared.Unlock()
	flags := strings.Join(args, " ")
	s := shared.sites[flags]
	if s == nil {
		dir, err := storetest.MakeDataDir()
		must(t, err)
		s = &site{Log: &logtest.Buffer{}, dir: dir}
		must(t, s.run(append([]string{"--apply-rate=0", "--widget-rate=0", "--api-rate=10000"}, args...)))
		if shared.sites == nil {
			shared.sites = map[string]*site{}
		}
		shared.sites[flags] = s
	}
	t.Cleanup(func() { s.explain(t) })
	return s
}

// endShared ends the shared programs and returns what is wrong with them.
func endShared() (wrong []error) {
	for _, s := range shared.sites {
		wrong = append(wrong, s.End(), s.discreet(), os.RemoveAll(s.dir))
	}
	return wrong
}

// alone runs a program for one test, until it ends.
func alone(t *testing.T, args ...string) *site {
	t.Helper()
	needBrowser(t)
	assets.Need(t)
	s := &site{Log: &logtest.Buffer{}}
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--database-url=") }) {
		s.dir = t.TempDir()
	} else {
		s.dir = storetest.DataDir(t)
	}
	err := s.run(args)
	t.Cleanup(func() {
		if err := errors.Join(s.End(), s.discreet()); err != nil {
			t.Error(err)
		}
		s.explain(t)
	})
	must(t, err)
	return s
}

// run runs the program on free ports, and returns when it is ready.
func (s *site) run(args []string) (err error) {
	staff.UseCheapHashes()
	if faultSeed != "" {
		args = append([]string{"--sandbox-faults=" + faultSeed}, args...)
	}
	s.Program, err = program.Run(app.Run, s.Log, append([]string{"--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0",
		"--sandbox-control-addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--apply-mode=ask", "--data-dir=" + s.dir}, args...)...)
	if err != nil {
		return fmt.Errorf("%w:\n%s", err, s.Log)
	}
	s.Credentials, err = program.ReadCredentials(s.dir)
	return err
}

// explain shows the log of a program with which a test failed.
func (s *site) explain(t *testing.T) {
	if t.Failed() {
		t.Logf("the program's log:\n%s", tail(s.Log.String(), 12_000))
	}
}

// discreet returns an error if the log has secrets, tokens, or personal data of the tests'
// applicants.
func (s *site) discreet() (err error) {
	said := s.Log.String()
	for _, secret := range []string{s.Credentials.SecretKey, s.Credentials.WebhookSecret, s.Credentials.PortalAPIKey,
		s.Credentials.Reviewer.Password, s.Credentials.Dashboard.Password, s.Credentials.Dashboard.Email, "eyJ", "grant=",
		"jwt=", "@example.org", "Zoë", "Hara", "Núñez", "Pérez", "1992-02-29"} {
		if secret != "" && strings.Contains(said, secret) {
			err = errors.Join(err, fmt.Errorf("the log has %q", secret))
		}
	}
	return err
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
