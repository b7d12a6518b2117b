package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vestibule/bench/fleet"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest/cluster"
)

// sealingFigures measures the cost of encryption for writing and reading reports. The
// peer is the same program built with another store/vault.go, in the build's overlay
// only, which stores values unencrypted and without data keys. A write is a submission
// of 300 transactions over HTTP, with its report computed, stored and announced; a read
// is the report over HTTP. Rounds of both alternate, each in a separate process and
// database.
func sealingFigures(ctx context.Context) ([]figure, error) {
	dir, err := os.MkdirTemp("", "vestibule-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	sealed, err := os.Executable()
	if err != nil {
		return nil, err
	}
	open, err := buildUnsealed(ctx, dir)
	if err != nil {
		return nil, err
	}
	out, err := sealingOn(ctx, "SQLite", []string{sealed, open}, []string{filepath.Join(dir, "sealed"), filepath.Join(dir, "open")}, "")
	if err != nil {
		return nil, err
	}
	c, err := cluster.Start(ctx, "fsync=on", "synchronous_commit=on", "full_page_writes=on")
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: without PostgreSQL:", err)
		return out, nil
	}
	defer c.Stop()
	var urls []string
	for _, name := range []string{"sealed", "open"} {
		at, err := database(ctx, c.URL, name)
		if err != nil {
			return nil, err
		}
		urls = append(urls, at)
	}
	more, err := sealingOn(ctx, "PostgreSQL", []string{sealed, open}, urls, c.URL)
	return append(out, more...), err
}

// database creates another database in a cluster and returns its address.
func database(ctx context.Context, cluster, name string) (string, error) {
	u, err := url.Parse(cluster)
	if err != nil {
		return "", err
	}
	db, err := sql.Open("pgx", cluster)
	if err != nil {
		return "", err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, `CREATE DATABASE `+name)
	u.Path = "/" + name
	return u.String(), err
}

// unsealed are the lines of store/vault.go that are replaced so that values stay as they
// are.
var unsealed = [][2]string{
	{"func (v *Vault) Seal(ctx context.Context, q Queryer, keyID string, at Cell, plain []byte) ([]byte, error) {\n",
		"\tif true {\n\t\treturn append([]byte{}, plain...), nil\n\t}\n"},
	{"func (v *Vault) Open(ctx context.Context, q Queryer, keyID string, at Cell, sealed []byte) ([]byte, error) {\n",
		"\tif true {\n\t\treturn sealed, nil\n\t}\n"},
	{"func (v *Vault) Opener(ctx context.Context, q Queryer, keyID string) (Opener, error) {\n",
		"\tif true {\n\t\treturn Opener{}, nil\n\t}\n"},
	{"func (v *Vault) Unwrap(keyID string, wrapped []byte) (Opener, error) {\n", "\tif true {\n\t\treturn Opener{}, nil\n\t}\n"},
	{"func (o Opener) Open(at Cell, sealed []byte) ([]byte, error) {\n", "\tif true {\n\t\treturn sealed, nil\n\t}\n"},
	{"func (v *Vault) NewKey(ctx context.Context, q Queryer) (string, error) {\n", "\tif true {\n\t\treturn uuid.NewString(), nil\n\t}\n"},
}

// buildUnsealed builds this program without encryption.
func buildUnsealed(ctx context.Context, dir string) (string, error) {
	vault, err := filepath.Abs("../internal/store/vault.go")
	if err != nil {
		return "", err
	}
	raw, err := os.ReadFile(vault)
	if err != nil {
		return "", err
	}
	text := string(raw)
	for _, change := range unsealed {
		if strings.Count(text, change[0]) != 1 {
			return "", fmt.Errorf("vault.go has no line %q", change[0])
		}
		text = strings.Replace(text, change[0], change[0]+change[1], 1)
	}
	instead, overlay, bin := filepath.Join(dir, "vault.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "unsealed")
	files, err := json.Marshal(map[string]any{"Replace": map[string]string{vault: instead}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(instead, []byte(text), 0o600), os.WriteFile(overlay, files, 0o600)); err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", bin, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return bin, nil
}

// spending is the elapsed time and the processor time of one write or read, in
// nanoseconds.
type spending struct{ Wall, Processor float64 }

func sealingOn(ctx context.Context, engine string, programs, places []string, server string) ([]figure, error) {
	const rounds = 15
	var workers []*worker
	for i, bin := range programs {
		k, err := startKeeper(ctx, bin, places[i])
		if err != nil {
			return nil, err
		}
		defer k.stop()
		workers = append(workers, k)
	}
	var wall, processor [2][2][]float64 // by write and read, by program
	for round := range rounds + 1 {
		for what, name := range []string{"write", "read"} {
			for turn := range 2 {
				who := (round + turn) % 2
				before, err := serverUsed(server)
				if err != nil {
					return nil, err
				}
				s, err := workers[who].ask(name)
				if err != nil {
					return nil, err
				}
				after, err := serverUsed(server)
				if err != nil {
					return nil, err
				}
				if round > 0 { // the first one warms up
					wall[what][who] = append(wall[what][who], s.Wall)
					processor[what][who] = append(processor[what][who], s.Processor+(after-before)/float64([]int{keptAtOnce, readAtOnce}[what]))
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	var out []figure
	for what, name := range []string{"report write", "report read"} {
		out = append(out,
			compared(name+", sealed / not, processor, "+engine, processor[what][0], processor[what][1], "≤ 1.10"),
			compared(name+", sealed / not, time, "+engine, wall[what][0], wall[what][1], "≤ 1.10"))
	}
	return out, nil
}

func serverUsed(database string) (float64, error) {
	if database == "" {
		return 0, nil
	}
	d, err := fleet.UsedByServer(database)
	return float64(d), err
}

// worker is a process that writes and reads reports on request.
type worker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startKeeper(ctx context.Context, bin, place string) (*worker, error) {
	k := &worker{cmd: exec.CommandContext(ctx, bin, "-keep", place)}
	k.cmd.Stderr = os.Stderr
	var err error
	if k.in, err = k.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := k.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	k.out = bufio.NewReader(out)
	return k, k.cmd.Start()
}

func (k *worker) ask(what string) (s spending, err error) {
	if _, err := fmt.Fprintln(k.in, what); err != nil {
		return s, err
	}
	line, err := k.out.ReadBytes('\n')
	if err != nil {
		return s, fmt.Errorf("the process that keeps reports ended: %w", err)
	}
	return s, json.Unmarshal(line, &s)
}

func (k *worker) stop() {
	k.in.Close()
	k.cmd.Wait()
}

// Reports written and read for each request.
const (
	keptAtOnce = 24
	readAtOnce = 400
)

// keep runs that process, with its database at an address or in a folder.
func keep(ctx context.Context, place string) error {
	where := store.Config{URL: place}
	if !strings.Contains(place, "://") {
		where = store.Config{Dir: place}
		if err := os.MkdirAll(place, 0o700); err != nil {
			return err
		}
	}
	s, err := newService(ctx, where)
	if err != nil {
		return err
	}
	defer s.stop()
	var tokens []string
	commands := bufio.NewScanner(os.Stdin)
	for n := 0; commands.Scan(); n++ {
		var run func() error
		of := readAtOnce
		switch commands.Text() {
		case "write":
			of = keptAtOnce
			bodies := make([][]byte, of)
			for i := range bodies {
				if bodies[i], err = json.Marshal(submission(fmt.Sprintf("k%d-%d", n, i), 300, s.now())); err != nil {
					return err
				}
			}
			tokens = make([]string, of)
			run = func() error { return s.keepAll(ctx, bodies, tokens) }
		default:
			run = func() error { return s.readAll(ctx, tokens, of) }
		}
		began, used := time.Now(), fleet.UsedHere()
		if err := run(); err != nil {
			return err
		}
		took := spending{float64(time.Since(began)) / float64(of), float64(fleet.UsedHere()-used) / float64(of)}
		if err := json.NewEncoder(os.Stdout).Encode(took); err != nil {
			return err
		}
	}
	return commands.Err()
}

// over runs f for 0 to n-1, four at a time.
func over(n int, f func(i int) error) error {
	var next atomic.Int64
	var errs [4]error
	var wait sync.WaitGroup
	for who := range errs {
		wait.Go(func() {
			for errs[who] == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				errs[who] = f(i)
			}
		})
	}
	wait.Wait()
	return errors.Join(errs[:]...)
}

// keepAll submits the bodies and waits until their reports are generated and their webhooks
// delivered.
func (s *service) keepAll(ctx context.Context, bodies [][]byte, tokens []string) error {
	err := over(len(bodies), func(i int) (err error) {
		tokens[i], err = s.submit(ctx, bodies[i])
		return err
	})
	if err != nil {
		return err
	}
	for _, publicToken := range tokens {
		if _, err := s.webhookOf(ctx, publicToken); err != nil {
			return err
		}
	}
	return nil
}

// readAll reads reports n times.
func (s *service) readAll(ctx context.Context, tokens []string, n int) error {
	return over(n, func(i int) error {
		bearer, err := s.token(ctx)
		if err != nil {
			return err
		}
		req, err := s.request(ctx, http.MethodGet, "/connect/cashflow/v2/json", nil, "Authorization",
			"Bearer "+bearer, "X-PUBLIC-TOKEN", tokens[i%len(tokens)])
		if err != nil {
			return err
		}
		return sent(http.DefaultClient, req)
	})
}
