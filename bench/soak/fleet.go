package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"vestibule/internal/store/storetest/cluster"
)

// fleet is the program as it is deployed: one process on SQLite, or replicas behind
// a balancer on one PostgreSQL.
type fleet struct {
	dir, portal, provider string // a folder; public base URLs
	replicas              []*replica
	cluster               *cluster.Cluster // nil with SQLite
	credentials           struct {
		PublicID, ClientID, SecretKey, PortalAPIKey string
		Products                                    map[string]string
		Reviewer                                    struct{ Email, Password string }
	}
	closing []func()
}

// replica is one process and where it listens.
type replica struct {
	portal, provider, control, admin string
	cmd                              *exec.Cmd
	ready                            atomic.Bool // as /readyz says
}

func free(host string) (string, error) {
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return net.JoinHostPort(host, port), nil
}

// launch starts n replicas of the program at bin, n = 0 for one on SQLite.
func launch(ctx context.Context, bin string, n int) (f *fleet, err error) {
	f = &fleet{}
	defer func() {
		if err != nil {
			f.stop()
		}
	}()
	if f.dir, err = os.MkdirTemp("", "vestibule-soak-"); err != nil {
		return f, err
	}
	database := ""
	if n > 0 {
		// As durable as in service.
		if f.cluster, err = cluster.Start(ctx, "fsync=on", "synchronous_commit=on", "full_page_writes=on"); err != nil {
			return f, err
		}
		database = f.cluster.URL
	}
	for range max(n, 1) {
		r := &replica{}
		for _, l := range []struct {
			at   *string
			host string
		}{{&r.portal, "localhost"}, {&r.provider, "127.0.0.1"}, {&r.control, "127.0.0.1"}, {&r.admin, "127.0.0.1"}} {
			if *l.at, err = free(l.host); err != nil {
				return f, err
			}
		}
		f.replicas = append(f.replicas, r)
	}
	f.portal, f.provider = "http://"+f.replicas[0].portal, "http://"+f.replicas[0].provider
	if n > 1 {
		if f.portal, err = f.balance("localhost", func(r *replica) string { return r.portal }); err != nil {
			return f, err
		}
		if f.provider, err = f.balance("127.0.0.1", func(r *replica) string { return r.provider }); err != nil {
			return f, err
		}
	}
	var key [32]byte
	rand.Read(key[:])
	keyFile := filepath.Join(f.dir, "master.key")
	if err := os.WriteFile(keyFile, []byte(hex.EncodeToString(key[:])), 0o600); err != nil {
		return f, err
	}
	for i, r := range f.replicas {
		data := filepath.Join(f.dir, strconv.Itoa(i))
		r.cmd = exec.CommandContext(ctx, bin, "serve", "--portal-addr="+r.portal, "--provider-addr="+r.provider, "--sandbox-control-addr="+r.control,
			"--admin-addr="+r.admin, "--portal-url="+f.portal, "--provider-url="+f.provider, "--master-key-file="+keyFile,
			"--data-dir="+data, "--database-url="+database, "--log-level=error", "--drain-grace=1s")
		r.cmd.Cancel = func() error { return r.cmd.Process.Signal(syscall.SIGTERM) }
		r.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
		r.cmd.Stderr = os.Stderr
		out, err := r.cmd.StdoutPipe()
		if err != nil {
			return f, err
		}
		if err := r.cmd.Start(); err != nil {
			return f, err
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() && lines.Text() != "ready" {
		}
		if lines.Text() != "ready" {
			return f, errors.New("a replica did not get ready")
		}
		go io.Copy(io.Discard, out)
		r.ready.Store(true)
	}
	raw, err := os.ReadFile(filepath.Join(f.dir, "0", "sandbox-credentials.json"))
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(raw, &f.credentials)
}

// balance serves an address by the replicas that are ready, in turn. It knows
// nothing of sessions: any replica takes any request.
func (f *fleet) balance(host string, of func(*replica) string) (string, error) {
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return "", err
	}
	var turn atomic.Uint64
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			start := turn.Add(1)
			n := uint64(len(f.replicas))
			chosen := f.replicas[start%n]
			for i := uint64(0); i < n && !chosen.ready.Load(); i++ {
				chosen = f.replicas[(start+i)%n]
			}
			r.SetURL(&url.URL{Scheme: "http", Host: of(chosen)})
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		},
		Transport:     &http.Transport{MaxIdleConnsPerHost: 256, IdleConnTimeout: 30 * time.Second},
		FlushInterval: -1, // streams
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	server := &http.Server{Handler: proxy}
	go server.Serve(l)
	f.closing = append(f.closing, func() { server.Close() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return "http://" + net.JoinHostPort(host, port), nil
}

// watch asks every replica twice a second whether it is ready.
func (f *fleet) watch(ctx context.Context) {
	client := &http.Client{Timeout: 3 * time.Second}
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for i, r := range f.replicas {
			resp, err := client.Get("http://" + r.admin + "/readyz")
			ok := err == nil && resp.StatusCode == http.StatusOK
			if err == nil {
				resp.Body.Close()
			}
			if r.ready.Swap(ok) != ok && ctx.Err() == nil {
				fmt.Printf("replica %d is ready: %v\n", i, ok)
			}
		}
	}
}

// stop ends the replicas as an operator would, and what they stand on.
func (f *fleet) stop() {
	for _, r := range f.replicas {
		if r.cmd != nil && r.cmd.Process != nil {
			r.cmd.Process.Signal(syscall.SIGTERM)
		}
	}
	for _, r := range f.replicas {
		if r.cmd != nil && r.cmd.Process != nil {
			r.cmd.Wait()
		}
	}
	for _, c := range slices.Backward(f.closing) {
		c()
	}
	if f.cluster != nil {
		f.cluster.Stop()
	}
	os.RemoveAll(f.dir)
}

// metrics is the sum of a metric over all replicas.
func (f *fleet) metrics(names ...string) (sums map[string]float64, err error) {
	sums = map[string]float64{}
	for _, r := range f.replicas {
		resp, err := http.Get("http://" + r.admin + "/metrics")
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			name, value, ok := strings.Cut(lines.Text(), " ")
			if ok && slices.Contains(names, name) {
				n, err := strconv.ParseFloat(value, 64)
				if err != nil {
					return nil, err
				}
				sums[name] += n
			}
		}
		resp.Body.Close()
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	return sums, nil
}
