package visits

import (
	"context"
	"time"

	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
)

// Summary is the state of a report's visit, without personal data.
type Summary struct {
	ID      string
	State   flow.State
	Step    flow.Step
	Created time.Time
	Expires time.Time
	Ended   time.Time // zero: not yet
}

// Summary returns the visit of a report, or store.ErrNotFound for a submission. The
// caller checks the owner.
func (s *Service) Summary(ctx context.Context, q store.Queryer, publicToken string) (Summary, error) {
	v, err := byPublicToken(ctx, q, publicToken)
	return Summary{ID: v.id, State: v.State, Step: v.Step, Created: v.created, Expires: v.expires, Ended: v.ended}, err
}
