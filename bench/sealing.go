//go:build linux

package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
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

// sealingFigures measures the processor time of encryption for writing and reading reports. The
// peer is the same program built with another store/vault.go, in the build's overlay
// only, which stores values unencrypted and without data keys. A write is a submission
// of 300 transactions over HTTP, with its report computed, stored and announced; a read
// is the report over HTTP. Rounds of both alternate, each in a separate process and
// database.
func sealingFigures(ctx context.Context, dir string) []figure {
	open := buildUnsealed(ctx, dir)
	return onEngines(ctx, dir, func(e engine) []figure { return sealingOn(ctx, e, "", open) })
}

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
func buildUnsealed(ctx context.Context, dir string) string {
	vault := must(filepath.Abs("../internal/store/vault.go"))
	text := string(must(os.ReadFile(vault)))
	for _, change := range unsealed {
		if strings.Count(text, change[0]) != 1 {
			check(fmt.Errorf("vault.go has no line %q", change[0]))
		}
		text = strings.Replace(text, change[0], change[0]+"if true { "+change[1]+" }\n", 1)
	}
	instead, overlay, bin := filepath.Join(dir, "vault.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "unsealed")
	check(os.WriteFile(instead, []byte(text), 0o600))
	check(os.WriteFile(overlay, must(json.Marshal(map[string]any{"Replace": map[string]string{vault: instead}})), 0o600))
	goBuild(ctx, ".", nil, "-overlay", overlay, "-o", bin, ".")
	return bin
}

// Reports written and read for each request.
const (
	keptAtOnce = 24
	readAtOnce = 400
)

func sealingOn(ctx context.Context, e engine, programs ...string) (out []figure) {
	const rounds = 15
	var keepers []*fleet.Self
	for i, bin := range programs {
		k := must(fleet.StartSelf(ctx, bin, "-keep", placeOf(ctx, e, fmt.Sprint("keeper", i))))
		defer k.Stop()
		keepers = append(keepers, k)
	}
	var spent [2][2]series // ns of one, by write and read, by program
	for round := range rounds + 1 {
		for what, times := range []int{keptAtOnce, readAtOnce} {
			for turn := range keepers {
				who := (round + turn) % len(keepers)
				before := e.used()
				own := ask(keepers[who], []string{"write", "read"}[what])
				if round > 0 { // the first one warms up
					spent[what][who] = append(spent[what][who], (own+e.used()-before)/float64(times))
				}
			}
		}
	}
	for what, name := range []string{"report write", "report read"} {
		out = append(out, compare(name+", sealed / not, processor, "+e.name, "≤ 1.10", micros, spent[what][0], spent[what][1]))
	}
	return out
}

// placeOf returns a new folder for SQLite, or the address of a new database.
func placeOf(ctx context.Context, e engine, name string) string {
	if e.url == "" {
		return filepath.Join(e.dir, name)
	}
	u := must(url.Parse(e.url))
	db := must(sql.Open("pgx", e.url))
	defer db.Close()
	must(db.ExecContext(ctx, `CREATE DATABASE `+name))
	u.Path = "/" + name
	return u.String()
}

// ask makes a process write or read reports, and returns the nanoseconds of processors.
func ask(keeper *fleet.Self, what string) (spent float64) {
	must(fmt.Fprintln(keeper.In, what))
	return must(strconv.ParseFloat(must(keeper.Line()), 64))
}

// keep writes and reads reports as its input says, with its database at an address or in a folder.
func keep(ctx context.Context, place string) {
	where := store.Config{Dir: place}
	if strings.Contains(place, "://") {
		where = store.Config{URL: place}
	}
	s := newService(ctx, where)
	defer s.stop()
	var tokens []string
	commands := bufio.NewScanner(os.Stdin)
	for n := 0; commands.Scan(); n++ {
		bodies := s.submissions(fmt.Sprint("k", n), keptAtOnce, 300)
		began := busy()
		if commands.Text() == "write" {
			tokens = s.submitAll(ctx, bodies)
			s.awaitAll(ctx, tokens)
		} else {
			parallel(4, readAtOnce, func(i int) { send(http.DefaultClient, s.readReport(ctx, tokens[i%len(tokens)]), nil) })
		}
		fmt.Println(busy() - began)
	}
	check(commands.Err())
}
