package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A batch accepts waiting transactions until one of these limits. It never waits for
// more.
const (
	maxBatch     = 64
	longestBatch = 10 * time.Millisecond
)

// errRolledBack is returned for transactions that were rolled back with their batch through
// no fault of theirs. Tx runs them again.
var errRolledBack = errors.New("store: the transaction was lost with its batch")

// writeQueue serializes this process's SQLite writes. Waiting transactions form a batch
// with one commit; each member but the first is a savepoint, and all return after the commit. For
// 64 writers of small transactions, batches are about 7 times as fast as a commit for each (make
// bench ONLY=store). Writers outside Tx, such as River, take the lock and join no batch.
type writeQueue struct {
	db      *sql.DB       // the connection of the batches, used only under the write lock
	longest time.Duration // how long a batch accepts members

	maxWait time.Duration // how long Erase waits for readers of the write-ahead log
	erased  atomic.Bool   // the log may have what Erase deleted

	mu     sync.Mutex
	locked bool // the write lock is held
	queued []*transaction

	batches, transactions atomic.Uint64 // committed
}

// transaction is a transaction that waits for the write lock or for its batch.
type transaction struct {
	alone bool        // it joins no batch
	turn  chan *batch // passes the write lock with the open batch; nil means a new batch
	ended chan error  // result of its batch's commit
}

func (m *transaction) joins() bool { return !m.alone }

// batch is one engine transaction.
type batch struct {
	tx      *sql.Tx
	until   time.Time      // accepts no member afterward
	members []*transaction // waiting for its commit
}

// run makes one try of a transaction. The tx and context that f gets do not end with
// ctx, because other members share the batch. If ctx has ended when f returns, f's
// changes are rolled back.
func (g *writeQueue) run(ctx context.Context, f func(ctx context.Context, tx *sql.Tx) error) error {
	m := &transaction{turn: make(chan *batch, 1), ended: make(chan error, 1)}
	b, err := g.wait(ctx, m)
	if err != nil {
		return err
	}
	if b == nil {
		if b, err = g.begin(); err != nil {
			g.passOn(nil)
			return err
		}
	}
	done := false
	defer func() {
		if !done { // f panicked, or ended the goroutine
			g.rollBackMember(ctx, b)
		}
	}()
	err = g.step(ctx, b, f)
	done = true
	if err != nil && (b.empty() || errors.Is(err, errRolledBack)) {
		g.abandon(b)
		return err
	}
	b.members = append(b.members, m)
	g.passOn(b)
	if end := <-m.ended; end != nil {
		return end
	}
	return err
}

// longestWait bounds the wait for the write lock outside Tx.
const longestWait = 10 * time.Second

// lock acquires the write lock, to write on another connection; unlock releases it.
func (g *writeQueue) lock(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	_, err := g.wait(ctx, &transaction{alone: true, turn: make(chan *batch, 1)})
	return err
}

func (g *writeQueue) unlock() { g.passOn(nil) }

// wait returns when m holds the write lock, with the open batch or nil.
func (g *writeQueue) wait(ctx context.Context, m *transaction) (*batch, error) {
	g.mu.Lock()
	if !g.locked {
		g.locked = true
		g.mu.Unlock()
		return nil, nil
	}
	g.queued = append(g.queued, m)
	g.mu.Unlock()
	select {
	case b := <-m.turn:
		return b, nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	i := slices.Index(g.queued, m)
	if i >= 0 {
		g.queued = slices.Delete(g.queued, i, i+1)
	}
	g.mu.Unlock()
	if i < 0 { // the lock was passed to m meanwhile
		g.passOn(<-m.turn)
	}
	return nil, ctx.Err()
}

func (g *writeQueue) begin() (*batch, error) {
	tx, err := g.db.BeginTx(context.Background(), nil)
	return &batch{tx: tx, until: time.Now().Add(g.longest)}, err
}

// step runs f in the batch. It returns errRolledBack when the whole engine transaction is
// lost.
func (g *writeQueue) step(ctx context.Context, b *batch, f func(ctx context.Context, tx *sql.Tx) error) error {
	own := context.WithoutCancel(ctx)
	if !b.empty() { // the first member's changes are the engine's transaction
		if _, err := b.tx.ExecContext(own, "SAVEPOINT member"); err != nil {
			return errors.Join(errRolledBack, err)
		}
	}
	err := f(own, b.tx)
	if err == nil {
		err = ctx.Err()
	}
	if b.empty() {
		return err
	}
	if err != nil {
		if rolledBack := g.undo(own, b); rolledBack != nil {
			return errors.Join(errRolledBack, rolledBack)
		}
		return err
	}
	if _, err := b.tx.ExecContext(own, "RELEASE member"); err != nil {
		return errors.Join(errRolledBack, err)
	}
	return nil
}

func (g *writeQueue) undo(ctx context.Context, b *batch) error {
	if _, err := b.tx.ExecContext(ctx, "ROLLBACK TO member"); err != nil {
		return err
	}
	_, err := b.tx.ExecContext(ctx, "RELEASE member")
	return err
}

// rollBackMember rolls back a member whose function panicked or ended its goroutine.
func (g *writeQueue) rollBackMember(ctx context.Context, b *batch) {
	if b.empty() || g.undo(context.WithoutCancel(ctx), b) != nil {
		g.abandon(b)
		return
	}
	g.passOn(b)
}

// abandon rolls the batch back, so that its members run again, and passes on the write
// lock.
func (g *writeQueue) abandon(b *batch) {
	b.tx.Rollback()
	b.end(errRolledBack)
	g.passOn(nil)
}

// passOn passes the write lock to the next waiting transaction. While b accepts members,
// it goes to the next one that joins, in the same batch. Otherwise hand commits b
// first.
func (g *writeQueue) passOn(b *batch) {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := 0
	if b != nil {
		i = slices.IndexFunc(g.queued, (*transaction).joins)
	}
	if b != nil && (b.full() || i < 0) {
		g.mu.Unlock()
		if b.commit() == nil {
			g.batches.Add(1)
			g.transactions.Add(uint64(len(b.members)))
		}
		g.mu.Lock()
		b, i = nil, 0
	}
	if len(g.queued) == 0 {
		g.locked = false
		return
	}
	next := g.queued[i]
	g.queued = slices.Delete(g.queued, i, i+1)
	next.turn <- b
}

func (b *batch) empty() bool { return len(b.members) == 0 }

func (b *batch) full() bool {
	return len(b.members) >= maxBatch || !time.Now().Before(b.until)
}

func (b *batch) commit() error {
	err := b.tx.Commit()
	if err != nil {
		b.tx.Rollback()
	}
	b.end(err)
	return err
}

// Commits returns a function that counts the engine's commits and the transactions in
// them. It returns nil with PostgreSQL, where every transaction has its own commit.
func (db *DB) Commits() func() (batches, transactions uint64) {
	if db.writers == nil {
		return nil
	}
	return func() (batches, transactions uint64) {
		return db.writers.batches.Load(), db.writers.transactions.Load()
	}
}

func (b *batch) end(err error) {
	for _, m := range b.members {
		m.ended <- err
	}
}
