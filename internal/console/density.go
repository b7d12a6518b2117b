package console

import (
	"errors"
	"net/http"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/staff"
)

// Densities of lists. They are stored with the user, so that each browser shows the lists
// alike.
const (
	Comfortable = "comfortable"
	Dense       = "dense"
)

// SaveDensity handles the form of ui.Density: it stores how high a user of s wants the rows
// of lists, and returns to the form's page.
func SaveDensity(w http.ResponseWriter, r *http.Request, s *staff.Service, userID string) error {
	form, err := httpx.DecodeForm(w, r, 4<<10)
	if err != nil {
		return err
	}
	density, back := form.Get("density"), form.Get("back")
	if density != Comfortable && density != Dense || !s.LocalPath(back) {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such setting"))
	}
	if err := setDensity(r.Context(), s.DB.SQL, userID, density); err != nil {
		return err
	}
	return httpx.SeeOther(w, back)
}
