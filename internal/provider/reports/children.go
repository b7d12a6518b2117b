package reports

import (
	"errors"
	"net/http"

	"vestibule/internal/provider/auth"
	"vestibule/internal/store"
)

// ofChild finds a report of a child account that the parent names by its token; missing is
// the error if none exists. External ids are unique within one account, so a request with
// one must also name the child's publicId (API reference: Reports).
func (s *Service) ofChild(r *http.Request, missing error) (Report, error) {
	id, err := auth.IdentifierOf(r)
	if err != nil || id.PublicToken == "" {
		return Report{}, missing
	}
	rep, err := get(r.Context(), s.DB.SQL, `public_token = $2 AND customer_id IN (SELECT id FROM customers WHERE parent_id = $1)`,
		auth.CallerOf(r.Context()).CustomerID, id.PublicToken)
	if errors.Is(err, store.ErrNotFound) {
		return Report{}, missing
	}
	return rep, err
}
