package applications

import (
	"context"

	"vestibule/internal/store"
)

// GrantNewAccess grants another browser's session access to the application and records that in
// the timeline.
func (s *Service) GrantNewAccess(ctx context.Context, tx *store.Tx, id, sessionID string) error {
	a, err := s.Lock(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := s.GrantAccess(ctx, tx, id, sessionID); err != nil {
		return err
	}
	state := string(a.Journey.State)
	if _, err = s.record(ctx, tx, a, Joined+"/"+sessionID, TimelineEntry{Kind: Joined, From: state, To: state}, a.Journey, false); err != nil {
		return err
	}
	tx.AfterCommit(func() { s.Wake(id) })
	return nil
}
