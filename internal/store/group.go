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

// A batch takes whoever waits, until one of these; nobody is ever waited for.
const (
	maxBatch     = 64
	longestBatch = 10 * time.Millisecond
)

// errUndone is returned to those whose work was lost with a batch through no fault
// of theirs: Tx runs them again.
var errUndone = errors.New("store: the transaction was lost with its batch")

// group has the transactions of this process written one at a time under SQLite,
// whose own waiting is by sleeping and unfair, and lets those that wait share a
// commit, which costs an fsync. A batch is one transaction of the engine's, and each
// member a savepoint in it, run by its own goroutine when the baton comes to it. A
// member that fails is rolled back to its savepoint alone. Nobody returns before the
// commit of what they did, or of what they saw their neighbours do; when that fails
// all of the batch are told. Whoever writes beside Tx, as River does, waits for the
// baton too, and has it alone.
type group struct {
	db      *sql.DB       // the connection of the batches, which only who has the baton uses
	longest time.Duration // for how long a batch takes whoever waits

	patience time.Duration // with the readers of the log that is to be emptied

	mu     sync.Mutex
	taken  bool // somebody has the baton
	queued []*transaction

	batches, transactions atomic.Uint64 // that were committed
}

// transaction is a transaction on its way.
type transaction struct {
	alone bool        // it joins no batch
	turn  chan *batch // its turn: in the batch that is open, or in a new one for nil
	ended chan error  // how its batch ended
}

func (m *transaction) joins() bool { return !m.alone }

// batch is one transaction of the engine's.
type batch struct {
	tx      *sql.Tx
	alone   bool           // nobody waited when it began: one member, without a savepoint
	until   time.Time      // takes nobody after it
	members []*transaction // who wait for its end
}

// run is one try of a transaction. A batch is nobody's alone: neither the tx nor the
// context that f gets ends with ctx. Where that has ended when f returns, what f did
// is rolled back.
func (g *group) run(ctx context.Context, f func(ctx context.Context, tx *sql.Tx) error) error {
	m := &transaction{turn: make(chan *batch, 1), ended: make(chan error, 1)}
	b, err := g.wait(ctx, m)
	if err != nil {
		return err
	}
	if b == nil {
		if b, err = g.begin(); err != nil {
			g.hand(nil)
			return err
		}
	}
	done := false
	defer func() {
		if !done { // f panicked, or ended the goroutine
			g.leave(ctx, b)
		}
	}()
	err = g.step(ctx, b, f)
	done = true
	if err != nil && (b.alone || errors.Is(err, errUndone)) {
		g.abandon(b)
		return err
	}
	b.members = append(b.members, m)
	g.hand(b)
	if end := <-m.ended; end != nil {
		return end
	}
	return err
}

// longestWait is for how long the baton is waited for to write beside Tx.
const longestWait = 10 * time.Second

// lock waits for the baton, to write on another connection; unlock hands it on.
func (g *group) lock(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	_, err := g.wait(ctx, &transaction{alone: true, turn: make(chan *batch, 1)})
	return err
}

func (g *group) unlock() { g.hand(nil) }

// wait returns when m has the baton, with the batch that is open.
func (g *group) wait(ctx context.Context, m *transaction) (*batch, error) {
	g.mu.Lock()
	if !g.taken {
		g.taken = true
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
	if i < 0 { // it is on its way
		g.hand(<-m.turn)
	}
	return nil, ctx.Err()
}

func (g *group) begin() (*batch, error) {
	g.mu.Lock()
	alone := !slices.ContainsFunc(g.queued, (*transaction).joins)
	g.mu.Unlock()
	tx, err := g.db.BeginTx(context.Background(), nil)
	return &batch{tx: tx, alone: alone, until: time.Now().Add(g.longest)}, err
}

// step runs f in the batch. errUndone says that the engine has dropped the whole of
// the transaction.
func (g *group) step(ctx context.Context, b *batch, f func(ctx context.Context, tx *sql.Tx) error) error {
	own := context.WithoutCancel(ctx)
	if !b.alone {
		if _, err := b.tx.ExecContext(own, "SAVEPOINT member"); err != nil {
			return errors.Join(errUndone, err)
		}
	}
	err := f(own, b.tx)
	if err == nil {
		err = ctx.Err()
	}
	if b.alone {
		return err
	}
	if err != nil {
		if lost := g.undo(own, b); lost != nil {
			return errors.Join(errUndone, lost)
		}
		return err
	}
	if _, err := b.tx.ExecContext(own, "RELEASE member"); err != nil {
		return errors.Join(errUndone, err)
	}
	return nil
}

func (g *group) undo(ctx context.Context, b *batch) error {
	if _, err := b.tx.ExecContext(ctx, "ROLLBACK TO member"); err != nil {
		return err
	}
	_, err := b.tx.ExecContext(ctx, "RELEASE member")
	return err
}

// leave is the end of a member that does not return.
func (g *group) leave(ctx context.Context, b *batch) {
	if b.alone || g.undo(context.WithoutCancel(ctx), b) != nil {
		g.abandon(b)
		return
	}
	g.hand(b)
}

// abandon rolls the batch back and hands the baton on; its members run again.
func (g *group) abandon(b *batch) {
	b.tx.Rollback()
	b.end(errUndone)
	g.hand(nil)
}

// hand gives the baton to the next one who waits: in the same batch while that may
// grow, which those who join none let pass, or else in a new one once it is committed.
func (g *group) hand(b *batch) {
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
		g.taken = false
		return
	}
	next := g.queued[i]
	g.queued = slices.Delete(g.queued, i, i+1)
	next.turn <- b
}

func (b *batch) full() bool {
	return b.alone || len(b.members) >= maxBatch || !time.Now().Before(b.until)
}

func (b *batch) commit() error {
	err := b.tx.Commit()
	if err != nil {
		b.tx.Rollback()
	}
	b.end(err)
	return err
}

// Commits returns a count of the engine's commits and of the transactions in them,
// or nil where every transaction has a commit of its own.
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
