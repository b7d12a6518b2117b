package jobs

import (
	"context"
	"database/sql"

	"github.com/riverqueue/river/riverdriver"
)

// notifier wakes the workers of this process as soon as a job is committed in it,
// without waiting for the next poll. River uses it in place of a database that
// notifies. Jobs of other replicas are found by polling.
type notifier chan struct{}

// wake never blocks: one wake-up covers all jobs committed before it.
func (b notifier) wake() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// notifyingDriver is a River driver whose listener waits for the notifier, and which fetches
// jobs only if one may be due.
type notifyingDriver struct {
	riverdriver.Driver[*sql.Tx]
	notifier notifier
	due      func(context.Context) (bool, error) // whether a job may be due; nil: not known
}

func (d notifyingDriver) GetExecutor() riverdriver.Executor {
	if d.due == nil {
		return d.Driver.GetExecutor()
	}
	return pollingExecutor{d.Driver.GetExecutor(), d.due}
}

// pollingExecutor fetches jobs only if one may be due.
type pollingExecutor struct {
	riverdriver.Executor
	due func(context.Context) (bool, error)
}

func (e pollingExecutor) JobGetAvailable(
	ctx context.Context, p *riverdriver.JobGetAvailableParams,
) (*riverdriver.JobGetAvailableResult, error) {
	if due, err := e.due(ctx); !due || err != nil {
		return &riverdriver.JobGetAvailableResult{}, err
	}
	return e.Executor.JobGetAvailable(ctx, p)
}

func (notifyingDriver) SupportsListener() bool { return true }

func (d notifyingDriver) GetListener(*riverdriver.GetListenenerParams) riverdriver.Listener {
	return listener{d.notifier}
}

// listener reports a wake-up to River as the notification of an inserted job.
type listener struct{ notifier notifier }

// insertTopic is River's topic for inserted jobs.
const insertTopic = "river_insert"

func (l listener) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	select {
	case <-l.notifier:
		return &riverdriver.Notification{Topic: insertTopic, Payload: `{"queue":"default"}`}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (listener) Close(context.Context) error            { return nil }
func (listener) Connect(context.Context) error          { return nil }
func (listener) Listen(context.Context, string) error   { return nil }
func (listener) Ping(context.Context) error             { return nil }
func (listener) Schema() string                         { return "" }
func (listener) SetAfterConnectExec(string)             {}
func (listener) Unlisten(context.Context, string) error { return nil }
