package review

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"slices"

	"vestibule/internal/httpx"
	"vestibule/templates/ui"
)

// Member is one of the desk's people, at a page of another room.
type Member struct {
	Email   string
	Decides bool    // may change what is known of applications
	Page    ui.Page // the desk's frame of the page, with its menu

	// Did adds to the audit trail, in the transaction of what was done. The action is
	// one of those that the trail knows.
	Did func(ctx context.Context, tx *sql.Tx, action, applicationID, object string) error
}

// Guard lets the desk's people in to a page of another room: all of them, or with
// changes only those who decide.
func (d *Desk) Guard(changes bool, next func(w http.ResponseWriter, r *http.Request, by Member) error) httpx.HandlerFunc {
	whom := may(all)
	if changes {
		whom = deciders
	}
	return d.only(whom, func(w http.ResponseWriter, r *http.Request, by person) error {
		frame := d.menu(d.Page(r), r, by)
		did := func(ctx context.Context, tx *sql.Tx, action, applicationID, object string) error {
			if !slices.Contains(actions[:], action) {
				return errors.New("review: the audit trail knows no " + action)
			}
			return d.write(ctx, tx, auditLine{actor: by.id, action: action, application: applicationID, object: object})
		}
		return next(w, r, Member{Email: by.email, Decides: by.decides(), Page: frame, Did: did})
	})
}
