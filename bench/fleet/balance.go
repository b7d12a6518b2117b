package fleet

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// balancing is the variable by which this program is told to be a balancer: one line
// for each replica, its portal, its provider and its admin listener.
const balancing = "VESTIBULE_BENCH_BALANCE"

// Balance makes this process a balancer, and does not return, where a fleet has
// started it as one. Call it first.
func Balance() {
	lines := os.Getenv(balancing)
	if lines == "" {
		return
	}
	var all []*backend
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		b := &backend{addresses: words[:2], admin: words[2]}
		b.ready.Store(true)
		all = append(all, b)
	}
	for i, host := range []string{"localhost", "127.0.0.1"} {
		at, err := serve(host, i, all)
		if err != nil {
			fmt.Fprintln(os.Stderr, "balancer:", err)
			os.Exit(1)
		}
		fmt.Println(at)
	}
	watch(all)
}

type backend struct {
	addresses []string // portal, provider
	admin     string
	ready     atomic.Bool // as /readyz says
}

// serve serves an address by the replicas that are ready, in turn. It knows nothing of
// sessions: any replica takes any request.
func serve(host string, which int, all []*backend) (string, error) {
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return "", err
	}
	var turn atomic.Uint64
	n := uint64(len(all))
	go http.Serve(l, &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			start := turn.Add(1)
			chosen := all[start%n]
			for i := uint64(0); i < n && !chosen.ready.Load(); i++ {
				chosen = all[(start+i)%n]
			}
			r.SetURL(&url.URL{Scheme: "http", Host: chosen.addresses[which]})
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		},
		Transport:     &http.Transport{MaxIdleConnsPerHost: 256, IdleConnTimeout: 30 * time.Second},
		FlushInterval: -1, // streams
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return "http://" + net.JoinHostPort(host, port), nil
}

// watch asks every replica twice a second whether it is ready.
func watch(all []*backend) {
	client := &http.Client{Timeout: 3 * time.Second}
	came := make([]bool, len(all)) // they are started after the balancer
	for range time.Tick(500 * time.Millisecond) {
		for i, b := range all {
			resp, err := client.Get("http://" + b.admin + "/readyz")
			ok := err == nil && resp.StatusCode == http.StatusOK
			if err == nil {
				resp.Body.Close()
			}
			if b.ready.Swap(ok) != ok && came[i] {
				fmt.Fprintf(os.Stderr, "replica %d is ready: %v\n", i, ok)
			}
			came[i] = came[i] || ok
		}
	}
}

// balance starts the balancer, a process of its own as in service.
func (f *Fleet) balance(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, r := range f.Replicas {
		fmt.Fprintln(&lines, r.portal, r.provider, r.Admin)
	}
	f.balancer = exec.CommandContext(ctx, self)
	f.balancer.Env = append(os.Environ(), balancing+"="+lines.String())
	f.balancer.Stderr = os.Stderr
	f.balancer.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := f.balancer.StdoutPipe()
	if err != nil {
		return err
	}
	if err := f.balancer.Start(); err != nil {
		f.balancer = nil
		return err
	}
	said := bufio.NewReader(out)
	for _, at := range []*string{&f.Portal, &f.Provider} {
		line, err := said.ReadString('\n')
		if err != nil {
			return fmt.Errorf("the balancer did not start: %w", err)
		}
		*at = strings.TrimSpace(line)
	}
	return nil
}
