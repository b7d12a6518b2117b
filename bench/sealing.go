//go:build linux

package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"vestibule/bench/fleet"
	"vestibule/internal/store"
)

// unsealed are the functions of store/vault.go that get another first statement, so that
// values stay as they are.
var unsealed = [][2]string{
	{"func (v *Vault) Seal(ctx context.Context, q Queryer, keyID string, at Cell, plain []byte) ([]byte, error) {\n",
		"return append([]byte{}, plain...), nil"},
	{"func (v *Vault) Open(ctx context.Context, q Queryer, keyID string, at Cell, sealed []byte) ([]byte, error) {\n", "return sealed, nil"},
	{"func (v *Vault) Opener(ctx context.Context, q Queryer, keyID string) (Opener, error) {\n", "return Opener{}, nil"},
	{"func (v *Vault) Unwrap(keyID string, wrapped []byte) (Opener, error) {\n", "return Opener{}, nil"},
	{"func (o Opener) Open(at Cell, sealed []byte) ([]byte, error) {\n", "return sealed, nil"},
	{"func (v *Vault) NewKey(ctx context.Context, q Queryer) (string, error) {\n", "return uuid.NewString(), nil"},
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
		text = strings.Replace(text, change[0], change[0]+"if true { "+change[1]+" }\n", 1)
	}
	instead, overlay, bin := filepath.Join(dir, "vault.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "unsealed")
	files, err := json.Marshal(map[string]any{"Replace": map[string]string{vault: instead}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(instead, []byte(text), 0o600), os.WriteFile(overlay, files, 0o600)); err != nil {
		return "", err
	}
	return bin, goBuild(ctx, ".", nil, "-overlay", overlay, "-o", bin, ".")
}

// Reports written and read for each request.
const (
	keptAtOnce = 24
	readAtOnce = 400
)

// sealingOn measures the processor time of encryption for writing and reading reports. The peer is unsealed, this program
// built without encryption. A write is a submission of 300 transactions over HTTP, with its report computed, stored and
// announced; a read is the report over HTTP. Rounds of both alternate, each in a separate process and database.
func sealingOn(ctx context.Context, unsealed string, e engine) ([]figure, error) {
	const rounds = 15
	var keepers []*fleet.Self
	for i, bin := range []string{"", unsealed} {
		place, err := placeOf(ctx, e, fmt.Sprint("keeper", i))
		if err != nil {
			return nil, err
		}
		k, err := fleet.StartSelf(ctx, bin, "-keep", place)
		if err != nil {
			return nil, err
		}
		defer k.Stop()
		keepers = append(keepers, k)
	}
	var out []figure
	var spent [2][2]series // ns of one, by write and read, by program
	for round := range rounds + 1 {
		for what, times := range []int{keptAtOnce, readAtOnce} {
			for turn := range keepers {
				who := (round + turn) % len(keepers)
				before, err := e.used()
				if err != nil {
					return nil, err
				}
				own, err := ask(keepers[who], []string{"write", "read"}[what])
				after, err2 := e.used()
				if err = errors.Join(err, err2); err != nil {
					return nil, err
				}
				if round > 0 { // the first one warms up
					spent[what][who] = append(spent[what][who], (own+after-before)/float64(times))
				}
			}
		}
	}
	for what, name := range []string{"report write", "report read"} {
		out = append(out, compare(name+", sealed / not, processor, "+e.name, "≤ 1.10", micros, spent[what][0], spent[what][1]))
	}
	return out, nil
}

// placeOf returns a new folder for SQLite, or the address of a new database.
func placeOf(ctx context.Context, e engine, name string) (string, error) {
	if e.url == "" {
		return filepath.Join(e.dir, name), nil
	}
	u, err := url.Parse(e.url)
	if err != nil {
		return "", err
	}
	db, err := sql.Open("pgx", e.url)
	if err != nil {
		return "", err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, `CREATE DATABASE `+name)
	u.Path = "/" + name
	return u.String(), err
}

// ask makes a process write or read reports, and returns the nanoseconds of processors.
func ask(keeper *fleet.Self, what string) (spent float64, err error) {
	if _, err := fmt.Fprintln(keeper.In, what); err != nil {
		return 0, err
	}
	line, err := keeper.Line()
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(line, 64)
}

// keep writes and reads reports as its input says, with its database at an address or in a folder.
func keep(ctx context.Context, place string) error {
	where := store.Config{Dir: place}
	if strings.Contains(place, "://") {
		where = store.Config{URL: place}
	}
	s, err := newService(ctx, where)
	if err != nil {
		return err
	}
	defer s.stop()
	var tokens []string
	commands := bufio.NewScanner(os.Stdin)
	for n := 0; commands.Scan(); n++ {
		bodies, err := s.submissions(fmt.Sprint("k", n), keptAtOnce, 300)
		if err != nil {
			return err
		}
		began := busy()
		if commands.Text() == "write" {
			if tokens, err = s.submitAll(ctx, bodies); err == nil {
				err = s.awaitAll(ctx, tokens)
			}
		} else {
			err = parallel(4, readAtOnce, func(i int) error {
				req, err := s.readReport(ctx, tokens[i%len(tokens)])
				if err != nil {
					return err
				}
				return send(http.DefaultClient, req, nil)
			})
		}
		if err != nil {
			return err
		}
		fmt.Println(busy() - began)
	}
	return commands.Err()
}
