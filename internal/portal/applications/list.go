package applications

import (
	"context"
	"time"

	"vestibule/internal/contract"
)

// Filter selects applications. The zero value selects the newest 25.
type Filter struct {
	State      string
	Product    contract.Product
	ExternalID string
	From, To   time.Time // creation time in [From, To); zero means unbounded
	Cursor     string    // as returned by List
	Limit      int       // 1 to 100; 25 for other values
}

// AnsweredAt returns, by application ID, when the applicant last answered a request
// for more. It omits applications without an answer.
func (s *Service) AnsweredAt(ctx context.Context, ids []string) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	if len(ids) == 0 {
		return out, nil
	}
	found, err := byIDs(ctx, s.DB.SQL, ids)
	for _, a := range found {
		if a.Decision.Answered() {
			out[a.ID] = a.Decision.AnsweredAt
		}
	}
	return out, err
}
