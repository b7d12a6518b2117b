//go:build linux

package crashtest

import (
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"vestibule/internal/app"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/ports"
)

// TestReadinessFailsBeforeShutdown checks that requests still succeed after readiness fails,
// until a balancer notices it. The process has more time for that than the test, which kills it.
func TestReadinessFailsBeforeShutdown(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	f := newFleet(t, 1, "")
	r := f.replicas[0]
	admin := ports.Must(t, "127.0.0.1")
	r.args = append(r.args, "--admin-addr="+admin, "--drain-grace=10m")
	status := func(url string) int {
		resp, err := http.Get(url)
		if err != nil {
			return 0
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return resp.StatusCode
	}
	health := func(exit int, says string) {
		t.Helper()
		for _, flag := range []string{"--admin-addr=" + admin, "--admin-url=http://" + admin} {
			var out, errs strings.Builder
			if got := app.Run(t.Context(), []string{"health", flag}, &out, &errs); got != exit || !strings.HasPrefix(out.String(), says) {
				t.Errorf("health %s: exit code %d, %q %q", flag, got, out.String(), errs.String())
			}
		}
	}
	f.start()
	waitUntil(t, func() bool { return status("http://"+admin+"/readyz") == http.StatusOK })
	health(0, "ready")
	testutil.Must(t, r.cmd.Process.Signal(syscall.SIGTERM))
	waitUntil(t, func() bool { return status("http://"+admin+"/readyz") == http.StatusServiceUnavailable })
	health(1, "not ready")
	for _, url := range []string{f.portal + "/", f.provider + "/connect/jwkset", "http://" + admin + "/healthz"} {
		if got := status(url); got != http.StatusOK {
			t.Errorf("%s is answered %d", url, got)
		}
	}
}
