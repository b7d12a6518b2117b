package httpx

import (
	"cmp"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"vestibule/internal/contract"
)

// Client is the address that a request comes from; the zero Addr when that cannot
// be told. Forwarding headers are whatever a client writes, so they count only
// behind a proxy, and of them only what the proxy has added itself: the last
// address of X-Forwarded-For.
func Client(r *http.Request, behindProxy bool) netip.Addr {
	if lines := r.Header.Values("X-Forwarded-For"); behindProxy && len(lines) > 0 {
		list := lines[len(lines)-1]
		if a, ok := address(list[strings.LastIndexByte(list, ',')+1:]); ok {
			return a
		}
	}
	a, _ := address(r.RemoteAddr)
	return a
}

// ClientNetwork is the client as limits count it: its address, but of IPv6 the /64, for
// whoever is there has all of that.
func ClientNetwork(r *http.Request, behindProxy bool) netip.Addr {
	return network(Client(r, behindProxy))
}

func network(a netip.Addr) netip.Addr {
	if a.Is6() {
		a = netip.PrefixFrom(a, 64).Masked().Addr()
	}
	return a
}

// address reads an address that may have a port.
func address(s string) (netip.Addr, bool) {
	s = strings.TrimSpace(s)
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	}
	a, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return a.Unmap().WithZone(""), err == nil
}

// IsLoopback reports whether a host is a name or an address of this machine itself.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// ExemptLoopback reports whether limits by address leave this machine's requests out:
// in a sandbox that is for this machine alone, where whole test suites come from one
// address. Elsewhere a proxy or a tunnel may bring everybody in by loopback.
func ExemptLoopback(env contract.Environment, publicURL string, behindProxy bool) bool {
	u, err := url.Parse(publicURL)
	return err == nil && env == contract.Sandbox && !behindProxy && IsLoopback(u.Hostname())
}

// RateLimit holds each Place to a number of requests a minute, in this process: so many
// may come at once, and as many again in the course of a minute. The fields are set
// before use; a nil Limit limits nothing.
type RateLimit struct {
	PerMinute      int // 0 or less: no limit
	BehindProxy    bool
	ExemptLoopback bool // requests of this machine are not limited; by the function of that name
	Now            func() time.Time

	mu     sync.Mutex
	recent map[string]tokens // used since the turn
	older  map[string]tokens // used between the turn before and that one
	turned time.Time
}

// tokens are the requests that a client has left.
type tokens struct {
	left float64
	at   time.Time
}

// maxClients is how many clients are remembered since a turn. Whoever made none for
// a minute has all requests left, and is forgotten without harm; only when more
// clients than this come within a minute are some forgotten early.
const maxClients = 20_000

// Take takes one request, or says how long to wait for it.
func (l *RateLimit) Take(r *http.Request) time.Duration { return l.TakeOf(r, "") }

// TakeOf is Take for what all clients have in common: an account's requests, say,
// whatever addresses they come from. Empty is the client alone.
func (l *RateLimit) TakeOf(r *http.Request, account string) time.Duration {
	if l == nil || l.PerMinute <= 0 {
		return 0
	}
	client := Client(r, l.BehindProxy)
	if l.ExemptLoopback && client.IsLoopback() {
		return 0
	}
	who := cmp.Or(account, network(client).String())
	now, most := l.Now(), float64(l.PerMinute)
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.turned) >= time.Minute || len(l.recent) >= maxClients {
		l.older, l.recent, l.turned = l.recent, map[string]tokens{}, now
	}
	t, known := l.recent[who]
	if !known {
		t, known = l.older[who]
	}
	if !known {
		t = tokens{most, now}
	}
	if passed := now.Sub(t.at).Minutes(); passed > 0 {
		t.left, t.at = min(most, t.left+passed*most), now
	}
	wait := time.Duration(0)
	if t.left < 1 {
		wait = max(1, time.Duration((1-t.left)/most*float64(time.Minute)))
	} else {
		t.left--
	}
	l.recent[who] = t
	return wait
}
