package applications

import (
	"context"

	"vestibule/internal/store"
)

// GrantNewAccess grants another browser's session access to the application and records that in
// the timeline.
func (s *Service) GrantNewAccess(ctx context.Context, tx *store.Tx, id, sessionID string) error {
	a, err := lock(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := grantAccess(ctx, tx, id, sessionID); err != nil {
		return err
	}
	state := string(a.Journey.State)
	if _, err = s.record(ctx, tx, a, Joined+"/"+sessionID, TimelineEntry{Kind: Joined, From: state, To: state}, a.Journey, false); err != nil {
		return err
	}
	tx.AfterCommit(func() { s.hub.wake(id) })
	return nil
}

// GrantAccess grants a session access to the application.
func (s *Service) GrantAccess(ctx context.Context, tx *store.Tx, id, sessionID string) error {
	return grantAccess(ctx, tx, id, sessionID)
}

// HasAccess reports whether a session may see the application.
func (s *Service) HasAccess(ctx context.Context, id, sessionID string) (bool, error) {
	if sessionID == "" {
		return false, nil
	}
	return hasAccess(ctx, s.DB.SQL, id, sessionID)
}

// Recent returns the applications of a session, newest first.
func (s *Service) Recent(ctx context.Context, sessionID string, limit int) ([]Application, error) {
	if sessionID == "" {
		return nil, nil
	}
	return recent(ctx, s.DB.SQL, sessionID, limit)
}
