package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// ErrNoBouncer is Bounce's error if PgBouncer is not installed.
var ErrNoBouncer = errors.New("cluster: no PgBouncer found")

// Bounce starts a PgBouncer in front of the server at the URL to, in mode session or
// transaction. It ends with Stop or with this process.
func Bounce(ctx context.Context, to, mode string, settings ...string) (*Cluster, error) {
	bin := "/usr/sbin/pgbouncer"
	if _, err := os.Stat(bin); err != nil {
		if bin, err = exec.LookPath("pgbouncer"); err != nil {
			return nil, ErrNoBouncer
		}
	}
	u, err := url.Parse(to)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	dir, err := makeDir("", "vestibule-pgbouncer-")
	if err != nil {
		return nil, err
	}
	cred, _, err := account(dir)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	config := fmt.Sprintf(`[databases]
* = host=%s user=%s
[pgbouncer]
listen_addr =
unix_socket_dir = %s
auth_type = any
pool_mode = %s
max_client_conn = 1000
default_pool_size = 60
`, u.Query().Get("host"), u.Query().Get("user"), dir, mode)
	for _, s := range settings {
		config += s + "\n"
	}
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	server := func() *exec.Cmd {
		cmd := exec.Command(bin, "-q", file)
		cmd.Dir = dir
		cmd.SysProcAttr = asServer(cred)
		return cmd
	}
	q := url.Values{"host": {dir}, "port": {"6432"}, "user": {"vestibule"}, "sslmode": {"disable"}}
	c := &Cluster{URL: "postgres:///postgres?" + q.Encode(), dir: dir, server: server, end: syscall.SIGTERM,
		done: make(chan error, 1), stop: make(chan os.Signal, 1)}
	if err := c.run(ctx); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return c, nil
}
