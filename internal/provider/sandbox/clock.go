package sandbox

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"vestibule/internal/store"
)

// Clock is a clock that can be moved. Its offset from the time of day is in the
// database, so that restarts and replicas keep it.
type Clock struct {
	DB   *store.DB
	Base func() time.Time // the time of day
	Log  *slog.Logger

	mu     sync.Mutex   // held while the database is read or written
	offset atomic.Int64 // nanoseconds
}

// Now returns the moved time.
func (c *Clock) Now() time.Time { return c.Base().Add(time.Duration(c.offset.Load())) }

// Load reads the offset from the database.
func (c *Clock) Load(ctx context.Context) error {
	c.mu.Lock() // an offset that was read before a change must not replace it
	defer c.mu.Unlock()
	d, err := loadOffset(ctx, c.DB.SQL)
	if err == nil {
		c.offset.Store(int64(d))
	}
	return err
}

// Follow reloads the offset repeatedly until ctx ends, because another replica may
// change it.
func (c *Clock) Follow(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := c.Load(ctx); err != nil && ctx.Err() == nil {
				c.Log.Warn("clock not read", "err", err.Error())
			}
		}
	}
}

// Set moves the clock to t and returns the change.
func (c *Clock) Set(ctx context.Context, t time.Time) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shift(ctx, t.Sub(c.Base()))
}

// Advance moves the clock by d.
func (c *Clock) Advance(ctx context.Context, d time.Duration) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shift(ctx, time.Duration(c.offset.Load())+d)
}

// shift needs mu.
func (c *Clock) shift(ctx context.Context, offset time.Duration) (time.Duration, error) {
	if err := saveOffset(ctx, c.DB.SQL, offset); err != nil {
		return 0, err
	}
	was := c.offset.Swap(int64(offset))
	return offset - time.Duration(was), nil
}
