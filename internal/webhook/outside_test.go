package webhook

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"vestibule/internal/httpx"
)

// trap counts the connections that reach it, including those that fail during the
// handshake.
type trap struct {
	net.Listener
	reached atomic.Int32
}

func newTrap(t *testing.T, network, address string) *trap {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil && network == "tcp6" {
		return &trap{} // of a machine without IPv6, where nothing reaches it
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &trap{Listener: l}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.reached.Add(1)
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return c
}

func (c *trap) port() string { _, port, _ := net.SplitHostPort(c.Addr().String()); return port }

// settled returns how many connections arrived. It makes one more connection, waits
// until that arrives after all others, and does not count it.
func (c *trap) settled(t *testing.T) int32 {
	t.Helper()
	if c.Listener == nil {
		return 0
	}
	before := c.reached.Load()
	conn, err := net.Dial(c.Addr().Network(), c.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, conn) // until it is accepted and closed
	conn.Close()
	after := c.reached.Load()
	c.reached.Store(0)
	if after == before {
		t.Fatal("the trap does not count")
	}
	return after - 1
}

// names returns a resolver that answers each query for a host with its addresses, and
// for an unlisted host with those of "".
func names(hosts map[string][]string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer ours.Close()
			for {
				var size [2]byte
				if _, err := io.ReadFull(ours, size[:]); err != nil {
					return
				}
				query := make([]byte, binary.BigEndian.Uint16(size[:]))
				if _, err := io.ReadFull(ours, query); err != nil {
					return
				}
				answer := answered(query, hosts)
				if _, err := ours.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
					return
				}
			}
		}()
		return theirs, nil
	}}
}

// answered returns the answer to a query of one question (RFC 1035, section 4.1).
func answered(query []byte, hosts map[string][]string) []byte {
	var labels []string
	at := 12
	for query[at] != 0 {
		n := int(query[at])
		labels = append(labels, string(query[at+1:at+1+n]))
		at += 1 + n
	}
	kind := binary.BigEndian.Uint16(query[at+1:])
	question := query[12 : at+5]
	addresses, known := hosts[strings.Join(labels, ".")]
	if !known {
		addresses = hosts[""]
	}
	var records []byte
	count := uint16(0)
	for _, a := range addresses {
		raw := netip.MustParseAddr(a).AsSlice()
		if (kind == 1) == (len(raw) == 4) && (kind == 1 || kind == 28) {
			records = append(records, 0xc0, 12) // the question's name
			records = binary.BigEndian.AppendUint16(records, kind)
			records = append(records, 0, 1, 0, 0, 0, 0) // IN, not to be kept
			records = binary.BigEndian.AppendUint16(records, uint16(len(raw)))
			records = append(records, raw...)
			count++
		}
	}
	out := append([]byte{}, query[:2]...)
	out = append(out, 0x81, 0x80, 0, 1) // an answer, to one question
	out = binary.BigEndian.AppendUint16(out, count)
	out = append(out, 0, 0, 0, 0)
	return slices.Concat(out, question, records)
}

// TestPrivateAddressesAreNotReached checks that no spelling of a private address is
// connected to, and no name that resolves to one, even if it did not when its URL was
// checked.
func TestPrivateAddressesAreNotReached(t *testing.T) {
	four := newTrap(t, "tcp4", "127.0.0.1:0")
	six := newTrap(t, "tcp6", "[::1]:"+four.port())
	port := ":" + four.port()
	inside := map[string][]string{"": {"127.0.0.1"}, "six.test": {"::1"}, "mapped.test": {"::ffff:127.0.0.1"}, "any.test": {"0.0.0.0"},
		"none.test": {"::"},
		"both.test": {"10.0.0.1", "::1", "127.0.0.1", "fe80::1"}, "metadata.test": {"169.254.169.254"}, "carrier.test": {"100.64.0.1"},
		"local.test": {"fd00::1"},
		"nat64.test": {"64:ff9b::7f00:1"}, "6to4.test": {"2002:7f00:1::1"}, "teredo.test": {"2001:0:7f00:1::1"},
		"multicast.test": {"224.0.0.1", "ff02::1"},
		"broadcast.test": {"255.255.255.255"}, "private.test": {"172.16.0.1", "192.168.0.1"}, "compatible.test": {"::127.0.0.1"},
		"site.test": {"fec0::1"}}
	urls := []string{
		"https://127.0.0.1" + port, "https://localhost" + port, "https://localhost." + port, "https://LOCALHOST" + port, "https://[::1]" + port,
		"https://[::ffff:127.0.0.1]" + port,
		"https://[::ffff:7f00:1]" + port, "https://[0:0:0:0:0:0:0:1]" + port, "https://[::]" + port, "https://0.0.0.0" + port,
		"https://0x7f000001" + port, "https://[::127.0.0.1]" + port, "https://[64:ff9b::7f00:1]" + port, "https://[::1%25lo]" + port,
		"https://10.0.0.1", "https://192.168.1.1", "https://172.31.255.255", "https://100.127.255.255", "https://169.254.169.254/latest",
		"https://[fe80::1]", "https://[fd00::1]", "https://[2002:7f00:1::]",
		"http://127.0.0.1" + port, "http://example.com", "ftp://example.com", "https://user@example.com", "https://a.test/#b", "//x",
		"https://", "https:127.0.0.1" + port, "",
	}
	for host := range inside {
		if host != "" {
			urls = append(urls, "https://"+host+port)
		}
	}
	numbers := []string{"https://0" + port, "https://127.1" + port, "https://2130706433" + port, "https://0177.0.0.1" + port,
		"https://127.0.0.1." + port}
	dialer := httpx.PublicDialer(false)
	dialer.Resolver = names(inside)
	for _, url := range append(urls, numbers...) {
		got := newSender(dialer, false, nil).Deliver(t.Context(), Target{URL: url, Secrets: []Secret{secret(t)}}, "evt_1", nil)
		want := ClassAddress
		if slices.Contains(numbers, url) {
			want = ClassName // no name, and no address as we read them
		}
		if got.Class() != want || got.Outcome != Retry || got.HTTP != 0 {
			t.Errorf("Deliver to %q = %+v of class %q, want %s", url, got, got.Class(), want)
		}
		if n, m := four.settled(t), six.settled(t); n+m != 0 {
			t.Errorf("Deliver to %q made %d connections inside", url, n+m)
		}
		if url != "" && strings.Contains(got.Err.Error(), url) {
			t.Errorf("the error repeats the URL: %v", got.Err)
		}
	}
	if newSender(dialer, false, nil).client.Transport.(*http.Transport).Proxy != nil {
		t.Error("a proxy would dial for us, past the guard")
	}

	// Where loopback is allowed, it is the only exception.
	dialer = httpx.PublicDialer(true)
	dialer.Resolver = names(inside)
	reached := map[string]bool{"https://localhost" + port: true, "https://127.0.0.1" + port: true,
		"https://10.0.0.1": false, "https://any.test" + port: false, "https://none.test" + port: false,
		"https://nat64.test" + port: false, "https://metadata.test": false, "https://carrier.test": false}
	if six.Listener != nil {
		reached["https://[::1]"+port], reached["https://six.test"+port] = true, true
	}
	for url, want := range reached {
		got := newSender(dialer, true, nil).Deliver(t.Context(), Target{URL: url, Secrets: []Secret{secret(t)}}, "evt_1", nil)
		if n := four.settled(t) + six.settled(t); (n > 0) != want || (got.Class() == ClassAddress) == want {
			t.Errorf("with loopback, Deliver to %q made %d connections and is of class %q", url, n, got.Class())
		}
	}
}

// TestNamedNetworksAreReached checks that a sender reaches the networks that it is given, and no
// other private address.
func TestNamedNetworksAreReached(t *testing.T) {
	networks := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd12:3456::/32")}
	dialer, sender := httpx.PublicDialer(false, networks...), NewSender(false, nil, networks...)
	for host, want := range map[string]bool{"10.1.2.3": true, "fd12:3456::1": true, "10.2.0.1": false, "192.168.1.1": false,
		"127.0.0.1": false, "169.254.169.254": false, "fd13::1": false, "8.8.8.8": true} {
		address, network := net.JoinHostPort(host, "443"), "tcp4"
		if strings.Contains(host, ":") {
			network = "tcp6"
		}
		if err := dialer.Control(network, address, nil); (err == nil) != want {
			t.Errorf("connection to %s: %v", host, err)
		}
		err := sender.CheckURL("https://" + address)
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "--webhook-networks") {
			t.Errorf("address of %s: %v", host, err)
		}
	}
	if sender.CheckURL("http://10.1.2.3") == nil {
		t.Error("an address without TLS is accepted")
	}
}

// TestPublicAddressesAreReached checks that the dialer's check rejects only private
// addresses. It calls the check as a connection does, and sends nothing.
func TestPublicAddressesAreReached(t *testing.T) {
	for _, address := range []string{"1.1.1.1:443", "8.8.8.8:8443", "172.32.0.1:443", "100.128.0.1:443", "192.169.0.1:443",
		"[2606:4700:4700::1111]:443", "[2a00:1450::1]:443"} {
		network := "tcp4"
		if address[0] == '[' {
			network = "tcp6"
		}
		if err := httpx.PublicDialer(false).Control(network, address, nil); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	if httpx.PublicDialer(false).Control("udp4", "1.1.1.1:443", nil) == nil {
		t.Error("the guard lets something else than TCP through")
	}
}

// TestRedirectsAreNotFollowed checks that a redirect is never followed, because its
// target is not a checked callback URL.
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := newTrap(t, "tcp4", "127.0.0.1:0")
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, target := range []string{"http://" + elsewhere.Addr().String(), "https://" + elsewhere.Addr().String() + "/x", "//" +
			elsewhere.Addr().String()} {
			srv := httptest.NewTLSServer(http.RedirectHandler(target, status))
			s := NewSender(true, nil)
			s.client.Transport.(*http.Transport).TLSClientConfig = srv.Client().Transport.(*http.Transport).TLSClientConfig
			got := s.Deliver(t.Context(), Target{URL: srv.URL, Secrets: []Secret{secret(t)}}, "evt_1", []byte("{}"))
			srv.Close()
			if n := elsewhere.settled(t); n != 0 || got.HTTP != status || got.Outcome != Retry {
				t.Errorf("%d to %s: %+v, and %d connections there", status, target, got, n)
			}
		}
	}
}

// TestOutgoingHTTPClients checks that only Sender calls URLs that customers choose. It
// lists every other HTTP client, and who chooses the URLs that it calls.
func TestOutgoingHTTPClients(t *testing.T) {
	chosen := map[string]string{
		"internal/httpx/outgoing.go":             "its callers; it connects to public addresses only",
		"internal/webhook/deliver.go":            "customers, and the operator: by httpx.PublicDialer",
		"internal/jose/remote.go":                "the operator: the provider's key set",
		"internal/svcapi/client.go":              "the operator: the provider",
		"internal/portal/doctor/doctor.go":       "the operator: the provider, and what is checked",
		"internal/staff/oidc.go":                 "the operator: the issuer of sign-ins, whose answers are bounded and lead nowhere else",
		"internal/provider/sources/rest/rest.go": "the operator: institutions, whose answers lead to configured hosts only",
		"internal/telemetry/trace.go":            "the operator: the collector of traces",
		"internal/mail/mail.go":                  "the operator: the mail server",
		"internal/app/seed.go":                   "the operator: the portal and the sandbox that a command fills",
		"internal/app/serve.go":                  "the service manager that started the program: its socket",
	}
	root := filepath.Join("..", "..")
	found := map[string]bool{}
	for _, dir := range []string{"internal", "cmd", "templates"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, call := range []string{"http.Client{", "http.Transport{", "http.DefaultClient", "http.Get(", "http.Post", "net.Dial(",
				"net.DialTimeout(", "net.Dialer{", "tls.Dial"} {
				if bytes.Contains(raw, []byte(call)) {
					name, _ := filepath.Rel(root, path)
					found[filepath.ToSlash(name)] = true
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range found {
		if chosen[name] == "" {
			t.Errorf("%s calls others itself: who has chosen where?", name)
		}
	}
	for name := range chosen {
		if !found[name] {
			t.Errorf("%s is listed and makes no calls", name)
		}
	}
}
