package sandbox

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"vestibule/internal/store"
)

// Clock is a clock that can be moved. How far it stands from the time of day is
// in the database, so that a restart and other replicas keep it.
type Clock struct {
	DB   *store.DB
	Base func() time.Time // the time of day
	Log  *slog.Logger

	offset atomic.Int64 // nanoseconds
}

// Now is the moved time.
func (c *Clock) Now() time.Time { return c.Base().Add(time.Duration(c.offset.Load())) }

// Load takes over the offset that the database has.
func (c *Clock) Load(ctx context.Context) error {
	d, err := loadOffset(ctx, c.DB.SQL)
	if err == nil {
		c.offset.Store(int64(d))
	}
	return err
}

// Follow loads the offset again and again until ctx ends, for what another
// replica did to it.
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

// Set moves the clock to t and returns by how much it moved.
func (c *Clock) Set(ctx context.Context, t time.Time) (time.Duration, error) {
	now := c.Base()
	return c.shift(ctx, t.Sub(now))
}

// Advance moves the clock by d.
func (c *Clock) Advance(ctx context.Context, d time.Duration) (time.Duration, error) {
	return c.shift(ctx, time.Duration(c.offset.Load())+d)
}

func (c *Clock) shift(ctx context.Context, offset time.Duration) (time.Duration, error) {
	if err := saveOffset(ctx, c.DB.SQL, offset); err != nil {
		return 0, err
	}
	was := c.offset.Swap(int64(offset))
	return offset - time.Duration(was), nil
}
