//go:build linux

package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Balance runs a balancer for replicas: one line for each, its portal, its provider and its
// admin listener. It prints the two addresses of the balancer.
func Balance(replicas string) error {
	var all []*backend
	for line := range strings.Lines(replicas) {
		words := strings.Fields(line)
		b := &backend{addresses: words[:2], admin: words[2], number: len(all)}
		b.ready.Store(true)
		all = append(all, b)
	}
	for i, host := range []string{"localhost", "127.0.0.1"} {
		at, err := serve(host, i, all)
		if err != nil {
			return err
		}
		fmt.Println(at)
	}
	watch(all)
	return nil
}

type backend struct {
	addresses []string // portal, provider
	admin     string
	number    int
	ready     atomic.Bool // by /readyz; true at first
	came      atomic.Bool // it has been ready; replicas start after the balancer
}

// found stores whether the replica is ready, and prints a change.
func (b *backend) found(ready bool) {
	if b.ready.Swap(ready) != ready && b.came.Load() {
		fmt.Fprintf(os.Stderr, "replica %d is ready: %v\n", b.number, ready)
	}
	if ready {
		b.came.Store(true)
	}
}

// serve forwards the requests to an address to the ready replicas in turn, without regard
// to sessions.
func serve(host string, which int, all []*backend) (string, error) {
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return "", err
	}
	go http.Serve(l, &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.Host = "http", r.In.Host
			r.SetXForwarded()
		},
		Transport: &turns{which: which, all: all,
			over: &http.Transport{MaxIdleConnsPerHost: 256, IdleConnTimeout: 30 * time.Second}},
		FlushInterval: -1, // streams
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return "http://" + net.JoinHostPort(host, port), nil
}

// turns sends requests to the ready replicas in turn, or to all if none is ready. If a
// replica accepts no connection, because it has just ended, the next one gets the request.
type turns struct {
	which int
	all   []*backend
	over  *http.Transport
	last  atomic.Uint64
}

func (t *turns) RoundTrip(r *http.Request) (*http.Response, error) {
	start, n := t.last.Add(1), uint64(len(t.all))
	var err error
	for i := range 2 * n {
		b := t.all[(start+i)%n]
		if i < n && !b.ready.Load() {
			continue
		}
		out := r.Clone(r.Context())
		out.URL.Host = b.addresses[t.which]
		if r.Body != nil {
			out.Body = io.NopCloser(r.Body) // for the next one; the proxy closes it
		}
		var resp *http.Response
		if resp, err = t.over.RoundTrip(out); err == nil || !errors.Is(err, syscall.ECONNREFUSED) {
			return resp, err
		}
		b.found(false)
	}
	return nil, err
}

// watch requests the readiness of each replica twice a second.
func watch(all []*backend) {
	client := &http.Client{Timeout: 3 * time.Second}
	for range time.Tick(500 * time.Millisecond) {
		for _, b := range all {
			resp, err := client.Get("http://" + b.admin + "/readyz")
			ok := err == nil && resp.StatusCode == http.StatusOK
			if err == nil {
				resp.Body.Close()
			}
			b.found(ok)
		}
	}
}

// balance starts the balancer, a separate process as in production.
func (f *Fleet) balance(ctx context.Context) error {
	var lines strings.Builder
	for _, r := range f.Replicas {
		fmt.Fprintln(&lines, r.portal, r.provider, r.Admin)
	}
	var err error
	if f.balancer, err = StartSelf(ctx, "", "-balance", lines.String()); err != nil {
		return err
	}
	f.Portal, err = f.balancer.Line()
	if err == nil {
		f.Provider, err = f.balancer.Line()
	}
	return err
}
