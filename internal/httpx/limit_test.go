package httpx

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
)

func TestClient(t *testing.T) {
	for _, tc := range []struct {
		name        string
		remote      string
		forwarded   []string
		proxy, none string // who it is behind a proxy, and without one
	}{
		{"nothing forwarded", "203.0.113.7:999", nil, "203.0.113.7", "203.0.113.7"},
		{"forwarded by the proxy", "10.0.0.1:999", []string{"198.51.100.9"}, "198.51.100.9", "10.0.0.1"},
		{"after what the client wrote", "10.0.0.1:999", []string{"127.0.0.1, 8.8.8.8 , 198.51.100.9"}, "198.51.100.9", "10.0.0.1"},
		{"in separate lines", "10.0.0.1:999", []string{"127.0.0.1", "198.51.100.9"}, "198.51.100.9", "10.0.0.1"},
		{"with a port", "10.0.0.1:999", []string{"198.51.100.9:4711"}, "198.51.100.9", "10.0.0.1"},
		{"IPv6", "[2001:db8::1]:999", []string{"2001:db8:1::2"}, "2001:db8:1::2", "2001:db8::1"},
		{"IPv6 with a port", "10.0.0.1:999", []string{"[2001:db8:1::2]:80"}, "2001:db8:1::2", "10.0.0.1"},
		{"IPv4 in IPv6", "[::ffff:203.0.113.7]:999", nil, "203.0.113.7", "203.0.113.7"},
		{"no address", "10.0.0.1:999", []string{"unknown"}, "10.0.0.1", "10.0.0.1"},
		{"an empty end", "10.0.0.1:999", []string{"198.51.100.9,"}, "10.0.0.1", "10.0.0.1"},
		{"a socket", "@", nil, "invalid IP", "invalid IP"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = tc.remote
		for _, f := range tc.forwarded {
			r.Header.Add("X-Forwarded-For", f)
		}
		if got := Client(r, true).String(); got != tc.proxy {
			t.Errorf("%s, behind a proxy: %s, want %s", tc.name, got, tc.proxy)
		}
		if got := Client(r, false).String(); got != tc.none {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.none)
		}
	}
}

func TestClientNetworks(t *testing.T) {
	text := func(all []Network) string {
		var out []string
		for _, n := range all {
			out = append(out, fmt.Sprintf("%s/%d", n.Name, n.Share))
		}
		return strings.Join(out, " ")
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = "192.0.2.7:1234"
	for forwarded, want := range map[string]string{"": "192.0.2.7/1", "203.0.113.8": "203.0.113.8/1",
		"2001:db8:5:6:1:2:3:4": "2001:db8:5:6::/1 2001:db8:5::/48/10", "::ffff:203.0.113.8": "203.0.113.8/1"} {
		r.Header.Set("X-Forwarded-For", forwarded)
		if got := text(ClientNetworks(r, true)); got != want {
			t.Errorf("behind a proxy, %q is at %s, want %s", forwarded, got, want)
		}
		if got := text(ClientNetworks(r, false)); got != "192.0.2.7/1" {
			t.Errorf("without one, %q is at %s: any client can send forwarding headers", forwarded, got)
		}
	}
}

func TestLimit(t *testing.T) {
	now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	limit := func(perMinute int, proxy bool) *RateLimit {
		return &RateLimit{PerMinute: perMinute, BehindProxy: proxy, ExemptLoopback: !proxy, Now: func() time.Time { return now }}
	}
	take := func(l *RateLimit, remote string) time.Duration {
		r := httptest.NewRequest("POST", "/", nil)
		r.RemoteAddr = remote + ":1"
		return l.Take(r)
	}
	l := limit(3, false)
	for i := range 3 {
		if wait := take(l, "203.0.113.7"); wait != 0 {
			t.Errorf("request %d of 3 waits %s", i+1, wait)
		}
	}
	if wait := take(l, "203.0.113.7"); wait != 20*time.Second {
		t.Errorf("the fourth waits %s, want 20s", wait)
	}
	if take(l, "203.0.113.8") != 0 {
		t.Error("another address waits")
	}
	now = now.Add(20 * time.Second)
	if take(l, "203.0.113.7") != 0 || take(l, "203.0.113.7") == 0 {
		t.Error("after 20 seconds there is not one more")
	}
	now = now.Add(59 * time.Second) // over a turn
	first, second, third := take(l, "203.0.113.7"), take(l, "203.0.113.7"), take(l, "203.0.113.7")
	if first != 0 || second != 0 || third == 0 {
		t.Error("what was used is not known over a turn")
	}
	for i := range 4 {
		if wait := take(l, fmt.Sprintf("[2001:db8::%d]", i)); (wait > 0) != (i == 3) {
			t.Errorf("address %d of one /64 waits %s", i, wait)
		}
	}
	for i := range 3 * SiteShare { // of which the four above were three
		if wait := take(l, fmt.Sprintf("[2001:db8:0:%x::1]", i+1)); (wait > 0) != (i >= 3*SiteShare-3) {
			t.Errorf("network %d of one /48 waits %s", i, wait)
		}
	}
	if take(l, "[2001:db8:1::1]") != 0 {
		t.Error("another /48 waits")
	}
	for range 10 {
		if take(l, "127.0.0.1") != 0 || take(l, "[::1]") != 0 || take(limit(0, false), "203.0.113.7") != 0 || take(nil, "203.0.113.7") != 0 {
			t.Fatal("who is not to be held is held")
		}
	}
	account := limit(2, false)
	of := func(remote string) time.Duration {
		r := httptest.NewRequest("POST", "/", nil)
		r.RemoteAddr = remote + ":1"
		return account.TakeFor(r, "svc-one")
	}
	if of("203.0.113.7") != 0 || of("203.0.113.8") != 0 || of("203.0.113.9") == 0 ||
		of("127.0.0.1") != 0 || take(account, "203.0.113.7") != 0 {
		t.Error("an account's requests are not counted together, whatever their addresses")
	}
	tunneled := &RateLimit{PerMinute: 1, Now: func() time.Time { return now }}
	if take(tunneled, "127.0.0.1") != 0 || take(tunneled, "127.0.0.1") == 0 {
		t.Error("loopback is exempt where others may come by it")
	}
	proxied := limit(1, true)
	if take(proxied, "127.0.0.1") != 0 || take(proxied, "127.0.0.1") == 0 {
		t.Error("a proxy that forwards no address is not held")
	}
	for i := range 3 * maxClients {
		take(l, fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255))
	}
	if len(l.recent) > maxClients || len(l.older) > maxClients {
		t.Errorf("%d and %d clients are remembered", len(l.recent), len(l.older))
	}
}

func TestExemptLoopback(t *testing.T) {
	for _, tc := range []struct {
		env   contract.Environment
		url   string
		proxy bool
		want  bool
	}{
		{contract.Sandbox, "http://localhost:8080", false, true}, {contract.Sandbox, "http://127.0.0.1:8081", false, true},
		{contract.Sandbox, "http://[::1]:8081", false, true},
		{contract.Sandbox, "https://apply.example.com", false, false}, {contract.Sandbox, "http://localhost.example.com",
			false, false}, {contract.Sandbox, "http://localhost:8080", true, false},
		{contract.Production, "http://localhost:8080", false, false}, {contract.Production, "https://apply.example.com",
			false, false}, {contract.Production, "https://apply.example.com", true, false},
	} {
		if got := ExemptLoopback(tc.env, tc.url, tc.proxy); got != tc.want {
			t.Errorf("%s at %s, behind a proxy %t: %t", tc.env, tc.url, tc.proxy, got)
		}
	}
}
