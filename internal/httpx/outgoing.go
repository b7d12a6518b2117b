package httpx

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"time"

	"code.dny.dev/ssrf"
)

// PrivateNetworks are the networks that a list of networks for PublicDialer may have parts of.
var PrivateNetworks = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("fc00::/7")}

// PublicDialer returns a dialer that connects to public addresses and the given networks only,
// and with loopback to this machine too. It checks the address of each connection after the last
// look-up: a name that was public when it was configured may resolve elsewhere by now.
func PublicDialer(loopback bool, networks ...netip.Prefix) *net.Dialer {
	if loopback {
		networks = append(slices.Clip(networks), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	var four, six []netip.Prefix
	for _, n := range networks {
		if n.Addr().Is4() {
			four = append(four, n)
		} else {
			six = append(six, n)
		}
	}
	guard := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(four...), ssrf.WithAllowedV6Prefixes(six...))
	return &net.Dialer{Timeout: 5 * time.Second, Control: guard.Safe}
}

// Sleep waits, or returns the context's error.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
