//go:build linux

// Package fleet starts the program as operators deploy it, one process or replicas behind a
// balancer, sends it the requests of applicants, onboarding apps and reviewers, and measures
// the processor time of each part.
package fleet

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"vestibule/internal/store"
	"vestibule/internal/testutil/ports"
	"vestibule/internal/testutil/program"
	"vestibule/internal/testutil/storetest/cluster"
)

// Options configure a fleet.
type Options struct {
	Bin      string  // the program
	Replicas int     // on one PostgreSQL; 0 is one process on SQLite
	Workers  int     // number of replicas that run jobs; 0 is all
	Balanced bool    // start a balancer for one replica, too
	Share    float64 // of a processor that each replica may use; 0 is no limit
}

// Fleet is a running deployment of the program.
type Fleet struct {
	Dir, Portal, Provider string // a folder; public base URLs
	Replicas              []*Replica
	cluster               *cluster.Cluster // nil with SQLite
	balancer              *Self            // nil for none
	limits                sync.WaitGroup   // of processors
	endLimits             context.CancelFunc
	credentials           program.Credentials
}

// Replica is one process and where it listens.
type Replica struct {
	portal, provider, Control, Admin string
	cmd                              *exec.Cmd
}

// Pid returns the id of its process.
func (r *Replica) Pid() int { return r.cmd.Process.Pid }

// StartPostgres starts a PostgreSQL that is as durable as in production.
func StartPostgres(ctx context.Context) (*cluster.Cluster, error) {
	return cluster.Start(ctx, "fsync=on", "synchronous_commit=on", "full_page_writes=on")
}

// Elsewhere returns another program with the same addresses, for one that answers the same requests
// in the place of a fleet.
func Elsewhere(url string) *Fleet {
	return &Fleet{Portal: url, Provider: url, Replicas: []*Replica{{Control: strings.TrimPrefix(url, "http://")}}}
}

// Launch starts a fleet, which the caller stops.
func Launch(ctx context.Context, o Options) (f *Fleet, err error) {
	limited, endLimits := context.WithCancel(ctx)
	f = &Fleet{endLimits: endLimits}
	defer func() {
		if err != nil {
			f.Stop()
		}
	}()
	if f.Dir, err = os.MkdirTemp("", "vestibule-soak-"); err != nil {
		return f, err
	}
	database := ""
	if o.Replicas > 0 {
		if f.cluster, err = StartPostgres(ctx); err != nil {
			return f, err
		}
		database = f.cluster.URL
	}
	for range max(o.Replicas, 1) {
		r := &Replica{}
		for _, l := range []struct {
			at   *string
			host string
		}{{&r.portal, "localhost"}, {&r.provider, "127.0.0.1"}, {&r.Control, "127.0.0.1"}, {&r.Admin, "127.0.0.1"}} {
			if *l.at, err = ports.Free(l.host); err != nil {
				return f, err
			}
		}
		f.Replicas = append(f.Replicas, r)
	}
	f.Portal, f.Provider = "http://"+f.Replicas[0].portal, "http://"+f.Replicas[0].provider
	if o.Replicas > 1 || o.Balanced {
		if err = f.balance(ctx); err != nil {
			return f, err
		}
	}
	var key [32]byte
	rand.Read(key[:])
	keyFile := filepath.Join(f.Dir, "master.key")
	if err := os.WriteFile(keyFile, []byte(hex.EncodeToString(key[:])), 0o600); err != nil {
		return f, err
	}
	for i, r := range f.Replicas {
		data := filepath.Join(f.Dir, strconv.Itoa(i))
		r.cmd = exec.CommandContext(ctx, o.Bin, "serve", "--portal-addr="+r.portal,
			"--provider-addr="+r.provider, "--sandbox-control-addr="+r.Control,
			"--admin-addr="+r.Admin, "--portal-url="+f.Portal, "--provider-url="+f.Provider, "--master-key-file="+keyFile,
			"--data-dir="+data, "--database-url="+database, "--log-level=error", "--drain-grace=1s")
		if o.Workers > 0 && i >= o.Workers {
			r.cmd.Args = append(r.cmd.Args, "--no-workers")
		}
		r.cmd.Cancel = func() error { return r.cmd.Process.Signal(syscall.SIGTERM) }
		r.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
		r.cmd.Stderr = os.Stderr
		if _, err := program.StartProcess(r.cmd); err != nil {
			return f, err
		}
	}
	if o.Share > 0 {
		for _, r := range f.Replicas {
			f.limits.Go(func() { limit(limited, r.Pid(), o.Share) })
		}
	}
	f.credentials, err = program.ReadCredentials(filepath.Join(f.Dir, "0"))
	return f, err
}

// Stop ends the replicas as an operator would, then the balancer and the database.
func (f *Fleet) Stop() {
	if f.balancer != nil {
		f.balancer.Stop()
	}
	f.endLimits()
	f.limits.Wait()
	started := slices.DeleteFunc(slices.Clone(f.Replicas), func(r *Replica) bool { return r.cmd == nil || r.cmd.Process == nil })
	for _, r := range started {
		r.cmd.Process.Signal(syscall.SIGTERM)
	}
	for _, r := range started {
		r.cmd.Wait()
	}
	if f.cluster != nil {
		f.cluster.Stop()
	}
	os.RemoveAll(f.Dir)
}

// Collect has each replica collect its garbage, so that its heap is what it holds: twice, because
// pools are kept for one collection.
func (f *Fleet) Collect() error {
	for _, r := range slices.Concat(f.Replicas, f.Replicas) {
		resp, err := http.Get("http://" + r.Admin + "/debug/pprof/heap?gc=1")
		if err != nil {
			return err
		}
		resp.Body.Close()
	}
	return nil
}

// Open opens a party's database beside the program, with its keys.
func (f *Fleet) Open(ctx context.Context, party string) (*store.DB, error) {
	c := store.Config{Dir: filepath.Join(f.Dir, "0"), MasterKeyFile: filepath.Join(f.Dir, "master.key"), Party: party}
	if f.cluster != nil {
		c.URL = f.cluster.URL
	}
	if err := c.LoadKeys(); err != nil {
		return nil, err
	}
	return store.Open(ctx, c)
}

// Metrics returns the sum of each metric over all replicas. A name without labels is the sum
// over its labels.
func (f *Fleet) Metrics(names ...string) (sums map[string]float64, err error) {
	sums = map[string]float64{}
	for _, r := range f.Replicas {
		resp, err := http.Get("http://" + r.Admin + "/metrics")
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			name, value, ok := strings.Cut(lines.Text(), " ")
			family, _, labeled := strings.Cut(name, "{")
			if !ok || !slices.Contains(names, name) && !slices.Contains(names, family) {
				continue
			}
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return nil, err
			}
			sums[name] += n
			if labeled {
				sums[family] += n
			}
		}
		resp.Body.Close()
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	return sums, nil
}
