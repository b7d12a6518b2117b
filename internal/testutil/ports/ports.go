// Package ports finds addresses for programs that tests start and restart at the same
// address.
package ports

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Free returns an unused address of host. The kernel assigns its port to no connection
// and to no listener with an automatic port, so it stays free while nothing uses it.
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

// Must is Free that fails the test.
func Must(t testing.TB, host string) string {
	t.Helper()
	at, err := Free(host)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
