//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"

	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
)

const (
	storeWriters = 64
	storeWrites  = 20 // of each writer in one round
	storeLookups = 3000
	storePacks   = 20
)

// storeFigures measures the mechanisms of internal/store on SQLite, and the encoding of
// report inputs. The peer of transactions and lookups is database/sql with the same driver,
// settings, and statements: one commit for each transaction behind a mutex, and statements
// that are parsed for each use. The peer of the encoding is JSON with gzip.
func storeFigures(ctx context.Context, dir string) ([]figure, error) {
	ours, err := store.Open(ctx, store.Config{Dir: dir, Party: store.Provider, MasterKey: make([]byte, 32)})
	if err != nil {
		return nil, err
	}
	defer ours.Close()
	peer, err := sql.Open("sqlite", bareSQLite(filepath.Join(dir, "plain.db")))
	if err != nil {
		return nil, err
	}
	defer peer.Close()
	peer.SetMaxOpenConns(8)
	peer.SetMaxIdleConns(8)
	for _, db := range []*sql.DB{ours.SQL, peer} {
		if _, err := db.ExecContext(ctx, `CREATE TABLE bench_rows (id BIGINT PRIMARY KEY, name TEXT NOT NULL, n BIGINT NOT NULL)`); err != nil {
			return nil, err
		}
	}
	var commit sync.Mutex
	data, at := bankData(3000)
	in := reports.Input{Data: &data, At: at}
	var out []figure
	for _, p := range []struct {
		name       string
		ours, peer contestant
		batch      float64 // what one run does
	}{
		{"64 writers, small transactions / a commit each, SQLite", writers(func(id int64) error {
			return ours.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return smallTransaction(ctx, tx, id) })
		}), writers(func(id int64) error {
			commit.Lock()
			defer commit.Unlock()
			tx, err := peer.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			return errors.Join(smallTransaction(ctx, tx, id), tx.Commit())
		}), storeWriters * storeWrites},
		{"indexed lookup / parsed at each use, SQLite", lookups(ctx, ours.SQL), lookups(ctx, peer), 1},
		{"input of 3,000 transactions, packed / JSON and gzip", contestant{storePacks, func() error {
			_, err := reports.Pack(in)
			return err
		}}, contestant{storePacks, func() error { return gzipJSON(in) }}, 1},
	} {
		spent, err := alternate(ctx, 9, elapsed, p.ours, p.peer)
		if err != nil {
			return nil, err
		}
		one := func(ns float64) float64 { return ns / p.batch }
		out = append(out, compareRates(p.name, "≥ 1.00", spent[0].each(one), spent[1].each(one)))
	}
	return out, nil
}

// smallTransaction inserts, reads, and updates a row.
func smallTransaction(ctx context.Context, q store.Queryer, id int64) error {
	if _, err := q.ExecContext(ctx, `INSERT INTO bench_rows (id, name, n) VALUES ($1, $2, $3)`, id, "a row of the bench", id); err != nil {
		return err
	}
	var n int64
	if err := q.QueryRowContext(ctx, `SELECT n FROM bench_rows WHERE id = $1`, id).Scan(&n); err != nil {
		return err
	}
	_, err := q.ExecContext(ctx, `UPDATE bench_rows SET n = n + 1 WHERE id = $1 AND n = $2`, id, n)
	return err
}

// writers runs a transaction storeWrites times in each of storeWriters goroutines, each time
// with another id.
func writers(one func(id int64) error) contestant {
	var last atomic.Int64
	return contestant{1, func() error {
		return parallel(storeWriters, storeWriters*storeWrites, func(int) error { return one(last.Add(1)) })
	}}
}

// lookups reads one row by its id after the other.
func lookups(ctx context.Context, db *sql.DB) contestant {
	var last int64
	return contestant{storeLookups, func() error {
		last++
		var n int64
		return db.QueryRowContext(ctx, `SELECT n FROM bench_rows WHERE id = $1`, 1+last%storeWriters).Scan(&n)
	}}
}

func gzipJSON(in reports.Input) error {
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return err
	}
	_, err = z.Write(raw)
	return errors.Join(err, z.Close())
}
