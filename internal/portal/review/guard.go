package review

import (
	"net/http"

	"vestibule/internal/door"
	"vestibule/templates/portal"
	"vestibule/templates/ui"
)

// Member is one of the desk's people, at a page of another room.
type Member struct {
	Email   string
	Decides bool    // may change what is known of applications
	Page    ui.Page // the desk's frame of the page, with its menu
}

// Guard lets the desk's people in to a page of another room: all of them, or with
// changes only those who decide.
func (d *Desk) Guard(changes bool, next func(w http.ResponseWriter, r *http.Request, by Member) error) door.HandlerFunc {
	whom := may(all)
	if changes {
		whom = deciders
	}
	return d.only(whom, func(w http.ResponseWriter, r *http.Request, by person) error {
		frame := portal.ReviewMenu(d.Page(r), r.URL.Path, overseers.has(by.role), administrators.has(by.role))
		return next(w, r, Member{Email: by.email, Decides: by.decides(), Page: frame})
	})
}
