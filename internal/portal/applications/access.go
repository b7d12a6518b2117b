package applications

import (
	"context"

	"vestibule/internal/store"
)

// Join grants another browser's session access to the application and records that in
// the timeline.
func (s *Service) Join(ctx context.Context, tx *store.Tx, id, sessionID string) error {
	a, err := lock(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := bind(ctx, tx, id, sessionID); err != nil {
		return err
	}
	state := string(a.Journey.State)
	if _, err = s.record(ctx, tx, a, Joined+"/"+sessionID, TimelineEntry{Kind: Joined, From: state, To: state}, a.Journey, false); err != nil {
		return err
	}
	tx.AfterCommit(func() { s.hub.wake(id) })
	return nil
}

// Bind grants a session access to the application.
func (s *Service) Bind(ctx context.Context, tx *store.Tx, id, sessionID string) error {
	return bind(ctx, tx, id, sessionID)
}

// Bound reports whether a session may see the application.
func (s *Service) Bound(ctx context.Context, id, sessionID string) (bool, error) {
	if sessionID == "" {
		return false, nil
	}
	return bound(ctx, s.DB.SQL, id, sessionID)
}

// Recent returns the applications of a session, newest first.
func (s *Service) Recent(ctx context.Context, sessionID string, limit int) ([]Application, error) {
	if sessionID == "" {
		return nil, nil
	}
	return recent(ctx, s.DB.SQL, sessionID, limit)
}
