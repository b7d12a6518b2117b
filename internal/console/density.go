package staff

import (
	"context"
	"errors"
	"net/http"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
)

// Densities of lists. They are stored with the user, so that each browser shows the lists
// alike.
const (
	Comfortable = "comfortable"
	Dense       = "dense"
)

// SaveDensity handles the form of ui.Density: it stores how high the user wants the rows of
// lists, and returns to the form's page.
func (s *Service) SaveDensity(w http.ResponseWriter, r *http.Request, userID string) error {
	form, err := httpx.DecodeForm(w, r, 4<<10)
	if err != nil {
		return err
	}
	density, back := form.Get("density"), form.Get("back")
	if density != Comfortable && density != Dense || !s.LocalPath(back) {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such setting"))
	}
	if err := s.setDensity(r.Context(), s.DB.SQL, userID, density); err != nil {
		return err
	}
	httpx.SeeOther(w, back)
	return nil
}

// IsDense reports whether a user wants low rows.
func (s *Service) IsDense(ctx context.Context, q store.Queryer, userID string) (bool, error) {
	density, err := s.density(ctx, q, userID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return density == Dense, err
}
