// Package cluster starts a temporary PostgreSQL for tests: initdb into a temporary
// folder, a unix socket, no TCP, no fsync. As root it runs as the user postgres,
// because the server refuses root.
package cluster

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named pgx
)

// Env names the variable that holds the URL of a running cluster for tests.
const Env = "VESTIBULE_TEST_POSTGRES"

// ErrMissing is the error of Start and Tool if PostgreSQL is not installed.
var ErrMissing = errors.New("cluster: no PostgreSQL binaries found")

// Cluster is a running server.
type Cluster struct {
	URL    string // of its database postgres
	dir    string
	server func() *exec.Cmd
	end    os.Signal // stops the server at once
	done   chan error
	stop   chan os.Signal
}

// Start creates and starts a cluster, which ends with Stop or with this process.
// settings such as fsync=on override the defaults.
func Start(ctx context.Context, settings ...string) (*Cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := makeDir(InMemory(), "vestibule-pg-")
	if err != nil {
		return nil, err
	}
	cred, name, err := account(dir)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	data := filepath.Join(dir, "data")
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", data, "-U", "vestibule",
		"--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
	initdb.Dir = dir
	initdb.SysProcAttr = asUser(cred)
	if out, err := initdb.CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("cluster: initdb as %s: %w: %s", name, err, out)
	}
	server := func() *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-k", dir, "-c", "listen_addresses=",
			"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off",
			"-c", "max_connections=300", "-c", "shared_buffers=64MB", "-c", "logging_collector=off")
		for _, s := range settings {
			cmd.Args = append(cmd.Args, "-c", s) // the last one counts
		}
		cmd.Dir = dir
		// The server ends with this process, even if that is killed.
		cmd.SysProcAttr = asServer(cred)
		return cmd
	}
	q := url.Values{"host": {dir}, "user": {"vestibule"}, "sslmode": {"disable"}}
	for _, s := range settings {
		if port, found := strings.CutPrefix(s, "port="); found {
			q.Set("port", port)
		}
	}
	c := &Cluster{URL: "postgres:///postgres?" + q.Encode(), dir: dir, server: server, end: syscall.SIGINT,
		done: make(chan error, 1), stop: make(chan os.Signal, 1)}
	if err := c.run(ctx); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return c, nil
}

func (c *Cluster) run(ctx context.Context) error {
	started := make(chan error, 1)
	go c.keepThread(c.server(), started)
	if err := <-started; err != nil {
		return fmt.Errorf("cluster: start: %w", err)
	}
	if err := c.await(ctx); err != nil {
		c.stop <- c.end
		<-c.done
		return err
	}
	return nil
}

// Crash ends the server at once, without a checkpoint, and restarts it. The server then
// recovers from its write-ahead log.
func (c *Cluster) Crash(ctx context.Context) error {
	c.stop <- syscall.SIGQUIT
	<-c.done
	return c.run(ctx)
}

// keepThread starts the server and keeps the starting thread alive, because the
// parent-death signal is tied to it.
func (c *Cluster) keepThread(server *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	err := server.Start()
	started <- err
	if err != nil {
		return
	}
	exited := make(chan error, 1)
	go func() { exited <- server.Wait() }()
	select {
	case err = <-exited:
	case how := <-c.stop:
		server.Process.Signal(how)
		err = <-exited
	}
	c.done <- err
}

func (c *Cluster) await(ctx context.Context) error {
	db, err := sql.Open("pgx", c.URL)
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("cluster: does not answer: %w", err)
		case err := <-c.done:
			c.done <- err
			return fmt.Errorf("cluster: server ended: %w", err)
		case <-tick.C:
		}
	}
}

// Stop ends the server and removes its files.
func (c *Cluster) Stop() {
	c.stop <- c.end
	<-c.done
	os.RemoveAll(c.dir)
}

// Tool returns the path of a PostgreSQL program, such as pg_dump, of the server's
// version.
func Tool(name string) (string, error) {
	bin, err := binaries()
	return filepath.Join(bin, name), err
}

func binaries() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(found) > 0 {
		sort.Slice(found, func(i, j int) bool { return version(found[i]) < version(found[j]) })
		return filepath.Dir(found[len(found)-1]), nil
	}
	initdb, err := exec.LookPath("initdb")
	if err != nil {
		return "", ErrMissing
	}
	return filepath.Dir(initdb), nil
}

func version(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	return n
}

// account makes the server's user own dir: the present user, or postgres instead of root.
func account(dir string) (*credential, string, error) {
	if os.Geteuid() != 0 {
		return nil, "this user", nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, "", fmt.Errorf("cluster: %w", err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		return nil, "", err
	}
	return &credential{Uid: uint32(uid), Gid: uint32(gid)}, "postgres", nil
}
