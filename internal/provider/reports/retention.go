package reports

import (
	"context"
	"fmt"
	"time"

	"vestibule/internal/store"
)

// What a report holds is deleted in two steps. What was retrieved is used for 30
// days, and stays sealed that long: files and account numbers that nobody asked
// for before are given out of it for 14, and another report may be made from it
// for 30 days after the report's creation (document 2, Multi-product). The body is
// read for 90 days. Of an account whose numbers were asked for in time the numbers
// are kept elsewhere, and both steps leave the report's row, which says whose they
// are. A data key goes with the last that was sealed under it. No step is undone by a
// clock that is moved back.

// InputAge is how old a report may be for another one to be made from its data.
const InputAge = 30 * 24 * time.Hour

// ErrDeleted is returned for data or a body whose time is over; it is a
// store.ErrNotFound.
var ErrDeleted = fmt.Errorf("reports: deleted for its age: %w", store.ErrNotFound)

// batch bounds how many reports one statement of the sweep changes.
const batch = 50

// Sweep deletes what was retrieved for reports over InputAge, and the bodies of
// those over MaxAge. Reports that are still waited for are left as they are. Any
// number of replicas may sweep at a time.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.Now()
	err := s.DB.Sweep(ctx, batch,
		func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
			return deleteInputs(ctx, tx, now.Add(-InputAge), now.Add(-Retention), limit)
		},
		func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
			return deleteCopies(ctx, tx, now.Add(-Retention), limit)
		})
	if err == nil {
		err = s.DB.Shred(ctx, batch, func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
			return forget(ctx, tx, now.Add(-MaxAge), now, limit)
		})
	}
	if err != nil {
		return fmt.Errorf("reports: sweep: %w", err)
	}
	return nil
}

// retained says whether what the report was made from is still given out as files.
func (s *Service) retained(r Report) bool { return s.Now().Sub(r.Held()) <= Retention }
