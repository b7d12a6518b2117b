package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
)

const (
	storeRounds  = 9
	storeWriters = 64
	storeWrites  = 20   // of each writer in one round
	storeLookups = 3000 // in one round
	storePacks   = 20   // in one round
)

// storeFigures measures the mechanisms of internal/store on SQLite, and the encoding of
// report inputs. The peer of transactions and lookups is database/sql with the same driver,
// settings, and statements: one commit for each transaction behind a mutex, and statements
// that are parsed for each use. The peer of the encoding is JSON with gzip.
func storeFigures(ctx context.Context) ([]figure, error) {
	dir, err := os.MkdirTemp("", "vestibule-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ours, err := store.Open(ctx, store.Config{Dir: dir, Party: store.Provider, MasterKey: make([]byte, 32)})
	if err != nil {
		return nil, err
	}
	defer ours.Close()
	peer, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "plain.db")+
		"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=secure_delete(FAST)&_pragma=busy_timeout(10000)")
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
	pairs := []struct {
		name       string
		ours, peer func(ctx context.Context) error
		times      float64
	}{
		{"64 writers, small transactions / a commit each, SQLite", writers(func(ctx context.Context, id int64) error {
			return ours.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return smallTransaction(ctx, tx, id) })
		}), writers(func(ctx context.Context, id int64) error {
			commit.Lock()
			defer commit.Unlock()
			tx, err := peer.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			return errors.Join(smallTransaction(ctx, tx, id), tx.Commit())
		}), storeWriters * storeWrites},
		{"indexed lookup / parsed at each use, SQLite", lookups(ours.SQL), lookups(peer), storeLookups},
		{"input of 3,000 transactions, packed / JSON and gzip", packs(func(in reports.Input) error {
			_, err := reports.Pack(in)
			return err
		}), packs(gzipJSON), storePacks},
	}
	var out []figure
	for _, p := range pairs {
		var mine, theirs []float64
		for round := range storeRounds + 1 {
			began := time.Now()
			if err := p.ours(ctx); err != nil {
				return nil, err
			}
			between := time.Now()
			if err := p.peer(ctx); err != nil {
				return nil, err
			}
			if round > 0 { // the first round warms up
				mine = append(mine, float64(between.Sub(began).Nanoseconds())/p.times)
				theirs = append(theirs, float64(time.Since(between).Nanoseconds())/p.times)
			}
		}
		out = append(out, ratesOf(p.name, mine, theirs, "≥ 1.00"))
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

// writers returns a function that runs one transaction storeWrites times in each of
// storeWriters goroutines, each time with another id.
func writers(one func(ctx context.Context, id int64) error) func(ctx context.Context) error {
	var last atomic.Int64
	return func(ctx context.Context) error {
		failed := make([]error, storeWriters)
		var all sync.WaitGroup
		for i := range failed {
			all.Go(func() {
				for range storeWrites {
					failed[i] = errors.Join(failed[i], one(ctx, last.Add(1)))
				}
			})
		}
		all.Wait()
		return errors.Join(failed...)
	}
}

func lookups(db *sql.DB) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		for i := range int64(storeLookups) {
			var n int64
			err := db.QueryRowContext(ctx, `SELECT n FROM bench_rows WHERE id = $1`, 1+i%storeWriters).Scan(&n)
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func packs(pack func(reports.Input) error) func(ctx context.Context) error {
	data, at := bankData(3000, few)
	in := reports.Input{Data: &data, At: at}
	return func(context.Context) error {
		for range storePacks {
			if err := pack(in); err != nil {
				return err
			}
		}
		return nil
	}
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
