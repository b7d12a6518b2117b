package reports

import (
	"errors"
	"net/http"

	"vestibule/internal/provider/auth"
	"vestibule/internal/store"
)

// ofChild finds the report of a child account that its parent names by the token
// alone; missing is the answer where there is none. By its external id, which is
// unique within one account only, a report needs the child's publicId beside it
// (document 1, Endpoints).
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
