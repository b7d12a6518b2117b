package httpx

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"vestibule/internal/contract"
)

// Client returns the address that sent a request, or the zero Addr if it cannot
// be determined. Clients can forge forwarding headers, so Client reads them only behind
// a proxy, and only the address that the proxy itself has added: the last one of
// X-Forwarded-For.
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

// Network is a network that limits count as one client.
type Network struct {
	Name  string
	Share int // multiplies the limit of one client
}

// SiteShare is the Share of an IPv6 /48, which one site or many clients of a mobile network can have.
const SiteShare = 10

// ClientNetworks returns the networks of a request that limits count: the IPv4 address, or of
// an IPv6 address the /64, because one client usually has the whole /64, and then the /48,
// because some have that.
func ClientNetworks(r *http.Request, behindProxy bool) []Network {
	return networks(Client(r, behindProxy))
}

func networks(a netip.Addr) []Network {
	if !a.Is6() {
		return []Network{{a.String(), 1}}
	}
	return []Network{{netip.PrefixFrom(a, 64).Masked().Addr().String(), 1}, {netip.PrefixFrom(a, 48).Masked().String(), SiteShare}}
}

// address parses an address with an optional port.
func address(s string) (netip.Addr, bool) {
	s = strings.TrimSpace(s)
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	}
	a, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return a.Unmap().WithZone(""), err == nil
}

// IsLoopback reports whether a host is localhost or a loopback address.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// ExemptLoopback reports whether rate limits exempt loopback addresses. They do in a
// sandbox whose public URL is this machine, where whole test suites come from one
// address. Elsewhere a proxy or tunnel may forward every client over loopback.
func ExemptLoopback(env contract.Environment, publicURL string, behindProxy bool) bool {
	u, err := url.Parse(publicURL)
	return err == nil && env == contract.Sandbox && !behindProxy && IsLoopback(u.Hostname())
}

// RateLimit limits each client to PerMinute requests a minute in this process, as a
// token bucket: that many may come at once, and are refilled within a minute. Set the
// fields before use; a nil RateLimit limits nothing.
type RateLimit struct {
	PerMinute      int // 0 or less: no limit
	BehindProxy    bool
	ExemptLoopback bool // does not limit loopback addresses; see the function ExemptLoopback
	Now            func() time.Time

	mu        sync.Mutex
	recent    map[string]tokens // clients seen since turned
	older     map[string]tokens // clients last seen in the period before
	rotatedAt time.Time
}

// tokens is a client's remaining requests.
type tokens struct {
	left float64
	at   time.Time
}

// maxClients is how many clients one period remembers. A client without a request for a
// minute has all its requests left, so forgetting it is harmless. Only when more
// clients come within a minute are some forgotten early.
const maxClients = 20_000

// Networks returns the networks that l counts, or none for a client without a limit.
func (l *RateLimit) Networks(r *http.Request) []Network {
	if l == nil {
		return nil
	}
	client := Client(r, l.BehindProxy)
	if l.ExemptLoopback && client.IsLoopback() {
		return nil
	}
	return networks(client)
}

// Take counts one request, for each network of its client. It returns 0, or how long to wait before the next try.
func (l *RateLimit) Take(r *http.Request) time.Duration { return l.TakeFor(r, "") }

// TakeFor is Take with a shared bucket for an account, whatever addresses its requests
// come from. An empty account counts the client alone.
func (l *RateLimit) TakeFor(r *http.Request, account string) time.Duration {
	if l == nil || l.PerMinute <= 0 {
		return 0
	}
	counted := l.Networks(r)
	if account != "" && len(counted) > 0 {
		counted = []Network{{account, 1}}
	}
	now, wait := l.Now(), time.Duration(0)
	l.mu.Lock()
	defer l.mu.Unlock()
	have := make([]tokens, len(counted))
	for i, n := range counted {
		most := float64(l.PerMinute * n.Share)
		have[i] = l.tokens(n.Name, most, now)
		if have[i].left < 1 {
			wait = max(wait, 1, time.Duration((1-have[i].left)/most*float64(time.Minute)))
		}
	}
	for i, n := range counted {
		if wait == 0 {
			have[i].left--
		}
		l.recent[n.Name] = have[i]
	}
	return wait
}

// tokens returns a client's remaining requests now, of most at once.
func (l *RateLimit) tokens(key string, most float64, now time.Time) tokens {
	if now.Sub(l.rotatedAt) >= time.Minute || len(l.recent) >= maxClients {
		l.older, l.recent, l.rotatedAt = l.recent, map[string]tokens{}, now
	}
	t, known := l.recent[key]
	if !known {
		t, known = l.older[key]
	}
	if !known {
		t = tokens{most, now}
	}
	if passed := now.Sub(t.at).Minutes(); passed > 0 {
		t.left, t.at = min(most, t.left+passed*most), now
	}
	return t
}
