package app_test

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"vestibule/internal/app"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/ports"
	"vestibule/internal/testutil/program"
)

// TestBehindAProxyOnHTTPS starts both parties behind a proxy that ends TLS: responses
// set Strict-Transport-Security, cookies are bound to the host, and every listener
// closes connections whose body does not arrive.
func TestBehindAProxyOnHTTPS(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the whole program")
	}
	t.Parallel()
	assets.Need(t)
	at, log := map[string]string{}, &logtest.Buffer{}
	for _, name := range []string{"portal", "provider", "admin"} {
		at[name] = ports.Must(t, "127.0.0.1")
	}
	program.Start(t, app.Run, log, "--behind-proxy", "--portal-addr="+at["portal"], "--provider-addr="+at["provider"],
		"--admin-addr="+at["admin"], "--portal-url=https://apply.example", "--provider-url=https://service.example", "--data-dir="+t.TempDir())
	for _, tc := range []struct{ listener, host, path, cookie string }{
		{"portal", "apply.example", "/?lang=es", "__Host-lang"},
		{"provider", "service.example", "/dashboard/sign-in?lang=es", "__Host-dashboard-lang"},
		{"provider", "service.example", "/no/such/address", ""},
	} {
		r, _ := http.NewRequest("GET", "http://"+at[tc.listener]+tc.path, nil)
		r.Host = tc.host
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatalf("%v\n%s", err, log)
		}
		resp.Body.Close()
		if got := resp.Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
			t.Errorf("%s%s: Strict-Transport-Security %q", tc.host, tc.path, got)
		}
		found := tc.cookie == ""
		for _, c := range resp.Cookies() {
			if !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" {
				t.Errorf("%s%s: cookie %s", tc.host, tc.path, c)
			}
			found = found || c.Name == tc.cookie
		}
		if !found {
			t.Errorf("%s%s: no cookie %s, but %v", tc.host, tc.path, tc.cookie, resp.Cookies())
		}
	}
	closed := make(chan error)
	for name, host := range map[string]string{"portal": "apply.example", "provider": "service.example", "admin": "localhost"} {
		go func() {
			conn, err := net.Dial("tcp", at[name])
			if err == nil {
				defer conn.Close()
				conn.SetDeadline(time.Now().Add(time.Minute))
				io.WriteString(conn, "POST /no/such/address HTTP/1.1\r\nHost: "+host+"\r\nContent-Length: 100\r\n\r\n{")
				_, err = io.Copy(io.Discard, conn)
			}
			closed <- err
		}()
	}
	for range 3 {
		if err := <-closed; err != nil {
			t.Errorf("a stalled connection: %v", err)
		}
	}
}
