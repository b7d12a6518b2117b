// Package ports finds addresses for programs that tests start and restart at the same
// address.
package ports

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"

	"vestibule/internal/testutil"
)

// The kernel assigns ports between first and beyond to no connection and to no listener
// with an automatic port. They are divided into blocks. Each process takes blocks of its
// own: it listens at a block's first port until it ends, and hands out each other port once.
const (
	first, beyond = 10_000, 32_000
	blockSize     = 100
)

var block struct {
	sync.Mutex
	taken      []net.Listener
	next, last int // the ports that are left
}

// Free returns an unused address of host, which is returned to no other caller on this
// machine while this process runs.
func Free(host string) (string, error) {
	block.Lock()
	defer block.Unlock()
	var errs []error
	for range 3 * blockSize {
		if block.next == block.last {
			if err := takeBlock(); err != nil {
				return "", err
			}
		}
		at := net.JoinHostPort(host, strconv.Itoa(block.next))
		block.next++
		l, err := net.Listen("tcp", at)
		if err == nil {
			return at, l.Close()
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}

// takeBlock takes a block that no other process has taken.
func takeBlock() error {
	const blocks = (beyond - first) / blockSize
	var errs []error
	for _, n := range rand.Perm(blocks) {
		port := first + n*blockSize
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			block.taken = append(block.taken, l) // kept open, or the collector would close it
			block.next, block.last = port+1, port+blockSize
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Must is Free that fails the test.
func Must(t testing.TB, host string) string {
	t.Helper()
	at, err := Free(host)
	testutil.Must(t, err)
	return at
}
