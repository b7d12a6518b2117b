package redirects

import (
	"context"
	"time"

	"vestibule/internal/store"
)

// Made is a secure redirect as the customer's own people see it.
type Made struct {
	At       time.Time
	Expires  time.Time
	FormOnly bool
}

// Made returns the redirect of a visit, or store.ErrNotFound.
func (s *Service) Made(ctx context.Context, q store.Queryer, visitID string) (Made, error) {
	r, err := byVisit(ctx, q, visitID)
	return Made{At: r.created, Expires: r.expires, FormOnly: r.formOnly}, err
}
