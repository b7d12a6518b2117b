// Package ports finds addresses for programs that tests start, end and start again
// where they were.
package ports

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// Free returns an address of host's that nobody listens at. Its port is one that the
// kernel gives to no connection and to no listener that leaves the choice to it, so
// that it stays free while nothing runs there.
func Free(host string) (string, error) {
	const first, beyond = 10_000, 32_000
	var errs []error
	for range 100 {
		at := net.JoinHostPort(host, strconv.Itoa(first+rand.IntN(beyond-first)))
		l, err := net.Listen("tcp", at)
		if err == nil {
			return at, l.Close()
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}
