// Package jobs runs background work: what must happen though the process that
// decided on it may be gone. A job is enqueued in the transaction that makes it
// necessary, so there is never one without the other, and it is run until it
// succeeds or gives up. It is the only room that knows River.
//
// A job may run more than once, after a kill at the wrong instant: its work must
// be safe to repeat.
package jobs

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"vestibule/internal/store"
)

// Args is what a job is given: a plain struct of JSON members. It holds
// identifiers, never personal data. Kind names it in the database for ever.
type Args interface{ Kind() string }

// Job is the run at hand.
type Job struct {
	ID      int64
	Attempt int // 1 in the first run
	Created time.Time
}

// Option sets how jobs of a kind are run.
type Option func(*kind)

// Timeout bounds one run; the default is a minute.
func Timeout(d time.Duration) Option { return func(k *kind) { k.timeout = d } }

// MaxAttempts bounds the failing runs; the default is 25.
func MaxAttempts(n int) Option { return func(k *kind) { k.attempts = n } }

// Backoff gives the wait after the failure of the given attempt (1 is the
// first). The default is River's: attempt⁴ seconds, with jitter.
func Backoff(f func(attempt int) time.Duration) Option { return func(k *kind) { k.backoff = f } }

// NoAttemptLimit is for a job that lives on by Later: however often it fails, it is run again
// within the hour.
func NoAttemptLimit() Option {
	return func(k *kind) {
		k.attempts = math.MaxInt16 // River's most
		k.backoff = func(attempt int) time.Duration { return min(time.Duration(attempt)*time.Minute, time.Hour) }
	}
}

// OnDiscard is called when a job of args will not be run again though it did not succeed:
// its last run failed, panicked or took too long, or it gave up. It has a context of
// its own; should it fail, the job is run once more, and with it this.
func OnDiscard[A Args](f func(ctx context.Context, args A) error) Option {
	return func(k *kind) { k.lost = func(ctx context.Context, a Args) error { return f(ctx, a.(A)) } }
}

// lostTime bounds what is done when a job is lost, and lostWait is the wait before it
// is tried again.
const (
	lostTime = 20 * time.Second
	lostWait = time.Minute
)

type kind struct {
	name     string
	timeout  time.Duration
	attempts int
	backoff  func(int) time.Duration
	lost     func(context.Context, Args) error // nil: nobody minds
	wrap     func(args Args, key string) river.JobArgs
	add      func(*river.Workers, *Queue)
}

// Registry holds the kinds of work that a party can do. Fill it before the
// queue starts.
type Registry struct{ kinds map[string]*kind }

// NewRegistry returns an empty registry.
func NewRegistry() *Registry { return &Registry{kinds: map[string]*kind{}} }

// args is how a job's arguments stand in River's row. Key takes part in
// uniqueness, the arguments themselves do not.
type args[A Args] struct {
	A   A      `json:"a"`
	Key string `json:"key,omitempty" river:"unique"`
}

func (a args[A]) Kind() string { return a.A.Kind() }

type worker[A Args] struct {
	river.WorkerDefaults[args[A]]
	kind  *kind
	log   *slog.Logger
	ahead *ahead
	work  func(context.Context, Job, A) error
}

func (w *worker[A]) Work(ctx context.Context, j *river.Job[args[A]]) (err error) {
	returned := false
	if w.kind.lost != nil {
		defer func() {
			if returned && !failed(err) || !final(ctx, j.JobRow, err) {
				return
			}
			own, cancel := context.WithTimeout(context.WithoutCancel(ctx), lostTime)
			defer cancel()
			if why := w.kind.lost(own, j.Args.A); why != nil {
				recover() // if it panicked: it will again
				w.log.ErrorContext(ctx, "a lost job is run again", "kind", j.Kind, "job", j.ID, "err", why.Error())
				err = Snooze(lostWait)
			}
		}()
	}
	if j.Attempt > j.MaxAttempts {
		err = Cancel(errBegunOften)
	} else {
		err = w.work(ctx, Job{ID: j.ID, Attempt: j.Attempt, Created: j.CreatedAt}, j.Args.A)
	}
	returned = true
	return err
}

// errBegunOften is why a job is given up that may have killed each process that ran it.
var errBegunOften = errors.New("jobs: begun too often without coming to an end")

// failed reports whether a run that returned err did not do its work.
func failed(err error) bool {
	later := (*rivertype.JobSnoozeError)(nil)
	return err != nil && !errors.As(err, &later)
}

// final reports whether a run that failed is the job's last.
func final(ctx context.Context, j *rivertype.JobRow, err error) bool {
	return IsCancel(err) || j.Attempt >= j.MaxAttempts && !stopped(ctx)
}

// stopped reports whether a run was cancelled by Stop, and not by its own timeout.
func stopped(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

func (w *worker[A]) Timeout(*river.Job[args[A]]) time.Duration { return w.kind.timeout }

func (w *worker[A]) NextRetry(j *river.Job[args[A]]) time.Time {
	if w.kind.backoff == nil {
		return time.Time{}
	}
	return time.Now().Add(w.kind.backoff(j.Attempt) + w.ahead.get())
}

// Register says how jobs of A's kind are done. It panics on a kind that is
// registered already: that is a slip of the wiring.
func Register[A Args](r *Registry, work func(ctx context.Context, job Job, args A) error, opts ...Option) {
	var zero A
	k := &kind{name: zero.Kind(), timeout: time.Minute, attempts: 25}
	for _, o := range opts {
		o(k)
	}
	if r.kinds[k.name] != nil {
		panic("jobs: kind registered twice: " + k.name)
	}
	k.wrap = func(a Args, key string) river.JobArgs { return args[A]{A: a.(A), Key: key} }
	k.add = func(ws *river.Workers, q *Queue) {
		river.AddWorker(ws, &worker[A]{kind: k, log: q.log, ahead: &q.ahead, work: work})
	}
	r.kinds[k.name] = k
}

// Snooze is returned by a worker that wants to be run again after d, without
// that counting as a failure.
func Snooze(d time.Duration) error { return river.JobSnooze(d) }

// Cancel is returned by a worker that will never succeed; err says why.
func Cancel(err error) error { return river.JobCancel(err) }

// IsCancel reports whether err is Give's.
func IsCancel(err error) bool {
	given := (*rivertype.JobCancelError)(nil)
	return errors.As(err, &given)
}

// Queue enqueues jobs and, once started, runs them.
type Queue struct {
	// Poll is how often a process looks for what others enqueued; its own it hears
	// of. It is set before Start.
	Poll time.Duration

	// Elsewhere leaves jobs to other processes with this database: Start runs none.
	// It is set before Start.
	DisableWorkers bool

	db     *store.DB
	reg    *Registry
	log    *slog.Logger
	now    func() time.Time
	insert *river.Client[*sql.Tx]
	bell   notifier
	watch  Watcher // nil: nobody
	ahead  ahead

	mu     sync.Mutex
	run    *river.Client[*sql.Tx] // nil until Start
	runner string                 // names it among the replicas
	quit   context.CancelFunc     // ends attending
	beats  sync.WaitGroup
}

// NewQueue brings River's tables up to date and returns a queue that can
// enqueue. now is the party's clock, by which At is read.
func NewQueue(ctx context.Context, db *store.DB, reg *Registry, log *slog.Logger, now func() time.Time) (*Queue, error) {
	q := &Queue{Poll: 150 * time.Millisecond, db: db, reg: reg, log: log, now: now, bell: make(notifier, 1)}
	if err := q.migrate(ctx); err != nil {
		return nil, fmt.Errorf("jobs: migrate: %w", err)
	}
	insert, err := river.NewClient(q.driver(), &river.Config{Logger: quiet(log)})
	if err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	q.insert = insert
	return q, q.measure(ctx)
}

func (q *Queue) driver() riverdriver.Driver[*sql.Tx] {
	if q.db.Dialect == store.Postgres {
		return riverdatabasesql.New(q.db.SQL)
	}
	return riversqlite.New(q.db.SQL)
}

func (q *Queue) migrate(ctx context.Context) error {
	m, err := rivermigrate.New(q.driver(), &rivermigrate.Config{Logger: quiet(q.log)})
	if err != nil {
		return err
	}
	return q.db.WithLock(ctx, migration, func(ctx context.Context) error {
		if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return err
		}
		return q.unindex(ctx)
	})
}

// EnqueueOption sets when and whether a job is enqueued.
type EnqueueOption func(*enqueue)

type enqueue struct {
	at       time.Time
	key      string
	priority int
}

// At delays the job until t by the party's clock.
func At(t time.Time) EnqueueOption { return func(e *enqueue) { e.at = t } }

// UniqueKey keeps at most one unfinished job of this kind and key.
func UniqueKey(key string) EnqueueOption { return func(e *enqueue) { e.key = key } }

// LowPriority lets the jobs for which somebody may be waiting go first.
func LowPriority() EnqueueOption { return func(e *enqueue) { e.priority = river.PriorityDefault + 1 } }

// Enqueuer takes jobs; *Queue is one.
type Enqueuer interface {
	Enqueue(ctx context.Context, tx *store.Tx, args Args, opts ...EnqueueOption) error
}

// Enqueue adds a job within tx: it exists if and only if tx commits.
func (q *Queue) Enqueue(ctx context.Context, tx *store.Tx, a Args, opts ...EnqueueOption) error {
	k := q.reg.kinds[a.Kind()]
	if k == nil {
		return fmt.Errorf("jobs: kind %q is not registered", a.Kind())
	}
	var e enqueue
	for _, o := range opts {
		o(&e)
	}
	in := &river.InsertOpts{MaxAttempts: k.attempts, Priority: e.priority} // 0 is the default
	if !e.at.IsZero() {
		in.ScheduledAt = time.Now().Add(e.at.Sub(q.now()) + q.ahead.get())
	}
	if e.key != "" {
		in.UniqueOpts = river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning,
			rivertype.JobStateRetryable, rivertype.JobStateScheduled}}
	}
	if q.watch != nil {
		if carried := q.watch.Carried(ctx); carried != "" {
			in.Metadata, _ = json.Marshal(metadata{carried}) // a string always encodes
		}
	}
	_, err := q.insert.InsertTx(ctx, tx.Tx, k.wrap(a, e.key), in)
	if err != nil {
		return fmt.Errorf("jobs: enqueue %s: %w", k.name, err)
	}
	tx.AfterCommit(q.bell.ring)
	return nil
}

// Start begins to run jobs, until Stop, unless they are run elsewhere.
func (q *Queue) Start(ctx context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.run != nil {
		return errors.New("jobs: started already")
	}
	workers := river.NewWorkers()
	for _, k := range q.reg.kinds {
		k.add(workers, q)
	}
	if len(q.reg.kinds) == 0 || q.DisableWorkers {
		return nil
	}
	q.runner = uuid.NewString()
	run, err := river.NewClient(notifyingDriver{q.driver(), q.bell}, &river.Config{
		ID:                q.runner,
		Logger:            quiet(q.log),
		Workers:           workers,
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 16}},
		FetchCooldown:     20 * time.Millisecond,
		FetchPollInterval: q.Poll,
		ErrorHandler:      &failures{log: q.log},
		Middleware:        []rivertype.Middleware{river.WorkerMiddlewareFunc(q.watched)},
		JobTimeout:        q.longest(), // of kinds without their own; River holds the next line against it
		// A run that its own living process forgot is taken up again after this
		// long; it must be longer than any kind's timeout.
		RescueStuckJobsAfter: q.longest() + 10*time.Second,
		ReindexerIndexNames:  slices.DeleteFunc(river.ReindexerIndexNamesDefault(), func(name string) bool { return slices.Contains(idle, name) }),
	})
	if err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	if err := q.resume(ctx); err != nil {
		return fmt.Errorf("jobs: resume: %w", err)
	}
	quit, err := q.live(context.WithoutCancel(ctx))
	if err != nil {
		return fmt.Errorf("jobs: attend: %w", err)
	}
	if err := run.Start(context.WithoutCancel(ctx)); err != nil {
		quit()
		return fmt.Errorf("jobs: start: %w", err)
	}
	q.run, q.quit = run, quit
	return nil
}

// live puts this process on the list of runners and keeps it there until quit.
func (q *Queue) live(ctx context.Context) (quit context.CancelFunc, err error) {
	if q.db.Dialect != store.Postgres {
		return func() {}, nil
	}
	if err := q.attend(ctx, q.runner); err != nil {
		return nil, err
	}
	ctx, quit = context.WithCancel(ctx)
	q.beats.Go(func() {
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := errors.Join(q.attend(ctx, q.runner), q.measure(ctx)); err != nil && ctx.Err() == nil {
				q.log.WarnContext(ctx, "attending to jobs failed", "err", err.Error())
			}
		}
	})
	return quit, nil
}

func (q *Queue) longest() time.Duration {
	longest := 10 * time.Second
	for _, k := range q.reg.kinds {
		longest = max(longest, k.timeout)
	}
	return longest
}

// Stop takes no new job and waits for those that run; when ctx ends first they
// are cancelled, and run again at the next start.
func (q *Queue) Stop(ctx context.Context) error {
	q.mu.Lock()
	run, quit := q.run, q.quit
	q.run = nil
	q.mu.Unlock()
	if run == nil {
		return nil
	}
	err := run.Stop(ctx)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err != nil && ctx.Err() != nil {
		err = run.StopAndCancel(grace)
	}
	quit()
	q.beats.Wait()
	if q.db.Dialect == store.Postgres {
		err = errors.Join(err, q.leave(grace, q.runner)) // what it was cancelled at is free at once
	}
	return err
}

// failures writes failed runs to the log. The error's text is ours and holds
// nothing personal; the arguments are not logged.
type failures struct{ log *slog.Logger }

func (f *failures) HandleError(ctx context.Context, j *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	level := slog.LevelWarn
	if j.Attempt >= j.MaxAttempts {
		level = slog.LevelError
	}
	f.log.Log(ctx, level, "job failed", "kind", j.Kind, "job", j.ID, "attempt", j.Attempt, "of", j.MaxAttempts, "err", err.Error())
	return nil
}

func (f *failures) HandlePanic(ctx context.Context, j *rivertype.JobRow, p any, trace string) *river.ErrorHandlerResult {
	raw, _ := json.Marshal(fmt.Sprint(p))
	f.log.ErrorContext(ctx, "job panicked", "kind", j.Kind, "job", j.ID, "panic", string(raw), "stack", trace)
	return nil
}

// quiet keeps River's own lines out of the log unless they are warnings.
func quiet(log *slog.Logger) *slog.Logger { return slog.New(atLeastWarn{log.Handler()}) }

type atLeastWarn struct{ slog.Handler }

func (h atLeastWarn) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}
func (h atLeastWarn) WithAttrs(a []slog.Attr) slog.Handler {
	return atLeastWarn{h.Handler.WithAttrs(a)}
}
func (h atLeastWarn) WithGroup(n string) slog.Handler { return atLeastWarn{h.Handler.WithGroup(n)} }
