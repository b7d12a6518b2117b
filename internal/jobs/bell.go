package jobs

import (
	"context"
	"database/sql"

	"github.com/riverqueue/river/riverdriver"
)

// notifier wakes the workers of this process as soon as a job of it is committed, so
// that nothing waits for the next poll. It stands where River expects a database
// that notifies; jobs of other replicas are found by polling, which goes on.
type notifier chan struct{}

// ring never blocks: one ring wakes for all that was committed before.
func (b notifier) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// notifyingDriver is a driver that listens to a bell.
type notifyingDriver struct {
	riverdriver.Driver[*sql.Tx]
	bell notifier
}

func (notifyingDriver) SupportsListener() bool { return true }

func (d notifyingDriver) GetListener(*riverdriver.GetListenenerParams) riverdriver.Listener {
	return listener{d.bell}
}

// listener hears the bell as the notification that a job was inserted.
type listener struct{ bell notifier }

// insertTopic is what River calls it.
const insertTopic = "river_insert"

func (l listener) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	select {
	case <-l.bell:
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
