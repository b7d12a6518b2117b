// Package jobs runs background work that must happen even if the process that requested
// it stops. A job is enqueued in the same transaction as the change that requires it,
// and runs until it succeeds, is cancelled or has no attempts left. This is the only
// package that uses River.
//
// A job may run more than once, for example after a kill: its work must be safe to
// repeat.
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
	"strings"
	"sync"
	"sync/atomic"
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

// Args are a job's arguments: a plain struct of JSON members. It holds identifiers,
// never personal data. Kind names the job in the database and must never change.
type Args interface{ Kind() string }

// Job is the current run of a job.
type Job struct {
	ID      int64
	Attempt int // 1 in the first run
	Created time.Time
}

// Option configures how jobs of a kind run.
type Option func(*kind)

// QueueName names a queue of a party.
type QueueName string

// Queues. The jobs of one do not wait for those of another.
const (
	Default   QueueName = river.QueueDefault // also has the jobs of versions with a single queue
	Webhooks  QueueName = "webhooks"
	Emails    QueueName = "emails"
	Reports   QueueName = "reports"
	Documents QueueName = "documents" // reports that wait for programs which read uploaded files
)

// workers is how many jobs of each queue a process runs at once.
var workers = map[QueueName]int{Default: 16, Webhooks: 16, Emails: 4, Reports: 16, Documents: 4}

// In sets the queue of a kind, instead of Default.
func In(queue QueueName) Option { return func(k *kind) { k.queue = queue } }

// Timeout sets the maximum duration of one run; the default is one minute.
func Timeout(d time.Duration) Option { return func(k *kind) { k.timeout = d } }

// MaxAttempts sets the maximum number of attempts; the default is 25.
func MaxAttempts(n int) Option { return func(k *kind) { k.attempts = n } }

// Backoff sets the wait after a failed attempt (1 is the first). The default is
// River's: attempt⁴ seconds, with jitter.
func Backoff(f func(attempt int) time.Duration) Option { return func(k *kind) { k.backoff = f } }

// NoAttemptLimit is for a permanent job that reschedules itself with Snooze: however
// often it fails, it runs again within an hour.
func NoAttemptLimit() Option {
	return func(k *kind) {
		k.attempts = math.MaxInt16 // River's maximum
		k.backoff = func(attempt int) time.Duration { return min(time.Duration(attempt)*time.Minute, time.Hour) }
	}
}

// OnDiscard sets a function that is called when a job of kind A will not run again
// although it did not succeed: its last attempt failed, panicked or timed out, or it
// was cancelled. The function has a separate context. If it fails, the job is run once
// more, and the function after it.
func OnDiscard[A Args](f func(ctx context.Context, args A) error) Option {
	return func(k *kind) { k.onDiscard = func(ctx context.Context, a Args) error { return f(ctx, a.(A)) } }
}

// discardTimeout bounds the OnDiscard function, and discardRetryAfter is the wait before the job runs
// again if that function fails.
const (
	discardTimeout    = 20 * time.Second
	discardRetryAfter = time.Minute
)

type kind struct {
	name      string
	queue     QueueName
	timeout   time.Duration
	attempts  int
	backoff   func(int) time.Duration
	onDiscard func(context.Context, Args) error // set by OnDiscard; may be nil
	wrap      func(args Args, key string) river.JobArgs
	add       func(*river.Workers, *Queue)
}

// Registry holds the kinds of jobs that a party runs. Fill it before the queue starts.
type Registry struct{ kinds map[string]*kind }

// NewRegistry returns an empty registry.
func NewRegistry() *Registry { return &Registry{kinds: map[string]*kind{}} }

// args is the form of a job's arguments in River's table.
type args[A Args] struct {
	A   A      `json:"a"`
	Key string `json:"key,omitempty"`
}

func (a args[A]) Kind() string { return a.A.Kind() }

type worker[A Args] struct {
	river.WorkerDefaults[args[A]]
	kind *kind
	q    *Queue
	work func(context.Context, Job, A) error
}

func (w *worker[A]) Work(ctx context.Context, j *river.Job[args[A]]) (err error) {
	returned := false
	if w.kind.onDiscard != nil {
		defer func() {
			if returned && !failed(err) || !final(ctx, j.JobRow, err) {
				return
			}
			own, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
			defer cancel()
			if reason := w.kind.onDiscard(own, j.Args.A); reason != nil {
				recover() // the job runs again, and may panic again
				w.q.log.ErrorContext(ctx, "a lost job is run again", "kind", j.Kind, "job", j.ID, "err", reason.Error())
				err = Snooze(discardRetryAfter)
			}
		}()
	}
	crashes := metadataOf(j.JobRow).Crashes
	if crashes > crashRetries && w.kind.attempts < math.MaxInt16 {
		err = Cancel(errCrashed)
		w.q.log.ErrorContext(ctx, "job given up", "kind", j.Kind, "job", j.ID, "err", errCrashed.Error()) // River reports no cancelled jobs
	} else {
		defer func() {
			if crashes > 0 && !(returned && err == nil) && !stopped(ctx) {
				w.q.forgetCrashes(ctx, j.ID)
			}
		}()
		if crashes > crashRetries {
			err = Snooze(time.Hour)
		} else {
			err = w.work(ctx, Job{ID: j.ID, Attempt: j.Attempt, Created: j.CreatedAt}, j.Args.A)
		}
	}
	returned = true
	return err
}

// crashRetries is how often a job runs again that was running when its process died. The count
// begins anew when a run ends in another way.
const crashRetries = 2

// errCrashed is the reason for cancelling a job that may be what its processes died of.
var errCrashed = errors.New("jobs: three processes in a row died while they ran the job")

// failed reports whether err is an error other than Snooze's.
func failed(err error) bool {
	later := (*rivertype.JobSnoozeError)(nil)
	return err != nil && !errors.As(err, &later)
}

// final reports whether a failed run is the job's last.
func final(ctx context.Context, j *rivertype.JobRow, err error) bool {
	return IsCancel(err) || j.Attempt >= j.MaxAttempts && !stopped(ctx)
}

// stopped reports whether Stop cancelled a run, as opposed to its timeout.
func stopped(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

func (w *worker[A]) Timeout(*river.Job[args[A]]) time.Duration { return w.kind.timeout }

func (w *worker[A]) NextRetry(j *river.Job[args[A]]) time.Time {
	if w.kind.backoff == nil {
		return time.Time{}
	}
	return time.Now().Add(w.kind.backoff(j.Attempt) + w.q.clockOffset.get())
}

// Register sets the function that runs jobs of A's kind. It panics if the kind is
// already registered, which is a programming error.
func Register[A Args](r *Registry, work func(ctx context.Context, job Job, args A) error, opts ...Option) {
	var zero A
	k := &kind{name: zero.Kind(), queue: Default, timeout: time.Minute, attempts: 25}
	for _, o := range opts {
		o(k)
	}
	if r.kinds[k.name] != nil {
		panic("jobs: kind registered twice: " + k.name)
	}
	k.wrap = func(a Args, key string) river.JobArgs { return args[A]{A: a.(A), Key: key} }
	k.add = func(ws *river.Workers, q *Queue) {
		river.AddWorker(ws, &worker[A]{kind: k, q: q, work: work})
	}
	r.kinds[k.name] = k
}

// Snooze returns an error for a worker to return, to be run again after d. It does not
// count as a failure.
func Snooze(d time.Duration) error { return river.JobSnooze(d) }

// Cancel returns an error for a worker to return when the job will never succeed; err
// says why.
func Cancel(err error) error { return river.JobCancel(err) }

// IsCancel reports whether err was made by Cancel.
func IsCancel(err error) bool {
	cancelled := (*rivertype.JobCancelError)(nil)
	return errors.As(err, &cancelled)
}

// Queue enqueues jobs and, once started, runs them.
type Queue struct {
	// Poll is the interval at which a process looks for jobs enqueued by others. Its
	// own jobs start at once, and again when they are due. Set it before Start.
	Poll time.Duration

	// DisableWorkers leaves jobs to other processes with this database: Start runs
	// none. Set it before Start.
	DisableWorkers bool

	db          *store.DB
	reg         *Registry
	log         *slog.Logger
	now         func() time.Time
	notifier    *notifier
	running     running
	watch       Watcher // may be nil
	clockOffset clockOffset

	stopGrace, lastGrace time.Duration // after Stop's context: for cancelled jobs, and to unregister

	mu     sync.Mutex
	run    *river.Client[*sql.Tx] // nil until Start
	runner string                 // id of this replica's workers
	quit   context.CancelFunc     // ends the heartbeat
	beats  sync.WaitGroup
}

// NewQueue migrates River's tables and returns a queue that can enqueue. now is the
// party's clock, in which times for At are given.
func NewQueue(ctx context.Context, db *store.DB, reg *Registry, log *slog.Logger, now func() time.Time) (*Queue, error) {
	q := &Queue{Poll: 150 * time.Millisecond, db: db, reg: reg, log: log, now: now, notifier: newNotifier(),
		stopGrace: 5 * time.Second, lastGrace: 2 * time.Second}
	if db.Dialect == store.SQLite { // beside the program, only commands enqueue
		q.Poll = time.Second
	}
	if err := q.migrate(ctx); err != nil {
		return nil, fmt.Errorf("jobs: migrate: %w", err)
	}
	return q, q.measureClock(ctx)
}

func (q *Queue) driver() riverdriver.Driver[*sql.Tx] {
	if q.db.Dialect == store.Postgres {
		return riverdatabasesql.New(q.db.SQL)
	}
	return riversqlite.New(q.db.SQL)
}

func (q *Queue) migrate(ctx context.Context) error {
	m, err := rivermigrate.New(q.driver(), &rivermigrate.Config{Logger: loggerForRiver(q.log)})
	if err != nil {
		return err
	}
	return q.db.WithLock(ctx, migrationLock, func(ctx context.Context) error {
		if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return err
		}
		return q.dropUnusedIndexes(ctx)
	})
}

// EnqueueOption configures when and whether a job is enqueued.
type EnqueueOption func(*enqueue)

type enqueue struct {
	at       time.Time
	key      string
	account  string
	priority int
	id       *int64
}

// At delays the job until t by the party's clock.
func At(t time.Time) EnqueueOption { return func(e *enqueue) { e.at = t } }

// UniqueKey allows at most one unfinished job of this kind and key.
func UniqueKey(key string) EnqueueOption { return func(e *enqueue) { e.key = key } }

// Account names the account that the job is for. Accounts share the workers of a queue: none
// has more than half of those that others leave, and many jobs of one come after the first jobs
// of another.
func Account(id string) EnqueueOption { return func(e *enqueue) { e.account = id } }

// ID sets id to the job's, for Remove.
func ID(id *int64) EnqueueOption { return func(e *enqueue) { e.id = id } }

// LowPriority runs the job after those with the default priority, for which people may
// be waiting.
func LowPriority() EnqueueOption { return func(e *enqueue) { e.priority++ } }

// Enqueuer enqueues jobs; *Queue implements it.
type Enqueuer interface {
	Enqueue(ctx context.Context, tx *store.Tx, args Args, opts ...EnqueueOption) error
}

// Enqueue adds a job within tx: it exists if and only if tx commits.
func (q *Queue) Enqueue(ctx context.Context, tx *store.Tx, a Args, opts ...EnqueueOption) error {
	k := q.reg.kinds[a.Kind()]
	if k == nil {
		return fmt.Errorf("jobs: kind %q is not registered", a.Kind())
	}
	e := enqueue{priority: river.PriorityDefault}
	for _, o := range opts {
		o(&e)
	}
	if err := q.setPriority(ctx, tx, k.queue, &e); err != nil {
		return fmt.Errorf("jobs: enqueue %s: %w", k.name, err)
	}
	id, err := q.insertJob(ctx, tx, k, k.wrap(a, e.key), e)
	if err != nil {
		return fmt.Errorf("jobs: enqueue %s: %w", k.name, err)
	}
	if e.id != nil {
		*e.id = id
	}
	tx.AfterCommit(func() { q.notifier.wake(k.queue) })
	return nil
}

// Start runs jobs until Stop, unless DisableWorkers is set.
func (q *Queue) Start(ctx context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.run != nil {
		return errors.New("jobs: started already")
	}
	registered, queues := river.NewWorkers(), map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers[Default]}}
	for _, k := range q.reg.kinds {
		k.add(registered, q)
		queues[string(k.queue)] = river.QueueConfig{MaxWorkers: workers[k.queue]}
	}
	if len(q.reg.kinds) == 0 || q.DisableWorkers {
		return nil
	}
	q.runner = uuid.NewString()
	run, err := river.NewClient(queueDriver{q.driver(), q}, &river.Config{
		ID:                          q.runner,
		Logger:                      loggerForRiver(q.log),
		Workers:                     registered,
		Queues:                      queues,
		FetchCooldown:               20 * time.Millisecond,
		FetchPollInterval:           q.Poll,
		ErrorHandler:                &failures{log: q.log},
		Middleware:                  []rivertype.Middleware{river.WorkerMiddlewareFunc(q.observed)},
		JobTimeout:                  q.longestTimeout(), // River requires RescueStuckJobsAfter to exceed it
		CompletedJobRetentionPeriod: time.Hour,
		CancelledJobRetentionPeriod: 7 * 24 * time.Hour, // as long as discarded ones, for Crashed
		// A run that its live process has lost is started again after this long; it
		// must exceed the timeout of every kind.
		RescueStuckJobsAfter: q.longestTimeout() + 10*time.Second,
		ReindexerIndexNames: slices.DeleteFunc(river.ReindexerIndexNamesDefault(),
			func(name string) bool { return slices.Contains(unusedIndexes, name) }),
	})
	if err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	if err := q.resume(ctx); err != nil {
		return fmt.Errorf("jobs: resume: %w", err)
	}
	quit, err := q.keepAlive(context.WithoutCancel(ctx))
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

// keepAlive registers this process as a runner and sends its heartbeat until quit.
func (q *Queue) keepAlive(ctx context.Context) (quit context.CancelFunc, err error) {
	if q.db.Dialect != store.Postgres {
		return func() {}, nil
	}
	if err := q.heartbeat(ctx, q.runner); err != nil {
		return nil, err
	}
	ctx, quit = context.WithCancel(ctx)
	q.beats.Go(func() {
		tick := time.NewTicker(heartbeatInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := errors.Join(q.heartbeat(ctx, q.runner), q.measureClock(ctx)); err != nil && ctx.Err() == nil {
				q.log.WarnContext(ctx, "attending to jobs failed", "err", err.Error())
			}
		}
	})
	return quit, nil
}

func (q *Queue) longestTimeout() time.Duration {
	longest := 10 * time.Second
	for _, k := range q.reg.kinds {
		longest = max(longest, k.timeout)
	}
	return longest
}

// Stop starts no new jobs and waits for the running ones. If ctx ends first, they are
// cancelled and run again at the next start.
func (q *Queue) Stop(ctx context.Context) error {
	q.mu.Lock()
	run, quit := q.run, q.quit
	q.run = nil
	q.mu.Unlock()
	if run == nil {
		return nil
	}
	err := run.Stop(ctx)
	if err != nil && ctx.Err() != nil {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.stopGrace)
		defer cancel()
		err = run.StopAndCancel(grace)
	}
	quit()
	q.beats.Wait()
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), q.lastGrace)
		defer cancel()
	}
	return errors.Join(err, q.unregister(ctx))
}

// failures logs failed runs. Error texts hold no personal data; arguments are not
// logged.
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

// loggerForRiver returns the logger for River: from level Warn, and without most of the lines that
// it writes ten times a second while the database does not answer.
func loggerForRiver(log *slog.Logger) *slog.Logger {
	return slog.New(riverLog{log.Handler(), new(atomic.Int64)})
}

// fetchErrorInterval is the minimum time between two lines about failed fetches.
const fetchErrorInterval = 10 * time.Second

type riverLog struct {
	slog.Handler
	fetchError *atomic.Int64 // time of the last line about a failed fetch, ns
}

func (h riverLog) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

func (h riverLog) Handle(ctx context.Context, r slog.Record) error {
	if strings.HasSuffix(r.Message, "Error fetching jobs") {
		last, now := h.fetchError.Load(), r.Time.UnixNano()
		if now-last < int64(fetchErrorInterval) || !h.fetchError.CompareAndSwap(last, now) {
			return nil
		}
	}
	return h.Handler.Handle(ctx, r)
}

func (h riverLog) WithAttrs(a []slog.Attr) slog.Handler {
	return riverLog{h.Handler.WithAttrs(a), h.fetchError}
}

func (h riverLog) WithGroup(n string) slog.Handler {
	return riverLog{h.Handler.WithGroup(n), h.fetchError}
}
