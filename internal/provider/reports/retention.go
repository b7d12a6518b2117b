package reports

import (
	"context"
	"fmt"
	"time"

	"vestibule/internal/store"
)

// The data of a report are deleted in two steps. Retrieved data are stored encrypted
// for 30 days: files and account numbers can be requested for the first time within 14
// days, and secondary reports created within 30 days after the report. The body can be
// read for 90 days. Account numbers that were requested in time are stored elsewhere,
// and both steps keep the report's row, which says whose they are. A data key is
// deleted with the last value encrypted under it. Moving the clock back undoes no
// step.

// InputAge is the age after which no secondary report can be made from a report.
const InputAge = 30 * 24 * time.Hour

// ErrDeleted is returned for data or a body past its retention; it wraps
// store.ErrNotFound.
var ErrDeleted = fmt.Errorf("reports: deleted for its age: %w", store.ErrNotFound)

// batch is the maximum number of reports that one statement of the sweep changes.
const batch = 50

// Sweep deletes the retrieved data of reports over InputAge and the bodies of reports
// over MaxAge, except of pending reports. Replicas may sweep concurrently.
func (s *Service) Sweep(ctx context.Context) error {
	err := s.DB.Sweep(ctx, batch,
		func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
			return deleteInputs(ctx, tx, tx.Now.Add(-InputAge), tx.Now.Add(-Retention), limit)
		},
		store.Older(Retention, deleteSecondaryInputs), deleteBases, forgetReads)
	if err != nil {
		return err
	}
	return s.DB.Shred(ctx, batch, store.Older(MaxAge, forget), deleteKeys)
}

// retained reports whether files with the retrieved data can still be requested.
func (s *Service) retained(r Report) bool { return s.Now().Sub(r.HeldSince()) <= Retention }
