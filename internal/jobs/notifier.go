package jobs

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// notifier wakes the workers of a queue of this process as soon as a job is committed in it,
// without waiting for the next poll. River uses it in place of a database that notifies. Jobs
// of other replicas are found by polling.
type notifier struct {
	mu     sync.Mutex
	queues map[QueueName]bool // to wake
	signal chan struct{}
}

func newNotifier() *notifier {
	return &notifier{queues: map[QueueName]bool{}, signal: make(chan struct{}, 1)}
}

// wake never blocks: one wake-up covers all jobs of the queue committed before it.
func (n *notifier) wake(queue QueueName) {
	n.mu.Lock()
	n.queues[queue] = true
	n.mu.Unlock()
	select {
	case n.signal <- struct{}{}:
	default:
	}
}

// next returns a queue to wake, or "".
func (n *notifier) next() QueueName {
	n.mu.Lock()
	defer n.mu.Unlock()
	for queue := range n.queues {
		delete(n.queues, queue)
		return queue
	}
	return ""
}

// queueDriver is a River driver whose listener waits for the notifier, and which chooses the
// jobs that it fetches.
type queueDriver struct {
	riverdriver.Driver[*sql.Tx]
	q *Queue
}

func (d queueDriver) GetExecutor() riverdriver.Executor {
	return choosingExecutor{d.Driver.GetExecutor(), d.q}
}

// choosingExecutor fetches jobs by Queue.fetch.
type choosingExecutor struct {
	riverdriver.Executor
	q *Queue
}

func (e choosingExecutor) JobGetAvailable(
	ctx context.Context, p *riverdriver.JobGetAvailableParams,
) (*riverdriver.JobGetAvailableResult, error) {
	out := &riverdriver.JobGetAvailableResult{}
	ids, err := e.q.fetch(ctx, QueueName(p.Queue), p.ClientID, p.MaxToLock)
	if err == nil && len(ids) > 0 {
		out.Jobs, err = e.JobGetByIDMany(ctx, &riverdriver.JobGetByIDManyParams{ID: ids, Schema: p.Schema})
	}
	if err != nil {
		e.q.running.remove(ids...)
	}
	return out, err
}

// JobSetStateIfRunningMany stores how runs ended. It wakes the queue of a job that is to run
// again when that is due, unless it is not due for so long that River's scheduler makes it available.
func (e choosingExecutor) JobSetStateIfRunningMany(
	ctx context.Context, p *riverdriver.JobSetStateIfRunningManyParams,
) ([]*rivertype.JobRow, error) {
	rows, err := e.Executor.JobSetStateIfRunningMany(ctx, p)
	for _, j := range rows {
		if j.State == rivertype.JobStateAvailable {
			const rounding = 5 * time.Millisecond // SQLite has milliseconds
			wait := time.Until(j.ScheduledAt) - e.q.clockOffset.get() + rounding
			time.AfterFunc(wait, func() { e.q.notifier.wake(QueueName(j.Queue)) })
		}
	}
	return rows, err
}

func (queueDriver) SupportsListener() bool { return true }

// SupportsListenNotify returns false: no process listens for notifications in the database, which
// cost a statement for each job and, on PostgreSQL, a lock that all commits share.
func (queueDriver) SupportsListenNotify() bool { return false }

func (d queueDriver) GetListener(*riverdriver.GetListenenerParams) riverdriver.Listener {
	return listener{d.q.notifier}
}

// listener reports a wake-up to River as the notification of an inserted job.
type listener struct{ notifier *notifier }

// insertTopic is River's topic for inserted jobs.
const insertTopic = "river_insert"

func (l listener) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	for {
		if queue := l.notifier.next(); queue != "" {
			return &riverdriver.Notification{Topic: insertTopic, Payload: `{"queue":"` + string(queue) + `"}`}, nil
		}
		select {
		case <-l.notifier.signal:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (listener) Close(context.Context) error            { return nil }
func (listener) Connect(context.Context) error          { return nil }
func (listener) Listen(context.Context, string) error   { return nil }
func (listener) Ping(context.Context) error             { return nil }
func (listener) Schema() string                         { return "" }
func (listener) SetAfterConnectExec(string)             {}
func (listener) Unlisten(context.Context, string) error { return nil }
