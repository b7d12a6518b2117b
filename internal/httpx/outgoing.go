package httpx

import (
	"net"
	"net/netip"
	"time"

	"code.dny.dev/ssrf"
)

// PublicDialer returns a dialer that connects to public addresses only, and with
// loopback to this machine too. It checks the address of each connection after the last
// look-up: a name that was public when it was configured may resolve elsewhere by now.
func PublicDialer(loopback bool) *net.Dialer {
	options := []ssrf.Option{ssrf.WithAnyPort()}
	if loopback {
		options = append(options,
			ssrf.WithAllowedV4Prefixes(netip.MustParsePrefix("127.0.0.0/8")),
			ssrf.WithAllowedV6Prefixes(netip.MustParsePrefix("::1/128")))
	}
	return &net.Dialer{Timeout: 5 * time.Second, Control: ssrf.New(options...).Safe}
}
